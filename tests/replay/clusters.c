/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/*
 * Clusters of thread blocks: places and times of starts, barriers, multicast copies and phases of mbarriers. Eight SMs,
 * dealt out in pairs to two GPCs: 0, 1, 4, 5 and 2, 3, 6, 7. Another block is 100 cycles away.
 */

#define AWAY 100u
#define CONTROL 8u

static rig *open_clusters(const char *mode) {
    static const char *const all[][2] = {{"sm.count", "8"},           {"lrc.sms", "4"},
                                         {"lrc.layout", "in-turn"},   {"launch.cycles", "0"},
                                         {"sm.latency_control", "8"}, {"blocks.interval", "1"},
                                         {"coherence", "none"},       {"sm.latency_cluster", "100"}};
    rig *r = rig_open();
    set(r, "mode", mode);
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        set(r, all[n][0], all[n][1]);
    return r;
}

static const seen *start_of(const rig *r, uint32_t block) {
    for (unsigned n = 0; n < how_many(r, SEEN_START); n++)
        if (nth(r, SEEN_START, n)->block == block && nth(r, SEEN_START, n)->sm != UINT32_MAX)
            return nth(r, SEEN_START, n);
    cr_assert_fail("block %u did not start", block);
    return NULL;
}

/* The blocks of a cluster are on the SMs of a GPC, clusters go to GPCs in turn; with a clock and without. */
Test(clusters, are_placed_in_a_gpc) {
    static const char *const modes[] = {"timed", "functional"};
    static const uint32_t expected[] = {0, 1, 4, 5, 2, 3, 6, 7, 0, 1, 4, 5};
    for (unsigned mode = 0; mode < 2; mode++) {
        rig *r = open_clusters(modes[mode]);
        put_kernel(r, "k.traceg", 12, 1, "-cluster dim = (4,1,1)\n", LOAD("0000", "0x100000") EXIT("0010"));
        cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
        for (uint32_t block = 0; block < 12; block++)
            cr_expect_eq(start_of(r, block)->sm, expected[block], "%s, %u: %u", modes[mode], block,
                         start_of(r, block)->sm);
        rig_close(r);
    }
}

/* Keys apply if the trace has no dimensions; with two dimensions the blocks of a cluster are not consecutive. */
Test(clusters, dimensions_from_keys) {
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 5, 6, 7};
    rig *r = open_clusters("timed");
    set(r, "blocks.cluster_x", "2");
    set(r, "blocks.cluster_y", "2");
    begin_kernel(r, "k.traceg", 1, 32, "-grid dim = (4,2,1)\n");
    for (unsigned block = 0; block < 8; block++) {
        fprintf(r->file, "#BEGIN_TB\nthread block = %u,%u,0\n", block % 4, block / 4);
        put_warp(r, 0, LOAD("0000", "0x100000") EXIT("0010"));
        end_block(r);
    }
    end_kernel(r);
    cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
    for (uint32_t block = 0; block < 8; block++)
        cr_expect_eq(start_of(r, block)->sm, expected[block], "%u: %u", block, start_of(r, block)->sm);
    rig_close(r);
}

/*
 * With room for a block per SM, the second cluster of two waits until the two SMs are free, though one is free long
 * before.
 */
Test(clusters, start_together) {
    rig *r = open_clusters("timed");
    set(r, "sm.count", "2");
    set(r, "sm.block_limit", "1");
    begin_kernel(r, "k.traceg", 4, 32, "-cluster dim = (2,1,1)\n");
    for (unsigned block = 0; block < 4; block++) {
        begin_block(r, block);
        put_warp(r, 0,
                 block == 1 ? LOAD("0000", "0x100000") "0010 ffffffff 1 R3 MOV 1 R1 0\n" EXIT("0020") : EXIT("0020"));
        end_block(r);
    }
    end_kernel(r);
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    unsigned starts = 0, ends = 0;
    for (unsigned n = 0; n < r->count; n++) {
        ends += r->seen[n].kind == SEEN_EXIT && r->seen[n].sm != UINT32_MAX;
        starts += r->seen[n].kind == SEEN_START && r->seen[n].sm != UINT32_MAX;
        if (starts > 2)
            cr_expect_geq(ends, 2);
    }
    cr_expect_eq(starts, 4);
    rig_close(r);
}

/* With a map, too, a cluster waits for the SM of every block, the first or the second. */
Test(clusters, wait_for_each_sm_of_a_map) {
    for (unsigned slow = 0; slow < 2; slow++) {
        rig *r = open_clusters("timed");
        set(r, "sm.count", "2");
        set(r, "sm.block_limit", "1");
        begin_kernel(r, "k.traceg", 4, 32, "-cluster dim = (2,1,1)\n");
        for (unsigned block = 0; block < 4; block++) {
            begin_block(r, block);
            put_warp(r, 0,
                     block == slow ? LOAD("0000", "0x100000") "0010 ffffffff 1 R3 MOV 1 R1 0\n" EXIT("0020")
                                   : EXIT("0020"));
            end_block(r);
        }
        end_kernel(r);
        write_text(r, "k.sm", "0\n1\n0\n1\n");
        set(r, "blocks.placement", "map");
        cr_assert_eq(run_file(r, "k.traceg", NULL), GPC_OK, "%s", r->error.message);
        unsigned starts = 0, ends = 0;
        for (unsigned n = 0; n < r->count; n++) {
            ends += r->seen[n].kind == SEEN_EXIT && r->seen[n].sm != UINT32_MAX;
            starts += r->seen[n].kind == SEEN_START && r->seen[n].sm != UINT32_MAX;
            if (starts > 2)
                cr_expect_geq(ends, 2, "block %u is slow", slow);
        }
        cr_expect_eq(starts, 4);
        rig_close(r);
    }
}

/* Impossible placements are refused, with a reason. */
Test(clusters, refused) {
    static const struct {
        const char *key, *value, *header, *expected;
        gpc_status status;
    } cases[] = {
        {"blocks.cluster_x", "5", "", "do not fill the grid", GPC_ERROR_RANGE},
        {"sm.block_limit", "1", "-cluster dim = (8,1,1)\n", "does not fit a GPC, of 4 SMs", GPC_ERROR_RANGE},
        {"sample", "intervals", "-cluster dim = (2,1,1)\n", "sample = intervals stops between", GPC_ERROR_UNSUPPORTED},
        {"blocks.cluster_y", "16", "-grid dim = (16,16,1)\n", NULL, GPC_OK},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = open_clusters("timed");
        set(r, cases[n].key, cases[n].value);
        if (!cases[n].expected)
            set(r, "blocks.cluster_x", "2");
        put_kernel(r, "k.traceg", 16, 1, cases[n].header, EXIT("0000"));
        const gpc_status status = run_file(r, "k.traceg", NULL);
        if (cases[n].expected)
            expect_error(r, status, cases[n].status, cases[n].expected);
        else
            expect_error(r, status, GPC_ERROR_RANGE, "2 x 16 x 1 thread blocks is more than 16");
        rig_close(r);
    }
}

/* An impossible header is refused. */
Test(clusters, refused_header) {
    rig *r = open_clusters("timed");
    gpc_trace *trace = NULL;
    put_kernel(r, "k.traceg", 16, 1, "-cluster dim = (5,1,1)\n", EXIT("0000"));
    expect_error(r, gpc_trace_open(r->context, path_of(r, "k.traceg"), &trace, &r->error), GPC_ERROR_FORMAT,
                 "cluster dimensions that divide");
    rig_close(r);
}

#define MEET(pc) pc " ffffffff 0 UCGABAR_WAIT 0 0\n"

static measured_stats run_blocks(const char *const *lines, unsigned blocks, const char *header) {
    rig *r = open_clusters("timed");
    begin_kernel(r, "k.traceg", blocks, 32, header);
    for (unsigned b = 0; b < blocks; b++) {
        begin_block(r, b);
        put_warp(r, 0, lines[b]);
        end_block(r);
    }
    end_kernel(r);
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    rig_close(r);
    return s;
}

/* Blocks meet: the idle block waits for the other's load, and both continue 100 cycles later. */
Test(clusters, barrier) {
    static const char load[] = LOAD("0000", "0x100000") "0010 ffffffff 1 R3 MOV 1 R1 0\n";
    static char waits[256];
    snprintf(waits, sizeof waits, "%s" MEET("0020") EXIT("0030"), load);
    static char alone[256];
    snprintf(alone, sizeof alone, "%s" EXIT("0020"), load);
    const char *const one[] = {alone}, *const two[] = {waits, MEET("0020") EXIT("0030")};
    const uint64_t cycles = run_blocks(one, 1, "").cycles; /* the EXIT is at the other's barrier */
    const measured_stats s = run_blocks(two, 2, "-cluster dim = (2,1,1)\n");
    cr_expect_eq(s.cluster_barriers, 2);
    cr_expect_geq(s.cycles, cycles + AWAY);
    cr_expect_leq(s.cycles, cycles + AWAY + CONTROL + 2, "%llu, %llu", (unsigned long long)s.cycles,
                  (unsigned long long)cycles);
    const measured_stats apart = run_blocks(two, 2, "");
    cr_expect_eq(apart.cluster_barriers, 0);
    cr_expect_lt(apart.cycles, cycles + AWAY);
}

#define INIT(pc, count) pc " 1 0 SYNCS.EXCH.64 4 UR4 V0 V" count " M8 0\n"
#define EXPECT(pc, bytes) pc " 1 0 SYNCS.ARRIVE.TRANS64 6 R4 V0 V" bytes " V0 V1 M8 0\n"
#define ARRIVE(pc, rank) pc " 1 0 SYNCS.ARRIVE.TRANS64.RED.A1T0 6 R4 V0 V0 V" rank " V1 M8 0\n" /* 64: rank 0, ... */
#define COPY(pc, mask) pc " ffffffff 0 UBLKCP.S.G.MULTICAST 4 UR4 V0 V" mask " M8 128 1 0x100000 128\n"
#define CHECK(pc, parity) pc " ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 4 R8 V0 V" parity " M8 0\n"

/* A block copies 4 KiB to both blocks; each block waits for a phase of the own barrier. L2 reads the data once. */
Test(clusters, multicast) {
    static const char *const blocks[] = {
        INIT("0000", "1") EXPECT("0010", "4096") MEET("0020") COPY("0030", "3") CHECK("0040", "0") EXIT("0050"),
        INIT("0000", "1") EXPECT("0010", "4096") MEET("0020") "0030 0 0 NOP 0 0\n" CHECK("0040", "0") EXIT("0050")};
    const measured_stats s = run_blocks(blocks, 2, "-cluster dim = (2,1,1)\n");
    cr_expect(s.bulk_copies == 1 && s.bulk_multicast_copies == 1 && s.bulk_requests == 32);
    cr_expect(s.l2_read_sectors == 128 && s.bulk_read_sectors == 128 && s.bulk_multicast_sectors == 128);
    cr_expect_eq(s.network_replies, 64, "%llu", (unsigned long long)s.network_replies);
    cr_expect(s.mbarrier_phases == 2 && s.mbarrier_arrivals == 2);
    cr_expect(s.mbarrier_checks == 2 && s.mbarrier_untold_checks == 0);
    cr_expect_eq(s.copy_waits, 2);
    cr_expect_eq(s.accepted, s.completed);
    /* without clusters a copy goes to the own block, and the other waits in vain: the mask is ignored */
    static const char *const own[] = {INIT("0000", "1") EXPECT("0010", "4096") COPY("0030", "3") CHECK("0040", "0")
                                          EXIT("0050")};
    const measured_stats alone = run_blocks(own, 1, "");
    cr_expect(alone.bulk_multicast_copies == 0 && alone.mbarrier_phases == 1);
}

/* A warp waits for a copy not sent yet, according to the phase; without a phase it continues, and is counted. */
Test(clusters, phases_are_waited_for) {
#define SLOW LOAD("0000", "0x200000") "0010 ffffffff 1 R3 MOV 1 R1 0\n"
    rig *r;
    for (unsigned told = 0; told < 2; told++) {
        r = open_clusters("timed");
        begin_kernel(r, "k.traceg", 1, 64, "");
        begin_block(r, 0);
        put_warp(r, 0,
                 told ? INIT("0000", "1") SLOW EXPECT("0020", "4096") COPY("0030", "0") EXIT("0040")
                      : SLOW COPY("0030", "0") EXIT("0040"));
        put_warp(r, 1, "0000 ffffffff 0 NOP 0 0\n" CHECK("0010", "0") EXIT("0020"));
        end_block(r);
        end_kernel(r);
        measured_stats s;
        measured_clear(&s);
        cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
        cr_expect_eq(s.copy_waits, told, "%u", told);
        cr_expect_eq(s.mbarrier_untold_checks, !told);
        cr_expect_eq(s.mbarrier_phases, told);
        rig_close(r);
    }
}

/* Phases end in sequence, and a wait is for a parity: even phases for 0, odd phases for 1. */
Test(clusters, parity) {
    static const char *const good[] = {INIT("0000", "1") CHECK("0010", "1") EXPECT("0020", "0") CHECK("0030", "0")
                                           EXPECT("0040", "0") CHECK("0050", "1") EXIT("0060")};
    const measured_stats s = run_blocks(good, 1, "");
    cr_expect(s.mbarrier_phases == 2 && s.copy_waits == 0 && s.mbarrier_untold_checks == 0);
    rig *r = open_clusters("timed");
    set(r, "deadlock.cycles", "2000");
    put_kernel(r, "k.traceg", 1, 1, "", INIT("0000", "1") EXPECT("0010", "0") CHECK("0020", "1") EXIT("0030"));
    expect_error(r, run_file(r, "k.traceg", NULL), GPC_ERROR_STATE,
                 "the barrier at 0x40 of shared memory, or its phase");
    rig_close(r);
}

/* Bytes out of bounds do not come: a copy's half in bounds ends the phase, and so does a copy without any. */
Test(clusters, bytes_out_of_bounds) {
#define OUTSIDE(pc, mask) pc " 1 0 UBLKCP.S.G 6 UR4 V0 V" mask " V0 V4096 M8 0\n"
#define HALF(pc, mask) pc " 0000ffff 0 UBLKCP.S.G 6 UR4 V0 V" mask " V0 V2048 M8 128 1 0x100000 128\n"
#define EXPECTS INIT("0000", "1") EXPECT("0010", "4096")
    static const char *const half[] = {EXPECTS HALF("0020", "0") CHECK("0030", "0") EXIT("0040")};
    static const char *const none[] = {EXPECTS OUTSIDE("0020", "0") CHECK("0030", "0") EXIT("0040")};
    static const char *const masked[] = {EXPECTS OUTSIDE("0020", "2") CHECK("0030", "0") EXIT("0040")};
    const measured_stats s = run_blocks(half, 1, ""), empty = run_blocks(none, 1, ""), own = run_blocks(masked, 1, "");
    cr_expect_eq(own.mbarrier_phases, 1, "without clusters the mask is ignored");
    cr_expect(s.mbarrier_phases == 1 && s.bulk_copies == 1 && s.copy_waits == 1 && s.mbarrier_untold_checks == 0);
    cr_expect(empty.mbarrier_phases == 1 && empty.bulk_copies == 0 && empty.copy_waits == 0);
    /* bytes of a multicast copy, at both blocks */
    static const char *const halves[] = {EXPECTS MEET("0020") HALF("0030", "3") CHECK("0040", "0") EXIT("0050"),
                                         EXPECTS MEET("0020") "0030 0 0 NOP 0 0\n" CHECK("0040", "0") EXIT("0050")};
    static const char *const nones[] = {EXPECTS MEET("0020") SLOW OUTSIDE("0030", "3") CHECK("0040", "0") EXIT("0050"),
                                        EXPECTS MEET("0020") "0030 0 0 NOP 0 0\n" CHECK("0040", "0") EXIT("0050")};
    const measured_stats both = run_blocks(halves, 2, "-cluster dim = (2,1,1)\n"),
                         neither = run_blocks(nones, 2, "-cluster dim = (2,1,1)\n");
    cr_expect(both.mbarrier_phases == 2 && both.bulk_multicast_copies == 1 && both.mbarrier_untold_checks == 0);
    cr_expect(neither.mbarrier_phases == 2 && neither.bulk_copies == 0 && neither.copy_waits == 1);
}

/* An arrival without numbers adds none, and makes the count unknown until the barrier is made anew. */
Test(clusters, arrivals_without_numbers) {
    static const char *const lines[] = {INIT("0000", "1") COPY(
        "0010", "0") "0020 ffffffff 1 RZ SYNCS.ARRIVE.TRANS64 1 R4 8 1 0x40 0\n" CHECK("0030", "0") INIT("0040", "1")
                                            EXPECT("0050", "0") CHECK("0060", "0") EXIT("0070")};
    const measured_stats s = run_blocks(lines, 1, "");
    cr_expect_eq(s.mbarrier_arrivals, 1, "%llu", (unsigned long long)s.mbarrier_arrivals);
    cr_expect(s.mbarrier_phases == 1 && s.mbarrier_checks == 2 && s.mbarrier_untold_checks == 1 && s.copy_waits == 1);
}

/* A barrier made anew expects no bytes of the phase before; made without a number, or after more arrivals than expected,
 * the barrier has an unknown count. */
Test(clusters, counts_of_barriers) {
#define ARRIVALS(pc, count) pc " 1 0 SYNCS.ARRIVE.TRANS64 6 R4 V0 V0 V0 V" count " M8 0\n"
    static const char *const anew[] = {INIT("0000", "1") EXPECT("0010", "4096") INIT("0020", "1") ARRIVE("0030", "0")
                                           CHECK("0040", "0") EXIT("0050")};
    static const char *const without[] = {"0000 1 0 SYNCS.EXCH.64 2 UR4 M8 0\n" ARRIVALS("0010", "1") CHECK("0020", "0")
                                              EXIT("0030")};
    static const char *const more[] = {INIT("0000", "1") ARRIVALS("0010", "2") CHECK("0020", "0") EXIT("0030")};
    measured_stats s = run_blocks(anew, 1, "");
    cr_expect(s.mbarrier_phases == 1 && s.copy_waits == 0 && s.mbarrier_untold_checks == 0);
    s = run_blocks(without, 1, "");
    cr_expect(s.mbarrier_phases == 0 && s.mbarrier_arrivals == 1 && s.mbarrier_untold_checks == 1);
    s = run_blocks(more, 1, "");
    cr_expect(s.mbarrier_phases == 0 && s.mbarrier_arrivals == 2 && s.mbarrier_untold_checks == 1);
    /* without clusters an arrival at another block's barrier is at the own */
    static const char *const away[] = {INIT("0000", "1") ARRIVE("0010", "128") CHECK("0020", "0") EXIT("0030")};
    cr_expect_eq(run_blocks(away, 1, "").mbarrier_phases, 1);
}

/* An SM has 256 barriers, which an ended block leaves to the next: of 257, each block lacks the last. */
Test(clusters, places_of_ended_blocks) {
    enum { PLACES = 256 };
    static char lines[PLACES * 140];
    size_t at = 0;
    for (unsigned n = 0; n <= PLACES; n++)
        at += (size_t)snprintf(lines + at, sizeof lines - at,
                               "0000 1 0 SYNCS.EXCH.64 4 UR4 V0 V1 M%u 0\n"
                               "0010 1 0 SYNCS.ARRIVE.TRANS64 6 R4 V0 V0 V0 V1 M%u 0\n",
                               n, n);
    snprintf(lines + at, sizeof lines - at, "0020 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 4 R8 V0 V0 M%u 0\n%s",
             PLACES, EXIT("0030"));
    rig *r = open_clusters("timed");
    set(r, "sm.count", "1");
    set(r, "lrc.sms", "1");
    set(r, "sm.blocks", "1");
    put_kernel(r, "k.traceg", 3, 1, "", lines);
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.mbarrier_phases, 3 * PLACES, "%llu", (unsigned long long)s.mbarrier_phases);
    cr_expect(s.mbarrier_checks == 3 && s.mbarrier_untold_checks == 3);
    rig_close(r);
}

/* Warps behind the first 64 of an SM wait, and are told, too. */
Test(clusters, phases_of_many_warps) {
    rig *r = open_clusters("timed");
    set(r, "sm.count", "1");
    set(r, "lrc.sms", "1");
    set(r, "sm.blocks", "3");
    set(r, "sm.warps", "96");
    set(r, "sm.registers", "1000000");
    begin_kernel(r, "k.traceg", 3, 1024, "");
    for (unsigned b = 0; b < 3; b++) {
        begin_block(r, b);
        for (unsigned w = 0; w < 32; w++)
            put_warp(r, w,
                     w == 1 ? INIT("0000", "1")
                                  LOAD("0010", "0x200000") "0020 ffffffff 1 R3 MOV 1 R1 0\n" ARRIVE("0030", "0")
                                      EXIT("0040")
                            : "0000 ffffffff 0 NOP 0 0\n0010 ffffffff 0 NOP 0 0\n" CHECK("0020", "0") EXIT("0030"));
        end_block(r);
    }
    end_kernel(r);
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect(s.mbarrier_phases == 3 && s.mbarrier_untold_checks == 0);
    cr_expect_lt(s.cycles, 400, "%llu", (unsigned long long)s.cycles);
    cr_expect_eq(s.copy_waits, 3 * 31, "%llu", (unsigned long long)s.copy_waits);
    rig_close(r);
}

/* A barrier of two arrivals: by the own block, and by the other block, 100 cycles away. */
Test(clusters, remote_arrivals) {
    static const char *const both[] = {INIT("0000", "2") MEET("0010") ARRIVE("0020", "0") CHECK("0030", "0")
                                           EXIT("0040"),
                                       "0000 0 0 NOP 0 0\n" MEET("0010") ARRIVE("0020", "64") EXIT("0030")};
    static const char *const own[] = {INIT("0000", "1") MEET("0010") ARRIVE("0020", "0") CHECK("0030", "0")
                                          EXIT("0040"),
                                      "0000 0 0 NOP 0 0\n" MEET("0010") EXIT("0030")};
    const measured_stats s = run_blocks(both, 2, "-cluster dim = (2,1,1)\n"),
                         near = run_blocks(own, 2, "-cluster dim = (2,1,1)\n");
    cr_expect(s.mbarrier_phases == 1 && s.mbarrier_arrivals == 2 && s.copy_waits == 1);
    cr_expect_eq(near.copy_waits, 0);
    cr_expect_geq(s.cycles, near.cycles + AWAY - 2);
    cr_expect_leq(s.cycles, near.cycles + AWAY + 4, "%llu, %llu", (unsigned long long)s.cycles,
                  (unsigned long long)near.cycles);
}

#define FUNCTION(pc, to) pc " ffffffff 1 R" to " MUFU.EX2 1 R3 0\n"
#define USE(pc, of) pc " ffffffff 1 R9 MOV 1 R" of " 0\n"

/* Cycles of a warp alone, and of the warp with another, which waits for a phase that the first ends. */
static void run_with_waiting(const char *slow, uint64_t cycles[2]) {
    static const char waits[] =
        "0000 ffffffff 0 NOP 0 0\n" CHECK("0010", "0") FUNCTION("0020", "10") USE("0030", "10") EXIT("0040");
    for (unsigned both = 0; both < 2; both++) {
        rig *r = open_clusters("timed");
        set(r, "sm.latency_sfu", "400");
        begin_kernel(r, "k.traceg", 1, 32 + 32 * both, "");
        begin_block(r, 0);
        put_warp(r, 0, slow);
        if (both)
            put_warp(r, 1, waits);
        end_block(r);
        end_kernel(r);
        measured_stats s;
        measured_clear(&s);
        cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
        cr_expect_eq(s.mbarrier_phases, 1);
        cycles[both] = s.cycles;
        rig_close(r);
    }
}

/*
 * The arrival of a block's own warp, or bytes that do not come, let the other warp's check issue a cycle later,
 * although nothing else goes on in the SM then. Each warp ends with a function of 400 cycles and a use of its value.
 */
Test(clusters, arrival_a_cycle_later) {
#define SLOWLY INIT("0000", "1") LOAD("0010", "0x200000") USE("0020", "1")
    static const char *const ends[] = {SLOWLY FUNCTION("0030", "10") ARRIVE("0040", "0") USE("0050", "10") EXIT("0060"),
                                       EXPECTS LOAD("0020", "0x200000") USE("0030", "1") FUNCTION("0040", "10")
                                           OUTSIDE("0050", "0") USE("0060", "10") EXIT("0070")};
    for (size_t n = 0; n < sizeof ends / sizeof *ends; n++) {
        uint64_t cycles[2];
        run_with_waiting(ends[n], cycles);
        /* a function a cycle before the end, and another behind the check, which is a cycle behind the end */
        cr_expect_eq(cycles[1], cycles[0] + 3, "%zu: %llu, %llu", n, (unsigned long long)cycles[0],
                     (unsigned long long)cycles[1]);
    }
}

static measured_stats run_source(const char *source, const char *threads) {
    rig *r = open_clusters("timed");
    set(r, "l1.replacement", "lru");
    set(r, "sm.blocks", "4");
    set(r, "threads", threads);
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, source, &s), GPC_OK, "%s", r->error.message);
    rig_close(r);
    return s;
}

/* Tiles for a cluster of four are read once, with any size and number of threads. */
Test(clusters, synthetic_multicast) {
    const measured_stats s = run_source("synthetic:multicast:64KiB:cluster=4,tiles=8", "1");
    cr_expect_eq(s.bulk_read_sectors, 2048);
    cr_expect_eq(s.bulk_multicast_sectors, 3 * 2048);
    cr_expect_eq(s.mbarrier_untold_checks, 0);
    /* 4 clusters of 4 blocks, 8 tiles: full of every block; empty of the first */
    cr_expect_eq(s.mbarrier_phases, 4 * (4 * 8 + 8), "%llu", (unsigned long long)s.mbarrier_phases);
    const measured_stats two = run_source("synthetic:multicast:64KiB:cluster=4,tiles=8", "2");
    expect_same_stats(&s, &two);
    const measured_stats alone = run_source("synthetic:multicast:64KiB:cluster=1,tiles=8", "1");
    cr_expect(alone.bulk_read_sectors == 2048 && alone.bulk_multicast_sectors == 0);
}

/* Without a clock L2 is read as often, and data for further SMs are counted. */
Test(clusters, without_a_clock) {
    rig *r = open_clusters("functional");
    set(r, "l1.replacement", "lru");
    set(r, "sm.blocks", "4");
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(run_file(r, "synthetic:multicast:64KiB:cluster=4,tiles=8", &s), GPC_OK, "%s", r->error.message);
    cr_expect(s.bulk_read_sectors == 2048 && s.bulk_multicast_sectors == 3 * 2048 && s.l2_read_sectors == 2048);
    cr_expect_eq(s.mbarrier_phases, GPC_ABSENT);
    /* the blocks share two SMs: the other SM is sent the data once, whatever blocks it has */
    set(r, "sm.count", "2");
    measured_clear(&s);
    cr_assert_eq(run_file(r, "synthetic:multicast:64KiB:cluster=4,tiles=8", &s), GPC_OK, "%s", r->error.message);
    cr_expect(s.bulk_multicast_sectors > 0 && s.bulk_multicast_sectors <= s.bulk_read_sectors);
    rig_close(r);
}

/*
 * 4 blocks of 4 warps, 64 accesses of 128 bytes each, never reaching L1; a chase takes at least the latency per access.
 */
Test(clusters, synthetic_dsmem) {
    for (unsigned kind = 0; kind < 5; kind++) {
        char source[80];
        snprintf(source, sizeof source, "synthetic:dsmem:16KiB:kind=%u", kind);
        const measured_stats s = run_source(source, "1");
        cr_expect_eq(s.cluster_accesses, 4 * 4 * 64, "%u", kind);
        cr_expect_eq(s.cluster_bytes, 4 * 4 * 64 * 128);
        cr_expect(s.l1_load_requests == 0 && s.cluster_barriers == 8, "%u", kind);
        if (!kind)
            cr_expect_geq(s.cycles, 64 * AWAY);
    }
}
