/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/*
 * Place of every module, which selects the protocol's table: first level, between, shared, memory.
 *
 * A cache is shared (LAST) if every processor accesses the addresses served by this cache through this cache. Reaching
 * the cache by some address is not enough. Therefore the path of every processor to memory is walked for one address of
 * every kind (gpci_tree_visit_steps), and the modules on the paths are counted.
 *
 * Example 1: l1-0 and l1-1 over l2-0, l1-2 over l2-1, both L2s over mm. The L1s are FIRST. Of three paths for any
 * address two pass l2-0 and one passes l2-1: both are BETWEEN. With one L2 below all three L1s, all three paths pass
 * it: LAST.
 *
 * Example 2: l1-0 reaches l2-0 for low addresses and l2-1 for high ones, l1-1 the other way round. Both processors
 * reach both L2s, but a low address is in l2-0 for one and in l2-1 for the other, and each L2 may hold data unseen by
 * the other: both L2s are BETWEEN.
 */

/* Most paths to walk. If there are more, no cache counts as shared, which is always safe. */
#define MOST_WALKS (1u << 24)

typedef struct walk {
    const gpc_coherence *c;
    uint32_t *passed; /* [module] processors with a path to the address through the module */
    bool *apart;      /* [module] for an address, only a part of the processors use the module */
    uint64_t walks;   /* paths walked */
} walk;

/* Walk the paths of the processors to an address. GPC_END: too many. */
static gpc_status walk_address(void *data, uint64_t address) {
    walk *w = data;
    const gpc_coherence *c = w->c;
    uint32_t processors = 0;
    for (uint32_t i = 0; i < c->module_count; i++)
        w->passed[i] = 0;
    for (uint32_t i = 0; i < c->module_count; i++) {
        const gpci_module *m = &c->modules[i];
        if (m->above_count || !gpci_module_serves(m, address))
            continue;
        processors++;
        for (uint32_t low; !m->given.memory && (low = gpci_module_low(c, m, address)) != GPC_NO_MODULE;) {
            w->passed[low]++;
            m = &c->modules[low];
        }
    }
    for (uint32_t i = 0; i < c->module_count; i++)
        w->apart[i] |= w->passed[i] && w->passed[i] < processors;
    w->walks += processors;
    return w->walks > MOST_WALKS ? GPC_END : GPC_OK;
}

/* True with a single first-level module: every module below is shared. */
static bool is_alone(const gpc_coherence *c) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->module_count; i++)
        first += !c->modules[i].above_count;
    return first == 1;
}

static uint8_t place_of(const gpci_module *m, bool apart) {
    return m->given.memory    ? GPCI_PLACE_MEMORY
           : !m->above_count  ? GPCI_PLACE_FIRST
           : apart || m->near ? GPCI_PLACE_BETWEEN
                              : GPCI_PLACE_LAST;
}

/* In a tree with homes, walk as if all pages had one home, for every home. */
static gpc_status walk_homes(gpc_coherence *c, const gpci_tree_steps *steps, walk *w) {
    if (!c->homes)
        return gpci_tree_visit_steps(c, steps, w);
    gpc_status status = GPC_OK;
    for (c->all_at = 1; c->all_at <= c->homes && status == GPC_OK; c->all_at++)
        status = gpci_tree_visit_steps(c, steps, w);
    c->all_at = 0;
    return status;
}

static gpc_status find_places(gpc_coherence *c, gpc_error *error) {
    const gpci_tree_steps all = {.count = c->module_count, .last = UINT64_MAX, .visit = walk_address};
    walk w = {.c = c};
    w.passed = gpci_alloc(c->context, c->module_count * sizeof *w.passed);
    w.apart = gpci_zalloc(c->context, c->module_count, sizeof *w.apart);
    gpc_status status = w.passed && w.apart ? GPC_OK : gpci_out_of_memory(error);
    if (status == GPC_OK) {
        bool unknown = !is_alone(c) && walk_homes(c, &all, &w) != GPC_OK;
        for (uint32_t i = 0; i < c->module_count; i++)
            c->modules[i].place = place_of(&c->modules[i], unknown || w.apart[i]);
    }
    gpci_free(c->context, w.passed);
    gpci_free(c->context, w.apart);
    return status;
}

/* Find the protocol's table for the module's place. */
static gpc_status find_rules(const gpc_protocol *p, gpci_module *m, gpc_error *error) {
    static const char *const places[] = {"the first level", "a level between", "a shared level", "memory"};
    const gpc_protocol_rules *rules[] = {p->first, p->between, p->shared ? p->shared : p->between, p->memory};
    if (!rules[m->place])
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: protocol '%s' has no rules for %s", gpci_tree_title_of(m).text,
                         p->name, places[m->place]);
    m->rules = *rules[m->place];
    const gpci_module_place table = m->place == GPCI_PLACE_LAST && !p->shared ? GPCI_PLACE_BETWEEN : m->place;
    m->named = p->event_count;
    m->named_rules = m->named ? p->event_rules[table] : NULL;
    m->raises = m->named ? p->raises[table] : NULL;
    return GPC_OK;
}

/*
 * Byte masks need a cache whose low modules are memories that no other cache uses: no module below asks the cache for
 * the data.
 */
static gpc_status check_masks(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    bool over_memory = m->place == GPCI_PLACE_LAST;
    for (uint32_t i = 0; i < m->given.low_count; i++)
        over_memory &= c->modules[m->given.low[i]].given.memory;
    if (m->given.byte_masks && !over_memory)
        GPCI_TREE_REFUSE(ARGUMENT, m, "byte_masks", "is for caches that all processors share, over %s", "a memory");
    return GPC_OK;
}

gpc_status gpci_tree_places(gpc_coherence *c, gpc_error *error) {
    gpc_status status = find_places(c, error);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = check_masks(c, &c->modules[i], error);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = find_rules(c->protocol, &c->modules[i], error);
    return status;
}
