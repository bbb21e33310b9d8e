/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include "registry/policy_values.h"

/* Counters published by a cache's policies; samples and stalls; calls of the host that the policies lack. */

static const gpci_policy *replacement_of(const void *of, uint32_t index) {
    (void)index;
    return ((const gpc_cache *)of)->replacement;
}

static const gpci_policy *predictor_of(const void *of, uint32_t index) {
    (void)index;
    return ((const gpc_cache *)of)->predictor;
}

gpc_status gpc_cache_policy_value(const gpc_cache *cache, size_t index, gpc_policy_value *value, gpc_error *error) {
    const gpci_policy_group groups[] = {{"replacement", replacement_of, cache, 1}, {"bypass", predictor_of, cache, 1}};
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_policy_value: cache is NULL");
    return gpci_policy_value(groups, sizeof groups / sizeof *groups, index, value, error);
}

/*
 * Calls that the policy needs: of the calls `heard` (GPC_READS_ bits for which the policy has functions), the calls
 * that the policy reads with its present parameters. If the policy does not say what it reads: all of `heard`.
 */
static uint64_t lives_on(const gpc_cache *cache, gpc_policy_kind kind, const gpci_policy *policy, uint64_t heard) {
    uint64_t reads = 0;
    if (gpci_policy_reads(cache->context, kind, gpci_policy_text(policy), NULL, &reads) < 0 || !reads)
        return heard;
    return heard & reads;
}

/* Calls that the host of any cache can make: neither limited to timed L1s, nor about the future. */
#define LIVED_ON ((uint64_t)GPC_READS_SAMPLES | GPC_READS_WARP_EVENTS | GPC_READS_POLICY_WORD)

static uint64_t feeds_of(const gpc_cache *cache) {
    const uint64_t first = gpci_policy_hears(GPC_POLICY_REPLACEMENT, cache->replacement_ops),
                   second = gpci_policy_hears(GPC_POLICY_PREDICTOR, cache->predictor_ops);
    return lives_on(cache, GPC_POLICY_REPLACEMENT, cache->replacement, first & LIVED_ON) |
           lives_on(cache, GPC_POLICY_PREDICTOR, cache->predictor, second & LIVED_ON);
}

uint64_t gpc_cache_lacks(const gpc_cache *cache) {
    return cache ? feeds_of(cache) & ~cache->notified : 0;
}

void gpci_cache_sample(gpc_cache *cache, gpc_sample *sample) {
    gpci_cache_stats stats = gpci_cache_get_stats(cache);
    /* the counters have been reset since the last sample */
    if (stats.read_sectors < cache->sampled_reads || stats.read_sector_hits < cache->sampled_hits)
        cache->sampled_reads = cache->sampled_hits = 0;
    sample->reads = stats.read_sectors - cache->sampled_reads;
    sample->read_hits = stats.read_sector_hits - cache->sampled_hits;
    cache->sampled_reads = stats.read_sectors;
    cache->sampled_hits = stats.read_sector_hits;
    cache->notified |= GPC_READS_SAMPLES;
    if (cache->replacement_ops->on_sample)
        cache->replacement_ops->on_sample(cache->replacement_self, sample);
    if (cache->predictor_ops->on_sample)
        cache->predictor_ops->on_sample(cache->predictor_self, sample);
}

gpc_status gpc_cache_sample(gpc_cache *cache, const gpc_sample *sample, gpc_error *error) {
    if (!cache || !sample)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_sample: %s is NULL", cache ? "sample" : "cache");
    gpc_sample ours = GPC_SAMPLE_INIT;
    gpc_status status = gpci_take(&ours, sizeof ours, sizeof ours, sample, "gpc_sample", error);
    if (status == GPC_OK)
        gpci_cache_sample(cache, &ours);
    return status;
}

gpc_decision gpc_cache_stall(gpc_cache *cache, const gpc_request *request, uint32_t reason) {
    return cache && request ? gpci_predictor_stall(cache->predictor_ops, cache->predictor_self, request, reason)
                            : GPC_CACHE;
}
