/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_RATIOS_H
#define GPUCACHE_RATIOS_H

/* Ratios of a hierarchy's counters. counters.h includes this header, and has the rules for ids. */

/* clang-format off */

/* Ratios of two counters: X(id, "name", numerator field, denominator field, "since", "meaning") */
#define GPC_RATIOS(X)                                                                                                 \
    X(149, "l1.load_hit_rate", l1_load_sector_hits, l1_load_sectors, "0.1", "load sectors found in L1")               \
    X(150, "l2.read_hit_rate", l2_read_sector_hits, l2_read_sectors, "0.1", "read sectors found in L2")               \
    X(151, "l1.load_utilisation", l1_load_bytes_used, l1_load_bytes_moved, "0.1",                                     \
      "bytes used of bytes moved by loads")                                                                           \
    X(152, "l1.sectors_per_load", l1_load_sectors, l1_load_requests, "0.1", "sectors per warp load")                  \
    X(153, "l1.lines_per_load", l1_load_lines, l1_load_requests, "0.1", "line transactions per warp load")            \
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

#endif
