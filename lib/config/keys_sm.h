/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_SM_H
#define GPC_CONFIG_KEYS_SM_H

/* Keys of SMs: warps, clocks and schedulers, latencies, caches of code and constants. keys.h describes the columns. */
#define GPCI_KEYS_SM(X)                                                                                                \
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
    X(SM_BULK_RATE, "sm.bulk_rate", COUNT, RESET | CLOCK, "requests", "1", 1, 64, "",                                  \
      "timed: that the engine of bulk copies makes of L2 in a core cycle, a line at most each")                        \
    X(SM_BULK_REQUESTS, "sm.bulk_requests", COUNT, RESET | CLOCK, "requests", "unlimited", 1, 1 << 20, "unlimited",    \
      "of an SM's bulk copies under way")                                                                              \
    X(SM_BULK_QUEUE, "sm.bulk_queue", COUNT, RESET | CLOCK, "copies", "8", 1, 1024, "",                                \
      "bulk copies of an SM that are not yet all asked for; a further one waits before it issues")                     \
    X(SM_BULK_LATENCY, "sm.bulk_latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 4096, "",                            \
      "core cycles from the issue of a bulk copy to its first request")                                                \
    X(SM_SHARED, "sm.shared", SIZE, RESET, "bytes", "48KiB", 0, 1 << 30, "",                                           \
      "shared memory that the blocks of an SM may hold")                                                               \
    X(SM_SHARED_UNIT, "sm.shared_unit", SIZE, RESET, "bytes", "128B", 1, 65536, "",                                    \
      "a block's shared memory is allocated in units of this")                                                         \
    X(SM_SHARED_RESERVED, "sm.shared_reserved", SIZE, RESET, "bytes", "0B", 0, 1 << 20, "",                            \
      "shared memory that the system adds to every block's own")                                                       \
    X(CLOCK_CORE, "clock.core", COUNT, RESET | CLOCK, "MHz", "700", 1, 100000, "", "clock of the SMs and their L1")    \
    X(CLOCK_NETWORK, "clock.network", COUNT, RESET | CLOCK, "MHz", "700", 1, 100000, "", "clock of the networks")      \
    X(CLOCK_L2, "clock.l2", COUNT, RESET | CLOCK, "MHz", "700", 1, 100000, "", "clock of the L2 slices")               \
    X(CLOCK_DRAM, "clock.dram", COUNT, RESET | CLOCK, "MHz", "924", 1, 100000, "", "command clock of DRAM")            \
    X(SCHEDULER, "scheduler", POLICY, RESET | CLOCK, "", "gto", 0, 0, "scheduler",                                     \
      "which warp of an SM scheduler issues next")                                                                     \
    X(SM_SCHEDULERS, "sm.schedulers", COUNT, RESET | CLOCK, "schedulers", "2", 1, 16, "",                              \
      "warp schedulers of an SM; warp w belongs to scheduler w modulo this")                                           \
    X(SM_MEMORY_ORDER, "sm.memory_order", CHOICE, RESET | CLOCK, "", "fixed", 0, 0, "fixed|turns",                     \
      "which of an SM's schedulers comes first in a cycle, and has the memory pipeline's only place: fixed: the "      \
      "first "                                                                                                         \
      "scheduler; turns: the scheduler behind the last that sent a memory instruction")                                \
    X(SM_ISSUE, "sm.issue_width", COUNT, RESET | CLOCK, "instructions", "1", 1, 8, "",                                 \
      "instructions that a scheduler issues per cycle, of one warp")                                                   \
    X(SM_WARP_LIMIT, "sm.warp_limit", COUNT, KEEP | CLOCK, "warps", "0", 0, 1024, "",                                  \
      "static warp limiting: at most this many warps per scheduler may issue, the oldest not at a barrier; 0 = all")   \
    X(SM_BLOCK_LIMIT, "sm.block_limit", COUNT, KEEP, "blocks", "0", 0, 1024, "",                                       \
      "static block limiting: at most this many thread blocks per SM; 0 = as many as fit")                             \
    X(SM_FETCH, "sm.fetch", COUNT, RESET | CLOCK, "instructions", "0", 0, 64, "",                                      \
      "instructions that a warp's buffer holds, filled when it is empty or after a taken branch; an SM fetches for "   \
      "one warp a cycle; 0 = they are always at hand")                                                                 \
    X(SM_FETCH_LATENCY, "sm.fetch_latency", COUNT, RESET | CLOCK, "cycles", "2", 1, 1000, "",                          \
      "with sm.fetch: from the fetch to the issue of the first instruction")                                           \
    X(SM_FETCH_BY, "sm.fetch_by", CHOICE, RESET | CLOCK, "", "sm", 0, 0, "sm|scheduler",                               \
      "who fetches for one warp a cycle: an SM, or each of its schedulers for its own warps, which then has an "       \
      "instruction cache of its own (l1i.*; NVIDIA: L0)")                                                              \
    X(L1I_SIZE, "l1i.size", SIZE, RESET | CLOCK, "bytes", "0B", 0, 1 << 30, "",                                        \
      "timed replays with sm.fetch: an instruction cache of an SM (sm.fetch_by), whose misses are reads of l15.*, or " \
      "L2; 0: instructions are there")                                                                                 \
    X(L1I_WAYS, "l1i.ways", COUNT, RESET | CLOCK, "ways", "4", 1, 1024, "",                                            \
      "ways of a set: GPGPU-Sim's GTX 480 4, of 4 sets")                                                               \
    X(L1I_LINE, "l1i.line", SIZE, RESET | CLOCK, "bytes", "128B", 32, 128, "",                                         \
      "line size, a power of two, at most l1.line")                                                                    \
    X(L1I_REPLACEMENT, "l1i.replacement", POLICY, RESET | CLOCK, "", "lru", 0, 0, "replacement",                       \
      "which line of a set leaves")                                                                                    \
    X(L1I_MSHR, "l1i.mshr_entries", COUNT, RESET | CLOCK, "lines", "2", 1, 1024, "",                                   \
      "on their way at once (GPGPU-Sim's GTX 480: 2); a further warp looks again when one has come")                   \
    X(L1I_MERGES, "l1i.mshr_merges", COUNT, RESET | CLOCK, "warps", "32", 1, 1 << 20, "unlimited",                     \
      "that wait for one (32)")                                                                                        \
    X(L1I_PREFETCH, "l1i.prefetch", COUNT, RESET | CLOCK, "lines", "0", 0, 64, "",                                     \
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
    X(CONST_LATENCY, "const.latency", COUNT, RESET | CLOCK, "cycles", "auto", 0, 10000, "auto",                        \
      "timed: core cycles from the tags to the data of a hit; auto: sm.latency_constant")                              \
    X(CONST_MSHR, "const.mshr_entries", COUNT, RESET | CLOCK, "lines", "2", 1, 1024, "",                               \
      "timed: lines on their way at once (GPGPU-Sim's GTX 480: 2)")                                                    \
    X(CONST_MERGES, "const.mshr_merges", COUNT, RESET | CLOCK, "requests", "32", 1, 1 << 20, "unlimited",              \
      "timed: that wait for one such line, the first included (32)")                                                   \
    X(CONST_MISS_QUEUE, "const.miss_queue", COUNT, RESET | CLOCK, "packets", "4", 0, 1 << 20, "unlimited",             \
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
    X(L15_LATENCY, "l15.latency", COUNT, RESET | CLOCK, "cycles", "40", 0, 10000, "",                                  \
      "timed: core cycles from the tags, or the fill, to the data")                                                    \
    X(L15_WIDTH, "l15.data_width", SIZE, RESET | CLOCK, "bytes", "64B", 1, 1024, "",                                   \
      "timed: that leave it in a cycle, of one line")                                                                  \
    X(L15_QUEUE, "l15.queue", COUNT, RESET | CLOCK, "requests", "8", 0, 1 << 20, "unlimited",                          \
      "timed: that wait before its tags")                                                                              \
    X(L15_MSHR, "l15.mshr_entries", COUNT, RESET | CLOCK, "lines", "16", 1, 1024, "", "timed: on their way at once")   \
    X(L15_MERGES, "l15.mshr_merges", COUNT, RESET | CLOCK, "requests", "32", 1, 1 << 20, "unlimited",                  \
      "timed: that wait for one such line, the first included")                                                        \
    X(L15_MISS_QUEUE, "l15.miss_queue", COUNT, RESET | CLOCK, "packets", "8", 0, 1 << 20, "unlimited",                 \
      "timed: reads that wait for room in their SM's miss queue")                                                      \
    X(SM_LATENCY_ALU, "sm.latency_alu", COUNT, RESET | CLOCK, "cycles", "18", 1, 10000, "",                            \
      "from issue to result: integer and floating point, where sm.latency_int or sm.latency_fp is auto")               \
    X(SM_LATENCY_INT, "sm.latency_int", COUNT, RESET | CLOCK, "cycles", "auto", 1, 10000, "auto",                      \
      "the same, integer, logic and moves")                                                                            \
    X(SM_LATENCY_FP, "sm.latency_fp", COUNT, RESET | CLOCK, "cycles", "auto", 1, 10000, "auto",                        \
      "the same, single and half precision")                                                                           \
    X(SM_LATENCY_MOVE, "sm.latency_move", COUNT, RESET | CLOCK, "cycles", "auto", 1, 10000, "auto",                    \
      "the same, of what neither adds nor multiplies: moves, shifts, logic, comparisons, selections; auto: as the "    \
      "others, integer and floating point")                                                                            \
    X(SM_LATENCY_FMA, "sm.latency_fma", COUNT, RESET | CLOCK, "cycles", "auto", 1, 10000, "auto",                      \
      "the same, of multiply-adds; auto: as the others, integer and floating point")                                   \
    X(SM_LATENCY_OPERAND, "sm.latency_operand", COUNT, RESET | CLOCK, "cycles", "0", 0, 100, "",                       \
      "further ones for each register that an instruction reads: collector units get one a cycle; those of memory "    \
      "instructions are l1.collectors")                                                                                \
    X(SM_LATENCY_DOUBLE, "sm.latency_double", COUNT, RESET | CLOCK, "cycles", "18", 1, 10000, "",                      \
      "the same, double precision")                                                                                    \
    X(SM_LATENCY_SFU, "sm.latency_sfu", COUNT, RESET | CLOCK, "cycles", "40", 1, 10000, "",                            \
      "the same, special functions")                                                                                   \
    X(SM_LATENCY_TENSOR, "sm.latency_tensor", COUNT, RESET | CLOCK, "cycles", "40", 1, 10000, "",                      \
      "the same, tensor cores")                                                                                        \
    X(SM_LATENCY_UNIFORM, "sm.latency_uniform", COUNT, RESET | CLOCK, "cycles", "18", 1, 10000, "",                    \
      "the same, uniform datapath")                                                                                    \
    X(SM_LATENCY_CONTROL, "sm.latency_control", COUNT, RESET | CLOCK, "cycles", "8", 1, 10000, "",                     \
      "from a branch, barrier or fence to the next instruction of its warp")                                           \
    X(SM_HOLD_MEMORY, "sm.hold_memory", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                              \
      "from an instruction that goes to L1 to the next instruction of its warp; 0 = the next cycle, or the same with " \
      "sm.issue_width")                                                                                                \
    X(SM_LATENCY_SHARED, "sm.latency_shared", COUNT, RESET | CLOCK, "cycles", "26", 1, 10000, "",                      \
      "shared-memory load without bank conflicts")                                                                     \
    X(SM_LATENCY_CLUSTER, "sm.latency_cluster", COUNT, RESET | CLOCK, "cycles", "180", 1, 10000, "",                   \
      "access of another block's shared memory in its cluster: on H100 180 (Luo et al. 2024, Benchmarking and "        \
      "Dissecting the Nvidia Hopper GPU Architecture)")                                                                \
    X(SM_LATENCY_CONSTANT, "sm.latency_constant", COUNT, RESET | CLOCK, "cycles", "26", 1, 10000, "",                  \
      "constant and texture load, as if it hit")                                                                       \
    X(SM_LATENCY_STAGES, "sm.latency_stages", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                        \
      "added to each latency but sm.latency_control: what is before and behind the units, where latencies are theirs " \
      "alone, as GPGPU-Sim's options are")                                                                             \
    X(SM_INTERVAL_ALU, "sm.interval_alu", COUNT, RESET | CLOCK, "cycles", "1", 1, 1000, "",                            \
      "for which a warp instruction occupies its unit: integer and floating point, where sm.interval_int or "          \
      "sm.interval_fp is auto")                                                                                        \
    X(SM_INTERVAL_INT, "sm.interval_int", COUNT, RESET | CLOCK, "cycles", "auto", 1, 1000, "auto",                     \
      "the same, integer, logic and moves")                                                                            \
    X(SM_INTERVAL_FP, "sm.interval_fp", COUNT, RESET | CLOCK, "cycles", "auto", 1, 1000, "auto",                       \
      "the same, single and half precision")                                                                           \
    X(SM_INTERVAL_DOUBLE, "sm.interval_double", COUNT, RESET | CLOCK, "cycles", "2", 1, 1000, "",                      \
      "the same, double precision")                                                                                    \
    X(SM_INTERVAL_SFU, "sm.interval_sfu", COUNT, RESET | CLOCK, "cycles", "8", 1, 1000, "",                            \
      "the same, special functions")                                                                                   \
    X(SM_INTERVAL_TENSOR, "sm.interval_tensor", COUNT, RESET | CLOCK, "cycles", "8", 1, 1000, "",                      \
      "the same, tensor cores")                                                                                        \
    X(SM_INTERVAL_UNIFORM, "sm.interval_uniform", COUNT, RESET | CLOCK, "cycles", "1", 1, 1000, "",                    \
      "the same, uniform datapath")                                                                                    \
    X(SM_INTERVAL_CONTROL, "sm.interval_control", COUNT, RESET | CLOCK, "cycles", "1", 1, 1000, "",                    \
      "the same, branches")                                                                                            \
    X(SM_INTERVAL_CONSTANT, "sm.interval_constant", COUNT, RESET | CLOCK, "cycles", "0", 0, 1000, "",                  \
      "the same, constant and texture loads, in the units of integers; 0: in none")                                    \
    X(SM_INTERVAL_SHARED, "sm.interval_shared", COUNT, RESET | CLOCK, "cycles", "1", 1, 1000, "",                      \
      "the same, shared memory, which the SM's schedulers have in common")                                             \
    X(SM_INTERVAL_CLUSTER, "sm.interval_cluster", COUNT, RESET | CLOCK, "cycles", "4", 1, 1000, "",                    \
      "the same, of an SM's way into the network between SMs: 4, as a reply of 128 bytes at 32 a cycle, not measured") \
    X(SM_UNITS_INT, "sm.units_int", COUNT, RESET | CLOCK, "units", "0", 0, 64, "auto",                                 \
      "units of an SM for integer, logic and moves; 0: those of sm.units_fp do that, too; auto: one for each "         \
      "scheduler")                                                                                                     \
    X(SM_UNITS_FP, "sm.units_fp", COUNT, RESET | CLOCK, "units", "auto", 1, 64, "auto",                                \
      "the same, single and half precision")                                                                           \
    X(SM_UNITS_DOUBLE, "sm.units_double", COUNT, RESET | CLOCK, "units", "auto", 0, 64, "auto",                        \
      "the same, double precision; 0: those of sm.units_sfu do that, too")                                             \
    X(SM_UNITS_SFU, "sm.units_sfu", COUNT, RESET | CLOCK, "units", "auto", 1, 64, "auto",                              \
      "the same, special functions")                                                                                   \
    X(SM_UNITS_TENSOR, "sm.units_tensor", COUNT, RESET | CLOCK, "units", "auto", 1, 64, "auto",                        \
      "the same, tensor cores")                                                                                        \
    X(SM_UNITS_UNIFORM, "sm.units_uniform", COUNT, RESET | CLOCK, "units", "auto", 1, 64, "auto",                      \
      "the same, uniform datapath")                                                                                    \
    X(SM_UNITS_CONTROL, "sm.units_control", COUNT, RESET | CLOCK, "units", "auto", 1, 64, "auto",                      \
      "the same, branches")                                                                                            \
    X(SM_UNIT_SHARING, "sm.unit_sharing", CHOICE, RESET | CLOCK, "", "scheduler", 0, 0, "scheduler|sm",                \
      "whose units a scheduler's warps may use; scheduler: its own, and where there are fewer units than schedulers, " \
      "scheduler n has unit n modulo their number; sm: any of the SM")

#endif
