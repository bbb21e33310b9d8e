/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_VERIFY_H
#define GPUCACHE_VERIFY_H

#include <gpucache/coherence.h>

GPC_BEGIN_DECLS

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
    uint64_t states, edges; /* visited states; steps taken from a state to a state */
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
    uint64_t states, edges; /* visited states, or walks; steps taken */
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
GPC_API gpc_status gpc_verify_get_report(const gpc_verify *verify, gpc_verify_report *report);
/*
 * Get a step of the counterexample, by index from 0. Returns GPC_OK; GPC_ERROR_RANGE (past the last);
 * GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_get_step(const gpc_verify *verify, uint32_t index, gpc_verify_step *step);

/*
 * Get a system that is worth exploring, by index from 0: `options` receives tree, blocks, bytes and in_flight; its
 * other fields stay. Systems with a single access at a time come first, from small to large, then systems with
 * overlapping accesses. Under a protocol two systems never have equal numbers of states and edges, except systems that
 * the protocol makes equal: writing through and writing around. Returns GPC_OK; GPC_END (past the last);
 * GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Any thread. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_system(uint32_t index, gpc_verify_options *options);

/* Names of the trees, from 0 on; NULL beyond the last. Any thread. Since: 0.2. */
GPC_API const char *gpc_verify_tree_name(uint32_t index);
/*
 * Make the tree of a search, for inspection and replay; the caller destroys the tree. Options as for gpc_verify_run,
 * without the options of the search. Statuses as gpc_coherence_create. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_make_tree(gpc_context *context, const gpc_verify_options *options, gpc_coherence **out,
                                        gpc_error *error);

GPC_END_DECLS

#endif
