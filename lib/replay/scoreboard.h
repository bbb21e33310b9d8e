/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SCOREBOARD_H
#define GPC_REPLAY_SCOREBOARD_H

#include "base/base.h"
#include "timed/wheel.h"

/*
 * Per warp and register, the core cycle from which on it may be read and written again;
 * GPCI_NEVER while a load that writes it is in flight. Warps issue in order and read
 * their operands as they issue, so that only RAW and WAW matter.
 *
 * Example: an addition issued at cycle 10 with a latency of 4 puts 14 there; what
 * reads its result, or writes the same register, issues at 14 at the earliest.
 */

/* R, UR, P and UP, one behind the other; a number beyond its file wraps. */
#define GPCI_SCOREBOARD_ENTRIES (256u + 64u + 8u + 8u)

GPCI_INLINE uint32_t gpci_scoreboard_entry(uint16_t number) {
    static const struct { uint16_t first, mask; } files[4] = {{0, 255}, {256, 63}, {320, 7}, {328, 7}};
    uint32_t file = number >> 8 & 3;
    return files[file].first + (number & files[file].mask);
}

/* Zero registers and true predicates, which nothing ever waits for: RZ, URZ, PT, UPT. */
GPCI_INLINE bool gpci_scoreboard_fixed(uint16_t number) {
    return number == (GPC_REGISTER_R | 255) || number == (GPC_REGISTER_UR | 63) || number == (GPC_REGISTER_UR | 255) ||
           number == (GPC_REGISTER_P | 7) || number == (GPC_REGISTER_UP | 7);
}

/* Registers that a memory instruction writes from its only destination on: traces name the first of 2 or 4. */
GPCI_INLINE uint32_t gpci_scoreboard_span(const gpc_instruction *i) {
    bool vector = i->op_class == GPC_OP_MEMORY && i->destinations == 1 && i->registers[0] < 255;
    return vector && i->width > 4 ? (i->width > 16 ? 4u : (i->width + 3u) / 4) : 1;
}

/* The cycle from which on an instruction finds all its registers; GPCI_NEVER while it waits for a load. */
GPCI_INLINE uint64_t gpci_scoreboard_ready(const uint64_t *board, const gpc_instruction *i) {
    uint64_t ready = 0;
    uint32_t count = (uint32_t)i->destinations + i->sources;
    count = count < GPC_MAX_OPERANDS ? count : GPC_MAX_OPERANDS;
    for (uint32_t n = 0; n < count; n++) {
        uint64_t at = board[gpci_scoreboard_entry(i->registers[n])];
        ready = at > ready ? at : ready;
    }
    uint32_t span = gpci_scoreboard_span(i);
    for (uint32_t n = 1; n < span && i->registers[0] + n < 255; n++) {
        uint64_t at = board[gpci_scoreboard_entry((uint16_t)(i->registers[0] + n))];
        ready = at > ready ? at : ready;
    }
    return ready;
}

/* The instruction's results are there from `cycle` on. */
GPCI_INLINE void gpci_scoreboard_write(uint64_t *board, const gpc_instruction *i, uint64_t cycle) {
    uint32_t span = gpci_scoreboard_span(i), count = i->destinations;
    count = count < GPC_MAX_OPERANDS ? count : GPC_MAX_OPERANDS;
    for (uint32_t n = 0; n < count; n++)
        if (!gpci_scoreboard_fixed(i->registers[n]))
            board[gpci_scoreboard_entry(i->registers[n])] = cycle;
    for (uint32_t n = 1; n < span && i->registers[0] + n < 255; n++)
        board[gpci_scoreboard_entry((uint16_t)(i->registers[0] + n))] = cycle;
}

#endif
