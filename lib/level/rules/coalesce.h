/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_COALESCE_H
#define GPC_LEVEL_COALESCE_H

#include "base/base.h"

#define GPCI_MAX_COALESCED 192u    /* 64 lanes of 64 bytes, each over three 32-byte lines */
#define GPCI_MAX_TRANSACTIONS 256u /* 64 lanes of 16 bytes of local memory, four words per lane */

/* Request of a warp instruction for one line. */
typedef struct gpci_transaction {
    uint64_t address;  /* of the line */
    uint64_t bytes[2]; /* bytes touched by lanes; lines of at most 128 bytes */
    uint8_t segments;  /* 32-byte segments touched */
    uint8_t asks;      /* for a block of a line: bit per block the instruction requests of the line (gpci_divide) */
    bool follows;      /* part of the same line as the transaction before (gpci_divide, gpci_split_by_sector) */
} gpci_transaction;

/* Number of bytes touched. */
GPCI_INLINE uint32_t gpci_transaction_bytes(const gpci_transaction *transaction) {
    const uint64_t *bytes = transaction->bytes;
    if ((bytes[0] & bytes[1]) == UINT64_MAX)
        return 128;
    return (bytes[0] ? gpci_popcount(bytes[0]) : 0) + (bytes[1] ? gpci_popcount(bytes[1]) : 0);
}

/*
 * Coalesce lanes into lines, in order of first touch (seeds/001 section II: a warp's accesses become one transaction
 * per distinct line).
 *   addresses  one per active lane, `count` addresses of `width` bytes
 *   line_shift log2 of the line size, 5 to 7
 * Returns the number of transactions, at most GPCI_MAX_COALESCED.
 */
uint32_t gpci_coalesce(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                       gpci_transaction *transactions);

/* gpci_coalesce for adjacent lanes, the common case: `bytes` from `address` on, a range by gpci_is_range. */
uint32_t gpci_coalesce_range(uint64_t address, uint64_t bytes, unsigned line_shift, gpci_transaction *transactions);

/* True if neither the range nor the end of its last line passes the last address. */
GPCI_INLINE bool gpci_is_range(uint64_t address, uint64_t bytes) {
    return address <= UINT64_MAX - bytes - 128;
}

/*
 * Divide transactions of lines into transactions of blocks: `blocks` per line, a power of two. Returns their number.
 *
 * Example, lines of 128 bytes, blocks of 32: line 0x100, segments 1001, becomes 0x100 and 0x160, segment 1 each.
 */
uint32_t gpci_divide(gpci_transaction *transactions, uint32_t count, unsigned line_shift, uint32_t blocks);

/* Sort transactions by descending address. */
void gpci_descend(gpci_transaction *transactions, uint32_t count);
/* Like gpci_coalesce, but without merging lanes: a transaction per lane and line, in order of lanes. */
uint32_t gpci_split(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                    gpci_transaction *transactions);

/*
 * Divide transactions of lines into transactions of 32-byte segments; addresses stay those of the line. Returns their
 * number.
 *
 * Example, lines of 128 bytes: line 0x100, segments 1001, becomes 0x100, segment 0001, and 0x100, segment 1000, with
 * `follows`.
 */
uint32_t gpci_split_by_sector(gpci_transaction *transactions, uint32_t count);

#endif
