/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_ENGINE_H
#define GPC_COHERENCE_ENGINE_H

#include "coherence/engine/engine_task.h"

/*
 * Accesses. A module is a controller: it reacts to messages as they arrive, by the protocol's table (transaction.h). A
 * block is locked from the lookup that finds it until the request is complete. An access or request that arrives in
 * between waits or is refused. Accesses that run one at a time use an engine of their own (engine_alone.h).
 *
 * A task is work a controller has begun and not ended: a lookup, a sent request, an eviction. A task is a chain of
 * steps. A step is a function called at a cycle. If a step needs another module, it makes a child task for the module,
 * and the child notifies its parent at the end. A step ends with: a later step of the task; a message whose arrival is
 * the next step; a place in a queue; a child task; or the end of the task.
 *
 * Waiting and refusing: accesses, and requests towards the processors, wait for a lock. A request towards memory that
 * finds its block locked waits, or is refused (GPC_PROTOCOL_RETRY): a refusal releases all locks on the request's way,
 * and the access begins again at the first-level module some cycles later. There is no circle of waiters. If requests
 * are refused, the holder of a lock nearer to the processors never waits for a lock nearer to memory. If requests wait,
 * probes pass the locks of waiting requests (engine_lock.c).
 *
 * Files: engine.c tasks, steps, messages, calendar; engine_issue.c calls; engine_build.c memory; engine_network.c
 * networks; engine_find.c ports, lookups; engine_room.c ways; engine_lock.c locks; engine_hold.c held trees;
 * engine_access.c an access at the first-level module, or past it; engine_order.c order and joins; engine_read.c,
 * engine_write.c, engine_evict.c, engine_put.c requests, evictions and puts; engine_sweep.c acquires and flushes of
 * whole modules; engine_fetch.c neighbours read in addition; engine_tell.c invalidations without answer, and markers
 * behind them; engine_fill.c ways taken when data arrive; engine_alone.c accesses one at a time, and the lists of their
 * steps.
 */

#define GPCI_LOCK_NEIGHBOUR 0x80000000u
/*
 * Token in a lock: the low bits of an access's token, which differ for all accesses in flight, and GPCI_LOCK_NEIGHBOUR
 * for internal accesses.
 */
GPCI_INLINE uint32_t gpci_lock_token(uint64_t token) {
    return ((uint32_t)token & ~GPCI_LOCK_NEIGHBOUR) | (token >= GPCI_NEIGHBOUR_TOKEN ? GPCI_LOCK_NEIGHBOUR : 0);
}

typedef struct gpci_engine gpci_engine;
typedef struct gpci_hold gpci_hold;
typedef struct gpci_engine_host gpci_engine_host;
struct gpci_engine {
    gpc_coherence *tree;
    gpc_context *context;
    const gpci_engine_host *host; /* functions of the host (engine_host.h); NULL: a tree without a host */
    bool waits;                   /* requests for a locked block wait instead of being refused */
    bool passes;   /* if `waits`: a probe may pass a lock while the holder's request waits below (engine_lock.c) */
    bool orders;   /* with a host: the engine, not the host, orders and joins accesses (engine_order.c) */
    bool lists;    /* accesses of a module are listed, ordered and joined (engine_order.c) */
    bool direct;   /* steps without delay run at once (gpci_then) */
    bool alone;    /* one access at a time, with a list of its steps (engine_alone.c) */
    bool untimed;  /* alone, and all delays are 0 */
    uint32_t late; /* number of answers that wait for all other steps of the cycle (gpci_trail.late) */
    gpci_calendar calendar;
    gpci_items tasks, inflights, sent_messages, waiters, locks;
    gpci_items lines; /* records of line accesses (gpci_line_record) */
    /* [label_capacity] by task, for a traced host: label of the message that started the task; or NULL */
    uint64_t *labels;
    size_t label_capacity;
    gpci_trail *trails; /* [trail_capacity] by task, for lone accesses; or NULL */
    size_t trail_capacity;
    /* number of tasks, and of accesses, for which every array beside the pools has room */
    size_t task_room, inflight_room;
    gpci_trail start; /* lone accesses: position in the list of steps at which the next access begins */
    /* upper bound of tasks, locks, messages, waiters or map entries made by a step and the steps run at once */
    uint32_t most;
    uint32_t internals; /* upper bound of the internal accesses begun by a step (gpci_internal_begin) */
    /*
     * [in-flight access][payload_bytes] mask of the access's bytes. In a tree with data also the bytes, and a copy of
     * the access's block, made when the block is unlocked.
     */
    uint8_t *payload;
    size_t payload_capacity, payload_bytes;
    gpc_request *policy_request; /* [in-flight access] request shown to policies; NULL in a tree without policies */
    size_t policy_request_capacity;
    gpci_inflight_rest *rests; /* [in-flight access]; NULL: not needed */
    size_t rest_capacity;
    uint32_t largest;        /* largest block size of the first level */
    gpci_net *nets;          /* [star_count] */
    uint32_t *places;        /* [star_count][module_count] place of a module among the members of a network */
    gpci_engine_unit *units; /* [module_count] */
    uint32_t *buckets;       /* memory of the buckets of all modules (gpci_engine_unit.locks) */
    bool crowded;            /* a full map may have less room than a step needs */
    uint64_t entries;        /* gpc_coherence.entries when `crowded` was last decided for every map */
    bool stepping, telling;  /* stepping: a step is running; telling: gpc_coherence_advance is running */
    gpci_hold *hold;         /* held tree: the host chooses the next message (engine_hold.h); NULL: time advances */
    void (*performed)(void *data, uint32_t inflight); /* called when an access's bytes are written and read; or NULL */
    void *performed_data;
    uint64_t waited;      /* number of requests that waited for a lock, for tests */
    uint64_t now;         /* present cycle; with a host, set by gpci_engine_at */
    uint64_t next_token;  /* token of the last access; a host gives its accesses other tokens */
    uint32_t live;        /* number of accesses that have not ended, for the report of a deadlock */
    gpci_due_queue ended; /* ended accesses to report; empty between steps */
    /* state: snapshots save the fields from here on, and the items of the pools */
    uint64_t neighbours;        /* number of internal accesses begun so far */
    uint32_t random[31], drawn; /* state of gpci_back_off */
};

/* Initialiser of an array of pointers to all pools of an engine. */
#define GPCI_POOLS_OF(engine)                                                                                   \
    {                                                                                                           \
        &(engine)->tasks, &(engine)->inflights, &(engine)->sent_messages, &(engine)->waiters, &(engine)->locks, \
            &(engine)->lines                                                                                    \
    }
enum { GPCI_POOL_COUNT = 6 };

/*
 * Upper bound of the lines of several blocks that an instruction accesses. Room for the lines' records is made before
 * the instruction.
 */
#define GPCI_INSTRUCTION_LINES 128

typedef void (*gpci_task_step_fn)(gpci_engine *engine, uint32_t subject);
#define X(name) void gpci_step_##name(gpci_engine *e, uint32_t subject);
GPCI_STEPS(X)
#undef X
extern const gpci_task_step_fn gpci_steps[]; /* engine_build.c */

GPCI_INLINE gpci_task *gpci_task_at(const gpci_engine *engine, uint32_t task) {
    return (gpci_task *)(void *)engine->tasks.items + task;
}

GPCI_INLINE gpci_tree_inflight *gpci_tree_inflight_at(const gpci_engine *engine, uint32_t inflight) {
    return (gpci_tree_inflight *)(void *)engine->inflights.items + inflight;
}

GPCI_INLINE gpci_inflight_rest *gpci_inflight_rest_of(const gpci_engine *engine, uint32_t inflight) {
    return engine->rests + inflight;
}

/* Mask of an access's bytes; gpci_payload_of: the bytes, in a tree with data. */
GPCI_INLINE uint8_t *gpci_mask_of(const gpci_engine *engine, uint32_t inflight) {
    return engine->payload + inflight * engine->payload_bytes;
}

GPCI_INLINE uint8_t *gpci_payload_of(const gpci_engine *engine, uint32_t inflight) {
    return gpci_mask_of(engine, inflight) + (engine->largest + 7) / 8;
}

/* Copy of the access's block, made when the block was unlocked. */
GPCI_INLINE uint8_t *gpci_block_copy_of(const gpci_engine *engine, uint32_t inflight) {
    return gpci_payload_of(engine, inflight) + engine->largest;
}

/*
 * True if an access never joins another access, and no access joins it: in some state of the block, the access bypasses
 * the first-level module, or is written through; or the protocol itself defines its event.
 */
bool gpci_goes_alone(const gpci_engine *engine, const gpci_tree_inflight *access);

GPCI_INLINE gpci_module *gpci_task_module(const gpci_engine *engine, const gpci_task *task) {
    return gpci_module_at(engine->tree, task->module);
}

GPCI_INLINE gpci_module *gpci_task_from(const gpci_engine *engine, const gpci_task *task) {
    return gpci_module_at(engine->tree, task->from);
}

GPCI_INLINE gpci_lock *gpci_lock_of(const gpci_engine *engine, uint32_t module, uint32_t block) {
    const gpci_engine_unit *unit = &engine->units[module];
    uint32_t item = unit->locks[block & unit->lock_mask];
    while (item && ((gpci_lock *)gpci_items_at(&engine->locks, item))->block != block)
        item = ((gpci_lock *)gpci_items_at(&engine->locks, item))->next;
    return gpci_items_at(&engine->locks, item);
}

/* True if a block is locked. Checks the bucket first, because most blocks are unlocked. */
GPCI_INLINE bool gpci_is_locked(const gpci_engine *engine, uint32_t module, uint32_t block) {
    const gpci_engine_unit *unit = &engine->units[module];
    return unit->locks[block & unit->lock_mask] && gpci_lock_of(engine, module, block)->holder != GPCI_NO_ITEM;
}

/* True if no block of a module, or of the other half of its cache, is locked. */
GPCI_INLINE bool gpci_holds_none(const gpci_engine *engine, const gpci_module *module) {
    return !engine->units[module->store->index].held;
}

/* With a host: set the current cycle. */
GPCI_INLINE void gpci_engine_at(gpci_engine *engine, uint64_t cycle) {
    engine->now = cycle;
}

/* True if a message of a module waits for room in the module's queue, up or down (gpci_engine_sent). */
GPCI_INLINE bool gpci_engine_wait(const gpci_engine *engine, uint32_t module, bool up) {
    return engine->units[module].senders[up].head != GPCI_NO_ITEM;
}

/* Schedule a step `cycles` from now (in cycles of the host, if there is one). */
GPCI_INLINE void gpci_step_in(gpci_engine *engine, uint32_t subject, gpci_step step, uint64_t cycles) {
    const gpci_due due = {subject, step};
    if (cycles)
        gpci_calendar_later(&engine->calendar, engine->now + cycles, due);
    else
        gpci_calendar_today(&engine->calendar, due);
}

/*
 * Schedule a step; call as the last action of the calling step. If a lone access (engine_alone.h) has no other step due
 * before, the clock moves on and the step runs immediately.
 */
GPCI_INLINE void gpci_last_in(gpci_engine *engine, uint32_t subject, gpci_step step, uint64_t cycles) {
    const gpci_calendar *calendar = &engine->calendar;
    if (engine->alone && !calendar->today_count &&
        (!calendar->later_count || calendar->later->cycle > engine->now + cycles)) {
        engine->now += cycles;
        gpci_steps[step](engine, subject);
    } else {
        gpci_step_in(engine, subject, step, cycles);
    }
}

/*
 * Run a step without delay; call as the last action of the calling step. If the engine is `direct`, the step runs
 * immediately. If not, the step runs after the steps already due in this cycle, as in Multi2Sim.
 */
GPCI_INLINE void gpci_then(gpci_engine *engine, uint32_t task, gpci_step step) {
    if (engine->direct)
        gpci_steps[step](engine, task);
    else
        gpci_last_in(engine, task, step, 0);
}

/* engine.c */
/* Make a child task of the same access. At the end of the child, the parent continues with `resumes`. */
gpci_task *gpci_task_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, uint32_t from, uint32_t module,
                           uint64_t address, uint32_t *out_task);
void gpci_task_end(gpci_engine *engine, uint32_t task);
/* End a task without notifying its parent. With a host, the end of an ended access's last task frees the access. */
void gpci_task_give(gpci_engine *engine, uint32_t task);
/* Run the steps of all waiters of a queue after `cycles`. gpci_wake checks first: most queues are empty. */
void gpci_wake_all(gpci_engine *engine, gpci_due_queue *queue, uint64_t cycles);
GPCI_INLINE void gpci_wake(gpci_engine *engine, gpci_due_queue *queue, uint64_t cycles) {
    if (GPCI_UNLIKELY(queue->head != GPCI_NO_ITEM))
        gpci_wake_all(engine, queue, cycles);
}
/* Schedule a step after `cycles` of a module's clock. */
void gpci_step_after(gpci_engine *engine, uint32_t task, gpci_step step, const gpci_module *module, uint64_t cycles);
/* Continue a task with `step` when a module has read or written `bytes` bytes. 0 bytes: only the latency passes. */
void gpci_use_data(gpci_engine *engine, uint32_t task, gpci_step step, gpci_module *module, uint32_t bytes, bool write);
/* Begin an access: `step` runs in request->cycle. Room has been made (gpci_engine_reserve). */
uint32_t gpci_inflight_begin(gpci_engine *engine, const gpc_coherence_request *request, const gpc_request *carried,
                             gpci_step step);
/* Make room for a step and the steps run at once (gpci_then), in the engine and in the host. False: out of memory. */
bool gpci_steps_reserve_step(gpci_engine *engine);
/* Run a step; room has been made. */
gpc_status gpci_step_do(gpci_engine *engine, gpci_due due, gpc_error *error);
/* engine_issue.c: report the ended accesses of a tree without a host. */
void gpci_tell_ends(gpci_engine *engine);
/* Run the steps up to a cycle. */
gpc_status gpci_steps_until(gpci_engine *engine, uint64_t cycle, gpc_error *error);

/*
 * Send a message of a task. False: the buffer is busy or full; the task runs `again` when the buffer may have room.
 * `low` is the lower of the two modules: the message uses the network above it.
 */
typedef struct gpci_message {
    uint32_t task;     /* task of step `again` */
    uint32_t receiver; /* task of step `arrives` */
    uint32_t low, from, to, bytes;
    gpc_message_kind kind;
    gpci_step arrives, again;
    uint64_t address;
    bool masked;
} gpci_message;
bool gpci_send(gpci_engine *engine, const gpci_message *message);
/* Variants for an engine with a host (engine_host.c), and on networks of the tree (engine_network.c). */
bool gpci_host_send(gpci_engine *engine, const gpci_message *message);
bool gpci_star_send(gpci_engine *engine, const gpci_message *message);
/*
 * Build the message from `from` to `module` of a task. gpci_reply_message: the answer from `module` to `from`. `bytes`
 * is the header: the caller adds data.
 */
gpci_message gpci_request_message(const gpci_engine *engine, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                  gpci_step again);
gpci_message gpci_reply_message(const gpci_engine *engine, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                gpci_step again);
/* Send the block from `module` of task `probe` (the probed module) to `from` of task `request` (the requester). */
bool gpci_send_to_peer(gpci_engine *engine, uint32_t probe, uint32_t request, gpci_step again);
/* engine_network.c: report a received message to a tracing host. */
void gpci_report_message(const gpci_engine *engine, const gpci_sent_message *sent_message);
/*
 * Note that the target has finished a request, and that the answer, if any, has arrived. The parent continues when the
 * blocks of peers have arrived, too.
 */
void gpci_request_done(gpci_engine *engine, uint32_t task);

/* engine_build.c */
/*
 * Random number of cycles, from 0 to below `bound`, until an access begins again: random() of GNU's C library after
 * srandom(seed), as in Multi2Sim. x[n] = x[n - 3] + x[n - 31].
 */
uint32_t gpci_back_off(gpci_engine *engine, uint32_t bound);

/* engine_find.c, engine_lock.c */
/* Look up `address` in a task's module and lock the block; the task continues with `resumes`. */
typedef struct gpci_look {
    uint64_t address;
    uint32_t module;
    gpci_step resumes;
    bool blocking;       /* wait for the lock; false: be refused */
    bool allocates;      /* make room for a missing block */
    bool goes_first;     /* wait for a port before earlier waiters */
    bool blocks_address; /* if the block is missing, block its address until gpci_release_address */
} gpci_look;
void gpci_find_begin(gpci_engine *engine, uint32_t task, const gpci_look *find);
/* Note that a block of the victim's line has left, or (`refused`) has stayed. */
void gpci_find_block_left(gpci_engine *engine, uint32_t task, uint32_t block, bool refused);
void gpci_unlock(gpci_engine *engine, uint32_t module, uint32_t block);
/* Put a lookup at the beginning (`first`) or the end of a queue. The lookup is repeated when it leaves the queue. */
void gpci_lookup_waits(gpci_engine *engine, uint32_t task, gpci_due_queue *queue, bool first);
/* Record of a line access, by number in the pool. */
GPCI_INLINE gpci_line_record *gpci_line_record_at(const gpci_engine *engine, uint32_t line) {
    return (gpci_line_record *)gpci_items_at(&engine->lines, line);
}
/*
 * Note that a part, or an access caused by a part, no longer uses the record. The last user frees the record.
 * GPCI_NO_ITEM: the access has no record.
 */
GPCI_INLINE void gpci_line_leave(gpci_engine *engine, uint32_t line) {
    if (line != GPCI_NO_ITEM && !--gpci_line_record_at(engine, line)->users)
        gpci_items_give(&engine->lines, line);
}
/*
 * Free an ended access. The token becomes 0, which no access has: a lock of the ended access is no lock of the access
 * that takes the pool entry next (gpci_lock_is_of).
 */
GPCI_INLINE void gpci_tree_inflight_give(gpci_engine *engine, uint32_t inflight) {
    gpci_line_leave(engine, gpci_tree_inflight_at(engine, inflight)->line);
    gpci_items_give(&engine->inflights, inflight);
    gpci_tree_inflight_at(engine, inflight)->token = 0;
}
/* True if access `inflight` holds the lock, and not an ended access with the same pool entry. */
bool gpci_lock_is_of(const gpci_engine *engine, const gpci_lock *lock, uint32_t inflight);
/* Lock a block for an access and a tag. */
gpci_lock *gpci_lock_take(gpci_engine *engine, uint32_t module, uint32_t block, uint32_t inflight, uint64_t tag);
/*
 * End a probe's use of its block, when the probed module answers. Unlock the block, unless the probe's access had
 * locked it before (`lent`). If the probe passed the lock of another access, tell the other access the block's new
 * state.
 */
void gpci_probe_leaves(gpci_engine *engine, uint32_t task);
/*
 * Note in the lock of block `own` that the task's request or put was sent to the low module. gpci_block_answered: the
 * answer has arrived.
 */
void gpci_block_asks(gpci_engine *engine, uint32_t task);
void gpci_block_answered(gpci_engine *engine, uint32_t task);
/* True if the block of an address is present or coming, and the lock would make `requester` (NULL: any task) wait. */
bool gpci_find_locked(const gpci_engine *engine, uint32_t module, uint64_t address, const gpci_task *requester);
/*
 * Let the waiters of a lock look again, when a block has left silently or moved, and its way stays locked for another
 * block. If a probe waited on, it would wait for the other block's request, and that request may wait for the sender of
 * the probe.
 */
void gpci_look_again(gpci_engine *engine, uint32_t module, uint32_t block);
/*
 * Let the lookups that wait for room in a cache of two halves look again: a way may be free, or a block gone. Such
 * lookups wait for room and not for a lock, because the lock may belong to a request of the near half that waits for
 * these lookups.
 */
void gpci_halves_move(gpci_engine *engine, uint32_t module);
/* Find the locked block that the tag's block, on its way to the module, will take; or GPCI_TREE_NO_BLOCK. */
uint32_t gpci_find_coming(const gpci_engine *engine, const gpci_module *module, uint64_t tag, uint32_t row);
/* True if the tag of a found block has not arrived yet. */
bool gpci_is_coming(const gpci_module *module, uint32_t block, uint64_t tag);
/* True if a probe may pass a lock held by another access. */
bool gpci_may_pass(const gpci_engine *engine, const gpci_lock *lock, bool coming);

/* engine_write.c */
/*
 * Invalidate the copies of addresses `first` to `first + span` above the module. `except`: module that keeps its copy,
 * or GPC_NO_MODULE. `ask`: write request that receives data directly, or GPCI_NO_ITEM. `event`: event at probed
 * modules, defined by the protocol itself; 0: WRITE_PROBE.
 */
void gpci_invalidate_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, uint32_t module, uint32_t block,
                           uint32_t except, uint32_t ask, uint64_t first, uint32_t span, uint8_t event);
/* Make room in the directory for the requester of a read: another copy is invalidated first (gpci_directory_victim). */
void gpci_room_begin(gpci_engine *engine, uint32_t request, gpci_step resumes);
/* Note the level reached by a request, for the access's result. */
GPCI_INLINE void gpci_inflight_reaches(const gpci_engine *engine, const gpci_task *request) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, request->inflight);
    const uint32_t level = gpci_task_module(engine, request)->level;
    access->deepest = level > access->deepest ? (uint8_t)level : access->deepest;
}

/* Describe a task's read or write request for the functions of transaction.h. */
GPCI_INLINE gpci_tree_request gpci_task_request(const gpci_engine *engine, const gpci_task *task) {
    return (gpci_tree_request){.from = gpci_task_from(engine, task),
                               .block = task->own,
                               .tag = task->address,
                               .valid = task->valid,
                               .non_coherent = task->non_coherent,
                               .event = task->event,
                               .cause = task->cause};
}

/*
 * Make the target of a request or put read the missing bytes of its partial `block` (gpci_module_is_partial). The task
 * continues with `resumes` when the bytes have arrived, or the read was refused. gpci_complete_end: false if a probe
 * has taken the block (state I).
 */
void gpci_complete_begin(gpci_engine *engine, uint32_t task, gpci_step resumes);
bool gpci_complete_end(const gpci_engine *engine, gpci_task *task);
/*
 * Make the target of a request or put request write permission for its `block`, if the rule says so. The task continues
 * with `resumes`, also if the request was refused.
 */
void gpci_rights_begin(gpci_engine *engine, uint32_t task, gpci_step resumes);
/*
 * Set the state with write permission, if not refused. True: the permission came without data (gpci_tree_data_begin).
 */
bool gpci_rights_end(gpci_engine *engine, const gpci_task *task);

/* Call `performed`: the bytes of an access were written and read, or an acquire is done. */
GPCI_INLINE void gpci_performed(const gpci_engine *engine, uint32_t inflight) {
    if (engine->performed)
        engine->performed(engine->performed_data, inflight);
}

/* engine_order.c: only in engines that list accesses (gpci_engine.lists) */
/* Older access of the module that an access must wait for, or GPCI_NO_ITEM. */
uint32_t gpci_who_comes_first(const gpci_engine *engine, uint32_t inflight);
/*
 * Write and read the bytes of the accesses that joined an access. gpci_strike_off: remove an access from the module's
 * list; accesses that joined it end next.
 */
void gpci_perform_joined(gpci_engine *engine, uint32_t inflight, uint32_t block);
void gpci_strike_off(gpci_engine *engine, uint32_t inflight);

/* engine_access.c */
/*
 * Write and read an access's bytes, once. `block`: block of the access, or of the access that it joined, when the block
 * is unlocked.
 */
void gpci_perform(gpci_engine *engine, uint32_t inflight, uint32_t block);
/* Bytes an access writes. */
gpci_tree_payload gpci_store_of(const gpci_engine *engine, uint32_t inflight);
/* Report an access and free it with the task. */
void gpci_inflight_end(gpci_engine *engine, uint32_t task);
/* If a request of the access was refused: release its block, schedule a retry and return true. */
bool gpci_access_refused(gpci_engine *engine, uint32_t task);

/*
 * Note that a put was sent. If it carries a store's bytes from the first-level module, the tree has no directories, and
 * messages stay in order, release the store's block, and let the host begin later stores.
 */
void gpci_access_left(gpci_engine *engine, uint32_t put);

/* engine_fill.c */
/* A missed block has arrived and will get its state. If it came into a fill way, move it to a regular way. */
GPCI_COLD void gpci_fill_arrives(gpci_engine *engine, uint32_t task);
/* Release an access's block: unlock it; if it is still in a fill way, evict it. */
void gpci_fill_leave(gpci_engine *engine, const gpci_task *work);

/* engine_fetch.c */
/* Begin a module's request to the low module with `step`, then requests for the block's neighbours. */
GPCI_COLD void gpci_ask_for_group(gpci_engine *engine, uint32_t request, gpci_step step);
/* Variant for modules that may not read neighbours; `misses`: the block, or a part of it, is missing. */
GPCI_INLINE void gpci_ask(gpci_engine *engine, const gpci_module *module, uint32_t request, gpci_step step,
                          bool misses) {
    if (GPCI_UNLIKELY(module->fetch_mask) && misses)
        gpci_ask_for_group(engine, request, step);
    else
        gpci_then(engine, request, step);
}
/* True if a module reads neighbours, and an access needs bytes of the module's block other than the bytes it writes. */
GPCI_INLINE bool gpci_needs_rest(const gpci_engine *engine, const gpci_module *module, uint32_t inflight) {
    if (GPCI_LIKELY(!module->fetch_mask))
        return false;
    const gpci_tree_payload store = gpci_store_of(engine, inflight);
    return gpci_tree_inflight_at(engine, inflight)->kind == GPC_COHERENCE_LOAD || !gpci_tree_writes_all(module, &store);
}

/* True if the module keeps the bytes of a store to a missing block without fetching the rest. */
GPCI_INLINE bool gpci_takes_store(const gpci_engine *engine, const gpci_module *module, uint32_t inflight) {
    if (GPCI_LIKELY(!module->lacks && !module->lazy))
        return false;
    const gpci_tree_payload store = gpci_store_of(engine, inflight);
    return gpci_tree_takes(module, true, &store);
}

/* After a lone access, begin to read block number `place` of a missed block's fetch group, if the block is missing. */
void gpci_fetch_neighbour(gpci_engine *engine, uint32_t inflight, const gpci_tree_neighbour_fetch *neighbour_fetch,
                          uint32_t place);

/*
 * Begin an internal access to `bytes` bytes from `tag` on, which access `inflight` causes. No task waits for the end,
 * and the end is not reported. Returns the access's task, from `from` to `module`. Room has been made
 * (gpci_engine_grow). gpci_internal_end: end the access.
 */
gpci_task *gpci_internal_begin(gpci_engine *engine, uint32_t inflight, uint64_t tag, uint32_t bytes, uint32_t from,
                               uint32_t module, uint32_t *out_task);
void gpci_internal_end(gpci_engine *engine, uint32_t task);

/* engine_tell.c */
/* Send invalidations from the target to the sharers of a block, on behalf of a task. */
GPCI_COLD void gpci_notify_copies(gpci_engine *engine, uint32_t task, gpci_module *target,
                                  const gpci_tree_notification *notified);
GPCI_INLINE void gpci_engine_notify(gpci_engine *engine, uint32_t task, gpci_module *target,
                                    const gpci_tree_notification *notified) {
    if (GPCI_UNLIKELY(gpci_tree_has(engine->tree, GPC_PROTOCOL_INVALIDATES)) && target->sub_blocks)
        gpci_notify_copies(engine, task, target, notified);
}
/* Send markers from a task's module. The task counts the markers in `pending`; every answer runs step `resumes`. */
void gpci_mark_from(gpci_engine *engine, uint32_t task, gpci_step resumes);

/* engine_put.c */
/* Write back a block's modified bytes; the module keeps the block. */
void gpci_write_back_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module,
                           uint32_t block);
/* Write back and give up the block. */
void gpci_write_back_last(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module, uint32_t block);
/* Write back because of `event`; the rule may raise an event at the low module. The module keeps the block. */
void gpci_write_back_upon(gpci_engine *engine, uint32_t parent, gpci_step resumes, gpci_module *module, uint32_t block,
                          uint32_t event);
/* Send a store's bytes from the access's first-level module to the low module. */
gpci_task *gpci_store_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, bool non_coherent);

/* engine_lock.c: addresses of bypassing accesses */
/*
 * Block the address of a task in the task's module, where the block is absent: lookups of the address wait until
 * gpci_release_address.
 */
void gpci_block_address(gpci_engine *engine, uint32_t task);
/* End the blocking of an address by a task. */
void gpci_unblock_address(gpci_engine *engine, uint32_t task);
/*
 * True if a task blocks the address `tag`, so that `requester` (a task, or GPCI_NO_ITEM) must wait. If the requester
 * blocks the address itself, only tasks that began earlier count.
 */
bool gpci_address_is_blocked(const gpci_engine *engine, const gpci_module *module, uint64_t tag, uint32_t requester);
/* Unlock a task's block, or unblock its address. */
void gpci_release_address(gpci_engine *engine, uint32_t task);
/* engine_access.c: begin to drop a module's copy for a bypassing access; gpci_drop_end: drop the copy. */
void gpci_drop_begin(gpci_engine *engine, uint32_t task, uint32_t event, gpci_step resumes);
void gpci_drop_end(gpci_engine *engine, const gpci_task *task, uint32_t event);
/* Read the bytes of a load below a module that the load bypasses. */
void gpci_pass_load(gpci_engine *engine, uint32_t task, gpci_module *module, uint64_t address, gpci_step resumes);

/* engine_build.c */
/* `alone`: for accesses one at a time (engine_alone.c). */
gpc_status gpci_engine_create(gpc_coherence *coherence, bool alone, gpc_error *error, gpci_engine **out);
void gpci_engine_destroy(gpci_engine *engine);
/* Make room for `more` accesses. False: out of memory. */
bool gpci_engine_make_inflights(gpci_engine *engine, uint32_t more);
/*
 * Make room for `more` records of line accesses, beside a record for each access that has room and has not begun.
 * False: out of memory.
 */
GPCI_INLINE bool gpci_engine_make_lines(gpci_engine *engine, uint32_t more) {
    const uint32_t unused = (uint32_t)engine->inflights.capacity - engine->inflights.used;
    return gpci_items_reserve(engine->context, &engine->lines, more + unused);
}
/* If the engine is `alone`, make trails for all tasks in the pool. False: out of memory. */
bool gpci_engine_make_trails(gpci_engine *engine);
/* Make labels for all tasks in the pool. False: out of memory. */
bool gpci_engine_make_labels(gpci_engine *engine);
/*
 * gpci_engine_reserve_step: make room for a step and the steps run at once; checks first, as there is mostly room.
 * gpci_engine_grow: allocate the room; in a held tree before every step, for the channels. False: out of memory.
 */
bool gpci_engine_grow(gpci_engine *engine);
GPCI_INLINE bool gpci_engine_reserve_step(gpci_engine *engine) {
    const size_t most = engine->most, due = most + engine->waiters.used;
    const gpci_calendar *calendar = &engine->calendar;
    return GPCI_LIKELY(engine->tasks.used + most <= engine->task_room &&
                       engine->locks.used + most <= engine->locks.capacity &&
                       engine->sent_messages.used + most <= engine->sent_messages.capacity &&
                       due <= engine->waiters.capacity && calendar->today_count + due <= calendar->today_capacity &&
                       calendar->later_count + due <= calendar->later_capacity &&
                       engine->inflights.used + engine->internals <= engine->inflight_room && !engine->crowded &&
                       !engine->hold) ||
           gpci_engine_grow(engine);
}
/*
 * Make room for one more access to an address, and everything that it may cause before the next step. GPC_ERROR_MEMORY.
 * gpci_engine_reserve_access: called if the tree's lists, bytes or pages, or the engine, may lack room.
 */
gpc_status gpci_engine_reserve_access(gpci_engine *engine, uint64_t address);
GPCI_INLINE gpc_status gpci_engine_reserve(gpci_engine *engine, uint64_t address) {
    const gpc_coherence *tree = engine->tree;
    const bool ready =
        gpci_tree_has_room(tree) && engine->entries == tree->entries && engine->inflights.used < engine->inflight_room;
    return GPCI_LIKELY(ready) && gpci_engine_reserve_step(engine) ? GPC_OK
                                                                  : gpci_engine_reserve_access(engine, address);
}

#endif
