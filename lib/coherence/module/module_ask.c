/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

/*
 * Admission of lines to a cache: its predictor, and a declining replacement policy, are asked. For L1s before an access
 * begins (level/coherent/coherent_predict.c); for slices when a request for a copy misses.
 *
 * A line kept out of a slice is still read from below for the requesting module. The directory must know this copy: the
 * block is a directory-only entry, and holds the bytes only until they are sent. Hence such a slice is not inclusive.
 * Without a directory in the protocol, the entry is dropped at once.
 *
 * Requests for the only copy are not asked about: the writer has modified bytes to return later, and a directory-only
 * entry has no room for them. Neither are blocks owned by another module above.
 *
 * Example, mesi, l2.bypass = always-bypass: L1-0 loads A. The slice misses, and takes a directory-only way for A, with
 * owner L1-0; memory's data pass through. L1-1 loads A: the entry is present, L1-0 is probed, and the slice takes A in.
 * Alternatively L1-0 loads A again after dropping it silently; no module owns A, and the slice reads A from memory
 * again.
 */

bool gpci_module_predicts_bypass(const gpci_module *m, uint64_t tag, const gpc_request *policy_request,
                                 uint32_t *word) {
    const gpc_predictor_ops *ops = m->predictor->ops;
    gpc_prediction prediction = {GPC_CACHE, 0};
    ops->predict(m->predictor->self, gpci_module_row(m, tag) >> m->sector_shift, policy_request, &prediction);
    *word = prediction.policy_word;
    return prediction.decision == GPC_BYPASS;
}

bool gpci_module_declines(const gpci_module *m, uint64_t tag, const gpc_request *policy_request) {
    const gpc_replacement_ops *ops = m->policy->ops;
    const uint32_t set = gpci_module_row(m, tag) >> m->sector_shift;
    uint64_t words[GPC_MAX_WAYS / 64];
    if (!gpci_module_is_full(m, tag))
        return false;
    const uint64_t *candidates = gpci_module_unmarked(m, tag, NULL, words);
    return ops->declines ? ops->declines(m->policy->self, set, candidates, policy_request)
                         : ops->choose_victim(m->policy->self, set, candidates, policy_request) == GPC_WAY_BYPASS;
}

static bool is_asked_of(const gpci_module *m, uint64_t tag, const gpc_request *access) {
    const bool plain =
        access && (access->kind == GPC_LOAD || access->kind == GPC_PREFETCH || access->kind == GPC_STORE);
    return plain && gpci_module_same_line(m, access->address, tag) &&
           !(m->sector_mask && gpci_module_way_of_line(m, tag) != GPCI_TREE_NO_BLOCK);
}

static bool decide(gpci_module *m, uint64_t tag, const gpc_request *access) {
    gpc_request policy_request = gpci_module_policy_request(m, tag, access);
    uint32_t word;
    policy_request.kind = access->kind == GPC_STORE ? GPC_LOAD : access->kind; /* a store reads the rest of the block */
    policy_request.admitted = 0;
    gpci_module_miss(m, tag, &policy_request);
    if (m->strict_tokens && policy_request.token == GPC_TOKEN_NONE) {
        m->counts.token_bypasses++;
        return true;
    }
    if (m->predictor && gpci_module_predicts_bypass(m, tag, &policy_request, &word))
        return true;
    if (GPCI_UNLIKELY(gpci_module_lacks_room(m, tag, &policy_request))) {
        m->counts.token_bypasses++;
        return true;
    }
    return m->admits && gpci_module_declines(m, tag, &policy_request);
}

bool gpci_module_was_asked(const gpci_module *m, uint64_t tag) {
    return m->asks && m->asked_line == tag >> m->line_shift && m->asked_access == m->tree->line_access;
}

bool gpci_module_keeps_out(gpci_module *m, uint64_t tag) {
    const gpc_request *access = m->tree->request;
    if (gpci_module_was_asked(m, tag))
        return m->kept_out;
    if (!is_asked_of(m, tag, access))
        return false;
    m->kept_out = decide(m, tag, access);
    m->asked_line = tag >> m->line_shift;
    m->asked_access = m->tree->line_access;
    return m->kept_out;
}

uint32_t gpci_module_line_way(const gpci_module *m, uint64_t tag) {
    const uint32_t block = m->sector_mask ? GPCI_TREE_NO_BLOCK : gpci_module_find(m, tag);
    if (m->sector_mask)
        return gpci_module_way_of_line(m, tag);
    return block == GPCI_TREE_NO_BLOCK || gpci_module_directory_only(m, block) ? UINT32_MAX : block % m->all_ways;
}

uint32_t gpci_module_respond(gpci_module *m, uint64_t tag) {
    const gpc_predictor_ops *ops = m->predictor->ops;
    const gpc_request *access = m->tree->request;
    if (!access || !gpci_module_same_line(m, access->address, tag))
        return 0;
    const uint64_t line = tag >> (m->by_sector ? m->block_shift : m->line_shift);
    if (m->answered_line == line && m->answered_access == m->tree->line_access)
        return m->answer;
    gpc_request policy_request = gpci_module_policy_request(m, tag, access);
    policy_request.sector_mask = (uint8_t)(1u << ((tag >> m->block_shift) & m->sector_mask));
    m->answered_line = line;
    m->answered_access = m->tree->line_access;
    m->answer = ops->respond(m->predictor->self, gpci_module_row(m, tag) >> m->sector_shift,
                             gpci_module_line_way(m, tag), &policy_request);
    return m->answer;
}

bool gpci_module_hear(gpci_module *l1, uint64_t tag, gpc_decision predicted, uint32_t word) {
    const gpc_predictor_ops *ops = l1->predictor ? l1->predictor->ops : NULL;
    const gpc_request *access = l1->tree->request;
    if (!ops || !ops->on_reply || !access || (access->kind != GPC_LOAD && access->kind != GPC_PREFETCH))
        return false;
    const gpc_request policy_request = gpci_module_policy_request(l1, tag, access);
    return ops->on_reply(l1->predictor->self, &policy_request, predicted, word) == GPC_CACHE && predicted == GPC_BYPASS;
}

bool gpci_module_overturns(gpci_module *l1, uint64_t tag, uint32_t word) {
    if (!gpci_module_hear(l1, tag, GPC_BYPASS, word))
        return false;
    l1->counts.overturned_bypasses += l1->answered_access != l1->tree->line_access;
    l1->answered_access = l1->tree->line_access;
    return true;
}

bool gpci_module_may_keep_out(const gpci_module *m, uint32_t block, const gpci_module *r, uint64_t address) {
    if (block == GPCI_TREE_NO_BLOCK)
        return true;
    if (!gpci_module_directory_only(m, block))
        return false;
    const gpci_tree_span span = gpci_tree_span_of(m, r, gpci_module_tag_of(r, address));
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++) {
        const uint16_t owner = gpci_module_owner_of(m, block, sub);
        const bool own = owner == m->slots[r->index] && sub >= span.first && sub < span.end;
        if (owner != GPCI_TREE_NO_OWNER && !own)
            return false;
    }
    return true;
}

void gpci_tree_forget_entry(gpc_coherence *c, gpci_module *m, uint32_t block, uint64_t at) {
    if (gpci_module_directory_only(m, block) && !gpci_tree_has(c, GPC_PROTOCOL_DIRECTORY) &&
        !gpci_module_has_sharers(m, block)) /* must stay for later invalidations */
        gpci_tree_set_state(c, m, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTED, at);
}
