/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* gpc_cache_access_many by hand, and gpc_next_uses. Batches against single accesses: tests/oracle. */

#define COUNT 8

static const uint64_t addresses[COUNT] = {0, 128, 0, 256, 128, 130, 384, 0};

Test(batch, init_is_zero) {
    gpc_batch batch = GPC_BATCH_INIT;
    cr_expect_eq(batch.struct_size, sizeof batch);
    cr_expect(!batch.count && !batch.addresses && !batch.kinds && !batch.results && !batch.evicted && !batch.size);
}

/* One set, two ways, LRU; stores at 1, 3 and 7. */
Test(batch, by_hand) {
    static const uint8_t kinds[COUNT] = {0, 1, 0, 1, 0, 0, 0, 1};
    static const uint8_t expected[COUNT] = {
        0,                                        /* A in */
        0,                                        /* B in, dirty */
        GPC_BATCH_HIT,                            /* A */
        GPC_BATCH_EVICTED | GPC_BATCH_WRITE_BACK, /* C, dirty, for B, dirty */
        GPC_BATCH_EVICTED,                        /* B for A */
        GPC_BATCH_HIT,                            /* B */
        GPC_BATCH_EVICTED | GPC_BATCH_WRITE_BACK, /* D for C */
        GPC_BATCH_EVICTED,                        /* A for B, clean */
    };
    static const uint64_t evicted_expected[COUNT] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 128, 0, UINT64_MAX, 256, 128};
    rig r;
    rig_init(&r);
    rig_open(&r);
    uint8_t results[COUNT];
    uint64_t evicted[COUNT];
    size_t done;
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = COUNT, batch.addresses = addresses, batch.kinds = kinds;
    batch.results = results, batch.evicted = evicted;
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, &done, NULL), GPC_OK);
    cr_expect_eq(done, COUNT);
    for (int i = 0; i < COUNT; i++) {
        cr_expect_eq(results[i], expected[i], "access %d: %#x", i, results[i]);
        cr_expect_eq(evicted[i], evicted_expected[i], "access %d: %llx", i, (unsigned long long)evicted[i]);
    }
    measured_cache s = rig_stats(&r);
    cr_expect(s.reads == 5 && s.read_hits == 2 && s.writes == 3 && s.write_hits == 3 && s.line_misses == 6);
    cr_expect(s.evictions == 4 && s.write_backs == 2 && s.fetched_sectors == 3 && s.fills == 6);
    rig_close(&r);
}

/*
 * Lines with equal upper bits, above those of a tag, keep the cache narrow: the quick loops go on. The batch's first
 * address sets the upper bits, not an address behind the batch.
 */
Test(batch, narrow) {
    const uint64_t base = (uint64_t)0x123 << 44, at[5] = {base, base << 1, base + 128, base, base + 256};
    rig r;
    rig_init(&r);
    rig_open(&r);
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = 1, batch.addresses = at;
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
    cr_expect(!r.cache->tags.wide);
    batch.count = 3, batch.addresses = at + 2;
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
    cr_expect(!r.cache->tags.wide);
    cr_expect_eq(rig_stats(&r).read_hits, 1);
    batch.count = 1, batch.addresses = at + 1;
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
    cr_expect(r.cache->tags.wide);
    rig_close(&r);
}

/* Flags of a bypass, a missing sector and a write below. */
Test(batch, other_flags) {
    static const uint8_t kinds[3] = {GPC_LOAD, GPC_STORE, GPC_STORE};
    static const uint64_t at[3] = {0, 64, 1024};
    rig r;
    rig_init(&r);
    r.options.sectors = 4;
    r.options.write_policy = GPC_WRITE_THROUGH;
    rig_open(&r);
    uint8_t results[3];
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = 3, batch.addresses = at, batch.kinds = kinds, batch.results = results, batch.size = 4;
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
    cr_expect(results[0] == 0 && results[1] == (GPC_BATCH_SECTOR_MISS | GPC_BATCH_WRITE_BELOW) &&
              results[2] == GPC_BATCH_WRITE_BELOW);
    cr_assert_eq(gpc_cache_set_predictor(r.cache, "always-bypass", NULL), GPC_OK);
    cr_assert_eq(gpc_cache_invalidate_all(r.cache, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_OK);
    cr_expect(results[0] == GPC_BATCH_BYPASSED && results[1] == (GPC_BATCH_BYPASSED | GPC_BATCH_WRITE_BELOW));
    rig_close(&r);
}

Test(batch, refusals) {
    rig r;
    rig_init(&r);
    rig_open(&r);
    gpc_batch batch = GPC_BATCH_INIT;
    size_t done = 77;
    cr_expect_eq(gpc_cache_access_many(r.cache, &batch, &done, NULL), GPC_OK, "nothing to do");
    cr_expect_eq(done, 0);
    batch.count = COUNT;
    done = 77;
    cr_expect_eq(gpc_cache_access_many(r.cache, &batch, &done, NULL), GPC_ERROR_ARGUMENT, "no addresses");
    cr_expect_eq(done, 0);
    batch.addresses = addresses;
    done = 77;
    cr_expect_eq(gpc_cache_access_many(NULL, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(done, 0);
    cr_expect_eq(gpc_cache_access_many(r.cache, NULL, &done, NULL), GPC_ERROR_ARGUMENT);
    batch.size = 129;
    cr_expect_eq(gpc_cache_access_many(r.cache, &batch, NULL, NULL), GPC_ERROR_ARGUMENT, "larger than a line");
    batch.size = 0;
    batch.struct_size = sizeof batch - 1;
    done = 77;
    cr_expect_eq(gpc_cache_access_many(r.cache, &batch, &done, NULL), GPC_ERROR_ABI);
    cr_expect_eq(done, 0);
    struct {
        gpc_batch known;
        uint64_t later;
    } big = {.known = GPC_BATCH_INIT, .later = 1};
    big.known.struct_size = sizeof big;
    cr_expect_eq(gpc_cache_access_many(r.cache, &big.known, NULL, NULL), GPC_ERROR_ABI);
    big.later = 0;
    cr_expect_eq(gpc_cache_access_many(r.cache, &big.known, NULL, NULL), GPC_OK);
    cr_expect_eq(rig_stats(&r).reads, 0);
    rig_close(&r);
}

/* The fourth access leaves the line. */
Test(batch, stops_where_one_fails) {
    static const uint64_t at[COUNT] = {0, 128, 0, 126, 128, 0, 0, 0};
    uint8_t results[COUNT];
    memset(results, 0xee, sizeof results);
    rig r;
    rig_init(&r);
    rig_open(&r);
    gpc_batch batch = GPC_BATCH_INIT;
    batch.count = COUNT, batch.addresses = at, batch.size = 4, batch.results = results;
    size_t done;
    cr_expect_eq(gpc_cache_access_many(r.cache, &batch, &done, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(done, 3);
    cr_expect(results[2] == GPC_BATCH_HIT && results[3] == 0xee && results[4] == 0xee);
    cr_expect_eq(rig_stats(&r).reads, 3);
    rig_close(&r);
}

/* -- next uses */

static uint64_t state = 1;

static uint64_t random_below(uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
}

static void check_next_uses(gpc_context *context, const uint64_t *stream, size_t count, uint32_t line_bytes) {
    uint64_t *got = malloc((count + 1) * sizeof *got);
    got[count] = 0x1234;
    cr_assert_eq(gpc_next_uses(context, stream, count, line_bytes, got, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        uint64_t expected = UINT64_MAX;
        for (size_t j = count; j-- > i + 1;)
            if (stream[j] / line_bytes == stream[i] / line_bytes)
                expected = j;
        cr_assert_eq(got[i], expected, "%zu of %zu, lines of %u bytes", i, count, line_bytes);
    }
    cr_assert_eq(got[count], 0x1234);
    free(got);
}

Test(next_uses, against_looking_for_them) {
    gpc_context *context;
    uint64_t stream[700];
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (int round = 0; round < 100; round++) {
        size_t count = random_below(700);
        uint64_t span = 1 + random_below(1 + random_below(40000)), base = random_below(2) ? 0 : UINT64_MAX - span;
        for (size_t i = 0; i < count; i++)
            stream[i] = base + random_below(span);
        check_next_uses(context, stream, count, 1u << random_below(13));
    }
    gpc_context_destroy(context);
}

Test(next_uses, by_hand) {
    static const uint64_t expected[COUNT] = {2, 4, 7, UINT64_MAX, 5, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    gpc_context *context;
    uint64_t got[COUNT];
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_next_uses(context, addresses, COUNT, 128, got, NULL), GPC_OK);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(got[i], expected[i], "access %d", i);
    gpc_context_destroy(context);
}

Test(next_uses, refusals) {
    gpc_context *context;
    uint64_t got[COUNT] = {1};
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_expect_eq(gpc_next_uses(NULL, addresses, COUNT, 128, got, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_next_uses(context, NULL, COUNT, 128, got, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_next_uses(context, addresses, COUNT, 128, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_next_uses(context, addresses, COUNT, 0, got, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_next_uses(context, addresses, COUNT, 96, got, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_next_uses(context, addresses, SIZE_MAX, 128, got, NULL), GPC_ERROR_ARGUMENT);
    const size_t most = SIZE_MAX / 4 / (2 * sizeof(uint64_t)); /* more entries of a table have no size in bytes */
    cr_expect_eq(gpc_next_uses(context, addresses, most + 1, 128, got, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_next_uses(context, addresses, most, 128, got, NULL), GPC_ERROR_MEMORY);
    cr_expect_eq(got[0], 1);
    cr_expect_eq(gpc_next_uses(context, NULL, 0, 128, NULL, NULL), GPC_OK);
    gpc_context_destroy(context);
}
