/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/run_ahead.h"

#include "level/build/threads_check.h"

/*
 * Most cycles to run ahead: well below the wheel's span; fewest cycles worthwhile; and most cycles without a step to
 * look past.
 */
#define FARTHEST 256u
#define NEAREST 4u
#define GAP 6u

/* Parts whose work concerns more than the L1 and the SM. */
#define NOT_ALONE (1u << GPCI_PART_COMBINE | 1u << GPCI_PART_COPIES | 1u << GPCI_PART_FENCES)

bool gpci_may_run_ahead(const gpci_timed *t) {
    char text[GPCI_THREADS_TEXT];
    const gpc_hierarchy *h = t->h;
    if (h->coherent || h->with_data || h->inclusive || h->viper || t->shards || gpci_parts_in_step(t->l1))
        return false;
    return gpci_threads_check_key(h, GPCI_KEY_L1_REPLACEMENT, text) &&
           gpci_threads_check_key(h, GPCI_KEY_L1_BYPASS, text) && gpci_threads_check_key(h, GPCI_KEY_SCHEDULER, text);
}

uint64_t gpci_ahead_limit(const gpci_timed *t, uint64_t limit) {
    const gpc_hierarchy_callbacks *c = &t->callbacks;
    if (t->in_step || t->log || t->h->observer || c->on_complete || c->on_ready || c->on_fill || c->on_evict ||
        c->on_memory)
        return 0;
    return limit;
}

/* True if the L1 interacts only with the SM. Loads of the moment look at changes in slices (changes.h). */
GPCI_INLINE bool is_alone(const gpci_ctrl *ctrl) {
    return !ctrl->out.count && !(ctrl->parts.active & NOT_ALONE) && ctrl->unsent.since == GPCI_NEVER &&
           !ctrl->fills.count && !ctrl->below.joined && !ctrl->sm.refused_miss &&
           !(ctrl->sm.anew && ctrl->sm.waiting) && !gpci_replies_wait(ctrl);
}

/* First cycle from `cycle` on with a turn of L1 or SM, within a few cycles; or GPCI_NEVER. */
GPCI_INLINE uint64_t next_turn(const gpci_wheel *wheel, uint32_t l1, uint32_t sm, uint64_t cycle) {
    for (uint64_t end = cycle + GAP; cycle < end; cycle++) {
        const uint64_t *row = gpci_wheel_row(wheel, cycle);
        if (gpci_bit_is_set(row, l1) || gpci_bit_is_set(row, sm))
            return cycle;
    }
    return GPCI_NEVER;
}

/* Last cycle without replies other than already granted by the reply network. */
static uint64_t last_without_reply(const gpci_ctrl *ctrl, uint64_t now) {
    if (!ctrl->below.packets)
        return now + FARTHEST;
    const gpci_network_options *o = &ctrl->networks.replies_in->options;
    const uint64_t cycles = (uint64_t)o->latency * o->clock.core / o->clock.own;
    if (o->clock.core == o->clock.own)
        return now + (cycles < FARTHEST ? cycles : FARTHEST);
    return now + (cycles > FARTHEST ? FARTHEST : cycles ? cycles - 1 : 0);
}

/* Take a component's turn in a cycle; false: no turn. */
GPCI_INLINE bool take_turn(uint64_t *row, uint32_t number) {
    const uint64_t bit = (uint64_t)1 << (number & 63);
    const bool due = (row[number / 64] & bit) != 0;
    row[number / 64] &= ~bit;
    return due;
}

/*
 * A cycle of an L1 and SM. False: they stop here. All cycles before are done: a network with new room may still wake
 * the L1 in a cycle before, while the L1's packet of the present cycle is already in the miss queue.
 */
static bool step_pair(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number, uint64_t *row) {
    gpci_wheel *wheel = &t->wheel;
    const uint32_t l1 = ctrl->component, sm = ctrl->index;
    ctrl->ahead.until = wheel->now - 1;
    if (gpci_bit_is_set(row, l1)) {
        if (gpci_network_peek(ctrl->networks.replies_in, sm) != GPCI_NO_PACKET)
            return false;
        take_turn(row, l1);
        wheel->at = l1;
        if (!gpci_l1_step_ahead(t, ctrl)) {
            gpci_bit_set(row, l1);
            return false;
        }
    }
    if (!take_turn(row, number)) {
        ctrl->ahead.until = wheel->now;
        return true;
    }
    wheel->at = number;
    t->front.step(t->front.user_data, sm);
    ctrl->ahead.until = wheel->now;
    if (is_alone(ctrl) && t->front.alone(t->front.user_data, sm))
        return true;
    gpci_bit_set(row, number); /* to hand over then */
    return false;
}

void gpci_run_ahead(gpci_timed *t, uint32_t sm) {
    gpci_ctrl *ctrl = &t->l1[sm];
    gpci_wheel *wheel = &t->wheel;
    const uint32_t number = t->groups[GPCI_GROUP_SMS].first + sm, at = wheel->at;
    const uint64_t now = wheel->now;
    if (!is_alone(ctrl))
        return;
    uint64_t last = last_without_reply(ctrl, now);
    last = last < t->ahead_limit ? last : t->ahead_limit;
    if (last < now + NEAREST)
        return;
    uint64_t cycle = next_turn(wheel, ctrl->component, number, now + 1);
    if (cycle > last || !t->front.alone(t->front.user_data, sm))
        return;
    do {
        wheel->now = cycle;
        wheel->lead = cycle - now;
        if (!step_pair(t, ctrl, number, gpci_wheel_row(wheel, cycle)))
            break;
        cycle = next_turn(wheel, ctrl->component, number, cycle + 1);
    } while (cycle <= last);
    wheel->now = now;
    wheel->lead = 0;
    wheel->at = at;
}
