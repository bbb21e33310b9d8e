/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/rig.h"

#include <criterion/criterion.h>

/* mta's throttle: a load with a known stride asks once in each of a hundred times; count the passing requests. */

static uint64_t cycle, address;

static void open_trained(rig *r, const char *spec) {
    rig_open(r, spec);
    cycle = address = 0;
}

/* A period of 1000 cycles with outcomes and merges of a hundred misses, then the passing share afterwards. */
static unsigned period(rig *r, uint32_t useful, uint32_t unused, uint32_t merges) {
    gpc_prefetch out[GPC_MAX_PREFETCHES];
    unsigned passed = 0;
    for (uint32_t i = 0; i < 100; i++) {
        gpc_request request = {.pc = 8, .address = address += 1024, .cycle = cycle};
        gpc_prefetch_access access = {
            .request = &request, .lane_address = address, .found = i < merges ? FLIGHT : MISS};
        passed += r->ops->on_access(r->policy->self, &access, out);
    }
    for (uint32_t i = 0; i < useful; i++)
        r->ops->on_outcome(r->policy->self, 0, i & 1 ? GPC_PREFETCH_LATE : GPC_PREFETCH_USEFUL);
    for (uint32_t i = 0; i < unused; i++)
        r->ops->on_outcome(r->policy->self, 0, GPC_PREFETCH_UNUSED);
    r->ops->on_outcome(r->policy->self, 0, GPC_PREFETCH_REDUNDANT);
    cycle += 1000;
    return passed;
}

/* At a threshold and just above: half of the first period's shares counts, and 60 of a hundred passed before. */
Test(prefetcher_throttle, thresholds) {
    static const struct {
        uint32_t unused, merges;
        unsigned passed;
    } cases[] = {{0, 0, 40},  {0, 30, 40}, {0, 31, 80}, {0, 100, 80}, {2, 30, 40}, {2, 31, 80}, {3, 30, 40},
                 {3, 31, 40}, {4, 30, 40}, {4, 31, 40}, {5, 30, 0},   {5, 31, 0},  {5, 100, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        open_trained(&r, "mta(period=1000)");
        period(&r, 100, cases[i].unused, cases[i].merges);
        cr_expect_eq(period(&r, 100, 0, 0), cases[i].passed, "%u, %u", cases[i].unused, cases[i].merges);
        rig_close(&r);
    }
}

/* Three of five at first; learning the stride takes two loads. */
Test(prefetcher_throttle, more_while_loads_come_close_behind) {
    rig r;
    open_trained(&r, "mta(period=1000)");
    unsigned first = period(&r, 100, 0, 50);
    cr_expect(first >= 58 && first <= 60, "%u", first);
    cr_expect_eq(period(&r, 100, 0, 50), 80);
    cr_expect_eq(period(&r, 100, 0, 50), 100);
    cr_expect_eq(period(&r, 100, 0, 50), 100);
    rig_close(&r);
}

/* More than 15 of a hundred misses: 28 after none are 14, and 17 after 14 are 15.5. */
Test(prefetcher_throttle, half_of_the_period_before_counts) {
    rig r;
    open_trained(&r, "mta(period=1000)");
    period(&r, 100, 0, 28);
    cr_expect_eq(period(&r, 100, 0, 17), 40);
    cr_expect_eq(period(&r, 100, 0, 0), 60);
    rig_close(&r);
}

Test(prefetcher_throttle, fewer_where_there_is_little_to_gain) {
    rig r;
    open_trained(&r, "mta(period=1000)");
    period(&r, 100, 0, 0);
    cr_expect_eq(period(&r, 100, 0, 0), 40);
    cr_expect_eq(period(&r, 100, 0, 0), 20);
    cr_expect_eq(period(&r, 100, 0, 0), 0);
    cr_expect_eq(period(&r, 100, 0, 100), 0);
    cr_expect_eq(period(&r, 100, 0, 100), 20, "merges bring it back");
    rig_close(&r);
}

/* Two of a hundred early evictions are the limit; half of the period before counts. */
Test(prefetcher_throttle, none_where_they_are_evicted) {
    rig r;
    open_trained(&r, "mta(period=1000)");
    period(&r, 100, 5, 50); /* (0.05 + 0) / 2 */
    cr_expect_eq(period(&r, 100, 0, 50), 0);
    cr_expect_eq(period(&r, 100, 0, 50), 0, "0.0125: one more, of none");
    cr_expect_eq(period(&r, 100, 0, 50), 20);
    rig_close(&r);
    open_trained(&r, "mta(period=1000)");
    period(&r, 0, 1, 50); /* no prefetch was used */
    cr_expect_eq(period(&r, 100, 0, 50), 0);
    rig_close(&r);
}

Test(prefetcher_throttle, off) {
    rig r;
    open_trained(&r, "mta(period=1000, throttle=off)");
    period(&r, 0, 100, 0);
    cr_expect_eq(period(&r, 0, 100, 0), 100);
    rig_close(&r);
}
