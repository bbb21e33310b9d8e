/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_WATCH_H
#define GPC_TIMED_WATCH_H

#include "level/rules/events.h"
#include "timed/timed.h"

/*
 * Events of the timed hierarchy. A function gpci_see_... stands where something happens, and calls the one of the same
 * name, gpci_tell_... in watch.c, if there is a trace. Where even that would cost too much, since who may be called
 * must be ready for it, a hot function only looks for the trace before it begins, and leaves all to a copy of itself
 * whose name ends in _watched, which calls gpci_tell_...
 *
 * A packet has a number for the trace from where it is made (gpci_see_new) on. One that was made before the trace was
 * set has none, nor has what is made for it, and nothing is told of it.
 */

struct gpci_bulk_entry;

GPCI_COLD void gpci_tell(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p, uint64_t detail);
/* A line transaction that waited in L1 has what it asked for. */
GPCI_COLD void gpci_tell_reply(gpci_timed *t, const gpci_packet *p, uint8_t level);
/* What a packet brings has entered the cache, or did not. */
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
/* A packet is with memory, or its host; its data have come from there. */
GPCI_COLD void gpci_tell_memory(gpci_timed *t, const gpci_packet *p);
GPCI_COLD void gpci_tell_data(gpci_timed *t, const gpci_packet *p);

/* The trace is set, or with NULL removed, which does not fail. GPC_ERROR_MEMORY: it is as it was. */
gpc_status gpci_timed_watch(gpci_timed *t, gpci_trace *trace);
/* The callback has had enough: the trace ends. GPC_ERROR_CANCELLED. */
gpc_status gpci_timed_cancel(gpci_timed *t);

/* What a stage does with a packet; `detail`: the event's outcome, of SERVE `until`, of MSHR_MERGE its value. */
GPCI_INLINE void gpci_see(gpci_timed *t, gpc_what what, const gpci_stage *stage, const gpci_packet *p,
                          uint64_t detail) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell(t, what, stage, p, detail);
}

/* An accepted warp access, whose `count` line transactions are the last of a queue; or of gpc_hierarchy_try_miss. */
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
 * A packet is made on account of another (NULL: of whoever passed the stage's tags or filled it last), and enters the
 * miss queue. `passes`: the cache does not keep what it brings.
 */
GPCI_INLINE void gpci_see_new(gpci_timed *t, gpc_what what, const gpci_stage *stage, uint32_t packet,
                              const gpci_packet *parent, bool passes) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_new(t, what, stage, packet, parent, passes);
}

/* A store's copy, which goes below while the store waits. */
GPCI_INLINE void gpci_see_copy(gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_copy(t, stage, packet);
}

/* A bulk copy is accepted; a request of it is made. */
GPCI_INLINE void gpci_see_bulk(gpci_timed *t, const struct gpci_bulk_entry *copy) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_bulk(t, copy);
}
GPCI_INLINE void gpci_see_bulk_request(gpci_timed *t, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_bulk_request(t, packet);
}

/* A reply is a further one of several, and has been where the other was, whose label it has. */
GPCI_INLINE void gpci_see_fork(gpci_timed *t, uint32_t packet) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_fork(t, packet);
}

/* Into the miss queue. */
GPCI_INLINE void gpci_see_queued(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, bool passes) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_queued(t, stage, p, passes);
}

/* L1 has it: its data are out of the port at `due`. */
GPCI_INLINE void gpci_see_hit(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p, uint64_t due) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_hit(t, stage, p, due);
}

/* At an MSHR entry, of its own or another's. In L1 a load may go itself, and leave a waiter. */
GPCI_INLINE void gpci_see_waits(gpci_timed *t, const gpci_stage *stage, uint32_t packet, uint32_t waiter) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_waits(t, stage, packet, waiter);
}

GPCI_INLINE void gpci_see_lookup(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                 const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_lookup(t, stage, p, access);
}

/* At the tags: held up; and not any more. */
GPCI_INLINE void gpci_see_blocked(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                  const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_blocked(t, stage, p, access);
}
GPCI_INLINE void gpci_see_released(const gpci_stage *stage, const gpci_tag_access *access) {
    if (GPCI_UNLIKELY(stage->timed->trace != NULL))
        gpci_tell_released(stage, access);
}

/* A line makes room for a packet's. */
GPCI_INLINE void gpci_see_eviction(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p,
                                   const gpc_eviction *eviction) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_leaves(t, stage, p, eviction);
}

GPCI_INLINE void gpci_see_done(gpci_timed *t, const gpci_flight *flight) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_done(t, flight);
}

/* A warp access is done, and waits for its host's credit, as `count` do now. */
GPCI_INLINE void gpci_see_held(gpci_timed *t, const gpci_flight *flight, uint32_t count) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_held(t, flight, count);
}

GPCI_INLINE void gpci_see_data(gpci_timed *t, const gpci_packet *p) {
    if (GPCI_UNLIKELY(t->trace != NULL))
        gpci_tell_data(t, p);
}

/* A tree's message, or access of memory, that set out when nobody watched, has no label. */
GPCI_INLINE bool gpci_is_bare(const gpci_timed *t, const gpci_packet *p) {
    return t->coherent && p->flags & GPCI_PACKET_MESSAGE;
}

/* A write's packet is gone when DRAM does it: its bursts have this instead of the packet as their token. */
#define GPCI_WRITE_TOKEN ((uint64_t)1 << 63)
GPCI_INLINE uint64_t gpci_burst_token(const gpci_timed *t, const gpci_packet *p, uint32_t packet) {
    if (p->type != GPCI_WRITE)
        return packet;
    const bool told = GPCI_UNLIKELY(t->trace != NULL) && !gpci_is_bare(t, p);
    return (told ? gpci_label_of(&t->pool, p)->id : 0) | GPCI_WRITE_TOKEN;
}

#endif
