/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/duel.h"
#include "policies/replacement/replacement.h"
#include "policies/replacement/rrip.h"
#include "policies/replacement/thrash_throttle.h"

/*
 * Dynamic re-reference interval prediction: SRRIP and BRRIP duel, and the sets follow the policy with fewer misses. All
 * sets keep the same array of values under both policies; only the value of an inserted line differs.
 *
 * Example, M = 2, 4 sets of 2 ways, 1-bit selector, epsilon = 0: set 0 leads for SRRIP, set 3 for BRRIP, 1 and 2
 * follow. Line A falls into set 0, lines P to T into set 1:
 *   A miss             selector 1, the sets follow BRRIP
 *   P Q miss           set 1: 3 3
 *   R evicts P         3 3
 *   a miss in set 3    selector 0: SRRIP
 *   S evicts R         2 3
 *   T evicts Q         2 2
 */

enum { BITS, EPSILON, RANDOM, LEADERS, SELECTOR };

typedef struct drrip_state {
    gpci_rrip rrip;
    gpci_thrash_throttle throttle;
    gpci_duel duel;
} drrip_state;

static const gpc_parameter parameters[] = {
    GPCI_RRPV_BITS, GPCI_EPSILON, GPCI_RANDOM, GPCI_LEADERS, GPCI_SELECTOR_BITS,
};

/* Set up the policy. `set_state` has the planes of all sets, then the roles of all sets in the duel. */
static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    drrip_state *state = self;
    gpci_rrip_init(&state->rrip, env, (uint32_t)env->parameters[BITS]);
    gpci_thrash_throttle_init(&state->throttle, env->parameters[EPSILON], env->parameters[RANDOM] > 0, env->seed);
    gpci_duel_init(&state->duel, (uint8_t *)env->set_state + env->sets * GPCI_RRIP_SET_BYTES, env->sets,
                   (uint32_t)env->parameters[LEADERS], (uint32_t)env->parameters[SELECTOR]);
    return GPC_OK;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    drrip_state *state = self;
    gpci_rrip_clear(&state->rrip, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    drrip_state *state = self;
    gpci_duel_miss(&state->duel, set);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    drrip_state *state = self;
    return gpci_rrip_victim(&state->rrip, set, candidates);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    drrip_state *state = self;
    bool bimodal = gpci_duel_second(&state->duel, set);
    gpci_rrip_put_far(&state->rrip, set, way, bimodal & !gpci_thrash_throttle_passes_if(&state->throttle, bimodal));
}

/* Cost: a value per line, sets x ways x M bits, the selector, 10 bits, and the throttle, 5 bits for 1/32. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_rrip_bits(env, (uint32_t)env->parameters[BITS]) + (uint64_t)env->parameters[SELECTOR] +
           gpci_thrash_throttle_bits(env->parameters[EPSILON], env->parameters[RANDOM] > 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    drrip_state *state = self;
    visit(user_data, &state->throttle, sizeof state->throttle);
    visit(user_data, &state->duel.selector, sizeof state->duel.selector);
    visit(user_data, &state->duel.midpoint, sizeof state->duel.midpoint);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_duel_counter(&((drrip_state *)self)->duel, index, out);
}

const gpc_replacement_ops gpci_drrip = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .counter = counter,
    .name = "drrip",
    .summary = "SRRIP or BRRIP, whichever misses less in the sets that always follow it",
    .source = "Jaleel et al., ISCA 2010, section 5",
    .instance_bytes = sizeof(drrip_state),
    .set_bytes = GPCI_RRIP_SET_BYTES + 1,
    .line_bytes = GPCI_RRIP_LINE_BYTES,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
