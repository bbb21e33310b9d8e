/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREDICTOR_PREDICTORS_H
#define GPC_POLICIES_PREDICTOR_PREDICTORS_H

#include <gpucache/predictor.h>

extern const gpc_predictor_ops gpci_always_cache;
extern const gpc_predictor_ops gpci_always_bypass;
extern const gpc_predictor_ops gpci_hint;
extern const gpc_predictor_ops gpci_mrpb;
extern const gpc_predictor_ops gpci_agcb;
extern const gpc_predictor_ops gpci_agcb_early;
extern const gpc_predictor_ops gpci_agcb_below;
extern const gpc_predictor_ops gpci_random_predictor;
extern const gpc_predictor_ops gpci_warp_token;
extern const gpc_predictor_ops gpci_access_count;
extern const gpc_predictor_ops gpci_counter_based_predictor;
extern const gpc_predictor_ops gpci_sdbp_predictor;
extern const gpc_predictor_ops gpci_rpr_predictor;
extern const gpc_predictor_ops gpci_profile_address;
extern const gpc_predictor_ops gpci_hybrid;
extern const gpc_predictor_ops gpci_compiler;
extern const gpc_predictor_ops gpci_vote_predictor;

#endif
