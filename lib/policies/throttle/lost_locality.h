/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_LOST_LOCALITY_H
#define GPC_POLICIES_THROTTLE_LOST_LOCALITY_H

#include "base/base.h"

/* The scores of CCWS, which say how much locality each warp has lost, and the cutoff that follows from them. */

#define GPCI_SCORE_BITS 16u
#define GPCI_SCORE_MOST ((1u << GPCI_SCORE_BITS) - 1)

/* A score as it was at a cycle. From then on it falls by one per cycle, down to the base. */
typedef struct gpci_score {
    uint64_t at;
    uint32_t points;
} gpci_score;

GPCI_INLINE uint32_t gpci_score_now(const gpci_score *score, uint32_t base, uint64_t now) {
    uint64_t elapsed = now > score->at ? now - score->at : 0;
    return score->points > base && elapsed < score->points - base ? score->points - (uint32_t)elapsed : base;
}

/*
 * The score of a warp that has just lost locality:
 *   LLDS = hits in all victim tags / instructions issued x K x cutoff
 * not below the base, nor above what the counter holds.
 */
uint32_t gpci_lost_locality(uint64_t hits, uint64_t issued, uint32_t k, uint64_t cutoff, uint32_t base);

/* A warp among those that the cutoff is for. */
typedef struct gpci_scored {
    uint64_t age; /* smaller = older */
    uint32_t score;
    uint32_t scheduler, slot;
} gpci_scored;

/*
 * Order warps from the highest score to the lowest, the older first among equals, and return how many of them are
 * within the cutoff: those up to which the scores sum to no more than it, and at least one.
 *   out_change  receives in how many cycles more of them, or others, may be within it; UINT64_MAX where all are
 */
uint32_t gpci_cutoff(gpci_scored *warps, uint32_t count, uint64_t cutoff, uint32_t base, uint64_t *out_change);

#endif
