/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_ROWS_H
#define GPC_TRACE_ROWS_H

#include "trace/builder.h"

/* Memory instructions of a kernel, in any order, that become its thread blocks. */

/* A memory instruction of a warp. */
typedef struct gpci_row {
    uint64_t block, warp, cycle, number; /* by which rows are sorted; number: of the row */
    uint64_t pc, mask;
    size_t first;    /* of its addresses, as many as `mask` has bits; GPCI_NO_ADDRESSES: it is a fence */
    uint32_t opcode; /* of the trace */
    uint32_t sm;     /* UINT32_MAX: not said */
    uint32_t form;   /* for `made` */
    uint8_t width;   /* in place of the opcode's; 0: as that says */
} gpci_row;

#define GPCI_NO_ADDRESSES SIZE_MAX

/* A kernel's rows. */
typedef struct gpci_rows {
    gpc_context *context;
    gpci_row *items;
    size_t count, capacity;
    uint64_t *addresses;
    size_t address_count, address_capacity;
    uint64_t blocks, warps; /* one more than the largest number of each */
    bool has_sm;
    /* What an opcode's text does not say of an instruction that was made of a row; NULL: it says all. */
    void (*made)(const void *data, const gpci_row *row, gpc_instruction *instruction);
    const void *data;
} gpci_rows;

void gpci_rows_clear(gpci_rows *rows);
void gpci_rows_destroy(gpci_rows *rows);
/* A row, whose addresses have been added last. */
gpc_status gpci_rows_add(gpci_rows *rows, const gpci_row *row, gpc_error *error);
gpc_status gpci_rows_add_address(gpci_rows *rows, uint64_t address, gpc_error *error);
/* By block, warp, cycle and number. */
void gpci_rows_sort(gpci_rows *rows);
/* The block that begins with row `*next` of sorted ones, which is moved behind it. GPC_END behind the last. */
gpc_status gpci_rows_block(const gpci_rows *rows, size_t *next, const gpc_kernel *kernel, gpci_opcodes *opcodes,
                           gpci_block *block, gpc_error *error);
/* SASS of a kind and width of 1, 2, 4, 8 or 16 bytes, as the rest of the library decodes it. UINT32_MAX: no memory. */
uint32_t gpci_rows_opcode(gpci_opcodes *opcodes, gpc_kind kind, bool local, uint64_t width);
/* Blocks' and warps' numbers are below these. */
#define GPCI_ROWS_BLOCKS UINT32_MAX
#define GPCI_ROWS_WARPS 1024u

#endif
