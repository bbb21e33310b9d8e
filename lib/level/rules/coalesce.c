/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/coalesce.h"

#include <string.h>

/*
 * Example, lines of 128 bytes: four lanes load 4 bytes at 0x100, 0x104, 0x1a0 and 0x104. The transactions are line
 * 0x100 with segment 0 (bytes 0 to 7), and then line 0x180 with segment 1 (bytes 32 to 35).
 */

#define FEW 6u     /* up to this number, transactions are searched one by one; above, in a hash table */
#define SLOTS 256u /* size of the hash table: a power of two, above GPCI_MAX_COALESCED */

typedef struct found {
    gpci_transaction *all;
    uint32_t count;
    unsigned line_shift;
    uint8_t slots[SLOTS]; /* hash table, used above FEW transactions: index of a transaction + 1; 0: free */
} found;

/* Slot of a line in the table. If the table lacks the line, the free slot for the line. */
GPCI_INLINE uint8_t *slot_of(found *groups, uint64_t line) {
    uint32_t slot = (uint32_t)((line >> groups->line_shift) * 0x9e3779b97f4a7c15u >> 56);
    while (groups->slots[slot] && groups->all[groups->slots[slot] - 1].address != line)
        slot = (slot + 1) % SLOTS;
    return &groups->slots[slot];
}

GPCI_INLINE gpci_transaction *add(found *groups, uint64_t line) {
    groups->all[groups->count] = (gpci_transaction){.address = line};
    return &groups->all[groups->count++];
}

static GPCI_NOINLINE void fill_table(found *groups) {
    memset(groups->slots, 0, sizeof groups->slots);
    for (uint32_t i = 0; i < groups->count; i++)
        *slot_of(groups, groups->all[i].address) = (uint8_t)(i + 1);
}

GPCI_INLINE gpci_transaction *transaction_of(found *groups, uint64_t line) {
    if (groups->count <= FEW) {
        for (uint32_t i = groups->count; i-- > 0;)
            if (groups->all[i].address == line)
                return &groups->all[i];
        if (groups->count < FEW)
            return add(groups, line);
        fill_table(groups);
    }
    uint8_t *slot = slot_of(groups, line);
    if (*slot)
        return &groups->all[*slot - 1];
    *slot = (uint8_t)(groups->count + 1);
    return add(groups, line);
}

GPCI_INLINE void touch(gpci_transaction *transaction, uint32_t first, uint32_t bytes) {
    uint64_t mask = ~(uint64_t)0 >> (64 - bytes);
    uint32_t word = first / 64, shift = first % 64;
    transaction->bytes[word] |= mask << shift;
    if (shift + bytes > 64)
        transaction->bytes[1] |= mask >> (64 - shift);
    transaction->segments |= (uint8_t)((2u << ((first + bytes - 1) / GPCI_SEGMENT)) - (1u << (first / GPCI_SEGMENT)));
}

GPCI_INLINE uint64_t bits_below(uint32_t n) {
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

/* Set the bytes [first, end) of a transaction. */
GPCI_INLINE void touch_range(gpci_transaction *transaction, uint32_t first, uint32_t end) {
    transaction->bytes[0] = bits_below(end) & ~bits_below(first);
    transaction->bytes[1] = bits_below(end > 64 ? end - 64 : 0) & ~bits_below(first > 64 ? first - 64 : 0);
    transaction->segments = (uint8_t)((2u << ((end - 1) / GPCI_SEGMENT)) - (1u << (first / GPCI_SEGMENT)));
}

uint32_t gpci_coalesce_range(uint64_t address, uint64_t bytes, unsigned line_shift, gpci_transaction *transactions) {
    const uint64_t line_bytes = (uint64_t)1 << line_shift, end = address + bytes;
    uint32_t count = 0;
    for (uint64_t line = address & ~(line_bytes - 1); line < end; line += line_bytes) {
        gpci_transaction *transaction = &transactions[count++];
        *transaction = (gpci_transaction){.address = line};
        touch_range(transaction, address > line ? (uint32_t)(address - line) : 0,
                    (uint32_t)(end - line < line_bytes ? end - line : line_bytes));
    }
    return count;
}

static bool side_by_side(const uint64_t *addresses, uint32_t count, uint32_t width) {
    uint64_t off = !gpci_is_range(addresses[0], (uint64_t)count * width);
    for (uint32_t i = 1; i < count; i++)
        off |= addresses[i] - addresses[i - 1] - width;
    return !off;
}

uint32_t gpci_coalesce(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                       gpci_transaction *transactions) {
    const uint32_t line_bytes = 1u << line_shift;
    if (count && side_by_side(addresses, count, width))
        return gpci_coalesce_range(addresses[0], (uint64_t)count * width, line_shift, transactions);
    found groups;
    groups.all = transactions;
    groups.count = 0;
    groups.line_shift = line_shift;
    gpci_transaction *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address = addresses[i];
        for (uint32_t left = width; left;) {
            uint32_t offset = (uint32_t)address & (line_bytes - 1);
            uint32_t bytes = left < line_bytes - offset ? left : line_bytes - offset;
            uint64_t line = address - offset;
            if (!last || last->address != line)
                last = transaction_of(&groups, line);
            touch(last, offset, bytes);
            address += bytes;
            left -= bytes;
        }
    }
    return groups.count;
}

void gpci_descend(gpci_transaction *transactions, uint32_t count) {
    for (uint32_t i = 0, j = count; i + 1 < j; i++) { /* addresses mostly ascend by lane: reverse the order first */
        const gpci_transaction transaction = transactions[i];
        transactions[i] = transactions[--j];
        transactions[j] = transaction;
    }
    for (uint32_t i = 1; i < count; i++) {
        const gpci_transaction transaction = transactions[i];
        uint32_t at = i;
        for (; at && transactions[at - 1].address < transaction.address; at--)
            transactions[at] = transactions[at - 1];
        transactions[at] = transaction;
    }
}

uint32_t gpci_split(const uint64_t *addresses, uint32_t count, uint32_t width, unsigned line_shift,
                    gpci_transaction *transactions) {
    uint32_t split = 0;
    for (uint32_t i = 0; i < count; i++)
        split += gpci_coalesce(&addresses[i], 1, width, line_shift, transactions + split);
    return split;
}

/* Part of a transaction, as a transaction of its own: bytes [first, first + bytes) of the line. */
static gpci_transaction part_of(const gpci_transaction *transaction, uint32_t first, uint32_t bytes) {
    const uint64_t word = transaction->bytes[first / 64] >> first % 64;
    gpci_transaction part = {.address = transaction->address + first};
    part.bytes[0] = bytes < 64 ? word & (((uint64_t)1 << bytes) - 1) : word;
    part.bytes[1] = bytes > 64 ? transaction->bytes[1] : 0;
    part.segments = transaction->segments >> first / GPCI_SEGMENT & (uint8_t)((1u << bytes / GPCI_SEGMENT) - 1);
    return part;
}

uint32_t gpci_divide(gpci_transaction *transactions, uint32_t count, unsigned line_shift, uint32_t blocks) {
    const uint32_t bytes = (1u << line_shift) / blocks;
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t block = 0; block < blocks; block++)
            total += part_of(&transactions[i], block * bytes, bytes).segments != 0;
    for (uint32_t i = count, at = total; i-- > 0;) {
        const gpci_transaction line = transactions[i];
        uint32_t first = at, end = at;
        uint8_t asks = 0;
        for (uint32_t block = blocks; block-- > 0;) {
            const gpci_transaction part = part_of(&line, block * bytes, bytes);
            if (!part.segments)
                continue;
            first = --at;
            transactions[at] = part;
            transactions[at].follows = true;
            asks |= (uint8_t)(1u << block);
        }
        transactions[first].follows = false;
        while (end > first)
            transactions[--end].asks = asks;
    }
    return total;
}

/* Byte mask of one segment of a line. */
GPCI_INLINE uint64_t bytes_of(unsigned segment) {
    return (uint64_t)UINT32_MAX << segment % 2 * GPCI_SEGMENT;
}

uint32_t gpci_split_by_sector(gpci_transaction *transactions, uint32_t count) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += gpci_popcount(transactions[i].segments);
    for (uint32_t i = count, at = total; i-- > 0;) {
        const gpci_transaction line = transactions[i];
        for (unsigned segment = 4; segment-- > 0;) {
            if (!(line.segments >> segment & 1))
                continue;
            gpci_transaction *part = &transactions[--at];
            *part = (gpci_transaction){.address = line.address, .segments = (uint8_t)(1u << segment)};
            part->bytes[segment / 2] = line.bytes[segment / 2] & bytes_of(segment);
            part->follows = (line.segments & (part->segments - 1u)) != 0;
        }
    }
    return total;
}
