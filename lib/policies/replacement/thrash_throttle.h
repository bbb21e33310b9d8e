/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_THRASH_THROTTLE_H
#define GPC_POLICIES_REPLACEMENT_THRASH_THROTTLE_H

#include "base/base.h"

/*
 * Bimodal throttle of BIP and BRRIP: a share epsilon of the inserted lines passes, and gets the better place. By
 * counter, as in hardware: each line adds epsilon to a 32-bit fraction, and a line passes when the sum carries; with
 * 1/32 every 32nd line passes. By draw: each line passes with probability epsilon.
 *
 * Example, epsilon = 3/8: sums 3/8 6/8 9/8 12/8 15/8 18/8, so the third and the sixth of six pass.
 */
typedef struct gpci_thrash_throttle {
    uint64_t rate;      /* epsilon x 2^32 */
    uint64_t credit;    /* fraction of the sum */
    uint64_t generator; /* state of the random generator, used only if `draws` */
    bool draws;         /* lines pass by draw, not by counter */
} gpci_thrash_throttle;

#define GPCI_EPSILON \
    { "epsilon", 1.0 / 32, 0, 1, false, "share of the lines let through to the better place" }
#define GPCI_RANDOM \
    { "random", 0, 0, 1, true, "1 = that share by chance, by the cache's seed, not by a counter" }

GPCI_INLINE void gpci_thrash_throttle_init(gpci_thrash_throttle *throttle, double epsilon, bool draws, uint64_t seed) {
    *throttle = (gpci_thrash_throttle){(uint64_t)(epsilon * 4294967296.0 + 0.5), 0, seed, draws};
}

GPCI_INLINE bool gpci_thrash_throttle_passes(gpci_thrash_throttle *throttle) {
    if (throttle->draws)
        return gpci_random(&throttle->generator) >> 32 < throttle->rate;
    throttle->credit += throttle->rate;
    bool passes = throttle->credit >> 32;
    throttle->credit &= UINT32_MAX;
    return passes;
}

/* As gpci_thrash_throttle_passes if `asked`. Otherwise count nothing and return false. */
GPCI_INLINE bool gpci_thrash_throttle_passes_if(gpci_thrash_throttle *throttle, bool asked) {
    if (throttle->draws)
        return asked && gpci_thrash_throttle_passes(throttle);
    throttle->credit += throttle->rate & (0 - (uint64_t)asked);
    bool passes = throttle->credit >> 32;
    throttle->credit &= UINT32_MAX;
    return passes;
}

/* Cost in bits. By counter: ceil(log2(1 / epsilon)), 5 for 1/32. By draw: 64. If all or no lines pass: 0. */
GPCI_INLINE uint64_t gpci_thrash_throttle_bits(double epsilon, bool draws) {
    if (!(epsilon > 0 && epsilon < 1))
        return 0;
    if (draws)
        return 64;
    uint64_t bits = 1;
    while (bits < 32 && epsilon * (double)((uint64_t)1 << bits) < 1)
        bits++;
    return bits;
}

#endif
