/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <string.h>

/*
 * Reading traces to their end: instructions per CPU second of this process (a
 * decompressor runs beside it). Arguments: traces; without any, synthetic kernels.
 *   build/bench/bench-trace ../shared/traces/h100/bfs bfs.gct
 */

static uint64_t read_all(gpc_context *context, const char *source) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    uint64_t instructions = 0;
    gpc_status status;
    need(gpc_trace_open(context, source, &error, &trace), source, &error);
    while ((status = gpc_trace_next_kernel(trace, &kernel, &error)) == GPC_OK) {
        while ((status = gpc_trace_next_block(trace, &block, &error)) == GPC_OK) {
            instructions += block->instruction_count;
            gpc_trace_release_block(trace, block);
        }
        need(status, source, &error);
    }
    need(status, source, &error);
    gpc_trace_close(trace);
    return instructions;
}

static void measure(gpc_context *context, const char *source) {
    double best = 0;
    for (int round = 0; round < 3; round++) {
        double start = cpu_seconds();
        uint64_t instructions = read_all(context, source);
        double rate = (double)instructions / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    const char *slash = strrchr(source, '/');
    char name[128];
    snprintf(name, sizeof name, "trace.read.%s", slash ? slash + 1 : source);
    figure(name, best, "Minstructions/s");
}

int main(int argc, char **argv) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    need(gpc_context_create(NULL, &error, &context), "context", &error);
    for (int i = 1; i < argc; i++)
        measure(context, argv[i]);
    if (argc == 1) {
        measure(context, "synthetic:vectoradd");
        measure(context, "synthetic:gather");
        measure(context, "synthetic:matmul-tiled");
    }
    gpc_context_destroy(context);
    return 0;
}
