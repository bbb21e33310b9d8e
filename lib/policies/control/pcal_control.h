/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_PCAL_CONTROL_H
#define GPC_POLICIES_CONTROL_PCAL_CONTROL_H

#include "policies/control/vote.h"

/*
 * Dynamic PCAL's predictor of EBTNum (seeds/004 section 4.4): how many of the warp-opt cache warps of each scheduler
 * lose their token (`cut`, strategy two), and how many warps run without one besides (`extra`, strategy one).
 *
 *   INIT    default: cut 0, extra 0. After a period at least: CLIMB where another warp is feasible, else VOTE.
 *           Feasible: NoC latency and memory-pipeline stalls below their thresholds, and a warp is throttled.
 *   CLIMB   extra = 1, 2, ... on all SMs, as long as throughput rises by 10 %. A fall of 3 % takes the last one back.
 *   VOTE    SMs test cuts in parallel; the one with the highest throughput wins (lib/policies/control/vote.h).
 *   SETTLE  a period to look at what the first strategy has made of it: then the other one (both strategies in turn,
 *           section 7.2), then CLIMB_L2. Without, or once all had their turn: STABLE.
 *   CLIMB_L2 tokens for L2, which until then all warps have (section 7.2, "selected adaptively"): fewer and fewer, as
 *           long as throughput rises by 10 %; a fall of 3 % takes the last step back. L2 is common to all SMs, and so
 *           they cannot vote. Of sets that exclude each other, the first step takes them from those with one for L1.
 *   STABLE  until the phase detector sees a new phase in throughput, L1's or L2's miss ratio: INIT, with the default.
 *
 * Throughput is instructions per cycle and SM, of SMs that had work for most of the period; the others decide
 * nothing, and a period without any is none. Hill climbing looks at all of them together, for what it saturates is
 * common to them. Exactly 97 % or 110 %, which the document leaves open, is no significant change.
 *
 * Example, warp-opt 4, one strategy, throughput and what it leads to:
 *   INIT    1.00, NoC 12 cycles, stalls 5 %, 20 warps throttled     extra 1, CLIMB
 *   CLIMB   1.20, more than 110 %                                   extra 2
 *   CLIMB   1.10, less than 97 % of 1.20                            extra 1, STABLE
 */

typedef struct gpci_pcal_options {
    uint32_t sms;           /* at least 1 */
    uint32_t warps;         /* warp-opt; 0 = the most that a scheduler had in INIT's last period */
    uint32_t init_periods;  /* in INIT and SETTLE, 1 or more */
    uint32_t warmup;        /* periods after a change that do not count */
    uint32_t climb_periods; /* that each step of CLIMB lasts, 1 or more */
    uint32_t step;          /* tokens between one candidate of a vote and the next, 1 or more */
    bool both;              /* strategies, in turn */
    bool l2, exclusive;     /* tokens for L2 are to be found; not for those that hold one for L1 */
    double noc_latency;     /* cycles, there and back, */
    double stall_ratio;     /* and share of scheduler cycles, up to which another warp is feasible */
    double rise, fall;      /* relative throughput: beyond it CLIMB goes on, below it goes back */
    double miss_floor;      /* miss ratios below are taken for it */
    uint32_t phase_periods;
    double phase_threshold;
    uint32_t testers, test_periods, attempts; /* of the vote, as there */
    double activity, margin;
} gpci_pcal_options;

/* A period of an SM. Network and L2 are those of the hierarchy; the last SM's sample is looked at. */
typedef struct gpci_pcal_sample {
    uint64_t cycles, active_cycles, instructions;
    uint64_t loads, load_misses;       /* of L1, by line */
    uint64_t scheduler_cycles, stalls; /* of its schedulers; those of the memory pipeline */
    uint64_t requests, request_cycles; /* NoC: packets, cycles that they took */
    uint64_t replies, reply_cycles;
    uint64_t l2_reads, l2_read_hits;
    uint32_t warps, throttled; /* the most that one of its schedulers had in the period */
} gpci_pcal_sample;

typedef enum gpci_pcal_state {
    GPCI_PCAL_INIT = 0,
    GPCI_PCAL_CLIMB = 1,
    GPCI_PCAL_VOTE = 2,
    GPCI_PCAL_SETTLE = 3,
    GPCI_PCAL_STABLE = 4,
    GPCI_PCAL_CLIMB_L2 = 5
} gpci_pcal_state;

/* What the statistics collector makes of the active SMs' periods. */
typedef struct gpci_pcal_measures {
    double ipc, l1_miss, l2_miss, noc_latency, stall_ratio;
    uint32_t active, warps, throttled;
} gpci_pcal_measures;

typedef struct gpci_pcal {
    gpci_pcal_options options;
    gpci_pcal_sample *last; /* [options.sms] */
    gpci_vote_sm *vote_sms; /* [options.sms] */
    gpci_vote vote;
    gpci_phase phase;
    gpci_pcal_measures now; /* the last period */
    uint32_t state;         /* gpci_pcal_state */
    uint32_t cut, extra;    /* of all SMs, while they do not vote */
    uint32_t l2, l2_before; /* tokens for L2 of a scheduler, or GPCI_TOKENS_ALL, and before the last step */
    uint32_t warp_opt;
    uint32_t left, warmup;           /* periods until INIT, SETTLE or a step is over, or before anything counts */
    bool climbed, voted, l2_climbed; /* in this phase */
    double work, time;               /* of the step, so far */
    double before;                   /* throughput of the step before */
    uint64_t phases, climbs, votes;  /* begun so far */
} gpci_pcal;

/* `last` and `vote_sms`: the caller's, [options->sms] each. */
void gpci_pcal_init(gpci_pcal *pcal, const gpci_pcal_options *options, gpci_pcal_sample *last, gpci_vote_sm *vote_sms);

#define GPCI_TOKENS_ALL UINT32_MAX /* for L2: every warp has one */

/* What a search came to. */
typedef struct gpci_pcal_choice {
    uint32_t warp_opt, cut, extra, l2;
} gpci_pcal_choice;

/* True: STABLE, with this. */
bool gpci_pcal_settled(const gpci_pcal *pcal, gpci_pcal_choice *out);
/* A kernel begins: STABLE with a choice made before, or INIT with the default (NULL). */
void gpci_pcal_begin(gpci_pcal *pcal, const gpci_pcal_choice *choice);

/* An SM's period is over. The last SM's closes it: cut and extra may have changed then. */
void gpci_pcal_observe(gpci_pcal *pcal, uint32_t sm, const gpci_pcal_sample *sample);
/* Tokens that an SM's schedulers go without; `extra` is the same everywhere. */
uint32_t gpci_pcal_cut(const gpci_pcal *pcal, uint32_t sm);

/*
 * Hardware, in bits. Of an SM: its part of the vote and counters of 32 bits of L1's accesses and misses and of stalls.
 * In the middle: vote and phase detector; counters of 32 bits of packets, their cycles, L2's reads and hits; the
 * throughput before; the state, cut, extra, which strategy had its turn, and periods left. `warps`: of a scheduler.
 */
uint64_t gpci_pcal_sm_bits(const gpci_pcal_options *options, uint32_t warps);
uint64_t gpci_pcal_bits(const gpci_pcal_options *options, uint32_t warps);

/* What it has come to, for a snapshot. */
void gpci_pcal_state_of(gpci_pcal *pcal, gpc_state_fn visit, void *user_data);

#endif
