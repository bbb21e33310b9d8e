/* SPDX-License-Identifier: BSD-2-Clause */
/* A replacement policy and a predictor without a cache: the host has the tags, and reports events. */
#include "example.h"

#include <gpucache/ext/parts.h>

#include <inttypes.h>

static gpc_error error = GPC_ERROR_INIT;

/* One set of four full ways: the policy chooses the way for a new line. */
static void replace(gpc_context *context) {
    gpc_replacement *policy;
    gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
    options.policy = "lru";
    options.sets = 1;
    check(gpc_replacement_create(context, &options, &policy, &error), &error);
    gpc_request requests[4];
    gpc_policy_event events[5] = {{.kind = GPC_ON_FILL}};
    for (uint32_t way = 0; way < 4; way++) {
        requests[way] = (gpc_request){.address = way * 128, .size = 4};
        events[way] = (gpc_policy_event){.kind = GPC_ON_FILL, .way = way, .request = &requests[way]};
    }
    events[4] = (gpc_policy_event){.kind = GPC_ON_HIT, .way = 0, .request = &requests[0]};
    size_t done;
    check(gpc_replacement_event(policy, events, 5, &done, &error), &error);
    expect(done == 5, "all events were reported");

    const gpc_request load = {.address = 0x1000, .size = 4};
    const uint64_t allowed = 0x5; /* ways 0 and 2 */
    uint32_t way;
    expect(!gpc_replacement_declines(policy, 0, NULL, &load), "lru takes every line");
    check(gpc_replacement_choose(policy, 0, NULL, &load, &way, &error), &error);
    expect(way == 1, "way 1 is the oldest");
    check(gpc_replacement_choose(policy, 0, &allowed, &load, &way, &error), &error);
    expect(way == 2, "way 2 is the oldest allowed");
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    expect(gpc_replacement_policy_value(policy, 0, &value, &error) == GPC_ERROR_RANGE, "lru publishes no counter");
    gpc_replacement_destroy(policy);
}

/* Loads of a warp instruction, predicted together. */
static void predict(gpc_context *context) {
    gpc_predictor *predictor;
    gpc_predictor_options options = GPC_PREDICTOR_OPTIONS_INIT;
    options.policy = "hint";
    check(gpc_predictor_create(context, &options, &predictor, &error), &error);
    expect(gpc_predictor_before_lookup(predictor), "the host asks before a lookup");
    const uint32_t sets[2] = {0, 1};
    const gpc_request loads[2] = {{.address = 0, .hint = GPC_HINT_CA}, {.address = 128, .hint = GPC_HINT_CG}};
    gpc_prediction first, both[2];
    size_t done;
    check(gpc_predictor_predict(predictor, 0, &loads[0], &first, &error), &error);
    check(gpc_predictor_predict_many(predictor, sets, loads, 2, both, &done, &error), &error);
    expect(first.decision == GPC_CACHE && both[1].decision == GPC_BYPASS, "the hint CG passes L1");

    const gpc_policy_event fill = {.kind = GPC_ON_FILL, .request = &loads[0]};
    check(gpc_predictor_event(predictor, &fill, 1, NULL, &error), &error);
    const uint32_t word = gpc_predictor_respond(predictor, 0, 0, &loads[0]);
    expect(gpc_predictor_reply(predictor, &loads[1], GPC_BYPASS, word) == GPC_BYPASS, "the reply changes nothing");
    expect(gpc_predictor_stall(predictor, &loads[0], GPC_BUSY_MSHR) == GPC_CACHE, "a held load waits");
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_predictor_policy_value(predictor, i, &value, &error) == GPC_OK; i++)
        printf("%s = %" PRIu64 "\n", value.name, value.value);
    gpc_predictor_destroy(predictor);
}

int main(void) {
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    replace(context);
    predict(context);
    gpc_context_destroy(context);
    puts("decisions as in a cache");
    return 0;
}
