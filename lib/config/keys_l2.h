/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_L2_H
#define GPC_CONFIG_KEYS_L2_H

/*
 * Keys of networks, L2 and its sharing: clusters, partitions, several GPUs, trees of coherent modules. keys.h describes
 * the columns.
 */
#define GPCI_KEYS_L2(X)                                                                                                \
    X(NETWORK_LATENCY, "network.latency", COUNT, RESET | CLOCK, "cycles", "8", 0, 10000, "",                           \
      "network cycles of a packet without waiting, beside its transfer, each way")                                     \
    X(NETWORK_WIDTH, "network.width", SIZE, RESET | CLOCK, "bytes", "32B", 1, 65536, "",                               \
      "that a port of the request network moves per network cycle")                                                    \
    X(NETWORK_REPLY_WIDTH, "network.reply_width", SIZE, RESET | CLOCK, "bytes", "32B", 1, 65536, "",                   \
      "the same, reply network")                                                                                       \
    X(NETWORK_HEADER, "network.header", SIZE, RESET | CLOCK, "bytes", "8B", 0, 65536, "",                              \
      "of every packet, beside the data it carries")                                                                   \
    X(NETWORK_MASK, "network.write_mask", SIZE, RESET | CLOCK, "bytes", "0B", 0, 65536, "",                            \
      "that a write carries more which does not write its sectors whole, to say which bytes it writes, and an atomic " \
      "of more than 8 bytes; messages of trees bring whole blocks")                                                    \
    X(NETWORK_INPUT, "network.input_buffer", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",            \
      "that wait at an input port")                                                                                    \
    X(NETWORK_OUTPUT, "network.output_buffer", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",          \
      "that wait at an output port, those on the way to it included")                                                  \
    X(NETWORK_UNIT, "network.buffer_unit", CHOICE, RESET | CLOCK, "", "packets", 0, 0, "packets|bytes|flits",          \
      "of network.input_buffer, network.output_buffer, l2.link_buffer and memory.link_buffer; bytes: a packet enters " \
      "where there is room for all of it, as in Multi2Sim; flits, of a network's width: likewise, and it leaves an "   \
      "input flit by flit")                                                                                            \
    X(NETWORK_QUEUES, "network.queues", CHOICE, RESET | CLOCK, "", "fifo", 0, 0, "fifo|virtual|bursts",                \
      "an input port's packets: one queue, whose head holds up the others; one for each output port; or one whose "    \
      "head holds up the others, and which sends packets to several outputs in a cycle, in their order, as iSLIP in "  \
      "GPGPU-Sim")                                                                                                     \
    X(NETWORK_TURNAROUND, "network.turnaround", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                      \
      "network cycles for which an input port moves nothing between two packets: the routing of the next")             \
    X(MEMORY_LINK_LATENCY, "memory.link_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 10000, "",                   \
      "network cycles between an L2 slice and its memory channel, each way")                                           \
    X(MEMORY_LINK_WIDTH, "memory.link_width", SIZE, RESET | CLOCK, "bytes", "0B", 0, 65536, "",                        \
      "that the link between a slice and its channel moves per network cycle, each way; 0 = no link between "          \
      "them")                                                                                                          \
    X(MEMORY_LINK_BUFFER, "memory.link_buffer", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",         \
      "at each end of such a link")                                                                                    \
    X(COHERENCE, "coherence", POLICY, RESET, "", "none", 0, 0, "protocol",                                             \
      "how caches of the same blocks are kept coherent; none: as the sections l1 and l2 say, no messages; viper: "     \
      "so too, and L1 drops its lines at an acquire; others: a tree")                                                  \
    X(L2_ENABLED, "l2.enabled", BOOL, RESET, "", "true", 0, 1, "", "false: L1 misses go to DRAM")                      \
    X(L2_SIZE, "l2.size", SIZE, RESET, "bytes", "768KiB", 128, (double)(1ull << 40), "",                               \
      "capacity of all slices of a GPU together")                                                                      \
    X(L2_SLICES, "l2.slices", COUNT, RESET, "slices", "6", 1, 4096, "",                                                \
      "independent slices; a multiple of l2.partitions")                                                               \
    X(L2_WAYS, "l2.ways", COUNT, RESET, "ways", "16", 1, 1024, "", "ways of a set")                                    \
    X(L2_PERSISTING, "l2.persisting", SIZE, KEEP, "bytes", "unlimited", 0, (double)(1ull << 40), "unlimited",          \
      "of L2 set aside for lines that persist, in whole ways of its sets; others use what of it they leave; 0B: none " \
      "persists")                                                                                                      \
    X(L2_WINDOW_BEGIN, "l2.window_begin", COUNT, KEEP, "address", "0", 0, (double)(1ull << 53), "",                    \
      "first byte of the access policy window, whose lines persist or stream")                                         \
    X(L2_WINDOW_BYTES, "l2.window_bytes", SIZE, KEEP, "bytes", "0B", 0, (double)(1ull << 40), "", "of it; 0B: none")   \
    X(L2_WINDOW_RATIO, "l2.window_ratio", COUNT, KEEP, "%", "100", 0, 100, "",                                         \
      "of its lines that are as l2.window_hit says, the others as l2.window_miss")                                     \
    X(L2_WINDOW_HIT, "l2.window_hit", CHOICE, KEEP, "", "persisting", 0, 0, "normal|streaming|persisting",             \
      "priority of these: normal, replaced first, or last")                                                            \
    X(L2_WINDOW_MISS, "l2.window_miss", CHOICE, KEEP, "", "normal", 0, 0, "normal|streaming",                          \
      "priority of the others")                                                                                        \
    X(L2_LINE, "l2.line", SIZE, RESET, "bytes", "128B", 8, 4096, "", "line size, a power of two, at least l1.line")    \
    X(L2_SECTORS, "l2.sectors", COUNT, RESET, "sectors", "1", 1, 8, "",                                                \
      "sectors per line: 1 (whole lines), 2, 4 or 8")                                                                  \
    X(L2_FETCH, "l2.fetch_sectors", COUNT, RESET, "sectors", "1", 1, 8, "",                                            \
      "aligned group of sectors that a read miss of part of a line fetches")                                           \
    X(L2_INDEX, "l2.index", CHOICE, RESET, "", "modulo", 0, 0, "modulo|xor|fermi|ipoly", "the same, within a slice")   \
    X(L2_REPLACEMENT, "l2.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement", "which line of a set leaves")   \
    X(L2_BYPASS, "l2.bypass", POLICY, RESET, "", "always-cache", 0, 0, "predictor",                                    \
      "which requests do not allocate a line")                                                                         \
    X(L2_TOKENS, "l2.tokens", CHOICE, RESET, "", "ignore", 0, 0, "ignore|strict|opportunistic",                        \
      "as l1.tokens, with the tokens for L2")                                                                          \
    X(L2_TOKEN_CLEAR, "l2.token_clear", CHOICE, RESET, "", "kernel", 0, 0, "kernel|periodic", "as l1.token_clear")     \
    X(L2_TOKEN_PERIOD, "l2.token_period", COUNT, RESET, "cycles", "5000", 1, (double)(1ull << 53), "",                 \
      "the same, core cycles or accesses of a slice")                                                                  \
    X(L2_WRITE, "l2.write_policy", CHOICE, RESET, "", "back", 0, 0, "back|through|evict",                              \
      "stores, as l1.write_policy")                                                                                    \
    X(L2_WRITE_ALLOCATE, "l2.write_allocate", CHOICE, RESET, "", "fetch", 0, 0, "none|fetch|lazy|naive",               \
      "what a store miss does, as l1.write_allocate; naive: it goes below, and all that it touches is read beside "    \
      "it, as in GPGPU-Sim; a hit does what l2.write_policy says")                                                     \
    X(L2_INTERLEAVE, "l2.interleave", CHOICE, RESET, "", "modulo", 0, 0, "modulo|hash|range|xor|ipoly|random|hopper",  \
      "how addresses spread over slices; xor, ipoly: as GPGPU-Sim's -gpgpu_memory_partition_indexing 1 and 2; "        \
      "random: a group of as many stretches as slices in an order of its own; hopper: an H100's 80, and halves")       \
    X(L2_INTERLEAVE_BYTES, "l2.interleave_bytes", SIZE, RESET, "bytes", "256B", 8, (double)(1ull << 40), "",           \
      "consecutive bytes of one slice; range: the span of a slice")                                                    \
    X(ADDRESS_MAPPING, "address.mapping", TEXT, RESET, "", "none", 0, 0, "mapping",                                    \
      "which bits of an address say channel, slice (the lowest of the bank), bank, row and column, as GPGPU-Sim's "    \
      "-gpgpu_mem_addr_mapping; none: l2.interleave and dram.mapping")                                                 \
    X(ADDRESS_INDEXING, "address.indexing", CHOICE, RESET, "", "consecutive", 0, 0,                                    \
      "consecutive|xor|ipoly|pae|random",                                                                              \
      "what is XORed onto the channel or slice that address.mapping says, as GPGPU-Sim's "                             \
      "-gpgpu_memory_partition_indexing 0 to 4; random: lots are drawn, not the simulator's own")                      \
    X(L2_PARTITIONS, "l2.partitions", COUNT, RESET, "partitions", "1", 1, 16, "",                                      \
      "2: an SM reads through its own half, which keeps copies of lines homed in the other; with l2.homes = none: "    \
      "L2s of dies, each for its own SMs")                                                                             \
    X(L2_HOMES, "l2.homes", CHOICE, RESET, "", "hashed", 0, 0, "hashed|none",                                          \
      "l2.partitions: hashed: each line has a home in one of two; none: each partition keeps any line for its SMs, "   \
      "reads and writes memory itself, and drops no copy of another")                                                  \
    X(L2_SM_PARTITION, "l2.sm_partition", CHOICE, RESET, "", "halves", 0, 0, "halves|pairs|groups|gpcs|turns",         \
      "which SMs belong to which partition: equal parts of the SM numbers, alternating pairs, alternating groups of "  \
      "16, or "                                                                                                        \
      "of 8: gpcs, whose SMs lrc.layout = in-turn has share a coalescer, of eight GPCs four in each; turns: single "   \
      "SMs in turn")                                                                                                   \
    X(L2_INCLUSION, "l2.inclusion", CHOICE, RESET, "", "non-inclusive", 0, 0, "non-inclusive|inclusive",               \
      "inclusive: an L2 eviction invalidates the line in every L1")                                                    \
    X(L2_ROP, "l2.rop_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 10000, "",                                     \
      "L2 cycles from the network to the slice's tags, beside l2.latency; 0 is as 1")                                  \
    X(L2_INTAKE, "l2.intake", CHOICE, RESET | CLOCK, "", "pipeline", 0, 0, "pipeline|queue",                           \
      "what lets requests in from the network: pipeline: room in l2.queue and in the stages of l2.rop_latency "        \
      "together; queue: room in l2.queue, behind l2.rop_latency, on whose way any number is, a request an L2 cycle")   \
    X(L2_LATENCY, "l2.latency", COUNT, RESET | CLOCK, "cycles", "120", 0, 10000, "",                                   \
      "L2 cycles from tags to data of a hit")                                                                          \
    X(L2_QUEUE, "l2.queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",                             \
      "that wait for a slice's tags")                                                                                  \
    X(L2_PORTS, "l2.tag_ports", COUNT, RESET | CLOCK, "lookups", "1", 1, 64, "",                                       \
      "lines looked up per L2 cycle and slice")                                                                        \
    X(L2_BANKS, "l2.banks", COUNT, RESET | CLOCK, "banks", "1", 1, 64, "",                                             \
      "of a slice's tags, as l1.banks; trees have none")                                                               \
    X(L2_DATA_WIDTH, "l2.data_width", SIZE, RESET | CLOCK, "bytes", "32B", 1, 65536, "",                               \
      "that a slice's data port moves per L2 cycle")                                                                   \
    X(L2_FILL_WIDTH, "l2.fill_width", SIZE, RESET | CLOCK, "bytes", "32B", 1, 65536, "",                               \
      "that a slice's fill port takes per L2 cycle")                                                                   \
    X(L2_ATOMIC_CYCLES, "l2.atomic_cycles", COUNT, RESET | CLOCK, "cycles", "0", 0, 10000, "",                         \
      "L2 cycles of a turn of a slice's atomic unit, after which it takes up the next; 0: any number of turns at "     \
      "once. Lanes that have one address in common take turns")                                                        \
    X(L2_ATOMIC_LANES, "l2.atomic_lanes", COUNT, RESET | CLOCK, "lanes", "unlimited", 1, 64, "unlimited",              \
      "most lanes of a packet that have a turn of it together")                                                        \
    X(L2_ATOMIC_WIDTH, "l2.atomic_width", SIZE, RESET | CLOCK, "bytes", "128B", 4, 1024, "",                           \
      "of the parts of a line, a power of two, that have turns each for themselves; as large as a line: it has none")  \
    X(L2_MSHR, "l2.mshr_entries", COUNT, RESET | CLOCK, "lines", "32", 1, 1 << 20, "unlimited",                        \
      "lines of a slice with a miss in flight")                                                                        \
    X(L2_MERGES, "l2.mshr_merges", COUNT, RESET | CLOCK, "requests", "4", 1, 1 << 20, "unlimited",                     \
      "requests that wait for one such line, the first included; trees: any number")                                   \
    X(L2_WRITE_TO_READ, "l2.write_to_read", COUNT, RESET | CLOCK, "cycles", "0", 0, 10000, "",                         \
      "timed: from a write of a sector to a read of it, for which the slice's tags wait; trees: a block's lock "       \
      "alone orders them")                                                                                             \
    X(L2_MERGED, "l2.mshr_merged", CHOICE, RESET | CLOCK, "", "line", 0, 0, "line|sector", "the same, l2.mshr_merges") \
    X(L2_PREFETCHER, "l2.prefetcher", POLICY, RESET | CLOCK, "", "none", 0, 0, "prefetcher",                           \
      "timed: which lines a slice fetches before anybody asks for them; it knows addresses within the slice")          \
    X(L2_PREFETCH_QUEUE, "l2.prefetch_queue", COUNT, RESET | CLOCK, "lines", "16", 1, 1024, "",                        \
      "of a slice, as l1.prefetch_queue")                                                                              \
    X(L2_MISS_QUEUE, "l2.miss_queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",                   \
      "on their way from a slice to DRAM or to the other partition")                                                   \
    X(L2_REPLIES, "l2.reply_queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",                     \
      "on their way from a slice into the reply network")                                                              \
    X(L2_LINK_LATENCY, "l2.link_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 10000, "",                           \
      "network cycles between a slice and its peer in the other partition, each way")                                  \
    X(L2_LINK_WIDTH, "l2.link_width", SIZE, RESET | CLOCK, "bytes", "32B", 1, 65536, "",                               \
      "that a slice's link to its peer moves per network cycle, each way")                                             \
    X(L2_LINK_BUFFER, "l2.link_buffer", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",                 \
      "at each end of such a link")                                                                                    \
    X(MEMORY_CACHE_SIZE, "memory_cache.size", SIZE, RESET, "bytes", "0B", 0, (double)(1ull << 40), "",                 \
      "of the cache beside memory, which all slices share: a part in each memory channel, before DRAM; lines are as "  \
      "long as L2's; 0B: none")                                                                                        \
    X(MEMORY_CACHE_WAYS, "memory_cache.ways", COUNT, RESET, "ways", "16", 1, 1024, "", "of its sets")                  \
    X(MEMORY_CACHE_REPLACEMENT, "memory_cache.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement",             \
      "which line of a set leaves")                                                                                    \
    X(MEMORY_CACHE_LATENCY, "memory_cache.latency", COUNT, RESET | CLOCK, "cycles", "100", 0, 10000, "",               \
      "L2 cycles from its tags to the data of a hit, and from DRAM's data on")                                         \
    X(MEMORY_CACHE_WIDTH, "memory_cache.data_width", SIZE, RESET | CLOCK, "bytes", "64B", 1, 65536, "",                \
      "that a channel's part moves to slices per L2 cycle")                                                            \
    X(MEMORY_CACHE_QUEUE, "memory_cache.queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",         \
      "that wait for a part's tags, which pass one per L2 cycle")                                                      \
    X(MEMORY_CACHE_MSHR, "memory_cache.mshr_entries", COUNT, RESET | CLOCK, "lines", "64", 1, 1 << 20, "unlimited",    \
      "lines of a part with a miss in flight")                                                                         \
    X(MEMORY_CACHE_MERGES, "memory_cache.mshr_merges", COUNT, RESET | CLOCK, "requests", "16", 1, 1 << 20,             \
      "unlimited", "that wait for one such line, the first included")                                                  \
    X(MEMORY_CACHE_MISS_QUEUE, "memory_cache.miss_queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20,            \
      "unlimited", "on their way from a part to DRAM's queue")                                                         \
    X(CLUSTER_SMS, "cluster.sms", COUNT, RESET, "SMs", "0", 0, 4096, "",                                               \
      "coherence: neighbouring SMs that share a cache between their L1s and L2; 0 = none, L1s are next to L2")         \
    X(CLUSTER_SIZE, "cluster.size", SIZE, RESET, "bytes", "128KiB", 128, 1 << 30, "", "of each such cache")            \
    X(CLUSTER_WAYS, "cluster.ways", COUNT, RESET, "ways", "8", 1, 1024, "", "of its sets")                             \
    X(CLUSTER_LATENCY, "cluster.latency", COUNT, RESET | CLOCK, "cycles", "12", 1, 10000, "",                          \
      "core cycles to its data")                                                                                       \
    X(CLUSTER_INCLUSION, "cluster.inclusion", CHOICE, RESET, "", "inclusive", 0, 0, "non-inclusive|inclusive",         \
      "as l2.inclusion")                                                                                               \
    X(GPU_COUNT, "gpu.count", COUNT, RESET, "GPUs", "1", 1, 64, "",                                                    \
      "GPUs, each as the other keys say: of as many SMs, of such an L2 and memory; with a tree of coherent modules "   \
      "they have one address space, otherwise each has a memory of its own")                                           \
    X(CPU_COUNT, "cpu.count", COUNT, RESET, "CPUs", "0", 0, 63, "",                                                    \
      "of gpu.count, the last: CPUs, whose SMs are cores, run no thread blocks, and store coherently")                 \
    X(GPU_HOME, "gpu.home", CHOICE, RESET, "", "memory", 0, 0, "memory|l2",                                            \
      "gpu.count: what all GPUs ask for a page: its memory, whose data each L2 caches; or the L2 before that memory, " \
      "which then is the home of its GPU's pages and keeps copies of the others'")                                     \
    X(GPU_LINK_LATENCY, "gpu.link_latency", COUNT, RESET | CLOCK, "cycles", "200", 0, 100000, "",                      \
      "network cycles from a GPU to another, beside the transfer")                                                     \
    X(GPU_LINK_WIDTH, "gpu.link_width", SIZE, RESET | CLOCK, "bytes", "64B", 1, 65536, "",                             \
      "that a GPU's link to all others moves per network cycle, each way")                                             \
    X(GPU_LINK_BUFFER, "gpu.link_buffer", COUNT, RESET | CLOCK, "packets", "64", 0, 1 << 20, "unlimited",              \
      "at each end of such a link")                                                                                    \
    X(PAGE_BYTES, "page.bytes", SIZE, RESET, "bytes", "64KiB", 128, (double)(1ull << 40), "",                          \
      "gpu.count: of a page, whose home is one GPU's memory; a power of two")                                          \
    X(PAGE_PLACEMENT, "page.placement", CHOICE, RESET, "", "first-touch", 0, 0, "round-robin|first-touch",             \
      "which GPU that is: each in turn; that of the SM which is the first to access it")                               \
    X(COHERENCE_ANY_VICTIM, "coherence.any_victim", BOOL, RESET, "", "false", 0, 1, "",                                \
      "the replacement policy chooses a victim among all ways, as Multi2Sim does; false: invalid ways are taken "      \
      "first")                                                                                                         \
    X(COHERENCE_CONFLICT, "coherence.conflict", CHOICE, RESET | CLOCK, "", "protocol", 0, 0, "protocol|retry|wait",    \
      "timed: what a request does that finds its block in use by another; wait: for its turn; retry: it is refused, "  \
      "and its access begins again after a random while; protocol: as the protocol says (nmoesi-multi2sim: retry)")    \
    X(COHERENCE_DATA, "coherence.data", BOOL, RESET, "", "false", 0, 1, "",                                            \
      "accesses carry values (gpc_warp_access): blocks of trees hold their bytes; with coherence = none or viper, "    \
      "with a clock alone, where L1s write through without allocating for that")                                       \
    X(COHERENCE_DIRECTORY_POINTERS, "coherence.directory_pointers", COUNT, RESET, "copies", "0", 0, 255, "",           \
      "that an entry of a directory names one by one; 0 = all there may be")                                           \
    X(COHERENCE_DIRECTORY_OVERFLOW, "coherence.directory_overflow", CHOICE, RESET, "", "broadcast", 0, 0,              \
      "broadcast|evict|coarse",                                                                                        \
      "what an entry with more does; broadcast: it stands for all caches above; evict: one of the copies is "          \
      "invalidated, and the new one named; coarse: it stands for groups of caches")                                    \
    X(COHERENCE_DIRECTORY_REGION, "coherence.directory_region", COUNT, RESET, "caches", "4", 2, 255, "",               \
      "neighbours that are a group of a coarse directory")                                                             \
    X(COHERENCE_DIRECTORY_WAYS, "coherence.directory_ways", COUNT, RESET, "ways", "16", 1, 1024, "",                   \
      "of a set of a non-inclusive cache, beside its own: entries of the directory alone, for lines that only "        \
      "caches above hold")                                                                                             \
    X(COHERENCE_MEMORY_SETS, "coherence.memory_sets", COUNT, RESET, "sets", "1024", 1, 1 << 24, "",                    \
      "of the directory of each slice's memory, with coherence.memory_ways")                                           \
    X(COHERENCE_MEMORY_WAYS, "coherence.memory_ways", COUNT, RESET, "ways", "0", 0, 1024, "",                          \
      "of such a set; 0 = an entry for every line cached")

#endif
