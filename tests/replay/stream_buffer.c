/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Prefetching of code; instruction caches of schedulers; code present at a launch. */

#define MOV(pc) pc " ffffffff 1 R1 MOV 0 0\n"
/* An instruction in each of eight lines. */
#define LINES MOV("0000") MOV("0080") MOV("0100") MOV("0180") MOV("0200") MOV("0280") MOV("0300") MOV("0380")

static rig *open_cached(const char *ahead) {
    rig *r = rig_open();
    static const char *const settings[][2] = {
        {"mode", "timed"},      {"sm.schedulers", "2"},    {"sm.fetch", "4"},    {"sm.fetch_latency", "1"},
        {"launch.cycles", "0"}, {"scheduler", "gto"},      {"l1i.line", "128B"}, {"l2.line", "128B"},
        {"l1i.size", "4KiB"},   {"l1i.mshr_entries", "4"}, {"l1i.ways", "4"},    {"kernels.flush", "none"}};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++)
        set(r, settings[n][0], settings[n][1]);
    set(r, "l1i.prefetch", ahead);
    return r;
}

static measured_stats run(rig *r, unsigned warps, const char *lines) {
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, warps, "", lines);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.accepted, s.completed);
    return s;
}

/* Prefetched lines were found, waited for, or useless. */
static void expect_sum(const measured_stats *s) {
    cr_expect_eq(s->l1i_prefetches, s->l1i_prefetch_hits + s->l1i_late_prefetches + s->l1i_unused_prefetches,
                 "%u = %u + %u + %u", (unsigned)s->l1i_prefetches, (unsigned)s->l1i_prefetch_hits,
                 (unsigned)s->l1i_late_prefetches, (unsigned)s->l1i_unused_prefetches);
    cr_expect_eq(s->l1i_prefetches + s->l1i_accesses - s->l1i_hits - s->l1i_merges - s->l1i_prefetch_hits,
                 s->l2_instruction_read_sectors / 4);
}

/* Straight code: every line but the first is prefetched. */
Test(stream_buffer, straight_code) {
    rig *r = open_cached("0");
    const measured_stats none = run(r, 1, LINES EXIT("0400"));
    cr_expect_eq(none.l1i_prefetches, GPC_ABSENT);
    cr_expect_eq(none.l2_instruction_read_sectors, 9 * 4);
    rig_close(r);
    r = open_cached("8");
    const measured_stats all = run(r, 1, LINES EXIT("0400"));
    expect_sum(&all);
    cr_expect_lt(all.l1i_wait_cycles, none.l1i_wait_cycles / 4, "%u, %u", (unsigned)all.l1i_wait_cycles,
                 (unsigned)none.l1i_wait_cycles);
    cr_expect_lt(all.cycles, none.cycles / 3);
    cr_expect_eq(all.l1i_prefetch_hits + all.l1i_late_prefetches, 8);
    cr_expect_eq(all.l1i_late_prefetches, all.l1i_merges);
    rig_close(r);
}

/* Two lines ahead: the third is prefetched when the first is reached. */
Test(stream_buffer, as_far_as_it_has_places) {
    rig *r = open_cached("2");
    const measured_stats s = run(r, 1, EXIT("0000"));
    cr_expect_eq(s.l1i_prefetches, 2);
    cr_expect_eq(s.l1i_prefetch_hits + s.l1i_late_prefetches, 0);
    rig_close(r);
    r = open_cached("2");
    const measured_stats next = run(r, 1, MOV("0000") EXIT("0080"));
    cr_expect_eq(next.l1i_prefetches, 3);
    cr_expect_eq(next.l1i_prefetch_hits + next.l1i_late_prefetches, 1);
    expect_sum(&next);
    rig_close(r);
}

/* A jump beyond the stream begins a new stream; prefetched lines were useless. A jump within continues the stream. */
Test(stream_buffer, jumps) {
    rig *r = open_cached("4");
    measured_stats s = run(r, 1, MOV("0000") EXIT("4000"));
    cr_expect_eq(s.l1i_prefetch_hits + s.l1i_late_prefetches, 0);
    cr_expect_eq(s.l1i_prefetches, 4 + 4);
    cr_expect_eq(s.l1i_merges, 0);
    rig_close(r);
    r = open_cached("4");
    s = run(r, 1, MOV("0000") EXIT("0180"));
    cr_expect_eq(s.l1i_prefetch_hits + s.l1i_late_prefetches, 1);
    cr_expect_geq(s.l1i_prefetches, 4 + 2, "those before it make room: %u", (unsigned)s.l1i_prefetches);
    rig_close(r);
}

/* Lines present, or in flight, are not prefetched again: back at the start, and with two warps. */
Test(stream_buffer, nothing_twice) {
    rig *r = open_cached("4");
    const measured_stats s = run(r, 2, LINES LINES EXIT("0000"));
    expect_sum(&s);
    cr_expect_eq(s.l2_instruction_read_sectors / 4, 8 + 4, "%u", (unsigned)s.l2_instruction_read_sectors / 4);
    rig_close(r);
}

/* A kernel does not wait for unused prefetches, and the next kernel has separate cycles. */
Test(stream_buffer, a_kernel_ends_without_it) {
    rig *r = open_cached("0");
    const uint64_t none = run(r, 1, EXIT("0000")).cycles;
    rig_close(r);
    r = open_cached("16");
    cr_expect_eq(run(r, 1, EXIT("0000")).cycles, none);
    rig_close(r);
}

#define NOP(pc) pc " ffffffff 0 NOP 0 0\n"
#define EIGHT(pc) \
    NOP(pc "00") NOP(pc "10") NOP(pc "20") NOP(pc "30") NOP(pc "40") NOP(pc "50") NOP(pc "60") NOP(pc "70")

static measured_stats second_of(const char *by) {
    rig *r = open_cached("0");
    measured_stats s;
    set(r, "sm.fetch", "1");
    set(r, "sm.fetch_by", by);
    set(r, "sm.schedulers", "4");
    put_kernel(r, "k.traceg", 1, 32, "", EIGHT("00") EXIT("0080"));
    gpc_replay *replay = open_replay(r);
    for (int n = 0; n < 2; n++) {
        gpc_trace *trace = open_trace(r, "k.traceg");
        s = run_kernel(r, replay, trace);
        gpc_trace_close(trace);
        if (!n)
            cr_expect_eq(s.l2_instruction_read_sectors / 4, strcmp(by, "sm") ? 8 : 2, "a line for each cache");
    }
    gpc_replay_destroy(replay);
    rig_close(r);
    return s;
}

/* A scheduler fetches for the scheduler's warps: several per cycle, from a separate cache. */
Test(stream_buffer, schedulers_fetch) {
    const measured_stats one = second_of("sm"), two = second_of("scheduler");
    cr_expect_eq(one.l1i_hits, 32 * 9);
    cr_expect_eq(two.l1i_hits, 32 * 9);
    cr_expect_lt(two.cycles, one.cycles * 3 / 4, "%u, %u", (unsigned)two.cycles, (unsigned)one.cycles);
}

/* Behind an L1.5 a scheduler's cache misses lines held by another's, and the next launch finds all lines there. */
Test(stream_buffer, before_an_l15) {
    rig *r = open_cached("4");
    set(r, "sm.fetch_by", "scheduler");
    set(r, "l15.size", "16KiB");
    set(r, "l1i.size", "512B");
    const measured_stats s = run(r, 4, LINES LINES EXIT("0000"));
    cr_expect_eq(s.l15_code_lines, s.l15_lines);
    cr_expect_eq(s.l15_code_lines - s.l15_code_line_hits - s.l15_line_merges, s.l2_instruction_read_sectors / 4);
    cr_expect_gt(s.l15_code_line_hits, 8);
    cr_expect_leq(s.l2_instruction_read_sectors / 4, 12);
    rig_close(r);
}

static void launch_twice(const char *code, const char *by, unsigned warps, measured_stats *first,
                         measured_stats *second) {
    rig *r = open_cached("0");
    set(r, "l15.size", "16KiB");
    set(r, "sm.fetch_by", by);
    set(r, "kernels.code", code);
    set(r, "launch.code", "true");
    put_kernel(r, "k.traceg", 1, warps, "", LINES EXIT("0000"));
    gpc_replay *replay = open_replay(r);
    for (int n = 0; n < 2; n++) {
        gpc_trace *trace = open_trace(r, "k.traceg");
        *(n ? second : first) = run_kernel(r, replay, trace);
        gpc_trace_close(trace);
    }
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Code at a launch: wherever caches have lines; not in the SM; in L2 from the first launch on. */
Test(stream_buffer, launches) {
    measured_stats a, b;
    launch_twice("kept", "sm", 1, &a, &b);
    cr_expect_eq(a.dram_read_sectors, 8 * 4, "and launch.code counts none again");
    cr_expect_eq(b.l1i_hits, 9);
    cr_expect_eq(b.l15_lines, 0);
    launch_twice("dropped", "sm", 1, &a, &b);
    cr_expect_eq(a.dram_read_sectors, 8 * 4);
    cr_expect_eq(b.l1i_hits, 1);
    cr_expect_eq(b.l15_code_line_hits, 0);
    cr_expect_eq(b.l2_instruction_read_sector_hits, 8 * 4);
    cr_expect_eq(b.dram_read_sectors, 0);
    launch_twice("l2", "sm", 1, &a, &b);
    cr_expect_eq(a.dram_read_sectors, 0);
    cr_expect_eq(a.l2_instruction_read_sector_hits, 8 * 4);
    cr_expect_eq(b.l1i_hits, 1);
    /* caches of all four schedulers, with a warp each */
    launch_twice("dropped", "scheduler", 4, &a, &b);
    cr_expect_eq(a.l1i_hits, 4);
    cr_expect_eq(b.l1i_hits, 4);
    launch_twice("kept", "scheduler", 4, &a, &b);
    cr_expect_eq(b.l1i_hits, 4 * 9);
}

static void refuse(const char *key, const char *value, const char *more, const char *with, const char *message) {
    rig *r = rig_open();
    gpc_replay *replay = NULL;
    set(r, "mode", "timed");
    set(r, key, value);
    if (more)
        set(r, more, with);
    cr_expect_lt(gpc_replay_create(r->context, r->config, &replay, &r->error), 0);
    cr_expect(strstr(r->error.message, message), "%s", r->error.message);
    rig_close(r);
}

Test(stream_buffer, refused) {
    refuse("sm.fetch_by", "scheduler", NULL, NULL, "sm.fetch_by = scheduler: needs sm.fetch");
    refuse("l1i.prefetch", "4", "sm.fetch", "2", "l1i.prefetch = 4: needs l1i.size");
    refuse("l15.size", "8KiB", "sm.fetch", "2", "l15.size = 8KiB: needs l1i.size or const.size");
    rig *r = open_cached("0");
    gpc_replay *replay = NULL;
    set(r, "kernels.code", "dropped");
    set(r, "streams", "2");
    cr_expect_lt(gpc_replay_create(r->context, r->config, &replay, &r->error), 0);
    cr_expect(strstr(r->error.message, "kernels.code = dropped: needs streams = 1"), "%s", r->error.message);
    rig_close(r);
}
