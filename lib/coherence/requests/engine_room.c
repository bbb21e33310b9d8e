/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"

/* Way of a lookup, locked: the blocks in the way leave, and a block with only a directory entry receives its data. */

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
