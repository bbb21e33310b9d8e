/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/reference.h"

#include <criterion/criterion.h>
#include <stdlib.h>

const char *const event_names[EVENT_KINDS] = {
    "policy on_hit",
    "policy on_sector_miss",
    "policy on_miss",
    "policy choose_victim",
    "policy on_fill",
    "policy on_evict",
    "policy on_invalidate",
    "predictor predict",
    "predictor on_hit",
    "predictor on_sector_miss",
    "predictor on_fill",
    "predictor on_evict",
    "predictor on_invalidate",
    "on_fill",
    "on_evict",
};

static event *add(event_log *log, event_kind kind, const gpc_request *request) {
    if (log->count == log->capacity) {
        log->capacity = log->capacity ? 2 * log->capacity : 64;
        log->events = realloc(log->events, log->capacity * sizeof *log->events);
        cr_assert_not_null(log->events);
    }
    event *e = &log->events[log->count++];
    *e = (event){.kind = kind, .address = request ? request->address : UINT64_MAX};
    return e;
}

void event_log_add(event_log *log, event_kind kind, uint32_t set, uint32_t way, const gpc_request *request) {
    event *e = add(log, kind, request);
    e->set = set;
    e->way = way;
}

void event_log_add_eviction(event_log *log, event_kind kind, const gpc_eviction *eviction, const gpc_request *request) {
    event *e = add(log, kind, request);
    e->set = eviction->set;
    e->way = eviction->way;
    e->eviction = *eviction;
}

static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 31)) * 0x7fb5d329728ea185u;
    value = (value ^ (value >> 27)) * 0x81dadef4bc2dd44du;
    return value ^ (value >> 33);
}

static bool allowed(const uint64_t *candidates, uint32_t way) {
    return !candidates || (candidates[way / 64] >> (way % 64) & 1);
}

static uint64_t digest(const uint64_t *candidates, uint32_t ways) {
    uint64_t sum = 1;
    for (uint32_t way = 0; way < ways; way++)
        if (allowed(candidates, way))
            sum = mix(sum + way + 1);
    return sum;
}

void event_log_add_choice(event_log *log, uint32_t set, const uint64_t *candidates, uint32_t ways,
                          const gpc_request *request) {
    event *e = add(log, POLICY_CHOOSE, request);
    e->set = set;
    e->candidates = digest(candidates, ways);
}

uint32_t hash_choice(uint32_t set, const uint64_t *candidates, uint32_t ways, const gpc_request *request,
                     bool declines) {
    uint64_t random = mix(digest(candidates, ways) ^ mix(request->address + set));
    if (declines && random >> 60 == 0)
        return GPC_WAY_BYPASS;
    uint32_t count = 0;
    for (uint32_t way = 0; way < ways; way++)
        count += allowed(candidates, way);
    uint32_t chosen = (uint32_t)(random % count);
    for (uint32_t way = 0;; way++)
        if (allowed(candidates, way) && chosen-- == 0)
            return way;
}

gpc_prediction dice(const gpc_request *request) {
    uint64_t random = mix(mix(request->address) + request->pc * 16 + request->kind);
    return (gpc_prediction){random % 3 ? GPC_CACHE : GPC_BYPASS, (uint32_t)(random >> 40)};
}
