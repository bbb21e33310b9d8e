/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/allocate.h"
#include "cache/cache.h"

#include <string.h>

/* Public calls for a step of an access (lookup, reserve, fill), or for all steps: check, resolve and run. */

/* Refuse a NULL argument of `call`. */
static GPCI_COLD gpc_status refuse_null(const gpc_cache *cache, const char *call, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", call, cache ? "request" : "cache");
}

static gpc_status resolve(const gpc_cache *cache, const gpc_request *request, gpci_view *view, const char *call,
                          gpc_error *error) {
    return cache && request ? gpci_view_of(cache, request, view, error) : refuse_null(cache, call, error);
}

static gpc_status resolve_sectors(const gpc_cache *cache, const gpc_request *request, uint8_t sectors, gpci_view *view,
                                  const char *call, gpc_error *error) {
    gpc_status status = resolve(cache, request, view, call, error);
    if (status == GPC_OK && (sectors & ~cache->all_sectors))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: sectors 0x%x, but a line has 0x%x", call, sectors,
                         cache->all_sectors);
    return status;
}

/* Return the status of a step. If a policy chose an impossible victim, write the message. */
static gpc_status end(gpc_status status, const char *call, gpc_error *error) {
    return GPCI_LIKELY(status >= 0) ? status : gpci_fail_by_status(error, status, call);
}

static gpc_access_result *start(gpc_access_result *result, gpc_access_result *own) {
    gpc_access_result *used = result ? result : own;
    *used = (gpc_access_result){.way = GPCI_NO_WAY};
    return used;
}

gpc_status gpc_cache_lookup(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = resolve(cache, request, &view, "gpc_cache_lookup", error);
    if (status < 0)
        return status;
    result = start(result, &own);
    gpci_lookup(cache, request, &view, result);
    if (!gpci_takes_at_miss(cache->options.allocate))
        gpci_admit(cache, request, &view, result);
    return GPC_OK;
}

/*
 * Find the way of the line, for a reservation or a fill; give an absent line a way. `fetch`: sectors that the lookup
 * has counted as fetched (gpci_decline). result->way is GPCI_NO_WAY if the request leaves no line, or was refused.
 */
GPCI_INLINE gpc_status ensure_way(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                                  uint8_t fetch, gpc_access_result *result) {
    result->needed_sectors = view->need;
    result->set = view->set;
    result->outcome = GPC_BYPASSED;
    if (!gpci_leaves_something(cache, request))
        return GPC_OK;
    result->way = way == GPCI_ANY_WAY ? gpci_find(&cache->tags, view->set, view->line) : way;
    if (result->way != GPCI_NO_WAY) {
        result->outcome = GPC_SECTOR_MISS;
        return GPC_OK;
    }
    result->outcome = GPC_MISS;
    gpc_status status = gpci_take_way(cache, request, view, result, &result->way);
    if (status == GPC_OK && result->outcome == GPC_BYPASSED)
        gpci_decline(cache, request, view, fetch, result);
    return status;
}

gpc_status gpci_reserve(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint32_t way,
                        uint8_t sectors, gpc_access_result *result) {
    gpc_status status = ensure_way(cache, request, view, way, sectors, result);
    if (status < 0 || result->way == GPCI_NO_WAY)
        return status;
    uint32_t *state = &cache->states[gpci_slot(cache, view->set, result->way)];
    uint8_t pending = sectors & (uint8_t)~GPCI_VALID(*state);
    cache->pending_lines += pending && !GPCI_PENDING(*state);
    *state |= (uint32_t)pending << GPCI_PENDING_SHIFT;
    result->fetch_sectors = sectors;
    /* bytes of the sectors being fetched are written at the fill */
    if (!gpci_is_read(request))
        gpci_notify_sectors(cache, request, view, result->way,
                            gpci_apply_write(cache, request, view, result->way, (uint8_t)~sectors));
    return GPC_OK;
}

gpc_status gpci_reserve_over_pending(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                                     uint8_t sectors, gpc_access_result *result) {
    const uint32_t held = cache->held;
    cache->stats.no_victims--; /* gpci_reserve has counted the missing victim of this allocation */
    cache->held = 0;
    const gpc_status status = gpci_reserve(cache, request, view, GPCI_NO_WAY, sectors, result);
    cache->held = held;
    return status;
}

gpc_status gpc_cache_reserve(gpc_cache *cache, const gpc_request *request, uint8_t sectors, gpc_access_result *result,
                             gpc_error *error) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = resolve_sectors(cache, request, sectors, &view, "gpc_cache_reserve", error);
    if (status < 0)
        return status;
    status = gpci_reserve(cache, request, &view, GPCI_ANY_WAY, sectors, start(result, &own));
    return end(status, "gpc_cache_reserve", error);
}

gpc_status gpci_fill(gpc_cache *cache, const gpc_request *request, const gpci_view *view, uint8_t sectors,
                     gpc_access_result *result) {
    gpc_status status = ensure_way(cache, request, view, GPCI_ANY_WAY, 0, result); /* 0: the data have been fetched */
    if (status < 0)
        return status;
    if (result->way != GPCI_NO_WAY)
        gpci_complete(cache, request, view, result->way, sectors);
    else if (result->outcome == GPC_BYPASSED && gpci_is_read(request))
        cache->stats.bypassed_sectors += gpci_popcount(sectors);
    GPCI_AGAIN(cache->again.bypassed_sectors +=
               gpci_is_read(request) && result->outcome == GPC_BYPASSED ? gpci_popcount(sectors) : 0);
    return GPC_OK;
}

gpc_status gpc_cache_fill(gpc_cache *cache, const gpc_request *request, uint8_t sectors, gpc_access_result *result,
                          gpc_error *error) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = resolve_sectors(cache, request, sectors, &view, "gpc_cache_fill", error);
    if (status < 0)
        return status;
    return end(gpci_fill(cache, request, &view, sectors, start(result, &own)), "gpc_cache_fill", error);
}

gpc_status gpci_fill_own(gpc_cache *cache, const gpc_request *request, uint8_t sectors, gpc_access_result *result) {
    gpci_view view;
    const gpc_status status = gpci_view_of_own(cache, request, &view, NULL);
    return status < 0 ? status : gpci_fill(cache, request, &view, sectors, start(result, NULL));
}

/* True if sectors must be reserved and filled after a lookup with this result. */
static bool allocates(const gpc_cache *cache, const gpc_request *request, const gpc_access_result *result) {
    if (result->outcome == GPC_SECTOR_MISS)
        return result->fetch_sectors != 0;
    return result->outcome == GPC_MISS && gpci_leaves_something(cache, request);
}

static gpc_status finish(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                         gpc_access_result *result) {
    uint32_t way = result->way;
    if (way == GPCI_NO_WAY) {
        gpc_status status = gpci_take_way(cache, request, view, result, &way);
        if (status < 0)
            return status;
        if (way == GPCI_NO_WAY) {
            gpci_decline(cache, request, view, result->fetch_sectors, result);
            return GPC_OK;
        }
        result->way = way;
    }
    gpci_complete(cache, request, view, way, result->fetch_sectors);
    return GPC_OK;
}

gpc_status gpci_access_any(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = gpci_view_of(cache, request, &view, error);
    if (status < 0)
        return status;
    result = start(result, &own);
    gpci_lookup(cache, request, &view, result);
    if (!allocates(cache, request, result))
        return GPC_OK;
    return end(finish(cache, request, &view, result), "gpc_cache_access", error);
}

gpc_status gpc_cache_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error) {
    if (GPCI_UNLIKELY(!cache || !request))
        return refuse_null(cache, "gpc_cache_access", error);
    if (cache->quick && result)
        return gpci_quick_access(cache, request, result, error);
    return gpci_access_any(cache, request, result, error);
}

gpc_status gpc_cache_probe(const gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                           gpc_error *error) {
    gpci_view view;
    gpc_status status = resolve(cache, request, &view, "gpc_cache_probe", error);
    if (status < 0)
        return status;
    if (!result)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_probe: result is NULL");
    *result = (gpc_access_result){.needed_sectors = view.need, .set = view.set};
    result->way = gpci_find(&cache->tags, view.set, view.line);
    result->outcome = GPC_MISS;
    if (result->way == GPCI_NO_WAY)
        return GPC_OK;
    const uint32_t state = cache->states[gpci_slot(cache, view.set, result->way)];
    result->hit_sectors = gpci_examine(&view, state).hit;
    result->outcome = (uint8_t)gpci_outcome_at(cache, request, &view, state);
    return GPC_OK;
}

gpc_decision gpc_cache_reply(gpc_cache *cache, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    if (!cache || !request || !cache->predictor_ops->on_reply)
        return predicted;
    cache->notified |= GPC_READS_POLICY_WORD;
    gpc_decision verdict =
        cache->predictor_ops->on_reply(cache->predictor_self, gpci_shown(cache, request), predicted, word);
    cache->stats.overturned_bypasses += predicted == GPC_BYPASS && verdict == GPC_CACHE;
    cache->stats.overturned_fills += predicted == GPC_CACHE && verdict == GPC_BYPASS;
    return verdict;
}

uint32_t gpc_cache_respond(gpc_cache *cache, const gpc_request *request) {
    if (!cache || !request || !cache->predictor_ops->respond)
        return 0;
    uint64_t line = request->address >> cache->line_shift;
    uint32_t set = gpci_index_of(&cache->index, line);
    return cache->predictor_ops->respond(cache->predictor_self, set, gpci_find(&cache->tags, set, line),
                                         gpci_shown(cache, request));
}
