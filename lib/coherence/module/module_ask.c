/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/transaction.h"

/*
 * Admission of lines to a cache: the cache's predictor, and a replacement policy that can decline lines, decide whether
 * a missed line is let in. The policies of L1s decide before an access begins (level/coherent/coherent_predict.c). The
 * policies of slices decide when a request for a copy misses.
 *
 * A line kept out of a slice is still read from below for the requesting module. The slice's directory must list the
 * copy. So the block becomes a directory-only entry of the slice, and holds the bytes only until the bytes are sent.
 * Hence such a slice is not inclusive. If the protocol has no directory, the entry is dropped at once.
 *
 * Policies are not asked if the request is for the only copy: the writer will return modified bytes, and a
 * directory-only entry has no room for the bytes. Policies are also not asked if another module above owns the block.
 *
 * Example, mesi, l2.bypass = always-bypass: L1-0 loads A. The slice misses, and takes a directory-only way for A, with
 * owner L1-0; the data from memory pass through the slice. If L1-1 then loads A, the slice finds the entry, probes
 * L1-0, and lets A in. If L1-0 in place of L1-1 drops A silently and loads A again, no other module owns A, and the
 * slice reads A from memory again.
 */

bool gpci_module_predicts_bypass(const gpci_module *module, uint64_t tag, const gpc_request *policy_request,
                                 uint32_t *word) {
    const gpc_predictor_ops *ops = module->predictor->ops;
    gpc_prediction prediction = {GPC_CACHE, 0};
    ops->predict(module->predictor->self, gpci_module_row(module, tag) >> module->sector_shift, policy_request,
                 &prediction);
    *word = prediction.policy_word;
    return prediction.decision == GPC_BYPASS;
}

bool gpci_module_declines(const gpci_module *module, uint64_t tag, const gpc_request *policy_request) {
    const gpc_replacement_ops *ops = module->policy->ops;
    const uint32_t set = gpci_module_row(module, tag) >> module->sector_shift;
    uint64_t words[GPC_MAX_WAYS / 64];
    if (!gpci_module_is_full(module, tag))
        return false;
    const uint64_t *candidates = gpci_module_unmarked(module, tag, NULL, words);
    return ops->declines ? ops->declines(module->policy->self, set, candidates, policy_request)
                         : ops->choose_victim(module->policy->self, set, candidates, policy_request) == GPC_WAY_BYPASS;
}

static bool is_asked_of(const gpci_module *module, uint64_t tag, const gpc_request *access) {
    const bool plain =
        access && (access->kind == GPC_LOAD || access->kind == GPC_PREFETCH || access->kind == GPC_STORE);
    return plain && gpci_module_same_line(module, access->address, tag) &&
           !(module->sector_mask && gpci_module_way_of_line(module, tag) != GPCI_TREE_NO_BLOCK);
}

static bool decide(gpci_module *module, uint64_t tag, const gpc_request *access) {
    gpc_request policy_request = gpci_module_policy_request(module, tag, access);
    uint32_t word;
    /* a store that misses reads the rest of the block: the policy sees a load */
    policy_request.kind = access->kind == GPC_STORE ? GPC_LOAD : access->kind;
    policy_request.policy.admitted = 0;
    gpci_module_miss(module, tag, &policy_request);
    if (module->strict_tokens && policy_request.policy.token == GPC_TOKEN_NONE) {
        module->counts.token_bypasses++;
        return true;
    }
    if (module->predictor && gpci_module_predicts_bypass(module, tag, &policy_request, &word))
        return true;
    if (GPCI_UNLIKELY(gpci_module_lacks_room(module, tag, &policy_request))) {
        module->counts.token_bypasses++;
        return true;
    }
    return module->admits && gpci_module_declines(module, tag, &policy_request);
}

bool gpci_module_was_asked(const gpci_module *module, uint64_t tag) {
    const gpc_request *access = module->tree->request;
    return module->asks && access && module->tree->line->judged != GPCI_JUDGED_NOT &&
           gpci_module_same_line(module, access->address, tag);
}

bool gpci_module_keeps_out(gpci_module *module, uint64_t tag) {
    const gpc_request *access = module->tree->request;
    gpci_line_record *line = module->tree->line;
    if (gpci_module_was_asked(module, tag))
        return line->judged == GPCI_JUDGED_OUT;
    if (!is_asked_of(module, tag, access))
        return false;
    line->judged = decide(module, tag, access) ? GPCI_JUDGED_OUT : GPCI_JUDGED_IN;
    return line->judged == GPCI_JUDGED_OUT;
}

uint32_t gpci_module_respond(gpci_module *module, uint64_t tag) {
    const gpc_predictor_ops *ops = module->predictor->ops;
    const gpc_request *access = module->tree->request;
    gpci_line_record *line = module->tree->line;
    if (!access || !gpci_module_same_line(module, access->address, tag))
        return 0;
    if (line->answered && !module->by_sector)
        return line->answer;
    gpc_request policy_request = gpci_module_policy_request(module, tag, access);
    policy_request.sector_mask = (uint8_t)(1u << ((tag >> module->block_shift) & module->sector_mask));
    line->answered = true;
    line->apart = module->by_sector;
    line->answer = ops->respond(module->predictor->self, gpci_module_row(module, tag) >> module->sector_shift,
                                gpci_module_way_of_line(module, tag), &policy_request);
    return line->answer;
}

bool gpci_module_hear(gpci_module *l1, uint64_t tag, gpc_decision predicted, uint32_t word) {
    const gpc_predictor_ops *ops = l1->predictor ? l1->predictor->ops : NULL;
    const gpc_request *access = l1->tree->request;
    gpci_line_record *line = l1->tree->line;
    if (!ops || !ops->on_reply || !access || (access->kind != GPC_LOAD && access->kind != GPC_PREFETCH))
        return false;
    if (line->heard >> predicted & 1 && !line->apart)
        return predicted == GPC_BYPASS && line->overturned;
    const gpc_request policy_request = gpci_module_policy_request(l1, tag, access);
    line->heard |= (uint8_t)(1u << predicted);
    return ops->on_reply(l1->predictor->self, &policy_request, predicted, word) == GPC_CACHE && predicted == GPC_BYPASS;
}

bool gpci_module_overturns(gpci_module *l1, uint64_t tag, uint32_t word) {
    gpci_line_record *line = l1->tree->line;
    if (!gpci_module_hear(l1, tag, GPC_BYPASS, word))
        return false;
    l1->counts.overturned_bypasses += !line->overturned;
    line->overturned = true;
    return true;
}

bool gpci_module_may_keep_out(const gpci_module *module, uint32_t block, const gpci_module *requester,
                              uint64_t address) {
    if (block == GPCI_TREE_NO_BLOCK)
        return true;
    if (!gpci_module_directory_only(module, block))
        return false;
    const gpci_tree_span span = gpci_tree_span_of(module, requester, gpci_module_tag_of(requester, address));
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        const uint16_t owner = gpci_module_owner_of(module, block, sub);
        const bool own = owner == module->slots[requester->index] && sub >= span.first && sub < span.end;
        if (owner != GPCI_TREE_NO_OWNER && !own)
            return false;
    }
    return true;
}

void gpci_tree_forget_entry(gpc_coherence *coherence, gpci_module *module, uint32_t block, uint64_t at) {
    if (gpci_module_directory_only(module, block) && !gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY) &&
        !gpci_module_has_sharers(module, block)) /* an entry with sharers stays, for later invalidations */
        gpci_tree_set_state(coherence, module, block, 0, GPC_LINE_I, GPC_ORIGIN_EVICTED, at);
}
