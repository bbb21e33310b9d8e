/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/atomic_unit.h"

#include "level/values.h"
#include "timed/timed.h"

/*
 * Of one line. A turn takes as many lanes as the unit has room for, of different addresses: so there are at least as
 * many turns as lanes have one address in common.
 *
 * Example, l2.atomic_lanes = 4: of 10 lanes that add to 10 words, three turns; with five of them on one word, five.
 */
uint16_t gpci_atomic_turns(const gpci_timed *t, const gpc_warp_access *w, const gpci_transaction *line) {
    const uint32_t count = gpci_popcount(w->mask);
    uint64_t at[GPCI_MAX_LANES];
    uint32_t lanes = 0, most = 1;
    for (uint32_t lane = 0; lane < count; lane++) {
        const uint64_t offset = w->addresses[lane] - line->address;
        if (offset >= 128 || !(line->bytes[offset / 64] >> offset % 64 & 1))
            continue;
        uint32_t same = 1;
        for (uint32_t i = 0; i < lanes; i++)
            same += at[i] == offset;
        at[lanes++] = offset;
        most = same > most ? same : most;
    }
    const uint64_t turns = (lanes + t->atomic_unit.lanes - 1) / t->atomic_unit.lanes;
    return (uint16_t)(turns > most ? turns : most);
}

uint16_t gpci_atomic_turns_of_words(const gpci_timed *t, const gpci_transaction *line) {
    const uint64_t words = (gpci_transaction_bytes(line) + 3) / 4;
    return (uint16_t)((words + t->atomic_unit.lanes - 1) / t->atomic_unit.lanes);
}

uint64_t gpci_atomic_perform(gpci_stage *slice, uint64_t now, uint16_t turns) {
    const gpci_clock clock = slice->options->clock;
    const uint64_t own = gpci_clock_own(clock, now), cycles = slice->timed->atomic_unit.cycles;
    const uint64_t start = own > slice->atomic_free ? own : slice->atomic_free;
    slice->atomic_free = start + turns * cycles;
    slice->atomic_waits += start - own;
    slice->atomic_busy += turns * cycles;
    return gpci_clock_core(clock, slice->atomic_free - cycles + slice->options->latency);
}
