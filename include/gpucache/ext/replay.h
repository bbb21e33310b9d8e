/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXT_REPLAY_H
#define GPUCACHE_EXT_REPLAY_H

/* Extension: snapshots; notes, copies and writers of traces; pauses, samples, objects and streams of replays. */

#include <gpucache/ext/policies.h>
#include <gpucache/hierarchy.h>
#include <gpucache/replay.h>

GPC_BEGIN_DECLS

/*
 * Choose kernels, before the first gpc_trace_next_kernel, which skips the rest. If `kernels` has only numbers, skipped
 * files of a list and skipped sections of a .gct are not read.
 *   kernels  numbers, ranges and names, separated by commas: "3, 5-8, 10-, relu*"; NULL: all kernels.
 *            A number is a kernel's position in the trace from 1 on (gpc_kernel.index + 1), independent of its id and
 *            file name. 5-8 includes 5 and 8, 10- goes to the last kernel, -4 begins with the first kernel.
 *            A name is the kernel's whole name, as in the trace, or for a mangled name without types (net::relu for
 *            _ZN3net4reluEPf). * fits any text, ? any character.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (no number, range or name); GPC_ERROR_NOT_FOUND (a number beyond the last kernel,
 * if gpc_trace_kernel_count is known); GPC_ERROR_STATE (the trace has begun); GPC_ERROR_MEMORY. After an error the
 * choice is unchanged. Since: 0.2.
 */
GPC_API gpc_status gpc_trace_choose(gpc_trace *trace, const char *kernels, gpc_error *error);

/* Number of kernels in the trace, chosen or not, if known without reading the trace; otherwise 0. Since: 0.1. */
GPC_API uint64_t gpc_trace_kernel_count(const gpc_trace *trace);

/* Text of an opcode ("LDG.E.64"), "" for an unknown index. Lives as long as the trace. Since: 0.1. */
GPC_API const char *gpc_trace_opcode(const gpc_trace *trace, uint32_t opcode);

/*
 * Memory order of an opcode, and its effect on caches. The opcode's text has all modifiers of SASS, therefore every
 * trace has the information, whatever its age and format.
 */
typedef struct gpc_ordering {
    size_t struct_size;
    uint8_t scope; /* gpc_scope: .CTA, .SM; .GPU, .GL; .SYS. A MEMBAR without a scope: SYS */
    /*
     * gpc_order. Accesses with .STRONG and .MMIO, atomics and reductions: RELAXED; MEMBAR.SC: SC; MEMBAR.ALL: ACQ_REL;
     * the rest WEAK
     */
    uint8_t order;
    uint8_t control; /* gpc_control, for CCTL */
    uint8_t copy;    /* gpc_copy, for LDGSTS, LDGDEPBAR, DEPBAR */
    /*
     * 1: addresses in local space are as mapped by a host: .MAPPED, written by recordings for accesses without
     * gpc_warp_access.local_offsets
     */
    uint8_t mapped;
    uint8_t reserved[3];
} gpc_ordering;

#define GPC_ORDERING_INIT                      \
    {                                          \
        sizeof(gpc_ordering), 0, 0, 0, 0, 0, { \
            0                                  \
        }                                      \
    }

/*
 * Get the memory order of an opcode by its index.
 *   out  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE (unknown index); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_trace_ordering(const gpc_trace *trace, uint32_t opcode, gpc_ordering *out, gpc_error *error);

/* Reasons of notes about instructions and lines without effect, or run by a guess. Since: 0.2 */
typedef enum gpc_note_reason {
    /*
     * an opcode that is in no table of NVIDIA or Accel-Sim: run by the beginning of its name, or as integer arithmetic
     */
    GPC_NOTE_UNKNOWN_OPCODE = 0,
    /*
     * a memory instruction with active lanes and no addresses, except to shared memory: bulk copies by tracers before
     * version 6, constants, textures, lanes off by predicates
     */
    GPC_NOTE_NO_ADDRESSES = 1,
    GPC_NOTE_UNUSED_ADDRESSES =
        2, /* addresses of an instruction without access to a cache: textures, CCTL, arithmetic */
    /* a line of a kernelslist.g, neither kernel nor MemcpyHtoD, or a line of mem_trace's program */
    GPC_NOTE_PASSED_OVER = 3,
    GPC_NOTE_COPY = 4,         /* a copy to the device: kernels.copies, gpc_trace_on_memcpy */
    GPC_NOTE_MEMORY_ALONE = 5, /* a kernel without arithmetic: its cycles are of memory alone */
    GPC_NOTE_NO_PC = 6,        /* a kernel whose instructions have no PC, or PC 0: policies see a single PC */
    GPC_NOTE_REASON_COUNT
} gpc_note_reason;

/* Note: an opcode, a word or a kernel of a trace with its lines. Texts live as long as the trace. Since: 0.2 */
typedef struct gpc_note {
    size_t struct_size;
    uint32_t reason; /* gpc_note_reason */
    uint32_t reserved;
    const char *text; /* the opcode with its modifiers, the first word of the line, or the kernel's name */
    const char *file; /* file of the first line */
    uint64_t line;    /* number of the first line, from 1; 0: the file has no lines */
    uint64_t count; /* number of lines; of instructions for a .gct or a bulk copy; of kernels for MEMORY_ALONE, NO_PC */
    uint64_t bytes; /* sum over copies */
    const char *why; /* the reason as a sentence; static */
} gpc_note;

#define GPC_NOTE_INIT \
    { sizeof(gpc_note), 0, 0, NULL, NULL, 0, 0, 0, NULL }

/*
 * Notes of the trace so far, in the order of their first places. Notes of a list are complete once the list is open. A
 * kernel read twice counts once. Synthetic kernels have no notes.
 *   index  below gpc_trace_note_count
 *   out    struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE (no such note); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API size_t gpc_trace_note_count(const gpc_trace *trace);
GPC_API gpc_status gpc_trace_note(const gpc_trace *trace, size_t index, gpc_note *out, gpc_error *error);

/* Part of the trace already read, 0 to 1, by bytes of input. Since: 0.1. */
GPC_API double gpc_trace_progress(const gpc_trace *trace);

/*
 * Callback for the copy commands of a kernelslist.g, called when the trace reaches a command. NULL clears. Since: 0.1.
 */
typedef void (*gpc_memcpy_fn)(void *user_data, uint64_t device_address, uint64_t bytes);
GPC_API void gpc_trace_on_memcpy(gpc_trace *trace, gpc_memcpy_fn on_memcpy, void *user_data);

/*
 * Enumerate the synthetic kernels. `size` is the default problem size in bytes. Static storage. gpc_synthetic_at
 * returns GPC_OK; GPC_ERROR_RANGE past the end. Since: 0.1.
 */
GPC_API size_t gpc_synthetic_count(void);
GPC_API gpc_status gpc_synthetic_at(size_t index, const char **name, const char **summary, uint64_t *size,
                                    gpc_error *error);

/* Format of a writer. */
typedef enum gpc_trace_format {
    GPC_TRACE_BINARY = 0, /* .gct: a single file for all kernels, compact, seekable, with checksums */
    GPC_TRACE_TEXT = 1    /* a folder with kernelslist.g and kernel-N.traceg, Accel-Sim tracer version 4 */
} gpc_trace_format;

/*
 * Write a trace: gpc_trace_writer_kernel, the kernel's blocks, the next kernel, ..., gpc_trace_writer_finish. Only
 * finish replaces an existing file; gpc_trace_writer_destroy without finish leaves nothing behind. If the folder
 * exists, finish moves the new files into the folder, and leaves other files. Symbolic links are followed, and stay. If
 * the path leads to something other than a regular file of the user (a device, a pipe, another user's file), the data
 * are written there directly, from the first byte on.
 * Opcodes are numbers of `from`. A kernel's `recording` is written if the first kernel of the .gct has a recording, and
 * never as text. Such a file has version 2 of the format; libraries before 0.2 do not read version 2.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a block outside the grid, a second time, or in contradiction to the kernel),
 * GPC_ERROR_STATE (a block before the first kernel, a call after finish) and GPC_ERROR_ABI, which change nothing;
 * GPC_ERROR_IO, GPC_ERROR_UNSUPPORTED (warps of 64 lanes as text) and GPC_ERROR_MEMORY. After the last three the writer
 * can only be destroyed. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_writer_create(gpc_context *context, const char *path, gpc_trace_format format,
                                           gpc_trace_writer **out, gpc_error *error);
GPC_API gpc_status gpc_trace_writer_kernel(gpc_trace_writer *writer, const gpc_kernel *kernel, gpc_error *error);
GPC_API gpc_status gpc_trace_writer_block(gpc_trace_writer *writer, const gpc_trace *from, const gpc_block *block,
                                          gpc_error *error);

/* Warp instructions that access memory: an array of `count` elements per field. Since: 0.2. */
typedef struct gpc_trace_accesses {
    size_t struct_size;
    size_t count;
    uint32_t lanes;            /* columns of `addresses`, 1 to the kernel's warp_lanes */
    uint32_t width;            /* bytes a lane: 1, 2, 4, 8 or 16, if `widths` is NULL; 0 = 4 */
    const uint64_t *addresses; /* [count][lanes]: lane l of instruction n is addresses[n * lanes + l] */
    const uint64_t *masks;     /* active lanes, a bit per lane, below `lanes`; NULL: all lanes */
    const uint64_t *pcs;       /* NULL: 0 */
    const uint32_t *blocks;    /* linear, of the kernel's grid; NULL: 0 */
    const uint32_t *warps;     /* within the block; NULL: 0 */
    const uint32_t *widths;    /* NULL: `width` */
    const uint8_t *kinds;      /* gpc_kind: LOAD, STORE, ATOMIC, REDUCTION; NULL: loads. Global memory */
} gpc_trace_accesses;

#define GPC_TRACE_ACCESSES_INIT \
    { sizeof(gpc_trace_accesses), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/*
 * Write instructions of the present kernel, instead of gpc_trace_writer_block. Blocks and warps may come in every
 * order; the instructions of a warp must be in order. The writer holds the instructions until the next kernel, or
 * finish, and then writes their blocks in order. Returns as gpc_trace_writer_block; GPC_ERROR_ARGUMENT names the wrong
 * element and its field, and takes no element. Since: 0.2.
 */
GPC_API gpc_status gpc_trace_writer_accesses(gpc_trace_writer *writer, const gpc_trace_accesses *accesses,
                                             gpc_error *error);
GPC_API gpc_status gpc_trace_writer_finish(gpc_trace_writer *writer, gpc_error *error);
GPC_API void gpc_trace_writer_destroy(gpc_trace_writer *writer);

/* Options of a hierarchy or a replay made from a snapshot. */
typedef struct gpc_load_options {
    size_t struct_size;
    const char *threads; /* value of the key `threads`; NULL: the saved value */
} gpc_load_options;

#define GPC_LOAD_OPTIONS_INIT \
    { sizeof(gpc_load_options), NULL }

/*
 * A snapshot contains the whole content, activity and statistics of a hierarchy, in either mode, between two calls,
 * even with accesses in flight. A hierarchy made from a snapshot continues exactly as the saved hierarchy would, byte
 * for byte.
 *
 * Not in a snapshot: callbacks, a trace of events, and settings that the host made on single caches or on a tree. Set
 * them again. With callbacks.on_memory, a snapshot includes the requests that the host's memory holds, with their
 * numbers: the host sets its callbacks first, and answers the requests. With `coherence.data`, accesses in flight
 * continue without `out`, which is memory of the old host. The new host gets the data from gpc_completion.values, by
 * token.
 *
 *   gpc_hierarchy_save  save to a stream
 *   gpc_hierarchy_load  create a hierarchy of the saved configuration from a stream, read to its end
 *   gpc_hierarchy_copy  create an independent hierarchy that continues from the present state; in memory, of the same
 *                       context
 *   options             NULL for the defaults
 *   context             must have the seed and the registered policies of the saved hierarchy's context
 *
 * A file belongs to a single version and build of the library and to a single kind of machine. Checksums detect damage,
 * not malice: never load a file from people whom you do not trust. A snapshot may be loaded with every number of
 * threads; `auto` takes the number that the loading machine allows. Files saved at equal points with different numbers
 * of threads differ in their bytes, and with a clock in the packet numbers; hierarchies that continue from them behave
 * alike.
 *
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL, a stream without or with two sources); GPC_ERROR_MEMORY;
 * GPC_ERROR_NOT_FOUND (the file does not exist); GPC_ERROR_IO, or the status of the stream's function;
 * GPC_ERROR_CALLBACK (gpc_read_fn); GPC_ERROR_FORMAT (damaged, cut, or no snapshot: the message names the offset);
 * GPC_ERROR_ABI (another version, build or machine; a struct_size); GPC_ERROR_STATE (another
 * seed; the hierarchy has failed; called from within a call); GPC_ERROR_UNSUPPORTED, with the name: a policy without
 * `state`, or callbacks.on_memory if the new hierarchy has several threads; GPC_ERROR_RANGE as for a new hierarchy (the
 * number of threads makes no difference). *out is written only with GPC_OK. Thread rule: the hierarchy's; the saved
 * hierarchy does not change. Since: 0.3.
 */
GPC_API gpc_status gpc_hierarchy_save(const gpc_hierarchy *hierarchy, const gpc_stream *to, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_load(gpc_context *context, const gpc_stream *from, const gpc_load_options *options,
                                      gpc_hierarchy **out, gpc_error *error);
GPC_API gpc_status gpc_hierarchy_copy(const gpc_hierarchy *hierarchy, gpc_hierarchy **out, gpc_error *error);

/* Set or clear (NULL) the progress callback. Since: 0.1. */
GPC_API void gpc_replay_on_progress(gpc_replay *replay, gpc_progress_fn on_progress, void *user_data);

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
GPC_API gpc_status gpc_replay_pause_at(gpc_replay *replay, uint64_t time, gpc_error *error);
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

/*
 * Counters published by policies: those of the hierarchy (gpc_hierarchy_policy_value), then with a clock those of all
 * warp schedulers and throttles. Since: 0.2.
 */
GPC_API gpc_status gpc_replay_policy_value(const gpc_replay *replay, size_t index, gpc_policy_value *value,
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
GPC_API gpc_status gpc_replay_get_sampling(const gpc_replay *replay, gpc_sampling_scope scope, gpc_sampling *out,
                                           gpc_error *error);
GPC_API gpc_status gpc_replay_estimate(const gpc_replay *replay, gpc_sampling_scope scope, uint32_t id,
                                       gpc_estimate *out, gpc_error *error);

/*
 * Snapshots of a replay, between two kernels or at a pause within a kernel. A snapshot contains the hierarchy, the
 * state that SMs keep between kernels, and for a paused kernel its blocks and the position of every warp. A replay that
 * continues from a snapshot with the rest of the trace gives equal results, byte for byte. Callbacks are not in a
 * snapshot: set them again. A time series continues if its interval is the same. Counters kept by
 * gpc_replay_keep_objects are in the snapshot.
 *   gpc_replay_save, _load, _copy  as for a hierarchy, with the same statuses; GPC_ERROR_STATE
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
    const uint32_t *sms;      /* [sm_count], SMs for the kernel's blocks, of all GPUs; NULL: all */
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
    const uint32_t *sms; /* [sm_count], SMs for the stream's kernels, of all GPUs; NULL: all SMs that run blocks */
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
