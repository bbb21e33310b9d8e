/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine.h"

/*
 * Requests for the only copy, from R (`from`) to T (`module`), and invalidations: T takes the block from modules above
 * (`down`), which first take it from the modules above them.
 */

void gpci_invalidate_begin(gpci_engine *e, uint32_t parent, gpci_step resumes, uint32_t module, uint32_t block,
                           uint32_t except, uint32_t ask, uint64_t first, uint32_t span, uint8_t event) {
    uint32_t task;
    if (e->direct && !gpci_module_has_sharers(gpci_module_at(e->tree, module), block)) {
        gpci_then(e, parent, resumes);
        return;
    }
    gpci_task *i = gpci_task_begin(e, parent, resumes, module, module, first, &task);
    i->sort = GPCI_TASK_INVALIDATION;
    i->block = block;
    i->except = (uint16_t)except; /* GPC_NO_MODULE becomes GPCI_TASK_NO_MODULE */
    i->ask = ask;
    i->span = span;
    i->event = event;
    gpci_then(e, task, GPCI_STEP_invalidate_begin);
}

void gpci_room_begin(gpci_engine *e, uint32_t request, gpci_step resumes) {
    const gpci_task *r = gpci_task_at(e, request);
    const uint32_t module = r->module;
    uint32_t task;
    gpci_task *i = gpci_task_begin(e, request, resumes, module, module, r->address, &task);
    r = gpci_task_at(e, request);
    i->sort = GPCI_TASK_INVALIDATION;
    i->block = r->block;
    i->except = r->from;
    i->ask = GPCI_NO_ITEM;
    i->span = gpci_task_from(e, r)->given.block_bytes - 1;
    i->room = true;
    gpci_then(e, task, GPCI_STEP_invalidate_begin);
}

static void probe_copies(gpci_engine *e, uint32_t task, bool only_owners) {
    gpci_task *i = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, i);
    gpci_tree_copies copies = {.block = i->block,
                               .except = i->except == GPCI_TASK_NO_MODULE ? NULL : gpci_module_at(e->tree, i->except),
                               .first = i->address,
                               .last = i->span == GPCI_TASK_ALL ? UINT64_MAX : i->address + i->span,
                               .only_owners = only_owners,
                               .room = i->room};
    for (uint64_t tag; gpci_tree_next_copy(e->tree, t, &copies, &tag);) {
        uint32_t child;
        gpci_task *probe = gpci_task_begin(e, task, GPCI_STEP_invalidate_end, t->index, copies.module, tag, &child);
        probe->down = true;
        probe->event = i->event;
        i->pending++;
        t->stats.directory_evictions += i->room;
        gpci_then(e, child, GPCI_STEP_write_begin);
    }
}

/*
 * True if owners must be invalidated first: an owner's modified bytes are older than non-coherent stores of others, and
 * must reach T earlier. Not needed if data go directly to the requester, which can tell them apart.
 */
static bool owners_come_first(const gpci_engine *e, const gpci_task *i) {
    return e->tree->non_coherent && !gpci_tree_has(e->tree, GPC_PROTOCOL_COUNT_REPLIES) &&
           (i->ask == GPCI_NO_ITEM || !gpci_task_at(e, i->ask)->direct || e->units[i->module].mixed);
}

void gpci_step_invalidate_begin(gpci_engine *e, uint32_t task) {
    gpci_task *i = gpci_task_at(e, task);
    i->state = gpci_task_module(e, i)->states[i->block];
    i->pending = 1;
    if (owners_come_first(e, i) && !i->room)
        probe_copies(e, task, true);
    i->owners = i->pending > 1;
    if (!i->owners)
        probe_copies(e, task, false);
    gpci_then(e, task, GPCI_STEP_invalidate_end);
}

static void received(gpci_engine *e, gpci_task *i, uint8_t state) {
    gpci_module *t = gpci_task_module(e, i);
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, t, state, GPC_EVENT_INVALIDATE_DATA);
    i->received = true;
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(e->tree, t, i->block, gpci_module_tag(t, i->block), rule.next,
                            gpci_tree_means(e->tree, state) == GPC_MEANS_E ? GPC_ORIGIN_INVALIDATE_DATA_1
                                                                           : GPC_ORIGIN_INVALIDATE_DATA_2,
                            e->now);
}

void gpci_step_invalidate_end(gpci_engine *e, uint32_t task) {
    gpci_task *i = gpci_task_at(e, task);
    if (i->answer == GPCI_ANSWER_DATA && gpci_tree_has(e->tree, GPC_PROTOCOL_COUNT_REPLIES))
        received(e, i, i->state);
    if (--i->pending)
        return;
    if (i->owners) {
        i->owners = false;
        probe_copies(e, task, false);
        if (i->pending)
            return;
    }
    gpci_task *parent = gpci_task_at(e, i->parent);
    parent->received |= i->received;
    parent->dirty |= i->dirty;
    parent->whole |= i->whole;
    gpci_task_end(e, task);
}

void gpci_step_write_begin(gpci_engine *e, uint32_t task) {
    const gpc_message_kind kind = gpci_task_at(e, task)->down ? GPC_MESSAGE_WRITE_PROBE : GPC_MESSAGE_WRITE_REQUEST;
    const gpci_message message = gpci_request_message(e, task, kind, GPCI_STEP_write_come, GPCI_STEP_write_begin);
    if (gpci_send(e, &message))
        gpci_block_asks(e, task);
}

void gpci_step_write_come(gpci_engine *e, uint32_t task) {
    const gpci_task *w = gpci_task_at(e, task);
    gpci_find_begin(e, task,
                    &(gpci_look){.address = w->address,
                                 .module = w->module,
                                 .resumes = GPCI_STEP_write_found,
                                 .blocking = w->down || e->waits,
                                 .allocates = !w->down,
                                 .goes_first = w->down});
}

static void count(const gpci_engine *e, gpci_module *m, const gpci_task *w) {
    if (w->down) {
        m->stats.write_probes++;
        m->stats.probe_misses += w->missing;
        return;
    }
    m->stats.write_requests++;
    gpci_tree_count_near(m, gpci_task_from(e, w), 1, 0); /* with the request: a reset may lie before the answer */
    m->stats.hits += w->hit;
}

/* True if data may go directly to R. Not if a request of T itself may be refused: R would lose the data. */
static bool reaches_peer(const gpci_engine *e, const gpci_task *w) {
    const gpc_protocol_rule rule =
        *gpci_module_rule(gpci_task_module(e, w), w->state, gpci_event_or(w->event, GPC_EVENT_WRITE_ABOVE));
    return gpci_tree_has(e->tree, GPC_PROTOCOL_PEER) &&
           (!(rule.actions & GPC_DO_WRITE_REQUEST) || e->alone || e->tree->faults & GPCI_FAULT_ALWAYS_DIRECT);
}

void gpci_step_write_found(gpci_engine *e, uint32_t task) {
    gpci_task *w = gpci_task_at(e, task);
    gpci_task *parent = gpci_task_at(e, w->parent);
    w->bytes = e->tree->control_bytes;
    if (!w->refused)
        count(e, gpci_task_module(e, w), w);
    w->served = !w->refused;
    if (!w->down)
        gpci_inflight_reaches(e, w);
    if (w->refused || w->missing) {
        parent->refused |= w->refused;
        if (w->missing && parent->answer < GPCI_ANSWER_ACK)
            parent->answer = GPCI_ANSWER_ACK;
        gpci_then(e, task, GPCI_STEP_write_reply);
        return;
    }
    w->found = true;
    const uint32_t event = gpci_event_or(w->event, w->down ? GPC_EVENT_WRITE_PROBE : GPC_EVENT_WRITE_ABOVE);
    const uint8_t raised = gpci_raised_above(gpci_task_module(e, w), w->state, event, GPC_EVENT_WRITE_PROBE);
    if (w->down) {
        gpci_invalidate_begin(e, task, GPCI_STEP_write_alone, w->module, w->block, GPC_NO_MODULE, GPCI_NO_ITEM, 0,
                              GPCI_TASK_ALL, raised);
        return;
    }
    uint32_t span = 0;
    /* The reference (Multi2Sim) invalidates only R's first sub-block. */
    if (!gpci_tree_has(e->tree, GPC_PROTOCOL_PROBE_WHOLE))
        span = gpci_task_from(e, w)->given.block_bytes - 1;
    w->direct = reaches_peer(e, w);
    gpci_invalidate_begin(e, task, GPCI_STEP_write_alone, w->module, w->block, w->from, task, w->address, span, raised);
}

void gpci_whole_begin(gpci_engine *e, uint32_t task, gpci_step resumes) {
    const gpci_task *r = gpci_task_at(e, task);
    const gpci_module *t = gpci_task_module(e, r);
    const uint32_t block = r->block;
    const uint64_t tag = gpci_module_tag(t, block);
    uint32_t child;
    gpci_task_begin(e, task, resumes, t->index, gpci_module_low(e->tree, t, tag), tag, &child)->own = block;
    gpci_ask(e, t, child, GPCI_STEP_read_begin, true);
}

bool gpci_whole_end(const gpci_engine *e, gpci_task *task) {
    const gpci_module *t = gpci_task_module(e, task);
    task->shared = false;
    task->state = t->states[task->block];
    if (task->state != GPC_LINE_I)
        gpci_module_complete(t, task->block);
    return task->state != GPC_LINE_I;
}

/* The rest of T's block arrived; R gets the whole block. */
void gpci_step_write_whole(gpci_engine *e, uint32_t task) {
    gpci_task *w = gpci_task_at(e, task);
    if (w->refused) {
        gpci_step_write_up_end(e, task);
    } else {
        (void)gpci_whole_end(e, w); /* if the block is gone, the request for permission brings it again */
        gpci_step_write_up(e, task);
    }
}

void gpci_step_write_alone(gpci_engine *e, uint32_t task) {
    const gpci_task *w = gpci_task_at(e, task);
    if (GPCI_UNLIKELY(!w->down && !w->blind && gpci_module_is_partial(gpci_task_module(e, w), w->block)) &&
        w->state != GPC_LINE_I) {
        gpci_whole_begin(e, task, GPCI_STEP_write_whole);
        return;
    }
    gpci_then(e, task, gpci_task_at(e, task)->down ? GPCI_STEP_write_down : GPCI_STEP_write_up);
}

/* Event of a write request, or of a put whose store T performs. */
static uint32_t rights_event(const gpci_task *w) {
    return w->at_low ? (uint32_t)GPC_EVENT_WRITE_ABOVE : gpci_event_or(w->event, GPC_EVENT_WRITE_ABOVE);
}

void gpci_rights_begin(gpci_engine *e, uint32_t task, gpci_step resumes) {
    gpci_task *w = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, w);
    const uint32_t event = rights_event(w);
    const gpc_protocol_rule rule = gpci_tree_rule(e->tree, t, t->states[w->block], event);
    if (!(rule.actions & GPC_DO_WRITE_REQUEST)) {
        gpci_then(e, task, resumes);
        return;
    }
    const uint64_t tag = gpci_module_tag_of(t, w->address);
    uint32_t child;
    gpci_task *own = gpci_task_begin(e, task, resumes, t->index, gpci_module_low(e->tree, t, tag), tag, &child);
    own->own = w->block;
    own->valid = t->states[w->block] != GPC_LINE_I;
    own->blind = w->blind && (t->lacks || (w->at_low && !own->valid && gpci_takes_store(e, t, w->inflight)));
    own->event = gpci_raised_below(t, t->states[w->block], event, GPC_EVENT_WRITE_ABOVE);
    w->asked = true;
    gpci_ask(e, t, child, GPCI_STEP_write_begin, !own->valid && !own->blind);
}

bool gpci_rights_end(gpci_engine *e, const gpci_task *w) {
    gpc_coherence *c = e->tree;
    gpci_module *t = gpci_task_module(e, w);
    const bool nothing = t->lacks && w->blind && t->states[w->block] == GPC_LINE_I;
    const gpc_protocol_rule rule = gpci_tree_rule(c, t, t->states[w->block], rights_event(w));
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, t, w->block, gpci_module_tag_of(t, w->address), rule.next, GPC_ORIGIN_WRITE_UP_DOWN,
                            e->now);
    if (w->below_dirty)
        gpci_tree_apply(c, t, w->block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, e->now);
    return nothing;
}

void gpci_step_write_up(gpci_engine *e, uint32_t task) {
    gpci_rights_begin(e, task, GPCI_STEP_write_up_end);
}

/* T has the permission requested by R and passes it on, with the answer to T's own request. */
static void settle(gpci_engine *e, gpci_task *w) {
    gpc_coherence *c = e->tree;
    gpci_module *r = gpci_task_from(e, w), *t = gpci_task_module(e, w);
    const gpci_tree_request ask = gpci_task_request(e, w);
    w->valid &= gpci_tree_is_held(c, r->states[w->own]); /* false if an eviction in T has taken R's copy */
    if (GPCI_UNLIKELY(gpci_rights_end(e, w)))
        gpci_tree_data_begin(t, w->block, NULL);
    t->stats.write_request_hits += !w->asked;
    gpci_tree_count_near(t, r, 0, !w->asked);
    if (gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        gpci_tree_make_sole_owner(c, t, w->block, &ask);
    w->newer = !gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS) &&
               (w->received || w->below_dirty || w->below_newer || gpci_tree_has_newer(c, t, w->block));
    const bool data = !w->blind && (w->newer || (!w->valid && !w->whole));
    if (data || (!w->valid && !w->blind))
        gpci_tree_data_fill(c, t, w->block, r, w->own, w->address);
    w->bytes = c->control_bytes + (data ? r->given.block_bytes : 0);
}

void gpci_step_write_up_end(gpci_engine *e, uint32_t task) {
    gpci_task *w = gpci_task_at(e, task);
    gpci_module *t = gpci_task_module(e, w);
    if (w->refused) {
        gpci_unlock(e, w->module, w->block);
        gpci_task_at(e, w->parent)->refused = true;
        gpci_then(e, task, GPCI_STEP_write_reply);
        return;
    }
    settle(e, w);
    gpci_unlock(e, w->module, w->block);
    gpci_use_data(e, task, GPCI_STEP_write_reply, t, w->bytes - e->tree->control_bytes, false);
}

void gpci_step_write_down(gpci_engine *e, uint32_t task) {
    gpci_then(e, task, GPCI_STEP_write_down_end);
}

void gpci_step_write_down_end(gpci_engine *e, uint32_t task) {
    gpci_task *w = gpci_task_at(e, task), *i = gpci_task_at(e, w->parent);
    gpci_module *x = gpci_task_module(e, w), *t = gpci_task_from(e, w);
    gpci_tree_request ask;
    gpci_tree_write_probe probe = {.block = i->block, .event = w->event, .gone = w->borrows || w->lent};
    gpci_tree_probe_reply reply = {.ready = e->now,
                                   .address = w->address,
                                   .module = x->index,
                                   .block = w->block,
                                   .state = w->state,
                                   .bytes = w->bytes,
                                   .received = w->received};
    if (i->ask != GPCI_NO_ITEM) {
        ask = gpci_task_request(e, gpci_task_at(e, i->ask));
        probe.request = &ask;
        probe.through_t = !gpci_task_at(e, i->ask)->direct;
    }
    gpci_tree_invalidate_copy(e->tree, t, &reply, &probe);
    w->peer = reply.peer;
    w->data = reply.data;
    w->masked = reply.masked;
    w->bytes = reply.bytes;
    i->dirty |= reply.data && reply.peer;
    i->whole |= reply.peer && !reply.masked;
    if (reply.peer)
        gpci_task_at(e, i->ask)->coming++;
    const uint8_t answer = reply.data && !reply.peer ? GPCI_ANSWER_DATA : GPCI_ANSWER_ACK;
    i->answer = answer > i->answer ? answer : i->answer;
    const bool reads =
        reply.sends || (gpci_tree_has(e->tree, GPC_PROTOCOL_COUNT_REPLIES) && i->answer == GPCI_ANSWER_DATA);
    gpci_probe_leaves(e, task);
    if (reads)
        gpci_use_data(e, task, GPCI_STEP_write_reply, x,
                      reply.peer ? x->given.block_bytes : reply.bytes - e->tree->control_bytes, false);
    else
        gpci_then(e, task, GPCI_STEP_write_reply);
}

void gpci_step_write_reply(gpci_engine *e, uint32_t task) {
    gpci_task *w = gpci_task_at(e, task);
    if (w->peer && !w->sent) {
        w->sent = gpci_send_to_peer(e, task, gpci_task_at(e, w->parent)->ask, GPCI_STEP_write_reply);
        if (!w->sent)
            return;
    }
    gpci_message message =
        gpci_reply_message(e, task, w->bytes > e->tree->control_bytes ? GPC_MESSAGE_DATA : GPC_MESSAGE_ACK,
                           GPCI_STEP_write_replied, GPCI_STEP_write_reply);
    message.bytes = w->bytes;
    gpci_send(e, &message);
}

/*
 * Multi2Sim: an answer counts as data if a probed module has changed its state by then, even in the same cycle. Hence
 * the answer waits for all other steps of the cycle. True: it waits.
 */
static bool comes_late(gpci_engine *e, uint32_t task) {
    gpci_trail *t = &e->trails[task];
    e->late += !t->late;
    t->late = e->calendar.today_count >= e->late;
    if (t->late)
        gpci_step_in(e, task, GPCI_STEP_write_replied, 0);
    e->late -= !t->late;
    return t->late;
}

void gpci_step_write_replied(gpci_engine *e, uint32_t task) {
    gpci_task *w = gpci_task_at(e, task), *parent = gpci_task_at(e, w->parent);
    if (GPCI_UNLIKELY(e->alone) && w->down && gpci_tree_has(e->tree, GPC_PROTOCOL_COUNT_REPLIES) && comes_late(e, task))
        return;
    if (w->down) {
        if (w->data && !w->peer && !parent->received && !gpci_tree_has(e->tree, GPC_PROTOCOL_COUNT_REPLIES))
            received(e, parent, gpci_task_module(e, parent)->states[parent->block]);
        gpci_task_end(e, task);
        return;
    }
    parent->below_dirty |= w->dirty;
    parent->below_newer |= w->newer;
    gpci_request_done(e, task);
}
