/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_L15_STAGE_H
#define GPC_TIMED_L15_STAGE_H

#include "level/access/l15.h"
#include "timed/constant_cache.h"

/*
 * L1.5s with a clock (level/access/l15.h): a stage (stage.h) each, and a component of its own, which has its turn in a
 * cycle before the L1s of its SMs, and is of their strand. It is asked by their constant caches, and for lines of code;
 * a line of them passes the tags in a cycle, and what is there leaves through its data port. What it lacks is a read of
 * L2 in the name of the SM that asked first: it leaves through that SM's miss queue, and its reply comes back through
 * that SM's fill port. Data go to their SM in a cycle after they have come, and are out of the port.
 *
 *   constant cache, code -> in -> tags -> out -> miss queue of an L1 -> L2
 *                                  |  \                        |
 *        their SM  <-  served  <-  data, MSHR entry  <-  fill port of that L1
 *
 * Example, l15.latency = 40: a line of code that SM 3 asks for in cycle 100 is at the tags in 101, and found: the SM
 * has it in cycle 141. Where it is not found, L1 3 sends the read in 101, too.
 */

/* Is a read looked up in its SM's L1.5? */
GPCI_INLINE bool gpci_goes_by_l15(const gpci_stage *l1, const gpc_request *request) {
    return GPCI_UNLIKELY(l1->l15 != NULL) && (request->kind == GPC_LOAD || request->kind == GPC_PREFETCH) &&
           (request->space == GPC_SPACE_INSTRUCTION || request->space == GPC_SPACE_CONSTANT);
}

/* A read comes from an L1's SM, for which there is room; else its L1 is stepped when there is. */
bool gpci_l15_has_room(const gpci_stage *l1);
void gpci_l15_take(gpci_timed *t, gpci_stage *l1, uint32_t packet);
/* What an L1.5 asks for an SM, into that L1's miss queue. */
void gpci_l15_send(gpci_timed *t, gpci_stage *l1);
/* A read of L2 is back. */
void gpci_l15_fill(gpci_timed *t, gpci_stage *l1, uint32_t packet);

#endif
