/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/transaction.h"

/*
 * Lookups: find or allocate a block in a module. This is Multi2Sim's find_and_lock without the lock, which sequential
 * transactions do not need.
 *
 * Example, an L1 of one set and 2 ways, which hold A (most recent) and B; a load of C:
 *   gpci_tree_find_or_allocate  the directory latency; C misses
 *   gpci_tree_allocate          victim is B's way, which becomes the most recent; B is evicted; the way is in I
 *   the caller                  requests C, and writes tag and state with gpci_tree_set_state
 */

static gpci_tree_lookup missing(void) {
    return (gpci_tree_lookup){GPCI_TREE_NO_BLOCK, GPC_LINE_I, false};
}

/* `probe`: on behalf of a module below; not a use by the processors above m. */
static gpci_tree_lookup find(gpc_coherence *c, gpci_module *m, uint64_t address, bool probe, gpci_tree_point *at) {
    uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, address));
    if (block == GPCI_TREE_NO_BLOCK) { /* Multi2Sim: a probe that misses takes no time */
        m->stats.accesses++;
        m->stats.directory_accesses++;
        return missing();
    }
    *at = gpci_tree_read_directory(c, m, *at);
    if (probe)
        gpci_module_probe(m, block);
    else
        gpci_module_touch(m, block);
    return (gpci_tree_lookup){block, m->states[block], true};
}

gpci_tree_lookup gpci_tree_find(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at) {
    return find(c, m, address, false, at);
}

gpci_tree_lookup gpci_tree_find_probed(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at) {
    return find(c, m, address, true, at);
}

void gpci_tree_fail_victim(gpc_coherence *c, const gpci_module *m) {
    gpci_tree_fail(c, GPC_ERROR_CALLBACK, "replacement of module %s chose a way that is none", m->given.name);
}

void gpci_tree_evict_line(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t tag, gpci_tree_point *at) {
    bool evicted = false;
    for (uint32_t sector = 0; sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (m->states[other] == GPC_LINE_I || gpci_module_same_line(m, gpci_module_tag(m, other), tag))
            continue;
        m->stats.evictions += !evicted;
        evicted = true;
        *at = gpci_tree_evict(c, m, other, *at);
    }
}

uint32_t gpci_tree_allocate(gpc_coherence *c, gpci_module *m, uint64_t tag, gpci_tree_point *at) {
    uint32_t block = gpci_module_victim(m, tag);
    if (GPCI_UNLIKELY(block == GPCI_TREE_NO_BLOCK)) {
        gpci_tree_fail_victim(c, m);
        block = m->full_map ? 0 : gpci_module_row(m, tag) * m->all_ways;
    }
    if (GPCI_UNLIKELY(m->sector_mask)) {
        gpci_tree_evict_line(c, m, block, tag, at);
        return block;
    }
    if (m->states[block] == GPC_LINE_I)
        return block;
    m->stats.evictions++;
    *at = gpci_tree_evict(c, m, block, *at);
    gpci_tree_set_state(c, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTION, *at);
    return block;
}

gpci_tree_lookup gpci_tree_find_or_allocate(gpc_coherence *c, gpci_module *m, uint64_t address, gpci_tree_point *at) {
    uint64_t tag = gpci_module_tag_of(m, address);
    *at = gpci_tree_read_directory(c, m, *at);
    c->deepest = m->level > c->deepest ? (uint8_t)m->level : c->deepest;
    uint32_t block = gpci_module_find(m, tag);
    if (block != GPCI_TREE_NO_BLOCK) {
        if (GPCI_UNLIKELY(gpci_module_directory_only(m, block)))
            block = gpci_tree_promote(c, m, block, at);
        gpci_module_touch(m, block);
        return (gpci_tree_lookup){block, m->states[block], true};
    }
    block = gpci_tree_allocate(c, m, tag, at);
    if (m->place == GPCI_PLACE_MEMORY)
        gpci_tree_set_state(c, m, block, tag, GPC_LINE_E, GPC_ORIGIN_FIND_IN_MEMORY, *at);
    return (gpci_tree_lookup){block, m->states[block], false};
}
