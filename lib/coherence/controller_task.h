/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_TASK_H
#define GPC_COHERENCE_CONTROLLER_TASK_H

#include "coherence/controller_pool.h"
#include "coherence/transaction.h"

/* Steps of controllers (controller.h), the tasks that are chains of them, and the accesses that tasks are for. */

/* Tasks that a step, and those that follow at once, make beside probes. */
#define GPCI_STEP_TASKS 8u

/* Steps, a function each. */
/* clang-format off */
#define GPCI_STEPS(X)                                                                                           \
    X(access_begin) X(access_order) X(access_found) X(access_evicted) X(access_filled) X(access_unlock)         \
    X(access_through) X(access_passing) X(access_passed) X(access_end) X(find_begin) X(find_look)               \
    X(find_locked) X(find_gone) X(find_room) X(find_filled) X(find_end) X(read_begin) X(read_come)              \
    X(read_found) X(read_up) X(read_room) X(read_missed) X(read_whole) X(read_up_end) X(read_down)              \
    X(read_down_wait) X(read_down_end) X(read_dropped) X(read_lowered) X(read_reply) X(read_replied)            \
    X(write_begin) X(write_come) X(write_found) X(write_alone) X(write_whole) X(write_up) X(write_up_end)       \
    X(write_down) X(write_down_end) X(write_reply) X(write_replied) X(invalidate_begin) X(invalidate_end)       \
    X(evict_begin) X(evict_data) X(evict_entry) X(evict_moved) X(evict_alone) X(evict_send) X(evict_replied)    \
    X(evict_end) X(put_send) X(put_come) X(put_found) X(put_alone) X(put_owned) X(put_fetched) X(put_whole)     \
    X(put_merge) X(put_keep) X(put_cleaned) X(put_dropped) X(put_forwarded) X(put_near) X(put_moved)            \
    X(put_reply) X(put_replied) X(clear_begin) X(clear_come) X(clear_found) X(clear_reply) X(clear_replied)     \
    X(sweep_send) X(sweep_begin) X(sweep_next) X(sweep_block) X(sweep_left) X(sweep_joined) X(sweep_reply)      \
    X(sweep_end) X(neighbour_comes) X(tell_send) X(tell_come) X(tell_found) X(mark_send) X(mark_come)           \
    X(mark_joined) X(mark_reply) X(mark_replied) X(out_begin) X(out_end) X(parcel_leaves) X(parcel_passes)      \
    X(parcel_comes) X(parcel_there) X(peer_comes)
/* clang-format on */

typedef enum gpci_step {
#define X(name) GPCI_STEP_##name,
    GPCI_STEPS(X)
#undef X
        GPCI_STEP_COUNT
} gpci_step;

/* What modules that were asked have answered: the greatest counts. */
enum { GPCI_ANSWER_NONE = 0, GPCI_ANSWER_ACK = 1, GPCI_ANSWER_DATA = 2 };

/* Which fields of its union a task has. */
typedef enum gpci_task_sort {
    GPCI_TASK_REQUEST, /* or an access, whose own has none */
    GPCI_TASK_LOOKUP,
    GPCI_TASK_INVALIDATION,
    GPCI_TASK_PUT,
    GPCI_TASK_EVICTION, /* until it is sent, as a put */
    GPCI_TASK_SWEEP,
    GPCI_TASK_TOLD /* an INVALIDATION, or a marker */
} gpci_task_sort;

#define GPCI_TASK_NO_MODULE UINT16_MAX

/* An invalidation's span of all addresses from its first on. */
#define GPCI_TASK_ALL UINT32_MAX

/* One is a cache line. Begun with `sort` REQUEST, and by those that are of another sort made so at once. */
typedef struct gpci_task {
    uint32_t parent;       /* who is told of the end; GPCI_NO_ITEM: nobody. Of one that is free: pool */
    uint32_t flight;       /* the access that it is for */
    uint32_t block;        /* of `module`, locked for this task or its parent */
    uint32_t own;          /* of `from`: the block that the answer is for, or that goes */
    uint32_t pending;      /* children that have not ended, and the task itself while it makes them */
    uint32_t behind;       /* the next task that bars an address of `module`, or is told something there */
    uint64_t address;      /* the block's of `from`, or, of a lookup, any in it; of an invalidation the first meant */
    uint16_t from, module; /* who asks; who is asked, or looks up, evicts, loses copies */
    uint32_t beside;       /* with a host that lists who has MSHR entries: the next */
    union {
        struct {
            uint32_t bytes;  /* of the answer */
            uint32_t coming; /* blocks on their way from peers to `from` */
        };
        struct {
            uint32_t entry;  /* of the directory alone: that `block` was; or, of an eviction, that `own` becomes */
            uint8_t emptied; /* which blocks of the line that had its way leave, a bit each */
            uint8_t judged;  /* GPCI_JUDGED_ */
        };
        struct {
            uint32_t ask;    /* the write request that it is for; or none */
            uint32_t span;   /* addresses behind `address` whose sub-blocks are meant, too; GPCI_TASK_ALL */
            uint16_t except; /* the module that keeps its copy; GPCI_TASK_NO_MODULE */
        };
        struct {
            uint32_t size;    /* of the message, header included */
            uint32_t carried; /* the block of `carrier` that the bytes are of, */
            uint16_t carrier; /* unless they are a store's */
        };
        struct {
            uint32_t dropped;  /* blocks that ACQUIRE rules have dropped */
            uint32_t abreast;  /* gpci_sweep_order.abreast */
            uint32_t upcoming; /* the next block */
        };
        uint32_t number; /* of an INVALIDATION; of a marker, of the last before it */
    };
    uint8_t resumes;      /* gpci_step of the parent */
    uint8_t state;        /* in which the block was found; of an invalidation, in which it was */
    uint8_t answer : 2;   /* GPCI_ANSWER_, of children */
    uint8_t sort : 3;     /* gpci_task_sort */
    uint8_t kind;         /* of a put: gpc_message_kind; of a sweep: gpci_sweep */
    uint8_t event, cause; /* of the protocol's own: at `module`; why `from` asks; 0: the usual */
    bool down : 1;        /* towards the processors */
    bool blocking : 1, allocates : 1, hurries : 1; /* of a lookup */
    bool bars : 1;                                 /* likewise: as gpci_look */
    bool hit : 1, missing : 1, refused : 1, evicting : 1;
    bool lost : 1;                 /* of a lookup: its block is not locked any more; it is refused */
    bool out : 1;                  /* likewise: its block is to be kept out */
    bool victim : 1, modified : 1; /* of an eviction: to make room; the block was modified when it was chosen */
    bool leaves : 1, stored : 1, at_low : 1; /* of a put: R's copy goes; it is the bytes of the access; T performs it */
    bool passing : 1;                        /* of a put or read request: the access bypasses R */
    bool blind : 1;                          /* of a put: gpci_tree_put; of a write request: gpci_tree_request */
    bool barred : 1;                         /* its address, in `module`: gpci_bar */
    bool lent : 1;                           /* of a probe, its block, or `entry`: was locked for this access before */
    bool owners : 1;                         /* of an invalidation: only owners have been asked yet */
    bool room : 1;                           /* likewise: of who is to go so that the directory can name `except` */
    bool valid : 1, non_coherent : 1;        /* of a request: `from` has a copy; will not own it; */
    bool shared : 1;                         /* others have copies */
    bool found : 1, peer : 1, data : 1, masked : 1, keeps : 1; /* of an answer, as gpci_tree_probe_reply */
    bool received : 1;                                         /* modified bytes came to `module` */
    bool direct : 1;                                           /* of a write request: data may go straight to `from` */
    bool sent : 1, whole : 1, dirty : 1;   /* to `from` itself: the block; all of it; modified bytes */
    bool both : 1, eager : 1;              /* `module` sends its block as well; it does not, and what comes is enough */
    bool asked : 1, newer : 1;             /* of a write request, as gpci_tree_reply */
    bool below_dirty : 1, below_newer : 1; /* likewise, of the request that `module` made for it */
    bool done : 1, left : 1;               /* `module` has done its part; the parent has gone on */
    bool served : 1;                       /* to a low module: it has got there, and has not been refused */
    bool borrows : 1;                      /* of a probe: the block is another's (gpci_lock.asks) */
    bool taken : 1;                        /* of a put: a probe has passed the lock of the block that it is of */
    bool forwarded : 1; /* of a put or read: for it another block stays locked, which no probe passes; */
                        /* so it is refused, where others wait */
    bool mshr : 1;      /* with a host: it has an MSHR entry of `module` */
} gpci_task;

/* Of two that are under way: has `a` been sent first, or `b`, a marker, right behind it? */
GPCI_INLINE bool gpci_was_told_before(const gpci_task *a, const gpci_task *b) {
    return (int32_t)(a->number - b->number) <= 0;
}

_Static_assert(sizeof(gpci_task) == 64, "there may be a hundred thousand of them");
_Static_assert(GPC_MAX_MODULES < GPCI_TASK_NO_MODULE, "modules of tasks have 16 bits");

/* Of a lookup of a module that asks what to keep (module_ask.c). */
enum { GPCI_JUDGED_NOT, GPCI_JUDGED_IN, GPCI_JUDGED_OUT };

/* An access: a cache line. */
typedef struct gpci_tree_flight {
    uint32_t task;   /* GPCI_NO_ITEM; of one that is free: pool */
    uint32_t master; /* the access that it is part of, or none */
    uint32_t tasks;  /* with a host: that are for it and have not ended */
    uint32_t size, retries, flags;
    uint64_t address, token;
    uint64_t line_access; /* gpc_coherence.line_access */
    uint32_t word;        /* of T's predictor, for that of the access's module */
    uint16_t module;
    gpci_tree_asks asks;          /* gpc_coherence.asks */
    uint8_t kind, found, deepest; /* deepest: level that a request for it has reached */
    bool holds_port : 1, unlocked : 1, ended : 1, told : 1, hit : 1, gave_mask : 1, gave_bytes : 1, applied : 1;
    bool own : 1;                      /* its module had what it needed, and has asked nobody */
    bool alone : 1;                    /* it joins no other, nor any it: it goes below by itself */
    bool through : 1;                  /* a store that is done here, and is to be written through again */
    bool taken : 1;                    /* with a store on its way through: a probe has passed its block's lock */
    bool answered : 1, overturned : 1; /* a load that bypasses: T has answered it without bytes; it does so no more */
} gpci_tree_flight;

_Static_assert(sizeof(gpci_tree_flight) == 64, "there may be a hundred thousand of them");

/*
 * What else there is of an access where accesses of a module are ordered and joined, or have bytes: not in a hierarchy
 * without values, whose L1s see to order.
 */
typedef struct gpci_flight_rest {
    uint64_t issued;
    uint8_t *out;
    gpc_atomic *atomics; /* [atomic_count], of whoever issued it */
    uint32_t atomic_count;
    uint32_t older, newer;  /* of its module */
    gpci_due_queue waiters; /* for its end */
} gpci_flight_rest;

#endif
