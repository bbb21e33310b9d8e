/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COUNTERS_H
#define GPUCACHE_COUNTERS_H

#include <gpucache/counters_clock.h>
#include <gpucache/types.h>

GPC_BEGIN_DECLS

/*
 * Counters. The tables below, and those of counters_clock.h, cache.h and ext/coherence.h, are the only place that
 * defines a counter. Generated from the tables: the descriptors (gpc_counter_info), the constants of ids, JSON, CSV and
 * the names in Python.
 *
 * X(id, field, "name", "unit", KIND, OBJECT, NEEDS, "since", "meaning", "equals")
 *   id      number of the counter in every version of the library: never changed, and never given to another counter,
 *           even after the row is gone. Put a new row where the table reads best; its id is the next free one: 406.
 *   field   last part of the constant with the id: GPC_ID_cycles, GPC_ID_CACHE_reads, GPC_ID_NETWORK_packets,
 *           GPC_ID_MODULE_loads
 *   name    name in JSON, CSV and Python
 *   KIND    merge of the values of several objects or kernels. SUM: their sum. MAX: the largest. GAUGE: their sum; the
 *           value of an object is the number of a queue's entries, summed over all cycles
 *   OBJECT  objects with the counter (GPC_OBJECTS_...). SM, L1 and SLICE are counted in the object as accesses pass;
 *           ..._PART is gathered from parts of the object on a read; WHOLE is counted for the hierarchy only.
 *   NEEDS   precondition of the measurement in a hierarchy; gpc_counter_info.needs has the words
 *           Energies are computed from other counters on a read, every energy separately, and rounded down to whole pJ.
 *           Therefore the energies of parts may sum to a few pJ less than the energy of the whole.
 *   since   version of the library
 *   equals  clauses of the ledger about the counter, "; " between clauses. A clause holds for each object that has the
 *           counter, while nothing is in flight, if nothing was in flight at the last reset of counters. A clause with
 *           an absent counter is not checked.
 *
 *   clause     [if condition, condition: ] [n] = sum, <= sum or >= sum: the row's counter equals the sum, is at most
 *              the sum, or is at least the sum. `n`: the row's counter is a histogram; the sum of its buckets counts,
 *              each bucket times its index
 *   sum        terms with + or - between terms. `/ number` at the end divides the sum, and rounds down.
 *   term       [number] counter, or a number. `n counter`: the sum of a histogram's buckets, each bucket times its
 *              index; without n the sum of the buckets. `counter?` is 0 where the counter is absent. Counters with the
 *              prefixes l1:, l2:, l1-module:, cluster-module:, l2-module: and net: are in cache.h, ext/coherence.h and
 *              counters_clock.h. For an L1, a slice, a module or a network, the value is the object's own; for the
 *              whole, the value is the sum over all such objects. [key] before a term multiplies by the key's value.
 *   again      the row's counter, counted a second time by other code: for each packet and not for each cycle, from the
 *              result and not in the step, or elsewhere on the same path. In a sum with other counters: the rest that
 *              the counters do not count. Only the checking build counts a second time: for the whole, and for caches,
 *              modules and networks.
 *   held       lines that a cache holds, counted in the checking build
 *   events     count(what component kind ...): number of events with these words (ext/observe.h). bytes(), sectors()
 *              (of 32 bytes), values() and cycles() sum a field of the events. Tests check clauses with events, and the
 *              checking build checks the other clauses.
 *   condition  timed, functional: the key `mode`; caches, tree: plain caches, or a tree of coherent modules; l2: the
 *              hierarchy has an L2; whole: the object is the whole hierarchy; drained: memory is idle, too; no-misses:
 *              neither a host's own L1s nor caches of constants or code send misses; fresh: no counter was reset, and
 *              the host put no line into a cache; unborrowed: the host has taken no cache (gpc_hierarchy_cache);
 *              key=value or key!=value of the configuration
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
    X(405, l1_touched_lines, "l1.touched_lines", "lines", SUM, L1_STREAM, NOTHING, "0.3", "lines of a load, summed",  \
      "= again; <= l1.load_lines")                                                                                    \
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
      "= again")                                                                                                      \
    X(269, l2_atomic_wait_cycles, "l2.atomic_wait_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",                \
      "that packets of atomics waited for them",                                                                      \
      "= again")                                                                                                      \
    X(392, l2_written_wait_cycles, "l2.written_wait_cycles", "L2 cycles", SUM, SLICE_PART, CLOCK, "0.2",              \
      "that tags of slices waited for a sector just written (l2.write_to_read)",                                      \
      "= again")                                                                                                      \
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
      "if drained, fresh: = again")                                                                                   \
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
    X(393, memory_cache_read_sectors, "memory_cache.read_sectors", "sectors", SUM, WHOLE, MEMORY_CACHE, "0.3",        \
      "that L2 reads from the cache beside memory (memory_cache.size)", "if drained, fresh: = again")                 \
    X(394, memory_cache_read_sector_hits, "memory_cache.read_sector_hits", "sectors", SUM, WHOLE, MEMORY_CACHE,       \
      "0.3", "of these, found in it, or on their way to it",                                                          \
      "= again; <= memory_cache.read_sectors; if functional: = memory_cache.read_sectors - dram.read_sectors + "      \
      "dram.launch_sectors")                                                                                          \
    X(395, memory_cache_write_sectors, "memory_cache.write_sectors", "sectors", SUM, WHOLE, MEMORY_CACHE, "0.3",      \
      "that L2 writes to it", "if drained, fresh: = again")                                                           \
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
    GPC_CLOCK_COUNTERS(X)

/* clang-format on */

/* Ids of the counters, for reads: GPC_ID_l1_load_sectors. Ratios are found by name. */
typedef enum gpc_counter_id {
#define X(id, field, ...) GPC_ID_##field = id,
    GPC_COUNTERS(X) GPC_HISTOGRAMS(X)
#undef X
#define X(id, field, ...) GPC_ID_NETWORK_##field = id,
        GPC_NETWORK_COUNTERS(X)
#undef X
} gpc_counter_id;

/*
 * Statistics. A counter has a number, its id, which never changes between versions of the library. Find the id by name
 * (gpc_counter_by_name), or use the constant (gpc_counter_id). Every object with counters has a function that reads
 * values by ids, as gpc_hierarchy_read does: gpc_replay_read, gpc_cache_read, gpc_coherence_read, gpc_dram_read,
 * gpc_profile_read_kernel; gpc_stats_read for statistics lent to a callback.
 */

/* Parts of a hierarchy that have counters. */
typedef enum gpc_object {
    GPC_OBJECT_WHOLE = 0,   /* the hierarchy; in a replay: the kernel */
    GPC_OBJECT_SM = 1,      /* warps, schedulers, L1 */
    GPC_OBJECT_L1 = 2,      /* an L1 per SM */
    GPC_OBJECT_CLUSTER = 3, /* cache between SMs and L2 (`cluster.sms`) */
    GPC_OBJECT_NETWORK = 4, /* network of a single direction */
    GPC_OBJECT_SLICE = 5,   /* slice of L2 */
    GPC_OBJECT_CHANNEL = 6, /* channel of DRAM */
    /* accesses of a stream (`streams`). Transfers without a requesting access, as write-backs, belong to no stream */
    GPC_OBJECT_STREAM = 7,
    GPC_OBJECT_COUNT
} gpc_object;

/*
 * Value of a counter that the object does not have, or that is not measured in this mode or configuration; for a
 * histogram the value of every bucket. A sum or difference with an absent value should be absent.
 */
#define GPC_ABSENT UINT64_MAX

/* Objects that have a counter, a bit per gpc_object: the OBJECT column of counters.h. */
#define GPC_OBJECTS_WHOLE (1 << GPC_OBJECT_WHOLE)
#define GPC_OBJECTS_SM (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_SM)
#define GPC_OBJECTS_SM_PART GPC_OBJECTS_SM
#define GPC_OBJECTS_L1 (GPC_OBJECTS_SM | 1 << GPC_OBJECT_L1)
#define GPC_OBJECTS_L1_PART GPC_OBJECTS_L1
#define GPC_OBJECTS_SLICE (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_SLICE)
#define GPC_OBJECTS_SLICE_PART GPC_OBJECTS_SLICE
#define GPC_OBJECTS_WHOLE_STREAM (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_L1_STREAM (GPC_OBJECTS_L1 | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_SLICE_STREAM (GPC_OBJECTS_SLICE | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_CHANNEL (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_CHANNEL)
#define GPC_OBJECTS_CACHE (1 << GPC_OBJECT_L1 | 1 << GPC_OBJECT_SLICE)
#define GPC_OBJECTS_NETWORK (1 << GPC_OBJECT_NETWORK)
#define GPC_OBJECTS_MODULE (1 << GPC_OBJECT_L1 | 1 << GPC_OBJECT_CLUSTER | 1 << GPC_OBJECT_SLICE)

typedef enum gpc_counter_kind {
    GPC_COUNTER_SUM = 0,
    GPC_COUNTER_MAX = 1,
    GPC_COUNTER_GAUGE = 2, /* added up as SUM */
    GPC_COUNTER_HISTOGRAM = 3,
    GPC_COUNTER_RATIO = 4 /* quotient of two counters; has no value of its own to read */
} gpc_counter_kind;

typedef enum gpc_merge { GPC_MERGE_SUM = 0, GPC_MERGE_MAX = 1 } gpc_merge;

/* Tables of counters. A name is unique within its table, an id within all tables. */
typedef enum gpc_counter_table {
    GPC_TABLE_HIERARCHY = 0,
    GPC_TABLE_CACHE = 1,
    GPC_TABLE_NETWORK = 2,
    GPC_TABLE_COHERENCE = 3,
    GPC_TABLE_COUNT
} gpc_counter_table;

/* Description of a counter. The texts are static. */
typedef struct gpc_counter_info {
    size_t struct_size;
    const char *name, *unit, *meaning, *since;
    uint32_t id;
    uint32_t table;                  /* gpc_counter_table */
    uint32_t kind;                   /* gpc_counter_kind */
    uint32_t objects;                /* a bit per gpc_object that has the counter; 0 for a ratio */
    uint32_t numerator, denominator; /* ids, for a ratio; else 0 */
    gpc_merge merge;
    bool ratio;
    size_t buckets; /* 1 for a counter or a ratio, more for a histogram */
    size_t values;  /* values of a read: a counter has 1, a histogram its buckets, a ratio numerator and denominator */
    /* Precondition of the measurement, as "mode = timed", "" if there is none. Otherwise the counter is absent. */
    const char *needs;
    /*
     * Clauses of the ledger: the counter obeys the clauses while nothing is in flight, if nothing was in flight at the
     * last reset of counters. "" for a ratio. Grammar: counters.h. Since: 0.2.
     */
    const char *equals;
} gpc_counter_info;

#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, GPC_MERGE_SUM, false, 0, 0, NULL, NULL }

/*
 * Read the library's table of counters, in the library's order: counters, histograms, then ratios.
 *   index  below gpc_counter_table_count
 *   name   as in JSON, "l1.load_sectors"
 *   info   the caller sets struct_size
 * Returns GPC_OK; GPC_ERROR_RANGE (index); GPC_ERROR_NOT_FOUND (name, id); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Any
 * thread. Since: 0.3.
 */
GPC_API size_t gpc_counter_table_count(gpc_counter_table table);
GPC_API gpc_status gpc_counter_table_at(gpc_counter_table table, size_t index, gpc_counter_info *info,
                                        gpc_error *error);
GPC_API gpc_status gpc_counter_by_name(gpc_counter_table table, const char *name, gpc_counter_info *info,
                                       gpc_error *error);
GPC_API gpc_status gpc_counter_by_id(uint32_t id, gpc_counter_info *info, gpc_error *error);
/* Number of values in a read of the ids: the sum of gpc_counter_info.values; an unknown id has 1. Since: 0.3. */
GPC_API size_t gpc_counter_values(const uint32_t *ids, size_t count);

/*
 * Write values as text: as a JSON object {"name": value, ...} (histograms as arrays, ratios with six decimals), or as
 * CSV: a header line, if `header`, and a line of values. Absent counters, and ratios with denominator 0, are left out
 * of JSON and are empty cells in CSV.
 *   ids, values  [count] and [value_count], as given to and received from a read
 *   text, size   buffer of `size` bytes, NUL-terminated on return; NULL and 0 to measure the length
 *   out_length   receives the full length without the NUL, even if the text was cut
 * Returns GPC_OK; GPC_ERROR_RANGE if the text was cut, or if value_count is less than gpc_counter_values(ids, count);
 * GPC_ERROR_NOT_FOUND (id); GPC_ERROR_ARGUMENT. Any thread. Since: 0.3.
 */
GPC_API gpc_status gpc_counters_json(const uint32_t *ids, size_t count, const uint64_t *values, size_t value_count,
                                     char *text, size_t size, size_t *out_length, gpc_error *error);
GPC_API gpc_status gpc_counters_csv(const uint32_t *ids, size_t count, const uint64_t *values, size_t value_count,
                                    bool header, char *text, size_t size, size_t *out_length, gpc_error *error);

GPC_END_DECLS

#endif
