/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine_alone.h"
#include "coherence/engine/engine_host.h"

#include <string.h>

/*
 * An access at the first-level module: the lookup, requests below, the bytes, the end.
 *
 * An access may bypass a module. The module writes back a modified copy and drops it. The low module performs the
 * access, or is bypassed in turn. Below the first level, the block must not return to the bypassed module meanwhile:
 * its way stays locked, or, if the block was absent, its address is blocked.
 *
 * Example, slc-glc, an SLC load of a block in state N in L1 and M in L2: L1 writes back and drops its copy, then L2
 * does. The bytes come from memory through L2 to the processor, and L2's way is free again.
 */

static gpci_tree_inflight *inflight_of(const gpci_engine *engine, uint32_t task) {
    return gpci_tree_inflight_at(engine, gpci_task_at(engine, task)->inflight);
}

static uint32_t event_of(const gpci_engine *engine, const gpci_tree_inflight *access) {
    return gpci_tree_event_of(engine->tree, access->kind, access->flags);
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

void gpci_perform(gpci_engine *engine, uint32_t inflight, uint32_t block) {
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

static void report(gpci_engine *engine, uint32_t inflight) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    access->notified = access->ended = true;
    if (!engine->alone)
        gpci_due_queue_join(&engine->waiters, &engine->ended, (gpci_due){inflight, 0});
}

void gpci_step_access_order(gpci_engine *engine, uint32_t task) {
    const gpci_tree_inflight *access = inflight_of(engine, task);
    const gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint32_t first =
        engine->lists ? gpci_who_comes_first(engine, gpci_task_at(engine, task)->inflight) : GPCI_NO_ITEM;
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

/*
 * Upper bound of the cycles until a refused access begins again. The bound doubles with every 64 retries. If refused
 * accesses came again at once, they would keep all ports of a small cache, and the requests that would unlock their
 * blocks would never get a port.
 */
static uint32_t bound_of(const gpci_tree_inflight *access, uint32_t latency) {
    const uint32_t doublings = access->retries / 64;
    return (latency + 2) << (doublings < 10 ? doublings : 10);
}

/* Schedule a new try of a refused access. */
static void try_again(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = inflight_of(engine, task);
    gpci_module *module = gpci_module_at(engine->tree, access->module);
    const uint32_t latency = module->given.latency;
    work->refused = work->shared = work->missing = work->hit = false;
    work->block = GPCI_TREE_NO_BLOCK;
    work->state = GPC_LINE_I;
    access->retries++;
    gpci_step_after(engine, task, GPCI_STEP_access_order, module, gpci_back_off(engine, bound_of(access, latency)));
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
 * End an access whose block is unlocked. With a host, the host adds the latency of L1's data, as for L1s without a
 * tree. Without a host, the module's latency passes first, as in Multi2Sim.
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
 * Write a store's bytes through again: the store was performed, but its bytes were refused below. If the block is
 * absent or no longer modified, a probe or a write-back has taken the bytes meanwhile, and the bytes have arrived
 * below; nothing is sent.
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

/* Evict the access's own block, and continue with `resumes`. */
static void evict(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *work = gpci_task_at(engine, task);
    const uint32_t module = inflight_of(engine, task)->module, block = work->block;
    uint32_t eviction;
    gpci_task_begin(engine, task, resumes, module, module, work->address, &eviction)->own = block;
    gpci_then(engine, eviction, GPCI_STEP_evict_begin);
}

/* Begin an access that bypasses the first-level module. The module gives up its copy before the request below. */
static void pass_begin(gpci_engine *engine, uint32_t task, gpc_protocol_rule rule) {
    const gpci_task *work = gpci_task_at(engine, task);
    if (work->block == GPCI_TREE_NO_BLOCK &&
        gpci_tree_inflight_at(engine, work->inflight)->kind == GPC_COHERENCE_N_STORE)
        gpci_module_pass_line(gpci_task_module(engine, work), work->address);
    if (work->block != GPCI_TREE_NO_BLOCK && rule.actions & GPC_DO_WRITE_BACK)
        gpci_write_back_begin(engine, task, GPCI_STEP_access_passing, gpci_task_module(engine, work), work->block);
    else
        gpci_then(engine, task, GPCI_STEP_access_passing);
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
        pass_begin(engine, task, rule);
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

/* Continue an n-store; or another access after the eviction of its own block. */
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
    if (gpci_access_refused(engine, task)) /* the request below was answered or refused */
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
    gpci_perform(engine, inflight, block);
    if (engine->lists)
        gpci_perform_joined(engine, inflight, block);
    if (engine->tree->with_data)
        gpci_tree_data_load(engine->tree, module, block, gpci_module_tag_of(module, access->address),
                            module->given.block_bytes, gpci_block_copy_of(engine, inflight));
}

/* Write and read the bytes of the access and of the accesses that joined it, and release the block. */
static void give_block(gpci_engine *engine, const gpci_task *work) {
    gpci_module *module = gpci_task_module(engine, work);
    module->stats.hits += work->hit;
    module->stats.data_accesses++;
    GPCI_AGAIN(module->again.hits += work->hit);
    GPCI_AGAIN(module->again.data_accesses++);
    perform_all(engine, work->inflight, work->block);
    gpci_fill_leave(engine, work);
}

/* True if the rule for the access sends no request below. */
static bool is_own(const gpci_engine *engine, const gpci_task *work) {
    const uint32_t asks = GPC_DO_READ_REQUEST | GPC_DO_WRITE_REQUEST | GPC_DO_EVICT_FIRST | GPC_DO_CLEAR_OWNER;
    return !(rule_of(engine, work).actions & asks);
}

static void unlock(gpci_engine *engine, uint32_t task) {
    give_block(engine, gpci_task_at(engine, task));
    end(engine, task);
}

/* True if the low module receives a first-level module's messages in the order of sending, and refuses none. */
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
        /* the block has modified bytes that the put does not carry: the module must keep the block until the answer */
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
    gpci_perform(engine, work->inflight, work->block);
    const bool masked = gpci_tree_is_masked(engine->tree, module->states[work->block]);
    const uint8_t raised =
        gpci_raised_below(module, work->state, event_of(engine, access), gpci_tree_put_event(masked));
    gpci_store_begin(engine, task, GPCI_STEP_access_through, masked)->event = raised;
}

/* Continue after the answer to a store's bytes: the low module has stored the bytes, or refused them. */
void gpci_step_access_through(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = inflight_of(engine, task);
    if (work->block == GPCI_TREE_NO_BLOCK) { /* gpci_access_left has released the block */
        end(engine, task);
        return;
    }
    access->through = work->refused;
    if (gpci_access_refused(engine, task))
        return;
    if (access->taken && !gpci_tree_is_modified(engine->tree, gpci_task_module(engine, work)->states[work->block])) {
        unlock(engine, task); /* a probe has taken the bytes: the bytes have arrived below */
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
        gpci_strike_off(engine, inflight);
    gpci_inflight_end(engine, task);
}

/* -- accesses that bypass the module */

void gpci_drop_begin(gpci_engine *engine, uint32_t task, uint32_t event, gpci_step resumes) {
    const gpci_task *work = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, work);
    if (work->block == GPCI_TREE_NO_BLOCK) { /* the block is absent, and its address is blocked since the lookup */
        gpci_then(engine, task, resumes);
    } else if (gpci_tree_rule(engine->tree, module, module->states[work->block], event).actions & GPC_DO_WRITE_BACK) {
        gpci_write_back_begin(engine, task, resumes, module, work->block);
    } else {
        gpci_then(engine, task, resumes);
    }
}

void gpci_drop_end(gpci_engine *engine, const gpci_task *work, uint32_t event) {
    gpci_module *module = gpci_task_module(engine, work);
    if (work->block == GPCI_TREE_NO_BLOCK)
        return;
    const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, module, module->states[work->block], event);
    if (rule.actions & GPC_DO_WRITE_BACK)
        gpci_tree_data_clean(engine->tree, module, work->block);
    gpci_tree_set_state(engine->tree, module, work->block, gpci_module_tag(module, work->block), rule.next,
                        GPC_ORIGIN_PASS, engine->now);
}

void gpci_pass_load(gpci_engine *engine, uint32_t task, gpci_module *module, uint64_t address, gpci_step resumes) {
    uint32_t child;
    gpci_task_at(engine, task)->refused = false;
    gpci_task_begin(engine, task, resumes, module->index, gpci_module_low(engine->tree, module, address), address,
                    &child)
        ->passing = true;
    gpci_then(engine, child, GPCI_STEP_read_begin);
}

void gpci_step_access_passing(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    gpci_module *module = gpci_task_module(engine, work);
    if (gpci_access_refused(engine, task))
        return;
    if (work->block != GPCI_TREE_NO_BLOCK) {
        if (module->states[work->block] != GPC_LINE_I)
            gpci_drop_end(engine, work, gpci_tree_event_of(engine->tree, access->kind, access->flags));
        gpci_unlock(engine, module->index, work->block);
        work->block = GPCI_TREE_NO_BLOCK;
    }
    if (access->kind == GPC_COHERENCE_LOAD) {
        gpci_pass_load(engine, task, module, access->address, GPCI_STEP_access_passed);
        return;
    }
    gpci_task *put = gpci_store_begin(engine, task, GPCI_STEP_access_passed,
                                      access->kind != GPC_COHERENCE_STORE && engine->tree->non_coherent);
    put->passing = true;
    put->at_low = gpci_tree_has(engine->tree, GPC_PROTOCOL_DIRECTORY);
}

/*
 * True if the predictor of the access's module overturns the bypass, after the answer of the low module. The predictor
 * receives the answer once per access. Not asked if the module's replacement policy has declined the line: such a line
 * stays out.
 */
static bool is_overturned(gpci_engine *engine, const gpci_task *work) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    const gpc_request *request = engine->tree->request;
    if (access->kind != GPC_COHERENCE_LOAD || access->heard || (request && request->policy.admitted))
        return false;
    access->heard = true;
    return gpci_module_overturns(gpci_task_module(engine, work), work->address, access->word);
}

/* Repeat a load: the low module has answered without bytes, or the bypass was overturned and the load needs a copy. */
static void ask_again(gpci_engine *engine, uint32_t task, bool overturned) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    access->word = 0;
    access->overturned = overturned;
    if (overturned) {
        access->flags &= ~(uint32_t)(GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT);
        /* the replacement policy was already notified of the miss */
        engine->policy_request[work->inflight].policy.admitted = 1;
    }
    work->block = GPCI_TREE_NO_BLOCK;
    work->state = GPC_LINE_I;
    work->hit = work->missing = work->shared = false;
    gpci_then(engine, task, GPCI_STEP_access_order);
}

void gpci_step_access_passed(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    if (gpci_access_refused(engine, task))
        return;
    const bool overturned = is_overturned(engine, work);
    if (GPCI_UNLIKELY(overturned || (access->answered && access->word != 0)))
        ask_again(engine, task, overturned);
    else
        gpci_then(engine, task, GPCI_STEP_access_end);
}
