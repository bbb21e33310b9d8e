/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CONSTANT_CACHE_H
#define GPC_TIMED_CONSTANT_CACHE_H

#include "level/access/constants.h"
#include "timed/core/timed.h"

/*
 * An SM's constant cache with a clock (level/access/constants.h): a controller (ctrl.h) beside L1's controller. It is
 * stepped together with L1, and sends misses through L1's miss queue. A load waits before the tags among the SM's other
 * memory instructions (l1.queue), and passes them one line a cycle, in parallel to L1's.
 */
GPCI_INLINE gpci_ctrl *gpci_constants_of(const gpci_ctrl *l1) {
    return l1->parts.self[GPCI_PART_CONSTANTS];
}
/* Issue a load; the SM has room. */
gpc_status gpci_constants_issue(gpci_timed *timed, const gpc_warp_access *access, uint64_t token, bool framed);

/* A fetch of the constant cache, or of the L1.5 in its place (l15_ctrl.h), returns to L1. */
void gpci_constants_fill(gpci_timed *timed, gpci_ctrl *l1, uint32_t fetch);

/*
 * Rules of read-only controllers: constant cache and L1.5 (l15_ctrl.h). A miss requests the controller's line; evicted
 * lines are never dirty.
 */
void gpci_read_only_send(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_fetch_request *asked);
void gpci_read_only_evicted(gpci_timed *timed, gpci_ctrl *ctrl, const gpc_eviction *eviction);

#endif
