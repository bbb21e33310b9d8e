/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_BELOW_H
#define GPC_LEVEL_BELOW_H

#include "level/hierarchy.h"

/* A line's home partition, at a grain of 4 KiB: hashed, for hardware's own choice is unknown. */
GPCI_INLINE uint32_t gpci_home_of(const gpc_hierarchy *h, uint64_t address) {
    return h->partitions == 2 ? (uint32_t)(gpci_mix(address >> 12) >> 63) : 0;
}

/* Where an address is in L2. */
typedef struct gpci_place {
    uint32_t slice; /* within a partition */
    uint64_t inner; /* address within the slice */
    unsigned shift; /* of an L1 line's segments within the L2 line */
} gpci_place;

GPCI_INLINE gpci_place gpci_place_of(const gpc_hierarchy *h, uint64_t address) {
    gpci_place p;
    p.slice = gpci_interleave_slice(&h->interleave, address, &p.inner);
    p.shift = (unsigned)(address & (h->l2_level.line_bytes - 1)) / GPCI_SEGMENT;
    return p;
}

/* Segments of the L1 line that were hits in an L2 line. */
GPCI_INLINE uint8_t gpci_hits_of(const gpc_hierarchy *h, unsigned shift, uint8_t hit_sectors, uint8_t segments) {
    return (uint8_t)(h->l2_level.segments_of[hit_sectors] >> shift) & segments;
}

/* Bytes of an L1 line, as bytes of the L2 line. */
GPCI_INLINE void gpci_shift_bytes(unsigned segments, const uint64_t bytes[2], uint64_t shifted[2]) {
    unsigned shift = segments * GPCI_SEGMENT;
    uint64_t low = bytes[0], high = bytes[1];
    shifted[0] = shift < 64 ? low << shift : 0;
    shifted[1] = shift >= 64 ? low << (shift - 64) : high | (shift ? low >> (64 - shift) : 0);
}

/* Segments of which every byte is set. */
uint8_t gpci_whole_segments(const uint64_t bytes[2]);
/*
 * Inclusion: a line that leaves L2 leaves every L1. `write` is told of the segments of an L1 line that were dirty
 * there, and have to go to DRAM.
 */
typedef void (*gpci_dirty_fn)(void *user_data, uint64_t address, uint8_t segments);
void gpci_take_from_l1(gpc_hierarchy *h, uint64_t address, gpci_dirty_fn write, void *user_data);

/* Everything below L1. A request's address is that of an L1 line; which of its segments or bytes comes apart. */

/* A read by L1, or past it; `reply_word` is what L2's predictor sends up. */
gpc_status gpci_below_read(gpc_hierarchy *h, const gpci_access *access, const gpc_request *request, uint8_t segments,
                           uint32_t policy_word, uint32_t *reply_word);
gpc_status gpci_below_write(gpc_hierarchy *h, const gpci_access *access, const gpc_request *request,
                            uint32_t policy_word, const uint64_t bytes[2]);
/* An atomic or reduction is performed, in the line's home slice. */
gpc_status gpci_below_atomic(gpc_hierarchy *h, const gpci_access *access);
/* Dirty lines to DRAM; then nothing is left. */
void gpci_below_flush(gpc_hierarchy *h);
/* A read or write will soon follow: fetch what it looks at. No effect but on speed. */
void gpci_below_expect(const gpc_hierarchy *h, uint32_t sm, uint64_t address);

/* lines.c: what the levels ask of a cache's inside. */

/* Segments of a line of at most 128 bytes that hold any of the bytes. */
GPCI_INLINE uint8_t gpci_segments_of(const uint64_t bytes[2]) {
    return (uint8_t)(((uint32_t)bytes[0] != 0) | (bytes[0] >> 32 != 0) << 1 | ((uint32_t)bytes[1] != 0) << 2 |
                     (bytes[1] >> 32 != 0) << 3);
}

/* Bytes of a resident line that the level below does not have. */
void gpci_dirty_bytes(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]);
/* The next dirty line of a cache, in order of set and way, from `*slot` on; false at the end. */
bool gpci_next_dirty(const gpc_cache *cache, size_t *slot, gpc_line *line);
/* As gpc_cache_invalidate_all, and quick where there is nothing. */
void gpci_drop_all(gpc_cache *cache);
/* Whether the line of an address is resident. */
bool gpci_holds(const gpc_cache *cache, uint64_t address);
/* The tags, states and order of an address's set, into the processor's own caches. */
void gpci_expect_set(const gpc_cache *cache, uint64_t address);

#endif
