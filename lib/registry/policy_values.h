/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_POLICY_VALUES_H
#define GPC_REGISTRY_POLICY_VALUES_H

#include "registry/registry.h"

/* Counters published by policies, summed over the instances of an object. */

/* Instances of a policy in an object, for example the replacement policies of all L1s, with place "l1.replacement". */
typedef struct gpci_policy_group {
    const char *place;                                        /* first part of the counters' names */
    const gpci_policy *(*at)(const void *of, uint32_t index); /* instance at an index; NULL: absent */
    const void *of;
    uint32_t count;
} gpci_policy_group;

/* Get counter `index` of an instance. False: unknown index. */
bool gpci_policy_counter(const gpci_policy *policy, size_t index, gpc_policy_counter *out);
/* Write counter `index`, counted through all groups, to a host's struct; as gpc_cache_policy_value. */
gpc_status gpci_policy_value(const gpci_policy_group *groups, size_t count, size_t index, gpc_policy_value *value,
                             gpc_error *error);

#endif
