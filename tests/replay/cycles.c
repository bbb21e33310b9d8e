/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * The issue stage, cycle by cycle. The first instruction of a kernel issues in cycle 1. Latencies: arithmetic 18,
 * special functions 40, shared memory 26, control 8. Intervals: arithmetic 1, special functions 8. All are defaults of
 * the keys, but set here.
 */

#define MOV(pc, to) pc " ffffffff 1 " to " MOV 0 0\n"
#define ADD(pc, to, from) pc " ffffffff 1 " to " IADD3 1 " from " 0\n"
#define SFU(pc, to) pc " ffffffff 1 " to " MUFU.RCP 0 0\n"
#define LDS(pc, to) pc " ffffffff 1 " to " LDS 1 R2 4 1 0x7f0000000000 4\n"
#define NOP(pc) pc " ffffffff 0 NOP 0 0\n"
#define FENCE(pc) pc " ffffffff 0 MEMBAR.SC.GPU 0 0\n"
#define STORE(pc, address) pc " ffffffff 0 STG.E 2 R2 R3 4 1 " address " 4\n"
#define FIRST_LOAD LOAD_TO("0000", "R8", "0x1000")
#define SECOND_LOAD LOAD_TO("0004", "R9", "0x1000")
#define LOAD_TO(pc, to, address) pc " ffffffff 1 " to " LDG.E 1 R2 4 1 " address " 4\n"

static rig *open_timed(void) {
    rig *r = rig_open();
    static const char *const settings[][2] = {
        {"mode", "timed"},           {"sm.schedulers", "1"},      {"sm.latency_alu", "18"}, {"sm.latency_sfu", "40"},
        {"sm.latency_shared", "26"}, {"sm.latency_control", "8"}, {"sm.interval_alu", "1"}, {"sm.interval_sfu", "8"},
        {"sm.interval_shared", "4"}, {"launch.cycles", "0"},      {"blocks.interval", "1"}, {"l1.replacement", "lru"},
        {"scheduler", "gto"}};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        set(r, settings[n][0], settings[n][1]);
    return r;
}

/* Every scheduler cycle is in one class, and every SM cycle counted. */
static void expect_whole(const measured_stats *s, unsigned schedulers) {
    cr_assert_eq(s->scheduler_cycles, s->cycles * schedulers);
    cr_assert_eq(s->scheduler_issued + s->scheduler_empty + s->scheduler_memory_stalls + s->scheduler_unit_stalls +
                     s->scheduler_load_stalls + s->scheduler_latency_stalls + s->scheduler_barrier_stalls +
                     s->scheduler_throttled,
                 s->scheduler_cycles);
    cr_assert_leq(s->scheduler_line_stalls + s->scheduler_mshr_stalls, s->scheduler_memory_stalls);
    cr_assert_leq(s->scheduler_line_stalls, s->l1_line_stalls * schedulers);
    cr_assert_leq(s->scheduler_mshr_stalls, (s->l1_mshr_stalls + s->l1_merge_stalls) * schedulers);
    cr_assert_eq(s->accepted, s->completed);
}

/* Run the existing kernel `k.traceg`. One SM. */
static measured_stats run_there(rig *r, unsigned schedulers) {
    measured_stats stats;
    measured_clear(&stats);
    gpc_status status = run_file(r, "k.traceg", &stats);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    expect_whole(&stats, schedulers);
    return stats;
}

/* A block with these lines per warp. */
static measured_stats run_warps(rig *r, unsigned schedulers, unsigned warps, const char *lines) {
    put_kernel(r, "k.traceg", 1, warps, "", lines);
    return run_there(r, schedulers);
}

static void expect_cycles(const char *lines, uint64_t cycles) {
    rig *r = open_timed();
    measured_stats stats = run_warps(r, 1, 1, lines);
    cr_assert_eq(stats.cycles, cycles, "%llu and not %llu:\n%s", (unsigned long long)stats.cycles,
                 (unsigned long long)cycles, lines);
    rig_close(r);
}

Test(cycles, exit_alone) {
    expect_cycles(EXIT("0000"), 1);
}

Test(cycles, independent_instructions) {
    expect_cycles(MOV("0000", "R1") MOV("0010", "R2") EXIT("0020"), 3);
}

/* 1, 1 + 18 = 19, 20. */
Test(cycles, dependent_instructions) {
    rig *r = open_timed();
    measured_stats s = run_warps(r, 1, 1, MOV("0000", "R1") ADD("0010", "R3", "R1") EXIT("0020"));
    cr_assert(s.cycles == 20 && s.scheduler_issued == 3 && s.scheduler_latency_stalls == 17);
    cr_assert(s.sm_cycles == 20 && s.sm_active_cycles == 20 && s.sm_warp_cycles == 20);
    rig_close(r);
}

#define BRANCH(pc) pc " ffffffff 0 BRA 0 0\n"

static uint64_t fetched(unsigned schedulers, unsigned warps, const char *lines) {
    rig *r = open_timed();
    char text[8];
    snprintf(text, sizeof text, "%u", schedulers);
    set(r, "sm.schedulers", text);
    set(r, "sm.fetch", "2");
    set(r, "sm.fetch_latency", "2");
    set(r, "sm.latency_control", "1");
    measured_stats s = run_warps(r, schedulers, warps, lines);
    rig_close(r);
    return s.cycles;
}

/* Two at a time: fetched in cycles 1, 4 and 7, issued in 3, 4, 6, 7 and 9. */
Test(cycles, instructions_are_fetched) {
    cr_expect_eq(fetched(1, 1, EXIT("0000")), 3);
    cr_expect_eq(fetched(1, 1, MOV("0000", "R1") MOV("0010", "R2") EXIT("0020")), 6);
    cr_expect_eq(fetched(1, 1, MOV("0000", "R1") MOV("0010", "R2") MOV("0020", "R3") MOV("0030", "R4") EXIT("0040")),
                 9);
}

/* A warp per cycle: the third begins two cycles after the first, though each has a separate scheduler. */
Test(cycles, a_cycle_fetches_for_one_warp) {
    cr_expect_eq(fetched(1, 1, EXIT("0000")), 3);
    cr_expect_eq(fetched(2, 2, EXIT("0000")), 4);
    cr_expect_eq(fetched(4, 3, EXIT("0000")), 5);
}

/* A taken branch in 3, the target fetched in 4; at the end of the buffer in 4: the next lines are fetched first. */
Test(cycles, a_taken_branch_drops_what_was_fetched) {
    cr_expect_eq(fetched(1, 1, BRANCH("0000") MOV("0100", "R1") EXIT("0110")), 7);
    cr_expect_eq(fetched(1, 1, MOV("0000", "R1") BRANCH("0010") MOV("0100", "R2") EXIT("0110")), 9);
    cr_expect_eq(fetched(1, 1, BRANCH("0000") MOV("0010", "R1") EXIT("0020")), 6, "not taken");
}

static uint64_t released(const char *when, unsigned blocks) {
    rig *r = open_timed();
    set(r, "sm.blocks", "1");
    set(r, "blocks.release", when);
    put_kernel(r, "k.traceg", blocks, 2, "", STORE("0000", "0x1000") EXIT("0010"));
    const measured_stats s = run_there(r, 1);
    rig_close(r);
    return s.cycles;
}

/* The second block of an SM with room for one: after the first's EXITs in 3 and 4, or after the stores are done. */
Test(cycles, blocks_are_released) {
    const uint64_t one = released("exit", 1), more = released("exit", 2);
    cr_expect_eq(released("writes", 1), one);
    cr_expect_lt(more, one + one / 4, "they overlap");
    cr_expect_eq(released("writes", 2), one + one, "the second's first instruction issues in the cycle behind");
}

/* A second write waits for the first, on any unit; 1, 41, 42. A zero register is no register. */
Test(cycles, writes_in_order) {
    expect_cycles(SFU("0000", "R1") MOV("0010", "R1") EXIT("0020"), 42);
    expect_cycles(SFU("0000", "R255") MOV("0010", "R255") ADD("0020", "R3", "R255") EXIT("0030"), 4);
}

/* P0, UR4 and R4 are three registers. */
Test(cycles, register_files) {
    expect_cycles(MOV("0000", "P0") MOV("0010", "UR4") ADD("0020", "R5", "R4") EXIT("0030"), 4);
    expect_cycles(MOV("0000", "P0") MOV("0010", "UR4") ADD("0020", "R5", "P0") EXIT("0030"), 20);
    expect_cycles(MOV("0000", "P0") MOV("0010", "UR4") ADD("0020", "R5", "UR4") EXIT("0030"), 21);
}

/* The unit takes an instruction in 8 cycles: 1, 9, 10. */
Test(cycles, busy_unit) {
    rig *r = open_timed();
    measured_stats s = run_warps(r, 1, 1, SFU("0000", "R1") SFU("0010", "R2") EXIT("0020"));
    cr_assert(s.cycles == 10 && s.scheduler_issued == 3 && s.scheduler_unit_stalls == 7);
    /* another unit is free: 1, 2, 9, 10 */
    s = run_warps(r, 1, 1, SFU("0000", "R1") MOV("0010", "R3") SFU("0020", "R2") EXIT("0030"));
    cr_assert(s.cycles == 10 && s.scheduler_issued == 4 && s.scheduler_unit_stalls == 6);
    rig_close(r);
}

/* Two warps for one unit: the second starts 8 cycles later: 1, 9; EXITs at 2 and 10. */
Test(cycles, two_warps_and_one_unit) {
    rig *r = open_timed();
    measured_stats s = run_warps(r, 1, 2, SFU("0000", "R1") EXIT("0010"));
    cr_assert(s.cycles == 10 && s.scheduler_issued == 4 && s.scheduler_unit_stalls == 6);
    set(r, "sm.schedulers", "2"); /* with a unit each */
    s = run_warps(r, 2, 2, SFU("0000", "R1") EXIT("0010"));
    cr_assert(s.cycles == 2 && s.scheduler_issued == 4);
    rig_close(r);
}

/* Shared memory is the SM's: 1 and 5. */
Test(cycles, shared_memory) {
    rig *r = open_timed();
    set(r, "sm.schedulers", "2");
    measured_stats s = run_warps(r, 2, 2, LDS("0000", "R1") EXIT("0010"));
    cr_assert(s.cycles == 6 && s.scheduler_issued == 4 && s.scheduler_unit_stalls == 4 && s.scheduler_empty == 4);
    rig_close(r);
    expect_cycles(LDS("0000", "R1") ADD("0010", "R3", "R1") EXIT("0020"), 28);
}

/* A branch holds only the branching warp: 1, 9. Predicated off, it takes a slot. */
Test(cycles, control) {
    expect_cycles(NOP("0000") EXIT("0010"), 9);
    expect_cycles("0000 00000000 0 NOP 0 0\n" EXIT("0010"), 2);
    expect_cycles("0000 00000000 1 R1 LDG.E 1 R2 0\n" ADD("0010", "R3", "R1") EXIT("0020"), 3);
}

/* With 2 instructions a cycle: MOV and NOP, and EXIT 8 after. A single unit takes only one: MOV, MOV and EXIT. */
Test(cycles, issue_width) {
    rig *r = open_timed();
    cr_assert_eq(run_warps(r, 1, 1, MOV("0000", "R1") NOP("0010") EXIT("0020")).cycles, 10);
    set(r, "sm.issue_width", "2");
    measured_stats s = run_warps(r, 1, 1, MOV("0000", "R1") NOP("0010") EXIT("0020"));
    cr_assert(s.cycles == 9 && s.warp_instructions == 3 && s.scheduler_issued == 2 && s.scheduler_latency_stalls == 7);
    s = run_warps(r, 1, 1, MOV("0000", "R1") MOV("0010", "R3") EXIT("0020"));
    cr_assert(s.cycles == 2 && s.scheduler_issued == 2);
    rig_close(r);
}

/* A load issues at 1; the use, in the cycle of completion; EXIT afterwards. */
Test(cycles, load_to_use) {
    rig *r = open_timed();
    measured_stats s = run_warps(r, 1, 1, LOAD_TO("0000", "R1", "0x1000") ADD("0010", "R3", "R1") EXIT("0020"));
    cr_assert_eq(s.loads_completed, 1);
    uint64_t latency = s.load_cycles;
    cr_assert_gt(latency, 100, "it comes from DRAM");
    cr_assert_eq(s.cycles, 1 + latency + 1);
    cr_assert_eq(s.scheduler_load_stalls, latency - 1);
    /* EXIT frees the registers, and so waits for loads without other uses. */
    s = run_warps(r, 1, 1, LOAD_TO("0000", "R1", "0x1000") MOV("0010", "R3") EXIT("0020"));
    cr_assert_eq(s.cycles, 1 + latency);
    cr_assert_eq(s.scheduler_load_stalls, latency - 2);
    rig_close(r);
}

/* A trace names the first register of a vector: R4 to R7 are written, R8 is not. */
Test(cycles, vector_load) {
    static const char *const wide = "0000 ffffffff 1 R4 LDG.E.128 1 R2 16 1 0x1000 16\n";
    static const char *const from[] = {"R3", "R4", "R7", "R8"};
    for (unsigned n = 0; n < 4; n++) {
        rig *r = open_timed();
        char lines[256];
        snprintf(lines, sizeof lines, "%s0010 ffffffff 1 R9 IADD3 1 %s 0\n%s", wide, from[n], EXIT("0020"));
        measured_stats s = run_warps(r, 1, 1, lines);
        bool waits = n == 1 || n == 2;
        cr_assert_eq(s.cycles, s.load_cycles + 1 + waits, "%s", from[n]);
        rig_close(r);
    }
}

/* Stores hold only the kernel's end, and a fence. */
Test(cycles, stores_and_fences) {
    rig *r = open_timed();
    measured_stats s = run_warps(r, 1, 1, STORE("0000", "0x1000") EXIT("0010"));
    cr_assert(s.scheduler_issued == 2 && s.scheduler_load_stalls == 0);
    uint64_t completed = s.cycles; /* issued at 1, EXIT at 2 */
    cr_assert_gt(completed, 10);
    cr_assert_eq(s.scheduler_empty, completed - 2);
    cr_assert_eq(s.sm_active_cycles, 2);
    s = run_warps(r, 1, 1, STORE("0000", "0x1000") FENCE("0010") EXIT("0020"));
    /* the fence issues after the store, and ends with the store; then the warp ends */
    cr_assert_eq(s.cycles, completed);
    cr_assert_eq(s.scheduler_load_stalls, completed - 3);
    cr_assert_eq(s.fences, 1);
    cr_assert_eq(s.fence_cycles, completed - 2);
    s = run_warps(r, 1, 1, FENCE("0000") EXIT("0010"));
    cr_assert_eq(s.cycles, 9, "nothing to wait for");
    cr_assert_eq(s.fence_cycles, 1, "to L1's tags");
    /* the warp waits at ERRBAR: then for the latency */
    s = run_warps(r, 1, 1, STORE("0000", "0x1000") "0010 ffffffff 0 ERRBAR 0 0\n" EXIT("0020"));
    cr_assert_eq(s.cycles, completed + 8);
    cr_assert_eq(s.fences, 0);
    /* within the thread block a store is visible once past L1's tags */
    s = run_warps(r, 1, 1, STORE("0000", "0x1000") "0010 ffffffff 0 MEMBAR.SC.CTA 0 0\n" EXIT("0020"));
    cr_assert_eq(s.cycles, completed, "the store");
    cr_assert_eq(s.fence_cycles, 1);
    cr_assert_eq(s.scheduler_load_stalls, 0);
    rig_close(r);
}

/*
 * A scheduler per warp. The first warp reaches the barrier at 1; the other after a dependent addition (1, 19) at 20.
 * The two continue 8 later, at 28: 18 cycles from 2 to 19 at the barrier, 20 to 27 for the latency.
 */
Test(cycles, barrier) {
    rig *r = open_timed();
    set(r, "sm.schedulers", "2");
    begin_kernel(r, "k.traceg", 1, 64, "");
    begin_block(r, 0);
    put_warp(r, 0, BARRIER("0000") EXIT("0010"));
    put_warp(r, 1, MOV("0000", "R1") ADD("0010", "R3", "R1") BARRIER("0020") EXIT("0030"));
    end_block(r);
    end_kernel(r);
    measured_stats s = run_there(r, 2);
    cr_assert(s.cycles == 28 && s.scheduler_issued == 2 + 4);
    cr_assert_eq(s.scheduler_barrier_stalls, 18);
    cr_assert_eq(s.scheduler_latency_stalls, 8 + 17 + 7);
    rig_close(r);
}

/* Loads and a barrier in two rounds; the second warp's trace lacks the first barrier. */
static measured_stats run_rounds(rig *r, const char *barrier) {
    char lines[256];
    begin_kernel(r, "k.traceg", 1, 64, "");
    begin_block(r, 0);
    put_warp(r, 0, FIRST_LOAD BARRIER("0010") SECOND_LOAD BARRIER("0010") EXIT("0020"));
    snprintf(lines, sizeof lines, "%s%s%s", FIRST_LOAD MOV("0008", "R1") ADD("000c", "R3", "R1") SECOND_LOAD, barrier,
             EXIT("0020"));
    put_warp(r, 1, lines);
    end_block(r);
    end_kernel(r);
    return run_there(r, 2);
}

/*
 * Warp 0 loads at 1, passes the first barrier at 2, loads at 10, and reaches the second at 11. Warp 1 loads at 2 (the
 * memory pipeline takes one load a cycle), moves at 3, adds at 21, loads at 22, and arrives at 23: 11 cycles from 12 to
 * 22. If warp 1's barrier is none of warp 0's, warp 0 waits at the first from 3 to 22, and at the second until warp 1
 * has ended, after the loads.
 */
Test(cycles, barrier_that_a_trace_lacks) {
    rig *r = open_timed();
    set(r, "sm.schedulers", "2");
    cr_assert_eq(run_rounds(r, BARRIER("0010")).scheduler_barrier_stalls, 11);
    cr_assert_gt(run_rounds(r, BARRIER("0018")).scheduler_barrier_stalls, 20);
    rig_close(r);
}

/* An ending warp lets others pass: EXIT at 19 (after the addition at 1), 19 + 8 = 27. */
Test(cycles, barrier_opens_at_exit) {
    rig *r = open_timed();
    set(r, "sm.schedulers", "2");
    begin_kernel(r, "k.traceg", 1, 64, "");
    begin_block(r, 0);
    put_warp(r, 0, BARRIER("0000") EXIT("0010"));
    put_warp(r, 1, MOV("0000", "R1") "0010 ffffffff 0 EXIT 1 R1 0\n");
    end_block(r);
    end_kernel(r);
    cr_assert_eq(run_there(r, 2).cycles, 27);
    rig_close(r);
}

#define CHAIN MOV("0000", "R1") ADD("0010", "R3", "R1") EXIT("0020")

/* In sequence: 1, 19, 20, and the next block from 21. */
Test(cycles, block_turnover) {
    rig *r = open_timed();
    set(r, "sm.blocks", "1");
    put_kernel(r, "k.traceg", 3, 1, "", CHAIN);
    measured_stats s = run_there(r, 1);
    cr_assert(s.cycles == 60 && s.blocks == 3 && s.sm_active_cycles == 60 && s.sm_warp_cycles == 60);
    set(r, "sm.blocks", "8");
    set(r, "sm.block_limit", "1");
    s = run_there(r, 1);
    cr_assert(s.cycles == 60 && s.blocks == 3 && s.sm_warp_cycles == 60);
    rig_close(r);
}

/* Blocks start some cycles apart: the third at 1 + 2 * 30. Between blocks the SM is empty. */
Test(cycles, block_interval) {
    rig *r = open_timed();
    set(r, "sm.blocks", "8");
    set(r, "blocks.interval", "30");
    put_kernel(r, "k.traceg", 3, 1, "", CHAIN);
    measured_stats s = run_there(r, 1);
    cr_assert(s.cycles == 80 && s.sm_active_cycles == 60 && s.scheduler_empty == 20);
    set(r, "blocks.interval", "0"); /* all at 1: warps 0, 1, 2 issue at 1 to 3, 19 to 21; EXIT of the first at 20 ... */
    s = run_there(r, 1);
    cr_assert_eq(s.cycles, 24, "six instructions, from 19 on");
    rig_close(r);
}

/*
 * One block after the other, 20 cycles each: the second starts 30 cycles after the first has ended. Two that end
 * together wait together.
 */
Test(cycles, block_latency) {
    rig *r = open_timed();
    set(r, "sm.blocks", "1");
    set(r, "blocks.latency", "30");
    put_kernel(r, "k.traceg", 3, 1, "", CHAIN);
    measured_stats s = run_there(r, 1);
    cr_assert(s.cycles == 3 * 20 + 2 * 30 && s.sm_active_cycles == 60, "%lu cycles", (unsigned long)s.cycles);
    set(r, "sm.count", "2");
    s = run_there(r, 2);
    cr_assert_eq(s.cycles, 2 * 20 + 30);
    set(r, "launch.cycles", "100");
    s = run_there(r, 2);
    cr_assert_eq(s.cycles, 100 + 2 * 20 + 30);
    rig_close(r);
}

/* On three SMs, still in sequence: the third at 61. */
Test(cycles, dispatch_interval) {
    rig *r = open_timed();
    set(r, "sm.count", "3");
    put_kernel(r, "k.traceg", 3, 1, "", CHAIN);
    cr_assert_eq(run_there(r, 3).cycles, 20);
    set(r, "blocks.dispatch_interval", "30");
    cr_assert_eq(run_there(r, 3).cycles, 80);
    rig_close(r);
}

/* Longer than the span of the clock's wheel. */
Test(cycles, launch) {
    rig *r = open_timed();
    set(r, "launch.cycles", "5000");
    measured_stats s = run_warps(r, 1, 1, EXIT("0000"));
    cr_assert(s.cycles == 5001 && s.scheduler_empty == 5000 && s.sm_active_cycles == 1);
    set(r, "sm.latency_alu", "3000");
    s = run_warps(r, 1, 1, CHAIN);
    cr_assert(s.cycles == 5000 + 3002 && s.scheduler_latency_stalls == 2999);
    rig_close(r);
}

/* A warp at a time: 1, 19, 20, then the other. From 2 to 18 the second was ready and held back. */
Test(cycles, warp_limit) {
    rig *r = open_timed();
    set(r, "sm.warp_limit", "1");
    measured_stats s = run_warps(r, 1, 2, CHAIN);
    cr_assert(s.cycles == 40 && s.scheduler_throttled == 17 && s.scheduler_latency_stalls == 17);
    set(r, "sm.warp_limit", "2"); /* 1 and 2, 19 and the first's EXIT at 20; 21, 22 */
    s = run_warps(r, 1, 2, CHAIN);
    cr_assert(s.cycles == 22 && s.scheduler_throttled == 0);
    rig_close(r);
}

/* The tags take a line a cycle: with 16 lines more, the second warp's load waits 16 cycles more. */
Test(cycles, memory_stalls) {
    uint64_t stalls[2];
    for (unsigned n = 0; n < 2; n++) {
        rig *r = open_timed();
        set(r, "l1.queue", "1");
        char lines[256];
        snprintf(lines, sizeof lines, "0000 %s 1 R1 LDG.E 1 R2 4 1 0x10000 128\n%s", n ? "ffffffff" : "0000ffff",
                 EXIT("0010"));
        measured_stats s = run_warps(r, 1, 2, lines);
        cr_assert_eq(s.l1_load_lines, n ? 64 : 32);
        stalls[n] = s.scheduler_memory_stalls;
        rig_close(r);
    }
    cr_assert_gt(stalls[0], 0);
    cr_assert_geq(stalls[1], stalls[0] + 16, "%llu, %llu", (unsigned long long)stalls[0],
                  (unsigned long long)stalls[1]);
}

/*
 * Reasons for waiting of the pipeline: L1 has room for one line of a set, or one entry; the first warp's second line
 * waits before L1 until the first arrives, and the second warp behind.
 */
Test(cycles, memory_stalls_by_reason) {
    for (unsigned mshr = 0; mshr < 2; mshr++) {
        rig *r = open_timed();
        set(r, "l1.queue", "1");
        set(r, mshr ? "l1.mshr_entries" : "l1.ways", "1");
        set(r, "l1.index", "modulo");
        measured_stats s = run_warps(r, 1, 2, "0000 00000003 1 R1 LDG.E 1 R2 4 0 0x100000 0x140000\n" EXIT("0010"));
        uint64_t reason = mshr ? s.scheduler_mshr_stalls : s.scheduler_line_stalls;
        uint64_t other = mshr ? s.scheduler_line_stalls : s.scheduler_mshr_stalls;
        cr_assert_eq(other, 0);
        cr_assert_gt(reason, 100, "DRAM's latency: %llu of %llu", (unsigned long long)reason,
                     (unsigned long long)s.scheduler_memory_stalls);
        cr_assert_leq(s.scheduler_memory_stalls - reason, 8, "but for the way to the tags");
        rig_close(r);
    }
}

/* Lines of one warp of each block; the other warp ends at once. */
#define AT(offset) " 0x7f1000000" offset
static const char *const busy_warps[13] = {
    [1] = "0020 00007fff 1 R4 LDG.E.128 2 R7 R0 16 0" AT("000") AT("180") AT("280") AT("380") AT("080") AT("480")
        AT("600") AT("700") AT("a00") AT("100") AT("b00") AT("b80") AT("c00") AT("d00") AT("e00") "\n",
    [2] = "0020 ffffffff 1 R3 LDG.E.CONSTANT 2 R0 R5 4 1" AT(
        "0fc") " 4\n"
               "0040 0000000f 1 R3 LDL 2 R2 R4 4 0 0x1b0 0x230 0xb0 0x130\n"
               "0070 00000001 0 STG.E.128 2 R6 R4 16 0" AT("150") "\n",
    [3] = "0040 16483b7b 1 R6 LDG.E.U8 2 R7 R10 1 1" AT("08c") " 128\n",
    [4] = "0010 00000007 0 STG.E.U8 2 R1 R11 1 0" AT("5ac") AT("92c") AT("9ac") "\n",
    [7] = "0030 000007ff 1 R0 LDG.E 2 R5 R4 4 0" AT("214") AT("314") AT("414") AT("494") AT("514") AT("594") AT("614")
        AT("714") AT("014") AT("914")
            AT("994") "\n"
                      "0050 ffffffff 1 R0 SHF.L.U32 2 R5 R6 0\n0070 00000001 1 R7 LDG.E.CONSTANT 2 R5 R0 4 1" AT(
                          "000") " 4\n",
    [11] = "0040 00000003 1 R0 LDG.E.64 2 R11 R11 8 0" AT("218") AT("098") "\n",
    [12] = "0010 ffffffff 0 STG.E.U8 2 R0 R6 1 1" AT("050") " 1\n0020 88cb2db9 0 STG.E.U8 2 R11 R8 1 1" AT(
        "080") " 128\n"
               "0030 00000003 1 R2 LDG.E.64 2 R8 R0 8 0" AT("100") AT("000") "\n" BARRIER("0060")};

/* L1's reason changes while a scheduler waits, whether the SM has a step then or not: threads have other steps. */
Test(cycles, memory_stalls_with_threads) {
    measured_stats stats[2];
    for (unsigned n = 0; n < 2; n++) {
        rig *r = rig_open();
        static const char *const settings[][2] = {
            {"mode", "timed"},         {"sm.blocks", "8"},  {"l1.sectors", "1"},    {"l2.sectors", "1"},
            {"l1.replacement", "lru"}, {"sm.count", "5"},   {"sm.schedulers", "2"}, {"l2.slices", "4"},
            {"dram.channels", "1"},    {"l2.size", "8KiB"}, {"l1.size", "1KiB"}};
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            set(r, settings[i][0], settings[i][1]);
        set(r, "threads", n ? "4" : "1");
        begin_kernel(r, "k.traceg", 13, 64, "-nregs = 24\n");
        for (unsigned block = 1; block < 13; block++) {
            char lines[1024];
            begin_block(r, block);
            snprintf(lines, sizeof lines, "%s%s", busy_warps[block] ? busy_warps[block] : "", EXIT("0140"));
            put_warp(r, 0, block == 12 ? BARRIER("0060") EXIT("0140") : lines);
            put_warp(r, 1, block == 12 ? lines : EXIT("0140"));
            end_block(r);
        }
        end_kernel(r);
        measured_clear(&stats[n]);
        cr_assert_eq(run_file(r, "k.traceg", &stats[n]), GPC_OK, "%s", r->error.message);
        rig_close(r);
    }
    cr_expect_gt(stats[0].scheduler_line_stalls, 0);
    cr_expect_eq(stats[0].scheduler_line_stalls, stats[1].scheduler_line_stalls);
    cr_expect(!memcmp(&stats[0], &stats[1], sizeof *stats));
}

/* Stores hold the warp for six cycles: issues in 1 and 7, EXIT in 13. Other instructions do not. */
Test(cycles, an_instruction_that_goes_to_l1_holds_its_warp) {
    for (unsigned hold = 0; hold <= 6; hold += 6) {
        rig *r = open_timed();
        set(r, "sm.hold_memory", hold ? "6" : "0");
        measured_stats s = run_warps(r, 1, 1, STORE("0000", "0x1000") STORE("0010", "0x2000") EXIT("0020"));
        cr_expect_eq(s.scheduler_latency_stalls, hold ? 10 : 0);
        s = run_warps(r, 1, 1, LDS("0000", "R1") MOV("0010", "R3") EXIT("0020"));
        cr_expect_eq(s.scheduler_latency_stalls, 0);
        rig_close(r);
    }
}

/* Two schedulers, a warp each, and a place before L1: the first warp's two loads go first, or the warps take turns. */
Test(cycles, schedulers_take_turns_at_the_memory_pipeline) {
    static const uint32_t warps[2][4] = {{0, 0, 1, 1}, {0, 1, 0, 1}};
    for (unsigned turns = 0; turns < 2; turns++) {
        rig *r = open_timed();
        set(r, "sm.schedulers", "2");
        set(r, "sm.memory_order", turns ? "turns" : "fixed");
        set(r, "l1.replacement", "watch");
        set(r, "l1.queue", "1");
        run_warps(r, 2, 2, LOAD_TO("0000", "R1", "0x1000") LOAD_TO("0010", "R3", "0x8000") EXIT("0020"));
        for (unsigned k = 0; k < 4; k++)
            cr_expect_eq(nth(r, SEEN_ACCESS, k)->warp, warps[turns][k], "turns %u, access %u", turns, k);
        rig_close(r);
    }
}

/* Order in which two warps with two loads each reach L1. */
Test(cycles, orders) {
    static const struct {
        const char *scheduler, *hold;
        uint32_t warps[4];
    } cases[] = {{"gto", "0", {0, 0, 1, 1}},
                 {"gto", "2", {0, 1, 0, 1}},
                 {"lrr", "0", {0, 1, 0, 1}},
                 {"oldest", "0", {0, 0, 1, 1}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = open_timed();
        set(r, "scheduler", cases[n].scheduler);
        set(r, "sm.hold_memory", cases[n].hold);
        set(r, "l1.replacement", "watch");
        set(r, "l1.queue", "16");
        run_warps(r, 1, 2, LOAD_TO("0000", "R1", "0x1000") LOAD_TO("0010", "R3", "0x8000") EXIT("0020"));
        for (unsigned k = 0; k < 4; k++)
            cr_assert_eq(nth(r, SEEN_ACCESS, k)->warp, cases[n].warps[k], "%s, access %u", cases[n].scheduler, k);
        cr_assert(how_many(r, SEEN_START) == 2 && how_many(r, SEEN_EXIT) == 2);
        rig_close(r);
    }
}
