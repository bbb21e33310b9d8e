/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L1_OBSERVE_H
#define GPC_TIMED_L1_OBSERVE_H

#include "timed/core/timed.h"

/* Tell the observer of the L1s (level/rules/observer.h); gpc_hierarchy.observer says whether it is present. */

/*
 * Tell the observer about a lookup, an instruction, or a miss whose decision to bypass has changed (`bypass`). `access`
 * NULL: the packet bypasses L1 without a lookup. `hits`: segments of a load that are present or in flight.
 */
GPCI_COLD void gpci_l1_observe_lookup(gpci_timed *timed, const gpci_packet *pkt, const gpci_tag_access *access,
                                      uint8_t hits);
GPCI_COLD void gpci_l1_observe_issue(gpci_timed *timed, const gpc_request *request);
GPCI_COLD void gpci_l1_observe_change(gpci_ctrl *ctrl, const gpc_request *request, bool bypass);

/* Tell the observer, if present, about a miss whose decision to bypass has changed. */
GPCI_INLINE void gpci_l1_observe_verdict(gpci_ctrl *ctrl, const gpc_request *request, bool bypass) {
    if (GPCI_UNLIKELY(ctrl->timed->hierarchy->observer != NULL))
        gpci_l1_observe_change(ctrl, request, bypass);
}

/* Count and report bytes of a fetch that are not kept. */
void gpci_l1_not_kept(gpci_ctrl *ctrl, const gpci_packet *packet, uint8_t sectors);

#endif
