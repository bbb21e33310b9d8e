/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_TASK_H
#define GPC_COHERENCE_ENGINE_TASK_H

#include "coherence/engine/engine_pool.h"
#include "coherence/module/transaction.h"

/* Contents of the protocol engine (engine.h): steps, tasks (chains of steps), accesses, messages, locks, modules. */

/* Steps, a function per step. */
/* clang-format off */
#define GPCI_STEPS(X)                                                                                           \
    X(access_begin) X(access_order) X(access_found) X(access_evicted) X(access_filled) X(access_unlock)         \
    X(access_through) X(access_passing) X(access_passed) X(access_end) X(find_begin) X(find_look)               \
    X(find_locked) X(find_gone) X(find_room) X(find_filled) X(find_end) X(read_begin) X(read_come)              \
    X(read_found) X(read_up) X(read_room) X(read_missed) X(read_complete) X(read_up_end) X(read_down)              \
    X(read_down_wait) X(read_down_end) X(read_dropped) X(read_lowered) X(read_reply) X(read_replied)            \
    X(write_begin) X(write_come) X(write_found) X(write_alone) X(write_complete) X(write_up) X(write_up_end)       \
    X(write_down) X(write_down_end) X(write_reply) X(write_replied) X(invalidate_begin) X(invalidate_end)       \
    X(evict_begin) X(evict_data) X(evict_entry) X(evict_moved) X(evict_alone) X(evict_send) X(evict_replied)    \
    X(evict_end) X(put_send) X(put_come) X(put_found) X(put_alone) X(put_owned) X(put_fetched) X(put_complete)     \
    X(put_merge) X(put_keep) X(put_cleaned) X(put_dropped) X(put_forwarded) X(put_near) X(put_moved)            \
    X(put_reply) X(put_replied) X(clear_begin) X(clear_come) X(clear_found) X(clear_reply) X(clear_replied)     \
    X(sweep_send) X(sweep_begin) X(sweep_next) X(sweep_block) X(sweep_left) X(sweep_joined) X(sweep_reply)      \
    X(sweep_end) X(sweep_one) X(flush_send) X(flush_come) X(flush_found) X(flush_alone) X(flush_back)           \
    X(flush_reply) X(flush_left) X(neighbour_comes) X(tell_send) X(tell_come) X(tell_found) X(mark_send)        \
    X(mark_come)                                                                                                \
    X(mark_joined) X(mark_reply) X(mark_replied) X(out_begin) X(out_end) X(message_leaves) X(message_passes)      \
    X(message_comes) X(message_there) X(peer_comes)
/* clang-format on */

typedef enum gpci_step {
#define X(name) GPCI_STEP_##name,
    GPCI_STEPS(X)
#undef X
        GPCI_STEP_COUNT
} gpci_step;

/* Answers of probed modules. If several modules answer, the greatest value counts. */
enum { GPCI_ANSWER_NONE = 0, GPCI_ANSWER_ACK = 1, GPCI_ANSWER_DATA = 2 };

/* Selects the fields of a task's union. */
typedef enum gpci_task_sort {
    GPCI_TASK_REQUEST, /* also the root task of an access (uses no fields of the union) */
    GPCI_TASK_LOOKUP,
    GPCI_TASK_INVALIDATION,
    GPCI_TASK_PUT,
    GPCI_TASK_EVICTION, /* until sent; afterwards a put */
    GPCI_TASK_SWEEP,
    GPCI_TASK_TOLD /* an INVALIDATION, or a marker */
} gpci_task_sort;

#define GPCI_TASK_NO_MODULE UINT16_MAX

/* Span of an invalidation of all addresses from the first on. */
#define GPCI_TASK_ALL UINT32_MAX

/* A task has the size of a cache line. A new task is a REQUEST; for another sort, the caller sets `sort` at once. */
typedef struct gpci_task {
    uint32_t parent;       /* task notified at the end, or GPCI_NO_ITEM. Free task: next in the pool */
    uint32_t inflight;     /* access of the task */
    uint32_t block;        /* block of `module`, locked for the task or the parent */
    uint32_t own;          /* block of `from` that receives the answer's data, or that leaves */
    uint32_t pending;      /* unfinished children, plus 1 while the task makes them */
    uint32_t behind;       /* next task with a blocked address of `module`, or next invalidation of `module` */
    uint64_t address;      /* block of `from`; lookup: any address in the block; invalidation: first address */
    uint16_t from, module; /* from: sends the request; module: gets the request, looks up, evicts or loses copies */
    uint32_t next_of_line; /* next in the host's list of MSHR holders */
    union {
        struct {
            uint32_t bytes;  /* size of the answer, with header */
            uint32_t coming; /* number of blocks in flight from peers to `from` */
        };
        struct {
            uint32_t entry;  /* directory-only entry: found by the lookup, or needed by the eviction of `own` */
            uint8_t emptied; /* bit per block of the victim's line that must leave */
            uint8_t judged;  /* GPCI_JUDGED_ decision about the lookup's block */
        };
        struct {
            uint32_t ask;    /* write request that needs the invalidation, or GPCI_NO_ITEM */
            uint32_t span;   /* distance of the last sub-block from `address`, or GPCI_TASK_ALL */
            uint16_t except; /* module allowed to keep a copy, or GPCI_TASK_NO_MODULE */
        };
        struct {
            uint32_t size;    /* bytes of the message, with header */
            uint32_t carried; /* block of `carrier` to send */
            uint16_t carrier; /* module that has `carried`; unused for the bytes of a store */
        };
        struct {
            uint32_t dropped;  /* number of blocks dropped by ACQUIRE rules */
            uint32_t abreast;  /* gpci_sweep_order.abreast */
            uint32_t upcoming; /* next block to look at */
        };
        uint32_t number; /* number of an INVALIDATION; marker: number of the last INVALIDATION before the marker */
    };
    uint8_t resumes;    /* gpci_step of the parent that runs at the task's end */
    uint8_t state;      /* state of `block` at the lookup; invalidation: state before the invalidation */
    uint8_t answer : 2; /* GPCI_ANSWER_, of children */
    uint8_t sort : 3;   /* gpci_task_sort */
    uint8_t kind;       /* put: gpc_message_kind; sweep: gpci_sweep */
    /* events defined by the protocol itself. event: at `module`; cause: at `from`; 0: the usual event */
    uint8_t event, cause;
    bool down : 1;                                    /* goes towards the processors: a probe or a marker */
    bool blocking : 1, allocates : 1, goes_first : 1; /* lookup: as in gpci_look */
    bool blocks_address : 1;                          /* lookup: as in gpci_look */
    bool hit : 1, missing : 1, refused : 1, evicting : 1;
    bool lost : 1;                 /* lookup: its block is no longer locked; the lookup is refused */
    bool out : 1;                  /* lookup: a policy keeps the block out */
    bool victim : 1, modified : 1; /* eviction: the block makes room for another; the block was modified when chosen */
    /*
     * Put. leaves: the block of `from` leaves; stored: carries the access's stored bytes; at_low: `module` performs the
     * store.
     */
    bool leaves : 1, stored : 1, at_low : 1;
    bool passing : 1;         /* put or read request: the access bypasses `from` */
    bool blind : 1;           /* put or write request: the access does not need the block's old bytes */
    bool address_blocked : 1; /* the address is blocked in `module` (gpci_block_address) */
    bool lent : 1;            /* probe: the block, or `entry`, was already locked for the access */
    bool owners : 1;          /* invalidation: only owners have been probed so far; probe: `module` is an owner */
    bool room : 1;            /* invalidation: makes room in the directory for `except` */
    bool valid : 1, non_coherent : 1; /* request: `from` has a copy; `from` shares the block without owning it */
    bool shared : 1;                  /* modules other than `from` have copies, too */
    bool found : 1, peer : 1, data : 1, masked : 1, keeps : 1; /* answer: as in gpci_tree_probe_reply */
    bool received : 1;                                         /* modified bytes came to `module` */
    bool direct : 1;                                           /* write request: data may go directly to `from` */
    /* sent by a peer directly to `from`: the block; all bytes of the block; modified bytes */
    bool sent : 1, full_block : 1, dirty : 1;
    /* both: `module` and the peer send the block; eager: only the peer sends, and the block completes the request. */
    bool both : 1, eager : 1;
    /* Write request. asked: `module` sent a request below. newer: the reply has newer bytes than `from` has. */
    bool asked : 1, newer : 1;
    bool below_dirty : 1, below_newer : 1; /* `dirty` and `newer` of the reply to `module`'s own request */
    bool done : 1, left : 1;               /* done: `module` has finished the request; left: the parent has continued */
    bool served : 1;                       /* request or put: `module` has looked it up and not refused it */
    bool borrows : 1;                      /* probe: another access holds the block's lock (gpci_lock.probe) */
    bool taken : 1;                        /* put: a probe passed the lock of the put's block */
    /*
     * Put or read: the task keeps another block locked, and no probe may pass the lock; where other requests wait, the
     * task is refused. Probe: sent for the bytes of such a put; refused if the probed block is locked.
     */
    bool forwarded : 1;
    bool mshr : 1; /* with a host: holds an MSHR entry of `module` */
} gpci_task;

/*
 * True if INVALIDATION `left` was sent before `right`, an INVALIDATION or a marker. A marker has the number of the last
 * INVALIDATION sent before the marker.
 */
GPCI_INLINE bool gpci_was_notified_before(const gpci_task *left, const gpci_task *right) {
    return (int32_t)(left->number - right->number) <= 0;
}

_Static_assert(sizeof(gpci_task) == 64, "there may be a hundred thousand of them");
_Static_assert(GPC_MAX_MODULES < GPCI_TASK_NO_MODULE, "modules of tasks have 16 bits");

/* An access in flight. It has the size of a cache line. */
typedef struct gpci_tree_inflight {
    uint32_t task;   /* root task, or GPCI_NO_ITEM; free access: next in the pool */
    uint32_t master; /* access that this access joined, or GPCI_NO_ITEM */
    uint32_t tasks;  /* with a host: number of the unfinished tasks */
    uint32_t size, retries, flags;
    uint64_t address, token;
    uint32_t line; /* record of the line access, in gpci_engine.lines; or GPCI_NO_ITEM */
    uint32_t word; /* answer of the low module's predictor, for the predictor of `module` */
    uint16_t module;
    gpci_tree_asks asks; /* gpc_coherence.asks when the access began */
    uint8_t kind, found;
    uint8_t deepest; /* deepest level reached by the requests */
    bool holds_port : 1, unlocked : 1, ended : 1, notified : 1, hit : 1, gave_mask : 1, gave_bytes : 1, applied : 1;
    bool own : 1;       /* `module` performed the access without requests below */
    bool alone : 1;     /* never joins an access, and no access joins it (gpci_goes_alone) */
    bool through : 1;   /* the store was performed, but refused below: its bytes must be sent again */
    bool taken : 1;     /* store being written through: a probe passed the lock of the store's block */
    bool responded : 1; /* the low module's predictor was asked for `word` */
    /*
     * Bypassing load. answered: the low module has answered without bytes; heard: the predictor of `module` has
     * received the answer; overturned: the predictor overturned the bypass.
     */
    bool answered : 1, heard : 1, overturned : 1;
} gpci_tree_inflight;

_Static_assert(sizeof(gpci_tree_inflight) == 64, "there may be a hundred thousand of them");

/*
 * Further fields of an access. Used if accesses of a module are ordered and joined (engine_order.c), or carry bytes.
 * Not used in a hierarchy without values, where L1s keep the order.
 */
typedef struct gpci_inflight_rest {
    uint64_t issued;
    uint8_t *out;
    gpc_atomic *atomics; /* [atomic_count], owned by the issuer */
    uint32_t atomic_count;
    uint32_t older, newer;  /* neighbours in the module's list of accesses (engine_order.c) */
    gpci_due_queue waiters; /* tasks that wait for the end of the access */
} gpci_inflight_rest;

/* A message in flight. */
typedef struct gpci_sent_message {
    uint32_t next, behind; /* next: next free item of the pool; behind: next message in the buffer */
    uint32_t task, step;   /* step of `task` to run on arrival */
    uint32_t network, from, to, bytes;
    uint32_t from_place, to_place; /* places of `from` and `to` among the members of the network */
    uint32_t buffer, kind;
    uint64_t address, sent, began;
    uint32_t message; /* lone access: index in the list of steps */
    uint32_t masked;  /* a bool, without padding behind */
} gpci_sent_message;

/* Buffers of messages: four per module and network. */
enum { GPCI_BUFFER_OUT, GPCI_BUFFER_SWITCH_IN, GPCI_BUFFER_SWITCH_OUT, GPCI_BUFFER_IN, GPCI_BUFFER_COUNT };

typedef struct gpci_star_buffer {
    /* row: messages, chained by `behind`; waiters: messages that wait for room, or for the buffer's head */
    gpci_due_queue row, waiters;
    gpci_link_buffer room; /* room for bytes */
    uint64_t decided;      /* switch output: 1 + cycle of the last decision */
    /* switch output: input chosen in that cycle, and input chosen last, as places on the network */
    uint32_t granted, last;
    bool listed; /* in the first buffer of a member: the member is in gpci_net.used */
} gpci_star_buffer;

/* A network: its members are its modules in ascending order. A member has GPCI_BUFFER_COUNT buffers. */
typedef struct gpci_net {
    gpci_link link; /* settings of each of the three links from a sender to a receiver */
    uint32_t count, used_count, words;
    uint64_t *requests; /* [count][words] by receiver: bit per sender with a message for it at the switch's input */
    uint32_t *used;     /* [count] places of the members that lone accesses have used since the network was idle */
    gpci_star_buffer *buffers;
} gpci_net;

/* First token of internal accesses; tokens of the host's accesses are lower. */
#define GPCI_NEIGHBOUR_TOKEN ((uint64_t)1 << 63)

#define GPCI_ANSWERED (GPCI_NO_ITEM - 1)

/* Lock of a locked block. Unlocked blocks share entry 0 of the pool, a free lock that is never written. */
typedef struct gpci_lock {
    uint32_t next;   /* free: next in the pool; in use: next of the bucket (gpci_engine_unit.locks); 0: none */
    uint32_t block;  /* block of the lock */
    uint32_t holder; /* access that holds the lock; GPCI_NO_ITEM: free */
    uint32_t token; /* token of the holder (gpci_lock_token): the pool entry `holder` may be reused by a later access */
    /* Task of the holder's request or put for the block; GPCI_NO_ITEM: none yet; GPCI_ANSWERED: answered. */
    uint32_t asks;
    uint32_t probe; /* probe that passed the lock and has not answered, or GPCI_NO_ITEM */
    gpci_due_queue waiters;
    uint64_t tag; /* tag for which the block is locked: of the present block, or of a block on its way */
} gpci_lock;

_Static_assert(sizeof(gpci_lock) == 40, "there may be a hundred thousand of them");

#define GPCI_LOCK_FREE                                                                                    \
    (gpci_lock) {                                                                                         \
        .block = GPCI_TREE_NO_BLOCK, .holder = GPCI_NO_ITEM, .asks = GPCI_NO_ITEM, .probe = GPCI_NO_ITEM, \
        .waiters = GPCI_DUE_QUEUE_INIT                                                                    \
    }

/* State of a module, kept by the engine. */
typedef struct gpci_engine_unit {
    /* [lock_mask + 1] buckets, by low bits of the block: pool index of the bucket's first lock; 0: no lock */
    uint32_t *locks;
    uint32_t lock_mask;
    /* number of locked blocks; the home half counts the locks of both halves; not saved: follows from `locks` */
    uint32_t held;
    uint32_t ports_used, oldest; /* only without a host, hence not saved. oldest: oldest access in flight */
    gpci_due_queue port_waiters; /* lookups that wait for a port; only without a host */
    bool mixed;                  /* modules above have different block sizes */
    bool halved;                 /* half of a cache; waiters for room are in `address_waiters` */
    /* state: snapshots save the fields from here on */
    gpci_due_queue entry_waiters; /* with a host: lookups that wait for an MSHR entry */
    /*
     * With a host: senders that wait for room for a message, down [0] and up [1]. Halves of a cache share the home
     * half's queues.
     */
    gpci_due_queue senders[2];
    uint32_t freed[2];        /* number of places freed in the queues that `senders` have not taken yet */
    uint32_t youngest;        /* youngest access in flight */
    uint32_t listed, joined;  /* number of accesses in flight, and of joined accesses among them */
    uint32_t sweeps;          /* number of acquires and flushes of the module in progress */
    uint32_t address_blocked; /* newest task that blocks an address (a list through `behind`), or GPCI_NO_ITEM */
    gpci_due_queue address_waiters;
    uint32_t notified; /* first INVALIDATION task to the module, or GPCI_NO_ITEM */
    gpci_due_queue notified_waiters;
} gpci_engine_unit;

/*
 * Position of a lone access's task in the list of steps. The task's next message is sent `delay` cycles after the end
 * of step `after` (as in gpc_coherence_message), and after the joined steps have ended.
 */
typedef struct gpci_trail {
    uint32_t after, delay, directory;
    uint32_t came;              /* message that brought the task to its module; GPC_NO_MESSAGE: none */
    uint32_t joins, join_count; /* last steps of ended children: a list through gpc_coherence_message.join */
    uint32_t peers, peer_count; /* messages of peers to `from` of the task: a list through gpc_coherence_message.join */
    uint8_t looks, memory;
    bool answered; /* the task's module has sent an answer */
    bool late;     /* Multi2Sim: the answer to a probe waits for all other steps of the cycle */
} gpci_trail;

#define GPCI_TRAIL_INIT \
    { GPC_NO_MESSAGE, 0, 0, GPC_NO_MESSAGE, GPC_NO_MESSAGE, 0, GPC_NO_MESSAGE, 0, 0, 0, false, false }

#endif
