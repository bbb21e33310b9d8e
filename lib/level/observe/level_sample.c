/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/hierarchy.h"

/* Pass samples of SMs to the policies that vote. */

static bool wants(gpc_cache *const *caches, uint32_t count) {
    for (uint32_t i = 0; caches && i < count; i++)
        if (caches[i]->replacement_ops->on_sample || caches[i]->predictor_ops->on_sample)
            return true;
    return false;
}

static bool module_wants(const gpci_module *m) {
    const gpc_replacement_ops *policy = m->policy ? m->policy->ops : NULL;
    const gpc_predictor_ops *predictor = m->predictor ? m->predictor->ops : NULL;
    return (policy && policy->on_sample) || (predictor && predictor->on_sample);
}

bool gpc_hierarchy_wants_samples(const gpc_hierarchy *h) {
    if (h && h->coherent) { /* L1s are alike, as are slices */
        const gpci_coherent *c = h->coherent;
        return module_wants(gpci_module_at(c->tree, 0)) ||
               (c->l2 && module_wants(gpci_module_at(c->tree, c->first_slice)));
    }
    return h && (wants(h->l1, h->sms) || wants(h->l2, h->slices));
}

/* Sample of a module: loads of a coherent L1, in lines; or requests to a slice. */
static void sample_module(gpci_module *m, gpc_sample *sample) {
    const bool l1 = m->level == 1;
    const uint64_t reads = l1 ? m->stats.loads : m->stats.read_requests;
    const uint64_t hits = l1 ? m->stats.load_hits : m->stats.read_request_hits;
    const gpc_replacement_ops *policy = m->policy ? m->policy->ops : NULL;
    const gpc_predictor_ops *predictor = m->predictor ? m->predictor->ops : NULL;
    if (reads < m->sampled_reads || hits < m->sampled_hits)
        m->sampled_reads = m->sampled_hits = 0;
    sample->reads = reads - m->sampled_reads;
    sample->read_hits = hits - m->sampled_hits;
    m->sampled_reads = reads;
    m->sampled_hits = hits;
    if (policy && policy->on_sample)
        policy->on_sample(m->policy->self, sample);
    if (predictor && predictor->on_sample)
        predictor->on_sample(m->predictor->self, sample);
}

gpc_status gpc_hierarchy_sample(gpc_hierarchy *h, const gpc_sample *samples) {
    if (!h || !samples)
        return GPC_ERROR_ARGUMENT;
    gpc_sample all = GPC_SAMPLE_INIT;
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        gpc_sample sample = GPC_SAMPLE_INIT;
        gpc_status status = gpci_take(&sample, sizeof sample, sizeof sample, &samples[sm], "gpc_sample", NULL);
        if (status < 0)
            return status;
    }
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        gpc_sample sample = samples[sm];
        if (h->l1)
            gpci_cache_sample(h->l1[sm], &sample);
        else if (h->coherent)
            sample_module(gpci_module_at(h->coherent->tree, sm), &sample);
        all.cycle = sample.cycle;
        all.cycles = sample.cycles;
        all.active_cycles += sample.active_cycles;
        all.instructions += sample.instructions;
    }
    for (uint32_t slice = 0; h->l2 && slice < h->slices; slice++)
        gpci_cache_sample(h->l2[slice], &all);
    const gpci_coherent *c = h->coherent;
    for (uint32_t slice = c && c->l2 ? c->first_slice : 0; c && c->l2 && slice < c->first_memory; slice++)
        sample_module(gpci_module_at(c->tree, slice), &all);
    return GPC_OK;
}
