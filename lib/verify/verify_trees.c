/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/protocol/protocols.h"
#include "verify/verify.h"

#include <string.h>

/*
 * Trees to explore: first-level caches of a single block, over a memory, or over second-level caches, perhaps over an
 * L3. In names, "of 1" counts ways or first-level caches; "sub-blocks": a block of an L2 has two first-level blocks;
 * "loose": the L2 is non-inclusive; "line": a line has both explored blocks; "writing around": the first level writes
 * through and does not allocate; "near each other": L2s of two halves; a "masking" L2 keeps stored bytes without
 * reading the rest of the block.
 */

static const gpci_verify_tree trees[] = {
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
    {.name = "3 over memory of 1 pointer", .caches = 3, .pointers = 1},
    {.name = "3 over evicting memory", .caches = 3, .pointers = 1, .overflow = GPC_OVERFLOW_EVICT},
    {.name = "4 over coarse memory", .caches = 4, .pointers = 1, .overflow = GPC_OVERFLOW_COARSE},
    {.name = "2 L2 of 2 evicting memory",
     .caches = 4,
     .l2 = 2,
     .l2_ways = 1,
     .pointers = 1,
     .overflow = GPC_OVERFLOW_EVICT},
    {.name = "2 L2 near each other", .caches = 2, .l2 = 2, .l2_ways = 2, .halves = true},
    {.name = "2 around L2 near each other",
     .caches = 2,
     .l2 = 2,
     .l2_ways = 2,
     .write_through = true,
     .no_write_allocate = true,
     .halves = true},
    {.name = "2 of lines over memory", .caches = 2, .first_sectors = 2},
    {.name = "L2 of a line, memory of 1", .caches = 2, .l2 = 1, .l2_ways = 1, .l2_sectors = 2, .memory_ways = 1},
    {.name = "2 writing to a masking L2",
     .caches = 2,
     .l2 = 1,
     .l2_ways = 1,
     .write_through = true,
     .no_write_allocate = true,
     .byte_masks = true},
};

const gpci_verify_tree *gpci_verify_tree_at(size_t index) {
    return index < sizeof trees / sizeof *trees ? &trees[index] : NULL;
}

const gpci_verify_tree *gpci_verify_tree_of(const char *name) {
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (strcmp(trees[i].name, name) == 0)
            return &trees[i];
    return NULL;
}

/*
 * Systems that gpc_verify_system lists. Two blocks are explored if a block of the L2 has two sub-blocks, or if caches
 * must evict; two bytes, if stores to different bytes can race.
 */
static const struct system {
    const char *tree;
    uint32_t blocks, bytes, in_flight;
} systems[] = {
    {"2 over memory", 1, 2, 0},
    {"3 over memory", 1, 1, 0},
    {"2 over L2", 1, 1, 0},
    {"2 over memory of 1 entry", 2, 1, 0},
    {"2 over memory", 2, 1, 0},
    {"3 over L2", 1, 1, 0},
    {"2 L2 of 1", 1, 1, 0},
    {"2 L2 of 1, L3", 1, 1, 0},
    {"2 over L2 of 1 block", 2, 1, 0},
    {"2 over L2 of sub-blocks", 2, 1, 0},
    {"2 over a loose L2", 2, 1, 0},
    {"2 writing through to L2", 2, 1, 0},
    {"2 writing around to L2", 2, 1, 0},
    {"2 L2 of 1, memory of 1", 2, 1, 0},
    {"2 L2 of 1, sub-blocks", 2, 1, 0},
    {"2 loose L2, room above", 2, 2, 0},
    {"3 over memory of 1 pointer", 1, 1, 0},
    {"3 over evicting memory", 1, 1, 0},
    {"2 of lines over memory", 2, 1, 0},
    {"L2 of a line, memory of 1", 2, 1, 0},
    {"2 writing to a masking L2", 2, 1, 0},
    {"2 over memory", 1, 1, 1},
    {"2 over L2", 1, 1, 1},
    {"2 L2 of 1", 1, 1, 1},
    {"2 L2 of 1, L3", 1, 1, 1},
    {"2 over memory", 1, 1, 2},
    {"2 over memory of 1 entry", 2, 1, 1},
    {"3 over memory", 1, 1, 1},
    {"2 over memory", 1, 2, 1},
    {"2 L2 of 1, memory of 1", 2, 1, 1},
    {"2 over L2 of sub-blocks", 2, 1, 1},
    {"2 over a loose L2", 2, 1, 1},
    {"2 writing around to L2", 2, 1, 1},
    {"2 loose L2, room above", 2, 2, 1},
    {"3 over memory of 1 pointer", 1, 1, 1},
    {"3 over evicting memory", 1, 1, 1},
    {"2 L2 near each other", 2, 1, 0},
    {"2 L2 near each other", 2, 1, 1},
    {"2 around L2 near each other", 2, 1, 1},
    {"2 of lines over memory", 2, 1, 1},
    {"L2 of a line, memory of 1", 2, 1, 1},
    {"2 writing to a masking L2", 2, 1, 1},
};

gpc_status gpc_verify_system(uint32_t index, gpc_verify_options *options, gpc_error *error) {
    gpc_verify_options ours = GPC_VERIFY_OPTIONS_INIT;
    if (!options)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_verify_system: options is NULL");
    if (index >= sizeof systems / sizeof *systems)
        return GPC_END;
    const gpc_status status = gpci_take(&ours, sizeof ours, sizeof ours, options, "gpc_verify_options", error);
    if (status != GPC_OK)
        return status;
    ours.tree = systems[index].tree;
    ours.blocks = systems[index].blocks;
    ours.bytes = systems[index].bytes;
    ours.in_flight = systems[index].in_flight;
    return gpci_give(options, &ours, sizeof ours, "gpc_verify_options", error);
}

typedef struct tree_plan {
    gpc_coherence_module modules[GPCI_VERIFY_MODULES];
    uint32_t low[GPCI_VERIFY_MODULES], both[GPCI_VERIFY_MODULES][2];
    uint32_t count, latency;
} tree_plan;

static const char *const names[GPCI_VERIFY_MODULES] = {"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"};

static gpc_coherence_module *add(tree_plan *tree, uint32_t low, uint32_t ways, uint32_t block_bytes) {
    gpc_coherence_module *module = &tree->modules[tree->count];
    *module = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
    module->name = names[tree->count];
    module->ways = ways;
    module->block_bytes = block_bytes;
    module->low_network = module->high_network = 0;
    module->latency = module->directory_latency = tree->latency;
    tree->low[tree->count] = low;
    module->low = &tree->low[tree->count];
    module->low_count = 1;
    tree->count++;
    return module;
}

/*
 * Plan a tree with two second-level caches of two halves each, first-level caches over both halves of a second-level
 * cache, and two memories.
 */
static void plan_halves(tree_plan *p, const gpci_verify_setup *setup) {
    const gpci_verify_tree *tree = &setup->tree;
    const uint32_t near = tree->caches, home = near + 2, memory = home + 2;
    for (uint32_t i = 0; i < tree->caches; i++) {
        gpc_coherence_module *module = add(p, 0, 1, GPCI_VERIFY_BLOCK);
        p->both[i][0] = near + i * 2 / tree->caches;
        p->both[i][1] = home + i * 2 / tree->caches;
        module->low = p->both[i];
        module->low_count = 2;
        module->high_network = GPC_NO_MODULE;
        module->write_through = tree->write_through;
        module->no_write_allocate = tree->no_write_allocate;
    }
    for (uint32_t i = 0; i < 2; i++)
        add(p, home + 1 - i, tree->l2_ways, GPCI_VERIFY_BLOCK)->near_of = home + i;
    for (uint32_t i = 0; i < 2; i++)
        add(p, memory + i, tree->l2_ways, GPCI_VERIFY_BLOCK)->home = (uint8_t)(1 + i);
    for (uint32_t i = 0; i < 2; i++) {
        gpc_coherence_module *module = add(p, 0, setup->in_flight ? 1 : 0, GPCI_VERIFY_BLOCK);
        module->home = (uint8_t)(1 + i);
        module->memory = true;
        module->low = NULL;
        module->low_count = 0;
        module->low_network = GPC_NO_MODULE;
    }
}

static void first_level(tree_plan *p, const gpci_verify_setup *setup) {
    const gpci_verify_tree *tree = &setup->tree;
    for (uint32_t i = 0; i < tree->caches; i++) {
        const uint32_t low = tree->l2 ? tree->caches + i * tree->l2 / tree->caches : tree->caches;
        gpc_coherence_module *module = add(p, low, tree->first_ways ? tree->first_ways : 1, GPCI_VERIFY_BLOCK);
        module->high_network = GPC_NO_MODULE;
        module->write_through = tree->write_through;
        module->no_write_allocate = tree->no_write_allocate;
        module->sectors = (uint8_t)tree->first_sectors;
    }
}

static void limit(gpc_coherence_module *module, const gpci_verify_tree *tree) {
    module->directory_pointers = (uint8_t)tree->pointers;
    module->directory_overflow = (uint8_t)tree->overflow;
    module->directory_region = tree->overflow == GPC_OVERFLOW_COARSE ? 2 : 0;
}

static void plan_levels(tree_plan *p, const gpci_verify_setup *setup) {
    const gpci_verify_tree *tree = &setup->tree;
    const uint32_t block = tree->l2_block ? tree->l2_block : GPCI_VERIFY_BLOCK;
    first_level(p, setup);
    for (uint32_t i = 0; i < tree->l2; i++) {
        gpc_coherence_module *module = add(p, tree->caches + tree->l2, tree->l2_ways, block);
        module->non_inclusive = tree->non_inclusive;
        module->sectors = (uint8_t)tree->l2_sectors;
        module->byte_masks = tree->byte_masks;
        module->directory_ways = tree->non_inclusive ? 2 : 0;
    }
    for (uint32_t i = 0; i < tree->l2; i++)
        limit(&p->modules[tree->caches + i], tree);
    if (tree->l3)
        add(p, tree->caches + tree->l2 + 1, tree->l3_ways, block);
    /* with overlapping accesses, a state names a memory's entries by way: the memory has a way for each block */
    gpc_coherence_module *memory =
        add(p, 0, tree->memory_ways || !setup->in_flight ? tree->memory_ways : setup->blocks, block);
    limit(memory, tree);
    memory->memory = true;
    memory->low = NULL;
    memory->low_count = 0;
    memory->low_network = GPC_NO_MODULE;
}

gpc_coherence *gpci_verify_make(const gpci_verify_setup *setup, gpc_error *error) {
    tree_plan tree = {.latency = setup->latencies};
    (setup->tree.halves ? plan_halves : plan_levels)(&tree, setup);

    gpc_coherence_network network = GPC_COHERENCE_NETWORK_INIT;
    network.name = "net";
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    options.protocol = setup->protocol;
    options.modules = tree.modules;
    options.module_count = tree.count;
    options.networks = &network;
    options.network_count = 1;
    options.timing = false;
    options.homes = setup->tree.halves ? 2 : 0;
    options.page_bytes = setup->tree.halves ? GPCI_VERIFY_BLOCK : 0;
    gpc_coherence *coherence = NULL;
    if (gpc_coherence_create(setup->context, &options, &coherence, error))
        return NULL;
    if (setup->faults || setup->protocol_flags)
        gpci_coherence_inject(coherence, setup->faults, setup->protocol_flags);
    return coherence;
}

/* -- symmetries */

/*
 * True if the engine treats equal modules alike. If not, states that differ only in the numbers of modules may behave
 * differently.
 */
static bool is_symmetric(const gpci_explorer *explorer) {
    const bool sharers_send = gpci_tree_sharers_send(explorer->coherence, *explorer->coherence->protocol->first);
    uint32_t above = 0;
    for (uint32_t i = 0; i < explorer->coherence->module_count; i++)
        above =
            explorer->coherence->modules[i].above_count > above ? explorer->coherence->modules[i].above_count : above;
    if (!explorer->setup->symmetric || !explorer->tracked || explorer->setup->faults || explorer->setup->tree.halves)
        return false;
    /* the choice of evicted sharers, and the groups, depend on the module's place */
    if (explorer->setup->tree.overflow != GPC_OVERFLOW_BROADCAST)
        return false;
    /* with accesses one at a time, the module at the first place sends n-stored bytes first */
    if (!explorer->setup->in_flight && explorer->coherence->non_coherent)
        return false;
    return !sharers_send || above <= 2; /* if there are several sharers, the last sharer is probed */
}

/*
 * Find the places of the lower modules for a permutation of the first-level caches. False: the permutation is no
 * symmetry of the tree.
 */
static bool complete(const gpci_explorer *explorer, uint8_t place_of[GPCI_VERIFY_MODULES]) {
    const uint32_t caches = explorer->setup->tree.caches, count = explorer->coherence->module_count;
    bool used[GPCI_VERIFY_MODULES] = {false};
    for (uint32_t i = caches; i < count; i++)
        place_of[i] = UINT8_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t low = explorer->low[i][0];
        if (place_of[i] == UINT8_MAX)
            return false;
        if (low == GPC_NO_MODULE)
            continue;
        const uint32_t there = explorer->low[place_of[i]][0];
        if (place_of[low] != UINT8_MAX && place_of[low] != there)
            return false;
        place_of[low] = (uint8_t)there;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (used[place_of[i]])
            return false;
        used[place_of[i]] = true;
    }
    return true;
}

static void add_permutation(gpci_explorer *explorer, const uint8_t place_of[GPCI_VERIFY_MODULES]) {
    uint8_t *permutation = explorer->permutations[explorer->permutation_count++];
    for (uint32_t i = 0; i < explorer->coherence->module_count; i++)
        permutation[place_of[i]] = (uint8_t)i;
}

void gpci_verify_find_permutations(gpci_explorer *explorer) {
    const uint32_t caches = explorer->setup->tree.caches, most = is_symmetric(explorer) ? 256 : 1;
    explorer->permutation_count = 0;
    /* a word has `caches` letters of two bits; words without a repeated letter are the permutations */
    for (uint32_t word = 0; word < most; word++) {
        uint8_t place_of[GPCI_VERIFY_MODULES];
        uint32_t seen = 0;
        for (uint32_t i = 0; i < caches; i++) {
            const uint32_t letter = most == 1 ? i : word >> 2 * i & 3;
            place_of[i] = (uint8_t)letter;
            seen |= 1u << letter;
        }
        if (word >> 2 * caches || seen != (1u << caches) - 1 || !complete(explorer, place_of))
            continue;
        add_permutation(explorer, place_of);
    }
}

/* -- promises */

static uint32_t means_of(const gpc_protocol *protocol, uint32_t state) {
    static const uint32_t six[GPC_LINE_COUNT] = {GPC_MEANS_N, GPC_MEANS_M, GPC_MEANS_O, GPC_MEANS_E, GPC_MEANS_S, 0};
    return state < GPC_LINE_COUNT ? six[state] : protocol->states[state - GPC_LINE_COUNT].means;
}

void gpci_verify_promises(const gpc_protocol *protocol, gpci_verify_setup *setup) {
    const gpc_protocol_rule(*first)[GPC_EVENT_COUNT] = *protocol->first;
    const bool tracked = protocol->flags & GPC_PROTOCOL_DIRECTORY;
    bool n = false, shared = false, refreshes = true, detaches = false;
    for (uint32_t state = 0; state < gpci_states_of(protocol); state++) {
        const gpc_protocol_rule *rules = first[state];
        detaches |= means_of(protocol, state) & GPC_MEANS_DETACHED && rules[GPC_EVENT_ACQUIRE].actions;
        n |= rules[GPC_EVENT_N_STORE].actions &&
             means_of(protocol, rules[GPC_EVENT_N_STORE].next) & GPC_MEANS_NON_COHERENT;
        if (state == GPC_LINE_I || means_of(protocol, state) != GPC_MEANS_S || !rules[GPC_EVENT_ACQUIRE].actions)
            continue;
        shared = true;
        refreshes &= rules[GPC_EVENT_ACQUIRE].next == GPC_LINE_I;
    }
    setup->races = n || !tracked || detaches;
    setup->detaches = detaches;
    setup->refreshes = !tracked && shared && refreshes;
    setup->steered = protocol->pass_loads[0] | protocol->pass_loads[1] | protocol->pass_stores[0] |
                     protocol->pass_stores[1] | protocol->through_stores;
}
