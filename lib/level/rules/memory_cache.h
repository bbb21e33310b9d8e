/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_MEMORY_CACHE_H
#define GPC_LEVEL_MEMORY_CACHE_H

#include "base/archive.h"
#include "level/rules/level_count.h"

/*
 * Memory channels of slices, and the cache beside memory (`memory_cache.size` above 0): a cache in each channel,
 * between the slices of the channel and DRAM. The cache has no directory: it holds what memory holds, whichever L1s and
 * slices have copies. Examples are AMD's Infinity Cache and the memory-attached caches of CPUs.
 *
 *  slice -> lookup -> miss -> DRAM
 *                      |       |
 *  slice  <-  data  <- fill <- data           a dirty line that leaves is written to DRAM
 *
 * A line of the cache is a line of L2, in sectors of 32 bytes, so that a request of a slice is one lookup. A read
 * fetches the sectors that are missing. A write leaves its sectors in the cache and fetches nothing: slices write
 * sectors of 32 bytes, as they write them to DRAM.
 */

/*
 * Channel of an address within a slice. `local`: address within the channel.
 *
 * Example, 4 slices, 2 channels, a chunk of 256 bytes: bytes 0 to 255 of slice 2 are bytes 0 to 255 of channel 1, and
 * those of slice 3 bytes 256 to 511. Bytes 256 to 511 of slice 2 follow.
 */
GPCI_INLINE uint32_t gpci_memory_channel_of(const gpci_memory_map *map, uint32_t slice, uint64_t inner,
                                            uint64_t *local) {
    if (GPCI_UNLIKELY(map->part_slices)) /* partitions without homes have the same channels of their GPU */
        slice = slice / map->gpu_slices * map->part_slices + slice % map->part_slices;
    const uint64_t number = inner / map->chunk, offset = inner % map->chunk;
    if (map->slices >= map->channels) {
        const uint32_t channel = (uint32_t)((uint64_t)slice * map->channels / map->slices),
                       first = (uint32_t)(((uint64_t)channel * map->slices + map->channels - 1) / map->channels);
        *local = (number * map->slices_per_channel + (slice - first)) * map->chunk + offset;
        return channel;
    }
    *local = number / map->channels_per_slice * map->chunk + offset;
    return slice * map->channels_per_slice + (uint32_t)(number % map->channels_per_slice);
}

/* Number among all slices, of a slice that the memory map numbers: in the first partition of its GPU. */
GPCI_INLINE uint32_t gpci_memory_first_of(const gpci_memory_map *map, uint32_t slice) {
    return GPCI_UNLIKELY(map->part_slices) ? slice / map->part_slices * map->gpu_slices + slice % map->part_slices
                                           : slice;
}

/*
 * Inverse of gpci_memory_channel_of: slice (without homes: of the first partition of its GPU), and address within the
 * slice, of an address within a channel.
 */
GPCI_INLINE uint32_t gpci_memory_slice_of(const gpci_memory_map *map, uint32_t channel, uint64_t local,
                                          uint64_t *inner) {
    const uint64_t number = local / map->chunk, offset = local % map->chunk;
    if (map->slices >= map->channels) {
        const uint32_t first = (uint32_t)(((uint64_t)channel * map->slices + map->channels - 1) / map->channels);
        *inner = number / map->slices_per_channel * map->chunk + offset;
        return gpci_memory_first_of(map, first + (uint32_t)(number % map->slices_per_channel));
    }
    *inner = (number * map->channels_per_slice + channel % map->channels_per_slice) * map->chunk + offset;
    return gpci_memory_first_of(map, channel / map->channels_per_slice);
}

/* Set hierarchy->memory from the configuration. The slices exist by number. */
void gpci_build_memory_map(gpc_hierarchy *hierarchy);

/* Create the caches beside memory. Without `memory_cache.size`: no caches. */
gpc_status gpci_memory_caches_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_memory_caches_destroy(gpc_hierarchy *hierarchy);
void gpci_memory_caches_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

/*
 * Make a slice's request for a channel's cache: a read for `request`, or a write of whole segments. The hints of an
 * instruction are for L1 and L2 only.
 */
GPCI_INLINE gpc_request gpci_memory_cache_read(const gpc_request *request, uint64_t local, uint8_t segments) {
    gpc_request asked = *request;
    asked.address = local;
    asked.kind = GPC_LOAD;
    asked.sector_mask = segments;
    asked.byte_mask[0] = asked.byte_mask[1] = 0;
    asked.priority = GPC_EVICT_NORMAL;
    asked.policy.policy_word = 0;
    asked.policy.admitted = 0;
    return asked;
}

/* Bytes of whole segments. */
GPCI_INLINE void gpci_bytes_of_segments(uint8_t segments, uint64_t bytes[2]) {
    for (unsigned word = 0; word < 2; word++)
        bytes[word] =
            (segments >> 2 * word & 1 ? UINT32_MAX : 0) | (segments >> 2 * word & 2 ? (uint64_t)UINT32_MAX << 32 : 0);
}

GPCI_INLINE gpc_request gpci_memory_cache_write(const gpc_hierarchy *hierarchy, uint64_t local, uint64_t host,
                                                uint8_t segments) {
    gpc_request asked = gpci_request_of_nobody(hierarchy, local, host, 0, GPC_STORE);
    asked.sector_mask = segments;
    gpci_bytes_of_segments(segments, asked.byte_mask);
    return asked;
}

#endif
