/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/candidates.h"
#include "policy/policies.h"

/*
 * Tree pseudo-LRU: the ways are the leaves of a binary tree whose every node
 * keeps one bit, the side that was used longer ago (0 = left, 1 = right). A use
 * turns the nodes above its leaf away from it; the victim is found by following
 * the bits from the root.
 *
 * Ways that are no power of two hang in the next larger tree, whose leaves
 * without a way are never entered: a node with nothing to choose from on the side
 * that its bit shows goes to the other side. Candidates are treated likewise.
 *
 * Example, 4 ways, one set, stream A B C D A E:
 *   A B C D miss       every node shows left: the next victim would be A
 *   A hit              the root shows right, A's node right
 *   E: root right, the right node left: way 2 (C) leaves
 * LRU would have evicted B.
 */

typedef struct plru_state {
    uint64_t *nodes; /* [sets][words]; bit n = node n, 1 is the root, 2n and 2n + 1 are below n */
    uint32_t ways, words;
    uint32_t levels; /* of nodes above the leaves */
} plru_state;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    plru_state *state = self;
    state->nodes = gpci_way_bits(env);
    state->ways = env->ways;
    state->words = gpci_way_words(env->ways);
    state->levels = gpci_ceil_log2(env->ways);
    return GPC_OK;
}

static void touch(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    plru_state *state = self;
    uint64_t *nodes = &state->nodes[(size_t)set * state->words];
    uint32_t node = 1;
    for (uint32_t level = state->levels; level-- > 0;) {
        uint32_t right = way >> level & 1;
        uint64_t bit = (uint64_t)1 << (node % 64);
        nodes[node / 64] = right ? nodes[node / 64] & ~bit : nodes[node / 64] | bit;
        node = 2 * node + right;
    }
}

/* Is any of the ways `first` to `first` + 2^level - 1 there to be chosen? */
static bool any(const plru_state *state, const uint64_t *candidates, uint32_t first, uint32_t level) {
    if (first >= state->ways)
        return false;
    if (!candidates)
        return true;
    if (level < 6) {
        uint64_t below = ((uint64_t)1 << (1u << level)) - 1;
        return gpci_candidate_word(candidates, first / 64, state->ways) & below << (first % 64);
    }
    for (uint32_t word = first / 64; word < first / 64 + (1u << (level - 6)) && word < state->words; word++)
        if (gpci_candidate_word(candidates, word, state->ways))
            return true;
    return false;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    const plru_state *state = self;
    const uint64_t *nodes = &state->nodes[(size_t)set * state->words];
    uint32_t node = 1, way = 0;
    for (uint32_t level = state->levels; level-- > 0;) {
        uint32_t right = nodes[node / 64] >> (node % 64) & 1;
        if (!any(state, candidates, way | right << level, level))
            right = !right;
        way |= right << level;
        node = 2 * node + right;
    }
    return way;
}

/* A tree with a leaf per way: ways - 1 bits per set. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * (env->ways - 1);
}

const gpc_replacement_ops gpci_plru = {
    .struct_size = sizeof(gpc_replacement_ops),
    .name = "plru",
    .summary = "tree pseudo-LRU: follow the bits that point away from recent use",
    .source = "Al-Zoubi, Milenkovic and Milenkovic, ACM-SE 2004 (PLRUt)",
    .instance_bytes = sizeof(plru_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = 1,
    .init = init,
    .on_hit = touch,
    .choose_victim = choose_victim,
    .on_fill = touch,
    .cost_bits = cost_bits,
};
