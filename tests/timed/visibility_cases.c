/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/world.h"

#include <criterion/criterion.h>
#include <stdint.h>

/* Cases of visibility beside the table of visibility.c. */

/* A store waiting to be combined leaves before a load of the line. */
Test(timed_visibility, a_store_that_waits_is_not_passed) {
    static const char *const settings[] = {
        "l1.combine_lines = 8\nl1.combine_cycles = 32\n",
        "l1.combine_lines = 8\nl1.combine_cycles = 32\nl1.combine_stores = buffer\n",
        "l1.combine_lines = 8\nl1.combine_cycles = 32\nl1.combine_stores = buffer\nsm.schedulers = 4\n",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        static world w;
        uint32_t found[2] = {0};
        cr_assert(world_open(&w, "none", settings[i], false, "timed"));
        (void)world_store(&w, 0, 0x1000, GPC_HINT_NONE, false);
        (void)world_store(&w, 0, 0x1080, GPC_HINT_NONE, false);
        (void)world_load(&w, 0, 0x1000, LOAD_WEAK, &found[0]);
        (void)world_load(&w, 0, 0x1080, LOAD_WEAK, &found[1]);
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        cr_expect(found[0] == 1 && found[1] == 1, "%s: %u and %u", settings[i], found[0], found[1]);
        world_close(&w);
    }
}

/* A load held up at the line's MSHR entry, and then hitting, has the entry's data. */
Test(timed_visibility, a_load_that_is_held_up_hits) {
    static world w;
    uint32_t found[3] = {0};
    cr_assert(world_open(&w, "none", "l1.mshr_merges = 1\n", false, "timed"));
    world_wait(&w, world_store(&w, 1, 0x1000, GPC_HINT_NONE, false));
    for (unsigned i = 0; i < 3; i++)
        (void)world_load(&w, 0, 0x1000, LOAD_WEAK, &found[i]);
    cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    cr_expect(found[0] == 1 && found[1] == 1 && found[2] == 1, "%u, %u, %u", found[0], found[1], found[2]);
    world_close(&w);
}

/* Without L1, too, an acquire keeps the SM from copies then on the way to the partition. */
Test(timed_visibility, an_acquire_without_l1) {
    static world w;
    cr_assert(world_open(&w, "viper", "l2.partitions = 2\nl1.enabled = false\nl2.link_latency = 40\n", false, "timed"));
    for (uint32_t distance = 0; distance < 240; distance++) {
        const uint64_t address = 0x1000 + 0x400 * distance;
        uint32_t ignored, found = 0;
        const uint64_t first = world_load(&w, 7, address, LOAD_WEAK, &ignored);
        for (uint32_t n = 0; n < distance; n++)
            world_step(&w);
        const uint64_t second = world_store(&w, 0, address, GPC_HINT_NONE, false);
        world_wait(&w, first), world_wait(&w, second);
        world_fence(&w, 7, GPC_ORDER_ACQUIRE, GPC_SCOPE_GPU);
        world_wait(&w, world_load(&w, 7, address, LOAD_WEAK, &found));
        cr_expect_eq(found, 1, "%u cycles apart", (unsigned)distance);
    }
    world_close(&w);
}

/* Accesses of a word by one SM, without waiting: a load has the stores before the load, and no store behind. */
Test(timed_visibility, of_an_sm_to_itself) {
    static const char *const settings[] = {"",
                                           "lrc.sms = 2\n",
                                           "l2.partitions = 2\n",
                                           "l2.partitions = 2\nl1.spaces = local\n",
                                           "l1.enabled = false\n",
                                           "l1.collectors = 2\nl1.queue = 5\n",
                                           "l1.combine_lines = 8\nl1.combine_cycles = 32\n"};
    for (unsigned i = 0; i < 2 * sizeof settings / sizeof *settings; i++) {
        static world w;
        unsigned wrong = 0;
        cr_assert(world_open(&w, i % 2 ? "viper" : "none", settings[i / 2], false, "timed"));
        for (uint32_t n = 0; n < 96; n++) {
            const uint64_t address = 0x1000 + 0x1080 * n;
            uint32_t ignored, found[3] = {2, 2, 2};
            if (n % 3 == 0)
                world_wait(&w, world_load(&w, 7, address, LOAD_WEAK, &ignored));
            if (n % 3 == 1)
                (void)world_load(&w, 6, address, LOAD_WEAK, &ignored);
            (void)world_load(&w, 7, address, n % 2 ? LOAD_CV : LOAD_WEAK, &found[0]);
            (void)world_store(&w, 7, address, GPC_HINT_NONE, n / 3 % 2);
            (void)world_load(&w, 7, address, LOAD_WEAK, &found[1]);
            (void)world_load(&w, 7, address, LOAD_GPU, &found[2]);
            cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
            wrong += found[0] != 0 || found[1] != 1 || found[2] != 1;
        }
        cr_expect_eq(wrong, 0, "%s: %u of 96 lines", settings[i / 2], wrong);
        world_close(&w);
    }
}

/*
 * Two SMs of a coalescer read a line that crosses a slow link. Another SM's store, or the reader's own atomic, may be
 * performed meanwhile. A load that must find the value of its moment waits for neither read.
 */
static uint32_t old_reads_joined(const char *protocol, const char *settings, load_manner how, bool adds) {
    static world w;
    uint32_t count = 0;
    cr_assert(world_open(&w, protocol, settings, false, "timed"));
    for (uint32_t distance = 0; distance < 300; distance++) {
        const uint64_t address = 0x1000 + 0x1000 * distance;
        uint32_t ignored, found = 0;
        (void)world_load(&w, 6, address, LOAD_WEAK, &ignored);
        if (distance % 2)
            (void)world_load(&w, 7, address, LOAD_WEAK, &ignored);
        for (uint32_t n = 0; n < distance; n++)
            world_step(&w);
        if (adds)
            (void)world_store(&w, 7, address, GPC_HINT_NONE, true);
        else
            world_wait(&w, world_store(&w, 0, address, GPC_HINT_NONE, false));
        world_wait(&w, world_load(&w, 7, address, how, &found));
        count += found != 1;
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    }
    world_close(&w);
    return count;
}

Test(timed_visibility, loads_that_join_no_older_read) {
    static const char *const plain[] = {"none", "viper"}, *const settings[] = {
                                                              "l2.partitions = 2\nl2.link_latency = 60\n",
                                                              "l2.partitions = 2\nl2.link_latency = 60\nlrc.sms = 2\n"};
    static const struct {
        load_manner how;
        bool adds;
    } rows[] = {{LOAD_GPU, false}, {LOAD_CV, false}, {LOAD_WEAK, true}};
    for (unsigned i = 0; i < 12; i++)
        cr_expect_eq(old_reads_joined(plain[i / 6], settings[i % 2], rows[i / 2 % 3].how, rows[i / 2 % 3].adds), 0,
                     "%s, %s, row %u", plain[i / 6], settings[i % 2], i / 2 % 3);
}

/* A load that another SM's read answers, which left before its own SM's store was performed, has the store's bytes. */
Test(timed_visibility, a_store_and_the_read_of_another_sm) {
    static world w;
    cr_assert(world_open(&w, "none", "lrc.sms = 2\nnetwork.width = 4B\n", false, "timed"));
    for (uint32_t distance = 0; distance < 100; distance++) {
        const uint64_t address = 0x1000 + 0x1000 * distance;
        uint32_t ignored, found = 0;
        for (uint32_t n = 1; n < 8; n++) /* the store waits behind these */
            (void)world_store(&w, 1, address + 0x100 * n, GPC_HINT_NONE, false);
        (void)world_store(&w, 1, address, GPC_HINT_NONE, false);
        for (uint32_t n = 0; n < distance; n++)
            world_step(&w);
        (void)world_load(&w, 0, address, LOAD_WEAK, &ignored);
        world_wait(&w, world_load(&w, 1, address, LOAD_WEAK, &found));
        cr_expect_eq(found, 1, "%u cycles apart", (unsigned)distance);
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    }
    world_close(&w);
}

/* A store past the caches does not overtake an older store that waits for a way in L2. */
Test(timed_visibility, stores_past_caches_keep_order) {
    static const uint32_t first = 1, second = 2;
    static world w;
    cr_assert(world_open(&w, "slc-glc", "l2.slices = 1\nl2.size = 4KiB\nl2.ways = 1\n", false, "timed"));
    for (uint32_t distance = 0; distance < 120; distance++) {
        const uint64_t address = 0x100000 + 0x80 * (distance % 32);
        uint32_t ignored, found = 0;
        (void)world_load(&w, 7, address + 0x10000, LOAD_WEAK, &ignored);
        for (uint32_t n = 0; n < distance; n++)
            world_step(&w);
        (void)world_store_value(&w, 0, address, GPC_HINT_NONE, true, &first);
        (void)world_store_value(&w, 0, address, GPC_HINT_WT, false, &second);
        cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
        world_fence(&w, 1, GPC_ORDER_ACQUIRE, GPC_SCOPE_SYS);
        world_wait(&w, world_load(&w, 1, address, LOAD_WEAK, &found));
        cr_expect_eq(found, 2, "%u cycles apart: %u", (unsigned)distance, found);
    }
    world_close(&w);
}

/* Loads a line's first words. */
static uint64_t load_words(world *w, uint64_t line, uint32_t count, uint32_t *found) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    uint64_t addresses[32];
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = line + 4 * i;
    a.mask = ((uint64_t)1 << count) - 1;
    a.addresses = addresses;
    a.width = 4;
    a.out = (uint8_t *)found;
    return world_issue(w, &a);
}

/* A load is held up by an atomic's mark on its line's entry; meanwhile the first half of the line arrives in L1. */
Test(timed_visibility, a_load_that_is_held_up_while_a_part_arrives) {
    static world w;
    uint32_t half[16] = {0}, whole[32] = {0};
    cr_assert(world_open(&w, "none", "l1.sectors = 4\nl2.sectors = 4\n", false, "timed"));
    world_wait(&w, world_store(&w, 1, 0x1020, GPC_HINT_NONE, false));
    (void)load_words(&w, 0x1000, 16, half);
    (void)world_store(&w, 0, 0x1060, GPC_HINT_NONE, true);
    (void)load_words(&w, 0x1000, 32, whole);
    cr_assert_eq(gpc_hierarchy_drain(w.h, NULL), GPC_OK);
    cr_expect_eq(half[8], 1);
    cr_expect_eq(whole[8], 1, "brought by the first load");
    cr_expect_eq(whole[24], 1, "the atomic's");
    world_close(&w);
}
