/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "base/base.h"
#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * gpc_cache_access_many compared with gpc_cache_access, under every replacement policy and every predictor: equal
 * results, victims, counters and final lines. tests/oracle tests the short paths at length, with recording policies.
 */

enum { COUNT = 3000, CHUNKS = 3 };

static const struct { uint32_t sets, ways; } shapes[] = {{1, 1}, {3, 4}, {8, 4}, {2, 16}, {2, 19}};
#define SHAPES (sizeof shapes / sizeof *shapes)

typedef struct stream {
    gpc_batch batch;
    uint64_t addresses[COUNT], pcs[COUNT], next_uses[COUNT], evicted[COUNT];
    uint32_t warps[COUNT];
    uint8_t kinds[COUNT], results[COUNT];
} stream;

typedef enum stream_kinds { LOADS, STORES_TOO, EVERY_KIND, KINDS } stream_kinds;

static void make(gpc_context *context, stream *s, uint64_t capacity, stream_kinds mix, uint64_t seed) {
    uint64_t *lines = stream_make(seed % 2 ? STREAM_SKEWED : STREAM_PHASES, seed, capacity, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t kinds = mix == EVERY_KIND ? GPC_KIND_COUNT : 2;
        s->addresses[i] = lines[i] * 128;
        s->pcs[i] = gpci_random(&seed) % 24 * 16;
        s->warps[i] = gpci_random_below(&seed, 48);
        s->kinds[i] = mix == LOADS || gpci_random_below(&seed, 3) ? GPC_LOAD : (uint8_t)gpci_random_below(&seed, kinds);
    }
    free(lines);
    cr_assert_eq(gpc_next_uses(context, s->addresses, COUNT, 128, s->next_uses, NULL), GPC_OK);
    s->batch = (gpc_batch)GPC_BATCH_INIT;
    s->batch.addresses = s->addresses;
    s->batch.kinds = mix == LOADS ? NULL : s->kinds;
    s->batch.pcs = s->pcs;
    s->batch.warps = s->warps;
    s->batch.next_uses = s->next_uses;
    s->batch.size = seed % 3 ? 0 : 64;
    s->batch.sm = 3;
    s->batch.results = s->results;
    s->batch.evicted = s->evicted;
}

static gpc_cache *open_guarded(gpc_context *context, const char *policy, const char *guard, size_t shape) {
    gpc_cache *cache = open_cache(context, policy, shapes[shape].sets, shapes[shape].ways);
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_cache_set_predictor(cache, guard, &error), GPC_OK, "%s: %s", guard, error.message);
    return cache;
}

static void one_by_one(gpc_cache *cache, const stream *s, const char *policy, const char *guard) {
    for (size_t i = 0; i < COUNT; i++) {
        gpc_request request = {.address = s->addresses[i],
                               .pc = s->pcs[i],
                               .policy.next_use = s->next_uses[i],
                               .size = s->batch.size,
                               .sm = s->batch.sm,
                               .warp = s->warps[i],
                               .kind = s->batch.kinds ? s->kinds[i] : (uint8_t)GPC_LOAD};
        gpc_access_result got;
        cr_assert_eq(gpc_cache_access(cache, &request, &got, NULL), GPC_OK);
        uint8_t flags = s->results[i];
        cr_assert_eq(got.outcome == GPC_HIT, !!(flags & GPC_BATCH_HIT), "%s, %s, access %zu", policy, guard, i);
        cr_assert_eq(got.outcome == GPC_BYPASSED, !!(flags & GPC_BATCH_BYPASSED), "%s, %s, access %zu", policy, guard,
                     i);
        cr_assert_eq(got.write_sectors != 0, !!(flags & GPC_BATCH_WRITE_BELOW), "%s, %s, access %zu", policy, guard, i);
        cr_assert_eq(got.evicted && got.eviction.dirty_sectors, !!(flags & GPC_BATCH_WRITE_BACK), "%s, %s, access %zu",
                     policy, guard, i);
        cr_assert_eq(got.evicted ? got.eviction.line_address : UINT64_MAX, s->evicted[i], "%s, %s, access %zu", policy,
                     guard, i);
    }
}

static void same_in_the_end(gpc_cache *batched, gpc_cache *single, const char *policy, const char *guard) {
    measured_cache a, b;
    measured_clear(&a);
    measured_clear(&b);
    cr_assert_eq(measure_cache(batched, &a), GPC_OK);
    cr_assert_eq(measure_cache(single, &b), GPC_OK);
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals)                                    \
    cr_expect_eq(a.field, b.field, "%s, %s: " name " %llu, not %llu", policy, guard, (unsigned long long)a.field, \
                 (unsigned long long)b.field);
    GPC_CACHE_COUNTERS(X)
#undef X
    gpc_line mine, its;
    for (uint64_t i = 0, j = 0;;) {
        gpc_status more = gpc_cache_next_line(batched, &i, &mine, NULL);
        cr_assert_eq(gpc_cache_next_line(single, &j, &its, NULL), more);
        if (more != GPC_OK)
            return;
        cr_assert(!memcmp(&mine, &its, sizeof mine), "%s, %s: set %u, way %u", policy, guard, its.set, its.way);
    }
}

static void compare(gpc_context *context, const char *policy, const char *guard) {
    static stream s;
    static size_t cases;
    for (size_t shape = 0; shape < SHAPES; shape++)
        for (stream_kinds mix = LOADS; mix < KINDS; mix++) {
            if (!effort_takes(cases++))
                continue;
            gpc_cache *batched = open_guarded(context, policy, guard, shape);
            gpc_cache *single = open_guarded(context, policy, guard, shape);
            make(context, &s, (uint64_t)shapes[shape].sets * shapes[shape].ways, mix, shape * KINDS + mix);
            gpc_batch part = s.batch;
            part.count = COUNT / CHUNKS;
            for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
                size_t at = chunk * part.count;
                part.addresses = s.addresses + at;
                part.kinds = s.batch.kinds ? s.kinds + at : NULL;
                part.pcs = s.pcs + at;
                part.warps = s.warps + at;
                part.next_uses = s.next_uses + at;
                part.results = s.results + at;
                part.evicted = s.evicted + at;
                cr_assert_eq(gpc_cache_access_many(batched, &part, NULL, NULL), GPC_OK);
            }
            one_by_one(single, &s, policy, guard);
            same_in_the_end(batched, single, policy, guard);
            gpc_cache_destroy(batched);
            gpc_cache_destroy(single);
        }
}

Test(batches, change_nothing_under_any_policy) {
    gpc_context *context = open_context(1);
    for (const replacement_row *row = replacement_rows(); row->spec; row++)
        compare(context, row->spec, "always-cache");
    gpc_context_destroy(context);
}

Test(batches, change_nothing_behind_any_predictor) {
    static const char *const policies[] = {"lru", "nru", "opt-bypass"};
    gpc_context *context = open_context(1);
    for (const char *const *row = predictor_rows(); *row; row++)
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
            compare(context, policies[p], *row);
    gpc_context_destroy(context);
}
