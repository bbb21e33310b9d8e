/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

/*
 * Recent writes of an L2 slice. Between a write and a read of a sector l2.write_to_read L2 cycles pass: an earlier read
 * waits at the tags, and packets behind wait, too. Only a line's home knows: a copy in the other partition is dropped
 * with the write, and read again from home. Writes never wait, nor do atomics, which also delay no read.
 *
 * Example, 260 cycles: a sector is written in cycle 100. A read of the sector, at the tags in 120, passes in 360, and a
 * read of another sector, arriving in 121, in 361; had the second read come first, it would have passed in 119.
 *
 * Rows of eight sectors, a cache line of the processor; enough rows for a sector per cycle. A sector is identified by
 * 31 bits of a hash. If a ninth sector of a row would delay a read, the oldest no longer does.
 */
#define WAYS 8u

typedef struct written_sector {
    uint32_t tag; /* part of the hash that names the sector; 0: empty */
    uint32_t at;  /* own cycle of the last write, lower bits */
} written_sector;

typedef struct written {
    uint32_t rows;
    uint64_t waits; /* counter: own cycles of the tags */
    written_sector sectors[];
} written;

static written *written_of(const gpci_ctrl *slice) {
    return slice->parts.self[GPCI_PART_WRITTEN];
}

/* None without l2.write_to_read, and in trees. */
static gpc_status make(gpci_timed *t, gpci_ctrl *slice, gpc_error *error) {
    const uint32_t rows = (t->write_to_read + WAYS - 1) / WAYS;
    if (!rows || t->h->coherent || !gpci_number(t->h, GPCI_KEY_L2_ENABLED))
        return GPC_OK;
    written *w = gpci_zalloc(t->context, 1, sizeof *w + rows * WAYS * sizeof *w->sectors);
    if (!w)
        return gpci_out_of_memory(error);
    gpci_part_add(slice, GPCI_PART_WRITTEN, &gpci_written_part, w);
    w->rows = rows;
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *slice) {
    gpci_free(t->context, written_of(slice));
}

static void state(gpci_ctrl *slice, gpci_state_fn visit, void *user_data) {
    written *w = written_of(slice);
    visit(user_data, &w->waits, sizeof w->waits);
    visit(user_data, w->sectors, (size_t)w->rows * WAYS * sizeof *w->sectors);
}

/* Row of a sector's write, and the tag. */
static written_sector *row_of(written *w, uint64_t sector, uint32_t *out_tag) {
    const uint64_t hash = gpci_hash(sector);
    *out_tag = (uint32_t)(hash >> 32) | 1;
    return &w->sectors[((uint64_t)(uint32_t)hash * w->rows >> 32) * WAYS];
}

/* Sectors of a packet with segments of an SM's line, in the slice's line. */
static uint8_t sectors_of(const gpci_timed *t, const gpci_packet *p) {
    return t->h->l2_level.sectors_of[(uint8_t)(p->segments << gpci_l2_shift(t->h, p->address))];
}

/* Line and sectors of a read, before the lookup. */
static uint64_t line_of(const gpci_timed *t, const gpci_packet *p, uint8_t *out_sectors) {
    const bool of_line = p->flags & GPCI_PACKET_LINK;
    *out_sectors = of_line ? t->h->l2_level.sectors_of[p->segments] : sectors_of(t, p);
    return gpci_l2_line(t, of_line ? p->request.address : p->path.inner);
}

/* Cycles left of `cycles` since the sector's last write. */
static uint32_t left_of(written *w, uint64_t sector, uint64_t now, uint32_t cycles) {
    uint32_t tag;
    const written_sector *row = row_of(w, sector, &tag);
    for (uint32_t way = 0; way < WAYS; way++)
        if (row[way].tag == tag) {
            const uint32_t age = (uint32_t)now - row[way].at;
            return age < cycles ? cycles - age : 0;
        }
    return 0;
}

/* True if a read waits; the slice is woken at the end of the wait. */
static bool holds_up(gpci_timed *t, gpci_ctrl *slice, const gpci_packet *p, gpci_tag_access *access) {
    written *w = written_of(slice);
    const gpci_clock clock = slice->options->clock;
    const uint64_t now = gpci_clock_own(clock, t->wheel.now);
    uint32_t wait = 0;
    uint8_t sectors;
    if (access->until > now) { /* the wheel may step the slice earlier */
        gpci_wheel_wake(&t->wheel, slice->component, gpci_clock_core(clock, access->until));
        return true;
    }
    if (p->type != GPCI_READ)
        return false;
    const uint64_t line = line_of(t, p, &sectors);
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const uint32_t left = left_of(w, line + gpci_lowest(sectors), now, t->write_to_read);
        wait = left > wait ? left : wait;
    }
    if (!wait)
        return false;
    access->until = now + wait;
    w->waits += wait;
    gpci_wheel_wake(&t->wheel, slice->component, gpci_clock_core(clock, now + wait));
    return true;
}

static void note(written *w, uint64_t sector, uint32_t now) {
    uint32_t tag;
    written_sector *row = row_of(w, sector, &tag), *at = row;
    for (uint32_t way = 0; way < WAYS && at->tag != tag; way++)
        if (row[way].tag == tag || (at->tag && (!row[way].tag || now - row[way].at > now - at->at)))
            at = &row[way];
    *at = (written_sector){tag, now};
}

/* Note a write's sectors. */
static void passed(gpci_timed *t, gpci_ctrl *slice, const gpci_packet *p) {
    const uint64_t now = gpci_clock_own(slice->options->clock, t->wheel.now);
    const uint64_t line = gpci_l2_line(t, p->request.address);
    for (uint8_t sectors = sectors_of(t, p); sectors; sectors &= (uint8_t)(sectors - 1))
        note(written_of(slice), line + gpci_lowest(sectors), (uint32_t)now);
}

static void count(const gpci_ctrl *slice, uint64_t now, gpc_stats *s) {
    (void)now;
    s->l2_written_wait_cycles += written_of(slice)->waits;
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
