/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

/*
 * Second counts of a cache, in the checking build: the ledger (stats/ledger.h) compares the counters with the second
 * counts. Each step of an access counts into the counters. The second counts are computed from the line's state before
 * the lookup, and from the result.
 */
#ifdef GPCI_CHECK

void gpci_cache_see(gpc_cache *cache, const gpci_view *view) {
    cache->seen_way = gpci_find(&cache->tags, view->set, view->line);
    cache->seen = cache->seen_way == GPCI_NO_WAY ? 0 : cache->states[gpci_slot(cache, view->set, cache->seen_way)];
}

/* True if the request bypassed the tags: the cache did not search for the line. */
static bool is_past(const gpc_cache *cache, const gpc_request *request, const gpc_access_result *result) {
    if (gpci_is_atomic(request))
        return !cache->options.atomics_here;
    const bool asked_first = cache->predictor_ops->before_lookup && result->admission != GPC_DECLINED;
    return gpci_is_read(request) && result->outcome == GPC_BYPASSED &&
           (gpci_passes_strongly(cache, request) || asked_first);
}

/* True if the lookup asked the predictor. `past`: result of is_past. */
static bool was_asked(const gpc_cache *cache, const gpc_request *request, const gpc_access_result *result, bool past) {
    if (!cache->predicts || cache->always_cache || gpci_is_atomic(request))
        return false;
    if (gpci_is_read(request) && cache->predictor_ops->before_lookup)
        return !gpci_passes_strongly(cache, request);
    return cache->seen_way == GPCI_NO_WAY && !past && result->admission != GPC_DECLINED &&
           (gpci_is_read(request) || gpci_leaves_something(cache, request));
}

static void count_read(gpc_cache *cache, const gpc_access_result *result, gpci_findings found, bool bypassed) {
    gpci_cache_stats *cache_stats = &cache->again;
    cache_stats->reads++;
    cache_stats->read_sectors += gpci_count_sectors(result->needed_sectors);
    cache_stats->read_hits += result->outcome == GPC_HIT || result->outcome == GPC_PENDING_HIT;
    cache_stats->read_sector_hits += gpci_count_sectors(result->hit_sectors);
    cache_stats->pending_sector_hits += gpci_count_sectors(found.waiting);
    cache_stats->bypassed_sectors += bypassed ? gpci_count_sectors(result->fetch_sectors) : 0;
}

static void count_write(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpci_findings found,
                        bool takes) {
    gpci_cache_stats *cache_stats = &cache->again;
    const bool resident = cache->seen_way != GPCI_NO_WAY;
    const uint8_t covered =
        resident || (takes && gpci_write_allocate(cache, request) != GPC_WRITE_NAIVE_FETCH) ? view->covered : 0;
    cache_stats->writes++;
    cache_stats->write_sectors += gpci_count_sectors(view->need);
    cache_stats->write_sector_hits += gpci_count_sectors(found.hit | covered);
    cache_stats->write_hits += (found.hit | covered) == view->need;
}

void gpci_cache_count_lookup(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                             const gpc_access_result *result) {
    gpci_cache_stats *cache_stats = &cache->again;
    const bool past = is_past(cache, request, result), bypassed = result->outcome == GPC_BYPASSED;
    const bool resident = cache->seen_way != GPCI_NO_WAY && !past;
    const gpci_findings found = resident ? gpci_examine(view, cache->seen) : (gpci_findings){0, 0, 0};
    cache_stats->line_misses += !resident && !past;
    cache_stats->sector_misses += found.missing != 0;
    cache_stats->fetched_sectors += gpci_count_sectors(result->fetch_sectors);
    cache_stats->write_below_sectors += gpci_count_sectors(result->write_sectors);
    cache_stats->bypasses += bypassed && !gpci_is_atomic(request);
    cache_stats->token_bypasses += result->admission == GPC_DECLINED;
    cache_stats->predictions += was_asked(cache, request, result, past);
    if (gpci_is_read(request)) {
        count_read(cache, result, found, bypassed);
    } else if (gpci_is_write(request)) {
        count_write(cache, request, view, found, !bypassed && gpci_leaves_something(cache, request));
    } else {
        cache_stats->atomics++;
        cache_stats->atomic_sectors += gpci_count_sectors(view->need);
        cache_stats->atomic_sector_hits += gpci_count_sectors(found.hit);
    }
}

/* Take `n` back from a count, but stop at 0: the counts may have been reset after they counted the `n`. */
static void take_back(uint64_t *count, unsigned n) {
    *count = *count > n ? *count - n : 0;
}

void gpci_cache_count_refusal(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t fetch,
                              const gpc_access_result *result) {
    gpci_cache_stats *cache_stats = &cache->again;
    const bool naive = gpci_is_write(request) && gpci_write_allocate(cache, request) == GPC_WRITE_NAIVE_FETCH;
    take_back(&cache_stats->fetched_sectors, gpci_popcount(fetch) - gpci_popcount(result->fetch_sectors));
    if (result->outcome == GPC_BYPASSED) {
        cache_stats->bypasses++;
        cache_stats->bypassed_sectors += gpci_is_read(request) ? gpci_count_sectors(result->fetch_sectors) : 0;
    }
    if (gpci_is_read(request) || naive)
        return;
    if (gpci_write_policy(cache, request) == GPC_WRITE_BACK)
        cache_stats->write_below_sectors += gpci_count_sectors(result->write_sectors);
    if (!gpci_is_write(request))
        return;
    take_back(&cache_stats->write_sector_hits, gpci_popcount(view->covered));
    take_back(&cache_stats->write_hits, view->covered == view->need);
}

void gpci_cache_count_oracle(gpc_cache *cache, bool bypass, gpc_decision decision) {
    gpci_cache_stats *cache_stats = &cache->again;
    cache_stats->oracle_decisions++;
    if (bypass)
        cache_stats->oracle_bypasses++;
    if (bypass && decision == GPC_BYPASS)
        cache_stats->oracle_agreed_bypasses++;
    if (bypass ? decision == GPC_BYPASS : decision != GPC_BYPASS)
        cache_stats->oracle_agreements++;
}

gpci_cache_stats gpci_cache_stats_again(const gpc_cache *cache) {
    gpci_cache_stats stats = cache->again;
    gpci_settle(&stats, &cache->quick_counts, true); /* quick accesses have no second count */
    return stats;
}

uint64_t gpci_cache_lines(const gpc_cache *cache) {
    uint64_t lines = 0;
    for (uint32_t set = 0; set < cache->sets; set++)
        for (uint32_t way = 0; way < cache->ways; way++)
            lines += cache->tags.words[gpci_slot(cache, set, way)] != 0;
    return lines;
}

#endif
