/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/awid.h"

#include <string.h>

void gpci_awid_init(gpci_awid *t) {
    t->oldest = 0;
    t->youngest = 127;
    t->span = 255; /* all ids are active until the first warp event */
}

static void set_span(gpci_awid *t) {
    t->span = t->total ? (uint8_t)(t->youngest - t->oldest) : -1;
}

/* Forget all warps: no warp is known or active. */
static void forget(gpci_awid *t) {
    memset(t->active, 0, sizeof t->active);
    memset(t->state, GPCI_WARP_UNKNOWN, sizeof t->state);
    t->total = 0;
    set_span(t);
}

static void enter(gpci_awid *t, uint32_t slot) {
    t->state[slot] = GPCI_WARP_ACTIVE;
    t->active[t->ids[slot]]++;
    t->total++;
    set_span(t);
}

static void leave(gpci_awid *t, uint32_t slot, uint8_t state) {
    bool counted = t->state[slot] == GPCI_WARP_ACTIVE;
    t->state[slot] = state;
    if (!counted)
        return;
    t->active[t->ids[slot]]--;
    if (--t->total)
        while (!t->active[t->oldest])
            t->oldest++;
    set_span(t);
}

static void start(gpci_awid *t, uint32_t slot) {
    leave(t, slot, GPCI_WARP_UNKNOWN); /* if the end of the slot's last warp was not reported */
    t->youngest += t->span < 255;
    if (!t->total)
        t->oldest = t->youngest;
    t->ids[slot] = t->youngest;
    enter(t, slot);
}

static void resume(gpci_awid *t, uint32_t slot) {
    uint8_t id = t->ids[slot];
    if (gpci_awid_age(t, id) == GPCI_AWID_INACTIVE)
        t->oldest = id;
    enter(t, slot);
}

void gpci_awid_wake(gpci_awid *t, uint32_t slot) {
    if (t->state[slot] == GPCI_WARP_UNKNOWN)
        start(t, slot);
    else if (t->state[slot] == GPCI_WARP_WAITING)
        resume(t, slot);
}

void gpci_awid_event(gpci_awid *t, const gpc_warp_event *event) {
    uint32_t slot = event->warp % GPCI_AWID_SLOTS;
    if (event->kind == GPC_KERNEL_START || event->kind == GPC_KERNEL_END) {
        if (t->told)
            forget(t);
        return;
    }
    if (!t->told) {
        t->told = true;
        forget(t);
    }
    if (event->kind == GPC_WARP_START)
        start(t, slot);
    else if (t->state[slot] == GPCI_WARP_ACTIVE && event->kind == GPC_WARP_BARRIER)
        leave(t, slot, GPCI_WARP_WAITING);
    else if (t->state[slot] != GPCI_WARP_UNKNOWN && event->kind == GPC_WARP_EXIT)
        leave(t, slot, GPCI_WARP_ENDED);
}
