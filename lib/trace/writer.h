/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_WRITER_H
#define GPC_TRACE_WRITER_H

#include "trace/source.h"

/*
 * Writer of one of the two formats. gpc_trace_writer checks each block before it calls the writer. After an error,
 * gpc_trace_writer calls only `destroy`.
 */
typedef struct gpci_sink gpci_sink;

typedef struct gpci_sink_ops {
    gpc_status (*kernel)(gpci_sink *sink, const gpc_kernel *kernel, gpc_error *error);
    gpc_status (*block)(gpci_sink *sink, const gpc_trace *from, const gpc_block *block, gpc_error *error);
    /* end the last kernel and the file */
    gpc_status (*finish)(gpci_sink *sink, gpc_error *error);
    void (*destroy)(gpci_sink *sink);
} gpci_sink_ops;

struct gpci_sink {
    const gpci_sink_ops *ops;
    gpc_context *context;
};

/* writer_rows.c: rows that gpc_trace_writer_accesses keeps until the kernel ends. NULL: no rows. */
typedef struct gpci_held_rows gpci_held_rows;
/* Check the accesses, and add a row for each. */
gpc_status gpci_held_rows_take(gpci_held_rows **held, gpc_context *context, const gpc_kernel *kernel,
                               const gpc_trace_accesses *accesses, gpc_error *error);
/* Write the held rows' blocks with gpc_trace_writer_block, and clear the rows. */
gpc_status gpci_held_rows_write(gpci_held_rows *held, gpc_trace_writer *writer, const gpc_kernel *kernel,
                                gpc_error *error);
void gpci_held_rows_destroy(gpci_held_rows *held);

gpc_status gpci_binary_sink(gpc_context *context, const char *path, gpc_error *error, gpci_sink **out);
gpc_status gpci_text_sink(gpc_context *context, const char *path, gpc_error *error, gpci_sink **out);

#endif
