/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_CONTROLLER_H
#define GPC_COHERENCE_CONTROLLER_H

#include "coherence/controller_task.h"

/*
 * Accesses that overlap in time. Each module is a controller: it reacts to messages as they arrive, by the same table,
 * tags and directory as a transaction that is atomic (transaction.h), but a block is locked from the lookup that finds
 * it until what was asked for is done, and whoever comes in between waits or is refused.
 *
 * What a controller has begun and not ended is a task: a lookup, a request that it sent, an eviction. A task is a chain
 * of steps, each a function that is called at a cycle; a step that needs something of another module makes a task for
 * it, which tells its parent when it ends. A step ends in one of these: a step of the same task some cycles later; a
 * message, whose arrival is the next step; a place in a queue; a task of its own; the end of its task.
 *
 * Who waits, and who is refused: accesses, and requests towards the processors, wait for the lock. A request towards
 * memory that finds its block locked waits, too; or, with GPC_PROTOCOL_RETRY, is refused: all that was locked on its
 * way is unlocked, and the access begins again at its first-level module some cycles later. Where requests are
 * refused, who holds a lock towards the processors never waits for one towards memory; where they wait, probes pass
 * the locks of those who do (controller_lock.c). So nobody waits in a circle.
 *
 * Files: controller.c the calls; controller_build.c what they need; controller_pool.c arrays, queues, the calendar;
 * controller_network.c messages; controller_find.c ports, lookups; controller_lock.c locks; controller_hold.c trees in
 * which time stands still; controller_access.c an access at its first-level module, controller_pass.c one that
 * bypasses it; controller_read.c, controller_write.c, controller_evict.c, controller_put.c what that asks of others;
 * controller_sweep.c acquires and flushes of whole modules; controller_fetch.c what is read beside what is asked for;
 * controller_tell.c invalidations that nobody waits for, and markers that follow them; controller_fill.c ways that are
 * taken when data arrive.
 */

/* A message on its way. */
typedef struct gpci_parcel {
    uint32_t next, behind; /* pool; in its buffer */
    uint32_t task, step;   /* that its arrival begins */
    uint32_t network, from, to, bytes;
    uint32_t buffer, kind;
    uint64_t address, sent, began;
    bool masked;
} gpci_parcel;

/* Where messages stand in a row. Of a module on a network there are four. */
enum { GPCI_BUFFER_OUT, GPCI_BUFFER_SWITCH_IN, GPCI_BUFFER_SWITCH_OUT, GPCI_BUFFER_IN, GPCI_BUFFER_COUNT };

typedef struct gpci_star_buffer {
    gpci_due_queue row, waiters;    /* parcels, by `behind`; who waits for room or its head */
    uint64_t size, used;            /* bytes; 0 = unlimited */
    uint64_t write_free, read_free; /* first cycle in which it can be written, read */
    uint64_t decided;               /* of a switch's output: 1 + the cycle of the last decision */
    uint32_t turn, last;            /* whose turn it is in that cycle, and was last: places on the network */
} gpci_star_buffer;

/* A network's modules, ascending, and their buffers, GPCI_BUFFER_COUNT each. */
typedef struct gpci_net {
    uint32_t count;
    uint32_t *members;
    gpci_star_buffer *buffers;
} gpci_net;

/* Hosts' accesses have lower tokens. */
#define GPCI_NEIGHBOUR_TOKEN ((uint64_t)1 << 63)

#define GPCI_ANSWERED (GPCI_NO_ITEM - 1)

/* Of a block that is locked; of any other it is the first of the pool, which is free and which nobody writes to. */
typedef struct gpci_lock {
    uint32_t next;   /* pool; of one in use, the next of its bucket (gpci_controller.locks); 0: none */
    uint32_t block;  /* whose it is */
    uint32_t holder; /* the access; GPCI_NO_ITEM: free */
    uint32_t token;  /* of the access's (gpci_lock_token): it may have ended, and another be in its place in the pool */
    uint32_t asks;   /* the task by which it asks the low module for the block, or gives it up there; GPCI_NO_ITEM: */
                     /* none yet; GPCI_ANSWERED: what it asked for is here */
    uint32_t probe;  /* that has passed the lock, and has not answered yet; GPCI_NO_ITEM */
    gpci_due_queue waiters;
    uint64_t tag; /* that is being brought */
} gpci_lock;

_Static_assert(sizeof(gpci_lock) == 40, "there may be a hundred thousand of them");

#define GPCI_LOCK_NEIGHBOUR 0x80000000u
/* The low bits of a token, which those that are under way differ in, and whether it is of a neighbour's. */
GPCI_INLINE uint32_t gpci_lock_token(uint64_t token) {
    return ((uint32_t)token & ~GPCI_LOCK_NEIGHBOUR) | (token >= GPCI_NEIGHBOUR_TOKEN ? GPCI_LOCK_NEIGHBOUR : 0);
}

#define GPCI_LOCK_FREE                                                                                    \
    (gpci_lock) {                                                                                         \
        .block = GPCI_TREE_NO_BLOCK, .holder = GPCI_NO_ITEM, .asks = GPCI_NO_ITEM, .probe = GPCI_NO_ITEM, \
        .waiters = GPCI_DUE_QUEUE_INIT                                                                    \
    }

/* What a module has beside its tags. */
typedef struct gpci_controller {
    uint32_t *locks; /* [lock_mask + 1] the first, of the pool, of the blocks with these low bits; 0: all are free */
    uint32_t lock_mask;
    uint32_t ports_used;
    gpci_due_queue port_waiters, entry_waiters; /* for a port; with a host, for an MSHR entry */
    gpci_due_queue senders[2]; /* with a host: for room for a message, down and up; both halves in the home half's */
    uint32_t freed[2];         /* places that have been left for them; its first is on its way to one */
    uint32_t oldest, youngest; /* accesses in flight, */
    uint32_t listed, joined;   /* how many they are, and how many of them are part of others */
    uint32_t sweeps;           /* acquires and flushes of it under way */
    uint32_t barred;           /* the first task that bars an address; GPCI_NO_ITEM */
    gpci_due_queue bar_waiters;
    uint32_t told; /* the first task that is an INVALIDATION to it; GPCI_NO_ITEM */
    gpci_due_queue told_waiters;
    bool mixed;  /* blocks of modules above differ in size */
    bool halved; /* it is half of a cache; then who waits for room is among `bar_waiters` */
} gpci_controller;

typedef struct gpci_controllers gpci_controllers;
typedef struct gpci_hold gpci_hold;
typedef struct gpci_controller_host gpci_controller_host;
struct gpci_controllers {
    gpc_coherence *tree;
    gpc_context *context;
    const gpci_controller_host *host; /* controller_host.h; NULL: a tree by itself */
    bool waits;                       /* a request that finds its block locked waits; it is not refused */
    bool passes;                      /* probes pass the locks of those who wait below: where requests wait */
    bool orders;                      /* with a host: accesses of a module are ordered, and joined, as without one */
    uint64_t waited;                  /* requests that found their block locked, and did */
    uint64_t now, next_token, neighbours; /* neighbours: how many there were */
    uint32_t random[31], drawn;           /* gpci_back_off */
    gpci_calendar calendar;
    gpci_items tasks, flights, parcels, waiters, locks;
    uint64_t *labels; /* [label_room] by task, for a host that is watched: of the message that it came by; NULL */
    size_t label_room;
    uint32_t fan_out; /* most tasks that a step makes */
    uint32_t sides;   /* most accesses (gpci_side_begin) */
    uint32_t live;    /* accesses that have not been told of */
    /* [flight][payload_bytes] the mask of the access; with data its bytes, and its block as it was when unlocked */
    uint8_t *payload;
    size_t payload_room, payload_bytes;
    gpc_request *shown; /* [flight] to policies, in a tree that has any */
    size_t shown_room;
    gpci_flight_rest *rests; /* [flight], or NULL: there are none */
    size_t rest_room;
    uint32_t largest;       /* bytes of the largest block of the first level */
    gpci_due_queue ended;   /* accesses to be told of */
    gpci_net *nets;         /* [star_count] */
    uint32_t *places;       /* [star_count][module_count] a module's place among a network's members */
    gpci_controller *units; /* [module_count] */
    uint32_t *buckets;      /* gpci_controller.locks of all */
    bool grows;             /* a step may need more than most: flights, for neighbours; or the hold's */
    bool crowded;           /* a full map may have less room than a step needs */
    bool stepping, telling; /* in a step; in gpc_coherence_advance */
    gpci_hold *hold;        /* controller_hold.h; NULL: time goes on */
    void (*performed)(void *data, uint32_t flight); /* its bytes have been written, and read; NULL: nobody asks */
    void *performed_data;
};

typedef void (*gpci_task_step_fn)(gpci_controllers *e, uint32_t subject);
#define X(name) void gpci_step_##name(gpci_controllers *e, uint32_t subject);
GPCI_STEPS(X)
#undef X
extern const gpci_task_step_fn gpci_steps[];

GPCI_INLINE gpci_task *gpci_task_at(const gpci_controllers *e, uint32_t task) {
    return (gpci_task *)(void *)e->tasks.items + task;
}

GPCI_INLINE gpci_tree_flight *gpci_tree_flight_at(const gpci_controllers *e, uint32_t flight) {
    return (gpci_tree_flight *)(void *)e->flights.items + flight;
}

GPCI_INLINE gpci_flight_rest *gpci_flight_rest_of(const gpci_controllers *e, uint32_t flight) {
    return e->rests + flight;
}

/* The access's mask; in a tree with data its bytes, */
GPCI_INLINE uint8_t *gpci_mask_of(const gpci_controllers *e, uint32_t flight) {
    return e->payload + flight * e->payload_bytes;
}

GPCI_INLINE uint8_t *gpci_payload_of(const gpci_controllers *e, uint32_t flight) {
    return gpci_mask_of(e, flight) + (e->largest + 7) / 8;
}

/* and its block as it was when it was unlocked. */
GPCI_INLINE uint8_t *gpci_whole_of(const gpci_controllers *e, uint32_t flight) {
    return gpci_payload_of(e, flight) + e->largest;
}

/* Tell whether an access passes its first module, or goes through, in any state. No other access may join. */
bool gpci_goes_alone(const gpci_controllers *e, const gpci_tree_flight *access);

GPCI_INLINE gpci_module *gpci_task_module(const gpci_controllers *e, const gpci_task *task) {
    return gpci_module_at(e->tree, task->module);
}

GPCI_INLINE gpci_module *gpci_task_from(const gpci_controllers *e, const gpci_task *task) {
    return gpci_module_at(e->tree, task->from);
}

/* As the atomic engine's functions want it: the present. */
GPCI_INLINE gpci_tree_point gpci_present(const gpci_controllers *e) {
    return (gpci_tree_point){.cycle = e->now, .after = GPC_NO_MESSAGE};
}

GPCI_INLINE gpci_lock *gpci_lock_of(const gpci_controllers *e, uint32_t module, uint32_t block) {
    const gpci_controller *unit = &e->units[module];
    uint32_t item = unit->locks[block & unit->lock_mask];
    while (item && ((gpci_lock *)gpci_items_at(&e->locks, item))->block != block)
        item = ((gpci_lock *)gpci_items_at(&e->locks, item))->next;
    return gpci_items_at(&e->locks, item);
}

/* Most blocks are free. */
GPCI_INLINE bool gpci_is_locked(const gpci_controllers *e, uint32_t module, uint32_t block) {
    const gpci_controller *unit = &e->units[module];
    return unit->locks[block & unit->lock_mask] && gpci_lock_of(e, module, block)->holder != GPCI_NO_ITEM;
}

/* A step so many cycles from here: of the host's, where there is one. */
GPCI_INLINE void gpci_step_in(gpci_controllers *e, uint32_t subject, gpci_step step, uint64_t cycles) {
    const gpci_due due = {subject, step};
    if (cycles)
        gpci_calendar_later(&e->calendar, e->now + cycles, due);
    else
        gpci_calendar_today(&e->calendar, due);
}

/*
 * A step without delay: with a host, at once, as the last act of the step that leads to it. In a tree by itself it
 * waits for the steps that are due already, as in Multi2Sim.
 */
GPCI_INLINE void gpci_then(gpci_controllers *e, uint32_t task, gpci_step step) {
    if (e->host)
        gpci_steps[step](e, task);
    else
        gpci_calendar_today(&e->calendar, (gpci_due){task, step});
}

/* controller.c */
/* A task for which `parent` waits: its `resumes` is the parent's next step. Of the same access. */
gpci_task *gpci_task_begin(gpci_controllers *e, uint32_t parent, gpci_step resumes, uint32_t from, uint32_t module,
                           uint64_t address, uint32_t *out_task);
void gpci_task_end(gpci_controllers *e, uint32_t task);
/* The same, and nobody is told. With a host, an access that has ended is gone with its last task. */
void gpci_task_give(gpci_controllers *e, uint32_t task);
/* All who wait in a queue, so many cycles from here. */
void gpci_wake(gpci_controllers *e, gpci_due_queue *queue, uint64_t cycles);
/* A step so many cycles of a module from here. */
void gpci_step_after(gpci_controllers *e, uint32_t task, gpci_step step, const gpci_module *m, uint64_t cycles);
/* A task's step when a module's data, `bytes` of a message, have been read or written. 0: it takes as long. */
void gpci_use_data(gpci_controllers *e, uint32_t task, gpci_step step, gpci_module *m, uint32_t bytes, bool write);
/* An access, which begins with a step at its cycle. There is room. */
uint32_t gpci_flight_begin(gpci_controllers *e, const gpc_coherence_request *request, const gpc_request *carried,
                           gpci_step step);
/* Memory for a step, and what it leads to at once. */
bool gpci_steps_room(gpci_controllers *e);
/* Do a step, for which there is room. */
gpc_status gpci_step_do(gpci_controllers *e, gpci_due due, gpc_error *error);
/* Do all steps up to a cycle. */
gpc_status gpci_steps_until(gpci_controllers *e, uint64_t cycle, gpc_error *error);

/* controller_network.c */
/*
 * A message of a task. False: the buffer is busy, or full; then `again` is the task's step when that has changed. `low`
 * is the lower of the two modules: their network is the one above it.
 */
typedef struct gpci_letter {
    uint32_t task;     /* whose step `again` is */
    uint32_t receiver; /* whose step `arrives` is */
    uint32_t low, from, to, bytes;
    gpc_message_kind kind;
    gpci_step arrives, again;
    uint64_t address;
    bool masked;
} gpci_letter;
bool gpci_send(gpci_controllers *e, const gpci_letter *letter);
/* Whoever is first of a queue for room for a message attempts to send it. */
void gpci_sender_wake(gpci_controllers *e, const gpci_due_queue *queue, uint64_t cycles);
/* What a task asks its module, in the name of who it is from; and the module's answer; neither has data yet. */
gpci_letter gpci_letter_asking(const gpci_controllers *e, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                               gpci_step again);
gpci_letter gpci_letter_answering(const gpci_controllers *e, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                  gpci_step again);
/* X, that `probe` has come to, sends its block to who made `request`. */
bool gpci_send_to_peer(gpci_controllers *e, uint32_t probe, uint32_t request, gpci_step again);
/* It has been received: whoever asks is told. */
void gpci_parcel_tell(const gpci_controllers *e, const gpci_parcel *parcel);
/* T has done its part of a request, and its answer, if any, has come: the parent goes on when the peers' have. */
void gpci_request_done(gpci_controllers *e, uint32_t task);

/* controller_build.c */
/*
 * Cycles from 0 to below `bound` until an access begins anew: the numbers of random() of GNU's C library, after
 * srandom(seed), by which Multi2Sim waits. x[n] = x[n - 3] + x[n - 31].
 */
uint32_t gpci_back_off(gpci_controllers *e, uint32_t bound);

/* controller_find.c, controller_lock.c */
/* Look up `address` in a task's module, and lock it; the task goes on with `resumes`. */
typedef struct gpci_look {
    uint64_t address;
    uint32_t module;
    gpci_step resumes;
    bool blocking;  /* wait for the lock; or be refused */
    bool allocates; /* make room for what is not there */
    bool hurries;   /* before others that wait for a port */
    bool bars;      /* what is not there is barred until gpci_let_go */
} gpci_look;
void gpci_find_begin(gpci_controllers *e, uint32_t task, const gpci_look *find);
/* The eviction of a block to make room for a lookup's, which may be of a line of several, has ended. */
void gpci_find_block_left(gpci_controllers *e, uint32_t task, uint32_t block, bool refused);
void gpci_unlock(gpci_controllers *e, uint32_t module, uint32_t block);
/* A lookup waits in a queue, before all others or behind them, and looks again when it leaves it. */
void gpci_lookup_waits(gpci_controllers *e, uint32_t task, gpci_due_queue *queue, bool first);
/* Is it this access that has it, and not one that has ended? */
bool gpci_lock_is_of(const gpci_controllers *e, const gpci_lock *lock, uint32_t flight);
/* An access takes a block's lock, for a tag. */
gpci_lock *gpci_lock_take(gpci_controllers *e, uint32_t module, uint32_t block, uint32_t flight, uint64_t tag);
/*
 * A probe has answered for its block: unlocked, unless it was locked for the same access before, or is another's, who
 * then is told what is left of it.
 */
void gpci_probe_leaves(gpci_controllers *e, uint32_t task);
/* A task has sent what it asks, or gives up, of its block to the low module; or has its answer. */
void gpci_block_asks(gpci_controllers *e, uint32_t task);
void gpci_block_answered(gpci_controllers *e, uint32_t task);
/*
 * The ways of a row from `first` to below `end` that are not locked, or are by this access, if one is given: a bit
 * each.
 */
uint32_t gpci_unlocked_ways(const gpci_controllers *e, const gpci_module *m, uint32_t base, uint32_t first,
                            uint32_t end, uint32_t flight, uint64_t *candidates);
/*
 * A way of the directory alone, locked, for the entry of a block of a task's own module, `from`: GPCI_TREE_NO_BLOCK if
 * all are locked. It may be one that the access has locked already: `lent`.
 */
uint32_t gpci_take_directory_way(gpci_controllers *e, gpci_task *task, uint64_t tag);
/* Is the block of an address there, or coming, and locked, so that who asks for it (NULL: anybody) must wait? */
bool gpci_find_locked(const gpci_controllers *e, uint32_t module, uint64_t address, const gpci_task *asker);
/*
 * A block has left in silence, or moved, and its way stays locked for another. A probe of it that waits for the lock
 * must not wait for the other's request, which may wait for who sent the probe: it finds nothing now, or it elsewhere.
 */
void gpci_look_again(gpci_controllers *e, uint32_t module, uint32_t block);
/*
 * Of a cache of two halves: a way may have come free, or its block have left. Those who wait for room look again; they
 * wait for no lock, for that may be of a request of the near half, which may wait for them.
 */
void gpci_halves_move(gpci_controllers *e, uint32_t module);
/* A block that is locked, and to which this tag is being brought; GPCI_TREE_NO_BLOCK. */
uint32_t gpci_find_coming(const gpci_controllers *e, const gpci_module *m, uint64_t tag);
/* Is the tag not there yet, of a block that was found by it? */
bool gpci_is_coming(const gpci_module *m, uint32_t block, uint64_t tag);
/* May a probe pass a lock that another access has? */
bool gpci_may_pass(const gpci_controllers *e, const gpci_lock *lock, bool coming);

/* controller_write.c */
/* Copies of `first` and `span` addresses behind it go. `event`: of the protocol's own, at those probed; or 0. */
void gpci_invalidate_begin(gpci_controllers *e, uint32_t parent, gpci_step resumes, uint32_t module, uint32_t block,
                           uint32_t except, uint32_t ask, uint64_t first, uint32_t span, uint8_t event);
/* The directory of a read request's module is to name who asks: another copy goes before (gpci_directory_leaver). */
void gpci_room_begin(gpci_controllers *e, uint32_t request, gpci_step resumes);
/* A request has come to a module, for the access's level. */
GPCI_INLINE void gpci_flight_reaches(const gpci_controllers *e, const gpci_task *request) {
    gpci_tree_flight *a = gpci_tree_flight_at(e, request->flight);
    const uint32_t level = gpci_task_module(e, request)->level;
    a->deepest = level > a->deepest ? (uint8_t)level : a->deepest;
}

/* The bytes and the directory that a request of `from` for a copy, or the only one, is about. */
GPCI_INLINE gpci_tree_request gpci_task_request(const gpci_controllers *e, const gpci_task *task) {
    return (gpci_tree_request){.from = gpci_task_from(e, task),
                               .block = task->own,
                               .tag = task->address,
                               .valid = task->valid,
                               .non_coherent = task->non_coherent,
                               .event = task->event,
                               .cause = task->cause};
}

/*
 * T, the module of a request or put, reads what its `block` lacks (gpci_module_is_partial); `resumes` when it has come,
 * or was refused. Then gpci_whole_end: false, if a probe has taken the block, so that it is in I.
 */
void gpci_whole_begin(gpci_controllers *e, uint32_t task, gpci_step resumes);
bool gpci_whole_end(const gpci_controllers *e, gpci_task *task);
/* T, the module of a request or put, gets the right to write to its `block`; `resumes` when it has, or was refused. */
void gpci_rights_begin(gpci_controllers *e, uint32_t task, gpci_step resumes);
/* It was not refused. Does it have the right alone, and no byte (gpci_tree_data_begin)? */
bool gpci_rights_end(gpci_controllers *e, const gpci_task *task);

/* The bytes of an access have been written, and read; or an acquire is done. */
GPCI_INLINE void gpci_performed(const gpci_controllers *e, uint32_t flight) {
    if (e->performed)
        e->performed(e->performed_data, flight);
}

/* controller_access.c */
/* What an access writes. */
gpci_tree_payload gpci_store_of(const gpci_controllers *e, uint32_t flight);
/* It is told of, and is gone; so is its task. */
void gpci_flight_end(gpci_controllers *e, uint32_t task);
/* Something that an access asked for was refused: it gives up its block, and will begin again. */
bool gpci_access_refused(gpci_controllers *e, uint32_t task);

/*
 * A put has set out. Is it the bytes of a store, from the first-level module, in a tree without directories whose
 * messages keep their order? Then others may have the block there, or, where the store bypasses it, go past it, too.
 */
void gpci_access_left(gpci_controllers *e, uint32_t put);

/* controller_fill.c */
/* What an access has missed has come, and is to get its state: if it came in by a fill way, it gets one to stay in. */
GPCI_COLD void gpci_fill_arrives(gpci_controllers *e, uint32_t task);
/* An access is done with its block: unlocked, unless it stays in a fill way, from where it leaves. */
void gpci_fill_leave(gpci_controllers *e, const gpci_task *t);

/* controller_fetch.c */
/* A request of a module to its low one begins, by this step, and those for the block's neighbours behind it. */
GPCI_COLD void gpci_ask_for_group(gpci_controllers *e, uint32_t request, gpci_step step);
/* The same, if the module reads neighbours, and `misses`: it asks since it has not got all of the block. */
GPCI_INLINE void gpci_ask(gpci_controllers *e, const gpci_module *m, uint32_t request, gpci_step step, bool misses) {
    if (GPCI_UNLIKELY(m->fetch_mask) && misses)
        gpci_ask_for_group(e, request, step);
    else
        gpci_then(e, request, step);
}
/* Does an access need what is in a block of m, and not write all of it? Of a module that reads neighbours. */
GPCI_INLINE bool gpci_needs_rest(const gpci_controllers *e, const gpci_module *m, uint32_t flight) {
    if (GPCI_LIKELY(!m->fetch_mask))
        return false;
    const gpci_tree_payload store = gpci_store_of(e, flight);
    return gpci_tree_flight_at(e, flight)->kind == GPC_COHERENCE_LOAD || !gpci_tree_writes_all(m, &store);
}

/* Does m keep what an access stores to a block that it has not, without its other bytes? */
GPCI_INLINE bool gpci_takes_store(const gpci_controllers *e, const gpci_module *m, uint32_t flight) {
    if (GPCI_LIKELY(!m->lacks && !m->lazy))
        return false;
    const gpci_tree_payload store = gpci_store_of(e, flight);
    return gpci_tree_takes(m, true, &store);
}

/*
 * An access that another causes, and nobody waits for or is told of: of `bytes` from `tag` on, with a task of its own,
 * which is returned: `from` asks `module`. There is room (gpci_controllers_grow). And it ends.
 */
gpci_task *gpci_side_begin(gpci_controllers *e, uint32_t flight, uint64_t tag, uint32_t bytes, uint32_t from,
                           uint32_t module, uint32_t *out_task);
void gpci_side_end(gpci_controllers *e, uint32_t task);

/* controller_tell.c */
/* T tells those that it lists of a block, on account of an access (gpci_tree_tell). */
GPCI_COLD void gpci_tell_copies(gpci_controllers *e, uint32_t flight, gpci_module *t, const gpci_tree_told *told);
GPCI_INLINE void gpci_controllers_tell(gpci_controllers *e, uint32_t flight, gpci_module *t,
                                       const gpci_tree_told *told) {
    if (GPCI_UNLIKELY(gpci_tree_has(e->tree, GPC_PROTOCOL_INVALIDATES)) && t->sub_blocks)
        gpci_tell_copies(e, flight, t, told);
}
/* Markers from a task's module on; it waits for them (`pending`), each of which then is this step of it. */
void gpci_mark_from(gpci_controllers *e, uint32_t task, gpci_step resumes);

/* controller_put.c */
/* m writes a block's modified bytes back, and keeps it. */
void gpci_write_back_begin(gpci_controllers *e, uint32_t parent, gpci_step resumes, gpci_module *m, uint32_t block);
/* The same by the rule for an event at m. */
void gpci_write_back_upon(gpci_controllers *e, uint32_t parent, gpci_step resumes, gpci_module *m, uint32_t block,
                          uint32_t event);
/* The bytes of a store go to the low module of the one that it was issued to. */
gpci_task *gpci_store_begin(gpci_controllers *e, uint32_t parent, gpci_step resumes, bool non_coherent);

/* controller_pass.c */
/* Nobody looks up the address of a task in its module, which does not have it, until gpci_let_go. */
void gpci_bar(gpci_controllers *e, uint32_t task);
bool gpci_is_barred(const gpci_controllers *e, const gpci_module *m, uint64_t tag);
/* Unlock a task's block, or lift its bar, if it has any. */
void gpci_let_go(gpci_controllers *e, uint32_t task);
/* A module's copy, if any, is to go, for an access that bypasses it; and goes. */
void gpci_drop_begin(gpci_controllers *e, uint32_t task, uint32_t event, gpci_step resumes);
void gpci_drop_end(gpci_controllers *e, const gpci_task *task, uint32_t event);
void gpci_pass_begin(gpci_controllers *e, uint32_t task, gpc_protocol_rule rule);

/* controller_build.c */
gpc_status gpci_controllers_create(gpc_coherence *c, gpc_error *error, gpci_controllers **out);
void gpci_controllers_destroy(gpci_controllers *e);
/* Room for one more access to an address, and all that may come of it before the next step. GPC_ERROR_MEMORY. */
gpc_status gpci_controllers_reserve(gpci_controllers *e, uint64_t address);
/* Room for so many more accesses. False: out of memory. */
bool gpci_controllers_make_flights(gpci_controllers *e, uint32_t more);
/* Labels for all tasks that there is room for. False: out of memory. */
bool gpci_controllers_make_labels(gpci_controllers *e);
/* Has a full map less room than a step may need? */
bool gpci_controllers_crowd(const gpci_controllers *e, const gpci_module *m);
/* Room for a step, and what it leads to at once. */
bool gpci_controllers_grow(gpci_controllers *e);
GPCI_INLINE bool gpci_controllers_room(gpci_controllers *e) {
    const uint32_t tasks = e->fan_out + GPCI_STEP_TASKS, steps = tasks + e->waiters.used;
    return GPCI_LIKELY(!e->grows && !e->crowded && gpci_items_have(&e->tasks, tasks) &&
                       gpci_items_have(&e->locks, tasks) && gpci_items_have(&e->parcels, 2) &&
                       gpci_items_have(&e->waiters, 4) && gpci_calendar_has(&e->calendar, steps)) ||
           gpci_controllers_grow(e);
}

#endif
