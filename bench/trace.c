/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include "bench.h"

#include <ftw.h>
#include <string.h>
#include <unistd.h>

/*
 * Traces: speed of reading each as stored, as plain text and in the binary format, speed of writing both, and sizes.
 * CPU time of this process (a decompressor runs beside it); the best of several rounds. Arguments: traces; without any,
 * synthetic kernels.
 *   build/bench/bench-trace ../shared/traces/h100/bfs ../shared/traces/h100/vecadd
 */

#define ROUNDS 5

typedef struct counts {
    uint64_t instructions, lines, bytes;
} counts;

static counts measured; /* sum over the files below a folder; global, because nftw passes no argument */

static uint64_t read_all(gpc_context *context, const char *source) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    uint64_t instructions = 0;
    gpc_status status;
    need(gpc_trace_open(context, source, &trace, &error), source, &error);
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

/* CPU seconds spent in the writer alone. */
static double write_all(gpc_context *context, const char *source, const char *path, gpc_trace_format format) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    gpc_trace_writer *writer;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    double seconds = 0;
    need(gpc_trace_open(context, source, &trace, &error), source, &error);
    need(gpc_trace_writer_create(context, path, format, &writer, &error), path, &error);
    while (gpc_trace_next_kernel(trace, &kernel, &error) == GPC_OK) {
        need(gpc_trace_writer_kernel(writer, &kernel, &error), path, &error);
        while (gpc_trace_next_block(trace, &block, &error) == GPC_OK) {
            double start = cpu_seconds();
            need(gpc_trace_writer_block(writer, trace, block, &error), path, &error);
            seconds += cpu_seconds() - start;
            gpc_trace_release_block(trace, block);
        }
    }
    double start = cpu_seconds();
    need(gpc_trace_writer_finish(writer, &error), path, &error);
    seconds += cpu_seconds() - start;
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
    return seconds;
}

static int count_file(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)where;
    static char buffer[1 << 16];
    FILE *file = kind == FTW_F ? fopen(path, "rb") : NULL;
    if (!file)
        return 0;
    measured.bytes += (uint64_t)about->st_size;
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        for (size_t i = 0; i < got; i++)
            measured.lines += buffer[i] == '\n';
    fclose(file);
    return 0;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static counts count_files(const char *path) {
    measured = (counts){0, 0, 0};
    nftw(path, count_file, 8, FTW_PHYS);
    return measured;
}

static double best_read(gpc_context *context, const char *source, uint64_t *instructions) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_seconds();
        *instructions = read_all(context, source);
        double seconds = cpu_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void named(const char *trace, const char *what, double value, const char *unit) {
    char name[256];
    snprintf(name, sizeof name, "trace.%s.%s", trace, what);
    figure(name, value, unit);
}

static void measure(gpc_context *context, const char *source, const char *folder) {
    const char *slash = strrchr(source, '/'), *name = slash && slash[1] ? slash + 1 : source;
    char text[64], binary[64];
    uint64_t instructions;
    snprintf(text, sizeof text, "%s/text", folder);
    snprintf(binary, sizeof binary, "%s/k.gct", folder);
    double seconds = best_read(context, source, &instructions);
    named(name, "read", (double)instructions / seconds * 1e-6, "Minstructions/s");
    seconds = write_all(context, source, binary, GPC_TRACE_BINARY);
    named(name, "binary_write", (double)instructions / seconds * 1e-6, "Minstructions/s");
    seconds = best_read(context, binary, &instructions);
    named(name, "binary_read", (double)instructions / seconds * 1e-6, "Minstructions/s");
    named(name, "binary_size", (double)count_files(binary).bytes / (double)instructions, "bytes/instruction");
    seconds = write_all(context, source, text, GPC_TRACE_TEXT);
    named(name, "text_write", (double)instructions / seconds * 1e-6, "Minstructions/s");
    counts files = count_files(text);
    seconds = best_read(context, text, &instructions);
    named(name, "text_read", (double)instructions / seconds * 1e-6, "Minstructions/s");
    named(name, "text_lines", (double)files.lines / seconds * 1e-6, "Mlines/s");
    named(name, "text_bytes", (double)files.bytes / seconds * 1e-6, "MB/s");
    named(name, "text_size", (double)files.bytes / (double)instructions, "bytes/instruction");
    nftw(text, remove_one, 8, FTW_PHYS | FTW_DEPTH);
    unlink(binary);
}

int main(int argc, char **argv) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    char folder[] = "/tmp/gpucache-bench-XXXXXX";
    static const char *const synthetic[] = {"synthetic:vectoradd", "synthetic:gather", "synthetic:matmul-tiled"};
    need(gpc_context_create(NULL, &context, &error), "context", &error);
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    for (int i = 1; i < argc; i++)
        measure(context, argv[i], folder);
    for (int i = 0; argc == 1 && i < 3; i++)
        measure(context, synthetic[i], folder);
    rmdir(folder);
    gpc_context_destroy(context);
    return 0;
}
