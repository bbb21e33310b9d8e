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

/* Neighbouring bits of an address, from bit `from` on, and their place in a packed number, from bit `to` on. */
typedef struct gpci_bit_run {
    uint64_t mask; /* as many ones as the run has bits, from bit 0 on */
    uint8_t from, to;
} gpci_bit_run;

typedef struct gpci_bit_runs {
    uint32_t count, bits; /* count: number of runs. bits: number of bits in all runs */
    gpci_bit_run run[33]; /* 64 bits have at most 33 runs */
} gpci_bit_runs;

/* Additional top bits of an address within a slice, which tell apart addresses that the mapping sends to one place. */
typedef enum gpci_address_rest {
    GPCI_REST_ENOUGH,  /* no top bits: the mapping sends no two addresses to one place */
    GPCI_REST_NUMBER,  /* the slice's number before hashing */
    GPCI_REST_WRAPPED, /* the bank's low bits, and a bit: set if the hashed number was beyond the last slice */
    GPCI_REST_WHOLE    /* the address within a slice is the whole address */
} gpci_address_rest;

typedef struct gpci_address_map {
    gpci_divisor channels; /* with `gap` */
    gpci_divisor slices;
    uint32_t from;          /* number after dramid@: first bit of the channel */
    bool gap;               /* the number of channels is no power of two */
    uint8_t indexing, rest; /* gpci_indexing, gpci_address_rest */
    uint8_t slice_bits;     /* s: log2 of the number of slices of a channel */
    uint8_t lot_from;       /* random: address >> lot_from is the number of a stretch of addresses */
    uint8_t hash_from;      /* address >> hash_from is the argument of the hash */
    uint8_t finest;         /* the lowest bit of an address that the slice depends on */
    gpci_polynomial hash;   /* hash; degree 0 = no hash */
    gpci_bit_runs number;   /* bits of the slice's number; with `gap` only the bank's bits */
    gpci_bit_runs left;     /* the remaining bits: the address within the slice */
} gpci_address_map;

/*
 * Build a map from the parsed address.mapping (`bits`). GPC_ERROR_RANGE: the number of slices of a channel is no power
 * of two, or the bank has too few bits to select a slice; or `indexing` does not support the number of channels.
 */
gpc_status gpci_address_map_init(gpci_address_map *map, const gpci_address_bits *bits, gpci_indexing indexing,
                                 uint32_t slices, gpc_error *error);

/* Slice of an address, and back: gpci_address_map_slice, gpci_address_map_address (cache/index/index.h). */

/* With `gap`: the address without the channel. Bits from `from` on are divided by the number of channels. */
GPCI_INLINE uint64_t gpci_address_quotient(const gpci_divisor *channels, uint32_t from, uint64_t address) {
    return gpci_quotient(channels, address >> from) << from | (address & (((uint64_t)1 << from) - 1));
}

#endif
