/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/combine.h"
#include "timed/core/event_log.h"

#include <string.h>

static gpci_combine_slot *slots_of(gpci_combine *c, uint32_t unit) {
    return &c->slots[(size_t)unit * c->room];
}

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    const uint32_t room = (uint32_t)gpci_number(t->h, GPCI_KEY_L1_COMBINE_LINES);
    if (!room || t->h->coherent)
        return GPC_OK;
    gpci_combine *c = gpci_zalloc(t->context, 1, sizeof *c);
    if (!c)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_COMBINE, &gpci_combine_part, c);
    gpci_part_rests(ctrl, GPCI_PART_COMBINE);
    c->room = room;
    c->patience = (uint32_t)gpci_number(t->h, GPCI_KEY_L1_COMBINE_CYCLES);
    c->buffers = gpci_number(t->h, GPCI_KEY_L1_COMBINE_STORES) != 0;
    c->units_count = (uint32_t)gpci_number(t->h, GPCI_KEY_SM_SCHEDULERS);
    c->units = gpci_zalloc(t->context, c->units_count, sizeof *c->units);
    c->slots = gpci_zalloc(t->context, (size_t)c->units_count * room, sizeof *c->slots);
    for (uint32_t i = 0; c->units && i < c->units_count; i++)
        c->units[i].inflight = UINT32_MAX;
    return c->units && c->slots ? GPC_OK : gpci_out_of_memory(error);
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_combine *c = gpci_combine_of(ctrl);
    gpci_free(t->context, c->units);
    gpci_free(t->context, c->slots);
    gpci_free(t->context, c);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_combine *combine = gpci_combine_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_combine, combine, last);
    visit(user_data, combine->units, combine->units_count * sizeof *combine->units);
    visit(user_data, combine->slots, (size_t)combine->units_count * combine->room * sizeof *combine->slots);
}

/* The part rests while no request waits. */
static void count_open(gpci_ctrl *ctrl, gpci_combine *c, uint32_t open) {
    c->open = open;
    if (open)
        gpci_part_wakes(ctrl, GPCI_PART_COMBINE);
    else
        gpci_part_rests(ctrl, GPCI_PART_COMBINE);
}

/* Release requests of a unit with another turn than `turn`, except buffered stores; 0: release all. */
static void release(gpci_timed *t, gpci_ctrl *ctrl, uint32_t unit, uint32_t turn) {
    gpci_combine *c = gpci_combine_of(ctrl);
    gpci_combine_slot *slots = slots_of(c, unit);
    uint32_t kept = 0;
    if (turn && c->units[unit].cleared == turn)
        return;
    c->units[unit].cleared = turn;
    for (uint32_t i = 0; i < c->units[unit].count; i++) {
        if (slots[i].turn == turn || (turn && c->buffers && slots[i].kind == GPCI_COMBINE_WRITE)) {
            slots[kept++] = slots[i];
            continue;
        }
        gpci_l1_queue_miss(t, ctrl, slots[i].packet, slots[i].delay);
        count_open(ctrl, c, c->open - 1);
    }
    c->units[unit].count = kept;
}

/* Release stores to a line, before a read of the line. */
static void let_stores_go(gpci_timed *t, gpci_ctrl *ctrl, uint64_t line) {
    gpci_combine *c = gpci_combine_of(ctrl);
    for (uint32_t unit = 0; unit < c->units_count; unit++) {
        gpci_combine_slot *slots = slots_of(c, unit);
        for (uint32_t i = 0; i < c->units[unit].count;) {
            if (slots[i].line != line || slots[i].kind != GPCI_COMBINE_WRITE) {
                i++;
                continue;
            }
            gpci_l1_queue_miss(t, ctrl, slots[i].packet, slots[i].delay);
            count_open(ctrl, c, c->open - 1);
            memmove(&slots[i], &slots[i + 1], (--c->units[unit].count - i) * sizeof *slots);
        }
    }
}

/* Release the longest waiting request; the first of a unit has waited longest in the unit. */
static void let_oldest_go(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_combine *c = gpci_combine_of(ctrl);
    uint32_t unit = c->units_count;
    for (uint32_t i = 0; i < c->units_count; i++)
        if (c->units[i].count && (unit == c->units_count || slots_of(c, i)->order < slots_of(c, unit)->order))
            unit = i;
    gpci_combine_slot *slots = slots_of(c, unit);
    gpci_l1_queue_miss(t, ctrl, slots->packet, slots->delay);
    count_open(ctrl, c, c->open - 1);
    memmove(slots, slots + 1, --c->units[unit].count * sizeof *slots);
}

/* Turn of a request in the unit: an instruction, or as many of the lines as there is room for. */
static uint32_t take_turn(gpci_combine *c, uint32_t unit, uint32_t inflight, uint64_t issued) {
    gpci_combine_unit *u = &c->units[unit];
    if (u->inflight != inflight || u->issued != issued || u->in_turn == c->room) {
        u->inflight = inflight;
        u->issued = issued;
        u->turn = u->turn == UINT32_MAX ? 1 : u->turn + 1;
        u->in_turn = 0;
    }
    u->in_turn++;
    return u->turn;
}

static gpci_combine_slot *find(gpci_combine *c, uint32_t own, const gpci_combine_asked *asked) {
    const bool any = asked->kind == GPCI_COMBINE_WRITE;
    const uint32_t first = any ? 0 : own, end = any ? c->units_count : own + 1;
    for (uint32_t unit = first; unit < end; unit++) {
        gpci_combine_slot *slots = slots_of(c, unit);
        for (uint32_t i = 0; i < c->units[unit].count; i++)
            if (slots[i].line == asked->line && slots[i].kind == asked->kind && slots[i].word == asked->word)
                return &slots[i];
    }
    return NULL;
}

uint32_t gpci_combine_find(gpci_timed *t, gpci_ctrl *ctrl, const gpci_combine_asked *asked) {
    gpci_combine *c = gpci_combine_of(ctrl);
    const uint64_t issued = asked->inflight == UINT32_MAX ? 0 : t->inflights[asked->inflight].issued;
    if (asked->kind != GPCI_COMBINE_WRITE)
        let_stores_go(t, ctrl, asked->line);
    const uint32_t unit = asked->warp % c->units_count, turn = take_turn(c, unit, asked->inflight, issued);
    gpci_combine_slot *slot = find(c, unit, asked);
    c->last = t->wheel.now;
    if (!slot)
        return GPCI_NO_PACKET;
    if (slot >= slots_of(c, unit) && slot < slots_of(c, unit) + c->room)
        slot->turn = turn;
    return slot->packet;
}

void gpci_combine_hold(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_combine_kind kind, uint32_t cycles) {
    gpci_combine *c = gpci_combine_of(ctrl);
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const uint32_t unit = p->request.warp % c->units_count;
    gpci_combine_unit *u = &c->units[unit];
    release(t, ctrl, unit, u->turn);
    if (c->open == c->room)
        let_oldest_go(t, ctrl);
    slots_of(c, unit)[u->count++] = (gpci_combine_slot){.line = p->address,
                                                        .order = c->held++,
                                                        .packet = packet,
                                                        .word = p->request.policy_word,
                                                        .turn = u->turn,
                                                        .delay = cycles,
                                                        .kind = (uint8_t)kind};
    count_open(ctrl, c, c->open + 1); /* the part's step, later in the step of L1, asks for the next step */
}

void gpci_combine_join(gpci_timed *t, gpci_ctrl *ctrl, uint32_t mshr_entry, uint32_t packet) {
    gpci_packet *l = gpci_packet_at(&t->pool, mshr_entry), *p = gpci_packet_at(&t->pool, packet);
    gpci_combine_of(ctrl)->joined++;
    l->bytes[0] |= p->bytes[0];
    l->bytes[1] |= p->bytes[1];
    l->segments |= p->segments;
    if (l->flags & GPCI_PACKET_JOINED)
        t->pool.links[gpci_packet_at(&t->pool, l->line.mshr_target)->line.mshr_target].next = packet;
    else
        l->line.mshr_target = packet;
    gpci_packet_at(&t->pool, l->line.mshr_target)->line.mshr_target = packet; /* the first knows the last */
    t->pool.links[packet].next = GPCI_NO_PACKET;
    l->flags |= GPCI_PACKET_JOINED;
    gpci_log_event(t, GPC_WHAT_JOIN, ctrl, p, 0);
}

void gpci_combine_done(gpci_timed *t, gpci_ctrl *ctrl, gpci_packet *mshr_entry) {
    uint32_t packet = mshr_entry->line.mshr_target;
    const uint8_t level = mshr_entry->level;
    for (uint32_t next; packet != GPCI_NO_PACKET; packet = next) {
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        next = t->pool.links[packet].next;
        gpci_l1_answer(t, ctrl, p, level);
        gpci_pool_give(&t->pool, packet);
    }
}

void gpci_combine_flush(gpci_timed *t, gpci_ctrl *ctrl) {
    const gpci_combine *c = gpci_combine_of(ctrl);
    for (uint32_t unit = 0; c->open && unit < c->units_count; unit++)
        release(t, ctrl, unit, 0);
}

/* Release after long enough without a request; otherwise wake L1 at that time. */
static void step(gpci_timed *t, gpci_ctrl *ctrl) {
    const gpci_combine *c = gpci_combine_of(ctrl);
    if (t->wheel.now >= c->last + c->patience)
        gpci_combine_flush(t, ctrl);
    else
        gpci_wheel_wake(&t->wheel, ctrl->component, c->last + c->patience);
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    (void)now;
    stats->l1_combined_requests += gpci_combine_of(ctrl)->joined;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    (void)now;
    gpci_combine_of(ctrl)->joined = 0;
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    (void)t;
    gpci_held(to, "lines that others of theirs may join", gpci_combine_of(ctrl)->open, gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_combine_part = {.levels = GPCI_OF_L1S,
                                           .make = make,
                                           .destroy = destroy,
                                           .step = {[GPCI_AT_GATHER] = step},
                                           .count = count,
                                           .reset = reset,
                                           .state = state,
                                           .hold = hold};
