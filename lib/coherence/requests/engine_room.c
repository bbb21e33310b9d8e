/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/requests/engine_room.h"
#include "base/check.h"

/*
 * Way of a lookup: the choice among unlocked ways; then, with the way locked, the eviction of the old blocks, and the
 * reading of data for a block that has only a directory entry.
 */

/* -- choice */

/* Locked block of the line in the way of `block`, or GPCI_TREE_NO_BLOCK. */
GPCI_INLINE uint32_t locked_in_way(const gpci_engine *engine, const gpci_module *module, uint32_t block) {
    uint32_t other = gpci_module_sector(module, block, 0);
    for (uint32_t sector = 0; sector < module->sectors; sector++, other += module->all_ways)
        if (gpci_is_locked(engine, module->index, other))
            return other;
    return GPCI_TREE_NO_BLOCK;
}

/* True if one of `count` blocks from `block` on may be locked: its bucket has a lock. */
GPCI_INLINE bool any_locked(const gpci_engine *engine, uint32_t module, uint32_t block, uint32_t count) {
    const gpci_engine_unit *unit = &engine->units[module];
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= unit->locks[(block + i) & unit->lock_mask];
    return any;
}

uint32_t gpci_unlocked_ways(const gpci_engine *engine, const gpci_module *module, uint32_t base, uint32_t first,
                            uint32_t end, uint32_t inflight, uint64_t *candidates) {
    const bool of_lines = module->sector_mask && (!first || module->fill_ways);
    uint32_t count = 0;
    if (!of_lines && !any_locked(engine, module->index, base + first, end - first)) {
        for (uint32_t way = 0; way < end - first; way++)
            gpci_bit_set(candidates, way);
        return end - first;
    }
    for (uint32_t way = first; way < end; way++) {
        if (gpci_is_locked(engine, module->index, base + way) &&
            !gpci_lock_is_of(engine, gpci_lock_of(engine, module->index, base + way), inflight))
            continue;
        if (GPCI_UNLIKELY(of_lines) && locked_in_way(engine, module, base + way) != GPCI_TREE_NO_BLOCK)
            continue;
        gpci_bit_set(candidates, way - first);
        count++;
    }
    return count;
}

/* The block itself, or a locked block of its line: the lookup then waits for the lock. */
static uint32_t unless_locked(const gpci_engine *engine, const gpci_module *module, uint32_t block) {
    const uint32_t locked = module->sector_mask ? locked_in_way(engine, module, block) : GPCI_TREE_NO_BLOCK;
    return locked == GPCI_TREE_NO_BLOCK ? block : locked;
}

/* True if a block in the way is locked for another line, which is taking the way. */
static bool is_taken(const gpci_engine *engine, const gpci_module *module, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const gpci_lock *lock = gpci_lock_of(engine, module->index, gpci_module_sector(module, block, sector));
        if (lock->holder != GPCI_NO_ITEM && !gpci_module_same_line(module, lock->tag, tag))
            return true;
    }
    return false;
}

/*
 * Block for the tag in its line's way; or, if another line has not left the way yet, a locked block of the other line,
 * to wait for.
 */
static uint32_t leaving_way(const gpci_engine *engine, const gpci_module *module, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t other = gpci_module_sector(module, block, sector);
        if (module->states[other] != GPC_LINE_I &&
            !gpci_module_same_line(module, gpci_module_tag(module, other), tag) &&
            gpci_is_locked(engine, module->index, other))
            return other;
    }
    return block;
}

/*
 * Block for a tag in the way where its line is, or is arriving; or a locked block to wait for. A line has only one way,
 * and a way holds only one line. If the tag's line is leaving because another line takes the way, returns a locked
 * block of the way. If another line is still leaving the way of the tag's line, returns a locked block of the other
 * line. GPCI_TREE_NO_BLOCK: the line has no way.
 */
static uint32_t place_in_line(const gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row) {
    const uint32_t base = row * module->all_ways;
    uint32_t way = gpci_module_line_in(module, tag, row);
    if (way != GPCI_TREE_NO_BLOCK) {
        if (is_taken(engine, module, base + way, tag))
            return module->twin ? GPCI_WAIT_FOR_ROOM : locked_in_way(engine, module, base + way);
        gpci_module_join_line(module, base + way, tag);
        return base + way;
    }
    if (gpci_holds_none(engine, module))
        return GPCI_TREE_NO_BLOCK;
    for (way = 0; way < module->given.ways; way++) {
        const uint32_t locked = locked_in_way(engine, module, base + way);
        if (locked != GPCI_TREE_NO_BLOCK &&
            gpci_module_same_line(module, gpci_lock_of(engine, module->index, locked)->tag, tag))
            return leaving_way(engine, module, base + way, tag);
    }
    return GPCI_TREE_NO_BLOCK;
}

/*
 * Note that a full map may have a new entry: decide `crowded` for this engine, and change gpc_coherence.entries for the
 * tree's other engine.
 */
static void look_at_room(gpci_engine *engine, const gpci_module *module) {
    engine->crowded |= module->blocks - module->map.count < engine->most;
    engine->entries += !engine->alone && engine->entries == engine->tree->entries;
    engine->tree->entries++;
}

uint32_t gpci_choose_way(gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row) {
    if (GPCI_LIKELY(!module->notified && !module->full_map) && gpci_holds_none(engine, module))
        return gpci_module_victim(module, tag, row);
    const uint32_t place = module->sector_mask ? place_in_line(engine, module, tag, row) : GPCI_TREE_NO_BLOCK;
    if (place != GPCI_TREE_NO_BLOCK)
        return place;
    if (module->full_map || (module->given.any_victim && !module->policy && !module->twin)) {
        const uint32_t victim = gpci_module_victim(module, tag, row);
        if (module->full_map)
            look_at_room(engine, module);
        return unless_locked(engine, module, victim);
    }
    const uint32_t base = row * module->all_ways, ways = module->given.ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    const uint32_t count = gpci_holds_none(engine, module)
                               ? ways
                               : gpci_unlocked_ways(engine, module, base, 0, ways, GPCI_NO_ITEM, candidates);
    if (!count)
        return module->twin ? GPCI_WAIT_FOR_ROOM : unless_locked(engine, module, base);
    const uint32_t block = gpci_module_choose(module, tag, row, false, count == ways ? NULL : candidates);
    if (block != GPCI_TREE_NO_BLOCK)
        return block;
    gpci_tree_fail_victim(engine->tree, module);
    return base;
}

uint32_t gpci_choose_entry_way(const gpci_engine *engine, gpci_module *module, uint64_t tag, uint32_t row) {
    const uint32_t base = row * module->all_ways, first = module->given.ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    return gpci_unlocked_ways(engine, module, base, first, module->all_ways, GPCI_NO_ITEM, candidates)
               ? gpci_module_choose(module, tag, row, true, candidates)
           : module->fill_ways ? unless_locked(engine, module, base + first)
                               : base + first;
}

bool gpci_is_kept_out(const gpci_engine *engine, gpci_task *find, uint64_t tag) {
    gpci_module *module = gpci_task_module(engine, find);
    if ((gpci_step)find->resumes != GPCI_STEP_read_found || !find->allocates)
        return false;
    const gpci_module *requester = gpci_task_from(engine, gpci_task_at(engine, find->parent));
    if (module->tokens && engine->tree->request)
        gpci_module_token_tick(module, engine->tree->request);
    if (!gpci_module_may_keep_out(module, find->hit ? find->block : GPCI_TREE_NO_BLOCK, requester, find->address))
        return false;
    if (module->sector_mask && place_in_line(engine, module, tag, gpci_module_row(module, tag)) != GPCI_TREE_NO_BLOCK)
        find->judged = GPCI_JUDGED_IN;
    if (find->judged == GPCI_JUDGED_NOT)
        find->judged = gpci_module_keeps_out(module, tag) ? GPCI_JUDGED_OUT : GPCI_JUDGED_IN;
    return find->judged == GPCI_JUDGED_OUT;
}

bool gpci_is_full_of_near(const gpci_engine *engine, const gpci_module *module, uint64_t tag) {
    const uint32_t first = gpci_module_row(module, tag) & ~module->sector_mask, base = first * module->all_ways;
    uint32_t count = 1;
    for (uint32_t way = 0; way < module->given.ways; way++)
        for (uint32_t sector = 0; sector < module->sectors; sector++) {
            const gpci_lock *lock = gpci_lock_of(engine, module->index, gpci_module_sector(module, base + way, sector));
            if (lock->holder == GPCI_NO_ITEM || !gpci_module_at_home(module, lock->tag))
                continue;
            if (gpci_module_same_line(module, lock->tag, tag))
                return false;
            count++;
            break;
        }
    return count >= module->given.ways && !(engine->tree->faults & GPCI_FAULT_NEAR_TAKES_ALL);
}

uint32_t gpci_take_directory_way(gpci_engine *engine, gpci_task *task, uint64_t tag) {
    gpci_module *module = gpci_task_from(engine, task);
    const uint32_t row = gpci_module_row(module, tag), base = row * module->all_ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    if (!gpci_unlocked_ways(engine, module, base, module->given.ways, module->all_ways, task->inflight, candidates))
        return GPCI_TREE_NO_BLOCK;
    const uint32_t block = gpci_module_choose(module, tag, row, true, candidates);
    task->lent = gpci_lock_of(engine, module->index, block)->holder != GPCI_NO_ITEM;
    gpci_lock_take(engine, module->index, block, task->inflight, tag);
    return block;
}

/* -- the locked way */

static void evict_victim(gpci_engine *engine, uint32_t task, gpci_step next, uint32_t block) {
    const gpci_task *find = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, find);
    const uint32_t half = gpci_module_half(gpci_task_module(engine, find), gpci_module_tag(module, block))->index;
    uint32_t eviction;
    gpci_task *child = gpci_task_begin(engine, task, next, half, half, gpci_module_tag(module, block), &eviction);
    find = gpci_task_at(engine, task);
    child->own = block;
    child->victim = !gpci_module_directory_only(module, block);
    child->forwarded = find->entry != GPCI_TREE_NO_BLOCK;
    child->modified = gpci_tree_is_modified(engine->tree, module->states[block]);
    gpci_then(engine, eviction, GPCI_STEP_evict_begin);
}

/* Evict the blocks of the old line in the way one after another, for a lone access; then continue the lookup. */
static void evict_next(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, find);
    while (find->emptied) {
        const uint32_t other = gpci_module_sector(module, find->block, gpci_lowest(find->emptied));
        find->emptied &= (uint8_t)(find->emptied - 1);
        if (module->states[other] != GPC_LINE_I) {
            evict_victim(engine, task, GPCI_STEP_find_gone, other);
            return;
        }
        gpci_find_block_left(engine, task, other, false);
    }
    gpci_then(engine, task, find->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room);
}

/*
 * Evict all blocks of the old line in the way, at the same time. A probe may have taken some blocks since the lookup.
 */
static void evict_line(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, find);
    const uint32_t block = find->block, emptied = find->emptied;
    if (engine->alone) {
        evict_next(engine, task);
        return;
    }
    find->pending = 1;
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t other = gpci_module_sector(module, block, sector);
        if (!(emptied >> sector & 1))
            continue;
        if (module->states[other] == GPC_LINE_I) {
            gpci_find_block_left(engine, task, other, false);
            continue;
        }
        gpci_task_at(engine, task)->pending++;
        evict_victim(engine, task, GPCI_STEP_find_gone, other);
    }
    gpci_then(engine, task, GPCI_STEP_find_gone);
}

/* Read the data of a block that has only a directory entry. */
static void bring(gpci_engine *engine, uint32_t task) {
    const gpci_task *find = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, find);
    const uint32_t block = find->block;
    const uint64_t tag = gpci_module_tag_of(module, find->address);
    uint32_t child;
    gpci_task *own = gpci_task_begin(engine, task, GPCI_STEP_find_filled, module->index,
                                     gpci_module_low(engine->tree, module, tag), tag, &child);
    own->own = block;
    /* no probe may pass the lock, because the block may have to become a directory-only entry again */
    own->forwarded = true;
    own->non_coherent = gpci_tree_means(engine->tree, module->states[block]) ==
                        GPC_MEANS_S; /* if shared, the module needs only data, and stays a sharer */
    gpci_then(engine, child, GPCI_STEP_read_begin);
}

void gpci_step_find_locked(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    const gpci_step next = find->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room;
    gpci_find_release_port(engine, find);
    if (GPCI_UNLIKELY(find->out) && find->hit) {
        bring(engine, task);
        return;
    }
    if (!find->evicting) {
        gpci_then(engine, task, next);
        return;
    }
    gpci_find_tell(engine, GPCI_MET_EVICT, find);
    if (gpci_module_leaves_with_line(gpci_task_module(engine, find), find->block))
        evict_line(engine, task);
    else
        evict_victim(engine, task, next, find->block);
}

/*
 * Note that a block of the old line has left, or was refused. Unless the block's index is the place of the new block,
 * unlock it now: accesses of other modules, perhaps waiting below, must not wait for the rest of the line.
 */
void gpci_find_block_left(gpci_engine *engine, uint32_t task, uint32_t block, bool refused) {
    gpci_task *find = gpci_task_at(engine, task);
    if (block == find->block && !refused)
        return;
    find->lost |= block == find->block;
    gpci_unlock(engine, find->module, block);
}

/* Continue when a block of the old line has left; after the last block, the way is free for the new line. */
void gpci_step_find_gone(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    if (engine->alone)
        evict_next(engine, task);
    else if (!--find->pending)
        gpci_then(engine, task, find->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room);
}

/*
 * Move a directory-only entry to the regular way, which is free now, and read its data. If the eviction needed the
 * entry's own way, the entry is gone, and the block is treated as missing.
 */
void gpci_step_find_room(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, find);
    const uint64_t tag = gpci_module_tag_of(module, find->address);
    if (find->refused || gpci_module_tag(module, find->entry) != tag || module->states[find->entry] == GPC_LINE_I) {
        module->stats.evictions += find->evicting && !find->refused;
        GPCI_AGAIN(module->again.evictions += (find->evicting && !find->refused) ? 1 : 0);
        find->evicting = false;
        gpci_then(engine, task, GPCI_STEP_find_end);
        return;
    }
    module->stats.evictions += find->evicting;
    GPCI_AGAIN(module->again.evictions += (find->evicting) ? 1 : 0);
    find->evicting = false;
    gpci_tree_move_entry(engine->tree, module, find->entry, find->block, engine->now);
    gpci_look_again(engine, module->index, find->entry);
    bring(engine, task);
}

void gpci_step_find_filled(gpci_engine *engine, uint32_t task) {
    const gpci_task *find = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, find);
    if (find->refused && find->entry != GPCI_TREE_NO_BLOCK)
        gpci_tree_move_entry(engine->tree, module, find->block, find->entry, engine->now);
    /* if a policy was asked to let the block in, the block counts as missed */
    else if (!find->refused && find->judged == GPCI_JUDGED_NOT)
        gpci_module_touch(module, find->block);
    gpci_then(engine, task, GPCI_STEP_find_end);
}
