/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore_families.h"

#include <string.h>

const explore_family explore_families[EXPLORE_FAMILIES] = {
    {"msi", "MSI", false, false, false},      {"mesi", "MESI", false, false, false},
    {"mosi", "MOSI", false, false, false},    {"moesi", "MOESI", false, false, false},
    {"nmoesi", "NMOESI", true, false, false}, {"vi", NULL, true, true, false},
    {"none", NULL, true, false, false},       {"slc-glc", NULL, true, true, true},
};

const explore_family explore_mended = {"nmoesi-multi2sim", NULL, true, false, false};

static const explore_tree trees[] = {
    {.name = "2 over memory", .caches = 2},
    {.name = "3 over memory", .caches = 3},
    {.name = "2 over memory of 1 entry", .caches = 2, .memory_ways = 1},
    {.name = "3 over memory of 1 entry", .caches = 3, .memory_ways = 1},
    {.name = "2 over L2", .caches = 2, .l2 = 1, .l2_ways = 2},
    {.name = "3 over L2", .caches = 3, .l2 = 1, .l2_ways = 2},
    {.name = "2 over L2 of 1 block", .caches = 2, .l2 = 1, .l2_ways = 1},
    {.name = "3 over L2 of 1 block", .caches = 3, .l2 = 1, .l2_ways = 1},
    {.name = "2 over L2 of sub-blocks", .caches = 2, .l2 = 1, .l2_ways = 1, .l2_block = 16},
    {.name = "3 over L2 of sub-blocks", .caches = 3, .l2 = 1, .l2_ways = 1, .l2_block = 16},
    {.name = "2 over a loose L2", .caches = 2, .l2 = 1, .l2_ways = 1, .non_inclusive = true},
    {.name = "2 loose L2, room above", .caches = 2, .first_ways = 2, .l2 = 2, .l2_ways = 1, .non_inclusive = true},
    {.name = "2 writing through to L2", .caches = 2, .l2 = 1, .l2_ways = 1, .write_through = true},
    {.name = "2 writing around to L2",
     .caches = 2,
     .l2 = 1,
     .l2_ways = 1,
     .write_through = true,
     .no_write_allocate = true},
    {.name = "2 L2 of 1", .caches = 2, .l2 = 2, .l2_ways = 1},
    {.name = "2 L2 of 2", .caches = 4, .l2 = 2, .l2_ways = 1},
    {.name = "L2 of 2, L2 of 1", .caches = 3, .l2 = 2, .l2_ways = 1},
    {.name = "2 L2 of 1, memory of 1", .caches = 2, .l2 = 2, .l2_ways = 1, .memory_ways = 1},
    {.name = "2 L2 of 1, L3", .caches = 2, .l2 = 2, .l3 = true, .l2_ways = 1, .l3_ways = 1},
    {.name = "2 L2 of 2, L3", .caches = 4, .l2 = 2, .l3 = true, .l2_ways = 1, .l3_ways = 1},
    {.name = "2 L2 of 1, sub-blocks", .caches = 2, .l2 = 2, .l2_ways = 1, .l2_block = 16},
};

const explore_tree *explore_tree_at(size_t index) {
    return index < sizeof trees / sizeof *trees ? &trees[index] : NULL;
}

const explore_tree *explore_tree_of(const char *name) {
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (strcmp(trees[i].name, name) == 0)
            return &trees[i];
    return NULL;
}

const explore_family *explore_family_of(const char *protocol) {
    for (size_t i = 0; i < EXPLORE_FAMILIES; i++)
        if (strcmp(explore_families[i].protocol, protocol) == 0)
            return &explore_families[i];
    return strcmp(protocol, explore_mended.protocol) == 0 ? &explore_mended : NULL;
}

explore_setup explore_setup_of(gpc_context *context, const explore_family *f, const explore_tree *tree, uint32_t blocks,
                               uint32_t positions) {
    return (explore_setup){
        .context = context,
        .protocol = f->protocol,
        .tree = *tree,
        .blocks = blocks,
        .positions = positions,
        .kinds = EXPLORE_ALL_KINDS,
        .races = f->races,
        .refreshes = f->refreshes,
        .steered = f->steered,
        .letters = tree->write_through ? NULL : f->letters,
        .multi2sim = f == &explore_mended,
        .plain = f->letters || f == &explore_mended || tree->write_through ? NULL : f->protocol,
    };
}
