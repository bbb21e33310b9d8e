/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

/*
 * Opportunistic caching (seeds/004 section 4.6). A line has priority after a request with a token has filled or hit the
 * line; the warps of such requests are the owners of the line. A request without a token takes a free way, or evicts a
 * line without priority, or bypasses. A request with a token also prefers a free way, then a line without priority. The
 * request evicts a line with priority only if all lines of the set have priority. (If the request evicted the least
 * recent line, two warps with accesses in turn, one of them with a token, would always evict their own lines.) When a
 * priority ends, depends on token_clear: with the kernel, with the owners, or periodically.
 *
 * Example, 1 set of 2 ways, warps 0 and 1 with tokens, warp 2 without. "last-owner", "owners", "kernel": token_clear.
 *   warp 0 loads A, warp 1 loads A   A has priority; its owners are warps 0 and 1, and warp 1 is the last owner
 *   warp 2 loads B                   B takes the free way, without priority
 *   warp 2 loads C                   C evicts B. A load of warp 0 would also evict B, though A is less recent than B
 *   warp 1 ends                      last-owner: A's priority ends. owners: warp 0 is still an owner
 *   warp 2 loads D                   last-owner: D evicts A, the least recent line. Any other token_clear: D evicts C
 *   warp 0 ends                      owners: A's priority ends. kernel: A's priority ends only with the kernel
 */

gpc_status gpci_tokens_create(gpc_context *context, const gpci_token_rules *rules, uint32_t *states, size_t slots,
                              gpci_token_state **out) {
    gpci_token_state *state = *out = gpci_zalloc(context, 1, sizeof *state);
    if (!state)
        return GPC_ERROR_MEMORY;
    state->rules = *rules;
    state->states = states;
    state->slots = slots;
    state->words = (rules->warps + 63) / 64;
    state->next = rules->period;
    if (rules->clear == GPC_CLEAR_OWNERS)
        state->owners = gpci_zalloc(context, slots * state->words, sizeof *state->owners);
    if (rules->clear == GPC_CLEAR_LAST_OWNER)
        state->last = gpci_zalloc(context, slots, sizeof *state->last);
    bool lacking =
        (rules->clear == GPC_CLEAR_OWNERS && !state->owners) || (rules->clear == GPC_CLEAR_LAST_OWNER && !state->last);
    return lacking ? GPC_ERROR_MEMORY : GPC_OK;
}

void gpci_tokens_destroy(gpc_context *context, gpci_token_state *state) {
    if (!state)
        return;
    gpci_free(context, state->owners);
    gpci_free(context, state->last);
    gpci_free(context, state);
}

void gpci_tokens_own(gpci_token_state *state, const gpc_request *request, size_t slot) {
    if (request->policy.token == GPC_TOKEN_NONE)
        return;
    state->states[slot] |= GPCI_PRIORITISED;
    state->any = true;
    const uint32_t warps = state->rules.warps, warp = request->warp < warps ? request->warp : request->warp % warps;
    if (state->owners)
        state->owners[slot * state->words + warp / 64] |= (uint64_t)1 << warp % 64;
    else if (state->last)
        state->last[slot] = warp;
}

void gpci_tokens_fill(gpci_token_state *state, const gpc_request *request, size_t slot) {
    for (uint32_t word = 0; state->owners && word < state->words; word++)
        state->owners[slot * state->words + word] = 0;
    gpci_tokens_own(state, request, slot);
}

static void clear_all(gpci_token_state *state) {
    if (!state->any)
        return;
    for (size_t slot = 0; slot < state->slots; slot++)
        state->states[slot] &= ~GPCI_PRIORITISED;
    for (size_t word = 0; state->owners && word < state->slots * state->words; word++)
        state->owners[word] = 0;
    state->any = false;
}

void gpci_tokens_tick(gpci_token_state *state, const gpc_request *request) {
    const uint64_t period = state->rules.period;
    if (state->rules.clear != GPC_CLEAR_PERIODIC)
        return;
    uint64_t now = request->cycle ? request->cycle : state->lookups++;
    if (now < state->next)
        return;
    clear_all(state);
    uint64_t begin = now - now % period;
    state->next = begin > UINT64_MAX - period ? UINT64_MAX : begin + period;
}

/* End the priority of lines whose last owner is `warp`. */
static void end_last(gpci_token_state *state, uint32_t warp) {
    for (size_t slot = 0; slot < state->slots; slot++)
        if (state->last[slot] == warp)
            state->states[slot] &= ~GPCI_PRIORITISED;
}

/* Remove a warp from the lines' owners; end the priority of lines without owners. */
static void end_owner(gpci_token_state *state, uint32_t warp) {
    uint64_t bit = (uint64_t)1 << warp % 64;
    for (size_t slot = 0; slot < state->slots; slot++) {
        uint64_t *owners = state->owners + slot * state->words, left = 0;
        if (!(owners[warp / 64] & bit))
            continue;
        owners[warp / 64] &= ~bit;
        for (uint32_t word = 0; word < state->words; word++)
            left |= owners[word];
        if (!left)
            state->states[slot] &= ~GPCI_PRIORITISED;
    }
}

void gpci_tokens_event(gpci_token_state *state, const gpc_warp_event *event) {
    if (!state || !state->any)
        return;
    bool kernel = event->kind == GPC_KERNEL_START || event->kind == GPC_KERNEL_END;
    if (kernel && state->rules.clear != GPC_CLEAR_PERIODIC)
        clear_all(state);
    if (event->kind != GPC_WARP_EXIT)
        return;
    if (state->owners)
        end_owner(state, event->warp % state->rules.warps);
    else if (state->last)
        end_last(state, event->warp % state->rules.warps);
}

/* Number of bits of a counter with values below `n`. */
static uint64_t bits_below(uint64_t n) {
    uint64_t bits = 0;
    while (n > 1 && (n - 1) >> bits)
        bits++;
    return bits;
}

uint64_t gpc_cache_token_bits(const gpc_cache *cache) {
    if (!cache || !cache->token_state)
        return 0;
    uint64_t lines = (uint64_t)cache->sets * cache->ways, warps = cache->token_state->rules.warps;
    switch (cache->options.token_clear) {
    case GPC_CLEAR_OWNERS: /* set bits mean priority */
        return lines * warps;
    case GPC_CLEAR_LAST_OWNER:
        return lines * (1 + bits_below(warps));
    case GPC_CLEAR_PERIODIC:
        return lines + bits_below(cache->options.token_period);
    default:
        return lines;
    }
}
