/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/host.h>

#include "base/check.h"
#include "hierarchy/ledger_check.h"
#include "hierarchy/processes.h"
#include "level/rules/events.h"
#include "level/rules/recorder.h"

/* Public calls that need a clock. Without a clock, errors. */

gpc_status gpc_hierarchy_try_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token,
                                   gpc_busy *out_busy) {
    if (!h || !access)
        return GPC_ERROR_ARGUMENT;
    if (h->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = GPCI_UNLIKELY(gpci_has_process(h, access))
                            ? gpci_processes_issue(h, access, token, out_busy)
                            : h->driver->clock->issue(h, access, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(h, access, (h->recorder, access));
    return status;
}

gpc_status gpc_hierarchy_try_fence(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy) {
    if (!h || !fence)
        return GPC_ERROR_ARGUMENT;
    if (h->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = h->driver->clock->fence(h, fence, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(h, fence, (h->recorder, fence));
    return status;
}

gpc_status gpc_hierarchy_try_miss(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy) {
    if (!h || !request)
        return GPC_ERROR_ARGUMENT;
    if (h->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = GPCI_UNLIKELY(h->processes || request->process)
                            ? gpci_processes_miss(h, request, token, out_busy)
                            : h->driver->clock->miss(h, request, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(h, cannot, (h->recorder, "gpc_hierarchy_try_miss"));
    return status;
}

static bool is_instruction(const gpc_request *requests, uint32_t count) {
    return requests && count && count <= GPC_MAX_TRANSACTIONS;
}

gpc_status gpc_hierarchy_try_transactions(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                                          gpc_busy *out_busy) {
    if (!h || !is_instruction(requests, count))
        return GPC_ERROR_ARGUMENT;
    if (h->called_back)
        return GPC_ERROR_STATE;
    gpc_status status = GPCI_UNLIKELY(h->processes || requests->process)
                            ? gpci_processes_transactions(h, requests, count, token, out_busy)
                            : h->driver->clock->transactions(h, requests, count, token, out_busy);
    if (status == GPC_OK)
        GPCI_RECORD(h, cannot, (h->recorder, "gpc_hierarchy_try_transactions"));
    return status;
}

gpc_status gpc_hierarchy_check_transactions(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count,
                                            gpc_error *error) {
    if (!h || !is_instruction(requests, count))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_check_transactions: %s",
                         !h          ? "hierarchy is NULL"
                         : !requests ? "requests is NULL"
                                     : "count is not 1 to GPC_MAX_TRANSACTIONS");
    const char *wrong = gpci_processes_wrong(h, requests, count);
    return wrong ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request: %s", wrong)
                 : h->driver->clock->check_transactions(h, requests, count, error);
}

gpc_status gpc_hierarchy_advance(gpc_hierarchy *h, uint64_t cycles) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    return h->called_back ? GPC_ERROR_STATE : h->driver->clock->advance(h, cycles);
}

gpc_status gpc_hierarchy_drain(gpc_hierarchy *h, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_drain: hierarchy is NULL");
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_drain: called from within a callback");
    gpc_status status = h->driver->clock->drain(h, error);
    h->drains += GPCI_CHECKING;
    if (GPCI_CHECKING && status == GPC_OK && !(h->drains & (h->drains - 1)))
        gpci_ledger_check(h);
    return status;
}

uint64_t gpc_hierarchy_now(const gpc_hierarchy *h) {
    return h && h->now ? *h->now : 0;
}

uint64_t gpc_hierarchy_next_event(const gpc_hierarchy *h) {
    return h ? h->driver->clock->next_event(h) : UINT64_MAX;
}

uint64_t gpc_hierarchy_in_flight(const gpc_hierarchy *h) {
    return h ? h->driver->clock->in_flight(h) : 0;
}

gpc_status gpc_hierarchy_memory_reply(gpc_hierarchy *h, uint64_t id) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    return h->called_back ? GPC_ERROR_STATE : h->driver->clock->memory_reply(h, id);
}

gpc_status gpc_hierarchy_memory_ready(gpc_hierarchy *h, uint32_t channel) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    return h->called_back ? GPC_ERROR_STATE : h->driver->clock->memory_ready(h, channel);
}

gpc_status gpc_hierarchy_set_callbacks(gpc_hierarchy *h, const gpc_hierarchy_callbacks *callbacks) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    return h->called_back ? GPC_ERROR_STATE : h->driver->clock->set_callbacks(h, callbacks);
}
