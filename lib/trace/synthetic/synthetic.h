/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_H

#include "trace/source.h"

/*
 * Synthetic kernels, generated block by block.
 *
 * A kernel is a listing, as printed by a disassembler, and a driver in C that takes each warp through the listing. The
 * driver decides which lanes stay active, the direction of each branch, and the addresses of each access; the
 * instructions between are issued on the way. Instruction mix, registers and program counters therefore come from the
 * listing, and the data flow from a few lines of C.
 *
 * A source names a kernel as NAME[:SIZE][:KEY=VALUE,...]. SIZE is bytes of the problem's data; each summary names the
 * data. Every kernel has the keys `lanes` (32 or 64 threads a warp) and `header` (bytes before each array); some have
 * more keys.
 */

#define GPCI_SYNTHETIC_LANES 64u
#define GPCI_SYNTHETIC_LAUNCHES 48u /* largest number in most kernels' parameters */
#define GPCI_SYNTHETIC_ARRAYS 32u
#define GPCI_SYNTHETIC_OPERANDS 4u
#define GPCI_ELEMENT sizeof(uint32_t)       /* bytes of an int or a float */
#define GPCI_THREADS 256u                   /* threads of a block in most kernels */
#define GPCI_SYNTHETIC_MAXIMUM (1ull << 30) /* bytes; a thread block that walks over whole rows still fits in memory */

/* On sm_90 the system keeps the first KiB of a block's shared memory. */
#define GPCI_SHARED_BASE 0x400u
/* Where generic addresses of shared memory begin. */
#define GPCI_SHARED_WINDOW 0x7f0000000000u

typedef struct gpci_walk gpci_walk;
typedef struct gpci_launch gpci_launch;
typedef struct gpci_problem gpci_problem;

/*
 * Operand: how threads walk over an array, in bytes. base: address of thread 0. thread: distance from a thread to the
 * next. step: distance from an iteration to the next. Some kernels use `step` otherwise, as their comments say.
 */
typedef struct gpci_operand {
    uint64_t base, thread, step;
} gpci_operand;

/* Launch of a kernel. The driver gives the fields after `shared` their meaning. */
struct gpci_launch {
    const char *name; /* mangled */
    const char *code; /* the listing, see gpci_listing_assemble */
    void (*warp)(gpci_walk *walk, const gpci_launch *launch);
    uint64_t grid[3], block[3];
    uint64_t shared; /* bytes of shared memory, without the GPCI_SHARED_BASE bytes of the system */
    gpci_operand operand[GPCI_SYNTHETIC_OPERANDS];
    uint64_t operands;
    uint64_t cluster; /* blocks of a cluster, in x; 0 = no clusters */
    uint64_t n, rows, columns, steps, repeats, window, stride, seed;
    const void *data; /* data of the problem, or NULL */
};

typedef struct gpci_synthetic_array {
    uint64_t base, bytes;
} gpci_synthetic_array;

/* Launches and arrays of a kernel for one size. */
struct gpci_problem {
    const char *name;
    const double *values; /* values of the kernel's own parameters */
    uint64_t size;        /* bytes */
    unsigned lanes;
    uint64_t header; /* bytes before each array; 0: aligned arrays */
    gpc_context *context;
    gpc_error *error;
    void *data; /* see gpci_problem_data; freed with the source */
    gpci_launch *launches;
    size_t launch_count, launch_capacity;
    gpci_synthetic_array arrays[GPCI_SYNTHETIC_ARRAYS];
    size_t array_count;
    uint64_t next_large, next_small, end_small; /* device addresses not given out yet */
};

typedef struct gpci_synthetic {
    const char *name, *summary;
    uint64_t least; /* smallest allowed size in bytes */
    const gpc_parameter *parameters;
    size_t parameter_count;
    gpc_status (*plan)(gpci_problem *problem);
} gpci_synthetic;

/* Fail for an invalid size or parameter: GPC_ERROR_RANGE, with the kernel's name before the message. */
gpc_status gpci_problem_fail(gpci_problem *problem, const char *format, ...) GPCI_PRINTF(2, 3);

/*
 * Allocate device memory as cudaMalloc: 512-byte aligned; from 1 MiB on 2 MiB aligned. With a header, arrays follow
 * each other unaligned, each behind its header, as in Multi2Sim 5.0 for Kepler: its header of 4 bytes keeps the array's
 * size, and a warp's 128 bytes lie in two lines. Returns the array's address.
 */
uint64_t gpci_problem_array(gpci_problem *problem, uint64_t bytes);

/*
 * Allocate `count` arrays of `bytes` each, one behind another. Returns the first address, and the distance between
 * arrays.
 */
gpci_operand gpci_problem_arrays(gpci_problem *problem, uint64_t bytes, uint64_t count);

/*
 * rand() of the GNU C library, from which many programs make their input: x[i] = x[i - 3] + x[i - 31], without the
 * lowest bit.
 */
typedef struct gpci_c_random {
    uint32_t x[31];
    unsigned at; /* of x[i - 31] */
} gpci_c_random;

gpci_c_random gpci_c_srand(uint32_t seed);
uint32_t gpci_c_rand(gpci_c_random *random);

/* lrand48() of POSIX: 31 bits of a linear congruential generator of 48 bits. */
uint64_t gpci_c_srand48(uint32_t seed);
uint32_t gpci_c_lrand48(uint64_t *random);

/* Allocate zeroed memory for the launches' data (a graph, a tree). Call once. NULL: out of memory, with an error. */
void *gpci_problem_data(gpci_problem *problem, size_t bytes);

/* Add a copy of a launch; extents of 0 in y become 1. GPC_ERROR_RANGE for a grid that no GPU accepts. */
gpc_status gpci_problem_launch(gpci_problem *problem, const gpci_launch *launch);
/* Set a launch's kernel, and add a copy of the launch. */
gpc_status gpci_problem_kernel(gpci_problem *problem, gpci_launch *launch, const char *name, const char *code,
                               void (*warp)(gpci_walk *, const gpci_launch *));

/*
 * Set the launch's rows and columns to those of a matrix of floats in the problem's `size` bytes. `columns` 0: the
 * smallest power of two with which the matrix is not taller than wide. Rows are rounded down to a multiple of
 * `multiple`.
 */
gpc_status gpci_problem_matrix(gpci_problem *problem, uint64_t columns, uint64_t multiple, gpci_launch *launch);

GPCI_INLINE uint64_t gpci_ceiling(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/* Integer square root, rounded down. */
uint64_t gpci_root(uint64_t x);

/* Role of a step in an assembled listing. */
typedef enum gpci_listing_role {
    GPCI_ROLE_PLAIN,
    GPCI_ROLE_ACCESS, /* has addresses */
    GPCI_ROLE_BARRIER,
    GPCI_ROLE_BRANCH, /* to a label */
    GPCI_ROLE_GUARD,  /* predicated exit */
    GPCI_ROLE_EXIT
} gpci_listing_role;

typedef struct gpci_listing_step {
    uint32_t opcode, target; /* target: index of the step at a branch's label */
    uint16_t registers[GPC_MAX_OPERANDS];
    uint8_t destinations, sources, role;
    /* number behind the opcode; DEPBAR: groups that may stay in flight; bulk copy: bytes of a row */
    uint8_t width;
    struct gpci_form *form; /* form of the step when last packed by the present walk; NULL: not yet packed */
} gpci_listing_step;

typedef struct gpci_listing {
    gpci_listing_step *steps;
    size_t count;
    uint32_t registers; /* per thread: the highest R number, at least the hardware's minimum */
} gpci_listing;

/*
 * Assemble a listing of items, each
 *   LABEL:                                a branch target
 *   DEPBAR.LE 2;                          wait until at most 2 groups of copies are in flight
 *   UBLKCP.S.G UR4 128 M3;                rows of 128 bytes, completing at the barrier at 3 * 8 of shared memory
 *   [@P0] R4 R5 OPCODE R2 UR4 [LABEL];    destinations before the opcode, sources after it
 *   8*{ R4+2 LDG.E R2; R5+2 LDG.E R3 };   repeated; R4+2 is R4, R6, R8, ...
 * The predicate is a source. Program counters are 16 bytes apart.
 */
gpc_status gpci_listing_assemble(gpc_context *context, gpci_opcodes *opcodes, const char *text, gpci_listing *out,
                                 gpc_error *error);

/* Most characters of a listing that a kernel writes for its parameters. */
#define GPCI_LISTING_TEXT 4096u

/* Append text to a listing in an array of GPCI_LISTING_TEXT characters, at first zeroes. Text without room is cut. */
void gpci_listing_add(char *to, const char *format, ...) GPCI_PRINTF(2, 3);
/* Set a launch's listing, of gpci_listing_add. GPC_ERROR_RANGE: the listing may be cut. */
gpc_status gpci_problem_listing(gpci_problem *problem, gpci_launch *launch, const char *code);

/* Walk of a warp through a listing. After an error the calls do nothing and loops end. */
struct gpci_walk {
    gpci_block *block;
    gpci_opcodes *opcodes;
    gpci_listing_step *steps;
    size_t step_count;
    uint64_t sets;       /* gpci_packer.sets when the steps' forms were made */
    uint32_t at, rejoin; /* at: next step; rejoin: step behind the present gpci_if */
    unsigned lanes;
    uint64_t x, y;                                               /* position of the block */
    uint64_t first;                                              /* lane 0's thread within the block */
    uint64_t all, mask;                                          /* existing lanes; active lanes */
    uint64_t outer;                                              /* mask to be restored by gpci_end_if */
    uint64_t tx[GPCI_SYNTHETIC_LANES], ty[GPCI_SYNTHETIC_LANES]; /* thread within the block */
    uint64_t gx[GPCI_SYNTHETIC_LANES], gy[GPCI_SYNTHETIC_LANES]; /* thread within the grid */
    gpc_status status;
};

/* Generate the launch's block `index` (linear). */
gpc_status gpci_walk_block(gpci_walk *walk, const gpci_launch *launch, gpci_block *block, uint32_t index);

/* Go to the next predicated exit: lanes outside `stay` exit. False: no lane is left, and the warp has ended. */
bool gpci_guard(gpci_walk *walk, uint64_t stay);
/* Go to the next access: lane i accesses first + i * stride. */
void gpci_access(gpci_walk *walk, uint64_t first, uint64_t stride);
/* gpci_access by only the lanes `lanes`, as with a predicate. */
void gpci_access_if(gpci_walk *walk, uint64_t lanes, uint64_t first, uint64_t stride);
/* Go to the next access: lane i accesses base + offsets[i]. */
void gpci_access_at(gpci_walk *walk, uint64_t base, const uint64_t *offsets);
void gpci_barrier(gpci_walk *walk);
/* Go to the next branch, `taken` by all lanes or by none. Returns `taken`. */
bool gpci_branch(gpci_walk *walk, bool taken);
/* Go to the branch at a loop's end: lanes in `again` repeat the loop. False: no lane repeats. */
bool gpci_loop(gpci_walk *walk, uint64_t again);
/*
 * Go to the branch around code for only the lanes `inside`. False: no lane is inside. Call gpci_end_if in both cases.
 */
bool gpci_if(gpci_walk *walk, uint64_t inside);
void gpci_end_if(gpci_walk *walk);
/*
 * Run an unrolled loop: call `body` for each step from `from` on, as long as `unroll` more steps are below `to`. The
 * listing has a branch around the loop for too few steps, `unroll` bodies, and a branch back. Returns the first step
 * left for the following loop.
 */
typedef void (*gpci_body)(gpci_walk *walk, const gpci_launch *launch, uint64_t step, const void *data);
uint64_t gpci_unrolled(gpci_walk *walk, const gpci_launch *launch, gpci_body body, const void *data, uint64_t from,
                       uint64_t to, uint64_t unroll);
/* Issue step number `step`, a plain step. The walk continues behind this step. */
void gpci_plain(gpci_walk *walk, uint32_t step);
/* Go to the final exit. */
void gpci_finish(gpci_walk *walk);

/* Mask of existing lanes with index first + lane below `limit`. */
uint64_t gpci_below(const gpci_walk *walk, uint64_t first, uint64_t limit);
/* Mask of lanes with a thread within the grid below (columns, rows). */
uint64_t gpci_inside(const gpci_walk *walk, uint64_t columns, uint64_t rows);

/* Arrays declared by an open synthetic source. */
const gpci_synthetic_array *gpci_synthetic_arrays(const gpci_source *source, size_t *count);

/* Data of the present kernel from gpci_problem_data; NULL: no data. */
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
    gpci_synthetic_dsmem, gpci_synthetic_multicast, gpci_synthetic_copies, gpci_synthetic_gpu_l2,
    gpci_synthetic_gpu_stream, gpci_synthetic_gpu_strides;
extern const gpci_synthetic gpci_synthetic_polybench_atax, gpci_synthetic_polybench_bicg,
    gpci_synthetic_polybench_gesummv, gpci_synthetic_polybench_mvt, gpci_synthetic_polybench_gemm,
    gpci_synthetic_polybench_3mm, gpci_synthetic_polybench_syrk, gpci_synthetic_polybench_2dconv,
    gpci_synthetic_polybench_3dconv, gpci_synthetic_polybench_fdtd2d, gpci_synthetic_polybench_corr,
    gpci_synthetic_polybench_covar, gpci_synthetic_polybench_gramschm;
extern const gpci_synthetic gpci_synthetic_rodinia_kmeans, gpci_synthetic_rodinia_streamcluster,
    gpci_synthetic_rodinia_cfd, gpci_synthetic_rodinia_gaussian, gpci_synthetic_bfs, gpci_synthetic_word_count;
extern const gpci_synthetic gpci_synthetic_rodinia_nw, gpci_synthetic_rodinia_lud, gpci_synthetic_rodinia_srad,
    gpci_synthetic_rodinia_bfs, gpci_synthetic_rodinia_backprop, gpci_synthetic_rodinia_hotspot,
    gpci_synthetic_rodinia_nn, gpci_synthetic_rodinia_btree, gpci_synthetic_rodinia_dwt2d,
    gpci_synthetic_rodinia_mummergpu, gpci_synthetic_rodinia_heartwall, gpci_synthetic_rodinia_srad_v1,
    gpci_synthetic_ispass_lps, gpci_synthetic_parboil_sgemm;
extern const gpci_synthetic gpci_synthetic_surveys, gpci_synthetic_sssp, gpci_synthetic_comd, gpci_synthetic_comd_eam,
    gpci_synthetic_string_match, gpci_synthetic_inverted_index, gpci_synthetic_similarity_score;
extern const gpci_synthetic gpci_synthetic_gemm, gpci_synthetic_flash_attention;
extern const gpci_synthetic gpci_synthetic_sdk_histogram, gpci_synthetic_sdk_scalarprod, gpci_synthetic_sdk_transpose;

#endif
