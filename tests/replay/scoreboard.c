/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/scoreboard.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A warp's scoreboard counts cycles from an epoch, which moves before 32 bits overflow. */

typedef struct rig {
    uint32_t entries[GPCI_BOARD_PLANES * GPCI_BOARD_STRIDE];
    uint64_t epoch;
} rig;

static gpci_scoreboard board_of(rig *r) {
    return (gpci_scoreboard){r->entries, &r->epoch};
}

/* An instruction writing a register and reading another. */
static gpci_operands operands(uint16_t written, uint16_t read) {
    return (gpci_operands){.entries = {written, read}, .writes = 1, .count = 2};
}

Test(scoreboard, results_are_there_after_their_latency) {
    static rig r;
    const gpci_operands first = operands(1, 2), second = operands(3, 1);
    gpci_scoreboard_start(board_of(&r), 1, 1000);
    cr_assert_leq(gpci_scoreboard_ready(board_of(&r), &second), 1000);
    gpci_scoreboard_write(board_of(&r), &first, 1010, 4);
    cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &second), 1014);
    gpci_scoreboard_send(board_of(&r), &first);
    cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &second), GPCI_NEVER);
    gpci_scoreboard_write(board_of(&r), &first, 1500, 0);
    cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &second), 1500);
    gpci_scoreboard_start(board_of(&r), 1, 1600);
    cr_assert_leq(gpci_scoreboard_ready(board_of(&r), &second), 1600);
}

/* A warp of 40 billion cycles: at every write, the last write is still known, and so is a load in flight. */
Test(scoreboard, a_warp_outlives_its_epoch) {
    static rig r;
    const gpci_operands even = operands(1, 2), odd = operands(2, 1), load = operands(5, 5);
    const uint64_t start = UINT64_MAX / 4, step = 999999937;
    uint64_t now = start;
    gpci_scoreboard_start(board_of(&r), 1, now);
    gpci_scoreboard_send(board_of(&r), &load);
    for (unsigned n = 0; n < 40; n++, now += step) {
        gpci_scoreboard_write(board_of(&r), &even, now, 10000);
        cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &odd), now + 10000, "at %u", n);
        gpci_scoreboard_write(board_of(&r), &odd, now + 3, UINT16_MAX);
        cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &even), now + 3 + UINT16_MAX, "at %u", n);
        cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &load), GPCI_NEVER, "at %u", n);
    }
    cr_assert_gt(r.epoch, start, "no epoch has ended");
    gpci_scoreboard_write(board_of(&r), &load, now, 0);
    cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &load), now);
}

/* The last write before an epoch ends, and the write that ends the epoch: a pending result survives. */
Test(scoreboard, a_result_on_its_way_survives_an_epoch) {
    static rig r;
    const gpci_operands first = operands(1, 7), second = operands(2, 7), both = operands(1, 2);
    const uint64_t last = (uint64_t)GPCI_IN_FLIGHT - UINT16_MAX - 1;
    gpci_scoreboard_start(board_of(&r), 1, 0);
    gpci_scoreboard_write(board_of(&r), &first, last, UINT16_MAX);
    cr_assert_eq(r.epoch, 0);
    gpci_scoreboard_write(board_of(&r), &second, last + 1, 1);
    cr_assert_eq(r.epoch, last + 1);
    cr_assert_eq(gpci_scoreboard_ready(board_of(&r), &both), last + UINT16_MAX);
}

/*
 * Scoreboards of several groups of warps: no two registers of two warps share an entry, and all are within the arrays.
 */
Test(scoreboard, every_register_has_an_entry_of_its_own) {
    enum { WARPS = 70 };
    static const uint16_t files[][2] = {
        {GPC_REGISTER_R, 256}, {GPC_REGISTER_UR, 64}, {GPC_REGISTER_P, 8}, {GPC_REGISTER_UP, 8}};
    const size_t entries = gpci_scoreboards_entries(WARPS);
    uint8_t *taken = calloc(entries, 1);
    cr_assert(taken);
    for (size_t warp = 0; warp < WARPS; warp++)
        for (size_t file = 0; file < sizeof files / sizeof *files; file++)
            for (uint16_t n = 0; n < files[file][1]; n++) {
                const size_t at = gpci_scoreboard_place(warp) + gpci_register_entry((uint16_t)(files[file][0] | n));
                cr_assert_lt(at, entries);
                cr_assert(!taken[at], "warp %zu, file %zu, register %u", warp, file, (unsigned)n);
                taken[at] = 1;
            }
    free(taken);
}

/* A starting warp has empty planes for all used registers, and names these planes. */
Test(scoreboard, planes_of_an_instruction_are_cleared) {
    static rig r;
    const gpc_instruction add = {
        .destinations = 1, .sources = 1, .registers = {GPC_REGISTER_R | 200, GPC_REGISTER_R | 1}};
    const gpci_operands wide = gpci_operands_of(&add);
    const gpci_operands narrow = operands((uint16_t)gpci_register_entry(GPC_REGISTER_R | 1), 0);
    cr_assert_eq(wide.planes, 9);
    gpci_scoreboard_start(board_of(&r), 63, 0);
    gpci_scoreboard_send(board_of(&r), &wide);
    gpci_scoreboard_send(board_of(&r), &narrow);
    gpci_scoreboard_start(board_of(&r), 1, 0);
    cr_expect_leq(gpci_scoreboard_ready(board_of(&r), &narrow), 0);
    cr_expect_eq(gpci_scoreboard_ready(board_of(&r), &wide), GPCI_NEVER);
    gpci_scoreboard_start(board_of(&r), wide.planes, 0);
    cr_expect_leq(gpci_scoreboard_ready(board_of(&r), &wide), 0);
}
