/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "policies/replacement/candidates.h"

#include <string.h>

/*
 * Opportunistic tokens (cache/cache_tokens.c) in a tree's caches. Lines used by warps with a token are marked. A
 * request without a token may take a free way, or a way with an unmarked line. If there is none, the line stays out;
 * the decision comes earlier (module_ask.c, level/coherent/coherent_predict.c). If ways have changed since, any way
 * will do.
 */

gpc_status gpci_module_keep_tokens(gpc_coherence *c, gpci_module *m, const struct gpci_token_rules *rules,
                                   gpc_error *error) {
    m->marks = gpci_zalloc(c->context, m->blocks, sizeof *m->marks);
    if (!m->marks || gpci_tokens_create(c->context, rules, m->marks, m->blocks, &m->tokens) != GPC_OK)
        return gpci_out_of_memory(error);
    c->has_policies = m->notified = true;
    m->plain = false;
    return GPC_OK;
}

void gpci_module_release_tokens(gpc_context *context, gpci_module *m) {
    gpci_tokens_destroy(context, m->tokens);
    gpci_free(context, m->marks);
}

void gpci_module_token_tick(gpci_module *m, const gpc_request *request) {
    gpci_tokens_tick(m->tokens, request);
}

void gpci_module_token_event(gpci_module *m, const gpc_warp_event *event) {
    gpci_tokens_event(m->tokens, event);
}

void gpci_module_token_hit(gpci_module *m, uint32_t block, const gpc_request *request) {
    gpci_tokens_own(m->tokens, request, gpci_module_sector(m, block, 0));
}

void gpci_module_token_fill(gpci_module *m, uint32_t block, const gpc_request *request) {
    m->counts.opportunistic_fills += request->token == GPC_TOKEN_NONE;
    m->marks[gpci_module_sector(m, block, 0)] = 0;
    gpci_tokens_fill(m->tokens, request, gpci_module_sector(m, block, 0));
}

void gpci_module_token_evict(gpci_module *m, uint32_t line) {
    m->counts.priority_evictions += (m->marks[line] & GPCI_PRIORITISED) != 0;
}

const uint64_t *gpci_module_unmarked(const gpci_module *m, uint64_t tag, const uint64_t *candidates, uint64_t *words) {
    if (!m->tokens)
        return candidates;
    const uint32_t first = (gpci_module_row(m, tag) & ~m->sector_mask) * m->all_ways;
    bool any = false;
    memset(words, 0, gpci_way_words(m->given.ways) * sizeof *words);
    for (uint32_t way = 0; way < m->given.ways; way++) {
        if (!gpci_is_candidate(candidates, way) || m->marks[first + way] & GPCI_PRIORITISED)
            continue;
        gpci_bit_set(words, way);
        any = true;
    }
    return any ? words : candidates;
}

bool gpci_module_lacks_room(const gpci_module *m, uint64_t tag, const gpc_request *request) {
    uint64_t words[GPC_MAX_WAYS / 64];
    return m->tokens && request->token == GPC_TOKEN_NONE && gpci_module_is_full(m, tag) &&
           !gpci_module_unmarked(m, tag, NULL, words);
}
