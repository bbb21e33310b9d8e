/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_KERNELS_H
#define GPC_LEVEL_KERNELS_H

#include "base/archive.h"
#include "cache/cache.h"
#include "level/rules/hierarchy.h"

#include <gpucache/ext/policies.h>
#include <gpucache/hierarchy.h>

/*
 * Allocate the state of concurrent kernels, if the configuration allows them. GPC_ERROR_UNSUPPORTED, GPC_ERROR_MEMORY.
 */
gpc_status gpci_kernels_create(gpc_hierarchy *hierarchy, gpc_error *error);
void gpci_kernels_destroy(gpc_hierarchy *hierarchy);
/*
 * gpci_kernels_begin: give a kernel its number, count the launch, and inform L2's tokens. L1s are unchanged.
 * gpci_kernels_finish: end the kernel of a stream.
 */
void gpci_kernels_begin(gpc_hierarchy *hierarchy, uint32_t stream, const gpc_launch *launch,
                        const gpci_l1_share *share);
void gpci_kernels_finish(gpc_hierarchy *hierarchy, uint32_t stream);
/*
 * Prepare the L1s of the SMs in `sms`, on which no kernel runs, for a new kernel: set the share, and empty the L1s as
 * `kernels.flush` says. `all`: the hierarchy is idle, and all caches are emptied. GPC_BUSY: an L1 has accesses in
 * flight. GPC_ERROR_MEMORY. After GPC_BUSY or GPC_ERROR_MEMORY the caches are unchanged.
 */
gpc_status gpci_kernels_prepare(gpc_hierarchy *hierarchy, const uint64_t *sms, const gpci_l1_share *share, bool all,
                                gpc_error *error);
/* Inform the policies of an SM's L1 that a kernel begins or ends on the SM. */
void gpci_kernels_tell(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t kernel, gpc_warp_event_kind kind);
/* True if an L1 has the same sets, ways and lines with both shares. */
bool gpci_is_shape(const gpci_l1_share *left, const gpci_l1_share *right);
/* True if all L1s have equal shares, as a sequential kernel needs. */
bool gpci_kernels_uniform(const gpc_hierarchy *hierarchy);
/* Set the share of all L1s. */
void gpci_kernels_shared(gpc_hierarchy *hierarchy, const gpci_l1_share *share);
/* Save or load the state of concurrent kernels. Before a load, all L1s must have the share hierarchy->share. */
void gpci_kernels_archive(gpc_hierarchy *hierarchy, gpci_archive *archive);

/* launch.c: resources of an SM taken by a block. */
typedef struct gpci_block_needs {
    uint32_t warps;
    uint64_t registers, shared;
} gpci_block_needs;
gpci_block_needs gpci_launch_needs(const gpc_hierarchy *hierarchy, const gpc_launch *launch);
#ifdef GPCI_CHECK
/* Compute gpc_hierarchy_occupancy in another way, for the checking build: add blocks until a block does not fit. */
uint32_t gpci_launch_occupancy_again(const gpc_hierarchy *hierarchy, const gpc_launch *launch);
#endif

#endif
