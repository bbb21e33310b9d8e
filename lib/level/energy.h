/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_ENERGY_H
#define GPC_LEVEL_ENERGY_H

#include "config/config.h"
#include "stats/stats.h"

/*
 * Energy: counters that are there anyway, times what an event costs by the keys energy.*. It is computed when
 * statistics are asked for; nothing is counted for it.
 */
typedef struct gpci_energy {
    uint32_t id;    /* the energy, */
    gpci_key key;   /* pJ of an event; of energy.static W, */
    uint32_t of;    /* the counter of these events, */
    uint32_t other; /* and one that is added to it, or taken from it; 0: none */
    bool less;
} gpci_energy;

/* Those with a key. */
const gpci_energy *gpci_energies(size_t *out_count);
/* Does the configuration say what it costs? */
bool gpci_energy_is_set(const gpc_config *config, const gpci_energy *energy);
/* Is it the power, by time? */
bool gpci_energy_is_static(const gpci_energy *energy);
/* Write all energies of what the statistics have counted; 0 where the configuration does not say what it costs. */
void gpci_energy_of(const gpc_config *config, gpc_stats *stats);

#endif
