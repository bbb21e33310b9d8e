/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * l2.write_to_read: a read of a sector waits before the slice's tags until a number of cycles after the write, and
 * later packets wait, too.
 */

#define CG .hint = GPC_HINT_CG
#define SECTOR 32u
#define LINES 8192u

typedef struct written_case {
    const char *settings;
    shot first, then; /* `then` so many cycles after `first` */
    uint32_t apart;
    uint64_t waits; /* cycles that `then` takes longer with a write_to_read of 100 */
} written_case;

/* Cycles of `then`; of a load of another line behind, in *out_behind; the slices' count in *out_waits. */
static uint64_t cycles_of(const written_case *c, const char *key, uint64_t *out_behind, uint64_t *out_waits) {
    rig r;
    char text[256];
    snprintf(text, sizeof text, "%s%s", c->settings, key);
    rig_open_dram(&r, text);
    for (uint64_t line = 0; line < 4; line++)
        for (uint32_t sm = 0; sm < (strstr(text, "sm.count") ? 2 : 1); sm++)
            rig_latency(&r, LINE(GPC_LOAD, line * LINES, CG, .sm = sm));
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_issue(&r, c->first);
    rig_steps(&r, c->apart);
    const uint64_t token = rig_issue(&r, c->then);
    rig_step(&r);
    const uint64_t behind = rig_issue(&r, WORD(GPC_LOAD, 2 * LINES, CG, .sm = c->then.sm));
    rig_finish(&r);
    measured_stats stats;
    measured_clear(&stats);
    measure_hierarchy(r.hierarchy, &stats);
    *out_behind = r.done[behind].cycle - r.done[behind].issued;
    *out_waits = stats.l2_written_wait_cycles;
    const uint64_t cycles = r.done[token].cycle - r.done[token].issued;
    rig_close(&r);
    return cycles;
}

static void expect_waits(const written_case *c, size_t row) {
    uint64_t behind[2], waits[2];
    const uint64_t without = cycles_of(c, "", &behind[0], &waits[0]),
                   with = cycles_of(c, "l2.write_to_read = 100\n", &behind[1], &waits[1]);
    cr_expect_eq(with - without, c->waits, "row %zu: %d cycles more", row, (int)(with - without));
    cr_expect_eq(behind[1] - behind[0], c->waits, "row %zu: %d behind it", row, (int)(behind[1] - behind[0]));
    cr_expect_eq(waits[0], 0);
    cr_expect_eq(waits[1], c->waits, "row %zu: %d counted", row, (int)waits[1]);
}

Test(timed_written, a_read_waits_for_a_write_of_its_sector) {
    const shot store = WORD(GPC_STORE, LINES), load = WORD(GPC_LOAD, LINES + 4, CG);
    const written_case rows[] = {
        {"", store, load, 10, 90},
        {"", store, load, 99, 1},
        {"", store, load, 100, 0},
        {"", store, WORD(GPC_LOAD, LINES + SECTOR, CG), 10, 0}, /* another sector */
        {"", store, LINE(GPC_LOAD, LINES, CG), 10, 90},         /* the line, including the sector */
        {"", store, WORD(GPC_LOAD, 3 * LINES, CG), 10, 0},
        {"", store, store, 10, 0},
        {"", store, WORD(GPC_ATOMIC, LINES), 10, 0},
        {"", store, WORD(GPC_REDUCTION, LINES), 10, 0},
        {"", WORD(GPC_ATOMIC, LINES), load, 10, 0},
        {"", LINE(GPC_STORE, LINES), WORD(GPC_LOAD, LINES + 3 * SECTOR, CG), 40, 60},
        {"l2.sectors = 1\n", store, WORD(GPC_LOAD, LINES + SECTOR, CG), 10, 90}, /* a sector is the line */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_waits(&rows[i], i);
}

/* For any time: beyond the cycles of the wheel, and with a slow clock of L2. */
Test(timed_written, beyond_the_wheel) {
    static const char *const settings[] = {"l2.write_to_read = 5000\n",
                                           "l2.write_to_read = 5000\nl2.partitions = 2\n"
                                           "l2.slices = 2\nsm.count = 2\n",
                                           "l2.write_to_read = 500\nclock.l2 = 100\n"};
    for (unsigned i = 0; i < 3; i++) {
        rig r;
        rig_open_dram(&r, settings[i]);
        const uint32_t sm = i == 1;
        rig_latency(&r, WORD(GPC_STORE, LINES));
        const uint64_t cycles = rig_latency(&r, WORD(GPC_LOAD, LINES, CG, .sm = sm));
        cr_expect(cycles > 4500 && cycles < 5500, "%s: %u", settings[i], (unsigned)cycles);
        rig_close(&r);
    }
}

/* Only a line's home holds reads; reads from the other partition arrive by the link, and later packets wait there. */
Test(timed_written, of_two_partitions) {
    static const char parts[] = "sm.count = 2\nl2.slices = 2\nl2.partitions = 2\nl2.link_latency = 30\n";
    for (uint32_t sm = 0; sm < 4; sm++) {
        uint64_t behind[2], waits[2];
        const written_case c = {parts, WORD(GPC_STORE, LINES, .sm = sm / 2), WORD(GPC_LOAD, LINES, CG, .sm = sm % 2),
                                100, 0};
        const uint64_t without = cycles_of(&c, "", &behind[0], &waits[0]),
                       with = cycles_of(&c, "l2.write_to_read = 400\n", &behind[1], &waits[1]);
        cr_expect_eq(with - without, waits[1], "%u: %d more, %d counted", sm, (int)(with - without), (int)waits[1]);
        cr_expect(waits[1] > 200 && waits[1] < 400, "%u: %d", sm, (int)waits[1]);
    }
}

/* With as many sectors as cycles, all hold reads. */
Test(timed_written, of_many_sectors) {
    rig r;
    rig_open_dram(&r, "l2.write_to_read = 1000\n");
    uint64_t stores[256];
    for (uint32_t i = 0; i < 64; i++)
        rig_latency(&r, LINE(GPC_LOAD, i * 128, CG));
    for (uint32_t i = 0; i < 256; i++)
        stores[i] = rig_push(&r, WORD(GPC_STORE, i * SECTOR));
    for (uint32_t i = 0; i < 256; i += 51) {
        const uint64_t token = rig_push(&r, WORD(GPC_LOAD, i * SECTOR, CG));
        rig_wait(&r, token);
        cr_expect_geq(r.done[token].cycle, r.done[stores[i]].issued + 1000, "sector %u", i);
    }
    rig_close(&r);
}

/* In a tree accesses wait only for a block's lock, and the key is refused. */
Test(timed_written, not_in_a_tree) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("coherence = vi\nl2.write_to_read = 100\n", &error), GPC_ERROR_RANGE);
    cr_expect(strstr(error.message, "l2.write_to_read = 0, not 100 (a block's lock alone orders requests)"), "%s",
              error.message);
}
