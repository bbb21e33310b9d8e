/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_BUILDER_H
#define GPC_TRACE_BUILDER_H

#include "base/base.h"

/* Opcodes of a trace: each distinct text stored and decoded once. */
typedef struct gpci_opcodes gpci_opcodes;

/* Integer and floating-point instructions whose latency may differ from an addition's. */
typedef enum gpci_work { GPCI_WORK_OTHER, GPCI_WORK_MOVE, GPCI_WORK_FMA } gpci_work;

typedef struct gpci_opcode {
    const char *text;
    uint8_t op_class, kind, space, hint, priority, width; /* as in gpc_instruction; width 0 = not a memory opcode */
    uint8_t scope, order, control, copy;                  /* as in gpc_ordering */
    uint8_t work;                                         /* gpci_work */
    uint8_t mapped;                                       /* as in gpc_ordering */
    bool width_stated; /* a modifier states the width, which overrides a trace's own figure */
    bool unknown;      /* no table of opcodes has the name */
} gpci_opcode;

gpci_opcodes *gpci_opcodes_create(gpc_context *context);
void gpci_opcodes_destroy(gpci_opcodes *opcodes);
/* Index of an opcode text, added if new. UINT32_MAX: out of memory. */
uint32_t gpci_opcodes_intern(gpci_opcodes *opcodes, const char *text, size_t length);
const gpci_opcode *gpci_opcodes_at(const gpci_opcodes *opcodes, uint32_t index);
size_t gpci_opcodes_count(const gpci_opcodes *opcodes);

/*
 * Thread block under construction. Its memory is flat (warps, instructions, addresses), and is used again for later
 * blocks.
 *
 * First comes gpci_block_start; then, for each warp, gpci_block_warp and a gpci_block_add for each instruction; at last
 * gpci_block_finish.
 */
typedef struct gpci_block gpci_block;

gpci_block *gpci_block_create(gpc_context *context);
void gpci_block_destroy(gpci_block *block);
/* Forget the contents, keep the memory. `warp_count` warps are expected. */
gpc_status gpci_block_start(gpci_block *block, uint32_t x, uint32_t y, uint32_t z, uint32_t index, uint32_t warp_count);
/* Begin a warp: the following instructions belong to the warp. GPC_ERROR_FORMAT: out of range, or begun before. */
gpc_status gpci_block_warp(gpci_block *block, uint32_t warp);
/*
 * Append an instruction with opcode, pc, mask and the opcode's fields; other fields are 0. With `with_addresses`,
 * `*addresses` gets room for popcount(mask) addresses; otherwise NULL. The pointers are valid until the next call.
 * NULL: out of memory.
 */
gpc_instruction *gpci_block_add(gpci_block *block, const gpci_opcodes *opcodes, uint32_t opcode, uint64_t pc,
                                uint64_t mask, bool with_addresses, uint64_t **addresses);
/* Sort the warps, end each warp with an EXIT, and make the public view. */
gpc_status gpci_block_finish(gpci_block *block, gpci_opcodes *opcodes);
const gpc_block *gpci_block_view(const gpci_block *block);
/* Block of a public view. */
gpci_block *gpci_block_of(const gpc_block *view);

#endif
