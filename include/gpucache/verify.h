/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_VERIFY_H
#define GPUCACHE_VERIFY_H

#include <gpucache/coherence.h>

GPC_BEGIN_DECLS

/*
 * Verification of a coherence protocol: all states that a small tree of caches can reach under it are visited, and in
 * each of them what must hold is checked. Either one access after the other, each done at once; or with accesses that
 * overlap, message by message: whichever of the messages under way may arrive next, in order between two modules, or a
 * refused access begin again, before or after other accesses are issued. States are visited by distance from the first
 * one, so the first violation is one of those with the fewest steps; the steps to it are the result.
 *
 * What is checked:
 *   one writer  a module in M or E has no peer with a valid copy; at most one peer is in O; in each state
 *   structure   gpc_coherence_check: directories cover all copies, inclusion, rights; wherever nothing is in flight
 *   value       protocols with a directory and without N: a load reads the last store. Otherwise: one at a time, what
 *               an access may do to each byte of each copy (lib/verify/verify_values.c); overlapping, that a module
 *               reads what it has stored itself or what others have stored, once or at the same time; and who has
 *               acquired nothing that was old when it began to
 *   lost byte   flushed, wherever nothing is in flight, memory has the last store; with N, that of some module
 *   refused     no cell of the table is reached that is FORBID
 *   deadlock    something is in flight, and nothing can happen
 *   livelock    something always can happen, but in no order do all accesses end; or messages go round for ever
 *               without any access that begins again
 *
 * What a protocol promises is read from its table: with DIRECTORY, and no N_STORE of the first level that leads to
 * N, that copies never differ; without DIRECTORY, if ACQUIRE in S leads to I, that who acquires has nothing old.
 *
 * A state is a hash of 128 bits of its canonical form. Trees have first-level caches of one block, unless their name
 * says otherwise, and one or two blocks of which one or two bytes are written, with 0 or 1. Systems that are too
 * large for that can be walked through at random instead.
 *
 * Threads: as everything made from a context, a verification is used by one thread at a time.
 */

#define GPC_VERIFY_TEXT 512u   /* characters of a text, with its NUL */
#define GPC_VERIFY_STEPS 2048u /* the most steps of a counterexample */

typedef enum gpc_verify_verdict {
    GPC_VERIFY_PASSED = 0,
    GPC_VERIFY_STRUCTURE = 1, /* one writer, directories, inclusion, rights */
    GPC_VERIFY_VALUE = 2,     /* a load, or a copy, that is not what was stored */
    GPC_VERIFY_LOST = 3,      /* what was stored is not in memory after a flush */
    GPC_VERIFY_REFUSED = 4,   /* the table forbids what has happened */
    GPC_VERIFY_DEADLOCK = 5,
    GPC_VERIFY_LIVELOCK = 6
} gpc_verify_verdict;

/* What ended a search before all states were seen. */
typedef enum gpc_verify_limit {
    GPC_VERIFY_ALL = 0, /* nothing: all that can be reached was visited */
    GPC_VERIFY_LIMIT_STATES = 1,
    GPC_VERIFY_LIMIT_MEMORY = 2,
    GPC_VERIFY_LIMIT_CANCELLED = 3, /* by on_progress */
    GPC_VERIFY_LIMIT_VIOLATION = 4  /* the search ends with the first */
} gpc_verify_limit;

/*
 * Kinds of accesses that are tried; a bit each. Flushes, and acquires of all modules, where nothing else is in flight;
 * with accesses that overlap, an acquire of one module at a time overlaps with them.
 */
enum {
    GPC_VERIFY_LOADS = 1 << 0,
    GPC_VERIFY_STORES = 1 << 1,
    GPC_VERIFY_N_STORES = 1 << 2,
    GPC_VERIFY_FLUSHES = 1 << 3,
    GPC_VERIFY_ACQUIRES = 1 << 4
};

/* How far a search is. */
typedef struct gpc_verify_progress {
    uint64_t states, edges; /* visited; and steps taken from one to another */
    uint64_t waiting;       /* states that are known, and whose steps are yet to be taken */
    uint64_t bytes;         /* of memory that states take */
    uint32_t depth;         /* steps from the first state */
    uint32_t reserved;
} gpc_verify_progress;

typedef struct gpc_verify_options {
    size_t struct_size;
    const char *protocol; /* name of a registered protocol */
    const char *tree;     /* gpc_verify_tree_name; NULL: the first */
    uint32_t blocks;      /* 1 or 2 */
    uint32_t bytes;       /* of each block, that are written: 1 or 2 */
    uint32_t in_flight;   /* accesses of a first-level module at a time, 1 to 4; 0: one access of all, done at once */
    uint32_t kinds;       /* GPC_VERIFY_ bits; 0: loads and stores, n-stores where the protocol has N, acquires where
                             they are to show what is new; one at a time: all */
    uint32_t entries;     /* gpc_coherence_hold */
    uint32_t channels;    /* likewise */
    uint64_t states;      /* most; 0: no bound */
    uint64_t memory;      /* most bytes for states; 0: no bound */
    uint64_t walks;    /* in_flight: random walks, so many, in the place of a search; by the context's seed. 0: none */
    uint64_t interval; /* states, or walks, between two calls of on_progress; 0: 4096 */
    bool latencies;    /* lookups and data take time, in which other things happen; overlapping accesses only */
    bool symmetry;     /* states in which caches have changed places are one, where that is sound */
    bool coherent;     /* with N in its table, too, the protocol promises that a load reads the last store */
    uint8_t reserved[5];
    void *user_data;
    /* False: enough. May be NULL; may call nothing of this context. */
    bool (*on_progress)(void *user_data, const gpc_verify_progress *progress);
} gpc_verify_options;

#define GPC_VERIFY_OPTIONS_INIT \
    { sizeof(gpc_verify_options), NULL, NULL, 1, 1, 1, 0, 0, 3, 0, 0, 0, 0, false, true, false, {0}, NULL, NULL }

typedef struct gpc_verify_report {
    size_t struct_size;
    uint64_t states, edges; /* visited, or walks; and steps taken */
    uint64_t bytes;         /* of memory that states take at the end */
    const char *text;       /* one sentence: what is wrong; "". Borrowed until the verification is destroyed */
    uint32_t depth;         /* steps from the first state to the last one visited */
    uint32_t verdict;       /* gpc_verify_verdict */
    uint32_t limit;         /* gpc_verify_limit */
    uint32_t step_count;    /* of the counterexample */
    uint64_t address;       /* of the byte that is wrong */
    uint32_t module;        /* where it is; GPC_NO_MODULE: what all see, and memory has after a flush */
    uint8_t wrong;          /* 1: address, module and `value` say which byte is wrong */
    uint8_t value;          /* its value, where the other, 0 or 1, was to be */
    uint8_t cut;            /* 1: the counterexample is longer than GPC_VERIFY_STEPS: its first steps are missing */
    uint8_t symmetric;      /* 1: symmetry was used */
} gpc_verify_report;

#define GPC_VERIFY_REPORT_INIT \
    { sizeof(gpc_verify_report), 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef enum gpc_verify_step_kind {
    GPC_VERIFY_ACCESS = 0, /* a whole access */
    GPC_VERIFY_ISSUE = 1,  /* the beginning of one */
    GPC_VERIFY_CHOICE = 2, /* gpc_coherence_choose */
    GPC_VERIFY_FLUSH = 3,
    GPC_VERIFY_ACQUIRE = 4
} gpc_verify_step_kind;

/* A step of a counterexample. */
typedef struct gpc_verify_step {
    size_t struct_size;
    uint64_t address;  /* of the access; of the block that a choice is about */
    const char *text;  /* in words; borrowed until the verification is destroyed */
    uint32_t kind;     /* gpc_verify_step_kind */
    uint32_t module;   /* index; GPC_NO_MODULE: all */
    uint32_t access;   /* gpc_coherence_kind */
    uint32_t flags;    /* GPC_ACCESS_ bits */
    uint32_t size;     /* bytes of the access */
    uint32_t value;    /* that is stored */
    uint32_t index;    /* of a choice, among those of gpc_coherence_get_choice */
    uint32_t choice;   /* gpc_choice_kind */
    uint32_t message;  /* of a choice: gpc_message_kind */
    uint32_t from, to; /* likewise: indices of modules */
    uint32_t reserved;
} gpc_verify_step;

#define GPC_VERIFY_STEP_INIT \
    { sizeof(gpc_verify_step), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct gpc_verify gpc_verify;

/*
 * Explore a protocol in a tree.
 * Returns GPC_OK, whatever is found; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT; GPC_ERROR_NOT_FOUND (protocol, tree);
 * GPC_ERROR_UNSUPPORTED (accesses that overlap: gpc_coherence_issue says why); GPC_ERROR_MEMORY, beside
 * gpc_verify_options.memory. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_run(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                                  gpc_verify **out);
/* NULL is allowed. Since: 0.2. */
GPC_API void gpc_verify_destroy(gpc_verify *verify);
/* What was found. Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2. */
GPC_API gpc_status gpc_verify_get_report(const gpc_verify *verify, gpc_verify_report *report);
/*
 * A step of the counterexample, from 0 on.
 * Returns GPC_OK; GPC_ERROR_RANGE (there are less); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_get_step(const gpc_verify *verify, uint32_t index, gpc_verify_step *step);

/*
 * The systems that are worth exploring, from 0 on: `options` receives tree, blocks, bytes and in_flight, its other
 * fields stay. First those with one access at a time, from small to large, then those with accesses that overlap. Under
 * a protocol no two of them have as many states and as many edges, but for those that the protocol makes one: writing
 * through and writing around.
 * Returns GPC_OK; GPC_END (there are less); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Any thread. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_system(uint32_t index, gpc_verify_options *options);

/* Names of the trees, from 0 on; NULL beyond the last. Any thread. Since: 0.2. */
GPC_API const char *gpc_verify_tree_name(uint32_t index);
/*
 * A tree as it is explored, to be looked at and replayed in; to be destroyed. Options as of gpc_verify_run, those of
 * the search are not looked at. Statuses as gpc_coherence_create. Since: 0.2.
 */
GPC_API gpc_status gpc_verify_make_tree(gpc_context *context, const gpc_verify_options *options, gpc_error *error,
                                        gpc_coherence **out);

GPC_END_DECLS

#endif
