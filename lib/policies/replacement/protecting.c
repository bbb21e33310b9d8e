/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/candidates.h"
#include "policies/replacement/replacement.h"
#include "policies/replacement/reuse.h"

/*
 * Protecting distance (PDP). A line that comes in or is hit is protected for the next PD accesses to its set. The
 * line's remaining distance (RPD) starts at PD and goes down by one with every access. The victim is the lowest
 * unprotected way. If all ways are protected, with bypass=1 the request bypasses (SPDP-B). With bypass=0 a line without
 * a hit leaves before a line with hits; among equals the line with the largest RPD leaves, the newest (SPDP-NB).
 *
 * An RPD has `bits` bits, and counts steps of ceil(longest / 2^bits) accesses, by a counter per set. With 8 bits and
 * distances to 256 a step is one access, and 256 becomes 255.
 *
 * distance=0, the default, finds PD every `period` accesses from the reuse distances of some sets (reuse.h). Until then
 * PD is `initial`. The paper leaves the first PD open; here the default is the number of ways, about the time LRU
 * protects.
 *
 * RPDs are not counted down one by one: a line keeps the number of its set's step at which its protection ends.
 *
 * Example, 2 ways, one set, distance 3, stream A B C A D E F, RPDs of ways 0 and 1 after each:
 *   A B miss           2 3
 *   C evicts B         1 2, both protected: B has more left; 1 3
 *   A hit              3 2
 *   D evicts C         2 1: A was hit; 2 3
 *   E evicts D         1 3
 *   F evicts A         0 2: A's protection has ended; 3 2
 * With bypass=1 C finds 1 and 2 and bypasses, A is hit, and D finds 2 and 0 and evicts B.
 */

enum { DISTANCE, BYPASS, BITS, LONGEST, INITIAL, PERIOD, SAMPLED, DEPTH, STEP, TAG, COUNTER, EVICTION };

typedef struct set_clock {
    uint64_t steps;
    uint32_t accesses; /* accesses in the current step */
    uint32_t sample;   /* 1 + index of the sampled set; 0 = not sampled */
} set_clock;

typedef struct protecting_state {
    set_clock *clocks; /* [sets] */
    uint64_t *ends;    /* [sets x ways]: 2 x (step at which the line's protection ends) + (1 if the line was hit) */
    uint32_t ways, line_shift;
    /* step: accesses per step. most: highest number of steps in an RPD. */
    uint32_t step, most;
    uint32_t distance, steps; /* PD in accesses and in steps */
    uint32_t eviction;
    uint64_t period, left;
    gpci_reuse reuse;
    bool bypass, dynamic;
} protecting_state;

static const gpc_parameter parameters[] = {
    {"distance", 0, 0, 65536, true, "accesses to the set that a line is protected for (PD), to longest; 0 = found"},
    {"bypass", 0, 0, 1, true, "1 = where all lines are protected the request bypasses"},
    {"bits", 8, 1, 16, true, "bits of a line's remaining distance (n_c)"},
    {"longest", 256, 1, 65536, true, "longest distance, accesses (d_max)"},
    {"initial", 0, 0, 65536, true, "distance until the first is found, accesses; 0 = ways"},
    {"period", 524288, 1, 4294967295.0, true, "accesses to the cache after which the distance is found anew"},
    {"sampled", 32, 1, 65536, true, "sets whose reuse is measured; at most a quarter of all"},
    {"depth", 32, 1, 1024, true, "tags in the FIFO of such a set"},
    {"step", 4, 1, 65536, true, "distances that share a counter (S_c)"},
    {"tag", 16, 1, 31, true, "bits of a tag in the FIFO"},
    {"counter", 16, 1, 32, true, "bits of a counter (N_i)"},
    {"eviction", 0, 0, 65536, true, "accesses that evicting an unprotected line takes (d_e); 0 = ways"},
};

static gpci_reuse_config sampler_of(const gpc_policy_env *env) {
    const double *p = env->parameters;
    uint32_t sampled = (uint32_t)p[SAMPLED], most = env->sets / 4 ? env->sets / 4 : 1;
    uint32_t longest = (uint32_t)p[LONGEST], depth = (uint32_t)p[DEPTH];
    return (gpci_reuse_config){.sets = sampled < most ? sampled : most,
                               .depth = depth,
                               .every = (longest + depth - 1) / depth,
                               .step = (uint32_t)p[STEP],
                               .longest = longest,
                               .tag_bits = (uint32_t)p[TAG],
                               .counter_bits = (uint32_t)p[COUNTER]};
}

static uint32_t step_of(const gpc_policy_env *env) {
    uint32_t bits = (uint32_t)env->parameters[BITS];
    return ((uint32_t)env->parameters[LONGEST] + ((uint32_t)1 << bits) - 1) >> bits;
}

static void protect_for(protecting_state *state, uint32_t distance) {
    uint32_t steps = (distance + state->step - 1) / state->step;
    state->distance = distance;
    state->steps = steps < state->most ? steps : state->most;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    protecting_state *state = self;
    const double *p = env->parameters;
    if (p[DISTANCE] > p[LONGEST])
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "distance %.0f is more than longest, %.0f", p[DISTANCE],
                                  p[LONGEST]);
    state->clocks = env->set_state;
    state->ends = env->line_state;
    state->ways = env->ways;
    state->line_shift = gpci_log2(env->line_bytes);
    state->step = step_of(env);
    state->most = ((uint32_t)1 << (uint32_t)p[BITS]) - 1;
    state->bypass = p[BYPASS] > 0;
    state->dynamic = !(p[DISTANCE] > 0);
    state->period = state->left = (uint64_t)p[PERIOD];
    state->eviction = p[EVICTION] > 0 ? (uint32_t)p[EVICTION] : env->ways;
    if (!state->dynamic) {
        protect_for(state, (uint32_t)p[DISTANCE]);
        return GPC_OK;
    }
    protect_for(state, p[INITIAL] > 0 ? (uint32_t)p[INITIAL] : env->ways);
    gpci_reuse_config config = sampler_of(env);
    for (uint32_t i = 0; i < config.sets; i++)
        state->clocks[(uint64_t)i * env->sets / config.sets].sample = i + 1;
    return gpci_reuse_init(&state->reuse, env->context, &config);
}

static void finish(void *self) {
    protecting_state *state = self;
    if (state->dynamic)
        gpci_reuse_finish(&state->reuse);
}

static void learn(protecting_state *state, const set_clock *clock, const gpc_request *request) {
    if (clock->sample)
        gpci_reuse_access(&state->reuse, clock->sample - 1, request->address >> state->line_shift);
    if (--state->left)
        return;
    state->left = state->period;
    protect_for(state, gpci_reuse_best(&state->reuse, state->eviction, state->distance));
}

static void pass_time(protecting_state *state, uint32_t set, const gpc_request *request) {
    set_clock *clock = &state->clocks[set];
    if (++clock->accesses == state->step) {
        clock->accesses = 0;
        clock->steps++;
    }
    if (state->dynamic)
        learn(state, clock, request);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    protecting_state *state = self;
    pass_time(state, set, request);
    state->ends[(size_t)set * state->ways + way] = (state->clocks[set].steps + state->steps) * 2 + 1;
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    pass_time(self, set, request);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    protecting_state *state = self;
    state->ends[(size_t)set * state->ways + way] = (state->clocks[set].steps + state->steps) * 2;
}

/* Lowest unprotected candidate, or UINT32_MAX. Steps stay below 2^62: the top bit of a difference is the sign. */
static uint32_t find_unprotected(const uint64_t *ends, uint64_t now, uint32_t ways, const uint64_t *candidates) {
    for (uint32_t first = 0; first < ways; first += 64) {
        uint32_t count = ways - first < 64 ? ways - first : 64;
        uint64_t unprotected = 0;
        for (uint32_t i = 0; i < count; i++)
            unprotected |= (ends[first + i] - (2 * now + 2)) >> 63 << i;
        unprotected &= gpci_candidate_word(candidates, first / 64, ways);
        if (unprotected)
            return first + gpci_lowest(unprotected);
    }
    return UINT32_MAX;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    const protecting_state *state = self;
    const uint64_t *ends = &state->ends[(size_t)set * state->ways];
    uint32_t found = find_unprotected(ends, state->clocks[set].steps, state->ways, candidates);
    if (found != UINT32_MAX)
        return found;
    if (state->bypass)
        return GPC_WAY_BYPASS;
    uint64_t highest = 0; /* rank: lines without hits first, then the later end; of equals the lowest way */
    for (uint32_t way = 0; way < state->ways; way++) {
        uint64_t rank = (ends[way] >> 1 | (~ends[way] & 1) << 63) & (0 - (uint64_t)gpci_is_candidate(candidates, way));
        found = rank > highest ? way : found;
        highest = rank > highest ? rank : highest;
    }
    return found;
}

/* True if choose_victim would bypass the request. The call changes no state. */
static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    return choose_victim(self, set, candidates, request) == GPC_WAY_BYPASS;
}

/*
 * Cost. For each line an RPD, and without bypass a hit bit: sets x ways x (bits + 1). For each set a counter of the
 * step's accesses. With distance=0: the sampler (32 x 32 tags of 16 bits = 2 KB), PD, and the period's counter.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    const double *p = env->parameters;
    uint64_t bits = (uint64_t)env->sets * env->ways * ((uint64_t)p[BITS] + !(p[BYPASS] > 0)) +
                    (uint64_t)env->sets * gpci_ceil_log2(step_of(env));
    if (p[DISTANCE] > 0)
        return bits;
    gpci_reuse_config config = sampler_of(env);
    return bits + gpci_reuse_bits(&config) + gpci_ceil_log2(config.longest + 1) + gpci_ceil_log2((uint64_t)p[PERIOD]);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | (env->parameters[DISTANCE] > 0 ? 0 : GPC_READS_ADDRESS) |
           (env->parameters[BYPASS] > 0 ? GPC_READS_ADMISSION : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    protecting_state *state = self;
    visit(user_data, &state->distance, sizeof state->distance);
    visit(user_data, &state->steps, sizeof state->steps);
    visit(user_data, &state->period, sizeof state->period);
    visit(user_data, &state->left, sizeof state->left);
    gpci_reuse_state(&state->reuse, visit, user_data);
}

const gpc_replacement_ops gpci_protecting_distance = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "protecting-distance",
    .summary = "lines are protected for as many accesses to their set as make the most hits of the reuse seen (PDP)",
    .source = "Duong et al., MICRO 2012",
    .instance_bytes = sizeof(protecting_state),
    .set_bytes = sizeof(set_clock),
    .line_bytes = sizeof(uint64_t),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .declines = declines,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};
