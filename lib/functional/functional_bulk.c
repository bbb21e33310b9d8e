/* SPDX-License-Identifier: BSD-2-Clause */
#include "functional/functional.h"
#include "level/access/bulk.h"
#include "level/access/tlb.h"

/* A bulk copy without a clock: request by request to L2. */

static gpc_status pass(gpc_hierarchy *h, const gpci_line_access *a) {
    const bool watched = h->log != NULL;
    switch (a->request.kind) {
    case GPC_STORE:
        return watched ? gpci_functional_store_watched(h, a) : gpci_functional_store(h, a);
    case GPC_REDUCTION:
        return watched ? gpci_functional_atomic_watched(h, a) : gpci_functional_atomic(h, a);
    default:
        return watched ? gpci_functional_load_watched(h, a) : gpci_functional_load(h, a);
    }
}

gpc_status gpci_functional_bulk(gpc_hierarchy *h, const gpc_warp_access *w, gpc_warp_result *result) {
    const unsigned shift = gpci_bulk_shift(h);
    gpci_bulk bulk = gpci_bulk_of(w);
    const uint32_t count = gpci_bulk_count(&bulk, shift);
    gpci_line_access a = {.result = result, .warp = w, .request = gpci_bulk_request(h, w, count)};
    gpci_transaction line;
    gpc_status status = GPC_OK;
    result->lines = count;
    while (status == GPC_OK && gpci_bulk_next(&bulk, shift, &line)) {
        a.line = &line;
        a.request.address = line.address;
        a.request.bytes_used = (uint16_t)gpci_transaction_bytes(&line);
        result->sectors += gpci_count_sectors(line.segments);
        gpci_bulk_count_request(h, &a.request, &line, gpci_is_multicast(w) ? w->multicast_count : 1);
        if (h->tlbs)
            gpci_tlbs_bulk(h, w->sm, line.address);
        status = pass(h, &a);
    }
    return status;
}
