/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_MSHR_TABLE_H
#define GPC_TIMED_MSHR_TABLE_H

#include "timed/core/watch.h"

/*
 * MSHR entries of a stage of caches, by line: rows of hashes, with overflow chained behind the row. If lines in flight
 * may be replaced, a line has several entries: a joinable entry, and entries of replaced lines.
 */

GPCI_INLINE uint64_t gpci_stage_line(const gpci_stage *stage, uint64_t address) {
    return address >> stage->cache->line_shift;
}

/* Line of a waiting packet. In L1 the packet may be without a request, sent below. */
GPCI_INLINE uint64_t gpci_mshr_line(const gpci_timed *t, const gpci_stage *stage, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    return gpci_stage_line(stage, stage->own_lines ? p->address : p->request.address);
}

GPCI_INLINE uint32_t gpci_mshr_hash(uint64_t line) {
    return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 32);
}

GPCI_INLINE uint16_t gpci_mshr_tag(uint32_t hash) {
    return (uint16_t)(hash >> 16);
}

GPCI_INLINE gpci_mshr_row *gpci_mshr_row_of(const gpci_stage *stage, uint32_t hash) {
    return &stage->mshr.rows[hash & stage->mshr.mask];
}

#define GPCI_NO_SLOT UINT32_MAX

/* Place of an entry: in a row; or, if `place` is the row's count, chained behind the row. */
typedef struct gpci_mshr_place {
    gpci_mshr_row *row;
    uint32_t place, leader;
} gpci_mshr_place;

/* True if a leader leads the entry of a line: `entry`, or (NULL) the joinable entry. */
GPCI_INLINE bool gpci_mshr_leads(const gpci_timed *t, const gpci_stage *stage, uint32_t leader, uint64_t line,
                                 const uint16_t *entry) {
    if (gpci_mshr_line(t, stage, leader) != line)
        return false;
    if (GPCI_LIKELY(!stage->options->replaceable))
        return true;
    const gpci_packet *l = gpci_packet_at(&t->pool, leader);
    return entry ? l->mshr.entry == *entry : !l->mshr.replaced;
}

/* Find an entry chained behind a row. */
static GPCI_NOINLINE uint32_t gpci_mshr_look_behind(const gpci_timed *t, const gpci_stage *stage, uint32_t leader,
                                                    uint64_t line, const uint16_t *entry) {
    while (leader != GPCI_NO_PACKET && !gpci_mshr_leads(t, stage, leader, line, entry))
        leader = gpci_packet_at(&t->pool, leader)->mshr.chain;
    return leader;
}

/* Entry of a line; leader GPCI_NO_PACKET if not found. */
GPCI_INLINE gpci_mshr_place gpci_mshr_look(const gpci_timed *t, const gpci_stage *stage, uint64_t line,
                                           const uint16_t *entry) {
    const uint32_t hash = gpci_mshr_hash(line);
    gpci_mshr_row *row = gpci_mshr_row_of(stage, hash);
    uint32_t leader = GPCI_NO_PACKET;
    for (uint32_t i = 0; i < row->count; i++)
        if (row->tags[i] == gpci_mshr_tag(hash) && gpci_mshr_leads(t, stage, row->leaders[i], line, entry))
            return (gpci_mshr_place){row, i, row->leaders[i]};
    if (GPCI_UNLIKELY(row->chain != GPCI_NO_PACKET))
        leader = gpci_mshr_look_behind(t, stage, row->chain, line, entry);
    return (gpci_mshr_place){row, row->count, leader};
}

/* True if another entry of the line already has number `entry`. */
static GPCI_NOINLINE bool gpci_mshr_is_taken(const gpci_timed *t, const gpci_stage *stage, uint64_t line,
                                             uint16_t entry) {
    return gpci_mshr_look(t, stage, line, &entry).leader != GPCI_NO_PACKET;
}

GPCI_INLINE uint32_t gpci_mshr_total(const gpci_stage *stage) {
    return stage->mshr.used[0] + stage->mshr.used[1];
}

/* Add an entry; packet `p` is the first to wait for the line. */
GPCI_INLINE void gpci_mshr_add(gpci_timed *t, gpci_stage *stage, uint32_t packet, gpci_packet *p, uint64_t line,
                               bool remote) {
    const uint32_t hash = gpci_mshr_hash(line);
    gpci_mshr_row *row = gpci_mshr_row_of(stage, hash);
    if (GPCI_UNLIKELY(stage->options->replaceable))
        while (gpci_mshr_is_taken(t, stage, line, ++stage->mshr.entry))
            continue;
    if (row->count < GPCI_MSHR_ROW) {
        row->tags[row->count] = gpci_mshr_tag(hash);
        row->leaders[row->count++] = packet;
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
    p->mshr.entry = stage->mshr.entry;
    stage->mshr.used[remote]++;
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, gpci_mshr_total(stage));
}

/* Link to an entry chained behind a row. */
GPCI_INLINE uint32_t *gpci_mshr_chained_at(const gpci_timed *t, gpci_mshr_row *row, uint32_t leader) {
    uint32_t *at = &row->chain;
    while (*at != leader)
        at = &gpci_packet_at(&t->pool, *at)->mshr.chain;
    return at;
}

GPCI_INLINE void gpci_mshr_remove(gpci_timed *t, gpci_stage *stage, const gpci_mshr_place *at) {
    gpci_packet *p = gpci_packet_at(&t->pool, at->leader);
    gpci_mshr_row *row = at->row;
    if (GPCI_LIKELY(at->place < row->count)) {
        row->tags[at->place] = row->tags[--row->count];
        row->leaders[at->place] = row->leaders[row->count];
    } else {
        *gpci_mshr_chained_at(t, row, at->leader) = p->mshr.chain;
    }
    gpci_see(t, GPC_WHAT_MSHR_FREE, stage, p, 0);
    stage->mshr.used[p->mshr.remote]--;
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, gpci_mshr_total(stage));
}

/* The entry outlives the leader: the first other waiting packet takes over. */
GPCI_INLINE void gpci_mshr_pass_on(gpci_timed *t, const gpci_stage *stage, const gpci_mshr_place *at) {
    gpci_packet *p = gpci_packet_at(&t->pool, at->leader);
    uint32_t next = p->mshr.first;
    gpci_packet *q = gpci_packet_at(&t->pool, next);
    if (at->place < at->row->count) {
        at->row->leaders[at->place] = next;
    } else {
        *gpci_mshr_chained_at(t, at->row, at->leader) = next;
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
    if (stage->loads_go)
        q->sent = p->sent;
}

/* Core cycle in which L1 sent the earliest read in flight of an entry. */
GPCI_INLINE uint64_t gpci_mshr_sent(const gpci_timed *t, const gpci_packet *leader) {
    return t->wheel.now - (uint32_t)((uint32_t)t->wheel.now - leader->sent);
}

/* Segments in flight of an entry. */
GPCI_INLINE uint8_t gpci_mshr_in_flight(const gpci_packet *leader) {
    return leader->mshr.whole | leader->mshr.part;
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
