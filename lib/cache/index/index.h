/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_INDEX_H
#define GPC_CACHE_INDEX_H

#include "base/base.h"

/* Set of a line, and slice of an address: both without a division, inlined into hot loops. */

/*
 * Hashing by a polynomial over GF(2) (Rau, ISCA 1991). A number is read as a polynomial, in which bit i stands for x^i.
 * The remainder of the number by an irreducible polynomial of degree n replaces the low n bits of the number. The low
 * bits are their own remainder. For each four of the upper bits a table has the remainder; the XOR of these entries is
 * the remainder of the upper bits. The upper bits do not change, and so applying the hash twice is the identity.
 * Numbers with a distance of any power of two spread evenly.
 *
 * Example, n = 2, x^2 + x + 1: x^2 = x + 1 and x^3 = x^2 + x = 1. The upper 0b11 of 0b1101 folds to (x + 1) + 1 = x =
 * 0b10: 0b1101 becomes 0b1111.
 */
typedef struct gpci_polynomial {
    uint32_t degree;
    uint64_t rest; /* mask of the upper bits that take part, shifted down by `degree` */
    bool narrow;   /* degree of 8 or less: narrow_folds, a quarter of the memory */
    union {
        uint32_t folds[16][16];
        uint8_t narrow_folds[16][16];
    };
} gpci_polynomial;

/* Degree 0 to 32; of the bits above the low `degree`, the first `rest` take part. */
void gpci_polynomial_init(gpci_polynomial *polynomial, unsigned degree, unsigned rest);
/* Also fold bit number `bit` above the low `degree` bits: if set, the bit flips the bits of `onto`. */
void gpci_polynomial_fold(gpci_polynomial *polynomial, unsigned bit, uint32_t onto);

/* XOR the remainder of `rest`, the bits above the low `degree`, onto `n`. */
GPCI_INLINE uint64_t gpci_polynomial_onto(const gpci_polynomial *polynomial, uint64_t rest, uint64_t n) {
    rest &= polynomial->rest;
    if (polynomial->narrow) {
        for (const uint8_t(*fold)[16] = polynomial->narrow_folds; rest; rest >>= 8, fold += 2)
            n ^= fold[0][rest & 15] ^ fold[1][rest >> 4 & 15];
        return n;
    }
    for (const uint32_t(*fold)[16] = polynomial->folds; rest; rest >>= 4, fold++)
        n ^= (*fold)[rest & 15];
    return n;
}

GPCI_INLINE uint64_t gpci_polynomial_mix(const gpci_polynomial *polynomial, uint64_t n) {
    return gpci_polynomial_onto(polynomial, n >> polynomial->degree, n);
}

/* Number of upper bits that GPGPU-Sim's ipoly_hash_function uses for a number of sets; 64: all bits. */
unsigned gpci_ipoly_rest(uint64_t sets);

/*
 * Set index of a line number (address / line size, below 2^63).
 *   modulo  line number modulo sets
 *   xor     every group of b = ceil(log2 sets) bits above the low b is XORed onto the low b, then modulo. Example of
 *           gpci_index_fold: with b bits above the low b, GPGPU-Sim's BITWISE_XORING_FUNCTION
 *   fermi   GPGPU-Sim's FERMI_HASH_SET_FUNCTION. The function XORs address bits 13, 14, 15, 17 and 19 of 128-byte
 *           lines, which are bits 6, 7, 8, 10 and 12 of the line number, onto the low five bits. Other line sizes use
 *           the same bits of the line number
 *   ipoly   gpci_polynomial_mix of degree b, then modulo. GPGPU-Sim's ipoly_hash_function gets the line number's low b
 *           bits as `index` and the upper bits as `higher_bits`. The function is the remainder by x^4+x+1, x^5+x^2+1
 *           and x^6+x+1 for 16, 32 and 64 sets, and uses 13, 15 and 19 upper bits, as this library does. Other numbers
 *           of sets use all bits
 *   hopper  an H100's L1 with virtual addresses (tests/hardware/micro/README.md): the low nine bits, XORed with a
 *           number for each higher bit that is set. 32 bits are known, for addresses that differ below 512 GiB; higher
 *           bits have no effect. For 512 sets; for other numbers of sets, then modulo
 * If the number of sets is no power of two, "then modulo" is the remainder of the whole line number with replaced low b
 * bits. The remainder of only the low b bits would be uneven: with 384 sets, b = 9, and 128 sets would get two of the
 * 512 values, 256 sets one value.
 */
typedef struct gpci_index {
    uint32_t kind;       /* gpc_index */
    uint32_t bits;       /* b */
    uint32_t first_fold; /* xor: the largest b 2^i below 64 */
    uint64_t folded;     /* xor: mask of the line number's bits that take part */
    gpci_divisor sets;
    gpc_index_fn fn;
    void *data;
    gpci_polynomial polynomial; /* ipoly, hopper */
} gpci_index;

/* hopper, 512 sets: mask of line number bits. Their parity is the parity of the bits `mask` of the line's set index. */
uint64_t gpci_index_hopper_bits(uint32_t mask);

/*
 * GPC_ERROR_RANGE: no sets, more than 2^32 - 1, or fermi with other than 32 or 64. GPC_ERROR_ARGUMENT: an unknown kind,
 * or GPC_INDEX_USER without a function.
 */
gpc_status gpci_index_init(gpci_index *index, gpc_index kind, uint64_t sets, gpc_index_fn index_fn, void *data,
                           gpc_error *error);

/* xor: only the first `bits` bits above the low b take part. */
void gpci_index_fold(gpci_index *index, uint32_t bits);

GPCI_INLINE uint32_t gpci_index_xor(const gpci_index *index, uint64_t line) {
    /* each step XORs the upper half of the groups of bits onto the lower half */
    uint64_t folded = line & index->folded, low = ((uint64_t)1 << index->bits) - 1;
    for (uint32_t shift = index->first_fold; shift >= index->bits; shift /= 2)
        folded ^= folded >> shift;
    return gpci_modulo(&index->sets, (line & ~low) | (folded & low));
}

GPCI_INLINE uint32_t gpci_index_fermi(const gpci_index *index, uint64_t line) {
    uint32_t low = (uint32_t)line & 31u;
    uint32_t upper = (line >> 6 & 7u) | (line >> 7 & 8u) | (line >> 8 & 16u);
    return (low ^ upper) | ((uint32_t)line & (index->sets.divisor - 1) & 32u);
}

/* Set of a line. A user function's result is reduced modulo the sets, and so never indexes beyond the arrays. */
GPCI_INLINE uint32_t gpci_index_of(const gpci_index *index, uint64_t line) {
    switch (index->kind) {
    case GPC_INDEX_XOR:
        return gpci_index_xor(index, line);
    case GPC_INDEX_FERMI:
        return gpci_index_fermi(index, line);
    case GPC_INDEX_IPOLY:
    case GPC_INDEX_HOPPER:
        return gpci_modulo(&index->sets, gpci_polynomial_mix(&index->polynomial, line));
    case GPC_INDEX_USER:
        return gpci_modulo(&index->sets, index->fn(index->data, line, index->sets.divisor));
    default:
        return gpci_modulo(&index->sets, line);
    }
}

typedef enum gpci_spread {
    GPCI_SPREAD_MODULO = 0, /* granule number modulo slices */
    GPCI_SPREAD_HASH = 1,   /* modulo after gpci_polynomial_mix: even for strides of any power of two */
    GPCI_SPREAD_RANGE =
        2,               /* modulo with large granules: a slice's whole part of memory; addresses beyond wrap around */
    GPCI_SPREAD_XOR = 3, /* GPGPU-Sim's bitwise_hash_function: the next higher bits, XORed onto the channel */
    GPCI_SPREAD_IPOLY = 4,  /* GPGPU-Sim's ipoly_hash_function of channel and slice */
    GPCI_SPREAD_RANDOM = 5, /* a group has a granule for each slice; each group has another random order */
    GPCI_SPREAD_HOPPER = 6, /* the slices of an H100: hopper_slices.c */
    GPCI_SPREAD_COUNT,
    GPCI_SPREAD_MAPPED /* by address.mapping (cache/index/address_map.h); no choice of the key l2.interleave */
} gpci_spread;

struct gpci_address_map;

/*
 * Mapping of addresses to slices (or channels): (slice, inner address) and address map one to one. The inner address
 * has no gaps for other slices' granules: a slice may index its sets with the low bits of the inner address.
 *
 * Example, 3 slices of 256 bytes, modulo: address 0x520 is byte 0x20 of granule 5; slice 5 mod 3 = 2, inner granule 5 /
 * 3 = 1, inner address 0x120.
 *
 * xor and ipoly are from GPGPU-Sim (addrdec.cc, addrdec_tlx): neighbouring granules go to different channels, and
 * higher bits choose a slice of the channel. Example, 32 channels of 2 slices. The low five bits of a granule's number
 * are the channel c, the next bit is s, and the upper bits are h. The slice is 2 c + s. xor replaces c by c ^ (h mod
 * 32). ipoly XORs the remainder of h by a polynomial of degree 6 onto 2 c + s.
 */
typedef struct gpci_interleave {
    uint32_t shift; /* log2 of the granule's bytes */
    gpci_divisor slices;
    gpci_polynomial polynomial; /* hash; degree 0 = no hash */
    uint8_t kind;               /* gpci_spread from XOR on; 0 for MODULO, HASH and RANGE */
    uint8_t bits, channel_bits; /* bits of the slice's number; xor and ipoly: how many of them are the channel's */
    const struct gpci_address_map *map; /* only with GPCI_SPREAD_MAPPED */
} gpci_interleave;

/*
 * `channels`: for xor and ipoly, the number of channels; a number beyond `slices` counts as `slices`. GPC_ERROR_RANGE:
 * `bytes` is no power of two from 2 up; no slices; xor or ipoly with a number that is no power of two; hopper with
 * other bytes or slices than an H100's. GPC_ERROR_ARGUMENT: an unknown kind.
 */
gpc_status gpci_interleave_init(gpci_interleave *interleave, gpci_spread kind, uint64_t bytes, uint32_t slices,
                                uint32_t channels, gpc_error *error);

/*
 * Make an interleave by a mapping, which must outlive the interleave. The next two functions: slice, and the inverse.
 */
void gpci_interleave_by(gpci_interleave *interleave, const struct gpci_address_map *map);
uint32_t gpci_address_map_slice(const struct gpci_address_map *map, uint64_t address, uint64_t *inner);
uint64_t gpci_address_map_address(const struct gpci_address_map *map, uint32_t slice, uint64_t inner);

/* Number of a granule as slices * inner granule + slice, for the kinds from XOR to HOPPER; and the inverse. */
uint64_t gpci_interleave_spread(const gpci_interleave *interleave, uint64_t granule);
uint64_t gpci_interleave_gather(const gpci_interleave *interleave, uint64_t spread);

/* hopper: granules of 256 bytes over 80 slices of L2, or over the 40 slices of a half of L2. */
#define GPCI_HOPPER_SLICES 80u
void gpci_hopper_slices_init(gpci_polynomial *polynomial);
uint64_t gpci_hopper_spread(const gpci_interleave *interleave, uint64_t granule);
uint64_t gpci_hopper_gather(const gpci_interleave *interleave, uint64_t spread);
/* hopper with 40 slices: mask of the address bits whose parity selects the half of L2. */
uint64_t gpci_hopper_half_bits(void);

/* Slice of an address in bytes; `inner` receives the address within the slice. */
GPCI_INLINE uint32_t gpci_interleave_slice(const gpci_interleave *interleave, uint64_t address, uint64_t *inner) {
    uint64_t granule;
    if (GPCI_UNLIKELY(interleave->kind)) {
        if (interleave->kind == GPCI_SPREAD_MAPPED)
            return gpci_address_map_slice(interleave->map, address, inner);
        granule = gpci_interleave_spread(interleave, address >> interleave->shift);
    } else
        granule = gpci_polynomial_mix(&interleave->polynomial, address >> interleave->shift);
    uint64_t quotient = gpci_quotient(&interleave->slices, granule);
    uint64_t offset = address & (((uint64_t)1 << interleave->shift) - 1);
    *inner = quotient << interleave->shift | offset;
    return (uint32_t)(granule - quotient * interleave->slices.divisor);
}

/* Inverse of gpci_interleave_slice: address from a slice and the address within the slice. */
GPCI_INLINE uint64_t gpci_interleave_address(const gpci_interleave *interleave, uint32_t slice, uint64_t inner) {
    if (GPCI_UNLIKELY(interleave->kind == GPCI_SPREAD_MAPPED))
        return gpci_address_map_address(interleave->map, slice, inner);
    uint64_t granule = (inner >> interleave->shift) * interleave->slices.divisor + slice;
    uint64_t offset = inner & (((uint64_t)1 << interleave->shift) - 1);
    if (GPCI_UNLIKELY(interleave->kind))
        return gpci_interleave_gather(interleave, granule) << interleave->shift | offset;
    return gpci_polynomial_mix(&interleave->polynomial, granule) << interleave->shift | offset;
}

#endif
