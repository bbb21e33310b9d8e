/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

/*
 * Canonical form of a state: for each module its blocks in order of recency, for each block its state, written bytes
 * and directory. Left out, because no later step depends on them: the way of a block (only recency chooses victims),
 * contents and order of invalid blocks (if free ways are taken first), bytes never written, and the order in which a
 * memory without sets first saw its blocks. Recency stays, because recency chooses victims.
 *
 * In a symmetric tree, the key is the least hash over all permutations of the caches.
 */

typedef struct key_writer {
    const gpci_explorer *explorer;
    const uint8_t *permutation; /* [place]: module at the place */
    gpci_verify_hash hash;
} key_writer;

static void put(key_writer *key, uint64_t word) {
    gpci_verify_put(&key->hash, word);
}

/* Put the owner and sharers of a sub-block, by their places in the permutation. */
static void put_directory(key_writer *key, const gpci_module *module, uint32_t block, uint32_t sub) {
    const uint16_t owner = gpci_module_owner_of(module, block, sub);
    uint64_t word = 0;
    for (uint32_t place = 0; place < key->explorer->coherence->module_count; place++) {
        const uint32_t x = key->permutation[place];
        if (key->explorer->low[x][0] != module->index &&
            (key->explorer->setup->blocks < 2 || key->explorer->low[x][1] != module->index))
            continue;
        const uint16_t slot = module->slots[x];
        word |= (uint64_t)gpci_tree_has_sharer(module, block, sub, slot) << place | (uint64_t)(owner == slot)
                                                                                        << (place + 32);
    }
    put(key, word);
}

/* Put the tag, state, bytes and directory of a block. GPCI_TREE_NO_BLOCK: put a word for an empty way. */
static void put_entry(key_writer *key, const gpci_module *module, uint32_t block) {
    const gpci_verify_setup *setup = key->explorer->setup;
    const bool there = block != GPCI_TREE_NO_BLOCK && module->states[block] != GPC_LINE_I;
    uint64_t word = there ? 1 + (gpci_module_tag(module, block) - GPCI_VERIFY_BASE) / module->given.block_bytes : 0;
    word = word << 7 |
           (there ? (uint32_t)module->states[block] | (gpci_module_directory_only(module, block) ? GPC_MAX_STATES : 0)
                  : GPC_LINE_I);
    for (uint32_t b = 0; b < setup->blocks && !module->given.memory; b++)
        for (uint32_t p = 0; p < setup->positions; p++) {
            const uint64_t address = gpci_verify_address(b, p), at = address % module->given.block_bytes;
            const bool mine =
                there && module->data && gpci_module_tag_of(module, address) == gpci_module_tag(module, block);
            const bool come = !module->lacks || (mine && gpci_module_has_byte(module, block, at));
            word <<= module->lacks ? 3 : 2;
            if (mine && come)
                word |= (uint64_t)(gpci_module_data_of(module, block)[at] & 1);
            if (mine)
                word |= (uint64_t)(gpci_module_dirty_of(module, block)[at / 8] >> at % 8 & 1) << 1;
            if (mine && module->lacks)
                word |= (uint64_t)come << 2;
        }
    put(key, module->lacks && there ? word << 1 | gpci_module_is_partial(module, block) : word);
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++)
        if (there)
            put_directory(key, module, block, sub);
}

/* Put the blocks of the module's only set, most recent first. `own`: blocks of the ways without lines. */
static void put_list(key_writer *key, const gpci_module *module, bool own) {
    const uint32_t count = own ? module->given.directory_ways : module->given.ways;
    uint32_t put_in = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = (own ? module->given.ways : 0) + gpci_module_way_at(module, 0, own, i);
        if (!module->given.any_victim && module->states[block] == GPC_LINE_I)
            continue;
        put_entry(key, module, block);
        put_in++;
    }
    for (; put_in < count; put_in++)
        put_entry(key, module, GPCI_TREE_NO_BLOCK);
}

static void put_module(key_writer *key, const gpci_module *module) {
    const uint64_t window = (uint64_t)key->explorer->setup->blocks * GPCI_VERIFY_BLOCK;
    /* if lines have several blocks, the only line has all explored blocks, and the order of ways has no effect */
    if (!module->full_map && !module->sector_mask) {
        put_list(key, module, false);
        put_list(key, module, true);
        return;
    }
    for (uint64_t a = GPCI_VERIFY_BASE; a < GPCI_VERIFY_BASE + window; a += module->given.block_bytes)
        put_entry(key, module, gpci_module_find(module, gpci_module_tag_of(module, a)));
}

static gpci_verify_hash key_of(const gpci_explorer *explorer, const uint8_t *permutation) {
    key_writer key = {.explorer = explorer, .permutation = permutation};
    for (uint32_t place = 0; place < explorer->coherence->module_count; place++)
        put_module(&key, &explorer->coherence->modules[permutation[place]]);
    for (uint32_t b = 0; b < explorer->setup->blocks; b++) {
        uint8_t bytes[GPCI_VERIFY_POSITIONS] = {0};
        gpc_coherence_read_memory(explorer->coherence, gpci_verify_address(b, 0), bytes, explorer->setup->positions,
                                  NULL);
        for (uint32_t p = 0; p < explorer->setup->positions; p++)
            put(&key, (uint64_t)(bytes[p] | explorer->ghost.raced[b][p] << 7));
    }
    return key.hash;
}

gpci_verify_hash gpci_verify_key(const gpci_explorer *explorer) {
    gpci_verify_hash least = key_of(explorer, explorer->permutations[0]);
    for (uint32_t i = 1; i < explorer->permutation_count; i++) {
        const gpci_verify_hash other = key_of(explorer, explorer->permutations[i]);
        if (other.one < least.one || (other.one == least.one && other.other < least.other))
            least = other;
    }
    return least;
}
