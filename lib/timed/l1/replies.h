/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_REPLIES_H
#define GPC_TIMED_REPLIES_H

#include "timed/core/timed.h"

/*
 * Room for replies, granted by a host per SM (gpucache/experimental/experimental.h): completed accesses without a
 * credit wait in L1's output, first in, first out, and L1's tags and fill port stand still meanwhile.
 */

/* An access of an SM with a limit is done: take a credit, or wait (returns true). */
GPCI_COLD bool gpci_reply_waits(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t inflight);
/* Next waiting access, now with a credit; or UINT32_MAX. */
GPCI_COLD uint32_t gpci_replies_next(gpci_timed *timed, gpci_ctrl *ctrl);

/*
 * gpc_hierarchy_set_reply_credits; if `more`, gpc_hierarchy_add_reply_credits. gpci_timed_credits: remaining credits of
 * an SM.
 */
gpc_status gpci_timed_grant(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, bool more, gpc_error *error);
uint64_t gpci_timed_credits(const gpc_hierarchy *hierarchy, uint32_t sm);

#endif
