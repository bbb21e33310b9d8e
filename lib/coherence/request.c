/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

/* Requests towards memory: R asks T, its low module, for a copy or for the only one. */

static bool others_share(const gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++)
        for (uint32_t word = 0; word < t->sharer_words; word++) {
            uint64_t bits = gpci_module_sharers_of(t, block, sub)[word];
            if (word == slot / 64)
                bits &= ~((uint64_t)1 << (slot & 63));
            if (bits)
                return true;
        }
    return false;
}

static void add_sharer(gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot, bool owner) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        gpci_module_sharers_of(t, block, sub)[slot / 64] |= (uint64_t)1 << (slot & 63);
        if (owner)
            *gpci_module_owner_of(t, block, sub) = (uint16_t)slot;
    }
}

/* All owners but R lose what they own, and do not keep it in O (Multi2Sim). */
static void drop_owners(gpci_module *t, uint32_t block, uint32_t slot) {
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        uint16_t *owner = gpci_module_owner_of(t, block, sub);
        if (*owner != slot)
            *owner = GPCI_TREE_NO_OWNER;
    }
}

gpci_tree_reply gpci_tree_fetch(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                gpc_coherence_event event, uint32_t origin, uint32_t flags, gpci_tree_point at) {
    uint64_t tag = gpci_module_tag_of(t, address);
    gpci_tree_request own = {.from = t, .block = block, .tag = tag, .flags = flags};
    gpc_protocol_rule rule = gpci_tree_rule(c, t, GPC_LINE_I, event);
    gpci_tree_reply answer = gpci_tree_read_request(c, &own, at);
    gpci_tree_set_state(c, t, block, tag, answer.shared ? rule.next_shared : rule.next, origin, answer.at);
    return answer;
}

/* Who has a copy now that R has one; true if others have, too. */
static bool settle_copy(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *ask, bool shared) {
    if (!gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return true;
    uint32_t slot = t->slots[ask->from->index];
    gpci_tree_span span = gpci_tree_span_of(t, ask->from, ask->tag);
    if (gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owners(t, block, slot);
    shared |= others_share(t, block, span, slot);
    /* Alone in a protocol without E, or for a store that needs no rights, it has none. */
    const gpci_module *r = ask->from;
    gpc_protocol_rule rule = r->rules[GPC_LINE_I][r->level == 1 ? GPC_EVENT_LOAD : GPC_EVENT_READ_ABOVE];
    add_sharer(t, block, span, slot, !shared && rule.next != rule.next_shared);
    return shared;
}

/*
 * May T have bytes, written back non-coherently, that copies above it lack? What it has modified tells; but a module
 * that is not inclusive has had them written back, and fetched again, while these copies stayed.
 */
static bool has_newer(const gpc_coherence *c, const gpci_module *t, uint32_t block) {
    return c->non_coherent && (t->given.non_inclusive || gpci_tree_is_modified(t->states[block]));
}

gpci_tree_reply gpci_tree_read_request(gpc_coherence *c, const gpci_tree_request *ask, gpci_tree_point at) {
    gpci_module *r = ask->from;
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, ask->tag));
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_READ_REQUEST, ask->tag, c->control_bytes, true, &at);
    const gpci_tree_lookup found = x.found;
    t->stats.read_requests++;
    t->stats.read_request_hits += found.hit;
    t->stats.hits += found.hit;
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    gpci_tree_read_probe sharing = {.block = found.block, .ask = ask, .gather = &gather};
    bool shared = ask->non_coherent;
    if (found.state == GPC_LINE_I) {
        gpci_tree_reply below =
            gpci_tree_fetch(c, t, found.block, ask->tag, GPC_EVENT_READ_ABOVE, GPC_ORIGIN_READ_UP_DOWN, ask->flags, at);
        at = below.at;
        shared |= below.shared;
    } else {
        (void)gpci_tree_rule(c, t, found.state, GPC_EVENT_READ_ABOVE); /* a table may forbid it */
        at = gpci_tree_probe_owners(c, t, &sharing, at);
        shared |= found.state == GPC_LINE_O || found.state == GPC_LINE_N || found.state == GPC_LINE_S;
    }
    shared = settle_copy(c, t, found.block, ask, shared);
    /* An owner's copy may lack bytes that others have written back to T non-coherently. */
    bool both = has_newer(c, t, found.block);
    if (!sharing.sent)
        gpci_tree_data_fill(c, t, found.block, r, ask->block, ask->tag);
    if (!sharing.sent || both) {
        at = gpci_tree_use_data(c, t, at, false);
        at = gpci_tree_close(c, &x, r, GPC_MESSAGE_DATA, ask->tag, r->given.block_bytes, at);
        gpci_tree_gather_add(c, &gather, at.after);
    }
    return (gpci_tree_reply){.at = gpci_tree_gather_end(c, r, &gather, at), .shared = shared};
}

/* R becomes the only one above T with a copy of what it asked for. */
static void settle_only(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *ask) {
    const gpci_module *r = ask->from;
    uint32_t slot = t->slots[r->index];
    if (!gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE)) {
        add_sharer(t, block, gpci_tree_span_of(t, r, ask->tag), slot, true);
        return;
    }
    /* The reference reckons with R's sub-blocks. */
    uint64_t bytes = r->sub_blocks ? (uint64_t)1 << r->sub_shift : r->given.block_bytes;
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        if (ask->tag - gpci_tree_address_of(t, block, sub) < bytes)
            add_sharer(t, block, (gpci_tree_span){sub, sub + 1}, slot, true);
    }
}

gpci_tree_reply gpci_tree_acquire_rights(gpc_coherence *c, gpci_module *t, uint32_t block, uint64_t address,
                                         uint32_t flags, gpci_tree_point at) {
    gpci_tree_reply below = {.at = at};
    gpc_protocol_rule rule = gpci_tree_rule(c, t, t->states[block], GPC_EVENT_WRITE_ABOVE);
    uint64_t tag = gpci_module_tag_of(t, address);
    if (rule.actions & GPC_DO_WRITE_REQUEST) {
        gpci_tree_request own = {.from = t, .block = block, .tag = tag, .flags = flags};
        own.valid = t->states[block] != GPC_LINE_I;
        below = gpci_tree_write_request(c, &own, at);
        below.asked = true;
    }
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, t, block, tag, rule.next, GPC_ORIGIN_WRITE_UP_DOWN, below.at);
    if (below.dirty)
        gpci_tree_apply(c, t, block, GPC_EVENT_PROBE_DATA, GPC_ORIGIN_PROBE_DATA, below.at);
    return below;
}

gpci_tree_reply gpci_tree_write_request(gpc_coherence *c, const gpci_tree_request *ask, gpci_tree_point at) {
    gpci_module *r = ask->from;
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, ask->tag));
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_WRITE_REQUEST, ask->tag, c->control_bytes, true, &at);
    const gpci_tree_lookup found = x.found;
    t->stats.write_requests++;
    t->stats.hits += found.hit;
    gpci_tree_gather gather = GPCI_TREE_GATHER_INIT;
    gpci_tree_write_probe others = {
        .block = found.block, .except = r, .first = ask->tag, .last = ask->tag, .gather = &gather};
    others.peer = gpci_tree_has(c, GPC_PROTOCOL_PEER) ? ask : NULL;
    if (!gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE)) /* the reference: the first sub-block of R's alone */
        others.last += r->given.block_bytes - 1;
    at = gpci_tree_probe_copies(c, t, &others, at);
    gpci_tree_reply below = gpci_tree_acquire_rights(c, t, found.block, ask->tag, ask->flags, at);
    at = below.at;
    t->stats.write_request_hits += !below.asked;
    if (gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        settle_only(c, t, found.block, ask);
    /* R's copy may be older than what others have written back since, or have just given up to T. */
    bool newer = !gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS) &&
                 (others.received || below.dirty || below.newer || has_newer(c, t, found.block));
    bool valid = ask->valid && r->states[ask->block] != GPC_LINE_I; /* making room may have cost R its copy */
    bool data = newer || (!valid && !others.whole);
    if (data || !valid)
        gpci_tree_data_fill(c, t, found.block, r, ask->block, ask->tag);
    at = gpci_tree_use_data(c, t, at, false);
    at = gpci_tree_close(c, &x, r, data ? GPC_MESSAGE_DATA : GPC_MESSAGE_ACK, ask->tag, data ? r->given.block_bytes : 0,
                         at);
    gpci_tree_gather_add(c, &gather, at.after);
    return (gpci_tree_reply){.at = gpci_tree_gather_end(c, r, &gather, at), .dirty = others.dirty, .newer = newer};
}

gpci_tree_point gpci_tree_clear_owner(gpc_coherence *c, gpci_module *r, uint64_t tag, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, tag));
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_CLEAR_OWNER, tag, c->control_bytes, false, &at);
    t->stats.notices_received++;
    if (x.found.hit) {
        const gpci_tree_span span = gpci_tree_span_of(t, r, tag);
        const uint32_t wrong = c->faults & GPCI_FAULT_CLEAR_WRONG ? 1 : 0;
        for (uint32_t sub = span.first; sub < span.end; sub++)
            *gpci_module_owner_of(t, x.found.block, (sub + wrong) & (t->sub_blocks - 1)) = GPCI_TREE_NO_OWNER;
    }
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, tag, 0, at);
}
