/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BASE_MAP_H
#define GPC_BASE_MAP_H

#include "base/archive.h"
#include "base/base.h"

/*
 * Hash tables: open addressing with linear probing, at most half full. Entries lie in an array in order of insertion,
 * numbered from 0; to visit all entries, iterate over the array. Single entries cannot be removed; the _clear functions
 * remove all entries.
 */

#define GPCI_NO_ENTRY UINT32_MAX
#define GPCI_MOST_ENTRIES (UINT32_MAX / 4)

/*
 * Slots find an entry of an array by a key. The caller owns the array. Slots know neither keys nor entries: the caller
 * passes the hash of a key (bits 32 and up are used), and a function that compares an entry with the key. If the
 * function is a constant, the compiler inlines the function.
 */
typedef struct gpci_slots {
    uint32_t *slots; /* [mask + 1]: entry + 1, 0 = free; NULL before the first entry */
    size_t mask;
} gpci_slots;

typedef bool (*gpci_same_fn)(const void *entries, uint32_t entry, const void *key);
typedef uint64_t (*gpci_hash_fn)(const void *entries, uint32_t entry);

/*
 * Make room for `more` entries behind `count` entries; `hash_of` gives the hashes of the present entries. False: out of
 * memory, or too many entries.
 */
bool gpci_slots_reserve(gpc_context *context, gpci_slots *slots, const void *entries, uint32_t count, size_t more,
                        gpci_hash_fn hash_of);
/* Forget all entries, keep the memory. */
void gpci_slots_clear(gpci_slots *slots);
void gpci_slots_free(gpc_context *context, gpci_slots *slots);

/* Entry of a key, or GPCI_NO_ENTRY. */
GPCI_INLINE uint32_t gpci_slots_find(const gpci_slots *slots, const void *entries, uint64_t hash, const void *key,
                                     gpci_same_fn same) {
    if (!slots->slots)
        return GPCI_NO_ENTRY;
    for (size_t at = hash >> 32 & slots->mask; slots->slots[at]; at = (at + 1) & slots->mask)
        if (same(entries, slots->slots[at] - 1, key))
            return slots->slots[at] - 1;
    return GPCI_NO_ENTRY;
}

/* Add an absent entry; room must be reserved. */
GPCI_INLINE void gpci_slots_add(gpci_slots *slots, uint64_t hash, uint32_t entry) {
    size_t at = hash >> 32 & slots->mask;
    while (slots->slots[at])
        at = (at + 1) & slots->mask;
    slots->slots[at] = entry + 1;
}

/* Map from 64-bit numbers to 64-bit numbers. A zeroed map is empty. */
typedef struct gpci_map_entry {
    uint64_t key, value;
} gpci_map_entry;

typedef struct gpci_map {
    gpci_slots slots;
    gpci_map_entry *entries; /* [count] */
    size_t capacity;
    uint32_t count;
} gpci_map;

/* Make room for `more` keys. False: out of memory, or too many keys; the keys are unchanged. */
bool gpci_map_reserve(gpc_context *context, gpci_map *map, size_t more);
void gpci_map_clear(gpci_map *map);
void gpci_map_free(gpc_context *context, gpci_map *map);
/* Save or load the map's entries in a snapshot, in order of insertion. */
void gpci_map_archive(gpc_context *context, gpci_map *map, gpci_archive *archive);

GPCI_INLINE bool gpci_map_same(const void *entries, uint32_t entry, const void *key) {
    return ((const gpci_map_entry *)entries)[entry].key == *(const uint64_t *)key;
}

/* Entry of a key, NULL if absent; valid until an entry is added. */
GPCI_INLINE gpci_map_entry *gpci_map_find(const gpci_map *map, uint64_t key) {
    uint32_t entry = gpci_slots_find(&map->slots, map->entries, gpci_hash(key), &key, gpci_map_same);
    return entry == GPCI_NO_ENTRY ? NULL : &map->entries[entry];
}

/* Add an absent key; room must be reserved. */
GPCI_INLINE gpci_map_entry *gpci_map_add(gpci_map *map, uint64_t key, uint64_t value) {
    gpci_slots_add(&map->slots, gpci_hash(key), map->count);
    map->entries[map->count] = (gpci_map_entry){key, value};
    return &map->entries[map->count++];
}

/* Entry of a key; an absent key is added with value 0. NULL: out of memory. */
GPCI_INLINE gpci_map_entry *gpci_map_at(gpc_context *context, gpci_map *map, uint64_t key) {
    gpci_map_entry *entry = gpci_map_find(map, key);
    if (GPCI_LIKELY(entry != NULL))
        return entry;
    return gpci_map_reserve(context, map, 1) ? gpci_map_add(map, key, 0) : NULL;
}

#endif
