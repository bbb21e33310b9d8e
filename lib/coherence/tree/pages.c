/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/*
 * Homes of pages (gpc_coherence_options.homes): a page belongs to one of several memories, and a memory is next to a
 * part of the processors.
 *
 * Example, 2 homes, pages of 4096 bytes. In turn: pages 0, 2, 4 have home 1, pages 1, 3, 5 home 2. First touch: a
 * page's home is the home of the first-level module that accesses it first; before the first access, as in turn.
 * Hashed: the page number decides, without a pattern for strides.
 */

uint32_t gpci_tree_home(const gpc_coherence *coherence, uint64_t address) {
    const uint64_t page = address >> coherence->page_shift;
    if (coherence->all_at)
        return coherence->all_at;
    const gpci_map_entry *entry = coherence->first_touch ? gpci_map_find(&coherence->pages, page) : NULL;
    if (coherence->hashed)
        return (uint32_t)((gpci_mix(page) >> 32) * coherence->homes >> 32) + 1;
    return entry ? (uint32_t)entry->value : (uint32_t)(page % coherence->homes) + 1;
}

gpc_status gpci_tree_pages_reserve(gpc_coherence *coherence) {
    return gpci_map_reserve(coherence->context, &coherence->pages, 1) ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_tree_touch(gpc_coherence *coherence, uint32_t module, uint64_t address) {
    const uint64_t page = address >> coherence->page_shift;
    const uint32_t home = gpci_module_at(coherence, module)->given.home;
    if (!gpci_map_find(&coherence->pages, page))
        gpci_map_add(&coherence->pages, page, home ? home : gpci_tree_home(coherence, address));
}

void gpci_tree_pages_inherit(gpc_coherence *coherence, gpc_coherence *from) {
    const gpci_map pages = coherence->pages;
    coherence->pages = from->pages;
    from->pages = pages;
}

static gpc_status check_module(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
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
        status = check_module(coherence, &coherence->modules[i], error);
    return status;
}
