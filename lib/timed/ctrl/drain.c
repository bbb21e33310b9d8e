/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/drain.h"

/*
 * Entries in order of their fills, with leaders linked by `mshr.first` (no packet waits there any more). `born`: cycle
 * from which the entry is free; `segments`: those that have arrived.
 */

typedef struct drains {
    uint32_t first, last; /* leaders; or GPCI_NO_PACKET */
} drains;

static drains *drains_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_DRAIN];
}

static gpci_packet *entry_at(const gpci_timed *t, uint32_t mshr_entry) {
    return gpci_packet_at(&t->pool, mshr_entry);
}

void gpci_drain_begin(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t waiting) {
    drains *d = drains_of(ctrl);
    gpci_packet *l = entry_at(t, mshr_entry);
    const uint64_t now = t->wheel.now;
    l->mshr.first = GPCI_NO_PACKET;
    l->mshr.count = waiting;
    l->born = ctrl->release_free > now ? ctrl->release_free : now + 1;
    if (d->first == GPCI_NO_PACKET) {
        d->first = mshr_entry;
        gpci_part_wakes(ctrl, GPCI_PART_DRAIN);
        gpci_wheel_wake(&t->wheel, ctrl->component, l->born);
    } else {
        entry_at(t, d->last)->mshr.first = mshr_entry;
    }
    d->last = mshr_entry;
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

/* Free drained entries. */
static void step(gpci_timed *t, gpci_ctrl *ctrl) {
    drains *d = drains_of(ctrl);
    while (d->first != GPCI_NO_PACKET) {
        const uint32_t mshr_entry = d->first;
        const gpci_packet *l = entry_at(t, mshr_entry);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
        if (l->born > t->wheel.now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, l->born);
            return;
        }
        d->first = l->mshr.first;
        gpci_mshr_free(t, ctrl, mshr_entry);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    }
    gpci_part_rests(ctrl, GPCI_PART_DRAIN);
}

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    if (!ctrl->options->drains)
        return GPC_OK;
    drains *d = gpci_zalloc(t->context, 1, sizeof *d);
    if (!d)
        return gpci_out_of_memory(error);
    d->first = d->last = GPCI_NO_PACKET;
    gpci_part_add(ctrl, GPCI_PART_DRAIN, &gpci_drain_part, d);
    gpci_part_rests(ctrl, GPCI_PART_DRAIN);
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_free(t->context, drains_of(ctrl));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    visit(user_data, drains_of(ctrl), sizeof(drains));
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    (void)t;
    gpci_held(to, "MSHR entry that drains", drains_of(ctrl)->first != GPCI_NO_PACKET, gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_drain_part = {.levels = GPCI_OF_L1S,
                                         .make = make,
                                         .destroy = destroy,
                                         .step = {[GPCI_AT_ARRIVE] = step},
                                         .state = state,
                                         .hold = hold};
