/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>

/* Stores and atomics, worked out by hand: four sectors of 32 bytes. */

#define A 0u
#define B 128u
#define C 256u

static void open_with(rig *r, uint32_t policy, uint32_t allocate) {
    rig_init(r);
    r->options.sectors = 4;
    r->options.write_policy = policy;
    r->options.write_allocate = allocate;
    rig_open(r);
}

Test(writes, back_with_fetch) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_FETCH);
    gpc_access_result got = rig_access(&r, STORE(A + 16, .size = 32)); /* half of sectors 0 and 1 */
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 3 && !got.write_sectors);
    got = rig_access(&r, STORE(A + 64, .size = 64)); /* sectors 2 and 3, whole */
    cr_expect(got.outcome == GPC_HIT && !got.fetch_sectors && !got.hit_sectors);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 15 && line.dirty_sectors == 15 && !line.written_bytes[0]);
    got = rig_access(&r, STORE(B + 16, .size = 112)); /* half of sector 0 */
    cr_expect_eq(got.fetch_sectors, 1);
    rig_close(&r);
}

Test(writes, back_without_allocation) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_NO_ALLOCATE);
    gpc_access_result got = rig_access(&r, STORE(A + 4, .size = 4));
    cr_expect(got.outcome == GPC_MISS && got.write_sectors == 1 && got.write_bytes[0] == 0xf0 && got.way == NO_WAY);
    cr_expect_eq(rig_lines(&r), 0);
    rig_access(&r, LOAD(A, .size = 32));
    /* sector 0 takes a part, sector 1 is absent: exactly this part goes below */
    got = rig_access(&r, STORE(A + 28, .size = 8));
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.hit_sectors == 1 && !got.fetch_sectors);
    cr_expect_eq(got.write_sectors, 2);
    cr_expect_eq(got.write_bytes[0], (uint64_t)0xf << 32, "%llx", (unsigned long long)got.write_bytes[0]);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 1 && line.dirty_sectors == 1);
    /* a completely written sector is kept: the line is present */
    got = rig_access(&r, STORE(A + 96, .size = 32));
    cr_expect(got.outcome == GPC_HIT && !got.write_sectors);
    cr_expect_eq(rig_line(&r, A).dirty_sectors, 9);
    rig_close(&r);
}

/* Misses go below, and are read whole; hits become dirty. */
Test(writes, back_with_naive_fetch) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_NAIVE_FETCH);
    gpc_access_result got = rig_access(&r, STORE(A, .size = 64)); /* sectors 0 and 1, whole */
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 3 && got.write_sectors == 3);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 3 && !line.dirty_sectors);
    got = rig_access(&r, STORE(A + 4, .size = 4));
    cr_expect(got.outcome == GPC_HIT && !got.fetch_sectors && !got.write_sectors);
    cr_expect_eq(rig_line(&r, A).dirty_sectors, 1);
    got = rig_access(&r, STORE(A + 60, .size = 8)); /* the end of sector 1, the beginning of 2 */
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.fetch_sectors == 4 && got.write_sectors == 4);
    cr_expect(!got.write_bytes[0] && got.write_bytes[1] == 0xf);
    line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 7 && line.dirty_sectors == 3);
    rig_close(&r);
}

Test(writes, through) {
    rig r;
    open_with(&r, GPC_WRITE_THROUGH, GPC_WRITE_FETCH);
    gpc_access_result got = rig_access(&r, STORE(A + 4, .size = 4));
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 1 && got.write_sectors == 1 &&
              got.write_bytes[0] == 0xf0);
    got = rig_access(&r, STORE(A, .size = 4));
    cr_expect(got.outcome == GPC_HIT && got.write_sectors == 1 && got.write_bytes[0] == 0xf);
    cr_expect_eq(rig_line(&r, A).dirty_sectors, 0);
    cr_expect_eq(rig_stats(&r).write_below_sectors, 2);
    rig_load(&r, B);
    got = rig_access(&r, LOAD_LINE(C));
    cr_expect(got.evicted && !got.eviction.dirty_sectors && !got.eviction.dirty_bytes[0]);
    rig_close(&r);
}

Test(writes, evict) {
    rig r;
    open_with(&r, GPC_WRITE_EVICT, GPC_WRITE_FETCH); /* allocation has no effect */
    gpc_access_result got = rig_access(&r, STORE_LINE(A));
    cr_expect(got.outcome == GPC_MISS && got.write_sectors == 15 && !got.fetch_sectors && !rig_holds(&r, A));
    rig_access(&r, LOAD(A, .size = 32));
    got = rig_access(&r, STORE(A + 8, .size = 4));
    cr_expect(got.outcome == GPC_HIT && got.hit_sectors == 1 && got.write_sectors == 1 && got.write_bytes[0] == 0xf00);
    cr_expect(got.way == NO_WAY && got.evicted && got.eviction.forced && got.eviction.line_address == A);
    cr_expect(!rig_holds(&r, A));
    rig_access(&r, LOAD(A, .size = 32));
    got = rig_access(&r, STORE(A + 32, .size = 32)); /* a sector absent from the line is no hit, though whole */
    cr_expect(got.outcome == GPC_SECTOR_MISS && !got.hit_sectors && got.write_sectors == 2 && !rig_holds(&r, A));
    measured_cache s = rig_stats(&r);
    cr_expect(s.writes == 3 && s.write_hits == 1 && s.write_sector_hits == 1 && s.invalidations == 2 &&
              s.evictions == 0);
    cr_expect(s.write_below_sectors == 4 + 1 + 1 && s.write_backs == 0);
    rig_close(&r);
}

/* Local memory has separate rules: here it is written back, and global memory through. */
Test(writes, local_and_global) {
    rig r;
    rig_init(&r);
    r.options.write_policy = GPC_WRITE_EVICT;
    r.options.write_policy_local = GPC_WRITE_BACK;
    r.options.write_allocate_local = GPC_WRITE_FETCH;
    rig_open(&r);
    gpc_access_result got = rig_access(&r, STORE(A, .size = 4, .space = GPC_SPACE_LOCAL));
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 1 && !got.write_sectors);
    cr_expect_eq(rig_line(&r, A).dirty_sectors, 1);
    got = rig_access(&r, STORE(A, .size = 4));
    cr_expect(got.evicted && got.eviction.dirty_sectors == 1 && got.write_sectors == 1);
    cr_expect(got.eviction.dirty_bytes[0] == UINT64_MAX && got.eviction.dirty_bytes[1] == UINT64_MAX);
    rig_close(&r);
}

/* -- lazy fetch */

Test(writes, lazy_fetch) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_LAZY_FETCH);
    gpc_access_result got = rig_access(&r, STORE(A, .size = 16));
    cr_expect(got.outcome == GPC_MISS && !got.fetch_sectors && !got.write_sectors && got.way == 0);
    gpc_line line = rig_line(&r, A);
    cr_expect(!line.valid_sectors && line.dirty_sectors == 1 && line.written_bytes[0] == 0xffff);
    got = rig_access(&r, LOAD(A, .size = 4)); /* read bytes equal written bytes, but a sector is read whole */
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.fetch_sectors == 1);
    got = rig_access(&r, STORE(A + 40, .size = 8));
    cr_expect(got.outcome == GPC_SECTOR_MISS && !got.fetch_sectors);
    got = rig_access(&r, STORE(A + 48, .size = 16)); /* bytes 40..63 of sector 1: not yet all */
    cr_expect_eq(rig_line(&r, A).valid_sectors, 1);
    got = rig_access(&r, STORE(A + 32, .size = 8));
    cr_expect_eq(rig_line(&r, A).valid_sectors, 3, "byte by byte, sector 1 is whole");
    cr_expect_eq(rig_access(&r, LOAD(A, .size = 64)).outcome, GPC_HIT);
    rig_load(&r, B);
    got = rig_access(&r, LOAD_LINE(C));
    cr_expect(got.eviction.line_address == A && got.eviction.dirty_sectors == 3 && got.eviction.valid_sectors == 3);
    cr_expect_eq(got.eviction.dirty_bytes[0], 0xffffffff0000ffff, "only what was written");
    cr_expect_eq(got.eviction.dirty_bytes[1], 0);
    rig_close(&r);
}

Test(writes, lazy_bytes_are_forgotten_by_a_flush) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_LAZY_FETCH);
    rig_access(&r, STORE(A, .size = 16));
    uint64_t sectors;
    cr_assert_eq(gpc_cache_flush(r.cache, &sectors, NULL), GPC_OK);
    cr_expect_eq(sectors, 1);
    gpc_line line = rig_line(&r, A);
    cr_expect(!line.valid_sectors && !line.dirty_sectors && !line.written_bytes[0]);
    rig_access(&r, STORE(A + 16, .size = 16));
    cr_expect_eq(rig_line(&r, A).valid_sectors, 0, "the other half is below");
    cr_expect_eq(rig_line(&r, A).written_bytes[0], 0xffff0000);
    rig_close(&r);
}

/* A new line in a way has no bytes of the previous line. */
Test(writes, lazy_bytes_leave_with_their_line) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_LAZY_FETCH);
    rig_access(&r, STORE(A, .size = 16));
    cr_assert_eq(gpc_cache_invalidate_line(r.cache, A, NULL), GPC_OK);
    rig_access(&r, STORE(A + 16, .size = 16));
    gpc_line line = rig_line(&r, A);
    cr_expect(!line.valid_sectors && line.written_bytes[0] == 0xffff0000);
    rig_close(&r);
}

/* -- fetch granularity */

Test(writes, groups_of_sectors_are_fetched) {
    rig r;
    rig_init(&r);
    r.options.sectors = 8; /* of 16 bytes */
    r.options.fetch_sectors = 4;
    rig_open(&r);
    cr_expect_eq(rig_access(&r, LOAD(A, .sector_mask = 0x04)).fetch_sectors, 0x0f);
    cr_expect_eq(rig_access(&r, LOAD(A, .sector_mask = 0x81)).fetch_sectors, 0xf0);
    gpc_access_result got = rig_access(&r, STORE(B + 8, .size = 24)); /* half of sector 0, all of sector 1 */
    cr_expect_eq(got.fetch_sectors, 0x0d, "the group, but not what is written whole");
    cr_expect_eq(rig_line(&r, B).valid_sectors, 0x0f);
    cr_expect_eq(rig_access(&r, LOAD(C, .sector_mask = 0x18)).fetch_sectors, 0xff);
    rig_close(&r);
}

/* -- atomics */

Test(writes, atomics_below) {
    rig r;
    open_with(&r, GPC_WRITE_BACK, GPC_WRITE_FETCH);
    gpc_access_result got = rig_access(&r, ATOMIC(A, .size = 4));
    cr_expect(got.outcome == GPC_BYPASSED && got.needed_sectors == 1 && !got.fetch_sectors && !got.write_sectors);
    rig_access(&r, STORE(A, .size = 32));
    rig_load(&r, B);
    got = rig_access(&r, ATOMIC(A + 64, .size = 4));
    cr_expect(got.outcome == GPC_BYPASSED && !got.hit_sectors && got.way == NO_WAY);
    cr_expect(got.evicted && got.eviction.forced && got.eviction.dirty_sectors == 1 &&
                  got.eviction.dirty_bytes[0] == 0xffffffff,
              "its dirty bytes go before it");
    cr_expect(!rig_holds(&r, A) && rig_holds(&r, B));
    measured_cache s = rig_stats(&r);
    cr_expect(s.atomics == 2 && s.atomic_sectors == 2 && !s.atomic_sector_hits && s.invalidations == 1);
    cr_expect(!s.bypasses && s.line_misses == 2, "the store and the load");
    rig_close(&r);
}

Test(writes, atomics_here) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    r.options.atomics_here = 1;
    r.options.predictor = "always-bypass";
    rig_open(&r);
    gpc_access_result got = rig_access(&r, (gpc_request){.address = A, .kind = GPC_REDUCTION, .size = 4});
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 1 && !got.write_sectors, "no predictor is asked");
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 1 && line.dirty_sectors == 1);
    got = rig_access(&r, ATOMIC(A + 28, .size = 8));
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.hit_sectors == 1 && got.fetch_sectors == 2);
    cr_expect_eq(rig_line(&r, A).dirty_sectors, 3);
    measured_cache s = rig_stats(&r);
    cr_expect(s.atomics == 2 && s.atomic_sectors == 3 && s.atomic_sector_hits == 1 && s.sector_misses == 1);
    rig_close(&r);
}

Test(writes, atomics_of_a_write_through_cache) {
    rig r;
    rig_init(&r);
    r.options.atomics_here = 1;
    r.options.write_policy = GPC_WRITE_THROUGH;
    rig_open(&r);
    gpc_access_result got = rig_access(&r, ATOMIC(A, .size = 4));
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 1 && got.write_sectors == 1);
    cr_expect(rig_holds(&r, A) && !rig_line(&r, A).dirty_sectors);
    rig_close(&r);
}
