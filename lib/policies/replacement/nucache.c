/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/candidates.h"
#include "policies/replacement/lru.h"
#include "policies/replacement/next_use.h"
#include "policies/replacement/replacement.h"

/*
 * NUcache (Manikantan, Rajan and Govindarajan, HPCA 2011). The ways of a set are MainWays, in LRU order, and DeliWays,
 * a FIFO. Every line comes into the MainWays. If a line leaves the MainWays and its missing instruction is selected,
 * the line goes to the DeliWays; otherwise the line leaves the cache. Selected are instructions with lines used again
 * soon enough for the DeliWays (next_use.h).
 *
 * A line does not move: a bit marks the Deli ways. A line leaving the MainWays is the least recent of the MainWays.
 * Lines that left before are less recent still, because hits do not move lines of the DeliWays. LRU's order of all
 * lines is therefore also the FIFO's order. While no line is Deli, all ways are MainWays: without a selection NUcache
 * is LRU. The paper leaves open the share of DeliWays (half here) and hits in the DeliWays (here the line keeps its
 * place). The table of instructions has no tags here.
 *
 * Example, 4 ways, 2 of them Deli, one set, only p's lines are selected:
 *   p A, q B, q C, q D   all in MainWays, the least recent first: A B C D
 *   q E                  A leaves the MainWays for the DeliWays; then B, not selected, leaves the cache
 *   q F, q G             C and D leave: A, E, F and G are in the set
 *   p A                  hit; LRU would have lost A to E
 */

enum { ENTRIES, DELI, SHARE, DEPTH, PERIOD };

typedef struct nu_line {
    uint64_t block; /* line number */
    uint32_t entry; /* table entry of the instruction that missed */
    bool deli;
} nu_line;

typedef struct nucache_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpci_next_use monitor;
    uint64_t *fifos; /* [sets]: 1 + index of the set's FIFO, 0 = no FIFO */
    nu_line *lines;  /* [sets x ways] */
    uint32_t line_shift, deli;
} nucache_state;

static const gpc_parameter parameters[] = {
    {"entries", 64, 1, 1024, true, "instructions told apart, a power of two"},
    {"deli", 0, 0, 1023, true, "DeliWays of a set, fewer than it has ways; 0 = half of them"},
    {"share", 4, 1, 65536, true, "one set in so many has a FIFO of lines that left the MainWays"},
    {"depth", 64, 16, 4096, true, "lines in such a FIFO, a multiple of 16"},
    {"period", 1024, 1, 16777216, true, "lines that leave these sets' MainWays until instructions are selected anew"},
};

static gpci_next_use_config config_of(const gpc_policy_env *env) {
    const double *p = env->parameters;
    uint32_t share = (uint32_t)p[SHARE];
    return (gpci_next_use_config){.entries = (uint32_t)p[ENTRIES],
                                  .sets = env->sets / share + (env->sets % share != 0),
                                  .depth = (uint32_t)p[DEPTH],
                                  .deli = p[DELI] > 0 ? (uint32_t)p[DELI] : env->ways / 2,
                                  .period = (uint32_t)p[PERIOD]};
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    nucache_state *state = self;
    gpci_next_use_config config = config_of(env);
    if (!gpci_power_of_two(config.entries) || config.depth % GPCI_NEXT_USE_BINS)
        return gpci_policy_refuse(message, GPC_ERROR_RANGE,
                                  "entries = %u is not a power of two, or depth = %u no multiple of %u", config.entries,
                                  config.depth, GPCI_NEXT_USE_BINS);
    if (config.deli && config.deli >= env->ways)
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "deli = %u leaves no MainWay of %u ways", config.deli,
                                  env->ways);
    state->line_shift = gpci_log2(env->line_bytes);
    state->deli = config.deli;
    state->fifos = (uint64_t *)env->set_state + env->sets;
    for (uint32_t i = 0; i < config.sets; i++)
        state->fifos[(uint64_t)i * env->sets / config.sets] = 1 + i;
    state->lines = env->line_state;
    gpc_policy_env order = *env;
    order.line_state = state->lines + (size_t)env->sets * env->ways;
    gpci_lru_init(&state->lru, &order, message);
    return gpci_next_use_init(&state->monitor, env->context, &config);
}

static void finish(void *self) {
    gpci_next_use_finish(&((nucache_state *)self)->monitor);
}

static nu_line *line_of(const nucache_state *state, uint32_t set, uint32_t way) {
    return &state->lines[(size_t)set * state->lru.ways + way];
}

static void seen_outside(nucache_state *state, uint32_t set, const gpc_request *request) {
    if (state->fifos[set])
        gpci_next_use_access(&state->monitor, (uint32_t)state->fifos[set] - 1, request->address >> state->line_shift);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    nucache_state *state = self;
    if (line_of(state, set, way)->deli)
        seen_outside(state, set, request);
    else
        gpci_lru_touch(&state->lru, set, way);
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    if (!line_of(self, set, way)->deli)
        gpci_lru_use(self, set, way, request);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    seen_outside(self, set, request);
}

static void leaves_main(nucache_state *state, uint32_t set, const nu_line *line) {
    if (state->fifos[set])
        gpci_next_use_leaves(&state->monitor, (uint32_t)state->fifos[set] - 1, line->block, line->entry);
}

/*
 * Free a way of the MainWays. If the least recent line of the MainWays is not selected, that line is the victim. If the
 * line is selected, the line goes to the DeliWays, and the next least recent line is tried. If the DeliWays then have a
 * line too many, the oldest line of the DeliWays is the victim.
 */
static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    nucache_state *state = self;
    uint64_t deli[GPC_MAX_WAYS / 64] = {0}, main[GPC_MAX_WAYS / 64];
    uint32_t in_deli = 0, ways = state->lru.ways;
    for (uint32_t way = 0; way < ways; way++) {
        deli[way / 64] |= (uint64_t)line_of(state, set, way)->deli << (way % 64);
        in_deli += line_of(state, set, way)->deli;
    }
    for (; in_deli <= state->deli; in_deli++) {
        for (uint32_t word = 0; word < gpci_way_words(ways); word++)
            main[word] = ~deli[word] & gpci_candidate_word(NULL, word, ways);
        uint32_t way = gpci_lru_last(&state->lru, set, main);
        nu_line *line = line_of(state, set, way);
        if (!state->monitor.table[line->entry].selected || !state->deli)
            return gpci_lru_last_of(&state->lru, set, main, candidates);
        line->deli = true;
        gpci_bit_set(deli, way);
        leaves_main(state, set, line);
    }
    return gpci_lru_last_of(&state->lru, set, deli, candidates);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)eviction, (void)request;
    nucache_state *state = self;
    if (!line_of(state, set, way)->deli)
        leaves_main(state, set, line_of(state, set, way));
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    nucache_state *state = self;
    *line_of(state, set, way) = (nu_line){.block = request->address >> state->line_shift,
                                          .entry = gpci_next_use_entry_of(&state->monitor, request->pc)};
    gpci_lru_touch(&state->lru, set, way);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    line_of(self, set, way)->deli = false;
}

/* Cost: LRU's order; for each line the bit `deli` and the number of the instruction's table entry; the monitor. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    gpci_next_use_config config = config_of(env);
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways * (1 + gpci_ceil_log2(config.entries)) +
           gpci_next_use_bits(&config);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_next_use_state(&((nucache_state *)self)->monitor, visit, user_data);
}

const gpc_replacement_ops gpci_nucache = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "nucache",
    .summary =
        "LRU, but some ways keep on lines of instructions whose lines are used again soon after they would leave",
    .source = "Manikantan, Rajan and Govindarajan, HPCA 2011 (NUcache); seeds/004 section 2.3",
    .instance_bytes = sizeof(nucache_state),
    .set_bytes = 2 * sizeof(uint64_t),
    .line_bytes = sizeof(nu_line) + sizeof(gpci_lru_link),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .on_sector_miss = on_sector_miss,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_invalidate = on_invalidate,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
};
