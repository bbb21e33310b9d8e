/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/experimental/experimental.h>

#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/*
 * Lines that persist in L2: the part set aside, the window, and hints. L1s are off, so all accesses reach L2. L2's
 * lines 2 KiB apart share a set of 4 ways; a way of all sets is 2 KiB.
 */

#define NO_L1 "l1.enabled = false\n"
#define AT(n) (2048 * (uint64_t)(n))

static rig r;

static bool hits(uint64_t address) {
    return rig_load(&r, address).l2_sector_hits == 4;
}

static void load_all(unsigned first, unsigned last) {
    for (unsigned i = first; i <= last; i++)
        rig_load(&r, AT(i));
}

static void set_window(uint64_t begin, uint64_t bytes, uint32_t ratio, gpc_priority hit, gpc_priority miss) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    window.begin = begin;
    window.bytes = bytes;
    window.hit_ratio = ratio;
    window.hit = (uint8_t)hit;
    window.miss = (uint8_t)miss;
    cr_assert_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_OK, "%s", error.message);
}

/* The window's lines stay despite streaming; without a window they leave. */
Test(window, its_lines_persist) {
    for (unsigned with = 0; with < 2; with++) {
        rig_open(&r, with ? NO_L1 "l2.persisting = 4KiB\nl2.window_bytes = 4KiB\n" : NO_L1);
        load_all(0, 1);
        load_all(10, 40);
        cr_expect_eq(hits(AT(0)), with != 0);
        cr_expect_eq(hits(AT(1)), with != 0);
        const measured_stats s = rig_stats(&r);
        cr_expect_eq(s.l2_persisting_sectors, with ? 16 : 0, "%" PRIu64, s.l2_persisting_sectors);
        cr_expect_eq(s.l2_persisting_sector_hits, with ? 8 : 0);
        rig_close(&r);
    }
}

/* Two ways are set aside: a third persisting line replaces the older of the two, and none of the others. */
Test(window, no_more_than_set_aside) {
    rig_open(&r, NO_L1 "l2.persisting = 4KiB\n");
    load_all(0, 1);
    set_window(AT(8), AT(8), 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL);
    load_all(8, 10);
    cr_expect(hits(AT(1)) && hits(AT(9)) && hits(AT(10)));
    cr_expect_not(hits(AT(8)));
    rig_close(&r);

    /* while fewer persist, others have all ways */
    rig_open(&r, NO_L1 "l2.persisting = 4KiB\n");
    load_all(0, 3);
    cr_expect(hits(AT(0)) && hits(AT(1)) && hits(AT(2)) && hits(AT(3)));
    rig_close(&r);
}

/* Free ways beyond the ways set aside are taken, but do not persist; nor does a hit add to the persisting lines. */
Test(window, beyond_it_lines_are_normal) {
    rig_open(&r, NO_L1 "l2.persisting = 4KiB\nl2.window_bytes = 8KiB\n");
    load_all(0, 3);
    cr_expect(hits(AT(2)) && hits(AT(3)));
    load_all(10, 30);
    cr_expect(hits(AT(0)) && hits(AT(1)));
    cr_expect_not(hits(AT(2)) || hits(AT(3)));
    rig_close(&r);
}

/* A line in a normal way becomes persisting by a hit, until the reset. */
Test(window, by_a_hit_and_back) {
    rig_open(&r, NO_L1 "l2.persisting = 2KiB\n");
    load_all(0, 0);
    set_window(0, 128, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL);
    load_all(0, 0);
    set_window(0, 0, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL);
    load_all(10, 30);
    cr_expect(hits(AT(0)), "it persists, though the window is gone");
    cr_assert_eq(gpc_hierarchy_reset_persisting(r.hierarchy, NULL), GPC_OK);
    load_all(10, 30);
    cr_expect_not(hits(AT(0)));
    rig_close(&r);
}

/* The stated share of the window's lines is `hit`, always the same lines. */
Test(window, a_share_of_its_lines) {
    unsigned persisting[2] = {0, 0};
    for (unsigned run = 0; run < 2; run++) {
        rig_open(&r, NO_L1 "l2.size = 8MiB\nl2.persisting = 4MiB\nl2.window_bytes = 1MiB\nl2.window_ratio = 30\n");
        for (uint64_t address = 0; address < 1 << 20; address += 128)
            rig_load(&r, address);
        persisting[run] = (unsigned)(rig_stats(&r).l2_persisting_sectors / 4);
        rig_load(&r, 1 << 20);
        cr_expect_eq(rig_stats(&r).l2_persisting_sectors / 4, persisting[run], "beyond the window");
        rig_close(&r);
    }
    cr_expect_eq(persisting[0], persisting[1]);
    cr_expect(persisting[0] > 8192 * 27 / 100 && persisting[0] < 8192 * 33 / 100, "%u of 8192", persisting[0]);
}

/* A streaming window: the window's lines leave first. So do lines with hint CS, unless they have a priority. */
Test(window, what_streams_goes_first) {
    rig_open(&r, NO_L1 "l2.window_begin = 20480\nl2.window_bytes = 8KiB\nl2.window_hit = streaming\n");
    load_all(0, 2);
    load_all(10, 13);
    cr_expect(hits(AT(0)) && hits(AT(1)) && hits(AT(2)));
    cr_expect_not(hits(AT(10)));
    rig_close(&r);

    rig_open(&r, NO_L1);
    load_all(0, 2);
    for (unsigned i = 10; i < 20; i++)
        rig_fire(&r, LINE_BY(GPC_LOAD, AT(i), .hint = GPC_HINT_CS));
    cr_expect(hits(AT(0)) && hits(AT(1)) && hits(AT(2)));
    rig_close(&r);

    /* in L1, too: 512 bytes apart, two ways */
    rig_open(&r, NULL);
    rig_load(&r, 0);
    for (unsigned i = 1; i < 5; i++)
        rig_fire(&r, LINE_BY(GPC_LOAD, 512 * i, .hint = GPC_HINT_CS));
    cr_expect_eq(rig_load(&r, 0).l1_sector_hits, 4);
    rig_close(&r);
}

static void expect_refused(const char *settings, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused(settings, &error), GPC_ERROR_RANGE, "%s", settings);
    cr_expect_not_null(strstr(error.message, what), "%s: %s", settings, error.message);
}

Test(window, refused_without_effect) {
    expect_refused("l2.persisting = 1KiB\n", "l2.persisting = 1024B is less than a way of L2's sets: 2048B");
    expect_refused("l2.persisting = 8KiB\n", "leaves no way of L2's sets to others: l2.size is 8192B");
    expect_refused("l2.window_ratio = 50\n", "l2.window_ratio has no effect");
    expect_refused("l2.window_begin = 128\n", "l2.window_begin has no effect");
    expect_refused("l2.window_hit = streaming\n", "l2.window_hit has no effect");
    expect_refused("l2.window_miss = streaming\n", "l2.window_miss has no effect");
    expect_refused("l2.window_bytes = 1KiB\nl2.window_miss = streaming\n", "l2.window_ratio is 100");
    expect_refused("l2.window_bytes = 1KiB\nl2.persisting = 0B\n", "l2.persisting is 0B");
    expect_refused("l2.window_bytes = 1KiB\nl2.window_hit = normal\n", "all of its lines are normal");
    expect_refused("l2.enabled = false\nl2.persisting = 2KiB\n", "l2.enabled = true");
    expect_refused("coherence = msi\nl2.window_bytes = 2KiB\n", "coherence = none");
}

Test(window, refused_of_a_host) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    rig_open(&r, NO_L1 "l2.persisting = 0B\n");
    window.bytes = 128;
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_ERROR_UNSUPPORTED);
    cr_expect_not_null(strstr(error.message, "l2.persisting"), "%s", error.message);
    window.hit = GPC_PRIORITY_COUNT;
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "hit is out of range"), "%s", error.message);
    window.hit = GPC_EVICT_FIRST;
    window.miss = GPC_EVICT_LAST;
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_ERROR_ARGUMENT);
    window.miss = GPC_EVICT_NORMAL;
    window.hit_ratio = 101;
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_ERROR_ARGUMENT);
    window.hit_ratio = 50;
    window.begin = UINT64_MAX;
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_ERROR_ARGUMENT);
    window.begin = 0;
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, &window, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, NULL, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_set_window(NULL, &window, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_reset_persisting(NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
    rig_open(&r, "l2.enabled = false\n");
    cr_expect_eq(gpc_hierarchy_set_window(r.hierarchy, NULL, &error), GPC_ERROR_UNSUPPORTED);
    cr_expect_eq(gpc_hierarchy_reset_persisting(r.hierarchy, NULL), GPC_ERROR_UNSUPPORTED);
    rig_close(&r);
}

/* With a clock, one load at a time, L2 hits equal those without; the window does not affect L1's lines. */
Test(window, with_a_clock) {
    uint64_t found[2][2];
    for (unsigned timed = 0; timed < 2; timed++) {
        char settings[256] = "l2.persisting = 4KiB\nl2.window_bytes = 4KiB\n";
        gpc_error error = GPC_ERROR_INIT;
        strcat(settings, timed ? "mode = timed\n" : "");
        rig_open(&r, settings);
        for (unsigned i = 0; i < 60; i++) {
            uint64_t addresses[32];
            gpc_warp_access access = GPC_WARP_ACCESS_INIT;
            for (unsigned lane = 0; lane < 32; lane++)
                addresses[lane] = AT(i % 3 ? 10 + i : i % 2) + 4 * lane;
            access.mask = UINT32_MAX;
            access.addresses = addresses;
            access.width = 4;
            if (!timed) {
                cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
                continue;
            }
            cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, i, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK, "%s", error.message);
        }
        const measured_stats s = rig_stats(&r);
        found[timed][0] = s.l2_persisting_sector_hits;
        found[timed][1] = s.l1_load_sector_hits;
        cr_expect_eq(s.l2_persisting_sector_hits, s.l2_persisting_sectors - 8);
        rig_close(&r);
    }
    cr_expect_gt(found[0][0], 0);
    cr_expect_eq(found[0][0], found[1][0]);
    cr_expect_eq(found[0][1], found[1][1], "%" PRIu64 " and %" PRIu64, found[0][1], found[1][1]);
}

/* The window is part of the hierarchy, also in a snapshot. */
Test(window, in_snapshots) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *copy;
    rig_open(&r, NO_L1 "l2.persisting = 4KiB\n");
    set_window(0, 4096, 100, GPC_EVICT_LAST, GPC_EVICT_NORMAL);
    cr_assert_eq(gpc_hierarchy_copy(r.hierarchy, &copy, &error), GPC_OK, "%s", error.message);
    gpc_hierarchy *const before = r.hierarchy;
    r.hierarchy = copy;
    load_all(0, 1);
    load_all(10, 30);
    cr_expect(hits(AT(0)) && hits(AT(1)));
    r.hierarchy = before;
    gpc_hierarchy_destroy(copy);
    rig_close(&r);
}

static measured_stats hinted(const char *settings, uint8_t hint) {
    rig_open(&r, settings);
    for (unsigned i = 0; i < 600; i++) {
        const uint64_t address = 512 * (uint64_t)(i * i % 37);
        const uint8_t kind = i % 3 ? GPC_LOAD : GPC_STORE;
        rig_fire(&r, LINE_BY(kind, address, .hint = i % 2 ? hint : GPC_HINT_NONE));
    }
    const measured_stats stats = rig_stats(&r);
    rig_close(&r);
    return stats;
}

/* WB equals no hint; WT is for the host's memory. All other hints have an effect. */
Test(window, hints_that_change_nothing) {
    static const struct {
        uint8_t hint;
        bool none;
    } hints[] = {{GPC_HINT_WB, true},  {GPC_HINT_WT, true},  {GPC_HINT_CA, true},
                 {GPC_HINT_CS, false}, {GPC_HINT_CG, false}, {GPC_HINT_CV, false}};
    const measured_stats plain = hinted(NULL, GPC_HINT_NONE);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const measured_stats stats = hinted(NULL, hints[i].hint);
        cr_expect_eq(!memcmp(&stats, &plain, sizeof stats), hints[i].none, "hint %u", hints[i].hint);
    }
}
