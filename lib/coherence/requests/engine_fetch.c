/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"

/*
 * Neighbours: a module that reads a missing block also reads the missing blocks of the aligned group of `fetch_blocks`.
 * A neighbour's block gets the state that a load (in the first level) or a read request from above (below the first
 * level) would give. If another part of the access asks for a block by itself (gpc_coherence.asks), the block is not
 * read as a neighbour.
 *
 * Example, an L2 of lines of four blocks, fetch_blocks = 2, over memory: an L1 reads blocks 2 and 0 of a line, in one
 * instruction. The L2 reads block 2, then neighbour 3; and block 0, then neighbour 1. If the instruction reads blocks 2
 * and 3, the L2 reads no neighbour.
 *
 * A neighbour is a separate access, begun at the reading module. No task waits for a neighbour, and the end is not
 * reported. A neighbour locks only its own block and holds the lock while waiting below, as an access of the first
 * level does; the rules of locks (engine_lock.c) therefore hold. If a neighbour meets a lock, a blocked address or a
 * refusal, the neighbour is given up. Neighbours of a lone access follow the access, in the order of the misses.
 *
 * A neighbour's block goes into the way of the block that the access misses: both blocks are in the same line.
 */

/*
 * True if other parts of the line access to `address` request the block `tag` of `module` (asks). `requester`: the
 * access's first-level module.
 */
static bool is_asked(const gpci_module *requester, uint64_t address, gpci_tree_asks asks, const gpci_module *module,
                     uint64_t tag) {
    if (!gpci_module_same_line(requester, address, tag))
        return false;
    const uint32_t first = (uint32_t)(tag >> requester->block_shift) & requester->sector_mask;
    const uint32_t count = module->given.block_bytes >> requester->block_shift;
    return (module->above_count ? asks.below : asks.own) >> first &
           ((1u << (count < GPCI_TREE_SECTORS ? count : GPCI_TREE_SECTORS)) - 1);
}

/* True if the way of a block holds no block of another line. */
static bool has_way(const gpci_module *module, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t other = gpci_module_sector(module, block, sector);
        if (module->states[other] != GPC_LINE_I && !gpci_module_same_line(module, gpci_module_tag(module, other), tag))
            return false;
    }
    return true;
}

/*
 * Block (index) for the neighbour `tag` in the way of `block`. GPCI_TREE_NO_BLOCK: the neighbour is present or coming,
 * or its place or address is locked.
 */
static uint32_t place_of(const gpci_engine *engine, const gpci_module *module, uint32_t block, uint64_t tag) {
    const uint32_t place =
        gpci_module_sector(module, block, (uint32_t)(tag >> module->block_shift) & module->sector_mask);
    const uint32_t found = gpci_module_find(module, tag);
    if (gpci_is_locked(engine, module->index, place) || gpci_address_is_blocked(engine, module, tag, GPCI_NO_ITEM))
        return GPCI_TREE_NO_BLOCK;
    if (found != GPCI_TREE_NO_BLOCK)
        return found == place && gpci_module_is_partial(module, found) ? place : GPCI_TREE_NO_BLOCK;
    return gpci_find_coming(engine, module, tag, place / module->all_ways) == GPCI_TREE_NO_BLOCK ? place
                                                                                                 : GPCI_TREE_NO_BLOCK;
}

static void begin(gpci_engine *engine, uint32_t inflight, const gpci_module *module, uint32_t place, uint64_t tag) {
    uint32_t task, request;
    gpci_task *work =
        gpci_internal_begin(engine, inflight, tag, module->given.block_bytes, module->index, module->index, &task);
    work->block = place;
    work->state = module->states[place];
    gpci_lock_take(engine, module->index, place, work->inflight, tag);
    gpci_task *request_task = gpci_task_begin(engine, task, GPCI_STEP_neighbour_comes, module->index,
                                              gpci_module_low(engine->tree, module, tag), tag, &request);
    request_task->own = place;
    request_task->event = gpci_raised_below(module, GPC_LINE_I, gpci_neighbour_event(module), GPC_EVENT_READ_ABOVE);
    gpci_then(engine, request, GPCI_STEP_read_begin);
}

static void wish_for(gpc_coherence *coherence, const gpci_module *module, uint64_t tag) {
    if (coherence->neighbour_fetch_count < coherence->neighbour_fetch_capacity)
        coherence->neighbour_fetches[coherence->neighbour_fetch_count++] =
            (gpci_tree_neighbour_fetch){tag, module->index};
}

void gpci_ask_for_group(gpci_engine *engine, uint32_t request, gpci_step step) {
    const gpci_task *request_task = gpci_task_at(engine, request);
    const gpci_module *module = gpci_task_from(engine, request_task);
    const uint32_t inflight = request_task->inflight, block = request_task->own;
    if (engine->alone) {
        wish_for(engine->tree, module, request_task->address);
        gpci_then(engine, request, step);
        return;
    }
    const uint64_t own = request_task->address, first = own & ~((uint64_t)module->fetch_mask << module->block_shift);
    gpci_then(engine, request, step);
    if (!gpci_reads_neighbours(module) || gpci_module_directory_only(module, block) ||
        gpci_module_is_fill(module, block) || !has_way(module, block, own))
        return;
    for (uint32_t k = 0; k <= module->fetch_mask; k++) {
        const uint64_t tag = first + ((uint64_t)k << module->block_shift);
        const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
        if (tag == own || !gpci_module_serves(module, tag) ||
            is_asked(gpci_module_at(engine->tree, access->module), access->address, access->asks, module, tag))
            continue;
        const uint32_t place = place_of(engine, module, block, tag);
        if (place != GPCI_TREE_NO_BLOCK)
            begin(engine, inflight, module, place, tag);
    }
}

void gpci_fetch_neighbour(gpci_engine *engine, uint32_t inflight, const gpci_tree_neighbour_fetch *neighbour_fetch,
                          uint32_t place) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpci_module *module = gpci_module_at(engine->tree, neighbour_fetch->module);
    const uint64_t first = neighbour_fetch->tag & ~((uint64_t)module->fetch_mask << module->block_shift),
                   tag = first + ((uint64_t)place << module->block_shift);
    if (tag == neighbour_fetch->tag || !gpci_reads_neighbours(module) || !gpci_module_serves(module, tag) ||
        is_asked(gpci_module_at(engine->tree, access->module), access->address, access->asks, module, tag))
        return;
    uint32_t block = gpci_module_find(module, tag);
    if (block != GPCI_TREE_NO_BLOCK &&
        (gpci_module_directory_only(module, block) || !gpci_module_is_partial(module, block)))
        return;
    if (block == GPCI_TREE_NO_BLOCK) {
        const uint32_t way = gpci_module_way_of_line(module, tag); /* GPCI_TREE_NO_BLOCK if the line has left again */
        if (way == GPCI_TREE_NO_BLOCK)
            return;
        block = gpci_module_row(module, tag) * module->all_ways + way;
    }
    begin(engine, inflight, module, block, tag);
}

void gpci_internal_end(gpci_engine *engine, uint32_t task) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    engine->live--;
    if (engine->host) {
        gpci_tree_inflight_at(engine, inflight)->ended = true;
        gpci_task_give(engine, task);
        return;
    }
    gpci_items_give(&engine->tasks, task);
    gpci_tree_inflight_give(engine, inflight);
}

/*
 * Continue when a neighbour has arrived or was refused. If the neighbour's block had only stored bytes, it receives the
 * rest; or all bytes, if a probe has taken the block meanwhile.
 */
void gpci_step_neighbour_comes(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, work);
    if (!work->refused && module->states[work->block] != GPC_LINE_I) {
        gpci_module_complete(module, work->block);
    } else if (!work->refused) {
        const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, module, GPC_LINE_I, gpci_neighbour_event(module));
        gpci_tree_set_state(engine->tree, module, work->block, work->address,
                            work->shared ? rule.next_shared : rule.next, gpci_neighbour_origin(module), engine->now);
    }
    gpci_unlock(engine, module->index, work->block);
    gpci_internal_end(engine, task);
}
