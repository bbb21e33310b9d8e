/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/*
 * Properties that follow from the low modules: modules above, levels, sub-blocks.
 *
 * Example: l1-0 and l1-1 over l2-0, l1-2 over l2-1, both L2s over mm.
 *   module           level  above
 *   l1-0 to l1-2     1      -
 *   l2-0, l2-1       2      2 and 1 L1s
 *   mm               3      both L2s
 */

#define GREATEST_RATIO 64u /* upper bound of the sub-blocks in a block */

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* List the modules above every module in ascending order (`above`), and their places in the list (`slots`). */
static gpc_status list_above(gpc_coherence *coherence, gpc_error *error) {
    for (uint32_t i = 0; i < coherence->module_count; i++)
        for (uint32_t k = 0; k < coherence->modules[i].given.low_count; k++)
            coherence->modules[coherence->modules[i].given.low[k]].above_count++;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        gpci_module *module = &coherence->modules[i];
        if (!module->above_count)
            continue;
        uint32_t *above = gpci_alloc(coherence->context, module->above_count * sizeof *above);
        module->above = above;
        uint16_t *slots = gpci_zalloc(coherence->context, coherence->module_count, sizeof *slots);
        module->slots = slots;
        if (!above || !slots)
            return gpci_out_of_memory(error);
        module->above_count = 0;
    }
    for (uint32_t i = 0; i < coherence->module_count; i++)
        for (uint32_t k = 0; k < coherence->modules[i].given.low_count; k++) {
            gpci_module *low = &coherence->modules[coherence->modules[i].given.low[k]];
            ((uint16_t *)(uintptr_t)low->slots)[i] = (uint16_t)low->above_count;
            ((uint32_t *)(uintptr_t)low->above)[low->above_count++] = i;
        }
    return GPC_OK;
}

/* Check fields that depend on the presence of modules above. */
static gpc_status check_neighbours(const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    if (given->memory && !module->above_count)
        GPCI_TREE_REFUSE(ARGUMENT, module, "memory", "has no module %s", "above it");
    if (!module->above_count && given->high_network != GPC_NO_MODULE)
        GPCI_TREE_REFUSE(ARGUMENT, module, "high_network", "is %u, but no module is above", given->high_network);
    if (module->above_count && given->high_network == GPC_NO_MODULE)
        GPCI_TREE_REFUSE(ARGUMENT, module, "high_network", "is missing: %u modules are above", module->above_count);
    if (module->above_count && (given->write_through || given->no_write_allocate))
        GPCI_TREE_REFUSE(ARGUMENT, module, "write_through",
                         "and no_write_allocate are for the first level; %u modules are above", module->above_count);
    if (!module->above_count && given->non_inclusive)
        GPCI_TREE_REFUSE(ARGUMENT, module, "non_inclusive", "is for modules with %s", "others above them");
    return GPC_OK;
}

/*
 * Compute levels: a module's level is 1 more than the highest level of the modules above. A module enters `queue` when
 * all modules above are done. At the end, `queue` is in order of level. A module in or below a cycle never enters, and
 * is rejected.
 */
static gpc_status count_levels(gpc_coherence *coherence, uint32_t *waiting, uint32_t *queue, gpc_error *error) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (!(waiting[i] = coherence->modules[i].above_count))
            queue[count++] = i;
    for (uint32_t i = 0; i < count; i++) {
        gpci_module *module = &coherence->modules[queue[i]];
        module->level++;
        coherence->levels = module->level > coherence->levels ? module->level : coherence->levels;
        for (uint32_t k = 0; k < module->given.low_count; k++) {
            gpci_module *low = &coherence->modules[module->given.low[k]];
            low->level = module->level > low->level ? module->level : low->level;
            if (!--waiting[low->index])
                queue[count++] = low->index;
        }
    }
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (waiting[i])
            GPCI_TREE_REFUSE(ARGUMENT, &coherence->modules[i], "low", "leads through a cycle of %s",
                             "modules, or lies below one");
    if (coherence->levels > UINT8_MAX)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_options.modules make %u levels, more than %u",
                         coherence->levels, UINT8_MAX);
    return GPC_OK;
}

/*
 * Compute sizes of blocks. A sub-block has a directory entry, and the size of the smallest block of the modules above.
 */
static gpc_status divide_blocks(const gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    uint32_t smallest = module->given.block_bytes;
    for (uint32_t i = 0; i < module->above_count; i++)
        smallest = least(smallest, coherence->modules[module->above[i]].given.block_bytes);
    module->block_shift = gpci_log2(module->given.block_bytes);
    module->sectors = module->given.memory && !module->given.ways ? 1 : module->given.sectors;
    module->sector_mask = module->sectors - 1;
    module->sector_shift = gpci_log2(module->sectors);
    module->fetch_mask = module->sector_mask ? module->given.fetch_blocks - 1u : 0;
    module->line_shift = module->block_shift + module->sector_shift;
    module->sub_shift = gpci_log2(smallest);
    module->mask_bytes = (module->given.block_bytes + 7) / 8;
    module->sub_blocks = module->above_count ? module->given.block_bytes / smallest : 0;
    module->sharer_words = (module->above_count + GPCI_SHARERS - 1) / GPCI_SHARERS;
    if (module->sub_blocks > GREATEST_RATIO)
        GPCI_TREE_REFUSE(RANGE, module, "block_bytes", "is %u, more than %u times the %u of a module above",
                         module->given.block_bytes, GREATEST_RATIO, smallest);
    return GPC_OK;
}

/* Check the options of limited directories, and set the number of copies that a directory entry can name. */
static gpc_status limit_directory(const gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    const bool coarse = given->directory_overflow == GPC_OVERFLOW_COARSE;
    if (given->directory_overflow > GPC_OVERFLOW_COARSE)
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_overflow", "is %u, no gpc_directory_overflow",
                         given->directory_overflow);
    if (coarse ? given->directory_region < 2 : given->directory_region != 0)
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_region",
                         "is %u; of COARSE directories it is 2 or more, of others 0", given->directory_region);
    if (given->directory_pointers && !module->above_count)
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_pointers", "is %u, but no module is above",
                         given->directory_pointers);
    module->pointers = given->directory_pointers < module->above_count ? given->directory_pointers : 0;
    if (!(coherence->protocol->flags & GPC_PROTOCOL_DIRECTORY))
        module->pointers = 0;
    if (module->pointers && coherence->protocol->flags & GPC_PROTOCOL_PROBE_WHOLE)
        GPCI_TREE_REFUSE(ARGUMENT, module, "directory_pointers", "is %u; directories of protocol '%s' name all copies",
                         given->directory_pointers, coherence->protocol->name);
    for (uint32_t i = 0; i < module->above_count && given->directory_overflow == GPC_OVERFLOW_EVICT && module->pointers;
         i++)
        if (coherence->modules[module->above[i]].given.block_bytes != 1u << module->sub_shift)
            GPCI_TREE_REFUSE(ARGUMENT, module, "directory_overflow",
                             "is EVICT, but blocks above differ in size: '%s' has %u",
                             coherence->modules[module->above[i]].given.name,
                             coherence->modules[module->above[i]].given.block_bytes);
    return GPC_OK;
}

gpc_status gpci_tree_shape(gpc_coherence *coherence, gpc_error *error) {
    gpc_status status = list_above(coherence, error);
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        status = check_neighbours(&coherence->modules[i], error);
    if (status < 0)
        return status;
    uint32_t *waiting = gpci_zalloc(coherence->context, coherence->module_count, sizeof *waiting);
    uint32_t *queue = gpci_zalloc(coherence->context, coherence->module_count, sizeof *queue);
    status = waiting && queue ? count_levels(coherence, waiting, queue, error) : gpci_out_of_memory(error);
    gpci_free(coherence->context, waiting);
    gpci_free(coherence->context, queue);
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
        status = divide_blocks(coherence, &coherence->modules[i], error);
        if (status == GPC_OK)
            status = limit_directory(coherence, &coherence->modules[i], error);
    }
    return status;
}
