/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_MSHR_TABLE_H
#define GPC_TIMED_MSHR_TABLE_H

#include "timed/core/event_log.h"

/*
 * MSHR entries of a controller of caches, by line: rows of hashes, with overflow chained behind the row. If lines in
 * flight may be replaced, a line has several entries: a joinable entry, and entries of replaced lines.
 */

GPCI_INLINE uint64_t gpci_ctrl_line(const gpci_ctrl *ctrl, uint64_t address) {
    return address >> ctrl->cache->line_shift;
}

/* Line of a waiting packet. In L1 the packet may be without a request, sent below. */
GPCI_INLINE uint64_t gpci_mshr_line(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    return gpci_ctrl_line(ctrl, ctrl->rules->own_lines ? p->address : p->request.address);
}

GPCI_INLINE uint32_t gpci_mshr_hash(uint64_t line) {
    return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 32);
}

GPCI_INLINE uint16_t gpci_mshr_tag(uint32_t hash) {
    return (uint16_t)(hash >> 16);
}

GPCI_INLINE gpci_mshr_row *gpci_mshr_row_of(const gpci_ctrl *ctrl, uint32_t hash) {
    return &ctrl->mshr.rows[hash & ctrl->mshr.mask];
}

#define GPCI_NO_SLOT UINT32_MAX

/* Place of an entry: in a row; or, if `place` is the row's count, chained behind the row. */
typedef struct gpci_mshr_place {
    gpci_mshr_row *row;
    uint32_t place, mshr_entry;
} gpci_mshr_place;

/* True if a leader leads the entry of a line: `entry`, or (NULL) the joinable entry. */
GPCI_INLINE bool gpci_mshr_leads(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t mshr_entry, uint64_t line,
                                 const uint16_t *entry) {
    if (gpci_mshr_line(t, ctrl, mshr_entry) != line)
        return false;
    if (GPCI_LIKELY(!ctrl->options->replaceable))
        return true;
    const gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry);
    return entry ? l->mshr.entry == *entry : !l->mshr.replaced;
}

/* Find an entry chained behind a row. */
static GPCI_NOINLINE uint32_t gpci_mshr_look_behind(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t mshr_entry,
                                                    uint64_t line, const uint16_t *entry) {
    while (mshr_entry != GPCI_NO_PACKET && !gpci_mshr_leads(t, ctrl, mshr_entry, line, entry))
        mshr_entry = gpci_packet_at(&t->pool, mshr_entry)->mshr.chain;
    return mshr_entry;
}

/* Entry of a line; leader GPCI_NO_PACKET if not found. */
GPCI_INLINE gpci_mshr_place gpci_mshr_look(const gpci_timed *t, const gpci_ctrl *ctrl, uint64_t line,
                                           const uint16_t *entry) {
    const uint32_t hash = gpci_mshr_hash(line);
    gpci_mshr_row *row = gpci_mshr_row_of(ctrl, hash);
    uint32_t mshr_entry = GPCI_NO_PACKET;
    for (uint32_t i = 0; i < row->count; i++)
        if (row->tags[i] == gpci_mshr_tag(hash) && gpci_mshr_leads(t, ctrl, row->mshr_entries[i], line, entry))
            return (gpci_mshr_place){row, i, row->mshr_entries[i]};
    if (GPCI_UNLIKELY(row->chain != GPCI_NO_PACKET))
        mshr_entry = gpci_mshr_look_behind(t, ctrl, row->chain, line, entry);
    return (gpci_mshr_place){row, row->count, mshr_entry};
}

/* True if another entry of the line already has number `entry`. */
static GPCI_NOINLINE bool gpci_mshr_is_taken(const gpci_timed *t, const gpci_ctrl *ctrl, uint64_t line,
                                             uint16_t entry) {
    return gpci_mshr_look(t, ctrl, line, &entry).mshr_entry != GPCI_NO_PACKET;
}

GPCI_INLINE uint32_t gpci_mshr_total(const gpci_ctrl *ctrl) {
    return ctrl->mshr.used[0] + ctrl->mshr.used[1];
}

/* Add an entry; packet `p` is the first to wait for the line. */
GPCI_INLINE void gpci_mshr_add(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *p, uint64_t line,
                               bool remote) {
    const uint32_t hash = gpci_mshr_hash(line);
    gpci_mshr_row *row = gpci_mshr_row_of(ctrl, hash);
    if (GPCI_UNLIKELY(ctrl->options->replaceable))
        while (gpci_mshr_is_taken(t, ctrl, line, ++ctrl->mshr.entry))
            continue;
    if (row->count < GPCI_MSHR_ROW) {
        row->tags[row->count] = gpci_mshr_tag(hash);
        row->mshr_entries[row->count++] = packet;
    } else {
        p->mshr.chain = row->chain;
        row->chain = packet;
    }
    p->mshr.first = p->mshr.last = GPCI_NO_PACKET;
    p->mshr.count = 1;
    p->mshr.slot = GPCI_NO_SLOT;
    p->mshr.whole = p->mshr.part = 0;
    p->mshr.outdated = 0;
    p->mshr.remote = remote;
    p->mshr.replaced = false;
    p->mshr.entry = ctrl->mshr.entry;
    ctrl->mshr.used[remote]++;
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, gpci_mshr_total(ctrl));
}

/* Link to an entry chained behind a row. */
GPCI_INLINE uint32_t *gpci_mshr_chained_at(const gpci_timed *t, gpci_mshr_row *row, uint32_t mshr_entry) {
    uint32_t *at = &row->chain;
    while (*at != mshr_entry)
        at = &gpci_packet_at(&t->pool, *at)->mshr.chain;
    return at;
}

GPCI_INLINE void gpci_mshr_remove(gpci_timed *t, gpci_ctrl *ctrl, const gpci_mshr_place *at) {
    gpci_packet *p = gpci_packet_at(&t->pool, at->mshr_entry);
    gpci_mshr_row *row = at->row;
    if (GPCI_LIKELY(at->place < row->count)) {
        row->tags[at->place] = row->tags[--row->count];
        row->mshr_entries[at->place] = row->mshr_entries[row->count];
    } else {
        *gpci_mshr_chained_at(t, row, at->mshr_entry) = p->mshr.chain;
    }
    gpci_log_event(t, GPC_WHAT_MSHR_FREE, ctrl, p, 0);
    ctrl->mshr.used[p->mshr.remote]--;
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, gpci_mshr_total(ctrl));
}

/* The entry outlives the leader: the first other waiting packet takes over. */
GPCI_INLINE void gpci_mshr_pass_on(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_mshr_place *at) {
    gpci_packet *p = gpci_packet_at(&t->pool, at->mshr_entry);
    uint32_t next = p->mshr.first;
    gpci_packet *q = gpci_packet_at(&t->pool, next);
    if (at->place < at->row->count) {
        at->row->mshr_entries[at->place] = next;
    } else {
        *gpci_mshr_chained_at(t, at->row, at->mshr_entry) = next;
        q->mshr.chain = p->mshr.chain;
    }
    q->mshr.first = *gpci_next_of(&t->pool, next);
    q->mshr.last = q->mshr.first == GPCI_NO_PACKET ? GPCI_NO_PACKET : p->mshr.last;
    q->mshr.count = p->mshr.count - 1;
    q->mshr.slot = p->mshr.slot;
    q->mshr.whole = p->mshr.whole;
    q->mshr.part = p->mshr.part;
    q->mshr.remote = p->mshr.remote;
    q->mshr.outdated = p->mshr.outdated;
    q->mshr.replaced = p->mshr.replaced;
    q->mshr.entry = p->mshr.entry;
    if (ctrl->rules->loads_go)
        q->sent = p->sent;
}

/* Core cycle in which L1 sent the earliest read in flight of an entry. */
GPCI_INLINE uint64_t gpci_mshr_sent(const gpci_timed *t, const gpci_packet *mshr_entry) {
    return t->wheel.now - (uint32_t)((uint32_t)t->wheel.now - mshr_entry->sent);
}

/* Segments in flight of an entry. */
GPCI_INLINE uint8_t gpci_mshr_in_flight(const gpci_packet *mshr_entry) {
    return mshr_entry->mshr.whole | mshr_entry->mshr.part;
}

GPCI_INLINE void gpci_mshr_join(gpci_timed *t, gpci_packet *l, uint32_t packet) {
    *gpci_next_of(&t->pool, packet) = GPCI_NO_PACKET;
    if (l->mshr.first == GPCI_NO_PACKET)
        l->mshr.first = packet;
    else
        *gpci_next_of(&t->pool, l->mshr.last) = packet;
    l->mshr.last = packet;
    l->mshr.count++;
}

#endif
