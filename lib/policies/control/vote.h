/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_VOTE_H
#define GPC_POLICIES_CONTROL_VOTE_H

#include "policies/control/phase.h"

/*
 * Parallel voting (seeds/004 sections 4.4.3 and 5.3). If a new program phase begins, each candidate runs on its own
 * SMs, and the remaining SMs keep the default, candidate 0. The candidate with the highest throughput per SM is then
 * applied everywhere, until the next phase.
 *
 *   WATCH   all SMs run the default, for at least a period, to find the active SMs
 *   TEST    a round: candidates run on active SMs of their own, the default on the rest
 *   STABLE  the winner runs everywhere; the phase detector looks out for the next phase
 *
 * Only SMs active in the last period test candidates, and testing starts from a rotating SM. An SM without a thread
 * block says nothing about its candidate. If a candidate's SMs go idle, the candidate is tried again on other SMs.
 * After `attempts` failed tests a candidate loses.
 *
 * With `fixed`, a test of candidate c begins at SM first + (c - 1) x testers, idle or not. Section 5.4.2 tests AgeLRU
 * on SM 0, idle under GESUMMV. Therefore each test fails, and GESUMMV keeps LRU.
 *
 * If SMs are too few for all candidates at once, the candidates are tested in rounds. A round's measure is divided by
 * the default's measure in the same round, because the program may change between rounds. A single active SM tests the
 * candidates one after another, the default first.
 *
 * Throughput is instructions per active cycle. Without a clock all SMs take equal turns, and the hit rate of reads
 * replaces throughput.
 *
 * Example, 4 SMs, SM 0 idle, candidates 0 1 2, one SM each:
 *   WATCH   0 0 0 0   SMs 1, 2 and 3 are active
 *   TEST    0 1 2 0   throughput - 9 5 6: relative to SM 3's, candidate 1 has 1.5, candidate 2 has 0.83
 *   STABLE  1 1 1 1
 */

#define GPCI_VOTE_CANDIDATES 64u

typedef struct gpci_vote_options {
    uint32_t sms, candidates; /* 1 or more, at most GPCI_VOTE_CANDIDATES candidates */
    uint32_t testers;         /* SMs per candidate, if enough are active; 1 or more */
    uint32_t warmup;          /* ignored periods: after a round begins, and after the winner is applied */
    uint32_t periods;         /* periods of the test, 1 or more */
    uint32_t attempts;        /* failed tests until a candidate loses, 1 or more */
    double activity; /* an SM is active if it had a thread block for at least this share of the period; above 0 */
    double margin;   /* relative lead over the default that a winner needs */
    bool by_hits;    /* compare hit rates; always so without a clock */
    bool fixed;      /* a candidate is always tested on the same SMs, even if idle */
    uint32_t first;  /* fixed: first SM of candidate 1, modulo `sms` */
    uint32_t phase_periods;
    double phase_threshold, miss_floor; /* for the phase detector, which gets throughput and miss ratio */
} gpci_vote_options;

typedef enum gpci_vote_state { GPCI_VOTE_WATCH = 0, GPCI_VOTE_TEST = 1, GPCI_VOTE_STABLE = 2 } gpci_vote_state;

typedef struct gpci_vote_sm {
    uint32_t candidate; /* candidate on this SM */
    bool active;        /* the SM was active in the last period */
    double work, time;  /* sums of the test: instructions and active cycles, or hits and reads */
    gpc_sample last;    /* sample of the last period */
} gpci_vote_sm;

typedef struct gpci_vote_candidate {
    double score;      /* throughput or hit rate, divided by the default's in the same round */
    uint32_t attempts; /* tests begun */
    bool tested;       /* `score` is set */
} gpci_vote_candidate;

typedef struct gpci_vote {
    gpci_vote_options options;
    gpci_vote_sm *sms; /* [options.sms] */
    gpci_phase phase;
    uint32_t state; /* gpci_vote_state */
    uint32_t winner;
    uint32_t next_sm; /* first SM of the next distribution of candidates */
    /* warmup: periods that are still to be ignored. left: periods left of the round. */
    uint32_t warmup, left;
    uint32_t active;        /* SMs active in the last period */
    bool voting;            /* a vote has begun and has no winner yet */
    bool alone;             /* only one SM can test: a round tests one candidate, or the default */
    double base;            /* if `alone`: throughput of the default; negative = not yet known */
    uint64_t votes, rounds; /* numbers of votes and rounds */
    gpci_vote_candidate candidates[GPCI_VOTE_CANDIDATES];
} gpci_vote;

/* Initialise. The caller owns `sms`, [options->sms]. */
void gpci_vote_init(gpci_vote *vote, const gpci_vote_options *options, gpci_vote_sm *sms);
/* Report the sample of an SM. The call for the last SM closes the period, and may change the candidates on all SMs. */
void gpci_vote_sample(gpci_vote *vote, uint32_t sm, const gpc_sample *sample);

/* Candidate that an SM runs now. */
GPCI_INLINE uint32_t gpci_vote_of(const gpci_vote *vote, uint32_t sm) {
    return vote->sms[sm].candidate;
}

/*
 * Cost in bits. gpci_vote_sm_bits, for each SM: its candidate, and 32-bit counters of a period's instructions, active
 * cycles, reads and hits. gpci_vote_bits, for the GPU: the phase detector; for each candidate a 32-bit score, its
 * attempts and a tested flag; the state, the winner, the periods left and, unless fixed, the rotating SM.
 */
uint64_t gpci_vote_sm_bits(const gpci_vote_options *options);
uint64_t gpci_vote_bits(const gpci_vote_options *options);

/* Visit the state for a snapshot. */
void gpci_vote_state_of(gpci_vote *vote, gpc_state_fn visit, void *user_data);

#endif
