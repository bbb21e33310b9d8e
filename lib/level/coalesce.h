/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_COALESCE_H
#define GPC_LEVEL_COALESCE_H

#include "base/base.h"

#define GPCI_MAX_COALESCED 192u    /* 64 lanes of 64 bytes, each over three 32-byte lines */
#define GPCI_MAX_TRANSACTIONS 256u /* 64 lanes of 16 bytes of local memory, each of four words */

/* What a warp instruction asks of one line. */
typedef struct gpci_transaction {
    uint64_t address;  /* of the line */
    uint64_t bytes[2]; /* that lanes touch; lines of at most 128 bytes */
    uint8_t segments;  /* 32-byte segments that they touch */
    uint8_t asks;      /* of a block of a line: all of the line that are asked for, a bit each: gpci_divide */
    bool follows;      /* a part of the line that the one before it is of: likewise, or gpci_apart */
} gpci_transaction;

/* How many bytes those are. */
GPCI_INLINE uint32_t gpci_transaction_bytes(const gpci_transaction *transaction) {
    const uint64_t *bytes = transaction->bytes;
    if ((bytes[0] & bytes[1]) == UINT64_MAX)
        return 128;
    return (bytes[0] ? gpci_popcount(bytes[0]) : 0) + (bytes[1] ? gpci_popcount(bytes[1]) : 0);
}

/*
 * Lines that the lanes touch, in the order of first touch (seeds/001 section II:
 * a warp's accesses become one transaction per distinct line).
 *   addresses  one per lane that takes part, `count` of them, each of `width` bytes
 *   line_shift log2 of the line size, 5 to 7
 * Returns the number of transactions, at most GPCI_MAX_COALESCED.
 */
uint32_t gpci_coalesce(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                       gpci_transaction *transactions);

/* As gpci_coalesce, of lanes side by side, as most are: of `bytes` from `address` on, that are a range. */
uint32_t gpci_coalesce_range(uint64_t address, uint64_t bytes, unsigned line_shift, gpci_transaction *transactions);

/* Not beyond the last address there is, nor are lines' ends. */
GPCI_INLINE bool gpci_is_range(uint64_t address, uint64_t bytes) {
    return address <= UINT64_MAX - bytes - 128;
}

/*
 * Transactions of lines become those of the blocks that they touch: `blocks` a line, a power of two. Returns how many.
 *
 * Example, lines of 128 bytes, blocks of 32: line 0x100, segments 1001, becomes 0x100 and 0x160, segment 1 each.
 */
uint32_t gpci_divide(gpci_transaction *transactions, uint32_t count, unsigned line_shift, uint32_t blocks);

/* Put transactions in the order of their addresses, the highest first. */
void gpci_descend(gpci_transaction *transactions, uint32_t count);
/* As gpci_coalesce, and no two lanes together: each lane's part of each line, in the order of lanes. */
uint32_t gpci_split(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                    gpci_transaction *transactions);

/*
 * Transactions of lines become those of their 32-byte segments, each still of its line. Returns how many.
 *
 * Example, lines of 128 bytes: line 0x100, segments 1001, becomes 0x100, segment 0001, and 0x100, 1000, which follows.
 */
uint32_t gpci_apart(gpci_transaction *transactions, uint32_t count);

#endif
