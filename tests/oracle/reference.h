/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_REFERENCE_H
#define TESTS_ORACLE_REFERENCE_H

#include "measured.h"

#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

/*
 * gpc_cache again, from the public headers: slow and obvious, one struct per line, one bool per sector and per byte,
 * nothing shared with lib/cache. cache.h says where the two must agree.
 */

/* Calls of a cache to the policy, the predictor and the callbacks, in order. */
typedef enum event_kind {
    POLICY_HIT,
    POLICY_SECTOR_MISS,
    POLICY_MISS,
    POLICY_CHOOSE,
    POLICY_FILL,
    POLICY_EVICT,
    POLICY_INVALIDATE,
    PREDICTOR_ASKED,
    PREDICTOR_HIT,
    PREDICTOR_SECTOR_MISS,
    PREDICTOR_FILL,
    PREDICTOR_EVICT,
    PREDICTOR_INVALIDATE,
    CALLBACK_FILL,
    CALLBACK_EVICT,
    EVENT_KINDS
} event_kind;

extern const char *const event_names[EVENT_KINDS];

typedef struct event {
    event_kind kind;
    uint32_t set, way;     /* 0 without a set and way */
    uint64_t line_address; /* CALLBACK_FILL */
    uint64_t candidates;   /* POLICY_CHOOSE: a digest of the mask */
    uint64_t address;      /* address of the request; or UINT64_MAX */
    uint32_t sectors;      /* CALLBACK_FILL */
    gpc_eviction eviction; /* the eviction; zero for other events */
} event;

typedef struct event_log {
    event *events;
    size_t count, capacity;
} event_log;

void event_log_add(event_log *log, event_kind kind, uint32_t set, uint32_t way, const gpc_request *request);
void event_log_add_eviction(event_log *log, event_kind kind, const gpc_eviction *eviction, const gpc_request *request);
void event_log_add_choice(event_log *log, uint32_t set, const uint64_t *candidates, uint32_t ways,
                          const gpc_request *request);

typedef enum model_policy { MODEL_LRU, MODEL_FIFO, MODEL_HASH, MODEL_POLICIES } model_policy;
typedef enum model_predictor {
    MODEL_ALWAYS_CACHE,
    MODEL_ALWAYS_BYPASS,
    MODEL_HINT,
    MODEL_DICE,        /* a digest of the request decides, on a miss */
    MODEL_DICE_BEFORE, /* as MODEL_DICE, before the tags */
    MODEL_PREDICTORS
} model_predictor;

/* The choice of MODEL_HASH: a digest of the arguments; sometimes GPC_WAY_BYPASS if `declines`. NULL = all ways. */
uint32_t hash_choice(uint32_t set, const uint64_t *candidates, uint32_t ways, const gpc_request *request,
                     bool declines);
/* The decision of MODEL_DICE. */
gpc_prediction dice(const gpc_request *request);

typedef struct model_line {
    bool present;
    uint64_t number; /* address / line size */
    bool valid[8], pending[8], dirty[8];
    bool written[128]; /* since the fill or the last flush; caches with lazy fetch */
    uint32_t reuse, warp;
    uint8_t priority;
    uint64_t stamp; /* stamp for MODEL_LRU and MODEL_FIFO */
} model_line;

typedef struct model {
    gpc_cache_options options; /* counts as given; 0 already replaced by 1 */
    model_policy policy;
    bool policy_declines;
    model_predictor predictor;
    uint32_t (*set_of)(const struct model *model, uint64_t line_number);
    void *set_data;
    model_line *lines; /* [sets][ways] */
    uint64_t clock;
    uint64_t declined; /* number + 1 of the line declined by the policy when last asked; or 0 */
    measured_cache stats;
    event_log log;
    bool tells_fills, tells_evictions; /* by CALLBACK_ events */
} model;

/* `options` gives the geometry and rules; policies and callbacks are ignored. */
void model_open(model *model, const gpc_cache_options *options);
void model_close(model *model);

gpc_status model_access(model *model, const gpc_request *request, gpc_access_result *result);
gpc_status model_probe(model *model, const gpc_request *request, gpc_access_result *result);
gpc_status model_lookup(model *model, const gpc_request *request, gpc_access_result *result);
gpc_status model_reserve(model *model, const gpc_request *request, uint8_t sectors, gpc_access_result *result);
gpc_status model_fill(model *model, const gpc_request *request, uint8_t sectors, gpc_access_result *result);
/* In order of set and way. */
void model_invalidate(model *model, uint64_t first_line, uint64_t last_line);
uint64_t model_flush(model *model);
/* As gpc_cache_next_line. */
bool model_next_line(const model *model, uint64_t *cursor, gpc_line *line);

#endif
