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

uint32_t gpci_tree_home(const gpc_coherence *c, uint64_t address) {
    const uint64_t page = address >> c->page_shift;
    if (c->all_at)
        return c->all_at;
    const gpci_map_entry *entry = c->first_touch ? gpci_map_find(&c->pages, page) : NULL;
    if (c->hashed)
        return (uint32_t)((gpci_mix(page) >> 32) * c->homes >> 32) + 1;
    return entry ? (uint32_t)entry->value : (uint32_t)(page % c->homes) + 1;
}

gpc_status gpci_tree_pages_reserve(gpc_coherence *c) {
    return gpci_map_reserve(c->context, &c->pages, 1) ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_tree_touch(gpc_coherence *c, uint32_t module, uint64_t address) {
    const uint64_t page = address >> c->page_shift;
    const uint32_t home = gpci_module_at(c, module)->given.home;
    if (!gpci_map_find(&c->pages, page))
        gpci_map_add(&c->pages, page, home ? home : gpci_tree_home(c, address));
}

void gpci_tree_pages_inherit(gpc_coherence *c, gpc_coherence *from) {
    const gpci_map pages = c->pages;
    c->pages = from->pages;
    from->pages = pages;
}

static gpc_status check_module(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    if (m->given.home > c->homes)
        GPCI_TREE_REFUSE(ARGUMENT, m, "home", "is %u, of %u", m->given.home, c->homes);
    if (c->homes && (uint64_t)m->given.block_bytes > (uint64_t)1 << c->page_shift)
        GPCI_TREE_REFUSE(ARGUMENT, m, "block_bytes", "is %u, more than a page", m->given.block_bytes);
    if (c->homes && (uint64_t)m->given.fetch_blocks * m->given.block_bytes > (uint64_t)1 << c->page_shift)
        GPCI_TREE_REFUSE(ARGUMENT, m, "fetch_blocks", "is %u, more than a page has", m->given.fetch_blocks);
    return GPC_OK;
}

gpc_status gpci_tree_check_pages(gpc_coherence *c, const gpc_coherence_options *o, gpc_error *error) {
    const char *type = "gpc_coherence_options";
    if (o->homes > UINT8_MAX)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.homes is %u, more than %u", type, o->homes, UINT8_MAX);
    if (o->placement > GPC_PLACE_HASHED)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.placement is %u, no gpc_placement", type, o->placement);
    if (o->homes ? !gpci_power_of_two(o->page_bytes) : o->page_bytes != 0)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.page_bytes is %llu; with homes it is a power of two, else 0",
                         type, (unsigned long long)o->page_bytes);
    c->homes = o->homes;
    c->page_shift = o->homes ? gpci_log2(o->page_bytes) : 0;
    c->first_touch = o->homes && o->placement == GPC_PLACE_FIRST_TOUCH;
    c->hashed = o->homes && o->placement == GPC_PLACE_HASHED;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = check_module(c, &c->modules[i], error);
    return status;
}
