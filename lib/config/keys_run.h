/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_RUN_H
#define GPC_CONFIG_KEYS_RUN_H

/*
 * Keys of energies and of a run: launches, the order of blocks, limits, samples, streams, ports, threads. keys.h
 * describes the columns.
 */
#define GPCI_KEYS_RUN(X)                                                                                               \
    X(ENERGY_L1_TAG, "energy.l1_tag", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                     \
      "of a line transaction that passes L1's tags; none, of all energy.*: not known, and the counter of this "        \
      "name absent")                                                                                                   \
    X(ENERGY_L1_READ, "energy.l1_read", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                   \
      "of a 32-byte sector that a load finds in L1")                                                                   \
    X(ENERGY_L1_WRITE, "energy.l1_write", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                 \
      "of a sector that a store finds in L1, or writes whole and leaves there")                                        \
    X(ENERGY_L1_FILL, "energy.l1_fill", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                   \
      "of a sector that L1 reads from L2 and keeps")                                                                   \
    X(ENERGY_L2_TAG, "energy.l2_tag", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                     \
      "of a request that passes a slice's tags")                                                                       \
    X(ENERGY_L2_READ, "energy.l2_read", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                   \
      "of a sector that L2 sends to an SM, wherever it had it from")                                                   \
    X(ENERGY_L2_WRITE, "energy.l2_write", NUMBER, RESET, "pJ", "none", 0, 1e6, "none", "of a sector written to L2")    \
    X(ENERGY_L2_ATOMIC, "energy.l2_atomic", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                               \
      "of a sector of atomics and reductions at L2")                                                                   \
    X(ENERGY_L2_FILL, "energy.l2_fill", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                   \
      "of a sector that comes to L2 from DRAM")                                                                        \
    X(ENERGY_L2_REMOTE, "energy.l2_remote", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                               \
      "of a sector that crosses between the two L2 partitions")                                                        \
    X(ENERGY_NETWORK_REQUEST, "energy.network_request", NUMBER, RESET | CLOCK, "pJ", "none", 0, 1e6, "none",           \
      "of a byte of packets from L1s to L2, and to clusters' caches")                                                  \
    X(ENERGY_NETWORK_REPLY, "energy.network_reply", NUMBER, RESET | CLOCK, "pJ", "none", 0, 1e6, "none",               \
      "of a byte of packets from L2 to L1s, likewise")                                                                 \
    X(ENERGY_LINK, "energy.link", NUMBER, RESET | CLOCK, "pJ", "none", 0, 1e6, "none",                                 \
      "of a byte on the links between L2 partitions, or slices and channels")                                          \
    X(ENERGY_GPU_LINK, "energy.gpu_link", NUMBER, RESET, "pJ", "none", 0, 1e6, "none", "of a byte between two GPUs")   \
    X(ENERGY_DRAM_READ, "energy.dram_read", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                               \
      "of a 32-byte sector read from DRAM, but for energy.dram_activate")                                              \
    X(ENERGY_DRAM_WRITE, "energy.dram_write", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                             \
      "of a sector written to DRAM, likewise")                                                                         \
    X(ENERGY_DRAM_ACTIVATE, "energy.dram_activate", NUMBER, RESET | CLOCK, "pJ", "none", 0, 1e6, "none",               \
      "of the activation and the precharge of a row")                                                                  \
    X(ENERGY_DRAM_REFRESH, "energy.dram_refresh", NUMBER, RESET | CLOCK, "pJ", "none", 0, 1e7, "none",                 \
      "of a refresh of all banks of a channel, or pseudo channel")                                                     \
    X(ENERGY_WARP_INSTRUCTION, "energy.warp_instruction", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                 \
      "of fetching, decoding and issuing a warp instruction")                                                          \
    X(ENERGY_THREAD_INSTRUCTION, "energy.thread_instruction", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",             \
      "of a thread that executes an instruction")                                                                      \
    X(ENERGY_STATIC, "energy.static", NUMBER, RESET | CLOCK, "W", "none", 0, 1e5, "none",                              \
      "power of the whole GPU, whatever it does")                                                                      \
    X(LAUNCH_SECTORS, "launch.sectors", COUNT, RESET, "sectors", "0", 0, 1 << 20, "",                                  \
      "32-byte sectors that any launch reads from DRAM (descriptor, constants)")                                       \
    X(LAUNCH_CODE, "launch.code", BOOL, RESET, "", "false", 0, 1, "",                                                  \
      "count the kernel's instruction bytes as DRAM reads, once per cold launch, where l1i.* does not read them")      \
    X(BLOCKS_PLACEMENT, "blocks.placement", CHOICE, KEEP, "", "auto", 0, 0, "auto|round-robin|map",                    \
      "thread blocks to SMs: auto uses the trace's map where there is one that fits")                                  \
    X(WARPS_ORDER, "warps.order", CHOICE, KEEP | STEPS, "", "round-robin", 0, 0, "round-robin|block|recorded",         \
      "functional replay: warps of an SM in turn, or each warp to its end in block order; recorded: what a host did, " \
      "as a trace of gpc_hierarchy_record says, with its SMs, slots, ages and tokens")                                 \
    X(KERNELS_FLUSH, "kernels.flush", CHOICE, KEEP, "", "l1", 0, 0, "none|l1|all",                                     \
      "caches written back and emptied before each kernel: l1 takes time in a tree of modules with a clock, all "      \
      "never; none: not beyond the acquire with which a kernel begins in trees, after which those without "            \
      "directories have empty L1s")                                                                                    \
    X(KERNELS_COPIES, "kernels.copies", CHOICE, KEEP, "", "none", 0, 0, "none|l2",                                     \
      "what a MemcpyHtoD of a kernelslist.g does before the kernel behind it, after kernels.flush: l2, leave its "     \
      "sectors in L2, clean, in no time and uncounted; none: nothing")                                                 \
    X(KERNELS_CODE, "kernels.code", CHOICE, KEEP | CLOCK, "", "kept", 0, 0, "kept|dropped|l2",                         \
      "where a launch finds its code (l1i.size, l15.size): kept, where caches have it, L2 but for kernels.flush = "    \
      "all; dropped, not in L1Is and L1.5s; l2, not in these either, but all of it in L2")                             \
    X(LAUNCH_CYCLES, "launch.cycles", COUNT, RESET | CLOCK, "cycles", "0", 0, 1 << 30, "",                             \
      "core cycles that a launch takes before its first thread block starts")                                          \
    X(BLOCKS_INTERVAL, "blocks.interval", COUNT, RESET | CLOCK, "cycles", "1", 0, 100000, "",                          \
      "core cycles between two thread blocks starting on one SM")                                                      \
    X(BLOCKS_DISPATCH, "blocks.dispatch_interval", COUNT, RESET | CLOCK, "cycles", "0", 0, 100000, "",                 \
      "timed replay: core cycles between two thread blocks starting anywhere on the GPU; 0: as many at once as there " \
      "are SMs")                                                                                                       \
    X(BLOCKS_LATENCY, "blocks.latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 100000, "",                            \
      "timed replay: core cycles from room for a thread block on an SM until the block starts; blocks wait beside "    \
      "each other, the first of a launch in launch.cycles")                                                            \
    X(BLOCKS_RELEASE, "blocks.release", CHOICE, RESET | CLOCK, "", "exit", 0, 0, "exit|writes",                        \
      "timed replay: when the room of a thread block is another's; exit: when its last warp has ended; writes: when "  \
      "all that its warps have written has been acknowledged, too")                                                    \
    X(BLOCKS_CLUSTER_X, "blocks.cluster_x", COUNT, KEEP | CLOCK, "blocks", "1", 1, 16, "",                             \
      "thread blocks of a cluster in x, of a kernel whose trace does not tell: they start together on SMs of a GPC, "  \
      "which share a coalescer (lrc.sms; without any, all do)")                                                        \
    X(BLOCKS_CLUSTER_Y, "blocks.cluster_y", COUNT, KEEP, "blocks", "1", 1, 16, "", "likewise, in y")                   \
    X(BLOCKS_CLUSTER_Z, "blocks.cluster_z", COUNT, KEEP, "blocks", "1", 1, 16, "",                                     \
      "likewise, in z; at most 16 in all")                                                                             \
    X(LIMIT_CYCLES, "limit.cycles", COUNT, KEEP | CLOCK, "cycles", "0", 0, (double)(1ull << 53), "",                   \
      "timed replay of a kernel stops after this many core cycles; 0 = never")                                         \
    X(LIMIT_INSTRUCTIONS, "limit.instructions", COUNT, KEEP, "instructions", "0", 0, (double)(1ull << 53), "",         \
      "replay of a kernel stops after this many warp instructions; 0 = never")                                         \
    X(SAMPLE_PERIOD, "sample.period", COUNT, KEEP, "cycles", "5000", 1, (double)(1ull << 53), "",                      \
      "core cycles, or rounds of a functional replay, after which policies that vote hear how each SM fared: long "    \
      "enough for an L1 of 16 KiB to be filled anew several times")                                                    \
    X(SAMPLE, "sample", CHOICE, KEEP | CLOCK, "", "none", 0, 0, "none|kernels|blocks|intervals",                       \
      "which part of a timed replay runs with the clock, the rest being estimated from it: kernels, some launches of " \
      "each group of like ones; blocks, of a launch those before its rate has settled; intervals, some now and "       \
      "then")                                                                                                          \
    X(SAMPLE_WARMING, "sample.warming", CHOICE, KEEP | CLOCK, "", "functional", 0, 0, "functional|none",               \
      "what runs without the clock: functional, its accesses change the caches at once; none, it is not read at all")  \
    X(SAMPLE_LAUNCHES, "sample.launches", COUNT, KEEP | CLOCK, "launches", "3", 2, 1000000, "",                        \
      "sample = kernels: the first of each group, which all run with the clock")                                       \
    X(SAMPLE_EVERY, "sample.every", COUNT, KEEP | CLOCK, "launches", "20", 0, 1000000, "",                             \
      "sample = kernels: behind these, one of each so many of a group runs with the clock, at random; 0 = none")       \
    X(SAMPLE_LOOK, "sample.look", COUNT, KEEP | CLOCK, "blocks", "8", 0, 1000000, "",                                  \
      "sample = kernels: the first thread blocks of a launch, by whose instructions it is compared with others")       \
    X(SAMPLE_DISTANCE, "sample.distance", COUNT, KEEP | CLOCK, "%", "5", 0, 100, "",                                   \
      "sample = kernels: most by which a feature of launches that are alike may differ")                               \
    X(SAMPLE_WINDOWS, "sample.windows", COUNT, KEEP | CLOCK, "windows", "5", 2, 1000, "",                              \
      "sample = blocks: windows of alike rate after which it has settled, and those that are then measured; a window " \
      "lasts until as many thread blocks have ended as all SMs hold")                                                  \
    X(SAMPLE_TOLERANCE, "sample.tolerance", COUNT, KEEP | CLOCK, "%", "5", 0, 100, "",                                 \
      "sample = blocks: most by which the rates of such windows differ")                                               \
    X(SAMPLE_SETTLE, "sample.settle", COUNT, KEEP | CLOCK, "windows", "2", 1, 1000, "",                                \
      "sample = intervals: windows at the beginning of each that are timed and not measured")                          \
    X(SAMPLE_UNIT, "sample.unit", COUNT, KEEP | CLOCK, "windows", "2", 1, 1000, "",                                    \
      "sample = intervals: windows that are then measured")                                                            \
    X(SAMPLE_SKIP, "sample.skip", COUNT, KEEP | CLOCK, "waves", "80", 1, 1000000, "",                                  \
      "sample = intervals: as many thread blocks as so many windows have then run without the clock")                  \
    X(STREAMS, "streams", COUNT, KEEP, "streams", "1", 1, 255, "",                                                     \
      "that statistics are counted by besides, as accesses name them; of a trace its CUDA streams, from 0 on in the "  \
      "order of their first launches; 1: by none")                                                                     \
    X(STATS_STAGES, "stats.stages", BOOL, KEEP | CLOCK, "", "false", 0, 1, "",                                         \
      "timed: the stages of each access's way, in cycles: summed up by instruction and level, and told to hosts; "     \
      "costs time")                                                                                                    \
    X(PORTS, "ports", COUNT, KEEP | CLOCK, "ports", "0", 0, 16, "",                                                    \
      "into L2 for requests that are no SM's, of a copy engine, a link or a CPU: gpc_hierarchy_try_port; with a "      \
      "clock, "                                                                                                        \
      "and coherence = none or viper")                                                                                 \
    X(PORT_WIDTH, "port.width", COUNT, KEEP | CLOCK, "bytes", "32", 1, 65536, "",                                      \
      "that a port's link moves in a core cycle, each way; 32 are the 64 GB/s of 16 lanes of PCIe 5.0 at 1.98 GHz")    \
    X(PORT_LATENCY, "port.latency", COUNT, KEEP | CLOCK, "cycles", "0", 0, 1000000, "",                                \
      "core cycles from a port to an L2 slice, and back; 0: the host's own model of its link has them")                \
    X(PORT_QUEUE, "port.queue", COUNT, KEEP | CLOCK, "requests", "64", 1, 65536, "",                                   \
      "that a port has at once, of any length")                                                                        \
    X(PORT_LINES, "port.lines", COUNT, KEEP | CLOCK, "lines", "256", 1, 1000000, "",                                   \
      "of a port's requests that are under way at once")                                                               \
    X(THREADS, "threads", COUNT, KEEP, "threads", "1", 1, 128, "auto",                                                 \
      "that share a cycle's work, or with mode = functional a replay's rounds, with the same results; auto: as many "  \
      "as there are processors, 8 at most, and one where it makes no difference")                                      \
    X(DEADLOCK, "deadlock.cycles", COUNT, KEEP | CLOCK, "cycles", "1000000", 1, (double)(1ull << 53), "",              \
      "core cycles without any progress after which a timed run is given up")

#endif
