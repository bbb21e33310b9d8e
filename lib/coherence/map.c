/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree.h"

#include <string.h>

/* A hash map from block numbers, open addressing with steps of one; at least half of it stays empty. */

#define LEAST_SLOTS 16u

static uint32_t slot_of(const gpci_block_map *map, uint64_t number) {
    uint32_t slot = (uint32_t)gpci_mix(number) & map->mask;
    while (map->keys[slot] && map->keys[slot] != number + 1)
        slot = (slot + 1) & map->mask;
    return slot;
}

uint32_t gpci_map_find(const gpci_block_map *map, uint64_t number) {
    if (!map->count)
        return UINT32_MAX;
    uint32_t slot = slot_of(map, number);
    return map->keys[slot] ? map->values[slot] : UINT32_MAX;
}

void gpci_map_add(gpci_block_map *map, uint64_t number, uint32_t value) {
    uint32_t slot = slot_of(map, number);
    map->keys[slot] = number + 1;
    map->values[slot] = value;
    map->count++;
}

gpc_status gpci_map_reserve(gpc_context *context, gpci_block_map *map, uint32_t more) {
    const uint64_t need = 2 * ((uint64_t)map->count + more);
    if (map->mask && need <= (uint64_t)map->mask + 1)
        return GPC_OK;
    uint64_t slots = LEAST_SLOTS;
    while (slots < need)
        slots *= 2;
    if (slots > (uint64_t)UINT32_MAX + 1)
        return GPC_ERROR_MEMORY;
    gpci_block_map larger = {.mask = (uint32_t)(slots - 1)};
    larger.keys = gpci_zalloc(context, slots, sizeof *larger.keys);
    larger.values = gpci_zalloc(context, slots, sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        gpci_map_free(context, &larger);
        return GPC_ERROR_MEMORY;
    }
    for (uint64_t i = 0; map->mask && i <= map->mask; i++)
        if (map->keys[i])
            gpci_map_add(&larger, map->keys[i] - 1, map->values[i]);
    gpci_map_free(context, map);
    *map = larger;
    return GPC_OK;
}

void gpci_map_clear(gpci_block_map *map) {
    if (map->mask)
        memset(map->keys, 0, ((size_t)map->mask + 1) * sizeof *map->keys);
    map->count = 0;
}

void gpci_map_free(gpc_context *context, gpci_block_map *map) {
    gpci_free(context, map->keys);
    gpci_free(context, map->values);
    *map = (gpci_block_map){NULL, NULL, 0, 0};
}
