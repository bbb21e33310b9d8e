/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SOURCES_H
#define GPC_TRACE_SOURCES_H

#include "trace/files/input.h"
#include "trace/source.h"

/* Open a .traceg file, plain or compressed, and the placement file beside. Reads the header at once. */
gpc_status gpci_text_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                          gpci_source **out);
/* Open a kernelslist.g. */
gpc_status gpci_list_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                          gpci_source **out);
/* Open a folder: its kernelslist.g, or its .traceg files in the order of their numbers. */
gpc_status gpci_folder_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out);
/* Open a .gct file. */
gpc_status gpci_binary_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                            gpci_source **out);
/* Form of the lines in a table of memory instructions: CSV, JSON Lines, or what mem_trace prints. */
typedef struct gpci_line_form gpci_line_form;
/* Find the form by the first bytes of a file. NULL: the file is not a table. */
const gpci_line_form *gpci_table_form(const char *first, size_t length);
/* Open a table from an input with peeked first bytes. Takes ownership of the input, even after an error. */
gpc_status gpci_table_open(gpc_context *context, gpci_opcodes *opcodes, const gpci_line_form *form, gpci_input *input,
                           gpc_error *error, gpci_source **out);
/* Open any of the kinds above, by `name`. */
gpc_status gpci_source_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                            gpci_source **out);

/* Trace without kernels: opcodes for a caller that builds blocks itself. */
gpc_status gpci_trace_of_opcodes(gpc_context *context, gpc_error *error, gpc_trace **out);
gpci_opcodes *gpci_trace_own_opcodes(gpc_trace *trace);

/* Check a kernel's dimensions and set block_count. Returns NULL, or a description of the fault. */
const char *gpci_kernel_check(gpc_kernel *kernel);
/* True if clusters of these dimensions fill the grid; 0, 0, 0 = unknown, and true. */
bool gpci_cluster_divides(const uint32_t grid[3], const uint32_t cluster[3]);
/* Warps of each of the kernel's blocks. */
uint32_t gpci_kernel_warps(const gpc_kernel *kernel);

#endif
