/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WATCH_COHERENT_H
#define GPC_TIMED_WATCH_COHERENT_H

#include "timed/core/coherent.h"
#include "timed/core/watch.h"

/* Events of controllers: as in watch.h. */

GPCI_COLD void gpci_tell_origin(gpci_timed *t, uint32_t flight, const gpci_packet *p);
GPCI_COLD void gpci_tell_sweep(gpci_timed *t, uint32_t flight);
GPCI_COLD void gpci_tell_message(gpci_timed *t, const gpci_letter *letter, uint32_t packet);
GPCI_COLD void gpci_tell_memory_access(gpci_timed *t, uint32_t task, uint32_t packet);
GPCI_COLD void gpci_tell_arrival(gpci_timed *t, const gpci_packet *p);
GPCI_COLD void gpci_tell_met(gpci_timed *t, gpci_met what, uint32_t task, uint32_t module);
GPCI_COLD void gpci_tell_entry(gpci_timed *t, gpc_what what, uint32_t task);

/* An access of controllers is for this packet. */
GPCI_INLINE void gpci_see_origin(gpci_timed *t, uint32_t flight, const gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_origin(t, flight, p);
}

/* A sweep begins: the messages belong to no access. */
GPCI_INLINE void gpci_see_sweep(gpci_timed *t, uint32_t flight) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_sweep(t, flight);
}

/* A message leaves as a packet; so does the memory access of a task. */
GPCI_INLINE void gpci_see_message(gpci_timed *t, const gpci_letter *letter, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_message(t, letter, packet);
}
GPCI_INLINE void gpci_see_memory_access(gpci_timed *t, uint32_t task, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_memory_access(t, task, packet);
}

/* A message has arrived. */
GPCI_INLINE void gpci_see_arrival(gpci_timed *t, const gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_arrival(t, p);
}

/* A task waits, or is refused; or a module evicts for a task. */
GPCI_INLINE void gpci_see_met(gpci_timed *t, gpci_met what, uint32_t task, uint32_t module) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_met(t, what, task, module);
}

/* A request takes, or gives back, an MSHR entry. */
GPCI_INLINE void gpci_see_entry(gpci_timed *t, gpc_what what, uint32_t task) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_entry(t, what, task);
}

#endif
