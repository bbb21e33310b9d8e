/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREFETCHER_STRIDES_H
#define GPC_POLICIES_PREFETCHER_STRIDES_H

#include "policies/prefetcher/prefetchers.h"

/*
 * Reference prediction table (Chen and Baer, IEEE Transactions on Computers 44(5), 1995). For a load instruction, of
 * one warp or of all warps: the last address, and the difference to the address before. After `steady` equal strides in
 * a row an entry is trained. Fully associative, LRU.
 *
 * Example, steady = 2: 100, 200, 300 are strides 100 and 100: trained at the third read; 350 begins anew with 50.
 */
typedef struct gpci_stride {
    uint64_t pc, address;
    uint64_t used; /* time of the last lookup; 0 = free */
    int64_t stride;
    uint32_t warp; /* UINT32_MAX = all warps together */
    uint32_t run;  /* equal strides in a row, at most `steady` */
} gpci_stride;

typedef struct gpci_strides {
    gpci_stride *all; /* [count] */
    uint32_t count, steady;
    uint64_t clock;
} gpci_strides;

/* Fails with GPC_ERROR_MEMORY. */
gpc_status gpci_strides_init(gpci_strides *strides, gpc_context *context, uint32_t count, uint32_t steady);
void gpci_strides_finish(gpci_strides *strides, gpc_context *context);
gpci_stride *gpci_strides_find(gpci_strides *strides, uint64_t pc, uint32_t warp);
/* Record a read of `address` by the load. Returns the load's entry, which may be new. */
gpci_stride *gpci_strides_learn(gpci_strides *strides, uint64_t pc, uint32_t warp, uint64_t address);
/* Cost of the table in bits; an entry has pc, warp (`warp_bits` bits, 0 = no warp), address, stride, run, LRU place. */
uint64_t gpci_strides_bits(uint32_t count, uint32_t steady, uint32_t warp_bits);
void gpci_strides_state(gpci_strides *strides, gpc_state_fn visit, void *visit_data);

GPCI_INLINE bool gpci_stride_is_trained(const gpci_strides *strides, const gpci_stride *entry) {
    return entry && entry->run >= strides->steady && entry->stride;
}

/*
 * Bytes from a load's line to the line to fetch: `distance` strides, but at least the size of a line, because a smaller
 * step may stay in the load's own line. The number of bytes is the same for each line of the load's instruction.
 */
GPCI_INLINE uint64_t gpci_stride_ahead(int64_t stride, uint32_t distance, uint32_t line_bytes) {
    const int64_t ahead = stride * (int64_t)distance, line = (int64_t)line_bytes;
    return (uint64_t)(ahead >= line || ahead <= -line ? ahead : ahead < 0 ? -line : line);
}

#endif
