/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index/index.h"

#include <string.h>

/*
 * Smallest primitive polynomial of each degree, as a bit mask without the leading term. Modulo a primitive polynomial,
 * the powers of x repeat as late as possible.
 */
static const uint32_t primitive[] = {
    0,    0x01, 0x03, 0x03, 0x03, 0x05, 0x03, 0x03, 0x1d, 0x11, 0x09, 0x05, 0x53, 0x1b, 0x2b, 0x03, 0x2d,
    0x09, 0x27, 0x27, 0x09, 0x05, 0x03, 0x21, 0x1b, 0x09, 0x47, 0x27, 0x09, 0x05, 0x53, 0x09, 0xaf,
};

void gpci_polynomial_fold(gpci_polynomial *polynomial, unsigned bit, uint32_t onto) {
    for (unsigned nibble = 0; nibble < 16; nibble++)
        if (nibble >> (bit % 4) & 1) {
            if (polynomial->narrow)
                polynomial->narrow_folds[bit / 4][nibble] ^= (uint8_t)onto;
            else
                polynomial->folds[bit / 4][nibble] ^= onto;
        }
}

void gpci_polynomial_init(gpci_polynomial *polynomial, unsigned degree, unsigned rest) {
    memset(polynomial, 0, sizeof *polynomial);
    polynomial->degree = degree;
    polynomial->narrow = degree <= 8;
    if (!degree)
        return;
    if (rest > 64 - degree)
        rest = 64 - degree;
    polynomial->rest = ((uint64_t)1 << rest) - 1;
    uint64_t power = primitive[degree]; /* remainder of x^degree; of the next power in each step */
    for (unsigned bit = 0; bit < rest; bit++) {
        gpci_polynomial_fold(polynomial, bit, (uint32_t)power);
        power <<= 1;
        if (power >> degree)
            power ^= (uint64_t)1 << degree | primitive[degree];
    }
}

/*
 * Index of an H100's L1: if bit b of the line number is set, b from 9 on, hopper[b - 9] is XORed onto the set index.
 * Line 2^b of a page has the same set as line hopper[b - 9]. (Any other numbering of the sets is equally good.)
 */
#define HOPPER_BITS 9u
static const uint16_t hopper[] = {113, 27,  374, 329, 57,  481, 477, 238, 404, 141, 428, 244,
                                  303, 130, 240, 277, 508, 351, 317, 489, 118, 136, 227};

static void hopper_init(gpci_polynomial *polynomial) {
    *polynomial = (gpci_polynomial){.degree = HOPPER_BITS, .rest = ((uint64_t)1 << sizeof hopper / sizeof *hopper) - 1};
    for (unsigned bit = 0; bit < sizeof hopper / sizeof *hopper; bit++)
        gpci_polynomial_fold(polynomial, bit, hopper[bit]);
}

uint64_t gpci_index_hopper_bits(uint32_t mask) {
    gpci_polynomial polynomial;
    uint64_t bits = 0;
    hopper_init(&polynomial);
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t line = (uint64_t)1 << bit,
                       set = gpci_polynomial_mix(&polynomial, line) & ((1u << HOPPER_BITS) - 1);
        bits |= gpci_parity(set & mask) ? line : 0;
    }
    return bits;
}

unsigned gpci_ipoly_rest(uint64_t sets) {
    switch (sets) {
    case 16:
        return 13;
    case 32:
        return 15;
    case 64:
        return 19;
    default:
        return 64;
    }
}

gpc_status gpci_index_init(gpci_index *index, gpc_index kind, uint64_t sets, gpc_index_fn index_fn, void *data,
                           gpc_error *error) {
    if (sets < 1 || sets > UINT32_MAX)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_cache_options.sets: %llu is not in 1 to 2^32 - 1",
                         (unsigned long long)sets);
    if ((unsigned)kind >= GPC_INDEX_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_options.index: %u is no gpc_index", (unsigned)kind);
    if (kind == GPC_INDEX_USER && !index_fn)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_options.index_fn: NULL with GPC_INDEX_USER");
    if (kind == GPC_INDEX_FERMI && sets != 32 && sets != 64)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "gpc_cache_options.index: the Fermi hash is for 32 or 64 sets, not %llu",
                         (unsigned long long)sets);
    unsigned bits = gpci_ceil_log2(sets);
    /* a single set needs no index */
    *index = (gpci_index){.kind = bits || kind == GPC_INDEX_USER ? (uint32_t)kind : GPC_INDEX_MODULO,
                          .bits = bits,
                          .first_fold = bits,
                          .folded = UINT64_MAX,
                          .sets = gpci_divisor_of((uint32_t)sets),
                          .fn = index_fn,
                          .data = data};
    while (bits && index->first_fold * 2 < 64)
        index->first_fold *= 2;
    if (kind == GPC_INDEX_IPOLY)
        gpci_polynomial_init(&index->polynomial, bits, gpci_ipoly_rest(sets));
    else if (kind == GPC_INDEX_HOPPER)
        hopper_init(&index->polynomial);
    return GPC_OK;
}

void gpci_index_fold(gpci_index *index, uint32_t bits) {
    index->folded = bits < 64 - index->bits ? ((uint64_t)1 << (index->bits + bits)) - 1 : UINT64_MAX;
}

gpc_status gpci_interleave_init(gpci_interleave *interleave, gpci_spread kind, uint64_t bytes, uint32_t slices,
                                uint32_t channels, gpc_error *error) {
    const bool channelled = kind == GPCI_SPREAD_XOR || kind == GPCI_SPREAD_IPOLY;
    if ((unsigned)kind >= GPCI_SPREAD_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%u is no way of interleaving", (unsigned)kind);
    if (bytes < 2 || !gpci_power_of_two(bytes))
        return gpci_fail(error, GPC_ERROR_RANGE, "interleaving by %llu bytes: not a power of two from 2 up",
                         (unsigned long long)bytes);
    if (!slices)
        return gpci_fail(error, GPC_ERROR_RANGE, "interleaving over no slices");
    channels = channels < slices ? channels : slices;
    if (channelled && (!gpci_power_of_two(slices) || !channels || !gpci_power_of_two(channels)))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "interleaving by xor or ipoly over %u slices of %u channels: not powers of two", slices,
                         channels);
    if (kind == GPCI_SPREAD_HOPPER &&
        (bytes != 256 || (slices != GPCI_HOPPER_SLICES && slices != GPCI_HOPPER_SLICES / 2)))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "interleaving by hopper over %u slices by %llu bytes: not 80, or 40 of a half, by 256", slices,
                         (unsigned long long)bytes);
    const unsigned bits = gpci_ceil_log2(slices);
    const unsigned degree = kind == GPCI_SPREAD_HASH || kind == GPCI_SPREAD_IPOLY ? bits : 0;
    *interleave = (gpci_interleave){.shift = gpci_log2(bytes),
                                    .slices = gpci_divisor_of(slices),
                                    .kind = kind >= GPCI_SPREAD_XOR ? (uint8_t)kind : 0,
                                    .bits = (uint8_t)bits,
                                    .channel_bits = channelled ? (uint8_t)gpci_log2(channels) : 0};
    gpci_polynomial_init(&interleave->polynomial, degree, kind == GPCI_SPREAD_IPOLY ? gpci_ipoly_rest(slices) : 64);
    if (kind == GPCI_SPREAD_HOPPER)
        gpci_hopper_slices_init(&interleave->polynomial);
    return GPC_OK;
}

static uint64_t low_bits(uint64_t n, unsigned bits) {
    return n & (((uint64_t)1 << bits) - 1);
}

/*
 * Hash the number of a granule: XOR the next higher bits onto the channel (xor), or the remainder of the upper bits
 * onto channel and slice (ipoly). Applying the function twice is the identity.
 */
static uint64_t hashed(const gpci_interleave *interleave, uint64_t spread) {
    if (interleave->kind == GPCI_SPREAD_IPOLY)
        return gpci_polynomial_mix(&interleave->polynomial, spread);
    return spread ^ low_bits(spread >> interleave->bits, interleave->channel_bits)
                        << (interleave->bits - interleave->channel_bits);
}

/*
 * Random order of the granules of a group (GPCI_SPREAD_RANDOM). A group has a granule for each slice. Twice, the number
 * of a granule in the group is multiplied by an odd number, modulo the next power of two, and its upper half is XORed
 * onto its lower half. All steps have an inverse (`back`). If the result is no number of a slice, the steps are
 * repeated.
 */
static uint64_t odd_inverse(uint64_t odd) {
    uint64_t inverse = odd; /* correct for 3 bits; each step doubles the number of bits */
    for (unsigned step = 0; step < 5; step++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

static uint32_t shuffled(const gpci_interleave *interleave, uint64_t group, uint32_t slice, bool back) {
    const uint64_t key = gpci_mix(group), add = gpci_mix(key);
    const uint64_t odd[2] = {key | 1, add >> 32 | 1};
    const unsigned fold = (interleave->bits + 1u) / 2;
    uint64_t n = slice;
    if (!interleave->bits)
        return slice;
    do {
        for (unsigned step = 0; step < 2 && !back; step++) {
            n = low_bits(n * odd[step] + (add >> step), interleave->bits);
            n ^= n >> fold;
        }
        for (unsigned step = 2; step-- > 0 && back;) {
            n ^= n >> fold;
            n = low_bits((n - (add >> step)) * odd_inverse(odd[step]), interleave->bits);
        }
    } while (n >= interleave->slices.divisor);
    return (uint32_t)n;
}

static uint64_t reordered(const gpci_interleave *interleave, uint64_t n, bool back) {
    const uint64_t group = gpci_quotient(&interleave->slices, n), first = group * interleave->slices.divisor;
    return first + shuffled(interleave, group, (uint32_t)(n - first), back);
}

uint64_t gpci_interleave_spread(const gpci_interleave *interleave, uint64_t granule) {
    if (interleave->kind == GPCI_SPREAD_HOPPER)
        return gpci_hopper_spread(interleave, granule);
    if (interleave->kind == GPCI_SPREAD_RANDOM)
        return reordered(interleave, granule, false);
    const unsigned inner = interleave->bits - interleave->channel_bits; /* bits of the slice within its channel */
    const uint64_t slice =
        low_bits(granule, interleave->channel_bits) << inner | low_bits(granule >> interleave->channel_bits, inner);
    return hashed(interleave, granule >> interleave->bits << interleave->bits | slice);
}

uint64_t gpci_interleave_gather(const gpci_interleave *interleave, uint64_t spread) {
    if (interleave->kind == GPCI_SPREAD_HOPPER)
        return gpci_hopper_gather(interleave, spread);
    if (interleave->kind == GPCI_SPREAD_RANDOM)
        return reordered(interleave, spread, true);
    const unsigned inner = interleave->bits - interleave->channel_bits;
    const uint64_t plain = hashed(interleave, spread), slice = low_bits(plain, interleave->bits);
    return plain >> interleave->bits << interleave->bits | low_bits(slice, inner) << interleave->channel_bits |
           slice >> inner;
}
