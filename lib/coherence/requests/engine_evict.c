/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine_alone.h"
#include "coherence/requests/engine_room.h"

/*
 * Evictions, and messages to the low module that request nothing: a block leaves, with modified bytes (engine_put.c) or
 * without; or the module no longer owns the block. If a message is refused, the state is unchanged.
 */

/* Notify the policy that a victim leaves; if a line has several blocks, at the line's last block. */
static void tell_policy(const gpci_engine *engine, const gpci_task *eviction, gpci_module *module) {
    if (eviction->victim && !gpci_module_has_company(module, eviction->own))
        gpci_module_leave(module, eviction->own, gpci_lock_of(engine, module->index, eviction->own)->tag,
                          eviction->modified);
}

/* Set the block's state to I at the end of an eviction. */
static void vacate(gpci_engine *engine, const gpci_task *eviction, uint32_t origin) {
    gpci_module *module = gpci_task_from(engine, eviction);
    if (module->states[eviction->own] != GPC_LINE_I)
        tell_policy(engine, eviction, module);
    gpci_tree_set_state(engine->tree, module, eviction->own, 0, GPC_LINE_I, origin, engine->now);
}

void gpci_step_evict_begin(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_from(engine, eviction);
    if (engine->alone)
        gpci_trail_evict(engine, task, module, eviction->own);
    gpci_engine_notify(engine, task, module, &(gpci_tree_notification){.block = eviction->own, .last = UINT64_MAX});
    eviction = gpci_task_at(engine, task);
    if (gpci_tree_keeps_entry(engine->tree, module, eviction->own)) {
        if (gpci_tree_is_modified(engine->tree, module->states[eviction->own]))
            gpci_write_back_begin(engine, task, GPCI_STEP_evict_data, module, eviction->own);
        else
            gpci_step_evict_entry(engine, task);
        return;
    }
    gpci_invalidate_begin(
        engine, task, GPCI_STEP_evict_alone, eviction->from, eviction->own, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
        GPCI_TASK_ALL,
        gpci_raised_above(module, module->states[eviction->own], GPC_EVENT_EVICTION, GPC_EVENT_WRITE_PROBE));
}

/* Continue when the block's data were written back (or refused), and the directory entry stays. */
void gpci_step_evict_data(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_from(engine, eviction);
    if (eviction->refused) {
        gpci_then(engine, task, GPCI_STEP_evict_end);
        return;
    }
    gpci_tree_data_clean(engine->tree, module, eviction->own);
    gpci_tree_written_back(engine->tree, module, eviction->own, GPC_ORIGIN_DIRECTORY_ONLY, engine->now);
    gpci_step_evict_entry(engine, task);
}

/* Take a directory-only way for the entry; if another block has the way, evict that block from the directory. */
void gpci_step_evict_entry(gpci_engine *engine, uint32_t task) {
    gpci_task *eviction = gpci_task_at(engine, task);
    const gpci_module *module = gpci_task_from(engine, eviction);
    eviction->sort = GPCI_TASK_EVICTION;
    eviction->entry = gpci_take_directory_way(engine, eviction, gpci_module_tag(module, eviction->own));
    eviction->refused = eviction->entry == GPCI_TREE_NO_BLOCK;
    if (eviction->refused) {
        gpci_then(engine, task, GPCI_STEP_evict_end);
        return;
    }
    if (module->states[eviction->entry] == GPC_LINE_I) {
        gpci_step_evict_moved(engine, task);
        return;
    }
    const uint32_t half =
        gpci_module_half(gpci_task_from(engine, eviction), gpci_module_tag(module, eviction->entry))->index;
    uint32_t child;
    gpci_task *other = gpci_task_begin(engine, task, GPCI_STEP_evict_moved, half, half,
                                       gpci_module_tag(module, eviction->entry), &child);
    other->own = eviction->entry;
    other->forwarded = true;
    gpci_then(engine, child, GPCI_STEP_evict_begin);
}

void gpci_step_evict_moved(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_from(engine, eviction);
    if (!eviction->refused) {
        tell_policy(engine, eviction, module);
        gpci_tree_move_entry(engine->tree, module, eviction->own, eviction->entry, engine->now);
        gpci_look_again(engine, module->index, eviction->own);
    }
    if (!eviction->lent)
        gpci_unlock(engine, module->index, eviction->entry);
    gpci_then(engine, task, GPCI_STEP_evict_end);
}

/* Continue when no copy is left above: send the block to the low module. */
void gpci_step_evict_alone(gpci_engine *engine, uint32_t task) {
    gpci_task *eviction = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_from(engine, eviction);
    if (module->place == GPCI_PLACE_MEMORY) {
        (void)gpci_tree_rule(engine->tree, module, module->states[eviction->own], GPC_EVENT_EVICTION);
        vacate(engine, eviction, GPC_ORIGIN_EVICT_IN_MEMORY);
        gpci_then(engine, task, GPCI_STEP_evict_end);
        return;
    }
    eviction->address = gpci_module_tag(module, eviction->own);
    eviction->module = (uint16_t)gpci_module_low(engine->tree, module, eviction->address);
    gpci_then(engine, task, GPCI_STEP_evict_send);
}

void gpci_step_evict_send(gpci_engine *engine, uint32_t task) {
    gpci_task *eviction = gpci_task_at(engine, task);
    gpci_module *module = gpci_task_from(engine, eviction);
    const gpc_protocol_rule rule =
        gpci_tree_rule(engine->tree, module, module->states[eviction->own], GPC_EVENT_EVICTION);
    if (!(rule.actions & (GPC_DO_WRITE_BACK | GPC_DO_NOTIFY))) {
        if (module->states[eviction->own] != GPC_LINE_I)
            vacate(engine, eviction, GPC_ORIGIN_EVICTED);
        gpci_look_again(engine, eviction->from, eviction->own);
        gpci_then(engine, task, GPCI_STEP_evict_end);
        return;
    }
    eviction->data = rule.actions & GPC_DO_WRITE_BACK;
    eviction->masked = eviction->data && gpci_tree_is_masked(engine->tree, module->states[eviction->own]);
    eviction->event = gpci_raised_below(module, module->states[eviction->own], GPC_EVENT_EVICTION,
                                        gpci_tree_put_event(eviction->masked));
    eviction->leaves = true;
    eviction->sort = GPCI_TASK_PUT;
    eviction->carrier = eviction->from;
    eviction->carried = eviction->own;
    eviction->kind = eviction->data ? GPC_MESSAGE_WRITE_BACK : GPC_MESSAGE_NOTICE;
    eviction->size = engine->tree->control_bytes + (eviction->data ? module->given.block_bytes : 0);
    gpci_step_put_send(engine, task);
}

/* Continue when the low module has answered or refused the put. */
void gpci_step_evict_replied(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    if (!eviction->refused && gpci_task_from(engine, eviction)->states[eviction->own] != GPC_LINE_I)
        vacate(engine, eviction, GPC_ORIGIN_EVICTED);
    gpci_then(engine, task, GPCI_STEP_evict_end);
}

void gpci_step_evict_end(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    gpci_task_at(engine, eviction->parent)->refused |= eviction->refused;
    if (eviction->resumes == GPCI_STEP_find_gone)
        gpci_find_block_left(engine, eviction->parent, eviction->own, eviction->refused);
    /* the way may stay locked for a request of the other half: its waiters must look again */
    if (GPCI_UNLIKELY(engine->units[eviction->from].halved) && !eviction->refused) {
        gpci_look_again(engine, eviction->from, eviction->own);
        gpci_halves_move(engine, eviction->from);
    }
    gpci_task_end(engine, task);
}

void gpci_step_clear_begin(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_request_message(engine, task, GPC_MESSAGE_CLEAR_OWNER, GPCI_STEP_clear_come, GPCI_STEP_clear_begin);
    if (gpci_send(engine, &message))
        gpci_block_asks(engine, task);
}

void gpci_step_clear_come(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    gpci_find_begin(engine, task,
                    &(gpci_look){.address = eviction->address,
                                 .module = eviction->module,
                                 .resumes = GPCI_STEP_clear_found,
                                 .blocking = engine->waits});
}

void gpci_step_clear_found(gpci_engine *engine, uint32_t task) {
    gpci_task *eviction = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, eviction);
    if (eviction->refused) {
        gpci_task_at(engine, eviction->parent)->refused = true;
    } else {
        target->stats.notices_received++;
        GPCI_AGAIN(target->again.notices_received++);
        eviction->served = true;
        if (!eviction->missing) {
            gpci_tree_clear_owners(engine->tree, target, eviction->block, gpci_task_from(engine, eviction),
                                   eviction->address);
            gpci_unlock(engine, target->index, eviction->block);
        }
    }
    gpci_then(engine, task, GPCI_STEP_clear_reply);
}

void gpci_step_clear_reply(gpci_engine *engine, uint32_t task) {
    const gpci_message message =
        gpci_reply_message(engine, task, GPC_MESSAGE_ACK, GPCI_STEP_clear_replied, GPCI_STEP_clear_reply);
    gpci_send(engine, &message);
}

void gpci_step_clear_replied(gpci_engine *engine, uint32_t task) {
    const gpci_task *eviction = gpci_task_at(engine, task);
    gpci_block_answered(engine, task);
    if (gpci_task_from(engine, eviction)->states[eviction->own] ==
        GPC_LINE_I) /* a probe passed the lock and took the block: the access tries again */
        gpci_task_at(engine, eviction->parent)->refused = true;
    gpci_task_end(engine, task);
}
