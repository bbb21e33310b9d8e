/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_OPERANDS_H
#define GPC_TRACE_OPERANDS_H

#include <gpucache/replay.h>

#include "base/base.h"

/*
 * Data of an instruction for the issue stage of an SM, computed once for all warps: the occupied unit, and the
 * scoreboard entries read and written. Only RAW and WAW hazards matter, and so an instruction also waits for the
 * entries it writes. Zero registers and true predicates (RZ, URZ, PT, UPT) have no entries: no instruction ever waits
 * for them.
 *
 * Example: IADD3 R4, PT, R6, R8, RZ writes R4's entry, and waits for R4's, R6's and R8's.
 */

/*
 * Scoreboard layout: P, UP, R and UR, one behind the other; a number beyond its file wraps around. Few warps use high
 * numbers. A scoreboard is therefore divided into planes of GPCI_BOARD_ENTRIES entries, and the same plane of
 * GPCI_BOARD_WARPS warps is stored together. Unused planes are never touched, and cost no memory.
 *
 *   warps 0 to 63, plane 0: P, UP, R0 to R47 of warp 0; of warp 1; ...; then plane 1: R48 to R111 of warp 0; ...
 */
#define GPCI_BOARD_PLANES 6u
#define GPCI_BOARD_ENTRIES 64u
#define GPCI_BOARD_WARPS 64u
#define GPCI_BOARD_STRIDE (GPCI_BOARD_WARPS * GPCI_BOARD_ENTRIES)

/* A memory instruction names only the first of at most 4 registers that it writes. */
#define GPCI_MOST_OPERANDS (GPC_MAX_OPERANDS + 3u)

/*
 * Values of `use`, the unit that an instruction occupies: its gpc_op_class; for a memory instruction without accesses,
 * GPCI_USE_SPACE + its space; if all lanes are off, GPCI_USE_NOTHING.
 */
#define GPCI_USE_SPACE ((unsigned)GPC_OP_CLASS_COUNT)
#define GPCI_USE_NOTHING (GPCI_USE_SPACE + (unsigned)GPC_SPACE_COUNT)
#define GPCI_USE_CONSTANT (GPCI_USE_NOTHING + 1u) /* load of constants with addresses */
#define GPCI_USE_WORK (GPCI_USE_CONSTANT + 1u)    /* for each gpci_work but OTHER: integer, then FP */
#define GPCI_USES (GPCI_USE_WORK + 4u)

typedef struct gpci_operands {
    uint16_t entries[GPCI_MOST_OPERANDS]; /* written entries come first */
    uint8_t writes, count;
    uint8_t use;
    uint8_t planes; /* bit for each plane of `entries` */
    uint8_t copy;   /* gpc_copy, as the opcode says (gpci_operands_copy) */
} gpci_operands;

GPCI_INLINE uint32_t gpci_register_entry(uint16_t number) {
    static const struct { uint16_t first, mask; } files[4] = {{16, 255}, {272, 63}, {0, 7}, {8, 7}};
    uint32_t file = number >> 8 & 3, entry = files[file].first + (number & files[file].mask);
    return entry / GPCI_BOARD_ENTRIES * GPCI_BOARD_STRIDE + entry % GPCI_BOARD_ENTRIES;
}

/* Operands of an instruction, without the work and the copy, which only the opcode tells. */
gpci_operands gpci_operands_of(const gpc_instruction *instruction);

/* True if a memory instruction with addresses goes to the hierarchy. Constants go there only by loads (const.size). */
GPCI_INLINE bool gpci_space_is_recorded(const gpc_instruction *instruction) {
    return instruction->space <= GPC_SPACE_LOCAL || instruction->space == GPC_SPACE_MIXED ||
           (instruction->space == GPC_SPACE_CONSTANT && instruction->kind == GPC_LOAD);
}

/* True for a space that a trace's instruction may have: no instruction reads code. */
GPCI_INLINE bool gpci_space_is_known(uint8_t space) {
    return space < GPC_SPACE_COUNT && space != GPC_SPACE_INSTRUCTION;
}

/* Barrier named by an instruction, without GPC_REGISTER_BARRIER; UINT32_MAX: no barrier. */
GPCI_INLINE uint32_t gpci_barrier_of(const gpc_instruction *instruction) {
    const uint32_t count = (uint32_t)instruction->destinations + instruction->sources;
    const uint16_t last = count && count <= GPC_MAX_OPERANDS ? instruction->registers[count - 1] : 0;
    return last & GPC_REGISTER_BARRIER ? last & (GPC_REGISTER_BARRIER - 1u) : UINT32_MAX;
}

/* Get the n-th number, from 0, that the trace gives with a barrier (GPC_REGISTER_NUMBER). False: fewer numbers. */
bool gpci_number_of_barrier(const gpc_instruction *instruction, unsigned n, uint32_t *out);
/*
 * Add a number to an instruction that names a barrier. False: no barrier, no free operand, or the number is too large.
 */
bool gpci_mark_barrier(gpc_instruction *instruction, uint32_t number);

/* Set the work of an instruction. `work` must not be GPCI_WORK_OTHER. */
GPCI_INLINE void gpci_operands_work(gpci_operands *operands, unsigned work) {
    if (operands->use == GPC_OP_ALU || operands->use == GPC_OP_FP)
        operands->use = (uint8_t)(GPCI_USE_WORK + 2 * (work - 1) + (operands->use == GPC_OP_FP));
}

/* Set the copy of an instruction. A copy writes to shared memory, and to no register. */
GPCI_INLINE void gpci_operands_copy(gpci_operands *operands, uint8_t copy) {
    operands->copy = copy;
    operands->writes = copy == GPC_COPY_ASYNC || copy == GPC_COPY_BULK ? 0 : operands->writes;
}

#endif
