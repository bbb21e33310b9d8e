/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/processes.h"
#include "level/rules/recorder.h"

/* Many warp instructions in a call, from arrays of their fields. */

#define OF(array, n, otherwise) ((array) ? (array)[n] : (otherwise))

/* Addresses of the active lanes, without gaps: `lanes` itself if all lanes are active, otherwise a copy in `room`. */
static const uint64_t *active(const uint64_t *lanes, uint64_t mask, uint64_t all, uint64_t room[64]) {
    if (mask == all)
        return lanes;
    size_t count = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        room[count++] = lanes[gpci_lowest(rest)];
    return room;
}

static gpc_status take(gpc_hierarchy *hierarchy, const gpc_access_batch *batch, size_t n, uint64_t all,
                       gpc_error *error) {
    uint64_t room[64], mask = OF(batch->masks, n, all);
    if (mask & ~all)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_access_batch.masks[%zu] has lanes beyond lanes", n);
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.sm = OF(batch->sms, n, 0);
    access.warp = OF(batch->warps, n, 0);
    access.warp_age = OF(batch->warp_ages, n, 0);
    access.block = OF(batch->blocks, n, 0);
    access.pc = OF(batch->pcs, n, 0);
    access.mask = mask;
    access.addresses = active(batch->addresses + n * batch->lanes, mask, all, room);
    access.width = OF(batch->widths, n, batch->width ? batch->width : 4);
    access.kind = OF(batch->kinds, n, GPC_LOAD);
    access.space = OF(batch->spaces, n, GPC_SPACE_GLOBAL);
    access.hint = OF(batch->hints, n, 0);
    access.scope = OF(batch->scopes, n, 0);
    access.order = OF(batch->orders, n, 0);
    access.process = OF(batch->processes, n, 0);
    if (batch->results)
        batch->results[n] = (gpc_warp_result)GPC_WARP_RESULT_INIT;
    gpc_warp_result *result = batch->results ? &batch->results[n] : NULL;
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(hierarchy, &access))
                            ? gpci_processes_access(hierarchy, &access, result, error)
                            : hierarchy->driver->access(hierarchy, &access, result, error);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, access, (hierarchy->recorder, &access));
    return status;
}

gpc_status gpc_hierarchy_access_many(gpc_hierarchy *hierarchy, const gpc_access_batch *batch, size_t *out_done,
                                     gpc_error *error) {
    gpc_access_batch access_batch = GPC_ACCESS_BATCH_INIT;
    size_t done = 0;
    if (out_done)
        *out_done = 0;
    if (!hierarchy || !batch)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_access_many: %s is NULL",
                         hierarchy ? "batch" : "hierarchy");
    gpc_status status = gpci_take(&access_batch, sizeof access_batch, offsetof(gpc_access_batch, processes), batch,
                                  "gpc_access_batch", error);
    if (status == GPC_OK && (!access_batch.lanes || access_batch.lanes > 64))
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_access_batch.lanes: %u is not 1 to 64", access_batch.lanes);
    if (status == GPC_OK && access_batch.count && !access_batch.addresses)
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_access_batch.addresses is NULL");
    const uint64_t all = access_batch.lanes < 64 ? (UINT64_C(1) << access_batch.lanes) - 1 : UINT64_MAX;
    while (status == GPC_OK && done < access_batch.count) {
        status = take(hierarchy, &access_batch, done, all, error);
        done += status == GPC_OK;
    }
    if (out_done)
        *out_done = done;
    return status;
}
