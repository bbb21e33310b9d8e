/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/record.h>

#include "level/access/warp_access.h"
#include "level/rules/driver.h"
#include "level/rules/recorder.h"
#include "record/recorded_kernel.h"
#include "trace/sources.h"

/* Recorder: writes a host's calls on a hierarchy as a trace. An error ends only the recording. */

typedef struct recorder {
    gpci_recorder base;
    gpc_hierarchy *h;
    gpc_trace *from; /* trace with the opcodes */
    gpci_block *block;
    gpc_trace_writer *writer; /* NULL: after an error */
    gpci_recorded_kernel kernel;
    gpc_status status;
    gpc_error failure;
} recorder;

static recorder *of(gpci_recorder *base) {
    return (recorder *)base;
}

/* End the recording after an error: drop the file and the held kernel. */
static GPCI_COLD void fail(recorder *r, gpc_status status) {
    if (!r->failure.message[0])
        gpci_fail(&r->failure, status, "%s", gpc_status_string(status));
    r->status = status;
    gpc_trace_writer_destroy(r->writer);
    r->writer = NULL;
    gpci_recorded_free(&r->kernel);
    gpci_recorded_init(&r->kernel, r->h->context, r->kernel.lanes);
    gpci_log(r->h->context, GPC_LOG_WARNING, "the recording has ended: %s", r->failure.message);
}

static void settle(recorder *r, gpc_status status) {
    if (status < 0)
        fail(r, status);
}

/* End the present kernel. */
static gpc_status end_kernel(recorder *r) {
    if (gpci_recorded_is_empty(&r->kernel))
        return GPC_OK;
    return gpci_recorded_write(&r->kernel, r->from, r->block, r->writer, &r->failure);
}

static void cannot(gpci_recorder *base, const char *call) {
    recorder *r = of(base);
    if (!r->writer)
        return;
    gpci_fail(&r->failure, GPC_ERROR_UNSUPPORTED, "%s is no warp's instruction, as those of a trace are", call);
    fail(r, GPC_ERROR_UNSUPPORTED);
}

/* End the recording of asynchronous copies: no call tells when and by which warp a copy is waited for. */
static void cannot_access(recorder *r, const char *why) {
    gpci_fail(&r->failure, GPC_ERROR_UNSUPPORTED, "%s", why);
    fail(r, GPC_ERROR_UNSUPPORTED);
}

static void on_access(gpci_recorder *base, const gpc_warp_access *access) {
    recorder *r = of(base);
    gpc_warp_access w;
    if (!r->writer || gpci_access_take(access, NULL, &w) < 0 || gpci_access_check(r->h, &w) < 0)
        return;
    if (w.copy != GPC_COPY_NONE || w.process) {
        cannot_access(r, w.process
                             ? "an access of another process than 0 cannot be recorded: a trace is of one process"
                             : "a copy into shared memory (gpc_warp_access.copy) cannot be recorded: no call says "
                               "what waits for it");
        return;
    }
    const gpci_recorded_form form = {.kind = w.kind,
                                     .space = w.space,
                                     .hint = w.hint,
                                     .priority = w.priority,
                                     .width = (uint8_t)w.width,
                                     .scope = w.scope,
                                     .order = w.order,
                                     .local_offsets = w.local_offsets};
    const gpc_turn turn = {.block = w.block,
                           .sm = w.sm,
                           .slot = w.warp,
                           .warp_age = w.warp_age,
                           .token = w.token,
                           .token_l2 = w.token_l2,
                           .scope = w.scope,
                           .order = w.order};
    settle(r, gpci_recorded_add(&r->kernel, gpci_trace_own_opcodes(r->from), &form, w.pc, w.mask, w.addresses, turn));
}

static void on_fence(gpci_recorder *base, const gpc_fence *fence) {
    recorder *r = of(base);
    gpc_fence f = GPC_FENCE_INIT;
    if (!r->writer || gpci_take(&f, sizeof f, sizeof f, fence, "gpc_fence", NULL) < 0)
        return;
    const gpci_recorded_form form = {.fence = 1, .scope = f.scope, .order = f.order, .control = f.control};
    const gpc_turn turn = {.block = gpci_recorded_block_at(&r->kernel, f.sm, f.warp),
                           .sm = f.sm,
                           .slot = f.warp,
                           .scope = f.scope,
                           .order = f.order,
                           .control = f.control};
    settle(r, gpci_recorded_add(&r->kernel, gpci_trace_own_opcodes(r->from), &form, 0, 1, NULL, turn));
}

static void on_kernel(gpci_recorder *base, const gpc_launch *launch) {
    recorder *r = of(base);
    if (!r->writer)
        return;
    gpc_status status = end_kernel(r);
    gpc_recording *recording = &r->kernel.recording;
    recording->begun = 1;
    recording->launched = launch != NULL;
    recording->threads = launch ? launch->threads : 0;
    recording->registers = launch ? launch->registers : 0;
    recording->shared_bytes = launch ? launch->shared_bytes : 0;
    recording->code_bytes = launch ? launch->code_bytes : 0;
    settle(r, status);
}

static void on_event(gpci_recorder *base, const gpc_warp_event *event) {
    recorder *r = of(base);
    const gpc_turn turn = {.what = GPC_TURN_EVENT,
                           .sm = event->sm,
                           .slot = event->warp,
                           .block = event->block,
                           .event = (uint8_t)event->kind};
    if (r->writer)
        settle(r, gpci_recorded_turn(&r->kernel, &turn));
}

static void on_flush(gpci_recorder *base) {
    recorder *r = of(base);
    const gpc_turn turn = {.what = GPC_TURN_FLUSH};
    if (r->writer)
        settle(r, gpci_recorded_turn(&r->kernel, &turn));
}

static void on_count(gpci_recorder *base, uint64_t warp_instructions, uint64_t thread_instructions, uint64_t blocks) {
    gpc_recording *recording = &of(base)->kernel.recording;
    recording->warp_instructions += warp_instructions;
    recording->thread_instructions += thread_instructions;
    recording->blocks += blocks;
}

static void destroy(gpci_recorder *base) {
    recorder *r = of(base);
    gpc_context *context = r->h->context;
    gpc_trace_writer_destroy(r->writer);
    gpci_recorded_free(&r->kernel);
    gpci_block_destroy(r->block);
    gpc_trace_close(r->from);
    r->h->recorder = NULL;
    gpci_free(context, r);
}

static const gpci_recorder_ops ops = {on_access, on_fence, on_kernel, on_event, on_flush, on_count, cannot, destroy};

static gpc_status check(const gpc_hierarchy *h, const char *path, gpc_error *error) {
    if (!h || !path || !*path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_record: %s is missing", h ? "path" : "hierarchy");
    if (h->recorder)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_record: a recording is under way");
    if (h->replayed)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_record: the hierarchy is a replay's, which has a trace");
    if (!h->driver->idle(h))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_record: accesses are in flight");
    if (h->lanes != 32 && h->lanes != 64)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_record: sm.lanes is %u, but warps of traces have 32 or 64", h->lanes);
    return GPC_OK;
}

gpc_status gpc_hierarchy_record(gpc_hierarchy *h, const char *path, gpc_error *error) {
    gpc_status status = check(h, path, error);
    if (status < 0)
        return status;
    recorder *r = gpci_zalloc(h->context, 1, sizeof *r);
    if (!r)
        return gpci_out_of_memory(error);
    r->base.ops = &ops;
    r->h = h;
    r->failure = (gpc_error)GPC_ERROR_INIT;
    gpci_recorded_init(&r->kernel, h->context, h->lanes);
    r->block = gpci_block_create(h->context);
    status = r->block ? gpci_trace_of_opcodes(h->context, error, &r->from) : gpci_out_of_memory(error);
    if (status == GPC_OK)
        status = gpc_trace_writer_create(h->context, path, GPC_TRACE_BINARY, error, &r->writer);
    if (status < 0)
        destroy(&r->base);
    else
        h->recorder = &r->base;
    return status;
}

bool gpc_hierarchy_is_recording(const gpc_hierarchy *h) {
    return h && h->recorder && ((const recorder *)h->recorder)->writer;
}

gpc_status gpc_hierarchy_record_end(gpc_hierarchy *h, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_record_end: hierarchy is NULL");
    if (!h->recorder)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_record_end: there is no recording");
    recorder *r = of(h->recorder);
    gpc_status status = r->status;
    if (r->writer)
        status = end_kernel(r);
    if (r->writer && status == GPC_OK)
        status = gpc_trace_writer_finish(r->writer, &r->failure);
    if (status < 0)
        gpci_fail(error, status, "%s", r->failure.message[0] ? r->failure.message : gpc_status_string(status));
    destroy(&r->base);
    return status;
}
