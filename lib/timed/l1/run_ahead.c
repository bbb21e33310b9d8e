/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/run_ahead.h"

#include "level/build/threads_check.h"

/*
 * FARTHEST: most cycles to run ahead, well below the wheel's span. NEAREST: fewest cycles for which running ahead is
 * worthwhile. GAP: the run ends if the pair has no step within so many cycles.
 */
#define FARTHEST 256u
#define NEAREST 4u
#define GAP 6u

/* Parts whose work concerns more than the L1 and the SM. */
#define NOT_ALONE (1u << GPCI_PART_COMBINE | 1u << GPCI_PART_COPIES | 1u << GPCI_PART_FENCES)

bool gpci_may_run_ahead(const gpci_timed *timed) {
    char text[GPCI_THREADS_TEXT];
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    if (hierarchy->coherent || hierarchy->with_data || hierarchy->inclusive || hierarchy->viper || timed->shards ||
        gpci_parts_in_step(timed->l1))
        return false;
    return gpci_threads_check_key(hierarchy, GPCI_KEY_L1_REPLACEMENT, text) &&
           gpci_threads_check_key(hierarchy, GPCI_KEY_L1_BYPASS, text) &&
           gpci_threads_check_key(hierarchy, GPCI_KEY_SCHEDULER, text);
}

uint64_t gpci_ahead_limit(const gpci_timed *timed, uint64_t limit) {
    const gpc_hierarchy_callbacks *callbacks = &timed->callbacks;
    if (timed->in_step || timed->log || timed->hierarchy->observer || callbacks->on_complete || callbacks->on_ready ||
        callbacks->on_fill || callbacks->on_evict || callbacks->on_memory)
        return 0;
    return limit;
}

/* True if the L1 interacts only with the SM. A load of gpci_reads_anew looks at slices (changes.h). */
GPCI_INLINE bool is_alone(const gpci_ctrl *ctrl) {
    return !ctrl->out.count && !(ctrl->parts.active & NOT_ALONE) && ctrl->unsent.since == GPCI_NEVER &&
           !ctrl->fills.count && !ctrl->below.joined && !ctrl->sm.refused_miss &&
           !(ctrl->reads_anew && ctrl->sm.waiting) && !gpci_replies_wait(ctrl);
}

/* First cycle, of the GAP cycles from `cycle` on, in which L1 or SM are to be stepped; or GPCI_NEVER. */
GPCI_INLINE uint64_t next_tick(const gpci_wheel *wheel, uint32_t l1, uint32_t sm, uint64_t cycle) {
    for (uint64_t end = cycle + GAP; cycle < end; cycle++) {
        const uint64_t *row = gpci_wheel_row(wheel, cycle);
        if (gpci_bit_is_set(row, l1) || gpci_bit_is_set(row, sm))
            return cycle;
    }
    return GPCI_NEVER;
}

/* Last cycle in which only replies that the reply network has already granted can arrive. */
static uint64_t last_without_reply(const gpci_ctrl *ctrl, uint64_t now) {
    if (!ctrl->below.packets)
        return now + FARTHEST;
    const gpci_network_options *options = &ctrl->networks.replies_in->options;
    const uint64_t cycles = (uint64_t)options->latency * options->clock.core / options->clock.own;
    if (options->clock.core == options->clock.own)
        return now + (cycles < FARTHEST ? cycles : FARTHEST);
    return now + (cycles > FARTHEST ? FARTHEST : cycles ? cycles - 1 : 0);
}

/* True if a component is due in the cycle of `row`: the caller steps the component, which is no longer due. */
GPCI_INLINE bool take_tick(uint64_t *row, uint32_t number) {
    const uint64_t bit = (uint64_t)1 << (number & 63);
    const bool due = (row[number / 64] & bit) != 0;
    row[number / 64] &= ~bit;
    return due;
}

/*
 * Step an L1 and its SM in the present cycle. False: the two stop running ahead. All cycles before are marked as done
 * (ahead.until): if a network with new room wakes L1 in such a cycle, L1 does nothing, although the miss queue already
 * has a packet of the present cycle.
 */
static bool step_pair(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number, uint64_t *row) {
    gpci_wheel *wheel = &timed->wheel;
    const uint32_t l1 = ctrl->component, sm = ctrl->index;
    ctrl->ahead.until = wheel->now - 1;
    if (gpci_bit_is_set(row, l1)) {
        if (gpci_network_peek(ctrl->networks.replies_in, sm) != GPCI_NO_PACKET)
            return false;
        take_tick(row, l1);
        wheel->at = l1;
        if (!gpci_l1_step_ahead(timed, ctrl)) {
            gpci_bit_set(row, l1);
            return false;
        }
    }
    if (!take_tick(row, number)) {
        ctrl->ahead.until = wheel->now;
        return true;
    }
    wheel->at = number;
    timed->front.step(timed->front.user_data, sm);
    ctrl->ahead.until = wheel->now;
    if (is_alone(ctrl) && timed->front.alone(timed->front.user_data, sm))
        return true;
    gpci_bit_set(row, number); /* when the clock arrives, the SM's step calls hand_over */
    return false;
}

void gpci_run_ahead(gpci_timed *timed, uint32_t sm) {
    gpci_ctrl *ctrl = &timed->l1[sm];
    gpci_wheel *wheel = &timed->wheel;
    const uint32_t number = timed->groups[GPCI_GROUP_SMS].first + sm, at = wheel->at;
    const uint64_t now = wheel->now;
    if (!is_alone(ctrl))
        return;
    uint64_t last = last_without_reply(ctrl, now);
    last = last < timed->ahead_limit ? last : timed->ahead_limit;
    if (last < now + NEAREST)
        return;
    uint64_t cycle = next_tick(wheel, ctrl->component, number, now + 1);
    if (cycle > last || !timed->front.alone(timed->front.user_data, sm))
        return;
    do {
        wheel->now = cycle;
        wheel->lead = cycle - now;
        if (!step_pair(timed, ctrl, number, gpci_wheel_row(wheel, cycle)))
            break;
        cycle = next_tick(wheel, ctrl->component, number, cycle + 1);
    } while (cycle <= last);
    wheel->now = now;
    wheel->lead = 0;
    wheel->at = at;
}
