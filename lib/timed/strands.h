/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_STRANDS_H
#define GPC_TIMED_STRANDS_H

#include "base/workers.h"
#include "timed/timed.h"

/*
 * A cycle on several threads, with the same results as on one.
 *
 * Components whose steps in a cycle do not meet are shared out among strands: SMs, each with its L1, and slices, each
 * with its channels and its peer in the other partition. A strand has a view of the hierarchy: a gpci_timed of its own,
 * in which the wheel, free packets and flights and what is counted are the strand's, and all else is the one
 * hierarchy's. A component's step is given its strand's view, and so knows nothing of strands.
 *
 * A cycle goes through phases, in an order that leads to the same as that of the components' numbers:
 *
 *   reply links of partitions    one thread
 *   channels, slices             strands
 *   reply network                one thread
 *   L1s, SMs                     strands
 *   request network, links       one thread
 *
 * Between two phases all threads have met. Whom a component wakes is of its own strand, or a network, which is told at
 * the end of the phase (gpci_network_settle). Phases with little to do are run by one thread, strand by strand in the
 * order of components' numbers: nothing depends on which ones are.
 *
 * Packets and flights have the same numbers in all strands: chunks of them belong to the strands in turn.
 */
typedef struct gpci_strands gpci_strands;

/* Flights of one strand that follow each other. */
#define GPCI_STRAND_FLIGHTS 64u

/*
 * As many strands as `threads` says, where they make a difference; else t->strands stays NULL, which is logged.
 * GPC_ERROR_RANGE where a number of threads was asked for and cannot have an effect, with that in `error`.
 */
gpc_status gpci_strands_create(gpci_timed *t, gpc_error *error);
void gpci_strands_destroy(gpci_timed *t);

/* What strands do not have for themselves has changed. */
void gpci_strands_refresh(gpci_timed *t);

/* gpci_timed_run_cycle, where there are strands. */
gpc_status gpci_strands_run_cycle(gpci_timed *t, uint64_t limit);
/* gpci_wheel_next of all of them; the same for one component. */
uint64_t gpci_strands_next(const gpci_timed *t);
uint64_t gpci_strands_component_next(const gpci_timed *t, uint32_t number);
/* Nothing happens before `now`. */
void gpci_strands_go(gpci_timed *t, uint64_t now);
/* What strands have counted is the hierarchy's. */
void gpci_strands_fold(gpci_timed *t);
/* All that is the strands' is the hierarchy's, as with one thread; and is shared out again. */
void gpci_strands_join(gpci_timed *t);
void gpci_strands_split(gpci_timed *t);

/* From a strand's view: gpci_make_packets and gpci_make_flights. In a phase of several threads there is room. */
gpc_status gpci_strand_packets(gpci_timed *view, uint32_t lines);
gpc_status gpci_strand_flights(gpci_timed *view, uint32_t count);

/* The view of an SM's strand; of any component's. */
gpci_timed *gpci_strands_of_sm(gpci_timed *t, uint32_t sm);
gpci_timed *gpci_strands_of(gpci_timed *t, uint32_t component);

/* Threads that share any work at present. */
uint32_t gpci_strands_threads(const gpci_timed *t);
/* Strands, 1 or more, and the strand of an SM. */
uint32_t gpci_strands_count(const gpci_timed *t);
uint32_t gpci_strands_strand_of_sm(const gpci_timed *t, uint32_t sm);
/* All SMs are stepped by the caller's thread from now on, in their order; or no longer. */
void gpci_strands_keep_sms(gpci_timed *t, bool alone);

/* What tests ask for: threads whatever processors there are, delays, and that every phase is shared out. */
gpc_status gpci_strands_test(gpci_timed *t, uint64_t delay, gpc_error *error);
/* Phases so far that threads shared, and seconds that the caller waited for others in them. */
uint64_t gpci_strands_shared(const gpci_timed *t, double *out_waited);

GPCI_INLINE gpci_timed *gpci_timed_of_sm(gpci_timed *t, uint32_t sm) {
    return GPCI_LIKELY(!t->strands) ? t : gpci_strands_of_sm(t, sm);
}

GPCI_INLINE void gpci_timed_fold(gpci_timed *t) {
    if (GPCI_UNLIKELY(t->strands != NULL))
        gpci_strands_fold(t);
}

#endif
