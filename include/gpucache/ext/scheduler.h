/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_SCHEDULER_H
#define GPUCACHE_EXT_SCHEDULER_H

#include <gpucache/counters.h>
#include <gpucache/ext/policies.h>

GPC_BEGIN_DECLS

/*
 * Warp scheduler: gets the states of its warps, and chooses the warp that issues. A host's core model can use a
 * scheduler without a hierarchy.
 *
 *   gpc_scheduler_start(s, warp)             a warp takes a slot; the youngest now
 *   gpc_scheduler_set_state(s, warp, state)  at every change of state
 *   gpc_scheduler_pick(s, cycle, memory)     in every cycle in which a warp may issue
 *   gpc_scheduler_set_state(s, warp, GPC_STATE_ABSENT)  the warp ended
 */

/* State of a warp in a cycle. */
typedef enum gpc_warp_state {
    GPC_STATE_ABSENT = 0,       /* no warp in this slot */
    GPC_STATE_READY = 1,        /* the next instruction may issue */
    GPC_STATE_READY_MEMORY = 2, /* the next instruction may issue if the memory pipeline accepts */
    GPC_STATE_STALLED = 3,      /* waits for a fixed latency or a busy unit */
    GPC_STATE_WAITING = 4,      /* waits for memory */
    GPC_STATE_BARRIER = 5,      /* waits for its block */
    GPC_STATE_COUNT
} gpc_warp_state;

/* Class of a warp (seeds/004 section 4.3): allocates in the cache, bypasses the cache, or does not run. */
typedef enum gpc_warp_class {
    GPC_CLASS_CACHE = 0, /* holds a token */
    GPC_CLASS_BYPASS = 1,
    GPC_CLASS_THROTTLED = 2,
    GPC_CLASS_COUNT
} gpc_warp_class;

#define GPC_NO_WARP UINT32_MAX

/* Event in the L1 of the scheduler's SM. */
typedef enum gpc_cache_event_kind {
    GPC_CACHE_EVENT_HIT = 0,
    GPC_CACHE_EVENT_MISS = 1,
    GPC_CACHE_EVENT_EVICT = 2
} gpc_cache_event_kind;

typedef struct gpc_cache_event {
    uint32_t kind;  /* gpc_cache_event_kind */
    uint32_t warp;  /* slot within the SM, of the warp that accessed, or whose fill evicts */
    uint32_t owner; /* for an eviction: the warp that fetched the line (l1.track_warps); else equal to `warp` */
    /* low 32 bits of the pc of the instruction that accessed, or whose fill evicts. Since: 0.2, 0 before */
    uint32_t pc;
    uint64_t line_address, cycle;
} gpc_cache_event;

/* Environment of an instance. Lives as long as the instance. */
typedef struct gpc_scheduler_env {
    size_t struct_size;
    uint32_t warps;     /* slots, numbered from 0 within the scheduler */
    uint32_t sm, index; /* SM, and index of the scheduler in the SM */
    uint32_t count;     /* schedulers of an SM: slot w is warp w * count + index of the SM */
    uint32_t sms;       /* SMs of the hierarchy, 1 without a hierarchy */
    uint64_t seed;
    void *warp_state;         /* zeroed, warps x warp_bytes; NULL if warp_bytes is 0 */
    const double *parameters; /* a value per declared parameter */
    const char *arguments;    /* text between the parentheses */
    void *user_data;          /* as registered */
    const char *const *texts; /* as in gpc_policy_env */
    const uint32_t *words;
    /*
     * For a throttle: block of shared_bytes + count x sms x shared_scheduler_bytes of its table. Schedulers connected
     * by gpc_scheduler_options.share_with share the block if their throttles have equal name and arguments. Otherwise
     * as in gpc_policy_env.
     */
    void *shared_state;
    gpc_context *context;
} gpc_scheduler_env;

/*
 * Table of a scheduler policy, with the rules of gpc_replacement_ops. The order number of a warp grows with every
 * start: the oldest running warp has the smallest number.
 */
typedef struct gpc_scheduler_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    size_t instance_bytes;
    size_t warp_bytes; /* bytes of state per warp slot */
    size_t reserved;   /* 0 */
    const gpc_parameter *parameters;
    size_t parameter_count;

    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_scheduler_env *env, char *message);
    void (*finish)(void *self);
    /* A warp began in `slot`, STALLED; on_state is not called for the start. [nothing] */
    void (*on_start)(void *self, uint32_t slot, uint64_t order);
    /*
     * The state of a warp changed. `after` GPC_STATE_ABSENT: the warp ended. Also called for changes between READY,
     * READY_MEMORY and STALLED. [nothing]
     */
    void (*on_state)(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
    /*
     * Choose among the slots with a set bit in `ready` (slot w = bit w % 64 of word w / 64; never empty). GPC_NO_WARP:
     * no warp in this cycle. If the function returns another slot, the call fails with GPC_ERROR_CALLBACK. A picked
     * warp has not issued yet: put the consequences of an issue into on_issue. Required.
     */
    uint32_t (*pick)(void *self, const uint64_t *ready, uint64_t cycle);
    /* The picked warp of `slot` issued. [nothing] */
    void (*on_issue)(void *self, uint32_t slot, uint64_t cycle);
    /* [GPC_CLASS_CACHE] */
    gpc_warp_class (*class_of)(void *self, uint32_t slot);
    /* Event of the SM's L1; event->warp is the SM's warp number. [nothing; L1 then reports no events] */
    void (*on_cache_event)(void *self, const gpc_cache_event *event);
    /* Statistics of the SM since the last sample, for gpc_stats_read; an unmeasured counter is 0. [nothing] */
    void (*sample)(void *self, const gpc_stats *stats, uint64_t cycle);
    /*
     * Storage of the policy in hardware, in bits, for env->warps slots, by the rule of gpc_replacement_ops.cost_bits.
     * [0 = not stated]
     */
    uint64_t (*cost_bits)(const gpc_scheduler_env *env);

    const gpc_text_parameter *texts;
    size_t text_count;
    /* As in gpc_replacement_ops; warp_state is saved by the library. [the scheduler cannot be saved] */
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    /*
     * The warp that begins in `slot` belongs to this thread block (gpc_scheduler_start_block); called before on_start.
     * [nothing]
     */
    void (*on_block)(void *self, uint32_t slot, uint32_t block);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_scheduler_ops;

/*
 * Throttles limit the warps of a scheduler that run or allocate in the cache: static and dynamic limits, CCWS, PCAL. A
 * scheduler's policy may have several throttles; every throttle sees the inputs of the policy:
 *
 *   gto + pcal(ebt=2)      lrr + blocks(limit=3) + ccws
 *
 * A warp is THROTTLED if a throttle says THROTTLED, else BYPASS if a throttle says BYPASS, else CACHE.
 */

/* Warps of a scheduler, as seen by a throttle. The arrays live for the call. */
typedef struct gpc_throttle_view {
    size_t struct_size;
    uint64_t cycle;         /* latest cycle known to the scheduler */
    const uint16_t *by_age; /* [running], slots of running warps, oldest first */
    const uint8_t *states;  /* [warps], gpc_warp_state */
    const uint32_t *blocks; /* [warps], thread block of every running warp (gpc_scheduler_start_block) */
    uint32_t running;
    uint32_t reserved;
} gpc_throttle_view;

/* Decisions of a throttle: bitmaps by slot (slot w = bit w % 64 of word w / 64), zeroed before `classify`. */
typedef struct gpc_throttle_classes {
    size_t struct_size;
    uint64_t *throttled;    /* may not issue */
    uint64_t *held;         /* may not issue memory instructions (CCWS's cutoff) */
    uint64_t *bypassing;    /* may issue, holds no token for L1 */
    uint64_t *bypassing_l2; /* may issue, holds no token for L2 */
    /* cycle of the next decision that would change by time alone; UINT64_MAX, the initial value, = never */
    uint64_t again;
    uint32_t others; /* 1: shared state has changed; the SM's other schedulers call `classify` in their next cycle */
    uint32_t reserved;
} gpc_throttle_classes;

/* Initial value for gpc_throttle_classify. Since: 0.2. */
#define GPC_THROTTLE_CLASSES_INIT \
    { sizeof(gpc_throttle_classes), NULL, NULL, NULL, NULL, 0, 0, 0 }

/* Table of a throttle, with the rules of gpc_scheduler_ops. */
typedef struct gpc_throttle_ops {
    size_t struct_size;
    const char *name, *summary, *source;
    size_t instance_bytes, warp_bytes;
    size_t reserved; /* 0 */
    const gpc_parameter *parameters;
    size_t parameter_count;

    gpc_status (*init)(void *self, const gpc_scheduler_env *env, char *message);
    void (*finish)(void *self);
    /* As in gpc_scheduler_ops, and called before `classify`. [nothing] */
    void (*on_start)(void *self, uint32_t slot, uint64_t order);
    void (*on_state)(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after);
    /*
     * Decide the class of every running warp. Called when a warp starts, ends, reaches or leaves a barrier; after an
     * event or a sample that returned true; and at `again`. A warp at a barrier should not take the place of another
     * warp: the barrier may wait for a throttled warp. If nothing issues or completes for deadlock.cycles, a timed
     * replay fails, whatever the value of `again`. Required.
     */
    void (*classify)(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes);
    /* As in gpc_scheduler_ops. Returns true to have `classify` called again. [nothing; L1 then reports no events] */
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
     * A kernel begins (gpc_scheduler_begin_kernel). `name` is mangled as in the trace, "" if unknown, and lives for the
     * call. Returns true to have `classify` called again. Since: 0.2. [nothing]
     */
    bool (*on_kernel)(void *self, const char *name);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_throttle_ops;

/* As gpc_context_register_replacement, for throttles and schedulers. Since: 0.3. */
GPC_API gpc_status gpc_context_register_throttle(gpc_context *context, const gpc_throttle_ops *ops, void *user_data,
                                                 void (*destroy)(void *user_data), gpc_error *error);
GPC_API gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);

/*
 * Hardware cost of a scheduler's policy and throttles, in bits, for `warps` slots, 1 to 1024. For policies of a cache
 * see gpc_policy_cost. The state of a warp, which every scheduler has, is not counted.
 *   spec      `name` or `name(parameter=value, ...)`, and throttles: `name + name(...)`
 *   out_bits  receives the cost; 0 if the policy states no cost
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_cost(const gpc_context *context, const char *spec, uint32_t warps, uint64_t *out_bits,
                                      gpc_error *error);

typedef struct gpc_scheduler_options {
    size_t struct_size;
    uint32_t warps; /* slots, 1 to 1024 */
    /*
     * Static warp limiting (SWL, Rogers et al., MICRO 2012): only the oldest N running warps may issue, and the next
     * warp takes over when a warp ends; 0 = no limit. A warp at a BARRIER is not counted, because the barrier may wait
     * for a warp beyond the limit.
     */
    uint32_t warp_limit;
    uint32_t sm, index; /* SM, below `sms`, and index of the scheduler, below `count`: some policies depend on them */
    uint32_t count;     /* schedulers of an SM; 0 = 1 */
    uint32_t sms;       /* 0 = 1 */
    const char *policy; /* `name` or `name(parameter=value, ...)`, and throttles: `name + name(...)`; NULL = "gto" */
    uint64_t seed;
    /*
     * Scheduler whose throttles share state with the new scheduler's throttles: another scheduler of the SM, or of SMs
     * that vote. Context, policy, throttles, warps, count and sms must be equal, otherwise creation fails. NULL: shares
     * nothing.
     */
    gpc_scheduler *share_with;
} gpc_scheduler_options;

#define GPC_SCHEDULER_OPTIONS_INIT \
    { sizeof(gpc_scheduler_options), 48, 0, 0, 0, 0, 0, NULL, 0, NULL }

/*
 * Create a scheduler without warps. Strings are copied. Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a field,
 * named in `error`); GPC_ERROR_NOT_FOUND (the policy); GPC_ERROR_MEMORY; or the status of the policy's init. Since:
 * 0.1.
 */
GPC_API gpc_status gpc_scheduler_create(gpc_context *context, const gpc_scheduler_options *options, gpc_scheduler **out,
                                        gpc_error *error);
GPC_API void gpc_scheduler_destroy(gpc_scheduler *scheduler);

/*
 * Begin a warp in a free slot, as the youngest, STALLED. Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (the slot
 * is taken). Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_start(gpc_scheduler *scheduler, uint32_t slot, gpc_error *error);

/* Begin a warp of a thread block, for throttles that limit blocks. gpc_scheduler_start uses block 0. Since: 0.1. */
GPC_API gpc_status gpc_scheduler_start_block(gpc_scheduler *scheduler, uint32_t slot, uint32_t block, gpc_error *error);

/*
 * Begin a kernel, before its first warp starts: for throttles that treat kernels differently (pcal's `kernels` and
 * `remember`). A replay calls the function for every timed kernel.
 *   name  of the kernel; NULL = ""
 * Returns GPC_OK; GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_scheduler_begin_kernel(gpc_scheduler *scheduler, const char *name, gpc_error *error);

/* Set the state of a warp. GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (no warp in the slot). Since: 0.1. */
GPC_API gpc_status gpc_scheduler_set_state(gpc_scheduler *scheduler, uint32_t slot, gpc_warp_state state,
                                           gpc_error *error);

/*
 * Choose the warp that issues in this cycle.
 *   memory    true if the memory pipeline accepts; if false, READY_MEMORY warps are no candidates
 *   out_slot  receives the slot; GPC_NO_WARP if no warp can or should issue; untouched on failure
 * The host then issues the warp, and calls gpc_scheduler_issued and gpc_scheduler_set_state.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_CALLBACK (the policy chose an impossible slot). Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_pick(gpc_scheduler *scheduler, uint64_t cycle, bool memory, uint32_t *out_slot,
                                      gpc_error *error);

/*
 * Report that the warp of `slot` issued. GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (no warp in the slot). Since: 0.1.
 */
GPC_API gpc_status gpc_scheduler_issued(gpc_scheduler *scheduler, uint32_t slot, uint64_t cycle, gpc_error *error);

/* Class of a warp. THROTTLED also if `warp_limit` holds the warp back, or if the slot is empty. Since: 0.1. */
GPC_API gpc_warp_class gpc_scheduler_class_of(const gpc_scheduler *scheduler, uint32_t slot);

/* Token of a warp at a level, 1 or 2, for its requests: HELD unless a throttle decides otherwise. Since: 0.1. */
GPC_API gpc_token gpc_scheduler_token_of(const gpc_scheduler *scheduler, uint32_t slot, unsigned level);

/* Number of running warps of a class; the three numbers sum to the running warps. Since: 0.1. */
GPC_API uint32_t gpc_scheduler_class_count(const gpc_scheduler *scheduler, gpc_warp_class class_of);

/*
 * Next cycle in which a throttle's decision changes by time alone, UINT64_MAX if never. A host that sleeps until a warp
 * is ready must call gpc_scheduler_pick in this cycle too. Since: 0.1.
 */
GPC_API uint64_t gpc_scheduler_next_change(const gpc_scheduler *scheduler);

/* Number of older running warps of the scheduler; GPC_NO_WARP if the slot is empty. Since: 0.1. */
GPC_API uint32_t gpc_scheduler_age_of(const gpc_scheduler *scheduler, uint32_t slot);

/*
 * Counters published by the policy and the throttles ("scheduler.pcal.tokens"), as gpc_cache_policy_value. Since: 0.2.
 */
GPC_API gpc_status gpc_scheduler_policy_value(const gpc_scheduler *scheduler, size_t index, gpc_policy_value *value,
                                              gpc_error *error);

/*
 * Pass an L1 event, or a sample, to the policy and the throttles.
 *   ids, values  [count] and [value_count], as received from a read: counts since the last sample. sm.*, scheduler.*,
 *                l1.*, load.* and instructions of the scheduler's SM, the rest (network, L2, DRAM, histograms) of the
 *                whole hierarchy. Counters without a value, absent counters and energies are passed as 0. Sample
 *                schedulers with shared state in order of SM and index, in the same cycle: in a timed replay every
 *                sample.period.
 * gpc_scheduler_sample returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL, an id of no counter of a hierarchy); GPC_ERROR_RANGE
 * (value_count is less than gpc_counter_values(ids, count)). Since: 0.1, and 0.3.
 */
GPC_API void gpc_scheduler_cache_event(gpc_scheduler *scheduler, const gpc_cache_event *event);
GPC_API gpc_status gpc_scheduler_sample(gpc_scheduler *scheduler, uint64_t cycle, const uint32_t *ids, size_t count,
                                        const uint64_t *values, size_t value_count, gpc_error *error);

GPC_END_DECLS

#endif
