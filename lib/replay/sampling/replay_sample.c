/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

/*
 * Sampling periods for voting cache policies, and for schedulers and their throttles. Both share one clock.
 *
 * A scheduler's sample is a gpc_stats of the period: some counters for its SM, the rest for the whole GPU. The sample
 * is built in place: only the counters of an SM (found in the table of counters) are replaced for each SM in turn. A
 * sample costs a few hundred instructions per SM.
 */

/*
 * Note the places of the counters kept per SM, or of the rest. Counters merged by MAX are left out: they have no
 * difference.
 */
static uint32_t note_places(uint32_t *places, bool by_sm) {
    uint32_t count = 0;
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (; rows-- && !info->ratio; info++) {
        bool of_sm = info->objects >> GPC_OBJECT_SM & 1 && info->kind != GPC_COUNTER_HISTOGRAM;
        for (size_t k = 0; info->merge == GPC_MERGE_SUM && of_sm == by_sm && k < info->buckets; k++)
            places[count++] = (uint32_t)(info->offset / sizeof(uint64_t) + k);
    }
    return count;
}

gpc_status gpci_sampler_create(gpci_timed_replay *t, gpc_error *error) {
    gpci_sampler *s = &t->sampler;
    gpc_context *context = t->r->context;
    s->places = gpci_zalloc(context, sizeof(gpc_stats) / sizeof(uint64_t), sizeof *s->places);
    if (!s->places)
        return gpci_out_of_memory(error);
    s->by_sm = note_places(s->places, true);
    s->rest = note_places(s->places + s->by_sm, false);
    s->seen = gpci_zalloc(context, (size_t)t->r->sm_count * s->by_sm + s->rest, sizeof *s->seen);
    return s->seen ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_sampler_destroy(gpci_timed_replay *t) {
    gpci_free(t->r->context, t->sampler.places);
    gpci_free(t->r->context, t->sampler.seen);
}

static void clear(gpc_stats *stats, const uint32_t *places, uint32_t count) {
    uint64_t *values = (uint64_t *)(void *)stats;
    for (uint32_t i = 0; i < count; i++)
        values[places[i]] = 0;
}

/* Subtract `seen` from each counter, and update `seen`. A counter that was reset starts from 0. */
static void since(gpc_stats *stats, const uint32_t *places, uint32_t count, uint64_t *seen) {
    uint64_t *values = (uint64_t *)(void *)stats;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = values[places[i]];
        values[places[i]] = value - (value < seen[i] ? 0 : seen[i]);
        seen[i] = value;
    }
}

/* Wake an SM in the next cycle if a sample changed its warps' eligibility. */
static void tell(gpci_timed_replay *t, uint32_t sm, const gpc_stats *stats, uint64_t now) {
    bool changed = false;
    for (uint32_t n = 0; n < t->schedulers; n++)
        changed |= gpci_scheduler_sample(t->sms[sm].issuers[n].scheduler, stats, now);
    if (changed)
        gpci_timed_wake(t->r->hierarchy, sm, now + 1);
}

static void sample_schedulers(gpci_timed_replay *t, uint64_t now) {
    const gpci_sampler *s = &t->sampler;
    const gpc_hierarchy *h = t->r->hierarchy;
    gpc_stats stats;
    gpc_stats_init(&stats);
    gpci_replay_count(t->r);
    gpci_hierarchy_add_rest(h, &stats);
    stats.cycles = t->cycles;
    since(&stats, s->places + s->by_sm, s->rest, s->seen + (size_t)t->r->sm_count * s->by_sm);
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++) {
        clear(&stats, s->places, s->by_sm);
        gpci_hierarchy_add_sm(h, sm, &stats);
        gpci_timed_add_sm_stats(t, sm, &stats);
        /* the hierarchy counts only memory instructions */
        stats.warp_instructions += t->sms[sm].counts.own;
        stats.thread_instructions += t->sms[sm].counts.threads;
        since(&stats, s->places, s->by_sm, s->seen + (size_t)sm * s->by_sm);
        tell(t, sm, &stats, now);
    }
}

static void sample_policies(gpci_timed_replay *t, uint64_t now) {
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++) {
        gpci_timed_sm *m = &t->sms[sm];
        t->r->samples[sm].active_cycles = m->counts.active - m->voted_active;
        t->r->samples[sm].instructions = m->counts.instructions - m->voted_instructions;
        m->voted_active = m->counts.active;
        m->voted_instructions = m->counts.instructions;
    }
    gpci_replay_sample(t->r, now, now - t->voted);
}

void gpci_timed_end_period(gpci_timed_replay *t, uint64_t now) {
    if (t->r->policies_vote)
        sample_policies(t, now);
    if (t->wants_samples)
        sample_schedulers(t, now);
    t->voted = now;
    t->next_vote = now + t->r->policy_period;
}
