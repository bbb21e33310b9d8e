/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_LEVEL_TAG_BANKS_H
#define GPC_LEVEL_TAG_BANKS_H

#include "level/coalesce.h"

/*
 * Banks of L1's tags, each of which looks up one line a cycle (l1.banks): which one a line is in, and the order in
 * which an instruction's lines come to them (l1.line_order).
 */

typedef enum gpci_line_order {
    GPCI_LINES_BY_LANE = 0,
    GPCI_LINES_DESCEND = 1, /* from the highest address down */
    GPCI_LINES_BY_BANK = 2  /* each bank its next line: as many rounds as the bank that has most of them */
} gpci_line_order;

/* Bits of a bank's number where lines are hashed to banks. */
#define GPCI_BANK_BITS 2u

typedef struct gpci_tag_banks {
    uint32_t count;
    unsigned line_shift;
    bool hashed;                    /* l1.bank_index = hopper */
    uint64_t masks[GPCI_BANK_BITS]; /* with that: bit k of a bank is the parity of these bits of the line's number */
} gpci_tag_banks;

GPCI_INLINE uint32_t gpci_tag_bank(const gpci_tag_banks *banks, uint64_t address) {
    const uint64_t line = address >> banks->line_shift;
    if (banks->hashed)
        return gpci_parity(line & banks->masks[0]) | gpci_parity(line & banks->masks[1]) << 1;
    return (uint32_t)(gpci_power_of_two(banks->count) ? line & (banks->count - 1) : line % banks->count);
}

/* hierarchy.h: what the keys say of those of L1; GPC_ERROR_RANGE: something of it, or of its data's banks, is idle. */
gpci_tag_banks gpci_tag_banks_of(const gpc_hierarchy *h);
gpc_status gpci_check_l1_banks(const gpc_hierarchy *h, gpc_error *error);

/*
 * Put an instruction's lines in that order.
 *
 * Example, two banks, lines 0, 2, 4, 1 as lanes touch them, GPCI_LINES_BY_BANK: 0, 1, then 2, then 4, in three cycles;
 * as lanes touch them, 0, then 2, then 4, 1, also three; lines 0, 2, 1, 3: 0, 1, then 2, 3, and by lane 0, then 2, 1,
 * then 3.
 */
void gpci_order_lines(gpci_line_order order, const gpci_tag_banks *banks, gpci_transaction *lines, uint32_t count);

#endif
