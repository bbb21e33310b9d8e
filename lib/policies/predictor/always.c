/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"

/*
 * Two constant decisions, for baselines and bounds.
 *
 * Example: a stream A B A B through `always-bypass` never allocates: its four accesses are four misses; through
 * `always-cache` the last two hit.
 */

static void predict_cache(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request;
    prediction->decision = GPC_CACHE;
}

static void predict_bypass(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request;
    prediction->decision = GPC_BYPASS;
}

const gpc_predictor_ops gpci_always_cache = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "always-cache",
    .summary = "every miss may allocate",
    .source = "",
    .predict = predict_cache,
    .reads = GPC_READS_PLACE,
};

const gpc_predictor_ops gpci_always_bypass = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "always-bypass",
    .summary = "no miss allocates; resident lines still hit",
    .source = "GPGPU-Sim's -gpgpu_gmem_skip_L1D; seeds/000 section 7",
    .predict = predict_bypass,
    .reads = GPC_READS_PLACE,
};
