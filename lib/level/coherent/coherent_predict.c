/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/driver.h"
#include "policies/predictor/predictors.h"

/*
 * Policies that decide if an access fills a line in a coherent module. Slices may ask policies
 * (coherence/module/module_ask.c). A cluster cache has a predictor if the predictor of L1s keeps bits in the next
 * cache. L1s have predictors and tokens. With strict tokens, a warp without a token fills no line. With opportunistic
 * tokens, the warp fills a line only if no protected line would be evicted. A module reports hits, fills and evictions
 * to predictors as a cache does (coherence/module/module_tags.c). Predictors are asked before an access begins, at the
 * points at which a cache asks (cache_access.c, write.c): for a load or prefetch before the lookup or at the miss; for
 * an allocating store at the miss. A bypass is an access performed by the low module, without a copy and without a
 * directory entry.
 *
 * A load that bypasses without a tag lookup removes L1's copy of the line, as AMD's GLC loads do (GPU_VIPER-TCP.sm,
 * LoadBypassEvict): a copy that loads skip would otherwise have to be kept up to date. A plain cache keeps the copy.
 *
 * Example, nmoesi, access-count(threshold=4): a load of an instruction with 8 transactions misses. The slice receives
 * the load, probes the owner if there is one, and answers with the bytes. No further L1 has the line afterwards.
 */

/* True for predictors that a tree need not ask: always-cache, and hint (access flags carry the instruction's hint). */
static bool is_idle(const gpc_hierarchy *hierarchy, const char *spec) {
    const void *table = gpci_policy_table(hierarchy->context, GPC_POLICY_PREDICTOR, spec);
    return table == &gpci_always_cache || table == &gpci_hint;
}

/* Find out if a replacement policy can decline lines. */
static gpc_status declines_lines(const gpc_hierarchy *hierarchy, gpci_key key, gpc_error *error, bool *out) {
    uint64_t reads = 0;
    const gpc_status status = gpci_policy_reads(hierarchy->context, GPC_POLICY_REPLACEMENT,
                                                gpci_config_text(hierarchy->config, key), error, &reads);
    *out = status == GPC_OK && reads & GPC_READS_ADMISSION;
    return status;
}

gpc_status gpci_coherent_l2_asks(const gpc_hierarchy *hierarchy, gpc_error *error, bool *out) {
    const bool l2 = gpci_number(hierarchy, GPCI_KEY_L2_ENABLED) != 0;
    const gpc_status status = declines_lines(hierarchy, GPCI_KEY_L2_REPLACEMENT, error, out);
    const char *spec = gpci_config_text(hierarchy->config, GPCI_KEY_L2_BYPASS);
    const bool predicts = !is_idle(hierarchy, spec) &&
                          gpci_policy_table(hierarchy->context, GPC_POLICY_PREDICTOR, spec) != &gpci_agcb_below;
    *out = l2 && (*out || predicts || gpci_number(hierarchy, GPCI_KEY_L2_TOKENS) != GPC_TOKENS_IGNORE);
    return status;
}

/* True if the next modules above the module are L1s. Both halves of a slice can be next to L1s. */
static bool is_next_to_l1s(const gpc_coherence *tree, const gpci_module *module) {
    for (uint32_t i = 0; i < module->above_count; i++)
        if (gpci_module_at(tree, module->above[i])->level == 1)
            return true;
    return false;
}

/* Create the predictor `spec` of a cache below L1s. If next to L1s, the predictor can reply to predictors of L1s. */
static gpc_status give(const gpc_hierarchy *hierarchy, gpc_coherence *tree, uint32_t module, const char *spec,
                       gpc_error *error) {
    gpci_module *m = gpci_module_at(tree, module);
    if (is_idle(hierarchy, spec))
        return GPC_OK;
    const gpc_status status = gpci_module_predict(tree, m, spec, error);
    uint64_t reads = 0;
    if (status == GPC_OK)
        (void)gpci_policy_reads(hierarchy->context, GPC_POLICY_PREDICTOR, spec, error, &reads);
    m->by_sector = reads & GPC_READS_BYTES;
    m->responds =
        status == GPC_OK && ((const gpc_predictor_ops *)m->predictor->ops)->respond && is_next_to_l1s(tree, m);
    return status;
}

/* Give the near half of a slice the predictor of the home half: both have the same lines. */
static void give_near(const gpci_coherent *coherent, gpc_coherence *tree, uint32_t slice) {
    const uint32_t near = gpci_near_of(coherent, slice - coherent->first_slice);
    if (near == GPC_NO_MODULE)
        return;
    gpci_module *module = gpci_module_at(tree, near), *home = gpci_module_at(tree, slice);
    module->predictor = home->predictor;
    module->notified = home->notified;
    module->by_sector = home->by_sector;
    module->responds =
        home->predictor && ((const gpc_predictor_ops *)home->predictor->ops)->respond && is_next_to_l1s(tree, module);
}

static const char *below_of(const gpc_hierarchy *hierarchy) {
    const char *spec = gpci_config_text(hierarchy->config, GPCI_KEY_L1_BYPASS);
    const gpc_predictor_ops *ops = gpci_policy_table(hierarchy->context, GPC_POLICY_PREDICTOR, spec);
    return ops ? ops->below : NULL;
}

/* If the predictor of L1s needs a predictor in the next cache (gpc_predictor_ops.below), give it to cluster caches. */
static gpc_status give_clusters(const gpc_hierarchy *hierarchy, gpc_coherence *tree, gpc_error *error) {
    const gpci_coherent *coherent = hierarchy->coherent;
    const char *below = below_of(hierarchy);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherent->clusters && below && status == GPC_OK; i++)
        status = give(hierarchy, tree, coherent->first_cluster + i, below, error);
    return status;
}

static gpc_status give_l2(const gpc_hierarchy *hierarchy, gpc_coherence *tree, gpc_error *error) {
    const gpci_coherent *coherent = hierarchy->coherent;
    const char *spec = gpci_config_text(hierarchy->config, GPCI_KEY_L2_BYPASS);
    const gpci_token_rules rules = {.clear = gpci_number(hierarchy, GPCI_KEY_L2_TOKEN_CLEAR) ? GPC_CLEAR_PERIODIC
                                                                                             : GPC_CLEAR_KERNEL,
                                    .warps = 1,
                                    .period = gpci_number(hierarchy, GPCI_KEY_L2_TOKEN_PERIOD)};
    bool admits;
    gpc_status status = declines_lines(hierarchy, GPCI_KEY_L2_REPLACEMENT, error, &admits);
    if (status == GPC_OK && !coherent->clusters)
        status = gpci_l2_predictor(hierarchy, &spec, error);
    for (uint32_t i = coherent->first_slice; i < coherent->first_memory && status == GPC_OK; i++) {
        gpci_module *slice = gpci_module_at(tree, i);
        slice->asks = coherent->l2_asks;
        tree->has_policies |= slice->asks; /* requests must carry the fields that policies read */
        slice->admits = admits;
        slice->strict_tokens = gpci_number(hierarchy, GPCI_KEY_L2_TOKENS) == GPC_TOKENS_STRICT;
        status = give(hierarchy, tree, i, spec, error);
        if (status == GPC_OK && gpci_number(hierarchy, GPCI_KEY_L2_TOKENS) == GPC_TOKENS_OPPORTUNISTIC)
            status = gpci_module_keep_tokens(tree, slice, &rules, error);
        give_near(coherent, tree, i);
    }
    return status;
}

gpc_status gpci_coherent_give_predictors(gpc_hierarchy *hierarchy, gpc_coherence *tree, gpc_error *error) {
    const char *spec = gpci_config_text(hierarchy->config, GPCI_KEY_L1_BYPASS);
    const bool predicts = !is_idle(hierarchy, spec);
    gpc_status status = declines_lines(hierarchy, GPCI_KEY_L1_REPLACEMENT, error, &hierarchy->coherent->admits);
    hierarchy->coherent->tokens = gpci_number(hierarchy, GPCI_KEY_L1_TOKENS) == GPC_TOKENS_STRICT;
    const bool tokens = gpci_number(hierarchy, GPCI_KEY_L1_TOKENS) == GPC_TOKENS_OPPORTUNISTIC;
    hierarchy->coherent->predicts = predicts || hierarchy->coherent->admits || hierarchy->l1_local_only || tokens;
    for (uint32_t sm = 0; sm < hierarchy->sms && tokens && status == GPC_OK; sm++) {
        const gpci_token_rules rules = {.clear = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_TOKEN_CLEAR),
                                        .warps = (uint32_t)gpci_number(hierarchy, GPCI_KEY_SM_WARPS),
                                        .period = gpci_number(hierarchy, GPCI_KEY_L1_TOKEN_PERIOD)};
        status = gpci_module_keep_tokens(tree, gpci_module_at(tree, sm), &rules, error);
    }
    for (uint32_t sm = 0; sm < hierarchy->sms && predicts && status == GPC_OK; sm++)
        status = gpci_module_predict(tree, gpci_module_at(tree, sm), spec, error);
    if (status == GPC_OK)
        status = give_clusters(hierarchy, tree, error);
    return status == GPC_OK ? give_l2(hierarchy, tree, error) : status;
}

static bool is_read(const gpc_request *request) {
    return request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
}

/* True if a store that misses L1 takes a way. False for atomics, for which no predictor is asked. */
static bool allocates(const gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t flags) {
    const gpc_coherence_module *l1 = &gpci_module_at(hierarchy->coherent->tree, request->sm)->given;
    return request->kind == GPC_STORE && !l1->no_write_allocate && !(flags & GPC_ACCESS_NO_ALLOCATE);
}

static bool has_line(const gpci_module *l1, uint64_t tag) {
    return (l1->sector_mask ? gpci_module_way_of_line(l1, tag) : gpci_module_find(l1, tag)) != GPCI_TREE_NO_BLOCK;
}

/* True if L1's predictor decides to bypass. request->policy.policy_word receives the predictor's word. */
static bool bypasses(gpci_module *l1, uint64_t tag, gpc_request *request) {
    const gpc_request policy_request = gpci_module_policy_request(l1, tag, request);
    l1->counts.predictions += l1->predictor->ops != &gpci_always_bypass;
    return gpci_module_predicts_bypass(l1, tag, &policy_request, &request->policy.policy_word);
}

static bool is_early(const gpci_module *l1, const gpc_request *request) {
    return l1->predictor && is_read(request) && ((const gpc_predictor_ops *)l1->predictor->ops)->before_lookup;
}

/*
 * True if the replacement policy declines the line. The policy is asked only if the set is full. `asked` false: the
 * access takes a way in any case, and no policy is asked. A policy without `declines` is asked for a victim here, and
 * again when the way is taken.
 */
static bool declines(const gpci_module *l1, uint64_t tag, gpc_request *request, bool asked) {
    const gpc_request policy_request = gpci_module_policy_request(l1, tag, request);
    request->policy.admitted = 1;
    return asked && gpci_module_declines(l1, tag, &policy_request);
}

/* Decide if an access fills a line in L1. Returns GPC_ACCESS_ bits; 0: the policies allow a fill, or are not asked. */
static uint32_t decide(const gpc_hierarchy *hierarchy, gpci_module *l1, gpc_request *request, uint32_t flags) {
    const uint64_t tag = gpci_module_tag_of(l1, request->address);
    const bool early = is_early(l1, request);
    if (GPCI_UNLIKELY(l1->tokens != NULL))
        gpci_module_token_tick(l1, request);
    if (!gpci_passes_l1(hierarchy, request->space)) /* spaces not served by L1 (l1.spaces) ask no policy */
        return GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT;
    const bool asked = is_read(request) || allocates(hierarchy, request, flags);
    request->policy.policy_word = 0;
    request->policy.admitted = 0;
    if (early && bypasses(l1, tag, request))
        return GPC_ACCESS_NO_ALLOCATE | GPC_ACCESS_EVICT;
    if (has_line(l1, tag) || (!asked && !hierarchy->coherent->admits))
        return 0;
    bool out = asked && request->policy.token == GPC_TOKEN_NONE && hierarchy->coherent->tokens;
    l1->counts.token_bypasses += out;
    if (out || hierarchy->coherent->admits)
        gpci_module_miss(l1, tag, request);
    if (!out && asked && !early && l1->predictor && bypasses(l1, tag, request)) {
        out = true;
        if (!hierarchy->coherent->admits)
            gpci_module_miss(l1, tag, request);
    }
    if (!out && asked && GPCI_UNLIKELY(gpci_module_lacks_room(l1, tag, request))) {
        out = true;
        l1->counts.token_bypasses++;
        if (!hierarchy->coherent->admits)
            gpci_module_miss(l1, tag, request);
    }
    if (!out && hierarchy->coherent->admits)
        out = declines(l1, tag, request, asked);
    return out ? GPC_ACCESS_NO_ALLOCATE : 0;
}

/* The decision for the first block that asks holds for all blocks of the line access (line->asked). */
uint32_t gpci_coherent_predict(const gpc_hierarchy *hierarchy, gpc_request *request, uint32_t flags) {
    gpci_module *l1 = gpci_module_at(hierarchy->coherent->tree, request->sm);
    gpci_line_record *line = hierarchy->coherent->tree->line;
    if (line->asked) {
        request->policy.admitted = line->let_in;
        request->policy.policy_word = line->word;
        return line->decided;
    }
    line->asked = true;
    line->decided = (uint8_t)decide(hierarchy, l1, request, flags);
    line->let_in = request->policy.admitted;
    line->word = request->policy.policy_word;
    line->bypasses = line->decided && gpci_passes_l1(hierarchy, request->space);
    l1->counts.bypasses += line->bypasses;
    return line->decided;
}

/* l1.bypass_fetch decides between the whole sectors and only the needed segments. */
uint8_t gpci_coherent_bypassed(const gpc_hierarchy *hierarchy, uint8_t segments) {
    const gpci_level *level = &hierarchy->l1_level;
    if (gpci_number(hierarchy, GPCI_KEY_L1_BYPASS_FETCH) == GPC_BYPASS_FETCH_NEEDED)
        return segments;
    return level->segments_of[level->sectors_of[segments]];
}

uint8_t gpci_coherent_bypass(const gpc_hierarchy *hierarchy, uint8_t segments, uint32_t bits,
                             gpc_coherence_request *request) {
    const gpci_level *level = &hierarchy->l1_level;
    request->flags |= bits;
    if (!bits || request->kind != GPC_COHERENCE_LOAD)
        return 0;
    segments = gpci_coherent_bypassed(hierarchy, segments);
    const uint64_t line = request->address >> level->line_shift << level->line_shift;
    const uint64_t first = line + gpci_lowest(segments) * GPCI_SEGMENT;
    const uint64_t end = line + (gpci_log2(segments) + 1) * GPCI_SEGMENT;
    request->out = request->out ? request->out - (request->address - first) : NULL;
    request->address = first;
    request->size = (uint32_t)(end - first);
    return segments;
}
