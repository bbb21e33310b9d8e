/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_TIMED_REPLAY_H
#define GPC_REPLAY_TIMED_REPLAY_H

#include "base/clock.h"
#include "replay/replay.h"
#include "replay/scoreboard.h"
#include "scheduler/scheduler.h"
#include "timed/sm_front_end.h"

/*
 * Timed replay. An SM is stepped when one of its warps may issue, when a block starts,
 * or when memory has answered; between steps nothing about it changes, and the
 * cycles that pass are accounted for by arithmetic.
 *
 * A warp is READY once its registers are, though its unit may be busy; STALLED until
 * a cycle that is known (it is then in the SM's calendar); WAITING for memory; or at
 * a BARRIER. Only what answers to these wakes it.
 */

/* What an instruction occupies beside its issue slot. */
typedef enum gpci_unit {
    GPCI_UNIT_INT,
    GPCI_UNIT_FP,
    GPCI_UNIT_DOUBLE,
    GPCI_UNIT_SFU,
    GPCI_UNIT_TENSOR,
    GPCI_UNIT_UNIFORM,
    GPCI_UNIT_CONTROL,
    GPCI_UNIT_SHARED,
    GPCI_UNIT_CLUSTER, /* its way to other SMs' shared memory */
    GPCI_UNIT_NONE,
    GPCI_UNIT_MEMORY, /* accepts or refuses */
    GPCI_UNIT_COUNT
} gpci_unit;

#define GPCI_TIMED_UNITS 10u /* that are busy for a known time; NONE never is */

/* Where a scheduler's cycle went. Each goes into exactly one. */
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

/* A warp in its slot of an SM. Its state is with its scheduler. */
typedef struct gpci_timed_warp {
    const gpci_path_step *next, *end; /* steps of its path */
    gpci_block_run *run;
    uint64_t not_before; /* core cycle, by control flow and barriers; of a stalled one by its registers, too */
    uint64_t settled;    /* core cycle from which on all its results are there but those of loads in flight */
    uint32_t loads;      /* in flight, which hold the warp */
    uint32_t others;     /* stores, reductions and prefetches in flight */
    uint32_t starts;     /* warps that this slot has had: tells their stores apart */
    uint16_t age;        /* running warps of the SM that are older */
    uint16_t place;      /* slot within its scheduler */
    uint8_t issuer;      /* its scheduler */
    uint8_t unit;        /* gpci_unit of `next`, while ready */
    uint8_t listed;      /* 1 + the unit by which it is in `wanting`; 0: it is not */
    bool later;          /* it is READY, but from the next cycle on */
    uint8_t held;        /* by a fence, or for its instructions: GPCI_HELD_ (icache.h); 0 */
    uint8_t planes;      /* of its scoreboard, that it uses: a bit for each */
    uint8_t buffered;    /* instructions that are fetched; sm.fetch alone */
} gpci_timed_warp;

_Static_assert(sizeof(gpci_timed_warp) <= 64, "a warp fits into a cache line");

typedef struct gpci_issuer {
    gpc_scheduler *scheduler;
    uint64_t *wanting;                  /* [GPCI_TIMED_UNITS][words] warps by the unit that they need, when ready */
    uint64_t next;                      /* core cycle; before, it can issue nothing unless it is stirred */
    uint64_t since;                     /* cycles before it are accounted for */
    uint64_t free_at[GPCI_TIMED_UNITS]; /* core cycle from which on one of those that it may use is, */
    uint64_t busy_until;                /* of which none is later */
    uint16_t wanted;                    /* bit per unit that some warp of `wanting` may need */
    uint8_t class;                      /* gpci_cycle_class of the cycles from `since` on */
    uint8_t busy;                       /* gpc_busy, where that is MEMORY */
    bool declined;                      /* the policy chose none of those that could issue */
} gpci_issuer;

/* One of the units that a scheduler may use is free from a core cycle on. */
GPCI_INLINE void gpci_unit_is_free_at(gpci_issuer *s, uint32_t unit, uint64_t cycle) {
    s->free_at[unit] = cycle;
    s->busy_until = cycle > s->busy_until ? cycle : s->busy_until;
}

/* What is counted of an SM, over all kernels. */
typedef struct gpci_timed_counts {
    uint64_t classes[GPCI_CYCLE_COUNT];                     /* cycles of its schedulers */
    uint64_t line, mshr;                                    /* parts of MEMORY */
    uint64_t active, warps;                                 /* its cycles with a block; gauge of its warps */
    uint64_t instructions;                                  /* issued */
    uint64_t own, threads;                                  /* of these, that do not go to the hierarchy; their lanes */
    uint64_t bypassing, throttled;                          /* gauges of its warps of these classes */
    uint64_t by_bypassing;                                  /* instructions that these issued */
    uint64_t copy_groups, copy_waits, copy_wait_cycles;     /* of asynchronous copies (copies.h) */
    uint64_t cluster_accesses, cluster_bytes;               /* of other blocks' shared memory */
    uint64_t l1i_accesses, l1i_hits, l1i_merges, l1i_waits; /* of its instruction caches */
    uint64_t l1i_prefetches, l1i_prefetch_hits, l1i_late_prefetches, l1i_unused_prefetches;
    uint64_t cluster_barriers; /* of blocks, at which they have come */
    uint64_t mbarrier_phases, mbarrier_arrivals, mbarrier_checks, mbarrier_untold;
} gpci_timed_counts;

/*
 * What SMs have done since it was last taken over (gpci_timed_take_over), once a cycle. SMs that are stepped by
 * different threads have different ones, so that what is of all SMs is changed by one thread alone.
 */
typedef struct gpci_sm_deeds {
    uint64_t instructions, threads; /* that the hierarchy has not counted; those that it has: */
    uint64_t told;
    uint64_t first_pc, last_pc;
    uint64_t progress;  /* last cycle with an issue, a completion or the start of a block */
    uint64_t in_flight; /* accesses accepted, less those completed */
    uint64_t left;      /* instructions that may still issue; more than there are where there is no limit */
    gpci_block_run *ended;
    uint64_t ahead;    /* of in_flight, those that nobody waits for: code (stream_buffer.h) */
    uint64_t apart[6]; /* from the next one's, which another thread changes */
} gpci_sm_deeds;

/* Cycles ahead for which an SM's calendar has places; what is later looks again on the way. */
#define GPCI_CALENDAR 64u

typedef struct gpci_timed_sm {
    gpci_sm_deeds *deeds;
    gpci_issuer *issuers;            /* [schedulers] */
    gpci_timed_warp *warps;          /* [slots] */
    uint32_t *boards;                /* [gpci_scoreboards_entries(slots)] */
    uint64_t *epochs;                /* [slots] core cycle from which a scoreboard counts */
    struct gpci_copy_groups *copies; /* [slots] of asynchronous copies (copies.h) */
    struct gpci_mbarrier *barriers;  /* [GPCI_MBARRIERS] of its blocks (mbarriers.h) */
    uint64_t *calendar;              /* [GPCI_CALENDAR][words] stalled warps by the cycle at which they look again */
    uint64_t *answered;              /* [words] waiting warps of which an access completed */
    uint64_t *units; /* [unit_count] core cycles at which units that are pooled are free (gpci_pool_of_units) */
    struct gpci_icache *icache;               /* [fetchers] with l1i.size (icache.h); NULL */
    struct gpci_fetcher *fetchers;            /* [fetchers] with sm.fetch (fetch.h); NULL */
    uint64_t calendar_used;                   /* places of the calendar that hold any */
    uint64_t next_start;                      /* earliest cycle of the next block's start */
    gpci_block_run *first_start, *last_start; /* blocks that are placed here and have not started */
    gpci_block_run *ended; /* blocks that have ended, and are to be handed over when the clock is there, */
    uint64_t ended_at;     /* the core cycle of the last */
    gpci_gauge warps_gauge, blocks_gauge;
    gpci_gauge bypassing_gauge, throttled_gauge;
    uint64_t admissions;         /* of its schedulers, */
    uint64_t admissions_counted; /* and when their warps' classes were last counted */
    gpci_timed_counts counts;
    uint64_t voted_active, voted_instructions; /* counts at the last sample of policies that vote */
    uint32_t live, running_blocks;
    uint32_t stirred; /* bit per scheduler that takes part in the next step */
    uint64_t later;   /* no other scheduler's `next` is before */
    uint32_t barriers_used;
    bool any_answered;
    bool refused; /* by the memory pipeline, which has not been ready since */
    uint8_t busy; /* gpc_busy, while refused */
} gpci_timed_sm;

/* What it takes to make samples for schedulers. */
typedef struct gpci_sampler {
    uint32_t *places;     /* [by_sm + rest] of counters in gpc_stats, in words */
    uint32_t by_sm, rest; /* those that each SM has by itself come first */
    uint64_t *seen;       /* [sm_count][by_sm], then [rest]: at the last sample */
} gpci_sampler;

/* What an instruction does by its use (trace/operands.h). */
typedef struct gpci_op {
    uint16_t latency;
    uint16_t interval;
    uint16_t holds; /* cycles for which its warp goes no further */
    uint8_t unit;
    bool writes; /* its results are there after the latency */
    bool pooled; /* `unit` is one of several, or of several schedulers */
} gpci_op;

/*
 * Units of a kind. Scheduler n uses any of group n modulo `groups`; where that is one unit that no other scheduler
 * uses, its times are the scheduler's `free_at` alone.
 *
 * Example, two schedulers: one SFU is one group of one unit, four FP units are two groups of two, or, where all
 * schedulers use any (sm.unit_sharing), one group of four.
 */
typedef struct gpci_unit_pool {
    uint32_t groups, each; /* units in a group */
    uint32_t first;        /* in gpci_timed_sm.units */
} gpci_unit_pool;

/* Under way between blocks of clusters, oldest first (mbarriers.h). */
typedef struct gpci_cluster_messages {
    struct gpci_cluster_message *each; /* [first to count] */
    size_t first, count, capacity;
} gpci_cluster_messages;

struct gpci_timed_replay {
    gpc_replay *r;
    gpci_timed_sm *sms; /* [sm_count] */
    /* of all SMs, which point into them */
    gpci_issuer *issuers;
    gpci_timed_warp *warps;
    uint32_t *boards;
    char *board_memory; /* that they lie in */
    uint64_t *epochs, *bitmaps, *units;
    struct gpci_copy_groups *copies;
    struct gpci_mbarrier *barriers;
    struct gpci_icache *icaches;       /* [sm_count][fetchers], or NULL */
    struct gpci_fetcher *fetch_turns;  /* likewise */
    struct gpci_code *code;            /* [streams] of each stream's kernel at hand; with icaches alone */
    uint32_t schedulers, slots, words; /* of an SM; words: of a bitmap of its slots */
    uint32_t scheduler_words;
    uint32_t all_schedulers; /* as a bitmap, as gpci_timed_sm.stirred */
    uint32_t issue_width, latency_control, latency_operand;
    uint32_t fetch, fetch_latency; /* instructions of a warp's buffer, 0: at hand; cycles */
    uint32_t fetchers;             /* of an SM: 1, or a scheduler each */
    bool wants_events;             /* a scheduler wants L1's */
    bool wants_samples;            /* a scheduler wants these */
    bool throttled;                /* schedulers have throttles */
    bool classed;                  /* warps may be of other classes than CACHE, */
    bool policy_classes;           /* by the policy's word */
    bool at_once;                  /* kernels of several streams are (together.h) */
    bool keeps_blocks;             /* until their writes are done: blocks.release = writes */
    bool watches;                  /* schedulers may change their minds by themselves: all are asked in every step */
    gpci_op ops[GPCI_USES];
    gpci_unit_pool pools[GPCI_UNIT_NONE];
    uint32_t unit_count; /* pooled, of an SM */
    uint64_t block_interval, dispatch_interval, launch_cycles, limit_cycles, limit_instructions, deadlock_cycles;
    gpci_sampler sampler; /* where schedulers want samples */
    uint64_t cycles;      /* counted, over all kernels */
    /* the kernel at hand */
    uint64_t launched;        /* its first cycle is the next */
    uint64_t first_start;     /* no block starts before, */
    uint64_t next_dispatch;   /* nor the next one before this, with blocks.dispatch_interval */
    uint64_t progress;        /* last cycle with an issue, a completion or the start of a block */
    uint64_t counted;         /* cycles of it that are accounted for */
    uint64_t in_flight;       /* accesses accepted and not yet completed, */
    uint64_t ahead;           /* of which nobody waits for so many */
    uint64_t left;            /* instructions before limit.instructions; GPCI_NEVER */
    uint64_t next_sample;     /* GPCI_NEVER */
    uint64_t sample_interval; /* of these; 0 */
    uint64_t next_vote;       /* end of the period of those that decide by samples; GPCI_NEVER */
    uint64_t voted;           /* end of the last */
    gpc_stats sampled;        /* at the last sample */
    gpc_status status;        /* of what failed within a step */
    gpc_error error;
    gpci_cluster_messages messages;
    uint64_t latency_cluster; /* cycles of one */
    gpci_sm_deeds *deeds;     /* [strands] */
    uint32_t strands;         /* 1: all SMs have the first */
    bool alone;               /* so they have near limit.instructions, which counts those of all */
    bool stopped;             /* nothing more issues */
};

/* classes.c: `ops` and `pools`, as the configuration says; GPC_ERROR_RANGE where it contradicts itself. */
gpc_status gpci_classes_read(gpci_timed_replay *t, gpc_error *error);
/* A scheduler's instruction occupies the first of its pooled units that is free, until then. */
void gpci_unit_take(const gpci_timed_replay *t, gpci_timed_sm *sm, uint32_t scheduler, uint8_t unit, uint64_t until);

/* timed_replay.c: what SMs have done is the replay's; blocks that have ended make room. Returns whether any has. */
bool gpci_timed_take_over(gpci_timed_replay *t);

/* sm.c */
void gpci_sm_step(void *replay, uint32_t sm);
bool gpci_sm_alone(void *replay, uint32_t sm);
void gpci_sm_hand_over(void *replay, uint32_t sm);
/* Account for an SM's cycles before `end`. */
void gpci_sm_account(gpci_timed_replay *t, uint32_t sm, uint64_t end);
/* When can a warp issue? Its state follows; if by `horizon`, it is ready. */
void gpci_sm_look(const gpci_timed_replay *t, gpci_timed_sm *sm, uint32_t slot, uint64_t now, uint64_t horizon);

/* sm_told.c: an access is done; there is room again; what a load found in L1. */
void gpci_sm_complete(void *replay, const gpc_completion *completion);
void gpci_sm_ready(void *replay, uint32_t sm);
void gpci_sm_cache_event(void *replay, uint32_t sm, const gpc_cache_event *event);

/* sm_expect.c: fetch what an SM's next step will look at. No effect but on speed. */
void gpci_sm_expect(void *replay, uint32_t sm, unsigned pass);

/* sm_send.c: a warp's next instruction goes to the memory pipeline, which may refuse it: GPC_BUSY. */
gpc_status gpci_sm_send(gpci_timed_replay *t, uint32_t sm, uint32_t slot, const gpci_path_step *step);
/* Nothing looks at the addresses of an instruction. */
GPCI_COLD void gpci_sm_pass_by(const gpci_timed_sm *m, uint32_t slot, const gpci_path_step *step);

/* A block waits for its start on an SM, behind others. */
GPCI_INLINE void gpci_sm_await_start(gpci_timed_sm *sm, gpci_block_run *run) {
    if (sm->first_start)
        sm->last_start->queued = run;
    else
        sm->first_start = run;
    sm->last_start = run;
}

/* warps.c */
void gpci_sm_start_blocks(gpci_timed_replay *t, uint32_t sm, uint64_t now);
void gpci_warp_tell(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, gpc_warp_event_kind kind, uint64_t now);
void gpci_warp_end(gpci_timed_replay *t, uint32_t sm, uint32_t slot, uint64_t now);
/* A write of a warp that has ended is done, with blocks.release = writes. */
void gpci_warp_wrote(const gpci_timed_replay *t, uint32_t sm, uint32_t slot, uint64_t now);
/* All warps are gone, as after an error. */
void gpci_sm_clear(gpci_timed_replay *t, uint32_t sm);

/* barriers.c: a block comes, a warp is at a barrier, and those who wait go on if nobody is missing any more. */
void gpci_barriers_begin(gpci_block_run *run);
void gpci_warp_barrier(gpci_timed_replay *t, uint32_t sm, uint32_t slot, uint64_t now);
void gpci_barrier_open(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run, uint64_t now);
/* All blocks of its cluster have come to a barrier, and it has been told. */
void gpci_barrier_cluster_opens(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run, uint64_t now);

/* timed_replay.c: SMs are stepped from now on. */
void gpci_timed_take_part(gpci_timed_replay *t);
/* timed_replay.c: all statistics up to `now`. */
void gpci_timed_stats_at(gpci_timed_replay *t, uint64_t now, gpc_stats *stats);
/* timed_replay.c: add what is counted here of an SM. */
void gpci_timed_add_sm_stats(const gpci_timed_replay *t, uint32_t sm, gpc_stats *stats);

/* replay_sample.c: where schedulers want samples. */
gpc_status gpci_sampler_create(gpci_timed_replay *t, gpc_error *error);
void gpci_sampler_destroy(gpci_timed_replay *t);
/* A period of those that decide by samples is over, and accounted for: they get theirs. */
void gpci_timed_end_period(gpci_timed_replay *t, uint64_t now);

/* deadlock.c: nothing moves any more. Who waits for what? */
gpc_status gpci_timed_stuck(const gpci_timed_replay *t, gpc_error *error);

GPCI_INLINE gpc_warp_state gpci_warp_state(const gpci_timed_sm *sm, const gpci_timed_warp *warp) {
    return gpci_scheduler_state(sm->issuers[warp->issuer].scheduler, warp->place);
}

GPCI_INLINE void gpci_warp_set(gpci_timed_sm *sm, const gpci_timed_warp *warp, gpc_warp_state state) {
    sm->stirred |= 1u << warp->issuer;
    gpci_scheduler_set(sm->issuers[warp->issuer].scheduler, warp->place, state);
}

/* The hierarchy counts the accesses that it gets; everything else is counted here. */
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
