/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/module/transaction.h"

/*
 * Limited directories, whose entries cannot name all copies (gpc_coherence_module.directory_pointers). Sharers still
 * have a bit per module above: the modules an entry stands for. While they are not more than the pointers, they are
 * named exactly. An entry with more sharers stands for groups of modules, or for all modules; it does not see which of
 * them drop their copy, so bits stay until all are probed. The owner is always known.
 *
 * Example, 2 pointers, groups of 2, modules a to f above:
 *   a and d have copies    a d       exact
 *   c reads                a b c d   wide: the groups of a, c and d
 *   d evicts its copy      a b c d   b and d will be probed in vain
 *   a writes               a         exact; b, c and d were probed
 */

/* True if a module above T would ask T for the address. */
static bool may_share(const gpc_coherence *coherence, const gpci_module *target, uint32_t slot, uint64_t address) {
    const gpci_module *probed = gpci_module_at(coherence, target->above[slot]);
    return gpci_module_serves(probed, address) && gpci_module_low(coherence, probed, address) == target->index;
}

static uint32_t count_of(const gpci_module *target, uint32_t block, uint32_t sub) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->sharer_words; i++)
        for (uint64_t bits = gpci_sharers_word(target, block, sub, i); bits; bits &= bits - 1)
            count++;
    return count;
}

bool gpci_directory_is_exact(const gpci_module *target, uint32_t block, uint32_t sub) {
    return count_of(target, block, sub) <= target->pointers;
}

/* True if a group has a sharer. */
static bool has_any(const gpci_module *target, uint32_t block, uint32_t sub, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot++)
        if (gpci_tree_has_sharer(target, block, sub, slot))
            return true;
    return false;
}

/* Extend the entry to whole groups. */
static void widen(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub) {
    const uint64_t address = gpci_tree_address_of(target, block, sub);
    const uint32_t count = target->above_count, group = target->given.directory_overflow == GPC_OVERFLOW_COARSE
                                                            ? target->given.directory_region
                                                            : count;
    for (uint32_t first = 0; first < count; first += group) {
        const uint32_t end = count - first < group ? count : first + group;
        if (!has_any(target, block, sub, first, end))
            continue;
        for (uint32_t slot = first; slot < end; slot++)
            if (may_share(coherence, target, slot, address))
                gpci_sharers_add(target, block, sub, slot);
    }
}

void gpci_directory_add(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub,
                        uint32_t slot) {
    const bool exact = gpci_directory_is_exact(target, block, sub);
    gpci_sharers_add(target, block, sub, slot);
    if (gpci_directory_is_exact(target, block, sub))
        return;
    target->stats.directory_overflows += exact;
    GPCI_AGAIN(target->again.directory_overflows += exact ? 1 : 0);
    widen(coherence, target, block, sub);
}

/*
 * If bytes may be stored non-coherently, the owner is invalidated first: its modified bytes are older than others'
 * stores, and must reach the module below earlier. Otherwise the owner is invalidated last, after the other sharers, in
 * turn from R on.
 */
uint32_t gpci_directory_victim(const gpc_coherence *coherence, const gpci_module *target, uint32_t block, uint32_t sub,
                               const gpci_module *requester) {
    const uint32_t own = target->slots[requester->index], count = target->above_count,
                   owner = gpci_module_owner_of(target, block, sub);
    const uint32_t others = count_of(target, block, sub) - gpci_tree_has_sharer(target, block, sub, own);
    if (target->given.directory_overflow != GPC_OVERFLOW_EVICT || others < target->pointers)
        return GPC_NO_MODULE;
    if (coherence->non_coherent && owner != GPCI_TREE_NO_OWNER && owner != own)
        return owner;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t slot = own + i < count ? own + i : own + i - count;
        if (slot != owner && gpci_tree_has_sharer(target, block, sub, slot))
            return slot;
    }
    return owner;
}

bool gpci_directory_lacks_room(const gpc_coherence *coherence, const gpci_module *target, uint32_t block,
                               const gpci_module *requester, uint64_t tag) {
    const gpci_tree_span span = gpci_tree_span_of(target, requester, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        if (gpci_directory_victim(coherence, target, block, sub, requester) != GPC_NO_MODULE)
            return true;
    return false;
}
