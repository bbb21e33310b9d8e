/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rpr_history.h"

#define DISTANCE_FULL 2047u
#define REUSES_FULL 255u
#define FETCHES_FULL 31u
#define AVERAGE_FULL 15u

static uint32_t at_most(uint32_t value, uint32_t limit) {
    return value < limit ? value : limit;
}

static gpci_rpr_entry *find_or_make(gpci_rpr_history *h, uint32_t signature) {
    uint32_t place = h->places[signature];
    if (place)
        return &h->entries[place - 1];
    place = h->next;
    h->next = (uint16_t)((place + 1) % GPCI_RPR_ENTRIES);
    if (h->used == GPCI_RPR_ENTRIES)
        h->places[h->signatures[place]] = 0;
    else
        h->used++;
    h->places[signature] = (uint16_t)(place + 1);
    h->signatures[place] = (uint16_t)signature;
    h->entries[place] = (gpci_rpr_entry){0};
    return &h->entries[place];
}

static void average_if_full(gpci_rpr_entry *e) {
    if (e->distance_sum < DISTANCE_FULL && e->reuses < REUSES_FULL && e->fetches < FETCHES_FULL)
        return;
    uint32_t distance = e->reuses ? at_most(e->distance_sum / e->reuses, AVERAGE_FULL) : AVERAGE_FULL;
    uint32_t count = e->fetches ? at_most(e->reuses / e->fetches, AVERAGE_FULL) : AVERAGE_FULL;
    *e = (gpci_rpr_entry){.average_count = count, .average_distance = distance ? distance : 1};
}

void gpci_rpr_hit_update(gpci_rpr_history *history, uint32_t signature, uint32_t distance) {
    gpci_rpr_entry *e = find_or_make(history, signature);
    e->distance_sum = at_most(e->distance_sum + distance, DISTANCE_FULL);
    e->reuses++;
    average_if_full(e);
}

void gpci_rpr_miss_update(gpci_rpr_history *history, uint32_t signature) {
    gpci_rpr_entry *e = find_or_make(history, signature);
    e->fetches++;
    average_if_full(e);
}
