/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches give equal bytes at every vector width, and equal to single accesses. */
#include "effort.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20000 };

typedef struct stream {
    uint64_t addresses[COUNT], pcs[COUNT], next_uses[COUNT];
    uint32_t warps[COUNT];
    uint8_t kinds[COUNT];
} stream;

typedef struct outcome {
    uint8_t results[COUNT];
    uint64_t evicted[COUNT];
    measured_cache stats;
} outcome;

static const struct shape {
    uint32_t sets, ways, line, sectors;
} shapes[] = {
    {32, 4, 128, 0},  {384, 16, 128, 0}, {7, 3, 64, 0},    {1, 1, 128, 0},   {13, 5, 128, 0},  {4, 24, 128, 0},
    {64, 8, 32, 0},   {2, 64, 128, 0},   {1, 100, 128, 0}, {32, 4, 128, 4},  {16, 16, 128, 4}, {5, 6, 64, 2},
    {1, 1024, 64, 0}, {48, 2, 128, 8},   {3, 32, 256, 0},  {100, 12, 64, 0},
};

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Half near, half far, some far addresses with line numbers above 32 bits; mostly loads. */
static void make_stream(stream *s, uint32_t line, uint64_t lines) {
    const size_t count = effort_of(COUNT);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        uint64_t r = next_random(&state);
        uint64_t number = r % 2 ? next_random(&state) % (lines / 2 + 1) : next_random(&state) % (lines * 3);
        if (r % 64 == 2)
            number += UINT64_C(1) << 40;
        s->addresses[i] = number * line;
        s->pcs[i] = r >> 20 & 0xff0;
        s->warps[i] = r >> 40 & 63;
        s->kinds[i] = r >> 8 & 3 ? GPC_LOAD : (uint8_t)((r >> 10) % GPC_KIND_COUNT);
    }
}

static gpc_cache *make_cache(gpc_simd simd, const struct shape *shape, const char *policy) {
    gpc_context_options context_options = GPC_CONTEXT_OPTIONS_INIT;
    context_options.simd = simd;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = shape->sets;
    options.ways = shape->ways;
    options.line_bytes = shape->line;
    options.sectors = shape->sectors;
    options.replacement = policy;
    gpc_context *context = NULL;
    gpc_cache *cache = NULL;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(&context_options, &context, &error), GPC_OK, "%s", error.message);
    gpc_status status = gpc_cache_create(context, &options, &cache, &error);
    cr_assert_eq(status, GPC_OK, "%s of %u ways: %s", policy, shape->ways, error.message);
    gpc_context_destroy(context);
    return cache;
}

static void finish(gpc_cache *cache, outcome *o) {
    measured_clear(&o->stats);
    cr_assert_eq(measure_cache(cache, &o->stats), GPC_OK);
    gpc_cache_destroy(cache);
}

static void run_batches(gpc_simd simd, const struct shape *shape, const char *policy, const stream *s, outcome *o) {
    const size_t count = effort_of(COUNT);
    gpc_cache *cache = make_cache(simd, shape, policy);
    memset(o, 0, sizeof *o);
    /* Pieces of odd lengths: every remainder of a vector occurs. */
    for (size_t start = 0, length = 1; start < count; start += length, length = length % 97 + 1) {
        size_t piece = length < count - start ? length : count - start;
        gpc_batch batch = GPC_BATCH_INIT;
        size_t done = 0;
        batch.count = piece;
        batch.addresses = s->addresses + start;
        batch.pcs = s->pcs + start;
        batch.warps = s->warps + start;
        batch.kinds = s->kinds + start;
        batch.next_uses = s->next_uses + start;
        batch.results = o->results + start;
        batch.evicted = o->evicted + start;
        cr_assert_eq(gpc_cache_access_many(cache, &batch, &done, NULL), GPC_OK);
        cr_assert_eq(done, piece);
    }
    finish(cache, o);
}

static uint8_t flags_of(const gpc_access_result *r) {
    unsigned flags = 0;
    if (r->outcome == GPC_HIT)
        flags |= GPC_BATCH_HIT;
    if (r->evicted)
        flags |= GPC_BATCH_EVICTED;
    if (r->evicted && r->eviction.dirty_sectors)
        flags |= GPC_BATCH_WRITE_BACK;
    if (r->outcome == GPC_BYPASSED)
        flags |= GPC_BATCH_BYPASSED;
    if (r->outcome == GPC_SECTOR_MISS)
        flags |= GPC_BATCH_SECTOR_MISS;
    if (r->write_sectors)
        flags |= GPC_BATCH_WRITE_BELOW;
    return (uint8_t)flags;
}

static void run_single(const struct shape *shape, const char *policy, const stream *s, outcome *o) {
    const size_t count = effort_of(COUNT);
    gpc_cache *cache = make_cache(GPC_SIMD_AUTO, shape, policy);
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < count; i++) {
        gpc_request request = {.address = s->addresses[i],
                               .pc = s->pcs[i],
                               .warp = s->warps[i],
                               .kind = s->kinds[i],
                               .policy.next_use = s->next_uses[i]};
        gpc_access_result result;
        cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
        o->results[i] = flags_of(&result);
        o->evicted[i] = result.evicted ? result.eviction.line_address : UINT64_MAX;
    }
    finish(cache, o);
}

static void compare(const outcome *a, const outcome *b, const struct shape *shape, const char *policy,
                    const char *how) {
    const size_t count = effort_of(COUNT);
    for (size_t i = 0; i < count; i++)
        cr_assert(a->results[i] == b->results[i] && a->evicted[i] == b->evicted[i],
                  "%s, %u x %u, %u sectors, %s: access %zu differs (flags %#x and %#x)", policy, shape->sets,
                  shape->ways, shape->sectors, how, i, a->results[i], b->results[i]);
    cr_assert(!memcmp(&a->stats, &b->stats, sizeof a->stats), "%s, %u x %u, %s: counters differ", policy, shape->sets,
              shape->ways, how);
}

static void check_shape(gpc_context *context, const struct shape *shape, stream *s, outcome *outcomes) {
    const size_t count = effort_of(COUNT);
    make_stream(s, shape->line, (uint64_t)shape->sets * shape->ways);
    cr_assert_eq(gpc_next_uses(context, s->addresses, count, shape->line, s->next_uses, NULL), GPC_OK);
    for (size_t p = 0; p < gpc_policy_count(context, GPC_POLICY_REPLACEMENT); p++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_REPLACEMENT, p, &info, NULL), GPC_OK);
        run_batches(GPC_SIMD_NONE, shape, info.name, s, &outcomes[0]);
        cr_assert_gt(outcomes[0].stats.read_hits, 0);
        static const gpc_simd levels[] = {GPC_SIMD_SSE2, GPC_SIMD_AVX2, GPC_SIMD_AVX512, GPC_SIMD_AUTO};
        static const char *const names[] = {"sse2", "avx2", "avx512", "auto"};
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            run_batches(levels[l], shape, info.name, s, &outcomes[1]);
            compare(&outcomes[0], &outcomes[1], shape, info.name, names[l]);
        }
        run_single(shape, info.name, s, &outcomes[1]);
        compare(&outcomes[0], &outcomes[1], shape, info.name, "one at a time");
    }
}

Test(determinism, vector_widths) {
    gpc_context *context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    stream *s = malloc(sizeof *s);
    outcome *outcomes = calloc(2, sizeof *outcomes);
    cr_assert(s && outcomes);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(context, &shapes[i], s, outcomes);
    free(s);
    free(outcomes);
    gpc_context_destroy(context);
}
