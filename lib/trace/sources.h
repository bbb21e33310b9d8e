/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SOURCES_H
#define GPC_TRACE_SOURCES_H

#include "trace/input.h"
#include "trace/source.h"

/* One .traceg file, plain or compressed, with the placement beside it. The header is read at once. */
gpc_status gpci_text_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                          gpci_source **out);
/* A kernelslist.g. */
gpc_status gpci_list_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                          gpci_source **out);
/* A folder: its kernelslist.g, or else its .traceg files in order of their numbers. */
gpc_status gpci_folder_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out);
/* A .gct file. */
gpc_status gpci_binary_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out);
/* How the lines of a table of memory instructions are written, by its first bytes; NULL: it is no table. */
typedef struct gpci_line_form gpci_line_form;
const gpci_line_form *gpci_table_form(const char *first, size_t length);
/* A table, of an input whose beginning has been looked at. Takes the input, also where it fails. */
gpc_status gpci_table_open(gpc_context *context, gpci_opcodes *opcodes, const gpci_line_form *form, gpci_input *input,
                           gpc_error *error, gpci_source **out);
/* Whichever of these `name` is. */
gpc_status gpci_source_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                            gpci_source **out);

/* A trace without kernels, whose opcodes are for who makes blocks by itself. */
gpc_status gpci_trace_of_opcodes(gpc_context *context, gpc_error *error, gpc_trace **out);
gpci_opcodes *gpci_trace_own_opcodes(gpc_trace *trace);

/* Common checks of a kernel's dimensions: sets block_count. NULL, or what is wrong with them. */
const char *gpci_kernel_check(gpc_kernel *kernel);
/* Clusters of these dimensions, 0, 0, 0 where they are not told, fill the grid. */
bool gpci_cluster_divides(const uint32_t grid[3], const uint32_t cluster[3]);
/* Warps of each of its blocks. */
uint32_t gpci_kernel_warps(const gpc_kernel *kernel);

#endif
