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

#define GREATEST_RATIO 64u /* most sub-blocks in a block */

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* List the modules above every module, ascending, with the place of each in the list (`slots`). */
static gpc_status list_above(gpc_coherence *c, gpc_error *error) {
    for (uint32_t i = 0; i < c->module_count; i++)
        for (uint32_t k = 0; k < c->modules[i].given.low_count; k++)
            c->modules[c->modules[i].given.low[k]].above_count++;
    for (uint32_t i = 0; i < c->module_count; i++) {
        gpci_module *m = &c->modules[i];
        if (!m->above_count)
            continue;
        uint32_t *above = gpci_alloc(c->context, m->above_count * sizeof *above);
        m->above = above;
        uint16_t *slots = gpci_zalloc(c->context, c->module_count, sizeof *slots);
        m->slots = slots;
        if (!above || !slots)
            return gpci_out_of_memory(error);
        m->above_count = 0;
    }
    for (uint32_t i = 0; i < c->module_count; i++)
        for (uint32_t k = 0; k < c->modules[i].given.low_count; k++) {
            gpci_module *low = &c->modules[c->modules[i].given.low[k]];
            ((uint16_t *)(uintptr_t)low->slots)[i] = (uint16_t)low->above_count;
            ((uint32_t *)(uintptr_t)low->above)[low->above_count++] = i;
        }
    return GPC_OK;
}

/* Check fields that depend on the presence of modules above. */
static gpc_status check_neighbours(const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    if (g->memory && !m->above_count)
        GPCI_TREE_REFUSE(ARGUMENT, m, "memory", "has no module %s", "above it");
    if (!m->above_count && g->high_network != GPC_NO_MODULE)
        GPCI_TREE_REFUSE(ARGUMENT, m, "high_network", "is %u, but no module is above", g->high_network);
    if (m->above_count && g->high_network == GPC_NO_MODULE)
        GPCI_TREE_REFUSE(ARGUMENT, m, "high_network", "is missing: %u modules are above", m->above_count);
    if (m->above_count && (g->write_through || g->no_write_allocate))
        GPCI_TREE_REFUSE(ARGUMENT, m, "write_through",
                         "and no_write_allocate are for the first level; %u modules are above", m->above_count);
    if (!m->above_count && g->non_inclusive)
        GPCI_TREE_REFUSE(ARGUMENT, m, "non_inclusive", "is for modules with %s", "others above them");
    return GPC_OK;
}

/*
 * Level of a module: one more than the highest level above. A module is queued once all modules above it are done; a
 * module in or below a cycle is never queued, and rejected. At the end `queue` is in order of level.
 */
static gpc_status count_levels(gpc_coherence *c, uint32_t *waiting, uint32_t *queue, gpc_error *error) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->module_count; i++)
        if (!(waiting[i] = c->modules[i].above_count))
            queue[count++] = i;
    for (uint32_t i = 0; i < count; i++) {
        gpci_module *m = &c->modules[queue[i]];
        m->level++;
        c->levels = m->level > c->levels ? m->level : c->levels;
        for (uint32_t k = 0; k < m->given.low_count; k++) {
            gpci_module *low = &c->modules[m->given.low[k]];
            low->level = m->level > low->level ? m->level : low->level;
            if (!--waiting[low->index])
                queue[count++] = low->index;
        }
    }
    for (uint32_t i = 0; i < c->module_count; i++)
        if (waiting[i])
            GPCI_TREE_REFUSE(ARGUMENT, &c->modules[i], "low", "leads through a cycle of %s",
                             "modules, or lies below one");
    if (c->levels > UINT8_MAX)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_coherence_options.modules make %u levels, more than %u",
                         c->levels, UINT8_MAX);
    return GPC_OK;
}

/* Sub-blocks have a directory entry each and the size of the smallest block above. */
static gpc_status divide_blocks(const gpc_coherence *c, gpci_module *m, gpc_error *error) {
    uint32_t smallest = m->given.block_bytes;
    for (uint32_t i = 0; i < m->above_count; i++)
        smallest = least(smallest, c->modules[m->above[i]].given.block_bytes);
    m->block_shift = gpci_log2(m->given.block_bytes);
    m->sectors = m->given.memory && !m->given.ways ? 1 : m->given.sectors;
    m->sector_mask = m->sectors - 1;
    m->sector_shift = gpci_log2(m->sectors);
    m->fetch_mask = m->sector_mask ? m->given.fetch_blocks - 1u : 0;
    m->line_shift = m->block_shift + m->sector_shift;
    m->sub_shift = gpci_log2(smallest);
    m->mask_bytes = (m->given.block_bytes + 7) / 8;
    m->sub_blocks = m->above_count ? m->given.block_bytes / smallest : 0;
    m->sharer_words = (m->above_count + GPCI_SHARERS - 1) / GPCI_SHARERS;
    if (m->sub_blocks > GREATEST_RATIO)
        GPCI_TREE_REFUSE(RANGE, m, "block_bytes", "is %u, more than %u times the %u of a module above",
                         m->given.block_bytes, GREATEST_RATIO, smallest);
    return GPC_OK;
}

/* Number of copies a directory entry names. */
static gpc_status limit_directory(const gpc_coherence *c, gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    const bool coarse = g->directory_overflow == GPC_OVERFLOW_COARSE;
    if (g->directory_overflow > GPC_OVERFLOW_COARSE)
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_overflow", "is %u, no gpc_directory_overflow", g->directory_overflow);
    if (coarse ? g->directory_region < 2 : g->directory_region != 0)
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_region", "is %u; of COARSE directories it is 2 or more, of others 0",
                         g->directory_region);
    if (g->directory_pointers && !m->above_count)
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_pointers", "is %u, but no module is above", g->directory_pointers);
    m->pointers = g->directory_pointers < m->above_count ? g->directory_pointers : 0;
    if (!(c->protocol->flags & GPC_PROTOCOL_DIRECTORY))
        m->pointers = 0;
    if (m->pointers && c->protocol->flags & GPC_PROTOCOL_PROBE_WHOLE)
        GPCI_TREE_REFUSE(ARGUMENT, m, "directory_pointers", "is %u; directories of protocol '%s' name all copies",
                         g->directory_pointers, c->protocol->name);
    for (uint32_t i = 0; i < m->above_count && g->directory_overflow == GPC_OVERFLOW_EVICT && m->pointers; i++)
        if (c->modules[m->above[i]].given.block_bytes != 1u << m->sub_shift)
            GPCI_TREE_REFUSE(ARGUMENT, m, "directory_overflow",
                             "is EVICT, but blocks above differ in size: '%s' has %u",
                             c->modules[m->above[i]].given.name, c->modules[m->above[i]].given.block_bytes);
    return GPC_OK;
}

gpc_status gpci_tree_shape(gpc_coherence *c, gpc_error *error) {
    gpc_status status = list_above(c, error);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = check_neighbours(&c->modules[i], error);
    if (status < 0)
        return status;
    uint32_t *waiting = gpci_zalloc(c->context, c->module_count, sizeof *waiting);
    uint32_t *queue = gpci_zalloc(c->context, c->module_count, sizeof *queue);
    status = waiting && queue ? count_levels(c, waiting, queue, error) : gpci_out_of_memory(error);
    gpci_free(c->context, waiting);
    gpci_free(c->context, queue);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
        status = divide_blocks(c, &c->modules[i], error);
        if (status == GPC_OK)
            status = limit_directory(c, &c->modules[i], error);
    }
    return status;
}
