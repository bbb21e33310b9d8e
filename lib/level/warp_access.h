/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_WARP_ACCESS_H
#define GPC_LEVEL_WARP_ACCESS_H

#include "level/coalesce.h"
#include "level/hierarchy.h"

/* One line transaction of a warp instruction, on its way. */
typedef struct gpci_line_access {
    const gpci_transaction *line;
    gpc_cache *l1;               /* that it goes through; NULL: to L2 directly */
    gpc_warp_result *result;     /* counts, never NULL */
    const gpc_warp_access *warp; /* of which it is a line */
    gpc_request request;         /* of the line, but for which of its bytes */
} gpci_line_access;

/* A host's warp access in this library's form. GPC_ERROR_ABI. */
gpc_status gpci_access_take(const gpc_warp_access *access, gpc_error *error, gpc_warp_access *out);
/*
 * Is a warp access well formed? gpc_hierarchy_check_access says what is wrong with one that is not. Where the library
 * ranks warps, it gets its age.
 */
gpc_status gpci_access_check(const gpc_hierarchy *h, gpc_warp_access *access);
/* The lines that it touches, in order; room for GPCI_MAX_TRANSACTIONS. Blocks of a line are together: gpci_divide. */
uint32_t gpci_access_touches(const gpc_hierarchy *h, const gpc_warp_access *access, gpci_transaction *lines);
/* Error text about the process or an address of an access with a checked mask; NULL: both are right. */
const char *gpci_access_wrong_process(const gpc_hierarchy *h, const gpc_warp_access *access);
/*
 * Its line transactions, coalesced and counted, and what a request of each begins with.
 *   range         0, or the bytes that lanes touch, if these are a range (gpci_is_range): the first address is read;
 *                 of lanes that go together, and no offsets of threads
 *   lines         GPCI_MAX_TRANSACTIONS
 *   out_segments  receives how many 32-byte segments they touch
 */
uint32_t gpci_access_lines(gpc_hierarchy *h, const gpc_warp_access *access, uint32_t range, gpci_transaction *lines,
                           gpc_request *request, uint32_t *out_segments);
/* The same of `count` lines that its host has coalesced; of caches without a tree. */
void gpci_given_lines(gpc_hierarchy *h, const gpc_warp_access *access, gpci_transaction *lines, uint32_t count,
                      gpc_request *request, uint32_t *out_segments);

#endif
