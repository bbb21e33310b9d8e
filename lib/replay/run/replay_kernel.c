/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/replay.h"
#include "replay/sampling/sampling.h"
#include "trace/rewind.h"

#include <string.h>

/*
 * A kernel of a replay: begin, run, end. The kernel may pause between two cycles or rounds (`pause_at`) and stays
 * current until a later call runs it to its end.
 */

static void get_stats(gpc_replay *r, gpc_stats *stats) {
    gpci_replay_count(r);
    gpci_replay_stats(r, stats);
}

/* A warp of fewer lanes than the SM's occupies the resources of a full warp. */
gpc_status gpci_replay_launch(const gpc_replay *r, gpc_launch *launch, gpc_error *error) {
    const gpc_kernel *k = &r->kernel;
    uint32_t lanes = (uint32_t)gpci_config_number(r->config, GPCI_KEY_SM_LANES);
    uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
    if (k->warp_lanes > lanes)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: its warps have %u lanes, but sm.lanes is %u", k->file,
                         k->warp_lanes, lanes);
    if (k->warp_lanes < lanes)
        threads = (threads + k->warp_lanes - 1) / k->warp_lanes * lanes;
    launch->threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
    launch->registers = k->registers;
    launch->shared_bytes = k->shared_bytes;
    return GPC_OK;
}

/* Add the untimed part, and turn `stats` into the estimate of the whole. */
static void take_sample(gpc_replay *r, gpc_stats *stats) {
    gpc_stats none;
    gpc_stats_init(&none);
    if (r->warming) {
        gpci_sampling_note(r, &none, stats, stats);
        return;
    }
    gpc_stats timed = *stats;
    gpci_stats_subtract(&timed, &r->sampling->blocks.rest);
    gpci_sampling_note(r, &timed, &r->sampling->blocks.rest, stats);
}

gpc_status gpci_replay_copies(gpc_replay *r, const gpc_trace *trace, uint8_t process, gpc_error *error) {
    gpc_hierarchy *h = r->hierarchy;
    gpc_status status = GPC_OK;
    uint64_t address, bytes;
    size_t at = 0;
    if (!gpci_config_number(r->config, GPCI_KEY_KERNELS_COPIES)) /* 0: none, 1: l2 */
        return GPC_OK;
    while (status == GPC_OK && gpci_trace_copy(trace, &at, &address, &bytes)) {
        const char *wrong = gpci_process_wrong(h, process, address, bytes);
        if (wrong)
            return gpci_fail(error, GPC_ERROR_RANGE, "a copy before %s: %s", r->kernel.file, wrong);
        status = gpci_hierarchy_copy_in(h, gpc_process_address(process, address), bytes);
    }
    return status < 0 ? gpci_fail(error, status, "a copy before %s: %s", r->kernel.file, gpc_status_string(status))
                      : GPC_OK;
}

/* Launch the kernel. After a failure the kernel has not begun. */
static gpc_status launch_kernel(gpc_replay *r, const gpc_launch *launch, bool begins, gpc_error *error) {
    gpc_status status = GPC_OK;
    /* Accesses left in flight by an abandoned kernel must not complete within this kernel. */
    if (gpc_hierarchy_in_flight(r->hierarchy))
        status = gpc_hierarchy_drain(r->hierarchy, error);
    if (status < 0)
        return status;
    gpc_error detail = GPC_ERROR_INIT;
    /* Write-backs of a flush between kernels belong to no kernel. A kernel that does not fit flushes nothing. */
    gpci_l1_share share;
    status = gpci_launch_l1_share(r->hierarchy, launch, &share, &detail);
    if (status == GPC_OK && begins)
        status = gpci_hierarchy_flush_for_kernel(r->hierarchy);
    if (status == GPC_OK) {
        get_stats(r, &r->before);
        if (r->objects)
            gpci_replay_note_objects(r);
        if (begins)
            status = gpc_hierarchy_begin_kernel(r->hierarchy, launch, &detail);
    }
    if (status == GPC_OK)
        status = gpci_replay_copies(r, r->trace, 0, &detail);
    r->begun = status == GPC_OK;
    return r->begun ? GPC_OK
                    : gpci_fail(error, status, "%s: %s", r->kernel.file,
                                detail.message[0] ? detail.message : gpc_status_string(status));
}

/* Choose the placement, and prepare learning, sampling and the timed replay. */
static gpc_status begin_kernel(gpc_replay *r, const gpc_launch *launch, gpc_error *error) {
    r->policies_vote = false;
    gpc_status status = gpci_dispatch_start(r, launch, error);
    gpci_dispatch_again(r);
    if (status == GPC_OK && r->future)
        status = gpci_replay_learn(r, error);
    if (r->sampling)
        gpci_blocks_begin(r);
    r->policies_vote = gpc_hierarchy_wants_samples(r->hierarchy) && !r->warming;
    if (status == GPC_OK && r->timed && !r->warming) {
        gpci_timed_tell_kernel(r->timed, r->kernel.name);
        gpci_timed_begin(r->timed);
    }
    return status;
}

/* Run the kernel to its end, or to a pause. */
static gpc_status go_on(gpc_replay *r, gpc_error *error) {
    r->hierarchy->future = r->future;
    gpc_status status = r->timed && !r->warming ? gpci_timed_run(r->timed, error) : gpci_replay_rounds(r, error);
    if (status == GPC_OK && r->sampling)
        status = gpci_blocks_rest(r, error);
    r->hierarchy->future = NULL;
    return status;
}

static gpc_status end_kernel(gpc_replay *r, gpc_status status, gpc_stats *stats) {
    gpc_stats after;
    r->begun = false;
    gpci_dispatch_abandon(r);
    if (!r->recorded_order) /* in recorded order the recording has this event */
        gpci_hierarchy_tell_policies(r->hierarchy, GPC_KERNEL_END);
    if (r->last_pc >= r->first_pc && !gpci_replay_reads_code(r))
        gpci_launch_code(r->hierarchy, r->last_pc - r->first_pc + (r->kernel.binary_version >= 70 ? 16 : 8));
    gpci_replay_count(r);
    get_stats(r, &after);
    if (r->timed && status == GPC_OK)
        gpci_timed_last_sample(r->timed, &after);
    *stats = after;
    gpci_stats_subtract(stats, &r->before);
    if (status == GPC_OK && r->sampling)
        take_sample(r, stats);
    gpci_stats_add(&r->total, stats);
    return status;
}

/* Number of the kernel's stream, in order of first launches. */
static gpc_status find_stream(gpc_replay *r, gpc_error *error) {
    const uint32_t most = r->hierarchy->streams;
    uint32_t n = 0;
    if (most == 1)
        return GPC_OK;
    if (!r->stream_ids && !(r->stream_ids = gpci_zalloc(r->context, most, sizeof *r->stream_ids)))
        return gpci_out_of_memory(error);
    while (n < r->streams_seen && r->stream_ids[n] != r->kernel.stream)
        n++;
    if (n == most)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: stream %llu is one more than streams = %u", r->kernel.file,
                         (unsigned long long)r->kernel.stream, most);
    r->stream_ids[n] = r->kernel.stream;
    r->streams_seen += n == r->streams_seen;
    r->stream = (uint8_t)n;
    return GPC_OK;
}

static gpc_status run_kernel(gpc_replay *r, gpc_stats *stats, gpc_error *error) {
    gpc_status status = GPC_OK;
    if (!r->begun) {
        gpc_launch launch = GPC_LAUNCH_INIT;
        status = r->recorded_order ? gpci_recorded_check(r, error) : gpci_replay_launch(r, &launch, error);
        const bool launched = !r->recorded_order || (status == GPC_OK && gpci_recorded_launch(r, &launch));
        if (status == GPC_OK)
            status = find_stream(r, error);
        if (status == GPC_OK)
            status =
                launch_kernel(r, launched ? &launch : NULL, !r->recorded_order || r->kernel.recording->begun, error);
        if (status < 0)
            return status;
        status = begin_kernel(r, &launch, error);
    }
    if (status == GPC_OK)
        status = go_on(r, error);
    if (status == GPC_BUSY)
        return status;
    status = end_kernel(r, status, stats);
    if (status == GPC_OK)
        gpci_replay_check_ledger(r);
    return status;
}

/* In a sampled replay, decide if the launch is timed. */
static gpc_status choose(gpc_replay *r, gpc_error *error) {
    bool timed = true;
    gpc_status status = gpci_sampling_check(r, error);
    if (status == GPC_OK && r->sampling->mode == GPCI_SAMPLE_KERNELS)
        status = gpci_launch_choose(r, &timed, error);
    r->skipping = !timed;
    return status;
}

/* Run a launch of a sampled replay. */
static gpc_status run_sampled(gpc_replay *r, gpc_stats *stats, gpc_error *error) {
    gpc_status status = r->begun ? GPC_OK : choose(r, error);
    if (status < 0)
        return status;
    if (!r->skipping || r->sampling->warming) {
        gpci_replay_warm(r, r->skipping);
        status = run_kernel(r, stats, error);
        gpci_replay_warm(r, false);
        return status;
    }
    gpci_sampling_note(r, stats, stats, stats);
    gpci_stats_add(&r->total, stats);
    return gpci_replay_copies(r, r->trace, 0, error);
}

static gpc_status check_results(const gpc_kernel *kernel, const gpc_layout *layout, const void *stats,
                                gpc_error *error) {
    size_t given = SIZE_MAX;
    if (stats)
        memcpy(&given, stats, sizeof given);
    if ((kernel && kernel->struct_size <= sizeof(size_t)) || given <= sizeof(size_t))
        return gpci_fail(error, GPC_ERROR_ABI, "gpc_replay_kernel: struct_size of %s is not set",
                         kernel && kernel->struct_size <= sizeof(size_t) ? "gpc_kernel" : "gpc_stats");
    gpc_status status = stats ? gpci_layout_check(layout, GPC_TABLE_HIERARCHY) : GPC_OK;
    return status < 0 ? gpci_fail(error, status, "gpc_replay_kernel: the library does not know the layout of stats")
                      : GPC_OK;
}

/* Continue the current kernel, or begin the trace's next one. GPC_BUSY: reached `pause_at`. */
static gpc_status find_kernel(gpc_replay *r, gpc_trace *trace, gpc_error *error) {
    if (r->inside)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_replay_kernel: from within a callback of the replay");
    if (r->parked)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_replay_kernel: the replay was saved in the middle of a kernel: gpc_replay_resume first");
    if (r->trace && r->trace != trace)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_replay_kernel: the replay is in the middle of a kernel of "
                         "another trace");
    if (gpci_replay_now(r) >= r->pause_at)
        return GPC_BUSY;
    if (r->trace)
        return GPC_OK;
    r->kernel = (gpc_kernel)GPC_KERNEL_INIT;
    gpc_status status = gpc_trace_next_kernel(trace, &r->kernel, error);
    if (status != GPC_OK)
        return status;
    gpci_replay_had(r, &r->kernel);
    r->trace = trace;
    gpci_replay_begin(r);
    return GPC_OK;
}

gpc_status gpc_replay_kernel_as(gpc_replay *r, gpc_trace *trace, gpc_kernel *kernel, const gpc_layout *layout,
                                void *stats, gpc_error *error) {
    if (!r || !trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_kernel: %s is NULL", r ? "trace" : "replay");
    gpc_status status = check_results(kernel, layout, stats, error);
    if (status == GPC_OK)
        status = find_kernel(r, trace, error);
    if (status != GPC_OK)
        return status;
    gpc_stats own;
    gpc_stats_init(&own);
    r->inside = true;
    status = r->sampling ? run_sampled(r, &own, error) : run_kernel(r, &own, error);
    r->inside = false;
    if (status == GPC_BUSY)
        return status;
    r->trace = NULL;
    if (status == GPC_OK && kernel)
        gpci_give(kernel, &r->kernel, sizeof r->kernel);
    if (status == GPC_OK && stats)
        gpci_replay_give(r, &own, layout, stats);
    return status;
}
