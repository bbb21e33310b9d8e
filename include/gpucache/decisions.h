/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_DECISIONS_H
#define GPUCACHE_DECISIONS_H

#include <gpucache/predictor.h>

GPC_BEGIN_DECLS

/*
 * Decisions alone, for a host with its own caches: policies without a gpc_cache around them. The host has tags, MSHRs
 * and queues, and reports events by set and way. The library decides the way to replace, the requests to bypass, and
 * the warps to hold back (gpc_throttle, scheduler.h). With equal seed and equal events, the decisions equal those in a
 * gpc_cache or a hierarchy.
 *
 * Events (gpc_replacement_event, gpc_predictor_event) and questions for an access of the host:
 *   tag hit          GPC_ON_HIT
 *   tag miss         GPC_ON_MISS; gpc_predictor_predict: bypass or not?
 *   with allocation  a free way, or gpc_replacement_choose; for a chosen way, GPC_ON_EVICT; then GPC_ON_FILL
 *
 * A policy reads certain fields of a request. Some policies need further events and calls: samples, warp events,
 * replies from below (GPC_READS_). `tells` in the options lists the inputs that the host gives; a policy that reads
 * more is refused. Thread rule: the context's. Policies may not call into the objects.
 */

/* Kind of an event that a host reports to a policy: a function of the policy's table each. */
typedef enum gpc_policy_event_kind {
    GPC_ON_HIT = 0,         /* `way` served the request, or some of its sectors */
    GPC_ON_SECTOR_MISS = 1, /* `way` holds the request's line, without the needed sectors */
    GPC_ON_MISS = 2,        /* no way of `set` holds the line; `way` is ignored */
    /* `way` belongs to the request's line from now on; before the data arrive, if misses reserve their way */
    GPC_ON_FILL = 3,
    GPC_ON_EVICT = 4,      /* the line of `way` leaves to make room for the request's line */
    GPC_ON_INVALIDATE = 5, /* the line of `way` is dropped; a request is optional */
    GPC_ON_WARP_EVENT = 6, /* event of a warp of the SM, as gpc_cache_warp_event; only `warp_event` is read */
    GPC_ON_SAMPLE = 7,     /* a period ended, as gpc_cache_sample; only `sample` is read */
    GPC_POLICY_EVENT_COUNT
} gpc_policy_event_kind;

/*
 * Event for a policy. Pointers belong to the host and are read within the call. Zero is the default of every field. A
 * request that continues the request before (gpc_request.continues) is no new use of the line: the library handles its
 * HIT as a SECTOR_MISS, and ignores its MISS. Since: 0.3.
 */
typedef struct gpc_policy_event {
    const gpc_request *request;
    const gpc_eviction *eviction; /* for EVICT, with `set` and `way` of the event; otherwise NULL */
    const gpc_warp_event *warp_event;
    /* The host also fills in `reads` and `read_hits`, of its own cache since the last sample. */
    const gpc_sample *sample;
    uint32_t kind; /* gpc_policy_event_kind */
    uint32_t set, way;
    uint32_t reserved; /* 0 */
} gpc_policy_event;

/* Options of a replacement policy. */
typedef struct gpc_replacement_options {
    size_t struct_size;
    const char *policy;  /* `name` or `name(parameter=value, ...)`; NULL = "lru" */
    uint64_t sets;       /* sets of the host's cache: 1 or more, with sets x ways below 2^32 */
    uint32_t ways;       /* per set, 1 to GPC_MAX_WAYS */
    uint32_t line_bytes; /* a power of two, 8 to 4096 */
    uint32_t sectors;    /* per line: 0 or 1 = not sectored, 2, 4 or 8 */
    uint32_t instance;   /* index of the cache in its level, for policies that differ by SM */
    uint32_t instances;  /* caches of the level; 0 = 1 */
    uint32_t reserved;   /* 0 */
    uint64_t seed;       /* mixed with the context's seed, as gpc_cache_options.seed */
    uint64_t tells;      /* GPC_READS_ bits of the inputs that the host gives; 0 = GPC_READS_OF_REQUESTS */
    /*
     * Another object of the level's `instances`, of the same context and shape. Policies of equal name and arguments
     * share state (gpc_policy_env.shared_state). NULL: the object is the first of its level.
     */
    gpc_replacement *share_with;
} gpc_replacement_options;

/* 32 sets of 4 ways of 128 bytes, LRU. Other fields are 0 or NULL. */
#define GPC_REPLACEMENT_OPTIONS_INIT \
    { sizeof(gpc_replacement_options), NULL, 32, 4, 128, 0, 0, 0, 0, 0, 0, NULL }

/*
 * Make a replacement policy for an empty cache of the host. Strings are copied.
 *   options  NULL for the defaults
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE (a field, named in `error`); GPC_ERROR_NOT_FOUND
 * (the policy); GPC_ERROR_UNSUPPORTED (the policy reads more than `tells`; `error` lists the inputs); GPC_ERROR_MEMORY;
 * or the status of the policy's init. Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_create(gpc_context *context, const gpc_replacement_options *options,
                                          gpc_replacement **out, gpc_error *error);
/* NULL is allowed. Objects with shared state may be destroyed in every order. Since: 0.2. */
GPC_API void gpc_replacement_destroy(gpc_replacement *replacement);

/*
 * Choose the way to replace in a full set.
 *   candidates  allowed ways, a bit per way (way w = bit w % 64 of word w / 64); NULL: all
 *   request     the request that needs a way
 *   out_way     receives the way, or GPC_WAY_BYPASS: change nothing, the request bypasses. Only policies that read
 *               GPC_READS_ADMISSION return GPC_WAY_BYPASS; a host that cannot bypass leaves the bit out of `tells`
 * If a request continues an access (gpc_request.continues) and the access's first part was bypassed, the request
 * bypasses without a question to the policy. The function notifies nothing: report the consequences as GPC_ON_EVICT and
 * GPC_ON_FILL.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, set, no candidate, a candidate beyond the ways, a request that a gpc_cache
 * of the shape would refuse); GPC_ERROR_CALLBACK (the policy chose an impossible way). Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_choose(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                          const gpc_request *request, uint32_t *out_way);

/*
 * Would gpc_replacement_choose decline the request? For hosts that request data before they choose a way. If false,
 * call gpc_replacement_choose when the data arrive, with request->admitted = 1 (gpc_replacement_ops.declines). False
 * also for NULL, for a request that gpc_replacement_choose refuses, and for policies without `declines`. Since: 0.2.
 */
GPC_API bool gpc_replacement_declines(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                      const gpc_request *request);

/*
 * Report an event, or `count` events in order. Stops at the first wrong event.
 *   events    [count]
 *   out_done  receives the number of reported events; may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, kind, set, way, eviction, a request that a gpc_cache of the shape would
 * refuse; `error` names the event and its fault): the policy has not been notified of the event; GPC_ERROR_ABI (a
 * sample's struct_size). Since: 0.3.
 */
GPC_API gpc_status gpc_replacement_event(gpc_replacement *replacement, const gpc_policy_event *events, size_t count,
                                         size_t *out_done, gpc_error *error);

/* Counters published by the policy ("replacement.dip.selector"), as gpc_cache_policy_value. Since: 0.2. */
GPC_API gpc_status gpc_replacement_policy_value(const gpc_replacement *replacement, size_t index,
                                                gpc_policy_value *value, gpc_error *error);

/* Options of a bypass predictor. Fields as in gpc_replacement_options; `policy` NULL is "always-cache". */
typedef struct gpc_predictor_options {
    size_t struct_size;
    const char *policy;
    uint64_t sets;
    uint32_t ways, line_bytes, sectors, instance, instances;
    uint32_t reserved; /* 0 */
    uint64_t seed, tells;
    gpc_predictor *share_with;
} gpc_predictor_options;

#define GPC_PREDICTOR_OPTIONS_INIT \
    { sizeof(gpc_predictor_options), NULL, 32, 4, 128, 0, 0, 0, 0, 0, 0, NULL }

/* As gpc_replacement_create and _destroy. Since: 0.2. */
GPC_API gpc_status gpc_predictor_create(gpc_context *context, const gpc_predictor_options *options, gpc_predictor **out,
                                        gpc_error *error);
GPC_API void gpc_predictor_destroy(gpc_predictor *predictor);

/*
 * True: call gpc_predictor_predict for every read before the tag lookup, so that a bypassing read skips the tags
 * (gpc_predictor_ops.before_lookup). False: call the function for reads that miss. For stores the call always comes
 * after a miss. False for NULL. Since: 0.2.
 */
GPC_API bool gpc_predictor_before_lookup(const gpc_predictor *predictor);

/*
 * Predict whether the request may allocate.
 *   prediction  receives the decision, and the word that goes below with the request
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, set, a request that a gpc_cache of the shape would refuse). Since: 0.2.
 */
GPC_API gpc_status gpc_predictor_predict(gpc_predictor *predictor, uint32_t set, const gpc_request *request,
                                         gpc_prediction *prediction);

/*
 * Predict many requests in order: the lines of a warp instruction, which do not depend on each other. Stops at the
 * first wrong request.
 *   sets, requests, predictions  [count]
 *   out_done  receives the number of predictions made; may be NULL
 * Returns as gpc_predictor_predict; `error` names the request and its fault. Since: 0.2.
 */
GPC_API gpc_status gpc_predictor_predict_many(gpc_predictor *predictor, const uint32_t *sets,
                                              const gpc_request *requests, size_t count, gpc_prediction *predictions,
                                              gpc_error *error, size_t *out_done);

/*
 * Report events, as gpc_replacement_event: equal events in equal order. Predictors learn from all kinds but MISS, which
 * changes nothing. Since: 0.3.
 */
GPC_API gpc_status gpc_predictor_event(gpc_predictor *predictor, const gpc_policy_event *events, size_t count,
                                       size_t *out_done, gpc_error *error);

/*
 * Pass the policy word of a reply from below. Returns the decision that holds. If GPC_CACHE is returned for a predicted
 * GPC_BYPASS, fill the line. As gpc_cache_reply. Returns `predicted` for NULL, and for predictors without on_reply.
 * Since: 0.2.
 */
GPC_API gpc_decision gpc_predictor_reply(gpc_predictor *predictor, const gpc_request *request, gpc_decision predicted,
                                         uint32_t word);

/*
 * Get the word for the reply to the level above, in the level below: the predictor's level has served `request` with
 * its policy_word.
 *   way  way that holds the request's line; UINT32_MAX if not resident
 * Returns the word; 0 also for NULL, for an unknown set or way, and for predictors without a word. Since: 0.2.
 */
GPC_API uint32_t gpc_predictor_respond(gpc_predictor *predictor, uint32_t set, uint32_t way,
                                       const gpc_request *request);

/* Question for a load that waits in the host's queues: go below instead? As gpc_cache_stall. Since: 0.2. */
GPC_API gpc_decision gpc_predictor_stall(gpc_predictor *predictor, const gpc_request *request, uint32_t reason);

/* As gpc_replacement_policy_value ("bypass.agcb.replies"). Since: 0.2. */
GPC_API gpc_status gpc_predictor_policy_value(const gpc_predictor *predictor, size_t index, gpc_policy_value *value,
                                              gpc_error *error);

GPC_END_DECLS

#endif
