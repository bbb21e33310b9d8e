/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_BULK_H
#define GPC_LEVEL_BULK_H

#include "level/coalesce.h"
#include "level/hierarchy.h"

/*
 * A bulk copy, cut into requests: each what is next of it within one line, in the order of its bytes. Rows that follow
 * one another in memory are one range.
 *
 * Example, lines of 128 bytes: rows of 192 bytes at 0x1010 and 0x10d0 are 0x1010 to 0x1190: requests of 112 bytes of
 * line 0x1000, 128 of 0x1080, and 16, a sector, of 0x1100... and no more than those of one row of 384 bytes.
 */
#define GPCI_BULK_ROWS 64u
#define GPCI_BULK_MOST_BYTES 65536u /* of a row */
#define GPCI_BULK_TARGETS 16u       /* SMs that it goes to */

GPCI_INLINE bool gpci_is_multicast(const gpc_warp_access *w) {
    return w->multicast || w->multicast_count;
}

typedef struct gpci_bulk {
    uint64_t addresses[GPCI_BULK_ROWS];
    uint32_t rows, width; /* width: bytes of a row */
    uint32_t row, done;   /* the next request begins so far into this row; row = rows: nothing is left */
} gpci_bulk;

gpci_bulk gpci_bulk_of(const gpc_warp_access *access);
/* The next request; false: there is none. */
bool gpci_bulk_next(gpci_bulk *bulk, unsigned line_shift, gpci_transaction *line);
/* How many are left. */
uint32_t gpci_bulk_count(const gpci_bulk *bulk, unsigned line_shift);
/* log2 of the bytes of a hierarchy's lines. */
unsigned gpci_bulk_shift(const gpc_hierarchy *h);
/* What is the same in all of its requests. The copy itself is counted. */
gpc_request gpci_bulk_request(gpc_hierarchy *h, const gpc_warp_access *access, uint32_t requests);
/* A request has been made, whose bytes go to so many SMs. */
void gpci_bulk_count_request(gpc_hierarchy *h, const gpc_request *request, const gpci_transaction *line,
                             uint32_t targets);
/* What a copy is not to be, NULL: nothing. */
const char *gpci_bulk_wrong(const gpc_hierarchy *h, const gpc_warp_access *access);

#endif
