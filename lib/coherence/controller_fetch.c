/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/controller_host.h"

/*
 * Neighbours, as in fetch.c. A neighbour is an access of its own, begun at the reading module. No task waits for it and
 * the end is not reported. It locks its own block and holds the lock while it waits below, as an access at the
 * first-level module; the rules of locks (controller_lock.c) therefore hold. If a lock, a blocked address or a refusal
 * is in its way, the neighbour is given up.
 *
 * Its place is the way of the line, where the module reads or completes a block for the access.
 */

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
static uint32_t place_of(const gpci_controllers *e, const gpci_module *m, uint32_t block, uint64_t tag) {
    const uint32_t place = gpci_module_sector(m, block, (uint32_t)(tag >> m->block_shift) & m->sector_mask);
    const uint32_t found = gpci_module_find(m, tag);
    if (gpci_is_locked(e, m->index, place) || gpci_is_barred(e, m, tag))
        return GPCI_TREE_NO_BLOCK;
    if (found != GPCI_TREE_NO_BLOCK)
        return found == place && gpci_module_is_partial(m, found) ? place : GPCI_TREE_NO_BLOCK;
    return gpci_find_coming(e, m, tag) == GPCI_TREE_NO_BLOCK ? place : GPCI_TREE_NO_BLOCK;
}

static void begin(gpci_controllers *e, uint32_t flight, const gpci_module *m, uint32_t place, uint64_t tag) {
    uint32_t task, request;
    gpci_task *t = gpci_side_begin(e, flight, tag, m->given.block_bytes, m->index, m->index, &task);
    t->block = place;
    t->state = m->states[place];
    gpci_lock_take(e, m->index, place, t->flight, tag);
    gpci_task *r =
        gpci_task_begin(e, task, GPCI_STEP_neighbour_comes, m->index, gpci_module_low(e->tree, m, tag), tag, &request);
    r->own = place;
    r->event = gpci_raised_below(m, GPC_LINE_I, gpci_neighbour_event(m), GPC_EVENT_READ_ABOVE);
    gpci_then(e, request, GPCI_STEP_read_begin);
}

void gpci_ask_for_group(gpci_controllers *e, uint32_t request, gpci_step step) {
    const gpci_task *r = gpci_task_at(e, request);
    const gpci_module *m = gpci_task_from(e, r);
    const uint32_t flight = r->flight, block = r->own;
    const uint64_t own = r->address, first = own & ~((uint64_t)m->fetch_mask << m->block_shift);
    gpci_then(e, request, step);
    if (!gpci_reads_neighbours(m) || gpci_module_directory_only(m, block) || gpci_module_is_fill(m, block) ||
        !has_way(m, block, own))
        return;
    for (uint32_t k = 0; k <= m->fetch_mask; k++) {
        const uint64_t tag = first + ((uint64_t)k << m->block_shift);
        const gpci_tree_flight *a = gpci_tree_flight_at(e, flight);
        if (tag == own || !gpci_module_serves(m, tag) ||
            gpci_tree_is_asked(gpci_module_at(e->tree, a->module), a->address, a->asks, m, tag))
            continue;
        const uint32_t place = place_of(e, m, block, tag);
        if (place != GPCI_TREE_NO_BLOCK)
            begin(e, flight, m, place, tag);
    }
}

void gpci_side_end(gpci_controllers *e, uint32_t task) {
    const uint32_t flight = gpci_task_at(e, task)->flight;
    e->live--;
    if (e->host) {
        gpci_tree_flight_at(e, flight)->ended = true;
        gpci_task_give(e, task);
        return;
    }
    gpci_items_give(&e->tasks, task);
    gpci_tree_flight_give(e, flight);
}

/*
 * The neighbour arrived or was refused. A block of stored bytes receives the rest, or everything if a probe has taken
 * it.
 */
void gpci_step_neighbour_comes(gpci_controllers *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, t);
    if (!t->refused && m->states[t->block] != GPC_LINE_I) {
        gpci_module_complete(m, t->block);
    } else if (!t->refused) {
        const gpc_protocol_rule rule = gpci_tree_rule(e->tree, m, GPC_LINE_I, gpci_neighbour_event(m));
        gpci_tree_set_state(e->tree, m, t->block, t->address, t->shared ? rule.next_shared : rule.next,
                            gpci_neighbour_origin(m), gpci_present(e));
    }
    gpci_unlock(e, m->index, t->block);
    gpci_side_end(e, task);
}
