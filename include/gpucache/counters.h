/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COUNTERS_H
#define GPUCACHE_COUNTERS_H

#include <gpucache/counters_parts.h>
#include <gpucache/ratios.h>

/*
 * Counters. The tables below, and those of counters_parts.h and ratios.h, are the only place that defines a counter.
 * Generated from the tables: the descriptors (gpc_counter_info), the structs of statistics, JSON, CSV and the names in
 * Python.
 *
 * X(id, field, "name", "unit", KIND, OBJECT, NEEDS, "since", "meaning", "equals")
 *   id      number of the counter in every version of the library: never changed, and never given to another counter,
 *           even after the row is gone. Put a new row where the table reads best; its id is the next free one: 393.
 *   field   in a struct of statistics
 *   name    in JSON, CSV and Python
 *   KIND    merge of instances and kernels: SUM, MAX, or GAUGE: the sum over cycles of a queue's entries
 *   OBJECT  objects with the counter (GPC_OBJECTS_...). SM, L1 and SLICE are counted in the object as accesses pass;
 *           ..._PART is gathered from parts of the object on a read; WHOLE is counted for the hierarchy only.
 *   NEEDS   precondition of the measurement in a hierarchy (gpc_counter_needs)
 *           Energies are computed from other counters on a read, every energy separately, and rounded down to whole pJ.
 *           Therefore the energies of parts may sum to a few pJ less than the energy of the whole.
 *   since   version of the library
 *   equals  clauses of the ledger about the counter, "; " between clauses. A clause holds for each object that has the
 *           counter, while nothing is in flight, if nothing was in flight at the last reset of counters. A clause with
 *           an absent counter says nothing.
 *
 *   clause     [if condition, condition: ] [n] = sum, <= sum or >= sum. `n`: the row's own buckets, by their places
 *   sum        terms with + or - between terms. `/ number` at the end divides the sum, and rounds down.
 *   term       [number] counter, or a number. `n counter`: buckets of a histogram, each bucket times its place; without
 *              n the sum of the buckets. `counter?` is 0 where the counter is absent. l1:, l2:, l1-module:,
 *              cluster-module:, l2-module: and net: name counters of counters_parts.h: of the object itself, and of the
 *              whole the sum over all L1s, slices, modules or networks. [key] before a term: times the key's value.
 *   again      the row's counter, counted a second time: by packet in place of by cycle, by the result in place of by
 *              the step, or at another place of the same way. In a sum with other counters: what the counters leave
 *              over. The checking build alone counts again, of the whole and of caches, modules and networks.
 *   held       lines that a cache holds, counted in the checking build
 *   events     count(what component kind ...): number of events with these words (events.h). bytes(), sectors() (of 32
 *              bytes), values() and cycles() sum a field of the events. Tests check clauses with events, and the
 *              checking build checks the other clauses.
 *   condition  timed, functional, caches, tree; l2: there is an L2; whole: of the whole, of no part; drained: memory
 *              is idle, too; no-misses: neither a host's own L1s nor caches of constants or code send misses; fresh: no
 *              counter was reset, and no line was put into a cache by the host; unborrowed: the host has taken no cache
 *              (gpc_hierarchy_cache); key=value or key!=value of the configuration
 */

/* clang-format off */

/* Counters of a hierarchy. l1.* sums over SMs, l2.* over slices. */
#define GPC_COUNTERS(X)                                                                                               \
    X(1, kernels, "kernels", "launches", SUM, WHOLE, NOTHING, "0.1", "kernels that began",                            \
      "= count(kernel)")                                                                                              \
    X(2, blocks, "blocks", "blocks", SUM, WHOLE, NOTHING, "0.1", "thread blocks that ran",                            \
      "= count(block)")                                                                                               \
    X(3, warp_instructions, "warp_instructions", "instructions", SUM, SM, ISSUE, "0.1", "warp instructions issued",   \
      "if sample=none: = sm.cache_instructions + sm.bypass_instructions; <= thread_instructions + count(idle)")       \
    X(4, thread_instructions, "thread_instructions", "instructions", SUM, SM, ISSUE, "0.1",                           \
      "active lanes over all warp instructions",                                                                      \
      "if hosted: = again; >= warp_instructions - count(idle)")                                                       \
    X(5, l1_load_requests, "l1.load_requests", "instructions", SUM, L1_STREAM, NOTHING, "0.1",                        \
      "global and local warp loads",                                                                                  \
      "= l1.transactions_per_load; if const.size=0B: = count(issue sm load)")                                         \
    X(6, l1_load_lines, "l1.load_lines", "transactions", SUM, L1_STREAM, NOTHING, "0.1",                              \
      "line transactions of loads",                                                                                   \
      ">= n l1.transactions_per_load; <= l1.load_sectors; if caches, const.size=0B: = count(line sm load)")           \
    X(7, l1_load_sectors, "l1.load_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1", "sectors that loads needed",  \
      "<= 4 l1.load_lines; >= l1.load_lines; if caches, const.size=0B: = sectors(line sm load)")                      \
    X(8, l1_load_sector_hits, "l1.load_sector_hits", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                       \
      "of these, found in L1",                                                                                        \
      "= again; <= l1.load_sectors")                                                                                  \
    X(9, l1_load_bytes_used, "l1.load_bytes_used", "bytes", SUM, L1, NOTHING, "0.1",                                  \
      "distinct bytes that loading lanes asked for",                                                                  \
      "= again; <= 32 l1.load_sectors; >= l1.load_sectors")                                                           \
    X(10, l1_load_bytes_moved, "l1.load_bytes_moved", "bytes", SUM, L1, NOTHING, "0.1",                               \
      "bytes of the sectors or lines that these loads touched",                                                       \
      "= again; >= 32 l1.load_sectors")                                                                               \
    X(11, l1_store_requests, "l1.store_requests", "instructions", SUM, L1_STREAM, NOTHING, "0.1",                     \
      "global and local warp stores",                                                                                 \
      "= count(issue sm store)")                                                                                      \
    X(12, l1_store_sectors, "l1.store_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                            \
      "sectors that stores touched",                                                                                  \
      "if caches: >= l1.store_requests; if caches: = sectors(line sm store)")                                         \
    X(13, l1_store_sector_hits, "l1.store_sector_hits", "sectors", SUM, L1, NOTHING, "0.1", "of these, valid in L1",  \
      "if caches: = again; <= l1.store_sectors")                                                                      \
    X(14, l1_atomic_requests, "l1.atomic_requests", "instructions", SUM, L1_STREAM, NOTHING, "0.1",                   \
      "warp atomics and reductions",                                                                                  \
      "= count(issue sm atomic reduction)")                                                                           \
    X(15, l1_atomic_sectors, "l1.atomic_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                          \
      "sectors that they touched",                                                                                    \
      "if caches: >= l1.atomic_requests; if caches: = sectors(line sm atomic reduction)")                             \
    X(283, l1_lookups, "l1.lookups", "transactions", SUM, L1_PART, CACHES, "0.2",                                     \
      "that passed L1's tags: loads, prefetches, stores and atomics",                                                 \
      "= l1:reads + l1:writes + l1:atomics; if caches: = count(lookup l1)")                                           \
    X(312, l1_copy_requests, "l1.copy_requests", "instructions", SUM, L1, NOTHING, "0.2",                             \
      "of l1.load_requests, asynchronous copies into shared memory (LDGSTS)",                                         \
      "= again; <= l1.load_requests")                                                                                 \
    X(313, l1_copy_sectors, "l1.copy_sectors", "sectors", SUM, L1, NOTHING, "0.2", "of l1.load_sectors, theirs",      \
      "= again; <= l1.load_sectors")                                                                                  \
    X(314, l1_copy_passed_sectors, "l1.copy_passed_sectors", "sectors", SUM, L1, CACHES, "0.2",                       \
      "of these, past L1 (LDGSTS.BYPASS)",                                                                            \
      "= again; <= l1.copy_sectors")                                                                                  \
    X(318, bulk_copies, "bulk.copies", "copies", SUM, SM, CACHES, "0.2",                                              \
      "bulk copies (UBLKCP, UTMALDG and the like), of up to a warp's lanes of rows",                                  \
      "= again; >= bulk.multicast_copies; if whole: = bulk.completed")                                                \
    X(319, bulk_requests, "bulk.requests", "requests", SUM, SM, CACHES, "0.2", "that their engines made of L2",       \
      "= again; >= bulk.copies")                                                                                      \
    X(320, bulk_bytes, "bulk.bytes", "bytes", SUM, SM, CACHES, "0.2", "that these were for",                          \
      "= again; >= bulk.requests")                                                                                    \
    X(321, bulk_read_sectors, "bulk.read_sectors", "sectors", SUM, SM, CACHES, "0.2", "of l2.read_sectors, theirs",   \
      "= again; if l2: <= l2.read_sectors")                                                                           \
    X(322, bulk_write_sectors, "bulk.write_sectors", "sectors", SUM, SM, CACHES, "0.2",                               \
      "of l2.write_sectors and l2.atomic_sectors, theirs",                                                            \
      "= again; if l2: <= l2.write_sectors + l2.atomic_sectors + 4 l1.combined_requests?")                            \
    X(328, bulk_multicast_copies, "bulk.multicast_copies", "copies", SUM, SM, CACHES, "0.2",                          \
      "of bulk.copies, those for named SMs (.MULTICAST)",                                                             \
      "= again; <= bulk.copies")                                                                                      \
    X(329, bulk_multicast_sectors, "bulk.multicast_sectors", "sectors", SUM, SM, CACHES, "0.2",                       \
      "that replies brought to further SMs than one: L2 did not read them again",                                     \
      "= again; <= 15 bulk.read_sectors")                                                                             \
    X(323, bulk_stalls, "bulk.stalls", "SM cycles", SUM, SM_PART, CLOCK, "0.2",                                       \
      "an engine had a copy, and no room for a request of it: in the miss queue, or under way (sm.bulk_requests)",    \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(324, bulk_completed, "bulk.completed", "copies", SUM, SM, CLOCK, "0.2",                                         \
      "that completed; a multicast copy without its own SM counts at the last SM named",                              \
      "if whole: = bulk.copies")                                                                                      \
    X(325, bulk_cycles, "bulk.cycles", "core cycles", SUM, SM, CLOCK, "0.2", "from their acceptance to then",         \
      "= again; >= bulk.completed")                                                                                   \
    X(352, tlb_l1_accesses, "tlb.l1_accesses", "lookups", SUM, SM, TLB, "0.2",                                        \
      "of L1 TLBs: line transactions, pages of bulk copies (tlb.page)",                                               \
      "= tlb.l1_hits + tlb.l1_merges? + tlb.l2_accesses; >= tlb.l1_hits + tlb.l1_merges?")                            \
    X(353, tlb_l1_hits, "tlb.l1_hits", "lookups", SUM, SM, TLB, "0.2", "of these, found",                             \
      "= tlb.l1_accesses - tlb.l1_merges? - tlb.l2_accesses; <= tlb.l1_accesses")                                     \
    X(354, tlb_l1_merges, "tlb.l1_merges", "lookups", SUM, SM_PART, TLB_TIME, "0.2",                                  \
      "of tlb.l1_accesses, for a page that the L1 TLB waits for already; all others miss, and go to the L2 TLB",      \
      "= tlb.l1_accesses - tlb.l1_hits - tlb.l2_accesses; <= tlb.l1_accesses - tlb.l1_hits")                          \
    X(355, tlb_l1_stalls, "tlb.l1_stalls", "SM cycles", SUM, SM_PART, TLB_TIME, "0.2",                                \
      "in which an L1 TLB's lookups are held up: no MSHR entry, or no merge, is left",                                \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(356, tlb_wait_cycles, "tlb.wait_cycles", "transaction cycles", SUM, SM_PART, TLB_TIME, "0.2",                   \
      "of line transactions from their lookup to their page's translation, if that is not found",                     \
      "= again; >= tlb.l1_merges")                                                                                    \
    X(357, tlb_l2_accesses, "tlb.l2_accesses", "lookups", SUM, WHOLE, TLB, "0.2", "of the L2 TLB: L1 TLBs' misses",   \
      "= tlb.l1_accesses - tlb.l1_hits - tlb.l1_merges?")                                                             \
    X(358, tlb_l2_hits, "tlb.l2_hits", "lookups", SUM, WHOLE, TLB, "0.2", "of these, found",                          \
      "= tlb.l2_accesses - tlb.l2_merges? - tlb.walks; <= tlb.l2_accesses")                                           \
    X(359, tlb_l2_merges, "tlb.l2_merges", "lookups", SUM, WHOLE, TLB_TIME, "0.2",                                    \
      "of tlb.l2_accesses, for a page that is walked for already",                                                    \
      "= tlb.l2_accesses - tlb.l2_hits - tlb.walks; <= tlb.l2_accesses - tlb.l2_hits")                                \
    X(360, tlb_l2_stalls, "tlb.l2_stalls", "core cycles", SUM, WHOLE, TLB_TIME, "0.2",                                \
      "in which the L2 TLB's lookups are held up: no MSHR entry, or no merge, is left",                               \
      "= again; if hosted: <= cycles")                                                                                \
    X(361, tlb_walks, "tlb.walks", "walks", SUM, WHOLE, TLB, "0.2", "of the page table: L2 TLB misses",               \
      "= tlb.l2_accesses - tlb.l2_hits - tlb.l2_merges?")                                                             \
    X(362, tlb_walk_cycles, "tlb.walk_cycles", "walker cycles", SUM, WHOLE, TLB_TIME, "0.2", "that these took",       \
      "= again; >= tlb.walks")                                                                                        \
    X(363, tlb_walk_waits, "tlb.walk_waits", "walk cycles", SUM, WHOLE, TLB_TIME, "0.2",                              \
      "that they waited for a walker, with the L2 TLB's latency before",                                              \
      "= again; >= tlb.walks")                                                                                        \
    X(350, l2_persisting_sectors, "l2.persisting_sectors", "sectors", SUM, SLICE, CACHES, "0.2",                      \
      "of l2.read_sectors, of lines that are to persist: of priority LAST, by instruction or l2.window",              \
      "if timed: = again; <= l2.read_sectors")                                                                        \
    X(351, l2_persisting_sector_hits, "l2.persisting_sector_hits", "sectors", SUM, SLICE, CACHES, "0.2",              \
      "of these, found in L2, or on their way there",                                                                 \
      "if timed: = again; <= l2.persisting_sectors")                                                                  \
    X(336, stages_queue, "stages.queue", "core cycles", SUM, WHOLE, STAGES, "0.2",                                    \
      "of accesses that completed, before L1's tags: load/store unit, issue latency, ports",                          \
      "= values(complete sm) + fence.cycles - stages.l1_stall - stages.l1 - stages.merged - stages.request - "        \
      "stages.l2_queue - stages.l2 - stages.l2_merged - stages.partition - stages.dram_queue - stages.dram - "        \
      "stages.reply - stages.fill - stages.coherence")                                                                \
    X(337, stages_l1_stall, "stages.l1_stall", "core cycles", SUM, WHOLE, STAGES, "0.2",                              \
      "likewise, held up at L1's tags by reservation failures",                                                       \
      "= again")                                                                                                      \
    X(338, stages_l1, "stages.l1", "core cycles", SUM, WHOLE, STAGES, "0.2",                                          \
      "likewise, in L1's tags, and its data where they are found there",                                              \
      "= again")                                                                                                      \
    X(339, stages_merged, "stages.merged", "core cycles", SUM, WHOLE, STAGES, "0.2",                                  \
      "likewise, above L2, for what another access has asked for",                                                    \
      "= again")                                                                                                      \
    X(340, stages_request, "stages.request", "core cycles", SUM, WHOLE, STAGES, "0.2",                                \
      "likewise, in L1's miss queue and the networks towards L2",                                                     \
      "= again")                                                                                                      \
    X(341, stages_l2_queue, "stages.l2_queue", "core cycles", SUM, WHOLE, STAGES, "0.2",                              \
      "likewise, before L2's tags, and held up at them",                                                              \
      "= again")                                                                                                      \
    X(342, stages_l2, "stages.l2", "core cycles", SUM, WHOLE, STAGES, "0.2",                                          \
      "likewise, in L2's tags, fill, data port and atomic unit",                                                      \
      "= again")                                                                                                      \
    X(343, stages_l2_merged, "stages.l2_merged", "core cycles", SUM, WHOLE, STAGES, "0.2",                            \
      "likewise, at an MSHR entry of L2, for what another has asked for",                                             \
      "= again")                                                                                                      \
    X(344, stages_partition, "stages.partition", "core cycles", SUM, WHOLE, STAGES, "0.2",                            \
      "likewise, to the other partition of L2, or another GPU, and back",                                             \
      "= again")                                                                                                      \
    X(345, stages_dram_queue, "stages.dram_queue", "core cycles", SUM, WHOLE, STAGES, "0.2",                          \
      "likewise, in L2's miss queue, the link to memory and DRAM's queue",                                            \
      "= again")                                                                                                      \
    X(346, stages_dram, "stages.dram", "core cycles", SUM, WHOLE, STAGES, "0.2",                                      \
      "likewise, from its first DRAM command to its data",                                                            \
      "= again")                                                                                                      \
    X(347, stages_reply, "stages.reply", "core cycles", SUM, WHOLE, STAGES, "0.2",                                    \
      "likewise, in the networks back, and the queues before them",                                                   \
      "= again")                                                                                                      \
    X(348, stages_fill, "stages.fill", "core cycles", SUM, WHOLE, STAGES, "0.2",                                      \
      "likewise, in its SM again, until it completes",                                                                \
      "= again")                                                                                                      \
    X(349, stages_coherence, "stages.coherence", "core cycles", SUM, WHOLE, STAGES, "0.2",                            \
      "likewise, for others: a tree's probes and locks; fences",                                                      \
      "= again")                                                                                                      \
    X(364, l1i_accesses, "l1i.accesses", "fetches", SUM, SM_PART, L1I, "0.2",                                         \
      "of an SM's instruction cache: a warp's next sm.fetch instructions, as far as they are in one line (l1i.size)", \
      "= l1i.hits + l1i.merges + l1i.prefetch_hits? + again")                                                         \
    X(365, l1i_hits, "l1i.hits", "fetches", SUM, SM_PART, L1I, "0.2", "of these, found",                              \
      "= l1i.accesses - l1i.merges - l1i.prefetch_hits? - again")                                                     \
    X(366, l1i_merges, "l1i.merges", "fetches", SUM, SM_PART, L1I, "0.2",                                             \
      "of l1i.accesses, of a line on its way; all others are reads of l15.*, or L2",                                  \
      "= l1i.accesses - l1i.hits - l1i.prefetch_hits? - again")                                                       \
    X(367, l1i_wait_cycles, "l1i.wait_cycles", "warp cycles", SUM, SM_PART, L1I, "0.2",                               \
      "in which warps wait for their instructions",                                                                   \
      "= again; >= l1i.merges")                                                                                       \
    X(374, const_requests, "const.requests", "instructions", SUM, SM, CONST, "0.2",                                   \
      "loads that go through constant caches (const.size)",                                                           \
      "= again; <= const.lines")                                                                                      \
    X(375, const_lines, "const.lines", "lines", SUM, SM, CONST, "0.2", "that these looked up",                        \
      "if fresh: = again; >= const.requests")                                                                         \
    X(376, const_line_hits, "const.line_hits", "lines", SUM, SM, CONST, "0.2", "of these, found",                     \
      "if fresh: = again; <= const.lines")                                                                            \
    X(377, const_line_merges, "const.line_merges", "lines", SUM, SM, CONST_TIME, "0.2",                               \
      "of const.lines, on their way already",                                                                         \
      "= again; <= const.lines - const.line_hits")                                                                    \
    X(378, const_stalls, "const.stalls", "SM cycles", SUM, SM_PART, CONST_TIME, "0.2",                                \
      "a line was held up at a constant cache's tags: MSHR entries, merges or miss queue",                            \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(382, l15_lines, "l15.lines", "lines", SUM, SM, L15, "0.2",                                                      \
      "of code and constants that were looked up in an SM's L1.5 (l15.size)",                                         \
      "if fresh: = again; >= l15.line_hits + l15.line_merges?")                                                       \
    X(383, l15_line_hits, "l15.line_hits", "lines", SUM, SM, L15, "0.2", "of these, found",                           \
      "if fresh: = again; <= l15.lines")                                                                              \
    X(384, l15_line_merges, "l15.line_merges", "lines", SUM, SM, L15_TIME, "0.2",                                     \
      "of l15.lines, on their way already",                                                                           \
      "= again; <= l15.lines - l15.line_hits")                                                                        \
    X(385, l15_code_lines, "l15.code_lines", "lines", SUM, SM, L15_TIME, "0.2", "of l15.lines, of code",              \
      "= again; <= l15.lines")                                                                                        \
    X(386, l15_code_line_hits, "l15.code_line_hits", "lines", SUM, SM, L15_TIME, "0.2", "of these, found",            \
      "= again; <= l15.code_lines; <= l15.line_hits")                                                                 \
    X(387, l15_stalls, "l15.stalls", "core cycles", SUM, WHOLE, L15_TIME, "0.2",                                      \
      "a line was held up at an L1.5's tags: MSHR entries, merges or miss queue; of all L1.5s",                       \
      "= again; if hosted: <= sm.cycles")                                                                             \
    X(388, l1i_prefetches, "l1i.prefetches", "lines", SUM, SM_PART, L1I_PREFETCH, "0.2",                              \
      "asked for into the stream buffers of instruction caches (l1i.prefetch)",                                       \
      "= l1i.prefetch_hits + l1i.late_prefetches + l1i.unused_prefetches + again")                                    \
    X(389, l1i_prefetch_hits, "l1i.prefetch_hits", "fetches", SUM, SM_PART, L1I_PREFETCH, "0.2",                      \
      "of l1i.accesses, of a line that was there; it goes into the cache",                                            \
      "= l1i.prefetches - l1i.late_prefetches - l1i.unused_prefetches - again; <= l1i.accesses - l1i.hits; <= "       \
      "l1i.prefetches")                                                                                               \
    X(390, l1i_late_prefetches, "l1i.late_prefetches", "lines", SUM, SM_PART, L1I_PREFETCH, "0.2",                    \
      "of l1i.prefetches, wanted while on their way",                                                                 \
      "= l1i.prefetches - l1i.prefetch_hits - l1i.unused_prefetches - again; <= l1i.prefetches")                      \
    X(391, l1i_unused_prefetches, "l1i.unused_prefetches", "lines", SUM, SM_PART, L1I_PREFETCH, "0.2",                \
      "of l1i.prefetches, given up before anybody wanted them",                                                       \
      "= l1i.prefetches - l1i.prefetch_hits - l1i.late_prefetches - again; <= l1i.prefetches")                        \
    X(16, l1_evictions, "l1.evictions", "lines", SUM, L1_PART, NOTHING, "0.1", "lines replaced in L1",                \
      "= l1:evictions; = l1-module:evictions; if caches: = count(evict l1)")                                          \
    X(17, l1_zero_reuse_evictions, "l1.zero_reuse_evictions", "lines", SUM, L1_PART, REUSE, "0.1",                    \
      "of these, never hit (l1.track_reuse)",                                                                         \
      "= l1:zero_reuse_evictions; <= l1.evictions")                                                                   \
    X(18, l1_bypasses, "l1.bypasses", "transactions", SUM, L1_PART, NOTHING, "0.1",                                   \
      "line transactions that did not allocate though they missed",                                                   \
      "if drained, fresh: = l1:bypasses + l1:overturned_fills - l1:overturned_bypasses")                              \
    X(19, l1_bypassed_sectors, "l1.bypassed_sectors", "sectors", SUM, L1, NOTHING, "0.1",                             \
      "sectors that they fetched; in a tree of modules, that they needed",                                            \
      "= n l1.bypass_fetches; if caches: <= l1.fetched_sectors")                                                      \
    X(20, l1_token_bypasses, "l1.token_bypasses", "transactions", SUM, L1_PART, NOTHING, "0.1",                       \
      "of l1.bypasses, those for lack of a cache token",                                                              \
      "= l1:token_bypasses")                                                                                          \
    X(21, l1_opportunistic_fills, "l1.opportunistic_fills", "lines", SUM, L1_PART, NOTHING, "0.1",                    \
      "lines filled for warps without a cache token",                                                                 \
      "= l1:opportunistic_fills")                                                                                     \
    X(22, l1_priority_evictions, "l1.priority_evictions", "lines", SUM, L1_PART, NOTHING, "0.1",                      \
      "of l1.evictions, lines with the priority of token holders",                                                    \
      "= l1:priority_evictions; <= l1.evictions")                                                                     \
    X(23, l1_cache_warp_lines, "l1.cache_warp_lines", "transactions", SUM, L1, NOTHING, "0.1",                        \
      "line transactions of loads through L1 by warps with a cache token, where tokens are in use",                   \
      "= again; <= l1.load_lines")                                                                                    \
    X(24, l1_cache_warp_misses, "l1.cache_warp_misses", "transactions", SUM, L1, NOTHING, "0.1",                      \
      "of these, with a sector missing",                                                                              \
      "= again; <= l1.cache_warp_lines")                                                                              \
    X(25, l1_bypass_warp_lines, "l1.bypass_warp_lines", "transactions", SUM, L1, NOTHING, "0.1",                      \
      "the same, by warps without one",                                                                               \
      "= again; <= l1.load_lines")                                                                                    \
    X(26, l1_bypass_warp_misses, "l1.bypass_warp_misses", "transactions", SUM, L1, NOTHING, "0.1",                    \
      "of these, with a sector missing",                                                                              \
      "= again; <= l1.bypass_warp_lines")                                                                             \
    X(27, l1_predictions, "l1.predictions", "transactions", SUM, L1_PART, NOTHING, "0.1",                             \
      "line transactions that L1's predictor was asked about",                                                        \
      "= l1:predictions")                                                                                             \
    X(28, l1_overturned_bypasses, "l1.overturned_bypasses", "transactions", SUM, L1_PART, NOTHING, "0.1",             \
      "bypasses that L2's reply made fills: mispredictions found out",                                                \
      "= l1:overturned_bypasses")                                                                                     \
    X(29, l1_overturned_fills, "l1.overturned_fills", "transactions", SUM, L1_PART, NOTHING, "0.1",                   \
      "fills that L2's reply made bypasses",                                                                          \
      "= l1:overturned_fills")                                                                                        \
    X(30, l1_oracle_decisions, "l1.oracle_decisions", "transactions", SUM, L1_PART, FUTURE, "0.1",                    \
      "read misses that an oracle decided on beside L1's predictor (l1.future)",                                      \
      "= l1:oracle_decisions")                                                                                        \
    X(31, l1_oracle_bypasses, "l1.oracle_bypasses", "transactions", SUM, L1_PART, FUTURE, "0.1",                      \
      "of these, the oracle would bypass",                                                                            \
      "= l1:oracle_bypasses; <= l1.oracle_decisions")                                                                 \
    X(32, l1_oracle_agreements, "l1.oracle_agreements", "transactions", SUM, L1_PART, FUTURE, "0.1",                  \
      "decisions that predictor and oracle share",                                                                    \
      "= l1:oracle_agreements; <= l1.oracle_decisions")                                                               \
    X(33, l1_oracle_agreed_bypasses, "l1.oracle_agreed_bypasses", "transactions", SUM, L1_PART, FUTURE, "0.1",        \
      "of these, bypasses",                                                                                           \
      "= l1:oracle_agreed_bypasses; <= l1.oracle_agreements")                                                         \
    X(34, l1_fetched_sectors, "l1.fetched_sectors", "sectors", SUM, L1_STREAM, NOTHING, "0.1",                        \
      "sectors that L1 read from L2",                                                                                 \
      "= n l1.fetches; if caches: >= sectors(fetch l1); if caches, l1.combine_lines=0: <= sectors(fetch l1) + "       \
      "sectors(bypass l1)")                                                                                           \
    X(35, l1_write_back_sectors, "l1.write_back_sectors", "sectors", SUM, L1, NOTHING, "0.1",                         \
      "dirty sectors that L1 evicted or flushed",                                                                     \
      "if caches: = sectors(write-back l1); if caches, l1.sectors=4, l1.line=128B: = l1:write_back_sectors + again")  \
    X(36, l1_invalidations, "l1.invalidations", "lines", SUM, L1_PART, NOTHING, "0.1", "lines dropped from L1",       \
      "= l1:invalidations; = l1-module:invalidations")                                                                \
    X(37, l1_intra_warp_hits, "l1.intra_warp_hits", "transactions", SUM, L1_PART, WARPS, "0.1",                       \
      "load hits by the warp that filled the line (l1.track_warps)",                                                  \
      "= l1:intra_warp_hits")                                                                                         \
    X(38, l1_inter_warp_hits, "l1.inter_warp_hits", "transactions", SUM, L1_PART, WARPS, "0.1",                       \
      "load hits by another warp (l1.track_warps)",                                                                   \
      "= l1:inter_warp_hits")                                                                                         \
    X(257, fences, "fence.fences", "fences", SUM, SM, NOTHING, "0.2",                                                 \
      "fences, and cache control of a whole L1, that the hierarchy carried out",                                      \
      "= again; <= fence.cycles")                                                                                     \
    X(258, fence_invalidations, "fence.invalidations", "fences", SUM, SM, NOTHING, "0.2",                             \
      "times that these had an L1 drop its lines",                                                                    \
      "= again")                                                                                                      \
    X(259, fence_lines, "fence.lines", "lines", SUM, SM, NOTHING, "0.2", "lines that L1s dropped then",               \
      "if caches: = again; <= l1.invalidations")                                                                      \
    X(260, fence_write_back_sectors, "fence.write_back_sectors", "sectors", SUM, SM, CACHES, "0.2",                   \
      "dirty sectors that they had L1s write to L2",                                                                  \
      "if timed: = again; <= l1.write_back_sectors")                                                                  \
    X(261, fence_cycles, "fence.cycles", "core cycles", SUM, SM, CLOCK, "0.2",                                        \
      "that fences took from their acceptance to their completion",                                                   \
      "= again; >= fence.fences")                                                                                     \
    X(311, l1_combined_requests, "l1.combined_requests", "requests", SUM, L1_PART, CLOCK, "0.2",                      \
      "reads of L2 and stores that went with one before them of the same line (l1.combine_lines)",                    \
      "= again")                                                                                                      \
    X(39, l2_read_sectors, "l2.read_sectors", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                           \
      "sectors that L1 and bypassing loads read from L2",                                                             \
      ">= l2.read_sector_hits; if timed, caches, l2.partitions=1, l2.prefetcher=none: = sectors(lookup l2 load "      \
      "prefetch)")                                                                                                    \
    X(40, l2_read_sector_hits, "l2.read_sector_hits", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                   \
      "of these, found in the SM's own partition",                                                                    \
      "if timed, caches, l2: = again; <= l2.read_sectors; >= l2.pending_sector_hits?")                                \
    X(277, l2_constant_read_sectors, "l2.constant_read_sectors", "sectors", SUM, SLICE, MISSES, "0.2",                \
      "of l2.read_sectors, of constants (space CONSTANT: const.size, gpc_hierarchy_try_miss)",                        \
      "= again; <= l2.read_sectors")                                                                                  \
    X(278, l2_constant_read_sector_hits, "l2.constant_read_sector_hits", "sectors", SUM, SLICE, MISSES, "0.2",        \
      "of these, found",                                                                                              \
      "= again; <= l2.constant_read_sectors")                                                                         \
    X(279, l2_texture_read_sectors, "l2.texture_read_sectors", "sectors", SUM, SLICE, MISSES, "0.2",                  \
      "likewise, of textures (TEXTURE)",                                                                              \
      "= again; <= l2.read_sectors")                                                                                  \
    X(280, l2_texture_read_sector_hits, "l2.texture_read_sector_hits", "sectors", SUM, SLICE, MISSES, "0.2",          \
      "of these, found",                                                                                              \
      "= again; <= l2.texture_read_sectors")                                                                          \
    X(281, l2_instruction_read_sectors, "l2.instruction_read_sectors", "sectors", SUM, SLICE, MISSES, "0.2",          \
      "likewise, of code (INSTRUCTION)",                                                                              \
      "= again; <= l2.read_sectors")                                                                                  \
    X(282, l2_instruction_read_sector_hits, "l2.instruction_read_sector_hits", "sectors", SUM, SLICE, MISSES, "0.2",  \
      "of these, found",                                                                                              \
      "= again; <= l2.instruction_read_sectors")                                                                      \
    X(41, l2_write_sectors, "l2.write_sectors", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                         \
      "sectors written to L2",                                                                                        \
      ">= l2.write_sector_hits; if timed, caches, l2.partitions=1: = sectors(lookup l2 store)")                       \
    X(42, l2_write_sector_hits, "l2.write_sector_hits", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                 \
      "of these, valid before, or written whole",                                                                     \
      "if caches: = again; <= l2.write_sectors")                                                                      \
    X(43, l2_atomic_sectors, "l2.atomic_sectors", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",                       \
      "sectors of atomics and reductions at L2",                                                                      \
      ">= l2.atomic_sector_hits; if timed, caches, l2.partitions=1: = sectors(lookup l2 atomic reduction)")           \
    X(44, l2_atomic_sector_hits, "l2.atomic_sector_hits", "sectors", SUM, SLICE_STREAM, NOTHING, "0.1",               \
      "of these, valid before",                                                                                       \
      "if caches, l2, l2.sectors=4, l2.line=128B, l2.partitions=1: = l2:atomic_sector_hits; <= l2.atomic_sectors")    \
    X(268, l2_atomic_busy_cycles, "l2.atomic_busy_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",                \
      "that the atomic units of slices worked (l2.atomic_cycles)",                                                    \
      "= again; <= 4 l2.cycles")                                                                                      \
    X(269, l2_atomic_wait_cycles, "l2.atomic_wait_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",                \
      "that packets of atomics waited for them",                                                                      \
      "= again")                                                                                                      \
    X(392, l2_written_wait_cycles, "l2.written_wait_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",              \
      "that tags of slices waited for a sector just written (l2.write_to_read)",                                      \
      "= again; <= 4 l2.cycles")                                                                                      \
    X(368, l2_prefetches, "l2.prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",                            \
      "that a slice sent for because of its prefetcher (l2.prefetcher)",                                              \
      "if fresh: = l2.useful_prefetches + l2.late_prefetches + l2.unused_prefetches + again")                         \
    X(369, l2_useful_prefetches, "l2.useful_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",              \
      "of these, found in L2 by a read",                                                                              \
      "if fresh: = l2.prefetches - l2.late_prefetches - l2.unused_prefetches - again")                                \
    X(370, l2_late_prefetches, "l2.late_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",                  \
      "of these, wanted by a read while on their way",                                                                \
      "if fresh: = l2.prefetches - l2.useful_prefetches - l2.unused_prefetches - again")                              \
    X(371, l2_unused_prefetches, "l2.unused_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",              \
      "of these, replaced before any read, or not kept",                                                              \
      "if fresh: = l2.prefetches - l2.useful_prefetches - l2.late_prefetches - again")                                \
    X(372, l2_redundant_prefetches, "l2.redundant_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",        \
      "that were there, in flight or queued when asked for",                                                          \
      "= again")                                                                                                      \
    X(373, l2_dropped_prefetches, "l2.dropped_prefetches", "lines", SUM, SLICE_PART, L2_PREFETCHER, "0.2",            \
      "that found l2.prefetch_queue full, or the slice would not take",                                               \
      "= again")                                                                                                      \
    X(284, l2_lookups, "l2.lookups", "packets", SUM, SLICE_PART, CACHES, "0.2",                                       \
      "that passed L2's tags: reads, prefetches, writes and atomics",                                                 \
      "= l2:reads + l2:writes + l2:atomics; if caches: = count(lookup l2)")                                           \
    X(45, l2_remote_sectors, "l2.remote_sectors", "sectors", SUM, SLICE, NOTHING, "0.1",                              \
      "sectors that crossed between the two L2 partitions",                                                           \
      "if l2.partitions=1, gpu.count=1: = 0")                                                                         \
    X(46, l2_evictions, "l2.evictions", "lines", SUM, SLICE_PART, NOTHING, "0.1", "lines replaced in L2",             \
      "= l2:evictions; = l2-module:evictions; if caches: = count(evict l2)")                                          \
    X(47, l2_token_bypasses, "l2.token_bypasses", "requests", SUM, SLICE_PART, NOTHING, "0.1",                        \
      "requests that did not allocate in L2 for lack of a token",                                                     \
      "= l2:token_bypasses")                                                                                          \
    X(48, l2_opportunistic_fills, "l2.opportunistic_fills", "lines", SUM, SLICE_PART, NOTHING, "0.1",                 \
      "lines filled for warps without a token for L2",                                                                \
      "= l2:opportunistic_fills")                                                                                     \
    X(49, l2_priority_evictions, "l2.priority_evictions", "lines", SUM, SLICE_PART, NOTHING, "0.1",                   \
      "of l2.evictions, lines with the priority of token holders",                                                    \
      "= l2:priority_evictions; <= l2.evictions")                                                                     \
    X(50, l2_write_back_sectors, "l2.write_back_sectors", "sectors", SUM, SLICE, NOTHING, "0.1",                      \
      "dirty sectors that L2 evicted or flushed",                                                                     \
      "if caches, l2.partitions=1: = sectors(write-back l2); if caches, l2, l2.sectors=4, l2.line=128B: = "           \
      "l2:write_back_sectors + again")                                                                                \
    X(51, dram_read_sectors, "dram.read_sectors", "sectors", SUM, WHOLE_STREAM, NOTHING, "0.1",                       \
      "sectors read from DRAM, launch overhead included",                                                             \
      ">= dram.launch_sectors; if caches: = sectors(memory-read memory) + dram.launch_sectors")                       \
    X(52, dram_write_sectors, "dram.write_sectors", "sectors", SUM, WHOLE, NOTHING, "0.1", "sectors written to DRAM", \
      "if caches: = sectors(memory-write memory)")                                                                    \
    X(53, dram_launch_sectors, "dram.launch_sectors", "sectors", SUM, WHOLE, NOTHING, "0.1",                          \
      "of the reads: code, constants and launch descriptor",                                                          \
      "= again; <= dram.read_sectors")                                                                                \
    X(54, l1_capacity, "l1.capacity", "bytes", MAX, WHOLE, NOTHING, "0.1", "L1 data capacity that the kernel had",    \
      "= again")                                                                                                      \
    X(55, resident_blocks, "resident_blocks", "blocks", MAX, WHOLE, NOTHING, "0.1",                                   \
      "thread blocks that fit on an SM at once",                                                                      \
      "= again")                                                                                                      \
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
      "= again; <= l1.bypass_fetches - l1.mshr_bypasses - l1.queue_bypasses")                                         \
    X(85, l1_mshr_bypasses, "l1.mshr_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                           \
      "likewise, no MSHR entry free",                                                                                 \
      "= again; <= l1.bypass_fetches - l1.line_bypasses - l1.queue_bypasses")                                         \
    X(86, l1_queue_bypasses, "l1.queue_bypasses", "transactions", SUM, L1_PART, CLOCK, "0.1",                         \
      "likewise, miss queue full",                                                                                    \
      "= again; <= l1.bypass_fetches - l1.line_bypasses - l1.mshr_bypasses")                                          \
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
      "= again; <= l1.load_lines + l1.store_sectors + l1.atomic_sectors")                                             \
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
      "if caches, no-misses, l1.combine_lines=0: = cycles(send requests) - cycles(queue l1)")                         \
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
      "dram.read_sectors without dram.launch_sectors x key",                                                          \
      "= [energy.l2_fill] dram.read_sectors - [energy.l2_fill] dram.launch_sectors / 1000")                           \
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

#endif
