/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_LINE_PLACES_H
#define GPC_CACHE_LINE_PLACES_H

#include "base/base.h"

/*
 * Hash table of the lines of a modelled cache with many ways. Without the table, a search in a set of 256 tags reads 16
 * cache lines of the CPU, and makes 64 comparisons of four tags. With the table, a search for a line, present or
 * absent, mostly reads one cache line of the CPU.
 *
 * An entry has two parts: the slot + 1 of a line in the low bits, and the upper bits of the hash of the line number. An
 * entry of 0 is empty. The uppermost bits of the hash are the number of the line's home entry. If the home entry is
 * taken, the line takes the next free entry. At most half of the entries are used. Free ways are a bit mask.
 *
 * Example, 7 slots, table of 16 entries, 3 bits for slot + 1: a line in slot 2 with a hash that begins with 0101 has
 * home entry 5; the content of the entry is 0101...011.
 */
#define GPCI_PLACES_FROM 64u      /* a cache with fewer ways has no table */
#define GPCI_PLACES_SLOTS 0x4000u /* a cache with more slots has no table: an entry needs bits for the hash, too */

typedef struct gpci_places {
    uint32_t *table; /* [mask + 1] entries */
    uint64_t *free;  /* [sets][words]: mask of the free ways of each set */
    uint32_t mask;   /* number of entries - 1 */
    uint32_t home;   /* hash >> home is the number of the home entry */
    uint32_t slot;   /* mask of the bits of an entry with slot + 1 */
    uint32_t words;  /* words of a mask of ways */
    size_t bytes;    /* bytes of `table` and `free` together, which are one allocation: all state that changes */
} gpci_places;

/* Create with all ways free. NULL: out of memory. */
gpci_places *gpci_places_create(gpc_context *context, uint32_t sets, uint32_t ways, uint32_t row);
void gpci_places_destroy(gpc_context *context, gpci_places *places);
/* Record that a line has taken a slot, or leaves its slot. */
void gpci_places_add(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot);
void gpci_places_remove(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot);

GPCI_INLINE uint32_t gpci_places_hash(uint64_t line) {
    return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 32);
}

/* Lowest free way of a set; UINT32_MAX if the set is full. */
GPCI_INLINE uint32_t gpci_places_free(const gpci_places *places, uint32_t set) {
    const uint64_t *free = places->free + (size_t)set * places->words;
    for (uint32_t word = 0; word < places->words; word++)
        if (free[word])
            return word * 64 + gpci_lowest(free[word]);
    return UINT32_MAX;
}

#endif
