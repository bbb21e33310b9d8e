/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_FUTURE_H
#define GPC_LEVEL_FUTURE_H

#include "level/rules/hierarchy.h"

/*
 * Future accesses of every L1 of a functional hierarchy within a kernel. In a functional replay, neither the order of
 * warps nor their accesses depend on caches. A kernel can therefore first run dry to record its line transactions, and
 * then run with next_use known for every request.
 *
 * The next use of a line is the next transaction that can hit the line and that would fetch it on a miss: a load, a
 * prefetch, an allocating store. Evicting stores and atomics end the line: no use follows them. Other stores have no
 * effect.
 *
 * Example, L1 that stores evict from:    load A   load B   load A   store A   load A
 * next uses                              2        never    never    4         never
 */

/* Transactions of an SM. While recording: line and kind; afterwards: next use of the line. */
typedef struct gpci_future_sm {
    uint64_t *entries; /* [capacity] */
    size_t count, capacity;
    size_t at;     /* index of the next transaction */
    uint64_t base; /* number of transactions of earlier kernels; numbers continue */
} gpci_future_sm;

struct gpci_future {
    gpc_context *context;
    gpci_future_sm *sms; /* [sm_count] */
    uint32_t sm_count;
};

gpc_status gpci_future_create(gpc_context *context, uint32_t sms, gpc_error *error, gpci_future **out);
void gpci_future_destroy(gpci_future *future);
/* Begin a kernel. */
void gpci_future_forget(gpci_future *future);
/* Record a warp access of gpc_hierarchy_access. GPC_ERROR_MEMORY. */
gpc_status gpci_future_record(gpci_future *future, const gpc_hierarchy *hierarchy, const gpc_warp_access *access);
/* Compute next uses once the kernel is recorded. GPC_ERROR_MEMORY. */
gpc_status gpci_future_resolve(gpci_future *future);

/* Return next_use of the SM's next transaction through L1. */
GPCI_INLINE uint64_t gpci_future_next(gpci_future *future, uint32_t sm) {
    gpci_future_sm *future_sm = &future->sms[sm];
    return future_sm->at < future_sm->count ? future_sm->entries[future_sm->at++] : UINT64_MAX;
}

#endif
