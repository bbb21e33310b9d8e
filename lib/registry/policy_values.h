/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REGISTRY_POLICY_VALUES_H
#define GPC_REGISTRY_POLICY_VALUES_H

#include "registry/registry.h"

/* Counters that policies publish of themselves, over the instances of an object. */

/* Instances of one table: "l1.replacement" and so many. */
typedef struct gpci_policy_group {
    const char *place;                                        /* begins the names */
    const gpci_policy *(*at)(const void *of, uint32_t index); /* NULL: not there */
    const void *of;
    uint32_t count;
} gpci_policy_group;

/* Counter `index` of an instance. false: it has none. */
bool gpci_policy_counter(const gpci_policy *policy, size_t index, gpc_policy_counter *out);
/* Counter `index` of all groups, one after the other, into a host's struct; as gpc_cache_policy_value. */
gpc_status gpci_policy_value(const gpci_policy_group *groups, size_t count, size_t index, gpc_policy_value *value);

#endif
