/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_LINE_STATES_H
#define GPC_CACHE_LINE_STATES_H

#include "cache/cache.h"

/*
 * State per sector and directory word per line beside a cache's tags, by slot like the tags (gpci_slot), for the
 * coherence controllers of a tree. Only the controllers give the states a meaning: the cache neither reads nor counts
 * them. The cache ties the states to the resident line: after the line has left, by eviction or invalidation, all its
 * states are 0. on_evict still sees the leaving line's states. Hits, sector misses, fills and flushes do not change the
 * states. The controllers must therefore use 0 for a sector without rights and a line without sharers, whatever the
 * protocol's number for I.
 *
 * Example, sectors of 32 bytes, a store to sector 1 of a line in slot 5 by the SM with number 2 above this cache:
 *   gpci_set_sector_state(cache, 5, 1, MODIFIED); *gpci_directory_of(cache, 5) |= 1u << 2;
 */

/*
 * Keep states from now on; resident lines start with 0. A cache with states is neither plain nor quick. A second call
 * does nothing. GPC_ERROR_MEMORY: the cache is unchanged.
 */
gpc_status gpci_cache_keep_states(gpc_cache *cache, gpc_error *error);

GPCI_INLINE bool gpci_keeps_states(const gpc_cache *cache) {
    return cache->sector_states != NULL;
}

/* State of a sector. Only in a cache that keeps states; write only states of resident lines. */
GPCI_INLINE uint8_t gpci_sector_state(const gpc_cache *cache, size_t slot, uint32_t sector) {
    return cache->sector_states[slot * cache->sectors + sector];
}

GPCI_INLINE void gpci_set_sector_state(gpc_cache *cache, size_t slot, uint32_t sector, uint8_t state) {
    cache->sector_states[slot * cache->sectors + sector] = state;
}

/* Directory word of a line: 64 bits for the controllers, for example sharers and owner. */
GPCI_INLINE uint64_t *gpci_directory_of(const gpc_cache *cache, size_t slot) {
    return &cache->directory[slot];
}

/* Clear the states of a leaving line. Not inlined: caches without states pay nothing. */
void gpci_clear_line_states(gpc_cache *cache, size_t slot);

#endif
