/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"

/*
 * The instruction decides: a request with a cache operator against this level (.cg, .cv, L1::no_allocate) skips the
 * tags, as in hardware. Even a resident line does not hit.
 *
 * Example: ld.ca A; ld.cg A; ld.ca A. The first load misses and fills, the second goes below although A is resident,
 * the third hits.
 */

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set;
    switch (request->hint) {
    case GPC_HINT_CG:
    case GPC_HINT_CV:
    case GPC_HINT_NO_ALLOCATE:
        prediction->decision = GPC_BYPASS;
        break;
    default:
        prediction->decision = GPC_CACHE;
    }
}

const gpc_predictor_ops gpci_hint = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "hint",
    .summary = "the instruction's cache operator decides (.cg, .cv and no_allocate bypass)",
    .source = "PTX ISA, Cache Operators",
    .before_lookup = true,
    .predict = predict,
    .reads = GPC_READS_PLACE | GPC_READS_HINT,
};
