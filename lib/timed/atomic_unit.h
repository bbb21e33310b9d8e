/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_ATOMIC_UNIT_H
#define GPC_TIMED_ATOMIC_UNIT_H

#include "timed/timed.h"

/*
 * An L2 slice's atomic unit: it performs the atomics of a packet in turns, some L2 cycles each, one packet after the
 * other. Replies of those that have to wait stand in a queue of their own, so that reads go past them; when it is full,
 * atomics are held up at the tags. In a tree they wait in the controllers.
 */
GPCI_INLINE bool gpci_atomics_are_limited(const gpci_timed *t) {
    return t->atomic_unit.cycles != 0;
}

/* Turns of a line of a warp access; and of a host's request for a line, which is not known to have any lanes. */
uint16_t gpci_atomic_turns(const gpci_timed *t, const gpc_warp_access *access, const gpci_transaction *line);
uint16_t gpci_atomic_turns_of_words(const gpci_timed *t, const gpci_transaction *line);
/* So many, as soon as the unit is free: the core cycle at which what they have found is there, l2.latency included. */
uint64_t gpci_atomic_perform(gpci_stage *slice, uint64_t now, uint16_t turns);

#endif
