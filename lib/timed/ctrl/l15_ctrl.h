/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L15_CTRL_H
#define GPC_TIMED_L15_CTRL_H

#include "level/access/l15.h"
#include "timed/ctrl/constant_cache.h"

/*
 * L1.5s with a clock (level/access/l15.h). Every L1.5 is a controller (ctrl.h) and a component, stepped before the L1s
 * of the SMs, in the SMs' shard. Reads come from constant caches, and for lines of code. The tags pass a line per
 * cycle; hits leave through the data port. A miss is a read of L2, sent as if by the first SM of the L1.5: the read
 * leaves through the SM's miss queue, and the reply arrives through the SM's fill port. Data reach the SM in a cycle
 * after arrival, once out of the port.
 *
 *  constant cache, code -> in -> tags -> out -> miss queue of an L1 -> L2
 *                                 |  \                        |
 *       SM's L1  <-  served  <-  data, MSHR entry  <-  fill port of the L1
 *
 * Example, l15.latency = 40: SM 3 asks for a line of code in cycle 100. The line is at the tags in 101, hits, and
 * reaches the SM in cycle 141. After a miss, L1 3 sends the read in 101 as well.
 */

/* An SM's L1.5, perhaps shared with other SMs; NULL: none. */
GPCI_INLINE gpci_ctrl *gpci_ctrl_l15(const gpci_ctrl *l1) {
    return l1->parts.self[GPCI_PART_L15];
}

/* True if a read is looked up in the SM's L1.5. */
GPCI_INLINE bool gpci_goes_by_l15(const gpci_ctrl *l1, const gpc_request *request) {
    return GPCI_UNLIKELY(gpci_ctrl_l15(l1) != NULL) && (request->kind == GPC_LOAD || request->kind == GPC_PREFETCH) &&
           (request->space == GPC_SPACE_INSTRUCTION || request->space == GPC_SPACE_CONSTANT);
}

/*
 * gpci_l15_has_room: true if an SM's L1.5 accepts another read; if false, L1 is stepped once room appears.
 * gpci_l15_take: give a read of the SM to the L1.5, which must have room.
 */
bool gpci_l15_has_room(const gpci_ctrl *l1);
void gpci_l15_take(gpci_timed *timed, gpci_ctrl *l1, uint32_t packet);
/* Fill the L1.5 of an SM with a reply that has arrived from L2. */
void gpci_l15_fill(gpci_timed *timed, gpci_ctrl *l1, uint32_t packet);

#endif
