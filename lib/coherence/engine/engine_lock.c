/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"

/*
 * Locks of blocks, and the passing of locks by probes.
 *
 * If requests are refused, as in Multi2Sim (GPC_PROTOCOL_RETRY), a probe waits for the lock of a block. If requests
 * wait below (for a lock or a host's MSHR entry), a probe passes a lock while the holder's own request or put for the
 * block is not yet served below: the prober comes first there, the block is unchanged, and no answer is on its way.
 * Tables with transient states express these cases as states; here they are combinations of state, lock and message.
 *
 * Example: two L1s have A in S, and both store to it. The write request of l1-0 is served first, and l1-1 is probed
 * while its own request waits at L2. The probe passes l1-1's lock, A becomes invalid there, and l1-1's request now also
 * asks for data.
 */

bool gpci_lock_is_of(const gpci_engine *e, const gpci_lock *lock, uint32_t inflight) {
    return inflight != GPCI_NO_ITEM && lock->holder == inflight &&
           lock->token == gpci_lock_token(gpci_tree_inflight_at(e, inflight)->token);
}

static uint32_t *bucket_of(const gpci_engine *e, uint32_t module, uint32_t block) {
    return &e->units[module].locks[block & e->units[module].lock_mask];
}

/* Lock entry of a block; taken from the pool if the block is unlocked. */
static gpci_lock *own_lock(gpci_engine *e, uint32_t module, uint32_t block) {
    gpci_lock *lock = gpci_lock_of(e, module, block);
    if (lock->block == block)
        return lock;
    uint32_t *bucket = bucket_of(e, module, block);
    const uint32_t item = gpci_items_take_any(&e->locks);
    lock = gpci_items_at(&e->locks, item);
    *lock = GPCI_LOCK_FREE;
    lock->block = block;
    lock->next = *bucket;
    *bucket = item;
    e->units[gpci_module_at(e->tree, module)->store->index].held++;
    return lock;
}

gpci_lock *gpci_lock_take(gpci_engine *e, uint32_t module, uint32_t block, uint32_t inflight, uint64_t tag) {
    gpci_lock *lock = own_lock(e, module, block);
    lock->holder = inflight;
    lock->token = gpci_lock_token(gpci_tree_inflight_at(e, inflight)->token);
    lock->tag = tag;
    return lock;
}

/* If a probe has passed the lock and is still there, the lock goes to the access. */
static void let_probe(gpci_engine *e, uint32_t module, gpci_lock *lock) {
    const uint32_t probe = lock->probe;
    lock->asks = lock->probe = GPCI_NO_ITEM;
    gpci_lock_take(e, module, lock->block, gpci_task_at(e, probe)->inflight, lock->tag);
}

void gpci_unlock(gpci_engine *e, uint32_t module, uint32_t block) {
    gpci_engine_unit *unit = &e->units[module];
    uint32_t *at = &unit->locks[block & unit->lock_mask];
    gpci_lock *lock;
    while ((lock = gpci_items_at(&e->locks, *at))->block != block && *at)
        at = &lock->next;
    if (GPCI_UNLIKELY(*at && lock->probe != GPCI_NO_ITEM)) {
        let_probe(e, module, lock);
    } else if (GPCI_LIKELY(*at)) {
        const uint32_t item = *at;
        if (lock->waiters.head != GPCI_NO_ITEM)
            gpci_wake(e, &lock->waiters, 0);
        *at = lock->next;
        gpci_items_give(&e->locks, item);
        e->units[gpci_module_at(e->tree, module)->store->index].held--;
    }
    if (GPCI_UNLIKELY(unit->halved))
        gpci_halves_move(e, module);
}

void gpci_halves_move(gpci_engine *e, uint32_t module) {
    gpci_wake(e, &e->units[module].address_waiters, 0);
    gpci_wake(e, &e->units[gpci_module_at(e->tree, module)->twin->index].address_waiters, 0);
}

void gpci_look_again(gpci_engine *e, uint32_t module, uint32_t block) {
    gpci_wake(e, &gpci_lock_of(e, module, block)->waiters, 0);
}

void gpci_block_asks(gpci_engine *e, uint32_t task) {
    const gpci_task *r = gpci_task_at(e, task);
    if (!e->passes || r->down || r->forwarded || r->own == GPCI_TREE_NO_BLOCK)
        return;
    gpci_lock *lock = own_lock(e, r->from, r->own);
    lock->asks = task;
    gpci_wake(e, &lock->waiters, 0);
}

void gpci_block_answered(gpci_engine *e, uint32_t task) {
    const gpci_task *r = gpci_task_at(e, task);
    if (!e->passes || r->down || r->own == GPCI_TREE_NO_BLOCK)
        return;
    gpci_lock *lock = gpci_lock_of(e, r->from, r->own);
    if (lock->asks == task)
        lock->asks = r->leaves ? GPCI_NO_ITEM : GPCI_ANSWERED;
}

static bool is_task(uint32_t asks) {
    return asks != GPCI_NO_ITEM && asks != GPCI_ANSWERED;
}

/* True if the holder's request or put for the block is still queued below, at any level. */
static bool request_is_queued(const gpci_engine *e, const gpci_lock *lock) {
    const uint32_t holder = lock->holder, token = lock->token;
    while (lock->holder == holder && lock->token == token && is_task(lock->asks)) {
        const gpci_task *r = gpci_task_at(e, lock->asks);
        if (!r->served)
            return true;
        if (r->block == GPCI_TREE_NO_BLOCK)
            return false;
        lock = gpci_lock_of(e, r->module, r->block);
    }
    return false;
}

void gpci_probe_leaves(gpci_engine *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_lock *lock = gpci_lock_of(e, p->module, p->block);
    if (!p->borrows || lock->probe != task) {
        if (!p->lent)
            gpci_unlock(e, p->module, p->block);
        return;
    }
    const uint8_t state = gpci_task_module(e, p)->states[p->block];
    gpci_tree_inflight *holder = gpci_tree_inflight_at(e, lock->holder);
    lock->probe = GPCI_NO_ITEM;
    gpci_wake(e, &lock->waiters, 0); /* another probe may wait to pass */
    if (!is_task(lock->asks))
        return;
    gpci_task *asks = gpci_task_at(e, lock->asks);
    asks->valid &= state != GPC_LINE_I; /* the directory entry is dropped too (gpci_tree_write_probe.gone) */
    asks->taken = true;
    if (!gpci_lock_is_of(e, lock, lock->holder)) /* the access has ended, and the request continues */
        return;
    holder->taken |= asks->stored;
    if (asks->parent == holder->task && asks->resumes != GPCI_STEP_access_evicted && !asks->stored)
        gpci_task_at(e, holder->task)->state = state; /* for the request; an eviction or put keeps the old state */
}

/* Step to restart a lookup from the parent, by kind of lookup. */
static gpci_step step_before(const gpci_task *f) {
    const gpci_step resumes = (gpci_step)f->resumes;
    return resumes == GPCI_STEP_read_found     ? GPCI_STEP_read_come
           : resumes == GPCI_STEP_write_found  ? GPCI_STEP_write_come
           : resumes == GPCI_STEP_access_found ? GPCI_STEP_access_order
                                               : GPCI_STEP_find_begin;
}

/* With a host (no ports), free the lookup and let the parent wait instead; saves many tasks. */
void gpci_lookup_waits(gpci_engine *e, uint32_t task, gpci_due_queue *queue, bool first) {
    const gpci_task *f = gpci_task_at(e, task);
    gpci_due due = {task, GPCI_STEP_find_begin};
    if (GPCI_LIKELY(e->host && !e->orders && f->judged == GPCI_JUDGED_NOT))
        due.step = step_before(f);
    if (due.step != GPCI_STEP_find_begin) {
        due.subject = f->parent;
        gpci_task_give(e, task);
    }
    (first ? gpci_due_queue_lead : gpci_due_queue_join)(&e->waiters, queue, due);
}

uint32_t gpci_find_coming(const gpci_engine *e, const gpci_module *m, uint64_t tag) {
    if (m->full_map || (e->alone && !e->units[m->store->index].held))
        return GPCI_TREE_NO_BLOCK;
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways;
    for (uint32_t way = 0; way < m->all_ways; way++) {
        if (gpci_is_locked(e, m->index, base + way) && gpci_lock_of(e, m->index, base + way)->tag == tag)
            return base + way;
    }
    return GPCI_TREE_NO_BLOCK;
}

/*
 * True if a probe may pass a lock. If the block has not arrived (`coming`) and no request was sent for it, or the
 * victim is on its way out, the probe finds nothing.
 */
bool gpci_may_pass(const gpci_engine *e, const gpci_lock *lock, bool coming) {
    if (!e->passes || (!coming && lock->probe != GPCI_NO_ITEM))
        return false;
    if (coming && (lock->asks == GPCI_NO_ITEM || (is_task(lock->asks) && gpci_task_at(e, lock->asks)->leaves)))
        return true;
    return request_is_queued(e, lock);
}

bool gpci_is_coming(const gpci_module *m, uint32_t block, uint64_t tag) {
    return m->states[block] == GPC_LINE_I || gpci_module_tag(m, block) != tag;
}

bool gpci_find_locked(const gpci_engine *e, uint32_t module, uint64_t address, const gpci_task *requester) {
    const gpci_module *m = gpci_module_at(e->tree, module);
    const uint64_t tag = gpci_module_tag_of(m, address);
    uint32_t block = gpci_module_find(m, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        block = gpci_find_coming(e, m, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        return false;
    const gpci_lock *lock = gpci_lock_of(e, module, block);
    if (lock->holder == GPCI_NO_ITEM || !requester)
        return lock->holder != GPCI_NO_ITEM;
    return !gpci_lock_is_of(e, lock, requester->inflight) &&
           !(requester->down && gpci_may_pass(e, lock, gpci_is_coming(m, block, tag)));
}
