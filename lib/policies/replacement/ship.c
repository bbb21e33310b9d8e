/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/replacement.h"
#include "policies/replacement/rrip.h"

#include <string.h>

/*
 * Signature-based hit prediction on SRRIP. A line remembers its signature (instruction or memory region of its miss),
 * and whether the line has been hit. A table of saturating counters (SHCT) learns: a hit counts its line's signature
 * up, an eviction without a hit counts the signature down. If the counter of its signature is 0, a line comes in with
 * the distant value 2^M - 1; otherwise with 2^M - 2, as in SRRIP. Promotion and victim are SRRIP's.
 *
 * The paper leaves the counters' start open: 1 here, so that a new signature behaves as in SRRIP. Instruction addresses
 * are multiples of 8 at least: their three low bits are left out. A number longer than the index is folded by XOR. With
 * sampled=N only N sets, evenly apart, remember and train (SHiP-S, section 7.1); 0 = all.
 *
 * Example, 2 ways, one set, M = 2, instructions p and q, counters at 1, values of both ways:
 *   p loads A, q loads B   2 2
 *   p hits A               p counts 2; 0 2
 *   q loads C              all up, B leaves without a hit: q counts 0, so C is distant: 1 3
 *   q loads D              C leaves without a hit, q stays at 0: 1 3
 *   p hits A               p counts 3; 0 3
 */

enum { BITS, ENTRIES, COUNTER, INITIAL, REGION, SAMPLED };
enum { SIGNATURE_PC, SIGNATURE_MEMORY };

/*
 * Flag in a line's word, beside the signature: the line's eviction does not train the table. The line was hit, there is
 * no line in the way, or the set does not train.
 */
#define LEARNT 0x80000000u

typedef struct ship_state {
    gpci_rrip rrip;
    uint8_t *counters; /* [entries] */
    uint32_t *lines;   /* [sets x ways]: signature and LEARNT */
    gpc_context *context;
    uint8_t *trains; /* [sets]: 1 = the set remembers and trains */
    uint32_t index_bits, mask, highest;
    uint32_t shift; /* shift from an address to its region or instruction */
    bool memory;
} ship_state;

static const gpc_parameter parameters[] = {
    GPCI_RRPV_BITS,
    {"entries", 16384, 2, 1048576, true, "counters of the table (SHCT), a power of two"},
    {"counter", 3, 1, 8, true, "bits of a counter"},
    {"initial", 1, 0, 255, true, "what counters start from, at most their highest"},
    {"region", 16384, 128, 1073741824, true, "bytes of a memory region, a power of two"},
    {"sampled", 0, 0, 1048576, true, "sets that train the table; 0 = all"},
};

static const gpc_text_parameter texts[] = {
    {"signature", "pc", "pc|memory", "what a line is known by: the instruction that loaded it, or its memory region"},
};

static uint32_t sampled_sets(const gpc_policy_env *env) {
    uint32_t sampled = (uint32_t)env->parameters[SAMPLED];
    return sampled && sampled < env->sets ? sampled : env->sets;
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    ship_state *state = self;
    uint32_t entries = (uint32_t)env->parameters[ENTRIES], region = (uint32_t)env->parameters[REGION];
    if (!gpci_power_of_two(entries))
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "entries must be a power of two");
    if (!gpci_power_of_two(region))
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "region must be a power of two");
    gpci_rrip_init(&state->rrip, env, (uint32_t)env->parameters[BITS]);
    state->lines = (uint32_t *)env->line_state + (size_t)env->sets * env->ways;
    for (size_t i = 0; i < (size_t)env->sets * env->ways; i++)
        state->lines[i] = LEARNT;
    state->context = env->context;
    state->trains = (uint8_t *)env->set_state + env->sets * GPCI_RRIP_SET_BYTES;
    for (uint32_t sampled = sampled_sets(env), i = 0; i < sampled; i++)
        state->trains[(uint64_t)i * env->sets / sampled] = 1;
    state->index_bits = gpci_log2(entries);
    state->mask = entries - 1;
    state->highest = ((uint32_t)1 << (uint32_t)env->parameters[COUNTER]) - 1;
    state->memory = env->words[0] == SIGNATURE_MEMORY;
    state->shift = state->memory ? gpci_log2(region) : 3;
    state->counters = gpci_zalloc(env->context, entries, 1);
    if (!state->counters)
        return GPC_ERROR_MEMORY;
    uint32_t initial = (uint32_t)env->parameters[INITIAL];
    memset(state->counters, (int)(initial < state->highest ? initial : state->highest), entries);
    return GPC_OK;
}

static void finish(void *self) {
    ship_state *state = self;
    gpci_free(state->context, state->counters);
}

static uint32_t signature_of(const ship_state *state, const gpc_request *request) {
    uint64_t value = (state->memory ? request->address : request->pc) >> state->shift;
    uint64_t folded = value;
    while (value >>= state->index_bits)
        folded ^= value;
    return (uint32_t)folded & state->mask;
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    ship_state *state = self;
    gpci_rrip_clear(&state->rrip, set, way);
    if (!state->trains[set])
        return;
    uint32_t *line = &state->lines[(size_t)set * state->rrip.ways + way];
    uint8_t *counter = &state->counters[*line & state->mask];
    *counter = (uint8_t)(*counter + (*counter < state->highest));
    *line |= LEARNT;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    ship_state *state = self;
    return gpci_rrip_victim(&state->rrip, set, candidates);
}

/* Count down the signature of the way's former line, if the line was evicted without a hit (no flag LEARNT). */
static void learn_of_eviction(ship_state *state, uint32_t line) {
    if (line & LEARNT)
        return;
    uint8_t *counter = &state->counters[line];
    *counter = (uint8_t)(*counter - (*counter > 0));
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    ship_state *state = self;
    uint32_t signature = signature_of(state, request);
    uint32_t *line = &state->lines[(size_t)set * state->rrip.ways + way];
    learn_of_eviction(state, *line);
    *line = state->trains[set] ? signature : LEARNT;
    gpci_rrip_put_far(&state->rrip, set, way, !state->counters[signature]);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    ship_state *state = self;
    state->lines[(size_t)set * state->rrip.ways + way] = LEARNT;
}

/*
 * Cost: a value per line, sets x ways x M bits; a signature and an outcome bit per line of a training set; the table.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint64_t entries = (uint64_t)env->parameters[ENTRIES];
    return gpci_rrip_bits(env, (uint32_t)env->parameters[BITS]) +
           (uint64_t)sampled_sets(env) * env->ways * (gpci_ceil_log2(entries) + 1) +
           entries * (uint64_t)env->parameters[COUNTER];
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | (env->words[0] == SIGNATURE_MEMORY ? GPC_READS_ADDRESS : GPC_READS_PC);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    ship_state *state = self;
    visit(user_data, state->counters, (size_t)1 << state->index_bits);
}

const gpc_replacement_ops gpci_ship = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "ship",
    .summary = "SRRIP whose new lines are predicted distant where others of their signature were evicted without a hit",
    .source = "Wu et al., MICRO 2011",
    .instance_bytes = sizeof(ship_state),
    .set_bytes = GPCI_RRIP_SET_BYTES + 1,
    .line_bytes = 2 * sizeof(uint32_t), /* the first half holds the planes of more than 64 ways */
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .texts = texts,
    .text_count = sizeof texts / sizeof *texts,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .on_invalidate = on_invalidate,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
    .reads_with = reads_with,
};
