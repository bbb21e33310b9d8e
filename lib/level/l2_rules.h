/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_L2_RULES_H
#define GPC_LEVEL_L2_RULES_H

#include "level/cache_lines.h"
#include "level/events.h"
#include "level/level_count.h"
#include "level/level_rules.h"

/*
 * What L2 does with a request of L1, beside what every level does (level_rules.h): which slice it is for, how the
 * slice's cache is asked, what of it goes to memory, and what leaves the L1s with a line of L2.
 *
 * Two partitions, a line homed in the one that is not the SM's own (H100): a read that misses in the SM's own slice
 * goes on to the home slice and leaves a copy in both; a write or an atomic goes to the home slice, and no copy stays
 * behind in the other.
 *
 * Example, 2 partitions of 2 slices, an SM of partition 0, an address of slice 1 that is homed in partition 1: loads
 * ask slice 1 and, where that misses, slice 3, which reads memory; stores go to slice 3 and drop the line in slice 1.
 */

/* A line's home partition, at a grain of 4 KiB: hashed, for hardware's own choice is unknown. */
GPCI_INLINE uint32_t gpci_l2_home(const gpc_hierarchy *h, uint64_t address) {
    return h->partitions == 2 ? (uint32_t)(gpci_mix(address >> 12) >> 63) : 0;
}

/* Where an address is in L2. */
typedef struct gpci_l2_place {
    uint32_t slice; /* within a partition */
    uint64_t inner; /* address within the slice */
    unsigned shift; /* of an L1 line's segments within the L2 line */
} gpci_l2_place;

GPCI_INLINE gpci_l2_place gpci_l2_place_of(const gpc_hierarchy *h, uint64_t address) {
    gpci_l2_place p;
    p.slice = gpci_interleave_slice(&h->interleave, address, &p.inner);
    p.shift = (unsigned)(address & (h->l2_level.line_bytes - 1)) / GPCI_SEGMENT;
    return p;
}

/* The number of a partition's slice, over both. */
GPCI_INLINE uint32_t gpci_l2_slice(const gpc_hierarchy *h, uint32_t partition, uint32_t slice) {
    return partition * h->slices_per_partition + slice;
}

/* An address within a slice, of either partition, as the host knows it. */
GPCI_INLINE uint64_t gpci_l2_host_address(const gpc_hierarchy *h, uint32_t slice, uint64_t inner) {
    return gpci_interleave_address(&h->interleave, slice % h->slices_per_partition, inner);
}

/*
 * A request of L1 for segments of its line, as the slice's cache is asked.
 *
 * Example, L1 lines of 64 bytes, L2 lines of 128 in 4 sectors: segments 0 and 1 of the L1 line at 0x40 are sectors 2
 * and 3 of the L2 line at 0 (shift 2).
 */
GPCI_INLINE void gpci_l2_ask(const gpc_hierarchy *h, const gpci_l2_place *place, uint8_t segments,
                             gpc_request *request) {
    request->token = request->token_l2;
    request->address = place->inner;
    request->sector_mask = h->l2_level.sectors_of[segments << place->shift];
}

/* The same for a write of bytes of the L1 line. */
GPCI_INLINE void gpci_l2_ask_write(const gpc_hierarchy *h, const gpci_l2_place *place, const uint64_t bytes[2],
                                   uint8_t segments, gpc_request *request) {
    unsigned shift = place->shift * GPCI_SEGMENT;
    uint64_t low = bytes[0], high = bytes[1];
    gpci_l2_ask(h, place, segments, request);
    request->kind = GPC_STORE;
    request->byte_mask[0] = shift < 64 ? low << shift : 0;
    request->byte_mask[1] = shift >= 64 ? low << (shift - 64) : high | (shift ? low >> (64 - shift) : 0);
}

/* A read whose slice lacks sectors, as the line's home slice in the other partition is asked, or memory. */
GPCI_INLINE void gpci_l2_ask_on(gpc_request *request, uint8_t sectors, uint32_t word) {
    request->sector_mask = sectors;
    request->policy_word = word;
}

/* Segments of the L1 line that sectors of the L2 line cover. */
GPCI_INLINE uint8_t gpci_l2_segments(const gpc_hierarchy *h, unsigned shift, uint8_t sectors, uint8_t segments) {
    return (uint8_t)(h->l2_level.segments_of[sectors] >> shift) & segments;
}

/* Segments of the L2 line that a write or an atomic sends on to memory; `segments`: that it is of. */
GPCI_INLINE uint8_t gpci_l2_written(const gpc_request *request, const gpc_access_result *result, uint8_t segments) {
    if (!result->write_sectors)
        return 0;
    return gpci_is_write(request) ? gpci_segments_of(result->write_bytes) : segments;
}

/*
 * A write or an atomic of segments of an L1 line, at `shift` in the slice's, has been looked up in its home slice:
 * counted, and returned how many of them were hits. A segment that a write covers needs nothing of the line, and is a
 * hit wherever that is.
 */
GPCI_INLINE uint32_t gpci_l2_count_change(gpc_hierarchy *h, uint32_t slice, const gpc_request *request, unsigned shift,
                                          uint8_t segments, const uint64_t bytes[2], const gpc_access_result *result) {
    uint32_t count = gpci_count_sectors(segments);
    uint8_t found = gpci_l2_segments(h, shift, result->hit_sectors, segments);
    if (gpci_is_write(request)) {
        uint32_t hits = gpci_count_sectors(found | gpci_whole_segments(bytes));
        gpci_count_l2_write(h, slice, count, hits);
        return hits;
    }
    uint32_t hits = gpci_count_sectors(found);
    gpci_count_l2_atomic(h, slice, count, hits);
    return hits;
}

/* A line is about to change in its home slice, `slice` of both partitions: the other one drops its copy. */
GPCI_INLINE void gpci_l2_drop_copy(gpc_hierarchy *h, uint32_t slice, uint64_t inner, uint64_t address) {
    if (h->partitions == 1)
        return;
    uint32_t half = h->slices_per_partition, copy = slice < half ? slice + half : slice - half;
    gpci_see_dropped(h, h->l2[copy], GPC_COMPONENT_L2, copy, inner, address);
    gpc_cache_invalidate_line(h->l2[copy], inner);
}

/* Dirty bytes of a slice's line go to memory: counted; returns their segments. */
GPCI_INLINE uint8_t gpci_l2_write_back(gpc_hierarchy *h, uint32_t slice, const uint64_t bytes[2]) {
    uint8_t segments = gpci_segments_of(bytes);
    gpci_count_l2_write_back(h, slice, gpci_count_sectors(segments));
    return segments;
}

/* Segments of the L1 line at an address go to memory: for the driver to do. */
typedef void (*gpci_memory_write_fn)(void *user_data, uint64_t address, uint8_t segments);

/*
 * Inclusion: a line that leaves a slice (`inner`: its address there) leaves every L1. What was dirty there goes to
 * memory. Nothing happens where L2 is not inclusive.
 */
void gpci_l2_take_from_l1(gpc_hierarchy *h, uint32_t slice, uint64_t inner, gpci_memory_write_fn write,
                          void *user_data);

#endif
