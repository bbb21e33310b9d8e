/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"
#include "policies/replacement/sdbp_tables.h"

/*
 * Bypass blocks predicted dead on arrival by sampling dead block prediction (policies/replacement/sdbp_tables.h),
 * beside any replacement policy. The predictor learns from hits and from its own predictions. Predictor and replacement
 * policy `sdbp` have separate tables; `l1.replacement = sdbp(bypass=1)` does both with one set of tables.
 *
 * Example, a sampler of one way, PC p streams A B C D E: A, B and C are cached, D and E bypass.
 */

static const gpc_parameter parameters[] = {GPCI_SDBP_PARAMETERS};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    return gpci_sdbp_init(self, env, message);
}

static void finish(void *self) {
    gpci_sdbp_finish(self);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    if (gpci_sdbp_access(self, set, request))
        prediction->decision = GPC_BYPASS;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)way;
    gpci_sdbp_access(self, set, request);
}

static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_sdbp_bits(env);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_sdbp_state(self, visit, user_data);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_sdbp_counter(self, index, out);
}

const gpc_predictor_ops gpci_sdbp_predictor = {
    .struct_size = sizeof(gpc_predictor_ops),
    .counter = counter,
    .state = state_of,
    .name = "sdbp",
    .summary = "bypass lines that a sampler of PCs predicts dead on arrival",
    .source = "Khan, Tian and Jimenez, MICRO 2010",
    .instance_bytes = sizeof(gpci_sdbp),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .predict = predict,
    .on_hit = on_hit,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
};
