/* SPDX-License-Identifier: BSD-2-Clause */
/* A replay that pauses, is saved within a kernel, and continues from the file. */
#include "example.h"

#include <gpucache/ext/replay.h>

#include <inttypes.h>

static const char source[] = "synthetic:vectoradd:64KiB", path[] = "replays.snap";

static bool on_progress(void *data, const gpc_progress *progress) {
    (void)data;
    printf("%.0f %% of the trace\n", 100 * progress->trace_fraction);
    return true;
}

static void on_sample(void *data, uint64_t cycle, const gpc_stats *stats) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t id = GPC_ID_warp_instructions;
    uint64_t instructions;
    check(gpc_stats_read(stats, &id, 1, &instructions, 1, &error), &error);
    printf("until cycle %" PRIu64 ": %" PRIu64 " warp instructions\n", cycle, instructions);
    ++*(unsigned *)data;
}

static uint64_t cycles(gpc_replay *replay) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t id = GPC_ID_cycles;
    uint64_t value;
    check(gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, &id, 1, &value, 1, &error), &error);
    return value;
}

/* Continue the kernel from the file, with a trace of its own. */
static uint64_t continued(gpc_context *context) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    gpc_replay *replay, *copy;
    const gpc_stream file = GPC_STREAM_FILE(path);
    check(gpc_replay_load(context, &file, NULL, &replay, &error), &error);
    check(gpc_replay_copy(replay, &copy, &error), &error);
    gpc_replay_destroy(copy);
    check(gpc_trace_open(context, source, &trace, &error), &error);
    check(gpc_replay_resume(replay, trace, &error), &error);
    check(gpc_replay_kernel(replay, trace, NULL, &error), &error);
    const uint64_t value = cycles(replay);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    return value;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_config *used;
    unsigned samples = 0;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_config *config = configured(context, "kepler", "mode = timed\nsm.count = 2\nl1.replacement = dip\n");
    check(gpc_replay_create(context, config, &replay, &error), &error);
    check(gpc_replay_get_config(replay, &used, &error), &error);
    gpc_config_destroy(used);
    check(gpc_trace_open(context, source, &trace, &error), &error);
    gpc_replay_on_progress(replay, on_progress, NULL);
    check(gpc_replay_on_sample(replay, 1000, on_sample, &samples, &error), &error);
    check(gpc_replay_keep_objects(replay, true, &error), &error);

    check(gpc_replay_pause_at(replay, 1500, &error), &error);
    expect(gpc_replay_kernel(replay, trace, NULL, &error) == GPC_BUSY && gpc_replay_now(replay) == 1500, "it pauses");
    const gpc_stream file = GPC_STREAM_FILE(path);
    check(gpc_replay_save(replay, &file, &error), &error);
    check(gpc_replay_pause_at(replay, UINT64_MAX, &error), &error);
    check(gpc_replay_kernel(replay, trace, NULL, &error), &error);
    printf("%" PRIu64 " cycles\n", cycles(replay));
    const uint64_t again = continued(context);
    (void)remove(path);
    expect(again == cycles(replay) && samples > 1, "the file continues with equal cycles");

    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_replay_policy_value(replay, i, &value, &error) == GPC_OK; i++)
        printf("%s = %" PRIu64 "\n", value.name, value.value);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
