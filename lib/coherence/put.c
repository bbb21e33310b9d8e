/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

/*
 * Puts: messages from R to its low module T that carry something and ask for nothing. They are write-backs, notices
 * that a clean copy is gone, and stores that are written through. Here are, too, the accesses that bypass R and are
 * performed by T in its place.
 *
 * Example, nmoesi, an L1 evicts a block in M, which its L2 has in E:
 *   evict.c               gpci_tree_evict makes a put of the block's modified bytes, with `leaves`
 *   gpci_tree_send_put    WRITE_BACK to the L2, which finds the block and removes the L1 from its sharers and as owner
 *   put_present           the bytes are merged; the L2's rule for DATA_ABOVE in E is HIT, next M
 *   gpci_tree_send_put    ACK to the L1
 */

void gpci_tree_drop_sharers(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                            uint64_t tag) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(t, r, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_sharer(t, block, sub, t->slots[r->index]);
}

gpc_coherence_event gpci_tree_put_event(bool non_coherent) {
    return non_coherent ? GPC_EVENT_N_DATA_ABOVE : GPC_EVENT_DATA_ABOVE;
}

uint32_t gpci_tree_put_origin(const gpc_coherence *c, gpc_message_kind kind, bool non_coherent, uint8_t state) {
    if (kind == GPC_MESSAGE_WRITE_THROUGH)
        return GPC_ORIGIN_WRITE_THROUGH;
    if (!non_coherent)
        return GPC_ORIGIN_EVICT_DATA;
    return gpci_tree_means(c, state) == GPC_MEANS_E ? GPC_ORIGIN_N_EVICT_DATA_1 : GPC_ORIGIN_N_EVICT_DATA_2;
}

static uint32_t event_of(const gpci_tree_put *put) {
    return gpci_event_or(put->event, gpci_tree_put_event(put->non_coherent));
}

static uint32_t origin_of(const gpc_coherence *c, const gpci_tree_put *put, uint8_t state) {
    return gpci_tree_put_origin(c, put->kind, put->non_coherent, state);
}

/* T does not keep the bytes, or not alone: it sends them on to its own low module, where they are an `event`. */
static gpci_tree_point forward_put(gpc_coherence *c, gpci_module *t, const gpci_tree_put *put, uint8_t event,
                                   gpci_tree_point at) {
    gpci_tree_put on = *put;
    on.event = event;
    on.tag = gpci_module_tag_of(t, put->tag);
    on.leaves = false;
    if (on.kind == GPC_MESSAGE_NOTICE || t->place == GPCI_PLACE_MEMORY) /* memory: only after a failure */
        return at;
    return gpci_tree_send_put(c, t, &on, at);
}

/* Bytes' state below after the put, by T's rule. */
static uint8_t raised_by(const gpci_module *t, uint8_t state, const gpci_tree_put *put) {
    return gpci_raised_below(t, state, event_of(put), gpci_tree_put_event(put->non_coherent));
}

/* Merge the bytes into T's block, and hand back what its bytes are then, if the access wants them. */
static void store_bytes(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_put *put) {
    gpci_tree_data_store(c, t, block, &put->bytes);
    if (put->kind == GPC_MESSAGE_WRITE_THROUGH)
        gpci_tree_data_come(t, block, &put->bytes);
    gpci_tree_data_load(c, t, block, put->bytes.address, put->bytes.size, put->out);
}

/* T reads what a store to a block that it has needs beside it. */
static gpci_tree_point complete(gpc_coherence *c, gpci_module *t, uint32_t block, gpci_tree_point at) {
    gpci_tree_misses(c, t, gpci_module_tag(t, block));
    return gpci_tree_complete(c, t, block, at);
}

/*
 * T misses. That happens without a directory only, because with one T has the block or at least its entry. By the rule
 * for state I it reads the block and keeps the bytes, or sends them on.
 */
static gpci_tree_point put_absent(gpc_coherence *c, gpci_module *t, const gpci_tree_put *put, gpci_tree_point at) {
    gpc_protocol_rule rule = gpci_tree_rule(c, t, GPC_LINE_I, event_of(put));
    if (!(rule.actions & (GPC_DO_READ_REQUEST | GPC_DO_HIT)))
        return forward_put(c, t, put, raised_by(t, GPC_LINE_I, put), at);
    uint32_t block = gpci_tree_allocate(c, t, gpci_module_tag_of(t, put->tag), &at);
    if (gpci_tree_takes(t, put->blind, &put->bytes)) {
        gpci_tree_set_state(c, t, block, gpci_module_tag_of(t, put->tag), rule.next_shared,
                            origin_of(c, put, GPC_LINE_I), at);
        gpci_tree_data_begin(t, block, &put->bytes);
        store_bytes(c, t, block, put);
        return gpci_tree_use_data(c, t, at, true);
    }
    if (put->kind == GPC_MESSAGE_WRITE_THROUGH && !gpci_tree_writes_all(t, &put->bytes))
        gpci_tree_misses(c, t, put->tag);
    at = gpci_tree_fetch(c, t, block, put->tag, event_of(put), origin_of(c, put, GPC_LINE_I), put->flags, at).at;
    store_bytes(c, t, block, put);
    return gpci_tree_use_data(c, t, at, true);
}

/*
 * T has the block: it keeps the bytes, and by its rule also sends them on (WRITE_THROUGH). Atomics then are performed
 * further on, and T keeps what they have left.
 */
static gpci_tree_point put_present(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_put *put,
                                   gpci_tree_point at) {
    uint8_t state = t->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, t, state, event_of(put));
    const bool later = rule.actions & GPC_DO_WRITE_THROUGH && put->bytes.atomic_count;
    if (!later)
        store_bytes(c, t, block, put);
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, t, block, gpci_module_tag(t, block), rule.next, origin_of(c, put, state), at);
    at = gpci_tree_use_data(c, t, at, true);
    if (rule.actions & GPC_DO_WRITE_THROUGH) {
        at = forward_put(c, t, put, raised_by(t, state, put), at);
        if (later)
            store_bytes(c, t, block, put);
        gpci_tree_data_clean(c, t, block);
    }
    return gpci_tree_forward_entry(c, t, block, at);
}

/* An access bypasses T. T's copy, if it has one, is written back if modified, and then dropped, by its rule. */
static gpci_tree_point drop_for_bypass(gpc_coherence *c, gpci_module *t, uint32_t block, gpc_coherence_event event,
                                       gpci_tree_point at) {
    if (block == GPCI_TREE_NO_BLOCK)
        return at;
    gpc_protocol_rule rule = gpci_tree_rule(c, t, t->states[block], event);
    if (rule.actions & GPC_DO_WRITE_BACK)
        at = gpci_tree_write_back(c, t, block, at);
    gpci_tree_set_state(c, t, block, gpci_module_tag(t, block), rule.next, GPC_ORIGIN_PASS, at);
    return at;
}

/*
 * R's put carries bytes stored non-coherently, while another module above T owns the block. What the owner
 * stored coherently is older, because then there was no other copy; written back later than R's bytes, it would undo
 * R's stores. So the owner is invalidated first.
 *
 * Example: L1-0 stores 1 to a byte coherently (M). L1-1 loads the block (L1-0: O, L1-1: S), stores 2 to the same byte
 * non-coherently (N) and evicts the block. L1-0 still has 1 and the duty to write it back: it is probed, its 1 is
 * merged into the L2's block, and then L1-1's 2.
 */
static gpci_tree_point probe_other_owner(gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                                         const gpci_tree_put *put, gpci_tree_point at) {
    if (!put->non_coherent || !t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return at;
    const gpci_tree_span span = gpci_tree_span_of(t, r, put->tag);
    bool owned = false;
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        uint16_t owner = gpci_module_owner_of(t, block, sub);
        owned |= owner != GPCI_TREE_NO_OWNER && owner != t->slots[r->index];
    }
    if (!owned)
        return at;
    gpci_tree_write_probe others = {
        .block = block, .except = r, .first = put->tag, .last = put->tag + (r->given.block_bytes - 1)};
    return gpci_tree_probe_copies(c, t, &others, at);
}

/* Size of the reply to a request for a store's old bytes: as many bytes as the store sent. */
static uint32_t returned(const gpci_tree_put *put) {
    return put->passing && put->flags & GPC_ACCESS_RETURNS ? put->bytes.size : 0;
}

/* Copies of T's block at other modules are old. */
static void tell_others(gpc_coherence *c, const gpci_module *r, gpci_module *t, uint32_t block,
                        const gpci_tree_put *put, gpci_tree_point at) {
    const uint64_t first = put->bytes.address;
    const gpci_tree_told told = {.block = block, .except = r, .first = first, .last = first + put->bytes.size - 1};
    gpci_tree_tell(c, t, &told, at);
}

gpci_tree_point gpci_tree_send_put(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, put->tag));
    bool allocates = t->place == GPCI_PLACE_MEMORY && !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY);
    gpci_tree_exchange x = gpci_tree_open(c, r, t, put->kind, put->tag, put->size, allocates, &at);
    c->messages[x.message].masked = put->modified && put->non_coherent;
    *(put->kind == GPC_MESSAGE_WRITE_THROUGH ? &t->stats.write_throughs_received
      : put->modified                        ? &t->stats.write_backs_received
                                             : &t->stats.notices_received) += 1;
    if (put->passing && gpci_tree_passes(t, c->protocol->pass_stores, put->flags)) {
        at = drop_for_bypass(c, t, x.found.block, GPC_EVENT_PASSING_STORE, at);
        at = forward_put(c, t, put, 0, at);
    } else if (x.found.block == GPCI_TREE_NO_BLOCK) {
        at = put->modified ? put_absent(c, t, put, at) : at;
    } else {
        if (GPCI_UNLIKELY(put->passing && !put->blind && gpci_module_is_partial(t, x.found.block)))
            at = complete(c, t, x.found.block, at);
        if (put->modified)
            at = probe_other_owner(c, t, x.found.block, r, put, at);
        if (put->leaves)
            gpci_tree_drop_sharers(c, t, x.found.block, r, put->tag);
        at = put->modified ? put_present(c, t, x.found.block, put, at) : gpci_tree_use_data(c, t, at, false);
        if (put->modified)
            tell_others(c, r, t, x.found.block, put, at);
    }
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, put->tag, returned(put), at);
}

/*
 * T is the near half of a cache: what is stored is performed where it is at home, and T's copy, and those above it,
 * would be old.
 */
static gpci_tree_point store_at_home(gpc_coherence *c, gpci_module *r, gpci_module *t, const gpci_tree_put *put,
                                     gpci_tree_point at) {
    gpci_tree_exchange x = gpci_tree_open(c, r, t, put->kind, put->tag, put->size, false, &at);
    t->stats.write_throughs_received++;
    if (x.found.hit) {
        gpci_tree_write_probe all = {.block = x.found.block, .last = UINT64_MAX};
        at = gpci_tree_probe_copies(c, t, &all, at);
        at = gpci_tree_evict(c, t, x.found.block, at);
    }
    gpci_tree_put on = *put;
    on.tag = gpci_module_tag_of(t, put->tag);
    at = gpci_tree_store_at_low(c, t, &on, at);
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, put->tag, 0, at);
}

gpci_tree_point gpci_tree_store_at_low(gpc_coherence *c, gpci_module *r, const gpci_tree_put *put, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, put->tag));
    if (GPCI_UNLIKELY(t->near))
        return store_at_home(c, r, t, put, at);
    gpci_tree_exchange x = gpci_tree_open(c, r, t, put->kind, put->tag, put->size, true, &at);
    t->stats.write_throughs_received++;
    const bool blind =
        (t->lacks && put->blind) || (x.found.state == GPC_LINE_I && gpci_tree_takes(t, put->blind, &put->bytes));
    if (!blind && gpci_tree_found_part(t, &x.found))
        at = complete(c, t, x.found.block, at);
    else if (x.found.state == GPC_LINE_I && !blind && !gpci_tree_writes_all(t, &put->bytes))
        gpci_tree_misses(c, t, put->tag);
    if (!put->non_coherent) {
        gpci_tree_write_probe all = {.block = x.found.block, .last = UINT64_MAX};
        at = gpci_tree_probe_copies(c, t, &all, at);
        at = (blind ? gpci_tree_acquire_blindly : gpci_tree_acquire_rights)(c, t, x.found.block, put->tag, put->flags,
                                                                            at)
                 .at;
    } else if (blind && x.found.state == GPC_LINE_I) {
        at = gpci_tree_acquire_blindly(c, t, x.found.block, put->tag, put->flags, at).at;
    } else if (x.found.state != GPC_LINE_I) {
        at = probe_other_owner(c, t, x.found.block, r, put, at);
    } else {
        at = gpci_tree_fetch(c, t, x.found.block, put->tag, GPC_EVENT_READ_ABOVE, GPC_ORIGIN_READ_UP_DOWN, put->flags,
                             at)
                 .at;
    }
    at = put_present(c, t, x.found.block, put, at);
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_ACK, put->tag, returned(put), at);
}

gpci_tree_point gpci_tree_load_from_low(gpc_coherence *c, gpci_module *r, uint64_t address, uint32_t size, uint8_t *out,
                                        uint32_t flags, gpci_tree_point at) {
    gpci_module *t = gpci_module_at(c, gpci_module_low(c, r, address));
    bool passing = gpci_tree_passes(t, c->protocol->pass_loads, flags);
    gpci_tree_exchange x = gpci_tree_open(c, r, t, GPC_MESSAGE_READ_REQUEST, address, c->control_bytes, !passing, &at);
    t->stats.read_requests++;
    if (passing) {
        at = drop_for_bypass(c, t, x.found.block, GPC_EVENT_PASSING_LOAD, at);
        at = gpci_tree_load_from_low(c, t, address, size, out, flags, at);
    } else {
        const bool partial = gpci_tree_found_part(t, &x.found);
        t->stats.read_request_hits += x.found.hit && !partial;
        t->stats.hits += x.found.hit && !partial;
        if (x.found.state == GPC_LINE_I)
            gpci_tree_misses(c, t, address);
        if (GPCI_UNLIKELY(partial))
            at = complete(c, t, x.found.block, at);
        gpci_tree_read_probe owners = {.block = x.found.block};
        at = x.found.state == GPC_LINE_I ? gpci_tree_fetch(c, t, x.found.block, address, GPC_EVENT_READ_ABOVE,
                                                           GPC_ORIGIN_READ_UP_DOWN, flags, at)
                                               .at
                                         : gpci_tree_probe_owners(c, t, &owners, at);
        gpci_tree_data_load(c, t, x.found.block, address, size, out);
        at = gpci_tree_use_data(c, t, at, false);
        if (GPCI_UNLIKELY(t->responds) && r->level == 1 && !gpci_module_respond(t, gpci_module_tag_of(t, address)))
            (void)gpci_module_hear(r, gpci_module_tag_of(r, address), GPC_BYPASS, 0);
        if (GPCI_UNLIKELY(t->asks))
            gpci_tree_forget_entry(c, t, x.found.block, at);
    }
    return gpci_tree_close(c, &x, r, GPC_MESSAGE_DATA, address, size, at);
}
