/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * LRU insertion: as LRU, but a line comes in as the least recently used, and only a hit moves the line up. A loop over
 * more lines than ways keeps the first lines, all but one. LRU keeps no line of such a loop until the line's next use.
 *
 * Example, 3 ways, one set, the loop A B C D twice:
 *   A B C miss         recency A B C: a new line goes behind the other lines
 *   D evicts C         recency A B D
 *   A hit, B hit       recency B A D
 *   C evicts D         recency B A C
 *   D evicts C         recency B A D
 * Two hits of eight; LRU has none.
 */

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    return gpci_lru_last(self, set, candidates);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    gpci_lru_demote(self, set, way);
}

/* Cost: only LRU's order: sets x ways x ceil(log2(ways)). */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env);
}

const gpc_replacement_ops gpci_lip = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "lip",
    .summary = "LRU, with lines inserted as the least recently used",
    .source = "Qureshi et al., ISCA 2007, section 4.1",
    .instance_bytes = sizeof(gpci_lru_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link),
    .init = gpci_lru_init,
    .on_hit = gpci_lru_use,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
