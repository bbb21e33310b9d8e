/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_sweep.h"

#include "coherence/engine/engine_host.h"
#include "coherence/module/tree_engine.h"

/*
 * Sweeps over all blocks of a module while other accesses continue. A sweep is an access without address.
 *
 *   ACQUIRE  the protocol's ACQUIRE rules. Blocks to be dropped are dropped at once; blocks to be written back first
 *            are written back, one a cycle; a locked block is waited for, because the data it receives may be stale
 *   RELEASE  write back, by the ACQUIRE rules, once all earlier accesses of the module have ended
 *   EVICT    evict the module's blocks, one a cycle
 *   RECALL   take blocks back from modules above, one a cycle, as the write requests of memory in Table 2.6
 *   (seeds/002),
 *            steps 15 to 20
 *   MARK     no block: end of a RELEASE if the protocol INVALIDATES (engine_tell.c)
 *
 * At most `abreast` blocks are written back at a time. If a write-back is refused, it is tried again some cycles later.
 * A middle module acquires on a message from a module above, and acknowledges.
 *
 * Example, slc-glc, an ACQUIRE of an L1 with A in S, B in N and C in flight: A is dropped at once. B is locked and
 * written back. C's load ends, C is unlocked and dropped. L2 acknowledges B, B is dropped, and the sweep ends.
 */

/* The sweep is the root task of the access, with a child task per block that takes time. */

/* True if a block is locked. Blocks of the other half of a cache do not count. */
static bool is_locked(const gpci_engine *e, const gpci_module *m, uint32_t block) {
    const gpci_lock *lock = gpci_lock_of(e, m->index, block);
    if (lock->holder == GPCI_NO_ITEM)
        return false;
    return !m->twin || gpci_module_at_home(m, lock->tag) ||
           (m->states[block] != GPC_LINE_I && gpci_module_owns(m, block));
}

static uint32_t blocks_of(const gpci_module *m) {
    return m->full_map ? m->map.count : m->blocks;
}

static bool has_copies(const gpci_module *m, uint32_t block) {
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++) {
        if (gpci_sharers_any(m, block, sub) || gpci_module_owner_of(m, block, sub) != GPCI_TREE_NO_OWNER)
            return true;
    }
    return false;
}

/* True if the sweep must act on an unlocked block. */
static bool concerns(const gpci_module *m, uint32_t block, gpci_sweep kind) {
    const uint8_t state = m->states[block];
    if (state == GPC_LINE_I || !gpci_module_owns(m, block))
        return false;
    if (kind == GPCI_SWEEP_RECALL)
        return has_copies(m, block);
    const uint32_t actions = m->rules[state][GPC_EVENT_ACQUIRE].actions;
    if (kind == GPCI_SWEEP_RELEASE)
        return (actions & GPC_DO_WRITE_BACK) != 0;
    return kind == GPCI_SWEEP_EVICT || kind == GPCI_SWEEP_FLUSH || actions & (GPC_DO_WRITE_BACK | GPC_DO_FORBID) ||
           !(actions & GPC_DO_IGNORE);
}

bool gpci_engine_sweeps(const gpci_engine *e, uint32_t module, gpci_sweep kind) {
    const gpci_module *m = gpci_module_at(e->tree, module);
    for (uint32_t block = 0; block < blocks_of(m); block++)
        if (concerns(m, block, kind))
            return true;
    return false;
}

static uint32_t begin(gpci_engine *e, const gpc_coherence_request *request, const gpci_sweep_order *order) {
    static const gpc_request policy_request = {.kind = GPC_STORE}; /* shown to policies, as for a flush without time */
    const bool sends = order->from != order->module;
    const uint32_t inflight =
        gpci_inflight_begin(e, request, &policy_request, sends ? GPCI_STEP_sweep_send : GPCI_STEP_sweep_begin);
    gpci_task *s = gpci_task_at(e, gpci_tree_inflight_at(e, inflight)->task);
    s->module = (uint16_t)order->module;
    e->units[order->module].sweeps++;
    s->kind = (uint8_t)order->kind;
    s->sort = GPCI_TASK_SWEEP;
    s->abreast = order->abreast;
    return inflight;
}

uint32_t gpci_engine_sweep(gpci_engine *e, const gpci_sweep_order *order) {
    const gpc_coherence_request request = {.module = order->from, .cycle = e->now, .kind = GPC_COHERENCE_ACQUIRE};
    return begin(e, &request, order);
}

uint32_t gpci_engine_acquire(gpci_engine *e, const gpc_coherence_request *request) {
    const gpci_sweep kind = request->kind == GPC_COHERENCE_RELEASE ? GPCI_SWEEP_RELEASE : GPCI_SWEEP_ACQUIRE;
    const gpci_sweep_order order = {request->module, request->module, kind, UINT32_MAX - 1};
    return begin(e, request, &order);
}

void gpci_step_sweep_send(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_request_message(e, task, GPC_MESSAGE_ACQUIRE, GPCI_STEP_sweep_begin, GPCI_STEP_sweep_send);
    gpci_send(e, &message);
}

/* Set the state of a block after ACQUIRE, and count. */
static void acquired(gpci_engine *e, gpci_task *s, gpci_module *m, uint32_t block) {
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, m, m->states[block], GPC_EVENT_ACQUIRE);
    if (rule.actions & GPC_DO_WRITE_BACK)
        gpci_tree_data_clean(e->tree, m, block);
    if (rule.actions & GPC_DO_IGNORE)
        return;
    m->stats.invalidations += rule.next == GPC_LINE_I;
    s->dropped += rule.next == GPC_LINE_I;
    gpci_tree_set_state(e->tree, m, block, gpci_module_tag(m, block), rule.next, GPC_ORIGIN_ACQUIRE, e->now);
}

/* Wait for an access of the module issued before the sweep. False: none. */
static bool waits_for_older(gpci_engine *e, uint32_t task, gpci_step resumes) {
    const gpci_task *s = gpci_task_at(e, task);
    const uint32_t oldest = e->units[s->module].oldest;
    if (e->host || oldest == GPCI_NO_ITEM ||
        gpci_tree_inflight_at(e, oldest)->token >= gpci_tree_inflight_at(e, s->inflight)->token)
        return false;
    gpci_due_queue_join(&e->waiters, &e->rests[oldest].waiters, (gpci_due){task, resumes});
    return true;
}

void gpci_step_sweep_begin(gpci_engine *e, uint32_t task) {
    gpci_task *s = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, s);
    if (s->kind == GPCI_SWEEP_RELEASE && waits_for_older(e, task, GPCI_STEP_sweep_begin))
        return;
    s->pending = 1;
    if (s->kind == GPCI_SWEEP_MARK) {
        gpci_mark_from(e, task, GPCI_STEP_sweep_joined);
        gpci_step_sweep_joined(e, task);
        return;
    }
    for (uint32_t block = 0; s->kind == GPCI_SWEEP_ACQUIRE && block < blocks_of(m); block++)
        if (!is_locked(e, m, block) && concerns(m, block, GPCI_SWEEP_ACQUIRE) &&
            !(m->rules[m->states[block]][GPC_EVENT_ACQUIRE].actions & GPC_DO_WRITE_BACK))
            acquired(e, s, m, block);
    gpci_step_sweep_next(e, task);
}

static void begin_block(gpci_engine *e, uint32_t task, uint32_t block) {
    gpci_task *s = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, s);
    const bool coming = m->states[block] == GPC_LINE_I;
    const uint64_t tag = coming ? gpci_lock_of(e, m->index, block)->tag : gpci_module_tag(m, block);
    uint32_t child;
    s->pending++;
    gpci_task *one = gpci_task_begin(e, task, GPCI_STEP_sweep_joined, m->index, m->index, tag, &child);
    one->block = one->own = block;
    gpci_then(e, child, GPCI_STEP_sweep_block);
}

/* Begin the next block that takes time; the block after follows a cycle later. */
void gpci_step_sweep_next(gpci_engine *e, uint32_t task) {
    gpci_task *s = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, s);
    const gpci_sweep kind = (gpci_sweep)s->kind;
    s->keeps = s->pending > s->abreast; /* continues when a block has ended */
    if (s->keeps)
        return;
    const bool blind = e->tree->faults & GPCI_FAULT_BLIND_ACQUIRE;
    uint32_t block = s->upcoming;
    while (block < blocks_of(m) && (!is_locked(e, m, block) || blind) && !concerns(m, block, kind))
        block++;
    if (block >= blocks_of(m)) {
        gpci_then(e, task, GPCI_STEP_sweep_joined);
        return;
    }
    s->upcoming = block + 1;
    gpci_step_after(e, task, GPCI_STEP_sweep_next, m, 1);
    begin_block(e, task, block);
}

uint32_t gpci_engine_sweep_block(gpci_engine *e, uint32_t module, uint32_t block, gpci_sweep kind,
                                 const gpc_request *policy_request) {
    const gpc_coherence_request request = {.module = module, .cycle = e->now, .kind = GPC_COHERENCE_ACQUIRE};
    const uint32_t inflight = gpci_inflight_begin(e, &request, policy_request, GPCI_STEP_sweep_one);
    gpci_task *s = gpci_task_at(e, gpci_tree_inflight_at(e, inflight)->task);
    e->units[module].sweeps++;
    s->kind = (uint8_t)kind;
    s->sort = GPCI_TASK_SWEEP;
    s->upcoming = block;
    return inflight;
}

void gpci_step_sweep_one(gpci_engine *e, uint32_t task) {
    begin_block(e, task, gpci_task_at(e, task)->upcoming);
}

/* True if the block left, or other tasks have finished the work. */
static bool is_over(const gpci_engine *e, const gpci_task *one, const gpci_module *m) {
    const gpci_sweep kind = (gpci_sweep)gpci_task_at(e, one->parent)->kind;
    return gpci_module_tag(m, one->block) != one->address || !concerns(m, one->block, kind);
}

/*
 * Flush of a block: the low module sends a write probe, as for another module's write request, and gets a write-back of
 * modified bytes, or an acknowledgement (Table 2.6, steps 15 to 20).
 */
static void flush(gpci_engine *e, uint32_t one) {
    const gpci_task *o = gpci_task_at(e, one);
    const gpci_module *x = gpci_task_module(e, o);
    const uint64_t tag = o->address;
    const uint32_t block = o->block, t = gpci_module_low(e->tree, x, tag);
    uint32_t probe;
    gpci_task *p = gpci_task_begin(e, one, GPCI_STEP_sweep_left, t, x->index, tag, &probe);
    p->down = true;
    p->block = block;
    gpci_then(e, probe, GPCI_STEP_flush_send);
}

void gpci_step_flush_send(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_request_message(e, task, GPC_MESSAGE_WRITE_PROBE, GPCI_STEP_flush_come, GPCI_STEP_flush_send);
    gpci_send(e, &message);
}

void gpci_step_flush_come(gpci_engine *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_module *x = gpci_task_module(e, p);
    x->stats.write_probes++;
    x->stats.accesses++;
    x->stats.directory_accesses++;
    gpci_trail_look(e, task, x);
    gpci_trail_found(e, task, p->block, true);
    gpci_step_after(e, task, GPCI_STEP_flush_found, x, x->given.directory_latency);
}

void gpci_step_flush_found(gpci_engine *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_invalidate_begin(e, task, GPCI_STEP_flush_alone, p->module, p->block, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
                          GPCI_TASK_ALL, 0);
}

void gpci_step_flush_alone(gpci_engine *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_module *x = gpci_task_module(e, p), *t = gpci_task_from(e, p);
    x->stats.invalidations++;
    if (gpci_tree_is_modified(e->tree, x->states[p->block])) {
        gpci_use_data(e, task, GPCI_STEP_flush_back, x, x->given.block_bytes, false);
        return;
    }
    const uint32_t low = gpci_module_find(t, gpci_module_tag_of(t, p->address));
    if (low != GPCI_TREE_NO_BLOCK)
        gpci_tree_drop_sharers(e->tree, t, low, x, p->address);
    gpci_then(e, task, GPCI_STEP_flush_reply);
}

void gpci_step_flush_back(gpci_engine *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_write_back_last(e, task, GPCI_STEP_flush_left, gpci_task_module(e, p), p->block);
}

void gpci_step_flush_reply(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(e, task, GPC_MESSAGE_ACK, GPCI_STEP_flush_left, GPCI_STEP_flush_reply);
    gpci_send(e, &message);
}

void gpci_step_flush_left(gpci_engine *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_tree_set_state(e->tree, gpci_task_module(e, p), p->block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, e->now);
    gpci_task_end(e, task);
}

void gpci_step_sweep_block(gpci_engine *e, uint32_t task) {
    gpci_task *one = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, one);
    gpci_lock *lock = gpci_lock_of(e, m->index, one->block);
    if (lock->holder != GPCI_NO_ITEM) {
        gpci_due_queue_join(&e->waiters, &lock->waiters, (gpci_due){task, GPCI_STEP_sweep_block});
        return;
    }
    if (is_over(e, one, m)) {
        gpci_task_end(e, task);
        return;
    }
    gpci_lock_take(e, m->index, one->block, one->inflight, one->address);
    one->refused = false;
    const gpci_sweep kind = (gpci_sweep)gpci_task_at(e, one->parent)->kind;
    if (kind == GPCI_SWEEP_RECALL && !gpci_module_directory_only(m, one->block)) {
        gpci_invalidate_begin(e, task, GPCI_STEP_sweep_left, m->index, one->block, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
                              GPCI_TASK_ALL, 0);
    } else if (kind == GPCI_SWEEP_FLUSH) {
        flush(e, task);
    } else if (kind != GPCI_SWEEP_ACQUIRE && kind != GPCI_SWEEP_RELEASE) {
        uint32_t child;
        gpci_task_begin(e, task, GPCI_STEP_sweep_left, m->index, m->index, one->address, &child)->own = one->block;
        gpci_then(e, child, GPCI_STEP_evict_begin);
    } else if (gpci_tree_rule(e->tree, m, m->states[one->block], GPC_EVENT_ACQUIRE).actions & GPC_DO_WRITE_BACK) {
        gpci_write_back_upon(e, task, GPCI_STEP_sweep_left, m, one->block, GPC_EVENT_ACQUIRE);
    } else {
        gpci_then(e, task, GPCI_STEP_sweep_left);
    }
}

/* The block's eviction or write-back ended, or was refused. */
void gpci_step_sweep_left(gpci_engine *e, uint32_t task) {
    gpci_task *one = gpci_task_at(e, task), *s = gpci_task_at(e, one->parent);
    gpci_module *m = gpci_task_module(e, one);
    const bool again = one->refused;
    if (!again && s->kind <= GPCI_SWEEP_RELEASE && m->states[one->block] != GPC_LINE_I)
        acquired(e, s, m, one->block);
    gpci_unlock(e, m->index, one->block);
    if (again)
        gpci_step_after(e, task, GPCI_STEP_sweep_block, m, 1 + gpci_back_off(e, m->given.latency + 2));
    else
        gpci_task_end(e, task);
}

/* A release has written back: send markers behind all earlier messages. */
static void mark(gpci_engine *e, uint32_t task) {
    gpci_task_at(e, task)->kind = GPCI_SWEEP_MARK;
    gpci_step_sweep_begin(e, task);
}

/* A block is done, the last block was begun, or a marker returned. */
void gpci_step_sweep_joined(gpci_engine *e, uint32_t task) {
    gpci_task *s = gpci_task_at(e, task);
    s->pending--;
    if (s->keeps)
        gpci_then(e, task, GPCI_STEP_sweep_next);
    else if (!s->pending && s->kind == GPCI_SWEEP_RELEASE && !e->alone &&
             gpci_tree_has(e->tree, GPC_PROTOCOL_INVALIDATES))
        mark(e, task);
    else if (!s->pending)
        gpci_then(e, task, s->from == s->module ? GPCI_STEP_sweep_end : GPCI_STEP_sweep_reply);
}

void gpci_step_sweep_reply(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(e, task, GPC_MESSAGE_ACK, GPCI_STEP_sweep_end, GPCI_STEP_sweep_reply);
    gpci_send(e, &message);
}

/*
 * Earlier accesses may have read stale data. In a tree without a host, later accesses may join an earlier access: wait
 * for the end of earlier accesses. A host has rules of its own.
 */
void gpci_step_sweep_end(gpci_engine *e, uint32_t task) {
    if (waits_for_older(e, task, GPCI_STEP_sweep_end))
        return;
    e->units[gpci_task_at(e, task)->module].sweeps--;
    gpci_performed(e, gpci_task_at(e, task)->inflight);
    if (e->alone)
        gpci_trail_start(e, task);
    gpci_inflight_end(e, task);
}
