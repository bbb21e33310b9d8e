/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_PARKED_H
#define GPC_REPLAY_PARKED_H

#include "base/archive.h"
#include "replay/replay.h"

/*
 * Blocks of a kernel that is at hand, in a snapshot: where each of their warps is. What they execute is the trace's;
 * of it there is a digest. A replay that was loaded has them parked until gpc_replay_resume has found them in a trace.
 */

typedef enum gpci_parked_where {
    GPCI_PARKED_RUNS,
    GPCI_PARKED_STARTS,
    GPCI_PARKED_QUEUED,
    GPCI_PARKED_GATHERED
} gpci_parked_where;

typedef struct gpci_parked_block {
    uint64_t digest, start;
    uint32_t index, sm, where; /* where: gpci_parked_where */
    uint32_t warps, slot, turn, live, at_barrier;
    uint32_t apart, writes;
    uint32_t at_cluster, reserved;
} gpci_parked_block;

/* Numbers in place of the pointers of a gpci_warp_run. */
typedef struct gpci_parked_warp {
    uint64_t next;     /* step of its path */
    uint64_t at, list; /* bytes of its addresses; list: GPCI_PARKED_NONE, or those last listed */
    uint64_t first;
    uint32_t width, slot, at_barrier, barrier;
} gpci_parked_warp;

#define GPCI_PARKED_NONE UINT64_MAX

typedef struct gpci_parked {
    gpci_parked_block *each; /* by SM: those that are resident, oldest first, then those that wait for room */
    gpci_parked_warp *warps; /* of these, one after the other */
    size_t block_count, warp_count;
} gpci_parked;

/* The blocks of the replay, in a snapshot or out of one: `parked` is then made. */
void gpci_parked_archive(gpc_replay *r, gpci_archive *archive);
void gpci_parked_destroy(gpc_replay *r);
/*
 * The kernel at hand is the trace's: its blocks are read as far as they were, and those that were parked go on.
 * GPC_ERROR_FORMAT where they are others; errors of the trace. Then they are parked still.
 */
gpc_status gpci_parked_return(gpc_replay *r, gpc_trace *trace, gpc_error *error);

/*
 * timed_snapshot.c: the step of its path at which a warp is; all of them, if it has ended. A block is its SM's again,
 * with its warps; NULL: it has not started.
 */
uint64_t gpci_timed_step_of(const gpci_timed_replay *t, const gpci_block_run *run, uint32_t sm, uint32_t warp);
void gpci_timed_return(gpci_timed_replay *t, uint32_t sm, gpci_block_run *run, const gpci_parked_warp *warps);
/* Between kernels, or in one. */
void gpci_timed_archive_sms(gpci_timed_replay *t, bool in_kernel, gpci_archive *archive);

#endif
