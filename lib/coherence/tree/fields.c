/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/* Checks of options: every network, every module, and every module together with the low modules. */

#define GREATEST_BLOCK 4096u
#define GREATEST_STRETCH ((uint64_t)1 << 40) /* upper bound of a hashed module's divisor */
#define GREATEST_MODULUS 65536u              /* upper bound of a hashed module's modulus */

gpc_status gpci_tree_check_networks(const gpc_coherence *coherence, gpc_error *error) {
    for (uint32_t i = 0; i < coherence->star_count; i++) {
        const gpc_coherence_network *network = &coherence->stars[i].given;
        if (!network->name || !*network->name)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_options.networks[%u].name is missing", i);
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(network->name, coherence->stars[j].given.name))
                return gpci_fail(error, GPC_ERROR_ARGUMENT,
                                 "gpc_coherence_options.networks[%u].name '%s' is that of networks[%u]", i,
                                 network->name, j);
        if (!network->bandwidth || network->reserved)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_options.networks[%u] '%s'.%s is %u", i,
                             network->name, network->bandwidth ? "reserved" : "bandwidth", network->reserved);
    }
    return GPC_OK;
}

/* Check that names differ. Comparing 4096 names pairwise takes less time than later checks. */
static gpc_status check_name(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    if (!module->given.name || !*module->given.name)
        GPCI_TREE_REFUSE(ARGUMENT, module, "name", "is %s", "missing");
    for (uint32_t i = 0; i < module->index; i++)
        if (!strcmp(module->given.name, coherence->modules[i].given.name))
            GPCI_TREE_REFUSE(ARGUMENT, module, "name", "is that of modules[%u]", i);
    return GPC_OK;
}

static gpc_status check_geometry(const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    if (!gpci_power_of_two(given->block_bytes) || given->block_bytes < 4 || given->block_bytes > GREATEST_BLOCK)
        GPCI_TREE_REFUSE(ARGUMENT, module, "block_bytes", "is %u, not a power of two from 4 to 4096",
                         given->block_bytes);
    if (!given->sets)
        GPCI_TREE_REFUSE(ARGUMENT, module, "sets", "is %u", given->sets);
    if (given->memory && !given->ways) {
        if (given->sets != 1)
            GPCI_TREE_REFUSE(ARGUMENT, module, "sets", "is %u; with ways 0, an entry for every block, it is 1",
                             given->sets);
    } else if (!given->ways || given->ways > GPC_MAX_WAYS) {
        GPCI_TREE_REFUSE(ARGUMENT, module, "ways", "is %u, not 1 to %u", given->ways, GPC_MAX_WAYS);
    }
    if (given->directory_ways > GPC_MAX_WAYS)
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_ways", "is %u, more than %u", given->directory_ways,
                         GPC_MAX_WAYS);
    if (!gpci_power_of_two(given->sectors) || given->sectors > GPCI_TREE_SECTORS)
        GPCI_TREE_REFUSE(ARGUMENT, module, "sectors", "is %u, not 1, 2, 4 or 8", given->sectors);
    if (!gpci_power_of_two(given->fetch_blocks) || given->fetch_blocks > given->sectors)
        GPCI_TREE_REFUSE(ARGUMENT, module, "fetch_blocks", "is %u, no power of two of at most the %u blocks of a line",
                         given->fetch_blocks, given->sectors);
    if (given->memory && given->fetch_blocks > 1)
        GPCI_TREE_REFUSE(ARGUMENT, module, "fetch_blocks", "is %u: nothing is below a memory", given->fetch_blocks);
    const uint64_t blocks = (uint64_t)given->sets * (given->ways + given->directory_ways);
    if (blocks >= GPCI_TREE_NO_BLOCK / given->sectors)
        GPCI_TREE_REFUSE(RANGE, module, "sets", "x ways is %llu, too many blocks", (unsigned long long)blocks);
    return GPC_OK;
}

/* Check that the borders of a module's addresses are borders of blocks: no block may lie in two modules. */
static gpc_status check_served(const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    const uint64_t within = given->block_bytes - 1;
    switch (given->served) {
    case GPC_SERVES_ALL:
        return GPC_OK;
    case GPC_SERVES_RANGE:
        if (given->first > given->last)
            GPCI_TREE_REFUSE(ARGUMENT, module, "first", "is 0x%llx, beyond last, 0x%llx",
                             (unsigned long long)given->first, (unsigned long long)given->last);
        if (given->first & within)
            GPCI_TREE_REFUSE(ARGUMENT, module, "first", "0x%llx is within a block", (unsigned long long)given->first);
        if ((given->last & within) != within)
            GPCI_TREE_REFUSE(ARGUMENT, module, "last", "0x%llx is not a block's last byte",
                             (unsigned long long)given->last);
        return GPC_OK;
    case GPC_SERVES_HASHED:
        if (!gpci_power_of_two(given->divisor) || given->divisor > GREATEST_STRETCH ||
            given->modulus > GREATEST_MODULUS)
            GPCI_TREE_REFUSE(ARGUMENT, module, "divisor",
                             "is %llu, modulus %llu; hashed by a power of two, to %llu and %u",
                             (unsigned long long)given->divisor, (unsigned long long)given->modulus,
                             (unsigned long long)GREATEST_STRETCH, GREATEST_MODULUS);
        /* fall through */
    case GPC_SERVES_INTERLEAVED:
        if (!given->divisor || (given->divisor & within))
            GPCI_TREE_REFUSE(ARGUMENT, module, "divisor", "is %llu, not a multiple of block_bytes, %u",
                             (unsigned long long)given->divisor, given->block_bytes);
        if (given->divisor & (given->block_bytes * given->sectors - 1))
            GPCI_TREE_REFUSE(ARGUMENT, module, "divisor", "is %llu, not a multiple of a line of %u blocks of %u bytes",
                             (unsigned long long)given->divisor, given->sectors, given->block_bytes);
        if (!given->modulus)
            GPCI_TREE_REFUSE(ARGUMENT, module, "modulus", "is %u", 0u);
        if (given->residue >= given->modulus)
            GPCI_TREE_REFUSE(ARGUMENT, module, "residue", "is %llu, not below modulus, %llu",
                             (unsigned long long)given->residue, (unsigned long long)given->modulus);
        return GPC_OK;
    default:
        GPCI_TREE_REFUSE(ARGUMENT, module, "served", "is %u, no gpc_served", given->served);
    }
}

/* Check that the largest message between a module and the low modules fits the buffers of their network. */
static gpc_status check_buffers(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    const gpc_coherence_network *network = &coherence->stars[module->given.low_network].given;
    const uint32_t bytes = coherence->control_bytes + module->given.block_bytes;
    const bool input = network->input_buffer && bytes > network->input_buffer;
    if (input || (network->output_buffer && bytes > network->output_buffer))
        GPCI_TREE_REFUSE(RANGE, module, "low_network", "'%s': a message of %u bytes does not fit its %s of %u bytes",
                         network->name, bytes, input ? "input_buffer" : "output_buffer",
                         input ? network->input_buffer : network->output_buffer);
    return GPC_OK;
}

static gpc_status check_low(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    for (uint32_t i = 0; i < given->low_count; i++) {
        if (given->low[i] >= coherence->module_count)
            GPCI_TREE_REFUSE(ARGUMENT, module, "low", "[%u] is %u, but there are %u modules", i, given->low[i],
                             coherence->module_count);
        const gpci_module *low = &coherence->modules[given->low[i]];
        for (uint32_t j = 0; j < i; j++)
            if (given->low[j] == given->low[i])
                GPCI_TREE_REFUSE(ARGUMENT, module, "low", "has '%s' twice", low->given.name);
        if (low == module)
            GPCI_TREE_REFUSE(ARGUMENT, module, "low", "[%u] makes a cycle: the module is below %s", i, "itself");
        if (low->given.block_bytes < given->block_bytes)
            GPCI_TREE_REFUSE(ARGUMENT, module, "block_bytes", "is %u, but that of '%s', nearer to memory, %u",
                             given->block_bytes, low->given.name, low->given.block_bytes);
        if (low->given.high_network != given->low_network)
            GPCI_TREE_REFUSE(ARGUMENT, module, "low_network", "'%s' is not the high_network of '%s'",
                             coherence->stars[given->low_network].given.name, low->given.name);
    }
    return GPC_OK;
}

static gpc_status check_ways_down(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    if (given->high_network != GPC_NO_MODULE && given->high_network >= coherence->star_count)
        GPCI_TREE_REFUSE(ARGUMENT, module, "high_network", "is %u, but there are %u networks", given->high_network,
                         coherence->star_count);
    if (given->memory) {
        if (given->low_count)
            GPCI_TREE_REFUSE(ARGUMENT, module, "low_count", "is %u: nothing is below a memory", given->low_count);
        if (given->low_network != GPC_NO_MODULE)
            GPCI_TREE_REFUSE(ARGUMENT, module, "low_network", "is %u: nothing is below a memory", given->low_network);
        return GPC_OK;
    }
    if (!given->low_count)
        GPCI_TREE_REFUSE(ARGUMENT, module, "low_count", "is %u: a cache needs a way to a memory", 0u);
    if (given->low_network >= coherence->star_count)
        GPCI_TREE_REFUSE(ARGUMENT, module, "low_network", "is %u, but there are %u networks", given->low_network,
                         coherence->star_count);
    gpc_status status = check_low(coherence, module, error);
    return status == GPC_OK ? check_buffers(coherence, module, error) : status;
}

static gpc_status check_rest(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    if (given->reserved[0])
        GPCI_TREE_REFUSE(ARGUMENT, module, "reserved", "[%zu] is not 0", (size_t)0);
    for (size_t i = 0; i < sizeof given->reserved_too; i++)
        if (given->reserved_too[i])
            GPCI_TREE_REFUSE(ARGUMENT, module, "reserved_too", "[%zu] is not 0", i);
    if (given->index == GPC_INDEX_USER || given->index >= GPC_INDEX_COUNT)
        GPCI_TREE_REFUSE(ARGUMENT, module, "index", "is %u, no function that a tree has", given->index);
    if (given->directory_ways && !given->non_inclusive)
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_ways", "is %u, but the module is inclusive",
                         given->directory_ways);
    if (given->non_inclusive && given->memory)
        GPCI_TREE_REFUSE(ARGUMENT, module, "non_inclusive", "is %s", "for caches, not for memories");
    if (given->non_inclusive && !given->directory_ways && (coherence->protocol->flags & GPC_PROTOCOL_DIRECTORY))
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_ways",
                         "is %u: blocks that leave a non-inclusive module need entries", 0u);
    return GPC_OK;
}

gpc_status gpci_tree_check_modules(const gpc_coherence *coherence, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
        const gpci_module *module = &coherence->modules[i];
        status = check_name(coherence, module, error);
        if (status == GPC_OK)
            status = check_geometry(module, error);
        if (status == GPC_OK)
            status = check_served(module, error);
        if (status == GPC_OK)
            status = check_rest(coherence, module, error);
    }
    /* after the checks of all single modules, because these checks compare pairs of modules */
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        status = check_ways_down(coherence, &coherence->modules[i], error);
    return status;
}

/* -- homes of pages */

static gpc_status check_pages_of(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    if (module->given.home > coherence->homes)
        GPCI_TREE_REFUSE(ARGUMENT, module, "home", "is %u, of %u", module->given.home, coherence->homes);
    if (coherence->homes && (uint64_t)module->given.block_bytes > (uint64_t)1 << coherence->page_shift)
        GPCI_TREE_REFUSE(ARGUMENT, module, "block_bytes", "is %u, more than a page", module->given.block_bytes);
    if (coherence->homes &&
        (uint64_t)module->given.fetch_blocks * module->given.block_bytes > (uint64_t)1 << coherence->page_shift)
        GPCI_TREE_REFUSE(ARGUMENT, module, "fetch_blocks", "is %u, more than a page has", module->given.fetch_blocks);
    return GPC_OK;
}

gpc_status gpci_tree_check_pages(gpc_coherence *coherence, const gpc_coherence_options *options, gpc_error *error) {
    const char *type = "gpc_coherence_options";
    if (options->homes > UINT8_MAX)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.homes is %u, more than %u", type, options->homes, UINT8_MAX);
    if (options->placement > GPC_PLACE_HASHED)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.placement is %u, no gpc_placement", type, options->placement);
    if (options->homes ? !gpci_power_of_two(options->page_bytes) : options->page_bytes != 0)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.page_bytes is %llu; with homes it is a power of two, else 0",
                         type, (unsigned long long)options->page_bytes);
    coherence->homes = options->homes;
    coherence->page_shift = options->homes ? gpci_log2(options->page_bytes) : 0;
    coherence->first_touch = options->homes && options->placement == GPC_PLACE_FIRST_TOUCH;
    coherence->hashed = options->homes && options->placement == GPC_PLACE_HASHED;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        status = check_pages_of(coherence, &coherence->modules[i], error);
    return status;
}
