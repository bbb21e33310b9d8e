/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_POLICY_H
#define GPUCACHE_POLICY_H

#include <gpucache/context.h>

GPC_BEGIN_DECLS

/*
 * Replacement policies.
 *
 * A policy is a table of functions and three sizes. The library allocates one
 * zeroed slab per cache: an instance, one state per set, one state per line
 * (set x ways + way). A policy is told (set, way) and a request, never an
 * object, and so can serve any cache of any simulator.
 *
 * Order of calls for one access:
 *   hit                     on_hit
 *   line there, sectors not on_sector_miss
 *   miss, then allocation   on_miss, [choose_victim, on_evict,] on_fill
 *   miss without allocation on_miss
 * A free way is taken (the lowest) before choose_victim is asked. on_fill is
 * called when the line gets its way: with allocate-on-miss that is before the
 * data arrive. Where sectors are asked for one by one, as many hosts do, the others
 * of a line that has just come are sector misses: no reuse, and no on_hit.
 *
 * None of these functions may call into the library.
 * They run on the thread of the call that caused them.
 */

#define GPC_MAX_WAYS 1024u
#define GPC_MAX_PARAMETERS 16u

/* choose_victim's word for "leave everything as it is and bypass the request". */
#define GPC_WAY_BYPASS UINT32_MAX

/* A number that configuration text may give: `name(parameter=value, ...)`. */
typedef struct gpc_parameter {
    const char *name;
    double initial; /* value when the text does not give it */
    double minimum, maximum;
    bool whole;          /* only whole numbers */
    const char *meaning; /* one line, with the unit */
} gpc_parameter;

/*
 * A word or a text that configuration text may give, `name(signature=memory)`, or, where `name` is "", the list of
 * arguments without a '=', `vote(lru, age-lru(bypass=1))`. Commas within parentheses do not separate.
 */
typedef struct gpc_text_parameter {
    const char *name;
    const char *initial; /* value when the text does not give it */
    const char *choices; /* the words it may be, "pc|memory"; NULL = any text */
    const char *meaning; /* one line */
} gpc_text_parameter;

/*
 * What a policy or predictor reads, or its decisions depend on: fields of gpc_request, and calls that tell it of more
 * than its cache's lines. GPC_READS_PLACE, (set, way) and the order of the calls, is known to all: lru declares no
 * more. Who asks a policy may have less to tell, and then refuses one that reads more or does not state what it reads:
 * a hierarchy's coherent L1s tell all but POLICY_WORD and BYTES, its coherent slices besides neither TOKEN, ADMISSION,
 * WARP_EVENTS, SAMPLES nor NEXT_USE; a gpc_coherence tells address, cycle, sm and kind. A replacement policy that reads
 * PLACE alone is faster in batches (gpc_cache_access_many): its request's fields are not those of the access.
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
    GPC_READS_POLICY_WORD = 1 << 11, /* and the word that comes back with a reply */
    GPC_READS_TRANSACTIONS = 1 << 12,
    GPC_READS_KIND = 1 << 13,
    GPC_READS_SPACE = 1 << 14,
    GPC_READS_HINT = 1 << 15,
    GPC_READS_PRIORITY = 1 << 16,
    GPC_READS_TOKEN = 1 << 17,       /* `token`, `token_l2` */
    GPC_READS_ADMISSION = 1 << 18,   /* `admitted`; of a replacement policy also: it may answer GPC_WAY_BYPASS */
    GPC_READS_WARP_EVENTS = 1 << 19, /* on_warp_event */
    GPC_READS_SAMPLES = 1 << 20,     /* on_sample */
    GPC_READS_STALLS = 1 << 21       /* on_stall */
};

#define GPC_READS_EVERYTHING 0x3fffffu /* all of these */
/* What a gpc_request says by itself: not NEXT_USE, nor what takes calls or levels: POLICY_WORD and the last three. */
#define GPC_READS_OF_REQUESTS 0x07f7efu

/* The cache that a policy or predictor is made for. Lives as long as the instance. */
typedef struct gpc_policy_env {
    size_t struct_size;
    uint32_t sets, ways;
    uint32_t line_bytes;
    uint32_t sectors;         /* per line; 1 = not sectored */
    uint32_t index;           /* which of the caches of its level, from 0 */
    uint32_t count;           /* caches of its level */
    uint64_t seed;            /* differs per cache, derives from the context's seed */
    void *set_state;          /* zeroed, sets x set_bytes; NULL if set_bytes is 0 */
    void *line_state;         /* zeroed, sets x ways x line_bytes of the table; NULL if that is 0 */
    const double *parameters; /* one per declared parameter, in declared order */
    const char *arguments;    /* the text between the parentheses, "" if there is none */
    void *user_data;          /* as registered */
    const char *const *texts; /* one per declared text parameter; a list is joined by ", " */
    const uint32_t *words;    /* likewise: which of its choices it is, from 0; 0 where any text may stand */
    /*
     * shared_bytes + count x shared_cache_bytes of the table, one block for all caches of a hierarchy's level whose
     * policy has the same name and arguments; a cache on its own has its own. Zeroed before the first of them is made,
     * kept until the last is gone: when caches are made anew, theirs may overlap. NULL if the sizes are 0.
     */
    void *shared_state;
    gpc_context *context; /* the cache's */
} gpc_policy_env;

/* Something that happened to a warp of the SM whose cache this is. */
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

/* How an SM fared in a period (gpc_hierarchy_sample). */
typedef struct gpc_sample {
    size_t struct_size;
    uint64_t cycle;         /* at its end; 0 without a clock */
    uint64_t cycles;        /* its length; 0 without a clock */
    uint64_t active_cycles; /* of these, with a warp resident; without a clock, turns that the SM took */
    uint64_t instructions;  /* warp instructions that the SM issued */
    uint64_t reads;         /* sectors that reads of this cache needed */
    uint64_t read_hits;     /* of these, found */
} gpc_sample;

#define GPC_SAMPLE_INIT \
    { sizeof(gpc_sample), 0, 0, 0, 0, 0, 0 }

/* What is known of a line when it leaves. */
typedef struct gpc_eviction {
    uint64_t line_address; /* bytes, aligned to the line */
    uint32_t set, way;
    uint32_t reuse_count; /* hits since it was filled; 0 unless the cache tracks reuse */
    uint8_t valid_sectors;
    uint8_t dirty_sectors;
    uint8_t forced;  /* 1 = invalidated or flushed, not replaced */
    uint8_t process; /* of the line, in a hierarchy's on_evict (types.h); else 0. Since: 0.2 */
    /* bytes to write back, of lines of at most 128 bytes: all of dirty sectors, or with lazy fetch those written */
    uint64_t dirty_bytes[2];
} gpc_eviction;

/*
 * A counter that a policy publishes of itself, beside those of counters.h: what it decided and why. The strings live as
 * long as the instance. Since: 0.2.
 */
typedef struct gpc_policy_counter {
    size_t struct_size;
    const char *name;    /* [a-z0-9_]+ */
    const char *unit;    /* "transactions" */
    const char *meaning; /* one line */
    /* 0: it counts, and instances add up; 1: a level at this moment, or a peak, of which the largest is told */
    uint32_t is_level;
    uint32_t reserved;
    uint64_t value;
} gpc_policy_counter;

#define GPC_POLICY_COUNTER_INIT \
    { sizeof(gpc_policy_counter), NULL, NULL, NULL, 0, 0, 0 }

/*
 * The table. NULL function = the default in brackets. Copied at registration
 * up to struct_size, so a caller may be older or newer than the library.
 */
typedef struct gpc_replacement_ops {
    size_t struct_size;
    const char *name;    /* [a-z0-9-]+, as configuration text writes it */
    const char *summary; /* one line */
    const char *source;  /* document and section, "" if none */
    size_t instance_bytes;
    size_t set_bytes;  /* of state per set */
    size_t line_bytes; /* of state per line */
    const gpc_parameter *parameters;
    size_t parameter_count; /* at most GPC_MAX_PARAMETERS */

    /*
     * Prepare `self`, zeroed. A status other than GPC_OK refuses the cache; `message` (256 bytes) may say why. [GPC_OK]
     */
    gpc_status (*init)(void *self, const gpc_policy_env *env, char *message);
    /* Release what init acquired outside the slab. [nothing] */
    void (*finish)(void *self);
    /* `way` of `set` served the request, or sectors of it. [nothing] */
    void (*on_hit)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    /* No way of `set` holds the line, and the request does not continue one of which that was told. [nothing] */
    void (*on_miss)(void *self, uint32_t set, const gpc_request *request);
    /*
     * Choose among the ways whose bit is set in `candidates` (way w = bit w % 64
     * of word w / 64), or, where it is NULL, among all. A way outside makes the
     * access fail with GPC_ERROR_CALLBACK. Required.
     */
    uint32_t (*choose_victim)(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request);
    /* `way` of `set` now belongs to the request's line. [nothing] */
    void (*on_fill)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    /* The line of `way` leaves to make room for the request's. [nothing] */
    void (*on_evict)(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request);
    /* The line of `way` was invalidated. [nothing] */
    void (*on_invalidate)(void *self, uint32_t set, uint32_t way);
    /* A warp of this SM started, reached a barrier or ended. [nothing] */
    void (*on_warp_event)(void *self, const gpc_warp_event *event);
    /*
     * Storage that the policy would take in hardware, in bits, in cache env->index of env->count alike. What all share
     * counts in cache 0. The state pointers of `env` are NULL. [0 = not stated]
     * One rule for all: it counts whatever the policy needs to decide as it does and a cache without a policy would
     * not have: fields of lines and sets, with them an order among a set's lines wherever it is asked for, if only to
     * settle ties (LRU's: ceil(log2(ways)) bits a line), tables with their tags, samplers, counters, registers, random
     * generators. It does not count constants and wiring; the cache's own tags, valid and dirty bits; what a request
     * says; nor fields that another part keeps for each of its own, as a scheduler an id for each warp. Where a paper
     * counts less, its figure is what a test finds when it takes the rest away.
     */
    uint64_t (*cost_bits)(const gpc_policy_env *env);

    const gpc_text_parameter *texts;
    size_t text_count;                       /* at most GPC_MAX_PARAMETERS; at most one list */
    size_t shared_bytes, shared_cache_bytes; /* see gpc_policy_env.shared_state */
    /*
     * A period ended. Called for each cache of the level, in order of env->index, with its own SM's figures. [nothing]
     */
    void (*on_sample)(void *self, const gpc_sample *sample);
    /* It reads gpc_request.next_use: a hierarchy that does not know the future (`l1.future`) is refused. */
    bool needs_future;
    /*
     * Asked of what misses in a full set, where the data are sent for before a way is chosen (allocation on fill,
     * a functional hierarchy): would choose_victim decline it? True: it bypasses, and moves no more than a bypass does.
     * False: choose_victim is asked when the data are here, with request->admitted = 1, and may still decline for what
     * has changed since; what it draws by chance it has drawn. [it is not asked, and choose_victim may decline then]
     */
    bool (*declines)(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request);
    /* The most that it reads, whatever its parameters: GPC_READS_ bits. 0 = not stated, and taken for everything. */
    uint64_t reads;
    /* What it reads with the parameters of `env`, whose state pointers are NULL and geometry is 1; not 0. [reads] */
    uint64_t (*reads_with)(const gpc_policy_env *env);
    /*
     * For snapshots (gpc_hierarchy_save, gpc_hierarchy_copy): name every stretch of memory that has changed since init,
     * or may, by `visit`, which reads it when a snapshot is saved, and writes it when one is loaded into an instance
     * that init has made from the same spec and environment. In the same order and of the same sizes in both; without
     * addresses. set_state and line_state are saved besides, as they are: they hold no addresses either. Shared state
     * is for every instance that uses it to name. gpc_state_fn says more. [the cache cannot be saved]
     */
    void (*state)(void *self, gpc_state_fn visit, void *visit_data);
    /*
     * The request's line is in `way` of `set`, but no sector that it needs: they are sent for, or a store brings them.
     * Or the request continues the one before it (gpc_request.continues). Not told of on_hit. Policies that keep lines
     * by how recently they were used set this to the same function; those that take a hit for reuse do not. [nothing;
     * tables that end before this field: on_hit]
     */
    void (*on_sector_miss)(void *self, uint32_t set, uint32_t way, const gpc_request *request);
    /*
     * Tell a counter of one's own: fill `counter`, whose struct_size is set and whose rest is zero. Asked with index 0,
     * 1 and so on, until it returns false; which counters there are does not change. [there are none]
     */
    bool (*counter)(void *self, size_t index, gpc_policy_counter *counter);
} gpc_replacement_ops;

/*
 * Register a policy under its name.
 *   ops        copied
 *   user_data  reaches init as env->user_data; may be NULL
 *   destroy    called with user_data when the context goes, and also if this call fails; may be NULL
 * Returns GPC_OK; GPC_ERROR_EXISTS (the name is taken); GPC_ERROR_ARGUMENT (bad
 * name, no choose_victim, bad parameter table, unknown bits in `reads`);
 * GPC_ERROR_ABI; GPC_ERROR_MEMORY. A table that ends before `reads`, as compiled
 * against an older header, is accepted, and has not stated what it reads.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_context_register_replacement(gpc_context *context, const gpc_replacement_ops *ops,
                                                    void *user_data, void (*destroy)(void *user_data),
                                                    gpc_error *error);

/* Which registry a name belongs to. */
typedef enum gpc_policy_kind {
    GPC_POLICY_REPLACEMENT = 0,
    GPC_POLICY_PREDICTOR = 1,
    GPC_POLICY_SCHEDULER = 2,  /* gpucache/scheduler.h */
    GPC_POLICY_THROTTLE = 3,   /* likewise */
    GPC_POLICY_PROTOCOL = 4,   /* gpucache/coherence.h; without parameters */
    GPC_POLICY_PREFETCHER = 5, /* gpucache/prefetcher.h */
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
 * Enumerate a registry, built-in policies first, in a fixed order.
 * gpc_policy_at returns GPC_ERROR_RANGE where index is not below the count.
 * Since: 0.1.
 */
GPC_API size_t gpc_policy_count(const gpc_context *context, gpc_policy_kind kind);
GPC_API gpc_status gpc_policy_at(const gpc_context *context, gpc_policy_kind kind, size_t index, gpc_policy_info *info);

/*
 * Hardware cost of a replacement policy, predictor or prefetcher, in bits, on a cache of this
 * geometry; gpc_scheduler_cost is that of a scheduler.
 *   spec      `name` or `name(parameter=value, ...)`
 *   sectors   per line; 1 = not sectored
 *   out_bits  receives the cost; 0 where the policy states none
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec, uint32_t sets,
                                   uint32_t ways, uint32_t line_bytes, uint32_t sectors, gpc_error *error,
                                   uint64_t *out_bits);

/* The same for a level of `caches` alike, 1 or more: what they share counts once. Since: 0.1. */
GPC_API gpc_status gpc_policy_level_cost(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                                         uint32_t caches, uint32_t sets, uint32_t ways, uint32_t line_bytes,
                                         uint32_t sectors, gpc_error *error, uint64_t *out_bits);

/*
 * What a replacement policy or predictor reads with these parameters.
 *   spec       `name` or `name(parameter=value, ...)`
 *   out_reads  receives GPC_READS_ bits; 0 where the policy does not state it, which is taken for everything
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_RANGE and GPC_ERROR_FORMAT (parameters); GPC_ERROR_ARGUMENT (a NULL,
 * or another kind). Thread rule: the context's. Since: 0.1.
 */
GPC_API gpc_status gpc_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *spec,
                                    gpc_error *error, uint64_t *out_reads);

/*
 * A counter that policies publish, over all instances of an object. Names begin with the place of the policy and its
 * own name: "l1.replacement.dip.selector", "scheduler.pcal.tokens".
 */
#define GPC_POLICY_VALUE_NAME 160
typedef struct gpc_policy_value {
    size_t struct_size;
    char name[GPC_POLICY_VALUE_NAME];
    const char *unit, *meaning; /* live as long as the policy */
    uint32_t is_level;          /* as in gpc_policy_counter */
    uint32_t instances;         /* policies that have it */
    uint64_t value;             /* since they were made */
} gpc_policy_value;

#define GPC_POLICY_VALUE_INIT \
    { sizeof(gpc_policy_value), {0}, NULL, NULL, 0, 0, 0 }

GPC_END_DECLS

#endif
