/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * All states that small trees can reach, under each protocol. GPUCACHE_EXPLORE=full takes the larger ones as well;
 * `--verbose` shows how many states and edges there are.
 */

#define BIT(kind) (1u << EXPLORE_##kind)
#define COHERENT (BIT(LOAD) | BIT(STORE))
#define ENDS (BIT(FLUSH) | BIT(ACQUIRE))

static const explore_tree two = {.name = "2 over memory", .caches = 2};
static const explore_tree three = {.name = "3 over memory", .caches = 3};
static const explore_tree two_entry = {.name = "2 over memory, 1 entry", .caches = 2, .memory_ways = 1};
static const explore_tree two_l2 = {.name = "2 over L2", .caches = 2, .l2 = 1, .l2_ways = 2};
static const explore_tree three_l2 = {.name = "3 over L2", .caches = 3, .l2 = 1, .l2_ways = 2};
static const explore_tree two_small = {.name = "2 over L2 of 1 block", .caches = 2, .l2 = 1, .l2_ways = 1};
static const explore_tree three_small = {.name = "3 over L2 of 1 block", .caches = 3, .l2 = 1, .l2_ways = 1};
static const explore_tree halves = {.name = "2 over L2, sub-blocks", .caches = 2, .l2 = 1, .l2_ways = 1, .l2_block = 16};
static const explore_tree halves_3 = {.name = "3 over L2, sub-blocks", .caches = 3, .l2 = 1, .l2_ways = 1, .l2_block = 16};
static const explore_tree apart = {.name = "2 L2 of 1 cache", .caches = 2, .l2 = 2, .l2_ways = 1};
static const explore_tree deep = {.name = "2 L2 of 2 caches", .caches = 4, .l2 = 2, .l2_ways = 1};
static const explore_tree apart_l3 = {.name = "2 L2 of 1 cache, L3", .caches = 2, .l2 = 2, .l3 = true, .l2_ways = 1, .l3_ways = 1};
static const explore_tree deep_l3 = {.name = "2 L2 of 2 caches, L3", .caches = 4, .l2 = 2, .l3 = true, .l2_ways = 1, .l3_ways = 1};
static const explore_tree loose = {.name = "2 over non-inclusive L2", .caches = 2, .l2 = 1, .l2_ways = 1, .non_inclusive = true};
static const explore_tree through = {.name = "2 over L2, write-through", .caches = 2, .l2 = 1, .l2_ways = 1, .write_through = true};
static const explore_tree around = {.name = "2 over L2, no write-allocate", .caches = 2, .l2 = 1, .l2_ways = 1, .write_through = true, .no_write_allocate = true};

typedef struct family {
    const char *protocol, *letters;
    bool races, refreshes, steered;
} family;

static const family families[] = {
    {"msi", "MSI", false, false, false},
    {"mesi", "MESI", false, false, false},
    {"mosi", "MOSI", false, false, false},
    {"moesi", "MOESI", false, false, false},
    {"nmoesi", "NMOESI", true, false, false},
    {"vi", NULL, true, true, false},
    {"none", NULL, true, false, false},
    {"slc-glc", NULL, true, true, true},
};
enum { FAMILIES = sizeof families / sizeof *families };

static gpc_context *context;

static void set_up(void) {
    cr_assert_eq(gpc_context_create(NULL, NULL, &context), GPC_OK);
}

static void tear_down(void) {
    gpc_context_destroy(context);
}

TestSuite(explore, .init = set_up, .fini = tear_down);

static bool is_full(void) {
    const char *wish = getenv("GPUCACHE_EXPLORE");
    return wish && strcmp(wish, "full") == 0;
}

static explore_setup setup_of(const family *f, const explore_tree *tree, uint32_t blocks, uint32_t positions) {
    return (explore_setup){
        .context = context,
        .protocol = f->protocol,
        .tree = *tree,
        .blocks = blocks,
        .positions = positions,
        .kinds = COHERENT | ENDS | (f->races ? BIT(N_STORE) : 0),
        .races = f->races,
        .refreshes = f->refreshes,
        .steered = f->steered,
        .letters = tree->write_through ? NULL : f->letters,
    };
}

static explore_report explore(const explore_setup *setup) {
    explore_report report;
    explore_run(setup, &report);
    fprintf(stderr, "explored %-16s %-28s %u blocks %u bytes: %8llu states %10llu edges\n", setup->protocol,
            setup->tree.name, setup->blocks, setup->positions, (unsigned long long)report.states,
            (unsigned long long)report.edges);
    return report;
}

/* Sound, to the end. */
static void all_of(const explore_tree *tree, uint32_t blocks, uint32_t positions) {
    for (size_t i = 0; i < FAMILIES; i++) {
        const explore_setup setup = setup_of(&families[i], tree, blocks, positions);
        const explore_report report = explore(&setup);
        cr_expect(report.complete, "%s", report.text);
    }
}
