/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_HEADER_H
#define GPC_TRACE_TEXT_HEADER_H

#include "trace/line_reader.h"

/* The header of a text trace. */
typedef struct gpci_header {
    gpc_kernel kernel;
    char *name;    /* kernel.name points to it */
    bool at_block; /* the line that ended the header is #BEGIN_TB */
    bool has_grid, has_block;
} gpci_header;

/* Read to the end of the header. On failure, too, `name` is to be freed. */
gpc_status gpci_header_read(gpci_header *header, gpci_lines *lines, gpc_error *error);

#endif
