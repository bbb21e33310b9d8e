/* SPDX-License-Identifier: BSD-2-Clause */
/* Schedulers: creation fails cleanly, and use allocates no memory. */
#include "oom/heap.h"

#include <criterion/criterion.h>
#include <stdio.h>

static gpc_status create(gpc_context *context, const char *policy, gpc_error *error, gpc_scheduler **out) {
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = 100;
    options.warp_limit = 50;
    options.policy = policy;
    gpc_status status = gpc_scheduler_create(context, &options, out, error);
    cr_assert_eq(*out != NULL, status == GPC_OK);
    return status;
}

static void use(gpc_scheduler *scheduler, oom_heap *heap) {
    size_t calls = heap->calls;
    for (uint32_t slot = 0; slot < 100; slot++) {
        cr_assert_eq(gpc_scheduler_start(scheduler, slot, NULL), GPC_OK);
        cr_assert_eq(gpc_scheduler_set_state(scheduler, slot, GPC_STATE_READY, NULL), GPC_OK);
    }
    for (uint64_t cycle = 0; cycle < 300; cycle++) {
        uint32_t slot;
        cr_assert_eq(gpc_scheduler_pick(scheduler, cycle, true, &slot, NULL), GPC_OK);
        if (slot == GPC_NO_WARP)
            break;
        cr_assert_eq(gpc_scheduler_issued(scheduler, slot, cycle, NULL), GPC_OK);
        cr_assert_eq(gpc_scheduler_set_state(scheduler, slot, cycle % 3 ? GPC_STATE_BARRIER : GPC_STATE_ABSENT, NULL),
                     GPC_OK);
    }
    cr_assert_eq(heap->calls, calls, "a scheduler at work allocated");
}

static gpc_status every_scheduler(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; status == GPC_OK && i < gpc_policy_count(context, GPC_POLICY_SCHEDULER); i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        gpc_scheduler *scheduler = NULL;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_SCHEDULER, i, &info, NULL), GPC_OK);
        status = create(context, info.name, error, &scheduler);
        if (status == GPC_OK)
            use(scheduler, heap);
        gpc_scheduler_destroy(scheduler);
    }
    return status;
}

/* Allocations: object, policy, policy's name, arguments, slab. */
Test(oom, every_scheduler) {
    oom_check(every_scheduler, 4 * 5);
}

/* Two schedulers of an SM; the second shares with the first, or is not made. */
static gpc_status every_throttle(gpc_context *context, oom_heap *heap, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; status == GPC_OK && i < gpc_policy_count(context, GPC_POLICY_THROTTLE); i++) {
        char spec[64];
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        gpc_scheduler *first = NULL, *second = NULL;
        gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_THROTTLE, i, &info, NULL), GPC_OK);
        snprintf(spec, sizeof spec, "gto + %s", info.name);
        options.policy = spec;
        options.warps = 100;
        options.count = 2;
        status = gpc_scheduler_create(context, &options, &first, error);
        options.index = 1;
        options.share_with = first;
        if (status == GPC_OK)
            status = gpc_scheduler_create(context, &options, &second, error);
        if (first)
            use(first, heap);
        gpc_scheduler_destroy(first);
        if (second)
            use(second, heap);
        gpc_scheduler_destroy(second);
    }
    return status;
}

Test(oom, every_throttle) {
    oom_check(every_throttle, 5 * 2 * 8);
}

static uint32_t pick_nothing(void *self, const uint64_t *ready, uint64_t cycle) {
    (void)self, (void)ready, (void)cycle;
    return GPC_NO_WARP;
}

static int destroyed; /* outlives the scenario, like the context */

static void count_destroy(void *user_data) {
    ++*(int *)user_data;
}

/* Registered, made, and destroyed, with everything held by the registration. */
static gpc_status own_scheduler(gpc_context *context, oom_heap *heap, gpc_error *error) {
    static const gpc_parameter parameters[] = {{"depth", 2, 1, 8, true, "a number"}};
    const gpc_scheduler_ops ops = {.struct_size = sizeof ops,
                                   .name = "own",
                                   .warp_bytes = 24,
                                   .parameters = parameters,
                                   .parameter_count = 1,
                                   .pick = pick_nothing};
    destroyed = 0;
    size_t before = gpc_policy_count(context, GPC_POLICY_SCHEDULER);
    gpc_status status = gpc_context_register_scheduler(context, &ops, &destroyed, count_destroy, error);
    cr_assert_eq(destroyed, status != GPC_OK);
    cr_assert_eq(gpc_policy_count(context, GPC_POLICY_SCHEDULER), before + (status == GPC_OK));
    if (status != GPC_OK) {
        oom_heal(heap);
        cr_assert_eq(gpc_context_register_scheduler(context, &ops, NULL, NULL, NULL), GPC_OK);
        return status;
    }
    gpc_scheduler *scheduler = NULL;
    status = create(context, "own(depth=3)", error, &scheduler);
    if (status == GPC_OK)
        use(scheduler, heap);
    gpc_scheduler_destroy(scheduler);
    return status;
}

Test(oom, own_scheduler) {
    oom_check(own_scheduler, 8);
    cr_assert_eq(destroyed, 1);
}

static gpc_status cost(gpc_context *context, oom_heap *heap, gpc_error *error) {
    (void)heap;
    uint64_t bits = 1;
    gpc_status status = gpc_scheduler_cost(context, "two-level(group=2)", 8, &bits, error);
    cr_assert_eq(bits == 1, status != GPC_OK);
    return status;
}

Test(oom, scheduler_cost) {
    oom_check(cost, 1);
}
