/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/idle_keys.h"

#include "base/text.h"
#include "level/rules/coalesce.h"
#include "level/rules/driver.h"
#include "registry/registry.h"

#include <string.h>

enum {
    CACHES = 1,    /* caches without messages: none, viper */
    TRACKED = 2,   /* trees of modules with directories */
    UNTRACKED = 4, /* trees of modules without directories */
    TREES = TRACKED | UNTRACKED
};

/* A key without effect under the protocols of `where`. If `unless` is given and returns true, the key has an effect. */
typedef struct idle_row {
    gpci_key key;
    uint32_t where;
    const char *why;
    bool (*unless)(const gpc_hierarchy *h);
} idle_row;

/* True if l1.bank_index is a hash. In a tree l1.banks has an effect only with a hash (timed/ctrl/ports.c). */
static bool has_hashed_banks(const gpc_hierarchy *hierarchy) {
    return gpci_number(hierarchy, GPCI_KEY_L1_BANK_INDEX) != GPCI_BANKS_BY_LINE;
}

static bool reads_future(const gpc_hierarchy *hierarchy) {
    static const gpci_key keys[] = {GPCI_KEY_L1_REPLACEMENT, GPCI_KEY_L1_BYPASS};
    static const gpc_policy_kind kinds[] = {GPC_POLICY_REPLACEMENT, GPC_POLICY_PREDICTOR};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t reads = 0;
        const char *spec = gpci_config_text(hierarchy->config, keys[i]);
        if (gpci_policy_reads(hierarchy->context, kinds[i], spec, NULL, &reads) == GPC_OK && reads & GPC_READS_NEXT_USE)
            return true;
    }
    return false;
}

static bool merges_all(const gpc_hierarchy *hierarchy) {
    return gpci_number(hierarchy, GPCI_KEY_L2_MERGES) == GPCI_WORD;
}

/* True if keys of several GPUs have no effect for gpu.count = 1, which report_missing_parts logs. */
static bool has_one_gpu(const gpc_hierarchy *hierarchy) {
    return hierarchy->gpus == 1;
}

/* Find the protocol by its name: the tree does not exist yet. */
static const gpc_protocol *protocol_of(const gpc_hierarchy *hierarchy) {
    return gpc_protocol_find(hierarchy->context, gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE));
}

static uint32_t place_of(const gpc_hierarchy *hierarchy) {
    if (hierarchy->levels != &gpci_tree_levels)
        return CACHES;
    const gpc_protocol *protocol = protocol_of(hierarchy);
    return protocol && protocol->flags & GPC_PROTOCOL_DIRECTORY ? TRACKED : UNTRACKED;
}

/* True if L1s keep the line of a store that misses, or if `allocate` is no-allocate: the key then has an effect. */
static bool places_stores(const gpc_hierarchy *hierarchy, gpci_key allocate) {
    const gpc_protocol *protocol = protocol_of(hierarchy);
    return !protocol || !((*protocol->first)[GPC_LINE_I][GPC_EVENT_N_STORE].actions & GPC_DO_PASS) ||
           gpci_number(hierarchy, allocate) == GPC_WRITE_NO_ALLOCATE;
}

static bool keeps_stores(const gpc_hierarchy *hierarchy) {
    return places_stores(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE);
}

static bool keeps_local_stores(const gpc_hierarchy *hierarchy) {
    return places_stores(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL);
}

static const char only_trees[] = "only trees of coherent modules have that", no_directory[] = "it has no directory",
                  no_copies[] = "trees refuse bulk copies", no_place[] = "an L1's store miss leaves nothing there",
                  no_combining[] = "coherent L1s send at once", no_memory_cache[] = "memories of trees are modules",
                  own_memory[] = "each GPU has a memory of its own", by_lock[] = "a block's lock alone orders requests";

static const idle_row rows[] = {
    {GPCI_KEY_CLUSTER_SMS, CACHES, only_trees, NULL},
    {GPCI_KEY_CLUSTER_SIZE, CACHES, only_trees, NULL},
    {GPCI_KEY_CLUSTER_WAYS, CACHES, only_trees, NULL},
    {GPCI_KEY_CLUSTER_LATENCY, CACHES, only_trees, NULL},
    {GPCI_KEY_CLUSTER_INCLUSION, CACHES, only_trees, NULL},
    {GPCI_KEY_CPU_COUNT, CACHES, only_trees, NULL},
    {GPCI_KEY_GPU_HOME, CACHES, only_trees, NULL},
    {GPCI_KEY_GPU_LINK_LATENCY, CACHES, own_memory, has_one_gpu},
    {GPCI_KEY_GPU_LINK_WIDTH, CACHES, own_memory, has_one_gpu},
    {GPCI_KEY_GPU_LINK_BUFFER, CACHES, own_memory, has_one_gpu},
    {GPCI_KEY_ENERGY_GPU_LINK, CACHES, own_memory, has_one_gpu},
    {GPCI_KEY_PAGE_BYTES, CACHES, own_memory, has_one_gpu},
    {GPCI_KEY_PAGE_PLACEMENT, CACHES, own_memory, has_one_gpu},
    {GPCI_KEY_COHERENCE_ANY_VICTIM, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_CONFLICT, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_POINTERS, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_OVERFLOW, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_REGION, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_WAYS, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_MEMORY_SETS, CACHES, only_trees, NULL},
    {GPCI_KEY_COHERENCE_MEMORY_WAYS, CACHES, only_trees, NULL},
    {GPCI_KEY_L1_ATOMICS, CACHES, only_trees, NULL},
    {GPCI_KEY_L1_ATOMICS, TRACKED, "its L1s perform atomics on what they own", NULL},
    {GPCI_KEY_L1_INVALIDATE, TRACKED, "its L1s have nothing to drop at a fence", NULL},
    {GPCI_KEY_L1_BANKS, TREES, "coherent L1s have the ports of l1.tag_ports alone", has_hashed_banks},
    {GPCI_KEY_L1_BYPASS_FETCH, TREES, "its messages bring whole blocks", NULL},
    {GPCI_KEY_L1_BYPASS_LATENCY, TREES, "coherent L1s send at once", NULL},
    {GPCI_KEY_L1_BYPASS_MSHRS, TREES, by_lock, NULL},
    {GPCI_KEY_L1_BYPASS_QUEUE, TREES, "coherent L1s have one queue of messages", NULL},
    {GPCI_KEY_L1_COMBINE_LINES, TREES, no_combining, NULL},
    {GPCI_KEY_L1_COMBINE_CYCLES, TREES, no_combining, NULL},
    {GPCI_KEY_L1_INDEX_BITS, TREES, "modules XOR all bits", NULL},
    {GPCI_KEY_L1_FUTURE, TREES, "no policy of its L1s asks for the next use", reads_future},
    {GPCI_KEY_L1_WRITE_ALLOCATE, TREES, no_place, keeps_stores},
    {GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL, TREES, no_place, keeps_local_stores},
    {GPCI_KEY_L2_HOMES, TREES, "a tree has one L2 in place of L2s of dies", NULL},
    {GPCI_KEY_L2_BANKS, TREES, "coherent slices have the ports of l2.tag_ports alone", NULL},
    {GPCI_KEY_L2_MERGES, TREES, "who asks for a block in use waits for it, or is refused", merges_all},
    {GPCI_KEY_L2_WRITE_TO_READ, TREES, by_lock, NULL},
    {GPCI_KEY_L2_INCLUSION, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_CLUSTER_INCLUSION, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_POINTERS, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_OVERFLOW, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_REGION, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_COHERENCE_DIRECTORY_WAYS, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_COHERENCE_MEMORY_SETS, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_COHERENCE_MEMORY_WAYS, UNTRACKED, no_directory, NULL},
    {GPCI_KEY_MEMORY_CACHE_SIZE, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_WAYS, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_REPLACEMENT, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_LATENCY, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_WIDTH, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_QUEUE, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_MSHR, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_MERGES, TREES, no_memory_cache, NULL},
    {GPCI_KEY_MEMORY_CACHE_MISS_QUEUE, TREES, no_memory_cache, NULL},
    {GPCI_KEY_NETWORK_MASK, TREES, "its messages bring whole blocks", NULL},
    {GPCI_KEY_SM_BULK_RATE, TREES, no_copies, NULL},
    {GPCI_KEY_SM_BULK_REQUESTS, TREES, no_copies, NULL},
    {GPCI_KEY_SM_BULK_QUEUE, TREES, no_copies, NULL},
    {GPCI_KEY_SM_BULK_LATENCY, TREES, no_copies, NULL},
};

/* True if a key has a value other than the default, set by the host (`own`) or by a preset. */
static bool is_moved(const gpc_hierarchy *hierarchy, gpci_key key, bool own) {
    return gpci_config_is_own(hierarchy->config, key) == own && !gpci_config_is_default(hierarchy->config, key);
}

bool gpci_idle_key(const gpc_hierarchy *hierarchy, bool own, size_t index, gpci_idle *out) {
    const uint32_t here = place_of(hierarchy);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const idle_row *row = &rows[i];
        if (row->where & here && is_moved(hierarchy, row->key, own) && !(row->unless && row->unless(hierarchy)) &&
            !index--) {
            *out = (gpci_idle){row->key, row->why};
            return true;
        }
    }
    return false;
}

gpc_status gpci_check_idle(const gpc_hierarchy *hierarchy, gpc_error *error) {
    gpci_idle idle;
    if (!gpci_idle_key(hierarchy, true, 0, &idle))
        return GPC_OK;
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s has no effect with coherence = %s: %s", gpci_key_name(idle.key),
                     gpci_config_text(hierarchy->config, idle.key),
                     gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE), idle.why);
}

/*
 * Keys that begin with `prefix` belong to a part of the hierarchy. The part does not exist while `key` has the default
 * value; with unless_default, while `key` has another value.
 */
typedef struct part_row {
    const char *prefix;
    gpci_key key;
    bool unless_default;
} part_row;

static const part_row parts[] = {
    {"cluster.", GPCI_KEY_CLUSTER_SMS, false},
    {"const.", GPCI_KEY_CONST_SIZE, false},
    {"dram.fixed_", GPCI_KEY_DRAM_MODEL, false},
    {"dram.t", GPCI_KEY_DRAM_MODEL, true},
    {"gl1.", GPCI_KEY_GL1_SIZE, false},
    {"gpu.", GPCI_KEY_GPU_COUNT, false},
    {"l1.combine_", GPCI_KEY_L1_COMBINE_LINES, false},
    {"l1.prefetch_", GPCI_KEY_L1_PREFETCHER, false},
    {"l1.reorder_", GPCI_KEY_L1_REORDER, false},
    {"l15.", GPCI_KEY_L15_SIZE, false},
    {"l1i.", GPCI_KEY_L1I_SIZE, false},
    {"l2.atomic_", GPCI_KEY_L2_ATOMIC_CYCLES, false},
    {"l2.homes", GPCI_KEY_L2_PARTITIONS, false},
    {"l2.link_", GPCI_KEY_L2_PARTITIONS, false},
    {"l2.link_", GPCI_KEY_L2_HOMES, true},
    {"l2.prefetch_", GPCI_KEY_L2_PREFETCHER, false},
    {"l2.sm_partition", GPCI_KEY_L2_PARTITIONS, false},
    {"lrc.", GPCI_KEY_LRC_SMS, false},
    {"memory_cache.", GPCI_KEY_MEMORY_CACHE_SIZE, false},
    {"page.", GPCI_KEY_GPU_COUNT, false},
    {"port.", GPCI_KEY_PORTS, false},
};

/* Log keys set by the host for parts that the hierarchy does not have. */
static void report_missing_parts(const gpc_hierarchy *hierarchy) {
    const gpc_config *config = hierarchy->config;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (gpci_config_is_default(config, parts[i].key) == parts[i].unless_default)
            continue;
        for (gpci_key key = 0; key < GPCI_KEY_COUNT; key++)
            if (!strncmp(gpci_key_name(key), parts[i].prefix, strlen(parts[i].prefix)) &&
                is_moved(hierarchy, key, true))
                gpci_log(hierarchy->context, GPC_LOG_INFO, "%s = %s has no effect with %s = %s", gpci_key_name(key),
                         gpci_config_text(config, key), gpci_key_name(parts[i].key),
                         gpci_config_text(config, parts[i].key));
    }
}

void gpci_report_idle_keys(const gpc_hierarchy *hierarchy) {
    const char *protocol = gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE),
               *mode = gpci_config_text(hierarchy->config, GPCI_KEY_MODE);
    const bool timed = gpci_number(hierarchy, GPCI_KEY_MODE) == 1, tree = place_of(hierarchy) != CACHES;
    gpci_idle idle;
    for (size_t i = 0; gpci_idle_key(hierarchy, false, i, &idle); i++)
        gpci_log(hierarchy->context, GPC_LOG_INFO, "%s = %s has no effect with coherence = %s: %s",
                 gpci_key_name(idle.key), gpci_config_text(hierarchy->config, idle.key), protocol, idle.why);
    for (gpci_key key = 0; key < GPCI_KEY_COUNT; key++)
        if (gpci_key_wants_mode(key, !timed) && is_moved(hierarchy, key, true) &&
            !(tree && key == GPCI_KEY_NETWORK_HEADER) &&
            !(hierarchy->memory_caches && key == GPCI_KEY_DRAM_CHANNELS)) /* parts of the cache beside memory */
            gpci_log(hierarchy->context, GPC_LOG_INFO, "%s = %s has no effect with mode = %s", gpci_key_name(key),
                     gpci_config_text(hierarchy->config, key), mode);
    report_missing_parts(hierarchy);
}
