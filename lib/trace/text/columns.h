/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_COLUMNS_H
#define GPC_TRACE_TEXT_COLUMNS_H

#include "trace/line_reader.h"

/*
 * Columns in front of an instruction's PC, all decimal:
 *   [x y z warp] [cluster x y z, block in it x y z, rank] [SM, warp slot] [source line]
 * Block and warp stand on each line of tracers before version 3, and on each line of what any tracer leaves before
 * post-traces-processing; the cluster's there, from version 6 on; SM and slot with TOOL_TRACE_CORE=1.
 */
#define GPCI_COLUMNS_BLOCK 4u
#define GPCI_COLUMNS_CLUSTER 7u
#define GPCI_COLUMNS_SM 2u
#define GPCI_COLUMNS_IN_BLOCKS 7u /* at most, where thread blocks are apart */

/* How many a line has, from where its first register or opcode stands; UINT32_MAX: no instruction has so many. */
unsigned gpci_columns_count(const char *line);
/* Of that many, or what is left of them behind the block's and the cluster's: are SM and slot there? */
GPCI_INLINE bool gpci_columns_have_sm(unsigned columns) {
    return columns & GPCI_COLUMNS_SM;
}

/* What stands behind a header. */
typedef struct gpci_columns {
    bool raw; /* instructions at once, of all warps as they ran */
    bool sms; /* instructions in thread blocks, with their SMs */
} gpci_columns;

/* Looks at lines that are still to be read. */
gpc_status gpci_columns_look(gpci_lines *lines, gpc_error *error, gpci_columns *out);

/*
 * SM of each block of a file whose instructions tell it, from the first of each warp: the file is read for it.
 *   out  [kernel->block_count]
 */
gpc_status gpci_columns_placement(gpc_context *context, const char *path, const gpc_kernel *kernel, gpc_error *error,
                                  uint32_t **out);
/* Room for SMs, UINT32_MAX each. GPC_ERROR_FORMAT where a grid is far larger than what is there of it. */
gpc_status gpci_columns_places(gpc_context *context, const char *path, const gpc_kernel *kernel, uint64_t there,
                               gpc_error *error, uint32_t **out);
/* A block's SM. GPC_ERROR_FORMAT where it had another one. */
gpc_status gpci_columns_place(uint32_t *places, uint32_t block, uint32_t sm, const char *path, uint64_t number,
                              gpc_error *error);
/* Blocks that are not there are on SM 0, which nobody asks for. */
void gpci_columns_places_end(uint32_t *places, uint64_t count);

#endif
