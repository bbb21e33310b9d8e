/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree_engine.h"
#include "coherence/requests/engine_room.h"

/*
 * Messages to the low module that ask for nothing: a block leaves, with or without modified bytes (engine_put.c),
 * or is no longer owned. Each may be refused; then the state is unchanged.
 */

/* Inform the policy of a victim; for a line of blocks, at the last block. */
static void tell_policy(const gpci_engine *e, const gpci_task *v, gpci_module *m) {
    if (v->victim && !gpci_module_has_company(m, v->own))
        gpci_module_leave(m, v->own, gpci_lock_of(e, m->index, v->own)->tag, v->modified);
}

/* Set the block to I after the eviction. */
static void vacate(gpci_engine *e, const gpci_task *v, uint32_t origin) {
    gpci_module *m = gpci_task_from(e, v);
    if (m->states[v->own] != GPC_LINE_I)
        tell_policy(e, v, m);
    gpci_tree_set_state(e->tree, m, v->own, 0, GPC_LINE_I, origin, e->now);
}

void gpci_step_evict_begin(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_module *m = gpci_task_from(e, v);
    if (e->alone)
        gpci_trail_evict(e, task, m, v->own);
    gpci_engine_notify(e, task, m, &(gpci_tree_notification){.block = v->own, .last = UINT64_MAX});
    v = gpci_task_at(e, task);
    if (gpci_tree_keeps_entry(e->tree, m, v->own)) {
        if (gpci_tree_is_modified(e->tree, m->states[v->own]))
            gpci_write_back_begin(e, task, GPCI_STEP_evict_data, m, v->own);
        else
            gpci_step_evict_entry(e, task);
        return;
    }
    gpci_invalidate_begin(e, task, GPCI_STEP_evict_alone, v->from, v->own, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
                          GPCI_TASK_ALL,
                          gpci_raised_above(m, m->states[v->own], GPC_EVENT_EVICTION, GPC_EVENT_WRITE_PROBE));
}

/* The block's data were written back (or refused); its directory entry stays. */
void gpci_step_evict_data(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_module *m = gpci_task_from(e, v);
    if (v->refused) {
        gpci_then(e, task, GPCI_STEP_evict_end);
        return;
    }
    gpci_tree_data_clean(e->tree, m, v->own);
    gpci_tree_written_back(e->tree, m, v->own, GPC_ORIGIN_DIRECTORY_ONLY, e->now);
    gpci_step_evict_entry(e, task);
}

/* Find a directory-only way for the entry; evict the block there completely. */
void gpci_step_evict_entry(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    const gpci_module *m = gpci_task_from(e, v);
    v->sort = GPCI_TASK_EVICTION;
    v->entry = gpci_take_directory_way(e, v, gpci_module_tag(m, v->own));
    v->refused = v->entry == GPCI_TREE_NO_BLOCK;
    if (v->refused) {
        gpci_then(e, task, GPCI_STEP_evict_end);
        return;
    }
    if (m->states[v->entry] == GPC_LINE_I) {
        gpci_step_evict_moved(e, task);
        return;
    }
    const uint32_t half = gpci_module_half(gpci_task_from(e, v), gpci_module_tag(m, v->entry))->index;
    uint32_t child;
    gpci_task *other =
        gpci_task_begin(e, task, GPCI_STEP_evict_moved, half, half, gpci_module_tag(m, v->entry), &child);
    other->own = v->entry;
    other->forwarded = true;
    gpci_then(e, child, GPCI_STEP_evict_begin);
}

void gpci_step_evict_moved(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_module *m = gpci_task_from(e, v);
    if (!v->refused) {
        tell_policy(e, v, m);
        gpci_tree_move_entry(e->tree, m, v->own, v->entry, e->now);
        gpci_look_again(e, m->index, v->own);
    }
    if (!v->lent)
        gpci_unlock(e, m->index, v->entry);
    gpci_then(e, task, GPCI_STEP_evict_end);
}

/* Send the block to the low module. */
void gpci_step_evict_alone(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_module *m = gpci_task_from(e, v);
    if (m->place == GPCI_PLACE_MEMORY) {
        (void)gpci_tree_rule(e->tree, m, m->states[v->own], GPC_EVENT_EVICTION);
        vacate(e, v, GPC_ORIGIN_EVICT_IN_MEMORY);
        gpci_then(e, task, GPCI_STEP_evict_end);
        return;
    }
    v->address = gpci_module_tag(m, v->own);
    v->module = (uint16_t)gpci_module_low(e->tree, m, v->address);
    gpci_then(e, task, GPCI_STEP_evict_send);
}

void gpci_step_evict_send(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_module *m = gpci_task_from(e, v);
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, m, m->states[v->own], GPC_EVENT_EVICTION);
    if (!(rule.actions & (GPC_DO_WRITE_BACK | GPC_DO_NOTIFY))) {
        if (m->states[v->own] != GPC_LINE_I)
            vacate(e, v, GPC_ORIGIN_EVICTED);
        gpci_look_again(e, v->from, v->own);
        gpci_then(e, task, GPCI_STEP_evict_end);
        return;
    }
    v->data = rule.actions & GPC_DO_WRITE_BACK;
    v->masked = v->data && gpci_tree_is_masked(e->tree, m->states[v->own]);
    v->event = gpci_raised_below(m, m->states[v->own], GPC_EVENT_EVICTION, gpci_tree_put_event(v->masked));
    v->leaves = true;
    v->sort = GPCI_TASK_PUT;
    v->carrier = v->from;
    v->carried = v->own;
    v->kind = v->data ? GPC_MESSAGE_WRITE_BACK : GPC_MESSAGE_NOTICE;
    v->size = e->tree->control_bytes + (v->data ? m->given.block_bytes : 0);
    gpci_step_put_send(e, task);
}

/* The put was answered or refused. */
void gpci_step_evict_replied(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    if (!v->refused && gpci_task_from(e, v)->states[v->own] != GPC_LINE_I)
        vacate(e, v, GPC_ORIGIN_EVICTED);
    gpci_then(e, task, GPCI_STEP_evict_end);
}

void gpci_step_evict_end(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_task_at(e, v->parent)->refused |= v->refused;
    if (v->resumes == GPCI_STEP_find_gone)
        gpci_find_block_left(e, v->parent, v->own, v->refused);
    /* the way may stay locked for a request of the other half */
    if (GPCI_UNLIKELY(e->units[v->from].halved) && !v->refused) {
        gpci_look_again(e, v->from, v->own);
        gpci_halves_move(e, v->from);
    }
    gpci_task_end(e, task);
}

void gpci_step_clear_begin(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_request_message(e, task, GPC_MESSAGE_CLEAR_OWNER, GPCI_STEP_clear_come, GPCI_STEP_clear_begin);
    if (gpci_send(e, &message))
        gpci_block_asks(e, task);
}

void gpci_step_clear_come(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_find_begin(
        e, task,
        &(gpci_look){
            .address = v->address, .module = v->module, .resumes = GPCI_STEP_clear_found, .blocking = e->waits});
}

void gpci_step_clear_found(gpci_engine *e, uint32_t task) {
    gpci_task *v = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, v);
    if (v->refused) {
        gpci_task_at(e, v->parent)->refused = true;
    } else {
        t->stats.notices_received++;
        v->served = true;
        if (!v->missing) {
            gpci_tree_clear_owners(e->tree, t, v->block, gpci_task_from(e, v), v->address);
            gpci_unlock(e, t->index, v->block);
        }
    }
    gpci_then(e, task, GPCI_STEP_clear_reply);
}

void gpci_step_clear_reply(gpci_engine *e, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(e, task, GPC_MESSAGE_ACK, GPCI_STEP_clear_replied, GPCI_STEP_clear_reply);
    gpci_send(e, &message);
}

void gpci_step_clear_replied(gpci_engine *e, uint32_t task) {
    const gpci_task *v = gpci_task_at(e, task);
    gpci_block_answered(e, task);
    if (gpci_task_from(e, v)->states[v->own] == GPC_LINE_I) /* a probe passed and took the block: try again */
        gpci_task_at(e, v->parent)->refused = true;
    gpci_task_end(e, task);
}
