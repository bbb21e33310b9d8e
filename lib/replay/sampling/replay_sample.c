/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

/*
 * Sampling periods (policy_period) for cache policies that vote, and for schedulers and their throttles.
 *
 * A scheduler's sample is a gpc_stats of the period: some counters for the scheduler's SM, the other counters for the
 * whole GPU. All SMs use the same gpc_stats: for each SM in turn, only the counters of the SM are replaced. The CPU
 * executes a few hundred instructions per SM.
 */

/*
 * Find the places of the counters kept per SM (`by_sm`), or of the other counters. Omit maxima (GPC_MERGE_MAX), which
 * have no difference between two samples. Returns the number of places.
 */
static uint32_t note_places(uint32_t *places, bool by_sm) {
    uint32_t count = 0;
    size_t rows;
    const gpci_counter_row *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (; rows-- && !info->ratio; info++) {
        bool of_sm = info->objects >> GPC_OBJECT_SM & 1 && info->kind != GPC_COUNTER_HISTOGRAM;
        for (size_t k = 0; info->merge == GPC_MERGE_SUM && of_sm == by_sm && k < info->buckets; k++)
            places[count++] = (uint32_t)(info->offset / sizeof(uint64_t) + k);
    }
    return count;
}

gpc_status gpci_sampler_create(gpci_timed_replay *timed_replay, gpc_error *error) {
    gpci_sampler *sampler = &timed_replay->sampler;
    gpc_context *context = timed_replay->replay->context;
    sampler->places = gpci_zalloc(context, sizeof(gpc_stats) / sizeof(uint64_t), sizeof *sampler->places);
    if (!sampler->places)
        return gpci_out_of_memory(error);
    sampler->by_sm = note_places(sampler->places, true);
    sampler->rest = note_places(sampler->places + sampler->by_sm, false);
    sampler->seen = gpci_zalloc(context, (size_t)timed_replay->replay->sm_count * sampler->by_sm + sampler->rest,
                                sizeof *sampler->seen);
    return sampler->seen ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_sampler_destroy(gpci_timed_replay *timed_replay) {
    gpci_free(timed_replay->replay->context, timed_replay->sampler.places);
    gpci_free(timed_replay->replay->context, timed_replay->sampler.seen);
}

static void clear(gpc_stats *stats, const uint32_t *places, uint32_t count) {
    uint64_t *values = (uint64_t *)(void *)stats;
    for (uint32_t i = 0; i < count; i++)
        values[places[i]] = 0;
}

/* Subtract the values at the last sample (`seen`) from the counters, and update `seen`. A reset counter starts at 0. */
static void since(gpc_stats *stats, const uint32_t *places, uint32_t count, uint64_t *seen) {
    uint64_t *values = (uint64_t *)(void *)stats;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = values[places[i]];
        values[places[i]] = value - (value < seen[i] ? 0 : seen[i]);
        seen[i] = value;
    }
}

/* Give a sample to the schedulers of an SM. If other warps may issue now, step the SM in the next cycle. */
static void tell(gpci_timed_replay *timed_replay, uint32_t sm, const gpc_stats *stats, uint64_t now) {
    bool changed = false;
    for (uint32_t n = 0; n < timed_replay->schedulers; n++)
        changed |= gpci_scheduler_sample(timed_replay->sms[sm].issuers[n].scheduler, stats, now);
    if (changed)
        gpci_timed_wake(timed_replay->replay->hierarchy, sm, now + 1);
}

static void sample_schedulers(gpci_timed_replay *timed_replay, uint64_t now) {
    const gpci_sampler *sampler = &timed_replay->sampler;
    const gpc_hierarchy *hierarchy = timed_replay->replay->hierarchy;
    gpc_stats stats;
    gpci_stats_init(&stats);
    gpci_replay_count(timed_replay->replay);
    gpci_hierarchy_add_rest(hierarchy, &stats);
    stats.cycles = timed_replay->cycles;
    since(&stats, sampler->places + sampler->by_sm, sampler->rest,
          sampler->seen + (size_t)timed_replay->replay->sm_count * sampler->by_sm);
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++) {
        clear(&stats, sampler->places, sampler->by_sm);
        gpci_hierarchy_add_sm(hierarchy, sm, &stats);
        gpci_timed_add_sm_stats(timed_replay, sm, &stats);
        /* the hierarchy counts instructions with accesses; the SM counts the other instructions */
        stats.warp_instructions += timed_replay->sms[sm].counts.own;
        stats.thread_instructions += timed_replay->sms[sm].counts.threads;
        since(&stats, sampler->places, sampler->by_sm, sampler->seen + (size_t)sm * sampler->by_sm);
        tell(timed_replay, sm, &stats, now);
    }
}

static void sample_policies(gpci_timed_replay *timed_replay, uint64_t now) {
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++) {
        gpci_timed_sm *core = &timed_replay->sms[sm];
        timed_replay->replay->samples[sm].active_cycles = core->counts.active - core->voted_active;
        timed_replay->replay->samples[sm].instructions = core->counts.instructions - core->voted_instructions;
        core->voted_active = core->counts.active;
        core->voted_instructions = core->counts.instructions;
    }
    gpci_replay_sample(timed_replay->replay, now, now - timed_replay->voted);
}

void gpci_timed_end_period(gpci_timed_replay *timed_replay, uint64_t now) {
    if (timed_replay->replay->policies_vote)
        sample_policies(timed_replay, now);
    if (timed_replay->wants_samples)
        sample_schedulers(timed_replay, now);
    timed_replay->voted = now;
    timed_replay->next_vote = now + timed_replay->replay->policy_period;
}
