/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COUNTERS_CLOCK_H
#define GPUCACHE_COUNTERS_CLOCK_H

/*
 * Counters of a hierarchy that are measured with a clock or computed: cycles, stalls, queues, networks, DRAM, energies.
 * counters.h includes this header, and explains the columns and the next free id.
 */

/* clang-format off */

#define GPC_CLOCK_COUNTERS(X)                                                                                         \
    X(56, cycles, "cycles", "core cycles", SUM, WHOLE, CLOCK, "0.1", "from launch to the last completion",            \
      "if hosted: = again; <= sm.cycles; <= l2.cycles")                                                               \
    X(57, sm_cycles, "sm.cycles", "SM cycles", SUM, SM_PART, CLOCK, "0.1", "core cycles, summed over SMs",            \
      "if whole: = [sm.count] cycles; >= sm.active_cycles?")                                                          \
    X(58, sm_active_cycles, "sm.active_cycles", "SM cycles", SUM, SM_PART, REPLAY, "0.1",                             \
      "of these, with a thread block resident",                                                                       \
      "= again; <= sm.cycles")                                                                                        \
    X(59, sm_warp_cycles, "sm.warp_cycles", "warp cycles", GAUGE, SM_PART, REPLAY, "0.1",                             \
      "gauge: warps resident that have not ended",                                                                    \
      "= again; = sm.cache_warp_cycles + sm.bypass_warp_cycles + sm.throttled_warp_cycles")                           \
    X(60, sm_cache_warp_cycles, "sm.cache_warp_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.1",                   \
      "of these, of warps of class cache (seeds/004 4.3)",                                                            \
      "= sm.warp_cycles - sm.bypass_warp_cycles - sm.throttled_warp_cycles")                                          \
    X(61, sm_bypass_warp_cycles, "sm.bypass_warp_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.1",                 \
      "of bypassing warps",                                                                                           \
      "= again; <= sm.warp_cycles")                                                                                   \
    X(62, sm_throttled_warp_cycles, "sm.throttled_warp_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.1",           \
      "of throttled warps",                                                                                           \
      "= again; <= sm.warp_cycles")                                                                                   \
    X(63, sm_cache_instructions, "sm.cache_instructions", "instructions", SUM, SM_PART, REPLAY, "0.1",                \
      "issued by warps of class cache",                                                                               \
      "if sample=none: = warp_instructions - sm.bypass_instructions; <= warp_instructions")                           \
    X(64, sm_bypass_instructions, "sm.bypass_instructions", "instructions", SUM, SM_PART, REPLAY, "0.1",              \
      "issued by bypassing warps",                                                                                    \
      "if sample=none: = warp_instructions - sm.cache_instructions; <= warp_instructions")                            \
    X(65, scheduler_cycles, "scheduler.cycles", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",                      \
      "core cycles, summed over warp schedulers",                                                                     \
      "= scheduler.issued + scheduler.empty + scheduler.memory_stalls + scheduler.unit_stalls + "                     \
      "scheduler.load_stalls + scheduler.latency_stalls + scheduler.barrier_stalls + scheduler.throttled")            \
    X(66, scheduler_issued, "scheduler.issued", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",                      \
      "in which an instruction issued",                                                                               \
      "= scheduler.cycles - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "                     \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")            \
    X(67, scheduler_empty, "scheduler.empty", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1", "without a warp",      \
      "= scheduler.cycles - scheduler.issued - scheduler.memory_stalls - scheduler.unit_stalls - "                    \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")            \
    X(68, scheduler_memory_stalls, "scheduler.memory_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",        \
      "a memory instruction was ready, nothing issued, and the memory pipeline was busy (seeds/004 4.1.4)",           \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.unit_stalls - scheduler.load_stalls - "    \
      "scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")                                    \
    X(69, scheduler_line_stalls, "scheduler.line_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",            \
      "of these, L1 waited for a line",                                                                               \
      "= again; <= scheduler.memory_stalls")                                                                          \
    X(70, scheduler_mshr_stalls, "scheduler.mshr_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",            \
      "of these, for an MSHR entry or merge",                                                                         \
      "= again; <= scheduler.memory_stalls")                                                                          \
    X(71, scheduler_unit_stalls, "scheduler.unit_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",            \
      "a warp was ready, its unit was busy",                                                                          \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.load_stalls - "  \
      "scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")                                    \
    X(72, scheduler_load_stalls, "scheduler.load_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",            \
      "no warp ready, one waits for memory",                                                                          \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "  \
      "scheduler.latency_stalls - scheduler.barrier_stalls - scheduler.throttled")                                    \
    X(73, scheduler_latency_stalls, "scheduler.latency_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",      \
      "no warp ready, none waits for memory, one waits for a result",                                                 \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "  \
      "scheduler.load_stalls - scheduler.barrier_stalls - scheduler.throttled")                                       \
    X(74, scheduler_barrier_stalls, "scheduler.barrier_stalls", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",      \
      "all its warps wait at barriers",                                                                               \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "  \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.throttled")                                       \
    X(75, scheduler_throttled, "scheduler.throttled", "scheduler cycles", SUM, SM_PART, REPLAY, "0.1",                \
      "only warps held back by a limit or throttle were ready",                                                       \
      "= scheduler.cycles - scheduler.issued - scheduler.empty - scheduler.memory_stalls - scheduler.unit_stalls - "  \
      "scheduler.load_stalls - scheduler.latency_stalls - scheduler.barrier_stalls")                                  \
    X(315, copy_groups, "copy.groups", "groups", SUM, SM_PART, REPLAY, "0.2",                                         \
      "groups that warps made of their asynchronous copies (LDGDEPBAR)",                                              \
      "= again; <= warp_instructions")                                                                                \
    X(316, copy_waits, "copy.waits", "waits", SUM, SM_PART, REPLAY, "0.2",                                            \
      "times that a warp had to wait for its groups (DEPBAR), or bulk copies (SYNCS.PHASECHK)",                       \
      "= again; <= warp_instructions")                                                                                \
    X(317, copy_wait_cycles, "copy.wait_cycles", "warp cycles", SUM, SM_PART, REPLAY, "0.2", "that these took",       \
      "= again; >= copy.waits")                                                                                       \
    X(326, cluster_accesses, "shared.cluster_accesses", "instructions", SUM, SM_PART, REPLAY, "0.2",                  \
      "accesses of other blocks' shared memory in the cluster",                                                       \
      "= again; <= warp_instructions")                                                                                \
    X(327, cluster_bytes, "shared.cluster_bytes", "bytes", SUM, SM_PART, REPLAY, "0.2", "of all of their lanes",      \
      "= again; >= shared.cluster_accesses")                                                                          \
    X(330, cluster_barriers, "cluster.barriers", "blocks", SUM, SM_PART, REPLAY, "0.2",                               \
      "that came to a barrier of their cluster (UCGABAR_WAIT)",                                                       \
      "= again; <= warp_instructions")                                                                                \
    X(331, mbarrier_phases, "mbarrier.phases", "phases", SUM, SM_PART, REPLAY, "0.2",                                 \
      "of mbarriers that ended, as far as the trace tells of them",                                                   \
      "= again; <= mbarrier.arrivals")                                                                                \
    X(332, mbarrier_arrivals, "mbarrier.arrivals", "arrivals", SUM, SM_PART, REPLAY, "0.2",                           \
      "of threads at mbarriers, likewise (SYNCS.ARRIVE)",                                                             \
      "= again; >= mbarrier.phases")                                                                                  \
    X(333, mbarrier_checks, "mbarrier.checks", "instructions", SUM, SM_PART, REPLAY, "0.2",                           \
      "that waited at an mbarrier, if need be (SYNCS.PHASECHK)",                                                      \
      "= again; <= warp_instructions")                                                                                \
    X(334, mbarrier_untold_checks, "mbarrier.untold_checks", "instructions", SUM, SM_PART, REPLAY, "0.2",             \
      "of these, for bulk copies that had been sent, since the trace does not tell their phase",                      \
      "= again; <= mbarrier.checks")                                                                                  \
    X(76, l1_pending_sector_hits, "l1.pending_sector_hits", "sectors", SUM, L1, CLOCK, "0.1",                         \
      "load sectors found on their way to L1",                                                                        \
      "= again; <= l1.load_sector_hits")                                                                              \
    X(77, l1_load_line_misses, "l1.load_line_misses", "transactions", SUM, L1, CLOCK, "0.1",                          \
      "line transactions of loads with a sector missing; in a tree of modules, blocks",                               \
      "if timed: = again - l1.hits_by_age; <= l1.load_sectors; if caches: <= l1.load_lines")                          \
    X(78, l1_load_dram_lines, "l1.load_dram_lines", "transactions", SUM, L1, CLOCK, "0.1",                            \
      "of these, with a sector that came from DRAM",                                                                  \
      "= again; if no-misses: <= l1.load_sectors")                                                                    \
    X(79, l1_line_failures, "l1.line_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                           \
      "held up at L1's tags: every way of the set reserved",                                                          \
      "if caches: = count(block l1 line)")                                                                            \
    X(80, l1_mshr_failures, "l1.mshr_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                           \
      "held up: no MSHR entry free",                                                                                  \
      "if caches: = count(block l1 mshr)")                                                                            \
    X(81, l1_merge_failures, "l1.merge_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                         \
      "held up: the line's MSHR entry takes no more",                                                                 \
      "if caches: = count(block l1 merge)")                                                                           \
    X(82, l1_queue_failures, "l1.queue_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                         \
      "held up: miss queue full",                                                                                     \
      "if caches: = count(block l1 miss-queue)")                                                                      \
    X(83, l1_bank_failures, "l1.bank_failures", "transactions", SUM, L1_PART, CLOCK, "0.1",                           \
      "held up for a cycle: tag bank in use",                                                                         \
      "= count(block l1 bank)")                                                                                       \
    X(379, l1_data_turns, "l1.data_turns", "SM cycles", SUM, L1_PART, DATA_BANKS, "0.2",                              \
      "in which the banks of L1's data read for a load, or wrote for a store (l1.data_banks)",                        \
      "= again; >= l1.data_conflicts")                                                                                \
    X(380, l1_data_conflicts, "l1.data_conflicts", "SM cycles", SUM, L1_PART, DATA_BANKS, "0.2",                      \
      "of these, beyond each access's first: words of it in one bank",                                                \
      "= again; <= l1.data_turns")                                                                                    \
    X(381, l1_data_waits, "l1.data_waits", "access cycles", SUM, L1_PART, DATA_BANKS, "0.2",                          \
      "that these waited for their first, others being read or written",                                              \
      "= again")                                                                                                      \
    X(84, l1_line_bypasses, "l1.line_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                           \
      "loads that went past L1, every way of the set reserved (mrpb)",                                                \
      "= again")                                                                                                      \
    X(85, l1_mshr_bypasses, "l1.mshr_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                           \
      "likewise, no MSHR entry free",                                                                                 \
      "= again")                                                                                                      \
    X(86, l1_queue_bypasses, "l1.queue_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                         \
      "likewise, miss queue full",                                                                                    \
      "= again")                                                                                                      \
    X(87, l1_line_stalls, "l1.line_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "L1's tags waited for a line",   \
      "= again; if hosted: <= 2 sm.cycles; if caches: = cycles(unblock l1 line) - cycles(block l1 line)")             \
    X(88, l1_mshr_stalls, "l1.mshr_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "for an MSHR entry",             \
      "= again; if hosted: <= 2 sm.cycles; if caches: = cycles(unblock l1 mshr) - cycles(block l1 mshr)")             \
    X(89, l1_merge_stalls, "l1.merge_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "for an MSHR merge",           \
      "= again; if hosted: <= 2 sm.cycles; if caches: = cycles(unblock l1 merge) - cycles(block l1 merge)")           \
    X(90, l1_queue_stalls, "l1.queue_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1", "for the miss queue",          \
      "= again; if hosted: <= 2 sm.cycles")                                                                           \
    X(91, l1_network_stalls, "l1.network_stalls", "SM cycles", SUM, L1_PART, CLOCK, "0.1",                            \
      "the miss queue's head waited for the network",                                                                 \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(276, l1_reply_stalls, "l1.reply_stalls", "SM cycles", SUM, L1_PART, CREDITS, "0.2",                             \
      "replies waited for the host's credits (gpc_hierarchy_set_reply_credits)",                                      \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(92, l1_queue_cycles, "l1.queue_cycles", "entry cycles", GAUGE, L1_PART, CLOCK, "0.1",                           \
      "gauge: warp instructions before L1's tags",                                                                    \
      "= again")                                                                                                      \
    X(93, l1_reorder_cycles, "l1.reorder_cycles", "entry cycles", GAUGE, L1_PART, REORDER, "0.1",                     \
      "gauge: transactions in L1's reorder buffers (l1.reorder)",                                                     \
      "= again")                                                                                                      \
    X(94, l1_reorder_stalls, "l1.reorder_stalls", "SM cycles", SUM, L1_PART, REORDER, "0.1",                          \
      "the coalescer waited for room in it, or for a flush",                                                          \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(95, l1_reordered, "l1.reordered", "transactions", SUM, L1_PART, REORDER, "0.1",                                 \
      "that left it before an older one",                                                                             \
      "= again")                                                                                                      \
    X(96, l1_reorder_switches, "l1.reorder_switches", "times", SUM, L1_PART, REORDER, "0.1",                          \
      "L1's tags turned to another queue of it",                                                                      \
      "= again")                                                                                                      \
    X(97, l1_reorder_flushes, "l1.reorder_flushes", "transactions", SUM, L1_PART, REORDER, "0.1",                     \
      "writes that waited until it was empty",                                                                        \
      "= again")                                                                                                      \
    X(270, l1_prefetches, "l1.prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                                  \
      "that L1 sent for because of its prefetcher (l1.prefetcher)",                                                   \
      "if fresh: = l1.useful_prefetches + l1.late_prefetches + l1.unused_prefetches + again")                         \
    X(271, l1_useful_prefetches, "l1.useful_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                    \
      "of these, found in L1 by a load",                                                                              \
      "if fresh: = l1.prefetches - l1.late_prefetches - l1.unused_prefetches - again")                                \
    X(272, l1_late_prefetches, "l1.late_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                        \
      "of these, wanted by a load while on their way",                                                                \
      "if fresh: = l1.prefetches - l1.useful_prefetches - l1.unused_prefetches - again")                              \
    X(273, l1_unused_prefetches, "l1.unused_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                    \
      "of these, replaced before any load, or not kept",                                                              \
      "if fresh: = l1.prefetches - l1.useful_prefetches - l1.late_prefetches - again")                                \
    X(274, l1_redundant_prefetches, "l1.redundant_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",              \
      "that were there, in flight or queued when asked for",                                                          \
      "= again")                                                                                                      \
    X(275, l1_dropped_prefetches, "l1.dropped_prefetches", "lines", SUM, L1_PART, PREFETCHER, "0.2",                  \
      "that found l1.prefetch_queue full, or L1 would not take",                                                      \
      "= again")                                                                                                      \
    X(98, l1_mshr_cycles, "l1.mshr_cycles", "entry cycles", GAUGE, L1_PART, CLOCK, "0.1",                             \
      "gauge: MSHR entries in use",                                                                                   \
      "if caches: = cycles(mshr-free l1) - cycles(mshr-allocate l1)")                                                 \
    X(99, l1_miss_queue_cycles, "l1.miss_queue_cycles", "entry cycles", GAUGE, L1_PART, CLOCK, "0.1",                 \
      "gauge: packets in L1's miss queues",                                                                           \
      "if caches, no-misses, l1.combine_lines=0, gl1.size=0B: = cycles(send requests) - cycles(queue l1)")            \
    X(400, gl1_read_sectors, "gl1.read_sectors", "sectors", SUM, SM, GL1, "0.3",                                      \
      "that an SM's L1 and loads past it looked up in its GL1 (gl1.size)",                                            \
      "= again; >= gl1.read_sector_hits")                                                                             \
    X(401, gl1_read_sector_hits, "gl1.read_sector_hits", "sectors", SUM, SM, GL1, "0.3",                              \
      "of these, found there, or on their way there",                                                                 \
      "= again; <= gl1.read_sectors; >= gl1.pending_sector_hits?")                                                    \
    X(402, gl1_pending_sector_hits, "gl1.pending_sector_hits", "sectors", SUM, SM, GL1_TIME, "0.3",                   \
      "of these, on their way there",                                                                                 \
      "= again; <= gl1.read_sector_hits")                                                                             \
    X(403, gl1_fetched_sectors, "gl1.fetched_sectors", "sectors", SUM, SM, GL1, "0.3",                                \
      "that GL1s read from L2 for an SM",                                                                             \
      "= again; >= gl1.read_sectors - gl1.read_sector_hits; if l2, whole: <= l2.read_sectors")                        \
    X(404, gl1_stalls, "gl1.stalls", "core cycles", SUM, WHOLE, GL1_TIME, "0.3",                                      \
      "a packet was held up at a GL1's tags: MSHR entries, merges or miss queue; of all GL1s",                        \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(100, l2_pending_sector_hits, "l2.pending_sector_hits", "sectors", SUM, SLICE, CLOCK, "0.1",                     \
      "of these, on their way to L2",                                                                                 \
      "if caches: = again; <= l2.read_sector_hits")                                                                   \
    X(101, l2_merged_sectors, "l2.merged_sectors", "sectors", SUM, WHOLE, CLOCK, "0.1",                               \
      "read sectors that another SM's request brought along",                                                         \
      "= again")                                                                                                      \
    X(102, l2_line_failures, "l2.line_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                            \
      "held up at L2's tags: every way of the set reserved",                                                          \
      "if caches: = count(block l2 line)")                                                                            \
    X(103, l2_mshr_failures, "l2.mshr_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                            \
      "held up: no MSHR entry free",                                                                                  \
      "if caches: = count(block l2 mshr)")                                                                            \
    X(104, l2_merge_failures, "l2.merge_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                          \
      "held up: the line's MSHR entry takes no more",                                                                 \
      "if caches: = count(block l2 merge)")                                                                           \
    X(105, l2_queue_failures, "l2.queue_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                          \
      "held up: miss or reply queue full",                                                                            \
      "if caches: = count(block l2 miss-queue) + count(block l2 network)")                                            \
    X(106, l2_bank_failures, "l2.bank_failures", "packets", SUM, SLICE_PART, CLOCK, "0.1",                            \
      "held up for a cycle: tag bank in use",                                                                         \
      "= count(block l2 bank)")                                                                                       \
    X(107, l2_line_stalls, "l2.line_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1",                           \
      "L2's tags waited for a line, in core cycles",                                                                  \
      "= again; <= 2 l2.cycles; if caches: = cycles(unblock l2 line) - cycles(block l2 line)")                        \
    X(108, l2_mshr_stalls, "l2.mshr_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1", "for an MSHR entry",      \
      "= again; <= 2 l2.cycles; if caches: = cycles(unblock l2 mshr) - cycles(block l2 mshr)")                        \
    X(109, l2_merge_stalls, "l2.merge_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1", "for an MSHR merge",    \
      "= again; <= 2 l2.cycles; if caches: = cycles(unblock l2 merge) - cycles(block l2 merge)")                      \
    X(110, l2_queue_stalls, "l2.queue_stalls", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1",                         \
      "for the miss or reply queue",                                                                                  \
      "= again; <= 4 l2.cycles")                                                                                      \
    X(111, l2_cycles, "l2.cycles", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1", "core cycles, summed over slices",  \
      "if whole, hosted: = [l2.slices] cycles; >= l2.congested_cycles; >= cycles")                                    \
    X(112, l2_congested_cycles, "l2.congested_cycles", "slice cycles", SUM, SLICE_PART, CLOCK, "0.1",                 \
      "a packet at the network's output could not enter the slice (seeds/004 4.1.4)",                                 \
      "= again; <= l2.cycles")                                                                                        \
    X(113, l2_queue_cycles, "l2.queue_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",                       \
      "gauge: packets before L2's tags",                                                                              \
      "= again")                                                                                                      \
    X(114, l2_mshr_cycles, "l2.mshr_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",                         \
      "gauge: MSHR entries in use",                                                                                   \
      "if caches: = cycles(mshr-free l2) - cycles(mshr-allocate l2)")                                                 \
    X(115, l2_miss_queue_cycles, "l2.miss_queue_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",             \
      "gauge: packets in L2's miss queues",                                                                           \
      "= again")                                                                                                      \
    X(116, l2_reply_queue_cycles, "l2.reply_queue_cycles", "entry cycles", GAUGE, SLICE_PART, CLOCK, "0.1",           \
      "gauge: packets in L2's reply queues",                                                                          \
      "= again")                                                                                                      \
    X(117, network_requests, "network.requests", "packets", SUM, WHOLE, CLOCK, "0.1", "from L1 to L2 that arrived",   \
      "= count(receive requests); = count(send requests)")                                                            \
    X(118, network_request_cycles, "network.request_cycles", "core cycles", SUM, WHOLE, CLOCK, "0.1",                 \
      "that they took, waiting included",                                                                             \
      "= cycles(receive requests) - cycles(send requests)")                                                           \
    X(119, network_request_bytes, "network.request_bytes", "bytes", SUM, WHOLE, CLOCK, "0.1",                         \
      "that they had, headers included",                                                                              \
      "= bytes(receive requests); = bytes(send requests); = again; if tree: <= l1-module:low_sent; if caches, l2, "   \
      "l2.partitions=1, ports=0, network.write_mask=0B: <= [network.header] network.requests + 32 l2.write_sectors "  \
      "+ 32 l2.atomic_sectors")                                                                                       \
    X(120, network_replies, "network.replies", "packets", SUM, WHOLE, CLOCK, "0.1", "from L2 to L1 that arrived",     \
      "= count(receive replies); = count(send replies)")                                                              \
    X(121, network_reply_cycles, "network.reply_cycles", "core cycles", SUM, WHOLE, CLOCK, "0.1",                     \
      "that they took, waiting included",                                                                             \
      "= cycles(receive replies) - cycles(send replies)")                                                             \
    X(122, network_reply_bytes, "network.reply_bytes", "bytes", SUM, WHOLE, CLOCK, "0.1",                             \
      "that they had, headers included",                                                                              \
      "= bytes(receive replies); = bytes(send replies); = again; if tree: <= l1-module:low_received")                 \
    X(123, network_input_cycles, "network.input_cycles", "packet cycles", GAUGE, WHOLE, CLOCK, "0.1",                 \
      "gauge: packets in input buffers",                                                                              \
      "= network.request_cycles + network.reply_cycles - network.output_cycles; <= net:input_cycles")                 \
    X(124, network_output_cycles, "network.output_cycles", "packet cycles", GAUGE, WHOLE, CLOCK, "0.1",               \
      "gauge: packets in or on the way to output buffers",                                                            \
      "= network.request_cycles + network.reply_cycles - network.input_cycles; <= net:output_cycles")                 \
    X(246, cluster_network_requests, "cluster_network.requests", "packets", SUM, WHOLE, CLUSTERS, "0.2",              \
      "from clusters' caches to L2 that arrived; network.* is then between L1 and these caches",                      \
      "= count(receive cluster-requests); = count(send cluster-requests)")                                            \
    X(247, cluster_network_request_cycles, "cluster_network.request_cycles", "core cycles", SUM, WHOLE, CLUSTERS,     \
      "0.2", "that they took, waiting included",                                                                      \
      "= cycles(receive cluster-requests) - cycles(send cluster-requests)")                                           \
    X(248, cluster_network_request_bytes, "cluster_network.request_bytes", "bytes", SUM, WHOLE, CLUSTERS, "0.2",      \
      "that they had, headers included",                                                                              \
      "= bytes(receive cluster-requests); = bytes(send cluster-requests); = again")                                   \
    X(249, cluster_network_replies, "cluster_network.replies", "packets", SUM, WHOLE, CLUSTERS, "0.2",                \
      "from L2 to clusters' caches that arrived",                                                                     \
      "= count(receive cluster-replies); = count(send cluster-replies)")                                              \
    X(250, cluster_network_reply_cycles, "cluster_network.reply_cycles", "core cycles", SUM, WHOLE, CLUSTERS, "0.2",  \
      "that they took, waiting included",                                                                             \
      "= cycles(receive cluster-replies) - cycles(send cluster-replies)")                                             \
    X(251, cluster_network_reply_bytes, "cluster_network.reply_bytes", "bytes", SUM, WHOLE, CLUSTERS, "0.2",          \
      "that they had, headers included",                                                                              \
      "= bytes(receive cluster-replies); = bytes(send cluster-replies); = again")                                     \
    X(252, cluster_network_input_cycles, "cluster_network.input_cycles", "packet cycles", GAUGE, WHOLE, CLUSTERS,     \
      "0.2", "gauge: packets in input buffers",                                                                       \
      "= cluster_network.request_cycles + cluster_network.reply_cycles - cluster_network.output_cycles")              \
    X(253, cluster_network_output_cycles, "cluster_network.output_cycles", "packet cycles", GAUGE, WHOLE, CLUSTERS,   \
      "0.2", "gauge: packets in or on the way to output buffers",                                                     \
      "= cluster_network.request_cycles + cluster_network.reply_cycles - cluster_network.input_cycles")               \
    X(125, link_packets, "link.packets", "packets", SUM, WHOLE, LINKS, "0.1",                                         \
      "between L2 partitions, or slice and channel, that arrived",                                                    \
      "if gpu.count=1: = net:packets - network.requests - network.replies - cluster_network.requests? - "             \
      "cluster_network.replies?; if caches: = count(receive partition-requests) + count(receive partition-replies) "  \
      "+ count(receive memory-requests) + count(receive memory-replies)")                                             \
    X(126, link_cycles, "link.cycles", "core cycles", SUM, WHOLE, LINKS, "0.1", "that they took, waiting included",   \
      "if caches: = cycles(receive partition-requests) + cycles(receive partition-replies) + cycles(receive "         \
      "memory-requests) + cycles(receive memory-replies) - cycles(send partition-requests) - cycles(send "            \
      "partition-replies) - cycles(send memory-requests) - cycles(send memory-replies)")                              \
    X(254, link_bytes, "link.bytes", "bytes", SUM, WHOLE, LINKS, "0.2", "that they had, headers included",            \
      "if gpu.count=1: = net:bytes - network.request_bytes - network.reply_bytes - cluster_network.request_bytes? - " \
      "cluster_network.reply_bytes?; if caches: = bytes(receive partition-requests) + bytes(receive "                 \
      "partition-replies) + bytes(receive memory-requests) + bytes(receive memory-replies)")                          \
    X(264, gpu_link_packets, "gpu_link.packets", "packets", SUM, WHOLE, GPUS, "0.2", "from a GPU to another",         \
      "= count(receive gpu-links)")                                                                                   \
    X(265, gpu_link_bytes, "gpu_link.bytes", "bytes", SUM, WHOLE, GPUS, "0.2", "that they had, headers included",     \
      "= bytes(receive gpu-links)")                                                                                   \
    X(266, local_requests, "gpu.local_requests", "requests", SUM, WHOLE, GPUS, "0.2",                                 \
      "for a copy or the right to write, of L2 slices to the memory of their own GPU",                                \
      "if network.header!=0B: = again")                                                                               \
    X(267, remote_requests, "gpu.remote_requests", "requests", SUM, WHOLE, GPUS, "0.2", "the same, of another GPU",   \
      "if network.header!=0B: = again")                                                                               \
    X(396, memory_cache_write_back_sectors, "memory_cache.write_back_sectors", "sectors", SUM, WHOLE, MEMORY_CACHE,   \
      "0.3", "dirty sectors that it evicted or flushed",                                                              \
      "= sectors(write-back memory-cache); <= dram.write_sectors")                                                    \
    X(397, memory_cache_stalls, "memory_cache.stalls", "core cycles", SUM, WHOLE, MEMORY_CACHE_TIME, "0.3",           \
      "a request was held up at its tags: lines, MSHR entries, merges or miss queue; of all channels", "= again")     \
    X(127, dram_reads, "dram.reads", "bursts", SUM, CHANNEL, CLOCK, "0.1", "column reads",                            \
      "= count(read memory)")                                                                                         \
    X(128, dram_writes, "dram.writes", "bursts", SUM, CHANNEL, CLOCK, "0.1", "column writes",                         \
      "= count(write memory)")                                                                                        \
    X(255, dram_read_bytes, "dram.read_bytes", "bytes", SUM, CHANNEL, CLOCK, "0.2", "that column reads moved",        \
      "= bytes(read memory)")                                                                                         \
    X(256, dram_write_bytes, "dram.write_bytes", "bytes", SUM, CHANNEL, CLOCK, "0.2", "that column writes moved",     \
      "= bytes(write memory)")                                                                                        \
    X(129, dram_row_hits, "dram.row_hits", "bursts", SUM, CHANNEL, CLOCK, "0.1",                                      \
      "of both, to a row that was open when they were chosen",                                                        \
      "if dram.model!=fixed: = again; <= dram.reads + dram.writes")                                                   \
    X(130, dram_activates, "dram.activates", "commands", SUM, CHANNEL, CLOCK, "0.1", "rows opened",                   \
      "= count(activate memory)")                                                                                     \
    X(131, dram_precharges, "dram.precharges", "commands", SUM, CHANNEL, CLOCK, "0.1", "rows closed",                 \
      "if fresh, dram.model!=fixed: = again; >= count(precharge memory)")                                             \
    X(132, dram_refreshes, "dram.refreshes", "commands", SUM, CHANNEL, CLOCK, "0.1", "refreshes",                     \
      "if fresh: = again; >= count(refresh memory)")                                                                  \
    X(133, dram_cycles, "dram.cycles", "channel cycles", SUM, CHANNEL, CLOCK, "0.1",                                  \
      "DRAM clock cycles, summed over channels",                                                                      \
      "= again; if dram.model!=fixed: >= dram.busy_cycles")                                                           \
    X(134, dram_busy_cycles, "dram.busy_cycles", "channel cycles", SUM, CHANNEL, CLOCK, "0.1",                        \
      "of these, with data on the bus",                                                                               \
      "if dram.model!=fixed: = again; if dram.model!=fixed: <= dram.cycles")                                          \
    X(135, dram_queue_cycles, "dram.queue_cycles", "entry cycles", GAUGE, CHANNEL, CLOCK, "0.1",                      \
      "gauge, in DRAM cycles: requests queued",                                                                       \
      "= again")                                                                                                      \
    X(136, dram_read_cycles, "dram.read_cycles", "DRAM cycles", SUM, CHANNEL, CLOCK, "0.1",                           \
      "from the arrival of a read to its data",                                                                       \
      "= again; if dram.model!=fixed: >= dram.reads")                                                                 \
    X(137, loads_completed, "load.completed", "instructions", SUM, SM, CLOCK, "0.1",                                  \
      "warp loads that completed, of constants, too, and reads of gpc_hierarchy_try_miss",                            \
      "= load.latency; = count(complete sm load)")                                                                    \
    X(138, load_cycles, "load.cycles", "core cycles", SUM, SM, CLOCK, "0.1", "from issue to completion of these",     \
      ">= 32 n load.latency; = values(complete sm load); = cycles(complete sm load) - cycles(issue sm load)")         \
    X(139, round_trips, "round_trip.requests", "requests", SUM, SM, CLOCK, "0.1", "L1 misses that DRAM served",       \
      "= round_trip.latency")                                                                                         \
    X(140, round_trip_cycles, "round_trip.cycles", "core cycles", SUM, SM, CLOCK, "0.1",                              \
      "from the L1 miss to the return of its data (seeds/004 4.1.3)",                                                 \
      "= again; >= 32 n round_trip.latency")                                                                          \
    X(141, accepted, "accepted", "instructions", SUM, WHOLE, CLOCK, "0.1",                                            \
      "warp accesses and requests that the timed hierarchy accepted",                                                 \
      "= completed; >= count(issue sm) + fence.fences")                                                               \
    X(142, completed, "completed", "instructions", SUM, WHOLE, CLOCK, "0.1", "of these, completed",                   \
      "= accepted; >= count(complete sm) + fence.fences")                                                             \
    X(285, energy_l1_tag, "energy.l1_tag", "pJ", SUM, L1_PART, ENERGY, "0.2",                                         \
      "l1.lookups x key: the configuration key of this counter's name, here and below",                               \
      "= [energy.l1_tag] l1.lookups / 1000")                                                                          \
    X(286, energy_l1_read, "energy.l1_read", "pJ", SUM, L1_PART, ENERGY, "0.2", "l1.load_sector_hits x key",          \
      "= [energy.l1_read] l1.load_sector_hits / 1000")                                                                \
    X(287, energy_l1_write, "energy.l1_write", "pJ", SUM, L1_PART, ENERGY, "0.2", "l1.store_sector_hits x key",       \
      "= [energy.l1_write] l1.store_sector_hits / 1000")                                                              \
    X(288, energy_l1_fill, "energy.l1_fill", "pJ", SUM, L1_PART, ENERGY, "0.2",                                       \
      "sectors of l1.fetched_sectors that filled L1 x key",                                                           \
      "if caches: = [energy.l1_fill] l1.fetched_sectors - [energy.l1_fill] l1.bypassed_sectors / 1000; "             \
      "<= [energy.l1_fill] l1.fetched_sectors / 1000")                                                                \
    X(289, energy_l2_tag, "energy.l2_tag", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.lookups x key",                  \
      "= [energy.l2_tag] l2.lookups / 1000")                                                                          \
    X(290, energy_l2_read, "energy.l2_read", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.read_sectors x key",           \
      "= [energy.l2_read] l2.read_sectors / 1000")                                                                    \
    X(291, energy_l2_write, "energy.l2_write", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.write_sectors x key",        \
      "= [energy.l2_write] l2.write_sectors / 1000")                                                                  \
    X(292, energy_l2_atomic, "energy.l2_atomic", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.atomic_sectors x key",     \
      "= [energy.l2_atomic] l2.atomic_sectors / 1000")                                                                \
    X(293, energy_l2_fill, "energy.l2_fill", "pJ", SUM, WHOLE, ENERGY, "0.2",                                         \
      "dram.read_sectors without dram.launch_sectors, and memory_cache.read_sector_hits, x key",                      \
      "= [energy.l2_fill] dram.read_sectors - [energy.l2_fill] dram.launch_sectors + [energy.l2_fill] "               \
      "memory_cache.read_sector_hits? / 1000")                                                                        \
    X(294, energy_l2_remote, "energy.l2_remote", "pJ", SUM, SLICE_PART, ENERGY, "0.2", "l2.remote_sectors x key",     \
      "= [energy.l2_remote] l2.remote_sectors / 1000")                                                                \
    X(295, energy_network_request, "energy.network_request", "pJ", SUM, WHOLE, ENERGY, "0.2",                         \
      "network.request_bytes, and cluster_network.request_bytes where there are, x key",                              \
      "= [energy.network_request] network.request_bytes + [energy.network_request] cluster_network.request_bytes? / " \
      "1000")                                                                                                         \
    X(296, energy_network_reply, "energy.network_reply", "pJ", SUM, WHOLE, ENERGY, "0.2",                             \
      "network.reply_bytes, and cluster_network.reply_bytes where there are, x key",                                  \
      "= [energy.network_reply] network.reply_bytes + [energy.network_reply] cluster_network.reply_bytes? / 1000")    \
    X(297, energy_link, "energy.link", "pJ", SUM, WHOLE, ENERGY, "0.2", "link.bytes x key",                           \
      "= [energy.link] link.bytes / 1000")                                                                            \
    X(298, energy_gpu_link, "energy.gpu_link", "pJ", SUM, WHOLE, ENERGY, "0.2", "gpu_link.bytes x key",               \
      "= [energy.gpu_link] gpu_link.bytes / 1000")                                                                    \
    X(299, energy_dram_read, "energy.dram_read", "pJ", SUM, WHOLE, ENERGY, "0.2", "dram.read_sectors x key",          \
      "= [energy.dram_read] dram.read_sectors / 1000")                                                                \
    X(300, energy_dram_write, "energy.dram_write", "pJ", SUM, WHOLE, ENERGY, "0.2", "dram.write_sectors x key",       \
      "= [energy.dram_write] dram.write_sectors / 1000")                                                              \
    X(301, energy_dram_activate, "energy.dram_activate", "pJ", SUM, CHANNEL, ENERGY, "0.2", "dram.activates x key",   \
      "= [energy.dram_activate] dram.activates / 1000")                                                               \
    X(302, energy_dram_refresh, "energy.dram_refresh", "pJ", SUM, CHANNEL, ENERGY, "0.2", "dram.refreshes x key",     \
      "= [energy.dram_refresh] dram.refreshes / 1000")                                                                \
    X(303, energy_warp_instruction, "energy.warp_instruction", "pJ", SUM, SM_PART, ENERGY, "0.2",                     \
      "warp_instructions x key",                                                                                      \
      "= [energy.warp_instruction] warp_instructions / 1000")                                                         \
    X(304, energy_thread_instruction, "energy.thread_instruction", "pJ", SUM, SM_PART, ENERGY, "0.2",                 \
      "thread_instructions x key",                                                                                    \
      "= [energy.thread_instruction] thread_instructions / 1000")                                                     \
    X(305, energy_static, "energy.static", "pJ", SUM, WHOLE, ENERGY, "0.2",                                           \
      "cycles / clock.core x the power energy.static",                                                                \
      "= energy.total - energy.dynamic")                                                                              \
    X(306, energy_dynamic, "energy.dynamic", "pJ", SUM, WHOLE, ENERGY, "0.2",                                         \
      "the sum of those above that are not absent, without energy.static",                                            \
      "= energy.l1_tag? + energy.l1_read? + energy.l1_write? + energy.l1_fill? + energy.l2_tag? + energy.l2_read? + " \
      "energy.l2_write? + energy.l2_atomic? + energy.l2_fill? + energy.l2_remote? + energy.network_request? + "       \
      "energy.network_reply? + energy.link? + energy.gpu_link? + energy.dram_read? + energy.dram_write? + "           \
      "energy.dram_activate? + energy.dram_refresh? + energy.warp_instruction? + energy.thread_instruction?")         \
    X(307, energy_total, "energy.total", "pJ", SUM, WHOLE, ENERGY, "0.2", "energy.dynamic and energy.static",         \
      "= energy.dynamic + energy.static?")

/* clang-format on */

/* clang-format off */

/* Histograms merge by SUM: X(id, field, "name", buckets, "unit", OBJECT, NEEDS, "since", "meaning", "equals") */
#define GPC_TRANSACTION_BUCKETS 33
#define GPC_LATENCY_BUCKETS 64
#define GPC_LATENCY_STEP 32
#define GPC_AGE_BUCKETS 65
#define GPC_SEGMENT_BUCKETS 5
#define GPC_HISTOGRAMS(X)                                                                                             \
    X(143, l1_transactions_per_load, "l1.transactions_per_load", GPC_TRANSACTION_BUCKETS, "instructions", L1,         \
      NOTHING, "0.1",                                                                                                 \
      "loads by line transactions they made: bucket n = n transactions, the last = that many or more",                \
      "= l1.load_requests")                                                                                           \
    X(144, l1_hits_by_age, "l1.hits_by_age", GPC_AGE_BUCKETS, "transactions", L1, CLOCK, "0.1",                       \
      "load hits by relative warp age: bucket 0 = oldest warp of the SM, the last = that young or younger",           \
      "if timed: = again - l1.load_line_misses; if timed, caches: = l1.load_lines - l1.load_line_misses")             \
    X(145, l1_fetches, "l1.fetches", GPC_SEGMENT_BUCKETS, "requests", L1, NOTHING, "0.1",                             \
      "reads of L2 by L1 by size: bucket n = 32n bytes (4: the 128-byte transactions of seeds/001 III.A)",            \
      "n = l1.fetched_sectors; if caches: >= count(fetch l1); if caches: <= count(fetch l1) + count(bypass l1)")      \
    X(146, l1_bypass_fetches, "l1.bypass_fetches", GPC_SEGMENT_BUCKETS, "requests", L1, NOTHING, "0.1",               \
      "of these, those whose data L1 did not keep",                                                                   \
      "n = l1.bypassed_sectors; if caches: <= l1.fetches")                                                            \
    X(147, load_latency, "load.latency", GPC_LATENCY_BUCKETS, "instructions", SM, CLOCK, "0.1",                       \
      "completed warp loads by latency: bucket n = from 32n core cycles, the last = that many or more",               \
      "= load.completed")                                                                                             \
    X(148, round_trip_latency, "round_trip.latency", GPC_LATENCY_BUCKETS, "requests", SM, CLOCK, "0.1",               \
      "L1 misses that DRAM served by round-trip latency, likewise",                                                   \
      "= round_trip.requests")

/* clang-format on */

/* Ratios of a hierarchy's counters. counters.h has the rules for ids. */

/* clang-format off */

/* Ratios of two counters: X(id, "name", numerator field, denominator field, "since", "meaning") */
#define GPC_RATIOS(X)                                                                                                 \
    X(149, "l1.load_hit_rate", l1_load_sector_hits, l1_load_sectors, "0.1", "load sectors found in L1")               \
    X(150, "l2.read_hit_rate", l2_read_sector_hits, l2_read_sectors, "0.1", "read sectors found in L2")               \
    X(151, "l1.load_utilisation", l1_load_bytes_used, l1_load_bytes_moved, "0.1",                                     \
      "bytes used of bytes moved by loads")                                                                           \
    X(152, "l1.sectors_per_load", l1_load_sectors, l1_load_requests, "0.1", "sectors per warp load")                  \
    X(153, "l1.lines_per_load", l1_touched_lines, l1_load_requests, "0.1", "lines per warp load")                     \
    X(154, "l1.bypass_ratio", l1_bypasses, l1_load_lines, "0.1", "bypasses per line transaction of loads")            \
    X(155, "l1.cache_warp_miss_ratio", l1_cache_warp_misses, l1_cache_warp_lines, "0.1",                              \
      "load transactions of cache warps that missed in L1")                                                           \
    X(156, "l1.bypass_warp_miss_ratio", l1_bypass_warp_misses, l1_bypass_warp_lines, "0.1",                           \
      "the same, of bypassing warps")                                                                                 \
    X(157, "l1.misprediction_ratio", l1_overturned_bypasses, l1_predictions, "0.1",                                   \
      "predictions that L2's reply overturned")                                                                       \
    X(158, "l1.oracle_coverage", l1_oracle_agreed_bypasses, l1_oracle_bypasses, "0.1",                                \
      "the oracle's bypasses that were predicted")                                                                    \
    X(159, "l1.oracle_accuracy", l1_oracle_agreements, l1_oracle_decisions, "0.1",                                    \
      "predictions that are the oracle's")                                                                            \
    X(160, "ipc", warp_instructions, cycles, "0.1", "warp instructions per core cycle, all SMs together")             \
    X(161, "thread_ipc", thread_instructions, cycles, "0.1", "thread instructions per core cycle, all SMs together")  \
    X(162, "l1.load_miss_ratio", l1_load_line_misses, l1_load_lines, "0.1", "load transactions that missed in L1")    \
    X(163, "global_miss_ratio", l1_load_dram_lines, l1_load_lines, "0.1",                                             \
      "load transactions that DRAM served (seeds/004 4.1.2)")                                                         \
    X(164, "sm.active_warps", sm_warp_cycles, sm_active_cycles, "0.1", "warps resident per active SM and cycle")      \
    X(165, "scheduler.memory_stall_ratio", scheduler_memory_stalls, scheduler_cycles, "0.1",                          \
      "memory pipeline stalls")                                                                                       \
    X(166, "scheduler.line_stall_ratio", scheduler_line_stalls, scheduler_cycles, "0.1",                              \
      "the part that L1 lines cause")                                                                                 \
    X(167, "scheduler.mshr_stall_ratio", scheduler_mshr_stalls, scheduler_cycles, "0.1",                              \
      "the part that L1 MSHRs cause")                                                                                 \
    X(168, "l1.mshr_occupancy", l1_mshr_cycles, sm_cycles, "0.1", "MSHR entries in use per SM")                       \
    X(169, "l2.congestion_ratio", l2_congested_cycles, l2_cycles, "0.1", "memory-partition congestion")               \
    X(170, "network.request_latency", network_request_cycles, network_requests, "0.1",                                \
      "core cycles per packet, sending")                                                                              \
    X(171, "network.reply_latency", network_reply_cycles, network_replies, "0.1",                                     \
      "core cycles per packet, receiving")                                                                            \
    X(172, "dram.utilisation", dram_busy_cycles, dram_cycles, "0.1",                                                  \
      "off-chip bandwidth: cycles with data on the bus")                                                              \
    X(173, "load.mean_latency", load_cycles, loads_completed, "0.1", "core cycles per warp load")                     \
    X(174, "round_trip.mean_latency", round_trip_cycles, round_trips, "0.1",                                          \
      "core cycles per L1 miss that DRAM served")                                                                     \
    X(308, "energy.per_instruction", energy_total, warp_instructions, "0.2", "pJ per warp instruction")               \
    X(309, "energy.dynamic_per_instruction", energy_dynamic, warp_instructions, "0.2",                                \
      "pJ per warp instruction, without energy.static")                                                               \
    X(310, "energy.per_cycle", energy_total, cycles, "0.2",                                                           \
      "pJ per core cycle: 1,000,000 / clock.core times as many watts")

/* clang-format on */

/*
 * Counters of a network. cache.h has the counters of a single cache, ext/coherence.h of a module of a coherent tree.
 */

/* clang-format off */

/* Counters of a network, cycles in core cycles. */
#define GPC_NETWORK_COUNTERS(X)                                                                                       \
    X(212, packets, "packets", "packets", SUM, NETWORK, CLOCK, "0.2", "that arrived",                                 \
      "= again")                                                                                                      \
    X(213, cycles, "cycles", "core cycles", SUM, NETWORK, CLOCK, "0.2", "that they took, waiting included",           \
      "= input_cycles + output_cycles; >= packets")                                                                   \
    X(214, bytes, "bytes", "bytes", SUM, NETWORK, CLOCK, "0.2", "that they had, headers included",                    \
      "= again")                                                                                                      \
    X(215, input_cycles, "input_cycles", "packet cycles", GAUGE, NETWORK, CLOCK, "0.2",                               \
      "gauge: packets in input buffers",                                                                              \
      "= cycles - output_cycles")                                                                                     \
    X(216, output_cycles, "output_cycles", "packet cycles", GAUGE, NETWORK, CLOCK, "0.2",                             \
      "gauge: packets in or on the way to output buffers",                                                            \
      "= cycles - input_cycles")

/* clang-format on */

#endif
