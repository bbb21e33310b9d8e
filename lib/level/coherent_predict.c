/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/tree.h"
#include "level/coherent_level.h"
#include "level/driver.h"
#include "policies/predictor/predictors.h"

/*
 * What slices are given to ask (coherence/module_ask.c says when), and clusters' caches, where L1s' predictor has
 * something to keep in the next cache. And predictors of coherent L1s, and tokens: who lacks one fills no line, or,
 * where tokens are opportunistic, none for which a line would have to go that is kept. A module tells predictors of
 * hits, fills and evictions, as a cache does (coherence/module_tags.c). They are asked before an access begins, at the
 * points at which a cache asks (cache_access.c, write.c): a load or prefetch before its lookup, or when it misses; a
 * store that would allocate, when it misses. What is to bypass is an access that the low module performs, without a
 * copy and without an entry in its directory.
 *
 * A load that is to bypass without a look at the tags takes with it what L1 has of the line, as AMD's GLC loads do
 * (GPU_VIPER-TCP.sm, LoadBypassEvict): a copy that is read past would have to be kept up to date all the same. A cache
 * keeps it.
 *
 * Example, nmoesi, access-count(threshold=4): a load of an instruction with 8 transactions misses. It is sent to the
 * slice, which probes an owner if there is one, and answers with the bytes; no L1 has the line afterwards that did not
 * have it before.
 */

/* Is it one of those that let everything in, or only what an instruction says, which flags of accesses do in trees? */
static bool is_idle(const gpc_hierarchy *h, const char *spec) {
    const void *table = gpci_policy_table(h->context, GPC_POLICY_PREDICTOR, spec);
    return table == &gpci_always_cache || table == &gpci_hint;
}

/* Does a replacement policy decline lines? */
static gpc_status declines_lines(const gpc_hierarchy *h, gpci_key key, gpc_error *error, bool *out) {
    uint64_t reads = 0;
    const gpc_status status =
        gpci_policy_reads(h->context, GPC_POLICY_REPLACEMENT, gpci_config_text(h->config, key), error, &reads);
    *out = status == GPC_OK && reads & GPC_READS_ADMISSION;
    return status;
}

gpc_status gpci_coherent_l2_asks(const gpc_hierarchy *h, gpc_error *error, bool *out) {
    const bool l2 = gpci_number(h, GPCI_KEY_L2_ENABLED) != 0;
    const gpc_status status = declines_lines(h, GPCI_KEY_L2_REPLACEMENT, error, out);
    const char *spec = gpci_config_text(h->config, GPCI_KEY_L2_BYPASS);
    const bool predicts =
        !is_idle(h, spec) && gpci_policy_table(h->context, GPC_POLICY_PREDICTOR, spec) != &gpci_agcb_below;
    *out = l2 && (*out || predicts || gpci_number(h, GPCI_KEY_L2_TOKENS) != GPC_TOKENS_IGNORE);
    return status;
}

/* Of a slice in two halves each is next to the L1s that read through it. */
static bool is_next_to_l1s(const gpc_coherence *tree, const gpci_module *m) {
    for (uint32_t i = 0; i < m->above_count; i++)
        if (gpci_module_at(tree, m->above[i])->level == 1)
            return true;
    return false;
}

/* A cache below L1s that has a predictor may be the one that L1s' ask. */
static gpc_status give(const gpc_hierarchy *h, gpc_coherence *tree, uint32_t module, const char *spec,
                       gpc_error *error) {
    gpci_module *m = gpci_module_at(tree, module);
    if (is_idle(h, spec))
        return GPC_OK;
    const gpc_status status = gpci_module_predict(tree, m, spec, error);
    uint64_t reads = 0;
    if (status == GPC_OK)
        (void)gpci_policy_reads(h->context, GPC_POLICY_PREDICTOR, spec, error, &reads);
    m->by_sector = reads & GPC_READS_BYTES;
    m->responds =
        status == GPC_OK && ((const gpc_predictor_ops *)m->predictor->ops)->respond && is_next_to_l1s(tree, m);
    return status;
}

/* The near half of a slice has the same lines, and its predictor keeps what it keeps of these. */
static void give_near(const gpci_coherent *c, gpc_coherence *tree, uint32_t slice) {
    const uint32_t near = gpci_near_of(c, slice - c->first_slice);
    if (near == GPC_NO_MODULE)
        return;
    gpci_module *m = gpci_module_at(tree, near), *home = gpci_module_at(tree, slice);
    m->predictor = home->predictor;
    m->told = home->told;
    m->by_sector = home->by_sector;
    m->responds =
        home->predictor && ((const gpc_predictor_ops *)home->predictor->ops)->respond && is_next_to_l1s(tree, m);
}

static const char *below_of(const gpc_hierarchy *h) {
    const char *spec = gpci_config_text(h->config, GPCI_KEY_L1_BYPASS);
    const gpc_predictor_ops *ops = gpci_policy_table(h->context, GPC_POLICY_PREDICTOR, spec);
    return ops ? ops->below : NULL;
}

/* What L1s' predictor keeps below is kept in the next cache, which may be a cluster's. */
static gpc_status give_clusters(const gpc_hierarchy *h, gpc_coherence *tree, gpc_error *error) {
    const gpci_coherent *c = h->coherent;
    const char *below = below_of(h);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->clusters && below && status == GPC_OK; i++)
        status = give(h, tree, c->first_cluster + i, below, error);
    return status;
}

static gpc_status give_l2(const gpc_hierarchy *h, gpc_coherence *tree, gpc_error *error) {
    const gpci_coherent *c = h->coherent;
    const char *spec = gpci_config_text(h->config, GPCI_KEY_L2_BYPASS);
    const gpci_token_rules rules = {.clear =
                                        gpci_number(h, GPCI_KEY_L2_TOKEN_CLEAR) ? GPC_CLEAR_PERIODIC : GPC_CLEAR_KERNEL,
                                    .warps = 1,
                                    .period = gpci_number(h, GPCI_KEY_L2_TOKEN_PERIOD)};
    bool admits;
    gpc_status status = declines_lines(h, GPCI_KEY_L2_REPLACEMENT, error, &admits);
    if (status == GPC_OK && !c->clusters)
        status = gpci_l2_predictor(h, &spec, error);
    for (uint32_t i = c->first_slice; i < c->first_memory && status == GPC_OK; i++) {
        gpci_module *slice = gpci_module_at(tree, i);
        slice->asks = c->l2_asks;
        tree->has_policies |= slice->asks; /* which are shown requests */
        slice->admits = admits;
        slice->strict_tokens = gpci_number(h, GPCI_KEY_L2_TOKENS) == GPC_TOKENS_STRICT;
        status = give(h, tree, i, spec, error);
        if (status == GPC_OK && gpci_number(h, GPCI_KEY_L2_TOKENS) == GPC_TOKENS_OPPORTUNISTIC)
            status = gpci_module_keep_tokens(tree, slice, &rules, error);
        give_near(c, tree, i);
    }
    return status;
}

gpc_status gpci_coherent_give_predictors(gpc_hierarchy *h, gpc_coherence *tree, gpc_error *error) {
    const char *spec = gpci_config_text(h->config, GPCI_KEY_L1_BYPASS);
    const bool predicts = !is_idle(h, spec);
    gpc_status status = declines_lines(h, GPCI_KEY_L1_REPLACEMENT, error, &h->coherent->admits);
    h->coherent->tokens = gpci_number(h, GPCI_KEY_L1_TOKENS) == GPC_TOKENS_STRICT;
    const bool tokens = gpci_number(h, GPCI_KEY_L1_TOKENS) == GPC_TOKENS_OPPORTUNISTIC;
    h->coherent->predicts = predicts || h->coherent->admits || h->l1_local_only || tokens;
    for (uint32_t sm = 0; sm < h->sms && tokens && status == GPC_OK; sm++) {
        const gpci_token_rules rules = {.clear = (uint32_t)gpci_number(h, GPCI_KEY_L1_TOKEN_CLEAR),
                                        .warps = (uint32_t)gpci_number(h, GPCI_KEY_SM_WARPS),
                                        .period = gpci_number(h, GPCI_KEY_L1_TOKEN_PERIOD)};
        status = gpci_module_keep_tokens(tree, gpci_module_at(tree, sm), &rules, error);
    }
    for (uint32_t sm = 0; sm < h->sms && predicts && status == GPC_OK; sm++)
        status = gpci_module_predict(tree, gpci_module_at(tree, sm), spec, error);
    if (status == GPC_OK)
        status = give_clusters(h, tree, error);
    return status == GPC_OK ? give_l2(h, tree, error) : status;
}

static bool is_read(const gpc_request *request) {
    return request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
}

/* Would a store that misses take a way? An atomic is not predicted. */
static bool allocates(const gpc_hierarchy *h, const gpc_request *request, uint32_t flags) {
    const gpc_coherence_module *l1 = &gpci_module_at(h->coherent->tree, request->sm)->given;
    return request->kind == GPC_STORE && !l1->no_write_allocate && !(flags & GPC_ACCESS_NO_ALLOCATE);
}

static bool has_line(const gpci_module *l1, uint64_t tag) {
    return (l1->sector_mask ? gpci_module_way_of_line(l1, tag) : gpci_module_find(l1, tag)) != GPCI_TREE_NO_BLOCK;
}

/* The predictor's word. */
static bool bypasses(gpci_module *l1, uint64_t tag, gpc_request *request) {
    const gpc_request shown = gpci_module_shows(l1, tag, request);
    l1->counts.predictions += l1->predictor->ops != &gpci_always_bypass;
    return gpci_module_predicts_bypass(l1, tag, &shown, &request->policy_word);
}

static bool is_early(const gpci_module *l1, const gpc_request *request) {
    return l1->predictor && is_read(request) && ((const gpc_predictor_ops *)l1->predictor->ops)->before_lookup;
}

/*
 * Does the replacement policy decline a line? Where its set is full; what takes a way in any case is let in. A policy
 * that is not asked whether it declines is asked for a victim, and then once more when the way is taken.
 */
static bool declines(const gpci_module *l1, uint64_t tag, gpc_request *request, bool asked) {
    const gpc_request shown = gpci_module_shows(l1, tag, request);
    request->admitted = 1;
    return asked && gpci_module_declines(l1, tag, &shown);
}

/* Of a line, as a cache asks of it. */
static uint32_t decide(const gpc_hierarchy *h, gpci_module *l1, gpc_request *request, uint32_t flags) {
    const uint64_t tag = gpci_module_tag_of(l1, request->address);
    const bool early = is_early(l1, request);
    if (GPCI_UNLIKELY(l1->tokens != NULL))
        gpci_module_token_tick(l1, request);
    if (!gpci_passes_l1(h, request->space)) /* nobody is asked of what is not for L1: l1.spaces */
        return GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT;
    const bool asked = is_read(request) || allocates(h, request, flags);
    request->policy_word = 0;
    request->admitted = 0;
    if (early && bypasses(l1, tag, request))
        return GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT;
    if (has_line(l1, tag) || (!asked && !h->coherent->admits))
        return 0;
    bool out = asked && request->token == GPC_TOKEN_NONE && h->coherent->tokens;
    l1->counts.token_bypasses += out;
    if (out || h->coherent->admits)
        gpci_module_miss(l1, tag, request);
    if (!out && asked && !early && l1->predictor && bypasses(l1, tag, request)) {
        out = true;
        if (!h->coherent->admits)
            gpci_module_miss(l1, tag, request);
    }
    if (!out && asked && GPCI_UNLIKELY(gpci_module_lacks_room(l1, tag, request))) {
        out = true;
        l1->counts.token_bypasses++;
        if (!h->coherent->admits)
            gpci_module_miss(l1, tag, request);
    }
    if (!out && h->coherent->admits)
        out = declines(l1, tag, request, asked);
    return out ? GPC_ACCESS_NO_ALLOCATE : 0;
}

/* What is said of the first of a line's blocks that an access needs is said of all. */
uint32_t gpci_coherent_predict(const gpc_hierarchy *h, gpc_request *request, uint32_t flags) {
    gpci_module *l1 = gpci_module_at(h->coherent->tree, request->sm);
    if (h->coherent->tree->follows) {
        request->admitted = l1->let_in;
        request->policy_word = l1->word;
        return l1->decided;
    }
    l1->decided = (uint8_t)decide(h, l1, request, flags);
    l1->let_in = request->admitted;
    l1->word = request->policy_word;
    l1->counts.bypasses += l1->decided && gpci_passes_l1(h, request->space);
    return l1->decided;
}

/* Whole sectors, or those 32-byte segments alone that are needed: l1.bypass_fetch. */
uint8_t gpci_coherent_bypassed(const gpc_hierarchy *h, uint8_t segments) {
    const gpci_level *level = &h->l1_level;
    if (gpci_number(h, GPCI_KEY_L1_BYPASS_FETCH) == GPC_BYPASS_FETCH_NEEDED)
        return segments;
    return level->segments_of[level->sectors_of[segments]];
}

uint8_t gpci_coherent_bypass(const gpc_hierarchy *h, uint8_t segments, uint32_t bits, gpc_coherence_request *request) {
    const gpci_level *level = &h->l1_level;
    request->flags |= bits;
    if (!bits || request->kind != GPC_COHERENCE_LOAD)
        return 0;
    segments = gpci_coherent_bypassed(h, segments);
    const uint64_t line = request->address >> level->line_shift << level->line_shift;
    const uint64_t first = line + gpci_lowest(segments) * GPCI_SEGMENT;
    const uint64_t end = line + (gpci_log2(segments) + 1) * GPCI_SEGMENT;
    request->out = request->out ? request->out - (request->address - first) : NULL;
    request->address = first;
    request->size = (uint32_t)(end - first);
    return segments;
}
