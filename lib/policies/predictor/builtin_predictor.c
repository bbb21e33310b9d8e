/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/registry.h"

#include "policies/predictor/predictors.h"

/* One line per predictor; the order is that of `gpucache policies`. */
const gpc_predictor_ops *const gpci_builtin_predictors[] = {
    &gpci_always_cache,
    &gpci_always_bypass,
    &gpci_hint,
    &gpci_mrpb,
    &gpci_agcb,
    &gpci_agcb_early,
    &gpci_agcb_below,
    &gpci_random_predictor,
    &gpci_warp_token,
    &gpci_access_count,
    &gpci_counter_based_predictor,
    &gpci_sdbp_predictor,
    &gpci_rpr_predictor,
    &gpci_profile_address,
    &gpci_hybrid,
    &gpci_compiler,
    &gpci_vote_predictor,
    NULL,
};
