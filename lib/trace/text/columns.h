/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_COLUMNS_H
#define GPC_TRACE_TEXT_COLUMNS_H

#include "trace/files/line_reader.h"

/*
 * Columns in front of an instruction's PC, all decimal:
 *   [x y z warp] [cluster x y z, block in the cluster x y z, rank] [SM, warp slot] [source line]
 * Block and warp stand on each line of tracers before version 3, and, before post-traces-processing, of any tracer.
 * Columns of the cluster follow before post-traces-processing from version 6 on. SM and slot come with
 * TOOL_TRACE_CORE=1.
 */
#define GPCI_COLUMNS_BLOCK 4u
#define GPCI_COLUMNS_CLUSTER 7u
#define GPCI_COLUMNS_SM 2u
#define GPCI_NO_SM UINT32_MAX
#define GPCI_COLUMNS_IN_BLOCKS 7u /* most columns, if each thread block has a section of its own */

/* Number of columns, by the place of the first register or opcode; UINT32_MAX: no instruction. */
unsigned gpci_columns_count(const char *line);
/* True if the columns have SM and warp slot. `columns` must not count columns of the cluster. */
GPCI_INLINE bool gpci_columns_have_sm(unsigned columns) {
    return columns & GPCI_COLUMNS_SM;
}

/* Kind of the instruction lines behind a header. */
typedef struct gpci_columns {
    bool raw; /* instructions of all warps, in the order of the run */
    bool sms; /* instructions in sections of thread blocks, with SM columns */
} gpci_columns;

/* Find the kind of the instruction lines, by a look at the next lines. No line is read. */
gpc_status gpci_columns_look(gpci_lines *lines, gpc_error *error, gpci_columns *out);

/*
 * SM of each block, from the first instruction of each warp. Reads the file once.
 *   out  [kernel->block_count]
 */
gpc_status gpci_columns_placement(gpc_context *context, const char *path, const gpc_kernel *kernel, gpc_error *error,
                                  uint32_t **out);
/*
 * Allocate an SM for each block, all GPCI_NO_SM. GPC_ERROR_FORMAT: the grid has far more blocks than `there`, the bytes
 * of the file or the number of warps in the file.
 */
gpc_status gpci_columns_places(gpc_context *context, const char *path, const gpc_kernel *kernel, uint64_t there,
                               gpc_error *error, uint32_t **out);
/* Set a block's SM. GPC_ERROR_FORMAT: the block has another SM already. */
gpc_status gpci_columns_place(uint32_t *places, uint32_t block, uint32_t sm, const char *path, uint64_t number,
                              gpc_error *error);
/* Put blocks without instructions on SM 0: a replay never starts such blocks. */
void gpci_columns_places_end(uint32_t *places, uint64_t count);

#endif
