/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/awid.h"

#include <string.h>

void gpci_awid_init(gpci_awid *awid) {
    awid->oldest = 0;
    awid->youngest = 127;
    awid->span = 255; /* all ids are active until the first warp event */
}

static void set_span(gpci_awid *awid) {
    awid->span = awid->total ? (uint8_t)(awid->youngest - awid->oldest) : -1;
}

/* Forget all warps: no warp is known or active. */
static void forget(gpci_awid *awid) {
    memset(awid->active, 0, sizeof awid->active);
    memset(awid->state, GPCI_WARP_UNKNOWN, sizeof awid->state);
    awid->total = 0;
    set_span(awid);
}

static void enter(gpci_awid *awid, uint32_t slot) {
    awid->state[slot] = GPCI_WARP_ACTIVE;
    awid->active[awid->ids[slot]]++;
    awid->total++;
    set_span(awid);
}

static void leave(gpci_awid *awid, uint32_t slot, uint8_t state) {
    bool counted = awid->state[slot] == GPCI_WARP_ACTIVE;
    awid->state[slot] = state;
    if (!counted)
        return;
    awid->active[awid->ids[slot]]--;
    if (--awid->total)
        while (!awid->active[awid->oldest])
            awid->oldest++;
    set_span(awid);
}

static void start(gpci_awid *awid, uint32_t slot) {
    leave(awid, slot, GPCI_WARP_UNKNOWN); /* if the end of the slot's last warp was not reported */
    awid->youngest += awid->span < 255;
    if (!awid->total)
        awid->oldest = awid->youngest;
    awid->ids[slot] = awid->youngest;
    enter(awid, slot);
}

static void resume(gpci_awid *awid, uint32_t slot) {
    uint8_t id = awid->ids[slot];
    if (gpci_awid_age(awid, id) == GPCI_AWID_INACTIVE)
        awid->oldest = id;
    enter(awid, slot);
}

void gpci_awid_wake(gpci_awid *awid, uint32_t slot) {
    if (awid->state[slot] == GPCI_WARP_UNKNOWN)
        start(awid, slot);
    else if (awid->state[slot] == GPCI_WARP_WAITING)
        resume(awid, slot);
}

void gpci_awid_event(gpci_awid *awid, const gpc_warp_event *event) {
    uint32_t slot = event->warp % GPCI_AWID_SLOTS;
    if (event->kind == GPC_KERNEL_START || event->kind == GPC_KERNEL_END) {
        if (awid->told)
            forget(awid);
        return;
    }
    if (!awid->told) {
        awid->told = true;
        forget(awid);
    }
    if (event->kind == GPC_WARP_START)
        start(awid, slot);
    else if (awid->state[slot] == GPCI_WARP_ACTIVE && event->kind == GPC_WARP_BARRIER)
        leave(awid, slot, GPCI_WARP_WAITING);
    else if (awid->state[slot] != GPCI_WARP_UNKNOWN && event->kind == GPC_WARP_EXIT)
        leave(awid, slot, GPCI_WARP_ENDED);
}
