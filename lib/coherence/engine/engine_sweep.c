/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_sweep.h"
#include "base/check.h"
#include "coherence/engine/engine_alone.h"

#include "coherence/engine/engine_host.h"

/*
 * Sweeps over all blocks of a module while other accesses continue. A sweep is an access without address.
 *
 *   ACQUIRE  apply the protocol's ACQUIRE rules. Blocks that the rules drop are dropped at once. Blocks that the rules
 *            write back are written back, one a cycle. A locked block is waited for, because the data on the way to the
 *            block may be stale
 *   RELEASE  write back, by the ACQUIRE rules, when all earlier accesses of the module have ended
 *   EVICT    evict the module's blocks, one a cycle
 *   RECALL   take the copies of modules above back, one block a cycle
 *   MARK     no block: last part of a RELEASE, if the protocol INVALIDATES (engine_tell.c)
 *   FLUSH    let low modules probe the module's blocks (flush), one a cycle
 *
 * At most `abreast` blocks are in progress at a time. A refused write-back is tried again some cycles later. A middle
 * module begins an ACQUIRE when a message from a module above arrives, and acknowledges at the end.
 *
 * Example, slc-glc, an ACQUIRE of an L1 with A in S, B in N and C in flight: A is dropped at once. B is locked and
 * written back. C's load ends, C is unlocked and dropped. L2 acknowledges B, B is dropped, and the sweep ends.
 */

/* A sweep is the root task of its access, with a child task for each block that takes time. */

/* True if a block is locked. Blocks of the other half of a cache do not count. */
static bool is_locked(const gpci_engine *engine, const gpci_module *module, uint32_t block) {
    const gpci_lock *lock = gpci_lock_of(engine, module->index, block);
    if (lock->holder == GPCI_NO_ITEM)
        return false;
    return !module->twin || gpci_module_at_home(module, lock->tag) ||
           (module->states[block] != GPC_LINE_I && gpci_module_owns(module, block));
}

static uint32_t blocks_of(const gpci_module *module) {
    return module->full_map ? module->map.count : module->blocks;
}

static bool has_copies(const gpci_module *module, uint32_t block) {
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        if (gpci_sharers_any(module, block, sub) || gpci_module_owner_of(module, block, sub) != GPCI_TREE_NO_OWNER)
            return true;
    }
    return false;
}

/* True if a sweep must act on a block, provided that the block is unlocked. */
static bool concerns(const gpci_module *module, uint32_t block, gpci_sweep kind) {
    const uint8_t state = module->states[block];
    if (state == GPC_LINE_I || !gpci_module_owns(module, block))
        return false;
    if (kind == GPCI_SWEEP_RECALL)
        return has_copies(module, block);
    const uint32_t actions = module->rules[state][GPC_EVENT_ACQUIRE].actions;
    if (kind == GPCI_SWEEP_RELEASE)
        return (actions & GPC_DO_WRITE_BACK) != 0;
    return kind == GPCI_SWEEP_EVICT || kind == GPCI_SWEEP_FLUSH || actions & (GPC_DO_WRITE_BACK | GPC_DO_FORBID) ||
           !(actions & GPC_DO_IGNORE);
}

bool gpci_engine_sweeps(const gpci_engine *engine, uint32_t module, gpci_sweep kind) {
    const gpci_module *m = gpci_module_at(engine->tree, module);
    for (uint32_t block = 0; block < blocks_of(m); block++)
        if (concerns(m, block, kind))
            return true;
    return false;
}

static uint32_t begin(gpci_engine *engine, const gpc_coherence_request *request, const gpci_sweep_order *order) {
    static const gpc_request policy_request = {.kind = GPC_STORE}; /* request shown to policies */
    const bool sends = order->from != order->module;
    const uint32_t inflight =
        gpci_inflight_begin(engine, request, &policy_request, sends ? GPCI_STEP_sweep_send : GPCI_STEP_sweep_begin);
    gpci_task *sweep = gpci_task_at(engine, gpci_tree_inflight_at(engine, inflight)->task);
    sweep->module = (uint16_t)order->module;
    engine->units[order->module].sweeps++;
    sweep->kind = (uint8_t)order->kind;
    sweep->sort = GPCI_TASK_SWEEP;
    sweep->abreast = order->abreast;
    return inflight;
}

uint32_t gpci_engine_sweep(gpci_engine *engine, const gpci_sweep_order *order) {
    const gpc_coherence_request request = {.module = order->from, .cycle = engine->now, .kind = GPC_COHERENCE_ACQUIRE};
    return begin(engine, &request, order);
}

uint32_t gpci_engine_acquire(gpci_engine *engine, const gpc_coherence_request *request) {
    const gpci_sweep kind = request->kind == GPC_COHERENCE_RELEASE ? GPCI_SWEEP_RELEASE : GPCI_SWEEP_ACQUIRE;
    const gpci_sweep_order order = {request->module, request->module, kind, UINT32_MAX - 1};
    return begin(engine, request, &order);
}

void gpci_step_sweep_send(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_request_message(engine, task, GPC_MESSAGE_ACQUIRE, GPCI_STEP_sweep_begin, GPCI_STEP_sweep_send);
    gpci_send(engine, &message);
}

/* Apply the ACQUIRE rule to a block: set the next state, and count. */
static void acquired(gpci_engine *engine, gpci_task *sweep, gpci_module *module, uint32_t block) {
    const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, module, module->states[block], GPC_EVENT_ACQUIRE);
    if (rule.actions & GPC_DO_WRITE_BACK)
        gpci_tree_data_clean(engine->tree, module, block);
    if (rule.actions & GPC_DO_IGNORE)
        return;
    module->stats.invalidations += rule.next == GPC_LINE_I;
    sweep->dropped += rule.next == GPC_LINE_I;
    gpci_tree_set_state(engine->tree, module, block, gpci_module_tag(module, block), rule.next, GPC_ORIGIN_ACQUIRE,
                        engine->now);
}

/* Let a sweep wait for the module's oldest access, if issued before the sweep. False: no such access. */
static bool waits_for_older(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *sweep = gpci_task_at(engine, task);
    const uint32_t oldest = engine->units[sweep->module].oldest;
    if (engine->host || oldest == GPCI_NO_ITEM ||
        gpci_tree_inflight_at(engine, oldest)->token >= gpci_tree_inflight_at(engine, sweep->inflight)->token)
        return false;
    gpci_due_queue_join(&engine->waiters, &engine->rests[oldest].waiters, (gpci_due){task, resumes});
    return true;
}

void gpci_step_sweep_begin(gpci_engine *engine, uint32_t task) {
    gpci_task *sweep = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, sweep);
    if (sweep->kind == GPCI_SWEEP_RELEASE && waits_for_older(engine, task, GPCI_STEP_sweep_begin))
        return;
    sweep->pending = 1;
    if (sweep->kind == GPCI_SWEEP_MARK) {
        gpci_mark_from(engine, task, GPCI_STEP_sweep_joined);
        gpci_step_sweep_joined(engine, task);
        return;
    }
    for (uint32_t block = 0; sweep->kind == GPCI_SWEEP_ACQUIRE && block < blocks_of(module); block++)
        if (!is_locked(engine, module, block) && concerns(module, block, GPCI_SWEEP_ACQUIRE) &&
            !(module->rules[module->states[block]][GPC_EVENT_ACQUIRE].actions & GPC_DO_WRITE_BACK))
            acquired(engine, sweep, module, block);
    gpci_step_sweep_next(engine, task);
}

static void begin_block(gpci_engine *engine, uint32_t task, uint32_t block) {
    gpci_task *sweep = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, sweep);
    const bool coming = module->states[block] == GPC_LINE_I;
    const uint64_t tag = coming ? gpci_lock_of(engine, module->index, block)->tag : gpci_module_tag(module, block);
    uint32_t child;
    sweep->pending++;
    gpci_task *one = gpci_task_begin(engine, task, GPCI_STEP_sweep_joined, module->index, module->index, tag, &child);
    one->block = one->own = block;
    gpci_then(engine, child, GPCI_STEP_sweep_block);
}

/* Begin the next block that takes time; the block after the next follows a cycle later. */
void gpci_step_sweep_next(gpci_engine *engine, uint32_t task) {
    gpci_task *sweep = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, sweep);
    const gpci_sweep kind = (gpci_sweep)sweep->kind;
    sweep->keeps = sweep->pending > sweep->abreast; /* too many blocks in progress: gpci_step_sweep_joined continues */
    if (sweep->keeps)
        return;
    const bool blind = engine->tree->faults & GPCI_FAULT_BLIND_ACQUIRE;
    uint32_t block = sweep->upcoming;
    while (block < blocks_of(module) && (!is_locked(engine, module, block) || blind) && !concerns(module, block, kind))
        block++;
    if (block >= blocks_of(module)) {
        gpci_then(engine, task, GPCI_STEP_sweep_joined);
        return;
    }
    sweep->upcoming = block + 1;
    gpci_step_after(engine, task, GPCI_STEP_sweep_next, module, 1);
    begin_block(engine, task, block);
}

uint32_t gpci_engine_sweep_block(gpci_engine *engine, uint32_t module, uint32_t block, gpci_sweep kind,
                                 const gpc_request *policy_request) {
    const gpc_coherence_request request = {.module = module, .cycle = engine->now, .kind = GPC_COHERENCE_ACQUIRE};
    const uint32_t inflight = gpci_inflight_begin(engine, &request, policy_request, GPCI_STEP_sweep_one);
    gpci_task *sweep = gpci_task_at(engine, gpci_tree_inflight_at(engine, inflight)->task);
    engine->units[module].sweeps++;
    sweep->kind = (uint8_t)kind;
    sweep->sort = GPCI_TASK_SWEEP;
    sweep->upcoming = block;
    return inflight;
}

void gpci_step_sweep_one(gpci_engine *engine, uint32_t task) {
    begin_block(engine, task, gpci_task_at(engine, task)->upcoming);
}

/* True if the block has left, or other tasks have already done the sweep's work on it. */
static bool is_over(const gpci_engine *engine, const gpci_task *one, const gpci_module *module) {
    const gpci_sweep kind = (gpci_sweep)gpci_task_at(engine, one->parent)->kind;
    return gpci_module_tag(module, one->block) != one->address || !concerns(module, one->block, kind);
}

/*
 * Flush a block. The low module sends a write probe, as for another module's write request, and gets a write-back of
 * modified bytes, or an acknowledgement (Table 2.6, steps 15 to 20).
 */
static void flush(gpci_engine *engine, uint32_t one) {
    const gpci_task *owner = gpci_task_at(engine, one);
    const gpci_module *probed = gpci_task_module(engine, owner);
    const uint64_t tag = owner->address;
    const uint32_t block = owner->block, t = gpci_module_low(engine->tree, probed, tag);
    uint32_t probe;
    gpci_task *probe_task = gpci_task_begin(engine, one, GPCI_STEP_sweep_left, t, probed->index, tag, &probe);
    probe_task->down = true;
    probe_task->block = block;
    gpci_then(engine, probe, GPCI_STEP_flush_send);
}

void gpci_step_flush_send(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_request_message(engine, task, GPC_MESSAGE_WRITE_PROBE, GPCI_STEP_flush_come, GPCI_STEP_flush_send);
    gpci_send(engine, &message);
}

void gpci_step_flush_come(gpci_engine *engine, uint32_t task) {
    const gpci_task *probe = gpci_task_at(engine, task);
    gpci_module *probed = gpci_task_module(engine, probe);
    probed->stats.write_probes++;
    GPCI_AGAIN(probed->again.write_probes++);
    probed->stats.accesses++;
    probed->stats.directory_accesses++;
    gpci_trail_look(engine, task, probed);
    gpci_trail_found(engine, task, probe->block, true);
    gpci_step_after(engine, task, GPCI_STEP_flush_found, probed, probed->given.directory_latency);
}

void gpci_step_flush_found(gpci_engine *engine, uint32_t task) {
    const gpci_task *probe = gpci_task_at(engine, task);
    gpci_invalidate_begin(engine, task, GPCI_STEP_flush_alone, probe->module, probe->block, GPC_NO_MODULE, GPCI_NO_ITEM,
                          0, GPCI_TASK_ALL, 0);
}

void gpci_step_flush_alone(gpci_engine *engine, uint32_t task) {
    const gpci_task *probe = gpci_task_at(engine, task);
    gpci_module *probed = gpci_task_module(engine, probe), *target = gpci_task_from(engine, probe);
    probed->stats.invalidations++;
    if (gpci_tree_is_modified(engine->tree, probed->states[probe->block])) {
        gpci_use_data(engine, task, GPCI_STEP_flush_back, probed, probed->given.block_bytes, false);
        return;
    }
    const uint32_t low = gpci_module_find(target, gpci_module_tag_of(target, probe->address));
    if (low != GPCI_TREE_NO_BLOCK)
        gpci_tree_drop_sharers(engine->tree, target, low, probed, probe->address);
    gpci_then(engine, task, GPCI_STEP_flush_reply);
}

void gpci_step_flush_back(gpci_engine *engine, uint32_t task) {
    const gpci_task *probe = gpci_task_at(engine, task);
    gpci_write_back_last(engine, task, GPCI_STEP_flush_left, gpci_task_module(engine, probe), probe->block);
}

void gpci_step_flush_reply(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(engine, task, GPC_MESSAGE_ACK, GPCI_STEP_flush_left, GPCI_STEP_flush_reply);
    gpci_send(engine, &message);
}

void gpci_step_flush_left(gpci_engine *engine, uint32_t task) {
    const gpci_task *probe = gpci_task_at(engine, task);
    gpci_tree_set_state(engine->tree, gpci_task_module(engine, probe), probe->block, 0, GPC_LINE_I,
                        GPC_ORIGIN_WRITE_DOWN_UP, engine->now);
    gpci_task_end(engine, task);
}

void gpci_step_sweep_block(gpci_engine *engine, uint32_t task) {
    gpci_task *one = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, one);
    gpci_lock *lock = gpci_lock_of(engine, module->index, one->block);
    if (lock->holder != GPCI_NO_ITEM) {
        gpci_due_queue_join(&engine->waiters, &lock->waiters, (gpci_due){task, GPCI_STEP_sweep_block});
        return;
    }
    if (is_over(engine, one, module)) {
        gpci_task_end(engine, task);
        return;
    }
    gpci_lock_take(engine, module->index, one->block, one->inflight, one->address);
    one->refused = false;
    const gpci_sweep kind = (gpci_sweep)gpci_task_at(engine, one->parent)->kind;
    if (kind == GPCI_SWEEP_RECALL && !gpci_module_directory_only(module, one->block)) {
        gpci_invalidate_begin(engine, task, GPCI_STEP_sweep_left, module->index, one->block, GPC_NO_MODULE,
                              GPCI_NO_ITEM, 0, GPCI_TASK_ALL, 0);
    } else if (kind == GPCI_SWEEP_FLUSH) {
        flush(engine, task);
    } else if (kind != GPCI_SWEEP_ACQUIRE && kind != GPCI_SWEEP_RELEASE) {
        uint32_t child;
        gpci_task_begin(engine, task, GPCI_STEP_sweep_left, module->index, module->index, one->address, &child)->own =
            one->block;
        gpci_then(engine, child, GPCI_STEP_evict_begin);
    } else if (gpci_tree_rule(engine->tree, module, module->states[one->block], GPC_EVENT_ACQUIRE).actions &
               GPC_DO_WRITE_BACK) {
        gpci_write_back_upon(engine, task, GPCI_STEP_sweep_left, module, one->block, GPC_EVENT_ACQUIRE);
    } else {
        gpci_then(engine, task, GPCI_STEP_sweep_left);
    }
}

/* Continue after a block's eviction or write-back has ended, or was refused. */
void gpci_step_sweep_left(gpci_engine *engine, uint32_t task) {
    gpci_task *one = gpci_task_at(engine, task), *sweep = gpci_task_at(engine, one->parent);
    gpci_module *module = gpci_task_module(engine, one);
    const bool again = one->refused;
    if (!again && sweep->kind <= GPCI_SWEEP_RELEASE && module->states[one->block] != GPC_LINE_I)
        acquired(engine, sweep, module, one->block);
    gpci_unlock(engine, module->index, one->block);
    if (again)
        gpci_step_after(engine, task, GPCI_STEP_sweep_block, module,
                        1 + gpci_back_off(engine, module->given.latency + 2));
    else
        gpci_task_end(engine, task);
}

/* After a release's write-backs, send markers, which follow all earlier messages. */
static void mark(gpci_engine *engine, uint32_t task) {
    gpci_task_at(engine, task)->kind = GPCI_SWEEP_MARK;
    gpci_step_sweep_begin(engine, task);
}

/* Count down `pending`: a block is done, the last block was begun, or a marker has returned. */
void gpci_step_sweep_joined(gpci_engine *engine, uint32_t task) {
    gpci_task *sweep = gpci_task_at(engine, task);
    sweep->pending--;
    if (sweep->keeps)
        gpci_then(engine, task, GPCI_STEP_sweep_next);
    else if (!sweep->pending && sweep->kind == GPCI_SWEEP_RELEASE && !engine->alone &&
             gpci_tree_has(engine->tree, GPC_PROTOCOL_INVALIDATES))
        mark(engine, task);
    else if (!sweep->pending)
        gpci_then(engine, task, sweep->from == sweep->module ? GPCI_STEP_sweep_end : GPCI_STEP_sweep_reply);
}

void gpci_step_sweep_reply(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(engine, task, GPC_MESSAGE_ACK, GPCI_STEP_sweep_end, GPCI_STEP_sweep_reply);
    gpci_send(engine, &message);
}

/*
 * End a sweep. Earlier accesses of the module may have read stale data, and in a tree without a host, later accesses
 * may join an earlier access: the sweep first waits for the end of earlier accesses. A host orders accesses by its own
 * rules.
 */
void gpci_step_sweep_end(gpci_engine *engine, uint32_t task) {
    if (waits_for_older(engine, task, GPCI_STEP_sweep_end))
        return;
    engine->units[gpci_task_at(engine, task)->module].sweeps--;
    gpci_performed(engine, gpci_task_at(engine, task)->inflight);
    if (engine->alone)
        gpci_trail_start(engine, task);
    gpci_inflight_end(engine, task);
}
