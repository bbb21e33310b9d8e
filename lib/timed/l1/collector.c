/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/constant_cache.h"

#include <stddef.h>

/*
 * Operand collection between the issue of a memory instruction and L1's tags, with l1.collectors: a register, collector
 * units that read operands from the register file (one a cycle), another register, and the instruction whose lines are
 * at the tags. Ready units are served round robin, not in issue order. [GPGPU-Sim 3.2, shader.cc: opndcoll_rfu_t::step,
 * dispatch_unit_t::find_ready, shader_core_ctx::execute]
 *
 * GPGPU-Sim's accesses carry no values. Here a write and an earlier or later access of the same line keep their order.
 *
 * Example, two units, the tags busy; unit 0 was served last. A, then B are issued and take units 0 and 1. When the
 * register behind them becomes free, B goes first, because unit 1 is next; then A, before whatever is in unit 1 by
 * then.
 *
 *   issued -> units -> ready -> the controller's `in` -> tags
 */

typedef struct gpci_collector {
    uint32_t count; /* number of units */
    uint32_t last;  /* unit served last */
    uint64_t taken; /* instructions that have taken a unit */
    gpci_queue issued, ready;
    struct gpci_collector_unit {
        gpci_queue lines;
        uint64_t ready_at; /* operands are read */
        uint64_t number;   /* number of the instruction, in the order of issue */
    } units[];
} gpci_collector;

static gpci_collector *collector_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_COLLECTOR];
}

static bool has_place(const gpci_ctrl *ctrl) {
    return !collector_of(ctrl)->issued.count;
}

static const gpci_intake intake = {.has_place = has_place};

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    const uint64_t count = gpci_number(t->h, GPCI_KEY_L1_COLLECTORS);
    if (!count)
        return GPC_OK;
    gpci_collector *c = gpci_zalloc(t->context, 1, sizeof *c + count * sizeof *c->units);
    if (!c)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_COLLECTOR, &gpci_collector_part, c);
    c->count = (uint32_t)count;
    gpci_queue_init(&c->issued, GPCI_UNLIMITED);
    gpci_queue_init(&c->ready, GPCI_UNLIMITED);
    for (uint32_t i = 0; i < c->count; i++)
        gpci_queue_init(&c->units[i].lines, GPCI_UNLIMITED);
    ctrl->entrance = &c->issued;
    ctrl->intake = &intake;
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_free(t->context, collector_of(ctrl));
}

/* Move an instruction with all lines. */
static void move(gpci_queue *from, gpci_queue *to, uint64_t now) {
    to->first = from->first;
    to->last = from->last;
    gpci_gauge_come(&to->gauge, now, from->count);
    gpci_gauge_go(&from->gauge, now, from->count);
    gpci_gauge_set(&to->gauge, now, to->count = from->count);
    gpci_gauge_set(&from->gauge, now, from->count = 0);
}

/* Register operands of an instruction: address, and stored value. */
static uint32_t operands(const gpci_timed *t, uint32_t packet) {
    const uint8_t kind = gpci_packet_at(&t->pool, packet)->line.kind;
    return kind == GPCI_KIND_FENCE ? 0 : kind == GPC_LOAD || kind == GPC_PREFETCH ? 1 : 2;
}

static bool writes(const gpci_timed *t, const struct gpci_collector_unit *u) {
    const uint8_t kind = gpci_packet_at(&t->pool, u->lines.first)->line.kind;
    return kind == GPC_STORE || kind == GPC_ATOMIC || kind == GPC_REDUCTION;
}

static bool have_common_line(const gpci_timed *t, const gpci_queue *a, const gpci_queue *b) {
    uint32_t one = a->first;
    for (uint32_t i = 0; i < a->count; i++, one = t->pool.links[one].next) {
        uint32_t other = b->first;
        for (uint32_t k = 0; k < b->count; k++, other = t->pool.links[other].next)
            if (gpci_packet_at(&t->pool, one)->address == gpci_packet_at(&t->pool, other)->address)
                return true;
    }
    return false;
}

/* Does an earlier instruction wait in another unit, and would a write or a read of a line be too early? */
static bool must_follow(const gpci_timed *t, const gpci_collector *c, const struct gpci_collector_unit *u) {
    for (uint32_t unit = 0; unit < c->count; unit++) {
        const struct gpci_collector_unit *other = &c->units[unit];
        if (other->lines.count && other->number < u->number && (writes(t, u) || writes(t, other)) &&
            have_common_line(t, &u->lines, &other->lines))
            return true;
    }
    return false;
}

static void dispatch(const gpci_timed *t, gpci_collector *c, uint64_t now) {
    for (uint32_t n = 1; n <= c->count; n++) {
        const uint32_t unit = (c->last + n) % c->count;
        struct gpci_collector_unit *u = &c->units[unit];
        if (!u->lines.count || u->ready_at > now || must_follow(t, c, u))
            continue;
        c->last = unit;
        move(&u->lines, &c->ready, now);
        return;
    }
}

static void allocate(const gpci_timed *t, gpci_collector *c, uint64_t now) {
    for (uint32_t unit = 0; unit < c->count; unit++) {
        struct gpci_collector_unit *u = &c->units[unit];
        if (u->lines.count)
            continue;
        u->ready_at = now + 1 + operands(t, c->issued.first);
        u->number = c->taken++;
        move(&c->issued, &u->lines, now);
        return;
    }
}

static bool has_free(const gpci_collector *c) {
    for (uint32_t unit = 0; unit < c->count; unit++)
        if (!c->units[unit].lines.count)
            return true;
    return false;
}

/* Next cycle with a possible move without the tags; or GPCI_NEVER. */
static uint64_t next_move(const gpci_collector *c, uint64_t now) {
    uint64_t next = GPCI_NEVER;
    if (c->issued.count && has_free(c))
        return now + 1;
    for (uint32_t unit = 0; unit < c->count && !c->ready.count; unit++) {
        const uint64_t at = c->units[unit].ready_at > now ? c->units[unit].ready_at : now + 1;
        if (c->units[unit].lines.count && at < next)
            next = at;
    }
    return next;
}

/* Run a cycle, before the tags. */
static void step(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_collector *c = collector_of(ctrl);
    const uint64_t now = t->wheel.now;
    if (!c->ready.count)
        dispatch(t, c, now);
    if (c->issued.count && t->pool.links[c->issued.first].due < now)
        allocate(t, c, now);
}

/* Queue before the tags for an instruction's lines: L1's, or the constant cache's. */
static gpci_queue *tags_of(const gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    const uint32_t inflight = gpci_packet_at(&t->pool, packet)->line.inflight;
    return inflight != UINT32_MAX && t->inflights[inflight].constant ? &gpci_constants_of(ctrl)->in : &ctrl->in;
}

/* After the tags. */
static void refill(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_collector *c = collector_of(ctrl);
    const gpci_ctrl *constants = gpci_constants_of(ctrl);
    const uint64_t now = t->wheel.now;
    if (c->ready.count && !ctrl->in.count && !(constants && constants->in.count)) {
        move(&c->ready, tags_of(t, ctrl, c->ready.first), now);
        gpci_wheel_wake(&t->wheel, ctrl->component, now + 1);
    }
    const uint64_t next = next_move(c, now);
    if (next != GPCI_NEVER)
        gpci_wheel_wake(&t->wheel, ctrl->component, next);
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    const gpci_collector *c = collector_of(ctrl);
    (void)t;
    const gpci_mover clock = gpci_by_clock(ctrl->component), behind = gpci_by_itself(to);
    const gpci_ctrl *constants = gpci_constants_of(ctrl);
    const bool tags = ctrl->in.count || (constants && constants->in.count);
    gpci_held(to, "lines before its operand collectors", c->issued.count, has_free(c) ? clock : behind);
    for (uint32_t unit = 0; unit < c->count; unit++)
        gpci_held(to, "lines in an operand collector", c->units[unit].lines.count, c->ready.count ? behind : clock);
    gpci_held(to, "lines behind its operand collectors", c->ready.count, tags ? behind : clock);
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_collector *c = collector_of(ctrl);
    gpci_gauge_reset(&c->issued.gauge, now);
    gpci_gauge_reset(&c->ready.gauge, now);
    for (uint32_t unit = 0; unit < c->count; unit++)
        gpci_gauge_reset(&c->units[unit].lines.gauge, now);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_collector *c = collector_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_collector, c, last);
    visit(user_data, c->units, c->count * sizeof *c->units);
}

const gpci_part_class gpci_collector_part = {.levels = GPCI_OF_L1S,
                                             .make = make,
                                             .destroy = destroy,
                                             .step = {[GPCI_AT_BEFORE_TAGS] = step, [GPCI_AT_AFTER_TAGS] = refill},
                                             .reset = reset,
                                             .state = state,
                                             .hold = hold};
