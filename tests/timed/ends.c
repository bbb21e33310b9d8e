/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/timed.h"

#include "level/hierarchy.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/*
 * Every run comes to an end: caches of one or two lines, whose few MSHR entries, merges and queues are always full, with
 * each way of giving them back. And where a run cannot end, the clock says so (gpc_hierarchy_advance).
 */

#define ONE_LINE                                                                                              \
    "l1.size = 128B\nl1.ways = 1\nl1.sectors = 1\nl2.sectors = 1\nl1.mshr_entries = 8\nl1.mshr_merges = 64\n" \
    "l1.release_width = 128B\nl1.mshr_free = drained-reserving\n"

/*
 * Loads of a line wait with its entry, another line takes the only way, and one more load of the first line finds the
 * entry draining, and reserves the way again: nobody has sent for that line. The next line takes the way all the same.
 */
Test(timed_ends, a_line_that_nobody_sent_for_makes_room) {
    rig r;
    rig_open(&r, ONE_LINE, 100);
    rig_latency(&r, WORD(GPC_LOAD, 128)); /* for L2 */
    for (unsigned n = 0; n < 60; n++)
        rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 128));
    rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORD(GPC_LOAD, 256));
    rig_push(&r, WORD(GPC_LOAD, 384));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l1_fetched_sectors, (1 + 4) * 4, "the late load sent for nothing");
    cr_expect_eq(rig_latency(&r, WORD(GPC_LOAD, 384)), 11, "the last line is there");
    rig_close(&r);
}

static void expect_stands_still(rig *r, uint64_t cycles, const char *why) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_hierarchy_advance(r->hierarchy, cycles), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_check_advance(r->hierarchy, 1, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "nothing moves any more"), "%s", error.message);
    cr_expect(strstr(error.message, why), "%s", error.message);
}

/* A load is under way, and the wheel knows of nobody. */
Test(timed_ends, the_clock_says_that_nothing_is_due) {
    rig r;
    rig_open_dram(&r, NULL);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 12);
    gpci_wheel_clear(&r.hierarchy->timed->wheel);
    const uint64_t now = rig_now(&r);
    for (unsigned again = 0; again < 2; again++)
        expect_stands_still(&r, 1000, "L1 0 waits for 1 lines from below");
    cr_expect_eq(rig_now(&r), now, "the clock stays");
    rig_abandon(&r);
}

/* Something is due, and nothing comes of it for deadlock.cycles. */
Test(timed_ends, the_clock_says_that_nothing_comes) {
    rig r;
    rig_open_dram(&r, "deadlock.cycles = 50\nl2.rop_latency = 900\n");
    rig_issue(&r, WORD(GPC_LOAD, 0));
    uint64_t cycles = 0;
    while (cycles < 900 && gpc_hierarchy_advance(r.hierarchy, 1) == GPC_OK)
        cycles++;
    cr_expect(cycles > 50 && cycles < 130, "%" PRIu64, cycles);
    expect_stands_still(&r, 1, "1 accesses in flight");
    rig_abandon(&r);
}

/* What waits for the host's memory, for its word, or for its credit stands still for as long as the host likes. */
Test(timed_ends, the_clock_waits_for_the_host) {
    rig r;
    rig_open(&r, "deadlock.cycles = 50\n", UINT64_MAX / 2);
    rig_issue(&r, WORD(GPC_LOAD, 0));
    rig_steps(&r, 2000);
    cr_assert_eq(r.memory.count, 1);
    cr_assert_eq(gpc_hierarchy_memory_reply(r.hierarchy, r.memory.reads[0].id), GPC_OK);
    r.memory = (rig_memory){.latency = 10, .refuse = true};
    rig_issue(&r, WORD(GPC_LOAD, 4096));
    rig_steps(&r, 2000);
    cr_assert_eq(r.memory.refusals, 1);
    rig_release(&r);
    rig_finish(&r);
    cr_assert_eq(gpc_hierarchy_set_reply_credits(r.hierarchy, 0, 0), GPC_OK);
    rig_issue(&r, WORD(GPC_LOAD, 4096));
    rig_steps(&r, 2000);
    cr_assert_eq(gpc_hierarchy_add_reply_credits(r.hierarchy, 0, 5), GPC_OK);
    rig_close(&r);
}
