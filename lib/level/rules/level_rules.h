/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_LEVEL_RULES_H
#define GPC_LEVEL_LEVEL_RULES_H

#include "base/check.h"
#include "cache/cache.h"
#include "level/rules/cache_lines.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"

/*
 * Rules of a level: the effects of a request, without time. First come rules of both L1 and L2, then rules of L1, then
 * rules of L2. The functional driver applies all rules to a request at once; the timed driver applies a rule when the
 * packet of the request arrives.
 */

/* Rules of both L1 and L2. */

/*
 * Look up a request. `admit`: on a miss, ask a replacement policy that can decline lines, before the line is requested.
 * Set `admit` for a cache that takes a way when the data arrive (allocate on fill). A cache that reserves a way at the
 * miss asks the policy when it reserves.
 */
GPCI_INLINE void gpci_level_look_up(gpc_cache *cache, gpc_request *request, const gpci_view *view, bool admit,
                                    gpc_access_result *result) {
    gpci_lookup(cache, request, view, result);
    if (!admit || result->outcome == GPC_HIT)
        return;
    gpci_admit(cache, request, view, result);
    request->policy.admitted = result->admission == GPC_ADMITTED;
}

/* True if a missed request takes a way before the data arrive. A store without a fetch always needs a way at once. */
GPCI_INLINE bool gpci_level_reserves(const gpc_request *request, const gpc_access_result *result, bool on_miss) {
    if (result->outcome == GPC_SECTOR_MISS)
        return result->fetch_sectors != 0;
    if (result->outcome != GPC_MISS)
        return false;
    return on_miss || (gpci_is_write(request) && !result->fetch_sectors);
}

/* Room for the text of gpci_fault_of. */
#define GPCI_FAULT 160

/*
 * Reason of a failed access, as text; `room` holds the text if needed. GPC_ERROR_CALLBACK: a replacement policy chose
 * an impossible victim; the text names policy, way and cache.
 */
const char *gpci_fault_of(const gpc_hierarchy *hierarchy, gpc_status status, char room[GPCI_FAULT]);

/* Turn the result of a request that found no way into a bypass. `refused`: result of the attempt to reserve a way. */
void gpci_level_refused(const gpc_access_result *refused, gpc_access_result *result);
/* Turn the result of a request that found no way and may not wait into a bypass. Written `bytes` go below. */
void gpci_level_spill(const gpc_request *request, const uint64_t bytes[2], gpc_access_result *result);
/* Make an eviction from the written data of a store or atomic that found no way, to send the data below. */
gpc_eviction gpci_level_write_around(const gpc_cache *cache, const gpc_request *request);

/* Segments of a line that are present or in flight. */
typedef struct gpci_line_state {
    uint8_t valid;          /* valid in the cache */
    uint8_t full_sectors;   /* in flight, requested as whole sectors */
    uint8_t other_segments; /* in flight, requested as single segments by a bypassing access */
} gpci_line_state;

/* Segments that a request needs, and that are not present. */
typedef struct gpci_missing {
    uint8_t fetch; /* segments to request from the level below */
    uint8_t wait;  /* segments to wait for, requested by this access or another access */
} gpci_missing;

/*
 * Find the segments that an access requests, and waits for. A bypassing access is not served from the cache. It waits
 * only for `own`, the access's own segments, which another access may have requested before. With `own_only`
 * (bypass_fetch = segments) the access requests only `own`. An access that fills the cache needs whole sectors.
 *
 * Example, a line of one sector, own_only: a bypassing load of segment 0 requests segment 0. While segment 0 is in
 * flight, a bypassing load of segment 2 requests segment 2. Then a load that fills the cache requests the whole line. A
 * later load of any kind requests nothing, and waits.
 */
GPCI_INLINE gpci_missing gpci_level_missing(const gpci_level *level, const gpc_request *request,
                                            const gpc_access_result *result, uint8_t own, bool own_only,
                                            gpci_line_state line) {
    uint8_t fetch = level->segments_of[result->fetch_sectors], flying, need;
    gpci_missing missing;
    if (result->outcome == GPC_BYPASSED) {
        fetch &= own_only ? own : 0xff;
        flying = line.full_sectors | line.other_segments;
        missing.fetch = fetch & (uint8_t)~flying;
        missing.wait = (gpci_is_write(request) ? fetch : own) & (flying | missing.fetch);
        return missing;
    }
    need = gpci_is_write(request) ? fetch : level->segments_of[result->needed_sectors];
    missing.fetch = fetch & (uint8_t) ~(line.valid | line.full_sectors);
    missing.wait = need & (uint8_t)~line.valid & (line.full_sectors | missing.fetch);
    return missing;
}

/* Rules of L1: requests to the level below, replies that fill a line or not, and evicted lines. */

/* Prepare a request for the level below: clear L1's admission, because L2's policy decides by itself. */
GPCI_INLINE void gpci_l1_goes_itself(gpc_request *request) {
    request->policy.admitted = 0;
}

/*
 * Turn a load, a prefetch, or a store that needs sectors of its line into a read of the level below. `word`: policy
 * word of L1's predictor.
 */
GPCI_INLINE void gpci_l1_ask_read(gpc_request *request, uint32_t word) {
    request->policy.policy_word = word;
    gpci_l1_goes_itself(request);
    if (request->kind == GPC_STORE) {
        request->kind = GPC_LOAD;
        request->byte_mask[0] = request->byte_mask[1] = 0;
    }
}

/*
 * The reply to an L1 read arrives; `word` comes from L2's predictor. Decide if the line is kept. L1's predictor decided
 * `predicted` at the miss and can overturn the decision. A line declined by the replacement policy stays out.
 */
GPCI_INLINE gpc_decision gpci_l1_verify(gpc_cache *l1, const gpc_request *request, gpc_decision predicted,
                                        bool declined, uint32_t word) {
    const gpc_decision verdict = declined ? GPC_BYPASS : gpc_cache_reply(l1, request, predicted, word);
    GPCI_AGAIN(l1->again.overturned_bypasses += verdict < predicted);
    GPCI_AGAIN(l1->again.overturned_fills += !declined && verdict > predicted);
    return verdict;
}

/* Count sectors of a read that found no way in L1. `counted`: also count them as bypassed. */
GPCI_INLINE void gpci_l1_on_not_allocated(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t sectors, bool counted) {
    gpci_count_l1_unfilled(hierarchy, sm, hierarchy->l1_level.segments_of[sectors]);
    if (counted)
        gpci_count_l1_bypass(hierarchy, sm, hierarchy->l1_level.segments_of[sectors]);
}

/*
 * An L1 evicts a line. If the line is dirty, fill in the request to write its bytes to the level below and return true;
 * if clean, return false.
 */
GPCI_INLINE bool gpci_l1_line_left(gpc_hierarchy *hierarchy, uint32_t sm, const gpc_eviction *eviction,
                                   gpc_request *request) {
    if (!eviction->dirty_sectors)
        return false;
    *request = gpci_request_of_nobody(hierarchy, eviction->line_address, eviction->line_address, sm, GPC_STORE);
    gpci_count_l1_write_back(hierarchy, sm, gpci_count_sectors(gpci_segments_of(eviction->dirty_bytes)));
    return true;
}

/*
 * Rules of L2: choice of a slice, the request to the slice's cache, traffic to memory, and, if L2 is inclusive, removal
 * of an evicted line from L1s.
 *
 * L2 can have two partitions (H100). Every line has a home in one of them. If a read misses in the slice of the SM's
 * own partition, and the home is the other partition, the read goes on to the home slice, and both slices keep the
 * line. A write or an atomic goes to the home slice; the other partition drops its copy.
 *
 * With l2.homes = none a line has no home: each partition reads and writes memory itself, and partitions do not hear of
 * each other's writes, as L2s of an MI300's dies do not of stores to memory that is coherent at the end of a kernel.
 *
 * Several GPUs (gpu.count) have a memory each, with the same addresses. Partitions and slices are numbered over all
 * GPUs. Each SM uses those of its own GPU.
 *
 * Example, 2 partitions of 2 slices, an SM of partition 0, an address of slice 1 with home in partition 1: loads ask
 * slice 1 and, on a miss, slice 3, which reads memory. Stores go to slice 3 and drop the line in slice 1.
 */

#define GPCI_HOME_BYTES 4096u

/*
 * Home partition of a line, for an SM of partition `own`: one of the same GPU, whose memory keeps the line. Without
 * homes, the SM's own. With l2.interleave = hopper, the parity of address bits (home_bits). Otherwise a hash of the
 * address / 4 KiB: the hardware's choice is unknown.
 */
GPCI_INLINE uint32_t gpci_l2_home(const gpc_hierarchy *hierarchy, uint32_t own, uint64_t address) {
    if (hierarchy->partitions != 2 || GPCI_UNLIKELY(hierarchy->homeless))
        return own;
    if (hierarchy->home_bits)
        return (own & ~1u) | gpci_parity(address & hierarchy->home_bits);
    return (own & ~1u) | (uint32_t)(gpci_mix(address >> 12) >> 63);
}

/* Position of an address in L2. */
typedef struct gpci_l2_place {
    uint32_t slice; /* number of the slice within its partition */
    uint64_t inner; /* address within the slice */
    unsigned shift; /* number of the L1 line's first segment within the L2 line */
} gpci_l2_place;

GPCI_INLINE unsigned gpci_l2_shift(const gpc_hierarchy *hierarchy, uint64_t address) {
    return (unsigned)(address & (hierarchy->l2_level.line_bytes - 1)) / GPCI_SEGMENT;
}

GPCI_INLINE gpci_l2_place gpci_l2_place_of(const gpc_hierarchy *hierarchy, uint64_t address) {
    gpci_l2_place place;
    place.slice = gpci_interleave_slice(&hierarchy->interleave, address, &place.inner);
    place.shift = gpci_l2_shift(hierarchy, address);
    return place;
}

/* Number among all slices of slice number `slice` of a partition. */
GPCI_INLINE uint32_t gpci_l2_slice(const gpc_hierarchy *hierarchy, uint32_t partition, uint32_t slice) {
    return partition * hierarchy->slices_per_partition + slice;
}

/* Partition of a slice, and the slice of the same lines in the other of two partitions of its GPU. */
GPCI_INLINE uint32_t gpci_l2_partition(const gpc_hierarchy *hierarchy, uint32_t slice) {
    return slice / hierarchy->slices_per_partition;
}
GPCI_INLINE uint32_t gpci_l2_peer(const gpc_hierarchy *hierarchy, uint32_t slice) {
    const uint32_t half = hierarchy->slices_per_partition;
    return gpci_l2_partition(hierarchy, slice) % 2 ? slice - half : slice + half;
}

/* True if a slice is in the home partition of its line at a host's address. */
GPCI_INLINE bool gpci_l2_is_home(const gpc_hierarchy *hierarchy, uint32_t slice, uint64_t address) {
    const uint32_t own = gpci_l2_partition(hierarchy, slice);
    return gpci_l2_home(hierarchy, own, address) == own;
}

/* Host address of the address `inner` within a slice. `slice`: number among all slices. */
GPCI_INLINE uint64_t gpci_l2_host_address(const gpc_hierarchy *hierarchy, uint32_t slice, uint64_t inner) {
    return gpci_interleave_address(&hierarchy->interleave, slice % hierarchy->slices_per_partition, inner);
}

/*
 * Turn an L1 request for segments of its line into a request to the slice's cache.
 *
 * Example, L1 lines of 64 bytes, L2 lines of 128 in 4 sectors: segments 0 and 1 of the L1 line at 0x40 are sectors 2
 * and 3 of the L2 line at 0 (shift 2).
 */
GPCI_INLINE void gpci_l2_ask(const gpc_hierarchy *hierarchy, const gpci_l2_place *place, uint8_t segments,
                             gpc_request *request) {
    request->policy.token = request->policy.token_l2;
    request->address = place->inner;
    request->sector_mask = hierarchy->l2_level.sectors_of[segments << place->shift];
}

/* True if a line of the window gets the priority window->hit. Pseudo-random, but always the same for a line. */
GPCI_INLINE bool gpci_window_hits(const gpci_window *window, uint64_t line) {
    return (gpci_hash(line) >> 32) % 100 < window->hit_ratio;
}

/* True if an address is in the window and in the window's process. */
GPCI_INLINE bool gpci_window_has(const gpc_hierarchy *hierarchy, uint64_t address) {
    const gpci_window *window = &hierarchy->window;
    return address - window->begin < window->bytes &&
           gpci_process_of(hierarchy, address) == gpci_process_of(hierarchy, window->begin);
}

/*
 * Apply the window's priority to a request with a host address, before the L2 lookup, unless the instruction set a
 * priority.
 */
GPCI_INLINE void gpci_l2_window(const gpc_hierarchy *hierarchy, uint64_t address, gpc_request *request) {
    const gpci_window *window = &hierarchy->window;
    if (GPCI_LIKELY(!window->bytes) || !gpci_window_has(hierarchy, address) || request->priority != GPC_EVICT_NORMAL)
        return;
    request->priority =
        gpci_window_hits(window, address >> hierarchy->l2_level.line_shift) ? window->hit : window->miss;
}

/* Turn an L1 request into a write of bytes of the L1 line. */
GPCI_INLINE void gpci_l2_ask_write(const gpc_hierarchy *hierarchy, const gpci_l2_place *place, const uint64_t bytes[2],
                                   uint8_t segments, gpc_request *request) {
    unsigned shift = place->shift * GPCI_SEGMENT;
    uint64_t low = bytes[0], high = bytes[1];
    gpci_l2_ask(hierarchy, place, segments, request);
    request->kind = GPC_STORE;
    request->byte_mask[0] = shift < 64 ? low << shift : 0;
    request->byte_mask[1] = shift >= 64 ? low << (shift - 64) : high | (shift ? low >> (64 - shift) : 0);
}

/* Turn a read that misses in its slice into a read of the home slice in the other partition, or of memory. */
GPCI_INLINE void gpci_l2_ask_on(gpc_request *request, uint8_t sectors, uint32_t word) {
    request->sector_mask = sectors;
    request->policy.policy_word = word;
}

/* Part of `segments` of the L1 line that `sectors` of the L2 line contain. `shift`: of gpci_l2_place. */
GPCI_INLINE uint8_t gpci_l2_segments(const gpc_hierarchy *hierarchy, unsigned shift, uint8_t sectors,
                                     uint8_t segments) {
    return (uint8_t)(hierarchy->l2_level.segments_of[sectors] >> shift) & segments;
}

/* Segments of the L2 line that a write or an atomic of `segments` sends on to memory. */
GPCI_INLINE uint8_t gpci_l2_written(const gpc_request *request, const gpc_access_result *result, uint8_t segments) {
    if (!result->write_sectors)
        return 0;
    return gpci_is_write(request) ? gpci_segments_of(result->write_bytes) : segments;
}

/*
 * Count a write or atomic of segments of an L1 line, at `shift` in the slice's line, after lookup in its home slice.
 * Returns the number of hits. A segment covered by a write needs no old data and always hits.
 */
GPCI_INLINE uint32_t gpci_l2_count_change(gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                          unsigned shift, uint8_t segments, const uint64_t bytes[2],
                                          const gpc_access_result *result) {
    uint32_t count = gpci_count_sectors(segments);
    uint8_t found = gpci_l2_segments(hierarchy, shift, result->hit_sectors, segments);
    if (gpci_is_write(request)) {
        uint32_t hits = gpci_count_sectors(found | gpci_full_segments(bytes));
        gpci_count_l2_write(hierarchy, slice, count, hits);
        gpci_stream_l2_write(hierarchy, slice, request, count, hits);
        GPCI_AGAIN(gpci_count_l2_write_again(hierarchy, slice, segments & (uint8_t)~found, bytes, count));
        return hits;
    }
    uint32_t hits = gpci_count_sectors(found);
    gpci_count_l2_atomic(hierarchy, slice, count, hits);
    gpci_stream_l2_atomic(hierarchy, slice, request, count, hits);
    return hits;
}

/* Drop the other partition's copy of a line, before the line changes in its home slice (number `slice` of all). */
GPCI_INLINE void gpci_l2_drop_copy(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t inner, uint64_t address) {
    if (hierarchy->partitions == 1 || hierarchy->homeless)
        return;
    const uint32_t copy = gpci_l2_peer(hierarchy, slice);
    gpci_log_dropped(hierarchy, hierarchy->l2[copy], GPC_COMPONENT_L2, copy, inner, address);
    gpc_cache_invalidate_line(hierarchy->l2[copy], inner, NULL);
}

/* Count the write-back of dirty bytes of a slice's line. Returns the segments with dirty bytes. */
GPCI_INLINE uint8_t gpci_l2_write_back(gpc_hierarchy *hierarchy, uint32_t slice, const uint64_t bytes[2]) {
    uint8_t segments = gpci_segments_of(bytes);
    gpci_count_l2_write_back(hierarchy, slice, gpci_count_sectors(segments));
    return segments;
}

/* Callback for the driver: write segments of the L1 line at an address to memory. */
typedef void (*gpci_memory_write_fn)(void *user_data, uint64_t address, uint8_t segments);

/*
 * If L2 is inclusive, remove a line that a slice has evicted (`inner`: address of the line in the slice) from every L1,
 * and pass dirty data to `write`.
 */
void gpci_l2_take_from_l1(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t inner, gpci_memory_write_fn write,
                          void *user_data);

#endif
