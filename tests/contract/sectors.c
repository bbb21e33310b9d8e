/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Every replacement policy for hosts that request a line's sectors singly, like GPGPU-Sim, compared with the same
 * accesses of whole lines. Consecutive sectors of a line are no reuse: a policy that counts them as reuse keeps the
 * newest lines, losing the protection against thrashing.
 */

#define SETS 16u
#define WAYS 4u
#define SECTORS 4u

typedef enum asking { WHOLE, SECTORED, CONTINUED } asking;

/* Accesses with a hit in the first sector. */
static size_t hits_with(gpc_context *context, const char *spec, const char *predictor, const uint64_t *lines,
                        const uint64_t *next, size_t count, asking style) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = SETS;
    options.ways = WAYS;
    options.line_bytes = 32 * SECTORS;
    options.sectors = SECTORS;
    options.replacement = spec;
    options.predictor = predictor;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    cr_assert_eq(gpc_cache_create(context, &options, &cache, &error), GPC_OK, "%s: %s", spec, error.message);
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t warp = (uint32_t)lines[i] % 3;
        gpc_request request = {
            .address = lines[i] * 128, .pc = warp * 16, .warp = warp, .warp_age = warp, .policy.next_use = next[i]};
        for (uint32_t part = 0; part < (style == WHOLE ? 1 : SECTORS); part++) {
            gpc_access_result result;
            request.sector_mask = style == WHOLE ? 0 : (uint8_t)(1u << part);
            request.continues = style == CONTINUED && part;
            cr_assert_eq(gpc_cache_access(cache, &request, &result, NULL), GPC_OK);
            hits += !part && result.outcome == GPC_HIT;
        }
    }
    gpc_cache_destroy(cache);
    return hits;
}

static size_t hits_of(gpc_context *context, const char *spec, const uint64_t *lines, const uint64_t *next, size_t count,
                      asking style) {
    return hits_with(context, spec, NULL, lines, next, count, style);
}

#define EACH_ROW(row) for (const replacement_row *row = replacement_rows(); row->spec; row++)

/* A host marking the requests of an access has exactly the hits of whole lines. */
Test(sectors, parts_of_one_access_count_once) {
    const size_t count = effort_of(8000);
    gpc_context *context = open_context(1);
    for (stream_kind kind = 0; kind < STREAM_COUNT; kind++) {
        uint64_t *lines = stream_make(kind, 3, SETS * WAYS, count), *next = rig_next_uses(lines, count);
        EACH_ROW(row) {
            const size_t whole = hits_of(context, row->spec, lines, next, count, WHOLE),
                         parts = hits_of(context, row->spec, lines, next, count, CONTINUED);
            cr_expect_eq(parts, whole, "%s, stream %u: %zu of %zu, not %zu", row->spec, (unsigned)kind, parts, count,
                         whole);
        }
        free(lines);
        free(next);
    }
    gpc_context_destroy(context);
}

/*
 * Thrash-resistant policies resist with sectors, too: a loop of 1.5 times the capacity, of which LRU keeps nothing. Not
 * policies that count every request as an access, and need the marks: rpr.
 */
Test(sectors, loops_are_kept) {
    static const char *const specs[] = {"lip",   "bip",    "dip",           "brrip",       "drrip",
                                        "ship",  "sdbp",   "counter-based", "trace-based", "time-based",
                                        "gippr", "dgippr", "random",        "mru"};
    const size_t count = 8000;
    gpc_context *context = open_context(1);
    uint64_t *lines = malloc(count * sizeof *lines);
    cr_assert_not_null(lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = i % (SETS * WAYS * 3 / 2);
    uint64_t *next = rig_next_uses(lines, count);
    cr_expect_eq(hits_of(context, "lru", lines, next, count, SECTORED), 0);
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++) {
        const size_t whole = hits_of(context, specs[n], lines, next, count, WHOLE),
                     sectors = hits_of(context, specs[n], lines, next, count, SECTORED);
        cr_expect_gt(whole, count / 4, "%s", specs[n]);
        cr_expect_gt(sectors, whole * 3 / 4, "%s: %zu hits by sectors, %zu by lines", specs[n], sectors, whole);
    }
    free(lines);
    free(next);
    gpc_context_destroy(context);
}

/* A table compiled before on_sector_miss existed is still told of hits. */

typedef struct watcher {
    unsigned *hits;
} watcher;

static gpc_status watch(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    ((watcher *)self)->hits = env->user_data;
    return GPC_OK;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)set, (void)way, (void)request;
    ++*((watcher *)self)->hits;
}

static uint32_t first(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

Test(sectors, older_tables) {
    gpc_replacement_ops ops = {.struct_size = offsetof(gpc_replacement_ops, on_sector_miss),
                               .name = "older",
                               .instance_bytes = sizeof(watcher),
                               .init = watch,
                               .on_hit = on_hit,
                               .choose_victim = first};
    unsigned older = 0, newer = 0;
    gpc_context *context = open_context(1);
    cr_assert_eq(gpc_context_register_replacement(context, &ops, &older, NULL, NULL), GPC_OK);
    ops.struct_size = sizeof ops;
    ops.name = "newer";
    cr_assert_eq(gpc_context_register_replacement(context, &ops, &newer, NULL, NULL), GPC_OK);
    const uint64_t line = 7, never = UINT64_MAX;
    hits_of(context, "older", &line, &never, 1, SECTORED);
    hits_of(context, "newer", &line, &never, 1, SECTORED);
    cr_expect_eq(older, SECTORS - 1);
    cr_expect_eq(newer, 0);
    gpc_context_destroy(context);
}

static void cache_all(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)self, (void)set, (void)request, (void)prediction;
}

/* Older predictors likewise. */
Test(sectors, older_predictors) {
    gpc_predictor_ops ops = {.struct_size = offsetof(gpc_predictor_ops, on_sector_miss),
                             .name = "older",
                             .instance_bytes = sizeof(watcher),
                             .init = watch,
                             .on_hit = on_hit,
                             .predict = cache_all};
    unsigned told[4] = {0};
    static const char *const names[] = {"older", "oldest", "newer", "sectors"};
    gpc_context *context = open_context(1);
    for (unsigned n = 0; n < 4; n++) {
        ops.name = names[n];
        ops.struct_size = n == 1  ? offsetof(gpc_predictor_ops, reads)
                          : n > 1 ? sizeof ops
                                  : offsetof(gpc_predictor_ops, on_sector_miss);
        ops.on_sector_miss = n == 3 ? on_hit : NULL;
        cr_assert_eq(gpc_context_register_predictor(context, &ops, &told[n], NULL, NULL), GPC_OK);
        const uint64_t line = 7, never = UINT64_MAX;
        hits_with(context, n % 2 ? "lru" : "fifo", names[n], &line, &never, 1, n == 3 ? CONTINUED : SECTORED);
        cr_expect_eq(told[n], n == 2 ? 0 : SECTORS - 1, "%s", names[n]);
    }
    gpc_context_destroy(context);
}

/* agcb takes a matching tag for a use of the line, but not the parts of one access. */
Test(sectors, parts_of_one_access_are_no_use_to_agcb) {
    const size_t count = effort_of(8000);
    gpc_context *context = open_context(1);
    for (stream_kind kind = 0; kind < STREAM_COUNT; kind++) {
        uint64_t *lines = stream_make(kind, 3, SETS * WAYS, count), *next = rig_next_uses(lines, count);
        const char *const agcb = "agcb(initial=7)";
        const size_t whole = hits_with(context, "lru", agcb, lines, next, count, WHOLE),
                     parts = hits_with(context, "lru", agcb, lines, next, count, CONTINUED);
        cr_expect_eq(parts, whole, "stream %u: %zu of %zu, not %zu", (unsigned)kind, parts, count, whole);
        free(lines);
        free(next);
    }
    gpc_context_destroy(context);
}
