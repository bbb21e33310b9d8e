/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree.h"
#include "level/coherent_level.h"
#include "level/driver.h"
#include "policies/predictor/predictors.h"

/*
 * Predictors of coherent L1s, and tokens: who lacks one fills no line. A module tells them of hits, fills and
 * evictions, as a cache does (coherence/module_tags.c). They are asked before an access begins, at the points at which
 * a cache asks (cache_access.c, write.c): a load or prefetch before its lookup, or when it misses; a store that would
 * allocate, when it misses. What is to bypass is an access that the low module performs, without a copy and without an
 * entry in its directory.
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

static gpc_status admits(gpc_hierarchy *h, gpc_error *error) {
    const char *spec = gpci_config_text(h->config, GPCI_KEY_L1_REPLACEMENT);
    uint64_t reads;
    const gpc_status status = gpci_policy_reads(h->context, GPC_POLICY_REPLACEMENT, spec, error, &reads);
    h->coherent->admits = status == GPC_OK && reads & GPC_READS_ADMISSION;
    return status;
}

gpc_status gpci_coherent_give_predictors(gpc_hierarchy *h, gpc_coherence *tree, gpc_error *error) {
    const char *spec = gpci_config_text(h->config, GPCI_KEY_L1_BYPASS);
    const bool predicts = !is_idle(h, spec);
    gpc_status status = admits(h, error);
    h->coherent->tokens = gpci_number(h, GPCI_KEY_L1_TOKENS) == GPC_TOKENS_STRICT;
    h->coherent->predicts = predicts || h->coherent->admits || h->l1_local_only;
    for (uint32_t sm = 0; sm < h->sms && predicts && status == GPC_OK; sm++)
        status = gpci_module_predict(tree, gpci_module_at(tree, sm), spec, error);
    return status;
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
static bool bypasses(const gpci_module *l1, uint64_t tag, gpc_request *request) {
    const gpc_predictor_ops *ops = l1->predictor->ops;
    gpc_prediction prediction = {GPC_CACHE, 0};
    const gpc_request shown = gpci_module_shows(l1, tag, request);
    ops->predict(l1->predictor->self, gpci_module_row(l1, tag) >> l1->sector_shift, &shown, &prediction);
    request->policy_word = prediction.policy_word;
    return prediction.decision == GPC_BYPASS;
}

static bool is_early(const gpci_module *l1, const gpc_request *request) {
    return l1->predictor && is_read(request) && ((const gpc_predictor_ops *)l1->predictor->ops)->before_lookup;
}

/*
 * Does the replacement policy decline a line? Where its set is full; what takes a way in any case is let in. A policy
 * that is not asked whether it declines is asked for a victim, and then once more when the way is taken.
 */
static bool declines(const gpci_module *l1, uint64_t tag, gpc_request *request, bool asked) {
    const gpc_replacement_ops *ops = l1->policy->ops;
    const gpc_request shown = gpci_module_shows(l1, tag, request);
    const uint32_t set = gpci_module_row(l1, tag) >> l1->sector_shift;
    request->admitted = 1;
    if (!asked || !gpci_module_is_full(l1, tag))
        return false;
    return ops->declines ? ops->declines(l1->policy->self, set, NULL, &shown)
                         : ops->choose_victim(l1->policy->self, set, NULL, &shown) == GPC_WAY_BYPASS;
}

/* Of a line, as a cache asks of it. */
static uint32_t decide(const gpc_hierarchy *h, gpci_module *l1, gpc_request *request, uint32_t flags) {
    const uint64_t tag = gpci_module_tag_of(l1, request->address);
    const bool early = is_early(l1, request);
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
    if (out || h->coherent->admits)
        gpci_module_miss(l1, tag, request);
    if (!out && asked && !early && l1->predictor && bypasses(l1, tag, request)) {
        out = true;
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
        return l1->decided;
    }
    l1->decided = (uint8_t)decide(h, l1, request, flags);
    l1->let_in = request->admitted;
    return l1->decided;
}

/* Whole sectors, or those 32-byte segments alone that are needed: l1.bypass_fetch. */
uint8_t gpci_coherent_bypass(const gpc_hierarchy *h, uint8_t segments, uint32_t bits, gpc_coherence_request *request) {
    const gpci_level *level = &h->l1_level;
    request->flags |= bits;
    if (!bits || request->kind != GPC_COHERENCE_LOAD)
        return 0;
    if (gpci_number(h, GPCI_KEY_L1_BYPASS_FETCH) != GPC_BYPASS_FETCH_NEEDED)
        segments = level->segments_of[level->sectors_of[segments]];
    const uint64_t line = request->address >> level->line_shift << level->line_shift;
    const uint64_t first = line + gpci_lowest(segments) * GPCI_SEGMENT;
    const uint64_t end = line + (gpci_log2(segments) + 1) * GPCI_SEGMENT;
    request->out = request->out ? request->out - (request->address - first) : NULL;
    request->address = first;
    request->size = (uint32_t)(end - first);
    return segments;
}
