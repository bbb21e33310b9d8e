/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

#include <string.h>

/*
 * Probes from the target to the modules above with copies of a block. A read probe goes to the owner, which sends data
 * and gives up write permission. A write probe goes to all sharers, which send modified data and invalidate their
 * copies. This file chooses the probed modules, forms the reply of a probed module, and changes the target's directory.
 *
 * Example of a write probe, nmoesi, two L1s over an L2. L1-0 (the requester) performs a STORE to a block that L1-1 (the
 * probed module) has modified. The L2 is the target:
 *   gpci_tree_next_copy        the L2's directory lists L1-1: the L2 sends a write probe to L1-1, and removes L1-1 from
 *                              the list
 *   gpci_tree_invalidate_copy  L1-1 is in M; the rule for WRITE_PROBE in M is SEND_DATA, next I. nmoesi has PEER: the
 *                              bytes go to L1-0, and the L2 gets an acknowledgement
 * Without PEER in the protocol, the reply to the target carries the block; the target merges the block, and its reply
 * brings the bytes to the requester.
 */

/*
 * True if the modules can exchange blocks of equal size as peers. A near half sits between its own L1s and a home half,
 * and so is no peer of a module that is not a near half.
 */
static bool is_peer(const gpci_module *probed, const gpci_module *requester) {
    return probed->given.block_bytes == requester->given.block_bytes && probed->near == requester->near;
}

/*
 * True if the probed module sends the block directly to the requester (a peer). Both must have blocks of the same size.
 */
static bool sends_to_peer(const gpc_coherence *coherence, const gpci_module *probed, const gpci_tree_request *request) {
    return request && gpci_tree_has(coherence, GPC_PROTOCOL_PEER) && is_peer(probed, request->from);
}

/*
 * Form the probed module's reply to a write probe, by the probed module's rule: the modified bytes go to the requester
 * or to the target, and the probed module's copy is invalidated.
 */
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
 * Remove the probed module (place `slot`) from the sharers of all sub-blocks of the target that the probed module's
 * block covers: a larger block covers several sub-blocks, and is probed once. Multi2Sim (PROBE_WHOLE) removes the
 * module only from sub-block `sub`, and probes the module only at the first sub-block of the module's block. False: no
 * probe now, as the probe belongs to another sub-block.
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

/* Sharers to visit, of the walk's present sub-block and word. */
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

/*
 * Form the probed module's reply to a read probe, by the probed module's rule. The probed module has the block.
 * `above`: replies of owners above the probed module.
 */
void gpci_tree_reply_to_read_probe(gpc_coherence *coherence, gpci_module *target, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above) {
    gpci_module *probed = gpci_module_at(coherence, reply->module);
    uint8_t state = probed->states[block];
    gpc_protocol_rule rule =
        gpci_tree_rule(coherence, probed, state, gpci_event_or(probe->event, GPC_EVENT_READ_PROBE));
    /* the probed module has no data but the bytes just received from above */
    bool entry = gpci_module_directory_only(probed, block);
    bool received = above->data || (entry && gpci_tree_entry_holds(coherence, probed, block));
    bool sends = rule.actions & GPC_DO_SEND_DATA,
         modified = received || (gpci_tree_is_modified(coherence, state) && !entry);
    if (entry || (gpci_tree_has(coherence, GPC_PROTOCOL_BARE_ACK) && above->probed))
        sends = received;
    reply->peer = sends && !entry && sends_to_peer(coherence, probed, probe->request);
    bool back = sends && modified && (!reply->peer || rule.actions & GPC_DO_WRITE_BACK);
    if (reply->peer) { /* bytes not modified in the probed module's block are the same in the target's block */
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

/*
 * True if the probe needs the owner of the sub-block at `address`: the request includes the sub-block, or all owners
 * are probed.
 */
static bool is_requested(const gpci_tree_read_probe *probe, uint64_t address) {
    return !probe->request || address - probe->request->tag < probe->request->from->given.block_bytes;
}

/*
 * True if the owner of sub-block `sub` was already probed for sub-block sub - 1, as the same block of the owner covers
 * both.
 */
static bool probed_before(const gpci_module *target, const gpci_tree_read_probe *probe, const gpci_module *probed,
                          uint32_t sub) {
    uint64_t address = gpci_tree_address_of(target, probe->block, sub),
             before = address - ((uint64_t)1 << target->sub_shift);
    return sub && gpci_module_tag_of(probed, before) == gpci_module_tag_of(probed, address) &&
           is_requested(probe, before) &&
           gpci_module_owner_of(target, probe->block, sub - 1) == gpci_module_owner_of(target, probe->block, sub);
}

/*
 * The owners of all requested sub-blocks are probed, except the requester. Multi2Sim (PROBE_WHOLE) probes the owners of
 * all sub-blocks of the target's block.
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
 * If a block has no owner, a sharer may send the block to the requester, if the protocol's rule for READ_PROBE in S
 * says SEND_DATA (MSI, MESI; Table 2.1, step 9). Any sharer could send; the function takes the last in the directory.
 */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *coherence, const gpci_module *target,
                                   const gpci_tree_read_probe *probe) {
    if (!probe->request || !gpci_tree_has(coherence, GPC_PROTOCOL_PEER) ||
        probe->request->from->given.block_bytes != 1u << target->sub_shift)
        return GPC_NO_MODULE;
    const uint32_t sub = gpci_module_sub_of(target, probe->request->tag);
    if (target->pointers && !gpci_directory_is_exact(target, probe->block, sub))
        /* the entry stands for groups: no module is known to have a copy; the target sends its own block */
        return GPC_NO_MODULE;
    for (uint32_t word = target->sharer_words; word-- > 0;) {
        gpci_sharers bits = gpci_sharers_word(target, probe->block, sub, word);
        while (bits) {
            const uint32_t slot = word * GPCI_SHARERS + gpci_log2(bits);
            const gpci_module *probed = gpci_module_at(coherence, target->above[slot]);
            bits &= (gpci_sharers)~gpci_sharer_in(slot, word);
            if (probed != probe->request->from && is_peer(probed, probe->request->from) &&
                gpci_tree_sharers_send(coherence, probed->rules))
                return probed->index;
        }
    }
    return GPC_NO_MODULE;
}

/*
 * After the reply, the probed module is still the owner only in state O or F, and still a sharer only if it had a copy.
 */
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
