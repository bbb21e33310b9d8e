/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_REPLAY_H
#define GPUCACHE_REPLAY_H

#include <gpucache/counters.h>

GPC_BEGIN_DECLS

/*
 * Traces: a trace has kernels, a kernel has thread blocks, a block has warps, and a warp has instructions. A trace is
 * read block by block. Memory grows with the blocks that the caller holds, not with the file.
 */

/* Functional unit of an instruction. */
typedef enum gpc_op_class {
    GPC_OP_ALU = 0, /* integer, logic, moves, and instructions without a class of their own */
    GPC_OP_DOUBLE = 1,
    GPC_OP_SFU = 2, /* special function */
    GPC_OP_TENSOR = 3,
    GPC_OP_UNIFORM = 4, /* uniform datapath */
    GPC_OP_CONTROL = 5, /* branches, convergence, nop */
    GPC_OP_BARRIER = 6, /* block-wide */
    GPC_OP_FENCE = 7,   /* MEMBAR, ERRBAR, CCTL */
    GPC_OP_EXIT = 8,
    GPC_OP_MEMORY = 9, /* see kind and space */
    GPC_OP_FP = 10,    /* single and half precision. Since: 0.2 */
    GPC_OP_CLASS_COUNT
} gpc_op_class;

#define GPC_MAX_OPERANDS 8u

/* Register numbers: the register file in the upper byte. R255 is the zero register. */
#define GPC_REGISTER_R 0x0000u
#define GPC_REGISTER_UR 0x0100u
#define GPC_REGISTER_P 0x0200u
#define GPC_REGISTER_UP 0x0300u

/*
 * Last source of SYNCS.PHASECHK, and of a bulk copy that completes at an mbarrier: GPC_REGISTER_BARRIER plus an eighth
 * of the barrier's address in shared memory, modulo 2^15. Since: 0.2.
 */
#define GPC_REGISTER_BARRIER 0x8000u

/*
 * Sources that are numbers, recorded by the trace for instructions that name a barrier. A number takes two sources,
 * each GPC_REGISTER_NUMBER plus 14 bits, the upper bits first. The numbers come before the barrier, in order:
 *   a bulk copy      a bit per block of the cluster, by rank, for the destination shared memories, 0: the own block
 *                    (UTMALDG, UBLKCP with .MULTICAST); bytes out of bounds, which complete with the copy
 *   SYNCS.EXCH       arrivals of a phase (mbarrier.init)
 *   SYNCS.ARRIVE     additional bytes that the phase waits for; arrivals of all lanes, and from bit 20 on 1 and the
 *                    rank of the barrier's block, 0: the own block
 *   SYNCS.PHASECHK   parity of the phase whose end the warp waits for
 * Without numbers the trace does not have the values. Since: 0.2.
 */
#define GPC_REGISTER_NUMBER 0x4000u

/*
 * A warp instruction. `addresses` has an entry per set bit of `mask`, in ascending order of lanes, or is NULL.
 *
 * Generic accesses with addresses are already sorted into shared, local and global accesses. A generic access with
 * lanes in several spaces is GPC_SPACE_MIXED. The shared window begins at gpc_kernel.shared_base and ends at
 * local_base. The local window begins at local_base and has 32 MiB; if local_base lies below shared_base, the shared
 * window has 32 MiB too. An address in local space is the thread's own offset (gpc_warp_access.local_offsets); in a
 * generic access local_base plus the offset; with gpc_ordering.mapped an address as mapped by a host. A bulk copy
 * (UTMALDG, UBLKCP and similar, started by a single thread) appears as instructions of up to 32 lanes of up to 128
 * bytes.
 */
typedef struct gpc_instruction {
    uint64_t pc;
    uint64_t mask;                        /* bit i = lane i; 0 = predicated off */
    const uint64_t *addresses;            /* bytes; owned by the block */
    uint32_t opcode;                      /* index for gpc_trace_opcode */
    uint32_t line;                        /* source line, 0 if unknown */
    uint16_t registers[GPC_MAX_OPERANDS]; /* destinations, then sources */
    /* numbers of destinations and of sources in `registers`; further sources of an instruction are dropped */
    uint8_t destinations, sources;
    uint8_t op_class; /* gpc_op_class */
    uint8_t kind;     /* gpc_kind, if op_class is GPC_OP_MEMORY */
    uint8_t space;    /* gpc_space, if op_class is GPC_OP_MEMORY */
    uint8_t hint;     /* gpc_hint */
    uint8_t priority; /* gpc_priority */
    uint8_t width;    /* bytes per lane; for DEPBAR the number of groups that may stay in flight */
} gpc_instruction;

typedef struct gpc_warp {
    uint32_t warp; /* index within the block */
    uint32_t reserved;
    uint64_t count;
    /* [count]; the last instruction is an EXIT, added if the trace lacks an EXIT */
    const gpc_instruction *instructions;
} gpc_warp;

/* A thread block. Warps ascend. A warp that is missing in the trace ends at once (count 1: EXIT with mask 0). */
typedef struct gpc_block {
    uint32_t x, y, z;
    uint32_t index;      /* linear: x + grid_x * (y + grid_y * z) */
    uint32_t warp_count; /* number of warps by the block dimension */
    uint32_t reserved;
    const gpc_warp *warps;
    uint64_t instruction_count; /* over all warps */
} gpc_block;

/* Kind of the next step in a recording's order. Since: 0.2 */
typedef enum gpc_turn_what {
    GPC_TURN_INSTRUCTION = 0, /* the next instruction of a warp: an access or a fence */
    GPC_TURN_EVENT = 1,       /* gpc_hierarchy_warp_event */
    GPC_TURN_FLUSH = 2,       /* gpc_hierarchy_flush */
    GPC_TURN_COUNT
} gpc_turn_what;

/* Step of a recording, with facts that instructions of a trace do not have. Since: 0.2 */
typedef struct gpc_turn {
    uint32_t block;    /* linear, of the grid; for an event as reported by the host */
    uint32_t warp;     /* within the block; 0 if the step is no instruction */
    uint32_t sm, slot; /* slot: of the warp within its SM */
    uint32_t warp_age;
    uint8_t what; /* gpc_turn_what */
    uint8_t token, token_l2, scope, order;
    uint8_t control; /* gpc_control of a fence */
    uint8_t event;   /* gpc_warp_event_kind */
    uint8_t reserved;
} gpc_turn;

/*
 * Recording of a host's calls for a kernel. With a recording a replay without a clock repeats the calls (warps.order =
 * recorded). Since: 0.2
 */
typedef struct gpc_recording {
    size_t struct_size;
    const gpc_turn *turns; /* [turn_count], in order */
    uint64_t turn_count;
    uint32_t threads, registers, shared_bytes; /* gpc_launch, if `launched` */
    uint8_t begun;                             /* 1: the kernel began with gpc_hierarchy_begin_kernel */
    uint8_t launched;                          /* 1: gpc_hierarchy_begin_kernel had a gpc_launch */
    uint8_t reserved[2];
    uint64_t code_bytes;                                     /* gpc_launch, if `launched` */
    uint64_t warp_instructions, thread_instructions, blocks; /* sums of gpc_hierarchy_count_instructions */
} gpc_recording;

#define GPC_RECORDING_INIT \
    { sizeof(gpc_recording), NULL, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0, 0 }

typedef struct gpc_kernel {
    size_t struct_size;
    const char *name;           /* mangled; lives until the next kernel */
    const char *file;           /* file of the kernel; lives until the next kernel */
    uint32_t id;                /* id in the trace */
    uint32_t index;             /* position in the trace, from 0 */
    uint32_t grid[3], block[3]; /* x, y, z */
    uint32_t shared_bytes;      /* per block, including the system's reserve if the trace includes the reserve */
    uint32_t registers;         /* per thread */
    uint32_t binary_version;    /* 90 = sm_90 */
    uint32_t tracer_version;
    uint32_t warp_lanes; /* 32 or 64 */
    uint64_t stream;
    uint64_t shared_base, local_base;
    uint64_t block_count;      /* grid x * y * z */
    const uint32_t *placement; /* [placement_count], SM of every block, NULL if unknown; lives until the next kernel */
    uint64_t placement_count;
    /* from a file of gpc_hierarchy_record; otherwise NULL; lives until the next kernel. Since: 0.2 */
    const gpc_recording *recording;
    uint32_t cluster[3]; /* thread blocks of a cluster, x, y, z; 0, 0, 0: unknown. Since: 0.2 */
    uint32_t reserved;
} gpc_kernel;

#define GPC_KERNEL_INIT                                                                                       \
    {                                                                                                         \
        sizeof(gpc_kernel), NULL, NULL, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, \
            {0, 0, 0}, 0                                                                                      \
    }

/*
 * Open a trace. `source` is:
 * - an Accel-Sim .traceg, plain or .xz, .gz, .zst (with the format's own decompressor, which must be installed); a
 *   .tracez (zstd frames and their dictionary, with libzstd, which must be installed);
 * - a kernel as left by the Accel-Sim tracer, before post-traces-processing (.trace, plain or compressed; every line
 *   has block and warp before the instruction). The file is held in memory, equal lines once, and given block by block
 *   in order of index;
 * - a kernelslist.g, the tracer's kernelslist, or a folder: the folder's kernelslist.g, else its .traceg and .tracez
 *   files, else its kernelslist (or its single kernelslist_ctx_*), else its .trace files;
 * - a .gct file, written by gpc_trace_writer;
 * - a table of memory instructions, recognised by its content, plain, compressed or a pipe: CSV
 *   (block,warp,kind,address and optionally kernel,pc,width,mask or lane,cycle,sm), JSON Lines with the same fields, or
 *   the output of NVBit's mem_trace. In the output of mem_trace kernels are in launch order, with the accesses of their
 *   context and grid_launch_id from the whole file (a pipe is held to its end);
 * - "-": standard input, with every file above, plain or compressed, if standard input is a file; only tables if
 *   standard input is a pipe;
 * - synthetic:NAME[:SIZE][:KEY=VALUE,...] (see gpc_synthetic_at). SIZE is the problem's bytes, for example 2MiB. The
 *   summary of a synthetic kernel lists its keys.
 * A `kernel-N.sm` (plain or compressed) beside a .traceg or .trace gives the placement. Without the file the SMs of the
 * instructions give the placement (TOOL_TRACE_CORE=1); a .traceg is then read twice.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_NOT_FOUND; GPC_ERROR_IO; GPC_ERROR_FORMAT;
 * GPC_ERROR_UNSUPPORTED (no decompressor, an unknown version or kind of file); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_open(gpc_context *context, const char *source, gpc_trace **out, gpc_error *error);

/* Close; held blocks become invalid. NULL is allowed. Since: 0.1. */
GPC_API void gpc_trace_close(gpc_trace *trace);

/*
 * Go to the next chosen kernel, and skip the rest of the present kernel. Returns GPC_OK with `kernel` filled; GPC_END;
 * GPC_ERROR_ABI; errors as gpc_trace_open, with file and line (binary: offset); GPC_ERROR_NOT_FOUND at the end of the
 * trace, if no kernel fitted a number, range or name of gpc_trace_choose. After an error the trace can only be closed.
 * Since: 0.1.
 */
GPC_API gpc_status gpc_trace_next_kernel(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/*
 * Read the next thread block of the kernel. The block belongs to the trace and lives until gpc_trace_release_block. The
 * number of held blocks is not limited. Blocks come in the file's order. A kernel may have fewer blocks than its grid
 * (the log reports the number). Returns GPC_OK; GPC_END at the end of the kernel; GPC_ERROR_ARGUMENT (a NULL); errors
 * as above, and GPC_ERROR_STATE before the first kernel. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_next_block(gpc_trace *trace, const gpc_block **out, gpc_error *error);

/* Give a block back, so that its memory can be used again. Since: 0.1. */
GPC_API void gpc_trace_release_block(gpc_trace *trace, const gpc_block *block);

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

/* Hierarchy of the replay, borrowed. Since: 0.1. */
GPC_API gpc_hierarchy *gpc_replay_hierarchy(gpc_replay *replay);

/*
 * Read counters of the last kernel, and of a paused kernel until now. Counters of the whole (GPC_OBJECT_WHOLE) are
 * always kept; in a sampled replay they are estimates. The last call of gpc_replay_streams counts as a kernel.
 *   keep  true: from the next kernel on, keep the counters of every object at the kernel's start; no effect if already
 *         on. false: stop
 * gpc_replay_keep_objects returns GPC_OK; GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT. gpc_replay_read has the arguments and
 * statuses of gpc_hierarchy_read; GPC_ERROR_STATE if no kernel was run, for other objects than the whole since
 * gpc_replay_keep_objects. gpc_replay_read_total reads the sum of all ended kernels. Since: 0.3.
 */
GPC_API gpc_status gpc_replay_keep_objects(gpc_replay *replay, bool keep, gpc_error *error);
GPC_API gpc_status gpc_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                                   size_t count, uint64_t *values, size_t value_count, gpc_error *error);
GPC_API gpc_status gpc_replay_read_total(const gpc_replay *replay, const uint32_t *ids, size_t count, uint64_t *values,
                                         size_t value_count, gpc_error *error);

GPC_END_DECLS

#endif
