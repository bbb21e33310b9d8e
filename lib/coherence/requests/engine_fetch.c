/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"

/*
 * Neighbours: a module that reads a missing block also reads the missing blocks of the aligned group of `fetch_blocks`.
 * A neighbour leaves its block as a load, or a read request from above, would. Blocks that other parts of the access
 * fetch themselves (gpc_coherence.asks) are left to these parts.
 *
 * Example, an L2 of lines of four blocks, fetch_blocks = 2, over memory: an L1 reads blocks 2 and 0 of a line, in one
 * instruction. For 2 the L2 reads 2, and then 3; for 0 it reads 0, and then 1. For an instruction that reads 2 and 3
 * the L2 reads 2 and 3, both upon their own requests.
 *
 * A neighbour is an access of its own, begun at the reading module. No task waits for it and the end is not reported.
 * It locks its own block and holds the lock while it waits below, as an access at the first-level module; the rules of
 * locks (engine_lock.c) therefore hold. If a lock, a blocked address or a refusal is in its way, the neighbour is
 * given up. Neighbours of a lone access follow the access, one after another, in the order of the misses.
 *
 * Its place is the way of the line, where the module reads or completes a block for the access.
 */

/* True if the current access to `address` of first-level module `asker` will itself fetch a part of m's block. */
static bool is_asked(const gpci_module *requester, uint64_t address, gpci_tree_asks asks, const gpci_module *m,
                     uint64_t tag) {
    if (!gpci_module_same_line(requester, address, tag))
        return false;
    const uint32_t first = (uint32_t)(tag >> requester->block_shift) & requester->sector_mask;
    const uint32_t count = m->given.block_bytes >> requester->block_shift;
    return (m->above_count ? asks.below : asks.own) >> first &
           ((1u << (count < GPCI_TREE_SECTORS ? count : GPCI_TREE_SECTORS)) - 1);
}

/* True if the way of a block belongs only to the line, with no block of another line still leaving. */
static bool has_way(const gpci_module *m, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (m->states[other] != GPC_LINE_I && !gpci_module_same_line(m, gpci_module_tag(m, other), tag))
            return false;
    }
    return true;
}

/* Place for a neighbour of the block; GPCI_TREE_NO_BLOCK: already present, coming, or obstructed. */
static uint32_t place_of(const gpci_engine *e, const gpci_module *m, uint32_t block, uint64_t tag) {
    const uint32_t place = gpci_module_sector(m, block, (uint32_t)(tag >> m->block_shift) & m->sector_mask);
    const uint32_t found = gpci_module_find(m, tag);
    if (gpci_is_locked(e, m->index, place) || gpci_address_is_blocked(e, m, tag, GPCI_NO_ITEM))
        return GPCI_TREE_NO_BLOCK;
    if (found != GPCI_TREE_NO_BLOCK)
        return found == place && gpci_module_is_partial(m, found) ? place : GPCI_TREE_NO_BLOCK;
    return gpci_find_coming(e, m, tag) == GPCI_TREE_NO_BLOCK ? place : GPCI_TREE_NO_BLOCK;
}

static void begin(gpci_engine *e, uint32_t inflight, const gpci_module *m, uint32_t place, uint64_t tag) {
    uint32_t task, request;
    gpci_task *t = gpci_side_begin(e, inflight, tag, m->given.block_bytes, m->index, m->index, &task);
    t->block = place;
    t->state = m->states[place];
    gpci_lock_take(e, m->index, place, t->inflight, tag);
    gpci_task *r =
        gpci_task_begin(e, task, GPCI_STEP_neighbour_comes, m->index, gpci_module_low(e->tree, m, tag), tag, &request);
    r->own = place;
    r->event = gpci_raised_below(m, GPC_LINE_I, gpci_neighbour_event(m), GPC_EVENT_READ_ABOVE);
    gpci_then(e, request, GPCI_STEP_read_begin);
}

static void wish_for(gpc_coherence *c, const gpci_module *m, uint64_t tag) {
    if (c->neighbour_fetch_count < c->neighbour_fetch_room)
        c->neighbour_fetches[c->neighbour_fetch_count++] = (gpci_tree_neighbour_fetch){tag, m->index};
}

void gpci_ask_for_group(gpci_engine *e, uint32_t request, gpci_step step) {
    const gpci_task *r = gpci_task_at(e, request);
    const gpci_module *m = gpci_task_from(e, r);
    const uint32_t inflight = r->inflight, block = r->own;
    if (e->alone) {
        wish_for(e->tree, m, r->address);
        gpci_then(e, request, step);
        return;
    }
    const uint64_t own = r->address, first = own & ~((uint64_t)m->fetch_mask << m->block_shift);
    gpci_then(e, request, step);
    if (!gpci_reads_neighbours(m) || gpci_module_directory_only(m, block) || gpci_module_is_fill(m, block) ||
        !has_way(m, block, own))
        return;
    for (uint32_t k = 0; k <= m->fetch_mask; k++) {
        const uint64_t tag = first + ((uint64_t)k << m->block_shift);
        const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
        if (tag == own || !gpci_module_serves(m, tag) ||
            is_asked(gpci_module_at(e->tree, a->module), a->address, a->asks, m, tag))
            continue;
        const uint32_t place = place_of(e, m, block, tag);
        if (place != GPCI_TREE_NO_BLOCK)
            begin(e, inflight, m, place, tag);
    }
}

bool gpci_fetch_neighbour(gpci_engine *e, uint32_t inflight, const gpci_tree_neighbour_fetch *neighbour_fetch,
                          uint32_t place) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    const gpci_module *m = gpci_module_at(e->tree, neighbour_fetch->module);
    const uint64_t first = neighbour_fetch->tag & ~((uint64_t)m->fetch_mask << m->block_shift),
                   tag = first + ((uint64_t)place << m->block_shift);
    if (tag == neighbour_fetch->tag || !gpci_reads_neighbours(m) || !gpci_module_serves(m, tag) ||
        is_asked(gpci_module_at(e->tree, a->module), a->address, a->asks, m, tag))
        return false;
    uint32_t block = gpci_module_find(m, tag);
    if (block != GPCI_TREE_NO_BLOCK && (gpci_module_directory_only(m, block) || !gpci_module_is_partial(m, block)))
        return false;
    if (block == GPCI_TREE_NO_BLOCK) {
        const uint32_t way = gpci_module_way_of_line(m, tag); /* the line may have left again */
        if (way == GPCI_TREE_NO_BLOCK)
            return false;
        block = gpci_module_row(m, tag) * m->all_ways + way;
    }
    begin(e, inflight, m, block, tag);
    return true;
}

void gpci_side_end(gpci_engine *e, uint32_t task) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    e->live--;
    if (e->host) {
        gpci_tree_inflight_at(e, inflight)->ended = true;
        gpci_task_give(e, task);
        return;
    }
    gpci_items_give(&e->tasks, task);
    gpci_tree_inflight_give(e, inflight);
}

/*
 * The neighbour arrived or was refused. A block of stored bytes receives the rest, or everything if a probe has taken
 * it.
 */
void gpci_step_neighbour_comes(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, t);
    if (!t->refused && m->states[t->block] != GPC_LINE_I) {
        gpci_module_complete(m, t->block);
    } else if (!t->refused) {
        const gpc_protocol_rule rule = gpci_tree_rule(e->tree, m, GPC_LINE_I, gpci_neighbour_event(m));
        gpci_tree_set_state(e->tree, m, t->block, t->address, t->shared ? rule.next_shared : rule.next,
                            gpci_neighbour_origin(m), e->now);
    }
    gpci_unlock(e, m->index, t->block);
    gpci_side_end(e, task);
}
