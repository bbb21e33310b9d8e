/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Temperatures of a chip, as in Rodinia's hotspot (Che et al., IISWC 2009; calculate_temp), compiled for Fermi. Blocks
 * of 16 x 16 load their part of temperatures and power into shared memory, compute two steps there, and write the 12 x
 * 12 cells valid after both steps. Parts of neighbouring blocks therefore overlap by four, and rows begin at any place.
 * Threads beyond the chip load nothing; neighbours beyond the chip are replaced by the chip's border. The
 * published problem has 512 x 512 cells, 1 MiB, and one launch for each two steps.
 */

#define HEAT_SIDE 16u
#define HEAT_STEPS 2u
#define HEAT_KEPT (HEAT_SIDE - 2 * HEAT_STEPS)
#define HEAT_PATCH (HEAT_SIDE * HEAT_SIDE * GPCI_ELEMENT)

/* R4 address on the chip, R6 address in shared memory. R8 temperature, R9 to R12 its neighbours, R13 power. */
static const char heat_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R5 S2R; R4 IMAD R2 R1 R3; R4 IADD3 R4 R0; R6 LEA R3 R0; P0 ISETP.GE.AND R4;"
    "@P0 BRA ready; R8 LDG.E R4; STS R6 R8; R13 LDG.E R4; STS R6 R13; ready: BAR.SYNC.DEFER_BLOCKING; R7 MOV;"
    "step: P1 ISETP.GE.AND R0 R7; P1 ISETP.GE.OR R3 R7 P1; @P1 BRA computed; R8 LDS R6; R13 LDS R6; R9 LDS R6;"
    "R10 LDS R6; R11 LDS R6; R12 LDS R6; R14 FADD R9 R10; R14 FFMA R8 R14; R15 FADD R11 R12; R15 FFMA R8 R15;"
    "R14 FMUL R14; R14 FFMA R15 R14; R14 FADD R14 R13; R8 FFMA R14 R8; STS R6 R8; computed: BAR.SYNC.DEFER_BLOCKING;"
    "P2 ISETP.EQ.AND R7; @P2 BRA last; P1 ISETP.GE.AND R0 R7; @P1 BRA kept; R8 LDS R6; STS R6 R8;"
    "kept: BAR.SYNC.DEFER_BLOCKING; R7 IADD3 R7; P2 ISETP.LT.AND R7; @P2 BRA step;"
    "last: P1 ISETP.GE.AND R0 R7; @P1 EXIT; R8 LDS R6; STG.E R4 R8; EXIT";

/* Operands, then arrays in shared memory. FROM and TO: temperatures. `n` of the launch: cells along a side. */
enum { POWER, FROM, TO };
enum { TEMPERATURE, GIVEN, MADE }; /* GIVEN: power; MADE: temperatures after a step */

/* Offsets of the lanes' cells, on the chip and in shared memory; masks of lanes on the chip, and active in a step. */
typedef struct heat {
    uint64_t chip[GPCI_SYNTHETIC_LANES], cell[GPCI_SYNTHETIC_LANES];
    uint64_t neighbours[4][GPCI_SYNTHETIC_LANES]; /* above, below, left, right, within chip and patch */
    uint64_t there, in_step[HEAT_STEPS];
} heat;

static int64_t clamped(int64_t at, int64_t low, int64_t high) {
    return at < low ? low : at > high ? high : at;
}

static uint64_t cell_at(int64_t x, int64_t y) {
    return ((uint64_t)y * HEAT_SIDE + (uint64_t)x) * GPCI_ELEMENT;
}

static void place_heat(const gpci_walk *walk, const gpci_launch *launch, heat *grid) {
    const int64_t n = (int64_t)launch->n, x0 = (int64_t)(walk->x * HEAT_KEPT) - HEAT_STEPS;
    const int64_t y0 = (int64_t)(walk->y * HEAT_KEPT) - HEAT_STEPS, side = HEAT_SIDE;
    const int64_t x1 = clamped(-x0, 0, side - 1), x2 = clamped(n - 1 - x0, 0, side - 1);
    const int64_t y1 = clamped(-y0, 0, side - 1), y2 = clamped(n - 1 - y0, 0, side - 1);
    *grid = (heat){0};
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const int64_t x = (int64_t)walk->tx[lane], y = (int64_t)walk->ty[lane];
        const bool there = x >= x1 && x <= x2 && y >= y1 && y <= y2;
        grid->there |= (uint64_t)there << lane;
        for (int64_t s = 0; s < HEAT_STEPS; s++) {
            const bool inside = x > s && x < side - 1 - s && y > s && y < side - 1 - s;
            grid->in_step[s] |= (uint64_t)(there && inside) << lane;
        }
        grid->chip[lane] = there ? (uint64_t)((y0 + y) * n + x0 + x) * GPCI_ELEMENT : 0;
        grid->cell[lane] = cell_at(x, y);
        grid->neighbours[0][lane] = cell_at(x, clamped(y - 1, y1, y2));
        grid->neighbours[1][lane] = cell_at(x, clamped(y + 1, y1, y2));
        grid->neighbours[2][lane] = cell_at(clamped(x - 1, x1, x2), y);
        grid->neighbours[3][lane] = cell_at(clamped(x + 1, x1, x2), y);
    }
}

static uint64_t heat_array(unsigned which) {
    return GPCI_SHARED_BASE + which * HEAT_PATCH;
}

static void walk_heat_step(gpci_walk *walk, const heat *grid, unsigned step) {
    if (gpci_if(walk, walk->mask & grid->in_step[step])) {
        gpci_access_at(walk, heat_array(TEMPERATURE), grid->cell);
        gpci_access_at(walk, heat_array(GIVEN), grid->cell);
        for (unsigned k = 0; k < 4; k++)
            gpci_access_at(walk, heat_array(TEMPERATURE), grid->neighbours[k]);
        gpci_access_at(walk, heat_array(MADE), grid->cell);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
}

static void walk_heat(gpci_walk *walk, const gpci_launch *launch) {
    heat grid;
    place_heat(walk, launch, &grid);
    if (gpci_if(walk, walk->mask & grid.there))
        for (unsigned array = TEMPERATURE; array <= GIVEN; array++) {
            gpci_access_at(walk, launch->operand[array == GIVEN ? POWER : FROM].base, grid.chip);
            gpci_access_at(walk, heat_array(array), grid.cell);
        }
    gpci_end_if(walk);
    gpci_barrier(walk);
    for (unsigned step = 0; step < HEAT_STEPS; step++) {
        walk_heat_step(walk, &grid, step);
        if (gpci_branch(walk, step + 1 == HEAT_STEPS))
            break;
        if (gpci_if(walk, walk->mask & grid.in_step[step])) {
            gpci_access_at(walk, heat_array(MADE), grid.cell);
            gpci_access_at(walk, heat_array(TEMPERATURE), grid.cell);
        }
        gpci_end_if(walk);
        gpci_barrier(walk);
        gpci_branch(walk, true);
    }
    if (!gpci_guard(walk, grid.in_step[HEAT_STEPS - 1] & walk->all))
        return;
    gpci_access_at(walk, heat_array(MADE), grid.cell);
    gpci_access_at(walk, launch->operand[TO].base, grid.chip);
    gpci_finish(walk);
}

static gpc_status plan_hotspot(gpci_problem *problem) {
    gpci_launch l = {.name = "_Z14calculate_tempiPfS_S_iiiiffffff", .code = heat_code, .warp = walk_heat};
    l.n = gpci_root(problem->size / GPCI_ELEMENT);
    for (unsigned k = POWER; k <= TO; k++)
        l.operand[k].base = gpci_problem_array(problem, l.n * l.n * GPCI_ELEMENT);
    l.shared = 3 * HEAT_PATCH;
    l.grid[0] = l.grid[1] = gpci_ceiling(l.n, HEAT_KEPT);
    l.block[0] = l.block[1] = HEAT_SIDE;
    gpc_status status = GPC_OK;
    for (uint64_t launch = 0; status == GPC_OK && launch < (uint64_t)problem->values[0]; launch++) {
        status = gpci_problem_launch(problem, &l);
        const gpci_operand from = l.operand[FROM];
        l.operand[FROM] = l.operand[TO];
        l.operand[TO] = from;
    }
    return status;
}

static const gpc_parameter hotspot_parameters[] = {
    {"launches", 1, 1, GPCI_SYNTHETIC_LAUNCHES, true, "of two steps each"},
};

const gpci_synthetic gpci_synthetic_rodinia_hotspot = {
    .name = "rodinia-hotspot",
    .summary = "temperatures of a chip, two steps a launch, as Fermi ran it; SIZE of the temperatures (launches=1)",
    .least = GPCI_ELEMENT,
    .parameters = hotspot_parameters,
    .parameter_count = 1,
    .plan = plan_hotspot,
};
