/* SPDX-License-Identifier: BSD-2-Clause */
/* The policies of a live cache: change them, feed them, read their counters. */
#include "example.h"

#include <gpucache/ext/parts.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_cache *cache;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.tokens = GPC_TOKENS_OPPORTUNISTIC;
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_cache_create(context, &options, &cache, &error), &error);
    printf("priority of lines: %" PRIu64 " bits\n", gpc_cache_token_bits(cache));

    check(gpc_cache_set_replacement(cache, "dip", &error), &error);
    check(gpc_cache_set_predictor(cache, "random-p(p=0.5)", &error), &error);
    expect(gpc_cache_lacks(cache) == 0, "the host gives all inputs of the policies");
    check(gpc_cache_set_replacement(cache, "vote(lru, srrip)", &error), &error);
    expect(gpc_cache_lacks(cache) & GPC_READS_SAMPLES, "a vote needs samples");

    const gpc_warp_event start = {.kind = GPC_WARP_START, .warp = 3};
    check(gpc_cache_warp_event(cache, &start, &error), &error);
    for (uint64_t i = 0; i < 1000; i++) {
        const gpc_request load = {.address = i * 128 % 65536, .size = 4, .warp = 3};
        check(gpc_cache_access(cache, &load, NULL, &error), &error);
    }
    gpc_sample sample = GPC_SAMPLE_INIT;
    sample.cycle = sample.cycles = sample.active_cycles = 1000;
    sample.instructions = 1000;
    check(gpc_cache_sample(cache, &sample, &error), &error);
    expect(!(gpc_cache_lacks(cache) & GPC_READS_SAMPLES), "the vote has its samples");

    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_cache_policy_value(cache, i, &value, &error) == GPC_OK; i++)
        printf("%s = %" PRIu64 " %s\n", value.name, value.value, value.unit);
    gpc_cache_destroy(cache);
    gpc_context_destroy(context);
    return 0;
}
