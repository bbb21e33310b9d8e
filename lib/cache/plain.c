/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include <string.h>

/*
 * gpc_cache_access for a cache that is `quick`: only tags, dirty bits and LRU. The rules are of the batch loop
 * (batch_loop.h), but the result is a full gpc_access_result. Only loads, and stores of whole lines, are served.
 */

void gpci_settle(gpci_cache_stats *stats, const gpci_counts *counts, bool fills_lines) {
    uint64_t loads = counts->accesses - counts->stores, load_hits = counts->hits - counts->store_hits;
    uint64_t misses = counts->accesses - counts->hits, store_misses = counts->stores - counts->store_hits;
    stats->reads += loads;
    stats->read_sectors += loads;
    stats->read_hits += load_hits;
    stats->read_sector_hits += load_hits;
    stats->writes += counts->stores;
    stats->write_sectors += counts->stores;
    stats->write_hits += fills_lines ? counts->stores - counts->store_bypasses : counts->store_hits;
    stats->write_sector_hits += fills_lines ? counts->stores - counts->store_bypasses : counts->store_hits;
    stats->line_misses += misses;
    stats->fetched_sectors += (loads - load_hits) + (fills_lines ? 0 : store_misses - counts->store_bypasses);
    stats->fills += misses - counts->bypasses;
    stats->bypasses += counts->bypasses;
    stats->bypassed_sectors += counts->bypasses - counts->store_bypasses;
    stats->write_below_sectors += counts->store_bypasses;
    stats->evictions += counts->evictions;
    stats->write_backs += counts->write_backs;
    stats->write_back_sectors += counts->write_backs;
}

/*
 * True for a plain load, or a plain store of a whole line. The fields from sector_mask to continues are eight bytes,
 * and are compared together; likewise the fields of `policy` from policy_word to unused.
 */
GPCI_INLINE bool is_plain(const gpc_request *request) {
    static const uint8_t of_access[8] = {0xff, 0xfe, 0xff, 0xff, 0xff}; /* sector_mask, kind, space, hint, priority */
    static const uint8_t of_policy[8] = {0, 0, 0, 0, 0xfe, 0, 0, 0xff}; /* token, unused */
    uint64_t access, access_mask, policy, policy_mask, reserved[4];
    memcpy(&access, (const char *)request + offsetof(gpc_request, sector_mask), sizeof access);
    memcpy(&access_mask, of_access, sizeof access_mask);
    memcpy(&policy, (const char *)request + offsetof(gpc_request, policy.policy_word), sizeof policy);
    memcpy(&policy_mask, of_policy, sizeof policy_mask);
    memcpy(reserved, request->reserved, sizeof reserved);
    const uint64_t bytes = request->byte_mask[0] | request->byte_mask[1] | request->size;
    const uint64_t unknown = reserved[0] | reserved[1] | reserved[2] | reserved[3] | request->unused;
    return !(bytes | unknown | (access & access_mask) | (policy & policy_mask));
}

_Static_assert(offsetof(gpc_request, priority) - offsetof(gpc_request, sector_mask) == 4 &&
                   offsetof(gpc_request, policy.unused) - offsetof(gpc_request, policy.policy_word) == 7,
               "the masks of is_plain have a byte per field");

/* Evict the least recent line of a full set. */
static uint32_t evict(gpc_cache *cache, uint32_t set, uint64_t order, gpc_access_result *result) {
    uint32_t way = gpci_recency_last(order, cache->ways);
    size_t slot = gpci_slot(cache, set, way);
    uint32_t dirty = GPCI_DIRTY(cache->states[slot]);
    uint64_t line = (uint64_t)cache->tags.high << GPCI_TAG_BITS | (cache->tags.words[slot] & ~GPCI_TAG_VALID);
    result->evicted = 1;
    result->eviction.line_address = line << cache->line_shift;
    result->eviction.set = set;
    result->eviction.way = way;
    result->eviction.valid_sectors = 1;
    result->eviction.dirty_sectors = (uint8_t)dirty;
    if (dirty && cache->options.line_bytes <= 128) {
        gpci_bytes bytes = gpci_bytes_of(cache, 1);
        result->eviction.dirty_bytes[0] = bytes.word[0];
        result->eviction.dirty_bytes[1] = bytes.word[1];
    }
    cache->quick_counts.evictions++;
    cache->quick_counts.write_backs += dirty;
    return way;
}

/* Handle a miss: take the lowest free way, or the least recent line's way. */
static uint32_t fill(gpc_cache *cache, uint32_t set, uint32_t tag, gpc_access_result *result) {
    size_t base = gpci_slot(cache, set, 0);
    uint32_t way = cache->free_ways ? gpci_match(cache->tags.words + base, 0, cache->tags.row, 0, true) : GPCI_NO_WAY;
    if (way < cache->ways)
        cache->free_ways--;
    else
        way = evict(cache, set, ((gpci_lru_state *)cache->replacement_self)->orders[set], result);
    cache->tags.words[base + way] = tag;
    cache->states[base + way] = 1;
    return way;
}

gpc_status gpci_quick_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                             gpc_error *error) {
    uint64_t line = request->address >> cache->line_shift;
    if (GPCI_UNLIKELY(!is_plain(request) || line >> GPCI_TAG_BITS != cache->tags.high || cache->pending_lines))
        return gpci_access_any(cache, request, result, error);
    uint64_t *orders = ((gpci_lru_state *)cache->replacement_self)->orders;
    uint32_t set = gpci_modulo(&cache->index.sets, line), tag = gpci_tag(line), store = request->kind;
    size_t base = gpci_slot(cache, set, 0);
    uint64_t order = orders[set];
    uint32_t way = order & 15, hit = 1;
    memset(result, 0, sizeof *result);
    if (cache->tags.words[base + way] != tag) {
        way = gpci_match(cache->tags.words + base, 0, cache->tags.row, tag, true);
        hit = way != GPCI_NO_WAY;
        if (!hit)
            way = fill(cache, set, tag, result);
        orders[set] = gpci_recency_touch(order, way);
    }
    result->outcome = hit ? GPC_HIT : GPC_MISS;
    result->needed_sectors = 1;
    result->hit_sectors = (uint8_t)hit;
    result->fetch_sectors = (uint8_t)((hit | store) ^ 1);
    result->set = set;
    result->way = way;
    cache->quick_counts.accesses++;
    cache->quick_counts.hits += hit;
    if (store) {
        cache->states[base + way] |= 1u << GPCI_DIRTY_SHIFT;
        cache->quick_counts.stores++;
        cache->quick_counts.store_hits += hit;
    }
    return GPC_OK;
}
