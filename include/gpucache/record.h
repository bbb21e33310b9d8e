/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_RECORD_H
#define GPUCACHE_RECORD_H

#include <gpucache/hierarchy.h>
#include <gpucache/trace.h>

GPC_BEGIN_DECLS

/*
 * Record the calls of a host on a hierarchy from now on, as a trace: a .gct, for every replay.
 *
 * Recorded calls: gpc_hierarchy_access, _access_many, _try_issue, _fence and _try_fence, if accepted, in the warp and
 * thread block of the access; gpc_hierarchy_begin_kernel, which begins a kernel; gpc_hierarchy_warp_event, _flush and
 * _count_instructions. A thread block is a number `block` of the host on a single SM. Warps of a block are in the order
 * of their first access. If several SMs use a block number, or if the numbers are far apart, blocks are renumbered in
 * order of appearance.
 *
 * Replay. A replay without a clock, with the same configuration and with `warps.order = recorded`, also repeats order,
 * SMs, slots, ages and tokens. If the host had no clock and the recording began with the first access,
 * the counters of the replay's hierarchy equal the host's counters. If the host had a clock, the recorded order is
 * the order of acceptance: the replay has the same instructions, requests and transactions, and hits are those of an L1
 * that answers at once. Replays in another order, and timed replays, keep only the order of the accesses within a warp,
 * and their SM. The file does not have the time at which a host issued an access.
 *
 * Not recorded: values (coherence.data: only addresses are recorded), gpc_hierarchy_sample, gpc_hierarchy_reset_stats,
 * and calls on a borrowed cache or tree.
 *
 * Calls that a trace cannot hold end the recording, and a failure of the file (a full disk) does too. Such calls are
 * gpc_hierarchy_try_miss, _try_transactions, _try_port, _preload, _start_kernel, _set_window and _reset_persisting,
 * which are no instructions with lanes; accesses with `copy`, because no call says what waits for the copy; and
 * accesses of a process above 0, because a trace has a single process. After a failure the hierarchy works on as
 * without a recording, no regular file is left, the log gets a WARNING at once, and gpc_hierarchy_record_end returns
 * the status.
 *
 * Memory: a kernel is held until the kernel ends, about 100 bytes and 8 bytes a lane for every access. A snapshot or a
 * copy has no part of a recording: the recording stays with its hierarchy, and a loaded hierarchy does not record.
 *   path  as in gpc_trace_writer_create
 * Returns GPC_OK; GPC_ERROR_STATE (a recording is in progress; a replay's hierarchy; something is in flight);
 * GPC_ERROR_UNSUPPORTED (`sm.lanes` is not 32 or 64, as in traces); GPC_ERROR_ARGUMENT, GPC_ERROR_IO, GPC_ERROR_MEMORY.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_record(gpc_hierarchy *hierarchy, const char *path, gpc_error *error);

/* True if the hierarchy records; false after a failure. Since: 0.2. */
GPC_API bool gpc_hierarchy_is_recording(const gpc_hierarchy *hierarchy);

/*
 * End the recording, and give the file its name. A hierarchy destroyed during a recording leaves no file. Returns
 * GPC_OK; the status and sentence of the failure that ended the recording before; GPC_ERROR_ARGUMENT (`hierarchy` is
 * NULL); GPC_ERROR_STATE (no recording);
 * GPC_ERROR_IO; GPC_ERROR_MEMORY. With every status the recording is over. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_record_end(gpc_hierarchy *hierarchy, gpc_error *error);

GPC_END_DECLS

#endif
