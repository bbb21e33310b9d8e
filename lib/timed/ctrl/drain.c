/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/drain.h"

/*
 * List of the entries that drain, in order of fills. Fields of the leaders have other meanings: `mshr.first` is the
 * next leader in the list (no packet waits at the entry any more), `born` the core cycle from which the entry is free,
 * and `segments` the segments that have arrived.
 */

typedef struct drains {
    uint32_t first, last; /* leaders; or GPCI_NO_PACKET */
} drains;

static drains *drains_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_DRAIN];
}

static gpci_packet *entry_at(const gpci_timed *timed, uint32_t mshr_entry) {
    return gpci_packet_at(&timed->pool, mshr_entry);
}

void gpci_drain_begin(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t waiting) {
    drains *list = drains_of(ctrl);
    gpci_packet *entry = entry_at(timed, mshr_entry);
    const uint64_t now = timed->wheel.now;
    entry->mshr.first = GPCI_NO_PACKET;
    entry->mshr.count = waiting;
    entry->born = ctrl->release_free > now ? ctrl->release_free : now + 1;
    if (list->first == GPCI_NO_PACKET) {
        list->first = mshr_entry;
        gpci_part_wakes(ctrl, GPCI_PART_DRAIN);
        gpci_wheel_wake(&timed->wheel, ctrl->component, entry->born);
    } else {
        entry_at(timed, list->last)->mshr.first = mshr_entry;
    }
    list->last = mshr_entry;
}

/* Number of an entry's waiting accesses without their turn yet; accesses of earlier entries come first. */
static uint64_t left_of(const gpci_timed *timed, const gpci_packet *entry) {
    const uint64_t cycles = entry->born - timed->wheel.now;
    return cycles < entry->mshr.count ? cycles : entry->mshr.count;
}

bool gpci_drain_has_room(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint8_t needs) {
    const gpci_packet *entry = entry_at(timed, mshr_entry);
    if (!(needs & (uint8_t)~entry->segments) && left_of(timed, entry) < ctrl->options->merges)
        return true;
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
    return false;
}

void gpci_drain_join(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry) {
    gpci_packet *entry = entry_at(timed, mshr_entry);
    entry->mshr.count = (uint32_t)left_of(timed, entry) + 1;
    ctrl->release_free++;
    for (uint32_t each = mshr_entry; each != GPCI_NO_PACKET; each = entry_at(timed, each)->mshr.first)
        entry_at(timed, each)->born++;
}

/* Free drained entries. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    drains *list = drains_of(ctrl);
    while (list->first != GPCI_NO_PACKET) {
        const uint32_t mshr_entry = list->first;
        const gpci_packet *entry = entry_at(timed, mshr_entry);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MERGE);
        if (entry->born > timed->wheel.now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, entry->born);
            return;
        }
        list->first = entry->mshr.first;
        gpci_mshr_free(timed, ctrl, mshr_entry);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_MSHR);
    }
    gpci_part_rests(ctrl, GPCI_PART_DRAIN);
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    if (!ctrl->options->drains)
        return GPC_OK;
    drains *list = gpci_zalloc(timed->context, 1, sizeof *list);
    if (!list)
        return gpci_out_of_memory(error);
    list->first = list->last = GPCI_NO_PACKET;
    gpci_part_add(ctrl, GPCI_PART_DRAIN, &gpci_drain_part, list);
    gpci_part_rests(ctrl, GPCI_PART_DRAIN);
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, drains_of(ctrl));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    visit(user_data, drains_of(ctrl), sizeof(drains));
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    (void)timed;
    gpci_held(holders, "MSHR entry that drains", drains_of(ctrl)->first != GPCI_NO_PACKET,
              gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_drain_part = {.levels = GPCI_OF_L1S,
                                         .make = make,
                                         .destroy = destroy,
                                         .step = {[GPCI_AT_ARRIVE] = step},
                                         .state = state,
                                         .hold = hold};
