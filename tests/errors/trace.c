/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include <gpucache/ext/replay.h>

#include "errors/errors.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

/* gpucache/replay.h, ext/replay.h (traces and their writers) */

#define SOURCE "synthetic:stream:4KiB"

Test(trace, files) {
    gpc_context *context = made_context();
    gpc_trace *trace = NULL;
    const char *name = NULL, *summary = NULL;
    FAILS(ARGUMENT, "context is missing", gpc_trace_open, NULL, SOURCE, &trace);
    FAILS(ARGUMENT, "source is missing", gpc_trace_open, context, NULL, &trace);
    FAILS(ARGUMENT, "out is missing", gpc_trace_open, context, SOURCE, NULL);
    FAILS(NOT_FOUND, "/nowhere/any.gct", gpc_trace_open, context, "/nowhere/any.gct", &trace);
    FAILS(NOT_FOUND, "nobody", gpc_trace_open, context, "synthetic:nobody", &trace);
    cr_expect_null(trace);
    FAILS(RANGE, "index is 100000", gpc_synthetic_at, 100000, &name, &summary, NULL);
    cr_expect(!name && !summary);
    WORKS(gpc_synthetic_at, 0, &name, &summary, NULL);
    gpc_context_destroy(context);
}

Test(trace, kernels) {
    gpc_context *context = made_context();
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block = NULL;
    gpc_ordering ordering = GPC_ORDERING_INIT;
    gpc_note note = GPC_NOTE_INIT;
    cr_assert_eq(gpc_trace_open(context, SOURCE, &trace, NULL), GPC_OK);
    FAILS(ARGUMENT, "trace is NULL", gpc_trace_choose, NULL, "1");
    FAILS(ARGUMENT, "2-1", gpc_trace_choose, trace, "2-1");
    FAILS(ARGUMENT, "trace is NULL", gpc_trace_next_kernel, NULL, &kernel);
    FAILS(ARGUMENT, "kernel is NULL", gpc_trace_next_kernel, trace, NULL);
    FAILS(ARGUMENT, "trace is NULL", gpc_trace_next_block, NULL, &block);
    FAILS(ARGUMENT, "out is NULL", gpc_trace_next_block, trace, NULL);
    FAILS(STATE, "there is no kernel", gpc_trace_next_block, trace, &block);
    kernel.struct_size = 8;
    FAILS(ABI, "gpc_kernel.struct_size", gpc_trace_next_kernel, trace, &kernel);
    WORKS(gpc_trace_choose, trace, NULL);
    kernel.struct_size = sizeof kernel;
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, NULL), GPC_OK);
    FAILS(STATE, "has begun", gpc_trace_choose, trace, "1");
    WORKS(gpc_trace_next_block, trace, &block);
    FAILS(ARGUMENT, "trace is NULL", gpc_trace_ordering, NULL, 0, &ordering);
    FAILS(ARGUMENT, "out is NULL", gpc_trace_ordering, trace, 0, NULL);
    FAILS(RANGE, "opcode is 100000", gpc_trace_ordering, trace, 100000, &ordering);
    WORKS(gpc_trace_ordering, trace, 0, &ordering);
    ordering.struct_size = 0;
    FAILS(ABI, "gpc_ordering", gpc_trace_ordering, trace, 0, &ordering);
    FAILS(ARGUMENT, "trace is NULL", gpc_trace_note, NULL, 0, &note);
    FAILS(ARGUMENT, "out is NULL", gpc_trace_note, trace, 0, NULL);
    FAILS(RANGE, "index is 0, and the trace has 0 notes", gpc_trace_note, trace, 0, &note);
    cr_expect_null(note.text);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
}

typedef struct rig {
    char folder[40], path[64];
    gpc_context *context;
    gpc_trace *trace;
    gpc_trace_writer *writer;
    gpc_kernel kernel;
    const gpc_block *block;
} rig;

static void rig_open(rig *r) {
    *r = (rig){.folder = "/tmp/gpucache-errors-XXXXXX", .context = made_context(), .kernel = GPC_KERNEL_INIT};
    cr_assert_not_null(mkdtemp(r->folder));
    snprintf(r->path, sizeof r->path, "%s/any.gct", r->folder);
    cr_assert_eq(gpc_trace_open(r->context, SOURCE, &r->trace, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_next_kernel(r->trace, &r->kernel, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_next_block(r->trace, &r->block, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_writer_create(r->context, r->path, GPC_TRACE_BINARY, &r->writer, NULL), GPC_OK);
}

static void rig_close(rig *r) {
    gpc_trace_writer_destroy(r->writer);
    gpc_trace_close(r->trace);
    gpc_context_destroy(r->context);
    unlink(r->path);
    cr_assert_eq(rmdir(r->folder), 0);
}

Test(trace, writers) {
    rig r;
    rig_open(&r);
    gpc_trace_writer *made = NULL;
    gpc_block moved = *r.block;
    gpc_kernel flat = r.kernel;
    const uint64_t address = 0x1000;
    gpc_trace_accesses accesses = GPC_TRACE_ACCESSES_INIT;
    FAILS(ARGUMENT, "context is missing", gpc_trace_writer_create, NULL, r.path, GPC_TRACE_BINARY, &made);
    FAILS(ARGUMENT, "path is missing", gpc_trace_writer_create, r.context, NULL, GPC_TRACE_BINARY, &made);
    FAILS(ARGUMENT, "out is missing", gpc_trace_writer_create, r.context, r.path, GPC_TRACE_BINARY, NULL);
    FAILS(ARGUMENT, "format 99", gpc_trace_writer_create, r.context, r.path, (gpc_trace_format)99, &made);
    FAILS(IO, "/nowhere/any.gct", gpc_trace_writer_create, r.context, "/nowhere/any.gct", GPC_TRACE_BINARY, &made);
    cr_expect_null(made);
    FAILS(STATE, "there is no kernel", gpc_trace_writer_block, r.writer, r.trace, r.block);
    FAILS(STATE, "there is no kernel", gpc_trace_writer_accesses, r.writer, &accesses);
    FAILS(ARGUMENT, "writer is NULL", gpc_trace_writer_kernel, NULL, &r.kernel);
    FAILS(ARGUMENT, "kernel is NULL", gpc_trace_writer_kernel, r.writer, NULL);
    flat.grid[0] = 0;
    FAILS(ARGUMENT, "gpc_trace_writer_kernel: expected", gpc_trace_writer_kernel, r.writer, &flat);
    flat.struct_size = 8;
    FAILS(ABI, "gpc_kernel", gpc_trace_writer_kernel, r.writer, &flat);
    WORKS(gpc_trace_writer_kernel, r.writer, &r.kernel);
    FAILS(ARGUMENT, "writer is NULL", gpc_trace_writer_block, NULL, r.trace, r.block);
    FAILS(ARGUMENT, "from is NULL", gpc_trace_writer_block, r.writer, NULL, r.block);
    FAILS(ARGUMENT, "block is NULL", gpc_trace_writer_block, r.writer, r.trace, NULL);
    moved.index++;
    FAILS(ARGUMENT, "expected the index", gpc_trace_writer_block, r.writer, r.trace, &moved);
    cr_assert_eq(gpc_trace_writer_block(r.writer, r.trace, r.block, NULL), GPC_OK);
    FAILS(ARGUMENT, "was written before", gpc_trace_writer_block, r.writer, r.trace, r.block);
    FAILS(ARGUMENT, "writer is NULL", gpc_trace_writer_accesses, NULL, &accesses);
    FAILS(ARGUMENT, "accesses is NULL", gpc_trace_writer_accesses, r.writer, NULL);
    accesses.count = 1;
    accesses.lanes = 1;
    FAILS(ARGUMENT, "gpc_trace_accesses: expected addresses", gpc_trace_writer_accesses, r.writer, &accesses);
    accesses.addresses = &address;
    accesses.kinds = &(uint8_t){99};
    FAILS(ARGUMENT, "entry 0: expected in kinds", gpc_trace_writer_accesses, r.writer, &accesses);
    accesses.struct_size = 8;
    FAILS(ABI, "gpc_trace_accesses", gpc_trace_writer_accesses, r.writer, &accesses);
    FAILS(ARGUMENT, "writer is NULL", gpc_trace_writer_finish, NULL);
    cr_assert_eq(gpc_trace_writer_finish(r.writer, NULL), GPC_OK);
    FAILS(STATE, "is finished", gpc_trace_writer_finish, r.writer);
    FAILS(STATE, "is finished", gpc_trace_writer_kernel, r.writer, &r.kernel);
    FAILS(STATE, "is finished", gpc_trace_writer_block, r.writer, r.trace, r.block);
    FAILS(STATE, "is finished", gpc_trace_writer_accesses, r.writer, &accesses);
    rig_close(&r);
}
