/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "timed/core/timed.h"

/*
 * Recent writes of an L2 slice. Between a write and a read of a sector l2.write_to_read L2 cycles pass: an earlier read
 * waits at the tags, and packets behind wait, too. Only the line's home slice delays reads: the write drops a copy in
 * the other partition, and the copy is read again from home. Writes and atomics never wait; atomics delay no read.
 *
 * Example, 260 cycles: a sector is written in cycle 100. A read of the sector, at the tags in 120, passes in 360, and a
 * read of another sector, arriving in 121, in 361; if the second read had arrived in 119, it would have passed in 119.
 *
 * Written sectors are in rows of eight, a cache line of the processor; there are enough rows for a sector per cycle. A
 * sector is identified by 31 bits of a hash. If a row has no place for a written sector, the row forgets the oldest.
 */
#define WAYS 8u

typedef struct written_sector {
    uint32_t tag; /* part of the hash that names the sector; 0: empty */
    uint32_t at;  /* cycle of the slice's clock of the last write, lower bits */
} written_sector;

typedef struct written {
    uint32_t rows;
    uint64_t waits; /* counter: cycles of the slice's clock that reads have waited at the tags */
    written_sector sectors[];
} written;

static written *written_of(const gpci_ctrl *slice) {
    return slice->parts.self[GPCI_PART_WRITTEN];
}

/* Make the part if l2.write_to_read is set, for plain caches. */
static gpc_status make(gpci_timed *timed, gpci_ctrl *slice, gpc_error *error) {
    const uint32_t rows = (timed->write_to_read + WAYS - 1) / WAYS;
    if (!rows || timed->hierarchy->coherent || !gpci_number(timed->hierarchy, GPCI_KEY_L2_ENABLED))
        return GPC_OK;
    written *record = gpci_zalloc(timed->context, 1, sizeof *record + rows * WAYS * sizeof *record->sectors);
    if (!record)
        return gpci_out_of_memory(error);
    gpci_part_add(slice, GPCI_PART_WRITTEN, &gpci_written_part, record);
    record->rows = rows;
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *slice) {
    gpci_free(timed->context, written_of(slice));
}

static void state(gpci_ctrl *slice, gpci_state_fn visit, void *user_data) {
    written *record = written_of(slice);
    visit(user_data, &record->waits, sizeof record->waits);
    visit(user_data, record->sectors, (size_t)record->rows * WAYS * sizeof *record->sectors);
}

/* Row of a sector's write, and the tag. */
static written_sector *row_of(written *record, uint64_t sector, uint32_t *out_tag) {
    const uint64_t hash = gpci_hash(sector);
    *out_tag = (uint32_t)(hash >> 32) | 1;
    return &record->sectors[((uint64_t)(uint32_t)hash * record->rows >> 32) * WAYS];
}

/* Sectors of a packet with segments of an SM's line, in the slice's line. */
static uint8_t sectors_of(const gpci_timed *timed, const gpci_packet *pkt) {
    return timed->hierarchy->l2_level
        .sectors_of[(uint8_t)(pkt->segments << gpci_l2_shift(timed->hierarchy, pkt->address))];
}

/* Line and sectors of a read, before the lookup. */
static uint64_t line_of(const gpci_timed *timed, const gpci_packet *pkt, uint8_t *out_sectors) {
    const bool of_line = pkt->flags & GPCI_PACKET_LINK;
    *out_sectors = of_line ? timed->hierarchy->l2_level.sectors_of[pkt->segments] : sectors_of(timed, pkt);
    return gpci_l2_line(timed, of_line ? pkt->request.address : pkt->path.inner);
}

/* Cycles left of `cycles` since the sector's last write. */
static uint32_t left_of(written *record, uint64_t sector, uint64_t now, uint32_t cycles) {
    uint32_t tag;
    const written_sector *row = row_of(record, sector, &tag);
    for (uint32_t way = 0; way < WAYS; way++)
        if (row[way].tag == tag) {
            const uint32_t age = (uint32_t)now - row[way].at;
            return age < cycles ? cycles - age : 0;
        }
    return 0;
}

/* True if a read waits; the slice is woken at the end of the wait. */
static bool holds_up(gpci_timed *timed, gpci_ctrl *slice, const gpci_packet *pkt, gpci_tag_access *access) {
    written *record = written_of(slice);
    const gpci_clock clock = slice->options->clock;
    const uint64_t now = gpci_clock_own(clock, timed->wheel.now);
    uint32_t wait = 0;
    uint8_t sectors;
    if (access->until > now) { /* the wheel may step the slice earlier */
        gpci_wheel_wake(&timed->wheel, slice->component, gpci_clock_core(clock, access->until));
        return true;
    }
    if (pkt->type != GPCI_READ)
        return false;
    const uint64_t line = line_of(timed, pkt, &sectors);
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const uint32_t left = left_of(record, line + gpci_lowest(sectors), now, timed->write_to_read);
        wait = left > wait ? left : wait;
    }
    if (!wait)
        return false;
    access->until = now + wait;
    record->waits += wait;
    GPCI_AGAIN(timed->hierarchy->of_slice[slice->index].again.l2_written_wait_cycles += access->until - now);
    gpci_wheel_wake(&timed->wheel, slice->component, gpci_clock_core(clock, now + wait));
    return true;
}

static void note(written *record, uint64_t sector, uint32_t now) {
    uint32_t tag;
    written_sector *row = row_of(record, sector, &tag), *at = row;
    for (uint32_t way = 0; way < WAYS && at->tag != tag; way++)
        if (row[way].tag == tag || (at->tag && (!row[way].tag || now - row[way].at > now - at->at)))
            at = &row[way];
    *at = (written_sector){tag, now};
}

/* Note a write's sectors. */
static void passed(gpci_timed *timed, gpci_ctrl *slice, const gpci_packet *pkt) {
    const uint64_t now = gpci_clock_own(slice->options->clock, timed->wheel.now);
    const uint64_t line = gpci_l2_line(timed, pkt->request.address);
    for (uint8_t sectors = sectors_of(timed, pkt); sectors; sectors &= (uint8_t)(sectors - 1))
        note(written_of(slice), line + gpci_lowest(sectors), (uint32_t)now);
}

static void count(const gpci_ctrl *slice, uint64_t now, gpc_stats *stats) {
    (void)now;
    stats->l2_written_wait_cycles += written_of(slice)->waits;
}

static void reset(gpci_ctrl *slice, uint64_t now) {
    (void)now;
    written_of(slice)->waits = 0;
}

const gpci_part_class gpci_written_part = {.levels = GPCI_OF_SLICES,
                                           .make = make,
                                           .destroy = destroy,
                                           .holds_up = holds_up,
                                           .passed = passed,
                                           .count = count,
                                           .reset = reset,
                                           .state = state};
