/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache_archive.h"

#include <stdio.h>
#include <string.h>

/* Cache in a snapshot: contents, counters, and policies with their state. */

typedef gpc_status (*set_policy_fn)(gpc_cache *cache, const char *spec, gpc_error *error);

bool gpci_policy_can_be_saved(gpci_policy *policy, gpci_archive *archive) {
    char text[300];
    if (!policy || gpci_policy_has_state(policy))
        return true;
    snprintf(text, sizeof text, "'%.200s' does not say what its state is (`state` is NULL)", gpci_policy_text(policy));
    gpci_archive_fail(archive, GPC_ERROR_UNSUPPORTED, text);
    return false;
}

/*
 * Save or load the text of a policy, which may have changed since the cache was created. On loading, if the cache has
 * another policy, `set` replaces the policy. False: the archive has failed.
 */
static bool same_policy(gpc_cache *cache, gpci_policy *policy, set_policy_fn set, gpci_archive *archive) {
    const char *text = gpci_archive_text(archive, gpci_policy_text(policy));
    gpc_error reason = GPC_ERROR_INIT;
    if (archive->status < 0 || !archive->loading || !strcmp(text, gpci_policy_text(policy)))
        return archive->status == GPC_OK;
    gpc_status status = set(cache, text, &reason);
    if (status < 0)
        gpci_archive_fail(archive, status, reason.message);
    return status == GPC_OK;
}

void gpci_tokens_archive(gpci_token_state *tokens, gpci_archive *archive) {
    if (!tokens)
        return;
    if (tokens->owners)
        gpci_archive_bytes(archive, tokens->owners, tokens->slots * tokens->words * sizeof *tokens->owners);
    if (tokens->last)
        gpci_archive_bytes(archive, tokens->last, tokens->slots * sizeof *tokens->last);
    gpci_archive_bytes(archive, &tokens->next, sizeof tokens->next);
    gpci_archive_bytes(archive, &tokens->lookups, sizeof tokens->lookups);
    gpci_archive_bytes(archive, &tokens->any, sizeof tokens->any);
}

static void archive_lines(gpc_cache *cache, gpci_archive *archive) {
    const size_t slots = (size_t)cache->sets * cache->tags.row;
    const struct {
        void *items;
        size_t bytes;
    } arrays[] = {{cache->tags.words, sizeof *cache->tags.words}, {cache->states, sizeof *cache->states},
                  {cache->tags.highs, sizeof *cache->tags.highs}, {cache->written, sizeof *cache->written},
                  {cache->reuse, sizeof *cache->reuse},           {cache->warps, sizeof *cache->warps},
                  {cache->next_uses, sizeof *cache->next_uses}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i].items)
            gpci_archive_bytes(archive, arrays[i].items, slots * arrays[i].bytes);
    if (cache->tags.places)
        gpci_archive_bytes(archive, cache->tags.places->table, cache->tags.places->bytes);
    gpci_tokens_archive(cache->token_state, archive);
}

void gpci_cache_archive(gpc_cache *cache, gpci_archive *archive) {
    gpci_archive_same(archive, cache->sets, "a cache has another number of sets");
    gpci_archive_same(archive, cache->ways, "a cache has another number of ways");
    if (!gpci_policy_can_be_saved(cache->replacement, archive) ||
        !gpci_policy_can_be_saved(cache->predictor, archive) ||
        !same_policy(cache, cache->replacement, gpc_cache_set_replacement, archive) ||
        !same_policy(cache, cache->predictor, gpc_cache_set_predictor, archive))
        return;
    archive_lines(cache, archive);
    gpci_archive_bytes(archive, &cache->tags.high, sizeof cache->tags.high);
    gpci_archive_bytes(archive, &cache->tags.started, sizeof cache->tags.started);
    gpci_archive_bytes(archive, &cache->tags.wide, sizeof cache->tags.wide);
    gpci_archive_bytes(archive, &cache->priorities, sizeof cache->priorities);
    gpci_archive_bytes(archive, &cache->pending_lines, sizeof cache->pending_lines);
    gpci_archive_bytes(archive, &cache->free_ways, sizeof cache->free_ways);
    gpci_archive_bytes(archive, &cache->hand, sizeof cache->hand);
    gpci_archive_bytes(archive, &cache->quick_counts, sizeof cache->quick_counts);
    gpci_archive_bytes(archive, &cache->stats, sizeof cache->stats);
#ifdef GPCI_CHECK
    gpci_archive_bytes(archive, &cache->again, sizeof cache->again);
#endif
    gpci_archive_bytes(archive, &cache->sampled_reads, sizeof cache->sampled_reads);
    gpci_archive_bytes(archive, &cache->sampled_hits, sizeof cache->sampled_hits);
    gpci_archive_bytes(archive, &cache->declined, sizeof cache->declined);
    gpci_archive_bytes(archive, &cache->notified, sizeof cache->notified);
    gpci_policy_state(cache->replacement, gpci_archive_bytes, archive);
    gpci_policy_state(cache->predictor, gpci_archive_bytes, archive);
    if (archive->loading)
        gpci_classify(cache);
}
