/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WATCH_COHERENT_H
#define GPC_TIMED_WATCH_COHERENT_H

#include "timed/transactions.h"
#include "timed/watch.h"

/* Events of transactions: as in watch.h. */

GPCI_COLD void gpci_tell_transaction(gpci_coherent_transaction *x, const gpci_packet *p);
GPCI_COLD void gpci_tell_message(gpci_timed *t, uint32_t transaction, gpci_coherent_step *s, gpci_packet *p);
GPCI_COLD void gpci_tell_memory_access(gpci_timed *t, uint32_t transaction, const gpci_coherent_step *s,
                                       gpci_packet *p);
GPCI_COLD void gpci_tell_met(gpci_timed *t, gpc_what what, uint32_t transaction, const gpci_coherent_step *s);

/* A transaction is for this packet. */
GPCI_INLINE void gpci_see_transaction(const gpci_timed *t, gpci_coherent_transaction *x, const gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_transaction(x, p);
}

/* A message sets out as packet `p`; the access to memory of a step is `p`. */
GPCI_INLINE void gpci_see_message(gpci_timed *t, uint32_t transaction, gpci_coherent_step *s, gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_message(t, transaction, s, p);
}
GPCI_INLINE void gpci_see_memory_access(gpci_timed *t, uint32_t transaction, const gpci_coherent_step *s,
                                        gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_memory_access(t, transaction, s, p);
}

/* A message has come, waits, or is refused; a module begins to evict. */
GPCI_INLINE void gpci_see_met(gpci_timed *t, gpc_what what, uint32_t transaction, const gpci_coherent_step *s) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_met(t, what, transaction, s);
}

/* An answer is sent: its request's MSHR entry, if it has one, comes free. */
GPCI_INLINE void gpci_see_entry_free(gpci_timed *t, uint32_t transaction, const gpci_coherent_step *s) {
    if (GPCI_UNLIKELY(t->trace != NULL) && s->has_mshr)
        gpci_tell_met(t, GPC_WHAT_MSHR_FREE, transaction, s);
}

#endif
