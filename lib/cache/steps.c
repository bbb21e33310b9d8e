/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/internal.h"

#include <string.h>

/* The public steps: check, resolve, and run one step or all of them. */

static gpc_status resolve(const gpc_cache *cache, const gpc_request *request, gpci_view *view) {
    return cache && request ? gpci_view_of(cache, request, view) : GPC_ERROR_ARGUMENT;
}

static gpc_access_result *start(gpc_access_result *result, gpc_access_result *own) {
    gpc_access_result *used = result ? result : own;
    *used = (gpc_access_result){.way = GPCI_NO_WAY};
    return used;
}

gpc_status gpc_cache_lookup(gpc_cache *cache, const gpc_request *request, gpc_access_result *result) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = resolve(cache, request, &view);
    if (status == GPC_OK)
        gpci_lookup(cache, request, &view, start(result, &own));
    return status;
}

/* A resident line takes the sectors; any other gets a way first. */
static gpc_status ensure_way(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                             gpc_access_result *result) {
    result->needed_sectors = view->need;
    result->set = view->set;
    result->way = gpci_find(cache, view->set, view->line);
    if (result->way != GPCI_NO_WAY) {
        result->outcome = GPC_SECTOR_MISS;
        return GPC_OK;
    }
    result->outcome = GPC_MISS;
    gpc_status status = gpci_take_way(cache, request, view, result, &result->way);
    if (result->outcome == GPC_BYPASSED)
        cache->stats.bypasses++;
    return status;
}

gpc_status gpc_cache_reserve(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                             gpc_access_result *result) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = resolve(cache, request, &view);
    if (status < 0 || (sectors & ~cache->all_sectors))
        return GPC_ERROR_ARGUMENT;
    result = start(result, &own);
    status = ensure_way(cache, request, &view, result);
    if (status < 0 || result->way == GPCI_NO_WAY)
        return status;
    size_t slot = gpci_slot(cache, view.set, result->way);
    uint32_t *state = &cache->states[slot];
    uint8_t pending = sectors & (uint8_t)~GPCI_VALID(*state);
    cache->pending_lines += pending && !GPCI_PENDING(*state);
    *state |= (uint32_t)pending << GPCI_PENDING_SHIFT;
    result->fetch_sectors = sectors;
    if (!gpci_is_read(request))
        gpci_apply_write(cache, request, &view, slot);
    return GPC_OK;
}

gpc_status gpc_cache_fill(gpc_cache *cache, const gpc_request *request, uint8_t sectors, gpc_access_result *result) {
    gpci_view view;
    gpc_access_result own;
    gpc_status status = resolve(cache, request, &view);
    if (status < 0 || (sectors & ~cache->all_sectors))
        return GPC_ERROR_ARGUMENT;
    result = start(result, &own);
    status = ensure_way(cache, request, &view, result);
    if (status < 0 || result->way == GPCI_NO_WAY)
        return status;
    gpci_complete(cache, request, &view, result->way, sectors);
    return GPC_OK;
}

/* Does a lookup's result leave something for reserve and fill to do? */
static bool allocates(const gpc_cache *cache, const gpc_request *request, const gpc_access_result *result) {
    if (result->outcome == GPC_SECTOR_MISS)
        return result->fetch_sectors != 0;
    if (result->outcome != GPC_MISS)
        return false;
    return request->kind != GPC_STORE || (gpci_write_policy(cache, request) != GPC_WRITE_EVICT &&
                                          gpci_write_allocate(cache, request) != GPC_WRITE_NO_ALLOCATE);
}

static gpc_status finish(gpc_cache *cache, const gpc_request *request, const gpci_view *view,
                         gpc_access_result *result) {
    uint32_t way = result->way;
    if (way == GPCI_NO_WAY) {
        gpc_status status = gpci_take_way(cache, request, view, result, &way);
        if (status < 0)
            return status;
        if (way == GPCI_NO_WAY) {
            cache->stats.bypasses++;
            if (request->kind == GPC_STORE && !result->write_sectors) {
                result->write_sectors = view->need;
                result->write_bytes[0] = view->bytes.word[0];
                result->write_bytes[1] = view->bytes.word[1];
                cache->stats.write_below_sectors += gpci_popcount(view->need);
            }
            return GPC_OK;
        }
        result->way = way;
    }
    gpci_complete(cache, request, view, way, result->fetch_sectors);
    return GPC_OK;
}

gpc_status gpc_cache_access(gpc_cache *cache, const gpc_request *request, gpc_access_result *result) {
    gpci_view view;
    gpc_access_result own;
    if (GPCI_UNLIKELY(!cache || !request))
        return GPC_ERROR_ARGUMENT;
    result = start(result, &own);
    if (cache->plain && gpci_plain_access(cache, request, result))
        return GPC_OK;
    gpc_status status = gpci_view_of(cache, request, &view);
    if (status < 0)
        return status;
    gpci_lookup(cache, request, &view, result);
    return allocates(cache, request, result) ? finish(cache, request, &view, result) : GPC_OK;
}

gpc_status gpc_cache_probe(const gpc_cache *cache, const gpc_request *request, gpc_access_result *result) {
    gpci_view view;
    gpc_status status = resolve(cache, request, &view);
    if (status < 0 || !result)
        return status < 0 ? status : GPC_ERROR_ARGUMENT;
    *result = (gpc_access_result){.needed_sectors = view.need, .set = view.set};
    result->way = gpci_find(cache, view.set, view.line);
    result->outcome = GPC_MISS;
    if (result->way == GPCI_NO_WAY)
        return GPC_OK;
    uint32_t state = cache->states[gpci_slot(cache, view.set, result->way)];
    uint8_t present = GPCI_VALID(state) | GPCI_PENDING(state);
    result->hit_sectors = view.need & present;
    result->outcome = view.need & ~present ? GPC_SECTOR_MISS : view.need & ~GPCI_VALID(state) ? GPC_PENDING_HIT : GPC_HIT;
    return GPC_OK;
}

gpc_decision gpc_cache_reply(gpc_cache *cache, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    if (!cache || !request || !cache->predictor_ops->on_reply)
        return predicted;
    return cache->predictor_ops->on_reply(cache->predictor_self, request, predicted, word);
}

uint32_t gpc_cache_respond(gpc_cache *cache, const gpc_request *request) {
    if (!cache || !request || !cache->predictor_ops->respond)
        return 0;
    uint64_t line = request->address >> cache->line_shift;
    uint32_t set = gpci_index_of(&cache->index, line);
    return cache->predictor_ops->respond(cache->predictor_self, set, gpci_find(cache, set, line), request);
}
