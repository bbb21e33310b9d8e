/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/* Throttles without a scheduler: inputs, answers, and refusals. */

static gpc_context *context;

static void open_context(void) {
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
}

static void close_context(void) {
    gpc_context_destroy(context);
}

TestSuite(throttle_alone, .init = open_context, .fini = close_context);

static gpc_throttle *make(const char *throttles, uint32_t warps) {
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_throttle *throttle;
    options.throttles = throttles;
    options.warps = warps;
    cr_assert_eq(gpc_throttle_create(context, &options, &throttle, &error), GPC_OK, "%s", error.message);
    return throttle;
}

/* Six warps: two hold tokens, two more may run past the cache, and the rest waits, until one ends. */
Test(throttle_alone, classes) {
    gpc_throttle *t = make("pcal(warps=2, ebt=2)", 70);
    uint64_t throttled[3] = {99, 99, 99}, bypassing[3] = {99, 99, 99};
    for (uint32_t slot = 0; slot < 6; slot++)
        cr_assert_eq(gpc_throttle_start(t, 60 + slot, 0, NULL), GPC_OK);
    gpc_throttle_classes classes = GPC_THROTTLE_CLASSES_INIT;
    classes.throttled = throttled;
    classes.bypassing = bypassing;
    cr_assert_eq(gpc_throttle_classify(t, 0, &classes, NULL), GPC_OK);
    cr_expect_eq(throttled[0], 0);
    cr_expect_eq(throttled[1], 3, "slots 64 and 65");
    cr_expect(throttled[2] == 99 && bypassing[2] == 99, "nothing is written beyond");
    cr_expect_eq(bypassing[0] >> 60, 12, "slots 62 and 63");
    cr_expect_eq(gpc_throttle_class_of(t, 60), GPC_CLASS_CACHE);
    cr_expect_eq(gpc_throttle_class_of(t, 62), GPC_CLASS_BYPASS);
    cr_expect_eq(gpc_throttle_class_of(t, 64), GPC_CLASS_THROTTLED);
    cr_expect_eq(gpc_throttle_token_of(t, 61, 1), GPC_TOKEN_HELD);
    cr_expect_eq(gpc_throttle_token_of(t, 63, 1), GPC_TOKEN_NONE);
    cr_assert_eq(gpc_throttle_set_state(t, 60, GPC_STATE_ABSENT, NULL), GPC_OK);
    cr_expect_eq(gpc_throttle_class_of(t, 62), GPC_CLASS_CACHE, "it moves up");
    cr_expect_eq(gpc_throttle_class_of(t, 64), GPC_CLASS_BYPASS);
    cr_expect_eq(gpc_throttle_class_of(t, 60), GPC_CLASS_THROTTLED, "an empty slot");
    gpc_throttle_destroy(t);
}

/* CCWS holds back memory instructions of warps that lose no locality, not other instructions. */
Test(throttle_alone, held_back) {
    gpc_throttle *t = make("ccws", 8);
    cr_expect(gpc_throttle_wants_events(t));
    for (uint32_t slot = 0; slot < 8; slot++)
        cr_assert_eq(gpc_throttle_start(t, slot, 0, NULL), GPC_OK);
    for (uint64_t cycle = 0; cycle < 200; cycle++) {
        gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT, .warp = 1, .owner = 0, .cycle = cycle};
        gpc_throttle_cache_event(t, &event);
        event.kind = GPC_CACHE_EVENT_MISS;
        event.warp = 0;
        gpc_throttle_cache_event(t, &event);
    }
    unsigned held = 0;
    for (uint32_t slot = 0; slot < 8; slot++) {
        held += gpc_throttle_held(t, slot);
        cr_expect_neq(gpc_throttle_class_of(t, slot), GPC_CLASS_THROTTLED, "slot %u", slot);
    }
    cr_expect(!gpc_throttle_held(t, 0), "it loses what it needs");
    cr_expect_gt(held, 0);
    cr_expect_neq(gpc_throttle_next_change(t), UINT64_MAX, "scores decay");
    gpc_throttle_destroy(t);
    t = make("warps(limit=2) + blocks(limit=1)", 8);
    cr_expect(!gpc_throttle_wants_events(t) && !gpc_throttle_wants_samples(t));
    gpc_throttle_destroy(t);
    t = make("dyncta", 8);
    cr_expect(gpc_throttle_wants_samples(t));
    gpc_throttle_destroy(t);
}

static uint32_t seen[128];

static void see_blocks(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)classes;
    for (uint32_t age = 0; age < view->running; age++)
        seen[view->by_age[age]] = view->blocks[view->by_age[age]];
}

/* A throttle sees the blocks told by the host, however often asked. */
Test(throttle_alone, blocks) {
    const gpc_throttle_ops ops = {.struct_size = sizeof ops, .name = "sees", .classify = see_blocks};
    cr_assert_eq(gpc_context_register_throttle(context, &ops, NULL, NULL, NULL), GPC_OK);
    for (uint32_t warps = 64; warps <= 128; warps += 64) {
        gpc_throttle *t = make("sees", warps);
        for (uint32_t slot = 0; slot < warps; slot++)
            cr_assert_eq(gpc_throttle_start(t, slot, 1u << slot % 32, NULL), GPC_OK);
        for (uint32_t slot = 0; slot < warps; slot++)
            cr_expect_eq(seen[slot], 1u << slot % 32, "slot %u of %u: %#x", slot, warps, seen[slot]);
        gpc_throttle_destroy(t);
    }
}

static uint64_t sampled[GPC_LATENCY_BUCKETS];

static bool see_latencies(void *self, const gpc_stats *lent, uint64_t cycle) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    (void)self, (void)cycle;
    memcpy(sampled, stats->load_latency, sizeof sampled);
    return false;
}

static void say_nothing(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)view, (void)classes;
}

/* Counters not measured by a host are 0 for a throttle, in all buckets. */
Test(throttle_alone, absent_counters) {
    const gpc_throttle_ops ops = {
        .struct_size = sizeof ops, .name = "samples", .classify = say_nothing, .sample = see_latencies};
    measured_stats stats;
    measured_clear(&stats);
    cr_assert_eq(gpc_context_register_throttle(context, &ops, NULL, NULL, NULL), GPC_OK);
    gpc_throttle *t = make("samples", 8);
    for (unsigned absent = 0; absent < 2; absent++) {
        for (size_t i = 0; i < GPC_LATENCY_BUCKETS; i++)
            stats.load_latency[i] = absent ? GPC_ABSENT : 7;
        cr_assert_eq(give_throttle_sample(t, &stats, 100 * absent), GPC_OK);
        for (size_t i = 0; i < GPC_LATENCY_BUCKETS; i++)
            cr_expect_eq(sampled[i], absent ? 0 : 7, "bucket %zu", i);
    }
    gpc_throttle_destroy(t);
}

static uint64_t again;

static void decide_again(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)view;
    classes->again = again;
}

/* The throttle decides anew at the stated cycle, and in the next if that has passed. */
Test(throttle_alone, when_it_changes) {
    const gpc_throttle_ops ops = {.struct_size = sizeof ops, .name = "again", .classify = decide_again};
    static const uint64_t said[] = {0, 100, 101, 500, UINT64_MAX}, expected[] = {101, 101, 101, 500, UINT64_MAX};
    cr_assert_eq(gpc_context_register_throttle(context, &ops, NULL, NULL, NULL), GPC_OK);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        gpc_throttle *t = make("again", 8);
        again = 100;
        cr_assert_eq(gpc_throttle_start(t, 0, 0, NULL), GPC_OK);
        again = said[i];
        cr_assert_eq(gpc_throttle_classify(t, 100, NULL, NULL), GPC_OK);
        cr_expect_eq(gpc_throttle_next_change(t), expected[i], "%zu", i);
        gpc_throttle_destroy(t);
    }
}

static void hold_all(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    (void)self, (void)view;
    classes->held[0] = UINT64_MAX;
}

/* All 64 slots are held back; there are no further slots. */
Test(throttle_alone, slots_that_there_are_not) {
    const gpc_throttle_ops ops = {.struct_size = sizeof ops, .name = "holds", .classify = hold_all};
    cr_assert_eq(gpc_context_register_throttle(context, &ops, NULL, NULL, NULL), GPC_OK);
    gpc_throttle *t = make("holds", 64);
    for (uint32_t slot = 0; slot < 64; slot++)
        cr_assert_eq(gpc_throttle_start(t, slot, 0, NULL), GPC_OK);
    for (uint32_t slot = 0; slot < 64; slot++)
        cr_expect(gpc_throttle_held(t, slot), "slot %u", slot);
    cr_expect_not(gpc_throttle_held(t, 64));
    gpc_throttle_destroy(t);
}

static void refused(const gpc_throttle_options *options, gpc_status expected, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_throttle *throttle = NULL;
    cr_expect_eq(gpc_throttle_create(context, options, &throttle, &error), expected, "%s", text);
    cr_expect(strstr(error.message, text), "'%s' is not in: %s", text, error.message);
    cr_expect_null(throttle);
}

Test(throttle_alone, refusals) {
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    refused(&options, GPC_ERROR_ARGUMENT, "gpc_throttle_options.throttles is NULL");
    refused(NULL, GPC_ERROR_ARGUMENT, "options is NULL");
    options.throttles = "gto";
    refused(&options, GPC_ERROR_NOT_FOUND, "'gto'");
    options.throttles = "";
    refused(&options, GPC_ERROR_FORMAT, "");
    options.throttles = "warps + warps";
    refused(&options, GPC_ERROR_ARGUMENT, "twice");
    options.throttles = "warps";
    options.warps = 1025;
    refused(&options, GPC_ERROR_ARGUMENT, "gpc_throttle_options.warps is 1025");
    options.warps = 8;
    options.sm = 1;
    refused(&options, GPC_ERROR_ARGUMENT, "gpc_throttle_options.sm is 1");
    options.sm = 0;
    options.reserved = 1;
    refused(&options, GPC_ERROR_ARGUMENT, "reserved is not 0");
    options.reserved = 0;
    gpc_throttle *t = make("warps", 9);
    options.share_with = t;
    refused(&options, GPC_ERROR_ARGUMENT, "gpc_throttle_options.share_with: a scheduler of warps = 8");
    options.warps = 9;
    options.throttles = "blocks";
    refused(&options, GPC_ERROR_ARGUMENT, "gpc_throttle_options.share_with has another policy, or other throttles");
    cr_expect_eq(gpc_throttle_start(t, 9, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_throttle_set_state(t, 0, GPC_STATE_READY, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_throttle_issued(t, 0, 1, NULL), GPC_ERROR_STATE);
    gpc_throttle_classes classes = {.struct_size = 16};
    cr_expect_eq(gpc_throttle_classify(t, 0, &classes, NULL), GPC_ERROR_ABI);
    gpc_throttle_destroy(t);
    measured_stats stats;
    measured_clear(&stats);
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    cr_expect_eq(gpc_throttle_start(NULL, 0, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_throttle_set_state(NULL, 0, GPC_STATE_READY, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_throttle_issued(NULL, 0, 0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_throttle_begin_kernel(NULL, "", NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(give_throttle_sample(NULL, &stats, 0), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_throttle_classify(NULL, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_throttle_class_of(NULL, 0), GPC_CLASS_THROTTLED);
    cr_expect_eq(gpc_throttle_token_of(NULL, 0, 1), GPC_TOKEN_UNUSED);
    cr_expect(!gpc_throttle_held(NULL, 0) && !gpc_throttle_wants_events(NULL) && !gpc_throttle_wants_samples(NULL));
    cr_expect_eq(gpc_throttle_next_change(NULL), UINT64_MAX);
    cr_expect_eq(gpc_throttle_policy_value(NULL, 0, &value, NULL), GPC_ERROR_ARGUMENT);
    cr_expect(!gpc_throttle_cache_event(NULL, NULL));
    gpc_throttle_destroy(NULL);
}
