/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

#include <string.h>

/*
 * Evictions: a block leaves a module. An inclusive module first invalidates all copies above it, whose modified bytes
 * it receives; then it writes modified bytes back to its low module, or tells it that a clean copy is gone (NOTIFY), or
 * says nothing, as the protocol's EVICTION rule has it.
 *
 * A non-inclusive module may evict the data while modules above keep their copies. Its directory must go on knowing
 * them: the block's tag, state, owners and sharers move to one of the `directory_ways` of the set, an entry of the
 * directory alone, without data.
 *
 * Example, an L2 of 2 ways and 1 directory way, set full with A and B, both also in L1s:
 *   C misses     A, the victim, is written back if modified; its entry moves to the directory way; C takes A's way
 *   L1 asks A    only the entry is there: gpci_tree_promote evicts a victim and reads A's data from the low module
 * If, in place of the latter, D misses, the victim B needs the directory way: A's entry is evicted for good, the L1s'
 * copies of A are invalidated, and B's entry moves there.
 */

bool gpci_module_has_sharers(const gpci_module *m, uint32_t block) {
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++)
        if (gpci_sharers_any(m, block, sub))
            return true;
    return false;
}

bool gpci_tree_keeps_entry(const gpc_coherence *c, const gpci_module *m, uint32_t block) {
    return gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY) && m->given.directory_ways && !m->near &&
           !gpci_module_directory_only(m, block) && gpci_module_has_sharers(m, block);
}

/* A write-back of a block, or the notice that a clean copy is gone. `leaves`: it is not in m afterwards. */
static gpci_tree_put put_of(const gpc_coherence *c, const gpci_module *m, uint32_t block, bool modified, bool leaves) {
    uint64_t tag = gpci_module_tag(m, block);
    gpci_tree_put put = {.tag = tag,
                         .kind = modified ? GPC_MESSAGE_WRITE_BACK : GPC_MESSAGE_NOTICE,
                         .size = c->control_bytes + (modified ? m->given.block_bytes : 0),
                         .non_coherent = gpci_tree_is_masked(c, m->states[block]),
                         .modified = modified,
                         .leaves = leaves};
    put.bytes = (gpci_tree_payload){.address = tag, .size = m->given.block_bytes};
    if (c->with_data && modified) {
        put.bytes.bytes = gpci_module_data_of(m, block);
        put.bytes.mask = gpci_module_dirty_of(m, block);
    }
    return put;
}

gpci_tree_point gpci_tree_write_back(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    gpci_tree_put put = put_of(c, m, block, true, false);
    at = gpci_tree_send_put(c, m, &put, at);
    gpci_tree_data_clean(c, m, block);
    return at;
}

gpci_tree_point gpci_tree_write_back_upon(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t event,
                                          gpci_tree_point at) {
    gpci_tree_put put = put_of(c, m, block, true, false);
    put.event = gpci_raised_below(m, m->states[block], event, gpci_tree_put_event(put.non_coherent));
    at = gpci_tree_send_put(c, m, &put, at);
    gpci_tree_data_clean(c, m, block);
    return at;
}

gpci_tree_point gpci_tree_write_back_and_leave(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    gpci_tree_put put = put_of(c, m, block, true, true);
    return gpci_tree_send_put(c, m, &put, at);
}

/* m writes a block back and goes to S: it is no longer the owner in its low module's directory. */
static void drop_ownership(const gpc_coherence *c, const gpci_module *m, uint32_t block) {
    const gpci_module *t = gpci_module_at(c, gpci_module_low(c, m, gpci_module_tag(m, block)));
    uint32_t entry = gpci_module_find(t, gpci_module_tag_of(t, gpci_module_tag(m, block)));
    if (entry == GPCI_TREE_NO_BLOCK || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(t, m, gpci_module_tag(m, block));
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_owner(t, entry, sub, t->slots[m->index]);
}

/* Does any module above own any part of the block? */
static bool has_owner(const gpci_module *m, uint32_t block) {
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++)
        if (gpci_module_owner_of(m, block, sub) != GPCI_TREE_NO_OWNER)
            return true;
    return false;
}

/*
 * The state without modified bytes: of M it is E, of O and N it is S. Where the protocol has no such, or has given it
 * another name, one of its states that means the same; or else the state stays.
 */
static uint8_t clean_state(const gpc_coherence *c, const gpci_module *m, uint8_t state) {
    const uint8_t means = gpci_tree_means(c, state);
    if (!(means & GPC_MEANS_MODIFIED))
        return state;
    const uint8_t wanted = means == GPC_MEANS_M ? GPC_MEANS_E : GPC_MEANS_S;
    const uint8_t usual = means == GPC_MEANS_M ? GPC_LINE_E : GPC_LINE_S;
    if (GPCI_LIKELY(m->rules[usual][GPC_EVENT_EVICTION].actions))
        return usual;
    for (uint32_t i = GPC_LINE_COUNT; i < c->states; i++)
        if (gpci_tree_means(c, (uint8_t)i) == wanted && m->rules[i][GPC_EVENT_EVICTION].actions)
            return (uint8_t)i;
    return state;
}

void gpci_tree_written_back(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t origin, gpci_tree_point at) {
    const uint8_t state = m->states[block], clean = clean_state(c, m, state);
    const bool above_too = gpci_tree_means(c, state) == GPC_MEANS_O && has_owner(m, block); /* modified bytes */
    if (clean == state || above_too)
        return;
    if (gpci_tree_means(c, clean) == GPC_MEANS_S)
        drop_ownership(c, m, block);
    gpci_tree_set_state(c, m, block, gpci_module_tag(m, block), clean, origin, at);
}

void gpci_tree_written_through(gpc_coherence *c, gpci_module *m, uint32_t block, const gpci_tree_payload *store,
                               bool was_modified, gpci_tree_point at) {
    if (store->bytes || !store->mask)
        gpci_tree_data_written(c, m, block, store);
    if (!(c->with_data ? gpci_tree_data_dirty(c, m, block) : was_modified))
        gpci_tree_written_back(c, m, block, GPC_ORIGIN_WRITE_THROUGH, at);
}

gpci_tree_point gpci_tree_forward_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    uint8_t state = m->states[block];
    if (!gpci_module_directory_only(m, block) || !gpci_tree_is_modified(c, state))
        return at;
    at = gpci_tree_write_back(c, m, block, at);
    gpci_tree_written_back(c, m, block, GPC_ORIGIN_DIRECTORY_ONLY, at);
    return at;
}

/* Has it modified bytes still, which it should be rid of? Their write-back was refused then (controller.h). */
static bool is_laden(const gpc_coherence *c, const gpci_module *m, uint32_t block) {
    return !gpci_tree_has(c, GPC_PROTOCOL_WHOLE_BLOCKS) && gpci_tree_data_dirty(c, m, block);
}

bool gpci_tree_entry_holds(const gpc_coherence *c, const gpci_module *m, uint32_t block) {
    return gpci_module_directory_only(m, block) && is_laden(c, m, block);
}

static void move_bytes(gpc_coherence *c, const gpci_module *m, uint32_t from, uint32_t to) {
    if (!is_laden(c, m, from))
        return;
    memcpy(gpci_module_data_of(m, to), gpci_module_data_of(m, from), m->given.block_bytes);
    memcpy(gpci_module_dirty_of(m, to), gpci_module_dirty_of(m, from), m->mask_bytes);
}

void gpci_tree_move_entry(gpc_coherence *c, gpci_module *m, uint32_t from, uint32_t to, gpci_tree_point at) {
    uint64_t tag = gpci_module_tag(m, from);
    uint8_t state = m->states[from];
    gpci_sharers_move(m, from, to);
    move_bytes(c, m, from, to);
    gpci_tree_set_state(c, m, from, 0, GPC_LINE_I, GPC_ORIGIN_DIRECTORY_ONLY, at);
    gpci_tree_set_state(c, m, to, tag, state, GPC_ORIGIN_DIRECTORY_ONLY, at);
}

/* Evict a block's data only: modules above keep their copies, and its entry moves to a directory way. */
static gpci_tree_point evict_data(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    uint8_t state = m->states[block];
    if (gpci_tree_is_modified(c, state)) {
        at = gpci_tree_write_back(c, m, block, at);
        gpci_tree_written_back(c, m, block, GPC_ORIGIN_DIRECTORY_ONLY, at);
    }
    uint32_t entry = gpci_module_directory_victim(m, gpci_module_tag(m, block));
    if (m->states[entry] != GPC_LINE_I)
        at = gpci_tree_evict(c, m, entry, at);
    gpci_tree_move_entry(c, m, block, entry, at);
    return at;
}

uint32_t gpci_tree_promote(gpc_coherence *c, gpci_module *m, uint32_t entry, gpci_tree_point *at) {
    uint64_t tag = gpci_module_tag(m, entry);
    uint32_t block = gpci_module_victim(m, tag);
    if (block == GPCI_TREE_NO_BLOCK) {
        gpci_tree_fail_victim(c, m);
        return entry;
    }
    /*
     * If modules above share the victim, too, its entry needs a directory way, and the least recent one must not be
     * this block's.
     */
    gpci_module_touch(m, entry);
    if (m->sector_mask) {
        gpci_tree_evict_line(c, m, block, tag, at);
    } else if (m->states[block] != GPC_LINE_I) {
        m->stats.evictions++;
        *at = gpci_tree_evict(c, m, block, *at);
    }
    entry = gpci_module_find(m, tag);
    if (entry == GPCI_TREE_NO_BLOCK || !gpci_module_directory_only(m, entry))
        return block;
    gpci_tree_move_entry(c, m, entry, block, *at);
    /* the request is for data only: a shared copy stays shared */
    gpci_tree_request own = {
        .from = m, .block = block, .tag = tag, .non_coherent = gpci_tree_means(c, m->states[block]) == GPC_MEANS_S};
    *at = gpci_tree_read_request(c, &own, *at).at;
    return block;
}

gpci_tree_point gpci_tree_evict(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_tree_point at) {
    m = gpci_module_half(m, gpci_module_tag(m, block)); /* whichever half of the cache needs the way */
    at = gpci_tree_mark(c, m, GPC_MESSAGE_EVICTION, gpci_module_tag(m, block), at);
    if (gpci_tree_keeps_entry(c, m, block))
        return evict_data(c, m, block, at);
    gpci_tree_write_probe all = {.block = block, .last = UINT64_MAX};
    all.event = gpci_raised_above(m, m->states[block], GPC_EVENT_EVICTION, GPC_EVENT_WRITE_PROBE);
    at = gpci_tree_probe_copies(c, m, &all, at);
    gpci_tree_tell(c, m, &(gpci_tree_told){.block = block, .last = UINT64_MAX}, at);
    uint8_t state = m->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, m, state, GPC_EVENT_EVICTION);
    if (m->place == GPCI_PLACE_MEMORY) {
        gpci_tree_set_state(c, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICT_IN_MEMORY, at);
        return at;
    }
    bool back = rule.actions & GPC_DO_WRITE_BACK;
    if (back || rule.actions & GPC_DO_NOTIFY) {
        gpci_tree_put put = put_of(c, m, block, back, true);
        put.event = gpci_raised_below(m, state, GPC_EVENT_EVICTION, gpci_tree_put_event(put.non_coherent));
        at = gpci_tree_send_put(c, m, &put, at);
    }
    gpci_tree_set_state(c, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTED, at);
    return at;
}
