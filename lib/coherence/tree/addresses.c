/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/* Place of an address: home of the page, low module, set. */

/* -- homes of pages */

/*
 * Homes of pages (gpc_coherence_options.homes): a page belongs to one of several memories, and a memory is next to a
 * part of the processors.
 *
 * Example, 2 homes, pages of 4096 bytes. If pages are placed in turn, pages 0, 2, 4 have home 1, and pages 1, 3, 5 have
 * home 2. If pages are placed by first touch, a page's home is the home of the first-level module that accesses the
 * page first; before the first access, the home is as in turn. If pages are hashed, a hash of the page number decides,
 * so that accesses with a stride do not all go to one home.
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

/* -- residues and sets */

uint64_t gpci_tree_residue(const gpci_module *module, uint64_t address) {
    uint64_t inner;
    if (module->selector)
        return gpci_interleave_slice(&module->selector->spread, address, &inner);
    return address / module->given.divisor % module->given.modulus;
}

uint32_t gpci_tree_selected_set(const gpci_module *module, uint64_t tag) {
    uint64_t inner = tag;
    if (module->interleaved)
        gpci_interleave_slice(&module->selector->spread, tag, &inner);
    return gpci_index_of(&module->selector->index, inner >> module->line_shift);
}

/* -- modules */

bool gpci_module_has_residue(const gpci_module *module, uint64_t address) {
    return !module->interleaved || gpci_tree_residue(module, address) == module->given.residue;
}

bool gpci_module_serves(const gpci_module *module, uint64_t address) {
    return address >= module->first && address <= module->last && gpci_module_has_residue(module, address) &&
           gpci_module_at_home(module, address);
}

uint32_t gpci_module_low(const gpc_coherence *coherence, const gpci_module *module, uint64_t address) {
    const gpc_coherence_module *given = &module->given;
    if (GPCI_LIKELY(module->banks != NULL)) {
        if (address < module->first || address > module->last)
            return GPC_NO_MODULE;
        const uint32_t *banks = module->banks;
        if (GPCI_UNLIKELY(module->bank_homes > 1))
            banks += (gpci_tree_home(coherence, address) - 1) * module->bank_modulus;
        if (GPCI_UNLIKELY(module->bank_selector != NULL)) {
            uint64_t inner;
            return banks[gpci_interleave_slice(&module->bank_selector->spread, address, &inner)];
        }
        const uint64_t part = address >> module->bank_shift;
        return banks[part >> 32 ? part % module->bank_modulus : (uint32_t)part % module->bank_modulus];
    }
    if (given->low_count == 1) {
        const gpci_module *low = &coherence->modules[given->low[0]];
        const bool serves = address >= low->first && address <= low->last && gpci_module_at_home(low, address);
        return serves ? given->low[0] : GPC_NO_MODULE;
    }
    /* values for the previous low module, which are mostly the same for the next */
    uint64_t divisor = 0, modulus = 0, residue = 0;
    for (uint32_t i = 0; i < given->low_count; i++) {
        const gpci_module *low = &coherence->modules[given->low[i]];
        if (address < low->first || address > low->last || !gpci_module_at_home(low, address))
            continue;
        if (!low->interleaved)
            return given->low[i];
        if (low->given.divisor != divisor || low->given.modulus != modulus) {
            divisor = low->given.divisor;
            modulus = low->given.modulus;
            residue = gpci_tree_residue(low, address);
        }
        if (residue == low->given.residue)
            return given->low[i];
    }
    return GPC_NO_MODULE;
}
