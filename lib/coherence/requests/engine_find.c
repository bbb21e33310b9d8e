/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine_alone.h"
#include "coherence/requests/engine_room.h"

/*
 * Ports, lookups, locks. A lookup takes a port, finds the block or chooses a way for it, locks the block, and holds the
 * port for the directory's latency. Then the lookup evicts the victim, and leaves the block locked for the parent. If a
 * block is on its way to the module, a lookup finds its locked way by the tag in the lock (gpci_find_coming).
 */

/* Take a port, or wait for a port. With a host, the host handles the ports. */
void gpci_step_find_begin(gpci_engine *engine, uint32_t task) {
    if (engine->host) {
        gpci_step_find_look(engine, task);
        return;
    }
    const gpci_task *find = gpci_task_at(engine, task);
    gpci_engine_unit *unit = &engine->units[find->module];
    const uint32_t ports = gpci_task_module(engine, find)->given.ports;
    if (!ports || (unit->ports_used < ports && unit->port_waiters.head == GPCI_NO_ITEM)) {
        unit->ports_used++;
        gpci_then(engine, task, GPCI_STEP_find_look);
        return;
    }
    (find->goes_first ? gpci_due_queue_lead : gpci_due_queue_join)(&engine->waiters, &unit->port_waiters,
                                                                   (gpci_due){task, GPCI_STEP_find_look});
}

/* Note in the access that its own lookup holds a port: meanwhile no access joins. */
static void mark_port(const gpci_engine *engine, const gpci_task *find, bool holds) {
    gpci_tree_inflight *inflight = gpci_tree_inflight_at(engine, find->inflight);
    if (find->parent == inflight->task)
        inflight->holds_port = holds;
}

void gpci_find_release_port(gpci_engine *engine, const gpci_task *find) {
    gpci_engine_unit *unit = &engine->units[find->module];
    gpci_due due;
    if (engine->host)
        return;
    mark_port(engine, find, false);
    if (gpci_due_queue_leave(&engine->waiters, &unit->port_waiters, &due))
        gpci_step_in(engine, due.subject, (gpci_step)due.step, 0);
    else
        unit->ports_used--;
}

void gpci_find_tell(const gpci_engine *engine, gpci_met what, const gpci_task *lookup) {
    if (engine->host)
        engine->host->met(engine->host->self, what, lookup->parent, lookup->module);
}

#ifdef GPCI_CHECK
/* True if the lookup belongs to a request that is refused, and not to an access or a probe. */
static bool is_refused_request(const gpci_engine *engine, const gpci_task *find) {
    return !find->blocking && !gpci_task_at(engine, find->parent)->down &&
           (find->resumes == GPCI_STEP_read_found || find->resumes == GPCI_STEP_write_found);
}
#endif

/* Handle a lookup that met a lock or a blocked address: refuse the lookup, or queue it to look again. */
static void conflict(gpci_engine *engine, uint32_t task, gpci_due_queue *waiters) {
    gpci_task *find = gpci_task_at(engine, task);
    GPCI_AGAIN(gpci_task_module(engine, find)->again.accesses++);
    GPCI_AGAIN(gpci_task_module(engine, find)->refused_again += is_refused_request(engine, find));
    gpci_find_tell(engine, find->blocking ? GPCI_MET_WAIT : GPCI_MET_REFUSE, find);
    if (find->blocking) {
        engine->waited += !gpci_task_at(engine, find->parent)->down;
        const bool first =
            /* probes go first, because other accesses wait for the answers */
            engine->passes && gpci_task_at(engine, find->parent)->down;
        gpci_find_release_port(engine, find);
        gpci_lookup_waits(engine, task, waiters, first);
        return;
    }
    gpci_task *parent = gpci_task_at(engine, find->parent);
    parent->refused = true;
    if (GPCI_UNLIKELY(parent->address_blocked)) /* blocked by keep_order, when an earlier try waited for a way */
        gpci_unblock_address(engine, find->parent);
    gpci_find_release_port(engine, find);
    gpci_task_end(engine, task);
}

static void miss(gpci_engine *engine, uint32_t task) {
    const gpci_task *find = gpci_task_at(engine, task);
    gpci_task_module(engine, find)->stats.directory_accesses++;
    gpci_task_at(engine, find->parent)->missing = true;
    if (find->blocks_address &&
        !gpci_task_at(engine, find->parent)->address_blocked) /* blocked now, before later lookups of the same cycle */
        gpci_block_address(engine, find->parent);
    else if (!find->blocks_address && gpci_task_at(engine, find->parent)->address_blocked)
        gpci_unblock_address(engine, find->parent);
    gpci_find_release_port(engine, find);
    gpci_task_end(engine, task);
}

/*
 * Look up a tag, and set `block` and `hit`. A probe may find a block that its own access has locked, if the low module
 * evicted the entry on behalf of a request of this access. Such a probe is admitted (`lent`), and sees only a block
 * that was present before.
 */
static void look_up(const gpci_engine *engine, gpci_task *find, uint64_t tag, uint32_t row) {
    const gpci_module *module = gpci_task_module(engine, find);
    gpci_task *parent = gpci_task_at(engine, find->parent);
    find->block = gpci_module_find_in(module, tag, row);
    const bool there = find->block != GPCI_TREE_NO_BLOCK;
    if (!there)
        find->block = gpci_find_coming(engine, module, tag, row);
    find->hit = find->block != GPCI_TREE_NO_BLOCK;
    if (!parent->down || !find->hit ||
        !gpci_lock_is_of(engine, gpci_lock_of(engine, module->index, find->block), find->inflight))
        return;
    find->hit = parent->lent = there;
    find->block = there ? find->block : GPCI_TREE_NO_BLOCK;
}

/*
 * Let a probe pass a lock of another access: the probe continues with the block, or, if the block has not arrived,
 * without a block.
 */
static void pass(gpci_engine *engine, uint32_t task, gpci_lock *lock) {
    gpci_task *find = gpci_task_at(engine, task), *probe = gpci_task_at(engine, find->parent);
    gpci_module *module = gpci_task_module(engine, find);
    module->stats.directory_accesses++;
    if (gpci_is_coming(module, find->block, gpci_module_tag_of(module, find->address))) {
        probe->missing = true;
    } else {
        gpci_module_probe(module, find->block);
        probe->borrows = probe->hit = true;
        probe->block = find->block;
        probe->state = module->states[find->block];
        lock->probe = find->parent;
    }
    gpci_find_release_port(engine, find);
    gpci_task_end(engine, task);
}

/* True if the block is locked against this lookup: the function refuses or queues the lookup, or lets a probe pass. */
static bool is_locked(gpci_engine *engine, uint32_t task) {
    const gpci_task *find = gpci_task_at(engine, task);
    gpci_lock *lock = gpci_lock_of(engine, find->module, find->block);
    if (lock->holder == GPCI_NO_ITEM ||
        (gpci_task_at(engine, find->parent)->down && gpci_task_at(engine, find->parent)->lent))
        return false;
    const gpci_module *module = gpci_task_module(engine, find);
    const bool coming = gpci_is_coming(module, find->block, gpci_module_tag_of(module, find->address));
    if (gpci_task_at(engine, find->parent)->down && gpci_may_pass(engine, lock, coming))
        pass(engine, task, lock);
    else
        conflict(engine, task, &lock->waiters);
    return true;
}

/*
 * Keep accesses in order while a lookup waits for a way, or for an earlier task that blocks the address. In a protocol
 * without a directory, a later access may bypass the module: so the waiting lookup blocks the address, too, until it
 * has a way, and no access to the block overtakes. Waiters may be woken in another order; the list of tasks that block
 * addresses keeps the order of arrival.
 */
static void keep_order(gpci_engine *engine, uint32_t parent, bool blocking) {
    if (blocking && !gpci_tree_has(engine->tree, GPC_PROTOCOL_DIRECTORY) &&
        !gpci_task_at(engine, parent)->address_blocked)
        gpci_block_address(engine, parent);
}

/* True if the chosen way is locked: the lookup waits or is refused. */
static bool waits_for_way(gpci_engine *engine, uint32_t task) {
    const gpci_task *find = gpci_task_at(engine, task);
    const uint32_t parent = find->parent;
    const bool blocking = find->blocking;
    if (!is_locked(engine, task))
        return false;
    keep_order(engine, parent, blocking);
    return true;
}

/* True if a request for a present `block` needs data or permission from below. */
static bool needs_below(const gpci_engine *engine, const gpci_task *request, uint32_t block, gpci_step step) {
    const gpci_module *module = gpci_task_module(engine, request);
    if (gpci_module_directory_only(module, block) || gpci_module_is_partial(module, block))
        return true;
    const bool write = step == GPCI_STEP_write_come || step == GPCI_STEP_write_found;
    return write && module->rules[module->states[block]][GPC_EVENT_WRITE_ABOVE].actions & GPC_DO_WRITE_REQUEST;
}

bool gpci_engine_asks_below(const gpci_engine *engine, uint32_t task, gpci_step step) {
    const gpci_task *request = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, request);
    if (module->place == GPCI_PLACE_MEMORY || request->down)
        return false;
    const uint64_t tag = gpci_module_tag_of(module, request->address);
    const uint32_t row = gpci_module_row(module, tag), block = gpci_module_find_in(module, tag, row);
    if (block == GPCI_TREE_NO_BLOCK)
        return gpci_find_coming(engine, module, tag, row) == GPCI_TREE_NO_BLOCK;
    return needs_below(engine, request, block, step);
}

/* Variant of gpci_engine_asks_below for a lookup whose result is known. */
static bool asks_below(const gpci_engine *engine, const gpci_task *find, gpci_step step) {
    const gpci_module *module = gpci_task_module(engine, find);
    if (module->place == GPCI_PLACE_MEMORY || !find->hit)
        return module->place != GPCI_PLACE_MEMORY;
    return !gpci_is_coming(module, find->block, gpci_module_tag_of(module, find->address)) &&
           needs_below(engine, gpci_task_at(engine, find->parent), find->block, step);
}

/* True if a request needs an MSHR entry and no entry is free; the request then waits, or is refused. */
static bool lacks_entry(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    const gpci_task *request = gpci_task_at(engine, find->parent);
    const gpci_step step = (gpci_step)find->resumes;
    if (!engine->host || request->down || request->mshr ||
        (step != GPCI_STEP_read_found && step != GPCI_STEP_write_found))
        return false;
    if (!asks_below(engine, find, step) || engine->host->allocate(engine->host->self, find->parent))
        return false;
    if (request->forwarded || !engine->waits) {
        find->blocking = false;
        conflict(engine, task, NULL);
        return true;
    }
    GPCI_AGAIN(gpci_task_module(engine, find)->again.accesses++);
    gpci_lookup_waits(engine, task, &engine->units[find->module].entry_waiters, false);
    return true;
}

/* Wake all waiters for an entry, because the first may no longer need an entry. */
void gpci_engine_entry_free(gpci_engine *engine, uint32_t module) {
    gpci_wake(engine, &engine->units[module].entry_waiters, 0);
}

/* True if the near half already locks as many ways as it may; the request then waits, or is refused. */
static bool must_leave_room(gpci_engine *engine, uint32_t task, uint64_t tag) {
    const gpci_task *find = gpci_task_at(engine, task);
    if (gpci_task_at(engine, find->parent)->down || find->resumes == GPCI_STEP_tell_found)
        return false;
    if (!gpci_is_full_of_near(engine, gpci_task_module(engine, find), tag))
        return false;
    keep_order(engine, find->parent, find->blocking);
    conflict(engine, task, &engine->units[find->module].address_waiters);
    return true;
}

/* Address of the block of `tag`'s line with sector number `sector`. */
static uint64_t sector_tag(const gpci_module *module, uint64_t tag, uint32_t sector) {
    return (tag >> module->line_shift << module->line_shift) + ((uint64_t)sector << module->block_shift);
}

/*
 * Lock the blocks of another line in the chosen way, until the blocks are evicted. False: the way has no such blocks.
 */
static bool lock_line(gpci_engine *engine, gpci_task *find, uint64_t tag) {
    const gpci_module *module = gpci_task_module(engine, find);
    find->emptied = 0;
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t other = gpci_module_sector(module, find->block, sector);
        if (module->states[other] == GPC_LINE_I || gpci_module_same_line(module, gpci_module_tag(module, other), tag))
            continue;
        gpci_lock_take(engine, module->index, other, find->inflight, sector_tag(module, tag, sector));
        find->emptied |= (uint8_t)(1u << sector);
    }
    return find->emptied;
}

/* Lock the found or chosen block, which is unlocked, and schedule the rest of the lookup. */
static void take(gpci_engine *engine, uint32_t task, uint64_t tag) {
    gpci_task *find = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, find);
    const bool promotes = find->entry != GPCI_TREE_NO_BLOCK;
    module->stats.directory_accesses++;
    if (GPCI_UNLIKELY(gpci_task_at(engine, find->parent)->address_blocked))
        gpci_unblock_address(engine, find->parent);
    gpci_lock_take(engine, find->module, find->block, find->inflight, tag);
    if (promotes)
        gpci_lock_take(engine, find->module, find->entry, find->inflight, tag);
    if (find->hit)
        (gpci_task_at(engine, find->parent)->down ? gpci_module_probe
                                                  : gpci_module_touch)(module, promotes ? find->entry : find->block);
    find->state = module->states[find->block];
    find->evicting =
        (!find->hit || promotes) &&
        (gpci_module_leaves_with_line(module, find->block) ? lock_line(engine, find, tag) : find->state != GPC_LINE_I);
    if (engine->alone)
        gpci_trail_look(engine, task, module);
    if (engine->untimed)
        gpci_step_find_locked(engine, task);
    else
        gpci_step_after(engine, task, GPCI_STEP_find_locked, module, module->given.directory_latency);
}

/* Make the task of a lookup. */
static uint32_t begin_lookup(gpci_engine *engine, uint32_t task, const gpci_look *find) {
    uint32_t lookup;
    gpci_task *find_task =
        gpci_task_begin(engine, task, find->resumes, find->module, find->module, find->address, &lookup);
    find_task->blocking = find->blocking;
    find_task->allocates = find->allocates;
    find_task->goes_first = find->goes_first;
    find_task->blocks_address = find->blocks_address;
    find_task->sort = GPCI_TASK_LOOKUP;
    find_task->entry = GPCI_TREE_NO_BLOCK;
    return lookup;
}

/* -- lookups of untimed lone accesses */

/* True if a victim can leave without a message to any module. */
static bool leaves_silently(const gpci_engine *engine, const gpci_module *module, uint32_t block) {
    const gpc_protocol_rule *rule = &module->rules[module->states[block]][GPC_EVENT_EVICTION];
    return rule->actions && !(rule->actions & (GPC_DO_WRITE_BACK | GPC_DO_NOTIFY | GPC_DO_FORBID)) &&
           !gpci_tree_has(engine->tree, GPC_PROTOCOL_INVALIDATES) && !gpci_module_has_sharers(module, block) &&
           !module->twin;
}

static void evict_silently(gpci_engine *engine, uint32_t task, gpci_module *module, uint32_t block, uint64_t tag) {
    const uint64_t now = engine->now;
    gpci_trail_evict(engine, task, module, block);
    gpci_module_leave(module, block, tag, gpci_tree_is_modified(engine->tree, module->states[block]));
    gpci_tree_set_state(engine->tree, module, block, 0, GPC_LINE_I,
                        module->place == GPCI_PLACE_MEMORY ? GPC_ORIGIN_EVICT_IN_MEMORY : GPC_ORIGIN_EVICTED, now);
    module->stats.evictions++;
    GPCI_AGAIN(module->again.evictions++);
    gpci_tree_set_state(engine->tree, module, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTION, now);
}

/* Give the locked block of a lookup to the task, which continues. */
static void find_done(gpci_engine *engine, uint32_t task, const gpci_module *module, uint32_t block,
                      const gpci_look *find, bool hit) {
    gpci_task *work = gpci_task_at(engine, task);
    work->block = block;
    work->state = module->states[block];
    work->hit = hit;
    gpci_trail_found(engine, task, block, hit);
    gpci_then(engine, task, find->resumes);
}

/* True if the way of a block holds another line, which must leave first. */
static bool is_taken_by_others(const gpci_module *module, uint32_t block, uint64_t tag) {
    if (!module->sector_mask)
        return module->states[block] != GPC_LINE_I;
    for (uint32_t sector = 0; sector < module->sectors; sector++) {
        const uint32_t other = gpci_module_sector(module, block, sector);
        if (module->states[other] != GPC_LINE_I && !gpci_module_same_line(module, gpci_module_tag(module, other), tag))
            return true;
    }
    return false;
}

/* Make room for an absent block, in a module that has no locked blocks. */
static void find_room(gpci_engine *engine, uint32_t task, const gpci_look *find, gpci_module *module, uint64_t tag,
                      uint32_t row) {
    const uint32_t block = gpci_choose_way(engine, module, tag, row);
    const bool evicts = is_taken_by_others(module, block, tag);
    module->stats.accesses++;
    if (evicts && (module->sector_mask || !leaves_silently(engine, module, block))) {
        const uint32_t lookup = begin_lookup(engine, task, find);
        gpci_task_at(engine, lookup)->block = block;
        take(engine, lookup, tag);
        return;
    }
    module->stats.directory_accesses++;
    gpci_lock_take(engine, module->index, block, gpci_task_at(engine, task)->inflight, tag);
    gpci_trail_look(engine, task, module);
    if (evicts)
        evict_silently(engine, task, module, block, tag);
    if (module->place == GPCI_PLACE_MEMORY)
        gpci_tree_set_state(engine->tree, module, block, tag, GPC_LINE_E, GPC_ORIGIN_FIND_IN_MEMORY, engine->now);
    find_done(engine, task, module, block, find, false);
}

/*
 * Look up without a task for the lookup. False: the lookup may have to wait, or may need the data of a directory-only
 * entry; nothing was done.
 */
static bool find_at_once(gpci_engine *engine, uint32_t task, const gpci_look *find) {
    gpci_module *module = gpci_module_at(engine->tree, find->module);
    const uint64_t tag = gpci_module_tag_of(module, find->address);
    if (GPCI_UNLIKELY(engine->units[module->index].address_blocked != GPCI_NO_ITEM || module->asks || module->near ||
                      !gpci_holds_none(engine, module)))
        return false;
    const uint32_t row = gpci_module_row(module, tag), block = gpci_module_find_in(module, tag, row);
    gpci_task *work = gpci_task_at(engine, task);
    if (block == GPCI_TREE_NO_BLOCK && find->allocates) {
        find_room(engine, task, find, module, tag, row);
        return true;
    }
    if (block != GPCI_TREE_NO_BLOCK && find->allocates && gpci_module_directory_only(module, block))
        return false;
    module->stats.accesses++;
    module->stats.directory_accesses++;
    if (block == GPCI_TREE_NO_BLOCK) {
        work->missing = true;
        if (find->blocks_address)
            gpci_block_address(engine, task);
        gpci_then(engine, task, find->resumes);
        return true;
    }
    gpci_lock_take(engine, module->index, block, work->inflight, tag);
    (work->down ? gpci_module_probe : gpci_module_touch)(module, block);
    gpci_trail_look(engine, task, module);
    find_done(engine, task, module, block, find, true);
    return true;
}

void gpci_find_begin(gpci_engine *engine, uint32_t task, const gpci_look *find) {
    if (!engine->untimed || !find_at_once(engine, task, find))
        gpci_then(engine, begin_lookup(engine, task, find), GPCI_STEP_find_begin);
}

void gpci_step_find_look(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, find);
    const uint64_t tag = gpci_module_tag_of(module, find->address);
    const gpci_tree_inflight *inflight = gpci_tree_inflight_at(engine, find->inflight);
    if (!engine->host)
        mark_port(engine, find, true);
    module->stats.accesses++;
    module->stats.retries += find->parent == inflight->task && inflight->retries;
    GPCI_AGAIN(module->again.retries += inflight->retries && find->parent == inflight->task);
    /* probes of near halves, and invalidations, bring no block: blocked addresses do not matter */
    const bool brings =
        !(module->near && gpci_task_at(engine, find->parent)->down) && find->resumes != GPCI_STEP_tell_found;
    if (GPCI_UNLIKELY(engine->units[module->index].address_blocked != GPCI_NO_ITEM) && brings &&
        gpci_address_is_blocked(engine, module, tag, find->parent)) {
        keep_order(engine, find->parent, find->blocking);
        conflict(engine, task, &engine->units[module->index].address_waiters);
        return;
    }
    const uint32_t row = gpci_module_row(module, tag);
    look_up(engine, find, tag, row);
    if (!find->hit && !find->allocates) {
        miss(engine, task);
        return;
    }
    if ((find->hit && is_locked(engine, task)) || lacks_entry(engine, task))
        return;
    if (GPCI_UNLIKELY(module->near) && must_leave_room(engine, task, tag))
        return;
    find->out = GPCI_UNLIKELY(module->asks) && gpci_is_kept_out(engine, find, tag);
    const bool promotes = find->hit && find->allocates && !find->out && gpci_module_directory_only(module, find->block);
    find->entry = promotes ? find->block : GPCI_TREE_NO_BLOCK;
    if (!find->hit || promotes) {
        find->block = find->out || (module->fill_ways && !engine->alone)
                          ? gpci_choose_entry_way(engine, module, tag, row)
                          : gpci_choose_way(engine, module, tag, row);
        if (GPCI_UNLIKELY(find->block == GPCI_WAIT_FOR_ROOM)) {
            keep_order(engine, find->parent, find->blocking);
            conflict(engine, task, &engine->units[module->index].address_waiters);
            return;
        }
        if (waits_for_way(engine, task))
            return;
    }
    take(engine, task, tag);
}

void gpci_step_find_end(gpci_engine *engine, uint32_t task) {
    gpci_task *find = gpci_task_at(engine, task), *parent = gpci_task_at(engine, find->parent);
    gpci_module *module = gpci_task_module(engine, find);
    const uint64_t now = engine->now;
    /* unlock the way before the entry: the entry's waiters want the way, too, and must not always be first */
    if (find->refused && !find->lost)
        gpci_unlock(engine, find->module, find->block);
    if (find->entry != GPCI_TREE_NO_BLOCK)
        gpci_unlock(engine, find->module, find->entry);
    if (find->refused) {
        parent->refused = true;
        gpci_task_end(engine, task);
        return;
    }
    if (find->evicting && !find->out) {
        module->stats.evictions++;
        GPCI_AGAIN(module->again.evictions++);
        if (!module->sector_mask)
            gpci_tree_set_state(engine->tree, module, find->block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTION, now);
    }
    if (module->place == GPCI_PLACE_MEMORY && module->states[find->block] == GPC_LINE_I)
        gpci_tree_set_state(engine->tree, module, find->block, gpci_module_tag_of(module, find->address), GPC_LINE_E,
                            GPC_ORIGIN_FIND_IN_MEMORY, now);
    parent->block = find->block;
    parent->state = module->states[find->block];
    /* a directory-only entry is no hit if a policy could have kept its data out */
    parent->hit = find->hit && !find->out && (find->judged == GPCI_JUDGED_NOT || find->entry == GPCI_TREE_NO_BLOCK);
    if (engine->alone)
        gpci_trail_found(engine, find->parent, find->block, parent->hit);
    gpci_task_end(engine, task);
}
