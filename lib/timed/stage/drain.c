/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/stage/drain.h"

/*
 * Entries in order of their fills, with leaders linked by `mshr.first` (no packet waits there any more). `born`: cycle
 * from which the entry is free; `segments`: those that have arrived.
 */

static gpci_packet *entry_at(const gpci_timed *t, uint32_t leader) {
    return gpci_packet_at(&t->pool, leader);
}

void gpci_drain_begin(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint32_t waiting) {
    gpci_packet *l = entry_at(t, leader);
    const uint64_t now = t->wheel.now;
    l->mshr.first = GPCI_NO_PACKET;
    l->mshr.count = waiting;
    l->born = stage->release_free > now ? stage->release_free : now + 1;
    if (stage->drain_first == GPCI_NO_PACKET) {
        stage->drain_first = leader;
        gpci_wheel_wake(&t->wheel, stage->component, l->born);
    } else {
        entry_at(t, stage->drain_last)->mshr.first = leader;
    }
    stage->drain_last = leader;
}

/* Number of an entry's waiting accesses without their turn yet; accesses of earlier entries come first. */
static uint64_t left_of(const gpci_timed *t, const gpci_packet *l) {
    const uint64_t cycles = l->born - t->wheel.now;
    return cycles < l->mshr.count ? cycles : l->mshr.count;
}

bool gpci_drain_has_room(gpci_timed *t, gpci_stage *stage, uint32_t leader, uint8_t needs) {
    const gpci_packet *l = entry_at(t, leader);
    if (!(needs & (uint8_t)~l->segments) && left_of(t, l) < stage->options->merges)
        return true;
    gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
    return false;
}

void gpci_drain_join(gpci_timed *t, gpci_stage *stage, uint32_t leader) {
    gpci_packet *l = entry_at(t, leader);
    l->mshr.count = (uint32_t)left_of(t, l) + 1;
    stage->release_free++;
    for (uint32_t each = leader; each != GPCI_NO_PACKET; each = entry_at(t, each)->mshr.first)
        entry_at(t, each)->born++;
}

void gpci_drain_step(gpci_timed *t, gpci_stage *stage) {
    while (stage->drain_first != GPCI_NO_PACKET) {
        const uint32_t leader = stage->drain_first;
        const gpci_packet *l = entry_at(t, leader);
        gpci_stage_relieve(stage, GPC_BUSY_MERGE);
        if (l->born > t->wheel.now) {
            gpci_wheel_wake(&t->wheel, stage->component, l->born);
            return;
        }
        stage->drain_first = l->mshr.first;
        gpci_mshr_free(t, stage, leader);
        gpci_stage_relieve(stage, GPC_BUSY_MSHR);
    }
}
