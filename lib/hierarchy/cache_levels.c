/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache_archive.h"
#include "functional/functional.h"
#include "level/access/constants.h"
#include "level/access/fence.h"
#include "level/access/l15.h"
#include "level/build/gl1.h"
#include "level/rules/driver.h"
#include "level/rules/memory_cache.h"

#include <string.h>

/* Levels of a hierarchy without coherence: an L1 per SM, and L2 slices. L1s and slices are caches. */

static gpc_status create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_status status = hierarchy->has_l1 ? gpci_build_l1(hierarchy, &hierarchy->share, error, &hierarchy->l1) : GPC_OK;
    if (status == GPC_OK && gpci_number(hierarchy, GPCI_KEY_L2_ENABLED))
        status = gpci_build_l2(hierarchy, error);
    if (status == GPC_OK)
        status = gpci_memory_caches_create(hierarchy, error);
    if (status == GPC_OK)
        status = gpci_constants_create(hierarchy, error);
    if (status == GPC_OK)
        status = gpci_l15_create(hierarchy, error);
    return status == GPC_OK ? gpci_gl1_create(hierarchy, error) : status;
}

static void destroy(gpc_hierarchy *hierarchy) {
    gpci_gl1_destroy(hierarchy);
    gpci_l15_destroy(hierarchy);
    gpci_constants_destroy(hierarchy);
    gpci_destroy_caches(hierarchy, hierarchy->l1, hierarchy->sms);
    gpci_destroy_caches(hierarchy, hierarchy->l2, hierarchy->slices);
    gpci_memory_caches_destroy(hierarchy);
}

static void add_cache_stats(gpci_cache_stats *into, const gpc_cache *cache) {
    gpci_cache_stats more = gpci_cache_get_stats(cache);
    gpci_cache_stats_add(into, &more);
}

void gpci_hierarchy_retire(gpc_hierarchy *hierarchy, uint32_t sm) {
    add_cache_stats(&hierarchy->of_sm[sm].retired, hierarchy->l1[sm]);
#ifdef GPCI_CHECK
    const gpci_cache_stats again = gpci_cache_stats_again(hierarchy->l1[sm]);
    gpci_cache_stats_add(&hierarchy->of_sm[sm].retired_again, &again);
#endif
}

/*
 * In functional mode, a cache with callbacks for fills and evictions cannot use the fast code paths (gpci_classify). In
 * timed mode, the driver calls the observer (relink).
 */
void gpci_hierarchy_observe(gpc_hierarchy *hierarchy, const gpci_observer *observer) {
    hierarchy->observer = observer;
    if (hierarchy->timed) {
        hierarchy->driver->relink(hierarchy);
        return;
    }
    for (uint32_t sm = 0; hierarchy->l1 && sm < hierarchy->sms; sm++) {
        gpc_cache_options *options = &hierarchy->l1[sm]->options;
        options->on_fill = observer ? observer->on_fill : NULL;
        options->on_evict = observer ? observer->on_evict : NULL;
        options->callback_data = observer ? observer->cache_data[sm] : NULL;
        gpci_classify(hierarchy->l1[sm]);
    }
}

/*
 * True if the existing L1s can be used for a new share, with gpci_cache_renew: same sets, ways and policies. A host may
 * have given other policies to an L1 that the host borrowed (gpc_hierarchy_cache).
 */
static bool is_renewed(const gpc_hierarchy *hierarchy, const gpci_l1_share *share) {
    const char *replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L1_REPLACEMENT),
               *predictor = gpci_config_text(hierarchy->config, GPCI_KEY_L1_BYPASS);
    bool same = true;
    for (uint32_t sm = 0; same && sm < hierarchy->sms; sm++) {
        const gpc_cache *l1 = hierarchy->l1[sm];
        same = l1->sets == share->sets && l1->ways == share->ways && gpci_cache_forgets(l1) &&
               !strcmp(gpci_policy_text(l1->replacement), replacement) &&
               !strcmp(gpci_policy_text(l1->predictor), predictor);
    }
    return same;
}

/*
 * Change L1's share of a unified memory. The objects of the L1s stay, because a host may have borrowed the objects. If
 * is_renewed, every L1 is emptied; otherwise new, empty L1s move into the objects.
 */
static gpc_status resize(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error) {
    gpc_cache **l1 = NULL;
    if (!hierarchy->l1)
        return GPC_OK;
    const bool renewed = is_renewed(hierarchy, share);
    gpc_status status = renewed ? GPC_OK : gpci_build_l1(hierarchy, share, error, &l1);
    if (status < 0)
        return status;
    status = gpci_functional_flush_l1(hierarchy);
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        gpci_hierarchy_retire(hierarchy, sm);
        if (renewed)
            gpci_cache_renew(hierarchy->l1[sm], share->lines);
        else
            gpci_cache_exchange(hierarchy->l1[sm], l1[sm]);
    }
    gpci_destroy_caches(hierarchy, l1, hierarchy->sms);
    hierarchy->share = *share;
    hierarchy->driver->relink(hierarchy);
    if (hierarchy->observer)
        gpci_hierarchy_observe(hierarchy, hierarchy->observer);
    return status;
}

gpc_status gpci_hierarchy_flush_for_kernel(gpc_hierarchy *hierarchy) {
    uint64_t flush = gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH); /* 0: none, 1: l1, 2: all */
    gpc_status status = flush >= 1 || hierarchy->viper ? gpci_functional_flush_l1(hierarchy) : GPC_OK;
    if (flush >= 1 || hierarchy->viper)
        gpci_constants_drop(hierarchy);
    gpci_l15_begin(hierarchy, flush >= 1 || hierarchy->viper);
    if (flush == 2 && status == GPC_OK) {
        status = gpci_functional_flush_l2(hierarchy);
        hierarchy->cold = true;
    }
    return status;
}

static gpc_status flush(gpc_hierarchy *hierarchy) {
    gpci_constants_drop(hierarchy);
    gpci_l15_drop(hierarchy);
    gpc_status status = gpci_functional_flush_l1(hierarchy);
    return status == GPC_OK ? gpci_functional_flush_l2(hierarchy) : status;
}

/*
 * Number of bypasses that took place. L2's reply can overturn a predicted bypass (the line is filled) or a predicted
 * fill (the line bypasses). `open` counts predicted bypasses without a reply yet. They are not counted, so that the
 * number never falls, and a bypass that is open at a reset of counters counts after the reset. A host that borrows an
 * L1 can overturn more bypasses than were predicted (gpc_cache_reply): the result is then 0.
 */
static uint64_t decisions_that_held(const gpci_cache_stats *l1, uint64_t open) {
    const uint64_t held = l1->bypasses + l1->overturned_fills - l1->overturned_bypasses - open;
    return held <= INT64_MAX ? held : 0;
}

static uint64_t lookups(const gpci_cache_stats *cache) {
    return cache->reads + cache->writes + cache->atomics;
}

static void add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats) {
    gpci_cache_stats l1 = hierarchy->of_sm[sm].retired;
    if (hierarchy->l1)
        add_cache_stats(&l1, hierarchy->l1[sm]);
    stats->l1_lookups += lookups(&l1);
    stats->l1_evictions += l1.evictions;
    stats->l1_zero_reuse_evictions += l1.zero_reuse_evictions;
    stats->l1_bypasses += decisions_that_held(&l1, hierarchy->of_sm[sm].open_bypasses);
    stats->l1_token_bypasses += l1.token_bypasses;
    stats->l1_opportunistic_fills += l1.opportunistic_fills;
    stats->l1_priority_evictions += l1.priority_evictions;
    stats->l1_predictions += l1.predictions;
    stats->l1_overturned_bypasses += l1.overturned_bypasses;
    stats->l1_overturned_fills += l1.overturned_fills;
    stats->l1_oracle_decisions += l1.oracle_decisions;
    stats->l1_oracle_bypasses += l1.oracle_bypasses;
    stats->l1_oracle_agreements += l1.oracle_agreements;
    stats->l1_oracle_agreed_bypasses += l1.oracle_agreed_bypasses;
    stats->l1_invalidations += l1.invalidations;
    stats->l1_intra_warp_hits += l1.intra_warp_hits;
    stats->l1_inter_warp_hits += l1.inter_warp_hits;
}

static void add_slice(const gpc_hierarchy *hierarchy, uint32_t slice, gpc_stats *stats) {
    if (!hierarchy->l2)
        return;
    gpci_cache_stats l2 = gpci_cache_get_stats(hierarchy->l2[slice]);
    stats->l2_lookups += lookups(&l2);
    stats->l2_evictions += l2.evictions;
    stats->l2_token_bypasses += l2.token_bypasses;
    stats->l2_opportunistic_fills += l2.opportunistic_fills;
    stats->l2_priority_evictions += l2.priority_evictions;
}

static void reset_stats(gpc_hierarchy *hierarchy) {
    for (uint32_t sm = 0; hierarchy->l1 && sm < hierarchy->sms; sm++)
        gpc_cache_reset_stats(hierarchy->l1[sm]);
    for (uint32_t slice = 0; hierarchy->l2 && slice < hierarchy->slices; slice++)
        gpc_cache_reset_stats(hierarchy->l2[slice]);
    for (uint32_t channel = 0; hierarchy->memory_caches && channel < hierarchy->memory.channels; channel++)
        gpc_cache_reset_stats(hierarchy->memory_caches[channel]);
}

static gpc_status warp_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event) {
    return hierarchy->l1 ? gpc_cache_warp_event(hierarchy->l1[event->sm], event, NULL) : GPC_OK;
}

static uint32_t objects(const gpc_hierarchy *hierarchy, gpc_object kind) {
    if (kind == GPC_OBJECT_L1)
        return hierarchy->l1 ? hierarchy->sms : 0;
    return kind == GPC_OBJECT_SLICE && hierarchy->l2 ? hierarchy->slices : 0;
}

static void object(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index, gpci_object_values *values) {
    bool l1 = kind == GPC_OBJECT_SM || kind == GPC_OBJECT_L1, l2 = kind == GPC_OBJECT_SLICE;
    values->has[GPC_TABLE_CACHE] = (l1 && hierarchy->l1) || (l2 && hierarchy->l2);
    if (!values->has[GPC_TABLE_CACHE])
        return;
    if (l1)
        values->cache = hierarchy->of_sm[index].retired;
    add_cache_stats(&values->cache, l1 ? hierarchy->l1[index] : hierarchy->l2[index]);
}

static gpc_status check(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_status status = gpci_viper_check(hierarchy, error);
    if (status == GPC_OK)
        status = gpci_check_prefetchers(hierarchy, error);
    if (status == GPC_OK && gpci_number(hierarchy, GPCI_KEY_L1_ATOMICS))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.atomics = cta needs a tree without directories (coherence = vi, slc-glc): other L1s send "
                         "atomics on, whatever their scope");
    return status == GPC_OK ? gpci_build_future(hierarchy, error) : status;
}

static void archive(gpc_hierarchy *hierarchy, gpci_archive *archived) {
    for (uint32_t sm = 0; hierarchy->l1 && sm < hierarchy->sms; sm++)
        gpci_cache_archive(hierarchy->l1[sm], archived);
    for (uint32_t slice = 0; hierarchy->l2 && slice < hierarchy->slices; slice++)
        gpci_cache_archive(hierarchy->l2[slice], archived);
    gpci_memory_caches_archive(hierarchy, archived);
    gpci_constants_archive(hierarchy, archived);
    gpci_l15_archive(hierarchy, archived);
    gpci_gl1_archive(hierarchy, archived);
}

const gpci_levels gpci_cache_levels = {.check = check,
                                       .create = create,
                                       .destroy = destroy,
                                       .resize = resize,
                                       .begin = gpci_hierarchy_flush_for_kernel,
                                       .flush = flush,
                                       .add_sm = add_sm,
                                       .add_slice = add_slice,
                                       .reset_stats = reset_stats,
                                       .warp_event = warp_event,
                                       .objects = objects,
                                       .object = object,
                                       .archive = archive};
