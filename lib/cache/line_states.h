/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_LINE_STATES_H
#define GPC_CACHE_LINE_STATES_H

#include "cache/cache.h"

/*
 * A state per sector and a directory word per line beside a cache's tags, by slot as these (gpci_slot), for the
 * coherence controllers of a tree. What they mean is the controllers' alone: the cache neither reads them nor counts
 * by them. It sees to it that they belong to the line that has the way: once a line has left, evicted or invalidated,
 * they are 0, and so are those of the next line there. on_evict still finds what the leaving line had. Hits, sector
 * misses, fills and flushes, which leave the line where it is, leave them as they are, too. So 0 has to be the
 * controllers' word for a sector without rights and a line without sharers, whatever number a protocol's table has
 * for I.
 *
 * Example, sectors of 32 bytes, a store to sector 1 of a line in slot 5 by the SM with number 2 above this cache:
 *   gpci_set_sector_state(cache, 5, 1, MODIFIED); *gpci_directory_of(cache, 5) |= 1u << 2;
 */

/*
 * Keep them from now on, of lines that are resident with 0. A cache that keeps them is neither plain nor quick. Asked
 * again, nothing is done. GPC_ERROR_MEMORY: the cache is as before.
 */
gpc_status gpci_cache_keep_states(gpc_cache *cache, gpc_error *error);

GPCI_INLINE bool gpci_keeps_states(const gpc_cache *cache) {
    return cache->sector_states != NULL;
}

/* These: only where states are kept, and written only of resident lines. */
GPCI_INLINE uint8_t gpci_sector_state(const gpc_cache *cache, size_t slot, uint32_t sector) {
    return cache->sector_states[slot * cache->sectors + sector];
}

GPCI_INLINE void gpci_set_sector_state(gpc_cache *cache, size_t slot, uint32_t sector, uint8_t state) {
    cache->sector_states[slot * cache->sectors + sector] = state;
}

/* Sharers, an owner: whatever the controllers put in 64 bits. */
GPCI_INLINE uint64_t *gpci_directory_of(const gpc_cache *cache, size_t slot) {
    return &cache->directory[slot];
}

/* Of a line that leaves. Out of line, so that caches that keep none pay nothing for it. */
void gpci_clear_line_states(gpc_cache *cache, size_t slot);

#endif
