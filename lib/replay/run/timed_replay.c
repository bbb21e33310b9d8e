/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"
#include "hierarchy/objects.h"

#include "level/observe/energy.h"
#include "level/rules/level_rules.h"
#include "replay/blocks/mbarriers.h"
#include "replay/sampling/sampling.h"
#include "replay/sm/icache.h"

/*
 * Timed replay of a kernel, from the launch to the completion of the last access. The end does not wait for prefetches
 * of instructions in flight.
 *
 * The first cycle of a kernel is the cycle after its launch: with `launch.cycles` = 0 the first instructions issue in
 * cycle 1, and a kernel with only EXIT takes one cycle.
 */

static bool finished(const gpci_timed_replay *timed_replay) {
    const gpc_replay *replay = timed_replay->replay;
    return !replay->resident && !replay->queued && replay->ended &&
           gpc_hierarchy_in_flight(replay->hierarchy) == timed_replay->ahead;
}

static void begin_deeds(const gpci_timed_replay *timed_replay, gpci_sm_deeds *deeds) {
    *deeds = (gpci_sm_deeds){.first_pc = UINT64_MAX, .left = timed_replay->left};
}

/* Retire a list of ended blocks, in the order in which the blocks ended. `last`: the block that ended last. */
static bool retire(gpc_replay *replay, gpci_block_run *last) {
    gpci_block_run *first = NULL;
    while (last) {
        gpci_block_run *before = last->queued;
        last->queued = first;
        first = last;
        last = before;
    }
    const bool any = first != NULL;
    while (first) {
        gpci_block_run *run = first;
        first = run->queued;
        gpci_dispatch_retire(replay, run->sm, run);
    }
    return any;
}

/* Largest number of instructions that all SMs can issue in a cycle. */
static uint64_t most_issued(const gpci_timed_replay *timed_replay) {
    return (uint64_t)timed_replay->replay->sm_count * timed_replay->schedulers * timed_replay->issue_width;
}

/* If `alone`, let a single thread step all SMs from now on; otherwise, let each SM's shard step the SM. */
static void keep_alone(gpci_timed_replay *timed_replay, bool alone) {
    if (timed_replay->alone == alone || timed_replay->shards == 1)
        return;
    timed_replay->alone = alone;
    gpci_timed_keep_alone(timed_replay->replay->hierarchy, alone);
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++)
        timed_replay->sms[sm].deeds =
            &timed_replay->deeds[alone ? 0 : gpci_timed_shard_of(timed_replay->replay->hierarchy, sm)];
}

static void begin_all(gpci_timed_replay *timed_replay) {
    for (uint32_t i = 0; i < timed_replay->shards; i++)
        begin_deeds(timed_replay, &timed_replay->deeds[i]);
    keep_alone(timed_replay,
               timed_replay->replay->cluster_blocks > 1 || timed_replay->left <= most_issued(timed_replay));
}

static bool take_over(gpci_timed_replay *timed_replay, gpci_sm_deeds deeds) {
    gpc_replay *replay = timed_replay->replay;
    replay->instructions += deeds.instructions;
    replay->threads += deeds.threads;
    replay->instructions_told += deeds.told;
    replay->first_pc = deeds.first_pc < replay->first_pc ? deeds.first_pc : replay->first_pc;
    replay->last_pc = deeds.last_pc > replay->last_pc ? deeds.last_pc : replay->last_pc;
    timed_replay->progress = deeds.progress > timed_replay->progress ? deeds.progress : timed_replay->progress;
    timed_replay->in_flight += deeds.in_flight;
    timed_replay->ahead += deeds.ahead;
    return retire(replay, deeds.ended);
}

bool gpci_timed_take_over(gpci_timed_replay *timed_replay) {
    const uint64_t left = timed_replay->left;
    bool any = false;
    for (uint32_t i = 0; i < timed_replay->shards; i++) {
        timed_replay->left -= left - timed_replay->deeds[i].left;
        any |= take_over(timed_replay, timed_replay->deeds[i]);
    }
    begin_all(timed_replay);
    return any;
}

void gpci_timed_take_part(gpci_timed_replay *timed_replay) {
    const gpci_sm_front_end front = {.user_data = timed_replay,
                                     .most = timed_replay->schedulers * timed_replay->issue_width +
                                             gpci_icaches_lines(timed_replay),
                                     .step = gpci_sm_step,
                                     .expect = gpci_sm_expect,
                                     .alone = gpci_sm_alone,
                                     .hand_over = gpci_sm_hand_over,
                                     .complete = gpci_sm_complete,
                                     .ready = gpci_sm_ready,
                                     .cache_event = timed_replay->wants_events ? gpci_sm_cache_event : NULL};
    gpci_timed_attach(timed_replay->replay->hierarchy, &front);
    gpci_icaches_begin(timed_replay, &timed_replay->replay->kernel, timed_replay->replay->stream, 0);
    gpci_timed_keep_in_step(timed_replay->replay->hierarchy, timed_replay->replay->cluster_blocks > 1);
    begin_all(timed_replay);
    timed_replay->status = GPC_OK;
    timed_replay->error = (gpc_error)GPC_ERROR_INIT;
    timed_replay->stopped = false;
}

/* Begin the samples for on_sample: at the start of a kernel, or after the host has changed the interval. */
static void begin_samples(gpci_timed_replay *timed_replay, const gpc_stats *stats) {
    const gpc_replay *replay = timed_replay->replay;
    timed_replay->sample_interval = replay->on_sample ? replay->sample_interval : 0;
    timed_replay->next_sample =
        replay->on_sample ? gpci_timed_now(replay->hierarchy) + replay->sample_interval : GPCI_NEVER;
    timed_replay->sampled = *stats;
}

void gpci_timed_tell_kernel(gpci_timed_replay *timed_replay, const char *name) {
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++)
        for (uint32_t n = 0; n < timed_replay->schedulers; n++)
            gpc_scheduler_begin_kernel(timed_replay->sms[sm].issuers[n].scheduler, name, NULL);
}

void gpci_timed_begin(gpci_timed_replay *timed_replay) {
    gpc_replay *replay = timed_replay->replay;
    timed_replay->launched = gpci_timed_now(replay->hierarchy);
    timed_replay->first_start =
        timed_replay->launched + 1 +
        (replay->blocks ? 0 : timed_replay->launch_cycles); /* a sampled kernel that continues has no launch latency */
    timed_replay->progress = timed_replay->first_start;
    timed_replay->counted = timed_replay->in_flight = timed_replay->ahead = 0;
    timed_replay->left = timed_replay->limit_instructions ? timed_replay->limit_instructions : GPCI_NEVER;
    gpci_timed_take_part(timed_replay);
    gpci_icaches_launch(timed_replay);
    begin_samples(timed_replay, &replay->before);
    timed_replay->next_vote = GPCI_NEVER;
    if (replay->policies_vote || timed_replay->wants_samples) /* a sampling period may contain several kernels */
        timed_replay->next_vote = timed_replay->voted + replay->policy_period > timed_replay->launched
                                      ? timed_replay->voted + replay->policy_period
                                      : timed_replay->launched + 1;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
        gpci_timed_sm *core = &timed_replay->sms[sm];
        gpci_gauge *gauges[] = {&core->warps_gauge, &core->blocks_gauge, &core->bypassing_gauge,
                                &core->throttled_gauge};
        for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
            gpci_gauge_skip(gauges[i], timed_replay->launched + 1);
        gpci_icaches_count_from(timed_replay, core, timed_replay->launched + 1);
        for (uint32_t n = 0; n < timed_replay->schedulers; n++)
            core->issuers[n].since = timed_replay->launched + 1;
    }
}

/* Count the kernel's cycles up to its cycle number `cycle`. */
static void count_cycles(gpci_timed_replay *timed_replay, uint64_t cycle) {
    timed_replay->cycles += cycle - timed_replay->counted;
    timed_replay->counted = cycle;
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++)
        gpci_sm_account(timed_replay, sm, timed_replay->launched + cycle + 1);
}

void gpci_timed_add_sm_stats(const gpci_timed_replay *timed_replay, uint32_t sm, gpc_stats *stats) {
    const gpci_timed_counts *counts = &timed_replay->sms[sm].counts;
    stats->sm_cycles += timed_replay->cycles;
    stats->sm_active_cycles += counts->active;
    stats->cluster_accesses += counts->cluster_accesses;
    stats->cluster_bytes += counts->cluster_bytes;
    stats->cluster_barriers += counts->cluster_barriers;
    stats->mbarrier_phases += counts->mbarrier_phases;
    stats->mbarrier_arrivals += counts->mbarrier_arrivals;
    stats->mbarrier_checks += counts->mbarrier_checks;
    stats->mbarrier_untold_checks += counts->mbarrier_untold;
    stats->copy_groups += counts->copy_groups;
    stats->l1i_accesses += counts->l1i_accesses;
    stats->l1i_hits += counts->l1i_hits;
    stats->l1i_merges += counts->l1i_merges;
    stats->l1i_wait_cycles += counts->l1i_waits;
    stats->l1i_prefetches += counts->l1i_prefetches;
    stats->l1i_prefetch_hits += counts->l1i_prefetch_hits;
    stats->l1i_late_prefetches += counts->l1i_late_prefetches;
    stats->l1i_unused_prefetches += counts->l1i_unused_prefetches;
    stats->copy_waits += counts->copy_waits;
    stats->copy_wait_cycles += counts->copy_wait_cycles;
    stats->sm_warp_cycles += counts->warps;
    stats->sm_cache_warp_cycles += counts->warps - counts->bypassing - counts->throttled;
    stats->sm_bypass_warp_cycles += counts->bypassing;
    stats->sm_throttled_warp_cycles += counts->throttled;
    stats->sm_cache_instructions += counts->instructions - counts->by_bypassing;
    stats->sm_bypass_instructions += counts->by_bypassing;
    stats->scheduler_cycles += timed_replay->cycles * timed_replay->schedulers;
    stats->scheduler_issued += counts->classes[GPCI_CYCLE_ISSUED];
    stats->scheduler_empty += counts->classes[GPCI_CYCLE_EMPTY];
    stats->scheduler_memory_stalls += counts->classes[GPCI_CYCLE_MEMORY];
    stats->scheduler_line_stalls += counts->line;
    stats->scheduler_mshr_stalls += counts->mshr;
    stats->scheduler_unit_stalls += counts->classes[GPCI_CYCLE_UNIT];
    stats->scheduler_load_stalls += counts->classes[GPCI_CYCLE_LOAD];
    stats->scheduler_latency_stalls += counts->classes[GPCI_CYCLE_LATENCY];
    stats->scheduler_barrier_stalls += counts->classes[GPCI_CYCLE_BARRIER];
    stats->scheduler_throttled += counts->classes[GPCI_CYCLE_THROTTLED];
}

void gpci_timed_stats(const gpci_timed_replay *timed_replay, gpc_stats *stats) {
    gpci_hierarchy_stats(timed_replay->replay->hierarchy, stats);
    stats->cycles = timed_replay->cycles; /* the hierarchy also counts cycles between kernels */
    stats->sm_cycles = 0;
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++)
        gpci_timed_add_sm_stats(timed_replay, sm, stats);
    const gpc_replay *replay = timed_replay->replay;
    gpci_energy_of(replay->config, gpci_unfilled_sectors(replay->hierarchy, GPC_OBJECT_WHOLE, 0), stats);
}

static void sample(gpci_timed_replay *timed_replay, const gpc_stats *now) {
    gpc_replay *replay = timed_replay->replay;
    gpc_stats interval = *now;
    gpci_stats_subtract(&interval, &timed_replay->sampled);
    timed_replay->sampled = *now;
    gpci_hierarchy_forget(replay->hierarchy, true, &interval);
    replay->on_sample(replay->sample_data, timed_replay->launched + timed_replay->counted, &interval);
}

void gpci_timed_stats_at(gpci_timed_replay *timed_replay, uint64_t now, gpc_stats *stats) {
    count_cycles(timed_replay, now - timed_replay->launched);
    gpci_replay_count(timed_replay->replay);
    gpci_timed_stats(timed_replay, stats);
}

static void sample_if_due(gpci_timed_replay *timed_replay, uint64_t now) {
    if (now < timed_replay->next_sample)
        return;
    gpc_stats stats;
    gpci_timed_stats_at(timed_replay, now, &stats);
    sample(timed_replay, &stats);
    timed_replay->next_sample = now + timed_replay->replay->sample_interval;
}

static void end_period_if_due(gpci_timed_replay *timed_replay, uint64_t now) {
    if (now < timed_replay->next_vote)
        return;
    count_cycles(timed_replay, now - timed_replay->launched);
    gpci_timed_end_period(timed_replay, now);
}

void gpci_timed_last_sample(gpci_timed_replay *timed_replay, const gpc_stats *stats) {
    if (timed_replay->replay->on_sample)
        sample(timed_replay, stats);
}

/* True if an SM waits for a known cycle. A wait for a known cycle is no deadlock. */
static bool anything_due(const gpci_timed_replay *timed_replay) {
    bool due = false;
    for (uint32_t sm = 0; sm < timed_replay->replay->sm_count; sm++)
        due |= timed_replay->sms[sm].calendar_used || timed_replay->sms[sm].first_start;
    return due;
}

static gpc_status check_progress(gpci_timed_replay *timed_replay, uint64_t now, gpc_error *error) {
    if (now < timed_replay->progress || now - timed_replay->progress < timed_replay->deadlock_cycles)
        return GPC_OK;
    if (!anything_due(timed_replay) && gpci_timed_is_overdue(timed_replay->replay->hierarchy))
        return gpci_timed_stuck(timed_replay, error);
    timed_replay->progress = now;
    return GPC_OK;
}

/* Latest cycle to which the clock may advance if no event comes before. */
static uint64_t horizon(const gpci_timed_replay *timed_replay) {
    uint64_t until = timed_replay->progress + timed_replay->deadlock_cycles;
    if (timed_replay->limit_cycles && timed_replay->launched + timed_replay->limit_cycles < until)
        until = timed_replay->launched + timed_replay->limit_cycles;
    until = timed_replay->next_vote < until ? timed_replay->next_vote : until;
    until = timed_replay->replay->pause_at < until ? timed_replay->replay->pause_at : until;
    until = gpci_cluster_messages_next(timed_replay) < until ? gpci_cluster_messages_next(timed_replay) : until;
    return timed_replay->next_sample < until ? timed_replay->next_sample : until;
}

/* Advance to the next cycle with events, and run this cycle. */
static gpc_status turn(gpci_timed_replay *timed_replay, gpc_error *error) {
    gpc_replay *replay = timed_replay->replay;
    gpc_status status = gpci_timed_run_cycle(replay->hierarchy, horizon(timed_replay));
    /* no event comes, but a sample may release throttled warps, or a cluster message may open a barrier */
    if (status == GPC_END && (timed_replay->wants_samples || gpci_cluster_messages_next(timed_replay) != GPCI_NEVER))
        status =
            gpc_hierarchy_advance(replay->hierarchy, horizon(timed_replay) - gpci_timed_now(replay->hierarchy), NULL);
    const bool ended = gpci_timed_take_over(timed_replay);
    if (GPCI_UNLIKELY(timed_replay->messages.count != 0))
        gpci_cluster_messages_deliver(timed_replay, gpci_timed_now(replay->hierarchy));
    if (status == GPC_END)
        return gpci_timed_stuck(timed_replay, error);
    if (status < 0) {
        char room[GPCI_FAULT];
        return gpci_fail(error, status, "%s: %s", replay->kernel.file, gpci_fault_of(replay->hierarchy, status, room));
    }
    if (timed_replay->status < 0)
        return gpci_fail(error, timed_replay->status, "%s", timed_replay->error.message);
    if (ended && GPCI_UNLIKELY(replay->sampling != NULL))
        gpci_blocks_ended(replay, gpci_timed_now(replay->hierarchy));
    if (ended || GPCI_UNLIKELY(timed_replay->at_once))
        status = gpci_dispatch_fill(replay, error);
    return status == GPC_OK ? gpci_replay_progress(replay, error) : status;
}

/* End a kernel: stop issue, and wait for the accesses in flight. */
static gpc_status wind_up(gpci_timed_replay *timed_replay, gpc_error *error) {
    gpc_replay *replay = timed_replay->replay;
    timed_replay->stopped = true;
    gpc_status status = gpc_hierarchy_drain(replay->hierarchy, error);
    gpci_timed_take_over(timed_replay);
    if (status == GPC_OK && timed_replay->in_flight) {
        char report[512] = "";
        gpci_timed_report(replay->hierarchy, report, sizeof report);
        status = gpci_fail(error, GPC_ERROR_STATE, "%s: %llu accesses were accepted and never completed. %s",
                           replay->kernel.file, (unsigned long long)timed_replay->in_flight, report);
    }
    gpci_timed_attach(replay->hierarchy, NULL);
    timed_replay->messages.first = timed_replay->messages.count = 0;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        gpci_sm_clear(timed_replay, sm);
    return status;
}

/* After a pause, begin new samples if the host has changed on_sample or its interval. */
static void follow_host(gpci_timed_replay *timed_replay, uint64_t now) {
    const gpc_replay *replay = timed_replay->replay;
    gpc_stats stats;
    if (timed_replay->sample_interval == (replay->on_sample ? replay->sample_interval : 0))
        return;
    gpci_timed_stats_at(timed_replay, now, &stats);
    begin_samples(timed_replay, &stats);
}

gpc_status gpci_timed_run(gpci_timed_replay *timed_replay, gpc_error *error) {
    gpc_replay *replay = timed_replay->replay;
    gpc_status status = gpci_dispatch_fill(replay, error);
    uint64_t now = gpci_timed_now(replay->hierarchy);
    follow_host(timed_replay, now);
    while (status == GPC_OK && !finished(timed_replay)) {
        if (now >= replay->pause_at)
            return GPC_BUSY;
        status = turn(timed_replay, error);
        now = gpci_timed_now(replay->hierarchy);
        if (timed_replay->limit_cycles && now - timed_replay->launched >= timed_replay->limit_cycles)
            timed_replay->stopped = true;
        if (status != GPC_OK || timed_replay->stopped || finished(timed_replay))
            break;
        sample_if_due(timed_replay, now);
        end_period_if_due(timed_replay, now);
        status = check_progress(timed_replay, now, error);
    }
    count_cycles(timed_replay, now - timed_replay->launched);
    gpc_status last = wind_up(timed_replay, status == GPC_OK ? error : NULL);
    return status == GPC_OK ? last : status;
}
