/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_LINE_PLACES_H
#define GPC_CACHE_LINE_PLACES_H

#include "base/base.h"

/*
 * Places of the lines of a cache with many ways. A set of 256 tags is 16 cache lines of the host processor, and 64
 * comparisons of four tags. A table of all lines finds a line, or its absence, mostly in one cache line.
 *
 * An entry has the upper bits of the hash of a line's number, and the line's slot + 1; 0: empty. The uppermost bits are
 * the entry's home. If the home is taken, the line's entry is the next free one. At most half of the entries are used.
 * Free ways are a bit mask.
 *
 * Example, 7 slots, table of 16 entries, 3 bits of an entry are its slot + 1: a line in slot 2 with a hash that begins
 * with 0101 has home entry 5, with the content 0101...011.
 */
#define GPCI_PLACES_FROM 64u      /* fewest ways for the table */
#define GPCI_PLACES_SLOTS 0x4000u /* most slots: an entry must have enough bits for its home */

typedef struct gpci_places {
    uint32_t *table; /* [mask + 1] */
    uint64_t *free;  /* [sets][words] */
    uint32_t mask;   /* mask of entry numbers */
    uint32_t home;   /* shift from a hash to its home entry */
    uint32_t slot;   /* mask of an entry's slot */
    uint32_t words;  /* words of a set's free ways */
    size_t bytes;    /* bytes from `table` on: all variable state */
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
