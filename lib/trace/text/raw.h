/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_RAW_H
#define GPC_TRACE_TEXT_RAW_H

#include "trace/text/header.h"
#include "trace/text/line.h"

/*
 * A kernel as the tracer leaves it, before post-traces-processing: instructions of all warps as they ran. They are held
 * in memory, a line's text once however many warps have it, and given out block by block.
 */
typedef struct gpci_raw gpci_raw;

/* All lines behind the header. `lines` lives longer. */
gpc_status gpci_raw_read(gpci_lines *lines, const gpc_kernel *kernel, gpc_error *error, gpci_raw **out);
void gpci_raw_destroy(gpci_raw *raw);

/* The next thread block; GPC_END behind the last. */
gpc_status gpci_raw_block(gpci_raw *raw, gpci_line_parser *parser, gpci_block *block, gpc_error *error);
void gpci_raw_rewind(gpci_raw *raw);
/* How much of it has been given out, 0 to 1. */
double gpci_raw_progress(const gpci_raw *raw);
/* SM of each block of the grid, where the lines tell them; else *out stays. */
gpc_status gpci_raw_placement(const gpci_raw *raw, gpc_error *error, uint32_t **out);

#endif
