/* SPDX-License-Identifier: BSD-2-Clause */
/* A sampled replay: a part of the thread blocks runs with the clock, the rest is estimated. */
#include "example.h"

#include <gpucache/ext/replay.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_replay *replay;
    gpc_trace *trace;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_config *config = configured(context, "kepler", "mode = timed\nsm.count = 2\nsample = blocks\n");
    check(gpc_replay_create(context, config, &replay, &error), &error);
    check(gpc_trace_open(context, "synthetic:vectoradd:1MiB", &trace, &error), &error);
    check(gpc_replay_kernel(replay, trace, NULL, &error), &error);

    gpc_sampling sampling = GPC_SAMPLING_INIT;
    check(gpc_replay_get_sampling(replay, GPC_SAMPLING_KERNEL, &sampling, &error), &error);
    printf("%" PRIu64 " warp instructions with the clock, %" PRIu64 " thread blocks without\n",
           sampling.timed_instructions, sampling.skipped_blocks);
    gpc_estimate cycles = GPC_ESTIMATE_INIT;
    check(gpc_replay_estimate(replay, GPC_SAMPLING_KERNEL, GPC_ID_cycles, &cycles, &error), &error);
    printf("%.0f cycles, between %.0f and %.0f\n", cycles.value, cycles.low, cycles.high);
    expect(cycles.low <= cycles.value && cycles.value <= cycles.high, "the interval contains the estimate");

    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
