/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CONSTANT_CACHE_H
#define GPC_TIMED_CONSTANT_CACHE_H

#include "level/access/constants.h"
#include "timed/core/timed.h"

/*
 * An SM's constant cache with a clock (level/access/constants.h): a stage (stage.h) beside L1's stage. It is stepped
 * together with L1, and sends misses through L1's miss queue. A load waits before the tags among the SM's other memory
 * instructions (l1.queue), and passes them one line a cycle, in parallel to L1's.
 */
gpc_status gpci_constants_stage_create(gpci_timed *t, gpci_stage *l1);
void gpci_constants_stage_destroy(gpci_timed *t, gpci_stage *l1);
/* Issue a load; the SM has room. */
gpc_status gpci_constants_issue(gpci_timed *t, const gpc_warp_access *w, uint64_t token, bool framed);
/* Pass lines through the tags; gpci_constants_send: move reads to L1's miss queue. */
void gpci_constants_step(gpci_timed *t, gpci_stage *l1);
void gpci_constants_send(gpci_timed *t, gpci_stage *l1);

/* True if a fetch returning to L1 belongs to the SM's constant cache (or, with an L1.5, to it: l15_stage.h). */
GPCI_INLINE bool gpci_is_of_constants(const gpci_packet *fetch) {
    return fetch->flags & GPCI_PACKET_CONSTANT;
}

/*
 * Rules of read-only stages: constant cache and L1.5 (l15_stage.h). A miss requests the stage's line; evicted lines are
 * never dirty.
 */
void gpci_read_only_send(gpci_timed *t, gpci_stage *stage, const gpci_fetch_request *asked);
void gpci_read_only_evicted(gpci_timed *t, gpci_stage *stage, const gpc_eviction *eviction);

#endif
