/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_BALLOT_H
#define GPC_POLICIES_CONTROL_BALLOT_H

#include "policies/control/vote.h"
#include "registry/registry.h"

/*
 * What a voting replacement policy and a voting predictor have in common: policies to choose from, each with state
 * of its own in every cache, and the vote, which the caches of a level share.
 */

#define GPCI_BALLOT_CANDIDATES 16u

typedef struct gpci_ballot_common {
    gpci_vote vote;
    gpci_commons *commons; /* what the candidates share */
    uint32_t users;        /* caches that are there */
    bool ready;
} gpci_ballot_common;

typedef struct gpci_ballot {
    gpci_policy *candidates[GPCI_BALLOT_CANDIDATES];
    uint32_t count;
    uint32_t index; /* of the cache */
    gpci_ballot_common *common;
} gpci_ballot;

/* The vote's numbers, which every voting policy declares first. */
enum {
    GPCI_BALLOT_TESTERS,
    GPCI_BALLOT_WARMUP,
    GPCI_BALLOT_PERIODS,
    GPCI_BALLOT_ATTEMPTS,
    GPCI_BALLOT_ACTIVITY,
    GPCI_BALLOT_MARGIN,
    GPCI_BALLOT_PHASE_PERIODS,
    GPCI_BALLOT_PHASE_THRESHOLD,
    GPCI_BALLOT_MISS_FLOOR,
    GPCI_BALLOT_PARAMETERS
};

/*
 * Section 5.3 tests on one SM and compares at the next sample: testers=1, periods=1. But SMs are bursty: of those that
 * run GESUMMV under one policy, some issue 23 instructions in 5,000 cycles and some 88, as their warps wait together
 * or do not, and so a candidate has up to four SMs here, for two periods.
 * Where seeds/004 names no number: a change of 20 % is twice what section 4.4.3 calls a significant one of the
 * throughput, 10 %, in hill climbing; "several periods" are 3. An SM that had a block for half of a period has shown
 * what it can do. Miss ratios below 5 % differ by nothing that matters.
 */
#define GPCI_BALLOT_DECLARE                                                                                         \
    {"testers", 4, 1, 4096, true, "SMs on which a candidate is tested, where enough are active"},                   \
        {"warmup", 0, 0, 1000, true, "sampling periods that a candidate runs before it is tested"},                 \
        {"periods", 2, 1, 1000, true, "sampling periods that a test lasts"},                                        \
        {"attempts", 3, 1, 1000, true, "tests of which all SMs became idle, after which a candidate loses"},        \
        {"activity", 0.5, 0.001, 1, false, "share of a period with a thread block from which on an SM has a vote"}, \
        {"margin", 0, 0, 100, false, "by which a candidate must beat the first, relative"},                         \
        {"phase-periods", 3, 1, 1000, true, "sampling periods for which a change must last to be a new phase"},     \
        {"phase-threshold", 0.2, 0, 1000, false, "relative change of throughput or miss ratio that may be one"}, {  \
        "miss-floor", 0.05, 0, 1, false, "miss ratios below this are taken for it"                                  \
    }

/* What is voted by: 0 throughput, 1 hits. The text that a voting policy declares first. */
#define GPCI_BALLOT_DECLARE_MEASURE                                                 \
    {                                                                               \
        "measure", "throughput", "throughput|hits",                                 \
            "what decides: instructions per active cycle, or the hit rate of reads" \
    }

/*
 * Make the candidates of `list`, separated by commas.
 *   unfit    why a table cannot be one, NULL if it can
 *   message  receives why a status other than GPC_OK is returned; nothing is left then
 */
gpc_status gpci_ballot_init(gpci_ballot *ballot, gpc_policy_kind kind, const gpc_policy_env *env, const char *list,
                            const char *(*unfit)(const void *ops), char *message);
void gpci_ballot_finish(gpci_ballot *ballot);
/* Of all candidates, of the cache's part in the vote, and in cache 0 of the vote itself. */
uint64_t gpci_ballot_cost(gpc_policy_kind kind, const gpc_policy_env *env, const char *list);
/* What a vote over this list reads: what its candidates do, and samples. */
uint64_t gpci_ballot_reads(gpc_policy_kind kind, const gpc_policy_env *env, const char *list);
/* The cache's sample, which may close the period: then other candidates may decide. */
void gpci_ballot_sample(gpci_ballot *ballot, const gpc_sample *sample);

/* The candidate that decides in this cache. */
GPCI_INLINE const gpci_policy *gpci_ballot_present(const gpci_ballot *ballot) {
    return ballot->candidates[gpci_vote_of(&ballot->common->vote, ballot->index)];
}

/* What a voting policy publishes (gpc_replacement_ops.counter). */
bool gpci_ballot_counter(const gpci_ballot *ballot, size_t index, gpc_policy_counter *counter);

/* What it has come to, and its candidates, for a snapshot. */
void gpci_ballot_state(gpci_ballot *ballot, gpc_state_fn visit, void *user_data);

#endif
