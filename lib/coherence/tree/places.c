/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/*
 * Place of every module, which selects the protocol's table: first level, between, shared, memory.
 *
 * A cache is shared (LAST) if all processors access all addresses of the cache through the cache. It is not enough if
 * every processor reaches the cache by some address. Therefore the path of every processor to memory is walked for a
 * sample of the addresses (gpci_tree_visit_steps), and the paths through each module are counted.
 *
 * Example 1: l1-0 and l1-1 over l2-0, l1-2 over l2-1, both L2s over mm. The L1s are FIRST. An address has three paths:
 * two pass l2-0 and the third passes l2-1, so both L2s are BETWEEN. With a single L2 below all three L1s, all three
 * paths pass the L2: it is LAST.
 *
 * Example 2: l1-0 reaches l2-0 for low addresses and l2-1 for high ones, l1-1 the other way round. Both processors
 * reach both L2s. But a low address is in l2-0 for l1-0 and in l2-1 for l1-1, and an L2 may hold data that the other L2
 * does not see: both L2s are BETWEEN.
 */

/* Upper bound of the paths to walk. If there are more paths, no cache counts as shared, which is always safe. */
#define MOST_WALKS (1u << 24)

typedef struct walk {
    const gpc_coherence *coherence;
    uint32_t *passed; /* [module_count] number of processors with a path to the address through the module */
    bool *partial;    /* [module_count] for some address, only a part of the processors use the module */
    uint64_t walks;   /* number of paths walked */
} walk;

/* Walk the paths of all processors to an address. GPC_END: more than MOST_WALKS paths. */
static gpc_status walk_address(void *data, uint64_t address) {
    walk *visit = data;
    const gpc_coherence *coherence = visit->coherence;
    uint32_t processors = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        visit->passed[i] = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        const gpci_module *module = &coherence->modules[i];
        if (module->above_count || !gpci_module_serves(module, address))
            continue;
        processors++;
        for (uint32_t low;
             !module->given.memory && (low = gpci_module_low(coherence, module, address)) != GPC_NO_MODULE;) {
            visit->passed[low]++;
            module = &coherence->modules[low];
        }
    }
    for (uint32_t i = 0; i < coherence->module_count; i++)
        visit->partial[i] |= visit->passed[i] && visit->passed[i] < processors;
    visit->walks += processors;
    return visit->walks > MOST_WALKS ? GPC_END : GPC_OK;
}

/* True if the tree has a single first-level module: then every module below is shared. */
static bool is_alone(const gpc_coherence *coherence) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        first += !coherence->modules[i].above_count;
    return first == 1;
}

static uint8_t place_of(const gpci_module *module, bool partial) {
    return module->given.memory      ? GPCI_PLACE_MEMORY
           : !module->above_count    ? GPCI_PLACE_FIRST
           : partial || module->near ? GPCI_PLACE_BETWEEN
                                     : GPCI_PLACE_LAST;
}

/* In a tree with homes, walk once for every home, as if all pages had the home. */
static gpc_status walk_homes(gpc_coherence *coherence, const gpci_tree_steps *steps, walk *visit) {
    if (!coherence->homes)
        return gpci_tree_visit_steps(coherence, steps, visit);
    gpc_status status = GPC_OK;
    for (coherence->all_at = 1; coherence->all_at <= coherence->homes && status == GPC_OK; coherence->all_at++)
        status = gpci_tree_visit_steps(coherence, steps, visit);
    coherence->all_at = 0;
    return status;
}

static gpc_status find_places(gpc_coherence *coherence, gpc_error *error) {
    const gpci_tree_steps all = {.count = coherence->module_count, .last = UINT64_MAX, .visit = walk_address};
    walk visit = {.coherence = coherence};
    visit.passed = gpci_alloc(coherence->context, coherence->module_count * sizeof *visit.passed);
    visit.partial = gpci_zalloc(coherence->context, coherence->module_count, sizeof *visit.partial);
    gpc_status status = visit.passed && visit.partial ? GPC_OK : gpci_out_of_memory(error);
    if (status == GPC_OK) {
        bool unknown = !is_alone(coherence) && walk_homes(coherence, &all, &visit) != GPC_OK;
        for (uint32_t i = 0; i < coherence->module_count; i++)
            coherence->modules[i].place = place_of(&coherence->modules[i], unknown || visit.partial[i]);
    }
    gpci_free(coherence->context, visit.passed);
    gpci_free(coherence->context, visit.partial);
    return status;
}

/* Find the protocol's table for the module's place. */
static gpc_status find_rules(const gpc_protocol *protocol, gpci_module *module, gpc_error *error) {
    static const char *const places[] = {"the first level", "a level between", "a shared level", "memory"};
    const gpc_protocol_rules *rules[] = {protocol->first, protocol->between,
                                         protocol->shared ? protocol->shared : protocol->between, protocol->memory};
    if (!rules[module->place])
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: protocol '%s' has no rules for %s",
                         gpci_tree_title_of(module).text, protocol->name, places[module->place]);
    module->rules = *rules[module->place];
    const gpci_module_place table =
        module->place == GPCI_PLACE_LAST && !protocol->shared ? GPCI_PLACE_BETWEEN : module->place;
    module->named = protocol->event_count;
    module->named_rules = module->named ? protocol->event_rules[table] : NULL;
    module->raises = module->named ? protocol->raises[table] : NULL;
    return GPC_OK;
}

/*
 * Refuse byte masks, except in a cache whose low modules are memories that no other cache uses: then no module below
 * requests the cache's data.
 */
static gpc_status check_masks(const gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    bool over_memory = module->place == GPCI_PLACE_LAST;
    for (uint32_t i = 0; i < module->given.low_count; i++)
        over_memory &= coherence->modules[module->given.low[i]].given.memory;
    if (module->given.byte_masks && !over_memory)
        GPCI_TREE_REFUSE(ARGUMENT, module, "byte_masks", "is for caches that all processors share, over %s",
                         "a memory");
    return GPC_OK;
}

gpc_status gpci_tree_places(gpc_coherence *coherence, gpc_error *error) {
    gpc_status status = find_places(coherence, error);
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        status = check_masks(coherence, &coherence->modules[i], error);
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++)
        status = find_rules(coherence->protocol, &coherence->modules[i], error);
    return status;
}
