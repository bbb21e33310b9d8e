/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_CACHE_LINES_H
#define GPC_LEVEL_CACHE_LINES_H

#include "base/base.h"

/* Direct access to the lines of a cache, for the levels. */

/* Segments of a line of at most 128 bytes with at least one of the bytes. */
GPCI_INLINE uint8_t gpci_segments_of(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] != 0) | (bytes[0] >> 32 != 0) << 1 | ((uint32_t)bytes[1] != 0) << 2 |
                     (bytes[1] >> 32 != 0) << 3);
}

/* Segments with every byte set. */
GPCI_INLINE uint8_t gpci_full_segments(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] == UINT32_MAX) | (bytes[0] >> 32 == UINT32_MAX) << 1 |
                     ((uint32_t)bytes[1] == UINT32_MAX) << 2 | (bytes[1] >> 32 == UINT32_MAX) << 3);
}

/* Dirty bytes of a resident line (unknown to the level below). */
void gpci_dirty_bytes(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]);
/* Next dirty line of a cache, in order of set and way, from `*slot` on; false at the end. */
bool gpci_next_dirty(const gpc_cache *cache, size_t *slot, gpc_line *line);
/* Variant of gpc_cache_invalidate_all, fast for an empty cache. */
void gpci_drop_all(gpc_cache *cache);
/* Drop lines with lower addresses, compared in `bits`. Not for dirty lines. */
void gpci_drop_below(gpc_cache *cache, uint64_t address, uint64_t bits);

#endif
