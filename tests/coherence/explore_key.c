/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"
#include "coherence/invariants.h"

#include <string.h>

/*
 * The canonical form of a state: per module its blocks in the order of recency, per block state, written bytes and
 * directory. Left out, since nothing that follows depends on it: the way that a block is in (recency alone chooses
 * victims), what invalid blocks hold, their order where free ways are taken first, bytes that are never written, and
 * in which order a memory without sets came to know its blocks. Recency itself stays: it does choose victims.
 */

typedef struct writer {
    uint8_t *key;
    uint32_t length;
} writer;

static void put(writer *w, uint8_t byte) {
    w->key[w->length++] = byte;
}

/* Each entry takes the same room whether there is a block or not. */
static void put_entry(const explorer *e, writer *w, const gpci_module *m, uint32_t block) {
    const explore_setup *s = e->setup;
    const bool there = block != GPCI_TREE_NO_BLOCK && m->states[block] != GPC_LINE_I;
    put(w, there ? (uint8_t)(1 + (m->tags[block] - EXPLORE_BASE) / m->given.block_bytes) : 0);
    put(w, there ? (uint8_t)(m->states[block] | (gpci_module_directory_only(m, block) ? 8 : 0)) : GPC_LINE_I);
    for (uint32_t b = 0; b < s->blocks && !m->given.memory; b++)
        for (uint32_t p = 0; p < s->positions; p++) {
            const uint64_t address = explore_address(b, p), at = address % m->given.block_bytes;
            const bool mine = there && m->data && gpci_module_tag_of(m, address) == m->tags[block];
            const uint32_t bytes = (m->given.block_bytes + 7) / 8;
            const bool dirty = mine && (m->dirty[(size_t)block * bytes + at / 8] >> at % 8 & 1);
            put(w, mine ? (uint8_t)(m->data[(size_t)block * m->given.block_bytes + at] | dirty << 7) : 0);
        }
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++) {
        const uint16_t owner = there ? *gpci_module_owner_of(m, block, sub) : GPCI_TREE_NO_OWNER;
        put(w, owner == GPCI_TREE_NO_OWNER ? 255 : (uint8_t)owner);
        put(w, there ? (uint8_t)*gpci_module_sharers_of(m, block, sub) : 0);
    }
}

/* A set's entries, most recent first; those of `first` to `first + count` of its recency order. */
static void put_list(const explorer *e, writer *w, const gpci_module *m, uint32_t first, uint32_t count) {
    uint32_t put_in = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t block = m->order[i];
        if (!m->given.any_victim && m->states[block] == GPC_LINE_I)
            continue;
        put_entry(e, w, m, block);
        put_in++;
    }
    for (; put_in < count; put_in++)
        put_entry(e, w, m, GPCI_TREE_NO_BLOCK);
}

uint32_t explore_key(const explorer *e, uint8_t key[EXPLORE_KEY]) {
    writer w = {key, 0};
    for (uint32_t i = 0; i < e->c->module_count; i++) {
        const gpci_module *m = &e->c->modules[i];
        const uint64_t window = (uint64_t)e->setup->blocks * EXPLORE_BLOCK;
        if (m->full_map)
            for (uint64_t a = EXPLORE_BASE; a < EXPLORE_BASE + window; a += m->given.block_bytes)
                put_entry(e, &w, m, gpci_module_find(m, gpci_module_tag_of(m, a)));
        else
            put_list(e, &w, m, 0, m->given.ways), put_list(e, &w, m, m->given.ways, m->given.directory_ways);
    }
    for (uint32_t b = 0; b < e->setup->blocks; b++) {
        uint8_t bytes[EXPLORE_POSITIONS] = {0};
        gpc_coherence_read_memory(e->c, explore_address(b, 0), bytes, e->setup->positions);
        for (uint32_t p = 0; p < e->setup->positions; p++)
            put(&w, (uint8_t)(bytes[p] | e->raced[b][p] << 7));
    }
    return w.length;
}
