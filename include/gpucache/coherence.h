/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COHERENCE_H
#define GPUCACHE_COHERENCE_H

#include <gpucache/context.h>
#include <gpucache/modules.h>
#include <gpucache/protocol.h>
#include <gpucache/stats.h>

GPC_BEGIN_DECLS

/*
 * Coherence: a tree of caches over memories (modules.h), kept coherent by a protocol, which is a table (protocol.h).
 * Messages that arrive in an order of one's own: held.h.
 *
 * Words. A module is a cache or a memory. Modules of the first level are those that processors access; the low module
 * of a cache is the next towards memory; modules above are those towards the processors. A module knows for each of its
 * blocks which modules above have copies, the sharers, and which of them is the owner, the one that may have modified
 * it: its directory. Requests and write-backs go from a module to its low module, probes from a module to one above it,
 * and both are replied to.
 *
 * Time. An access is one transaction, and is complete when gpc_coherence_access returns: all modules are in the states
 * that it leaves. The result lists what happened in between: the messages, what each of them waits for, and when it is
 * sent and received if nothing else is under way; and every change of a state. A host with a clock of its own schedules
 * the messages on its own networks; a teacher prints them (examples/coherence.c). Cycles are those of the host's clock,
 * and are counted from gpc_coherence_request.cycle.
 *
 * Threads: as everything made from a context, a tree is used by one thread at a time.
 *
 * Sources: seeds/002 sections 2.2.2, 2.2.3, 3.1.2, 4.2 and its appendix.
 * Tables are quoted in lib/policies/protocol/README.md.
 */

#define GPC_NO_MESSAGE UINT32_MAX /* in place of an index of a message: none */

/*
 * Make a tree: all blocks invalid, memory's bytes 0. Everything in `options` is copied.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE, `error` naming module and field (a cycle of low
 * modules; an address that none or two of the low modules serve; larger blocks above smaller ones; a cache without a
 * way to a memory; a buffer too small for its network's largest message; a replacement policy that reads what requests
 * do not tell, with the names of what it reads); GPC_ERROR_NOT_FOUND (protocol, policy); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_error *error,
                                        gpc_coherence **out);
/* NULL is allowed. Since: 0.1. */
GPC_API void gpc_coherence_destroy(gpc_coherence *coherence);

/* What a processor does. */
typedef enum gpc_coherence_kind {
    GPC_COHERENCE_LOAD = 0,
    GPC_COHERENCE_STORE = 1,   /* coherent, as atomics are: no other copy exists when it is done */
    GPC_COHERENCE_N_STORE = 2, /* non-coherent: others may keep copies; without N in the protocol as a STORE */
    GPC_COHERENCE_ACQUIRE = 3, /* of no address: as gpc_coherence_acquire of the module. Since: 0.2 */
    /*
     * Of no address: what was stored in the module is for others to see. It writes back what an ACQUIRE would; what
     * that would only drop stays. Where directories keep copies up to date, there is nothing to write back. Since: 0.2
     */
    GPC_COHERENCE_RELEASE = 4
} gpc_coherence_kind;

/* An access of a processor. Pointers are borrowed for the call. */
typedef struct gpc_coherence_request {
    size_t struct_size;
    uint64_t address;     /* of the first byte */
    uint64_t cycle;       /* in which it is issued */
    const uint8_t *bytes; /* [size] what a store writes, in a tree with data; NULL: zeroes */
    const uint8_t *mask;  /* [(size + 7) / 8] which of them: bit i % 8 of byte i / 8 stands for byte i; NULL: all */
    uint8_t *out;    /* [size] receives the bytes of a load, or those of a store as they are after it; may be NULL */
    uint32_t module; /* index of the first-level module that the processor accesses */
    uint32_t size;   /* bytes, 1 or more, within one block of the module */
    uint32_t kind;   /* gpc_coherence_kind */
    uint32_t flags;  /* GPC_ACCESS_ bits */
    /*
     * [atomic_count] of a STORE in a tree with data, without `bytes` and `mask`: what it does to its bytes, one after
     * another, with nothing in between: where its protocol has a STORE performed, in the first level, or by the module
     * to which that lets it pass. They must live until the access ends. In trees without directories also of an
     * N_STORE, which is performed where that is. Since: 0.2
     */
    gpc_atomic *atomics;
    uint32_t atomic_count;
    uint32_t reserved;
} gpc_coherence_request;

#define GPC_COHERENCE_REQUEST_INIT \
    { sizeof(gpc_coherence_request), 0, 0, NULL, NULL, NULL, 0, 1, GPC_COHERENCE_LOAD, 0, NULL, 0, 0 }

/* Steps of a transaction: messages, and a few that are none. */
typedef enum gpc_message_kind {
    GPC_MESSAGE_READ_REQUEST = 0,  /* to the low module: for a copy */
    GPC_MESSAGE_WRITE_REQUEST = 1, /* to the low module: for the only copy */
    GPC_MESSAGE_READ_PROBE = 2,    /* to a module above: send data, give up the right to write */
    GPC_MESSAGE_WRITE_PROBE = 3,   /* to a module above: send modified data, invalidate the copy */
    GPC_MESSAGE_DATA = 4,          /* reply with the block: to the requester, or from a probed module to T */
    GPC_MESSAGE_ACK = 5,           /* reply without data */
    GPC_MESSAGE_WRITE_BACK = 6,    /* to the low module: modified bytes */
    GPC_MESSAGE_NOTICE = 7,        /* to the low module: a clean copy has been evicted */
    GPC_MESSAGE_CLEAR_OWNER = 8,   /* to the low module: the sender no longer owns the block */
    GPC_MESSAGE_WRITE_THROUGH = 9, /* to the low module: the bytes of a store */
    GPC_MESSAGE_JOIN = 10,         /* no message: all that a module waits for has been received */
    GPC_MESSAGE_FINISH = 11,       /* no message: the access is complete */
    GPC_MESSAGE_EVICTION = 12,     /* no message: a module begins to evict a block */
    GPC_MESSAGE_ACQUIRE = 13,      /* to the low module: drop what may be old. Since: 0.2 */
    GPC_MESSAGE_INVALIDATION = 14, /* to a module above: drop the copy; nobody answers. Since: 0.2 */
    GPC_MESSAGE_MARKER = 15,       /* of a RELEASE: answer when the INVALIDATIONs before it are done. Since: 0.2 */
    GPC_MESSAGE_KIND_COUNT = 16
} gpc_message_kind;

/*
 * A step of a transaction. `delay` cycles after the end of step `after`, or after the issue of the access, module
 * `from` sends it: the delay is what `from` needs for lookups in its directory and for its data. A message then crosses
 * `network`, and the step ends when `to` has received it. A JOIN ends when `needs` steps whose `join` is its index have
 * ended. Steps that do not wait for each other run at the same time.
 */
typedef struct gpc_coherence_message {
    uint64_t address;        /* of the block */
    uint64_t sent, received; /* cycles on an otherwise idle system; 0 without `timing` */
    uint32_t kind;           /* gpc_message_kind */
    uint32_t from, to;       /* indices of modules; the same for a step that is no message */
    uint32_t network;        /* index; GPC_NO_MODULE: no message */
    uint32_t bytes;          /* size, header included; 0: no message */
    uint32_t after;          /* index of a step in the list; GPC_NO_MESSAGE: the issue of the access */
    uint32_t join;           /* index of the JOIN that waits for it; GPC_NO_MESSAGE */
    uint32_t needs;          /* of a JOIN: how many steps it waits for */
    uint32_t delay;          /* cycles, in directory and data */
    uint32_t directory;      /* cycles of `delay` that are in the directory */
    uint32_t request;        /* of a reply: index of the message that it replies to; GPC_NO_MESSAGE: no reply */
    uint32_t block; /* of `to` that it found or allocated: set * (ways + directory_ways) + way; GPC_NO_MODULE: none */
    uint8_t looks;  /* how many lookups are in `delay` */
    uint8_t memory; /* `delay` includes an access to a memory's data: 1 = a read, 2 = a write */
    uint8_t masked; /* 1 = the bytes were modified non-coherently: a mask of them goes with the message */
    uint8_t found;  /* 1 = the lookup in `to` found the block valid */
} gpc_coherence_message;

/* A state was written to a block, be it the same as before. */
typedef struct gpc_coherence_transition {
    uint64_t cycle;           /* on an otherwise idle system; 0 without `timing` */
    uint64_t tag_before, tag; /* addresses of the block before and after; 0 where invalid */
    uint32_t module, set, way;
    uint32_t origin;  /* gpc_origin */
    uint8_t from, to; /* gpc_coherence_state */
    uint8_t reserved[6];
} gpc_coherence_transition;

/* What an access did. The lists are borrowed until the next call that changes the tree. */
typedef struct gpc_coherence_result {
    size_t struct_size;
    uint64_t completed;                    /* cycle in which the processor has its data, on an otherwise idle system */
    const gpc_coherence_message *messages; /* [message_count] */
    const gpc_coherence_transition *transitions; /* [transition_count] by cycle, where there is `timing` */
    uint32_t message_count, transition_count;
    uint8_t hit;   /* 1 = the first-level module had the block, and the right to do this with it */
    uint8_t found; /* gpc_coherence_state in which the first-level module had it before; I: not at all */
    uint8_t state; /* likewise, after the access */
    uint8_t level; /* the deepest level that a request reached: 1 = the first */
    uint8_t reserved[4];
} gpc_coherence_result;

#define GPC_COHERENCE_RESULT_INIT                                        \
    {                                                                    \
        sizeof(gpc_coherence_result), 0, NULL, NULL, 0, 0, 0, 0, 0, 0, { \
            0                                                            \
        }                                                                \
    }

/*
 * Perform one access, from its issue to its end.
 *   request  is not kept
 *   result   receives what happened; may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a module that is not of the first level, size, kind, bytes beyond
 * the block, atomics); GPC_ERROR_RANGE (the module does not serve the address); GPC_ERROR_MEMORY; GPC_ERROR_STATE (the
 * protocol forbids an event that happened; `error` names both) and GPC_ERROR_CALLBACK (a replacement policy chose a way
 * that does not exist). After these two the tree can only be looked at and destroyed; the others change nothing.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                        gpc_error *error, gpc_coherence_result *result);

/*
 * Flush: write all modified bytes back and invalidate all blocks, as at the end of the worked example (Table 2.6, steps
 * 15 to 20). Block after block, the low module sends a write probe and is sent a write-back or an acknowledgement.
 * Without a directory the blocks are evicted.
 *   module  index of a cache, which is flushed with the modules above it as far as they hold its blocks; GPC_NO_MODULE:
 *           all caches, those of the first level first
 *   cycle   in which it begins
 *   result  as of an access: found and state are GPC_LINE_I; may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (no index of a cache); GPC_ERROR_STATE, GPC_ERROR_CALLBACK as
 * gpc_coherence_access; GPC_ERROR_MEMORY, after which some blocks have been flushed and others not. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_flush(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                       gpc_coherence_result *result);

/*
 * Acquire: a kernel begins, or a warp acquires, and must not see data that are old. The protocol's ACQUIRE rules are
 * applied to all blocks of a module; protocols whose directories keep all copies up to date do nothing.
 *   module  index of a cache; GPC_NO_MODULE: all caches but those for which gpc_protocol.shared is
 * Other arguments and returned statuses as gpc_coherence_flush. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_acquire(gpc_coherence *coherence, uint32_t module, uint64_t cycle, gpc_error *error,
                                         gpc_coherence_result *result);

/*
 * Read and write memory's bytes directly: no access, no message, no time; copies in caches are not looked at.
 *   bytes  [size]
 * Return GPC_OK; GPC_ERROR_ARGUMENT (a NULL, an address beyond the last); GPC_ERROR_STATE (a tree without data);
 * gpc_coherence_write_memory also GPC_ERROR_MEMORY, having written nothing. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_read_memory(const gpc_coherence *coherence, uint64_t address, uint8_t *bytes,
                                             size_t size);
GPC_API gpc_status gpc_coherence_write_memory(gpc_coherence *coherence, uint64_t address, const uint8_t *bytes,
                                              size_t size);

/* A block of a module, as it is. */
typedef struct gpc_coherence_block {
    size_t struct_size;
    uint64_t tag;         /* address of the block; 0 where invalid */
    const uint8_t *bytes; /* [block_bytes] borrowed until the next call that changes the tree; NULL: see below */
    const uint8_t *dirty; /* [(block_bytes + 7) / 8] which are modified: bit i % 8 of byte i / 8; likewise */
    uint32_t state;       /* gpc_coherence_state */
    uint32_t recency;     /* place in the LRU or FIFO order of its set, 0 = the most recent; 0 with other policies */
    uint32_t sub_blocks;  /* how many directory entries it has; 0 without modules above */
    uint32_t sub_block_bytes;
} gpc_coherence_block;

#define GPC_COHERENCE_BLOCK_INIT \
    { sizeof(gpc_coherence_block), 0, NULL, NULL, GPC_LINE_I, 0, 0, 0 }

/*
 * Look at the block of a module in `set` and `way`. Ways from gpc_coherence_module.ways on, as many as directory_ways,
 * are entries of the directory alone. A memory with ways 0 has one set, and ways in the order in which its blocks were
 * first cached. `bytes` and `dirty` are NULL in trees without data, in memories, and in entries of the directory alone.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (no such module, set or way); GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_block(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                           gpc_coherence_block *block);

/*
 * Look at a directory entry: which modules above have copies of a sub-block of the block in `set` and `way`.
 *   sub_block  below gpc_coherence_block.sub_blocks
 *   out_owner  receives the index of the module that owns it; GPC_NO_MODULE: none does
 *   sharers    [room] receives indices of modules with a copy, ascending, as many as fit; may be NULL with room 0
 *   out_count  receives how many sharers there are
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_directory(const gpc_coherence *coherence, uint32_t module, uint32_t set,
                                               uint32_t way, uint32_t sub_block, uint32_t *out_owner, uint32_t *sharers,
                                               size_t room, size_t *out_count);

/*
 * Where a module has the block of an address, or would put it.
 *   out_way  the way; of a block that is not there, the one that the next miss would take, or GPC_NO_MODULE where its
 *            replacement policy will decide
 * Returns GPC_OK; GPC_END (it is not there); GPC_ERROR_RANGE (no such module, or it does not serve the address);
 * GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_find(const gpc_coherence *coherence, uint32_t module, uint64_t address,
                                      uint32_t *out_set, uint32_t *out_way);

/* Index of the module of this name; GPC_NO_MODULE: none has it. Since: 0.1. */
GPC_API uint32_t gpc_coherence_module_index(const gpc_coherence *coherence, const char *name);
/*
 * A module as it was given, defaults filled in; pointers are borrowed for as long as the tree lives.
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_module(const gpc_coherence *coherence, uint32_t module, gpc_coherence_module *out);

/* What a tree obeys, borrowed for as long as it lives; NULL for NULL. Since: 0.2. */
GPC_API const gpc_protocol *gpc_coherence_protocol(const gpc_coherence *coherence);

/*
 * Counters of a module, which counters.h explains, and its matrices of transitions and of their origins. Under a
 * protocol with states beside the six, each of these is counted as that of the six that means the same, and F as S.
 */
typedef struct gpc_coherence_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning) uint64_t field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT]; /* [from][to] how many, Table 4.2 (a) */
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];     /* [from][to] gpc_origin bits of why, Table 4.2 (b) */
} gpc_coherence_stats;

/* The layout of this header's gpc_coherence_stats, as gpc_stats_layout. Any thread. Since: 0.2. */
static inline const gpc_layout *gpc_coherence_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning) {id, 1},
        GPC_COHERENCE_COUNTERS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_coherence_stats), fields, sizeof fields / sizeof *fields,
                                      GPC_LINE_COUNT, 0};
    return &layout;
}

/* Clear and set struct_size. Since: 0.1. */
static inline void gpc_coherence_stats_init(gpc_coherence_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}

/*
 * Statistics of a module since the tree was made or they were reset.
 *   module         index; GPC_NO_MODULE: the sum of all modules
 *   layout, stats  the host's struct, struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_stats_as(const gpc_coherence *coherence, uint32_t module, const gpc_layout *layout,
                                              void *stats);
/*
 * Transitions and origins among all states of the tree's protocol.
 *   module                index; GPC_NO_MODULE: the sum of all modules
 *   states                of the protocol: GPC_LINE_COUNT + gpc_coherence_protocol(coherence)->state_count
 *   transitions, origins  [states][states] receive them: from, to; as in gpc_coherence_stats
 * Returns GPC_OK; GPC_ERROR_RANGE (module, states); GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_matrices(const gpc_coherence *coherence, uint32_t module, uint32_t states,
                                              uint64_t *transitions, uint32_t *origins);
/* Set the statistics of all modules to 0. NULL is allowed. Since: 0.1. */
GPC_API void gpc_coherence_reset_stats(gpc_coherence *coherence);

/* The same for gpc_coherence_stats. Since: 0.1. */
static inline gpc_status gpc_coherence_get_stats(const gpc_coherence *coherence, uint32_t module,
                                                 gpc_coherence_stats *stats) {
    return gpc_coherence_get_stats_as(coherence, module, gpc_coherence_stats_layout(), stats);
}

/*
 * Statistics as text: the two matrices side by side as Table 4.2 has them, and all statistics of a module as JSON.
 *   layout, stats  the host's struct; fields that the library does not know are taken for 0
 *   title          of the table's first row; copied into the text
 *   buffer         [size] receives as much as fits, with a final NUL; may be NULL with size 0
 * Return the length of the whole text, without the NUL. Any thread. Since: 0.2.
 */
GPC_API size_t gpc_coherence_matrix_text_as(const gpc_layout *layout, const void *stats, const char *title,
                                            char *buffer, size_t size);
GPC_API size_t gpc_coherence_stats_json_as(const gpc_layout *layout, const void *stats, char *buffer, size_t size);

/* The same for gpc_coherence_stats. Since: 0.1. */
static inline size_t gpc_coherence_matrix_text(const gpc_coherence_stats *stats, const char *title, char *buffer,
                                               size_t size) {
    return gpc_coherence_matrix_text_as(gpc_coherence_stats_layout(), stats, title, buffer, size);
}

static inline size_t gpc_coherence_stats_json(const gpc_coherence_stats *stats, char *buffer, size_t size) {
    return gpc_coherence_stats_json_as(gpc_coherence_stats_layout(), stats, buffer, size);
}

/* The end of an access that gpc_coherence_issue began. Borrowed for the call; `bytes` until that issues another. */
typedef struct gpc_coherence_completion {
    size_t struct_size;
    uint64_t token;              /* from gpc_coherence_issue */
    uint64_t issued, cycle;      /* the request's cycle; the one at which the processor has its answer */
    uint64_t address;            /* bytes */
    const uint8_t *bytes;        /* [size] what a load read, or what is there after a store; NULL without `data` */
    uint32_t module, size, kind; /* of the request */
    uint32_t retries;            /* times that it began again, because a request of it was refused */
    uint8_t hit;                 /* 1: no request went to the low module */
    uint8_t joined;              /* 1: it was part of an older access to the block, and ended with it */
    uint8_t reserved[6];
} gpc_coherence_completion;

/*
 * Called after each access, flush and acquire, before it returns: for each message in the order of the list, then for
 * each transition. Of accesses in flight (gpc_coherence_issue): for each transition when it is made, for each message
 * when it is received; its `after`, `join`, `request` and `block` then say none, its `found` and delays are 0. Any may
 * be NULL. They may not call into the tree, and borrow what they are given for the call; but on_complete may call
 * gpc_coherence_issue, and what only reads.
 */
typedef struct gpc_coherence_callbacks {
    size_t struct_size;
    void *user_data;
    void (*on_transition)(void *user_data, const gpc_coherence_transition *transition);
    void (*on_message)(void *user_data, const gpc_coherence_message *message);
    void (*on_complete)(void *user_data, const gpc_coherence_completion *completion); /* Since: 0.2 */
} gpc_coherence_callbacks;

#define GPC_COHERENCE_CALLBACKS_INIT \
    { sizeof(gpc_coherence_callbacks), NULL, NULL, NULL, NULL }

/*
 * Set the callbacks, which are copied; NULL: none any more.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks);

/*
 * Accesses that overlap in time. gpc_coherence_access does all of an access at once; these are done message by message.
 * A module acts when a message arrives; a block is locked from the lookup that finds it until what was asked for is
 * done; ports, links and buffers carry so much and no more. Table, tags, directory, counters are the same.
 *
 *   order      in a module, a store waits for all older accesses; a load or n-store for older stores, and for older
 *              accesses to its block. A load joins older loads of its block that no store stands between, a store of
 *              either kind the access just before it, if that is of the same kind and to the same block. An access
 *              that bypasses its module, or is written through, joins none
 *   conflicts  a request towards memory that finds its block locked waits there; with GPC_PROTOCOL_RETRY it is refused,
 *              and the access begins again after 0 to latency + 1 cycles, at random by the context's seed, `latency`
 *              being that of its module. Probes, and accesses in their own module, wait for the lock; but where
 *              requests wait, a probe passes the lock of an access whose own request has not been served yet
 *   time       stars with buffers of bytes, one message a cycle into each, 1 + 3 * ceil(bytes / bandwidth) cycles
 *              where nothing is in the way; `ports`; `latency` and `directory_latency`; `mshrs` limits nothing
 *
 * An access alone leaves the states that gpc_coherence_access would, in nmoesi-multi2sim at the same cycles. Protocols
 * with peers may take a few cycles more, since a module sends one message a cycle; and a module that itself has to ask
 * for the only copy takes modified bytes from above first, where they would go to the peer.
 *
 * Source: seeds/002 section 4.2; Multi2Sim 5.0, transition for transition and cycle for cycle under nmoesi-multi2sim.
 */

/*
 * Begin an access at request->cycle, which gpc_coherence_advance has not passed. Nothing happens before advance is
 * called. `bytes` and `mask` are copied; `out` and `atomics`, where given, must live until the access ends; `out` is
 * written just before on_complete, `atomics` when they are performed. An ACQUIRE is of a whole module, any cache, and
 * has no address, size, bytes, mask, out, atomics or flags: what its rules only drop goes at once, what they write back
 * leaves one block a cycle, a block on its way is waited for; it ends when no access issued before it to that module is
 * in flight. A RELEASE begins when that is so, and goes on as an ACQUIRE.
 *   out_token  receives the number of the access: 1, 2, 3 and so on
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT and GPC_ERROR_RANGE as gpc_coherence_access, and ARGUMENT for a
 * cycle that is past; GPC_ERROR_STATE once the tree has failed, and from on_message and on_transition;
 * GPC_ERROR_MEMORY. Unless it is GPC_OK nothing has begun.
 * While accesses, or what they have begun, are in flight, gpc_coherence_access, flush and acquire return
 * GPC_ERROR_STATE.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request, gpc_error *error,
                                       uint64_t *out_token);

/*
 * Do everything that happens up to and including a cycle. UINT64_MAX: until nothing is in flight.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (the cycle is past); GPC_ERROR_STATE: a forbidden cell was reached, or no access
 * in flight can go on any more, `error` naming who waits for what; then the tree can only be read and destroyed; or
 * called from a callback; GPC_ERROR_MEMORY: what came before some cycle is done, and calling again goes on from there.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_advance(gpc_coherence *coherence, uint64_t cycle, gpc_error *error);

/*
 * The next cycle at which something happens to accesses in flight. UINT64_MAX: nothing is in flight.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API uint64_t gpc_coherence_next_event(const gpc_coherence *coherence);

/*
 * Check what must hold in a tree: of all modules that each tag is there once, in its set, and invalid blocks have
 * neither sharers nor owner; and of all blocks with addresses from `first` on, under a protocol with DIRECTORY, that a
 * module in M or E has no peer with a copy, and at most one peer is in O; that every copy stands in the directory
 * below, and who has rights as the owner; that caches below have them, too, and, if inclusive, the block; that modified
 * bytes are in N, M or O alone. While accesses are in flight only that there is one writer,
 * copies that are locked aside.
 *   bytes  from `first` on
 * Returns GPC_OK; GPC_ERROR_STATE (`error` says what is wrong, and where); GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_check(const gpc_coherence *coherence, uint64_t first, uint64_t bytes,
                                       gpc_error *error);

GPC_END_DECLS

#endif
