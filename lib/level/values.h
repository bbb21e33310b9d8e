/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_VALUES_H
#define GPC_LEVEL_VALUES_H

#include "level/coalesce.h"
#include "level/hierarchy.h"

/*
 * Values that accesses carry (coherence.data), between a warp's lanes and lines. A line's values are those of its
 * bytes from the first to the last that the access touches, as an access of the tree carries them; `mask` says which
 * of them it touches.
 */
#define GPCI_VALUE_BYTES 128u

typedef struct gpci_line_values {
    uint8_t bytes[GPCI_VALUE_BYTES]; /* of the line, from its first byte on */
    uint8_t mask[GPCI_VALUE_BYTES / 8];
} gpci_line_values;

/* Which of the first `size` bytes a store writes, as a request says it: NULL for all. */
const uint8_t *gpci_values_mask(const gpci_line_values *values, uint32_t size);

/*
 * Of which lanes these are; pointers, `width` and `op` (`atomic`) as in gpc_warp_access. Offsets of threads carry no
 * values (gpci_local_wrong), and so have no lanes here.
 */
typedef struct gpci_lanes {
    const uint64_t *addresses;
    const uint8_t *bytes, *compare;
    uint8_t *out;
    uint32_t count, width, op;
} gpci_lanes;

GPCI_INLINE uint32_t gpci_value_lanes(const gpc_warp_access *w) {
    return w->local_offsets ? 0 : gpci_popcount(w->mask);
}

GPCI_INLINE gpci_lanes gpci_lanes_of(const gpc_warp_access *w) {
    return (gpci_lanes){w->addresses, w->bytes, w->compare, w->out, gpci_value_lanes(w), w->width, w->atomic};
}

/* What lanes write to a line, and the request that carries it; a load's request has room for what it reads. */
void gpci_values_gather(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, gpc_coherence_request *request,
                        gpci_line_values *values);
/* What has been read of a line, to the lanes. */
void gpci_values_scatter(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpci_line_values *values);

/*
 * The same of lanes with an operation, each of which is one atomic; what they have found goes back to the lanes.
 *   atomics  receives those of lanes in this line, in their order: as many as lanes, at most
 * gpci_values_atomics returns their number.
 */
uint32_t gpci_values_atomics(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes,
                             gpc_coherence_request *request, gpc_atomic *atomics);
void gpci_values_found(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpc_atomic *atomics);

#define GPCI_MAX_LANES 64u      /* of a warp: gpc_warp_access.mask has as many bits */
#define GPCI_MAX_LANE_BYTES 64u /* gpc_warp_access.width */

#endif
