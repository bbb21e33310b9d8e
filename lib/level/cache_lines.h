/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_CACHE_LINES_H
#define GPC_LEVEL_CACHE_LINES_H

#include "base/base.h"

/* What the levels ask of a cache's inside. */

/* Segments of a line of at most 128 bytes that hold any of the bytes. */
GPCI_INLINE uint8_t gpci_segments_of(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] != 0) | (bytes[0] >> 32 != 0) << 1 | ((uint32_t)bytes[1] != 0) << 2 |
                     (bytes[1] >> 32 != 0) << 3);
}

/* Segments of which every byte is set. */
GPCI_INLINE uint8_t gpci_whole_segments(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] == UINT32_MAX) | (bytes[0] >> 32 == UINT32_MAX) << 1 |
                     ((uint32_t)bytes[1] == UINT32_MAX) << 2 | (bytes[1] >> 32 == UINT32_MAX) << 3);
}

/* Bytes of a resident line that the level below does not have. */
void gpci_dirty_bytes(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]);
/* The next dirty line of a cache, in order of set and way, from `*slot` on; false at the end. */
bool gpci_next_dirty(const gpc_cache *cache, size_t *slot, gpc_line *line);
/* As gpc_cache_invalidate_all, and quick where there is nothing. */
void gpci_drop_all(gpc_cache *cache);
/* Lines with lower addresses, in `bits`, leave. Dirty lines are not among them. */
void gpci_drop_below(gpc_cache *cache, uint64_t address, uint64_t bits);
/* Whether the line of an address is resident. */
bool gpci_holds(const gpc_cache *cache, uint64_t address);
/* The tags, states and order of an address's set, into the processor's own caches. */
void gpci_expect_set(const gpc_cache *cache, uint64_t address);
/* Those of a line in a slot, if it is one. */
void gpci_expect_slot(const gpc_cache *cache, size_t slot);
/* With a table of places, once gpci_expect_set's are there: where it says a line is, or of what leaves for it. */
void gpci_expect_place(const gpc_cache *cache, uint64_t address);

#endif
