/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/registry.h"

#include "policies/replacement/replacement.h"

/* One line per policy; the order is that of `gpucache policies`. */
const gpc_replacement_ops *const gpci_builtin_replacements[] = {
    &gpci_lru,
    &gpci_fifo,
    &gpci_random_policy,
    &gpci_mru,
    &gpci_nru,
    &gpci_plru,
    &gpci_gippr,
    &gpci_dgippr,
    &gpci_lip,
    &gpci_bip,
    &gpci_dip,
    &gpci_srrip,
    &gpci_brrip,
    &gpci_drrip,
    &gpci_ship,
    &gpci_protecting_distance,
    &gpci_opt,
    &gpci_opt_bypass,
    &gpci_age_lru,
    &gpci_rpr_policy,
    &gpci_rpr_age,
    &gpci_rpr_distance,
    &gpci_rpr_count,
    &gpci_combined,
    &gpci_counter_based_policy,
    &gpci_sdbp_policy,
    &gpci_vote_policy,
    &gpci_dynamic_age_lru,
    &gpci_dynamic_rpr,
    NULL,
};
