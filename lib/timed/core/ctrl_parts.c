/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/ctrl.h"

/* Parts of a controller (ctrl_parts.h): registration, and calls of the parts that are there. */

void gpci_part_add(gpci_ctrl *ctrl, gpci_part_kind kind, const gpci_part_class *class, void *self) {
    gpci_parts *parts = &ctrl->parts;
    const uint32_t bit = (uint32_t)1 << kind;
    parts->self[kind] = self;
    parts->class[kind] = class;
    parts->active |= bit;
    for (uint32_t point = 0; point < GPCI_STEP_POINTS; point++)
        parts->at[point] |= class->step[point] ? bit : 0;
    parts->at[GPCI_AT_LOOKED] |= class->looked ? bit : 0;
    parts->at[GPCI_AT_FILL] |= class->fill ? bit : 0;
    parts->at[GPCI_AT_EVICT] |= class->evicted ? bit : 0;
    parts->at[GPCI_AT_LEAVE] |= class->leaves ? bit : 0;
    parts->at[GPCI_AT_HOLD] |= class->holds_up ? bit : 0;
    parts->at[GPCI_AT_CHANGE] |= class->changes ? bit : 0;
    parts->at[GPCI_AT_LOOK] |= class->looks ? bit : 0;
    parts->at[GPCI_AT_PASSED] |= class->passed ? bit : 0;
    parts->at[GPCI_AT_ANSWER] |= class->answers ? bit : 0;
}

/* The first part to call at a point from part `from` on; or GPCI_PART_COUNT. A part may wake or rest another. */
static uint32_t next_at(const gpci_parts *parts, gpci_point point, uint32_t from) {
    const uint64_t left = (uint64_t)(parts->at[point] & parts->active) >> from;
    return left ? from + gpci_lowest(left) : GPCI_PART_COUNT;
}

void gpci_parts_step(gpci_timed *timed, gpci_ctrl *ctrl, gpci_point point) {
    for (uint32_t i = 0; (i = next_at(&ctrl->parts, point, i)) < GPCI_PART_COUNT; i++)
        ctrl->parts.class[i]->step[point](timed, ctrl);
}

void gpci_parts_looked(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_tag_access *access,
                       bool found) {
    for (uint32_t i = 0; (i = next_at(&ctrl->parts, GPCI_AT_LOOKED, i)) < GPCI_PART_COUNT; i++)
        ctrl->parts.class[i]->looked(timed, ctrl, pkt, access, found);
}

void gpci_parts_evicted(gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    for (uint32_t i = 0; (i = next_at(&ctrl->parts, GPCI_AT_EVICT, i)) < GPCI_PART_COUNT; i++)
        ctrl->parts.class[i]->evicted(ctrl, eviction);
}

void gpci_parts_fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch) {
    ctrl->parts.class[next_at(&ctrl->parts, GPCI_AT_FILL, 0)]->fill(timed, ctrl, fetch);
}

bool gpci_parts_leave(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    uint32_t left = ctrl->parts.at[GPCI_AT_LEAVE] & ctrl->parts.active;
    do {
        if (ctrl->parts.class[gpci_lowest(left)] -> leaves(timed, ctrl, packet))
            return true;
    } while (left &= left - 1);
    return false;
}

bool gpci_parts_answer(gpci_timed *timed, gpci_ctrl *ctrl, gpci_queue *replies) {
    uint32_t left = ctrl->parts.at[GPCI_AT_ANSWER] & ctrl->parts.active;
    do {
        if (ctrl->parts.class[gpci_lowest(left)] -> answers(timed, ctrl, replies))
            return true;
    } while (left &= left - 1);
    return false;
}

bool gpci_parts_hold_up(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, gpci_tag_access *access) {
    uint32_t left = ctrl->parts.at[GPCI_AT_HOLD] & ctrl->parts.active;
    do {
        if (ctrl->parts.class[gpci_lowest(left)] -> holds_up(timed, ctrl, pkt, access))
            return true;
    } while (left &= left - 1);
    return false;
}

void gpci_parts_change(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t inner) {
    for (uint32_t i = 0; (i = next_at(&ctrl->parts, GPCI_AT_CHANGE, i)) < GPCI_PART_COUNT; i++)
        ctrl->parts.class[i]->changes(timed, ctrl, inner);
}

void gpci_parts_look(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt) {
    for (uint32_t i = 0; (i = next_at(&ctrl->parts, GPCI_AT_LOOK, i)) < GPCI_PART_COUNT; i++)
        ctrl->parts.class[i]->looks(timed, ctrl, pkt);
}

void gpci_parts_passed(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt) {
    for (uint32_t i = 0; (i = next_at(&ctrl->parts, GPCI_AT_PASSED, i)) < GPCI_PART_COUNT; i++)
        ctrl->parts.class[i]->passed(timed, ctrl, pkt);
}

bool gpci_parts_have_room(const gpci_ctrl *ctrl) {
    bool room = false;
    for (uint32_t left = ctrl->parts.refused; left && !room; left &= left - 1)
        room = ctrl->parts.class[gpci_lowest(left)]->has_room(ctrl);
    return room;
}

bool gpci_parts_in_step(const gpci_ctrl *ctrl) {
    for (uint32_t i = 0; i < GPCI_PART_COUNT; i++)
        if (ctrl->parts.self[i] && ctrl->parts.class[i] -> in_step)
            return true;
    return false;
}

/* Call a function of every part of a controller `ctrl`, active or at rest, that has the function. */
#define CALL_EVERY(function, arguments)                              \
    for (uint32_t i = 0; i < GPCI_PART_COUNT; i++)                   \
        if (ctrl->parts.self[i] && ctrl->parts.class[i] -> function) \
            ctrl->parts.class[i]->function arguments;

void gpci_parts_destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    CALL_EVERY(destroy, (timed, ctrl))
}

void gpci_parts_count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    CALL_EVERY(count, (ctrl, now, stats))
}

#ifdef GPCI_CHECK
void gpci_parts_count_again(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    CALL_EVERY(count_again, (ctrl, now, stats))
}
#endif

void gpci_parts_reset(gpci_ctrl *ctrl, uint64_t now) {
    CALL_EVERY(reset, (ctrl, now))
}

void gpci_parts_state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    CALL_EVERY(state, (ctrl, visit, user_data))
}

void gpci_parts_hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    CALL_EVERY(hold, (timed, ctrl, holders))
}
