/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"

#include "policies/replacement/candidates.h"
#include "policies/replacement/replacement.h"

/*
 * Least recently used: the baseline of every document.
 *
 * Example, 2 ways, one set, stream A B A C B:
 *   A miss, B miss     recency B A (the most recent line first)
 *   A hit              recency A B
 *   C evicts B         recency C A
 *   B evicts A         recency B C
 */

void gpci_lru_start(gpci_lru_state *lru, uint32_t sets, uint32_t ways, void *orders, gpci_lru_link *links) {
    *lru = (gpci_lru_state){.ways = ways, .orders = orders, .ends = orders, .links = links};
    for (uint32_t set = 0; set < sets && ways <= GPCI_RECENCY_WAYS; set++)
        lru->orders[set] = GPCI_RECENCY_START;
    for (uint32_t set = 0; set < sets && ways > GPCI_RECENCY_WAYS; set++) {
        lru->ends[set] = (gpci_lru_ends){0, (uint16_t)(ways - 1), 0};
        for (uint32_t way = 0; way < ways; way++)
            gpci_lru_links(lru, set)[way] = (gpci_lru_link){(uint16_t)(way - 1), (uint16_t)(way + 1)};
    }
}

gpc_status gpci_lru_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    gpci_lru_start(self, env->sets, env->ways, env->set_state, env->line_state);
    return GPC_OK;
}

void gpci_lru_list_demote(gpci_lru_state *lru, uint32_t set, uint32_t way) {
    gpci_lru_ends *ends = &lru->ends[set];
    gpci_lru_link *links = gpci_lru_links(lru, set);
    if (ends->oldest == way)
        return;
    uint16_t newer = links[way].newer, older = links[way].older;
    links[older].newer = newer;
    if (ends->newest == way)
        ends->newest = older;
    else
        links[newer].older = older;
    links[way].newer = ends->oldest;
    links[ends->oldest].older = (uint16_t)way;
    ends->oldest = (uint16_t)way;
}

uint32_t gpci_lru_last(gpci_lru_state *lru, uint32_t set, const uint64_t *candidates) {
    if (lru->ways <= GPCI_RECENCY_WAYS) {
        uint64_t order = lru->orders[set];
        uint32_t place = lru->ways;
        uint32_t way = gpci_recency_last(order, place);
        while (!gpci_is_candidate(candidates, way))
            way = gpci_recency_last(order, --place);
        return way;
    }
    const gpci_lru_link *links = gpci_lru_links(lru, set);
    uint32_t way = lru->ends[set].oldest;
    while (!gpci_is_candidate(candidates, way))
        way = links[way].newer;
    return way;
}

uint32_t gpci_lru_last_of(gpci_lru_state *lru, uint32_t set, const uint64_t *preferred, const uint64_t *candidates) {
    uint64_t both[GPC_MAX_WAYS / 64], any = 0;
    for (uint32_t word = 0; word < gpci_way_words(lru->ways); word++)
        any |= both[word] = preferred[word] & gpci_candidate_word(candidates, word, lru->ways);
    return gpci_lru_last(lru, set, any ? both : candidates);
}

uint32_t gpci_lru_last_without(const gpci_lru_state *lru, uint32_t set, const uint32_t *states, uint32_t bits) {
    if (lru->ways <= GPCI_RECENCY_WAYS) {
        for (uint32_t place = lru->ways; place; place--) {
            uint32_t way = gpci_recency_last(lru->orders[set], place);
            if (!(states[way] & bits))
                return way;
        }
        return UINT32_MAX;
    }
    const gpci_lru_link *links = gpci_lru_links(lru, set);
    uint32_t way = lru->ends[set].oldest;
    while (states[way] & bits) {
        if (way == lru->ends[set].newest)
            return UINT32_MAX;
        way = links[way].newer;
    }
    return way;
}

uint32_t gpci_lru_list_at(const gpci_lru_state *lru, uint32_t set, uint32_t place) {
    uint32_t way = lru->ends[set].newest;
    while (place--)
        way = gpci_lru_links(lru, set)[way].older;
    return way;
}

uint32_t gpci_lru_place(const gpci_lru_state *lru, uint32_t set, uint32_t way) {
    uint32_t place = 0;
    if (lru->ways <= GPCI_RECENCY_WAYS) {
        while (gpci_lru_at(lru, set, place) != way)
            place++;
        return place;
    }
    for (uint32_t at = lru->ends[set].newest; at != way; at = gpci_lru_links(lru, set)[at].older)
        place++;
    return place;
}

uint32_t gpci_lru_first(const gpci_lru_state *lru, uint32_t set, const uint64_t *candidates) {
    if (lru->ways <= GPCI_RECENCY_WAYS) {
        uint64_t order = lru->orders[set];
        while (!gpci_is_candidate(candidates, order & 15u))
            order >>= 4;
        return order & 15u;
    }
    const gpci_lru_link *links = gpci_lru_links(lru, set);
    uint32_t way = lru->ends[set].newest;
    while (!gpci_is_candidate(candidates, way))
        way = links[way].older;
    return way;
}

void gpci_lru_use(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    gpci_lru_touch(self, set, way);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    return gpci_lru_last(self, set, candidates);
}

/* Cost: place of each line in its set's order: sets x ways x ceil(log2(ways)). */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * env->ways * gpci_ceil_log2(env->ways);
}

const gpc_replacement_ops gpci_lru = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "lru",
    .summary = "evict the least recently used line",
    .source = "baseline of all four documents",
    .instance_bytes = sizeof(gpci_lru_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link),
    .init = gpci_lru_init,
    .on_hit = gpci_lru_use,
    .on_sector_miss = gpci_lru_use,
    .choose_victim = choose_victim,
    .on_fill = gpci_lru_use,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
