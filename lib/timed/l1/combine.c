/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/combine.h"
#include "timed/core/timed.h"

#include <string.h>

static gpci_combine *combine_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_COMBINE];
}

static gpci_combine_slot *slots_of(gpci_combine *combine, uint32_t unit) {
    return &combine->slots[(size_t)unit * combine->capacity];
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    const uint32_t capacity = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_L1_COMBINE_LINES);
    if (!capacity || timed->hierarchy->coherent)
        return GPC_OK;
    gpci_combine *combine = gpci_zalloc(timed->context, 1, sizeof *combine);
    if (!combine)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_COMBINE, &gpci_combine_part, combine);
    gpci_part_rests(ctrl, GPCI_PART_COMBINE);
    combine->capacity = capacity;
    combine->patience = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_L1_COMBINE_CYCLES);
    combine->buffers = gpci_number(timed->hierarchy, GPCI_KEY_L1_COMBINE_STORES) != 0;
    combine->units_count = (uint32_t)gpci_number(timed->hierarchy, GPCI_KEY_SM_SCHEDULERS);
    combine->units = gpci_zalloc(timed->context, combine->units_count, sizeof *combine->units);
    combine->slots = gpci_zalloc(timed->context, (size_t)combine->units_count * capacity, sizeof *combine->slots);
    for (uint32_t i = 0; combine->units && i < combine->units_count; i++)
        combine->units[i].inflight = UINT32_MAX;
    return combine->units && combine->slots ? GPC_OK : gpci_out_of_memory(error);
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_combine *combine = combine_of(ctrl);
    gpci_free(timed->context, combine->units);
    gpci_free(timed->context, combine->slots);
    gpci_free(timed->context, combine);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_combine *combine = combine_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_combine, combine, last);
    visit(user_data, combine->units, combine->units_count * sizeof *combine->units);
    visit(user_data, combine->slots, (size_t)combine->units_count * combine->capacity * sizeof *combine->slots);
}

/* The part rests while no request waits. */
static void count_open(gpci_ctrl *ctrl, gpci_combine *combine, uint32_t open) {
    combine->open = open;
    if (open)
        gpci_part_wakes(ctrl, GPCI_PART_COMBINE);
    else
        gpci_part_rests(ctrl, GPCI_PART_COMBINE);
}

/* A request stops waiting, and goes to the miss queue. */
static void let_go(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_combine_slot *slot) {
    gpci_combine *combine = combine_of(ctrl);
    gpci_l1_queue_miss(timed, ctrl, slot->packet, slot->delay);
    combine->stores -= slot->kind == GPCI_COMBINE_WRITE;
    count_open(ctrl, combine, combine->open - 1);
}

/* Release a unit's requests of all groups but `group`; buffered stores stay. `group` 0: release all requests. */
static void release(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t unit, uint32_t group) {
    gpci_combine *combine = combine_of(ctrl);
    gpci_combine_slot *slots = slots_of(combine, unit);
    uint32_t kept = 0;
    if (group && combine->units[unit].cleared == group)
        return;
    combine->units[unit].cleared = group;
    for (uint32_t i = 0; i < combine->units[unit].count; i++) {
        if (slots[i].group == group || (group && combine->buffers && slots[i].kind == GPCI_COMBINE_WRITE)) {
            slots[kept++] = slots[i];
            continue;
        }
        let_go(timed, ctrl, &slots[i]);
    }
    combine->units[unit].count = kept;
}

/* Release stores to a line, before a read of the line. */
static void let_stores_go(gpci_timed *timed, gpci_ctrl *ctrl, uint64_t line) {
    gpci_combine *combine = combine_of(ctrl);
    for (uint32_t unit = 0; unit < combine->units_count; unit++) {
        gpci_combine_slot *slots = slots_of(combine, unit);
        for (uint32_t i = 0; i < combine->units[unit].count;) {
            if (slots[i].line != line || slots[i].kind != GPCI_COMBINE_WRITE) {
                i++;
                continue;
            }
            let_go(timed, ctrl, &slots[i]);
            memmove(&slots[i], &slots[i + 1], (--combine->units[unit].count - i) * sizeof *slots);
        }
    }
}

/* Release the longest waiting request; the first of a unit has waited longest in the unit. */
static void let_oldest_go(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_combine *combine = combine_of(ctrl);
    uint32_t unit = combine->units_count;
    for (uint32_t i = 0; i < combine->units_count; i++)
        if (combine->units[i].count &&
            (unit == combine->units_count || slots_of(combine, i)->order < slots_of(combine, unit)->order))
            unit = i;
    gpci_combine_slot *slots = slots_of(combine, unit);
    let_go(timed, ctrl, slots);
    memmove(slots, slots + 1, --combine->units[unit].count * sizeof *slots);
}

/*
 * Number of the group of a unit's next request. The requests of an instruction are a group; an instruction with more
 * than `capacity` lines has several groups.
 */
static uint32_t number_group(gpci_combine *combine, uint32_t unit, uint32_t inflight, uint64_t issued) {
    gpci_combine_unit *combine_unit = &combine->units[unit];
    if (combine_unit->inflight != inflight || combine_unit->issued != issued ||
        combine_unit->in_group == combine->capacity) {
        combine_unit->inflight = inflight;
        combine_unit->issued = issued;
        combine_unit->group = combine_unit->group == UINT32_MAX ? 1 : combine_unit->group + 1;
        combine_unit->in_group = 0;
    }
    combine_unit->in_group++;
    return combine_unit->group;
}

static gpci_combine_slot *find(gpci_combine *combine, uint32_t own, const gpci_combine_asked *asked) {
    const bool any = asked->kind == GPCI_COMBINE_WRITE;
    const uint32_t first = any ? 0 : own, end = any ? combine->units_count : own + 1;
    for (uint32_t unit = first; unit < end; unit++) {
        gpci_combine_slot *slots = slots_of(combine, unit);
        for (uint32_t i = 0; i < combine->units[unit].count; i++)
            if (slots[i].line == asked->line && slots[i].kind == asked->kind && slots[i].word == asked->word)
                return &slots[i];
    }
    return NULL;
}

uint32_t gpci_combine_find(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_combine_asked *asked) {
    gpci_combine *combine = combine_of(ctrl);
    const uint64_t issued = asked->inflight == UINT32_MAX ? 0 : timed->inflights[asked->inflight].issued;
    if (combine->stores && asked->kind != GPCI_COMBINE_WRITE)
        let_stores_go(timed, ctrl, asked->line);
    const uint32_t unit = asked->warp % combine->units_count,
                   group = number_group(combine, unit, asked->inflight, issued);
    gpci_combine_slot *slot = find(combine, unit, asked);
    combine->last = timed->wheel.now;
    if (!slot)
        return GPCI_NO_PACKET;
    if (slot >= slots_of(combine, unit) && slot < slots_of(combine, unit) + combine->capacity)
        slot->group = group;
    return slot->packet;
}

void gpci_combine_hold(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_combine_kind kind, uint32_t cycles) {
    gpci_combine *combine = combine_of(ctrl);
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint32_t unit = pkt->request.warp % combine->units_count;
    gpci_combine_unit *combine_unit = &combine->units[unit];
    release(timed, ctrl, unit, combine_unit->group);
    if (combine->open == combine->capacity)
        let_oldest_go(timed, ctrl);
    slots_of(combine, unit)[combine_unit->count++] = (gpci_combine_slot){.line = pkt->address,
                                                                         .order = combine->held++,
                                                                         .packet = packet,
                                                                         .word = pkt->request.policy.policy_word,
                                                                         .group = combine_unit->group,
                                                                         .delay = cycles,
                                                                         .kind = (uint8_t)kind};
    combine->stores += kind == GPCI_COMBINE_WRITE;
    count_open(ctrl, combine, combine->open + 1); /* the part's step, later in the step of L1, asks for the next step */
}

void gpci_combine_count(gpci_ctrl *ctrl) {
    combine_of(ctrl)->joined++;
}

void gpci_combine_join(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t packet) {
    gpci_packet *entry = gpci_packet_at(&timed->pool, mshr_entry), *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_combine_count(ctrl);
    entry->bytes[0] |= pkt->bytes[0];
    entry->bytes[1] |= pkt->bytes[1];
    entry->segments |= pkt->segments;
    if (entry->flags & GPCI_PACKET_JOINED)
        timed->pool.links[gpci_packet_at(&timed->pool, entry->line.mshr_target)->line.mshr_target].next = packet;
    else
        entry->line.mshr_target = packet;
    /* in the first joined store, `line.mshr_target` is the last joined store */
    gpci_packet_at(&timed->pool, entry->line.mshr_target)->line.mshr_target = packet;
    timed->pool.links[packet].next = GPCI_NO_PACKET;
    entry->flags |= GPCI_PACKET_JOINED;
    gpci_log_event(timed, GPC_WHAT_JOIN, ctrl, pkt, 0);
}

void gpci_combine_done(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *mshr_entry) {
    uint32_t packet = mshr_entry->line.mshr_target;
    const uint8_t level = mshr_entry->level;
    for (uint32_t next; packet != GPCI_NO_PACKET; packet = next) {
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        next = timed->pool.links[packet].next;
        gpci_l1_answer(timed, ctrl, pkt, level);
        gpci_pool_give(&timed->pool, packet);
    }
}

void gpci_combine_flush(gpci_timed *timed, gpci_ctrl *ctrl) {
    const gpci_combine *combine = combine_of(ctrl);
    for (uint32_t unit = 0; combine->open && unit < combine->units_count; unit++)
        release(timed, ctrl, unit, 0);
}

/* If no request has come for `patience` cycles, release all requests. If one has, wake L1 when the time is over. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    const gpci_combine *combine = combine_of(ctrl);
    if (timed->wheel.now >= combine->last + combine->patience)
        gpci_combine_flush(timed, ctrl);
    else
        gpci_wheel_wake(&timed->wheel, ctrl->component, combine->last + combine->patience);
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    (void)now;
    stats->l1_combined_requests += combine_of(ctrl)->joined;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    (void)now;
    combine_of(ctrl)->joined = 0;
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    (void)timed;
    gpci_held(holders, "lines that others of theirs may join", combine_of(ctrl)->open, gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_combine_part = {.levels = GPCI_OF_L1S,
                                           .make = make,
                                           .destroy = destroy,
                                           .step = {[GPCI_AT_GATHER] = step},
                                           .count = count,
                                           .reset = reset,
                                           .state = state,
                                           .hold = hold};
