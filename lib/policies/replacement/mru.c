/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * Most recently used: the line used last leaves first. Good for loops over n lines, if n exceeds the number of ways:
 * LRU always misses, and MRU hits in ways - 1 of n - 1 accesses.
 *
 * Example, 2 ways, one set, the loop A B C A B C:
 *   A miss, B miss     recency B A
 *   C evicts B         recency C A
 *   A hit              recency A C
 *   B evicts A         recency B C
 *   C hit              recency C B
 * Two hits; LRU has none.
 */

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    return gpci_lru_first(self, set, candidates);
}

/* Cost: most recent way of each set: ceil(log2(ways)) bits per set. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * gpci_ceil_log2(env->ways);
}

const gpc_replacement_ops gpci_mru = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "mru",
    .summary = "evict the most recently used line",
    .source = "Chou and DeWitt, VLDB 1985",
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
