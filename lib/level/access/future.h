/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_FUTURE_H
#define GPC_LEVEL_FUTURE_H

#include "level/rules/hierarchy.h"

/*
 * Future accesses of every L1 of a functional hierarchy within a kernel. In a functional replay, neither the order of
 * warps nor their accesses depend on caches. Therefore a kernel runs twice. The first run only records the line
 * transactions. In the second run every request has the next use of its line (next_use).
 *
 * The next use of a line is the number of the next transaction that can hit the line, and that fetches the line on a
 * miss: a load, a prefetch, or a store that allocates. A store that evicts the line, and an atomic, end the line: a
 * transaction before them has no next use. Other stores have no effect.
 *
 * Example, stores evict from L1. Transactions 0 to 4:    load A   load B   load A   store A   load A
 * next uses:                                             2        never    never    4         never
 */

/*
 * Transactions of an SM. Until gpci_future_resolve, an entry is the line and the kind of a transaction; afterwards, an
 * entry is the next use of the line.
 */
typedef struct gpci_future_sm {
    uint64_t *entries; /* [capacity] */
    size_t count, capacity;
    size_t at;     /* index of the transaction that gpci_future_next returns next */
    uint64_t base; /* number of transactions of all earlier kernels: the number of this kernel's first transaction */
} gpci_future_sm;

struct gpci_future {
    gpc_context *context;
    gpci_future_sm *sms; /* [sm_count] */
    uint32_t sm_count;
};

gpc_status gpci_future_create(gpc_context *context, uint32_t sms, gpc_error *error, gpci_future **out);
void gpci_future_destroy(gpci_future *future);
/* Begin a kernel: forget the entries of the kernel before. */
void gpci_future_forget(gpci_future *future);
/* Record the L1 transactions of a warp access. GPC_ERROR_MEMORY. */
gpc_status gpci_future_record(gpci_future *future, const gpc_hierarchy *hierarchy, const gpc_warp_access *access);
/* Compute next uses once the kernel is recorded. GPC_ERROR_MEMORY. */
gpc_status gpci_future_resolve(gpci_future *future);

/* Return next_use of the SM's next transaction through L1. */
GPCI_INLINE uint64_t gpci_future_next(gpci_future *future, uint32_t sm) {
    gpci_future_sm *future_sm = &future->sms[sm];
    return future_sm->at < future_sm->count ? future_sm->entries[future_sm->at++] : UINT64_MAX;
}

#endif
