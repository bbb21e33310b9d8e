/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/rig.h"

#include "base/base.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* l1.allocate = replaceable: lines in flight are evicted for other lines, and later fetched again. */

#define SET 4096u /* bytes from a line to the next of the set */
#define MEMORY 200u

static const char replaceable[] = "l1.allocate = replaceable\n";

/* Access `lines` lines `apart`, a number of times, in a row or each after the previous is done. */
static measured_stats again(const char *settings, uint32_t lines, uint64_t apart, unsigned times, bool waits) {
    rig r;
    rig_open(&r, settings, MEMORY);
    for (unsigned i = 0; i < times; i++) {
        rig_push(&r, WORDS(GPC_LOAD, 0, lines, apart));
        if (waits)
            rig_finish(&r);
    }
    rig_finish(&r);
    const measured_stats stats = rig_stats(&r);
    rig_close(&r);
    return stats;
}

/*
 * Counts of an H100 (tests/hardware/micro/README.md): of up to four lines of one set the first access misses; of more
 * all miss, whether others are in flight or not, and all go to L2.
 */
Test(replaceable, as_the_gpu_counts) {
    static const uint32_t counts[] = {1, 3, 4, 5, 6, 8, 12, 16, 24, 31};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (unsigned times = 1; times <= 4; times++)
            for (unsigned waits = 0; waits <= 1; waits++) {
                const uint32_t lines = counts[n], misses = lines <= 4 ? lines : lines * times;
                const measured_stats set = again(replaceable, lines, SET, times, waits),
                                     spread = again(replaceable, lines, 128, times, waits);
                cr_expect_eq(set.l1_load_sectors - set.l1_load_sector_hits, misses, "%u lines, %u times", lines, times);
                cr_expect_eq(set.l2_read_sectors, misses, "%u lines, %u times", lines, times);
                cr_expect_eq(spread.l1_load_sectors - spread.l1_load_sector_hits, lines);
                cr_expect_eq(spread.l2_read_sectors, lines);
            }
}

/* No load waits for a line; with allocation on miss the fifth of a set does. */
Test(replaceable, no_reservation_failure) {
    cr_expect_eq(again(replaceable, 16, SET, 2, false).l1_line_failures, 0);
    cr_expect_gt(again("l1.allocate = on-miss\n", 16, SET, 2, false).l1_line_failures, 0);
}

/* A load that joined a line before replacement gets data of the same reply. */
Test(replaceable, those_that_wait_are_served) {
    rig r;
    rig_open(&r, replaceable, MEMORY);
    const uint64_t first = rig_push(&r, WORD(GPC_LOAD, 0)), second = rig_push(&r, WORD(GPC_LOAD, 0));
    rig_push(&r, WORDS(GPC_LOAD, SET, 4, SET));
    rig_push(&r, WORD(GPC_LOAD, 0));
    rig_finish(&r);
    cr_expect_eq(rig_stats(&r).l2_read_sectors, 6, "line 0 twice");
    cr_expect_eq(r.done[second].cycle, r.done[first].cycle);
    /* the last four of the set are present */
    cr_expect_eq(rig_latency(&r, WORDS(GPC_LOAD, 2 * SET, 3, SET)) < MEMORY, true);
    cr_expect_eq(r.done[r.issued - 1].level, 1);
    rig_close(&r);
}

/*
 * Random loads, stores and atomics on few sets: all end, with data (coherence.data checks values), as with allocation
 * on miss.
 */
static void storm(const char *settings, uint64_t random) {
    rig r;
    char text[200];
    snprintf(text, sizeof text, "l1.size = 1KiB\nl1.mshr_entries = 24\nl1.mshr_merges = 3\n%s%s", replaceable,
             settings);
    rig_open(&r, text, 20 + gpci_random_below(&random, 200));
    for (unsigned i = 0; i < 1500; i++) {
        const uint64_t address = gpci_random_below(&random, 40) * 128 + gpci_random_below(&random, 4) * 32;
        const uint64_t kind = gpci_random_below(&random, 10);
        shot s = WORDS(kind < 7 ? GPC_LOAD : kind < 9 ? GPC_STORE : GPC_ATOMIC, address, 1 + i % 4, 256);
        s.warp = i % 8;
        rig_push(&r, s);
    }
    rig_finish(&r);
    const measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.l1_line_failures, 0);
    rig_close(&r);
}

Test(replaceable, storm) {
    static const char *const settings[] = {"",
                                           "l1.combine_lines = 4\nl1.combine_cycles = 16\n",
                                           "coherence.data = true\n",
                                           "l1.bypass = agcb\n",
                                           "l1.write_policy = through\nl1.mshr_free = filled\n",
                                           "l1.prefetcher = next-line\n",
                                           "l1.mshr_merged = sector\n"};
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (uint64_t random = 1; random <= 4; random++)
            storm(settings[s], random);
}
