/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/processes.h"

#include "level/access/warp_access.h"

#include <string.h>

/*
 * Begin a call. If the process is not 0, all addresses of the hierarchy have process bits from now on
 * (hierarchy->processes). Returns hierarchy->processes before the call, for end.
 */
static bool begin(gpc_hierarchy *hierarchy, uint8_t process) {
    const bool before = hierarchy->processes;
    hierarchy->processes |= process != 0;
    return before;
}

/* End the call. If the call was rejected, restore hierarchy->processes to `before`. */
static gpc_status end(gpc_hierarchy *hierarchy, bool before, gpc_status status) {
    const bool done =
        status == GPC_OK || status == GPC_ERROR_CANCELLED || status == GPC_ERROR_CALLBACK || status == GPC_ERROR_MEMORY;
    hierarchy->processes = done ? hierarchy->processes : before;
    return status;
}

/* Copy of the host's access, with joined addresses. */
typedef struct entered {
    gpc_warp_access access;
    uint64_t addresses[64];
} entered;

static gpc_status enter(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, entered *process,
                        gpc_error *error) {
    gpc_warp_access *warp_access = &process->access;
    gpc_status status = gpci_access_take(access, error, warp_access);
    if (status == GPC_OK)
        status = gpci_access_check(hierarchy, warp_access, error);
    const char *wrong = status == GPC_OK ? gpci_access_wrong_process(hierarchy, warp_access) : NULL;
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_access: %s", wrong);
    if (status < 0 || !warp_access->mask || warp_access->local_offsets)
        return status;
    const uint32_t lanes = gpci_popcount(warp_access->mask);
    memcpy(process->addresses, warp_access->addresses, lanes * sizeof *process->addresses);
    gpci_process_enter(warp_access->process, process->addresses, lanes);
    warp_access->addresses = process->addresses;
    return GPC_OK;
}

gpc_status gpci_processes_access(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_warp_result *result,
                                 gpc_error *error) {
    entered process;
    const gpc_status status = enter(hierarchy, access, &process, error);
    if (status < 0)
        return status;
    const bool before = begin(hierarchy, process.access.process);
    return end(hierarchy, before, hierarchy->driver->access(hierarchy, &process.access, result, error));
}

gpc_status gpci_processes_issue(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint64_t token,
                                gpc_busy *out_busy, gpc_error *error) {
    entered process;
    const gpc_status status = enter(hierarchy, access, &process, error);
    if (status < 0)
        return status;
    const bool before = begin(hierarchy, process.access.process);
    return end(hierarchy, before, hierarchy->driver->clock->issue(hierarchy, &process.access, token, out_busy, error));
}

static const char *wrong_process_of(const gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count) {
    const char *wrong = NULL;
    for (uint32_t i = 0; i < count && !wrong; i++)
        wrong = gpci_process_wrong(hierarchy, requests[i].process, requests[i].address, requests[i].size);
    return wrong;
}

gpc_status gpci_processes_miss(gpc_hierarchy *hierarchy, const gpc_request *request, uint64_t token, gpc_busy *out_busy,
                               gpc_error *error) {
    gpc_request own = *request;
    const char *wrong = wrong_process_of(hierarchy, request, 1);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request: %s", wrong);
    gpci_process_enter(own.process, &own.address, 1);
    const bool before = begin(hierarchy, own.process);
    return end(hierarchy, before, hierarchy->driver->clock->miss(hierarchy, &own, token, out_busy, error));
}

gpc_status gpci_processes_transactions(gpc_hierarchy *hierarchy, const gpc_request *requests, uint32_t count,
                                       uint64_t token, gpc_busy *out_busy, gpc_error *error) {
    gpc_request own[GPCI_MAX_TRANSACTIONS];
    const char *wrong = wrong_process_of(hierarchy, requests, count);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_request: %s", wrong);
    for (uint32_t i = 0; i < count; i++) {
        own[i] = requests[i];
        gpci_process_enter(own[i].process, &own[i].address, 1);
    }
    const bool before = begin(hierarchy, own->process);
    return end(hierarchy, before,
               hierarchy->driver->clock->transactions(hierarchy, own, count, token, out_busy, error));
}
