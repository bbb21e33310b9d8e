/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SCOREBOARD_H
#define GPC_REPLAY_SCOREBOARD_H

#include "base/base.h"
#include "timed/wheel.h"
#include "trace/operands.h"

/*
 * Per warp and register, the core cycle from which on it may be read and written again;
 * GPCI_NEVER while a load that writes it is in flight. Warps issue in order and read
 * their operands as they issue, so that only RAW and WAW matter.
 *
 * Example: an addition issued at cycle 10 with a latency of 4 puts 14 there; what
 * reads its result, or writes the same register, issues at 14 at the earliest.
 */

/* The cycle from which on an instruction finds all its registers; GPCI_NEVER while it waits for a load. */
GPCI_INLINE uint64_t gpci_scoreboard_ready(const uint64_t *board, const gpci_operands *o) {
    uint64_t ready = 0;
    for (uint32_t n = 0; n < o->count; n++) {
        uint64_t at = board[o->entries[n]];
        ready = at > ready ? at : ready;
    }
    return ready;
}

/* The instruction's results are there from `cycle` on. */
GPCI_INLINE void gpci_scoreboard_write(uint64_t *board, const gpci_operands *o, uint64_t cycle) {
    for (uint32_t n = 0; n < o->writes; n++)
        board[o->entries[n]] = cycle;
}

#endif
