/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_BALLOT_H
#define GPC_POLICIES_CONTROL_BALLOT_H

#include "policies/control/vote.h"
#include "registry/registry.h"

/*
 * Common parts of a voting replacement policy and a voting predictor: candidate policies, each with its own state in
 * every cache, and the vote, shared by the caches of a level.
 */

#define GPCI_BALLOT_CANDIDATES 16u

typedef struct gpci_ballot_common {
    gpci_vote vote;
    gpci_commons *commons; /* state that a candidate shares among the caches */
    uint32_t users;        /* number of caches that use this struct */
    bool ready;            /* `vote` is set up */
} gpci_ballot_common;

typedef struct gpci_ballot {
    gpci_policy *candidates[GPCI_BALLOT_CANDIDATES];
    uint32_t count;
    uint32_t index; /* index of the cache */
    gpci_ballot_common *common;
} gpci_ballot;

/* Indices of the vote's parameters (GPCI_BALLOT_DECLARE). Every voting policy declares these parameters first. */
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
    GPCI_BALLOT_SM,
    GPCI_BALLOT_PARAMETERS
};

/*
 * Section 5.3 of seeds/004 tests a candidate on one SM and compares at the next sample: testers=1, periods=1. But SMs
 * are bursty: under the same policy for GESUMMV, some SMs issue 23 instructions in 5,000 cycles and some 88, depending
 * on whether their warps wait together. Here a candidate therefore gets up to four SMs, for two periods.
 *
 * Section 5.4.2 always tests AgeLRU on SM 0. GPGPU-Sim 3 begins with SM 1 (gpu-sim.cc, m_last_cluster_issue), so that
 * SM 0 is the last SM to get a thread block. Here the last of 15 SMs is SM 14: sm=14.
 *
 * seeds/004 names no number for the following. Phase threshold 20 %: twice the significant change of throughput in hill
 * climbing, 10 % (section 4.4.3). "Several periods" are 3. An SM needs a block for half of a period to count. Miss
 * ratios below 5 % are all treated as 5 %.
 */
#define GPCI_BALLOT_DECLARE                                                                                         \
    {"testers", 4, 1, 4096, true, "SMs on which a candidate is tested, where enough are active"},                   \
        {"warmup", 0, 0, 1000, true, "sampling periods that a candidate runs before it is tested"},                 \
        {"periods", 2, 1, 1000, true, "sampling periods that a test lasts"},                                        \
        {"attempts", 3, 1, 1000, true, "tests of which all SMs became idle, after which a candidate loses"},        \
        {"activity", 0.5, 0.001, 1, false, "share of a period with a thread block from which on an SM has a vote"}, \
        {"margin", 0, 0, 100, false, "by which a candidate must beat the first, relative"},                         \
        {"phase-periods", 3, 1, 1000, true, "sampling periods for which a change must last to be a new phase"},     \
        {"phase-threshold", 0.2, 0, 1000, false, "relative change of throughput or miss ratio that may be one"},    \
        {"miss-floor", 0.05, 0, 1, false, "miss ratios below this are taken for it"}, {                             \
        "sm", -1, -1, 4095, true, "SM, idle or not, where tests always begin; -1: active SMs in turn"               \
    }

/* Text parameter declared first by a voting policy: the measure, 0 throughput, 1 hits. */
#define GPCI_BALLOT_DECLARE_MEASURE                                                 \
    {                                                                               \
        "measure", "throughput", "throughput|hits",                                 \
            "what decides: instructions per active cycle, or the hit rate of reads" \
    }

/*
 * Create the candidates of `list`, separated by commas.
 *   unfit    returns why a table cannot be a candidate, or NULL
 *   message  receives the reason for a status other than GPC_OK; no memory stays allocated then
 */
gpc_status gpci_ballot_init(gpci_ballot *ballot, gpc_policy_kind kind, const gpc_policy_env *env, const char *list,
                            const char *(*unfit)(const void *ops), char *message);
void gpci_ballot_finish(gpci_ballot *ballot);
/* Cost in bits: all candidates, and the cache's part of the vote. In cache 0 also the central part of the vote. */
uint64_t gpci_ballot_cost(gpc_policy_kind kind, const gpc_policy_env *env, const char *list);
/* Inputs of a vote over the candidates of `list` (GPC_READS_ bits): the inputs of all candidates, and samples. */
uint64_t gpci_ballot_reads(gpc_policy_kind kind, const gpc_policy_env *env, const char *list);
/* Give the cache's sample to the vote. The last cache's sample closes the period, and may change running candidates. */
void gpci_ballot_sample(gpci_ballot *ballot, const gpc_sample *sample);

/* Candidate that now runs in the ballot's cache. */
GPCI_INLINE const gpci_policy *gpci_ballot_present(const gpci_ballot *ballot) {
    return ballot->candidates[gpci_vote_of(&ballot->common->vote, ballot->index)];
}

/* Publish the vote's counters (gpc_replacement_ops.counter). */
bool gpci_ballot_counter(const gpci_ballot *ballot, size_t index, gpc_policy_counter *counter);

/* Visit the state of vote and candidates for a snapshot. */
void gpci_ballot_state(gpci_ballot *ballot, gpc_state_fn visit, void *user_data);

#endif
