/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_SCHEDULER_SCHEDULER_H
#define GPC_SCHEDULER_SCHEDULER_H

#include "policies/scheduler/schedulers.h"
#include "registry/registry.h"

/*
 * Scheduler object, and its public functions without checks. The functions are inline for the replay engine, which
 * calls them for every instruction. A built-in policy is called directly, any other policy through its table.
 */

typedef enum gpci_scheduler_kind {
    GPCI_SCHEDULER_TABLE, /* call through the table */
    GPCI_SCHEDULER_LRR,
    GPCI_SCHEDULER_GTO,
    GPCI_SCHEDULER_OLDEST,
    GPCI_SCHEDULER_TWO_LEVEL
} gpci_scheduler_kind;

/* State of 64 slots. */
typedef struct gpci_warp_word {
    uint64_t ready, ready_memory; /* slots in state GPC_STATE_READY, slots in state GPC_STATE_READY_MEMORY */
    uint64_t running;             /* slots with a warp */
    uint64_t eligible;            /* running and not held back by warp_limit or a throttle */
    uint64_t eligible_memory;     /* eligible slots that may access memory */
    uint64_t bypassing;           /* eligible slots without a token for L1 */
    uint64_t bypassing_l2;        /* eligible slots without a token for L2 */
} gpci_warp_word;

#define GPCI_THROTTLE_BITMAPS 4u

/* Throttle, with the bits of its last `classify`. */
typedef struct gpci_throttle {
    void *self;
    const gpc_throttle_ops *ops;
    gpci_policy *policy;
    uint64_t *bits; /* [GPCI_THROTTLE_BITMAPS][words]: throttled, held, bypassing, bypassing_l2 */
} gpci_throttle;

struct gpc_scheduler {
    void *self; /* instance of the policy */
    const gpc_scheduler_ops *ops;
    gpci_scheduler_kind kind;
    uint32_t warps, words;
    /* running: number of running warps. limit: highest number of warps that may issue, 1 or more. */
    uint32_t running, limit;
    uint32_t counts[GPC_STATE_COUNT]; /* running warps by state; ABSENT: 0 */
    uint8_t *states;                  /* [warps] gpc_warp_state */
    uint16_t *ages;                   /* [warps]: number of older warps, for running warps */
    uint16_t *by_age;                 /* [running] slots, oldest first */
    uint64_t *candidates;             /* [words]: slots among which the policy chooses */
    uint64_t next_order;              /* order number of the next warp that starts */
    uint64_t *admissions;    /* number of recomputations of `eligible`; an SM's schedulers may share the number */
    uint64_t own_admissions; /* number for `admissions`, if not shared */
    uint64_t cycle;          /* latest reported cycle */
    uint64_t again;          /* cycle in which `classify` of the throttles is called again; UINT64_MAX = never */
    uint32_t throttle_count;
    gpci_throttle throttles[GPCI_MAX_THROTTLES];
    uint32_t *blocks; /* [warps]: thread block of each warp */
    gpci_policy *policy;
    gpci_commons *commons;       /* shared state of all schedulers connected by share_with */
    gpc_scheduler *next_sharing; /* next scheduler in the ring of all schedulers connected by share_with */
    gpc_scheduler *next_in_sm;   /* next scheduler in the ring of the SM's schedulers connected by share_with */
    uint32_t sm;
    bool counts_issues; /* a throttle has the function on_issue */
    gpc_context *context;
    gpci_warp_word map[]; /* [words] */
};

/* gpc_scheduler_create with complete options; errors name the fields as fields of `type`. */
gpc_status gpci_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, const char *type,
                                 gpc_error *error, gpc_scheduler **out);

/* Part of a scheduler. Part 0 is the policy, the parts from 1 on are the throttles. NULL: there is no part `part`. */
const gpci_policy *gpci_scheduler_part(const gpc_scheduler *scheduler, uint32_t part);

/* Start a warp of thread block `block` in a free slot, or end a running warp. */
void gpci_scheduler_start(gpc_scheduler *scheduler, uint32_t slot, uint32_t block);
void gpci_scheduler_end(gpc_scheduler *scheduler, uint32_t slot);

/* Recompute the eligible warps, if a limit or a throttle exists. */
void gpci_scheduler_admit(gpc_scheduler *scheduler);
/* Report a warp's new state, or an issue, to the throttles. */
void gpci_scheduler_tell(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
void gpci_scheduler_tell_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle);

/* Add to `counts` the number of running warps of each class. */
void gpci_scheduler_count_classes(const gpc_scheduler *scheduler, uint32_t counts[GPC_CLASS_COUNT]);
/*
 * Name of the throttle that keeps a ready warp from issuing, or "sm.warp_limit"; NULL if the warp may issue. The string
 * lives as long as the scheduler.
 */
const char *gpci_scheduler_throttle_of(const gpc_scheduler *scheduler, uint32_t slot);

/* Report an L1 event or a sample. True if `classify` of the throttles was called again. */
bool gpci_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event);
bool gpci_scheduler_sample(gpc_scheduler *scheduler, const gpc_stats *stats, uint64_t cycle);

/* Report the present cycle. From cycle `again` on, the classes set by the throttles are out of date: ask again. */
GPCI_INLINE void gpci_scheduler_clock(gpc_scheduler *scheduler, uint64_t cycle) {
    scheduler->cycle = cycle;
    if (GPCI_UNLIKELY(cycle >= scheduler->again))
        gpci_scheduler_admit(scheduler);
}

GPCI_INLINE gpc_warp_state gpci_scheduler_state(const gpc_scheduler *scheduler, uint32_t slot) {
    return (gpc_warp_state)scheduler->states[slot];
}

/* Set the state of a running warp. `state` must not be ABSENT. */
GPCI_INLINE void gpci_scheduler_set(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state state) {
    gpc_warp_state before = gpci_scheduler_state(scheduler, slot);
    if (before == state)
        return;
    gpci_warp_word *word = &scheduler->map[slot / 64];
    unsigned place = slot % 64;
    uint64_t others = ~((uint64_t)1 << place);
    word->ready = (word->ready & others) | (uint64_t)(state == GPC_STATE_READY) << place;
    word->ready_memory = (word->ready_memory & others) | (uint64_t)(state == GPC_STATE_READY_MEMORY) << place;
    scheduler->counts[before]--;
    scheduler->counts[state]++;
    scheduler->states[slot] = (uint8_t)state;
    if (scheduler->ops->on_state)
        scheduler->ops->on_state(scheduler->self, slot, before, state);
    if (GPCI_UNLIKELY(scheduler->throttle_count))
        gpci_scheduler_tell(scheduler, slot, before, state);
    if (GPCI_UNLIKELY(before == GPC_STATE_BARRIER || state == GPC_STATE_BARRIER))
        gpci_scheduler_admit(scheduler);
}

/* Set `candidates` to the warps that may issue; READY_MEMORY warps only if `memory`. True if a warp may issue. */
GPCI_INLINE bool gpci_scheduler_gather(gpc_scheduler *scheduler, bool memory) {
    const uint64_t take = memory ? ~(uint64_t)0 : 0;
    uint64_t any = 0;
    for (uint32_t i = 0; i < scheduler->words; i++) {
        const gpci_warp_word *word = &scheduler->map[i];
        any |= scheduler->candidates[i] =
            (word->ready & word->eligible) | (word->ready_memory & take & word->eligible_memory);
    }
    return any != 0;
}

/* Choice of the policy, not yet checked. */
GPCI_INLINE uint32_t gpci_scheduler_ask(gpc_scheduler *scheduler, uint64_t cycle) {
    switch (scheduler->kind) {
    case GPCI_SCHEDULER_LRR:
        return gpci_lrr_pick(scheduler->self, scheduler->candidates);
    case GPCI_SCHEDULER_GTO:
        return gpci_gto_pick(scheduler->self, scheduler->candidates);
    case GPCI_SCHEDULER_OLDEST:
        return gpci_age_oldest(scheduler->self, scheduler->candidates);
    case GPCI_SCHEDULER_TWO_LEVEL:
        return gpci_two_level_pick(scheduler->self, scheduler->candidates);
    default:
        return scheduler->ops->pick(scheduler->self, scheduler->candidates, cycle);
    }
}

/*
 * True if `slot`, chosen by a policy through its table, may issue. The slot is compared with the warps' states, because
 * the policy may have overwritten `candidates`.
 */
GPCI_INLINE bool gpci_scheduler_possible(const gpc_scheduler *scheduler, uint32_t slot, bool memory) {
    if (slot >= scheduler->warps)
        return false;
    const gpci_warp_word *word = &scheduler->map[slot / 64];
    uint64_t ready = (word->ready & word->eligible) | (memory ? word->ready_memory & word->eligible_memory : 0);
    return (ready & gpci_warp_bit(slot)) != 0;
}

/* As gpc_scheduler_pick: GPC_OK or GPC_ERROR_CALLBACK. */
GPCI_INLINE gpc_status gpci_scheduler_pick(gpc_scheduler *scheduler, uint64_t cycle, bool memory, uint32_t *out_slot) {
    uint32_t slot = GPC_NO_WARP;
    gpci_scheduler_clock(scheduler, cycle);
    if (gpci_scheduler_gather(scheduler, memory)) {
        slot = gpci_scheduler_ask(scheduler, cycle);
        if (scheduler->kind == GPCI_SCHEDULER_TABLE && slot != GPC_NO_WARP &&
            !gpci_scheduler_possible(scheduler, slot, memory))
            return GPC_ERROR_CALLBACK;
    }
    *out_slot = slot;
    return GPC_OK;
}

GPCI_INLINE void gpci_scheduler_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle) {
    if (scheduler->kind == GPCI_SCHEDULER_GTO)
        ((gpci_gto_state *)scheduler->self)->greedy = slot;
    else if (scheduler->kind == GPCI_SCHEDULER_LRR)
        gpci_lrr_issued(scheduler->self, slot);
    else if (scheduler->ops->on_issue)
        scheduler->ops->on_issue(scheduler->self, slot, cycle);
    if (GPCI_UNLIKELY(scheduler->counts_issues))
        gpci_scheduler_tell_issued(scheduler, slot, cycle);
}

/* Number of older warps, for a running warp. */
GPCI_INLINE uint32_t gpci_scheduler_age(const gpc_scheduler *scheduler, uint32_t slot) {
    return scheduler->ages[slot];
}

GPCI_INLINE gpc_warp_class gpci_scheduler_class(const gpc_scheduler *scheduler, uint32_t slot) {
    const gpci_warp_word *word = &scheduler->map[slot / 64];
    if (!(word->eligible & gpci_warp_bit(slot)))
        return GPC_CLASS_THROTTLED;
    if (word->bypassing & gpci_warp_bit(slot))
        return GPC_CLASS_BYPASS;
    if (!scheduler->ops->class_of)
        return GPC_CLASS_CACHE;
    gpc_warp_class class_of = scheduler->ops->class_of(scheduler->self, slot);
    return (unsigned)class_of < GPC_CLASS_COUNT ? class_of : GPC_CLASS_CACHE;
}

/* Token of a warp at a level, 1 or 2. The class given by the policy (class_of) counts only for L1. */
GPCI_INLINE gpc_token gpci_scheduler_token(const gpc_scheduler *scheduler, uint32_t slot, unsigned level) {
    if (level == 1)
        return gpci_scheduler_class(scheduler, slot) == GPC_CLASS_BYPASS ? GPC_TOKEN_NONE : GPC_TOKEN_HELD;
    return scheduler->map[slot / 64].bypassing_l2 & gpci_warp_bit(slot) ? GPC_TOKEN_NONE : GPC_TOKEN_HELD;
}

/*
 * True if the limit or a throttle keeps a ready warp from issuing. After gpci_scheduler_gather has returned false, no
 * other warp is ready.
 */
GPCI_INLINE bool gpci_scheduler_throttles(const gpc_scheduler *scheduler, bool memory) {
    uint64_t any = 0;
    for (uint32_t i = 0; (scheduler->running > scheduler->limit || scheduler->throttle_count) && i < scheduler->words;
         i++) {
        const gpci_warp_word *word = &scheduler->map[i];
        any |= (word->ready & ~word->eligible) | (memory ? word->ready_memory & ~word->eligible_memory : 0);
    }
    return any != 0;
}

/* True if the policy or a throttle needs L1's events. */
GPCI_INLINE bool gpci_scheduler_wants_events(const gpc_scheduler *scheduler) {
    bool wants = scheduler->ops->on_cache_event != NULL;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        wants |= scheduler->throttles[i].ops->on_cache_event != NULL;
    return wants;
}

/* True if a throttle has an on_kernel function. */
GPCI_INLINE bool gpci_scheduler_heeds_kernels(const gpc_scheduler *scheduler) {
    bool heeds = false;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        heeds |= scheduler->throttles[i].ops->on_kernel != NULL;
    return heeds;
}

/* True if the policy or a throttle needs samples. */
GPCI_INLINE bool gpci_scheduler_wants_samples(const gpc_scheduler *scheduler) {
    bool wants = scheduler->ops->sample != NULL;
    for (uint32_t i = 0; i < scheduler->throttle_count; i++)
        wants |= scheduler->throttles[i].ops->sample != NULL;
    return wants;
}

#endif
