/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/plru.h"

#include "policies/replacement/replacement.h"
#include "policies/replacement/thrash_throttle.h"

/*
 * Tree pseudo-LRU: a use turns the nodes above a way away from the way. The victim is found by following the nodes from
 * the root. insertion=lru is LIP on the tree: an inserted line takes the victim's position, and stays only if hit.
 * insertion=bimodal is BIP: a share epsilon of the lines comes in at the position of a way just used.
 *
 * Example, 4 ways, one set, stream A B C D A E:
 *   A B C D miss       every node shows left: the next victim would be A
 *   A hit              the root shows right, the left node right
 *   E: root right, the right node left: way 2 (C) leaves
 * LRU would have evicted B. With insertion=lru the nodes point to D, the last line inserted. A's hit leaves the root
 * showing right: E evicts D.
 */

enum { INSERTION_MRU, INSERTION_LRU, INSERTION_BIMODAL };
enum { EPSILON, RANDOM };

typedef struct plru_state {
    gpci_tree tree;
    gpci_thrash_throttle throttle;
    gpci_tree_paths paths;
} plru_state;

static const gpc_parameter parameters[] = {GPCI_EPSILON, GPCI_RANDOM};

static const gpc_text_parameter texts[] = {
    {"insertion", "mru", "mru|lru|bimodal", "lines come in as if just used, as the next victim, or so but for epsilon"},
};

/* Share of lines inserted as if just used. */
static double share_of(const gpc_policy_env *env) {
    return env->words[0] == INSERTION_MRU ? 1 : env->words[0] == INSERTION_LRU ? 0 : env->parameters[EPSILON];
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    plru_state *state = self;
    gpci_tree_init(&state->tree, env);
    gpci_tree_paths_init(&state->paths, &state->tree);
    gpci_thrash_throttle_init(&state->throttle, share_of(env), env->parameters[RANDOM] > 0, env->seed);
    return GPC_OK;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    plru_state *state = self;
    gpci_tree_touch(&state->tree, &state->paths, set, way);
}

/*
 * Count a sector miss as a use only if all lines are inserted as if just used. With other insertions, the later sectors
 * of a new line would move the line away from its inserted position.
 */
static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    const plru_state *state = self;
    if (state->throttle.rate >> 32)
        on_hit(self, set, way, request);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    plru_state *state = self;
    if (gpci_thrash_throttle_passes(&state->throttle))
        gpci_tree_touch(&state->tree, &state->paths, set, way);
    else
        gpci_tree_put(&state->tree, set, way, UINT32_MAX);
}

/* True if a way from `first` to `first` + 2^level - 1 is a candidate. */
static bool any(const gpci_tree *tree, const uint64_t *candidates, uint32_t first, uint32_t level) {
    if (first >= tree->ways)
        return false;
    if (!candidates)
        return true;
    if (level < 6) {
        uint64_t below = ((uint64_t)1 << (1u << level)) - 1;
        return gpci_candidate_word(candidates, first / 64, tree->ways) & below << (first % 64);
    }
    for (uint32_t word = first / 64; word < first / 64 + (1u << (level - 6)) && word < tree->words; word++)
        if (gpci_candidate_word(candidates, word, tree->ways))
            return true;
    return false;
}

uint32_t gpci_tree_victim(const gpci_tree *tree, uint32_t set, const uint64_t *candidates) {
    const uint64_t *nodes = &tree->nodes[(size_t)set * tree->words];
    uint32_t node = 1, way = 0;
    if (!candidates && tree->words == 1 && gpci_power_of_two(tree->ways)) {
        while (node < tree->ways)
            node = 2 * node + (*nodes >> node & 1);
        return node - tree->ways;
    }
    for (uint32_t level = tree->levels; level-- > 0;) {
        uint32_t right = gpci_bit_is_set(nodes, node);
        if (!any(tree, candidates, way | right << level, level))
            right = !right;
        way |= right << level;
        node = 2 * node + right;
    }
    return way;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    const plru_state *state = self;
    return gpci_tree_victim(&state->tree, set, candidates);
}

/* Cost: the tree, ways - 1 bits per set, and the throttle of insertion=bimodal: 5 bits for 1/32. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_tree_bits(env) + gpci_thrash_throttle_bits(share_of(env), env->parameters[RANDOM] > 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    plru_state *state = self;
    visit(user_data, &state->throttle, sizeof state->throttle);
}

const gpc_replacement_ops gpci_plru = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "plru",
    .summary = "tree pseudo-LRU: follow the bits that point away from recent use",
    .source = "Al-Zoubi, Milenkovic and Milenkovic, ACM-SE 2004 (PLRUt); insertion: Qureshi et al., ISCA 2007",
    .instance_bytes = sizeof(plru_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = 1,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .texts = texts,
    .text_count = sizeof texts / sizeof *texts,
    .init = init,
    .on_hit = on_hit,
    .on_sector_miss = on_sector_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
