/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_RAW_H
#define GPC_TRACE_TEXT_RAW_H

#include "trace/text/header.h"
#include "trace/text/line.h"

/*
 * Kernel in the tracer's own file, before post-traces-processing: instructions of all warps in the order of the run.
 * All lines are kept in memory, equal texts once. Then blocks are built in the order of their indices.
 */
typedef struct gpci_raw gpci_raw;

/* Read all lines behind the header. `lines` must outlive the result. */
gpc_status gpci_raw_read(gpci_lines *lines, const gpc_kernel *kernel, gpc_error *error, gpci_raw **out);
void gpci_raw_destroy(gpci_raw *raw);

/* Build the next thread block. GPC_END behind the last. */
gpc_status gpci_raw_block(gpci_raw *raw, gpci_line_parser *parser, gpci_block *block, gpc_error *error);
void gpci_raw_rewind(gpci_raw *raw);
/* Part of the warps already built into blocks, 0 to 1. */
double gpci_raw_progress(const gpci_raw *raw);
/* Set *out to the SM of each block of the grid. If the lines have no SMs, *out stays unchanged. */
gpc_status gpci_raw_placement(const gpci_raw *raw, gpc_error *error, uint32_t **out);

#endif
