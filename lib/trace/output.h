/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_OUTPUT_H
#define GPC_TRACE_OUTPUT_H

#include "base/base.h"

/* A file under a temporary name beside its own, which it gets when it is complete. */
typedef struct gpci_output gpci_output;

gpc_status gpci_output_open(gpc_context *context, const char *path, gpc_error *error, gpci_output **out);
gpc_status gpci_output_write(gpci_output *output, const void *data, size_t length, gpc_error *error);
/* Bytes written so far. */
uint64_t gpci_output_offset(const gpci_output *output);
/* Give the file its name. Either way the output is gone. */
gpc_status gpci_output_commit(gpci_output *output, gpc_error *error);
void gpci_output_discard(gpci_output *output);

/* A new folder beside `path`, in new memory; it is to become `path`. */
gpc_status gpci_temporary_folder(gpc_context *context, const char *path, gpc_error *error, char **out);

#endif
