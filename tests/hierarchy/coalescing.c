/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Lanes to transactions: lines, sectors, bytes, and order. */

typedef struct pattern {
    const char *name, *settings;
    shot shot;
    uint32_t lines, sectors, used, moved;
} pattern;

#define LOADS(a, s, n, w) \
    { .address = (a), .stride = (s), .lanes = (n), .width = (w), .kind = GPC_LOAD }

static const pattern patterns[] = {
    {"unit stride", NULL, LOADS(0x1000, 4, 32, 4), 1, 4, 128, 128},
    {"unit stride, half a line off", NULL, LOADS(0x1040, 4, 32, 4), 2, 4, 128, 128},
    {"unit stride, a word off", NULL, LOADS(0x1004, 4, 32, 4), 2, 5, 128, 160},
    {"unit stride downwards", NULL, LOADS(0x107c, (uint64_t)-4, 32, 4), 1, 4, 128, 128},
    {"doubles", NULL, LOADS(0x1000, 8, 32, 8), 2, 8, 256, 256},
    {"every other word", NULL, LOADS(0x1000, 8, 32, 4), 2, 8, 128, 256},
    {"stride of a sector", NULL, LOADS(0x1000, 32, 32, 4), 8, 32, 128, 1024},
    {"stride of a line", NULL, LOADS(0x1000, 128, 32, 4), 32, 32, 128, 1024},
    {"stride of a line, lines without sectors", "l1.sectors = 1\n", LOADS(0x1000, 128, 32, 4), 32, 32, 128, 4096},
    {"two sectors a line", "l1.sectors = 2\n", LOADS(0x1000, 128, 2, 4), 2, 2, 8, 128},
    {"all lanes one word", NULL, LOADS(0x1010, 0, 32, 4), 1, 1, 4, 32},
    {"overlapping lanes", NULL, LOADS(0x1000, 1, 32, 4), 1, 2, 35, 64},
    {"a lane across two lines", NULL, LOADS(0x1078, 0, 1, 16), 2, 2, 16, 64},
    {"each lane across two lines", NULL, LOADS(0x107c, 128, 32, 8), 33, 64, 256, 2048},
    {"widest lanes", NULL, LOADS(0x1000, 64, 32, 64), 16, 64, 2048, 2048},
    {"widest lane, misaligned", NULL, LOADS(0x1061, 0, 1, 64), 2, 3, 64, 96},
    {"single bytes", NULL, LOADS(0x103f, 1, 2, 1), 1, 2, 2, 64},
    {"short lines", "l1.line = 64B\nl1.sectors = 2\n", LOADS(0x1000, 4, 32, 4), 2, 4, 128, 128},
    {"shortest lines", "l1.line = 32B\nl1.sectors = 1\n", LOADS(0x1000, 4, 32, 4), 4, 4, 128, 128},
    {"lines of L2", "l1.enabled = false\nl1.line = 32B\nl1.sectors = 1\nl2.line = 64B\nl2.sectors = 2\n",
     LOADS(0x1000, 4, 32, 4), 2, 4, 128, 128},
    {"64 lanes", "sm.lanes = 64\n", LOADS(0x1000, 4, 64, 4), 2, 8, 256, 256},
    {"64 lanes, a line each", "sm.lanes = 64\n", LOADS(0x1000, 128, 64, 4), 64, 64, 256, 2048},
    {"a lane alone", NULL, LOADS(0x1000, 4, 1, 4), 1, 1, 4, 32},
};

Test(memory_coalescing, counts) {
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const pattern *p = &patterns[i];
        rig r;
        rig_open(&r, p->settings);
        gpc_warp_result result = rig_fire(&r, p->shot);
        measured_stats stats = rig_stats(&r);
        cr_expect_eq(result.lines, p->lines, "%s: %u lines", p->name, result.lines);
        cr_expect_eq(result.sectors, p->sectors, "%s: %u sectors", p->name, result.sectors);
        cr_expect_eq(stats.l1_load_lines, p->lines, "%s", p->name);
        cr_expect_eq(stats.l1_load_sectors, p->sectors, "%s", p->name);
        cr_expect_eq(stats.l1_load_bytes_used, p->used, "%s: %u used", p->name, (unsigned)stats.l1_load_bytes_used);
        cr_expect_eq(stats.l1_load_bytes_moved, p->moved, "%s: %u moved", p->name, (unsigned)stats.l1_load_bytes_moved);
        cr_expect_eq(stats.thread_instructions, p->shot.lanes, "%s", p->name);
        unsigned last = GPC_TRANSACTION_BUCKETS - 1;
        for (unsigned n = 0; n <= last; n++)
            cr_expect_eq(stats.l1_transactions_per_load[n], n == (p->lines < last ? p->lines : last), "%s: bucket %u",
                         p->name, n);
        rig_close(&r);
    }
}

static bool in_l1(rig *r, uint64_t address) {
    gpc_request request = {.address = address, .size = 4};
    gpc_access_result result;
    cr_assert_eq(gpc_cache_probe(gpc_hierarchy_cache(r->hierarchy, 1, 0), &request, &result, NULL), GPC_OK);
    return result.outcome == GPC_HIT;
}

/* Transactions follow the order of the lanes' first touches: two ways keep the last two. */
Test(memory_coalescing, order_of_first_lanes) {
    rig r;
    rig_open(&r, "l1.size = 256B\n");
    uint64_t addresses[] = {0x1100, 0x1000, 0x1104, 0x1200, 0x1004, 0x1104};
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 0x80000455; /* lanes 0, 2, 4, 6, 10, 31 */
    access.addresses = addresses;
    access.width = 4;
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, &result, NULL), GPC_OK);
    cr_assert_eq(result.lines, 3);
    cr_assert_eq(result.sectors, 3);
    cr_assert_not(in_l1(&r, 0x1100));
    cr_assert(in_l1(&r, 0x1000));
    cr_assert(in_l1(&r, 0x1200));
    measured_stats stats = rig_stats(&r);
    cr_assert_eq(stats.l1_load_bytes_used, 20); /* 0x1104 twice */
    cr_assert_eq(stats.thread_instructions, 6);
    rig_close(&r);
}

/* From the highest address down: two ways keep the two lowest lines, for any order of lanes. */
Test(memory_coalescing, order_down) {
    static const uint64_t shots[][4] = {
        {0x1100, 0x1000, 0x1104, 0x1200}, {0x1000, 0x1100, 0x1180, 0x1200}, {0x1200, 0x1180, 0x1100, 0x1000}};
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        rig r;
        rig_open(&r, "l1.size = 256B\nl1.line_order = descending\n");
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 15;
        access.addresses = shots[i];
        access.width = 4;
        gpc_warp_result result = GPC_WARP_RESULT_INIT;
        cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, &result, NULL), GPC_OK);
        cr_assert_eq(result.lines, i ? 4 : 3);
        cr_assert(in_l1(&r, 0x1000) && in_l1(&r, 0x1100));
        cr_assert(!in_l1(&r, 0x1180) && !in_l1(&r, 0x1200));
        rig_close(&r);
    }
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(
        rig_refused("mode = timed\ncoherence = vi\nl1.coalescer = multi2sim\nl1.line_order = descending\n", &error),
        GPC_ERROR_RANGE);
    cr_assert_not_null(strstr(error.message, "l1.line_order"), "%s", error.message);
}

/* L2 sees only the bytes of a store's lanes: whole sectors fetch nothing, for any order of lanes. */
Test(memory_coalescing, bytes_of_a_store) {
    rig r;
    rig_open(&r, "l1.line = 64B\nl1.sectors = 2\n");
    /* bytes 0x20 to 0x9f, alternating between the ends: four whole sectors of three short lines, two L2 lines */
    uint64_t addresses[32];
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = 0x20 + 4 * (i % 2 ? 31 - i / 2 : i / 2);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = UINT32_MAX;
    access.addresses = addresses;
    access.width = 4;
    access.kind = GPC_STORE;
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, &result, NULL), GPC_OK);
    cr_assert_eq(result.lines, 3);
    EXPECT(&r, .warp_instructions = 1, .thread_instructions = 32, .l1_store_requests = 1, .l1_store_sectors = 4,
           .l2_write_sectors = 4, .l2_write_sector_hits = 4);
    rig_flush(&r);
    EXPECT(&r, .l2_write_back_sectors = 4, .dram_write_sectors = 4);
    rig_close(&r);
}
