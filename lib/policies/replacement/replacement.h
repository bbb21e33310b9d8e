/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_REPLACEMENT_REPLACEMENT_H
#define GPC_POLICIES_REPLACEMENT_REPLACEMENT_H

#include "base/base.h"

#include <gpucache/ext/policies.h>

#define POLICY(table, file) extern const gpc_replacement_ops table;
#include "policies/replacement/list.def"
#undef POLICY

#endif
