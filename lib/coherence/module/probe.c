/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

#include <string.h>

/*
 * Probes from module T to the modules above with copies of a block. A read probe goes to the owner, which sends data
 * and gives up write permission. A write probe goes to all sharers, which send modified data and invalidate their
 * copies. This file chooses the probed modules, forms the reply of a probed module X, and changes T's directory.
 *
 * Example of a write probe, nmoesi, two L1s over an L2 (T), a STORE of L1-0 (R) to a block that L1-1 (X) has modified:
 *   gpci_tree_next_copy        T's directory lists L1-1: T sends a write probe to L1-1 and removes L1-1 from the list
 *   gpci_tree_invalidate_copy  L1-1 is in M; the rule for WRITE_PROBE in M is SEND_DATA, next I. nmoesi has PEER: the
 *                              bytes go to L1-0, and T gets an acknowledgement
 * Without PEER in the protocol, the reply to T carries the block; T merges the block and passes it on in T's reply.
 */

/* True if both or none are near halves: a near half and another module are at different ends of the way to T. */
static bool is_peer(const gpci_module *probed, const gpci_module *requester) {
    return probed->given.block_bytes == requester->given.block_bytes && probed->near == requester->near;
}

/* True if X sends the block straight to the requester. Both must have blocks of the same size. */
static bool sends_to_peer(const gpc_coherence *coherence, const gpci_module *probed, const gpci_tree_request *request) {
    return request && gpci_tree_has(coherence, GPC_PROTOCOL_PEER) && is_peer(probed, request->from);
}

/* Reply of X to a write probe, by X's rule: data go to the peer or to T, and X's copy is invalidated. */
void gpci_tree_invalidate_copy(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe) {
    gpci_module *probed = gpci_module_at(coherence, reply->module);
    uint32_t block = reply->block;
    uint8_t state = gpci_tree_has(coherence, GPC_PROTOCOL_STALE_REPLY) ? reply->state : probed->states[block];
    gpc_protocol_rule rule =
        gpci_tree_rule(coherence, probed, state, gpci_event_or(probe->event, GPC_EVENT_WRITE_PROBE));
    bool entry = gpci_module_directory_only(probed, block),
         modified = entry ? reply->received || gpci_tree_entry_holds(coherence, probed, block)
                          : gpci_tree_is_modified(coherence, state);
    bool sends = rule.actions & GPC_DO_SEND_DATA && (modified || !entry);
    reply->peer = sends && !entry && !probe->through_t && sends_to_peer(coherence, probed, probe->request);
    reply->data = sends && modified;
    reply->masked = gpci_tree_is_masked(coherence, state);
    if (reply->peer)
        gpci_tree_data_transfer(coherence, probed, block, probe->request->from, probe->request->block,
                                !probe->request->valid && !modified, true);
    else if (reply->data)
        gpci_tree_data_merge(coherence, probed, block, gpci_module_tag_of(probed, reply->address), target,
                             probe->block);
    if (reply->data && !reply->peer && reply->masked && probe->request)
        gpci_tree_data_yield(coherence, probed, block, probe->request);
    if (sends && !reply->peer)
        reply->bytes += probed->given.block_bytes;
    reply->sends = sends;
    if (GPCI_UNLIKELY(gpci_tree_is_detached(coherence, rule.next)) && !probe->gone && !entry) {
        gpci_tree_data_clean(coherence, probed, block);
        gpci_tree_set_state(coherence, probed, block, gpci_module_tag(probed, block), rule.next, GPC_ORIGIN_DETACHED,
                            reply->ready);
        return;
    }
    probed->stats.invalidations++;
    gpci_tree_set_state(coherence, probed, block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, reply->ready);
}

/*
 * Remove X, with `slot` in T's directory, from the sharers of X's block at the sub-block of the given address. False:
 * another sub-block is the place of X's probe. If X's blocks are larger, X has one block for several sub-blocks of T,
 * and is probed once. Multi2Sim (PROBE_WHOLE) goes by sub-blocks, and probes X at the first sub-block of X's block.
 */
GPCI_INLINE bool forget_copy(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub,
                             uint32_t slot, const gpci_module *probed, uint64_t address, uint64_t *tag) {
    const bool aligned_only = gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE);
    *tag = gpci_module_tag_of(probed, address);
    const gpci_tree_span span = gpci_tree_span_of(target, probed, *tag);
    for (uint32_t s = span.first; s < span.end; s++)
        if (!aligned_only || s == sub)
            gpci_tree_remove_sharer(target, block, s, slot);
    return !aligned_only || *tag == address;
}

/* One word of a sub-block's sharers. */
static gpci_sharers sharers_of(const gpc_coherence *coherence, const gpci_module *target,
                               const gpci_tree_copies *copies) {
    const gpci_sharers bits = gpci_sharers_word(target, copies->block, copies->sub, copies->word);
    const uint32_t owner = gpci_module_owner_of(target, copies->block, copies->sub);
    if (GPCI_UNLIKELY(copies->room))
        return gpci_sharer_in(gpci_directory_victim(coherence, target, copies->block, copies->sub, copies->except),
                              copies->word);
    return copies->only_owners ? bits & gpci_sharer_in(owner, copies->word) : bits;
}

bool gpci_tree_next_copy(gpc_coherence *coherence, gpci_module *target, gpci_tree_copies *copies, uint64_t *tag) {
    while (copies->sub < target->sub_blocks) {
        const uint64_t address = gpci_tree_address_of(target, copies->block, copies->sub);
        if (!copies->begun)
            copies->bits =
                address < copies->first || address > copies->last ? 0 : sharers_of(coherence, target, copies);
        copies->begun = true;
        while (copies->bits) {
            const uint32_t slot = copies->word * GPCI_SHARERS + gpci_lowest(copies->bits);
            const gpci_module *probed = gpci_module_at(coherence, copies->module = target->above[slot]);
            copies->bits &= copies->bits - 1;
            copies->owner = gpci_module_owner_of(target, copies->block, copies->sub) == slot;
            if (probed != copies->except &&
                forget_copy(coherence, target, copies->block, copies->sub, slot, probed, address, tag))
                return true;
        }
        copies->begun = false;
        if (++copies->word == target->sharer_words) {
            copies->word = 0;
            copies->sub++;
        }
    }
    return false;
}

/* Reply of X, which has the block, to a read probe by X's rule. `above`: replies to the probe of X's own owners. */
void gpci_tree_reply_to_read_probe(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above) {
    gpci_module *probed = gpci_module_at(coherence, reply->module);
    uint8_t state = probed->states[block];
    gpc_protocol_rule rule =
        gpci_tree_rule(coherence, probed, state, gpci_event_or(probe->event, GPC_EVENT_READ_PROBE));
    bool entry = gpci_module_directory_only(probed, block); /* x holds only the bytes just received from above */
    bool received = above->data || (entry && gpci_tree_entry_holds(coherence, probed, block));
    bool sends = rule.actions & GPC_DO_SEND_DATA,
         modified = received || (gpci_tree_is_modified(coherence, state) && !entry);
    if (entry || (gpci_tree_has(coherence, GPC_PROTOCOL_BARE_ACK) && above->probed))
        sends = received;
    reply->peer = sends && !entry && sends_to_peer(coherence, probed, probe->request);
    bool back = sends && modified && (!reply->peer || rule.actions & GPC_DO_WRITE_BACK);
    if (reply->peer) { /* the bytes that X has not modified are the same in T */
        gpci_tree_data_fill(coherence, target, probe->block, probe->request->from, probe->request->block,
                            probe->request->tag);
        gpci_tree_data_transfer(coherence, probed, block, probe->request->from, probe->request->block, false, false);
    }
    if (back) {
        gpci_tree_data_merge(coherence, probed, block, gpci_module_tag_of(probed, reply->address), target,
                             probe->block);
        gpci_tree_data_clean(coherence, probed, block);
    }
    reply->data = back;
    if (back || (sends && !reply->peer))
        reply->bytes += above->probed || !gpci_tree_has(coherence, GPC_PROTOCOL_BARE_ACK) || !probed->sub_blocks
                            ? probed->given.block_bytes
                            : 1u << probed->sub_shift;
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(coherence, probed, block, gpci_module_tag(probed, block), rule.next,
                            above->data     ? GPC_ORIGIN_READ_DOWN_UP_1
                            : above->probed ? GPC_ORIGIN_READ_DOWN_UP_2
                                            : GPC_ORIGIN_READ_DOWN_UP_3,
                            reply->ready);
    reply->keeps = gpci_tree_stays_owner(coherence, rule.next) && !(rule.actions & GPC_DO_IGNORE);
}

/* True if the probe is for the sub-block. */
static bool is_requested(const gpci_tree_read_probe *probe, uint64_t address) {
    return !probe->request || address - probe->request->tag < probe->request->from->given.block_bytes;
}

/* X owns several sub-blocks as one block: was it probed for the sub-block before this one? */
static bool probed_before(const gpci_module *target, const gpci_tree_read_probe *probe, const gpci_module *probed,
                          uint32_t sub) {
    uint64_t address = gpci_tree_address_of(target, probe->block, sub),
             before = address - ((uint64_t)1 << target->sub_shift);
    return sub && gpci_module_tag_of(probed, before) == gpci_module_tag_of(probed, address) &&
           is_requested(probe, before) &&
           gpci_module_owner_of(target, probe->block, sub - 1) == gpci_module_owner_of(target, probe->block, sub);
}

/*
 * Send a read probe to each owner of a sub-block but R; Multi2Sim (PROBE_WHOLE): of all sub-blocks, not only those
 * asked for.
 */
bool gpci_tree_owner_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                              const gpci_tree_read_probe *probe, uint32_t sub, uint32_t *out_module,
                              uint64_t *out_tag) {
    const bool full_blocks = gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE);
    const uint16_t owner = gpci_module_owner_of(target, probe->block, sub);
    const uint64_t address = gpci_tree_address_of(target, probe->block, sub);
    if (owner == GPCI_TREE_NO_OWNER || (!full_blocks && !is_requested(probe, address)))
        return false;
    const gpci_module *probed = gpci_module_at(coherence, target->above[owner]);
    *out_module = probed->index;
    *out_tag = gpci_module_tag_of(probed, address);
    return !(probe->request && probed == probe->request->from) &&
           !(full_blocks ? *out_tag != address : probed_before(target, probe, probed, sub));
}

/*
 * Without an owner, a sharer may send the block to R, if the protocol's rule for READ_PROBE in S says SEND_DATA (MSI,
 * MESI; Table 2.1, step 9). Any could; it is the last in the directory.
 */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                                   const gpci_tree_read_probe *probe) {
    if (!probe->request || !gpci_tree_has(coherence, GPC_PROTOCOL_PEER) ||
        probe->request->from->given.block_bytes != 1u << target->sub_shift)
        return GPC_NO_MODULE;
    const uint32_t sub = gpci_module_sub_of(target, probe->request->tag);
    if (target->pointers && !gpci_directory_is_exact(target, probe->block, sub))
        return GPC_NO_MODULE; /* T has the block, but no known sharer has */
    for (uint32_t slot = target->above_count; slot-- > 0;) {
        const gpci_module *probed = gpci_module_at(coherence, target->above[slot]);
        if (probed != probe->request->from && gpci_tree_has_sharer(target, probe->block, sub, slot) &&
            is_peer(probed, probe->request->from) && gpci_tree_sharers_send(coherence, probed->rules))
            return probed->index;
    }
    return GPC_NO_MODULE;
}

/* T's directory after a reply: X is still the owner only in O or F, and still a sharer only if it had the block. */
void gpci_tree_update_directory(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                                const gpci_tree_probe_reply *reply) {
    const gpci_module *probed = gpci_module_at(coherence, reply->module);
    const uint32_t slot = target->slots[probed->index];
    const gpci_tree_span span = gpci_tree_span_of(target, probed, reply->address);
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (!reply->keeps)
            gpci_tree_drop_owner(target, block, sub, slot);
        if (!reply->found)
            gpci_tree_drop_sharer(target, block, sub, slot);
    }
}
