/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_ROWS_H
#define GPC_TRACE_ROWS_H

#include "trace/blocks/builder.h"

/* Memory instructions of a kernel, in any order, converted to thread blocks. */

/* Memory instruction of a warp. */
typedef struct gpci_row {
    uint64_t block, warp, cycle, number; /* sort keys; number: order of addition */
    uint64_t pc, mask;
    size_t first;    /* index in `addresses`, which has an address for each bit of `mask`; GPCI_NO_ADDRESSES: a fence */
    uint32_t opcode; /* opcode index of the trace */
    uint32_t sm;     /* UINT32_MAX: unknown */
    uint32_t form;   /* number of a form, for gpci_rows.made */
    uint8_t width;   /* overrides the opcode's width; 0: the opcode's width */
} gpci_row;

#define GPCI_NO_ADDRESSES SIZE_MAX

/* Rows of a kernel. */
typedef struct gpci_rows {
    gpc_context *context;
    gpci_row *items;
    size_t count, capacity;
    uint64_t *addresses;
    size_t address_count, address_capacity;
    uint64_t blocks, warps; /* largest block number + 1, largest warp number + 1 */
    bool has_sm;
    /* sets the fields of an instruction that its opcode's text cannot tell; NULL: the text tells all fields */
    void (*made)(const void *data, const gpci_row *row, gpc_instruction *instruction);
    const void *data;
} gpci_rows;

void gpci_rows_clear(gpci_rows *rows);
void gpci_rows_destroy(gpci_rows *rows);
/* Add a row; its addresses have been added before. */
gpc_status gpci_rows_add(gpci_rows *rows, const gpci_row *row, gpc_error *error);
gpc_status gpci_rows_add_address(gpci_rows *rows, uint64_t address, gpc_error *error);
/* Sort by block, warp, cycle and number. */
void gpci_rows_sort(gpci_rows *rows);
/* Build the block at sorted row `*next`, and move `*next` behind the block. GPC_END behind the last. */
gpc_status gpci_rows_block(const gpci_rows *rows, size_t *next, const gpc_kernel *kernel, gpci_opcodes *opcodes,
                           gpci_block *block, gpc_error *error);
/*
 * Index of the SASS opcode for an access of a kind and a width of 1, 2, 4, 8 or 16 bytes. UINT32_MAX: out of memory.
 */
uint32_t gpci_rows_opcode(gpci_opcodes *opcodes, gpc_kind kind, bool local, uint64_t width);
/* Upper limits of block and warp numbers (exclusive). */
#define GPCI_ROWS_BLOCKS UINT32_MAX
#define GPCI_ROWS_WARPS 1024u

#endif
