/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/replay.h"
#include "replay/sampling/sampling.h"
#include "trace/rewind.h"

#include <string.h>

/*
 * A kernel of a replay: begin, run, end. The kernel may pause between two cycles or rounds (replay->pause_at). It stays
 * the current kernel until a later call runs the rest.
 */

static void get_stats(gpc_replay *replay, gpc_stats *stats) {
    gpci_replay_count(replay);
    gpci_replay_stats(replay, stats);
}

/* If the trace's warps have fewer lanes than sm.lanes, each warp still takes the resources of a full warp. */
gpc_status gpci_replay_launch(const gpc_replay *replay, gpc_launch *launch, gpc_error *error) {
    const gpc_kernel *kernel = &replay->kernel;
    uint32_t lanes = (uint32_t)gpci_config_number(replay->config, GPCI_KEY_SM_LANES);
    uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1] * kernel->block[2];
    if (kernel->warp_lanes > lanes)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: its warps have %u lanes, but sm.lanes is %u", kernel->file,
                         kernel->warp_lanes, lanes);
    if (kernel->warp_lanes < lanes)
        threads = (threads + kernel->warp_lanes - 1) / kernel->warp_lanes * lanes;
    launch->threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
    launch->registers = kernel->registers;
    launch->shared_bytes = kernel->shared_bytes;
    return GPC_OK;
}

/* Turn `stats`, the counted statistics of a sampled kernel, into the estimate for the whole kernel. */
static void take_sample(gpc_replay *replay, gpc_stats *stats) {
    gpc_stats none;
    gpci_stats_init(&none);
    if (replay->warming) {
        gpci_sampling_note(replay, &none, stats, stats);
        return;
    }
    gpc_stats timed = *stats;
    gpci_stats_subtract(&timed, &replay->sampling->blocks.rest);
    gpci_sampling_note(replay, &timed, &replay->sampling->blocks.rest, stats);
}

gpc_status gpci_replay_copies(gpc_replay *replay, const gpc_trace *trace, uint8_t process, gpc_error *error) {
    gpc_hierarchy *hierarchy = replay->hierarchy;
    gpc_status status = GPC_OK;
    uint64_t address, bytes;
    size_t at = 0;
    if (!gpci_config_number(replay->config, GPCI_KEY_KERNELS_COPIES)) /* 0: none, 1: l2 */
        return GPC_OK;
    while (status == GPC_OK && gpci_trace_copy(trace, &at, &address, &bytes)) {
        const char *wrong = gpci_process_wrong(hierarchy, process, address, bytes);
        if (wrong)
            return gpci_fail(error, GPC_ERROR_RANGE, "a copy before %s: %s", replay->kernel.file, wrong);
        status = gpci_hierarchy_copy_in(hierarchy, gpc_process_address(process, address), bytes);
    }
    return status < 0 ? gpci_fail(error, status, "a copy before %s: %s", replay->kernel.file, gpc_status_string(status))
                      : GPC_OK;
}

/* Launch the kernel in the hierarchy, if `begins`. After a failure the kernel has not begun. */
static gpc_status launch_kernel(gpc_replay *replay, const gpc_launch *launch, bool begins, gpc_error *error) {
    gpc_status status = GPC_OK;
    /* accesses of an earlier kernel that failed must not complete within this kernel */
    if (gpc_hierarchy_in_flight(replay->hierarchy))
        status = gpc_hierarchy_drain(replay->hierarchy, error);
    if (status < 0)
        return status;
    gpc_error detail = GPC_ERROR_INIT;
    /* flush before `before` is taken: write-backs belong to no kernel; a kernel that does not fit must flush nothing */
    gpci_l1_share share;
    status = gpci_launch_l1_share(replay->hierarchy, launch, &share, &detail);
    if (status == GPC_OK && begins)
        status = gpci_hierarchy_flush_for_kernel(replay->hierarchy);
    if (status == GPC_OK) {
        get_stats(replay, &replay->before);
        if (replay->objects)
            gpci_replay_note_objects(replay);
        if (begins)
            status = gpc_hierarchy_begin_kernel(replay->hierarchy, launch, &detail);
    }
    if (status == GPC_OK)
        status = gpci_replay_copies(replay, replay->trace, 0, &detail);
    replay->begun = status == GPC_OK;
    return replay->begun ? GPC_OK
                         : gpci_fail(error, status, "%s: %s", replay->kernel.file,
                                     detail.message[0] ? detail.message : gpc_status_string(status));
}

/* Choose the placement, and prepare learning, sampling and the timed replay. */
static gpc_status begin_kernel(gpc_replay *replay, const gpc_launch *launch, gpc_error *error) {
    replay->policies_vote = false;
    gpc_status status = gpci_dispatch_start(replay, launch, error);
    gpci_dispatch_again(replay);
    if (status == GPC_OK && replay->future)
        status = gpci_replay_learn(replay, error);
    if (replay->sampling)
        gpci_blocks_begin(replay);
    replay->policies_vote = gpc_hierarchy_wants_samples(replay->hierarchy) && !replay->warming;
    if (status == GPC_OK && replay->timed && !replay->warming) {
        gpci_timed_tell_kernel(replay->timed, replay->kernel.name);
        gpci_timed_begin(replay->timed);
    }
    return status;
}

/* Run the kernel to its end, or to a pause. */
static gpc_status go_on(gpc_replay *replay, gpc_error *error) {
    replay->hierarchy->future = replay->future;
    gpc_status status =
        replay->timed && !replay->warming ? gpci_timed_run(replay->timed, error) : gpci_replay_rounds(replay, error);
    if (status == GPC_OK && replay->sampling)
        status = gpci_blocks_rest(replay, error);
    replay->hierarchy->future = NULL;
    return status;
}

static gpc_status end_kernel(gpc_replay *replay, gpc_status status, gpc_stats *stats) {
    gpc_stats after;
    replay->begun = false;
    gpci_dispatch_abandon(replay);
    if (!replay->recorded_order) /* a recording has the event already */
        gpci_hierarchy_tell_policies(replay->hierarchy, GPC_KERNEL_END);
    if (replay->last_pc >= replay->first_pc && !gpci_replay_reads_code(replay))
        gpci_launch_code(replay->hierarchy,
                         replay->last_pc - replay->first_pc + (replay->kernel.binary_version >= 70 ? 16 : 8));
    gpci_replay_count(replay);
    get_stats(replay, &after);
    if (replay->timed && status == GPC_OK)
        gpci_timed_last_sample(replay->timed, &after);
    *stats = after;
    gpci_stats_subtract(stats, &replay->before);
    if (status == GPC_OK && replay->sampling)
        take_sample(replay, stats);
    gpci_stats_add(&replay->total, stats);
    return status;
}

/* Set replay->stream to the number of the kernel's stream. Streams are numbered in the order of their first kernels. */
static gpc_status find_stream(gpc_replay *replay, gpc_error *error) {
    const uint32_t most = replay->hierarchy->streams;
    uint32_t n = 0;
    if (most == 1)
        return GPC_OK;
    if (!replay->stream_ids && !(replay->stream_ids = gpci_zalloc(replay->context, most, sizeof *replay->stream_ids)))
        return gpci_out_of_memory(error);
    while (n < replay->streams_seen && replay->stream_ids[n] != replay->kernel.stream)
        n++;
    if (n == most)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: stream %llu is one more than streams = %u", replay->kernel.file,
                         (unsigned long long)replay->kernel.stream, most);
    replay->stream_ids[n] = replay->kernel.stream;
    replay->streams_seen += n == replay->streams_seen;
    replay->stream = (uint8_t)n;
    return GPC_OK;
}

static gpc_status run_kernel(gpc_replay *replay, gpc_stats *stats, gpc_error *error) {
    gpc_status status = GPC_OK;
    if (!replay->begun) {
        gpc_launch launch = GPC_LAUNCH_INIT;
        status =
            replay->recorded_order ? gpci_recorded_check(replay, error) : gpci_replay_launch(replay, &launch, error);
        const bool launched = !replay->recorded_order || (status == GPC_OK && gpci_recorded_launch(replay, &launch));
        if (status == GPC_OK)
            status = find_stream(replay, error);
        if (status == GPC_OK)
            status = launch_kernel(replay, launched ? &launch : NULL,
                                   !replay->recorded_order || replay->kernel.recording->begun, error);
        if (status < 0)
            return status;
        status = begin_kernel(replay, &launch, error);
    }
    if (status == GPC_OK)
        status = go_on(replay, error);
    if (status == GPC_BUSY)
        return status;
    status = end_kernel(replay, status, stats);
    if (status == GPC_OK)
        gpci_replay_check_ledger(replay);
    return status;
}

/* In a sampled replay, decide if the kernel is timed (replay->skipping: not timed). */
static gpc_status choose(gpc_replay *replay, gpc_error *error) {
    bool timed = true;
    gpc_status status = gpci_sampling_check(replay, error);
    if (status == GPC_OK && replay->sampling->mode == GPCI_SAMPLE_KERNELS)
        status = gpci_launch_choose(replay, &timed, error);
    replay->skipping = !timed;
    return status;
}

/* Run a kernel of a sampled replay: timed, without the clock (warming), or not at all. */
static gpc_status run_sampled(gpc_replay *replay, gpc_stats *stats, gpc_error *error) {
    gpc_status status = replay->begun ? GPC_OK : choose(replay, error);
    if (status < 0)
        return status;
    if (!replay->skipping || replay->sampling->warming) {
        gpci_replay_warm(replay, replay->skipping);
        status = run_kernel(replay, stats, error);
        gpci_replay_warm(replay, false);
        return status;
    }
    gpci_sampling_note(replay, stats, stats, stats);
    gpci_stats_add(&replay->total, stats);
    return gpci_replay_copies(replay, replay->trace, 0, error);
}

/* Continue the current kernel, or begin the trace's next kernel. GPC_BUSY: the replay has reached `pause_at`. */
static gpc_status find_kernel(gpc_replay *replay, gpc_trace *trace, gpc_error *error) {
    if (replay->inside)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_replay_kernel: from within a callback of the replay");
    if (replay->parked)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_replay_kernel: the replay was saved in the middle of a kernel: gpc_replay_resume first");
    if (replay->trace && replay->trace != trace)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_replay_kernel: the replay is in the middle of a kernel of "
                         "another trace");
    if (gpci_replay_now(replay) >= replay->pause_at)
        return GPC_BUSY;
    if (replay->trace)
        return GPC_OK;
    replay->kernel = (gpc_kernel)GPC_KERNEL_INIT;
    gpc_status status = gpc_trace_next_kernel(trace, &replay->kernel, error);
    if (status != GPC_OK)
        return status;
    gpci_replay_had(replay, &replay->kernel);
    replay->trace = trace;
    gpci_replay_begin(replay);
    return GPC_OK;
}

gpc_status gpc_replay_kernel(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel, gpc_error *error) {
    if (!replay || !trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_kernel: %s is NULL", replay ? "trace" : "replay");
    if (kernel && gpci_can_give(kernel, "gpc_kernel", error) < 0)
        return GPC_ERROR_ABI;
    gpc_status status = find_kernel(replay, trace, error);
    if (status != GPC_OK)
        return status;
    gpc_stats own;
    gpci_stats_init(&own);
    replay->inside = true;
    status = replay->sampling ? run_sampled(replay, &own, error) : run_kernel(replay, &own, error);
    replay->inside = false;
    if (status == GPC_BUSY)
        return status;
    replay->trace = NULL;
    if (status == GPC_OK) {
        replay->last = own;
        replay->has_last = true;
    }
    if (status == GPC_OK && kernel)
        gpci_give(kernel, &replay->kernel, sizeof replay->kernel, "gpc_kernel", NULL);
    return status;
}
