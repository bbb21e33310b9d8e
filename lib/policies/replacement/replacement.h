/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_REPLACEMENT_H
#define GPC_POLICIES_REPLACEMENT_REPLACEMENT_H

#include <gpucache/policy.h>

extern const gpc_replacement_ops gpci_lru;
extern const gpc_replacement_ops gpci_fifo;
extern const gpc_replacement_ops gpci_random_policy;
extern const gpc_replacement_ops gpci_mru;
extern const gpc_replacement_ops gpci_nru;
extern const gpc_replacement_ops gpci_plru;
extern const gpc_replacement_ops gpci_gippr;
extern const gpc_replacement_ops gpci_dgippr;
extern const gpc_replacement_ops gpci_lip;
extern const gpc_replacement_ops gpci_bip;
extern const gpc_replacement_ops gpci_dip;
extern const gpc_replacement_ops gpci_srrip;
extern const gpc_replacement_ops gpci_brrip;
extern const gpc_replacement_ops gpci_drrip;
extern const gpc_replacement_ops gpci_ship;
extern const gpc_replacement_ops gpci_protecting_distance;
extern const gpc_replacement_ops gpci_opt;
extern const gpc_replacement_ops gpci_opt_bypass;
extern const gpc_replacement_ops gpci_age_lru;
extern const gpc_replacement_ops gpci_rpr_policy;
extern const gpc_replacement_ops gpci_rpr_age;
extern const gpc_replacement_ops gpci_rpr_distance;
extern const gpc_replacement_ops gpci_rpr_count;
extern const gpc_replacement_ops gpci_combined;
extern const gpc_replacement_ops gpci_counter_based_policy;
extern const gpc_replacement_ops gpci_sdbp_policy;

extern const gpc_replacement_ops gpci_vote_policy;
extern const gpc_replacement_ops gpci_dynamic_age_lru;
extern const gpc_replacement_ops gpci_dynamic_rpr;

#endif
