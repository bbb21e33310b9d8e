/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/profile_file.h"

/*
 * Compiler-based bypassing, Xie et al. (ICCAD 2013) as seeds/001 IV.A and VI.B describe it: after a profiling run every
 * load instruction is compiled with one of two cache operators, ca (cached in L1 and L2) or cg (L2 only), for all the
 * addresses that it accesses. Here it gets cg where its U x (1 + R) is below the threshold. R counts the hits of all
 * instructions in what this one brought in, so that a load on whose lines others depend is kept. As with the operator
 * itself, a cg load does not look in L1 at all. The operator is part of the instruction: no storage.
 *
 * A profile knows an instruction by its kernel's name and its pc. Launch n of the profiled trace is taken for launch n
 * here; where the profile had fewer launches, or the host counts none, instructions of one pc are taken together.
 *
 * Example: of two loads, one streams with U = 0.25 and R = 0, the other takes two lines of which it uses half, and is
 * followed by a third load that uses the other halves. 0.25 < 1: cg. 0.5 x (1 + 1) = 1: ca.
 */

#define ANY UINT32_MAX /* kernel of the entries that stand for all instructions of one pc */

typedef struct entry {
    uint64_t pc;
    uint64_t used, moved, fills, reuses, hits; /* as in gpc_profile_counts; used: as `use` says */
    uint32_t kernel;
    bool taken, cg;
} entry;

typedef struct compiler_state {
    gpci_profile_share *share;
    gpc_context *context;
    entry *entries; /* [mask + 1], open addressing, at most half full */
    size_t mask;
    uint32_t *launches; /* [launch_count], kernel of each */
    uint64_t launch_count;
} compiler_state;

static const gpc_parameter parameters[] = {
    {"threshold", 1, 0, 1e12, false, "U x (1 + R) below which an instruction bypasses (Eq. 1: 1)"},
};

/* The entry of an instruction, or the free one where it belongs. */
static entry *entry_of(const compiler_state *state, uint32_t kernel, uint64_t pc) {
    size_t slot = (size_t)(gpci_hash(pc + kernel * 0xd1342543de82ef95u) >> 20) & state->mask;
    while (state->entries[slot].taken && (state->entries[slot].pc != pc || state->entries[slot].kernel != kernel))
        slot = (slot + 1) & state->mask;
    return &state->entries[slot];
}

static void add(compiler_state *state, uint32_t kernel, const gpc_profile_instruction *row, uint32_t use) {
    entry *e = entry_of(state, kernel, row->pc);
    e->pc = row->pc;
    e->kernel = kernel;
    e->taken = true;
    e->used += use == GPCI_USE_BYTES ? row->counts.bytes_used : row->counts.segments * GPCI_SEGMENT;
    e->moved += row->counts.bytes_moved;
    e->fills += row->counts.fills;
    e->reuses += row->counts.reuses;
    e->hits += row->counts.hits;
}

static void decide(entry *e, double threshold) {
    e->cg = e->taken && gpci_profile_score_of(e->used, e->moved, e->fills, e->reuses, e->hits) < threshold;
}

static gpc_status fill(compiler_state *state, gpc_profile *profile, double threshold, uint32_t use) {
    const gpc_profile_instruction *rows;
    size_t count, launch_count, slots = 16;
    const uint32_t *launches = gpci_profile_launches(profile, &launch_count);
    gpc_status status = gpc_profile_instructions(profile, &rows, &count);
    if (status < 0)
        return status;
    while (slots < count * 4) /* each twice */
        slots *= 2;
    state->mask = slots - 1;
    state->launch_count = launch_count;
    state->entries = gpci_zalloc(state->context, slots, sizeof *state->entries);
    state->launches = gpci_zalloc(state->context, launch_count, sizeof *state->launches);
    if (!state->entries || !state->launches)
        return GPC_ERROR_MEMORY;
    for (size_t i = 0; i < launch_count; i++)
        state->launches[i] = launches[i];
    for (size_t i = 0; i < count; i++) {
        add(state, rows[i].kernel_index, &rows[i], use);
        add(state, ANY, &rows[i], use);
    }
    for (size_t i = 0; i <= state->mask; i++)
        decide(&state->entries[i], threshold);
    return GPC_OK;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    compiler_state *state = self;
    gpc_profile *profile;
    gpc_status status = gpci_profile_take(env, 0, message, &profile);
    if (status < 0)
        return status;
    state->share = env->shared_state;
    state->context = env->context;
    status = fill(state, profile, env->parameters[0], env->words[GPCI_PROFILE_USE]);
    if (status == GPC_OK) {
        gpci_profile_taken(env);
        return GPC_OK;
    }
    gpci_free(state->context, state->entries);
    gpci_free(state->context, state->launches);
    gpci_profile_left(state->share);
    return status;
}

static void finish(void *self) {
    compiler_state *state = self;
    gpci_free(state->context, state->entries);
    gpci_free(state->context, state->launches);
    gpci_profile_left(state->share);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    const compiler_state *state = self;
    (void)set;
    if (request->kind != GPC_LOAD)
        return;
    uint64_t launch = (uint64_t)request->kernel - 1; /* 0 wraps, beyond all */
    uint32_t kernel = launch < state->launch_count ? state->launches[launch] : ANY;
    if (entry_of(state, kernel, request->pc)->cg)
        prediction->decision = GPC_BYPASS;
}

const gpc_predictor_ops gpci_compiler = {
    .struct_size = sizeof(gpc_predictor_ops),
    .name = "compiler",
    .summary = "each load instruction is cached or not, by what a profile says of it",
    .source = "seeds/001 sections IV.A, VI.B; Xie et al., ICCAD 2013",
    .instance_bytes = sizeof(compiler_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .before_lookup = true,
    .init = init,
    .finish = finish,
    .predict = predict,
    .texts = gpci_profile_texts,
    .text_count = GPCI_PROFILE_TEXTS,
    .shared_bytes = sizeof(gpci_profile_share),
};
