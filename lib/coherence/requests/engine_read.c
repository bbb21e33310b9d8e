/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/engine/engine.h"

#include <string.h>

/*
 * Requests for a copy. A request goes from the requester (`from` of the task) to the target (`module` of the task). The
 * target sends a request to its own low module, or sends read probes to owners above. A read probe is a task with
 * `down`: `from` is the target, and `module` is the probed module.
 */

void gpci_step_read_begin(gpci_engine *engine, uint32_t task) {
    const gpc_message_kind kind = gpci_task_at(engine, task)->down ? GPC_MESSAGE_READ_PROBE : GPC_MESSAGE_READ_REQUEST;
    const gpci_message message = gpci_request_message(engine, task, kind, GPCI_STEP_read_come, GPCI_STEP_read_begin);
    if (gpci_send(engine, &message))
        gpci_block_asks(engine, task);
}

/* True for a request of a load that bypasses the requester and also the target. */
static bool bypasses_t(const gpci_engine *engine, const gpci_task *request) {
    const uint32_t flags = gpci_tree_inflight_at(engine, request->inflight)->flags;
    return request->passing &&
           gpci_tree_passes(gpci_task_module(engine, request), engine->tree->protocol->pass_loads, flags);
}

void gpci_step_read_come(gpci_engine *engine, uint32_t task) {
    const gpci_task *request = gpci_task_at(engine, task);
    gpci_find_begin(engine, task,
                    &(gpci_look){.address = request->address,
                                 .module = request->module,
                                 .resumes = GPCI_STEP_read_found,
                                 .blocking = request->down || (engine->waits && !request->forwarded),
                                 .allocates = !request->down && !bypasses_t(engine, request),
                                 .goes_first = request->down,
                                 .blocks_address = bypasses_t(engine, request)});
}

static void count_back(gpci_module *target, bool back) {
    target->stats.write_backs_received += back;
    GPCI_AGAIN(target->again.write_backs_received += back);
}

#ifdef GPCI_CHECK
static void count_again(const gpci_engine *engine, gpci_module *module, const gpci_task *request) {
    const bool hit = !request->down && !bypasses_t(engine, request) && request->hit &&
                     (request->missing || !gpci_module_is_partial(module, request->block));
    *(request->down ? &module->again.read_probes : &module->again.read_requests) += 1;
    module->again.probe_misses += request->down && request->missing;
    module->again.read_request_hits += hit;
    module->again.hits += hit;
}
#endif

static void count(const gpci_engine *engine, gpci_module *module, const gpci_task *request) {
    GPCI_AGAIN(count_again(engine, module, request));
    if (request->down) {
        module->stats.read_probes++;
        module->stats.probe_misses += request->missing;
        return;
    }
    module->stats.read_requests++;
    if (bypasses_t(engine, request))
        return;
    const bool hit = request->hit && (request->missing || !gpci_module_is_partial(module, request->block));
    gpci_tree_count_near(module, gpci_task_from(engine, request), 1, hit);
    module->stats.read_request_hits += hit;
    module->stats.hits += hit;
}

/*
 * Get the answer of the target's predictor for an access. The predictor responds once per access: a repeated request
 * takes the former answer.
 */
static void ask_once(gpci_tree_inflight *access, gpci_module *target, uint64_t tag) {
    if (!access->responded)
        access->word = gpci_module_respond(target, tag);
    access->responded = true;
}

/*
 * True if the target answers a load without bytes. Such a load would bypass the requester, but the target has the
 * load's line, and the target's predictor has bits for the requester's predictor. The answer carries the bits, and the
 * requester repeats the load.
 */
static bool is_answered(gpci_engine *engine, uint32_t task) {
    const gpci_task *request = gpci_task_at(engine, task);
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, request->inflight);
    gpci_module *target = gpci_task_module(engine, request);
    const uint64_t tag = gpci_module_tag_of(target, request->address);
    if (!request->passing || request->refused || access->answered || !engine->tree->request ||
        engine->tree->request->policy.admitted || gpci_module_way_of_line(target, tag) == UINT32_MAX)
        return false;
    ask_once(access, target, tag);
    access->answered = access->word != 0;
    if (access->answered)
        /* the line is present, but the load's block may be absent and its address blocked */
        gpci_release_address(engine, task);
    return access->answered;
}

/* Get the answer of the target's predictor for a served request of a first-level module. */
static void respond(gpci_engine *engine, const gpci_task *request) {
    gpci_tree_inflight *access = gpci_tree_inflight_at(engine, request->inflight);
    gpci_module *target = gpci_task_module(engine, request);
    if (gpci_task_from(engine, request)->level == 1)
        ask_once(access, target, gpci_module_tag_of(target, request->address));
}

void gpci_step_read_found(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    request->bytes = engine->tree->control_bytes;
    if (GPCI_UNLIKELY(gpci_task_module(engine, request)->responds) && is_answered(engine, task)) {
        request->served = true;
        gpci_then(engine, task, GPCI_STEP_read_reply);
        return;
    }
    if (!request->refused)
        count(engine, gpci_task_module(engine, request), request);
    request->served = !request->refused;
    if (!request->down)
        gpci_inflight_reaches(engine, request);
    if (!request->refused && bypasses_t(engine, request)) {
        gpci_drop_begin(engine, task, GPC_EVENT_PASSING_LOAD, GPCI_STEP_read_dropped);
        return;
    }
    if (request->refused || request->missing) {
        gpci_task *parent = gpci_task_at(engine, request->parent);
        parent->refused |= request->refused;
        if (request->missing && parent->answer < GPCI_ANSWER_ACK)
            parent->answer = GPCI_ANSWER_ACK;
        gpci_then(engine, task, GPCI_STEP_read_reply);
        return;
    }
    request->found = true;
    gpci_then(engine, task, request->down ? GPCI_STEP_read_down : GPCI_STEP_read_up);
}

static void probe(gpci_engine *engine, uint32_t task, uint32_t x, uint64_t tag, gpci_step resumes) {
    gpci_task *request = gpci_task_at(engine, task);
    const uint32_t event = gpci_event_or(request->event, request->down ? GPC_EVENT_READ_PROBE : GPC_EVENT_READ_ABOVE);
    const gpci_module *target = gpci_task_module(engine, request);
    uint32_t child;
    gpci_task *probe = gpci_task_begin(engine, task, resumes, request->module, x, tag, &child);
    probe->down = true;
    probe->event = gpci_raised_above(target, target->states[request->block], event, GPC_EVENT_READ_PROBE);
    request->pending++;
    gpci_then(engine, child, GPCI_STEP_read_begin);
}

/*
 * Probe the owners of the parts of the target's block that the request needs. If there is no owner, probe a sharer, if
 * the protocol's sharers supply data.
 */
static void probe_owners(gpci_engine *engine, uint32_t task, gpci_step resumes) {
    const gpci_task *request = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, request);
    const gpci_tree_request ask = gpci_task_request(engine, request);
    const gpci_tree_read_probe tree_read_probe = {.block = request->block,
                                                  .request = request->down || request->passing ? NULL : &ask};
    const uint32_t before = request->pending;
    uint64_t tag;
    uint32_t x;
    for (uint32_t sub = 0; sub < target->sub_blocks; sub++)
        if (gpci_tree_owner_to_probe(engine->tree, target, &tree_read_probe, sub, &x, &tag))
            probe(engine, task, x, tag, resumes);
    if (request->pending == before &&
        (x = gpci_tree_sharer_to_probe(engine->tree, target, &tree_read_probe)) != GPC_NO_MODULE)
        probe(engine, task, x, request->address, resumes);
}

void gpci_step_read_up(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, request);
    const uint32_t event = gpci_event_or(request->event, GPC_EVENT_READ_ABOVE);
    request->pending = 1;
    if (GPCI_UNLIKELY(request->state != GPC_LINE_I && gpci_module_is_partial(target, request->block))) {
        gpci_complete_begin(engine, task, GPCI_STEP_read_complete);
        return;
    }
    if (request->state != GPC_LINE_I) {
        /* fails the tree if the table forbids the event */
        (void)gpci_tree_rule(engine->tree, target, request->state, event);
        if (GPCI_UNLIKELY(target->pointers) && !request->passing &&
            gpci_directory_lacks_room(engine->tree, target, request->block, gpci_task_from(engine, request),
                                      request->address)) {
            gpci_room_begin(engine, task, GPCI_STEP_read_room);
            return;
        }
        request->both = !request->passing && gpci_tree_has_newer(engine->tree, target, request->block);
        probe_owners(engine, task, GPCI_STEP_read_up_end);
        gpci_then(engine, task, GPCI_STEP_read_up_end);
        return;
    }
    const uint64_t tag = gpci_module_tag_of(target, request->address);
    uint32_t child;
    gpci_task *own = gpci_task_begin(engine, task, GPCI_STEP_read_missed, target->index,
                                     gpci_module_low(engine->tree, target, tag), tag, &child);
    own->own = request->block;
    own->event = gpci_raised_below(target, GPC_LINE_I, event, GPC_EVENT_READ_ABOVE);
    own->cause = request->event;
    request->shared = false;
    gpci_ask(engine, target, child, GPCI_STEP_read_begin, true);
}

/* Continue when the directory has room: the invalidated copy may have left modified bytes in the target's block. */
void gpci_step_read_room(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    request->state = gpci_task_module(engine, request)->states[request->block];
    request->received = request->dirty = request->full_block = false;
    gpci_step_read_up(engine, task);
}

/*
 * Continue when the missing bytes of a partial block have arrived. If a probe has taken the target's part meanwhile,
 * only the bytes read now are present: the request continues as after a miss.
 */
void gpci_step_read_complete(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    if (!request->refused && gpci_complete_end(engine, request))
        gpci_step_read_up(engine, task);
    else
        gpci_step_read_missed(engine, task);
}

void gpci_step_read_missed(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, request);
    if (request->refused) {
        gpci_unlock(engine, request->module, request->block);
        gpci_task_at(engine, request->parent)->refused = true;
        gpci_then(engine, task, GPCI_STEP_read_reply);
        return;
    }
    const gpc_protocol_rule rule =
        gpci_tree_rule(engine->tree, target, GPC_LINE_I, gpci_event_or(request->event, GPC_EVENT_READ_ABOVE));
    gpci_tree_set_state(engine->tree, target, request->block, gpci_module_tag_of(target, request->address),
                        request->shared ? rule.next_shared : rule.next, GPC_ORIGIN_READ_UP_DOWN, engine->now);
    gpci_then(engine, task, GPCI_STEP_read_up_end);
}

static void settle(gpci_engine *engine, gpci_task *request) {
    gpc_coherence *coherence = engine->tree;
    gpci_module *target = gpci_task_module(engine, request);
    const gpci_tree_request ask = gpci_task_request(engine, request);
    if (request->passing) { /* the access bypasses the requester: the bytes go only to the processor */
        const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, request->inflight);
        request->bytes = coherence->control_bytes + access->size;
        if (!coherence->with_data)
            return;
        uint8_t *bytes = gpci_payload_of(engine, request->inflight);
        gpci_tree_data_load(coherence, target, request->block, access->address, access->size, bytes);
        memcpy(gpci_block_copy_of(engine, request->inflight) +
                   (access->address & (gpci_module_at(coherence, access->module)->given.block_bytes - 1)),
               bytes, access->size);
        gpci_performed(engine, request->inflight);
        return;
    }
    const bool shared = gpci_tree_is_shared(coherence, request->state);
    request->shared = gpci_tree_add_requester(coherence, target, request->block, &ask,
                                              request->shared || shared || request->non_coherent);
    if (!request->sent)
        gpci_tree_data_fill(coherence, target, request->block, gpci_task_from(engine, request), request->own,
                            request->address);
    request->bytes = coherence->control_bytes + gpci_task_from(engine, request)->given.block_bytes;
}

void gpci_step_read_up_end(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    gpci_module *target = gpci_task_module(engine, request);
    if (--request->pending)
        return;
    settle(engine, request);
    if (GPCI_UNLIKELY(target->responds))
        respond(engine, request);
    if (GPCI_UNLIKELY(target->asks))
        gpci_tree_forget_entry(engine->tree, target, request->block, engine->now);
    gpci_unlock(engine, request->module, request->block);
    if (!request->sent || request->both) {
        gpci_use_data(engine, task, GPCI_STEP_read_reply, target, request->bytes - engine->tree->control_bytes, false);
        return;
    }
    gpci_request_done(engine, task);
}

void gpci_step_read_down(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    request->pending = 1;
    probe_owners(engine, task, GPCI_STEP_read_down_wait);
    gpci_then(engine, task, GPCI_STEP_read_down_wait);
}

void gpci_step_read_down_wait(gpci_engine *engine, uint32_t task) {
    if (!--gpci_task_at(engine, task)->pending)
        gpci_step_read_down_end(engine, task);
}

void gpci_step_read_down_end(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task), *parent = gpci_task_at(engine, request->parent);
    gpci_module *probed = gpci_task_module(engine, request), *target = gpci_task_from(engine, request);
    const gpci_tree_request ask = gpci_task_request(engine, parent);
    gpci_tree_probe_reply reply = {.ready = engine->now,
                                   .address = request->address,
                                   .module = probed->index,
                                   .bytes = engine->tree->control_bytes};
    gpci_tree_read_probe probe = {
        .block = parent->block, .event = request->event, .request = parent->down || parent->passing ? NULL : &ask};
    const gpci_tree_read_probe above = {.block = request->block,
                                        .probed = request->answer != GPCI_ANSWER_NONE,
                                        .data = request->answer == GPCI_ANSWER_DATA};
    gpci_tree_reply_to_read_probe(engine->tree, target, &reply, &probe, request->block, &above);
    request->peer = reply.peer;
    request->data = reply.data;
    request->keeps = reply.keeps;
    request->bytes = reply.bytes;
    parent->sent |= reply.peer;
    parent->coming += reply.peer;
    parent->eager = reply.peer && !parent->both;
    const uint8_t answer = reply.data ? GPCI_ANSWER_DATA : GPCI_ANSWER_ACK;
    parent->answer = answer > parent->answer ? answer : parent->answer;
    gpci_probe_leaves(engine, task);
    gpci_use_data(engine, task, GPCI_STEP_read_reply, probed,
                  reply.peer ? probed->given.block_bytes : reply.bytes - engine->tree->control_bytes, false);
}

void gpci_step_read_reply(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    const bool back = request->data && request->peer;
    if (request->peer && !request->sent &&
        !(request->sent = gpci_send_to_peer(engine, task, request->parent, GPCI_STEP_read_reply)))
        return;
    const gpc_message_kind kind = back                                           ? GPC_MESSAGE_WRITE_BACK
                                  : request->bytes > engine->tree->control_bytes ? GPC_MESSAGE_DATA
                                                                                 : GPC_MESSAGE_ACK;
    gpci_message message = gpci_reply_message(engine, task, kind, GPCI_STEP_read_replied, GPCI_STEP_read_reply);
    message.bytes = request->bytes;
    if (gpci_send(engine, &message) && request->down)
        count_back(gpci_task_from(engine, request), back);
}

/*
 * Handle the answer to a read probe: update the target's directory, and set the target's state if modified bytes came.
 */
static void take_answer(gpci_engine *engine, gpci_task *request) {
    gpc_coherence *coherence = engine->tree;
    gpci_module *target = gpci_task_from(engine, request);
    gpci_task *parent = gpci_task_at(engine, request->parent);
    const gpci_tree_probe_reply reply = {
        .module = request->module, .address = request->address, .found = request->found, .keeps = request->keeps};
    gpci_tree_update_directory(coherence, target, parent->block, &reply);
    if (request->data && !parent->received && !gpci_tree_has(coherence, GPC_PROTOCOL_DROP_PROBE_DATA))
        gpci_tree_apply(coherence, target, parent->block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, engine->now);
    parent->received |= request->data;
}

void gpci_step_read_replied(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    if (request->down) {
        take_answer(engine, request);
        gpci_task_end(engine, task);
        return;
    }
    gpci_request_done(engine, task);
}

/* Continue a load that also bypasses the target, when the target has written back a modified copy. */
void gpci_step_read_dropped(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    if (request->refused) {
        gpci_step_read_lowered(engine, task);
        return;
    }
    gpci_drop_end(engine, request, GPC_EVENT_PASSING_LOAD);
    gpci_pass_load(engine, task, gpci_task_module(engine, request), request->address, GPCI_STEP_read_lowered);
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
