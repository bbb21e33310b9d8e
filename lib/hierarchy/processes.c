/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/processes.h"

#include "level/access/warp_access.h"

#include <string.h>

/* Start of a call of a process. Addresses of the hierarchy have process bits from now on. Returns the state before. */
static bool begin(gpc_hierarchy *h, uint8_t process) {
    const bool before = h->processes;
    h->processes |= process != 0;
    return before;
}

/* End of the call. A rejected call restores the state before. */
static gpc_status end(gpc_hierarchy *h, bool before, gpc_status status) {
    const bool done =
        status == GPC_OK || status == GPC_ERROR_CANCELLED || status == GPC_ERROR_CALLBACK || status == GPC_ERROR_MEMORY;
    h->processes = done ? h->processes : before;
    return status;
}

/* An access behind the door, with a copy of the addresses. */
typedef struct entered {
    gpc_warp_access access;
    uint64_t addresses[64];
} entered;

static gpc_status enter(const gpc_hierarchy *h, const gpc_warp_access *access, entered *e) {
    gpc_warp_access *w = &e->access;
    gpc_status status = gpci_access_take(access, NULL, w);
    if (status == GPC_OK)
        status = gpci_access_check(h, w);
    if (status == GPC_OK && gpci_access_wrong_process(h, w))
        status = GPC_ERROR_ARGUMENT;
    if (status < 0 || !w->mask || w->local_offsets)
        return status;
    const uint32_t lanes = gpci_popcount(w->mask);
    memcpy(e->addresses, w->addresses, lanes * sizeof *e->addresses);
    gpci_process_enter(w->process, e->addresses, lanes);
    w->addresses = e->addresses;
    return GPC_OK;
}

gpc_status gpci_processes_access(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result) {
    entered e;
    const gpc_status status = enter(h, access, &e);
    if (status < 0)
        return status;
    const bool before = begin(h, e.access.process);
    return end(h, before, h->driver->access(h, &e.access, result));
}

gpc_status gpci_processes_issue(gpc_hierarchy *h, const gpc_warp_access *access, uint64_t token, gpc_busy *out_busy) {
    entered e;
    const gpc_status status = enter(h, access, &e);
    if (status < 0)
        return status;
    const bool before = begin(h, e.access.process);
    return end(h, before, h->driver->clock->issue(h, &e.access, token, out_busy));
}

const char *gpci_processes_wrong(const gpc_hierarchy *h, const gpc_request *requests, uint32_t count) {
    const char *wrong = NULL;
    for (uint32_t i = 0; i < count && !wrong; i++)
        wrong = gpci_process_wrong(h, requests[i].process, requests[i].address, requests[i].size);
    return wrong;
}

gpc_status gpci_processes_miss(gpc_hierarchy *h, const gpc_request *request, uint64_t token, gpc_busy *out_busy) {
    gpc_request own = *request;
    if (gpci_processes_wrong(h, request, 1))
        return GPC_ERROR_ARGUMENT;
    gpci_process_enter(own.process, &own.address, 1);
    const bool before = begin(h, own.process);
    return end(h, before, h->driver->clock->miss(h, &own, token, out_busy));
}

gpc_status gpci_processes_transactions(gpc_hierarchy *h, const gpc_request *requests, uint32_t count, uint64_t token,
                                       gpc_busy *out_busy) {
    gpc_request own[GPCI_MAX_TRANSACTIONS];
    if (gpci_processes_wrong(h, requests, count))
        return GPC_ERROR_ARGUMENT;
    for (uint32_t i = 0; i < count; i++) {
        own[i] = requests[i];
        gpci_process_enter(own[i].process, &own[i].address, 1);
    }
    const bool before = begin(h, own->process);
    return end(h, before, h->driver->clock->transactions(h, own, count, token, out_busy));
}
