/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_EVENT_LOG_H
#define GPC_TIMED_EVENT_LOG_H

#include "level/rules/events.h"
#include "timed/core/ctrl.h"

/*
 * Events of the timed hierarchy. A function gpci_log_... (timed.h) stands at the place of an event, and calls the
 * function gpci_append_... in event_log.c, if an event log exists. Where even a possible call is too slow, a hot
 * function only tests for the event log at the start, and leaves the work to a copy with a name ending in _watched,
 * which calls gpci_append_...
 *
 * A packet has a number for the event log from creation on (gpci_log_new_packet). A packet created before the event log
 * was set has no number, nor have packets caused by such a packet, and events are not reported.
 */

struct gpci_bulk_entry;
typedef struct gpci_inflight gpci_inflight;

GPCI_COLD void gpci_append_event(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                 uint64_t detail);
/* A line transaction waiting in L1 has the requested data. */
GPCI_COLD void gpci_append_reply(gpci_timed *timed, const gpci_packet *pkt, uint8_t level);
/* A packet's data have entered the cache, or (`got` has no way) bypassed the cache. */
GPCI_COLD void gpci_append_kept(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                const gpc_access_result *got);
GPCI_COLD void gpci_append_issue(gpci_timed *timed, const gpci_queue *queue, uint32_t inflight, uint32_t count,
                                 uint32_t segments);
GPCI_COLD void gpci_append_miss(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t inflight, uint32_t packet);
GPCI_COLD void gpci_append_new_packet(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                                      const gpci_packet *parent, bool passes);
GPCI_COLD void gpci_append_copy(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet);
GPCI_COLD void gpci_append_bulk(gpci_timed *timed, const struct gpci_bulk_entry *copy);
GPCI_COLD void gpci_append_bulk_request(gpci_timed *timed, uint32_t packet);
GPCI_COLD void gpci_append_fork(gpci_timed *timed, uint32_t packet);
GPCI_COLD void gpci_append_queued(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, bool passes);
GPCI_COLD void gpci_append_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t due);
GPCI_COLD void gpci_append_waits(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet, uint32_t mshr_target);
GPCI_COLD void gpci_append_lookup(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                  const gpci_tag_access *access);
GPCI_COLD void gpci_append_blocked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                   const gpci_tag_access *access);
GPCI_COLD void gpci_append_released(const gpci_ctrl *ctrl, const gpci_tag_access *access);
GPCI_COLD void gpci_append_leaves(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                  const gpc_eviction *eviction);
GPCI_COLD void gpci_append_done(gpci_timed *timed, const gpci_inflight *inflight);
GPCI_COLD void gpci_append_held(gpci_timed *timed, const gpci_inflight *inflight, uint32_t count);
/* A packet has entered memory, or was given to the host. gpci_append_data: the packet's data have arrived. */
GPCI_COLD void gpci_append_memory(gpci_timed *timed, const gpci_packet *pkt);
GPCI_COLD void gpci_append_data(gpci_timed *timed, const gpci_packet *pkt);

/* Set the event log; or with NULL remove it (never fails). GPC_ERROR_MEMORY: unchanged. */
gpc_status gpci_timed_watch(gpci_timed *timed, gpci_event_log *log);
/* The host's callback has cancelled: end the event log. Returns GPC_ERROR_CANCELLED. */
gpc_status gpci_timed_cancel(gpci_timed *timed);

#endif
