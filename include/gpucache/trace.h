/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_TRACE_H
#define GPUCACHE_TRACE_H

#include <gpucache/context.h>

GPC_BEGIN_DECLS

/*
 * Traces: kernels of thread blocks of warps of instructions, read block by
 * block, so that memory is bounded by the blocks held and not by the file.
 */

/* What an instruction occupies. */
typedef enum gpc_op_class {
    GPC_OP_ALU = 0, /* integer, logic, moves, and what has no class of its own */
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

/* Register numbers: the file in the upper byte. R255 is the zero register. */
#define GPC_REGISTER_R 0x0000u
#define GPC_REGISTER_UR 0x0100u
#define GPC_REGISTER_P 0x0200u
#define GPC_REGISTER_UP 0x0300u

/*
 * The last source of a bulk copy that completes at an mbarrier, and of SYNCS.PHASECHK, which waits there: this, and an
 * eighth of the barrier's address in shared memory, modulo 2^15. Since: 0.2.
 */
#define GPC_REGISTER_BARRIER 0x8000u

/*
 * Sources that are numbers, which the trace tells beside an instruction that names a barrier: two for each, of this and
 * 14 bits, the upper ones first. The numbers come before the barrier, in this order:
 *   a bulk copy           a bit for each block of the cluster, by its rank, whose shared memory it goes to, 0: its own
 *                         (UTMALDG, UBLKCP with .MULTICAST); bytes out of bounds, which complete with it
 *   SYNCS.EXCH            arrivals of a phase (mbarrier.init)
 *   SYNCS.ARRIVE          bytes that the phase waits for in addition; arrivals, of all lanes, and from bit 20 on 1 and
 *                         the rank of the block whose barrier it is, 0: its own
 *   SYNCS.PHASECHK        the parity of the phase whose end it waits for
 * Without them the trace does not tell. Since: 0.2.
 */
#define GPC_REGISTER_NUMBER 0x4000u

/*
 * One warp instruction. `addresses` has one entry per set bit of `mask`, in ascending lane order, or is NULL.
 * Generic accesses with addresses are already sorted into shared, local and global ones. A generic access with lanes in
 * several spaces is GPC_SPACE_MIXED; the shared window begins at gpc_kernel.shared_base and ends at local_base, the
 * local window begins there and has 32 MiB (so has the shared window where local_base lies below). In local space an
 * address is the thread's own offset (gpc_warp_access.local_offsets), in a generic access local_base plus the offset,
 * and with gpc_ordering.mapped an address as a host has mapped it. A bulk copy (UTMALDG, UBLKCP and the like, which one
 * thread starts) comes as instructions of up to 32 lanes of up to 128 bytes.
 */
typedef struct gpc_instruction {
    uint64_t pc;
    uint64_t mask;                        /* bit i = lane i; 0 = predicated off */
    const uint64_t *addresses;            /* bytes; owned by the block */
    uint32_t opcode;                      /* index for gpc_trace_opcode */
    uint32_t line;                        /* source line, 0 if unknown */
    uint16_t registers[GPC_MAX_OPERANDS]; /* destinations, then sources */
    uint8_t destinations, sources;        /* how many of `registers`; further sources of an instruction are dropped */
    uint8_t op_class;                     /* gpc_op_class */
    uint8_t kind;                         /* gpc_kind, where op_class is GPC_OP_MEMORY */
    uint8_t space;                        /* gpc_space, likewise */
    uint8_t hint;                         /* gpc_hint */
    uint8_t priority;                     /* gpc_priority */
    uint8_t width;                        /* bytes per lane; of DEPBAR, the groups that may be under way behind it */
} gpc_instruction;

typedef struct gpc_warp {
    uint32_t warp; /* index within the block */
    uint32_t reserved;
    uint64_t count;
    const gpc_instruction *instructions; /* [count]; the last is an EXIT, supplied where the trace lacks it */
} gpc_warp;

/* One thread block. Warps ascend; one that the trace lacks ends at once (count 1: EXIT with mask 0). */
typedef struct gpc_block {
    uint32_t x, y, z;
    uint32_t index;      /* linear: x + grid_x * (y + grid_y * z) */
    uint32_t warp_count; /* as many as the block dimension makes */
    uint32_t reserved;
    const gpc_warp *warps;
    uint64_t instruction_count; /* over all warps */
} gpc_block;

/* What of a recording's order comes next. Since: 0.2 */
typedef enum gpc_turn_what {
    GPC_TURN_INSTRUCTION = 0, /* the next instruction of a warp: an access or a fence */
    GPC_TURN_EVENT = 1,       /* gpc_hierarchy_warp_event */
    GPC_TURN_FLUSH = 2,       /* gpc_hierarchy_flush */
    GPC_TURN_COUNT
} gpc_turn_what;

/* One step of a recording, with what instructions of a trace do not say. Since: 0.2 */
typedef struct gpc_turn {
    uint32_t block;    /* linear, of the grid; of an event as it was told */
    uint32_t warp;     /* within the block; 0 where it is no instruction */
    uint32_t sm, slot; /* slot: of the warp within its SM */
    uint32_t warp_age;
    uint8_t what; /* gpc_turn_what */
    uint8_t token, token_l2, scope, order;
    uint8_t control; /* of a fence */
    uint8_t event;   /* gpc_warp_event_kind */
    uint8_t reserved;
} gpc_turn;

/* How a host drove a kernel: with it, a replay without a clock does the same (warps.order = recorded). Since: 0.2 */
typedef struct gpc_recording {
    size_t struct_size;
    const gpc_turn *turns; /* [turn_count], in their order */
    uint64_t turn_count;
    uint32_t threads, registers, shared_bytes; /* gpc_launch, where `launched` */
    uint8_t begun;                             /* it began with gpc_hierarchy_begin_kernel, */
    uint8_t launched;                          /* which was given a gpc_launch */
    uint8_t reserved[2];
    uint64_t code_bytes;                                     /* likewise */
    uint64_t warp_instructions, thread_instructions, blocks; /* gpc_hierarchy_count_instructions, in sum */
} gpc_recording;

#define GPC_RECORDING_INIT \
    { sizeof(gpc_recording), NULL, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0, 0 }

typedef struct gpc_kernel {
    size_t struct_size;
    const char *name;           /* mangled; lives until the next kernel */
    const char *file;           /* that the kernel came from, likewise */
    uint32_t id;                /* as the trace says */
    uint32_t index;             /* in this trace, from 0 */
    uint32_t grid[3], block[3]; /* x, y, z */
    uint32_t shared_bytes;      /* per block, the system's reserve included where the trace includes it */
    uint32_t registers;         /* per thread */
    uint32_t binary_version;    /* 90 = sm_90 */
    uint32_t tracer_version;
    uint32_t warp_lanes; /* 32 or 64 */
    uint64_t stream;
    uint64_t shared_base, local_base;
    uint64_t block_count;      /* grid x * y * z */
    const uint32_t *placement; /* [placement_count] SM of each block, NULL if unknown; likewise */
    uint64_t placement_count;
    const gpc_recording *recording; /* of a file of gpc_hierarchy_record; NULL; likewise. Since: 0.2 */
    uint32_t cluster[3]; /* thread blocks of a cluster, x, y, z; 0, 0, 0: the trace does not tell. Since: 0.2 */
    uint32_t reserved;
} gpc_kernel;

#define GPC_KERNEL_INIT                                                                                       \
    {                                                                                                         \
        sizeof(gpc_kernel), NULL, NULL, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, \
            {0, 0, 0}, 0                                                                                      \
    }

/*
 * Open a trace. `source` is
 *   an Accel-Sim .traceg, plain or .xz, .gz, .zst (through that tool's own
 *   decompressor, which must be installed); a .tracez (zstd frames and their dictionary, by libzstd, which must be);
 *   a kernel as that tracer leaves it, before post-traces-processing (.trace, plain or compressed, its instructions
 *   behind their blocks and warps): held in memory, a line's text once, and given block by block in order of index;
 *   a kernelslist.g, the tracer's kernelslist, or a folder: its kernelslist.g, else its .traceg and .tracez files, else
 *   its kernelslist (or kernelslist_ctx_*, where there is one), else its .trace files;
 *   a .gct file, written by gpc_trace_writer;
 *   a table of memory instructions, which its content tells, plain, compressed or
 *   a pipe: CSV (block,warp,kind,address and, where wanted, kernel,pc,width,mask or
 *   lane,cycle,sm), JSON Lines of the same, or what NVBit's mem_trace prints: kernels as they were launched, each with
 *   the accesses of its context and grid_launch_id, wherever they stand (a pipe is then held to its end);
 *   "-": standard input, as any of these files, plain or compressed, where it is a file; of a pipe tables;
 *   synthetic:NAME[:SIZE][:KEY=VALUE,...] (see gpc_synthetic_at; SIZE such as 2MiB is the
 *   problem's bytes; the keys of a kernel stand in its summary).
 * A `kernel-N.sm` (plain or compressed) beside a .traceg or .trace gives the placement; else the SMs that
 * instructions tell do (TOOL_TRACE_CORE=1), for which a .traceg is read twice.
 * Returns GPC_OK; GPC_ERROR_NOT_FOUND; GPC_ERROR_IO; GPC_ERROR_FORMAT;
 * GPC_ERROR_UNSUPPORTED (no decompressor, an unknown version or kind of file);
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_open(gpc_context *context, const char *source, gpc_error *error, gpc_trace **out);

/* Close; blocks still held become invalid. NULL is allowed. Since: 0.1. */
GPC_API void gpc_trace_close(gpc_trace *trace);

/*
 * Choose kernels before the first gpc_trace_next_kernel, which passes the others over. With numbers alone, files of a
 * list and sections of a .gct are not read where they are passed over.
 *   kernels  numbers, ranges and names with commas between: "3, 5-8, 10-, relu*"; NULL: all kernels.
 *            A number is a kernel's place in the trace from 1 on (gpc_kernel.index + 1), whatever its id and the name
 *            of its file. 5-8 has both ends, 10- goes on to the last kernel, -4 begins with the first.
 *            A name is the kernel's whole name, as the trace says it or, of a mangled one, without types (net::relu of
 *            _ZN3net4reluEPf). * fits any text, ? any character.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (no number, range or name); GPC_ERROR_NOT_FOUND (a number beyond the last kernel,
 * where gpc_trace_kernel_count is known); GPC_ERROR_STATE (the trace has begun); GPC_ERROR_MEMORY. After an error the
 * choice is unchanged. Since: 0.2.
 */
GPC_API gpc_status gpc_trace_choose(gpc_trace *trace, const char *kernels, gpc_error *error);

/*
 * Go to the next kernel that is chosen, past what is left of the present one.
 * Returns GPC_OK with `kernel` filled; GPC_END; errors as gpc_trace_open, with
 * file and line (binary: offset); GPC_ERROR_NOT_FOUND at the end of the trace, if no kernel fitted a number, range or
 * name of gpc_trace_choose. After an error the trace only closes. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_next_kernel(gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/*
 * Read the next thread block of the kernel. The block belongs to the trace and
 * lives until gpc_trace_release_block; any number may be held. Blocks come in
 * the file's order; a kernel may have fewer than its grid (the log says so).
 * Returns GPC_OK; GPC_END at the end of the kernel; errors as above, and
 * GPC_ERROR_STATE before the first kernel. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_next_block(gpc_trace *trace, const gpc_block **out, gpc_error *error);

/* Give a block back, for its memory to be used again. Since: 0.1. */
GPC_API void gpc_trace_release_block(gpc_trace *trace, const gpc_block *block);

/* Kernels in the trace, chosen or not, where that is known without reading it; 0 where not. Since: 0.1. */
GPC_API uint64_t gpc_trace_kernel_count(const gpc_trace *trace);

/* Text of an opcode ("LDG.E.64"), "" for an unknown index. Lives as long as the trace. Since: 0.1. */
GPC_API const char *gpc_trace_opcode(const gpc_trace *trace, uint32_t opcode);

/*
 * How an opcode orders memory, and what it does to caches. All that SASS says of it stands in the opcode's text, so
 * that every trace has it, whenever and in whichever format it was written.
 */
typedef struct gpc_ordering {
    size_t struct_size;
    uint8_t scope;   /* gpc_scope: .CTA, .SM; .GPU, .GL; .SYS. A MEMBAR that names none: SYS */
    uint8_t order;   /* gpc_order: of accesses .STRONG and .MMIO, atomics and reductions: RELAXED; MEMBAR.SC: SC, .ALL:
                        ACQ_REL; others WEAK */
    uint8_t control; /* gpc_control: of CCTL */
    uint8_t copy;    /* gpc_copy: of LDGSTS, LDGDEPBAR, DEPBAR */
    uint8_t mapped;  /* 1: addresses in local space are as a host mapped them: .MAPPED, which recordings write for
                        accesses without gpc_warp_access.local_offsets */
    uint8_t reserved[3];
} gpc_ordering;

#define GPC_ORDERING_INIT                      \
    {                                          \
        sizeof(gpc_ordering), 0, 0, 0, 0, 0, { \
            0                                  \
        }                                      \
    }

/*
 * The same of an opcode's index.
 *   out  struct_size set
 * Returns GPC_OK; GPC_ERROR_RANGE (no such index); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Since: 0.2.
 */
GPC_API gpc_status gpc_trace_ordering(const gpc_trace *trace, uint32_t opcode, gpc_ordering *out);

/* Reasons of notes about instructions and lines without effect, or run by a guess. Since: 0.2 */
typedef enum gpc_note_reason {
    GPC_NOTE_UNKNOWN_OPCODE = 0, /* an opcode without a table of NVIDIA or Accel-Sim: run by the beginning of its name,
                                    or as integer arithmetic */
    GPC_NOTE_NO_ADDRESSES = 1,   /* a memory instruction with active lanes and no addresses, but of shared memory: bulk
                                    copies by tracers before version 6, constants, textures, lanes off by predicates */
    GPC_NOTE_UNUSED_ADDRESSES =
        2,                     /* addresses of an instruction without access to a cache: textures, CCTL, arithmetic */
    GPC_NOTE_PASSED_OVER = 3,  /* a line of a kernelslist.g, neither kernel nor MemcpyHtoD, or of mem_trace's program */
    GPC_NOTE_COPY = 4,         /* a copy to the device: kernels.copies, gpc_trace_on_memcpy */
    GPC_NOTE_MEMORY_ALONE = 5, /* a kernel without arithmetic: its cycles are of memory alone */
    GPC_NOTE_REASON_COUNT
} gpc_note_reason;

/* A note: an opcode, a word or a kernel of a trace with its lines. Texts live as long as the trace. Since: 0.2 */
typedef struct gpc_note {
    size_t struct_size;
    uint32_t reason; /* gpc_note_reason */
    uint32_t reserved;
    const char *text; /* the opcode with its modifiers, the first word of the line, or the kernel's name */
    const char *file; /* where the first is */
    uint64_t line;    /* likewise, from 1; of an opcode where it first stands; 0: the file has no lines */
    uint64_t count;   /* lines, of a .gct or a bulk copy instructions; of MEMORY_ALONE kernels */
    uint64_t bytes;   /* of copies, in sum */
    const char *why;  /* the reason as a sentence; static */
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

/* How far the trace has been read, 0 to 1, by bytes of input. Since: 0.1. */
GPC_API double gpc_trace_progress(const gpc_trace *trace);

/* The copy commands of a kernelslist.g are passed to this, if set, when they are reached. Since: 0.1. */
typedef void (*gpc_memcpy_fn)(void *user_data, uint64_t device_address, uint64_t bytes);
GPC_API void gpc_trace_on_memcpy(gpc_trace *trace, gpc_memcpy_fn on_memcpy, void *user_data);

/* Enumerate the synthetic kernels. `size` is the default problem size in bytes. Static storage. Since: 0.1. */
GPC_API size_t gpc_synthetic_count(void);
GPC_API gpc_status gpc_synthetic_at(size_t index, const char **name, const char **summary, uint64_t *size);

/* What a writer writes. */
typedef enum gpc_trace_format {
    GPC_TRACE_BINARY = 0, /* .gct: one file for all kernels, compact, seekable, with checksums */
    GPC_TRACE_TEXT = 1    /* a folder with kernelslist.g and kernel-N.traceg, Accel-Sim tracer version 4 */
} gpc_trace_format;

/*
 * Write a trace: gpc_trace_writer_kernel, its blocks, the next kernel, ...,
 * gpc_trace_writer_finish. An existing file is replaced only by finish; without
 * it, gpc_trace_writer_destroy leaves nothing behind. Into an existing folder
 * finish moves the new files, and leaves others there. Symbolic links are followed, and stay; what a path leads to and
 * is no file of the user's own (a device, a pipe, another user's file) is written as it is, from the first byte on.
 * Opcodes are numbers of `from`. A kernel's `recording` is written where the first kernel of a .gct has one, and not as
 * text; the file is of version 2 of the format then, which libraries before 0.2 do not read.
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a block outside the grid, or a second
 * time, or not as the kernel says), GPC_ERROR_STATE (a block before any kernel,
 * anything after finish) and GPC_ERROR_ABI, which change nothing; GPC_ERROR_IO,
 * GPC_ERROR_UNSUPPORTED (warps of 64 lanes as text) and GPC_ERROR_MEMORY, after
 * which the writer can only be destroyed. Since: 0.1.
 */
GPC_API gpc_status gpc_trace_writer_create(gpc_context *context, const char *path, gpc_trace_format format,
                                           gpc_error *error, gpc_trace_writer **out);
GPC_API gpc_status gpc_trace_writer_kernel(gpc_trace_writer *writer, const gpc_kernel *kernel, gpc_error *error);
GPC_API gpc_status gpc_trace_writer_block(gpc_trace_writer *writer, const gpc_trace *from, const gpc_block *block,
                                          gpc_error *error);

/*
 * Warp instructions that access memory, field by field in arrays of `count`, an entry each. Since: 0.2.
 */
typedef struct gpc_trace_accesses {
    size_t struct_size;
    size_t count;
    uint32_t lanes;            /* columns of `addresses`, 1 to the kernel's warp_lanes */
    uint32_t width;            /* bytes a lane: 1, 2, 4, 8 or 16, of those for which `widths` says nothing; 0 = 4 */
    const uint64_t *addresses; /* [count][lanes]: lane l of instruction n is addresses[n * lanes + l] */
    const uint64_t *masks;     /* active lanes, a bit each, below `lanes`; NULL: all of them */
    const uint64_t *pcs;       /* NULL: 0 */
    const uint32_t *blocks;    /* linear, of the kernel's grid; NULL: 0 */
    const uint32_t *warps;     /* within the block; NULL: 0 */
    const uint32_t *widths;    /* NULL: as `width` */
    const uint8_t *kinds;      /* gpc_kind: LOAD, STORE, ATOMIC, REDUCTION; NULL: loads. To global memory */
} gpc_trace_accesses;

#define GPC_TRACE_ACCESSES_INIT \
    { sizeof(gpc_trace_accesses), 0, 32, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/*
 * Instructions of the present kernel, of whatever blocks and warps, each warp's in its order: in place of
 * gpc_trace_writer_block. They are held until the next kernel, or finish, when their blocks are written, in order.
 * Returns as gpc_trace_writer_block; GPC_ERROR_ARGUMENT names the entry and its field, and takes none of them.
 * Since: 0.2.
 */
GPC_API gpc_status gpc_trace_writer_accesses(gpc_trace_writer *writer, const gpc_trace_accesses *accesses,
                                             gpc_error *error);
GPC_API gpc_status gpc_trace_writer_finish(gpc_trace_writer *writer, gpc_error *error);
GPC_API void gpc_trace_writer_destroy(gpc_trace_writer *writer);

GPC_END_DECLS

#endif
