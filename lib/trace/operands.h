/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_OPERANDS_H
#define GPC_TRACE_OPERANDS_H

#include <gpucache/trace.h>

#include "base/base.h"

/*
 * What the issue stage of an SM has to know of an instruction, found out once for all warps that execute it: what it
 * occupies, and the entries of a scoreboard that it waits for and writes. Only RAW and WAW matter, and so it waits for
 * what it writes, too; zero registers and true predicates (RZ, URZ, PT, UPT) are no entries, for nothing ever waits.
 *
 * Example: IADD3 R4, PT, R6, R8, RZ writes entry 4, and waits for 4, 6 and 8.
 */

/* R, UR, P and UP, one behind the other; a number beyond its file wraps. */
#define GPCI_SCOREBOARD_ENTRIES (256u + 64u + 8u + 8u)

/* A memory instruction names the first of at most 4 registers that it writes. */
#define GPCI_MOST_OPERANDS (GPC_MAX_OPERANDS + 3u)

/* What an instruction occupies: its gpc_op_class; this and its space, for memory without accesses; nothing, if off. */
#define GPCI_USE_SPACE ((unsigned)GPC_OP_CLASS_COUNT)
#define GPCI_USE_NOTHING (GPCI_USE_SPACE + (unsigned)GPC_SPACE_COUNT)
#define GPCI_USES (GPCI_USE_NOTHING + 1u)

typedef struct gpci_operands {
    uint16_t entries[GPCI_MOST_OPERANDS]; /* those that are written come first */
    uint8_t writes, count;
    uint8_t use;
    uint8_t lanes; /* that take part */
} gpci_operands;

GPCI_INLINE uint32_t gpci_register_entry(uint16_t number) {
    static const struct { uint16_t first, mask; } files[4] = {{0, 255}, {256, 63}, {320, 7}, {328, 7}};
    uint32_t file = number >> 8 & 3;
    return files[file].first + (number & files[file].mask);
}

/* Of an instruction that goes to the hierarchy if it is memory and has addresses. */
gpci_operands gpci_operands_of(const gpc_instruction *instruction);

#endif
