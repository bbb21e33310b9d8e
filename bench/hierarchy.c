/* SPDX-License-Identifier: BSD-2-Clause */
#include "../tests/measured.h"
#include "bench.h"

#include <string.h>
#include <unistd.h>

/*
 * Functional hierarchy (preset h100, cold caches): million warp instructions per CPU second on a streaming kernel
 * (vecadd) and on a kernel with a line a lane (gather):
 *   access   the memory instructions alone, from blocks in memory, warp after warp
 *   binary   replay of a .gct
 *   text     replay of the Accel-Sim text (a decompressor is a separate process)
 * All warp instructions of the trace count, as the hardware's counter counts them.
 *
 * bench-hierarchy [FOLDER]: FOLDER/vecadd and FOLDER/gather are traces; default synthetic:vectoradd and
 * synthetic:gather.
 */

#define ROUNDS 10

typedef struct bench {
    gpc_context *context;
    gpc_config *config;
    gpc_error error;
    const char *folder; /* folder of traces, or NULL */
    char scratch[64];   /* folder for written files */
} bench;

static void say(const char *kernel, const char *way, double rate) {
    char name[96];
    snprintf(name, sizeof name, "hierarchy.%s.%s", kernel, way);
    figure(name, rate, "Minstructions/s");
}

static gpc_trace *open_trace(bench *b, const char *source) {
    gpc_trace *trace;
    need(gpc_trace_open(b->context, source, &trace, &b->error), source, &b->error);
    return trace;
}

/* A source written again as a .gct, or as a folder of text. */
static void convert(bench *b, const char *source, const char *to, gpc_trace_format format) {
    gpc_trace *trace = open_trace(b, source);
    gpc_trace_writer *writer;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    need(gpc_trace_writer_create(b->context, to, format, &writer, &b->error), to, &b->error);
    gpc_status status;
    while ((status = gpc_trace_next_kernel(trace, &kernel, &b->error)) == GPC_OK) {
        need(gpc_trace_writer_kernel(writer, &kernel, &b->error), to, &b->error);
        while ((status = gpc_trace_next_block(trace, &block, &b->error)) == GPC_OK) {
            need(gpc_trace_writer_block(writer, trace, block, &b->error), to, &b->error);
            gpc_trace_release_block(trace, block);
        }
        need(status, source, &b->error);
    }
    need(status, source, &b->error);
    need(gpc_trace_writer_finish(writer, &b->error), to, &b->error);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
}

static double best(double a, double b) {
    return a > b ? a : b;
}

/* Replay all kernels of a trace, with empty caches at each begin. */
static double replay_rate(bench *b, const char *source) {
    gpc_replay *replay;
    double rate = 0;
    need(gpc_replay_create(b->context, b->config, &replay, &b->error), "replay", &b->error);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t instructions = 0;
        measured_stats stats;
        measured_clear(&stats);
        double start = cpu_seconds();
        gpc_trace *trace = open_trace(b, source);
        gpc_status status;
        while ((status = measure_kernel(replay, trace, NULL, &stats, &b->error)) == GPC_OK)
            instructions += stats.warp_instructions;
        need(status, source, &b->error);
        gpc_trace_close(trace);
        rate = best(rate, (double)instructions / (cpu_seconds() - start) * 1e-6);
    }
    gpc_replay_destroy(replay);
    return rate;
}

/* Access the memory instructions of a thread block, warp after warp; returns the number of instructions. */
static uint64_t access_block(gpc_hierarchy *hierarchy, const gpc_block *block, uint32_t sm) {
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const gpc_warp *warp = &block->warps[w];
        for (uint64_t k = 0; k < warp->count; k++) {
            const gpc_instruction *i = &warp->instructions[k];
            if (i->op_class != GPC_OP_MEMORY || !i->addresses)
                continue;
            gpc_warp_access access = GPC_WARP_ACCESS_INIT;
            access.sm = sm;
            access.warp = w;
            access.block = block->index;
            access.pc = i->pc;
            access.mask = i->mask;
            access.addresses = i->addresses;
            access.width = i->width;
            access.kind = i->kind;
            access.space = i->space;
            access.hint = i->hint;
            access.priority = i->priority;
            need(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), "access", NULL);
        }
    }
    return block->instruction_count;
}

/* Blocks of a trace's first kernel, all in memory, through gpc_hierarchy_access alone. */
static double access_rate(bench *b, const char *source) {
    gpc_trace *trace = open_trace(b, source);
    gpc_hierarchy *hierarchy;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    uint64_t sms;
    need(gpc_config_get_u64(b->config, "sm.count", &sms, NULL), "sm.count", NULL);
    need(gpc_hierarchy_create(b->context, b->config, &hierarchy, &b->error), "hierarchy", &b->error);
    need(gpc_trace_next_kernel(trace, &kernel, &b->error), source, &b->error);
    const gpc_block **blocks = calloc(kernel.block_count, sizeof *blocks);
    uint64_t count = 0;
    gpc_status status = GPC_OK;
    while (blocks && count < kernel.block_count &&
           (status = gpc_trace_next_block(trace, &blocks[count], &b->error)) == GPC_OK)
        count++;
    need(blocks ? status : GPC_ERROR_MEMORY, source, &b->error);
    double rate = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t instructions = 0;
        need(gpc_hierarchy_begin_kernel(hierarchy, NULL, &b->error), "begin_kernel", &b->error);
        double start = cpu_seconds();
        for (uint64_t i = 0; i < count; i++)
            instructions += access_block(hierarchy, blocks[i], (uint32_t)(i % sms));
        rate = best(rate, (double)instructions / (cpu_seconds() - start) * 1e-6);
    }
    free(blocks);
    gpc_trace_close(trace);
    gpc_hierarchy_destroy(hierarchy);
    return rate;
}

/* A folder of text written by `convert`. */
static void remove_text(const char *folder) {
    char path[192];
    bool more = true;
    for (unsigned kernel = 1; more; kernel++) {
        snprintf(path, sizeof path, "%s/kernel-%u.sm", folder, kernel);
        unlink(path);
        snprintf(path, sizeof path, "%s/kernel-%u.traceg", folder, kernel);
        more = !unlink(path);
    }
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    unlink(path);
    rmdir(folder);
}

static void run(bench *b, const char *kernel, const char *synthetic) {
    char source[1024], binary[128], text[128];
    snprintf(source, sizeof source, "%s%s%s", b->folder ? b->folder : "", b->folder ? "/" : "",
             b->folder ? kernel : synthetic);
    snprintf(binary, sizeof binary, "%s/%s.gct", b->scratch, kernel);
    snprintf(text, sizeof text, "%s/%s", b->scratch, kernel);
    convert(b, source, binary, GPC_TRACE_BINARY);
    convert(b, source, text, GPC_TRACE_TEXT);
    say(kernel, "access", access_rate(b, binary));
    say(kernel, "binary", replay_rate(b, binary));
    say(kernel, "text", replay_rate(b, text));
    if (!b->folder)
        say(kernel, "synthetic", replay_rate(b, source));
    unlink(binary);
    remove_text(text);
}

int main(int argc, char **argv) {
    bench b = {.error = GPC_ERROR_INIT, .folder = argc > 1 ? argv[1] : NULL, .scratch = "/tmp/gpucache-bench-XXXXXX"};
    if (!mkdtemp(b.scratch))
        return 1;
    need(gpc_context_create(NULL, &b.context, &b.error), "context", &b.error);
    need(gpc_config_create(b.context, &b.config, &b.error), "config", &b.error);
    need(gpc_config_load_preset(b.config, "h100", &b.error), "h100", &b.error);
    need(gpc_config_set_pair(b.config, "kernels.flush=all", &b.error), "kernels.flush", &b.error);
    run(&b, "vecadd", "synthetic:vectoradd");
    run(&b, "gather", "synthetic:gather");
    gpc_config_destroy(b.config);
    gpc_context_destroy(b.context);
    return rmdir(b.scratch) != 0;
}
