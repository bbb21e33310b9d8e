/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/lost_locality.h"

uint32_t gpci_lost_locality(uint64_t hits, uint64_t issued, uint32_t k, uint64_t cutoff, uint32_t base) {
    uint64_t factor = k * cutoff;
    for (; factor && hits > UINT64_MAX / factor; hits /= 2)
        issued /= 2;
    uint64_t points = hits * factor / (issued ? issued : 1);
    points = points < GPCI_SCORE_MOST ? points : GPCI_SCORE_MOST;
    return points > base ? (uint32_t)points : base;
}

/* Order warps by insertion sort, because most warps are already in order. */
static void order_by_score(gpci_scored *warps, uint32_t count) {
    for (uint32_t n = 1; n < count; n++) {
        gpci_scored warp = warps[n];
        uint32_t to = n;
        for (; to && (warps[to - 1].score < warp.score ||
                      (warps[to - 1].score == warp.score && warps[to - 1].age > warp.age));
             to--)
            warps[to] = warps[to - 1];
        warps[to] = warp;
    }
}

/*
 * A score above the base falls by one per cycle. A sum over `falling` such scores falls by `falling` per cycle, until
 * the lowest score reaches the base: then the order may change.
 */
uint32_t gpci_cutoff(gpci_scored *warps, uint32_t count, uint64_t cutoff, uint32_t base, uint64_t *out_change) {
    order_by_score(warps, count);
    uint64_t sum = 0;
    uint32_t within = 0, raised = 0;
    for (; within < count; within++) {
        if (within && sum + warps[within].score > cutoff)
            break;
        sum += warps[within].score;
    }
    *out_change = UINT64_MAX;
    if (within == count)
        return within;
    while (raised < count && warps[raised].score > base)
        raised++;
    if (!raised)
        return within; /* `cutoff` is below count x base: time changes nothing */
    uint32_t falling = raised < within + 1 ? raised : within + 1;
    uint64_t excess = sum + warps[within].score - cutoff;
    uint64_t fits = (excess + falling - 1) / falling, reaches = warps[raised - 1].score - base;
    *out_change = fits < reaches ? fits : reaches;
    return within;
}
