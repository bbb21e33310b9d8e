/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_CLUSTERS_H
#define GPC_REPLAY_CLUSTERS_H

#include "replay/replay.h"

/*
 * Clusters of thread blocks (NVIDIA: from compute capability 9.0 on). The blocks of one start in the same cycle, on SMs
 * of one GPC, for they read each other's shared memory and wait for each other ("Thread Block Clusters" of the CUDA C++
 * Programming Guide). A GPC is what shares an L2 request coalescer (lrc.sms, lrc.layout); without these all SMs are
 * one. Clusters go to GPCs in turn, and within one each block to the SM with fewest blocks, the lowest number first:
 * which SMs hardware takes is not published. A placement map says it of each block; they still wait for each other.
 *
 * Example, clusters of 2 x 2 blocks of a grid of 4 x 2: blocks 0, 1, 4 and 5 are one, of ranks 0 to 3; so blocks are
 * read until 5 is, and those that are not started yet are gathered.
 */
#define GPCI_CLUSTER_BLOCKS 16u

/* The kernel's clusters, once its room on an SM is known. GPC_ERROR_RANGE: they cannot be placed. */
gpc_status gpci_clusters_start(gpc_replay *r, gpc_error *error);
/* Of one among kernels at once, which have none. GPC_ERROR_UNSUPPORTED. */
gpc_status gpci_clusters_refuse(gpc_replay *r, gpc_error *error);
/* gpci_dispatch_fill, of a kernel with clusters. */
gpc_status gpci_clusters_fill(gpc_replay *r, gpc_error *error);
/* A block that was read waits for the others of its cluster, or for room. */
void gpci_clusters_gather(gpc_replay *r, gpci_block_run *run);
/* The first of those that wait leaves; NULL. */
gpci_block_run *gpci_clusters_take(gpc_replay *r);
/* Blocks are on their SMs, as a snapshot had them: they know each other. */
void gpci_clusters_relink(gpc_replay *r);
/* A block that has run is no longer of its cluster. */
void gpci_clusters_leave(gpci_block_run *run);

/* A block's rank in its cluster; the block of that rank, NULL: it has ended. */
uint32_t gpci_cluster_rank(const gpc_replay *r, const gpci_block_run *run);
gpci_block_run *gpci_cluster_member(const gpc_replay *r, gpci_block_run *run, uint32_t rank);

/* SMs of the blocks that a bulk load of a block names; 0: it names none. */
GPCI_COLD uint32_t gpci_cluster_targets(const gpc_replay *r, uint32_t sm, uint32_t block,
                                        const gpc_instruction *instruction, uint32_t sms[GPCI_CLUSTER_BLOCKS]);

#endif
