/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/line_places.h"

gpci_places *gpci_places_create(gpc_context *context, uint32_t sets, uint32_t ways, uint32_t row) {
    const size_t slots = (size_t)sets * row;
    const uint32_t words = (ways + 63) / 64;
    size_t hashes = 64;
    while (hashes < slots && hashes < (size_t)1 << 31)
        hashes *= 2;
    gpci_places *places = gpci_zalloc(context, 1, sizeof *places);
    if (!places)
        return NULL;
    places->mask = (uint32_t)(hashes - 1);
    places->words = words;
    places->bytes = (size_t)sets * words * sizeof *places->free + (hashes + slots) * sizeof *places->first;
    places->free = gpci_zalloc_lines(context, places->bytes, 1);
    if (!places->free) {
        gpci_free(context, places);
        return NULL;
    }
    places->first = (uint32_t *)(void *)(places->free + (size_t)sets * words);
    places->next = places->first + hashes;
    for (uint32_t set = 0; set < sets; set++)
        for (uint32_t way = 0; way < ways; way++)
            places->free[(size_t)set * words + way / 64] |= (uint64_t)1 << (way & 63);
    return places;
}

void gpci_places_destroy(gpc_context *context, gpci_places *places) {
    if (!places)
        return;
    gpci_free_lines(context, places->free);
    gpci_free(context, places);
}

void gpci_places_add(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot) {
    uint32_t *first = gpci_places_of(places, line);
    places->free[(size_t)set * places->words + way / 64] &= ~((uint64_t)1 << (way & 63));
    places->next[slot] = *first;
    *first = (uint32_t)slot + 1;
}

void gpci_places_remove(gpci_places *places, uint64_t line, uint32_t set, uint32_t way, size_t slot) {
    uint32_t *at = gpci_places_of(places, line);
    places->free[(size_t)set * places->words + way / 64] |= (uint64_t)1 << (way & 63);
    while (*at != slot + 1)
        at = &places->next[*at - 1];
    *at = places->next[slot];
}
