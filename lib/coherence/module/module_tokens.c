/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "policies/replacement/candidates.h"

#include <string.h>

/*
 * Opportunistic tokens (cache/cache_tokens.c) in a tree's caches. Lines used by warps with a token get a priority mark.
 * A request without a token may take a free way, or a way whose line has no mark. If no such way exists, the line stays
 * out; the decision falls before the request (module_ask.c, level/coherent/coherent_predict.c). If the ways have
 * changed since the decision, the request may take any way.
 */

gpc_status gpci_module_keep_tokens(gpc_coherence *coherence, gpci_module *module, const struct gpci_token_rules *rules,
                                   gpc_error *error) {
    module->marks = gpci_zalloc(coherence->context, module->blocks, sizeof *module->marks);
    if (!module->marks ||
        gpci_tokens_create(coherence->context, rules, module->marks, module->blocks, &module->tokens) != GPC_OK)
        return gpci_out_of_memory(error);
    coherence->has_policies = module->notified = true;
    module->plain = false;
    return GPC_OK;
}

void gpci_module_release_tokens(gpc_context *context, gpci_module *module) {
    gpci_tokens_destroy(context, module->tokens);
    gpci_free(context, module->marks);
}

void gpci_module_token_tick(gpci_module *module, const gpc_request *request) {
    gpci_tokens_tick(module->tokens, request);
}

void gpci_module_token_event(gpci_module *module, const gpc_warp_event *event) {
    gpci_tokens_event(module->tokens, event);
}

void gpci_module_token_hit(gpci_module *module, uint32_t block, const gpc_request *request) {
    gpci_tokens_own(module->tokens, request, gpci_module_sector(module, block, 0));
}

void gpci_module_token_fill(gpci_module *module, uint32_t block, const gpc_request *request) {
    module->counts.opportunistic_fills += request->policy.token == GPC_TOKEN_NONE;
    module->marks[gpci_module_sector(module, block, 0)] = 0;
    gpci_tokens_fill(module->tokens, request, gpci_module_sector(module, block, 0));
}

void gpci_module_token_evict(gpci_module *module, uint32_t line) {
    module->counts.priority_evictions += (module->marks[line] & GPCI_PRIORITISED) != 0;
}

const uint64_t *gpci_module_unmarked(const gpci_module *module, uint64_t tag, const uint64_t *candidates,
                                     uint64_t *words) {
    if (!module->tokens)
        return candidates;
    const uint32_t first = (gpci_module_row(module, tag) & ~module->sector_mask) * module->all_ways;
    bool any = false;
    memset(words, 0, gpci_way_words(module->given.ways) * sizeof *words);
    for (uint32_t way = 0; way < module->given.ways; way++) {
        if (!gpci_is_candidate(candidates, way) || module->marks[first + way] & GPCI_PRIORITISED)
            continue;
        gpci_bit_set(words, way);
        any = true;
    }
    return any ? words : candidates;
}

bool gpci_module_lacks_room(const gpci_module *module, uint64_t tag, const gpc_request *request) {
    uint64_t words[GPC_MAX_WAYS / 64];
    return module->tokens && request->policy.token == GPC_TOKEN_NONE && gpci_module_is_full(module, tag) &&
           !gpci_module_unmarked(module, tag, NULL, words);
}
