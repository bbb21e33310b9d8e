/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_engine.h"

/* Blocks leave a module. */

static bool has_sharers(const gpci_module *m, uint32_t block) {
    const uint64_t *bits = gpci_sharers_of(m, block, 0);
    for (uint32_t i = 0; i < m->sub_blocks * m->sharer_words; i++)
        if (bits[i])
            return true;
    return false;
}

/* Modified bytes, or the notice that a clean copy goes. */
static gpci_gift gift_of(const gpc_coherence *c, const gpci_module *m, uint32_t block, bool modified, bool leaves) {
    uint64_t tag = m->tags[block];
    gpci_gift gift = {.tag = tag,
                      .kind = modified ? GPC_MESSAGE_WRITE_BACK : GPC_MESSAGE_NOTICE,
                      .size = c->control_bytes + (modified ? m->given.block_bytes : 0),
                      .non_coherent = m->states[block] == GPC_LINE_N,
                      .modified = modified,
                      .leaves = leaves};
    gift.bytes = (gpci_payload){.address = tag, .size = m->given.block_bytes};
    if (c->with_data && modified) {
        gift.bytes.bytes = gpci_data_of(m, block);
        gift.bytes.mask = gpci_dirty_of(m, block);
    }
    return gift;
}

gpci_point gpci_write_back(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at) {
    gpci_gift gift = gift_of(c, m, block, true, false);
    at = gpci_hand_down(c, m, &gift, at);
    gpci_data_clean(c, m, block);
    return at;
}

gpci_point gpci_give_up(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at) {
    gpci_gift gift = gift_of(c, m, block, true, true);
    return gpci_hand_down(c, m, &gift, at);
}

/* Whose modified bytes are written back, and who steps back to S with that, owns the block no longer. */
static void step_back(const gpc_coherence *c, const gpci_module *m, uint32_t block) {
    const gpci_module *t = gpci_module_at(c, gpci_module_low(c, m, m->tags[block]));
    uint32_t entry = gpci_module_find(t, gpci_tag_of(t, m->tags[block]));
    if (entry == GPCI_NO_BLOCK || !gpci_flag(c, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_span span = gpci_span_of(t, m, m->tags[block]);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_drop_owner(t, entry, sub, t->slots[m->index]);
}

static bool has_owner(const gpci_module *m, uint32_t block) {
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++)
        if (*gpci_owner_of(m, block, sub) != GPCI_NO_OWNER)
            return true;
    return false;
}

void gpci_cleaned(gpc_coherence *c, gpci_module *m, uint32_t block, uint32_t origin, gpci_point at) {
    uint8_t state = m->states[block], exclusive = m->rules[GPC_LINE_E][GPC_EVENT_EVICTION].actions ? GPC_LINE_E : state;
    uint8_t clean = state == GPC_LINE_M ? exclusive : gpci_modified(state) ? GPC_LINE_S : state;
    if (clean == state || (state == GPC_LINE_O && has_owner(m, block))) /* who is above has more to write back */
        return;
    if (clean == GPC_LINE_S)
        step_back(c, m, block);
    gpci_set(c, m, block, m->tags[block], clean, origin, at);
}

gpci_point gpci_pass_down(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at) {
    uint8_t state = m->states[block];
    if (!gpci_directory_only(m, block) || !gpci_modified(state))
        return at;
    at = gpci_write_back(c, m, block, at);
    gpci_cleaned(c, m, block, GPC_ORIGIN_DIRECTORY_ONLY, at);
    return at;
}

/* Directory and state of a block, but not its data, to another of its set. */
static void move_entry(gpc_coherence *c, gpci_module *m, uint32_t from, uint32_t to, gpci_point at) {
    uint32_t words = m->sub_blocks * m->sharer_words;
    uint64_t tag = m->tags[from];
    uint8_t state = m->states[from];
    uint16_t *owners = gpci_owner_of(m, from, 0), *to_owners = gpci_owner_of(m, to, 0);
    uint64_t *sharers = gpci_sharers_of(m, from, 0), *to_sharers = gpci_sharers_of(m, to, 0);
    for (uint32_t i = 0; i < m->sub_blocks; i++)
        to_owners[i] = owners[i];
    for (uint32_t i = 0; i < words; i++)
        to_sharers[i] = sharers[i];
    gpci_set(c, m, from, 0, GPC_LINE_I, GPC_ORIGIN_DIRECTORY_ONLY, at);
    gpci_set(c, m, to, tag, state, GPC_ORIGIN_DIRECTORY_ONLY, at);
}

/* Modules above keep their copies of what leaves: its directory entry stays. */
static gpci_point leave_entry(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at) {
    uint8_t state = m->states[block];
    if (gpci_modified(state)) {
        at = gpci_write_back(c, m, block, at);
        gpci_cleaned(c, m, block, GPC_ORIGIN_DIRECTORY_ONLY, at);
    }
    uint32_t entry = gpci_module_directory_victim(m, m->tags[block]);
    if (m->states[entry] != GPC_LINE_I)
        at = gpci_evict(c, m, entry, at);
    move_entry(c, m, block, entry, at);
    return at;
}

uint32_t gpci_promote(gpc_coherence *c, gpci_module *m, uint32_t entry, gpci_point *at) {
    uint64_t tag = m->tags[entry];
    uint32_t block = gpci_module_victim(m, tag);
    if (block == GPCI_NO_BLOCK) {
        gpci_break_choice(c, m);
        return entry;
    }
    /* The two change places where the victim has sharers too; its own entry must not be this one. */
    gpci_module_touch(m, entry);
    if (m->states[block] != GPC_LINE_I) {
        m->stats.evictions++;
        *at = gpci_evict(c, m, block, *at);
    }
    entry = gpci_module_find(m, tag);
    if (entry == GPCI_NO_BLOCK || !gpci_directory_only(m, entry))
        return block;
    move_entry(c, m, entry, block, *at);
    /* for the data alone: rights stay what they are */
    gpci_ask own = {.from = m, .block = block, .tag = tag, .non_coherent = m->states[block] == GPC_LINE_S};
    *at = gpci_read_request(c, &own, *at).at;
    return block;
}

gpci_point gpci_evict(gpc_coherence *c, gpci_module *m, uint32_t block, gpci_point at) {
    bool tracked = gpci_flag(c, GPC_PROTOCOL_DIRECTORY);
    at = gpci_mark(c, m, GPC_MESSAGE_EVICTION, m->tags[block], at);
    if (tracked && m->given.directory_ways && !gpci_directory_only(m, block) && has_sharers(m, block))
        return leave_entry(c, m, block, at);
    gpci_invalidation all = {.block = block, .last = UINT64_MAX};
    at = gpci_invalidate(c, m, &all, at);
    uint8_t state = m->states[block];
    gpc_protocol_rule rule = gpci_rule(c, m, state, GPC_EVENT_EVICTION);
    if (m->place == GPCI_MEMORY) {
        gpci_set(c, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICT_IN_MEMORY, at);
        return at;
    }
    bool back = rule.actions & GPC_DO_WRITE_BACK;
    if (back || rule.actions & GPC_DO_NOTIFY) {
        gpci_gift gift = gift_of(c, m, block, back, true);
        at = gpci_hand_down(c, m, &gift, at);
    }
    gpci_set(c, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTED, at);
    return at;
}
