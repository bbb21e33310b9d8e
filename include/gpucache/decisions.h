/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_DECISIONS_H
#define GPUCACHE_DECISIONS_H

#include <gpucache/predictor.h>

GPC_BEGIN_DECLS

/*
 * Decisions alone, for a host with caches of its own: the policies, without the cache that is otherwise around them.
 * The host has tags, MSHRs and queues, and says what happens in them by set and way; the library says which way to
 * give up, what to keep out, and which warps to hold back (gpc_throttle, scheduler.h). What they decide is what they
 * would in a gpc_cache, or a hierarchy, of the same seed that the same happens to.
 *
 * One access of the host's:
 *
 *   its tags have it          gpc_replacement_hit, and gpc_predictor_train of GPC_TAG_HIT
 *   they have not             gpc_replacement_miss; gpc_predictor_predict: does it bypass?
 *   if it allocates           a free way, or gpc_replacement_choose, and if that gives one, gpc_replacement_evict;
 *                             gpc_replacement_fill; to the predictor the same as GPC_TAG_EVICT and GPC_TAG_FILL
 *
 * Each policy reads certain fields of a request, and some live on calls besides: samples, events of warps, replies from
 * below (GPC_READS_). `tells` of the options says which of these the host gives; a policy that reads more is refused.
 *
 * The objects belong to the context's thread, as all others. Policies may not call into them.
 */

/* What happened at a host's tags. */
typedef enum gpc_tag_event_kind {
    GPC_TAG_HIT = 0,         /* `way` served the request, or sectors of it */
    GPC_TAG_SECTOR_MISS = 1, /* it has the request's line, but no sector that it needs */
    GPC_TAG_MISS = 2,        /* no way of `set` has it; `way` says nothing */
    GPC_TAG_FILL = 3,        /* `way` is the request's now, which is before its data come where misses reserve */
    GPC_TAG_EVICT = 4,       /* the line of `way` leaves to make room for the request's */
    GPC_TAG_INVALIDATE = 5,  /* the line of `way` is dropped; there need be no request */
    GPC_TAG_EVENT_COUNT
} gpc_tag_event_kind;

/*
 * One of them. All that it points to is the host's, and read within the call. Zero is the default of every field.
 * A request that continues the one before it (gpc_request.continues), a further sector of the same instruction's line,
 * is no use of its line again: its HIT is told as a SECTOR_MISS, and its MISS not at all.
 */
typedef struct gpc_tag_event {
    const gpc_request *request;
    const gpc_eviction *eviction; /* of EVICT, whose `set` and `way` are the event's; of others NULL */
    uint32_t kind;                /* gpc_tag_event_kind */
    uint32_t set, way;
    uint32_t reserved; /* 0 */
} gpc_tag_event;

/*
 * Replacement: which line to give up.
 */
typedef struct gpc_replacement_options {
    size_t struct_size;
    const char *policy;  /* `name` or `name(parameter=value, ...)`; NULL = "lru" */
    uint64_t sets;       /* of the host's cache: any number of 1 or more, as far as sets x ways is below 2^32 */
    uint32_t ways;       /* per set, 1 to GPC_MAX_WAYS */
    uint32_t line_bytes; /* a power of two, 8 to 4096 */
    uint32_t sectors;    /* per line: 0 or 1 = not sectored, 2, 4 or 8 */
    uint32_t instance;   /* which of the caches of its level, for policies that differ by SM */
    uint32_t instances;  /* caches of its level; 0 = 1 */
    uint32_t reserved;   /* 0 */
    uint64_t seed;       /* mixed with the context's, as gpc_cache_options.seed */
    uint64_t tells;      /* GPC_READS_ bits of what the host tells; 0 = GPC_READS_OF_REQUESTS */
    /*
     * Another of the level's `instances`, of the same context and shape, with which this one's policy shares what it
     * shares where it has the same name and arguments (gpc_policy_env.shared_state). NULL: it is the first.
     */
    gpc_replacement *share_with;
} gpc_replacement_options;

/* 32 sets of 4 ways of 128 bytes, LRU: every other field 0 or NULL. */
#define GPC_REPLACEMENT_OPTIONS_INIT \
    { sizeof(gpc_replacement_options), NULL, 32, 4, 128, 0, 0, 0, 0, 0, 0, NULL }

/*
 * Make a replacement policy for a cache of the host's, which is empty. Strings are copied.
 *   options  NULL for the defaults
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT or GPC_ERROR_RANGE (a field, named in `error`);
 * GPC_ERROR_NOT_FOUND (the policy); GPC_ERROR_UNSUPPORTED (it reads more than `tells`, which `error` lists);
 * GPC_ERROR_MEMORY; what its init returned. Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_create(gpc_context *context, const gpc_replacement_options *options,
                                          gpc_error *error, gpc_replacement **out);
/* NULL is allowed; those that share go in any order. Since: 0.2. */
GPC_API void gpc_replacement_destroy(gpc_replacement *replacement);

/*
 * Which way of a set that has no free one is given up.
 *   candidates  ways that may be, a bit each (way w = bit w % 64 of word w / 64); NULL: all
 *   request     that needs a way
 *   out_way     receives the way, or GPC_WAY_BYPASS: leave all as it is, the request bypasses (only of policies that
 *               read GPC_READS_ADMISSION; take that from `tells` where the host cannot bypass)
 * A request that continues an access (gpc_request.continues) bypasses where the access's first part did, unasked. It
 * tells nobody: say by gpc_replacement_evict and _fill what follows from it.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, set, no candidate or one beyond the ways, a request that no gpc_cache
 * of this shape would take); GPC_ERROR_CALLBACK (the policy chose an impossible way). Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_choose(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                          const gpc_request *request, uint32_t *out_way);

/*
 * Would gpc_replacement_choose decline the request? For hosts that send for data before they choose a way: where it
 * says no, ask gpc_replacement_choose when they are here, with request->admitted = 1 (gpc_replacement_ops.declines).
 * False also for NULL, what gpc_replacement_choose refuses, and policies that have no say in it. Since: 0.2.
 */
GPC_API bool gpc_replacement_declines(gpc_replacement *replacement, uint32_t set, const uint64_t *candidates,
                                      const gpc_request *request);

/*
 * What happens at the host's tags, one call for each kind of gpc_tag_event_kind, in the order in which it happens.
 * Return GPC_OK; GPC_ERROR_ARGUMENT (NULL, set, way, a request that no gpc_cache of this shape would take; `error` of
 * gpc_replacement_tell says which): the policy has not been told. Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_hit(gpc_replacement *replacement, uint32_t set, uint32_t way,
                                       const gpc_request *request);
GPC_API gpc_status gpc_replacement_sector_miss(gpc_replacement *replacement, uint32_t set, uint32_t way,
                                               const gpc_request *request);
GPC_API gpc_status gpc_replacement_miss(gpc_replacement *replacement, uint32_t set, const gpc_request *request);
GPC_API gpc_status gpc_replacement_fill(gpc_replacement *replacement, uint32_t set, uint32_t way,
                                        const gpc_request *request);
GPC_API gpc_status gpc_replacement_evict(gpc_replacement *replacement, const gpc_eviction *eviction,
                                         const gpc_request *request);
GPC_API gpc_status gpc_replacement_invalidate(gpc_replacement *replacement, uint32_t set, uint32_t way);

/*
 * Many of them in one call, in order. Stops at the first that is wrong.
 *   events    [count]
 *   out_done  receives how many have been told; may be NULL
 * Returns as the calls above; `error` names the event and what is wrong with it. Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_tell(gpc_replacement *replacement, const gpc_tag_event *events, size_t count,
                                        gpc_error *error, size_t *out_done);

/*
 * Events of the SM's warps, and samples: as gpc_cache_warp_event and gpc_cache_sample, but that the host fills in
 * `reads` and `read_hits` too, of its own cache since the last sample. Since: 0.2.
 */
GPC_API gpc_status gpc_replacement_warp_event(gpc_replacement *replacement, const gpc_warp_event *event);
GPC_API gpc_status gpc_replacement_sample(gpc_replacement *replacement, const gpc_sample *sample);

/* Counters that the policy publishes of itself ("replacement.dip.selector"). As gpc_cache_policy_value. Since: 0.2. */
GPC_API gpc_status gpc_replacement_policy_value(const gpc_replacement *replacement, size_t index,
                                                gpc_policy_value *value);

/*
 * Bypass predictors: what to keep out. Fields as in gpc_replacement_options; `policy` NULL is "always-cache".
 */
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
GPC_API gpc_status gpc_predictor_create(gpc_context *context, const gpc_predictor_options *options, gpc_error *error,
                                        gpc_predictor **out);
GPC_API void gpc_predictor_destroy(gpc_predictor *predictor);

/*
 * Is gpc_predictor_predict to be asked of every read before its tags are looked up, so that what bypasses does not look
 * (gpc_predictor_ops.before_lookup)? Stores, and with false reads too, are asked of when they miss. False for NULL.
 * Since: 0.2.
 */
GPC_API bool gpc_predictor_before_lookup(const gpc_predictor *predictor);

/*
 * May the request allocate?
 *   prediction  receives the decision, and the word that goes below with the request
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL, set, a request that no gpc_cache of this shape would take). Since: 0.2.
 */
GPC_API gpc_status gpc_predictor_predict(gpc_predictor *predictor, uint32_t set, const gpc_request *request,
                                         gpc_prediction *prediction);

/*
 * The same of many, in order: of a warp instruction's lines, which do not depend on each other. Stops at the first that
 * is wrong.
 *   sets, requests, predictions  [count]
 *   out_done  receives how many have been predicted; may be NULL
 * Returns as gpc_predictor_predict; `error` names the request and what is wrong with it. Since: 0.2.
 */
GPC_API gpc_status gpc_predictor_predict_many(gpc_predictor *predictor, const uint32_t *sets,
                                              const gpc_request *requests, size_t count, gpc_prediction *predictions,
                                              gpc_error *error, size_t *out_done);

/*
 * What happened at the host's tags, as gpc_replacement_tell: the same events, in the same order. Predictors learn from
 * HIT, SECTOR_MISS, FILL, EVICT and INVALIDATE; a MISS changes nothing. gpc_predictor_train is one of them. Since: 0.2.
 */
GPC_API gpc_status gpc_predictor_train(gpc_predictor *predictor, const gpc_tag_event *event);
GPC_API gpc_status gpc_predictor_train_many(gpc_predictor *predictor, const gpc_tag_event *events, size_t count,
                                            gpc_error *error, size_t *out_done);

/*
 * A reply came from below with a policy word. Returns the decision that holds: GPC_CACHE of a predicted GPC_BYPASS is
 * filled after all. As gpc_cache_reply; `predicted` also for NULL and where the predictor has no say. Since: 0.2.
 */
GPC_API gpc_decision gpc_predictor_reply(gpc_predictor *predictor, const gpc_request *request, gpc_decision predicted,
                                         uint32_t word);

/*
 * The other side: this is the level below, and has served `request`, of the given policy_word.
 *   way  that holds its line; UINT32_MAX if none does
 * Returns the word for the reply; 0 also for NULL, no such set or way, and predictors without one. Since: 0.2.
 */
GPC_API uint32_t gpc_predictor_respond(gpc_predictor *predictor, uint32_t set, uint32_t way,
                                       const gpc_request *request);

/* The host's queues hold a load up: shall it go below instead? As gpc_cache_stall. Since: 0.2. */
GPC_API gpc_decision gpc_predictor_stall(gpc_predictor *predictor, const gpc_request *request, uint32_t reason);

/* As gpc_replacement_warp_event, _sample and _policy_value ("bypass.agcb.replies"). Since: 0.2. */
GPC_API gpc_status gpc_predictor_warp_event(gpc_predictor *predictor, const gpc_warp_event *event);
GPC_API gpc_status gpc_predictor_sample(gpc_predictor *predictor, const gpc_sample *sample);
GPC_API gpc_status gpc_predictor_policy_value(const gpc_predictor *predictor, size_t index, gpc_policy_value *value);

GPC_END_DECLS

#endif
