/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WATCH_H
#define GPC_TIMED_WATCH_H

#include "level/rules/events.h"
#include "timed/core/timed.h"

/*
 * Events of the timed hierarchy. A function gpci_see_... stands at the place of an event, and calls the function
 * gpci_tell_... in watch.c, if a trace exists. Where even a possible call is too slow, a hot function only tests for
 * the trace at the start, and leaves the work to a copy with a name ending in _watched, which calls gpci_tell_...
 *
 * A packet has a number for the trace from creation on (gpci_see_new). A packet created before the trace was set has no
 * number, nor have packets caused by such a packet, and events are not reported.
 */

struct gpci_bulk_entry;

GPCI_COLD void gpci_tell(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p, uint64_t detail);
/* A line transaction waiting in L1 has the requested data. */
GPCI_COLD void gpci_tell_reply(gpci_timed *t, const gpci_packet *p, uint8_t level);
/* Data of a packet have entered the cache, or not. */
GPCI_COLD void gpci_tell_kept(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                              const gpc_access_result *got);
GPCI_COLD void gpci_tell_issue(gpci_timed *t, const gpci_queue *queue, uint32_t flight, uint32_t count,
                               uint32_t segments);
GPCI_COLD void gpci_tell_miss(gpci_timed *t, const gpci_stage *stage, uint32_t flight, uint32_t packet);
GPCI_COLD void gpci_tell_new(gpci_timed *t, gpc_what what, const gpci_stage *stage, uint32_t packet,
                             const gpci_packet *parent, bool passes);
GPCI_COLD void gpci_tell_copy(gpci_timed *t, const gpci_stage *stage, uint32_t packet);
GPCI_COLD void gpci_tell_bulk(gpci_timed *t, const struct gpci_bulk_entry *copy);
GPCI_COLD void gpci_tell_bulk_request(gpci_timed *t, uint32_t packet);
GPCI_COLD void gpci_tell_fork(gpci_timed *t, uint32_t packet);
GPCI_COLD void gpci_tell_queued(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, bool passes);
GPCI_COLD void gpci_tell_hit(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, uint64_t due);
GPCI_COLD void gpci_tell_waits(gpci_timed *t, const gpci_stage *stage, uint32_t packet, uint32_t waiter);
GPCI_COLD void gpci_tell_lookup(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                const gpci_tag_access *access);
GPCI_COLD void gpci_tell_blocked(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                 const gpci_tag_access *access);
GPCI_COLD void gpci_tell_released(const gpci_stage *stage, const gpci_tag_access *access);
GPCI_COLD void gpci_tell_leaves(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                const gpc_eviction *eviction);
GPCI_COLD void gpci_tell_done(gpci_timed *t, const gpci_flight *flight);
GPCI_COLD void gpci_tell_held(gpci_timed *t, const gpci_flight *flight, uint32_t count);
/* A packet is with memory, or the host; the data have arrived. */
GPCI_COLD void gpci_tell_memory(gpci_timed *t, const gpci_packet *p);
GPCI_COLD void gpci_tell_data(gpci_timed *t, const gpci_packet *p);

/* Set the trace; or with NULL remove it (never fails). GPC_ERROR_MEMORY: unchanged. */
gpc_status gpci_timed_watch(gpci_timed *t, gpci_trace *trace);
/* The callback cancels: the trace ends. GPC_ERROR_CANCELLED. */
gpc_status gpci_timed_cancel(gpci_timed *t);

/* A stage acts on a packet; `detail`: the event's outcome; for SERVE `until`; for MSHR_MERGE the value. */
GPCI_INLINE void gpci_see(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p,
                          uint64_t detail) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell(t, what, stage, p, detail);
}

/*
 * An accepted warp access, with `count` line transactions at the end of a queue. The second function:
 * gpc_hierarchy_try_miss.
 */
GPCI_INLINE void gpci_see_issue(gpci_timed *t, const gpci_queue *queue, uint32_t flight, uint32_t count,
                                uint32_t segments) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_issue(t, queue, flight, count, segments);
}
GPCI_INLINE void gpci_see_miss(gpci_timed *t, const gpci_stage *stage, uint32_t flight, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_miss(t, stage, flight, packet);
}

/*
 * A packet is caused by another (NULL: by the last packet that passed the stage's tags or filled it), and enters the
 * miss queue. `passes`: the cache does not keep the data.
 */
GPCI_INLINE void gpci_see_new(gpci_timed *t, gpc_what what, const gpci_stage *stage, uint32_t packet,
                              const gpci_packet *parent, bool passes) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_new(t, what, stage, packet, parent, passes);
}

/* A store's copy, sent below while the store waits. */
GPCI_INLINE void gpci_see_copy(gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_copy(t, stage, packet);
}

/* A bulk copy is accepted; the second function: a request of a copy is created. */
GPCI_INLINE void gpci_see_bulk(gpci_timed *t, const struct gpci_bulk_entry *copy) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_bulk(t, copy);
}
GPCI_INLINE void gpci_see_bulk_request(gpci_timed *t, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_bulk_request(t, packet);
}

/* A further one of several replies, with the label and past of the other. */
GPCI_INLINE void gpci_see_fork(gpci_timed *t, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_fork(t, packet);
}

/* Into the miss queue. */
GPCI_INLINE void gpci_see_queued(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, bool passes) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_queued(t, stage, p, passes);
}

/* L1 hits: the data are out of the port at `due`. */
GPCI_INLINE void gpci_see_hit(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, uint64_t due) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_hit(t, stage, p, due);
}

/* At an MSHR entry, new or existing. In L1 a load may travel below, and leave a waiter. */
GPCI_INLINE void gpci_see_waits(gpci_timed *t, const gpci_stage *stage, uint32_t packet, uint32_t waiter) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_waits(t, stage, packet, waiter);
}

GPCI_INLINE void gpci_see_lookup(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                 const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_lookup(t, stage, p, access);
}

/* At the tags: held up; the second function: no longer. */
GPCI_INLINE void gpci_see_blocked(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                  const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_blocked(t, stage, p, access);
}
GPCI_INLINE void gpci_see_released(const gpci_stage *stage, const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(stage->timed->trace != NULL))
        gpci_tell_released(stage, access);
}

/* A line makes room for a packet's line. */
GPCI_INLINE void gpci_see_eviction(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                   const gpc_eviction *eviction) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_leaves(t, stage, p, eviction);
}

GPCI_INLINE void gpci_see_done(gpci_timed *t, const gpci_flight *flight) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_done(t, flight);
}

/* A warp access is done, and waits for the host's credit, like `count` accesses now. */
GPCI_INLINE void gpci_see_held(gpci_timed *t, const gpci_flight *flight, uint32_t count) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_held(t, flight, count);
}

GPCI_INLINE void gpci_see_data(gpci_timed *t, const gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_data(t, p);
}

/* True for a tree's message, or memory access, sent without a trace: no label. */
GPCI_INLINE bool gpci_is_bare(const gpci_timed *t, const gpci_packet *p) {
    return t->coherent && p->flags & GPCI_PACKET_MESSAGE;
}

/* A write's packet is gone when DRAM writes: the token of the bursts has this bit instead of the packet. */
#define GPCI_WRITE_TOKEN ((uint64_t)1 << 63)
GPCI_INLINE uint64_t gpci_burst_token(const gpci_timed *t, const gpci_packet *p, uint32_t packet) {
    if (p->type != GPCI_WRITE)
        return packet;
    const bool told = GPCI_UNLIKELY(t->trace != NULL) && !gpci_is_bare(t, p);
    return (told ? gpci_label_of(&t->pool, p)->id : 0) | GPCI_WRITE_TOKEN;
}

#endif
