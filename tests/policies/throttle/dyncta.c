/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "policies/throttle/sm.h"

#include <criterion/criterion.h>
#include <string.h>

/* Dynamic limiting of blocks, with injected samples. */

/* `blocks` blocks of two warps on two schedulers: block b is warps 2b and 2b + 1. */
static void open_blocks(sm_rig *r, const char *policy, uint32_t blocks) {
    sm_open(r, policy, 2, blocks * 2);
    for (uint32_t warp = 0; warp < blocks * 2; warp++)
        sm_start(r, warp, warp / 2);
    sm_clock(r, 0);
}

/* A period of the two schedulers, each with these cycles. */
static void period(sm_rig *r, uint64_t cycles, uint64_t idle, uint64_t memory, uint64_t now) {
    measured_stats stats;
    measured_clear(&stats);
    stats.scheduler_cycles = 2 * cycles;
    stats.scheduler_empty = idle;
    stats.scheduler_barrier_stalls = idle;
    stats.scheduler_load_stalls = memory;
    stats.scheduler_memory_stalls = memory / 2;
    stats.scheduler_throttled = memory - memory / 2;
    sm_sample(r, &stats, now);
    sm_clock(r, now);
}

static uint32_t blocks_that_run(const sm_rig *r) {
    const char *classes = sm_classes(r);
    uint32_t n = 0;
    for (uint32_t warp = 0; warp < r->warps; warp += 2) {
        cr_assert_eq(classes[warp], classes[warp + 1], "both schedulers agree: %s", classes);
        cr_assert(!warp || classes[warp - 1] != 'T' || classes[warp] != 'C', "the oldest: %s", classes);
        n += classes[warp] == 'C';
    }
    return n;
}

/* The head of dyncta.c. */
Test(dyncta, worked_example) {
    static const struct {
        uint64_t idle, memory;
        uint32_t run;
    } rows[] = {{0, 127, 5}, {0, 128, 5}, {0, 383, 5}, {0, 384, 4}, {16, 2000, 5}, {15, 2000, 4}};
    sm_rig r;
    open_blocks(&r, "gto + dyncta(paused=1)", 8);
    cr_expect_eq(blocks_that_run(&r), 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        period(&r, 2048, rows[i].idle, rows[i].memory, 2048 * (i + 1));
        cr_expect_eq(blocks_that_run(&r), rows[i].run, "row %zu: %u", i, blocks_that_run(&r));
        sm_expect_sums(&r);
    }
    sm_close(&r);
}

/* Not below one, nor above the resident blocks. */
Test(dyncta, bounds) {
    sm_rig r;
    open_blocks(&r, "lrr + dyncta(paused=1)", 4);
    for (uint64_t n = 1; n <= 6; n++) {
        period(&r, 2048, 0, 2048, n * 2048);
        cr_expect_eq(blocks_that_run(&r), 1);
    }
    for (uint64_t n = 1; n <= 6; n++) {
        period(&r, 2048, 2048, 0, (6 + n) * 2048);
        cr_expect_eq(blocks_that_run(&r), n < 3 ? 1 + n : 4);
    }
    period(&r, 2048, 0, 2048, 13 * 2048);
    cr_expect_eq(blocks_that_run(&r), 3, "at the bound no more was stored up");
    sm_close(&r);
}

/* An SM with one block keeps one after a period that asks for more: a second block waits. */
Test(dyncta, one_block) {
    sm_rig r;
    sm_open(&r, "gto + dyncta(paused=1)", 2, 8);
    for (uint32_t warp = 0; warp < 2; warp++)
        sm_start(&r, warp, 0);
    sm_clock(&r, 0);
    cr_expect_eq(blocks_that_run(&r), 1);
    period(&r, 2048, 2048, 0, 2048);
    for (uint32_t warp = 2; warp < 6; warp++)
        sm_start(&r, warp, warp / 2);
    sm_clock(&r, 2049);
    cr_expect_str_eq(sm_classes(&r), "CCTTTT..");
    period(&r, 2048, 2048, 0, 4097);
    cr_expect_str_eq(sm_classes(&r), "CCCCTT..");
    sm_close(&r);
}

/* Samples shorter than the period add up; a longer one is scaled to it. */
Test(dyncta, periods) {
    sm_rig r;
    open_blocks(&r, "gto + dyncta(paused=1)", 8);
    for (int n = 0; n < 3; n++) {
        period(&r, 512, 0, 96, 512);
        cr_expect_eq(blocks_that_run(&r), 4);
    }
    period(&r, 511, 0, 96, 2047);
    cr_expect_eq(blocks_that_run(&r), 4, "one cycle is wanting");
    period(&r, 1, 0, 0, 2048); /* 384 in 2048 */
    cr_expect_eq(blocks_that_run(&r), 3);
    period(&r, 20480, 0, 3839, 30000); /* 383.9 of 2048 */
    cr_expect_eq(blocks_that_run(&r), 3);
    period(&r, 20480, 0, 3840, 60000);
    cr_expect_eq(blocks_that_run(&r), 2);
    sm_close(&r);
}

/* An empty SM starts anew; paused blocks continue as older ones end. */
Test(dyncta, blocks_end) {
    sm_rig r;
    open_blocks(&r, "gto + dyncta(paused=1)", 8);
    period(&r, 2048, 0, 2048, 2048);
    period(&r, 2048, 0, 2048, 4096);
    cr_expect_eq(blocks_that_run(&r), 2);
    for (uint32_t warp = 0; warp < 4; warp++)
        sm_set(&r, warp, GPC_STATE_ABSENT);
    sm_clock(&r, 5000);
    cr_expect_str_eq(sm_classes(&r), "....CCCCTTTTTTTT");
    for (uint32_t warp = 4; warp < 16; warp++)
        sm_set(&r, warp, GPC_STATE_ABSENT);
    for (uint32_t warp = 0; warp < 12; warp++)
        sm_start(&r, warp, warp / 2);
    sm_clock(&r, 6000);
    cr_expect_str_eq(sm_classes(&r), "CCCCCCTTTTTT....");
    sm_close(&r);
}

/* An SM is not empty while a block is left, the first or another: the limit stays. */
Test(dyncta, one_block_is_left) {
    for (uint32_t left = 0; left < 8; left++) {
        sm_rig r;
        open_blocks(&r, "gto + dyncta(paused=1)", 8);
        period(&r, 2048, 0, 2048, 2048);
        period(&r, 2048, 0, 2048, 4096);
        cr_expect_eq(blocks_that_run(&r), 2);
        for (uint32_t warp = 0; warp < 16; warp++)
            if (warp / 2 != left)
                sm_set(&r, warp, GPC_STATE_ABSENT);
        for (uint32_t warp = 0; warp < 16; warp++)
            if (warp / 2 != left)
                sm_start(&r, warp, 8 + warp / 2);
        sm_clock(&r, 5000);
        uint32_t running = 0;
        for (uint32_t warp = 0; warp < 16; warp++)
            running += sm_classes(&r)[warp] == 'C';
        cr_expect_eq(running, 2 * 2, "of the eight blocks that there are again, after block %u", left);
        sm_close(&r);
    }
}

/* A quarter of the memory cycles of `period` are of paused warps: without these, 382 of 2048. */
Test(dyncta, paused_warps_count_where_told) {
    for (int paused = 0; paused <= 1; paused++) {
        sm_rig r;
        open_blocks(&r, paused ? "gto + dyncta(paused=1)" : "gto + dyncta", 8);
        period(&r, 2048, 0, 510, 2048); /* 510 + 255 of 4096, and 255 more */
        cr_expect_eq(blocks_that_run(&r), paused ? 3 : 4);
        sm_close(&r);
    }
}

Test(dyncta, thresholds_the_wrong_way_round) {
    gpc_context *context;
    gpc_scheduler *s;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.policy = "gto + dyncta(t-mem-l=400)";
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_expect_eq(gpc_scheduler_create(context, &options, &s, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "t-mem-l"), "%s", error.message);
    gpc_context_destroy(context);
}
