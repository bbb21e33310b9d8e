/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rpr_history.h"

#define DISTANCE_FULL 2047u
#define REUSES_FULL 255u
#define FETCHES_FULL 31u
#define AVERAGE_FULL 15u

static uint32_t at_most(uint32_t value, uint32_t limit) {
    return value < limit ? value : limit;
}

static gpci_rpr_entry *find_or_make(gpci_rpr_history *history, uint32_t signature) {
    uint32_t place = history->places[signature];
    if (place)
        return &history->entries[place - 1];
    place = history->next;
    history->next = (uint16_t)((place + 1) % GPCI_RPR_ENTRIES);
    if (history->used == GPCI_RPR_ENTRIES)
        history->places[history->signatures[place]] = 0;
    else
        history->used++;
    history->places[signature] = (uint16_t)(place + 1);
    history->signatures[place] = (uint16_t)signature;
    history->entries[place] = (gpci_rpr_entry){0};
    return &history->entries[place];
}

static void average_if_full(gpci_rpr_entry *entry) {
    if (entry->distance_sum < DISTANCE_FULL && entry->reuses < REUSES_FULL && entry->fetches < FETCHES_FULL)
        return;
    uint32_t distance = entry->reuses ? at_most(entry->distance_sum / entry->reuses, AVERAGE_FULL) : AVERAGE_FULL;
    uint32_t count = entry->fetches ? at_most(entry->reuses / entry->fetches, AVERAGE_FULL) : AVERAGE_FULL;
    *entry = (gpci_rpr_entry){.average_count = count, .average_distance = distance ? distance : 1};
}

void gpci_rpr_hit_update(gpci_rpr_history *history, uint32_t signature, uint32_t distance) {
    gpci_rpr_entry *entry = find_or_make(history, signature);
    entry->distance_sum = at_most(entry->distance_sum + distance, DISTANCE_FULL);
    entry->reuses++;
    average_if_full(entry);
}

void gpci_rpr_miss_update(gpci_rpr_history *history, uint32_t signature) {
    gpci_rpr_entry *entry = find_or_make(history, signature);
    entry->fetches++;
    average_if_full(entry);
}
