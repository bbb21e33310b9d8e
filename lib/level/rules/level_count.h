/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_LEVEL_COUNT_H
#define GPC_LEVEL_LEVEL_COUNT_H

#include "base/check.h"
#include "level/rules/hierarchy.h"

/*
 * Functions that count the events of L1, L2 and DRAM, called by every driver: functional or timed, plain caches or a
 * tree. The rules decide what happens (level_rules.h). Sectors in statistics are segments of 32 bytes, independent of
 * the levels' sectors.
 */

/*
 * Counts of a stream (gpc_warp_access.stream) at a place. `place`: number of an SM, or number of SMs + number of a
 * slice. Only one thread of the CPU counts at a place. If `stream` is no stream, the counts that belong to no stream.
 * NULL: streams are not counted.
 */
GPCI_INLINE gpci_stream_counts *gpci_stream_of(const gpc_hierarchy *hierarchy, uint32_t place, uint8_t stream) {
    if (GPCI_LIKELY(!hierarchy->of_stream))
        return NULL;
    return &hierarchy->of_stream[(size_t)place * (hierarchy->streams + 1) +
                                 (stream < hierarchy->streams ? stream : hierarchy->streams)];
}

GPCI_INLINE void gpci_stream_l2_read(const gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                     uint32_t sectors, uint32_t hits) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, hierarchy->sms + slice, request->stream);
    if (GPCI_LIKELY(!counts))
        return;
    counts->l2_read_sectors += sectors;
    counts->l2_read_sector_hits += hits;
}

GPCI_INLINE void gpci_stream_l2_write(const gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                      uint32_t sectors, uint32_t hits) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, hierarchy->sms + slice, request->stream);
    if (GPCI_LIKELY(!counts))
        return;
    counts->l2_write_sectors += sectors;
    counts->l2_write_sector_hits += hits;
}

GPCI_INLINE void gpci_stream_l2_atomic(const gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                       uint32_t sectors, uint32_t hits) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, hierarchy->sms + slice, request->stream);
    if (GPCI_LIKELY(!counts))
        return;
    counts->l2_atomic_sectors += sectors;
    counts->l2_atomic_sector_hits += hits;
}

GPCI_INLINE void gpci_stream_dram_read(const gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                       uint32_t sectors) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, hierarchy->sms + slice, request->stream);
    if (GPCI_UNLIKELY(counts != NULL))
        counts->dram_read_sectors += sectors;
}

/* _lanes: count the threads of a warp instruction, one per bit of `mask`. _instruction: count the instruction, too. */
GPCI_INLINE void gpci_count_lanes(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t mask) {
    hierarchy->of_sm[sm].thread_instructions += gpci_popcount(mask);
}

GPCI_INLINE void gpci_count_instruction(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t mask) {
    hierarchy->of_sm[sm].warp_instructions++;
    gpci_count_lanes(hierarchy, sm, mask);
}

/* Take back the count of a warp instruction, whose accesses belong to the instruction counted before. */
GPCI_INLINE void gpci_count_as_one(gpc_hierarchy *hierarchy, uint32_t sm) {
    hierarchy->of_sm[sm].warp_instructions--;
}

/* Count an L1 lookup of a load's line. `hits`: sectors present or in flight. `pending`: sectors in flight. */
GPCI_INLINE void gpci_count_l1_load(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t hits, uint32_t pending) {
    hierarchy->of_sm[sm].l1_load_sector_hits += hits;
    hierarchy->of_sm[sm].l1_pending_sector_hits += pending;
}

/* gpci_count_l1_load, also for the request's stream. */
GPCI_INLINE void gpci_count_l1_found(gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t hits,
                                     uint32_t pending) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, request->sm, request->stream);
    gpci_count_l1_load(hierarchy, request->sm, hits, pending);
    if (GPCI_UNLIKELY(counts != NULL))
        counts->l1_load_sector_hits += hits;
}

/* Count a load as an asynchronous copy into shared memory. `passes`: the copy bypasses L1. */
GPCI_INLINE void gpci_count_l1_copy(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors, bool passes) {
    hierarchy->of_sm[sm].l1_copy_requests++;
    hierarchy->of_sm[sm].l1_copy_sectors += sectors;
    hierarchy->of_sm[sm].l1_copy_passed_sectors += passes ? sectors : 0;
}

/* With a clock: count a line of a load once. `hit`: no sector was missing. */
GPCI_INLINE void gpci_count_l1_load_line(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp_age, bool hit) {
    if (hit)
        hierarchy->of_sm[sm].l1_hits_by_age[warp_age < GPC_AGE_BUCKETS ? warp_age : GPC_AGE_BUCKETS - 1]++;
    else
        hierarchy->of_sm[sm].l1_load_line_misses++;
}

/*
 * With a clock. _load_cycles: count a completed load, and the cycles since its issue. _round_trip: count a line read
 * from memory, and the cycles since its L1 miss.
 */
GPCI_INLINE uint64_t gpci_latency_bucket(uint64_t cycles) {
    uint64_t bucket = cycles / GPC_LATENCY_STEP;
    return bucket < GPC_LATENCY_BUCKETS ? bucket : GPC_LATENCY_BUCKETS - 1;
}
GPCI_INLINE void gpci_count_load_cycles(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycles) {
    hierarchy->of_sm[sm].loads_completed++;
    hierarchy->of_sm[sm].load_cycles += cycles;
    hierarchy->of_sm[sm].load_latency[gpci_latency_bucket(cycles)]++;
}
GPCI_INLINE void gpci_count_round_trip(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycles) {
    hierarchy->of_sm[sm].round_trips++;
    hierarchy->of_sm[sm].round_trip_cycles += cycles;
    hierarchy->of_sm[sm].round_trip_latency[gpci_latency_bucket(cycles)]++;
}

/* Count a load's line transaction in L1 by the token of its warp, if tokens are in use. */
GPCI_INLINE void gpci_count_token(gpc_hierarchy *hierarchy, const gpc_request *request, bool missed) {
    if (GPCI_UNLIKELY(request->policy.token != GPC_TOKEN_UNUSED) && request->kind == GPC_LOAD) {
        gpci_sm_counts *counts = &hierarchy->of_sm[request->sm];
        bool none = request->policy.token == GPC_TOKEN_NONE;
        counts->l1_bypass_warp_lines += none;
        counts->l1_bypass_warp_misses += none && missed;
        counts->l1_cache_warp_lines += !none;
        counts->l1_cache_warp_misses += !none && missed;
    }
}

#ifdef GPCI_CHECK
/* Count a line of a load in L1 a second time, from the missing sectors, in the checking build (base/check.h). */
GPCI_INLINE void gpci_count_load_again(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors, uint32_t missing,
                                       uint32_t pending) {
    hierarchy->of_sm[sm].again.l1_load_sector_hits += sectors - missing;
    hierarchy->of_sm[sm].again.l1_pending_sector_hits += pending;
}
GPCI_INLINE void gpci_count_token_again(gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t missing) {
    gpc_stats *stats = &hierarchy->of_sm[request->sm].again;
    if (request->policy.token == GPC_TOKEN_UNUSED || request->kind != GPC_LOAD)
        return;
    *(request->policy.token == GPC_TOKEN_NONE ? &stats->l1_bypass_warp_lines : &stats->l1_cache_warp_lines) += 1;
    if (missing)
        *(request->policy.token == GPC_TOKEN_NONE ? &stats->l1_bypass_warp_misses : &stats->l1_cache_warp_misses) += 1;
}
/* Count hits of a write in L2 a second time: all sectors but those `missing` in L2 and not covered by the write. */
GPCI_INLINE void gpci_count_l2_write_again(gpc_hierarchy *hierarchy, uint32_t slice, uint8_t missing,
                                           const uint64_t bytes[2], uint32_t sectors) {
    gpc_stats *stats = &hierarchy->of_slice[slice].again;
    stats->l2_write_sector_hits += sectors;
    for (unsigned k = 0; k < 4; k++)
        stats->l2_write_sector_hits -= missing >> k & 1 && (uint32_t)(bytes[k / 2] >> k % 2 * 32) != UINT32_MAX;
}

/* Count sectors read or written by SMs of the other partition a second time, at the home slice. */
GPCI_INLINE void gpci_count_l2_remote_again(gpc_hierarchy *hierarchy, uint32_t slice, uint8_t segments) {
    hierarchy->of_slice[slice].again.l2_remote_sectors += gpci_count_sectors(segments);
}
#endif

/* Count a line of a load that missed L1 and came from DRAM. */
GPCI_INLINE void gpci_count_l1_dram_line(gpc_hierarchy *hierarchy, uint32_t sm) {
    hierarchy->of_sm[sm].l1_load_dram_lines++;
}

GPCI_INLINE void gpci_count_l1_store(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t hits) {
    hierarchy->of_sm[sm].l1_store_sector_hits += hits;
}

/* Count sectors read by L1 from L2. */
GPCI_INLINE void gpci_count_l1_fetch(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t segments) {
    uint32_t count = gpci_count_sectors(segments);
    hierarchy->of_sm[sm].l1_fetched_sectors += count;
    hierarchy->of_sm[sm].l1_fetches[count]++;
}

/* gpci_count_l1_fetch, also for the request's stream. */
GPCI_INLINE void gpci_count_l1_asked(gpc_hierarchy *hierarchy, const gpc_request *request, uint8_t segments) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, request->sm, request->stream);
    gpci_count_l1_fetch(hierarchy, request->sm, segments);
    if (GPCI_UNLIKELY(counts != NULL))
        counts->l1_fetched_sectors += gpci_count_sectors(segments);
}

/* Count sectors read by L1 that fill no line. With a clock, sectors in flight are counted until they fill a line. */
GPCI_INLINE void gpci_count_l1_unfilled(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t segments) {
    hierarchy->of_sm[sm].unfilled_sectors += gpci_count_sectors(segments);
}

GPCI_INLINE void gpci_count_l1_filled(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t segments) {
    hierarchy->of_sm[sm].unfilled_sectors -= gpci_count_sectors(segments);
}

/* With a clock: count sectors that L1 requests, and that have not filled a line yet. */
GPCI_INLINE void gpci_count_l1_sent(gpc_hierarchy *hierarchy, const gpc_request *request, uint8_t segments) {
    gpci_count_l1_asked(hierarchy, request, segments);
    gpci_count_l1_unfilled(hierarchy, request->sm, segments);
}

/* Correct the counts of a read that is extended from segments `from` to segments `to`, before the read is sent. */
GPCI_INLINE void gpci_count_l1_grows(gpc_hierarchy *hierarchy, const gpc_request *request, uint8_t from, uint8_t to) {
    const uint32_t before = gpci_count_sectors(from), after = gpci_count_sectors(to);
    uint64_t *fetches = hierarchy->of_sm[request->sm].l1_fetches;
    gpci_count_l1_sent(hierarchy, request, to & (uint8_t)~from);
    fetches[after - before]--;
    fetches[before] -= fetches[before] > 0; /* 0: the counters were reset after the read was counted */
    fetches[after]++;
}

/* Count sectors that L1 reads and does not keep. */
GPCI_INLINE void gpci_count_l1_bypass(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t segments) {
    uint32_t count = gpci_count_sectors(segments);
    hierarchy->of_sm[sm].l1_bypassed_sectors += count;
    hierarchy->of_sm[sm].l1_bypass_fetches[count]++;
}

/* gpci_open_l1_bypass: count a predicted bypass of L1 without a reply of L2, which may overturn the decision. */
GPCI_INLINE void gpci_open_l1_bypass(gpc_hierarchy *hierarchy, uint32_t sm) {
    hierarchy->of_sm[sm].open_bypasses++;
}

GPCI_INLINE void gpci_close_l1_bypass(gpc_hierarchy *hierarchy, uint32_t sm) {
    hierarchy->of_sm[sm].open_bypasses--;
}

/* Count dirty sectors written back by L1. */
GPCI_INLINE void gpci_count_l1_write_back(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors) {
    hierarchy->of_sm[sm].l1_write_back_sectors += sectors;
}

/*
 * gpci_count_fence: count a fence. _lines: count an invalidation of an L1 by a fence, with `lines` dropped lines.
 * _write_back: count the sectors that L1 wrote back for a fence.
 */
GPCI_INLINE void gpci_count_fence(gpc_hierarchy *hierarchy, uint32_t sm) {
    hierarchy->of_sm[sm].fences++;
}

GPCI_INLINE void gpci_count_fence_lines(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t lines) {
    hierarchy->of_sm[sm].fence_invalidations++;
    hierarchy->of_sm[sm].fence_lines += lines;
}

GPCI_INLINE void gpci_count_fence_write_back(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors) {
    hierarchy->of_sm[sm].fence_write_back_sectors += sectors;
}

/* With a clock: count a completed bulk copy and its cycles. */
GPCI_INLINE void gpci_count_bulk_cycles(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycles) {
    hierarchy->of_sm[sm].bulk_completed++;
    hierarchy->of_sm[sm].bulk_cycles += cycles;
}

/* With a clock: count the cycles of a fence. */
GPCI_INLINE void gpci_count_fence_cycles(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t cycles) {
    hierarchy->of_sm[sm].fence_cycles += cycles;
}

/* Count L2 reads for a host's own constant, texture and instruction caches. */
GPCI_INLINE void gpci_count_l2_read_only(gpc_hierarchy *hierarchy, uint32_t slice, gpc_space space, uint32_t sectors,
                                         uint32_t hits) {
    gpci_slice_counts *counts = &hierarchy->of_slice[slice];
    if (space == GPC_SPACE_CONSTANT) {
        counts->l2_constant_read_sectors += sectors;
        counts->l2_constant_read_sector_hits += hits;
    } else if (space == GPC_SPACE_TEXTURE) {
        counts->l2_texture_read_sectors += sectors;
        counts->l2_texture_read_sector_hits += hits;
    } else {
        counts->l2_instruction_read_sectors += sectors;
        counts->l2_instruction_read_sector_hits += hits;
    }
}

/* Count L2 reads of persisting lines. */
GPCI_INLINE void gpci_count_l2_persisting(gpc_hierarchy *hierarchy, uint32_t slice, uint8_t priority, uint32_t sectors,
                                          uint32_t hits) {
    if (GPCI_LIKELY(priority != GPC_EVICT_LAST))
        return;
    hierarchy->of_slice[slice].l2_persisting_sectors += sectors;
    hierarchy->of_slice[slice].l2_persisting_sector_hits += hits;
}

GPCI_INLINE void gpci_count_l2_read(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors, uint32_t hits) {
    hierarchy->of_slice[slice].l2_read_sectors += sectors;
    hierarchy->of_slice[slice].l2_read_sector_hits += hits;
}

/* With a clock: count L2 hits on sectors in flight. */
GPCI_INLINE void gpci_count_l2_pending(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].l2_pending_sector_hits += sectors;
}

/* With a clock: count sectors supplied by another SM's read, in an L2 request coalescer (_lrc), or at a slice (_l2). */
GPCI_INLINE void gpci_count_lrc_merge(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors) {
    hierarchy->of_sm[sm].merged_sectors += sectors;
}

/*
 * Count a read of a GL1 by an SM's L1. `hits`: sectors present or in flight. `pending`: sectors in flight. _fetch:
 * count sectors that a GL1 reads from L2.
 */
GPCI_INLINE void gpci_count_gl1_read(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors, uint32_t hits,
                                     uint32_t pending) {
    hierarchy->of_sm[sm].gl1_read_sectors += sectors;
    hierarchy->of_sm[sm].gl1_read_sector_hits += hits;
    hierarchy->of_sm[sm].gl1_pending_sector_hits += pending;
}
GPCI_INLINE void gpci_count_gl1_fetch(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t sectors) {
    hierarchy->of_sm[sm].gl1_fetched_sectors += sectors;
}
#ifdef GPCI_CHECK
/* Second counts of the same, by masks of segments: asked for, found or in flight, in flight. */
GPCI_INLINE void gpci_count_gl1_read_again(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t segments, uint8_t hits,
                                           uint8_t pending) {
    gpc_stats *again = &hierarchy->of_sm[sm].again;
    again->gl1_read_sectors += gpci_popcount(segments);
    again->gl1_read_sector_hits += gpci_popcount(segments) - gpci_popcount(segments & (uint8_t)~hits);
    again->gl1_pending_sector_hits += gpci_popcount(pending);
}
GPCI_INLINE void gpci_count_gl1_fetch_again(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t segments) {
    hierarchy->of_sm[sm].again.gl1_fetched_sectors += gpci_popcount(segments);
}
#endif

GPCI_INLINE void gpci_count_l2_merge(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].merged_sectors += sectors;
}

GPCI_INLINE void gpci_count_l2_write(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors, uint32_t hits) {
    hierarchy->of_slice[slice].l2_write_sectors += sectors;
    hierarchy->of_slice[slice].l2_write_sector_hits += hits;
}

GPCI_INLINE void gpci_count_l2_atomic(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors, uint32_t hits) {
    hierarchy->of_slice[slice].l2_atomic_sectors += sectors;
    hierarchy->of_slice[slice].l2_atomic_sector_hits += hits;
}

/* Count sectors read or written in the remote partition; `slice` is in the SM's own partition. */
GPCI_INLINE void gpci_count_l2_remote(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].l2_remote_sectors += sectors;
}

GPCI_INLINE void gpci_count_l2_write_back(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].l2_write_back_sectors += sectors;
}

GPCI_INLINE void gpci_count_dram_read(gpc_hierarchy *hierarchy, uint32_t sectors) {
    hierarchy->stats.dram_read_sectors += sectors;
}

GPCI_INLINE void gpci_count_dram_write(gpc_hierarchy *hierarchy, uint32_t sectors) {
    hierarchy->stats.dram_write_sectors += sectors;
}

/* Count DRAM reads or writes for the requesting slice. Several threads of the CPU may count for different slices. */
GPCI_INLINE void gpci_count_slice_dram_read(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].memory_reads += sectors;
}

GPCI_INLINE void gpci_count_slice_dram_write(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].memory_writes += sectors;
}

/* Count sectors that a slice reads from the cache beside memory. `hits`: present, or on their way to the cache. */
GPCI_INLINE void gpci_count_memory_cache_read(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors,
                                              uint32_t hits) {
    hierarchy->of_slice[slice].memory_cache.reads += sectors;
    hierarchy->of_slice[slice].memory_cache.hits += hits;
}

GPCI_INLINE void gpci_count_memory_cache_write(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].memory_cache.writes += sectors;
}

/* Count dirty sectors that the cache beside memory writes to DRAM. `slice`: of the line's address. */
GPCI_INLINE void gpci_count_memory_cache_write_back(gpc_hierarchy *hierarchy, uint32_t slice, uint32_t sectors) {
    hierarchy->of_slice[slice].memory_cache.write_backs += sectors;
}

/* Count DRAM reads by a kernel launch: parameters and code. */
GPCI_INLINE void gpci_count_dram_launch(gpc_hierarchy *hierarchy, uint64_t sectors) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, hierarchy->sms, GPCI_NO_STREAM);
    hierarchy->stats.dram_launch_sectors += sectors;
    hierarchy->stats.dram_read_sectors += sectors;
    if (GPCI_UNLIKELY(counts != NULL))
        counts->dram_read_sectors += sectors;
}

#endif
