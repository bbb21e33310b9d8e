/* SPDX-License-Identifier: BSD-2-Clause */
/* A throttle alone, for a host with its own scheduler: which warps may issue, and which may allocate. */
#include "example.h"

#include <gpucache/ext/parts.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_throttle *throttle;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_throttle_options options = GPC_THROTTLE_OPTIONS_INIT;
    options.warps = 8;
    options.throttles = "pcal(warps=4, ebt=2)";
    check(gpc_throttle_create(context, &options, &throttle, &error), &error);
    printf("L1's events: %d, samples: %d\n", gpc_throttle_wants_events(throttle), gpc_throttle_wants_samples(throttle));
    check(gpc_throttle_begin_kernel(throttle, "kernel", NULL), &error);
    for (uint32_t warp = 0; warp < 8; warp++) {
        check(gpc_throttle_start(throttle, warp, warp / 4, NULL), &error);
        check(gpc_throttle_set_state(throttle, warp, GPC_STATE_READY, NULL), &error);
    }
    check(gpc_throttle_issued(throttle, 0, 1, NULL), &error);

    uint64_t throttled, bypassing;
    gpc_throttle_classes classes = GPC_THROTTLE_CLASSES_INIT;
    classes.throttled = &throttled;
    classes.bypassing = &bypassing;
    check(gpc_throttle_classify(throttle, 2, &classes, NULL), &error);
    printf("throttled %#" PRIx64 ", bypassing %#" PRIx64 ", next change at %" PRIu64 "\n", throttled, bypassing,
           gpc_throttle_next_change(throttle));
    expect(gpc_throttle_class_of(throttle, 0) == GPC_CLASS_CACHE, "the oldest warp has a token");
    expect(gpc_throttle_token_of(throttle, 4, 1) == GPC_TOKEN_NONE, "warp 4 runs without a token");
    expect(gpc_throttle_class_of(throttle, 7) == GPC_CLASS_THROTTLED, "the youngest warp does not run");
    expect(!gpc_throttle_held(throttle, 0), "warp 0 may issue memory instructions");

    const gpc_cache_event event = {.kind = GPC_CACHE_EVENT_MISS};
    (void)gpc_throttle_cache_event(throttle, &event);
    const uint32_t id = GPC_ID_warp_instructions;
    const uint64_t issued = 1;
    check(gpc_throttle_sample(throttle, 100, &id, 1, &issued, 1, &error), &error);
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_throttle_policy_value(throttle, i, &value, &error) == GPC_OK; i++)
        printf("%s = %" PRIu64 "\n", value.name, value.value);
    gpc_throttle_destroy(throttle);
    gpc_context_destroy(context);
    return 0;
}
