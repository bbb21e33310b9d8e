/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

/*
 * Neighbours: where a module reads a block that an access misses, it reads the others of the aligned group of
 * `fetch_blocks` that it has not got, too. They are requests of their own, after the access, which does not wait
 * for them; each leaves its block as a load, or a read request from above, would. What the access asks for itself
 * by others that are part of it (gpc_coherence.asks) is left to these, so that they find what they would have found.
 *
 * Example, an L2 of lines of four blocks, fetch_blocks = 2, over memory: an L1 reads blocks 2 and 0 of a line, in one
 * instruction. For 2 the L2 reads 2, and then 3; for 0 it reads 0, and then 1. An instruction that reads 2 and 3 has
 * it read these, both upon their own requests.
 */

void gpci_tree_wish_for(gpc_coherence *c, const gpci_module *m, uint64_t address) {
    if (c->wish_count < c->wish_room)
        c->wishes[c->wish_count++] = (gpci_tree_wish){gpci_module_tag_of(m, address), m->index};
}

bool gpci_tree_is_asked(const gpci_module *asker, uint64_t address, gpci_tree_asks asks, const gpci_module *m,
                        uint64_t tag) {
    if (!gpci_module_same_line(asker, address, tag))
        return false;
    const uint32_t first = (uint32_t)(tag >> asker->block_shift) & asker->sector_mask;
    const uint32_t count = m->given.block_bytes >> asker->block_shift;
    return (m->above_count ? asks.below : asks.own) >> first &
           ((1u << (count < GPCI_TREE_SECTORS ? count : GPCI_TREE_SECTORS)) - 1);
}

/* One neighbour, if its line has not gone again. */
static gpci_tree_point fetch(gpc_coherence *c, gpci_module *m, uint64_t tag, gpci_tree_point at) {
    const uint32_t found = gpci_module_find(m, tag);
    if (found != GPCI_TREE_NO_BLOCK) {
        const bool lacks = !gpci_module_directory_only(m, found) && gpci_module_is_partial(m, found);
        return lacks ? gpci_tree_complete(c, m, found, at) : at;
    }
    const uint32_t way = gpci_module_way_of_line(m, tag);
    if (way == GPCI_TREE_NO_BLOCK)
        return at;
    return gpci_tree_fetch(c, m, gpci_module_row(m, tag) * m->all_ways + way, tag, gpci_neighbour_event(m),
                           gpci_neighbour_origin(m), 0, at)
        .at;
}

/* In the order of the wishes, those towards the processors first: what these read may be more misses below. */
void gpci_tree_grant_wishes(gpc_coherence *c, gpci_tree_point at) {
    const uint8_t deepest = c->deepest;
    for (uint32_t i = 0; i < c->wish_count; i++) {
        const gpci_tree_wish wish = c->wishes[i];
        gpci_module *m = gpci_module_at(c, wish.module);
        const uint64_t first = wish.tag & ~(((uint64_t)m->fetch_mask << m->block_shift));
        for (uint32_t k = 0; k <= m->fetch_mask && gpci_reads_neighbours(m) && c->failed == GPC_OK; k++) {
            const uint64_t tag = first + ((uint64_t)k << m->block_shift);
            if (tag != wish.tag && gpci_module_serves(m, tag) &&
                !gpci_tree_is_asked(c->asker, c->asked, c->asks, m, tag))
                at = fetch(c, m, tag, at);
        }
    }
    c->wish_count = 0;
    c->deepest = deepest;
}
