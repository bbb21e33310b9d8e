/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "policies/throttle/sm.h"

#include <criterion/criterion.h>
#include <string.h>

/* Footprints of warps, and the cached, bypassing and waiting warps. */

static void open_running(sm_rig *r, const char *policy, uint32_t count, uint32_t warps) {
    sm_open(r, policy, count, warps);
    for (uint32_t warp = 0; warp < warps; warp++)
        sm_start(r, warp, 0);
}

static void access_line(sm_rig *r, uint32_t warp, uint32_t pc, uint64_t line) {
    gpc_cache_event event = {
        .kind = GPC_CACHE_EVENT_MISS, .warp = warp, .owner = warp, .pc = pc, .line_address = line * 128};
    for (uint32_t s = 0; s < r->count; s++)
        gpc_scheduler_cache_event(r->schedulers[s], &event);
}

/* A warp loops over `lines` lines `rounds` times by one instruction. */
static void loop(sm_rig *r, uint32_t warp, uint32_t pc, uint64_t first, uint32_t lines, uint32_t rounds) {
    for (uint32_t i = 0; i < lines * rounds; i++)
        access_line(r, warp, pc, first + i % lines);
}

static void sample(sm_rig *r, uint64_t cycles, uint64_t stalls) {
    measured_stats stats;
    measured_clear(&stats);
    stats.scheduler_cycles = cycles;
    stats.scheduler_memory_stalls = stalls;
    sm_sample(r, &stats, 0);
}

#define P 0x100
#define Q 0x108

/* The example of cca.c: 3 lines each, two warps fit 8 lines; as many others bypass as the memory system has room. */
Test(cca, worked_example) {
    sm_rig r;
    open_running(&r, "gto + cca(lines=8, trained=12)", 1, 4);
    cr_expect_str_eq(sm_classes(&r), "CCCC", "nothing is known");
    loop(&r, 0, P, 0, 3, 4);
    cr_expect_str_eq(sm_classes(&r), "CCBB");
    sample(&r, 1000, 200);
    cr_expect_str_eq(sm_classes(&r), "CCBB", "not above 0.2");
    sample(&r, 1000, 201);
    cr_expect_str_eq(sm_classes(&r), "CCBB", "two may bypass");
    sample(&r, 1000, 201);
    cr_expect_str_eq(sm_classes(&r), "CCBT");
    sample(&r, 1000, 100);
    cr_expect_str_eq(sm_classes(&r), "CCBT", "not below 0.1");
    sample(&r, 1000, 99);
    cr_expect_str_eq(sm_classes(&r), "CCBB");
    sm_expect_sums(&r);
    sm_close(&r);
}

/* 12 accesses, the first 3 of them no reuses: 9 at a distance of 2. With one access fewer there is no result yet. */
Test(cca, a_round_ends) {
    sm_rig r;
    open_running(&r, "gto + cca(lines=2, trained=12)", 1, 2);
    loop(&r, 0, P, 0, 11, 1);
    cr_expect_str_eq(sm_classes(&r), "CC");
    loop(&r, 0, P, 100, 1, 1);
    cr_expect_str_eq(sm_classes(&r), "BB", "a stream has no locality");
    sm_close(&r);
}

/* A mean distance between two numbers is rounded up: 1 and 2 alternate, so that a warp needs 3 lines. */
Test(cca, needs_are_rounded_up) {
    static const uint64_t lines[] = {0, 1, 0, 2, 1, 0}; /* in the six accesses 0 at 1, 1 at 2, 0 at 2: 5 / 3 */
    sm_rig r;
    open_running(&r, "gto + cca(lines=5, trained=6)", 1, 2);
    for (int i = 0; i < 6; i++)
        access_line(&r, 0, P, lines[i]);
    cr_expect_str_eq(sm_classes(&r), "CB", "3 + 3 > 5");
    sm_close(&r);
    open_running(&r, "gto + cca(lines=6, trained=6)", 1, 2);
    for (int i = 0; i < 6; i++)
        access_line(&r, 0, P, lines[i]);
    cr_expect_str_eq(sm_classes(&r), "CC");
    sm_close(&r);
}

/* Only the window's lines are compared: a loop over one more has no locality. */
Test(cca, window) {
    sm_rig r;
    open_running(&r, "gto + cca(window=4, trained=40)", 1, 2);
    loop(&r, 0, P, 0, 5, 8);
    cr_expect_str_eq(sm_classes(&r), "BB");
    loop(&r, 0, P, 0, 4, 10);
    cr_expect_str_eq(sm_classes(&r), "CC");
    sm_close(&r);
}

/* A reuse belongs to the instruction that brought the line near: p's lines are read again by q, q's are not. */
Test(cca, instructions_are_told_apart) {
    sm_rig r;
    open_running(&r, "gto + cca(trained=8, lines=2, window=8)", 1, 3);
    for (uint64_t i = 0; i < 9; i++) {
        access_line(&r, 0, P, i);
        access_line(&r, 0, Q, i);
    }
    cr_expect_str_eq(sm_classes(&r), "CCB", "p needs a line: two warps fit, and of q none is known to need more");
    /* instructions of the other warps show their needs */
    for (int i = 0; i < 8; i++)
        access_line(&r, 1, Q, 50);
    cr_expect_str_eq(sm_classes(&r), "CBB", "warp 1 executes q alone, and the third is taken for such a one");
    sm_close(&r);
}

/* A warp whose lines do not fit is not cached; if no warp may bypass, the first that can issue runs none the less. */
Test(cca, one_warp_always_runs) {
    sm_rig r;
    open_running(&r, "gto + cca(lines=2, trained=12)", 1, 3);
    loop(&r, 0, P, 0, 3, 4);
    cr_expect_str_eq(sm_classes(&r), "BBB");
    sample(&r, 100, 100);
    sample(&r, 100, 100);
    cr_expect_str_eq(sm_classes(&r), "BTT");
    sm_set(&r, 0, GPC_STATE_BARRIER);
    cr_expect_str_eq(sm_classes(&r), "BBT", "a warp at a barrier takes no place");
    sm_close(&r);
}

/* Schedulers share the table of patterns and the lines, 6 of 7 + 6; each watches a separate warp. */
Test(cca, several_schedulers) {
    sm_rig r;
    open_running(&r, "gto + cca(lines=13, trained=12)", 2, 8);
    loop(&r, 0, P, 0, 3, 4);
    cr_expect_str_eq(sm_classes(&r), "CCCCBCBC", "warps 0, 2, 4, 6 on the first: 3 + 3 <= 7; the other knows nothing");
    for (uint32_t warp = 1; warp < 8; warp += 2)
        access_line(&r, warp, P, 1000 + warp);
    cr_expect_str_eq(sm_classes(&r), "CCCCBBBB", "they execute p");
    sm_close(&r);
}

/* A starting warp is assumed to be like the last known; an ended warp leaves nothing in the slot. */
Test(cca, slots) {
    sm_rig r;
    open_running(&r, "gto + cca(lines=6, trained=12)", 1, 3);
    loop(&r, 0, P, 0, 3, 4);
    cr_expect_str_eq(sm_classes(&r), "CCB");
    sm_set(&r, 0, GPC_STATE_ABSENT);
    cr_expect_str_eq(sm_classes(&r), ".CC");
    sm_start(&r, 0, 1);
    cr_expect_str_eq(sm_classes(&r), "BCC", "the youngest now");
    sm_close(&r);
}

Test(cca, cost) {
    gpc_context *context;
    uint64_t bits = 0, lrr = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "lrr + cca", 24, &bits, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "lrr", 24, &lrr, NULL), GPC_OK);
    /* a pattern: PC, two counters to 64, distances to 64 x 64, lines to 64, a bit */
    uint64_t patterns = 32 * (32 + 2 * 7 + (7 + 6) + 7 + 1);
    /* the stack; warps and their order, a triangle of bits; the registers */
    uint64_t rest = 64 * (33 + 1 + 5) + 24 * (7 + 6 + 1) + 24 * 23 / 2 + 2 * 5 + 7 + 1 + 64;
    cr_expect_eq(bits - lrr, patterns + rest);
    gpc_context_destroy(context);
}

Test(cca, refusals) {
    gpc_context *context;
    gpc_scheduler *s;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    options.policy = "gto + cca(entries=12)";
    cr_expect_eq(gpc_scheduler_create(context, &options, &s, &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "entries = 12"));
    options.policy = "gto + cca(locality=0)";
    cr_expect_eq(gpc_scheduler_create(context, &options, &s, &error), GPC_ERROR_RANGE);
    gpc_context_destroy(context);
}
