/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

/* Change the sets and ways of a cache, or empty the cache, in place: pointers to the cache stay valid. */

void gpci_cache_exchange(gpc_cache *left, gpc_cache *right) {
    gpc_cache cache = *left;
    *left = *right;
    *right = cache;
}

bool gpci_cache_forgets(const gpc_cache *cache) {
    return cache->lru && !cache->predicts && !cache->tracks && !cache->token_state;
}

void gpci_cache_renew(gpc_cache *cache, uint64_t lines) {
    const uint32_t ways = cache->sets * cache->ways;
    gpci_lru_state *lru = cache->replacement_self;
    if (cache->free_ways < ways)
        gpc_cache_invalidate_all(cache, NULL);
    gpci_lru_start(lru, cache->sets, cache->ways, lru->orders, lru->links);
    gpc_cache_reset_stats(cache);
    cache->tags.high = 0;
    cache->tags.started = cache->tags.wide = cache->priorities = false;
    cache->hand = 0;
    cache->sampled_reads = cache->sampled_hits = cache->declined = cache->notified = 0;
    cache->options.lines = lines;
    cache->spare_ways = gpci_spare_ways(cache);
    gpci_classify(cache);
}

gpc_status gpc_cache_resize(gpc_cache *cache, uint64_t sets, uint32_t ways, gpc_error *error) {
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_resize: cache is NULL");
    if (!cache->lone)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_cache_resize: the cache is a hierarchy's, whose launches resize it");
    if (cache->commons && gpci_commons_are_shared(cache->commons))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_cache_resize: other caches share with it");
    gpc_cache *other;
    gpc_cache_options options = cache->options;
    options.sets = sets;
    options.ways = ways;
    options.replacement = gpci_policy_text(cache->replacement);
    options.predictor = gpci_policy_text(cache->predictor);
    gpc_status status = gpc_cache_create(cache->context, &options, &other, error);
    if (status < 0)
        return status;
    gpc_cache_invalidate_all(cache, NULL);
    other->stats = gpci_cache_get_stats(cache);
#ifdef GPCI_CHECK
    other->again = gpci_cache_stats_again(cache);
#endif
    other->sampled_reads = cache->sampled_reads;
    other->sampled_hits = cache->sampled_hits;
    gpci_cache_exchange(cache, other);
    gpc_cache_destroy(other);
    return GPC_OK;
}
