/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * Lines with sectors requested one per instruction, in a loop of 1.5 times the capacity of L1 or L2: policies keep as
 * much as with whole lines, with and without a clock.
 */

/* One sector, or a whole line, of SM 0; finished before the next. */
static void load(rig *r, uint64_t address, uint32_t sectors, bool timed) {
    uint64_t addresses[32];
    for (uint32_t lane = 0; lane < 8 * sectors; lane++)
        addresses[lane] = address + 4 * lane;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = sectors == 4 ? UINT32_MAX : 0xff;
    access.addresses = addresses;
    access.width = 4;
    gpc_error error = GPC_ERROR_INIT;
    if (timed) {
        cr_assert_eq(gpc_hierarchy_try_issue(r->hierarchy, &access, 0, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_drain(r->hierarchy, &error), GPC_OK, "%s", error.message);
    } else {
        cr_assert_eq(gpc_hierarchy_access(r->hierarchy, &access, NULL, NULL), GPC_OK);
    }
}

/* Sector hits of a level in percent of the reads. */
static double hit_rate(const char *settings, bool timed, unsigned level, uint32_t lines, uint32_t sectors) {
    rig r;
    rig_open(&r, settings);
    for (uint32_t n = 0; n < 20 * lines; n++)
        for (uint32_t sector = 0; sector < 4; sector += sectors)
            load(&r, n % lines * 128 + sector * 32, sectors, timed);
    const measured_stats s = rig_stats(&r);
    rig_close(&r);
    return level == 1 ? 100.0 * (double)s.l1_load_sector_hits / (double)s.l1_load_sectors
                      : 100.0 * (double)s.l2_read_sector_hits / (double)s.l2_read_sectors;
}

static void keep_as_lines(unsigned level, uint32_t lines, const char *key) {
    static const char *const policies[] = {"lip", "bip", "dip", "brrip", "drrip", "ship"};
    char settings[200];
    for (unsigned n = 0; n < 2 * sizeof policies / sizeof *policies; n++) {
        const bool timed = n % 2;
        snprintf(settings, sizeof settings, "%s = %s\nmode = %s\n%s", key, policies[n / 2],
                 timed ? "timed" : "functional", level == 2 ? "l1.enabled = false\n" : "");
        const double whole = hit_rate(settings, timed, level, lines, 4),
                     parts = hit_rate(settings, timed, level, lines, 1);
        cr_expect_gt(whole, 20, "%s, timed %d: %.1f %%", policies[n / 2], timed, whole);
        cr_expect_float_eq(parts, whole, 0.01, "%s, timed %d: %.1f %% by sectors, %.1f by lines", policies[n / 2],
                           timed, parts, whole);
    }
}

Test(hierarchy_sectors, loops_in_l1) {
    keep_as_lines(1, 12, "l1.replacement");
}

Test(hierarchy_sectors, loops_in_l2) {
    keep_as_lines(2, 96, "l2.replacement");
}
