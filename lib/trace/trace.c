/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/notes.h"
#include "trace/blocks/trace_block.h"
#include "trace/choice.h"
#include "trace/rewind.h"
#include "trace/sources.h"
#include "trace/windows.h"

#include <string.h>

/* Trace: a source, and the blocks lent to the caller. */
struct gpc_trace {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_source *source;
    gpci_block *free; /* unused blocks, linked by next_free */
    gpci_block held;  /* ring of lent blocks: only previous and next are used */
    gpci_packer packer;
    gpci_block *packed;             /* block for building warps before they are packed; NULL until the first */
    gpci_packed_block *held_packed; /* list of lent packed blocks */
    char *name;                     /* source given to gpc_trace_open; NULL: gpci_trace_of_opcodes */
    gpci_choice choice;
    uint32_t kernels;        /* kernels reached until now, with skipped kernels */
    gpci_windows windows;    /* windows of the present kernel */
    const char *kernel_name; /* name of the present kernel */
    bool begun, in_kernel, failed;
};

gpc_status gpci_trace_of_opcodes(gpc_context *context, gpc_error *error, gpc_trace **out) {
    gpc_trace *trace = gpci_zalloc(context, 1, sizeof *trace);
    if (!trace)
        return gpci_out_of_memory(error);
    trace->context = gpci_retain(context);
    trace->held.previous = trace->held.next = &trace->held;
    trace->opcodes = gpci_opcodes_create(context);
    gpci_packer_init(&trace->packer, context, trace->opcodes);
    if (trace->opcodes) {
        *out = trace;
        return GPC_OK;
    }
    gpc_trace_close(trace);
    return gpci_out_of_memory(error);
}

gpci_opcodes *gpci_trace_own_opcodes(gpc_trace *trace) {
    return trace->opcodes;
}

bool gpci_trace_is_same(const gpc_trace *one, const gpc_trace *other) {
    return one->name && other->name && !strcmp(one->name, other->name);
}

gpc_status gpc_trace_open(gpc_context *context, const char *source, gpc_trace **out, gpc_error *error) {
    if (!context || !source || !*source || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_open: %s is missing",
                         !context ? "context"
                         : out    ? "source"
                                  : "out");
    gpc_trace *trace = NULL;
    gpc_status status = gpci_trace_of_opcodes(context, error, &trace);
    if (status < 0)
        return status;
    trace->name = gpci_strdup(context, source);
    status = trace->name ? gpci_source_open(context, trace->opcodes, source, error, &trace->source)
                         : gpci_out_of_memory(error);
    if (status < 0)
        gpc_trace_close(trace);
    else
        *out = trace;
    return status;
}

void gpc_trace_close(gpc_trace *trace) {
    if (!trace)
        return;
    gpc_context *context = trace->context;
    if (trace->source)
        trace->source->ops->close(trace->source);
    while (trace->held.next != &trace->held)
        gpc_trace_release_block(trace, gpci_block_view(trace->held.next));
    for (gpci_block *block = trace->free, *next; block; block = next) {
        next = block->next_free;
        gpci_block_destroy(block);
    }
    while (trace->held_packed)
        gpci_trace_release_packed(trace, trace->held_packed);
    gpci_block_destroy(trace->packed);
    gpci_packer_clear(&trace->packer);
    gpci_opcodes_destroy(trace->opcodes);
    gpci_choice_clear(&trace->choice, context);
    gpci_free(context, trace->name);
    gpci_free(context, trace);
    gpci_release(context);
}

static gpc_status refuse(gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_STATE, "the trace failed before: it can only be closed");
}

gpc_status gpc_trace_choose(gpc_trace *trace, const char *kernels, gpc_error *error) {
    if (!trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_choose: trace is NULL");
    if (trace->begun)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_trace_choose: the trace has begun: choose before its first kernel");
    gpci_choice choice;
    memset(&choice, 0, sizeof choice);
    gpc_status status = kernels ? gpci_choice_read(&choice, trace->context, kernels, error) : GPC_OK;
    const uint64_t count = gpc_trace_kernel_count(trace);
    if (status == GPC_OK && count)
        status = gpci_choice_check_count(&choice, trace->name, count, error);
    if (status < 0) {
        gpci_choice_clear(&choice, trace->context);
        return status;
    }
    gpci_choice_clear(&trace->choice, trace->context);
    trace->choice = choice;
    return GPC_OK;
}

/* Read or skip the next kernel. *chosen: the choice has the kernel, and so the caller gets it. */
static gpc_status advance(gpc_trace *trace, gpc_kernel *next, bool *chosen, gpc_error *error) {
    gpci_source *source = trace->source;
    gpci_choice *choice = &trace->choice;
    const uint64_t number = (uint64_t)trace->kernels + 1;
    bool unread = false;
    if (choice->count && !choice->names) {
        if (number > choice->last)
            return GPC_END;
        unread = source->ops->skip_kernel && !gpci_choice_has_number(choice, number);
    }
    gpc_status status =
        unread ? source->ops->skip_kernel(source, error) : source->ops->next_kernel(source, next, error);
    if (status != GPC_OK)
        return status;
    next->index = trace->kernels++;
    *chosen = gpci_choice_takes(choice, number, next->name);
    return GPC_OK;
}

gpc_status gpc_trace_next_kernel(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error) {
    if (!trace || !kernel)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_next_kernel: %s is NULL", trace ? "kernel" : "trace");
    if (kernel->struct_size < offsetof(gpc_kernel, recording)) /* size of version 0.1 */
        return gpci_fail(error, GPC_ERROR_ABI, "gpc_kernel.struct_size is %zu, at least %zu is needed",
                         kernel->struct_size, offsetof(gpc_kernel, recording));
    if (trace->failed)
        return refuse(error);
    trace->begun = true;
    gpc_kernel next;
    gpc_status status;
    bool chosen = false;
    do {
        next = (gpc_kernel)GPC_KERNEL_INIT;
        status = advance(trace, &next, &chosen, error);
    } while (status == GPC_OK && !chosen);
    if (status == GPC_END && gpci_choice_end(&trace->choice, trace->context, trace->name, trace->kernels, error) < 0)
        status = GPC_ERROR_NOT_FOUND;
    trace->in_kernel = status == GPC_OK;
    trace->failed = status < 0;
    if (status != GPC_OK)
        return status;
    trace->source->gave = true;
    trace->windows = gpci_windows_of(&next);
    trace->kernel_name = next.name;
    gpci_notes_begin(trace->opcodes);
    return gpci_give(kernel, &next, sizeof next, "gpc_kernel", NULL);
}

bool gpci_trace_copy(const gpc_trace *trace, size_t *at, uint64_t *address, uint64_t *bytes) {
    return trace->source->ops->copy && trace->source->ops->copy(trace->source, at, address, bytes);
}

gpc_status gpci_trace_rewind(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error) {
    if (trace->failed)
        return refuse(error);
    gpc_kernel again = GPC_KERNEL_INIT;
    gpc_status status = trace->source->ops->rewind(trace->source, &again, error);
    trace->failed = status < 0;
    if (status < 0)
        return status;
    again.index = trace->kernels - 1;
    trace->kernel_name = again.name;
    gpci_notes_again(trace->opcodes);
    *kernel = again;
    return GPC_OK;
}

static gpci_block *borrow(gpc_trace *trace) {
    gpci_block *block = trace->free;
    if (block)
        trace->free = block->next_free;
    return block ? block : gpci_block_create(trace->context);
}

static gpc_status has_kernel(const gpc_trace *trace, gpc_error *error) {
    if (trace->failed)
        return refuse(error);
    if (!trace->in_kernel)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_trace_next_block: there is no kernel: gpc_trace_next_kernel first");
    return GPC_OK;
}

/* Handle the status of a source that gave no block: the kernel's end, or an error. */
static gpc_status no_block(gpc_trace *trace, gpc_status status, gpc_error *error) {
    if (status == GPC_END && !gpci_notes_end(trace->opcodes, trace->kernel_name))
        status = gpci_out_of_memory(error);
    trace->failed = status < 0;
    return status;
}

gpc_status gpc_trace_next_block(gpc_trace *trace, const gpc_block **out, gpc_error *error) {
    if (!trace || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_next_block: %s is NULL", trace ? "out" : "trace");
    gpc_status ready = has_kernel(trace, error);
    if (ready < 0)
        return ready;
    gpci_block *block = borrow(trace);
    if (!block)
        return gpci_out_of_memory(error);
    gpc_status status = trace->source->ops->next_block(trace->source, block, error);
    if (status == GPC_OK) {
        block->next = trace->held.next;
        block->previous = &trace->held;
        block->next->previous = block->previous->next = block;
        *out = gpci_block_view(block);
        return GPC_OK;
    }
    block->next_free = trace->free;
    trace->free = block;
    return no_block(trace, status, error);
}

void gpc_trace_release_block(gpc_trace *trace, const gpc_block *block) {
    if (!trace || !block)
        return;
    gpci_block *held = gpci_block_of(block);
    held->previous->next = held->next;
    held->next->previous = held->previous;
    held->next_free = trace->free;
    trace->free = held;
}

gpc_status gpci_trace_next_packed(gpc_trace *trace, const gpci_packed_block **out, gpc_error *error) {
    gpc_status status = has_kernel(trace, error);
    if (status < 0)
        return status;
    if (!trace->packed && !(trace->packed = gpci_block_create(trace->context)))
        return gpci_out_of_memory(error);
    trace->packed->packer = &trace->packer;
    status = trace->source->ops->next_block(trace->source, trace->packed, error);
    if (status != GPC_OK)
        return no_block(trace, status, error);
    gpci_packed_block *block = gpci_packer_finish(&trace->packer, gpci_block_view(trace->packed)->index);
    if (!block)
        return gpci_out_of_memory(error);
    block->next = trace->held_packed;
    block->link = &trace->held_packed;
    if (block->next)
        block->next->link = &block->next;
    trace->held_packed = block;
    *out = block;
    return GPC_OK;
}

void gpci_trace_release_packed(gpc_trace *trace, const gpci_packed_block *block) {
    if (!block)
        return;
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    gpci_packer_release(&trace->packer, (gpci_packed_block *)(uintptr_t)block); /* packed blocks are never const */
}

uint64_t gpc_trace_kernel_count(const gpc_trace *trace) {
    return trace ? trace->source->ops->kernel_count(trace->source) : 0;
}

const char *gpc_trace_opcode(const gpc_trace *trace, uint32_t opcode) {
    if (!trace || opcode >= gpci_opcodes_count(trace->opcodes))
        return "";
    return gpci_opcodes_at(trace->opcodes, opcode)->text;
}

gpc_status gpc_trace_ordering(const gpc_trace *trace, uint32_t opcode, gpc_ordering *out, gpc_error *error) {
    if (!trace || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_ordering: %s is NULL", trace ? "out" : "trace");
    if (opcode >= gpci_opcodes_count(trace->opcodes))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_trace_ordering: opcode is %u, and the trace has %zu opcodes",
                         opcode, (size_t)gpci_opcodes_count(trace->opcodes));
    const gpci_opcode *known = gpci_opcodes_at(trace->opcodes, opcode);
    gpc_ordering ours = GPC_ORDERING_INIT;
    ours.scope = known->scope;
    ours.order = known->order;
    ours.control = known->control;
    ours.copy = known->copy;
    ours.mapped = known->mapped;
    return gpci_give(out, &ours, sizeof ours, "gpc_ordering", error);
}

size_t gpc_trace_note_count(const gpc_trace *trace) {
    return trace ? gpci_notes_count(trace->opcodes) : 0;
}

static const char *why_of(uint32_t reason) {
    static const char *const why[GPC_NOTE_REASON_COUNT] = {
        [GPC_NOTE_UNKNOWN_OPCODE] =
            ("no table of opcodes has it: taken for what its name begins with (LDG, STG, LDL, STL, LDS, STS, ATOMG, "
             "ATOMS, REDG; U, uniform), or else for integer arithmetic"),
        [GPC_NOTE_NO_ADDRESSES] =
            "the lines have no addresses, which their tracer does not write or no lane had: they access nothing",
        [GPC_NOTE_UNUSED_ADDRESSES] = "an instruction that accesses no cache here: its addresses have no effect",
        [GPC_NOTE_PASSED_OVER] = "neither a kernel nor a copy to the device: passed over",
        [GPC_NOTE_COPY] = "copies to the device: the key kernels.copies says what becomes of them",
        [GPC_NOTE_MEMORY_ALONE] = "the kernel has no arithmetic: with a clock its cycles are those of memory alone",
        [GPC_NOTE_NO_PC] = "the instructions have no PC: a policy that reads PCs sees a single load",
    };
    return why[reason];
}

gpc_status gpc_trace_note(const gpc_trace *trace, size_t index, gpc_note *out, gpc_error *error) {
    if (!trace || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_note: %s is NULL", trace ? "out" : "trace");
    if (index >= gpci_notes_count(trace->opcodes))
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_trace_note: index is %zu, and the trace has %zu notes", index,
                         (size_t)gpci_notes_count(trace->opcodes));
    const gpci_note *note = gpci_notes_at(trace->opcodes, index);
    const gpc_note ours = {.struct_size = sizeof ours,
                           .reason = note->reason,
                           .text = note->text,
                           .file = note->file,
                           .line = note->line,
                           .count = note->count,
                           .bytes = note->bytes,
                           .why = why_of(note->reason)};
    return gpci_give(out, &ours, sizeof ours, "gpc_note", error);
}

const gpci_opcodes *gpci_trace_opcodes(const gpc_trace *trace) {
    return trace->opcodes;
}

const gpci_windows *gpci_trace_windows(const gpc_trace *trace) {
    return &trace->windows;
}

double gpc_trace_progress(const gpc_trace *trace) {
    return trace ? trace->source->ops->progress(trace->source) : 0;
}

void gpc_trace_on_memcpy(gpc_trace *trace, gpc_memcpy_fn on_memcpy, void *user_data) {
    if (!trace)
        return;
    trace->source->on_memcpy = on_memcpy;
    trace->source->on_memcpy_data = user_data;
}
