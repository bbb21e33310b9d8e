/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The worked example of every prefetcher, and further cases. */

#define LINE(n) ((uint64_t)(n)*128)

Test(prefetcher_examples, next_line) {
    rig r;
    rig_open(&r, "next-line(degree=2)");
    LOAD(&r, "11 12", .address = LINE(10), .found = MISS);
    LOAD(&r, "12 13", .address = LINE(11), .found = HIT, .prefetched = true);
    LOAD(&r, "", .address = LINE(11), .found = HIT);
    LOAD(&r, "13 14", .address = LINE(12), .found = FLIGHT, .prefetched = true);
    LOAD(&r, "", .address = LINE(20), .found = FLIGHT);
    rig_close(&r);
    rig_open(&r, "next-line(on=miss, distance=4)");
    LOAD(&r, "14", .address = LINE(10) + 60, .found = MISS);
    LOAD(&r, "", .address = LINE(11), .found = HIT, .prefetched = true);
    rig_close(&r);
    rig_open(&r, "next-line(on=always)");
    LOAD(&r, "12", .address = LINE(11), .found = HIT);
    rig_close(&r);
}

/* 256 bytes a time: two lines. Every warp learns alone, or all warps together. */
Test(prefetcher_examples, stride) {
    rig r;
    rig_open(&r, "stride");
    LOAD(&r, "", .pc = 8, .warp = 3, .address = LINE(0));
    LOAD(&r, "", .pc = 8, .warp = 3, .address = LINE(2));
    LOAD(&r, "", .pc = 8, .warp = 4, .address = LINE(100));
    LOAD(&r, "6", .pc = 8, .warp = 3, .address = LINE(4));
    LOAD(&r, "", .pc = 16, .warp = 3, .address = LINE(6));
    LOAD(&r, "8", .pc = 8, .warp = 3, .address = LINE(6));
    LOAD(&r, "", .pc = 8, .warp = 3, .address = LINE(7)); /* the stride differs */
    LOAD(&r, "9", .pc = 8, .warp = 3, .address = LINE(8));
    rig_close(&r);
    rig_open(&r, "stride(warps=together, steady=1)");
    LOAD(&r, "", .pc = 8, .warp = 0, .address = LINE(0));
    LOAD(&r, "2", .pc = 8, .warp = 1, .address = LINE(1));
    LOAD(&r, "3", .pc = 8, .warp = 2, .address = LINE(2));
    rig_close(&r);
}

/*
 * An instruction of several lines: the first line gives the warp's position, and every line is fetched equally far
 * ahead.
 */
Test(prefetcher_examples, lines_of_an_instruction) {
    rig r;
    rig_open(&r, "stride(degree=2, distance=3)");
    for (uint64_t i = 0; i < 3; i++) {
        LOAD(&r, i < 2 ? "" : "14 18", .pc = 8, .address = LINE(2), .lane = LINE(4 * i) + 4);
        LOAD(&r, i < 2 ? "" : "62 66", .pc = 8, .address = LINE(50), .lane = LINE(4 * i) + 4, .line = 1);
    }
    rig_close(&r);
}

/* Less than a line counts as a line, in every direction; a zero stride fetches no line. */
Test(prefetcher_examples, small_strides) {
    rig r;
    rig_open(&r, "stride");
    for (uint64_t i = 0; i < 4; i++)
        LOAD(&r, i < 2 ? "" : "11", .pc = 8, .address = LINE(10) + 4 * i);
    for (uint64_t i = 0; i < 4; i++)
        LOAD(&r, i < 2 ? "" : "9", .pc = 16, .address = LINE(10) + 64 - 4 * i);
    for (uint64_t i = 0; i < 4; i++)
        LOAD(&r, "", .pc = 24, .address = LINE(10));
    rig_close(&r);
}

/* A table of two: the entry unused for longest leaves. */
Test(prefetcher_examples, entries) {
    rig r;
    rig_open(&r, "stride(entries=2, steady=1)");
    LOAD(&r, "", .pc = 8, .address = LINE(0));
    LOAD(&r, "", .pc = 16, .address = LINE(0));
    LOAD(&r, "2", .pc = 8, .address = LINE(1));
    LOAD(&r, "", .pc = 24, .address = LINE(0));
    LOAD(&r, "3", .pc = 8, .address = LINE(2));
    LOAD(&r, "", .pc = 16, .address = LINE(1));
    rig_close(&r);
}

Test(prefetcher_examples, locality_aware) {
    rig r;
    rig_open(&r, "locality-aware");
    LOAD(&r, "", .address = LINE(8), .found = MISS);
    LOAD(&r, "", .address = LINE(8), .found = MISS);
    LOAD(&r, "", .address = LINE(9), .found = HIT);
    LOAD(&r, "9 11", .address = LINE(10), .found = MISS);
    LOAD(&r, "", .address = LINE(11), .found = MISS); /* once */
    LOAD(&r, "", .address = LINE(12), .found = MISS);
    rig_close(&r);
    rig_open(&r, "locality-aware(lines=8, threshold=1, entries=1)");
    LOAD(&r, "0 1 3 4 5 6 7", .address = LINE(2), .found = MISS);
    LOAD(&r, "9 10 11 12 13 14 15", .address = LINE(8), .found = MISS);
    LOAD(&r, "0 2 3 4 5 6 7", .address = LINE(1), .found = MISS); /* forgotten */
    rig_close(&r);
}

/* Three warps of one stride: the fourth warp need not learn the stride. */
Test(prefetcher_examples, mta_stride_of_all_warps) {
    rig r;
    rig_open(&r, "mta(throttle=off)");
    for (uint32_t warp = 0; warp < 3; warp++) {
        /* far apart, with no distance twice: no pattern between warps */
        uint64_t first = 1000u * warp * warp + 7 * warp;
        LOAD(&r, "", .pc = 8, .warp = warp, .address = LINE(first));
        LOAD(&r, "", .pc = 8, .warp = warp, .address = LINE(first + 32));
        char ahead[24];
        snprintf(ahead, sizeof ahead, "%u", (unsigned)first + 96);
        LOAD(&r, ahead, .pc = 8, .warp = warp, .address = LINE(first + 64));
    }
    LOAD(&r, "20032", .pc = 8, .warp = 9, .address = LINE(20000));
    LOAD(&r, "", .pc = 16, .warp = 9, .address = LINE(20000));
    rig_close(&r);
}

/* Without a loop: the distance between neighbouring warps. */
Test(prefetcher_examples, mta_between_warps) {
    rig r;
    rig_open(&r, "mta(throttle=off)");
    LOAD(&r, "", .pc = 8, .warp = 0, .address = 0x1000);
    LOAD(&r, "", .pc = 8, .warp = 1, .address = 0x1080);
    LOAD(&r, "35", .pc = 8, .warp = 2, .address = 0x1100);
    LOAD(&r, "38", .pc = 8, .warp = 5, .address = 0x1280);
    LOAD(&r, "", .pc = 8, .warp = 6, .address = 0x5000); /* elsewhere */
    rig_close(&r);
    rig_open(&r, "mta(throttle=off, distance=4)");
    LOAD(&r, "", .pc = 8, .warp = 3, .address = 0x1000);
    LOAD(&r, "", .pc = 8, .warp = 2, .address = 0x0f80);
    LOAD(&r, "34", .pc = 8, .warp = 1, .address = 0x0f00);
    rig_close(&r);
}

static uint64_t cost(const char *spec) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t bits;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_PREFETCHER, spec, 32, 4, 128, 4, &bits, &error), GPC_OK, "%s",
                 error.message);
    gpc_context_destroy(context);
    return bits;
}

/* PC 32 bits, warp 6, address 40, stride 24, run 2, order 7, for each of 128. */
Test(prefetcher_examples, costs) {
    cr_expect_eq(cost("none"), 0);
    cr_expect_eq(cost("next-line"), 0);
    cr_expect_eq(cost("stride"), 128 * (32 + 6 + 40 + 24 + 2 + 7));
    cr_expect_eq(cost("stride(warps=together, entries=16)"), 16 * (32 + 40 + 24 + 2 + 4));
    cr_expect_eq(cost("stride(steady=3)"), cost("stride(steady=2)"));
    cr_expect_eq(cost("stride(steady=4)"), 128 * (32 + 6 + 40 + 24 + 3 + 7));
    cr_expect_eq(cost("locality-aware"), 64 * (40 - 7 - 2 + 4 + 1 + 6));
    cr_expect_eq(cost("mta(throttle=off)"), 32 * (104 + 5) + 8 * (104 + 3) + 8 * (32 + 24 + 3));
    cr_expect_eq(cost("mta") - cost("mta(throttle=off)"), 4 * 20 + 2 * 20 + 3 + 3);
}

/* A new load replaces the oldest, at any place; the other loads keep their state. */
Test(prefetcher_examples, mta_forgets_the_oldest) {
    rig r;
    rig_open(&r, "mta(throttle=off, ip=3)");
    LOAD(&r, "", .pc = 8, .warp = 0, .address = 0x1000);
    LOAD(&r, "", .pc = 16, .warp = 0, .address = 0x9000);
    LOAD(&r, "", .pc = 24, .warp = 0, .address = 0xd000);
    LOAD(&r, "", .pc = 8, .warp = 1, .address = 0x1080);
    LOAD(&r, "", .pc = 16, .warp = 0, .address = 0x9000);
    LOAD(&r, "", .pc = 32, .warp = 0, .address = 0x20000); /* in place of 24 */
    LOAD(&r, "35", .pc = 8, .warp = 2, .address = 0x1100);
    rig_close(&r);
    rig_open(&r, "mta(throttle=off, ip=2)");
    LOAD(&r, "", .pc = 8, .warp = 0, .address = 0x1000);
    LOAD(&r, "", .pc = 16, .warp = 0, .address = 0x9000);
    LOAD(&r, "", .pc = 8, .warp = 1, .address = 0x1080);
    LOAD(&r, "", .pc = 24, .warp = 0, .address = 0x20000); /* in place of 16 */
    LOAD(&r, "35", .pc = 8, .warp = 2, .address = 0x1100);
    rig_close(&r);
}
