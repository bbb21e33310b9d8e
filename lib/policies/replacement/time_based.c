/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * Time-based dead block prediction (Hu, Kaxiras and Martonosi, "Timekeeping in the Memory System", ISCA 2002; "timing
 * based" in seeds/004 section 2.3). A line's live time goes from its fill to its last access before eviction. A table
 * remembers the last live time of each block. A line is dead if its age exceeds `scale` times this live time, twice in
 * the paper. The victim is the least recent dead line; if no line is dead, the least recent line. A line without table
 * entry is not dead.
 *
 * Time is coarse: ticks of many cycles, and counters of five bits. A cache used without a clock has no cycles. A tick
 * here is `tick` accesses of the cache, the same in timed and functional mode. Ages and times saturate at a counter's
 * maximum. If `scale` times a live time reaches the maximum, its line never dies.
 *
 * In the paper the table is part of a prefetcher's table. Here the table has no tags, and the index is the block's
 * number folded by XOR. With signature=pc the entry belongs to the missing instruction: blocks of a stream do not come
 * back, their instruction does.
 *
 * Example, 2 ways, one set, tick = 1 access, scale = 2; A's last live time was 1, the other blocks have no entry:
 *   A miss    A is 0 old
 *   A hit     1 old: its live time is 1 until now
 *   B miss    2 old, twice its last live time
 *   B hit     3 old: dead
 *   A hit     live time 4, but A stays dead: more than twice 1
 *   C miss    A leaves, though B is the less recent; A's entry becomes 4
 */

enum { ENTRIES, TICK, BITS, SCALE };
enum { BLOCK, PC };

typedef struct line_time {
    uint64_t filled;   /* tick of the fill */
    uint32_t entry;    /* index in the table */
    uint8_t live;      /* ticks from fill to the last access */
    uint8_t last_live; /* live time that the table had at the fill */
    bool known;        /* the table had a live time at the fill */
} line_time;

typedef struct time_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpc_context *context;
    line_time *lines; /* [sets x ways] */
    uint8_t *table;   /* [entries]: 1 + live time, 0 = none */
    uint64_t ticks;
    uint32_t passed; /* accesses in the present tick */
    uint32_t tick, index_bits, line_shift, most, scale;
    bool by_pc;
} time_state;

static const gpc_parameter parameters[] = {
    {"entries", 4096, 1, 1048576, true, "of the table of live times, a power of two"},
    {"tick", 16, 1, 65536, true, "accesses of the cache; the paper: 512 cycles"},
    {"bits", 5, 1, 7, true, "of a counter of ticks (the paper: 5)"},
    {"scale", 2, 1, 16, true, "live times after which a line is dead (the paper: 2)"},
};

static const gpc_text_parameter texts[] = {
    {"signature", "block", "block|pc", "whose live time it is: the block's, or that of the instruction that fills it"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    time_state *state = self;
    uint32_t entries = (uint32_t)env->parameters[ENTRIES];
    if (!gpci_power_of_two(entries))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "entries = %u is not a power of two", entries);
    state->context = env->context;
    state->index_bits = gpci_log2(entries);
    state->line_shift = gpci_log2(env->line_bytes);
    state->tick = (uint32_t)env->parameters[TICK];
    state->most = ((uint32_t)1 << (uint32_t)env->parameters[BITS]) - 1;
    state->scale = (uint32_t)env->parameters[SCALE];
    state->by_pc = env->words[0] == PC;
    state->lines = env->line_state;
    state->table = gpci_zalloc(env->context, entries, 1);
    gpc_policy_env order = *env;
    order.line_state = state->lines + (size_t)env->sets * env->ways;
    return state->table ? gpci_lru_init(&state->lru, &order, message) : GPC_ERROR_MEMORY;
}

static void finish(void *self) {
    time_state *state = self;
    gpci_free(state->context, state->table);
}

static line_time *line_of(const time_state *state, uint32_t set, uint32_t way) {
    return &state->lines[(size_t)set * state->lru.ways + way];
}

static uint8_t age_of(const time_state *state, const line_time *line) {
    uint64_t age = state->ticks - line->filled;
    return (uint8_t)(age < state->most ? age : state->most);
}

static void pass_time(time_state *state) {
    if (++state->passed == state->tick) {
        state->passed = 0;
        state->ticks++;
    }
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    time_state *state = self;
    line_time *line = line_of(state, set, way);
    pass_time(state);
    line->live = age_of(state, line);
    gpci_lru_touch(&state->lru, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set, (void)request;
    pass_time(self);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)request;
    time_state *state = self;
    const line_time *lines = line_of(state, set, 0);
    uint64_t dead[GPC_MAX_WAYS / 64] = {0};
    for (uint32_t way = state->lru.ways; way-- > 0;) {
        bool outlived = lines[way].known && age_of(state, &lines[way]) > state->scale * lines[way].last_live;
        dead[way / 64] |= (uint64_t)outlived << (way % 64);
    }
    return gpci_lru_last_of(&state->lru, set, dead, candidates);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    (void)eviction, (void)request;
    time_state *state = self;
    const line_time *line = line_of(state, set, way);
    state->table[line->entry] = (uint8_t)(1 + line->live);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    time_state *state = self;
    uint32_t entry = 0;
    for (uint64_t key = state->by_pc ? request->pc >> 3 : request->address >> state->line_shift;
         key && state->index_bits; key >>= state->index_bits)
        entry ^= (uint32_t)key & (((uint32_t)1 << state->index_bits) - 1);
    uint8_t live = state->table[entry];
    *line_of(state, set, way) = (line_time){
        .filled = state->ticks, .entry = entry, .last_live = (uint8_t)(live ? live - 1 : 0), .known = live > 0};
    gpci_lru_touch(&state->lru, set, way);
}

/*
 * Cost: LRU's order. For each line the age, the live time, the last live time, and the bit `known`. With signature=pc
 * also the index in the table (with signature=block the line's address gives the index). For each table entry a live
 * time, and a bit for "none". A counter of the accesses of a tick.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    uint64_t bits = (uint64_t)env->parameters[BITS], entries = (uint64_t)env->parameters[ENTRIES];
    uint64_t line = 3 * bits + 1 + (env->words[0] == PC ? gpci_ceil_log2(entries) : 0);
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways * line + entries * (bits + 1) +
           gpci_ceil_log2((uint64_t)env->parameters[TICK]);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | (env->words[0] == PC ? GPC_READS_PC : GPC_READS_ADDRESS);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    time_state *state = self;
    visit(user_data, state->table, (size_t)1 << state->index_bits);
    visit(user_data, &state->ticks, sizeof state->ticks);
    visit(user_data, &state->passed, sizeof state->passed);
}

const gpc_replacement_ops gpci_time_based = {
    .struct_size = sizeof(gpc_replacement_ops),
    .state = state_of,
    .name = "time-based",
    .summary =
        "evict lines here for more than twice as long as their block was in use the last time, then the least recent",
    .source = "Hu, Kaxiras and Martonosi, ISCA 2002; seeds/004 section 2.3",
    .instance_bytes = sizeof(time_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(line_time) + sizeof(gpci_lru_link),
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
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC,
    .reads_with = reads_with,
};
