/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_VOTE_H
#define GPC_POLICIES_CONTROL_VOTE_H

#include "policies/control/phase.h"

/*
 * Parallel voting (seeds/004 sections 4.4.3 and 5.3). When a new program phase begins, each candidate runs on SMs of
 * its own while the others keep the default, candidate 0; the one with the highest throughput per SM is then
 * applied everywhere, until the next phase.
 *
 *   WATCH   all SMs run the default, for a period at least: it shows which are active
 *   TEST    a round: candidates run on active SMs of their own, the default on the rest
 *   STABLE  the winner runs everywhere; the phase detector looks out for the next phase
 *
 * Only SMs that were active in the last period test anything, from one on that rotates: an SM that has no thread
 * block says nothing about its candidate (section 5.4.2: with AgeLRU always on SM 0, which was idle, GESUMMV stayed
 * with LRU). A candidate whose SMs went idle is tried again on others, and a few times in vain loses.
 *
 * Where there are not SMs enough for all candidates at once, they are tested in rounds. What a round measures is
 * divided by what the default did in the same round, so that the program may change between rounds. A single
 * active SM tests them one after another, the default first.
 *
 * Throughput is instructions per active cycle. Without a clock all SMs take their turns alike, and the hit rate of
 * their reads stands for it.
 *
 * Example, 4 SMs, SM 0 idle, candidates 0 1 2, one SM each:
 *   WATCH   0 0 0 0   SMs 1, 2 and 3 are active
 *   TEST    0 1 2 0   throughput - 9 5 6: relative to SM 3's, candidate 1 has 1.5, candidate 2 has 0.83
 *   STABLE  1 1 1 1
 */

#define GPCI_VOTE_CANDIDATES 64u

typedef struct gpci_vote_options {
    uint32_t sms, candidates; /* 1 or more of each, at most GPCI_VOTE_CANDIDATES */
    uint32_t testers;         /* SMs per candidate, where there are enough; 1 or more */
    uint32_t warmup;   /* periods that a candidate runs before its test counts, and the winner before phases do */
    uint32_t periods;  /* that the test itself lasts, 1 or more */
    uint32_t attempts; /* tests in vain after which a candidate loses, 1 or more */
    double activity;   /* share of a period with a thread block from which on an SM is active, above 0 */
    double margin;     /* by which a candidate must beat the default, relative */
    bool by_hits;      /* compare hit rates, as is done anyway where there is no clock */
    uint32_t phase_periods;
    double phase_threshold, miss_floor; /* of the phase detector; it is shown throughput and miss ratio */
} gpci_vote_options;

typedef enum gpci_vote_state { GPCI_VOTE_WATCH = 0, GPCI_VOTE_TEST = 1, GPCI_VOTE_STABLE = 2 } gpci_vote_state;

typedef struct gpci_vote_sm {
    uint32_t candidate; /* that it runs */
    bool active;        /* in the last period */
    double work, time;  /* of its test: instructions and active cycles, or hits and reads */
    gpc_sample last;
} gpci_vote_sm;

typedef struct gpci_vote_candidate {
    double score;      /* relative to the default's */
    uint32_t attempts; /* tests begun */
    bool tested;
} gpci_vote_candidate;

typedef struct gpci_vote {
    gpci_vote_options options;
    gpci_vote_sm *sms; /* [options.sms] */
    gpci_phase phase;
    uint32_t state; /* gpci_vote_state */
    uint32_t winner;
    uint32_t next_sm;       /* from which on active SMs are given candidates */
    uint32_t warmup, left;  /* periods of the round, or before phases count */
    uint32_t active;        /* SMs that were, in the last period */
    bool voting;            /* a vote has begun and has no winner yet */
    bool alone;             /* the round has one SM for one candidate, the default too */
    double base;            /* alone: what the default did; negative while that is not known */
    uint64_t votes, rounds; /* held so far */
    gpci_vote_candidate candidates[GPCI_VOTE_CANDIDATES];
} gpci_vote;

/* `sms`: the caller's, [options->sms]. */
void gpci_vote_init(gpci_vote *vote, const gpci_vote_options *options, gpci_vote_sm *sms);
/* An SM's period is over. The last SM's closes it: what SMs run may have changed then. */
void gpci_vote_sample(gpci_vote *vote, uint32_t sm, const gpc_sample *sample);

GPCI_INLINE uint32_t gpci_vote_of(const gpci_vote *vote, uint32_t sm) {
    return vote->sms[sm].candidate;
}

/*
 * Hardware, in bits. Of an SM: what it runs and counters of a period, 32 bits each, of instructions, active cycles,
 * reads and hits. In the middle: the phase detector, and by candidate a score of 32 bits, its attempts and whether
 * it was tested; the state, the winner, the rotating SM and the periods left.
 */
uint64_t gpci_vote_sm_bits(const gpci_vote_options *options);
uint64_t gpci_vote_bits(const gpci_vote_options *options);

/* What it has come to, for a snapshot. */
void gpci_vote_state_of(gpci_vote *vote, gpc_state_fn visit, void *user_data);

#endif
