/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory/coalesce.h"

/*
 * Example, 128-byte lines, four lanes of 4 bytes at 0x100, 0x104, 0x1a0, 0x104:
 *   line 0x100, segment 0 (bytes 0..7), then line 0x180, segment 1 (bytes 32..35).
 */

/* The transaction of a line: most lanes touch the line of the lane before them. */
static gpci_transaction *transaction_of(gpci_transaction *transactions, uint32_t *count, uint64_t line) {
    for (uint32_t i = *count; i-- > 0;)
        if (transactions[i].address == line)
            return &transactions[i];
    transactions[*count] = (gpci_transaction){.address = line};
    return &transactions[(*count)++];
}

GPCI_INLINE void touch(gpci_transaction *t, uint32_t first, uint32_t bytes) {
    uint64_t mask = ~(uint64_t)0 >> (64 - bytes);
    uint32_t word = first / 64, shift = first % 64;
    t->bytes[word] |= mask << shift;
    if (shift + bytes > 64)
        t->bytes[1] |= mask >> (64 - shift);
    t->segments |= (uint8_t)((2u << ((first + bytes - 1) / GPCI_SEGMENT)) - (1u << (first / GPCI_SEGMENT)));
}

uint32_t gpci_coalesce(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                       gpci_transaction *transactions) {
    const uint32_t line_bytes = 1u << line_shift;
    uint32_t made = 0;
    gpci_transaction *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address = addresses[i];
        for (uint32_t left = width; left;) {
            uint32_t offset = (uint32_t)address & (line_bytes - 1);
            uint32_t bytes = left < line_bytes - offset ? left : line_bytes - offset;
            uint64_t line = address - offset;
            if (!last || last->address != line)
                last = transaction_of(transactions, &made, line);
            touch(last, offset, bytes);
            address += bytes;
            left -= bytes;
        }
    }
    return made;
}
