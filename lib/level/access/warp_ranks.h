/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_WARP_RANKS_H
#define GPC_LEVEL_WARP_RANKS_H

#include "base/archive.h"
#include "level/rules/hierarchy.h"

/*
 * Age (rank) of a warp: number of older running warps of the same SM. A warp that starts is the youngest. When a warp
 * exits, the rank of every younger warp falls by 1.
 *
 * Example: warps in slots 4, 0, 7 start: ages 0, 1, 2. Slot 0 exits: slot 7 has age 1. Slot 0 starts again: age 2.
 */

/* Rank of a warp after the exit of a warp of rank `gone`. */
GPCI_INLINE uint16_t gpci_rank_after(uint16_t rank, uint16_t gone) {
    return (uint16_t)(rank - (rank > gone));
}

/* Ranks of an SM, kept for a host (gpc_hierarchy_rank_warps). */
typedef struct gpci_warp_ranks {
    uint16_t *ranks; /* [slots] rank of the warp in the slot; GPCI_NOT_RUNNING: no warp runs */
    uint32_t slots, running;
} gpci_warp_ranks;

#define GPCI_NOT_RUNNING UINT16_MAX

GPCI_INLINE uint32_t gpci_warp_rank(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp) {
    const gpci_warp_ranks *ranks = &hierarchy->warp_ranks[sm];
    return warp < ranks->slots ? ranks->ranks[warp] : GPCI_NOT_RUNNING;
}

/* Set the age of a request to the rank of its warp. If the warp does not run, the age does not change. */
GPCI_INLINE void gpci_warp_rerank(const gpc_hierarchy *hierarchy, gpc_request *request) {
    const uint32_t rank = gpci_warp_rank(hierarchy, request->sm, request->warp);
    request->warp_age = rank == GPCI_NOT_RUNNING ? request->warp_age : rank;
}

/* Start or end a ranked warp. GPC_ERROR_ARGUMENT: already running, or not running; GPC_ERROR_MEMORY. */
gpc_status gpci_warp_ranks_event(gpc_hierarchy *hierarchy, const gpc_warp_event *event, gpc_error *error);
void gpci_warp_ranks_destroy(gpc_hierarchy *hierarchy);
void gpci_warp_ranks_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

#endif
