/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/internal.h"

/*
 * gpc_cache_access on a plain cache with LRU, one access at a time: the rules of
 * the batch loop, with a full result. Loads and whole-line stores only.
 */
bool gpci_plain_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result) {
    uint64_t line = request->address >> cache->line_shift;
    uint32_t store = request->kind;
    if (store > GPC_STORE || request->size | request->priority | request->sector_mask | request->hint |
                                 request->space | cache->wide | cache->priorities | cache->pending_lines ||
        request->byte_mask[0] | request->byte_mask[1] || (uint32_t)(line >> GPCI_TAG_BITS) != cache->high ||
        !cache->lru || !cache->started)
        return false;
    gpc_cache_stats *stats = &cache->stats;
    gpci_lru_state *lru = cache->replacement_self;
    uint32_t set = gpci_index_of(&cache->index, line), tag = gpci_tag(line);
    uint32_t *row = cache->tags + gpci_slot(cache, set, 0), *states = cache->states + gpci_slot(cache, set, 0);
    uint32_t way = gpci_match(row, 0, cache->row, tag);
    bool hit = way != GPCI_NO_WAY;
    *result = (gpc_access_result){.outcome = hit ? GPC_HIT : GPC_MISS,
                                  .needed_sectors = 1,
                                  .hit_sectors = hit,
                                  .fetch_sectors = !hit && !store,
                                  .set = set};
    if (!hit) {
        way = cache->free_ways ? gpci_match(row, 0, cache->row, 0) : GPCI_NO_WAY;
        if (way >= cache->ways) {
            gpci_drop(cache, set, way = gpci_recency_last(lru->orders[set], cache->ways), request, &result->eviction);
            result->evicted = 1;
        }
        cache->free_ways--;
        row[way] = tag;
        states[way] = 1;
        stats->line_misses++;
        stats->fills++;
        stats->fetched_sectors += !store;
    }
    result->way = way;
    lru->orders[set] = gpci_recency_touch(lru->orders[set], way);
    states[way] |= store << GPCI_DIRTY_SHIFT;
    stats->reads += !store;
    stats->read_sectors += !store;
    stats->read_hits += hit & !store;
    stats->read_sector_hits += hit & !store;
    stats->writes += store;
    stats->write_sectors += store;
    stats->write_hits += store;
    stats->write_sector_hits += store;
    return true;
}
