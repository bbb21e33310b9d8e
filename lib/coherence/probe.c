/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

#include <string.h>

/*
 * Probes: what T asks of the modules above it that have copies of a block. A read probe goes to the owner, which sends
 * its data and gives up the right to write; a write probe goes to all sharers, which send modified data and invalidate
 * their copies. T probes several modules at the same time, in three steps: all probes are sent; each probed module does
 * its part, which may mean to probe the modules above it first; the replies are sent in the order in which they are
 * ready, and T waits for all of them.
 *
 * Example of a write probe, nmoesi, two L1s over an L2 (T), a STORE of L1-0 (R) to a block that L1-1 (X) has modified:
 *   probe_sharers         T's directory lists L1-1: a write probe is sent to it; the directory forgets L1-1
 *   begin_write_probe     L1-1 is looked up: found in M; nothing is above it to be probed
 *   gpci_tree_invalidate_copy the rule for WRITE_PROBE in M is SEND_DATA, next I. nmoesi has PEER: the bytes go to L1-0
 *   send_to_peer_and_time the message with the block to L1-0, whose request waits for it as well
 *   send_reply            an acknowledgement to T
 * With a protocol without PEER the reply to T carries the block, T merges it and passes it on in its own reply.
 */

/* Send a probe to X, and append the reply that is to be worked out: as many fit as messages do. */
GPCI_INLINE void send_probe(gpc_coherence *c, gpci_module *t, uint32_t x, gpc_message_kind kind, uint64_t address,
                            gpci_tree_point at) {
    gpci_module *m = gpci_module_at(c, x);
    gpci_tree_point there = gpci_tree_send(c, t, t, m, kind, address, c->control_bytes, at);
    if (GPCI_UNLIKELY(c->reply_count == c->reply_room)) {
        gpci_tree_fail(c, GPC_ERROR_MEMORY, "a transaction takes more than %u probes", c->reply_room);
        return;
    }
    c->replies[c->reply_count++] = (gpci_tree_probe_reply){
        .ready = there, .address = address, .module = x, .probe = there.after, .bytes = c->control_bytes};
}

/*
 * Send the messages with data to the peer, in the order in which they are ready; then work out when the replies to T
 * arrive, whose links are shared, and sort them by that.
 */
static void send_to_peer_and_time(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *replies, uint32_t count,
                                  const gpci_tree_request *peer, gpci_tree_gather *gather) {
    gpci_tree_sort_ready(replies, count);
    for (uint32_t k = 0; k < count; k++) {
        if (!replies[k].peer)
            continue;
        gpci_module *x = gpci_module_at(c, replies[k].module);
        gpci_tree_point sent =
            gpci_tree_send_reply(c, replies[k].probe, t, x, peer->from, GPC_MESSAGE_DATA, replies[k].address,
                                 c->control_bytes + x->given.block_bytes, replies[k].ready);
        gpci_tree_gather_add(c, gather, sent.after);
    }
    if (!c->timing)
        return;
    gpci_tree_star_gather(c, t->given.high_network, t->index, replies, count);
    gpci_tree_sort_arrived(replies, count);
}

/* X's reply to T, which arrives when gpci_tree_star_gather has said. */
static gpci_tree_point send_reply(gpc_coherence *c, gpci_module *t, const gpci_tree_probe_reply *reply) {
    gpc_message_kind kind = reply->bytes == c->control_bytes ? GPC_MESSAGE_ACK
                            : reply->peer                    ? GPC_MESSAGE_WRITE_BACK
                                                             : GPC_MESSAGE_DATA;
    t->stats.write_backs_received += kind == GPC_MESSAGE_WRITE_BACK;
    return gpci_tree_send_reply_at(c, reply, t, gpci_module_at(c, reply->module), t, kind);
}

/* Are both near halves, or neither? Others are at different ends of the way to T. */
static bool is_peer(const gpci_module *x, const gpci_module *r) {
    return x->given.block_bytes == r->given.block_bytes && x->near == r->near;
}

/* Does X send its block straight to the requester? Both must have blocks of the same size. */
static bool sends_to_peer(const gpc_coherence *c, const gpci_module *x, const gpci_tree_request *request) {
    return request && gpci_tree_has(c, GPC_PROTOCOL_PEER) && is_peer(x, request->from);
}

/* A write probe is received by X: look the block up, and first invalidate the copies in the modules above X. */
static void begin_write_probe(gpc_coherence *c, gpci_tree_probe_reply *reply, uint32_t event) {
    gpci_module *x = gpci_module_at(c, reply->module);
    x->stats.write_probes++;
    gpci_tree_lookup found = gpci_tree_find_probed(c, x, reply->address, &reply->ready);
    gpci_tree_message_found(c, reply->probe, &found);
    reply->found = found.hit;
    reply->block = found.block;
    reply->state = found.state;
    if (found.hit) {
        gpci_tree_write_probe above = {.block = found.block, .last = UINT64_MAX};
        above.event = gpci_raised_above(x, found.state, event, GPC_EVENT_WRITE_PROBE);
        reply->ready = gpci_tree_probe_copies(c, x, &above, reply->ready);
        reply->received = above.received;
    } else {
        x->stats.probe_misses++;
    }
    reply->processed = reply->ready.cycle;
}

/* X's reply to a write probe by its rule; its data go to the peer or to T, and its copy is invalidated. */
GPCI_INLINE void invalidate_copy(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                                 const gpci_tree_write_probe *probe) {
    gpci_module *x = gpci_module_at(c, reply->module);
    uint32_t block = reply->block;
    uint8_t state = gpci_tree_has(c, GPC_PROTOCOL_STALE_REPLY) ? reply->state : x->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, x, state, gpci_event_or(probe->event, GPC_EVENT_WRITE_PROBE));
    bool entry = gpci_module_directory_only(x, block),
         modified = entry ? reply->received || gpci_tree_entry_holds(c, x, block) : gpci_tree_is_modified(c, state);
    bool sends = rule.actions & GPC_DO_SEND_DATA && (modified || !entry);
    reply->peer = sends && !entry && !probe->through_t && sends_to_peer(c, x, probe->request);
    reply->data = sends && modified;
    reply->masked = gpci_tree_is_masked(c, state);
    if (reply->peer)
        gpci_tree_data_transfer(c, x, block, probe->request->from, probe->request->block,
                                !probe->request->valid && !modified, true);
    else if (reply->data)
        gpci_tree_data_merge(c, x, block, gpci_module_tag_of(x, reply->address), t, probe->block);
    if (reply->data && !reply->peer && reply->masked && probe->request)
        gpci_tree_data_yield(c, x, block, probe->request);
    if (sends && !reply->peer)
        reply->bytes += x->given.block_bytes;
    reply->sends = sends;
    if (GPCI_UNLIKELY(gpci_tree_is_detached(c, rule.next)) && !probe->gone && !entry) {
        gpci_tree_data_clean(c, x, block);
        gpci_tree_set_state(c, x, block, gpci_module_tag(x, block), rule.next, GPC_ORIGIN_DETACHED, reply->ready);
        return;
    }
    x->stats.invalidations++;
    gpci_tree_set_state(c, x, block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, reply->ready);
}

void gpci_tree_invalidate_copy(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe) {
    invalidate_copy(c, t, reply, probe);
}

/*
 * A reply with data leaves X after X's data latency. In Multi2Sim, so does one without, if the reply of another module
 * that was probed with it brought data before.
 */
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

/*
 * Remove X, which has `slot` in T's directory, from the sharers of a sub-block with a given address. False: X is
 * probed at another sub-block. If X's blocks are larger, X has one block for several sub-blocks of T, and is probed
 * once. Multi2Sim (PROBE_WHOLE) goes sub-block by sub-block, and probes X at the first sub-block of X's block.
 */
GPCI_INLINE bool forget_copy(const gpc_coherence *c, gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot,
                             const gpci_module *x, uint64_t address, uint64_t *tag) {
    const bool aligned_only = gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE);
    *tag = gpci_module_tag_of(x, address);
    const gpci_tree_span span = gpci_tree_span_of(t, x, *tag);
    for (uint32_t s = span.first; s < span.end; s++)
        if (!aligned_only || s == sub)
            gpci_tree_remove_sharer(t, block, s, slot);
    return !aligned_only || *tag == address;
}

/* Sharers of a sub-block, a word of them. */
static gpci_sharers sharers_of(const gpc_coherence *c, const gpci_module *t, const gpci_tree_copies *copies) {
    const gpci_sharers bits = gpci_sharers_word(t, copies->block, copies->sub, copies->word);
    const uint32_t owner = gpci_module_owner_of(t, copies->block, copies->sub);
    if (GPCI_UNLIKELY(copies->room))
        return gpci_sharer_in(gpci_directory_leaver(c, t, copies->block, copies->sub, copies->except), copies->word);
    return copies->only_owners ? bits & gpci_sharer_in(owner, copies->word) : bits;
}

bool gpci_tree_next_copy(gpc_coherence *c, gpci_module *t, gpci_tree_copies *copies, uint64_t *tag) {
    while (copies->sub < t->sub_blocks) {
        const uint64_t address = gpci_tree_address_of(t, copies->block, copies->sub);
        if (!copies->begun)
            copies->bits = address < copies->first || address > copies->last ? 0 : sharers_of(c, t, copies);
        copies->begun = true;
        while (copies->bits) {
            const uint32_t slot = copies->word * GPCI_SHARERS + gpci_lowest(copies->bits);
            const gpci_module *x = gpci_module_at(c, copies->module = t->above[slot]);
            copies->bits &= copies->bits - 1;
            if (x != copies->except && forget_copy(c, t, copies->block, copies->sub, slot, x, address, tag))
                return true;
        }
        copies->begun = false;
        if (++copies->word == t->sharer_words) {
            copies->word = 0;
            copies->sub++;
        }
    }
    return false;
}

/* The same for all of them at once, as a transaction sends them. */
static void probe_sharers(gpc_coherence *c, gpci_module *t, const gpci_tree_write_probe *probe, gpci_tree_point at) {
    uint64_t tag;
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        const uint64_t address = gpci_tree_address_of(t, probe->block, sub);
        if (address < probe->first || address > probe->last)
            continue;
        const uint32_t leaver =
            GPCI_UNLIKELY(probe->room) ? gpci_directory_leaver(c, t, probe->block, sub, probe->except) : 0;
        for (uint32_t word = 0; word < t->sharer_words; word++)
            for (uint64_t bits = probe->room ? gpci_sharer_in(leaver, word)
                                             : gpci_sharers_word(t, probe->block, sub, word);
                 bits; bits &= bits - 1) {
                const uint32_t slot = word * GPCI_SHARERS + gpci_lowest(bits);
                const gpci_module *x = gpci_module_at(c, t->above[slot]);
                if (x == probe->except || !forget_copy(c, t, probe->block, sub, slot, x, address, &tag))
                    continue;
                t->stats.directory_evictions += probe->room;
                send_probe(c, t, x->index, GPC_MESSAGE_WRITE_PROBE, tag, at);
            }
    }
}

/*
 * T receives a reply: modified data put it into the next state of INVALIDATE_DATA, once. Multi2Sim (COUNT_REPLIES)
 * does it again for every reply after the first with data, from the state in which T was when it sent the probes.
 */
static void take_reply(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *probe, uint8_t remembered, bool data,
                       gpci_tree_point at) {
    bool repeats = gpci_tree_has(c, GPC_PROTOCOL_COUNT_REPLIES);
    if (!data || (probe->received && !repeats))
        return;
    probe->received = true;
    uint8_t state = repeats ? remembered : t->states[probe->block];
    gpc_protocol_rule rule = gpci_tree_rule(c, t, state, GPC_EVENT_INVALIDATE_DATA);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(
            c, t, probe->block, gpci_module_tag(t, probe->block), rule.next,
            gpci_tree_means(c, state) == GPC_MEANS_E ? GPC_ORIGIN_INVALIDATE_DATA_1 : GPC_ORIGIN_INVALIDATE_DATA_2, at);
}

/*
 * Put the replies of owners first. What an owner (M, O, E) stored coherently, it stored while there was no other copy;
 * what others have stored non-coherently (N) is newer, and has to be merged after it.
 */
static void sort_owners_first(const gpc_coherence *c, gpci_tree_probe_reply *replies, uint32_t count) {
    uint32_t put = 0;
    for (uint32_t k = 0; k < count; k++) {
        const gpci_module *x = gpci_module_at(c, replies[k].module);
        uint32_t block = gpci_module_find(x, gpci_module_tag_of(x, replies[k].address));
        if (block == GPCI_TREE_NO_BLOCK || !(gpci_tree_means(c, x->states[block]) & GPC_MEANS_OWNER))
            continue;
        gpci_tree_probe_reply owner = replies[k];
        memmove(replies + put + 1, replies + put, (k - put) * sizeof *replies);
        replies[put++] = owner;
    }
}

gpci_tree_point gpci_tree_probe_copies(gpc_coherence *c, gpci_module *t, gpci_tree_write_probe *probe,
                                       gpci_tree_point at) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    uint32_t first = c->reply_count;
    uint8_t remembered = t->states[probe->block];
    probe_sharers(c, t, probe, at);
    uint32_t count = c->reply_count - first;
    if (!count)
        return at;
    gpci_tree_probe_reply *replies = c->replies + first;
    bool by_time = gpci_tree_has(c, GPC_PROTOCOL_COUNT_REPLIES); /* Multi2Sim: first come, first served */
    if (c->non_coherent && !by_time)
        sort_owners_first(c, replies, count);
    for (uint32_t k = 0; k < count; k++)
        begin_write_probe(c, &replies[k], gpci_event_or(probe->event, GPC_EVENT_WRITE_PROBE));
    if (by_time)
        gpci_tree_sort_processed(replies, count);
    for (uint32_t k = 0; k < count; k++) {
        if (!replies[k].found)
            continue;
        invalidate_copy(c, t, &replies[k], probe);
        probe->dirty |= replies[k].data && replies[k].peer;
        probe->whole |= replies[k].peer && !replies[k].masked;
    }
    read_data(c, replies, count);
    send_to_peer_and_time(c, t, replies, count, probe->request, probe->gather);
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    for (uint32_t k = 0; k < count; k++) {
        gpci_tree_point arrived = send_reply(c, t, &replies[k]);
        gpci_tree_gather_add(c, &gather, arrived.after);
        bool known = false; /* Multi2Sim: data count from when X's state changed, not from when they arrive */
        for (uint32_t j = 0; j < count; j++)
            known |= replies[j].data && !replies[j].peer && replies[j].processed <= arrived.cycle;
        take_reply(c, t, probe, remembered, known, arrived);
    }
    c->reply_count = first;
    return gpci_tree_gather_end(c, t, &gather, at);
}

/* X, which has the block, replies to a read probe by its rule. `above`: what the probe of X's own owners brought. */
GPCI_INLINE void reply_to_read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                                     const gpci_tree_read_probe *probe, uint32_t block,
                                     const gpci_tree_read_probe *above) {
    gpci_module *x = gpci_module_at(c, reply->module);
    uint8_t state = x->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, x, state, gpci_event_or(probe->event, GPC_EVENT_READ_PROBE));
    bool entry = gpci_module_directory_only(x, block); /* x holds only the bytes just received from above */
    bool received = above->data || (entry && gpci_tree_entry_holds(c, x, block));
    bool sends = rule.actions & GPC_DO_SEND_DATA, modified = received || (gpci_tree_is_modified(c, state) && !entry);
    if (entry || (gpci_tree_has(c, GPC_PROTOCOL_BARE_ACK) && above->probed))
        sends = received;
    reply->peer = sends && !entry && sends_to_peer(c, x, probe->request);
    bool back = sends && modified && (!reply->peer || rule.actions & GPC_DO_WRITE_BACK);
    if (reply->peer) { /* the bytes that X has not modified are the same in T */
        gpci_tree_data_fill(c, t, probe->block, probe->request->from, probe->request->block, probe->request->tag);
        gpci_tree_data_transfer(c, x, block, probe->request->from, probe->request->block, false, false);
    }
    if (back) {
        gpci_tree_data_merge(c, x, block, gpci_module_tag_of(x, reply->address), t, probe->block);
        gpci_tree_data_clean(c, x, block);
    }
    reply->data = back;
    if (back || (sends && !reply->peer))
        reply->bytes += above->probed || !gpci_tree_has(c, GPC_PROTOCOL_BARE_ACK) || !x->sub_blocks
                            ? x->given.block_bytes
                            : 1u << x->sub_shift;
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, x, block, gpci_module_tag(x, block), rule.next,
                            above->data     ? GPC_ORIGIN_READ_DOWN_UP_1
                            : above->probed ? GPC_ORIGIN_READ_DOWN_UP_2
                                            : GPC_ORIGIN_READ_DOWN_UP_3,
                            reply->ready);
    reply->keeps = gpci_tree_stays_owner(c, rule.next) && !(rule.actions & GPC_DO_IGNORE);
}

void gpci_tree_reply_to_read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above) {
    reply_to_read_probe(c, t, reply, probe, block, above);
}

/* A read probe is received by X: the owners above X are probed first, since their bytes are newer than X's. */
static void read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply, gpci_tree_read_probe *probe) {
    gpci_module *x = gpci_module_at(c, reply->module);
    x->stats.read_probes++;
    gpci_tree_lookup found = gpci_tree_find_probed(c, x, reply->address, &reply->ready);
    gpci_tree_message_found(c, reply->probe, &found);
    reply->processed = reply->ready.cycle;
    if (!found.hit) {
        x->stats.probe_misses++;
        return;
    }
    reply->found = true;
    gpci_tree_read_probe above = {.block = found.block};
    above.event =
        gpci_raised_above(x, found.state, gpci_event_or(probe->event, GPC_EVENT_READ_PROBE), GPC_EVENT_READ_PROBE);
    reply->ready = gpci_tree_probe_owners(c, x, &above, reply->ready);
    reply_to_read_probe(c, t, reply, probe, found.block, &above);
    reply->processed = reply->ready.cycle;
    reply->ready = gpci_tree_use_data(c, x, reply->ready, false);
}

/* Is this sub-block one of those that the probe is for? */
static bool is_requested(const gpci_tree_read_probe *probe, uint64_t address) {
    return !probe->request || address - probe->request->tag < probe->request->from->given.block_bytes;
}

/* X owns several sub-blocks as one block: was it probed for the sub-block before this one? */
static bool probed_before(const gpci_module *t, const gpci_tree_read_probe *probe, const gpci_module *x, uint32_t sub) {
    uint64_t address = gpci_tree_address_of(t, probe->block, sub), before = address - ((uint64_t)1 << t->sub_shift);
    return sub && gpci_module_tag_of(x, before) == gpci_module_tag_of(x, address) && is_requested(probe, before) &&
           gpci_module_owner_of(t, probe->block, sub - 1) == gpci_module_owner_of(t, probe->block, sub);
}

/*
 * Send a read probe to each owner of a sub-block but R; Multi2Sim (PROBE_WHOLE): of all sub-blocks, not only those
 * asked for.
 */
GPCI_INLINE bool owner_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe,
                                uint32_t sub, uint32_t *out_module, uint64_t *out_tag) {
    const bool whole = gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE);
    const uint16_t owner = gpci_module_owner_of(t, probe->block, sub);
    const uint64_t address = gpci_tree_address_of(t, probe->block, sub);
    if (owner == GPCI_TREE_NO_OWNER || (!whole && !is_requested(probe, address)))
        return false;
    const gpci_module *x = gpci_module_at(c, t->above[owner]);
    *out_module = x->index;
    *out_tag = gpci_module_tag_of(x, address);
    return !(probe->request && x == probe->request->from) &&
           !(whole ? *out_tag != address : probed_before(t, probe, x, sub));
}

bool gpci_tree_owner_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe,
                              uint32_t sub, uint32_t *out_module, uint64_t *out_tag) {
    return owner_to_probe(c, t, probe, sub, out_module, out_tag);
}

static void probe_owners(gpc_coherence *c, gpci_module *t, const gpci_tree_read_probe *probe, gpci_tree_point at) {
    uint32_t x;
    uint64_t tag;
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++)
        if (owner_to_probe(c, t, probe, sub, &x, &tag))
            send_probe(c, t, x, GPC_MESSAGE_READ_PROBE, tag, at);
}

/*
 * Without an owner, a sharer may send the block to R, if the protocol's rule for READ_PROBE in S says SEND_DATA (MSI,
 * MESI; Table 2.1, step 9). Any could; it is the last in the directory.
 */
GPCI_INLINE uint32_t sharer_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe) {
    if (!probe->request || !gpci_tree_has(c, GPC_PROTOCOL_PEER) ||
        probe->request->from->given.block_bytes != 1u << t->sub_shift)
        return GPC_NO_MODULE;
    const uint32_t sub = gpci_module_sub_of(t, probe->request->tag);
    if (t->pointers && !gpci_directory_is_exact(t, probe->block, sub))
        return GPC_NO_MODULE; /* T has the block, but no known sharer has */
    for (uint32_t slot = t->above_count; slot-- > 0;) {
        const gpci_module *x = gpci_module_at(c, t->above[slot]);
        if (x != probe->request->from && gpci_tree_has_sharer(t, probe->block, sub, slot) &&
            is_peer(x, probe->request->from) && gpci_tree_sharers_send(c, x->rules))
            return x->index;
    }
    return GPC_NO_MODULE;
}

uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe) {
    return sharer_to_probe(c, t, probe);
}

/* T's directory after a reply: X is still the owner only in O or F, and still a sharer only if it had the block. */
GPCI_INLINE void update_directory(const gpc_coherence *c, gpci_module *t, uint32_t block,
                                  const gpci_tree_probe_reply *reply) {
    const gpci_module *x = gpci_module_at(c, reply->module);
    const uint32_t slot = t->slots[x->index];
    const gpci_tree_span span = gpci_tree_span_of(t, x, reply->address);
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (!reply->keeps)
            gpci_tree_drop_owner(t, block, sub, slot);
        if (!reply->found)
            gpci_tree_drop_sharer(t, block, sub, slot);
    }
}

void gpci_tree_update_directory(const gpc_coherence *c, gpci_module *t, uint32_t block,
                                const gpci_tree_probe_reply *reply) {
    update_directory(c, t, block, reply);
}

gpci_tree_point gpci_tree_probe_owners(gpc_coherence *c, gpci_module *t, gpci_tree_read_probe *probe,
                                       gpci_tree_point at) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    uint32_t first = c->reply_count;
    probe_owners(c, t, probe, at);
    const uint32_t sharer = c->reply_count == first ? sharer_to_probe(c, t, probe) : GPC_NO_MODULE;
    if (sharer != GPC_NO_MODULE)
        send_probe(c, t, sharer, GPC_MESSAGE_READ_PROBE, probe->request->tag, at);
    uint32_t count = c->reply_count - first;
    if (!count)
        return at;
    gpci_tree_probe_reply *replies = c->replies + first;
    for (uint32_t k = 0; k < count; k++)
        read_probe(c, t, &replies[k], probe);
    send_to_peer_and_time(c, t, replies, count, probe->request, probe->gather);
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    probe->probed = true;
    for (uint32_t k = 0; k < count; k++) {
        gpci_tree_point arrived = send_reply(c, t, &replies[k]);
        gpci_tree_gather_add(c, &gather, arrived.after);
        update_directory(c, t, probe->block, &replies[k]);
        probe->sent |= replies[k].peer;
        if (replies[k].data && !probe->data && !gpci_tree_has(c, GPC_PROTOCOL_DROP_PROBE_DATA))
            gpci_tree_apply(c, t, probe->block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, arrived);
        probe->data |= replies[k].data;
    }
    c->reply_count = first;
    return gpci_tree_gather_end(c, t, &gather, at);
}
