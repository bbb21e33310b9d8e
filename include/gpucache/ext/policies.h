/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_POLICIES_H
#define GPUCACHE_EXT_POLICIES_H

/* Extension: tables of functions for policies of a host, and the registries. */

#include <gpucache/counters.h>

GPC_BEGIN_DECLS

/*
 * Statistics that the library lends to a callback: a period of a time series (gpc_sample_fn), a sample of a scheduler
 * or throttle, a kernel of a stream (gpc_kernel_result). Lives for the call.
 */
typedef struct gpc_stats gpc_stats;

/* Read counters of statistics that the library lends to a callback, as gpc_hierarchy_read. Any thread. Since: 0.3. */
GPC_API gpc_status gpc_stats_read(const gpc_stats *stats, const uint32_t *ids, size_t count, uint64_t *values,
                                  size_t value_count, gpc_error *error);

/*
 * Replacement policies.
 *
 * A policy is a table of functions and three sizes. The library allocates a zeroed slab per cache: the state of the
 * instance, the state of every set, the state of every line (index: set x ways + way). The functions get (set, way) and
 * a request, never an object. Therefore a policy can serve every cache of every simulator.
 *
 * Order of calls for an access:
 *   hit                          on_hit
 *   line resident, sectors not   on_sector_miss
 *   miss, then allocation        on_miss, [choose_victim, on_evict,] on_fill
 *   miss without allocation      on_miss
 * If the set has a free way, the cache takes the lowest free way and does not call choose_victim. on_fill is called
 * when the line gets its way. With allocate-on-miss the call comes before the data arrive. Many hosts ask for sectors
 * one at a time: the later sectors of a new line are sector misses, neither reuse nor on_hit.
 *
 * None of the functions may call into the library. They run on the thread of the call that caused them.
 */

#define GPC_MAX_WAYS 1024u
#define GPC_MAX_PARAMETERS 16u

/* Return value of choose_victim: change nothing and bypass the request. */
#define GPC_WAY_BYPASS UINT32_MAX

/* Number that configuration text may give: `name(parameter=value, ...)`. */
typedef struct gpc_parameter {
    const char *name;
    double initial; /* value if the text does not give the parameter */
    double minimum, maximum;
    bool whole;          /* true: whole numbers only */
    const char *meaning; /* a single line, with the unit */
} gpc_parameter;

/*
 * Word or text that configuration text may give: `name(signature=memory)`. If `name` is "", the list of arguments
 * without '=': `vote(lru, age-lru(bypass=1))`. Commas within parentheses do not separate arguments.
 */
typedef struct gpc_text_parameter {
    const char *name;
    const char *initial; /* value if the text does not give the parameter */
    const char *choices; /* allowed words, "pc|memory"; NULL = any text */
    const char *meaning; /* a single line */
} gpc_text_parameter;

/*
 * Inputs that a policy or predictor reads, or on which its decisions depend: fields of gpc_request, and calls about
 * more than the cache's lines. Every host gives GPC_READS_PLACE, (set, way) and the order of the calls; lru reads no
 * more. A host may have less to give. Such a host refuses a policy that reads more, and a policy that does not state
 * its inputs:
 * - coherent L1s of a hierarchy give all inputs except POLICY_WORD and BYTES;
 * - coherent slices of a hierarchy moreover do not give TOKEN, ADMISSION, WARP_EVENTS, SAMPLES and NEXT_USE;
 * - a gpc_coherence gives address, cycle, sm and kind.
 * A replacement policy that reads only PLACE is faster in batches (gpc_cache_access_many); the fields of its request
 * are then not those of the access.
 */
enum {
    GPC_READS_PLACE = 1 << 0,
    GPC_READS_ADDRESS = 1 << 1, /* `address`, gpc_eviction.line_address */
    GPC_READS_PC = 1 << 2,
    GPC_READS_CYCLE = 1 << 3,
    GPC_READS_NEXT_USE = 1 << 4,
    GPC_READS_BYTES = 1 << 5, /* `size`, `byte_mask`, `sector_mask`, `bytes_used` */
    GPC_READS_SM = 1 << 6,
    GPC_READS_WARP = 1 << 7,
    GPC_READS_WARP_AGE = 1 << 8,
    GPC_READS_BLOCK = 1 << 9,
    GPC_READS_KERNEL = 1 << 10,
    GPC_READS_POLICY_WORD = 1 << 11, /* `policy_word`, and the word in a reply */
    GPC_READS_TRANSACTIONS = 1 << 12,
    GPC_READS_KIND = 1 << 13,
    GPC_READS_SPACE = 1 << 14,
    GPC_READS_HINT = 1 << 15,
    GPC_READS_PRIORITY = 1 << 16,
    GPC_READS_TOKEN = 1 << 17,       /* `token`, `token_l2` */
    GPC_READS_ADMISSION = 1 << 18,   /* `admitted`; for a replacement policy also: may return GPC_WAY_BYPASS */
    GPC_READS_WARP_EVENTS = 1 << 19, /* on_warp_event */
    GPC_READS_SAMPLES = 1 << 20,     /* on_sample */
    GPC_READS_STALLS = 1 << 21       /* on_stall */
};

#define GPC_READS_EVERYTHING 0x3fffffu /* all bits above */
/*
 * Inputs that a gpc_request has by itself. Not included: NEXT_USE, POLICY_WORD, and the three that need calls
 * (WARP_EVENTS, SAMPLES, STALLS).
 */
#define GPC_READS_OF_REQUESTS 0x07f7efu

/* Cache for which a policy or predictor is made. Lives as long as the instance. */
typedef struct gpc_policy_env {
    size_t struct_size;
    uint32_t sets, ways;
    uint32_t line_bytes;
    uint32_t sectors;         /* per line; 1 = not sectored */
    uint32_t index;           /* index of the cache among the caches of its level, from 0 */
    uint32_t count;           /* number of caches of the level */
    uint64_t seed;            /* differs per cache; derived from the context's seed */
    void *set_state;          /* zeroed, sets x set_bytes; NULL if set_bytes is 0 */
    void *line_state;         /* zeroed, sets x ways x line_bytes of the table; NULL if line_bytes of the table is 0 */
    const double *parameters; /* a value per declared parameter, in declared order */
    const char *arguments;    /* text between the parentheses; "" without parentheses */
    void *user_data;          /* as registered */
    const char *const *texts; /* a text per declared text parameter; the elements of a list are joined by ", " */
    /*
     * a number per declared text parameter: index of the word in `choices`, from 0; 0 for a parameter without choices
     */
    const uint32_t *words;
    /*
     * Block of shared_bytes + count x shared_cache_bytes of the table. All caches of a hierarchy's level share the
     * block if their policies have equal name and arguments. A gpc_cache alone has its own block. The block is zeroed
     * before the first cache is made, and kept until the last cache is gone. If caches are made anew, old and new
     * caches may share the block for a time. NULL if the sizes are 0.
     */
    void *shared_state;
    gpc_context *context; /* context of the cache */
} gpc_policy_env;

/* Event of a warp of the SM that owns the cache. */
typedef enum gpc_warp_event_kind {
    GPC_WARP_START = 0,
    GPC_WARP_BARRIER = 1, /* the warp reached a block-wide barrier */
    GPC_WARP_EXIT = 2,
    GPC_KERNEL_START = 3, /* `warp` and `block` are 0 */
    GPC_KERNEL_END = 4
} gpc_warp_event_kind;

typedef struct gpc_warp_event {
    uint32_t kind; /* gpc_warp_event_kind */
    uint32_t sm, warp, block, kernel;
    uint32_t reserved;
    uint64_t cycle;
} gpc_warp_event;

/* Figures of an SM in a period (gpc_hierarchy_sample). */
typedef struct gpc_sample {
    size_t struct_size;
    uint64_t cycle;         /* end of the period; 0 without a clock */
    uint64_t cycles;        /* length of the period; 0 without a clock */
    uint64_t active_cycles; /* cycles of the period with a warp resident; without a clock: turns that the SM took */
    uint64_t instructions;  /* warp instructions that the SM issued */
    uint64_t reads;         /* sectors needed by reads of the cache */
    uint64_t read_hits;     /* sectors needed by reads and found in the cache */
} gpc_sample;

#define GPC_SAMPLE_INIT \
    { sizeof(gpc_sample), 0, 0, 0, 0, 0, 0 }

/*
 * Counter published by a policy, beside the counters of counters.h: decisions and their reasons. The strings live as
 * long as the instance. Since: 0.2.
 */
typedef struct gpc_policy_counter {
    size_t struct_size;
    const char *name;    /* [a-z0-9_]+ */
    const char *unit;    /* for example "transactions" */
    const char *meaning; /* a single line */
    /*
     * 0: a count; the values of instances are added. 1: a present level, or a peak; of several instances the largest is
     * shown
     */
    uint32_t is_level;
    uint32_t reserved;
    uint64_t value;
} gpc_policy_counter;

#define GPC_POLICY_COUNTER_INIT \
    { sizeof(gpc_policy_counter), NULL, NULL, NULL, 0, 0, 0 }

/*
 * Table of a replacement policy. A NULL function has the default in brackets. Registration copies the table up to
 * struct_size: a caller may be older or newer than the library.
 */
typedef struct gpc_replacement_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+, as in configuration text */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    size_t instance_bytes;
    size_t set_bytes;  /* bytes of state per set */
    size_t line_bytes; /* bytes of state per line */
    const gpc_parameter *parameters;
    size_t parameter_count; /* at most GPC_MAX_PARAMETERS */

    /*
     * Prepare `self`, zeroed. A status other than GPC_OK refuses the cache; `message` (256 bytes) may give the reason.
     * [GPC_OK]
     */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    /* Release resources that init acquired outside the slab. [nothing] */
    void (*finish)(void *self);
    /* `way` of `set` served the request, or some of its sectors. [nothing] */
    void (*on_hit)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    /*
     * No way of `set` holds the line. Not called again for later parts of the request (gpc_request.continues).
     * [nothing]
     */
    void (*on_miss)(void *self, uint32_t set, const gpc_request *request);
    /*
     * Choose a victim among the ways with a set bit in `candidates` (way w = bit w % 64 of word w / 64), or among all
     * ways if `candidates` is NULL. If the function returns another way, the access fails with GPC_ERROR_CALLBACK.
     * Required.
     */
    uint32_t (*choose_victim)(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request);
    /* `way` of `set` now belongs to the request's line. [nothing] */
    void (*on_fill)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    /* The line of `way` leaves to make room for the request's line. [nothing] */
    void (*on_evict)(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request);
    /* The line of `way` was invalidated. [nothing] */
    void (*on_invalidate)(void *self, uint32_t set, uint32_t way);
    /* A warp of the cache's SM started, reached a barrier or ended. [nothing] */
    void (*on_warp_event)(void *self, const gpc_warp_event *event);
    /*
     * Storage of the policy in hardware, in bits, in cache env->index of env->count equal caches. Storage shared by the
     * caches counts in cache 0. The state pointers of `env` are NULL. [0 = not stated]
     * Count the storage that the policy needs for its decisions and that a cache without a policy would not have:
     * - fields of lines and sets, including an order among a set's lines if the policy reads the order, even to settle
     *   ties only (LRU's order: ceil(log2(ways)) bits a line);
     * - tables with their tags, samplers, counters, registers, random generators.
     * Do not count: constants and wiring; the cache's own tags, valid and dirty bits; fields of a request; fields that
     * another unit keeps for its own elements, as a scheduler an id for each warp. If a paper counts less, a test finds
     * the paper's figure after it subtracts the rest.
     */
    uint64_t (*cost_bits)(const gpc_policy_env *env);

    const gpc_text_parameter *texts;
    size_t text_count;                       /* at most GPC_MAX_PARAMETERS; at most a single list */
    size_t shared_bytes, shared_cache_bytes; /* see gpc_policy_env.shared_state */
    /*
     * A period ended. Called for every cache of the level, in order of env->index, with the figures of its own SM.
     * [nothing]
     */
    void (*on_sample)(void *self, const gpc_sample *sample);
    /* true: the policy reads gpc_request.policy.next_use. A hierarchy without `l1.future` refuses the policy. */
    bool needs_future;
    /*
     * Question at a miss in a full set, if the data are requested before a way is chosen (allocation on fill, a
     * functional hierarchy): would choose_victim decline the request? True: the request bypasses, and fetches no more
     * than a bypass does. False: choose_victim is called at the fill, with request->policy.admitted = 1. If the
     * set has changed, choose_victim may still decline. Random numbers are drawn only once, in `declines`. [not asked;
     * choose_victim may decline when the data arrive]
     */
    bool (*declines)(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request);
    /*
     * All inputs that the policy may read, with any parameters: GPC_READS_ bits. 0 = not stated, taken as everything.
     */
    uint64_t reads;
    /*
     * Inputs that the policy reads with the parameters of `env`; not 0. The state pointers of `env` are NULL and its
     * geometry is 1. [reads]
     */
    uint64_t (*reads_with)(const gpc_policy_env *env);
    /*
     * Visit the policy's memory, for snapshots (gpc_hierarchy_save, gpc_hierarchy_copy). Call `visit` for every stretch
     * of memory that has changed since init, or may have changed. On saving `visit` reads the stretch. On loading
     * `visit` writes the stretch, in an instance made by init from the same spec and environment. Visit the stretches
     * in equal order and with equal sizes on saving and loading. The memory may not hold addresses. The library saves
     * set_state and line_state by itself; they may not hold addresses either. Every instance that uses shared state
     * visits the shared state. See gpc_state_fn. [the cache cannot be saved]
     */
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    /*
     * The request's line is in `way` of `set`, but without the sectors that the request needs: the sectors will be
     * fetched, or a store brings them. Also called if the request continues the request before (gpc_request.continues).
     * on_hit is not called. A policy that orders lines by recent use sets on_sector_miss to its on_hit; a policy that
     * counts a hit as reuse does not. [nothing; tables that end before this field: on_hit]
     */
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    /*
     * Fill in a counter of the policy. `counter` is zero except struct_size. Called with index 0, 1 and so on, until
     * the function returns false. The set of counters does not change. [no counters]
     */
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
} gpc_replacement_ops;

/*
 * Register a policy under its name.
 *   ops        copied
 *   user_data  reaches init as env->user_data; may be NULL
 *   destroy    called with user_data when the context goes, and also if this call fails; may be NULL
 * Returns GPC_OK; GPC_ERROR_EXISTS (the name is taken); GPC_ERROR_ARGUMENT (bad name, no choose_victim, bad parameter
 * table, unknown bits in `reads`); GPC_ERROR_ABI; GPC_ERROR_MEMORY. A table that ends before `reads`, compiled with an
 * older header, is accepted; its inputs are not stated. Since: 0.1.
 */
GPC_API gpc_status gpc_context_register_replacement(gpc_context *context, const gpc_replacement_ops *ops,
                                                    void *user_data, void (*destroy)(void *user_data),
                                                    gpc_error *error);

/* Registry to which a name belongs. */
typedef enum gpc_policy_kind {
    GPC_POLICY_REPLACEMENT = 0,
    GPC_POLICY_PREDICTOR = 1,
    GPC_POLICY_SCHEDULER = 2,  /* gpucache/ext/scheduler.h */
    GPC_POLICY_THROTTLE = 3,   /* gpucache/ext/scheduler.h */
    GPC_POLICY_PROTOCOL = 4,   /* gpucache/ext/coherence.h; without parameters */
    GPC_POLICY_PREFETCHER = 5, /* gpucache/ext/policies.h */
    GPC_POLICY_KIND_COUNT
} gpc_policy_kind;

/* A registered policy. The strings live as long as the context. */
typedef struct gpc_policy_info {
    size_t struct_size;
    const char *name, *summary, *source;
    const gpc_parameter *parameters;
    size_t parameter_count;
    bool builtin;
    const gpc_text_parameter *texts;
    size_t text_count;
} gpc_policy_info;

#define GPC_POLICY_INFO_INIT \
    { sizeof(gpc_policy_info), NULL, NULL, NULL, NULL, 0, false, NULL, 0 }

/*
 * Enumerate a registry, built-in policies first, in a fixed order. If index is not below the count, gpc_policy_at
 * returns GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT for a NULL; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API size_t gpc_policy_count(const gpc_context *context, gpc_policy_kind kind);
GPC_API gpc_status gpc_policy_at(const gpc_context *context, gpc_policy_kind kind, size_t index, gpc_policy_info *info,
                                 gpc_error *error);

/*
 * Hardware cost of a replacement policy, predictor or prefetcher, in bits, on a cache of the given geometry. For
 * schedulers see gpc_scheduler_cost.
 *   spec      `name` or `name(parameter=value, ...)`
 *   sectors   per line; 1 = not sectored
 *   out_bits  receives the cost; 0 if the policy states no cost
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec, uint32_t sets,
                                   uint32_t ways, uint32_t line_bytes, uint32_t sectors, uint64_t *out_bits,
                                   gpc_error *error);

/*
 * Hardware cost of a level of `caches` equal caches, 1 or more. Shared storage counts once. Arguments and statuses as
 * gpc_policy_cost. Since: 0.1.
 */
GPC_API gpc_status gpc_policy_level_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                                         uint32_t caches, uint32_t sets, uint32_t ways, uint32_t line_bytes,
                                         uint32_t sectors, uint64_t *out_bits, gpc_error *error);

/*
 * Inputs that a replacement policy or predictor reads with given parameters.
 *   spec       `name` or `name(parameter=value, ...)`
 *   out_reads  receives GPC_READS_ bits; 0 if the policy does not state its inputs, taken as everything
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_RANGE and GPC_ERROR_FORMAT (parameters); GPC_ERROR_ARGUMENT (a NULL,
 * or another kind of policy). Thread rule: the context's. Since: 0.1.
 */
GPC_API gpc_status gpc_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                                    uint64_t *out_reads, gpc_error *error);

/*
 * Counter published by policies, summed over all instances of an object. The name consists of the policy's place, the
 * policy's name and the counter's name: "l1.replacement.dip.selector", "scheduler.pcal.tokens".
 */
#define GPC_POLICY_VALUE_NAME 160
typedef struct gpc_policy_value {
    size_t struct_size;
    char name[GPC_POLICY_VALUE_NAME];
    const char *unit, *meaning; /* live as long as the policy */
    uint32_t is_level;          /* as in gpc_policy_counter */
    uint32_t instances;         /* number of instances with the counter */
    uint64_t value;             /* since the instances were made */
} gpc_policy_value;

#define GPC_POLICY_VALUE_INIT \
    { sizeof(gpc_policy_value), {0}, NULL, NULL, 0, 0, 0 }

/*
 * Bypass predictors decide for every request whether a miss may allocate. They are made as replacement policies are:
 * sizes, a zeroed slab, (set, way).
 *
 * Order of calls for an access at the predictor's level:
 *   [predict, if before_lookup is set: a bypass then skips the tags]
 *   lookup: on_hit, or on_sector_miss, or [predict, if before_lookup is not set]
 *   the request goes down with the prediction's word; `on_reply` gets the word of the reply and may overturn the
 *   prediction
 *   [on_evict of the victim,] on_fill; no call if the request bypassed
 * In the level below, the predictor's `respond` gives the word of the reply. Examples of words: AGCB's verification
 * through L2 (seeds/000 section 4) and PCAL's priority bit (seeds/004 section 4.2).
 *
 * None of the functions may call into the library.
 */

typedef struct gpc_prediction {
    uint32_t decision;    /* gpc_decision */
    uint32_t policy_word; /* goes down with the request */
} gpc_prediction;

typedef struct gpc_predictor_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    size_t instance_bytes, set_bytes, line_bytes;
    const gpc_parameter *parameters;
    size_t parameter_count;
    /* true: `predict` is called for every read before the tag lookup, hits included; for a store after a miss */
    bool before_lookup;

    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    /* Fill `prediction`, zeroed (= cache). Required. */
    void (*predict)(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction);
    /* `word` came back with the reply; return the decision that holds. [the prediction's] */
    gpc_decision (*on_reply)(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word);
    /*
     * This level served a request from above; return the word for the reply. `way` is UINT32_MAX if not resident. [0]
     */
    uint32_t (*respond)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_hit)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_fill)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    void (*on_evict)(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request);
    void (*on_invalidate)(void *self, uint32_t set, uint32_t way);
    void (*on_warp_event)(void *self, const gpc_warp_event *event);
    uint64_t (*cost_bits)(const gpc_policy_env *env); /* by the rule of gpc_replacement_ops.cost_bits */

    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    void (*on_sample)(void *self, const gpc_sample *sample);
    /*
     * Question for a load that a timed L1 holds up at its tags for `reason` (gpc_busy: LINE, MSHR or MISS_QUEUE): go
     * below without L1 (Jia et al., HPCA 2014)? Asked once for each reason of the wait. [GPC_CACHE: the load waits]
     */
    gpc_decision (*on_stall)(void *self, const gpc_request *request, uint32_t reason);
    /*
     * Name of the predictor that keeps this predictor's bits in the caches below, and responds to this predictor. If
     * the caches below have always-cache, a hierarchy gives them the named predictor. If they have another predictor,
     * the hierarchy is refused. [no predictor]
     */
    const char *below;
    /* As in gpc_replacement_ops. */
    uint64_t reads;
    uint64_t (*reads_with)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
    /*
     * As in gpc_replacement_ops: the line is in `way`, but without the needed sectors; or the request continues the
     * request before. on_hit and predict are not called. Set the function if a tag match counts as a use of the line.
     * [nothing; tables that end before this field: on_hit]. Since: 0.2
     */
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
} gpc_predictor_ops;

/* As gpc_context_register_replacement, for predictors. Since: 0.1. */
GPC_API gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                                  void (*destroy)(void *user_data), gpc_error *error);

/*
 * Prefetchers of L1s, and of L2's slices, with a clock (mode = timed, `l1.prefetcher`, `l2.prefetcher`). A prefetcher
 * sees the loads that an SM's L1 looks up, and names lines to fetch before a load asks for them (seeds/004 section
 * 2.2).
 *
 * Prefetches wait in a queue of `l1.prefetch_queue` lines for resources that loads leave free: a tag port in a cycle in
 * which no load is held up, an MSHR entry, a place in the miss queue. A prefetch is dropped if the queue is full, if
 * the line is resident or in flight, if the bypass predictor would not keep the line, or if the set has no way to give.
 * Otherwise the prefetch goes below like a load of the same instruction, with kind GPC_PREFETCH, and its line enters L1
 * as a load's line does.
 *
 * A slice's prefetcher sees all reads of the slice, by SMs, by prefetchers of their L1s and by ports: "load" below
 * means every such read. Like other policies of L2, the prefetcher gets and returns addresses within the slice: the
 * next line is the next line of the slice, wherever `l2.interleave` or `address.mapping` places the line. With two
 * partitions the prefetcher sees the reads of its own SMs. If the other partition owns a prefetched line, the line
 * comes from the other partition. Warp numbers are per SM: a warp is identified by SM and number. A prefetch counts as
 * a DRAM read, but not in L2's read sectors.
 *
 * None of the functions may call into the library. They run on the thread that runs the SM.
 */

/* Result of a load's lookup. */
typedef enum gpc_prefetch_found {
    GPC_PREFETCH_FOUND_HIT = 0,    /* all needed sectors are resident */
    GPC_PREFETCH_FOUND_FLIGHT = 1, /* missing sectors are in flight */
    GPC_PREFETCH_FOUND_MISS = 2
} gpc_prefetch_found;

/* A line of a load, at the tags. Valid for the length of the call. Since: 0.2. */
typedef struct gpc_prefetch_access {
    const gpc_request *request; /* aligned line address; pc, warp, block and so on of the instruction */
    /* L1: address, in bytes, of the instruction's lowest active lane; L2: address of the first segment to read */
    uint64_t lane_address;
    uint32_t lane;   /* lowest active lane; L2: 0 */
    uint32_t line;   /* index of the line among the instruction's lines, from 0, in the order of lanes; L2: 0 */
    uint8_t sectors; /* needed sectors, a bit per sector */
    uint8_t found;   /* gpc_prefetch_found */
    /* 1 = a prefetch brought the line, or is bringing the line, and this is the first load of the line */
    uint8_t prefetched;
    uint8_t level; /* 1: an L1; 2: a slice */
    uint8_t reserved[4];
} gpc_prefetch_access;

/* A line to fetch. */
typedef struct gpc_prefetch {
    uint64_t address; /* any byte of the line */
    uint8_t sectors;  /* sectors to fetch, a bit per sector; 0 = the sectors that the load needs of its own line */
    uint8_t reserved[7];
} gpc_prefetch;

/* Outcome of a prefetch. */
typedef enum gpc_prefetch_outcome {
    GPC_PREFETCH_USEFUL = 0,    /* a load found the line */
    GPC_PREFETCH_LATE = 1,      /* a load asked for the line while the line was in flight */
    GPC_PREFETCH_UNUSED = 2,    /* the line was replaced before the first load, or not kept */
    GPC_PREFETCH_REDUNDANT = 3, /* the line was resident, in flight or in the queue already */
    GPC_PREFETCH_DROPPED = 4    /* the queue was full, or the cache refused the line */
} gpc_prefetch_outcome;

#define GPC_MAX_PREFETCHES 32u /* per call of on_access */

/*
 * Table of a prefetcher, made as replacement policies are. `sets` and `ways` of gpc_policy_env are 0,
 * because launches may change them.
 */
typedef struct gpc_prefetcher_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+ */
    const char *summary; /* a single line */
    const char *source;  /* document and section, "" if unpublished */
    size_t instance_bytes;
    size_t reserved, reserved_too; /* 0 */
    const gpc_parameter *parameters;
    size_t parameter_count;
    const gpc_text_parameter *texts;
    size_t text_count;
    size_t shared_bytes, shared_cache_bytes;
    /* As in gpc_replacement_ops. */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    void (*finish)(void *self);
    /*
     * A load has been looked up; called once for every line of the load.
     *   out  [GPC_MAX_PREFETCHES], zeroed: lines to fetch, in order of need
     * Returns the number of lines. Required.
     */
    uint32_t (*on_access)(void *self, const gpc_prefetch_access *access, gpc_prefetch *out);
    /* Outcome of a prefetch; `outcome` is a gpc_prefetch_outcome. [nothing] */
    void (*on_outcome)(void *self, uint64_t line_address, uint32_t outcome);
    /*
     * By the rule of gpc_replacement_ops.cost_bits. The queue and the marks of prefetched lines belong to the cache.
     * [0]
     */
    uint64_t (*cost_bits)(const gpc_policy_env *env);
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter); /* as in gpc_replacement_ops */
} gpc_prefetcher_ops;

/* As gpc_context_register_replacement, for prefetchers. Since: 0.2. */
GPC_API gpc_status gpc_context_register_prefetcher(gpc_context *context, const gpc_prefetcher_ops *ops, void *user_data,
                                                   void (*destroy)(void *user_data), gpc_error *error);

GPC_END_DECLS

#endif
