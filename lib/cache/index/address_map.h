/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_ADDRESS_MAP_H
#define GPC_CACHE_ADDRESS_MAP_H

#include "cache/index/index.h"
#include "config/address_bits.h"

/*
 * Slices by address.mapping: linear_to_raw_address_translation of GPGPU-Sim (addrdec.cc). The lowest s bits of the bank
 * select one of a channel's n = 2^s slices: slice channel * n + (bank mod n). address.indexing then hashes the slice's
 * number, or the channel's.
 *
 * Example, dramid@8;...RBBBCCCC.BCCSSSSS with 8 channels of 2 slices: bits 8 to 10 of an address are the channel, bit 7
 * is the bank's lowest bit, and bits 10, 9, 8, 7 are the number of the slice. The remaining bits, side by side, are the
 * address within the slice: partition_address of addrdec.cc, from which a slice of L2 computes a set.
 *
 * Some mappings send two addresses to one place. ipoly takes a remainder if channels are no power of two, and may hash
 * bits of the bank onto the same bits. random draws a slice. The address within a slice then has additional top bits,
 * enough to tell all lines of the slice's cache apart.
 */

typedef enum gpci_indexing {
    GPCI_INDEXING_CONSECUTIVE, /* the order of -gpgpu_memory_partition_indexing */
    GPCI_INDEXING_XOR,         /* bits above channel and slice, onto the channel */
    GPCI_INDEXING_IPOLY,       /* remainder of the upper bits by a polynomial, onto channel and slice */
    GPCI_INDEXING_PAE,         /* bits of row and bank, onto a channel of 32, as before release 4.0 */
    GPCI_INDEXING_RANDOM       /* a random slice for each stretch of addresses */
} gpci_indexing;

/* Neighbouring bits of a number, and their place in another number. */
typedef struct gpci_bit_run {
    uint64_t mask; /* from bit 0 */
    uint8_t from, to;
} gpci_bit_run;

typedef struct gpci_bit_runs {
    uint32_t count, bits;
    gpci_bit_run run[33]; /* 64 bits have at most 33 runs */
} gpci_bit_runs;

/* Top bits of an address within a slice. */
typedef enum gpci_address_rest {
    GPCI_REST_ENOUGH,  /* no top bits */
    GPCI_REST_NUMBER,  /* the slice's number before hashing */
    GPCI_REST_WRAPPED, /* the bank's low bits, and a bit for a number beyond the slices */
    GPCI_REST_WHOLE    /* the whole address */
} gpci_address_rest;

typedef struct gpci_address_map {
    gpci_divisor channels; /* with `gap` */
    gpci_divisor slices;
    uint32_t from; /* dramid@ */
    bool gap;
    uint8_t indexing, rest; /* gpci_indexing, gpci_address_rest */
    uint8_t slice_bits;     /* s: log2 of a channel's slices */
    uint8_t lot_from;       /* random: the lowest bit of a stretch's number */
    uint8_t hash_from;      /* the lowest bit of the hash's argument */
    uint8_t finest;         /* the lowest bit of an address with a part in the slice */
    gpci_polynomial hash;   /* hash; degree 0 = no hash */
    gpci_bit_runs number;   /* bits of the slice's number; with `gap` only the bank's bits */
    gpci_bit_runs left;
} gpci_address_map;

/*
 * Build a map from bits already placed for the channels. GPC_ERROR_RANGE: the slices per channel are no power of two,
 * or more than the bank's bits tell apart; or the indexing is for other channels.
 */
gpc_status gpci_address_map_init(gpci_address_map *map, const gpci_address_bits *bits, gpci_indexing indexing,
                                 uint32_t slices, gpc_error *error);

/* Slice of an address, and back: gpci_address_map_slice, gpci_address_map_address (cache/index/index.h). */

/* Address without the channel, with `gap`. */
GPCI_INLINE uint64_t gpci_address_quotient(const gpci_divisor *channels, uint32_t from, uint64_t address) {
    return gpci_quotient(channels, address >> from) << from | (address & (((uint64_t)1 << from) - 1));
}

#endif
