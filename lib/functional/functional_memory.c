/* SPDX-License-Identifier: BSD-2-Clause */
#include "functional/functional_memory.h"

#include "cache/cache.h"

void gpci_functional_tell_dram(const gpc_hierarchy *hierarchy, gpc_what what, uint64_t address, uint32_t sectors) {
    if (sectors)
        gpci_append_step(hierarchy->log, what, GPC_COMPONENT_MEMORY, gpci_l2_place_of(hierarchy, address).slice,
                         address, sectors, 0);
}

/* A line of L2 in the cache beside memory. */
typedef struct beside_line {
    gpc_cache *cache;
    uint32_t slice, channel;
    uint64_t local, address; /* address of the line within the channel, and of the host */
} beside_line;

/* Place of a line that a slice reads or writes. Without homes, counts are of the first partition's slice. */
static beside_line place_of(const gpc_hierarchy *hierarchy, uint32_t slice, uint64_t address) {
    const gpci_l2_place l2 = gpci_l2_place_of(hierarchy, address);
    const uint64_t line = ~(uint64_t)(hierarchy->l2_level.line_bytes - 1);
    const gpci_memory_map *map = &hierarchy->memory;
    const uint32_t first = map->part_slices ? slice - slice % map->gpu_slices + slice % map->part_slices : slice;
    beside_line at = {.slice = first, .address = address & line};
    at.channel = gpci_memory_channel_of(&hierarchy->memory, at.slice, l2.inner & line, &at.local);
    at.cache = hierarchy->memory_caches[at.channel];
    return at;
}

static void tell(const gpc_hierarchy *hierarchy, gpc_what what, const beside_line *at, uint8_t segments,
                 uint8_t outcome) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        gpci_append_step(hierarchy->log, what, GPC_COMPONENT_MEMORY_CACHE, at->channel, at->address,
                         gpci_count_sectors(segments), outcome);
}

/* Write segments of a line to DRAM: a dirty line that leaves the cache. */
static void write_back(gpc_hierarchy *hierarchy, uint32_t channel, uint64_t local, uint8_t segments) {
    uint64_t inner;
    beside_line at = {.channel = channel, .slice = gpci_memory_slice_of(&hierarchy->memory, channel, local, &inner)};
    const uint32_t sectors = gpci_count_sectors(segments);
    gpci_count_memory_cache_write_back(hierarchy, at.slice, sectors);
    if (GPCI_LIKELY(hierarchy->log == NULL) || !sectors) {
        gpci_count_dram_write(hierarchy, sectors);
        return;
    }
    const gpci_ids present = hierarchy->log->below;
    at.address = gpci_l2_host_address(hierarchy, at.slice, inner);
    tell(hierarchy, GPC_WHAT_WRITE_BACK, &at, segments, 0);
    gpci_functional_write_dram(hierarchy, at.address, sectors, true);
    hierarchy->log->below = present;
}

static void line_left(gpc_hierarchy *hierarchy, const beside_line *at, const gpc_eviction *eviction) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL)) {
        uint64_t inner;
        const uint32_t slice = gpci_memory_slice_of(&hierarchy->memory, at->channel, eviction->line_address, &inner);
        gpci_append_evict(hierarchy->log, GPC_COMPONENT_MEMORY_CACHE, at->channel,
                          gpci_l2_host_address(hierarchy, slice, inner), eviction);
    }
    write_back(hierarchy, at->channel, eviction->line_address, eviction->dirty_sectors);
}

static gpc_status look_up(gpc_hierarchy *hierarchy, const beside_line *at, const gpc_request *asked,
                          gpc_access_result *result) {
    const gpc_status status = gpc_cache_access(at->cache, asked, result, NULL);
    if (status < 0)
        return status;
    tell(hierarchy, GPC_WHAT_LOOKUP, at, asked->sector_mask, result->outcome);
    if (result->evicted)
        line_left(hierarchy, at, &result->eviction);
    return GPC_OK;
}

gpc_status gpci_functional_read_beside(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                       const gpc_request *request, uint32_t slice, uint64_t address, uint8_t segments) {
    const beside_line at = place_of(hierarchy, slice, address);
    const gpc_request asked = gpci_memory_cache_read(request, at.local, segments);
    gpc_access_result result;
    const gpc_status status = look_up(hierarchy, &at, &asked, &result);
    if (status < 0)
        return status;
    const uint8_t missing = result.fetch_sectors;
    gpci_count_memory_cache_read(hierarchy, at.slice, gpci_count_sectors(segments),
                                 gpci_count_sectors(result.hit_sectors & segments));
    GPCI_AGAIN(hierarchy->of_slice[at.slice].again.memory_cache_read_sector_hits +=
               gpci_count_sectors(segments) - gpci_count_sectors(missing));
    if (!missing)
        return GPC_OK;
    const bool watched = hierarchy->log != NULL;
    const gpci_ids requester = watched ? hierarchy->log->below : (gpci_ids){0, 0};
    tell(hierarchy, GPC_WHAT_FETCH, &at, missing, 0);
    gpci_functional_read_dram(hierarchy, access, request, at.address, gpci_count_sectors(missing), watched);
    if (watched)
        hierarchy->log->below = requester;
    tell(hierarchy, result.way == GPCI_NO_WAY ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, &at, missing, 0);
    return GPC_OK;
}

gpc_status gpci_functional_write_beside(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t address, uint8_t segments) {
    const beside_line at = place_of(hierarchy, slice, address);
    const gpc_request asked = gpci_memory_cache_write(hierarchy, at.local, at.address, segments);
    gpc_access_result result;
    if (!segments)
        return GPC_OK;
    const gpc_status status = look_up(hierarchy, &at, &asked, &result);
    if (status < 0)
        return status;
    gpci_count_memory_cache_write(hierarchy, at.slice, gpci_count_sectors(segments));
    if (result.write_sectors) /* no line: the policy declined */
        gpci_functional_write_dram(hierarchy, at.address, gpci_count_sectors(result.write_sectors),
                                   hierarchy->log != NULL);
    return GPC_OK;
}

void gpci_functional_flush_beside(gpc_hierarchy *hierarchy) {
    for (uint32_t channel = 0; hierarchy->memory_caches && channel < hierarchy->memory.channels; channel++) {
        gpc_cache *cache = hierarchy->memory_caches[channel];
        gpc_line line;
        for (size_t slot = 0; gpci_next_dirty(cache, &slot, &line); slot++)
            write_back(hierarchy, channel, line.line_address, line.dirty_sectors);
        gpci_drop_all(cache);
    }
}
