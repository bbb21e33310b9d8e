/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_EVENT_LOG_COHERENT_H
#define GPC_TIMED_EVENT_LOG_COHERENT_H

#include "timed/core/coherent.h"
#include "timed/core/timed.h"

/* Events of the protocol engine: as in event_log.h. */

GPCI_COLD void gpci_append_origin(gpci_timed *timed, uint32_t inflight, const gpci_packet *pkt);
GPCI_COLD void gpci_append_sweep(gpci_timed *timed, uint32_t inflight);
GPCI_COLD void gpci_append_message(gpci_timed *timed, const gpci_message *message, uint32_t packet);
GPCI_COLD void gpci_append_memory_access(gpci_timed *timed, uint32_t task, uint32_t packet);
GPCI_COLD void gpci_append_arrival(gpci_timed *timed, const gpci_packet *pkt);
GPCI_COLD void gpci_append_met(gpci_timed *timed, gpci_met what, uint32_t task, uint32_t module);
GPCI_COLD void gpci_append_entry(gpci_timed *timed, gpc_what what, uint32_t task);

/* An access of the protocol engine is for the packet. */
GPCI_INLINE void gpci_log_origin(gpci_timed *timed, uint32_t inflight, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_origin(timed, inflight, pkt);
}

/* A sweep begins: the messages belong to no access. */
GPCI_INLINE void gpci_log_sweep(gpci_timed *timed, uint32_t inflight) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_sweep(timed, inflight);
}

/* A message leaves as a packet; so does the memory access of a task. */
GPCI_INLINE void gpci_log_message(gpci_timed *timed, const gpci_message *message, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_message(timed, message, packet);
}
GPCI_INLINE void gpci_log_memory_access(gpci_timed *timed, uint32_t task, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_memory_access(timed, task, packet);
}

/* A message has arrived. */
GPCI_INLINE void gpci_log_arrival(gpci_timed *timed, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_arrival(timed, pkt);
}

/* A task waits, or is refused; or a module evicts for a task. */
GPCI_INLINE void gpci_log_met(gpci_timed *timed, gpci_met what, uint32_t task, uint32_t module) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_met(timed, what, task, module);
}

/* A request takes, or gives back, an MSHR entry. */
GPCI_INLINE void gpci_log_entry(gpci_timed *timed, gpc_what what, uint32_t task) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_entry(timed, what, task);
}

#endif
