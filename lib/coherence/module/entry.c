/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

/*
 * Directory entry of a block in module T, after module R above T receives a copy or the only copy, gives up write
 * permission, or loses the copy.
 */

/* True if a module other than `slot` has a copy of the sub-blocks. */
static bool has_other_sharers(const gpci_module *target, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++)
        for (uint32_t word = 0; word < target->sharer_words; word++)
            if (gpci_sharers_word(target, block, sub, word) & ~gpci_sharer_in(slot, word))
                return true;
    return false;
}

/* `slot`: place of a module in T's list of modules above. */
static void add_sharer(const gpc_coherence *coherence, gpci_module *target, uint32_t block, gpci_tree_span span,
                       uint32_t slot, bool owner) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (GPCI_LIKELY(!target->pointers))
            gpci_sharers_add(target, block, sub, slot);
        else
            gpci_directory_add(coherence, target, block, sub, slot);
        if (owner)
            gpci_module_set_owner(target, block, sub, slot);
    }
}

/* Multi2Sim, without O: after a read request no module but R owns any sub-block of the block. */
static void drop_owners(gpci_module *target, uint32_t block, uint32_t slot) {
    for (uint32_t sub = 0; sub < target->sub_blocks; sub++) {
        if (gpci_module_owner_of(target, block, sub) != slot)
            gpci_module_set_owner(target, block, sub, GPCI_TREE_NO_OWNER);
    }
}

/*
 * Remove R as owner of a block that R will share, stored to non-coherently. R may have been the owner, and may have
 * dropped the block silently since; Multi2Sim's modules never drop a block silently.
 */
static void drop_owner(gpci_module *target, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        gpci_tree_drop_owner(target, block, sub, slot);
    }
}

/*
 * Record in T's directory that R is about to receive a copy. Returns true if R shares the block with other modules. If
 * R has the only copy, R becomes the owner, provided that R's protocol has a state for a lone copy (E): the rule for a
 * miss then has different next states for a lone and a shared copy. If R shares the block, R becomes the owner where
 * the state is an owner's (F).
 */
bool gpci_tree_add_requester(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                             const gpci_tree_request *request, bool shared) {
    uint32_t slot = target->slots[request->from->index];
    gpci_tree_span span = gpci_tree_span_of(target, request->from, request->tag);
    if (!gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY)) {
        if (GPCI_UNLIKELY(gpci_tree_is_notified(coherence, request->from)))
            add_sharer(coherence, target, block, span, slot, false);
        return true;
    }
    if (gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owners(target, block, slot);
    shared |= has_other_sharers(target, block, span, slot);
    const gpci_module *requester = request->from;
    const uint32_t usual = requester->level == 1 ? GPC_EVENT_LOAD : GPC_EVENT_READ_ABOVE;
    gpc_protocol_rule rule = *gpci_module_rule(requester, GPC_LINE_I, gpci_event_or(request->cause, usual));
    const bool forwards = GPCI_UNLIKELY(coherence->forwards) && !request->non_coherent &&
                          gpci_tree_stays_owner(coherence, rule.next_shared);
    const bool owner = shared ? forwards : rule.next != rule.next_shared;
    if (!owner && gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owner(target, block, span, slot);
    add_sharer(coherence, target, block, span, slot, owner);
    return shared;
}

/*
 * True if T may have bytes that copies above T lack: other modules stored bytes of the block non-coherently and wrote
 * them back to T, while the copies stayed valid. T's state is then N, M or O. A non-inclusive T may have evicted the
 * data since and read them again, in a clean state: a non-inclusive T always counts as newer.
 */
bool gpci_tree_has_newer(const gpc_coherence *coherence, const gpci_module *target, uint32_t block) {
    return coherence->non_coherent &&
           (target->given.non_inclusive || gpci_tree_is_modified(coherence, target->states[block]));
}

/* After a write request R is the owner, and the only sharer above T. */
void gpci_tree_make_sole_owner(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                               const gpci_tree_request *request) {
    const gpci_module *requester = request->from;
    uint32_t slot = target->slots[requester->index];
    if (!gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE)) {
        add_sharer(coherence, target, block, gpci_tree_span_of(target, requester, request->tag), slot, true);
        return;
    }
    /* Multi2Sim: only of as many bytes as R's own sub-blocks have */
    uint64_t bytes = requester->sub_blocks ? (uint64_t)1 << requester->sub_shift : requester->given.block_bytes;
    for (uint32_t sub = 0; sub < target->sub_blocks; sub++) {
        if (request->tag - gpci_tree_address_of(target, block, sub) < bytes)
            add_sharer(coherence, target, block, (gpci_tree_span){sub, sub + 1}, slot, true);
    }
}

void gpci_tree_clear_owners(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag) {
    const gpci_tree_span span = gpci_tree_span_of(target, requester, tag);
    const uint32_t wrong = coherence->faults & GPCI_FAULT_CLEAR_WRONG ? 1 : 0;
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_module_set_owner(target, block, (sub + wrong) & (target->sub_blocks - 1), GPCI_TREE_NO_OWNER);
}

void gpci_tree_drop_sharers(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag) {
    if (!target->sub_blocks || !gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(target, requester, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_sharer(target, block, sub, target->slots[requester->index]);
}
