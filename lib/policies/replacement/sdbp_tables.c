/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/sdbp_tables.h"

#include "policies/control/counters.h"

#include <string.h>

enum { TABLES, ENTRIES, BITS, THRESHOLD, SAMPLER_SETS, SAMPLER_WAYS, SHARE, TAG_BITS, PC_BITS };

static uint32_t number(const gpc_policy_env *env, unsigned parameter) {
    return (uint32_t)env->parameters[parameter];
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Number of sampled sets, at least one. */
static uint32_t samplers_of(const gpc_policy_env *env) {
    uint32_t share = number(env, SHARE);
    return least(number(env, SAMPLER_SETS), env->sets / share + (env->sets % share != 0));
}

static uint32_t sampler_ways_of(const gpc_policy_env *env) {
    uint32_t given = number(env, SAMPLER_WAYS), scaled = env->ways * 3 / 4;
    return given ? given : scaled ? scaled : 1;
}

gpc_status gpci_sdbp_init(gpci_sdbp *sdbp, const gpc_policy_env *env, char *message) {
    uint32_t entries = number(env, ENTRIES), samplers = samplers_of(env);
    if (!gpci_power_of_two(entries))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "entries = %u is not a power of two", entries);
    *sdbp = (gpci_sdbp){.context = env->context,
                        .tables = number(env, TABLES),
                        .index_bits = gpci_log2(entries),
                        .threshold = number(env, THRESHOLD),
                        .ways = sampler_ways_of(env),
                        .sets = env->sets,
                        .line_shift = gpci_log2(env->line_bytes),
                        .tag_mask = (1u << number(env, TAG_BITS)) - 1,
                        .pc_mask = (1u << number(env, PC_BITS)) - 1,
                        .most = (uint8_t)((1u << number(env, BITS)) - 1)};
    sdbp->counters = gpci_zalloc(env->context, sdbp->tables, entries);
    sdbp->samplers = gpci_alloc(env->context, env->sets * sizeof *sdbp->samplers);
    sdbp->entries = gpci_zalloc(env->context, (size_t)samplers * sdbp->ways, sizeof *sdbp->entries);
    if (!sdbp->counters || !sdbp->samplers || !sdbp->entries) {
        gpci_sdbp_finish(sdbp);
        return GPC_ERROR_MEMORY;
    }
    memset(sdbp->samplers, 0xff, env->sets * sizeof *sdbp->samplers);
    for (uint32_t i = 0; i < samplers; i++)
        sdbp->samplers[(uint64_t)i * env->sets / samplers] = (uint16_t)i;
    return GPC_OK;
}

void gpci_sdbp_finish(gpci_sdbp *sdbp) {
    gpci_free(sdbp->context, sdbp->counters);
    gpci_free(sdbp->context, sdbp->samplers);
    gpci_free(sdbp->context, sdbp->entries);
}

static uint8_t *counter_of(const gpci_sdbp *sdbp, uint32_t table, uint32_t pc) {
    static const uint32_t odd[8] = {0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f,
                                    0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};
    uint32_t bits = sdbp->index_bits;
    return &sdbp->counters[((size_t)table << bits) + (bits ? (pc * odd[table]) >> (32 - bits) : 0)];
}

static void learn(gpci_sdbp *sdbp, uint32_t pc, bool dead) {
    for (uint32_t table = 0; table < sdbp->tables; table++) {
        uint8_t *counter = counter_of(sdbp, table, pc);
        if (dead)
            *counter += *counter < sdbp->most;
        else
            *counter -= *counter > 0;
    }
}

static bool dead_after(const gpci_sdbp *sdbp, uint32_t pc) {
    uint32_t sum = 0;
    for (uint32_t table = 0; table < sdbp->tables; table++)
        sum += *counter_of(sdbp, table, pc);
    return sum >= sdbp->threshold;
}

bool gpci_sdbp_dead_after(const gpci_sdbp *sdbp, uint64_t pc) {
    return dead_after(sdbp, (uint32_t)pc & sdbp->pc_mask);
}

/* Entry to replace: an unused entry, else the least recent dead entry, else the least recent entry. */
static uint32_t victim_of(const gpci_sdbp *sdbp, const gpci_sdbp_entry *entries) {
    uint32_t last = sdbp->ways - 1; /* unused entries stay behind used entries, because entries move to the front */
    if (!entries[last].valid)
        return last;
    for (uint32_t i = sdbp->ways; i-- > 0;)
        if (entries[i].dead)
            return i;
    return last;
}

static void sample(gpci_sdbp *sdbp, gpci_sdbp_entry *entries, uint32_t tag, uint32_t pc) {
    uint32_t at = 0;
    while (at < sdbp->ways && !(entries[at].valid && entries[at].tag == tag))
        at++;
    if (at < sdbp->ways) {
        learn(sdbp, entries[at].pc, false);
    } else {
        at = victim_of(sdbp, entries);
        if (entries[at].valid)
            learn(sdbp, entries[at].pc, true);
    }
    memmove(entries + 1, entries, at * sizeof *entries);
    entries[0] = (gpci_sdbp_entry){.tag = tag, .pc = pc, .valid = true, .dead = dead_after(sdbp, pc)};
}

bool gpci_sdbp_access(gpci_sdbp *sdbp, uint32_t set, const gpc_request *request) {
    uint32_t pc = (uint32_t)request->pc & sdbp->pc_mask;
    if (sdbp->samplers[set] != UINT16_MAX) {
        uint64_t tag = (request->address >> sdbp->line_shift) / sdbp->sets;
        sample(sdbp, sdbp->entries + (size_t)sdbp->samplers[set] * sdbp->ways, (uint32_t)tag & sdbp->tag_mask, pc);
    }
    bool dead = dead_after(sdbp, pc);
    sdbp->accesses++;
    sdbp->dead += dead;
    return dead;
}

bool gpci_sdbp_counter(const gpci_sdbp *sdbp, size_t index, gpc_policy_counter *counter) {
    const gpci_published rows[] = {
        {"accesses", "transactions", "accesses that were predicted", GPCI_COUNTS, sdbp->accesses},
        {"dead", "transactions", "of these, after which the block is dead", GPCI_COUNTS, sdbp->dead},
    };
    return GPCI_PUBLISH(rows, index, counter);
}

uint64_t gpci_sdbp_bits(const gpc_policy_env *env) {
    uint32_t ways = sampler_ways_of(env);
    uint64_t entry = number(env, TAG_BITS) + number(env, PC_BITS) + 2 + gpci_ceil_log2(ways);
    return (uint64_t)number(env, TABLES) * number(env, ENTRIES) * number(env, BITS) +
           (uint64_t)samplers_of(env) * ways * entry;
}

void gpci_sdbp_state(gpci_sdbp *sdbp, gpc_state_fn visit, void *user_data) {
    size_t samplers = 0;
    for (uint32_t set = 0; set < sdbp->sets; set++)
        samplers += sdbp->samplers[set] != UINT16_MAX;
    visit(user_data, sdbp->counters, (size_t)sdbp->tables << sdbp->index_bits);
    visit(user_data, sdbp->entries, samplers * sdbp->ways * sizeof *sdbp->entries);
    visit(user_data, &sdbp->accesses, sizeof sdbp->accesses);
    visit(user_data, &sdbp->dead, sizeof sdbp->dead);
}
