/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/next_use.h"

#define FULL (((uint32_t)1 << GPCI_NEXT_USE_COUNTER_BITS) - 1)

gpc_status gpci_next_use_init(gpci_next_use *next_use, gpc_context *context, const gpci_next_use_config *config) {
    *next_use = (gpci_next_use){.context = context, .config = *config, .left = config->period};
    next_use->table = gpci_zalloc(context, config->entries, sizeof *next_use->table);
    next_use->fifos = gpci_zalloc(context, (size_t)config->sets * config->depth, sizeof *next_use->fifos);
    next_use->places = gpci_zalloc(context, config->sets, sizeof *next_use->places);
    if (next_use->table && next_use->fifos && next_use->places)
        return GPC_OK;
    gpci_next_use_finish(next_use);
    return GPC_ERROR_MEMORY;
}

void gpci_next_use_finish(gpci_next_use *next_use) {
    gpci_free(next_use->context, next_use->table);
    gpci_free(next_use->context, next_use->fifos);
    gpci_free(next_use->context, next_use->places);
}

uint32_t gpci_next_use_entry_of(const gpci_next_use *next_use, uint64_t pc) {
    uint32_t bits = gpci_log2(next_use->config.entries), entry = 0;
    for (uint64_t left = pc >> 3; left && bits; left >>= bits) /* a PC is a multiple of 8 at least */
        entry ^= (uint32_t)left & (next_use->config.entries - 1);
    return entry;
}

static void count(uint32_t *counter) {
    *counter += *counter < FULL;
}

/*
 * Hits in the DeliWays if `more` is selected beside the selected entries. `all`: number of lines that left, of all
 * entries.
 */
static uint64_t hits_of(const gpci_next_use *next_use, uint64_t all, const gpci_next_use_entry *more) {
    uint64_t left = 0, hits = 0;
    for (uint32_t i = 0; i < next_use->config.entries; i++)
        left += next_use->table[i].selected || &next_use->table[i] == more ? next_use->table[i].left : 0;
    if (!left)
        return 0;
    uint64_t step = next_use->config.depth / GPCI_NEXT_USE_BINS, life = next_use->config.deli * all / left;
    for (uint32_t i = 0; i < next_use->config.entries; i++)
        for (uint32_t bin = 0; bin < GPCI_NEXT_USE_BINS && (bin + 1) * step <= life; bin++)
            hits += next_use->table[i].selected || &next_use->table[i] == more ? next_use->table[i].used[bin] : 0;
    return hits;
}

static void select_entries(gpci_next_use *next_use) {
    uint64_t all = 0, best = 0;
    for (uint32_t i = 0; i < next_use->config.entries; i++) {
        all += next_use->table[i].left;
        next_use->table[i].selected = false;
    }
    for (gpci_next_use_entry *added;; added->selected = true) {
        added = NULL;
        for (uint32_t i = 0; i < next_use->config.entries; i++) {
            if (!next_use->table[i].left || next_use->table[i].selected)
                continue;
            uint64_t hits = hits_of(next_use, all, &next_use->table[i]);
            if (hits > best) {
                best = hits;
                added = &next_use->table[i];
            }
        }
        if (!added)
            return;
    }
}

static void age(gpci_next_use *next_use) {
    for (uint32_t i = 0; i < next_use->config.entries; i++) {
        next_use->table[i].left /= 2;
        for (uint32_t bin = 0; bin < GPCI_NEXT_USE_BINS; bin++)
            next_use->table[i].used[bin] /= 2;
    }
}

void gpci_next_use_leaves(gpci_next_use *next_use, uint32_t fifo, uint64_t block, uint32_t entry) {
    uint32_t *place = &next_use->places[fifo];
    next_use->fifos[(size_t)fifo * next_use->config.depth + *place] =
        (gpci_next_use_line){.block = 1 + block, .entry = entry};
    *place = (*place + 1) % next_use->config.depth;
    count(&next_use->table[entry].left);
    if (--next_use->left)
        return;
    next_use->left = next_use->config.period;
    select_entries(next_use);
    age(next_use);
}

void gpci_next_use_access(gpci_next_use *next_use, uint32_t fifo, uint64_t block) {
    gpci_next_use_line *lines = next_use->fifos + (size_t)fifo * next_use->config.depth;
    for (uint32_t i = 0; i < next_use->config.depth; i++)
        if (lines[i].block == 1 + block) {
            uint32_t distance = (next_use->places[fifo] + next_use->config.depth - 1 - i) % next_use->config.depth;
            count(&next_use->table[lines[i].entry].used[distance / (next_use->config.depth / GPCI_NEXT_USE_BINS)]);
            lines[i].block = 0;
            return;
        }
}

/*
 * Cost in bits. Each table entry has the bit `selected` and its counters. Each FIFO has its place, and for each line a
 * tag with a valid bit and the number of the table entry. A counter counts the period.
 */
uint64_t gpci_next_use_bits(const gpci_next_use_config *config) {
    uint64_t line = GPCI_NEXT_USE_TAG_BITS + 1 + gpci_ceil_log2(config->entries);
    return config->entries * (1 + (1 + GPCI_NEXT_USE_BINS) * (uint64_t)GPCI_NEXT_USE_COUNTER_BITS) +
           config->sets * (config->depth * line + gpci_ceil_log2(config->depth)) + gpci_ceil_log2(config->period);
}

void gpci_next_use_state(gpci_next_use *next_use, gpc_state_fn visit, void *user_data) {
    visit(user_data, next_use->table, next_use->config.entries * sizeof *next_use->table);
    visit(user_data, next_use->fifos, (size_t)next_use->config.sets * next_use->config.depth * sizeof *next_use->fifos);
    visit(user_data, next_use->places, next_use->config.sets * sizeof *next_use->places);
    visit(user_data, &next_use->left, sizeof next_use->left);
}
