/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_WARP_ACCESS_H
#define GPC_LEVEL_WARP_ACCESS_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/* A line transaction of a warp instruction in progress. */
typedef struct gpci_line_access {
    const gpci_transaction *line;
    gpc_cache *l1;               /* L1 cache used; NULL: directly to L2 */
    gpc_warp_result *result;     /* counts, never NULL */
    const gpc_warp_access *warp; /* instruction of the line */
    gpc_request request;         /* request for the line, without its bytes */
} gpci_line_access;

/* Copy a host's warp access to the library's struct. GPC_ERROR_ABI. */
gpc_status gpci_access_take(const gpc_warp_access *access, gpc_error *error, gpc_warp_access *out);
/* The request of a warp access, for one of `transactions` lines. */
gpc_request gpci_access_request(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t transactions);
/* Check a warp access. If the library ranks warps, set the warp's age. GPC_ERROR_ARGUMENT. */
gpc_status gpci_access_check(const gpc_hierarchy *hierarchy, gpc_warp_access *access, gpc_error *error);
/* Lines touched by an access, in order; room for GPCI_MAX_TRANSACTIONS. Blocks of a line are adjacent (gpci_divide). */
uint32_t gpci_access_touches(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines);
/* Error text about the process or an address of an access with a checked mask; NULL: both are right. */
const char *gpci_access_wrong_process(const gpc_hierarchy *hierarchy, const gpc_warp_access *access);
/*
 * Coalesce and count an access's line transactions; `request` receives the common fields.
 *   range         bytes touched, if they form a range (gpci_is_range) of coalesced lanes without offsets of threads:
 *   only
 *                 the first address is read; otherwise 0
 *   lines         GPCI_MAX_TRANSACTIONS
 *   out_segments  receives the number of 32-byte segments touched
 */
uint32_t gpci_access_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t range,
                           gpci_transaction *lines, gpc_request *request, uint32_t *out_segments);
/* Like gpci_access_lines, for `count` lines coalesced by the host; only for caches without a tree. */
void gpci_given_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines, uint32_t count,
                      gpc_request *request, uint32_t *out_segments);

#ifdef GPCI_CHECK
/*
 * Count a line of an access again, for the ledger, in the checking build (base/check.h). gpci_access_count_unserved:
 * lines after a failure for lack of memory, of which only the asked bytes were counted.
 */
void gpci_access_count_again(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *line);
void gpci_access_count_unserved(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *lines,
                                uint32_t count);
#endif

#endif
