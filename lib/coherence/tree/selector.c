/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/*
 * Selectors of modules with hashed sets or hashed addresses. A selector uses the hash functions of gpc_cache and of a
 * hierarchy's slices. Similar modules share a selector; a tree has mostly two or three selectors. Modules for which
 * shifts and masks are enough have no selector.
 *
 * Before gpci_tree_select, a HASHED module treats addresses as INTERLEAVED, and cover.c and places.c check the module
 * without its hash. The checks are still valid. A hash only permutes stretches of `divisor` bytes within groups of
 * `modulus` stretches (rounded up to a power of two). If all HASHED modules have equal hashes, and ranges do not cut
 * groups, an address has the same path with the hash as another address of the group without the hash.
 *
 * Example, 3 banks, stretches of 256 bytes: the hash's degree is 2, and stretches 4 to 7 become 6, 7, 4, 5. Modulo 3
 * they are in banks 0, 1, 1, 2, and without the hash in banks 1, 2, 0, 1: the numbers per bank are equal over all
 * groups.
 */

static bool is_hashed(const gpci_module *module) {
    return module->given.served == GPC_SERVES_HASHED;
}

/* Size in bytes of a group of stretches within which a hash permutes. */
static uint64_t group_bytes(const gpci_module *hashed) {
    return hashed->given.divisor << gpci_ceil_log2(hashed->given.modulus);
}

static gpc_status check_with_hashed(const gpci_module *hashed, const gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    const uint64_t within = group_bytes(hashed) - 1;
    if (given->served == GPC_SERVES_INTERLEAVED)
        GPCI_TREE_REFUSE(ARGUMENT, module, "served", "is interleaved, in a tree where '%s' is hashed",
                         hashed->given.name);
    if (is_hashed(module) && (given->divisor != hashed->given.divisor || given->modulus != hashed->given.modulus))
        GPCI_TREE_REFUSE(ARGUMENT, module, "divisor", "and modulus are other than those of '%s', hashed too",
                         hashed->given.name);
    if (given->served == GPC_SERVES_RANGE && ((given->first & within) || (given->last & within) != within))
        GPCI_TREE_REFUSE(ARGUMENT, module, "first", "and last cut %llu bytes that are hashed over '%s' and others",
                         (unsigned long long)within + 1, hashed->given.name);
    return GPC_OK;
}

gpc_status gpci_tree_check_hashes(const gpc_coherence *coherence, gpc_error *error) {
    const gpci_module *hashed = NULL;
    for (uint32_t i = 0; i < coherence->module_count && !hashed; i++)
        hashed = is_hashed(&coherence->modules[i]) ? &coherence->modules[i] : NULL;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; hashed && i < coherence->module_count && status == GPC_OK; i++)
        status = check_with_hashed(hashed, &coherence->modules[i], error);
    return status;
}

/* True if a module needs a selector. `dense` makes a difference only if a stretch has several lines. */
static bool needs_selector(const gpci_module *module) {
    const gpc_coherence_module *given = &module->given;
    const bool gaps = module->interleaved && given->modulus > 1 &&
                      given->divisor != (uint64_t)given->block_bytes << module->sector_shift;
    return is_hashed(module) || given->index != GPC_INDEX_MODULO || (given->dense && gaps);
}

static bool same_selector(const gpci_module *left, const gpci_module *right) {
    const gpc_coherence_module *given = &left->given, *other = &right->given;
    return given->served == other->served && given->divisor == other->divisor && given->modulus == other->modulus &&
           given->sets == other->sets && given->index == other->index;
}

static gpc_status make(gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    const gpc_coherence_module *given = &module->given;
    if (module->interleaved && given->modulus > GPCI_TREE_BANKS)
        GPCI_TREE_REFUSE(RANGE, module, "modulus",
                         "is %llu, more than %u, with hashed sets or stretches of several blocks",
                         (unsigned long long)given->modulus, GPCI_TREE_BANKS);
    gpci_tree_selector *selector = gpci_zalloc(coherence->context, 1, sizeof *selector);
    if (!selector)
        return gpci_out_of_memory(error);
    selector->next = coherence->selectors;
    coherence->selectors = selector;
    module->selector = selector;
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = gpci_index_init(&selector->index, (gpc_index)given->index, given->sets, NULL, NULL, &detail);
    if (status == GPC_OK && module->interleaved)
        status = gpci_interleave_init(&selector->spread, is_hashed(module) ? GPCI_SPREAD_HASH : GPCI_SPREAD_MODULO,
                                      given->divisor, (uint32_t)given->modulus, 1, &detail);
    return status < 0 ? gpci_fail(error, status, "%s: %s", gpci_tree_title_of(module).text, detail.message) : GPC_OK;
}

/*
 * Find or make a module's selector, if needed. Also check that the modulus of any interleaved module fits gpci_divisor.
 */
static gpc_status select_for(gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    if (module->interleaved && module->given.modulus > UINT32_MAX)
        GPCI_TREE_REFUSE(RANGE, module, "modulus", "is %llu, more than %u", (unsigned long long)module->given.modulus,
                         UINT32_MAX);
    if (!needs_selector(module))
        return GPC_OK;
    for (uint32_t i = module->index; i-- > 0;)
        if (coherence->modules[i].selector && same_selector(&coherence->modules[i], module)) {
            module->selector = coherence->modules[i].selector;
            return GPC_OK;
        }
    return make(coherence, module, error);
}

gpc_status gpci_tree_select(gpc_coherence *coherence, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        status = select_for(coherence, &coherence->modules[i], error);
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
        gpci_module *module = &coherence->modules[i];
        const gpci_module *bank = module->banks ? &coherence->modules[module->given.low[0]] : NULL;
        module->bank_selector = bank && is_hashed(bank) ? bank->selector : NULL;
    }
    return status;
}

void gpci_tree_selectors_release(gpc_coherence *coherence) {
    for (gpci_tree_selector *selector = coherence->selectors, *next; selector; selector = next) {
        next = selector->next;
        gpci_free(coherence->context, selector);
    }
}
