/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * Trace-based dead block prediction (Lai, Fide and Falsafi, ISCA 2001, the dead-block predictor of DBCP; "instruction
 * sequence based" in seeds/004 section 2.3). A line's signature is the truncated sum of the PCs of its accesses since
 * the fill. An evicted line has had its last access: the counter of its signature goes up. A line accessed again has
 * not: the counter of its signature before the access goes down. If the counter of a line's signature is at least
 * `threshold`, the line is dead. The victim is the least recent dead line; if no line is dead, the least recent line.
 *
 * With history=bursts (Liu, Ferdman, Huh and Burger, MICRO 2008: the burst-based predictor of the same section) all
 * accesses to a line while the line is its set's most recent count as one access, the first. Traces then depend less on
 * the order of several warps' accesses to a line.
 *
 * The paper prefetches into the ways of dead lines; here dead lines are only replaced first. PCs are multiples of 8 at
 * least: their three low bits are left out. The paper's signatures belong to single L1 blocks: block=1 begins a
 * signature with the line's address. block=0, as in later work, lets all lines with the same trace learn together.
 *
 * Example, 2 ways, one set, p and q the instructions; each line is read by p, then by q, and never again:
 *   p A, q A    signature p, then p + q
 *   p B, q B
 *   p C, q C    A leaves, and the counter of p + q becomes 1
 *   p D, q D    B leaves, and the counter becomes 2, the threshold. After q D, D is dead
 *   p E         D leaves, though C is the less recent: at C's last access the signature was not yet at the threshold
 */

enum { SIGNATURE, COUNTER, THRESHOLD, BLOCK };
enum { ACCESSES, BURSTS };

typedef struct trace_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpc_context *context;
    uint32_t *lines;   /* [sets x ways]: signature x 2 + dead */
    uint8_t *counters; /* [2^signature] */
    uint32_t signature_bits, line_shift, threshold, most;
    bool bursts, block;
} trace_state;

static const gpc_parameter parameters[] = {
    {"signature", 13, 1, 24, true, "bits of a signature; the table has a counter for each"},
    {"counter", 2, 1, 8, true, "bits of a counter"},
    {"threshold", 2, 1, 255, true, "from which a counter says dead; at most its highest"},
    {"block", 0, 0, 1, true, "1 = a line's address is part of its signature"},
};

static const gpc_text_parameter texts[] = {
    {"history", "accesses", "accesses|bursts", "what a signature holds: each access, or the first of each burst"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    trace_state *state = self;
    const double *p = env->parameters;
    state->context = env->context;
    state->signature_bits = (uint32_t)p[SIGNATURE];
    state->most = ((uint32_t)1 << (uint32_t)p[COUNTER]) - 1;
    state->threshold = (uint32_t)p[THRESHOLD];
    state->line_shift = gpci_log2(env->line_bytes);
    state->block = p[BLOCK] > 0;
    state->bursts = env->words[0] == BURSTS;
    state->lines = (uint32_t *)env->line_state + (size_t)env->sets * env->ways;
    if (state->threshold > state->most)
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "threshold = %u is more than a counter holds, %u",
                                  state->threshold, state->most);
    state->counters = gpci_zalloc(env->context, (size_t)1 << state->signature_bits, 1);
    return state->counters ? gpci_lru_init(&state->lru, env, message) : GPC_ERROR_MEMORY;
}

static void finish(void *self) {
    trace_state *state = self;
    gpci_free(state->context, state->counters);
}

/* Add the request's access to `signature`. Returns 2 x (new signature) + (1 if the line is dead). */
static uint32_t extended(const trace_state *state, uint64_t signature, const gpc_request *request) {
    signature = (signature + (request->pc >> 3)) & (((uint32_t)1 << state->signature_bits) - 1);
    return (uint32_t)signature << 1 | (state->counters[signature] >= state->threshold);
}

static void learn(trace_state *state, uint32_t line, bool dead) {
    uint8_t *counter = &state->counters[line >> 1];
    *counter = (uint8_t)(dead ? *counter + (*counter < state->most) : *counter - (*counter > 0));
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    trace_state *state = self;
    uint32_t *line = &state->lines[(size_t)set * state->lru.ways + way];
    if (state->bursts && gpci_lru_first(&state->lru, set, NULL) == way)
        return;
    learn(state, *line, false);
    *line = extended(state, *line >> 1, request);
    gpci_lru_touch(&state->lru, set, way);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    trace_state *state = self;
    const uint32_t *line = &state->lines[(size_t)set * state->lru.ways];
    uint64_t dead[GPC_MAX_WAYS / 64] = {0};
    for (uint32_t way = 0; way < state->lru.ways; way++)
        dead[way / 64] |= (uint64_t)(line[way] & 1) << (way % 64);
    return gpci_lru_last_of(&state->lru, set, dead, candidates);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)eviction, (void)request;
    trace_state *state = self;
    learn(state, state->lines[(size_t)set * state->lru.ways + way], true);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    trace_state *state = self;
    uint64_t address = request->address >> state->line_shift;
    uint64_t start = state->block ? address ^ address >> state->signature_bits : 0;
    state->lines[(size_t)set * state->lru.ways + way] = extended(state, start, request);
    gpci_lru_touch(&state->lru, set, way);
}

/* Cost: LRU's order; signature and dead bit of each line; the table of counters. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint64_t signature = (uint64_t)env->parameters[SIGNATURE];
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways * (signature + 1) +
           ((uint64_t)env->parameters[COUNTER] << signature);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | GPC_READS_PC | (env->parameters[BLOCK] > 0 ? GPC_READS_ADDRESS : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    trace_state *state = self;
    visit(user_data, state->counters, (size_t)1 << state->signature_bits);
}

const gpc_replacement_ops gpci_trace_based = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "trace-based",
    .summary =
        "evict lines after the sequence of instructions that came last before others left, then the least recent",
    .source = "Lai, Fide and Falsafi, ISCA 2001; bursts: Liu et al., MICRO 2008; seeds/004 section 2.3",
    .instance_bytes = sizeof(trace_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link) + sizeof(uint32_t),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .on_sector_miss = gpci_lru_use,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .cost_bits = cost_bits,
    .texts = texts,
    .text_count = sizeof texts / sizeof *texts,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
    .reads_with = reads_with,
};
