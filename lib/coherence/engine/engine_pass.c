/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"

/*
 * Accesses that bypass a module. The module writes back a modified copy and drops it. The low module performs the
 * access, or passes it on the same way. Meanwhile the block must not return to the module: its way stays locked, or, if
 * it had none, its address is blocked.
 *
 * Example, slc-glc, an SLC load of a block in state N in L1 and M in L2: L1 writes back and drops its copy, then L2
 * does. The bytes come from memory through L2 to the processor, and L2's way is free again.
 */

void gpci_block_address(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_engine_unit *unit = &engine->units[work->module];
    work->address_blocked = true;
    work->behind = unit->address_blocked;
    unit->address_blocked = task;
}

bool gpci_address_is_blocked(const gpci_engine *engine, const gpci_module *module, uint64_t tag, uint32_t requester) {
    const gpci_task *work;
    uint32_t task = engine->units[module->index].address_blocked;
    if (requester != GPCI_NO_ITEM && gpci_task_at(engine, requester)->address_blocked)
        task = gpci_task_at(engine, requester)->behind; /* the rest of the list is older */
    for (; task != GPCI_NO_ITEM; task = work->behind) {
        work = gpci_task_at(engine, task);
        if (gpci_module_tag_of(module, work->address) == tag)
            return true;
    }
    return false;
}

void gpci_unblock_address(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_engine_unit *unit = &engine->units[work->module];
    uint32_t *link = &unit->address_blocked;
    while (*link != task)
        link = &gpci_task_at(engine, *link)->behind;
    *link = work->behind;
    work->address_blocked = false;
    gpci_wake(engine, &unit->address_waiters, 0);
}

void gpci_release_address(gpci_engine *engine, uint32_t task) {
    const gpci_task *work = gpci_task_at(engine, task);
    if (work->address_blocked)
        gpci_unblock_address(engine, task);
    else if (work->block != GPCI_TREE_NO_BLOCK)
        gpci_unlock(engine, work->module, work->block);
}

void gpci_drop_begin(gpci_engine *engine, uint32_t task, uint32_t event, gpci_step resumes) {
    const gpci_task *work = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_module(engine, work);
    if (work->block == GPCI_TREE_NO_BLOCK) { /* blocked since the lookup */
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

/* Begin an access with bypass of the first-level module. The module gives up the copy before asking below. */
void gpci_pass_begin(gpci_engine *engine, uint32_t task, gpc_protocol_rule rule) {
    const gpci_task *work = gpci_task_at(engine, task);
    if (work->block == GPCI_TREE_NO_BLOCK &&
        gpci_tree_inflight_at(engine, work->inflight)->kind == GPC_COHERENCE_N_STORE)
        gpci_module_pass_line(gpci_task_module(engine, work), work->address);
    if (work->block != GPCI_TREE_NO_BLOCK && rule.actions & GPC_DO_WRITE_BACK)
        gpci_write_back_begin(engine, task, GPCI_STEP_access_passing, gpci_task_module(engine, work), work->block);
    else
        gpci_then(engine, task, GPCI_STEP_access_passing);
}

static void pass_load(gpci_engine *engine, uint32_t task, gpci_module *module, uint64_t address, gpci_step resumes) {
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
        pass_load(engine, task, module, access->address, GPCI_STEP_access_passed);
        return;
    }
    gpci_task *put = gpci_store_begin(engine, task, GPCI_STEP_access_passed,
                                      access->kind != GPC_COHERENCE_STORE && engine->tree->non_coherent);
    put->passing = true;
    put->at_low = gpci_tree_has(engine->tree, GPC_PROTOCOL_DIRECTORY);
}

/* The low module's predictor answered without bytes: the load asks again, for a copy if the decision is overturned. */
static void ask_again(gpci_engine *engine, uint32_t task) {
    gpci_task *work = gpci_task_at(engine, task);
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, work->inflight);
    access->overturned = gpci_module_overturns(gpci_task_module(engine, work), work->address, access->word);
    access->word = 0;
    if (access->overturned) {
        access->flags &= ~(uint32_t)(GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT);
        engine->policy_request[work->inflight].admitted = 1; /* the replacement policy already saw the miss */
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
    if (GPCI_UNLIKELY(access->word != 0)) {
        ask_again(engine, task);
        return;
    }
    if (access->kind == GPC_COHERENCE_LOAD)
        (void)gpci_module_hear(gpci_task_module(engine, work), work->address, GPC_BYPASS, 0);
    gpci_then(engine, task, GPCI_STEP_access_end);
}

/* A load with bypass of T too. */
void gpci_step_read_dropped(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    if (request->refused) {
        gpci_step_read_lowered(engine, task);
        return;
    }
    gpci_drop_end(engine, request, GPC_EVENT_PASSING_LOAD);
    pass_load(engine, task, gpci_task_module(engine, request), request->address, GPCI_STEP_read_lowered);
}

void gpci_step_read_lowered(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    gpci_release_address(engine, task);
    if (request->refused)
        gpci_task_at(engine, request->parent)->refused = true;
    else
        request->bytes = engine->tree->control_bytes + gpci_tree_inflight_at(engine, request->inflight)->size;
    gpci_then(engine, task, GPCI_STEP_read_reply);
}
