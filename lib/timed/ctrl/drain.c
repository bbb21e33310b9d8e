/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/drain.h"

/*
 * Entries in order of their fills, with leaders linked by `mshr.first` (no packet waits there any more). `born`: cycle
 * from which the entry is free; `segments`: those that have arrived.
 */

static gpci_packet *entry_at(const gpci_timed *t, uint32_t mshr_entry) {
    return gpci_packet_at(&t->pool, mshr_entry);
}

void gpci_drain_begin(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t waiting) {
    gpci_packet *l = entry_at(t, mshr_entry);
    const uint64_t now = t->wheel.now;
    l->mshr.first = GPCI_NO_PACKET;
    l->mshr.count = waiting;
    l->born = ctrl->release_free > now ? ctrl->release_free : now + 1;
    if (ctrl->drain_first == GPCI_NO_PACKET) {
        ctrl->drain_first = mshr_entry;
        gpci_wheel_wake(&t->wheel, ctrl->component, l->born);
    } else {
        entry_at(t, ctrl->drain_last)->mshr.first = mshr_entry;
    }
    ctrl->drain_last = mshr_entry;
}

/* Number of an entry's waiting accesses without their turn yet; accesses of earlier entries come first. */
static uint64_t left_of(const gpci_timed *t, const gpci_packet *l) {
    const uint64_t cycles = l->born - t->wheel.now;
    return cycles < l->mshr.count ? cycles : l->mshr.count;
}

bool gpci_drain_has_room(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs) {
    const gpci_packet *l = entry_at(t, mshr_entry);
    if (!(needs & (uint8_t)~l->segments) && left_of(t, l) < ctrl->options->merges)
        return true;
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now + 1);
    return false;
}

void gpci_drain_join(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry) {
    gpci_packet *l = entry_at(t, mshr_entry);
    l->mshr.count = (uint32_t)left_of(t, l) + 1;
    ctrl->release_free++;
    for (uint32_t each = mshr_entry; each != GPCI_NO_PACKET; each = entry_at(t, each)->mshr.first)
        entry_at(t, each)->born++;
}

void gpci_drain_step(gpci_timed *t, gpci_ctrl *ctrl) {
    while (ctrl->drain_first != GPCI_NO_PACKET) {
        const uint32_t mshr_entry = ctrl->drain_first;
        const gpci_packet *l = entry_at(t, mshr_entry);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
        if (l->born > t->wheel.now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, l->born);
            return;
        }
        ctrl->drain_first = l->mshr.first;
        gpci_mshr_free(t, ctrl, mshr_entry);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    }
}
