/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/observe.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include "level/access/warp_access.h"
#include "level/rules/driver.h"
#include "level/rules/recorder.h"
#include "record/recorded_kernel.h"
#include "trace/sources.h"

/* Recorder: writes a host's calls on a hierarchy as a trace. An error ends only the recording. */

typedef struct recorder {
    gpci_recorder base;
    gpc_hierarchy *hierarchy;
    gpc_trace *from; /* trace without instructions; owns the opcodes */
    gpci_block *block;
    gpc_trace_writer *writer; /* NULL: after an error */
    gpci_recorded_kernel kernel;
    gpc_status status;
    gpc_error failure;
} recorder;

static recorder *of(gpci_recorder *base) {
    return (recorder *)base;
}

/* End the recording after an error: discard the unfinished file and the calls of the present kernel. */
static GPCI_COLD void fail(recorder *recording, gpc_status status) {
    if (!recording->failure.message[0])
        gpci_fail(&recording->failure, status, "%s", gpc_status_string(status));
    recording->status = status;
    gpc_trace_writer_destroy(recording->writer);
    recording->writer = NULL;
    gpci_recorded_free(&recording->kernel);
    gpci_recorded_init(&recording->kernel, recording->hierarchy->context, recording->kernel.lanes);
    gpci_log(recording->hierarchy->context, GPC_LOG_WARNING, "the recording has ended: %s", recording->failure.message);
}

static void settle(recorder *recording, gpc_status status) {
    if (status < 0)
        fail(recording, status);
}

/* Write the present kernel. A kernel without any recorded call is not written. */
static gpc_status end_kernel(recorder *recording) {
    if (gpci_recorded_is_empty(&recording->kernel))
        return GPC_OK;
    return gpci_recorded_write(&recording->kernel, recording->from, recording->block, recording->writer,
                               &recording->failure);
}

static void cannot(gpci_recorder *base, const char *call) {
    recorder *recording = of(base);
    if (!recording->writer)
        return;
    gpci_fail(&recording->failure, GPC_ERROR_UNSUPPORTED, "%s is no warp's instruction, as those of a trace are", call);
    fail(recording, GPC_ERROR_UNSUPPORTED);
}

/* End the recording at an access that a trace cannot express. `why` is the error's message. */
static void cannot_access(recorder *recording, const char *why) {
    gpci_fail(&recording->failure, GPC_ERROR_UNSUPPORTED, "%s", why);
    fail(recording, GPC_ERROR_UNSUPPORTED);
}

static void on_access(gpci_recorder *base, const gpc_warp_access *access) {
    recorder *recording = of(base);
    gpc_warp_access warp_access;
    if (!recording->writer || gpci_access_take(access, NULL, &warp_access) < 0 ||
        gpci_access_check(recording->hierarchy, &warp_access, NULL) < 0)
        return;
    if (warp_access.copy != GPC_COPY_NONE || warp_access.process) {
        cannot_access(recording,
                      warp_access.process
                          ? "an access of another process than 0 cannot be recorded: a trace is of one process"
                          : "a copy into shared memory (gpc_warp_access.copy) cannot be recorded: no call says "
                            "what waits for it");
        return;
    }
    const gpci_recorded_form form = {.kind = warp_access.kind,
                                     .space = warp_access.space,
                                     .hint = warp_access.hint,
                                     .priority = warp_access.priority,
                                     .width = (uint8_t)warp_access.width,
                                     .scope = warp_access.scope,
                                     .order = warp_access.order,
                                     .local_offsets = warp_access.local_offsets};
    const gpc_turn turn = {.block = warp_access.block,
                           .sm = warp_access.sm,
                           .slot = warp_access.warp,
                           .warp_age = warp_access.warp_age,
                           .token = warp_access.token,
                           .token_l2 = warp_access.token_l2,
                           .scope = warp_access.scope,
                           .order = warp_access.order};
    settle(recording, gpci_recorded_add(&recording->kernel, gpci_trace_own_opcodes(recording->from), &form,
                                        warp_access.pc, warp_access.mask, warp_access.addresses, turn));
}

static void on_fence(gpci_recorder *base, const gpc_fence *fence) {
    recorder *recording = of(base);
    gpc_fence f = GPC_FENCE_INIT;
    if (!recording->writer || gpci_take(&f, sizeof f, sizeof f, fence, "gpc_fence", NULL) < 0)
        return;
    const gpci_recorded_form form = {.fence = 1, .scope = f.scope, .order = f.order, .control = f.control};
    const gpc_turn turn = {.block = gpci_recorded_block_at(&recording->kernel, f.sm, f.warp),
                           .sm = f.sm,
                           .slot = f.warp,
                           .scope = f.scope,
                           .order = f.order,
                           .control = f.control};
    settle(recording,
           gpci_recorded_add(&recording->kernel, gpci_trace_own_opcodes(recording->from), &form, 0, 1, NULL, turn));
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
    recorder *recording = of(base);
    const gpc_turn turn = {.what = GPC_TURN_EVENT,
                           .sm = event->sm,
                           .slot = event->warp,
                           .block = event->block,
                           .event = (uint8_t)event->kind};
    if (recording->writer)
        settle(recording, gpci_recorded_turn(&recording->kernel, &turn));
}

static void on_flush(gpci_recorder *base) {
    recorder *recording = of(base);
    const gpc_turn turn = {.what = GPC_TURN_FLUSH};
    if (recording->writer)
        settle(recording, gpci_recorded_turn(&recording->kernel, &turn));
}

static void on_count(gpci_recorder *base, uint64_t warp_instructions, uint64_t thread_instructions, uint64_t blocks) {
    gpc_recording *recording = &of(base)->kernel.recording;
    recording->warp_instructions += warp_instructions;
    recording->thread_instructions += thread_instructions;
    recording->blocks += blocks;
}

static void destroy(gpci_recorder *base) {
    recorder *recording = of(base);
    gpc_context *context = recording->hierarchy->context;
    gpc_trace_writer_destroy(recording->writer);
    gpci_recorded_free(&recording->kernel);
    gpci_block_destroy(recording->block);
    gpc_trace_close(recording->from);
    recording->hierarchy->recorder = NULL;
    gpci_free(context, recording);
}

static const gpci_recorder_ops ops = {on_access, on_fence, on_kernel, on_event, on_flush, on_count, cannot, destroy};

static gpc_status check(const gpc_hierarchy *hierarchy, const char *path, gpc_error *error) {
    if (!hierarchy || !path || !*path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_record: %s is missing",
                         hierarchy ? "path" : "hierarchy");
    if (hierarchy->recorder)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_record: a recording is under way");
    if (hierarchy->replayed)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_record: the hierarchy is a replay's, which has a trace");
    if (!hierarchy->driver->idle(hierarchy))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_record: accesses are in flight");
    if (hierarchy->lanes != 32 && hierarchy->lanes != 64)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_record: sm.lanes is %u, but warps of traces have 32 or 64", hierarchy->lanes);
    return GPC_OK;
}

gpc_status gpc_hierarchy_record(gpc_hierarchy *hierarchy, const char *path, gpc_error *error) {
    gpc_status status = check(hierarchy, path, error);
    if (status < 0)
        return status;
    recorder *recording = gpci_zalloc(hierarchy->context, 1, sizeof *recording);
    if (!recording)
        return gpci_out_of_memory(error);
    recording->base.ops = &ops;
    recording->hierarchy = hierarchy;
    recording->failure = (gpc_error)GPC_ERROR_INIT;
    gpci_recorded_init(&recording->kernel, hierarchy->context, hierarchy->lanes);
    recording->block = gpci_block_create(hierarchy->context);
    status = recording->block ? gpci_trace_of_opcodes(hierarchy->context, error, &recording->from)
                              : gpci_out_of_memory(error);
    if (status == GPC_OK)
        status = gpc_trace_writer_create(hierarchy->context, path, GPC_TRACE_BINARY, &recording->writer, error);
    if (status < 0)
        destroy(&recording->base);
    else
        hierarchy->recorder = &recording->base;
    return status;
}

bool gpc_hierarchy_is_recording(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->recorder && ((const recorder *)hierarchy->recorder)->writer;
}

gpc_status gpc_hierarchy_record_end(gpc_hierarchy *hierarchy, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_record_end: hierarchy is NULL");
    if (!hierarchy->recorder)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_record_end: there is no recording");
    recorder *recording = of(hierarchy->recorder);
    gpc_status status = recording->status;
    if (recording->writer)
        status = end_kernel(recording);
    if (recording->writer && status == GPC_OK)
        status = gpc_trace_writer_finish(recording->writer, &recording->failure);
    if (status < 0)
        gpci_fail(error, status, "%s",
                  recording->failure.message[0] ? recording->failure.message : gpc_status_string(status));
    destroy(&recording->base);
    return status;
}
