/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/index.h"

#include <string.h>

gpci_divisor gpci_divisor_of(uint32_t divisor) {
    if (gpci_power_of_two(divisor))
        return (gpci_divisor){0, divisor, gpci_log2(divisor)};
    unsigned l = gpci_ceil_log2(divisor);
    /* Long division of 2^(63+l): the quotient has 64 bits, the remainder stays below 2 d. */
    uint64_t quotient = 0, remainder = 0;
    for (unsigned bit = 64 + l; bit-- > 0;) {
        remainder = remainder << 1 | (bit == 63 + l);
        quotient <<= 1;
        if (remainder >= divisor) {
            remainder -= divisor;
            quotient |= 1;
        }
    }
    return (gpci_divisor){quotient + 1, divisor, l - 1};
}

/*
 * The smallest primitive polynomial of each degree, without its leading term: the
 * shortest chain of terms to compute, and its powers of x repeat as late as can be.
 */
static const uint32_t primitive[] = {
    0,    0x01, 0x03, 0x03, 0x03, 0x05, 0x03, 0x03, 0x1d, 0x11, 0x09, 0x05, 0x53, 0x1b, 0x2b, 0x03, 0x2d,
    0x09, 0x27, 0x27, 0x09, 0x05, 0x03, 0x21, 0x1b, 0x09, 0x47, 0x27, 0x09, 0x05, 0x53, 0x09, 0xaf,
};

void gpci_polynomial_init(gpci_polynomial *polynomial, unsigned degree, unsigned rest) {
    memset(polynomial, 0, sizeof *polynomial);
    polynomial->degree = degree;
    polynomial->narrow = degree <= 8;
    if (!degree)
        return;
    if (rest > 64 - degree)
        rest = 64 - degree;
    polynomial->rest = ((uint64_t)1 << rest) - 1;
    uint64_t power = primitive[degree]; /* x^degree; then the next power for every bit above */
    for (unsigned bit = 0; bit < rest; bit++) {
        for (unsigned nibble = 0; nibble < 16; nibble++)
            if (nibble >> (bit % 4) & 1) {
                if (polynomial->narrow)
                    polynomial->narrow_folds[bit / 4][nibble] ^= (uint8_t)power;
                else
                    polynomial->folds[bit / 4][nibble] ^= (uint32_t)power;
            }
        power <<= 1;
        if (power >> degree)
            power ^= (uint64_t)1 << degree | primitive[degree];
    }
}

/* Upper bits that GPGPU-Sim's ipoly_hash_function looks at; elsewhere all. */
static unsigned ipoly_rest(uint64_t sets) {
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

gpc_status gpci_index_init(gpci_index *index, gpc_index kind, uint64_t sets, gpc_index_fn fn, void *data,
                           gpc_error *error) {
    if (sets < 1 || sets > UINT32_MAX)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_cache_options.sets: %llu is not in 1 to 2^32 - 1",
                         (unsigned long long)sets);
    if ((unsigned)kind >= GPC_INDEX_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_options.index: %u is no gpc_index", (unsigned)kind);
    if (kind == GPC_INDEX_USER && !fn)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_options.index_fn: NULL with GPC_INDEX_USER");
    if (kind == GPC_INDEX_FERMI && sets != 32 && sets != 64)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "gpc_cache_options.index: the Fermi hash is for 32 or 64 sets, not %llu",
                         (unsigned long long)sets);
    unsigned bits = gpci_ceil_log2(sets);
    /* One set has nothing to choose. */
    *index = (gpci_index){.kind = bits || kind == GPC_INDEX_USER ? (uint32_t)kind : GPC_INDEX_MODULO,
                          .bits = bits,
                          .first_fold = bits,
                          .sets = gpci_divisor_of((uint32_t)sets),
                          .fn = fn,
                          .data = data};
    while (bits && index->first_fold * 2 < 64)
        index->first_fold *= 2;
    if (kind == GPC_INDEX_IPOLY)
        gpci_polynomial_init(&index->polynomial, bits, ipoly_rest(sets));
    return GPC_OK;
}

gpc_status gpci_interleave_init(gpci_interleave *interleave, gpci_spread kind, uint64_t bytes, uint32_t slices,
                                gpc_error *error) {
    if ((unsigned)kind >= GPCI_SPREAD_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%u is no way of interleaving", (unsigned)kind);
    if (bytes < 2 || !gpci_power_of_two(bytes))
        return gpci_fail(error, GPC_ERROR_RANGE, "interleaving by %llu bytes: not a power of two from 2 up",
                         (unsigned long long)bytes);
    if (!slices)
        return gpci_fail(error, GPC_ERROR_RANGE, "interleaving over no slices");
    *interleave = (gpci_interleave){.shift = gpci_log2(bytes), .slices = gpci_divisor_of(slices)};
    gpci_polynomial_init(&interleave->polynomial, kind == GPCI_SPREAD_HASH ? gpci_ceil_log2(slices) : 0, 64);
    return GPC_OK;
}
