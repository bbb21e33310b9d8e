/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_KEPT_ACCESS_H
#define GPC_TIMED_KEPT_ACCESS_H

#include "base/archive.h"
#include "level/access/values.h"
#include "timed/core/timed.h"

/*
 * Warp accesses with values (coherence.data), from acceptance to completion: their lanes, and the values found so far.
 * Values are kept here and go to the host at completion; a snapshot has all values, and after loading needs no memory
 * of the issuer.
 */
struct gpci_kept_access {
    struct {
        uint32_t count, width, op; /* as in gpci_lanes */
        bool finds;                /* a load, or an atomic with an operation; not done yet */
        bool bytes, compare;       /* the access has gpc_warp_access.bytes, or .compare */
    } shape;
    uint8_t *out; /* host's memory for the values found; or NULL */
    uint64_t addresses[GPCI_MAX_LANES];
    uint8_t found[GPCI_MAX_LANES * GPCI_MAX_LANE_BYTES];
};

/* Make room for a kept access per in-flight access. GPC_ERROR_MEMORY. */
gpc_status gpci_kept_reserve(gpci_timed *timed);
/* Keep a warp access accepted as this in-flight access. */
void gpci_kept_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access);
/* An in-flight access is done (a warp access or not): give the values found to the host. */
GPCI_COLD void gpci_kept_done(gpci_timed *timed, uint32_t inflight, gpc_completion *completion);
void gpci_kept_free(gpci_timed *timed);
void gpci_kept_archive(gpci_timed *timed, gpci_archive *archive);

/* Lanes of an in-flight access, without the values they write: `out` receives the values found. */
GPCI_INLINE gpci_lanes gpci_kept_lanes(const gpci_timed *timed, uint32_t inflight) {
    gpci_kept_access *kept = &timed->kept[inflight];
    return (gpci_lanes){.addresses = kept->addresses,
                        .out = kept->shape.finds ? kept->found : NULL,
                        .count = kept->shape.count,
                        .width = kept->shape.width,
                        .op = kept->shape.op};
}

#endif
