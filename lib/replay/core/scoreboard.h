/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SCOREBOARD_H
#define GPC_REPLAY_SCOREBOARD_H

#include "base/base.h"
#include "timed/component/clock.h"
#include "trace/blocks/operands.h"

/*
 * Scoreboard: for each register of a warp, the first core cycle at which the register can be read and written again, as
 * a distance from the warp's epoch. GPCI_IN_FLIGHT: a load to the register is in flight. Warps issue in order and read
 * operands at issue, so only RAW and WAW hazards matter.
 *
 * Example: a warp starts at cycle 1000 (its epoch). An addition issued at cycle 1010 with latency 4 stores 14. An
 * instruction that reads or writes the result register issues at 1014 at the earliest.
 *
 * Entries have 32 bits because an SM has thousands of entries. A warp that runs longer than about 2^32 cycles gets a
 * new epoch (gpci_scoreboard_renew).
 */
#define GPCI_IN_FLIGHT UINT32_MAX

typedef struct gpci_scoreboard {
    uint32_t *entries; /* plane 0; plane n begins at [n * GPCI_BOARD_STRIDE] */
    uint64_t *epoch;   /* core cycle from which the entries count */
} gpci_scoreboard;

/*
 * gpci_scoreboards_entries: number of entries for the scoreboards of `warps` warps. gpci_scoreboard_place: index of a
 * warp's first entry.
 */
GPCI_INLINE size_t gpci_scoreboards_entries(size_t warps) {
    return (warps + GPCI_BOARD_WARPS - 1) / GPCI_BOARD_WARPS * GPCI_BOARD_PLANES * GPCI_BOARD_STRIDE;
}
GPCI_INLINE size_t gpci_scoreboard_place(size_t warp) {
    return warp / GPCI_BOARD_WARPS * GPCI_BOARD_PLANES * GPCI_BOARD_STRIDE +
           warp % GPCI_BOARD_WARPS * GPCI_BOARD_ENTRIES;
}

/* Start a warp at `now`: all registers are ready. `planes`: mask of the planes that the warp uses. */
void gpci_scoreboard_start(gpci_scoreboard board, uint32_t planes, uint64_t now);
/* Set the epoch to `now`, and adapt all entries. A register that was ready before `now` is ready at `now`. */
void gpci_scoreboard_renew(gpci_scoreboard board, uint64_t now);

/* First cycle at which all registers of an instruction are ready; GPCI_NEVER: a load to a register is in flight. */
GPCI_INLINE uint64_t gpci_scoreboard_ready(gpci_scoreboard board, const gpci_operands *operands) {
    uint32_t ready = 0;
    for (uint32_t n = 0; n < operands->count; n++) {
        uint32_t at = board.entries[operands->entries[n]];
        ready = at > ready ? at : ready;
    }
    return ready == GPCI_IN_FLIGHT ? GPCI_NEVER : *board.epoch + ready;
}

GPCI_INLINE void gpci_scoreboard_set(gpci_scoreboard board, const gpci_operands *operands, uint32_t value) {
    for (uint32_t n = 0; n < operands->writes; n++)
        board.entries[operands->entries[n]] = value;
}

/* Let the result registers of an instruction be ready `latency` cycles after `now`. */
GPCI_INLINE void gpci_scoreboard_write(gpci_scoreboard board, const gpci_operands *operands, uint64_t now,
                                       uint16_t latency) {
    if (GPCI_UNLIKELY(now - *board.epoch >= GPCI_IN_FLIGHT - UINT16_MAX))
        gpci_scoreboard_renew(board, now);
    gpci_scoreboard_set(board, operands, (uint32_t)(now - *board.epoch) + latency);
}

/* Mark the result registers of a sent load as in flight. */
GPCI_INLINE void gpci_scoreboard_send(gpci_scoreboard board, const gpci_operands *operands) {
    gpci_scoreboard_set(board, operands, GPCI_IN_FLIGHT);
}

#endif
