/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/requests/engine_room.h"

/*
 * Way of a lookup: the choice among unlocked ways; and of the locked way, the blocks leave, and a block with only a
 * directory entry receives its data.
 */

/* -- choice */

/* Locked block of the line in a way, or GPCI_TREE_NO_BLOCK. */
GPCI_INLINE uint32_t locked_in_way(const gpci_engine *e, const gpci_module *m, uint32_t block) {
    uint32_t other = gpci_module_sector(m, block, 0);
    for (uint32_t sector = 0; sector < m->sectors; sector++, other += m->all_ways)
        if (gpci_is_locked(e, m->index, other))
            return other;
    return GPCI_TREE_NO_BLOCK;
}

/* True if one of `count` blocks may be locked. */
GPCI_INLINE bool any_locked(const gpci_engine *e, uint32_t module, uint32_t block, uint32_t count) {
    const gpci_engine_unit *unit = &e->units[module];
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= unit->locks[(block + i) & unit->lock_mask];
    return any;
}

uint32_t gpci_unlocked_ways(const gpci_engine *e, const gpci_module *m, uint32_t base, uint32_t first, uint32_t end,
                            uint32_t inflight, uint64_t *candidates) {
    const bool of_lines = m->sector_mask && (!first || m->fill_ways);
    uint32_t count = 0;
    if (!of_lines && !any_locked(e, m->index, base + first, end - first)) {
        for (uint32_t way = 0; way < end - first; way++)
            gpci_bit_set(candidates, way);
        return end - first;
    }
    for (uint32_t way = first; way < end; way++) {
        if (gpci_is_locked(e, m->index, base + way) &&
            !gpci_lock_is_of(e, gpci_lock_of(e, m->index, base + way), inflight))
            continue;
        if (GPCI_UNLIKELY(of_lines) && locked_in_way(e, m, base + way) != GPCI_TREE_NO_BLOCK)
            continue;
        gpci_bit_set(candidates, way - first);
        count++;
    }
    return count;
}

/* The block, or a locked block of the line in its way to wait for. */
static uint32_t unless_locked(const gpci_engine *e, const gpci_module *m, uint32_t block) {
    const uint32_t locked = m->sector_mask ? locked_in_way(e, m, block) : GPCI_TREE_NO_BLOCK;
    return locked == GPCI_TREE_NO_BLOCK ? block : locked;
}

/* True if the way of a line's block is being taken by another line (locked while its blocks arrive). */
static bool is_taken(const gpci_engine *e, const gpci_module *m, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const gpci_lock *lock = gpci_lock_of(e, m->index, gpci_module_sector(m, block, sector));
        if (lock->holder != GPCI_NO_ITEM && !gpci_module_same_line(m, lock->tag, tag))
            return true;
    }
    return false;
}

/* Place of the block in the line's way; or, if another line is still leaving the way, one of that line's blocks. */
static uint32_t leaving_way(const gpci_engine *e, const gpci_module *m, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (m->states[other] != GPC_LINE_I && !gpci_module_same_line(m, gpci_module_tag(m, other), tag) &&
            gpci_is_locked(e, m->index, other))
            return other;
    }
    return block;
}

/*
 * Place of a block in the way where its line is or is arriving; or a block to wait for. A line has one way, and a way
 * holds one line: if the line is leaving and the way is taken by another line, returns a locked block of the line; if
 * the way is the line's own and another line is still leaving, a block of that line. GPCI_TREE_NO_BLOCK: the line has
 * no way.
 */
static uint32_t place_in_line(const gpci_engine *e, gpci_module *m, uint64_t tag) {
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways;
    uint32_t way = gpci_module_way_of_line(m, tag);
    if (way != GPCI_TREE_NO_BLOCK) {
        if (is_taken(e, m, base + way, tag))
            return m->twin ? GPCI_WAIT_FOR_ROOM : locked_in_way(e, m, base + way);
        gpci_module_join_line(m, base + way, tag);
        return base + way;
    }
    for (way = 0; way < m->given.ways; way++) {
        const uint32_t locked = locked_in_way(e, m, base + way);
        if (locked != GPCI_TREE_NO_BLOCK && gpci_module_same_line(m, gpci_lock_of(e, m->index, locked)->tag, tag))
            return leaving_way(e, m, base + way, tag);
    }
    return GPCI_TREE_NO_BLOCK;
}

uint32_t gpci_choose_way(gpci_engine *e, gpci_module *m, uint64_t tag) {
    if (GPCI_LIKELY(!m->notified && !m->full_map) && gpci_holds_none(e, m))
        return gpci_module_victim(m, tag);
    const uint32_t place = m->sector_mask ? place_in_line(e, m, tag) : GPCI_TREE_NO_BLOCK;
    if (place != GPCI_TREE_NO_BLOCK)
        return place;
    if (m->full_map || (m->given.any_victim && !m->policy && !m->twin)) {
        const uint32_t victim = gpci_module_victim(m, tag);
        e->crowded |= gpci_engine_crowd(e, m);
        return unless_locked(e, m, victim);
    }
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways, ways = m->given.ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    const uint32_t count =
        gpci_holds_none(e, m) ? ways : gpci_unlocked_ways(e, m, base, 0, ways, GPCI_NO_ITEM, candidates);
    if (!count)
        return m->twin ? GPCI_WAIT_FOR_ROOM : unless_locked(e, m, base);
    const uint32_t block = gpci_module_choose(m, tag, false, count == ways ? NULL : candidates);
    if (block != GPCI_TREE_NO_BLOCK)
        return block;
    gpci_tree_fail_victim(e->tree, m);
    return base;
}

uint32_t gpci_choose_entry_way(const gpci_engine *e, gpci_module *m, uint64_t tag) {
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways, first = m->given.ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    return gpci_unlocked_ways(e, m, base, first, m->all_ways, GPCI_NO_ITEM, candidates)
               ? gpci_module_choose(m, tag, true, candidates)
           : m->fill_ways ? unless_locked(e, m, base + first)
                          : base + first;
}

bool gpci_is_kept_out(const gpci_engine *e, gpci_task *f, uint64_t tag) {
    gpci_module *m = gpci_task_module(e, f);
    if ((gpci_step)f->resumes != GPCI_STEP_read_found || !f->allocates)
        return false;
    const gpci_module *r = gpci_task_from(e, gpci_task_at(e, f->parent));
    if (m->tokens && e->tree->request)
        gpci_module_token_tick(m, e->tree->request);
    if (!gpci_module_may_keep_out(m, f->hit ? f->block : GPCI_TREE_NO_BLOCK, r, f->address))
        return false;
    if (m->sector_mask && place_in_line(e, m, tag) != GPCI_TREE_NO_BLOCK)
        f->judged = GPCI_JUDGED_IN;
    if (f->judged == GPCI_JUDGED_NOT)
        f->judged = gpci_module_keeps_out(m, tag) ? GPCI_JUDGED_OUT : GPCI_JUDGED_IN;
    return f->judged == GPCI_JUDGED_OUT;
}

bool gpci_is_full_of_near(const gpci_engine *e, const gpci_module *m, uint64_t tag) {
    const uint32_t first = gpci_module_row(m, tag) & ~m->sector_mask, base = first * m->all_ways;
    uint32_t count = 1;
    for (uint32_t way = 0; way < m->given.ways; way++)
        for (uint32_t sector = 0; sector < m->sectors; sector++) {
            const gpci_lock *lock = gpci_lock_of(e, m->index, gpci_module_sector(m, base + way, sector));
            if (lock->holder == GPCI_NO_ITEM || !gpci_module_at_home(m, lock->tag))
                continue;
            if (gpci_module_same_line(m, lock->tag, tag))
                return false;
            count++;
            break;
        }
    return count >= m->given.ways && !(e->tree->faults & GPCI_FAULT_NEAR_TAKES_ALL);
}

uint32_t gpci_take_directory_way(gpci_engine *e, gpci_task *task, uint64_t tag) {
    gpci_module *m = gpci_task_from(e, task);
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    if (!gpci_unlocked_ways(e, m, base, m->given.ways, m->all_ways, task->inflight, candidates))
        return GPCI_TREE_NO_BLOCK;
    const uint32_t block = gpci_module_choose(m, tag, true, candidates);
    task->lent = gpci_lock_of(e, m->index, block)->holder != GPCI_NO_ITEM;
    gpci_lock_take(e, m->index, block, task->inflight, tag);
    return block;
}

/* -- the locked way */

static void evict_victim(gpci_engine *e, uint32_t task, gpci_step next, uint32_t block) {
    const gpci_task *f = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, f);
    const uint32_t half = gpci_module_half(gpci_task_module(e, f), gpci_module_tag(m, block))->index;
    uint32_t eviction;
    gpci_task *child = gpci_task_begin(e, task, next, half, half, gpci_module_tag(m, block), &eviction);
    f = gpci_task_at(e, task);
    child->own = block;
    child->victim = !gpci_module_directory_only(m, block);
    child->forwarded = f->entry != GPCI_TREE_NO_BLOCK;
    child->modified = gpci_tree_is_modified(e->tree, m->states[block]);
    gpci_then(e, eviction, GPCI_STEP_evict_begin);
}

/* Evict the blocks of the line in the way one after another, for a lone access; then continue. */
static void evict_next(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, f);
    while (f->emptied) {
        const uint32_t other = gpci_module_sector(m, f->block, gpci_lowest(f->emptied));
        f->emptied &= (uint8_t)(f->emptied - 1);
        if (m->states[other] != GPC_LINE_I) {
            evict_victim(e, task, GPCI_STEP_find_gone, other);
            return;
        }
        gpci_find_block_left(e, task, other, false);
    }
    gpci_then(e, task, f->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room);
}

/* Evict all blocks of the line in the way, at once. A probe may have taken some since. */
static void evict_line(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, f);
    const uint32_t block = f->block, emptied = f->emptied;
    if (e->alone) {
        evict_next(e, task);
        return;
    }
    f->pending = 1;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (!(emptied >> sector & 1))
            continue;
        if (m->states[other] == GPC_LINE_I) {
            gpci_find_block_left(e, task, other, false);
            continue;
        }
        gpci_task_at(e, task)->pending++;
        evict_victim(e, task, GPCI_STEP_find_gone, other);
    }
    gpci_then(e, task, GPCI_STEP_find_gone);
}

/* Read the data of a block with only a directory entry. */
static void bring(gpci_engine *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, f);
    const uint32_t block = f->block;
    const uint64_t tag = gpci_module_tag_of(m, f->address);
    uint32_t child;
    gpci_task *own =
        gpci_task_begin(e, task, GPCI_STEP_find_filled, m->index, gpci_module_low(e->tree, m, tag), tag, &child);
    own->own = block;
    own->forwarded = true; /* no probe may pass: the block may have to become an entry again */
    own->non_coherent =
        gpci_tree_means(e->tree, m->states[block]) == GPC_MEANS_S; /* for data only: a shared copy stays shared */
    gpci_then(e, child, GPCI_STEP_read_begin);
}

void gpci_step_find_locked(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    const gpci_step next = f->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room;
    gpci_find_release_port(e, f);
    if (GPCI_UNLIKELY(f->out) && f->hit) {
        bring(e, task);
        return;
    }
    if (!f->evicting) {
        gpci_then(e, task, next);
        return;
    }
    gpci_find_tell(e, GPCI_MET_EVICT, f);
    if (gpci_module_leaves_with_line(gpci_task_module(e, f), f->block))
        evict_line(e, task);
    else
        evict_victim(e, task, next, f->block);
}

/*
 * A block of the line in the way left or was refused. Unless it is the place of the new block, unlock it now: other
 * accesses, perhaps waiting below, must not wait for the rest of the line.
 */
void gpci_find_block_left(gpci_engine *e, uint32_t task, uint32_t block, bool refused) {
    gpci_task *f = gpci_task_at(e, task);
    if (block == f->block && !refused)
        return;
    f->lost |= block == f->block;
    gpci_unlock(e, f->module, block);
}

/* One block left; after the last the way is free for the new line. */
void gpci_step_find_gone(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    if (e->alone)
        evict_next(e, task);
    else if (!--f->pending)
        gpci_then(e, task, f->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room);
}

/*
 * A regular way is free for a directory-only entry, which now gets its data back. If the eviction needed the entry's
 * own way, the entry is gone and the block is treated as missing.
 */
void gpci_step_find_room(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    const uint64_t tag = gpci_module_tag_of(m, f->address);
    if (f->refused || gpci_module_tag(m, f->entry) != tag || m->states[f->entry] == GPC_LINE_I) {
        m->stats.evictions += f->evicting && !f->refused;
        f->evicting = false;
        gpci_then(e, task, GPCI_STEP_find_end);
        return;
    }
    m->stats.evictions += f->evicting;
    f->evicting = false;
    gpci_tree_move_entry(e->tree, m, f->entry, f->block, e->now);
    gpci_look_again(e, m->index, f->entry);
    bring(e, task);
}

void gpci_step_find_filled(gpci_engine *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    if (f->refused && f->entry != GPCI_TREE_NO_BLOCK)
        gpci_tree_move_entry(e->tree, m, f->block, f->entry, e->now);
    else if (!f->refused && f->judged == GPCI_JUDGED_NOT) /* otherwise no hit */
        gpci_module_touch(m, f->block);
    gpci_then(e, task, GPCI_STEP_find_end);
}
