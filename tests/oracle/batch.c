/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/pair.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * gpc_cache_access_many compared with the model, access by access: results, evicted lines, counters, resident lines and
 * all calls of policies, with every instruction set.
 */

#define LONGEST 600

static const gpc_simd levels[] = {GPC_SIMD_NONE, GPC_SIMD_SSE2, GPC_SIMD_AVX2, GPC_SIMD_AVX512, GPC_SIMD_AUTO};
#define LEVELS (sizeof levels / sizeof *levels)

/* A batch and the output; a guard behind every result. */
typedef struct stream {
    gpc_batch batch;
    uint64_t addresses[LONGEST], pcs[LONGEST], next_uses[LONGEST], evicted[LONGEST + 1];
    uint32_t warps[LONGEST];
    uint8_t kinds[LONGEST], results[LONGEST + 1];
} stream;

#define GUARD_RESULT 0xa5
#define GUARD_EVICTED 0xa5a5a5a5a5a5a5a5u

typedef enum kind_mix { LOADS, LOADS_AND_STORES, EVERY_KIND, KIND_MIXES } kind_mix;

static void make_stream(pair *p, stream *s, size_t count, kind_mix mix) {
    p->simple = true;
    s->batch = (gpc_batch)GPC_BATCH_INIT;
    s->batch.count = count;
    s->batch.addresses = s->addresses;
    s->batch.kinds = mix != LOADS || pair_random(p, 2) ? s->kinds : NULL;
    s->batch.pcs = pair_random(p, 2) ? s->pcs : NULL;
    s->batch.warps = pair_random(p, 2) ? s->warps : NULL;
    s->batch.next_uses = pair_random(p, 2) ? s->next_uses : NULL;
    s->batch.sm = pair_random(p, 4);
    s->batch.size = pair_random(p, 2) ? 0 : 1 + pair_random(p, p->options.line_bytes);
    for (size_t i = 0; i < count; i++) {
        gpc_request request = pair_request(p);
        uint32_t room = p->options.line_bytes - (s->batch.size ? s->batch.size : 1);
        s->addresses[i] = request.address + pair_random(p, room + 1);
        s->kinds[i] = mix == LOADS ? GPC_LOAD : mix == LOADS_AND_STORES ? request.kind == GPC_STORE : request.kind;
        s->pcs[i] = request.pc;
        s->warps[i] = request.warp;
        s->next_uses[i] = pair_random(p, 1000);
    }
    s->batch.results = pair_random(p, 4) ? s->results : NULL;
    s->batch.evicted = pair_random(p, 4) ? s->evicted : NULL;
    memset(s->results, GUARD_RESULT, sizeof s->results);
    memset(s->evicted, GUARD_RESULT, sizeof s->evicted);
}

static gpc_request request_of(const gpc_batch *b, size_t i) {
    return (gpc_request){.address = b->addresses[i],
                         .size = b->size,
                         .sm = b->sm,
                         .kind = b->kinds ? b->kinds[i] : (uint8_t)GPC_LOAD,
                         .pc = b->pcs ? b->pcs[i] : 0,
                         .warp = b->warps ? b->warps[i] : 0,
                         .policy.next_use = b->next_uses ? b->next_uses[i] : 0};
}

static uint8_t flags_of(const gpc_access_result *r) {
    uint8_t flags = 0;
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
    return flags;
}

/* The model's result of access i, compared with the batch's. Returns false if the model refuses it. */
static bool same_element(pair *p, const stream *s, size_t i) {
    gpc_request request = request_of(&s->batch, i);
    gpc_access_result r;
    if (model_access(&p->model, &request, &r) != GPC_OK)
        return false;
    uint64_t left = r.evicted ? r.eviction.line_address : UINT64_MAX;
    if (s->batch.results)
        cr_assert_eq(s->results[i], flags_of(&r), "%s: result %zu of %zu is %#x, not %#x", pair_text(p), i,
                     s->batch.count, s->results[i], flags_of(&r));
    if (s->batch.evicted)
        cr_assert_eq(s->evicted[i], left, "%s: %zu of %zu evicted %llx, not %llx", pair_text(p), i, s->batch.count,
                     (unsigned long long)s->evicted[i], (unsigned long long)left);
    return true;
}

static void run_batch(pair *p, const stream *s) {
    size_t done = SIZE_MAX, expected = 0;
    gpc_status status = gpc_cache_access_many(p->cache, &s->batch, &done, NULL);
    while (expected < s->batch.count && same_element(p, s, expected))
        expected++;
    cr_assert_eq(status, expected < s->batch.count ? GPC_ERROR_ARGUMENT : GPC_OK, "%s: status %d", pair_text(p),
                 (int)status);
    cr_assert_eq(done, expected, "%s: %zu done, not %zu", pair_text(p), done, expected);
    for (size_t i = expected; i <= s->batch.count; i++)
        cr_assert(s->results[i] == GUARD_RESULT && s->evicted[i] == GUARD_EVICTED, "%s: wrote beyond %zu, at %zu",
                  pair_text(p), expected, i);
    pair_same_events(p, "batch", false);
    pair_same_counters(p, "batch");
    pair_same_lines(p, "batch");
}

/* A load in flight from one batch to the next. */
typedef struct loan {
    bool open;
    gpc_request request;
    uint8_t sectors;
} loan;

static void reserve_or_fill(pair *p, loan *l) {
    gpc_access_result result, expected;
    if (l->open) {
        cr_assert_eq(model_fill(&p->model, &l->request, l->sectors, &expected), GPC_OK);
        cr_assert_eq(gpc_cache_fill(p->cache, &l->request, l->sectors, &result, NULL), GPC_OK);
        l->open = false;
        return;
    }
    p->simple = true;
    l->request = pair_request(p);
    l->request.kind = GPC_LOAD;
    cr_assert_eq(model_lookup(&p->model, &l->request, &expected), GPC_OK);
    cr_assert_eq(gpc_cache_lookup(p->cache, &l->request, &result, NULL), GPC_OK);
    l->sectors = result.fetch_sectors;
    if (result.outcome != GPC_MISS && result.outcome != GPC_SECTOR_MISS)
        return;
    cr_assert_eq(model_reserve(&p->model, &l->request, l->sectors, &expected), GPC_OK);
    cr_assert_eq(gpc_cache_reserve(p->cache, &l->request, l->sectors, &result, NULL), GPC_OK);
    l->open = result.way != UINT32_MAX;
}

/* A change that takes the cache off the shortest path, or back on it. */
static void disturb(pair *p, loan *l) {
    gpc_request request;
    gpc_access_result expected, got;
    p->simple = false;
    switch (pair_random(p, 4)) {
    case 0:
        request = pair_request(p);
        cr_assert_eq(gpc_cache_access(p->cache, &request, &got, NULL), model_access(&p->model, &request, &expected));
        break;
    case 1:
        request = pair_request(p);
        cr_assert_eq(gpc_cache_invalidate_line(p->cache, request.address, NULL), GPC_OK);
        model_invalidate(&p->model, request.address / p->options.line_bytes, request.address / p->options.line_bytes);
        break;
    case 2:
        reserve_or_fill(p, l);
        break;
    default:
        break;
    }
    pair_same_events(p, "between batches", false);
}

static void run(uint64_t seed, pair_flavour flavour, unsigned batches) {
    static stream s;
    loan l = {.open = false};
    pair p;
    pair_open(&p, seed, flavour, levels[seed % LEVELS]);
    kind_mix mix = (kind_mix)pair_random(&p, KIND_MIXES);
    for (p.step = 0; p.step < batches; p.step++) {
        make_stream(&p, &s, pair_random(&p, LONGEST + 1), mix);
        run_batch(&p, &s);
        disturb(&p, &l);
    }
    pair_close(&p);
}

Test(batch, plain_caches) {
    for (uint64_t seed = 1; seed <= effort_of(1200); seed++)
        run(seed, PAIR_PLAIN, 4);
}

Test(batch, any_cache) {
    for (uint64_t seed = 1; seed <= effort_of(700); seed++)
        run(seed, PAIR_ANY, 2);
}

/* Every length, in sequence on one cache, so that every block boundary is met in every state. */
Test(batch, every_length) {
    static stream s;
    for (size_t level = 0; level < LEVELS; level++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            pair p;
            pair_open(&p, seed * LEVELS + level, PAIR_PLAIN, levels[level]);
            for (size_t length = 0; length <= LONGEST; length++) {
                if (length > 40 && !effort_takes(length))
                    continue;
                p.step = length;
                make_stream(&p, &s, length, (kind_mix)(length % KIND_MIXES));
                run_batch(&p, &s);
            }
            pair_close(&p);
        }
}

/* The impossible access stops the batch: earlier accesses are done, later ones are not. */
static void spoil(pair *p, stream *s, size_t at) {
    if (s->batch.kinds && pair_random(p, 2)) {
        s->kinds[at] = (uint8_t)(GPC_KIND_COUNT + pair_random(p, 256 - GPC_KIND_COUNT));
        return;
    }
    uint32_t line = p->options.line_bytes;
    if (s->batch.size <= 1)
        s->batch.size = 2;
    for (size_t i = 0; i < s->batch.count; i++)
        s->addresses[i] = s->addresses[i] / line * line + (i == at ? line - s->batch.size + 1 : 0);
}

Test(batch, stops_at_an_access_that_fails) {
    static stream s;
    for (uint64_t seed = 1; seed <= effort_of(900); seed++) {
        pair p;
        pair_open(&p, seed, seed % 3 ? PAIR_PLAIN : PAIR_ANY, levels[seed / 3 % LEVELS]);
        for (p.step = 0; p.step < 2; p.step++) {
            size_t count = 1 + pair_random(&p, LONGEST), at = pair_random(&p, (uint32_t)count);
            make_stream(&p, &s, count, (kind_mix)pair_random(&p, KIND_MIXES));
            if (p.step)
                spoil(&p, &s, at);
            run_batch(&p, &s);
        }
        pair_close(&p);
    }
}
