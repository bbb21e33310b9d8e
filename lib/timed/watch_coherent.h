/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WATCH_COHERENT_H
#define GPC_TIMED_WATCH_COHERENT_H

#include "timed/coherent.h"
#include "timed/watch.h"

/* Events of exchanges: as in watch.h. */

void gpci_tell_exchange(gpci_exchange *x, const gpci_packet *p);
void gpci_tell_message(gpci_timed *t, uint32_t exchange, gpci_step *s, gpci_packet *p);
void gpci_tell_memory_access(gpci_timed *t, uint32_t exchange, const gpci_step *s, gpci_packet *p);
void gpci_tell_met(gpci_timed *t, gpc_what what, uint32_t exchange, const gpci_step *s);

/* An exchange is for this packet. */
GPCI_INLINE void gpci_see_exchange(const gpci_timed *t, gpci_exchange *x, const gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_exchange(x, p);
}

/* A message sets out as packet `p`; the access to memory of a step is `p`. */
GPCI_INLINE void gpci_see_message(gpci_timed *t, uint32_t exchange, gpci_step *s, gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_message(t, exchange, s, p);
}
GPCI_INLINE void gpci_see_memory_access(gpci_timed *t, uint32_t exchange, const gpci_step *s, gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_memory_access(t, exchange, s, p);
}

/* A message has come, waits, or is refused; a module begins to evict. */
GPCI_INLINE void gpci_see_met(gpci_timed *t, gpc_what what, uint32_t exchange, const gpci_step *s) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_met(t, what, exchange, s);
}

/* An answer is sent: its request's MSHR entry, if it has one, comes free. */
GPCI_INLINE void gpci_see_entry_free(gpci_timed *t, uint32_t exchange, const gpci_step *s) {
    if (GPCI_UNLIKELY(t->trace != NULL) && s->entry)
        gpci_tell_met(t, GPC_WHAT_MSHR_FREE, exchange, s);
}

#endif
