/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/predictors.h"
#include "policies/replacement/counter_table.h"

/*
 * Bypass a line if the counter-based table (policies/replacement/counter_table.h) predicts with confidence that the
 * line is not used: a line with this address, filled by this PC, left unused, as expected. The access-interval and the
 * live-time predictor agree here: both have count 0 exactly for a line without hits. The fields kept are the live-time
 * predictor's.
 *
 * A bypassing line teaches nothing: an entry stays until a line with the same hashes is evicted. With retry=N each N-th
 * request that would bypass is cached, to test the entry again. The paper's conference version has no bypassing, and
 * the journal version has no retry as far as known: the default is 0, never.
 *
 * Example, one line, one PC, stream A B A B A B: A is filled, and leaves unused for B. A had expected 0, as all lines
 * without an entry, and so its entry has confidence at once. From then on A bypasses, and B, which stays, hits.
 */

enum { RETRY = 3 }; /* index of the parameter after GPCI_COUNTER_TABLE_PARAMETERS */

typedef struct counter_predictor_state {
    gpci_counter_table table;
    gpci_generation *lines;        /* [sets x ways] */
    uint32_t ways, retry, refused; /* refused: bypasses since the last retry */
} counter_predictor_state;

static const gpc_parameter parameters[] = {
    GPCI_COUNTER_TABLE_PARAMETERS,
    {"retry", 0, 0, 65535, true, "each that many bypasses one is let in, to learn anew; 0 = never"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    counter_predictor_state *state = self;
    state->lines = env->line_state;
    state->ways = env->ways;
    state->retry = (uint32_t)env->parameters[RETRY];
    return gpci_counter_table_init(&state->table, env, message);
}

static void finish(void *self) {
    gpci_counter_table_finish(&((counter_predictor_state *)self)->table);
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)set;
    counter_predictor_state *state = self;
    if (!gpci_never_used_again(&state->table, request))
        return;
    if (state->retry && ++state->refused >= state->retry) {
        state->refused = 0;
        return;
    }
    prediction->decision = GPC_BYPASS;
}

static gpci_generation *line_of(const counter_predictor_state *state, uint32_t set, uint32_t way) {
    return &state->lines[(size_t)set * state->ways + way];
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    counter_predictor_state *state = self;
    gpci_generation *line = line_of(state, set, way);
    line->count += line->count < state->table.most;
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    counter_predictor_state *state = self;
    *line_of(state, set, way) = gpci_generation_begin(&state->table, request);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)request;
    counter_predictor_state *state = self;
    gpci_generation_end(&state->table, line_of(state, set, way), eviction->line_address);
}

/* Cost: the table, the fields of a generation in each line, and the counter `refused`. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_counter_table_bits(env) + (uint64_t)env->sets * env->ways * gpci_generation_bits(env) +
           gpci_ceil_log2((uint64_t)env->parameters[RETRY] + 1);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    counter_predictor_state *state = self;
    visit(user_data, &state->refused, sizeof state->refused);
    gpci_counter_table_state(&state->table, visit, user_data);
}

const gpc_predictor_ops gpci_counter_based_predictor = {
    .struct_size = sizeof(gpc_predictor_ops),
    .state = state_of,
    .name = "counter-based",
    .summary = "bypass lines that left unused when they were last here, as their PC and address had been known to do",
    .source = "Kharbutli and Solihin, IEEE TC 57(4), 2008",
    .instance_bytes = sizeof(counter_predictor_state),
    .line_bytes = sizeof(gpci_generation),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .predict = predict,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
};
