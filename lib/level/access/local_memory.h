/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_LOCAL_MEMORY_H
#define GPC_LEVEL_LOCAL_MEMORY_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/*
 * Local memory of all threads a GPU can hold. The rule is GPGPU-Sim's: gpucache/hierarchy.h.
 *
 * Example, 2 SMs of 2 warps of 32 lanes, so 128 threads, with L = 2^56 + 2^55: word 0 of SM 0's warps is the lines L
 * and L + 128, word 0 of SM 1's warps the next two lines, and word 1 begins at L + 512. Code begins at 2^56
 * (level/access/l15.h).
 *
 * NVIDIA's hardware has another layout: a region per warp. Regions need the bytes per thread, and traces do not give
 * this size: offsets count down from the end of a window of 16 MiB. Regions as large as the window would be a power of
 * two apart, and would begin in one set of a cache.
 */
#define GPCI_LOCAL_MEMORY ((uint64_t)3 << 55)

/* The address of a byte of a thread. SM, warp and lane are in range. */
uint64_t gpci_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane, uint64_t offset);

/* The address of a byte of an access's lane, with the process (gpc_process_address). */
GPCI_INLINE uint64_t gpci_local_address_of(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t lane,
                                           uint64_t offset) {
    return gpc_process_address(access->process, gpci_local_address(hierarchy, access->sm, access->warp, lane, offset));
}

/* 32-bit words of a lane of `width` bytes. */
GPCI_INLINE uint32_t gpci_local_words(uint32_t width) {
    return (width + 3) / 4;
}

/* The fault of an access whose addresses are offsets of threads; NULL: the access is well formed. */
const char *gpci_local_wrong(const gpc_hierarchy *hierarchy, const gpc_warp_access *access);

/* As gpci_coalesce, for offsets of threads. With `by_lane` no two lanes share a transaction. */
uint32_t gpci_local_lines(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, bool by_lane,
                          unsigned line_shift, gpci_transaction *lines);

#endif
