/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/controller.h"

/*
 * Locks of blocks, and who passes them.
 *
 * Where requests are refused, as in Multi2Sim (GPC_PROTOCOL_RETRY), a probe waits for the lock of a block. Where
 * requests wait below, for a lock or a host's MSHR entry, it passes the lock if the holder's own message about the
 * block has not been served below: whoever sent the probe comes first there, the block is as it was, and nothing is on
 * its way to it. These are the transient states of a table with more states; here they are (state, lock, message).
 *
 * Example: two L1s have A in S, and both store to it. l1-0's write request is served first, and l1-1 is probed while
 * its own request waits at L2. The probe passes l1-1's lock, A is invalid there, and its request asks for the data too.
 */

bool gpci_lock_is_of(const gpci_controllers *e, const gpci_lock *lock, uint32_t flight) {
    return flight != GPCI_NO_ITEM && lock->holder == flight &&
           lock->token == gpci_lock_token(gpci_tree_flight_at(e, flight)->token);
}

static uint32_t *bucket_of(const gpci_controllers *e, uint32_t module, uint32_t block) {
    return &e->units[module].locks[block & e->units[module].lock_mask];
}

/* A block's own, which it has until it is unlocked. */
static gpci_lock *own_lock(gpci_controllers *e, uint32_t module, uint32_t block) {
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
    return lock;
}

/* It has none any more. */
static void give_lock(gpci_controllers *e, uint32_t module, uint32_t block) {
    uint32_t *at = bucket_of(e, module, block);
    gpci_lock *lock;
    while ((lock = gpci_items_at(&e->locks, *at))->block != block)
        at = &lock->next;
    const uint32_t item = *at;
    *at = lock->next;
    gpci_items_give(&e->locks, item);
}

gpci_lock *gpci_lock_take(gpci_controllers *e, uint32_t module, uint32_t block, uint32_t flight, uint64_t tag) {
    gpci_lock *lock = own_lock(e, module, block);
    lock->holder = flight;
    lock->token = gpci_lock_token(gpci_tree_flight_at(e, flight)->token);
    lock->tag = tag;
    return lock;
}

/* A probe that has passed the lock, and is still there, has it then. */
void gpci_unlock(gpci_controllers *e, uint32_t module, uint32_t block) {
    gpci_lock *lock = gpci_lock_of(e, module, block);
    const uint32_t probe = lock->probe;
    if (probe != GPCI_NO_ITEM) {
        lock->asks = lock->probe = GPCI_NO_ITEM;
        gpci_lock_take(e, module, block, gpci_task_at(e, probe)->flight, lock->tag);
    } else if (lock->block == block) {
        gpci_wake(e, &lock->waiters, 0);
        give_lock(e, module, block);
    }
    if (GPCI_UNLIKELY(e->units[module].halved))
        gpci_halves_move(e, module);
}

void gpci_halves_move(gpci_controllers *e, uint32_t module) {
    gpci_wake(e, &e->units[module].bar_waiters, 0);
    gpci_wake(e, &e->units[gpci_module_at(e->tree, module)->twin->index].bar_waiters, 0);
}

void gpci_look_again(gpci_controllers *e, uint32_t module, uint32_t block) {
    gpci_wake(e, &gpci_lock_of(e, module, block)->waiters, 0);
}

void gpci_block_asks(gpci_controllers *e, uint32_t task) {
    const gpci_task *r = gpci_task_at(e, task);
    if (!e->passes || r->down || r->forwarded || r->own == GPCI_TREE_NO_BLOCK)
        return;
    gpci_lock *lock = own_lock(e, r->from, r->own);
    lock->asks = task;
    gpci_wake(e, &lock->waiters, 0);
}

void gpci_block_answered(gpci_controllers *e, uint32_t task) {
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

/* Does what its holder sent about the block still wait to be served, below or below that? */
static bool asks_in_vain(const gpci_controllers *e, const gpci_lock *lock) {
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

void gpci_probe_leaves(gpci_controllers *e, uint32_t task) {
    const gpci_task *p = gpci_task_at(e, task);
    gpci_lock *lock = gpci_lock_of(e, p->module, p->block);
    if (!p->borrows || lock->probe != task) {
        if (!p->lent)
            gpci_unlock(e, p->module, p->block);
        return;
    }
    const uint8_t state = gpci_task_module(e, p)->states[p->block];
    gpci_tree_flight *holder = gpci_tree_flight_at(e, lock->holder);
    lock->probe = GPCI_NO_ITEM;
    gpci_wake(e, &lock->waiters, 0); /* another probe may wait to pass */
    if (!is_task(lock->asks))
        return;
    gpci_task *asks = gpci_task_at(e, lock->asks);
    asks->valid &= state != GPC_LINE_I; /* nor is it detached: gpci_tree_write_probe.gone */
    asks->taken = true;
    if (!gpci_lock_is_of(e, lock, lock->holder)) /* the access has ended, and its request goes on */
        return;
    holder->taken |= asks->stored;
    if (asks->parent == holder->task && asks->resumes != GPCI_STEP_access_evicted && !asks->stored)
        gpci_task_at(e, holder->task)->state = state; /* what it asks for goes by that; not what it gives up first */
}

/* The step by which a lookup's parent would begin it anew, the same in all. */
static gpci_step step_before(const gpci_task *f) {
    const gpci_step resumes = (gpci_step)f->resumes;
    return resumes == GPCI_STEP_read_found     ? GPCI_STEP_read_come
           : resumes == GPCI_STEP_write_found  ? GPCI_STEP_write_come
           : resumes == GPCI_STEP_access_found ? GPCI_STEP_access_order
                                               : GPCI_STEP_find_begin;
}

/* With a host, where it takes no turn at a port, the parent waits alone: there are many that do. */
void gpci_lookup_waits(gpci_controllers *e, uint32_t task, gpci_due_queue *queue, bool first) {
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

uint32_t gpci_find_coming(const gpci_controllers *e, const gpci_module *m, uint64_t tag) {
    if (m->full_map)
        return GPCI_TREE_NO_BLOCK;
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways;
    for (uint32_t way = 0; way < m->all_ways; way++) {
        if (gpci_is_locked(e, m->index, base + way) && gpci_lock_of(e, m->index, base + way)->tag == tag)
            return base + way;
    }
    return GPCI_TREE_NO_BLOCK;
}

/*
 * May a probe pass a lock? If the block is not there yet (`coming`), and what was to leave is on its way out, it finds
 * nothing: nobody has been asked for the block.
 */
bool gpci_may_pass(const gpci_controllers *e, const gpci_lock *lock, bool coming) {
    if (!e->passes || (!coming && lock->probe != GPCI_NO_ITEM))
        return false;
    if (coming && (lock->asks == GPCI_NO_ITEM || (is_task(lock->asks) && gpci_task_at(e, lock->asks)->leaves)))
        return true;
    return asks_in_vain(e, lock);
}

bool gpci_is_coming(const gpci_module *m, uint32_t block, uint64_t tag) {
    return m->states[block] == GPC_LINE_I || gpci_module_tag(m, block) != tag;
}

bool gpci_find_locked(const gpci_controllers *e, uint32_t module, uint64_t address, const gpci_task *asker) {
    const gpci_module *m = gpci_module_at(e->tree, module);
    const uint64_t tag = gpci_module_tag_of(m, address);
    uint32_t block = gpci_module_find(m, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        block = gpci_find_coming(e, m, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        return false;
    const gpci_lock *lock = gpci_lock_of(e, module, block);
    if (lock->holder == GPCI_NO_ITEM || !asker)
        return lock->holder != GPCI_NO_ITEM;
    return !gpci_lock_is_of(e, lock, asker->flight) &&
           !(asker->down && gpci_may_pass(e, lock, gpci_is_coming(m, block, tag)));
}
