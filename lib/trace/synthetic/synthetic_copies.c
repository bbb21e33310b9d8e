/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

#include <stdio.h>

/*
 * A block brings tile after tile of its part of an array into shared memory, sums them up, and stores its sums: the
 * main loop of a tiled kernel. So many tiles, the stages, are under way at once; a tile is waited for when it is
 * wanted, and its room is filled again behind a barrier.
 *
 * Example, 2 stages of 4 tiles: tiles 0 and 1 are asked for, then in turn: wait for 0, use it, ask for 2; wait for 1,
 * use it, ask for 3; 2; 3.
 */

enum { KIND_LOAD, KIND_LDGSTS, KIND_LDGSTS_BYPASS, KIND_COUNT };

#define TEXT_BYTES 1024u
#define MOST_STAGES 8
#define OUT 1u /* operand */

/* From the thread's bytes of the array to those of the tile's stage. */
static void copy(gpci_walk *w, const gpci_launch *l, uint64_t tile) {
    const uint64_t bytes = l->operand[0].thread, there = tile < l->rows ? w->all : 0;
    gpci_access_if(w, there, l->operand[0].base + (w->x * l->rows + tile) * l->operand[0].step + w->first * bytes,
                   bytes);
}

static uint64_t in_stage(const gpci_walk *w, const gpci_launch *l, uint64_t tile) {
    return GPCI_SHARED_BASE + tile % l->steps * l->operand[0].step + w->first * l->operand[0].thread;
}

static void use(gpci_walk *w, const gpci_launch *l, uint64_t tile) {
    gpci_barrier(w);
    gpci_access(w, in_stage(w, l, tile), l->operand[0].thread);
    gpci_barrier(w);
}

static void store_sums(gpci_walk *w, const gpci_launch *l) {
    const uint64_t thread = w->x * l->block[0] + w->first;
    gpci_access(w, l->operand[OUT].base + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_finish(w);
}

static void walk_asynchronous(gpci_walk *w, const gpci_launch *l) {
    for (uint64_t tile = 0; tile < l->steps; tile++) {
        copy(w, l, tile);
        gpci_branch(w, tile + 1 < l->steps);
    }
    for (uint64_t tile = 0; tile < l->rows; tile++) {
        use(w, l, tile);
        copy(w, l, tile + l->steps);
        gpci_branch(w, tile + 1 < l->rows);
    }
    store_sums(w, l);
}

/* By way of registers: a tile is there when its loads are. */
static void walk_loads(gpci_walk *w, const gpci_launch *l) {
    for (uint64_t tile = 0; tile < l->rows; tile++) {
        copy(w, l, tile);
        gpci_access(w, in_stage(w, l, tile), l->operand[0].thread);
        use(w, l, tile);
        gpci_branch(w, tile + 1 < l->rows);
    }
    store_sums(w, l);
}

#define INDEX                                                                                                         \
    "R1 LDC; R0 S2R; UR4 S2UR; R2 LDC.64; UR6 ULDC.64; R8 IMAD.SHL.U32 R0; R9 MOV R8; R10 CS2R; R2 IMAD.WIDE R0 UR4 " \
    "R2;"
#define SUMS "R6 LDC.64; R6 IMAD.WIDE R0 R6; STG.E R6 UR6 R10; EXIT"

/* Of the width that a thread copies: nothing for 4 bytes. */
static const char *suffix(uint64_t bytes) {
    return bytes == 4 ? "" : bytes == 8 ? ".64" : ".128";
}

static int write_loads(char *to, uint64_t bytes) {
    return snprintf(to, TEXT_BYTES,
                    INDEX "tile: R12 LDG.E%s R2 UR6; STS%s R8 R12; BAR.SYNC; R16 LDS%s R8; R10 FADD R10 R16; BAR.SYNC;"
                          "R2 IADD3 R2; R9 IADD3 R9; P0 ISETP.NE.AND R9; @P0 BRA tile;" SUMS,
                    suffix(bytes), suffix(bytes), suffix(bytes));
}

static int write_asynchronous(char *to, const char *through, uint64_t bytes, uint64_t stages) {
    return snprintf(to, TEXT_BYTES,
                    INDEX "fill: LDGSTS.E%s%s R8 R2 UR6; LDGDEPBAR; R2 IADD3 R2; R8 IADD3 R8; P0 ISETP.NE.AND R8;"
                          "@P0 BRA fill; tile: DEPBAR.LE %llu; BAR.SYNC; R16 LDS%s R9; R10 FADD R10 R16; BAR.SYNC;"
                          "LDGSTS.E%s%s R8 R2 UR6; LDGDEPBAR; R2 IADD3 R2; R9 IADD3 R9; P0 ISETP.NE.AND R9;"
                          "@P0 BRA tile;" SUMS,
                    through, suffix(bytes), (unsigned long long)stages - 1, suffix(bytes), through, suffix(bytes));
}

static gpc_status plan_copies(gpci_problem *p) {
    const unsigned kind = (unsigned)p->values[0];
    const uint64_t bytes = (uint64_t)p->values[1];
    gpci_launch l = {.name = "_Z9bulk_copyPKfPfi", .warp = kind ? walk_asynchronous : walk_loads};
    l.steps = (uint64_t)p->values[2];
    l.rows = (uint64_t)p->values[3];
    l.block[0] = (uint64_t)p->values[4];
    l.operand[0] = (gpci_operand){.thread = bytes, .step = bytes * l.block[0]};
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return gpci_problem_fail(p, "parameter 'bytes': %llu is neither 4, 8 nor 16", (unsigned long long)bytes);
    if (l.steps > l.rows)
        return gpci_problem_fail(p, "parameter 'stages': %llu is more than the %llu tiles", (unsigned long long)l.steps,
                                 (unsigned long long)l.rows);
    char *code = gpci_problem_data(p, TEXT_BYTES);
    if (!code)
        return GPC_ERROR_MEMORY;
    const int written = kind ? write_asynchronous(code, kind == KIND_LDGSTS ? "" : ".BYPASS", bytes, l.steps)
                             : write_loads(code, bytes);
    if (written < 0 || written >= (int)TEXT_BYTES)
        return gpci_problem_fail(p, "its listing is longer than %u characters", TEXT_BYTES);
    l.code = code;
    l.grid[0] = gpci_ceiling(p->size, l.operand[0].step * l.rows);
    l.shared = l.operand[0].step * l.steps;
    l.operand[0].base = gpci_problem_array(p, l.grid[0] * l.operand[0].step * l.rows);
    l.operand[OUT].base = gpci_problem_array(p, l.grid[0] * l.block[0] * GPCI_ELEMENT);
    return gpci_problem_launch(p, &l);
}

static const gpc_parameter copies_parameters[] = {
    {"kind", KIND_LDGSTS_BYPASS, 0, KIND_COUNT - 1, true, "0: LDG and STS; 1: LDGSTS; 2: LDGSTS.BYPASS"},
    {"bytes", 16, 4, 16, true, "that a thread copies at once: 4, 8 or 16"},
    {"stages", 3, 1, MOST_STAGES, true, "tiles under way"},
    {"tiles", 16, 1, 1 << 16, true, "of a block"},
    {"threads", 128, 32, 1024, true, "of a block"},
};

const gpci_synthetic gpci_synthetic_copies = {
    .name = "bulk-copy",
    .summary = "tiles into shared memory, each used once; SIZE of the array (kind=2: LDG and STS 0, LDGSTS 1, past L1 "
               "2; bytes=16, stages=3, tiles=16, threads=128)",
    .least = 4,
    .parameters = copies_parameters,
    .parameter_count = 5,
    .plan = plan_copies,
};
