/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/counter_table.h"

#include "policies/replacement/candidates.h"
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * Counter-based replacement: a line expires if its count exceeds the count of its last generation, and if the table is
 * confident of the count (counter_table.h). The victim is the least recent expired line, never the most recent line of
 * the set. If no line has expired, the victim is the least recent line. Two predictors differ in the counted events:
 *
 *   aip   accesses of the set since the line's last access. A hit ends an interval; a generation's count is its longest
 *         interval. Expired: longer than all intervals of this generation and than the longest of the last generation.
 *   lvp   hits of the line. Expired: as many hits as in the last generation.
 *
 * A full counter is no prediction: a line whose table count is full never expires. Hardware for aip would increment the
 * counters of a set at each access; here a counter is the difference of two counts of the set's accesses, which gives
 * the same numbers. With bypass=1, if the table predicts with confidence that a line is not used again, the line does
 * not come in, unless a line of the set has expired.
 *
 * Example, aip, 4 ways, one set; the table is confident that C has intervals of 1 at most, and knows nothing of A, B,
 * D:
 *   A B C D miss   A has waited for 3 accesses, B for 2, C for 1, D for 0
 *   E              C has now waited for 2, more than 1: C leaves, though A is the least recent
 * In the paper's Figure 5 (8 ways), D and F have expired. A hit of D makes B expire, and restarts D's count. Then J
 * misses. Of B and F, F leaves, the less recent.
 */

enum { BYPASS = 3 }; /* index of the parameter after GPCI_COUNTER_TABLE_PARAMETERS */
enum { AIP, LVP };

typedef struct line_state {
    uint64_t last; /* aip: the set's access count at the line's last access */
    gpci_generation generation;
} line_state;

typedef struct counter_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpci_counter_table table;
    uint64_t *accesses;     /* [sets] */
    line_state *lines;      /* [sets x ways] */
    bool live_time, bypass; /* live_time: variant=lvp */
} counter_state;

static const gpc_parameter parameters[] = {
    GPCI_COUNTER_TABLE_PARAMETERS,
    {"bypass", 0, 0, 1, true, "1 = a line that is sure not to be used again does not come in"},
};

static const gpc_text_parameter texts[] = {
    {"variant", "aip", "aip|lvp", "access interval predictor, or live-time predictor"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    counter_state *state = self;
    gpc_status status = gpci_counter_table_init(&state->table, env, message);
    if (status < 0)
        return status;
    size_t lines = (size_t)env->sets * env->ways;
    state->accesses = (uint64_t *)env->set_state + env->sets;
    state->lines = env->line_state;
    state->live_time = env->words[0] == LVP;
    state->bypass = env->parameters[BYPASS] > 0;
    gpc_policy_env order = *env;
    order.line_state = state->lines + lines;
    return gpci_lru_init(&state->lru, &order, message);
}

static void finish(void *self) {
    gpci_counter_table_finish(&((counter_state *)self)->table);
}

static line_state *line_of(const counter_state *state, uint32_t set, uint32_t way) {
    return &state->lines[(size_t)set * state->lru.ways + way];
}

/* Accesses of the set since the line's last access, up to the counter's maximum. */
static uint8_t waited(const counter_state *state, uint32_t set, const line_state *line) {
    uint64_t count = state->accesses[set] - line->last;
    return count < state->table.most ? (uint8_t)count : state->table.most;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    counter_state *state = self;
    line_state *line = line_of(state, set, way);
    gpci_generation *generation = &line->generation;
    state->accesses[set]++;
    if (state->live_time) {
        generation->count += generation->count < state->table.most;
    } else {
        uint8_t interval = waited(state, set, line);
        generation->count = interval > generation->count ? interval : generation->count;
    }
    line->last = state->accesses[set];
    gpci_lru_touch(&state->lru, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)request;
    ((counter_state *)self)->accesses[set]++;
}

GPCI_INLINE bool has_expired(const counter_state *state, uint32_t set, const line_state *line) {
    const gpci_generation *generation = &line->generation;
    if (!generation->sure || generation->past == state->table.most)
        return false;
    if (state->live_time)
        return generation->count >= generation->past;
    uint8_t interval = waited(state, set, line);
    return interval > generation->count && interval > generation->past;
}

/* Set in `expired` the bits of the expired candidates, except the set's most recent way. True if a bit is set. */
static bool find_expired(const counter_state *state, uint32_t set, const uint64_t *candidates, uint64_t *expired) {
    uint32_t newest = gpci_lru_first(&state->lru, set, NULL), ways = state->lru.ways;
    const line_state *lines = line_of(state, set, 0);
    uint64_t any = 0;
    for (uint32_t first = 0; first < ways; first += 64) {
        uint32_t count = ways - first < 64 ? ways - first : 64;
        uint64_t word = 0;
        for (uint32_t i = 0; i < count; i++)
            word |= (uint64_t)has_expired(state, set, &lines[first + i]) << i;
        if (newest / 64 == first / 64)
            word &= ~((uint64_t)1 << newest % 64);
        expired[first / 64] = word &= gpci_candidate_word(candidates, first / 64, ways);
        any |= word;
    }
    return any;
}

static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    const counter_state *state = self;
    uint64_t expired[GPC_MAX_WAYS / 64];
    return state->bypass && gpci_never_used_again(&state->table, request) &&
           !find_expired(state, set, candidates, expired);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    counter_state *state = self;
    uint64_t expired[GPC_MAX_WAYS / 64];
    if (find_expired(state, set, candidates, expired))
        return gpci_lru_last(&state->lru, set, expired);
    if (state->bypass && gpci_never_used_again(&state->table, request))
        return GPC_WAY_BYPASS;
    return gpci_lru_last(&state->lru, set, candidates);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)request;
    counter_state *state = self;
    gpci_generation_end(&state->table, &line_of(state, set, way)->generation, eviction->line_address);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    counter_state *state = self;
    *line_of(state, set, way) = (line_state){state->accesses[set], gpci_generation_begin(&state->table, request)};
    gpci_lru_touch(&state->lru, set, way);
}

/*
 * Cost: LRU's order, the table, and the fields of a generation in each line. aip has one more counter in each line, for
 * the interval that has not ended: 21 bits a line.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint64_t line = gpci_generation_bits(env) + (env->words[0] == AIP ? (uint64_t)env->parameters[2] : 0);
    return gpci_lru.cost_bits(env) + gpci_counter_table_bits(env) + (uint64_t)env->sets * env->ways * line;
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC | (env->parameters[BYPASS] > 0 ? GPC_READS_ADMISSION : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    counter_state *state = self;
    gpci_counter_table_state(&state->table, visit, user_data);
}

const gpc_replacement_ops gpci_counter_based_policy = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "counter-based",
    .summary = "evict lines that outlived what their last generation came to first, then the least recent",
    .source = "Kharbutli and Solihin, IEEE TC 57(4), 2008",
    .instance_bytes = sizeof(counter_state),
    .set_bytes = 2 * sizeof(uint64_t),
    .line_bytes = sizeof(line_state) + sizeof(gpci_lru_link),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .on_sector_miss = gpci_lru_use,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .cost_bits = cost_bits,
    .texts = texts,
    .text_count = sizeof texts / sizeof *texts,
    .declines = declines,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};
