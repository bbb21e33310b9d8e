/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/atomic_unit.h"

#include "level/access/values.h"
#include "timed/core/ctrl_holders.h"
#include "timed/core/timed.h"

/* Most parts of a line (4 bytes per part). */
#define PARTS 32u

static uint64_t rounds_of(const gpci_timed *timed, uint64_t lanes) {
    return lanes ? 1 + (lanes - 1) / timed->atomic_unit.lanes : 0;
}

/*
 * Turns for the atomics of a line. A turn takes as many lanes as the unit has places, with different addresses in one
 * part of the line. Hence at least as many turns as lanes share an address.
 *
 * Example, l2.atomic_lanes = 4: 10 lanes that add to 10 words need three turns; with five of the lanes on one word,
 * five. With l2.atomic_width = 32B, and six of the 10 words in one sector and four in the next: two turns and one.
 */
uint16_t gpci_atomic_turns(const gpci_timed *timed, const gpc_warp_access *access, const gpci_transaction *line) {
    if (access->local_offsets) /* every lane has words of its own */
        return gpci_atomic_turns_of_words(timed, line);
    if (timed->hierarchy->lane_packets) /* the packet has one lane of the access */
        return 1;
    const uint32_t count = gpci_popcount(access->mask), width = timed->atomic_unit.width;
    uint64_t at[GPCI_MAX_LANES], turns = 0;
    uint32_t lanes = 0, of[PARTS] = {0}, most[PARTS] = {0};
    for (uint32_t lane = 0; lane < count; lane++) {
        const uint64_t offset = access->addresses[lane] - line->address;
        if (offset >= 128 || !(line->bytes[offset / 64] >> offset % 64 & 1))
            continue;
        uint32_t same = 1, part = (uint32_t)offset / width;
        for (uint32_t i = 0; i < lanes; i++)
            same += at[i] == offset;
        at[lanes++] = offset;
        of[part]++;
        most[part] = same > most[part] ? same : most[part];
    }
    for (uint32_t part = 0; part < 128 / width; part++) {
        const uint64_t rounds = rounds_of(timed, of[part]);
        turns += rounds > most[part] ? rounds : most[part];
    }
    return (uint16_t)(turns ? turns : 1);
}

uint16_t gpci_atomic_turns_of_words(const gpci_timed *timed, const gpci_transaction *line) {
    const uint32_t width = timed->atomic_unit.width;
    uint64_t turns = 0;
    for (uint32_t part = 0; part < 128; part += width) {
        const uint64_t bits = line->bytes[part / 64] >> part % 64;
        uint64_t bytes = gpci_popcount(width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits);
        bytes += width > 64 ? gpci_popcount(line->bytes[1]) : 0;
        turns += rounds_of(timed, (bytes + 3) / 4);
    }
    return (uint16_t)turns;
}

uint64_t gpci_atomic_perform(gpci_ctrl *slice, uint64_t now, uint16_t turns) {
    gpci_atomic_unit *unit = gpci_atomic_unit_of(slice);
    const gpci_clock clock = slice->options->clock;
    const uint64_t own = gpci_clock_own(clock, now), cycles = slice->timed->atomic_unit.cycles;
    const uint64_t start = own > unit->free ? own : unit->free;
    unit->free = start + turns * cycles;
    unit->waits += start - own;
    GPCI_AGAIN(slice->counts.atomic_waits_again += unit->free - turns * cycles - own);
    unit->busy += turns * cycles;
    GPCI_AGAIN(slice->timed->hierarchy->of_slice[slice->index].again.l2_atomic_busy_cycles += unit->free - start);
    gpci_part_wakes(slice, GPCI_PART_ATOMICS);
    return gpci_clock_core(clock, unit->free - cycles + slice->options->latency);
}

/* Send replies; the part rests while none waits. */
static void reply(gpci_timed *timed, gpci_ctrl *slice) {
    gpci_queue *replies = &gpci_atomic_unit_of(slice)->replies;
    while (replies->count && gpci_slice_send_reply(timed, slice, replies))
        ;
    if (!replies->count)
        gpci_part_rests(slice, GPCI_PART_ATOMICS);
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *slice, gpc_error *error) {
    if (!gpci_atomics_are_limited(timed) ||
        (!timed->hierarchy->coherent && !gpci_number(timed->hierarchy, GPCI_KEY_L2_ENABLED)))
        return GPC_OK;
    gpci_atomic_unit *unit = gpci_zalloc(timed->context, 1, sizeof *unit);
    if (!unit)
        return gpci_out_of_memory(error);
    gpci_queue_init(&unit->replies, slice->served.capacity);
    gpci_part_add(slice, GPCI_PART_ATOMICS, &gpci_atomic_unit_part, unit);
    gpci_part_rests(slice, GPCI_PART_ATOMICS);
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *slice) {
    gpci_free(timed->context, gpci_atomic_unit_of(slice));
}

static void count(const gpci_ctrl *slice, uint64_t now, gpc_stats *stats) {
    const gpci_atomic_unit *unit = gpci_atomic_unit_of(slice);
    stats->l2_reply_queue_cycles += gpci_gauge_sum(&unit->replies.gauge, now);
    stats->l2_atomic_busy_cycles += unit->busy;
    stats->l2_atomic_wait_cycles += unit->waits;
}

#ifdef GPCI_CHECK
static void count_again(const gpci_ctrl *slice, uint64_t now, gpc_stats *stats) {
    stats->l2_reply_queue_cycles += gpci_gauge_sum_again(&gpci_atomic_unit_of(slice)->replies.gauge, now);
}
#endif

static void reset(gpci_ctrl *slice, uint64_t now) {
    gpci_atomic_unit *unit = gpci_atomic_unit_of(slice);
    unit->waits = unit->busy = 0;
    gpci_gauge_reset(&unit->replies.gauge, now);
}

static void state(gpci_ctrl *slice, gpci_state_fn visit, void *user_data) {
    visit(user_data, gpci_atomic_unit_of(slice), sizeof(gpci_atomic_unit));
}

static void hold(const gpci_timed *timed, const gpci_ctrl *slice, gpci_holders *holders) {
    gpci_hold_replies(timed, slice, &gpci_atomic_unit_of(slice)->replies, "replies of atomics to send", holders);
}

const gpci_part_class gpci_atomic_unit_part = {.levels = GPCI_OF_SLICES,
                                               .make = make,
                                               .destroy = destroy,
                                               .step = {[GPCI_AT_REPLY] = reply},
                                               .count = count,
                                               GPCI_COUNTS_AGAIN(count_again).reset = reset,
                                               .state = state,
                                               .hold = hold};
