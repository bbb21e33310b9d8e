/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * gpc_cache_probe_victim finds the line that a miss would evict: ask the replacement policy as on a miss, then restore
 * the policy's state.
 *
 * Example, policy random, one set of two ways with lines A and B. A probe of line C answers B, and a second probe of C
 * answers B again. Then an access to C evicts B.
 */

/* Copy of memory areas, one after the other. visit() is called to count the bytes, to copy, and to copy back. */
typedef struct kept {
    char *data; /* NULL: only count the bytes */
    size_t size, at;
    bool back; /* copy from `data` back to the areas */
} kept;

static void keep(void *user_data, void *memory, size_t size) {
    kept *victim = user_data;
    if (victim->data && size) {
        char *place = victim->data + victim->at;
        memcpy(victim->back ? memory : place, victim->back ? place : memory, size);
    }
    victim->at += size;
}

/* Visit all state that a question to the policy may change, except statistics. */
static void visit(gpc_cache *cache, kept *victim) {
    gpci_token_state *tokens = cache->token_state;
    victim->at = 0;
    keep(victim, &cache->hand, sizeof cache->hand);
    if (!cache->lru)
        gpci_policy_state(cache->replacement, keep, victim);
    const bool clears = tokens && tokens->rules.clear == GPC_CLEAR_PERIODIC;
    if (clears || cache->spare_ways)
        keep(victim, cache->states, (size_t)cache->sets * cache->tags.row * sizeof *cache->states);
    if (!clears)
        return;
    keep(victim, &tokens->next, sizeof tokens->next);
    keep(victim, &tokens->lookups, sizeof tokens->lookups);
    keep(victim, &tokens->any, sizeof tokens->any);
}

/* Do the steps of a miss up to the choice of the victim. `*set` receives the victim's set, result->way its way. */
static gpc_status ask(gpc_cache *cache, const gpc_request *request, uint32_t *set, bool full,
                      gpc_access_result *result) {
    if (cache->token_state)
        gpci_tokens_tick(cache->token_state, request);
    if (cache->replacement_ops->on_miss && !request->continues)
        cache->replacement_ops->on_miss(cache->replacement_self, result->set, gpci_shown(cache, request));
    return gpci_choose(cache, request, set, full, result, &result->way);
}

static gpc_status ask_quietly(gpc_cache *cache, const gpc_request *request, uint32_t *set, bool full,
                              gpc_access_result *result, gpc_error *error) {
    const gpci_cache_stats stats = cache->stats;
#ifdef GPCI_CHECK
    const gpci_cache_stats again = cache->again;
#endif
    kept victim = {.data = NULL};
    if (!cache->lru && !gpci_policy_has_state(cache->replacement))
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_cache_probe_victim: the policy %s has no `state` to restore",
                         gpci_policy_text(cache->replacement));
    visit(cache, &victim);
    if (victim.at && !(victim.data = gpci_alloc(cache->context, victim.at)))
        return gpci_out_of_memory(error);
    visit(cache, &victim);
    const gpc_status status = ask(cache, request, set, full, result);
    victim.back = true;
    visit(cache, &victim);
    gpci_free(cache->context, victim.data);
    cache->stats = stats;
#ifdef GPCI_CHECK
    cache->again = again;
#endif
    return status < 0 ? gpci_fail_by_status(error, status, "gpc_cache_probe_victim") : status;
}

gpc_status gpc_cache_probe_victim(gpc_cache *cache, const gpc_request *request, gpc_access_result *result,
                                  gpc_error *error) {
    gpc_access_result found;
    gpc_status status = gpc_cache_probe(cache, request, result ? &found : NULL, error);
    if (status < 0)
        return status;
    if (found.outcome == GPC_MISS && (!gpci_leaves_something(cache, request) || gpci_may_not_fill(cache, request))) {
        found.outcome = GPC_BYPASSED;
    } else if (found.outcome == GPC_MISS) {
        const uint32_t way = gpci_free_way(cache, found.set);
        const bool full = way >= cache->ways, asks = full || gpci_is_full(cache);
        uint32_t set = found.set;
        found.way = way;
        if (asks)
            status = ask_quietly(cache, request, &set, full, &found, error);
        if (status < 0)
            return status;
        found.evicted = asks && found.way != GPCI_NO_WAY;
        if (found.evicted)
            gpci_describe(cache, set, found.way, &found.eviction);
        if (found.evicted && !full)
            found.way = way;
    }
    *result = found;
    return GPC_OK;
}

GPCI_COLD gpc_status gpci_cache_refuse(gpc_cache *cache, uint32_t set, uint32_t way) {
    cache->refused = true;
    cache->refused_set = set;
    cache->refused_way = way;
    return GPC_ERROR_CALLBACK;
}

bool gpci_cache_fault(const gpc_cache *cache, char *text, size_t size) {
    if (cache->refused)
        snprintf(text, size, "'%s' chose way %" PRIu32 " of set %" PRIu32 ", no candidate of its %" PRIu32 " ways",
                 cache->replacement_ops->name, cache->refused_way, cache->refused_set, cache->ways);
    return cache->refused;
}
