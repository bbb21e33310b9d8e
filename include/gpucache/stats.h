/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_STATS_H
#define GPUCACHE_STATS_H

#include <gpucache/error.h>

GPC_BEGIN_DECLS

/*
 * Counters. The tables below are the only place where one is written down:
 * structs, JSON, CSV, the Python names and the reference table come from them.
 * A counter merges over instances and kernels by SUM or MAX.
 * X(field, "name", "unit", MERGE, "meaning")
 */

/* Of one gpc_cache. Hits are counted per sector; a cache without sectors has one per line. */
#define GPC_CACHE_COUNTERS(X)                                                                                         \
    X(reads, "reads", "requests", SUM, "loads and prefetches that passed the tags")                                   \
    X(read_hits, "read_hits", "requests", SUM, "of these, all needed sectors valid or pending")                       \
    X(read_sectors, "read_sectors", "sectors", SUM, "sectors that reads needed")                                      \
    X(read_sector_hits, "read_sector_hits", "sectors", SUM, "of these, valid or pending")                             \
    X(pending_sector_hits, "pending_sector_hits", "sectors", SUM, "of these, still on their way")                     \
    X(writes, "writes", "requests", SUM, "stores that passed the tags")                                               \
    X(write_hits, "write_hits", "requests", SUM, "stores that found all their sectors, or wrote them whole")          \
    X(write_sectors, "write_sectors", "sectors", SUM, "sectors that stores touched")                                  \
    X(write_sector_hits, "write_sector_hits", "sectors", SUM, "of these, valid, pending, or written whole and kept")  \
    X(atomics, "atomics", "requests", SUM, "atomics and reductions performed or passed here")                         \
    X(atomic_sectors, "atomic_sectors", "sectors", SUM, "sectors that they touched")                                  \
    X(atomic_sector_hits, "atomic_sector_hits", "sectors", SUM, "of these, valid or pending before")                  \
    X(sector_misses, "sector_misses", "requests", SUM, "line resident, a needed sector not")                          \
    X(line_misses, "line_misses", "requests", SUM, "line not resident")                                               \
    X(bypasses, "bypasses", "requests", SUM, "requests that the predictor or the policy kept from allocating")        \
    X(bypassed_sectors, "bypassed_sectors", "sectors", SUM, "sectors that bypassing reads fetched")                   \
    X(no_victims, "no_victims", "requests", SUM, "allocations refused: every way pending")                            \
    X(fetched_sectors, "fetched_sectors", "sectors", SUM, "sectors read from below, bypasses included")               \
    X(fills, "fills", "lines", SUM, "lines that were given a way")                                                    \
    X(evictions, "evictions", "lines", SUM, "lines replaced")                                                         \
    X(zero_reuse_evictions, "zero_reuse_evictions", "lines", SUM, "of these, never hit (needs track_reuse)")          \
    X(write_backs, "write_backs", "lines", SUM, "lines whose dirty sectors left: replaced, dropped or flushed")       \
    X(write_back_sectors, "write_back_sectors", "sectors", SUM, "dirty sectors that left: replaced, dropped or flushed") \
    X(write_below_sectors, "write_below_sectors", "sectors", SUM, "sectors written below by stores passing through")  \
    X(invalidations, "invalidations", "lines", SUM, "lines dropped by invalidation or write-evict")                   \
    X(intra_warp_hits, "intra_warp_hits", "requests", SUM, "read hits by the warp that filled the line (track_warps)") \
    X(inter_warp_hits, "inter_warp_hits", "requests", SUM, "read hits by another warp (track_warps)")

/* Of a hierarchy. l1.* sums over SMs, l2.* over slices. */
#define GPC_COUNTERS(X)                                                                                                    \
    X(kernels, "kernels", "launches", SUM, "kernels that began")                                                          \
    X(blocks, "blocks", "blocks", SUM, "thread blocks that ran")                                                          \
    X(warp_instructions, "warp_instructions", "instructions", SUM, "warp instructions issued")                            \
    X(thread_instructions, "thread_instructions", "instructions", SUM, "active lanes over all warp instructions")         \
    X(l1_load_requests, "l1.load_requests", "instructions", SUM, "global and local warp loads")                           \
    X(l1_load_lines, "l1.load_lines", "transactions", SUM, "line transactions of loads")                                  \
    X(l1_load_sectors, "l1.load_sectors", "sectors", SUM, "sectors that loads needed")                                    \
    X(l1_load_sector_hits, "l1.load_sector_hits", "sectors", SUM, "of these, found in L1")                                \
    X(l1_load_bytes_used, "l1.load_bytes_used", "bytes", SUM, "distinct bytes that loading lanes asked for")              \
    X(l1_load_bytes_moved, "l1.load_bytes_moved", "bytes", SUM, "bytes of the sectors or lines that these loads touched") \
    X(l1_store_requests, "l1.store_requests", "instructions", SUM, "global and local warp stores")                        \
    X(l1_store_sectors, "l1.store_sectors", "sectors", SUM, "sectors that stores touched")                                \
    X(l1_store_sector_hits, "l1.store_sector_hits", "sectors", SUM, "of these, valid in L1")                              \
    X(l1_atomic_requests, "l1.atomic_requests", "instructions", SUM, "warp atomics and reductions")                       \
    X(l1_atomic_sectors, "l1.atomic_sectors", "sectors", SUM, "sectors that they touched")                                \
    X(l1_evictions, "l1.evictions", "lines", SUM, "lines replaced in L1")                                                 \
    X(l1_zero_reuse_evictions, "l1.zero_reuse_evictions", "lines", SUM, "of these, never hit (l1.track_reuse)")           \
    X(l1_bypasses, "l1.bypasses", "transactions", SUM, "line transactions that did not allocate though they missed")      \
    X(l1_bypassed_sectors, "l1.bypassed_sectors", "sectors", SUM, "sectors that they fetched")                            \
    X(l1_fetched_sectors, "l1.fetched_sectors", "sectors", SUM, "sectors that L1 read from L2")                           \
    X(l1_write_back_sectors, "l1.write_back_sectors", "sectors", SUM, "dirty sectors that L1 evicted or flushed")         \
    X(l1_invalidations, "l1.invalidations", "lines", SUM, "lines dropped from L1")                                        \
    X(l1_intra_warp_hits, "l1.intra_warp_hits", "transactions", SUM, "load hits by the warp that filled the line (l1.track_warps)") \
    X(l1_inter_warp_hits, "l1.inter_warp_hits", "transactions", SUM, "load hits by another warp (l1.track_warps)")        \
    X(l2_read_sectors, "l2.read_sectors", "sectors", SUM, "sectors that L1 and bypassing loads read from L2")             \
    X(l2_read_sector_hits, "l2.read_sector_hits", "sectors", SUM, "of these, found in the SM's own partition")            \
    X(l2_write_sectors, "l2.write_sectors", "sectors", SUM, "sectors written to L2")                                      \
    X(l2_write_sector_hits, "l2.write_sector_hits", "sectors", SUM, "of these, valid before, or written whole")           \
    X(l2_atomic_sectors, "l2.atomic_sectors", "sectors", SUM, "sectors of atomics and reductions at L2")                  \
    X(l2_atomic_sector_hits, "l2.atomic_sector_hits", "sectors", SUM, "of these, valid before")                           \
    X(l2_remote_sectors, "l2.remote_sectors", "sectors", SUM, "sectors that crossed between the two L2 partitions")       \
    X(l2_evictions, "l2.evictions", "lines", SUM, "lines replaced in L2")                                                 \
    X(l2_write_back_sectors, "l2.write_back_sectors", "sectors", SUM, "dirty sectors that L2 evicted or flushed")         \
    X(dram_read_sectors, "dram.read_sectors", "sectors", SUM, "sectors read from DRAM, launch overhead included")         \
    X(dram_write_sectors, "dram.write_sectors", "sectors", SUM, "sectors written to DRAM")                                \
    X(dram_launch_sectors, "dram.launch_sectors", "sectors", SUM, "of the reads: code, constants and launch descriptor")  \
    X(l1_capacity, "l1.capacity", "bytes", MAX, "L1 data capacity that the kernel had")                                   \
    X(resident_blocks, "resident_blocks", "blocks", MAX, "thread blocks that fit on an SM at once")

/* Histograms: X(field, "name", buckets, "unit", "meaning"); they merge by SUM. */
#define GPC_TRANSACTION_BUCKETS 33
#define GPC_HISTOGRAMS(X)                                                                                \
    X(l1_transactions_per_load, "l1.transactions_per_load", GPC_TRANSACTION_BUCKETS, "instructions",     \
      "loads by line transactions they made: bucket n = n transactions, the last = that many or more")

/* Ratios of two counters: X("name", numerator field, denominator field, "meaning") */
#define GPC_RATIOS(X)                                                                                          \
    X("l1.load_hit_rate", l1_load_sector_hits, l1_load_sectors, "load sectors found in L1")                   \
    X("l2.read_hit_rate", l2_read_sector_hits, l2_read_sectors, "read sectors found in L2")                   \
    X("l1.load_utilisation", l1_load_bytes_used, l1_load_bytes_moved, "bytes used of bytes moved by loads")   \
    X("l1.sectors_per_load", l1_load_sectors, l1_load_requests, "sectors per warp load")                      \
    X("l1.lines_per_load", l1_load_lines, l1_load_requests, "line transactions per warp load")

typedef struct gpc_cache_stats {
    size_t struct_size;
#define X(field, name, unit, merge, meaning) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} gpc_cache_stats;

typedef struct gpc_stats {
    size_t struct_size;
#define X(field, name, unit, merge, meaning) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(field, name, buckets, unit, meaning) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
} gpc_stats;

typedef enum gpc_merge { GPC_MERGE_SUM = 0, GPC_MERGE_MAX = 1 } gpc_merge;

/* Clear and set struct_size. Since: 0.1. */
GPC_API void gpc_stats_init(gpc_stats *stats);
GPC_API void gpc_cache_stats_init(gpc_cache_stats *stats);

/* into = into merged with more, counter by counter. GPC_ERROR_ABI where a struct_size is not understood. Since: 0.1. */
GPC_API gpc_status gpc_stats_add(gpc_stats *into, const gpc_stats *more);

/* out = later - earlier, for two snapshots of one object; a MAX counter keeps the later value. Since: 0.1. */
GPC_API gpc_status gpc_stats_subtract(const gpc_stats *later, const gpc_stats *earlier, gpc_stats *out);

/* What a counter is. Static storage. */
typedef struct gpc_counter_info {
    size_t struct_size;
    const char *name, *unit, *meaning;
    size_t offset;   /* bytes into gpc_stats (or gpc_cache_stats) */
    size_t buckets;  /* 1 for a counter, more for a histogram */
    gpc_merge merge;
    bool ratio;      /* computed: offset and divisor are those of numerator and denominator */
    size_t divisor;
} gpc_counter_info;

#define GPC_COUNTER_INFO_INIT {sizeof(gpc_counter_info), NULL, NULL, NULL, 0, 0, GPC_MERGE_SUM, false, 0}

/* Enumerate counters, histograms, then ratios of gpc_stats. GPC_ERROR_RANGE past the end. Any thread. Since: 0.1. */
GPC_API size_t gpc_counter_count(void);
GPC_API gpc_status gpc_counter_at(size_t index, gpc_counter_info *info);

/* The same for gpc_cache_stats. Since: 0.1. */
GPC_API size_t gpc_cache_counter_count(void);
GPC_API gpc_status gpc_cache_counter_at(size_t index, gpc_counter_info *info);

/*
 * Write statistics as one JSON object {"name": value, ...} (histograms as arrays,
 * ratios with six decimals, left out where their denominator is 0), or as CSV: a
 * header line, if `header`, and a value line.
 *   text, size  buffer of `size` bytes, NUL-terminated on return; NULL and 0 to measure
 *   out_length  receives the full length without the NUL, also where the text was cut
 * Returns GPC_OK; GPC_ERROR_RANGE where it was cut; GPC_ERROR_ABI. Since: 0.1.
 */
GPC_API gpc_status gpc_stats_json(const gpc_stats *stats, char *text, size_t size, size_t *out_length);
GPC_API gpc_status gpc_stats_csv(const gpc_stats *stats, bool header, char *text, size_t size, size_t *out_length);

GPC_END_DECLS

#endif
