/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * Every replacement policy inside gpc_cache, compared with the policy's table driven by a plain set of lines in the
 * tests.
 */

#define COUNT 4000

static const struct {
    uint32_t sets, ways;
} shapes[] = {{1, 1}, {1, 3}, {4, 4}, {3, 5}, {8, 16}, {5, 24}, {1, 128}, {1, 1024}};
#define SHAPES (sizeof shapes / sizeof *shapes)

#define EACH_ROW(row) for (const replacement_row *row = replacement_rows(); row->spec; row++)

static void agree(gpc_cache *cache, rig *r, uint64_t line, uint64_t next_use, const char *spec, size_t step) {
    gpc_request request = {.address = line * 128, .policy.next_use = next_use};
    gpc_access_result got;
    cr_assert_eq(gpc_cache_access(cache, &request, &got, NULL), GPC_OK);
    rig_outcome expected = rig_access(r, line, next_use);
    cr_assert_eq(got.outcome == GPC_HIT, expected.hit, "%s, %u x %u, step %zu", spec, r->env.sets, r->env.ways, step);
    cr_assert_eq(got.outcome == GPC_BYPASSED, expected.bypassed, "%s, step %zu", spec, step);
    cr_assert_eq(got.set, expected.set);
    cr_assert_eq(got.way, expected.way, "%s, %u x %u, step %zu: way %u, not %u", spec, r->env.sets, r->env.ways, step,
                 got.way, expected.way);
    cr_assert_eq(got.evicted, expected.evicted, "%s, step %zu", spec, step);
    if (got.evicted)
        cr_assert_eq(got.eviction.line_address, expected.victim * 128, "%s, step %zu", spec, step);
}

static void invalidate(gpc_cache *cache, rig *r, uint64_t line) {
    uint32_t set = (uint32_t)(line % r->env.sets);
    cr_assert_eq(gpc_cache_invalidate_line(cache, line * 128, NULL), GPC_OK);
    for (uint32_t way = 0; way < r->env.ways; way++)
        if (r->lines[(size_t)set * r->env.ways + way] == line)
            rig_invalidate(r, set, way);
}

Test(replacement_cache, does_what_the_table_alone_does) {
    const size_t count = effort_of(COUNT);
    gpc_context *context = open_context(1);
    EACH_ROW(row)
    for (size_t s = 0; s < SHAPES && !row->seeded; s++) {
        rig r;
        gpc_cache *cache = open_cache(context, row->spec, shapes[s].sets, shapes[s].ways);
        rig_open(&r, row->spec, shapes[s].sets, shapes[s].ways, 1);
        uint64_t *lines = stream_make(STREAM_PHASES, s, shapes[s].sets * shapes[s].ways, count);
        uint64_t *next = rig_next_uses(lines, count);
        for (size_t i = 0; i < count; i++) {
            agree(cache, &r, lines[i], next[i], row->spec, i);
            if (i % 11 == 0)
                invalidate(cache, &r, lines[i / 2]);
        }
        free(lines);
        free(next);
        rig_close(&r);
        gpc_cache_destroy(cache);
    }
    gpc_context_destroy(context);
}

/* Singly and in a batch: equal hits and equal victims. */
Test(replacement_cache, batches_change_nothing) {
    const size_t count = effort_of(COUNT);
    gpc_context *context = open_context(1);
    EACH_ROW(row)
    for (size_t s = 0; s < SHAPES; s++) {
        uint64_t *lines = stream_make(STREAM_SKEWED, s, shapes[s].sets * shapes[s].ways, count);
        uint64_t *next = rig_next_uses(lines, count), evicted[COUNT];
        uint8_t results[COUNT];
        for (size_t i = 0; i < count; i++)
            lines[i] *= 128;
        gpc_cache *batched = open_cache(context, row->spec, shapes[s].sets, shapes[s].ways);
        gpc_cache *single = open_cache(context, row->spec, shapes[s].sets, shapes[s].ways);
        gpc_batch batch = GPC_BATCH_INIT;
        batch.count = count, batch.addresses = lines, batch.next_uses = next;
        batch.results = results, batch.evicted = evicted;
        cr_assert_eq(gpc_cache_access_many(batched, &batch, NULL, NULL), GPC_OK);
        for (size_t i = 0; i < count; i++) {
            gpc_request request = {.address = lines[i], .policy.next_use = next[i]};
            gpc_access_result got;
            cr_assert_eq(gpc_cache_access(single, &request, &got, NULL), GPC_OK);
            cr_assert_eq(got.outcome == GPC_HIT, !!(results[i] & GPC_BATCH_HIT), "%s, access %zu", row->spec, i);
            cr_assert_eq(got.outcome == GPC_BYPASSED, !!(results[i] & GPC_BATCH_BYPASSED), "%s", row->spec);
            cr_assert_eq(got.evicted ? got.eviction.line_address : UINT64_MAX, evicted[i], "%s", row->spec);
        }
        free(lines);
        free(next);
        gpc_cache_destroy(batched);
        gpc_cache_destroy(single);
    }
    gpc_context_destroy(context);
}

/* Contexts with equal seeds act equally; a different seed matters if used. */
Test(replacement_cache, follows_the_seed_of_its_context) {
    EACH_ROW(row) {
        size_t hits[3];
        uint64_t *lines = stream_make(STREAM_UNIFORM, 4, 512, 20000);
        for (int run = 0; run < 3; run++) {
            gpc_context *context = open_context(run == 2 ? 78 : 77);
            hits[run] = count_hits(context, row->spec, 32, 16, lines, 20000);
            gpc_context_destroy(context);
        }
        free(lines);
        cr_expect_eq(hits[0], hits[1], "%s", row->spec);
        cr_expect_eq(hits[0] != hits[2], row->seeded, "%s: %zu and %zu hits", row->spec, hits[0], hits[2]);
    }
}

/* The lines of a cache are adopted by a rig, told to the rig's policy as filled in order of set and way. */
static void adopt_lines(rig *r, const gpc_cache *cache) {
    gpc_line line;
    for (uint64_t cursor = 0; gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK;) {
        gpc_request request = {.address = line.line_address};
        r->lines[(size_t)line.set * r->env.ways + line.way] = line.line_address / 128;
        if (r->ops->on_fill)
            r->ops->on_fill(r->self, line.set, line.way, &request);
    }
}

static void switch_policies(gpc_context *context, const replacement_row *from, const replacement_row *to) {
    enum { SETS = 3, WAYS = 18, STEPS = 1000 };
    uint64_t *lines = stream_make(STREAM_SKEWED, 8, SETS * WAYS, 2 * STEPS);
    uint64_t *next = rig_next_uses(lines, 2 * STEPS);
    gpc_cache *cache = open_cache(context, from->spec, SETS, WAYS);
    for (size_t i = 0; i < STEPS; i++) {
        gpc_request request = {.address = lines[i] * 128, .policy.next_use = next[i]};
        cr_assert_eq(gpc_cache_access(cache, &request, NULL, NULL), GPC_OK);
    }
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_cache_set_replacement(cache, to->spec, &error), GPC_OK, "%s", error.message);
    rig r;
    rig_open(&r, to->spec, SETS, WAYS, 1);
    adopt_lines(&r, cache);
    for (size_t i = STEPS; i < 2 * STEPS; i++)
        agree(cache, &r, lines[i], next[i], to->spec, i);
    rig_close(&r);
    gpc_cache_destroy(cache);
    free(lines);
    free(next);
}

Test(replacement_cache, any_policy_can_take_over_a_live_cache) {
    gpc_context *context = open_context(1);
    size_t cases = 0;
    EACH_ROW(from)
    EACH_ROW(to)
    if (!to->seeded && effort_takes(cases++))
        switch_policies(context, from, to);
    gpc_context_destroy(context);
}

/* A refused change has no effect, not even on the order of the lines. */
Test(replacement_cache, a_refused_change_leaves_the_old_policy) {
    gpc_context *context = open_context(1);
    EACH_ROW(row) {
        gpc_cache *disturbed = open_cache(context, row->spec, 4, 6), *calm = open_cache(context, row->spec, 4, 6);
        uint64_t *lines = stream_make(STREAM_UNIFORM, 9, 24, COUNT), *next = rig_next_uses(lines, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            gpc_request request = {.address = lines[i] * 128, .policy.next_use = next[i]};
            gpc_access_result a, b;
            if (i % 50 == 0) {
                cr_assert_eq(gpc_cache_set_replacement(disturbed, "no-such-policy", NULL), GPC_ERROR_NOT_FOUND);
                cr_assert_lt(gpc_cache_set_replacement(disturbed, "lru(colour=1)", NULL), 0);
                cr_assert_eq(gpc_cache_set_replacement(disturbed, NULL, NULL), GPC_ERROR_ARGUMENT);
            }
            cr_assert_eq(gpc_cache_access(disturbed, &request, &a, NULL), GPC_OK);
            cr_assert_eq(gpc_cache_access(calm, &request, &b, NULL), GPC_OK);
            cr_assert_eq(a.outcome, b.outcome, "%s, access %zu", row->spec, i);
            cr_assert_eq(a.way, b.way, "%s, access %zu", row->spec, i);
        }
        free(lines);
        free(next);
        gpc_cache_destroy(disturbed);
        gpc_cache_destroy(calm);
    }
    gpc_context_destroy(context);
}
