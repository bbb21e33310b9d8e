/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

/*
 * Invalidations without acknowledgement (GPC_PROTOCOL_INVALIDATES): T informs the caches it lists that their copies are
 * stale, and continues. A cache that has the block drops it, and informs the caches it lists itself.
 *
 * Listed: a middle cache that has read the block. Informed: when R's bytes are stored in T's block, all listed caches
 * except R, which has the bytes; when T's block leaves, all, because T would forget them. Informed caches are no longer
 * listed.
 *
 * Example, hmg, L2s a and b over a memory that lists both; a store from above a:
 *   WRITE_THROUGH  a to memory   the bytes are merged; a stays listed
 *   INVALIDATION   memory to b   b goes from S to I, and is not listed
 *   ACK            memory to a   sent once the bytes are stored, without waiting for b
 * For overlapping accesses, controller_tell.c sends the messages.
 */

gpci_tree_copies gpci_tree_copies_of(const gpci_module *t, const gpci_tree_told *told) {
    return (gpci_tree_copies){.block = told->block,
                              .except = told->except,
                              .first = told->first >> t->sub_shift << t->sub_shift,
                              .last = told->last};
}

/* Drop X's copy. */
void gpci_tree_drop_told(gpc_coherence *c, gpci_module *x, uint32_t block, gpci_tree_point at) {
    const gpc_protocol_rule rule = gpci_tree_rule(c, x, x->states[block], GPC_EVENT_WRITE_PROBE);
    x->stats.invalidations++;
    gpci_tree_set_state(c, x, block, 0, rule.next, GPC_ORIGIN_WRITE_DOWN_UP, at);
}

static void tell(gpc_coherence *c, gpci_module *t, gpci_module *x, uint64_t tag, gpci_tree_point at) {
    at = gpci_tree_send(c, t, t, x, GPC_MESSAGE_INVALIDATION, tag, c->control_bytes, at);
    const uint32_t message = at.after;
    const gpci_tree_lookup found = gpci_tree_find_probed(c, x, tag, &at);
    gpci_tree_message_found(c, message, &found);
    if (!found.hit)
        return;
    const gpci_tree_told all = {.block = found.block, .last = UINT64_MAX};
    gpci_tree_tell(c, x, &all, at);
    gpci_tree_drop_told(c, x, found.block, at);
}

void gpci_tree_tell_copies(gpc_coherence *c, gpci_module *t, const gpci_tree_told *told, gpci_tree_point at) {
    gpci_tree_copies copies = gpci_tree_copies_of(t, told);
    for (uint64_t tag; gpci_tree_next_copy(c, t, &copies, &tag);)
        tell(c, t, gpci_module_at(c, copies.module), tag, at);
}
