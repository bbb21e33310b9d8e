/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>

/* lookup, reserve and fill, worked out by hand. */

#define A 0u
#define B 128u
#define C 256u
#define D 384u

static void open_sectored(rig *r, uint32_t sectors, uint32_t allocate) {
    rig_init(r);
    r->options.sectors = sectors;
    r->options.allocate = allocate;
    rig_open(r);
}

/* Two sectors of 64 bytes, allocate on miss: the example in the steps' source. */
Test(steps, worked_example) {
    rig r;
    open_sectored(&r, 2, GPC_ALLOCATE_ON_MISS);
    gpc_request low = LOAD(A, .size = 64), both = LOAD_LINE(A);
    gpc_access_result got = rig_lookup(&r, low);
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 1 && got.way == NO_WAY);
    cr_expect_eq(rig_lines(&r), 0, "a lookup moves nothing");
    got = rig_reserve(&r, low, 1);
    cr_expect(got.outcome == GPC_MISS && got.way == 0 && got.fetch_sectors == 1 && !got.evicted);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 0 && line.pending_sectors == 1);
    got = rig_fill(&r, low, 1);
    cr_expect(got.way == 0 && !got.evicted);
    line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 1 && line.pending_sectors == 0);

    got = rig_lookup(&r, both);
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.hit_sectors == 1 && got.fetch_sectors == 2 && got.way == 0);
    got = rig_reserve(&r, both, 2);
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.way == 0);
    line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 1 && line.pending_sectors == 2);
    rig_fill(&r, both, 2);
    got = rig_lookup(&r, both);
    cr_expect(got.outcome == GPC_HIT && got.hit_sectors == 3 && !got.fetch_sectors);
    measured_cache s = rig_stats(&r);
    cr_expect(s.reads == 3 && s.line_misses == 1 && s.sector_misses == 1 && s.read_hits == 1 && s.fills == 1);
    cr_expect(s.fetched_sectors == 2 && s.read_sectors == 5 && s.read_sector_hits == 3);
    rig_close(&r);
}

Test(steps, pending_hits) {
    rig r;
    open_sectored(&r, 4, GPC_ALLOCATE_ON_MISS);
    gpc_request first = LOAD(A, .size = 32), two = LOAD(A, .size = 64);
    rig_lookup(&r, first);
    rig_reserve(&r, first, 1);
    cr_expect_eq(rig_probe(&r, A).outcome, GPC_SECTOR_MISS);
    gpc_access_result got = rig_lookup(&r, first);
    cr_expect(got.outcome == GPC_PENDING_HIT && got.hit_sectors == 1 && !got.fetch_sectors);
    got = rig_lookup(&r, two);
    cr_expect(got.outcome == GPC_SECTOR_MISS && got.hit_sectors == 1 && got.fetch_sectors == 2,
              "what is under way comes");
    rig_reserve(&r, two, 2);
    gpc_request whole = LOAD(A, .size = 64);
    gpc_access_result probed;
    cr_assert_eq(gpc_cache_probe(r.cache, &whole, &probed, NULL), GPC_OK);
    cr_expect(probed.outcome == GPC_PENDING_HIT && probed.hit_sectors == 3);
    rig_fill(&r, two, 2);
    cr_expect_eq(rig_lookup(&r, whole).outcome, GPC_PENDING_HIT, "one of the two is still missing");
    rig_fill(&r, first, 1);
    cr_expect_eq(rig_lookup(&r, whole).outcome, GPC_HIT);
    measured_cache s = rig_stats(&r);
    cr_expect(s.pending_sector_hits == 1 + 1 + 1 && s.read_hits == 3 && s.read_sector_hits == 1 + 1 + 2 + 2);
    rig_close(&r);
}

Test(steps, no_victim) {
    rig r;
    open_sectored(&r, 0, GPC_ALLOCATE_ON_MISS);
    gpc_request a = LOAD_LINE(A), b = LOAD_LINE(B), c = LOAD_LINE(C), d = LOAD_LINE(D);
    rig_lookup(&r, a);
    rig_reserve(&r, a, 1);
    rig_lookup(&r, b);
    rig_reserve(&r, b, 1);
    rig_lookup(&r, c);
    for (int i = 0; i < 3; i++) {
        gpc_access_result got = rig_reserve(&r, c, 1);
        cr_expect(got.outcome == GPC_NO_VICTIM && got.way == NO_WAY && !got.evicted && !got.fetch_sectors);
    }
    cr_expect(rig_holds(&r, A) && rig_holds(&r, B) && !rig_holds(&r, C));
    cr_expect_eq(rig_stats(&r).no_victims, 3);
    cr_expect_eq(rig_stats(&r).bypasses, 0);
    rig_fill(&r, b, 1);
    gpc_access_result got = rig_reserve(&r, c, 1);
    cr_expect(got.outcome == GPC_MISS && got.eviction.line_address == B, "A is older, but pending");
    got = rig_access(&r, d); /* at once, while both ways are pending */
    cr_expect(got.outcome == GPC_NO_VICTIM && got.fetch_sectors == 1 && got.way == NO_WAY);
    cr_expect_eq(rig_access(&r, STORE_LINE(D)).write_sectors, 1, "a write goes below instead");
    cr_expect_eq(rig_stats(&r).bypasses, 0);
    rig_fill(&r, a, 1);
    rig_fill(&r, c, 1);
    cr_expect_eq(rig_load(&r, D), GPC_MISS);
    cr_expect(rig_holds(&r, D) && !rig_holds(&r, A));
    rig_close(&r);
}

Test(steps, dropped_while_under_way) {
    rig r;
    open_sectored(&r, 0, GPC_ALLOCATE_ON_MISS);
    gpc_request a = LOAD_LINE(A), b = LOAD_LINE(B);
    rig_lookup(&r, a);
    rig_reserve(&r, a, 1);
    rig_lookup(&r, b);
    rig_reserve(&r, b, 1);
    cr_assert_eq(gpc_cache_invalidate_line(r.cache, A, NULL), GPC_OK);
    cr_expect(!rig_holds(&r, A));
    gpc_access_result got = rig_load(&r, C) == GPC_MISS ? rig_probe(&r, C) : (gpc_access_result){0};
    cr_expect_eq(got.way, 0, "the freed way");
    got = rig_fill(&r, a, 1);
    cr_expect(got.outcome == GPC_MISS && got.evicted && got.eviction.line_address == C,
              "a fill without a way takes one");
    cr_expect_eq(rig_line(&r, A).valid_sectors, 1);
    cr_expect_eq(rig_line(&r, A).pending_sectors, 0);
    rig_close(&r);
}

static void nothing_until_the_fill(uint32_t allocate) {
    rig r;
    open_sectored(&r, 0, allocate);
    rig_load(&r, A);
    rig_load(&r, B);
    gpc_request c = LOAD_LINE(C), d = LOAD_LINE(D);
    rig_lookup(&r, c);
    rig_lookup(&r, d);
    cr_expect(rig_holds(&r, A) && rig_holds(&r, B));
    cr_expect_eq(rig_lookup(&r, c).outcome, GPC_MISS, "nothing marks it as under way");
    gpc_access_result got = rig_fill(&r, d, 1);
    cr_expect(got.outcome == GPC_MISS && got.eviction.line_address == A);
    got = rig_fill(&r, c, 1);
    cr_expect_eq(got.eviction.line_address, B);
    got = rig_fill(&r, c, 1); /* the second reply for C */
    cr_expect(got.outcome == GPC_SECTOR_MISS && !got.evicted && got.way == rig_probe(&r, C).way);
    cr_expect_eq(rig_stats(&r).fills, 4);
    rig_close(&r);
}

Test(steps, allocate_on_fill) {
    nothing_until_the_fill(GPC_ALLOCATE_ON_FILL);
}

Test(steps, allocate_streaming) {
    nothing_until_the_fill(GPC_ALLOCATE_STREAMING);
}

/* -- stores */

Test(steps, a_store_waits_for_its_fetch) {
    rig r;
    open_sectored(&r, 4, GPC_ALLOCATE_ON_MISS);
    gpc_request store = STORE(A + 16, .size = 48); /* half of sector 0, all of sector 1 */
    gpc_access_result got = rig_lookup(&r, store);
    cr_expect(got.outcome == GPC_MISS && got.fetch_sectors == 1);
    rig_reserve(&r, store, 1);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.pending_sectors == 1 && line.valid_sectors == 2);
    cr_expect_eq(line.dirty_sectors, 2, "sector 1 is here; the other's bytes wait");
    rig_fill(&r, store, 1);
    line = rig_line(&r, A);
    cr_expect(line.pending_sectors == 0 && line.valid_sectors == 3 && line.dirty_sectors == 3);
    rig_close(&r);
}

Test(steps, a_store_without_a_fetch_needs_no_fill) {
    rig r;
    open_sectored(&r, 4, GPC_ALLOCATE_ON_MISS);
    gpc_request store = STORE(A, .size = 32);
    gpc_access_result got = rig_lookup(&r, store);
    cr_expect(got.outcome == GPC_MISS && !got.fetch_sectors && !got.write_sectors);
    rig_reserve(&r, store, 0);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 1 && line.dirty_sectors == 1 && !line.pending_sectors);
    rig_close(&r);
}

/* Sent below by the lookup, such a store leaves no bytes to keep. */
Test(steps, a_store_that_never_allocates) {
    static const uint32_t rules[][2] = {{GPC_WRITE_BACK, GPC_WRITE_NO_ALLOCATE},
                                        {GPC_WRITE_THROUGH, GPC_WRITE_NO_ALLOCATE},
                                        {GPC_WRITE_EVICT, GPC_WRITE_FETCH}};
    for (size_t i = 0; i < 3; i++) {
        rig r;
        rig_init(&r);
        r.options.write_policy = rules[i][0];
        r.options.write_allocate = rules[i][1];
        rig_open(&r);
        gpc_request store = STORE_LINE(A);
        gpc_access_result got = rig_lookup(&r, store);
        cr_expect(got.outcome == GPC_MISS && got.write_sectors == 1 && !got.fetch_sectors);
        got = rig_reserve(&r, store, 0);
        cr_expect(got.outcome == GPC_BYPASSED && got.way == NO_WAY && !got.write_sectors && !got.fetch_sectors);
        cr_expect_eq(rig_fill(&r, store, 0).outcome, GPC_BYPASSED);
        cr_expect_eq(rig_lines(&r), 0);
        cr_expect_eq(rig_stats(&r).bypasses, 0, "nobody kept it from allocating");
        cr_expect_eq(rig_stats(&r).write_below_sectors, 1);
        rig_close(&r);
    }
}

/* Nor does an atomic that is performed below. */
Test(steps, an_atomic_that_passes) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    gpc_request atomic = ATOMIC(A, .size = 4);
    cr_expect_eq(rig_lookup(&r, atomic).outcome, GPC_BYPASSED);
    cr_expect_eq(rig_reserve(&r, atomic, 1).outcome, GPC_BYPASSED);
    cr_expect_eq(rig_fill(&r, atomic, 1).outcome, GPC_BYPASSED);
    cr_expect_eq(rig_lines(&r), 0);
    rig_close(&r);
}

/* An atomic needs data: while the data are in flight it must wait, until they arrive. */
Test(steps, an_atomic_on_a_pending_sector) {
    for (uint32_t allocate = GPC_WRITE_FETCH; allocate <= GPC_WRITE_LAZY_FETCH; allocate++) {
        rig r;
        rig_init(&r);
        r.options.sectors = 4;
        r.options.write_allocate = allocate;
        r.options.atomics_here = 1;
        rig_open(&r);
        gpc_request atomic = ATOMIC(A, .size = 4);
        cr_expect_eq(rig_lookup(&r, atomic).outcome, GPC_MISS);
        rig_reserve(&r, atomic, 1);
        gpc_access_result got = rig_lookup(&r, atomic);
        cr_expect(got.outcome == GPC_PENDING_HIT && got.hit_sectors == 1 && !got.fetch_sectors);
        cr_expect_eq(rig_lookup(&r, LOAD(A, .size = 4)).outcome, GPC_PENDING_HIT);
        cr_expect_eq(rig_line(&r, A).valid_sectors, 0);
        rig_fill(&r, atomic, 1);
        gpc_line line = rig_line(&r, A);
        cr_expect(line.valid_sectors == 1 && line.dirty_sectors == 1 && !line.pending_sectors);
        rig_close(&r);
    }
}

Test(steps, a_store_on_a_pending_sector) {
    rig r;
    open_sectored(&r, 4, GPC_ALLOCATE_ON_MISS);
    gpc_request load = LOAD(A, .size = 64);
    rig_lookup(&r, load);
    rig_reserve(&r, load, 3);
    gpc_access_result got = rig_lookup(&r, STORE(A, .size = 4));
    cr_expect(got.outcome == GPC_PENDING_HIT && got.hit_sectors == 1 && !got.fetch_sectors);
    cr_expect_eq(rig_lookup(&r, STORE(A + 32, .size = 32)).outcome, GPC_HIT, "a whole sector waits for nothing");
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 2 && line.pending_sectors == 3 && line.dirty_sectors == 3);
    rig_fill(&r, load, 3);
    line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 3 && !line.pending_sectors && line.dirty_sectors == 3);
    rig_close(&r);
}

/* Filled again by another route: no loss, no eviction. */
Test(steps, repeated_fills) {
    rig r;
    open_sectored(&r, 4, GPC_ALLOCATE_ON_MISS);
    gpc_request load = LOAD(A, .size = 32);
    rig_fill(&r, load, 1);
    rig_fill(&r, load, 1);
    rig_fill(&r, load, 8);
    gpc_line line = rig_line(&r, A);
    cr_expect(line.valid_sectors == 9 && rig_lines(&r) == 1);
    rig_close(&r);
}

static uint32_t below(uint64_t *random, uint32_t n) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % n);
}

/* A load or store of some bytes of one of four lines, all with room in the cache. */
static gpc_request any_request(uint64_t *random) {
    const uint32_t offset = below(random, 16) * 8, most = 128 - offset;
    gpc_request request = {.address = A + below(random, 4) * 128 + offset, .size = 8 * (1 + below(random, most / 8))};
    request.kind = below(random, 2) ? GPC_STORE : GPC_LOAD;
    request.space = below(random, 4) ? GPC_SPACE_GLOBAL : GPC_SPACE_LOCAL;
    return request;
}

/* A probe predicts the following lookup, for stores and with sectors in flight. */
Test(steps, a_probe_foretells_the_lookup) {
    for (uint32_t seed = 0; seed < 32; seed++) {
        const uint32_t policy = seed % 3, allocate = seed / 3 % 4, local = seed / 12 % 3;
        uint64_t random = seed + 1, coming[4] = {0};
        rig r;
        rig_init(&r);
        r.options.ways = 4;
        r.options.sectors = 4;
        r.options.write_policy = policy;
        r.options.write_policy_local = local;
        r.options.write_allocate = allocate;
        r.options.write_allocate_local = GPC_WRITE_NAIVE_FETCH;
        rig_open(&r);
        for (uint32_t n = 0; n < 400; n++) {
            const gpc_request request = any_request(&random);
            const uint32_t line = (uint32_t)(request.address - A) / 128;
            gpc_access_result probed;
            cr_assert_eq(gpc_cache_probe(r.cache, &request, &probed, NULL), GPC_OK);
            const gpc_access_result got = rig_lookup(&r, request);
            cr_assert(probed.outcome == got.outcome && probed.hit_sectors == got.hit_sectors,
                      "seed %u, request %u: %u is probed, %u is found", seed, n, probed.outcome, got.outcome);
            if (got.fetch_sectors || (got.outcome == GPC_MISS && !got.write_sectors)) {
                rig_reserve(&r, request, got.fetch_sectors);
                coming[line] |= got.fetch_sectors;
            }
            const uint32_t filled = below(&random, 4);
            if (coming[filled] && below(&random, 2)) {
                rig_fill(&r, (gpc_request){.address = A + filled * 128, .kind = GPC_LOAD}, (uint8_t)coming[filled]);
                coming[filled] = 0;
            }
        }
        rig_close(&r);
    }
}
