/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_CONTROL_PCAL_CONTROL_H
#define GPC_POLICIES_CONTROL_PCAL_CONTROL_H

#include "policies/control/vote.h"

/*
 * Dynamic PCAL's predictor of EBTNum (seeds/004 section 4.4). Of the warp-opt cache warps of each scheduler, `cut` lose
 * their token (strategy two). Besides, `extra` warps run without a token (strategy one).
 *
 *   INIT    default: cut 0, extra 0. After init_periods: CLIMB if another warp is feasible, else VOTE. Feasible: NoC
 *           latency and memory-pipeline stalls are below their thresholds, and a warp is throttled.
 *   CLIMB   extra = 1, 2, ... on all SMs, while throughput rises by 10 %. A fall of 3 % takes the last step back.
 *   VOTE    SMs test cuts in parallel; the cut with the highest throughput wins (lib/policies/control/vote.h).
 *   SETTLE  periods to measure the first strategy's result. Then the other strategy (both strategies in turn, section
 *           7.2), then CLIMB_L2. If no strategy is left: STABLE.
 *   CLIMB_L2 tokens for L2, before held by all warps (section 7.2, "selected adaptively"): fewer and fewer, while
 *           throughput rises by 10 %. A fall of 3 % takes the last step back. All SMs share L2, and so cannot vote. If
 *           the token sets exclude each other, the first step takes L2's tokens from warps with a token for L1.
 *   STABLE  until the phase detector sees a new phase in throughput, L1's or L2's miss ratio: INIT, with the default.
 *
 * Throughput is instructions per cycle and SM, over SMs with work for most of the period. Other SMs decide nothing, and
 * a period without active SMs does not count. Hill climbing uses all active SMs together, because network and memory,
 * which more warps saturate, are common to all SMs. The document leaves open exactly 97 % or 110 %: here no significant
 * change.
 *
 * Example, warp-opt 4, one strategy, throughput and what it leads to:
 *   INIT    1.00, NoC 12 cycles, stalls 5 %, 20 warps throttled     extra 1, CLIMB
 *   CLIMB   1.20, more than 110 %                                   extra 2
 *   CLIMB   1.10, less than 97 % of 1.20                            extra 1, STABLE
 */

typedef struct gpci_pcal_options {
    uint32_t sms;           /* at least 1 */
    uint32_t warps;         /* warp-opt; 0 = the largest number of a scheduler's warps in INIT's last period */
    uint32_t init_periods;  /* in INIT and SETTLE, 1 or more */
    uint32_t warmup;        /* ignored periods after a change */
    uint32_t climb_periods; /* periods of each step of CLIMB, 1 or more */
    uint32_t step;          /* tokens between two candidates of a vote, 1 or more */
    bool both;              /* both strategies, in turn */
    bool l2, exclusive;     /* find tokens for L2; exclusive: a warp with a token for L1 gets no token for L2 */
    double noc_latency;     /* most cycles to L2 and back with another warp feasible */
    double stall_ratio;     /* largest share of stalled scheduler cycles with another warp feasible */
    double rise, fall;      /* relative throughput: above `rise` CLIMB goes on, below `fall` CLIMB goes back */
    double miss_floor;      /* lower miss ratios are replaced by this ratio */
    uint32_t phase_periods;
    double phase_threshold;
    uint32_t testers, test_periods, attempts; /* options of the vote, as in gpci_vote_options */
    double activity, margin;
} gpci_pcal_options;

/* Period of an SM. Network and L2 counters are the hierarchy's; only the last SM's sample of these is used. */
typedef struct gpci_pcal_sample {
    uint64_t cycles, active_cycles, instructions;
    uint64_t loads, load_misses;       /* L1's loads and load misses, by line */
    uint64_t scheduler_cycles, stalls; /* cycles of the SM's schedulers; stalls of the memory pipeline */
    uint64_t requests, request_cycles; /* NoC: packets, and the packets' cycles */
    uint64_t replies, reply_cycles;
    uint64_t l2_reads, l2_read_hits;
    uint32_t warps, throttled; /* largest number of one scheduler in the period */
} gpci_pcal_sample;

typedef enum gpci_pcal_state {
    GPCI_PCAL_INIT = 0,
    GPCI_PCAL_CLIMB = 1,
    GPCI_PCAL_VOTE = 2,
    GPCI_PCAL_SETTLE = 3,
    GPCI_PCAL_STABLE = 4,
    GPCI_PCAL_CLIMB_L2 = 5
} gpci_pcal_state;

/* Measures of the active SMs' periods, from the statistics collector. */
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
    uint32_t cut, extra;    /* choice for all SMs, outside a vote */
    uint32_t l2, l2_before; /* tokens for L2 of a scheduler now, and before the last step; GPCI_TOKENS_ALL = all */
    uint32_t warp_opt;
    uint32_t left, warmup;           /* periods until INIT, SETTLE or a step ends; ignored periods left */
    bool climbed, voted, l2_climbed; /* done in this phase */
    double work, time;               /* sums of the current step */
    double before;                   /* throughput of the previous step */
    uint64_t phases, climbs, votes;  /* numbers of begun phases, climbs and votes */
} gpci_pcal;

/* Initialise. The caller owns `last` and `vote_sms`, [options->sms] each. */
void gpci_pcal_init(gpci_pcal *pcal, const gpci_pcal_options *options, gpci_pcal_sample *last, gpci_vote_sm *vote_sms);

#define GPCI_TOKENS_ALL UINT32_MAX /* tokens for L2: every warp has a token */

/* Result of a search. */
typedef struct gpci_pcal_choice {
    uint32_t warp_opt, cut, extra, l2;
} gpci_pcal_choice;

/* True in state STABLE; `out` then receives the choice. */
bool gpci_pcal_settled(const gpci_pcal *pcal, gpci_pcal_choice *out);
/* Begin a kernel: STABLE with an earlier choice, or INIT with the default (`choice` NULL). */
void gpci_pcal_begin(gpci_pcal *pcal, const gpci_pcal_choice *choice);

/* Give an SM's period. The last SM's call closes the period, and may change cut and extra. */
void gpci_pcal_observe(gpci_pcal *pcal, uint32_t sm, const gpci_pcal_sample *sample);
/* Tokens removed from an SM's schedulers; `extra` is the same on all SMs. */
uint32_t gpci_pcal_cut(const gpci_pcal *pcal, uint32_t sm);

/*
 * Hardware, in bits. For each SM: its part of the vote, and 32-bit counters of L1's accesses and misses and of stalls.
 * Central: vote and phase detector; 32-bit counters of packets, packet cycles, L2's reads and hits; the throughput
 * before; state, cut, extra, the finished strategies, and periods left. `warps`: warps of a scheduler.
 */
uint64_t gpci_pcal_sm_bits(const gpci_pcal_options *options, uint32_t warps);
uint64_t gpci_pcal_bits(const gpci_pcal_options *options, uint32_t warps);

/* Visit the state for a snapshot. */
void gpci_pcal_state_of(gpci_pcal *pcal, gpc_state_fn visit, void *user_data);

#endif
