/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_host.h"

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

static gpci_tree_inflight *inflight_of(const gpci_engine *engine, uint32_t task) {
    return gpci_tree_inflight_at(engine, gpci_task_at(engine, task)->inflight);
}

static uint32_t event_of(const gpci_engine *engine, const gpci_tree_inflight *access) {
    return gpci_tree_event_of(engine->tree, access->kind, access->flags);
}

bool gpci_goes_alone(const gpci_engine *engine, const gpci_tree_inflight *access) {
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint32_t event = event_of(engine, access);
    bool alone = event >= GPC_EVENT_COUNT || gpci_tree_goes_through(module, access->kind, access->flags) ||
                 gpci_tree_bypasses(module, event, access->kind, access->flags);
    for (uint32_t state = 0; state < engine->tree->states; state++)
        alone |= (gpci_module_rule(module, (uint8_t)state, event)->actions & (GPC_DO_PASS | GPC_DO_WRITE_THROUGH)) != 0;
    return alone;
}

static bool same_block(const gpci_engine *engine, const gpci_tree_inflight *left, const gpci_tree_inflight *right) {
    const gpci_module *module = gpci_module_at(engine->tree, left->module);
    return gpci_module_tag_of(module, left->address) == gpci_module_tag_of(module, right->address);
}

gpci_tree_payload gpci_store_of(const gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    return (gpci_tree_payload){.address = access->address,
                               .bytes = access->gave_bytes ? gpci_payload_of(engine, inflight) : NULL,
                               .mask = access->gave_mask ? gpci_mask_of(engine, inflight) : NULL,
                               .size = access->size,
                               .atomic_count = engine->rests ? engine->rests[inflight].atomic_count : 0,
                               .atomics = engine->rests ? engine->rests[inflight].atomics : NULL};
}

/* Write and read an access's bytes when its master's block is unlocked. `block`: the master's block at this time. */
static void perform(gpci_engine *engine, uint32_t inflight, uint32_t block) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    gpci_module *module = gpci_module_at(engine->tree, access->module);
    if (access->applied)
        return;
    access->applied = true;
    if (!engine->tree->with_data)
        return;
    if (access->kind != GPC_COHERENCE_LOAD) {
        const gpci_tree_payload store = gpci_store_of(engine, inflight);
        gpci_tree_data_store(engine->tree, module, block, &store);
    }
    gpci_tree_data_load(engine->tree, module, block, access->address, access->size, gpci_payload_of(engine, inflight));
    gpci_performed(engine, inflight);
}

/* A load that joins an access with an already unlocked block reads the bytes saved at unlock. */
static void read_of_master(const gpci_engine *engine, uint32_t inflight) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    access->applied = true;
    if (engine->tree->with_data)
        memcpy(gpci_payload_of(engine, inflight),
               gpci_block_copy_of(engine, access->master) + (access->address & (module->given.block_bytes - 1)),
               access->size);
}

/* True if an access or acquire of the module has locked the block to evict it; a store to the block would be lost. */
static bool is_leaving(const gpci_engine *engine, const gpci_module *module, uint32_t block) {
    const uint32_t holder = gpci_lock_of(engine, module->index, block)->holder;
    return holder != GPCI_NO_ITEM && gpci_tree_inflight_at(engine, holder)->module == module->index;
}

/* True if a store may join a performed store: the block is still as that store left it. */
static bool still_writes(const gpci_engine *engine, const gpci_tree_inflight *access, uint32_t *block) {
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    *block = gpci_module_find(module, gpci_module_tag_of(module, access->address));
    if (*block == GPCI_TREE_NO_BLOCK)
        return false;
    const gpc_protocol_rule rule = *gpci_module_rule(module, module->states[*block], event_of(engine, access));
    return rule.actions == GPC_DO_HIT && rule.next == module->states[*block] && !is_leaving(engine, module, *block);
}

static uint32_t master_of(const gpci_engine *engine, uint32_t inflight) {
    const uint32_t master = gpci_tree_inflight_at(engine, inflight)->master;
    return master == GPCI_NO_ITEM ? inflight : master;
}

/* Neighbours in the order of a module's accesses; without order (no gpci_inflight_rest) none. */
static uint32_t older_than(const gpci_engine *engine, uint32_t inflight) {
    return GPCI_LIKELY(!engine->rests) ? GPCI_NO_ITEM : engine->rests[inflight].older;
}

static uint32_t newer_than(const gpci_engine *engine, uint32_t inflight) {
    return GPCI_LIKELY(!engine->rests) ? GPCI_NO_ITEM : engine->rests[inflight].newer;
}

/*
 * Access to join because of an older access to the block: the older access's master. A joined access ends after its
 * master, in the same cycle. In between Multi2Sim lets others join, and end in the cycle, too: the joined access itself
 * is then the master.
 */
static uint32_t joinable(const gpci_engine *engine, uint32_t other) {
    if (GPCI_LIKELY(!gpci_tree_inflight_at(engine, other)->ended))
        return master_of(engine, other);
    return gpci_tree_has(engine->tree, GPC_PROTOCOL_RETRY) ? other : GPCI_NO_ITEM;
}

static uint32_t who_is_joined(const gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    uint32_t other = older_than(engine, inflight), block;
    if (access->alone)
        return GPCI_NO_ITEM;
    if (access->kind == GPC_COHERENCE_LOAD) {
        for (; other != GPCI_NO_ITEM; other = older_than(engine, other)) {
            const gpci_tree_inflight *o = gpci_tree_inflight_at(engine, other);
            if (o->kind != GPC_COHERENCE_LOAD)
                return GPCI_NO_ITEM;
            if (same_block(engine, o, access))
                return o->alone ? GPCI_NO_ITEM : joinable(engine, other);
        }
        return GPCI_NO_ITEM;
    }
    if (other == GPCI_NO_ITEM)
        return other;
    const gpci_tree_inflight *tree_inflight = gpci_tree_inflight_at(engine, other);
    const uint32_t master = joinable(engine, other);
    if (tree_inflight->kind != access->kind || tree_inflight->alone || tree_inflight->holds_port ||
        master == GPCI_NO_ITEM || !same_block(engine, tree_inflight, access))
        return GPCI_NO_ITEM;
    return gpci_tree_inflight_at(engine, master)->unlocked && !still_writes(engine, access, &block) ? GPCI_NO_ITEM
                                                                                                    : master;
}

static void enlist(gpci_engine *engine, uint32_t inflight) {
    gpci_engine_unit *unit = &engine->units[gpci_tree_inflight_at(engine, inflight)->module];
    engine->rests[inflight].older = unit->youngest;
    engine->rests[inflight].newer = GPCI_NO_ITEM;
    if (unit->youngest == GPCI_NO_ITEM)
        unit->oldest = inflight;
    else
        engine->rests[unit->youngest].newer = inflight;
    unit->youngest = inflight;
    unit->listed++;
}

/*
 * A joined access takes over the result of its master, which ends. With data a later access may read from the joined.
 */
static void take_over(gpci_engine *engine, uint32_t master, uint32_t joined) {
    const gpci_tree_inflight *inflight = gpci_tree_inflight_at(engine, master);
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, joined);
    access->ended = true;
    access->unlocked = inflight->unlocked;
    access->deepest = inflight->deepest;
    if (GPCI_UNLIKELY(gpci_tree_has(engine->tree, GPC_PROTOCOL_RETRY)) && engine->tree->with_data)
        memcpy(gpci_block_copy_of(engine, joined), gpci_block_copy_of(engine, master),
               gpci_module_at(engine->tree, access->module)->given.block_bytes);
}

/* Remove an access from the list. Joined accesses end after it. */
static void strike_off(gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    gpci_engine_unit *unit = &engine->units[access->module];
    const uint32_t older = older_than(engine, inflight), newer = newer_than(engine, inflight);
    uint32_t other = access->master == GPCI_NO_ITEM ? newer : GPCI_NO_ITEM;
    for (; other != GPCI_NO_ITEM; other = newer_than(engine, other))
        if (gpci_tree_inflight_at(engine, other)->master == inflight)
            take_over(engine, inflight, other);
    unit->listed--;
    unit->joined -= access->master != GPCI_NO_ITEM;
    if (older == GPCI_NO_ITEM)
        unit->oldest = newer;
    else
        engine->rests[older].newer = newer;
    if (newer == GPCI_NO_ITEM)
        unit->youngest = older;
    else
        engine->rests[newer].older = older;
    gpci_wake(engine, &engine->rests[inflight].waiters, 0);
}

static void report(gpci_engine *engine, uint32_t inflight) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    access->notified = access->ended = true;
    if (!engine->alone)
        gpci_due_queue_join(&engine->waiters, &engine->ended, (gpci_due){inflight, 0});
}

static void join(gpci_engine *engine, uint32_t task, uint32_t master) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight),
                       *tree_inflight = gpci_tree_inflight_at(engine, master);
    uint32_t block;
    access->master = master;
    gpci_due_queue_join(&engine->waiters, &engine->rests[master].waiters, (gpci_due){task, GPCI_STEP_access_end});
    if (tree_inflight->unlocked && access->kind == GPC_COHERENCE_LOAD)
        read_of_master(engine, inflight);
    else if (tree_inflight->unlocked && still_writes(engine, access, &block))
        perform(engine, inflight, block);
    if (GPCI_UNLIKELY(tree_inflight->ended))
        take_over(engine, master, inflight);
    engine->units[access->module].joined++;
    if (engine->host)
        engine->host->joined(engine->host->self, inflight);
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
static uint32_t who_comes_first(const gpci_engine *engine, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    uint32_t found = GPCI_NO_ITEM;
    if (access->kind == GPC_COHERENCE_STORE)
        return older_than(engine, inflight);
    for (uint32_t other = older_than(engine, inflight); other != GPCI_NO_ITEM; other = older_than(engine, other)) {
        const gpci_tree_inflight *tree_inflight = gpci_tree_inflight_at(engine, other);
        if (tree_inflight->kind == GPC_COHERENCE_STORE)
            return other;
        if (same_block(engine, tree_inflight, access))
            found = other;
    }
    return found;
}

void gpci_step_access_order(gpci_engine *engine, uint32_t task) {
    const gpci_tree_inflight *access = inflight_of(engine, task);
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint32_t first = who_comes_first(engine, gpci_task_at(engine, task)->inflight);
    if (first != GPCI_NO_ITEM) {
        gpci_due_queue_join(&engine->waiters, &engine->rests[first].waiters, (gpci_due){task, GPCI_STEP_access_order});
        return;
    }
    gpci_find_begin(engine, task,
                    &(gpci_look){.address = access->address,
                                 .module = access->module,
                                 .resumes = GPCI_STEP_access_found,
                                 .blocking = true,
                                 .allocates = !access->through && !gpci_tree_bypasses(module, event_of(engine, access),
                                                                                      access->kind, access->flags)});
}

/* A module below was busy: try again later. */
static void try_again(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = inflight_of(engine, task);
    gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint32_t latency = module->given.latency;
    work->refused = work->shared = work->missing = work->hit = false;
    work->block = GPCI_TREE_NO_BLOCK;
    work->state = GPC_LINE_I;
    access->retries++;
    gpci_step_after(engine, task, GPCI_STEP_access_order, module, gpci_back_off(engine, latency + 2));
}

static bool writes_all(const gpci_engine *engine, const gpci_task *work) {
    const gpci_tree_payload store = gpci_store_of(engine, work->inflight);
    return gpci_tree_writes_all(gpci_task_module(engine, work), &store);
}

/* Send a request of the access's module to the low module. */
static void ask(gpci_engine *engine, uint32_t task, gpci_step begin, gpci_step resumes, bool non_coherent) {
    gpci_task *work = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = inflight_of(engine, task);
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint64_t tag = gpci_module_tag_of(module, access->address);
    uint32_t request;
    gpci_task *request_task = gpci_task_begin(engine, task, resumes, module->index,
                                              gpci_module_low(engine->tree, module, tag), tag, &request);
    request_task->own = work->block;
    request_task->valid = work->state != GPC_LINE_I && module->states[work->block] != GPC_LINE_I;
    request_task->non_coherent = non_coherent;
    request_task->cause = gpci_named_event(event_of(engine, access));
    request_task->event =
        gpci_raised_below(module, work->state, event_of(engine, access),
                          begin == GPCI_STEP_read_begin ? GPC_EVENT_READ_ABOVE : GPC_EVENT_WRITE_ABOVE);
    request_task->blind = GPCI_UNLIKELY(module->lazy) && begin == GPCI_STEP_write_begin && work->state == GPC_LINE_I &&
                          access->kind != GPC_COHERENCE_LOAD && writes_all(engine, work);
    work->shared = work->refused = false;
    gpci_ask(engine, module, request, begin,
             work->state == GPC_LINE_I && gpci_needs_rest(engine, module, work->inflight));
}

static gpc_protocol_rule rule_of(const gpci_engine *engine, const gpci_task *work) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    return gpci_tree_rule(engine->tree, gpci_module_at(engine->tree, access->module), work->state,
                          event_of(engine, access));
}

static bool passes(const gpci_engine *engine, const gpci_task *work, gpc_protocol_rule rule) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    return rule.actions & GPC_DO_PASS || gpci_tree_evicts(access->flags) ||
           (work->state == GPC_LINE_I && gpci_tree_bypasses(gpci_module_at(engine->tree, access->module),
                                                            event_of(engine, access), access->kind, access->flags));
}

/*
 * End an access with an unlocked block. With a host, L1 data latency is the host's concern, as without a tree. Without
 * a host the module's latency passes, as in Multi2Sim.
 */
static void end(gpci_engine *engine, uint32_t task) {
    const gpci_module *module = gpci_task_module(engine, gpci_task_at(engine, task));
    if (engine->alone)
        gpci_trail_use(engine, task, module, false);
    if ((engine->host && !engine->orders) || engine->untimed)
        gpci_then(engine, task, GPCI_STEP_access_end);
    else
        gpci_step_after(engine, task, GPCI_STEP_access_end, module, module->given.latency);
}

/*
 * A store is done here and the bytes were refused below. If a probe or write-back has taken the bytes meanwhile, they
 * have arrived; otherwise send them again.
 */
static void write_through_again(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_module(engine, work);
    const bool gone = work->block == GPCI_TREE_NO_BLOCK;
    if (!gone && gpci_tree_is_modified(engine->tree, module->states[work->block])) {
        gpci_store_begin(engine, task, GPCI_STEP_access_through,
                         gpci_tree_is_masked(engine->tree, module->states[work->block]));
        return;
    }
    if (!gone)
        gpci_unlock(engine, module->index, work->block);
    end(engine, task);
}

/* Evict the block first. */
static void evict(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *work = gpci_task_at(engine, task);
    const uint32_t module = inflight_of(engine, task)->module, block = work->block;
    uint32_t eviction;
    gpci_task_begin(engine, task, resumes, module, module, work->address, &eviction)->own = block;
    gpci_then(engine, eviction, GPCI_STEP_evict_begin);
}

void gpci_step_access_found(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = inflight_of(engine, task);
    if (work->refused) {
        try_again(engine, task);
        return;
    }
    if (access->through) {
        write_through_again(engine, task);
        return;
    }
    const gpc_protocol_rule rule = rule_of(engine, work);
    access->found = work->state;
    const bool past = passes(engine, work, rule);
    access->hit = !past && !(rule.actions & (GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST));
    if (past && work->state != GPC_LINE_I && gpci_tree_evicts(access->flags)) {
        evict(engine, task, GPCI_STEP_access_passing);
    } else if (past) {
        gpci_pass_begin(engine, task, rule);
    } else if (rule.actions & GPC_DO_EVICT_FIRST) {
        evict(engine, task, GPCI_STEP_access_evicted);
    } else if (access->kind == GPC_COHERENCE_N_STORE) {
        gpci_then(engine, task, GPCI_STEP_access_evicted);
    } else if (rule.actions & GPC_DO_READ_REQUEST) {
        ask(engine, task, GPCI_STEP_read_begin, GPCI_STEP_access_filled, false);
    } else if (rule.actions & GPC_DO_WRITE_REQUEST) {
        ask(engine, task, GPCI_STEP_write_begin,
            access->kind == GPC_COHERENCE_LOAD ? GPCI_STEP_access_filled : GPCI_STEP_access_unlock, false);
    } else {
        gpci_then(engine, task, GPCI_STEP_access_unlock);
    }
}

/* An n-store after the write-back it needed. */
void gpci_step_access_evicted(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    if (work->refused) {
        if (!(engine->tree->faults & GPCI_FAULT_NO_UNLOCK))
            gpci_unlock(engine, inflight_of(engine, task)->module, work->block);
        try_again(engine, task);
        return;
    }
    const gpc_protocol_rule rule = rule_of(engine, work);
    if (rule.actions & GPC_DO_READ_REQUEST)
        ask(engine, task, GPCI_STEP_read_begin, GPCI_STEP_access_filled,
            inflight_of(engine, task)->kind == GPC_COHERENCE_N_STORE);
    else if (rule.actions & GPC_DO_WRITE_REQUEST)
        ask(engine, task, GPCI_STEP_write_begin, GPCI_STEP_access_filled, false);
    else if (rule.actions & GPC_DO_CLEAR_OWNER)
        ask(engine, task, GPCI_STEP_clear_begin, GPCI_STEP_access_filled, false);
    else
        gpci_then(engine, task, GPCI_STEP_access_unlock);
}

bool gpci_access_refused(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    if (!work->refused)
        return false;
    if (work->block != GPCI_TREE_NO_BLOCK)
        gpci_fill_leave(engine, work);
    try_again(engine, task);
    return true;
}

void gpci_step_access_filled(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = inflight_of(engine, task);
    gpci_module *module = gpci_module_at(engine->tree, access->module);
    if (gpci_access_refused(engine, task)) /* the request was answered or refused */
        return;
    if (GPCI_UNLIKELY(module->fill_ways))
        gpci_fill_arrives(engine, task);
    if (access->kind == GPC_COHERENCE_LOAD) {
        const gpc_protocol_rule rule = rule_of(engine, work);
        if (GPCI_UNLIKELY(module->predictor != NULL) && !access->overturned)
            (void)gpci_module_hear(module, work->address, GPC_CACHE, access->word);
        gpci_tree_set_state(engine->tree, module, work->block, gpci_module_tag_of(module, access->address),
                            work->shared ? rule.next_shared : rule.next, GPC_ORIGIN_LOAD_MISS, engine->now);
    }
    gpci_then(engine, task, GPCI_STEP_access_unlock);
}

static void perform_all(gpci_engine *engine, uint32_t inflight, uint32_t block) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    access->unlocked = true;
    perform(engine, inflight, block);
    for (uint32_t other = newer_than(engine, inflight); other != GPCI_NO_ITEM; other = newer_than(engine, other))
        if (gpci_tree_inflight_at(engine, other)->master == inflight)
            perform(engine, other, block);
    if (engine->tree->with_data)
        gpci_tree_data_load(engine->tree, module, block, gpci_module_tag_of(module, access->address),
                            module->given.block_bytes, gpci_block_copy_of(engine, inflight));
}

/* Perform the bytes, also of joined accesses, and release the block. */
static void give_block(gpci_engine *engine, const gpci_task *work) {
    gpci_module *module = gpci_task_module(engine, work);
    module->stats.hits += work->hit;
    module->stats.data_accesses++;
    GPCI_AGAIN(module->again.hits += work->hit);
    GPCI_AGAIN(module->again.data_accesses++);
    perform_all(engine, work->inflight, work->block);
    gpci_fill_leave(engine, work);
}

/* True if the access needed no request below. */
static bool is_own(const gpci_engine *engine, const gpci_task *work) {
    const uint32_t asks = GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST | GPC_DO_EVICT_FIRST | GPC_DO_CLEAR_OWNER;
    return !(rule_of(engine, work).actions & asks);
}

static void unlock(gpci_engine *engine, uint32_t task) {
    give_block(engine, gpci_task_at(engine, task));
    end(engine, task);
}

/* True if the low module receives R's messages in the order sent, and none is refused. */
static bool keeps_order(const gpci_engine *engine) {
    return engine->host && !engine->orders && engine->waits && !gpci_tree_has(engine->tree, GPC_PROTOCOL_DIRECTORY);
}

void gpci_access_left(gpci_engine *engine, uint32_t put) {
    gpci_task *put_task = gpci_task_at(engine, put);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, put_task->inflight);
    if (!put_task->stored || put_task->parent != access->task || !keeps_order(engine))
        return;
    gpci_task *work = gpci_task_at(engine, access->task);
    gpci_module *module = gpci_task_module(engine, work);
    if (work->block != GPCI_TREE_NO_BLOCK) {
        /* the block has further modified bytes, not sent: the module must track these bytes */
        if (gpci_tree_is_modified(engine->tree, module->states[work->block]))
            return;
        const gpci_tree_payload store = gpci_store_of(engine, put_task->inflight);
        gpci_tree_written_through(engine->tree, module, work->block, &store, false, engine->now);
        give_block(engine, work);
        work->block = put_task->own = GPCI_TREE_NO_BLOCK;
    }
    engine->host->left(engine->host->self, put_task->inflight);
}

void gpci_step_access_unlock(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = inflight_of(engine, task);
    gpci_module *module = gpci_module_at(engine->tree, access->module);
    if (gpci_access_refused(engine, task))
        return;
    if (access->kind == GPC_COHERENCE_LOAD) {
        access->own = is_own(engine, work);
        unlock(engine, task);
        return;
    }
    if (GPCI_UNLIKELY(module->fill_ways))
        gpci_fill_arrives(engine, task);
    const gpc_protocol_rule rule = rule_of(engine, work);
    gpci_tree_set_state(engine->tree, module, work->block, gpci_module_tag_of(module, access->address),
                        work->shared ? rule.next_shared : rule.next,
                        access->kind == GPC_COHERENCE_STORE ? GPC_ORIGIN_STORE : GPC_ORIGIN_N_STORE, engine->now);
    if (!(rule.actions & GPC_DO_WRITE_THROUGH) && !gpci_tree_goes_through(module, access->kind, access->flags)) {
        access->own = is_own(engine, work);
        unlock(engine, task);
        return;
    }
    module->through |= (access->flags & GPC_ACCESS_THROUGH) != 0;
    perform(engine, work->inflight, work->block);
    const bool masked = gpci_tree_is_masked(engine->tree, module->states[work->block]);
    const uint8_t raised =
        gpci_raised_below(module, work->state, event_of(engine, access), gpci_tree_put_event(masked));
    gpci_store_begin(engine, task, GPCI_STEP_access_through, masked)->event = raised;
}

/* The low module has stored the bytes, or refused them. */
void gpci_step_access_through(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = inflight_of(engine, task);
    if (work->block == GPCI_TREE_NO_BLOCK) { /* the block was released when the bytes were sent */
        end(engine, task);
        return;
    }
    access->through = work->refused;
    if (gpci_access_refused(engine, task))
        return;
    if (access->taken && !gpci_tree_is_modified(engine->tree, gpci_task_module(engine, work)->states[work->block])) {
        unlock(engine, task); /* a probe has taken the bytes: they have arrived */
        return;
    }
    const gpci_tree_payload store = gpci_store_of(engine, work->inflight);
    gpci_tree_written_through(engine->tree, gpci_task_module(engine, work), work->block, &store,
                              work->below_dirty || gpci_tree_is_modified(engine->tree, access->found), engine->now);
    unlock(engine, task);
}

void gpci_inflight_end(gpci_engine *engine, uint32_t task) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    if (engine->host) {
        access->ended = true;
        engine->live--;
        engine->host->ended(engine->host->self, inflight);
        gpci_task_give(engine, task);
        return;
    }
    gpci_items_give(&engine->tasks, task);
    access->task = GPCI_NO_ITEM;
    report(engine, inflight);
}

void gpci_step_access_end(gpci_engine *engine, uint32_t task) {
    const uint32_t inflight = gpci_task_at(engine, task)->inflight;
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    gpci_tree_count_access(&gpci_module_at(engine->tree, access->module)->stats, access->kind, access->hit);
    GPCI_AGAIN(gpci_tree_count_access_again(gpci_module_at(engine->tree, access->module), access->kind, access->hit));
    if (engine->alone)
        gpci_trail_finish(engine, task);
    if (engine->lists)
        strike_off(engine, inflight);
    gpci_inflight_end(engine, task);
}
