/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Asynchronous copies: LDGSTS, LDGDEPBAR, DEPBAR. A single warp on an SM; the first instruction issues in cycle 1, and
 * DEPBAR and LDGDEPBAR hold the warp for sm.latency_control. A load measures the time of a line.
 */

#define CONTROL 8u
#define COPY(pc, address) pc " ffffffff 0 LDGSTS.E.BYPASS 2 R4 R2 4 1 " address " 4\n"
#define COPY_THROUGH(pc, address) pc " ffffffff 0 LDGSTS.E 2 R4 R2 4 1 " address " 4\n"
#define COMMIT(pc) pc " ffffffff 0 LDGDEPBAR 0 0 0\n"
#define WAIT(pc, groups) pc " ffffffff 0 DEPBAR.LE 0 0 " groups "\n"
#define USE(pc) pc " ffffffff 1 R3 MOV 1 R1 0\n"

static measured_stats run(const char *lines, const char *key, const char *value) {
    rig *r = rig_open();
    static const char *const all[][2] = {{"mode", "timed"},
                                         {"launch.cycles", "0"},
                                         {"sm.latency_control", "8"},
                                         {"l1.replacement", "lru"},
                                         {"coherence", "none"}};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        set(r, all[n][0], all[n][1]);
    if (key)
        set(r, key, value);
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, 1, "", lines);
    const gpc_status status = run_file(r, "k.traceg", &s);
    cr_assert_eq(status, GPC_OK, "%s\n%s", r->error.message, lines);
    rig_close(r);
    return s;
}

/* Cycles from the issue of a load of a line held by no cache, in cycle 1, to the use; the EXIT follows at once. */
static uint64_t cycles_of_load(void) {
    static uint64_t found;
    if (!found)
        found = run(LOAD("0000", "0x100000") USE("0010") EXIT("0020"), NULL, NULL).cycles - 2;
    return found;
}

/*
 * The copy is issued in cycle 1 and done at 1 + L; the group is closed in cycle 2, and the DEPBAR could issue 8 later.
 * It waits from cycle 3 on, and EXIT issues 8 behind.
 */
Test(copies, a_group_is_waited_for) {
    const uint64_t load = cycles_of_load();
    const measured_stats s = run(COPY("0000", "0x100000") COMMIT("0010") WAIT("0020", "0") EXIT("0030"), NULL, NULL);
    cr_assert_gt(load, 50);
    cr_expect_eq(s.cycles, 1 + load + CONTROL, "%llu, %llu", (unsigned long long)s.cycles, (unsigned long long)load);
    cr_expect_eq(s.copy_groups, 1);
    cr_expect_eq(s.copy_waits, 1);
    cr_expect_eq(s.copy_wait_cycles, load - 2, "%llu", (unsigned long long)s.copy_wait_cycles);
    cr_expect_eq(s.scheduler_load_stalls + s.scheduler_latency_stalls + s.scheduler_issued, s.cycles);
}

/* Here the warp does not wait: with a group allowed under way, and without a DEPBAR. */
Test(copies, a_warp_goes_on) {
    const uint64_t load = cycles_of_load();
    static const char *const lines[] = {
        COPY("0000", "0x100000") COMMIT("0010") WAIT("0020", "1") EXIT("0030"),
        COPY("0000", "0x100000") COMMIT("0010") EXIT("0030"),
        COPY("0000", "0x100000") EXIT("0030"),
        COPY("0000", "0x100000") WAIT("0020", "0") EXIT("0030"),                              /* of no group */
        COPY("0000", "0x100000") "0010 0 0 LDGDEPBAR 0 0 0\n" WAIT("0020", "0") EXIT("0030"), /* predicated off */
        COPY("0000", "0x100000") COMMIT("0010") "0020 0 0 DEPBAR.LE 0 0 0\n" EXIT("0030"),
    };
    for (size_t n = 0; n < sizeof lines / sizeof *lines; n++) {
        const measured_stats s = run(lines[n], NULL, NULL);
        cr_expect_eq(s.copy_waits, 0, "%zu", n);
        /* but the block's shared memory is in use until the copy arrives */
        cr_expect_eq(s.cycles, 1 + load, "%zu: %llu, %llu", n, (unsigned long long)s.cycles, (unsigned long long)load);
        cr_expect_eq(s.l1_copy_requests, 1);
        cr_expect_eq(s.accepted, 1);
        cr_expect_eq(s.completed, 1);
    }
}

/*
 * Line A comes from memory, line B from L1, brought by an earlier load. Groups end in order: with A before B, DEPBAR 1
 * waits for A; with B before A, it does not.
 */
Test(copies, groups_end_in_order) {
#define BOTH(first, second)                                                                                   \
    LOAD("0000", "0x200000")                                                                                  \
    "0010 ffffffff 1 R3 MOV 1 R1 0\n" COPY_THROUGH("0020", first) COMMIT("0030") COPY_THROUGH("0040", second) \
        COMMIT("0050") WAIT("0060", "1") WAIT("0070", "0") EXIT("0080")
    measured_stats s = run(BOTH("0x100000", "0x200000"), NULL, NULL);
    cr_expect_eq(s.copy_waits, 1);
    const uint64_t waited = s.copy_wait_cycles;
    s = run(BOTH("0x200000", "0x100000"), NULL, NULL);
    cr_expect_eq(s.copy_waits, 2, "%llu", (unsigned long long)s.copy_waits);
    cr_expect_gt(waited, 50);
    cr_expect_lt(s.copy_wait_cycles, waited + 60);
    cr_expect_eq(s.copy_groups, 2);
}

/* Behind 63 groups under way LDGDEPBAR waits for the oldest; the 63rd does not. */
Test(copies, a_counter_has_six_bits) {
    static char lines[16384];
    for (unsigned groups = 63; groups <= 64; groups++) {
        strcpy(lines, COPY("0000", "0x100000"));
        for (unsigned n = 0; n < groups; n++)
            strcat(lines, COMMIT("0010"));
        strcat(lines, EXIT("0030"));
        const measured_stats s = run(lines, "dram.latency", "600");
        cr_expect_eq(s.copy_groups, groups);
        cr_expect_eq(s.copy_waits, groups > 63, "%u", groups);
    }
}

/* A copy past L1 leaves no line there, despite l1.bypass; a copy through L1 does, and can hit. */
Test(copies, past_and_through_l1) {
    static const char past[] = COPY("0000", "0x100000") COMMIT("0010") WAIT("0020", "0") LOAD("0030", "0x100000")
        USE("0040") COPY("0050", "0x100000") EXIT("0060");
    static const char through[] = COPY_THROUGH("0000", "0x100000") COMMIT("0010") WAIT("0020", "0")
        LOAD("0030", "0x100000") USE("0040") COPY_THROUGH("0050", "0x100000") EXIT("0060");
    for (int hints = 0; hints < 2; hints++) {
        measured_stats s = run(past, "l1.bypass", hints ? "hint" : "mrpb");
        cr_expect_eq(s.l1_copy_requests, 2);
        cr_expect_eq(s.l1_copy_sectors, 8);
        cr_expect_eq(s.l1_copy_passed_sectors, 8);
        cr_expect_eq(s.l1_load_sector_hits, 0);
        cr_expect_eq(s.l1_fetched_sectors, 4);
        cr_expect_eq(s.l2_read_sectors, 12);
        cr_expect_eq(s.l2_read_sector_hits, 8);
        s = run(through, "l1.bypass", hints ? "hint" : "mrpb");
        cr_expect_eq(s.l1_copy_sectors, 8);
        cr_expect_eq(s.l1_copy_passed_sectors, 0);
        cr_expect_eq(s.l1_load_sector_hits, 8);
        cr_expect_eq(s.l2_read_sectors, 4);
    }
}

/* Registers that a load would write are not waited for: R4 and R5 of the tracer's are sources. */
Test(copies, write_no_register) {
    const measured_stats s = run("0000 ffffffff 1 R8 LDGSTS.E.BYPASS 2 R4 R2 4 1 0x100000 4\n"
                                 "0010 ffffffff 1 R3 MOV 1 R8 0\n" COMMIT("0020") WAIT("0030", "0") EXIT("0040"),
                                 NULL, NULL);
    cr_expect_eq(s.cycles, 1 + cycles_of_load() + CONTROL);
    cr_expect_eq(s.copy_wait_cycles, cycles_of_load() - 3);
}

/* Without a clock no warp waits, and counters of waiting are absent; the sectors are equal. */
Test(copies, without_a_clock) {
    rig *r = rig_open();
    set(r, "mode", "functional");
    set(r, "l1.replacement", "lru");
    put_kernel(r, "k.traceg", 1, 1, "",
               COPY("0000", "0x100000") COMMIT("0010") WAIT("0020", "0") COPY_THROUGH("0030", "0x200000")
                   LOAD("0040", "0x200000") LOAD("0050", "0x100000") EXIT("0060"));
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.l1_copy_requests, 2);
    cr_expect_eq(s.l1_copy_sectors, 8);
    cr_expect_eq(s.l1_copy_passed_sectors, 4);
    cr_expect_eq(s.l1_load_sector_hits, 4); /* hits of the copy through L1 */
    cr_expect_eq(s.l2_read_sectors, 12);
    cr_expect_eq(s.copy_groups, GPC_ABSENT);
    cr_expect_eq(s.copy_wait_cycles, GPC_ABSENT);
    rig_close(r);
}

/* A deadlocked warp's copies are named. */
Test(copies, a_deadlock_names_them) {
    rig *r = rig_open();
    set(r, "mode", "timed");
    set(r, "dram.latency", "100000");
    set(r, "deadlock.cycles", "2000");
    put_kernel(r, "k.traceg", 1, 1, "", COPY("0000", "0x100000") COMMIT("0010") WAIT("0020", "0") EXIT("0030"));
    expect_error(r, run_file(r, "k.traceg", NULL), GPC_ERROR_STATE,
                 "(DEPBAR.LE) waits for groups of its copies, of which 1 are under way");
    rig_close(r);
}

#define BULK(pc, address, barrier) \
    pc " ffffffff 0 UBLKCP.S.G 3 UR4 UR8 M" barrier " 128 1 " address " 128\n" /* 32 rows of 128 bytes: 32 requests */
#define AT_BARRIER(pc, address) pc " ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 1 R8 8 1 " address " 0\n"

/* Run a kernel of a block, with lines per warp. */
static measured_stats run_warps(const char *const *lines, unsigned warps) {
    rig *r = rig_open();
    set(r, "mode", "timed");
    set(r, "launch.cycles", "0");
    set(r, "sm.latency_control", "8");
    set(r, "coherence", "none");
    begin_kernel(r, "k.traceg", 1, 32 * warps, "");
    begin_block(r, 0);
    for (unsigned w = 0; w < warps; w++)
        put_warp(r, w, lines[w]);
    end_block(r);
    end_kernel(r);
    measured_stats s;
    measured_clear(&s);
    const gpc_status status = run_file(r, "k.traceg", &s);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    rig_close(r);
    return s;
}

/*
 * A bulk copy is waited for at the copy's barrier, 0x40 of shared memory, by the own warp and by others; not at
 * another.
 */
Test(copies, bulk_copies_complete_at_their_barrier) {
    static const char *const own[] = {BULK("0000", "0x100000", "8") AT_BARRIER("0010", "0x40") EXIT("0020")};
    static const char *const window[] = {BULK("0000", "0x100000", "8") AT_BARRIER("0010", "0x7f0000000040")
                                             EXIT("0020")};
    static const char *const other[] = {BULK("0000", "0x100000", "8") AT_BARRIER("0010", "0x48") EXIT("0020")};
    static const char *const two[] = {BULK("0000", "0x100000", "8") EXIT("0020"),
                                      "0000 ffffffff 0 NOP 0 0\n" AT_BARRIER("0010", "0x40") EXIT("0020")};
    const measured_stats first = run_warps(own, 1);
    cr_expect(first.bulk_copies == 1 && first.bulk_requests == 32 && first.bulk_read_sectors == 128);
    cr_expect_eq(first.copy_waits, 1);
    cr_expect_gt(first.copy_wait_cycles, 80);
    cr_expect_eq(run_warps(window, 1).copy_wait_cycles, first.copy_wait_cycles);
    cr_expect_eq(run_warps(other, 1).copy_waits, 0);
    const measured_stats both = run_warps(two, 2);
    cr_expect_eq(both.copy_waits, 1);
    /* both wait from the cycle of the copy's sending, to the same end */
    cr_expect_eq(both.copy_wait_cycles, first.copy_wait_cycles);
    cr_expect_eq(both.accepted, both.completed);
}

/* Two copies have separate barriers, and the second ends later. */
Test(copies, barriers_are_apart) {
    static const char *const first[] = {BULK("0000", "0x100000", "8") BULK("0010", "0x200000", "9")
                                            AT_BARRIER("0020", "0x40") EXIT("0030")};
    static const char *const second[] = {BULK("0000", "0x100000", "8") BULK("0010", "0x200000", "9")
                                             AT_BARRIER("0020", "0x48") EXIT("0030")};
    static const char *const both[] = {BULK("0000", "0x100000", "8") BULK("0010", "0x200000", "8")
                                           AT_BARRIER("0020", "0x40") EXIT("0030")};
    const uint64_t one = run_warps(first, 1).copy_wait_cycles, later = run_warps(second, 1).copy_wait_cycles;
    cr_expect_geq(later, one + 30, "%llu, %llu", (unsigned long long)one, (unsigned long long)later); /* 32 requests */
    cr_expect_eq(run_warps(both, 1).copy_wait_cycles, later);
}

/* Bulk stores are groups: UTMACMDFLUSH closes, DEPBAR waits; a reduction is a bulk store, too. */
Test(copies, bulk_stores_are_groups) {
#define STORES(operation, groups)                                  \
    "0000 ffffffff 0 " operation " 2 UR4 UR8 128 1 0x100000 128\n" \
    "0010 ffffffff 0 UTMACMDFLUSH 0 0 0\n" WAIT("0020", groups) EXIT("0030")
    static const char *const waits[] = {STORES("UBLKCP.G.S", "0")}, *const goes[] = {STORES("UBLKCP.G.S", "1")},
                             *const sums[] = {STORES("UBLKRED.G.S.ADD.F32", "0")};
    measured_stats s = run_warps(waits, 1);
    cr_expect(s.copy_groups == 1 && s.copy_waits == 1 && s.l2_write_sectors == 128 && s.bulk_write_sectors == 128);
    s = run_warps(goes, 1);
    cr_expect(s.copy_groups == 1 && s.copy_waits == 0 && s.l2_write_sectors == 128);
    s = run_warps(sums, 1);
    cr_expect(s.copy_waits == 1 && s.l2_atomic_sectors == 128 && s.l2_write_sectors == 0);
}

/* Copies refused by the engine wait, and are taken finally; a tree refuses, by name. */
Test(copies, bulk_copies_that_are_refused) {
    static char lines[65536];
    lines[0] = 0;
    for (unsigned n = 0; n < 300; n++)
        snprintf(lines + strlen(lines), 128, BULK("0000", "0x%x", "%u"), n, 0x100000 + n * 4096);
    strcat(lines, EXIT("0010"));
    const char *const warps[] = {lines};
    const measured_stats s = run_warps(warps, 1);
    cr_expect(s.bulk_copies == 300 && s.bulk_completed == 300 && s.bulk_requests == 9600);
    cr_expect_gt(s.scheduler_memory_stalls, 1000);
    rig *r = rig_open();
    set(r, "mode", "timed");
    set(r, "l1.replacement", "lru");
    set(r, "coherence", "vi");
    put_kernel(r, "k.traceg", 1, 1, "", BULK("0000", "0x100000", "8") EXIT("0010"));
    expect_error(r, run_file(r, "k.traceg", NULL), GPC_ERROR_UNSUPPORTED, "trees of coherent modules");
    set(r, "mode", "functional");
    expect_error(r, run_file(r, "k.traceg", NULL), GPC_ERROR_ARGUMENT, "UBLKCP.S.G");
    rig_close(r);
}

#define REMOTE(pc) pc " ffffffff 1 R1 LD.E 1 R2 4 1 0x7f0001000400 4\n"
#define WINDOWS "-binary version = 90\n-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7f0040000000\n"

static measured_stats run_remote(unsigned warps, const char *lines, const char *latency, const char *interval) {
    rig *r = rig_open();
    set(r, "mode", "timed");
    set(r, "launch.cycles", "0");
    set(r, "sm.latency_cluster", latency);
    set(r, "sm.interval_cluster", interval);
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, warps, WINDOWS, lines);
    const gpc_status status = run_file(r, "k.traceg", &s);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    rig_close(r);
    return s;
}

/*
 * Another block's shared memory: the use issues at 1 + 180, EXIT behind; nothing reaches L1. Four warps share the SM's
 * way there: the last is sent at 1 + 3 x 4.
 */
Test(copies, shared_memory_of_a_cluster) {
    static const char lines[] = REMOTE("0000") "0010 ffffffff 1 R3 MOV 1 R1 0\n" EXIT("0020");
    measured_stats s = run_remote(1, lines, "180", "4");
    cr_expect_eq(s.cycles, 182, "%llu", (unsigned long long)s.cycles);
    cr_expect(s.cluster_accesses == 1 && s.cluster_bytes == 128);
    cr_expect(s.l1_load_requests == 0 && s.l2_read_sectors == 0 && s.accepted == 0);
    cr_expect_eq(run_remote(1, lines, "181", "4").cycles, 183);
    s = run_remote(4, lines, "180", "4");
    cr_expect_eq(s.cycles, 182 + 12, "%llu", (unsigned long long)s.cycles);
    cr_expect_eq(s.cluster_bytes, 512);
    cr_expect_eq(run_remote(4, lines, "180", "5").cycles, 182 + 15);
}
