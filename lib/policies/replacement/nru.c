/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/candidates.h"
#include "policies/replacement/replacement.h"

/*
 * Not recently used, as in Jaleel et al. (ISCA 2010), where the bits are inverted: a reference bit per line, set by a
 * hit and by the fill. The victim is the lowest way with a clear bit. If all bits are set, the set's bits are cleared
 * first. If only some ways are candidates, only the candidates' bits decide. With `random` the victim is any way with a
 * clear bit, all equally likely: a loop a little larger than the cache then keeps a part of its lines, a larger part
 * for a smaller excess.
 *
 * Example, 4 ways, one set, stream A B C D A E B F:
 *   A B C D miss       bits of ways 3 to 0: 1111
 *   A hit              1111
 *   E evicts A         all bits were set: all are cleared, and the lowest way leaves: 0001
 *   B hit              0011
 *   F evicts C         0111
 * LRU would have evicted B for E.
 */

typedef struct nru_state {
    uint64_t *referenced; /* [sets][words] */
    uint64_t generator;
    uint64_t all; /* bits of all ways if one word is enough and the choice is not random; otherwise 0 */
    uint32_t ways, words;
    bool random;
} nru_state;

static const gpc_parameter parameters[] = {
    {"random", 0, 0, 1, true, "1: any way not referenced instead of the lowest"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    nru_state *state = self;
    state->referenced = gpci_way_bits(env);
    state->ways = env->ways;
    state->words = gpci_way_words(env->ways);
    state->generator = env->seed;
    state->random = env->parameters[0] > 0;
    state->all = state->words == 1 && !state->random ? gpci_candidate_word(NULL, 0, env->ways) : 0;
    return GPC_OK;
}

/* Set the reference bit. An invalidated line keeps its bit: a fill sets the bit before the way is a candidate again. */
static void touch(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    nru_state *state = self;
    gpci_bit_set(state->referenced + (size_t)set * state->words, way);
}

/* Candidates in a word with a clear bit. */
static uint64_t clear_of(const nru_state *state, const uint64_t *referenced, const uint64_t *candidates,
                         uint32_t word) {
    return gpci_candidate_word(candidates, word, state->ways) & ~referenced[word];
}

/* Candidate with a clear bit, the lowest or a random one; UINT32_MAX if all bits are set. */
static uint32_t find_clear(nru_state *state, const uint64_t *referenced, const uint64_t *candidates) {
    uint32_t skip = 0;
    if (state->random) {
        uint32_t count = 0;
        for (uint32_t word = 0; word < state->words; word++)
            count += gpci_popcount(clear_of(state, referenced, candidates, word));
        skip = count ? gpci_random_below(&state->generator, count) : 0;
    }
    for (uint32_t word = 0; word < state->words; word++) {
        uint64_t clear = clear_of(state, referenced, candidates, word);
        uint32_t here = gpci_popcount(clear);
        if (skip >= here) {
            skip -= here;
            continue;
        }
        while (skip--)
            clear &= clear - 1;
        return word * 64 + gpci_lowest(clear);
    }
    return UINT32_MAX;
}

/* Victim of a set with up to 64 ways, all candidates: the lowest way with a clear bit. */
static uint32_t lowest(nru_state *state, uint32_t set) {
    uint64_t clear = state->all & ~state->referenced[set];
    if (clear)
        return gpci_lowest(clear);
    state->referenced[set] = 0;
    return 0;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    nru_state *state = self;
    if (state->all && !candidates)
        return lowest(state, set);
    uint64_t *referenced = &state->referenced[(size_t)set * state->words];
    uint32_t way = find_clear(state, referenced, candidates);
    if (way != UINT32_MAX)
        return way;
    for (uint32_t word = 0; word < state->words; word++)
        referenced[word] = 0;
    return find_clear(state, referenced, candidates);
}

/* Cost: a reference bit per line; with random=1 a 64-bit generator. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return (uint64_t)env->sets * env->ways + (env->parameters[0] > 0 ? 64 : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    nru_state *state = self;
    visit(user_data, &state->generator, sizeof state->generator);
}

const gpc_replacement_ops gpci_nru = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "nru",
    .summary = "evict the lowest way (random=1: any) not referenced since the set's reference bits were cleared",
    .source = "Jaleel et al., ISCA 2010, as the 1-bit baseline of RRIP",
    .instance_bytes = sizeof(nru_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = 1,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = touch,
    .on_sector_miss = touch,
    .choose_victim = choose_victim,
    .on_fill = touch,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
