/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/replies.h"
#include "base/check.h"

#include <gpucache/experimental/experimental.h>

#include "timed/core/shards.h"
#include "timed/core/timed.h"

bool gpci_reply_waits(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t inflight) {
    gpci_replies *replies = &ctrl->replies;
    if (replies->first == UINT32_MAX && replies->credits) {
        replies->credits--;
        return false;
    }
    timed->inflights[inflight].next = UINT32_MAX;
    if (replies->first == UINT32_MAX) {
        replies->first = inflight;
        replies->since = timed->wheel.now;
        GPCI_AGAIN(ctrl->counts.replies_again -= timed->wheel.now);
    } else {
        timed->inflights[replies->last].next = inflight;
    }
    replies->last = inflight;
    replies->count++;
    gpci_log_held(timed, &timed->inflights[inflight], replies->count);
    return true;
}

uint32_t gpci_replies_next(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_replies *replies = &ctrl->replies;
    const uint32_t inflight = replies->first;
    if (inflight == UINT32_MAX || !replies->credits)
        return UINT32_MAX;
    replies->credits -= replies->credits != GPC_UNLIMITED_CREDITS;
    replies->first = timed->inflights[inflight].next;
    replies->count--;
    if (replies->first == UINT32_MAX) {
        replies->waited += timed->wheel.now - replies->since;
        GPCI_AGAIN(ctrl->counts.replies_again += timed->wheel.now);
        replies->since = GPCI_NEVER;
    }
    return inflight;
}

gpc_status gpci_timed_grant(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t credits, bool more, gpc_error *error) {
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, sm);
    gpci_ctrl *ctrl = &timed->l1[sm];
    gpci_replies *replies = &ctrl->replies;
    if (more && replies->credits == GPC_UNLIMITED_CREDITS)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_add_reply_credits: sm %u has no limit of credits", sm);
    if (more && credits >= GPC_UNLIMITED_CREDITS - replies->credits)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "gpc_hierarchy_add_reply_credits: credits are more than 2^64 - 2 in total");
    replies->credits = more ? replies->credits + credits : credits;
    replies->limited |= replies->credits != GPC_UNLIMITED_CREDITS;
    if (replies->first != UINT32_MAX && replies->credits)
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    return GPC_OK;
}

uint64_t gpci_timed_credits(const gpc_hierarchy *hierarchy, uint32_t sm) {
    return hierarchy->timed->l1[sm].replies.credits;
}
