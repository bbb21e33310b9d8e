/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/writer.h"

#include "trace/blocks/trace_block.h"
#include "trace/seen.h"
#include "trace/sources.h"

/* Trace writer: checks the caller's data, and passes the data to the format. */
struct gpc_trace_writer {
    gpc_context *context;
    gpci_sink *sink;
    gpci_seen seen;
    gpc_kernel kernel; /* only the dimensions are used */
    gpci_held_rows *held;
    bool in_kernel, finished, failed;
};

gpc_status gpc_trace_writer_create(gpc_context *context, const char *path, gpc_trace_format format,
                                   gpc_trace_writer **out, gpc_error *error) {
    if (!context || !path || !*path || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_create: %s is missing",
                         !context ? "context"
                         : out    ? "path"
                                  : "out");
    if (format != GPC_TRACE_BINARY && format != GPC_TRACE_TEXT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_create: unknown format %d", (int)format);
    gpc_trace_writer *writer = gpci_zalloc(context, 1, sizeof *writer);
    if (!writer)
        return gpci_out_of_memory(error);
    writer->context = gpci_retain(context);
    gpci_seen_init(&writer->seen, context);
    gpc_status status = format == GPC_TRACE_BINARY ? gpci_binary_sink(context, path, error, &writer->sink)
                                                   : gpci_text_sink(context, path, error, &writer->sink);
    if (status < 0)
        gpc_trace_writer_destroy(writer);
    else
        *out = writer;
    return status;
}

void gpc_trace_writer_destroy(gpc_trace_writer *writer) {
    if (!writer)
        return;
    gpc_context *context = writer->context;
    if (writer->sink)
        writer->sink->ops->destroy(writer->sink);
    gpci_seen_clear(&writer->seen);
    gpci_held_rows_destroy(writer->held);
    gpci_free(context, writer);
    gpci_release(context);
}

static gpc_status check_state(const gpc_trace_writer *writer, gpc_error *error) {
    if (writer->failed)
        return gpci_fail(error, GPC_ERROR_STATE, "the trace writer failed before: it can only be destroyed");
    if (writer->finished)
        return gpci_fail(error, GPC_ERROR_STATE, "the trace is finished");
    return GPC_OK;
}

gpc_status gpc_trace_writer_kernel(gpc_trace_writer *writer, const gpc_kernel *kernel, gpc_error *error) {
    if (!writer || !kernel)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_kernel: %s is NULL",
                         writer ? "kernel" : "writer");
    gpc_status status = check_state(writer, error);
    gpc_kernel ours = GPC_KERNEL_INIT;
    if (status == GPC_OK)
        status = gpci_take(&ours, sizeof ours, offsetof(gpc_kernel, recording), kernel, "gpc_kernel", error);
    if (status < 0)
        return status;
    const char *wrong = gpci_kernel_check(&ours);
    if (!wrong && ours.placement_count > ours.block_count)
        wrong = "placement_count of at most the grid's blocks";
    if (!wrong && ours.placement_count && !ours.placement)
        wrong = "a placement where placement_count is not 0";
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_kernel: expected %s", wrong);
    status = gpci_held_rows_write(writer->held, writer, &writer->kernel, error);
    if (status < 0)
        return status;
    status = writer->sink->ops->kernel(writer->sink, &ours, error);
    writer->failed = status < 0;
    gpci_seen_clear(&writer->seen);
    writer->kernel = ours;
    writer->in_kernel = true;
    return status;
}

static const char *check_warp(const gpc_kernel *kernel, const gpc_trace *from, const gpc_warp *warp) {
    uint64_t none = ~gpci_full_mask(kernel->warp_lanes);
    if (warp->count && !warp->instructions)
        return "instructions in a warp that counts some";
    for (uint64_t i = 0; i < warp->count; i++) {
        const gpc_instruction *instruction = &warp->instructions[i];
        if (instruction->mask & none)
            return "masks of no more lanes than the kernel's warps have";
        if ((unsigned)instruction->destinations + instruction->sources > GPC_MAX_OPERANDS)
            return "at most 8 registers in an instruction";
        if (instruction->op_class >= GPC_OP_CLASS_COUNT || instruction->kind >= GPC_KIND_COUNT ||
            !gpci_space_is_known(instruction->space) || instruction->hint >= GPC_HINT_COUNT ||
            instruction->priority >= GPC_PRIORITY_COUNT)
            return "known values of op_class, kind, space, hint and priority";
        if (!*gpc_trace_opcode(from, instruction->opcode))
            return "opcodes of the trace that the block is from";
    }
    return NULL;
}

static const char *check_block(const gpc_kernel *kernel, const gpc_trace *from, const gpc_block *block) {
    const uint32_t *grid = kernel->grid;
    if (block->x >= grid[0] || block->y >= grid[1] || block->z >= grid[2])
        return "a block inside the grid";
    if (block->index != block->x + (uint64_t)grid[0] * (block->y + (uint64_t)grid[1] * block->z))
        return "the index that belongs to the block's coordinates";
    if (block->warp_count != gpci_kernel_warps(kernel) || !block->warps)
        return "as many warps as the block dimension makes";
    uint64_t count = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        count += block->warps[w].count;
        if (block->warps[w].warp != w)
            return "warps in ascending order";
        if (count > GPCI_BLOCK_MOST_INSTRUCTIONS)
            return "at most 2^26 instructions in a block";
        const char *wrong = check_warp(kernel, from, &block->warps[w]);
        if (wrong)
            return wrong;
    }
    return NULL;
}

gpc_status gpc_trace_writer_block(gpc_trace_writer *writer, const gpc_trace *from, const gpc_block *block,
                                  gpc_error *error) {
    if (!writer || !from || !block)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_block: %s is NULL",
                         !writer ? "writer"
                         : from  ? "block"
                                 : "from");
    gpc_status status = check_state(writer, error);
    if (status < 0)
        return status;
    if (!writer->in_kernel)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_trace_writer_block: there is no kernel yet");
    const char *wrong = check_block(&writer->kernel, from, block);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_block: expected %s", wrong);
    bool fresh;
    if (gpci_seen_add(&writer->seen, block->index, &fresh) < 0)
        return gpci_out_of_memory(error);
    if (!fresh)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_block: block %u was written before",
                         block->index);
    status = writer->sink->ops->block(writer->sink, from, block, error);
    writer->failed = status < 0;
    return status;
}

gpc_status gpc_trace_writer_accesses(gpc_trace_writer *writer, const gpc_trace_accesses *accesses, gpc_error *error) {
    if (!writer || !accesses)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_accesses: %s is NULL",
                         writer ? "accesses" : "writer");
    gpc_status status = check_state(writer, error);
    if (status < 0)
        return status;
    if (!writer->in_kernel)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_trace_writer_accesses: there is no kernel yet");
    status = gpci_held_rows_take(&writer->held, writer->context, &writer->kernel, accesses, error);
    writer->failed = status == GPC_ERROR_MEMORY;
    return status;
}

gpc_status gpc_trace_writer_finish(gpc_trace_writer *writer, gpc_error *error) {
    if (!writer)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_writer_finish: writer is NULL");
    gpc_status status = check_state(writer, error);
    if (status < 0)
        return status;
    status = gpci_held_rows_write(writer->held, writer, &writer->kernel, error);
    if (status < 0)
        return status;
    status = writer->sink->ops->finish(writer->sink, error);
    writer->failed = status < 0;
    writer->finished = status == GPC_OK;
    return status;
}
