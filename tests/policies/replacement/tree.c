/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/plru.h"

#include "policies/replacement/naive.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * Positions on the tree of pseudo-LRU compared with Jimenez's pseudocode (MICRO 2013, Figures 7 and 9), on a heap of
 * bits.
 */

typedef struct forest {
    uint32_t leaves;
    const uint32_t *vector[2]; /* of leaves + 1 positions */
    uint32_t leaders, turn, most;
    bool bit[16][2048]; /* a set's nodes, from 1; leaves follow */
} forest;

/* Figure 7: from the leaf up, bit i is set if the parent's bit shows the side of the path. */
static uint32_t position_of(const forest *f, uint32_t set, uint32_t way) {
    uint32_t x = 0;
    unsigned i = 0;
    for (uint32_t q = f->leaves + way; q > 1; q /= 2, i++) {
        bool is_right = q % 2;
        x |= (uint32_t)(is_right ? f->bit[set][q / 2] : !f->bit[set][q / 2]) << i;
    }
    return x;
}

static void place(forest *f, uint32_t set, uint32_t way, uint32_t x) {
    unsigned i = 0;
    for (uint32_t q = f->leaves + way; q > 1; q /= 2, i++)
        f->bit[set][q / 2] = (q % 2) == (x >> i & 1);
}

static uint32_t below(const naive *n, uint32_t set, const bool *candidate, uint32_t node) {
    const forest *f = n->extra;
    if (node >= f->leaves)
        return node - f->leaves < n->ways && candidate[node - f->leaves] ? node - f->leaves : RIG_NO_WAY;
    uint32_t way = below(n, set, candidate, 2 * node + f->bit[set][node]);
    return way != RIG_NO_WAY ? way : below(n, set, candidate, 2 * node + !f->bit[set][node]);
}

static uint32_t victim(naive *n, uint32_t set, const bool *candidate, const gpc_request *request) {
    (void)request;
    return below(n, set, candidate, 1);
}

static void to_first(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    place(n->extra, set, way, 0);
}

static void to_last(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    forest *f = n->extra;
    place(f, set, way, f->leaves - 1);
}

static void bimodal(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    ++n->counter % 8 ? to_last(n, set, way, request) : to_first(n, set, way, request);
}

/* Sets 0 and 15 of 16, one stretch, lead with two vectors of one leader each. */
static const uint32_t *vector_for(naive *n, uint32_t set) {
    const forest *f = n->extra;
    if (!f->leaders)
        return f->vector[0];
    bool second = set == 15 || (set != 0 && n->selector >= f->turn);
    return f->vector[second];
}

static void vector_hit(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    forest *f = n->extra;
    place(f, set, way, vector_for(n, set)[position_of(f, set, way)]);
}

static void vector_miss(naive *n, uint32_t set, const gpc_request *request) {
    (void)request;
    const forest *f = n->extra;
    if (!n->counter++)
        n->selector = f->turn - 1;
    if (set == 0 && n->selector < f->most)
        n->selector++;
    if (set == 15 && n->selector > 0)
        n->selector--;
}

static void vector_fill(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    forest *f = n->extra;
    place(f, set, way, vector_for(n, set)[f->leaves]);
}

static uint32_t leaves_of(uint32_t ways) {
    uint32_t leaves = 1;
    while (leaves < ways)
        leaves *= 2;
    return leaves;
}

static void compare(const char *spec, const naive_ops *ops, forest start, uint32_t sets, uint32_t ways) {
    forest *f = malloc(sizeof *f);
    cr_assert_not_null(f);
    *f = start;
    f->leaves = leaves_of(ways);
    naive_compare(spec, ops, sets, ways, f);
    free(f);
}

Test(tree, plru_insertions) {
    static const uint32_t ways[] = {1, 2, 3, 4, 7, 8, 16, 17, 31, 64, 65, 100, 128, 1000, 1024};
    naive_ops first = {.hit = to_first, .victim = victim, .fill = to_first};
    naive_ops last = {.hit = to_first, .victim = victim, .fill = to_last};
    naive_ops sometimes = {.hit = to_first, .victim = victim, .fill = bimodal};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        compare("plru(insertion=mru)", &first, (forest){0}, 3, ways[i]);
        compare("plru(insertion=lru)", &last, (forest){0}, 3, ways[i]);
        compare("plru(insertion=bimodal,epsilon=0.125)", &sometimes, (forest){0}, 3, ways[i]);
    }
}

/* Section 5.3 of the paper. */
static const uint32_t inclusive[17] = {0, 0, 2, 8, 4, 1, 4, 1, 8, 0, 14, 8, 12, 13, 14, 9, 5};
static const uint32_t two[2][17] = {{8, 0, 2, 8, 12, 4, 6, 3, 0, 8, 10, 8, 4, 12, 14, 3, 15},
                                    {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 0, 0, 0, 0, 0}};

Test(tree, gippr) {
    static const uint32_t ways[] = {9, 12, 15, 16};
    naive_ops ops = {.hit = vector_hit, .victim = victim, .fill = vector_fill};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        compare("gippr", &ops, (forest){.vector = {inclusive}}, 4, ways[i]);
    /* A tree of 4 takes entries 0 4 8 12 and the last of 17, a quarter each: 0 4 8 12 5 are 0 1 2 3 1 */
    static const uint32_t quarter[5] = {0, 1, 2, 3, 1};
    compare("gippr", &ops, (forest){.vector = {quarter}}, 4, 4);
    compare("gippr(0, 1, 2, 3, 1)", &ops, (forest){.vector = {quarter}}, 4, 3);
    /* and one of 32 takes every entry twice, doubled */
    uint32_t twice[33];
    for (int i = 0; i < 32; i++)
        twice[i] = 2 * inclusive[i / 2];
    twice[32] = 10;
    compare("gippr", &ops, (forest){.vector = {twice}}, 4, 32);
    uint32_t large[1025];
    for (int i = 0; i <= 1024; i++)
        large[i] = 64 * inclusive[i / 64];
    compare("gippr", &ops, (forest){.vector = {large}}, 2, 1000);
    static const uint32_t one[2] = {0, 0};
    compare("gippr", &ops, (forest){.vector = {one}}, 3, 1);
}

Test(tree, dgippr) {
    naive_ops ops = {.hit = vector_hit, .miss = vector_miss, .victim = victim, .fill = vector_fill};
    compare("dgippr(leaders=1)", &ops, (forest){.vector = {two[0], two[1]}, .leaders = 1, .turn = 1024, .most = 2047},
            16, 16);
    compare("dgippr(leaders=1, selector=2)", &ops,
            (forest){.vector = {two[0], two[1]}, .leaders = 1, .turn = 2, .most = 3}, 16, 13);
}

/* Vectors equal to plru's policies. */
Test(tree, vectors_of_plru) {
    naive_ops first = {.hit = to_first, .victim = victim, .fill = to_first};
    naive_ops last = {.hit = to_first, .victim = victim, .fill = to_last};
    compare("gippr(0, 0, 0, 0, 0)", &first, (forest){0}, 3, 4);
    compare("gippr(0, 0, 0, 0, 3)", &last, (forest){0}, 3, 4);
}

/* A position put is found again, for every way and position. */
Test(tree, positions) {
    uint64_t nodes[2] = {0};
    gpc_policy_env env = {.sets = 1, .ways = 128, .set_state = nodes, .line_state = nodes};
    gpci_tree tree;
    gpci_tree_init(&tree, &env);
    for (uint32_t way = 0; way < 128; way++)
        for (uint32_t position = 0; position < 128; position++) {
            gpci_tree_put(&tree, 0, way, position);
            cr_assert_eq(gpci_tree_get(&tree, 0, way), position);
            if (position == 127)
                cr_assert_eq(gpci_tree_victim(&tree, 0, NULL), way);
        }
}

static void refuse(const char *spec) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_cache *cache = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    options.sets = options.ways = 4;
    options.replacement = spec;
    cr_expect_lt(gpc_cache_create(context, &options, &cache, &error), 0, "%s", spec);
    cr_expect_not_null(strstr(error.message, "power of two"), "%s: %s", spec, error.message);
    gpc_context_destroy(context);
}

Test(tree, refusals) {
    refuse("gippr(0)");
    refuse("gippr(0, 0, 0, 0)");
    refuse("gippr(0, 0, 0, 4, 0)");
    refuse("gippr(0, 0, 0, 0, 4)");
    refuse("gippr(0, zero, 0)");
    refuse("gippr(0, -1, 0)");
    refuse("gippr(0, 5000000000, 0)");
    refuse("dgippr(0, 0, 0)");
    refuse("dgippr(0, 0, 0, 0, 0, 0, 0)");
}
