/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/candidates.h"
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

#include <math.h>

/*
 * Least recently/frequently used (Lee, Choi, Kim, Noh, Min, Cho and Kim, IEEE TC 50(12), 2001). Each past access of a
 * line adds to the line's worth (the paper: combined recency and frequency), and old accesses add less: an access x
 * accesses ago adds F(x) = (1/2)^(lambda x). The victim is the line with the lowest worth. lambda = 0 is LFU, lambda =
 * 1 is LRU.
 *
 * All accesses before the last one decay alike. A line therefore keeps two numbers: the time of its last access, and
 * its worth at the last access. At an access d later (section 2):
 *   worth = F(0) + F(d) worth
 * With correlated=c (section 3.3) an access counts only if the line's next access comes more than c later. The last
 * access always counts: if d <= c, worth = F(0) + F(d) (worth - F(0)).
 *
 * The paper has one pool of blocks and leaves open: time is the accesses of the set. Numbers are finite as in hardware:
 * worth is a saturating fixed-point number of 8 + 16 bits, and the time since the last access saturates at `age` bits.
 * Of equals the least recent leaves. As in the paper, an evicted line is forgotten.
 *
 * Example, lambda = 1/2, 2 ways, one set; after each access the present worth of both lines:
 *   A    A 1
 *   A    A 1 + 2^-1/2 = 1.707
 *   B    A 1.207, B 1
 *   C    A 0.854, B 0.707: B leaves, although A is the less recent; LRU would keep B
 *   D    A 0.604, C 0.707: A leaves; LFU would keep A
 */

enum { LAMBDA, CORRELATED, AGE };

#define WORTH_ONE ((uint32_t)1 << 16)
#define WORTH_MOST (((uint32_t)1 << 24) - 1)

typedef struct line_worth {
    uint64_t last;  /* the set's access count at the line's last access */
    uint32_t worth; /* worth at the last access */
    uint32_t unused;
} line_worth;

typedef struct lrfu_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpc_context *context;
    uint64_t *accesses; /* [sets] */
    line_worth *lines;  /* [sets x ways] */
    uint32_t *decay;    /* [2^age]: F, in units of 1/WORTH_ONE */
    uint32_t longest, correlated;
} lrfu_state;

static const gpc_parameter parameters[] = {
    {"lambda", 0.1, 0, 1, false, "from 0, frequency alone (LFU), to 1, recency alone (LRU)"},
    {"correlated", 0, 0, 65535, true, "accesses of the set within which one counts as part of the last; 0 = none"},
    {"age", 8, 1, 16, true, "bits of the time since a line's last access"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    lrfu_state *state = self;
    size_t lines = (size_t)env->sets * env->ways, ages = (size_t)1 << (uint32_t)env->parameters[AGE];
    gpc_policy_env order = *env;
    state->lines = env->line_state;
    order.line_state = state->lines + lines;
    state->accesses = (uint64_t *)env->set_state + env->sets;
    state->context = env->context;
    state->longest = (uint32_t)ages - 1;
    state->correlated = (uint32_t)env->parameters[CORRELATED];
    state->decay = gpci_alloc(env->context, ages * sizeof *state->decay);
    if (!state->decay)
        return GPC_ERROR_MEMORY;
    for (size_t age = 0; age < ages; age++) /* rounded: hides a difference in exp2's last digit between machines */
        state->decay[age] = (uint32_t)(exp2(-env->parameters[LAMBDA] * (double)age) * WORTH_ONE + 0.5);
    return gpci_lru_init(&state->lru, &order, message);
}

static void finish(void *self) {
    lrfu_state *state = self;
    gpci_free(state->context, state->decay);
}

static uint32_t age_of(const lrfu_state *state, uint32_t set, const line_worth *line) {
    uint64_t age = state->accesses[set] - line->last;
    return age < state->longest ? (uint32_t)age : state->longest;
}

GPCI_INLINE uint32_t decayed(const lrfu_state *state, uint32_t worth, uint32_t age) {
    return (uint32_t)((uint64_t)worth * state->decay[age] >> 16);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    lrfu_state *state = self;
    line_worth *line = &state->lines[(size_t)set * state->lru.ways + way];
    state->accesses[set]++;
    uint32_t age = age_of(state, set, line);
    uint32_t before = line->worth - (age <= state->correlated ? WORTH_ONE : 0);
    uint32_t worth = WORTH_ONE + decayed(state, before, age);
    *line = (line_worth){.last = state->accesses[set], .worth = worth < WORTH_MOST ? worth : WORTH_MOST};
    gpci_lru_touch(&state->lru, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    ((lrfu_state *)self)->accesses[set]++;
}

/* Choose the line with the lowest worth; of equals the least recent line. */
static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    lrfu_state *state = self;
    const line_worth *lines = &state->lines[(size_t)set * state->lru.ways];
    uint32_t worth[GPC_MAX_WAYS], least = UINT32_MAX;
    uint64_t of_least[GPC_MAX_WAYS / 64] = {0};
    for (uint32_t way = 0; way < state->lru.ways; way++) {
        uint32_t now = decayed(state, lines[way].worth, age_of(state, set, &lines[way]));
        worth[way] = gpci_is_candidate(candidates, way) ? now : UINT32_MAX;
        least = worth[way] < least ? worth[way] : least;
    }
    for (uint32_t way = 0; way < state->lru.ways; way++)
        of_least[way / 64] |= (uint64_t)(worth[way] == least) << (way % 64);
    return gpci_lru_last(&state->lru, set, of_least);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    lrfu_state *state = self;
    line_worth *line = &state->lines[(size_t)set * state->lru.ways + way];
    *line = (line_worth){.last = state->accesses[set], .worth = WORTH_ONE};
    gpci_lru_touch(&state->lru, set, way);
}

/* Cost: LRU's order; worth (24 bits) and age of each line. The values of F are constants, and cost no storage. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways * (24 + (uint64_t)env->parameters[AGE]);
}

const gpc_replacement_ops gpci_lrfu = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = gpci_state_none,
    .name = "lrfu",
    .summary = "evict the line worth least, where each past access counts, the less the longer ago (LFU to LRU)",
    .source = "Lee et al., IEEE TC 50(12), 2001; seeds/004 section 2.3",
    .instance_bytes = sizeof(lrfu_state),
    .set_bytes = 2 * sizeof(uint64_t),
    .line_bytes = sizeof(line_worth) + sizeof(gpci_lru_link),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .on_sector_miss = gpci_lru_use,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
