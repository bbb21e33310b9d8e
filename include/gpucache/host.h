/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HOST_H
#define GPUCACHE_HOST_H

#include <gpucache/hierarchy.h>

GPC_BEGIN_DECLS

/* What a host with SMs of its own settles with a hierarchy beside its accesses. */

/*
 * Ages of warps. gpc_warp_access.warp_age is the host's to say; or the library ranks the warps of each SM by when it
 * was told of their starts (gpc_hierarchy_warp_event): the oldest that has not exited is 0, the next 1, as a replay
 * with a clock counts them.
 *   on  true: from now on `warp_age` of accesses is not looked at, and accesses of a warp that has not started, or has
 *       exited, are refused (GPC_ERROR_ARGUMENT; gpc_hierarchy_check_access says so); likewise a start of a warp that
 *       runs, and an exit of one that does not. A request of gpc_hierarchy_try_miss keeps its age where its warp does
 *       not run, for what L1 sends may outlive it. false: the host says, and what was known of warps is forgotten.
 * Warps are slots of an SM, below 65536. Either mode; part of a snapshot. Off at first: accesses cost what they did.
 * Returns GPC_OK (also where it was so before); GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (the hierarchy is a
 * replay's, which ranks its own); GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_rank_warps(gpc_hierarchy *hierarchy, bool on, gpc_error *error);

GPC_END_DECLS

#endif
