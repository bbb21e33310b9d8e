/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/registry.h"

#include "policies/throttle/throttles.h"

/* One line per throttle. */
const gpc_throttle_ops *const gpci_builtin_throttles[] = {
    &gpci_warps_throttle, &gpci_blocks_throttle, &gpci_ccws_throttle, &gpci_dyncta_throttle, &gpci_pcal_throttle, NULL,
};
