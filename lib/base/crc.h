/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_CRC_H
#define GPC_BASE_CRC_H

#include "base/base.h"

/* CRC-32C (Castagnoli), eight bytes at a time. The caller owns the tables. */
typedef struct gpci_crc {
    uint32_t table[8][256];
} gpci_crc;

void gpci_crc_init(gpci_crc *crc);
/* CRC of a text whose earlier bytes have the CRC `before` (0: no earlier bytes), and whose last bytes are `data`. */
uint32_t gpci_crc_of(const gpci_crc *crc, uint32_t before, const void *data, size_t length);

#endif
