/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/processes.h"
#include "level/rules/recorder.h"

/* Many warp instructions in a call, from arrays of their fields. */

#define OF(array, n, otherwise) ((array) ? (array)[n] : (otherwise))

/* Compact the addresses of active lanes. */
static const uint64_t *active(const uint64_t *lanes, uint64_t mask, uint64_t all, uint64_t room[64]) {
    if (mask == all)
        return lanes;
    size_t count = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        room[count++] = lanes[gpci_lowest(rest)];
    return room;
}

static gpc_status take(gpc_hierarchy *h, const gpc_access_batch *b, size_t n, uint64_t all) {
    uint64_t room[64], mask = OF(b->masks, n, all);
    if (mask & ~all)
        return GPC_ERROR_ARGUMENT;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = OF(b->sms, n, 0);
    access.warp = OF(b->warps, n, 0);
    access.warp_age = OF(b->warp_ages, n, 0);
    access.block = OF(b->blocks, n, 0);
    access.pc = OF(b->pcs, n, 0);
    access.mask = mask;
    access.addresses = active(b->addresses + n * b->lanes, mask, all, room);
    access.width = OF(b->widths, n, b->width ? b->width : 4);
    access.kind = OF(b->kinds, n, GPC_LOAD);
    access.space = OF(b->spaces, n, GPC_SPACE_GLOBAL);
    access.hint = OF(b->hints, n, 0);
    access.scope = OF(b->scopes, n, 0);
    access.order = OF(b->orders, n, 0);
    access.process = OF(b->processes, n, 0);
    if (b->results)
        b->results[n] = (gpc_warp_result)GPC_WARP_RESULT_INIT;
    gpc_warp_result *result = b->results ? &b->results[n] : NULL;
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(h, &access)) ? gpci_processes_access(h, &access, result)
                                                                    : h->driver->access(h, &access, result);
    if (status == GPC_OK)
        GPCI_RECORD(h, access, (h->recorder, &access));
    return status;
}

gpc_status gpc_hierarchy_access_many(gpc_hierarchy *h, const gpc_access_batch *batch, size_t *out_done) {
    gpc_access_batch b = GPC_ACCESS_BATCH_INIT;
    size_t done = 0;
    if (out_done)
        *out_done = 0;
    if (!h || !batch)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = gpci_take(&b, sizeof b, offsetof(gpc_access_batch, processes), batch, "gpc_access_batch", NULL);
    if (status == GPC_OK && (!b.lanes || b.lanes > 64 || (b.count && !b.addresses)))
        status = GPC_ERROR_ARGUMENT;
    const uint64_t all = b.lanes < 64 ? (UINT64_C(1) << b.lanes) - 1 : UINT64_MAX;
    while (status == GPC_OK && done < b.count) {
        status = take(h, &b, done, all);
        done += status == GPC_OK;
    }
    if (out_done)
        *out_done = done;
    return status;
}
