/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_COALESCE_H
#define GPC_LEVEL_COALESCE_H

#include "base/base.h"

#define GPCI_MAX_COALESCED 192u    /* 64 lanes of 64 bytes, each over three 32-byte lines */
#define GPCI_MAX_TRANSACTIONS 256u /* 64 lanes of 16 bytes of local memory, four words per lane */

/* Request of a warp instruction for one line. */
typedef struct gpci_transaction {
    uint64_t address;  /* address of the line */
    uint64_t bytes[2]; /* mask of the touched bytes; a line has at most 128 bytes */
    uint8_t segments;  /* mask of the touched 32-byte segments */
    uint8_t asks;      /* after gpci_divide: mask of the line's blocks that the instruction touches */
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

/* gpci_coalesce for lanes that touch the adjacent `bytes` bytes from `address` on (gpci_is_range), the common case. */
uint32_t gpci_coalesce_range(uint64_t address, uint64_t bytes, unsigned line_shift, gpci_transaction *transactions);

/* True if the range, and the end of its last line, are below the largest 64-bit address. */
GPCI_INLINE bool gpci_is_range(uint64_t address, uint64_t bytes) {
    return address <= UINT64_MAX - bytes - 128;
}

/*
 * Divide transactions of lines into transactions of blocks. A line has `blocks` blocks, a power of two. Returns the
 * number of transactions.
 *
 * Example, lines of 128 bytes, blocks of 32 bytes: a transaction of line 0x100 with `segments` 1001 becomes two
 * transactions, of the blocks 0x100 and 0x160, each with `segments` 1.
 */
uint32_t gpci_divide(gpci_transaction *transactions, uint32_t count, unsigned line_shift, uint32_t blocks);

/* Sort transactions by descending address. */
void gpci_descend(gpci_transaction *transactions, uint32_t count);
/* gpci_coalesce for each lane separately: a transaction per lane and line, in order of lanes. */
uint32_t gpci_split(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                    gpci_transaction *transactions);

/*
 * Divide transactions of lines into transactions of 32-byte segments. The address of a transaction stays the address of
 * the line. Returns the number of transactions.
 *
 * Example, lines of 128 bytes: a transaction of line 0x100 with `segments` 1001 becomes two transactions of line 0x100,
 * with `segments` 0001 and 1000. The second transaction `follows`.
 */
uint32_t gpci_split_by_sector(gpci_transaction *transactions, uint32_t count);

/*
 * L1's tags are divided into banks (l1.banks). A bank looks up one line a cycle. The following functions find the bank
 * of a line, and sort the lines of an instruction (l1.line_order).
 */

typedef enum gpci_line_order {
    GPCI_LINES_BY_LANE = 0,
    GPCI_LINES_DESCEND = 1, /* from the highest address down */
    GPCI_LINES_BY_BANK = 2  /* in rounds: a round has the next line of every bank */
} gpci_line_order;

/* Choices of l1.bank_index. */
typedef enum gpci_bank_index {
    GPCI_BANKS_BY_LINE = 0,
    GPCI_BANKS_BY_HOPPER = 1,
    GPCI_BANKS_BY_FOLD = 2
} gpci_bank_index;

/* Number of bits of a hashed bank number. */
#define GPCI_BANK_BITS 2u

typedef struct gpci_tag_banks {
    uint32_t count;
    unsigned line_shift;
    bool hashed; /* l1.bank_index = hopper or xor */
    /* With `hashed`: bit k of the bank number is the parity of line number & masks[k]. */
    uint64_t masks[GPCI_BANK_BITS];
} gpci_tag_banks;

GPCI_INLINE uint32_t gpci_tag_bank(const gpci_tag_banks *banks, uint64_t address) {
    const uint64_t line = address >> banks->line_shift;
    if (banks->hashed)
        return gpci_parity(line & banks->masks[0]) | gpci_parity(line & banks->masks[1]) << 1;
    return (uint32_t)(gpci_power_of_two(banks->count) ? line & (banks->count - 1) : line % banks->count);
}

/*
 * tag_banks.c. gpci_tag_banks_of: read the banks of L1's tags from the configuration. gpci_check_l1_banks:
 * GPC_ERROR_RANGE if keys of tag banks or data banks have no effect.
 */
gpci_tag_banks gpci_tag_banks_of(const gpc_hierarchy *hierarchy);
gpc_status gpci_check_l1_banks(const gpc_hierarchy *hierarchy, gpc_error *error);

/*
 * Sort an instruction's lines by `order`.
 *
 * Example, two banks, lines 0, 2, 1, 3 in order of lanes. Even lines are in bank 0. Parentheses enclose the lines of a
 * cycle. GPCI_LINES_BY_LANE: (0) (2, 1) (3). GPCI_LINES_BY_BANK: (0, 1) (2, 3). For lines 0, 2, 4, 1 both orders take
 * three cycles: (0) (2) (4, 1), and (0, 1) (2) (4).
 */
void gpci_order_lines(gpci_line_order order, const gpci_tag_banks *banks, gpci_transaction *lines, uint32_t count);

#endif
