/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "functional/functional.h"
#include "level/coherent_level.h"
#include "level/level_count.h"
#include "timed/watch.h"

#include <string.h>

/* The hierarchy as an object: creation, launches, statistics. */

static gpc_status make_levels(gpc_hierarchy *h, gpc_error *error) {
    gpc_status status = GPC_OK;
    if (strcmp(gpci_config_text(h->config, GPCI_KEY_COHERENCE), "none") != 0)
        return gpci_coherent_create(h, error);
    if (gpci_number(h, GPCI_KEY_L1_ENABLED))
        status = gpci_build_l1(h, &h->share, error, &h->l1);
    if (status == GPC_OK && gpci_number(h, GPCI_KEY_L2_ENABLED))
        status = gpci_build_l2(h, error);
    return status;
}

gpc_status gpc_hierarchy_create(gpc_context *context, const gpc_config *config, gpc_error *error, gpc_hierarchy **out) {
    if (!context || !config || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_create: %s is NULL",
                         !context  ? "context"
                         : !config ? "config"
                                   : "out");
    gpc_hierarchy *h = gpci_zalloc(context, 1, sizeof *h);
    if (!h)
        return gpci_out_of_memory(error);
    h->context = gpci_retain(context);
    h->cold = true;
    gpc_stats_init(&h->stats);
    gpc_status status = gpc_config_copy(config, error, &h->config);
    if (status == GPC_OK)
        status = gpci_build_levels(h, error);
    if (status == GPC_OK) {
        h->of_sm = gpci_zalloc(context, h->sms, sizeof *h->of_sm);
        status = h->of_sm ? gpci_build_future(h, error) : gpci_out_of_memory(error);
    }
    if (status == GPC_OK)
        status = gpci_launch_share(h, NULL, &h->share, error);
    if (status == GPC_OK)
        status = make_levels(h, error);
    if (status == GPC_OK && gpci_number(h, GPCI_KEY_MODE) == 1)
        status = gpci_timed_create(h, error);
    if (status < 0) {
        gpc_hierarchy_destroy(h);
        return status;
    }
    *out = h;
    return GPC_OK;
}

void gpc_hierarchy_destroy(gpc_hierarchy *h) {
    if (!h)
        return;
    gpc_context *context = h->context;
    gpci_trace_destroy(h);
    gpci_timed_destroy(h->timed);
    gpci_coherent_destroy(h);
    gpci_destroy_caches(h, h->l1, h->sms);
    gpci_destroy_caches(h, h->l2, h->slices);
    gpci_commons_release(h->l1_commons);
    gpci_commons_release(h->l2_commons);
    gpci_free(context, h->sm_partition);
    gpci_free(context, h->of_sm);
    gpc_config_destroy(h->config);
    gpci_free(context, h);
    gpci_release(context);
}

static void add_cache_stats(gpc_cache_stats *into, const gpc_cache *cache) {
    gpc_cache_stats more;
    gpc_cache_stats_init(&more);
    gpc_cache_get_stats(cache, &more);
#define X(field, name, unit, merge, meaning) into->field += more.field;
    GPC_CACHE_COUNTERS(X)
#undef X
}

/* A cache that tells of its lines is not one of the quick kinds. */
void gpci_hierarchy_observe(gpc_hierarchy *h, const gpci_observer *observer) {
    h->observer = observer;
    for (uint32_t sm = 0; h->l1 && sm < h->sms; sm++) {
        gpc_cache_options *options = &h->l1[sm]->options;
        options->on_fill = observer ? observer->on_fill : NULL;
        options->on_evict = observer ? observer->on_evict : NULL;
        options->callback_data = observer ? observer->cache_data[sm] : NULL;
        gpci_classify(h->l1[sm]);
    }
}

/* Another share of a unified memory: new L1s, empty, in place of the old ones. */
static gpc_status resize_l1(gpc_hierarchy *h, const gpci_share *share, gpc_error *error) {
    gpc_cache **l1;
    gpc_status status = gpci_build_l1(h, share, error, &l1);
    if (status < 0)
        return status;
    status = gpci_functional_flush_l1(h);
    for (uint32_t sm = 0; sm < h->sms; sm++)
        add_cache_stats(&h->of_sm[sm].retired, h->l1[sm]);
    gpci_destroy_caches(h, h->l1, h->sms);
    h->l1 = l1;
    h->share = *share;
    if (h->timed)
        gpci_timed_relink(h->timed);
    if (h->observer)
        gpci_hierarchy_observe(h, h->observer);
    return status;
}

void gpci_hierarchy_tell(gpc_hierarchy *h, gpc_warp_event_kind kind) {
    for (uint32_t sm = 0; h->l1 && sm < h->sms; sm++) {
        gpc_warp_event event = {.kind = kind, .sm = sm, .kernel = h->kernel};
        gpc_cache_warp_event(h->l1[sm], &event);
    }
    /* L2's policies know of no warps, but some of its lines are kept for a kernel's */
    gpc_warp_event event = {.kind = kind, .kernel = h->kernel};
    for (uint32_t slice = 0; h->l2 && slice < h->slices; slice++)
        gpci_tokens_event(h->l2[slice], &event);
}

gpc_status gpci_hierarchy_empty(gpc_hierarchy *h) {
    uint64_t flush = gpci_number(h, GPCI_KEY_KERNELS_FLUSH); /* none, l1, all */
    gpc_status status = flush >= 1 ? gpci_functional_flush_l1(h) : GPC_OK;
    if (flush == 2 && status == GPC_OK) {
        gpci_functional_flush_l2(h);
        h->cold = true;
    }
    return status;
}

gpc_status gpc_hierarchy_begin_kernel(gpc_hierarchy *h, const gpc_launch *launch, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_begin_kernel: hierarchy is NULL");
    if (h->timed && !gpci_timed_quiet(h->timed))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_begin_kernel: accesses are in flight");
    gpc_launch l = GPC_LAUNCH_INIT;
    gpci_share share;
    gpc_status status = gpci_take(&l, sizeof l, sizeof l, launch, "gpc_launch", error);
    if (status == GPC_OK)
        status = gpci_launch_share(h, launch ? &l : NULL, &share, error);
    if (status == GPC_OK && (share.sets != h->share.sets || share.ways != h->share.ways))
        status = h->coherent ? gpci_coherent_resize(h, &share, error) : h->l1 ? resize_l1(h, &share, error) : GPC_OK;
    if (status < 0)
        return status;
    h->share = share;
    status = h->coherent ? gpci_coherent_begin(h) : gpci_hierarchy_empty(h);
    h->kernel++;
    h->stats.kernels++;
    h->stats.l1_capacity = h->l1 || h->coherent ? share.l1_bytes : 0;
    h->stats.resident_blocks = launch ? gpc_hierarchy_occupancy(h, &l) : 0;
    gpci_count_dram_launch(h, gpci_number(h, GPCI_KEY_LAUNCH_SECTORS));
    gpci_launch_code(h, l.code_bytes);
    gpci_hierarchy_tell(h, GPC_KERNEL_START);
    if (status == GPC_OK && h->observer)
        status = h->observer->on_kernel(h->observer->data);
    return status;
}

void gpc_hierarchy_count_instructions(gpc_hierarchy *h, uint64_t warp_instructions, uint64_t thread_instructions,
                                      uint64_t blocks) {
    if (!h)
        return;
    h->stats.warp_instructions += warp_instructions; /* those of no SM in particular */
    h->stats.thread_instructions += thread_instructions;
    h->stats.blocks += blocks;
}

gpc_status gpc_hierarchy_warp_event(gpc_hierarchy *h, const gpc_warp_event *event) {
    if (!h || !event || event->sm >= h->sms)
        return GPC_ERROR_ARGUMENT;
    return h->l1 ? gpc_cache_warp_event(h->l1[event->sm], event) : GPC_OK;
}

gpc_status gpc_hierarchy_flush(gpc_hierarchy *h) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    if (h->timed && !gpci_timed_quiet(h->timed))
        return GPC_ERROR_STATE;
    gpc_status status = h->coherent ? gpci_coherent_flush(h, true) : gpci_functional_flush_l1(h);
    if (status < 0)
        return status;
    gpci_functional_flush_l2(h);
    h->cold = true;
    return GPC_OK;
}

/* Bypasses, less those that became fills, and with the fills that became bypasses: a reset may lie between the two. */
static uint64_t decisions_that_held(const gpc_cache_stats *l1) {
    uint64_t bypasses = l1->bypasses + l1->overturned_fills;
    return bypasses > l1->overturned_bypasses ? bypasses - l1->overturned_bypasses : 0;
}

void gpci_hierarchy_add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *s) {
    const gpci_sm_counts *c = &h->of_sm[sm];
#define X(field) s->field += c->field;
    GPCI_SM_COUNTERS(X)
#undef X
    gpc_cache_stats l1 = c->retired;
    if (h->l1)
        add_cache_stats(&l1, h->l1[sm]);
    s->l1_evictions += l1.evictions;
    s->l1_zero_reuse_evictions += l1.zero_reuse_evictions;
    s->l1_bypasses += decisions_that_held(&l1);
    s->l1_token_bypasses += l1.token_bypasses;
    s->l1_opportunistic_fills += l1.opportunistic_fills;
    s->l1_priority_evictions += l1.priority_evictions;
    s->l1_predictions += l1.predictions;
    s->l1_overturned_bypasses += l1.overturned_bypasses;
    s->l1_overturned_fills += l1.overturned_fills;
    s->l1_oracle_decisions += l1.oracle_decisions;
    s->l1_oracle_bypasses += l1.oracle_bypasses;
    s->l1_oracle_agreements += l1.oracle_agreements;
    s->l1_oracle_agreed_bypasses += l1.oracle_agreed_bypasses;
    s->l1_invalidations += l1.invalidations;
    s->l1_intra_warp_hits += l1.intra_warp_hits;
    s->l1_inter_warp_hits += l1.inter_warp_hits;
    if (h->coherent)
        gpci_coherent_add_sm(h, sm, s);
    if (h->timed)
        gpci_timed_add_sm(h->timed, sm, s);
}

void gpci_hierarchy_add_rest(const gpc_hierarchy *h, gpc_stats *s) {
    gpc_cache_stats l2;
    gpc_cache_stats_init(&l2);
    for (uint32_t slice = 0; h->l2 && slice < h->slices; slice++)
        add_cache_stats(&l2, h->l2[slice]);
    gpc_stats_add(s, &h->stats);
    s->l2_evictions += l2.evictions;
    s->l2_token_bypasses += l2.token_bypasses;
    s->l2_opportunistic_fills += l2.opportunistic_fills;
    s->l2_priority_evictions += l2.priority_evictions;
    if (h->coherent)
        gpci_coherent_add_rest(h, s);
    if (h->timed)
        gpci_timed_add_rest(h->timed, s);
}

gpc_status gpc_hierarchy_get_stats(const gpc_hierarchy *h, gpc_stats *stats) {
    if (!h || !stats)
        return GPC_ERROR_ARGUMENT;
    gpc_stats s;
    gpc_stats_init(&s);
    gpci_hierarchy_add_rest(h, &s);
    for (uint32_t sm = 0; sm < h->sms; sm++)
        gpci_hierarchy_add_sm(h, sm, &s);
    return gpci_give(stats, &s, sizeof s);
}

void gpc_hierarchy_reset_stats(gpc_hierarchy *h) {
    if (!h)
        return;
    uint64_t capacity = h->stats.l1_capacity, resident = h->stats.resident_blocks;
    gpc_stats_init(&h->stats);
    h->stats.l1_capacity = capacity;
    h->stats.resident_blocks = resident;
    memset(h->of_sm, 0, h->sms * sizeof *h->of_sm);
    for (uint32_t sm = 0; h->l1 && sm < h->sms; sm++)
        gpc_cache_reset_stats(h->l1[sm]);
    for (uint32_t slice = 0; h->l2 && slice < h->slices; slice++)
        gpc_cache_reset_stats(h->l2[slice]);
    if (h->coherent)
        gpc_coherence_reset_stats(h->coherent->tree);
    if (h->timed)
        gpci_timed_reset_stats(h->timed);
}

gpc_cache *gpc_hierarchy_cache(gpc_hierarchy *h, unsigned level, uint32_t instance) {
    if (h && level == 1 && h->l1 && instance < h->sms)
        return h->l1[instance];
    if (h && level == 2 && h->l2 && instance < h->slices)
        return h->l2[instance];
    return NULL;
}
