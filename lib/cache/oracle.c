/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "cache/cache.h"

/*
 * Quality of a predictor. If requests tell the next use of their line (track_future), an oracle also decides each read
 * miss that the predictor decides, and the statistics compare the two decisions. The oracle uses Belady's rule with
 * bypass (lib/policies/replacement/opt.c) for the set in its present state. A line without a next use bypasses. Any
 * other line is cached if a way is free, or if a resident line is used later.
 *
 * Example, a set of two ways with line A, next used at access 7, and line B, next used at access 9. Line C misses:
 *   C is next used at access 8     cache: B is used later
 *   C is next used at access 10    bypass
 *   C is never used again          bypass
 */

void gpci_oracle_compare(gpc_cache *cache, const gpc_request *request, uint32_t set, gpc_decision decision) {
    if (!gpci_is_read(request))
        return;
    const uint32_t *tags = cache->tags.words + gpci_slot(cache, set, 0);
    uint64_t *next_uses = cache->next_uses + gpci_slot(cache, set, 0);
    uint32_t resident = gpci_find(&cache->tags, set, request->address >> cache->line_shift);
    if (resident != GPCI_NO_WAY) { /* no miss: a predictor with before_lookup is asked about hits, too */
        next_uses[resident] = request->policy.next_use;
        return;
    }
    bool bypass = true;
    for (uint32_t way = 0; way < cache->ways; way++)
        bypass = bypass && tags[way] & GPCI_TAG_VALID && next_uses[way] < request->policy.next_use;
    bypass = bypass || request->policy.next_use == UINT64_MAX;
    gpci_cache_stats *stats = &cache->stats;
    bool agrees = bypass == (decision == GPC_BYPASS);
    stats->oracle_decisions++;
    stats->oracle_bypasses += bypass;
    stats->oracle_agreements += agrees;
    stats->oracle_agreed_bypasses += bypass && agrees;
    GPCI_AGAIN(gpci_cache_count_oracle(cache, bypass, decision));
}
