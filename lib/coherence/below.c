/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

/* What a module hands to its low module without asking for anything: write-backs, notices, stores that go through. */

void gpci_forget(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r, uint64_t tag) {
    if (!t->sub_blocks || !gpci_flag(c, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_span span = gpci_span_of(t, r, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_drop_sharer(t, block, sub, t->slots[r->index]);
}

static gpc_coherence_event event_of(const gpci_gift *gift) {
    return gift->non_coherent ? GPC_EVENT_N_DATA_ABOVE : GPC_EVENT_DATA_ABOVE;
}

static uint32_t origin_of(const gpci_gift *gift, uint8_t state) {
    if (gift->kind == GPC_MESSAGE_WRITE_THROUGH)
        return GPC_ORIGIN_WRITE_THROUGH;
    if (!gift->non_coherent)
        return GPC_ORIGIN_EVICT_DATA;
    return state == GPC_LINE_E ? GPC_ORIGIN_N_EVICT_DATA_1 : GPC_ORIGIN_N_EVICT_DATA_2;
}

/* T passes the bytes on to its own low module. */
static gpci_point give_on(gpc_coherence *c, gpci_module *t, const gpci_gift *gift, gpci_point at) {
    gpci_gift on = *gift;
    on.tag = gpci_tag_of(t, gift->tag);
    on.leaves = false;
    if (on.kind == GPC_MESSAGE_NOTICE || t->place == GPCI_MEMORY) /* memory: a forbidden cell has been reached */
        return at;
    return gpci_hand_down(c, t, &on, at);
}

static void put(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_gift *gift) {
    gpci_data_store(c, t, block, &gift->bytes);
    gpci_data_load(c, t, block, gift->bytes.address, gift->bytes.size, gift->out);
}

/* Without a directory T need not have the block: it fetches it, or lets the bytes pass. */
static gpci_point give_absent(gpc_coherence *c, gpci_module *t, const gpci_gift *gift, gpci_point at) {
    gpc_protocol_rule rule = gpci_rule(c, t, GPC_LINE_I, event_of(gift));
    if (!(rule.actions & (GPC_DO_READ_REQUEST | GPC_DO_HIT)))
        return give_on(c, t, gift, at);
    uint32_t block = gpci_make_room(c, t, gpci_tag_of(t, gift->tag), &at);
    at = gpci_fetch(c, t, block, gift->tag, event_of(gift), origin_of(gift, GPC_LINE_I), gift->flags, at).at;
    put(c, t, block, gift);
    return gpci_use_data(c, t, at, true);
}

static gpci_point give_present(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_gift *gift, gpci_point at) {
    uint8_t state = t->states[block];
    gpc_protocol_rule rule = gpci_rule(c, t, state, event_of(gift));
    put(c, t, block, gift);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_set(c, t, block, t->tags[block], rule.next, origin_of(gift, state), at);
    at = gpci_use_data(c, t, at, true);
    if (rule.actions & GPC_DO_WRITE_THROUGH) {
        at = give_on(c, t, gift, at);
        gpci_data_clean(c, t, block);
    }
    return gpci_pass_down(c, t, block, at);
}

/* A store on its way past a cache below the first: what the cache has of it goes before it. */
static gpci_point pass(gpc_coherence *c, gpci_module *t, uint32_t block, gpc_coherence_event event, gpci_point at) {
    if (block == GPCI_NO_BLOCK)
        return at;
    gpc_protocol_rule rule = gpci_rule(c, t, t->states[block], event);
    if (rule.actions & GPC_DO_WRITE_BACK)
        at = gpci_write_back(c, t, block, at);
    gpci_set(c, t, block, t->tags[block], rule.next, GPC_ORIGIN_PASS, at);
    return at;
}

/*
 * Non-coherent data come where another is the owner: what that one has modified is older, since there was no other
 * copy when it was. It gives that up now; written back later, it would undo what came.
 */
static gpci_point oust_owner(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                             const gpci_gift *gift, gpci_point at) {
    if (!gift->non_coherent || !t->sub_blocks || !gpci_flag(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    const gpci_span span = gpci_span_of(t, r, gift->tag);
    bool owned = false;
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        uint16_t owner = *gpci_owner_of(t, block, sub);
        owned |= owner != GPCI_NO_OWNER && owner != t->slots[r->index];
    }
    if (!owned)
        return at;
    gpci_invalidation others = {
        .block = block, .except = r, .first = gift->tag, .last = gift->tag + (r->given.block_bytes - 1)};
    return gpci_invalidate(c, t, &others, at);
}

static bool passes(const gpci_module *t, const uint32_t bits[2], uint32_t flags) {
    return t->place != GPCI_MEMORY && (flags & bits[t->level > 1]);
}

gpci_point gpci_hand_down(gpc_coherence *c, gpci_module *r, const gpci_gift *gift, gpci_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, gift->tag));
    at = gpci_send(c, t, r, t, gift->kind, gift->tag, gift->size, at);
    uint32_t request = at.after;
    c->messages[request].masked = gift->modified && gift->non_coherent;
    bool absent = t->place == GPCI_MEMORY && !gpci_flag(c, GPC_PROTOCOL_DIRECTORY);
    gpci_found found = absent ? gpci_look_up_down(c, t, gift->tag, &at) : gpci_look_down_up(c, t, gift->tag, &at);
    gpci_message_found(c, request, &found);
    *(gift->kind == GPC_MESSAGE_WRITE_THROUGH ? &t->stats.write_throughs_received
      : gift->modified                        ? &t->stats.write_backs_received
                                              : &t->stats.notices_received) += 1;
    if (gift->passing && passes(t, c->protocol->pass_stores, gift->flags)) {
        at = pass(c, t, found.block, GPC_EVENT_PASSING_STORE, at);
        at = give_on(c, t, gift, at);
    } else if (found.block == GPCI_NO_BLOCK) {
        at = gift->modified ? give_absent(c, t, gift, at) : at;
    } else {
        if (gift->leaves)
            gpci_forget(c, t, found.block, r, gift->tag);
        if (gift->modified)
            at = oust_owner(c, t, found.block, r, gift, at);
        at = gift->modified ? give_present(c, t, found.block, gift, at) : gpci_use_data(c, t, at, false);
    }
    return gpci_answer_to(c, request, t, t, r, GPC_MESSAGE_ACK, gift->tag, c->control_bytes, at);
}

gpci_point gpci_store_below(gpc_coherence *c, gpci_module *r, const gpci_gift *gift, gpci_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, gift->tag));
    at = gpci_send(c, t, r, t, gift->kind, gift->tag, gift->size, at);
    uint32_t request = at.after;
    gpci_found found = gpci_look_up_down(c, t, gift->tag, &at);
    gpci_message_found(c, request, &found);
    t->stats.write_throughs_received++;
    if (gift->non_coherent) {
        at = found.state == GPC_LINE_I ? gpci_fetch(c, t, found.block, gift->tag, GPC_EVENT_READ_ABOVE,
                                                    GPC_ORIGIN_READ_UP_DOWN, gift->flags, at)
                                             .at
                                       : oust_owner(c, t, found.block, r, gift, at);
    } else {
        gpci_invalidation others = {.block = found.block, .last = UINT64_MAX};
        at = gpci_invalidate(c, t, &others, at);
        at = gpci_take_rights(c, t, found.block, gift->tag, gift->flags, at).at;
    }
    at = give_present(c, t, found.block, gift, at);
    return gpci_answer_to(c, request, t, t, r, GPC_MESSAGE_ACK, gift->tag, c->control_bytes, at);
}

gpci_point gpci_load_below(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                           uint32_t flags, gpci_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, address));
    at = gpci_send(c, t, r, t, GPC_MESSAGE_READ_REQUEST, address, c->control_bytes, at);
    uint32_t request = at.after;
    t->stats.read_requests++;
    if (passes(t, c->protocol->pass_loads, flags)) {
        gpci_found found = gpci_look_down_up(c, t, address, &at);
        gpci_message_found(c, request, &found);
        at = pass(c, t, found.block, GPC_EVENT_PASSING_LOAD, at);
        at = gpci_load_below(c, t, address, size, out, flags, at);
    } else {
        gpci_found found = gpci_look_up_down(c, t, address, &at);
        gpci_message_found(c, request, &found);
        t->stats.read_request_hits += found.hit;
        t->stats.hits += found.hit;
        gpci_sharing sharing = {.block = found.block};
        at = found.state == GPC_LINE_I
                 ? gpci_fetch(c, t, found.block, address, GPC_EVENT_READ_ABOVE, GPC_ORIGIN_READ_UP_DOWN, flags, at).at
                 : gpci_share(c, t, &sharing, at);
        gpci_data_load(c, t, found.block, address, size, out);
        at = gpci_use_data(c, t, at, false);
    }
    return gpci_answer_to(c, request, t, t, r, GPC_MESSAGE_DATA, address, c->control_bytes + size, at);
}
