/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/pair.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <string.h>

/* gpc_cache_access, probe, invalidation and flush compared with the model. */

static void access_both(pair *p) {
    gpc_request request = pair_request(p);
    gpc_access_result expected, got, probed, found;
    memset(&got, 0xa5, sizeof got);
    memset(&found, 0xa5, sizeof found);
    gpc_status status = model_probe(&p->model, &request, &probed);
    cr_assert_eq(gpc_cache_probe(p->cache, &request, &found, NULL), status, "%s probe", pair_text(p));
    if (status == GPC_OK)
        pair_same_result(p, "probe", &probed, &found);
    status = model_access(&p->model, &request, &expected);
    cr_assert_eq(gpc_cache_access(p->cache, &request, p->step % 5 ? &got : NULL, NULL), status, "%s access",
                 pair_text(p));
    if (status == GPC_OK && p->step % 5)
        pair_same_result(p, "access", &expected, &got);
    pair_same_events(p, "access", false);
}

static void invalidate_both(pair *p) {
    gpc_request request = {.address = 0};
    do
        request = pair_request(p);
    while (request.size > p->options.line_bytes);
    uint64_t line_bytes = p->options.line_bytes, bytes = pair_random(p, (uint32_t)(4 * line_bytes));
    switch (pair_random(p, 8)) {
    case 0:
        bytes = p->lines * p->stride * line_bytes / 2 + 1;
        break;
    case 1:
        cr_assert_eq(gpc_cache_invalidate_line(p->cache, request.address, NULL), GPC_OK);
        bytes = 0;
        model_invalidate(&p->model, request.address / line_bytes, request.address / line_bytes);
        break;
    case 2:
        cr_assert_eq(gpc_cache_invalidate_all(p->cache, NULL), GPC_OK);
        bytes = 0;
        model_invalidate(&p->model, 0, UINT64_MAX);
        break;
    default:
        break;
    }
    cr_assert_eq(gpc_cache_invalidate_range(p->cache, request.address, bytes, NULL), GPC_OK);
    if (bytes)
        model_invalidate(&p->model, request.address / line_bytes, (request.address + bytes - 1) / line_bytes);
    pair_same_events(p, "invalidate", true);
}

static void flush_both(pair *p) {
    uint64_t sectors = UINT64_MAX, expected = model_flush(&p->model);
    cr_assert_eq(gpc_cache_flush(p->cache, &sectors, NULL), GPC_OK);
    cr_assert_eq(sectors, expected, "%s flush: %llu sectors, not %llu", pair_text(p), (unsigned long long)sectors,
                 (unsigned long long)expected);
    pair_same_events(p, "flush", false);
}

static void run(uint64_t seed, pair_flavour flavour, unsigned steps) {
    pair p;
    pair_open(&p, seed, flavour, GPC_SIMD_AUTO);
    for (p.step = 0; p.step < steps; p.step++) {
        uint32_t what = pair_random(&p, 64);
        if (what == 0)
            invalidate_both(&p);
        else if (what == 1)
            flush_both(&p);
        else
            access_both(&p);
        pair_same_counters(&p, "counters");
        if (p.step % 32 == 31 || what < 2)
            pair_same_lines(&p, "lines");
    }
    pair_close(&p);
}

Test(access, any_configuration) {
    for (uint64_t seed = 1; seed <= effort_of(2000); seed++)
        run(seed, PAIR_ANY, 400);
}

Test(access, plain_configurations) {
    for (uint64_t seed = 1; seed <= effort_of(600); seed++)
        run(seed, PAIR_PLAIN, 400);
}

/* Only whole lines: the shortest path of gpc_cache_access. */
static void run_simple(uint64_t seed) {
    pair p;
    pair_open(&p, seed, PAIR_PLAIN, GPC_SIMD_AUTO);
    p.simple = true;
    for (p.step = 0; p.step < 1000; p.step++) {
        access_both(&p);
        pair_same_counters(&p, "counters");
        if (p.step % 100 == 99) {
            pair_same_lines(&p, "lines");
            invalidate_both(&p);
        }
    }
    pair_close(&p);
}

Test(access, whole_lines) {
    for (uint64_t seed = 1; seed <= effort_of(400); seed++)
        run_simple(seed);
}
