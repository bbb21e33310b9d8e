/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/scoreboard.h"

#include <string.h>

void gpci_scoreboard_start(gpci_scoreboard board, uint64_t now) {
    memset(board.entries, 0, GPCI_SCOREBOARD_ENTRIES * sizeof *board.entries);
    *board.epoch = now;
}

void gpci_scoreboard_renew(gpci_scoreboard board, uint64_t now) {
    const uint64_t gone = now - *board.epoch;
    for (uint32_t n = 0; n < GPCI_SCOREBOARD_ENTRIES; n++) {
        const uint32_t at = board.entries[n];
        if (at != GPCI_IN_FLIGHT)
            board.entries[n] = at > gone ? (uint32_t)(at - gone) : 0;
    }
    *board.epoch = now;
}
