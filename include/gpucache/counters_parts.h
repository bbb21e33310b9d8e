/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_COUNTERS_PARTS_H
#define GPUCACHE_COUNTERS_PARTS_H

/*
 * Counters of single parts: a cache, a network, a module of a coherent tree. counters.h includes this header, and
 * explains the columns and the next free id.
 */

/* clang-format off */

/* Counters of a gpc_cache. Hits are counted per sector; a cache without sectors counts per line. */
#define GPC_CACHE_COUNTERS(X)                                                                                         \
    X(175, reads, "reads", "requests", SUM, CACHE, NOTHING, "0.1", "loads and prefetches that passed the tags",       \
      "= again; >= read_hits")                                                                                        \
    X(176, read_hits, "read_hits", "requests", SUM, CACHE, NOTHING, "0.1",                                            \
      "of these, all needed sectors valid or pending",                                                                \
      "= again; <= reads")                                                                                            \
    X(177, read_sectors, "read_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that reads needed",          \
      "= again; >= read_sector_hits; >= reads")                                                                       \
    X(178, read_sector_hits, "read_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1", "of these, valid or pending", \
      "= again; <= read_sectors")                                                                                     \
    X(179, pending_sector_hits, "pending_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                         \
      "of these, still on their way",                                                                                 \
      "= again; <= read_sector_hits")                                                                                 \
    X(180, writes, "writes", "requests", SUM, CACHE, NOTHING, "0.1", "stores that passed the tags",                   \
      "= again; >= write_hits")                                                                                       \
    X(181, write_hits, "write_hits", "requests", SUM, CACHE, NOTHING, "0.1",                                          \
      "stores that found all their sectors, or wrote them whole",                                                     \
      "= again; <= writes")                                                                                           \
    X(182, write_sectors, "write_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that stores touched",      \
      "= again; >= write_sector_hits")                                                                                \
    X(183, write_sector_hits, "write_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                             \
      "of these, valid, pending, or written whole and kept",                                                          \
      "= again; <= write_sectors")                                                                                    \
    X(184, atomics, "atomics", "requests", SUM, CACHE, NOTHING, "0.1",                                                \
      "atomics and reductions performed or passed here",                                                              \
      "= again; <= atomic_sectors")                                                                                   \
    X(185, atomic_sectors, "atomic_sectors", "sectors", SUM, CACHE, NOTHING, "0.1", "sectors that they touched",      \
      "= again; >= atomic_sector_hits")                                                                               \
    X(186, atomic_sector_hits, "atomic_sector_hits", "sectors", SUM, CACHE, NOTHING, "0.1",                           \
      "of these, valid or pending before",                                                                            \
      "= again; <= atomic_sectors")                                                                                   \
    X(187, sector_misses, "sector_misses", "requests", SUM, CACHE, NOTHING, "0.1",                                    \
      "line resident, a needed sector not",                                                                           \
      "= again; <= reads + writes + atomics - read_hits - line_misses")                                               \
    X(188, line_misses, "line_misses", "requests", SUM, CACHE, NOTHING, "0.1", "line not resident",                   \
      "= again; <= reads + writes + atomics - read_hits - sector_misses")                                             \
    X(189, bypasses, "bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                                              \
      "requests that the predictor or the policy kept from allocating",                                               \
      "= again; >= token_bypasses")                                                                                   \
    X(190, bypassed_sectors, "bypassed_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                               \
      "sectors that bypassing reads fetched; an overturned bypass keeps its own",                                     \
      "= again; <= fetched_sectors + 8 overturned_bypasses")                                                          \
    X(191, token_bypasses, "token_bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                                  \
      "of bypasses, those for lack of a cache token",                                                                 \
      "= again; <= bypasses")                                                                                         \
    X(192, opportunistic_fills, "opportunistic_fills", "lines", SUM, CACHE, NOTHING, "0.1",                           \
      "of fills, those by requests without a cache token",                                                            \
      "= again; <= fills")                                                                                            \
    X(193, priority_evictions, "priority_evictions", "lines", SUM, CACHE, NOTHING, "0.1",                             \
      "of evictions, lines with the priority of token holders",                                                       \
      "= again; <= evictions")                                                                                        \
    X(194, no_victims, "no_victims", "requests", SUM, CACHE, NOTHING, "0.1",                                          \
      "allocations refused: every way pending",                                                                       \
      "if functional: = 0; = again")                                                                                  \
    X(195, fetched_sectors, "fetched_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                                 \
      "sectors read from below, bypasses included",                                                                   \
      "= again; >= bypassed_sectors - 8 overturned_bypasses")                                                         \
    X(196, fills, "fills", "lines", SUM, CACHE, NOTHING, "0.1", "lines that were given a way",                        \
      "if fresh: = evictions + invalidations + held")                                                                 \
    X(197, evictions, "evictions", "lines", SUM, CACHE, NOTHING, "0.1", "lines replaced",                             \
      "= again; if fresh: = fills - invalidations - held")                                                            \
    X(198, zero_reuse_evictions, "zero_reuse_evictions", "lines", SUM, CACHE, REUSE, "0.1",                           \
      "of these, never hit (needs track_reuse)",                                                                      \
      "= again; <= evictions")                                                                                        \
    X(199, write_backs, "write_backs", "lines", SUM, CACHE, NOTHING, "0.1",                                           \
      "lines whose dirty sectors left: replaced, dropped or flushed",                                                 \
      "= again; <= write_back_sectors")                                                                               \
    X(200, write_back_sectors, "write_back_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                           \
      "dirty sectors that left: replaced, dropped or flushed",                                                        \
      "= again; >= write_backs")                                                                                      \
    X(201, write_below_sectors, "write_below_sectors", "sectors", SUM, CACHE, NOTHING, "0.1",                         \
      "sectors written below by stores passing through",                                                              \
      "= again; <= write_sectors + atomic_sectors")                                                                   \
    X(202, invalidations, "invalidations", "lines", SUM, CACHE, NOTHING, "0.1",                                       \
      "lines dropped by invalidation or write-evict",                                                                 \
      "= again; if fresh: = fills - evictions - held")                                                                \
    X(203, intra_warp_hits, "intra_warp_hits", "requests", SUM, CACHE, WARPS, "0.1",                                  \
      "read hits by the warp that filled the line (track_warps)",                                                     \
      "= read_hits - inter_warp_hits")                                                                                \
    X(204, inter_warp_hits, "inter_warp_hits", "requests", SUM, CACHE, WARPS, "0.1",                                  \
      "read hits by another warp (track_warps)",                                                                      \
      "= read_hits - intra_warp_hits")                                                                                \
    X(205, predictions, "predictions", "requests", SUM, CACHE, NOTHING, "0.1",                                        \
      "requests that a predictor was asked about; always-*, hint do not count",                                       \
      "= again; <= reads + writes + atomics")                                                                         \
    X(206, overturned_bypasses, "overturned_bypasses", "requests", SUM, CACHE, NOTHING, "0.1",                        \
      "of bypasses, made fills by the reply from below: mispredictions found out",                                    \
      "= again; <= predictions")                                                                                      \
    X(207, overturned_fills, "overturned_fills", "requests", SUM, CACHE, NOTHING, "0.1",                              \
      "fills that the reply from below made bypasses",                                                                \
      "= again; <= reads + writes + atomics")                                                                         \
    X(208, oracle_decisions, "oracle_decisions", "requests", SUM, CACHE, FUTURE, "0.1",                               \
      "read misses of a predictor that an oracle decided on too (track_future)",                                      \
      "= again; >= oracle_bypasses; >= oracle_agreements")                                                            \
    X(209, oracle_bypasses, "oracle_bypasses", "requests", SUM, CACHE, FUTURE, "0.1",                                 \
      "of these, the oracle would bypass",                                                                            \
      "= again; <= oracle_decisions")                                                                                 \
    X(210, oracle_agreements, "oracle_agreements", "requests", SUM, CACHE, FUTURE, "0.1",                             \
      "of these, the predictor decided as the oracle",                                                                \
      "= again; <= oracle_decisions")                                                                                 \
    X(211, oracle_agreed_bypasses, "oracle_agreed_bypasses", "requests", SUM, CACHE, FUTURE, "0.1",                   \
      "of these, both bypass",                                                                                        \
      "= again; <= oracle_bypasses")

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

/*
 * Counters of a module of a coherent tree. `accesses` is defined as in Multi2Sim: every lookup. Accesses by processors,
 * requests by modules above, and their hits have separate counters, so that hit ratios can be computed in either way.
 */
#define GPC_COHERENCE_COUNTERS(X)                                                                                     \
    X(217, accesses, "accesses", "lookups", SUM, MODULE, NOTHING, "0.1",                                              \
      "all lookups: accesses, requests, probes, write-backs received, messages",                                      \
      "= directory_accesses + again; >= hits")                                                                        \
    X(218, hits, "hits", "lookups", SUM, MODULE, NOTHING, "0.1",                                                      \
      "of these, reads and writes towards memory that found the block valid",                                         \
      "= again; <= accesses")                                                                                         \
    X(219, loads, "loads", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor",                               \
      "= again; >= load_hits")                                                                                        \
    X(220, load_hits, "load_hits", "accesses", SUM, MODULE, NOTHING, "0.1", "of these, found valid",                  \
      "= again; <= loads")                                                                                            \
    X(221, stores, "stores", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor, coherent",                   \
      "= again; >= store_hits")                                                                                       \
    X(222, store_hits, "store_hits", "accesses", SUM, MODULE, NOTHING, "0.1",                                         \
      "of these, without a request to the low module",                                                                \
      "= again; <= stores")                                                                                           \
    X(223, n_stores, "n_stores", "accesses", SUM, MODULE, NOTHING, "0.1", "of the processor, non-coherent",           \
      "= again; >= n_store_hits")                                                                                     \
    X(224, n_store_hits, "n_store_hits", "accesses", SUM, MODULE, NOTHING, "0.1",                                     \
      "of these, without a request to the low module",                                                                \
      "= again; <= n_stores")                                                                                         \
    X(225, read_requests, "read_requests", "requests", SUM, MODULE, NOTHING, "0.1", "of modules above, for a copy",   \
      "= again; >= read_request_hits")                                                                                \
    X(226, read_request_hits, "read_request_hits", "requests", SUM, MODULE, NOTHING, "0.1",                           \
      "of these, found valid here",                                                                                   \
      "= again; <= read_requests")                                                                                    \
    X(227, write_requests, "write_requests", "requests", SUM, MODULE, NOTHING, "0.1",                                 \
      "of modules above, for the only copy",                                                                          \
      "= again; >= write_request_hits")                                                                               \
    X(228, write_request_hits, "write_request_hits", "requests", SUM, MODULE, NOTHING, "0.1",                         \
      "of these, without a request to the low module",                                                                \
      "= again; <= write_requests")                                                                                   \
    X(229, read_probes, "read_probes", "probes", SUM, MODULE, NOTHING, "0.1",                                         \
      "from the low module: another will hold a copy",                                                                \
      "= again; <= accesses")                                                                                         \
    X(230, write_probes, "write_probes", "probes", SUM, MODULE, NOTHING, "0.1", "from the low module: invalidate",    \
      "= again; <= accesses")                                                                                         \
    X(231, probe_misses, "probe_misses", "probes", SUM, MODULE, NOTHING, "0.1", "of both, that found no block",       \
      "= again; <= read_probes + write_probes")                                                                       \
    X(232, write_backs_received, "write_backs_received", "messages", SUM, MODULE, NOTHING, "0.1",                     \
      "modified data from modules above",                                                                             \
      "= again; <= accesses")                                                                                         \
    X(233, notices_received, "notices_received", "messages", SUM, MODULE, NOTHING, "0.1",                             \
      "clean evictions, and owners that step back, of modules above",                                                 \
      "= again; <= accesses")                                                                                         \
    X(234, write_throughs_received, "write_throughs_received", "messages", SUM, MODULE, NOTHING, "0.1",               \
      "stores of modules above",                                                                                      \
      "= again; <= accesses")                                                                                         \
    X(235, evictions, "evictions", "blocks", SUM, MODULE, NOTHING, "0.1", "valid blocks that made room",              \
      "= again; <= accesses")                                                                                         \
    X(236, invalidations, "invalidations", "blocks", SUM, MODULE, NOTHING, "0.1",                                     \
      "blocks lost to write probes, flushes and acquires",                                                            \
      "= again")                                                                                                      \
    X(237, data_sent, "data_sent", "messages", SUM, MODULE, NOTHING, "0.1", "with data, to whomever",                 \
      "= again; >= peer_transfers")                                                                                   \
    X(238, peer_transfers, "peer_transfers", "messages", SUM, MODULE, NOTHING, "0.1",                                 \
      "of these, to a module of the same level",                                                                      \
      "= again; <= data_sent")                                                                                        \
    X(239, directory_accesses, "directory_accesses", "accesses", SUM, MODULE, NOTHING, "0.1",                         \
      "lookups of tags and directory",                                                                                \
      "= accesses - again; >= hits")                                                                                  \
    X(240, data_accesses, "data_accesses", "accesses", SUM, MODULE, NOTHING, "0.1", "that took the data's latency",   \
      "= again; <= 2 directory_accesses")                                                                             \
    X(241, low_sent, "low_sent", "bytes", SUM, MODULE, NOTHING, "0.1", "on the network towards memory",               \
      "= again")                                                                                                      \
    X(242, low_received, "low_received", "bytes", SUM, MODULE, NOTHING, "0.1", "likewise",                            \
      "= again")                                                                                                      \
    X(243, high_sent, "high_sent", "bytes", SUM, MODULE, NOTHING, "0.1", "on the network towards the processors",     \
      "= again")                                                                                                      \
    X(244, high_received, "high_received", "bytes", SUM, MODULE, NOTHING, "0.1", "likewise",                          \
      "= again")                                                                                                      \
    X(245, retries, "retries", "accesses", SUM, MODULE, CLOCK, "0.1",                                                 \
      "begun anew since a block was locked (timed hierarchies, accesses in flight)",                                  \
      "= again; <= accesses")                                                                                         \
    X(262, directory_overflows, "directory_overflows", "entries", SUM, MODULE, NOTHING, "0.2",                        \
      "of the directory that came to have more copies than it can name",                                              \
      "= again; if coherence.directory_pointers=0: = 0")                                                              \
    X(263, directory_evictions, "directory_evictions", "copies", SUM, MODULE, NOTHING, "0.2",                         \
      "invalidated above, so that an entry could name another",                                                       \
      "= again; if coherence.directory_pointers=0: = 0")

/* clang-format on */

#endif
