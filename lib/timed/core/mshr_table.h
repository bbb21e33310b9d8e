/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_MSHR_TABLE_H
#define GPC_TIMED_MSHR_TABLE_H

#include "timed/core/timed.h"

/*
 * MSHR entries of a controller of caches, by line: rows of hashes, with overflow chained behind the row. If lines in
 * flight may be replaced, a line has several entries: a joinable entry, and entries of replaced lines.
 */

GPCI_INLINE uint64_t gpci_ctrl_line(const gpci_ctrl *ctrl, uint64_t address) {
    return address >> ctrl->cache->line_shift;
}

/* Line of a waiting packet. In L1 the packet may be a waiter, without a request: then `address` has the line. */
GPCI_INLINE uint64_t gpci_mshr_line(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    return gpci_ctrl_line(ctrl, ctrl->rules->own_lines ? pkt->address : pkt->request.address);
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

/* True if packet `mshr_entry` leads an entry of a line: the entry numbered `*entry`, or (NULL) the joinable entry. */
GPCI_INLINE bool gpci_mshr_leads(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t mshr_entry, uint64_t line,
                                 const uint16_t *entry) {
    if (gpci_mshr_line(timed, ctrl, mshr_entry) != line)
        return false;
    if (GPCI_LIKELY(!ctrl->options->replaceable))
        return true;
    const gpci_packet *entry_pkt = gpci_packet_at(&timed->pool, mshr_entry);
    return entry ? entry_pkt->mshr.entry == *entry : !entry_pkt->mshr.replaced;
}

/* Find an entry chained behind a row. */
static GPCI_NOINLINE uint32_t gpci_mshr_look_behind(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t mshr_entry,
                                                    uint64_t line, const uint16_t *entry) {
    while (mshr_entry != GPCI_NO_PACKET && !gpci_mshr_leads(timed, ctrl, mshr_entry, line, entry))
        mshr_entry = gpci_packet_at(&timed->pool, mshr_entry)->mshr.chain;
    return mshr_entry;
}

/* Entry of a line, as for gpci_mshr_leads; if not found, the leader (`mshr_entry`) is GPCI_NO_PACKET. */
GPCI_INLINE gpci_mshr_place gpci_mshr_look(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t line,
                                           const uint16_t *entry) {
    const uint32_t hash = gpci_mshr_hash(line);
    gpci_mshr_row *row = gpci_mshr_row_of(ctrl, hash);
    uint32_t mshr_entry = GPCI_NO_PACKET;
    for (uint32_t i = 0; i < row->count; i++)
        if (row->tags[i] == gpci_mshr_tag(hash) && gpci_mshr_leads(timed, ctrl, row->mshr_entries[i], line, entry))
            return (gpci_mshr_place){row, i, row->mshr_entries[i]};
    if (GPCI_UNLIKELY(row->chain != GPCI_NO_PACKET))
        mshr_entry = gpci_mshr_look_behind(timed, ctrl, row->chain, line, entry);
    return (gpci_mshr_place){row, row->count, mshr_entry};
}

/* True if another entry of the line already has number `entry`. */
static GPCI_NOINLINE bool gpci_mshr_is_taken(const gpci_timed *timed, const gpci_ctrl *ctrl, uint64_t line,
                                             uint16_t entry) {
    return gpci_mshr_look(timed, ctrl, line, &entry).mshr_entry != GPCI_NO_PACKET;
}

GPCI_INLINE uint32_t gpci_mshr_total(const gpci_ctrl *ctrl) {
    return ctrl->mshr.used[0] + ctrl->mshr.used[1];
}

/* Add an entry; packet `pkt` is the first to wait for the line. */
GPCI_INLINE void gpci_mshr_add(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_packet *pkt, uint64_t line,
                               bool remote) {
    const uint32_t hash = gpci_mshr_hash(line);
    gpci_mshr_row *row = gpci_mshr_row_of(ctrl, hash);
    if (GPCI_UNLIKELY(ctrl->options->replaceable))
        while (gpci_mshr_is_taken(timed, ctrl, line, ++ctrl->mshr.entry))
            continue;
    if (row->count < GPCI_MSHR_ROW) {
        row->tags[row->count] = gpci_mshr_tag(hash);
        row->mshr_entries[row->count++] = packet;
    } else {
        pkt->mshr.chain = row->chain;
        row->chain = packet;
    }
    pkt->mshr.first = pkt->mshr.last = GPCI_NO_PACKET;
    pkt->mshr.count = 1;
    pkt->mshr.slot = GPCI_NO_SLOT;
    pkt->mshr.full_sectors = pkt->mshr.other_segments = 0;
    pkt->mshr.outdated = 0;
    pkt->mshr.remote = remote;
    pkt->mshr.replaced = false;
    pkt->mshr.entry = ctrl->mshr.entry;
    ctrl->mshr.used[remote]++;
    gpci_gauge_set(&ctrl->mshr.gauge, timed->wheel.now, gpci_mshr_total(ctrl));
}

/* Field that has the number of an entry chained behind a row. */
GPCI_INLINE uint32_t *gpci_mshr_chained_at(const gpci_timed *timed, gpci_mshr_row *row, uint32_t mshr_entry) {
    uint32_t *at = &row->chain;
    while (*at != mshr_entry)
        at = &gpci_packet_at(&timed->pool, *at)->mshr.chain;
    return at;
}

GPCI_INLINE void gpci_mshr_remove(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_mshr_place *place) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, place->mshr_entry);
    gpci_mshr_row *row = place->row;
    if (GPCI_LIKELY(place->place < row->count)) {
        row->tags[place->place] = row->tags[--row->count];
        row->mshr_entries[place->place] = row->mshr_entries[row->count];
    } else {
        *gpci_mshr_chained_at(timed, row, place->mshr_entry) = pkt->mshr.chain;
    }
    gpci_log_event(timed, GPC_WHAT_MSHR_FREE, ctrl, pkt, 0);
    ctrl->mshr.used[pkt->mshr.remote]--;
    gpci_gauge_set(&ctrl->mshr.gauge, timed->wheel.now, gpci_mshr_total(ctrl));
}

/* The leader leaves an entry that stays: the first target becomes the leader. */
GPCI_INLINE void gpci_mshr_pass_on(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_mshr_place *place) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, place->mshr_entry);
    uint32_t next = pkt->mshr.first;
    gpci_packet *other = gpci_packet_at(&timed->pool, next);
    if (place->place < place->row->count) {
        place->row->mshr_entries[place->place] = next;
    } else {
        *gpci_mshr_chained_at(timed, place->row, place->mshr_entry) = next;
        other->mshr.chain = pkt->mshr.chain;
    }
    other->mshr.first = *gpci_next_of(&timed->pool, next);
    other->mshr.last = other->mshr.first == GPCI_NO_PACKET ? GPCI_NO_PACKET : pkt->mshr.last;
    other->mshr.count = pkt->mshr.count - 1;
    other->mshr.slot = pkt->mshr.slot;
    other->mshr.full_sectors = pkt->mshr.full_sectors;
    other->mshr.other_segments = pkt->mshr.other_segments;
    other->mshr.remote = pkt->mshr.remote;
    other->mshr.outdated = pkt->mshr.outdated;
    other->mshr.replaced = pkt->mshr.replaced;
    other->mshr.entry = pkt->mshr.entry;
    if (ctrl->rules->loads_go)
        other->sent = pkt->sent;
}

/* Core cycle in which L1 sent the earliest read in flight of an entry, less than 2^32 cycles ago. */
GPCI_INLINE uint64_t gpci_mshr_sent(const gpci_timed *timed, const gpci_packet *mshr_entry) {
    return timed->wheel.now - (uint32_t)((uint32_t)timed->wheel.now - mshr_entry->sent);
}

/* Segments in flight of an entry. */
GPCI_INLINE uint8_t gpci_mshr_in_flight(const gpci_packet *mshr_entry) {
    return mshr_entry->mshr.full_sectors | mshr_entry->mshr.other_segments;
}

/* Set the segments in flight of an entry: whole sectors, and others. */
GPCI_INLINE void gpci_mshr_fly(gpci_ctrl *ctrl, gpci_packet *mshr_entry, uint8_t full_sectors, uint8_t others) {
    if (GPCI_UNLIKELY(ctrl->options->by_sector))
        ctrl->mshr.sectors[mshr_entry->mshr.remote] +=
            gpci_popcount(full_sectors | others) - gpci_popcount(gpci_mshr_in_flight(mshr_entry));
    mshr_entry->mshr.full_sectors = full_sectors;
    mshr_entry->mshr.other_segments = others;
}

GPCI_INLINE void gpci_mshr_join(gpci_timed *timed, gpci_packet *entry, uint32_t packet) {
    *gpci_next_of(&timed->pool, packet) = GPCI_NO_PACKET;
    if (entry->mshr.first == GPCI_NO_PACKET)
        entry->mshr.first = packet;
    else
        *gpci_next_of(&timed->pool, entry->mshr.last) = packet;
    entry->mshr.last = packet;
    entry->mshr.count++;
}

#endif
