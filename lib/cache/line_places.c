/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/line_places.h"

gpci_places *gpci_places_create(gpc_context *context, uint32_t sets, uint32_t ways, uint32_t row) {
    const size_t slots = (size_t)sets * row, words = (ways + 63) / 64;
    const unsigned bits = gpci_ceil_log2(slots + 1);
    const size_t entries = (size_t)2 << bits;
    gpci_places *places = gpci_zalloc(context, 1, sizeof *places);
    if (!places)
        return NULL;
    places->mask = (uint32_t)entries - 1;
    places->home = 31 - bits;
    places->slot = ((uint32_t)1 << bits) - 1;
    places->words = (uint32_t)words;
    places->bytes = sets * words * sizeof *places->free + entries * sizeof *places->table;
    places->table = gpci_zalloc_lines(context, places->bytes, 1);
    if (!places->table) {
        gpci_free(context, places);
        return NULL;
    }
    places->free = (uint64_t *)(void *)(places->table + entries);
    for (uint32_t set = 0; set < sets; set++)
        for (uint32_t way = 0; way < ways; way++)
            gpci_bit_set(places->free + set * words, way);
    return places;
}

void gpci_places_destroy(gpc_context *context, gpci_places *places) {
    if (!places)
        return;
    gpci_free_lines(context, places->table);
    gpci_free(context, places);
}

void gpci_places_add(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot) {
    const uint32_t hash = gpci_places_hash(line);
    uint32_t at = hash >> places->home;
    gpci_bit_clear(places->free + (size_t)set * places->words, way);
    while (places->table[at])
        at = (at + 1) & places->mask;
    places->table[at] = (hash & ~places->slot) | (uint32_t)(slot + 1);
}

/*
 * Remove the entry of a line, which leaves a gap. A search for an entry starts at the entry's home, and stops at an
 * empty entry. Therefore a later entry moves into the gap, unless its home lies behind the gap.
 */
void gpci_places_remove(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot) {
    uint32_t *table = places->table;
    const uint32_t hash = gpci_places_hash(line), entry = (hash & ~places->slot) | (uint32_t)(slot + 1);
    uint32_t gap = hash >> places->home;
    gpci_bit_set(places->free + (size_t)set * places->words, way);
    while (table[gap] != entry)
        gap = (gap + 1) & places->mask;
    for (uint32_t at = (gap + 1) & places->mask; table[at]; at = (at + 1) & places->mask) {
        const uint32_t home = table[at] >> places->home;
        if (((at - home) & places->mask) < ((at - gap) & places->mask))
            continue;
        table[gap] = table[at];
        gap = at;
    }
    table[gap] = 0;
}
