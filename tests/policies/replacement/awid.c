/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/awid.h"

#include "policies/replacement/warps.h"

#include <criterion/criterion.h>
#include <string.h>

/* Active-warp ids (lib/policies/replacement/awid.h): the window, the wrap, and the members. */

static gpci_awid table;

static void event(uint32_t kind, uint32_t warp) {
    gpc_warp_event e = {.kind = kind, .warp = warp};
    gpci_awid_event(&table, &e);
}

static void use(uint32_t warp) {
    gpc_request request = {.warp = warp};
    gpci_awid_use(&table, &request);
}

static int age(uint32_t warp) {
    gpc_request request = {.warp = warp};
    return gpci_awid_age(&table, gpci_awid_of(&table, &request));
}

static void open_table(void) {
    memset(&table, 0, sizeof table);
    gpci_awid_init(&table);
}

/* Warps of slots 0 to count - 1; slot 0's has id `first`. */
static void open_at(uint8_t first, uint32_t count) {
    open_table();
    event(GPC_WARP_START, 0);
    while (table.ids[0] != first) {
        event(GPC_WARP_EXIT, 0);
        event(GPC_WARP_START, 0);
    }
    for (uint32_t warp = 1; warp < count; warp++)
        event(GPC_WARP_START, warp);
}

/* The example of the header: 254, 255, 0, 1. */
Test(awid, window_goes_over_255_to_0) {
    open_at(254, 4);
    cr_expect_eq(table.oldest, 254);
    cr_expect_eq(table.youngest, 1);
    const uint8_t ids[] = {254, 255, 0, 1};
    for (int i = 0; i < 4; i++)
        cr_expect_eq(gpci_awid_age(&table, ids[i]), (uint32_t)i);
    for (int id = 2; id <= 253; id++)
        cr_expect_eq(gpci_awid_age(&table, (uint8_t)id), GPCI_AWID_INACTIVE, "id %d", id);
    event(GPC_WARP_EXIT, 0);
    event(GPC_WARP_EXIT, 1);
    cr_expect_eq(table.oldest, 0, "the register goes over 255 too");
    cr_expect_eq(gpci_awid_age(&table, 255), GPCI_AWID_INACTIVE);
    cr_expect_eq(gpci_awid_age(&table, 1), 1);
}

/*
 * Section 5.2.2 with corrected signs. Not wrapped: Oldest <= id <= Youngest; otherwise id <= Youngest or id >= Oldest.
 */
Test(awid, window_is_the_documents_with_its_signs_set_right) {
    uint32_t wrong = 0, active = 0;
    gpci_awid t = {.told = true};
    for (uint32_t oldest = 0; oldest < 256; oldest++)
        for (uint32_t youngest = 0; youngest < 256; youngest++) {
            t.oldest = (uint8_t)oldest;
            t.span = (uint8_t)(youngest - oldest);
            for (uint32_t id = 0; id < 256; id++) {
                bool in = youngest >= oldest ? oldest <= id && id <= youngest : id <= youngest || id >= oldest;
                active += in;
                wrong += in != (gpci_awid_age(&t, (uint8_t)id) != GPCI_AWID_INACTIVE);
            }
        }
    cr_expect_eq(wrong, 0);
    cr_expect_eq(active, 256 * (256 * 257 / 2), "each window of 1 to 256 ids, from each id");
}

/* Every active warp has a separate age; modulo 255 the first and the last of 256 would share one. */
Test(awid, ages_of_a_full_window_differ) {
    open_at(7, 256);
    bool seen[256] = {false};
    for (uint32_t warp = 0; warp < 256; warp++) {
        cr_assert_eq(age(warp), (int)warp);
        seen[age(warp)] = true;
    }
    for (int i = 0; i < 256; i++)
        cr_expect(seen[i]);
}

/* The oldest outlives 255 others: Youngest stands still, warps share it, and no active warp is taken for inactive. */
Test(awid, youngest_does_not_overtake_oldest) {
    open_at(200, 256);
    cr_expect_eq(table.youngest, 199);
    for (uint32_t warp = 256; warp < 700; warp++) {
        event(GPC_WARP_START, warp);
        cr_assert_eq(table.youngest, 199);
        cr_assert_eq(age(warp), 255);
        cr_assert_eq(age(0), 0);
    }
    for (uint32_t warp = 1; warp < 300; warp++)
        event(GPC_WARP_EXIT, warp);
    cr_expect_eq(table.oldest, 200, "warp 0 is there still");
    event(GPC_WARP_EXIT, 0);
    cr_expect_eq(table.oldest, 199, "the next that is active");
    cr_expect_eq(age(300), 0);
    event(GPC_WARP_START, 0);
    cr_expect_eq(table.youngest, 200);
    cr_expect_eq(age(0), 1);
}

Test(awid, the_oldest_ends_or_meets_a_barrier) {
    open_at(10, 4);
    event(GPC_WARP_EXIT, 2); /* not the oldest: the id stays in the window */
    cr_expect_eq(table.oldest, 10);
    cr_expect_eq(age(2), 2, "the mechanism cannot tell");
    event(GPC_WARP_BARRIER, 0);
    cr_expect_eq(table.oldest, 11);
    cr_expect_eq(age(0), GPCI_AWID_INACTIVE);
    event(GPC_WARP_EXIT, 1);
    cr_expect_eq(table.oldest, 13, "12 has ended: 13 is the next that is active");
    cr_expect_eq(age(3), 0);
}

Test(awid, a_warp_returns_from_its_barrier_with_its_age) {
    open_at(254, 3);
    event(GPC_WARP_BARRIER, 0);
    event(GPC_WARP_BARRIER, 1);
    cr_expect_eq(table.oldest, 0);
    use(1);
    cr_expect_eq(table.oldest, 255);
    cr_expect_eq(age(1), 0);
    cr_expect_eq(age(2), 1);
    use(0);
    cr_expect_eq(table.oldest, 254);
    cr_expect_eq(age(2), 2);
    for (uint32_t warp = 0; warp < 3; warp++)
        event(GPC_WARP_BARRIER, warp);
    for (int id = 0; id < 256; id++)
        cr_assert_eq(gpci_awid_age(&table, (uint8_t)id), GPCI_AWID_INACTIVE, "no warp is active");
    use(2);
    cr_expect_eq(table.oldest, 0);
    event(GPC_WARP_START, 3);
    cr_expect_eq(age(3), 1);
    use(0);
    cr_expect_eq(age(3), 3);
}

/* 300 warps pass while one waits: its id, 256 + 44 behind, equals an active warp's, so it is active. */
Test(awid, a_warp_may_wait_longer_than_its_id_lasts) {
    open_at(100, 1);
    event(GPC_WARP_BARRIER, 0);
    for (uint32_t i = 0; i < 300; i++) {
        event(GPC_WARP_START, 1 + i % 64);
        if (i >= 63)
            event(GPC_WARP_EXIT, 1 + (i - 63) % 64);
    }
    cr_expect_eq(table.youngest, (100 + 300) % 256);
    cr_expect_eq(table.oldest, (100 + 300 - 62) % 256);
    use(0); /* 100 is (400 - 44) % 256, and 44 <= 62 */
    cr_expect_eq(table.oldest, (100 + 300 - 62) % 256);
    cr_expect_eq(age(0), 62 - 44);
}

Test(awid, slots_are_used_again) {
    open_at(0, 2);
    event(GPC_WARP_START, 0); /* the end was not told */
    cr_expect_eq(table.total, 2);
    cr_expect_eq(table.oldest, 1);
    cr_expect_eq(age(0), 1);
    event(GPC_WARP_EXIT, 0);
    event(GPC_WARP_EXIT, 0);
    event(GPC_WARP_BARRIER, 0);
    cr_expect_eq(table.total, 1);
    use(0);
    cr_expect_eq(table.total, 1, "what an ended warp leaves under way does not wake it");
    event(GPC_WARP_START, 1024 + 1); /* folded onto slot 1 */
    cr_expect_eq(table.total, 1);
    cr_expect_eq(age(1025), age(1));
}

Test(awid, a_warp_not_seen_to_start_starts_with_its_first_access) {
    open_table();
    event(GPC_WARP_EXIT, 5);
    event(GPC_WARP_BARRIER, 6);
    cr_expect_eq(table.total, 0);
    use(6);
    use(9);
    use(6);
    cr_expect_eq(table.total, 2);
    cr_expect_eq(age(6), 0);
    cr_expect_eq(age(9), 1);
}

Test(awid, a_kernel_ends_all_warps) {
    for (uint32_t kind = GPC_KERNEL_START; kind <= GPC_KERNEL_END; kind++) {
        open_at(30, 5);
        event(kind, 0);
        for (int id = 0; id < 256; id++)
            cr_assert_eq(gpci_awid_age(&table, (uint8_t)id), GPCI_AWID_INACTIVE);
        use(3);
        cr_expect_eq(table.ids[3], 35, "ids go on where they were");
        cr_expect_eq(age(3), 0);
    }
}

/* A host without events: the request's age is the id, all are active; a kernel's start says nothing about warps. */
Test(awid, without_events_warp_age_is_the_id) {
    static const uint32_t ages[] = {0, 1, 63, 254, 255, 256, 4000000000u};
    open_table();
    event(GPC_KERNEL_START, 0);
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
        gpc_request request = {.warp = 7, .warp_age = ages[i]};
        gpci_awid_use(&table, &request);
        cr_expect_eq(gpci_awid_of(&table, &request), ages[i] < 255 ? ages[i] : 255);
        cr_expect_eq(gpci_awid_age(&table, gpci_awid_of(&table, &request)), ages[i] < 255 ? ages[i] : 255);
    }
    event(GPC_WARP_START, 0);
    cr_expect_eq(age(0), 0);
    for (int id = 0; id < 64; id++)
        cr_expect_eq(gpci_awid_age(&table, (uint8_t)id), GPCI_AWID_INACTIVE, "ids from before are inactive");
}

/* Random events compared with numbers that never wrap. */
Test(awid, agrees_with_numbers_that_never_wrap) {
    for (uint32_t slots = 1; slots <= NAIVE_SLOTS; slots += slots < 8 ? 1 : 24) {
        naive_warps naive;
        uint64_t random = slots;
        open_table();
        naive_open(&naive);
        for (int step = 0; step < 20000; step++) {
            uint32_t slot = gpci_random_below(&random, slots);
            if (gpci_random_below(&random, 3)) {
                use(slot);
                naive_use(&naive, slot);
            } else {
                gpc_warp_event e = random_event(&random, slots, true);
                gpci_awid_event(&table, &e);
                naive_event(&naive, &e);
            }
            if (!naive.told)
                continue;
            uint8_t id = (uint8_t)gpci_random(&random);
            cr_assert_eq((int)gpci_awid_age(&table, id), naive_age(&naive, id), "%u slots, step %d", slots, step);
            if (naive.slot[slot].state == NAIVE_ACTIVE)
                cr_assert_eq(age(slot), naive_age(&naive, naive.slot[slot].number), "%u slots, step %d", slots, step);
        }
        cr_expect_gt(naive.youngest, 1000, "it went round");
    }
}
