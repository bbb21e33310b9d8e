/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/explore.h"

/* The trees that are explored: first-level caches of one block over memory, over second-level caches, over a third. */

typedef struct plan {
    gpc_coherence_module modules[EXPLORE_MODULES];
    uint32_t low[EXPLORE_MODULES];
    uint32_t count;
} plan;

static const char *const names[EXPLORE_MODULES] = {"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"};

static gpc_coherence_module *add(plan *p, uint32_t low, uint32_t ways, uint32_t block_bytes) {
    gpc_coherence_module *m = &p->modules[p->count];
    *m = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
    m->name = names[p->count];
    m->ways = ways;
    m->block_bytes = block_bytes;
    m->low_network = m->high_network = 0;
    p->low[p->count] = low;
    m->low = &p->low[p->count];
    m->low_count = 1;
    p->count++;
    return m;
}

static void first_level(plan *p, const explore_setup *setup) {
    const explore_tree *t = &setup->tree;
    for (uint32_t i = 0; i < t->caches; i++) {
        const uint32_t low = t->l2 ? t->caches + i * t->l2 / t->caches : t->caches;
        gpc_coherence_module *m = add(p, low, t->first_ways ? t->first_ways : 1, EXPLORE_BLOCK);
        m->high_network = GPC_NO_MODULE;
        m->write_through = t->write_through;
        m->no_write_allocate = t->no_write_allocate;
    }
}

gpc_coherence *explore_make(const explore_setup *setup, gpc_error *error) {
    const explore_tree *t = &setup->tree;
    const uint32_t block = t->l2_block ? t->l2_block : EXPLORE_BLOCK;
    plan p = {.count = 0};
    first_level(&p, setup);
    for (uint32_t i = 0; i < t->l2; i++) {
        gpc_coherence_module *m = add(&p, t->caches + t->l2, t->l2_ways, block);
        m->non_inclusive = t->non_inclusive;
        m->directory_ways = t->non_inclusive ? 2 : 0;
    }
    if (t->l3)
        add(&p, t->caches + t->l2 + 1, t->l3_ways, block);
    gpc_coherence_module *memory = add(&p, 0, t->memory_ways, block);
    memory->memory = true;
    memory->low = NULL;
    memory->low_count = 0;
    memory->low_network = GPC_NO_MODULE;

    gpc_coherence_network network = GPC_COHERENCE_NETWORK_INIT;
    network.name = "net";
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    options.protocol = setup->protocol;
    options.modules = p.modules;
    options.module_count = p.count;
    options.networks = &network;
    options.network_count = 1;
    options.timing = false;
    gpc_coherence *c = NULL;
    if (gpc_coherence_create(setup->context, &options, error, &c))
        return NULL;
    if (setup->faults || setup->protocol_flags)
        gpci_coherence_inject(c, setup->faults, setup->protocol_flags);
    return c;
}
