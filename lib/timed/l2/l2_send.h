/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L2_SEND_H
#define GPC_TIMED_L2_SEND_H

#include "timed/core/timed.h"

/* Write segments of the slice's line to DRAM. */
void gpci_l2_write_memory(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t inner, uint8_t segments);
/* Count the segments that a packet reads from DRAM. */
void gpci_l2_count_memory_read(gpc_hierarchy *hierarchy, uint32_t slice, const gpci_packet *pkt);
/* gpci_ctrl_rules.send and .evicted of a slice. */
void gpci_l2_send_fetch(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked);
void gpci_l2_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction);

#endif
