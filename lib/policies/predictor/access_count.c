/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "policies/predictor/predictors.h"

/*
 * Hardware-based bypassing of seeds/001 IV.C: a warp load with many line transactions has poor spatial locality. A load
 * with more transactions than the threshold register bypasses, with all its transactions.
 *
 * Example, threshold 16: a load with lanes 64 bytes apart makes 16 transactions of 128 bytes and is cached. A load with
 * lanes 128 bytes apart makes 32 transactions and bypasses.
 */

typedef struct count_state {
    uint32_t threshold;
} count_state;

static const gpc_parameter parameters[] = {
    {"threshold", 16, 0, 65535, true, "transactions of a load above which it bypasses (seeds/001 IV.C: 16)"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((count_state *)self)->threshold = (uint32_t)env->parameters[0];
    return GPC_OK;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)set;
    const count_state *state = self;
    if (request->kind == GPC_LOAD && request->transactions > state->threshold)
        prediction->decision = GPC_BYPASS;
}

/* Cost: threshold register: 6 bits hold a warp load's 32 transactions; a larger threshold takes more bits. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint32_t bits = gpci_ceil_log2((uint64_t)env->parameters[0] + 1);
    return bits > 6 ? bits : 6;
}

const gpc_predictor_ops gpci_access_count = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "access-count",
    .summary = "loads that make more than a threshold of line transactions bypass",
    .source = "seeds/001 section IV.C",
    .instance_bytes = sizeof(count_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .predict = predict,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_TRANSACTIONS | GPC_READS_KIND,
};
