/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/* Checks of options: every network, every module, and every module together with the low modules. */

#define GREATEST_BLOCK 4096u
#define GREATEST_STRETCH ((uint64_t)1 << 40) /* for hashed modules */
#define GREATEST_MODULUS 65536u              /* for hashed modules */

gpc_status gpci_tree_check_networks(const gpc_coherence *c, gpc_error *error) {
    for (uint32_t i = 0; i < c->star_count; i++) {
        const gpc_coherence_network *n = &c->stars[i].given;
        if (!n->name || !*n->name)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_options.networks[%u].name is missing", i);
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(n->name, c->stars[j].given.name))
                return gpci_fail(error, GPC_ERROR_ARGUMENT,
                                 "gpc_coherence_options.networks[%u].name '%s' is that of networks[%u]", i, n->name, j);
        if (!n->bandwidth || n->reserved)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_options.networks[%u] '%s'.%s is %u", i, n->name,
                             n->bandwidth ? "reserved" : "bandwidth", n->reserved);
    }
    return GPC_OK;
}

/* Names must differ. Comparing 4096 names pairwise takes less time than later checks. */
static gpc_status check_name(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    if (!m->given.name || !*m->given.name)
        GPCI_TREE_REFUSE(ARGUMENT, m, "name", "is %s", "missing");
    for (uint32_t i = 0; i < m->index; i++)
        if (!strcmp(m->given.name, c->modules[i].given.name))
            GPCI_TREE_REFUSE(ARGUMENT, m, "name", "is that of modules[%u]", i);
    return GPC_OK;
}

static gpc_status check_geometry(const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    if (!gpci_power_of_two(g->block_bytes) || g->block_bytes < 4 || g->block_bytes > GREATEST_BLOCK)
        GPCI_TREE_REFUSE(ARGUMENT, m, "block_bytes", "is %u, not a power of two from 4 to 4096", g->block_bytes);
    if (!g->sets)
        GPCI_TREE_REFUSE(ARGUMENT, m, "sets", "is %u", g->sets);
    if (g->memory && !g->ways) {
        if (g->sets != 1)
            GPCI_TREE_REFUSE(ARGUMENT, m, "sets", "is %u; with ways 0, an entry for every block, it is 1", g->sets);
    } else if (!g->ways || g->ways > GPC_MAX_WAYS) {
        GPCI_TREE_REFUSE(ARGUMENT, m, "ways", "is %u, not 1 to %u", g->ways, GPC_MAX_WAYS);
    }
    if (g->directory_ways > GPC_MAX_WAYS)
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_ways", "is %u, more than %u", g->directory_ways, GPC_MAX_WAYS);
    if (!gpci_power_of_two(g->sectors) || g->sectors > GPCI_TREE_SECTORS)
        GPCI_TREE_REFUSE(ARGUMENT, m, "sectors", "is %u, not 1, 2, 4 or 8", g->sectors);
    if (!gpci_power_of_two(g->fetch_blocks) || g->fetch_blocks > g->sectors)
        GPCI_TREE_REFUSE(ARGUMENT, m, "fetch_blocks", "is %u, no power of two of at most the %u blocks of a line",
                         g->fetch_blocks, g->sectors);
    if (g->memory && g->fetch_blocks > 1)
        GPCI_TREE_REFUSE(ARGUMENT, m, "fetch_blocks", "is %u: nothing is below a memory", g->fetch_blocks);
    const uint64_t blocks = (uint64_t)g->sets * (g->ways + g->directory_ways);
    if (blocks >= GPCI_TREE_NO_BLOCK / g->sectors)
        GPCI_TREE_REFUSE(RANGE, m, "sets", "x ways is %llu, too many blocks", (unsigned long long)blocks);
    return GPC_OK;
}

/* The borders of a module's addresses must be borders of blocks: no block lies in two modules. */
static gpc_status check_served(const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    const uint64_t within = g->block_bytes - 1;
    switch (g->served) {
    case GPC_SERVES_ALL:
        return GPC_OK;
    case GPC_SERVES_RANGE:
        if (g->first > g->last)
            GPCI_TREE_REFUSE(ARGUMENT, m, "first", "is 0x%llx, beyond last, 0x%llx", (unsigned long long)g->first,
                             (unsigned long long)g->last);
        if (g->first & within)
            GPCI_TREE_REFUSE(ARGUMENT, m, "first", "0x%llx is within a block", (unsigned long long)g->first);
        if ((g->last & within) != within)
            GPCI_TREE_REFUSE(ARGUMENT, m, "last", "0x%llx is not a block's last byte", (unsigned long long)g->last);
        return GPC_OK;
    case GPC_SERVES_HASHED:
        if (!gpci_power_of_two(g->divisor) || g->divisor > GREATEST_STRETCH || g->modulus > GREATEST_MODULUS)
            GPCI_TREE_REFUSE(ARGUMENT, m, "divisor", "is %llu, modulus %llu; hashed by a power of two, to %llu and %u",
                             (unsigned long long)g->divisor, (unsigned long long)g->modulus,
                             (unsigned long long)GREATEST_STRETCH, GREATEST_MODULUS);
        /* fall through */
    case GPC_SERVES_INTERLEAVED:
        if (!g->divisor || (g->divisor & within))
            GPCI_TREE_REFUSE(ARGUMENT, m, "divisor", "is %llu, not a multiple of block_bytes, %u",
                             (unsigned long long)g->divisor, g->block_bytes);
        if (g->divisor & (g->block_bytes * g->sectors - 1))
            GPCI_TREE_REFUSE(ARGUMENT, m, "divisor", "is %llu, not a multiple of a line of %u blocks of %u bytes",
                             (unsigned long long)g->divisor, g->sectors, g->block_bytes);
        if (!g->modulus)
            GPCI_TREE_REFUSE(ARGUMENT, m, "modulus", "is %u", 0u);
        if (g->residue >= g->modulus)
            GPCI_TREE_REFUSE(ARGUMENT, m, "residue", "is %llu, not below modulus, %llu", (unsigned long long)g->residue,
                             (unsigned long long)g->modulus);
        return GPC_OK;
    default:
        GPCI_TREE_REFUSE(ARGUMENT, m, "served", "is %u, no gpc_served", g->served);
    }
}

/* The largest message between a module and the low modules must fit the buffers of their network. */
static gpc_status check_buffers(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    const gpc_coherence_network *n = &c->stars[m->given.low_network].given;
    const uint32_t bytes = c->control_bytes + m->given.block_bytes;
    const bool input = n->input_buffer && bytes > n->input_buffer;
    if (input || (n->output_buffer && bytes > n->output_buffer))
        GPCI_TREE_REFUSE(RANGE, m, "low_network", "'%s': a message of %u bytes does not fit its %s of %u bytes",
                         n->name, bytes, input ? "input_buffer" : "output_buffer",
                         input ? n->input_buffer : n->output_buffer);
    return GPC_OK;
}

static gpc_status check_low(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    for (uint32_t i = 0; i < g->low_count; i++) {
        if (g->low[i] >= c->module_count)
            GPCI_TREE_REFUSE(ARGUMENT, m, "low", "[%u] is %u, but there are %u modules", i, g->low[i], c->module_count);
        const gpci_module *low = &c->modules[g->low[i]];
        for (uint32_t j = 0; j < i; j++)
            if (g->low[j] == g->low[i])
                GPCI_TREE_REFUSE(ARGUMENT, m, "low", "has '%s' twice", low->given.name);
        if (low == m)
            GPCI_TREE_REFUSE(ARGUMENT, m, "low", "[%u] makes a cycle: the module is below %s", i, "itself");
        if (low->given.block_bytes < g->block_bytes)
            GPCI_TREE_REFUSE(ARGUMENT, m, "block_bytes", "is %u, but that of '%s', nearer to memory, %u",
                             g->block_bytes, low->given.name, low->given.block_bytes);
        if (low->given.high_network != g->low_network)
            GPCI_TREE_REFUSE(ARGUMENT, m, "low_network", "'%s' is not the high_network of '%s'",
                             c->stars[g->low_network].given.name, low->given.name);
    }
    return GPC_OK;
}

static gpc_status check_ways_down(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    if (g->high_network != GPC_NO_MODULE && g->high_network >= c->star_count)
        GPCI_TREE_REFUSE(ARGUMENT, m, "high_network", "is %u, but there are %u networks", g->high_network,
                         c->star_count);
    if (g->memory) {
        if (g->low_count)
            GPCI_TREE_REFUSE(ARGUMENT, m, "low_count", "is %u: nothing is below a memory", g->low_count);
        if (g->low_network != GPC_NO_MODULE)
            GPCI_TREE_REFUSE(ARGUMENT, m, "low_network", "is %u: nothing is below a memory", g->low_network);
        return GPC_OK;
    }
    if (!g->low_count)
        GPCI_TREE_REFUSE(ARGUMENT, m, "low_count", "is %u: a cache needs a way to a memory", 0u);
    if (g->low_network >= c->star_count)
        GPCI_TREE_REFUSE(ARGUMENT, m, "low_network", "is %u, but there are %u networks", g->low_network, c->star_count);
    gpc_status status = check_low(c, m, error);
    return status == GPC_OK ? check_buffers(c, m, error) : status;
}

static gpc_status check_rest(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    if (g->reserved[0])
        GPCI_TREE_REFUSE(ARGUMENT, m, "reserved", "[%zu] is not 0", (size_t)0);
    for (size_t i = 0; i < sizeof g->reserved_too; i++)
        if (g->reserved_too[i])
            GPCI_TREE_REFUSE(ARGUMENT, m, "reserved_too", "[%zu] is not 0", i);
    if (g->index == GPC_INDEX_USER || g->index >= GPC_INDEX_COUNT)
        GPCI_TREE_REFUSE(ARGUMENT, m, "index", "is %u, no function that a tree has", g->index);
    if (g->directory_ways && !g->non_inclusive)
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_ways", "is %u, but the module is inclusive", g->directory_ways);
    if (g->non_inclusive && g->memory)
        GPCI_TREE_REFUSE(ARGUMENT, m, "non_inclusive", "is %s", "for caches, not for memories");
    if (g->non_inclusive && !g->directory_ways && (c->protocol->flags & GPC_PROTOCOL_DIRECTORY))
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_ways", "is %u: blocks that leave a non-inclusive module need entries",
                         0u);
    return GPC_OK;
}

gpc_status gpci_tree_check_modules(const gpc_coherence *c, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
        const gpci_module *m = &c->modules[i];
        status = check_name(c, m, error);
        if (status == GPC_OK)
            status = check_geometry(m, error);
        if (status == GPC_OK)
            status = check_served(m, error);
        if (status == GPC_OK)
            status = check_rest(c, m, error);
    }
    /* compares pairs of modules; every module must be valid first */
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = check_ways_down(c, &c->modules[i], error);
    return status;
}
