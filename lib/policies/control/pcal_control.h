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
 *   SETTLE  periods to measure the result of the search before. Then, with `both`, the other strategy (section 7.2).
 *           Then, with `l2`, CLIMB_L2. If no search is left: STABLE.
 *   CLIMB_L2 at first all warps have a token for L2 (section 7.2, "selected adaptively"). Steps take tokens away, while
 *           throughput rises by 10 %. A fall of 3 % takes the last step back. SMs share L2, and cannot test numbers of
 *           tokens in a vote. With `exclusive`, the first step takes the token for L2 from warps with one for L1.
 *   STABLE  until the phase detector sees a new phase in throughput, L1's or L2's miss ratio: INIT, with the default.
 *
 * Throughput is instructions per cycle and SM, over SMs with work for most of the period. Other SMs decide nothing, and
 * a period without active SMs does not count. Hill climbing uses all active SMs together, because network and memory,
 * which more warps saturate, are common to all SMs. The document leaves open what a throughput of exactly 97 % or 110 %
 * means: here no significant change.
 *
 * Example, warp-opt 4, one strategy, throughput and what it leads to:
 *   INIT    1.00, NoC 12 cycles, stalls 5 %, 20 warps throttled     extra 1, CLIMB
 *   CLIMB   1.20, more than 110 %                                   extra 2
 *   CLIMB   1.10, less than 97 % of 1.20                            extra 1, STABLE
 */

typedef struct gpci_pcal_options {
    uint32_t sms;           /* at least 1 */
    uint32_t warps;         /* warp-opt; 0 = the largest number of a scheduler's warps in INIT's last period */
    uint32_t init_periods;  /* periods of INIT, and of SETTLE, 1 or more */
    uint32_t warmup;        /* ignored periods after a change */
    uint32_t climb_periods; /* periods of each step of CLIMB, 1 or more */
    uint32_t step;          /* tokens between two candidates of a vote, 1 or more */
    bool both;              /* both strategies, in turn */
    /* l2: search the number of tokens for L2. exclusive: a warp with a token for L1 gets no token for L2. */
    bool l2, exclusive;
    double noc_latency;     /* highest number of cycles to L2 and back at which another warp is feasible */
    double stall_ratio;     /* highest share of stalled scheduler cycles at which another warp is feasible */
    double rise, fall;      /* relative throughput: above `rise` CLIMB goes on, below `fall` CLIMB goes back */
    double miss_floor;      /* lower miss ratios are replaced by this ratio */
    uint32_t phase_periods; /* `periods` of gpci_phase_options */
    double phase_threshold; /* `threshold` of gpci_phase_options */
    uint32_t testers, test_periods, attempts; /* options of the vote, as in gpci_vote_options */
    double activity, margin;
} gpci_pcal_options;

/*
 * Counters of an SM in a sampling period. The counters of network and L2 are for the whole hierarchy: of these counters
 * only the last SM's are used.
 */
typedef struct gpci_pcal_sample {
    uint64_t cycles, active_cycles, instructions;
    uint64_t loads, load_misses; /* L1's loads and load misses, by line */
    /* scheduler_cycles: cycles of all schedulers of the SM. stalls: of these, stalls of the memory pipeline. */
    uint64_t scheduler_cycles, stalls;
    uint64_t requests, request_cycles; /* network to L2: number of packets, sum of the packets' cycles */
    uint64_t replies, reply_cycles;    /* network from L2 */
    uint64_t l2_reads, l2_read_hits;
    uint32_t warps, throttled; /* running and throttled warps: the largest number of a scheduler in the period */
} gpci_pcal_sample;

typedef enum gpci_pcal_state {
    GPCI_PCAL_INIT = 0,
    GPCI_PCAL_CLIMB = 1,
    GPCI_PCAL_VOTE = 2,
    GPCI_PCAL_SETTLE = 3,
    GPCI_PCAL_STABLE = 4,
    GPCI_PCAL_CLIMB_L2 = 5
} gpci_pcal_state;

/* Measures of a period, over the active SMs. */
typedef struct gpci_pcal_measures {
    double ipc, l1_miss, l2_miss, noc_latency, stall_ratio;
    uint32_t active, warps, throttled; /* active: number of active SMs */
} gpci_pcal_measures;

typedef struct gpci_pcal {
    gpci_pcal_options options;
    gpci_pcal_sample *last; /* [options.sms] */
    gpci_vote_sm *vote_sms; /* [options.sms] */
    gpci_vote vote;
    gpci_phase phase;
    gpci_pcal_measures now; /* the last period */
    uint32_t state;         /* gpci_pcal_state */
    uint32_t cut, extra;    /* choice for all SMs; in VOTE each SM has a cut (gpci_pcal_cut) */
    uint32_t l2, l2_before; /* tokens for L2 of a scheduler now, and before the last step; GPCI_TOKENS_ALL = all */
    uint32_t warp_opt;
    /* left: periods until INIT, SETTLE or a step ends. warmup: periods that are still to be ignored. */
    uint32_t left, warmup;
    bool climbed, voted, l2_climbed; /* CLIMB, VOTE or CLIMB_L2 has begun in this program phase */
    double work, time;               /* instructions and active cycles of the current step */
    double before;                   /* throughput of the previous step */
    uint64_t phases, climbs, votes;  /* numbers of begun phases, climbs and votes */
} gpci_pcal;

/* Initialise. The caller owns `last` and `vote_sms`, [options->sms] each. */
void gpci_pcal_init(gpci_pcal *pcal, const gpci_pcal_options *options, gpci_pcal_sample *last, gpci_vote_sm *vote_sms);

#define GPCI_TOKENS_ALL UINT32_MAX /* number of tokens for L2 if every warp has a token */

/* Result of all searches; fields as in gpci_pcal. */
typedef struct gpci_pcal_choice {
    uint32_t warp_opt, cut, extra, l2;
} gpci_pcal_choice;

/* True in state STABLE. `out` receives the present choice. */
bool gpci_pcal_settled(const gpci_pcal *pcal, gpci_pcal_choice *out);
/* Begin a kernel: STABLE with an earlier choice, or INIT with the default (`choice` NULL). */
void gpci_pcal_begin(gpci_pcal *pcal, const gpci_pcal_choice *choice);

/* Report the sample of an SM. The call for the last SM closes the period, and may change cut, extra and l2. */
void gpci_pcal_observe(gpci_pcal *pcal, uint32_t sm, const gpci_pcal_sample *sample);
/* Tokens removed from each scheduler of an SM. */
uint32_t gpci_pcal_cut(const gpci_pcal *pcal, uint32_t sm);

/*
 * Cost in bits. gpci_pcal_sm_bits, for each SM: its part of the vote, and a 32-bit counter of stalls. gpci_pcal_bits,
 * for the GPU: vote and phase detector; 32-bit counters of packets and packet cycles (requests and replies), of L2's
 * reads and hits; the throughput before; state, cut, extra, the finished strategies, tokens for L2, and periods left.
 * `warps`: warps of a scheduler.
 */
uint64_t gpci_pcal_sm_bits(const gpci_pcal_options *options, uint32_t warps);
uint64_t gpci_pcal_bits(const gpci_pcal_options *options, uint32_t warps);

/* Visit the state for a snapshot. */
void gpci_pcal_state_of(gpci_pcal *pcal, gpc_state_fn visit, void *user_data);

#endif
