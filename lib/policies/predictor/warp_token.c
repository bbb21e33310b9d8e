/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"

/*
 * Warps without a token may not allocate, by loads or by stores. Their requests still hit, and pass L1 on a miss, as in
 * a cache with strict tokens. The scheduler gives the tokens (priority-based cache allocation: to the older warps of an
 * SM).
 *
 * Example, warp 0 with a token, warp 1 without: warp 1 loads A: a miss, no fill; warp 0 loads A: a miss and a fill;
 * warp 1 loads A: a hit.
 */

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set;
    prediction->decision = request->policy.token == GPC_TOKEN_NONE ? GPC_BYPASS : GPC_CACHE;
}

/* No storage: the request brings a bit, and the scheduler's storage includes the tokens. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    (void)env;
    return 0;
}

const gpc_predictor_ops gpci_warp_token = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "warp-token",
    .summary = "warps without a token hit where they can, but do not allocate",
    .source = "Li et al., HPCA 2015 (PCAL); seeds/004 section 4.2",
    .predict = predict,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_TOKEN,
};
