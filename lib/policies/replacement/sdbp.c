/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/sdbp_tables.h"

#include "policies/replacement/candidates.h"
#include "policies/replacement/lru.h"
#include "policies/replacement/replacement.h"

/*
 * Replacement by sampling dead block prediction (sdbp_tables.h). The victim is the least recent of the dead lines. If
 * no line is dead, the victim is the least recent line. The PC of each access predicts anew whether the line is dead.
 * With bypass=1 a line dead on arrival does not come into a full set: the paper's "dead block replacement and bypass".
 *
 * Example, 2 ways, one set, PC p streams, q reads A again and again; p's blocks are predicted dead:
 *   q reads A, p reads B   A live, B dead
 *   p reads C              B leaves, though A is the least recent
 *   q reads A              hit; LRU would have lost A to the next block of the stream
 */

#define BYPASS 9 /* index of the parameter after GPCI_SDBP_PARAMETERS */

typedef struct sdbp_state {
    gpci_lru_state lru; /* must be first: gpci_lru_use takes `self` for a gpci_lru_state */
    gpci_sdbp tables;
    uint8_t *dead; /* [sets x ways]: 1 = the line is predicted dead */
    bool bypass;
} sdbp_state;

static const gpc_parameter parameters[] = {
    GPCI_SDBP_PARAMETERS,
    {"bypass", 0, 0, 1, true, "1 = a line that is dead on arrival does not come in"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    sdbp_state *state = self;
    gpc_status status = gpci_sdbp_init(&state->tables, env, message);
    if (status < 0)
        return status;
    state->dead = (uint8_t *)env->line_state + (size_t)env->sets * env->ways * sizeof(gpci_lru_link);
    state->bypass = env->parameters[BYPASS] > 0;
    return gpci_lru_init(&state->lru, env, message);
}

static void finish(void *self) {
    gpci_sdbp_finish(&((sdbp_state *)self)->tables);
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    sdbp_state *state = self;
    state->dead[(size_t)set * state->lru.ways + way] = gpci_sdbp_access(&state->tables, set, request);
    gpci_lru_touch(&state->lru, set, way);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    gpci_sdbp_access(&((sdbp_state *)self)->tables, set, request);
}

static bool declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)set, (void)candidates;
    const sdbp_state *state = self;
    return state->bypass && gpci_sdbp_dead_after(&state->tables, request->pc);
}

static uint32_t choose_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    sdbp_state *state = self;
    if (declines(self, set, candidates, request))
        return GPC_WAY_BYPASS;
    uint64_t dead[GPC_MAX_WAYS / 64] = {0};
    const uint8_t *line = state->dead + (size_t)set * state->lru.ways;
    for (uint32_t way = 0; way < state->lru.ways; way++)
        dead[way / 64] |= (uint64_t)line[way] << (way % 64);
    return gpci_lru_last_of(&state->lru, set, dead, candidates);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    sdbp_state *state = self;
    state->dead[(size_t)set * state->lru.ways + way] = gpci_sdbp_dead_after(&state->tables, request->pc);
    gpci_lru_touch(&state->lru, set, way);
}

/* Cost: LRU's order, a dead bit per line, the tables and the samplers. */
static uint64_t cost_bits(const gpc_policy_env *env) {
    return gpci_lru.cost_bits(env) + (uint64_t)env->sets * env->ways + gpci_sdbp_bits(env);
}

static uint64_t reads_with(const gpc_policy_env *env) {
    return GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC | (env->parameters[BYPASS] > 0 ? GPC_READS_ADMISSION : 0);
}

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    sdbp_state *state = self;
    gpci_sdbp_state(&state->tables, visit, user_data);
}

static bool counter(void *self, size_t index, gpc_policy_counter *out) {
    return gpci_sdbp_counter(&((const sdbp_state *)self)->tables, index, out);
}

const gpc_replacement_ops gpci_sdbp_policy = {
    .struct_size = sizeof(gpc_replacement_ops),
    .counter = counter,
    .state = state_of,
    .name = "sdbp",
    .summary = "evict lines that a sampler of PCs predicts dead first, then the least recent (bypass=1: let none in)",
    .source = "Khan, Tian and Jimenez, MICRO 2010",
    .instance_bytes = sizeof(sdbp_state),
    .set_bytes = sizeof(uint64_t),
    .line_bytes = sizeof(gpci_lru_link) + 1,
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
    .declines = declines,
    .reads = GPC_READS_PLACE | GPC_READS_ADDRESS | GPC_READS_PC | GPC_READS_ADMISSION,
    .reads_with = reads_with,
};
