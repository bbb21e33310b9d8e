/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

/*
 * Canonical form of a state: for each module its blocks in order of recency, for each block its state, written bytes
 * and directory. Left out, because no later step depends on them: the way of a block (only recency chooses victims),
 * contents and order of invalid blocks (if free ways are taken first), bytes never written, and the order in which a
 * memory without sets first saw its blocks. Recency stays, because recency chooses victims.
 *
 * With symmetries: the least hash over all possible orders of the caches.
 */

typedef struct key_writer {
    const gpci_explorer *e;
    const uint8_t *turn; /* [place]: module at the place */
    gpci_verify_hash hash;
} key_writer;

static void put(key_writer *w, uint64_t word) {
    gpci_verify_put(&w->hash, word);
}

/* Put owner and sharers of a sub-block, by place. */
static void put_directory(key_writer *w, const gpci_module *m, uint32_t block, uint32_t sub) {
    const uint16_t owner = gpci_module_owner_of(m, block, sub);
    uint64_t word = 0;
    for (uint32_t place = 0; place < w->e->c->module_count; place++) {
        const uint32_t x = w->turn[place];
        if (w->e->low[x][0] != m->index && (w->e->setup->blocks < 2 || w->e->low[x][1] != m->index))
            continue;
        const uint16_t slot = m->slots[x];
        word |= (uint64_t)gpci_tree_has_sharer(m, block, sub, slot) << place | (uint64_t)(owner == slot)
                                                                                   << (place + 32);
    }
    put(w, word);
}

/* Put an entry. An entry without a block takes the same room. */
static void put_entry(key_writer *w, const gpci_module *m, uint32_t block) {
    const gpci_verify_setup *s = w->e->setup;
    const bool there = block != GPCI_TREE_NO_BLOCK && m->states[block] != GPC_LINE_I;
    uint64_t word = there ? 1 + (gpci_module_tag(m, block) - GPCI_VERIFY_BASE) / m->given.block_bytes : 0;
    word = word << 7 | (there ? (uint32_t)m->states[block] | (gpci_module_directory_only(m, block) ? GPC_MAX_STATES : 0)
                              : GPC_LINE_I);
    for (uint32_t b = 0; b < s->blocks && !m->given.memory; b++)
        for (uint32_t p = 0; p < s->positions; p++) {
            const uint64_t address = gpci_verify_address(b, p), at = address % m->given.block_bytes;
            const bool mine = there && m->data && gpci_module_tag_of(m, address) == gpci_module_tag(m, block);
            const bool come = !m->lacks || (mine && gpci_module_has_byte(m, block, at));
            word <<= m->lacks ? 3 : 2;
            if (mine && come)
                word |= (uint64_t)(gpci_module_data_of(m, block)[at] & 1);
            if (mine)
                word |= (uint64_t)(gpci_module_dirty_of(m, block)[at / 8] >> at % 8 & 1) << 1;
            if (mine && m->lacks)
                word |= (uint64_t)come << 2;
        }
    put(w, m->lacks && there ? word << 1 | gpci_module_is_partial(m, block) : word);
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++)
        if (there)
            put_directory(w, m, block, sub);
}

/* Put the entries of the only set, most recent first; `own`: of the ways without lines. */
static void put_list(key_writer *w, const gpci_module *m, bool own) {
    const uint32_t count = own ? m->given.directory_ways : m->given.ways;
    uint32_t put_in = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = (own ? m->given.ways : 0) + gpci_module_way_at(m, 0, own, i);
        if (!m->given.any_victim && m->states[block] == GPC_LINE_I)
            continue;
        put_entry(w, m, block);
        put_in++;
    }
    for (; put_in < count; put_in++)
        put_entry(w, m, GPCI_TREE_NO_BLOCK);
}

static void put_module(key_writer *w, const gpci_module *m) {
    const uint64_t window = (uint64_t)w->e->setup->blocks * GPCI_VERIFY_BLOCK;
    if (!m->full_map && !m->sector_mask) { /* a line has all blocks: lines have no order */
        put_list(w, m, false);
        put_list(w, m, true);
        return;
    }
    for (uint64_t a = GPCI_VERIFY_BASE; a < GPCI_VERIFY_BASE + window; a += m->given.block_bytes)
        put_entry(w, m, gpci_module_find(m, gpci_module_tag_of(m, a)));
}

static gpci_verify_hash key_of(const gpci_explorer *e, const uint8_t *turn) {
    key_writer w = {.e = e, .turn = turn};
    for (uint32_t place = 0; place < e->c->module_count; place++)
        put_module(&w, &e->c->modules[turn[place]]);
    for (uint32_t b = 0; b < e->setup->blocks; b++) {
        uint8_t bytes[GPCI_VERIFY_POSITIONS] = {0};
        gpc_coherence_read_memory(e->c, gpci_verify_address(b, 0), bytes, e->setup->positions);
        for (uint32_t p = 0; p < e->setup->positions; p++)
            put(&w, (uint64_t)(bytes[p] | e->ghost.raced[b][p] << 7));
    }
    return w.hash;
}

gpci_verify_hash gpci_verify_key(const gpci_explorer *e) {
    gpci_verify_hash least = key_of(e, e->turns[0]);
    for (uint32_t i = 1; i < e->turn_count; i++) {
        const gpci_verify_hash other = key_of(e, e->turns[i]);
        if (other.one < least.one || (other.one == least.one && other.other < least.other))
            least = other;
    }
    return least;
}
