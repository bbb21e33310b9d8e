/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"
#include "coherence/module/tree_engine.h"

/*
 * Accesses that bypass a module. The module writes back a modified copy and drops it. The low module performs the
 * access, or passes it on the same way. Meanwhile the block must not return to the module: its way stays locked, or, if
 * it had none, its address is blocked.
 *
 * Example, slc-glc, an SLC load of a block in state N in L1 and M in L2: L1 writes back and drops its copy, then L2
 * does. The bytes come from memory through L2 to the processor, and L2's way is free again.
 */

void gpci_block_address(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_engine_unit *unit = &e->units[t->module];
    t->address_blocked = true;
    t->behind = unit->address_blocked;
    unit->address_blocked = task;
}

bool gpci_address_is_blocked(const gpci_engine *e, const gpci_module *m, uint64_t tag, uint32_t requester) {
    const gpci_task *t;
    uint32_t task = e->units[m->index].address_blocked;
    if (requester != GPCI_NO_ITEM && gpci_task_at(e, requester)->address_blocked)
        task = gpci_task_at(e, requester)->behind; /* the rest of the list is older */
    for (; task != GPCI_NO_ITEM; task = t->behind) {
        t = gpci_task_at(e, task);
        if (gpci_module_tag_of(m, t->address) == tag)
            return true;
    }
    return false;
}

void gpci_lift_bar(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_engine_unit *unit = &e->units[t->module];
    uint32_t *link = &unit->address_blocked;
    while (*link != task)
        link = &gpci_task_at(e, *link)->behind;
    *link = t->behind;
    t->address_blocked = false;
    gpci_wake(e, &unit->address_waiters, 0);
}

void gpci_release_address(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    if (t->address_blocked)
        gpci_lift_bar(e, task);
    else if (t->block != GPCI_TREE_NO_BLOCK)
        gpci_unlock(e, t->module, t->block);
}

void gpci_drop_begin(gpci_engine *e, uint32_t task, uint32_t event, gpci_step resumes) {
    const gpci_task *t = gpci_task_at(e, task);
    gpci_module *m = gpci_task_module(e, t);
    if (t->block == GPCI_TREE_NO_BLOCK) { /* blocked since the lookup */
        gpci_then(e, task, resumes);
    } else if (gpci_tree_rule(e->tree, m, m->states[t->block], event).actions & GPC_DO_WRITE_BACK) {
        gpci_write_back_begin(e, task, resumes, m, t->block);
    } else {
        gpci_then(e, task, resumes);
    }
}

void gpci_drop_end(gpci_engine *e, const gpci_task *t, uint32_t event) {
    gpci_module *m = gpci_task_module(e, t);
    if (t->block == GPCI_TREE_NO_BLOCK)
        return;
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, m, m->states[t->block], event);
    if (rule.actions & GPC_DO_WRITE_BACK)
        gpci_tree_data_clean(e->tree, m, t->block);
    gpci_tree_set_state(e->tree, m, t->block, gpci_module_tag(m, t->block), rule.next, GPC_ORIGIN_PASS, e->now);
}

/* Begin an access with bypass of the first-level module. The module gives up the copy before asking below. */
void gpci_pass_begin(gpci_engine *e, uint32_t task, gpc_protocol_rule rule) {
    const gpci_task *t = gpci_task_at(e, task);
    if (t->block == GPCI_TREE_NO_BLOCK && gpci_tree_inflight_at(e, t->inflight)->kind == GPC_COHERENCE_N_STORE)
        gpci_module_pass_line(gpci_task_module(e, t), t->address);
    if (t->block != GPCI_TREE_NO_BLOCK && rule.actions & GPC_DO_WRITE_BACK)
        gpci_write_back_begin(e, task, GPCI_STEP_access_passing, gpci_task_module(e, t), t->block);
    else
        gpci_then(e, task, GPCI_STEP_access_passing);
}

static void pass_load(gpci_engine *e, uint32_t task, gpci_module *m, uint64_t address, gpci_step resumes) {
    uint32_t child;
    gpci_task_at(e, task)->refused = false;
    gpci_task_begin(e, task, resumes, m->index, gpci_module_low(e->tree, m, address), address, &child)->passing = true;
    gpci_then(e, child, GPCI_STEP_read_begin);
}

void gpci_step_access_passing(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, t->inflight);
    gpci_module *m = gpci_task_module(e, t);
    if (gpci_access_refused(e, task))
        return;
    if (t->block != GPCI_TREE_NO_BLOCK) {
        if (m->states[t->block] != GPC_LINE_I)
            gpci_drop_end(e, t, gpci_tree_event_of(e->tree, a->kind, a->flags));
        gpci_unlock(e, m->index, t->block);
        t->block = GPCI_TREE_NO_BLOCK;
    }
    if (a->kind == GPC_COHERENCE_LOAD) {
        pass_load(e, task, m, a->address, GPCI_STEP_access_passed);
        return;
    }
    gpci_task *v =
        gpci_store_begin(e, task, GPCI_STEP_access_passed, a->kind != GPC_COHERENCE_STORE && e->tree->non_coherent);
    v->passing = true;
    v->at_low = gpci_tree_has(e->tree, GPC_PROTOCOL_DIRECTORY);
}

/* The low module's predictor answered without bytes: the load asks again, for a copy if the decision is overturned. */
static void ask_again(gpci_engine *e, uint32_t task) {
    gpci_task *t = gpci_task_at(e, task);
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, t->inflight);
    a->overturned = gpci_module_overturns(gpci_task_module(e, t), t->address, a->word);
    a->word = 0;
    if (a->overturned) {
        a->flags &= ~(uint32_t)(GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT);
        e->policy_request[t->inflight].admitted = 1; /* the replacement policy already saw the miss */
    }
    t->block = GPCI_TREE_NO_BLOCK;
    t->state = GPC_LINE_I;
    t->hit = t->missing = t->shared = false;
    gpci_then(e, task, GPCI_STEP_access_order);
}

void gpci_step_access_passed(gpci_engine *e, uint32_t task) {
    const gpci_task *t = gpci_task_at(e, task);
    const gpci_tree_inflight *a = gpci_tree_inflight_at(e, t->inflight);
    if (gpci_access_refused(e, task))
        return;
    if (GPCI_UNLIKELY(a->word != 0)) {
        ask_again(e, task);
        return;
    }
    if (a->kind == GPC_COHERENCE_LOAD)
        (void)gpci_module_hear(gpci_task_module(e, t), t->address, GPC_BYPASS, 0);
    gpci_then(e, task, GPCI_STEP_access_end);
}

/* A load with bypass of T too. */
void gpci_step_read_dropped(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    if (r->refused) {
        gpci_step_read_lowered(e, task);
        return;
    }
    gpci_drop_end(e, r, GPC_EVENT_PASSING_LOAD);
    pass_load(e, task, gpci_task_module(e, r), r->address, GPCI_STEP_read_lowered);
}

void gpci_step_read_lowered(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    gpci_release_address(e, task);
    if (r->refused)
        gpci_task_at(e, r->parent)->refused = true;
    else
        r->bytes = e->tree->control_bytes + gpci_tree_inflight_at(e, r->inflight)->size;
    gpci_then(e, task, GPCI_STEP_read_reply);
}
