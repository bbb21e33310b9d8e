/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/duel.h"
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"
#include "policies/replacement/thrash_throttle.h"

/*
 * Dynamic insertion: LRU and BIP duel (duel.h), and the sets follow the policy with fewer misses. All sets keep the
 * same order under both policies; only the place of an inserted line differs. With bypass=1 BIP bypasses, as in bip.
 *
 * Example, 4 sets of 1 way, 1-bit selector: set 0 leads for LRU, set 3 for BIP, 1 and 2 follow.
 *   start              selector 0: 1 and 2 follow LRU
 *   a miss in set 0    selector 1: they follow BIP
 *   a miss in set 0    selector 1, saturated
 *   a miss in set 3    selector 0: they follow LRU again
 *   a miss in set 1    selector 0: followers have no vote
 */

enum { EPSILON, RANDOM, BYPASS, LEADERS, SELECTOR };

typedef struct dip_state {
    gpci_lru_state lru;
    gpci_thrash_throttle throttle;
    gpci_duel duel;
    bool bypass;
} dip_state;

static const gpc_parameter parameters[] = {
    GPCI_EPSILON,
    GPCI_RANDOM,
    {"bypass", 0, 0, 1, true, "1 = lines that BIP does not let through bypass a full set"},
    GPCI_LEADERS,
    GPCI_SELECTOR_BITS,
};

/* Set up the policy. `set_state` has the orders of all sets, then the roles of all sets in the duel. */
static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    dip_state *state = self;
    gpci_thrash_throttle_init(&state->throttle, env->parameters[EPSILON], env->parameters[RANDOM] > 0, env->seed);
    gpci_duel_init(&state->duel, (uint8_t *)env->set_state + env->sets * sizeof(uint64_t), env->sets,
                   (uint32_t)env->parameters[LEADERS], (uint32_t)env->parameters[SELECTOR]);
    state->bypass = env->parameters[BYPASS] > 0;
    return gpci_lru_init(&state->lru, env, message);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    dip_state *state = self;
    gpci_lru_touch(&state->lru, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    dip_state *state = self;
    gpci_duel_miss(&state->duel, set);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    dip_state *state = self;
    if (state->bypass && !request->policy.admitted && gpci_duel_second(&state->duel, set) &&
        !gpci_thrash_throttle_passes(&state->throttle))
        return GPC_WAY_BYPASS;
    return gpci_lru_last(&state->lru, set, candidates);
}

/*
 * Let the throttle decide. If the line passes, the later choose_victim sees `admitted`, and does not ask the throttle.
 */
static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    return choose_victim(self, set, candidates, request) == GPC_WAY_BYPASS;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    dip_state *state = self;
    bool rarely = gpci_duel_second(&state->duel, set) & !state->bypass;
    gpci_lru_insert(&state->lru, set, way, !rarely | gpci_thrash_throttle_passes_if(&state->throttle, rarely));
}

/*
 * Cost: LRU's order, sets x ways x ceil(log2(ways)) bits, and the throttle and the selector, together 15 bits: the
 * paper's "less than two bytes".
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env) + (uint64_t)env->parameters[SELECTOR] +
           gpci_thrash_throttle_bits(env->parameters[EPSILON], env->parameters[RANDOM] > 0);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | (env->parameters[BYPASS] > 0 ? GPC_READS_ADMISSION : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    dip_state *state = self;
    visit(user_data, &state->throttle, sizeof state->throttle);
    visit(user_data, &state->duel.selector, sizeof state->duel.selector);
    visit(user_data, &state->duel.midpoint, sizeof state->duel.midpoint);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_duel_counter(&((dip_state *)self)->duel, index, out);
}

const gpc_replacement_ops gpci_dip = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .counter = counter,
    .name = "dip",
    .summary = "LRU or BIP, whichever misses less in the sets that always follow it",
    .source = "Qureshi et al., ISCA 2007, section 5",
    .instance_bytes = sizeof(dip_state),
    .set_bytes = sizeof(uint64_t) + 1,
    .line_bytes = sizeof(gpci_lru_link),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .declines = declines,
    .reads = GPC_READS_PLACE | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};
