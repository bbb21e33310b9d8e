/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SCOREBOARD_H
#define GPC_REPLAY_SCOREBOARD_H

#include "base/base.h"
#include "timed/wheel.h"
#include "trace/operands.h"

/*
 * Per warp and register, the core cycle from which on it may be read and written again,
 * counted from the warp's `epoch`; GPCI_IN_FLIGHT while a load that writes it is in flight.
 * Warps issue in order and read their operands as they issue, so that only RAW and WAW matter.
 *
 * Example: in a warp that started at cycle 1000, its epoch, an addition issued at cycle 1010 with
 * a latency of 4 puts 14 there; what reads its result, or writes the same register, issues at
 * 1014 at the earliest.
 *
 * An entry has 32 bits, as an SM has thousands of them. A warp that lives for longer gets a later
 * epoch every 2^32 cycles or so (gpci_scoreboard_renew).
 */
#define GPCI_IN_FLIGHT UINT32_MAX

typedef struct gpci_scoreboard {
    uint32_t *entries; /* of its plane 0; of plane n: [n * GPCI_BOARD_STRIDE] */
    uint64_t *epoch;   /* core cycle */
} gpci_scoreboard;

/* Entries that scoreboards of so many warps take; where one's begin. */
GPCI_INLINE size_t gpci_scoreboards_entries(size_t warps) {
    return (warps + GPCI_BOARD_WARPS - 1) / GPCI_BOARD_WARPS * GPCI_BOARD_PLANES * GPCI_BOARD_STRIDE;
}
GPCI_INLINE size_t gpci_scoreboard_place(size_t warp) {
    return warp / GPCI_BOARD_WARPS * GPCI_BOARD_PLANES * GPCI_BOARD_STRIDE +
           warp % GPCI_BOARD_WARPS * GPCI_BOARD_ENTRIES;
}

/* A warp starts at `now`: all its registers are there. It uses these planes alone, a bit for each. */
void gpci_scoreboard_start(gpci_scoreboard board, uint32_t planes, uint64_t now);
/* `now` becomes the epoch. What was there before it is there at it. */
void gpci_scoreboard_renew(gpci_scoreboard board, uint64_t now);

/* The cycle from which on an instruction finds all its registers; GPCI_NEVER while it waits for a load. */
GPCI_INLINE uint64_t gpci_scoreboard_ready(gpci_scoreboard board, const gpci_operands *o) {
    uint32_t ready = 0;
    for (uint32_t n = 0; n < o->count; n++) {
        uint32_t at = board.entries[o->entries[n]];
        ready = at > ready ? at : ready;
    }
    return ready == GPCI_IN_FLIGHT ? GPCI_NEVER : *board.epoch + ready;
}

GPCI_INLINE void gpci_scoreboard_set(gpci_scoreboard board, const gpci_operands *o, uint32_t value) {
    for (uint32_t n = 0; n < o->writes; n++)
        board.entries[o->entries[n]] = value;
}

/* The instruction's results are there `latency` cycles after `now`. */
GPCI_INLINE void gpci_scoreboard_write(gpci_scoreboard board, const gpci_operands *o, uint64_t now, uint16_t latency) {
    if (GPCI_UNLIKELY(now - *board.epoch >= GPCI_IN_FLIGHT - UINT16_MAX))
        gpci_scoreboard_renew(board, now);
    gpci_scoreboard_set(board, o, (uint32_t)(now - *board.epoch) + latency);
}

/* It is a load, which has been sent. */
GPCI_INLINE void gpci_scoreboard_send(gpci_scoreboard board, const gpci_operands *o) {
    gpci_scoreboard_set(board, o, GPCI_IN_FLIGHT);
}

#endif
