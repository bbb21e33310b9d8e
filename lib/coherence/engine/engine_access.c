/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_host.h"
#include "coherence/module/tree_engine.h"

#include <string.h>

/*
 * An access at the first-level module.
 *
 * Order among a module's accesses in flight: a store waits for all older accesses; a load or n-store waits for the
 * nearest older store, and for older accesses to the same block. An access can join the access before it, share its
 * result and end with it: a load joins earlier loads of the block; a store of either kind joins the access just before,
 * if of the same kind and block and not in the lookup. Loads to other blocks do not matter, even if they end just now.
 *
 * Example, nmoesi, an empty L1: a load of A is looked up, locks a way and asks L2. Another load of A joins it. A store
 * to A waits until both have ended, then finds E and writes.
 */

static gpci_tree_inflight *inflight_of(const gpci_engine *e, uint32_t task) {
    return gpci_tree_inflight_at(e, gpci_task_at(e, task)->inflight);
}

static uint32_t event_of(const gpci_engine *e, const gpci_tree_inflight *a) {
    return gpci_tree_event_of(e->tree, a->kind, a->flags);
}

bool gpci_goes_alone(const gpci_engine *e, const gpci_tree_inflight *a) {
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    const uint32_t event = event_of(e, a);
    bool alone = event >= GPC_EVENT_COUNT || gpci_tree_goes_through(m, a->kind, a->flags) ||
                 gpci_tree_bypasses(m, event, a->kind, a->flags);
    for (uint32_t state = 0; state < e->tree->states; state++)
        alone |= (gpci_module_rule(m, (uint8_t)state, event)->actions & (GPC_DO_PASS | GPC_DO_WRITE_THROUGH)) != 0;
    return alone;
}

static bool same_block(const gpci_engine *e, const gpci_tree_inflight *a, const gpci_tree_inflight *b) {
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    return gpci_module_tag_of(m, a->address) == gpci_module_tag_of(m, b->address);
}

gpci_tree_payload gpci_store_of(const gpci_engine *e, uint32_t inflight) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    return (gpci_tree_payload){.address = a->address,
                               .bytes = a->gave_bytes ? gpci_payload_of(e, inflight) : NULL,
                               .mask = a->gave_mask ? gpci_mask_of(e, inflight) : NULL,
                               .size = a->size,
                               .atomic_count = e->rests ? e->rests[inflight].atomic_count : 0,
                               .atomics = e->rests ? e->rests[inflight].atomics : NULL};
}

/* Write and read an access's bytes when its master's block is unlocked. `block`: the master's block at this time. */
static void perform(gpci_engine *e, uint32_t inflight, uint32_t block) {
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    gpci_module *m = gpci_module_at(e->tree, a->module);
    if (a->applied)
        return;
    a->applied = true;
    if (!e->tree->with_data)
        return;
    if (a->kind != GPC_COHERENCE_LOAD) {
        const gpci_tree_payload store = gpci_store_of(e, inflight);
        gpci_tree_data_store(e->tree, m, block, &store);
    }
    gpci_tree_data_load(e->tree, m, block, a->address, a->size, gpci_payload_of(e, inflight));
    gpci_performed(e, inflight);
}

/* A load that joins an access with an already unlocked block reads the bytes saved at unlock. */
static void read_of_master(const gpci_engine *e, uint32_t inflight) {
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    a->applied = true;
    if (e->tree->with_data)
        memcpy(gpci_payload_of(e, inflight), gpci_whole_of(e, a->master) + (a->address & (m->given.block_bytes - 1)),
               a->size);
}

/* True if an access or acquire of the module has locked the block to evict it; a store to the block would be lost. */
static bool is_leaving(const gpci_engine *e, const gpci_module *m, uint32_t block) {
    const uint32_t holder = gpci_lock_of(e, m->index, block)->holder;
    return holder != GPCI_NO_ITEM && gpci_tree_inflight_at(e, holder)->module == m->index;
}

/* True if a store may join a performed store: the block is still as that store left it. */
static bool still_writes(const gpci_engine *e, const gpci_tree_inflight *a, uint32_t *block) {
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    *block = gpci_module_find(m, gpci_module_tag_of(m, a->address));
    if (*block == GPCI_TREE_NO_BLOCK)
        return false;
    const gpc_protocol_rule rule = *gpci_module_rule(m, m->states[*block], event_of(e, a));
    return rule.actions == GPC_DO_HIT && rule.next == m->states[*block] && !is_leaving(e, m, *block);
}

static uint32_t master_of(const gpci_engine *e, uint32_t inflight) {
    const uint32_t master = gpci_tree_inflight_at(e, inflight)->master;
    return master == GPCI_NO_ITEM ? inflight : master;
}

/* Neighbours in the order of a module's accesses; without order (no gpci_inflight_rest) none. */
static uint32_t older_than(const gpci_engine *e, uint32_t inflight) {
    return GPCI_LIKELY(!e->rests) ? GPCI_NO_ITEM : e->rests[inflight].older;
}

static uint32_t newer_than(const gpci_engine *e, uint32_t inflight) {
    return GPCI_LIKELY(!e->rests) ? GPCI_NO_ITEM : e->rests[inflight].newer;
}

/*
 * Access to join because of an older access to the block: the older access's master. A joined access ends after its
 * master, in the same cycle. In between Multi2Sim lets others join, and end in the cycle, too: the joined access itself
 * is then the master.
 */
static uint32_t joinable(const gpci_engine *e, uint32_t other) {
    if (GPCI_LIKELY(!gpci_tree_inflight_at(e, other)->ended))
        return master_of(e, other);
    return gpci_tree_has(e->tree, GPC_PROTOCOL_RETRY) ? other : GPCI_NO_ITEM;
}

static uint32_t who_is_joined(const gpci_engine *e, uint32_t inflight) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    uint32_t other = older_than(e, inflight), block;
    if (a->alone)
        return GPCI_NO_ITEM;
    if (a->kind == GPC_COHERENCE_LOAD) {
        for (; other != GPCI_NO_ITEM; other = older_than(e, other)) {
            const gpci_tree_inflight *o = gpci_tree_inflight_at(e, other);
            if (o->kind != GPC_COHERENCE_LOAD)
                return GPCI_NO_ITEM;
            if (same_block(e, o, a))
                return o->alone ? GPCI_NO_ITEM : joinable(e, other);
        }
        return GPCI_NO_ITEM;
    }
    if (other == GPCI_NO_ITEM)
        return other;
    const gpci_tree_inflight *o = gpci_tree_inflight_at(e, other);
    const uint32_t master = joinable(e, other);
    if (o->kind != a->kind || o->alone || o->holds_port || master == GPCI_NO_ITEM || !same_block(e, o, a))
        return GPCI_NO_ITEM;
    return gpci_tree_inflight_at(e, master)->unlocked && !still_writes(e, a, &block) ? GPCI_NO_ITEM : master;
}

static void enlist(gpci_engine *e, uint32_t inflight) {
    gpci_engine_unit *unit = &e->units[gpci_tree_inflight_at(e, inflight)->module];
    e->rests[inflight].older = unit->youngest;
    e->rests[inflight].newer = GPCI_NO_ITEM;
    if (unit->youngest == GPCI_NO_ITEM)
        unit->oldest = inflight;
    else
        e->rests[unit->youngest].newer = inflight;
    unit->youngest = inflight;
    unit->listed++;
}

/*
 * A joined access takes over the result of its master, which ends. With data a later access may read from the joined.
 */
static void take_over(gpci_engine *e, uint32_t master, uint32_t joined) {
    const gpci_tree_inflight *m = gpci_tree_inflight_at(e, master);
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, joined);
    a->ended = true;
    a->unlocked = m->unlocked;
    a->deepest = m->deepest;
    if (GPCI_UNLIKELY(gpci_tree_has(e->tree, GPC_PROTOCOL_RETRY)) && e->tree->with_data)
        memcpy(gpci_whole_of(e, joined), gpci_whole_of(e, master),
               gpci_module_at(e->tree, a->module)->given.block_bytes);
}

/* Remove an access from the list. Joined accesses end after it. */
static void strike_off(gpci_engine *e, uint32_t inflight) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    gpci_engine_unit *unit = &e->units[a->module];
    const uint32_t older = older_than(e, inflight), newer = newer_than(e, inflight);
    uint32_t other = a->master == GPCI_NO_ITEM ? newer : GPCI_NO_ITEM;
    for (; other != GPCI_NO_ITEM; other = newer_than(e, other))
        if (gpci_tree_inflight_at(e, other)->master == inflight)
            take_over(e, inflight, other);
    unit->listed--;
    unit->joined -= a->master != GPCI_NO_ITEM;
    if (older == GPCI_NO_ITEM)
        unit->oldest = newer;
    else
        e->rests[older].newer = newer;
    if (newer == GPCI_NO_ITEM)
        unit->youngest = older;
    else
        e->rests[newer].older = older;
    gpci_wake(e, &e->rests[inflight].waiters, 0);
}

static void report(gpci_engine *e, uint32_t inflight) {
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    a->notified = a->ended = true;
    if (!e->alone)
        gpci_due_queue_join(&e->waiters, &e->ended, (gpci_due){inflight, 0});
}

static void join(gpci_engine *e, uint32_t task, uint32_t master) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight), *m = gpci_tree_inflight_at(e, master);
    uint32_t block;
    a->master = master;
    gpci_due_queue_join(&e->waiters, &e->rests[master].waiters, (gpci_due){task, GPCI_STEP_access_end});
    if (m->unlocked && a->kind == GPC_COHERENCE_LOAD)
        read_of_master(e, inflight);
    else if (m->unlocked && still_writes(e, a, &block))
        perform(e, inflight, block);
    if (GPCI_UNLIKELY(m->ended))
        take_over(e, master, inflight);
    e->units[a->module].joined++;
    if (e->host)
        e->host->joined(e->host->self, inflight);
}

void gpci_step_access_begin(gpci_engine *e, uint32_t task) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    gpci_tree_inflight_at(e, inflight)->alone = gpci_goes_alone(e, gpci_tree_inflight_at(e, inflight));
    enlist(e, inflight);
    const uint32_t master = who_is_joined(e, inflight);
    if (master != GPCI_NO_ITEM)
        join(e, task, master);
    else
        gpci_then(e, task, GPCI_STEP_access_order);
}

/* Older access to wait for. */
static uint32_t who_comes_first(const gpci_engine *e, uint32_t inflight) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    uint32_t found = GPCI_NO_ITEM;
    if (a->kind == GPC_COHERENCE_STORE)
        return older_than(e, inflight);
    for (uint32_t other = older_than(e, inflight); other != GPCI_NO_ITEM; other = older_than(e, other)) {
        const gpci_tree_inflight *o = gpci_tree_inflight_at(e, other);
        if (o->kind == GPC_COHERENCE_STORE)
            return other;
        if (same_block(e, o, a))
            found = other;
    }
    return found;
}

void gpci_step_access_order(gpci_engine *e, uint32_t task) {
    const gpci_tree_inflight *a = inflight_of(e, task);
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    const uint32_t first = who_comes_first(e, gpci_task_at(e, task)->inflight);
    if (first != GPCI_NO_ITEM) {
        gpci_due_queue_join(&e->waiters, &e->rests[first].waiters, (gpci_due){task, GPCI_STEP_access_order});
        return;
    }
    gpci_find_begin(
        e, task,
        &(gpci_look){.address = a->address,
                     .module = a->module,
                     .resumes = GPCI_STEP_access_found,
                     .blocking = true,
                     .allocates = !a->through && !gpci_tree_bypasses(m, event_of(e, a), a->kind, a->flags)});
}

/* A module below was busy: try again later. */
static void try_again(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_tree_inflight *a = inflight_of(e, task);
    gpci_module *m = gpci_module_at(e->tree, a->module);
    const uint32_t latency = m->given.latency;
    t->refused = t->shared = t->missing = t->hit = false;
    t->block = GPCI_TREE_NO_BLOCK;
    t->state = GPC_LINE_I;
    a->retries++;
    gpci_step_after(e, task, GPCI_STEP_access_order, m, gpci_back_off(e, latency + 2));
}

static bool writes_all(const gpci_engine *e, const gpci_task *t) {
    const gpci_tree_payload store = gpci_store_of(e, t->inflight);
    return gpci_tree_writes_all(gpci_task_module(e, t), &store);
}

/* Send a request of the access's module to the low module. */
static void ask(gpci_engine *e, uint32_t task, gpci_step begin, gpci_step resumes, bool non_coherent) {
    gpci_task *t = gpci_task_at(e, task);
    const gpci_tree_inflight *a = inflight_of(e, task);
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    const uint64_t tag = gpci_module_tag_of(m, a->address);
    uint32_t request;
    gpci_task *r = gpci_task_begin(e, task, resumes, m->index, gpci_module_low(e->tree, m, tag), tag, &request);
    r->own = t->block;
    r->valid = t->state != GPC_LINE_I && m->states[t->block] != GPC_LINE_I;
    r->non_coherent = non_coherent;
    r->cause = gpci_named_event(event_of(e, a));
    r->event = gpci_raised_below(m, t->state, event_of(e, a),
                                 begin == GPCI_STEP_read_begin ? GPC_EVENT_READ_ABOVE : GPC_EVENT_WRITE_ABOVE);
    r->blind = GPCI_UNLIKELY(m->lazy) && begin == GPCI_STEP_write_begin && t->state == GPC_LINE_I &&
               a->kind != GPC_COHERENCE_LOAD && writes_all(e, t);
    t->shared = t->refused = false;
    gpci_ask(e, m, request, begin, t->state == GPC_LINE_I && gpci_needs_rest(e, m, t->inflight));
}

static gpc_protocol_rule rule_of(const gpci_engine *e, const gpci_task *t) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, t->inflight);
    return gpci_tree_rule(e->tree, gpci_module_at(e->tree, a->module), t->state, event_of(e, a));
}

static bool passes(const gpci_engine *e, const gpci_task *t, gpc_protocol_rule rule) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, t->inflight);
    return rule.actions & GPC_DO_PASS || gpci_tree_evicts(a->flags) ||
           (t->state == GPC_LINE_I &&
            gpci_tree_bypasses(gpci_module_at(e->tree, a->module), event_of(e, a), a->kind, a->flags));
}

/*
 * End an access with an unlocked block. With a host, L1 data latency is the host's concern, as without a tree. Without
 * a host the module's latency passes, as in Multi2Sim.
 */
static void end(gpci_engine *e, uint32_t task) {
    const gpci_module *m = gpci_task_module(e, gpci_task_at(e, task));
    if (e->alone)
        gpci_trail_use(e, task, m, false);
    if ((e->host && !e->orders) || e->untimed)
        gpci_then(e, task, GPCI_STEP_access_end);
    else
        gpci_step_after(e, task, GPCI_STEP_access_end, m, m->given.latency);
}

/*
 * A store is done here and the bytes were refused below. If a probe or write-back has taken the bytes meanwhile, they
 * have arrived; otherwise send them again.
 */
static void write_through_again(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_module(e, t);
    const bool gone = t->block == GPCI_TREE_NO_BLOCK;
    if (!gone && gpci_tree_is_modified(e->tree, m->states[t->block])) {
        gpci_store_begin(e, task, GPCI_STEP_access_through, gpci_tree_is_masked(e->tree, m->states[t->block]));
        return;
    }
    if (!gone)
        gpci_unlock(e, m->index, t->block);
    end(e, task);
}

/* Evict the block first. */
static void evict(gpci_engine *e, uint32_t task, gpci_step resumes) {
    const gpci_task *t = gpci_task_at(e, task);
    const uint32_t module = inflight_of(e, task)->module, block = t->block;
    uint32_t eviction;
    gpci_task_begin(e, task, resumes, module, module, t->address, &eviction)->own = block;
    gpci_then(e, eviction, GPCI_STEP_evict_begin);
}

void gpci_step_access_found(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_tree_inflight *a = inflight_of(e, task);
    if (t->refused) {
        try_again(e, task);
        return;
    }
    if (a->through) {
        write_through_again(e, task);
        return;
    }
    const gpc_protocol_rule rule = rule_of(e, t);
    a->found = t->state;
    const bool past = passes(e, t, rule);
    a->hit = !past && !(rule.actions & (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST));
    if (past && t->state != GPC_LINE_I && gpci_tree_evicts(a->flags)) {
        evict(e, task, GPCI_STEP_access_passing);
    } else if (past) {
        gpci_pass_begin(e, task, rule);
    } else if (rule.actions & GPC_DO_EVICT_FIRST) {
        evict(e, task, GPCI_STEP_access_evicted);
    } else if (a->kind == GPC_COHERENCE_N_STORE) {
        gpci_then(e, task, GPCI_STEP_access_evicted);
    } else if (rule.actions & GPC_DO_READ_REQUEST) {
        ask(e, task, GPCI_STEP_read_begin, GPCI_STEP_access_filled, false);
    } else if (rule.actions & GPC_DO_WRITE_REQUEST) {
        ask(e, task, GPCI_STEP_write_begin,
            a->kind == GPC_COHERENCE_LOAD ? GPCI_STEP_access_filled : GPCI_STEP_access_unlock, false);
    } else {
        gpci_then(e, task, GPCI_STEP_access_unlock);
    }
}

/* An n-store after the write-back it needed. */
void gpci_step_access_evicted(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    if (t->refused) {
        if (!(e->tree->faults & GPCI_FAULT_NO_UNLOCK))
            gpci_unlock(e, inflight_of(e, task)->module, t->block);
        try_again(e, task);
        return;
    }
    const gpc_protocol_rule rule = rule_of(e, t);
    if (rule.actions & GPC_DO_READ_REQUEST)
        ask(e, task, GPCI_STEP_read_begin, GPCI_STEP_access_filled,
            inflight_of(e, task)->kind == GPC_COHERENCE_N_STORE);
    else if (rule.actions & GPC_DO_WRITE_REQUEST)
        ask(e, task, GPCI_STEP_write_begin, GPCI_STEP_access_filled, false);
    else if (rule.actions & GPC_DO_CLEAR_OWNER)
        ask(e, task, GPCI_STEP_clear_begin, GPCI_STEP_access_filled, false);
    else
        gpci_then(e, task, GPCI_STEP_access_unlock);
}

bool gpci_access_refused(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    if (!t->refused)
        return false;
    if (t->block != GPCI_TREE_NO_BLOCK)
        gpci_fill_leave(e, t);
    try_again(e, task);
    return true;
}

void gpci_step_access_filled(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    const gpci_tree_inflight *a = inflight_of(e, task);
    gpci_module *m = gpci_module_at(e->tree, a->module);
    if (gpci_access_refused(e, task)) /* the request was answered or refused */
        return;
    if (GPCI_UNLIKELY(m->fill_ways))
        gpci_fill_arrives(e, task);
    if (a->kind == GPC_COHERENCE_LOAD) {
        const gpc_protocol_rule rule = rule_of(e, t);
        if (GPCI_UNLIKELY(m->predictor != NULL) && !a->overturned)
            (void)gpci_module_hear(m, t->address, GPC_CACHE, a->word);
        gpci_tree_set_state(e->tree, m, t->block, gpci_module_tag_of(m, a->address),
                            t->shared ? rule.next_shared : rule.next, GPC_ORIGIN_LOAD_MISS, e->now);
    }
    gpci_then(e, task, GPCI_STEP_access_unlock);
}

static void perform_all(gpci_engine *e, uint32_t inflight, uint32_t block) {
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    const gpci_module *m = gpci_module_at(e->tree, a->module);
    a->unlocked = true;
    perform(e, inflight, block);
    for (uint32_t other = newer_than(e, inflight); other != GPCI_NO_ITEM; other = newer_than(e, other))
        if (gpci_tree_inflight_at(e, other)->master == inflight)
            perform(e, other, block);
    if (e->tree->with_data)
        gpci_tree_data_load(e->tree, m, block, gpci_module_tag_of(m, a->address), m->given.block_bytes,
                            gpci_whole_of(e, inflight));
}

/* Perform the bytes, also of joined accesses, and release the block. */
static void give_block(gpci_engine *e, const gpci_task *t) {
    gpci_module *m = gpci_task_module(e, t);
    m->stats.hits += t->hit;
    m->stats.data_accesses++;
    perform_all(e, t->inflight, t->block);
    gpci_fill_leave(e, t);
}

/* True if the access needed no request below. */
static bool is_own(const gpci_engine *e, const gpci_task *t) {
    const uint32_t asks = GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST | GPC_DO_EVICT_FIRST | GPC_DO_CLEAR_OWNER;
    return !(rule_of(e, t).actions & asks);
}

static void unlock(gpci_engine *e, uint32_t task) {
    give_block(e, gpci_task_at(e, task));
    end(e, task);
}

/* True if the low module receives R's messages in the order sent, and none is refused. */
static bool keeps_order(const gpci_engine *e) {
    return e->host && !e->orders && e->waits && !gpci_tree_has(e->tree, GPC_PROTOCOL_DIRECTORY);
}

void gpci_access_left(gpci_engine *e, uint32_t put) {
    gpci_task *v = gpci_task_at(e, put);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, v->inflight);
    if (!v->stored || v->parent != a->task || !keeps_order(e))
        return;
    gpci_task *t = gpci_task_at(e, a->task);
    gpci_module *m = gpci_task_module(e, t);
    if (t->block != GPCI_TREE_NO_BLOCK) {
        /* the block has further modified bytes, not sent: the module must track these bytes */
        if (gpci_tree_is_modified(e->tree, m->states[t->block]))
            return;
        const gpci_tree_payload store = gpci_store_of(e, v->inflight);
        gpci_tree_written_through(e->tree, m, t->block, &store, false, e->now);
        give_block(e, t);
        t->block = v->own = GPCI_TREE_NO_BLOCK;
    }
    e->host->left(e->host->self, v->inflight);
}

void gpci_step_access_unlock(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    gpci_tree_inflight *a = inflight_of(e, task);
    gpci_module *m = gpci_module_at(e->tree, a->module);
    if (gpci_access_refused(e, task))
        return;
    if (a->kind == GPC_COHERENCE_LOAD) {
        a->own = is_own(e, t);
        unlock(e, task);
        return;
    }
    if (GPCI_UNLIKELY(m->fill_ways))
        gpci_fill_arrives(e, task);
    const gpc_protocol_rule rule = rule_of(e, t);
    gpci_tree_set_state(e->tree, m, t->block, gpci_module_tag_of(m, a->address),
                        t->shared ? rule.next_shared : rule.next,
                        a->kind == GPC_COHERENCE_STORE ? GPC_ORIGIN_STORE : GPC_ORIGIN_N_STORE, e->now);
    if (!(rule.actions & GPC_DO_WRITE_THROUGH) && !gpci_tree_goes_through(m, a->kind, a->flags)) {
        a->own = is_own(e, t);
        unlock(e, task);
        return;
    }
    m->through |= (a->flags & GPC_ACCESS_THROUGH) != 0;
    perform(e, t->inflight, t->block);
    const bool masked = gpci_tree_is_masked(e->tree, m->states[t->block]);
    const uint8_t raised = gpci_raised_below(m, t->state, event_of(e, a), gpci_tree_put_event(masked));
    gpci_store_begin(e, task, GPCI_STEP_access_through, masked)->event = raised;
}

/* The low module has stored the bytes, or refused them. */
void gpci_step_access_through(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    gpci_tree_inflight *a = inflight_of(e, task);
    if (t->block == GPCI_TREE_NO_BLOCK) { /* the block was released when the bytes were sent */
        end(e, task);
        return;
    }
    a->through = t->refused;
    if (gpci_access_refused(e, task))
        return;
    if (a->taken && !gpci_tree_is_modified(e->tree, gpci_task_module(e, t)->states[t->block])) {
        unlock(e, task); /* a probe has taken the bytes: they have arrived */
        return;
    }
    const gpci_tree_payload store = gpci_store_of(e, t->inflight);
    gpci_tree_written_through(e->tree, gpci_task_module(e, t), t->block, &store,
                              t->below_dirty || gpci_tree_is_modified(e->tree, a->found), e->now);
    unlock(e, task);
}

void gpci_inflight_end(gpci_engine *e, uint32_t task) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    if (e->host) {
        a->ended = true;
        e->live--;
        e->host->ended(e->host->self, inflight);
        gpci_task_give(e, task);
        return;
    }
    gpci_items_give(&e->tasks, task);
    a->task = GPCI_NO_ITEM;
    report(e, inflight);
}

void gpci_step_access_end(gpci_engine *e, uint32_t task) {
    const uint32_t inflight = gpci_task_at(e, task)->inflight;
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, inflight);
    gpci_tree_count_access(&gpci_module_at(e->tree, a->module)->stats, a->kind, a->hit);
    if (e->alone)
        gpci_trail_finish(e, task);
    if (e->lists)
        strike_off(e, inflight);
    gpci_inflight_end(e, task);
}
