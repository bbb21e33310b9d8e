/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/ranks.h"
#include "policies/replacement/replacement.h"

#include <string.h>

/*
 * Replacement by instruction-based prediction of reuse distances (Keramidas, Petoumenos and Kaxiras, ICCD 2007, [42] of
 * seeds/004). The reuse distance is the number of the cache's accesses between an access to a block and the next access
 * to the block, predicted from the first access's PC. A line keeps the time of its last access, and with a prediction
 * the time of its next use. The victim is the line with the largest of
 *   time left   until its predicted use: Belady's order for the predicted lines
 *   idle time   since its last access: LRU's order, for lines without prediction, or past the predicted time
 * Of equals the least recent leaves.
 *
 * A sampler beside the cache measures distances. One access in `every` enters block, PC and time into a FIFO. The
 * block's next access finds the entry, and teaches the PC's table entry the time between both. An entry leaving the
 * FIFO unused teaches the longest distance: at least a FIFO's length has passed. A table entry has a distance and a
 * confidence counter. If a learnt distance equals the entry's distance, the counter goes up; otherwise the counter goes
 * down. If the counter is zero already, the entry takes the new distance. An entry predicts if its confidence is at
 * least `sure`.
 *
 * The paper leaves details open, and its sizes are scaled to an L1 here. The table is indexed by the folded PC, without
 * tags. All times are in quanta of `quantum` accesses. A line's fields and distances have `bits` bits. With the default
 * parameters, the FIFO covers as many accesses as the longest distance.
 *
 * Example, 2 ways, one set, quantum 1; the table says 6 for p and 3 for q:
 *   q B    access 1: B should come at 4
 *   p A    access 2: A should come at 8
 *   q C    access 3: B has 1 left and has been idle for 2, A has 5 left: A leaves, though B is the less recent
 *   q B    access 4, as predicted: a hit; LRU would have lost B
 */

enum { ENTRIES, CONFIDENCE, SURE, EVERY, SAMPLES, QUANTUM, BITS };

typedef struct table_entry {
    uint16_t distance; /* reuse distance, in quanta */
    uint8_t confidence;
    uint8_t unused;
} table_entry;

typedef struct line_use {
    uint64_t last, next; /* times of the last access and of the predicted next use, in quanta; next 0: not predicted */
} line_use;

typedef struct distance_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpc_context *context;
    line_use *lines;    /* [sets x ways] */
    table_entry *table; /* [entries] */
    uint64_t *blocks;   /* [samples]: FIFO of 1 + line number, 0 = none */
    uint64_t *times;    /* [samples]: time of the access, in quanta */
    uint32_t *indices;  /* [samples]: index in `table` of the access's PC */
    uint64_t accesses;
    /* samples: entries of the FIFO. place: place of the next entry. */
    uint32_t samples, place;
    /* every: accesses from one sample to the next. left: accesses until the next sample. */
    uint32_t every, left;
    uint32_t index_bits, line_shift, quantum, most, sure, surest;
} distance_state;

static const gpc_parameter parameters[] = {
    {"entries", 256, 1, 65536, true, "of the table, by PC; a power of two"},
    {"confidence", 2, 1, 8, true, "bits of an entry's confidence"},
    {"sure", 2, 1, 255, true, "confidence from which an entry predicts; at most its highest"},
    {"every", 16, 1, 65536, true, "one access in so many is sampled"},
    {"samples", 64, 1, 4096, true, "of the FIFO"},
    {"quantum", 16, 1, 65536, true, "accesses of the cache that distances are counted in"},
    {"bits", 6, 1, 15, true, "of a distance, and of a line's times"},
};

static gpc_status make_tables(distance_state *state, const gpc_policy_env *env) {
    uint32_t entries = (uint32_t)env->parameters[ENTRIES];
    state->table = gpci_zalloc(env->context, entries, sizeof *state->table);
    state->blocks = gpci_zalloc(env->context, state->samples, sizeof *state->blocks);
    state->times = gpci_zalloc(env->context, state->samples, sizeof *state->times);
    state->indices = gpci_zalloc(env->context, state->samples, sizeof *state->indices);
    return state->table && state->blocks && state->times && state->indices ? GPC_OK : GPC_ERROR_MEMORY;
}

static void finish(void *self) {
    distance_state *state = self;
    gpci_free(state->context, state->table);
    gpci_free(state->context, state->blocks);
    gpci_free(state->context, state->times);
    gpci_free(state->context, state->indices);
}

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    distance_state *state = self;
    const double *p = env->parameters;
    uint32_t entries = (uint32_t)p[ENTRIES];
    *state = (distance_state){.context = env->context,
                              .lines = env->line_state,
                              .samples = (uint32_t)p[SAMPLES],
                              .every = (uint32_t)p[EVERY],
                              .left = (uint32_t)p[EVERY],
                              .line_shift = gpci_log2(env->line_bytes),
                              .quantum = (uint32_t)p[QUANTUM],
                              .most = ((uint32_t)1 << (uint32_t)p[BITS]) - 1,
                              .sure = (uint32_t)p[SURE],
                              .surest = ((uint32_t)1 << (uint32_t)p[CONFIDENCE]) - 1};
    if (!gpci_power_of_two(entries) || state->sure > state->surest)
        return gpci_policy_refuse(message, GPC_ERROR_RANGE,
                                  "entries = %u is not a power of two, or sure = %u more than a counter holds, %u",
                                  entries, state->sure, state->surest);
    state->index_bits = gpci_log2(entries);
    gpc_policy_env order = *env;
    order.line_state = state->lines + (size_t)env->sets * env->ways;
    gpc_status status = make_tables(state, env);
    if (status < 0)
        finish(state);
    return status < 0 ? status : gpci_lru_init(&state->lru, &order, message);
}

static uint32_t index_of(const distance_state *state, uint64_t pc) {
    uint32_t index = 0;
    for (uint64_t left = pc >> 3; left && state->index_bits; left >>= state->index_bits)
        index ^= (uint32_t)left & (((uint32_t)1 << state->index_bits) - 1);
    return index;
}

static uint64_t now_of(const distance_state *state) {
    return state->accesses / state->quantum;
}

static uint32_t capped(const distance_state *state, uint64_t time) {
    return time < state->most ? (uint32_t)time : state->most;
}

static void learn(distance_state *state, uint32_t index, uint32_t distance) {
    table_entry *entry = &state->table[index];
    if (entry->distance == distance)
        entry->confidence = (uint8_t)(entry->confidence + (entry->confidence < state->surest));
    else if (entry->confidence)
        entry->confidence--;
    else
        *entry = (table_entry){.distance = (uint16_t)distance, .confidence = 1};
}

/* Learn from an access (hit or miss) to a block that the FIFO has. Every `every`th access enters the FIFO. */
static void sample(distance_state *state, const gpc_request *request) {
    uint64_t block = 1 + (request->address >> state->line_shift), now;
    state->accesses++;
    now = now_of(state);
    for (uint32_t i = 0; i < state->samples; i++)
        if (GPCI_UNLIKELY(state->blocks[i] == block)) {
            learn(state, state->indices[i], capped(state, now - state->times[i]));
            state->blocks[i] = 0;
        }
    if (--state->left)
        return;
    state->left = state->every;
    if (state->blocks[state->place])
        learn(state, state->indices[state->place], state->most);
    state->blocks[state->place] = block;
    state->times[state->place] = now;
    state->indices[state->place] = index_of(state, request->pc);
    state->place = (state->place + 1) % state->samples;
}

static void use(distance_state *state, uint32_t set, uint32_t way, const gpc_request *request) {
    table_entry entry = state->table[index_of(state, request->pc)];
    uint64_t now = now_of(state);
    line_use *line = &state->lines[(size_t)set * state->lru.ways + way];
    *line = (line_use){.last = now, .next = entry.confidence >= state->sure ? now + entry.distance : 0};
    gpci_lru_touch(&state->lru, set, way);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    sample(self, request);
    use(self, set, way, request);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set;
    sample(self, request);
}

static uint32_t rank(const void *self, size_t at) {
    const distance_state *state = self;
    const line_use *line = &state->lines[at];
    uint64_t now = now_of(state);
    uint32_t left = line->next > now ? capped(state, line->next - now) : 0, idle = capped(state, now - line->last);
    return left > idle ? left : idle;
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    const distance_state *state = self;
    uint32_t most;
    return gpci_highest_rank(&state->lru, set, candidates, rank, state, &most);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    use(self, set, way, request);
}

/*
 * Cost: LRU's order; time left and idle time of each line; the table. For each FIFO entry a 24-bit tag (as in seeds/004
 * section 6.3), a valid bit, the time and the index in the table. The FIFO's place. Counters up to `every` and up to
 * `quantum` accesses.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    const double *p = env->parameters;
    uint64_t bits = (uint64_t)p[BITS], entries = (uint64_t)p[ENTRIES], samples = (uint64_t)p[SAMPLES];
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways * 2 * bits +
           entries * (bits + (uint64_t)p[CONFIDENCE]) + samples * (24 + 1 + bits + gpci_ceil_log2(entries)) +
           gpci_ceil_log2(samples) + gpci_ceil_log2((uint64_t)p[EVERY]) + gpci_ceil_log2((uint64_t)p[QUANTUM]);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    distance_state *state = self;
    visit(user_data, state->table, sizeof *state->table << state->index_bits);
    visit(user_data, state->blocks, state->samples * sizeof *state->blocks);
    visit(user_data, state->times, state->samples * sizeof *state->times);
    visit(user_data, state->indices, state->samples * sizeof *state->indices);
    visit(user_data, &state->accesses, sizeof state->accesses);
    visit(user_data, &state->place, sizeof state->place);
    visit(user_data, &state->left, sizeof state->left);
}

const gpc_replacement_ops gpci_reuse_distance = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "reuse-distance",
    .summary = "evict the line whose next use, predicted by the instruction, or whose last one is the farthest",
    .source = "Keramidas, Petoumenos and Kaxiras, ICCD 2007; seeds/004 section 2.3",
    .instance_bytes = sizeof(distance_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(line_use) + sizeof(gpci_lru_link),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .init = init,
    .finish = finish,
    .on_hit = on_hit,
    .on_sector_miss = gpci_lru_use,
    .on_miss = on_miss,
    .choose_victim = choose_victim,
    .on_fill = on_fill,
    .cost_bits = cost_bits,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
};
