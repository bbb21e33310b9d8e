/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"

/*
 * Stores and atomics. Two options of the cache determine the effect of a store: write_policy (rows of the table) and
 * write_allocate ("allocation"). Local memory has its own two options. "Below": the bytes go to the level below.
 *
 *                      hit                      sector missing              line missing
 *   write-back         dirty                    by allocation               by allocation
 *   write-through      updated, and below       below (lazy: kept too)      below, and by allocation
 *   write-evict        line dropped, and below  line dropped, and below     below
 *
 * Allocation. A sector is covered if the store writes all bytes of the sector.
 *   none    the bytes go below; the cache keeps no copy
 *   fetch   the cache keeps the bytes; first, sectors that are not covered are read from below
 *   lazy    the cache keeps the bytes, with a mask; a later read of other bytes of the sector fetches the sector
 *   naive   bytes of sectors that are not valid go below, and the sectors are then read, even if covered
 */

static void write_below(gpc_cache *cache, const gpci_view *view, uint8_t sectors, gpc_access_result *result) {
    gpci_bytes mask = cache->options.line_bytes <= 128 ? gpci_bytes_of(cache, sectors) : (gpci_bytes){{0, 0}};
    result->write_sectors = sectors;
    result->write_bytes[0] = view->bytes.word[0] & mask.word[0];
    result->write_bytes[1] = view->bytes.word[1] & mask.word[1];
    cache->stats.write_below_sectors += gpci_count_sectors(sectors);
}

/* Take `n` back from a counter, but stop at 0: the counters may have been reset after they counted the `n`. */
static void take_back(uint64_t *counter, unsigned n) {
    *counter -= *counter < n ? *counter : n;
}

GPCI_INLINE void decline(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t fetch,
                         gpc_access_result *result) {
    gpci_cache_stats *stats = &cache->stats;
    bool read = gpci_is_read(request), bypassed = result->outcome == GPC_BYPASSED;
    result->fetch_sectors = gpci_is_write(request) ? 0 : fetch;
    if (cache->options.bypass_fetch == GPC_BYPASS_FETCH_NEEDED)
        result->fetch_sectors &= view->need;
    take_back(&stats->fetched_sectors, gpci_count_sectors(fetch) - gpci_count_sectors(result->fetch_sectors));
    stats->bypasses += bypassed;
    stats->bypassed_sectors += read && bypassed ? gpci_count_sectors(result->fetch_sectors) : 0;
    if (read || (gpci_is_write(request) && gpci_write_allocate(cache, request) == GPC_WRITE_NAIVE_FETCH))
        return;
    if (gpci_write_policy(cache, request) == GPC_WRITE_BACK)
        write_below(cache, view, view->need, result);
    if (gpci_is_write(request)) {
        take_back(&stats->write_sector_hits, gpci_count_sectors(view->covered));
        take_back(&stats->write_hits, view->covered == view->need);
    }
}

void gpci_decline(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t fetch,
                  gpc_access_result *result) {
    decline(cache, request, view, fetch, result);
    GPCI_AGAIN(gpci_cache_count_refusal(cache, request, view, fetch, result));
}

static void miss_store(gpc_cache *cache, const gpc_request *request, const gpci_view *view, gpc_access_result *result) {
    uint32_t policy = gpci_write_policy(cache, request), allocate = gpci_write_allocate(cache, request);
    cache->stats.line_misses++;
    result->outcome = GPC_MISS;
    if (policy == GPC_WRITE_EVICT)
        allocate = GPC_WRITE_NO_ALLOCATE;
    if (allocate != GPC_WRITE_NO_ALLOCATE &&
        (gpci_bars(cache, request, result) ||
         gpci_predict(cache, request, view->set, &result->policy_word) == GPC_BYPASS)) {
        result->outcome = GPC_BYPASSED;
        cache->stats.bypasses++;
        allocate = GPC_WRITE_NO_ALLOCATE;
    }
    const bool naive = allocate == GPC_WRITE_NAIVE_FETCH;
    if (allocate == GPC_WRITE_NO_ALLOCATE || policy == GPC_WRITE_THROUGH || naive)
        write_below(cache, view, view->need, result);
    if (allocate == GPC_WRITE_FETCH || naive) {
        const uint8_t kept = naive ? 0 : view->covered;
        result->fetch_sectors = gpci_widen(cache, view->need & (uint8_t)~kept) & (uint8_t)~kept;
        cache->stats.fetched_sectors += gpci_count_sectors(result->fetch_sectors);
    }
    if (allocate != GPC_WRITE_NO_ALLOCATE && !naive) {
        cache->stats.write_sector_hits += gpci_count_sectors(view->covered);
        cache->stats.write_hits += view->covered == view->need;
    }
}

static void evict_on_write(gpc_cache *cache, const gpci_view *view, uint32_t way, gpc_access_result *result) {
    write_below(cache, view, view->need, result);
    result->evicted = 1;
    result->way = GPCI_NO_WAY;
    gpci_drop(cache, view->set, way, NULL, &result->eviction);
}

gpc_outcome gpci_outcome_at(const gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t state) {
    const uint8_t rest = view->need & (uint8_t)~GPCI_VALID(state);
    const bool naive = gpci_is_write(request) && gpci_write_allocate(cache, request) == GPC_WRITE_NAIVE_FETCH &&
                       gpci_write_policy(cache, request) != GPC_WRITE_EVICT;
    if (!naive || !rest)
        return gpci_outcome_of(gpci_examine(view, state));
    return rest & GPCI_PENDING(state) ? GPC_PENDING_HIT : GPC_SECTOR_MISS; /* covered sectors are read, too */
}

/* Store with naive allocation to a resident line. Sectors that are not valid go below, and are read if not pending. */
static void write_naive(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        gpc_access_result *result) {
    const uint32_t state = cache->states[gpci_slot(cache, view->set, way)];
    const uint8_t valid = view->need & GPCI_VALID(state), rest = view->need & (uint8_t)~valid;
    if (rest && !result->write_sectors)
        write_below(cache, view, rest, result);
    if (rest) {
        result->outcome = (uint8_t)gpci_outcome_at(cache, request, view, state);
        result->fetch_sectors = gpci_widen(cache, rest) & (uint8_t) ~(GPCI_VALID(state) | GPCI_PENDING(state));
        cache->stats.fetched_sectors += gpci_count_sectors(result->fetch_sectors);
    }
    gpci_notify_sectors(cache, request, view, way, gpci_apply_write(cache, request, view, way, valid));
}

void gpci_lookup_store(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                       gpc_access_result *result) {
    cache->stats.writes++;
    cache->stats.write_sectors += gpci_count_sectors(view->need);
    if (way == GPCI_NO_WAY) {
        miss_store(cache, request, view, result);
        return;
    }
    uint32_t policy = gpci_write_policy(cache, request), allocate = gpci_write_allocate(cache, request);
    size_t slot = gpci_slot(cache, view->set, way);
    uint32_t state = cache->states[slot];
    gpci_findings found = gpci_examine(view, state);
    result->hit_sectors = found.hit;
    result->outcome = (uint8_t)gpci_outcome_of(found);
    cache->stats.sector_misses += found.missing != 0;
    cache->stats.write_hits += !found.missing;
    cache->stats.write_sector_hits += gpci_count_sectors(found.hit | view->covered);
    if (cache->reuse && !found.missing)
        cache->reuse[slot] += !request->continues;
    if (policy == GPC_WRITE_EVICT) {
        evict_on_write(cache, view, way, result);
        return;
    }
    if (policy == GPC_WRITE_THROUGH)
        write_below(cache, view, view->need, result);
    if (GPCI_UNLIKELY(allocate == GPC_WRITE_NAIVE_FETCH)) {
        write_naive(cache, request, view, way, result);
        return;
    }
    if (found.missing && allocate == GPC_WRITE_FETCH) {
        result->fetch_sectors =
            gpci_widen(cache, found.missing) & (uint8_t) ~(GPCI_VALID(state) | GPCI_PENDING(state) | view->covered);
        cache->stats.fetched_sectors += gpci_count_sectors(result->fetch_sectors);
    } else if (found.missing && allocate == GPC_WRITE_NO_ALLOCATE && policy == GPC_WRITE_BACK) {
        write_below(cache, view, found.missing, result);
    }
    gpci_notify_sectors(cache, request, view, way, gpci_apply_write(cache, request, view, way, view->need));
}

/*
 * Write bytes into a resident line. A sector that is neither valid, pending nor covered takes the bytes only with lazy
 * fetch, under the byte mask `written`. If a sector is pending, the caller applies the store again after the fill. A
 * pending sector stays pending until the fill, even if all its bytes have been written: an atomic writes all bytes of a
 * sector, but computes the bytes from the fill's data.
 */
uint8_t gpci_apply_write(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                         uint8_t sectors) {
    size_t slot = gpci_slot(cache, view->set, way);
    uint32_t *state = &cache->states[slot];
    bool lazy = gpci_is_write(request) && gpci_write_allocate(cache, request) == GPC_WRITE_LAZY_FETCH;
    uint8_t kept = view->need & sectors, before = GPCI_VALID(*state);
    if (!lazy)
        kept &= GPCI_VALID(*state) | GPCI_PENDING(*state) | view->covered;
    *state |= view->covered & kept;
    if (gpci_write_policy(cache, request) == GPC_WRITE_BACK)
        *state |= (uint32_t)kept << GPCI_DIRTY_SHIFT;
    if (cache->written) {
        gpci_bytes *written = &cache->written[slot], mask = gpci_bytes_of(cache, kept);
        written->word[0] |= view->bytes.word[0] & mask.word[0];
        written->word[1] |= view->bytes.word[1] & mask.word[1];
        *state |= gpci_covered_by(cache, written) & (uint8_t)~GPCI_PENDING(*state);
    }
    return GPCI_VALID(*state) & (uint8_t)~before;
}

/* Perform an atomic at this level. Missing sectors are fetched first. With write-back the sectors become dirty. */
void gpci_lookup_atomic(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        gpc_access_result *result) {
    cache->stats.atomics++;
    cache->stats.atomic_sectors += gpci_count_sectors(view->need);
    if (gpci_write_policy(cache, request) != GPC_WRITE_BACK)
        write_below(cache, view, view->need, result);
    if (way == GPCI_NO_WAY) {
        cache->stats.line_misses++;
        result->outcome = GPC_MISS;
        result->fetch_sectors = gpci_widen(cache, view->need);
    } else {
        size_t slot = gpci_slot(cache, view->set, way);
        uint32_t state = cache->states[slot];
        gpci_findings found = gpci_examine(view, state);
        result->hit_sectors = found.hit;
        result->outcome = (uint8_t)gpci_outcome_of(found);
        result->fetch_sectors = gpci_widen(cache, found.missing) & (uint8_t) ~(GPCI_VALID(state) | GPCI_PENDING(state));
        cache->stats.sector_misses += found.missing != 0;
        cache->stats.atomic_sector_hits += gpci_count_sectors(found.hit);
        if (cache->reuse && !found.missing)
            cache->reuse[slot] += !request->continues;
        gpci_apply_write(cache, request, view, way, view->need);
    }
    cache->stats.fetched_sectors += gpci_count_sectors(result->fetch_sectors);
}
