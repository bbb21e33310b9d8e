/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_PARTS_H
#define GPUCACHE_EXT_PARTS_H

/* Extension: parts for a host with its own levels: caches in steps; policies, throttles and DRAM alone. */

#include <gpucache/cache.h>
#include <gpucache/ext/policies.h>
#include <gpucache/ext/scheduler.h>

GPC_BEGIN_DECLS

/*
 * Compute for every access of a stream the index of the next access to the same line, or UINT64_MAX. The policy `opt`
 * needs the index in gpc_request.policy.next_use.
 *   addresses, next_uses  `count` elements
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_next_uses(gpc_context *context, const uint64_t *addresses, size_t count, uint32_t line_bytes,
                                 uint64_t *next_uses, gpc_error *error);

/*
 * Look a request up without effect on recency, policies or statistics. `result` gets outcome (HIT, PENDING_HIT,
 * SECTOR_MISS or MISS), needed_sectors, hit_sectors, set and way. Predictors are not asked.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_probe(const gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                   gpc_error *error);

/*
 * Look a request up as gpc_cache_probe, and find the effect of a miss: the way that the miss would take, and the line
 * that would leave. `result` is as in gpc_cache_probe. For a MISS `way` is set too, and `eviction` if evicted = 1.
 * Further outcomes:
 *   GPC_NO_VICTIM  every way of the set is pending
 *   GPC_BYPASSED   no allocation: a store without write allocation, an atomic that is not performed in this cache, a
 *                  replacement policy that declines, a missing token. Predictors are not asked
 * The result is bit for bit the next result of gpc_cache_access, or of gpc_cache_lookup and gpc_cache_reserve, if the
 * predictor lets the request allocate. The equality holds also for policies that draw by chance, learn or vote: the
 * function really asks the policy, then restores the policy's whole state, including state shared with other caches.
 * Therefore a probe of a large cache under a policy other than lru copies as much as a snapshot. No callback is called.
 * Returns as gpc_cache_probe; GPC_ERROR_UNSUPPORTED (the replacement policy's table has no `state`, so its state cannot
 * be restored); GPC_ERROR_CALLBACK (the policy chose an impossible victim); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_probe_victim(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                          gpc_error *error);

/*
 * First step: compare tags, notify the policies, serve a hit, ask the predictor on a miss. Nothing is replaced. Check
 * for room (a full queue) before the call: a lookup cannot be undone. A pending hit needs no further step: its data
 * come with the fill in flight. If lines are allocated on fill, a replacement policy that may decline is asked too. If
 * the host looks up a further sector of the same instruction's line, set gpc_request.continues: the lookup is then no
 * reuse. Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_lookup(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                    gpc_error *error);

/*
 * Second step, after a lookup with outcome MISS or SECTOR_MISS: give the line a way, evict if needed, and mark
 * `sectors` pending, the fetch_sectors of the lookup. A resident line only gets more pending sectors. Bytes that a
 * store writes without a fetch (whole sectors, or with lazy fetch any bytes) are in the line from now on. If `sectors`
 * is 0, no fill needs to follow.
 * Outcome GPC_NO_VICTIM: nothing changed; try again when a fill has freed a way. GPC_BYPASSED: the policy declined, and
 * fetch_sectors and write_sectors are the requests to the level below instead; or the request never allocates (a store
 * without write allocation), and the lookup's result is complete. Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_reserve(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                     gpc_access_result *result, gpc_error *error);

/*
 * Last step: `sectors` of the request's line have arrived. Pending sectors become valid. A line without a way gets a
 * way first (on fill, streaming, or dropped since gpc_cache_reserve). If a store waited for the fetch, its bytes become
 * dirty now. Outcomes GPC_NO_VICTIM and GPC_BYPASSED as in gpc_cache_reserve. Returns as gpc_cache_access. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_fill(gpc_cache *cache, const gpc_request *request, uint8_t sectors,
                                  gpc_access_result *result, gpc_error *error);

/*
 * Give the predictor the policy word of a reply from below. Returns the decision that holds, which may overturn
 * `predicted`. Since: 0.1.
 */
GPC_API gpc_decision gpc_cache_reply(gpc_cache *cache, const gpc_request *request, gpc_decision predicted,
                                     uint32_t word);

/* Word that the predictor of this level sends up with its reply to `request`. Since: 0.1. */
GPC_API uint32_t gpc_cache_respond(gpc_cache *cache, const gpc_request *request);

/*
 * Drop lines. Dirty bytes are lost unless on_evict takes them. Pending sectors of a dropped line are forgotten; their
 * fill then allocates again.
 *   range: every line touched by [address, address + bytes), in no particular order
 * Returns GPC_OK, even if no line was resident; GPC_ERROR_ARGUMENT (NULL, or a range beyond the last address). Since:
 * 0.1.
 */
GPC_API gpc_status gpc_cache_invalidate_line(gpc_cache *cache, uint64_t address, gpc_error *error);
GPC_API gpc_status gpc_cache_invalidate_range(gpc_cache *cache, uint64_t address, uint64_t bytes, gpc_error *error);
GPC_API gpc_status gpc_cache_invalidate_all(gpc_cache *cache, gpc_error *error);

/*
 * Write all dirty bytes back through on_evict (forced = 1), in order of set and way. Lines stay, clean. With lazy
 * fetch, bytes of the dirty sectors that are not valid yet are forgotten.
 *   out_sectors  receives the number of dirty sectors written; may be NULL
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (`cache` is NULL). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_flush(gpc_cache *cache, uint64_t *out_sectors, gpc_error *error);

/*
 * Give a cache another shape: `sets` and `ways` as in gpc_cache_options. The cache is then empty, as after
 * gpc_cache_invalidate_all: on_evict is called for every line (forced = 1), dirty or clean. Policies and tokens start
 * again, with the policy names of the last gpc_cache_set_replacement and _set_predictor. Counters continue. A call with
 * the present shape empties the cache too.
 * Returns GPC_OK; GPC_ERROR_RANGE naming the field; GPC_ERROR_STATE (the cache belongs to a hierarchy, whose launches
 * resize the L1s; or other caches share state with the cache); GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY; or the status of a
 * policy's init. On failure nothing has changed. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_resize(gpc_cache *cache, uint64_t sets, uint32_t ways, gpc_error *error);

/* A resident line. */
typedef struct gpc_line {
    uint64_t line_address;
    uint32_t set, way;
    uint32_t reuse_count; /* 0 unless track_reuse */
    uint32_t warp;        /* warp that filled the line; 0 unless track_warps */
    uint8_t valid_sectors, dirty_sectors, pending_sectors;
    uint8_t priority;    /* gpc_priority */
    uint8_t prioritised; /* 1 = a request without a token may not evict the line (GPC_TOKENS_OPPORTUNISTIC) */
    uint8_t reserved[3];
    uint64_t written_bytes[2]; /* with lazy fetch: bytes written since the fill or the last flush; else 0 */
} gpc_line;

/*
 * Iterate over resident lines in order of set and way; start with *cursor = 0. Returns GPC_OK with a line;
 * GPC_END; GPC_ERROR_ARGUMENT (a NULL).
 * The cache must not change during the iteration. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_next_line(const gpc_cache *cache, uint64_t *cursor, gpc_line *line, gpc_error *error);

/*
 * Pass a warp event to the policies, and to the owners of lines' priority. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL,
 * kind). Since: 0.1.
 */
GPC_API gpc_status gpc_cache_warp_event(gpc_cache *cache, const gpc_warp_event *event, gpc_error *error);

/*
 * Pass the sample of a period to the policies that decide by samples (vote, dynamic-age-lru, dynamic-rpr). The host's
 * calls set the length of the period. For the caches of a hierarchy call gpc_hierarchy_sample.
 *   sample  figures of the cache's SM. The host fills in cycle, cycles, active_cycles and instructions. The library
 *           fills in reads and read_hits: those of the cache since the last sample
 * If caches vote together (`instances`, share_with), sample every cache once a period, in order of `instance`.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL). Since: 0.2.
 */
GPC_API gpc_status gpc_cache_sample(gpc_cache *cache, const gpc_sample *sample, gpc_error *error);

/*
 * Question for a missed request that waits in the host's queues: go below without this cache
 * (gpc_predictor_ops.on_stall, `mrpb`)? Ask once for each reason of the wait.
 *   reason  gpc_busy: GPC_BUSY_LINE, GPC_BUSY_MSHR or GPC_BUSY_MISS_QUEUE
 * Returns GPC_BYPASS (go below) or GPC_CACHE (wait). GPC_CACHE also for NULL, for another reason, and for predictors
 * without on_stall. Since: 0.2.
 */
GPC_API gpc_decision gpc_cache_stall(gpc_cache *cache, const gpc_request *request, uint32_t reason);

/*
 * Replace the policy of a live cache. Resident lines stay. The new policy gets every line as a fill, in order of set
 * and way. On failure the old policy stays. Returns as gpc_cache_create. Since: 0.1.
 */
GPC_API gpc_status gpc_cache_set_replacement(gpc_cache *cache, const char *spec, gpc_error *error);
GPC_API gpc_status gpc_cache_set_predictor(gpc_cache *cache, const char *spec, gpc_error *error);

/*
 * Counters published by the cache's policies ("replacement.dip.selector", "bypass.agcb.replies").
 *   index  from 0; counters of the replacement policy first, then of the predictor
 *   value  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE past the last; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_cache_policy_value(const gpc_cache *cache, size_t index, gpc_policy_value *value,
                                          gpc_error *error);

/*
 * Inputs that the cache's policies need and have not been given yet, as bits: GPC_READS_SAMPLES (gpc_cache_sample,
 * gpc_hierarchy_sample), GPC_READS_WARP_EVENTS (gpc_cache_warp_event) and GPC_READS_POLICY_WORD (gpc_cache_reply). 0:
 * no input is missing. Without samples a vote stays with its first candidate. Without replies agcb never detects a
 * wrong bypass. A gpc_cache outside a hierarchy gets samples and replies only from its host. If the host has not stated
 * them in gpc_cache_options.tells, creating such a policy writes a warning to the context's log. Since: 0.2.
 */
GPC_API uint64_t gpc_cache_lacks(const gpc_cache *cache);

/*
 * Hardware storage of the lines' priority, in bits. 0 unless tokens are opportunistic. Otherwise a bit per line; with
 * GPC_CLEAR_OWNERS a bit per line and warp; with GPC_CLEAR_LAST_OWNER a bit and a warp number per line; with
 * GPC_CLEAR_PERIODIC a bit per line and the period counter. Since: 0.1.
 */
GPC_API uint64_t gpc_cache_token_bits(const gpc_cache *cache);

/*
 * Policies without a gpc_cache, for a host with its own caches. The host has tags, MSHRs
 * and queues, and reports events by set and way. The library decides the way to replace, the requests to bypass, and
 * the warps to hold back (gpc_throttle). With equal seed and equal events, the decisions equal those in a
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
                                          const gpc_request *request, uint32_t *out_way, gpc_error *error);

/*
 * Would gpc_replacement_choose decline the request? For hosts that request data before they choose a way. If false,
 * call gpc_replacement_choose when the data arrive, with request->policy.admitted = 1 (gpc_replacement_ops.declines).
 * False also for NULL, for a request that gpc_replacement_choose refuses, and for policies without `declines`. Since:
 * 0.2.
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
                                         gpc_prediction *prediction, gpc_error *error);

/*
 * Predict many requests in order: the lines of a warp instruction, which do not depend on each other. Stops at the
 * first wrong request.
 *   sets, requests, predictions  [count]
 *   out_done  receives the number of predictions made; may be NULL
 * Returns as gpc_predictor_predict; `error` names the request and its fault. Since: 0.2.
 */
GPC_API gpc_status gpc_predictor_predict_many(gpc_predictor *predictor, const uint32_t *sets,
                                              const gpc_request *requests, size_t count, gpc_prediction *predictions,
                                              size_t *out_done, gpc_error *error);

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

/* gpc_cache_stall for a predictor: may a load that waits in the host's queues bypass? Since: 0.2. */
GPC_API gpc_decision gpc_predictor_stall(gpc_predictor *predictor, const gpc_request *request, uint32_t reason);

/* As gpc_replacement_policy_value ("bypass.agcb.replies"). Since: 0.2. */
GPC_API gpc_status gpc_predictor_policy_value(const gpc_predictor *predictor, size_t index, gpc_policy_value *value,
                                              gpc_error *error);

/*
 * DRAM with a clock: channels of banks, with a queue and a scheduler per channel. The timed hierarchy has a DRAM below
 * its L2. A gpc_dram stands alone, for a host with its own caches. The keys `dram.*` and `clock.dram` configure the
 * DRAM.
 */

/*
 * Called when the data of a read have arrived (dram.latency included), or when the data of a write have crossed the
 * bus.
 */
typedef void (*gpc_dram_done_fn)(void *user_data, uint64_t token, bool write, uint64_t cycle);

/*
 * Create all channels, idle, at DRAM cycle 0.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT, GPC_ERROR_RANGE or GPC_ERROR_FORMAT (dram.mapping), naming the key;
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_dram_create(gpc_context *context, const gpc_config *config, gpc_dram **out, gpc_error *error);
GPC_API void gpc_dram_destroy(gpc_dram *dram);

/*
 * Set the callback for completed requests. gpc_dram_advance calls `on_done`, which may not call into the object. NULL
 * clears. Since: 0.1.
 */
GPC_API void gpc_dram_on_done(gpc_dram *dram, gpc_dram_done_fn on_done, void *user_data);

/* Bytes of a request: a burst. Since: 0.1. */
GPC_API uint32_t gpc_dram_burst_bytes(const gpc_dram *dram);

/*
 * Offer a burst to a channel at the present cycle.
 *   address  within the channel, bytes
 * Returns GPC_OK; GPC_BUSY (the channel's queue is full); GPC_ERROR_ARGUMENT. Since: 0.1.
 */
GPC_API gpc_status gpc_dram_try_request(gpc_dram *dram, uint32_t channel, uint64_t address, bool write, uint64_t token,
                                        gpc_error *error);

/*
 * Move the clock by `cycles` DRAM cycles. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL; from within `on_done`);
 * GPC_ERROR_RANGE (a cycle beyond the last). Since: 0.1.
 */
GPC_API gpc_status gpc_dram_advance(gpc_dram *dram, uint64_t cycles, gpc_error *error);

/*
 * Present DRAM cycle (_now), and next cycle in which a command can issue or data can end (_next_event); UINT64_MAX if
 * idle. Since: 0.1.
 */
GPC_API uint64_t gpc_dram_now(const gpc_dram *dram);
GPC_API uint64_t gpc_dram_next_event(const gpc_dram *dram);

/* Read the dram.* counters since creation by id, as gpc_hierarchy_read. Since: 0.3. */
GPC_API gpc_status gpc_dram_read(const gpc_dram *dram, const uint32_t *ids, size_t count, uint64_t *values,
                                 size_t value_count, gpc_error *error);

/*
 * Throttles without a gpc_scheduler, for a host with its own scheduler. The host reports the states of its warps, and
 * asks for the warps that may issue and allocate. With equal events the decisions equal those in a gpc_scheduler.
 */
typedef struct gpc_throttle_options {
    size_t struct_size;
    uint32_t warps;                 /* slots, 1 to 1024 */
    uint32_t sm, index, count, sms; /* as in gpc_scheduler_options */
    uint32_t reserved;              /* 0 */
    /* `name` or `name(parameter=value, ...)`, further throttles after a `+`; not NULL */
    const char *throttles;
    uint64_t seed;
    /* object with shared state, as in gpc_scheduler_options: equal context, throttles, warps, count and sms */
    gpc_throttle *share_with;
} gpc_throttle_options;

#define GPC_THROTTLE_OPTIONS_INIT \
    { sizeof(gpc_throttle_options), 48, 0, 0, 0, 0, 0, NULL, 0, NULL }

/* As gpc_scheduler_create and _destroy. Since: 0.2. */
GPC_API gpc_status gpc_throttle_create(gpc_context *context, const gpc_throttle_options *options, gpc_throttle **out,
                                       gpc_error *error);
GPC_API void gpc_throttle_destroy(gpc_throttle *throttle);

/*
 * Report the states of the host's warps, as gpc_scheduler_start_block, _set_state, _issued and _begin_kernel. A host
 * without wait states may report only GPC_STATE_READY and GPC_STATE_BARRIER, unless a throttle counts the cycles of
 * waiting warps (dyncta does). Since: 0.2.
 */
GPC_API gpc_status gpc_throttle_start(gpc_throttle *throttle, uint32_t slot, uint32_t block, gpc_error *error);
GPC_API gpc_status gpc_throttle_set_state(gpc_throttle *throttle, uint32_t slot, gpc_warp_state state,
                                          gpc_error *error);
GPC_API gpc_status gpc_throttle_issued(gpc_throttle *throttle, uint32_t slot, uint64_t cycle, gpc_error *error);
GPC_API gpc_status gpc_throttle_begin_kernel(gpc_throttle *throttle, const char *name, gpc_error *error);

/*
 * Pass events of the SM's L1, and samples, as gpc_scheduler_cache_event and _sample. gpc_throttle_cache_event
 * returns true if the decisions were made again and the host must ask for them; false for NULL. Since: 0.2.
 */
GPC_API bool gpc_throttle_cache_event(gpc_throttle *throttle, const gpc_cache_event *event);
GPC_API gpc_status gpc_throttle_sample(gpc_throttle *throttle, uint64_t cycle, const uint32_t *ids, size_t count,
                                       const uint64_t *values, size_t value_count, gpc_error *error);

/*
 * True if a throttle needs L1's events (_events), or samples (_samples). Without its inputs a throttle decides nothing
 * useful. Since: 0.2.
 */
GPC_API bool gpc_throttle_wants_events(const gpc_throttle *throttle);
GPC_API bool gpc_throttle_wants_samples(const gpc_throttle *throttle);

/*
 * Get the decisions for all warps, valid from `cycle` until the next report above, or until `again`.
 *   classes  struct_size set; bitmaps of (warps + 63) / 64 words, NULL if not wanted. Bitmaps are written completely,
 *            with bits of running warps only. `others` is 1 if another object with shared state on the same SM must be
 *            asked in its next cycle (its gpc_throttle_next_change is then 0). NULL: only the time advances
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (`throttle` is NULL); GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_throttle_classify(gpc_throttle *throttle, uint64_t cycle, gpc_throttle_classes *classes,
                                         gpc_error *error);

/*
 * Decisions for a single warp, as gpc_scheduler_class_of and _token_of; _held: the warp may not issue memory
 * instructions. Since: 0.2.
 */
GPC_API gpc_warp_class gpc_throttle_class_of(const gpc_throttle *throttle, uint32_t slot);
GPC_API gpc_token gpc_throttle_token_of(const gpc_throttle *throttle, uint32_t slot, unsigned level);
GPC_API bool gpc_throttle_held(const gpc_throttle *throttle, uint32_t slot);

/* As gpc_scheduler_next_change and _policy_value. Since: 0.2. */
GPC_API uint64_t gpc_throttle_next_change(const gpc_throttle *throttle);
GPC_API gpc_status gpc_throttle_policy_value(const gpc_throttle *throttle, size_t index, gpc_policy_value *value,
                                             gpc_error *error);

GPC_END_DECLS

#endif
