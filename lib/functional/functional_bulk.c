/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "functional/functional.h"
#include "level/access/bulk.h"
#include "level/access/tlb.h"

/* Bulk copy without a clock: the requests of the copy go to L2, one after the other. */

static gpc_status pass(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    const bool watched = hierarchy->log != NULL;
    switch (access->request.kind) {
    case GPC_STORE:
        return watched ? gpci_functional_store_watched(hierarchy, access) : gpci_functional_store(hierarchy, access);
    case GPC_REDUCTION:
        return watched ? gpci_functional_atomic_watched(hierarchy, access) : gpci_functional_atomic(hierarchy, access);
    default:
        return watched ? gpci_functional_load_watched(hierarchy, access) : gpci_functional_load(hierarchy, access);
    }
}

gpc_status gpci_functional_bulk(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_warp_result *result) {
    const unsigned shift = gpci_bulk_shift(hierarchy);
    gpci_bulk bulk = gpci_bulk_of(access);
    const uint32_t count = gpci_bulk_count(&bulk, shift);
    gpci_line_access line_access = {
        .result = result, .warp = access, .request = gpci_bulk_request(hierarchy, access, count)};
    gpci_transaction line;
    gpc_status status = GPC_OK;
    result->lines = count;
    GPCI_AGAIN(gpci_bulk_count_again(hierarchy, access, count));
    while (status == GPC_OK && gpci_bulk_next(&bulk, shift, &line)) {
        line_access.line = &line;
        line_access.request.address = line.address;
        line_access.request.bytes_used = (uint16_t)gpci_transaction_bytes(&line);
        result->sectors += gpci_count_sectors(line.segments);
        gpci_bulk_count_request(hierarchy, &line_access.request, &line,
                                gpci_is_multicast(access) ? access->multicast_count : 1);
        GPCI_AGAIN(gpci_bulk_count_line_again(hierarchy, &line_access.request, line.segments,
                                              gpci_is_multicast(access) ? access->multicast_count : 1));
        if (hierarchy->tlbs && gpci_tlbs_bulk(hierarchy, access->sm, line.address))
            gpci_functional_page(hierarchy, access->sm, line.address);
        status = pass(hierarchy, &line_access);
    }
    return status;
}
