/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_KERNELS_H
#define GPUCACHE_KERNELS_H

#include <gpucache/replay.h>

GPC_BEGIN_DECLS

/*
 * Kernels at once: of several streams, on the same SMs or on SMs of their own, as partitions of a GPU have them (MIG,
 * green contexts). What they share is what they share in hardware: L2, networks, memory, and the L1s of SMs that run
 * blocks of several. A kernel is known by its stream: accesses and requests say that (gpc_warp_access.stream), policies
 * see the number of the kernel that runs there, and statistics are by stream (GPC_OBJECT_STREAM). So kernels at once
 * need the key `streams` to be as many. Streams of one program share memory, and programs do not
 * (gpc_warp_access.process, gpc_replay_stream.process). Trees of coherent modules, whose messages name no stream,
 * refuse them.
 */

/* A kernel that begins beside others. */
typedef struct gpc_kernel_options {
    size_t struct_size;
    const gpc_launch *launch; /* NULL: as for gpc_hierarchy_begin_kernel */
    const uint32_t *sms;      /* [sm_count] that its blocks run on, each below sm.count; NULL: all */
    uint32_t sm_count;
    uint32_t stream; /* below `streams` */
} gpc_kernel_options;

#define GPC_KERNEL_OPTIONS_INIT \
    { sizeof(gpc_kernel_options), NULL, NULL, 0, 0 }

/*
 * A kernel begins beside those that run, with accesses in flight. Which of its SMs run nothing yet decides what becomes
 * of L1s:
 *
 *   an SM that no kernel uses, by gpc_hierarchy_start_kernel
 *       Its L1 gets what the launch's shared memory leaves of a unified memory, and is emptied as `kernels.flush` and
 *       coherence = viper say. With a clock, for which its L1 must have nothing under way, dirty lines leave by
 *       packets, as evicted ones do; all else takes no time. Its policies are told that a kernel begins.
 *   an SM that some kernel uses
 *       Its L1 stays as it is, with its lines and its share: it cannot change while blocks have shared memory there. It
 *       is refused where that share has no room for one block.
 *
 * L2's policies are told of the first kernel that begins, and of the last that ends. Blocks are the host's to dispatch.
 *   out_kernel  receives its number, which requests then have (gpc_request.kernel)
 * Returns GPC_OK; GPC_BUSY: an L1 has something under way, or no room as said, and nothing was done: try again when
 * accesses have completed, or kernels ended; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (an SM or stream that there is not);
 * GPC_ERROR_RANGE (the block does not fit an SM); GPC_ERROR_STATE (the stream has a kernel: they run one after the
 * other); GPC_ERROR_UNSUPPORTED, and why: `coherence` of modules, coherence.data, kernels.flush = all while others run,
 * or a profile, which counts one kernel at a time; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_start_kernel(gpc_hierarchy *hierarchy, const gpc_kernel_options *options,
                                              gpc_error *error, uint32_t *out_kernel);

/*
 * A kernel has ended: its accesses have completed. Policies of the L1s that no other kernel uses are told.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (no such kernel runs). Until all have ended,
 * gpc_hierarchy_begin_kernel returns GPC_ERROR_STATE. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_end_kernel(gpc_hierarchy *hierarchy, uint32_t kernel, gpc_error *error);

/* Kernels that run, by gpc_hierarchy_start_kernel. 0 for NULL. Since: 0.2. */
GPC_API uint32_t gpc_hierarchy_running_kernels(const gpc_hierarchy *hierarchy);

/*
 * Replays of several streams at once.
 *
 * A stream's kernels run one after the other, those of different streams at once. A kernel is queued for dispatch when
 * it is the first of its stream, and leaves the queue once its last block is placed. Blocks are taken of the first
 * kernel of the queue alone, as far as there is room on its SMs: so what it leaves over is the next one's, once it is
 * wholly placed (rules G1 to G4 and X1 of Amert, Otterness, Yang, Anderson and Smith, "GPU Scheduling on the NVIDIA
 * TX2: Hidden Details Revealed", RTSS 2017, section IV). Queues of a greater priority are emptied first (rule A2);
 * blocks that run are not preempted. Kernels on SMs of which none is the other's do not wait for each other. With
 * `null_stream`, a stream is CUDA's legacy default one: its kernels wait for all that were launched before them, and
 * those launched later, of other streams of its process, wait for them (rules N1 and N2): this goes by
 * gpc_kernel.index, for streams of one trace.
 *
 * A block goes to an SM, round robin, that has room for its warps, registers, shared memory and one more block. Beside
 * blocks of another kernel it gets what they leave (rules R1 to R3), of shared memory of the carve-out that the SM has.
 * Its warps have consecutive slots, as in GPGPU-Sim (find_available_hwtid). To an SM without blocks its L1 is given as
 * gpc_hierarchy_start_kernel says, when the first block of a kernel comes to it after those of another; that waits
 * until its L1 has nothing under way. An SM whose throttles go by the kernel (gpc_throttle_ops.on_kernel) has blocks of
 * one kernel at a time.
 */
typedef struct gpc_replay_stream {
    size_t struct_size;
    gpc_trace *trace;    /* its kernels; of each stream another one, which nobody uses meanwhile */
    const uint32_t *sms; /* [sm_count] that its kernels run on, each below sm.count; NULL: all that run blocks */
    uint32_t sm_count;
    int32_t priority;    /* lower ones are more urgent, as in CUDA */
    uint8_t select;      /* 1: only kernels whose stream is `id`, of a trace of several streams */
    uint8_t null_stream; /* 1: as said above */
    /*
     * Process of the addresses and of the code (types.h). Streams of one number share memory. GPC_PROCESS_OWN: the
     * lowest number left free by the other streams. Of streams with `select` and GPC_PROCESS_OWN, those whose traces
     * were opened by one name are one program. Since: 0.2
     */
    uint8_t process;
    uint8_t reserved[5];
    uint64_t id;
} gpc_replay_stream;

#define GPC_REPLAY_STREAM_INIT \
    { sizeof(gpc_replay_stream), NULL, NULL, 0, 0, 0, 0, GPC_PROCESS_OWN, {0}, 0 }

/* A kernel of such a replay has ended. */
typedef struct gpc_kernel_result {
    size_t struct_size;
    const gpc_kernel *kernel; /* lives for the call */
    const void *stats;        /* the host's struct, likewise: what is counted of the kernel; all else is absent */
    uint64_t launched, ended; /* core cycles, or rounds: it was queued behind the one, and its last access came back */
    uint64_t started;         /* its first block was placed; its last, and it left the queue: */
    uint64_t dispatched;
    uint32_t stream; /* index of its stream */
    uint8_t process; /* of the stream */
    uint8_t reserved[3];
} gpc_kernel_result;

/* Called when a kernel has ended; may not call into the replay or a trace. */
typedef void (*gpc_kernel_result_fn)(void *user_data, const gpc_kernel_result *result);

/*
 * Run all kernels of some streams to their end.
 *   streams    [count], of equal struct_size, 1 to as many as the key `streams` says; stream i is counted as stream i
 *   layout     of the host's struct, which results and `stats` have
 *   on_kernel  NULL: not called
 *   stats      receives what all of it counted; may be NULL
 * Counters of a kernel: those by stream (GPC_OBJECT_STREAM), and kernels, blocks, warp_instructions,
 * thread_instructions and cycles, from its launch to its end. But for cycles, the sum over the kernels is the whole's
 * value, of sectors less what no kernel asked for itself: write-backs of lines, and launch.sectors.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (fewer `streams`; SMs that run no blocks; no
 * process is left; as gpc_replay_kernel of a launch); GPC_ERROR_FORMAT also for an address beyond 57 bits beside
 * another process; GPC_ERROR_STATE (a kernel is at hand; a trace twice); GPC_ERROR_UNSUPPORTED, and why:
 * as gpc_hierarchy_start_kernel, and sample, limit.cycles, limit.instructions, warps.order = recorded, l1.future,
 * kernels.flush = all, blocks.placement = map, gpc_replay_pause_at, and, when its turn comes, a kernel with
 * clusters of thread blocks; otherwise as gpc_replay_kernel. Maps of blocks.placement = auto are not followed, for they
 * are of kernels alone. After an error the caches hold what had run, and the traces stand wherever they were. Snapshots
 * are for between two such calls. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_streams_as(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                                         const gpc_layout *layout, gpc_kernel_result_fn on_kernel, void *user_data,
                                         void *stats, gpc_error *error);

/* The same for gpc_stats. Since: 0.2. */
static inline gpc_status gpc_replay_streams(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                                            gpc_kernel_result_fn on_kernel, void *user_data, gpc_stats *stats,
                                            gpc_error *error) {
    return gpc_replay_streams_as(replay, streams, count, gpc_stats_layout(), on_kernel, user_data, stats, error);
}

GPC_END_DECLS

#endif
