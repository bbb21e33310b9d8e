/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* L2 in parts: slices, two partitions, and inclusion. */

#define PAGE 4096u /* lines of different pages have independent homes */

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Room for everything: 64 MiB, 16 ways; no L1, so that every access shows L2's behaviour. */
#define WIDE "l1.enabled = false\nl2.size = 64MiB\nl2.ways = 16\nl2.slices = 8\nsm.count = 64\n"

/* Statistics after a sector of each of `pages` pages was read by two random SMs, once each. */
static measured_stats two_readers(const char *settings, unsigned pages) {
    rig r;
    uint64_t state = 1;
    rig_open(&r, settings);
    for (unsigned i = 0; i < pages; i++) {
        uint64_t address = (uint64_t)i * PAGE + next(&state) % PAGE / 32 * 32;
        for (unsigned reader = 0; reader < 2; reader++)
            rig_fire(&r, WORD_BY(GPC_LOAD, address, .sm = (uint32_t)(next(&state) % 64)));
    }
    measured_stats stats = rig_stats(&r);
    rig_close(&r);
    return stats;
}

/*
 * The first reader misses and leaves the sector in the reader's partition and at home. The second hits if in the
 * first's partition (1/2), or else in the home (1/2 of the other half): 1/2 + 1/4 of second reads, hence 37.5 % of all
 * reads. A first read goes to the other partition for the home's half of addresses; a second read does on a miss, which
 * is in the other partition than the first and home: 1/2 + 1/4 crossings per address.
 */
Test(memory_slices, two_partitions) {
    const unsigned pages = 8192;
    measured_stats two = two_readers(WIDE "l2.partitions = 2\n", pages);
    double deviation = sqrt(pages * 0.75 * 0.25);
    cr_assert_eq(two.l2_read_sectors, 2 * pages);
    cr_assert_float_eq((double)two.l2_read_sector_hits, 0.75 * pages, 4 * deviation, "%g %%",
                       (double)two.l2_read_sector_hits * 100 / (2.0 * pages));
    cr_assert_float_eq((double)two.l2_remote_sectors, 0.75 * pages, 4 * sqrt(pages * (0.25 + 0.1875)));
    cr_assert_eq(two.dram_read_sectors, pages);
    measured_stats one = two_readers(WIDE, pages);
    cr_assert_eq(one.l2_read_sector_hits, pages);
    cr_assert_eq(one.l2_remote_sectors, 0);
    cr_assert_eq(one.dram_read_sectors, pages);
}

/* Hits of `reader` in 64 pages read by `first`: all in the same partition, about half in the other. */
static bool same_partition(const char *settings, uint32_t first, uint32_t reader) {
    rig r;
    unsigned hits = 0;
    rig_open(&r, settings);
    for (uint64_t i = 0; i < 64; i++) {
        rig_fire(&r, WORD_BY(GPC_LOAD, i * PAGE, .sm = first));
        hits += rig_fire(&r, WORD_BY(GPC_LOAD, i * PAGE, .sm = reader)).l2_sector_hits;
    }
    rig_close(&r);
    cr_expect(hits == 64 || (hits > 8 && hits < 56), "%u hits", hits);
    return hits == 64;
}

#define PARTED WIDE "l2.partitions = 2\nl2.sm_partition = "

Test(memory_slices, sms_of_partitions) {
    for (uint32_t sm = 0; sm < 64; sm++) {
        cr_expect_eq(same_partition(PARTED "halves\n", 0, sm), sm < 32, "%u", sm);
        cr_expect_eq(same_partition(PARTED "pairs\n", 0, sm), sm % 4 < 2, "%u", sm);
        cr_expect_eq(same_partition(PARTED "groups\n", 0, sm), sm % 32 < 16, "%u", sm);
    }
}

/* Every partition holds a sector; a store leaves it only at home. One SM of every partition then reads: one hits. */
static void check_copies(uint8_t kind) {
    rig r;
    unsigned away = 0;
    rig_open(&r, WIDE "l2.partitions = 2\n");
    for (uint64_t i = 0; i < 64; i++) {
        uint64_t address = i * PAGE;
        rig_fire(&r, WORD_BY(GPC_LOAD, address, .sm = 0));
        rig_fire(&r, WORD_BY(GPC_LOAD, address, .sm = 63));
        rig_fire(&r, WORD_BY(kind, address, .sm = 0));
        unsigned near = rig_fire(&r, WORD_BY(GPC_LOAD, address, .sm = 0)).l2_sector_hits;
        unsigned far = rig_fire(&r, WORD_BY(GPC_LOAD, address, .sm = 63)).l2_sector_hits;
        cr_expect_eq(near + far, 1, "page %u: %u and %u hits", (unsigned)i, near, far);
        away += far;
    }
    cr_expect(away > 8 && away < 56, "%u of 64 pages have their home in the other partition", away);
    measured_stats stats = rig_stats(&r);
    cr_expect_eq(stats.dram_read_sectors, 64);
    cr_expect_eq(stats.l2_write_sector_hits + stats.l2_atomic_sector_hits, 64);
    /* away from home: SM 0's read, store, second read; at home: SM 63's reads */
    cr_expect_eq(stats.l2_remote_sectors, 3 * away + 2 * (64 - away));
    rig_flush(&r);
    cr_expect_eq(rig_stats(&r).dram_write_sectors, 64);
    rig_close(&r);
}

Test(memory_slices, stores_drop_copies) {
    check_copies(GPC_STORE);
}

Test(memory_slices, atomics_drop_copies) {
    check_copies(GPC_ATOMIC);
}

/* Loads `lines` lines `stride` bytes apart, twice: most and fewest lines of a slice. */
static void spread(const char *settings, unsigned slices, unsigned lines, uint64_t stride, uint64_t *least,
                   uint64_t *most) {
    rig r;
    char text[512];
    snprintf(text, sizeof text, "l1.enabled = false\nl2.size = %uMiB\nl2.ways = 16\nl2.slices = %u\n%s", slices * 16,
             slices, settings);
    rig_open(&r, text);
    *least = UINT64_MAX;
    *most = 0;
    for (unsigned i = 0; i < lines; i++)
        cr_assert_eq(rig_load(&r, i * stride).l2_sector_hits, 0, "two lines share an address in %s", settings);
    for (unsigned i = 0; i < slices; i++) {
        measured_cache stats;
        measured_clear(&stats);
        cr_assert_eq(measure_cache(gpc_hierarchy_cache(r.hierarchy, 2, i), &stats), GPC_OK);
        *least = stats.reads < *least ? stats.reads : *least;
        *most = stats.reads > *most ? stats.reads : *most;
    }
    for (unsigned i = 0; i < lines; i++)
        cr_assert_eq(rig_load(&r, i * stride).l2_sector_hits, 4, "a line is gone in %s", settings);
    rig_close(&r);
}

Test(memory_slices, interleaving_is_even) {
    static const char *const kinds[] = {
        "l2.interleave = modulo\nl2.interleave_bytes = 256B\n", "l2.interleave = hash\nl2.interleave_bytes = 256B\n",
        "l2.interleave = range\nl2.interleave_bytes = 64KiB\n", /* 512 lines a slice */
    };
    uint64_t least, most;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        spread(kinds[i], 4, 2048, 128, &least, &most);
        cr_expect_eq(least, 512, "%s: %u", kinds[i], (unsigned)least);
        cr_expect_eq(most, 512, "%s: %u", kinds[i], (unsigned)most);
    }
    spread(kinds[0], 3, 1536, 128, &least, &most);
    cr_expect_eq(least + most, 1024);
    spread(kinds[1], 3, 1536, 128, &least, &most);
    cr_expect(least > 400 && most < 620, "%u to %u of 512", (unsigned)least, (unsigned)most);
    /* 1 KiB apart, modulo puts all lines in one slice of four, a hash does not */
    spread(kinds[0], 4, 1024, 1024, &least, &most);
    cr_expect_eq(most, 1024);
    spread(kinds[1], 4, 1024, 1024, &least, &most);
    cr_expect(least >= 192 && most <= 320, "%u to %u of 256", (unsigned)least, (unsigned)most);
}

/* L2 of one set of two lines under an L1 of eight: lines evicted from an inclusive L2 leave L1. */
#define NARROW "l2.size = 256B\nl2.ways = 2\nl2.inclusion = "

Test(memory_slices, inclusion) {
    rig r;
    rig_open(&r, NARROW "inclusive\nsm.count = 2\n");
    rig_load(&r, 0);
    rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1));
    rig_load(&r, 0x80);
    cr_assert_eq(rig_lines(&r, 1, 2), 3);
    rig_load(&r, 0x100);
    cr_assert_eq(rig_lines(&r, 1, 2), 2);
    cr_assert_eq(rig_stats(&r).l1_invalidations, 2);
    cr_assert_eq(rig_load(&r, 0).l1_sector_hits, 0);
    rig_close(&r);
    rig_open(&r, NARROW "non-inclusive\n");
    for (uint64_t i = 0; i < 3; i++)
        rig_load(&r, i * 128);
    cr_assert_eq(rig_stats(&r).l1_invalidations, 0);
    cr_assert_eq(rig_load(&r, 0).l1_sector_hits, 4);
    rig_close(&r);
}

/* Short lines: the two halves of the line leave. */
Test(memory_slices, inclusion_of_halves) {
    rig r;
    rig_open(&r, NARROW "inclusive\nl1.line = 64B\nl1.sectors = 2\n");
    for (uint64_t i = 0; i < 2; i++)
        rig_load(&r, i * 128);
    cr_assert_eq(rig_lines(&r, 1, 1), 4);
    rig_fire(&r, WORD(GPC_LOAD, 0x100));
    cr_assert_eq(rig_lines(&r, 1, 1), 3);
    cr_assert_eq(rig_stats(&r).l1_invalidations, 2);
    rig_close(&r);
}

Test(memory_slices, inclusion_of_dirty_lines) {
    rig r;
    rig_open(&r, NARROW "inclusive\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    rig_load(&r, 0);
    rig_fire(&r, WORD(GPC_STORE, 0x20));
    rig_load(&r, 0x80);
    gpc_hierarchy_reset_stats(r.hierarchy);
    rig_load(&r, 0x100);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_load_requests = 1, .l1_load_lines = 1,
           .l1_touched_lines = 1, .l1_load_sectors = 4, .l1_load_bytes_used = 128, .l1_load_bytes_moved = 128,
           .l1_fetched_sectors = 4, .l1_write_back_sectors = 1, .l1_invalidations = 1, .l2_read_sectors = 4,
           .l2_evictions = 1, .dram_read_sectors = 4, .dram_write_sectors = 1);
    rig_flush(&r);
    cr_assert_eq(rig_stats(&r).dram_write_sectors, 0);
    rig_close(&r);
}

/*
 * An H100's slices: 16 KiB are of two halves, 8 KiB of one, and an address has an equal place in a half of 40 as in all
 * 80.
 */
Test(memory_slices, of_an_h100) {
    rig two, one;
    uint64_t state = 7;
    unsigned homes[2] = {0, 0};
    rig_open(&two, "l2.slices = 80\nl2.size = 20MiB\nl2.partitions = 2\nl2.interleave = hopper\n");
    rig_open(&one, "l2.slices = 80\nl2.size = 20MiB\nl2.interleave = hopper\n");
    for (int n = 0; n < 4096; n++) {
        const uint64_t address = next(&state) >> 24;
        gpc_location at[3] = {GPC_LOCATION_INIT, GPC_LOCATION_INIT, GPC_LOCATION_INIT};
        cr_assert_eq(gpc_hierarchy_locate(two.hierarchy, 0, address, &at[0], NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_locate(two.hierarchy, 0, address ^ (next(&state) & 0x1fff), &at[1], NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_locate(one.hierarchy, 0, address, &at[2], NULL), GPC_OK);
        cr_assert_eq(at[0].partition, at[1].partition);
        cr_assert_eq(at[0].slice / 40, at[0].partition);
        cr_assert_eq(at[0].near_slice % 40, at[0].slice % 40);
        cr_assert_eq(at[0].slice % 5, at[2].slice % 5);
        cr_assert_eq(at[0].partition, at[2].slice / 5 / 4 % 2);
        homes[at[0].partition]++;
    }
    cr_expect_lt(homes[0] > homes[1] ? homes[0] - homes[1] : homes[1] - homes[0], 260);
    rig_close(&one);
    rig_close(&two);
}

Test(memory_slices, of_an_h100_are_80) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("l2.slices = 64\nl2.size = 16MiB\nl2.interleave = hopper\n", &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "l2.interleave = hopper: interleaving by hopper over 64 slices"), "%s",
                       error.message);
}

/* Without homes each of four partitions reads memory, and keeps a line that another has changed. */
Test(memory_slices, partitions_without_homes) {
    rig r;
    rig_open(&r, "l1.enabled = false\nl2.size = 64KiB\nl2.ways = 16\nl2.slices = 8\nsm.count = 8\nl2.partitions = 4\n"
                 "l2.homes = none\nl2.sm_partition = turns\n");
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t sm = 0; sm < 8; sm++)
            for (uint64_t line = 0; line < 16; line++)
                rig_fire(&r, LINE_BY(GPC_LOAD, line * 128, .sm = sm));
    measured_stats s = rig_stats(&r);
    cr_expect_eq(s.dram_read_sectors, 4 * 16 * 4);
    cr_expect_eq(s.l2_read_sector_hits, (16 - 4) * 16 * 4);
    cr_expect_eq(s.l2_remote_sectors, 0);
    rig_fire(&r, LINE_BY(GPC_STORE, 0, .sm = 0));
    cr_expect_eq(rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 4)).l2_sector_hits, 4, "SMs 0 and 4 are of one partition");
    cr_expect_eq(rig_fire(&r, LINE_BY(GPC_LOAD, 0, .sm = 1)).l2_sector_hits, 4);
    rig_close(&r);
    static const char *const refused[] = {"l2.partitions = 4\n",
                                          "l2.partitions = 4\nl2.homes = none\ncoherence = viper\n",
                                          "l2.partitions = 2\nl2.homes = none\nl2.inclusion = inclusive\n"};
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        char settings[256];
        gpc_error error = GPC_ERROR_INIT;
        snprintf(settings, sizeof settings, "l2.slices = 4\nsm.count = 4\n%s", refused[i]);
        cr_expect_eq(rig_refused(settings, &error), GPC_ERROR_RANGE, "%s", refused[i]);
        cr_expect(strstr(error.message, "l2.homes"), "%s", error.message);
    }
}
