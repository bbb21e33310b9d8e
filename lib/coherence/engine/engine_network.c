/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"
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

static gpci_sent_message *message_at(const gpci_engine *engine, uint32_t sent_message) {
    return gpci_items_at(&engine->sent_messages, sent_message);
}

static uint32_t place_of(const gpci_engine *engine, uint32_t network, uint32_t module) {
    return engine->places[(size_t)network * engine->tree->module_count + module];
}

static gpci_star_buffer *buffer_of(const gpci_engine *engine, uint32_t network, uint32_t module, uint32_t which) {
    return &engine->nets[network].buffers[place_of(engine, network, module) * GPCI_BUFFER_COUNT + which];
}

/* List a member that a lone access uses: an access in an earlier cycle begins on idle networks. */
static void use(const gpci_engine *engine, uint32_t network, uint32_t module) {
    gpci_net *net = &engine->nets[network];
    const uint32_t place = place_of(engine, network, module);
    gpci_star_buffer *member = &net->buffers[place * GPCI_BUFFER_COUNT];
    if (member->listed)
        return;
    member->listed = true;
    net->used[net->used_count++] = place;
}

/* Buffer of a message. */
static gpci_star_buffer *where(const gpci_engine *engine, const gpci_sent_message *sent) {
    const uint32_t node = sent->buffer <= GPCI_BUFFER_SWITCH_IN ? sent->from : sent->to;
    return buffer_of(engine, sent->network, node, sent->buffer);
}

static bool fits(const gpci_star_buffer *buffer, uint32_t bytes) {
    return !buffer->size || buffer->used + bytes <= buffer->size;
}

/* Append a message to a buffer. */
static void insert(const gpci_engine *engine, uint32_t sent_message, gpci_star_buffer *buffer) {
    gpci_sent_message *sent = message_at(engine, sent_message);
    sent->behind = GPCI_NO_ITEM;
    sent->began = engine->now;
    buffer->used += sent->bytes;
    if (buffer->row.head == GPCI_NO_ITEM)
        buffer->row.head = sent_message;
    else
        message_at(engine, buffer->row.tail)->behind = sent_message;
    buffer->row.tail = sent_message;
}

/* Remove the head of a buffer. */
static void extract(gpci_engine *engine, const gpci_sent_message *sent, gpci_star_buffer *buffer) {
    buffer->row.head = sent->behind;
    buffer->used -= sent->bytes;
    gpci_wake(engine, &buffer->waiters, 0);
}

gpci_message gpci_request_message(const gpci_engine *engine, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                  gpci_step again) {
    const gpci_task *put = gpci_task_at(engine, task);
    return (gpci_message){.task = task,
                          .receiver = task,
                          .low = put->down ? put->from : put->module,
                          .from = put->from,
                          .to = put->module,
                          .bytes = engine->tree->control_bytes,
                          .kind = kind,
                          .arrives = arrives,
                          .again = again,
                          .address = put->address};
}

gpci_message gpci_reply_message(const gpci_engine *engine, uint32_t task, gpc_message_kind kind, gpci_step arrives,
                                gpci_step again) {
    gpci_message message = gpci_request_message(engine, task, kind, arrives, again);
    const uint32_t requester = message.from;
    message.from = message.to;
    message.to = requester;
    return message;
}

void gpci_sender_wake(gpci_engine *engine, const gpci_due_queue *queue, uint64_t cycles) {
    if (queue->head == GPCI_NO_ITEM)
        return;
    const gpci_due due = ((const gpci_waiter *)gpci_items_at(&engine->waiters, queue->head))->due;
    gpci_step_in(engine, due.subject, (gpci_step)due.step, cycles);
}

/*
 * Senders wait for a place in the sender's queue in order of arrival; a new one goes behind all. The first keeps its
 * place until the message is sent, even after being woken. False: not sent.
 *
 * Example: A and B wait. A place is free, and A is woken for the next cycle. C is due earlier in that cycle: C goes
 * behind B.
 */
static GPCI_NOINLINE bool send_in_order(gpci_engine *engine, gpci_engine_unit *unit, bool up,
                                        const gpci_message *message) {
    gpci_due_queue *queue = &unit->senders[up];
    gpci_due first = ((const gpci_waiter *)gpci_items_at(&engine->waiters, queue->head))->due;
    const bool behind = first.subject != message->task || first.step != message->again;
    if (!engine->host->takes(engine->host->self, message, behind)) {
        if (behind)
            gpci_due_queue_join(&engine->waiters, queue, (gpci_due){message->task, message->again});
        else
            unit->freed[up] = 0; /* a message through the stage has taken the place */
        return false;
    }
    if (behind)
        return true; /* the queue is unbounded, or the message joins a packet there */
    gpci_due_queue_leave(&engine->waiters, queue, &first);
    unit->freed[up] -= unit->freed[up] != 0;
    if (queue->head == GPCI_NO_ITEM)
        unit->freed[up] = 0;
    /* With sectors in L1s the message, of an L1 or to an L1, may have joined a packet of the line: no place needed. */
    else if (unit->freed[up] || gpci_module_at(engine->tree, 0)->sector_mask)
        gpci_sender_wake(engine, queue, 0);
    return true;
}

/* True if the sender's queue has room; otherwise the sender waits there. Halves share queues, and wait in turn. */
static bool has_place(gpci_engine *engine, const gpci_message *message) {
    gpci_engine_unit *unit = &engine->units[gpci_module_at(engine->tree, message->from)->store->index];
    const bool up = message->from == message->low;
    if (GPCI_UNLIKELY(unit->senders[up].head != GPCI_NO_ITEM))
        return send_in_order(engine, unit, up, message);
    if (engine->host->takes(engine->host->self, message, false))
        return true;
    gpci_due_queue_join(&engine->waiters, &unit->senders[up], (gpci_due){message->task, message->again});
    return false;
}

/* Put a message into the sender's output buffer. False: the sender waits. */
static bool enter_star(gpci_engine *engine, const gpci_module *low, const gpci_message *message) {
    gpc_coherence *coherence = engine->tree;
    const uint32_t network = low->given.high_network;
    gpci_star_buffer *buffer = buffer_of(engine, network, message->from, GPCI_BUFFER_OUT);
    if (engine->now < buffer->write_free) {
        gpci_step_in(engine, message->task, message->again, buffer->write_free - engine->now);
        return false;
    }
    if (!fits(buffer, message->bytes)) {
        gpci_due_queue_join(&engine->waiters, &buffer->waiters, (gpci_due){message->task, message->again});
        return false;
    }
    if (engine->alone) {
        use(engine, network, message->from);
        use(engine, network, message->to);
    }
    const uint32_t sent_message = gpci_items_take_any(&engine->sent_messages);
    gpci_sent_message *sent = message_at(engine, sent_message);
    *sent = (gpci_sent_message){.task = message->receiver,
                                .step = message->arrives,
                                .network = network,
                                .from = message->from,
                                .to = message->to,
                                .bytes = message->bytes,
                                .buffer = GPCI_BUFFER_OUT,
                                .kind = message->kind,
                                .address = message->address,
                                .sent = engine->now,
                                .message = engine->alone ? gpci_trail_send(engine, message) : GPC_NO_MESSAGE,
                                .masked = message->masked};
    insert(engine, sent_message, buffer);
    buffer->write_free = engine->now + 1;
    gpci_tree_count_bytes(coherence, low, gpci_module_at(coherence, message->from),
                          gpci_module_at(coherence, message->to), message->kind, message->bytes);
    gpci_step_in(engine, sent_message, GPCI_STEP_message_leaves, 1);
    return true;
}

bool gpci_send(gpci_engine *engine, const gpci_message *message) {
    gpc_coherence *coherence = engine->tree;
    const gpci_module *low = gpci_module_at(coherence, message->low);
    if (engine->untimed) {
        (void)gpci_trail_send(engine, message);
        gpci_tree_count_bytes(coherence, low, gpci_module_at(coherence, message->from),
                              gpci_module_at(coherence, message->to), message->kind, message->bytes);
        gpci_calendar_today(&engine->calendar, (gpci_due){message->receiver, message->arrives});
        return true;
    }
    if (engine->hold)
        return gpci_hold_send(engine, message);
    if (engine->host) {
        if (!has_place(engine, message))
            return false;
        gpci_module *from = gpci_module_at(coherence, message->from),
                    *receiver = gpci_module_at(coherence, message->to);
        gpci_tree_count_bytes(coherence, low, from, receiver, message->kind, message->bytes);
        gpci_tree_uncount_bytes(low, from, receiver, engine->host->send(engine->host->self, message));
        return true;
    }
    return enter_star(engine, low, message);
}

/* True if a message must wait for the head of its buffer, or for the buffer itself; `step` runs again later. */
static bool held_up(gpci_engine *engine, gpci_star_buffer *buffer, uint32_t sent_message, gpci_step step) {
    if (buffer->row.head != sent_message)
        gpci_due_queue_join(&engine->waiters, &buffer->waiters, (gpci_due){sent_message, step});
    else if (engine->now < buffer->read_free)
        gpci_step_in(engine, sent_message, step, buffer->read_free - engine->now);
    else
        return false;
    return true;
}

/* True if a message must wait for the destination buffer; `step` runs again later. */
static bool shut_out(gpci_engine *engine, gpci_star_buffer *buffer, uint32_t sent_message, gpci_step step) {
    if (engine->now < buffer->write_free)
        gpci_step_in(engine, sent_message, step, buffer->write_free - engine->now);
    else if (!fits(buffer, message_at(engine, sent_message)->bytes))
        gpci_due_queue_join(&engine->waiters, &buffer->waiters, (gpci_due){sent_message, step});
    else
        return false;
    return true;
}

/* Move a message from its buffer into buffer `which`, and run `step` when the message has arrived there. */
static void move(gpci_engine *engine, uint32_t sent_message, gpci_star_buffer *from, gpci_star_buffer *buffer,
                 uint32_t which, gpci_step step) {
    gpci_sent_message *sent = message_at(engine, sent_message);
    const uint32_t bandwidth = engine->tree->stars[sent->network].given.bandwidth;
    const uint64_t cycles = ((uint64_t)sent->bytes + bandwidth - 1) / bandwidth;
    from->read_free = engine->now + cycles;
    buffer->write_free = engine->now + cycles;
    extract(engine, sent, from);
    sent->buffer = which;
    insert(engine, sent_message, buffer);
    gpci_step_in(engine, sent_message, step, cycles);
}

void gpci_step_message_leaves(gpci_engine *engine, uint32_t sent_message) {
    const gpci_sent_message *sent = message_at(engine, sent_message);
    const bool module = sent->buffer == GPCI_BUFFER_OUT;
    const uint32_t which = module ? GPCI_BUFFER_SWITCH_IN : GPCI_BUFFER_IN;
    gpci_star_buffer *from = where(engine, sent), *buffer = from - sent->buffer + which;
    if (!held_up(engine, from, sent_message, GPCI_STEP_message_leaves) &&
        !shut_out(engine, buffer, sent_message, GPCI_STEP_message_leaves))
        move(engine, sent_message, from, buffer, which, module ? GPCI_STEP_message_passes : GPCI_STEP_message_comes);
}

/* Input granted to an output; decided once a cycle. */
static uint32_t granted_input(const gpci_engine *engine, const gpci_sent_message *sent, gpci_star_buffer *output) {
    const gpci_net *net = &engine->nets[sent->network];
    uint32_t *last = engine->alone ? &engine->tree->stars[sent->network].last[sent->to] : &output->last;
    if (output->decided == engine->now + 1)
        return output->granted;
    output->decided = engine->now + 1;
    output->granted = GPCI_NO_ITEM;
    for (uint32_t i = 1; i <= net->count; i++) {
        const uint32_t place = (*last + i) % net->count;
        const gpci_star_buffer *input = &net->buffers[place * GPCI_BUFFER_COUNT + GPCI_BUFFER_SWITCH_IN];
        if (input->row.head == GPCI_NO_ITEM || engine->now < input->read_free)
            continue;
        const gpci_sent_message *first = message_at(engine, input->row.head);
        if (first->to != sent->to || (engine->alone && first->began >= engine->now))
            continue;
        output->granted = *last = place;
        break;
    }
    return output->granted;
}

void gpci_step_message_passes(gpci_engine *engine, uint32_t sent_message) {
    const gpci_sent_message *sent = message_at(engine, sent_message);
    gpci_star_buffer *from = where(engine, sent),
                     *buffer = buffer_of(engine, sent->network, sent->to, GPCI_BUFFER_SWITCH_OUT);
    if (held_up(engine, from, sent_message, GPCI_STEP_message_passes) ||
        shut_out(engine, buffer, sent_message, GPCI_STEP_message_passes))
        return;
    if (granted_input(engine, sent, buffer) != place_of(engine, sent->network, sent->from))
        gpci_step_in(engine, sent_message, GPCI_STEP_message_passes, 1);
    else
        move(engine, sent_message, from, buffer, GPCI_BUFFER_SWITCH_OUT, GPCI_STEP_message_leaves);
}

void gpci_report_message(const gpci_engine *engine, const gpci_sent_message *sent) {
    const gpc_coherence_callbacks *callbacks = &engine->tree->callbacks;
    if (engine->alone)
        engine->tree->messages[sent->message].received = engine->now;
    if (!callbacks->on_message || engine->alone)
        return;
    const gpc_coherence_message message = {.address = sent->address,
                                           .sent = sent->sent,
                                           .received = engine->now,
                                           .kind = sent->kind,
                                           .from = sent->from,
                                           .to = sent->to,
                                           .network = sent->network,
                                           .bytes = sent->bytes,
                                           .after = GPC_NO_MESSAGE,
                                           .join = GPC_NO_MESSAGE,
                                           .request = GPC_NO_MESSAGE,
                                           .block = GPC_NO_MODULE,
                                           .masked = sent->masked};
    callbacks->on_message(callbacks->user_data, &message);
}

void gpci_step_message_comes(gpci_engine *engine, uint32_t sent_message) {
    gpci_step_in(engine, sent_message, GPCI_STEP_message_there, 0);
}

void gpci_step_message_there(gpci_engine *engine, uint32_t sent_message) {
    const gpci_sent_message *sent = message_at(engine, sent_message);
    const uint32_t task = sent->task;
    const gpci_step step = (gpci_step)sent->step;
    gpci_report_message(engine, sent);
    extract(engine, sent, where(engine, sent));
    gpci_items_give(&engine->sent_messages, sent_message);
    gpci_step_in(engine, task, step, 0);
}

bool gpci_send_to_peer(gpci_engine *engine, uint32_t probe, uint32_t request, gpci_step again) {
    const gpci_task *probe_task = gpci_task_at(engine, probe), *request_task = gpci_task_at(engine, request);
    return gpci_send(engine, &(gpci_message){.task = probe,
                                             .receiver = request,
                                             .low = probe_task->from,
                                             .from = probe_task->module,
                                             .to = request_task->from,
                                             .bytes = engine->tree->control_bytes +
                                                      gpci_task_module(engine, probe_task)->given.block_bytes,
                                             .kind = GPC_MESSAGE_DATA,
                                             .arrives = GPCI_STEP_peer_comes,
                                             .again = again,
                                             .address = probe_task->address,
                                             .masked = probe_task->masked});
}

static void go_on(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    const bool leaves = !request->left;
    const uint32_t parent = request->parent;
    const gpci_step step = (gpci_step)request->resumes;
    request->left = true;
    if (leaves && engine->alone) {
        gpci_trail_join_peers(engine, task);
        gpci_trail_end(engine, parent, task);
    }
    if (leaves) {
        gpci_block_answered(engine, task);
        gpci_task_at(engine, parent)->shared |= request->shared;
    }
    if (request->done)
        gpci_task_give(engine, task);
    if (leaves)
        gpci_then(engine, parent, step);
}

void gpci_request_done(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    request->done = true;
    if (request->mshr) /* the module sends no answer */
        engine->host->release(engine->host->self, task);
    if (!request->coming)
        go_on(engine, task);
}

/* For a read request without data from T, the peer's block suffices; the peer keeps a copy. */
void gpci_step_peer_comes(gpci_engine *engine, uint32_t task) {
    gpci_task *request = gpci_task_at(engine, task);
    if (--request->coming || !(request->done || request->eager))
        return;
    request->shared |= request->eager;
    go_on(engine, task);
}
