/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "timed/coherent_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * A slice's atomic unit: turns of l2.atomic_cycles, for at most l2.atomic_lanes lanes of different addresses in one
 * part of a line, of l2.atomic_width. In plain caches and in a tree, the first of 4 warps finds the unit free, and
 * every packet waits for earlier packets.
 */

static const char *const ways[] = {"none", "viper", "vi", "slc-glc"};

static void open_way(rig *r, const char *way, const char *settings) {
    char text[512];
    const bool plain = !strcmp(way, "none") || !strcmp(way, "viper");
    snprintf(text, sizeof text, "%s%s%s",
             plain ? "l1.write_policy = through\nl1.write_policy_local = through\nl1.write_allocate = none\n"
                     "l1.write_allocate_local = none\nl2.inclusion = non-inclusive\nkernels.flush = l1\n"
                   : "",
             settings, "l2.data_width = 128B\n");
    coherent_open(r, way, text);
    rig_latency(r, LINE(GPC_LOAD, 0, .hint = GPC_HINT_CG));
    gpc_hierarchy_reset_stats(r->hierarchy);
}

/* Cycles of the last of 4 warps' atomics, minus the first without limits. */
static uint64_t last_of(const char *way, const char *settings, shot s, measured_stats *stats) {
    rig r;
    uint64_t tokens[4];
    open_way(&r, way, "");
    const uint64_t alone = rig_latency(&r, s);
    rig_finish(&r);
    rig_close(&r);
    open_way(&r, way, settings);
    for (uint32_t i = 0; i < 4; i++) {
        s.sm = i % 2;
        s.warp = i;
        tokens[i] = rig_issue(&r, s);
    }
    rig_finish(&r);
    *stats = rig_stats(&r);
    const uint64_t last =
        r.done[tokens[2]].cycle > r.done[tokens[3]].cycle ? r.done[tokens[2]].cycle : r.done[tokens[3]].cycle;
    const uint64_t cycles = last - r.done[tokens[0]].issued - alone;
    rig_close(&r);
    return cycles;
}

/* The first byte of a lane decides its line, with any width. */
Test(timed_atomic_unit, of_single_bytes) {
    measured_stats s;
    const shot words = WORDS(GPC_REDUCTION, 0, 8, 4),
               bytes = {.kind = GPC_REDUCTION, .lanes = 8, .width = 1, .stride = 4};
    const char *const settings = "l2.atomic_cycles = 9\nl2.atomic_lanes = 1\n";
    const uint64_t of_words = last_of("none", settings, words, &s);
    cr_expect_gt(of_words, 100);
    cr_expect_eq(last_of("none", settings, bytes, &s), of_words);
}

Test(timed_atomic_unit, turns) {
    static const struct {
        const char *settings;
        uint32_t lanes, stride, turns, cycles; /* lanes and stride; turns of a packet; cycles of a turn */
    } rows[] = {
        {"l2.atomic_cycles = 9\n", 1, 4, 1, 9},
        {"l2.atomic_cycles = 9\n", 8, 4, 1, 9}, /* separate words, all at once */
        {"l2.atomic_cycles = 9\n", 8, 0, 8, 9}, /* of one word */
        {"l2.atomic_cycles = 9\nl2.atomic_lanes = 1\n", 8, 4, 8, 9},
        {"l2.atomic_cycles = 9\nl2.atomic_lanes = 3\n", 8, 4, 3, 9},
        {"l2.atomic_cycles = 9\nl2.atomic_lanes = 3\n", 8, 0, 8, 9},
        {"l2.atomic_cycles = 9\nl2.atomic_width = 32B\n", 8, 4, 1, 9},
        {"l2.atomic_cycles = 9\nl2.atomic_width = 32B\n", 32, 4, 4, 9}, /* four sectors, a turn each */
        {"l2.atomic_cycles = 9\nl2.atomic_width = 64B\n", 32, 4, 2, 9},
        {"l2.atomic_cycles = 9\nl2.atomic_width = 32B\nl2.atomic_lanes = 4\n", 32, 4, 8, 9},
        {"l2.atomic_cycles = 9\nl2.atomic_width = 32B\n", 8, 0, 8, 9},
        {"l2.atomic_cycles = 5\nclock.l2 = 500\nl2.atomic_lanes = 1\n", 4, 4, 4, 10}, /* a clock half as fast */
    };
    for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++)
        for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
            const gpc_kind kind = i % 2 ? GPC_REDUCTION : GPC_ATOMIC;
            const uint64_t own = rows[i / 2].cycles, turns = rows[i / 2].turns;
            const bool slow = rows[i / 2].cycles == 10;
            measured_stats s;
            const uint64_t last =
                last_of(ways[w], rows[i / 2].settings, WORDS(kind, 0, rows[i / 2].lanes, rows[i / 2].stride), &s);
            if (!slow)
                cr_expect_eq(last, (4 * turns - 1) * own, "%s, row %u: %u cycles", ways[w], i / 2, (unsigned)last);
            else
                cr_expect(last >= (4 * turns - 1) * own && last < 4 * turns * own + 60, "%s: %u", ways[w],
                          (unsigned)last);
            cr_expect_eq(s.l2_atomic_busy_cycles, 4 * turns * (slow ? 5 : own), "%s, row %u", ways[w], i / 2);
            cr_expect(s.l2_atomic_wait_cycles > 3 * turns * (slow ? 5 : own), "%s, row %u", ways[w], i / 2);
        }
}

/* A load behind atomics in a slice does not wait for them; a full queue of atomics holds up all. */
Test(timed_atomic_unit, loads_go_past) {
    for (unsigned w = 0; w < 3; w++)
        for (unsigned full = 0; full < 2; full++) {
            rig r;
            char text[200];
            snprintf(text, sizeof text, "l2.atomic_cycles = 1000\n%s",
                     full ? "l2.reply_queue = 1\nl2.latency = 1\n" : "");
            open_way(&r, ways[w], text);
            for (unsigned i = 0; i < 4; i++)
                rig_issue(&r, WORD(GPC_REDUCTION, 0, .warp = i));
            rig_steps(&r, 30);
            const uint64_t load = rig_issue(&r, LINE(GPC_LOAD, 0, .sm = 1, .hint = GPC_HINT_CG));
            rig_finish(&r);
            const uint64_t cycles = r.done[load].cycle - r.done[load].issued;
            /* in a tree atomics wait in the controllers, with room */
            cr_expect_eq(cycles > 900, full && w < 2, "%s, %u: %u", ways[w], full, (unsigned)cycles);
            rig_close(&r);
        }
}

/* If L1s own modified lines, the slices perform no atomics; nor is there an effect without a limit. */
Test(timed_atomic_unit, does_not_concern) {
    measured_stats s;
    (void)last_of("nmoesi", "l2.atomic_cycles = 9\n", WORDS(GPC_ATOMIC, 0, 8, 4), &s);
    cr_expect_eq(s.l2_atomic_busy_cycles + s.l2_atomic_wait_cycles, 0);
    (void)last_of("vi", "l2.atomic_lanes = 1\n", WORDS(GPC_ATOMIC, 0, 8, 4), &s);
    cr_expect_eq(s.l2_atomic_busy_cycles + s.l2_atomic_wait_cycles, 0);
    (void)last_of("vi", "l2.atomic_cycles = 9\n", WORDS(GPC_STORE, 0, 8, 4), &s);
    cr_expect_eq(s.l2_atomic_busy_cycles + s.l2_atomic_wait_cycles, 0);
}

/* A host's misses have no lanes: words count. */
Test(timed_atomic_unit, misses_of_a_host) {
    static const struct {
        const char *settings;
        uint8_t sectors;
        uint32_t turns;
    } rows[] = {{"l2.atomic_lanes = 1\n", 1, 8},
                {"l2.atomic_width = 32B\n", 1, 1},
                {"l2.atomic_width = 32B\n", 13, 3},
                {"l2.atomic_width = 64B\n", 13, 2},
                {"", 13, 1},
                {"l2.atomic_width = 16B\nl2.atomic_lanes = 3\n", 12, 8}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig r;
        char text[120];
        snprintf(text, sizeof text, "l2.atomic_cycles = 9\n%s", rows[i].settings);
        open_way(&r, "none", text);
        const gpc_request request = {.address = 0, .kind = GPC_ATOMIC, .sector_mask = rows[i].sectors};
        cr_assert_eq(gpc_hierarchy_try_miss(r.hierarchy, &request, 1, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        cr_expect_eq(rig_stats(&r).l2_atomic_busy_cycles, rows[i].turns * 9, "row %u", i);
        rig_abandon(&r);
    }
}
