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

/* Called about every million instructions. Return false to cancel: the replay call returns GPC_ERROR_CANCELLED. */
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
 * Run the trace's next kernel to its end.
 *   kernel  receives its description (pointers live until the trace's next kernel); may be NULL
 *   layout, stats  the host's struct, struct_size set, receives its statistics; may both be NULL
 * Returns GPC_OK; GPC_END when no kernel is left; GPC_ERROR_ABI (a struct_size not
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

/* The hierarchy that the replay drives, borrowed. Since: 0.1. */
GPC_API gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay);

/* Statistics of all kernels so far, in the host's struct. GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2. */
GPC_API gpc_status gpc_replay_get_stats_as(const gpc_replay *replay, const gpc_layout *layout, void *stats);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_replay_get_stats(const gpc_replay *replay, gpc_stats *stats) {
    return gpc_replay_get_stats_as(replay, gpc_stats_layout(), stats);
}

/*
 * Values by object (gpc_hierarchy_object_count), of the kernel that was run last.
 *   keep  true: from the next kernel on, take what each object had counted when it began; false: no longer
 * gpc_replay_keep_objects returns GPC_OK; GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT. The others as gpc_hierarchy_read and
 * gpc_hierarchy_read_histogram; GPC_ERROR_STATE where no kernel was run since gpc_replay_keep_objects. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_keep_objects(gpc_replay *replay, bool keep);
GPC_API gpc_status gpc_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                                   size_t count, uint64_t *values);
GPC_API gpc_status gpc_replay_read_histogram(const gpc_replay *replay, gpc_object kind, uint32_t index, uint32_t id,
                                             uint64_t *values, size_t length, size_t *out_length);

GPC_END_DECLS

#endif
