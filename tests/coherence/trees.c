/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/trees.h"
#include "coherence/module/tree.h"

#include <string.h>

#include "base/base.h"

/*
 * A tree grows from the processors to memory. `open` are the modules without a low module yet; each belongs to a
 * group, and a level merges groups: modules of one group share the banks and the network below.
 */

typedef struct growth {
    tree *t;
    uint64_t *random;
    unsigned features;
    uint32_t open[TREE_MODULES], group[TREE_MODULES];
    uint32_t count, groups;
} growth;

static uint32_t below(growth *g, uint32_t bound) {
    return gpci_random_below(g->random, bound);
}

static bool chance(growth *g, unsigned feature, uint32_t percent) {
    uint32_t drawn = below(g, 100); /* drawn in any case, so that features do not change the rest of the tree */
    return (g->features & feature || !feature) && drawn < percent;
}

static uint32_t add_module(growth *g) {
    gpc_coherence_module blank = GPC_COHERENCE_MODULE_INIT;
    g->t->modules[g->t->module_count] = blank;
    return g->t->module_count++;
}

static uint32_t add_network(growth *g) {
    static const uint32_t bandwidths[] = {1, 8, 32, 64};
    gpc_coherence_network *n = &g->t->networks[g->t->network_count];
    *n = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
    n->bandwidth = bandwidths[below(g, 4)];
    return g->t->network_count++;
}

/* Two modules in five have lines of several blocks; the rest of the tree is unchanged. */
static void divide_lines(const growth *g, gpc_coherence_module *m) {
    static const uint32_t sectors[] = {1, 1, 1, 2, 4};
    uint64_t random = *g->random + g->t->module_count;
    if (g->features & TREE_SECTORS)
        m->sectors = sectors[gpci_random_below(&random, 5)];
    if (g->features & TREE_FETCH && m->sectors > 1 && !m->memory && gpci_random_below(&random, 2))
        m->fetch_blocks = m->sectors == 4 && gpci_random_below(&random, 2) ? 4 : 2;
}

static void shape_cache(growth *g, gpc_coherence_module *m, uint32_t level) {
    static const char *const policies[] = {"srrip", "nru", "plru", "random"};
    m->sets = below(g, 4) ? 1u << below(g, 3) : 3;
    m->ways = 1 + below(g, level == 1 ? 3 : 4);
    if (level > 1 && below(g, 3))
        m->sets *= 2;
    m->latency = below(g, 20);
    m->directory_latency = below(g, 3);
    m->replacement = below(g, 3) ? "lru" : "fifo";
    if (chance(g, TREE_POLICIES, 15)) {
        m->replacement = policies[below(g, 4)];
        m->ways = 4; /* some need a power of two */
    }
    m->any_victim = chance(g, TREE_ANY_VICTIM, 25);
    if (level > 1 && chance(g, TREE_NON_INCLUSIVE, 25)) {
        m->non_inclusive = true;
        m->directory_ways = 1 + below(g, 4);
    }
    if (level == 1 && chance(g, TREE_WRITE_THROUGH, 15))
        m->write_through = true;
    if (level == 1 && chance(g, TREE_WRITE_THROUGH, 10))
        m->no_write_allocate = true;
    divide_lines(g, m);
}

static void shape_memory(growth *g, gpc_coherence_module *m) {
    m->memory = true;
    m->latency = 10 + below(g, 100);
    m->directory_latency = below(g, 2);
    m->sets = 1;
    m->ways = 0;
    if (below(g, 2)) {
        m->sets = 1u << below(g, 4);
        m->ways = 1 + below(g, 4);
        m->any_victim = chance(g, TREE_ANY_VICTIM, 25);
        divide_lines(g, m);
    }
}

static uint32_t most_sectors(const growth *g, const uint32_t *banks, uint32_t count) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < count; i++)
        most = g->t->modules[banks[i]].sectors > most ? g->t->modules[banks[i]].sectors : most;
    return most;
}

/* Divide addresses among `banks`: by blocks of a power of two, or by shares of the used addresses. */
static void share_out(growth *g, const uint32_t *banks, uint32_t count, uint32_t block) {
    bool ranges = !below(g, 3);
    uint64_t divisor = (uint64_t)block << below(g, 3), share = g->t->bytes / count / block * block;
    while (divisor < (uint64_t)block * most_sectors(g, banks, count))
        divisor *= 2;
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        gpc_coherence_module *m = &g->t->modules[banks[i]];
        m->served = ranges ? GPC_SERVES_RANGE : GPC_SERVES_INTERLEAVED;
        if (ranges) {
            m->first = i ? g->t->base + share * i : 0;
            m->last = i + 1 < count ? g->t->base + share * (i + 1) - 1 : UINT64_MAX;
        } else {
            m->divisor = divisor;
            m->modulus = count;
            m->residue = i;
        }
    }
}

static uint32_t grown_block(growth *g, const uint32_t *tops, uint32_t count) {
    uint32_t block = 0;
    for (uint32_t i = 0; i < count; i++)
        if (g->t->modules[tops[i]].block_bytes > block)
            block = g->t->modules[tops[i]].block_bytes;
    block <<= below(g, 2) ? 0 : 1 + below(g, 2);
    return block > TREE_BLOCK ? TREE_BLOCK : block;
}

/* Banks below a group of modules, or memories (level 0). Returns the number; indices in `banks`. */
static uint32_t put_below(growth *g, const uint32_t *tops, uint32_t count, uint32_t level, uint32_t block,
                          uint32_t banks[TREE_LOWS]) {
    static const uint32_t numbers[] = {1, 1, 1, 2, 2, 3, 4};
    uint32_t bank_count = numbers[below(g, 7)], network = add_network(g);
    if (level && bank_count > 2 && g->groups > 2)
        bank_count = 2;
    for (uint32_t i = 0; i < bank_count; i++) {
        banks[i] = add_module(g);
        gpc_coherence_module *m = &g->t->modules[banks[i]];
        m->block_bytes = block;
        m->high_network = network;
        if (level)
            shape_cache(g, m, level);
        else
            shape_memory(g, m);
    }
    share_out(g, banks, bank_count, block);
    for (uint32_t i = 0; i < count; i++) {
        g->t->modules[tops[i]].low_network = network;
        g->t->modules[tops[i]].low_count = bank_count;
        memcpy(g->t->lows[tops[i]], banks, sizeof(*banks) * bank_count);
    }
    return bank_count;
}

static void grow_level(growth *g, uint32_t level, uint32_t groups) {
    uint32_t next[TREE_MODULES] = {0}, next_group[TREE_MODULES] = {0}, next_count = 0, banks[TREE_LOWS];
    uint32_t common = grown_block(g, g->open, g->count);
    bool skipping = g->count > 2 && chance(g, TREE_SKIPPING, level == 2 ? 10 : 0);
    for (uint32_t group = 0; group < groups; group++) {
        uint32_t tops[TREE_MODULES], tops_count = 0;
        for (uint32_t i = 0; i < g->count; i++) {
            if (g->group[i] * groups / g->groups != group)
                continue;
            if (skipping && i + 1 == g->count && tops_count) {
                next[next_count] = g->open[i];
                next_group[next_count++] = group;
            } else {
                tops[tops_count++] = g->open[i];
            }
        }
        uint32_t own = grown_block(g, tops, tops_count);
        uint32_t block = chance(g, TREE_MIXED_BLOCKS, 30) ? own : common;
        uint32_t bank_count = put_below(g, tops, tops_count, level, block, banks);
        for (uint32_t i = 0; i < bank_count; i++) {
            next[next_count] = banks[i];
            next_group[next_count++] = group;
        }
    }
    memcpy(g->open, next, sizeof(next));
    memcpy(g->group, next_group, sizeof(next_group));
    g->count = next_count;
    g->groups = groups;
}

static void grow_first(growth *g) {
    static const uint32_t numbers[] = {1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 6, 8, 8, 12, 16};
    uint32_t count = numbers[below(g, 15)], block = 4u << below(g, 4);
    bool mixed = chance(g, TREE_MIXED_BLOCKS, 20);
    for (uint32_t i = 0; i < count; i++) {
        gpc_coherence_module *m = &g->t->modules[add_module(g)];
        m->block_bytes = mixed && below(g, 2) ? block * 2 : block;
        shape_cache(g, m, 1);
        g->open[i] = g->group[i] = i;
    }
    g->t->first_count = g->count = g->groups = count;
}

/* Limits for all modules above, or for none: separate numbers, to keep the rest of the tree unchanged. */
static void limit_directories(tree *t, uint64_t random) {
    if (gpci_random_below(&random, 10) < 6)
        return;
    for (uint32_t i = 0; i < t->module_count; i++) {
        gpc_coherence_module *m = &t->modules[i];
        uint32_t smallest = UINT32_MAX, largest = 0;
        for (uint32_t x = 0; x < i; x++)
            for (uint32_t k = 0; k < t->modules[x].low_count; k++)
                if (t->lows[x][k] == i) {
                    const uint32_t block = t->modules[x].block_bytes;
                    smallest = block < smallest ? block : smallest;
                    largest = block > largest ? block : largest;
                }
        m->directory_pointers = (uint8_t)(largest ? gpci_random_below(&random, 4) : 0);
        m->directory_overflow = (uint8_t)gpci_random_below(&random, 3);
        if (m->directory_overflow == GPC_OVERFLOW_EVICT && smallest != largest)
            m->directory_overflow = GPC_OVERFLOW_BROADCAST;
        if (m->directory_overflow == GPC_OVERFLOW_COARSE)
            m->directory_region = (uint8_t)(2 + gpci_random_below(&random, 2));
    }
}

static uint64_t divisor_of(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/*
 * Public modules are public for the used addresses. True if for all others, too: not with ranges, whose ends may lie
 * elsewhere; nor with modules in turn, unless all turns occur in the used addresses.
 */
static bool repeats(const tree *t) {
    uint64_t period = 1;
    for (uint32_t i = 0; i < t->module_count; i++) {
        const gpc_coherence_module *m = &t->modules[i];
        const uint64_t turns = m->divisor * m->modulus;
        if (m->served == GPC_SERVES_RANGE)
            return false;
        if (m->served == GPC_SERVES_INTERLEAVED)
            period *= turns / divisor_of(period, turns);
    }
    return period <= t->bytes;
}

/* Every other possible cache, without changing the rest of the tree. */
static void give_masks(const growth *g) {
    uint64_t random = *g->random;
    const bool known = repeats(g->t);
    for (uint32_t i = g->t->first_count; i < g->t->module_count && g->features & TREE_MASKS; i++) {
        gpc_coherence_module *m = &g->t->modules[i];
        bool over_memory = !m->memory;
        for (uint32_t k = 0; k < m->low_count; k++)
            over_memory &= g->t->modules[g->t->lows[i][k]].memory;
        m->byte_masks = known && over_memory && tree_public(g->t, i) && gpci_random_below(&random, 2);
    }
}

void tree_random(tree *t, uint64_t *random, uint32_t bytes, unsigned features) {
    static const uint64_t bases[] = {0, 0, 4096, (uint64_t)1 << 20, ((uint64_t)1 << 44) + 8192};
    growth g = {.t = t, .random = random, .features = features};
    memset(t, 0, sizeof(*t));
    t->bytes = bytes;
    t->base = below(&g, 20) ? bases[below(&g, 5)] : 0 - (uint64_t)bytes; /* or the last bytes of the address space */
    grow_first(&g);
    uint32_t levels = 1 + below(&g, 4);
    if (levels == 4)
        levels = 2;
    for (uint32_t level = 2; level <= levels; level++) {
        bool last = level == levels;
        uint32_t groups = g.groups;
        if (g.groups > 1)
            groups = chance(&g, TREE_PRIVATE, last ? 25 : 60) ? 1 + below(&g, g.groups < 4 ? g.groups : 4) : 1;
        grow_level(&g, level, groups);
    }
    uint32_t banks[TREE_LOWS];
    put_below(&g, g.open, g.count, 0, grown_block(&g, g.open, g.count), banks);
    if (features & TREE_DIRECTORIES)
        limit_directories(t, gpci_mix(*random + 1));
    tree_find_public(t);
    give_masks(&g);
}

void tree_wide(tree *t, uint32_t first, uint32_t bytes) {
    memset(t, 0, sizeof(*t));
    t->first_count = first;
    t->module_count = first + 2;
    t->network_count = 2;
    t->bytes = bytes;
    for (uint32_t i = 0; i < t->module_count; i++) {
        gpc_coherence_module *m = &t->modules[i];
        *m = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        m->block_bytes = i < first ? 16 : 32;
        m->ways = i < first ? 2 : 4;
        m->sets = i == first ? 8 : 1;
        m->low_count = i <= first;
        m->low_network = i < first ? 0 : i == first ? 1 : GPC_NO_MODULE;
        m->high_network = i < first ? GPC_NO_MODULE : i - first;
        t->lows[i][0] = i < first ? first : first + 1;
    }
    t->modules[first + 1].memory = true;
    t->modules[first + 1].ways = 0;
    for (uint32_t i = 0; i < 2; i++)
        t->networks[i] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
    tree_find_public(t);
}

gpc_status tree_create(tree *t, gpc_context *context, const char *protocol, bool data, bool timing, gpc_error *error,
                       gpc_coherence **out) {
    gpc_coherence_options o = GPC_COHERENCE_OPTIONS_INIT;
    for (uint32_t i = 0; i < t->module_count; i++) {
        snprintf(t->names[i], sizeof(t->names[i]), "m%u", i % 1000);
        t->modules[i].name = t->names[i];
        t->modules[i].low = t->modules[i].low_count ? t->lows[i] : NULL;
    }
    for (uint32_t i = 0; i < t->network_count; i++) {
        snprintf(t->network_names[i], sizeof(t->network_names[i]), "n%u", i % 1000);
        t->networks[i].name = t->network_names[i];
    }
    o.protocol = protocol;
    o.modules = t->modules;
    o.module_count = t->module_count;
    o.networks = t->networks;
    o.network_count = t->network_count;
    o.data = data;
    o.timing = timing;
    const gpci_tree_telling telling = {.reads = GPCI_TREE_HOST_READS, .fill_ways = t->fill_ways};
    return gpci_coherence_create(context, &o, &telling, error, out);
}
