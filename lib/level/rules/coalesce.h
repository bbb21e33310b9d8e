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

/*
 * Banks of L1's tags; a bank looks up one line a cycle (l1.banks). The bank of a line, and the order of an
 * instruction's lines (l1.line_order).
 */

typedef enum gpci_line_order {
    GPCI_LINES_BY_LANE = 0,
    GPCI_LINES_DESCEND = 1, /* from the highest address down */
    GPCI_LINES_BY_BANK = 2  /* in rounds: in a round every bank gets its next line */
} gpci_line_order;

/* Bits of a hashed bank number. */
#define GPCI_BANK_BITS 2u

typedef struct gpci_tag_banks {
    uint32_t count;
    unsigned line_shift;
    bool hashed; /* l1.bank_index = hopper */
    /* With `hashed`: bit k of the bank is the parity of these bits of the line number. */
    uint64_t masks[GPCI_BANK_BITS];
} gpci_tag_banks;

GPCI_INLINE uint32_t gpci_tag_bank(const gpci_tag_banks *banks, uint64_t address) {
    const uint64_t line = address >> banks->line_shift;
    if (banks->hashed)
        return gpci_parity(line & banks->masks[0]) | gpci_parity(line & banks->masks[1]) << 1;
    return (uint32_t)(gpci_power_of_two(banks->count) ? line & (banks->count - 1) : line % banks->count);
}

/*
 * hierarchy.h: banks of L1's tags from the keys. gpci_check_l1_banks: GPC_ERROR_RANGE if keys of tag or data banks have
 * no effect.
 */
gpci_tag_banks gpci_tag_banks_of(const gpc_hierarchy *hierarchy);
gpc_status gpci_check_l1_banks(const gpc_hierarchy *hierarchy, gpc_error *error);

/*
 * Sort an instruction's lines by `order`.
 *
 * Example, two banks, lines 0, 2, 4, 1 in order of lanes. GPCI_LINES_BY_BANK: 0, 1, then 2, then 4, in three cycles. By
 * lane: 0, then 2, then 4, 1, also three. Lines 0, 2, 1, 3: by bank 0, 1, then 2, 3; by lane 0, then 2, 1, then 3.
 */
void gpci_order_lines(gpci_line_order order, const gpci_tag_banks *banks, gpci_transaction *lines, uint32_t count);

#endif
