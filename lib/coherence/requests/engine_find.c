/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/requests/engine_room.h"

/*
 * Ports, lookups, locks. A lookup takes a port, finds the block or makes room for it, locks it, holds the port for the
 * directory's latency, evicts the victim, and leaves the block locked for the parent. A block being brought is found by
 * the coming tag.
 */

/* With a host, the host handles ports. */
void gpci_step_find_begin(gpci_engine *e, uint32_t task) {
    if (e->host) {
        gpci_step_find_look(e, task);
        return;
    }
    const gpci_task *f = gpci_task_at(e, task);
    gpci_engine_unit *unit = &e->units[f->module];
    const uint32_t ports = gpci_task_module(e, f)->given.ports;
    if (!ports || (unit->ports_used < ports && unit->port_waiters.head == GPCI_NO_ITEM)) {
        unit->ports_used++;
        gpci_then(e, task, GPCI_STEP_find_look);
        return;
    }
    (f->goes_first ? gpci_due_queue_lead : gpci_due_queue_join)(&e->waiters, &unit->port_waiters,
                                                                (gpci_due){task, GPCI_STEP_find_look});
}

/* Mark the lookup of the access itself: no access joins meanwhile. */
static void mark_port(const gpci_engine *e, const gpci_task *f, bool holds) {
    gpci_tree_inflight *inflight = gpci_tree_inflight_at(e, f->inflight);
    if (f->parent == inflight->task)
        inflight->holds_port = holds;
}

void gpci_find_release_port(gpci_engine *e, const gpci_task *f) {
    gpci_engine_unit *unit = &e->units[f->module];
    gpci_due due;
    if (e->host)
        return;
    mark_port(e, f, false);
    if (gpci_due_queue_leave(&e->waiters, &unit->port_waiters, &due))
        gpci_step_in(e, due.subject, (gpci_step)due.step, 0);
    else
        unit->ports_used--;
}

/* A lookup met a lock or a blocked address: refuse it, or queue it to look again. */
static void conflict(gpci_engine *e, uint32_t task, gpci_due_queue *waiters) {
    gpci_task *f = gpci_task_at(e, task);
    gpci_find_tell(e, f->blocking ? GPCI_MET_WAIT : GPCI_MET_REFUSE, f);
    if (f->blocking) {
        e->waited += !gpci_task_at(e, f->parent)->down;
        const bool first = e->passes && gpci_task_at(e, f->parent)->down; /* accesses wait for the probe's answer */
        gpci_find_release_port(e, f);
        gpci_lookup_waits(e, task, waiters, first);
        return;
    }
    gpci_task *parent = gpci_task_at(e, f->parent);
    parent->refused = true;
    if (GPCI_UNLIKELY(parent->address_blocked)) /* as a lookup that waited for a way */
        gpci_lift_bar(e, f->parent);
    gpci_find_release_port(e, f);
    gpci_task_end(e, task);
}

static void miss(gpci_engine *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    gpci_task_module(e, f)->stats.directory_accesses++;
    gpci_task_at(e, f->parent)->missing = true;
    if (f->blocks_address &&
        !gpci_task_at(e, f->parent)->address_blocked) /* at once, before later lookups of the cycle */
        gpci_block_address(e, f->parent);
    else if (!f->blocks_address && gpci_task_at(e, f->parent)->address_blocked)
        gpci_lift_bar(e, f->parent);
    gpci_find_release_port(e, f);
    gpci_task_end(e, task);
}

/*
 * Look up a tag; sets `block` and `hit`. A probe may find a block locked by its own access (the low module evicted the
 * entry on behalf of a request of this access). It is admitted, and sees only what was there before.
 */
static void look_up(const gpci_engine *e, gpci_task *f, uint64_t tag) {
    const gpci_module *m = gpci_task_module(e, f);
    gpci_task *parent = gpci_task_at(e, f->parent);
    f->block = gpci_module_find(m, tag);
    const bool there = f->block != GPCI_TREE_NO_BLOCK;
    if (!there)
        f->block = gpci_find_coming(e, m, tag);
    f->hit = f->block != GPCI_TREE_NO_BLOCK;
    if (!parent->down || !f->hit || !gpci_lock_is_of(e, gpci_lock_of(e, m->index, f->block), f->inflight))
        return;
    f->hit = parent->lent = there;
    f->block = there ? f->block : GPCI_TREE_NO_BLOCK;
}

/* A probe continues with a block locked by another access. */
static void pass(gpci_engine *e, uint32_t task, gpci_lock *lock) {
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
    gpci_find_release_port(e, f);
    gpci_task_end(e, task);
}

/* True if the block is locked for this lookup: the lookup is refused or queued, or a probe passes. */
static bool is_locked(gpci_engine *e, uint32_t task) {
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

/*
 * A lookup waits for a way, or for an earlier task that blocks the address. Without a directory a later access may
 * bypass the module: the lookup blocks the address, too, until the lookup has a way, so that no such access overtakes.
 * Waiters may be woken in another order; the list of tasks that block addresses keeps the order of arrival.
 */
static void keep_turn(gpci_engine *e, uint32_t parent, bool blocking) {
    if (blocking && !gpci_tree_has(e->tree, GPC_PROTOCOL_DIRECTORY) && !gpci_task_at(e, parent)->address_blocked)
        gpci_block_address(e, parent);
}

/* True if the chosen way is locked. */
static bool waits_for_way(gpci_engine *e, uint32_t task) {
    const gpci_task *f = gpci_task_at(e, task);
    const uint32_t parent = f->parent;
    const bool blocking = f->blocking;
    if (!is_locked(e, task))
        return false;
    keep_turn(e, parent, blocking);
    return true;
}

/* True if a request needs data or permission that its module must get from below. */
static bool needs_below(const gpci_engine *e, const gpci_task *r, uint32_t block, gpci_step step) {
    const gpci_module *m = gpci_task_module(e, r);
    if (gpci_module_directory_only(m, block) || gpci_module_is_partial(m, block))
        return true;
    const bool write = step == GPCI_STEP_write_come || step == GPCI_STEP_write_found;
    return write && m->rules[m->states[block]][GPC_EVENT_WRITE_ABOVE].actions & GPC_DO_WRITE_REQUEST;
}

bool gpci_engine_asks_below(const gpci_engine *e, uint32_t task, gpci_step step) {
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

/* Variant for the lookup of a request, with a known result. */
static bool asks_below(const gpci_engine *e, const gpci_task *f, gpci_step step) {
    const gpci_module *m = gpci_task_module(e, f);
    if (m->place == GPCI_PLACE_MEMORY || !f->hit)
        return m->place != GPCI_PLACE_MEMORY;
    return !gpci_is_coming(m, f->block, gpci_module_tag_of(m, f->address)) &&
           needs_below(e, gpci_task_at(e, f->parent), f->block, step);
}

/* True if a request needs an MSHR entry and no entry is free; the request then waits. */
static bool lacks_entry(gpci_engine *e, uint32_t task) {
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

/* Let all waiters look again: the first may no longer need an entry. */
void gpci_engine_entry_free(gpci_engine *e, uint32_t module) {
    gpci_wake(e, &e->units[module].entry_waiters, 0);
}

/* True if the near half has locked as many ways as it may; the request then waits. */
static bool must_leave_room(gpci_engine *e, uint32_t task, uint64_t tag) {
    const gpci_task *f = gpci_task_at(e, task);
    if (gpci_task_at(e, f->parent)->down || f->resumes == GPCI_STEP_tell_found)
        return false;
    if (!gpci_is_full_of_near(e, gpci_task_module(e, f), tag))
        return false;
    keep_turn(e, f->parent, f->blocking);
    conflict(e, task, &e->units[f->module].address_waiters);
    return true;
}

/* Address of the block of `tag`'s line with sector number `sector`. */
static uint64_t sector_tag(const gpci_module *m, uint64_t tag, uint32_t sector) {
    return (tag >> m->line_shift << m->line_shift) + ((uint64_t)sector << m->block_shift);
}

/* Lock blocks of another line in the chosen way during eviction. False: the way has no such blocks. */
static bool lock_line(gpci_engine *e, gpci_task *f, uint64_t tag) {
    const gpci_module *m = gpci_task_module(e, f);
    f->emptied = 0;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, f->block, sector);
        if (m->states[other] == GPC_LINE_I || gpci_module_same_line(m, gpci_module_tag(m, other), tag))
            continue;
        gpci_lock_take(e, m->index, other, f->inflight, sector_tag(m, tag, sector));
        f->emptied |= (uint8_t)(1u << sector);
    }
    return f->emptied;
}

/* Take the found or chosen block, which is unlocked. */
static void take(gpci_engine *e, uint32_t task, uint64_t tag) {
    gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    const bool promotes = f->entry != GPCI_TREE_NO_BLOCK;
    m->stats.directory_accesses++;
    if (GPCI_UNLIKELY(gpci_task_at(e, f->parent)->address_blocked))
        gpci_lift_bar(e, f->parent);
    gpci_lock_take(e, f->module, f->block, f->inflight, tag);
    if (promotes)
        gpci_lock_take(e, f->module, f->entry, f->inflight, tag);
    if (f->hit)
        (gpci_task_at(e, f->parent)->down ? gpci_module_probe : gpci_module_touch)(m, promotes ? f->entry : f->block);
    f->state = m->states[f->block];
    f->evicting = (!f->hit || promotes) &&
                  (gpci_module_leaves_with_line(m, f->block) ? lock_line(e, f, tag) : f->state != GPC_LINE_I);
    if (e->alone)
        gpci_trail_look(e, task, m);
    if (e->untimed)
        gpci_step_find_locked(e, task);
    else
        gpci_step_after(e, task, GPCI_STEP_find_locked, m, m->given.directory_latency);
}

/* Begin a lookup as a separate task. */
static uint32_t begin_lookup(gpci_engine *e, uint32_t task, const gpci_look *find) {
    uint32_t lookup;
    gpci_task *f = gpci_task_begin(e, task, find->resumes, find->module, find->module, find->address, &lookup);
    f->blocking = find->blocking;
    f->allocates = find->allocates;
    f->goes_first = find->goes_first;
    f->blocks_address = find->blocks_address;
    f->sort = GPCI_TASK_LOOKUP;
    f->entry = GPCI_TREE_NO_BLOCK;
    return lookup;
}

/* -- lookups of untimed lone accesses */

/* True if a victim leaves without any message. */
static bool leaves_silently(const gpci_engine *e, const gpci_module *m, uint32_t block) {
    const gpc_protocol_rule *rule = &m->rules[m->states[block]][GPC_EVENT_EVICTION];
    return rule->actions && !(rule->actions & (GPC_DO_WRITE_BACK | GPC_DO_NOTIFY | GPC_DO_FORBID)) &&
           !gpci_tree_has(e->tree, GPC_PROTOCOL_INVALIDATES) && !gpci_module_has_sharers(m, block) && !m->twin;
}

static void evict_silently(gpci_engine *e, uint32_t task, gpci_module *m, uint32_t block, uint64_t tag) {
    const uint64_t now = e->now;
    gpci_trail_evict(e, task, m, block);
    gpci_module_leave(m, block, tag, gpci_tree_is_modified(e->tree, m->states[block]));
    gpci_tree_set_state(e->tree, m, block, 0, GPC_LINE_I,
                        m->place == GPCI_PLACE_MEMORY ? GPC_ORIGIN_EVICT_IN_MEMORY : GPC_ORIGIN_EVICTED, now);
    m->stats.evictions++;
    gpci_tree_set_state(e->tree, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTION, now);
}

/* Give a locked block to the task, which continues. */
static void find_done(gpci_engine *e, uint32_t task, const gpci_module *m, uint32_t block, const gpci_look *find,
                      bool hit) {
    gpci_task *t = gpci_task_at(e, task);
    t->block = block;
    t->state = m->states[block];
    t->hit = hit;
    gpci_trail_found(e, task, block, hit);
    gpci_then(e, task, find->resumes);
}

/* True if the way of a block holds another line, which must leave first. */
static bool is_taken_by_others(const gpci_module *m, uint32_t block, uint64_t tag) {
    if (!m->sector_mask)
        return m->states[block] != GPC_LINE_I;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (m->states[other] != GPC_LINE_I && !gpci_module_same_line(m, gpci_module_tag(m, other), tag))
            return true;
    }
    return false;
}

/* Make room for an absent block, in a module without locked blocks. */
static void find_room(gpci_engine *e, uint32_t task, const gpci_look *find, gpci_module *m, uint64_t tag) {
    const uint32_t block = gpci_choose_way(e, m, tag);
    const bool evicts = is_taken_by_others(m, block, tag);
    m->stats.accesses++;
    if (evicts && (m->sector_mask || !leaves_silently(e, m, block))) {
        const uint32_t lookup = begin_lookup(e, task, find);
        gpci_task_at(e, lookup)->block = block;
        take(e, lookup, tag);
        return;
    }
    m->stats.directory_accesses++;
    gpci_lock_take(e, m->index, block, gpci_task_at(e, task)->inflight, tag);
    gpci_trail_look(e, task, m);
    if (evicts)
        evict_silently(e, task, m, block, tag);
    if (m->place == GPCI_PLACE_MEMORY)
        gpci_tree_set_state(e->tree, m, block, tag, GPC_LINE_E, GPC_ORIGIN_FIND_IN_MEMORY, e->now);
    find_done(e, task, m, block, find, false);
}

/* Look up without a separate task. False: the lookup may have to wait or to fill an entry, and nothing was done. */
static bool find_at_once(gpci_engine *e, uint32_t task, const gpci_look *find) {
    gpci_module *m = gpci_module_at(e->tree, find->module);
    const uint64_t tag = gpci_module_tag_of(m, find->address);
    if (GPCI_UNLIKELY(e->units[m->index].address_blocked != GPCI_NO_ITEM || m->asks || m->near ||
                      !gpci_holds_none(e, m)))
        return false;
    const uint32_t block = gpci_module_find(m, tag);
    gpci_task *t = gpci_task_at(e, task);
    if (block == GPCI_TREE_NO_BLOCK && find->allocates) {
        find_room(e, task, find, m, tag);
        return true;
    }
    if (block != GPCI_TREE_NO_BLOCK && find->allocates && gpci_module_directory_only(m, block))
        return false;
    m->stats.accesses++;
    m->stats.directory_accesses++;
    if (block == GPCI_TREE_NO_BLOCK) {
        t->missing = true;
        if (find->blocks_address)
            gpci_block_address(e, task);
        gpci_then(e, task, find->resumes);
        return true;
    }
    gpci_lock_take(e, m->index, block, t->inflight, tag);
    (t->down ? gpci_module_probe : gpci_module_touch)(m, block);
    gpci_trail_look(e, task, m);
    find_done(e, task, m, block, find, true);
    return true;
}

void gpci_find_begin(gpci_engine *e, uint32_t task, const gpci_look *find) {
    if (!e->untimed || !find_at_once(e, task, find))
        gpci_then(e, begin_lookup(e, task, find), GPCI_STEP_find_begin);
}

void gpci_step_find_look(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, f);
    const uint64_t tag = gpci_module_tag_of(m, f->address);
    const gpci_tree_inflight *inflight = gpci_tree_inflight_at(e, f->inflight);
    if (!e->host)
        mark_port(e, f, true);
    m->stats.accesses++;
    m->stats.retries += f->parent == inflight->task && inflight->retries;
    /* probes to near halves, and invalidations, bring no block */
    const bool brings = !(m->near && gpci_task_at(e, f->parent)->down) && f->resumes != GPCI_STEP_tell_found;
    if (GPCI_UNLIKELY(e->units[m->index].address_blocked != GPCI_NO_ITEM) && brings &&
        gpci_address_is_blocked(e, m, tag, f->parent)) {
        keep_turn(e, f->parent, f->blocking);
        conflict(e, task, &e->units[m->index].address_waiters);
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
    f->out = GPCI_UNLIKELY(m->asks) && gpci_is_kept_out(e, f, tag);
    const bool promotes = f->hit && f->allocates && !f->out && gpci_module_directory_only(m, f->block);
    f->entry = promotes ? f->block : GPCI_TREE_NO_BLOCK;
    if (!f->hit || promotes) {
        f->block =
            f->out || (m->fill_ways && !e->alone) ? gpci_choose_entry_way(e, m, tag) : gpci_choose_way(e, m, tag);
        if (GPCI_UNLIKELY(f->block == GPCI_WAIT_FOR_ROOM)) {
            keep_turn(e, f->parent, f->blocking);
            conflict(e, task, &e->units[m->index].address_waiters);
            return;
        }
        if (waits_for_way(e, task))
            return;
    }
    take(e, task, tag);
}

void gpci_step_find_end(gpci_engine *e, uint32_t task) {
    gpci_task *f = gpci_task_at(e, task), *parent = gpci_task_at(e, f->parent);
    gpci_module *m = gpci_task_module(e, f);
    const uint64_t now = e->now;
    /* before the entry: its waiters want this way too, and must not always come first */
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
    /* an entry whose data a policy could have kept out is no hit */
    parent->hit = f->hit && !f->out && (f->judged == GPCI_JUDGED_NOT || f->entry == GPCI_TREE_NO_BLOCK);
    if (e->alone)
        gpci_trail_found(e, f->parent, f->block, parent->hit);
    gpci_task_end(e, task);
}
