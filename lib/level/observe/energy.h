/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_ENERGY_H
#define GPC_LEVEL_ENERGY_H

#include "config/config.h"
#include "stats/stats.h"

/*
 * Energies: an energy is a counter of events times the cost of an event (keys energy.*). Energies are computed when
 * statistics are read; nothing is counted for energies.
 */
typedef struct gpci_energy {
    uint32_t id;    /* counter id of the energy */
    gpci_key key;   /* key of the cost: pJ per event; energy.static: W */
    uint32_t of;    /* counter of the events */
    uint32_t other; /* counter added to the events, or, with `less`, subtracted; 0: none */
    bool less;
} gpci_energy;

/* All energies with a key. */
const gpci_energy *gpci_energies(size_t *out_count);
/* True if the configuration sets the cost (energy->key). */
bool gpci_energy_is_set(const gpc_config *config, const gpci_energy *energy);
/* True for static power, which is multiplied by time. */
bool gpci_energy_is_static(const gpci_energy *energy);
/*
 * Compute all energies in `stats` from the counters in `stats`. An energy without a cost is 0. `unfilled`: number of
 * sectors fetched by L1s that fill no line, or not yet (gpci_unfilled_sectors).
 */
void gpci_energy_of(const gpc_config *config, uint64_t unfilled, gpc_stats *stats);

#endif
