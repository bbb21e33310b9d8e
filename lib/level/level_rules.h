/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_LEVEL_RULES_H
#define GPC_LEVEL_LEVEL_RULES_H

#include "cache/cache.h"
#include "level/cache_lines.h"
#include "level/events.h"
#include "level/level_count.h"

/*
 * What a level does with a request, in no time: L1 and L2 alike, then what L1 does besides, then L2. A driver runs
 * these at once, or step by step as its packets go on.
 */

/* L1 and L2. */

/*
 * The request's lookup. `admit`: where it misses, a replacement policy that may decline is asked before the line is
 * sent for, as a cache does that finds room when the data come (allocate on fill); one that reserves its way at once
 * is asked then.
 */
GPCI_INLINE void gpci_level_look_up(gpc_cache *cache, gpc_request *request, const gpci_view *view, bool admit,
                                    gpc_access_result *result) {
    gpci_lookup(cache, request, view, result);
    if (!admit || result->outcome == GPC_HIT)
        return;
    gpci_admit(cache, request, view, result);
    request->admitted = result->admission == GPC_ADMITTED;
}

/* Does the request take its line's way before its data have come? Bytes that a store brings itself need one at once. */
GPCI_INLINE bool gpci_level_reserves(const gpc_request *request, const gpc_access_result *result, bool on_miss) {
    if (result->outcome == GPC_SECTOR_MISS)
        return result->fetch_sectors != 0;
    if (result->outcome != GPC_MISS)
        return false;
    return on_miss || (gpci_is_write(request) && !result->fetch_sectors);
}

/* There is no way for the line of a request that would have taken one: `refused` is what its reserve step said. */
void gpci_level_refused(const gpc_access_result *refused, gpc_access_result *result);
/* The same where it may not wait for a way to come free: what it writes, `bytes`, goes to the level below. */
void gpci_level_crowded_out(const gpc_request *request, const uint64_t bytes[2], gpc_access_result *result);
/* What a store or an atomic wrote finds no room in the cache: as an eviction, which goes to the level below. */
gpc_eviction gpci_level_unkept(const gpc_cache *cache, const gpc_request *request);

/* Segments of a request's line that it need not ask for. */
typedef struct gpci_line_state {
    uint8_t valid; /* in the cache */
    uint8_t whole; /* in flight, their sectors whole, */
    uint8_t part;  /* or by themselves, for who bypasses the cache */
} gpci_line_state;

/* What a request lacks, in segments. */
typedef struct gpci_lack {
    uint8_t fetch; /* to ask the level below for */
    uint8_t wait;  /* to wait for, whoever has asked for them */
} gpci_lack;

/*
 * What passes the cache by is not served from it, and needs no more than `own`, its own segments, whoever has sent for
 * them. With `own_only` (bypass_fetch = segments) it asks for no others. What is to be kept needs sectors that come
 * whole.
 *
 * Example, a line of one sector, own_only: a load of segment 0 bypasses, and asks for segment 0. While that is in
 * flight a load of segment 2 that bypasses asks for segment 2 alone; one that is to be kept asks for the whole line;
 * one that comes after that, whichever it is, asks for nothing and waits.
 */
GPCI_INLINE gpci_lack gpci_level_lacks(const gpci_level *level, const gpc_request *request,
                                       const gpc_access_result *result, uint8_t own, bool own_only,
                                       gpci_line_state line) {
    uint8_t fetch = level->segments_of[result->fetch_sectors], flying, need;
    gpci_lack lack;
    if (result->outcome == GPC_BYPASSED) {
        fetch &= own_only ? own : 0xff;
        flying = line.whole | line.part;
        lack.fetch = fetch & (uint8_t)~flying;
        lack.wait = (gpci_is_write(request) ? fetch : own) & (flying | lack.fetch);
        return lack;
    }
    need = gpci_is_write(request) ? fetch : level->segments_of[result->needed_sectors];
    lack.fetch = fetch & (uint8_t) ~(line.valid | line.whole);
    lack.wait = need & (uint8_t)~line.valid & (line.whole | lack.fetch);
    return lack;
}

/* L1: what it asks the level below for, what it keeps of the reply, and what leaves it. */

/* A request goes below itself: whether L1's policy let it in is nothing to L2's. */
GPCI_INLINE void gpci_l1_goes_itself(gpc_request *request) {
    request->admitted = 0;
}

/* A load or prefetch, or a store that lacks sectors of its line, as a read of the level below; `word`: see there. */
GPCI_INLINE void gpci_l1_ask_read(gpc_request *request, uint32_t word) {
    request->policy_word = word;
    gpci_l1_goes_itself(request);
    if (request->kind == GPC_STORE) {
        request->kind = GPC_LOAD;
        request->byte_mask[0] = request->byte_mask[1] = 0;
    }
}

/*
 * A read that L1 sent has its reply, and `word` is what L2's predictor says in it: is its line to be kept? L1's own
 * predictor said `predicted` of it at the miss, and may overturn that; what the replacement policy declined stays out.
 */
GPCI_INLINE gpc_decision gpci_l1_verify(gpc_cache *l1, const gpc_request *request, gpc_decision predicted,
                                        bool declined, uint32_t word) {
    return declined ? GPC_BYPASS : gpc_cache_reply(l1, request, predicted, word);
}

/* L1 had no way for sectors of a read: they have passed it by. */
GPCI_INLINE void gpci_l1_passed_by(gpc_hierarchy *h, uint32_t sm, uint8_t sectors) {
    gpci_count_l1_bypass(h, sm, h->l1_level.segments_of[sectors]);
}

/*
 * A line leaves an SM's L1. Its dirty bytes go to the level below, by the request of the line that this sets; nothing
 * does, and false is returned, where it was clean.
 */
GPCI_INLINE bool gpci_l1_line_left(gpc_hierarchy *h, uint32_t sm, const gpc_eviction *eviction, gpc_request *request) {
    if (!eviction->dirty_sectors)
        return false;
    *request = (gpc_request){.address = eviction->line_address,
                             .sm = sm,
                             .kernel = h->kernel,
                             .kind = GPC_STORE,
                             .stream = GPCI_NO_STREAM,
                             .process = gpci_process_of(h, eviction->line_address)};
    gpci_count_l1_write_back(h, sm, gpci_count_sectors(gpci_segments_of(eviction->dirty_bytes)));
    return true;
}

/*
 * L2: which slice a request of L1 is for, how the slice's cache is asked, what of it goes to memory, and what leaves
 * the L1s with a line of L2.
 *
 * Two partitions, a line homed in the one that is not the SM's own (H100): a read that misses in the SM's own slice
 * goes on to the home slice and leaves a copy in both; a write or an atomic goes to the home slice, and no copy stays
 * behind in the other.
 *
 * Example, 2 partitions of 2 slices, an SM of partition 0, an address of slice 1 that is homed in partition 1: loads
 * ask slice 1 and, where that misses, slice 3, which reads memory; stores go to slice 3 and drop the line in slice 1.
 */

#define GPCI_HOME_BYTES 4096u

/*
 * A line's home partition: with l2.interleave = hopper by the bits that tell its slice, else hashed, at a grain of
 * 4 KiB, for hardware's own choice is unknown.
 */
GPCI_INLINE uint32_t gpci_l2_home(const gpc_hierarchy *h, uint64_t address) {
    if (h->home_bits)
        return gpci_parity(address & h->home_bits);
    return h->partitions == 2 ? (uint32_t)(gpci_mix(address >> 12) >> 63) : 0;
}

/* Where an address is in L2. */
typedef struct gpci_l2_place {
    uint32_t slice; /* within a partition */
    uint64_t inner; /* address within the slice */
    unsigned shift; /* of an L1 line's segments within the L2 line */
} gpci_l2_place;

GPCI_INLINE unsigned gpci_l2_shift(const gpc_hierarchy *h, uint64_t address) {
    return (unsigned)(address & (h->l2_level.line_bytes - 1)) / GPCI_SEGMENT;
}

GPCI_INLINE gpci_l2_place gpci_l2_place_of(const gpc_hierarchy *h, uint64_t address) {
    gpci_l2_place p;
    p.slice = gpci_interleave_slice(&h->interleave, address, &p.inner);
    p.shift = gpci_l2_shift(h, address);
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

/* L2's window: is a line of it one of those that `hit` is for? As drawn by lot, and always the same. */
GPCI_INLINE bool gpci_window_hits(const gpci_window *window, uint64_t line) {
    return (gpci_hash(line) >> 32) % 100 < window->hit_ratio;
}

/* Is an address in the window, and of the window's process? */
GPCI_INLINE bool gpci_window_has(const gpc_hierarchy *h, uint64_t address) {
    const gpci_window *w = &h->window;
    return address - w->begin < w->bytes && gpci_process_of(h, address) == gpci_process_of(h, w->begin);
}

/* A request of a host's address, before L2 looks it up: what its instruction does not say, the window may. */
GPCI_INLINE void gpci_l2_window(const gpc_hierarchy *h, uint64_t address, gpc_request *request) {
    const gpci_window *w = &h->window;
    if (GPCI_LIKELY(!w->bytes) || !gpci_window_has(h, address) || request->priority != GPC_EVICT_NORMAL)
        return;
    request->priority = gpci_window_hits(w, address >> h->l2_level.line_shift) ? w->hit : w->miss;
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
        gpci_stream_l2_write(h, slice, request, count, hits);
        return hits;
    }
    uint32_t hits = gpci_count_sectors(found);
    gpci_count_l2_atomic(h, slice, count, hits);
    gpci_stream_l2_atomic(h, slice, request, count, hits);
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
