/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_CACHE_LINES_H
#define GPC_LEVEL_CACHE_LINES_H

#include "base/base.h"

/* Direct access to the lines of a cache, for the levels. */

/* Mask of the 32-byte segments of a line that contain at least one of `bytes`. A line has at most 128 bytes. */
GPCI_INLINE uint8_t gpci_segments_of(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] != 0) | (bytes[0] >> 32 != 0) << 1 | ((uint32_t)bytes[1] != 0) << 2 |
                     (bytes[1] >> 32 != 0) << 3);
}

/* Mask of the segments with all 32 bytes in `bytes`. */
GPCI_INLINE uint8_t gpci_full_segments(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] == UINT32_MAX) | (bytes[0] >> 32 == UINT32_MAX) << 1 |
                     ((uint32_t)bytes[1] == UINT32_MAX) << 2 | (bytes[1] >> 32 == UINT32_MAX) << 3);
}

/* Mask of the dirty bytes of a resident line: bytes not yet written to the level below. */
void gpci_dirty_bytes(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]);
/* Find the next dirty line of a cache, in order of set and way, from `*slot` on. False: no further dirty line. */
bool gpci_next_dirty(const gpc_cache *cache, size_t *slot, gpc_line *line);
/* gpc_cache_invalidate_all, but at no cost if the cache is empty. */
void gpci_drop_all(gpc_cache *cache);
/* Drop all lines with (line address & bits) below `address`. The lines must not be dirty. */
void gpci_drop_below(gpc_cache *cache, uint64_t address, uint64_t bits);

#endif
