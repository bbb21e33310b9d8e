/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"
#include "policies/predictor/profile_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Compiler-based bypassing, Xie et al. (ICCAD 2013) as seeds/001 IV.A and VI.B describe. After a profiling run every
 * load instruction is compiled with one of two cache operators for all its addresses: ca (cached in L1 and L2) or cg
 * (L2 only). Here an instruction gets cg if its U x (1 + R) is below the threshold. R counts the hits of all
 * instructions on lines filled by this instruction: a load is kept if other loads depend on its lines. As with the
 * operator, a cg load does not look in L1. The operator is part of the instruction and takes no storage.
 *
 * The loads may also be named, for a search by runs with some loads on cg (Table 3 counts such runs): `loads = 0+3`,
 * numbers of the profile's rows.
 *
 * A profile identifies an instruction by its kernel's name and its pc. Launch n here corresponds to launch n of the
 * profiled trace. If the profile had fewer launches, or the host counts no launches, all instructions with the pc are
 * taken together.
 *
 * Example, two loads: the first streams with U = 0.25 and R = 0. The second loads two lines and uses half of each; a
 * third load uses the other halves. First: 0.25 < 1, cg. Second: 0.5 x (1 + 1) = 1, ca.
 */

#define ANY UINT32_MAX /* `kernel` of an entry that sums the instructions with the pc in all kernels */

typedef struct instruction_entry {
    uint64_t pc;
    /* sums of gpc_profile_counts; used: bytes used, or bytes of the touched segments, as `use` says */
    uint64_t used, moved, fills, reuses, hits;
    uint32_t kernel;
    bool cg;
} instruction_entry;

enum { LOADS = GPCI_PROFILE_TEXTS, TEXTS }; /* LOADS: index of the text parameter after GPCI_PROFILE_TEXT_ROWS */

static const gpc_text_parameter texts[] = {
    GPCI_PROFILE_TEXT_ROWS,
    {"loads", "", NULL,
     "instead of a threshold: the loads that bypass, numbers from 0 of the profile's instructions in order, 0+3"},
};

typedef struct compiler_state {
    gpci_profile_share *share;
    gpc_context *context;
    instruction_entry *entries; /* [entry_count] */
    uint32_t entry_count;
    gpci_slots slots;   /* index of `entries` by kernel and pc */
    uint32_t *launches; /* [launch_count]: kernel of the launch */
    uint64_t launch_count;
} compiler_state;

static const gpc_parameter parameters[] = {
    {"threshold", 1, 0, 1e12, false, "U x (1 + R) below which an instruction bypasses (Eq. 1: 1)"},
};

typedef struct entry_key {
    uint64_t pc;
    uint32_t kernel;
} entry_key;

static uint64_t hash_of(uint32_t kernel, uint64_t pc) {
    return gpci_hash(pc + kernel * 0xd1342543de82ef95u);
}

static bool same_entry(const void *entries, uint32_t index, const void *key) {
    const instruction_entry *known = (const instruction_entry *)entries + index;
    const entry_key *wanted = key;
    return known->pc == wanted->pc && known->kernel == wanted->kernel;
}

static uint64_t hash_of_entry(const void *entries, uint32_t index) {
    const instruction_entry *known = (const instruction_entry *)entries + index;
    return hash_of(known->kernel, known->pc);
}

/* Entry of an instruction, or NULL. */
static instruction_entry *instruction_entry_of(const compiler_state *state, uint32_t kernel, uint64_t pc) {
    const entry_key key = {pc, kernel};
    uint32_t index = gpci_slots_find(&state->slots, state->entries, hash_of(kernel, pc), &key, same_entry);
    return index == GPCI_NO_ENTRY ? NULL : &state->entries[index];
}

static void add(compiler_state *state, uint32_t kernel, const gpc_profile_instruction *row, uint32_t use) {
    instruction_entry *entry = instruction_entry_of(state, kernel, row->pc);
    if (!entry) {
        gpci_slots_add(&state->slots, hash_of(kernel, row->pc), state->entry_count);
        entry = &state->entries[state->entry_count++];
        entry->pc = row->pc;
        entry->kernel = kernel;
    }
    entry->used += use == GPCI_USE_BYTES ? row->counts.bytes_used : row->counts.segments * GPCI_SEGMENT;
    entry->moved += row->counts.bytes_moved;
    entry->fills += row->counts.fills;
    entry->reuses += row->counts.reuses;
    entry->hits += row->counts.hits;
}

static void decide(instruction_entry *entry, double threshold) {
    entry->cg = gpci_profile_score_of(entry->used, entry->moved, entry->fills, entry->reuses, entry->hits) < threshold;
}

/* Give the operator cg to the loads of a list `0+3` (indices of `rows`). */
static gpc_status name_loads(compiler_state *state, const gpc_profile_instruction *rows, size_t count, const char *list,
                             char *message) {
    for (const char *at = list;; at++) {
        char *end;
        const unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : ULONG_MAX;
        if (number >= count || (*end && *end != '+')) {
            snprintf(message, GPCI_PROFILE_MESSAGE,
                     "parameter 'loads' is numbers joined by +, each below %zu, the profile's loads: '%.100s'", count,
                     list);
            return GPC_ERROR_ARGUMENT;
        }
        instruction_entry_of(state, rows[number].kernel_index, rows[number].pc)->cg = true;
        instruction_entry_of(state, ANY, rows[number].pc)->cg = true;
        if (!*(at = end))
            return GPC_OK;
    }
}

static gpc_status choose(compiler_state *state, const gpc_policy_env *env, const gpc_profile_instruction *rows,
                         size_t count, char *message) {
    const double threshold = env->parameters[0];
    if (!env->texts[LOADS][0]) {
        for (uint32_t i = 0; i < state->entry_count; i++)
            decide(&state->entries[i], threshold);
        return GPC_OK;
    }
    if (threshold == parameters[0].initial && env->words[GPCI_PROFILE_USE] == GPCI_USE_BYTES)
        return name_loads(state, rows, count, env->texts[LOADS], message);
    snprintf(message, GPCI_PROFILE_MESSAGE, "parameters 'threshold' and 'use' have no effect beside 'loads'");
    return GPC_ERROR_ARGUMENT;
}

static gpc_status fill(compiler_state *state, gpc_profile *profile, const gpc_policy_env *env, char *message) {
    const gpc_profile_instruction *rows;
    const uint32_t use = env->words[GPCI_PROFILE_USE];
    size_t count, launch_count;
    const uint32_t *launches = gpci_profile_launches(profile, &launch_count);
    gpc_status status = gpc_profile_instructions(profile, &rows, &count, NULL);
    if (status < 0)
        return status;
    state->launch_count = launch_count;
    /* a row needs at most two entries: for the row's kernel and pc, and for the row's pc in ANY kernel */
    state->entries = gpci_zalloc(state->context, count, 2 * sizeof *state->entries);
    state->launches = gpci_zalloc(state->context, launch_count, sizeof *state->launches);
    if (!state->entries || !state->launches || count > GPCI_MOST_ENTRIES ||
        !gpci_slots_reserve(state->context, &state->slots, state->entries, 0, 2 * count, hash_of_entry))
        return GPC_ERROR_MEMORY;
    for (size_t i = 0; i < launch_count; i++)
        state->launches[i] = launches[i];
    for (size_t i = 0; i < count; i++) {
        add(state, rows[i].kernel_index, &rows[i], use);
        add(state, ANY, &rows[i], use);
    }
    return choose(state, env, rows, count, message);
}

static void drop(compiler_state *state) {
    gpci_free(state->context, state->entries);
    gpci_slots_free(state->context, &state->slots);
    gpci_free(state->context, state->launches);
    gpci_profile_left(state->share);
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    compiler_state *state = self;
    gpc_profile *profile;
    gpc_status status = gpci_profile_take(env, 0, message, &profile);
    if (status < 0)
        return status;
    state->share = env->shared_state;
    state->context = env->context;
    status = fill(state, profile, env, message);
    if (status == GPC_OK) {
        gpci_profile_taken(env);
        return GPC_OK;
    }
    drop(state);
    return status;
}

static void finish(void *self) {
    drop(self);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    const compiler_state *state = self;
    (void)set;
    if (request->kind != GPC_LOAD)
        return;
    uint64_t launch = (uint64_t)request->kernel - 1; /* 0 wraps around to a number beyond all launches */
    uint32_t kernel = launch < state->launch_count ? state->launches[launch] : ANY;
    const instruction_entry *e = instruction_entry_of(state, kernel, request->pc);
    if (e && e->cg)
        prediction->decision = GPC_BYPASS;
}

const gpc_predictor_ops gpci_compiler = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
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
    .texts = texts,
    .text_count = TEXTS,
    .shared_bytes = sizeof(gpci_profile_share),
    .reads = GPC_READS_PLACE | GPC_READS_PC | GPC_READS_KERNEL | GPC_READS_KIND,
};
