/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_BULK_H
#define GPC_LEVEL_BULK_H

#include "level/rules/coalesce.h"
#include "level/rules/hierarchy.h"

/*
 * A bulk copy, divided into requests. A copy has rows of equal width. Rows that are adjacent in memory form one range.
 * A request has the next bytes of a range, up to the end of the line.
 *
 * Example, lines of 128 bytes: rows of 192 bytes at 0x1010 and 0x10d0 form the range 0x1010 to 0x1190. Requests: 112
 * bytes of line 0x1000, 128 of 0x1080, and 16 of 0x1100 (a sector). A single row of 384 bytes makes equal requests.
 */
#define GPCI_BULK_ROWS 64u
#define GPCI_BULK_MOST_BYTES 65536u /* largest width of a row */
#define GPCI_BULK_TARGETS 16u       /* largest number of destination SMs */

typedef struct gpci_bulk {
    uint64_t addresses[GPCI_BULK_ROWS];
    uint32_t rows, width; /* width: bytes per row */
    uint32_t row, done;   /* the next request begins at byte `done` of row `row`; at the end, `row` equals `rows` */
} gpci_bulk;

gpci_bulk gpci_bulk_of(const gpc_warp_access *access);
/* Make the next request. False: no request is left. */
bool gpci_bulk_next(gpci_bulk *bulk, unsigned line_shift, gpci_transaction *line);
/* Number of remaining requests. */
uint32_t gpci_bulk_count(const gpci_bulk *bulk, unsigned line_shift);
/* log2 of the line size that divides bulk copies: L1's line size, or L2's if no L1 exists. */
unsigned gpci_bulk_shift(const gpc_hierarchy *hierarchy);
/* Count the copy. Returns a request with the fields common to all requests of the copy. */
gpc_request gpci_bulk_request(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t requests);
/* Count a request. `targets`: number of SMs that receive the bytes. */
void gpci_bulk_count_request(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *line,
                             uint32_t targets);
/* Reason why a copy is invalid; NULL: valid. */
const char *gpci_bulk_wrong(const gpc_hierarchy *hierarchy, const gpc_warp_access *access);

#ifdef GPCI_CHECK
/* Count a whole copy a second time. The checking build (base/check.h) compares the two counts. */
void gpci_bulk_count_again(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t requests);
/* Count the sectors of a request a second time. */
void gpci_bulk_count_line_again(gpc_hierarchy *hierarchy, const gpc_request *request, uint8_t segments,
                                uint32_t targets);
#endif

#endif
