/* SPDX-License-Identifier: BSD-2-Clause */
/* A warp scheduler with a throttle: classes, tokens, ages and events of the SM's L1. */
#include "example.h"

#include <gpucache/ext/scheduler.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_scheduler *scheduler;
    uint64_t bits;
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_scheduler_cost(context, "gto + ccws", 48, &bits, &error), &error);
    printf("gto + ccws: %" PRIu64 " bits for 48 warps\n", bits);

    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.warps = 8;
    options.policy = "gto + ccws";
    check(gpc_scheduler_create(context, &options, &scheduler, &error), &error);
    check(gpc_scheduler_begin_kernel(scheduler, "kernel", NULL), &error);
    check(gpc_scheduler_start(scheduler, 0, NULL), &error);
    for (uint32_t warp = 1; warp < 8; warp++)
        check(gpc_scheduler_start_block(scheduler, warp, warp / 4, NULL), &error);
    for (uint32_t warp = 0; warp < 8; warp++)
        check(gpc_scheduler_set_state(scheduler, warp, GPC_STATE_READY_MEMORY, NULL), &error);
    expect(gpc_scheduler_age_of(scheduler, 7) == 7, "warp 7 is the youngest");

    uint32_t picked;
    for (uint64_t cycle = 1; cycle < 100; cycle++) {
        check(gpc_scheduler_pick(scheduler, cycle, true, &picked, NULL), &error);
        if (picked == GPC_NO_WARP)
            continue;
        check(gpc_scheduler_issued(scheduler, picked, cycle, NULL), &error);
        /* A line of the warp leaves L1, and the warp misses the line again: lost locality. */
        gpc_cache_event event = {.kind = GPC_CACHE_EVENT_EVICT, .warp = picked, .owner = picked, .cycle = cycle};
        gpc_scheduler_cache_event(scheduler, &event);
        event.kind = GPC_CACHE_EVENT_MISS;
        gpc_scheduler_cache_event(scheduler, &event);
    }
    const uint32_t running = gpc_scheduler_class_count(scheduler, GPC_CLASS_CACHE) +
                             gpc_scheduler_class_count(scheduler, GPC_CLASS_BYPASS) +
                             gpc_scheduler_class_count(scheduler, GPC_CLASS_THROTTLED);
    expect(running == 8, "each warp has a class");
    printf("warp 7: class %d, token %d, next change at %" PRIu64 "\n", (int)gpc_scheduler_class_of(scheduler, 7),
           (int)gpc_scheduler_token_of(scheduler, 7, 1), gpc_scheduler_next_change(scheduler));

    const uint32_t id = GPC_ID_warp_instructions;
    const uint64_t issued = 99;
    check(gpc_scheduler_sample(scheduler, 100, &id, 1, &issued, 1, &error), &error);
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_scheduler_policy_value(scheduler, i, &value, &error) == GPC_OK; i++)
        printf("%s = %" PRIu64 "\n", value.name, value.value);
    gpc_scheduler_destroy(scheduler);
    gpc_context_destroy(context);
    return 0;
}
