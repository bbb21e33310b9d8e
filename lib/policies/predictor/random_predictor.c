/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "policies/predictor/predictors.h"

/*
 * Bypass any missing load with probability p: the control for other predictors. The control has the benefit of
 * bypassing as such (a part of a too large stream stays in the cache), without the benefit of a good choice. The draws
 * come from the cache's seed, by splitmix64 on integers: the same on every machine.
 *
 * Example, p = 0.5, seed 1234567: the first draws are 0.350, 0.174 and 0.532 of the range. The first two misses bypass
 * and the third does not.
 */

typedef struct random_predictor_state {
    uint64_t generator;
    uint64_t bound; /* p x 2^32 */
} random_predictor_state;

static const gpc_parameter parameters[] = {
    {"p", 0.5, 0, 1, false, "probability that a load which misses bypasses"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    random_predictor_state *state = self;
    state->generator = env->seed;
    state->bound = (uint64_t)(env->parameters[0] * 4294967296.0);
    return GPC_OK;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)set;
    random_predictor_state *state = self;
    if (request->kind == GPC_LOAD && gpci_random(&state->generator) >> 32 < state->bound)
        prediction->decision = GPC_BYPASS;
}

/* Cost: a 64-bit generator and a 32-bit bound. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    (void)env;
    return 64 + 32;
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    random_predictor_state *state = self;
    visit(user_data, &state->generator, sizeof state->generator);
}

const gpc_predictor_ops gpci_random_predictor = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = state_of,
    .name = "random-p",
    .summary = "a load that misses bypasses with probability p: a control; repeatable by the seed",
    .source = "",
    .instance_bytes = sizeof(random_predictor_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .predict = predict,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_KIND,
};
