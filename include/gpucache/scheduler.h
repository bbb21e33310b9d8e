/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_SCHEDULER_H
#define GPUCACHE_SCHEDULER_H

#include <gpucache/policy.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * A warp scheduler: told of the states of its warps, asked which of them issues.
 * It stands alone: a host's core model needs no hierarchy to use one.
 *
 *   gpc_scheduler_start(s, warp)             a warp takes a slot; the youngest now
 *   gpc_scheduler_set_state(s, warp, state)  whenever it changes
 *   gpc_scheduler_pick(s, cycle, memory)     each cycle in which something may issue
 *   gpc_scheduler_set_state(s, warp, GPC_STATE_ABSENT)  it ended
 */

/* What a warp can do in this cycle. */
typedef enum gpc_warp_state {
    GPC_STATE_ABSENT = 0,       /* no warp in this slot */
    GPC_STATE_READY = 1,        /* its next instruction may issue */
    GPC_STATE_READY_MEMORY = 2, /* likewise, if the memory pipeline takes it */
    GPC_STATE_STALLED = 3,      /* waits for a fixed latency or a busy unit */
    GPC_STATE_WAITING = 4,      /* waits for memory */
    GPC_STATE_BARRIER = 5,      /* waits for its block */
    GPC_STATE_COUNT
} gpc_warp_state;

/* What a warp may do with the cache (seeds/004 section 4.3): allocate, pass it by, or not run at all. */
typedef enum gpc_warp_class {
    GPC_CLASS_CACHE = 0, /* holds a token */
    GPC_CLASS_BYPASS = 1,
    GPC_CLASS_THROTTLED = 2,
    GPC_CLASS_COUNT
} gpc_warp_class;

#define GPC_NO_WARP UINT32_MAX

/* Something that happened in the L1 of the scheduler's SM. */
typedef enum gpc_cache_event_kind {
    GPC_CACHE_EVENT_HIT = 0,
    GPC_CACHE_EVENT_MISS = 1,
    GPC_CACHE_EVENT_EVICT = 2
} gpc_cache_event_kind;

typedef struct gpc_cache_event {
    uint32_t kind;  /* gpc_cache_event_kind */
    uint32_t warp;  /* slot within the SM: that accessed, or whose fill evicts */
    uint32_t owner; /* of an eviction: the warp that had fetched the line (l1.track_warps); else as warp */
    uint32_t reserved;
    uint64_t line_address, cycle;
} gpc_cache_event;

/* What an instance is made for. Lives as long as it. */
typedef struct gpc_scheduler_env {
    size_t struct_size;
    uint32_t warps;           /* slots, numbered from 0 within the scheduler */
    uint32_t sm, index;       /* which SM, which of its schedulers */
    uint32_t count;           /* schedulers of an SM: slot w is warp w * count + index of the SM */
    uint32_t sms;             /* of the hierarchy, 1 where there is none */
    uint64_t seed;
    void *warp_state;         /* zeroed, warps x warp_bytes; NULL if warp_bytes is 0 */
    const double *parameters; /* one per declared parameter */
    const char *arguments;    /* the text between the parentheses */
    void *user_data;          /* as registered */
    const char *const *texts; /* as in gpc_policy_env */
    const uint32_t *words;
} gpc_scheduler_env;

/*
 * The table, as gpc_replacement_ops. A warp's order number grows with each start,
 * so that the oldest running warp has the smallest.
 */
typedef struct gpc_scheduler_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* one line */
    const char *source;  /* document and section, "" if none */
    size_t instance_bytes;
    size_t warp_bytes; /* of state per warp slot */
    size_t reserved;   /* 0 */
    const gpc_parameter *parameters;
    size_t parameter_count;

    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_scheduler_env *env, char *message);
    void (*finish)(void *self);
    /* A warp began in `slot`, STALLED; on_state is not called for it. [nothing] */
    void (*on_start)(void *self, uint32_t slot, uint64_t order);
    /*
     * A warp's state changed, from one to another; `after` GPC_STATE_ABSENT: it ended.
     * Changes between READY, READY_MEMORY and STALLED are told too. [nothing]
     */
    void (*on_state)(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
    /*
     * Choose among the slots whose bit is set in `ready` (slot w = bit w % 64 of word w / 64; never empty).
     * GPC_NO_WARP: none of them now. Another slot makes the call fail with GPC_ERROR_CALLBACK.
     * The warp does not issue for being picked: what follows from that belongs in on_issue. Required.
     */
    uint32_t (*pick)(void *self, const uint64_t *ready, uint64_t cycle);
    /* The warp of `slot`, picked, issued. [nothing] */
    void (*on_issue)(void *self, uint32_t slot, uint64_t cycle);
    /* [GPC_CLASS_CACHE] */
    gpc_warp_class (*class_of)(void *self, uint32_t slot);
    /* An event of the SM's L1; event->warp is the SM's number. [nothing, and then L1 does not tell] */
    void (*on_cache_event)(void *self, const gpc_cache_event *event);
    /* Statistics of the SM since the last sample. [nothing] */
    void (*sample)(void *self, const gpc_stats *stats, uint64_t cycle);
    /* Storage that the policy would take in hardware, in bits, for env->warps slots. [0 = not stated] */
    uint64_t (*cost_bits)(const gpc_scheduler_env *env);

    const gpc_text_parameter *texts;
    size_t text_count;
} gpc_scheduler_ops;

/* As gpc_context_register_replacement, for schedulers. Since: 0.1. */
GPC_API gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);

/*
 * Hardware cost of a scheduler's policy, in bits, for `warps` slots, 1 to 1024; gpc_policy_cost is for what sits in a
 * cache. What any scheduler has, a state per warp, is not counted.
 *   spec      `name` or `name(parameter=value, ...)`
 *   out_bits  receives the cost; 0 where the policy states none
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_cost(const gpc_context *context, const char *spec, uint32_t warps, gpc_error *error,
                                      uint64_t *out_bits);

typedef struct gpc_scheduler_options {
    size_t struct_size;
    uint32_t warps; /* slots, 1 to 1024 */
    /*
     * Static warp limiting (SWL, Rogers et al., MICRO 2012): at most the oldest N running warps are eligible, and the
     * next takes over when one ends; 0 = all. A warp at a BARRIER is not counted: it may wait for one beyond the limit.
     */
    uint32_t warp_limit;
    uint32_t sm, index; /* for policies that differ by them; below sms and count */
    uint32_t count;     /* schedulers of an SM; 0 = 1 */
    uint32_t sms;       /* 0 = 1 */
    const char *policy;  /* `name` or `name(parameter=value, ...)`; NULL = "gto" */
    uint64_t seed;
} gpc_scheduler_options;

#define GPC_SCHEDULER_OPTIONS_INIT {sizeof(gpc_scheduler_options), 48, 0, 0, 0, 0, 0, NULL, 0}

/*
 * Create a scheduler without warps. Strings are copied.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a field, named in `error`); GPC_ERROR_NOT_FOUND (the policy);
 * GPC_ERROR_MEMORY; what the policy's init returned. Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, gpc_error *error,
                                        gpc_scheduler **out);
GPC_API void gpc_scheduler_destroy(gpc_scheduler *scheduler);

/*
 * A warp begins in a free slot, as the youngest, STALLED.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (the slot is taken). Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_start(gpc_scheduler *scheduler, uint32_t slot);

/* A warp's state is now `state`. GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (no warp there). Since: 0.1. */
GPC_API gpc_status gpc_scheduler_set_state(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state state);

/*
 * Which warp issues in this cycle.
 *   memory    whether the memory pipeline accepts: if not, READY_MEMORY warps are no candidates
 *   out_slot  receives the slot, GPC_NO_WARP if none can or shall issue; untouched on failure
 * The host then issues it, and tells with gpc_scheduler_issued and the warp's next state.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_CALLBACK (the policy chose an impossible slot). Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_pick(gpc_scheduler *scheduler, uint64_t cycle, bool memory, uint32_t *out_slot);

/* The warp of `slot` issued. GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (no warp there). Since: 0.1. */
GPC_API gpc_status gpc_scheduler_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle);

/* A warp's class: THROTTLED also where `warp_limit` holds it back, or the slot is empty. Since: 0.1. */
GPC_API gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *scheduler, uint32_t slot);

/* How many running warps of this scheduler are older; GPC_NO_WARP where the slot is empty. Since: 0.1. */
GPC_API uint32_t gpc_scheduler_age_of(const gpc_scheduler *scheduler, uint32_t slot);

/* Pass an L1 event, or a sample of the SM's statistics, to the policy. Since: 0.1. */
GPC_API void gpc_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event);
GPC_API void gpc_scheduler_sample(gpc_scheduler *scheduler, const gpc_stats *stats, uint64_t cycle);

GPC_END_DECLS

#endif
