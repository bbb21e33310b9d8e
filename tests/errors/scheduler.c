/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/scheduler.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/ext/scheduler.h, ext/parts.h (throttles) */

Test(scheduler, creation) {
    gpc_context *context = made_context();
    gpc_scheduler *scheduler = NULL;
    gpc_throttle *throttle = NULL;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_throttle_options throttles = GPC_THROTTLE_OPTIONS_INIT;
    FAILS(ARGUMENT, "context is NULL", gpc_scheduler_create, NULL, &options, &scheduler);
    FAILS(ARGUMENT, "options is NULL", gpc_scheduler_create, context, NULL, &scheduler);
    FAILS(ARGUMENT, "out is NULL", gpc_scheduler_create, context, &options, NULL);
    options.policy = "nobody";
    FAILS(NOT_FOUND, "nobody", gpc_scheduler_create, context, &options, &scheduler);
    options.warps = 0;
    FAILS(ARGUMENT, "gpc_scheduler_options.warps", gpc_scheduler_create, context, &options, &scheduler);
    FAILS(ARGUMENT, "context is NULL", gpc_throttle_create, NULL, &throttles, &throttle);
    FAILS(ARGUMENT, "gpc_throttle_options.throttles", gpc_throttle_create, context, &throttles, &throttle);
    throttles.throttles = "nobody";
    FAILS(NOT_FOUND, "nobody", gpc_throttle_create, context, &throttles, &throttle);
    cr_expect(!scheduler && !throttle);
    uint64_t bits;
    FAILS(ARGUMENT, "NULL", gpc_scheduler_cost, NULL, "gto", 48, &bits);
    FAILS(NOT_FOUND, "nobody", gpc_scheduler_cost, context, "nobody", 48, &bits);
    WORKS(gpc_scheduler_cost, context, "gto", 48, &bits);
    gpc_context_destroy(context);
}

/* Rows of the reports to an `object`, a scheduler or throttle: slot 0 has a warp, slot 1 has none, slot 4 is none. */
#define SET_STATE(function)                                                   \
    FAILS(ARGUMENT, " is NULL", function, NULL, 0, GPC_STATE_READY);          \
    FAILS(ARGUMENT, "slot 4 of 4", function, object, 4, GPC_STATE_READY);     \
    FAILS(ARGUMENT, "state: 99", function, object, 0, (gpc_warp_state)99);    \
    FAILS(STATE, "slot 1 has no warp", function, object, 1, GPC_STATE_READY); \
    WORKS(function, object, 0, GPC_STATE_READY)
#define ISSUED(function)                                        \
    FAILS(ARGUMENT, " is NULL", function, NULL, 0, 1);          \
    FAILS(ARGUMENT, "slot 4 of 4", function, object, 4, 1);     \
    FAILS(STATE, "slot 1 has no warp", function, object, 1, 1); \
    WORKS(function, object, 0, 1)
#define BEGIN_KERNEL(function)                        \
    FAILS(ARGUMENT, " is NULL", function, NULL, "k"); \
    WORKS(function, object, "k")
#define POLICY_VALUE(function)                                   \
    FAILS(ARGUMENT, " is NULL", function, NULL, 0, &value);      \
    FAILS(ARGUMENT, "value is NULL", function, object, 0, NULL); \
    FAILS(RANGE, "index: 99", function, object, 99, &value)

Test(scheduler, reports) {
    gpc_context *context = made_context();
    gpc_scheduler *object;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    options.warps = 4;
    cr_assert_eq(gpc_scheduler_create(context, &options, &object, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_start(object, 0, NULL), GPC_OK);
    FAILS(ARGUMENT, "scheduler is NULL", gpc_scheduler_start, NULL, 0);
    FAILS(ARGUMENT, "slot 4 of 4", gpc_scheduler_start, object, 4);
    FAILS(STATE, "slot 0 has a warp", gpc_scheduler_start, object, 0);
    FAILS(ARGUMENT, "scheduler is NULL", gpc_scheduler_start_block, NULL, 0, 0);
    FAILS(ARGUMENT, "slot 4 of 4", gpc_scheduler_start_block, object, 4, 0);
    FAILS(STATE, "slot 0 has a warp", gpc_scheduler_start_block, object, 0, 0);
    SET_STATE(gpc_scheduler_set_state);
    ISSUED(gpc_scheduler_issued);
    BEGIN_KERNEL(gpc_scheduler_begin_kernel);
    POLICY_VALUE(gpc_scheduler_policy_value);
    uint32_t slot;
    FAILS(ARGUMENT, "scheduler is NULL", gpc_scheduler_pick, NULL, 2, true, &slot);
    FAILS(ARGUMENT, "out_slot is NULL", gpc_scheduler_pick, object, 2, true, NULL);
    WORKS(gpc_scheduler_pick, object, 2, true, &slot);
    gpc_scheduler_destroy(object);
    gpc_context_destroy(context);
}

static uint32_t pick_impossible(void *self, const uint64_t *candidates, uint64_t cycle) {
    (void)self, (void)candidates, (void)cycle;
    return 3;
}

Test(scheduler, impossible_slots) {
    gpc_context *context = made_context();
    gpc_scheduler *scheduler;
    const gpc_scheduler_ops ops = {
        .struct_size = sizeof ops, .name = "impossible", .summary = "s", .source = "s", .pick = pick_impossible};
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = 4;
    options.policy = "impossible";
    cr_assert_eq(gpc_context_register_scheduler(context, &ops, NULL, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_create(context, &options, &scheduler, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_start(scheduler, 0, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_set_state(scheduler, 0, GPC_STATE_READY, NULL), GPC_OK);
    uint32_t slot = 7;
    FAILS(CALLBACK, "'impossible'", gpc_scheduler_pick, scheduler, 2, true, &slot);
    cr_expect_eq(slot, 7u);
    gpc_scheduler_destroy(scheduler);
    gpc_context_destroy(context);
}

Test(throttle, reports) {
    gpc_context *context = made_context();
    gpc_throttle *object;
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    gpc_throttle_classes classes = GPC_THROTTLE_CLASSES_INIT;
    options.warps = 4;
    options.throttles = "warps(limit=2)";
    cr_assert_eq(gpc_throttle_create(context, &options, &object, NULL), GPC_OK);
    cr_assert_eq(gpc_throttle_start(object, 0, 0, NULL), GPC_OK);
    FAILS(ARGUMENT, "throttle is NULL", gpc_throttle_start, NULL, 0, 0);
    FAILS(ARGUMENT, "slot 4 of 4", gpc_throttle_start, object, 4, 0);
    FAILS(STATE, "slot 0 has a warp", gpc_throttle_start, object, 0, 0);
    SET_STATE(gpc_throttle_set_state);
    ISSUED(gpc_throttle_issued);
    BEGIN_KERNEL(gpc_throttle_begin_kernel);
    POLICY_VALUE(gpc_throttle_policy_value);
    FAILS(ARGUMENT, "throttle is NULL", gpc_throttle_classify, NULL, 2, &classes);
    WORKS(gpc_throttle_classify, object, 2, &classes);
    WORKS(gpc_throttle_classify, object, 2, NULL);
    classes.struct_size = 8;
    FAILS(ABI, "gpc_throttle_classes", gpc_throttle_classify, object, 2, &classes);
    gpc_throttle_destroy(object);
    gpc_context_destroy(context);
}
