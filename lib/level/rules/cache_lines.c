/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/cache_lines.h"

#include "cache/cache.h"
#include "level/rules/hierarchy.h"

void gpci_dirty_bytes(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]) {
    gpci_bytes dirty = gpci_bytes_of(cache, line->dirty_sectors);
    for (unsigned word = 0; word < 2; word++)
        bytes[word] = dirty.word[word] & (cache->written ? line->written_bytes[word] : UINT64_MAX);
}

bool gpci_next_dirty(const gpc_cache *cache, size_t *slot, gpc_line *line) {
    for (size_t slots = (size_t)cache->sets * cache->row; *slot < slots; ++*slot)
        if (GPCI_DIRTY(cache->states[*slot]))
            return gpci_line_of(cache, gpci_line_at(cache, *slot) << cache->line_shift, line);
    return false;
}

void gpci_drop_all(gpc_cache *cache) {
    if (cache->free_ways < cache->sets * cache->ways)
        gpc_cache_invalidate_all(cache);
}

void gpci_drop_below(gpc_cache *cache, uint64_t address, uint64_t bits) {
    const size_t slots = (size_t)cache->sets * cache->row;
    for (size_t slot = 0; slot < slots && cache->free_ways < cache->sets * cache->ways; slot++) {
        const uint64_t line =
            GPCI_VALID(cache->states[slot]) ? gpci_line_at(cache, slot) << cache->line_shift : address;
        if ((line & bits) < address)
            gpc_cache_invalidate_line(cache, line);
    }
}

bool gpci_holds(const gpc_cache *cache, uint64_t address) {
    uint64_t line = address >> cache->line_shift;
    return gpci_find(cache, gpci_index_of(&cache->index, line), line) != GPCI_NO_WAY;
}

/* Prefetch the least recent line: a miss evicts it. */
static void expect_oldest(const gpc_cache *cache, uint32_t set) {
    const gpci_lru_state *lru = cache->replacement_self;
    const uint32_t oldest = lru->ends[set].oldest;
    const size_t slot = gpci_slot(cache, set, oldest);
    GPCI_PREFETCH(cache->tags + slot);
    GPCI_PREFETCH(cache->states + slot);
    GPCI_PREFETCH(lru->links + (size_t)set * lru->ways + oldest);
}

void gpci_sw_prefetch_slot(const gpc_cache *cache, size_t slot) {
    if (slot >= (size_t)cache->sets * cache->row)
        return;
    GPCI_PREFETCH(cache->tags + slot);
    GPCI_PREFETCH(cache->states + slot);
}

void gpci_sw_prefetch_place(const gpc_cache *cache, uint64_t address) {
    const gpci_places *places = cache->places;
    if (!places)
        return;
    const uint64_t line = address >> cache->line_shift;
    const uint32_t hash = gpci_places_hash(line), entry = places->table[hash >> places->home];
    if (entry && !((entry ^ hash) & ~places->slot)) {
        gpci_sw_prefetch_slot(cache, (entry & places->slot) - (size_t)1);
    } else if (cache->lru && !cache->free_ways) {
        const uint32_t set = gpci_index_of(&cache->index, line);
        const gpci_lru_state *lru = cache->replacement_self;
        const uint64_t leaves = gpci_line_at(cache, gpci_slot(cache, set, lru->ends[set].oldest));
        GPCI_PREFETCH(places->table + (gpci_places_hash(leaves) >> places->home));
    }
}

void gpci_sw_prefetch_set(const gpc_cache *cache, uint64_t address) {
    uint32_t set = gpci_index_of(&cache->index, address >> cache->line_shift);
    size_t slot = gpci_slot(cache, set, 0);
    if (cache->places) {
        GPCI_PREFETCH(cache->places->table + (gpci_places_hash(address >> cache->line_shift) >> cache->places->home));
        if (cache->lru && !cache->free_ways)
            expect_oldest(cache, set);
        return;
    }
    for (uint32_t way = 0; way < cache->row; way += 16) {
        GPCI_PREFETCH(cache->tags + slot + way);
        GPCI_PREFETCH(cache->states + slot + way);
    }
    if (!cache->lru)
        return;
    const gpci_lru_state *lru = cache->replacement_self;
    GPCI_PREFETCH(lru->orders + set);
    if (lru->ways > GPCI_RECENCY_WAYS) {
        GPCI_PREFETCH(lru->links + (size_t)set * lru->ways);
        GPCI_PREFETCH(lru->links + (size_t)set * lru->ways + lru->ways - 1);
    }
}
