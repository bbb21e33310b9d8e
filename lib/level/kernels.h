/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_KERNELS_H
#define GPC_LEVEL_KERNELS_H

#include "base/archive.h"
#include "level/hierarchy.h"

#include <gpucache/hierarchy.h>

/* Kernels that run at once, by stream (hierarchy/kernels.c). What is known of each SM's L1 is here, too. */
typedef struct gpci_kernels {
    uint32_t running;
    uint32_t words;        /* of a bitmap of SMs */
    uint32_t *of_stream;   /* [streams] number of the kernel that runs there; 0: none */
    uint64_t *sms;         /* [streams][words] that it was started on; none by gpci_kernels_begin */
    gpci_l1_share *shares; /* [sms] of a unified memory that L1s have */
} gpci_kernels;

/* Number of the kernel that an access of a stream is of. */
GPCI_INLINE uint32_t gpci_kernel_of(const gpc_hierarchy *h, uint8_t stream) {
    const gpci_kernels *k = h->kernels;
    return GPCI_UNLIKELY(k && k->running && k->of_stream[stream]) ? k->of_stream[stream] : h->kernel;
}

/* Can there be kernels at once? Then what they need is there. GPC_ERROR_UNSUPPORTED, GPC_ERROR_MEMORY. */
gpc_status gpci_kernels_create(gpc_hierarchy *h, gpc_error *error);
void gpci_kernels_destroy(gpc_hierarchy *h);
/* A kernel begins, with number, counters and L2's policies; L1s are untouched. It ends. */
void gpci_kernels_begin(gpc_hierarchy *h, uint32_t stream, const gpc_launch *launch, const gpci_l1_share *share);
void gpci_kernels_finish(gpc_hierarchy *h, uint32_t stream);
/*
 * L1s of these SMs, which run nothing, become a kernel's: of that share, and empty. GPC_BUSY where one of them has
 * something under way; GPC_ERROR_MEMORY; then all are as they were.
 */
gpc_status gpci_kernels_prepare(gpc_hierarchy *h, const uint64_t *sms, const gpci_l1_share *share, gpc_error *error);
/* Tell an L1's policies that the stream's kernel begins or ends there. */
void gpci_kernels_tell(gpc_hierarchy *h, uint32_t sm, uint32_t kernel, gpc_warp_event_kind kind);
/* One kernel at a time begins: have all L1s the same share, `share` or another? */
bool gpci_kernels_uniform(const gpc_hierarchy *h);
/* All L1s have this share. */
void gpci_kernels_shared(gpc_hierarchy *h, const gpci_l1_share *share);
/* In a snapshot; loading: L1s are of the hierarchy's share. */
void gpci_kernels_archive(gpc_hierarchy *h, gpci_archive *archive);

/* launch.c: what a block takes of an SM. */
typedef struct gpci_block_needs {
    uint32_t warps;
    uint64_t registers, shared;
} gpci_block_needs;
gpci_block_needs gpci_launch_needs(const gpc_hierarchy *h, const gpc_launch *launch);

#endif
