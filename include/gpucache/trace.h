/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_TRACE_H
#define GPUCACHE_TRACE_H

#include <gpucache/context.h>

GPC_BEGIN_DECLS

/*
 * Traces: kernels of thread blocks of warps of instructions, read block by block. Memory is bounded by the blocks held,
 * not by the file.
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
GPC_API gpc_status gpc_trace_ordering(const gpc_trace *trace, uint32_t opcode, gpc_ordering *out);

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
GPC_API gpc_status gpc_trace_note(const gpc_trace *trace, size_t index, gpc_note *out);

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
GPC_API gpc_status gpc_synthetic_at(size_t index, const char **name, const char **summary, uint64_t *size);

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

GPC_END_DECLS

#endif
