/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Promises of papers on insertion: of too large a working set a part stays, of others everything. */

#define ROUNDS 400u

/* Loops over `distinct` lines of each of `sets` sets. */
static uint64_t *loop_of(uint32_t sets, uint32_t distinct) {
    size_t count = (size_t)sets * distinct * ROUNDS;
    uint64_t *lines = malloc(count * sizeof *lines);
    cr_assert_not_null(lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = i % ((size_t)sets * distinct);
    return lines;
}

/* Working sets that fill the cache, each looped four times and never used again. */
static uint64_t *moving_sets(uint32_t capacity) {
    size_t count = (size_t)capacity * ROUNDS;
    uint64_t *lines = malloc(count * sizeof *lines);
    cr_assert_not_null(lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = i / (4 * (size_t)capacity) * capacity + i % capacity;
    return lines;
}

static const struct {
    uint32_t sets, ways, distinct;
} loops[] = {{1, 2, 3}, {1, 4, 5}, {32, 4, 7}, {8, 16, 20}, {4, 24, 40}, {1, 100, 130}};

/*
 * LIP keeps w - 1 lines of w ways, and hits w - 1 times per round after the first. So does a protecting distance that
 * covers the loop: the youngest line without a hit leaves. With bypass the policy keeps w lines.
 */
Test(insertion, loops_larger_than_the_cache) {
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        uint32_t sets = loops[i].sets, ways = loops[i].ways;
        uint64_t *lines = loop_of(sets, loops[i].distinct);
        size_t count = (size_t)sets * loops[i].distinct * ROUNDS, round = (size_t)sets * (ROUNDS - 1);
        cr_expect_eq(count_hits(context, "lru", sets, ways, lines, count), 0);
        cr_expect_eq(count_hits(context, "srrip", sets, ways, lines, count), 0);
        cr_expect_eq(count_hits(context, "lip", sets, ways, lines, count), round * (ways - 1));
        cr_expect_eq(count_hits(context, "bip(epsilon=0)", sets, ways, lines, count), round * (ways - 1));
        cr_expect_eq(count_hits(context, "protecting-distance(distance=130)", sets, ways, lines, count),
                     round * (ways - 1));
        cr_expect_eq(count_hits(context, "protecting-distance(distance=130,bypass=1)", sets, ways, lines, count),
                     round * ways);
        cr_expect_eq(count_hits(context, "opt-bypass", sets, ways, lines, count), round * ways);
        free(lines);
    }
    gpc_context_destroy(context);
}

/*
 * The bimodal policies lose a line sometimes, the duelling policies the quarter of the sets leading for LRU or SRRIP.
 */
Test(insertion, part_of_a_loop_stays) {
    static const struct {
        const char *spec;
        unsigned percent; /* least share of LIP's hits */
    } rows[] = {{"bip", 60},
                {"bip(random=1)", 60},
                {"bip(bypass=1)", 60},
                {"brrip", 60},
                {"brrip(random=1)", 60},
                {"dip", 45},
                {"drrip", 45},
                {"dip(bypass=1)", 45},
                {"plru(insertion=lru)", 20},
                {"plru(insertion=bimodal)", 20}};
    gpc_context *context = open_context(1);
    uint64_t *lines = loop_of(32, 20);
    size_t count = (size_t)32 * 20 * ROUNDS, lip = count_hits(context, "lip", 32, 16, lines, count);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t hits = count_hits(context, rows[i].spec, 32, 16, lines, count);
        cr_expect_geq(hits * 100, lip * rows[i].percent, "%s: %zu of lip's %zu", rows[i].spec, hits, lip);
    }
    free(lines);
    gpc_context_destroy(context);
}

/* Every distance of the loop is 20, so the first candidate covers exactly that: rounded up to the counters' 4. */
Test(insertion, a_protecting_distance_is_found) {
    gpc_context *context = open_context(1);
    uint64_t *lines = loop_of(32, 20);
    size_t count = (size_t)32 * 20 * ROUNDS, best = count_hits(context, "opt-bypass", 32, 16, lines, count);
    size_t given = count_hits(context, "protecting-distance(distance=20,bypass=1)", 32, 16, lines, count);
    size_t found = count_hits(context, "protecting-distance(bypass=1,period=25600)", 32, 16, lines, count);
    cr_expect_eq(given, best);
    /* 40 of the 400 rounds pass before the distance is known; earlier lines may stay as long again */
    cr_expect_geq(found * 100, best * 85, "%zu of %zu", found, best);
    free(lines);
    gpc_context_destroy(context);
}

/*
 * Moving working sets: LRU and SRRIP miss every line once and hit it three times. A line inserted as the least recent,
 * or distant, leaves for the next, so bimodal policies keep the last set's lines. Duelling policies lose the sets
 * leading for these, a quarter of 32 or 64 and 32 of 1024, and the cost of finding out.
 */
Test(insertion, duels_follow_recency_where_it_pays) {
    static const struct { uint32_t sets, ways, percent; } shapes[] = {{32, 4, 70}, {64, 16, 70}, {1024, 4, 94}};
    gpc_context *context = open_context(1);
    const size_t count_of_shapes = sizeof shapes / sizeof *shapes;
    for (size_t i = 0; i < (effort_is_small() ? count_of_shapes - 1 : count_of_shapes); i++) {
        uint32_t sets = shapes[i].sets, ways = shapes[i].ways;
        uint64_t *lines = moving_sets(sets * ways);
        size_t count = (size_t)sets * ways * ROUNDS, lru = count / 4 * 3;
        cr_expect_eq(count_hits(context, "lru", sets, ways, lines, count), lru);
        cr_expect_eq(count_hits(context, "srrip", sets, ways, lines, count), lru);
        cr_expect_lt(count_hits(context, "bip", sets, ways, lines, count) * 5, lru);
        cr_expect_lt(count_hits(context, "brrip", sets, ways, lines, count) * 5, lru);
        cr_expect_geq(count_hits(context, "dip", sets, ways, lines, count) * 100, lru * shapes[i].percent);
        cr_expect_geq(count_hits(context, "drrip", sets, ways, lines, count) * 100, lru * shapes[i].percent);
        free(lines);
    }
    gpc_context_destroy(context);
}

/* Published sizes: DIP's "less than two bytes" beside LRU's, RRIP's M bits a line, the trees' ways - 1 a set. */
Test(insertion, costs) {
    static const struct {
        const char *spec;
        uint64_t bits;
    } known[] = {{"lip", 1024 * 16 * 4},       {"bip", 1024 * 16 * 4 + 5},
                 {"dip", 1024 * 16 * 4 + 15},  {"srrip", 1024 * 16 * 2},
                 {"brrip", 1024 * 16 * 2 + 5}, {"drrip", 1024 * 16 * 2 + 15},
                 {"srrip(bits=3)", 1024 * 48}, {"gippr", 1024 * 15},
                 {"dgippr", 1024 * 15 + 11},   {"plru(insertion=bimodal)", 1024 * 15 + 5},
                 {"bip(epsilon=1)", 1024 * 64}};
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t bits;
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, known[i].spec, 1024, 16, 64, 1, &bits, NULL),
                     GPC_OK);
        cr_expect_eq(bits, known[i].bits, "%s: %llu", known[i].spec, (unsigned long long)bits);
    }
    gpc_context_destroy(context);
}
