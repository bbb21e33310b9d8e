/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/controller_host.h"

/*
 * Ports, lookups, locks. A lookup takes a port, finds the block or makes room for it, locks it, holds the port for the
 * directory's latency, evicts what is to make room, and leaves the block locked to its parent. A block is also found by
 * the tag that is being brought to it.
 */

void gpci_find_begin(gpci_controllers *e, uint32_t task, const gpci_look *find) {
    uint32_t lookup;
    gpci_task *f = gpci_task_begin(e, task, find->resumes, find->module, find->module, find->address, &lookup);
    f->blocking = find->blocking;
    f->allocates = find->allocates;
    f->hurries = find->hurries;
    f->bars = find->bars;
    f->sort = GPCI_TASK_LOOKUP;
    f->entry = GPCI_TREE_NO_BLOCK;
    gpci_then(e, lookup, GPCI_STEP_find_begin);
}

/* A host has seen to ports. */
void gpci_step_find_begin(gpci_controllers *e, uint32_t task) {
    if (e->host) {
        gpci_step_find_look(e, task);
        return;
    }
    const gpci_task *f = gpci_task_at(e, task);
    gpci_controller *unit = &e->units[f->module];
    const uint32_t ports = gpci_task_module(e, f)->given.ports;
    if (!ports || (unit->ports_used < ports && unit->port_waiters.head == GPCI_NO_ITEM)) {
        unit->ports_used++;
        gpci_then(e, task, GPCI_STEP_find_look);
        return;
    }
    (f->hurries ? gpci_due_queue_lead : gpci_due_queue_join)(&e->waiters, &unit->port_waiters,
                                                             (gpci_due){task, GPCI_STEP_find_look});
}

/* The lookup of an access itself: nobody joins it meanwhile. */
static void mark_port(const gpci_controllers *e, const gpci_task *f, bool holds) {
    gpci_tree_flight *flight = gpci_tree_flight_at(e, f->flight);
    if (f->parent == flight->task)
        flight->holds_port = holds;
}

/* To the first who waits. */
static void release_port(gpci_controllers *e, const gpci_task *f) {
    gpci_controller *unit = &e->units[f->module];
    gpci_due due;
    if (e->host)
        return;
    mark_port(e, f, false);
    if (gpci_due_queue_leave(&e->waiters, &unit->port_waiters, &due))
        gpci_step_in(e, due.subject, (gpci_step)due.step, 0);
    else
        unit->ports_used--;
}

/* A block that is locked, of those of the line in a way; GPCI_TREE_NO_BLOCK. */
GPCI_INLINE uint32_t locked_in_way(const gpci_controllers *e, const gpci_module *m, uint32_t block) {
    uint32_t other = gpci_module_sector(m, block, 0);
    for (uint32_t sector = 0; sector < m->sectors; sector++, other += m->all_ways)
        if (gpci_is_locked(e, m->index, other))
            return other;
    return GPCI_TREE_NO_BLOCK;
}

uint32_t gpci_unlocked_ways(const gpci_controllers *e, const gpci_module *m, uint32_t base, uint32_t first,
                            uint32_t end, uint32_t flight, uint64_t *candidates) {
    const bool of_lines = m->sector_mask && (!first || m->fill_ways);
    uint32_t count = 0;
    for (uint32_t way = first; way < end; way++) {
        if (gpci_is_locked(e, m->index, base + way) &&
            !gpci_lock_is_of(e, gpci_lock_of(e, m->index, base + way), flight))
            continue;
        if (GPCI_UNLIKELY(of_lines) && locked_in_way(e, m, base + way) != GPCI_TREE_NO_BLOCK)
            continue;
        gpci_bit_set(candidates, way);
        count++;
    }
    return count;
}

/* As a block: none is free of a cache of two halves. */
#define WAIT_FOR_ROOM (GPCI_TREE_NO_BLOCK - 1)

/* A block; or, of those of the line in its way, one to wait for. */
static uint32_t unless_locked(const gpci_controllers *e, const gpci_module *m, uint32_t block) {
    const uint32_t locked = m->sector_mask ? locked_in_way(e, m, block) : GPCI_TREE_NO_BLOCK;
    return locked == GPCI_TREE_NO_BLOCK ? block : locked;
}

/* Is a way, that of a block of a line's, taken for another line, whose blocks are locked while they come? */
static bool is_taken(const gpci_controllers *e, const gpci_module *m, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const gpci_lock *lock = gpci_lock_of(e, m->index, gpci_module_sector(m, block, sector));
        if (lock->holder != GPCI_NO_ITEM && !gpci_module_same_line(m, lock->tag, tag))
            return true;
    }
    return false;
}

/* The place of a block in a way that is its line's; or, of another line, a block that is still leaving it. */
static uint32_t leaving_way(const gpci_controllers *e, const gpci_module *m, uint32_t block, uint64_t tag) {
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (m->states[other] != GPC_LINE_I && !gpci_module_same_line(m, gpci_module_tag(m, other), tag) &&
            gpci_is_locked(e, m->index, other))
            return other;
    }
    return block;
}

/*
 * The place of a block in the way where others of its line are, or are coming to; or a block to wait for: a line has
 * one way, and a way one line. If the line is leaving, and the way is another's, one of its blocks; if the way is its
 * own, and another line is leaving, one of that. GPCI_TREE_NO_BLOCK: no way is this line's.
 */
static uint32_t place_in_line(const gpci_controllers *e, gpci_module *m, uint64_t tag) {
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways;
    uint32_t way = gpci_module_way_of_line(m, tag);
    if (way != GPCI_TREE_NO_BLOCK) {
        if (is_taken(e, m, base + way, tag))
            return m->twin ? WAIT_FOR_ROOM : locked_in_way(e, m, base + way);
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

/*
 * A way for what is not there, as the module chooses among those that are not locked. Where all are, a block of the
 * first, for whose lock to wait; or WAIT_FOR_ROOM. Multi2Sim chooses without a look at locks, and comes upon that of
 * its choice; halves of a cache must not wait for each other so.
 */
static uint32_t make_room(gpci_controllers *e, gpci_module *m, uint64_t tag) {
    const uint32_t place = m->sector_mask ? place_in_line(e, m, tag) : GPCI_TREE_NO_BLOCK;
    if (place != GPCI_TREE_NO_BLOCK)
        return place;
    if (m->full_map || (m->given.any_victim && !m->policy && !m->twin)) {
        const uint32_t victim = gpci_module_victim(m, tag);
        e->crowded |= gpci_controllers_crowd(e, m);
        return unless_locked(e, m, victim);
    }
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways, ways = m->given.ways;
    uint64_t candidates[GPC_MAX_WAYS / 64] = {0};
    const uint32_t count = gpci_unlocked_ways(e, m, base, 0, ways, GPCI_NO_ITEM, candidates);
    if (!count)
        return m->twin ? WAIT_FOR_ROOM : unless_locked(e, m, base);
    const uint32_t block = gpci_module_choose(m, tag, false, count == ways ? NULL : candidates);
    if (block != GPCI_TREE_NO_BLOCK)
        return block;
    gpci_tree_fail_victim(e->tree, m);
    return base;
}

/* The same of the ways of the directory alone, or where blocks come in. */
static uint32_t make_entry_room(const gpci_controllers *e, gpci_module *m, uint64_t tag) {
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways, first = m->given.ways;
    uint64_t candidates[2 * GPC_MAX_WAYS / 64] = {0};
    return gpci_unlocked_ways(e, m, base, first, m->all_ways, GPCI_NO_ITEM, candidates)
               ? gpci_module_choose(m, tag, true, candidates)
           : m->fill_ways ? unless_locked(e, m, base + first)
                          : base + first;
}

/*
 * Is a block that a request for a copy misses, or of which there is an entry alone, to be kept out (module_ask.c)? Of a
 * module that asks; once for each lookup.
 */
static bool is_kept_out(const gpci_controllers *e, gpci_task *f, uint64_t tag) {
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

/*
 * Requests of a near half lock all ways of a set but one at most, so that the other half always finds one in the end
 * (halves.c). Must this one wait?
 */
static bool is_full_of_near(const gpci_controllers *e, const gpci_module *m, uint64_t tag) {
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

uint32_t gpci_take_directory_way(gpci_controllers *e, gpci_task *task, uint64_t tag) {
    gpci_module *m = gpci_task_from(e, task);
    const uint32_t base = gpci_module_row(m, tag) * m->all_ways;
    uint64_t candidates[2 * GPC_MAX_WAYS / 64] = {0};
    if (!gpci_unlocked_ways(e, m, base, m->given.ways, m->all_ways, task->flight, candidates))
        return GPCI_TREE_NO_BLOCK;
    const uint32_t block = gpci_module_choose(m, tag, true, candidates);
    task->lent = gpci_lock_of(e, m->index, block)->holder != GPCI_NO_ITEM;
    gpci_lock_take(e, m->index, block, task->flight, tag);
    return block;
}

static void tell(const gpci_controllers *e, gpci_met what, const gpci_task *f) {
    if (e->host)
        e->host->met(e->host->self, what, f->parent, f->module);
}

/* Who finds a lock, or a bar, is refused, or waits and looks again. */
static void conflict(gpci_controllers *e, uint32_t task, gpci_due_queue *waiters) {
    gpci_task *f = gpci_task_at(e, task);
    tell(e, f->blocking ? GPCI_MET_WAIT : GPCI_MET_REFUSE, f);
    if (f->blocking) {
        e->waited += !gpci_task_at(e, f->parent)->down;
        const bool first = e->passes && gpci_task_at(e, f->parent)->down; /* others wait for its answer */
        release_port(e, f);
        gpci_lookup_waits(e, task, waiters, first);
        return;
    }
    gpci_task_at(e, f->parent)->refused = true;
    release_port(e, f);
    gpci_task_end(e, task);
}

static void miss(gpci_controllers *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    gpci_task_module(e, f)->stats.directory_accesses++;
    gpci_task_at(e, f->parent)->missing = true;
    if (f->bars) /* at once: others that look in this cycle come before the parent goes on */
        gpci_bar(e, f->parent);
    release_port(e, f);
    gpci_task_end(e, task);
}

/*
 * What there is of a tag: `block` and `hit`. A probe may find a block that this very access has locked: of a request of
 * it the low module has evicted the entry. It is let in, and finds only what has been there before.
 */
static void look_up(const gpci_controllers *e, gpci_task *f, uint64_t tag) {
    const gpci_module *m = gpci_task_module(e, f);
    gpci_task *parent = gpci_task_at(e, f->parent);
    f->block = gpci_module_find(m, tag);
    const bool there = f->block != GPCI_TREE_NO_BLOCK;
    if (!there)
        f->block = gpci_find_coming(e, m, tag);
    f->hit = f->block != GPCI_TREE_NO_BLOCK;
    if (!parent->down || !f->hit || !gpci_lock_is_of(e, gpci_lock_of(e, m->index, f->block), f->flight))
        return;
    f->hit = parent->lent = there;
    f->block = there ? f->block : GPCI_TREE_NO_BLOCK;
}

/* A probe goes on with a block that another has locked. */
static void pass(gpci_controllers *e, uint32_t task, gpci_lock *lock) {
    gpci_task *f = gpci_task_at(e, task), *probe = gpci_task_at(e, f->parent);
    gpci_module *m = gpci_task_module(e, f);
    m->stats.directory_accesses++;
    if (gpci_is_coming(m, f->block, gpci_module_tag_of(m, f->address))) {
        probe->missing = true;
    } else {
        gpci_module_probe(m, f->block);
        probe->borrows = probe->hit = true;
        probe->block = f->block;
        probe->state = m->states[f->block];
        lock->probe = f->parent;
    }
    release_port(e, f);
    gpci_task_end(e, task);
}

/* Is it locked? Then the lookup is refused, or waits; or a probe passes. */
static bool is_locked(gpci_controllers *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    gpci_lock *lock = gpci_lock_of(e, f->module, f->block);
    if (lock->holder == GPCI_NO_ITEM || (gpci_task_at(e, f->parent)->down && gpci_task_at(e, f->parent)->lent))
        return false;
    const gpci_module *m = gpci_task_module(e, f);
    const bool coming = gpci_is_coming(m, f->block, gpci_module_tag_of(m, f->address));
    if (gpci_task_at(e, f->parent)->down && gpci_may_pass(e, lock, coming))
        pass(e, task, lock);
    else
        conflict(e, task, &lock->waiters);
    return true;
}

/* Would a request of which a block has been found, or none, need what its module can only have from below? */
static bool needs_below(const gpci_controllers *e, const gpci_task *r, uint32_t block, gpci_step step) {
    const gpci_module *m = gpci_task_module(e, r);
    if (gpci_module_directory_only(m, block) || gpci_module_is_partial(m, block))
        return true;
    const bool write = step == GPCI_STEP_write_come || step == GPCI_STEP_write_found;
    return write && m->rules[m->states[block]][GPC_EVENT_WRITE_ABOVE].actions & GPC_DO_WRITE_REQUEST;
}

bool gpci_controllers_asks_below(const gpci_controllers *e, uint32_t task, gpci_step step) {
    const gpci_task *r = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, r);
    if (m->place == GPCI_PLACE_MEMORY || r->down)
        return false;
    const uint64_t tag = gpci_module_tag_of(m, r->address);
    const uint32_t block = gpci_module_find(m, tag);
    if (block == GPCI_TREE_NO_BLOCK)
        return gpci_find_coming(e, m, tag) == GPCI_TREE_NO_BLOCK;
    return needs_below(e, r, block, step);
}

/* The same of the request of a lookup, which knows what there is. */
static bool asks_below(const gpci_controllers *e, const gpci_task *f, gpci_step step) {
    const gpci_module *m = gpci_task_module(e, f);
    if (m->place == GPCI_PLACE_MEMORY || !f->hit)
        return m->place != GPCI_PLACE_MEMORY;
    return !gpci_is_coming(m, f->block, gpci_module_tag_of(m, f->address)) &&
           needs_below(e, gpci_task_at(e, f->parent), f->block, step);
}

/* Does a request lack the MSHR entry that it needs? Then it waits for one. */
static bool lacks_entry(gpci_controllers *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    const gpci_task *request = gpci_task_at(e, f->parent);
    const gpci_step step = (gpci_step)f->resumes;
    if (!e->host || request->down || request->mshr || (step != GPCI_STEP_read_found && step != GPCI_STEP_write_found))
        return false;
    if (!asks_below(e, f, step) || e->host->allocate(e->host->self, f->parent))
        return false;
    if (request->forwarded || !e->waits) {
        f->blocking = false;
        conflict(e, task, NULL);
        return true;
    }
    gpci_lookup_waits(e, task, &e->units[f->module].entry_waiters, false);
    return true;
}

/* All look again: the first may need none any more. */
void gpci_controllers_entry_free(gpci_controllers *e, uint32_t module) {
    gpci_wake(e, &e->units[module].entry_waiters, 0);
}

/* Has the near half of a cache locked as much as it may? Then a request of it waits. */
static bool must_leave_room(gpci_controllers *e, uint32_t task, uint64_t tag) {
    const gpci_task *f = gpci_task_at(e, task);
    if (gpci_task_at(e, f->parent)->down || f->resumes == GPCI_STEP_tell_found)
        return false;
    if (!is_full_of_near(e, gpci_task_module(e, f), tag))
        return false;
    conflict(e, task, &e->units[f->module].bar_waiters);
    return true;
}

/* The address of the block beside `tag` in its line that would have this place. */
static uint64_t sector_tag(const gpci_module *m, uint64_t tag, uint32_t sector) {
    return (tag >> m->line_shift << m->line_shift) + ((uint64_t)sector << m->block_shift);
}

/* Blocks of another line are in the way that a block is to get: they are locked while they are evicted. Are there? */
static bool lock_line(gpci_controllers *e, gpci_task *f, uint64_t tag) {
    const gpci_module *m = gpci_task_module(e, f);
    f->emptied = 0;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, f->block, sector);
        if (m->states[other] == GPC_LINE_I || gpci_module_same_line(m, gpci_module_tag(m, other), tag))
            continue;
        gpci_lock_take(e, m->index, other, f->flight, sector_tag(m, tag, sector));
        f->emptied |= (uint8_t)(1u << sector);
    }
    return f->emptied;
}

/* Does a block leave with others of its line? Of the ways of the directory alone none does, nor where they come in. */
static bool is_of_line(const gpci_module *m, uint32_t block) {
    return m->sector_mask && !gpci_module_directory_only(m, block) && !gpci_module_is_fill(m, block);
}

/* It is found, or has a way, and nobody has that locked. */
static void take(gpci_controllers *e, uint32_t task, uint64_t tag) {
    gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    const bool promotes = f->entry != GPCI_TREE_NO_BLOCK;
    m->stats.directory_accesses++;
    gpci_lock_take(e, f->module, f->block, f->flight, tag);
    if (promotes)
        gpci_lock_take(e, f->module, f->entry, f->flight, tag);
    if (f->hit)
        (gpci_task_at(e, f->parent)->down ? gpci_module_probe : gpci_module_touch)(m, promotes ? f->entry : f->block);
    f->state = m->states[f->block];
    f->evicting = (!f->hit || promotes) && (is_of_line(m, f->block) ? lock_line(e, f, tag) : f->state != GPC_LINE_I);
    gpci_step_after(e, task, GPCI_STEP_find_locked, m, m->given.directory_latency);
}

void gpci_step_find_look(gpci_controllers *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    const uint64_t tag = gpci_module_tag_of(m, f->address);
    const gpci_tree_flight *flight = gpci_tree_flight_at(e, f->flight);
    if (!e->host)
        mark_port(e, f, true);
    m->stats.accesses++;
    m->stats.retries += f->parent == flight->task && flight->retries;
    /* probes of near halves, and invalidations, bring nothing */
    const bool brings = !(m->near && gpci_task_at(e, f->parent)->down) && f->resumes != GPCI_STEP_tell_found;
    if (GPCI_UNLIKELY(e->units[m->index].barred != GPCI_NO_ITEM) && brings && gpci_is_barred(e, m, tag)) {
        conflict(e, task, &e->units[m->index].bar_waiters);
        return;
    }
    look_up(e, f, tag);
    if (!f->hit && !f->allocates) {
        miss(e, task);
        return;
    }
    if ((f->hit && is_locked(e, task)) || lacks_entry(e, task))
        return;
    if (GPCI_UNLIKELY(m->near) && must_leave_room(e, task, tag))
        return;
    f->out = GPCI_UNLIKELY(m->asks) && is_kept_out(e, f, tag);
    const bool promotes = f->hit && f->allocates && !f->out && gpci_module_directory_only(m, f->block);
    f->entry = promotes ? f->block : GPCI_TREE_NO_BLOCK;
    if (!f->hit || promotes) {
        f->block = f->out || m->fill_ways ? make_entry_room(e, m, tag) : make_room(e, m, tag);
        if (GPCI_UNLIKELY(f->block == WAIT_FOR_ROOM)) {
            conflict(e, task, &e->units[m->index].bar_waiters);
            return;
        }
        if (is_locked(e, task))
            return;
    }
    take(e, task, tag);
}

static void evict_victim(gpci_controllers *e, uint32_t task, gpci_step next, uint32_t block) {
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

/* All blocks of the line that has the way, at a time. A probe may have taken one since. */
static void evict_line(gpci_controllers *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, f);
    const uint32_t block = f->block, emptied = f->emptied;
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

/* The data of a block of which there was an entry alone. */
static void bring(gpci_controllers *e, uint32_t task) {
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

void gpci_step_find_locked(gpci_controllers *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    const gpci_step next = f->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room;
    release_port(e, f);
    if (GPCI_UNLIKELY(f->out) && f->hit) {
        bring(e, task);
        return;
    }
    if (!f->evicting) {
        gpci_then(e, task, next);
        return;
    }
    tell(e, GPCI_MET_EVICT, f);
    if (is_of_line(gpci_task_module(e, f), f->block))
        evict_line(e, task);
    else
        evict_victim(e, task, next, f->block);
}

/*
 * A block of the line that had the way has gone, or was refused. Its lock is of no more use, unless it is where the new
 * one is to be: others, which wait below maybe, must not wait for the rest.
 */
void gpci_find_block_left(gpci_controllers *e, uint32_t task, uint32_t block, bool refused) {
    gpci_task *f = gpci_task_at(e, task);
    if (block == f->block && !refused)
        return;
    f->lost |= block == f->block;
    gpci_unlock(e, f->module, block);
}

/* One of them; after the last the way is the new line's. */
void gpci_step_find_gone(gpci_controllers *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    if (!--f->pending)
        gpci_then(e, task, f->entry == GPCI_TREE_NO_BLOCK ? GPCI_STEP_find_end : GPCI_STEP_find_room);
}

/*
 * There is a way for an entry of the directory alone, which gets its data again, unless that eviction has needed the
 * entry's way: then all is gone, and the block is as one that is missing.
 */
void gpci_step_find_room(gpci_controllers *e, uint32_t task) {
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
    gpci_tree_move_entry(e->tree, m, f->entry, f->block, gpci_present(e));
    gpci_look_again(e, m->index, f->entry);
    bring(e, task);
}

void gpci_step_find_filled(gpci_controllers *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    if (f->refused && f->entry != GPCI_TREE_NO_BLOCK)
        gpci_tree_move_entry(e->tree, m, f->block, f->entry, gpci_present(e));
    else if (!f->refused && f->judged == GPCI_JUDGED_NOT) /* else it is no hit */
        gpci_module_touch(m, f->block);
    gpci_then(e, task, GPCI_STEP_find_end);
}

void gpci_step_find_end(gpci_controllers *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task), *parent = gpci_task_at(e, f->parent);
    gpci_module *m = gpci_task_module(e, f);
    const gpci_tree_point now = gpci_present(e);
    /* before the entry: who waits for that wants this way, too, and must not come first each time */
    if (f->refused && !f->lost)
        gpci_unlock(e, f->module, f->block);
    if (f->entry != GPCI_TREE_NO_BLOCK)
        gpci_unlock(e, f->module, f->entry);
    if (f->refused) {
        parent->refused = true;
        gpci_task_end(e, task);
        return;
    }
    if (f->evicting && !f->out) {
        m->stats.evictions++;
        if (!m->sector_mask)
            gpci_tree_set_state(e->tree, m, f->block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTION, now);
    }
    if (m->place == GPCI_PLACE_MEMORY && m->states[f->block] == GPC_LINE_I)
        gpci_tree_set_state(e->tree, m, f->block, gpci_module_tag_of(m, f->address), GPC_LINE_E,
                            GPC_ORIGIN_FIND_IN_MEMORY, now);
    parent->block = f->block;
    parent->state = m->states[f->block];
    /* an entry that could have been kept one is no hit */
    parent->hit = f->hit && !f->out && (f->judged == GPCI_JUDGED_NOT || f->entry == GPCI_TREE_NO_BLOCK);
    gpci_task_end(e, task);
}
