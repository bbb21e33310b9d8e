/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/internal.h"

/*
 * Stores and atomics. What a store does at a level follows from two choices,
 * made apart for global and local memory:
 *
 *                      hit                      sector missing              line missing
 *   write-back         dirty                    by allocation               by allocation
 *   write-through      updated, and below       below (lazy: kept too)      below, and by allocation
 *   write-evict        line dropped, and below  line dropped, and below     below
 *
 *   allocation: none   the write goes below; fetch: sectors that it covers only in part are read
 *   first; lazy: its bytes are kept under a mask, and a later read of the rest fetches the sector.
 */

static void write_below(gpc_cache *cache, const gpci_view *view, uint8_t sectors, gpc_access_result *result) {
    result->write_sectors = sectors;
    result->write_bytes[0] = view->bytes.word[0];
    result->write_bytes[1] = view->bytes.word[1];
    cache->stats.write_below_sectors += gpci_popcount(sectors);
}

static void miss_store(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                       gpc_access_result *result) {
    uint32_t policy = gpci_write_policy(cache, request), allocate = gpci_write_allocate(cache, request);
    cache->stats.line_misses++;
    result->outcome = GPC_MISS;
    if (policy == GPC_WRITE_EVICT)
        allocate = GPC_WRITE_NO_ALLOCATE;
    if (allocate != GPC_WRITE_NO_ALLOCATE &&
        gpci_predict(cache, request, view->set, &result->policy_word) == GPC_BYPASS) {
        result->outcome = GPC_BYPASSED;
        cache->stats.bypasses++;
        allocate = GPC_WRITE_NO_ALLOCATE;
    }
    if (allocate == GPC_WRITE_NO_ALLOCATE || policy == GPC_WRITE_THROUGH)
        write_below(cache, view, view->need, result);
    if (allocate == GPC_WRITE_FETCH) {
        result->fetch_sectors = gpci_widen(cache, view->need & (uint8_t)~view->covered) & (uint8_t)~view->covered;
        cache->stats.fetched_sectors += gpci_popcount(result->fetch_sectors);
    }
    if (allocate != GPC_WRITE_NO_ALLOCATE) {
        cache->stats.write_sector_hits += gpci_popcount(view->covered);
        cache->stats.write_hits += view->covered == view->need;
    }
}

static void evict_on_write(gpc_cache *cache, const gpci_view *view, uint32_t way, gpc_access_result *result) {
    write_below(cache, view, view->need, result);
    result->evicted = 1;
    result->way = GPCI_NO_WAY;
    gpci_drop(cache, view->set, way, NULL, &result->eviction);
}

void gpci_lookup_store(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                       gpc_access_result *result) {
    cache->stats.writes++;
    cache->stats.write_sectors += gpci_popcount(view->need);
    if (way == GPCI_NO_WAY) {
        miss_store(cache, request, view, result);
        return;
    }
    uint32_t policy = gpci_write_policy(cache, request), allocate = gpci_write_allocate(cache, request);
    size_t slot = gpci_slot(cache, view->set, way);
    uint32_t state = cache->states[slot];
    uint8_t present = GPCI_VALID(state) | GPCI_PENDING(state);
    uint8_t missing = view->need & (uint8_t) ~(present | view->covered);
    result->hit_sectors = view->need & GPCI_VALID(state);
    result->outcome = missing ? GPC_SECTOR_MISS : GPC_HIT;
    cache->stats.sector_misses += missing != 0;
    cache->stats.write_hits += !missing;
    cache->stats.write_sector_hits += gpci_popcount(view->need & (present | view->covered));
    if (cache->reuse && !missing)
        cache->reuse[slot]++;
    if (policy == GPC_WRITE_EVICT) {
        evict_on_write(cache, view, way, result);
        return;
    }
    if (policy == GPC_WRITE_THROUGH)
        write_below(cache, view, view->need, result);
    if (missing && allocate == GPC_WRITE_FETCH) {
        result->fetch_sectors = gpci_widen(cache, missing) & (uint8_t) ~(present | view->covered);
        cache->stats.fetched_sectors += gpci_popcount(result->fetch_sectors);
    } else if (missing && allocate == GPC_WRITE_NO_ALLOCATE && policy == GPC_WRITE_BACK) {
        write_below(cache, view, missing, result);
    }
    gpci_apply_write(cache, request, view, slot);
}

/*
 * Bytes meet a line that has a way. A sector that is neither valid, nor on its
 * way, nor covered takes them only under a byte mask (lazy fetch); where it is
 * being fetched, the store is applied again when that is known.
 */
void gpci_apply_write(gpc_cache *cache, const gpc_request *request, const gpci_view *view, size_t slot) {
    uint32_t *state = &cache->states[slot];
    bool lazy = gpci_is_write(request) && gpci_write_allocate(cache, request) == GPC_WRITE_LAZY_FETCH;
    uint8_t kept = view->need;
    if (!lazy)
        kept &= GPCI_VALID(*state) | GPCI_PENDING(*state) | view->covered;
    *state |= view->covered & kept;
    if (gpci_write_policy(cache, request) == GPC_WRITE_BACK)
        *state |= (uint32_t)kept << GPCI_DIRTY_SHIFT;
    if (cache->written) {
        gpci_bytes *written = &cache->written[slot], mask = gpci_bytes_of(cache, kept);
        written->word[0] |= view->bytes.word[0] & mask.word[0];
        written->word[1] |= view->bytes.word[1] & mask.word[1];
        *state |= gpci_covered_by(cache, written);
    }
}

/* Read-modify-write at this level: needs the sectors valid, leaves them dirty (or written below). */
void gpci_lookup_atomic(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        gpc_access_result *result) {
    cache->stats.atomics++;
    cache->stats.atomic_sectors += gpci_popcount(view->need);
    if (gpci_write_policy(cache, request) != GPC_WRITE_BACK)
        write_below(cache, view, view->need, result);
    if (way == GPCI_NO_WAY) {
        cache->stats.line_misses++;
        result->outcome = GPC_MISS;
        result->fetch_sectors = gpci_widen(cache, view->need);
    } else {
        size_t slot = gpci_slot(cache, view->set, way);
        uint32_t state = cache->states[slot];
        uint8_t present = GPCI_VALID(state) | GPCI_PENDING(state);
        uint8_t missing = view->need & (uint8_t)~present;
        result->hit_sectors = view->need & present;
        result->outcome = missing ? GPC_SECTOR_MISS : GPC_HIT;
        result->fetch_sectors = gpci_widen(cache, missing) & (uint8_t)~present;
        cache->stats.sector_misses += missing != 0;
        cache->stats.atomic_sector_hits += gpci_popcount(result->hit_sectors);
        if (cache->reuse && !missing)
            cache->reuse[slot]++;
        gpci_apply_write(cache, request, view, slot);
    }
    cache->stats.fetched_sectors += gpci_popcount(result->fetch_sectors);
}
