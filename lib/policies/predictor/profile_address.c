/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"
#include "policies/predictor/profile_file.h"

/*
 * Profiling-based bypassing by address, seeds/001 IV.B. For each line address A of each SM a profile tells the reuses
 * in a residence, R, and the share of the 128 bytes used by an access, U. If U x (1 + R) < 1 (Eq. 1), 32-byte
 * transactions past L1 move fewer bytes than the line: A is on the list of its SM, and loads of A bypass. IV.B itself
 * has R "for each data address": reuse = address takes the reuses of A in the whole run, however often A is filled.
 *
 * Example, Fig. 2(b), U = 25 %: with R = 2 a residence serves three accesses of 32 bytes for 128, 0.75 < 1, bypass.
 * With R = 3 the product is 1, and A is cached. Fig. 2(c), U = 75 %: cached from R = 1 on (1.5).
 */

typedef struct address_state {
    gpci_profile_share *share;
    gpc_context *context;
    gpci_map lines; /* numbers of the bypassing lines */
    uint32_t line_shift;
} address_state;

static const gpc_parameter parameters[] = {
    {"address-bits", 40, 16, 64, true, "bits of an address, for the cost of the lists (40: Fermi's)"},
};

enum { REUSE = GPCI_PROFILE_TEXTS, TEXTS }; /* REUSE: index of the text parameter after GPCI_PROFILE_TEXT_ROWS */
enum { OF_RESIDENCE, OF_ADDRESS };          /* words of REUSE */

static const gpc_text_parameter texts[] = {
    GPCI_PROFILE_TEXT_ROWS,
    {"reuse", "residence", "residence|address", "what R is of: a residence in L1, or the address in the whole run"},
};

static bool should_bypass(const gpc_profile_line *row, const uint32_t *words) {
    const uint64_t fills = words[REUSE] == OF_RESIDENCE ? row->fills : 0;
    const uint64_t used = words[GPCI_PROFILE_USE] == GPCI_USE_BYTES ? row->bytes_used : row->segments * GPCI_SEGMENT;
    return gpci_profile_score_of(used, row->bytes_moved, fills, row->hits, row->hits) < 1;
}

/*
 * Number of lines on the list of this cache's SM. If `lines` is not NULL, add the line numbers of the list to `lines`.
 */
static size_t list_of(gpc_profile *profile, const gpc_policy_env *env, gpci_map *lines) {
    const gpc_profile_line *rows;
    size_t count, listed = 0;
    uint32_t shift = gpci_log2(env->line_bytes);
    if (gpc_profile_lines(profile, &rows, &count, NULL) < 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].sm != env->index || !should_bypass(&rows[i], env->words))
            continue;
        listed++;
        if (lines)
            gpci_map_add(lines, rows[i].address >> shift, 0);
    }
    return listed;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    address_state *state = self;
    gpc_profile *profile;
    gpc_status status = gpci_profile_take(env, env->line_bytes, message, &profile);
    if (status < 0)
        return status;
    state->share = env->shared_state;
    state->context = env->context;
    state->line_shift = gpci_log2(env->line_bytes);
    size_t count = list_of(profile, env, NULL);
    if (!gpci_map_reserve(env->context, &state->lines, count)) {
        gpci_map_free(env->context, &state->lines);
        gpci_profile_left(state->share);
        return GPC_ERROR_MEMORY;
    }
    list_of(profile, env, &state->lines);
    gpci_profile_taken(env);
    return GPC_OK;
}

static void finish(void *self) {
    address_state *state = self;
    gpci_map_free(state->context, &state->lines);
    gpci_profile_left(state->share);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    const address_state *state = self;
    (void)set;
    if (request->kind == GPC_LOAD && gpci_map_find(&state->lines, request->address >> state->line_shift))
        prediction->decision = GPC_BYPASS;
}

/* Cost: the list of the cache's SM, for each line an address without the bits within the line. 0 without a profile. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    gpc_profile *profile;
    if (!env->texts[0][0] ||
        gpc_profile_load(env->context, &(gpc_stream)GPC_STREAM_FILE(env->texts[0]), &profile, NULL) < 0)
        return 0;
    uint32_t shift = gpci_log2(env->line_bytes), bits = (uint32_t)env->parameters[0];
    uint64_t count = list_of(profile, env, NULL);
    gpc_profile_destroy(profile);
    return count * (bits > shift ? bits - shift : 0);
}

const gpc_predictor_ops gpci_profile_address = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "profile-address",
    .summary = "lines of which a profile says that caching moves more bytes than it saves bypass",
    .source = "seeds/001 section IV.B",
    .instance_bytes = sizeof(address_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .predict = predict,
    .cost_bits = cost_bits,
    .texts = texts,
    .text_count = TEXTS,
    .shared_bytes = sizeof(gpci_profile_share),
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_KIND,
};
