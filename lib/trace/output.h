/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_OUTPUT_H
#define GPC_TRACE_OUTPUT_H

#include "base/base.h"

/*
 * A file that appears, whole, when it is complete: under a temporary name until then. What its path, with links
 * followed, leads to and is no file of the user's own, as a device or a pipe, is written as it is.
 */
typedef struct gpci_output gpci_output;

gpc_status gpci_output_open(gpc_context *context, const char *path, gpc_error *error, gpci_output **out);
gpc_status gpci_output_write(gpci_output *output, const void *data, size_t length, gpc_error *error);
/* Bytes written so far. */
uint64_t gpci_output_offset(const gpci_output *output);
/* Complete: the file has its name. Either way the output is gone. */
gpc_status gpci_output_commit(gpci_output *output, gpc_error *error);
void gpci_output_discard(gpci_output *output);

#endif
