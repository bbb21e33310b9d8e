/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_ATOMIC_UNIT_H
#define GPC_TIMED_ATOMIC_UNIT_H

#include "timed/core/timed.h"

/*
 * Atomic unit of an L2 slice. It performs the atomics of a packet in turns of several L2 cycles, packet after packet.
 * Delayed replies wait in a separate queue, so reads pass them. If the queue is full, atomics wait at the tags. In a
 * tree they wait in the engine.
 */
GPCI_INLINE bool gpci_atomics_are_limited(const gpci_timed *timed) {
    return timed->atomic_unit.cycles != 0;
}

/*
 * Turns that the atomics of a line of a warp access need. gpci_atomic_turns_of_words: turns for a line whose lanes are
 * unknown; every word counts as a lane.
 */
uint16_t gpci_atomic_turns(const gpci_timed *timed, const gpc_warp_access *access, const gpci_transaction *line);
uint16_t gpci_atomic_turns_of_words(const gpci_timed *timed, const gpci_transaction *line);
typedef struct gpci_atomic_unit {
    gpci_queue replies;   /* replies of atomics, as gpci_ctrl.served for other replies */
    uint64_t free;        /* cycle of L2's clock from which the unit is free */
    uint64_t waits, busy; /* cycles of L2's clock that atomics waited for the unit, and that the unit worked */
} gpci_atomic_unit;

/* The unit of a slice; NULL: any number of turns at once, or no cache. */
GPCI_INLINE gpci_atomic_unit *gpci_atomic_unit_of(const gpci_ctrl *slice) {
    return slice->parts.self[GPCI_PART_ATOMICS];
}

/* Queue of the replies of a slice's atomics. */
GPCI_INLINE gpci_queue *gpci_atomic_replies(gpci_ctrl *slice) {
    gpci_atomic_unit *unit = gpci_atomic_unit_of(slice);
    return unit ? &unit->replies : &slice->served;
}

/*
 * Take `turns` turns as soon as the unit is free. Returns the core cycle at which the old values are ready, including
 * l2.latency.
 */
uint64_t gpci_atomic_perform(gpci_ctrl *slice, uint64_t now, uint16_t turns);

#endif
