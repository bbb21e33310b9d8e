/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/replies.h"

#include <gpucache/host.h>

#include "timed/core/strands.h"
#include "timed/core/watch.h"

bool gpci_reply_waits(gpci_timed *t, gpci_stage *stage, uint32_t flight) {
    gpci_replies *r = &stage->replies;
    if (r->first == UINT32_MAX && r->credits) {
        r->credits--;
        return false;
    }
    t->flights[flight].next = UINT32_MAX;
    if (r->first == UINT32_MAX) {
        r->first = flight;
        r->since = t->wheel.now;
    } else {
        t->flights[r->last].next = flight;
    }
    r->last = flight;
    r->count++;
    gpci_see_held(t, &t->flights[flight], r->count);
    return true;
}

uint32_t gpci_replies_next(gpci_timed *t, gpci_stage *stage) {
    gpci_replies *r = &stage->replies;
    const uint32_t flight = r->first;
    if (flight == UINT32_MAX || !r->credits)
        return UINT32_MAX;
    r->credits -= r->credits != GPC_UNLIMITED_CREDITS;
    r->first = t->flights[flight].next;
    r->count--;
    if (r->first == UINT32_MAX) {
        r->waited += t->wheel.now - r->since;
        r->since = GPCI_NEVER;
    }
    return flight;
}

gpc_status gpci_timed_grant(gpc_hierarchy *h, uint32_t sm, uint64_t credits, bool more) {
    gpci_timed *t = gpci_timed_of_sm(h->timed, sm);
    gpci_stage *stage = &t->l1[sm];
    gpci_replies *r = &stage->replies;
    if (more && r->credits == GPC_UNLIMITED_CREDITS)
        return GPC_ERROR_STATE;
    if (more && credits >= GPC_UNLIMITED_CREDITS - r->credits)
        return GPC_ERROR_RANGE;
    r->credits = more ? r->credits + credits : credits;
    r->limited |= r->credits != GPC_UNLIMITED_CREDITS;
    if (r->first != UINT32_MAX && r->credits)
        gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now);
    return GPC_OK;
}

uint64_t gpci_timed_credits(const gpc_hierarchy *h, uint32_t sm) {
    return h->timed->l1[sm].replies.credits;
}
