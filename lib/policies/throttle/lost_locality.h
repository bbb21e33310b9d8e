/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_LOST_LOCALITY_H
#define GPC_POLICIES_THROTTLE_LOST_LOCALITY_H

#include "base/base.h"

/* Scores of CCWS (a warp's lost locality), and the cutoff computed from the scores. */

#define GPCI_SCORE_BITS 16u
#define GPCI_SCORE_MOST ((1u << GPCI_SCORE_BITS) - 1)

/* Score: `points` in cycle `at`. After `at` the score falls by one per cycle, down to the base. */
typedef struct gpci_score {
    uint64_t at;
    uint32_t points;
} gpci_score;

GPCI_INLINE uint32_t gpci_score_now(const gpci_score *score, uint32_t base, uint64_t now) {
    uint64_t elapsed = now > score->at ? now - score->at : 0;
    return score->points > base && elapsed < score->points - base ? score->points - (uint32_t)elapsed : base;
}

/*
 * Score of a warp that has just lost locality:
 *   LLDS = hits in all victim tags / instructions issued x K x cutoff
 * At least the base, at most the counter's maximum.
 */
uint32_t gpci_lost_locality(uint64_t hits, uint64_t issued, uint32_t k, uint64_t cutoff, uint32_t base);

/* Warp and its score, for gpci_cutoff. */
typedef struct gpci_scored {
    uint64_t age; /* smaller = older */
    uint32_t score;
    uint32_t scheduler, slot;
} gpci_scored;

/*
 * Order warps from the highest score to the lowest, the older first among equals. Return the number of warps within the
 * cutoff: the first warps whose scores sum to at most the cutoff, and at least one.
 *   out_change  receives the cycles until the warps within the cutoff may change; UINT64_MAX if all are within
 */
uint32_t gpci_cutoff(gpci_scored *warps, uint32_t count, uint64_t cutoff, uint32_t base, uint64_t *out_change);

#endif
