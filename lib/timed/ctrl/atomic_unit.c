/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/atomic_unit.h"

#include "level/access/values.h"
#include "timed/core/timed.h"

/* Most parts of a line (4 bytes per part). */
#define PARTS 32u

static uint64_t rounds_of(const gpci_timed *t, uint64_t lanes) {
    return lanes ? 1 + (lanes - 1) / t->atomic_unit.lanes : 0;
}

/*
 * Turns for the atomics of a line. A turn takes as many lanes as the unit has places, with different addresses in one
 * part of the line. Hence at least as many turns as lanes share an address.
 *
 * Example, l2.atomic_lanes = 4: 10 lanes that add to 10 words need three turns; with five of the lanes on one word,
 * five. With l2.atomic_width = 32B, and six of the 10 words in one sector and four in the next: two turns and one.
 */
uint16_t gpci_atomic_turns(const gpci_timed *t, const gpc_warp_access *w, const gpci_transaction *line) {
    if (w->local_offsets) /* every lane has words of its own */
        return gpci_atomic_turns_of_words(t, line);
    const uint32_t count = gpci_popcount(w->mask), width = t->atomic_unit.width;
    uint64_t at[GPCI_MAX_LANES], turns = 0;
    uint32_t lanes = 0, of[PARTS] = {0}, most[PARTS] = {0};
    for (uint32_t lane = 0; lane < count; lane++) {
        const uint64_t offset = w->addresses[lane] - line->address;
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
        const uint64_t rounds = rounds_of(t, of[part]);
        turns += rounds > most[part] ? rounds : most[part];
    }
    return (uint16_t)(turns ? turns : 1);
}

uint16_t gpci_atomic_turns_of_words(const gpci_timed *t, const gpci_transaction *line) {
    const uint32_t width = t->atomic_unit.width;
    uint64_t turns = 0;
    for (uint32_t part = 0; part < 128; part += width) {
        const uint64_t bits = line->bytes[part / 64] >> part % 64;
        uint64_t bytes = gpci_popcount(width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits);
        bytes += width > 64 ? gpci_popcount(line->bytes[1]) : 0;
        turns += rounds_of(t, (bytes + 3) / 4);
    }
    return (uint16_t)turns;
}

uint64_t gpci_atomic_perform(gpci_ctrl *slice, uint64_t now, uint16_t turns) {
    const gpci_clock clock = slice->options->clock;
    const uint64_t own = gpci_clock_own(clock, now), cycles = slice->timed->atomic_unit.cycles;
    const uint64_t start = own > slice->atomic_free ? own : slice->atomic_free;
    slice->atomic_free = start + turns * cycles;
    slice->atomic_waits += start - own;
    GPCI_AGAIN(slice->counts.atomic_waits_again += slice->atomic_free - turns * cycles - own);
    slice->atomic_busy += turns * cycles;
    return gpci_clock_core(clock, slice->atomic_free - cycles + slice->options->latency);
}
