/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine.h"

/*
 * Requests for the only copy, and invalidations. A request goes from the requester (`from` of the task) to the target
 * (`module` of the task). An invalidation takes the block from modules above the target by write probes. A write probe
 * is a task with `down`: `from` is the target, and `module` is the probed module, which first invalidates the copies
 * above itself.
 */

void gpci_invalidate_begin(gpci_engine *engine, uint32_t parent, gpci_step resumes, uint32_t module, uint32_t block,
                           uint32_t except, uint32_t ask, uint64_t first, uint32_t span, uint8_t event) {
    uint32_t task;
    if (engine->direct && !gpci_module_has_sharers(gpci_module_at(engine->tree, module), block)) {
        gpci_then(engine, parent, resumes);
        return;
    }
    gpci_task *invalidation = gpci_task_begin(engine, parent, resumes, module, module, first, &task);
    invalidation->sort = GPCI_TASK_INVALIDATION;
    invalidation->block = block;
    invalidation->except = (uint16_t)except; /* the cast turns GPC_NO_MODULE into GPCI_TASK_NO_MODULE */
    invalidation->ask = ask;
    invalidation->span = span;
    invalidation->event = event;
    gpci_then(engine, task, GPCI_STEP_invalidate_begin);
}

void gpci_room_begin(gpci_engine *engine, uint32_t request, gpci_step resumes) {
    const gpci_task *request_task = gpci_task_at(engine, request);
    const uint32_t module = request_task->module;
    uint32_t task;
    gpci_task *invalidation = gpci_task_begin(engine, request, resumes, module, module, request_task->address, &task);
    request_task = gpci_task_at(engine, request);
    invalidation->sort = GPCI_TASK_INVALIDATION;
    invalidation->block = request_task->block;
    invalidation->except = request_task->from;
    invalidation->ask = GPCI_NO_ITEM;
    invalidation->span = gpci_task_from(engine, request_task)->given.block_bytes - 1;
    invalidation->room = true;
    gpci_then(engine, task, GPCI_STEP_invalidate_begin);
}

/*
 * True if an invalidation's probes are refused, and do not wait, where the block is locked: probes for the bytes of a
 * put that keeps another block locked. If such a probe waited, it might wait for a similar put, and the similar put's
 * probe might wait for the other block of the first put.
 */
static bool gives_way(const gpci_engine *engine, const gpci_task *invalidation) {
    return !gpci_tree_has(engine->tree, GPC_PROTOCOL_PROBE_WHOLE) && invalidation->resumes == GPCI_STEP_put_merge &&
           gpci_task_at(engine, invalidation->parent)->forwarded;
}

static void probe_copies(gpci_engine *engine, uint32_t task, bool only_owners) {
    gpci_task *invalidation = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, invalidation);
    gpci_tree_copies copies = {
        .block = invalidation->block,
        .except =
            invalidation->except == GPCI_TASK_NO_MODULE ? NULL : gpci_module_at(engine->tree, invalidation->except),
        .first = invalidation->address,
        .last = invalidation->span == GPCI_TASK_ALL ? UINT64_MAX : invalidation->address + invalidation->span,
        .only_owners = only_owners,
        .room = invalidation->room};
    for (uint64_t tag; gpci_tree_next_copy(engine->tree, target, &copies, &tag);) {
        uint32_t child;
        gpci_task *probe =
            gpci_task_begin(engine, task, GPCI_STEP_invalidate_end, target->index, copies.module, tag, &child);
        probe->down = true;
        probe->forwarded = gives_way(engine, invalidation);
        probe->owners = copies.owner;
        probe->event = invalidation->event;
        invalidation->pending++;
        target->stats.directory_evictions += invalidation->room;
        GPCI_AGAIN(target->again.directory_evictions += copies.room ? 1 : 0);
        gpci_then(engine, child, GPCI_STEP_write_begin);
    }
}

/*
 * True if an invalidation must probe owners before other sharers: an owner's modified bytes are older than the
 * non-coherent stores of others, and must reach the target earlier. Not needed if data go directly to the requester,
 * because the requester can tell newer bytes from older bytes (gpci_tree_data_transfer).
 */
static bool owners_come_first(const gpci_engine *engine, const gpci_task *invalidation) {
    return engine->tree->non_coherent && !gpci_tree_has(engine->tree, GPC_PROTOCOL_COUNT_REPLIES) &&
           (invalidation->ask == GPCI_NO_ITEM || !gpci_task_at(engine, invalidation->ask)->direct ||
            engine->units[invalidation->module].mixed);
}

void gpci_step_invalidate_begin(gpci_engine *engine, uint32_t task) {
    gpci_task *invalidation = gpci_task_at(engine, task);
    invalidation->state = gpci_task_module(engine, invalidation)->states[invalidation->block];
    invalidation->pending = 1;
    if (owners_come_first(engine, invalidation) && !invalidation->room)
        probe_copies(engine, task, true);
    invalidation->owners = invalidation->pending > 1;
    if (!invalidation->owners)
        probe_copies(engine, task, false);
    gpci_then(engine, task, GPCI_STEP_invalidate_end);
}

static void received(gpci_engine *engine, gpci_task *invalidation, uint8_t state) {
    gpci_module *target = gpci_task_module(engine, invalidation);
    const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, target, state, GPC_EVENT_INVALIDATE_DATA);
    invalidation->received = true;
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(engine->tree, target, invalidation->block, gpci_module_tag(target, invalidation->block),
                            rule.next,
                            gpci_tree_means(engine->tree, state) == GPC_MEANS_E ? GPC_ORIGIN_INVALIDATE_DATA_1
                                                                                : GPC_ORIGIN_INVALIDATE_DATA_2,
                            engine->now);
}

void gpci_step_invalidate_end(gpci_engine *engine, uint32_t task) {
    gpci_task *invalidation = gpci_task_at(engine, task);
    if (invalidation->answer == GPCI_ANSWER_DATA && gpci_tree_has(engine->tree, GPC_PROTOCOL_COUNT_REPLIES))
        received(engine, invalidation, invalidation->state);
    if (--invalidation->pending)
        return;
    if (invalidation->owners && !invalidation->refused) {
        invalidation->owners = false;
        probe_copies(engine, task, false);
        if (invalidation->pending)
            return;
    }
    gpci_task *parent = gpci_task_at(engine, invalidation->parent);
    parent->received |= invalidation->received;
    parent->dirty |= invalidation->dirty;
    parent->full_block |= invalidation->full_block;
    parent->refused |= invalidation->refused;
    gpci_task_end(engine, task);
}

void gpci_step_write_begin(gpci_engine *engine, uint32_t task) {
    const gpc_message_kind kind =
        gpci_task_at(engine, task)->down ? GPC_MESSAGE_WRITE_PROBE : GPC_MESSAGE_WRITE_REQUEST;
    const gpci_message message = gpci_request_message(engine, task, kind, GPCI_STEP_write_come, GPCI_STEP_write_begin);
    if (gpci_send(engine, &message))
        gpci_block_asks(engine, task);
}

void gpci_step_write_come(gpci_engine *engine, uint32_t task) {
    const gpci_task *write = gpci_task_at(engine, task);
    gpci_find_begin(engine, task,
                    &(gpci_look){.address = write->address,
                                 .module = write->module,
                                 .resumes = GPCI_STEP_write_found,
                                 .blocking = write->down ? !write->forwarded : engine->waits,
                                 .allocates = !write->down,
                                 .goes_first = write->down});
}

static void count(const gpci_engine *engine, gpci_module *module, const gpci_task *write) {
    GPCI_AGAIN(*(write->down ? &module->again.write_probes : &module->again.write_requests) += 1);
    GPCI_AGAIN(module->again.probe_misses += write->down && write->missing);
    GPCI_AGAIN(module->again.hits += !write->down && write->hit);
    if (write->down) {
        module->stats.write_probes++;
        module->stats.probe_misses += write->missing;
        return;
    }
    module->stats.write_requests++;
    gpci_tree_count_near(module, gpci_task_from(engine, write), 1,
                         0); /* counted now, not with the answer: counters may be reset in between */
    module->stats.hits += write->hit;
}

/*
 * True if data may go directly to the requester. False if a request of the target itself may be refused later: the
 * requester would then lose the data.
 */
static bool reaches_peer(const gpci_engine *engine, const gpci_task *write) {
    const gpc_protocol_rule rule = *gpci_module_rule(gpci_task_module(engine, write), write->state,
                                                     gpci_event_or(write->event, GPC_EVENT_WRITE_ABOVE));
    return gpci_tree_has(engine->tree, GPC_PROTOCOL_PEER) &&
           (!(rule.actions & GPC_DO_WRITE_REQUEST) || engine->alone || engine->tree->faults & GPCI_FAULT_ALWAYS_DIRECT);
}

void gpci_step_write_found(gpci_engine *engine, uint32_t task) {
    gpci_task *write = gpci_task_at(engine, task);
    gpci_task *parent = gpci_task_at(engine, write->parent);
    write->bytes = engine->tree->control_bytes;
    if (!write->refused)
        count(engine, gpci_task_module(engine, write), write);
    write->served = !write->refused;
    if (!write->down)
        gpci_inflight_reaches(engine, write);
    if (write->refused || write->missing) {
        parent->refused |= write->refused;
        if (write->missing && parent->answer < GPCI_ANSWER_ACK)
            parent->answer = GPCI_ANSWER_ACK;
        gpci_then(engine, task, GPCI_STEP_write_reply);
        return;
    }
    write->found = true;
    const uint32_t event = gpci_event_or(write->event, write->down ? GPC_EVENT_WRITE_PROBE : GPC_EVENT_WRITE_ABOVE);
    const uint8_t raised =
        gpci_raised_above(gpci_task_module(engine, write), write->state, event, GPC_EVENT_WRITE_PROBE);
    if (write->down) {
        gpci_invalidate_begin(engine, task, GPCI_STEP_write_alone, write->module, write->block, GPC_NO_MODULE,
                              GPCI_NO_ITEM, 0, GPCI_TASK_ALL, raised);
        return;
    }
    uint32_t span = 0;
    /* Multi2Sim (PROBE_WHOLE) invalidates only the requester's first sub-block */
    if (!gpci_tree_has(engine->tree, GPC_PROTOCOL_PROBE_WHOLE))
        span = gpci_task_from(engine, write)->given.block_bytes - 1;
    write->direct = reaches_peer(engine, write);
    gpci_invalidate_begin(engine, task, GPCI_STEP_write_alone, write->module, write->block, write->from, task,
                          write->address, span, raised);
}

void gpci_complete_begin(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *request = gpci_task_at(engine, task);
    const gpci_module *target = gpci_task_module(engine, request);
    const uint32_t block = request->block;
    const uint64_t tag = gpci_module_tag(target, block);
    uint32_t child;
    gpci_task_begin(engine, task, resumes, target->index, gpci_module_low(engine->tree, target, tag), tag, &child)
        ->own = block;
    gpci_ask(engine, target, child, GPCI_STEP_read_begin, true);
}

bool gpci_complete_end(const gpci_engine *engine, gpci_task *task) {
    const gpci_module *target = gpci_task_module(engine, task);
    task->shared = false;
    task->state = target->states[task->block];
    if (task->state != GPC_LINE_I)
        gpci_module_complete(target, task->block);
    return task->state != GPC_LINE_I;
}

/* Continue when the missing bytes of the target's block have arrived: the requester then gets the whole block. */
void gpci_step_write_complete(gpci_engine *engine, uint32_t task) {
    gpci_task *write = gpci_task_at(engine, task);
    if (write->refused) {
        gpci_step_write_up_end(engine, task);
    } else {
        /* if a probe has taken the block, the request for permission brings the block again */
        (void)gpci_complete_end(engine, write);
        gpci_step_write_up(engine, task);
    }
}

void gpci_step_write_alone(gpci_engine *engine, uint32_t task) {
    const gpci_task *write = gpci_task_at(engine, task);
    if (GPCI_UNLIKELY(!write->down && !write->blind &&
                      gpci_module_is_partial(gpci_task_module(engine, write), write->block)) &&
        write->state != GPC_LINE_I) {
        gpci_complete_begin(engine, task, GPCI_STEP_write_complete);
        return;
    }
    gpci_then(engine, task, gpci_task_at(engine, task)->down ? GPCI_STEP_write_down : GPCI_STEP_write_up);
}

/* Event at the target of a write request, or of a put whose store the target performs. */
static uint32_t rights_event(const gpci_task *write) {
    return write->at_low ? (uint32_t)GPC_EVENT_WRITE_ABOVE : gpci_event_or(write->event, GPC_EVENT_WRITE_ABOVE);
}

void gpci_rights_begin(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    gpci_task *write = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, write);
    const uint32_t event = rights_event(write);
    const gpc_protocol_rule rule = gpci_tree_rule(engine->tree, target, target->states[write->block], event);
    if (!(rule.actions & GPC_DO_WRITE_REQUEST)) {
        gpci_then(engine, task, resumes);
        return;
    }
    const uint64_t tag = gpci_module_tag_of(target, write->address);
    uint32_t child;
    gpci_task *own =
        gpci_task_begin(engine, task, resumes, target->index, gpci_module_low(engine->tree, target, tag), tag, &child);
    own->own = write->block;
    own->valid = target->states[write->block] != GPC_LINE_I;
    own->blind = write->blind &&
                 (target->lacks || (write->at_low && !own->valid && gpci_takes_store(engine, target, write->inflight)));
    own->event = gpci_raised_below(target, target->states[write->block], event, GPC_EVENT_WRITE_ABOVE);
    write->asked = true;
    gpci_ask(engine, target, child, GPCI_STEP_write_begin, !own->valid && !own->blind);
}

bool gpci_rights_end(gpci_engine *engine, const gpci_task *write) {
    gpc_coherence *coherence = engine->tree;
    gpci_module *target = gpci_task_module(engine, write);
    const bool nothing = target->lacks && write->blind && target->states[write->block] == GPC_LINE_I;
    const gpc_protocol_rule rule = gpci_tree_rule(coherence, target, target->states[write->block], rights_event(write));
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(coherence, target, write->block, gpci_module_tag_of(target, write->address), rule.next,
                            GPC_ORIGIN_WRITE_UP_DOWN, engine->now);
    if (write->below_dirty)
        gpci_tree_apply(coherence, target, write->block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, engine->now);
    return nothing;
}

void gpci_step_write_up(gpci_engine *engine, uint32_t task) {
    gpci_rights_begin(engine, task, GPCI_STEP_write_up_end);
}

/*
 * Give the requester the only copy, after the target has got write permission: the directory, and the bytes of the
 * answer.
 */
static void settle(gpci_engine *engine, gpci_task *write) {
    gpc_coherence *coherence = engine->tree;
    gpci_module *requester = gpci_task_from(engine, write), *target = gpci_task_module(engine, write);
    const gpci_tree_request ask = gpci_task_request(engine, write);
    write->valid &=
        /* false if an eviction in the target has taken the requester's copy */
        gpci_tree_is_held(coherence, requester->states[write->own]);
    if (GPCI_UNLIKELY(gpci_rights_end(engine, write)))
        gpci_tree_data_begin(target, write->block, NULL);
    target->stats.write_request_hits += !write->asked;
    GPCI_AGAIN(target->again.write_request_hits += write->asked ? 0 : 1);
    gpci_tree_count_near(target, requester, 0, !write->asked);
    if (gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY))
        gpci_tree_make_sole_owner(coherence, target, write->block, &ask);
    write->newer = !gpci_tree_has(coherence, GPC_PROTOCOL_WHOLE_BLOCKS) &&
                   (write->received || write->below_dirty || write->below_newer ||
                    gpci_tree_has_newer(coherence, target, write->block));
    const bool data = !write->blind && (write->newer || (!write->valid && !write->full_block));
    if (data || (!write->valid && !write->blind))
        gpci_tree_data_fill(coherence, target, write->block, requester, write->own, write->address);
    write->bytes = coherence->control_bytes + (data ? requester->given.block_bytes : 0);
}

void gpci_step_write_up_end(gpci_engine *engine, uint32_t task) {
    gpci_task *write = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, write);
    if (write->refused) {
        gpci_unlock(engine, write->module, write->block);
        gpci_task_at(engine, write->parent)->refused = true;
        gpci_then(engine, task, GPCI_STEP_write_reply);
        return;
    }
    settle(engine, write);
    gpci_unlock(engine, write->module, write->block);
    gpci_use_data(engine, task, GPCI_STEP_write_reply, target, write->bytes - engine->tree->control_bytes, false);
}

void gpci_step_write_down(gpci_engine *engine, uint32_t task) {
    gpci_then(engine, task, GPCI_STEP_write_down_end);
}

void gpci_step_write_down_end(gpci_engine *engine, uint32_t task) {
    gpci_task *write = gpci_task_at(engine, task), *invalidation = gpci_task_at(engine, write->parent);
    gpci_module *probed = gpci_task_module(engine, write), *target = gpci_task_from(engine, write);
    gpci_tree_request ask;
    gpci_tree_write_probe probe = {
        .block = invalidation->block, .event = write->event, .gone = write->borrows || write->lent};
    gpci_tree_probe_reply reply = {.ready = engine->now,
                                   .address = write->address,
                                   .module = probed->index,
                                   .block = write->block,
                                   .state = write->state,
                                   .bytes = write->bytes,
                                   .received = write->received};
    if (invalidation->ask != GPCI_NO_ITEM) {
        ask = gpci_task_request(engine, gpci_task_at(engine, invalidation->ask));
        probe.request = &ask;
        probe.through_t = !gpci_task_at(engine, invalidation->ask)->direct;
    }
    gpci_tree_invalidate_copy(engine->tree, target, &reply, &probe);
    write->peer = reply.peer;
    write->data = reply.data;
    write->masked = reply.masked;
    write->bytes = reply.bytes;
    invalidation->dirty |= reply.data && reply.peer;
    invalidation->full_block |= reply.peer && !reply.masked;
    if (reply.peer)
        gpci_task_at(engine, invalidation->ask)->coming++;
    const uint8_t answer = reply.data && !reply.peer ? GPCI_ANSWER_DATA : GPCI_ANSWER_ACK;
    invalidation->answer = answer > invalidation->answer ? answer : invalidation->answer;
    const bool reads = reply.sends || (gpci_tree_has(engine->tree, GPC_PROTOCOL_COUNT_REPLIES) &&
                                       invalidation->answer == GPCI_ANSWER_DATA);
    gpci_probe_leaves(engine, task);
    if (reads)
        gpci_use_data(engine, task, GPCI_STEP_write_reply, probed,
                      reply.peer ? probed->given.block_bytes : reply.bytes - engine->tree->control_bytes, false);
    else
        gpci_then(engine, task, GPCI_STEP_write_reply);
}

void gpci_step_write_reply(gpci_engine *engine, uint32_t task) {
    gpci_task *write = gpci_task_at(engine, task);
    if (write->peer && !write->sent) {
        write->sent = gpci_send_to_peer(engine, task, gpci_task_at(engine, write->parent)->ask, GPCI_STEP_write_reply);
        if (!write->sent)
            return;
    }
    gpci_message message = gpci_reply_message(
        engine, task, write->bytes > engine->tree->control_bytes ? GPC_MESSAGE_DATA : GPC_MESSAGE_ACK,
        GPCI_STEP_write_replied, GPCI_STEP_write_reply);
    message.bytes = write->bytes;
    gpci_send(engine, &message);
}

/*
 * True if the answer to a write probe waits. In Multi2Sim, an answer counts as data if a probed module has changed its
 * state by then, even in the same cycle. Hence the answer waits for all other steps of the cycle.
 */
static bool comes_late(gpci_engine *engine, uint32_t task) {
    gpci_trail *trail = &engine->trails[task];
    engine->late += !trail->late;
    trail->late = engine->calendar.today_count >= engine->late;
    if (trail->late)
        gpci_step_in(engine, task, GPCI_STEP_write_replied, 0);
    engine->late -= !trail->late;
    return trail->late;
}

void gpci_step_write_replied(gpci_engine *engine, uint32_t task) {
    gpci_task *write = gpci_task_at(engine, task), *parent = gpci_task_at(engine, write->parent);
    if (GPCI_UNLIKELY(engine->alone) && write->down && gpci_tree_has(engine->tree, GPC_PROTOCOL_COUNT_REPLIES) &&
        comes_late(engine, task))
        return;
    if (write->down) {
        if (write->refused)
            gpci_tree_list_again(engine->tree, gpci_task_from(engine, write), parent->block,
                                 gpci_task_module(engine, write), write->address, write->owners);
        if (write->data && !write->peer && !parent->received &&
            !gpci_tree_has(engine->tree, GPC_PROTOCOL_COUNT_REPLIES))
            received(engine, parent, gpci_task_module(engine, parent)->states[parent->block]);
        gpci_task_end(engine, task);
        return;
    }
    parent->below_dirty |= write->dirty;
    parent->below_newer |= write->newer;
    gpci_request_done(engine, task);
}
