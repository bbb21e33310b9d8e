/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/tokens.h"

#include "policies/control/pcal_control.h"
#include "policies/scheduler/schedulers.h"

gpci_tokens gpci_tokens_both(uint32_t warp_opt, uint32_t cut, uint32_t extra) {
    uint32_t most = warp_opt ? warp_opt - 1 : 0;
    cut = cut < most ? cut : most;
    return (gpci_tokens){.cache = warp_opt - cut, .bypass = cut + extra};
}

gpci_tokens gpci_tokens_of(uint32_t warp_opt, int32_t ebt) {
    return ebt < 0 ? gpci_tokens_both(warp_opt, 0 - (uint32_t)ebt, 0) : gpci_tokens_both(warp_opt, 0, (uint32_t)ebt);
}

/* True if a warp with `before` older warps holds a token for L2. */
static bool holds_l2(const gpci_tokens *tokens, const gpci_tokens_l2 *l2, uint32_t before) {
    if (l2->level == GPCI_TOKENS_L1)
        return true;
    if (l2->level == GPCI_TOKENS_BOTH)
        return before < tokens->cache;
    if (l2->tokens == GPCI_TOKENS_ALL)
        return true;
    uint32_t first = l2->exclusive ? tokens->cache : 0;
    return before >= first && before - first < l2->tokens;
}

uint32_t gpci_tokens_give(const gpci_tokens *tokens, const gpci_tokens_l2 *l2, const gpc_throttle_view *view,
                          gpc_throttle_classes *classes) {
    uint32_t taken = 0, throttled = 0, places = tokens->cache + tokens->bypass;
    for (uint32_t age = 0; age < view->running; age++) {
        uint32_t slot = view->by_age[age];
        uint64_t bit = gpci_warp_bit(slot);
        if (taken >= places) {
            classes->throttled[slot / 64] |= bit;
            throttled += view->states[slot] != GPC_STATE_BARRIER;
            continue;
        }
        if (taken >= tokens->cache)
            classes->bypassing[slot / 64] |= bit;
        if (!holds_l2(tokens, l2, taken))
            classes->bypassing_l2[slot / 64] |= bit;
        taken += view->states[slot] != GPC_STATE_BARRIER;
    }
    return throttled;
}
