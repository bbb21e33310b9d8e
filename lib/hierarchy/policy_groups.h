/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_POLICY_GROUPS_H
#define GPC_HIERARCHY_POLICY_GROUPS_H

#include "level/rules/hierarchy.h"
#include "registry/policy_values.h"

/* Policies of a hierarchy by place: replacement, bypass and prefetchers of L1s and slices. */
#define GPCI_POLICY_GROUPS 6u
void gpci_hierarchy_policies(const gpc_hierarchy *hierarchy, gpci_policy_group groups[GPCI_POLICY_GROUPS]);

#endif
