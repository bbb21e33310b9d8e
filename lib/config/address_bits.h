/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_ADDRESS_BITS_H
#define GPC_CONFIG_ADDRESS_BITS_H

#include "config/config.h"

/*
 * Bits of an address for channel, bank, row and column: the text of address.mapping, in the syntax of GPGPU-Sim's
 * -gpgpu_mem_addr_mapping (addrdec.cc: addrdec_parseoption, init).
 *
 *   dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS
 *
 * Letters, 64 from bit 63 down: R row, B bank, C column, S column within a burst, 0 none. '.', '|' and blanks only
 * separate letters. dramid@n adds the channel at bit n to an address of the letters:
 *
 *   a power of two of channels, 2^c   c bits from bit n up; letters from bit n on move up by c
 *   other numbers                     channel = (address >> n) mod channels; letters stand for the rest,
 *                                     ((address >> n) / channels) << n and the n bits below
 *
 * Without dramid@, letters D are the bits of the channel.
 */

typedef enum gpci_address_field {
    GPCI_ADDRESS_CHANNEL,
    GPCI_ADDRESS_BANK,
    GPCI_ADDRESS_ROW,
    GPCI_ADDRESS_COLUMN, /* letters C and S */
    GPCI_ADDRESS_FIELDS
} gpci_address_field;

typedef struct gpci_address_bits {
    /* [field]: bits of an address; with `gap`, bits of the address without the channel */
    uint64_t mask[GPCI_ADDRESS_FIELDS];
    uint32_t channels; /* 0: gpci_address_spread was not called, and `mask` is as in the text */
    uint32_t from;     /* n of dramid@n */
    bool dramid;
    bool gap; /* channels are no power of two: a division removes the channel */
} gpci_address_bits;

#define GPCI_NO_MAPPING "none"

/* Read the text, for any number of channels. GPC_ERROR_FORMAT: malformed; the message names the fault, not the text. */
gpc_status gpci_address_read(const char *text, gpci_address_bits *out, gpc_error *error);

/*
 * Adapt the masks to the number of channels: dramid@n inserts the bits of the channel. GPC_ERROR_RANGE: the text does
 * not fit the number of channels.
 */
gpc_status gpci_address_spread(gpci_address_bits *bits, uint32_t channels, gpc_error *error);

/*
 * Read a configuration's mapping, for the channels of a GPU's partition; messages name the key. `channels` is 0 without
 * a mapping.
 */
gpc_status gpci_address_of(const gpc_config *config, gpci_address_bits *out, gpc_error *error);

#endif
