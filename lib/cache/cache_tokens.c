/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

/*
 * Opportunistic caching (seeds/004 section 4.6). A line that a token holder has filled or hit has priority: a request
 * without a token finds a free way or one without priority, or bypasses. The priority goes with the kernel, with
 * those who gave it, or after some time.
 *
 * Example, 1 set of 2 ways, warps 0 and 1 with tokens, warp 2 without:
 *   warp 0 loads A, warp 1 loads A   A has priority, of owners 0 and 1, 1 being the last
 *   warp 2 loads B                   takes the free way, without priority
 *   warp 2 loads C                   in B's place
 *   warp 1 ends                      last-owner: A's priority is gone
 *   warp 2 loads D                   last-owner: in A's place, the least recent; else in C's
 *   warp 0 ends                      owners: now A's priority is gone there, too; kernel: not until all is over
 */

gpc_status gpci_tokens_create(gpc_cache *cache) {
    const gpc_cache_options *o = &cache->options;
    size_t slots = (size_t)cache->sets * cache->row;
    gpci_token_state *state = cache->token_state = gpci_zalloc(cache->context, 1, sizeof *state);
    cache->unusual = true;
    if (!state)
        return GPC_ERROR_MEMORY;
    state->warps = o->token_warps;
    state->words = (state->warps + 63) / 64;
    state->next = o->token_period;
    if (o->token_clear == GPC_CLEAR_OWNERS)
        state->owners = gpci_zalloc(cache->context, slots * state->words, sizeof *state->owners);
    if (o->token_clear == GPC_CLEAR_LAST_OWNER)
        state->last = gpci_zalloc(cache->context, slots, sizeof *state->last);
    bool lacking = (o->token_clear == GPC_CLEAR_OWNERS && !state->owners) ||
                   (o->token_clear == GPC_CLEAR_LAST_OWNER && !state->last);
    return lacking ? GPC_ERROR_MEMORY : GPC_OK;
}

void gpci_tokens_destroy(gpc_cache *cache) {
    if (!cache->token_state)
        return;
    gpci_free(cache->context, cache->token_state->owners);
    gpci_free(cache->context, cache->token_state->last);
    gpci_free(cache->context, cache->token_state);
}

void gpci_tokens_own(gpc_cache *cache, const gpc_request *request, size_t slot) {
    gpci_token_state *state = cache->token_state;
    if (request->token == GPC_TOKEN_NONE)
        return;
    cache->states[slot] |= GPCI_PRIORITISED;
    state->any = true;
    uint32_t warp = request->warp < state->warps ? request->warp : request->warp % state->warps;
    if (state->owners)
        state->owners[slot * state->words + warp / 64] |= (uint64_t)1 << warp % 64;
    else if (state->last)
        state->last[slot] = warp;
}

void gpci_tokens_fill(gpc_cache *cache, const gpc_request *request, size_t slot) {
    const gpci_token_state *state = cache->token_state;
    for (uint32_t word = 0; state->owners && word < state->words; word++)
        state->owners[slot * state->words + word] = 0;
    cache->stats.opportunistic_fills += request->token == GPC_TOKEN_NONE;
    gpci_tokens_own(cache, request, slot);
}

static void clear_all(gpc_cache *cache) {
    gpci_token_state *state = cache->token_state;
    size_t slots = (size_t)cache->sets * cache->row;
    if (!state->any)
        return;
    for (size_t slot = 0; slot < slots; slot++)
        cache->states[slot] &= ~GPCI_PRIORITISED;
    for (size_t word = 0; state->owners && word < slots * state->words; word++)
        state->owners[word] = 0;
    state->any = false;
}

void gpci_tokens_tick(gpc_cache *cache, const gpc_request *request) {
    gpci_token_state *state = cache->token_state;
    const gpc_cache_options *o = &cache->options;
    if (o->token_clear != GPC_CLEAR_PERIODIC)
        return;
    uint64_t now = request->cycle ? request->cycle : state->lookups++;
    if (now < state->next)
        return;
    clear_all(cache);
    uint64_t begin = now - now % o->token_period;
    state->next = begin > UINT64_MAX - o->token_period ? UINT64_MAX : begin + o->token_period;
}

/* Lines of which a warp was the last owner. */
static void end_last(gpc_cache *cache, uint32_t warp) {
    const uint32_t *last = cache->token_state->last;
    for (size_t slot = 0, slots = (size_t)cache->sets * cache->row; slot < slots; slot++)
        if (last[slot] == warp)
            cache->states[slot] &= ~GPCI_PRIORITISED;
}

/* Lines of which a warp was an owner: without priority, if it was the only one left. */
static void end_owner(gpc_cache *cache, uint32_t warp) {
    const gpci_token_state *state = cache->token_state;
    uint64_t bit = (uint64_t)1 << warp % 64;
    for (size_t slot = 0, slots = (size_t)cache->sets * cache->row; slot < slots; slot++) {
        uint64_t *owners = state->owners + slot * state->words, left = 0;
        if (!(owners[warp / 64] & bit))
            continue;
        owners[warp / 64] &= ~bit;
        for (uint32_t word = 0; word < state->words; word++)
            left |= owners[word];
        if (!left)
            cache->states[slot] &= ~GPCI_PRIORITISED;
    }
}

void gpci_tokens_event(gpc_cache *cache, const gpc_warp_event *event) {
    const gpci_token_state *state = cache->token_state;
    if (!state || !state->any)
        return;
    bool kernel = event->kind == GPC_KERNEL_START || event->kind == GPC_KERNEL_END;
    if (kernel && cache->options.token_clear != GPC_CLEAR_PERIODIC)
        clear_all(cache);
    if (event->kind != GPC_WARP_EXIT)
        return;
    if (state->owners)
        end_owner(cache, event->warp % state->warps);
    else if (state->last)
        end_last(cache, event->warp % state->warps);
}

/* Bits of a number below n. */
static uint64_t bits_below(uint64_t n) {
    uint64_t bits = 0;
    while (n > 1 && (n - 1) >> bits)
        bits++;
    return bits;
}

uint64_t gpc_cache_token_bits(const gpc_cache *cache) {
    if (!cache || !cache->token_state)
        return 0;
    uint64_t lines = (uint64_t)cache->sets * cache->ways, warps = cache->token_state->warps;
    switch (cache->options.token_clear) {
    case GPC_CLEAR_OWNERS: /* it has priority where any bit is set */
        return lines * warps;
    case GPC_CLEAR_LAST_OWNER:
        return lines * (1 + bits_below(warps));
    case GPC_CLEAR_PERIODIC:
        return lines + bits_below(cache->options.token_period);
    default:
        return lines;
    }
}
