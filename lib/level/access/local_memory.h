/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_LOCAL_MEMORY_H
#define GPC_LEVEL_LOCAL_MEMORY_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/*
 * Addresses of the local memory of all threads that the GPU can hold. As in GPGPU-Sim, word 0 of all threads comes
 * first, then word 1 of all threads (gpucache/hierarchy.h).
 *
 * Example, 2 SMs with 2 warps of 32 lanes: 128 threads. Let L be GPCI_LOCAL_MEMORY, 2^56 + 2^55. Word 0 of SM 0's two
 * warps is in the lines L and L + 128. Word 0 of SM 1's two warps is in the next two lines. Word 1 of all threads
 * begins at L + 512. Code is at lower addresses, from 2^56 on (level/access/l15.h).
 *
 * NVIDIA's hardware has another layout: a region for each warp. The size of a region follows from the local bytes of a
 * thread, and traces do not give this size: their offsets count down from the end of a window of 16 MiB. If each
 * thread's part were as large as the window, regions would be a power of two apart, and all regions would begin in the
 * same set of a cache.
 */
#define GPCI_LOCAL_MEMORY ((uint64_t)3 << 55)

/* Address of the byte `offset` in the local memory of a thread. `sm`, `warp` and `lane` must be in range. */
uint64_t gpci_local_address(const gpc_hierarchy *hierarchy, uint32_t sm, uint32_t warp, uint32_t lane, uint64_t offset);

/* Address of the byte `offset` in the local memory of an access's lane, with the process (gpc_process_address). */
GPCI_INLINE uint64_t gpci_local_address_of(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t lane,
                                           uint64_t offset) {
    return gpc_process_address(access->process, gpci_local_address(hierarchy, access->sm, access->warp, lane, offset));
}

/* Number of 32-bit words that a lane of `width` bytes accesses. */
GPCI_INLINE uint32_t gpci_local_words(uint32_t width) {
    return (width + 3) / 4;
}

/* Reason why an access by offsets (gpc_warp_access.local_offsets) is invalid; NULL: valid. */
const char *gpci_local_wrong(const gpc_hierarchy *hierarchy, const gpc_warp_access *access);

/* gpci_coalesce for an access by offsets in local memory. With `by_lane`, each lane has transactions of its own. */
uint32_t gpci_local_lines(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, bool by_lane,
                          unsigned line_shift, gpci_transaction *lines);

#endif
