/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include "policies/predictor/predictors.h"
#include "policies/replacement/replacement.h"

#include <string.h>

#define REFUSE(field, text, value) \
    return gpci_fail(error, GPC_ERROR_RANGE, "gpc_cache_options." field ": " text, (unsigned long long)(value))

#define BEYOND_MASKS "lazy fetch keeps byte masks of at most 128 bytes; the line has %llu"

static gpc_status check_options(gpc_cache_options *options, gpc_error *error) {
    options->sectors = options->sectors ? options->sectors : 1;
    options->fetch_sectors = options->fetch_sectors ? options->fetch_sectors : 1;
    options->instances = options->instances ? options->instances : 1;
    options->token_period = options->token_period ? options->token_period : 5000;
    options->token_warps = options->token_warps ? options->token_warps : 64;
    if (!options->ways || options->ways > GPC_MAX_WAYS)
        REFUSE("ways", "%llu is not between 1 and 1024", options->ways);
    if (!options->sets || options->sets > UINT32_MAX / (options->ways + 3))
        REFUSE("sets", "%llu is 0 or makes more than 2^32 lines", options->sets);
    if (!gpci_power_of_two(options->line_bytes) || options->line_bytes < 8 || options->line_bytes > 4096)
        REFUSE("line_bytes", "%llu is not a power of two between 8 and 4096", options->line_bytes);
    if (!gpci_power_of_two(options->sectors) || options->sectors > 8)
        REFUSE("sectors", "%llu is not 0, 1, 2, 4 or 8", options->sectors);
    if (!gpci_power_of_two(options->fetch_sectors) || options->fetch_sectors > options->sectors)
        REFUSE("fetch_sectors", "%llu is not a power of two of at most the sectors of a line", options->fetch_sectors);
    if (options->index >= GPC_INDEX_COUNT)
        REFUSE("index", "%llu is no gpc_index", options->index);
    if (options->index == GPC_INDEX_USER && !options->index_fn)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_options.index_fn: NULL with GPC_INDEX_USER");
    if (options->index_bits && options->index != GPC_INDEX_XOR)
        REFUSE("index_bits", "%llu without GPC_INDEX_XOR", options->index_bits);
    if (options->write_policy > GPC_WRITE_EVICT)
        REFUSE("write_policy", "%llu is no gpc_write_policy", options->write_policy);
    if (options->write_policy_local > GPC_WRITE_EVICT)
        REFUSE("write_policy_local", "%llu is no gpc_write_policy", options->write_policy_local);
    if (options->write_allocate > GPC_WRITE_NAIVE_FETCH)
        REFUSE("write_allocate", "%llu is no gpc_write_allocate", options->write_allocate);
    if (options->write_allocate_local > GPC_WRITE_NAIVE_FETCH)
        REFUSE("write_allocate_local", "%llu is no gpc_write_allocate", options->write_allocate_local);
    if (options->line_bytes > 128 && options->write_allocate == GPC_WRITE_LAZY_FETCH)
        REFUSE("write_allocate", BEYOND_MASKS, options->line_bytes);
    if (options->line_bytes > 128 && options->write_allocate_local == GPC_WRITE_LAZY_FETCH)
        REFUSE("write_allocate_local", BEYOND_MASKS, options->line_bytes);
    if (options->allocate > GPC_ALLOCATE_REPLACEABLE)
        REFUSE("allocate", "%llu is no gpc_allocate", options->allocate);
    if (options->bypass_fetch > GPC_BYPASS_FETCH_ALL)
        REFUSE("bypass_fetch", "%llu is no gpc_bypass_fetch", options->bypass_fetch);
    if (options->tokens > GPC_TOKENS_OPPORTUNISTIC)
        REFUSE("tokens", "%llu is no gpc_tokens", options->tokens);
    if (options->token_clear > GPC_CLEAR_PERIODIC)
        REFUSE("token_clear", "%llu is no gpc_token_clear", options->token_clear);
    if (options->token_warps > 1024)
        REFUSE("token_warps", "%llu is more than 1024", options->token_warps);
    if (options->lines > options->sets * options->ways)
        REFUSE("lines", "%llu is more than sets x ways", options->lines);
    if (options->instance >= options->instances)
        REFUSE("instance", "%llu is not below instances", options->instance);
    return GPC_OK;
}

static gpc_policy_env geometry_of(const gpc_cache *cache) {
    return (gpc_policy_env){.sets = cache->sets,
                            .ways = cache->ways,
                            .line_bytes = cache->options.line_bytes,
                            .sectors = cache->sectors,
                            .index = cache->options.instance,
                            .count = cache->options.instances,
                            .seed = cache->options.seed};
}

const gpc_request *gpci_show(gpc_cache *cache, const gpc_request *request) {
    static const uint8_t unused[sizeof request->reserved];
    if (!memcmp(request->reserved, unused, sizeof unused))
        return request;
    cache->last_policy_request = *request;
    memset(cache->last_policy_request.reserved, 0, sizeof cache->last_policy_request.reserved);
    return &cache->last_policy_request;
}

/* Set the flags that choose the fast paths. The batch loop (batch_loop.h) serves only caches that are `plain`. */
void gpci_classify(gpc_cache *cache) {
    const gpc_cache_options *options = &cache->options;
    cache->lru = cache->replacement_ops == &gpci_lru;
    cache->always_cache = cache->predictor_ops == &gpci_always_cache;
    cache->by_hint = cache->predictor_ops == &gpci_hint;
    const bool lets_all_in = cache->always_cache || cache->by_hint;
    cache->predicts = !lets_all_in && cache->predictor_ops != &gpci_always_bypass;
    cache->guarded = !lets_all_in;
    cache->hosts = gpci_policy_is_hosts(cache->replacement) || gpci_policy_is_hosts(cache->predictor);
    cache->tracks = cache->written || cache->reuse || cache->warps || cache->next_uses;
    cache->plain = cache->sectors == 1 && !cache->tracks && !cache->token_state && !cache->tags.places &&
                   !cache->spare_ways && !options->on_fill && !options->on_evict &&
                   options->write_policy == GPC_WRITE_BACK && options->write_allocate == GPC_WRITE_FETCH &&
                   (!cache->lru || cache->ways <= GPCI_RECENCY_WAYS);
    gpci_classify_quick(cache);
}

static void adopt_replacement(gpc_cache *cache, gpci_policy *policy) {
    cache->replacement = policy;
    cache->replacement_ops = policy->ops;
    cache->replacement_self = policy->self;
    gpci_classify(cache);
}

static void adopt_predictor(gpc_cache *cache, gpci_policy *policy) {
    cache->predictor = policy;
    cache->predictor_ops = policy->ops;
    cache->predictor_self = policy->self;
    if (cache->replacement_ops)
        gpci_classify(cache);
}

static gpc_status make_tokens(gpc_cache *cache, size_t slots) {
    const gpc_cache_options *options = &cache->options;
    const gpci_token_rules rules = {
        .clear = options->token_clear, .warps = options->token_warps, .period = options->token_period};
    cache->unusual = true;
    return gpci_tokens_create(cache->context, &rules, cache->states, slots, &cache->token_state);
}

static gpc_status make_arrays(gpc_cache *cache, gpc_error *error) {
    const gpc_cache_options *options = &cache->options;
    size_t slots = (size_t)cache->sets * cache->tags.row;
    bool lazy =
        options->write_allocate == GPC_WRITE_LAZY_FETCH || options->write_allocate_local == GPC_WRITE_LAZY_FETCH;
    cache->tags.words = gpci_zalloc_lines(cache->context, slots, sizeof *cache->tags.words);
    cache->states = gpci_zalloc_lines(cache->context, slots, sizeof *cache->states);
    cache->tags.highs = gpci_zalloc_lines(cache->context, slots, sizeof *cache->tags.highs);
    if (lazy)
        cache->written = gpci_zalloc_lines(cache->context, slots, sizeof *cache->written);
    if (options->track_reuse)
        cache->reuse = gpci_zalloc_lines(cache->context, slots, sizeof *cache->reuse);
    if (options->track_warps)
        cache->warps = gpci_zalloc_lines(cache->context, slots, sizeof *cache->warps);
    if (options->track_future)
        cache->next_uses = gpci_zalloc_lines(cache->context, slots, sizeof *cache->next_uses);
    if (!cache->tags.words || !cache->states || !cache->tags.highs || (lazy && !cache->written) ||
        (options->track_reuse && !cache->reuse) || (options->track_warps && !cache->warps) ||
        (options->track_future && !cache->next_uses))
        return gpci_out_of_memory(error);
    if (!cache->lone && cache->ways >= GPCI_PLACES_FROM && slots <= GPCI_PLACES_SLOTS) {
        cache->tags.places = gpci_places_create(cache->context, cache->sets, cache->ways, cache->tags.row);
        if (!cache->tags.places)
            return gpci_out_of_memory(error);
    }
    if (options->tokens == GPC_TOKENS_OPPORTUNISTIC && make_tokens(cache, slots) < 0)
        return gpci_out_of_memory(error);
    return GPC_OK;
}

/* Refuse and destroy a policy that reads inputs that the host does not give (options.tells). */
static gpc_status check_tells(const gpc_cache *cache, gpci_policy **policy, gpc_error *error) {
    gpc_status status = cache->options.tells ? gpci_policy_check_tells(*policy, cache->options.tells, error) : GPC_OK;
    if (status < 0) {
        gpci_policy_destroy(*policy);
        *policy = NULL;
    }
    return status;
}

static gpc_status make_policies(gpc_cache *cache, gpc_error *error) {
    const gpc_cache_options *options = &cache->options;
    gpc_policy_env geometry = geometry_of(cache);
    gpci_policy *policy;
    gpc_status status = gpci_policy_create(cache->context, GPC_POLICY_PREDICTOR,
                                           options->predictor ? options->predictor : "always-cache", &geometry,
                                           cache->commons, error, &policy);
    if (status == GPC_OK)
        status = check_tells(cache, &policy, error);
    if (status < 0)
        return status;
    adopt_predictor(cache, policy);
    status =
        gpci_policy_create(cache->context, GPC_POLICY_REPLACEMENT, options->replacement ? options->replacement : "lru",
                           &geometry, cache->commons, error, &policy);
    if (status == GPC_OK)
        status = check_tells(cache, &policy, error);
    if (status == GPC_OK)
        adopt_replacement(cache, policy);
    return status;
}

static gpci_level_shape shape_of(const gpc_cache *cache) {
    const gpc_cache_options *options = &cache->options;
    return (gpci_level_shape){.context = cache->context,
                              .commons = cache->commons,
                              .sets = options->sets,
                              .ways = options->ways,
                              .line_bytes = options->line_bytes,
                              .sectors = options->sectors,
                              .instances = options->instances};
}

/* Create the shared policy state of a cache without a hierarchy, or join the state of `share_with`. */
static gpc_status join_commons(gpc_cache *cache, gpc_error *error) {
    const gpc_cache *other = cache->options.share_with;
    if (other && !other->lone)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_options.share_with is a hierarchy's");
    gpci_level_shape ours = shape_of(cache), theirs = shape_of(other ? other : cache);
    gpc_status status = gpci_commons_join(&ours, other ? &theirs : NULL, "gpc_cache_options", error);
    cache->commons = ours.commons;
    return status;
}

/* Warn a host without gpc_cache_options.tells about calls that its policies cannot work without. */
static void warn_of_feeds(const gpc_cache *cache) {
    const uint64_t lacks = cache->lone && !cache->options.tells ? gpc_cache_lacks(cache) : 0;
    const bool samples = lacks & GPC_READS_SAMPLES, replies = lacks & GPC_READS_POLICY_WORD;
    if (samples || replies)
        gpci_log(cache->context, GPC_LOG_WARNING,
                 "'%s' with '%s' lives on %s%s%s, which this cache gets from its host alone",
                 gpci_policy_text(cache->replacement), gpci_policy_text(cache->predictor),
                 samples ? "gpc_cache_sample" : "", samples && replies ? " and " : "",
                 replies ? "gpc_cache_reply" : "");
}

gpc_status gpc_cache_create(gpc_context *context, const gpc_cache_options *options, gpc_cache **out, gpc_error *error) {
    gpc_status status = gpci_cache_create(context, options, NULL, error, out);
    if (status == GPC_OK)
        warn_of_feeds(*out);
    return status;
}

gpc_status gpci_cache_create(gpc_context *context, const gpc_cache_options *options, gpci_commons *commons,
                             gpc_error *error, gpc_cache **out) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_create: %s is NULL", context ? "out" : "context");
    gpc_cache_options cache_options = GPC_CACHE_OPTIONS_INIT;
    const size_t least = offsetof(gpc_cache_options, tells); /* size of version 0.1 */
    gpc_status status = gpci_take(&cache_options, sizeof cache_options, least, options, "gpc_cache_options", error);
    if (status == GPC_OK)
        status = check_options(&cache_options, error);
    if (status < 0)
        return status;
    gpc_cache *cache = gpci_zalloc_lines(context, 1, sizeof *cache);
    if (!cache)
        return gpci_out_of_memory(error);
    cache->context = gpci_retain(context);
    cache->commons = commons;
    cache->lone = !commons;
    cache->options = cache_options;
    cache->sets = (uint32_t)cache_options.sets;
    cache->ways = cache_options.ways;
    cache->tags.row = (cache_options.ways + 3) & ~3u;
    cache->free_ways = cache->sets * cache->ways;
    cache->spare_ways = gpci_spare_ways(cache);
    cache->held = cache_options.allocate == GPC_ALLOCATE_REPLACEABLE ? 0 : GPCI_PENDING_MASK;
    cache->line_shift = gpci_log2(cache_options.line_bytes);
    cache->sector_shift = cache->line_shift - gpci_log2(cache_options.sectors);
    cache->sectors = (uint8_t)cache_options.sectors;
    cache->all_sectors = (uint8_t)((1u << cache_options.sectors) - 1);
    cache->fetch = (uint8_t)cache_options.fetch_sectors;
    cache->tokens = (uint8_t)cache_options.tokens;
    cache->stats = (gpci_cache_stats){0};
    status = gpci_index_init(&cache->index, (gpc_index)cache_options.index, cache_options.sets, cache_options.index_fn,
                             cache_options.index_data, error);
    if (status == GPC_OK && cache_options.index_bits)
        gpci_index_fold(&cache->index, cache_options.index_bits);
    if (status == GPC_OK && cache->lone)
        status = join_commons(cache, error);
    if (status == GPC_OK)
        status = make_arrays(cache, error);
    if (status == GPC_OK)
        status = make_policies(cache, error);
    if (status < 0) {
        gpc_cache_destroy(cache);
        return status;
    }
    /* borrowed texts and share_with may be freed by their owner; the policies keep copies */
    cache->options.replacement = cache->options.predictor = NULL;
    cache->options.share_with = NULL;
    *out = cache;
    return GPC_OK;
}

void gpc_cache_destroy(gpc_cache *cache) {
    if (!cache)
        return;
    gpc_context *context = cache->context;
    gpci_policy_destroy(cache->replacement);
    gpci_policy_destroy(cache->predictor);
    if (cache->lone)
        gpci_commons_release(cache->commons);
    gpci_free_lines(context, cache->tags.words);
    gpci_free_lines(context, cache->states);
    gpci_free_lines(context, cache->tags.highs);
    gpci_free_lines(context, cache->written);
    gpci_free_lines(context, cache->reuse);
    gpci_free_lines(context, cache->warps);
    gpci_free_lines(context, cache->next_uses);
    gpci_places_destroy(context, cache->tags.places);
    gpci_tokens_destroy(context, cache->token_state);
    gpci_free_lines(context, cache);
    gpci_release(context);
}

/* Request that tells a new policy about a resident line, as if the line were filled. */
static gpc_request request_of(const gpc_line *line) {
    return (gpc_request){.address = line->line_address, .warp = line->warp, .priority = line->priority};
}

gpc_status gpc_cache_set_replacement(gpc_cache *cache, const char *spec, gpc_error *error) {
    if (!cache || !spec)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_set_replacement: %s is NULL", cache ? "spec" : "cache");
    gpc_policy_env geometry = geometry_of(cache);
    gpci_policy *policy;
    gpc_status status =
        gpci_policy_create(cache->context, GPC_POLICY_REPLACEMENT, spec, &geometry, cache->commons, error, &policy);
    if (status == GPC_OK)
        status = check_tells(cache, &policy, error);
    if (status < 0)
        return status;
    gpci_policy_destroy(cache->replacement);
    adopt_replacement(cache, policy);
    warn_of_feeds(cache);
    gpc_line line;
    for (uint64_t cursor = 0; gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK;) {
        gpc_request request = request_of(&line);
        if (cache->replacement_ops->on_fill)
            cache->replacement_ops->on_fill(cache->replacement_self, line.set, line.way, &request);
    }
    return GPC_OK;
}

gpc_status gpc_cache_set_predictor(gpc_cache *cache, const char *spec, gpc_error *error) {
    if (!cache || !spec)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_set_predictor: %s is NULL", cache ? "spec" : "cache");
    gpc_policy_env geometry = geometry_of(cache);
    gpci_policy *policy;
    gpc_status status =
        gpci_policy_create(cache->context, GPC_POLICY_PREDICTOR, spec, &geometry, cache->commons, error, &policy);
    if (status == GPC_OK)
        status = check_tells(cache, &policy, error);
    if (status < 0)
        return status;
    gpci_policy_destroy(cache->predictor);
    adopt_predictor(cache, policy);
    warn_of_feeds(cache);
    gpc_line line;
    for (uint64_t cursor = 0; gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK;) {
        gpc_request request = request_of(&line);
        if (cache->predictor_ops->on_fill)
            cache->predictor_ops->on_fill(cache->predictor_self, line.set, line.way, &request);
    }
    return GPC_OK;
}

gpc_status gpc_cache_warp_event(gpc_cache *cache, const gpc_warp_event *event, gpc_error *error) {
    if (!cache || !event)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_warp_event: %s is NULL", cache ? "event" : "cache");
    if (event->kind > GPC_KERNEL_END)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_event.kind: %u is no gpc_warp_event_kind", event->kind);
    gpci_tokens_event(cache->token_state, event);
    cache->notified |= GPC_READS_WARP_EVENTS;
    if (cache->replacement_ops->on_warp_event)
        cache->replacement_ops->on_warp_event(cache->replacement_self, event);
    if (cache->predictor_ops->on_warp_event)
        cache->predictor_ops->on_warp_event(cache->predictor_self, event);
    return GPC_OK;
}

gpci_cache_stats gpci_cache_get_stats(const gpc_cache *cache) {
    gpci_cache_stats stats = cache->stats;
    gpci_settle(&stats, &cache->quick_counts, true);
    return stats;
}

gpc_status gpc_cache_read(const gpc_cache *cache, const uint32_t *ids, size_t count, uint64_t *values,
                          size_t value_count, gpc_error *error) {
    if (!cache)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_cache_read: cache is NULL");
    const gpci_cache_stats stats = gpci_cache_get_stats(cache);
    return gpci_read_table(GPC_TABLE_CACHE, &stats, ids, count, values, value_count, "gpc_cache_read", error);
}

void gpc_cache_reset_stats(gpc_cache *cache) {
    if (!cache)
        return;
    cache->stats = (gpci_cache_stats){0};
    cache->quick_counts = (gpci_counts){0};
#ifdef GPCI_CHECK
    cache->again = (gpci_cache_stats){0};
#endif
}
