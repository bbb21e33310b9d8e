/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Every replacement policy: declarations, and the table called directly. */

typedef struct geometry {
    uint32_t sets, ways;
} geometry;

static const geometry geometries[] = {{1, 1},  {1, 2},  {32, 4},  {3, 5},   {7, 24},   {48, 16},  {5, 17},
                                      {1, 64}, {2, 65}, {1, 100}, {4, 128}, {1, 1000}, {1, 1024}, {300, 1}};
#define GEOMETRIES (sizeof geometries / sizeof *geometries)

#define EACH_ROW(row) for (const replacement_row *row = replacement_rows(); row->spec; row++)

Test(replacement, says_what_it_is_and_is_tried) {
    gpc_context *context = open_context(1);
    size_t count = gpc_policy_count(context, GPC_POLICY_REPLACEMENT);
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_REPLACEMENT, i, &info, NULL), GPC_OK);
        cr_expect(info.builtin);
        cr_expect_gt(strlen(info.name), 0);
        cr_expect_eq(info.name[strspn(info.name, "abcdefghijklmnopqrstuvwxyz0123456789-")], '\0', "%s", info.name);
        cr_expect_gt(strlen(info.summary), 10, "%s", info.name);
        cr_expect_null(strchr(info.summary, '\n'), "%s: one line", info.name);
        cr_expect_gt(strlen(info.source), 0, "%s", info.name);
        for (size_t p = 0; p < info.parameter_count; p++)
            cr_expect_gt(strlen(info.parameters[p].meaning), 0, "%s: %s", info.name, info.parameters[p].name);
        bool listed = false;
        EACH_ROW(row)
        listed |= is_named(row->spec, info.name);
        cr_expect(listed, "%s is not tried", info.name);
    }
    gpc_context_destroy(context);
}

/* Stated, from two ways up, and no smaller for a larger cache. */
Test(replacement, states_its_cost) {
    gpc_context *context = open_context(1);
    EACH_ROW(row) {
        uint64_t small = 0, sets = 0, ways = 0;
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, row->spec, 32, 4, 128, 1, &small, NULL), GPC_OK);
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, row->spec, 64, 4, 128, 1, &sets, NULL), GPC_OK);
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, row->spec, 32, 8, 128, 1, &ways, NULL), GPC_OK);
        cr_expect_gt(small, 0, "%s", row->spec);
        cr_expect_geq(sets, small, "%s", row->spec);
        cr_expect_geq(ways, small, "%s", row->spec);
    }
    gpc_context_destroy(context);
}

/* Published costs, 32 sets of 4 ways: LRU 2 bits a line, tree-PLRU 3 a set, NRU 1 a line, FIFO 2 a set. */
Test(replacement, costs_are_those_of_the_literature) {
    static const struct {
        const char *spec;
        uint64_t bits;
    } known[] = {{"lru", 32 * 4 * 2}, {"plru", 32 * 3}, {"nru", 32 * 4}, {"fifo", 32 * 2}, {"mru", 32 * 2}};
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t bits;
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, known[i].spec, 32, 4, 128, 1, &bits, NULL),
                     GPC_OK);
        cr_expect_eq(bits, known[i].bits, "%s: %llu", known[i].spec, (unsigned long long)bits);
    }
    gpc_context_destroy(context);
}

/*
 * Cost beside an order of LRU, 2 bits a line, in 32 sets of 4 ways: the order counts wherever used, even only for ties,
 * by the rule of gpc_replacement_ops.cost_bits.
 */
Test(replacement, an_order_costs_the_same_everywhere) {
    static const struct {
        const char *spec;
        uint64_t beside;
    } known[] = {
        {"lip", 0},
        {"bip", 5},
        {"bip(random=1)", 64},
        {"dip", 5 + 10},
        {"age-lru", 128 * 8 + 16},
        {"age-lru(exact=1)", 128 * 8 + 16 + 256},
        {"rpr", 8 * (2048 + 208 + 256) + 16},
        {"combined", 8 * (2048 + 208 + 256) + 16},
        {"counter-based", 65536 * 5 + 128 * 21},
        {"counter-based(variant=lvp)", 65536 * 5 + 128 * 17},
        {"sdbp", 3 * 4096 * 2 + 8 * 3 * (15 + 15 + 1 + 1 + 2) + 128},
        {"lrfu", 128 * (24 + 8)},
        {"trace-based", 128 * (13 + 1) + 8192 * 2},
        {"time-based", 128 * (3 * 5 + 1) + 4096 * 6 + 4},
        {"time-based(signature=pc)", 128 * (3 * 5 + 1 + 12) + 4096 * 6 + 4},
        {"reuse-distance", 128 * 2 * 6 + 256 * (6 + 2) + 64 * (24 + 1 + 6 + 8) + 6 + 4 + 4},
        {"nucache", 128 * (1 + 6) + 64 * (1 + 17 * 16) + 8 * (64 * (24 + 1 + 6) + 6) + 10},
    };
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t bits = 0;
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, known[i].spec, 32, 4, 128, 1, &bits, NULL),
                     GPC_OK);
        cr_expect_eq(bits, 128 * 2 + known[i].beside, "%s: %llu", known[i].spec, (unsigned long long)bits);
    }
    gpc_context_destroy(context);
}

/* A generator counts if a random number decides. */
Test(replacement, a_generator_costs_64_bits) {
    static const char *const pairs[][2] = {{"nru", "nru(random=1)"}, {"bip(epsilon=1)", "bip(random=1)"}};
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t without = 0, with = 0;
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, pairs[i][0], 32, 4, 128, 1, &without, NULL), 0);
        cr_assert_eq(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, pairs[i][1], 32, 4, 128, 1, &with, NULL), 0);
        cr_expect_eq(with - without, 64, "%s", pairs[i][1]);
    }
    gpc_context_destroy(context);
}

static uint64_t mix_in(uint64_t digest, const rig_outcome *o) {
    return gpci_mix(digest ^ ((uint64_t)o->way << 2 | (uint64_t)o->hit << 1 | o->bypassed));
}

/* A mask with at least one way; in turns all, one, few and many. */
static void random_mask(uint64_t *random, uint32_t ways, uint64_t words[16]) {
    unsigned rarity = gpci_random_below(random, 4);
    memset(words, 0, 16 * sizeof *words);
    for (uint32_t way = 0; way < ways; way++)
        words[way / 64] |= (uint64_t)(gpci_random_below(random, 1u << (2 * rarity)) == 0) << (way % 64);
    uint32_t sure = gpci_random_below(random, ways);
    words[sure / 64] |= (uint64_t)1 << (sure % 64);
}

static bool set_is_full(const rig *r, uint32_t set) {
    for (uint32_t way = 0; way < r->env.ways; way++)
        if (r->lines[(size_t)set * r->env.ways + way] == RIG_FREE)
            return false;
    return true;
}

/* Random accesses, masked replacements and invalidations; the rig asserts that victims are candidates. */
static uint64_t exercise(const replacement_row *row, geometry g, uint64_t seed) {
    rig r;
    rig_open(&r, row->spec, g.sets, g.ways, seed);
    uint64_t random = 99, digest = 0, words[16];
    uint64_t capacity = (uint64_t)g.sets * g.ways, fresh = 4 * capacity;
    for (uint32_t step = 0; step < effort_of(2000) + 4 * capacity; step++) {
        uint64_t next_use = gpci_random(&random) >> gpci_random_below(&random, 64);
        uint32_t set = gpci_random_below(&random, g.sets);
        rig_outcome o = {0};
        unsigned action = gpci_random_below(&random, 16);
        if (action == 0) {
            rig_invalidate(&r, set, gpci_random_below(&random, g.ways));
        } else if (action < 5 && set_is_full(&r, set)) {
            random_mask(&random, g.ways, words);
            o = rig_replace(&r, set, words, fresh++ * g.sets + set, next_use);
        } else {
            o = rig_access(&r, gpci_random(&random) % (capacity + capacity / 4 + 1), next_use);
        }
        cr_assert(!o.bypassed || row->bypasses, "%s bypassed", row->spec);
        digest = mix_in(digest, &o);
    }
    cr_assert(rig_guards_intact(&r), "%s, %u x %u wrote beside its state", row->spec, g.sets, g.ways);
    rig_close(&r);
    return digest;
}

Test(replacement, keeps_to_candidates_and_to_its_state) {
    EACH_ROW(row)
    for (size_t i = 0; i < GEOMETRIES; i++)
        exercise(row, geometries[i], 5);
}

Test(replacement, repeats_itself_with_the_same_seed) {
    size_t cases = 0;
    EACH_ROW(row)
    for (size_t i = 0; i < GEOMETRIES; i++) {
        if (!effort_takes(cases++))
            continue;
        geometry g = geometries[i];
        uint64_t first = exercise(row, g, 5);
        cr_expect_eq(first, exercise(row, g, 5), "%s, %u x %u", row->spec, g.sets, g.ways);
        if (g.sets * g.ways >= 32 && g.ways > 1)
            cr_expect_eq(first != exercise(row, g, 6), row->seeded, "%s, %u x %u, another seed", row->spec, g.sets,
                         g.ways);
    }
}

/* Sets are independent: a set's victims are equal alone and among others in use. */
Test(replacement, sets_are_independent) {
    EACH_ROW(row) {
        if (row->seeded || row->couples)
            continue; /* one generator, counter or table serves all sets */
        rig alone, among;
        rig_open(&alone, row->spec, 3, 20, 1);
        rig_open(&among, row->spec, 3, 20, 1);
        uint64_t random = 3;
        for (int step = 0; step < 3000; step++) {
            uint64_t line = gpci_random(&random) % 26 * 3 + 1, next_use = gpci_random(&random) % 100;
            rig_outcome a = rig_access(&alone, line, next_use), b = rig_access(&among, line, next_use);
            cr_assert_eq(a.way, b.way, "%s, step %d", row->spec, step);
            rig_access(&among, gpci_random(&random) % 30 * 3, next_use);
            rig_access(&among, gpci_random(&random) % 30 * 3 + 2, next_use / 2);
        }
        rig_close(&alone);
        rig_close(&among);
    }
}
