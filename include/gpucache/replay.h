/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_REPLAY_H
#define GPUCACHE_REPLAY_H

#include <gpucache/hierarchy.h>
#include <gpucache/trace.h>

GPC_BEGIN_DECLS

/*
 * Replay: run a trace through a hierarchy. Thread blocks go to SMs in order as
 * room comes free (`blocks.placement`: a trace's placement map decides where there
 * is one and it fits the SMs).
 *
 * Functional (`mode`): the warps of an SM take turns (`warps.order`). Timed: they
 * issue in order, through warp schedulers (`scheduler`), a register scoreboard and
 * one memory pipeline per SM, and the hierarchy has its clock.
 */

typedef struct gpc_progress {
    size_t struct_size;
    uint64_t warp_instructions; /* of the kernel so far */
    uint64_t blocks;            /* completed */
    uint64_t block_count;       /* of the grid */
    double trace_fraction;      /* of the whole trace read, 0 to 1 */
} gpc_progress;

/* Called about every million instructions, with a clock about every second. False cancels: GPC_ERROR_CANCELLED. */
typedef bool (*gpc_progress_fn)(void *user_data, const gpc_progress *progress);

/*
 * Create a replay and its hierarchy from a configuration, which is copied.
 * Returns as gpc_hierarchy_create. Since: 0.1.
 */
GPC_API gpc_status gpc_replay_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                     gpc_replay **out);
GPC_API void gpc_replay_destroy(gpc_replay *replay);

/* Set or clear (NULL) the progress callback. Since: 0.1. */
GPC_API void gpc_replay_on_progress(gpc_replay *replay, gpc_progress_fn on_progress, void *user_data);

/*
 * Run the trace's next kernel to its end, or the one at hand (gpc_replay_pause_at).
 *   kernel  receives its description (pointers live until the trace's next kernel); may be NULL
 *   layout, stats  the host's struct, struct_size set, receives its statistics; may both be NULL
 * Returns GPC_OK; GPC_END when no kernel is left; GPC_BUSY where it has paused; GPC_ERROR_ABI (a struct_size not
 * set, before anything ran); errors of the trace and of the
 * hierarchy; GPC_ERROR_FORMAT where the placement map does not fit the grid or, with
 * `blocks.placement = map`, the SMs; GPC_ERROR_CANCELLED; GPC_ERROR_STATE where a timed
 * replay makes no progress (`deadlock.cycles`), naming who waits for whom. A kernel that
 * `limit.cycles` or `limit.instructions` cuts short is no error. After an error the caches hold what had run.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_replay_kernel_as(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel,
                                        const gpc_layout *layout, void *stats, gpc_error *error);

/* The same for gpc_stats, which may be NULL. Since: 0.1. */
static inline gpc_status gpc_replay_kernel(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel, gpc_stats *stats,
                                           gpc_error *error) {
    return gpc_replay_kernel_as(replay, trace, kernel, gpc_stats_layout(), stats, error);
}

/*
 * Pause when a time has come, within a kernel or between two. gpc_replay_kernel then returns GPC_BUSY, writes neither
 * `kernel` nor `stats`, and the kernel is at hand: the next call, with the same trace, which must not be moved in
 * between, goes on with it (GPC_ERROR_STATE with another). At any time what comes of a kernel is the same.
 *   time  timed: core cycle, as gpc_hierarchy_now; functional: rounds, in each of which every SM takes a turn. Both of
 *         all kernels so far. UINT64_MAX: never
 * What is in flight when a kernel ends, or a limit cuts it short, comes back in one go, past the time if need be.
 * gpc_replay_now returns what of it has passed, 0 for NULL. gpc_replay_pause_at returns GPC_OK; GPC_ERROR_ARGUMENT.
 * A replay that is destroyed within a kernel leaves its blocks with the trace, until that is closed. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_pause_at(gpc_replay *replay, uint64_t time);
GPC_API uint64_t gpc_replay_now(const gpc_replay *replay);

/*
 * Called each `interval` core cycles of a kernel's timed replay, and at its end, with the statistics of that
 * interval: a time series. `cycle` is its last one by gpc_hierarchy_now. May not call into the replay.
 */
typedef void (*gpc_sample_fn)(void *user_data, uint64_t cycle, const gpc_stats *stats);

/*
 * Set or clear (NULL) the sampling callback.
 *   layout  of the struct that the callback gets; lives as long as the callback is set
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (interval 0 with a callback); GPC_ERROR_ABI (a layout that is not understood);
 * GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_on_sample_as(gpc_replay *replay, uint64_t interval, const gpc_layout *layout,
                                           gpc_sample_fn on_sample, void *user_data);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_replay_on_sample(gpc_replay *replay, uint64_t interval, gpc_sample_fn on_sample,
                                              void *user_data) {
    return gpc_replay_on_sample_as(replay, interval, gpc_stats_layout(), on_sample, user_data);
}

/*
 * A new configuration with what the replay was made from; of one that was loaded, what its file says.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_get_config(const gpc_replay *replay, gpc_error *error, gpc_config **out);

/* The hierarchy that the replay drives, borrowed. Since: 0.1. */
GPC_API gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay);

/* Statistics of all kernels so far, in the host's struct. GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2. */
GPC_API gpc_status gpc_replay_get_stats_as(const gpc_replay *replay, const gpc_layout *layout, void *stats);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_replay_get_stats(const gpc_replay *replay, gpc_stats *stats) {
    return gpc_replay_get_stats_as(replay, gpc_stats_layout(), stats);
}

/*
 * Counters that policies publish of themselves: the hierarchy's (gpc_hierarchy_policy_value), then, with a clock, those
 * of all warp schedulers and throttles. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_policy_value(const gpc_replay *replay, size_t index, gpc_policy_value *value);

/*
 * Values by object (gpc_hierarchy_object_count), of the kernel that was run last.
 *   keep  true: from the next kernel on, take what each object had counted when it began, if this is not done
 *         already; false: no longer
 * gpc_replay_keep_objects returns GPC_OK; GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT. The others as gpc_hierarchy_read and
 * gpc_hierarchy_read_histogram; GPC_ERROR_STATE where no kernel was run since gpc_replay_keep_objects. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_keep_objects(gpc_replay *replay, bool keep);
GPC_API gpc_status gpc_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                                   size_t count, uint64_t *values);
GPC_API gpc_status gpc_replay_read_histogram(const gpc_replay *replay, gpc_object kind, uint32_t index, uint32_t id,
                                             uint64_t *values, size_t length, size_t *out_length);

/*
 * Sampled replays: of a timed replay, `sample` has a part run with the clock, and the rest is estimated from it. What
 * is not timed may still change the caches (`sample.warming`): by the rules of a functional replay, at once.
 *
 *   kernels  Launches are alike that have name, dimensions, registers and shared memory in common, and whose first
 *            `sample.look` thread blocks have alike (`sample.distance`) instructions: mix, accesses, lanes, sectors per
 *            access, lines touched, static instructions, warps. Of a group the first `sample.launches` are timed, then
 *            one of each `sample.every`, at random (the context's seed). Each other is given the mean of those, without
 *            the first where there are two more, since it finds caches as no other does. [Principal Kernel Analysis,
 *            Baddouh et al., MICRO 2021, with groups found while the trace is read]
 *   blocks   A launch is timed until the rate of its instructions has been the same (`sample.tolerance`) in
 *            `sample.windows` windows, and then through as many more, which are measured: those by which it was found
 *            settled vary less than all do. Of the thread blocks that have not started then, as many whole waves as
 *            there are go by without the clock, once the launch has ended with the others: its end is its own, and no
 *            bias. What changes later, as when L2 is full of dirty lines for the first time, is not seen.
 *            [block and kernel sampling of Photon, Liu et al., MICRO 2023]
 *   intervals
 *            `sample.settle` windows of a launch are timed, `sample.unit` more measured, then `sample.skip` waves of
 *            blocks go by without the clock, and so on; its end is timed. Of an interval only the measured windows are
 *            part of the sample: neither how the SMs fill, in step, nor how their last blocks drain.
 *            [SMARTS, Wunderlich et al., ISCA 2003, with units of whole blocks]
 *
 * The statistics of a launch, and their sum, are rounded estimates where they are not counted. Which these are, and how
 * far the truth may be, is asked for by counter.
 */

/* How much of what was replayed ran with the clock. */
typedef struct gpc_sampling {
    size_t struct_size;
    uint32_t mode;                /* of `sample`: 1 kernels, 2 blocks, 3 intervals */
    uint32_t group;               /* kernels: of the launch, from 0; of all launches how many groups there are */
    uint64_t launches;            /* 1, or all */
    uint64_t timed_launches;      /* of these, with a part that was timed */
    uint64_t windows;             /* units that the estimate is made of: launches of the group, windows; or their sum */
    uint64_t timed_instructions;  /* warp instructions that ran with the clock, */
    uint64_t warmed_instructions; /* and without */
    uint64_t skipped_blocks;      /* thread blocks that were not timed */
} gpc_sampling;

#define GPC_SAMPLING_INIT \
    { sizeof(gpc_sampling), 0, 0, 0, 0, 0, 0, 0, 0 }

/* A counter or ratio of a sampled replay, and where the truth is with a probability of 95 %. */
typedef struct gpc_estimate {
    size_t struct_size;
    double value;
    double low, high;  /* = value of what was counted */
    uint8_t estimated; /* 0: counted */
    uint8_t reserved[7];
} gpc_estimate;

#define GPC_ESTIMATE_INIT                   \
    {                                       \
        sizeof(gpc_estimate), 0, 0, 0, 0, { \
            0                               \
        }                                   \
    }

/* Of which launches? */
typedef enum gpc_sampling_scope {
    GPC_SAMPLING_KERNEL = 0, /* the one that was replayed last */
    GPC_SAMPLING_ALL = 1     /* all so far: launches of a group by all that were timed, later ones too */
} gpc_sampling_scope;

/*
 * How it was sampled, and what is known of a counter.
 *   id   of a counter or a ratio of the hierarchy (gpc_counter_info.id)
 *   out  struct_size set
 * Intervals are of Student's t, for a mean of units alike and independent, and the chance of those that were not
 * measured; a ratio's as if its terms varied by themselves, which is wide.
 * Returns GPC_OK; GPC_ERROR_STATE (sample = none, or nothing was replayed); GPC_ERROR_NOT_FOUND (the id is of no
 * counter or ratio of the hierarchy, is not measured in this configuration, or is a ratio without a denominator);
 * GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_get_sampling(const gpc_replay *replay, gpc_sampling_scope scope, gpc_sampling *out);
GPC_API gpc_status gpc_replay_estimate(const gpc_replay *replay, gpc_sampling_scope scope, uint32_t id,
                                       gpc_estimate *out);

/*
 * Snapshots of a replay, between two kernels or where it has paused within one: its hierarchy, what its SMs keep from
 * one kernel to the next, and of a kernel its blocks, and where each of their warps is. A replay that goes on from one
 * with the rest of the trace does what this one would, byte for byte. Callbacks are not in it: set them anew; a time
 * series goes on as it was if it is of the same interval. What gpc_replay_keep_objects keeps is.
 *
 *   gpc_replay_save, _save_to, _load, _load_with, _load_from, _load_from_with, _copy  as those of a hierarchy
 *       (gpucache/hierarchy.h), and return as they do; GPC_ERROR_STATE also from a callback, or where a kernel that
 *       failed or was cancelled has left accesses in flight
 *   gpc_replay_resume  reads on in `trace`, which is at its start, past the kernels that the replay has had; into the
 *       one at hand, past the blocks that have been read of it. Needed where there is one: it is the trace that says
 *       what its warps do, and the replay has a digest of the blocks that have not ended, by which another is known
 *
 * gpc_replay_resume returns GPC_OK; GPC_ERROR_FORMAT where these are others, or more than the trace has; errors of the
 * trace; GPC_ERROR_STATE (a kernel of another trace is at hand); GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. After an error
 * the replay is as it was, and may be resumed with another trace. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_save(const gpc_replay *replay, const char *path, gpc_error *error);
GPC_API gpc_status gpc_replay_save_to(const gpc_replay *replay, gpc_write_fn write, void *user_data, gpc_error *error);
GPC_API gpc_status gpc_replay_load(gpc_context *context, const char *path, gpc_error *error, gpc_replay **out);
GPC_API gpc_status gpc_replay_load_with(gpc_context *context, const char *path, const char *threads, gpc_error *error,
                                        gpc_replay **out);
GPC_API gpc_status gpc_replay_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                        gpc_replay **out);
GPC_API gpc_status gpc_replay_load_from_with(gpc_context *context, gpc_read_fn read, void *user_data,
                                             const char *threads, gpc_error *error, gpc_replay **out);
GPC_API gpc_status gpc_replay_copy(const gpc_replay *replay, gpc_error *error, gpc_replay **out);
GPC_API gpc_status gpc_replay_resume(gpc_replay *replay, gpc_trace *trace, gpc_error *error);

GPC_END_DECLS

#endif
