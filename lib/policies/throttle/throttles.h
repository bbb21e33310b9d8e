/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_THROTTLES_H
#define GPC_POLICIES_THROTTLE_THROTTLES_H

#include "base/base.h"

#include <gpucache/ext/scheduler.h>

#define GPCI_LINE_TAG_BITS 33u /* tag bits of a line of 128 bytes with 40-bit addresses, for costs */

#define POLICY(table, file) extern const gpc_throttle_ops table;
#include "policies/throttle/list.def"
#undef POLICY

#endif
