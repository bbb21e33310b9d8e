/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rpr_sampler.h"

gpc_status gpci_rpr_sampler_init(gpci_rpr_sampler *sampler, const gpc_policy_env *env, uint32_t every, void *tags,
                                 void *counters, char *message) {
    if (!gpci_power_of_two(every))
        return gpci_policy_refuse(message, GPC_ERROR_RANGE, "sample=%u is not a power of two", every);
    *sampler = (gpci_rpr_sampler){.tags = tags,
                                  .counters = counters,
                                  .ways = env->ways,
                                  .index = env->index,
                                  .skip = every - 1,
                                  .shift = gpci_log2(env->line_bytes) + gpci_log2(env->sets)};
    return GPC_OK;
}

uint64_t gpci_rpr_shared_bits(const gpc_policy_env *env, uint32_t every, uint32_t signature) {
    if (env->index)
        return 0;
    uint64_t tag = GPCI_RPR_TAG_BITS + 16 + signature, entry = GPCI_RPR_ENTRY_BITS;
    if ((1u << signature) > GPCI_RPR_ENTRIES)
        entry += signature;
    return GPCI_RPR_ENTRIES * entry + ((uint64_t)env->sets + every - 1) / every * (16 + env->ways * tag);
}

static uint32_t tag_of(const gpci_rpr_sampler *sampler, uint64_t address) {
    return ((uint32_t)(address >> sampler->shift) & (GPCI_RPR_TAG_VALID - 1)) | GPCI_RPR_TAG_VALID;
}

static gpci_rpr_tag *find(const gpci_rpr_sampler *sampler, uint32_t set, uint32_t tag) {
    gpci_rpr_tag *tags = sampler->tags + (size_t)set * sampler->ways;
    for (uint32_t way = 0; way < sampler->ways; way++)
        if (tags[way].tag == tag)
            return &tags[way];
    return NULL;
}

bool gpci_rpr_sample_access(gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set, uint64_t address) {
    uint16_t now = ++sampler->counters[set];
    gpci_rpr_tag *found = find(sampler, set, tag_of(sampler, address));
    if (!found)
        return false;
    gpci_rpr_hit_update(history, found->signature, (uint16_t)(now - found->last));
    found->last = now;
    return true;
}

void gpci_rpr_sample_enter(gpci_rpr_sampler *sampler, gpci_rpr_history *history, uint32_t set, uint64_t address,
                           uint32_t signature) {
    uint32_t tag = tag_of(sampler, address);
    if (find(sampler, set, tag))
        return;
    gpci_rpr_tag *tags = sampler->tags + (size_t)set * sampler->ways, *victim = tags;
    uint16_t now = sampler->counters[set];
    for (uint32_t way = 1; way < sampler->ways && victim->tag; way++)
        if (!tags[way].tag || (uint16_t)(now - tags[way].last) > (uint16_t)(now - victim->last))
            victim = &tags[way];
    *victim = (gpci_rpr_tag){tag, now, (uint16_t)signature};
    gpci_rpr_miss_update(history, signature);
}
