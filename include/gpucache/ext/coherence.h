/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_COHERENCE_H
#define GPUCACHE_EXT_COHERENCE_H

#include <gpucache/counters.h>
#include <gpucache/ext/protocol.h>

GPC_BEGIN_DECLS

/*
 * Coherence: a tree of caches over memories. A protocol, a table of rules (ext/protocol.h), keeps the caches
 * coherent. For messages that arrive in the host's order see experimental/experimental.h.
 *
 * Words. A module is a cache or a memory. Processors access the modules of the first level. The low module of a cache
 * is the next module towards memory; modules above are the modules towards the processors. For every block a module has
 * a directory entry: the sharers (modules above with copies), and the owner (the sharer that may have modified the
 * block). Requests and write-backs go from a module to its low module. Probes go from a module to a module above.
 * Requests and probes get replies; write-backs too.
 *
 * Time. An access is a transaction, and is complete when gpc_coherence_access returns: all modules are in their final
 * states. The result lists the messages of the transaction, with the step that a message waits for and the cycles of
 * sending and receiving on an otherwise idle system, and all state changes. A host with a clock schedules the messages
 * on its own networks; a teacher prints them (examples/coherence.c). Cycles are of the host's clock, counted from
 * gpc_coherence_request.cycle.
 *
 * Threads: a single thread at a time uses a tree, as every object of a context.
 *
 * Sources: seeds/002 sections 2.2.2, 2.2.3, 3.1.2, 4.2 and its appendix. lib/policies/protocol/README.md quotes the
 * tables.
 */

#define GPC_NO_MESSAGE UINT32_MAX /* no message, in place of an index */

/*
 * Make a tree: all blocks invalid, memory's bytes 0. `options` is copied completely.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE, `error` naming module and field (a cycle of low
 * modules; an address served by no or by two low modules; larger blocks above smaller blocks; a cache without a path to
 * a memory; a buffer too small for its network's largest message; a replacement policy with inputs that requests do not
 * have, with their names); GPC_ERROR_NOT_FOUND (protocol, policy); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_coherence **out,
                                        gpc_error *error);
/* NULL is allowed. Since: 0.1. */
GPC_API void gpc_coherence_destroy(gpc_coherence *coherence);

/* Operation of a processor. */
typedef enum gpc_coherence_kind {
    GPC_COHERENCE_LOAD = 0,
    GPC_COHERENCE_STORE = 1,   /* coherent, as atomics are: no other copy exists when the store is done */
    GPC_COHERENCE_N_STORE = 2, /* non-coherent: other modules may keep copies; as STORE if the protocol has no N */
    GPC_COHERENCE_ACQUIRE = 3, /* without address: as gpc_coherence_acquire of the module. Since: 0.2 */
    /*
     * Publish the stores of a module, without address. A RELEASE writes back the blocks that an ACQUIRE would write
     * back. Blocks that an ACQUIRE would only drop stay. If directories keep copies up to date, nothing is written
     * back. Since: 0.2
     */
    GPC_COHERENCE_RELEASE = 4
} gpc_coherence_kind;

/* Access of a processor. Pointers are borrowed for the call. */
typedef struct gpc_coherence_request {
    size_t struct_size;
    uint64_t address;     /* address of the first byte */
    uint64_t cycle;       /* cycle of issue */
    const uint8_t *bytes; /* [size], data of a store, in a tree with data; NULL: zeroes */
    const uint8_t *mask;  /* [(size + 7) / 8], bytes to store: bit i % 8 of byte i / 8 stands for byte i; NULL: all */
    uint8_t *out;         /* [size], receives the bytes of a load, or the bytes after a store; may be NULL */
    uint32_t module;      /* index of the first-level module that the processor accesses */
    uint32_t size;        /* bytes, 1 or more, within a single block of the module */
    uint32_t kind;        /* gpc_coherence_kind */
    uint32_t flags;       /* GPC_ACCESS_ bits */
    /*
     * Atomics [atomic_count] of a STORE in a tree with data, without `bytes` and `mask`. The operations are performed
     * in order, without interruption, at the place where the protocol performs a STORE: in the first level, or in the
     * module to which the protocol passes the STORE. The array must live until the access ends. In trees without
     * directories an N_STORE may have atomics too, at the place of the N_STORE. Since: 0.2
     */
    gpc_atomic *atomics;
    uint32_t atomic_count;
    uint32_t reserved;
} gpc_coherence_request;

#define GPC_COHERENCE_REQUEST_INIT \
    { sizeof(gpc_coherence_request), 0, 0, NULL, NULL, NULL, 0, 1, GPC_COHERENCE_LOAD, 0, NULL, 0, 0 }

/* Steps of a transaction: messages, and a few steps that are no messages. */
typedef enum gpc_message_kind {
    GPC_MESSAGE_READ_REQUEST = 0,  /* to the low module: request for a copy */
    GPC_MESSAGE_WRITE_REQUEST = 1, /* to the low module: request for the only copy */
    GPC_MESSAGE_READ_PROBE = 2,    /* to a module above: send data, give up write permission */
    GPC_MESSAGE_WRITE_PROBE = 3,   /* to a module above: send modified data, invalidate the copy */
    GPC_MESSAGE_DATA = 4,        /* reply with the block: to the requester, or from a probed module to its low module */
    GPC_MESSAGE_ACK = 5,         /* reply without data */
    GPC_MESSAGE_WRITE_BACK = 6,  /* to the low module: modified bytes */
    GPC_MESSAGE_NOTICE = 7,      /* to the low module: a clean copy has been evicted */
    GPC_MESSAGE_CLEAR_OWNER = 8, /* to the low module: the sender no longer owns the block */
    GPC_MESSAGE_WRITE_THROUGH = 9, /* to the low module: the bytes of a store */
    GPC_MESSAGE_JOIN = 10,         /* no message: a module has received all replies that the module waits for */
    GPC_MESSAGE_FINISH = 11,       /* no message: the access is complete */
    GPC_MESSAGE_EVICTION = 12,     /* no message: a module begins to evict a block */
    GPC_MESSAGE_ACQUIRE = 13,      /* to the low module: drop blocks that may be stale. Since: 0.2 */
    GPC_MESSAGE_INVALIDATION = 14, /* to a module above: drop the copy; no reply. Since: 0.2 */
    GPC_MESSAGE_MARKER = 15,       /* marker of a RELEASE: answer when the earlier INVALIDATIONs are done. Since: 0.2 */
    GPC_MESSAGE_KIND_COUNT = 16
} gpc_message_kind;

/*
 * Step of a transaction. Module `from` sends the step `delay` cycles after the end of step `after`, or after the issue
 * of the access. The delay is the time for lookups in the directory and for data of `from`. A message then crosses
 * `network`, and the step ends when `to` has received the message. A JOIN ends when `needs` steps with its index in
 * `join` have ended. Steps without dependence run at the same time.
 */
typedef struct gpc_coherence_message {
    uint64_t address;        /* address of the block */
    uint64_t sent, received; /* cycles on an otherwise idle system; 0 without `timing` */
    uint32_t kind;           /* gpc_message_kind */
    uint32_t from, to;       /* indices of modules; equal for a step that is no message */
    uint32_t network;        /* index; GPC_NO_MODULE: no message */
    uint32_t bytes;          /* size, header included; 0: no message */
    uint32_t after;          /* index of a step in the list; GPC_NO_MESSAGE: the issue of the access */
    uint32_t join;           /* index of the JOIN that waits for the step; GPC_NO_MESSAGE */
    uint32_t needs;          /* for a JOIN: number of steps to wait for */
    uint32_t delay;          /* cycles, in directory and data */
    uint32_t directory;      /* cycles of `delay` in the directory */
    uint32_t request;        /* for a reply: index of the message that is answered; GPC_NO_MESSAGE: no reply */
    /* block of `to` that the message found or allocated: set * (ways + directory_ways) + way; GPC_NO_MODULE: none */
    uint32_t block;
    uint8_t looks;  /* number of lookups in `delay` */
    uint8_t memory; /* `delay` includes an access to a memory's data: 1 = a read, 2 = a write */
    uint8_t masked; /* 1 = the bytes were modified non-coherently: the message carries a mask of modified bytes */
    uint8_t found;  /* 1 = the lookup in `to` found the block valid */
} gpc_coherence_message;

/* Write of a state to a block; the new state may equal the old state. */
typedef struct gpc_coherence_transition {
    uint64_t cycle;           /* on an otherwise idle system; 0 without `timing` */
    uint64_t tag_before, tag; /* addresses of the block before and after; 0 if invalid */
    uint32_t module, set, way;
    uint32_t origin;  /* gpc_origin */
    uint8_t from, to; /* gpc_coherence_state */
    uint8_t reserved[6];
} gpc_coherence_transition;

/* Effect of an access. The lists are borrowed until the next call that changes the tree. */
typedef struct gpc_coherence_result {
    size_t struct_size;
    /* cycle in which the processor has its data, on an otherwise idle system */
    uint64_t completed;
    const gpc_coherence_message *messages;       /* [message_count] */
    const gpc_coherence_transition *transitions; /* [transition_count], in order of cycles if `timing` is set */
    uint32_t message_count, transition_count;
    uint8_t hit;   /* 1 = the first-level module had the block and the permission for the access */
    uint8_t found; /* gpc_coherence_state in the first-level module before the access; I: not present */
    uint8_t state; /* gpc_coherence_state in the first-level module after the access */
    uint8_t level; /* deepest level that a request reached: 1 = the first */
    uint8_t reserved[4];
} gpc_coherence_result;

#define GPC_COHERENCE_RESULT_INIT                                        \
    {                                                                    \
        sizeof(gpc_coherence_result), 0, NULL, NULL, 0, 0, 0, 0, 0, 0, { \
            0                                                            \
        }                                                                \
    }

/*
 * Perform an access from issue to end.
 *   request  not kept
 *   result   receives the effect; may be NULL
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a module that is not of the first level, size, kind, bytes beyond
 * the block, atomics); GPC_ERROR_RANGE (the module does not serve the address); GPC_ERROR_MEMORY; GPC_ERROR_STATE (an
 * event that the protocol forbids in the block's state; `error` names event and state); GPC_ERROR_CALLBACK (a
 * replacement policy chose a way that does not exist). After GPC_ERROR_STATE and GPC_ERROR_CALLBACK the tree can only
 * be read and destroyed. Other errors change nothing. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_access(gpc_coherence *coherence, const gpc_coherence_request *request,
                                        gpc_coherence_result *result, gpc_error *error);

/*
 * Flush: write all modified bytes back and invalidate all blocks, as at the end of the worked example (Table 2.6, steps
 * 15 to 20). For every block, the low module sends a write probe and gets a write-back or an acknowledgement. Without a
 * directory the blocks are evicted.
 *   module  index of a cache. The cache is flushed, and the modules above the cache too if they hold its blocks.
 *           GPC_NO_MODULE: all caches, first level first
 *   cycle   start of the flush
 *   result  as for an access, with found and state GPC_LINE_I; may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (not an index of a cache); GPC_ERROR_STATE, GPC_ERROR_CALLBACK as
 * gpc_coherence_access; GPC_ERROR_MEMORY (only part of the blocks has been flushed). Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_flush(gpc_coherence *coherence, uint32_t module, uint64_t cycle,
                                       gpc_coherence_result *result, gpc_error *error);

/*
 * Acquire: a kernel begins, or a warp acquires, and must not see stale data. The protocol's ACQUIRE rules are applied
 * to all blocks of a module. Protocols whose directories keep all copies up to date do nothing.
 *   module  index of a cache; GPC_NO_MODULE: all caches except those with gpc_protocol.shared
 * Other arguments and statuses as gpc_coherence_flush. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_acquire(gpc_coherence *coherence, uint32_t module, uint64_t cycle,
                                         gpc_coherence_result *result, gpc_error *error);

/*
 * Read and write memory's bytes directly: no access, no message, no time. Copies in caches are ignored.
 *   bytes  [size]
 * Return GPC_OK; GPC_ERROR_ARGUMENT (a NULL, an address beyond the last); GPC_ERROR_STATE (a tree without data);
 * gpc_coherence_write_memory also GPC_ERROR_MEMORY, with nothing written. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_read_memory(const gpc_coherence *coherence, uint64_t address, uint8_t *bytes,
                                             size_t size, gpc_error *error);
GPC_API gpc_status gpc_coherence_write_memory(gpc_coherence *coherence, uint64_t address, const uint8_t *bytes,
                                              size_t size, gpc_error *error);

/* Present content of a block of a module. */
typedef struct gpc_coherence_block {
    size_t struct_size;
    uint64_t tag;         /* address of the block; 0 if invalid */
    const uint8_t *bytes; /* [block_bytes], borrowed until the next call that changes the tree; NULL: see below */
    /* [(block_bytes + 7) / 8], modified bytes: bit i % 8 of byte i / 8; borrowed and NULL as `bytes` */
    const uint8_t *dirty;
    uint32_t state;      /* gpc_coherence_state */
    uint32_t recency;    /* place in the LRU or FIFO order of the set, 0 = most recent; 0 with other policies */
    uint32_t sub_blocks; /* number of directory entries of the block; 0 without modules above */
    uint32_t sub_block_bytes;
} gpc_coherence_block;

#define GPC_COHERENCE_BLOCK_INIT \
    { sizeof(gpc_coherence_block), 0, NULL, NULL, GPC_LINE_I, 0, 0, 0 }

/*
 * Read the block of a module in `set` and `way`. Ways from gpc_coherence_module.ways on, directory_ways in number, are
 * entries of the directory without data. A memory with ways 0 has a single set, with ways in the order in which its
 * blocks were first cached. `bytes` and `dirty` are NULL in trees without data, in memories, and in directory entries
 * without data. Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (unknown module, set or way); GPC_ERROR_ABI. Since:
 * 0.1.
 */
GPC_API gpc_status gpc_coherence_get_block(const gpc_coherence *coherence, uint32_t module, uint32_t set, uint32_t way,
                                           gpc_coherence_block *block, gpc_error *error);

/*
 * Read a directory entry: the modules above with copies of a sub-block of the block in `set` and `way`.
 *   sub_block  below gpc_coherence_block.sub_blocks
 *   out_owner  receives the index of the owner; GPC_NO_MODULE: no owner
 *   sharers    [room], receives indices of modules with a copy, ascending, up to `room`; may be NULL with room 0
 *   out_count  receives the number of sharers
 * Returns GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_directory(const gpc_coherence *coherence, uint32_t module, uint32_t set,
                                               uint32_t way, uint32_t sub_block, uint32_t *out_owner, uint32_t *sharers,
                                               size_t room, size_t *out_count, gpc_error *error);

/*
 * Find the set and way of an address in a module.
 *   out_way  the way of the block. For an absent block: the way that the next miss would take, or GPC_NO_MODULE if the
 *            replacement policy decides later
 * Returns GPC_OK; GPC_END (the block is absent); GPC_ERROR_RANGE (unknown module, or the module does not serve the
 * address); GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_find(const gpc_coherence *coherence, uint32_t module, uint64_t address,
                                      uint32_t *out_set, uint32_t *out_way, gpc_error *error);

/* Index of the module with the name; GPC_NO_MODULE: unknown name. Since: 0.1. */
GPC_API uint32_t gpc_coherence_module_index(const gpc_coherence *coherence, const char *name);
/*
 * Get the description of a module, with defaults filled in. Pointers are borrowed for the life of the tree. Returns
 * GPC_OK; GPC_ERROR_RANGE; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_get_module(const gpc_coherence *coherence, uint32_t module, gpc_coherence_module *out,
                                            gpc_error *error);

/* Protocol of a tree, borrowed for the life of the tree; NULL for NULL. Since: 0.2. */
GPC_API const gpc_protocol *gpc_coherence_protocol(const gpc_coherence *coherence);

/*
 * Read counters of a module by id, as gpc_hierarchy_read: the table GPC_TABLE_COHERENCE.
 *   module  index; GPC_NO_MODULE: the sum of all modules
 * Returns GPC_OK; GPC_ERROR_RANGE (module, value_count); GPC_ERROR_ARGUMENT. Since: 0.3.
 */
GPC_API gpc_status gpc_coherence_read(const gpc_coherence *coherence, uint32_t module, const uint32_t *ids,
                                      size_t count, uint64_t *values, size_t value_count, gpc_error *error);

/*
 * Transitions and their causes since the tree was made or the statistics were reset (Table 4.2).
 *   module       index; GPC_NO_MODULE: the sum of all modules
 *   states       of the protocol: GPC_LINE_COUNT + gpc_coherence_protocol(coherence)->state_count; or GPC_LINE_COUNT: a
 *                state beside the six is counted as the state of the six with the same meaning, and F as S
 *   transitions  [states][states] number of transitions, indexed by from and to
 *   origins      [states][states] gpc_origin bits, causes of the transitions
 * Returns GPC_OK; GPC_ERROR_RANGE (module, states); GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_get_matrices(const gpc_coherence *coherence, uint32_t module, uint32_t states,
                                              uint64_t *transitions, uint32_t *origins, gpc_error *error);
/* Set the statistics of all modules to 0. NULL is allowed. Since: 0.1. */
GPC_API void gpc_coherence_reset_stats(gpc_coherence *coherence);

/*
 * End of an access begun by gpc_coherence_issue. Borrowed for the call; `bytes` until the callback issues another
 * access.
 */
typedef struct gpc_coherence_completion {
    size_t struct_size;
    uint64_t token;              /* from gpc_coherence_issue */
    uint64_t issued, cycle;      /* issued: cycle of the request. cycle: the processor has its answer */
    uint64_t address;            /* bytes */
    const uint8_t *bytes;        /* [size], data of a load, or bytes after a store; NULL without `data` */
    uint32_t module, size, kind; /* as in the request */
    uint32_t retries;            /* number of restarts, because a request of the access was refused */
    uint8_t hit;                 /* 1: no request went to the low module */
    /* 1: the access was joined to an older access to the block, and ended with the older access */
    uint8_t joined;
    uint8_t reserved[6];
} gpc_coherence_completion;

/*
 * Callbacks of a tree. Called after every access, flush and acquire, before the call returns: first for every message
 * in list order, then for every transition. For accesses in flight (gpc_coherence_issue): for every transition when
 * made, and for every message when received; the message's `after`, `join`, `request` and `block` then say none, and
 * its `found` and delays are 0. A callback may be NULL. Arguments are borrowed for the call. A callback may not call
 * into the tree. Exception: on_complete may call gpc_coherence_issue and functions that only read.
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
 * Set the callbacks, which are copied; NULL clears them. Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_coherence_set_callbacks(gpc_coherence *coherence, const gpc_coherence_callbacks *callbacks,
                                               gpc_error *error);

/*
 * Accesses that overlap in time. gpc_coherence_access performs a whole access at once. gpc_coherence_issue and
 * gpc_coherence_advance perform accesses message by message. A module acts when a message arrives. A block is locked
 * from the lookup that finds the block until the request is done. Ports, links and buffers have a limited rate.
 * Protocol table, tags, directory and counters are the same.
 *
 *   order      within a module, a store waits for all older accesses. A load or n-store waits for older stores, and for
 *              older accesses to its block. A load joins older loads of its block, unless a store lies between them. A
 *              store of either kind joins the access directly before, if that access has the same kind and block. An
 *              access that bypasses its module, or is written through, joins no other access
 *   conflicts  a request towards memory that finds its block locked waits at the block. With GPC_PROTOCOL_RETRY the
 *              request is refused, and the access begins again after 0 to latency + 1 cycles, drawn at random by the
 *              context's seed; `latency` is that of the access's module. Probes, and accesses in their own module, wait
 *              for the lock. If requests wait (no RETRY), a probe passes the lock of an access whose own request has
 *              not been served yet
 *   time       networks are stars with buffers of bytes. A buffer takes 1 message a cycle. A message takes 1 + 3 *
 *              ceil(bytes / bandwidth) cycles on a free path; `ports`, `latency` and `directory_latency` add to the
 *              time; `mshrs` limits nothing
 *
 * An access alone leaves the same states as gpc_coherence_access, and takes the same cycles, unless two messages meet
 * at a switch: a message of gpc_coherence_access takes part in the switch's choice one cycle after the message has
 * begun to cross its link. If a module itself must ask for the only copy, modified bytes from above go to the module
 * first, where gpc_coherence_access sends them to the peer.
 *
 * Source: seeds/002 section 4.2; Multi2Sim 5.0, equal in every transition and cycle under nmoesi-multi2sim.
 */

/*
 * Begin an access at request->cycle, a cycle that gpc_coherence_advance has not passed. Nothing happens before the next
 * gpc_coherence_advance. `bytes` and `mask` are copied. `out` and `atomics`, if given, must live until the access ends;
 * `out` is written directly before on_complete, `atomics` when performed.
 * An ACQUIRE applies to a whole module, any cache, and has no address, size, bytes, mask, out, atomics or flags. Blocks
 * that the rules only drop go at once. Blocks that the rules write back leave at 1 block a cycle. Blocks in flight are
 * waited for. The ACQUIRE ends when no earlier access to the module is in flight. A RELEASE begins when no earlier
 * access to the module is in flight, and continues as an ACQUIRE.
 *   out_token  receives the number of the access: 1, 2, 3 and so on
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT and GPC_ERROR_RANGE as gpc_coherence_access, and ARGUMENT for a
 * past cycle; GPC_ERROR_STATE after the tree has failed, and from on_message and on_transition; GPC_ERROR_MEMORY. With
 * a status other than GPC_OK nothing has begun.
 * While accesses or their consequences are in flight, gpc_coherence_access, flush and acquire return GPC_ERROR_STATE.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_issue(gpc_coherence *coherence, const gpc_coherence_request *request,
                                       uint64_t *out_token, gpc_error *error);

/*
 * Perform all events up to and including a cycle. UINT64_MAX: until nothing is in flight.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (the cycle is past); GPC_ERROR_STATE (an event that the protocol forbids, or a
 * deadlock of the accesses in flight, `error` naming what they wait for: the tree can then only be read and destroyed;
 * or a call from a callback); GPC_ERROR_MEMORY (events before some cycle are done; the next call continues).
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_advance(gpc_coherence *coherence, uint64_t cycle, gpc_error *error);

/*
 * Next cycle with an event of accesses in flight. UINT64_MAX: nothing is in flight.
 * Thread rule: one thread at a time. Since: 0.2.
 */
GPC_API uint64_t gpc_coherence_next_event(const gpc_coherence *coherence);

/*
 * Check the invariants of a tree.
 *   modules  every tag is present once, in its own set; invalid blocks have no sharers and no owner
 *   blocks   with addresses from `first` on, under a protocol with DIRECTORY: a module in M or E has no peer with a
 *            copy; at most a single peer is in O; the directory below has every copy, and the module with write
 *            permission as the owner; caches below have the block's copies too and, if inclusive, the block; modified
 *            bytes exist only in N, M or O
 * While accesses are in flight, only the rule of a single writer is checked, without locked copies.
 *   bytes  length of the range from `first` on
 * Returns GPC_OK; GPC_ERROR_STATE (`error` names the violation and the place); GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_coherence_check(const gpc_coherence *coherence, uint64_t first, uint64_t bytes,
                                       gpc_error *error);

/* clang-format off */

/*
 * Counters of a module of a coherent tree. `accesses` is defined as in Multi2Sim: every lookup. Accesses by processors,
 * requests by modules above, and their hits have separate counters, so that hit ratios can be computed in either way.
 */
#define GPC_COHERENCE_COUNTERS(X)                                                                                     \
    X(217, accesses, "accesses", "lookups", SUM, MODULE, NOTHING, "0.1",                                              \
      "all lookups: accesses, requests, probes, write-backs received, messages",                                      \
      "= directory_accesses + again; >= hits")                                                                        \
    X(218, hits, "hits", "lookups", SUM, MODULE, NOTHING, "0.1",                                                      \
      "of these, reads and writes towards memory that found the block valid",                                         \
      "= again; <= accesses")                                                                                         \
    X(219, loads, "loads", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor",                               \
      "= again; >= load_hits")                                                                                        \
    X(220, load_hits, "load_hits", "accesses", SUM, MODULE, NOTHING, "0.1", "of these, found valid",                  \
      "= again; <= loads")                                                                                            \
    X(221, stores, "stores", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor, coherent",                   \
      "= again; >= store_hits")                                                                                       \
    X(222, store_hits, "store_hits", "accesses", SUM, MODULE, NOTHING, "0.1",                                         \
      "of these, without a request to the low module",                                                                \
      "= again; <= stores")                                                                                           \
    X(223, n_stores, "n_stores", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor, non-coherent",           \
      "= again; >= n_store_hits")                                                                                     \
    X(224, n_store_hits, "n_store_hits", "accesses", SUM, MODULE, NOTHING, "0.1",                                     \
      "of these, without a request to the low module",                                                                \
      "= again; <= n_stores")                                                                                         \
    X(225, read_requests, "read_requests", "requests", SUM, MODULE, NOTHING, "0.1", "of modules above, for a copy",   \
      "= again; >= read_request_hits")                                                                                \
    X(226, read_request_hits, "read_request_hits", "requests", SUM, MODULE, NOTHING, "0.1",                           \
      "of these, found valid here",                                                                                   \
      "= again; <= read_requests")                                                                                    \
    X(227, write_requests, "write_requests", "requests", SUM, MODULE, NOTHING, "0.1",                                 \
      "of modules above, for the only copy",                                                                          \
      "= again; >= write_request_hits")                                                                               \
    X(228, write_request_hits, "write_request_hits", "requests", SUM, MODULE, NOTHING, "0.1",                         \
      "of these, without a request to the low module",                                                                \
      "= again; <= write_requests")                                                                                   \
    X(229, read_probes, "read_probes", "probes", SUM, MODULE, NOTHING, "0.1",                                         \
      "from the low module: another will hold a copy",                                                                \
      "= again; <= accesses")                                                                                         \
    X(230, write_probes, "write_probes", "probes", SUM, MODULE, NOTHING, "0.1", "from the low module: invalidate",    \
      "= again; <= accesses")                                                                                         \
    X(231, probe_misses, "probe_misses", "probes", SUM, MODULE, NOTHING, "0.1", "of both, that found no block",       \
      "= again; <= read_probes + write_probes")                                                                       \
    X(232, write_backs_received, "write_backs_received", "messages", SUM, MODULE, NOTHING, "0.1",                     \
      "modified data from modules above",                                                                             \
      "= again; <= accesses")                                                                                         \
    X(233, notices_received, "notices_received", "messages", SUM, MODULE, NOTHING, "0.1",                             \
      "clean evictions, and owners that step back, of modules above",                                                 \
      "= again; <= accesses")                                                                                         \
    X(234, write_throughs_received, "write_throughs_received", "messages", SUM, MODULE, NOTHING, "0.1",               \
      "stores of modules above",                                                                                      \
      "= again; <= accesses")                                                                                         \
    X(235, evictions, "evictions", "blocks", SUM, MODULE, NOTHING, "0.1", "valid blocks that made room",              \
      "= again; <= accesses")                                                                                         \
    X(236, invalidations, "invalidations", "blocks", SUM, MODULE, NOTHING, "0.1",                                     \
      "blocks lost to write probes, flushes and acquires",                                                            \
      "= again")                                                                                                      \
    X(237, data_sent, "data_sent", "messages", SUM, MODULE, NOTHING, "0.1", "with data, to whomever",                 \
      "= again; >= peer_transfers")                                                                                   \
    X(238, peer_transfers, "peer_transfers", "messages", SUM, MODULE, NOTHING, "0.1",                                 \
      "of these, to a module of the same level",                                                                      \
      "= again; <= data_sent")                                                                                        \
    X(239, directory_accesses, "directory_accesses", "accesses", SUM, MODULE, NOTHING, "0.1",                         \
      "lookups of tags and directory",                                                                                \
      "= accesses - again; >= hits")                                                                                  \
    X(240, data_accesses, "data_accesses", "accesses", SUM, MODULE, NOTHING, "0.1", "that took the data's latency",   \
      "= again; <= 2 directory_accesses")                                                                             \
    X(241, low_sent, "low_sent", "bytes", SUM, MODULE, NOTHING, "0.1", "on the network towards memory",               \
      "= again")                                                                                                      \
    X(242, low_received, "low_received", "bytes", SUM, MODULE, NOTHING, "0.1", "likewise",                            \
      "= again")                                                                                                      \
    X(243, high_sent, "high_sent", "bytes", SUM, MODULE, NOTHING, "0.1", "on the network towards the processors",     \
      "= again")                                                                                                      \
    X(244, high_received, "high_received", "bytes", SUM, MODULE, NOTHING, "0.1", "likewise",                          \
      "= again")                                                                                                      \
    X(245, retries, "retries", "accesses", SUM, MODULE, CLOCK, "0.1",                                                 \
      "begun anew since a block was locked (timed hierarchies, accesses in flight)",                                  \
      "= again; <= accesses")                                                                                         \
    X(262, directory_overflows, "directory_overflows", "entries", SUM, MODULE, NOTHING, "0.2",                        \
      "of the directory that came to have more copies than it can name",                                              \
      "= again; if coherence.directory_pointers=0: = 0")                                                              \
    X(263, directory_evictions, "directory_evictions", "copies", SUM, MODULE, NOTHING, "0.2",                         \
      "invalidated above, so that an entry could name another",                                                       \
      "= again; if coherence.directory_pointers=0: = 0")

/* clang-format on */

/* Ids of the counters of a module of a tree, for reads. */
typedef enum gpc_module_counter_id {
#define X(id, field, ...) GPC_ID_MODULE_##field = id,
    GPC_COHERENCE_COUNTERS(X)
#undef X
} gpc_module_counter_id;

GPC_END_DECLS

#endif
