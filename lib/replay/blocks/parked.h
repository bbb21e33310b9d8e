/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_PARKED_H
#define GPC_REPLAY_PARKED_H

#include "base/archive.h"
#include "replay/core/replay.h"

/*
 * Blocks of the current kernel in a snapshot, with the position of each warp. A snapshot has no instructions, only a
 * digest (hash) of each block's instructions. After a load, blocks are parked until gpc_replay_resume finds the blocks
 * with these digests in a trace.
 */

typedef enum gpci_parked_where {
    GPCI_PARKED_RUNS,
    GPCI_PARKED_STARTS,
    GPCI_PARKED_QUEUED,
    GPCI_PARKED_GATHERED
} gpci_parked_where;

typedef struct gpci_parked_block {
    uint64_t digest, start;
    uint32_t index, sm, where; /* index: in the grid; where: a gpci_parked_where */
    uint32_t warps, slot, next_warp, live, at_barrier;
    uint32_t counts_by_warp, writes;
    uint32_t at_cluster, reserved;
} gpci_parked_block;

/* A gpci_warp_run, with numbers in place of pointers. */
typedef struct gpci_parked_warp {
    uint64_t next; /* index of the next step in the path */
    /* gpci_address_cursor.at and .list, as offsets from the warp's first address byte; list NULL: GPCI_PARKED_NONE */
    uint64_t at, list;
    uint64_t first;
    uint32_t width, slot, at_barrier, barrier;
} gpci_parked_warp;

#define GPCI_PARKED_NONE UINT64_MAX

typedef struct gpci_parked {
    gpci_parked_block *each; /* for each SM: resident blocks, oldest first, then queued blocks; last, gathered blocks */
    gpci_parked_warp *warps; /* warps of `each`, block after block */
    size_t block_count, warp_count;
} gpci_parked;

/* Save the blocks of the replay, or load them into `parked`. */
void gpci_parked_archive(gpc_replay *replay, gpci_archive *archive);
void gpci_parked_destroy(gpc_replay *replay);
/*
 * Read the trace's kernel up to the point of the snapshot, and resume the parked blocks. GPC_ERROR_FORMAT: the blocks
 * differ from the parked blocks. Also returns errors of the trace. After an error the blocks stay parked.
 */
gpc_status gpci_parked_return(gpc_replay *replay, gpc_trace *trace, gpc_error *error);

/*
 * timed_snapshot.c. gpci_timed_step_of: index of a warp's next path step; the length of the path if the warp has ended.
 * gpci_timed_return: put a block and its warps back on the SM. `warps` NULL: the block has not started.
 */
uint64_t gpci_timed_step_of(const gpci_timed_replay *timed_replay, const gpci_block_run *run, uint32_t sm,
                            uint32_t warp);
void gpci_timed_return(gpci_timed_replay *timed_replay, uint32_t sm, gpci_block_run *run,
                       const gpci_parked_warp *warps);
/* Save or load the state of all SMs. `in_kernel`: the snapshot is within a kernel; false: between kernels. */
void gpci_timed_archive_sms(gpci_timed_replay *timed_replay, bool in_kernel, gpci_archive *archive);

#endif
