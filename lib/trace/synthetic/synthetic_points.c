/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

/*
 * Two of Rodinia's programs on points (Che et al., IISWC 2009), compiled for Fermi, without unrolling.
 *
 * kmeans: invert_mapping copies points of `features` floats, one point behind another, to an array for each feature. A
 * load of a warp touches 32 lines, and the loads of the next features touch the same lines. kmeansPoint then computes
 * the distance of each point from each cluster. The program reads features as a texture and clusters as constants; here
 * features are loads, side by side. With texture=0 the program is that of Rogers, O'Connor and Aamodt (MICRO 2012;
 * rodinia-kmn-no-tex of gpgpu-sim_simulations), named in seeds/004 as the source of its KMN. No array is inverted.
 * kmeansPoint loads points in their order, one behind another, and clusters, without textures; its grid is square.
 *
 * nn: euclid computes the distance of each record from one place. The published problem has 42,764 records, 342,112
 * bytes.
 */

#define RECORD_BYTES 8u /* latitude, longitude */

/* Addresses: R10 feature of the point, R12 feature in the arrays of features. */
static const char invert_code[] =
    "R1 MOV; R2 MOV; R5 S2R; R6 S2R; R7 S2R; R8 IMAD R6 R5 R7; R3 MOV; P0 ISETP.GE.AND R8 R3; @P0 EXIT; R4 MOV;"
    "R9 IMAD R8 R4; R9 SHF.L.U32 R9; R10 IADD3 R1 R9; R11 SHF.L.U32 R8; R12 IADD3 R2 R11; R13 SHF.L.U32 R3; R14 MOV;"
    "step: R15 LDG.E R10; STG.E R12 R15; R10 IADD3 R10; R12 IADD3 R12 R13; R14 IADD3 R14; P1 ISETP.LT.AND R14 R4;"
    "@P1 BRA step; EXIT";

static void walk_invert(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first, point = launch->steps * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t step = 0; step < launch->steps; step++) {
        gpci_access(walk, launch->operand[0].base + thread * point + step * GPCI_ELEMENT, point);
        gpci_access(walk, launch->operand[1].base + (step * launch->n + thread) * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_branch(walk, step + 1 < launch->steps);
    }
    gpci_finish(walk);
}

/*
 * R9 nearest cluster, R10 distance of R9, R11 distance of the present cluster. Addresses: R12 feature of the point, R15
 * feature of the cluster.
 */
static const char point_code[] =
    "R1 MOV; R5 S2R; R6 S2R; R7 S2R; R8 IMAD R6 R5 R7; R3 MOV; P0 ISETP.GE.AND R8 R3; @P0 EXIT; R2 MOV; R4 MOV;"
    "R9 MOV; R10 MOV; R13 SHF.L.U32 R3; R5 MOV; R15 MOV;"
    "cluster: R11 MOV; R14 MOV; R12 SHF.L.U32 R8; R12 IADD3 R1 R12;"
    "step: R6 LDG.E R12; R7 LDC R15; R6 FADD R6 R7; R11 FFMA R6 R6 R11; R12 IADD3 R12 R13; R15 IADD3 R15;"
    "R14 IADD3 R14; P1 ISETP.LT.AND R14 R4; @P1 BRA step;"
    "P2 FSETP.LT.AND R11 R10; R10 SEL R11 R10 P2; R9 SEL R5 R9 P2; R5 IADD3 R5; P3 ISETP.LT.AND R5 R2;"
    "@P3 BRA cluster; R12 SHF.L.U32 R8; R12 IADD3 R12; STG.E R12 R9; EXIT";

static void walk_point(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t cluster = 0; cluster < launch->repeats; cluster++) {
        for (uint64_t step = 0; step < launch->steps; step++) {
            gpci_access(walk, launch->operand[1].base + (step * launch->n + thread) * GPCI_ELEMENT, GPCI_ELEMENT);
            gpci_branch(walk, step + 1 < launch->steps);
        }
        gpci_branch(walk, cluster + 1 < launch->repeats);
    }
    gpci_access(walk, launch->operand[2].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

/* Registers of point_code. A point's features lie side by side, and R15 is an address in global memory. */
static const char row_code[] =
    "R1 MOV; R5 S2R; R6 S2R; R7 S2R; R8 S2R; R6 IMAD R8 R6 R5; R8 IMAD R6 R5 R7; R3 MOV;"
    "P0 ISETP.GE.AND R8 R3; @P0 EXIT; R2 MOV; R4 MOV; R9 MOV; R10 MOV; R13 IMAD R8 R4; R13 LEA R13 R1; R5 MOV; R15 MOV;"
    "cluster: R11 MOV; R14 MOV; R12 MOV R13;"
    "step: R6 LDG.E R12; R7 LDG.E R15; R6 FADD R6 R7; R11 FFMA R6 R6 R11; R12 IADD3 R12; R15 IADD3 R15;"
    "R14 IADD3 R14; P1 ISETP.LT.AND R14 R4; @P1 BRA step;"
    "P2 FSETP.LT.AND R11 R10; R10 SEL R11 R10 P2; R9 SEL R5 R9 P2; R5 IADD3 R5; P3 ISETP.LT.AND R5 R2;"
    "@P3 BRA cluster; R12 SHF.L.U32 R8; R12 IADD3 R12; STG.E R12 R9; EXIT";

static void walk_row(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = (walk->y * launch->grid[0] + walk->x) * GPCI_THREADS + walk->first,
                   point = launch->steps * GPCI_ELEMENT;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t cluster = 0; cluster < launch->repeats; cluster++) {
        for (uint64_t step = 0; step < launch->steps; step++) {
            gpci_access(walk, launch->operand[0].base + thread * point + step * GPCI_ELEMENT, point);
            gpci_access(walk, launch->operand[3].base + (cluster * launch->steps + step) * GPCI_ELEMENT, 0);
            gpci_branch(walk, step + 1 < launch->steps);
        }
        gpci_branch(walk, cluster + 1 < launch->repeats);
    }
    gpci_access(walk, launch->operand[2].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

/* Add the only launch of the program without textures, with a square grid. */
static gpc_status plan_rows(gpci_problem *problem, gpci_launch *launch) {
    if (problem->values[2] != 0)
        return gpci_problem_fail(problem, "parameter 'launch': there is one launch with 'texture' 0");
    launch->code = row_code;
    launch->warp = walk_row;
    launch->grid[0] = gpci_root(launch->grid[0] - 1) + 1;
    launch->grid[1] = launch->grid[0];
    launch->operand[3].base = gpci_problem_array(problem, launch->repeats * launch->steps * GPCI_ELEMENT);
    return gpci_problem_launch(problem, launch);
}

static gpc_status plan_kmeans(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z14invert_mappingPfS_ii", .code = invert_code, .warp = walk_invert};
    launch.steps = (uint64_t)problem->values[0];
    launch.repeats = (uint64_t)problem->values[1];
    launch.n = problem->size / GPCI_ELEMENT / launch.steps;
    if (!launch.n)
        return gpci_problem_fail(problem, "%llu bytes are less than a point of %llu features",
                                 (unsigned long long)problem->size, (unsigned long long)launch.steps);
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operand[0].base = gpci_problem_array(problem, launch.n * launch.steps * GPCI_ELEMENT);
    launch.operand[1].base = gpci_problem_array(problem, launch.n * launch.steps * GPCI_ELEMENT);
    launch.operand[2].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    const bool texture = problem->values[3] != 0;
    gpc_status status = texture && problem->values[2] != 2 ? gpci_problem_launch(problem, &launch) : GPC_OK;
    launch.name = "_Z11kmeansPointPfiiiPiS_S_S0_";
    if (!texture)
        return plan_rows(problem, &launch);
    launch.code = point_code;
    launch.warp = walk_point;
    return status == GPC_OK && problem->values[2] != 1 ? gpci_problem_launch(problem, &launch) : status;
}

/*
 * R4 address of the record, R6 and R7 coordinates of the record. As in nvcc's PTX, the first coordinate is used before
 * the second is loaded.
 */
static const char euclid_code[] =
    "R1 MOV; R0 S2R; R2 S2R; R3 S2R; R0 IMAD R2 R3 R0; P0 ISETP.GE.AND R0 R1; @P0 EXIT; R4 LEA R0 R1; R6 LDG.E R4;"
    "R6 FADD R6; R7 LDG.E R4; R7 FADD R7; R7 FMUL R7 R7; R6 FFMA R6 R6 R7; R6 MUFU.RSQ R6; R5 LEA R0 R1; STG.E R5 R6;"
    "EXIT";

static void walk_euclid(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * GPCI_THREADS + walk->first,
                   record = launch->operand[0].base + thread * RECORD_BYTES;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    gpci_access(walk, record, RECORD_BYTES);
    gpci_access(walk, record + GPCI_ELEMENT, RECORD_BYTES);
    gpci_access(walk, launch->operand[1].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(walk);
}

static gpc_status plan_nn(gpci_problem *problem) {
    gpci_launch launch = {.name = "_Z6euclidP7latLongPfiff", .code = euclid_code, .warp = walk_euclid};
    launch.n = problem->size / RECORD_BYTES;
    launch.grid[0] = gpci_ceiling(launch.n, GPCI_THREADS);
    launch.block[0] = GPCI_THREADS;
    launch.operand[0].base = gpci_problem_array(problem, launch.n * RECORD_BYTES);
    launch.operand[1].base = gpci_problem_array(problem, launch.n * GPCI_ELEMENT);
    return gpci_problem_launch(problem, &launch);
}

const gpci_synthetic gpci_synthetic_rodinia_nn = {
    .name = "rodinia-nn",
    .summary = "nn's distances of all records from one place, as Fermi ran it; SIZE of the records, 8 bytes each",
    .least = RECORD_BYTES,
    .plan = plan_nn,
};

static const gpc_parameter kmeans_parameters[] = {
    {"features", 34, 1, 4096, true, "of a point"},
    {"clusters", 5, 1, 4096, true, "that points are measured against"},
    {"launch", 0, 0, 2, true, "1: invert_mapping alone, 2: kmeansPoint alone; 0: both"},
    {"texture", 1, 0, 1, true, "0: kmeansPoint alone, of points as they lie and of clusters in global memory"},
};

const gpci_synthetic gpci_synthetic_rodinia_kmeans = {
    .name = "rodinia-kmeans",
    .summary = "k-means as Fermi ran it: points are turned into arrays of features, then measured; SIZE of the points "
               "(features=34, clusters=5, launch=0: both, texture=1)",
    .least = GPCI_ELEMENT,
    .parameters = kmeans_parameters,
    .parameter_count = 4,
    .plan = plan_kmeans,
};
