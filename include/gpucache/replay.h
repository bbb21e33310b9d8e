/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_REPLAY_H
#define GPUCACHE_REPLAY_H

#include <gpucache/hierarchy.h>
#include <gpucache/trace.h>

GPC_BEGIN_DECLS

/*
 * Replay: run a trace through a hierarchy. Thread blocks go to SMs in order, as room becomes free (`blocks.placement`:
 * if the trace has a placement map that fits the SMs, the map decides).
 * Functional (`mode`): the warps of an SM take turns (`warps.order`). Timed: warps issue in order, through warp
 * schedulers (`scheduler`), a register scoreboard and a memory pipeline per SM, and the hierarchy has a clock.
 */

typedef struct gpc_progress {
    size_t struct_size;
    uint64_t warp_instructions; /* warp instructions of the kernel until now */
    uint64_t blocks;            /* completed */
    uint64_t block_count;       /* blocks of the grid */
    double trace_fraction;      /* part of the whole trace already read, 0 to 1 */
} gpc_progress;

/* Called about every million instructions, with a clock about every second. False cancels: GPC_ERROR_CANCELLED. */
typedef bool (*gpc_progress_fn)(void *user_data, const gpc_progress *progress);

/*
 * Create a replay and its hierarchy from a configuration, which is copied. Returns as gpc_hierarchy_create. Since: 0.1.
 */
GPC_API gpc_status gpc_replay_create(gpc_context *context, const gpc_config *config, gpc_replay **out,
                                     gpc_error *error);
GPC_API void gpc_replay_destroy(gpc_replay *replay);

/* Set or clear (NULL) the progress callback. Since: 0.1. */
GPC_API void gpc_replay_on_progress(gpc_replay *replay, gpc_progress_fn on_progress, void *user_data);

/*
 * Run the trace's next kernel to its end, or continue a paused kernel (gpc_replay_pause_at).
 *   kernel  receives the kernel's description (pointers live until the trace's next kernel); may be NULL
 * gpc_replay_read then reads the kernel's counters.
 * Returns GPC_OK; GPC_END when no kernel is left; GPC_BUSY after a pause; GPC_ERROR_ABI (struct_size is not set;
 * nothing was run); errors of the trace and of the hierarchy; GPC_ERROR_RANGE (the trace's warps have more lanes than
 * sm.lanes); GPC_ERROR_FORMAT if the placement map does not fit the grid or, with `blocks.placement = map`, the SMs;
 * GPC_ERROR_CANCELLED; GPC_ERROR_STATE if a timed replay makes no progress (`deadlock.cycles`), naming the waiting
 * units. A kernel cut short by `limit.cycles` or `limit.instructions` is no error. After an error the caches keep their
 * present lines. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_kernel(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/*
 * Pause at a given time, within a kernel or between two kernels. gpc_replay_kernel then returns GPC_BUSY and does not
 * write `kernel`. The next call must have the same trace, not moved meanwhile, and continues the kernel
 * (GPC_ERROR_STATE with another trace). Pauses never change the results.
 *   time  timed: core cycle, as gpc_hierarchy_now; functional: rounds; in a round every SM takes a turn. Counted over
 *         all kernels. UINT64_MAX: never
 * If a kernel ends, or if a limit cuts the kernel short, in-flight accesses complete without a pause, even past `time`.
 * gpc_replay_now returns the present time, 0 for NULL. gpc_replay_pause_at returns GPC_OK; GPC_ERROR_ARGUMENT. If a
 * replay is destroyed within a kernel, its blocks stay with the trace until the trace is closed. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_pause_at(gpc_replay *replay, uint64_t time);
GPC_API uint64_t gpc_replay_now(const gpc_replay *replay);

/*
 * Called every `interval` core cycles of a kernel's timed replay, and at the kernel's end, with the statistics of the
 * interval: a time series. `cycle` is the last cycle of the interval, as gpc_hierarchy_now. Read `stats` with
 * gpc_stats_read. May not call into the replay.
 */
typedef void (*gpc_sample_fn)(void *user_data, uint64_t cycle, const gpc_stats *stats);

/*
 * Set or clear (NULL) the sampling callback. Returns GPC_OK; GPC_ERROR_ARGUMENT (NULL; interval 0 with a callback).
 * Since: 0.3.
 */
GPC_API gpc_status gpc_replay_on_sample(gpc_replay *replay, uint64_t interval, gpc_sample_fn on_sample, void *user_data,
                                        gpc_error *error);

/*
 * Create a copy of the replay's configuration. For a loaded replay: the configuration in its file. Returns GPC_OK;
 * GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_get_config(const gpc_replay *replay, gpc_config **out, gpc_error *error);

/* Hierarchy of the replay, borrowed. Since: 0.1. */
GPC_API gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay);

/*
 * Counters published by policies: those of the hierarchy (gpc_hierarchy_policy_value), then with a clock those of all
 * warp schedulers and throttles. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_policy_value(const gpc_replay *replay, size_t index, gpc_policy_value *value,
                                           gpc_error *error);

/*
 * Read counters of the last kernel, and of a paused kernel until now. Counters of the whole (GPC_OBJECT_WHOLE) are
 * always kept; in a sampled replay they are estimates. The last call of gpc_replay_streams counts as a kernel.
 *   keep  true: from the next kernel on, keep the counters of every object at the kernel's start; no effect if already
 *         on. false: stop
 * gpc_replay_keep_objects returns GPC_OK; GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT. gpc_replay_read has the arguments and
 * statuses of gpc_hierarchy_read; GPC_ERROR_STATE if no kernel was run, for other objects than the whole since
 * gpc_replay_keep_objects. gpc_replay_read_total reads the sum of all ended kernels. Since: 0.3.
 */
GPC_API gpc_status gpc_replay_keep_objects(gpc_replay *replay, bool keep);
GPC_API gpc_status gpc_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                                   size_t count, uint64_t *values, gpc_error *error);
GPC_API gpc_status gpc_replay_read_total(const gpc_replay *replay, const uint32_t *ids, size_t count, uint64_t *values,
                                         gpc_error *error);

/*
 * Sampled replays. In a timed replay with `sample`, a part of the trace runs with the clock, and the rest is estimated.
 * Parts without the clock may still change the caches (`sample.warming`), by the rules of a functional replay.
 *   kernels  Launches are similar if they have equal name, dimensions, registers and shared memory, and if their first
 *            `sample.look` thread blocks have similar (`sample.distance`) instructions: mix, accesses, lanes, sectors
 *            per access, lines touched, static instructions, warps. In a group of similar launches, the first
 *            `sample.launches` are timed, then 1 of every `sample.every`, drawn at random (the context's seed). An
 *            untimed launch gets the mean of the timed launches. The mean leaves out the group's first launch if at
 *            least two more are timed, because the first launch finds other caches than the rest. [Principal Kernel
 *            Analysis, Baddouh et al., MICRO 2021, with groups found while the trace is read]
 *   blocks   A launch is timed until its rate of instructions has been stable (`sample.tolerance`) for `sample.windows`
 *            windows, and then for as many windows more. Only the later windows are measured, because the windows that
 *            proved the rate stable vary less than average. Of the thread blocks that have not started by then, as many
 *            whole waves as possible are not timed. The remaining blocks are timed to the end of the launch. Then the
 *            whole waves run without the clock. Therefore the end of the launch is timed, without bias. Later changes
 *            are missed, for example when L2 becomes full of dirty lines for the first time. [block and
 *            kernel sampling of Photon, Liu et al., MICRO 2023]
 *   intervals
 *            In turn, `sample.settle` windows of a launch are timed, then `sample.unit` windows are timed and measured,
 *            then `sample.skip` waves of blocks run without the clock. The end of the launch is timed. Only the
 *            measured windows are in the sample: neither the start of an interval, when SMs fill in step, nor the end,
 *            when the last blocks drain. [SMARTS, Wunderlich et al., ISCA 2003, with units of whole blocks]
 * Uncounted statistics of a launch, and their sum, are rounded estimates. gpc_replay_estimate gives for every counter
 * whether it is estimated, and the error.
 */

/* Share of a replay that ran with the clock. */
typedef struct gpc_sampling {
    size_t struct_size;
    uint32_t mode;           /* mode of `sample`: 1 kernels, 2 blocks, 3 intervals */
    uint32_t group;          /* kernels: group of the launch, from 0; for all launches: number of groups */
    uint64_t launches;       /* 1, or all */
    uint64_t timed_launches; /* launches with a timed part */
    /* units of the estimate: launches of the group, or windows; for all launches: the sum */
    uint64_t windows;
    uint64_t timed_instructions;  /* warp instructions that ran with the clock */
    uint64_t warmed_instructions; /* warp instructions that ran without the clock */
    uint64_t skipped_blocks;      /* thread blocks without timing */
} gpc_sampling;

#define GPC_SAMPLING_INIT \
    { sizeof(gpc_sampling), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Counter or ratio of a sampled replay, with an interval that contains the true value with a probability of 95 %. */
typedef struct gpc_estimate {
    size_t struct_size;
    double value;
    double low, high;  /* equal to `value` for a counted value */
    uint8_t estimated; /* 0: counted */
    uint8_t reserved[7];
} gpc_estimate;

#define GPC_ESTIMATE_INIT                   \
    {                                       \
        sizeof(gpc_estimate), 0, 0, 0, 0, { \
            0                               \
        }                                   \
    }

/* Launches to report. */
typedef enum gpc_sampling_scope {
    GPC_SAMPLING_KERNEL = 0, /* the last replayed launch */
    /*
     * all launches until now. Launches of a group are estimated from all timed launches of the group, including later
     * launches
     */
    GPC_SAMPLING_ALL = 1
} gpc_sampling_scope;

/*
 * Get the sampling, and the estimate of a counter.
 *   id   of a counter or a ratio of the hierarchy (gpc_counter_info.id)
 *   out  struct_size set
 * Intervals use Student's t for a mean of independent and identically distributed units, with the chance of the
 * unmeasured units. The interval of a ratio assumes independent terms, and is wide.
 * Returns GPC_OK; GPC_ERROR_STATE (sample = none, or nothing was replayed); GPC_ERROR_NOT_FOUND (the id is not a
 * counter or ratio of the hierarchy, is not measured in this configuration, or is a ratio with denominator 0);
 * GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_get_sampling(const gpc_replay *replay, gpc_sampling_scope scope, gpc_sampling *out);
GPC_API gpc_status gpc_replay_estimate(const gpc_replay *replay, gpc_sampling_scope scope, uint32_t id,
                                       gpc_estimate *out);

/*
 * Snapshots of a replay, between two kernels or at a pause within a kernel. A snapshot contains the hierarchy, the
 * state that SMs keep between kernels, and for a paused kernel its blocks and the position of every warp. A replay that
 * continues from a snapshot with the rest of the trace gives equal results, byte for byte. Callbacks are not in a
 * snapshot: set them again. A time series continues if its interval is the same. Counters kept by
 * gpc_replay_keep_objects are in the snapshot.
 *   gpc_replay_save, _load, _copy  as for a hierarchy (gpucache/snapshot.h), with the same statuses; GPC_ERROR_STATE
 *                                  also from a callback, and if a failed or cancelled kernel has left accesses in
 *                                  flight
 *   gpc_replay_resume  advance `trace`, from its start, past the kernels that the replay has run, and in a paused
 *                      kernel past the blocks already read. Required for a paused kernel, because the trace has the
 *                      warps' instructions. The replay has a digest of the unfinished blocks, and detects another trace
 * The statuses are those of gpc_hierarchy_save and gpc_hierarchy_load.
 * gpc_replay_resume returns GPC_OK; GPC_ERROR_FORMAT if the trace has other kernels or blocks, or too few; errors of
 * the trace; GPC_ERROR_STATE (a kernel of another trace is paused); GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. After an
 * error the replay is unchanged, and may be resumed with another trace. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_save(const gpc_replay *replay, const gpc_stream *to, gpc_error *error);
GPC_API gpc_status gpc_replay_load(gpc_context *context, const gpc_stream *from, const gpc_load_options *options,
                                   gpc_replay **out, gpc_error *error);
GPC_API gpc_status gpc_replay_copy(const gpc_replay *replay, gpc_replay **out, gpc_error *error);
GPC_API gpc_status gpc_replay_resume(gpc_replay *replay, gpc_trace *trace, gpc_error *error);

GPC_END_DECLS

#endif
