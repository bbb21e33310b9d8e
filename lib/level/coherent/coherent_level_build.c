/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/coherent/coherent_level.h"

#include "coherence/engine/engine_host.h"
#include "coherence/module/tree.h"
#include "level/rules/level_rules.h"

#include <stdio.h>

#define LEAST_FILL_WAYS 4u
#define MOST_FILL_WAYS 64u

/* Build a tree of coherent modules from configuration keys. */

#define NAME_BYTES 24

/* Descriptions of all modules, from which make_tree makes the tree. */
typedef struct plan {
    gpc_coherence_module *modules; /* [modules] */
    char (*names)[NAME_BYTES];     /* [modules] */
    /*
     * Memory for the lists gpc_coherence_module.low, in three sections. First, element i is i, for lists of one module.
     * Second, for each part, the modules next to the part's L1s (list_below_l1). Third, for each slice the memories of
     * all GPUs, or for each near half the home halves of other parts (list_behind).
     */
    uint32_t *low;
    uint32_t *behind; /* begin of the third section of `low` */
    const gpci_coherent *coherent;
    bool tracked;   /* the protocol has a directory */
    uint8_t common; /* GPC_ACCESS_ bits common to all stores in L1s */
} plan;

enum { NETWORK_L1 = 0, NETWORK_CLUSTER = 1, NETWORK_MEMORY = 2, NETWORKS = 3 };

static uint32_t number(const gpc_hierarchy *hierarchy, gpci_key key) {
    return (uint32_t)gpci_number(hierarchy, key);
}

static gpc_coherence_module *add(plan *layout, uint32_t module, const char *kind, uint32_t index) {
    gpc_coherence_module *description = &layout->modules[module];
    *description = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
    snprintf(layout->names[module], NAME_BYTES, "%s-%u", kind, index);
    description->name = layout->names[module];
    return description;
}

/* Make a module non-inclusive if configured and if the protocol has a directory. */
static void include(const gpc_hierarchy *hierarchy, const plan *layout, gpci_key key, gpc_coherence_module *module) {
    module->non_inclusive = layout->tracked && gpci_number(hierarchy, key) == 0;
    module->directory_ways = module->non_inclusive ? number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_WAYS) : 0;
}

/* Limit the copies that a directory entry of a module can name (coherence.directory_pointers). */
static void limit_directory(const gpc_hierarchy *hierarchy, gpc_coherence_module *module) {
    module->directory_pointers = (uint8_t)number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_POINTERS);
    module->directory_overflow = (uint8_t)number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_OVERFLOW);
    if (module->directory_overflow == GPC_OVERFLOW_COARSE)
        module->directory_region = (uint8_t)number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_REGION);
}

/* Set the low modules of an L1 or a cluster cache: the part's slices (both halves), or, without L2, the memories. */
static void below_l1(const plan *layout, gpc_coherence_module *module, uint32_t part) {
    module->low_count = layout->coherent->part_slices * (layout->coherent->parts > 1 ? 2 : 1);
    module->low = layout->low + layout->coherent->modules + part * module->low_count;
}

/* Part of L2 used by an SM. If L2 has no parts (coherent->parts is 1), the GPU of the SM. */
static uint32_t part_of(const gpc_hierarchy *hierarchy, const plan *layout, uint32_t sm) {
    return layout->coherent->parts > 1 ? gpci_part_of_sm(hierarchy, sm) : gpci_gpu_of(layout->coherent, sm);
}

/* gpc_coherence_module.home: 1 + the GPU or the partition with the pages of the module; 0: pages have no home. */
static uint8_t home_of(const plan *layout, uint32_t module) {
    if (layout->coherent->gpus > 1)
        return (uint8_t)(gpci_gpu_of(layout->coherent, module) + 1);
    return (uint8_t)(layout->coherent->parts > 1 && module >= layout->coherent->first_slice
                         ? gpci_slice_number(layout->coherent, module) / layout->coherent->part_slices + 1
                         : 0);
}

static void plan_l1(const gpc_hierarchy *hierarchy, plan *layout, uint32_t sm, const gpci_l1_share *share) {
    gpc_coherence_module *module = add(layout, sm, "l1", sm);
    module->sets = share->sets;
    module->ways = share->ways;
    module->block_bytes = hierarchy->l1_level.line_bytes;
    module->sectors = (uint8_t)hierarchy->line_blocks;
    module->fetch_blocks = (uint8_t)number(hierarchy, GPCI_KEY_L1_FETCH);
    module->latency = number(hierarchy, GPCI_KEY_L1_LATENCY);
    module->index = (uint8_t)gpci_index_number(hierarchy, GPCI_KEY_L1_INDEX);
    module->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L1_REPLACEMENT);
    module->low_network = NETWORK_L1;
    module->write_through = layout->common & GPC_ACCESS_THROUGH;
    module->no_write_allocate = layout->common & GPC_ACCESS_NO_ALLOCATE;
    module->home = home_of(layout, sm);
    below_l1(layout, module, part_of(hierarchy, layout, sm));
    if (layout->coherent->clusters) {
        module->low = layout->low + layout->coherent->first_cluster + sm / layout->coherent->cluster_sms;
        module->low_count = 1;
    }
}

static void plan_cluster(const gpc_hierarchy *hierarchy, plan *layout, uint32_t cluster) {
    gpc_coherence_module *module = add(layout, layout->coherent->first_cluster + cluster, "cluster", cluster);
    module->ways = number(hierarchy, GPCI_KEY_CLUSTER_WAYS);
    module->sets = number(hierarchy, GPCI_KEY_CLUSTER_SIZE) /
                   (hierarchy->l1_level.line_bytes * hierarchy->line_blocks) / module->ways;
    module->block_bytes = hierarchy->l1_level.line_bytes;
    module->sectors = (uint8_t)hierarchy->line_blocks;
    module->latency = number(hierarchy, GPCI_KEY_CLUSTER_LATENCY);
    module->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L2_REPLACEMENT);
    module->high_network = NETWORK_L1;
    module->low_network = NETWORK_CLUSTER;
    include(hierarchy, layout, GPCI_KEY_CLUSTER_INCLUSION, module);
    below_l1(layout, module, part_of(hierarchy, layout, cluster * layout->coherent->cluster_sms));
}

static void serve(const gpc_hierarchy *hierarchy, gpc_coherence_module *module, uint32_t slice) {
    const uint32_t slices = hierarchy->coherent->part_slices;
    module->dense = true;
    if (slices == 1)
        return;
    module->served =
        gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE) == GPCI_SPREAD_HASH ? GPC_SERVES_HASHED : GPC_SERVES_INTERLEAVED;
    module->divisor = gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE_BYTES);
    module->modulus = slices;
    module->residue = slice % slices;
}

/* Set the block size of a module of L2 or a memory: the size of an L2 sector, or of an L1 block if larger. */
static void divide_l2(const gpc_hierarchy *hierarchy, gpc_coherence_module *module) {
    const uint32_t line = hierarchy->l2_level.line_bytes, sector = line / number(hierarchy, GPCI_KEY_L2_SECTORS);
    module->block_bytes = sector > hierarchy->l1_level.line_bytes ? sector : hierarchy->l1_level.line_bytes;
    module->sectors = (uint8_t)(line / module->block_bytes);
}

static uint8_t blocks_fetched(const gpc_hierarchy *hierarchy, const gpc_coherence_module *module) {
    const uint32_t bytes =
        hierarchy->l2_level.line_bytes / number(hierarchy, GPCI_KEY_L2_SECTORS) * number(hierarchy, GPCI_KEY_L2_FETCH);
    return (uint8_t)(bytes > module->block_bytes ? bytes / module->block_bytes : 1);
}

/* Describe a slice, a home half or a near half: the fields common to all three. */
static gpc_coherence_module *plan_half(const gpc_hierarchy *hierarchy, plan *layout, uint32_t module,
                                       const char *kind) {
    const uint32_t slice = gpci_slice_number(layout->coherent, module);
    gpc_coherence_module *description = add(layout, module, kind, slice);
    description->ways = number(hierarchy, GPCI_KEY_L2_WAYS);
    description->sets = (uint32_t)(gpci_total(hierarchy, GPCI_KEY_L2_SIZE) / hierarchy->l2_level.line_bytes /
                                   hierarchy->slices / description->ways);
    divide_l2(hierarchy, description);
    description->fetch_blocks = blocks_fetched(hierarchy, description);
    description->latency = number(hierarchy, GPCI_KEY_L2_LATENCY);
    description->index = (uint8_t)gpci_index_number(hierarchy, GPCI_KEY_L2_INDEX);
    description->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_L2_REPLACEMENT);
    description->high_network = layout->coherent->clusters ? NETWORK_CLUSTER : NETWORK_L1;
    include(hierarchy, layout, GPCI_KEY_L2_INCLUSION, description);
    if (layout->coherent->l2_asks && !layout->tracked) { /* L1s may have lines that the slice declined */
        description->non_inclusive = true;
        description->directory_ways = number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_WAYS);
    }
    serve(hierarchy, description, slice);
    return description;
}

static void plan_slice(const gpc_hierarchy *hierarchy, plan *layout, uint32_t slice) {
    gpc_coherence_module *module = plan_half(hierarchy, layout, layout->coherent->first_slice + slice, "l2");
    const bool shared = layout->coherent->parts == 1 && layout->coherent->gpus > 1; /* the slice has several memories */
    module->byte_masks = hierarchy->coherent->masks;
    module->low_network = NETWORK_MEMORY;
    module->low_count = shared ? layout->coherent->gpus : 1;
    module->low =
        shared ? layout->behind + slice * layout->coherent->gpus : layout->low + layout->coherent->first_memory + slice;
    module->home = layout->coherent->parts > 1 ? home_of(layout, layout->coherent->first_slice + slice) : 0;
}

static void plan_near(const gpc_hierarchy *hierarchy, plan *layout, uint32_t slice) {
    gpc_coherence_module *module = plan_half(hierarchy, layout, layout->coherent->first_near + slice, "near");
    module->near_of = layout->coherent->first_slice + slice;
    module->low_network = module->high_network;
    module->low_count = layout->coherent->parts - 1;
    module->low = layout->behind + slice * module->low_count;
}

static void plan_memory(const gpc_hierarchy *hierarchy, plan *layout, uint32_t slice) {
    gpc_coherence_module *module = add(layout, layout->coherent->first_memory + slice, "memory", slice);
    module->memory = true;
    module->ways = number(hierarchy, GPCI_KEY_COHERENCE_MEMORY_WAYS);
    module->sets = module->ways ? number(hierarchy, GPCI_KEY_COHERENCE_MEMORY_SETS) : 1;
    divide_l2(hierarchy, module);
    module->latency =
        (uint32_t)gpci_scale(gpci_number(hierarchy, GPCI_KEY_DRAM_FIXED_LATENCY), number(hierarchy, GPCI_KEY_CLOCK_L2),
                             number(hierarchy, GPCI_KEY_CLOCK_DRAM));
    module->high_network = layout->coherent->l2         ? NETWORK_MEMORY
                           : layout->coherent->clusters ? NETWORK_CLUSTER
                                                        : NETWORK_L1;
    module->home = home_of(layout, layout->coherent->first_memory + slice);
    serve(hierarchy, module, slice);
}

/* Fill the second section of layout->low. For each part: the near halves, if present, then the slices. */
static void list_below_l1(plan *layout, uint32_t slices) {
    const gpci_coherent *coherent = layout->coherent;
    uint32_t *low = layout->low + coherent->modules;
    for (uint32_t part = 0; part < slices / coherent->part_slices; part++) {
        for (uint32_t i = 0; i < coherent->part_slices && coherent->parts > 1;
             i++) /* a part without SMs has no near halves: elements never read */
            *low++ = coherent->first_near + part * coherent->part_slices + i;
        for (uint32_t i = 0; i < coherent->part_slices; i++)
            *low++ = coherent->first_slice + part * coherent->part_slices + i;
    }
    layout->behind = low;
}

/* Fill the third section of layout->low: for each slice the memories, or for each near half the other home halves. */
static void list_behind(plan *layout, uint32_t slices) {
    const gpci_coherent *coherent = layout->coherent;
    uint32_t *low = layout->behind;
    const uint32_t first = coherent->parts > 1 ? coherent->first_slice : coherent->first_memory;
    for (uint32_t i = 0; i < slices && (coherent->parts > 1 || coherent->gpus > 1); i++)
        for (uint32_t part = 0; part < slices / coherent->part_slices; part++)
            if (coherent->parts == 1 || part != i / coherent->part_slices)
                *low++ = first + part * coherent->part_slices + i % coherent->part_slices;
}

static void plan_modules(const gpc_hierarchy *hierarchy, plan *layout, const gpci_l1_share *share) {
    const uint32_t slices = layout->coherent->first_near - layout->coherent->first_memory;
    for (uint32_t i = 0; i < layout->coherent->modules; i++)
        layout->low[i] = i;
    list_below_l1(layout, slices);
    list_behind(layout, slices);
    for (uint32_t i = 0; i < hierarchy->sms; i++)
        plan_l1(hierarchy, layout, i, share);
    for (uint32_t i = 0; i < layout->coherent->clusters; i++)
        plan_cluster(hierarchy, layout, i);
    for (uint32_t i = 0; i < slices && layout->coherent->l2; i++)
        plan_slice(hierarchy, layout, i);
    for (uint32_t i = 0; i < slices; i++)
        plan_memory(hierarchy, layout, i);
    for (uint32_t i = 0; layout->coherent->first_near + i < layout->coherent->modules; i++)
        plan_near(hierarchy, layout, i);
    for (uint32_t i = hierarchy->sms; i < layout->coherent->modules; i++)
        limit_directory(hierarchy, &layout->modules[i]);
    for (uint32_t i = 0; i < layout->coherent->modules; i++)
        layout->modules[i].any_victim = gpci_number(hierarchy, GPCI_KEY_COHERENCE_ANY_VICTIM) != 0;
}

/*
 * Let L1s count the hits of each line, and remember the warp that fetched each line, if configured. A scheduler with
 * eviction events needs the fetching warps, too.
 */
static gpc_status follow_lines(const gpc_hierarchy *hierarchy, gpc_coherence *tree, gpc_error *error) {
    const bool reuse = gpci_number(hierarchy, GPCI_KEY_L1_TRACK_REUSE),
               warps = gpci_number(hierarchy, GPCI_KEY_L1_TRACK_WARPS);
    bool wanted = false;
    gpc_status status = gpci_scheduler_text_wants_events(
        hierarchy->context, gpci_config_text(hierarchy->config, GPCI_KEY_SCHEDULER), error, &wanted);
    hierarchy->coherent->tracks = reuse || warps;
    for (uint32_t sm = 0; sm < hierarchy->sms && (wanted || hierarchy->coherent->tracks) && status == GPC_OK; sm++)
        status = gpci_module_keep(tree, gpci_module_at(tree, sm), warps || wanted, reuse, error);
    return status;
}

/*
 * Let a slice write a whole block without reading the block from memory, as a plain cache does. Only for a slice that
 * all SMs share, with memories as the next level.
 */
static void keep_full_blocks(const gpc_hierarchy *hierarchy, gpc_coherence *tree) {
    gpci_coherent *coherent = hierarchy->coherent;
    for (uint32_t slice = 0; coherent->l2 && slice < hierarchy->slices; slice++) {
        gpci_module *module = gpci_module_at(tree, coherent->first_slice + slice);
        module->lazy = module->place == GPCI_PLACE_LAST;
        for (uint32_t i = 0; i < module->given.low_count; i++)
            module->lazy &= gpci_module_at(tree, module->given.low[i])->given.memory;
        coherent->full_block_bytes = module->lazy ? module->given.block_bytes : 0;
    }
}

/*
 * Additional ways per L1 set for missed blocks in flight. 0: a block takes its own way at the miss, or no clock exists.
 * The number is that of blocks that a set can have in flight, within limits, because a lookup searches all ways.
 */
static uint32_t fill_ways(const gpc_hierarchy *hierarchy, const gpc_coherence_module *l1) {
    const uint64_t entries = gpci_number(hierarchy, GPCI_KEY_L1_MSHR);
    uint64_t ways = l1->ways > LEAST_FILL_WAYS ? l1->ways : LEAST_FILL_WAYS;
    if (gpci_number(hierarchy, GPCI_KEY_MODE) != 1 || gpci_l1_takes_at_miss(hierarchy))
        return 0;
    ways = (entries < ways ? entries : ways) * l1->sectors;
    return ways < MOST_FILL_WAYS ? (uint32_t)ways : MOST_FILL_WAYS;
}

static gpc_status make_tree(gpc_hierarchy *hierarchy, plan *layout, gpc_error *error, gpc_coherence **out) {
    static const char *const names[NETWORKS] = {"l1", "cluster", "memory"};
    gpc_coherence_network networks[NETWORKS];
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    for (uint32_t i = 0; i < NETWORKS; i++) {
        networks[i] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
        networks[i].name = names[i];
        networks[i].bandwidth = number(hierarchy, GPCI_KEY_NETWORK_WIDTH);
    }
    options.protocol = gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE);
    options.modules = layout->modules;
    options.module_count = layout->coherent->modules;
    options.networks = networks;
    options.network_count = NETWORKS;
    options.control_bytes = layout->coherent->control;
    options.data = hierarchy->with_data;
    options.timing = false;
    if (layout->coherent->gpus > 1) {
        options.homes = layout->coherent->gpus;
        options.page_bytes = gpci_number(hierarchy, GPCI_KEY_PAGE_BYTES);
        options.placement = number(hierarchy, GPCI_KEY_PAGE_PLACEMENT);
    } else if (layout->coherent->parts > 1) { /* homes as in gpci_l2_home */
        options.homes = layout->coherent->parts;
        options.page_bytes = GPCI_HOME_BYTES;
        options.placement = GPC_PLACE_HASHED;
    }
    const gpci_tree_telling telling = {
        .reads = GPCI_L1_TREE_READS,
        .fill_ways = fill_ways(hierarchy, &layout->modules[0]),
        .peers = {{.count = hierarchy->sms, .commons = hierarchy->l1_commons, .seed = 1},
                  {layout->coherent->first_slice, layout->coherent->l2 ? hierarchy->slices : 0, hierarchy->l2_commons,
                   2}}}; /* seeds as in level_build.c */
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = gpci_coherence_create(hierarchy->context, &options, &telling, &detail, out);
    if (status == GPC_OK) {
        status = gpci_coherent_give_predictors(hierarchy, *out, &detail);
        if (status == GPC_OK)
            status = follow_lines(hierarchy, *out, &detail);
        for (uint32_t sm = 0; sm < hierarchy->sms; sm++)
            gpci_module_at(*out, sm)->lazy = hierarchy->coherent->lazy[0] || hierarchy->coherent->lazy[1];
        keep_full_blocks(hierarchy, *out);
        if (status < 0) {
            gpc_coherence_destroy(*out);
            *out = NULL;
        }
    }
    return status < 0 ? gpci_fail(error, status, "coherence = %s: %s", options.protocol, detail.message) : GPC_OK;
}

/* GPC_ACCESS_ flags for the store policy of a space. */
static uint8_t stores_to(const gpc_hierarchy *hierarchy, gpci_key write_key, gpci_key allocate_key) {
    const uint64_t write = gpci_number(hierarchy, write_key);
    const bool none = gpci_number(hierarchy, allocate_key) == GPC_WRITE_NO_ALLOCATE || write == GPC_WRITE_EVICT;
    return (uint8_t)((write == GPC_WRITE_THROUGH ? GPC_ACCESS_THROUGH : 0) | (none ? GPC_ACCESS_NO_ALLOCATE : 0) |
                     (write == GPC_WRITE_EVICT ? GPC_ACCESS_EVICT : 0));
}

/*
 * Split the store flags of both spaces. Flags common to both spaces are returned, and become properties of L1s. Other
 * flags go with each store (coherent->stores); GPC_ACCESS_EVICT always goes with the store.
 */
static uint8_t plan_stores(const gpc_hierarchy *hierarchy) {
    uint8_t *stores = hierarchy->coherent->stores, common;
    stores[0] = stores_to(hierarchy, GPCI_KEY_L1_WRITE, GPCI_KEY_L1_WRITE_ALLOCATE);
    stores[1] = stores_to(hierarchy, GPCI_KEY_L1_WRITE_LOCAL, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL);
    hierarchy->coherent->lazy[0] = gpci_number(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE) == GPC_WRITE_LAZY_FETCH;
    hierarchy->coherent->lazy[1] = gpci_number(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL) == GPC_WRITE_LAZY_FETCH;
    common = stores[0] & stores[1] & (GPC_ACCESS_THROUGH | GPC_ACCESS_NO_ALLOCATE);
    stores[0] &= (uint8_t)~common;
    stores[1] &= (uint8_t)~common;
    return common;
}

static gpc_status build(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error, gpc_coherence **out) {
    const gpci_coherent *coherent = hierarchy->coherent;
    plan layout = {.coherent = coherent};
    const gpc_protocol *protocol =
        gpc_protocol_find(hierarchy->context, gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE));
    layout.common = plan_stores(hierarchy);
    layout.tracked = protocol && protocol->flags & GPC_PROTOCOL_DIRECTORY;
    layout.modules = gpci_zalloc(hierarchy->context, coherent->modules, sizeof *layout.modules);
    layout.names = gpci_zalloc(hierarchy->context, coherent->modules, sizeof *layout.names);
    layout.low = gpci_zalloc(hierarchy->context,
                             coherent->modules + (size_t)hierarchy->slices * (2 + coherent->gpus + coherent->parts),
                             sizeof *layout.low);
    gpc_status status = GPC_ERROR_MEMORY;
    if (layout.modules && layout.names && layout.low) {
        plan_modules(hierarchy, &layout, share);
        status = make_tree(hierarchy, &layout, error, out);
    } else {
        gpci_out_of_memory(error);
    }
    gpci_free(hierarchy->context, layout.modules);
    gpci_free(hierarchy->context, layout.names);
    gpci_free(hierarchy->context, layout.low);
    return status;
}

/*
 * Number of near halves: the slices of all parts up to the last part with an SM. With few SMs all SMs are in the first
 * partition.
 */
static uint32_t count_near(const gpc_hierarchy *hierarchy) {
    const gpci_coherent *coherent = hierarchy->coherent;
    uint32_t last = 0;
    for (uint32_t sm = 0; sm < hierarchy->sms && coherent->parts > 1; sm++) {
        const uint32_t part = hierarchy->partitions == 2 ? hierarchy->sm_partition[sm] : sm / coherent->gpu_sms;
        last = part > last ? part : last;
    }
    return coherent->parts > 1 ? (last + 1) * coherent->part_slices : 0;
}

/* Number of a module among the modules of its kind: L1s, clusters, slices, memories or near halves. */
static uint32_t number_of(const gpci_coherent *coherent, uint32_t module) {
    return module - (module >= coherent->first_near      ? coherent->first_near
                     : module >= coherent->first_memory  ? coherent->first_memory
                     : module >= coherent->first_slice   ? coherent->first_slice
                     : module >= coherent->first_cluster ? coherent->first_cluster
                                                         : 0);
}

static gpc_status seat_modules(const gpc_hierarchy *hierarchy, gpci_coherent *coherent) {
    coherent->seats = gpci_zalloc(hierarchy->context, coherent->modules, sizeof *coherent->seats);
    for (uint32_t module = 0; coherent->seats && module < coherent->modules; module++) {
        const uint32_t number = number_of(coherent, module);
        const bool l2 = module >= coherent->first_slice;
        const uint32_t each = l2                       ? coherent->gpu_slices
                              : module < coherent->sms ? coherent->gpu_sms
                                                       : coherent->gpu_clusters;
        coherent->seats[module].gpu = (uint16_t)(coherent->gpus > 1 ? number / each : 0);
        coherent->seats[module].slice = (uint16_t)(l2 ? number : 0);
        if (l2 && hierarchy->partitions == 2)
            coherent->seats[module].side = (uint16_t)(1 + number / coherent->part_slices);
    }
    return coherent->seats ? GPC_OK : GPC_ERROR_MEMORY;
}

gpc_status gpci_coherent_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpci_coherent *coherent = gpci_zalloc(hierarchy->context, 1, sizeof *coherent);
    if (!coherent)
        return gpci_out_of_memory(error);
    hierarchy->coherent = coherent;
    coherent->sms = hierarchy->sms;
    coherent->cluster_sms = number(hierarchy, GPCI_KEY_CLUSTER_SMS);
    coherent->clusters =
        coherent->cluster_sms ? (hierarchy->sms + coherent->cluster_sms - 1) / coherent->cluster_sms : 0;
    coherent->l2 = gpci_number(hierarchy, GPCI_KEY_L2_ENABLED) != 0;
    coherent->masks = coherent->l2 && gpci_number(hierarchy, GPCI_KEY_L2_WRITE_ALLOCATE) == GPC_WRITE_LAZY_FETCH;
    coherent->first_cluster = hierarchy->sms;
    coherent->first_slice = coherent->first_cluster + coherent->clusters;
    coherent->first_memory = coherent->first_slice + (coherent->l2 ? hierarchy->slices : 0);
    coherent->first_near = coherent->modules = coherent->first_memory + hierarchy->slices;
    coherent->gpus = hierarchy->gpus;
    coherent->gpu_sms = hierarchy->sms / coherent->gpus;
    coherent->first_core = coherent->gpu_sms * (coherent->gpus - hierarchy->cpus);
    coherent->gpu_clusters = coherent->clusters / coherent->gpus;
    coherent->gpu_slices = hierarchy->slices / coherent->gpus;
    coherent->parts = hierarchy->partitions == 2                       ? 2
                      : gpci_number(hierarchy, GPCI_KEY_GPU_HOME) == 1 ? coherent->gpus
                                                                       : 1;
    coherent->part_slices = hierarchy->slices_per_partition;
    coherent->modules += count_near(hierarchy);
    if (seat_modules(hierarchy, coherent) < 0)
        return gpci_out_of_memory(error);
    coherent->memory_level = (uint8_t)(2 + (coherent->clusters != 0) + coherent->l2 + (coherent->parts > 1));
    coherent->control = number(hierarchy, GPCI_KEY_NETWORK_HEADER);
    gpc_status status = gpci_coherent_l2_asks(hierarchy, error, &coherent->l2_asks);
    if (status == GPC_OK)
        status = build(hierarchy, &hierarchy->share, error, &coherent->tree);
    if (status == GPC_OK)
        coherent->local_atomics = gpci_number(hierarchy, GPCI_KEY_L1_ATOMICS) && !gpci_coherent_tracks(hierarchy);
    return status;
}

void gpci_coherent_destroy(gpc_hierarchy *hierarchy) {
    if (!hierarchy->coherent)
        return;
    gpc_coherence_destroy(hierarchy->coherent->tree);
    gpci_free(hierarchy->context, hierarchy->coherent->seats);
    gpci_free(hierarchy->context, hierarchy->coherent);
}

gpc_status gpci_coherent_resize(gpc_hierarchy *hierarchy, const gpci_l1_share *share, gpc_error *error) {
    gpci_coherent *coherent = hierarchy->coherent;
    gpc_coherence *tree;
    gpc_status status = build(hierarchy, share, error, &tree);
    if (status < 0)
        return status;
    status = gpci_engine_inherit(tree, coherent->tree, error);
    if (status < 0) {
        gpc_coherence_destroy(tree);
        return status;
    }
    status = gpci_coherent_flush(hierarchy, true);
    gpci_tree_memory_inherit(tree, coherent->tree);
    gpci_tree_pages_inherit(tree, coherent->tree);
    for (uint32_t i = 0; i < coherent->modules; i++) {
        gpci_module_at(tree, i)->stats = gpci_module_at(coherent->tree, i)->stats;
        gpci_module_at(tree, i)->counts = gpci_module_at(coherent->tree, i)->counts;
#ifdef GPCI_CHECK
        gpci_module_at(tree, i)->again = gpci_module_at(coherent->tree, i)->again;
        gpci_module_at(tree, i)->refused_again = gpci_module_at(coherent->tree, i)->refused_again;
        gpci_module_at(tree, i)->remote_again = gpci_module_at(coherent->tree, i)->remote_again;
#endif
    }
    gpc_coherence_destroy(coherent->tree);
    coherent->tree = tree;
    hierarchy->cold = true;
    return status;
}
