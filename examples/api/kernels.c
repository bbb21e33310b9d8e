/* SPDX-License-Identifier: BSD-2-Clause */
/* Two kernels at once: dispatched by the host, and as streams of a replay. */
#include "example.h"

#include <gpucache/ext/replay.h>

#include <inttypes.h>

static void by_the_host(gpc_context *context) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = configured(context, "kepler", "mode = timed\nsm.count = 2\nstreams = 2\n");
    gpc_hierarchy *hierarchy;
    check(gpc_hierarchy_create(context, config, &hierarchy, &error), &error);
    uint32_t numbers[2];
    for (uint32_t stream = 0; stream < 2; stream++) {
        gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
        options.sms = &stream;
        options.sm_count = 1;
        options.stream = stream;
        check(gpc_hierarchy_start_kernel(hierarchy, &options, &numbers[stream], &error), &error);
    }
    expect(gpc_hierarchy_running_kernels(hierarchy) == 2, "two kernels run, each on its SM");
    for (uint32_t stream = 0; stream < 2; stream++)
        check(gpc_hierarchy_end_kernel(hierarchy, numbers[stream], &error), &error);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
}

static void on_kernel(void *data, const gpc_kernel_result *result) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t id = GPC_ID_warp_instructions;
    uint64_t instructions;
    check(gpc_stats_read(result->stats, &id, 1, &instructions, 1, &error), &error);
    printf("stream %" PRIu32 ": %s, cycles %" PRIu64 " to %" PRIu64 ", %" PRIu64 " warp instructions\n", result->stream,
           result->kernel->name, result->started, result->ended, instructions);
    ++*(unsigned *)data;
}

int main(void) {
    static const char *const sources[2] = {"synthetic:vectoradd:64KiB", "synthetic:relu:64KiB"};
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_replay *replay;
    unsigned ended = 0;
    check(gpc_context_create(NULL, &context, &error), &error);
    by_the_host(context);

    gpc_config *config = configured(context, "kepler", "mode = timed\nstreams = 2\n");
    check(gpc_replay_create(context, config, &replay, &error), &error);
    gpc_replay_stream streams[2] = {GPC_REPLAY_STREAM_INIT, GPC_REPLAY_STREAM_INIT};
    for (int i = 0; i < 2; i++)
        check(gpc_trace_open(context, sources[i], &streams[i].trace, &error), &error);
    check(gpc_replay_streams(replay, streams, 2, on_kernel, &ended, &error), &error);
    expect(ended == 2, "each stream has a kernel");
    for (int i = 0; i < 2; i++)
        gpc_trace_close(streams[i].trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
