/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/cache_lines.h"

#include "cache/cache.h"
#include "level/rules/hierarchy.h"

void gpci_dirty_bytes(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]) {
    gpci_bytes dirty = gpci_bytes_of(cache, line->dirty_sectors);
    for (unsigned word = 0; word < 2; word++)
        bytes[word] = dirty.word[word] & (cache->written ? line->written_bytes[word] : UINT64_MAX);
}

static bool is_empty(const gpc_cache *cache) {
    return cache->free_ways == cache->sets * cache->ways;
}

bool gpci_next_dirty(const gpc_cache *cache, size_t *slot, gpc_line *line) {
    const size_t slots = is_empty(cache) ? 0 : (size_t)cache->sets * cache->tags.row;
    for (; *slot < slots; ++*slot)
        if (GPCI_DIRTY(cache->states[*slot]))
            return gpci_line_of(cache, gpci_line_at(&cache->tags, *slot) << cache->line_shift, line);
    return false;
}

void gpci_drop_all(gpc_cache *cache) {
    if (!is_empty(cache))
        gpc_cache_invalidate_all(cache, NULL);
}

void gpci_drop_below(gpc_cache *cache, uint64_t address, uint64_t bits) {
    const size_t slots = (size_t)cache->sets * cache->tags.row;
    for (size_t slot = 0; slot < slots; slot++) {
        const uint64_t line =
            GPCI_VALID(cache->states[slot]) ? gpci_line_at(&cache->tags, slot) << cache->line_shift : address;
        if ((line & bits) < address)
            gpc_cache_invalidate_line(cache, line, NULL);
    }
}
