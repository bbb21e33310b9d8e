/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREFETCHER_STRIDES_H
#define GPC_POLICIES_PREFETCHER_STRIDES_H

#include "policies/prefetcher/prefetchers.h"

/*
 * A reference prediction table (Chen and Baer, IEEE Transactions on Computers 44(5), 1995): for a load instruction, of
 * one warp or of all, where it last read and by how much that differed from the time before. After `steady` equal
 * strides in a row an entry is trained. Fully associative, LRU.
 *
 * Example, steady = 2: 100, 200, 300 are strides 100 and 100: trained at the third read; 350 begins anew with 50.
 */
typedef struct gpci_stride {
    uint64_t pc, address;
    uint64_t used; /* when last looked up; 0 = free */
    int64_t stride;
    uint32_t warp; /* or UINT32_MAX, of all warps */
    uint32_t run;  /* equal strides so far, to `steady` */
} gpci_stride;

typedef struct gpci_strides {
    gpci_stride *all; /* [count] */
    uint32_t count, steady;
    uint64_t clock;
} gpci_strides;

/* GPC_ERROR_MEMORY. */
gpc_status gpci_strides_init(gpci_strides *strides, gpc_context *context, uint32_t count, uint32_t steady);
void gpci_strides_finish(gpci_strides *strides, gpc_context *context);
gpci_stride *gpci_strides_find(gpci_strides *strides, uint64_t pc, uint32_t warp);
/* It reads at `address`. Returns its entry, which may be new. */
gpci_stride *gpci_strides_learn(gpci_strides *strides, uint64_t pc, uint32_t warp, uint64_t address);
/* Of an entry's storage: pc, warp (of `warps` bits, 0 = none), address, stride, run, LRU. */
uint64_t gpci_strides_bits(uint32_t count, uint32_t steady, uint32_t warp_bits);
void gpci_strides_state(gpci_strides *strides, gpc_state_fn visit, void *visit_data);

GPCI_INLINE bool gpci_stride_is_trained(const gpci_strides *strides, const gpci_stride *entry) {
    return entry && entry->run >= strides->steady && entry->stride;
}

/*
 * How far ahead of a load to fetch: `distance` strides, but a line at least, for less would be the load's own. Each of
 * its instruction's lines will be needed that far away.
 */
GPCI_INLINE uint64_t gpci_stride_ahead(int64_t stride, uint32_t distance, uint32_t line_bytes) {
    const int64_t ahead = stride * (int64_t)distance, line = (int64_t)line_bytes;
    return (uint64_t)(ahead >= line || ahead <= -line ? ahead : ahead < 0 ? -line : line);
}

#endif
