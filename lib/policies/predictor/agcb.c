/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/agcb.h"

#include "base/base.h"
#include "policies/control/counters.h"
#include "policies/predictor/predictors.h"

/*
 * Adaptive GPU cache bypassing (Tian et al., GPGPU-8, 2015), as seeds/000 section 4 builds it. A table of saturating
 * counters beside each L1 is indexed by the hashed PC. Each line keeps the hashed PC of the last read that used the
 * line.
 *
 *   a read hits      the counter of the line's PC goes down: the PC's line was used again; the line gets the read's PC
 *   a load misses    if the counter of its PC has reached the threshold, the load bypasses
 *   a line leaves    the counter of the line's PC goes up: no use followed this PC
 *
 * A filled line gets the PC of its request, of any kind (6.2.1). Only loads of global memory are predicted (6.4):
 * stores, atomics, prefetches and local accesses allocate as in a cache without predictor. Reads of local memory that
 * hit train the table like reads of global memory: section 4 says "every read access". Stores, atomics and prefetches
 * do not train, and an invalidated line does not train. A matching tag is a hit, with or without sectors present:
 * section 4 asks only about the tag. If a core requests sectors one by one, a further sector of an instruction's line
 * is part of the same read.
 *
 * Verification: the decision goes below, where `agcb-below` keeps the decision in the line. If the reply says that the
 * line was bypassed before, the bypass is overridden and the line is kept.
 *
 * Example, counters of two bits that begin at 3, threshold 2, one line, loads of PC p:
 *   load A    miss, counter 3: bypass; L2 misses, keeps no bit
 *   load A    miss, counter 3: bypass; L2 hits, its bit becomes 1
 *   load A    miss, counter 3: bypass; L2's bit was 1: overridden, A is kept, the bit becomes 0
 *   load A    hit, counter of p 2; hit, counter 1
 *   load B    miss, counter 1: B is cached, A leaves, counter 2
 *   load C    miss, counter 2: bypass
 *
 * If the authors' code differs from their text, `agcb` follows the text, and the code's behaviour has its own name.
 * Their Figure 9 counts up the probing PC instead of the victim's, and only if the probe does not bypass:
 * update=report. Their Figure 11 bypasses before the tag lookup, hits included: `agcb-early`. With agcb-early, a PC
 * whose counter has reached the threshold never hits again, and the counter never goes down. If the initial value is at
 * least the threshold, all loads bypass for good.
 */

#define MOST_ENTRIES 4096u

enum { ENTRIES, BITS, THRESHOLD, INITIAL, SHIFT };
enum { HASH, UPDATE };
enum { HASH_MODULO, HASH_XOR, HASH_MULTIPLY };

typedef struct agcb_state {
    uint8_t counters[MOST_ENTRIES];
    uint16_t *pcs; /* [sets x ways]: hashed PC of the last read that used the line */
    uint32_t ways, index_bits, shift, hash;
    uint32_t threshold;
    uint8_t most;                 /* highest count of a counter */
    bool report;                  /* update=report */
    uint64_t replies, overridden; /* published by `counter` */
} agcb_state;

static const gpc_parameter parameters[] = {
    {"entries", 256, 1, MOST_ENTRIES, true, "counters, a power of two (seeds/000 section 4: 256)"},
    {"bits", 4, 1, 8, true, "width of a counter (section 4: 4)"},
    {"threshold", 8, 0, 256, true, "a counter that has reached it bypasses (section 4: 8, half of 4 bits' range)"},
    {"initial", 15, 0, 255, true, "value of the counters at first, at most what they hold (section 4: 15)"},
    {"shift", 0, 0, 32, true, "low bits of the PC that the hash leaves out (section 4: none)"},
};

static const gpc_text_parameter texts[] = {
    {"hash", "modulo", "modulo|xor|multiply",
     "PC to counter: low bits (section 6.2.2), all its bits folded by XOR, or Knuth's multiplicative hash"},
    {"update", "victim", "victim|report",
     "whose counter an eviction raises: the victim's (section 4), or the probing PC's below the threshold (Figure 9)"},
};

static uint32_t number(const gpc_policy_env *env, unsigned parameter) {
    return (uint32_t)env->parameters[parameter];
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    agcb_state *state = self;
    uint32_t entries = number(env, ENTRIES), initial = number(env, INITIAL);
    if (!gpci_power_of_two(entries))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "entries = %u is not a power of two", entries);
    state->pcs = env->line_state;
    state->ways = env->ways;
    state->index_bits = gpci_log2(entries);
    state->shift = number(env, SHIFT);
    state->hash = env->words[HASH];
    state->threshold = number(env, THRESHOLD);
    state->most = (uint8_t)((1u << number(env, BITS)) - 1);
    state->report = env->words[UPDATE];
    for (uint32_t i = 0; i < entries; i++)
        state->counters[i] = (uint8_t)(initial < state->most ? initial : state->most);
    return GPC_OK;
}

static uint32_t hash_of(const agcb_state *state, uint64_t pc) {
    uint32_t bits = state->index_bits, mask = (1u << bits) - 1;
    pc >>= state->shift;
    if (state->hash == HASH_MODULO || !bits)
        return (uint32_t)pc & mask;
    if (state->hash == HASH_MULTIPLY)
        return (uint32_t)((pc * 0x9e3779b97f4a7c15u) >> (64 - bits));
    uint32_t folded = 0;
    for (; pc; pc >>= bits)
        folded ^= (uint32_t)pc & mask;
    return folded;
}

static bool is_predicted(const gpc_request *request) {
    return request->kind == GPC_LOAD && request->space == GPC_SPACE_GLOBAL;
}

static void predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    (void)set;
    const agcb_state *state = self;
    if (!is_predicted(request))
        return;
    bool bypass = state->counters[hash_of(state, request->pc)] >= state->threshold;
    prediction->decision = bypass ? GPC_BYPASS : GPC_CACHE;
    prediction->policy_word = GPCI_AGCB_JUDGED | (bypass ? GPCI_AGCB_BYPASS : 0);
}

/*
 * If L2's bit was set, override the bypass. If the request is to be cached anyway, the reply changes nothing in L1 (L2
 * has cleared the bit).
 */
static gpc_decision on_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    (void)request;
    agcb_state *state = self;
    bool override = word & GPCI_AGCB_OVERRIDE;
    state->replies++;
    state->overridden += override && predicted == GPC_BYPASS;
    return override ? GPC_CACHE : predicted;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    agcb_state *state = self;
    if (request->kind != GPC_LOAD)
        return;
    uint16_t *pc = &state->pcs[(size_t)set * state->ways + way];
    state->counters[*pc] -= state->counters[*pc] > 0;
    *pc = (uint16_t)hash_of(state, request->pc);
}

static void on_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    if (!request->continues)
        on_hit(self, set, way, request);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    agcb_state *state = self;
    state->pcs[(size_t)set * state->ways + way] = (uint16_t)hash_of(state, request->pc);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)eviction;
    agcb_state *state = self;
    uint32_t pc = state->report ? hash_of(state, request->pc) : state->pcs[(size_t)set * state->ways + way];
    uint8_t *counter = &state->counters[pc];
    if (!state->report || *counter < state->threshold)
        *counter += *counter < state->most;
}

/* Cost: entries x bits, and a hashed PC of log2(entries) bits in each line. The bits in L2 count for agcb-below. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint32_t entries = number(env, ENTRIES);
    return (uint64_t)entries * number(env, BITS) + (uint64_t)env->sets * env->ways * gpci_ceil_log2(entries);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    agcb_state *state = self;
    visit(user_data, &state->counters, sizeof state->counters);
    visit(user_data, &state->replies, sizeof state->replies);
    visit(user_data, &state->overridden, sizeof state->overridden);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    const agcb_state *state = self;
    const gpci_published rows[] = {
        {"replies", "transactions", "predictions that the level below answered; without any, no bypass is found wrong",
         GPCI_COUNTS, state->replies},
        {"overridden", "transactions", "bypasses that it made fills", GPCI_COUNTS, state->overridden},
    };
    return GPCI_PUBLISH(rows, index, out);
}

#define AGCB                                                                                                           \
    .struct_size = sizeof(gpc_predictor_ops), .state = state_of, .counter = counter,                                   \
    .source = "seeds/000 section 4; Tian et al., GPGPU-8, 2015", .instance_bytes = sizeof(agcb_state),                 \
    .line_bytes = sizeof(uint16_t), .parameters = parameters,                                                          \
    .parameter_count = sizeof parameters / sizeof *parameters, .init = init, .predict = predict, .on_reply = on_reply, \
    .on_hit = on_hit, .on_sector_miss = on_sector_miss, .on_fill = on_fill, .on_evict = on_evict,                      \
    .cost_bits = cost_bits, .texts = texts, .text_count = sizeof texts / sizeof *texts, .below = "agcb-below",         \
    .reads = GPC_READS_PLACE | GPC_READS_PC | GPC_READS_POLICY_WORD | GPC_READS_KIND | GPC_READS_SPACE

const gpc_predictor_ops gpci_agcb = {
    AGCB,
    .name = "agcb",
    .summary = "bypass loads of a PC whose lines leave unused, by a table of counters; L2 finds out mispredictions",
};

const gpc_predictor_ops gpci_agcb_early = {
    AGCB,
    .name = "agcb-early",
    .summary = "agcb as its authors' code has it: a load that is to bypass does not look at the tags",
    .before_lookup = true,
};
