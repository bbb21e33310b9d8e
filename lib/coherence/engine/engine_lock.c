/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"

/*
 * Locks of blocks, and the passing of locks by probes.
 *
 * If requests are refused, as in Multi2Sim (GPC_PROTOCOL_RETRY), a probe waits for the lock of a block. If requests
 * wait below (for a lock, or for a host's MSHR entry), a probe passes the lock, as long as the low module has not
 * served the holder's own request or put for the block: the probe's request is served first, the block is unchanged,
 * and no answer is on its way. Protocol tables of other authors express these cases as transient states; here the cases
 * are combinations of state, lock and message.
 *
 * Example: two L1s have A in S, and both store to it. The write request of l1-0 is served first, and l1-1 is probed
 * while its own request waits at L2. The probe passes the lock in l1-1, A becomes invalid in l1-1, and l1-1's request
 * now needs data, too.
 */

bool gpci_lock_is_of(const gpci_engine *engine, const gpci_lock *lock, uint32_t inflight) {
    return inflight != GPCI_NO_ITEM && lock->holder == inflight &&
           lock->token == gpci_lock_token(gpci_tree_inflight_at(engine, inflight)->token);
}

static uint32_t *bucket_of(const gpci_engine *engine, uint32_t module, uint32_t block) {
    return &engine->units[module].locks[block & engine->units[module].lock_mask];
}

/* Lock of a block; a new lock from the pool if the block is unlocked. */
static gpci_lock *own_lock(gpci_engine *engine, uint32_t module, uint32_t block) {
    gpci_lock *lock = gpci_lock_of(engine, module, block);
    if (lock->block == block)
        return lock;
    uint32_t *bucket = bucket_of(engine, module, block);
    const uint32_t item = gpci_items_take_any(&engine->locks);
    lock = gpci_items_at(&engine->locks, item);
    *lock = GPCI_LOCK_FREE;
    lock->block = block;
    lock->next = *bucket;
    *bucket = item;
    engine->units[gpci_module_at(engine->tree, module)->store->index].held++;
    return lock;
}

gpci_lock *gpci_lock_take(gpci_engine *engine, uint32_t module, uint32_t block, uint32_t inflight, uint64_t tag) {
    gpci_lock *lock = own_lock(engine, module, block);
    lock->holder = inflight;
    lock->token = gpci_lock_token(gpci_tree_inflight_at(engine, inflight)->token);
    lock->tag = tag;
    return lock;
}

/* Give the lock to the access of the probe that has passed the lock and has not answered yet. */
static void let_probe(gpci_engine *engine, uint32_t module, gpci_lock *lock) {
    const uint32_t probe = lock->probe;
    lock->asks = lock->probe = GPCI_NO_ITEM;
    gpci_lock_take(engine, module, lock->block, gpci_task_at(engine, probe)->inflight, lock->tag);
}

void gpci_unlock(gpci_engine *engine, uint32_t module, uint32_t block) {
    gpci_engine_unit *unit = &engine->units[module];
    uint32_t *at = &unit->locks[block & unit->lock_mask];
    gpci_lock *lock;
    while ((lock = gpci_items_at(&engine->locks, *at))->block != block && *at)
        at = &lock->next;
    if (GPCI_UNLIKELY(*at && lock->probe != GPCI_NO_ITEM)) {
        let_probe(engine, module, lock);
    } else if (GPCI_LIKELY(*at)) {
        const uint32_t item = *at;
        if (lock->waiters.head != GPCI_NO_ITEM)
            gpci_wake(engine, &lock->waiters, 0);
        *at = lock->next;
        gpci_items_give(&engine->locks, item);
        engine->units[gpci_module_at(engine->tree, module)->store->index].held--;
    }
    if (GPCI_UNLIKELY(unit->halved))
        gpci_halves_move(engine, module);
}

void gpci_halves_move(gpci_engine *engine, uint32_t module) {
    gpci_wake(engine, &engine->units[module].address_waiters, 0);
    gpci_wake(engine, &engine->units[gpci_module_at(engine->tree, module)->twin->index].address_waiters, 0);
}

void gpci_look_again(gpci_engine *engine, uint32_t module, uint32_t block) {
    gpci_wake(engine, &gpci_lock_of(engine, module, block)->waiters, 0);
}

void gpci_block_asks(gpci_engine *engine, uint32_t task) {
    const gpci_task *request = gpci_task_at(engine, task);
    if (!engine->passes || request->down || request->forwarded || request->own == GPCI_TREE_NO_BLOCK)
        return;
    gpci_lock *lock = own_lock(engine, request->from, request->own);
    lock->asks = task;
    gpci_wake(engine, &lock->waiters, 0);
}

void gpci_block_answered(gpci_engine *engine, uint32_t task) {
    const gpci_task *request = gpci_task_at(engine, task);
    if (!engine->passes || request->down || request->own == GPCI_TREE_NO_BLOCK)
        return;
    gpci_lock *lock = gpci_lock_of(engine, request->from, request->own);
    if (lock->asks == task)
        lock->asks = request->leaves ? GPCI_NO_ITEM : GPCI_ANSWERED;
}

static bool is_task(uint32_t asks) {
    return asks != GPCI_NO_ITEM && asks != GPCI_ANSWERED;
}

/* True if the holder's request or put for the block waits in a module below, at any level. */
static bool request_is_queued(const gpci_engine *engine, const gpci_lock *lock) {
    const uint32_t holder = lock->holder, token = lock->token;
    while (lock->holder == holder && lock->token == token && is_task(lock->asks)) {
        const gpci_task *request = gpci_task_at(engine, lock->asks);
        if (!request->served)
            return true;
        if (request->block == GPCI_TREE_NO_BLOCK)
            return false;
        lock = gpci_lock_of(engine, request->module, request->block);
    }
    return false;
}

void gpci_probe_leaves(gpci_engine *engine, uint32_t task) {
    const gpci_task *probe = gpci_task_at(engine, task);
    gpci_lock *lock = gpci_lock_of(engine, probe->module, probe->block);
    if (!probe->borrows || lock->probe != task) {
        if (!probe->lent)
            gpci_unlock(engine, probe->module, probe->block);
        return;
    }
    const uint8_t state = gpci_task_module(engine, probe)->states[probe->block];
    gpci_tree_inflight *holder = gpci_tree_inflight_at(engine, lock->holder);
    lock->probe = GPCI_NO_ITEM;
    gpci_wake(engine, &lock->waiters, 0); /* another probe may wait for its turn to pass */
    if (!is_task(lock->asks))
        return;
    gpci_task *asks = gpci_task_at(engine, lock->asks);
    /* if the block is gone, the directory no longer lists it, either (gpci_tree_write_probe.gone) */
    asks->valid &= state != GPC_LINE_I;
    asks->taken = true;
    if (!gpci_lock_is_of(engine, lock, lock->holder)) /* the access has ended, but its request continues */
        return;
    holder->taken |= asks->stored;
    if (asks->parent == holder->task && asks->resumes != GPCI_STEP_access_evicted && !asks->stored)
        /* the state that the request's rule uses; evictions and puts keep the old state */
        gpci_task_at(engine, holder->task)->state = state;
}

/* Step of the parent that begins the lookup again; find_begin: the parent has no such step. */
static gpci_step step_before(const gpci_task *find) {
    const gpci_step resumes = (gpci_step)find->resumes;
    return resumes == GPCI_STEP_read_found     ? GPCI_STEP_read_come
           : resumes == GPCI_STEP_write_found  ? GPCI_STEP_write_come
           : resumes == GPCI_STEP_access_found ? GPCI_STEP_access_order
                                               : GPCI_STEP_find_begin;
}

/*
 * Queue the lookup; or, to save tasks, free the lookup and queue its parent, which begins the lookup again. The lookup
 * itself is queued in a tree without a host, if the engine orders accesses, if policies have judged the block, or if
 * the parent has no step that begins the lookup (step_before).
 */
void gpci_lookup_waits(gpci_engine *engine, uint32_t task, gpci_due_queue *queue, bool first) {
    const gpci_task *find = gpci_task_at(engine, task);
    gpci_due due = {task, GPCI_STEP_find_begin};
    if (GPCI_LIKELY(engine->host && !engine->orders && find->judged == GPCI_JUDGED_NOT))
        due.step = step_before(find);
    if (due.step != GPCI_STEP_find_begin) {
        due.subject = find->parent;
        gpci_task_give(engine, task);
    }
    (first ? gpci_due_queue_lead : gpci_due_queue_join)(&engine->waiters, queue, due);
}

uint32_t gpci_find_coming(const gpci_engine *engine, const gpci_module *module, uint64_t tag, uint32_t row) {
    if (module->full_map || gpci_holds_none(engine, module))
        return GPCI_TREE_NO_BLOCK;
    const uint32_t base = row * module->all_ways;
    for (uint32_t way = 0; way < module->all_ways; way++) {
        if (gpci_is_locked(engine, module->index, base + way) &&
            gpci_lock_of(engine, module->index, base + way)->tag == tag)
            return base + way;
    }
    return GPCI_TREE_NO_BLOCK;
}

/*
 * True if a probe may pass a lock. `coming`: the block has not arrived. If the block has not arrived and no request for
 * it was sent, or its way's victim is still leaving, the probe passes and finds nothing.
 */
bool gpci_may_pass(const gpci_engine *engine, const gpci_lock *lock, bool coming) {
    if (!engine->passes || (!coming && lock->probe != GPCI_NO_ITEM))
        return false;
    if (coming && (lock->asks == GPCI_NO_ITEM || (is_task(lock->asks) && gpci_task_at(engine, lock->asks)->leaves)))
        return true;
    return request_is_queued(engine, lock);
}

bool gpci_is_coming(const gpci_module *module, uint32_t block, uint64_t tag) {
    return module->states[block] == GPC_LINE_I || gpci_module_tag(module, block) != tag;
}

bool gpci_find_locked(const gpci_engine *engine, uint32_t module, uint64_t address, const gpci_task *requester) {
    const gpci_module *m = gpci_module_at(engine->tree, module);
    const uint64_t tag = gpci_module_tag_of(m, address);
    const uint32_t row = gpci_module_row(m, tag);
    uint32_t block = gpci_module_find_in(m, tag, row);
    if (block == GPCI_TREE_NO_BLOCK)
        block = gpci_find_coming(engine, m, tag, row);
    if (block == GPCI_TREE_NO_BLOCK)
        return false;
    const gpci_lock *lock = gpci_lock_of(engine, module, block);
    if (lock->holder == GPCI_NO_ITEM || !requester)
        return lock->holder != GPCI_NO_ITEM;
    return !gpci_lock_is_of(engine, lock, requester->inflight) &&
           !(requester->down && gpci_may_pass(engine, lock, gpci_is_coming(m, block, tag)));
}

/* -- addresses of bypassing accesses */

void gpci_block_address(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_engine_unit *unit = &engine->units[work->module];
    work->address_blocked = true;
    work->behind = unit->address_blocked;
    unit->address_blocked = task;
}

bool gpci_address_is_blocked(const gpci_engine *engine, const gpci_module *module, uint64_t tag, uint32_t requester) {
    const gpci_task *work;
    uint32_t task = engine->units[module->index].address_blocked;
    if (requester != GPCI_NO_ITEM && gpci_task_at(engine, requester)->address_blocked)
        task = gpci_task_at(engine, requester)->behind; /* the tasks behind in the list began earlier */
    for (; task != GPCI_NO_ITEM; task = work->behind) {
        work = gpci_task_at(engine, task);
        if (gpci_module_tag_of(module, work->address) == tag)
            return true;
    }
    return false;
}

void gpci_unblock_address(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_engine_unit *unit = &engine->units[work->module];
    uint32_t *link = &unit->address_blocked;
    while (*link != task)
        link = &gpci_task_at(engine, *link)->behind;
    *link = work->behind;
    work->address_blocked = false;
    gpci_wake(engine, &unit->address_waiters, 0);
}

void gpci_release_address(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    if (work->address_blocked)
        gpci_unblock_address(engine, task);
    else if (work->block != GPCI_TREE_NO_BLOCK)
        gpci_unlock(engine, work->module, work->block);
}
