/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "base/base.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Theorems about replacement for arbitrary streams. */

#define COUNT 20000

static const struct { uint32_t sets, ways; } shapes[] = {{1, 2}, {4, 4}, {3, 5}, {32, 4}, {7, 24}, {1, 128}};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* No policy that fetches on every miss beats opt, and no policy at all beats opt with bypass. */
Test(properties, the_optimum_is_never_beaten) {
    const size_t count = effort_of(COUNT);
    gpc_context *context = open_context(1);
    for (size_t s = 0; s < SHAPES; s++)
        for (int kind = 0; kind < STREAM_COUNT; kind++) {
            uint32_t sets = shapes[s].sets, ways = shapes[s].ways;
            uint64_t *lines = stream_make((stream_kind)kind, s + 10, sets * ways, count);
            size_t best = count_hits(context, "opt", sets, ways, lines, count);
            size_t best_bypassing = count_hits(context, "opt(bypass=1)", sets, ways, lines, count);
            cr_expect_gt(best, 0);
            cr_expect_geq(best_bypassing, best);
            for (const replacement_row *row = replacement_rows(); row->spec; row++) {
                const char *spec = row->spec;
                size_t hits = count_hits(context, spec, sets, ways, lines, count);
                size_t bound = row->bypasses ? best_bypassing : best;
                cr_expect_leq(hits, bound, "%s beats opt, %u x %u: %zu", spec, sets, ways, hits);
            }
            free(lines);
        }
    gpc_context_destroy(context);
}

/* Most hits of any choice of victims (and of bypasses) from access `i` on: every choice is tried. */
typedef struct search {
    const uint64_t *lines;
    size_t count;
    uint32_t ways;
    bool bypass;
} search;

static size_t most_hits(const search *s, size_t i, const uint64_t *resident, uint32_t used) {
    if (i == s->count)
        return 0;
    for (uint32_t way = 0; way < used; way++)
        if (resident[way] == s->lines[i])
            return 1 + most_hits(s, i + 1, resident, used);
    uint64_t after[4];
    memcpy(after, resident, sizeof after);
    size_t best = s->bypass ? most_hits(s, i + 1, resident, used) : 0;
    bool full = used == s->ways;
    for (uint32_t way = full ? 0 : used; way < (full ? used : used + 1); way++) {
        after[way] = s->lines[i];
        size_t hits = most_hits(s, i + 1, after, full ? used : used + 1);
        best = hits > best ? hits : best;
        after[way] = resident[way];
    }
    return best;
}

Test(properties, opt_finds_what_trying_everything_finds) {
    gpc_context *context = open_context(1);
    uint64_t random = 11;
    for (int trial = 0; trial < 300; trial++) {
        uint64_t lines[13], none[4] = {0};
        uint32_t ways = 1 + gpci_random_below(&random, 3), distinct = ways + 1 + gpci_random_below(&random, 3);
        for (int i = 0; i < 13; i++)
            lines[i] = gpci_random_below(&random, distinct);
        search demand = {lines, 13, ways, false}, bypassing = {lines, 13, ways, true};
        cr_expect_eq(count_hits(context, "opt", 1, ways, lines, 13), most_hits(&demand, 0, none, 0), "trial %d", trial);
        cr_expect_eq(count_hits(context, "opt(bypass=1)", 1, ways, lines, 13), most_hits(&bypassing, 0, none, 0),
                     "trial %d, bypassing", trial);
    }
    gpc_context_destroy(context);
}

/*
 * Mattson et al., IBM Systems Journal 9(2), 1970: an access hits in LRU of w ways exactly if fewer than w other lines
 * of the set came since the line's last access. distances[d] = accesses with d other lines between.
 */
static void stack_distances(const uint64_t *lines, size_t count, uint32_t sets, size_t *distances, size_t limit) {
    uint64_t *stack = malloc(count * sizeof *stack); /* stack of the present set, most recent first */
    cr_assert_not_null(stack);
    memset(distances, 0, limit * sizeof *distances);
    for (uint32_t set = 0; set < sets; set++) {
        size_t depth = 0;
        for (size_t i = 0; i < count; i++) {
            if (lines[i] % sets != set)
                continue;
            size_t at = 0;
            while (at < depth && stack[at] != lines[i])
                at++;
            if (at == depth)
                depth++;
            else if (at < limit)
                distances[at]++;
            memmove(stack + 1, stack, at * sizeof *stack);
            stack[0] = lines[i];
        }
    }
    free(stack);
}

Test(properties, lru_hits_are_the_stack_distances) {
    enum { LIMIT = 40 };
    gpc_context *context = open_context(1);
    for (uint32_t sets = 1; sets <= 12; sets += 11)
        for (int kind = 0; kind < STREAM_COUNT; kind++) {
            uint64_t *lines = stream_make((stream_kind)kind, 21, sets * 16, COUNT);
            size_t distances[LIMIT], expected = 0;
            stack_distances(lines, COUNT, sets, distances, LIMIT);
            for (uint32_t ways = 1; ways <= LIMIT; ways++) {
                expected += distances[ways - 1];
                cr_expect_eq(count_hits(context, "lru", sets, ways, lines, COUNT), expected, "%u x %u, stream %d", sets,
                             ways, kind);
            }
            free(lines);
        }
    gpc_context_destroy(context);
}

/* Lines resident in w ways of LRU are resident in w + 1, too. */
static void check_inclusion(const gpc_cache *smaller, const gpc_cache *larger, size_t step) {
    gpc_line line;
    size_t lines = 0;
    for (uint64_t cursor = 0; gpc_cache_next_line(smaller, &cursor, &line, NULL) == GPC_OK; lines++) {
        gpc_request request = {.address = line.line_address};
        gpc_access_result result;
        cr_assert_eq(gpc_cache_probe(larger, &request, &result, NULL), GPC_OK);
        cr_assert_eq(result.outcome, GPC_HIT, "step %zu", step);
    }
    cr_assert(lines > 0 || step == 0);
}

Test(properties, lru_of_more_ways_includes_that_of_fewer) {
    enum { CACHES = 20 };
    gpc_context *context = open_context(1);
    gpc_cache *caches[CACHES];
    for (uint32_t i = 0; i < CACHES; i++)
        caches[i] = open_cache(context, "lru", 3, i + 1);
    uint64_t *lines = stream_make(STREAM_SKEWED, 31, 3 * 12, 5000);
    for (size_t step = 0; step < 5000; step++) {
        gpc_request request = {.address = lines[step] * 128};
        for (int i = 0; i < CACHES; i++)
            cr_assert_eq(gpc_cache_access(caches[i], &request, NULL, NULL), GPC_OK);
        for (int i = 0; step % 10 == 0 && i + 1 < CACHES; i++)
            check_inclusion(caches[i], caches[i + 1], step);
    }
    free(lines);
    for (int i = 0; i < CACHES; i++)
        gpc_cache_destroy(caches[i]);
    gpc_context_destroy(context);
}

/* Belady, Nelson and Shedler, CACM 12(6), 1969: three frames, nine faults; four frames, ten. */
Test(properties, fifo_shows_beladys_anomaly) {
    static const uint64_t lines[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    gpc_context *context = open_context(1);
    cr_expect_eq(12 - count_hits(context, "fifo", 1, 3, lines, 12), 9);
    cr_expect_eq(12 - count_hits(context, "fifo", 1, 4, lines, 12), 10);
    gpc_context_destroy(context);
}

/*
 * A loop over one line more than the set holds: LRU and FIFO never hit. MRU keeps all but one way, missing one of every
 * w accesses, like the optimum.
 */
Test(properties, a_loop_defeats_lru_and_not_mru) {
    gpc_context *context = open_context(1);
    for (uint32_t ways = 2; ways <= 40; ways += 2) {
        uint64_t lines[41 * 40];
        size_t count = (ways + 1) * 40;
        for (size_t i = 0; i < count; i++)
            lines[i] = i % (ways + 1);
        cr_expect_eq(count_hits(context, "lru", 1, ways, lines, count), 0);
        cr_expect_eq(count_hits(context, "fifo", 1, ways, lines, count), 0);
        size_t misses = ways + (count - ways + ways - 1) / ways;
        cr_expect_eq(count_hits(context, "mru", 1, ways, lines, count), count - misses, "%u ways", ways);
        cr_expect_eq(count_hits(context, "opt", 1, ways, lines, count), count - misses, "%u ways", ways);
    }
    gpc_context_destroy(context);
}

/* With one way, or with room for everything, there is no choice: all policies are equal. */
Test(properties, without_a_choice_all_policies_are_alike) {
    gpc_context *context = open_context(1);
    uint64_t *lines = stream_make(STREAM_SKEWED, 41, 64, COUNT);
    size_t one_way = count_hits(context, "lru", 32, 1, lines, COUNT);
    size_t all_fit = count_hits(context, "lru", 2, 128, lines, COUNT);
    for (const replacement_row *row = replacement_rows(); row->spec; row++) {
        const char *spec = row->spec;
        if (!row->bypasses)
            cr_expect_eq(count_hits(context, spec, 32, 1, lines, COUNT), one_way, "%s", spec);
        cr_expect_eq(count_hits(context, spec, 2, 128, lines, COUNT), all_fit, "%s", spec);
    }
    free(lines);
    gpc_context_destroy(context);
}

/* Tree-PLRU of two ways is LRU; of more it never evicts the last used line. */
Test(properties, plru_of_two_ways_is_lru) {
    gpc_context *context = open_context(1);
    for (int kind = 0; kind < STREAM_COUNT; kind++) {
        uint64_t *lines = stream_make((stream_kind)kind, 51, 8, COUNT);
        cr_expect_eq(count_hits(context, "plru", 4, 2, lines, COUNT), count_hits(context, "lru", 4, 2, lines, COUNT));
        free(lines);
    }
    gpc_context_destroy(context);
}
