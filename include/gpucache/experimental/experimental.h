/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXPERIMENTAL_EXPERIMENTAL_H
#define GPUCACHE_EXPERIMENTAL_EXPERIMENTAL_H

/* Experimental: reply credits, verification, messages in the order of a host, latencies by stage, persisting lines. */

#ifndef GPC_EXPERIMENTAL
#error "gpucache/experimental: these calls may change in every version; define GPC_EXPERIMENTAL to use them"
#endif

#include <gpucache/ext/coherence.h>
#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/*
 * Reply credits. A host's queue of replies is finite. With a clock the host may grant credits per SM. Every on_complete
 * of the SM takes a credit, for every kind of completion (an access, a fence, gpc_hierarchy_try_miss), except a
 * completion within gpc_hierarchy_try_issue. An SM without credits holds its replies back, in order. While a reply is
 * held:
 *   - nothing passes L1's tags: issued accesses wait, and are refused when l1.queue is full (GPC_BUSY_REPLY);
 *   - L1's fill port takes nothing: replies wait in the output buffer of the reply network. When the buffer is full,
 *     replies of other SMs wait too, and then L2's reply queues. In a tree of coherent modules the fill port continues,
 *     because messages that other modules wait for take the same path.
 * Replies of a single fill, and hits that had passed the tags, are held together: their places are L1's output. Entries
 * of L1's miss queue continue. A held store is not done for a later fence.
 *
 * Example, a response queue of eight: set 8 credits, and add 1 for every reply taken out of the queue.
 *
 *   GPC_UNLIMITED_CREDITS            no limit: the initial value of every SM
 *   gpc_hierarchy_set_reply_credits  set the number of credits
 *   gpc_hierarchy_add_reply_credits  add credits
 *   gpc_hierarchy_reply_credits      number of credits left; 0 also for NULL, for an unknown SM, and without a clock
 * The functions take effect in the next cycle; if replies wait, gpc_hierarchy_next_event returns this cycle. Credits
 * are part of a snapshot. Cycles with held replies count in l1.reply_stalls. Return GPC_OK; GPC_ERROR_ARGUMENT (NULL,
 * unknown SM); GPC_ERROR_STATE (no clock; a replay's SMs; _add without a limit); GPC_ERROR_RANGE (_add: more than
 * GPC_UNLIMITED_CREDITS - 1 in total). Not from within a callback. Since: 0.2.
 */
#define GPC_UNLIMITED_CREDITS UINT64_MAX
GPC_API gpc_status gpc_hierarchy_set_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits,
                                                   gpc_error *error);
GPC_API gpc_status gpc_hierarchy_add_reply_credits(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits,
                                                   gpc_error *error);
GPC_API uint64_t gpc_hierarchy_reply_credits(const gpc_hierarchy *hierarchy, uint32_t sm);

/*
 * Verification of a coherence protocol: visit all states that a small tree of caches can reach under the protocol, and
 * check the invariants in every state. Accesses run in either way: a single access at a time, each done at once; or
 * overlapping accesses, message by message. With overlap, the search tries every message that may arrive next (messages
 * between two modules stay in order), every refused access that may begin again, and every new access. The search
 * visits states by distance from the first state. Therefore the first violation has the fewest steps; the steps are the
 * result.
 *
 * Checks:
 *   one writer  a module in M or E has no peer with a valid copy; at most a single peer is in O; in every state
 *   structure   gpc_coherence_check: directories cover all copies, inclusion, permissions; whenever nothing is in
 *               flight
 *   value       protocols with a directory and without N: a load reads the last store. Otherwise, a single access at a
 *               time: the allowed effect of an access on every byte of every copy (lib/verify/verify_values.c).
 *               Otherwise, overlapping: a module reads its own stores, or stores that other modules made once or at the
 *               same time; after an acquire a module reads nothing that was stale when the acquire began
 *   lost byte   after a flush, whenever nothing is in flight, memory has the last store; with N, the last store of some
 *               module
 *   refused     no FORBID cell of the table is reached
 *   deadlock    something is in flight, and no event is possible
 *   livelock    events are always possible, but in no order do all accesses end; or messages go round forever and no
 *               access begins again
 *
 * The table of a protocol gives its promises. With DIRECTORY, and without an N_STORE of the first level that leads to
 * N: copies never differ. Without DIRECTORY, if ACQUIRE in S leads to I: a module has nothing stale after an acquire.
 *
 * The search identifies a state by a 128-bit hash of its canonical form. Trees have first-level caches of a single
 * block, unless their name says otherwise. They have 1 or 2 blocks, with 1 or 2 written bytes of value 0 or 1. If a
 * system is too large for a search, use random walks.
 *
 * Threads: a single thread at a time uses a verification, as every object of a context.
 */

#define GPC_VERIFY_TEXT 512u   /* characters of a text, with its NUL */
#define GPC_VERIFY_STEPS 2048u /* largest number of steps of a counterexample */

typedef enum gpc_verify_verdict {
    GPC_VERIFY_PASSED = 0,
    GPC_VERIFY_STRUCTURE = 1, /* writers, directories, inclusion, permissions */
    GPC_VERIFY_VALUE = 2,     /* a load or a copy differs from the stored value */
    GPC_VERIFY_LOST = 3,      /* a stored value is not in memory after a flush */
    GPC_VERIFY_REFUSED = 4,   /* the table forbids an event that happened */
    GPC_VERIFY_DEADLOCK = 5,
    GPC_VERIFY_LIVELOCK = 6
} gpc_verify_verdict;

/* Reason why a search ended before all states were visited. */
typedef enum gpc_verify_limit {
    GPC_VERIFY_ALL = 0, /* no limit: all reachable states were visited */
    GPC_VERIFY_LIMIT_STATES = 1,
    GPC_VERIFY_LIMIT_MEMORY = 2,
    GPC_VERIFY_LIMIT_CANCELLED = 3, /* by on_progress */
    GPC_VERIFY_LIMIT_VIOLATION = 4  /* the search ends with the first violation */
} gpc_verify_limit;

/*
 * Kinds of accesses to try, a bit per kind. Flushes, and acquires of all modules, happen only while nothing else is in
 * flight. With overlapping accesses, an acquire of a single module at a time overlaps with accesses.
 */
enum {
    GPC_VERIFY_LOADS = 1 << 0,
    GPC_VERIFY_STORES = 1 << 1,
    GPC_VERIFY_N_STORES = 1 << 2,
    GPC_VERIFY_FLUSHES = 1 << 3,
    GPC_VERIFY_ACQUIRES = 1 << 4
};

/* Progress of a search. */
typedef struct gpc_verify_progress {
    uint64_t states, edges; /* number of visited states; number of steps taken from a state to a state */
    uint64_t waiting;       /* known states whose steps have not been taken yet */
    uint64_t bytes;         /* bytes of memory for states */
    uint32_t depth;         /* steps from the first state */
    uint32_t reserved;
} gpc_verify_progress;

typedef struct gpc_verify_options {
    size_t struct_size;
    const char *protocol; /* name of a registered protocol */
    const char *tree;     /* gpc_verify_tree_name; NULL: the first tree */
    uint32_t blocks;      /* 1 or 2 */
    uint32_t bytes;       /* written bytes of every block: 1 or 2 */
    /* accesses of a first-level module at a time, 1 to 4; 0: a single access in the whole tree, done at once */
    uint32_t in_flight;
    /*
     * GPC_VERIFY_ bits; 0: loads and stores, n-stores if the protocol has N, acquires if the protocol needs them for
     * fresh data; with in_flight = 0: all kinds
     */
    uint32_t kinds;
    uint32_t entries;  /* as in gpc_coherence_hold */
    uint32_t channels; /* as in gpc_coherence_hold */
    uint64_t states;   /* limit of states; 0: no limit */
    uint64_t memory;   /* limit of bytes for states; 0: no limit */
    /* with in_flight: number of random walks instead of a search, by the context's seed; 0: search */
    uint64_t walks;
    uint64_t interval; /* states, or walks, between two calls of on_progress; 0: 4096 */
    /* true: lookups and data take time, during which other events happen; overlapping accesses only */
    bool latencies;
    bool symmetry; /* true: states that differ only by exchanged caches count as equal, if the merge is sound */
    bool coherent; /* true: the protocol promises that a load reads the last store, even with N in its table */
    uint8_t reserved[5];
    void *user_data;
    /* Progress callback. Return false to end the search. May be NULL. May call nothing of the context. */
    bool (*on_progress)(void *user_data, const gpc_verify_progress *progress);
} gpc_verify_options;

#define GPC_VERIFY_OPTIONS_INIT \
    { sizeof(gpc_verify_options), NULL, NULL, 1, 1, 1, 0, 0, 3, 0, 0, 0, 0, false, true, false, {0}, NULL, NULL }

typedef struct gpc_verify_report {
    size_t struct_size;
    uint64_t states, edges; /* number of visited states, or of walks; number of steps taken */
    uint64_t bytes;         /* bytes of memory for states at the end */
    /* a sentence that names the violation, or "". Borrowed until the verification is destroyed */
    const char *text;
    uint32_t depth;      /* steps from the first state to the last visited state */
    uint32_t verdict;    /* gpc_verify_verdict */
    uint32_t limit;      /* gpc_verify_limit */
    uint32_t step_count; /* number of steps of the counterexample */
    uint64_t address;    /* address of the wrong byte */
    /* module with the wrong byte; GPC_NO_MODULE: wrong for all modules, and in memory after a flush */
    uint32_t module;
    uint8_t wrong;     /* 1: address, module and `value` describe a wrong byte */
    uint8_t value;     /* value of the wrong byte; right would be the other of 0 and 1 */
    uint8_t cut;       /* 1: the counterexample is longer than GPC_VERIFY_STEPS; the first steps are missing */
    uint8_t symmetric; /* 1: symmetry was used */
} gpc_verify_report;

#define GPC_VERIFY_REPORT_INIT \
    { sizeof(gpc_verify_report), 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef enum gpc_verify_step_kind {
    GPC_VERIFY_ACCESS = 0, /* a whole access */
    GPC_VERIFY_ISSUE = 1,  /* the start of an access */
    GPC_VERIFY_CHOICE = 2, /* gpc_coherence_choose */
    GPC_VERIFY_FLUSH = 3,
    GPC_VERIFY_ACQUIRE = 4
} gpc_verify_step_kind;

/* A step of a counterexample. */
typedef struct gpc_verify_step {
    size_t struct_size;
    uint64_t address;  /* address of the access, or of the block of a choice */
    const char *text;  /* the step in words; borrowed until the verification is destroyed */
    uint32_t kind;     /* gpc_verify_step_kind */
    uint32_t module;   /* index; GPC_NO_MODULE: all */
    uint32_t access;   /* gpc_coherence_kind */
    uint32_t flags;    /* GPC_ACCESS_ bits */
    uint32_t size;     /* bytes of the access */
    uint32_t value;    /* stored value */
    uint32_t index;    /* for a choice: index in gpc_coherence_get_choice */
    uint32_t choice;   /* gpc_choice_kind */
    uint32_t message;  /* for a choice: gpc_message_kind */
    uint32_t from, to; /* for a choice: indices of modules */
    uint32_t reserved;
} gpc_verify_step;

#define GPC_VERIFY_STEP_INIT \
    { sizeof(gpc_verify_step), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct gpc_verify gpc_verify;

/*
 * Explore a protocol in a tree. Returns GPC_OK with every verdict; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT;
 * GPC_ERROR_NOT_FOUND (protocol, tree); GPC_ERROR_UNSUPPORTED (gpc_coherence_issue does not support the protocol or
 * tree, with overlapping accesses); GPC_ERROR_MEMORY (out of memory; not for gpc_verify_options.memory). Since: 0.2.
 */
GPC_API gpc_status gpc_verify_run(gpc_context *context, const gpc_verify_options *options, gpc_verify **out,
                                  gpc_error *error);
/* NULL is allowed. Since: 0.2. */
GPC_API void gpc_verify_destroy(gpc_verify *verify);
/* Get the result. Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2. */
GPC_API gpc_status gpc_verify_get_report(const gpc_verify *verify, gpc_verify_report *report, gpc_error *error);
/*
 * Get a step of the counterexample, by index from 0. Returns GPC_OK; GPC_ERROR_RANGE (past the last);
 * GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_get_step(const gpc_verify *verify, uint32_t index, gpc_verify_step *step,
                                       gpc_error *error);

/*
 * Get a system that is worth exploring, by index from 0: `options` receives tree, blocks, bytes and in_flight; its
 * other fields stay. Systems with a single access at a time come first, from small to large, then systems with
 * overlapping accesses. Under a protocol two systems never have equal numbers of states and edges, except systems that
 * the protocol makes equal: writing through and writing around. Returns GPC_OK; GPC_END (past the last);
 * GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Any thread. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_system(uint32_t index, gpc_verify_options *options, gpc_error *error);

/* Names of the trees, from 0 on; NULL beyond the last. Any thread. Since: 0.2. */
GPC_API const char *gpc_verify_tree_name(uint32_t index);
/*
 * Make the tree of a search, for inspection and replay; the caller destroys the tree. Options as for gpc_verify_run,
 * without the options of the search. Statuses as gpc_coherence_create. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_make_tree(gpc_context *context, const gpc_verify_options *options, gpc_coherence **out,
                                        gpc_error *error);

/*
 * Held trees: time stands still, and the host chooses the next event. The host can make messages arrive in every order
 * (gpc_verify_run tries all orders). Work that gpc_coherence_issue begins, or that follows from a choice at once,
 * happens at once. Then every message waits in order between its two modules, until the host chooses the message. Work
 * that would take cycles, and a refused access that begins again, wait for a choice too.
 */
typedef enum gpc_choice_kind {
    GPC_CHOICE_MESSAGE = 0, /* the first message from a module to another module arrives */
    GPC_CHOICE_STEP = 1,    /* work in a module ends: a lookup, reading or writing data */
    GPC_CHOICE_RETRY = 2    /* a refused access begins again */
} gpc_choice_kind;

typedef struct gpc_coherence_choice {
    size_t struct_size;
    uint64_t address;  /* address of the block */
    uint32_t kind;     /* gpc_choice_kind */
    uint32_t message;  /* gpc_message_kind */
    uint32_t from, to; /* indices of modules; equal if the choice is no message */
    /* 0: cannot be chosen yet, because the receiver has locked the block and has no room for the message */
    uint8_t ready;
    uint8_t reserved[7];
} gpc_coherence_choice;

#define GPC_COHERENCE_CHOICE_INIT                         \
    {                                                     \
        sizeof(gpc_coherence_choice), 0, 0, 0, 0, 0, 0, { \
            0                                             \
        }                                                 \
    }

/*
 * Hold a tree forever, before the first gpc_coherence_issue. From then on gpc_coherence_advance, with any cycle, begins
 * the issued accesses and detects deadlocks; the result of gpc_coherence_next_event is meaningless.
 *   entries   capacity of a queue between two modules, in messages. If the queue is full, a sender waits. A probe that
 *             finds its block locked waits in its queue, in front of later messages. 0: unlimited, and no probe waits
 *             in a queue
 *   channels  queues from a module to another: 1, or 3: requests, forwarded requests (probes), responses
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (accesses have been issued); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_hold(gpc_coherence *coherence, uint32_t entries, uint32_t channels, gpc_error *error);

/*
 * Get a possible next event of a held tree, by index from 0. Returns GPC_OK; GPC_ERROR_RANGE (past the last);
 * GPC_ERROR_ARGUMENT (the tree is not held); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_choice(const gpc_coherence *coherence, uint32_t index,
                                            gpc_coherence_choice *choice, gpc_error *error);

/*
 * Choose the next event, and perform the event and its immediate consequences. All indices change. Returns GPC_OK;
 * GPC_ERROR_RANGE (unknown index, or not ready); GPC_ERROR_ARGUMENT (the tree is not held); GPC_ERROR_STATE as
 * gpc_coherence_advance: an event that the protocol forbids, a deadlock; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_choose(gpc_coherence *coherence, uint32_t index, gpc_error *error);

/*
 * Stages of an access: why a request took 900 cycles. With the key `stats.stages` (mode = timed) a hierarchy reports
 * the core cycles of every access in every stage (gpc_completion.stages), and sums them: over all accesses (counters
 * `stages.*`), and by instruction, kind and level (gpc_hierarchy_stages).
 *
 * The stages of an access sum exactly to the cycles from acceptance to completion. An access of several lines has the
 * stages of its last completed line, which the access has waited for. If a line sends a request below, the line has the
 * stages of the request. If a line waits for another line's request, the wait is in MERGED or L2_MERGED. In a tree of
 * coherent modules, messages of a transaction travel side by side: the last received message counts. The queues of a
 * host's memory (on_memory) and of `dram.model = fixed` are not visible: their time is in DRAM.
 *
 * Example, a load that misses everywhere, alone, preset gtx480: 35 cycles before and in L1's tags, then REQUEST,
 * L2_QUEUE, L2, DRAM_QUEUE, DRAM, L2, REPLY, and FILL.
 * X(identifier, value, "name", "meaning")
 */
#define GPC_STAGE_LIST(X)                                                                                           \
    X(GPC_STAGE_QUEUE, 0, "queue", "before L1's tags: the load/store unit, issue latency, ports, fences before it") \
    X(GPC_STAGE_L1_STALL, 1, "l1_stall", "held up at L1's tags: reservation failures")                              \
    X(GPC_STAGE_L1, 2, "l1", "L1's tags, and its data where they are found there")                                  \
    X(GPC_STAGE_MERGED, 3, "merged", "waits above L2 for what another asked for: MSHR entry, LRC, combined store")  \
    X(GPC_STAGE_REQUEST, 4, "request", "L1's miss queue and the networks towards L2")                               \
    X(GPC_STAGE_L2_QUEUE, 5, "l2_queue",                                                                            \
      "before L2's tags, and held up at them; a cluster's cache and a GL1 likewise")                                \
    X(GPC_STAGE_L2, 6, "l2", "L2's tags, fill, data port and atomic unit; a cluster's cache and a GL1 likewise")    \
    X(GPC_STAGE_L2_MERGED, 7, "l2_merged", "waits at an MSHR entry of L2 or a GL1 for what another asked for")      \
    X(GPC_STAGE_PARTITION, 8, "partition", "to the other partition of L2, or another GPU, and back")                \
    X(GPC_STAGE_DRAM_QUEUE, 9, "dram_queue", "L2's miss queue, the link to memory, and the channel's queue")        \
    X(GPC_STAGE_DRAM, 10, "dram", "from its first DRAM command until its data are there")                           \
    X(GPC_STAGE_REPLY, 11, "reply", "the networks back, the queues before them, and L1's fill port")                \
    X(GPC_STAGE_FILL, 12, "fill", "in its SM again: until the host has it")                                         \
    X(GPC_STAGE_COHERENCE, 13, "coherence", "waits for others: a tree's probes, locks and refusals; fences, acquires")

typedef enum gpc_stage {
#define X(id, value, name, meaning) id = value,
    GPC_STAGE_LIST(X)
#undef X
        GPC_STAGE_COUNT
} gpc_stage;

/*
 * Accesses of an instruction, a kind and a level. A read-only record of the library; a later version may have more
 * fields.
 */
typedef struct gpc_stage_row {
    uint64_t pc;     /* UINT64_MAX: fences */
    uint32_t kernel; /* launch number, as gpc_request.kernel */
    uint8_t kind;    /* gpc_kind; GPC_KIND_COUNT: fences */
    uint8_t level;   /* deepest level that served the accesses: 1, 2, or 3 = DRAM */
    uint8_t reserved[2];
    uint64_t accesses;      /* number of completed accesses */
    uint64_t latency;       /* cycles from acceptance to completion, summed over the accesses: the sum of `stages` */
    uint64_t longest;       /* cycles of the longest access */
    const uint64_t *stages; /* [stage_count], cycles in every stage; lives for the call */
    uint32_t stage_count;   /* GPC_STAGE_COUNT of the library */
    uint32_t reserved_2;
} gpc_stage_row;

/* May call functions marked "any thread", and no function of the hierarchy. */
typedef void (*gpc_stage_fn)(void *user_data, const gpc_stage_row *row);

/*
 * Report all rows since the last reset of the statistics, rows with the most cycles first. Accesses that touch no
 * modelled memory are in no row. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (without stats.stages);
 * GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_stages(const gpc_hierarchy *hierarchy, gpc_stage_fn on_row, void *user_data,
                                        gpc_error *error);

/* Names and meanings of the list above, "" for an unknown number. Static. Thread rule: any thread. Since: 0.2. */
GPC_API const char *gpc_stage_name(unsigned stage);
GPC_API const char *gpc_stage_meaning(unsigned stage);

/*
 * Lines that persist in L2, as on GPUs from compute capability 8.0 on (CUDA programming guide, "L2 Cache Control"; CUDA
 * driver API, CUaccessPolicyWindow). The keys `l2.window_*` set a window from the start. The key `l2.persisting` sets
 * the part of L2 that is set aside for persisting lines (cudaLimitPersistingL2CacheSize).
 *
 * A window splits its lines at random: `hit_ratio` % of the lines have the priority `hit` in L2, the rest has the
 * priority `miss`. The choice of a line never changes. An instruction's own priority, or its hint CS, takes precedence.
 * L1 ignores the window.
 *
 * Example, a table of 2 MiB that every kernel reads, beside streams: `bytes` 2 MiB, hit = LAST, l2.persisting = 2MiB.
 * For a table of 8 MiB with 2 MiB set aside: hit_ratio = 25, so that the persisting lines fit the part set aside.
 */
typedef struct gpc_access_window {
    size_t struct_size;
    uint64_t begin;     /* address of the first byte */
    uint64_t bytes;     /* length; 0: no window, and the other fields are ignored */
    uint32_t hit_ratio; /* percentage of the lines, 0 to 100 */
    uint8_t hit;        /* gpc_priority of `hit_ratio` % of the lines: LAST persists, FIRST streams, NORMAL */
    uint8_t miss;       /* gpc_priority of the rest: NORMAL or FIRST */
    uint8_t process;    /* process of `begin` (types.h); the keys l2.window_* are for process 0 */
    uint8_t reserved[1];
} gpc_access_window;

#define GPC_ACCESS_WINDOW_INIT                                                       \
    {                                                                                \
        sizeof(gpc_access_window), 0, 0, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL, 0, { \
            0                                                                        \
        }                                                                            \
    }

/*
 * Replace the window from now on; NULL: no window. Lines in L2 keep their priority. Returns GPC_OK; GPC_ERROR_ABI;
 * GPC_ERROR_ARGUMENT, `error` naming the field; GPC_ERROR_STATE (something is in flight); GPC_ERROR_UNSUPPORTED
 * (without L2, in a tree of coherent modules, or hit LAST with `l2.persisting` = 0B). Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_set_window(gpc_hierarchy *hierarchy, const gpc_access_window *window,
                                            gpc_error *error);

/*
 * End the persistence of lines in L2 (cudaCtxResetPersistingL2Cache): their priority becomes NORMAL. Returns GPC_OK;
 * GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_UNSUPPORTED as gpc_hierarchy_set_window. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_reset_persisting(gpc_hierarchy *hierarchy, gpc_error *error);

GPC_END_DECLS

#endif
