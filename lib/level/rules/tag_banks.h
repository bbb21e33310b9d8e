/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_TAG_BANKS_H
#define GPC_LEVEL_TAG_BANKS_H

#include "level/rules/coalesce.h"

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
