/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include "registry/policy_values.h"

/* What a cache's policies publish of themselves, and what they go without. */

static const gpci_policy *replacement_of(const void *of, uint32_t index) {
    (void)index;
    return ((const gpc_cache *)of)->replacement;
}

static const gpci_policy *predictor_of(const void *of, uint32_t index) {
    (void)index;
    return ((const gpc_cache *)of)->predictor;
}

gpc_status gpc_cache_policy_value(const gpc_cache *cache, size_t index, gpc_policy_value *value) {
    const gpci_policy_group groups[] = {{"replacement", replacement_of, cache, 1}, {"bypass", predictor_of, cache, 1}};
    return cache ? gpci_policy_value(groups, sizeof groups / sizeof *groups, index, value) : GPC_ERROR_ARGUMENT;
}

/* Of what its table can be told, that which it goes by with its parameters. */
static uint64_t lives_on(const gpc_cache *cache, gpc_policy_kind kind, const gpci_policy *policy, uint64_t heard) {
    uint64_t reads = 0;
    if (gpci_policy_reads(cache->context, kind, gpci_policy_text(policy), NULL, &reads) < 0 || !reads)
        return heard;
    return heard & reads;
}

uint64_t gpci_cache_lives_on(const gpc_cache *cache) {
    const gpc_replacement_ops *replacement = cache->replacement_ops;
    const gpc_predictor_ops *predictor = cache->predictor_ops;
    uint64_t first = (replacement->on_sample ? (uint64_t)GPC_READS_SAMPLES : 0) |
                     (replacement->on_warp_event ? (uint64_t)GPC_READS_WARP_EVENTS : 0);
    uint64_t second = (predictor->on_sample ? (uint64_t)GPC_READS_SAMPLES : 0) |
                      (predictor->on_warp_event ? (uint64_t)GPC_READS_WARP_EVENTS : 0) |
                      (predictor->on_reply ? (uint64_t)GPC_READS_POLICY_WORD : 0);
    return lives_on(cache, GPC_POLICY_REPLACEMENT, cache->replacement, first) |
           lives_on(cache, GPC_POLICY_PREDICTOR, cache->predictor, second);
}

uint64_t gpc_cache_lacks(const gpc_cache *cache) {
    return cache ? gpci_cache_lives_on(cache) & ~cache->told : 0;
}
