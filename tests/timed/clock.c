/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/component/clock.h"

#include <criterion/criterion.h>

/* Clock domains: exact, and without drift over any time. */

static const uint32_t pairs[][2] = {
    {700, 924},  {924, 700},  {1980, 2619},    {2619, 1980}, {1447, 850},
    {1, 100000}, {100000, 1}, {99991, 100000}, {1000, 1000}, {3, 2},
};

#define PAIRS (sizeof pairs / sizeof *pairs)

Test(clock, lowest_terms) {
    gpci_clock clock = gpci_clock_make(924, 700);
    cr_expect_eq(clock.own, 33);
    cr_expect_eq(clock.core, 25);
    clock = gpci_clock_make(1410, 1410);
    cr_expect_eq(clock.own, 1);
    cr_expect_eq(clock.core, 1);
    clock = gpci_clock_make(99991, 100000); /* a prime */
    cr_expect_eq(clock.own, 99991);
    cr_expect_eq(clock.core, 100000);
}

Test(clock, by_hand) {
    gpci_clock clock = gpci_clock_make(924, 700);
    cr_expect_eq(gpci_clock_own(clock, 3), 3);
    cr_expect_eq(gpci_clock_core(clock, 4), 4);
    cr_expect_eq(gpci_clock_own(clock, 4), 5, "5.28");
    cr_expect_eq(gpci_clock_core(clock, 33), 25);
    cr_expect_eq(gpci_clock_core(clock, 34), 26);
    cr_expect_eq(gpci_clock_after(clock, 4, 3), 7, "own 5 + 3 = 8, at 6.06");
    cr_expect_eq(gpci_clock_after(clock, 4, 0), 4);
    clock = gpci_clock_make(1, 4);
    cr_expect_eq(gpci_clock_own(clock, 7), 1);
    cr_expect_eq(gpci_clock_after(clock, 7, 1), 8, "own cycle 2 begins");
    cr_expect_eq(gpci_clock_after(clock, 8, 1), 12);
    cr_expect_eq(gpci_clock_after(clock, 7, 0), 7);
}

/* `own` has begun by core cycle `core`, and own + 1 has not: in products that cannot overflow. */
static bool is_under_way(const uint32_t *pair, uint64_t own, uint64_t core) {
    __extension__ typedef unsigned __int128 wide;
    wide begun = (wide)core * pair[0];
    return (wide)own * pair[1] <= begun && begun < ((wide)own + 1) * pair[1];
}

static void agrees_at(const uint32_t *pair, uint64_t core) {
    gpci_clock clock = gpci_clock_make(pair[0], pair[1]);
    uint64_t own = gpci_clock_own(clock, core);
    cr_assert(is_under_way(pair, own, core), "%u/%u at %llu", pair[0], pair[1], (unsigned long long)core);
    uint64_t first = gpci_clock_core(clock, own + 1);
    cr_assert_gt(first, core);
    cr_assert_geq(gpci_clock_own(clock, first), own + 1, "%u/%u: own %llu has not begun at %llu", pair[0], pair[1],
                  (unsigned long long)own + 1, (unsigned long long)first);
    cr_assert_lt(gpci_clock_own(clock, first - 1), own + 1, "%u/%u: own %llu began before %llu", pair[0], pair[1],
                 (unsigned long long)own + 1, (unsigned long long)first);
}

Test(clock, exact_for_all_of_a_trillion_cycles) {
    uint64_t state = 1;
    for (uint32_t i = 0; i < PAIRS; i++)
        for (int n = 0; n < 20000; n++) {
            agrees_at(pairs[i], (uint64_t)n);
            agrees_at(pairs[i], 1000000000000u - (uint64_t)n);
            agrees_at(pairs[i], gpci_random(&state) % 1000000000000u);
        }
}

/* Core time moves randomly; the domain's time adds up to exactly its share. */
Test(clock, steps_do_not_drift) {
    uint64_t state = 2;
    for (uint32_t i = 0; i < PAIRS; i++) {
        gpci_clock clock = gpci_clock_make(pairs[i][0], pairs[i][1]);
        const uint64_t end = 1000000000000u / clock.core * clock.core;
        uint64_t core = 0, own = 0, passed = 0;
        while (core < end) {
            uint64_t step = 1 + gpci_random(&state) % 100000000, rest = end - core;
            core += step < rest ? step : rest;
            uint64_t next = gpci_clock_own(clock, core);
            passed += next - own;
            own = next;
        }
        cr_expect_eq(passed, end / clock.core * clock.own, "%u/%u", pairs[i][0], pairs[i][1]);
    }
}

/* Work that always takes one cycle of the domain, repeated in core time. */
Test(clock, a_chain_of_single_cycles) {
    gpci_clock slow = gpci_clock_make(1980, 2619);
    uint64_t core = 0;
    for (uint32_t n = 0; n < 1000000; n++)
        core = gpci_clock_after(slow, core, 1);
    cr_expect_eq(core, (1000000u * 2619u + 1979u) / 1980u);
}

Test(clock, large_results_do_not_overflow_on_the_way) {
    cr_expect_eq(gpci_scale(UINT64_MAX, 1, 1), UINT64_MAX);
    cr_expect_eq(gpci_scale(UINT64_MAX, 100000, 100000), UINT64_MAX);
    cr_expect_eq(gpci_scale((uint64_t)1 << 62, 99999, 100000), 4611639901567203630u);
    cr_expect_eq(gpci_scale(999999, 100000, 1), 99999900000u);
}

Test(clock, gauge_sums_its_level_over_time) {
    gpci_gauge gauge = {0};
    gpci_gauge_set(&gauge, 10, 3);
    cr_expect_eq(gpci_gauge_sum(&gauge, 10), 0);
    cr_expect_eq(gpci_gauge_sum(&gauge, 14), 12);
    gpci_gauge_set(&gauge, 15, 5);
    gpci_gauge_set(&gauge, 15, 1); /* no time at 5 */
    cr_expect_eq(gpci_gauge_sum(&gauge, 15), 15);
    cr_expect_eq(gpci_gauge_sum(&gauge, 100), 100);
    gpci_gauge_set(&gauge, 200, 0);
    cr_expect_eq(gpci_gauge_sum(&gauge, 1000000), 200);
}
