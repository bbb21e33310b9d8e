/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_EVENT_LOG_H
#define GPC_TIMED_EVENT_LOG_H

#include "level/rules/events.h"
#include "timed/core/timed.h"

/*
 * Events of the timed hierarchy. A function gpci_log_... stands at the place of an event, and calls the function
 * gpci_append_... in event_log.c, if an event log exists. Where even a possible call is too slow, a hot function only
 * tests for the event log at the start, and leaves the work to a copy with a name ending in _watched, which calls
 * gpci_append_...
 *
 * A packet has a number for the event log from creation on (gpci_log_new_packet). A packet created before the event log
 * was set has no number, nor have packets caused by such a packet, and events are not reported.
 */

struct gpci_bulk_entry;

GPCI_COLD void gpci_append_event(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                 uint64_t detail);
/* A line transaction waiting in L1 has the requested data. */
GPCI_COLD void gpci_append_reply(gpci_timed *timed, const gpci_packet *pkt, uint8_t level);
/* Data of a packet have entered the cache, or not. */
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
/* The callback cancels: the event log ends. GPC_ERROR_CANCELLED. */
gpc_status gpci_timed_cancel(gpci_timed *timed);

/* A controller acts on a packet; `detail`: the event's outcome; for SERVE `until`; for MSHR_MERGE the value. */
GPCI_INLINE void gpci_log_event(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                uint64_t detail) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_event(timed, what, ctrl, pkt, detail);
}

/*
 * An accepted warp access, with `count` line transactions at the end of a queue. The second function:
 * gpc_hierarchy_try_miss.
 */
GPCI_INLINE void gpci_log_issue(gpci_timed *timed, const gpci_queue *queue, uint32_t inflight, uint32_t count,
                                uint32_t segments) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_issue(timed, queue, inflight, count, segments);
}
GPCI_INLINE void gpci_log_miss(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t inflight, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_miss(timed, ctrl, inflight, packet);
}

/*
 * A packet is caused by another (NULL: by the last packet that passed the controller's tags or filled it), and enters
 * the miss queue. `passes`: the cache does not keep the data.
 */
GPCI_INLINE void gpci_log_new_packet(gpci_timed *timed, gpc_what what, const gpci_ctrl *ctrl, uint32_t packet,
                                     const gpci_packet *parent, bool passes) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_new_packet(timed, what, ctrl, packet, parent, passes);
}

/* A store's copy, sent below while the store waits. */
GPCI_INLINE void gpci_log_copy(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_copy(timed, ctrl, packet);
}

/* A bulk copy is accepted; the second function: a request of a copy is created. */
GPCI_INLINE void gpci_log_bulk(gpci_timed *timed, const struct gpci_bulk_entry *copy) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_bulk(timed, copy);
}
GPCI_INLINE void gpci_log_bulk_request(gpci_timed *timed, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_bulk_request(timed, packet);
}

/* A further one of several replies, with the label and past of the other. */
GPCI_INLINE void gpci_log_fork(gpci_timed *timed, uint32_t packet) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_fork(timed, packet);
}

/* Into the miss queue. */
GPCI_INLINE void gpci_log_queued(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, bool passes) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_queued(timed, ctrl, pkt, passes);
}

/* L1 hits: the data are out of the port at `due`. */
GPCI_INLINE void gpci_log_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, uint64_t due) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_hit(timed, ctrl, pkt, due);
}

/* At an MSHR entry, new or existing. In L1 a load may travel below, and leave a waiter. */
GPCI_INLINE void gpci_log_waits(gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet, uint32_t mshr_target) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_waits(timed, ctrl, packet, mshr_target);
}

GPCI_INLINE void gpci_log_lookup(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                 const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_lookup(timed, ctrl, pkt, access);
}

/* At the tags: held up; the second function: no longer. */
GPCI_INLINE void gpci_log_blocked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                  const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_blocked(timed, ctrl, pkt, access);
}
GPCI_INLINE void gpci_log_released(const gpci_ctrl *ctrl, const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(ctrl->timed->log != NULL))
        gpci_append_released(ctrl, access);
}

/* A line makes room for a packet's line. */
GPCI_INLINE void gpci_log_eviction(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt,
                                   const gpc_eviction *eviction) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_leaves(timed, ctrl, pkt, eviction);
}

GPCI_INLINE void gpci_log_done(gpci_timed *timed, const gpci_inflight *inflight) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_done(timed, inflight);
}

/* A warp access is done, and waits for the host's credit, like `count` accesses now. */
GPCI_INLINE void gpci_log_held(gpci_timed *timed, const gpci_inflight *inflight, uint32_t count) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_held(timed, inflight, count);
}

GPCI_INLINE void gpci_log_data(gpci_timed *timed, const gpci_packet *pkt) {
    if (GPCI_UNLIKELY(timed->log != NULL))
        gpci_append_data(timed, pkt);
}

/* True for a tree's message, or memory access, sent without an event log: no label. */
GPCI_INLINE bool gpci_is_bare(const gpci_timed *timed, const gpci_packet *pkt) {
    return timed->coherent && pkt->flags & GPCI_PACKET_MESSAGE;
}

/* A write's packet is gone when DRAM writes: the token of the bursts has this bit instead of the packet. */
#define GPCI_WRITE_TOKEN ((uint64_t)1 << 63)
GPCI_INLINE uint64_t gpci_burst_token(const gpci_timed *timed, const gpci_packet *pkt, uint32_t packet) {
    if (pkt->type != GPCI_WRITE)
        return packet;
    const bool notified = GPCI_UNLIKELY(timed->log != NULL) && !gpci_is_bare(timed, pkt);
    return (notified ? gpci_label_of(&timed->pool, pkt)->id : 0) | GPCI_WRITE_TOKEN;
}

#endif
