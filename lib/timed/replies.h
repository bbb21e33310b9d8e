/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_REPLIES_H
#define GPC_TIMED_REPLIES_H

#include "timed/timed.h"

/*
 * Room for replies that a host grants, SM by SM (gpucache/host.h): accesses that are done and find no credit wait in
 * L1's output, first in, first out, and L1's tags and fill port stand still as long as any does.
 */

/* Does any wait? Then nothing is to pass the tags, or the fill port. */
GPCI_INLINE bool gpci_replies_wait(const gpci_stage *stage) {
    return GPCI_UNLIKELY(stage->replies.first != UINT32_MAX);
}

/* An access of an SM with a limit is done: it takes a credit, or waits for one; returns whether it waits. */
GPCI_COLD bool gpci_reply_waits(gpci_timed *t, gpci_stage *stage, uint32_t flight);
/* The next of those that wait, which has its credit now; UINT32_MAX: there is none, or no credit. */
GPCI_COLD uint32_t gpci_replies_next(gpci_timed *t, gpci_stage *stage);

/* gpc_hierarchy_set_reply_credits, or with `more` _add_; and what is left. */
gpc_status gpci_timed_grant(gpc_hierarchy *h, uint32_t sm, uint64_t credits, bool more);
uint64_t gpci_timed_credits(const gpc_hierarchy *h, uint32_t sm);

#endif
