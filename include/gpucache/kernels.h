/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_KERNELS_H
#define GPUCACHE_KERNELS_H

#include <gpucache/replay.h>

GPC_BEGIN_DECLS

/*
 * Kernels at once: kernels of several streams run on shared SMs, or on separate SMs as in partitions of a GPU (MIG,
 * green contexts). As in hardware they share L2, networks, memory, and the L1s of SMs that run blocks of several
 * kernels. A kernel is identified by its stream: accesses and requests have the stream (gpc_warp_access.stream),
 * policies see the number of the kernel that runs in the stream, and statistics are by stream (GPC_OBJECT_STREAM).
 * Therefore the key `streams` must be at least the number of kernels at once. Streams of a program share memory;
 * different programs do not (gpc_warp_access.process, gpc_replay_stream.process). Trees of coherent modules refuse
 * kernels at once, because their messages have no stream.
 */

/* A kernel that begins beside other kernels. */
typedef struct gpc_kernel_options {
    size_t struct_size;
    const gpc_launch *launch; /* NULL: as for gpc_hierarchy_begin_kernel */
    const uint32_t *sms;      /* [sm_count], SMs for the kernel's blocks, below sm.count; NULL: all */
    uint32_t sm_count;
    uint32_t stream; /* below `streams` */
} gpc_kernel_options;

#define GPC_KERNEL_OPTIONS_INIT \
    { sizeof(gpc_kernel_options), NULL, NULL, 0, 0 }

/*
 * Begin a kernel beside running kernels, with accesses in flight. The effect on an L1 depends on its SM:
 *   an SM without a running kernel of gpc_hierarchy_start_kernel
 *       L1 gets the rest of a unified memory that the launch's shared memory leaves, and is emptied by `kernels.flush`
 *       and coherence = viper. With a clock, L1 must have nothing in flight, and dirty lines leave in packets as
 *       evicted lines do. Everything else takes no time. L1's policies are notified of the kernel's start.
 *   an SM with a running kernel
 *       L1 keeps its lines and its share, because blocks have shared memory there. If the share has no room for a
 *       block, the call is refused.
 * L2's policies are notified of the start of the first kernel and of the end of the last kernel. The host dispatches
 * the blocks.
 *   out_kernel  receives the kernel's number for requests (gpc_request.kernel)
 * Returns GPC_OK; GPC_BUSY: an L1 has something in flight or no room, and nothing was done: try again when accesses
 * have completed or kernels have ended; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (unknown SM or stream); GPC_ERROR_RANGE (the
 * block does not fit an SM); GPC_ERROR_STATE (the stream has a kernel; kernels of a stream run in sequence);
 * GPC_ERROR_UNSUPPORTED, with the reason: `coherence` of modules, coherence.data, kernels.flush = all while other
 * kernels run, or a profile, which counts a single kernel at a time; GPC_ERROR_MEMORY. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_start_kernel(gpc_hierarchy *hierarchy, const gpc_kernel_options *options,
                                              uint32_t *out_kernel, gpc_error *error);

/*
 * End a kernel, after its accesses have completed. Policies of L1s without another kernel are notified. Returns GPC_OK;
 * GPC_ERROR_ARGUMENT; GPC_ERROR_STATE (no running kernel with the number). gpc_hierarchy_begin_kernel returns
 * GPC_ERROR_STATE until all kernels have ended. Since: 0.2.
 */
GPC_API gpc_status gpc_hierarchy_end_kernel(gpc_hierarchy *hierarchy, uint32_t kernel, gpc_error *error);

/* Number of running kernels of gpc_hierarchy_start_kernel. 0 for NULL. Since: 0.2. */
GPC_API uint32_t gpc_hierarchy_running_kernels(const gpc_hierarchy *hierarchy);

/*
 * Replays of several streams at once.
 *
 * Order. Kernels of a stream run in sequence; kernels of different streams run at once. A kernel enters the dispatch
 * queue when the kernel is the first of its stream, and leaves the queue when its last block is placed. Only the first
 * kernel of the queue gives blocks, as far as its SMs have room. When the first kernel is completely placed, the next
 * kernel gets the remaining room (rules G1 to G4 and X1 of Amert, Otterness, Yang, Anderson and Smith, "GPU Scheduling
 * on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017, section IV). Queues of a higher priority are emptied first
 * (rule A2). Running blocks are not preempted. Kernels without a common SM do not wait for each other. With
 * `null_stream` a stream is CUDA's legacy default stream: its kernels wait for all kernels launched before, and later
 * kernels of other streams of its process wait for its kernels (rules N1 and N2). Kernels launch in
 * order of gpc_kernel.index; kernels with equal index, of different traces, launch in order of the streams.
 *
 * Placement. A block goes, round robin, to an SM with room for its warps, registers, shared memory and a further block.
 * Beside blocks of another kernel, the block gets the resources that they leave (rules R1 to R3), with shared memory of
 * the SM's present carve-out. Warps of the block have consecutive slots, as in GPGPU-Sim (find_available_hwtid). If an
 * SM without blocks gets the first block of a kernel after blocks of another kernel, its L1 is set as in
 * gpc_hierarchy_start_kernel. The block waits until the L1 has nothing in flight. An SM with throttles that depend on
 * the kernel (gpc_throttle_ops.on_kernel) has blocks of a single kernel at a time.
 */
typedef struct gpc_replay_stream {
    size_t struct_size;
    /* kernels of the stream; a different trace object per stream, in no other use during the replay */
    gpc_trace *trace;
    const uint32_t *sms; /* [sm_count], SMs for the stream's kernels, below sm.count; NULL: all SMs that run blocks */
    uint32_t sm_count;
    int32_t priority;    /* a lower number is more urgent, as in CUDA */
    uint8_t select;      /* 1: only kernels whose stream is `id`, for a trace of several streams */
    uint8_t null_stream; /* 1: CUDA's legacy default stream, see above */
    /*
     * Process of the addresses and of the code (types.h). Streams of equal process share memory. GPC_PROCESS_OWN: the
     * lowest number that no other stream uses. Streams with `select` and GPC_PROCESS_OWN whose traces were opened by a
     * common name are a single program. Since: 0.2
     */
    uint8_t process;
    uint8_t reserved[5];
    uint64_t id;
} gpc_replay_stream;

#define GPC_REPLAY_STREAM_INIT \
    { sizeof(gpc_replay_stream), NULL, NULL, 0, 0, 0, 0, GPC_PROCESS_OWN, {0}, 0 }

/* Result of a kernel that has ended. */
typedef struct gpc_kernel_result {
    size_t struct_size;
    const gpc_kernel *kernel; /* lives for the call */
    const gpc_stats *stats;   /* the kernel's counters, the rest absent: gpc_stats_read; lives for the call */
    /* core cycles, or rounds: the kernel entered the queue behind the kernel before; its last access came back */
    uint64_t launched, ended;
    uint64_t started;    /* the kernel's first block was placed */
    uint64_t dispatched; /* the kernel's last block was placed, and the kernel left the queue */
    uint32_t stream;     /* index of the stream */
    uint8_t process;     /* process of the stream */
    uint8_t reserved[3];
} gpc_kernel_result;

/* Called when a kernel has ended; may not call into the replay or a trace. */
typedef void (*gpc_kernel_result_fn)(void *user_data, const gpc_kernel_result *result);

/*
 * Run all kernels of several streams to their end.
 *   streams    [count], of equal struct_size; count from 1 to the key `streams`; stream i is counted as stream i
 *   on_kernel  NULL: not called
 * gpc_replay_read then reads the counters of the whole run.
 * Counters of a kernel: the counters by stream (GPC_OBJECT_STREAM), and kernels, blocks, warp_instructions,
 * thread_instructions and cycles, from launch to end. Except for cycles, the sum over the kernels is the value of the
 * whole; sectors without a requesting kernel are missing from the sum: write-backs of lines, and launch.sectors.
 * Returns GPC_OK; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (fewer `streams`; SMs that run no blocks; no free
 * process; as gpc_replay_kernel for a launch); GPC_ERROR_FORMAT also for an address beyond 57 bits beside another
 * process; GPC_ERROR_STATE (a replay has a paused kernel; a trace is given twice); GPC_ERROR_UNSUPPORTED, with the
 * reason: as gpc_hierarchy_start_kernel, and sample, limit.cycles, limit.instructions, warps.order = recorded,
 * l1.future, kernels.flush = all, blocks.placement = map, gpc_replay_pause_at, and, at its launch, a kernel with
 * clusters of thread blocks; otherwise as gpc_replay_kernel. With blocks.placement = auto, placement maps are ignored,
 * because they were made for kernels alone. After an error the caches keep their present lines, and the traces their
 * present position. Snapshots are possible between two calls. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_streams(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                                      gpc_kernel_result_fn on_kernel, void *user_data, gpc_error *error);

GPC_END_DECLS

#endif
