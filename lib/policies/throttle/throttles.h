/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_THROTTLES_H
#define GPC_POLICIES_THROTTLE_THROTTLES_H

#include "base/base.h"

#include <gpucache/scheduler.h>

#define POLICY(table, file) extern const gpc_throttle_ops table;
#include "policies/throttle/list.def"
#undef POLICY

#endif
