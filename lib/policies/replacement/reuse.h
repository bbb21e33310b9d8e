/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_REUSE_H
#define GPC_POLICIES_REPLACEMENT_REUSE_H

#include "base/base.h"

/*
 * Reuse distances (RD), the accesses to a set from one use of a line to the next, measured on a sample. From these
 * comes the best protecting distance (Duong et al., MICRO 2012, sections 2 and 3).
 *
 * Each sampled set has a FIFO of tags. Every Mth access to the set puts the line's tag into the FIFO. If t accesses
 * passed since the last put, a tag found n places behind the newest was used n x M + t accesses ago. N[i] counts the
 * distances above (i - 1) x step, up to i x step. A found tag is then removed, because the next distance belongs to
 * another use. N_t counts the tags put in: only these can be found. If a counter is full, all counters stop, which
 * keeps their ratios. The next computation of the distance clears the counters.
 *
 * A line protected for d accesses hits if its next use comes within d; the line occupies its way for the reuse
 * distance. Other lines occupy their way for d + e, where e is about the time until eviction. Hits per access and way
 * are then
 *   E(d) = sum of N[i] / (sum of N[i] x i x step + (N_t - sum of N[i]) x (d + e)), sums over all i with i x step <= d.
 * The best distance has the largest E; of equals the smallest distance.
 *
 * Example, step 4, e = 4, N_t = 10, N = 0 6 0 2 for up to 4, 8, 12 and 16:
 *   E(4) = 0;  E(8) = 6 / (48 + 4 x 12) = 0.0625;  E(12) = 6 / (48 + 4 x 16) = 0.0536
 *   E(16) = 8 / (48 + 32 + 2 x 20) = 0.0667, so the best is 16: waiting for the two far uses pays.
 */
typedef struct gpci_reuse_config {
    uint32_t sets;    /* sampled sets */
    uint32_t depth;   /* tags of a FIFO */
    uint32_t every;   /* M: one access in `every` is put into the FIFO */
    uint32_t step;    /* number of distances that share a counter */
    uint32_t longest; /* longest measured distance, at most depth x every */
    uint32_t tag_bits, counter_bits;
} gpci_reuse_config;

typedef struct gpci_reuse_fifo {
    uint32_t newest; /* place of the newest tag */
    uint32_t since;  /* accesses to the set since the newest tag was put in */
} gpci_reuse_fifo;

typedef struct gpci_reuse {
    gpci_reuse_config config;
    gpc_context *context;
    gpci_reuse_fifo *fifos; /* [sets] */
    uint32_t *tags;         /* [sets][depth], GPCI_NO_TAG = none */
    uint32_t *counts;       /* [counters], N */
    /* counters: number of elements of `counts`. fullest: highest value of a counter. */
    uint32_t counters, fullest;
    uint32_t total; /* N_t */
    bool full;      /* a counter is full: all counters have stopped */
} gpci_reuse;

#define GPCI_NO_TAG UINT32_MAX /* a real tag has at most 31 bits */

gpc_status gpci_reuse_init(gpci_reuse *reuse, gpc_context *context, const gpci_reuse_config *config);
void gpci_reuse_finish(gpci_reuse *reuse);

/* Record an access to line number `line` in the sampled set `index` (index among the sampled sets). */
void gpci_reuse_access(gpci_reuse *reuse, uint32_t index, uint64_t line);

/* Best distance, or `current` if no line was used again. `eviction` is e of the formula. Clears the counts. */
uint32_t gpci_reuse_best(gpci_reuse *reuse, uint32_t eviction, uint32_t current);

/*
 * Cost in bits. A FIFO has its tags, a valid bit per tag and a counter up to M. Besides, the counters N, and 32 of N_t.
 */
uint64_t gpci_reuse_bits(const gpci_reuse_config *config);

/* Visit the state for a snapshot (gpc_replacement_ops.state). */
void gpci_reuse_state(gpci_reuse *reuse, gpc_state_fn visit, void *user_data);

#endif
