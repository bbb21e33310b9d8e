/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree_engine.h"
#include "coherence/requests/engine_room.h"

/*
 * First-level modules that choose a way when data arrive (gpci_tree_telling.fill_ways). A set has extra ways without
 * hits. A missing access locks such a way for the tag; for other accesses it is a block being brought, as in any way.
 * When the data arrive, a way is chosen among the unlocked regular ways, and the content changes places with the new
 * block. The access ends at once. The victim leaves from the fill way by an internal access that no task waits for. If
 * all regular ways are locked, or an acquire or flush of the module is in progress (which may already have passed the
 * way), the block stays in the fill way and leaves from there when its access is done.
 *
 * No circle of waiters: an answered access must not wait for modules below, because a probe of the block waits for it.
 * Here it never waits for a way or for a victim. A leaving block holds only its own lock, and probes pass it until it
 * is served below, as with any eviction (engine_lock.c). An access without a free fill way waits without a lock. If
 * requests are refused, a refused write-back would keep the block locked against the very probe it conflicts with: fill
 * ways are not used with retry.
 *
 * A line of several blocks leaves with all blocks, so a fill way is taken in all rows of the line.
 *
 * Example, ways 0 and 1 with A and B, fill way 2: a load of C locks way 2 and asks below. A and B can be hit meanwhile.
 * C arrives; A, the victim, changes places with C; the load ends; A is written back from way 2, and way 2 is free
 * again.
 */

/* Choose a way for an arrived block, or GPCI_TREE_NO_BLOCK. */
static uint32_t room_for(gpci_engine *e, gpci_module *m, uint64_t tag) {
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways, ways = m->given.ways;
    const uint32_t own = m->sector_mask ? gpci_module_way_of_line(m, tag) : GPCI_TREE_NO_BLOCK;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    if (e->units[m->index].sweeps)
        return GPCI_TREE_NO_BLOCK;
    if (own != GPCI_TREE_NO_BLOCK) {
        if (gpci_is_locked(e, m->index, base + own))
            return GPCI_TREE_NO_BLOCK;
        gpci_module_join_line(m, base + own, tag);
        return base + own;
    }
    const uint32_t count = gpci_unlocked_ways(e, m, base, 0, ways, GPCI_NO_ITEM, candidates);
    if (!count)
        return GPCI_TREE_NO_BLOCK;
    const uint32_t block = gpci_module_choose(m, tag, false, count == ways ? NULL : candidates);
    if (block == GPCI_TREE_NO_BLOCK)
        gpci_tree_fail_victim(e->tree, m);
    return block;
}

/* Begin to evict a block from a locked fill way. */
static void put_out(gpci_engine *e, uint32_t inflight, const gpci_module *m, uint32_t block) {
    const uint64_t tag = gpci_module_tag(m, block);
    uint32_t task;
    gpci_task *t = gpci_side_begin(e, inflight, tag, m->given.block_bytes, m->index, m->index, &task);
    t->block = block;
    gpci_lock_take(e, m->index, block, t->inflight, tag)->asks = GPCI_NO_ITEM;
    gpci_step_in(e, task, GPCI_STEP_out_begin, 0);
}

/* Move the blocks of the victim line to the fill way's places, row by row. */
static bool vacate(gpci_engine *e, uint32_t inflight, gpci_module *m, uint32_t fill, uint32_t block) {
    uint32_t leaving = 0;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t from = gpci_module_sector(m, block, sector), to = gpci_module_sector(m, fill, sector);
        const uint64_t tag = gpci_module_tag(m, from);
        const uint8_t state = m->states[from];
        if (state == GPC_LINE_I)
            continue;
        if (!leaving++)
            gpci_module_leave(m, block, gpci_lock_of(e, m->index, fill)->tag, gpci_tree_is_modified(e->tree, state));
        if (to != fill)
            gpci_tree_data_exchange(e->tree, m, from, to);
        gpci_module_write(m, from, 0, GPC_LINE_I);
        gpci_module_write(m, to, tag, state);
        if (to != fill)
            put_out(e, inflight, m, to);
    }
    m->stats.evictions += leaving != 0;
    return leaving;
}

void gpci_fill_arrives(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, t);
    const uint32_t fill = t->block;
    if (!gpci_module_is_fill(m, fill) || m->states[fill] != GPC_LINE_I)
        return;
    const gpci_lock *lock = gpci_lock_of(e, m->index, fill);
    const uint64_t tag = lock->tag;
    const uint32_t block = room_for(e, m, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        return;
    const bool own_line = m->sector_mask && gpci_module_way_of_line(m, tag) == block % m->all_ways;
    gpci_tree_data_exchange(e->tree, m, block, fill);
    if (!own_line && vacate(e, t->inflight, m, fill, block) && e->host)
        e->host->met(e->host->self, GPCI_MET_EVICT, task, m->index);
    gpci_lock_take(e, m->index, block, t->inflight, tag)->asks = lock->asks;
    gpci_task_at(e, task)->block = block;
    if (m->states[fill] == GPC_LINE_I) {
        gpci_unlock(e, m->index, fill);
        return;
    }
    gpci_look_again(e, m->index, fill);
    put_out(e, gpci_task_at(e, task)->inflight, m, fill);
}

void gpci_fill_leave(gpci_engine *e, const gpci_task *t) {
    const gpci_module *m = gpci_task_module(e, t);
    if (GPCI_UNLIKELY(gpci_module_is_fill(m, t->block)) && m->states[t->block] != GPC_LINE_I)
        put_out(e, t->inflight, m, t->block);
    else
        gpci_unlock(e, m->index, t->block);
}

/* Evict the block, unless a probe has taken it; wait for a probe in progress. */
void gpci_step_out_begin(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, t);
    const uint32_t block = t->block;
    gpci_lock *lock = gpci_lock_of(e, m->index, block);
    if (lock->probe != GPCI_NO_ITEM) {
        gpci_due_queue_join(&e->waiters, &lock->waiters, (gpci_due){task, GPCI_STEP_out_begin});
        return;
    }
    if (m->states[block] == GPC_LINE_I) {
        gpci_step_out_end(e, task);
        return;
    }
    uint32_t eviction;
    gpci_task_begin(e, task, GPCI_STEP_out_end, m->index, m->index, gpci_module_tag(m, block), &eviction)->own = block;
    gpci_then(e, eviction, GPCI_STEP_evict_begin);
}

/* The block left, or was refused for lack of room in a directory. */
void gpci_step_out_end(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, t);
    if (t->refused) {
        t->refused = false;
        gpci_step_after(e, task, GPCI_STEP_out_begin, m, 1 + gpci_back_off(e, m->given.latency + 2));
        return;
    }
    gpci_unlock(e, m->index, t->block);
    gpci_side_end(e, task);
}
