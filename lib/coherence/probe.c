/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

#include <string.h>

/*
 * Requests towards the processors. T asks several of those above it at the same time: first all are asked, then each
 * does its part, then they answer in the order in which they are ready.
 */

/* A probe on its way to X; its answer will be worked out. There is room for it where there is for the message. */
static void send_probe(gpc_coherence *c, gpci_module *t, uint32_t x, gpc_message_kind kind, uint64_t address,
                       gpci_tree_point at) {
    gpci_module *m = gpci_module_at(c, x);
    gpci_tree_point there = gpci_tree_send(c, t, t, m, kind, address, c->control_bytes, at);
    if (GPCI_UNLIKELY(c->reply_count == c->reply_room)) {
        gpci_tree_fail(c, GPC_ERROR_MEMORY, "a transaction takes more than %u probes", c->reply_room);
        return;
    }
    c->replies[c->reply_count++] = (gpci_tree_probe_reply){
        .ready = there, .address = address, .module = x, .request = there.after, .bytes = c->control_bytes};
}

/* The answers on their way: to who asked T, where X sends the block itself, then those to T, by when they come. */
static void send_answers(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *replies, uint32_t count,
                         const gpci_tree_request *peer, gpci_tree_gather *gather) {
    gpci_tree_sort_ready(replies, count);
    for (uint32_t k = 0; k < count; k++) {
        if (!replies[k].peer)
            continue;
        gpci_module *x = gpci_module_at(c, replies[k].module);
        gpci_tree_point sent =
            gpci_tree_send_reply(c, replies[k].request, t, x, peer->from, GPC_MESSAGE_DATA, replies[k].address,
                                 c->control_bytes + x->given.block_bytes, replies[k].ready);
        gpci_tree_gather_add(c, gather, sent.after);
    }
    if (!c->timing)
        return;
    gpci_tree_star_gather(c, t->given.high_network, t->index, replies, count);
    gpci_tree_sort_arrived(replies, count);
}

static gpci_tree_point answer(gpc_coherence *c, gpci_module *t, const gpci_tree_probe_reply *reply) {
    gpc_message_kind kind = reply->bytes == c->control_bytes ? GPC_MESSAGE_ACK
                            : reply->peer                    ? GPC_MESSAGE_WRITE_BACK
                                                             : GPC_MESSAGE_DATA;
    t->stats.write_backs_received += kind == GPC_MESSAGE_WRITE_BACK;
    return gpci_tree_send_reply_at(c, reply, t, gpci_module_at(c, reply->module), t, kind);
}

/* Does X send its block straight to who asked T? */
static bool sends_to_peer(const gpc_coherence *c, const gpci_module *x, const gpci_tree_request *ask) {
    return ask && gpci_tree_has(c, GPC_PROTOCOL_PEER) && x->given.block_bytes == ask->from->given.block_bytes;
}

/* Write probe at X: find the block and take it from those above X. */
static void reach(gpc_coherence *c, gpci_tree_probe_reply *reply) {
    gpci_module *x = gpci_module_at(c, reply->module);
    x->stats.write_probes++;
    gpci_tree_lookup found = gpci_tree_find(c, x, reply->address, &reply->ready);
    gpci_tree_message_found(c, reply->request, &found);
    reply->found = found.hit;
    reply->block = found.block;
    reply->state = found.state;
    if (found.hit) {
        gpci_tree_write_probe above = {.block = found.block, .last = UINT64_MAX};
        reply->ready = gpci_tree_probe_copies(c, x, &above, reply->ready);
        reply->received = above.received;
    } else {
        x->stats.probe_misses++;
    }
    reply->processed = reply->ready.cycle;
}

/* X decides on its answer, and gives the block up. */
static void give_up(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply, const gpci_tree_write_probe *i) {
    gpci_module *x = gpci_module_at(c, reply->module);
    uint32_t block = reply->block;
    uint8_t state = gpci_tree_has(c, GPC_PROTOCOL_STALE_REPLY) ? reply->state : x->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, x, state, GPC_EVENT_WRITE_PROBE);
    bool entry = gpci_module_directory_only(x, block),
         modified = entry ? reply->received : gpci_tree_is_modified(state);
    bool sends = rule.actions & GPC_DO_SEND_DATA && (modified || !entry);
    reply->peer = sends && !entry && sends_to_peer(c, x, i->peer);
    reply->data = sends && modified;
    reply->masked = state == GPC_LINE_N;
    if (reply->peer)
        gpci_tree_data_transfer(c, x, block, i->peer->from, i->peer->block, !i->peer->valid && !modified, true);
    else if (reply->data)
        gpci_tree_data_merge(c, x, block, gpci_module_tag_of(x, reply->address), t, i->block);
    if (sends && !reply->peer)
        reply->bytes += x->given.block_bytes;
    x->stats.invalidations++;
    gpci_tree_set_state(c, x, block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, reply->ready);
    reply->sends = sends;
}

/* X reads its data where it sends them; and where another of those asked was known to, before (Multi2Sim). */
static void read_data(gpc_coherence *c, gpci_tree_probe_reply *replies, uint32_t count) {
    bool repeats = gpci_tree_has(c, GPC_PROTOCOL_COUNT_REPLIES);
    for (uint32_t k = 0; k < count; k++) {
        bool reads = replies[k].sends;
        for (uint32_t j = 0; j < count && repeats && replies[k].found && !reads; j++)
            reads = replies[j].data && (replies[j].processed < replies[k].processed ||
                                        (replies[j].processed == replies[k].processed && j < k));
        if (reads)
            replies[k].ready = gpci_tree_use_data(c, gpci_module_at(c, replies[k].module), replies[k].ready, false);
    }
}

/* Ask all who share a sub-block of those that are meant, and forget them. */
static void probe_sharers(gpc_coherence *c, gpci_module *t, const gpci_tree_write_probe *i, gpci_tree_point at) {
    bool exact = gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE);
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        uint64_t address = gpci_tree_address_of(t, i->block, sub);
        if (address < i->first || address > i->last)
            continue;
        for (uint32_t word = 0; word < t->sharer_words; word++)
            for (uint64_t bits = gpci_module_sharers_of(t, i->block, sub)[word]; bits; bits &= bits - 1) {
                uint32_t slot = word * 64 + gpci_lowest(bits);
                gpci_module *x = gpci_module_at(c, t->above[slot]);
                if (x == i->except)
                    continue;
                uint64_t block = gpci_module_tag_of(x, address);
                const gpci_tree_span span = gpci_tree_span_of(t, x, block);
                for (uint32_t s = span.first; s < span.end; s++)
                    if (!exact || s == sub)
                        gpci_tree_drop_sharer(t, i->block, s, slot);
                if (!exact || block == address)
                    send_probe(c, t, x->index, GPC_MESSAGE_WRITE_PROBE, block, at);
            }
    }
}

/* What T does with an answer that has come, by the state that it was in when it asked. */
static void take_answer(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *i, uint8_t remembered, bool data,
                        gpci_tree_point at) {
    bool repeats = gpci_tree_has(c, GPC_PROTOCOL_COUNT_REPLIES);
    if (!data || (i->received && !repeats))
        return;
    i->received = true;
    uint8_t state = repeats ? remembered : t->states[i->block];
    gpc_protocol_rule rule = gpci_tree_rule(c, t, state, GPC_EVENT_INVALIDATE_DATA);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, t, i->block, t->tags[i->block], rule.next,
                            state == GPC_LINE_E ? GPC_ORIGIN_INVALIDATE_DATA_1 : GPC_ORIGIN_INVALIDATE_DATA_2, at);
}

/* What an owner has modified is older than what others have stored non-coherently, and so is to be merged before it. */
static void owners_first(const gpc_coherence *c, gpci_tree_probe_reply *replies, uint32_t count) {
    uint32_t put = 0;
    for (uint32_t k = 0; k < count; k++) {
        const gpci_module *x = gpci_module_at(c, replies[k].module);
        uint32_t block = gpci_module_find(x, gpci_module_tag_of(x, replies[k].address));
        if (block == GPCI_TREE_NO_BLOCK || x->states[block] == GPC_LINE_N || x->states[block] == GPC_LINE_S)
            continue;
        gpci_tree_probe_reply owner = replies[k];
        memmove(replies + put + 1, replies + put, (k - put) * sizeof *replies);
        replies[put++] = owner;
    }
}

gpci_tree_point gpci_tree_probe_copies(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *i, gpci_tree_point at) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    uint32_t first = c->reply_count;
    uint8_t remembered = t->states[i->block];
    probe_sharers(c, t, i, at);
    uint32_t count = c->reply_count - first;
    if (!count)
        return at;
    gpci_tree_probe_reply *replies = c->replies + first;
    bool seen = gpci_tree_has(c, GPC_PROTOCOL_COUNT_REPLIES); /* the order of what happens at the same time */
    if (c->non_coherent && !seen)
        owners_first(c, replies, count);
    for (uint32_t k = 0; k < count; k++)
        reach(c, &replies[k]);
    if (seen)
        gpci_tree_sort_processed(replies, count);
    for (uint32_t k = 0; k < count; k++) {
        if (!replies[k].found)
            continue;
        give_up(c, t, &replies[k], i);
        i->dirty |= replies[k].data && replies[k].peer;
        i->whole |= replies[k].peer && !replies[k].masked;
    }
    read_data(c, replies, count);
    send_answers(c, t, replies, count, i->peer, i->gather);
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    for (uint32_t k = 0; k < count; k++) {
        gpci_tree_point come = answer(c, t, &replies[k]);
        gpci_tree_gather_add(c, &gather, come.after);
        bool known = false; /* answers count from when they were decided, not from when they come */
        for (uint32_t j = 0; j < count; j++)
            known |= replies[j].data && !replies[j].peer && replies[j].processed <= come.cycle;
        take_answer(c, t, i, remembered, known, come);
    }
    c->reply_count = first;
    return gpci_tree_gather_end(c, t, &gather, at);
}

/* How X, which has been found, answers a read probe; `above`: what those above it said. */
static void answer_read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply, gpci_tree_read_probe *s,
                              uint32_t block, const gpci_tree_read_probe *above) {
    gpci_module *x = gpci_module_at(c, reply->module);
    uint8_t state = x->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, x, state, GPC_EVENT_READ_PROBE);
    bool entry = gpci_module_directory_only(x, block); /* has no bytes but those that have just come from above */
    bool sends = rule.actions & GPC_DO_SEND_DATA, modified = above->data || (gpci_tree_is_modified(state) && !entry);
    if (entry || (gpci_tree_has(c, GPC_PROTOCOL_BARE_ACK) && above->asked))
        sends = above->data;
    reply->peer = sends && !entry && sends_to_peer(c, x, s->ask);
    bool back = sends && modified && (!reply->peer || rule.actions & GPC_DO_WRITE_BACK);
    if (reply->peer) { /* T's copy is the same, but for what X has modified */
        gpci_tree_data_fill(c, t, s->block, s->ask->from, s->ask->block, s->ask->tag);
        gpci_tree_data_transfer(c, x, block, s->ask->from, s->ask->block, false, false);
    }
    if (back) {
        gpci_tree_data_merge(c, x, block, gpci_module_tag_of(x, reply->address), t, s->block);
        gpci_tree_data_clean(c, x, block);
    }
    reply->data = back;
    if (back || (sends && !reply->peer))
        reply->bytes += above->asked || !gpci_tree_has(c, GPC_PROTOCOL_BARE_ACK) || !x->sub_blocks
                            ? x->given.block_bytes
                            : 1u << x->sub_shift;
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, x, block, x->tags[block], rule.next,
                            above->data    ? GPC_ORIGIN_READ_DOWN_UP_1
                            : above->asked ? GPC_ORIGIN_READ_DOWN_UP_2
                                           : GPC_ORIGIN_READ_DOWN_UP_3,
                            reply->ready);
    reply->keeps = rule.next == GPC_LINE_O && !(rule.actions & GPC_DO_IGNORE);
}

static void read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply, gpci_tree_read_probe *s) {
    gpci_module *x = gpci_module_at(c, reply->module);
    x->stats.read_probes++;
    gpci_tree_lookup found = gpci_tree_find(c, x, reply->address, &reply->ready);
    gpci_tree_message_found(c, reply->request, &found);
    reply->processed = reply->ready.cycle;
    if (!found.hit) {
        x->stats.probe_misses++;
        return;
    }
    reply->found = true;
    gpci_tree_read_probe above = {.block = found.block};
    reply->ready = gpci_tree_probe_owners(c, x, &above, reply->ready);
    answer_read_probe(c, t, reply, s, found.block, &above);
    reply->processed = reply->ready.cycle;
    reply->ready = gpci_tree_use_data(c, x, reply->ready, false);
}

static bool asks_for(const gpci_tree_read_probe *s, uint64_t address) {
    return !s->ask || address - s->ask->tag < s->ask->from->given.block_bytes;
}

/* Was X asked already, for the sub-block before this one? */
static bool asked_before(const gpci_module *t, const gpci_tree_read_probe *s, const gpci_module *x, uint32_t sub) {
    uint64_t address = gpci_tree_address_of(t, s->block, sub), before = address - ((uint64_t)1 << t->sub_shift);
    return sub && gpci_module_tag_of(x, before) == gpci_module_tag_of(x, address) && asks_for(s, before) &&
           *gpci_module_owner_of(t, s->block, sub - 1) == *gpci_module_owner_of(t, s->block, sub);
}

static void probe_owners(gpc_coherence *c, gpci_module *t, const gpci_tree_read_probe *s, gpci_tree_point at) {
    bool whole = gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE);
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        uint16_t owner = *gpci_module_owner_of(t, s->block, sub);
        uint64_t address = gpci_tree_address_of(t, s->block, sub);
        if (owner == GPCI_TREE_NO_OWNER || (!whole && !asks_for(s, address)))
            continue;
        gpci_module *x = gpci_module_at(c, t->above[owner]);
        if ((s->ask && x == s->ask->from) ||
            (whole ? gpci_module_tag_of(x, address) != address : asked_before(t, s, x, sub)))
            continue;
        send_probe(c, t, x->index, GPC_MESSAGE_READ_PROBE, gpci_module_tag_of(x, address), at);
    }
}

/* Where nobody owns the block, one who shares it may send it: the last of them, if the protocol has sharers do so. */
static void probe_sharer(gpc_coherence *c, gpci_module *t, const gpci_tree_read_probe *s, gpci_tree_point at) {
    if (!s->ask || !gpci_tree_has(c, GPC_PROTOCOL_PEER) || s->ask->from->given.block_bytes != 1u << t->sub_shift)
        return;
    uint32_t sub = gpci_module_sub_of(t, s->ask->tag);
    for (uint32_t slot = t->above_count; slot-- > 0;) {
        gpci_module *x = gpci_module_at(c, t->above[slot]);
        if (x == s->ask->from || !gpci_tree_has_sharer(t, s->block, sub, slot) ||
            x->given.block_bytes != s->ask->from->given.block_bytes ||
            !(x->rules[GPC_LINE_S][GPC_EVENT_READ_PROBE].actions & GPC_DO_SEND_DATA))
            continue;
        send_probe(c, t, x->index, GPC_MESSAGE_READ_PROBE, s->ask->tag, at);
        return;
    }
}

/* T's directory after an answer: who is not in O now owns the block no longer, who has lost it shares it no longer. */
static void forget_owner(gpc_coherence *c, gpci_module *t, const gpci_tree_read_probe *s,
                         const gpci_tree_probe_reply *reply) {
    const gpci_module *x = gpci_module_at(c, reply->module);
    const uint32_t slot = t->slots[x->index];
    const gpci_tree_span span = gpci_tree_span_of(t, x, reply->address);
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (!reply->keeps)
            gpci_tree_drop_owner(t, s->block, sub, slot);
        if (!reply->found)
            gpci_tree_drop_sharer(t, s->block, sub, slot);
    }
}

gpci_tree_point gpci_tree_probe_owners(gpc_coherence *c, gpci_module *t, gpci_tree_read_probe *s, gpci_tree_point at) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    uint32_t first = c->reply_count;
    probe_owners(c, t, s, at);
    if (c->reply_count == first)
        probe_sharer(c, t, s, at);
    uint32_t count = c->reply_count - first;
    if (!count)
        return at;
    gpci_tree_probe_reply *replies = c->replies + first;
    for (uint32_t k = 0; k < count; k++)
        read_probe(c, t, &replies[k], s);
    send_answers(c, t, replies, count, s->ask, s->gather);
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    s->asked = true;
    for (uint32_t k = 0; k < count; k++) {
        gpci_tree_point come = answer(c, t, &replies[k]);
        gpci_tree_gather_add(c, &gather, come.after);
        forget_owner(c, t, s, &replies[k]);
        s->sent |= replies[k].peer;
        if (replies[k].data && !s->data && !gpci_tree_has(c, GPC_PROTOCOL_DROP_PROBE_DATA))
            gpci_tree_apply(c, t, s->block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, come);
        s->data |= replies[k].data;
    }
    c->reply_count = first;
    return gpci_tree_gather_end(c, t, &gather, at);
}
