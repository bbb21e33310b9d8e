/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/ballot.h"
#include "policies/predictor/predictors.h"

/*
 * Parallel voting over bypass predictors, as lib/policies/replacement/vote_replacement.c over replacement policies: all
 * candidates are asked and see all events, and the SM's running candidate decides.
 *
 * Example, vote(always-cache, access-count(threshold=4)), 3 SMs, loads of 32 transactions that thrash L1 beside loads
 * of one line that comes again:
 *   all SMs cache everything
 *   the first sample: SM 0 tests access-count, whose bypasses leave the one line resident
 *   two samples later: SM 0 has issued more instructions than the others, and all run access-count
 *
 * A candidate must decide by itself on a miss. Refused are predictors asked before the tag lookup, and predictors with
 * bits in the caches below: the reply would answer the vote's decision, not the candidate's.
 */

typedef struct vote_predictor_state {
    gpci_ballot ballot;
} vote_predictor_state;

static const gpc_parameter parameters[] = {GPCI_BALLOT_DECLARE};
static const gpc_text_parameter texts[] = {
    GPCI_BALLOT_DECLARE_MEASURE,
    {"", "always-cache, access-count", NULL, "the candidates, the default first"},
};

static void on_sample(void *self, const gpc_sample *sample);

static const char *unfit(const void *table) {
    const gpc_predictor_ops *ops = table;
    if (ops->on_sample == on_sample)
        return "it is a vote itself, whose candidates may stand in this one";
    if (ops->before_lookup)
        return "it is asked before the tags are looked up, and others on a miss";
    return ops->below || ops->respond ? "it keeps bits in the caches below" : NULL;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    return gpci_ballot_init(&((vote_predictor_state *)self)->ballot, GPC_POLICY_PREDICTOR, env, env->texts[1], unfit,
                            message);
}

static void finish(void *self) {
    gpci_ballot_finish(&((vote_predictor_state *)self)->ballot);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    const gpci_ballot *ballot = &((const vote_predictor_state *)self)->ballot;
    const gpci_policy *present = gpci_ballot_present(ballot);
    for (uint32_t c = 0; c < ballot->count; c++) {
        const gpc_predictor_ops *ops = ballot->candidates[c]->ops;
        gpc_prediction own = {GPC_CACHE, 0};
        ops->predict(ballot->candidates[c]->self, set, request, &own);
        if (ballot->candidates[c] == present)
            *prediction = own;
    }
}

static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    const gpci_policy *present = gpci_ballot_present(&((const vote_predictor_state *)self)->ballot);
    const gpc_predictor_ops *ops = present->ops;
    return ops->on_reply ? ops->on_reply(present->self, request, predicted, word) : predicted;
}

static gpc_decision on_stall(void *self, const gpc_request *request, uint32_t reason) {
    const gpci_policy *present = gpci_ballot_present(&((const vote_predictor_state *)self)->ballot);
    const gpc_predictor_ops *ops = present->ops;
    return ops->on_stall ? ops->on_stall(present->self, request, reason) : GPC_CACHE;
}

/* Call `function` of every candidate that has the function. */
#define TELL_PREDICTOR(function, ...)                                         \
    do {                                                                      \
        const gpci_ballot *b = &((const vote_predictor_state *)self)->ballot; \
        for (uint32_t c = 0; c < b->count; c++) {                             \
            const gpc_predictor_ops *ops = b->candidates[c]->ops;             \
            if (ops->function)                                                \
                ops->function(b->candidates[c]->self, __VA_ARGS__);           \
        }                                                                     \
    } while (0)

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    TELL_PREDICTOR(on_hit, set, way, request);
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    TELL_PREDICTOR(on_sector_miss, set, way, request);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    TELL_PREDICTOR(on_fill, set, way, request);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    TELL_PREDICTOR(on_evict, set, way, eviction, request);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    TELL_PREDICTOR(on_invalidate, set, way);
}

static void on_warp_event(void *self, const gpc_warp_event *event) {
    TELL_PREDICTOR(on_warp_event, event);
}

static void on_sample(void *self, const gpc_sample *sample) {
    TELL_PREDICTOR(on_sample, sample);
    gpci_ballot_sample(&((vote_predictor_state *)self)->ballot, sample);
}

/* Cost: the candidates and the vote, as in lib/policies/replacement/vote_replacement.c. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_ballot_cost(GPC_POLICY_PREDICTOR, env, env->texts[1]);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return gpci_ballot_reads(GPC_POLICY_PREDICTOR, env, env->texts[1]);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    vote_predictor_state *state = self;
    gpci_ballot_state(&state->ballot, visit, user_data);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_ballot_counter(&((const vote_predictor_state *)self)->ballot, index, out);
}

const gpc_predictor_ops gpci_vote_predictor = {
    .struct_size = sizeof(gpc_predictor_ops),
    .counter = counter,
    .state = state_of,
    .name = "vote",
    .summary = "of the predictors listed, the one that SMs testing each found best, anew in each program phase",
    .source = "seeds/004, section 5.3, generalised",
    .instance_bytes = sizeof(vote_predictor_state),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .predict = predict,
    .on_reply = on_reply,
    .on_hit = on_hit,
    .on_sector_miss = on_sector_miss,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_invalidate = on_invalidate,
    .on_warp_event = on_warp_event,
    .cost_bits = cost_bits,
    .texts = texts,
    .text_count = sizeof texts / sizeof *texts,
    .shared_bytes = sizeof(gpci_ballot_common),
    .shared_cache_bytes = sizeof(gpci_vote_sm),
    .on_sample = on_sample,
    .on_stall = on_stall,
    .reads = GPC_READS_EVERYTHING,
    .reads_with = reads_with,
};
