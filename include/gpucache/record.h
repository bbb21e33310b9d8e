/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_RECORD_H
#define GPUCACHE_RECORD_H

#include <gpucache/hierarchy.h>
#include <gpucache/trace.h>

GPC_BEGIN_DECLS

/*
 * Record from now on what a host has a hierarchy do, as a trace: a .gct, which any replay takes.
 *
 * In it are gpc_hierarchy_access, _access_many, _try_issue, _fence and _try_fence, where they were accepted, each in
 * its warp of its thread block; gpc_hierarchy_begin_kernel, which begins a kernel; gpc_hierarchy_warp_event, _flush and
 * _count_instructions. A thread block is what the host calls `block` on one SM, and its warps are in the order in which
 * they came; where a number was used on several SMs, or numbers are far apart, blocks are numbered as they came.
 *
 * A replay without a clock, of the same configuration, with `warps.order = recorded`, repeats the order, SMs, slots,
 * ages and tokens too: gpc_hierarchy_get_stats of its hierarchy is that of a host's without a clock, recorded from its
 * first access on. Of a timed host the order is that in which accesses were accepted: the same replay then has the same
 * instructions, requests and transactions; hits are those of an L1 that answers at once. Replays of other orders, and
 * timed ones, take the accesses of each warp in its order, on the SM where they were, and no more than that: when a
 * host issued them is not in the file.
 *
 * Not in a trace are values (coherence.data: addresses alone are recorded), gpc_hierarchy_sample,
 * gpc_hierarchy_reset_stats, and what is done to a borrowed cache or tree. What no trace can hold ends the recording,
 * as any failure of the file does (a full disk): gpc_hierarchy_try_miss, _try_transactions, _try_port, _preload,
 * _start_kernel, _set_window and _reset_persisting, which are no instruction of lanes, accesses with `copy`, of which
 * no call says what waits for them, and accesses of a process above 0, for a trace has one process. The hierarchy then
 * goes on as if there were none, nothing is left of a file of one's own, the log is told at once (WARNING), and
 * gpc_hierarchy_record_end returns it.
 *
 * A kernel is held until it ends: some 100 bytes and 8 for each lane of an access. A snapshot or a copy holds nothing
 * of a recording, which goes on with the hierarchy that it began with; one that is loaded does not record.
 *   path  as in gpc_trace_writer_create
 * Returns GPC_OK; GPC_ERROR_STATE (one is under way; a replay's hierarchy; something is in flight);
 * GPC_ERROR_UNSUPPORTED (`sm.lanes` is not 32 or 64, as in traces); GPC_ERROR_ARGUMENT, GPC_ERROR_IO, GPC_ERROR_MEMORY.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_record(gpc_hierarchy *hierarchy, const char *path, gpc_error *error);

/* Does it record? Not any more after a failure. Since: 0.2. */
GPC_API bool gpc_hierarchy_is_recording(const gpc_hierarchy *hierarchy);

/*
 * The recording ends, and its file gets its name. Destroying a hierarchy that records leaves no file.
 * Returns GPC_OK; what ended it before, with its sentence; GPC_ERROR_STATE (there is none); GPC_ERROR_IO,
 * GPC_ERROR_MEMORY. In each case there is none behind it. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_record_end(gpc_hierarchy *hierarchy, gpc_error *error);

GPC_END_DECLS

#endif
