/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/*
 * Classes of instructions: durations, and sharing of units. The first instruction issues in cycle 1. Latency 18 and
 * interval 1 of sm.latency_alu and sm.interval_alu, interval 8 of special functions.
 */

#define INT(pc, to) pc " ffffffff 1 " to " MOV 0 0\n"
#define INT_OF(pc, to, from) pc " ffffffff 1 " to " IADD3 1 " from " 0\n"
#define FP(pc, to) pc " ffffffff 1 " to " FADD 0 0\n"
#define FP_OF(pc, to, from) pc " ffffffff 1 " to " FFMA 1 " from " 0\n"
#define DP(pc, to) pc " ffffffff 1 " to " DADD 0 0\n"
#define SFU(pc, to) pc " ffffffff 1 " to " MUFU.RCP 0 0\n"
#define NOP(pc) pc " ffffffff 0 NOP 0 0\n"

typedef struct setting {
    const char *key, *value;
} setting;

static rig *open_with(unsigned schedulers, const setting *settings, size_t count) {
    rig *r = rig_open();
    static const setting all[] = {{"mode", "timed"},        {"sm.latency_alu", "18"}, {"sm.interval_alu", "1"},
                                  {"sm.interval_sfu", "8"}, {"sm.latency_sfu", "40"}, {"sm.interval_double", "2"},
                                  {"launch.cycles", "0"},   {"blocks.interval", "1"}, {"sm.latency_control", "8"},
                                  {"scheduler", "gto"}};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        set(r, all[n].key, all[n].value);
    for (size_t n = 0; n < count; n++)
        set(r, settings[n].key, settings[n].value);
    set(r, "sm.schedulers", schedulers == 1 ? "1" : "2");
    return r;
}

static void expect_run(unsigned schedulers, unsigned warps, const char *lines, const setting *settings, size_t count,
                       uint64_t cycles, uint64_t unit_stalls) {
    rig *r = open_with(schedulers, settings, count);
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", 1, warps, "", lines);
    const gpc_status status = run_file(r, "k.traceg", &s);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.cycles, cycles, "%llu and not %llu cycles:\n%s", (unsigned long long)s.cycles,
                 (unsigned long long)cycles, lines);
    cr_expect_eq(s.scheduler_unit_stalls, unit_stalls, "%llu and not %llu stalls:\n%s",
                 (unsigned long long)s.scheduler_unit_stalls, (unsigned long long)unit_stalls, lines);
    cr_expect_eq(s.scheduler_issued + s.scheduler_empty + s.scheduler_memory_stalls + s.scheduler_unit_stalls +
                     s.scheduler_load_stalls + s.scheduler_latency_stalls + s.scheduler_barrier_stalls +
                     s.scheduler_throttled,
                 s.cycles * schedulers);
    rig_close(r);
}

#define EXPECT_RUN(schedulers, warps, lines, cycles, unit_stalls, ...)   \
    expect_run(schedulers, warps, lines, (const setting[]){__VA_ARGS__}, \
               sizeof((const setting[]){__VA_ARGS__}) / sizeof(setting), cycles, unit_stalls)

/* 1, then 1 + 3 or 1 + 7; 18 in each case with sm.latency_alu. */
Test(classes, latencies) {
    static const char integers[] = INT("0000", "R1") INT_OF("0010", "R2", "R1") EXIT("0020");
    static const char floats[] = FP("0000", "R1") FP_OF("0010", "R2", "R1") EXIT("0020");
    EXPECT_RUN(1, 1, integers, 5, 0, {"sm.latency_int", "3"}, {"sm.latency_fp", "7"});
    EXPECT_RUN(1, 1, floats, 9, 0, {"sm.latency_int", "3"}, {"sm.latency_fp", "7"});
    EXPECT_RUN(1, 1, integers, 20, 0, {"sm.latency_fp", "7"});
    EXPECT_RUN(1, 1, floats, 20, 0, {"sm.latency_int", "3"});
}

/* Moves, and multiply-adds, of either kind may have other latencies; every read register adds. */
Test(classes, latencies_of_work) {
    static const char moved[] = INT("0000", "R1") INT_OF("0010", "R2", "R1") EXIT("0020");
    static const char added[] = INT_OF("0000", "R1", "R4") INT_OF("0010", "R2", "R1") EXIT("0020");
    static const char compared[] = "0000 ffffffff 1 R1 FSETP 0 0\n" FP_OF("0010", "R2", "R1") EXIT("0020");
    static const char fused[] = "0000 ffffffff 1 R1 FFMA 3 R4 R5 R6 0\n" FP_OF("0010", "R2", "R1") EXIT("0020");
    static const char multiplied[] = "0000 ffffffff 1 R1 IMAD 3 R4 R5 R5 0\n" INT_OF("0010", "R2", "R1") EXIT("0020");
    EXPECT_RUN(1, 1, moved, 5, 0, {"sm.latency_move", "3"});
    EXPECT_RUN(1, 1, added, 20, 0, {"sm.latency_move", "3"}, {"sm.latency_fma", "4"});
    EXPECT_RUN(1, 1, compared, 5, 0, {"sm.latency_move", "3"}, {"sm.latency_fp", "7"});
    EXPECT_RUN(1, 1, fused, 6, 0, {"sm.latency_fma", "4"});
    EXPECT_RUN(1, 1, multiplied, 6, 0, {"sm.latency_fma", "4"}, {"sm.latency_int", "9"});
    EXPECT_RUN(1, 1, multiplied, 6 + 3 * 2, 0, {"sm.latency_fma", "4"}, {"sm.latency_operand", "2"});
    EXPECT_RUN(1, 1, moved, 20, 0, {"sm.latency_operand", "2"});
    EXPECT_RUN(1, 1, added, 22, 0, {"sm.latency_operand", "2"});
}

/* Two of a kind are two cycles apart; two kinds, with separate units, follow at once. */
Test(classes, integer_beside_floating_point) {
    static const char alike[] = INT("0000", "R1") INT("0010", "R2") EXIT("0020");
    static const char floats[] = FP("0000", "R1") FP("0010", "R2") EXIT("0020");
    static const char mixed[] = INT("0000", "R1") FP("0010", "R2") EXIT("0020");
    EXPECT_RUN(1, 1, alike, 4, 1, {"sm.units_int", "1"}, {"sm.interval_int", "2"}, {"sm.interval_fp", "2"});
    EXPECT_RUN(1, 1, floats, 4, 1, {"sm.units_int", "1"}, {"sm.interval_int", "2"}, {"sm.interval_fp", "2"});
    EXPECT_RUN(1, 1, mixed, 3, 0, {"sm.units_int", "auto"}, {"sm.interval_int", "2"}, {"sm.interval_fp", "2"});
    EXPECT_RUN(1, 1, mixed, 4, 1, {"sm.units_int", "0"}, {"sm.interval_int", "2"}, {"sm.interval_fp", "1"});
    EXPECT_RUN(1, 1, mixed, 3, 0, {"sm.units_int", "0"}, {"sm.interval_int", "1"}, {"sm.interval_fp", "2"});
    EXPECT_RUN(1, 1, mixed, 4, 1, {"sm.interval_alu", "2"}); /* as without classes: one unit */
}

/* A unit per scheduler; one for both, at 1 and 9; scheduler n has unit n modulo 2. */
Test(classes, schedulers_share_a_unit) {
    static const char lines[] = SFU("0000", "R1") EXIT("0010");
    EXPECT_RUN(2, 2, lines, 2, 0, {"sm.units_sfu", "auto"});
    EXPECT_RUN(2, 2, lines, 10, 8, {"sm.units_sfu", "1"});
    EXPECT_RUN(2, 4, lines, 10, 12, {"sm.units_sfu", "2"}); /* 1, 9 on both, EXITs at 2: 3 to 8 */
    EXPECT_RUN(2, 4, lines, 4, 0, {"sm.units_sfu", "4"});   /* 1, 3 */
}

/* Any of three: 1 and 1, then 3 for one scheduler; the other waits for the first free unit, at 9. */
Test(classes, any_unit_of_the_sm) {
    static const char lines[] = SFU("0000", "R1") EXIT("0010");
    EXPECT_RUN(2, 4, lines, 10, 6, {"sm.units_sfu", "3"}, {"sm.unit_sharing", "sm"});
    EXPECT_RUN(2, 4, lines, 4, 0, {"sm.units_sfu", "4"}, {"sm.unit_sharing", "sm"});
    /* one scheduler's warps have two units: 1, 3, then 9 */
    EXPECT_RUN(1, 3, lines, 10, 4, {"sm.units_sfu", "2"}, {"sm.unit_sharing", "sm"});
}

/* 1, then 9 on the unit of special functions, or 2 on a separate unit. */
Test(classes, double_on_special_functions) {
    static const char lines[] = SFU("0000", "R1") DP("0010", "R2") EXIT("0020");
    EXPECT_RUN(1, 1, lines, 10, 7, {"sm.units_double", "0"});
    EXPECT_RUN(1, 1, lines, 3, 0, {"sm.units_double", "auto"});
}

/* Branches of two warps: 1 and 2, EXITs 8 later; 1 and 5 if the unit takes one in four cycles. */
Test(classes, branches) {
    static const char lines[] = NOP("0000") EXIT("0010");
    EXPECT_RUN(1, 2, lines, 10, 0, {"sm.interval_control", "1"});
    EXPECT_RUN(1, 2, lines, 13, 3, {"sm.interval_control", "4"});
    EXPECT_RUN(2, 2, lines, 10, 1, {"sm.units_control", "1"});
}

Test(classes, refusals) {
    static const setting three = {"sm.units_fp", "3"};
    rig *r = open_with(2, &three, 1);
    gpc_replay *replay = NULL;
    cr_expect_eq(gpc_replay_create(r->context, r->config, &replay, &r->error), GPC_ERROR_RANGE);
    cr_expect(strstr(r->error.message, "sm.units_fp: 3 units are neither a multiple nor a part of sm.schedulers (2)"),
              "%s", r->error.message);
    rig_close(r);
}
