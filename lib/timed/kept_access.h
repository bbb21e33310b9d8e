/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_KEPT_ACCESS_H
#define GPC_TIMED_KEPT_ACCESS_H

#include "base/archive.h"
#include "level/values.h"
#include "timed/timed.h"

/*
 * Warp accesses that carry values (coherence.data), from when they are accepted until they are done: of which lanes,
 * and what these have found so far. That is kept here, and goes to the host when the access completes: so that a
 * snapshot has all of it, and one that was loaded needs nothing of the memory that the access was issued from.
 */
struct gpci_kept_access {
    struct {
        uint32_t count, width, op; /* as of gpci_lanes */
        bool finds;                /* a load, or an atomic with an operation; it is not done */
        bool bytes, compare;       /* it came with these */
    } shape;
    uint8_t *out; /* the host's; NULL */
    uint64_t addresses[GPCI_MAX_LANES];
    uint8_t found[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES];
};

/* Room for one of each flight that there is room for. GPC_ERROR_MEMORY. */
gpc_status gpci_kept_reserve(gpci_timed *t);
/* A warp access has been accepted, as this flight. */
void gpci_kept_keep(gpci_timed *t, uint32_t flight, const gpc_warp_access *access);
/* A flight is done, of a warp access or not: what it has found goes to its host. */
GPCI_COLD void gpci_kept_done(gpci_timed *t, uint32_t flight, gpc_completion *completion);
void gpci_kept_free(gpci_timed *t);
void gpci_kept_archive(gpci_timed *t, gpci_archive *archive);

/* Its lanes, without what they write: `out` receives what they find. */
GPCI_INLINE gpci_lanes gpci_kept_lanes(const gpci_timed *t, uint32_t flight) {
    gpci_kept_access *kept = &t->kept[flight];
    return (gpci_lanes){.addresses = kept->addresses,
                        .out = kept->shape.finds ? kept->found : NULL,
                        .count = kept->shape.count,
                        .width = kept->shape.width,
                        .op = kept->shape.op};
}

#endif
