/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/candidates.h"
#include "policies/replacement/replacement.h"

/*
 * Random: all candidates are equally likely. The generator is splitmix64 on integers and starts from the cache's seed.
 * The same seed gives the same victims on every machine; two caches of one context have different victims.
 *
 * Example, 8 ways, seed 1234567, candidates are ways 1, 4, 5 and 7: the first three draws are 0.350, 0.174 and 0.532 of
 * the range, in its second, first and third quarter. The victims are ways 4, 1 and 5.
 */

typedef struct random_state {
    uint64_t generator;
    uint32_t ways;
} random_state;

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    random_state *state = self;
    state->generator = env->seed;
    state->ways = env->ways;
    return GPC_OK;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)set, (void)request;
    random_state *state = self;
    if (!candidates)
        return gpci_random_below(&state->generator, state->ways);
    uint32_t words = gpci_way_words(state->ways), count = 0;
    for (uint32_t word = 0; word < words; word++)
        count += gpci_popcount(gpci_candidate_word(candidates, word, state->ways));
    uint32_t skip = gpci_random_below(&state->generator, count);
    uint32_t word = 0;
    uint64_t bits = gpci_candidate_word(candidates, 0, state->ways);
    for (uint32_t here; (here = gpci_popcount(bits)) <= skip && word + 1 < words; skip -= here)
        bits = gpci_candidate_word(candidates, ++word, state->ways);
    while (skip--)
        bits &= bits - 1;
    return word * 64 + gpci_lowest(bits);
}

/* Cost: a 64-bit generator for the cache. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    (void)env;
    return 64;
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    random_state *state = self;
    visit(user_data, &state->generator, sizeof state->generator);
}

const gpc_replacement_ops gpci_random_policy = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "random",
    .summary = "evict any line, each as likely as the others; repeatable by the seed",
    .source = "Belady, IBM Systems Journal 5(2), 1966",
    .instance_bytes = sizeof(random_state),
    .init = init,
    .choose_victim = choose_victim,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
