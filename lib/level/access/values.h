/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_VALUES_H
#define GPC_LEVEL_VALUES_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/*
 * Values carried by accesses (coherence.data), between a warp's lanes and lines. Values of a line cover the bytes from
 * the first to the last touched, as in an access of the tree; `mask` marks the touched bytes.
 */
#define GPCI_VALUE_BYTES 128u

typedef struct gpci_line_values {
    uint8_t bytes[GPCI_VALUE_BYTES]; /* bytes of the line, from the first touched on */
    uint8_t mask[GPCI_VALUE_BYTES / 8];
} gpci_line_values;

/* Mask of the first `size` bytes a store writes, in the form of a request: NULL for all. */
const uint8_t *gpci_values_mask(const gpci_line_values *values, uint32_t size);

/*
 * Lanes with their pointers, `width` and `op` (`atomic`) as in gpc_warp_access. Offsets of threads carry no values
 * (gpci_local_wrong), so they have no lanes here.
 */
typedef struct gpci_lanes {
    const uint64_t *addresses;
    const uint8_t *bytes, *compare;
    uint8_t *out;
    uint32_t count, width, op;
} gpci_lanes;

GPCI_INLINE uint32_t gpci_value_lanes(const gpc_warp_access *access) {
    return access->local_offsets ? 0 : gpci_popcount(access->mask);
}

GPCI_INLINE gpci_lanes gpci_lanes_of(const gpc_warp_access *access) {
    return (gpci_lanes){access->addresses,        access->bytes, access->compare, access->out,
                        gpci_value_lanes(access), access->width, access->atomic};
}

/*
 * Collect the bytes lanes write to a line in `values`, and set up the request; a load's request gets room for the bytes
 * read.
 */
void gpci_values_gather(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, gpc_coherence_request *request,
                        gpci_line_values *values);
/* Copy the bytes read from a line to the lanes. */
void gpci_values_scatter(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpci_line_values *values);

/*
 * Collect the lanes' atomic operations on a line; gpci_values_found: return the old values to the lanes.
 *   atomics  receives the operations of lanes in this line, in order of lanes: at most one per lane
 * gpci_values_atomics returns their number.
 */
uint32_t gpci_values_atomics(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes,
                             gpc_coherence_request *request, gpc_atomic *atomics);
void gpci_values_found(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpc_atomic *atomics);

#define GPCI_MAX_LANES 64u      /* lanes of a warp: number of bits of gpc_warp_access.mask */
#define GPCI_MAX_LANE_BYTES 64u /* gpc_warp_access.width */

#endif
