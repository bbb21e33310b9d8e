/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/hierarchy.h"

/* Pass the periodic samples of SMs (gpc_sample) to policies with on_sample, for example votes. */

static bool wants(gpc_cache *const *caches, uint32_t count) {
    for (uint32_t i = 0; caches && i < count; i++)
        if (caches[i]->replacement_ops->on_sample || caches[i]->predictor_ops->on_sample)
            return true;
    return false;
}

static bool module_wants(const gpci_module *module) {
    const gpc_replacement_ops *policy = module->policy ? module->policy->ops : NULL;
    const gpc_predictor_ops *predictor = module->predictor ? module->predictor->ops : NULL;
    return (policy && policy->on_sample) || (predictor && predictor->on_sample);
}

bool gpc_hierarchy_wants_samples(const gpc_hierarchy *hierarchy) {
    if (hierarchy && hierarchy->coherent) { /* all L1s have the same policies; so have all slices */
        const gpci_coherent *coherent = hierarchy->coherent;
        return module_wants(gpci_module_at(coherent->tree, 0)) ||
               (coherent->l2 && module_wants(gpci_module_at(coherent->tree, coherent->first_slice)));
    }
    return hierarchy && (wants(hierarchy->l1, hierarchy->sms) || wants(hierarchy->l2, hierarchy->slices));
}

/* Pass a sample to the policies of a module, with the reads since the last sample: loads, or a slice's requests. */
static void sample_module(gpci_module *module, gpc_sample *sample) {
    const bool l1 = module->level == 1;
    const uint64_t reads = l1 ? module->stats.loads : module->stats.read_requests;
    const uint64_t hits = l1 ? module->stats.load_hits : module->stats.read_request_hits;
    const gpc_replacement_ops *policy = module->policy ? module->policy->ops : NULL;
    const gpc_predictor_ops *predictor = module->predictor ? module->predictor->ops : NULL;
    if (reads < module->sampled_reads || hits < module->sampled_hits)
        module->sampled_reads = module->sampled_hits = 0;
    sample->reads = reads - module->sampled_reads;
    sample->read_hits = hits - module->sampled_hits;
    module->sampled_reads = reads;
    module->sampled_hits = hits;
    if (policy && policy->on_sample)
        policy->on_sample(module->policy->self, sample);
    if (predictor && predictor->on_sample)
        predictor->on_sample(module->predictor->self, sample);
}

gpc_status gpc_hierarchy_sample(gpc_hierarchy *hierarchy, const gpc_sample *samples, gpc_error *error) {
    if (!hierarchy || !samples)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_sample: %s is NULL",
                         hierarchy ? "samples" : "hierarchy");
    gpc_sample all = GPC_SAMPLE_INIT;
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        gpc_sample sample = GPC_SAMPLE_INIT;
        gpc_status status = gpci_take(&sample, sizeof sample, sizeof sample, &samples[sm], "gpc_sample", error);
        if (status < 0)
            return status;
    }
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        gpc_sample sample = samples[sm];
        if (hierarchy->l1)
            gpci_cache_sample(hierarchy->l1[sm], &sample);
        else if (hierarchy->coherent)
            sample_module(gpci_module_at(hierarchy->coherent->tree, sm), &sample);
        all.cycle = sample.cycle;
        all.cycles = sample.cycles;
        all.active_cycles += sample.active_cycles;
        all.instructions += sample.instructions;
    }
    for (uint32_t slice = 0; hierarchy->l2 && slice < hierarchy->slices; slice++)
        gpci_cache_sample(hierarchy->l2[slice], &all);
    const gpci_coherent *coherent = hierarchy->coherent;
    for (uint32_t slice = coherent && coherent->l2 ? coherent->first_slice : 0;
         coherent && coherent->l2 && slice < coherent->first_memory; slice++)
        sample_module(gpci_module_at(coherent->tree, slice), &all);
    return GPC_OK;
}
