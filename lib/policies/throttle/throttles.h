/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_THROTTLES_H
#define GPC_POLICIES_THROTTLE_THROTTLES_H

#include <gpucache/scheduler.h>

extern const gpc_throttle_ops gpci_warps_throttle;
extern const gpc_throttle_ops gpci_blocks_throttle;
extern const gpc_throttle_ops gpci_ccws_throttle;
extern const gpc_throttle_ops gpci_dyncta_throttle;
extern const gpc_throttle_ops gpci_pcal_throttle;

#endif
