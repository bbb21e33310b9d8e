/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/next_use.h"

#define FULL (((uint32_t)1 << GPCI_NEXT_USE_COUNTER_BITS) - 1)

gpc_status gpci_next_use_init(gpci_next_use *m, gpc_context *context, const gpci_next_use_config *config) {
    *m = (gpci_next_use){.context = context, .config = *config, .left = config->period};
    m->table = gpci_zalloc(context, config->entries, sizeof *m->table);
    m->fifos = gpci_zalloc(context, (size_t)config->sets * config->depth, sizeof *m->fifos);
    m->places = gpci_zalloc(context, config->sets, sizeof *m->places);
    if (m->table && m->fifos && m->places)
        return GPC_OK;
    gpci_next_use_finish(m);
    return GPC_ERROR_MEMORY;
}

void gpci_next_use_finish(gpci_next_use *m) {
    gpci_free(m->context, m->table);
    gpci_free(m->context, m->fifos);
    gpci_free(m->context, m->places);
}

uint32_t gpci_next_use_entry_of(const gpci_next_use *m, uint64_t pc) {
    uint32_t bits = gpci_log2(m->config.entries), entry = 0;
    for (uint64_t left = pc >> 3; left && bits; left >>= bits) /* a PC is a multiple of 8 at least */
        entry ^= (uint32_t)left & (m->config.entries - 1);
    return entry;
}

static void count(uint32_t *counter) {
    *counter += *counter < FULL;
}

/* Hits of the selected entries, and of `more` if not NULL. `all` counts all lines that left. */
static uint64_t hits_of(const gpci_next_use *m, uint64_t all, const gpci_next_use_entry *more) {
    uint64_t left = 0, hits = 0;
    for (uint32_t i = 0; i < m->config.entries; i++)
        left += m->table[i].selected || &m->table[i] == more ? m->table[i].left : 0;
    if (!left)
        return 0;
    uint64_t step = m->config.depth / GPCI_NEXT_USE_BINS, life = m->config.deli * all / left;
    for (uint32_t i = 0; i < m->config.entries; i++)
        for (uint32_t bin = 0; bin < GPCI_NEXT_USE_BINS && (bin + 1) * step <= life; bin++)
            hits += m->table[i].selected || &m->table[i] == more ? m->table[i].used[bin] : 0;
    return hits;
}

static void select_entries(gpci_next_use *m) {
    uint64_t all = 0, best = 0;
    for (uint32_t i = 0; i < m->config.entries; i++) {
        all += m->table[i].left;
        m->table[i].selected = false;
    }
    for (gpci_next_use_entry *added;; added->selected = true) {
        added = NULL;
        for (uint32_t i = 0; i < m->config.entries; i++) {
            if (!m->table[i].left || m->table[i].selected)
                continue;
            uint64_t hits = hits_of(m, all, &m->table[i]);
            if (hits > best) {
                best = hits;
                added = &m->table[i];
            }
        }
        if (!added)
            return;
    }
}

static void age(gpci_next_use *m) {
    for (uint32_t i = 0; i < m->config.entries; i++) {
        m->table[i].left /= 2;
        for (uint32_t bin = 0; bin < GPCI_NEXT_USE_BINS; bin++)
            m->table[i].used[bin] /= 2;
    }
}

void gpci_next_use_leaves(gpci_next_use *m, uint32_t fifo, uint64_t block, uint32_t entry) {
    uint32_t *place = &m->places[fifo];
    m->fifos[(size_t)fifo * m->config.depth + *place] = (gpci_next_use_line){.block = 1 + block, .entry = entry};
    *place = (*place + 1) % m->config.depth;
    count(&m->table[entry].left);
    if (--m->left)
        return;
    m->left = m->config.period;
    select_entries(m);
    age(m);
}

void gpci_next_use_access(gpci_next_use *m, uint32_t fifo, uint64_t block) {
    gpci_next_use_line *lines = m->fifos + (size_t)fifo * m->config.depth;
    for (uint32_t i = 0; i < m->config.depth; i++)
        if (lines[i].block == 1 + block) {
            uint32_t distance = (m->places[fifo] + m->config.depth - 1 - i) % m->config.depth;
            count(&m->table[lines[i].entry].used[distance / (m->config.depth / GPCI_NEXT_USE_BINS)]);
            lines[i].block = 0;
            return;
        }
}

/*
 * Table: for each entry a bit and its counters. FIFOs: for each its place, and per line a tag with a valid bit and the
 * entry. Counter of the period.
 */
uint64_t gpci_next_use_bits(const gpci_next_use_config *c) {
    uint64_t line = GPCI_NEXT_USE_TAG_BITS + 1 + gpci_ceil_log2(c->entries);
    return c->entries * (1 + (1 + GPCI_NEXT_USE_BINS) * (uint64_t)GPCI_NEXT_USE_COUNTER_BITS) +
           c->sets * (c->depth * line + gpci_ceil_log2(c->depth)) + gpci_ceil_log2(c->period);
}

void gpci_next_use_state(gpci_next_use *m, gpc_state_fn visit, void *user_data) {
    visit(user_data, m->table, m->config.entries * sizeof *m->table);
    visit(user_data, m->fifos, (size_t)m->config.sets * m->config.depth * sizeof *m->fifos);
    visit(user_data, m->places, m->config.sets * sizeof *m->places);
    visit(user_data, &m->left, sizeof m->left);
}
