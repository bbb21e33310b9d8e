/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_TIMED_REPLAY_H
#define GPC_REPLAY_TIMED_REPLAY_H

#include "replay/core/replay.h"
#include "replay/core/scoreboard.h"
#include "scheduler/scheduler.h"
#include "stats/stats.h"
#include "timed/component/clock.h"
#include "timed/core/sm_front_end.h"

/*
 * Timed replay. An SM is stepped when a warp may issue, when a block starts, or when memory replies. Between two steps
 * nothing in the SM changes, and the skipped cycles are counted in one addition.
 *
 * A warp has one of the following states. READY: the registers are ready, even if the unit is busy. STALLED: the warp
 * waits for a known cycle, in the SM's calendar. WAITING: the warp waits for memory. BARRIER: the warp waits at a
 * barrier. Only an event of the same kind ends a wait.
 */

/* Unit of an SM that an instruction occupies. */
typedef enum gpci_unit {
    GPCI_UNIT_INT,
    GPCI_UNIT_FP,
    GPCI_UNIT_DOUBLE,
    GPCI_UNIT_SFU,
    GPCI_UNIT_TENSOR,
    GPCI_UNIT_UNIFORM,
    GPCI_UNIT_CONTROL,
    GPCI_UNIT_SHARED,
    GPCI_UNIT_CLUSTER, /* path to the shared memory of other SMs */
    GPCI_UNIT_NONE,
    GPCI_UNIT_MEMORY, /* memory pipeline: accepts or rejects an instruction */
    GPCI_UNIT_COUNT
} gpci_unit;

#define GPCI_TIMED_UNITS 10u /* units before GPCI_UNIT_MEMORY: busy for a known time; NONE is never busy */

/* Class of a scheduler's cycle. Every cycle has exactly one class. */
typedef enum gpci_cycle_class {
    GPCI_CYCLE_EMPTY,
    GPCI_CYCLE_MEMORY,
    GPCI_CYCLE_UNIT,
    GPCI_CYCLE_LOAD,
    GPCI_CYCLE_LATENCY,
    GPCI_CYCLE_BARRIER,
    GPCI_CYCLE_THROTTLED,
    GPCI_CYCLE_ISSUED,
    GPCI_CYCLE_COUNT
} gpci_cycle_class;

/* A warp in a slot of an SM. The scheduler has the warp's state. */
typedef struct gpci_timed_warp {
    const gpci_path_step *next, *end; /* steps of the warp's path */
    gpci_block_run *run;
    /* First core cycle in which control flow, barriers and fetch let the warp issue; while STALLED, also registers. */
    uint64_t not_before;
    uint64_t settled; /* core cycle at which all results are ready, except results of loads in flight */
    uint32_t loads;   /* number of loads and atomics in flight; the warp does not end before they complete */
    uint32_t others;  /* number of stores, reductions, prefetches and copies in flight */
    uint32_t starts;  /* number of warps that the slot has had: tokens of stores name the warp by this number */
    uint16_t age;     /* number of older running warps of the SM */
    uint16_t place;   /* slot within the scheduler */
    uint8_t issuer;   /* number of the scheduler */
    uint8_t unit;     /* gpci_unit of `next`, while the warp is READY */
    uint8_t listed;   /* 1 + unit of the bit map in gpci_issuer.wanting that has the warp; 0: none */
    bool later;       /* the warp is READY from the next cycle on */
    uint8_t held;     /* GPCI_HELD_ bits (icache.h): a fence or instruction fetch stops the warp; 0: nothing */
    uint8_t planes;   /* mask of the scoreboard planes that the warp uses */
    uint8_t buffered; /* number of fetched instructions; only with sm.fetch */
} gpci_timed_warp;

_Static_assert(sizeof(gpci_timed_warp) <= 64, "a warp fits into a cache line");

/* A scheduler of an SM, with its units. */
typedef struct gpci_issuer {
    gpc_scheduler *scheduler;
    uint64_t *wanting; /* [GPCI_TIMED_UNITS][words] bit maps of warps, by the unit of the warp */
    uint64_t next;     /* first core cycle in which a warp may issue; earlier if gpci_timed_sm.stirred is set */
    uint64_t since;    /* cycles before `since` are counted */
    uint64_t free_at[GPCI_TIMED_UNITS]; /* core cycle from which a unit of the kind is free */
    uint64_t busy_until;                /* largest value of `free_at` */
    gpci_l1_waits waits;                /* waits of L1 before `since`, if `class` is GPCI_CYCLE_MEMORY */
    uint16_t wanted;                    /* mask of the units with a warp in `wanting` */
    uint8_t class;                      /* gpci_cycle_class of the cycles from `since` on */
    bool declined;                      /* the policy chose no warp, although a warp could issue */
} gpci_issuer;

/* Set the core cycle at which a unit of the scheduler becomes free. */
GPCI_INLINE void gpci_unit_is_free_at(gpci_issuer *issuer, uint32_t unit, uint64_t cycle) {
    issuer->free_at[unit] = cycle;
    issuer->busy_until = cycle > issuer->busy_until ? cycle : issuer->busy_until;
}

/* Counters of an SM, over all kernels. */
typedef struct gpci_timed_counts {
    uint64_t classes[GPCI_CYCLE_COUNT];                 /* cycles of the schedulers */
    uint64_t line, mshr;                                /* cycles of GPCI_CYCLE_MEMORY: waits for a line, for an MSHR */
    uint64_t active, warps;                             /* cycles with a block; sum of warps over all cycles */
    uint64_t instructions;                              /* issued instructions */
    uint64_t own, threads;                              /* instructions not counted by the hierarchy; their threads */
    uint64_t bypassing, throttled;                      /* sums over all cycles of warps of these classes */
    uint64_t by_bypassing;                              /* instructions issued by bypassing warps */
    uint64_t copy_groups, copy_waits, copy_wait_cycles; /* counts of asynchronous copies (copies.h) */
    uint64_t cluster_accesses, cluster_bytes;           /* accesses to the shared memory of other blocks; their bytes */
    uint64_t l1i_accesses, l1i_hits, l1i_merges, l1i_waits; /* counts of instruction caches (icache.h) */
    uint64_t l1i_prefetches, l1i_prefetch_hits, l1i_late_prefetches, l1i_unused_prefetches;
    uint64_t cluster_barriers; /* arrivals of blocks at cluster barriers */
    uint64_t mbarrier_phases, mbarrier_arrivals, mbarrier_checks, mbarrier_untold;
} gpci_timed_counts;

/*
 * Work of SMs since the last call of gpci_timed_take_over, which comes once a cycle. Every thread of the CPU that steps
 * SMs has its own gpci_sm_deeds. gpci_timed_take_over adds all of them to the replay's totals.
 */
typedef struct gpci_sm_deeds {
    uint64_t instructions, threads; /* instructions that the hierarchy does not count, and their threads */
    uint64_t told;                  /* instructions that the hierarchy counts */
    uint64_t first_pc, last_pc;     /* lowest and highest PC */
    uint64_t progress;              /* last cycle with an issue, a completion or the start of a block */
    uint64_t in_flight;             /* number of accepted accesses minus number of completed accesses */
    uint64_t left;         /* number of instructions that may still issue (limit.instructions); no limit: very large */
    gpci_block_run *ended; /* list of ended blocks, last ended first */
    uint64_t ahead;        /* part of in_flight: prefetches of instructions (stream_buffer.h) */
    uint64_t padding[6];   /* keeps the next thread's struct on other lines of the CPU's cache */
} gpci_sm_deeds;

/* Number of cycles in an SM's calendar. A warp stalled for longer is entered again when its place comes. */
#define GPCI_CALENDAR 64u

typedef struct gpci_timed_sm {
    gpci_sm_deeds *deeds;
    gpci_issuer *issuers;            /* [schedulers] */
    gpci_timed_warp *warps;          /* [slots] */
    uint32_t *boards;                /* [gpci_scoreboards_entries(slots)] */
    uint64_t *epochs;                /* [slots] core cycle from which a scoreboard counts */
    struct gpci_copy_groups *copies; /* [slots] asynchronous copies (copies.h) */
    struct gpci_mbarrier *barriers;  /* [GPCI_MBARRIERS] barriers of the SM's blocks (mbarriers.h) */
    uint64_t *calendar;              /* [GPCI_CALENDAR][words] bit maps of stalled warps, by cycle % GPCI_CALENDAR */
    uint64_t *answered;              /* [words] bit map of waiting warps that must check again if they can issue */
    uint64_t *units;                 /* [unit_count] core cycle from which a pooled unit is free (gpci_unit_pool) */
    struct gpci_icache *icache;      /* [fetchers] with l1i.size (icache.h); otherwise NULL */
    struct gpci_fetcher *fetchers;   /* [fetchers] with sm.fetch (fetch.h); otherwise NULL */
    uint64_t calendar_used;          /* mask of the calendar's places with warps */
    uint64_t next_start;             /* earliest core cycle in which the next block may start */
    gpci_block_run *first_start, *last_start; /* list of blocks placed on the SM that have not started */
    gpci_block_run *ended;                    /* list of ended blocks, before gpci_sm_hand_over */
    uint64_t ended_at;                        /* core cycle in which the last block ended */
    gpci_gauge warps_gauge, blocks_gauge;
    gpci_gauge bypassing_gauge, throttled_gauge;
    uint64_t admissions;         /* number of changes of the schedulers' eligible warps (gpc_scheduler.admissions) */
    uint64_t admissions_counted; /* value of `admissions` when the warps' classes were last counted */
    gpci_timed_counts counts;
#ifdef GPCI_CHECK
    gpc_stats again; /* second counts (base/check.h) */
#endif
    uint64_t voted_active, voted_instructions; /* counts at the last sample for voting policies */
    uint32_t live, running_blocks;
    uint32_t stirred;       /* mask of the schedulers that take part in the next step, because an input changed */
    uint64_t later;         /* earliest gpci_issuer.next of the other schedulers */
    uint32_t turn;          /* scheduler that comes first in a step (sm.memory_order) */
    uint32_t barriers_used; /* number of elements of `barriers` in use */
    bool any_answered;      /* `answered` has a warp, or the instruction caches need a step */
    bool refused;           /* the memory pipeline has rejected an instruction, and has no room since */
} gpci_timed_sm;

/* State to compute samples for schedulers: counters now minus counters at the last sample (replay_sample.c). */
typedef struct gpci_sampler {
    uint32_t *places;     /* [by_sm + rest] index of a counter in gpc_stats, in 64-bit words */
    uint32_t by_sm, rest; /* number of counters kept per SM, which come first, and of the other counters */
    uint64_t *seen;       /* [sm_count][by_sm], then [rest]: values at the last sample */
} gpci_sampler;

/* Timing of an instruction, chosen by gpci_operands.use (trace/blocks/operands.h). In core cycles. */
typedef struct gpci_op {
    uint16_t latency;  /* from the issue to the results */
    uint16_t interval; /* for which the unit is busy */
    uint16_t holds;    /* for which the warp does not issue */
    uint8_t unit;
    bool writes; /* the results are ready after `latency`; false: a memory access */
    bool pooled; /* the scheduler has several units of the kind, or shares units with other schedulers */
} gpci_op;

/*
 * Units of a kind. Scheduler n uses any unit of group n modulo `groups`. If every group is a single unit of a single
 * scheduler, gpci_issuer.free_at is used in place of gpci_timed_sm.units.
 *
 * Example, two schedulers: one SFU is one group of one unit. Four FP units are two groups of two; if schedulers share
 * units (sm.unit_sharing), one group of four.
 */
typedef struct gpci_unit_pool {
    uint32_t groups, each; /* number of groups; number of units per group */
    uint32_t first;        /* index of the first unit in gpci_timed_sm.units */
} gpci_unit_pool;

/* Messages in flight between blocks of clusters, oldest first (mbarriers.h). */
typedef struct gpci_cluster_messages {
    struct gpci_cluster_message *each; /* messages `first` to count - 1 are in flight */
    size_t first, count, capacity;
} gpci_cluster_messages;

struct gpci_timed_replay {
    gpc_replay *replay;
    gpci_timed_sm *sms; /* [sm_count] */
    /* arrays for all SMs; gpci_timed_sm has pointers into the arrays */
    gpci_issuer *issuers;
    gpci_timed_warp *warps;
    uint32_t *boards;
    char *board_memory; /* allocated memory of `boards` */
    uint64_t *epochs, *bitmaps, *units;
    struct gpci_copy_groups *copies;
    struct gpci_mbarrier *barriers;
    struct gpci_icache *icaches;       /* [sm_count][fetchers], or NULL */
    struct gpci_fetcher *fetch_turns;  /* [sm_count][fetchers], or NULL */
    struct gpci_code *code;            /* [streams] code of each stream's current kernel; only with icaches */
    uint32_t schedulers, slots, words; /* per SM; words: size of a bitmap of slots */
    uint32_t scheduler_words;
    bool turns;              /* sm.memory_order = turns */
    uint32_t all_schedulers; /* mask of all schedulers of an SM, for gpci_timed_sm.stirred */
    uint32_t issue_width, latency_control, latency_operand;
    uint32_t fetch, fetch_latency; /* size of a warp's instruction buffer, 0: no fetch model; latency in cycles */
    uint32_t fetchers;             /* number of fetchers per SM: 1, or the number of schedulers */
    bool wants_events;             /* a scheduler wants L1 events */
    bool wants_samples;            /* a scheduler wants samples */
    bool throttled;                /* schedulers have throttles */
    bool classed;                  /* warps may have other classes than GPC_CLASS_CACHE */
    bool policy_classes;           /* the scheduling policy chooses the classes (class_of) */
    bool at_once;                  /* kernels of several streams run at once (together.h) */
    bool keeps_blocks;             /* blocks.release = writes: a block stays on its SM until its writes complete */
    bool watches;                  /* a policy may change its choice without an event: every step asks all schedulers */
    gpci_op ops[GPCI_USES];
    gpci_unit_pool pools[GPCI_UNIT_NONE];
    uint32_t unit_count; /* number of pooled units per SM */
    uint64_t block_interval, block_latency, dispatch_interval, launch_cycles, limit_cycles, limit_instructions,
        deadlock_cycles;
    gpci_sampler sampler; /* in use if wants_samples */
    uint64_t cycles;      /* number of cycles of all kernels so far */
    /* the current kernel */
    uint64_t launched;        /* core cycle of the launch; the kernel's first cycle is the cycle after */
    uint64_t first_start;     /* core cycle before which no block starts */
    uint64_t next_dispatch;   /* with blocks.dispatch_interval: core cycle before which the next block does not start */
    uint64_t progress;        /* last cycle with an issue, a completion or the start of a block */
    uint64_t counted;         /* number of the kernel's cycles in `cycles` */
    uint64_t in_flight;       /* number of accepted accesses that have not completed */
    uint64_t ahead;           /* part of in_flight: prefetches of instructions for which no warp waits */
    uint64_t left;            /* number of instructions left before limit.instructions; GPCI_NEVER: no limit */
    uint64_t next_sample;     /* core cycle of the next call of on_sample; GPCI_NEVER: no samples */
    uint64_t sample_interval; /* cycles between calls of on_sample; 0: no samples */
    uint64_t next_vote;       /* end of the current sampling period for policies; GPCI_NEVER: no samples */
    uint64_t voted;           /* end of the last sampling period for policies */
    gpc_stats sampled;        /* statistics at the last call of on_sample */
    gpc_status status;        /* status of a failure within a step */
    gpc_error error;
    gpci_cluster_messages messages;
    uint64_t latency_cluster; /* latency of a message in cycles */
    gpci_sm_deeds *deeds;     /* [shards] work of the SMs of a shard */
    uint32_t shards;          /* number of shards (timed/core/shards.h) */
    bool alone;               /* one thread steps all SMs: all SMs use deeds[0] (clusters; near limit.instructions) */
    bool stopped;             /* no further instruction issues */
};

/* classes.c: read `ops` and `pools` from the configuration; GPC_ERROR_RANGE: contradictory keys. */
gpc_status gpci_classes_read(gpci_timed_replay *timed_replay, gpc_error *error);
/* Occupy a pooled unit of kind `unit` for a scheduler until cycle `until`: the unit that is free first. */
void gpci_unit_take(const gpci_timed_replay *timed_replay, gpci_timed_sm *sm, uint32_t scheduler, uint8_t unit,
                    uint64_t until);

#ifdef GPCI_CHECK
/* icache.c: add second counts of an SM's instruction caches (base/check.h). */
void gpci_icaches_count_again(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, gpc_stats *stats);
#endif

/* timed_replay.c: add the work of all SMs (deeds) to the replay, and retire ended blocks. True if a block ended. */
bool gpci_timed_take_over(gpci_timed_replay *timed_replay);

/* sm.c */
void gpci_sm_step(void *replay, uint32_t sm);
bool gpci_sm_alone(void *replay, uint32_t sm);
void gpci_sm_hand_over(void *replay, uint32_t sm);
/* Count an SM's cycles before `end`, by class. */
void gpci_sm_account(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t end);
/* Find the cycle at which a warp can issue, and set the warp's state: READY if the cycle is at most `horizon`. */
void gpci_sm_look(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now,
                  uint64_t horizon);

/*
 * sm_told.c: calls of the hierarchy to an SM. gpci_sm_complete: an access has completed. gpci_sm_ready: the memory
 * pipeline has room again. gpci_sm_cache_event: a load has looked up L1.
 */
void gpci_sm_complete(void *replay, const gpc_completion *completion);
void gpci_sm_ready(void *replay, uint32_t sm);
void gpci_sm_cache_event(void *replay, uint32_t sm, const gpc_cache_event *event);

/* sm_expect.c: prefetch the data of an SM's next step into the CPU's cache. Affects only the simulator's speed. */
void gpci_sm_expect(void *replay, uint32_t sm, unsigned pass);

/* sm_send.c: send a warp's next instruction to the memory pipeline; GPC_BUSY: rejected. */
gpc_status gpci_sm_send(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, const gpci_path_step *step);
/* Skip the addresses of an instruction that makes no access. */
GPCI_COLD void gpci_sm_pass_by(const gpci_timed_sm *core, uint32_t slot, const gpci_path_step *step);

/* Append a block to the blocks that wait for their start on an SM. */
GPCI_INLINE void gpci_sm_await_start(gpci_timed_sm *sm, gpci_block_run *run) {
    if (sm->first_start)
        sm->last_start->queued = run;
    else
        sm->first_start = run;
    sm->last_start = run;
}

/* warps.c */
void gpci_sm_start_blocks(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t now);
void gpci_warp_tell(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, gpc_warp_event_kind kind,
                    uint64_t now);
void gpci_warp_end(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, uint64_t now);
/* With blocks.release = writes: note that a write of an ended warp has completed. */
void gpci_warp_wrote(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, uint64_t now);
/* Remove all warps, for example after an error. */
void gpci_sm_clear(gpci_timed_replay *timed_replay, uint32_t sm);

/*
 * barriers.c. gpci_barriers_begin: prepare the barriers of a block. gpci_warp_barrier: let a warp arrive at a barrier.
 * gpci_barrier_open: open the barrier if all warps have arrived.
 */
void gpci_barriers_begin(gpci_block_run *run);
void gpci_warp_barrier(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, uint64_t now);
void gpci_barrier_open(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run, uint64_t now);
/* Open a cluster barrier for a block, which received the message that all blocks have arrived. */
void gpci_barrier_cluster_opens(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run, uint64_t now);

/* timed_replay.c: attach the SMs to the hierarchy, which steps the SMs from now on. */
void gpci_timed_take_part(gpci_timed_replay *timed_replay);
/* timed_replay.c: statistics up to `now`. */
void gpci_timed_stats_at(gpci_timed_replay *timed_replay, uint64_t now, gpc_stats *stats);
/* timed_replay.c: add the counters of an SM that the replay keeps. */
void gpci_timed_add_sm_stats(const gpci_timed_replay *timed_replay, uint32_t sm, gpc_stats *stats);

/* replay_sample.c: create the sampler if schedulers want samples. */
gpc_status gpci_sampler_create(gpci_timed_replay *timed_replay, gpc_error *error);
void gpci_sampler_destroy(gpci_timed_replay *timed_replay);
/* End a sampling period: give samples to cache policies and schedulers. The period's cycles must be counted before. */
void gpci_timed_end_period(gpci_timed_replay *timed_replay, uint64_t now);

/* deadlock.c: report a deadlock and the cause of each warp's wait. */
gpc_status gpci_timed_stuck(const gpci_timed_replay *timed_replay, gpc_error *error);

GPCI_INLINE gpc_warp_state gpci_warp_state(const gpci_timed_sm *sm, const gpci_timed_warp *warp) {
    return gpci_scheduler_state(sm->issuers[warp->issuer].scheduler, warp->place);
}

GPCI_INLINE void gpci_warp_set(gpci_timed_sm *sm, const gpci_timed_warp *warp, gpc_warp_state state) {
    sm->stirred |= 1u << warp->issuer;
    gpci_scheduler_set(sm->issuers[warp->issuer].scheduler, warp->place, state);
}

/* Count an instruction that the hierarchy does not see. The hierarchy counts instructions with accesses. */
GPCI_INLINE void gpci_sm_count(gpci_timed_sm *sm, const gpci_path_step *step) {
    const unsigned lanes = gpci_path_lanes(step);
    sm->deeds->instructions++;
    sm->deeds->threads += lanes;
    sm->counts.own++;
    sm->counts.threads += lanes;
}

GPCI_INLINE gpci_scoreboard gpci_board_of(const gpci_timed_sm *sm, uint32_t slot) {
    return (gpci_scoreboard){sm->boards + gpci_scoreboard_place(slot), &sm->epochs[slot]};
}

#endif
