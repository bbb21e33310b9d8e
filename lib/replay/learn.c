/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/future.h"
#include "level/warp_access.h"
#include "replay/replay.h"
#include "trace/rewind.h"

/*
 * With `l1.future` a kernel is run twice. The first time caches, policies and statistics hear nothing of it; warps
 * take the same turns, for nothing that decides on these depends on a cache, and their accesses are recorded. Then
 * the trace is read again.
 */

gpc_status gpci_replay_record(const gpc_replay *r, const gpc_warp_access *access) {
    /* What is malformed fails when it is run, and is named then. */
    gpc_warp_access checked = *access;
    if (gpci_access_check(r->hierarchy, &checked) < 0)
        return GPC_OK;
    return gpci_future_record(r->future, r->hierarchy, access);
}

gpc_status gpci_replay_learn(gpc_replay *r, gpc_error *error) {
    gpci_future_forget(r->future);
    r->learning = true;
    gpc_status status = gpci_replay_rounds(r, error);
    gpci_dispatch_abandon(r);
    r->learning = false;
    gpci_replay_begin(r);
    gpci_dispatch_again(r);
    if (status < 0)
        return status;
    if (gpci_future_resolve(r->future) < 0)
        return gpci_out_of_memory(error);
    return gpci_trace_rewind(r->trace, &r->kernel, error);
}
