/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

/*
 * Requests towards memory. R misses, or lacks the right to write, and sends a request to T, its low module:
 *   read request   for a copy. T has it, or reads it from its own low module; owners above T are probed, because their
 *                  copies may be newer. R becomes a sharer, and the owner if it is the only one
 *   write request  for the only copy. All other copies above T are invalidated; T makes sure that there are none beside
 *                  its own branch of the tree; R becomes the owner and the only sharer
 *
 * Example of a read request, nmoesi, blocks of 64 bytes everywhere, headers of 8: L1-0 holds A in E; L1-1 loads A.
 *   L1-1 to L2   read request, 8 bytes; L2 finds A, in E, with L1-0 as owner
 *   L2 to L1-0   read probe, 8 bytes; L1-0 goes from E to S
 *   L1-0 to L1-1 data, 72 bytes (nmoesi has PEER)
 *   L1-0 to L2   acknowledgement, 8 bytes; L2 has no owner now, and two sharers
 *   L1-1         I to S, since others share the block
 */

/* Has any module but `slot` a copy of these sub-blocks? */
static bool has_other_sharers(const gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++)
        for (uint32_t word = 0; word < t->sharer_words; word++)
            if (gpci_sharers_word(t, block, sub, word) & ~gpci_sharer_in(slot, word))
                return true;
    return false;
}

/* `slot`: the place of a module in T's list of those above it. */
static void add_sharer(const gpc_coherence *c, gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot,
                       bool owner) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (GPCI_LIKELY(!t->pointers))
            gpci_sharers_add(t, block, sub, slot);
        else
            gpci_directory_add(c, t, block, sub, slot);
        if (owner)
            gpci_module_set_owner(t, block, sub, slot);
    }
}

/* Multi2Sim: after a read request no module but R owns any sub-block of the block; O does not exist there. */
static void drop_owners(gpci_module *t, uint32_t block, uint32_t slot) {
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        if (gpci_module_owner_of(t, block, sub) != slot)
            gpci_module_set_owner(t, block, sub, GPCI_TREE_NO_OWNER);
    }
}

/*
 * Nor does R own what it will share, a block that it stores to non-coherently: it was the owner if it has let go of the
 * block since without a word, which Multi2Sim's modules do not.
 */
static void drop_owner(gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        gpci_tree_drop_owner(t, block, sub, slot);
    }
}

gpci_tree_reply gpci_tree_fetch(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address, uint32_t event,
                                uint32_t origin, uint32_t flags, gpci_tree_point at) {
    uint64_t tag = gpci_module_tag_of(t, address);
    gpci_tree_request own = {.from = t, .block = block, .tag = tag, .flags = flags, .cause = gpci_named_event(event)};
    own.event = gpci_raised_below(t, GPC_LINE_I, event, GPC_EVENT_READ_ABOVE);
    gpc_protocol_rule rule = gpci_tree_rule(c, t, GPC_LINE_I, event);
    gpci_tree_reply reply = gpci_tree_read_request(c, &own, at);
    gpci_tree_set_state(c, t, block, tag, reply.shared ? rule.next_shared : rule.next, origin, reply.at);
    return reply;
}

/*
 * R is about to receive a copy: record it in T's directory. Returns whether R shares it with others. If it does not, R
 * becomes the owner, provided that R's protocol has a state for a lone copy (E): its rule for a miss then has different
 * next states for a lone and a shared one. If it does, R becomes the owner where the state is an owner's (F).
 */
GPCI_INLINE bool add_requester(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
                               bool shared) {
    uint32_t slot = t->slots[request->from->index];
    gpci_tree_span span = gpci_tree_span_of(t, request->from, request->tag);
    if (!gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY)) {
        if (GPCI_UNLIKELY(gpci_tree_is_told(c, request->from)))
            add_sharer(c, t, block, span, slot, false);
        return true;
    }
    if (gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owners(t, block, slot);
    shared |= has_other_sharers(t, block, span, slot);
    const gpci_module *r = request->from;
    const uint32_t usual = r->level == 1 ? GPC_EVENT_LOAD : GPC_EVENT_READ_ABOVE;
    gpc_protocol_rule rule = *gpci_module_rule(r, GPC_LINE_I, gpci_event_or(request->cause, usual));
    const bool forwards =
        GPCI_UNLIKELY(c->forwards) && !request->non_coherent && gpci_tree_stays_owner(c, rule.next_shared);
    const bool owner = shared ? forwards : rule.next != rule.next_shared;
    if (!owner && gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owner(t, block, span, slot);
    add_sharer(c, t, block, span, slot, owner);
    return shared;
}

bool gpci_tree_add_requester(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
                             bool shared) {
    return add_requester(c, t, block, request, shared);
}

/*
 * May T have bytes that copies above it lack? Yes, if other modules have stored bytes of the block non-coherently and
 * written them back to T, while these copies stayed valid. T's state is then N, M or O. A non-inclusive T may since
 * have evicted its data and read them again, and be in a clean state: it has to be taken for newer always.
 */
GPCI_INLINE bool has_newer(const gpc_coherence *c, const gpci_module *t, uint32_t block) {
    return c->non_coherent && (t->given.non_inclusive || gpci_tree_is_modified(c, t->states[block]));
}

bool gpci_tree_has_newer(const gpc_coherence *c, const gpci_module *t, uint32_t block) {
    return has_newer(c, t, block);
}

/* T's directory is to name R: another copy may have to go before. */
static gpci_tree_point make_room(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
                                 gpci_tree_point at) {
    const gpci_module *r = request->from;
    gpci_tree_write_probe leavers = {.block = block,
                                     .except = r,
                                     .first = request->tag,
                                     .last = request->tag + (r->given.block_bytes - 1),
                                     .room = true};
    return gpci_tree_probe_copies(c, t, &leavers, at);
}

/* A read of a block that T has: its owners above T are asked for their data. Returns when they have answered. */
GPCI_INLINE gpci_tree_point ask_owners(gpc_coherence *c, gpci_module *t, gpci_tree_read_probe *owners, uint8_t state,
                                       uint32_t event, gpci_tree_point at, bool *shared) {
    (void)gpci_tree_rule(c, t, state, event); /* the table may forbid it */
    if (GPCI_UNLIKELY(t->pointers)) {
        at = make_room(c, t, owners->block, owners->request, at);
        state = t->states[owners->block];
    }
    owners->event = gpci_raised_above(t, state, event, GPC_EVENT_READ_PROBE);
    at = gpci_tree_probe_owners(c, t, owners, at);
    *shared |= gpci_tree_is_shared(c, state);
    return at;
}

gpci_tree_reply gpci_tree_read_request(gpc_coherence *c, const gpci_tree_request *request, gpci_tree_point at) {
    gpci_module *r = request->from;
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, request->tag));
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_READ_REQUEST, request->tag, c->control_bytes, true, &at);
    const gpci_tree_lookup found = x.found;
    const uint32_t event = gpci_event_or(request->event, GPC_EVENT_READ_ABOVE);
    const bool partial = gpci_tree_found_part(t, &found);
    t->stats.read_requests++;
    t->stats.read_request_hits += found.hit && !partial;
    gpci_tree_count_near(t, r, 1, found.hit && !partial);
    t->stats.hits += found.hit && !partial;
    if (found.state == GPC_LINE_I || partial)
        gpci_tree_misses(c, t, request->tag);
    if (GPCI_UNLIKELY(partial))
        at = gpci_tree_complete(c, t, found.block, at);
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    gpci_tree_read_probe owners = {.block = found.block, .request = request, .gather = &gather};
    bool shared = request->non_coherent;
    if (found.state == GPC_LINE_I) {
        gpci_tree_reply reply =
            gpci_tree_fetch(c, t, found.block, request->tag, event, GPC_ORIGIN_READ_UP_DOWN, request->flags, at);
        at = reply.at;
        shared |= reply.shared;
    } else {
        at = ask_owners(c, t, &owners, found.state, event, at, &shared);
    }
    shared = add_requester(c, t, found.block, request, shared);
    /* Then T sends its data in any case; R gets those of a peer and T's. */
    bool newer_below = has_newer(c, t, found.block);
    if (!owners.sent)
        gpci_tree_data_fill(c, t, found.block, r, request->block, request->tag);
    if (!owners.sent || newer_below) {
        at = gpci_tree_use_data(c, t, at, false);
        at = gpci_tree_close(c, &x, r, GPC_MESSAGE_DATA, request->tag, r->given.block_bytes, at);
        gpci_tree_gather_add(c, &gather, at.after);
    }
    if (GPCI_UNLIKELY(t->responds) && r->level == 1)
        (void)gpci_module_hear(r, request->tag, GPC_CACHE, gpci_module_respond(t, gpci_module_tag_of(t, request->tag)));
    if (GPCI_UNLIKELY(t->asks))
        gpci_tree_forget_entry(c, t, found.block, at);
    return (gpci_tree_reply){.at = gpci_tree_gather_end(c, r, &gather, at), .shared = shared};
}

/* After a write request R is the owner, and the only sharer above T. */
GPCI_INLINE void make_sole_owner(const gpc_coherence *c, gpci_module *t, uint32_t block,
                                 const gpci_tree_request *request) {
    const gpci_module *r = request->from;
    uint32_t slot = t->slots[r->index];
    if (!gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE)) {
        add_sharer(c, t, block, gpci_tree_span_of(t, r, request->tag), slot, true);
        return;
    }
    /* Multi2Sim: only of as many bytes as R's own sub-blocks have */
    uint64_t bytes = r->sub_blocks ? (uint64_t)1 << r->sub_shift : r->given.block_bytes;
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        if (request->tag - gpci_tree_address_of(t, block, sub) < bytes)
            add_sharer(c, t, block, (gpci_tree_span){sub, sub + 1}, slot, true);
    }
}

void gpci_tree_make_sole_owner(const gpc_coherence *c, gpci_module *t, uint32_t block,
                               const gpci_tree_request *request) {
    make_sole_owner(c, t, block, request);
}

GPCI_INLINE gpci_tree_reply acquire_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                           uint32_t flags, bool blind, uint32_t event, gpci_tree_point at) {
    gpci_tree_reply reply = {.at = at};
    gpc_protocol_rule rule = gpci_tree_rule(c, t, t->states[block], event);
    uint64_t tag = gpci_module_tag_of(t, address);
    if (rule.actions & GPC_DO_WRITE_REQUEST) {
        gpci_tree_request own = {.from = t, .block = block, .tag = tag, .flags = flags, .blind = blind};
        own.valid = t->states[block] != GPC_LINE_I;
        own.event = gpci_raised_below(t, t->states[block], event, GPC_EVENT_WRITE_ABOVE);
        reply = gpci_tree_write_request(c, &own, at);
        reply.went_down = true;
    }
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, t, block, tag, rule.next, GPC_ORIGIN_WRITE_UP_DOWN, reply.at);
    if (reply.dirty)
        gpci_tree_apply(c, t, block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, reply.at);
    return reply;
}

gpci_tree_reply gpci_tree_acquire_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                         uint32_t flags, gpci_tree_point at) {
    return acquire_rights(c, t, block, address, flags, false, GPC_EVENT_WRITE_ABOVE, at);
}

/* The same for a store that T performs without its other bytes: it asks for none. */
static gpci_tree_reply acquire_blindly(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                       uint32_t flags, uint32_t event, gpci_tree_point at) {
    const bool missing = t->states[block] == GPC_LINE_I;
    const gpci_tree_reply reply = acquire_rights(c, t, block, address, flags, true, event, at);
    if (missing)
        gpci_tree_data_begin(t, block, NULL);
    return reply;
}

gpci_tree_reply gpci_tree_acquire_blindly(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                          uint32_t flags, gpci_tree_point at) {
    return acquire_blindly(c, t, block, address, flags, GPC_EVENT_WRITE_ABOVE, at);
}

gpci_tree_point gpci_tree_complete(gpc_coherence *c, gpci_module *t, uint32_t block, gpci_tree_point at) {
    const gpci_tree_request own = {.from = t, .block = block, .tag = gpci_module_tag(t, block)};
    at = gpci_tree_read_request(c, &own, at).at;
    gpci_module_complete(t, block);
    return at;
}

gpci_tree_reply gpci_tree_write_request(gpc_coherence *c, const gpci_tree_request *request, gpci_tree_point at) {
    gpci_module *r = request->from;
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, request->tag));
    gpci_tree_exchange x =
        gpci_tree_open(c, r, t, GPC_MESSAGE_WRITE_REQUEST, request->tag, c->control_bytes, true, &at);
    const gpci_tree_lookup found = x.found;
    t->stats.write_requests++;
    t->stats.hits += found.hit;
    const bool blind = GPCI_UNLIKELY(request->blind) && t->lacks, partial = !blind && gpci_tree_found_part(t, &found);
    if ((found.state == GPC_LINE_I && !blind) || partial)
        gpci_tree_misses(c, t, request->tag);
    if (GPCI_UNLIKELY(partial))
        at = gpci_tree_complete(c, t, found.block, at);
    const uint32_t event = gpci_event_or(request->event, GPC_EVENT_WRITE_ABOVE);
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    gpci_tree_write_probe others = {.block = found.block,
                                    .except = r,
                                    .event = gpci_raised_above(t, found.state, event, GPC_EVENT_WRITE_PROBE),
                                    .first = request->tag,
                                    .last = request->tag,
                                    .request = request,
                                    .gather = &gather};
    if (!gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE)) /* Multi2Sim probes for the first sub-block only */
        others.last += r->given.block_bytes - 1;
    at = gpci_tree_probe_copies(c, t, &others, at);
    gpci_tree_reply reply = blind ? acquire_blindly(c, t, found.block, request->tag, request->flags, event, at)
                                  : acquire_rights(c, t, found.block, request->tag, request->flags, false, event, at);
    at = reply.at;
    t->stats.write_request_hits += !reply.went_down;
    gpci_tree_count_near(t, r, 1, !reply.went_down);
    if (gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        make_sole_owner(c, t, found.block, request);
    /* R's own copy may lack bytes that others stored and wrote back earlier, or have given up just now. */
    bool newer = !gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS) &&
                 (others.received || reply.dirty || reply.newer || has_newer(c, t, found.block));
    bool valid = request->blind ||
                 (request->valid && gpci_tree_is_held(c, r->states[request->block])); /* an eviction in T may take it */
    bool data = !request->blind && (newer || (!valid && !others.whole));
    if (data || !valid)
        gpci_tree_data_fill(c, t, found.block, r, request->block, request->tag);
    at = gpci_tree_use_data(c, t, at, false);
    at = gpci_tree_close(c, &x, r, data ? GPC_MESSAGE_DATA : GPC_MESSAGE_ACK, request->tag,
                         data ? r->given.block_bytes : 0, at);
    gpci_tree_gather_add(c, &gather, at.after);
    return (gpci_tree_reply){.at = gpci_tree_gather_end(c, r, &gather, at), .dirty = others.dirty, .newer = newer};
}

GPCI_INLINE void clear_owners(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                              uint64_t tag) {
    const gpci_tree_span span = gpci_tree_span_of(t, r, tag);
    const uint32_t wrong = c->faults & GPCI_FAULT_CLEAR_WRONG ? 1 : 0;
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_module_set_owner(t, block, (sub + wrong) & (t->sub_blocks - 1), GPCI_TREE_NO_OWNER);
}

void gpci_tree_clear_owners(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                            uint64_t tag) {
    clear_owners(c, t, block, r, tag);
}

gpci_tree_point gpci_tree_clear_owner(gpc_coherence *c, gpci_module *r, uint64_t tag, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, tag));
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_CLEAR_OWNER, tag, c->control_bytes, false, &at);
    t->stats.notices_received++;
    if (x.found.hit)
        clear_owners(c, t, x.found.block, r, tag);
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, tag, 0, at);
}
