/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * First in, first out: the line filled first leaves first, with or without hits since. The order is LRU's, and only
 * fills change the order.
 *
 * Unlike LRU, FIFO can lose hits with more ways (Belady, Nelson and Shedler, CACM 12(6), 1969): the stream 1 2 3 4 1 2
 * 5 1 2 3 4 5 has nine misses with three ways, and ten misses with four ways.
 *
 * Example, 2 ways, one set, stream A B A C A:
 *   A miss, B miss     filled A B
 *   A hit              filled A B, as before
 *   C evicts A         filled B C
 *   A evicts B         filled C A
 */

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    gpci_lru_touch(self, set, way);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    return gpci_lru_last(self, set, candidates);
}

/* Cost: next way to replace in each set: ceil(log2(ways)) bits per set. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * gpci_ceil_log2(env->ways);
}

const gpc_replacement_ops gpci_fifo = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "fifo",
    .summary = "evict the line that was filled first",
    .source = "Belady, IBM Systems Journal 5(2), 1966",
    .instance_bytes = sizeof(gpci_lru_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link),
    .init = gpci_lru_init,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
