/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/trees.h"

#include <inttypes.h>
#include <string.h>

/* Queries on a tree, pruning and printing. */

static bool serves(const gpc_coherence_module *m, uint64_t address) {
    switch (m->served) {
    case GPC_SERVES_RANGE:
        return address >= m->first && address <= m->last;
    case GPC_SERVES_INTERLEAVED:
        return address / m->divisor % m->modulus == m->residue;
    default:
        return true;
    }
}

uint32_t tree_low(const tree *t, uint32_t module, uint64_t address) {
    for (uint32_t i = 0; i < t->modules[module].low_count; i++)
        if (serves(&t->modules[t->lows[module][i]], address))
            return t->lows[module][i];
    return GPC_NO_MODULE;
}

bool tree_reaches(const tree *t, uint32_t module, uint32_t low) {
    if (module == low)
        return true;
    for (uint32_t i = 0; i < t->modules[module].low_count; i++)
        if (tree_reaches(t, t->lows[module][i], low))
            return true;
    return false;
}

bool tree_public(const tree *t, uint32_t module) {
    return t->open[module];
}

/* All processors access one address; modules serving the address only for some processors are not public. */
static void walk(tree *t, uint64_t address) {
    uint32_t passed[TREE_MODULES] = {0}, processors = 0;
    for (uint32_t i = 0; i < t->first_count; i++) {
        processors += serves(&t->modules[i], address);
        for (uint32_t m = i; serves(&t->modules[i], address) && m != GPC_NO_MODULE; m = tree_low(t, m, address))
            passed[m]++;
    }
    for (uint32_t i = 0; i < t->module_count; i++)
        t->open[i] &= !passed[i] || passed[i] == processors;
}

void tree_find_public(tree *t) {
    for (uint32_t i = 0; i < t->module_count; i++)
        t->open[i] = i >= t->first_count || t->first_count == 1;
    for (uint32_t i = 0; i < t->bytes; i += 4)
        walk(t, t->base + i);
}

uint32_t tree_private(const tree *t, uint32_t first, uint64_t address, uint32_t caches[TREE_MODULES]) {
    uint32_t count = 0;
    for (uint32_t m = first; m != GPC_NO_MODULE && !tree_public(t, m); m = tree_low(t, m, address))
        caches[count++] = m;
    return count;
}

static void mark(const tree *t, uint32_t module, bool needed[TREE_MODULES]) {
    needed[module] = true;
    for (uint32_t i = 0; i < t->modules[module].low_count; i++)
        mark(t, t->lows[module][i], needed);
}

void tree_prune(tree *t, uint32_t without, uint32_t map[TREE_MODULES]) {
    bool needed[TREE_MODULES] = {false};
    uint32_t kept = 0, first = 0;
    for (uint32_t i = 0; i < t->first_count; i++)
        if (i != without)
            mark(t, i, needed);
    for (uint32_t i = 0; i < t->module_count; i++) {
        map[i] = needed[i] ? kept : GPC_NO_MODULE;
        if (!needed[i])
            continue;
        t->modules[kept] = t->modules[i];
        memcpy(t->lows[kept], t->lows[i], sizeof(t->lows[i]));
        first += i < t->first_count;
        kept++;
    }
    t->module_count = kept;
    t->first_count = first;
    for (uint32_t i = 0; i < kept; i++)
        for (uint32_t k = 0; k < t->modules[i].low_count; k++)
            t->lows[i][k] = map[t->lows[i][k]];
    tree_find_public(t);
}

static void print_served(const gpc_coherence_module *m, uint32_t i, FILE *file) {
    if (m->served == GPC_SERVES_RANGE)
        fprintf(file,
                "    modules[%u].served = GPC_SERVES_RANGE;\n    modules[%u].first = %" PRIu64
                "u;\n    modules[%u].last = %" PRIu64 "u;\n",
                i, i, m->first, i, m->last);
    if (m->served == GPC_SERVES_INTERLEAVED)
        fprintf(file,
                "    modules[%u].served = GPC_SERVES_INTERLEAVED;\n    modules[%u].divisor = %" PRIu64
                ";\n    modules[%u].modulus = %" PRIu64 ";\n    modules[%u].residue = %" PRIu64 ";\n",
                i, i, m->divisor, i, m->modulus, i, m->residue);
}

static void print_switches(const gpc_coherence_module *m, uint32_t i, FILE *file) {
    if (m->memory)
        fprintf(file, "    modules[%u].memory = true;\n", i);
    if (m->replacement && strcmp(m->replacement, "lru"))
        fprintf(file, "    modules[%u].replacement = \"%s\";\n", i, m->replacement);
    if (m->byte_masks)
        fprintf(file, "    modules[%u].byte_masks = true;\n", i);
    if (m->sectors > 1)
        fprintf(file, "    modules[%u].sectors = %u;\n", i, m->sectors);
    if (m->fetch_blocks > 1)
        fprintf(file, "    modules[%u].fetch_blocks = %u;\n", i, m->fetch_blocks);
    if (m->any_victim)
        fprintf(file, "    modules[%u].any_victim = true;\n", i);
    if (m->non_inclusive)
        fprintf(file, "    modules[%u].non_inclusive = true;\n    modules[%u].directory_ways = %u;\n", i, i,
                m->directory_ways);
    if (m->write_through)
        fprintf(file, "    modules[%u].write_through = true;\n", i);
    if (m->directory_pointers)
        fprintf(file, "    modules[%u].directory_pointers = %u;\n    modules[%u].directory_overflow = %u;\n", i,
                m->directory_pointers, i, m->directory_overflow);
    if (m->directory_region)
        fprintf(file, "    modules[%u].directory_region = %u;\n", i, m->directory_region);
    if (m->no_write_allocate)
        fprintf(file, "    modules[%u].no_write_allocate = true;\n", i);
}

static void print_module(const tree *t, uint32_t i, FILE *file) {
    const gpc_coherence_module *m = &t->modules[i];
    fprintf(file, "    modules[%u] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;\n", i);
    fprintf(file, "    modules[%u].name = \"m%u\";\n", i, i);
    if (m->low_count) {
        fprintf(file, "    modules[%u].low = (const uint32_t[]){", i);
        for (uint32_t k = 0; k < m->low_count; k++)
            fprintf(file, "%s%u", k ? ", " : "", t->lows[i][k]);
        fprintf(file, "};\n    modules[%u].low_count = %u;\n    modules[%u].low_network = %u;\n", i, m->low_count, i,
                m->low_network);
    }
    if (m->high_network != GPC_NO_MODULE)
        fprintf(file, "    modules[%u].high_network = %u;\n", i, m->high_network);
    fprintf(file, "    modules[%u].sets = %u;\n    modules[%u].ways = %u;\n    modules[%u].block_bytes = %u;\n", i,
            m->sets, i, m->ways, i, m->block_bytes);
    if (m->latency != 1)
        fprintf(file, "    modules[%u].latency = %u;\n", i, m->latency);
    if (m->directory_latency)
        fprintf(file, "    modules[%u].directory_latency = %u;\n", i, m->directory_latency);
    print_served(m, i, file);
    print_switches(m, i, file);
}

void tree_print(const tree *t, FILE *file) {
    fprintf(file, "    gpc_coherence_module modules[%u];\n    gpc_coherence_network networks[%u];\n", t->module_count,
            t->network_count);
    for (uint32_t i = 0; i < t->network_count; i++)
        fprintf(file,
                "    networks[%u] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;\n"
                "    networks[%u].name = \"n%u\";\n    networks[%u].bandwidth = %u;\n",
                i, i, i, i, t->networks[i].bandwidth);
    for (uint32_t i = 0; i < t->module_count; i++)
        print_module(t, i, file);
}
