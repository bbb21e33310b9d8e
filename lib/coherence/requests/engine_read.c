/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"
#include "coherence/module/tree_engine.h"

#include <string.h>

/*
 * Requests for a copy, from R (`from`) to T (`module`). T asks its own low module, or probes owners among modules above
 * (`down`): then T is `from` and X is `module`.
 */

void gpci_step_read_begin(gpci_engine *e, uint32_t task) {
    const gpc_message_kind kind = gpci_task_at(e, task)->down ? GPC_MESSAGE_READ_PROBE : GPC_MESSAGE_READ_REQUEST;
    const gpci_message message = gpci_request_message(e, task, kind, GPCI_STEP_read_come, GPCI_STEP_read_begin);
    if (gpci_send(e, &message))
        gpci_block_asks(e, task);
}

/* True for a load that bypasses R and also T. */
static bool bypasses_t(const gpci_engine *e, const gpci_task *r) {
    const uint32_t flags = gpci_tree_inflight_at(e, r->inflight)->flags;
    return r->passing && gpci_tree_passes(gpci_task_module(e, r), e->tree->protocol->pass_loads, flags);
}

void gpci_step_read_come(gpci_engine *e, uint32_t task) {
    const gpci_task *r = gpci_task_at(e, task);
    gpci_find_begin(e, task,
                    &(gpci_look){.address = r->address,
                                 .module = r->module,
                                 .resumes = GPCI_STEP_read_found,
                                 .blocking = r->down || (e->waits && !r->forwarded),
                                 .allocates = !r->down && !bypasses_t(e, r),
                                 .goes_first = r->down,
                                 .blocks_address = bypasses_t(e, r)});
}

static void count(const gpci_engine *e, gpci_module *m, const gpci_task *r) {
    if (r->down) {
        m->stats.read_probes++;
        m->stats.probe_misses += r->missing;
        return;
    }
    m->stats.read_requests++;
    if (bypasses_t(e, r))
        return;
    const bool hit = r->hit && (r->missing || !gpci_module_is_partial(m, r->block));
    gpci_tree_count_near(m, gpci_task_from(e, r), 1, hit);
    m->stats.read_request_hits += hit;
    m->stats.hits += hit;
}

/*
 * A load would bypass R, but T's predictor has bits for R's predictor in a line of T: answer with the bits, without
 * bytes; R asks again.
 */
static bool is_answered(gpci_engine *e, uint32_t task) {
    const gpci_task *r = gpci_task_at(e, task);
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, r->inflight);
    gpci_module *t = gpci_task_module(e, r);
    const uint64_t tag = gpci_module_tag_of(t, r->address);
    if (!r->passing || r->refused || a->answered || !e->tree->request || e->tree->request->admitted ||
        gpci_module_line_way(t, tag) == UINT32_MAX)
        return false;
    a->word = gpci_module_respond(t, tag);
    a->answered = a->word != 0;
    if (a->answered)
        gpci_release_address(e, task); /* only its line may be present, not the block */
    return a->answered;
}

/* Let T's predictor answer a served request. */
static void respond(gpci_engine *e, const gpci_task *r) {
    gpci_tree_inflight *a = gpci_tree_inflight_at(e, r->inflight);
    gpci_module *t = gpci_task_module(e, r);
    if (gpci_task_from(e, r)->level == 1 && !a->answered)
        a->word = gpci_module_respond(t, gpci_module_tag_of(t, r->address));
}

void gpci_step_read_found(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    r->bytes = e->tree->control_bytes;
    if (GPCI_UNLIKELY(gpci_task_module(e, r)->responds) && is_answered(e, task)) {
        r->served = true;
        gpci_then(e, task, GPCI_STEP_read_reply);
        return;
    }
    if (!r->refused)
        count(e, gpci_task_module(e, r), r);
    r->served = !r->refused;
    if (!r->down)
        gpci_inflight_reaches(e, r);
    if (!r->refused && bypasses_t(e, r)) {
        gpci_drop_begin(e, task, GPC_EVENT_PASSING_LOAD, GPCI_STEP_read_dropped);
        return;
    }
    if (r->refused || r->missing) {
        gpci_task *parent = gpci_task_at(e, r->parent);
        parent->refused |= r->refused;
        if (r->missing && parent->answer < GPCI_ANSWER_ACK)
            parent->answer = GPCI_ANSWER_ACK;
        gpci_then(e, task, GPCI_STEP_read_reply);
        return;
    }
    r->found = true;
    gpci_then(e, task, r->down ? GPCI_STEP_read_down : GPCI_STEP_read_up);
}

static void probe(gpci_engine *e, uint32_t task, uint32_t x, uint64_t tag, gpci_step resumes) {
    gpci_task *r = gpci_task_at(e, task);
    const uint32_t event = gpci_event_or(r->event, r->down ? GPC_EVENT_READ_PROBE : GPC_EVENT_READ_ABOVE);
    const gpci_module *t = gpci_task_module(e, r);
    uint32_t child;
    gpci_task *probe = gpci_task_begin(e, task, resumes, r->module, x, tag, &child);
    probe->down = true;
    probe->event = gpci_raised_above(t, t->states[r->block], event, GPC_EVENT_READ_PROBE);
    r->pending++;
    gpci_then(e, child, GPCI_STEP_read_begin);
}

/* Probe the owners of T's block, or of the part R requests; without owner a sharer, if sharers supply data. */
static void probe_owners(gpci_engine *e, uint32_t task, gpci_step resumes) {
    const gpci_task *r = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, r);
    const gpci_tree_request ask = gpci_task_request(e, r);
    const gpci_tree_read_probe s = {.block = r->block, .request = r->down || r->passing ? NULL : &ask};
    const uint32_t before = r->pending;
    uint64_t tag;
    uint32_t x;
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++)
        if (gpci_tree_owner_to_probe(e->tree, t, &s, sub, &x, &tag))
            probe(e, task, x, tag, resumes);
    if (r->pending == before && (x = gpci_tree_sharer_to_probe(e->tree, t, &s)) != GPC_NO_MODULE)
        probe(e, task, x, r->address, resumes);
}

void gpci_step_read_up(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, r);
    const uint32_t event = gpci_event_or(r->event, GPC_EVENT_READ_ABOVE);
    r->pending = 1;
    if (GPCI_UNLIKELY(r->state != GPC_LINE_I && gpci_module_is_partial(t, r->block))) {
        gpci_whole_begin(e, task, GPCI_STEP_read_whole);
        return;
    }
    if (r->state != GPC_LINE_I) {
        (void)gpci_tree_rule(e->tree, t, r->state, event); /* a table may forbid the event */
        if (GPCI_UNLIKELY(t->pointers) && !r->passing &&
            gpci_directory_lacks_room(e->tree, t, r->block, gpci_task_from(e, r), r->address)) {
            gpci_room_begin(e, task, GPCI_STEP_read_room);
            return;
        }
        r->both = !r->passing && gpci_tree_has_newer(e->tree, t, r->block);
        probe_owners(e, task, GPCI_STEP_read_up_end);
        gpci_then(e, task, GPCI_STEP_read_up_end);
        return;
    }
    const uint64_t tag = gpci_module_tag_of(t, r->address);
    uint32_t child;
    gpci_task *own =
        gpci_task_begin(e, task, GPCI_STEP_read_missed, t->index, gpci_module_low(e->tree, t, tag), tag, &child);
    own->own = r->block;
    own->event = gpci_raised_below(t, GPC_LINE_I, event, GPC_EVENT_READ_ABOVE);
    own->cause = r->event;
    r->shared = false;
    gpci_ask(e, t, child, GPCI_STEP_read_begin, true);
}

/* The directory has room now; the invalidated copy may have left modified bytes. */
void gpci_step_read_room(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    r->state = gpci_task_module(e, r)->states[r->block];
    r->received = r->dirty = r->whole = false;
    gpci_step_read_up(e, task);
}

/* T has the whole block. If a probe took T's part meanwhile, only the bytes read now are left. */
void gpci_step_read_whole(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    if (!r->refused && gpci_whole_end(e, r))
        gpci_step_read_up(e, task);
    else
        gpci_step_read_missed(e, task);
}

void gpci_step_read_missed(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, r);
    if (r->refused) {
        gpci_unlock(e, r->module, r->block);
        gpci_task_at(e, r->parent)->refused = true;
        gpci_then(e, task, GPCI_STEP_read_reply);
        return;
    }
    const gpc_protocol_rule rule =
        gpci_tree_rule(e->tree, t, GPC_LINE_I, gpci_event_or(r->event, GPC_EVENT_READ_ABOVE));
    gpci_tree_set_state(e->tree, t, r->block, gpci_module_tag_of(t, r->address),
                        r->shared ? rule.next_shared : rule.next, GPC_ORIGIN_READ_UP_DOWN, e->now);
    gpci_then(e, task, GPCI_STEP_read_up_end);
}

static void settle(gpci_engine *e, gpci_task *r) {
    gpc_coherence *c = e->tree;
    gpci_module *t = gpci_task_module(e, r);
    const gpci_tree_request ask = gpci_task_request(e, r);
    if (r->passing) { /* bytes for the processor only */
        const gpci_tree_inflight *a = gpci_tree_inflight_at(e, r->inflight);
        r->bytes = c->control_bytes + a->size;
        if (!c->with_data)
            return;
        uint8_t *bytes = gpci_payload_of(e, r->inflight);
        gpci_tree_data_load(c, t, r->block, a->address, a->size, bytes);
        memcpy(gpci_whole_of(e, r->inflight) + (a->address & (gpci_module_at(c, a->module)->given.block_bytes - 1)),
               bytes, a->size);
        gpci_performed(e, r->inflight);
        return;
    }
    const bool shared = gpci_tree_is_shared(c, r->state);
    r->shared = gpci_tree_add_requester(c, t, r->block, &ask, r->shared || shared || r->non_coherent);
    if (!r->sent)
        gpci_tree_data_fill(c, t, r->block, gpci_task_from(e, r), r->own, r->address);
    r->bytes = c->control_bytes + gpci_task_from(e, r)->given.block_bytes;
}

void gpci_step_read_up_end(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, r);
    if (--r->pending)
        return;
    settle(e, r);
    if (GPCI_UNLIKELY(t->responds))
        respond(e, r);
    if (GPCI_UNLIKELY(t->asks))
        gpci_tree_forget_entry(e->tree, t, r->block, e->now);
    gpci_unlock(e, r->module, r->block);
    if (!r->sent || r->both) {
        gpci_use_data(e, task, GPCI_STEP_read_reply, t, r->bytes - e->tree->control_bytes, false);
        return;
    }
    gpci_request_done(e, task);
}

void gpci_step_read_down(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    r->pending = 1;
    probe_owners(e, task, GPCI_STEP_read_down_wait);
    gpci_then(e, task, GPCI_STEP_read_down_wait);
}

void gpci_step_read_down_wait(gpci_engine *e, uint32_t task) {
    if (!--gpci_task_at(e, task)->pending)
        gpci_step_read_down_end(e, task);
}

void gpci_step_read_down_end(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task), *parent = gpci_task_at(e, r->parent);
    gpci_module *x = gpci_task_module(e, r), *t = gpci_task_from(e, r);
    const gpci_tree_request ask = gpci_task_request(e, parent);
    gpci_tree_probe_reply reply = {
        .ready = e->now, .address = r->address, .module = x->index, .bytes = e->tree->control_bytes};
    gpci_tree_read_probe s = {
        .block = parent->block, .event = r->event, .request = parent->down || parent->passing ? NULL : &ask};
    const gpci_tree_read_probe above = {
        .block = r->block, .probed = r->answer != GPCI_ANSWER_NONE, .data = r->answer == GPCI_ANSWER_DATA};
    gpci_tree_reply_to_read_probe(e->tree, t, &reply, &s, r->block, &above);
    r->peer = reply.peer;
    r->data = reply.data;
    r->keeps = reply.keeps;
    r->bytes = reply.bytes;
    parent->sent |= reply.peer;
    parent->coming += reply.peer;
    parent->eager = reply.peer && !parent->both;
    const uint8_t answer = reply.data ? GPCI_ANSWER_DATA : GPCI_ANSWER_ACK;
    parent->answer = answer > parent->answer ? answer : parent->answer;
    gpci_probe_leaves(e, task);
    gpci_use_data(e, task, GPCI_STEP_read_reply, x,
                  reply.peer ? x->given.block_bytes : reply.bytes - e->tree->control_bytes, false);
}

void gpci_step_read_reply(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    const bool back = r->data && r->peer;
    if (r->peer && !r->sent && !(r->sent = gpci_send_to_peer(e, task, r->parent, GPCI_STEP_read_reply)))
        return;
    const gpc_message_kind kind = back                                ? GPC_MESSAGE_WRITE_BACK
                                  : r->bytes > e->tree->control_bytes ? GPC_MESSAGE_DATA
                                                                      : GPC_MESSAGE_ACK;
    gpci_message message = gpci_reply_message(e, task, kind, GPCI_STEP_read_replied, GPCI_STEP_read_reply);
    message.bytes = r->bytes;
    if (gpci_send(e, &message) && r->down)
        gpci_task_from(e, r)->stats.write_backs_received += back;
}

/* Update T's directory after an answer, and store modified bytes in T. */
static void take_answer(gpci_engine *e, gpci_task *r) {
    gpc_coherence *c = e->tree;
    gpci_module *t = gpci_task_from(e, r);
    gpci_task *parent = gpci_task_at(e, r->parent);
    const gpci_tree_probe_reply reply = {
        .module = r->module, .address = r->address, .found = r->found, .keeps = r->keeps};
    gpci_tree_update_directory(c, t, parent->block, &reply);
    if (r->data && !parent->received && !gpci_tree_has(c, GPC_PROTOCOL_DROP_PROBE_DATA))
        gpci_tree_apply(c, t, parent->block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, e->now);
    parent->received |= r->data;
}

void gpci_step_read_replied(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    if (r->down) {
        take_answer(e, r);
        gpci_task_end(e, task);
        return;
    }
    gpci_request_done(e, task);
}
