/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/written.h"

#include <string.h>

gpc_status gpci_written_create(const gpci_timed *t, gpci_stage *slice) {
    uint32_t rows = 1;
    if (!t->write_to_read || t->h->coherent || !gpci_number(t->h, GPCI_KEY_L2_ENABLED))
        return GPC_OK;
    while (rows * GPCI_WRITTEN_WAYS < t->write_to_read)
        rows *= 2;
    const size_t bytes = rows * GPCI_WRITTEN_WAYS * sizeof *slice->written->sectors;
    slice->written = gpci_zalloc(t->context, 1, sizeof *slice->written + bytes);
    if (!slice->written)
        return GPC_ERROR_MEMORY;
    slice->written->mask = rows - 1;
    memset(slice->written->sectors, 0xff, bytes);
    return GPC_OK;
}

void gpci_written_destroy(const gpci_timed *t, gpci_stage *slice) {
    gpci_free(t->context, slice->written);
}

void gpci_written_state(gpci_written *written, gpci_state_fn visit, void *user_data) {
    visit(user_data, written->until, sizeof written->until);
    visit(user_data, written->sectors, (size_t)(written->mask + 1) * GPCI_WRITTEN_WAYS * sizeof *written->sectors);
}

static gpci_written_sector *row_of(gpci_written *written, uint64_t sector) {
    return &written->sectors[((uint32_t)(gpci_hash(sector) >> 32) & written->mask) * GPCI_WRITTEN_WAYS];
}

uint64_t gpci_written_line(const gpci_timed *t, const gpci_packet *p, uint8_t *out_sectors) {
    const bool of_line = p->type == GPCI_READ && p->flags & GPCI_PACKET_LINK;
    const unsigned shift = of_line ? 0 : gpci_l2_shift(t->h, p->address);
    *out_sectors = t->h->l2_level.sectors_of[(uint8_t)(p->segments << shift)];
    return gpci_l2_line(t, of_line ? p->request.address : p->path.inner);
}

/* Own cycle of the sector's last write, and so many more; 0: not known. */
static uint64_t readable_at(gpci_written *written, uint64_t sector, uint32_t cycles) {
    const gpci_written_sector *row = row_of(written, sector);
    for (uint32_t way = 0; way < GPCI_WRITTEN_WAYS; way++)
        if (row[way].sector == sector)
            return row[way].at + cycles;
    return 0;
}

bool gpci_written_holds(gpci_timed *t, gpci_stage *slice, const gpci_packet *p, bool link) {
    gpci_written *written = slice->written;
    const gpci_clock clock = slice->options->clock;
    const uint64_t now = gpci_clock_own(clock, t->wheel.now);
    uint64_t until = 0;
    uint8_t sectors;
    if (written->until[link] > now)
        return true;
    if (p->type != GPCI_READ)
        return false;
    const uint64_t line = gpci_written_line(t, p, &sectors);
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const uint64_t readable = readable_at(written, line + gpci_lowest(sectors), t->write_to_read);
        until = readable > until ? readable : until;
    }
    if (until <= now)
        return false;
    written->until[link] = until;
    slice->written_waits += until - now;
    gpci_wheel_wake(&t->wheel, slice->component, gpci_clock_core(clock, until));
    return true;
}

static void note(gpci_written *written, uint64_t sector, uint64_t now) {
    gpci_written_sector *row = row_of(written, sector), *at = row;
    for (uint32_t way = 0; way < GPCI_WRITTEN_WAYS; way++) {
        if (row[way].sector == sector) {
            at = &row[way];
            break;
        }
        if (row[way].sector == UINT64_MAX || (at->sector != UINT64_MAX && row[way].at < at->at))
            at = &row[way];
    }
    *at = (gpci_written_sector){sector, now};
}

void gpci_written_note(gpci_timed *t, gpci_stage *slice, uint64_t line, uint8_t sectors) {
    const uint64_t now = gpci_clock_own(slice->options->clock, t->wheel.now);
    for (; sectors; sectors &= (uint8_t)(sectors - 1))
        note(slice->written, line + gpci_lowest(sectors), now);
}
