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
    uint32_t pc;    /* the low 32 bits of the instruction's that accessed, or whose fill evicts. Since: 0.2, 0 before */
    uint64_t line_address, cycle;
} gpc_cache_event;

/* What an instance is made for. Lives as long as it. */
typedef struct gpc_scheduler_env {
    size_t struct_size;
    uint32_t warps;     /* slots, numbered from 0 within the scheduler */
    uint32_t sm, index; /* which SM, which of its schedulers */
    uint32_t count;     /* schedulers of an SM: slot w is warp w * count + index of the SM */
    uint32_t sms;       /* of the hierarchy, 1 where there is none */
    uint64_t seed;
    void *warp_state;         /* zeroed, warps x warp_bytes; NULL if warp_bytes is 0 */
    const double *parameters; /* one per declared parameter */
    const char *arguments;    /* the text between the parentheses */
    void *user_data;          /* as registered */
    const char *const *texts; /* as in gpc_policy_env */
    const uint32_t *words;
    /*
     * A throttle's: shared_bytes + count x sms x shared_scheduler_bytes of its table, one block for all schedulers made
     * with each other (gpc_scheduler_options.share_with) and this name and arguments. As in gpc_policy_env otherwise.
     */
    void *shared_state;
    gpc_context *context;
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
    /*
     * Storage that the policy would take in hardware, in bits, for env->warps slots, by the rule of
     * gpc_replacement_ops.cost_bits. [0 = not stated]
     */
    uint64_t (*cost_bits)(const gpc_scheduler_env *env);

    const gpc_text_parameter *texts;
    size_t text_count;
    /* As in gpc_replacement_ops; warp_state is saved besides. [it cannot be saved] */
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    /* The warp that begins in `slot` is of this thread block (gpc_scheduler_start_block); before on_start. [nothing] */
    void (*on_block)(void *self, uint32_t slot, uint32_t block);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_scheduler_ops;

/*
 * Throttles say which warps of a scheduler may run, and which may allocate in the cache: static and dynamic limits,
 * CCWS, PCAL. Any number of them, each seeing what the policy sees, stand on a scheduler's policy:
 *
 *   gto + pcal(ebt=2)      lrr + blocks(limit=3) + ccws
 *
 * A warp is THROTTLED where any of them says so, else BYPASS where any says so, else of class CACHE.
 */

/* The warps of a scheduler, as a throttle sees them. The arrays live for the call. */
typedef struct gpc_throttle_view {
    size_t struct_size;
    uint64_t cycle;         /* the latest that the scheduler was told of */
    const uint16_t *by_age; /* [running] slots of running warps, oldest first */
    const uint8_t *states;  /* [warps] gpc_warp_state */
    const uint32_t *blocks; /* [warps] thread block of each running warp (gpc_scheduler_start_block) */
    uint32_t running;
    uint32_t reserved;
} gpc_throttle_view;

/* What a throttle makes of them: bitmaps by slot (slot w = bit w % 64 of word w / 64), zeroed before `classify`. */
typedef struct gpc_throttle_classes {
    size_t struct_size;
    uint64_t *throttled;    /* may not issue */
    uint64_t *held;         /* may not issue what accesses memory (CCWS's cutoff) */
    uint64_t *bypassing;    /* may issue, holds no token for L1 */
    uint64_t *bypassing_l2; /* likewise, for L2 */
    uint64_t again;  /* cycle from which on it would decide otherwise by itself; UINT64_MAX, as it is set, = never */
    uint32_t others; /* 1: what it shares has changed: the SM's other schedulers are asked in their next cycle */
    uint32_t reserved;
} gpc_throttle_classes;

/* For gpc_throttle_classify. Since: 0.2. */
#define GPC_THROTTLE_CLASSES_INIT \
    { sizeof(gpc_throttle_classes), NULL, NULL, NULL, NULL, 0, 0, 0 }

/* The table, as gpc_scheduler_ops. */
typedef struct gpc_throttle_ops {
    size_t struct_size;
    const char *name, *summary, *source;
    size_t instance_bytes, warp_bytes;
    size_t reserved; /* 0 */
    const gpc_parameter *parameters;
    size_t parameter_count;

    gpc_status (*init)(void *self, const gpc_scheduler_env *env, char *message);
    void (*finish)(void *self);
    /* As in gpc_scheduler_ops, and before `classify` is asked about it. [nothing] */
    void (*on_start)(void *self, uint32_t slot, uint64_t order);
    void (*on_state)(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
    /*
     * Say what each running warp may do. Asked when a warp starts, ends, reaches or leaves a barrier; after an event
     * or a sample that returned true; and at `again`. A warp at a barrier should not take a place from others: what
     * it waits for may be throttled. A timed replay in which nothing issues or completes for deadlock.cycles fails,
     * whatever `again` says. Required.
     */
    void (*classify)(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes);
    /* As in gpc_scheduler_ops. True: ask `classify` anew. [nothing, and then L1 does not tell] */
    bool (*on_cache_event)(void *self, const gpc_cache_event *event);
    /* As gpc_scheduler_sample. [nothing] */
    bool (*sample)(void *self, const gpc_stats *stats, uint64_t cycle);
    uint64_t (*cost_bits)(const gpc_scheduler_env *env);

    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_scheduler_bytes;
    /* As in gpc_scheduler_ops. [nothing] */
    void (*on_issue)(void *self, uint32_t slot, uint64_t cycle);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    /*
     * A kernel begins (gpc_scheduler_begin_kernel): its name, mangled as in its trace, "" where it has none, for the
     * length of the call. True: ask `classify` anew. Since: 0.2. [nothing]
     */
    bool (*on_kernel)(void *self, const char *name);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_throttle_ops;

/*
 * As gpc_context_register_replacement, for throttles and schedulers.
 *   layout  of the struct that `sample` gets; lives as long as the context
 * Returns as that; GPC_ERROR_ABI also for a layout that is not understood. Since: 0.2.
 */
GPC_API gpc_status gpc_context_register_throttle_as(gpc_context *context, const gpc_throttle_ops *ops,
                                                    const gpc_layout *layout, void *user_data,
                                                    void (*destroy)(void *user_data), gpc_error *error);
GPC_API gpc_status gpc_context_register_scheduler_as(gpc_context *context, const gpc_scheduler_ops *ops,
                                                     const gpc_layout *layout, void *user_data,
                                                     void (*destroy)(void *user_data), gpc_error *error);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_context_register_throttle(gpc_context *context, const gpc_throttle_ops *ops,
                                                       void *user_data, void (*destroy)(void *user_data),
                                                       gpc_error *error) {
    return gpc_context_register_throttle_as(context, ops, gpc_stats_layout(), user_data, destroy, error);
}

static inline gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops,
                                                        void *user_data, void (*destroy)(void *user_data),
                                                        gpc_error *error) {
    return gpc_context_register_scheduler_as(context, ops, gpc_stats_layout(), user_data, destroy, error);
}

/*
 * Hardware cost of a scheduler's policy and throttles, in bits, for `warps` slots, 1 to 1024; gpc_policy_cost is for
 * what sits in a cache. What any scheduler has, a state per warp, is not counted.
 *   spec      `name` or `name(parameter=value, ...)`, and throttles: `name + name(...)`
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
    const char *policy; /* `name` or `name(parameter=value, ...)`, and throttles: `name + name(...)`; NULL = "gto" */
    uint64_t seed;
    /*
     * A scheduler of the same context, policy, throttles, warps, count and sms, with which this one's throttles share
     * what they share: the others of an SM, or of SMs that vote. Any other is refused. NULL: shares with none.
     */
    gpc_scheduler *share_with;
} gpc_scheduler_options;

#define GPC_SCHEDULER_OPTIONS_INIT \
    { sizeof(gpc_scheduler_options), 48, 0, 0, 0, 0, 0, NULL, 0, NULL }

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

/*
 * The same for a warp of a thread block, for throttles that limit blocks; gpc_scheduler_start takes it for block 0.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_start_block(gpc_scheduler *scheduler, uint32_t slot, uint32_t block);

/*
 * A kernel begins, before its first warp starts: for throttles that treat kernels differently (pcal's `kernels` and
 * `remember`). A replay tells its schedulers of each kernel that it times.
 *   name  of the kernel; NULL = ""
 * Returns GPC_OK; GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_scheduler_begin_kernel(gpc_scheduler *scheduler, const char *name);

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

/* The token of a warp at a level, 1 or 2, for its requests: HELD where no throttle says otherwise. Since: 0.1. */
GPC_API gpc_token gpc_scheduler_token_of(const gpc_scheduler *scheduler, uint32_t slot, unsigned level);

/* Running warps of a class; the three sum to those running. Since: 0.1. */
GPC_API uint32_t gpc_scheduler_class_count(const gpc_scheduler *scheduler, gpc_warp_class class_of);

/*
 * The cycle from which on a throttle would decide otherwise though nothing else happens, UINT64_MAX if none: a host
 * that sleeps until a warp is ready picks again then. Since: 0.1.
 */
GPC_API uint64_t gpc_scheduler_next_change(const gpc_scheduler *scheduler);

/* How many running warps of this scheduler are older; GPC_NO_WARP where the slot is empty. Since: 0.1. */
GPC_API uint32_t gpc_scheduler_age_of(const gpc_scheduler *scheduler, uint32_t slot);

/*
 * Counters that the policy and the throttles publish of themselves ("scheduler.pcal.tokens").
 * As gpc_cache_policy_value. Since: 0.2.
 */
GPC_API gpc_status gpc_scheduler_policy_value(const gpc_scheduler *scheduler, size_t index, gpc_policy_value *value);

/*
 * Pass an L1 event, or a sample, to the policy and the throttles.
 *   layout, stats  the host's struct, of what was counted since the last sample; sm.*, scheduler.*, l1.*, load.* and
 *          instructions of this scheduler's SM, the rest (network, L2, DRAM, histograms) of the whole hierarchy.
 *          What is absent, and energies, are told as 0. Schedulers that share are sampled in order of SM and index, at
 *          the same cycle: in a timed replay every sample.period.
 * gpc_scheduler_sample_as returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1, and 0.2.
 */
GPC_API void gpc_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event);
GPC_API gpc_status gpc_scheduler_sample_as(gpc_scheduler *scheduler, const gpc_layout *layout, const void *stats,
                                           uint64_t cycle);

/* The same for gpc_stats. Since: 0.1. */
static inline void gpc_scheduler_sample(gpc_scheduler *scheduler, const gpc_stats *stats, uint64_t cycle) {
    (void)gpc_scheduler_sample_as(scheduler, gpc_stats_layout(), stats, cycle);
}

/*
 * Throttles alone, for a host with a scheduler of its own: it says what its warps do, and is told which of them may
 * issue and which may allocate. What they decide is what they would on a gpc_scheduler to which the same happens.
 */
typedef struct gpc_throttle_options {
    size_t struct_size;
    uint32_t warps;                 /* slots, 1 to 1024 */
    uint32_t sm, index, count, sms; /* as in gpc_scheduler_options */
    uint32_t reserved;              /* 0 */
    const char *throttles; /* `name` or `name(parameter=value, ...)`, and more of them behind a `+`; not NULL */
    uint64_t seed;
    gpc_throttle *share_with; /* of the same context, throttles, warps, count and sms, as in gpc_scheduler_options */
} gpc_throttle_options;

#define GPC_THROTTLE_OPTIONS_INIT \
    { sizeof(gpc_throttle_options), 48, 0, 0, 0, 0, 0, NULL, 0, NULL }

/* As gpc_scheduler_create and _destroy. Since: 0.2. */
GPC_API gpc_status gpc_throttle_create(gpc_context *context, const gpc_throttle_options *options, gpc_error *error,
                                       gpc_throttle **out);
GPC_API void gpc_throttle_destroy(gpc_throttle *throttle);

/*
 * What the host's warps do, as gpc_scheduler_start_block, _set_state, _issued and _begin_kernel. A host that does not
 * know how a warp waits may tell GPC_STATE_READY and GPC_STATE_BARRIER alone, of throttles that do not count cycles
 * that warps wait (dyncta does). Since: 0.2.
 */
GPC_API gpc_status gpc_throttle_start(gpc_throttle *throttle, uint32_t slot, uint32_t block);
GPC_API gpc_status gpc_throttle_set_state(gpc_throttle *throttle, uint32_t slot, gpc_warp_state state);
GPC_API gpc_status gpc_throttle_issued(gpc_throttle *throttle, uint32_t slot, uint64_t cycle);
GPC_API gpc_status gpc_throttle_begin_kernel(gpc_throttle *throttle, const char *name);

/*
 * Events of the SM's L1, and samples, as gpc_scheduler_cache_event and _sample_as. gpc_throttle_cache_event returns
 * whether it was found anew what warps may do, so that the host asks; false for NULL. Since: 0.2.
 */
GPC_API bool gpc_throttle_cache_event(gpc_throttle *throttle, const gpc_cache_event *event);
GPC_API gpc_status gpc_throttle_sample_as(gpc_throttle *throttle, const gpc_layout *layout, const void *stats,
                                          uint64_t cycle);

/* The same for gpc_stats. Since: 0.2. */
static inline gpc_status gpc_throttle_sample(gpc_throttle *throttle, const gpc_stats *stats, uint64_t cycle) {
    return gpc_throttle_sample_as(throttle, gpc_stats_layout(), stats, cycle);
}

/* Can they be told of L1's events, or samples? Those that go by them decide nothing of use without. Since: 0.2. */
GPC_API bool gpc_throttle_wants_events(const gpc_throttle *throttle);
GPC_API bool gpc_throttle_wants_samples(const gpc_throttle *throttle);

/*
 * What all warps may do from `cycle` on, until something of the above happens, or `again`.
 *   classes  struct_size set; bitmaps of (warps + 63) / 64 words, NULL where not wanted: each is written whole, with
 *            bits of running warps alone. `others` is 1 where another that shares and is of the same SM has to be asked
 *            in its next cycle (its gpc_throttle_next_change is 0, too). NULL: time alone
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (`throttle` is NULL); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_throttle_classify(gpc_throttle *throttle, uint64_t cycle, gpc_throttle_classes *classes);

/* Of one warp, as gpc_scheduler_class_of and _token_of; `held`: it may not issue what accesses memory. Since: 0.2. */
GPC_API gpc_warp_class gpc_throttle_class_of(const gpc_throttle *throttle, uint32_t slot);
GPC_API gpc_token gpc_throttle_token_of(const gpc_throttle *throttle, uint32_t slot, unsigned level);
GPC_API bool gpc_throttle_held(const gpc_throttle *throttle, uint32_t slot);

/* As gpc_scheduler_next_change and _policy_value. Since: 0.2. */
GPC_API uint64_t gpc_throttle_next_change(const gpc_throttle *throttle);
GPC_API gpc_status gpc_throttle_policy_value(const gpc_throttle *throttle, size_t index, gpc_policy_value *value);

GPC_END_DECLS

#endif
