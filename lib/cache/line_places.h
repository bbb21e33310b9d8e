/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_LINE_PLACES_H
#define GPC_CACHE_LINE_PLACES_H

#include "base/base.h"

/*
 * Where the lines of a cache with many ways are. A set of 256 tags is 16 of the processor's own cache lines, and 64
 * comparisons of four tags; in a table of all lines one is found, or found missing, in one cache line most of the time.
 *
 * An entry is the upper bits of the hash of a line's number, and its slot + 1; 0: empty. The uppermost bits say where
 * it belongs; where that is taken, it stands in the next free entry. At most half of them are used. Which ways are free
 * is a bit each.
 *
 * Example, 7 slots, table of 16 entries, 3 bits of an entry are its slot + 1: a line in slot 2 whose hash begins with
 * 0101 belongs into entry 5, and is there as 0101...011.
 */
#define GPCI_PLACES_FROM 64u      /* ways */
#define GPCI_PLACES_SLOTS 0x4000u /* most: an entry has to tell where it belongs */

typedef struct gpci_places {
    uint32_t *table; /* [mask + 1] */
    uint64_t *free;  /* [sets][words] */
    uint32_t mask;   /* of entries */
    uint32_t home;   /* bits by which a hash is shifted to its entry */
    uint32_t slot;   /* mask of an entry's slot */
    uint32_t words;  /* of a set's free ways */
    size_t bytes;    /* from `table` on: all that changes */
} gpci_places;

/* All ways free. NULL: out of memory. */
gpci_places *gpci_places_create(gpc_context *context, uint32_t sets, uint32_t ways, uint32_t row);
void gpci_places_destroy(gpc_context *context, gpci_places *places);
/* A line has taken a slot, or leaves it. */
void gpci_places_add(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot);
void gpci_places_remove(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot);

GPCI_INLINE uint32_t gpci_places_hash(uint64_t line) {
    return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 32);
}

/* The lowest free way of a set; UINT32_MAX. */
GPCI_INLINE uint32_t gpci_places_free(const gpci_places *places, uint32_t set) {
    const uint64_t *free = places->free + (size_t)set * places->words;
    for (uint32_t word = 0; word < places->words; word++)
        if (free[word])
            return word * 64 + gpci_lowest(free[word]);
    return UINT32_MAX;
}

#endif
