/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * Lists that result from an access: steps (messages, JOIN, EVICTION and FINISH), and transitions.
 *
 * Example, an L1 (0) that misses, over an L2 (2) that has the block; directory latency 0, data latency of the L2 4, of
 * the L1 1, bandwidth 64:
 *   0  READ_REQUEST  0 to 2, after the issue, delay 0     sent in cycle 0, received in 4
 *   1  DATA          2 to 0, after 0, delay 4             sent in 8, received in 15: 72 bytes need 2 cycles a stage
 *   2  FINISH        at 0, after 1, delay 1               cycle 16
 * A host with its own clock schedules the steps by `after` and `delay` on modules and networks that are not idle.
 */

gpci_tree_point gpci_tree_read_directory(const gpc_coherence *c, gpci_module *m, gpci_tree_point at) {
    at.delay += m->given.directory_latency;
    at.directory += m->given.directory_latency;
    at.looks++;
    if (c->timing)
        at.cycle += m->given.directory_latency;
    m->stats.accesses++;
    m->stats.directory_accesses++;
    return at;
}

gpci_tree_point gpci_tree_use_data(const gpc_coherence *c, gpci_module *m, gpci_tree_point at, bool write) {
    at.delay += m->given.latency;
    if (m->place == GPCI_PLACE_MEMORY)
        at.memory = write ? 2 : 1;
    if (c->timing)
        at.cycle += m->given.latency;
    m->stats.data_accesses++;
    return at;
}

void gpci_tree_fail(gpc_coherence *c, gpc_status status, const char *format, ...) {
    if (c->failed != GPC_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->failure, sizeof c->failure, format, arguments);
    va_end(arguments);
    c->failed = status;
    c->busy = true;
}

/* Append a step. The list has room for the most steps of an access (layout.c), unless the bound is wrong. */
static gpc_coherence_message *push(gpc_coherence *c, gpci_tree_point at) {
    if (GPCI_UNLIKELY(c->message_count == c->message_room)) {
        gpci_tree_fail(c, GPC_ERROR_MEMORY, "a transaction takes more than %u steps", c->message_bound);
        c->message_count--;
    }
    gpc_coherence_message *message = &c->messages[c->message_count++];
    *message = (gpc_coherence_message){.sent = at.cycle,
                                       .received = at.cycle,
                                       .after = at.after,
                                       .join = GPC_NO_MESSAGE,
                                       .delay = at.delay,
                                       .directory = at.directory,
                                       .looks = at.looks,
                                       .memory = at.memory,
                                       .network = GPC_NO_MODULE,
                                       .request = GPC_NO_MESSAGE,
                                       .block = GPC_NO_MODULE};
    return message;
}

/* End time of a step. */
static gpci_tree_point end_of(const gpc_coherence *c, const gpc_coherence_message *message) {
    return (gpci_tree_point){.cycle = message->received, .after = (uint32_t)(message - c->messages)};
}

/* Count network bytes on the side of a module where they are sent or received: towards memory, or processors. */
GPCI_INLINE void count_bytes(const gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                             gpc_message_kind kind, uint32_t bytes) {
    *(from == t ? &from->stats.high_sent : &from->stats.low_sent) += bytes;
    *(to == t ? &to->stats.high_received : &to->stats.low_received) += bytes;
    if (bytes > c->control_bytes) {
        from->stats.data_sent++;
        from->stats.peer_transfers += kind == GPC_MESSAGE_DATA && from != t && to != t;
    }
}

void gpci_tree_count_bytes(const gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                           gpc_message_kind kind, uint32_t bytes) {
    count_bytes(c, t, from, to, kind, bytes);
}

void gpci_tree_uncount_bytes(const gpci_module *t, gpci_module *from, gpci_module *to, uint32_t bytes) {
    *(from == t ? &from->stats.high_sent : &from->stats.low_sent) -= bytes;
    *(to == t ? &to->stats.high_received : &to->stats.low_received) -= bytes;
}

/* Append a message, received when sent until the caller changes the time. */
static gpc_coherence_message *append_message(gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                                             gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                             gpci_tree_point at) {
    gpc_coherence_message *message = push(c, at);
    message->kind = (uint32_t)kind;
    message->from = from->index;
    message->to = to->index;
    message->address = address;
    message->bytes = bytes;
    message->network = t->given.high_network;
    count_bytes(c, t, from, to, kind, bytes);
    return message;
}

gpci_tree_point gpci_tree_send_reply(gpc_coherence *c, uint32_t request, const gpci_module *t, gpci_module *from,
                                     gpci_module *to, gpc_message_kind kind, uint64_t address, uint32_t bytes,
                                     gpci_tree_point at) {
    gpc_coherence_message *message = append_message(c, t, from, to, kind, address, bytes, at);
    message->request = request;
    if (c->timing)
        message->received = gpci_tree_star_send(c, message->network, from->index, to->index, bytes, at.cycle);
    return end_of(c, message);
}

gpci_tree_point gpci_tree_send_reply_at(gpc_coherence *c, const gpci_tree_probe_reply *reply, const gpci_module *t,
                                        gpci_module *from, gpci_module *to, gpc_message_kind kind) {
    gpc_coherence_message *message = append_message(c, t, from, to, kind, reply->address, reply->bytes, reply->ready);
    message->request = reply->probe;
    message->received = reply->arrives;
    return end_of(c, message);
}

gpci_tree_point gpci_tree_send(gpc_coherence *c, const gpci_module *t, gpci_module *from, gpci_module *to,
                               gpc_message_kind kind, uint64_t address, uint32_t bytes, gpci_tree_point at) {
    return gpci_tree_send_reply(c, GPC_NO_MESSAGE, t, from, to, kind, address, bytes, at);
}

gpci_tree_point gpci_tree_mark(gpc_coherence *c, const gpci_module *m, gpc_message_kind kind, uint64_t address,
                               gpci_tree_point at) {
    gpc_coherence_message *message = push(c, at);
    message->kind = (uint32_t)kind;
    message->from = message->to = m->index;
    message->address = address;
    return end_of(c, message);
}

/* Before the JOIN step exists, messages are chained through the field that will name it. */
void gpci_tree_gather_add(gpc_coherence *c, gpci_tree_gather *gather, uint32_t message) {
    gpc_coherence_message *m = &c->messages[message];
    m->join = gather->head;
    gather->head = message;
    gather->count++;
    gather->cycle = m->received > gather->cycle ? m->received : gather->cycle;
}

gpci_tree_point gpci_tree_gather_end(gpc_coherence *c, const gpci_module *m, gpci_tree_gather *gather,
                                     gpci_tree_point start) {
    if (!gather->count)
        return start;
    gpci_tree_point end = {.cycle = gather->cycle, .after = gather->head};
    if (gather->count > 1) {
        gpci_tree_point none = {.cycle = gather->cycle, .after = GPC_NO_MESSAGE};
        gpc_coherence_message *join = push(c, none);
        join->kind = GPC_MESSAGE_JOIN;
        join->from = join->to = m->index;
        join->needs = gather->count;
        end = end_of(c, join);
    }
    for (uint32_t next, at = gather->head; at != GPC_NO_MESSAGE; at = next) {
        next = c->messages[at].join;
        c->messages[at].join = gather->count > 1 ? end.after : GPC_NO_MESSAGE;
    }
    return end;
}

void gpci_tree_set_state(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, uint8_t state, uint32_t origin,
                         gpci_tree_point at) {
    uint8_t before = m->states[block];
    gpci_module_count(m, before, state, origin);
    if (c->transition_count < c->transition_room) {
        gpc_coherence_transition *t = &c->transitions[c->transition_count++];
        *t = (gpc_coherence_transition){.cycle = at.cycle,
                                        .tag_before = gpci_module_tag(m, block),
                                        .tag = state == GPC_LINE_I ? 0 : tag,
                                        .module = m->index,
                                        .set = block / m->all_ways,
                                        .way = block % m->all_ways,
                                        .origin = origin,
                                        .from = before,
                                        .to = state};
    }
    if (state == GPC_LINE_I)
        gpci_tree_data_clean(c, m, block);
    else if (gpci_tree_is_whole(c, state) && gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS))
        gpci_tree_data_whole(c, m, block);
    if (GPCI_UNLIKELY(m->lacks != NULL) && before == GPC_LINE_I)
        gpci_module_complete(m, block);
    gpci_module_write(m, block, state == GPC_LINE_I ? 0 : tag, state);
}

uint8_t gpci_module_raises(const gpci_module *m, uint8_t state, uint32_t event, uint32_t usual, bool above) {
    const gpc_protocol_raise *raise = &m->raises[state * (GPC_EVENT_COUNT + m->named) + event];
    const uint8_t raised = above ? raise->above : raise->below;
    return raised && gpci_like(m->tree->protocol, raised) == usual ? raised : 0;
}

gpc_protocol_rule gpci_tree_rule(gpc_coherence *c, const gpci_module *m, uint8_t state, uint32_t event) {
    const gpc_protocol_rule rule = *gpci_module_rule(m, state, event);
    if (GPCI_LIKELY(rule.actions && !(rule.actions & GPC_DO_FORBID)))
        return rule;
    gpci_tree_fail(c, GPC_ERROR_STATE, "%s: module %s in %s cannot have %s", c->protocol->name, m->given.name,
                   gpci_name_of_state(c->protocol, state).text, gpci_name_of_event(c->protocol, event).text);
    return (gpc_protocol_rule){GPC_DO_IGNORE, state, state};
}

void gpci_tree_apply(gpc_coherence *c, gpci_module *m, uint32_t block, gpc_coherence_event event, uint32_t origin,
                     gpci_tree_point at) {
    gpc_protocol_rule rule = gpci_tree_rule(c, m, m->states[block], event);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), rule.next, origin, at);
}

/* Insertion sort: replies are few and mostly in order. */
static void sort_by(gpci_tree_probe_reply *replies, uint32_t count,
                    uint64_t (*cycle_of)(const gpci_tree_probe_reply *)) {
    for (uint32_t i = 1; i < count; i++) {
        gpci_tree_probe_reply reply = replies[i];
        uint32_t j = i;
        for (; j && cycle_of(&replies[j - 1]) > cycle_of(&reply); j--)
            replies[j] = replies[j - 1];
        replies[j] = reply;
    }
}

static uint64_t processed_of(const gpci_tree_probe_reply *reply) {
    return reply->processed;
}

static uint64_t ready_of(const gpci_tree_probe_reply *reply) {
    return reply->ready.cycle;
}

static uint64_t arrives_of(const gpci_tree_probe_reply *reply) {
    return reply->arrives;
}

void gpci_tree_sort_processed(gpci_tree_probe_reply *replies, uint32_t count) {
    sort_by(replies, count, processed_of);
}

void gpci_tree_sort_ready(gpci_tree_probe_reply *replies, uint32_t count) {
    sort_by(replies, count, ready_of);
}

void gpci_tree_sort_arrived(gpci_tree_probe_reply *replies, uint32_t count) {
    sort_by(replies, count, arrives_of);
}
