/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_TEXT_HEADER_H
#define GPC_TRACE_TEXT_HEADER_H

#include "trace/files/line_reader.h"

/* Header of a text trace. */
typedef struct gpci_header {
    gpc_kernel kernel;
    char *name;    /* text of kernel.name */
    bool at_block; /* the header ended in a line #BEGIN_TB */
    bool has_grid, has_block;
} gpci_header;

/* Read to the end of the header. The caller must free `name`, even after an error. */
gpc_status gpci_header_read(gpci_header *header, gpci_lines *lines, gpc_error *error);

#endif
