/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses without a clock: batches, fences, flushes, and the caches of a hierarchy. */
#include "example.h"

#include <gpucache/ext/hierarchy.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "kepler", "sm.count = 2\nl1.replacement = dip\n");
    gpc_config *config;
    uint64_t sms;
    check(gpc_hierarchy_get_config(hierarchy, &config, &error), &error);
    check(gpc_config_get_u64(config, "sm.count", &sms, &error), &error);
    gpc_config_destroy(config);

    /* Two instructions of 32 lanes: the second finds the line of the first. */
    uint64_t addresses[2][32];
    gpc_warp_result results[2];
    for (int i = 0; i < 2; i++)
        (void)load_of(addresses[i], 0x1000);
    gpc_access_batch batch = GPC_ACCESS_BATCH_INIT;
    size_t done;
    batch.count = 2;
    batch.addresses = addresses[0];
    batch.results = results;
    check(gpc_hierarchy_access_many(hierarchy, &batch, &done, &error), &error);
    expect(done == 2 && results[1].l1_sector_hits == 4, "the second load hits");

    gpc_fence fence = GPC_FENCE_INIT;
    fence.order = GPC_ORDER_ACQ_REL;
    fence.scope = GPC_SCOPE_GPU;
    check(gpc_hierarchy_fence(hierarchy, &fence, &error), &error);
    gpc_hierarchy_count_instructions(hierarchy, 10, 320, 1);

    gpc_cache *l1 = gpc_hierarchy_cache(hierarchy, 1, 0);
    const uint32_t id = GPC_ID_CACHE_reads;
    uint64_t reads;
    check(gpc_cache_read(l1, &id, 1, &reads, 1, &error), &error);
    expect(reads == 2, "the L1 of SM 0 has the two reads");
    expect(gpc_hierarchy_coherence(hierarchy) == NULL, "plain caches are no tree");

    const gpc_warp_event exit_event = {.kind = GPC_WARP_EXIT};
    check(gpc_hierarchy_warp_event(hierarchy, &exit_event, &error), &error);
    gpc_sample samples[2] = {GPC_SAMPLE_INIT, GPC_SAMPLE_INIT};
    check(gpc_hierarchy_sample(hierarchy, samples, &error), &error);
    expect(!gpc_hierarchy_wants_samples(hierarchy), "dip needs no samples");
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_hierarchy_policy_value(hierarchy, i, &value, &error) == GPC_OK; i++)
        printf("%s = %" PRIu64 "\n", value.name, value.value);

    check(gpc_hierarchy_flush(hierarchy, &error), &error);
    check(gpc_hierarchy_access_many(hierarchy, &batch, &done, &error), &error);
    expect(results[0].l1_sector_hits == 0, "the flush has dropped the line");
    gpc_hierarchy_reset_stats(hierarchy);
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    printf("%" PRIu64 " SMs\n", sms);
    return 0;
}
