/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_VALUES_H
#define GPC_LEVEL_VALUES_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/*
 * Values of accesses (coherence.data): bytes move between the lanes of a warp and cache lines. The values of a line
 * cover the bytes from the first touched byte to the last touched byte of the line. `mask` marks the touched bytes.
 */
#define GPCI_VALUE_BYTES 128u

typedef struct gpci_line_values {
    uint8_t bytes[GPCI_VALUE_BYTES];    /* bytes of the line */
    uint8_t mask[GPCI_VALUE_BYTES / 8]; /* bit 0: the first touched byte */
} gpci_line_values;

/* Mask of written bytes for a store request of `size` bytes (gpc_coherence_request.mask). NULL: all are written. */
const uint8_t *gpci_values_mask(const gpci_line_values *values, uint32_t size);

/*
 * Active lanes of a gpc_warp_access. `op` is the field `atomic` of gpc_warp_access. An access with local_offsets
 * carries no values (gpci_local_wrong): `count` is 0.
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
 * Collect in `values` the bytes that the lanes write to a line, and point the request to `values`. A load will put the
 * read bytes into `values`.
 */
void gpci_values_gather(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, gpc_coherence_request *request,
                        gpci_line_values *values);
/* Copy the bytes that a load has read from a line to the lanes. */
void gpci_values_scatter(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpci_line_values *values);

/*
 * gpci_values_atomics: collect the lanes' atomic operations on a line. `atomics` receives at most one operation per
 * lane, in order of lanes. Returns the number of operations.
 * gpci_values_found: after the operations, copy the old values to the lanes.
 */
uint32_t gpci_values_atomics(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes,
                             gpc_coherence_request *request, gpc_atomic *atomics);
void gpci_values_found(const gpci_lanes *lanes, uint64_t line, uint32_t line_bytes, const gpc_atomic *atomics);

#define GPCI_MAX_LANES 64u      /* lanes of a warp: number of bits of gpc_warp_access.mask */
#define GPCI_MAX_LANE_BYTES 64u /* gpc_warp_access.width */

#endif
