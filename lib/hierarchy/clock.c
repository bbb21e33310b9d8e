/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/host.h>

#include "base/check.h"
#include "hierarchy/ledger_check.h"
#include "hierarchy/processes.h"
#include "level/rules/events.h"
#include "level/rules/recorder.h"

/* Public calls that need a clock. Without a clock, errors. */

gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                   gpc_busy *out_busy) {
    if (!hierarchy || !access)
        return GPC_ERROR_ARGUMENT;
    if (hierarchy->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(hierarchy, access))
                            ? gpci_processes_issue(hierarchy, access, token, out_busy)
                            : hierarchy->driver->clock->issue(hierarchy, access, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, access, (hierarchy->recorder, access));
    return status;
}

gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token,
                                   gpc_busy *out_busy) {
    if (!hierarchy || !fence)
        return GPC_ERROR_ARGUMENT;
    if (hierarchy->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = hierarchy->driver->clock->fence(hierarchy, fence, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, fence, (hierarchy->recorder, fence));
    return status;
}

gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token,
                                  gpc_busy *out_busy) {
    if (!hierarchy || !request)
        return GPC_ERROR_ARGUMENT;
    if (hierarchy->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = GPCI_UNLIKELY(hierarchy->processes || request->process)
                            ? gpci_processes_miss(hierarchy, request, token, out_busy)
                            : hierarchy->driver->clock->miss(hierarchy, request, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_try_miss"));
    return status;
}

static bool is_instruction(const gpc_request *requests, uint32_t count) {
    return requests && count && count <= GPC_MAX_TRANSACTIONS;
}

gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                          uint64_t token, gpc_busy *out_busy) {
    if (!hierarchy || !is_instruction(requests, count))
        return GPC_ERROR_ARGUMENT;
    if (hierarchy->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = GPCI_UNLIKELY(hierarchy->processes || requests->process)
                            ? gpci_processes_transactions(hierarchy, requests, count, token, out_busy)
                            : hierarchy->driver->clock->transactions(hierarchy, requests, count, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_try_transactions"));
    return status;
}

gpc_status gpc_hierarchy_check_transactions(const gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                            gpc_error *error) {
    if (!hierarchy || !is_instruction(requests, count))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_check_transactions: %s",
                         !hierarchy  ? "hierarchy is NULL"
                         : !requests ? "requests is NULL"
                                     : "count is not 1 to GPC_MAX_TRANSACTIONS");
    const char *wrong = gpci_processes_wrong(hierarchy, requests, count);
    return wrong ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request: %s", wrong)
                 : hierarchy->driver->clock->check_transactions(hierarchy, requests, count, error);
}

gpc_status gpc_hierarchy_advance(gpc_hierarchy *hierarchy, uint64_t cycles) {
    if (!hierarchy)
        return GPC_ERROR_ARGUMENT;
    return hierarchy->called_back ? GPC_ERROR_STATE : hierarchy->driver->clock->advance(hierarchy, cycles);
}

gpc_status gpc_hierarchy_drain(gpc_hierarchy *hierarchy, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_drain: hierarchy is NULL");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_drain: called from within a callback");
    gpc_status status = hierarchy->driver->clock->drain(hierarchy, error);
    hierarchy->drains += GPCI_CHECKING;
    if (GPCI_CHECKING && status == GPC_OK && !(hierarchy->drains & (hierarchy->drains - 1)))
        gpci_ledger_check(hierarchy);
    return status;
}

uint64_t gpc_hierarchy_now(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->now ? *hierarchy->now : 0;
}

uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *hierarchy) {
    return hierarchy ? hierarchy->driver->clock->next_event(hierarchy) : UINT64_MAX;
}

uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *hierarchy) {
    return hierarchy ? hierarchy->driver->clock->in_flight(hierarchy) : 0;
}

gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *hierarchy, uint64_t id) {
    if (!hierarchy)
        return GPC_ERROR_ARGUMENT;
    return hierarchy->called_back ? GPC_ERROR_STATE : hierarchy->driver->clock->memory_reply(hierarchy, id);
}

gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *hierarchy, uint32_t channel) {
    if (!hierarchy)
        return GPC_ERROR_ARGUMENT;
    return hierarchy->called_back ? GPC_ERROR_STATE : hierarchy->driver->clock->memory_ready(hierarchy, channel);
}

gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *hierarchy, const gpc_hierarchy_callbacks *callbacks) {
    if (!hierarchy)
        return GPC_ERROR_ARGUMENT;
    return hierarchy->called_back ? GPC_ERROR_STATE : hierarchy->driver->clock->set_callbacks(hierarchy, callbacks);
}
