/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_WARP_ACCESS_H
#define GPC_LEVEL_WARP_ACCESS_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/* A line transaction of a warp instruction in progress. */
typedef struct gpci_line_access {
    const gpci_transaction *line;
    gpc_cache *l1;               /* L1 of the access; NULL: the access bypasses L1, or a tree has no such cache */
    gpc_warp_result *result;     /* counts of the warp instruction; never NULL */
    const gpc_warp_access *warp; /* instruction that accesses the line */
    gpc_request request;         /* request for the line, without the masks of bytes and sectors */
} gpci_line_access;

/* Copy a host's warp access to `out`. GPC_ERROR_ABI: the host's struct has an unknown size. */
gpc_status gpci_access_take(const gpc_warp_access *access, gpc_error *error, gpc_warp_access *out);
/* Request for a line of a warp access, without the address. `transactions`: number of lines of the access. */
gpc_request gpci_access_request(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t transactions);
/* Check a warp access. If the library ranks warps (warp_ranks.h), set the warp's age. GPC_ERROR_ARGUMENT. */
gpc_status gpci_access_check(const gpc_hierarchy *hierarchy, gpc_warp_access *access, gpc_error *error);
/* Find the lines touched by an access, in order of first touch. `lines` has room for GPCI_MAX_TRANSACTIONS. */
uint32_t gpci_access_touches(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines);
/* Error text about the process or an address of an access; NULL: both are right. The mask must be checked before. */
const char *gpci_access_wrong_process(const gpc_hierarchy *hierarchy, const gpc_warp_access *access);
/*
 * Coalesce and count an access's line transactions; `request` receives the fields common to all lines. If lines are
 * divided into blocks (gpci_divide), the blocks of a line are adjacent. Returns the number of transactions.
 *   range         0: coalesce all addresses. Above 0: the lanes touch this many adjacent bytes from the first address
 *                 on (gpci_is_range), and only the first address is read
 *   lines         room for GPCI_MAX_TRANSACTIONS
 *   out_segments  receives the number of 32-byte segments touched
 */
uint32_t gpci_access_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t range,
                           gpci_transaction *lines, gpc_request *request, uint32_t *out_segments);
/* gpci_access_lines for `count` lines that the host has coalesced. Not for trees of coherent modules. */
void gpci_given_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines, uint32_t count,
                      gpc_request *request, uint32_t *out_segments);

#ifdef GPCI_CHECK
/*
 * Count a line of an access a second time. The checking build (base/check.h) compares the two counts.
 * gpci_access_count_unserved: for lines that were not served because memory ran out before. Only the requested bytes of
 * these lines are counted.
 */
void gpci_access_count_again(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *line);
void gpci_access_count_unserved(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *lines,
                                uint32_t count);
#endif

#endif
