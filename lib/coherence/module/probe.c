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
static bool is_peer(const gpci_module *x, const gpci_module *r) {
    return x->given.block_bytes == r->given.block_bytes && x->near == r->near;
}

/* True if X sends the block straight to the requester. Both must have blocks of the same size. */
static bool sends_to_peer(const gpc_coherence *c, const gpci_module *x, const gpci_tree_request *request) {
    return request && gpci_tree_has(c, GPC_PROTOCOL_PEER) && is_peer(x, request->from);
}

/* Reply of X to a write probe, by X's rule: data go to the peer or to T, and X's copy is invalidated. */
void gpci_tree_invalidate_copy(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                               const gpci_tree_write_probe *probe) {
    gpci_module *x = gpci_module_at(c, reply->module);
    uint32_t block = reply->block;
    uint8_t state = gpci_tree_has(c, GPC_PROTOCOL_STALE_REPLY) ? reply->state : x->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, x, state, gpci_event_or(probe->event, GPC_EVENT_WRITE_PROBE));
    bool entry = gpci_module_directory_only(x, block),
         modified = entry ? reply->received || gpci_tree_entry_holds(c, x, block) : gpci_tree_is_modified(c, state);
    bool sends = rule.actions & GPC_DO_SEND_DATA && (modified || !entry);
    reply->peer = sends && !entry && !probe->through_t && sends_to_peer(c, x, probe->request);
    reply->data = sends && modified;
    reply->masked = gpci_tree_is_masked(c, state);
    if (reply->peer)
        gpci_tree_data_transfer(c, x, block, probe->request->from, probe->request->block,
                                !probe->request->valid && !modified, true);
    else if (reply->data)
        gpci_tree_data_merge(c, x, block, gpci_module_tag_of(x, reply->address), t, probe->block);
    if (reply->data && !reply->peer && reply->masked && probe->request)
        gpci_tree_data_yield(c, x, block, probe->request);
    if (sends && !reply->peer)
        reply->bytes += x->given.block_bytes;
    reply->sends = sends;
    if (GPCI_UNLIKELY(gpci_tree_is_detached(c, rule.next)) && !probe->gone && !entry) {
        gpci_tree_data_clean(c, x, block);
        gpci_tree_set_state(c, x, block, gpci_module_tag(x, block), rule.next, GPC_ORIGIN_DETACHED, reply->ready);
        return;
    }
    x->stats.invalidations++;
    gpci_tree_set_state(c, x, block, 0, GPC_LINE_I, GPC_ORIGIN_WRITE_DOWN_UP, reply->ready);
}

/*
 * Remove X, with `slot` in T's directory, from the sharers of X's block at the sub-block of the given address. False:
 * another sub-block is the place of X's probe. If X's blocks are larger, X has one block for several sub-blocks of T,
 * and is probed once. Multi2Sim (PROBE_WHOLE) goes by sub-blocks, and probes X at the first sub-block of X's block.
 */
GPCI_INLINE bool forget_copy(const gpc_coherence *c, gpci_module *t, uint32_t block, uint32_t sub, uint32_t slot,
                             const gpci_module *x, uint64_t address, uint64_t *tag) {
    const bool aligned_only = gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE);
    *tag = gpci_module_tag_of(x, address);
    const gpci_tree_span span = gpci_tree_span_of(t, x, *tag);
    for (uint32_t s = span.first; s < span.end; s++)
        if (!aligned_only || s == sub)
            gpci_tree_remove_sharer(t, block, s, slot);
    return !aligned_only || *tag == address;
}

/* One word of a sub-block's sharers. */
static gpci_sharers sharers_of(const gpc_coherence *c, const gpci_module *t, const gpci_tree_copies *copies) {
    const gpci_sharers bits = gpci_sharers_word(t, copies->block, copies->sub, copies->word);
    const uint32_t owner = gpci_module_owner_of(t, copies->block, copies->sub);
    if (GPCI_UNLIKELY(copies->room))
        return gpci_sharer_in(gpci_directory_victim(c, t, copies->block, copies->sub, copies->except), copies->word);
    return copies->only_owners ? bits & gpci_sharer_in(owner, copies->word) : bits;
}

bool gpci_tree_next_copy(gpc_coherence *c, gpci_module *t, gpci_tree_copies *copies, uint64_t *tag) {
    while (copies->sub < t->sub_blocks) {
        const uint64_t address = gpci_tree_address_of(t, copies->block, copies->sub);
        if (!copies->begun)
            copies->bits = address < copies->first || address > copies->last ? 0 : sharers_of(c, t, copies);
        copies->begun = true;
        while (copies->bits) {
            const uint32_t slot = copies->word * GPCI_SHARERS + gpci_lowest(copies->bits);
            const gpci_module *x = gpci_module_at(c, copies->module = t->above[slot]);
            copies->bits &= copies->bits - 1;
            if (x != copies->except && forget_copy(c, t, copies->block, copies->sub, slot, x, address, tag))
                return true;
        }
        copies->begun = false;
        if (++copies->word == t->sharer_words) {
            copies->word = 0;
            copies->sub++;
        }
    }
    return false;
}

/* Reply of X, which has the block, to a read probe by X's rule. `above`: replies to the probe of X's own owners. */
void gpci_tree_reply_to_read_probe(gpc_coherence *c, gpci_module *t, gpci_tree_probe_reply *reply,
                                   const gpci_tree_read_probe *probe, uint32_t block,
                                   const gpci_tree_read_probe *above) {
    gpci_module *x = gpci_module_at(c, reply->module);
    uint8_t state = x->states[block];
    gpc_protocol_rule rule = gpci_tree_rule(c, x, state, gpci_event_or(probe->event, GPC_EVENT_READ_PROBE));
    bool entry = gpci_module_directory_only(x, block); /* x holds only the bytes just received from above */
    bool received = above->data || (entry && gpci_tree_entry_holds(c, x, block));
    bool sends = rule.actions & GPC_DO_SEND_DATA, modified = received || (gpci_tree_is_modified(c, state) && !entry);
    if (entry || (gpci_tree_has(c, GPC_PROTOCOL_BARE_ACK) && above->probed))
        sends = received;
    reply->peer = sends && !entry && sends_to_peer(c, x, probe->request);
    bool back = sends && modified && (!reply->peer || rule.actions & GPC_DO_WRITE_BACK);
    if (reply->peer) { /* the bytes that X has not modified are the same in T */
        gpci_tree_data_fill(c, t, probe->block, probe->request->from, probe->request->block, probe->request->tag);
        gpci_tree_data_transfer(c, x, block, probe->request->from, probe->request->block, false, false);
    }
    if (back) {
        gpci_tree_data_merge(c, x, block, gpci_module_tag_of(x, reply->address), t, probe->block);
        gpci_tree_data_clean(c, x, block);
    }
    reply->data = back;
    if (back || (sends && !reply->peer))
        reply->bytes += above->probed || !gpci_tree_has(c, GPC_PROTOCOL_BARE_ACK) || !x->sub_blocks
                            ? x->given.block_bytes
                            : 1u << x->sub_shift;
    if (!(rule.actions & GPC_DO_IGNORE))
        gpci_tree_set_state(c, x, block, gpci_module_tag(x, block), rule.next,
                            above->data     ? GPC_ORIGIN_READ_DOWN_UP_1
                            : above->probed ? GPC_ORIGIN_READ_DOWN_UP_2
                                            : GPC_ORIGIN_READ_DOWN_UP_3,
                            reply->ready);
    reply->keeps = gpci_tree_stays_owner(c, rule.next) && !(rule.actions & GPC_DO_IGNORE);
}

/* True if the probe is for the sub-block. */
static bool is_requested(const gpci_tree_read_probe *probe, uint64_t address) {
    return !probe->request || address - probe->request->tag < probe->request->from->given.block_bytes;
}

/* X owns several sub-blocks as one block: was it probed for the sub-block before this one? */
static bool probed_before(const gpci_module *t, const gpci_tree_read_probe *probe, const gpci_module *x, uint32_t sub) {
    uint64_t address = gpci_tree_address_of(t, probe->block, sub), before = address - ((uint64_t)1 << t->sub_shift);
    return sub && gpci_module_tag_of(x, before) == gpci_module_tag_of(x, address) && is_requested(probe, before) &&
           gpci_module_owner_of(t, probe->block, sub - 1) == gpci_module_owner_of(t, probe->block, sub);
}

/*
 * Send a read probe to each owner of a sub-block but R; Multi2Sim (PROBE_WHOLE): of all sub-blocks, not only those
 * asked for.
 */
bool gpci_tree_owner_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe,
                              uint32_t sub, uint32_t *out_module, uint64_t *out_tag) {
    const bool whole = gpci_tree_has(c, GPC_PROTOCOL_PROBE_WHOLE);
    const uint16_t owner = gpci_module_owner_of(t, probe->block, sub);
    const uint64_t address = gpci_tree_address_of(t, probe->block, sub);
    if (owner == GPCI_TREE_NO_OWNER || (!whole && !is_requested(probe, address)))
        return false;
    const gpci_module *x = gpci_module_at(c, t->above[owner]);
    *out_module = x->index;
    *out_tag = gpci_module_tag_of(x, address);
    return !(probe->request && x == probe->request->from) &&
           !(whole ? *out_tag != address : probed_before(t, probe, x, sub));
}

/*
 * Without an owner, a sharer may send the block to R, if the protocol's rule for READ_PROBE in S says SEND_DATA (MSI,
 * MESI; Table 2.1, step 9). Any could; it is the last in the directory.
 */
uint32_t gpci_tree_sharer_to_probe(const gpc_coherence *c, const gpci_module *t, const gpci_tree_read_probe *probe) {
    if (!probe->request || !gpci_tree_has(c, GPC_PROTOCOL_PEER) ||
        probe->request->from->given.block_bytes != 1u << t->sub_shift)
        return GPC_NO_MODULE;
    const uint32_t sub = gpci_module_sub_of(t, probe->request->tag);
    if (t->pointers && !gpci_directory_is_exact(t, probe->block, sub))
        return GPC_NO_MODULE; /* T has the block, but no known sharer has */
    for (uint32_t slot = t->above_count; slot-- > 0;) {
        const gpci_module *x = gpci_module_at(c, t->above[slot]);
        if (x != probe->request->from && gpci_tree_has_sharer(t, probe->block, sub, slot) &&
            is_peer(x, probe->request->from) && gpci_tree_sharers_send(c, x->rules))
            return x->index;
    }
    return GPC_NO_MODULE;
}

/* T's directory after a reply: X is still the owner only in O or F, and still a sharer only if it had the block. */
void gpci_tree_update_directory(const gpc_coherence *c, gpci_module *t, uint32_t block,
                                const gpci_tree_probe_reply *reply) {
    const gpci_module *x = gpci_module_at(c, reply->module);
    const uint32_t slot = t->slots[x->index];
    const gpci_tree_span span = gpci_tree_span_of(t, x, reply->address);
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (!reply->keeps)
            gpci_tree_drop_owner(t, block, sub, slot);
        if (!reply->found)
            gpci_tree_drop_sharer(t, block, sub, slot);
    }
}
