/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_mars.h"

/*
 * SimilarityScore of Mars (synthetic_mars.h, map.cu): cosine of two documents' feature vectors. The records are pairs
 * (0, 1), (0, 2), ... (1, 2), ... A thread walks over both rows by float4. The first row is the same for most lanes.
 * The second row differs for each lane: a warp accesses the same 32 lines in eight steps. run.sh has 1,024 documents of
 * 256 features.
 */

#define VECTOR 16u

/* R2 and R3 documents, R4 and R5 rows, R6 vectors left, R7 to R9 product and both squares. */
static const char score_code[] = GPCI_MARS_MAPPER
    "R8 LDG.E.64 R4; R2 LDG.E R5; R3 LDG.E R5; R10 LDG.E R5; R4 IMAD R2 R10 R8; R5 IMAD R3 R10 R8; R6 SHF.R R10;"
    "R7 MOV R255; R8 MOV R255; R9 MOV R255;"
    "four: R12 LDG.E.128 R4; R16 LDG.E.128 R5; 4*{R7 FFMA R12 R16 R7; R8 FFMA R12 R12 R8; R9 FFMA R16 R16 R9};"
    "R4 IADD3 R4; R5 IADD3 R5; R6 IADD3 R6; P0 ISETP.NE.AND R6 R255; @P0 BRA four; R8 MUFU.RSQ R8; R9 MUFU.RSQ R9;"
    "R7 FMUL R7 R8; R7 FMUL R7 R9; R14 IMAD R0; STS R14 R7; STS R14 R2; STS R14 R3;  "
    "BAR.SYNC.DEFER_BLOCKING;" GPCI_MARS_EMIT(GPCI_MARS_SHARED(4, "R16"), GPCI_MARS_SHARED(8, "R17")) "EXIT";

/* Number of pairs before the pairs of a first document. */
static uint64_t pairs_before(uint64_t first, uint64_t documents) {
    return first * (2 * documents - first - 1) / 2;
}

/* First document of a pair: the last document whose pairs begin at or before `pair`. */
static uint64_t first_of(uint64_t pair, uint64_t documents) {
    uint64_t first = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if (first + bit < documents && pairs_before(first + bit, documents) <= pair)
            first += bit;
    return first;
}

static void walk_score(gpci_walk *walk, const gpci_launch *launch) {
    gpci_mars_scan s = {0};
    uint64_t a[GPCI_SYNTHETIC_LANES] = {0}, b[GPCI_SYNTHETIC_LANES] = {0};
    if (!gpci_mars_enter(walk, launch, &s))
        return;
    GPCI_FOR_LANES(lane, walk->mask) {
        uint64_t pair = s.thread + lane, first = first_of(pair, launch->rows);
        a[lane] = first * launch->columns * GPCI_ELEMENT;
        b[lane] = (first + 1 + pair - pairs_before(first, launch->rows)) * launch->columns * GPCI_ELEMENT;
    }
    gpci_mars_key(walk, launch, &s, 0);
    for (uint64_t field = 0; field < 3; field++)
        gpci_mars_value(walk, launch, &s, field * GPCI_ELEMENT);
    for (uint64_t step = 0; step < launch->stride; step++) {
        gpci_access_at(walk, gpci_mars_of(launch)->text + step * VECTOR, a);
        gpci_access_at(walk, gpci_mars_of(launch)->text + step * VECTOR, b);
        gpci_branch(walk, step + 1 < launch->stride);
    }
    for (uint64_t field = 0; field < 3; field++)
        gpci_access(walk, gpci_mars_scratch(walk) + field * GPCI_ELEMENT, GPCI_MARS_SLOT);
    gpci_barrier(walk);
    gpci_mars_emit(walk, launch, &s, a);
    gpci_mars_copy(walk, gpci_mars_scratch(walk), GPCI_ELEMENT, gpci_mars_of(launch)->interKeys, s.key_bytes);
    gpci_mars_copy(walk, gpci_mars_scratch(walk) + GPCI_ELEMENT, 2 * GPCI_ELEMENT, gpci_mars_of(launch)->interVals, a);
    gpci_mars_emitted(walk, launch, &s, NULL);
    gpci_finish(walk);
}

static const gpci_mars_map score = {score_code, walk_score, 8, 16, 4, 8};

static gpc_status plan_score(gpci_problem *problem) {
    gpci_launch launch = {.columns = (uint64_t)problem->values[0]};
    launch.rows = problem->size / GPCI_ELEMENT / launch.columns;
    launch.stride = launch.columns * GPCI_ELEMENT / VECTOR;
    if (launch.columns * GPCI_ELEMENT % VECTOR)
        return gpci_problem_fail(problem, "parameter 'features': %llu is no multiple of 4",
                                 (unsigned long long)launch.columns);
    if (launch.rows < 2)
        return gpci_problem_fail(problem, "%llu bytes are less than two documents of %llu features",
                                 (unsigned long long)problem->size, (unsigned long long)launch.columns);
    uint64_t most = (uint64_t)problem->values[1], all = pairs_before(launch.rows - 1, launch.rows);
    launch.n = most && most < all ? most : all;
    if (launch.n > GPCI_SYNTHETIC_MAXIMUM / GPCI_MARS_SIZES)
        return gpci_problem_fail(problem, "%llu pairs are more than %llu", (unsigned long long)launch.n,
                                 (unsigned long long)(GPCI_SYNTHETIC_MAXIMUM / GPCI_MARS_SIZES));
    gpci_mars *m = gpci_mars_numbers(problem, &launch, launch.n);
    if (!m)
        return GPC_ERROR_MEMORY;
    for (uint64_t pair = 0; pair <= launch.n; pair++) {
        m->first[pair] = (uint32_t)pair;
        m->keys[pair] = (uint32_t)pair * score.key_result;
    }
    return gpci_mars_plan(problem, &launch, &score, m, launch.rows * launch.columns * GPCI_ELEMENT, 0);
}

static const gpc_parameter score_parameters[] = {
    {"features", 256, 4, 65536, true, "of a document, a multiple of 4"},
    {"pairs", 65536, 0, 1e9, true, "the first of them; 0: all"},
};

const gpci_synthetic gpci_synthetic_similarity_score = {
    .name = "similarity-score",
    .summary = "cosines of pairs of documents, a pair for each thread; SIZE of the documents' features (features=256, "
               "pairs=65536)",
    .least = 2 * VECTOR,
    .parameters = score_parameters,
    .parameter_count = 2,
    .plan = plan_score,
};
