/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/policy_groups.h"

#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "timed/ctrl/prefetch.h"

/* Counters published by the policies of a hierarchy's caches. In a coherent tree, L1s and slices are modules. */

static const gpci_policy *l1_replacement(const void *of, uint32_t index) {
    const gpc_hierarchy *hierarchy = of;
    return hierarchy->coherent ? gpci_module_at(hierarchy->coherent->tree, index)->policy
           : hierarchy->l1     ? hierarchy->l1[index]->replacement
                               : NULL;
}

static const gpci_policy *l1_bypass(const void *of, uint32_t index) {
    const gpc_hierarchy *hierarchy = of;
    return hierarchy->coherent ? gpci_module_at(hierarchy->coherent->tree, index)->predictor
           : hierarchy->l1     ? hierarchy->l1[index]->predictor
                               : NULL;
}

static const gpci_policy *l2_replacement(const void *of, uint32_t index) {
    const gpc_hierarchy *hierarchy = of;
    return hierarchy->l2 ? hierarchy->l2[index]->replacement : NULL;
}

static const gpci_policy *l2_bypass(const void *of, uint32_t index) {
    const gpc_hierarchy *hierarchy = of;
    return hierarchy->l2 ? hierarchy->l2[index]->predictor : NULL;
}

static const gpci_policy *l1_prefetcher(const void *of, uint32_t index) {
    const gpc_hierarchy *hierarchy = of;
    const gpci_prefetch *prefetch = hierarchy->timed ? gpci_prefetch_of(&hierarchy->timed->l1[index]) : NULL;
    return prefetch ? prefetch->policy : NULL;
}

static const gpci_policy *l2_prefetcher(const void *of, uint32_t index) {
    const gpc_hierarchy *hierarchy = of;
    const gpci_prefetch *prefetch = hierarchy->timed ? gpci_prefetch_of(&hierarchy->timed->l2[index]) : NULL;
    return prefetch ? prefetch->policy : NULL;
}

void gpci_hierarchy_policies(const gpc_hierarchy *hierarchy, gpci_policy_group groups[GPCI_POLICY_GROUPS]) {
    const uint32_t l1s = hierarchy->has_l1 ? hierarchy->sms : 0;
    const gpci_policy_group all[GPCI_POLICY_GROUPS] = {{"l1.replacement", l1_replacement, hierarchy, l1s},
                                                       {"l1.bypass", l1_bypass, hierarchy, l1s},
                                                       {"l1.prefetcher", l1_prefetcher, hierarchy, l1s},
                                                       {"l2.replacement", l2_replacement, hierarchy, hierarchy->slices},
                                                       {"l2.bypass", l2_bypass, hierarchy, hierarchy->slices},
                                                       {"l2.prefetcher", l2_prefetcher, hierarchy, hierarchy->slices}};
    for (uint32_t i = 0; i < GPCI_POLICY_GROUPS; i++)
        groups[i] = all[i];
}

gpc_status gpc_hierarchy_policy_value(const gpc_hierarchy *hierarchy, size_t index, gpc_policy_value *value,
                                      gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_policy_value: hierarchy is NULL");
    gpci_policy_group groups[GPCI_POLICY_GROUPS];
    gpci_hierarchy_policies(hierarchy, groups);
    return gpci_policy_value(groups, GPCI_POLICY_GROUPS, index, value, error);
}
