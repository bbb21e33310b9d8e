/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_build.h"

/*
 * The place of each module, which says by which of the protocol's rules it goes: in the first level, between, shared by
 * all processors, or memory.
 *
 * A cache is shared if whatever any processor asks it for, all processors ask it for. Not who may reach it counts, but
 * by which addresses: two processors that reach two L2s, each the one by the addresses by which the other reaches the
 * other, have no L2 in common, and each L2 may have what the other has changed.
 *
 * Example: l1-0 and l1-1 over l2-0, l1-2 over l2-1, both l2 over mm. The l1 are FIRST; the l2 are BETWEEN, since no one
 * of them is below all l1; mm is memory. With one l2 below all three it would be LAST: shared.
 */

/* Steps by processors that are walked; beyond that no cache counts as shared. */
#define MOST_WALKS (1u << 24)

typedef struct walk {
    const gpc_coherence *c;
    uint32_t *passed; /* [module] processors whose access of the present address passes it */
    bool *apart;      /* [module] some processors reach what it serves, and others reach that elsewhere */
    uint64_t walks;
} walk;

/* All processors access one address. */
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

static bool is_alone(const gpc_coherence *c) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->module_count; i++)
        first += !c->modules[i].above_count;
    return first == 1;
}

static uint8_t place_of(const gpci_module *m, bool apart) {
    return m->given.memory   ? GPCI_PLACE_MEMORY
           : !m->above_count ? GPCI_PLACE_FIRST
           : apart           ? GPCI_PLACE_BETWEEN
                             : GPCI_PLACE_LAST;
}

static gpc_status find_places(gpc_coherence *c, gpc_error *error) {
    const gpci_tree_steps all = {.count = c->module_count, .last = UINT64_MAX, .visit = walk_address};
    walk w = {.c = c};
    w.passed = gpci_alloc(c->context, c->module_count * sizeof *w.passed);
    w.apart = gpci_zalloc(c->context, c->module_count, sizeof *w.apart);
    gpc_status status = w.passed && w.apart ? GPC_OK : gpci_out_of_memory(error);
    if (status == GPC_OK) {
        bool unknown = !is_alone(c) && gpci_tree_visit_steps(c, &all, &w) != GPC_OK;
        for (uint32_t i = 0; i < c->module_count; i++)
            c->modules[i].place = place_of(&c->modules[i], unknown || w.apart[i]);
    }
    gpci_free(c->context, w.passed);
    gpci_free(c->context, w.apart);
    return status;
}

/* The table of the protocol for the module's place. */
static gpc_status find_rules(const gpc_protocol *p, gpci_module *m, gpc_error *error) {
    static const char *const places[] = {"the first level", "a level between", "a shared level", "memory"};
    const gpc_protocol_rules *rules[] = {p->first, p->between, p->shared ? p->shared : p->between, p->memory};
    if (!rules[m->place])
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: protocol '%s' has no rules for %s", gpci_tree_title_of(m).text,
                         p->name, places[m->place]);
    m->rules = *rules[m->place];
    return GPC_OK;
}

gpc_status gpci_tree_places(gpc_coherence *c, gpc_error *error) {
    gpc_status status = find_places(c, error);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = find_rules(c->protocol, &c->modules[i], error);
    return status;
}
