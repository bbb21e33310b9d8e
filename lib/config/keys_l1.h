/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_L1_H
#define GPC_CONFIG_KEYS_L1_H

/*
 * Keys of L1s, and of parts before and beside L1: load/store units, reorder queues, TLBs, coalescers of their requests.
 * keys.h describes the columns.
 */
#define GPCI_KEYS_L1(X)                                                                                                \
    X(L1_ENABLED, "l1.enabled", BOOL, RESET, "", "true", 0, 1, "", "false: SMs access L2 directly")                    \
    X(L1_SIZE, "l1.size", SIZE, RESET, "bytes", "16KiB", 128, 1 << 30, "",                                             \
      "L1 data capacity per SM; of a unified memory, L1 and shared memory together")                                   \
    X(L1_UNIFIED, "l1.unified", BOOL, RESET, "", "false", 0, 1, "",                                                    \
      "l1.size includes shared memory: the carve-out is taken off")                                                    \
    X(L1_CARVEOUT, "l1.carveout", SIZE, RESET, "bytes", "auto", 0, 1 << 30, "auto|driver",                             \
      "shared-memory share of a unified memory; auto: the smallest of l1.carveouts that holds the resident "           \
      "blocks; driver: the smallest that CUDA's driver was seen to choose, which leaves room for more")                \
    X(L1_CARVEOUTS, "l1.carveouts", SIZES, RESET, "bytes", "", 0, 1 << 30, "",                                         \
      "carve-outs that the unified memory supports")                                                                   \
    X(L1_RESERVED, "l1.reserved", SIZE, RESET, "bytes", "0B", 0, 1 << 30, "",                                          \
      "of a unified memory, neither shared memory nor lines")                                                          \
    X(L1_RESIZE, "l1.resize", CHOICE, RESET, "", "sets", 0, 0, "sets|ways|lines",                                      \
      "what a carve-out takes from a unified memory; ways: l1.ways are those of the whole l1.size, and the "           \
      "number of sets stays; lines: ways, too, but not all have data at a time; trees have none but whole ways")       \
    X(L1_SPACES, "l1.spaces", CHOICE, RESET, "", "all", 0, 0, "all|local",                                             \
      "address spaces that L1 caches; local: global accesses go to L2 (nvcc -Xptxas -dlcm=cg)")                        \
    X(L1_WAYS, "l1.ways", COUNT, RESET, "ways", "4", 1, 1024, "", "ways of a set")                                     \
    X(L1_LINE, "l1.line", SIZE, RESET, "bytes", "128B", 8, 4096, "", "line size, a power of two")                      \
    X(L1_SECTORS, "l1.sectors", COUNT, RESET, "sectors", "1", 1, 8, "",                                                \
      "sectors per line: 1 (whole lines), 2, 4 or 8")                                                                  \
    X(L1_FETCH, "l1.fetch_sectors", COUNT, RESET, "sectors", "1", 1, 8, "",                                            \
      "aligned group of sectors that a read miss of part of a line fetches")                                           \
    X(L1_INDEX, "l1.index", CHOICE, RESET, "", "modulo", 0, 0, "modulo|xor|fermi|ipoly|hopper",                        \
      "how a line number becomes a set: modulo, XOR of its parts, Fermi's hash (32 or 64 sets), irreducible "          \
      "polynomial, the H100's (made for 512 sets)")                                                                    \
    X(L1_INDEX_BITS, "l1.index_bits", COUNT, RESET, "bits", "0", 0, 63, "",                                            \
      "of l1.index = xor: bits of the line number above the set's that take part; 0: all")                             \
    X(L1_REPLACEMENT, "l1.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement", "which line of a set leaves")   \
    X(L1_BYPASS, "l1.bypass", POLICY, RESET, "", "hint", 0, 0, "predictor", "which requests do not allocate a line")   \
    X(L1_BYPASS_FETCH, "l1.bypass_fetch", CHOICE, RESET, "", "segments", 0, 0, "segments|line",                        \
      "what a load that bypasses L1 moves: the 32-byte segments that it needs, or all that a load that is kept would") \
    X(L1_TOKENS, "l1.tokens", CHOICE, RESET, "", "strict", 0, 0, "ignore|strict|opportunistic",                        \
      "what L1 does with misses of warps without a cache token (pcal); strict: they bypass; opportunistic: they "      \
      "may take a way that is free, or whose line no warp with a token has used of late, which goes first for all")    \
    X(L1_TOKEN_CLEAR, "l1.token_clear", CHOICE, RESET, "", "kernel", 0, 0, "kernel|owners|last-owner|periodic",        \
      "opportunistic: until when lines are kept for those with a token that use them: until the kernel ends, or all "  \
      "of them, or the last to do so, or for l1.token_period")                                                         \
    X(L1_TOKEN_PERIOD, "l1.token_period", COUNT, RESET, "cycles", "5000", 1, (double)(1ull << 53), "",                 \
      "after which periodic clearing lets go of all lines; functional: accesses of an L1")                             \
    X(L1_WRITE, "l1.write_policy", CHOICE, RESET, "", "evict", 0, 0, "back|through|evict",                             \
      "stores to global memory; evict: they write through, and a hit drops the line")                                  \
    X(L1_WRITE_LOCAL, "l1.write_policy_local", CHOICE, RESET, "", "back", 0, 0, "back|through|evict",                  \
      "stores to local memory")                                                                                        \
    X(L1_WRITE_ALLOCATE, "l1.write_allocate", CHOICE, RESET, "", "none", 0, 0, "none|fetch|lazy",                      \
      "what a store miss to global memory does; fetch: reads the rest of partly written sectors; lazy: reads "         \
      "it once a load needs it")                                                                                       \
    X(L1_WRITE_ALLOCATE_LOCAL, "l1.write_allocate_local", CHOICE, RESET, "", "fetch", 0, 0, "none|fetch|lazy",         \
      "the same, local memory")                                                                                        \
    X(L1_ATOMICS, "l1.atomics", CHOICE, RESET, "", "none", 0, 0, "none|cta",                                           \
      "trees without directories: atomics that L1 performs, like stores, in the copy that it has or brings: none, or " \
      "those that say that their scope is the thread block. With directories L1s perform what they own")               \
    X(L1_ALLOCATE, "l1.allocate", CHOICE, RESET | CLOCK, "", "on-miss", 0, 0, "on-miss|on-fill|streaming|replaceable", \
      "when a missing line takes its way; streaming: on fill, with no line reserved for a miss in flight; "            \
      "replaceable: on a miss, but lines on their way may be replaced, and are then fetched for those alone that "     \
      "wait; trees: lines on their way stay")                                                                          \
    X(L1_INVALIDATE, "l1.invalidate_rate", COUNT, RESET | CLOCK, "lines", "32", 1, 1 << 20, "unlimited",               \
      "that L1 drops per cycle when a fence empties it, while its tags serve nobody; unlimited: all in one")           \
    X(L1_TRACK_REUSE, "l1.track_reuse", BOOL, KEEP, "", "false", 0, 1, "",                                             \
      "count hits per line: zero-reuse evictions (slower)")                                                            \
    X(L1_TRACK_WARPS, "l1.track_warps", BOOL, KEEP, "", "false", 0, 1, "",                                             \
      "tell intra-warp from inter-warp hits (slower)")                                                                 \
    X(L1_FUTURE, "l1.future", BOOL, KEEP, "", "false", 0, 1, "",                                                       \
      "functional replay: each kernel is read twice, so that L1's policies know when a line is used next, and "        \
      "predictors are compared with an oracle (slower)")                                                               \
    X(L1_LATENCY, "l1.latency", COUNT, RESET | CLOCK, "cycles", "35", 0, 10000, "",                                    \
      "core cycles from tags to data of a hit")                                                                        \
    X(L1_MISS_LATENCY, "l1.miss_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 100000, "",                          \
      "from the tags to the miss queue, for misses and for stores")                                                    \
    X(L1_BYPASS_LATENCY, "l1.bypass_latency", COUNT, RESET | CLOCK, "cycles", "auto", 0, 100000, "auto",               \
      "the same, for what goes past L1, atomics included, behind what is on its way before it; auto: "                 \
      "l1.miss_latency")                                                                                               \
    X(L1_BYPASS_MSHRS, "l1.bypass_mshrs", BOOL, RESET | CLOCK, "", "true", 0, 1, "",                                   \
      "loads that a predictor sends past L1 take MSHR entries, and join fetches of their line; false: each load goes " \
      "below by itself, as in GPGPU-Sim")                                                                              \
    X(L1_RELEASE_WIDTH, "l1.release_width", SIZE, RESET | CLOCK, "bytes", "0B", 0, 4096, "",                           \
      "bytes a core cycle in which loads that waited for a fill get what they asked for, in turn; 0B: all at once")    \
    X(L1_RELEASE_LATENCY, "l1.release_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                      \
      "with l1.release_width: from its turn until a load has its data")                                                \
    X(L1_MSHR_FREE, "l1.mshr_free", CHOICE, RESET | CLOCK, "", "filled", 0, 0, "filled|drained|drained-reserving",     \
      "when an MSHR entry is free again: with its fill, or when all that waited with it have had their turn by "       \
      "l1.release_width, until when a load that finds its line gone takes its data from the entry; and with the last " \
      "reserves a line, for which nothing is sent until it is asked for again, and which makes room where its set "    \
      "has nothing but such lines")                                                                                    \
    X(L1_LINE_ORDER, "l1.line_order", CHOICE, RESET, "", "lanes", 0, 0, "lanes|descending|banks",                      \
      "in which an instruction's lines come to the tags: as its lanes touch them; from the highest address down; or "  \
      "each of l1.banks its next one, in as many cycles as the bank that has most")                                    \
    X(L1_QUEUE, "l1.queue", COUNT, RESET | CLOCK, "instructions", "1", 0, 100000, "unlimited",                         \
      "warp instructions that wait for the tags; the memory pipeline is busy when they are that many")                 \
    X(L1_COLLECTORS, "l1.collectors", COUNT, RESET | CLOCK, "units", "0", 0, 64, "",                                   \
      "collector units of the memory pipeline, which read an instruction's operands, a register a cycle, and pass it " \
      "on in turn; between two registers, and one before the tags, instead of l1.queue and l1.issue_latency; 0: "      \
      "none, and one order")                                                                                           \
    X(L1_ISSUE_LATENCY, "l1.issue_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                          \
      "core cycles from the issue of an instruction to the tags: operands, addresses; it waits for them meanwhile")    \
    X(L1_COALESCER, "l1.coalescer", CHOICE, RESET | CLOCK, "", "warp", 0, 0, "warp|multi2sim|sector",                  \
      "what a warp instruction is to L1; warp: an access for each line that its lanes touch; sector: for each 32 "     \
      "bytes of one, with a packet of its own, as GPGPU-Sim's from Maxwell on; multi2sim: timed "                      \
      "coherence: an access for each lane, which becomes part of those in flight as in Multi2Sim 5.0: a load of "      \
      "loads before it, a store of a store just before it")                                                            \
    X(SM_LSUS, "sm.lsus", COUNT, RESET | CLOCK, "units", "1", 1, 64, "",                                               \
      "with l1.coalescer = multi2sim: load/store units of an SM; those of warp w go to unit w modulo this, each "      \
      "of which begins its instructions in order, one a cycle")                                                        \
    X(SM_LSU_IN_FLIGHT, "sm.lsu_in_flight", COUNT, RESET | CLOCK, "instructions", "unlimited", 1, 100000, "unlimited", \
      "with l1.coalescer = multi2sim: that have begun in such a unit, and of which loads, or stores that are no "      \
      "part of others, are not done")                                                                                  \
    X(SM_LSU_WAITS, "sm.lsu_waits", BOOL, RESET | CLOCK, "", "true", 0, 1, "",                                         \
      "with l1.coalescer = multi2sim: an instruction is done when its accesses are; false: when they have begun, and " \
      "no warp waits for memory")                                                                                      \
    X(L1_REORDER, "l1.reorder", CHOICE, RESET | CLOCK, "", "none", 0, 0, "none|block|warp|pc",                         \
      "queues between coalescer and L1's tags that keep loads of a thread block, of a warp or of an instruction "      \
      "together (Jia et al., HPCA 2014); writes wait until they are empty")                                            \
    X(L1_REORDER_QUEUES, "l1.reorder_queues", COUNT, RESET | CLOCK, "queues", "8", 1, 1024, "",                        \
      "of an SM; warps share them by slot modulo this, blocks where there are too few")                                \
    X(L1_REORDER_ENTRIES, "l1.reorder_entries", COUNT, RESET | CLOCK, "transactions", "32", 1, 1 << 20, "",            \
      "of each such queue")                                                                                            \
    X(L1_REORDER_DRAIN, "l1.reorder_drain", CHOICE, RESET | CLOCK, "", "fixed", 0, 0,                                  \
      "fixed|round-robin|longest|oldest",                                                                              \
      "which of them L1's tags take from: fixed: always the first that holds any; oldest: by its first transaction")   \
    X(L1_REORDER_GREEDY, "l1.reorder_greedy", BOOL, RESET | CLOCK, "", "false", 0, 1, "",                              \
      "true: L1's tags go on with a queue until it is empty")                                                          \
    X(L1_PORTS, "l1.tag_ports", COUNT, RESET | CLOCK, "lookups", "1", 1, 64, "", "lines looked up per cycle")          \
    X(L1_BANKS, "l1.banks", COUNT, RESET | CLOCK, "banks", "1", 1, 64, "",                                             \
      "of the tags, by line number, or with l1.coalescer = sector by sector: lookups of one cycle go to different "    \
      "ones; trees: with a hash of l1.bank_index alone")                                                               \
    X(L1_BANK_INDEX, "l1.bank_index", CHOICE, RESET | CLOCK, "", "line", 0, 0, "line|hopper|xor",                      \
      "which bank of the tags a line is of: by its number; or, of four, an H100's, by the parities of bits 181 and "   \
      "367 of its set's number, as l1.index = hopper has it; or, of four, by the XOR of all pairs of bits of its "     \
      "number")                                                                                                        \
    X(L1_DATA_BANKS, "l1.data_banks", COUNT, RESET | CLOCK, "banks", "0", 0, 64, "",                                   \
      "timed: of the data, a power of two: an access takes as many cycles as the bank that has most of its words, "    \
      "each counted once; 0: l1.data_width alone")                                                                     \
    X(L1_DATA_BANK_WIDTH, "l1.data_bank_width", SIZE, RESET | CLOCK, "bytes", "4B", 4, 128, "",                        \
      "of a word of l1.data_banks, a power of two; lanes that ask for more bytes than all of them together take "      \
      "their "                                                                                                         \
      "turns in parts, as NVIDIA's half warps of 8 bytes a lane, a part l1.data_width of its lanes' bytes a cycle")    \
    X(L1_DATA_WIDTH, "l1.data_width", SIZE, RESET | CLOCK, "bytes", "128B", 1, 65536, "",                              \
      "that the data port moves per cycle for hits and stores, a line in whole cycles, sectors beside each other")     \
    X(L1_FILL_WIDTH, "l1.fill_width", SIZE, RESET | CLOCK, "bytes", "128B", 1, 65536, "",                              \
      "that the fill port takes per cycle")                                                                            \
    X(L1_MSHR, "l1.mshr_entries", COUNT, RESET | CLOCK, "lines", "32", 1, 1048576, "unlimited",                        \
      "lines with a miss in flight")                                                                                   \
    X(L1_MERGES, "l1.mshr_merges", COUNT, RESET | CLOCK, "requests", "8", 1, 1048576, "unlimited",                     \
      "requests that wait for one such line, the first included")                                                      \
    X(L1_MERGED, "l1.mshr_merged", CHOICE, RESET | CLOCK, "", "line", 0, 0, "line|sector",                             \
      "what an MSHR entry is for, a line or a sector of it: l1.mshr_entries are so many, and l1.mshr_merges counts "   \
      "those that wait for it")                                                                                        \
    X(L1_PREFETCHER, "l1.prefetcher", POLICY, RESET | CLOCK, "", "none", 0, 0, "prefetcher",                           \
      "timed: which lines L1 fetches before loads ask for them")                                                       \
    X(L1_PREFETCH_QUEUE, "l1.prefetch_queue", COUNT, RESET | CLOCK, "lines", "16", 1, 1024, "",                        \
      "that wait for what loads leave of tag ports, MSHR entries and miss queue; further ones are dropped")            \
    X(L1_COMBINE_LINES, "l1.combine_lines", COUNT, RESET | CLOCK, "lines", "0", 0, 256, "",                            \
      "timed: of the schedulers' last instructions, whose reads or stores wait where L1 sends them, for the next "     \
      "ones of the same lines to go with them; 0 = none wait")                                                         \
    X(L1_COMBINE_CYCLES, "l1.combine_cycles", COUNT, RESET | CLOCK, "cycles", "16", 1, 10000, "",                      \
      "core cycles without a request after which those that wait leave")                                               \
    X(L1_COMBINE_STORES, "l1.combine_stores", CHOICE, RESET | CLOCK, "", "instruction", 0, 0, "instruction|buffer",    \
      "until when stores wait: until their scheduler comes with other lines; buffer: until a line of others needs "    \
      "their place, as in a write-combining buffer of l1.combine_lines lines")                                         \
    X(L1_MISS_QUEUE, "l1.miss_queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1048576, "unlimited",                   \
      "on their way into the network")                                                                                 \
    X(L1_MISS_INTERVAL, "l1.miss_interval", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                          \
      "core cycles between two packets that leave the miss queue; 0: all for which the network has room leave at "     \
      "once")                                                                                                          \
    X(L1_BYPASS_QUEUE, "l1.bypass_queue", COUNT, RESET | CLOCK, "packets", "1", 0, 1 << 20, "",                        \
      "beyond a full l1.miss_queue, of loads that a predictor (mrpb) sends past L1 because of it")                     \
    X(TLB_PAGE, "tlb.page", SIZE, RESET, "bytes", "none", 4096, 2097152, "none",                                       \
      "size of the pages of virtual addresses, a power of two; none: addresses are not translated, as in Accel-Sim")   \
    X(TLB_L1_ENTRIES, "tlb.l1_entries", COUNT, RESET, "pages", "64", 1, 4096, "",                                      \
      "that an SM's L1 TLB holds: MGPUSim's R9 Nano 64, Mosaic's simulator 64, gem5's GPU 32")                         \
    X(TLB_L1_WAYS, "tlb.l1_ways", COUNT, RESET, "ways", "full", 1, 4096, "full",                                       \
      "of its sets, which divide its entries; full: one set, as in all three")                                         \
    X(TLB_L1_LATENCY, "tlb.l1_latency", COUNT, RESET | CLOCK, "cycles", "1", 0, 10000, "",                             \
      "core cycles from a lookup to L1's tags (gem5: 1); 0: both at once, the set being one of the virtual address")   \
    X(TLB_L1_PORTS, "tlb.l1_ports", COUNT, RESET | CLOCK, "lookups", "16", 1, 64, "",                                  \
      "line transactions that an L1 TLB looks up per core cycle: MGPUSim 16, gem5 2")                                  \
    X(TLB_L1_MSHR, "tlb.l1_mshr_entries", COUNT, RESET | CLOCK, "pages", "16", 1, 1024, "",                            \
      "for which an L1 TLB waits at once (MGPUSim: 16); others are looked up meanwhile, until one more is missing")    \
    X(TLB_L1_MERGES, "tlb.l1_mshr_merges", COUNT, RESET | CLOCK, "transactions", "unlimited", 1, 1 << 20, "unlimited", \
      "that wait for one of these pages, itself included (MGPUSim: unlimited)")                                        \
    X(TLB_L2_ENTRIES, "tlb.l2_entries", COUNT, RESET, "pages", "1024", 0, 1 << 20, "",                                 \
      "that the L2 TLB of all SMs holds: Mosaic's simulator 1024, gem5's GPU 4096; 0: what L1 TLBs lack is walked "    \
      "for")                                                                                                           \
    X(TLB_L2_WAYS, "tlb.l2_ways", COUNT, RESET, "ways", "16", 1, 4096, "full",                                         \
      "of its sets: Mosaic 16, gem5 32, MGPUSim 64")                                                                   \
    X(TLB_L2_LATENCY, "tlb.l2_latency", COUNT, RESET | CLOCK, "cycles", "69", 1, 10000, "",                            \
      "core cycles from its lookup to the L1 TLB's fill, or to the walk (gem5: 69)")                                   \
    X(TLB_L2_PORTS, "tlb.l2_ports", COUNT, RESET | CLOCK, "lookups", "2", 1, 1024, "",                                 \
      "pages that it looks up per core cycle, of SMs in turn: gem5 2, MGPUSim 1024")                                   \
    X(TLB_L2_MSHR, "tlb.l2_mshr_entries", COUNT, RESET | CLOCK, "pages", "64", 1, 4096, "",                            \
      "that are walked for, or wait for a walker: MGPUSim 64, gem5 64; at a further one its lookups stop")             \
    X(TLB_L2_MERGES, "tlb.l2_mshr_merges", COUNT, RESET | CLOCK, "SMs", "unlimited", 1, 4096, "unlimited",             \
      "that wait for one of these pages; at a further one its lookups stop")                                           \
    X(TLB_WALKERS, "tlb.walkers", COUNT, RESET | CLOCK, "walks", "16", 1, 4096, "",                                    \
      "of the page table at once: MGPUSim 16; Power et al., HPCA 2014, have a walker of many threads")                 \
    X(TLB_WALK_LATENCY, "tlb.walk_latency", COUNT, RESET | CLOCK, "cycles", "100", 1, 100000, "",                      \
      "core cycles of a walk: MGPUSim 100, Mosaic -tlb_fixed_latency 100, gem5 750; walks read no memory here, for "   \
      "no "                                                                                                            \
      "source says where a GPU's page tables lie, and which caches their levels have")                                 \
    X(GL1_SIZE, "gl1.size", SIZE, RESET, "bytes", "0B", 0, 1 << 30, "",                                                \
      "a cache of data between L1s and L2, with L1's lines and sectors, that some SMs share (RDNA: graphics L1); it "  \
      "is "                                                                                                            \
      "only read: stores drop its lines, and it drops all when an L1 above does; 0: none")                             \
    X(GL1_SMS, "gl1.sms", COUNT, RESET, "SMs", "10", 1, 4096, "", "neighbours that share one (RDNA: a shader array)")  \
    X(GL1_WAYS, "gl1.ways", COUNT, RESET, "ways", "16", 1, 1024, "", "ways of a set (RDNA: 16)")                       \
    X(GL1_REPLACEMENT, "gl1.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement", "which line of a set leaves") \
    X(GL1_LATENCY, "gl1.latency", COUNT, RESET | CLOCK, "cycles", "50", 0, 10000, "",                                  \
      "timed: core cycles from the tags, or the fill, to the data")                                                    \
    X(GL1_BANKS, "gl1.banks", COUNT, RESET | CLOCK, "lines", "4", 1, 64, "",                                           \
      "timed: that its tags take in a cycle, each of another bank (RDNA: 4)")                                          \
    X(GL1_WIDTH, "gl1.data_width", SIZE, RESET | CLOCK, "bytes", "256B", 1, 4096, "",                                  \
      "timed: that leave it in a cycle, of all lines (RDNA: 4 x 64)")                                                  \
    X(GL1_QUEUE, "gl1.queue", COUNT, RESET | CLOCK, "requests", "8", 0, 1 << 20, "unlimited",                          \
      "timed: of each SM, that wait before its tags")                                                                  \
    X(GL1_MSHR, "gl1.mshr_entries", COUNT, RESET | CLOCK, "lines", "256", 1, 1 << 20, "unlimited",                     \
      "timed: on their way at once")                                                                                   \
    X(GL1_MERGES, "gl1.mshr_merges", COUNT, RESET | CLOCK, "requests", "unlimited", 1, 1 << 20, "unlimited",           \
      "timed: that wait for one such line, the first included")                                                        \
    X(GL1_MISS_QUEUE, "gl1.miss_queue", COUNT, RESET | CLOCK, "packets", "16", 0, 1 << 20, "unlimited",                \
      "timed: that wait for the networks, through whose ports of its SMs they leave, a line always through the same "  \
      "one")                                                                                                           \
    X(LRC_SMS, "lrc.sms", COUNT, RESET | CLOCK, "SMs", "0", 0, 4096, "",                                               \
      "most SMs that share an L2 request coalescer, which merges their reads of the same sectors in flight; 0 = none") \
    X(LRC_LAYOUT, "lrc.layout", CHOICE, RESET | CLOCK, "", "neighbours", 0, 0, "neighbours|in-turn",                   \
      "which SMs share one: neighbours, or those of a GPC, to which they are dealt out two by two (TPCs)")             \
    X(LRC_ENTRIES, "lrc.entries", COUNT, RESET | CLOCK, "reads", "64", 1, 1 << 20, "",                                 \
      "in flight that a coalescer follows")                                                                            \
    X(LRC_MERGES, "lrc.merges", COUNT, RESET | CLOCK, "reads", "unlimited", 1, 1 << 20, "unlimited",                   \
      "that one in flight answers, itself included; a further one goes on, and others may merge with that")            \
    X(LRC_WINDOW, "lrc.window", COUNT, RESET | CLOCK, "reads", "unlimited", 1, 1 << 20, "unlimited",                   \
      "that a coalescer remembers, the last that it sent on: those before them answer no further one")                 \
    X(LRC_MATCH, "lrc.match", CHOICE, RESET | CLOCK, "", "covered", 0, 0, "covered|equal",                             \
      "which reads merge with one in flight: those of some or all of its sectors, or of the very same ones")

#endif
