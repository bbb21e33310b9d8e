/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

/* Whole accesses, worked out by hand. 32-byte sectors where a line has four. */

#define A 0u
#define B 128u
#define C 256u

static void expect_counters(const rig *r, const measured_cache *expected) {
    measured_cache got = rig_stats(r);
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals)                         \
    cr_expect_eq(got.field, expected->field, name " is %llu, not %llu", (unsigned long long)got.field, \
                 (unsigned long long)expected->field);
    GPC_CACHE_COUNTERS(X)
#undef X
}

/*
 * Ten accesses to a set of two ways, then a flush and an invalidation. Sector masks in binary, sector 0 last.
 *
 *                                     outcome        needs  hits   fetches   after it
 *   1  load A, bytes 0..63, warp 0    miss           0011   0000   0011      A 0011
 *   2  load A, bytes 32..35, warp 0   hit            0010   0010
 *   3  load A, bytes 32..95, warp 1   sector miss    0110   0010   0100      A 0111
 *   4  store A, bytes 96..99          sector miss    1000   0000   1000      A 1111, dirty 1000
 *   5  store B, bytes 0..31           miss           0001   0000   0000      B 0001, dirty 0001: a whole sector
 *   6  load A, bytes 96..99, warp 1   hit            1000   1000
 *   7  load C, whole, warp 2          miss           1111   0000   1111      C for B, which was dirty and never hit
 *   8  prefetch C, whole, warp 2      hit            1111   1111
 *   9  atomic A, bytes 0..3           hit            0001   0001             A dirty 1001
 *  10  load B, bytes 0..31, warp 0    miss           0001   0000   0001      B for C, clean
 */
static const gpc_request ten[10] = {
    {.address = A, .size = 64},
    {.address = A + 32, .size = 4},
    {.address = A + 32, .size = 64, .warp = 1},
    {.address = A + 96, .size = 4, .kind = GPC_STORE},
    {.address = B, .size = 32, .kind = GPC_STORE},
    {.address = A + 96, .size = 4, .warp = 1},
    {.address = C + 5, .warp = 2},
    {.address = C, .kind = GPC_PREFETCH, .warp = 2},
    {.address = A, .size = 4, .kind = GPC_ATOMIC},
    {.address = B, .size = 32},
};

static const gpc_access_result ten_results[10] = {
    {.outcome = GPC_MISS, .needed_sectors = 3, .fetch_sectors = 3},
    {.outcome = GPC_HIT, .needed_sectors = 2, .hit_sectors = 2},
    {.outcome = GPC_SECTOR_MISS, .needed_sectors = 6, .hit_sectors = 2, .fetch_sectors = 4},
    {.outcome = GPC_SECTOR_MISS, .needed_sectors = 8, .fetch_sectors = 8},
    {.outcome = GPC_MISS, .needed_sectors = 1, .way = 1},
    {.outcome = GPC_HIT, .needed_sectors = 8, .hit_sectors = 8},
    {.outcome = GPC_MISS, .needed_sectors = 15, .fetch_sectors = 15, .evicted = 1, .way = 1},
    {.outcome = GPC_HIT, .needed_sectors = 15, .hit_sectors = 15, .way = 1},
    {.outcome = GPC_HIT, .needed_sectors = 1, .hit_sectors = 1},
    {.outcome = GPC_MISS, .needed_sectors = 1, .fetch_sectors = 1, .evicted = 1, .way = 1},
};

/* In the order of counted accesses. */
static const measured_cache ten_counters = {
    .reads = 7,
    .read_hits = 3,
    .read_sectors = 2 + 1 + 2 + 1 + 4 + 4 + 1,
    .read_sector_hits = 0 + 1 + 1 + 1 + 0 + 4 + 0,
    .writes = 2,
    .write_hits = 1,
    .write_sectors = 1 + 1,
    .write_sector_hits = 0 + 1,
    .atomics = 1,
    .atomic_sectors = 1,
    .atomic_sector_hits = 1,
    .sector_misses = 2,
    .line_misses = 4,
    .fetched_sectors = 2 + 1 + 1 + 0 + 4 + 1,
    .fills = 4,
    .evictions = 2,
    .zero_reuse_evictions = 1,
    .write_backs = 1 + 1,
    .write_back_sectors = 1 + 2,
    .invalidations = 2,
    .intra_warp_hits = 2,
    .inter_warp_hits = 1,
};

static void same_fields(int access, const gpc_access_result *got, const gpc_access_result *expected) {
    cr_expect_eq(got->outcome, expected->outcome, "access %d: outcome %u", access, got->outcome);
    cr_expect_eq(got->needed_sectors, expected->needed_sectors, "access %d: needs %x", access, got->needed_sectors);
    cr_expect_eq(got->hit_sectors, expected->hit_sectors, "access %d: hits %x", access, got->hit_sectors);
    cr_expect_eq(got->fetch_sectors, expected->fetch_sectors, "access %d: fetches %x", access, got->fetch_sectors);
    cr_expect_eq(got->evicted, expected->evicted, "access %d", access);
    cr_expect_eq(got->way, expected->way, "access %d: way %u", access, got->way);
    cr_expect(!got->write_sectors && !got->set && !got->policy_word, "access %d", access);
}

Test(access, ten_accesses) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    r.options.track_reuse = r.options.track_warps = r.options.atomics_here = 1;
    rig_open(&r);
    gpc_access_result got[10];
    for (int i = 0; i < 10; i++) {
        got[i] = rig_access(&r, ten[i]);
        same_fields(i + 1, &got[i], &ten_results[i]);
    }
    const gpc_eviction *b = &got[6].eviction, *c = &got[9].eviction;
    cr_expect(b->line_address == B && b->dirty_sectors == 1 && b->valid_sectors == 1 && !b->reuse_count);
    cr_expect_eq(b->dirty_bytes[0], 0xffffffffu);
    cr_expect(c->line_address == C && !c->dirty_sectors && c->reuse_count == 1);
    uint64_t sectors;
    cr_assert_eq(gpc_cache_flush(r.cache, &sectors, NULL), GPC_OK);
    cr_expect_eq(sectors, 2, "A's sectors 0 and 3");
    cr_assert_eq(gpc_cache_invalidate_all(r.cache, NULL), GPC_OK);
    expect_counters(&r, &ten_counters);
    gpc_cache_reset_stats(r.cache);
    const measured_cache zero = {0};
    expect_counters(&r, &zero);
    rig_close(&r);
}

/* -- bytes and sectors */

Test(access, sectors_of_a_request) {
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    r.options.write_policy = GPC_WRITE_THROUGH;
    r.options.write_allocate = GPC_WRITE_NO_ALLOCATE;
    rig_open(&r);
    const struct {
        gpc_request request;
        uint8_t needed, written;
        uint64_t bytes[2];
    } cases[] = {
        {LOAD_LINE(A), 15, 0, {0, 0}},
        {LOAD(A + 127, .size = 1), 8, 0, {0, 0}},
        {LOAD(A + 31, .size = 2), 3, 0, {0, 0}},
        {LOAD(A + 31, .size = 2, .sector_mask = 4), 4, 0, {0, 0}},
        {LOAD(A + 3, .byte_mask = {1, 1}), 15, 0, {0, 0}}, /* a mask of bytes is for stores */
        {STORE_LINE(A), 15, 15, {UINT64_MAX, UINT64_MAX}},
        {STORE(A + 62, .size = 4), 6, 6, {(uint64_t)3 << 62, 3}},
        {STORE(A, .sector_mask = 5), 5, 5, {0xffffffff, 0xffffffff}},
        {STORE(A, .byte_mask = {0, (uint64_t)1 << 40}), 8, 8, {0, (uint64_t)1 << 40}},
        {STORE(A, .size = 32, .byte_mask = {0xff, 0xff}), 1, 1, {0xff, 0}}, /* bytes outside are not written */
        {STORE(A, .sector_mask = 2, .byte_mask = {UINT64_MAX, 1}), 2, 2, {(uint64_t)0xffffffff << 32, 0}},
        {STORE(A + 8, .sector_mask = 3, .size = 64), 3, 3, {(uint64_t)0xffffffffffffff << 8, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpc_access_result got = rig_access(&r, cases[i].request);
        cr_expect_eq(got.needed_sectors, cases[i].needed, "case %zu: needs %x", i, got.needed_sectors);
        cr_expect_eq(got.write_sectors, cases[i].written, "case %zu: writes %x", i, got.write_sectors);
        cr_expect_eq(got.write_bytes[0], cases[i].bytes[0], "case %zu: %llx", i,
                     (unsigned long long)got.write_bytes[0]);
        cr_expect_eq(got.write_bytes[1], cases[i].bytes[1], "case %zu: %llx", i,
                     (unsigned long long)got.write_bytes[1]);
    }
    rig_close(&r);
}

typedef gpc_status (*plain_step)(gpc_cache *, const gpc_request *, gpc_access_result *, gpc_error *);

static gpc_status probe(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error) {
    return gpc_cache_probe(cache, request, result, error);
}

static gpc_status reserve(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error) {
    return gpc_cache_reserve(cache, request, 1, result, error);
}

static gpc_status fill(gpc_cache *cache, const gpc_request *request, gpc_access_result *result, gpc_error *error) {
    return gpc_cache_fill(cache, request, 1, result, error);
}

static void refuse(rig *r, gpc_request request, const char *why) {
    static const plain_step steps[] = {gpc_cache_access, gpc_cache_lookup, reserve, fill, probe};
    gpc_access_result result;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        cr_expect_eq(steps[i](r->cache, &request, &result, NULL), GPC_ERROR_ARGUMENT, "%s, step %zu", why, i);
}

Test(access, malformed_requests) {
    rig r;
    rig_init(&r);
    r.options.sectors = 2;
    r.options.line_bytes = 64;
    rig_open(&r);
    rig_load(&r, A);
    measured_cache before = rig_stats(&r);
    refuse(&r, (gpc_request){.kind = GPC_KIND_COUNT}, "kind");
    refuse(&r, (gpc_request){.space = GPC_SPACE_SHARED}, "space");
    refuse(&r, (gpc_request){.space = 255}, "space");
    refuse(&r, (gpc_request){.hint = GPC_HINT_COUNT}, "hint");
    refuse(&r, (gpc_request){.priority = GPC_PRIORITY_COUNT}, "priority");
    refuse(&r, (gpc_request){.sector_mask = 4}, "sector");
    refuse(&r, (gpc_request){.size = 65}, "size");
    refuse(&r, (gpc_request){.address = 63, .size = 2}, "beyond the line");
    refuse(&r, (gpc_request){.address = 1, .size = UINT32_MAX}, "size that wraps");
    refuse(&r, (gpc_request){.kind = GPC_STORE, .byte_mask = {0, 1}}, "byte beyond the line");
    expect_counters(&r, &before);
    cr_expect_eq(rig_lines(&r), 1);
    gpc_request good = {.address = A};
    gpc_access_result result;
    cr_expect_eq(gpc_cache_access(NULL, &good, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_access(r.cache, NULL, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_lookup(NULL, &good, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_lookup(r.cache, NULL, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_reserve(NULL, &good, 1, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_reserve(r.cache, NULL, 1, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_reserve(r.cache, &good, 4, &result, NULL), GPC_ERROR_ARGUMENT, "a sector that no line has");
    cr_expect_eq(gpc_cache_fill(NULL, &good, 1, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_fill(r.cache, NULL, 1, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_fill(r.cache, &good, 4, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_probe(NULL, &good, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_probe(r.cache, NULL, &result, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_probe(r.cache, &good, NULL, NULL), GPC_ERROR_ARGUMENT);
    expect_counters(&r, &before);
    cr_expect_eq(gpc_cache_access(r.cache, &good, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_cache_lookup(r.cache, &good, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_cache_reserve(r.cache, &good, 1, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_cache_fill(r.cache, &good, 1, NULL, NULL), GPC_OK);
    rig_close(&r);
}

/* -- geometry */

Test(access, one_way_one_set) {
    rig r;
    rig_init(&r);
    r.options.ways = 1;
    rig_open(&r);
    cr_expect_eq(rig_load(&r, A), GPC_MISS);
    cr_expect_eq(rig_load(&r, A + 127), GPC_HIT);
    cr_expect_eq(rig_load(&r, B), GPC_MISS);
    cr_expect_eq(rig_load(&r, A), GPC_MISS);
    cr_expect_eq(rig_lines(&r), 1);
    rig_close(&r);
}

Test(access, three_sets) {
    rig r;
    rig_init(&r);
    r.options.sets = 3;
    r.options.ways = 1;
    rig_open(&r);
    for (uint64_t line = 0; line < 12; line++)
        cr_expect_eq(rig_access(&r, LOAD_LINE(line * 128)).set, line % 3);
    for (uint64_t line = 0; line < 12; line++)
        cr_expect_eq(rig_holds(&r, line * 128), line >= 9, "line %llu", (unsigned long long)line);
    rig_close(&r);
}

Test(access, a_thousand_and_twenty_four_ways) {
    rig r;
    rig_init(&r);
    r.options.ways = 1024;
    rig_open(&r);
    for (uint64_t line = 0; line < 1024; line++) {
        gpc_access_result got = rig_access(&r, LOAD_LINE(line * 128));
        cr_expect(got.outcome == GPC_MISS && got.way == line && !got.evicted, "the lowest free way");
    }
    for (uint64_t line = 0; line < 1024; line++)
        cr_expect_eq(rig_load(&r, line * 128), GPC_HIT);
    gpc_access_result got = rig_access(&r, LOAD_LINE(1024 * 128));
    cr_expect(got.evicted && got.eviction.line_address == 0 && got.way == 0, "the least recently used is the first");
    cr_expect_eq(rig_lines(&r), 1024);
    rig_close(&r);
}

/* A line as large as a page: sectors of 512 bytes, no byte masks. */
Test(access, lines_of_4096_bytes) {
    rig r;
    rig_init(&r);
    r.options.line_bytes = 4096;
    r.options.sectors = 8;
    rig_open(&r);
    gpc_access_result got = rig_access(&r, LOAD(4096 + 511, .size = 2));
    cr_expect(got.outcome == GPC_MISS && got.needed_sectors == 3 && got.fetch_sectors == 3);
    got = rig_access(&r, STORE(4096 + 1000, .size = 2000)); /* bytes 1000..2999: sectors 1 to 5, 2 to 4 whole */
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.needed_sectors == 0x3e && got.hit_sectors == 2);
    cr_expect_eq(got.fetch_sectors, 0x20, "sector 5 is written in part; sector 1 is there");
    gpc_line line = rig_line(&r, 4096);
    cr_expect(line.valid_sectors == 0x3f && line.dirty_sectors == 0x3e);
    got =
        rig_access(&r, STORE(8192, .sector_mask = 0x80, .size = 4096)); /* the interval covers more than the sectors */
    cr_expect(got.outcome == GPC_MISS && got.needed_sectors == 0x80 && !got.fetch_sectors);
    cr_expect_eq(rig_stats(&r).write_sector_hits, 1 + 3 + 1, "sector 1, then 2 to 4 whole, then 7 whole");
    cr_expect_eq(rig_line(&r, 8192).valid_sectors, 0x80);
    got = rig_access(&r, LOAD_LINE(12288));
    cr_expect(got.evicted && got.eviction.dirty_sectors == 0x3e && !got.eviction.dirty_bytes[0] &&
              !got.eviction.dirty_bytes[1]);
    gpc_request masked = STORE(4096, .byte_mask = {1, 0});
    cr_expect_eq(gpc_cache_access(r.cache, &masked, NULL, NULL), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

/* Line numbers that differ only above bit 30 are different lines. */
Test(access, far_lines) {
    static const uint64_t far[] = {0, (uint64_t)1 << 31, (uint64_t)1 << 32, (uint64_t)1 << 56};
    rig r;
    rig_init(&r);
    r.options.ways = 4;
    rig_open(&r);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(rig_load(&r, far[i] * 128), GPC_MISS);
    for (int i = 0; i < 4; i++) {
        gpc_access_result got = rig_access(&r, LOAD_LINE(far[i] * 128));
        cr_expect(got.outcome == GPC_HIT && got.way == (uint32_t)i);
        cr_expect_eq(rig_line(&r, far[i] * 128).way, (uint32_t)i);
    }
    cr_assert_eq(gpc_cache_invalidate_line(r.cache, far[2] * 128, NULL), GPC_OK);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(rig_holds(&r, far[i] * 128), i != 2);
    gpc_access_result got = rig_access(&r, LOAD_LINE(far[2] * 128 + 128 * 2));
    cr_expect(got.way == 2 && !got.evicted);
    got = rig_access(&r, LOAD_LINE(far[3] * 256 + 128));
    cr_expect(got.evicted && got.eviction.line_address == 0);
    rig_close(&r);
}

/* -- priorities */

static gpc_access_result load_with(rig *r, uint64_t address, uint8_t priority) {
    return rig_access(r, LOAD(address, .priority = priority));
}

Test(access, first_leaves_before_normal_before_last) {
    rig r;
    rig_init(&r);
    r.options.ways = 4;
    rig_open(&r);
    load_with(&r, 0 * 128, GPC_EVICT_LAST);
    load_with(&r, 1 * 128, GPC_EVICT_NORMAL);
    load_with(&r, 2 * 128, GPC_EVICT_FIRST);
    load_with(&r, 3 * 128, GPC_EVICT_FIRST);
    static const uint64_t leaves[] = {2, 3, 1, 4, 5}; /* FIRST, oldest first; then NORMAL, oldest first; line 0 stays */
    for (uint64_t i = 0; i < 5; i++)
        cr_expect_eq(rig_access(&r, LOAD_LINE((4 + i) * 128)).eviction.line_address, leaves[i] * 128, "miss %d",
                     (int)i);
    for (uint64_t i = 9; i < 12; i++)
        load_with(&r, i * 128, GPC_EVICT_LAST); /* replace the three NORMAL ones */
    cr_expect(rig_holds(&r, 0));
    cr_expect_eq(load_with(&r, 20 * 128, GPC_EVICT_NORMAL).eviction.line_address, 0, "only LAST left: the oldest goes");
    rig_close(&r);
}

/* An access sets the line's priority; the default leaves it unchanged. Whole-line loads do the same. */
Test(access, hits_change_priorities) {
    rig r;
    rig_init(&r);
    r.options.ways = 3;
    rig_open(&r);
    for (uint64_t line = 0; line < 3; line++)
        rig_load(&r, line * 128);
    load_with(&r, 0, GPC_EVICT_LAST);
    rig_load(&r, 0);
    rig_load(&r, 128);
    rig_load(&r, 256);
    cr_expect_eq(rig_line(&r, 0).priority, GPC_EVICT_LAST);
    cr_expect_eq(rig_access(&r, LOAD_LINE(3 * 128)).eviction.line_address, 128, "not the oldest, which is to stay");
    cr_expect_eq(load_with(&r, 3 * 128, GPC_EVICT_FIRST).outcome, GPC_HIT);
    cr_expect_eq(rig_access(&r, LOAD_LINE(4 * 128)).eviction.line_address, 3 * 128, "used for the last time");
    rig_close(&r);
}

/* The priority of a line leaves with the line. */
Test(access, priorities_do_not_stay_with_the_way) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    load_with(&r, A, GPC_EVICT_FIRST);
    rig_load(&r, B);
    rig_load(&r, C); /* replaces A */
    cr_expect_eq(rig_line(&r, C).priority, GPC_EVICT_NORMAL);
    cr_expect_eq(rig_access(&r, LOAD_LINE(3 * 128)).eviction.line_address, B);
    rig_close(&r);
}

/* last_ways ways are for lines of LAST; one more takes another's, or is NORMAL in a free way. */
Test(access, last_in_so_many_ways) {
    rig r;
    rig_init(&r);
    r.options.ways = 4;
    r.options.last_ways = 2;
    rig_open(&r);
    load_with(&r, 0 * 128, GPC_EVICT_LAST);
    load_with(&r, 1 * 128, GPC_EVICT_NORMAL);
    load_with(&r, 2 * 128, GPC_EVICT_LAST);
    load_with(&r, 3 * 128, GPC_EVICT_LAST);
    cr_expect_eq(rig_line(&r, 2 * 128).priority, GPC_EVICT_LAST);
    cr_expect_eq(rig_line(&r, 3 * 128).priority, GPC_EVICT_NORMAL, "in a free way, beyond the two");
    load_with(&r, 1 * 128, GPC_EVICT_LAST);
    cr_expect_eq(rig_line(&r, 1 * 128).priority, GPC_EVICT_NORMAL, "nor by a hit");
    cr_expect_eq(load_with(&r, 4 * 128, GPC_EVICT_LAST).eviction.line_address, 0, "the oldest of the two");
    cr_expect_eq(rig_line(&r, 4 * 128).priority, GPC_EVICT_LAST);
    cr_expect_eq(load_with(&r, 5 * 128, GPC_EVICT_NORMAL).eviction.line_address, 3 * 128);
    cr_expect_eq(load_with(&r, 6 * 128, GPC_EVICT_FIRST).eviction.line_address, 1 * 128);
    cr_expect_eq(load_with(&r, 2 * 128, GPC_EVICT_FIRST).outcome, GPC_HIT);
    cr_expect_eq(load_with(&r, 5 * 128, GPC_EVICT_LAST).outcome, GPC_HIT);
    cr_expect_eq(rig_line(&r, 5 * 128).priority, GPC_EVICT_LAST, "room came free");
    rig_close(&r);

    rig_init(&r);
    r.options.last_ways = GPC_NO_LAST_WAYS;
    rig_open(&r);
    load_with(&r, 0, GPC_EVICT_LAST);
    cr_expect_eq(rig_line(&r, 0).priority, GPC_EVICT_NORMAL);
    load_with(&r, 128, GPC_EVICT_NORMAL);
    load_with(&r, 0, GPC_EVICT_LAST);
    cr_expect_eq(rig_access(&r, LOAD_LINE(256)).eviction.line_address, 128);
    cr_expect_eq(rig_line(&r, 0).priority, GPC_EVICT_NORMAL);
    rig_close(&r);
}
