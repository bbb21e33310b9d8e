/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/coherent/coherent_level.h"

#include "base/clock.h"
#include "coherence/engine/engine_host.h"
#include "coherence/module/tree.h"
#include "level/rules/level_rules.h"

#include <stdio.h>

#define LEAST_FILL_WAYS 4u
#define MOST_FILL_WAYS 64u

/* Build a tree of coherent modules from configuration keys. */

#define NAME_BYTES 24

/* Plan of the tree. */
typedef struct plan {
    gpc_coherence_module *modules; /* [modules] */
    char (*names)[NAME_BYTES];     /* [modules] */
    /*
     * [modules + slices * (2 + gpus)]: first a module's own number; then, part by part, modules next to the L1s; then,
     * per slice, the memories behind it (several GPUs) or, per near half, the home halves
     */
    uint32_t *low;
    uint32_t *behind; /* begin of the last section of `low` */
    const gpci_coherent *c;
    bool tracked;   /* the protocol has a directory */
    uint8_t common; /* GPC_ACCESS_ bits common to all stores in L1s */
} plan;

enum { NETWORK_L1 = 0, NETWORK_CLUSTER = 1, NETWORK_MEMORY = 2, NETWORKS = 3 };

static uint32_t number(const gpc_hierarchy *h, gpci_key key) {
    return (uint32_t)gpci_number(h, key);
}

static gpc_coherence_module *add(plan *p, uint32_t module, const char *kind, uint32_t index) {
    gpc_coherence_module *m = &p->modules[module];
    *m = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
    snprintf(p->names[module], NAME_BYTES, "%s-%u", kind, index);
    m->name = p->names[module];
    return m;
}

/* Make a module non-inclusive if configured and if the protocol has a directory. */
static void include(const gpc_hierarchy *h, const plan *p, gpci_key key, gpc_coherence_module *m) {
    m->non_inclusive = p->tracked && gpci_number(h, key) == 0;
    m->directory_ways = m->non_inclusive ? number(h, GPCI_KEY_COHERENCE_DIRECTORY_WAYS) : 0;
}

/* Limit the entries of a module's directory. */
static void limit_directory(const gpc_hierarchy *h, gpc_coherence_module *m) {
    m->directory_pointers = (uint8_t)number(h, GPCI_KEY_COHERENCE_DIRECTORY_POINTERS);
    m->directory_overflow = (uint8_t)number(h, GPCI_KEY_COHERENCE_DIRECTORY_OVERFLOW);
    if (m->directory_overflow == GPC_OVERFLOW_COARSE)
        m->directory_region = (uint8_t)number(h, GPCI_KEY_COHERENCE_DIRECTORY_REGION);
}

/* Modules below the L1s of a part: slices (both halves), or without L2 the memories. */
static void below_l1(const plan *p, gpc_coherence_module *m, uint32_t part) {
    m->low_count = p->c->part_slices * (p->c->parts > 1 ? 2 : 1);
    m->low = p->low + p->c->modules + part * m->low_count;
}

/* Part of L2 used by an SM. With homes in memory a GPU is a part. */
static uint32_t part_of(const gpc_hierarchy *h, const plan *p, uint32_t sm) {
    return p->c->parts > 1 ? gpci_part_of_sm(h, sm) : gpci_gpu_of(p->c, sm);
}

/* Home of a module's pages: its GPU, or its partition. */
static uint8_t home_of(const plan *p, uint32_t module) {
    if (p->c->gpus > 1)
        return (uint8_t)(gpci_gpu_of(p->c, module) + 1);
    return (uint8_t)(p->c->parts > 1 && module >= p->c->first_slice
                         ? gpci_slice_number(p->c, module) / p->c->part_slices + 1
                         : 0);
}

static void plan_l1(const gpc_hierarchy *h, plan *p, uint32_t sm, const gpci_l1_share *share) {
    gpc_coherence_module *m = add(p, sm, "l1", sm);
    m->sets = share->sets;
    m->ways = share->ways;
    m->block_bytes = h->l1_level.line_bytes;
    m->sectors = (uint8_t)h->line_blocks;
    m->fetch_blocks = (uint8_t)number(h, GPCI_KEY_L1_FETCH);
    m->latency = number(h, GPCI_KEY_L1_LATENCY);
    m->index = (uint8_t)gpci_index_number(h, GPCI_KEY_L1_INDEX);
    m->replacement = gpci_config_text(h->config, GPCI_KEY_L1_REPLACEMENT);
    m->low_network = NETWORK_L1;
    m->write_through = p->common & GPC_ACCESS_THROUGH;
    m->no_write_allocate = p->common & GPC_ACCESS_NO_ALLOCATE;
    m->home = home_of(p, sm);
    below_l1(p, m, part_of(h, p, sm));
    if (p->c->clusters) {
        m->low = p->low + p->c->first_cluster + sm / p->c->cluster_sms;
        m->low_count = 1;
    }
}

static void plan_cluster(const gpc_hierarchy *h, plan *p, uint32_t cluster) {
    gpc_coherence_module *m = add(p, p->c->first_cluster + cluster, "cluster", cluster);
    m->ways = number(h, GPCI_KEY_CLUSTER_WAYS);
    m->sets = number(h, GPCI_KEY_CLUSTER_SIZE) / (h->l1_level.line_bytes * h->line_blocks) / m->ways;
    m->block_bytes = h->l1_level.line_bytes;
    m->sectors = (uint8_t)h->line_blocks;
    m->latency = number(h, GPCI_KEY_CLUSTER_LATENCY);
    m->replacement = gpci_config_text(h->config, GPCI_KEY_L2_REPLACEMENT);
    m->high_network = NETWORK_L1;
    m->low_network = NETWORK_CLUSTER;
    include(h, p, GPCI_KEY_CLUSTER_INCLUSION, m);
    below_l1(p, m, part_of(h, p, cluster * p->c->cluster_sms));
}

static void serve(const gpc_hierarchy *h, gpc_coherence_module *m, uint32_t slice) {
    const uint32_t slices = h->coherent->part_slices;
    m->dense = true;
    if (slices == 1)
        return;
    m->served = gpci_number(h, GPCI_KEY_L2_INTERLEAVE) == GPCI_SPREAD_HASH ? GPC_SERVES_HASHED : GPC_SERVES_INTERLEAVED;
    m->divisor = gpci_number(h, GPCI_KEY_L2_INTERLEAVE_BYTES);
    m->modulus = slices;
    m->residue = slice % slices;
}

/* Block size of L2: a sector of L2, or of L1 if larger. */
static void divide_l2(const gpc_hierarchy *h, gpc_coherence_module *m) {
    const uint32_t line = h->l2_level.line_bytes, sector = line / number(h, GPCI_KEY_L2_SECTORS);
    m->block_bytes = sector > h->l1_level.line_bytes ? sector : h->l1_level.line_bytes;
    m->sectors = (uint8_t)(line / m->block_bytes);
}

static uint8_t blocks_fetched(const gpc_hierarchy *h, const gpc_coherence_module *m) {
    const uint32_t bytes = h->l2_level.line_bytes / number(h, GPCI_KEY_L2_SECTORS) * number(h, GPCI_KEY_L2_FETCH);
    return (uint8_t)(bytes > m->block_bytes ? bytes / m->block_bytes : 1);
}

/* Common fields of a slice or of both its halves. */
static gpc_coherence_module *plan_half(const gpc_hierarchy *h, plan *p, uint32_t module, const char *kind) {
    const uint32_t slice = gpci_slice_number(p->c, module);
    gpc_coherence_module *m = add(p, module, kind, slice);
    m->ways = number(h, GPCI_KEY_L2_WAYS);
    m->sets = (uint32_t)(gpci_number(h, GPCI_KEY_L2_SIZE) / h->l2_level.line_bytes / h->slices / m->ways);
    divide_l2(h, m);
    m->fetch_blocks = blocks_fetched(h, m);
    m->latency = number(h, GPCI_KEY_L2_LATENCY);
    m->index = (uint8_t)gpci_index_number(h, GPCI_KEY_L2_INDEX);
    m->replacement = gpci_config_text(h->config, GPCI_KEY_L2_REPLACEMENT);
    m->high_network = p->c->clusters ? NETWORK_CLUSTER : NETWORK_L1;
    include(h, p, GPCI_KEY_L2_INCLUSION, m);
    if (p->c->l2_asks && !p->tracked) { /* declined lines pass through the slice */
        m->non_inclusive = true;
        m->directory_ways = number(h, GPCI_KEY_COHERENCE_DIRECTORY_WAYS);
    }
    serve(h, m, slice);
    return m;
}

static void plan_slice(const gpc_hierarchy *h, plan *p, uint32_t slice) {
    gpc_coherence_module *m = plan_half(h, p, p->c->first_slice + slice, "l2");
    const bool shared = p->c->parts == 1 && p->c->gpus > 1; /* several memories are behind it */
    m->byte_masks = h->coherent->masks;
    m->low_network = NETWORK_MEMORY;
    m->low_count = shared ? p->c->gpus : 1;
    m->low = shared ? p->behind + slice * p->c->gpus : p->low + p->c->first_memory + slice;
    m->home = p->c->parts > 1 ? home_of(p, p->c->first_slice + slice) : 0;
}

static void plan_near(const gpc_hierarchy *h, plan *p, uint32_t slice) {
    gpc_coherence_module *m = plan_half(h, p, p->c->first_near + slice, "near");
    m->near_of = p->c->first_slice + slice;
    m->low_network = m->high_network;
    m->low_count = p->c->parts - 1;
    m->low = p->behind + slice * m->low_count;
}

static void plan_memory(const gpc_hierarchy *h, plan *p, uint32_t slice) {
    gpc_coherence_module *m = add(p, p->c->first_memory + slice, "memory", slice);
    m->memory = true;
    m->ways = number(h, GPCI_KEY_COHERENCE_MEMORY_WAYS);
    m->sets = m->ways ? number(h, GPCI_KEY_COHERENCE_MEMORY_SETS) : 1;
    divide_l2(h, m);
    m->latency = (uint32_t)gpci_scale(gpci_number(h, GPCI_KEY_DRAM_FIXED_LATENCY), number(h, GPCI_KEY_CLOCK_L2),
                                      number(h, GPCI_KEY_CLOCK_DRAM));
    m->high_network = p->c->l2 ? NETWORK_MEMORY : p->c->clusters ? NETWORK_CLUSTER : NETWORK_L1;
    m->home = home_of(p, p->c->first_memory + slice);
    serve(h, m, slice);
}

/* List the modules next to L1s, part by part: near halves, if present, then slices. */
static void list_below_l1(plan *p, uint32_t slices) {
    const gpci_coherent *c = p->c;
    uint32_t *low = p->low + c->modules;
    for (uint32_t part = 0; part < slices / c->part_slices; part++) {
        for (uint32_t i = 0; i < c->part_slices && c->parts > 1; i++) /* in a part without SMs: never read */
            *low++ = c->first_near + part * c->part_slices + i;
        for (uint32_t i = 0; i < c->part_slices; i++)
            *low++ = c->first_slice + part * c->part_slices + i;
    }
    p->behind = low;
}

/* List the memories of all GPUs for a slice; or for a near half the home halves of other parts. */
static void list_behind(plan *p, uint32_t slices) {
    const gpci_coherent *c = p->c;
    uint32_t *low = p->behind;
    const uint32_t first = c->parts > 1 ? c->first_slice : c->first_memory;
    for (uint32_t i = 0; i < slices && (c->parts > 1 || c->gpus > 1); i++)
        for (uint32_t part = 0; part < slices / c->part_slices; part++)
            if (c->parts == 1 || part != i / c->part_slices)
                *low++ = first + part * c->part_slices + i % c->part_slices;
}

static void plan_modules(const gpc_hierarchy *h, plan *p, const gpci_l1_share *share) {
    const uint32_t slices = p->c->first_near - p->c->first_memory;
    for (uint32_t i = 0; i < p->c->modules; i++)
        p->low[i] = i;
    list_below_l1(p, slices);
    list_behind(p, slices);
    for (uint32_t i = 0; i < h->sms; i++)
        plan_l1(h, p, i, share);
    for (uint32_t i = 0; i < p->c->clusters; i++)
        plan_cluster(h, p, i);
    for (uint32_t i = 0; i < slices && p->c->l2; i++)
        plan_slice(h, p, i);
    for (uint32_t i = 0; i < slices; i++)
        plan_memory(h, p, i);
    for (uint32_t i = 0; p->c->first_near + i < p->c->modules; i++)
        plan_near(h, p, i);
    for (uint32_t i = h->sms; i < p->c->modules; i++)
        limit_directory(h, &p->modules[i]);
    for (uint32_t i = 0; i < p->c->modules; i++)
        p->modules[i].any_victim = gpci_number(h, GPCI_KEY_COHERENCE_ANY_VICTIM) != 0;
}

/* Keep reuse counters and fetching warps in L1s if configured. Eviction events name the fetching warp of a line. */
static gpc_status follow_lines(const gpc_hierarchy *h, gpc_coherence *tree, gpc_error *error) {
    const bool reuse = gpci_number(h, GPCI_KEY_L1_TRACK_REUSE), warps = gpci_number(h, GPCI_KEY_L1_TRACK_WARPS);
    bool wanted = false;
    gpc_status status =
        gpci_scheduler_text_wants_events(h->context, gpci_config_text(h->config, GPCI_KEY_SCHEDULER), error, &wanted);
    h->coherent->tracks = reuse || warps;
    for (uint32_t sm = 0; sm < h->sms && (wanted || h->coherent->tracks) && status == GPC_OK; sm++)
        status = gpci_module_keep(tree, gpci_module_at(tree, sm), warps || wanted, reuse, error);
    return status;
}

/*
 * As in a cache, a store of a whole sector reads no bytes. Only for slices shared by all; slices below other caches
 * must supply data.
 */
static void keep_whole(const gpc_hierarchy *h, gpc_coherence *tree) {
    gpci_coherent *c = h->coherent;
    for (uint32_t slice = 0; c->l2 && slice < h->slices; slice++) {
        gpci_module *m = gpci_module_at(tree, c->first_slice + slice);
        m->lazy = m->place == GPCI_PLACE_LAST;
        for (uint32_t i = 0; i < m->given.low_count; i++)
            m->lazy &= gpci_module_at(tree, m->given.low[i])->given.memory;
        c->whole_bytes = m->lazy ? m->given.block_bytes : 0;
    }
}

/*
 * Ways per set for lines in flight on an L1 miss: as many as the set's lines can be in flight, within limits, because a
 * lookup searches all of them.
 */
static uint32_t fill_ways(const gpc_hierarchy *h, const gpc_coherence_module *l1) {
    const uint64_t entries = gpci_number(h, GPCI_KEY_L1_MSHR);
    uint64_t ways = l1->ways > LEAST_FILL_WAYS ? l1->ways : LEAST_FILL_WAYS;
    if (gpci_number(h, GPCI_KEY_MODE) != 1 || gpci_l1_takes_at_miss(h))
        return 0;
    ways = (entries < ways ? entries : ways) * l1->sectors;
    return ways < MOST_FILL_WAYS ? (uint32_t)ways : MOST_FILL_WAYS;
}

static gpc_status make_tree(gpc_hierarchy *h, plan *p, gpc_error *error, gpc_coherence **out) {
    static const char *const names[NETWORKS] = {"l1", "cluster", "memory"};
    gpc_coherence_network networks[NETWORKS];
    gpc_coherence_options o = GPC_COHERENCE_OPTIONS_INIT;
    for (uint32_t i = 0; i < NETWORKS; i++) {
        networks[i] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
        networks[i].name = names[i];
        networks[i].bandwidth = number(h, GPCI_KEY_NETWORK_WIDTH);
    }
    o.protocol = gpci_config_text(h->config, GPCI_KEY_COHERENCE);
    o.modules = p->modules;
    o.module_count = p->c->modules;
    o.networks = networks;
    o.network_count = NETWORKS;
    o.control_bytes = p->c->control;
    o.data = h->with_data;
    o.timing = false;
    if (p->c->gpus > 1) {
        o.homes = p->c->gpus;
        o.page_bytes = gpci_number(h, GPCI_KEY_PAGE_BYTES);
        o.placement = number(h, GPCI_KEY_PAGE_PLACEMENT);
    } else if (p->c->parts > 1) { /* gpci_l2_home */
        o.homes = p->c->parts;
        o.page_bytes = GPCI_HOME_BYTES;
        o.placement = GPC_PLACE_HASHED;
    }
    const gpci_tree_telling telling = {
        .reads = GPCI_L1_TREE_READS,
        .fill_ways = fill_ways(h, &p->modules[0]),
        .peers = {{.count = h->sms, .commons = h->l1_commons, .seed = 1},
                  {p->c->first_slice, p->c->l2 ? h->slices : 0, h->l2_commons, 2}}}; /* as in caches (level_build.c) */
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = gpci_coherence_create(h->context, &o, &telling, &detail, out);
    if (status == GPC_OK) {
        status = gpci_coherent_give_predictors(h, *out, &detail);
        if (status == GPC_OK)
            status = follow_lines(h, *out, &detail);
        for (uint32_t sm = 0; sm < h->sms; sm++)
            gpci_module_at(*out, sm)->lazy = h->coherent->lazy[0] || h->coherent->lazy[1];
        keep_whole(h, *out);
        if (status < 0) {
            gpc_coherence_destroy(*out);
            *out = NULL;
        }
    }
    return status < 0 ? gpci_fail(error, status, "coherence = %s: %s", o.protocol, detail.message) : GPC_OK;
}

/* Store policy of a space as access flags. */
static uint8_t stores_to(const gpc_hierarchy *h, gpci_key write_key, gpci_key allocate_key) {
    const uint64_t write = gpci_number(h, write_key);
    const bool none = gpci_number(h, allocate_key) == GPC_WRITE_NO_ALLOCATE || write == GPC_WRITE_EVICT;
    return (uint8_t)((write == GPC_WRITE_THROUGH ? GPC_ACCESS_THROUGH : 0) | (none ? GPC_ACCESS_NO_ALLOCATE : 0) |
                     (write == GPC_WRITE_EVICT ? GPC_ACCESS_EVICT : 0));
}

/*
 * Flags common to both spaces become properties of L1s; other flags go with each store. Evict always goes with the
 * store.
 */
static uint8_t plan_stores(const gpc_hierarchy *h) {
    uint8_t *stores = h->coherent->stores, common;
    stores[0] = stores_to(h, GPCI_KEY_L1_WRITE, GPCI_KEY_L1_WRITE_ALLOCATE);
    stores[1] = stores_to(h, GPCI_KEY_L1_WRITE_LOCAL, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL);
    h->coherent->lazy[0] = gpci_number(h, GPCI_KEY_L1_WRITE_ALLOCATE) == GPC_WRITE_LAZY_FETCH;
    h->coherent->lazy[1] = gpci_number(h, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL) == GPC_WRITE_LAZY_FETCH;
    common = stores[0] & stores[1] & (GPC_ACCESS_THROUGH | GPC_ACCESS_NO_ALLOCATE);
    stores[0] &= (uint8_t)~common;
    stores[1] &= (uint8_t)~common;
    return common;
}

static gpc_status build(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error, gpc_coherence **out) {
    const gpci_coherent *c = h->coherent;
    plan p = {.c = c};
    const gpc_protocol *protocol = gpc_protocol_find(h->context, gpci_config_text(h->config, GPCI_KEY_COHERENCE));
    p.common = plan_stores(h);
    p.tracked = protocol && protocol->flags & GPC_PROTOCOL_DIRECTORY;
    p.modules = gpci_zalloc(h->context, c->modules, sizeof *p.modules);
    p.names = gpci_zalloc(h->context, c->modules, sizeof *p.names);
    p.low = gpci_zalloc(h->context, c->modules + (size_t)h->slices * (2 + c->gpus + c->parts), sizeof *p.low);
    gpc_status status = GPC_ERROR_MEMORY;
    if (p.modules && p.names && p.low) {
        plan_modules(h, &p, share);
        status = make_tree(h, &p, error, out);
    } else {
        gpci_out_of_memory(error);
    }
    gpci_free(h->context, p.modules);
    gpci_free(h->context, p.names);
    gpci_free(h->context, p.low);
    return status;
}

/* Number of near halves: slices of parts used by SMs. With few SMs all SMs are in the first partition. */
static uint32_t count_near(const gpc_hierarchy *h) {
    const gpci_coherent *c = h->coherent;
    uint32_t last = 0;
    for (uint32_t sm = 0; sm < h->sms && c->parts > 1; sm++)
        last = gpci_part_of_sm(h, sm) > last ? gpci_part_of_sm(h, sm) : last;
    return c->parts > 1 ? (last + 1) * c->part_slices : 0;
}

gpc_status gpci_coherent_create(gpc_hierarchy *h, gpc_error *error) {
    gpci_coherent *c = gpci_zalloc(h->context, 1, sizeof *c);
    if (!c)
        return gpci_out_of_memory(error);
    h->coherent = c;
    c->sms = h->sms;
    c->cluster_sms = number(h, GPCI_KEY_CLUSTER_SMS);
    c->clusters = c->cluster_sms ? (h->sms + c->cluster_sms - 1) / c->cluster_sms : 0;
    c->l2 = gpci_number(h, GPCI_KEY_L2_ENABLED) != 0;
    c->masks = c->l2 && gpci_number(h, GPCI_KEY_L2_WRITE_ALLOCATE) == GPC_WRITE_LAZY_FETCH;
    c->first_cluster = h->sms;
    c->first_slice = c->first_cluster + c->clusters;
    c->first_memory = c->first_slice + (c->l2 ? h->slices : 0);
    c->first_near = c->modules = c->first_memory + h->slices;
    c->gpus = h->gpus;
    c->gpu_sms = h->sms / c->gpus;
    c->first_core = c->gpu_sms * (c->gpus - h->cpus);
    c->gpu_clusters = c->clusters / c->gpus;
    c->gpu_slices = h->slices / c->gpus;
    c->parts = h->partitions == 2 ? 2 : gpci_number(h, GPCI_KEY_GPU_HOME) == 1 ? c->gpus : 1;
    c->part_slices = h->slices_per_partition;
    c->modules += count_near(h);
    c->memory_level = (uint8_t)(2 + (c->clusters != 0) + c->l2 + (c->parts > 1));
    c->control = number(h, GPCI_KEY_NETWORK_HEADER);
    gpc_status status = gpci_coherent_l2_asks(h, error, &c->l2_asks);
    if (status == GPC_OK)
        status = build(h, &h->share, error, &c->tree);
    if (status == GPC_OK)
        c->local_atomics = gpci_number(h, GPCI_KEY_L1_ATOMICS) && !gpci_coherent_tracks(h);
    return status;
}

void gpci_coherent_destroy(gpc_hierarchy *h) {
    if (!h->coherent)
        return;
    gpc_coherence_destroy(h->coherent->tree);
    gpci_free(h->context, h->coherent);
}

gpc_status gpci_coherent_resize(gpc_hierarchy *h, const gpci_l1_share *share, gpc_error *error) {
    gpci_coherent *c = h->coherent;
    gpc_coherence *tree;
    gpc_status status = build(h, share, error, &tree);
    if (status < 0)
        return status;
    status = gpci_engine_inherit(tree, c->tree, error);
    if (status < 0) {
        gpc_coherence_destroy(tree);
        return status;
    }
    status = gpci_coherent_flush(h, true);
    gpci_tree_memory_inherit(tree, c->tree);
    gpci_tree_pages_inherit(tree, c->tree);
    for (uint32_t i = 0; i < c->modules; i++) {
        gpci_module_at(tree, i)->stats = gpci_module_at(c->tree, i)->stats;
        gpci_module_at(tree, i)->counts = gpci_module_at(c->tree, i)->counts;
    }
    gpc_coherence_destroy(c->tree);
    c->tree = tree;
    h->cold = true;
    return status;
}
