/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>

/* Dynamic PCAL on schedulers: samples of two SMs or more with two schedulers each, and then the permissions of warps. */

enum { SMS = 2, MOST_SMS = 24, PER_SM = 2, WARPS = 6 };

typedef struct rig {
    gpc_context *context;
    gpc_scheduler *schedulers[MOST_SMS * PER_SM];
    uint32_t count;
    uint64_t cycle;
    uint64_t stalls; /* of 1000 cycles */
} rig;

static void open_sms(rig *r, const char *policy, uint32_t sms) {
    *r = (rig){.count = sms * PER_SM};
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &r->context, NULL), GPC_OK);
    for (uint32_t i = 0; i < r->count; i++) {
        gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
        options.policy = policy;
        options.warps = WARPS;
        options.sm = i / PER_SM;
        options.index = i % PER_SM;
        options.count = PER_SM;
        options.sms = sms;
        options.share_with = i ? r->schedulers[0] : NULL;
        cr_assert_eq(gpc_scheduler_create(r->context, &options, &r->schedulers[i], &error), GPC_OK, "%s",
                     error.message);
        for (uint32_t slot = 0; slot < WARPS; slot++)
            cr_assert_eq(gpc_scheduler_start(r->schedulers[i], slot, NULL), GPC_OK);
    }
}

static void open_rig(rig *r, const char *policy) {
    open_sms(r, policy, SMS);
}

static void close_rig(rig *r) {
    for (uint32_t i = 0; i < r->count; i++)
        gpc_scheduler_destroy(r->schedulers[i]);
    gpc_context_destroy(r->context);
}

/* A period of 1000 cycles, with issued instructions per SM; and the next cycle. */
static void period(rig *r, uint64_t first, uint64_t second) {
    r->cycle += 1000;
    for (uint32_t i = 0; i < r->count; i++) {
        measured_stats stats;
        measured_clear(&stats);
        stats.sm_cycles = stats.sm_active_cycles = 1000;
        stats.warp_instructions = i / PER_SM ? second : first;
        stats.scheduler_cycles = 2000;
        stats.scheduler_memory_stalls = 2 * r->stalls;
        stats.l1_load_lines = 100;
        stats.l1_load_line_misses = 50;
        stats.network_requests = stats.network_replies = 100;
        stats.network_request_cycles = stats.network_reply_cycles = 900;
        give_sample(r->schedulers[i], &stats, r->cycle);
    }
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t slot;
        cr_assert_eq(gpc_scheduler_pick(r->schedulers[i], r->cycle + 1, true, &slot, NULL), GPC_OK);
    }
}

static void expect_one(const rig *r, uint32_t i, const char *classes) {
    char found[WARPS + 1] = "";
    for (uint32_t slot = 0; slot < WARPS; slot++)
        found[slot] = "CBT"[gpc_scheduler_class_of(r->schedulers[i], slot)];
    cr_expect_str_eq(found, classes, "scheduler %u: %s instead of %s", i, found, classes);
}

/* Equal expectations for the schedulers of an SM. */
static void expect(const rig *r, const char *first, const char *second) {
    for (uint32_t i = 0; i < r->count; i++)
        expect_one(r, i, i / PER_SM ? second : first);
}

Test(pcal_auto, climbs_on_all_schedulers) {
    rig r;
    open_rig(&r, "gto + pcal(warps=2, ebt=auto)");
    expect(&r, "CCTTTT", "CCTTTT");
    period(&r, 100, 100);
    expect(&r, "CCBTTT", "CCBTTT");
    period(&r, 100, 150); /* 125 in the mean */
    expect(&r, "CCBBTT", "CCBBTT");
    period(&r, 100, 100);
    expect(&r, "CCBTTT", "CCBTTT");
    close_rig(&r);
}

/* The last throttled warp may be added, then none is left. */
Test(pcal_auto, climbs_until_no_warp_is_throttled) {
    rig r;
    open_rig(&r, "gto + pcal(warps=4, ebt=auto)");
    period(&r, 100, 100);
    expect(&r, "CCCCBT", "CCCCBT");
    period(&r, 200, 200);
    expect(&r, "CCCCBB", "CCCCBB");
    period(&r, 400, 400);
    period(&r, 400, 400);
    expect(&r, "CCCCBB", "CCCCBB");
    close_rig(&r);
}

/* Three tokens or one: SM 0 tests one, SM 1 keeps three beside it. All SMs follow the vote. */
static void check_vote(uint32_t sms) {
    rig r;
    open_sms(&r, "gto + pcal(warps=3, ebt=auto, stall-ratio=0.2, testers=1)", sms);
    r.stalls = 300;
    period(&r, 100, 100);
    expect(&r, "CBBTTT", "CCCTTT");
    period(&r, 130, 100);
    expect(&r, "CBBTTT", "CBBTTT");
    close_rig(&r);
}

Test(pcal_auto, votes_and_all_follow) {
    check_vote(SMS);
}

Test(pcal_auto, many_sms_follow) {
    check_vote(MOST_SMS);
}

/* The climb adds a warp. A vote about the two tokens follows only if both strategies are requested. */
Test(pcal_auto, both_strategies_where_told) {
    for (int both = 0; both <= 1; both++) {
        rig r;
        open_rig(&r, both ? "gto + pcal(warps=2, ebt=auto, strategy=both)" : "gto + pcal(warps=2, ebt=auto)");
        for (int n = 0; n < 3; n++) {
            period(&r, 100, 100);
            expect(&r, n < 2 || !both ? "CCBTTT" : "CBBTTT", "CCBTTT");
        }
        close_rig(&r);
    }
}

/* Without a warp-opt no warp is throttled and none can be added: a vote about tokens. */
Test(pcal_auto, without_a_limit_it_votes) {
    rig r;
    open_rig(&r, "gto + pcal(ebt=auto, step=5)");
    expect(&r, "CCCCCC", "CCCCCC");
    period(&r, 100, 100);
    expect(&r, "CBBBBB", "CCCCCC");
    period(&r, 90, 100);
    expect(&r, "CCCCCC", "CCCCCC");
    close_rig(&r);
}

/* Schedulers without sharing decide alone. */
Test(pcal_auto, alone) {
    gpc_context *context;
    gpc_scheduler *scheduler;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    options.policy = "lrr + pcal(warps=1, ebt=auto)";
    options.warps = 3;
    cr_assert_eq(gpc_scheduler_create(context, &options, &scheduler, NULL), GPC_OK);
    for (uint32_t slot = 0; slot < 3; slot++)
        cr_assert_eq(gpc_scheduler_start(scheduler, slot, NULL), GPC_OK);
    measured_stats stats;
    measured_clear(&stats);
    stats.sm_cycles = stats.sm_active_cycles = 1000;
    stats.warp_instructions = 500;
    give_sample(scheduler, &stats, 1000);
    cr_expect_eq(gpc_scheduler_class_of(scheduler, 1), GPC_CLASS_BYPASS);
    cr_expect_eq(gpc_scheduler_class_of(scheduler, 2), GPC_CLASS_THROTTLED);
    gpc_scheduler_destroy(scheduler);
    gpc_context_destroy(context);
}

/* Static PCAL's parts are all counted, and ebt=auto takes more: at least the counters and the detector. */
Test(pcal_auto, cost) {
    gpc_context *context;
    uint64_t none = 0, fixed = 0, separate = 0, dynamic = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "lrr", 24, &none, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "lrr + pcal(warps=6, ebt=2)", 24, &fixed, NULL), GPC_OK);
    /* 24 token bits, an age matrix of 24 x 23 / 2, two sizes of 0 to 24 */
    cr_expect_eq(fixed - none, 24 + 276 + 2 * 5);
    const char *levels = "lrr + pcal(warps=6, ebt=2, level=separate)";
    cr_assert_eq(gpc_scheduler_cost(context, levels, 24, &separate, NULL), GPC_OK);
    cr_expect_eq(separate - fixed, 24 + 5);
    cr_assert_eq(gpc_scheduler_cost(context, "lrr + pcal(warps=6, ebt=auto)", 24, &dynamic, NULL), GPC_OK);
    /*
     * The most warps and throttled, 5 each. Of the SM 2 bits of a candidate (6, 4, 2, 1 tokens), 4 + 1 counters.
     * Of the whole: the vote (a detector of 64 + 1, four candidates of 32 + 2 + 1, 2 + 2 + 0 + 1 of state), a
     * detector of 96 + 2, 7 x 32, state 5, two sizes of 5, a period counter of 1.
     */
    cr_expect_eq(dynamic - fixed, 10 + (2 + 160) + (65 + 140 + 5) + 98 + 224 + 5 + 10 + 1);
    /* tokens for L2 now and before, from 0 to 24 and all, and whether they were sought */
    levels = "lrr + pcal(warps=6, ebt=auto, level=separate, tokens-l2=-1)";
    cr_assert_eq(gpc_scheduler_cost(context, levels, 24, &separate, NULL), GPC_OK);
    cr_expect_eq(separate - dynamic, 24 + 5 + 2 * 5 + 1, "%d", (int)(separate - dynamic));
    /* 0 to 7, for 7 warps, take 3 bits */
    cr_assert_eq(gpc_scheduler_cost(context, "lrr + pcal(warps=6, ebt=2)", 7, &fixed, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(context, "lrr + pcal(warps=6, ebt=auto)", 7, &dynamic, NULL), GPC_OK);
    cr_expect_eq(dynamic - fixed, 6 + (2 + 160) + (65 + 140 + 5) + 98 + 224 + 5 + 6 + 1);
    gpc_context_destroy(context);
}
