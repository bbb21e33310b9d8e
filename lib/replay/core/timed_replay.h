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
 * Timed replay. An SM is stepped when a warp may issue, when a block starts, or when memory replies. Between steps
 * nothing in the SM changes; the cycles between are counted by arithmetic.
 *
 * A warp is READY if its registers are ready, even if its unit is busy; STALLED until a known cycle (the warp is in the
 * SM's calendar); WAITING for memory; or at a BARRIER. Only the matching event wakes a warp.
 */

/* Unit of an SM occupied by an instruction besides the issue slot. */
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
    GPCI_UNIT_MEMORY, /* accepts or rejects */
    GPCI_UNIT_COUNT
} gpci_unit;

#define GPCI_TIMED_UNITS 10u /* units busy for a known time; NONE is never busy */

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

/* A warp in a slot of an SM. The scheduler holds the state of the warp. */
typedef struct gpci_timed_warp {
    const gpci_path_step *next, *end; /* steps of its path */
    gpci_block_run *run;
    /* First core cycle allowed by control flow and barriers; for a stalled warp also by registers. */
    uint64_t not_before;
    uint64_t settled; /* core cycle at which results are ready, except of loads in flight */
    uint32_t loads;   /* loads in flight; they hold the warp */
    uint32_t others;  /* stores, reductions and prefetches in flight */
    uint32_t starts;  /* warps the slot has had; tells their stores apart */
    uint16_t age;     /* number of older running warps of the SM */
    uint16_t place;   /* slot within the scheduler */
    uint8_t issuer;   /* scheduler */
    uint8_t unit;     /* gpci_unit of `next`, while ready */
    uint8_t listed;   /* 1 + unit of the list in `wanting`; 0: not listed */
    bool later;       /* READY, but only from the next cycle */
    uint8_t held;     /* GPCI_HELD_ bits (icache.h): held by a fence or by instruction fetch; 0: not held */
    uint8_t planes;   /* bit per plane of its scoreboard in use */
    uint8_t buffered; /* fetched instructions; only with sm.fetch */
} gpci_timed_warp;

_Static_assert(sizeof(gpci_timed_warp) <= 64, "a warp fits into a cache line");

typedef struct gpci_issuer {
    gpc_scheduler *scheduler;
    uint64_t *wanting;                  /* [GPCI_TIMED_UNITS][words] warps by the unit they need when ready */
    uint64_t next;                      /* first core cycle with a possible issue, unless stirred */
    uint64_t since;                     /* cycles before `since` are accounted for */
    uint64_t free_at[GPCI_TIMED_UNITS]; /* core cycle from which a unit of the kind is free */
    uint64_t busy_until;                /* largest of `free_at` */
    gpci_l1_waits waits;                /* before `since`, if `class` is MEMORY */
    uint16_t wanted;                    /* bit per unit that a warp of `wanting` may need */
    uint8_t class;                      /* gpci_cycle_class of the cycles from `since` on */
    bool declined;                      /* the policy chose no warp, though one could issue */
} gpci_issuer;

/* A unit of the scheduler becomes free at a core cycle. */
GPCI_INLINE void gpci_unit_is_free_at(gpci_issuer *issuer, uint32_t unit, uint64_t cycle) {
    issuer->free_at[unit] = cycle;
    issuer->busy_until = cycle > issuer->busy_until ? cycle : issuer->busy_until;
}

/* Counters of an SM, over all kernels. */
typedef struct gpci_timed_counts {
    uint64_t classes[GPCI_CYCLE_COUNT];                 /* cycles of the schedulers */
    uint64_t line, mshr;                                /* parts of MEMORY */
    uint64_t active, warps;                             /* active: cycles with a block; warps: gauge of warps */
    uint64_t instructions;                              /* issued */
    uint64_t own, threads;                              /* own: issued without the hierarchy; threads: their lanes */
    uint64_t bypassing, throttled;                      /* gauges of warps by class */
    uint64_t by_bypassing;                              /* instructions issued by bypassing warps */
    uint64_t copy_groups, copy_waits, copy_wait_cycles; /* asynchronous copies (copies.h) */
    uint64_t cluster_accesses, cluster_bytes;           /* accesses to shared memory of remote blocks */
    uint64_t l1i_accesses, l1i_hits, l1i_merges, l1i_waits; /* instruction caches */
    uint64_t l1i_prefetches, l1i_prefetch_hits, l1i_late_prefetches, l1i_unused_prefetches;
    uint64_t cluster_barriers; /* arrivals of blocks at cluster barriers */
    uint64_t mbarrier_phases, mbarrier_arrivals, mbarrier_checks, mbarrier_untold;
} gpci_timed_counts;

/*
 * Work of SMs since the last gpci_timed_take_over, once a cycle. Every thread that steps SMs has its own gpci_sm_deeds;
 * a single thread then adds them to the replay's totals.
 */
typedef struct gpci_sm_deeds {
    uint64_t instructions, threads; /* not counted by the hierarchy */
    uint64_t told;
    uint64_t first_pc, last_pc;
    uint64_t progress;  /* last cycle with an issue, a completion or the start of a block */
    uint64_t in_flight; /* accesses accepted minus accesses completed */
    uint64_t left;      /* instructions that may still issue; above the kernel's total without a limit */
    gpci_block_run *ended;
    uint64_t ahead;      /* part of in_flight: code prefetches (stream_buffer.h) */
    uint64_t padding[6]; /* padding: the next struct belongs to another thread */
} gpci_sm_deeds;

/* Cycles covered by an SM's calendar. A later event is looked at again on the way. */
#define GPCI_CALENDAR 64u

typedef struct gpci_timed_sm {
    gpci_sm_deeds *deeds;
    gpci_issuer *issuers;            /* [schedulers] */
    gpci_timed_warp *warps;          /* [slots] */
    uint32_t *boards;                /* [gpci_scoreboards_entries(slots)] */
    uint64_t *epochs;                /* [slots] core cycle from which a scoreboard counts */
    struct gpci_copy_groups *copies; /* [slots] asynchronous copies (copies.h) */
    struct gpci_mbarrier *barriers;  /* [GPCI_MBARRIERS] barriers of its blocks (mbarriers.h) */
    uint64_t *calendar;              /* [GPCI_CALENDAR][words] stalled warps by the cycle of their next look */
    uint64_t *answered;              /* [words] waiting warps with a completed access */
    uint64_t *units;                 /* [unit_count] core cycles from which pooled units are free (gpci_unit_pool) */
    struct gpci_icache *icache;      /* [fetchers] with l1i.size (icache.h); otherwise NULL */
    struct gpci_fetcher *fetchers;   /* [fetchers] with sm.fetch (fetch.h); otherwise NULL */
    uint64_t calendar_used;          /* places of the calendar in use */
    uint64_t next_start;             /* earliest start of the next block */
    gpci_block_run *first_start, *last_start; /* blocks placed here and not started */
    gpci_block_run *ended;                    /* ended blocks, to be handed over once the clock arrives */
    uint64_t ended_at;                        /* core cycle of the last ended block */
    gpci_gauge warps_gauge, blocks_gauge;
    gpci_gauge bypassing_gauge, throttled_gauge;
    uint64_t admissions;         /* of its schedulers */
    uint64_t admissions_counted; /* `admissions` when the warps' classes were last counted */
    gpci_timed_counts counts;
#ifdef GPCI_CHECK
    gpc_stats again; /* second counts (base/check.h) */
#endif
    uint64_t voted_active, voted_instructions; /* counts at the last sample for voting policies */
    uint32_t live, running_blocks;
    uint32_t stirred; /* bit per scheduler that takes part in the next step */
    uint64_t later;   /* earliest `next` of the schedulers not stirred */
    uint32_t barriers_used;
    bool any_answered;
    bool refused; /* by the memory pipeline, not ready since */
} gpci_timed_sm;

/* Builds samples for schedulers. */
typedef struct gpci_sampler {
    uint32_t *places;     /* [by_sm + rest] word offsets of counters in gpc_stats */
    uint32_t by_sm, rest; /* counters kept per SM come first */
    uint64_t *seen;       /* [sm_count][by_sm], then [rest]: values at the last sample */
} gpci_sampler;

/* Timing of an instruction by its use (trace/blocks/operands.h). */
typedef struct gpci_op {
    uint16_t latency;
    uint16_t interval;
    uint16_t holds; /* cycles for which the warp stops */
    uint8_t unit;
    bool writes; /* results are ready after the latency */
    bool pooled; /* `unit` is a pool, or is shared by schedulers */
} gpci_op;

/*
 * Units of a kind. Scheduler n uses any unit of group n modulo `groups`. If the group is a single unit of a single
 * scheduler, `free_at` of the scheduler suffices.
 *
 * Example, two schedulers: one SFU is one group of one unit. Four FP units are two groups of two; if schedulers share
 * units (sm.unit_sharing), one group of four.
 */
typedef struct gpci_unit_pool {
    uint32_t groups, each; /* units per group */
    uint32_t first;        /* first unit in gpci_timed_sm.units */
} gpci_unit_pool;

/* Messages in flight between blocks of clusters, oldest first (mbarriers.h). */
typedef struct gpci_cluster_messages {
    struct gpci_cluster_message *each; /* [first to count] */
    size_t first, count, capacity;
} gpci_cluster_messages;

struct gpci_timed_replay {
    gpc_replay *replay;
    gpci_timed_sm *sms; /* [sm_count] */
    /* arrays for all SMs, with pointers from `sms` */
    gpci_issuer *issuers;
    gpci_timed_warp *warps;
    uint32_t *boards;
    char *board_memory; /* holds `boards` */
    uint64_t *epochs, *bitmaps, *units;
    struct gpci_copy_groups *copies;
    struct gpci_mbarrier *barriers;
    struct gpci_icache *icaches;       /* [sm_count][fetchers], or NULL */
    struct gpci_fetcher *fetch_turns;  /* [sm_count][fetchers], or NULL */
    struct gpci_code *code;            /* [streams] code of each stream's current kernel; only with icaches */
    uint32_t schedulers, slots, words; /* per SM; words: size of a bitmap of slots */
    uint32_t scheduler_words;
    uint32_t all_schedulers; /* bitmap with all schedulers, for gpci_timed_sm.stirred */
    uint32_t issue_width, latency_control, latency_operand;
    uint32_t fetch, fetch_latency; /* fetch: instructions of a warp's buffer, 0: no fetch model; latency in cycles */
    uint32_t fetchers;             /* per SM: 1, or one per scheduler */
    bool wants_events;             /* a scheduler wants L1 events */
    bool wants_samples;            /* a scheduler wants samples */
    bool throttled;                /* schedulers have throttles */
    bool classed;                  /* warps may have classes other than CACHE */
    bool policy_classes;           /* classes come from the policy's word */
    bool at_once;                  /* kernels of several streams run at once (together.h) */
    bool keeps_blocks;             /* blocks.release = writes: a block stays until its writes complete */
    bool watches;                  /* schedulers may change a choice without cause: ask in every step */
    gpci_op ops[GPCI_USES];
    gpci_unit_pool pools[GPCI_UNIT_NONE];
    uint32_t unit_count; /* pooled units per SM */
    uint64_t block_interval, dispatch_interval, launch_cycles, limit_cycles, limit_instructions, deadlock_cycles;
    gpci_sampler sampler; /* if schedulers want samples */
    uint64_t cycles;      /* counted, over all kernels */
    /* current kernel */
    uint64_t launched;        /* launch cycle; its first cycle is the next */
    uint64_t first_start;     /* no block starts before */
    uint64_t next_dispatch;   /* with blocks.dispatch_interval: no further block starts before */
    uint64_t progress;        /* last cycle with an issue, a completion or the start of a block */
    uint64_t counted;         /* cycles of the kernel accounted for */
    uint64_t in_flight;       /* accesses accepted and not completed */
    uint64_t ahead;           /* part of in_flight: prefetches without a waiting access */
    uint64_t left;            /* instructions left before limit.instructions; GPCI_NEVER: no limit */
    uint64_t next_sample;     /* GPCI_NEVER: no samples */
    uint64_t sample_interval; /* interval in use; 0: no samples */
    uint64_t next_vote;       /* end of the current sampling period; GPCI_NEVER: none */
    uint64_t voted;           /* end of the last period */
    gpc_stats sampled;        /* statistics at the last sample */
    gpc_status status;        /* status of a failure within a step */
    gpc_error error;
    gpci_cluster_messages messages;
    uint64_t latency_cluster; /* latency of a message in cycles */
    gpci_sm_deeds *deeds;     /* [shards] */
    uint32_t shards;          /* 1: all SMs use the first */
    bool alone;               /* near limit.instructions: all SMs use the first `deeds` */
    bool stopped;             /* nothing more issues */
};

/* classes.c: read `ops` and `pools` from the configuration; GPC_ERROR_RANGE: contradictory keys. */
gpc_status gpci_classes_read(gpci_timed_replay *timed_replay, gpc_error *error);
/* Occupy the first free pooled unit of a scheduler's kind until cycle `until`. */
void gpci_unit_take(const gpci_timed_replay *timed_replay, gpci_timed_sm *sm, uint32_t scheduler, uint8_t unit,
                    uint64_t until);

#ifdef GPCI_CHECK
/* icache.c: add second counts of an SM's instruction caches (base/check.h). */
void gpci_icaches_count_again(const gpci_timed_replay *timed_replay, const gpci_timed_sm *core, gpc_stats *stats);
#endif

/* timed_replay.c: add the work of SMs to the replay and retire ended blocks. True if a block ended. */
bool gpci_timed_take_over(gpci_timed_replay *timed_replay);

/* sm.c */
void gpci_sm_step(void *replay, uint32_t sm);
bool gpci_sm_alone(void *replay, uint32_t sm);
void gpci_sm_hand_over(void *replay, uint32_t sm);
/* Account for an SM's cycles before `end`. */
void gpci_sm_account(gpci_timed_replay *timed_replay, uint32_t sm, uint64_t end);
/* Find the cycle at which a warp can issue, and set its state. The warp is ready if the cycle is at most `horizon`. */
void gpci_sm_look(const gpci_timed_replay *timed_replay, gpci_timed_sm *core, uint32_t slot, uint64_t now,
                  uint64_t horizon);

/*
 * sm_told.c: an access completed. gpci_sm_ready: the pipeline has room again. gpci_sm_cache_event: result of a load's
 * L1 lookup.
 */
void gpci_sm_complete(void *replay, const gpc_completion *completion);
void gpci_sm_ready(void *replay, uint32_t sm);
void gpci_sm_cache_event(void *replay, uint32_t sm, const gpc_cache_event *event);

/* sm_expect.c: prefetch host memory for an SM's next step. Affects only speed. */
void gpci_sm_expect(void *replay, uint32_t sm, unsigned pass);

/* sm_send.c: send a warp's next instruction to the memory pipeline; GPC_BUSY: rejected. */
gpc_status gpci_sm_send(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, const gpci_path_step *step);
/* Skip the unused addresses of an instruction. */
GPCI_COLD void gpci_sm_pass_by(const gpci_timed_sm *core, uint32_t slot, const gpci_path_step *step);

/* Queue a block on an SM for its start. */
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
/* With blocks.release = writes: a write of an ended warp completed. */
void gpci_warp_wrote(const gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, uint64_t now);
/* Remove all warps, for example after an error. */
void gpci_sm_clear(gpci_timed_replay *timed_replay, uint32_t sm);

/*
 * barriers.c: a block begins. gpci_warp_barrier: a warp arrives at a barrier. gpci_barrier_open: open the barrier if
 * all warps have arrived.
 */
void gpci_barriers_begin(gpci_block_run *run);
void gpci_warp_barrier(gpci_timed_replay *timed_replay, uint32_t sm, uint32_t slot, uint64_t now);
void gpci_barrier_open(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run, uint64_t now);
/* A message arrived: all blocks of the cluster are at the barrier. */
void gpci_barrier_cluster_opens(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run, uint64_t now);

/* timed_replay.c: let the hierarchy step the SMs from now on. */
void gpci_timed_take_part(gpci_timed_replay *timed_replay);
/* timed_replay.c: statistics up to `now`. */
void gpci_timed_stats_at(gpci_timed_replay *timed_replay, uint64_t now, gpc_stats *stats);
/* timed_replay.c: add the counters of an SM kept here. */
void gpci_timed_add_sm_stats(const gpci_timed_replay *timed_replay, uint32_t sm, gpc_stats *stats);

/* replay_sample.c: create the sampler if schedulers want samples. */
gpc_status gpci_sampler_create(gpci_timed_replay *timed_replay, gpc_error *error);
void gpci_sampler_destroy(gpci_timed_replay *timed_replay);
/* End a sampling period, already accounted for: give policies and schedulers their samples. */
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

/* Count an instruction kept from the hierarchy. The hierarchy counts accesses. */
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
