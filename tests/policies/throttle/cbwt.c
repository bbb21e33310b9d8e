/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "policies/throttle/sm.h"

#include <criterion/criterion.h>
#include <string.h>

/* Warps by lost reuses and congestion. */

#define LINE 128u

static void open_running(sm_rig *r, const char *policy, uint32_t count, uint32_t warps) {
    sm_open(r, policy, count, warps);
    for (uint32_t warp = 0; warp < warps; warp++)
        sm_start(r, warp, 0);
}

/* Hits, misses of new lines, and lost reuses of the last of them. */
static void access_lines(sm_rig *r, uint32_t hits, uint32_t lost, uint32_t cold) {
    static uint64_t next = 1;
    uint64_t last = ++next;
    for (uint32_t i = 0; i < hits; i++)
        sm_event(r, GPC_CACHE_EVENT_HIT, 0, 0, last * LINE, 0);
    for (uint32_t i = 0; i < cold; i++)
        sm_event(r, GPC_CACHE_EVENT_MISS, 0, 0, (last = ++next) * LINE, 0);
    for (uint32_t i = 0; i < lost; i++)
        sm_event(r, GPC_CACHE_EVENT_MISS, 0, 0, last * LINE, 0);
}

/* A period ends: cycles of a packet to L2 and back, half each, and stalls of 1,000 cycles. */
static void sample(sm_rig *r, uint64_t latency, uint64_t stalls) {
    measured_stats stats;
    measured_clear(&stats);
    stats.network_requests = stats.network_replies = 10;
    stats.network_request_cycles = stats.network_reply_cycles = 5 * latency;
    stats.scheduler_cycles = 1000;
    stats.scheduler_memory_stalls = stalls;
    sm_sample(r, &stats, 0);
}

/* The head of cbwt.c. */
Test(cbwt, worked_example) {
    sm_rig r;
    open_running(&r, "gto + cbwt", 1, 12);
    cr_expect_str_eq(sm_classes(&r), "CCCCCCCCCCCC", "nothing is known");
    access_lines(&r, 1000, 2001, 999);
    sample(&r, 90, 0);
    cr_expect_str_eq(sm_classes(&r), "CCCCTTTTTTTT");
    access_lines(&r, 3000, 300, 10);
    sample(&r, 18, 0);
    cr_expect_str_eq(sm_classes(&r), "CCCCCTTTTTTT");
    sm_expect_sums(&r);
    sm_close(&r);
}

/* Every sign alone, at the threshold and above. */
Test(cbwt, contended_and_congested) {
    sm_rig r;
    open_running(&r, "gto + cbwt(contention=0.5, noc-latency=20, stall-ratio=0.5)", 1, 4);
    access_lines(&r, 0, 200, 200);
    sample(&r, 90, 900);
    cr_expect_str_eq(sm_classes(&r), "CCCC", "half of the accesses lost theirs, not more");
    access_lines(&r, 90, 210, 100);
    sample(&r, 20, 500);
    cr_expect_str_eq(sm_classes(&r), "CCCC", "contended, not congested");
    access_lines(&r, 90, 210, 100);
    sample(&r, 20, 501);
    cr_expect_str_eq(sm_classes(&r), "CCTT", "4 x 90 / 300, rounded up: by stalls");
    access_lines(&r, 90, 210, 100);
    sample(&r, 22, 0);
    cr_expect_str_eq(sm_classes(&r), "CTTT", "2 x 90 / 300: by the network");
    access_lines(&r, 0, 300, 100);
    sample(&r, 22, 0);
    cr_expect_str_eq(sm_classes(&r), "CTTT", "one runs always");
    access_lines(&r, 100, 0, 100);
    sample(&r, 22, 0);
    cr_expect_str_eq(sm_classes(&r), "CTTT", "congested, not contended: as before");
    for (int i = 0; i < 5; i++) {
        access_lines(&r, 100, 0, 100);
        sample(&r, 0, 0);
    }
    cr_expect_str_eq(sm_classes(&r), "CCCC", "one more each, up to all");
    sm_close(&r);
}

/* A period with almost no accesses gives no result, and continues. */
Test(cbwt, short_periods) {
    sm_rig r;
    open_running(&r, "gto + cbwt", 1, 4);
    access_lines(&r, 0, 62, 1);
    sample(&r, 90, 900);
    cr_expect_str_eq(sm_classes(&r), "CCCC", "63");
    access_lines(&r, 0, 0, 1);
    sample(&r, 90, 900);
    cr_expect_str_eq(sm_classes(&r), "CTTT", "the 62 still count");
    sm_close(&r);
}

/* A line is known until the set of 8 tags has had 8 others. */
Test(cbwt, tags) {
    sm_rig r;
    for (uint32_t others = 7; others <= 8; others++) {
        open_running(&r, "gto + cbwt(tags=8, contention=0)", 1, 2);
        access_lines(&r, 0, 0, 64);
        for (uint64_t line = 0; line <= others; line++)
            sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, (1000000 + line) * LINE, 0);
        sm_event(&r, GPC_CACHE_EVENT_MISS, 0, 0, 1000000 * LINE, 0);
        sample(&r, 90, 0);
        cr_expect_str_eq(sm_classes(&r), others == 7 ? "CT" : "CC", "%u others", others);
        sm_close(&r);
    }
}

/* Tags belong to the SM, the limit to a scheduler; a warp at a barrier takes no place. */
Test(cbwt, several_schedulers) {
    sm_rig r;
    open_running(&r, "gto + cbwt", 2, 8);
    access_lines(&r, 100, 300, 1);
    sample(&r, 90, 0);
    cr_expect_str_eq(sm_classes(&r), "CCTTTTTT", "4 x 100 / 400 on each");
    sm_set(&r, 0, GPC_STATE_BARRIER);
    cr_expect_str_eq(sm_classes(&r), "CCCTTTTT");
    sm_expect_sums(&r);
    sm_close(&r);
}

Test(cbwt, cost_and_refusals) {
    gpc_context *context;
    gpc_scheduler *s;
    uint64_t bits = 0, lrr = 0;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint32_t warps = 24; warps <= 31; warps += 7) { /* two numbers from 0 to all warps have 5 bits each */
        cr_assert_eq(gpc_scheduler_cost(context, "lrr + cbwt", warps, &bits, NULL), GPC_OK);
        cr_assert_eq(gpc_scheduler_cost(context, "lrr", warps, &lrr, NULL), GPC_OK);
        cr_expect_eq(bits - lrr, 512 * (33 + 1) + 6 * 16 + 2 * 5 + warps * (warps - 1) / 2, "%u warps", warps);
    }
    options.policy = "gto + cbwt(tags=24)";
    cr_expect_eq(gpc_scheduler_create(context, &options, &s, &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "tags = 24"));
    options.policy = "gto + cbwt(stall-ratio=2)";
    cr_expect_eq(gpc_scheduler_create(context, &options, &s, &error), GPC_ERROR_RANGE);
    gpc_context_destroy(context);
}
