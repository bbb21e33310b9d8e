/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_OUTPUT_H
#define GPC_TRACE_OUTPUT_H

#include "base/base.h"

/*
 * File with a temporary name until complete; then the file appears under its name. If the path, with links followed,
 * leads to no file of the user's own (a device, a pipe), the target is written in place.
 */
typedef struct gpci_output gpci_output;

gpc_status gpci_output_open(gpc_context *context, const char *path, gpc_error *error, gpci_output **out);
/*
 * Open a checked stream of a host (gpci_host_stream_take): its file, or its function, which gets the bytes in pieces.
 *   name  stands for the stream in messages if the stream has no path
 */
gpc_status gpci_output_open_stream(gpc_context *context, const gpc_stream *to, const char *name, gpc_error *error,
                                   gpci_output **out);
gpc_status gpci_output_write(gpci_output *output, const void *data, size_t length, gpc_error *error);
/* Bytes written until now. */
uint64_t gpci_output_offset(const gpci_output *output);
/* Complete the file and give the file its name. The output is freed, also after an error. */
gpc_status gpci_output_commit(gpci_output *output, gpc_error *error);
void gpci_output_discard(gpci_output *output);

#endif
