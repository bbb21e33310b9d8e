/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SOURCE_H
#define GPC_TRACE_SOURCE_H

#include "trace/builder.h"

/*
 * Where kernels come from: a text file, a binary file, a generator, or a list of
 * files. gpc_trace wraps one of these.
 */
typedef struct gpci_source gpci_source;

typedef struct gpci_source_ops {
    /* Fill in the next kernel (pointers owned by the source, valid until the next call). GPC_END when there is none. */
    gpc_status (*next_kernel)(gpci_source *source, gpc_kernel *kernel, gpc_error *error);
    /* Build the kernel's next block. GPC_END at the kernel's end. */
    gpc_status (*next_block)(gpci_source *source, gpci_block *block, gpc_error *error);
    /* The present kernel's first block is the next again. Its pointers may be others: fill it in anew. */
    gpc_status (*rewind)(gpci_source *source, gpc_kernel *kernel, gpc_error *error);
    uint64_t (*kernel_count)(const gpci_source *source);
    /*
     * The next copy by the host between the kernel last given out and the present kernel, from *at, first 0, on. False:
     * no further copy. NULL: no copies at all.
     */
    bool (*copy)(const gpci_source *source, size_t *at, uint64_t *address, uint64_t *bytes);
    double (*progress)(const gpci_source *source);
    void (*close)(gpci_source *source);
    /* Pass the next kernel over without reading it. GPC_END when there is none. NULL: next_kernel does it. */
    gpc_status (*skip_kernel)(gpci_source *source, gpc_error *error);
} gpci_source_ops;

/* First member of every source. */
struct gpci_source {
    const gpci_source_ops *ops;
    gpc_context *context;
    gpci_opcodes *opcodes; /* shared by all sources of a trace, owned by it */
    gpc_memcpy_fn on_memcpy;
    void *on_memcpy_data;
    bool gave; /* the last kernel was for the caller: later copies belong to a later kernel */
};

/* `name[:size]` after `synthetic:`. */
gpc_status gpci_synthetic_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                               gpci_source **out);

#endif
