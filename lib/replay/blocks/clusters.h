/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_CLUSTERS_H
#define GPC_REPLAY_CLUSTERS_H

#include "replay/core/replay.h"

/*
 * Clusters of thread blocks (NVIDIA: from compute capability 9.0). The blocks of a cluster start in the same cycle, on
 * SMs of the same GPC, because they read the shared memory of each other and meet at barriers ("Thread Block Clusters",
 * CUDA C++ Programming Guide). A GPC is the set of SMs that share an L2 request coalescer (lrc.sms, lrc.layout);
 * without coalescers all SMs form a single GPC. Clusters go to GPCs round robin. Within a GPC each block goes to the SM
 * with fewest blocks; of several such SMs, to the lowest number. The choice of hardware is not published. If the trace
 * has a placement map, the map gives the SM of each block.
 *
 * Example, clusters of 2 x 2 blocks in a grid of 4 x 2: blocks 0, 1, 4 and 5 form a cluster, ranks 0 to 3. The cluster
 * can start once block 5 is read. Until then, blocks 0 to 4 wait in the list of gathered blocks (first_gathered).
 */
#define GPCI_CLUSTER_BLOCKS 16u

/*
 * Prepare the kernel's clusters. Call after replay->occupancy is set. GPC_ERROR_RANGE: a cluster can never be placed.
 */
gpc_status gpci_clusters_start(gpc_replay *replay, gpc_error *error);
/* Reject clusters in a replay of several streams. GPC_ERROR_UNSUPPORTED. */
gpc_status gpci_clusters_refuse(gpc_replay *replay, gpc_error *error);
/* Variant of gpci_dispatch_fill for a kernel with clusters. */
gpc_status gpci_clusters_fill(gpc_replay *replay, gpc_error *error);
/* Append a block to the gathered blocks, which wait for the rest of the cluster, or for room. */
void gpci_clusters_gather(gpc_replay *replay, gpci_block_run *run);
/* Remove the first gathered block; NULL: none. */
gpci_block_run *gpci_clusters_take(gpc_replay *replay);
/* After a load of a snapshot, link the blocks of each cluster in a ring again. */
void gpci_clusters_relink(gpc_replay *replay);
/* Remove an ended block from the cluster. */
void gpci_clusters_leave(gpci_block_run *run);

/* gpci_cluster_rank: rank of a block in its cluster. gpci_cluster_member: block of a rank; NULL: it has ended. */
uint32_t gpci_cluster_rank(const gpc_replay *replay, const gpci_block_run *run);
gpci_block_run *gpci_cluster_member(const gpc_replay *replay, gpci_block_run *run, uint32_t rank);

/* Find the SMs of the destination blocks of a bulk load. Returns the number of SMs; 0: the load names no blocks. */
GPCI_COLD uint32_t gpci_cluster_targets(const gpc_replay *replay, uint32_t sm, uint32_t block,
                                        const gpc_instruction *instruction, uint32_t sms[GPCI_CLUSTER_BLOCKS]);

#endif
