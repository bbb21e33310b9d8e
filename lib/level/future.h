/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_FUTURE_H
#define GPC_LEVEL_FUTURE_H

#include "level/hierarchy.h"

/*
 * What each L1 of a functional hierarchy will be asked for in a kernel. In a functional replay neither the order of
 * warps nor what they ask for depends on the caches: a kernel can be run dry first, its line transactions recorded,
 * and then run with every request's next_use known.
 *
 * The next use of a line is the next transaction that could hit it where a miss would fetch it: a load, a prefetch,
 * a store that allocates. A store that evicts and an atomic end the line: no use follows them, whatever comes. Other
 * stores pass it by.
 *
 * Example, L1 that stores evict from:    load A   load B   load A   store A   load A
 * next uses                              2        never    never    4         never
 */

/* An SM's transactions: while they are recorded, line and sort; then when the line is used next. */
typedef struct gpci_future_sm {
    uint64_t *entries; /* [capacity] */
    size_t count, capacity;
    size_t at;     /* of the transaction to come */
    uint64_t base; /* transactions of earlier kernels: numbers go on */
} gpci_future_sm;

struct gpci_future {
    gpc_context *context;
    gpci_future_sm *sms; /* [sm_count] */
    uint32_t sm_count;
};

gpc_status gpci_future_create(gpc_context *context, uint32_t sms, gpc_error *error, gpci_future **out);
void gpci_future_destroy(gpci_future *future);
/* A kernel begins. */
void gpci_future_forget(gpci_future *future);
/* A warp access that gpc_hierarchy_access will make. GPC_ERROR_MEMORY. */
gpc_status gpci_future_record(gpci_future *future, const gpc_hierarchy *h, const gpc_warp_access *access);
/* All of the kernel is recorded. GPC_ERROR_MEMORY. */
gpc_status gpci_future_resolve(gpci_future *future);

/* next_use of the SM's next transaction through L1. */
GPCI_INLINE uint64_t gpci_future_next(gpci_future *future, uint32_t sm) {
    gpci_future_sm *s = &future->sms[sm];
    return s->at < s->count ? s->entries[s->at++] : UINT64_MAX;
}

#endif
