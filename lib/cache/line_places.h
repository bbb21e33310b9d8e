/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_LINE_PLACES_H
#define GPC_CACHE_LINE_PLACES_H

#include "base/base.h"

/*
 * Where the lines of a cache with many ways are. A set of 256 tags is 16 of the processor's own cache lines, and 64
 * comparisons of four tags; a hash of the line number leads to its slot in two. Slots are chained by what their line's
 * number hashes to, of all sets together. Which ways are free is a bit each.
 *
 * All in one block, so that copied it is as it was: what it holds are numbers.
 */
#define GPCI_PLACES_FROM 64u /* ways */

typedef struct gpci_places {
    uint32_t mask;          /* of hashes */
    uint32_t words;         /* of a set's free ways */
    uint64_t *free;         /* [sets][words] */
    uint32_t *first, *next; /* [mask + 1], [slots]: slot + 1; 0: none */
    size_t bytes;           /* from `free` on */
} gpci_places;

/* All ways free. NULL: out of memory. */
gpci_places *gpci_places_create(gpc_context *context, uint32_t sets, uint32_t ways, uint32_t row);
void gpci_places_destroy(gpc_context *context, gpci_places *places);
/* A line has taken a slot, or leaves it. */
void gpci_places_add(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot);
void gpci_places_remove(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot);

GPCI_INLINE uint32_t *gpci_places_of(const gpci_places *places, uint64_t line) {
    return &places->first[(line * 0x9e3779b97f4a7c15u >> 32) & places->mask];
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
