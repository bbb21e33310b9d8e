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
#define GPC_CACHE_COUNTERS(X)                                                                                          \
    X(reads, "reads", "requests", SUM, "loads and prefetches that passed the tags")                                    \
    X(read_hits, "read_hits", "requests", SUM, "of these, all needed sectors valid or pending")                        \
    X(read_sectors, "read_sectors", "sectors", SUM, "sectors that reads needed")                                       \
    X(read_sector_hits, "read_sector_hits", "sectors", SUM, "of these, valid or pending")                              \
    X(pending_sector_hits, "pending_sector_hits", "sectors", SUM, "of these, still on their way")                      \
    X(writes, "writes", "requests", SUM, "stores that passed the tags")                                                \
    X(write_hits, "write_hits", "requests", SUM, "stores that found all their sectors, or wrote them whole")           \
    X(write_sectors, "write_sectors", "sectors", SUM, "sectors that stores touched")                                   \
    X(write_sector_hits, "write_sector_hits", "sectors", SUM, "of these, valid, pending, or written whole and kept")   \
    X(atomics, "atomics", "requests", SUM, "atomics and reductions performed or passed here")                          \
    X(atomic_sectors, "atomic_sectors", "sectors", SUM, "sectors that they touched")                                   \
    X(atomic_sector_hits, "atomic_sector_hits", "sectors", SUM, "of these, valid or pending before")                   \
    X(sector_misses, "sector_misses", "requests", SUM, "line resident, a needed sector not")                           \
    X(line_misses, "line_misses", "requests", SUM, "line not resident")                                                \
    X(bypasses, "bypasses", "requests", SUM, "requests that the predictor or the policy kept from allocating")         \
    X(bypassed_sectors, "bypassed_sectors", "sectors", SUM, "sectors that bypassing reads fetched")                    \
    X(token_bypasses, "token_bypasses", "requests", SUM, "of bypasses, those for lack of a cache token")               \
    X(opportunistic_fills, "opportunistic_fills", "lines", SUM, "of fills, those by requests without a cache token")   \
    X(priority_evictions, "priority_evictions", "lines", SUM,                                                          \
      "of evictions, lines with the priority of token holders")                                                        \
    X(no_victims, "no_victims", "requests", SUM, "allocations refused: every way pending")                             \
    X(fetched_sectors, "fetched_sectors", "sectors", SUM, "sectors read from below, bypasses included")                \
    X(fills, "fills", "lines", SUM, "lines that were given a way")                                                     \
    X(evictions, "evictions", "lines", SUM, "lines replaced")                                                          \
    X(zero_reuse_evictions, "zero_reuse_evictions", "lines", SUM, "of these, never hit (needs track_reuse)")           \
    X(write_backs, "write_backs", "lines", SUM, "lines whose dirty sectors left: replaced, dropped or flushed")        \
    X(write_back_sectors, "write_back_sectors", "sectors", SUM,                                                        \
      "dirty sectors that left: replaced, dropped or flushed")                                                         \
    X(write_below_sectors, "write_below_sectors", "sectors", SUM, "sectors written below by stores passing through")   \
    X(invalidations, "invalidations", "lines", SUM, "lines dropped by invalidation or write-evict")                    \
    X(intra_warp_hits, "intra_warp_hits", "requests", SUM, "read hits by the warp that filled the line (track_warps)") \
    X(inter_warp_hits, "inter_warp_hits", "requests", SUM, "read hits by another warp (track_warps)")                  \
    X(predictions, "predictions", "requests", SUM,                                                                     \
      "requests that a predictor was asked about; always-*, hint do not count")                                        \
    X(overturned_bypasses, "overturned_bypasses", "requests", SUM,                                                     \
      "of bypasses, made fills by the reply from below: mispredictions found out")                                     \
    X(overturned_fills, "overturned_fills", "requests", SUM, "fills that the reply from below made bypasses")          \
    X(oracle_decisions, "oracle_decisions", "requests", SUM,                                                           \
      "read misses of a predictor that an oracle decided on too (track_future)")                                       \
    X(oracle_bypasses, "oracle_bypasses", "requests", SUM, "of these, the oracle would bypass")                        \
    X(oracle_agreements, "oracle_agreements", "requests", SUM, "of these, the predictor decided as the oracle")        \
    X(oracle_agreed_bypasses, "oracle_agreed_bypasses", "requests", SUM, "of these, both bypass")

/* Of a hierarchy. l1.* sums over SMs, l2.* over slices. */
#define GPC_COUNTERS(X)                                                                                                \
    X(kernels, "kernels", "launches", SUM, "kernels that began")                                                       \
    X(blocks, "blocks", "blocks", SUM, "thread blocks that ran")                                                       \
    X(warp_instructions, "warp_instructions", "instructions", SUM, "warp instructions issued")                         \
    X(thread_instructions, "thread_instructions", "instructions", SUM, "active lanes over all warp instructions")      \
    X(l1_load_requests, "l1.load_requests", "instructions", SUM, "global and local warp loads")                        \
    X(l1_load_lines, "l1.load_lines", "transactions", SUM, "line transactions of loads")                               \
    X(l1_load_sectors, "l1.load_sectors", "sectors", SUM, "sectors that loads needed")                                 \
    X(l1_load_sector_hits, "l1.load_sector_hits", "sectors", SUM, "of these, found in L1")                             \
    X(l1_load_bytes_used, "l1.load_bytes_used", "bytes", SUM, "distinct bytes that loading lanes asked for")           \
    X(l1_load_bytes_moved, "l1.load_bytes_moved", "bytes", SUM,                                                        \
      "bytes of the sectors or lines that these loads touched")                                                        \
    X(l1_store_requests, "l1.store_requests", "instructions", SUM, "global and local warp stores")                     \
    X(l1_store_sectors, "l1.store_sectors", "sectors", SUM, "sectors that stores touched")                             \
    X(l1_store_sector_hits, "l1.store_sector_hits", "sectors", SUM, "of these, valid in L1")                           \
    X(l1_atomic_requests, "l1.atomic_requests", "instructions", SUM, "warp atomics and reductions")                    \
    X(l1_atomic_sectors, "l1.atomic_sectors", "sectors", SUM, "sectors that they touched")                             \
    X(l1_evictions, "l1.evictions", "lines", SUM, "lines replaced in L1")                                              \
    X(l1_zero_reuse_evictions, "l1.zero_reuse_evictions", "lines", SUM, "of these, never hit (l1.track_reuse)")        \
    X(l1_bypasses, "l1.bypasses", "transactions", SUM, "line transactions that did not allocate though they missed")   \
    X(l1_bypassed_sectors, "l1.bypassed_sectors", "sectors", SUM, "sectors that they fetched")                         \
    X(l1_token_bypasses, "l1.token_bypasses", "transactions", SUM, "of l1.bypasses, those for lack of a cache token")  \
    X(l1_opportunistic_fills, "l1.opportunistic_fills", "lines", SUM, "lines filled for warps without a cache token")  \
    X(l1_priority_evictions, "l1.priority_evictions", "lines", SUM,                                                    \
      "of l1.evictions, lines with the priority of token holders")                                                     \
    X(l1_cache_warp_lines, "l1.cache_warp_lines", "transactions", SUM,                                                 \
      "line transactions of loads through L1 by warps with a cache token, where tokens are in use")                    \
    X(l1_cache_warp_misses, "l1.cache_warp_misses", "transactions", SUM, "of these, with a sector missing")            \
    X(l1_bypass_warp_lines, "l1.bypass_warp_lines", "transactions", SUM, "the same, by warps without one")             \
    X(l1_bypass_warp_misses, "l1.bypass_warp_misses", "transactions", SUM, "of these, with a sector missing")          \
    X(l1_predictions, "l1.predictions", "transactions", SUM, "line transactions that L1's predictor was asked about")  \
    X(l1_overturned_bypasses, "l1.overturned_bypasses", "transactions", SUM,                                           \
      "bypasses that L2's reply made fills: mispredictions found out")                                                 \
    X(l1_overturned_fills, "l1.overturned_fills", "transactions", SUM, "fills that L2's reply made bypasses")          \
    X(l1_oracle_decisions, "l1.oracle_decisions", "transactions", SUM,                                                 \
      "read misses that an oracle decided on beside L1's predictor (l1.future)")                                       \
    X(l1_oracle_bypasses, "l1.oracle_bypasses", "transactions", SUM, "of these, the oracle would bypass")              \
    X(l1_oracle_agreements, "l1.oracle_agreements", "transactions", SUM, "decisions that predictor and oracle share")  \
    X(l1_oracle_agreed_bypasses, "l1.oracle_agreed_bypasses", "transactions", SUM, "of these, bypasses")               \
    X(l1_fetched_sectors, "l1.fetched_sectors", "sectors", SUM, "sectors that L1 read from L2")                        \
    X(l1_write_back_sectors, "l1.write_back_sectors", "sectors", SUM, "dirty sectors that L1 evicted or flushed")      \
    X(l1_invalidations, "l1.invalidations", "lines", SUM, "lines dropped from L1")                                     \
    X(l1_intra_warp_hits, "l1.intra_warp_hits", "transactions", SUM,                                                   \
      "load hits by the warp that filled the line (l1.track_warps)")                                                   \
    X(l1_inter_warp_hits, "l1.inter_warp_hits", "transactions", SUM, "load hits by another warp (l1.track_warps)")     \
    X(l2_read_sectors, "l2.read_sectors", "sectors", SUM, "sectors that L1 and bypassing loads read from L2")          \
    X(l2_read_sector_hits, "l2.read_sector_hits", "sectors", SUM, "of these, found in the SM's own partition")         \
    X(l2_write_sectors, "l2.write_sectors", "sectors", SUM, "sectors written to L2")                                   \
    X(l2_write_sector_hits, "l2.write_sector_hits", "sectors", SUM, "of these, valid before, or written whole")        \
    X(l2_atomic_sectors, "l2.atomic_sectors", "sectors", SUM, "sectors of atomics and reductions at L2")               \
    X(l2_atomic_sector_hits, "l2.atomic_sector_hits", "sectors", SUM, "of these, valid before")                        \
    X(l2_remote_sectors, "l2.remote_sectors", "sectors", SUM, "sectors that crossed between the two L2 partitions")    \
    X(l2_evictions, "l2.evictions", "lines", SUM, "lines replaced in L2")                                              \
    X(l2_token_bypasses, "l2.token_bypasses", "requests", SUM,                                                         \
      "requests that did not allocate in L2 for lack of a token")                                                      \
    X(l2_opportunistic_fills, "l2.opportunistic_fills", "lines", SUM, "lines filled for warps without a token for L2") \
    X(l2_priority_evictions, "l2.priority_evictions", "lines", SUM,                                                    \
      "of l2.evictions, lines with the priority of token holders")                                                     \
    X(l2_write_back_sectors, "l2.write_back_sectors", "sectors", SUM, "dirty sectors that L2 evicted or flushed")      \
    X(dram_read_sectors, "dram.read_sectors", "sectors", SUM, "sectors read from DRAM, launch overhead included")      \
    X(dram_write_sectors, "dram.write_sectors", "sectors", SUM, "sectors written to DRAM")                             \
    X(dram_launch_sectors, "dram.launch_sectors", "sectors", SUM,                                                      \
      "of the reads: code, constants and launch descriptor")                                                           \
    X(l1_capacity, "l1.capacity", "bytes", MAX, "L1 data capacity that the kernel had")                                \
    X(resident_blocks, "resident_blocks", "blocks", MAX, "thread blocks that fit on an SM at once")                    \
    /* the rest counts in a timed hierarchy or replay only; a gauge is the sum over cycles of what a queue held */     \
    X(cycles, "cycles", "core cycles", SUM, "from launch to the last completion")                                      \
    X(sm_cycles, "sm.cycles", "SM cycles", SUM, "core cycles, summed over SMs")                                        \
    X(sm_active_cycles, "sm.active_cycles", "SM cycles", SUM, "of these, with a thread block resident")                \
    X(sm_warp_cycles, "sm.warp_cycles", "warp cycles", SUM, "gauge: warps resident that have not ended")               \
    X(sm_cache_warp_cycles, "sm.cache_warp_cycles", "warp cycles", SUM,                                                \
      "of these, of warps of class cache (seeds/004 4.3)")                                                             \
    X(sm_bypass_warp_cycles, "sm.bypass_warp_cycles", "warp cycles", SUM, "of bypassing warps")                        \
    X(sm_throttled_warp_cycles, "sm.throttled_warp_cycles", "warp cycles", SUM, "of throttled warps")                  \
    X(sm_cache_instructions, "sm.cache_instructions", "instructions", SUM, "issued by warps of class cache")           \
    X(sm_bypass_instructions, "sm.bypass_instructions", "instructions", SUM, "issued by bypassing warps")              \
    X(scheduler_cycles, "scheduler.cycles", "scheduler cycles", SUM, "core cycles, summed over warp schedulers")       \
    X(scheduler_issued, "scheduler.issued", "scheduler cycles", SUM, "in which an instruction issued")                 \
    X(scheduler_empty, "scheduler.empty", "scheduler cycles", SUM, "without a warp")                                   \
    X(scheduler_memory_stalls, "scheduler.memory_stalls", "scheduler cycles", SUM,                                     \
      "a memory instruction was ready, nothing issued, and the memory pipeline was busy (seeds/004 4.1.4)")            \
    X(scheduler_line_stalls, "scheduler.line_stalls", "scheduler cycles", SUM, "of these, L1 waited for a line")       \
    X(scheduler_mshr_stalls, "scheduler.mshr_stalls", "scheduler cycles", SUM, "of these, for an MSHR entry or merge") \
    X(scheduler_unit_stalls, "scheduler.unit_stalls", "scheduler cycles", SUM, "a warp was ready, its unit was busy")  \
    X(scheduler_load_stalls, "scheduler.load_stalls", "scheduler cycles", SUM, "no warp ready, one waits for memory")  \
    X(scheduler_latency_stalls, "scheduler.latency_stalls", "scheduler cycles", SUM,                                   \
      "no warp ready, none waits for memory, one waits for a result")                                                  \
    X(scheduler_barrier_stalls, "scheduler.barrier_stalls", "scheduler cycles", SUM, "all its warps wait at barriers") \
    X(scheduler_throttled, "scheduler.throttled", "scheduler cycles", SUM,                                             \
      "only warps held back by a limit or throttle were ready")                                                        \
    X(l1_pending_sector_hits, "l1.pending_sector_hits", "sectors", SUM, "load sectors found on their way to L1")       \
    X(l1_load_line_misses, "l1.load_line_misses", "transactions", SUM,                                                 \
      "line transactions of loads with a sector missing")                                                              \
    X(l1_load_dram_lines, "l1.load_dram_lines", "transactions", SUM, "of these, with a sector that came from DRAM")    \
    X(l1_line_failures, "l1.line_failures", "transactions", SUM,                                                       \
      "held up at L1's tags: every way of the set reserved")                                                           \
    X(l1_mshr_failures, "l1.mshr_failures", "transactions", SUM, "held up: no MSHR entry free")                        \
    X(l1_merge_failures, "l1.merge_failures", "transactions", SUM, "held up: the line's MSHR entry takes no more")     \
    X(l1_queue_failures, "l1.queue_failures", "transactions", SUM, "held up: miss queue full")                         \
    X(l1_bank_failures, "l1.bank_failures", "transactions", SUM, "held up for a cycle: tag bank in use")               \
    X(l1_line_bypasses, "l1.line_bypasses", "transactions", SUM,                                                       \
      "loads that went past L1, every way of the set reserved (mrpb)")                                                 \
    X(l1_mshr_bypasses, "l1.mshr_bypasses", "transactions", SUM, "likewise, no MSHR entry free")                       \
    X(l1_queue_bypasses, "l1.queue_bypasses", "transactions", SUM, "likewise, miss queue full")                        \
    X(l1_line_stalls, "l1.line_stalls", "SM cycles", SUM, "L1's tags waited for a line")                               \
    X(l1_mshr_stalls, "l1.mshr_stalls", "SM cycles", SUM, "for an MSHR entry")                                         \
    X(l1_merge_stalls, "l1.merge_stalls", "SM cycles", SUM, "for an MSHR merge")                                       \
    X(l1_queue_stalls, "l1.queue_stalls", "SM cycles", SUM, "for the miss queue")                                      \
    X(l1_network_stalls, "l1.network_stalls", "SM cycles", SUM, "the miss queue's head waited for the network")        \
    X(l1_queue_cycles, "l1.queue_cycles", "entry cycles", SUM, "gauge: warp instructions before L1's tags")            \
    X(l1_reorder_cycles, "l1.reorder_cycles", "entry cycles", SUM,                                                     \
      "gauge: transactions in L1's reorder buffers (l1.reorder)")                                                      \
    X(l1_reorder_stalls, "l1.reorder_stalls", "SM cycles", SUM, "the coalescer waited for room in it, or for a flush") \
    X(l1_reordered, "l1.reordered", "transactions", SUM, "that left it before an older one")                           \
    X(l1_reorder_switches, "l1.reorder_switches", "times", SUM, "L1's tags turned to another queue of it")             \
    X(l1_reorder_flushes, "l1.reorder_flushes", "transactions", SUM, "writes that waited until it was empty")          \
    X(l1_mshr_cycles, "l1.mshr_cycles", "entry cycles", SUM, "gauge: MSHR entries in use")                             \
    X(l1_miss_queue_cycles, "l1.miss_queue_cycles", "entry cycles", SUM, "gauge: packets in L1's miss queues")         \
    X(l2_pending_sector_hits, "l2.pending_sector_hits", "sectors", SUM, "of these, on their way to L2")                \
    X(l2_merged_sectors, "l2.merged_sectors", "sectors", SUM, "read sectors that another SM's request brought along")  \
    X(l2_line_failures, "l2.line_failures", "packets", SUM, "held up at L2's tags: every way of the set reserved")     \
    X(l2_mshr_failures, "l2.mshr_failures", "packets", SUM, "held up: no MSHR entry free")                             \
    X(l2_merge_failures, "l2.merge_failures", "packets", SUM, "held up: the line's MSHR entry takes no more")          \
    X(l2_queue_failures, "l2.queue_failures", "packets", SUM, "held up: miss or reply queue full")                     \
    X(l2_bank_failures, "l2.bank_failures", "packets", SUM, "held up for a cycle: tag bank in use")                    \
    X(l2_line_stalls, "l2.line_stalls", "slice cycles", SUM, "L2's tags waited for a line, in core cycles")            \
    X(l2_mshr_stalls, "l2.mshr_stalls", "slice cycles", SUM, "for an MSHR entry")                                      \
    X(l2_merge_stalls, "l2.merge_stalls", "slice cycles", SUM, "for an MSHR merge")                                    \
    X(l2_queue_stalls, "l2.queue_stalls", "slice cycles", SUM, "for the miss or reply queue")                          \
    X(l2_cycles, "l2.cycles", "slice cycles", SUM, "core cycles, summed over slices")                                  \
    X(l2_congested_cycles, "l2.congested_cycles", "slice cycles", SUM,                                                 \
      "a packet at the network's output could not enter the slice (seeds/004 4.1.4)")                                  \
    X(l2_queue_cycles, "l2.queue_cycles", "entry cycles", SUM, "gauge: packets before L2's tags")                      \
    X(l2_mshr_cycles, "l2.mshr_cycles", "entry cycles", SUM, "gauge: MSHR entries in use")                             \
    X(l2_miss_queue_cycles, "l2.miss_queue_cycles", "entry cycles", SUM, "gauge: packets in L2's miss queues")         \
    X(l2_reply_queue_cycles, "l2.reply_queue_cycles", "entry cycles", SUM, "gauge: packets in L2's reply queues")      \
    X(network_requests, "network.requests", "packets", SUM, "from L1 to L2 that arrived")                              \
    X(network_request_cycles, "network.request_cycles", "core cycles", SUM, "that they took, waiting included")        \
    X(network_request_bytes, "network.request_bytes", "bytes", SUM, "that they had, headers included")                 \
    X(network_replies, "network.replies", "packets", SUM, "from L2 to L1 that arrived")                                \
    X(network_reply_cycles, "network.reply_cycles", "core cycles", SUM, "that they took, waiting included")            \
    X(network_reply_bytes, "network.reply_bytes", "bytes", SUM, "that they had, headers included")                     \
    X(network_input_cycles, "network.input_cycles", "packet cycles", SUM, "gauge: packets in input buffers")           \
    X(network_output_cycles, "network.output_cycles", "packet cycles", SUM,                                            \
      "gauge: packets in or on the way to output buffers")                                                             \
    X(link_packets, "link.packets", "packets", SUM, "between L2 partitions, or slice and channel, that arrived")       \
    X(link_cycles, "link.cycles", "core cycles", SUM, "that they took, waiting included")                              \
    X(dram_reads, "dram.reads", "bursts", SUM, "column reads")                                                         \
    X(dram_writes, "dram.writes", "bursts", SUM, "column writes")                                                      \
    X(dram_row_hits, "dram.row_hits", "bursts", SUM, "of both, to a row that was open when they were chosen")          \
    X(dram_activates, "dram.activates", "commands", SUM, "rows opened")                                                \
    X(dram_precharges, "dram.precharges", "commands", SUM, "rows closed")                                              \
    X(dram_refreshes, "dram.refreshes", "commands", SUM, "refreshes")                                                  \
    X(dram_cycles, "dram.cycles", "channel cycles", SUM, "DRAM clock cycles, summed over channels")                    \
    X(dram_busy_cycles, "dram.busy_cycles", "channel cycles", SUM, "of these, with data on the bus")                   \
    X(dram_queue_cycles, "dram.queue_cycles", "entry cycles", SUM, "gauge, in DRAM cycles: requests queued")           \
    X(dram_read_cycles, "dram.read_cycles", "DRAM cycles", SUM, "from the arrival of a read to its data")              \
    X(loads_completed, "load.completed", "instructions", SUM, "warp loads that completed")                             \
    X(load_cycles, "load.cycles", "core cycles", SUM, "from issue to completion of these")                             \
    X(round_trips, "round_trip.requests", "requests", SUM, "L1 misses that DRAM served")                               \
    X(round_trip_cycles, "round_trip.cycles", "core cycles", SUM,                                                      \
      "from the L1 miss to the return of its data (seeds/004 4.1.3)")                                                  \
    X(accepted, "accepted", "instructions", SUM, "warp accesses and requests that the timed hierarchy accepted")       \
    X(completed, "completed", "instructions", SUM, "of these, completed")

/* Histograms: X(field, "name", buckets, "unit", "meaning"); they merge by SUM. */
#define GPC_TRANSACTION_BUCKETS 33
#define GPC_LATENCY_BUCKETS 64
#define GPC_LATENCY_STEP 32
#define GPC_AGE_BUCKETS 65
#define GPC_SEGMENT_BUCKETS 5
#define GPC_HISTOGRAMS(X)                                                                                   \
    X(l1_transactions_per_load, "l1.transactions_per_load", GPC_TRANSACTION_BUCKETS, "instructions",        \
      "loads by line transactions they made: bucket n = n transactions, the last = that many or more")      \
    X(l1_hits_by_age, "l1.hits_by_age", GPC_AGE_BUCKETS, "transactions",                                    \
      "load hits by relative warp age: bucket 0 = oldest warp of the SM, the last = that young or younger") \
    X(l1_fetches, "l1.fetches", GPC_SEGMENT_BUCKETS, "requests",                                            \
      "reads of L2 by L1 by size: bucket n = 32n bytes (4: the 128-byte transactions of seeds/001 III.A)")  \
    X(l1_bypass_fetches, "l1.bypass_fetches", GPC_SEGMENT_BUCKETS, "requests",                              \
      "of these, those whose data L1 did not keep")                                                         \
    X(load_latency, "load.latency", GPC_LATENCY_BUCKETS, "instructions",                                    \
      "completed warp loads by latency: bucket n = from 32n core cycles, the last = that many or more")     \
    X(round_trip_latency, "round_trip.latency", GPC_LATENCY_BUCKETS, "requests",                            \
      "L1 misses that DRAM served by round-trip latency, likewise")

/* Ratios of two counters: X("name", numerator field, denominator field, "meaning") */
#define GPC_RATIOS(X)                                                                                                 \
    X("l1.load_hit_rate", l1_load_sector_hits, l1_load_sectors, "load sectors found in L1")                           \
    X("l2.read_hit_rate", l2_read_sector_hits, l2_read_sectors, "read sectors found in L2")                           \
    X("l1.load_utilisation", l1_load_bytes_used, l1_load_bytes_moved, "bytes used of bytes moved by loads")           \
    X("l1.sectors_per_load", l1_load_sectors, l1_load_requests, "sectors per warp load")                              \
    X("l1.lines_per_load", l1_load_lines, l1_load_requests, "line transactions per warp load")                        \
    X("l1.bypass_ratio", l1_bypasses, l1_load_lines, "bypasses per line transaction of loads")                        \
    X("l1.cache_warp_miss_ratio", l1_cache_warp_misses, l1_cache_warp_lines,                                          \
      "load transactions of cache warps that missed in L1")                                                           \
    X("l1.bypass_warp_miss_ratio", l1_bypass_warp_misses, l1_bypass_warp_lines, "the same, of bypassing warps")       \
    X("l1.misprediction_ratio", l1_overturned_bypasses, l1_predictions, "predictions that L2's reply overturned")     \
    X("l1.oracle_coverage", l1_oracle_agreed_bypasses, l1_oracle_bypasses,                                            \
      "the oracle's bypasses that were predicted")                                                                    \
    X("l1.oracle_accuracy", l1_oracle_agreements, l1_oracle_decisions, "predictions that are the oracle's")           \
    X("ipc", warp_instructions, cycles, "warp instructions per core cycle, all SMs together")                         \
    X("thread_ipc", thread_instructions, cycles, "thread instructions per core cycle, all SMs together")              \
    X("l1.load_miss_ratio", l1_load_line_misses, l1_load_lines, "load transactions that missed in L1")                \
    X("global_miss_ratio", l1_load_dram_lines, l1_load_lines, "load transactions that DRAM served (seeds/004 4.1.2)") \
    X("sm.active_warps", sm_warp_cycles, sm_active_cycles, "warps resident per active SM and cycle")                  \
    X("scheduler.memory_stall_ratio", scheduler_memory_stalls, scheduler_cycles, "memory pipeline stalls")            \
    X("scheduler.line_stall_ratio", scheduler_line_stalls, scheduler_cycles, "the part that L1 lines cause")          \
    X("scheduler.mshr_stall_ratio", scheduler_mshr_stalls, scheduler_cycles, "the part that L1 MSHRs cause")          \
    X("l1.mshr_occupancy", l1_mshr_cycles, sm_cycles, "MSHR entries in use per SM")                                   \
    X("l2.congestion_ratio", l2_congested_cycles, l2_cycles, "memory-partition congestion")                           \
    X("network.request_latency", network_request_cycles, network_requests, "core cycles per packet, sending")         \
    X("network.reply_latency", network_reply_cycles, network_replies, "core cycles per packet, receiving")            \
    X("dram.utilisation", dram_busy_cycles, dram_cycles, "off-chip bandwidth: cycles with data on the bus")           \
    X("load.mean_latency", load_cycles, loads_completed, "core cycles per warp load")                                 \
    X("round_trip.mean_latency", round_trip_cycles, round_trips, "core cycles per L1 miss that DRAM served")

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
    size_t offset;  /* bytes into gpc_stats (or gpc_cache_stats) */
    size_t buckets; /* 1 for a counter, more for a histogram */
    gpc_merge merge;
    bool ratio; /* computed: offset and divisor are those of numerator and denominator */
    size_t divisor;
} gpc_counter_info;

#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, 0, 0, GPC_MERGE_SUM, false, 0 }

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
