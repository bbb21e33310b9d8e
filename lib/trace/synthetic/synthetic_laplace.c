/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Laplace's equation in a cube, LPS of the programs of Bakhoda et al. (ISPASS 2009), compiled for Fermi. Source:
 * github.com/tgrogers/gpgpu-sim_simulations, commit 33f6535, benchmarks/src/cuda/ispass-2009/LPS: laplace3d.cu,
 * laplace3d_kernel.cu (GPU_laplace3d). A block of 32 x 4 threads goes through the planes with three of them in shared
 * memory. Threads 0 to 75 also keep an element around the patch: the first two rows of threads the rows above and
 * below, threads 64 to 75 the columns left and right. Rows are as long as the cube is wide: cudaMallocPitch of
 * GPGPU-Sim adds nothing. The published cube has 100 elements along a side, 4,000,000 bytes.
 */

#define LAPLACE_BLOCK_X 32u
#define LAPLACE_BLOCK_Y 4u
#define LAPLACE_ROW (LAPLACE_BLOCK_X + 2)           /* elements in shared memory from a row to the next */
#define PLANE (LAPLACE_ROW * (LAPLACE_BLOCK_Y + 2)) /* and from a plane to the next */
#define AROUND (2 * (LAPLACE_BLOCK_X + LAPLACE_BLOCK_Y + 2))

/* Read the next plane. R4 address, R6 address in shared memory. */
#define FETCH(address, shared) "R8 LDG.E " address "; STS " shared " R8;"
#define SHIFT(shared) "R9 LDS " shared "; STS " shared " R9; R9 LDS " shared "; STS " shared " R9;"

/* P0, P1: no element of the patch, none around the patch; P2: the last plane; P3: at the cube's border. */
static const char laplace_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R10 S2R; R4 IMAD R2 R1 R0; R5 IMAD R3 R1 R10; R7 IMAD R5 R1 R4; R6 IMAD R10 R1 R0;"
    "R11 MOV R7; R12 MOV R6; P0 ISETP.GE.AND R4 R1; P0 ISETP.GE.OR R5 R1 P0; P1 ISETP.GE.AND R6 R1;"
    "@P0 BRA around;" FETCH("R7", "R6") "around: @P1 BRA begin;" FETCH("R11", "R12") //
    "begin: R13 MOV;"
    "plane: P2 ISETP.GE.AND R13 R1; R14 MOV R7; @P0 BRA halo; R7 IADD R7 R1;" SHIFT("R6")     //
    "@P2 BRA halo;" FETCH("R7", "R6")                                                         //
    "halo: @P1 BRA ready; R11 IADD R11 R1;" SHIFT("R12") "@P2 BRA ready;" FETCH("R11", "R12") //
    "ready: BAR.SYNC; P3 ISETP.EQ.AND R4; P3 ISETP.EQ.OR R5 P3; P3 ISETP.EQ.OR R13 P3; @P3 BRA inner; R15 LDS R6;"
    "R16 MOV R15;"
    "inner: @P3 BRA store; R16 LDS R6; R17 LDS R6; R16 FADD R16 R17; R17 LDS R6; R16 FADD R16 R17; R17 LDS R6;"
    "R16 FADD R16 R17; R17 LDS R6; R16 FADD R16 R17; R17 LDS R6; R16 FADD R16 R17; R16 FMUL R16;"
    "store: @P0 BRA stored; STG.E R14 R16;"
    "stored: BAR.SYNC; R13 IADD R13; P2 ISETP.LT.AND R13 R1; @P2 BRA plane; EXIT";

/* Operands; `n` of the launch: elements along a side. */
enum { FROM, TO };

/* A lane's elements in the first plane and in shared memory: of the patch, and around the patch. */
typedef struct elements {
    uint64_t at[GPCI_SYNTHETIC_LANES], cell[GPCI_SYNTHETIC_LANES];
    uint64_t there; /* lanes with an element */
} elements;

typedef struct laplace {
    elements own, halo;
    uint64_t border; /* lanes at the cube's sides */
} laplace;

/* Set the element of a lane, x and y of the block's patch. */
static void set(elements *e, const gpci_walk *walk, const gpci_launch *launch, unsigned lane, int64_t x, int64_t y) {
    const int64_t i = (int64_t)(walk->x * LAPLACE_BLOCK_X) + x, j = (int64_t)(walk->y * LAPLACE_BLOCK_Y) + y,
                  n = (int64_t)launch->n;
    if (i < 0 || i >= n || j < 0 || j >= n)
        return;
    e->there |= UINT64_C(1) << lane;
    e->at[lane] = (uint64_t)(j * n + i) * GPCI_ELEMENT;
    e->cell[lane] = (uint64_t)((y + 1) * (int64_t)LAPLACE_ROW + x + 1 + (int64_t)PLANE) * GPCI_ELEMENT;
}

static void place(const gpci_walk *walk, const gpci_launch *launch, laplace *grid) {
    *grid = (laplace){0};
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const int64_t x = (int64_t)walk->tx[lane], y = (int64_t)walk->ty[lane], k = x + y * (int64_t)LAPLACE_BLOCK_X;
        const uint64_t last = launch->n - 1;
        set(&grid->own, walk, launch, lane, x, y);
        if (k < (int64_t)AROUND && y < 2)
            set(&grid->halo, walk, launch, lane, x, y * (LAPLACE_BLOCK_Y + 1) - 1);
        else if (k < (int64_t)AROUND)
            set(&grid->halo, walk, launch, lane, k % 2 * (LAPLACE_BLOCK_X + 1) - 1,
                k / 2 - (int64_t)LAPLACE_BLOCK_X - 1);
        const uint64_t i = walk->gx[lane], j = walk->gy[lane];
        grid->border |= (uint64_t)(i == 0 || i == last || j == 0 || j == last) << lane;
    }
    grid->own.there &= walk->all;
    grid->halo.there &= walk->all;
}

/* Cells `offset` elements from the lanes' own cells. */
static void shared(gpci_walk *walk, const elements *e, int64_t offset) {
    gpci_access_at(walk, GPCI_SHARED_BASE + (uint64_t)offset * GPCI_ELEMENT, e->cell);
}

static void fetch(gpci_walk *walk, const gpci_launch *launch, const elements *e, uint64_t plane) {
    gpci_access_at(walk, launch->operand[FROM].base + plane * launch->n * launch->n * GPCI_ELEMENT, e->at);
    shared(walk, e, PLANE);
}

/* Move two planes down, and read the plane above. */
static void advance(gpci_walk *walk, const gpci_launch *launch, const elements *e, uint64_t plane) {
    if (gpci_if(walk, e->there)) {
        shared(walk, e, 0);
        shared(walk, e, -(int64_t)PLANE);
        shared(walk, e, PLANE);
        shared(walk, e, 0);
        if (!gpci_branch(walk, plane + 1 == launch->n))
            fetch(walk, launch, e, plane + 1);
    }
    gpci_end_if(walk);
}

/* Store the elements of a plane: at the cube's border as they are, else from the six neighbours. */
static void relax(gpci_walk *walk, const gpci_launch *launch, const laplace *grid, uint64_t plane) {
    static const int64_t neighbours[] = {-1, 1, -(int64_t)LAPLACE_ROW, LAPLACE_ROW, -(int64_t)PLANE, PLANE};
    const uint64_t border = plane == 0 || plane + 1 == launch->n ? UINT64_MAX : grid->border;
    if (gpci_if(walk, grid->own.there & border))
        shared(walk, &grid->own, 0);
    gpci_end_if(walk);
    if (gpci_if(walk, grid->own.there & ~border))
        for (unsigned k = 0; k < 6; k++)
            shared(walk, &grid->own, neighbours[k]);
    gpci_end_if(walk);
    if (gpci_if(walk, grid->own.there))
        gpci_access_at(walk, launch->operand[TO].base + plane * launch->n * launch->n * GPCI_ELEMENT, grid->own.at);
    gpci_end_if(walk);
}

static void walk_laplace(gpci_walk *walk, const gpci_launch *launch) {
    laplace grid;
    place(walk, launch, &grid);
    if (gpci_if(walk, grid.own.there))
        fetch(walk, launch, &grid.own, 0);
    gpci_end_if(walk);
    if (gpci_if(walk, grid.halo.there))
        fetch(walk, launch, &grid.halo, 0);
    gpci_end_if(walk);
    for (uint64_t plane = 0; plane < launch->n; plane++) {
        advance(walk, launch, &grid.own, plane);
        advance(walk, launch, &grid.halo, plane);
        gpci_barrier(walk);
        relax(walk, launch, &grid, plane);
        gpci_barrier(walk);
        gpci_branch(walk, plane + 1 < launch->n);
    }
    gpci_finish(walk);
}

static gpc_status plan_laplace(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z13GPU_laplace3diiiiPfS_", .code = laplace_code, .warp = walk_laplace};
    const uint64_t elements_of_cube = problem->size / GPCI_ELEMENT;
    while ((launch.n + 1) * (launch.n + 1) * (launch.n + 1) <= elements_of_cube)
        launch.n++;
    const uint64_t bytes = launch.n * launch.n * launch.n * GPCI_ELEMENT;
    launch.operand[FROM].base = gpci_problem_array(problem, bytes);
    launch.operand[TO].base = gpci_problem_array(problem, bytes);
    launch.shared = 3 * PLANE * GPCI_ELEMENT;
    launch.grid[0] = gpci_ceiling(launch.n, LAPLACE_BLOCK_X);
    launch.grid[1] = gpci_ceiling(launch.n, LAPLACE_BLOCK_Y);
    launch.block[0] = LAPLACE_BLOCK_X;
    launch.block[1] = LAPLACE_BLOCK_Y;
    return gpci_problem_launch(problem, &launch);
}

const gpci_synthetic gpci_synthetic_ispass_lps = {
    .name = "ispass-lps",
    .summary = "Laplace's equation in a cube, plane by plane through shared memory, as Fermi ran it; SIZE of the cube",
    .least = GPCI_ELEMENT,
    .plan = plan_laplace,
};
