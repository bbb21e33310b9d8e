/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/policy_groups.h"

#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "timed/ctrl/prefetch.h"

/* Counters published by the policies of a hierarchy's caches. In a coherent tree, L1s and slices are modules. */

static const gpci_policy *l1_replacement(const void *of, uint32_t index) {
    const gpc_hierarchy *h = of;
    return h->coherent ? gpci_module_at(h->coherent->tree, index)->policy : h->l1 ? h->l1[index]->replacement : NULL;
}

static const gpci_policy *l1_bypass(const void *of, uint32_t index) {
    const gpc_hierarchy *h = of;
    return h->coherent ? gpci_module_at(h->coherent->tree, index)->predictor : h->l1 ? h->l1[index]->predictor : NULL;
}

static const gpci_policy *l2_replacement(const void *of, uint32_t index) {
    const gpc_hierarchy *h = of;
    return h->l2 ? h->l2[index]->replacement : NULL;
}

static const gpci_policy *l2_bypass(const void *of, uint32_t index) {
    const gpc_hierarchy *h = of;
    return h->l2 ? h->l2[index]->predictor : NULL;
}

static const gpci_policy *l1_prefetcher(const void *of, uint32_t index) {
    const gpc_hierarchy *h = of;
    const gpci_prefetch *prefetch = h->timed ? gpci_prefetch_of(&h->timed->l1[index]) : NULL;
    return prefetch ? prefetch->policy : NULL;
}

static const gpci_policy *l2_prefetcher(const void *of, uint32_t index) {
    const gpc_hierarchy *h = of;
    const gpci_prefetch *prefetch = h->timed ? gpci_prefetch_of(&h->timed->l2[index]) : NULL;
    return prefetch ? prefetch->policy : NULL;
}

void gpci_hierarchy_policies(const gpc_hierarchy *h, gpci_policy_group groups[GPCI_POLICY_GROUPS]) {
    const uint32_t l1s = h->has_l1 ? h->sms : 0;
    const gpci_policy_group all[GPCI_POLICY_GROUPS] = {
        {"l1.replacement", l1_replacement, h, l1s}, {"l1.bypass", l1_bypass, h, l1s},
        {"l1.prefetcher", l1_prefetcher, h, l1s},   {"l2.replacement", l2_replacement, h, h->slices},
        {"l2.bypass", l2_bypass, h, h->slices},     {"l2.prefetcher", l2_prefetcher, h, h->slices}};
    for (uint32_t i = 0; i < GPCI_POLICY_GROUPS; i++)
        groups[i] = all[i];
}

gpc_status gpc_hierarchy_policy_value(const gpc_hierarchy *h, size_t index, gpc_policy_value *value) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    gpci_policy_group groups[GPCI_POLICY_GROUPS];
    gpci_hierarchy_policies(h, groups);
    return gpci_policy_value(groups, GPCI_POLICY_GROUPS, index, value);
}
