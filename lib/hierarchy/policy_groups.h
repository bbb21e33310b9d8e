/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_HIERARCHY_POLICY_GROUPS_H
#define GPC_HIERARCHY_POLICY_GROUPS_H

#include "level/rules/hierarchy.h"
#include "registry/policy_values.h"

/* List the policies of a hierarchy in six groups: replacement, bypass and prefetchers of L1s and of slices. */
#define GPCI_POLICY_GROUPS 6u
void gpci_hierarchy_policies(const gpc_hierarchy *hierarchy, gpci_policy_group groups[GPCI_POLICY_GROUPS]);

#endif
