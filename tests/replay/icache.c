/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Instruction caches: warps fetch lines, and misses are read from L2. */

#define MOV(pc, to) pc " ffffffff 1 " to " MOV 0 0\n"
/* Eight instructions: a line. */
#define EIGHT(pc)      \
    MOV(pc "00", "R1") \
    MOV(pc "10", "R2") \
    MOV(pc "20", "R3") MOV(pc "30", "R4") MOV(pc "40", "R5") MOV(pc "50", "R6") MOV(pc "60", "R7") MOV(pc "70", "R8")
/* An instruction in each of three lines. */
#define ROUND MOV("0000", "R1") MOV("0080", "R1") MOV("0100", "R1")

static rig *open_cached(const char *size, const char *ways) {
    rig *r = rig_open();
    static const char *const settings[][2] = {
        {"mode", "timed"},         {"sm.schedulers", "2"},   {"sm.fetch", "2"},    {"sm.fetch_latency", "2"},
        {"launch.cycles", "0"},    {"scheduler", "gto"},     {"l1i.line", "128B"}, {"l2.line", "128B"},
        {"l1i.mshr_entries", "4"}, {"kernels.flush", "none"}};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        set(r, settings[n][0], settings[n][1]);
    set(r, "l1i.size", size);
    set(r, "l1i.ways", ways);
    return r;
}

static measured_stats run(rig *r, unsigned warps, const char *lines) {
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, warps, "", lines);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.accepted, s.completed);
    cr_expect_eq(s.l1i_accesses - s.l1i_hits - s.l1i_merges, s.l2_instruction_read_sectors / 4);
    return s;
}

/* 16 instructions, two at a time, in two lines; and EXIT in a third. A branch, or not: the next line matters. */
Test(icache, lines_are_read_once) {
    rig *r = open_cached("1KiB", "4");
    const measured_stats s = run(r, 1, EIGHT("00") MOV("0080", "R1") MOV("0090", "R2") EXIT("0100"));
    cr_expect(s.l1i_accesses == 6 && s.l1i_hits == 3 && s.l1i_merges == 0, "%u, %u, %u", (unsigned)s.l1i_accesses,
              (unsigned)s.l1i_hits, (unsigned)s.l1i_merges);
    cr_expect_eq(s.l2_instruction_read_sectors, 12);
    cr_expect_eq(s.l2_instruction_read_sector_hits, 0);
    cr_expect_eq(s.dram_read_sectors, 12);
    cr_expect_eq(s.l1_load_requests, 0);
    cr_expect_eq(s.loads_completed, 0);
    rig_close(r);
}

/* Fetches of two instructions end with a line: instructions have 16 bytes from Volta on, and 8 bytes before. */
static void ends_with_lines(const char *version, unsigned bytes, unsigned accesses) {
    char lines[4096] = "";
    for (unsigned pc = bytes; pc < 256; pc += bytes)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%04x ffffffff 1 R1 MOV 0 0\n", pc);
    strcat(lines, EXIT("0100"));
    rig *r = open_cached("1KiB", "4");
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, 1, version, lines);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.l1i_accesses, accesses, "%s%u", version, (unsigned)s.l1i_accesses);
    rig_close(r);
}

Test(icache, fetches_end_with_lines) {
    ends_with_lines("-binary version = 70\n", 16, 4 + 4 + 1);
    ends_with_lines("-binary version = 61\n", 8, 8 + 8 + 1);
}

/* A miss takes as long as memory; then the line is present, also for the next launch of the kernel. */
Test(icache, misses_take_time_and_hits_do_not) {
    rig *r = open_cached("1KiB", "4");
    put_kernel(r, "k.traceg", 1, 1, "", EXIT("0000"));
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "k.traceg");
    const measured_stats first = run_kernel(r, replay, trace);
    gpc_trace_close(trace);
    trace = open_trace(r, "k.traceg");
    const measured_stats second = run_kernel(r, replay, trace);
    cr_expect_eq(second.cycles, 3);
    cr_expect_eq(second.l1i_hits, 1);
    cr_expect_eq(second.l1i_wait_cycles, 0);
    cr_expect_gt(first.l1i_wait_cycles, 50);
    cr_expect_eq(first.cycles, 3 + first.l1i_wait_cycles, "%u, %u", (unsigned)first.cycles,
                 (unsigned)first.l1i_wait_cycles);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Three lines in turn, four times: with three ways, each line is read once; with two, always again. */
Test(icache, reach_is_its_size) {
    rig *r = open_cached("384B", "3");
    measured_stats s = run(r, 1, ROUND ROUND ROUND ROUND EXIT("0000"));
    cr_expect(s.l1i_accesses == 13 && s.l1i_hits == 10, "%u, %u", (unsigned)s.l1i_accesses, (unsigned)s.l1i_hits);
    rig_close(r);
    r = open_cached("256B", "2");
    s = run(r, 1, ROUND ROUND ROUND ROUND EXIT("0000"));
    cr_expect(s.l1i_accesses == 13 && s.l1i_hits == 0, "%u, %u", (unsigned)s.l1i_accesses, (unsigned)s.l1i_hits);
    cr_expect_eq(s.l2_instruction_read_sectors, 13 * 4);
    cr_expect_eq(s.l2_instruction_read_sector_hits, 10 * 4); /* hits in L2 */
    rig_close(r);
}

/* Warps of a line wait for one read; without merges each warp tries again afterwards. */
Test(icache, merges_and_their_limit) {
    rig *r = open_cached("1KiB", "4");
    measured_stats s = run(r, 4, EXIT("0000"));
    cr_expect(s.l1i_accesses == 4 && s.l1i_hits == 0 && s.l1i_merges == 3, "%u", (unsigned)s.l1i_merges);
    rig_close(r);
    r = open_cached("1KiB", "4");
    set(r, "l1i.mshr_merges", "1");
    s = run(r, 4, EXIT("0000"));
    cr_expect(s.l1i_accesses == 4 && s.l1i_hits == 3 && s.l1i_merges == 0, "%u", (unsigned)s.l1i_hits);
    rig_close(r);
}

/* Two warps, a line each: with one MSHR entry the second line is read after the first has arrived. */
static uint64_t two_lines(const char *entries) {
    rig *r = open_cached("1KiB", "4");
    measured_stats s;
    measured_clear(&s);
    set(r, "l1i.mshr_entries", entries);
    begin_kernel(r, "k.traceg", 1, 64, "");
    begin_block(r, 0);
    put_warp(r, 0, EXIT("0000"));
    put_warp(r, 1, EXIT("0400"));
    end_block(r);
    end_kernel(r);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.l2_instruction_read_sectors, 8);
    rig_close(r);
    return s.cycles;
}

Test(icache, mshr_entries) {
    const uint64_t both = two_lines("2"), one = two_lines("1");
    cr_expect_gt(one, both + 50, "%u, %u", (unsigned)one, (unsigned)both);
    cr_expect_eq(two_lines("8"), both);
}

static unsigned misses;

static void count_miss(void *self, uint32_t set, const gpc_request *q) {
    (void)self, (void)set;
    misses += (q->address & 0xfff) >= 0x400;
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *q) {
    (void)self, (void)set, (void)q;
    uint32_t way = 0;
    while (candidates && !(candidates[0] >> way & 1))
        way++;
    return way;
}

/* A warp waiting for an MSHR entry tries again when an entry may be free, not on every event of the SM. */
Test(icache, looks_again_when_an_entry_may_be_free) {
    rig *r = open_cached("1KiB", "4");
    const gpc_replacement_ops counts = {
        .struct_size = sizeof counts, .name = "counts", .on_miss = count_miss, .choose_victim = first_way};
    cr_assert_eq(gpc_context_register_replacement(r->context, &counts, NULL, NULL, &r->error), GPC_OK);
    set(r, "l1i.replacement", "counts");
    set(r, "l1i.mshr_entries", "1");
    begin_kernel(r, "k.traceg", 1, 96, "");
    begin_block(r, 0);
    put_warp(r, 0, MOV("0000", "R1") EXIT("0400"));
    put_warp(r, 1, MOV("0000", "R1") EXIT("0800"));
    put_warp(r, 2, EIGHT("00") EIGHT("00") EIGHT("00") EIGHT("00") EIGHT("00") EIGHT("00") EXIT("0000"));
    end_block(r);
    end_kernel(r);
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.l2_instruction_read_sectors, 12);
    cr_expect(misses >= 3 && misses <= 5, "%u: the first, and the second until there is room", misses);
    rig_close(r);
}

/* Code and data share the SM's way to L2: a miss queue of one holds up both. */
Test(icache, leaves_through_the_miss_queue) {
    rig *r = open_cached("1KiB", "4");
    set(r, "l1.miss_queue", "1");
    set(r, "network.input_buffer", "1");
    const measured_stats s =
        run(r, 2, LOAD("0000", "0x1000") LOAD("0080", "0x2000") LOAD("0100", "0x3000") EXIT("0180"));
    cr_expect_eq(s.l2_instruction_read_sectors, 16);
    cr_expect_eq(s.loads_completed, 6);
    rig_close(r);
}

Test(icache, absent_without_one) {
    rig *r = open_cached("0", "4");
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, 1, "", EXIT("0000"));
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK);
    cr_expect_eq(s.l1i_accesses, GPC_ABSENT);
    cr_expect_eq(s.cycles, 3);
    rig_close(r);
}

static void expect_refused(const char *key, const char *value, const char *part) {
    rig *r = open_cached("1KiB", "4");
    gpc_replay *none;
    set(r, "l1.sectors", "1");
    set(r, key, value);
    expect_error(r, gpc_replay_create(r->context, r->config, &none, &r->error), GPC_ERROR_RANGE, part);
    rig_close(r);
}

Test(icache, what_has_no_effect_is_refused) {
    expect_refused("sm.fetch", "0", "l1i.size = 1KiB: needs sm.fetch");
    expect_refused("l1.line", "64", "l1i.line = 128B: must be at most l1.line");
    expect_refused("l1i.ways", "16", "less than one set");
}
