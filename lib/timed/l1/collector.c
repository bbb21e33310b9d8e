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
    uint64_t taken; /* number of instructions that have taken a unit so far */
    gpci_queue issued, ready;
    struct gpci_collector_unit {
        gpci_queue lines;
        uint64_t ready_at; /* core cycle from which all operands are read */
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

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    const uint64_t count = gpci_number(timed->hierarchy, GPCI_KEY_L1_COLLECTORS);
    if (!count)
        return GPC_OK;
    gpci_collector *collector = gpci_zalloc(timed->context, 1, sizeof *collector + count * sizeof *collector->units);
    if (!collector)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_COLLECTOR, &gpci_collector_part, collector);
    collector->count = (uint32_t)count;
    gpci_queue_init(&collector->issued, GPCI_UNLIMITED);
    gpci_queue_init(&collector->ready, GPCI_UNLIMITED);
    for (uint32_t i = 0; i < collector->count; i++)
        gpci_queue_init(&collector->units[i].lines, GPCI_UNLIMITED);
    ctrl->entrance = &collector->issued;
    ctrl->intake = &intake;
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, collector_of(ctrl));
}

/* Move an instruction with all lines. */
static void move(gpci_queue *from, gpci_queue *queue, uint64_t now) {
    queue->first = from->first;
    queue->last = from->last;
    gpci_gauge_come(&queue->gauge, now, from->count);
    gpci_gauge_go(&from->gauge, now, from->count);
    gpci_gauge_set(&queue->gauge, now, queue->count = from->count);
    gpci_gauge_set(&from->gauge, now, from->count = 0);
}

/* Register operands of an instruction: address, and stored value. */
static uint32_t operands(const gpci_timed *timed, uint32_t packet) {
    const uint8_t kind = gpci_packet_at(&timed->pool, packet)->line.kind;
    return kind == GPCI_KIND_FENCE ? 0 : kind == GPC_LOAD || kind == GPC_PREFETCH ? 1 : 2;
}

static bool writes(const gpci_timed *timed, const struct gpci_collector_unit *unit) {
    const uint8_t kind = gpci_packet_at(&timed->pool, unit->lines.first)->line.kind;
    return kind == GPC_STORE || kind == GPC_ATOMIC || kind == GPC_REDUCTION;
}

static bool have_common_line(const gpci_timed *timed, const gpci_queue *left, const gpci_queue *right) {
    uint32_t one = left->first;
    for (uint32_t i = 0; i < left->count; i++, one = timed->pool.links[one].next) {
        uint32_t other = right->first;
        for (uint32_t k = 0; k < right->count; k++, other = timed->pool.links[other].next)
            if (gpci_packet_at(&timed->pool, one)->address == gpci_packet_at(&timed->pool, other)->address)
                return true;
    }
    return false;
}

/* True if an earlier instruction in another unit has a line in common with the unit's, and one of the two writes. */
static bool must_follow(const gpci_timed *timed, const gpci_collector *collector,
                        const struct gpci_collector_unit *collector_unit) {
    for (uint32_t unit = 0; unit < collector->count; unit++) {
        const struct gpci_collector_unit *other = &collector->units[unit];
        if (other->lines.count && other->number < collector_unit->number &&
            (writes(timed, collector_unit) || writes(timed, other)) &&
            have_common_line(timed, &collector_unit->lines, &other->lines))
            return true;
    }
    return false;
}

static void dispatch(const gpci_timed *timed, gpci_collector *collector, uint64_t now) {
    for (uint32_t n = 1; n <= collector->count; n++) {
        const uint32_t unit = (collector->last + n) % collector->count;
        struct gpci_collector_unit *collector_unit = &collector->units[unit];
        if (!collector_unit->lines.count || collector_unit->ready_at > now ||
            must_follow(timed, collector, collector_unit))
            continue;
        collector->last = unit;
        move(&collector_unit->lines, &collector->ready, now);
        return;
    }
}

static void allocate(const gpci_timed *timed, gpci_collector *collector, uint64_t now) {
    for (uint32_t unit = 0; unit < collector->count; unit++) {
        struct gpci_collector_unit *collector_unit = &collector->units[unit];
        if (collector_unit->lines.count)
            continue;
        collector_unit->ready_at = now + 1 + operands(timed, collector->issued.first);
        collector_unit->number = collector->taken++;
        move(&collector->issued, &collector_unit->lines, now);
        return;
    }
}

static bool has_free(const gpci_collector *collector) {
    for (uint32_t unit = 0; unit < collector->count; unit++)
        if (!collector->units[unit].lines.count)
            return true;
    return false;
}

/* Next cycle in which an instruction may move, apart from moves to the tags; or GPCI_NEVER. */
static uint64_t next_move(const gpci_collector *collector, uint64_t now) {
    uint64_t next = GPCI_NEVER;
    if (collector->issued.count && has_free(collector))
        return now + 1;
    for (uint32_t unit = 0; unit < collector->count && !collector->ready.count; unit++) {
        const uint64_t at = collector->units[unit].ready_at > now ? collector->units[unit].ready_at : now + 1;
        if (collector->units[unit].lines.count && at < next)
            next = at;
    }
    return next;
}

/* Run a cycle, before the tags. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_collector *collector = collector_of(ctrl);
    const uint64_t now = timed->wheel.now;
    if (!collector->ready.count)
        dispatch(timed, collector, now);
    if (collector->issued.count && timed->pool.links[collector->issued.first].due < now)
        allocate(timed, collector, now);
}

/* Queue before the tags for an instruction's lines: L1's, or the constant cache's. */
static gpci_queue *tags_of(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const uint32_t inflight = gpci_packet_at(&timed->pool, packet)->line.inflight;
    return inflight != UINT32_MAX && timed->inflights[inflight].constant ? &gpci_constants_of(ctrl)->in : &ctrl->in;
}

/* After the tags: if no line is left before the tags, move the ready instruction there. */
static void refill(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_collector *collector = collector_of(ctrl);
    const gpci_ctrl *constants = gpci_constants_of(ctrl);
    const uint64_t now = timed->wheel.now;
    if (collector->ready.count && !ctrl->in.count && !(constants && constants->in.count)) {
        move(&collector->ready, tags_of(timed, ctrl, collector->ready.first), now);
        gpci_wheel_wake(&timed->wheel, ctrl->component, now + 1);
    }
    const uint64_t next = next_move(collector, now);
    if (next != GPCI_NEVER)
        gpci_wheel_wake(&timed->wheel, ctrl->component, next);
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    const gpci_collector *collector = collector_of(ctrl);
    (void)timed;
    const gpci_mover clock = gpci_by_clock(ctrl->component), behind = gpci_by_itself(holders);
    const gpci_ctrl *constants = gpci_constants_of(ctrl);
    const bool tags = ctrl->in.count || (constants && constants->in.count);
    gpci_held(holders, "lines before its operand collectors", collector->issued.count,
              has_free(collector) ? clock : behind);
    for (uint32_t unit = 0; unit < collector->count; unit++)
        gpci_held(holders, "lines in an operand collector", collector->units[unit].lines.count,
                  collector->ready.count ? behind : clock);
    gpci_held(holders, "lines behind its operand collectors", collector->ready.count, tags ? behind : clock);
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_collector *collector = collector_of(ctrl);
    gpci_gauge_reset(&collector->issued.gauge, now);
    gpci_gauge_reset(&collector->ready.gauge, now);
    for (uint32_t unit = 0; unit < collector->count; unit++)
        gpci_gauge_reset(&collector->units[unit].lines.gauge, now);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_collector *collector = collector_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_collector, collector, last);
    visit(user_data, collector->units, collector->count * sizeof *collector->units);
}

const gpci_part_class gpci_collector_part = {.levels = GPCI_OF_L1S,
                                             .make = make,
                                             .destroy = destroy,
                                             .step = {[GPCI_AT_BEFORE_TAGS] = step, [GPCI_AT_AFTER_TAGS] = refill},
                                             .reset = reset,
                                             .state = state,
                                             .hold = hold};
