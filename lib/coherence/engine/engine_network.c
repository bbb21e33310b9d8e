/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_hold.h"
#include "coherence/engine/engine_host.h"

/*
 * Star network with buffers. A message goes from the module's output buffer over a link to the switch's input buffer,
 * through the switch to the output buffer of the receiver's link, and over this link to the receiver's input buffer.
 * Each of the three transfers takes size / bandwidth cycles, rounded up, and occupies both buffers; entering the output
 * buffer takes one cycle. If a buffer is busy, the message tries again when the buffer is free; if it is full, the
 * message waits.
 *
 * The switch grants an output to the first module, round robin from the one after the last, with a message for this
 * output at the head of the input buffer. If that message is still on the link, nothing passes in this cycle (as in
 * Multi2Sim). A message of a lone access takes part one cycle after it has begun to cross the link.
 */

static gpci_sent_message *message_at(const gpci_engine *e, uint32_t sent_message) {
    return gpci_items_at(&e->sent_messages, sent_message);
}

static uint32_t place_of(const gpci_engine *e, uint32_t network, uint32_t module) {
    return e->places[(size_t)network * e->tree->module_count + module];
}

static gpci_star_buffer *buffer_of(const gpci_engine *e, uint32_t network, uint32_t module, uint32_t which) {
    return &e->nets[network].buffers[place_of(e, network, module) * GPCI_BUFFER_COUNT + which];
}

/* Buffer of a message. */
static gpci_star_buffer *where(const gpci_engine *e, const gpci_sent_message *p) {
    const uint32_t side = p->buffer <= GPCI_BUFFER_SWITCH_IN ? p->from : p->to;
    return buffer_of(e, p->network, side, p->buffer);
}

static bool fits(const gpci_star_buffer *b, uint32_t bytes) {
    return !b->size || b->used + bytes <= b->size;
}

/* Append a message to a buffer. */
static void insert(const gpci_engine *e, uint32_t sent_message, gpci_star_buffer *b) {
    gpci_sent_message *p = message_at(e, sent_message);
    p->behind = GPCI_NO_ITEM;
    p->began = e->now;
    b->used += p->bytes;
    if (b->row.head == GPCI_NO_ITEM)
        b->row.head = sent_message;
    else
        message_at(e, b->row.tail)->behind = sent_message;
    b->row.tail = sent_message;
}

/* Remove the head of a buffer. */
static void extract(gpci_engine *e, const gpci_sent_message *p, gpci_star_buffer *b) {
    b->row.head = p->behind;
    b->used -= p->bytes;
    gpci_wake(e, &b->waiters, 0);
}

gpci_message gpci_request_message(const gpci_engine *e, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                  gpci_step again) {
    const gpci_task *v = gpci_task_at(e, task);
    return (gpci_message){.task = task,
                          .receiver = task,
                          .low = v->down ? v->from : v->module,
                          .from = v->from,
                          .to = v->module,
                          .bytes = e->tree->control_bytes,
                          .kind = kind,
                          .arrives = arrives,
                          .again = again,
                          .address = v->address};
}

gpci_message gpci_reply_message(const gpci_engine *e, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                gpci_step again) {
    gpci_message message = gpci_request_message(e, task, kind, arrives, again);
    const uint32_t requester = message.from;
    message.from = message.to;
    message.to = requester;
    return message;
}

void gpci_sender_wake(gpci_engine *e, const gpci_due_queue *queue, uint64_t cycles) {
    if (queue->head == GPCI_NO_ITEM)
        return;
    const gpci_due due = ((const gpci_waiter *)gpci_items_at(&e->waiters, queue->head))->due;
    gpci_step_in(e, due.subject, (gpci_step)due.step, cycles);
}

/*
 * Senders wait for a place in the sender's queue in order of arrival; a new one goes behind all. The first keeps its
 * place until the message is sent, even after being woken. False: not sent.
 *
 * Example: A and B wait. A place is free, and A is woken for the next cycle. C is due earlier in that cycle: C goes
 * behind B.
 */
static GPCI_NOINLINE bool send_in_turn(gpci_engine *e, gpci_engine_unit *unit, bool up, const gpci_message *l) {
    gpci_due_queue *queue = &unit->senders[up];
    gpci_due first = ((const gpci_waiter *)gpci_items_at(&e->waiters, queue->head))->due;
    const bool behind = first.subject != l->task || first.step != l->again;
    if (!e->host->takes(e->host->self, l, behind)) {
        if (behind)
            gpci_due_queue_join(&e->waiters, queue, (gpci_due){l->task, l->again});
        else
            unit->freed[up] = 0; /* a message through the stage has taken the place */
        return false;
    }
    if (behind)
        return true; /* the queue is unbounded, or the message joins a packet there */
    gpci_due_queue_leave(&e->waiters, queue, &first);
    unit->freed[up] -= unit->freed[up] != 0;
    if (queue->head == GPCI_NO_ITEM)
        unit->freed[up] = 0;
    /* The message joined a packet of the line and needs no place. */
    else if (unit->freed[up] || gpci_module_at(e->tree, l->from)->sector_mask)
        gpci_sender_wake(e, queue, 0);
    return true;
}

/* True if the sender's queue has room; otherwise the sender waits there. Halves share queues, and wait in turn. */
static bool has_place(gpci_engine *e, const gpci_message *l) {
    gpci_engine_unit *unit = &e->units[gpci_module_at(e->tree, l->from)->store->index];
    const bool up = l->from == l->low;
    if (GPCI_UNLIKELY(unit->senders[up].head != GPCI_NO_ITEM))
        return send_in_turn(e, unit, up, l);
    if (e->host->takes(e->host->self, l, false))
        return true;
    gpci_due_queue_join(&e->waiters, &unit->senders[up], (gpci_due){l->task, l->again});
    return false;
}

bool gpci_send(gpci_engine *e, const gpci_message *l) {
    gpc_coherence *c = e->tree;
    const gpci_module *low = gpci_module_at(c, l->low);
    if (e->untimed) {
        (void)gpci_trail_send(e, l);
        gpci_tree_count_bytes(c, low, gpci_module_at(c, l->from), gpci_module_at(c, l->to), l->kind, l->bytes);
        gpci_calendar_today(&e->calendar, (gpci_due){l->receiver, l->arrives});
        return true;
    }
    if (e->hold)
        return gpci_hold_send(e, l);
    if (e->host) {
        if (!has_place(e, l))
            return false;
        gpci_module *from = gpci_module_at(c, l->from), *to = gpci_module_at(c, l->to);
        gpci_tree_count_bytes(c, low, from, to, l->kind, l->bytes);
        gpci_tree_uncount_bytes(low, from, to, e->host->send(e->host->self, l));
        return true;
    }
    const uint32_t network = low->given.high_network;
    gpci_star_buffer *b = buffer_of(e, network, l->from, GPCI_BUFFER_OUT);
    if (e->now < b->write_free) {
        gpci_step_in(e, l->task, l->again, b->write_free - e->now);
        return false;
    }
    if (!fits(b, l->bytes)) {
        gpci_due_queue_join(&e->waiters, &b->waiters, (gpci_due){l->task, l->again});
        return false;
    }
    const uint32_t sent_message = gpci_items_take_any(&e->sent_messages);
    gpci_sent_message *p = message_at(e, sent_message);
    *p = (gpci_sent_message){.task = l->receiver,
                             .step = l->arrives,
                             .network = network,
                             .from = l->from,
                             .to = l->to,
                             .bytes = l->bytes,
                             .buffer = GPCI_BUFFER_OUT,
                             .kind = l->kind,
                             .address = l->address,
                             .sent = e->now,
                             .message = e->alone ? gpci_trail_send(e, l) : GPC_NO_MESSAGE,
                             .masked = l->masked};
    insert(e, sent_message, b);
    b->write_free = e->now + 1;
    gpci_tree_count_bytes(c, low, gpci_module_at(c, l->from), gpci_module_at(c, l->to), l->kind, l->bytes);
    gpci_step_in(e, sent_message, GPCI_STEP_message_leaves, 1);
    return true;
}

/* True if a message must wait for the head of its buffer, or for the buffer itself; `step` runs again later. */
static bool held_up(gpci_engine *e, gpci_star_buffer *b, uint32_t sent_message, gpci_step step) {
    if (b->row.head != sent_message)
        gpci_due_queue_join(&e->waiters, &b->waiters, (gpci_due){sent_message, step});
    else if (e->now < b->read_free)
        gpci_step_in(e, sent_message, step, b->read_free - e->now);
    else
        return false;
    return true;
}

/* True if a message must wait for the destination buffer; `step` runs again later. */
static bool shut_out(gpci_engine *e, gpci_star_buffer *to, uint32_t sent_message, gpci_step step) {
    if (e->now < to->write_free)
        gpci_step_in(e, sent_message, step, to->write_free - e->now);
    else if (!fits(to, message_at(e, sent_message)->bytes))
        gpci_due_queue_join(&e->waiters, &to->waiters, (gpci_due){sent_message, step});
    else
        return false;
    return true;
}

/* Move a message from its buffer into buffer `which`, and run `step` when the message has arrived there. */
static void move(gpci_engine *e, uint32_t sent_message, gpci_star_buffer *from, gpci_star_buffer *to, uint32_t which,
                 gpci_step step) {
    gpci_sent_message *p = message_at(e, sent_message);
    const uint32_t bandwidth = e->tree->stars[p->network].given.bandwidth;
    const uint64_t cycles = ((uint64_t)p->bytes + bandwidth - 1) / bandwidth;
    from->read_free = e->now + cycles;
    to->write_free = e->now + cycles;
    extract(e, p, from);
    p->buffer = which;
    insert(e, sent_message, to);
    gpci_step_in(e, sent_message, step, cycles);
}

void gpci_step_message_leaves(gpci_engine *e, uint32_t sent_message) {
    const gpci_sent_message *p = message_at(e, sent_message);
    const bool module = p->buffer == GPCI_BUFFER_OUT;
    const uint32_t which = module ? GPCI_BUFFER_SWITCH_IN : GPCI_BUFFER_IN;
    gpci_star_buffer *from = where(e, p), *to = from - p->buffer + which;
    if (!held_up(e, from, sent_message, GPCI_STEP_message_leaves) &&
        !shut_out(e, to, sent_message, GPCI_STEP_message_leaves))
        move(e, sent_message, from, to, which, module ? GPCI_STEP_message_passes : GPCI_STEP_message_comes);
}

/* Input granted to an output; decided once a cycle. */
static uint32_t whose_turn(const gpci_engine *e, const gpci_sent_message *p, gpci_star_buffer *output) {
    const gpci_net *net = &e->nets[p->network];
    uint32_t *last = e->alone ? &e->tree->stars[p->network].last[p->to] : &output->last;
    if (output->decided == e->now + 1)
        return output->turn;
    output->decided = e->now + 1;
    output->turn = GPCI_NO_ITEM;
    for (uint32_t i = 1; i <= net->count; i++) {
        const uint32_t place = (*last + i) % net->count;
        const gpci_star_buffer *input = &net->buffers[place * GPCI_BUFFER_COUNT + GPCI_BUFFER_SWITCH_IN];
        if (input->row.head == GPCI_NO_ITEM || e->now < input->read_free)
            continue;
        const gpci_sent_message *first = message_at(e, input->row.head);
        if (first->to != p->to || (e->alone && first->began >= e->now))
            continue;
        output->turn = *last = place;
        break;
    }
    return output->turn;
}

void gpci_step_message_passes(gpci_engine *e, uint32_t sent_message) {
    const gpci_sent_message *p = message_at(e, sent_message);
    gpci_star_buffer *from = where(e, p), *to = buffer_of(e, p->network, p->to, GPCI_BUFFER_SWITCH_OUT);
    if (held_up(e, from, sent_message, GPCI_STEP_message_passes) ||
        shut_out(e, to, sent_message, GPCI_STEP_message_passes))
        return;
    if (whose_turn(e, p, to) != place_of(e, p->network, p->from))
        gpci_step_in(e, sent_message, GPCI_STEP_message_passes, 1);
    else
        move(e, sent_message, from, to, GPCI_BUFFER_SWITCH_OUT, GPCI_STEP_message_leaves);
}

void gpci_report_message(const gpci_engine *e, const gpci_sent_message *p) {
    const gpc_coherence_callbacks *to = &e->tree->callbacks;
    if (e->alone)
        e->tree->messages[p->message].received = e->now;
    if (!to->on_message || e->alone)
        return;
    const gpc_coherence_message message = {.address = p->address,
                                           .sent = p->sent,
                                           .received = e->now,
                                           .kind = p->kind,
                                           .from = p->from,
                                           .to = p->to,
                                           .network = p->network,
                                           .bytes = p->bytes,
                                           .after = GPC_NO_MESSAGE,
                                           .join = GPC_NO_MESSAGE,
                                           .request = GPC_NO_MESSAGE,
                                           .block = GPC_NO_MODULE,
                                           .masked = p->masked};
    to->on_message(to->user_data, &message);
}

void gpci_step_message_comes(gpci_engine *e, uint32_t sent_message) {
    gpci_step_in(e, sent_message, GPCI_STEP_message_there, 0);
}

void gpci_step_message_there(gpci_engine *e, uint32_t sent_message) {
    const gpci_sent_message *p = message_at(e, sent_message);
    const uint32_t task = p->task;
    const gpci_step step = (gpci_step)p->step;
    gpci_report_message(e, p);
    extract(e, p, where(e, p));
    gpci_items_give(&e->sent_messages, sent_message);
    gpci_step_in(e, task, step, 0);
}

bool gpci_send_to_peer(gpci_engine *e, uint32_t probe, uint32_t request, gpci_step again) {
    const gpci_task *p = gpci_task_at(e, probe), *r = gpci_task_at(e, request);
    return gpci_send(e, &(gpci_message){.task = probe,
                                        .receiver = request,
                                        .low = p->from,
                                        .from = p->module,
                                        .to = r->from,
                                        .bytes = e->tree->control_bytes + gpci_task_module(e, p)->given.block_bytes,
                                        .kind = GPC_MESSAGE_DATA,
                                        .arrives = GPCI_STEP_peer_comes,
                                        .again = again,
                                        .address = p->address,
                                        .masked = p->masked});
}

static void go_on(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    const bool leaves = !r->left;
    const uint32_t parent = r->parent;
    const gpci_step step = (gpci_step)r->resumes;
    r->left = true;
    if (leaves && e->alone) {
        gpci_trail_join_peers(e, task);
        gpci_trail_end(e, parent, task);
    }
    if (leaves) {
        gpci_block_answered(e, task);
        gpci_task_at(e, parent)->shared |= r->shared;
    }
    if (r->done)
        gpci_task_give(e, task);
    if (leaves)
        gpci_then(e, parent, step);
}

void gpci_request_done(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    r->done = true;
    if (r->mshr) /* the module sends no answer */
        e->host->release(e->host->self, task);
    if (!r->coming)
        go_on(e, task);
}

/* For a read request without data from T, the peer's block suffices; the peer keeps a copy. */
void gpci_step_peer_comes(gpci_engine *e, uint32_t task) {
    gpci_task *r = gpci_task_at(e, task);
    if (--r->coming || !(r->done || r->eager))
        return;
    r->shared |= r->eager;
    go_on(e, task);
}
