/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_H
#define GPC_CONFIG_KEYS_H

/*
 * Every configuration key, once: a further one is a row here and the line that reads it.
 * X(identifier, "name", TYPE, PRESET, "unit", "default", minimum, maximum, "choices", "meaning")
 * PRESET: RESET, a key of the machine, which every preset first sets to its default (`preset = defaults`); KEEP, one
 * that presets leave alone: what is asked of a run, and what the name of a DRAM's timing implies.
 * TYPE is the end of a gpc_value_type. A SIZE or COUNT with choices takes one of
 * these words instead of a number. A POLICY's choices name its registry.
 */
#define GPCI_KEYS(X)                                                                                                   \
    X(MODE, "mode", CHOICE, KEEP, "", "functional", 0, 0, "functional|timed",                                          \
      "functional: an access completes at once; timed: a clock, finite resources")                                     \
    X(SM_COUNT, "sm.count", COUNT, RESET, "SMs", "15", 1, 4096, "", "streaming multiprocessors, each with an L1")      \
    X(SM_LANES, "sm.lanes", COUNT, RESET, "lanes", "32", 1, 64, "", "threads of a warp (64: AMD wavefront)")           \
    X(SM_WARPS, "sm.warps", COUNT, RESET, "warps", "48", 1, 1024, "", "most warps resident on an SM")                  \
    X(SM_BLOCKS, "sm.blocks", COUNT, RESET, "blocks", "8", 1, 1024, "", "most thread blocks resident on an SM")        \
    X(SM_REGISTERS, "sm.registers", COUNT, RESET, "registers", "32768", 1, 1 << 24, "", "32-bit registers of an SM")   \
    X(SM_REGISTER_UNIT, "sm.register_unit", COUNT, RESET, "registers", "64", 1, 65536, "",                             \
      "a warp's registers are allocated in units of this")                                                             \
    X(SM_WARP_UNIT, "sm.warp_unit", COUNT, RESET, "warps", "2", 1, 64, "",                                             \
      "the warps that the registers suffice for are rounded down to a multiple of this: parts of the register "        \
      "file")                                                                                                          \
    X(SM_BULK_RATE, "sm.bulk_rate", COUNT, RESET, "requests", "1", 1, 64, "",                                          \
      "timed: that the engine of bulk copies makes of L2 in a core cycle, a line at most each")                        \
    X(SM_BULK_REQUESTS, "sm.bulk_requests", COUNT, RESET, "requests", "unlimited", 1, 1 << 20, "unlimited",            \
      "of an SM's bulk copies under way")                                                                              \
    X(SM_BULK_QUEUE, "sm.bulk_queue", COUNT, RESET, "copies", "8", 1, 1024, "",                                        \
      "bulk copies of an SM that are not yet all asked for; a further one waits before it issues")                     \
    X(SM_BULK_LATENCY, "sm.bulk_latency", COUNT, RESET, "cycles", "0", 0, 4096, "",                                    \
      "core cycles from the issue of a bulk copy to its first request")                                                \
    X(SM_SHARED, "sm.shared", SIZE, RESET, "bytes", "48KiB", 0, 1 << 30, "",                                           \
      "shared memory that the blocks of an SM may hold")                                                               \
    X(SM_SHARED_UNIT, "sm.shared_unit", SIZE, RESET, "bytes", "128B", 1, 65536, "",                                    \
      "a block's shared memory is allocated in units of this")                                                         \
    X(SM_SHARED_RESERVED, "sm.shared_reserved", SIZE, RESET, "bytes", "0B", 0, 1 << 20, "",                            \
      "shared memory that the system adds to every block's own")                                                       \
    X(CLOCK_CORE, "clock.core", COUNT, RESET, "MHz", "700", 1, 100000, "", "clock of the SMs and their L1")            \
    X(CLOCK_NETWORK, "clock.network", COUNT, RESET, "MHz", "700", 1, 100000, "", "clock of the networks")              \
    X(CLOCK_L2, "clock.l2", COUNT, RESET, "MHz", "700", 1, 100000, "", "clock of the L2 slices")                       \
    X(CLOCK_DRAM, "clock.dram", COUNT, RESET, "MHz", "924", 1, 100000, "", "command clock of DRAM")                    \
    X(SCHEDULER, "scheduler", POLICY, RESET, "", "gto", 0, 0, "scheduler",                                             \
      "which warp of an SM scheduler issues next")                                                                     \
    X(SM_SCHEDULERS, "sm.schedulers", COUNT, RESET, "schedulers", "2", 1, 16, "",                                      \
      "warp schedulers of an SM; warp w belongs to scheduler w modulo this")                                           \
    X(SM_ISSUE, "sm.issue_width", COUNT, RESET, "instructions", "1", 1, 8, "",                                         \
      "instructions that a scheduler issues per cycle, of one warp")                                                   \
    X(SM_WARP_LIMIT, "sm.warp_limit", COUNT, KEEP, "warps", "0", 0, 1024, "",                                          \
      "static warp limiting: at most this many warps per scheduler may issue, the oldest not at a barrier; 0 = all")   \
    X(SM_BLOCK_LIMIT, "sm.block_limit", COUNT, KEEP, "blocks", "0", 0, 1024, "",                                       \
      "static block limiting: at most this many thread blocks per SM; 0 = as many as fit")                             \
    X(SM_FETCH, "sm.fetch", COUNT, RESET, "instructions", "0", 0, 64, "",                                              \
      "instructions that a warp's buffer holds, filled when it is empty or after a taken branch; an SM fetches for "   \
      "one warp a cycle; 0 = they are always at hand")                                                                 \
    X(SM_FETCH_LATENCY, "sm.fetch_latency", COUNT, RESET, "cycles", "2", 1, 1000, "",                                  \
      "with sm.fetch: from the fetch to the issue of the first instruction")                                           \
    X(SM_FETCH_BY, "sm.fetch_by", CHOICE, RESET, "", "sm", 0, 0, "sm|scheduler",                                       \
      "who fetches for one warp a cycle: an SM, or each of its schedulers for its own warps, which then has an "       \
      "instruction cache of its own (l1i.*; NVIDIA: L0)")                                                              \
    X(L1I_SIZE, "l1i.size", SIZE, RESET, "bytes", "0B", 0, 1 << 30, "",                                                \
      "timed replays with sm.fetch: an instruction cache of an SM (sm.fetch_by), whose misses are reads of l15.*, or " \
      "L2; 0: instructions are there")                                                                                 \
    X(L1I_WAYS, "l1i.ways", COUNT, RESET, "ways", "4", 1, 1024, "", "ways of a set: GPGPU-Sim's GTX 480 4, of 4 sets") \
    X(L1I_LINE, "l1i.line", SIZE, RESET, "bytes", "128B", 32, 128, "", "line size, a power of two, at most l1.line")   \
    X(L1I_REPLACEMENT, "l1i.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement", "which line of a set leaves") \
    X(L1I_MSHR, "l1i.mshr_entries", COUNT, RESET, "lines", "2", 1, 1024, "",                                           \
      "on their way at once (GPGPU-Sim's GTX 480: 2); a further warp looks again when one has come")                   \
    X(L1I_MERGES, "l1i.mshr_merges", COUNT, RESET, "warps", "32", 1, 1 << 20, "unlimited", "that wait for one (32)")   \
    X(L1I_PREFETCH, "l1i.prefetch", COUNT, RESET, "lines", "0", 0, 64, "",                                             \
      "lines of a stream buffer beside the instruction cache: what follows a line that was missed; 0: none")           \
    X(CONST_SIZE, "const.size", SIZE, RESET, "bytes", "0B", 0, 1 << 30, "",                                            \
      "an SM's constant cache, for loads of constant space that have addresses, whose misses are reads of L2; 0: "     \
      "they "                                                                                                          \
      "are done at once, or in a replay after sm.latency_constant, as those without addresses are")                    \
    X(CONST_WAYS, "const.ways", COUNT, RESET, "ways", "2", 1, 1024, "",                                                \
      "ways of a set: GPGPU-Sim's GTX 480 2, 64 sets")                                                                 \
    X(CONST_LINE, "const.line", SIZE, RESET, "bytes", "64B", 32, 128, "",                                              \
      "line size (GPGPU-Sim: 64), a power of two, at most l2.line")                                                    \
    X(CONST_REPLACEMENT, "const.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement",                           \
      "which line of a set leaves")                                                                                    \
    X(CONST_LATENCY, "const.latency", COUNT, RESET, "cycles", "auto", 0, 10000, "auto",                                \
      "timed: core cycles from the tags to the data of a hit; auto: sm.latency_constant")                              \
    X(CONST_MSHR, "const.mshr_entries", COUNT, RESET, "lines", "2", 1, 1024, "",                                       \
      "timed: lines on their way at once (GPGPU-Sim's GTX 480: 2)")                                                    \
    X(CONST_MERGES, "const.mshr_merges", COUNT, RESET, "requests", "32", 1, 1 << 20, "unlimited",                      \
      "timed: that wait for one such line, the first included (32)")                                                   \
    X(CONST_MISS_QUEUE, "const.miss_queue", COUNT, RESET, "packets", "4", 0, 1 << 20, "unlimited",                     \
      "timed: reads that wait for room in the SM's miss queue (4)")                                                    \
    X(L15_SIZE, "l15.size", SIZE, RESET, "bytes", "0B", 0, 1 << 30, "",                                                \
      "a cache of instructions and constants between SMs and L2: for what l1i.* and const.* lack, and a host's own "   \
      "(gpc_hierarchy_try_miss); 0: these read L2")                                                                    \
    X(L15_SMS, "l15.sms", COUNT, RESET, "SMs", "1", 1, 4096, "",                                                       \
      "that share one, neighbours of one L2 request coalescer if there are any")                                       \
    X(L15_WAYS, "l15.ways", COUNT, RESET, "ways", "8", 1, 1024, "", "ways of a set")                                   \
    X(L15_LINE, "l15.line", SIZE, RESET, "bytes", "128B", 32, 128, "",                                                 \
      "line size, a power of two, at least l1.line and const.line, at most l2.line")                                   \
    X(L15_REPLACEMENT, "l15.replacement", POLICY, RESET, "", "lru", 0, 0, "replacement", "which line of a set leaves") \
    X(L15_LATENCY, "l15.latency", COUNT, RESET, "cycles", "40", 0, 10000, "",                                          \
      "timed: core cycles from the tags, or the fill, to the data")                                                    \
    X(L15_WIDTH, "l15.data_width", SIZE, RESET, "bytes", "64B", 1, 1024, "",                                           \
      "timed: that leave it in a cycle, of one line")                                                                  \
    X(L15_QUEUE, "l15.queue", COUNT, RESET, "requests", "8", 0, 1 << 20, "unlimited",                                  \
      "timed: that wait before its tags")                                                                              \
    X(L15_MSHR, "l15.mshr_entries", COUNT, RESET, "lines", "16", 1, 1024, "", "timed: on their way at once")           \
    X(L15_MERGES, "l15.mshr_merges", COUNT, RESET, "requests", "32", 1, 1 << 20, "unlimited",                          \
      "timed: that wait for one such line, the first included")                                                        \
    X(L15_MISS_QUEUE, "l15.miss_queue", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                         \
      "timed: reads that wait for room in their SM's miss queue")                                                      \
    X(SM_LATENCY_ALU, "sm.latency_alu", COUNT, RESET, "cycles", "18", 1, 10000, "",                                    \
      "from issue to result: integer and floating point, where sm.latency_int or sm.latency_fp is auto")               \
    X(SM_LATENCY_INT, "sm.latency_int", COUNT, RESET, "cycles", "auto", 1, 10000, "auto",                              \
      "the same, integer, logic and moves")                                                                            \
    X(SM_LATENCY_FP, "sm.latency_fp", COUNT, RESET, "cycles", "auto", 1, 10000, "auto",                                \
      "the same, single and half precision")                                                                           \
    X(SM_LATENCY_MOVE, "sm.latency_move", COUNT, RESET, "cycles", "auto", 1, 10000, "auto",                            \
      "the same, of what neither adds nor multiplies: moves, shifts, logic, comparisons, selections; auto: as the "    \
      "others, integer and floating point")                                                                            \
    X(SM_LATENCY_FMA, "sm.latency_fma", COUNT, RESET, "cycles", "auto", 1, 10000, "auto",                              \
      "the same, of multiply-adds; auto: as the others, integer and floating point")                                   \
    X(SM_LATENCY_OPERAND, "sm.latency_operand", COUNT, RESET, "cycles", "0", 0, 100, "",                               \
      "further ones for each register that an instruction reads: collector units get one a cycle; those of memory "    \
      "instructions are l1.collectors")                                                                                \
    X(SM_LATENCY_DOUBLE, "sm.latency_double", COUNT, RESET, "cycles", "18", 1, 10000, "",                              \
      "the same, double precision")                                                                                    \
    X(SM_LATENCY_SFU, "sm.latency_sfu", COUNT, RESET, "cycles", "40", 1, 10000, "", "the same, special functions")     \
    X(SM_LATENCY_TENSOR, "sm.latency_tensor", COUNT, RESET, "cycles", "40", 1, 10000, "", "the same, tensor cores")    \
    X(SM_LATENCY_UNIFORM, "sm.latency_uniform", COUNT, RESET, "cycles", "18", 1, 10000, "",                            \
      "the same, uniform datapath")                                                                                    \
    X(SM_LATENCY_CONTROL, "sm.latency_control", COUNT, RESET, "cycles", "8", 1, 10000, "",                             \
      "from a branch, barrier or fence to the next instruction of its warp")                                           \
    X(SM_HOLD_MEMORY, "sm.hold_memory", COUNT, RESET, "cycles", "0", 0, 1000, "",                                      \
      "from an instruction that goes to L1 to the next instruction of its warp; 0 = the next cycle, or the same with " \
      "sm.issue_width")                                                                                                \
    X(SM_LATENCY_SHARED, "sm.latency_shared", COUNT, RESET, "cycles", "26", 1, 10000, "",                              \
      "shared-memory load without bank conflicts")                                                                     \
    X(SM_LATENCY_CLUSTER, "sm.latency_cluster", COUNT, RESET, "cycles", "180", 1, 10000, "",                           \
      "access of another block's shared memory in its cluster: on H100 180 (Luo et al. 2024, Benchmarking and "        \
      "Dissecting the Nvidia Hopper GPU Architecture)")                                                                \
    X(SM_LATENCY_CONSTANT, "sm.latency_constant", COUNT, RESET, "cycles", "26", 1, 10000, "",                          \
      "constant and texture load, as if it hit")                                                                       \
    X(SM_LATENCY_STAGES, "sm.latency_stages", COUNT, RESET, "cycles", "0", 0, 1000, "",                                \
      "added to each latency but sm.latency_control: what is before and behind the units, where latencies are theirs " \
      "alone, as GPGPU-Sim's options are")                                                                             \
    X(SM_INTERVAL_ALU, "sm.interval_alu", COUNT, RESET, "cycles", "1", 1, 1000, "",                                    \
      "for which a warp instruction occupies its unit: integer and floating point, where sm.interval_int or "          \
      "sm.interval_fp is auto")                                                                                        \
    X(SM_INTERVAL_INT, "sm.interval_int", COUNT, RESET, "cycles", "auto", 1, 1000, "auto",                             \
      "the same, integer, logic and moves")                                                                            \
    X(SM_INTERVAL_FP, "sm.interval_fp", COUNT, RESET, "cycles", "auto", 1, 1000, "auto",                               \
      "the same, single and half precision")                                                                           \
    X(SM_INTERVAL_DOUBLE, "sm.interval_double", COUNT, RESET, "cycles", "2", 1, 1000, "",                              \
      "the same, double precision")                                                                                    \
    X(SM_INTERVAL_SFU, "sm.interval_sfu", COUNT, RESET, "cycles", "8", 1, 1000, "", "the same, special functions")     \
    X(SM_INTERVAL_TENSOR, "sm.interval_tensor", COUNT, RESET, "cycles", "8", 1, 1000, "", "the same, tensor cores")    \
    X(SM_INTERVAL_UNIFORM, "sm.interval_uniform", COUNT, RESET, "cycles", "1", 1, 1000, "",                            \
      "the same, uniform datapath")                                                                                    \
    X(SM_INTERVAL_CONTROL, "sm.interval_control", COUNT, RESET, "cycles", "1", 1, 1000, "", "the same, branches")      \
    X(SM_INTERVAL_CONSTANT, "sm.interval_constant", COUNT, RESET, "cycles", "0", 0, 1000, "",                          \
      "the same, constant and texture loads, in the units of integers; 0: in none")                                    \
    X(SM_INTERVAL_SHARED, "sm.interval_shared", COUNT, RESET, "cycles", "1", 1, 1000, "",                              \
      "the same, shared memory, which the SM's schedulers have in common")                                             \
    X(SM_INTERVAL_CLUSTER, "sm.interval_cluster", COUNT, RESET, "cycles", "4", 1, 1000, "",                            \
      "the same, of an SM's way into the network between SMs: 4, as a reply of 128 bytes at 32 a cycle, not measured") \
    X(SM_UNITS_INT, "sm.units_int", COUNT, RESET, "units", "0", 0, 64, "auto",                                         \
      "units of an SM for integer, logic and moves; 0: those of sm.units_fp do that, too; auto: one for each "         \
      "scheduler")                                                                                                     \
    X(SM_UNITS_FP, "sm.units_fp", COUNT, RESET, "units", "auto", 1, 64, "auto", "the same, single and half precision") \
    X(SM_UNITS_DOUBLE, "sm.units_double", COUNT, RESET, "units", "auto", 0, 64, "auto",                                \
      "the same, double precision; 0: those of sm.units_sfu do that, too")                                             \
    X(SM_UNITS_SFU, "sm.units_sfu", COUNT, RESET, "units", "auto", 1, 64, "auto", "the same, special functions")       \
    X(SM_UNITS_TENSOR, "sm.units_tensor", COUNT, RESET, "units", "auto", 1, 64, "auto", "the same, tensor cores")      \
    X(SM_UNITS_UNIFORM, "sm.units_uniform", COUNT, RESET, "units", "auto", 1, 64, "auto",                              \
      "the same, uniform datapath")                                                                                    \
    X(SM_UNITS_CONTROL, "sm.units_control", COUNT, RESET, "units", "auto", 1, 64, "auto", "the same, branches")        \
    X(SM_UNIT_SHARING, "sm.unit_sharing", CHOICE, RESET, "", "scheduler", 0, 0, "scheduler|sm",                        \
      "whose units a scheduler's warps may use; scheduler: its own, and where there are fewer units than schedulers, " \
      "scheduler n has unit n modulo their number; sm: any of the SM")                                                 \
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
    X(L1_ALLOCATE, "l1.allocate", CHOICE, RESET, "", "on-miss", 0, 0, "on-miss|on-fill|streaming|replaceable",         \
      "when a missing line takes its way; streaming: on fill, with no line reserved for a miss in flight; "            \
      "replaceable: on a miss, but lines on their way may be replaced, and are then fetched for those alone that "     \
      "wait; trees: lines on their way stay")                                                                          \
    X(L1_INVALIDATE, "l1.invalidate_rate", COUNT, RESET, "lines", "32", 1, 1 << 20, "unlimited",                       \
      "that L1 drops per cycle when a fence empties it, while its tags serve nobody; unlimited: all in one")           \
    X(L1_TRACK_REUSE, "l1.track_reuse", BOOL, KEEP, "", "false", 0, 1, "",                                             \
      "count hits per line: zero-reuse evictions (slower)")                                                            \
    X(L1_TRACK_WARPS, "l1.track_warps", BOOL, KEEP, "", "false", 0, 1, "",                                             \
      "tell intra-warp from inter-warp hits (slower)")                                                                 \
    X(L1_FUTURE, "l1.future", BOOL, KEEP, "", "false", 0, 1, "",                                                       \
      "functional replay: each kernel is read twice, so that L1's policies know when a line is used next, and "        \
      "predictors are compared with an oracle (slower)")                                                               \
    X(L1_LATENCY, "l1.latency", COUNT, RESET, "cycles", "35", 0, 10000, "", "core cycles from tags to data of a hit")  \
    X(L1_MISS_LATENCY, "l1.miss_latency", COUNT, RESET, "cycles", "0", 0, 100000, "",                                  \
      "from the tags to the miss queue, for misses and for stores")                                                    \
    X(L1_BYPASS_LATENCY, "l1.bypass_latency", COUNT, RESET, "cycles", "auto", 0, 100000, "auto",                       \
      "the same, for what goes past L1, atomics included, behind what is on its way before it; auto: "                 \
      "l1.miss_latency")                                                                                               \
    X(L1_RELEASE_WIDTH, "l1.release_width", SIZE, RESET, "bytes", "0B", 0, 4096, "",                                   \
      "bytes a core cycle in which loads that waited for a fill get what they asked for, in turn; 0B: all at once")    \
    X(L1_RELEASE_LATENCY, "l1.release_latency", COUNT, RESET, "cycles", "0", 0, 1000, "",                              \
      "with l1.release_width: from its turn until a load has its data")                                                \
    X(L1_MSHR_FREE, "l1.mshr_free", CHOICE, RESET, "", "filled", 0, 0, "filled|drained|drained-reserving",             \
      "when an MSHR entry is free again: with its fill, or when all that waited with it have had their turn by "       \
      "l1.release_width, until when a load that finds its line gone takes its data from the entry; and with the last " \
      "reserves a line, for which nothing is sent until it is asked for again")                                        \
    X(L1_LINE_ORDER, "l1.line_order", CHOICE, RESET, "", "lanes", 0, 0, "lanes|descending|banks",                      \
      "in which an instruction's lines come to the tags: as its lanes touch them; from the highest address down; or "  \
      "each of l1.banks its next one, in as many cycles as the bank that has most")                                    \
    X(L1_QUEUE, "l1.queue", COUNT, RESET, "instructions", "1", 0, 100000, "unlimited",                                 \
      "warp instructions that wait for the tags; the memory pipeline is busy when they are that many")                 \
    X(L1_COLLECTORS, "l1.collectors", COUNT, RESET, "units", "0", 0, 64, "",                                           \
      "collector units of the memory pipeline, which read an instruction's operands, a register a cycle, and pass it " \
      "on in turn; between two registers, and one before the tags, instead of l1.queue and l1.issue_latency; 0: "      \
      "none, and one order")                                                                                           \
    X(L1_ISSUE_LATENCY, "l1.issue_latency", COUNT, RESET, "cycles", "0", 0, 1000, "",                                  \
      "core cycles from the issue of an instruction to the tags: operands, addresses; it waits for them meanwhile")    \
    X(L1_COALESCER, "l1.coalescer", CHOICE, RESET, "", "warp", 0, 0, "warp|multi2sim|sector",                          \
      "what a warp instruction is to L1; warp: an access for each line that its lanes touch; sector: for each 32 "     \
      "bytes of one, with a packet of its own, as GPGPU-Sim's from Maxwell on; multi2sim: timed "                      \
      "coherence: an access for each lane, which becomes part of those in flight as in Multi2Sim 5.0: a load of "      \
      "loads before it, a store of a store just before it")                                                            \
    X(SM_LSUS, "sm.lsus", COUNT, RESET, "units", "1", 1, 64, "",                                                       \
      "with l1.coalescer = multi2sim: load/store units of an SM; those of warp w go to unit w modulo this, each "      \
      "of which begins its instructions in order, one a cycle")                                                        \
    X(SM_LSU_IN_FLIGHT, "sm.lsu_in_flight", COUNT, RESET, "instructions", "unlimited", 1, 100000, "unlimited",         \
      "with l1.coalescer = multi2sim: that have begun in such a unit, and of which loads, or stores that are no "      \
      "part of others, are not done")                                                                                  \
    X(SM_LSU_WAITS, "sm.lsu_waits", BOOL, RESET, "", "true", 0, 1, "",                                                 \
      "with l1.coalescer = multi2sim: an instruction is done when its accesses are; false: when they have begun, and " \
      "no warp waits for memory")                                                                                      \
    X(L1_REORDER, "l1.reorder", CHOICE, RESET, "", "none", 0, 0, "none|block|warp|pc",                                 \
      "queues between coalescer and L1's tags that keep loads of a thread block, of a warp or of an instruction "      \
      "together (Jia et al., HPCA 2014); writes wait until they are empty")                                            \
    X(L1_REORDER_QUEUES, "l1.reorder_queues", COUNT, RESET, "queues", "8", 1, 1024, "",                                \
      "of an SM; warps share them by slot modulo this, blocks where there are too few")                                \
    X(L1_REORDER_ENTRIES, "l1.reorder_entries", COUNT, RESET, "transactions", "32", 1, 1 << 20, "",                    \
      "of each such queue")                                                                                            \
    X(L1_REORDER_DRAIN, "l1.reorder_drain", CHOICE, RESET, "", "fixed", 0, 0, "fixed|round-robin|longest|oldest",      \
      "which of them L1's tags take from: fixed: always the first that holds any; oldest: by its first transaction")   \
    X(L1_REORDER_GREEDY, "l1.reorder_greedy", BOOL, RESET, "", "false", 0, 1, "",                                      \
      "true: L1's tags go on with a queue until it is empty")                                                          \
    X(L1_PORTS, "l1.tag_ports", COUNT, RESET, "lookups", "1", 1, 64, "", "lines looked up per cycle")                  \
    X(L1_BANKS, "l1.banks", COUNT, RESET, "banks", "1", 1, 64, "",                                                     \
      "of the tags, by line number, or with l1.coalescer = sector by sector: lookups of one cycle go to different "    \
      "ones")                                                                                                          \
    X(L1_BANK_INDEX, "l1.bank_index", CHOICE, RESET, "", "line", 0, 0, "line|hopper",                                  \
      "which bank of the tags a line is of: by its number; or, of four, an H100's, by the parities of bits 181 and "   \
      "367 of its set's number, as l1.index = hopper has it")                                                          \
    X(L1_DATA_BANKS, "l1.data_banks", COUNT, RESET, "banks", "0", 0, 64, "",                                           \
      "timed: of the data, a power of two: an access takes as many cycles as the bank that has most of its words, "    \
      "each counted once; 0: l1.data_width alone")                                                                     \
    X(L1_DATA_BANK_WIDTH, "l1.data_bank_width", SIZE, RESET, "bytes", "4B", 4, 128, "",                                \
      "of a word of l1.data_banks, a power of two; all of them together are l1.data_width")                            \
    X(L1_DATA_WIDTH, "l1.data_width", SIZE, RESET, "bytes", "128B", 1, 65536, "",                                      \
      "that the data port moves per cycle for hits and stores, a line in whole cycles, sectors beside each other")     \
    X(L1_FILL_WIDTH, "l1.fill_width", SIZE, RESET, "bytes", "128B", 1, 65536, "",                                      \
      "that the fill port takes per cycle")                                                                            \
    X(L1_MSHR, "l1.mshr_entries", COUNT, RESET, "lines", "32", 1, 1048576, "unlimited", "lines with a miss in flight") \
    X(L1_MERGES, "l1.mshr_merges", COUNT, RESET, "requests", "8", 1, 1048576, "unlimited",                             \
      "requests that wait for one such line, the first included")                                                      \
    X(L1_MERGED, "l1.mshr_merged", CHOICE, RESET, "", "line", 0, 0, "line|sector",                                     \
      "what l1.mshr_merges counts: all that wait for a line, or those that wait for the same sector of it")            \
    X(L1_PREFETCHER, "l1.prefetcher", POLICY, RESET, "", "none", 0, 0, "prefetcher",                                   \
      "timed: which lines L1 fetches before loads ask for them")                                                       \
    X(L1_PREFETCH_QUEUE, "l1.prefetch_queue", COUNT, RESET, "lines", "16", 1, 1024, "",                                \
      "that wait for what loads leave of tag ports, MSHR entries and miss queue; further ones are dropped")            \
    X(L1_COMBINE_LINES, "l1.combine_lines", COUNT, RESET, "lines", "0", 0, 256, "",                                    \
      "timed: of the schedulers' last instructions, whose reads or stores wait where L1 sends them, for the next "     \
      "ones of the same lines to go with them; 0 = none wait")                                                         \
    X(L1_COMBINE_CYCLES, "l1.combine_cycles", COUNT, RESET, "cycles", "16", 1, 10000, "",                              \
      "core cycles without a request after which those that wait leave")                                               \
    X(L1_COMBINE_STORES, "l1.combine_stores", CHOICE, RESET, "", "instruction", 0, 0, "instruction|buffer",            \
      "until when stores wait: until their scheduler comes with other lines; buffer: until a line of others needs "    \
      "their place, as in a write-combining buffer of l1.combine_lines lines")                                         \
    X(L1_MISS_QUEUE, "l1.miss_queue", COUNT, RESET, "packets", "8", 0, 1048576, "unlimited",                           \
      "on their way into the network")                                                                                 \
    X(L1_BYPASS_QUEUE, "l1.bypass_queue", COUNT, RESET, "packets", "1", 0, 1 << 20, "",                                \
      "beyond a full l1.miss_queue, of loads that a predictor (mrpb) sends past L1 because of it")                     \
    X(TLB_PAGE, "tlb.page", SIZE, RESET, "bytes", "none", 4096, 2097152, "none",                                       \
      "size of the pages of virtual addresses, a power of two; none: addresses are not translated, as in Accel-Sim")   \
    X(TLB_L1_ENTRIES, "tlb.l1_entries", COUNT, RESET, "pages", "64", 1, 4096, "",                                      \
      "that an SM's L1 TLB holds: MGPUSim's R9 Nano 64, Mosaic's simulator 64, gem5's GPU 32")                         \
    X(TLB_L1_WAYS, "tlb.l1_ways", COUNT, RESET, "ways", "full", 1, 4096, "full",                                       \
      "of its sets, which divide its entries; full: one set, as in all three")                                         \
    X(TLB_L1_LATENCY, "tlb.l1_latency", COUNT, RESET, "cycles", "1", 0, 10000, "",                                     \
      "core cycles from a lookup to L1's tags (gem5: 1); 0: both at once, the set being one of the virtual address")   \
    X(TLB_L1_PORTS, "tlb.l1_ports", COUNT, RESET, "lookups", "16", 1, 64, "",                                          \
      "line transactions that an L1 TLB looks up per core cycle: MGPUSim 16, gem5 2")                                  \
    X(TLB_L1_MSHR, "tlb.l1_mshr_entries", COUNT, RESET, "pages", "16", 1, 1024, "",                                    \
      "for which an L1 TLB waits at once (MGPUSim: 16); others are looked up meanwhile, until one more is missing")    \
    X(TLB_L1_MERGES, "tlb.l1_mshr_merges", COUNT, RESET, "transactions", "unlimited", 1, 1 << 20, "unlimited",         \
      "that wait for one of these pages, itself included (MGPUSim: unlimited)")                                        \
    X(TLB_L2_ENTRIES, "tlb.l2_entries", COUNT, RESET, "pages", "1024", 0, 1 << 20, "",                                 \
      "that the L2 TLB of all SMs holds: Mosaic's simulator 1024, gem5's GPU 4096; 0: what L1 TLBs lack is walked "    \
      "for")                                                                                                           \
    X(TLB_L2_WAYS, "tlb.l2_ways", COUNT, RESET, "ways", "16", 1, 4096, "full",                                         \
      "of its sets: Mosaic 16, gem5 32, MGPUSim 64")                                                                   \
    X(TLB_L2_LATENCY, "tlb.l2_latency", COUNT, RESET, "cycles", "69", 1, 10000, "",                                    \
      "core cycles from its lookup to the L1 TLB's fill, or to the walk (gem5: 69)")                                   \
    X(TLB_L2_PORTS, "tlb.l2_ports", COUNT, RESET, "lookups", "2", 1, 1024, "",                                         \
      "pages that it looks up per core cycle, of SMs in turn: gem5 2, MGPUSim 1024")                                   \
    X(TLB_L2_MSHR, "tlb.l2_mshr_entries", COUNT, RESET, "pages", "64", 1, 4096, "",                                    \
      "that are walked for, or wait for a walker: MGPUSim 64, gem5 64; at a further one its lookups stop")             \
    X(TLB_L2_MERGES, "tlb.l2_mshr_merges", COUNT, RESET, "SMs", "unlimited", 1, 4096, "unlimited",                     \
      "that wait for one of these pages; at a further one its lookups stop")                                           \
    X(TLB_WALKERS, "tlb.walkers", COUNT, RESET, "walks", "16", 1, 4096, "",                                            \
      "of the page table at once: MGPUSim 16; Power et al., HPCA 2014, have a walker of many threads")                 \
    X(TLB_WALK_LATENCY, "tlb.walk_latency", COUNT, RESET, "cycles", "100", 1, 100000, "",                              \
      "core cycles of a walk: MGPUSim 100, Mosaic -tlb_fixed_latency 100, gem5 750; walks read no memory here, for "   \
      "no "                                                                                                            \
      "source says where a GPU's page tables lie, and which caches their levels have")                                 \
    X(LRC_SMS, "lrc.sms", COUNT, RESET, "SMs", "0", 0, 4096, "",                                                       \
      "most SMs that share an L2 request coalescer, which merges their reads of the same sectors in flight; 0 = none") \
    X(LRC_LAYOUT, "lrc.layout", CHOICE, RESET, "", "neighbours", 0, 0, "neighbours|in-turn",                           \
      "which SMs share one: neighbours, or those of a GPC, to which they are dealt out two by two (TPCs)")             \
    X(LRC_ENTRIES, "lrc.entries", COUNT, RESET, "reads", "64", 1, 1 << 20, "", "in flight that a coalescer follows")   \
    X(LRC_MERGES, "lrc.merges", COUNT, RESET, "reads", "unlimited", 1, 1 << 20, "unlimited",                           \
      "that one in flight answers, itself included; a further one goes on, and others may merge with that")            \
    X(LRC_WINDOW, "lrc.window", COUNT, RESET, "reads", "unlimited", 1, 1 << 20, "unlimited",                           \
      "that a coalescer remembers, the last that it sent on: those before them answer no further one")                 \
    X(LRC_MATCH, "lrc.match", CHOICE, RESET, "", "covered", 0, 0, "covered|equal",                                     \
      "which reads merge with one in flight: those of some or all of its sectors, or of the very same ones")           \
    X(NETWORK_LATENCY, "network.latency", COUNT, RESET, "cycles", "8", 0, 10000, "",                                   \
      "network cycles of a packet without waiting, beside its transfer, each way")                                     \
    X(NETWORK_WIDTH, "network.width", SIZE, RESET, "bytes", "32B", 1, 65536, "",                                       \
      "that a port of the request network moves per network cycle")                                                    \
    X(NETWORK_REPLY_WIDTH, "network.reply_width", SIZE, RESET, "bytes", "32B", 1, 65536, "",                           \
      "the same, reply network")                                                                                       \
    X(NETWORK_HEADER, "network.header", SIZE, RESET, "bytes", "8B", 0, 65536, "",                                      \
      "of every packet, beside the data it carries")                                                                   \
    X(NETWORK_MASK, "network.write_mask", SIZE, RESET, "bytes", "0B", 0, 65536, "",                                    \
      "that a write carries more which does not write its sectors whole, to say which bytes it writes, and an atomic " \
      "of more than 8 bytes; messages of trees bring whole blocks")                                                    \
    X(NETWORK_INPUT, "network.input_buffer", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                    \
      "that wait at an input port")                                                                                    \
    X(NETWORK_OUTPUT, "network.output_buffer", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                  \
      "that wait at an output port, those on the way to it included")                                                  \
    X(NETWORK_UNIT, "network.buffer_unit", CHOICE, RESET, "", "packets", 0, 0, "packets|bytes|flits",                  \
      "of network.input_buffer, network.output_buffer, l2.link_buffer and memory.link_buffer; bytes: a packet enters " \
      "where there is room for all of it, as in Multi2Sim; flits, of a network's width: likewise, and it leaves an "   \
      "input flit by flit")                                                                                            \
    X(NETWORK_QUEUES, "network.queues", CHOICE, RESET, "", "fifo", 0, 0, "fifo|virtual",                               \
      "an input port's packets: one queue, whose head holds up the others, or one for each output port")               \
    X(NETWORK_TURNAROUND, "network.turnaround", COUNT, RESET, "cycles", "0", 0, 1000, "",                              \
      "network cycles for which an input port moves nothing between two packets: the routing of the next")             \
    X(MEMORY_LINK_LATENCY, "memory.link_latency", COUNT, RESET, "cycles", "0", 0, 10000, "",                           \
      "network cycles between an L2 slice and its memory channel, each way")                                           \
    X(MEMORY_LINK_WIDTH, "memory.link_width", SIZE, RESET, "bytes", "0B", 0, 65536, "",                                \
      "that the link between a slice and its channel moves per network cycle, each way; 0 = no link between "          \
      "them")                                                                                                          \
    X(MEMORY_LINK_BUFFER, "memory.link_buffer", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                 \
      "at each end of such a link")                                                                                    \
    X(COHERENCE, "coherence", POLICY, RESET, "", "none", 0, 0, "protocol",                                             \
      "how caches of the same blocks are kept coherent; none: as the sections l1 and l2 say, no messages; viper: "     \
      "so too, and L1 drops its lines at an acquire; others: a tree")                                                  \
    X(L2_ENABLED, "l2.enabled", BOOL, RESET, "", "true", 0, 1, "", "false: L1 misses go to DRAM")                      \
    X(L2_SIZE, "l2.size", SIZE, RESET, "bytes", "768KiB", 128, (double)(1ull << 40), "",                               \
      "capacity of all slices together")                                                                               \
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
    X(L2_INTERLEAVE, "l2.interleave", CHOICE, RESET, "", "modulo", 0, 0, "modulo|hash|range|xor|ipoly|random",         \
      "how addresses spread over slices; xor, ipoly: as GPGPU-Sim's -gpgpu_memory_partition_indexing 1 and 2; "        \
      "random: a group of as many stretches as slices in an order of its own")                                         \
    X(L2_INTERLEAVE_BYTES, "l2.interleave_bytes", SIZE, RESET, "bytes", "256B", 8, (double)(1ull << 40), "",           \
      "consecutive bytes of one slice; range: the span of a slice")                                                    \
    X(L2_PARTITIONS, "l2.partitions", COUNT, RESET, "partitions", "1", 1, 2, "",                                       \
      "2: an SM reads through its own half, which keeps copies of lines homed in the other")                           \
    X(L2_SM_PARTITION, "l2.sm_partition", CHOICE, RESET, "", "halves", 0, 0, "halves|pairs|groups|gpcs",               \
      "which SMs belong to which partition: halves of the SM numbers, alternating pairs, alternating groups of 16, "   \
      "or "                                                                                                            \
      "of 8: gpcs, whose SMs lrc.layout = in-turn has share a coalescer, of eight GPCs four in each")                  \
    X(L2_INCLUSION, "l2.inclusion", CHOICE, RESET, "", "non-inclusive", 0, 0, "non-inclusive|inclusive",               \
      "inclusive: an L2 eviction invalidates the line in every L1")                                                    \
    X(L2_ROP, "l2.rop_latency", COUNT, RESET, "cycles", "0", 0, 10000, "",                                             \
      "L2 cycles from the network to the slice's tags, beside l2.latency; 0 is as 1")                                  \
    X(L2_INTAKE, "l2.intake", CHOICE, RESET, "", "pipeline", 0, 0, "pipeline|queue",                                   \
      "what lets requests in from the network: pipeline: room in l2.queue and in the stages of l2.rop_latency "        \
      "together; queue: room in l2.queue, behind l2.rop_latency, on whose way any number is, a request an L2 cycle")   \
    X(L2_LATENCY, "l2.latency", COUNT, RESET, "cycles", "120", 0, 10000, "", "L2 cycles from tags to data of a hit")   \
    X(L2_QUEUE, "l2.queue", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited", "that wait for a slice's tags")     \
    X(L2_PORTS, "l2.tag_ports", COUNT, RESET, "lookups", "1", 1, 64, "", "lines looked up per L2 cycle and slice")     \
    X(L2_BANKS, "l2.banks", COUNT, RESET, "banks", "1", 1, 64, "", "of a slice's tags, as l1.banks")                   \
    X(L2_DATA_WIDTH, "l2.data_width", SIZE, RESET, "bytes", "32B", 1, 65536, "",                                       \
      "that a slice's data port moves per L2 cycle")                                                                   \
    X(L2_FILL_WIDTH, "l2.fill_width", SIZE, RESET, "bytes", "32B", 1, 65536, "",                                       \
      "that a slice's fill port takes per L2 cycle")                                                                   \
    X(L2_ATOMIC_CYCLES, "l2.atomic_cycles", COUNT, RESET, "cycles", "0", 0, 10000, "",                                 \
      "L2 cycles of a turn of a slice's atomic unit, after which it takes up the next; 0: any number of turns at "     \
      "once. Lanes that have one address in common take turns")                                                        \
    X(L2_ATOMIC_LANES, "l2.atomic_lanes", COUNT, RESET, "lanes", "unlimited", 1, 64, "unlimited",                      \
      "most lanes of a packet that have a turn of it together")                                                        \
    X(L2_ATOMIC_WIDTH, "l2.atomic_width", SIZE, RESET, "bytes", "128B", 4, 1024, "",                                   \
      "of the parts of a line, a power of two, that have turns each for themselves; as large as a line: it has none")  \
    X(L2_MSHR, "l2.mshr_entries", COUNT, RESET, "lines", "32", 1, 1 << 20, "unlimited",                                \
      "lines of a slice with a miss in flight")                                                                        \
    X(L2_MERGES, "l2.mshr_merges", COUNT, RESET, "requests", "4", 1, 1 << 20, "unlimited",                             \
      "requests that wait for one such line, the first included")                                                      \
    X(L2_WRITE_TO_READ, "l2.write_to_read", COUNT, RESET, "cycles", "0", 0, 10000, "",                                 \
      "timed: from a write of a sector to a read of it, for which the slice's tags wait; trees: a block's lock "       \
      "alone orders them")                                                                                             \
    X(L2_MERGED, "l2.mshr_merged", CHOICE, RESET, "", "line", 0, 0, "line|sector", "the same, l2.mshr_merges")         \
    X(L2_PREFETCHER, "l2.prefetcher", POLICY, RESET, "", "none", 0, 0, "prefetcher",                                   \
      "timed: which lines a slice fetches before anybody asks for them; it knows addresses within the slice")          \
    X(L2_PREFETCH_QUEUE, "l2.prefetch_queue", COUNT, RESET, "lines", "16", 1, 1024, "",                                \
      "of a slice, as l1.prefetch_queue")                                                                              \
    X(L2_MISS_QUEUE, "l2.miss_queue", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                           \
      "on their way from a slice to DRAM or to the other partition")                                                   \
    X(L2_REPLIES, "l2.reply_queue", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                             \
      "on their way from a slice into the reply network")                                                              \
    X(L2_LINK_LATENCY, "l2.link_latency", COUNT, RESET, "cycles", "0", 0, 10000, "",                                   \
      "network cycles between a slice and its peer in the other partition, each way")                                  \
    X(L2_LINK_WIDTH, "l2.link_width", SIZE, RESET, "bytes", "32B", 1, 65536, "",                                       \
      "that a slice's link to its peer moves per network cycle, each way")                                             \
    X(L2_LINK_BUFFER, "l2.link_buffer", COUNT, RESET, "packets", "8", 0, 1 << 20, "unlimited",                         \
      "at each end of such a link")                                                                                    \
    X(CLUSTER_SMS, "cluster.sms", COUNT, RESET, "SMs", "0", 0, 4096, "",                                               \
      "coherence: neighbouring SMs that share a cache between their L1s and L2; 0 = none, L1s are next to L2")         \
    X(CLUSTER_SIZE, "cluster.size", SIZE, RESET, "bytes", "128KiB", 128, 1 << 30, "", "of each such cache")            \
    X(CLUSTER_WAYS, "cluster.ways", COUNT, RESET, "ways", "8", 1, 1024, "", "of its sets")                             \
    X(CLUSTER_LATENCY, "cluster.latency", COUNT, RESET, "cycles", "12", 1, 10000, "", "core cycles to its data")       \
    X(CLUSTER_INCLUSION, "cluster.inclusion", CHOICE, RESET, "", "inclusive", 0, 0, "non-inclusive|inclusive",         \
      "as l2.inclusion")                                                                                               \
    X(GPU_COUNT, "gpu.count", COUNT, RESET, "GPUs", "1", 1, 64, "",                                                    \
      "coherence: GPUs with one address space, which share SMs, L2 slices and memory channels out evenly, in order")   \
    X(CPU_COUNT, "cpu.count", COUNT, RESET, "CPUs", "0", 0, 63, "",                                                    \
      "of gpu.count, the last: CPUs, whose SMs are cores, run no thread blocks, and store coherently")                 \
    X(GPU_HOME, "gpu.home", CHOICE, RESET, "", "memory", 0, 0, "memory|l2",                                            \
      "gpu.count: what all GPUs ask for a page: its memory, whose data each L2 caches; or the L2 before that memory, " \
      "which then is the home of its GPU's pages and keeps copies of the others'")                                     \
    X(GPU_LINK_LATENCY, "gpu.link_latency", COUNT, RESET, "cycles", "200", 0, 100000, "",                              \
      "network cycles from a GPU to another, beside the transfer")                                                     \
    X(GPU_LINK_WIDTH, "gpu.link_width", SIZE, RESET, "bytes", "64B", 1, 65536, "",                                     \
      "that a GPU's link to all others moves per network cycle, each way")                                             \
    X(GPU_LINK_BUFFER, "gpu.link_buffer", COUNT, RESET, "packets", "64", 0, 1 << 20, "unlimited",                      \
      "at each end of such a link")                                                                                    \
    X(PAGE_BYTES, "page.bytes", SIZE, RESET, "bytes", "64KiB", 128, (double)(1ull << 40), "",                          \
      "gpu.count: of a page, whose home is one GPU's memory; a power of two")                                          \
    X(PAGE_PLACEMENT, "page.placement", CHOICE, RESET, "", "first-touch", 0, 0, "round-robin|first-touch",             \
      "which GPU that is: each in turn; that of the SM which is the first to access it")                               \
    X(COHERENCE_ANY_VICTIM, "coherence.any_victim", BOOL, RESET, "", "false", 0, 1, "",                                \
      "the replacement policy chooses a victim among all ways, as Multi2Sim does; false: invalid ways are taken "      \
      "first")                                                                                                         \
    X(COHERENCE_CONFLICT, "coherence.conflict", CHOICE, RESET, "", "protocol", 0, 0, "protocol|retry|wait",            \
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
      "of such a set; 0 = an entry for every line cached")                                                             \
    X(DRAM_CHANNELS, "dram.channels", COUNT, RESET, "channels", "6", 1, 1024, "", "memory channels")                   \
    X(DRAM_MODEL, "dram.model", CHOICE, RESET, "", "timing", 0, 0, "timing|fixed",                                     \
      "timing: banks, rows and commands; fixed: a latency and a bandwidth")                                            \
    X(DRAM_TIMING, "dram.timing", CHOICE, RESET, "", "gddr5", 0, 0, "ddr4|gddr5|gddr6|hbm2|hbm2e|hbm3|ddr5",           \
      "named set that the keys below take where they say auto; its times hold at any clock.dram")                      \
    X(DRAM_TRCD, "dram.trcd", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "from a row's activation to a read")  \
    X(DRAM_TRCD_W, "dram.trcd_write", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                               \
      "from a row's activation to a write")                                                                            \
    X(DRAM_TRP, "dram.trp", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                         \
      "from a precharge to the bank's next activation")                                                                \
    X(DRAM_TCL, "dram.tcl", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "from a read to its data")              \
    X(DRAM_TCWL, "dram.tcwl", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "from a write to its data")           \
    X(DRAM_TRAS, "dram.tras", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                       \
      "from an activation to the precharge")                                                                           \
    X(DRAM_TRC, "dram.trc", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                         \
      "from an activation to the bank's next")                                                                         \
    X(DRAM_TRRD_S, "dram.trrd_s", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "between activations, other bank group")                                                                         \
    X(DRAM_TRRD_L, "dram.trrd_l", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "between activations, same bank group")                                                                          \
    X(DRAM_TFAW, "dram.tfaw", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "holds at most four activations")     \
    X(DRAM_TWR, "dram.twr", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "from a write's data to the precharge") \
    X(DRAM_TWTR_S, "dram.twtr_s", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "from a write's data to a read, other bank group")                                                               \
    X(DRAM_TWTR_L, "dram.twtr_l", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "from a write's data to a read, same bank group")                                                                \
    X(DRAM_TRTW, "dram.trtw", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                       \
      "that the bus rests between read data and write data")                                                           \
    X(DRAM_TRTP, "dram.trtp", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "from a read to the precharge")       \
    X(DRAM_TCCD_S, "dram.tccd_s", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "between reads, or writes, other bank group")                                                                    \
    X(DRAM_TCCD_L, "dram.tccd_l", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "between reads, or writes, same bank group")                                                                     \
    X(DRAM_TREFI, "dram.trefi", COUNT, KEEP, "cycles", "auto", 1, 1000000, "auto", "between refreshes")                \
    X(DRAM_TRFC, "dram.trfc", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto", "that a refresh takes")               \
    X(DRAM_TRFC_BANK, "dram.trfc_bank", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                             \
      "that a refresh of single banks takes; 0: there is none")                                                        \
    X(DRAM_TRREFD, "dram.trrefd", COUNT, KEEP, "cycles", "auto", 0, 1000000, "auto",                                   \
      "from such a refresh to an activation or refresh of another bank")                                               \
    X(DRAM_PSEUDO, "dram.pseudo_channels", COUNT, KEEP, "channels", "auto", 1, 16, "auto",                             \
      "parts of a channel that work each for itself, with banks and data bus of their own, on the "                    \
      "channel's queues; the keys here describe one")                                                                  \
    X(DRAM_GROUPS, "dram.bank_groups", COUNT, KEEP, "groups", "auto", 1, 16, "auto", "bank groups, a power of two")    \
    X(DRAM_BANKS, "dram.group_banks", COUNT, KEEP, "banks", "auto", 1, 64, "auto", "banks of a group, a power of two") \
    X(DRAM_ROW, "dram.row_bytes", SIZE, KEEP, "bytes", "auto", 8, 1 << 20, "auto", "row of a bank, a power of two")    \
    X(DRAM_BURST, "dram.burst_bytes", SIZE, KEEP, "bytes", "auto", 8, 4096, "auto",                                    \
      "that one read or write moves, a power of two")                                                                  \
    X(DRAM_BURST_CYCLES, "dram.burst_cycles", COUNT, KEEP, "cycles", "auto", 1, 1024, "auto",                          \
      "that its data take on the bus")                                                                                 \
    X(DRAM_BUS, "dram.command_bus", CHOICE, KEEP, "", "auto", 0, 0, "auto|single|dual",                                \
      "one command per cycle, or one to a row and one to a column")                                                    \
    X(DRAM_SCHEDULER, "dram.scheduler", CHOICE, RESET, "", "fr-fcfs", 0, 0, "fr-fcfs|fcfs|by-bank",                    \
      "fr-fcfs: reads or writes of open rows first, then the oldest; fcfs: the oldest alone; by-bank: as GPGPU-Sim "   \
      "3, reads and writes in one queue, dram.read_queue long; a bank takes one at a time, and banks take turns; "     \
      "without refresh, dram.tfaw and dram.age_cap")                                                                   \
    X(DRAM_AGE_CAP, "dram.age_cap", COUNT, KEEP, "cycles", "2000", 0, 1 << 30, "unlimited",                            \
      "fr-fcfs: a request that has waited this long is no longer passed by younger ones to another row "               \
      "of its bank")                                                                                                   \
    X(DRAM_PAGE, "dram.page", CHOICE, KEEP, "", "open", 0, 0, "open|closed",                                           \
      "closed: a row is closed with the last request queued for it")                                                   \
    X(DRAM_REFRESH, "dram.refresh", CHOICE, KEEP, "", "all-bank", 0, 0, "all-bank|none|per-bank|same-bank",            \
      "of all banks together, each dram.trefi; per-bank: of one after the other, as HBM can (REFSB, REFpb), the "      \
      "others go on; same-bank: of the bank of one number in each group, as DDR5 can (REFsb), each twice in "          \
      "dram.trefi, for half the rows")                                                                                 \
    X(DRAM_READ_QUEUE, "dram.read_queue", COUNT, RESET, "bursts", "64", 1, 4096, "", "reads of a channel that wait")   \
    X(DRAM_WRITE_QUEUE, "dram.write_queue", COUNT, RESET, "bursts", "64", 1, 4096, "",                                 \
      "writes of a channel that wait")                                                                                 \
    X(DRAM_WRITE_HIGH, "dram.write_high", COUNT, RESET, "bursts", "56", 1, 4096, "",                                   \
      "writes waiting at which they go before reads; shared out among pseudo channels")                                \
    X(DRAM_WRITE_LOW, "dram.write_low", COUNT, RESET, "bursts", "32", 0, 4096, "",                                     \
      "writes waiting at which reads go before them again; below dram.write_high")                                     \
    X(DRAM_MAPPING, "dram.mapping", TEXT, RESET, "", "row bank column group pseudo column:1", 0, 0, "",                \
      "where a channel's address bits above the burst go, from the highest: row, bank, group, pseudo, "                \
      "column, each with its number of bits after a colon, or all that are left")                                      \
    X(DRAM_HASH, "dram.bank_hash", CHOICE, RESET, "", "xor", 0, 0, "none|xor",                                         \
      "xor: bank and group are XORed with the low bits of the row")                                                    \
    X(DRAM_LATENCY, "dram.latency", COUNT, RESET, "cycles", "0", 0, 100000, "",                                        \
      "of controller and interface, added to every read")                                                              \
    X(DRAM_LATENCY_AT, "dram.latency_at", CHOICE, RESET, "", "data", 0, 0, "data|request",                             \
      "where dram.latency is, with dram.model = timing: data come so much later, or a request of L2 enters its "       \
      "channel's queue so much later, one a DRAM cycle")                                                               \
    X(DRAM_FIXED_LATENCY, "dram.fixed_latency", COUNT, RESET, "cycles", "100", 0, 1000000, "",                         \
      "dram.model = fixed: from the start of a request to its data")                                                   \
    X(DRAM_FIXED_BANDWIDTH, "dram.fixed_bandwidth", COUNT, RESET, "bytes per cycle", "0", 0, 65536, "",                \
      "dram.model = fixed: of a channel, bytes per DRAM cycle; 0 = unlimited")                                         \
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
    X(ENERGY_NETWORK_REQUEST, "energy.network_request", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                   \
      "of a byte of packets from L1s to L2, and to clusters' caches")                                                  \
    X(ENERGY_NETWORK_REPLY, "energy.network_reply", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                       \
      "of a byte of packets from L2 to L1s, likewise")                                                                 \
    X(ENERGY_LINK, "energy.link", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                                         \
      "of a byte on the links between L2 partitions, or slices and channels")                                          \
    X(ENERGY_GPU_LINK, "energy.gpu_link", NUMBER, RESET, "pJ", "none", 0, 1e6, "none", "of a byte between two GPUs")   \
    X(ENERGY_DRAM_READ, "energy.dram_read", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                               \
      "of a 32-byte sector read from DRAM, but for energy.dram_activate")                                              \
    X(ENERGY_DRAM_WRITE, "energy.dram_write", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                             \
      "of a sector written to DRAM, likewise")                                                                         \
    X(ENERGY_DRAM_ACTIVATE, "energy.dram_activate", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                       \
      "of the activation and the precharge of a row")                                                                  \
    X(ENERGY_DRAM_REFRESH, "energy.dram_refresh", NUMBER, RESET, "pJ", "none", 0, 1e7, "none",                         \
      "of a refresh of all banks of a channel, or pseudo channel")                                                     \
    X(ENERGY_WARP_INSTRUCTION, "energy.warp_instruction", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",                 \
      "of fetching, decoding and issuing a warp instruction")                                                          \
    X(ENERGY_THREAD_INSTRUCTION, "energy.thread_instruction", NUMBER, RESET, "pJ", "none", 0, 1e6, "none",             \
      "of a thread that executes an instruction")                                                                      \
    X(ENERGY_STATIC, "energy.static", NUMBER, RESET, "W", "none", 0, 1e5, "none",                                      \
      "power of the whole GPU, whatever it does")                                                                      \
    X(LAUNCH_SECTORS, "launch.sectors", COUNT, RESET, "sectors", "0", 0, 1 << 20, "",                                  \
      "32-byte sectors that any launch reads from DRAM (descriptor, constants)")                                       \
    X(LAUNCH_CODE, "launch.code", BOOL, RESET, "", "false", 0, 1, "",                                                  \
      "count the kernel's instruction bytes as DRAM reads, once per cold launch, where l1i.* does not read them")      \
    X(BLOCKS_PLACEMENT, "blocks.placement", CHOICE, KEEP, "", "auto", 0, 0, "auto|round-robin|map",                    \
      "thread blocks to SMs: auto uses the trace's map where there is one that fits")                                  \
    X(WARPS_ORDER, "warps.order", CHOICE, KEEP, "", "round-robin", 0, 0, "round-robin|block|recorded",                 \
      "functional replay: warps of an SM in turn, or each warp to its end in block order; recorded: what a host did, " \
      "as a trace of gpc_hierarchy_record says, with its SMs, slots, ages and tokens")                                 \
    X(KERNELS_FLUSH, "kernels.flush", CHOICE, KEEP, "", "l1", 0, 0, "none|l1|all",                                     \
      "caches written back and emptied before each kernel: l1 takes time in a tree of modules with a clock, all "      \
      "never")                                                                                                         \
    X(KERNELS_CODE, "kernels.code", CHOICE, KEEP, "", "kept", 0, 0, "kept|dropped|l2",                                 \
      "where a launch finds its code (l1i.size, l15.size): kept, where caches have it, L2 but for kernels.flush = "    \
      "all; dropped, not in L1Is and L1.5s; l2, not in these either, but all of it in L2")                             \
    X(LAUNCH_CYCLES, "launch.cycles", COUNT, RESET, "cycles", "0", 0, 1 << 30, "",                                     \
      "core cycles that a launch takes before its first thread block starts")                                          \
    X(BLOCKS_INTERVAL, "blocks.interval", COUNT, RESET, "cycles", "1", 0, 100000, "",                                  \
      "core cycles between two thread blocks starting on one SM")                                                      \
    X(BLOCKS_DISPATCH, "blocks.dispatch_interval", COUNT, RESET, "cycles", "0", 0, 100000, "",                         \
      "timed replay: core cycles between two thread blocks starting anywhere on the GPU; 0: as many at once as there " \
      "are SMs")                                                                                                       \
    X(BLOCKS_RELEASE, "blocks.release", CHOICE, RESET, "", "exit", 0, 0, "exit|writes",                                \
      "timed replay: when the room of a thread block is another's; exit: when its last warp has ended; writes: when "  \
      "all that its warps have written has been acknowledged, too")                                                    \
    X(BLOCKS_CLUSTER_X, "blocks.cluster_x", COUNT, KEEP, "blocks", "1", 1, 16, "",                                     \
      "thread blocks of a cluster in x, of a kernel whose trace does not tell: they start together on SMs of a GPC, "  \
      "which share a coalescer (lrc.sms; without any, all do)")                                                        \
    X(BLOCKS_CLUSTER_Y, "blocks.cluster_y", COUNT, KEEP, "blocks", "1", 1, 16, "", "likewise, in y")                   \
    X(BLOCKS_CLUSTER_Z, "blocks.cluster_z", COUNT, KEEP, "blocks", "1", 1, 16, "",                                     \
      "likewise, in z; at most 16 in all")                                                                             \
    X(LIMIT_CYCLES, "limit.cycles", COUNT, KEEP, "cycles", "0", 0, (double)(1ull << 53), "",                           \
      "timed replay of a kernel stops after this many core cycles; 0 = never")                                         \
    X(LIMIT_INSTRUCTIONS, "limit.instructions", COUNT, KEEP, "instructions", "0", 0, (double)(1ull << 53), "",         \
      "replay of a kernel stops after this many warp instructions; 0 = never")                                         \
    X(SAMPLE_PERIOD, "sample.period", COUNT, KEEP, "cycles", "5000", 1, (double)(1ull << 53), "",                      \
      "core cycles, or rounds of a functional replay, after which policies that vote hear how each SM fared: long "    \
      "enough for an L1 of 16 KiB to be filled anew several times")                                                    \
    X(SAMPLE, "sample", CHOICE, KEEP, "", "none", 0, 0, "none|kernels|blocks|intervals",                               \
      "which part of a timed replay runs with the clock, the rest being estimated from it: kernels, some launches of " \
      "each group of like ones; blocks, of a launch those before its rate has settled; intervals, some now and "       \
      "then")                                                                                                          \
    X(SAMPLE_WARMING, "sample.warming", CHOICE, KEEP, "", "functional", 0, 0, "functional|none",                       \
      "what runs without the clock: functional, its accesses change the caches at once; none, it is not read at all")  \
    X(SAMPLE_LAUNCHES, "sample.launches", COUNT, KEEP, "launches", "3", 2, 1000000, "",                                \
      "sample = kernels: the first of each group, which all run with the clock")                                       \
    X(SAMPLE_EVERY, "sample.every", COUNT, KEEP, "launches", "20", 0, 1000000, "",                                     \
      "sample = kernels: behind these, one of each so many of a group runs with the clock, at random; 0 = none")       \
    X(SAMPLE_LOOK, "sample.look", COUNT, KEEP, "blocks", "8", 0, 1000000, "",                                          \
      "sample = kernels: the first thread blocks of a launch, by whose instructions it is compared with others")       \
    X(SAMPLE_DISTANCE, "sample.distance", COUNT, KEEP, "%", "5", 0, 100, "",                                           \
      "sample = kernels: most by which a feature of launches that are alike may differ")                               \
    X(SAMPLE_WINDOWS, "sample.windows", COUNT, KEEP, "windows", "5", 2, 1000, "",                                      \
      "sample = blocks: windows of alike rate after which it has settled, and those that are then measured; a window " \
      "lasts until as many thread blocks have ended as all SMs hold")                                                  \
    X(SAMPLE_TOLERANCE, "sample.tolerance", COUNT, KEEP, "%", "5", 0, 100, "",                                         \
      "sample = blocks: most by which the rates of such windows differ")                                               \
    X(SAMPLE_SETTLE, "sample.settle", COUNT, KEEP, "windows", "2", 1, 1000, "",                                        \
      "sample = intervals: windows at the beginning of each that are timed and not measured")                          \
    X(SAMPLE_UNIT, "sample.unit", COUNT, KEEP, "windows", "2", 1, 1000, "",                                            \
      "sample = intervals: windows that are then measured")                                                            \
    X(SAMPLE_SKIP, "sample.skip", COUNT, KEEP, "waves", "80", 1, 1000000, "",                                          \
      "sample = intervals: as many thread blocks as so many windows have then run without the clock")                  \
    X(STREAMS, "streams", COUNT, KEEP, "streams", "1", 1, 255, "",                                                     \
      "that statistics are counted by besides, as accesses name them; of a trace its CUDA streams, from 0 on in the "  \
      "order of their first launches; 1: by none")                                                                     \
    X(STATS_STAGES, "stats.stages", BOOL, KEEP, "", "false", 0, 1, "",                                                 \
      "timed: the stages of each access's way, in cycles: summed up by instruction and level, and told to hosts; "     \
      "costs time")                                                                                                    \
    X(PORTS, "ports", COUNT, KEEP, "ports", "0", 0, 16, "",                                                            \
      "into L2 for requests that are no SM's, of a copy engine, a link or a CPU: gpc_hierarchy_try_port; with a "      \
      "clock, "                                                                                                        \
      "and coherence = none or viper")                                                                                 \
    X(PORT_WIDTH, "port.width", COUNT, KEEP, "bytes", "32", 1, 65536, "",                                              \
      "that a port's link moves in a core cycle, each way; 32 are the 64 GB/s of 16 lanes of PCIe 5.0 at 1.98 GHz")    \
    X(PORT_LATENCY, "port.latency", COUNT, KEEP, "cycles", "0", 0, 1000000, "",                                        \
      "core cycles from a port to an L2 slice, and back; 0: the host's own model of its link has them")                \
    X(PORT_QUEUE, "port.queue", COUNT, KEEP, "requests", "64", 1, 65536, "", "that a port has at once, of any length") \
    X(PORT_LINES, "port.lines", COUNT, KEEP, "lines", "256", 1, 1000000, "",                                           \
      "of a port's requests that are under way at once")                                                               \
    X(THREADS, "threads", COUNT, KEEP, "threads", "1", 1, 128, "auto",                                                 \
      "that share a cycle's work, or with mode = functional a replay's rounds, with the same results; auto: as many "  \
      "as there are processors, 8 at most, and one where it makes no difference")                                      \
    X(DEADLOCK, "deadlock.cycles", COUNT, KEEP, "cycles", "1000000", 1, (double)(1ull << 53), "",                      \
      "core cycles without any progress after which a timed run is given up")

#endif
