/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"

/*
 * Counters for the lines of a coherent L1, as in a plain cache: hits of each line (reuse), and hits by the warp that
 * fetched the line or by other warps.
 *
 * A line transaction makes an access for each sector, but counts as one hit if all sectors hit. Each access calls
 * gpci_coherent_follow: the first hit is counted, and a later miss takes the count back.
 */

enum { SEEN_NOTHING, SEEN_HIT, SEEN_MISS };

/* Index of a line's counters in l1->reuse and l1->warps. GPCI_TREE_NO_BLOCK: the line is not in L1. */
static uint32_t place_of(const gpci_module *l1, uint64_t address) {
    const uint64_t tag = gpci_module_tag_of(l1, address);
    const uint32_t way = l1->sector_mask ? gpci_module_way_of_line(l1, tag) : gpci_module_find(l1, tag);
    if (!l1->sector_mask || way == GPCI_TREE_NO_BLOCK)
        return way;
    return (gpci_module_row(l1, tag) & ~l1->sector_mask) * l1->all_ways + way;
}

static bool is_read(const gpc_request *request) {
    return request->kind == GPC_LOAD || request->kind == GPC_PREFETCH;
}

static void add_hit(gpci_module *l1, const gpc_request *request, uint32_t fetcher, uint64_t by) {
    if (l1->warps && is_read(request))
        *(fetcher == request->warp ? &l1->counts.intra_warp_hits : &l1->counts.inter_warp_hits) += by;
}

/* Count a hit of a line. `by`: 1, or UINT64_MAX (minus 1) to take a hit back. */
static void count(gpci_module *l1, const gpc_request *request, uint32_t place, uint64_t by) {
    if (place == GPCI_TREE_NO_BLOCK)
        return;
    if (l1->reuse)
        l1->reuse[place] += (uint32_t)by;
    add_hit(l1, request, l1->warps ? l1->warps[place] : 0, by);
}

void gpci_coherent_follow(const gpc_hierarchy *hierarchy, const gpc_request *request, bool hit, uint8_t *seen) {
    gpci_module *l1 = gpci_module_at(hierarchy->coherent->tree, request->sm);
    if (!is_read(request) && request->kind != GPC_STORE)
        return;
    if (hit && *seen == SEEN_NOTHING) {
        *seen = SEEN_HIT;
        count(l1, request, place_of(l1, request->address), 1);
    } else if (!hit && *seen == SEEN_HIT) {
        *seen = SEEN_MISS;
        count(l1, request, place_of(l1, request->address), UINT64_MAX);
    } else if (!hit) {
        *seen = SEEN_MISS;
    }
}

void gpci_coherent_follow_joined(const gpc_hierarchy *hierarchy, const gpc_request *request, uint32_t fetcher,
                                 uint8_t *seen) {
    gpci_module *l1 = gpci_module_at(hierarchy->coherent->tree, request->sm);
    if (*seen != SEEN_NOTHING)
        return;
    *seen = SEEN_HIT;
    const uint32_t place = place_of(l1, request->address);
    if (l1->reuse && place != GPCI_TREE_NO_BLOCK)
        l1->reuse[place]++;
    add_hit(l1, request, fetcher, 1);
}

void gpci_coherent_add_counts(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats) {
    const gpci_line_counts *counts = &gpci_module_at(hierarchy->coherent->tree, sm)->counts;
    stats->l1_zero_reuse_evictions += counts->zero_reuse_evictions;
    stats->l1_predictions += counts->predictions;
    stats->l1_token_bypasses += counts->token_bypasses;
    stats->l1_opportunistic_fills += counts->opportunistic_fills;
    stats->l1_priority_evictions += counts->priority_evictions;
    stats->l1_overturned_bypasses += counts->overturned_bypasses;
    /* with a clock, open_bypasses has the overturned bypasses, and bypasses without a reply, counted after the reply */
    stats->l1_bypasses +=
        counts->bypasses - (hierarchy->timed ? hierarchy->of_sm[sm].open_bypasses : counts->overturned_bypasses);
    if (!gpci_number(hierarchy, GPCI_KEY_L1_TRACK_WARPS))
        return;
    stats->l1_intra_warp_hits += counts->intra_warp_hits;
    stats->l1_inter_warp_hits += counts->inter_warp_hits;
}

void gpci_coherent_reset_counts(const gpc_hierarchy *hierarchy) {
    for (uint32_t i = 0; i < hierarchy->coherent->modules; i++)
        gpci_module_at(hierarchy->coherent->tree, i)->counts = (gpci_line_counts){0};
}
