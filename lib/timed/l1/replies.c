/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/replies.h"

#include <gpucache/host.h>

#include "timed/core/event_log.h"
#include "timed/core/shards.h"

bool gpci_reply_waits(gpci_timed *t, gpci_ctrl *ctrl, uint32_t inflight) {
    gpci_replies *r = &ctrl->replies;
    if (r->first == UINT32_MAX && r->credits) {
        r->credits--;
        return false;
    }
    t->inflights[inflight].next = UINT32_MAX;
    if (r->first == UINT32_MAX) {
        r->first = inflight;
        r->since = t->wheel.now;
    } else {
        t->inflights[r->last].next = inflight;
    }
    r->last = inflight;
    r->count++;
    gpci_log_held(t, &t->inflights[inflight], r->count);
    return true;
}

uint32_t gpci_replies_next(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_replies *r = &ctrl->replies;
    const uint32_t inflight = r->first;
    if (inflight == UINT32_MAX || !r->credits)
        return UINT32_MAX;
    r->credits -= r->credits != GPC_UNLIMITED_CREDITS;
    r->first = t->inflights[inflight].next;
    r->count--;
    if (r->first == UINT32_MAX) {
        r->waited += t->wheel.now - r->since;
        r->since = GPCI_NEVER;
    }
    return inflight;
}

gpc_status gpci_timed_grant(gpc_hierarchy *h, uint32_t sm, uint64_t credits, bool more) {
    gpci_timed *t = gpci_timed_of_sm(h->timed, sm);
    gpci_ctrl *ctrl = &t->l1[sm];
    gpci_replies *r = &ctrl->replies;
    if (more && r->credits == GPC_UNLIMITED_CREDITS)
        return GPC_ERROR_STATE;
    if (more && credits >= GPC_UNLIMITED_CREDITS - r->credits)
        return GPC_ERROR_RANGE;
    r->credits = more ? r->credits + credits : credits;
    r->limited |= r->credits != GPC_UNLIMITED_CREDITS;
    if (r->first != UINT32_MAX && r->credits)
        gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    return GPC_OK;
}

uint64_t gpci_timed_credits(const gpc_hierarchy *h, uint32_t sm) {
    return h->timed->l1[sm].replies.credits;
}
