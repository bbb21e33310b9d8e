/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICY_POLICIES_H
#define GPC_POLICY_POLICIES_H

#include <gpucache/policy.h>

extern const gpc_replacement_ops gpci_lru;

#endif
