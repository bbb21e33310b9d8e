/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace files: a copy of a trace, and a kernel made of arrays. */
#include "example.h"

#include <gpucache/ext/replay.h>

#include <inttypes.h>

/* Copy the blocks of the kernel that `from` is at. */
static void copy_blocks(gpc_trace_writer *writer, gpc_trace *from) {
    gpc_error error = GPC_ERROR_INIT;
    const gpc_block *block;
    while (gpc_trace_next_block(from, &block, &error) == GPC_OK) {
        check(gpc_trace_writer_block(writer, from, block, &error), &error);
        gpc_trace_release_block(from, block);
    }
}

int main(void) {
    static const char path[] = "trace_files.gct";
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_trace *trace;
    gpc_trace_writer *writer;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_trace_writer_create(context, path, GPC_TRACE_BINARY, &writer, &error), &error);

    check(gpc_trace_open(context, "synthetic:vectoradd:4KiB", &trace, &error), &error);
    check(gpc_trace_next_kernel(trace, &kernel, &error), &error);
    check(gpc_trace_writer_kernel(writer, &kernel, &error), &error);
    copy_blocks(writer, trace);
    gpc_trace_close(trace);

    /* A kernel of a block with two loads. */
    uint64_t addresses[2][32];
    for (int i = 0; i < 2; i++)
        (void)load_of(addresses[i], (uint64_t)i * 4096);
    gpc_kernel own = GPC_KERNEL_INIT;
    own.name = "own";
    own.warp_lanes = 32;
    own.block_count = 1;
    for (int i = 0; i < 3; i++)
        own.grid[i] = own.block[i] = 1;
    own.block[0] = 32;
    gpc_trace_accesses accesses = GPC_TRACE_ACCESSES_INIT;
    accesses.count = 2;
    accesses.addresses = addresses[0];
    check(gpc_trace_writer_kernel(writer, &own, &error), &error);
    check(gpc_trace_writer_accesses(writer, &accesses, &error), &error);
    check(gpc_trace_writer_finish(writer, &error), &error);
    gpc_trace_writer_destroy(writer);

    check(gpc_trace_open(context, path, &trace, &error), &error);
    unsigned kernels = 0;
    while (gpc_trace_next_kernel(trace, &kernel, &error) == GPC_OK) {
        printf("%s: %" PRIu64 " blocks\n", kernel.name, kernel.block_count);
        kernels++;
    }
    expect(kernels == 2, "the file has both kernels");
    gpc_trace_close(trace);
    (void)remove(path);
    gpc_context_destroy(context);
    return 0;
}
