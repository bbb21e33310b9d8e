/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

/*
 * What a module sends to its low module without asking for anything: write-backs, notices of clean copies that are
 * gone, and stores that are written through. All are puts.
 *
 * Example, nmoesi, an L1 with a modified block that has to make room: gpci_tree_evict builds a put with the block's
 * modified bytes; L2, which finds the block, stores them, takes the state that its table has for DATA_ABOVE, strikes
 * the L1 off the block's directory and answers with an acknowledgement.
 */

void gpci_tree_drop_sharers(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                            uint64_t tag) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(t, r, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_sharer(t, block, sub, t->slots[r->index]);
}

static gpc_coherence_event event_of(const gpci_tree_put *put) {
    return put->non_coherent ? GPC_EVENT_N_DATA_ABOVE : GPC_EVENT_DATA_ABOVE;
}

static uint32_t origin_of(const gpci_tree_put *put, uint8_t state) {
    if (put->kind == GPC_MESSAGE_WRITE_THROUGH)
        return GPC_ORIGIN_WRITE_THROUGH;
    if (!put->non_coherent)
        return GPC_ORIGIN_EVICT_DATA;
    return state == GPC_LINE_E ? GPC_ORIGIN_N_EVICT_DATA_1 : GPC_ORIGIN_N_EVICT_DATA_2;
}

/* T passes the bytes on to its own low module. */
static gpci_tree_point forward_put(gpc_coherence *c, gpci_module *t, const gpci_tree_put *put, gpci_tree_point at) {
    gpci_tree_put on = *put;
    on.tag = gpci_module_tag_of(t, put->tag);
    on.leaves = false;
    if (on.kind == GPC_MESSAGE_NOTICE || t->place == GPCI_PLACE_MEMORY) /* memory: a forbidden cell has been reached */
        return at;
    return gpci_tree_send_put(c, t, &on, at);
}

static void store_bytes(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_put *put) {
    gpci_tree_data_store(c, t, block, &put->bytes);
    gpci_tree_data_load(c, t, block, put->bytes.address, put->bytes.size, put->out);
}

/* Without a directory T need not have the block: it fetches it, or lets the bytes pass. */
static gpci_tree_point put_absent(gpc_coherence *c, gpci_module *t, const gpci_tree_put *put, gpci_tree_point at) {
    gpc_protocol_rule rule = gpci_tree_rule(c, t, GPC_LINE_I, event_of(put));
    if (!(rule.actions & (GPC_DO_READ_REQUEST | GPC_DO_HIT)))
        return forward_put(c, t, put, at);
    uint32_t block = gpci_tree_allocate(c, t, gpci_module_tag_of(t, put->tag), &at);
    at = gpci_tree_fetch(c, t, block, put->tag, event_of(put), origin_of(put, GPC_LINE_I), put->flags, at).at;
    store_bytes(c, t, block, put);
    return gpci_tree_use_data(c, t, at, true);
}

static gpci_tree_point put_present(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_put *put,
                                   gpci_tree_point at) {
    uint8_t state = t->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, t, state, event_of(put));
    store_bytes(c, t, block, put);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, t, block, t->tags[block], rule.next, origin_of(put, state), at);
    at = gpci_tree_use_data(c, t, at, true);
    if (rule.actions & GPC_DO_WRITE_THROUGH) {
        at = forward_put(c, t, put, at);
        gpci_tree_data_clean(c, t, block);
    }
    return gpci_tree_forward_entry(c, t, block, at);
}

/* A store on its way past a cache below the first: what the cache has of it goes before it. */
static gpci_tree_point pass(gpc_coherence *c, gpci_module *t, uint32_t block, gpc_coherence_event event,
                            gpci_tree_point at) {
    if (block == GPCI_TREE_NO_BLOCK)
        return at;
    gpc_protocol_rule rule = gpci_tree_rule(c, t, t->states[block], event);
    if (rule.actions & GPC_DO_WRITE_BACK)
        at = gpci_tree_write_back(c, t, block, at);
    gpci_tree_set_state(c, t, block, t->tags[block], rule.next, GPC_ORIGIN_PASS, at);
    return at;
}

/*
 * Non-coherent data come where another is the owner: what that one has modified is older, since there was no other
 * copy when it was. It gives that up now; written back later, it would undo what came.
 */
static gpci_tree_point probe_other_owner(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                                         const gpci_tree_put *put, gpci_tree_point at) {
    if (!put->non_coherent || !t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    const gpci_tree_span span = gpci_tree_span_of(t, r, put->tag);
    bool owned = false;
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        uint16_t owner = *gpci_module_owner_of(t, block, sub);
        owned |= owner != GPCI_TREE_NO_OWNER && owner != t->slots[r->index];
    }
    if (!owned)
        return at;
    gpci_tree_write_probe others = {
        .block = block, .except = r, .first = put->tag, .last = put->tag + (r->given.block_bytes - 1)};
    return gpci_tree_probe_copies(c, t, &others, at);
}

static bool passes(const gpci_module *t, const uint32_t bits[2], uint32_t flags) {
    return t->place != GPCI_PLACE_MEMORY && (flags & bits[t->level > 1]);
}

gpci_tree_point gpci_tree_send_put(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, put->tag));
    bool allocates = t->place == GPCI_PLACE_MEMORY && !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY);
    gpci_tree_exchange x = gpci_tree_open(c, r, t, put->kind, put->tag, put->size, allocates, &at);
    c->messages[x.message].masked = put->modified && put->non_coherent;
    *(put->kind == GPC_MESSAGE_WRITE_THROUGH ? &t->stats.write_throughs_received
      : put->modified                        ? &t->stats.write_backs_received
                                             : &t->stats.notices_received) += 1;
    if (put->passing && passes(t, c->protocol->pass_stores, put->flags)) {
        at = pass(c, t, x.found.block, GPC_EVENT_PASSING_STORE, at);
        at = forward_put(c, t, put, at);
    } else if (x.found.block == GPCI_TREE_NO_BLOCK) {
        at = put->modified ? put_absent(c, t, put, at) : at;
    } else {
        if (put->leaves)
            gpci_tree_drop_sharers(c, t, x.found.block, r, put->tag);
        if (put->modified)
            at = probe_other_owner(c, t, x.found.block, r, put, at);
        at = put->modified ? put_present(c, t, x.found.block, put, at) : gpci_tree_use_data(c, t, at, false);
    }
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, put->tag, 0, at);
}

gpci_tree_point gpci_tree_store_at_low(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, put->tag));
    gpci_tree_exchange x = gpci_tree_open(c, r, t, put->kind, put->tag, put->size, true, &at);
    t->stats.write_throughs_received++;
    if (!put->non_coherent) {
        gpci_tree_write_probe all = {.block = x.found.block, .last = UINT64_MAX};
        at = gpci_tree_probe_copies(c, t, &all, at);
        at = gpci_tree_acquire_rights(c, t, x.found.block, put->tag, put->flags, at).at;
    } else if (x.found.state != GPC_LINE_I) {
        at = probe_other_owner(c, t, x.found.block, r, put, at);
    } else {
        at = gpci_tree_fetch(c, t, x.found.block, put->tag, GPC_EVENT_READ_ABOVE, GPC_ORIGIN_READ_UP_DOWN, put->flags,
                             at)
                 .at;
    }
    at = put_present(c, t, x.found.block, put, at);
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, put->tag, 0, at);
}

gpci_tree_point gpci_tree_load_from_low(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                                        uint32_t flags, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, address));
    bool passing = passes(t, c->protocol->pass_loads, flags);
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_READ_REQUEST, address, c->control_bytes, !passing, &at);
    t->stats.read_requests++;
    if (passing) {
        at = pass(c, t, x.found.block, GPC_EVENT_PASSING_LOAD, at);
        at = gpci_tree_load_from_low(c, t, address, size, out, flags, at);
    } else {
        t->stats.read_request_hits += x.found.hit;
        t->stats.hits += x.found.hit;
        gpci_tree_read_probe owners = {.block = x.found.block};
        at = x.found.state == GPC_LINE_I ? gpci_tree_fetch(c, t, x.found.block, address, GPC_EVENT_READ_ABOVE,
                                                           GPC_ORIGIN_READ_UP_DOWN, flags, at)
                                               .at
                                         : gpci_tree_probe_owners(c, t, &owners, at);
        gpci_tree_data_load(c, t, x.found.block, address, size, out);
        at = gpci_tree_use_data(c, t, at, false);
    }
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_DATA, address, size, at);
}
