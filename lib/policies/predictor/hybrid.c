/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/profile_file.h"

/*
 * Hybrid selective bypassing, seeds/001 IV.D. Loads are classed by their number of transactions, 1 to 32. A profile
 * gives each class its U x (1 + R); classes above a threshold are annotated and cached. Other classes follow
 * hardware-based bypassing (access-count): a load with more transactions than the threshold register bypasses.
 * gpc_profile_thresholds lists the thresholds for a search: the classes' own values.
 *
 * U in Table 1 is a share of 32-byte segments (use = segments). U is .96 for loads of 8 transactions, though 32 words
 * of 8 bytes are a quarter of their bytes. U is .62 if half of the loads use a whole line and half use a word of a
 * line.
 *
 * IV.D says both that the other classes "will be bypassed" and that they are "candidates for cache bypassing at runtime
 * by using the hardware-based bypassing". The first reading is the default (limit = 0): Table 3 counts a search for
 * each of the 13 classes of streamcluster, and a limit of 16 would cache all 13. limit = 16 gives the second reading.
 *
 * Example, Table 1 (streamcluster), threshold 0.62: classes 1, 2, 3, 4, 7, 8, 9 and 11 are annotated. A load of 6
 * transactions is not annotated (0.50), and bypasses. With limit = 16 the load is cached, because 6 <= 16.
 */

typedef struct hybrid_state {
    gpci_profile_share *share;
    uint32_t annotated; /* bit n - 1: class n */
    uint32_t limit;
} hybrid_state;

enum { THRESHOLD, LIMIT };

static const gpc_parameter parameters[] = {
    {"threshold", 1, 0, 1e12, false,
     "U x (1 + R) above which a class is cached, to six decimals (IV.D: 1, or searched)"},
    {"limit", 0, 0, 65535, true, "transactions above which a load of another class bypasses (0: all; IV.C: 16)"},
};

/* Classes above the threshold, as gpc_profile_classes_above, but with U by segments. */
static gpc_status annotate_by_segments(gpc_profile *profile, double threshold, uint32_t *annotated) {
    const gpc_profile_class *rows;
    size_t count;
    gpc_status status = gpc_profile_classes(profile, &rows, &count, NULL);
    *annotated = 0;
    for (size_t i = 0; status == GPC_OK && i < count; i++) {
        const gpc_profile_counts *counts = &rows[i].counts;
        const double score = gpci_profile_score_of(counts->segments * GPCI_SEGMENT, counts->bytes_moved, counts->fills,
                                                   counts->reuses, counts->hits);
        if (gpci_profile_millionths(score) > gpci_profile_millionths(threshold))
            *annotated |= 1u << (rows[i].transactions - 1);
    }
    return status;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    hybrid_state *state = self;
    gpc_profile *profile;
    gpc_status status = gpci_profile_take(env, env->line_bytes, message, &profile);
    if (status < 0)
        return status;
    state->share = env->shared_state;
    state->limit = (uint32_t)env->parameters[LIMIT];
    if (env->words[GPCI_PROFILE_USE] == GPCI_USE_SEGMENTS)
        status = annotate_by_segments(profile, env->parameters[THRESHOLD], &state->annotated);
    else
        status = gpc_profile_classes_above(profile, env->parameters[THRESHOLD], &state->annotated, NULL);
    if (status < 0)
        gpci_profile_left(state->share);
    else
        gpci_profile_taken(env);
    return status;
}

static void finish(void *self) {
    gpci_profile_left(((hybrid_state *)self)->share);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    const hybrid_state *state = self;
    (void)set;
    uint32_t n = request->transactions;
    if (request->kind != GPC_LOAD || n <= state->limit)
        return;
    n = n < GPC_PROFILE_CLASSES ? n : GPC_PROFILE_CLASSES;
    if (!n || !(state->annotated >> (n - 1) & 1))
        prediction->decision = GPC_BYPASS;
}

/* Cost: a bit per class, and the threshold register: 6 bits for 32 transactions, more for a larger limit. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint32_t bits = gpci_ceil_log2((uint64_t)env->parameters[LIMIT] + 1);
    return GPC_PROFILE_CLASSES + (bits > 6 ? bits : 6);
}

const gpc_predictor_ops gpci_hybrid = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = gpci_state_none,
    .name = "hybrid",
    .summary = "loads bypass by their transaction count, except where a profile says that it pays to cache them",
    .source = "seeds/001 section IV.D",
    .instance_bytes = sizeof(hybrid_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .predict = predict,
    .cost_bits = cost_bits,
    .texts = gpci_profile_texts,
    .text_count = GPCI_PROFILE_TEXTS,
    .shared_bytes = sizeof(gpci_profile_share),
    .reads = GPC_READS_PLACE | GPC_READS_TRANSACTIONS | GPC_READS_KIND,
};
