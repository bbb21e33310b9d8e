/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/replay.h>

#include "errors/errors.h"

#include <criterion/criterion.h>

/* gpucache/replay.h, ext/replay.h (replays) */

#define SOURCE "synthetic:stream:4KiB"

typedef struct rig {
    gpc_context *context;
    gpc_replay *replay;
    gpc_trace *trace;
} rig;

static void rig_open(rig *r, const char *text) {
    r->context = made_context();
    gpc_config *config = made_config(r->context, text);
    cr_assert_eq(gpc_replay_create(r->context, config, &r->replay, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_open(r->context, SOURCE, &r->trace, NULL), GPC_OK);
    gpc_config_destroy(config);
}

static void rig_close(rig *r) {
    gpc_replay_destroy(r->replay);
    gpc_trace_close(r->trace);
    gpc_context_destroy(r->context);
}

Test(replay, creation) {
    rig r;
    rig_open(&r, "");
    gpc_config *config = made_config(r.context, ""), *out = NULL;
    gpc_replay *made = NULL;
    FAILS(ARGUMENT, "context is NULL", gpc_replay_create, NULL, config, &made);
    FAILS(ARGUMENT, "config is NULL", gpc_replay_create, r.context, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_replay_create, r.context, config, NULL);
    cr_assert_eq(gpc_config_set(config, "warps.order", "recorded", NULL), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "mode", "timed", NULL), GPC_OK);
    FAILS(RANGE, "warps.order = recorded", gpc_replay_create, r.context, config, &made);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_get_config, NULL, &out);
    FAILS(ARGUMENT, "out is NULL", gpc_replay_get_config, r.replay, NULL);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_copy, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_replay_copy, r.replay, NULL);
    cr_expect(!made && !out);
    gpc_config_destroy(config);
    rig_close(&r);
}

static gpc_status take(void *user_data, void *data, size_t bytes, size_t *out_read) {
    (void)user_data, (void)data, (void)bytes;
    *out_read = 0;
    return GPC_OK;
}

Test(replay, snapshots) {
    rig r;
    rig_open(&r, "");
    const gpc_stream none = GPC_STREAM_INIT, missing = GPC_STREAM_FILE("/nowhere/any.snap");
    const gpc_stream empty = GPC_STREAM_READ(take, NULL);
    gpc_load_options options = GPC_LOAD_OPTIONS_INIT;
    gpc_replay *made = NULL;
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_save, NULL, &missing);
    FAILS(ARGUMENT, "to is NULL", gpc_replay_save, r.replay, NULL);
    FAILS(ARGUMENT, "to: gpc_stream", gpc_replay_save, r.replay, &none);
    FAILS(IO, "/nowhere/any.snap", gpc_replay_save, r.replay, &missing);
    FAILS(ARGUMENT, "context is NULL", gpc_replay_load, NULL, &empty, NULL, &made);
    FAILS(ARGUMENT, "out is NULL", gpc_replay_load, r.context, &empty, NULL, NULL);
    FAILS(ARGUMENT, "from is NULL", gpc_replay_load, r.context, NULL, NULL, &made);
    FAILS(ARGUMENT, "from: gpc_stream", gpc_replay_load, r.context, &none, NULL, &made);
    FAILS(NOT_FOUND, "/nowhere/any.snap", gpc_replay_load, r.context, &missing, NULL, &made);
    FAILS(FORMAT, "snapshot", gpc_replay_load, r.context, &empty, NULL, &made);
    options.struct_size = 8;
    FAILS(ABI, "gpc_load_options", gpc_replay_load, r.context, &empty, &options, &made);
    cr_expect_null(made);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_resume, NULL, r.trace);
    FAILS(ARGUMENT, "trace is NULL", gpc_replay_resume, r.replay, NULL);
    WORKS(gpc_replay_resume, r.replay, r.trace);
    cr_assert_eq(gpc_replay_kernel(r.replay, r.trace, NULL, NULL), GPC_OK);
    while (gpc_replay_kernel(r.replay, r.trace, NULL, NULL) == GPC_OK)
        ;
    FAILS(FORMAT, "the replay has had", gpc_replay_resume, r.replay, r.trace);
    rig_close(&r);
}

static rig within;
static unsigned calls;

static void on_first_sample(void *user_data, uint64_t cycle, const gpc_stats *stats) {
    (void)user_data, (void)cycle, (void)stats;
    const gpc_replay_stream stream = GPC_REPLAY_STREAM_INIT;
    if (calls++)
        return;
    FAILS(STATE, "from within a callback", gpc_replay_kernel, within.replay, within.trace, NULL);
    FAILS(STATE, "from within a callback", gpc_replay_streams, within.replay, &stream, 1, NULL, NULL);
}

Test(replay, kernels) {
    rig *r = &within;
    rig_open(r, "mode = timed\n");
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_trace *other;
    cr_assert_eq(gpc_trace_open(r->context, SOURCE, &other, NULL), GPC_OK);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_kernel, NULL, r->trace, NULL);
    FAILS(ARGUMENT, "trace is NULL", gpc_replay_kernel, r->replay, NULL, NULL);
    kernel.struct_size = 0;
    FAILS(ABI, "gpc_kernel", gpc_replay_kernel, r->replay, r->trace, &kernel);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_pause_at, NULL, 5);
    WORKS(gpc_replay_pause_at, r->replay, 5);
    cr_assert_eq(gpc_replay_kernel(r->replay, r->trace, NULL, NULL), GPC_BUSY);
    FAILS(STATE, "another trace", gpc_replay_kernel, r->replay, other, NULL);
    FAILS(STATE, "in the middle of a kernel", gpc_replay_resume, r->replay, r->trace);
    cr_assert_eq(gpc_replay_pause_at(r->replay, UINT64_MAX, NULL), GPC_OK);
    cr_assert_eq(gpc_replay_on_sample(r->replay, 10, on_first_sample, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_replay_kernel(r->replay, r->trace, NULL, NULL), GPC_OK);
    cr_expect_geq(calls, 1u);
    gpc_trace_close(other);
    rig_close(r);
}

static gpc_status run_streams(gpc_replay *replay, gpc_trace *trace, gpc_error *error) {
    gpc_replay_stream stream = GPC_REPLAY_STREAM_INIT;
    stream.trace = trace;
    return gpc_replay_streams(replay, &stream, 1, NULL, NULL, error);
}

Test(replay, streams) {
    rig r;
    rig_open(&r, "streams = 2\n");
    gpc_replay_stream streams[2] = {GPC_REPLAY_STREAM_INIT, GPC_REPLAY_STREAM_INIT};
    streams[0].trace = streams[1].trace = r.trace;
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_streams, NULL, streams, 1, NULL, NULL);
    FAILS(ARGUMENT, "streams is NULL", gpc_replay_streams, r.replay, NULL, 1, NULL, NULL);
    FAILS(ARGUMENT, "count is 0", gpc_replay_streams, r.replay, streams, 0, NULL, NULL);
    FAILS(RANGE, "3 streams, but streams = 2", gpc_replay_streams, r.replay, streams, 3, NULL, NULL);
    FAILS(STATE, "streams[1] has the trace of streams[0]", gpc_replay_streams, r.replay, streams, 2, NULL, NULL);
    streams[1].trace = NULL;
    FAILS(ARGUMENT, "streams[1].trace is NULL", gpc_replay_streams, r.replay, streams, 2, NULL, NULL);
    streams[0].sms = &(uint32_t){99};
    streams[0].sm_count = 1;
    FAILS(RANGE, "streams[0].sms[0] is 99", gpc_replay_streams, r.replay, streams, 1, NULL, NULL);
    streams[0].struct_size = 8;
    FAILS(ABI, "gpc_replay_stream", gpc_replay_streams, r.replay, streams, 1, NULL, NULL);
    gpc_error error = error_unwritten();
    const gpc_status status = run_streams(r.replay, r.trace, &error);
    expect_no_error("gpc_replay_streams", status, status, &error);
    rig_close(&r);
}

Test(replay, values) {
    rig r;
    rig_open(&r, "");
    const uint32_t id = GPC_ID_l1_load_sectors;
    uint64_t value = 7;
    gpc_policy_value policy = GPC_POLICY_VALUE_INIT;
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_keep_objects, NULL, true);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_read, NULL, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1);
    FAILS(STATE, "gpc_replay_read: no kernel was run", gpc_replay_read, r.replay, GPC_OBJECT_WHOLE, 0, &id, 1, &value,
          1);
    FAILS(STATE, "gpc_replay_keep_objects", gpc_replay_read, r.replay, GPC_OBJECT_L1, 0, &id, 1, &value, 1);
    WORKS(gpc_replay_keep_objects, r.replay, true);
    cr_assert_eq(gpc_replay_kernel(r.replay, r.trace, NULL, NULL), GPC_OK);
    FAILS(RANGE, "has the index 99", gpc_replay_read, r.replay, GPC_OBJECT_L1, 99, &id, 1, &value, 1);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_read_total, NULL, &id, 1, &value, 1);
    cr_expect_eq(value, 7u);
    READS(gpc_replay_read, id, r.replay, GPC_OBJECT_WHOLE, 0);
    READS(gpc_replay_read, id, r.replay, GPC_OBJECT_L1, 0);
    READS(gpc_replay_read_total, id, r.replay);
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_policy_value, NULL, 0, &policy);
    FAILS(ARGUMENT, "value is NULL", gpc_replay_policy_value, r.replay, 0, NULL);
    FAILS(RANGE, "index: 99", gpc_replay_policy_value, r.replay, 99, &policy);
    rig_close(&r);
}

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *stats) {
    (void)user_data, (void)cycle, (void)stats;
}

Test(replay, samples) {
    rig r, sampled;
    rig_open(&r, "");
    rig_open(&sampled, "mode = timed\nsample = kernels\n");
    gpc_sampling sampling = GPC_SAMPLING_INIT;
    gpc_estimate estimate = GPC_ESTIMATE_INIT;
    FAILS(ARGUMENT, "replay is NULL", gpc_replay_on_sample, NULL, 100, on_sample, NULL);
    FAILS(ARGUMENT, "interval is 0", gpc_replay_on_sample, r.replay, 0, on_sample, NULL);
    WORKS(gpc_replay_on_sample, r.replay, 100, on_sample, NULL);
    WORKS(gpc_replay_on_sample, r.replay, 0, NULL, NULL);
#define SCOPE(function, ...)                                                    \
    FAILS(ARGUMENT, #function ": replay is NULL", function, NULL, __VA_ARGS__); \
    FAILS(STATE, "sample = none", function, r.replay, __VA_ARGS__);             \
    FAILS(STATE, "no kernel was run", function, sampled.replay, __VA_ARGS__)
    SCOPE(gpc_replay_get_sampling, GPC_SAMPLING_KERNEL, &sampling);
    SCOPE(gpc_replay_estimate, GPC_SAMPLING_KERNEL, GPC_ID_cycles, &estimate);
    cr_assert_eq(gpc_replay_kernel(sampled.replay, sampled.trace, NULL, NULL), GPC_OK);
    FAILS(ARGUMENT, "out is NULL", gpc_replay_get_sampling, sampled.replay, GPC_SAMPLING_KERNEL, NULL);
    FAILS(ARGUMENT, "99 is no gpc_sampling_scope", gpc_replay_get_sampling, sampled.replay, (gpc_sampling_scope)99,
          &sampling);
    FAILS(ARGUMENT, "out is NULL", gpc_replay_estimate, sampled.replay, GPC_SAMPLING_KERNEL, GPC_ID_cycles, NULL);
    FAILS(ARGUMENT, "99 is no gpc_sampling_scope", gpc_replay_estimate, sampled.replay, (gpc_sampling_scope)99,
          GPC_ID_cycles, &estimate);
    FAILS(NOT_FOUND, "id 999999", gpc_replay_estimate, sampled.replay, GPC_SAMPLING_KERNEL, 999999, &estimate);
    FAILS(NOT_FOUND, "has the id", gpc_replay_estimate, sampled.replay, GPC_SAMPLING_KERNEL, counter_id_beyond(),
          &estimate);
    cr_expect(sampling.launches == 0 && estimate.value == 0);
    WORKS(gpc_replay_get_sampling, sampled.replay, GPC_SAMPLING_KERNEL, &sampling);
    WORKS(gpc_replay_estimate, sampled.replay, GPC_SAMPLING_KERNEL, GPC_ID_cycles, &estimate);
    sampling.struct_size = estimate.struct_size = 0;
    FAILS(ABI, "gpc_sampling", gpc_replay_get_sampling, sampled.replay, GPC_SAMPLING_KERNEL, &sampling);
    FAILS(ABI, "gpc_estimate", gpc_replay_estimate, sampled.replay, GPC_SAMPLING_KERNEL, GPC_ID_cycles, &estimate);
    rig_close(&sampled);
    rig_close(&r);
}
