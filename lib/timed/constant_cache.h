/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_CONSTANT_CACHE_H
#define GPC_TIMED_CONSTANT_CACHE_H

#include "level/constants.h"
#include "timed/timed.h"

/*
 * An SM's constant cache with a clock (level/constants.h): a stage (stage.h) beside that of L1, which is stepped with
 * it, and sends what it lacks through L1's miss queue. A load waits before its tags with the SM's other memory
 * instructions (l1.queue), and passes them a line a cycle, beside L1's.
 */
gpc_status gpci_constants_stage_create(gpci_timed *t, gpci_stage *l1);
void gpci_constants_stage_destroy(gpci_timed *t, gpci_stage *l1);
/* A load, for which the SM has room. */
gpc_status gpci_constants_issue(gpci_timed *t, const gpc_warp_access *w, uint64_t token, bool framed);
/* Lines through the tags, and reads on their way to L1's miss queue. */
void gpci_constants_step(gpci_timed *t, gpci_stage *l1);
void gpci_constants_send(gpci_timed *t, gpci_stage *l1);

/* Is a fetch that is back at L1 its SM's constant cache's? Or, with an L1.5 (l15_stage.h), that one's? */
GPCI_INLINE bool gpci_is_of_constants(const gpci_packet *fetch) {
    return fetch->flags & GPCI_PACKET_CONSTANT;
}

/*
 * Rules of stages whose lines are only read: this one's and an L1.5's (l15_stage.h). A miss asks for its line of the
 * stage; nothing that leaves is dirty.
 */
void gpci_read_only_send(gpci_timed *t, gpci_stage *stage, const gpci_fetch_request *asked);
void gpci_read_only_evicted(gpci_timed *t, gpci_stage *stage, const gpc_eviction *eviction);

#endif
