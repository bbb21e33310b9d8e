/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/memory_cache.h"

#include "cache/cache.h"
#include "cache/cache_archive.h"

void gpci_build_memory_map(gpc_hierarchy *hierarchy) {
    const uint32_t channels = (uint32_t)gpci_total(hierarchy, GPCI_KEY_DRAM_CHANNELS),
                   part = hierarchy->homeless ? hierarchy->slices_per_partition : 0,
                   slices = part ? part * hierarchy->gpus : hierarchy->slices;
    hierarchy->memory = (gpci_memory_map){.part_slices = part,
                                          .gpu_slices = part * hierarchy->partitions,
                                          .channels = channels,
                                          .slices = slices,
                                          .slices_per_channel = (slices + channels - 1) / channels,
                                          .channels_per_slice = channels / slices ? channels / slices : 1,
                                          .chunk = gpci_number(hierarchy, GPCI_KEY_L2_INTERLEAVE_BYTES)};
}

static gpc_status refuse(const gpc_hierarchy *hierarchy, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_config_text(hierarchy->config, key), why);
}

static gpc_status read_options(const gpc_hierarchy *hierarchy, gpc_cache_options *options, gpc_error *error) {
    const uint32_t line = hierarchy->l2_level.line_bytes;
    *options = (gpc_cache_options)GPC_CACHE_OPTIONS_INIT;
    options->ways = (uint32_t)gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_WAYS);
    options->line_bytes = line;
    options->sectors = line / GPCI_SEGMENT;
    options->sets =
        gpci_total(hierarchy, GPCI_KEY_MEMORY_CACHE_SIZE) / line / options->ways / hierarchy->memory.channels;
    options->write_allocate = options->write_allocate_local = GPC_WRITE_LAZY_FETCH;
    options->replacement = gpci_config_text(hierarchy->config, GPCI_KEY_MEMORY_CACHE_REPLACEMENT);
    options->seed = 8;
    options->instances = hierarchy->memory.channels;
    if (!options->sets)
        return refuse(hierarchy, GPCI_KEY_MEMORY_CACHE_SIZE, "holds less than one set in each of dram.channels", error);
    if (!hierarchy->l2)
        return refuse(hierarchy, GPCI_KEY_MEMORY_CACHE_SIZE, "needs l2.enabled = true: it serves slices", error);
    if (hierarchy->address_map)
        return refuse(hierarchy, GPCI_KEY_MEMORY_CACHE_SIZE, "needs address.mapping = none", error);
    return GPC_OK;
}

gpc_status gpci_memory_caches_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    gpc_cache_options options;
    if (!gpci_number(hierarchy, GPCI_KEY_MEMORY_CACHE_SIZE))
        return GPC_OK;
    gpc_status status = read_options(hierarchy, &options, error);
    if (status < 0)
        return status;
    gpc_cache **caches = gpci_zalloc(hierarchy->context, options.instances, sizeof *caches);
    if (!caches)
        return gpci_out_of_memory(error);
    hierarchy->memory_caches = caches;
    for (uint32_t channel = 0; channel < options.instances; channel++) {
        gpc_error detail = GPC_ERROR_INIT;
        options.instance = channel;
        options.share_with = channel ? caches[0] : NULL;
        status = gpc_cache_create(hierarchy->context, &options, &caches[channel], &detail);
        if (status < 0)
            return gpci_fail(error, status, "memory_cache: %s", detail.message);
    }
    return GPC_OK;
}

void gpci_memory_caches_destroy(gpc_hierarchy *hierarchy) {
    for (uint32_t channel = hierarchy->memory_caches ? hierarchy->memory.channels : 0; channel--;)
        gpc_cache_destroy(hierarchy->memory_caches[channel]);
    gpci_free(hierarchy->context, hierarchy->memory_caches);
}

void gpci_memory_caches_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    for (uint32_t channel = 0; hierarchy->memory_caches && channel < hierarchy->memory.channels; channel++)
        gpci_cache_archive(hierarchy->memory_caches[channel], archive);
}
