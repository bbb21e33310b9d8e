/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_H

#include "trace/source.h"

/*
 * Synthetic kernels, generated block by block.
 *
 * A kernel is a listing, as a disassembler prints it, and a driver in C that
 * takes each warp through it. The driver says which lanes stay, which way a
 * branch goes and what an access touches; the instructions between are issued
 * on the way. So the mix of instructions, their registers and their program
 * counters come from the listing, and the data flow from a few lines of C.
 *
 * A source names a kernel as NAME[:SIZE][:KEY=VALUE,...]. SIZE is bytes of the
 * problem's data; each summary says of which. Every kernel knows the key
 * `lanes` (32 or 64 threads a warp) and `header` (bytes before each array), some have keys of their own.
 */

#define GPCI_SYNTHETIC_LANES 64u
#define GPCI_SYNTHETIC_LAUNCHES 48u
#define GPCI_SYNTHETIC_ARRAYS 32u
#define GPCI_SYNTHETIC_OPERANDS 4u
#define GPCI_ELEMENT sizeof(uint32_t)       /* bytes of an int or a float */
#define GPCI_THREADS 256u                   /* of a block of most kernels */
#define GPCI_SYNTHETIC_MAXIMUM (1ull << 30) /* bytes; a block of a row-walk kernel then still fits in memory */

/* On sm_90 the system keeps the first KiB of a block's shared memory. */
#define GPCI_SHARED_BASE 0x400u
/* Where generic addresses of shared memory begin. */
#define GPCI_SHARED_WINDOW 0x7f0000000000u

typedef struct gpci_walk gpci_walk;
typedef struct gpci_launch gpci_launch;
typedef struct gpci_problem gpci_problem;

/* How a kernel walks over an array, in bytes: where thread 0 begins, from thread to thread, from step to step. */
typedef struct gpci_operand {
    uint64_t base, thread, step;
} gpci_operand;

/* One launch of a kernel. The fields after `shared` mean what the driver makes of them. */
struct gpci_launch {
    const char *name; /* mangled */
    const char *code; /* the listing, see gpci_listing_assemble */
    void (*warp)(gpci_walk *walk, const gpci_launch *launch);
    uint64_t grid[3], block[3];
    uint64_t shared; /* bytes, without the system's */
    gpci_operand operand[GPCI_SYNTHETIC_OPERANDS];
    uint64_t operands;
    uint64_t cluster; /* blocks of one, in x; 0: there are none */
    uint64_t n, rows, columns, steps, repeats, window, stride, seed;
    const void *data; /* the problem's, where the kernel has any */
};

typedef struct gpci_synthetic_array {
    uint64_t base, bytes;
} gpci_synthetic_array;

/* A kernel's launches and arrays for one size. */
struct gpci_problem {
    const char *name;
    const double *values; /* of the kernel's own parameters */
    uint64_t size;        /* bytes */
    unsigned lanes;
    uint64_t header; /* bytes before each array; 0: arrays are aligned */
    gpc_context *context;
    gpc_error *error;
    void *data; /* see gpci_problem_data; freed with the source */
    gpci_launch launches[GPCI_SYNTHETIC_LAUNCHES];
    size_t launch_count;
    gpci_synthetic_array arrays[GPCI_SYNTHETIC_ARRAYS];
    size_t array_count;
    uint64_t next_large, next_small, end_small; /* device addresses not given out yet */
};

typedef struct gpci_synthetic {
    const char *name, *summary;
    uint64_t least; /* bytes */
    const gpc_parameter *parameters;
    size_t parameter_count;
    gpc_status (*plan)(gpci_problem *problem);
} gpci_synthetic;

/* Fail for a size or parameter that the kernel cannot have: GPC_ERROR_RANGE, the kernel's name before the message. */
gpc_status gpci_problem_fail(gpci_problem *problem, const char *format, ...) GPCI_PRINTF(2, 3);

/*
 * Allocate device memory as cudaMalloc does: 512-byte aligned, from 1 MiB on 2 MiB aligned. With a header, one array
 * follows the other, unaligned, each behind its header: so does Multi2Sim 5.0 for Kepler, whose header of 4 bytes keeps
 * the array's size, and so a warp's 128 bytes lie in two lines. Returns its address.
 */
uint64_t gpci_problem_array(gpci_problem *problem, uint64_t bytes);

/* `count` arrays of `bytes` each, one behind another: where the first is, and how far from one to the next. */
gpci_operand gpci_problem_arrays(gpci_problem *problem, uint64_t bytes, uint64_t count);

/* Memory for what the launches walk over (a graph, a tree), zeroed, once. NULL: there is none; the error says so. */
void *gpci_problem_data(gpci_problem *problem, size_t bytes);

/* Add a launch, copied; extents in y that are 0 become 1. Where its grid is one that no GPU takes, GPC_ERROR_RANGE. */
gpc_status gpci_problem_launch(gpci_problem *problem, const gpci_launch *launch);

/*
 * Rows and columns of floats that `size` bytes hold: `columns` of them, or, where it is 0, the
 * least power of two that makes the matrix not taller than wide; rows rounded down to a multiple.
 */
gpc_status gpci_problem_matrix(gpci_problem *problem, uint64_t columns, uint64_t multiple, gpci_launch *launch);

GPCI_INLINE uint64_t gpci_ceiling(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/* Integer square root, rounded down. */
uint64_t gpci_root(uint64_t x);

/* A listing, assembled. */
typedef enum gpci_listing_role {
    GPCI_ROLE_PLAIN,
    GPCI_ROLE_ACCESS, /* has addresses */
    GPCI_ROLE_BARRIER,
    GPCI_ROLE_BRANCH, /* to a label */
    GPCI_ROLE_GUARD,  /* predicated exit */
    GPCI_ROLE_EXIT
} gpci_listing_role;

typedef struct gpci_listing_step {
    uint32_t opcode, target; /* target: of a branch, a step's index */
    uint16_t registers[GPC_MAX_OPERANDS];
    uint8_t destinations, sources, role;
    uint8_t width; /* where the listing says it: of DEPBAR, groups that may be under way; of a bulk copy, of its rows */
    struct gpci_form *form; /* as it was last packed, by the walk at hand; NULL: it was not */
} gpci_listing_step;

typedef struct gpci_listing {
    gpci_listing_step *steps;
    size_t count;
    uint32_t registers; /* per thread: the highest R number, at least what hardware gives */
} gpci_listing;

/*
 * Assemble a listing of items, each
 *   LABEL:                                a branch target
 *   DEPBAR.LE 2;                          until at most 2 groups of copies are under way
 *   UBLKCP.S.G UR4 128 M3;                rows of 128 bytes; they complete at the barrier at 3 * 8 of shared memory
 *   [@P0] R4 R5 OPCODE R2 UR4 [LABEL];    destinations before the opcode, sources after it
 *   8*{ R4+2 LDG.E R2; R5+2 LDG.E R3 };   repeated; R4+2 is R4, R6, R8, ...
 * The predicate is a source. Program counters are 16 bytes apart.
 */
gpc_status gpci_listing_assemble(gpc_context *context, gpci_opcodes *opcodes, const char *text, gpci_listing *out,
                                 gpc_error *error);

/* One warp on its way through a listing. After a failure the calls do nothing and loops end. */
struct gpci_walk {
    gpci_block *block;
    gpci_opcodes *opcodes;
    gpci_listing_step *steps;
    size_t step_count;
    uint64_t sets; /* of the packer, when the steps' forms were made */
    uint32_t at, rejoin;
    unsigned lanes;
    uint64_t x, y;                                               /* of the block */
    uint64_t first;                                              /* lane 0's thread within the block */
    uint64_t all, mask;                                          /* lanes that run at all, and now */
    uint64_t outer;                                              /* mask to be restored by gpci_end_if */
    uint64_t tx[GPCI_SYNTHETIC_LANES], ty[GPCI_SYNTHETIC_LANES]; /* thread within the block */
    uint64_t gx[GPCI_SYNTHETIC_LANES], gy[GPCI_SYNTHETIC_LANES]; /* thread within the grid */
    gpc_status status;
};

/* Generate the launch's block `index` (linear). */
gpc_status gpci_walk_block(gpci_walk *walk, const gpci_launch *launch, gpci_block *block, uint32_t index);

/* To the next predicated exit: lanes outside `stay` leave. False where none is left; the warp has ended then. */
bool gpci_guard(gpci_walk *walk, uint64_t stay);
/* To the next access: lane i at first + i * stride. */
void gpci_access(gpci_walk *walk, uint64_t first, uint64_t stride);
/* The same for some lanes only, as a predicate makes it. */
void gpci_access_if(gpci_walk *walk, uint64_t lanes, uint64_t first, uint64_t stride);
/* To the next access: lane i at base + offsets[i]. */
void gpci_access_at(gpci_walk *walk, uint64_t base, const uint64_t *offsets);
void gpci_barrier(gpci_walk *walk);
/* To the next branch: `taken` or not, by all lanes. Returns whether it was taken. */
bool gpci_branch(gpci_walk *walk, bool taken);
/* To the branch that ends a loop: the lanes of `again` go round once more. False where none does. */
bool gpci_loop(gpci_walk *walk, uint64_t again);
/* To the branch around what only the lanes `inside` do; false where there are none. gpci_end_if follows either way. */
bool gpci_if(gpci_walk *walk, uint64_t inside);
void gpci_end_if(gpci_walk *walk);
/*
 * An unrolled loop: body(from), ..., the listing holding `unroll` of them, a branch around it all for the case that
 * there are not that many, and a branch back. Returns the first step that is left for the loop after it.
 */
typedef void (*gpci_body)(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data);
uint64_t gpci_unrolled(gpci_walk *walk, const gpci_launch *launch, gpci_body body, const void *data, uint64_t from,
                       uint64_t to, uint64_t unroll);
/* One step of the listing, which is plain, wherever the warp stands. */
void gpci_plain(gpci_walk *walk, uint32_t step);
/* To the final exit. */
void gpci_finish(gpci_walk *walk);

/* Lanes whose index first + lane is below `limit`, of those that run at all. */
uint64_t gpci_below(const gpci_walk *walk, uint64_t first, uint64_t limit);
/* Lanes whose thread within the grid is below (columns, rows). */
uint64_t gpci_inside(const gpci_walk *walk, uint64_t columns, uint64_t rows);

/* Arrays that an open synthetic source declares. */
const gpci_synthetic_array *gpci_synthetic_arrays(const gpci_source *source, size_t *count);

/* What the kernel at hand made with gpci_problem_data; NULL: nothing. */
const void *gpci_synthetic_data(const gpci_source *source);

/* The kernels, by family. */
extern const gpci_synthetic gpci_synthetic_vectoradd, gpci_synthetic_vecmul, gpci_synthetic_vecscale,
    gpci_synthetic_vecsub, gpci_synthetic_stream;
extern const gpci_synthetic gpci_synthetic_scalarprod, gpci_synthetic_histogram, gpci_synthetic_fastwalsh,
    gpci_synthetic_cppoverload;
extern const gpci_synthetic gpci_synthetic_transpose_naive, gpci_synthetic_transpose_tiled, gpci_synthetic_kronecker,
    gpci_synthetic_matmul_tiled;
extern const gpci_synthetic gpci_synthetic_atax, gpci_synthetic_bicg, gpci_synthetic_gesummv, gpci_synthetic_mvt;
extern const gpci_synthetic gpci_synthetic_elemmul, gpci_synthetic_relu, gpci_synthetic_sigmoid, gpci_synthetic_zeropad,
    gpci_synthetic_maxpool, gpci_synthetic_meanpool, gpci_synthetic_kmeans;
extern const gpci_synthetic gpci_synthetic_spatial, gpci_synthetic_gather, gpci_synthetic_warp_reuse,
    gpci_synthetic_private_reuse, gpci_synthetic_chase, gpci_synthetic_classes, gpci_synthetic_accesses,
    gpci_synthetic_dsmem, gpci_synthetic_multicast, gpci_synthetic_copies;
extern const gpci_synthetic gpci_synthetic_polybench_atax, gpci_synthetic_polybench_bicg,
    gpci_synthetic_polybench_gesummv, gpci_synthetic_polybench_mvt, gpci_synthetic_polybench_gemm,
    gpci_synthetic_polybench_3mm;
extern const gpci_synthetic gpci_synthetic_rodinia_kmeans, gpci_synthetic_rodinia_streamcluster,
    gpci_synthetic_rodinia_cfd, gpci_synthetic_rodinia_gaussian, gpci_synthetic_bfs, gpci_synthetic_word_count;
extern const gpci_synthetic gpci_synthetic_rodinia_nw, gpci_synthetic_rodinia_lud, gpci_synthetic_rodinia_srad,
    gpci_synthetic_rodinia_bfs, gpci_synthetic_rodinia_backprop, gpci_synthetic_rodinia_hotspot,
    gpci_synthetic_rodinia_nn, gpci_synthetic_rodinia_btree, gpci_synthetic_rodinia_dwt2d,
    gpci_synthetic_rodinia_mummergpu, gpci_synthetic_rodinia_heartwall;
extern const gpci_synthetic gpci_synthetic_surveys, gpci_synthetic_sssp, gpci_synthetic_comd, gpci_synthetic_comd_eam,
    gpci_synthetic_string_match, gpci_synthetic_inverted_index, gpci_synthetic_similarity_score;

#endif
