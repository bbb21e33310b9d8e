/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>

/*
 * XCDs under a cache beside memory, as in an MI300: clusters' caches are L2s, and non-inclusive slices the cache beside
 * memory, with a directory of lines held only by XCDs. Two XCDs of two compute units.
 */

static void open_xcds(rig *r, const char *protocol, const char *settings) {
    char text[1024];
    snprintf(text, sizeof text,
             "sm.count = 4\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = through\nl1.write_allocate = none\n"
             "l1.write_policy_local = through\nl1.write_allocate_local = none\ncluster.sms = 2\ncluster.size = 2KiB\n"
             "cluster.ways = 4\nl2.slices = 1\nl2.size = 128B\nl2.ways = 1\nl2.inclusion = non-inclusive\n"
             "coherence.directory_ways = 4\nl2.write_allocate = fetch\ncoherence = %s\ncoherence.data = true\n%s",
             protocol, settings);
    rig_open(r, text);
}

static measured_module of(const rig *r, const char *kind, uint32_t index) {
    char name[16];
    measured_module s = {0};
    const gpc_coherence *tree = gpc_hierarchy_coherence(r->hierarchy);
    snprintf(name, sizeof name, "%s-%u", kind, index);
    cr_assert_eq(measure_module(tree, gpc_coherence_module_index(tree, name), &s), GPC_OK);
    return s;
}

/* A cache beside memory with room for one line: others stay in the XCD, and the filter knows the owners. */
Test(snoop_filter, lines_that_only_an_xcd_has) {
    static const char *const protocols[] = {"msi", "mesi", "moesi", "nmoesi"};
    for (unsigned p = 0; p < sizeof protocols / sizeof *protocols; p++) {
        rig r;
        open_xcds(&r, protocols[p], "");
        for (uint64_t line = 0; line < 3; line++)
            rig_load(&r, 128 * line);
        cr_expect_eq(rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1)).dram_sectors, 0, "%s: in its XCD", protocols[p]);
        const uint64_t before = of(&r, "cluster", 0).read_probes;
        rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 2));
        cr_expect_eq(of(&r, "cluster", 0).read_probes - before, 1, "%s: found by the filter", protocols[p]);
        cr_expect_eq(of(&r, "cluster", 0).probe_misses, 0, "%s", protocols[p]);
        rig_close(&r);
    }
}

/* With fewer entries than lines, the filter takes lines from XCDs, to be read again. */
Test(snoop_filter, too_small) {
    rig r;
    open_xcds(&r, "moesi", "coherence.directory_ways = 2\n");
    for (uint64_t line = 0; line < 4; line++)
        rig_load(&r, 128 * line);
    const uint64_t read = rig_stats(&r).dram_read_sectors;
    cr_expect_eq(read, 16);
    for (uint64_t line = 0; line < 4; line++)
        rig_load(&r, 128 * line);
    cr_expect_gt(rig_stats(&r).dram_read_sectors, read, "XCDs have room for four");
    rig_close(&r);
    open_xcds(&r, "moesi", "coherence.directory_ways = 4\n");
    for (uint64_t line = 0; line < 8; line++)
        rig_load(&r, 128 * (line % 4));
    cr_expect_eq(rig_stats(&r).dram_read_sectors, 16);
    rig_close(&r);
}

/* A store drops the copies of other XCDs, and probes only XCDs with a copy. */
Test(snoop_filter, only_those_that_have_the_line_are_probed) {
    rig r;
    open_xcds(&r, "moesi", "sm.count = 6\n");
    rig_load(&r, 0);
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 2));
    rig_fire(&r, LINE_BY(GPC_STORE, 0, .sm = 2));
    for (uint32_t xcd = 0; xcd < 3; xcd++) {
        const measured_module s = of(&r, "cluster", xcd);
        cr_expect_eq(s.read_probes + s.write_probes, xcd == 0 ? 2 : 0, "XCD %u", xcd);
    }
    cr_expect_eq(rig_load(&r, 0).l1_sector_hits, 0, "its copy is gone");
    rig_close(&r);
}
