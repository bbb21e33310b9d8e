/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/engine/engine_alone.h"

/*
 * Star network with buffers. A message passes four buffers (GPCI_BUFFER_): the sender's output buffer; the sender's
 * input buffer at the switch; the receiver's output buffer at the switch; the receiver's input buffer. Each of the
 * three ways between buffers is a gpci_link. The middle way, through the switch, takes the message of only one sender
 * at a time. Entering the first buffer takes a cycle. If a buffer is busy, the message tries again when the buffer is
 * free. If a buffer is full, the message waits.
 *
 * The switch grants an output buffer to an input buffer whose first message is for the output: round robin, from the
 * input after the last granted input on. If the granted message is still on the link to the switch, nothing passes in
 * this cycle (as in Multi2Sim). A message of a lone access can be granted one cycle after the message has begun to
 * cross the link.
 */

static gpci_sent_message *message_at(const gpci_engine *engine, uint32_t sent_message) {
    return gpci_items_at(&engine->sent_messages, sent_message);
}

static uint32_t place_of(const gpci_engine *engine, uint32_t network, uint32_t module) {
    return engine->places[(size_t)network * engine->tree->module_count + module];
}

GPCI_INLINE gpci_star_buffer *buffer_of(const gpci_net *net, uint32_t place, uint32_t which) {
    return &net->buffers[place * GPCI_BUFFER_COUNT + which];
}

/*
 * Note a member that a lone access uses (gpci_net.used): if the next access begins in an earlier cycle, the networks
 * are reset.
 */
static void use(gpci_net *net, uint32_t place) {
    gpci_star_buffer *member = &net->buffers[place * GPCI_BUFFER_COUNT];
    if (member->listed)
        return;
    member->listed = true;
    net->used[net->used_count++] = place;
}

/* Buffer that the message is in. */
GPCI_INLINE gpci_star_buffer *where(const gpci_engine *engine, const gpci_sent_message *sent) {
    const uint32_t place = sent->buffer <= GPCI_BUFFER_SWITCH_IN ? sent->from_place : sent->to_place;
    return buffer_of(&engine->nets[sent->network], place, sent->buffer);
}

/*
 * Note that the message at the head of an input buffer at the switch wants an output, or (`asks` false) no longer wants
 * it.
 */
GPCI_INLINE void request(const gpci_engine *engine, const gpci_sent_message *sent, bool asks) {
    const gpci_net *net = &engine->nets[sent->network];
    uint64_t *requests = net->requests + (size_t)sent->to_place * net->words;
    if (asks)
        gpci_bit_set(requests, sent->from_place);
    else
        gpci_bit_clear(requests, sent->from_place);
}

/* Append a message to a buffer. */
GPCI_INLINE void insert(const gpci_engine *engine, uint32_t sent_message, gpci_star_buffer *buffer) {
    gpci_sent_message *sent = message_at(engine, sent_message);
    sent->behind = GPCI_NO_ITEM;
    sent->began = engine->now;
    if (buffer->row.head != GPCI_NO_ITEM) {
        message_at(engine, buffer->row.tail)->behind = sent_message;
    } else {
        buffer->row.head = sent_message;
        if (sent->buffer == GPCI_BUFFER_SWITCH_IN)
            request(engine, sent, true);
    }
    buffer->row.tail = sent_message;
}

/* Remove the head of a buffer. */
GPCI_INLINE void extract(gpci_engine *engine, const gpci_sent_message *sent, gpci_star_buffer *buffer) {
    buffer->row.head = sent->behind;
    if (sent->buffer == GPCI_BUFFER_SWITCH_IN) {
        request(engine, sent, false);
        if (sent->behind != GPCI_NO_ITEM)
            request(engine, message_at(engine, sent->behind), true);
    }
    gpci_wake(engine, &buffer->waiters, 0);
}

bool gpci_star_send(gpci_engine *engine, const gpci_message *message) {
    gpc_coherence *coherence = engine->tree;
    const gpci_module *low = gpci_module_at(coherence, message->low);
    const uint32_t network = low->given.high_network, from = place_of(engine, network, message->from),
                   to = place_of(engine, network, message->to);
    gpci_net *net = &engine->nets[network];
    gpci_star_buffer *buffer = buffer_of(net, from, GPCI_BUFFER_OUT);
    if (engine->now < buffer->room.write_free) {
        gpci_step_in(engine, message->task, message->again, buffer->room.write_free - engine->now);
        return false;
    }
    if (!gpci_link_has_room(&buffer->room, message->bytes)) {
        gpci_due_queue_join(&engine->waiters, &buffer->waiters, (gpci_due){message->task, message->again});
        return false;
    }
    if (engine->alone) {
        use(net, from);
        use(net, to);
    }
    const uint32_t sent_message = gpci_items_take_any(&engine->sent_messages);
    gpci_sent_message *sent = message_at(engine, sent_message);
    *sent = (gpci_sent_message){.task = message->receiver,
                                .step = message->arrives,
                                .network = network,
                                .from = message->from,
                                .to = message->to,
                                .bytes = message->bytes,
                                .from_place = from,
                                .to_place = to,
                                .buffer = GPCI_BUFFER_OUT,
                                .kind = message->kind,
                                .address = message->address,
                                .sent = engine->now,
                                .message = engine->alone ? gpci_trail_send(engine, message) : GPC_NO_MESSAGE,
                                .masked = message->masked};
    insert(engine, sent_message, buffer);
    buffer->room.used += message->bytes;
    buffer->room.write_free = engine->now + 1;
    gpci_tree_count_bytes(coherence, low, gpci_module_at(coherence, message->from),
                          gpci_module_at(coherence, message->to), message->kind, message->bytes);
    gpci_step_in(engine, sent_message, GPCI_STEP_message_leaves, 1);
    return true;
}

/*
 * True if a message must wait until it is at the head of its buffer, or until the buffer can be read; `step` runs again
 * later.
 */
static bool held_up(gpci_engine *engine, gpci_star_buffer *buffer, uint32_t sent_message, gpci_step step) {
    if (buffer->row.head != sent_message)
        gpci_due_queue_join(&engine->waiters, &buffer->waiters, (gpci_due){sent_message, step});
    else if (engine->now < buffer->room.read_free)
        gpci_step_in(engine, sent_message, step, buffer->room.read_free - engine->now);
    else
        return false;
    return true;
}

/* True if a message must wait for the destination buffer; `step` runs again later. */
static bool shut_out(gpci_engine *engine, gpci_star_buffer *buffer, uint32_t sent_message, gpci_step step) {
    if (engine->now < buffer->room.write_free)
        gpci_step_in(engine, sent_message, step, buffer->room.write_free - engine->now);
    else if (!gpci_link_has_room(&buffer->room, message_at(engine, sent_message)->bytes))
        gpci_due_queue_join(&engine->waiters, &buffer->waiters, (gpci_due){sent_message, step});
    else
        return false;
    return true;
}

/* Move a message from its buffer into buffer `which`, and run `step` when the message has arrived. */
GPCI_INLINE void move(gpci_engine *engine, uint32_t sent_message, gpci_star_buffer *from, gpci_star_buffer *buffer,
                      uint32_t which, gpci_step step) {
    gpci_sent_message *sent = message_at(engine, sent_message);
    const gpci_link *link = &engine->nets[sent->network].link;
    const uint64_t there = gpci_link_grant(link, &from->room, &buffer->room, engine->now,
                                           gpci_link_cycles(link, sent->bytes), sent->bytes);
    extract(engine, sent, from);
    sent->buffer = which;
    insert(engine, sent_message, buffer);
    gpci_last_in(engine, sent_message, step, there - engine->now);
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

/* Place of the input granted to an output, or GPCI_NO_ITEM. The switch decides once a cycle for each output. */
static uint32_t granted_input(const gpci_engine *engine, const gpci_sent_message *sent, gpci_star_buffer *output) {
    const gpci_net *net = &engine->nets[sent->network];
    uint32_t *last = engine->alone ? &engine->tree->stars[sent->network].last[sent->to] : &output->last;
    if (output->decided == engine->now + 1)
        return output->granted;
    output->decided = engine->now + 1;
    output->granted = GPCI_NO_ITEM;
    gpci_link_turn turn = gpci_link_turn_from(net->requests + (size_t)sent->to_place * net->words, NULL, net->words,
                                              *last + 1 < net->count ? *last + 1 : 0);
    for (uint32_t place; (place = gpci_link_turn_next(&turn)) != GPCI_NO_TURN;) {
        const gpci_star_buffer *input = buffer_of(net, place, GPCI_BUFFER_SWITCH_IN);
        if (engine->now < input->room.read_free ||
            (engine->alone && message_at(engine, input->row.head)->began >= engine->now))
            continue;
        output->granted = *last = place;
        break;
    }
    return output->granted;
}

void gpci_step_message_passes(gpci_engine *engine, uint32_t sent_message) {
    const gpci_sent_message *sent = message_at(engine, sent_message);
    gpci_star_buffer *from = where(engine, sent),
                     *buffer = buffer_of(&engine->nets[sent->network], sent->to_place, GPCI_BUFFER_SWITCH_OUT);
    if (held_up(engine, from, sent_message, GPCI_STEP_message_passes) ||
        shut_out(engine, buffer, sent_message, GPCI_STEP_message_passes))
        return;
    if (granted_input(engine, sent, buffer) != sent->from_place)
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
    gpci_last_in(engine, sent_message, GPCI_STEP_message_there, 0);
}

void gpci_step_message_there(gpci_engine *engine, uint32_t sent_message) {
    const gpci_sent_message *sent = message_at(engine, sent_message);
    const uint32_t task = sent->task;
    const gpci_step step = (gpci_step)sent->step;
    gpci_report_message(engine, sent);
    gpci_star_buffer *buffer = where(engine, sent);
    buffer->room.used -= sent->bytes;
    extract(engine, sent, buffer);
    gpci_items_give(&engine->sent_messages, sent_message);
    gpci_last_in(engine, task, step, 0);
}
