/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

/*
 * T's directory entry of a block, when R, a module above T, has got a copy of it, or the only one; when R has given up
 * the right to write; and when R's copy is gone.
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

/*
 * R is about to receive a copy: record it in T's directory. Returns whether R shares it with others. If it does not, R
 * becomes the owner, provided that R's protocol has a state for a lone copy (E): its rule for a miss then has different
 * next states for a lone and a shared one. If it does, R becomes the owner where the state is an owner's (F).
 */
bool gpci_tree_add_requester(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
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

/*
 * May T have bytes that copies above it lack? Yes, if other modules have stored bytes of the block non-coherently and
 * written them back to T, while these copies stayed valid. T's state is then N, M or O. A non-inclusive T may since
 * have evicted its data and read them again, and be in a clean state: it has to be taken for newer always.
 */
bool gpci_tree_has_newer(const gpc_coherence *c, const gpci_module *t, uint32_t block) {
    return c->non_coherent && (t->given.non_inclusive || gpci_tree_is_modified(c, t->states[block]));
}

/* After a write request R is the owner, and the only sharer above T. */
void gpci_tree_make_sole_owner(const gpc_coherence *c, gpci_module *t, uint32_t block,
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

void gpci_tree_clear_owners(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                            uint64_t tag) {
    const gpci_tree_span span = gpci_tree_span_of(t, r, tag);
    const uint32_t wrong = c->faults & GPCI_FAULT_CLEAR_WRONG ? 1 : 0;
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_module_set_owner(t, block, (sub + wrong) & (t->sub_blocks - 1), GPCI_TREE_NO_OWNER);
}

void gpci_tree_drop_sharers(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_module *r,
                            uint64_t tag) {
    if (!t->sub_blocks || !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(t, r, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_sharer(t, block, sub, t->slots[r->index]);
}
