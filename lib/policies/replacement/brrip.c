/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/replacement.h"
#include "policies/replacement/rrip.h"
#include "policies/replacement/thrash_throttle.h"

/*
 * Bimodal re-reference interval prediction: as SRRIP, but lines come in with the distant value 2^M - 1, and only a
 * share epsilon comes in with 2^M - 2. BRRIP is to SRRIP as BIP is to LRU: if a working set does not fit, a part of the
 * working set stays. For epsilon the paper says "with low probability"; 1/32 is BIP's share.
 *
 * Example, M = 2, 3 ways, one set, epsilon = 0.25, stream A B C D A E D, values of ways 0 to 2:
 *   A B C miss         3 3 3
 *   D evicts A         the fourth inserted line gets 2: 2 3 3
 *   A evicts B         2 3 3
 *   E evicts A         2 3 3
 *   D hit              0 3 3
 */

enum { BITS, EPSILON, RANDOM };

typedef struct brrip_state {
    gpci_rrip rrip;
    gpci_thrash_throttle throttle;
} brrip_state;

static const gpc_parameter parameters[] = {GPCI_RRPV_BITS, GPCI_EPSILON, GPCI_RANDOM};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    brrip_state *state = self;
    gpci_rrip_init(&state->rrip, env, (uint32_t)env->parameters[BITS]);
    gpci_thrash_throttle_init(&state->throttle, env->parameters[EPSILON], env->parameters[RANDOM] > 0, env->seed);
    return GPC_OK;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    brrip_state *state = self;
    gpci_rrip_clear(&state->rrip, set, way);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    brrip_state *state = self;
    return gpci_rrip_victim(&state->rrip, set, candidates);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    brrip_state *state = self;
    gpci_rrip_put_far(&state->rrip, set, way, !gpci_thrash_throttle_passes(&state->throttle));
}

/* Cost: a value per line, sets x ways x M bits, and the throttle, 5 bits for 1/32. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_rrip_bits(env, (uint32_t)env->parameters[BITS]) +
           gpci_thrash_throttle_bits(env->parameters[EPSILON], env->parameters[RANDOM] > 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    brrip_state *state = self;
    visit(user_data, &state->throttle, sizeof state->throttle);
}

const gpc_replacement_ops gpci_brrip = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "brrip",
    .summary = "SRRIP whose new lines are predicted distant, but for one in 32",
    .source = "Jaleel et al., ISCA 2010, section 4",
    .instance_bytes = sizeof(brrip_state),
    .set_bytes = GPCI_RRIP_SET_BYTES,
    .line_bytes = GPCI_RRIP_LINE_BYTES,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .on_hit = on_hit,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE,
};
