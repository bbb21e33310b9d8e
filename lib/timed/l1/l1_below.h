/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L1_BELOW_H
#define GPC_TIMED_L1_BELOW_H

#include "timed/core/timed.h"

/* Copy of a packet as an independent packet, not part of an access. */
uint32_t gpci_l1_copy(gpci_timed *timed, uint32_t packet, gpci_packet_type type);
/* gpci_ctrl_rules.send and .evicted of an L1. */
void gpci_l1_send_fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked);
void gpci_l1_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction);

#endif
