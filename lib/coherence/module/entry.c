/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

/*
 * Directory entry of a block in module T, after module R above T receives a copy or the only copy, gives up write
 * permission, or loses the copy.
 */

/* True if a module other than `slot` has a copy of the sub-blocks. */
static bool has_other_sharers(const gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++)
        for (uint32_t word = 0; word < t->sharer_words; word++)
            if (gpci_sharers_word(t, block, sub, word) & ~gpci_sharer_in(slot, word))
                return true;
    return false;
}

/* `slot`: place of a module in T's list of modules above. */
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

/* Multi2Sim, without O: after a read request no module but R owns any sub-block of the block. */
static void drop_owners(gpci_module *t, uint32_t block, uint32_t slot) {
    for (uint32_t sub = 0; sub < t->sub_blocks; sub++) {
        if (gpci_module_owner_of(t, block, sub) != slot)
            gpci_module_set_owner(t, block, sub, GPCI_TREE_NO_OWNER);
    }
}

/*
 * Remove R as owner of a block that R will share, stored to non-coherently. R may have been the owner, and may have
 * dropped the block silently since; Multi2Sim's modules never drop a block silently.
 */
static void drop_owner(gpci_module *t, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        gpci_tree_drop_owner(t, block, sub, slot);
    }
}

/*
 * Record in T's directory that R is about to receive a copy. Returns true if R shares the block with other modules. If
 * R has the only copy, R becomes the owner, provided that R's protocol has a state for a lone copy (E): the rule for a
 * miss then has different next states for a lone and a shared copy. If R shares the block, R becomes the owner where
 * the state is an owner's (F).
 */
bool gpci_tree_add_requester(const gpc_coherence *c, gpci_module *t, uint32_t block, const gpci_tree_request *request,
                             bool shared) {
    uint32_t slot = t->slots[request->from->index];
    gpci_tree_span span = gpci_tree_span_of(t, request->from, request->tag);
    if (!gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY)) {
        if (GPCI_UNLIKELY(gpci_tree_is_notified(c, request->from)))
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
 * True if T may have bytes that copies above T lack: other modules stored bytes of the block non-coherently and wrote
 * them back to T, while the copies stayed valid. T's state is then N, M or O. A non-inclusive T may have evicted the
 * data since and read them again, in a clean state: a non-inclusive T always counts as newer.
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
