/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"

#include "base/array.h"

#include <string.h>

#define LEAST_SLOTS 64u

bool gpci_slots_reserve(gpc_context *context, gpci_slots *slots, const void *entries, uint32_t count, size_t more,
                        gpci_hash_fn hash_of) {
    if (more > GPCI_MOST_ENTRIES || count > GPCI_MOST_ENTRIES - more)
        return false;
    size_t needed = 2 * (count + more), room = slots->slots ? slots->mask + 1 : LEAST_SLOTS;
    if (GPCI_LIKELY(slots->slots && needed <= room))
        return true;
    while (room < needed)
        room *= 2;
    gpci_slots larger = {gpci_zalloc(context, room, sizeof *larger.slots), room - 1};
    if (!larger.slots)
        return false;
    for (uint32_t entry = 0; entry < count; entry++)
        gpci_slots_add(&larger, hash_of(entries, entry), entry);
    gpci_slots_free(context, slots);
    *slots = larger;
    return true;
}

void gpci_slots_clear(gpci_slots *slots) {
    if (slots->slots)
        memset(slots->slots, 0, (slots->mask + 1) * sizeof *slots->slots);
}

void gpci_slots_free(gpc_context *context, gpci_slots *slots) {
    gpci_free(context, slots->slots);
    *slots = (gpci_slots){NULL, 0};
}

static uint64_t hash_of(const void *entries, uint32_t entry) {
    return gpci_hash(((const gpci_map_entry *)entries)[entry].key);
}

bool gpci_map_reserve(gpc_context *context, gpci_map *map, size_t more) {
    /* gpci_slots_reserve comes first, because the function refuses too many entries before memory is requested */
    return gpci_slots_reserve(context, &map->slots, map->entries, map->count, more, hash_of) &&
           GPCI_ARRAY_RESERVE(context, map->entries, map->capacity, map->count, more);
}

void gpci_map_clear(gpci_map *map) {
    gpci_slots_clear(&map->slots);
    map->count = 0;
}

void gpci_map_free(gpc_context *context, gpci_map *map) {
    gpci_slots_free(context, &map->slots);
    gpci_free(context, map->entries);
    *map = (gpci_map){.entries = NULL};
}

void gpci_map_archive(gpc_context *context, gpci_map *map, gpci_archive *archive) {
    const uint32_t count = (uint32_t)gpci_archive_count(archive, map->count, sizeof *map->entries);
    if (!archive->loading) {
        gpci_archive_bytes(archive, map->entries, count * sizeof *map->entries);
        return;
    }
    gpci_map_clear(map);
    if (!gpci_map_reserve(context, map, count)) {
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
        return;
    }
    for (uint32_t i = 0; i < count && archive->status == GPC_OK; i++) {
        gpci_map_entry entry = {0, 0};
        gpci_archive_bytes(archive, &entry, sizeof entry);
        if (archive->status == GPC_OK)
            gpci_map_add(map, entry.key, entry.value);
    }
}
