/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/duel.h"
#include "policies/replacement/plru.h"
#include "policies/replacement/replacement.h"

#include <stdlib.h>

/*
 * Insertion and promotion for tree pseudo-LRU (GIPPR). A vector has a position for each leaf of the tree, and one more.
 * A line hit at position i (plru.h) moves to the vector's position i. An inserted line takes the vector's last
 * position. The vector of all 0 is plru; the vector of all 0 with a last position of leaves - 1 is plru's
 * insertion=lru. dgippr has two vectors, which duel as DIP's policies do, with a selector of 11 bits (2-DGIPPR).
 *
 * The defaults are the vectors that the paper bred for 16 ways (section 5.3, workload-inclusive). On a tree of L leaves
 * a vector of n + 1 positions is read in proportion: position i takes entry floor(i x n / L), times L / n.
 *
 * Example, 4 ways, one set, gippr(0, 0, 2, 1, 2), stream A B C D A E, positions of ways 0 to 3 after each:
 *   empty              3 2 1 0
 *   A miss             2 3 1 0   A at 2: the root still points to A, the node above A points away
 *   B miss             3 2 1 0
 *   C miss             1 0 2 3   the root points right, the node above C points away from C
 *   D miss             1 0 3 2
 *   A hit              0 1 3 2   A was at 1, and the vector's entry 1 is 0
 *   E evicts C         0 1 2 3   the victim is at 3
 */

#define MOST_LEAVES 1024u
#define MOST_NUMBERS 512u /* an argument text has fewer numbers */

typedef struct gippr_state {
    gpci_tree tree;
    gpci_duel duel;
    uint16_t vectors[2][MOST_LEAVES + 1]; /* in proportion to the tree */
} gippr_state;

enum { LEADERS, SELECTOR };

static const gpc_parameter duel_parameters[] = {
    GPCI_LEADERS,
    {"selector", 11, 1, 31, true, "bits of the counter that selects (PSEL)"},
};

#define SINGLE "0, 0, 2, 8, 4, 1, 4, 1, 8, 0, 14, 8, 12, 13, 14, 9, 5"
#define FIRST_VECTOR "8, 0, 2, 8, 12, 4, 6, 3, 0, 8, 10, 8, 4, 12, 14, 3, 15"
#define SECOND_VECTOR "0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 0, 0, 0, 0, 0"

static const gpc_text_parameter single_texts[] = {
    {"", SINGLE, NULL, "position after a hit at 0, at 1 and so on, then that of a line that comes in; 0 = just used"},
};

static const gpc_text_parameter pair_texts[] = {
    {"", FIRST_VECTOR ", " SECOND_VECTOR, NULL, "two such vectors, one after the other"},
};

/* Read the numbers of a list; return their count. UINT32_MAX: not a list of numbers, or too long. */
static uint32_t read_numbers(const char *text, uint32_t *numbers, uint32_t most) {
    uint32_t count = 0;
    while (*text) {
        char *end;
        unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : MOST_LEAVES;
        if (number >= MOST_LEAVES || count == most)
            return UINT32_MAX;
        numbers[count++] = (uint32_t)number;
        text = end;
        if (*text && *text != ',')
            return UINT32_MAX;
        while (*text == ',' || *text == ' ')
            text++;
    }
    return count;
}

static gpc_status refuse(char *message, uint32_t vectors) {
    return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT,
                              "%s a power of two of positions below it, and one more for lines that come in",
                              vectors == 2 ? "each of the two vectors is" : "the vector is");
}

/* Read the vectors of `text`, in proportion to the tree. */
static gpc_status read_vectors(gippr_state *state, uint32_t vectors, const char *text, char *message) {
    uint32_t numbers[MOST_NUMBERS], leaves = (uint32_t)1 << state->tree.levels;
    uint32_t count = read_numbers(text, numbers, MOST_NUMBERS), given = count / vectors - 1;
    if (count == UINT32_MAX || count % vectors || count < 2 * vectors || !gpci_power_of_two(given))
        return refuse(message, vectors);
    for (uint32_t v = 0; v < vectors; v++) {
        const uint32_t *vector = numbers + v * (given + 1);
        for (uint32_t i = 0; i <= leaves; i++) {
            uint32_t value = vector[i == leaves ? given : (uint32_t)((uint64_t)i * given / leaves)];
            if (value >= given)
                return refuse(message, vectors);
            state->vectors[v][i] = (uint16_t)((uint64_t)value * leaves / given);
        }
    }
    return GPC_OK;
}

/* Set up tree and duel. `set_state` has the trees of all sets, then the roles of all sets in the duel. */
static void begin(gippr_state *state, const gpc_policy_env *env, uint32_t sets, uint32_t leaders, uint32_t bits) {
    gpci_tree_init(&state->tree, env);
    gpci_duel_init(&state->duel, (uint8_t *)env->set_state + env->sets * sizeof(uint64_t), sets, leaders, bits);
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    begin(self, env, 1, 1, 1); /* one vector: no set leads, and all sets follow the first policy */
    return read_vectors(self, 1, env->texts[0], message);
}

static gpc_status init_pair(void *self, const gpc_policy_env *env, char *message) {
    begin(self, env, env->sets, (uint32_t)env->parameters[LEADERS], (uint32_t)env->parameters[SELECTOR]);
    return read_vectors(self, 2, env->texts[0], message);
}

static const uint16_t *vector_of(const gippr_state *state, uint32_t set) {
    return state->vectors[gpci_duel_second(&state->duel, set)];
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    gippr_state *state = self;
    gpci_tree_put(&state->tree, set, way, vector_of(state, set)[gpci_tree_get(&state->tree, set, way)]);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    gippr_state *state = self;
    gpci_duel_miss(&state->duel, set);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    const gippr_state *state = self;
    return gpci_tree_victim(&state->tree, set, candidates);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    gippr_state *state = self;
    gpci_tree_put(&state->tree, set, way, vector_of(state, set)[(size_t)1 << state->tree.levels]);
}

/* Cost: plru's tree, ways - 1 bits per set. The vectors are constants, and cost no storage. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_tree_bits(env);
}

/* Cost: the tree and the selector, 11 bits. */
static uint64_t pair_cost_bits(const gpc_policy_env *env) {
    return gpci_tree_bits(env) + (uint64_t)env->parameters[SELECTOR];
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gippr_state *state = self;
    visit(user_data, &state->duel.selector, sizeof state->duel.selector);
    visit(user_data, &state->duel.midpoint, sizeof state->duel.midpoint);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_duel_counter(&((gippr_state *)self)->duel, index, out);
}

const gpc_replacement_ops gpci_gippr = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "gippr",
    .summary = "tree pseudo-LRU where a vector says to which position a line moves that is hit or comes in",
    .source = "Jimenez, MICRO 2013, section 3.4",
    .instance_bytes = sizeof(gippr_state),
    .set_bytes = sizeof(uint64_t) + 1,
    .line_bytes = 1,
    .texts = single_texts,
    .text_count = sizeof single_texts / sizeof *single_texts,
    .init = init,
    .on_hit = on_hit,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};

const gpc_replacement_ops gpci_dgippr = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .counter = counter,
    .name = "dgippr",
    .summary = "gippr with two vectors, of which sets follow the one that misses less where it is always followed",
    .source = "Jimenez, MICRO 2013, section 3.5 (2-DGIPPR)",
    .instance_bytes = sizeof(gippr_state),
    .set_bytes = sizeof(uint64_t) + 1,
    .line_bytes = 1,
    .parameters = duel_parameters,
    .parameter_count = sizeof duel_parameters / sizeof *duel_parameters,
    .texts = pair_texts,
    .text_count = sizeof pair_texts / sizeof *pair_texts,
    .init = init_pair,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = pair_cost_bits,
    .reads = GPC_READS_PLACE,
};
