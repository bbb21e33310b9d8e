/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SOURCE_H
#define GPC_TRACE_SOURCE_H

#include "trace/blocks/builder.h"

/* Source of kernels: a text file, a binary file, a generator, or a list of files. gpc_trace wraps a source. */
typedef struct gpci_source gpci_source;

typedef struct gpci_source_ops {
    /* fill in the next kernel (the source owns its pointers, valid until the next call); GPC_END behind the last */
    gpc_status (*next_kernel)(gpci_source *source, gpc_kernel *kernel, gpc_error *error);
    /* build the kernel's next block; GPC_END at the kernel's end */
    gpc_status (*next_block)(gpci_source *source, gpci_block *block, gpc_error *error);
    /* make the present kernel's first block the next again, and fill in `kernel`; its pointers may change */
    gpc_status (*rewind)(gpci_source *source, gpc_kernel *kernel, gpc_error *error);
    uint64_t (*kernel_count)(const gpci_source *source);
    /*
     * get the next copy to the device between the kernel last given to the caller and the present kernel; *at is 0 for
     * the first copy, and is moved on. False: no further copy. NULL: the source has no copies
     */
    bool (*copy)(const gpci_source *source, size_t *at, uint64_t *address, uint64_t *bytes);
    double (*progress)(const gpci_source *source);
    void (*close)(gpci_source *source);
    /* skip the next kernel without reading it; GPC_END behind the last. NULL: next_kernel is called instead */
    gpc_status (*skip_kernel)(gpci_source *source, gpc_error *error);
} gpci_source_ops;

/* First member of every source. */
struct gpci_source {
    const gpci_source_ops *ops;
    gpc_context *context;
    gpci_opcodes *opcodes; /* shared by all sources of a trace, owned by the trace */
    gpc_memcpy_fn on_memcpy;
    void *on_memcpy_data;
    bool gave; /* the last kernel went to the caller: copies read from now on belong to the next kernel */
};

/* Open a synthetic kernel. `name` is the source's name behind "synthetic:". */
gpc_status gpci_synthetic_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                               gpci_source **out);

#endif
