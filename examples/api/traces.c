/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces: generated kernels, their instructions, and the notes about a trace. */
#include "example.h"

#include <gpucache/ext/replay.h>

#include <inttypes.h>

static void on_memcpy(void *data, uint64_t address, uint64_t bytes) {
    ++*(unsigned *)data;
    printf("copy of %" PRIu64 " bytes to %#" PRIx64 "\n", bytes, address);
}

static void print_kernels(void) {
    gpc_error error = GPC_ERROR_INIT;
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *name, *summary;
        uint64_t size;
        check(gpc_synthetic_at(i, &name, &summary, &size, &error), &error);
        printf("synthetic:%s (%" PRIu64 " bytes): %s\n", name, size, summary);
    }
}

static uint64_t instructions(gpc_trace *trace) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    uint64_t count = 0;
    check(gpc_trace_next_kernel(trace, &kernel, &error), &error);
    while (gpc_trace_next_block(trace, &block, &error) == GPC_OK) {
        const gpc_instruction *first = block->warps[0].instructions;
        gpc_ordering ordering = GPC_ORDERING_INIT;
        check(gpc_trace_ordering(trace, first->opcode, &ordering, &error), &error);
        if (block->index == 0)
            printf("%s begins with %s, order %d\n", kernel.name, gpc_trace_opcode(trace, first->opcode),
                   (int)ordering.order);
        count += block->instruction_count;
        gpc_trace_release_block(trace, block);
    }
    return count;
}

int main(int argc, char **argv) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_trace *trace;
    unsigned copies = 0;
    print_kernels();
    check(gpc_context_create(NULL, &context, &error), &error);
    check(gpc_trace_open(context, argc > 1 ? argv[1] : "synthetic:vectoradd:64KiB", &trace, &error), &error);
    gpc_trace_on_memcpy(trace, on_memcpy, &copies);
    check(gpc_trace_choose(trace, "1", &error), &error);
    const uint64_t count = instructions(trace);
    printf("%" PRIu64 " instructions in kernel 1 of %" PRIu64 ", %.0f %% read, %u copies\n", count,
           gpc_trace_kernel_count(trace), 100 * gpc_trace_progress(trace), copies);
    expect(count > 0, "the kernel has instructions");
    for (size_t i = 0; i < gpc_trace_note_count(trace); i++) {
        gpc_note note = GPC_NOTE_INIT;
        check(gpc_trace_note(trace, i, &note, &error), &error);
        printf("%s:%" PRIu64 ": %s: %s\n", note.file, note.line, note.text, note.why);
    }
    gpc_trace_close(trace);
    gpc_context_destroy(context);
    return 0;
}
