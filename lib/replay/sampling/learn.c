/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/future.h"
#include "level/access/warp_access.h"
#include "replay/core/replay.h"
#include "trace/rewind.h"

/*
 * With `l1.future` a kernel runs twice. The first run only records the accesses: no cache, policy or counter changes.
 * Warps take the same turns in both runs, because turns do not depend on caches. For the second run the trace is read
 * again.
 */

gpc_status gpci_replay_record(const gpc_replay *replay, const gpc_warp_access *access) {
    /* skip a malformed access; the second run reports the error */
    gpc_warp_access checked = *access;
    if (gpci_access_check(replay->hierarchy, &checked, NULL) < 0)
        return GPC_OK;
    return gpci_future_record(replay->future, replay->hierarchy, access);
}

gpc_status gpci_replay_learn(gpc_replay *replay, gpc_error *error) {
    gpci_future_forget(replay->future);
    replay->learning = true;
    gpc_status status = gpci_replay_rounds(replay, error);
    gpci_dispatch_abandon(replay);
    replay->learning = false;
    gpci_replay_begin(replay);
    gpci_dispatch_again(replay);
    if (status < 0)
        return status;
    if (gpci_future_resolve(replay->future) < 0)
        return gpci_out_of_memory(error);
    return gpci_trace_rewind(replay->trace, &replay->kernel, error);
}
