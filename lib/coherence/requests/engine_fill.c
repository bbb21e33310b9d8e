/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/requests/engine_room.h"

/*
 * First-level modules that choose a way when data arrive (gpci_tree_telling.fill_ways). A set has extra ways, fill
 * ways, whose blocks are never hit. An access that misses locks a fill way for the tag; for other accesses, the tag's
 * block is on its way to the module. When the data arrive, a way is chosen among the unlocked regular ways, and the
 * victim in the way changes places with the new block. The access ends at once. The victim leaves from the fill way by
 * an internal access that no task waits for. The new block stays in the fill way, if all regular ways are locked, or if
 * an acquire or flush of the module is in progress (it may already have passed the way); then the new block leaves from
 * the fill way when its access is done.
 *
 * There is no circle of waiters. An access whose data have arrived must not wait for modules below, because probes of
 * its block wait for the access: it waits neither for a way nor for a victim to leave. A leaving block holds only its
 * own lock, and probes pass the lock until the low module serves the eviction (engine_lock.c). An access that finds no
 * free fill way waits without a lock. Fill ways are not used with GPC_PROTOCOL_RETRY: a refused write-back would keep
 * its block locked against the probe that the write-back conflicts with.
 *
 * A line of several blocks leaves with all its blocks, so an access takes a fill way in all rows of the line.
 *
 * Example, ways 0 and 1 with A and B, fill way 2: a load of C locks way 2 and sends a request below. Meanwhile, A and B
 * can be hit. C arrives; A, the victim, changes places with C; the load ends; A is written back from way 2, and way 2
 * is free again.
 */

/* Choose a regular way for an arrived block. GPCI_TREE_NO_BLOCK: the block must stay in its fill way. */
static uint32_t room_for(gpci_engine *engine, gpci_module *module, uint64_t tag) {
    const uint32_t row = gpci_module_row(module, tag), base = row * module->all_ways, ways = module->given.ways;
    const uint32_t own = gpci_module_line_in(module, tag, row);
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    if (engine->units[module->index].sweeps)
        return GPCI_TREE_NO_BLOCK;
    if (own != GPCI_TREE_NO_BLOCK) {
        if (gpci_is_locked(engine, module->index, base + own))
            return GPCI_TREE_NO_BLOCK;
        gpci_module_join_line(module, base + own, tag);
        return base + own;
    }
    const uint32_t count = gpci_unlocked_ways(engine, module, base, 0, ways, GPCI_NO_ITEM, candidates);
    if (!count)
        return GPCI_TREE_NO_BLOCK;
    const uint32_t block = gpci_module_choose(module, tag, row, false, count == ways ? NULL : candidates);
    if (block == GPCI_TREE_NO_BLOCK)
        gpci_tree_fail_victim(engine->tree, module);
    return block;
}

/* Begin to evict a block from its locked fill way, by an internal access. */
static void put_out(gpci_engine *engine, uint32_t inflight, const gpci_module *module, uint32_t block) {
    const uint64_t tag = gpci_module_tag(module, block);
    uint32_t task;
    gpci_task *work =
        gpci_internal_begin(engine, inflight, tag, module->given.block_bytes, module->index, module->index, &task);
    work->block = block;
    gpci_lock_take(engine, module->index, block, work->inflight, tag)->asks = GPCI_NO_ITEM;
    gpci_step_in(engine, task, GPCI_STEP_out_begin, 0);
}

/* Move the blocks of the victim's line from the way of `block` to the fill way, row by row. True if blocks moved. */
static bool vacate(gpci_engine *engine, uint32_t inflight, gpci_module *module, uint32_t fill, uint32_t block) {
    uint32_t leaving = 0;
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t from = gpci_module_sector(module, block, sector), to = gpci_module_sector(module, fill, sector);
        const uint64_t tag = gpci_module_tag(module, from);
        const uint8_t state = module->states[from];
        if (state == GPC_LINE_I)
            continue;
        if (!leaving++)
            gpci_module_leave(module, block, gpci_lock_of(engine, module->index, fill)->tag,
                              gpci_tree_is_modified(engine->tree, state));
        if (to != fill)
            gpci_tree_data_exchange(engine->tree, module, from, to);
        gpci_module_write(module, from, 0, GPC_LINE_I);
        gpci_module_write(module, to, tag, state);
        if (to != fill)
            put_out(engine, inflight, module, to);
    }
    module->stats.evictions += leaving != 0;
    GPCI_AGAIN(module->again.evictions += (leaving != 0) ? 1 : 0);
    return leaving;
}

void gpci_fill_arrives(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, work);
    const uint32_t fill = work->block;
    if (!gpci_module_is_fill(module, fill) || module->states[fill] != GPC_LINE_I)
        return;
    const gpci_lock *lock = gpci_lock_of(engine, module->index, fill);
    const uint64_t tag = lock->tag;
    const uint32_t block = room_for(engine, module, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        return;
    const bool own_line = module->sector_mask && gpci_module_way_of_line(module, tag) == block % module->all_ways;
    gpci_tree_data_exchange(engine->tree, module, block, fill);
    if (!own_line && vacate(engine, work->inflight, module, fill, block) && engine->host)
        engine->host->met(engine->host->self, GPCI_MET_EVICT, task, module->index);
    gpci_lock_take(engine, module->index, block, work->inflight, tag)->asks = lock->asks;
    gpci_task_at(engine, task)->block = block;
    if (module->states[fill] == GPC_LINE_I) {
        gpci_unlock(engine, module->index, fill);
        return;
    }
    gpci_look_again(engine, module->index, fill);
    put_out(engine, gpci_task_at(engine, task)->inflight, module, fill);
}

void gpci_fill_leave(gpci_engine *engine, const gpci_task *work) {
    const gpci_module *module = gpci_task_module(engine, work);
    if (GPCI_UNLIKELY(gpci_module_is_fill(module, work->block)) && module->states[work->block] != GPC_LINE_I)
        put_out(engine, work->inflight, module, work->block);
    else
        gpci_unlock(engine, module->index, work->block);
}

/* Evict the block from the fill way, unless a probe has taken it. If a probe is in progress, wait for its end. */
void gpci_step_out_begin(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, work);
    const uint32_t block = work->block;
    gpci_lock *lock = gpci_lock_of(engine, module->index, block);
    if (lock->probe != GPCI_NO_ITEM) {
        gpci_due_queue_join(&engine->waiters, &lock->waiters, (gpci_due){task, GPCI_STEP_out_begin});
        return;
    }
    if (module->states[block] == GPC_LINE_I) {
        gpci_step_out_end(engine, task);
        return;
    }
    uint32_t eviction;
    gpci_task_begin(engine, task, GPCI_STEP_out_end, module->index, module->index, gpci_module_tag(module, block),
                    &eviction)
        ->own = block;
    gpci_then(engine, eviction, GPCI_STEP_evict_begin);
}

/*
 * End the internal access when the block has left. If the eviction was refused for lack of room in a directory, try
 * again later.
 */
void gpci_step_out_end(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, work);
    if (work->refused) {
        work->refused = false;
        gpci_step_after(engine, task, GPCI_STEP_out_begin, module,
                        1 + gpci_back_off(engine, module->given.latency + 2));
        return;
    }
    gpci_unlock(engine, module->index, work->block);
    gpci_internal_end(engine, task);
}
