/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_REUSE_H
#define GPC_POLICIES_REPLACEMENT_REUSE_H

#include "base/base.h"

/*
 * How far apart in accesses to its set a line is used again: the reuse distances (RD) of a
 * sample, and the protecting distance that suits them (Duong et al., MICRO 2012, sections 2 and 3).
 *
 * Each sampled set has a FIFO of tags, into which every Mth access goes. With t accesses since the
 * last one went in, a tag found n places behind the newest was used n x M + t accesses ago. It is counted
 * in N[i] for distances above (i - 1) x step, up to i x step, and forgotten, as its next distance is
 * another's. N_t counts the tags that went in, for only these can be found. When a counter is full
 * none counts any more, which keeps their ratios, until the distance is computed and they are cleared.
 *
 * Lines protected for d accesses hit if they come back within d, and occupy their way that long; the others
 * occupy it for d + e, where e is about what it takes to evict them. Hits per access and way are then
 *   E(d) = sum of N[i] / (sum of N[i] x i x step + (N_t - sum of N[i]) x (d + e)),   sums up to d,
 * and the distance that is best is the one for which E is largest, the smallest of equals.
 *
 * Example, step 4, e = 4, N_t = 10, N = 0 6 0 2 for up to 4, 8, 12 and 16:
 *   E(4) = 0;  E(8) = 6 / (48 + 4 x 12) = 0.0625;  E(12) = 6 / (48 + 4 x 16) = 0.0536
 *   E(16) = 8 / (48 + 32 + 2 x 20) = 0.0667, so 16: the two that are far are worth the wait.
 */
typedef struct gpci_reuse_config {
    uint32_t sets;    /* sampled */
    uint32_t depth;   /* tags of a FIFO */
    uint32_t every;   /* M */
    uint32_t step;    /* distances that share a counter */
    uint32_t longest; /* distance that is measured, at most depth x every */
    uint32_t tag_bits, counter_bits;
} gpci_reuse_config;

typedef struct gpci_reuse_fifo {
    uint32_t newest; /* place of the tag that went in last */
    uint32_t since;  /* accesses since */
} gpci_reuse_fifo;

typedef struct gpci_reuse {
    gpci_reuse_config config;
    gpc_context *context;
    gpci_reuse_fifo *fifos; /* [sets] */
    uint32_t *tags;         /* [sets][depth], GPCI_NO_TAG = none */
    uint32_t *counts;       /* [counters], N */
    uint32_t counters, fullest;
    uint32_t total; /* N_t */
    bool full;
} gpci_reuse;

#define GPCI_NO_TAG UINT32_MAX /* tags have 31 bits at most */

gpc_status gpci_reuse_init(gpci_reuse *reuse, gpc_context *context, const gpci_reuse_config *config);
void gpci_reuse_finish(gpci_reuse *reuse);

/* Sampled set `index` was used for this line. */
void gpci_reuse_access(gpci_reuse *reuse, uint32_t index, uint64_t line);

/* The best distance, or `current` where nothing was used again; then counts start anew. */
uint32_t gpci_reuse_best(gpci_reuse *reuse, uint32_t eviction, uint32_t current);

/* FIFOs of tags, each with a valid bit, and their counters of M; the counts, and N_t of 32 bits. */
uint64_t gpci_reuse_bits(const gpci_reuse_config *config);

/* What it holds, for a snapshot (gpc_replacement_ops.state). */
void gpci_reuse_state(gpci_reuse *reuse, gpc_state_fn visit, void *user_data);

#endif
