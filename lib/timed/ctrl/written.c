/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/written.h"

gpc_status gpci_written_create(const gpci_timed *t, gpci_ctrl *slice) {
    const uint32_t rows = (t->write_to_read + GPCI_WRITTEN_WAYS - 1) / GPCI_WRITTEN_WAYS;
    if (!rows || t->h->coherent || !gpci_number(t->h, GPCI_KEY_L2_ENABLED))
        return GPC_OK;
    slice->written =
        gpci_zalloc(t->context, 1, sizeof *slice->written + rows * GPCI_WRITTEN_WAYS * sizeof *slice->written->sectors);
    if (!slice->written)
        return GPC_ERROR_MEMORY;
    slice->written->rows = rows;
    return GPC_OK;
}

void gpci_written_destroy(const gpci_timed *t, gpci_ctrl *slice) {
    gpci_free(t->context, slice->written);
}

void gpci_written_state(gpci_written *written, gpci_state_fn visit, void *user_data) {
    visit(user_data, written->until, sizeof written->until);
    visit(user_data, written->sectors, (size_t)written->rows * GPCI_WRITTEN_WAYS * sizeof *written->sectors);
}

/* Row of a sector's write, and the tag. */
static gpci_written_sector *row_of(gpci_written *written, uint64_t sector, uint32_t *out_tag) {
    const uint64_t hash = gpci_hash(sector);
    *out_tag = (uint32_t)(hash >> 32) | 1;
    return &written->sectors[((uint64_t)(uint32_t)hash * written->rows >> 32) * GPCI_WRITTEN_WAYS];
}

uint64_t gpci_written_line(const gpci_timed *t, const gpci_packet *p, uint8_t *out_sectors) {
    const bool of_line = p->type == GPCI_READ && p->flags & GPCI_PACKET_LINK;
    const unsigned shift = of_line ? 0 : gpci_l2_shift(t->h, p->address);
    *out_sectors = t->h->l2_level.sectors_of[(uint8_t)(p->segments << shift)];
    return gpci_l2_line(t, of_line ? p->request.address : p->path.inner);
}

/* Cycles left of `cycles` since the sector's last write. */
static uint32_t left_of(gpci_written *written, uint64_t sector, uint64_t now, uint32_t cycles) {
    uint32_t tag;
    const gpci_written_sector *row = row_of(written, sector, &tag);
    for (uint32_t way = 0; way < GPCI_WRITTEN_WAYS; way++)
        if (row[way].tag == tag) {
            const uint32_t age = (uint32_t)now - row[way].at;
            return age < cycles ? cycles - age : 0;
        }
    return 0;
}

bool gpci_written_holds(gpci_timed *t, gpci_ctrl *slice, const gpci_packet *p, bool link) {
    gpci_written *written = slice->written;
    const gpci_clock clock = slice->options->clock;
    const uint64_t now = gpci_clock_own(clock, t->wheel.now);
    uint32_t wait = 0;
    uint8_t sectors;
    if (written->until[link] > now) { /* the wheel may step the slice earlier */
        gpci_wheel_wake(&t->wheel, slice->component, gpci_clock_core(clock, written->until[link]));
        return true;
    }
    if (p->type != GPCI_READ)
        return false;
    const uint64_t line = gpci_written_line(t, p, &sectors);
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const uint32_t left = left_of(written, line + gpci_lowest(sectors), now, t->write_to_read);
        wait = left > wait ? left : wait;
    }
    if (!wait)
        return false;
    written->until[link] = now + wait;
    slice->written_waits += wait;
    gpci_wheel_wake(&t->wheel, slice->component, gpci_clock_core(clock, now + wait));
    return true;
}

static void note(gpci_written *written, uint64_t sector, uint32_t now) {
    uint32_t tag;
    gpci_written_sector *row = row_of(written, sector, &tag), *at = row;
    for (uint32_t way = 0; way < GPCI_WRITTEN_WAYS && at->tag != tag; way++)
        if (row[way].tag == tag || (at->tag && (!row[way].tag || now - row[way].at > now - at->at)))
            at = &row[way];
    *at = (gpci_written_sector){tag, now};
}

void gpci_written_note(gpci_timed *t, gpci_ctrl *slice, uint64_t line, uint8_t sectors) {
    const uint64_t now = gpci_clock_own(slice->options->clock, t->wheel.now);
    for (; sectors; sectors &= (uint8_t)(sectors - 1))
        note(slice->written, line + gpci_lowest(sectors), (uint32_t)now);
}
