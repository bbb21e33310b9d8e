/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/scoreboard.h"

#include <string.h>

void gpci_scoreboard_start(gpci_scoreboard board, uint32_t planes, uint64_t now) {
    for (uint32_t plane = 0; plane < GPCI_BOARD_PLANES; plane++)
        if (planes >> plane & 1)
            memset(board.entries + plane * GPCI_BOARD_STRIDE, 0, GPCI_BOARD_ENTRIES * sizeof *board.entries);
    *board.epoch = now;
}

void gpci_scoreboard_renew(gpci_scoreboard board, uint64_t now) {
    const uint64_t gone = now - *board.epoch;
    for (uint32_t n = 0; n < GPCI_BOARD_PLANES * GPCI_BOARD_ENTRIES; n++) {
        uint32_t *entry = &board.entries[n / GPCI_BOARD_ENTRIES * GPCI_BOARD_STRIDE + n % GPCI_BOARD_ENTRIES];
        if (*entry && *entry != GPCI_IN_FLIGHT) /* do not write entries of unused planes */
            *entry = *entry > gone ? (uint32_t)(*entry - gone) : 0;
    }
    *board.epoch = now;
}
