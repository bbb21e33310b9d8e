/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

#include "level/observe/energy.h"
#include "replay/blocks/mbarriers.h"
#include "replay/sampling/sampling.h"
#include "replay/sm/icache.h"

/*
 * Timed replay of a kernel, from its launch to its last completion. Instruction prefetches in flight do not delay the
 * end.
 *
 * The first cycle of a kernel is the cycle after its launch: with `launch.cycles` = 0 the first instructions issue in
 * cycle 1, and a kernel with only EXIT takes one cycle.
 */

static bool finished(const gpci_timed_replay *t) {
    const gpc_replay *r = t->r;
    return !r->resident && !r->queued && r->ended && gpc_hierarchy_in_flight(r->hierarchy) == t->ahead;
}

static void begin_deeds(const gpci_timed_replay *t, gpci_sm_deeds *deeds) {
    *deeds = (gpci_sm_deeds){.first_pc = UINT64_MAX, .left = t->left};
}

/* Retire blocks in the order in which they ended (the list has the last first). */
static bool retire(gpc_replay *r, gpci_block_run *last) {
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
        gpci_dispatch_retire(r, run->sm, run);
    }
    return any;
}

/* Most instructions of all SMs in a cycle. */
static uint64_t most_issued(const gpci_timed_replay *t) {
    return (uint64_t)t->r->sm_count * t->schedulers * t->issue_width;
}

/* Near limit.instructions a single thread steps all SMs, to find the last instruction exactly. */
static void keep_alone(gpci_timed_replay *t, bool alone) {
    if (t->alone == alone || t->shards == 1)
        return;
    t->alone = alone;
    gpci_timed_keep_alone(t->r->hierarchy, alone);
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        t->sms[sm].deeds = &t->deeds[alone ? 0 : gpci_timed_shard_of(t->r->hierarchy, sm)];
}

static void begin_all(gpci_timed_replay *t) {
    for (uint32_t i = 0; i < t->shards; i++)
        begin_deeds(t, &t->deeds[i]);
    keep_alone(t, t->r->cluster_blocks > 1 || t->left <= most_issued(t));
}

static bool take_over(gpci_timed_replay *t, gpci_sm_deeds d) {
    gpc_replay *r = t->r;
    r->instructions += d.instructions;
    r->threads += d.threads;
    r->instructions_told += d.told;
    r->first_pc = d.first_pc < r->first_pc ? d.first_pc : r->first_pc;
    r->last_pc = d.last_pc > r->last_pc ? d.last_pc : r->last_pc;
    t->progress = d.progress > t->progress ? d.progress : t->progress;
    t->in_flight += d.in_flight;
    t->ahead += d.ahead;
    return retire(r, d.ended);
}

bool gpci_timed_take_over(gpci_timed_replay *t) {
    const uint64_t left = t->left;
    bool any = false;
    for (uint32_t i = 0; i < t->shards; i++) {
        t->left -= left - t->deeds[i].left;
        any |= take_over(t, t->deeds[i]);
    }
    begin_all(t);
    return any;
}

void gpci_timed_take_part(gpci_timed_replay *t) {
    const gpci_sm_front_end front = {.user_data = t,
                                     .most = t->schedulers * t->issue_width + gpci_icaches_lines(t),
                                     .step = gpci_sm_step,
                                     .expect = gpci_sm_expect,
                                     .alone = gpci_sm_alone,
                                     .hand_over = gpci_sm_hand_over,
                                     .complete = gpci_sm_complete,
                                     .ready = gpci_sm_ready,
                                     .cache_event = t->wants_events ? gpci_sm_cache_event : NULL};
    gpci_timed_attach(t->r->hierarchy, &front);
    gpci_icaches_begin(t, &t->r->kernel, t->r->stream, 0);
    gpci_timed_keep_in_step(t->r->hierarchy, t->r->cluster_blocks > 1);
    begin_all(t);
    t->status = GPC_OK;
    t->error = (gpc_error)GPC_ERROR_INIT;
    t->stopped = false;
}

/* Begin the time series: at the start of a kernel, or when the host changes the interval. */
static void begin_samples(gpci_timed_replay *t, const gpc_stats *stats) {
    const gpc_replay *r = t->r;
    t->sample_interval = r->on_sample ? r->sample_interval : 0;
    t->next_sample = r->on_sample ? gpci_timed_now(r->hierarchy) + r->sample_interval : GPCI_NEVER;
    t->sampled = *stats;
}

void gpci_timed_tell_kernel(gpci_timed_replay *t, const char *name) {
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        for (uint32_t n = 0; n < t->schedulers; n++)
            gpc_scheduler_begin_kernel(t->sms[sm].issuers[n].scheduler, name);
}

void gpci_timed_begin(gpci_timed_replay *t) {
    gpc_replay *r = t->r;
    t->launched = gpci_timed_now(r->hierarchy);
    t->first_start = t->launched + 1 + (r->blocks ? 0 : t->launch_cycles); /* a resumed launch has no latency */
    t->progress = t->first_start;
    t->counted = t->in_flight = t->ahead = 0;
    t->left = t->limit_instructions ? t->limit_instructions : GPCI_NEVER;
    gpci_timed_take_part(t);
    gpci_icaches_launch(t);
    begin_samples(t, &r->before);
    t->next_vote = GPCI_NEVER;
    if (r->policies_vote || t->wants_samples) /* a period may span launches */
        t->next_vote = t->voted + r->policy_period > t->launched ? t->voted + r->policy_period : t->launched + 1;
    for (uint32_t sm = 0; sm < r->sm_count; sm++) {
        gpci_timed_sm *m = &t->sms[sm];
        m->warps_gauge.since = m->blocks_gauge.since = t->launched + 1;
        m->bypassing_gauge.since = m->throttled_gauge.since = t->launched + 1;
        gpci_icaches_count_from(t, m, t->launched + 1);
        for (uint32_t n = 0; n < t->schedulers; n++)
            m->issuers[n].since = t->launched + 1;
    }
}

/* Account for the kernel's cycles up to number `cycle`. */
static void count_cycles(gpci_timed_replay *t, uint64_t cycle) {
    t->cycles += cycle - t->counted;
    t->counted = cycle;
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        gpci_sm_account(t, sm, t->launched + cycle + 1);
}

void gpci_timed_add_sm_stats(const gpci_timed_replay *t, uint32_t sm, gpc_stats *stats) {
    const gpci_timed_counts *c = &t->sms[sm].counts;
    stats->sm_cycles += t->cycles;
    stats->sm_active_cycles += c->active;
    stats->cluster_accesses += c->cluster_accesses;
    stats->cluster_bytes += c->cluster_bytes;
    stats->cluster_barriers += c->cluster_barriers;
    stats->mbarrier_phases += c->mbarrier_phases;
    stats->mbarrier_arrivals += c->mbarrier_arrivals;
    stats->mbarrier_checks += c->mbarrier_checks;
    stats->mbarrier_untold_checks += c->mbarrier_untold;
    stats->copy_groups += c->copy_groups;
    stats->l1i_accesses += c->l1i_accesses;
    stats->l1i_hits += c->l1i_hits;
    stats->l1i_merges += c->l1i_merges;
    stats->l1i_wait_cycles += c->l1i_waits;
    stats->l1i_prefetches += c->l1i_prefetches;
    stats->l1i_prefetch_hits += c->l1i_prefetch_hits;
    stats->l1i_late_prefetches += c->l1i_late_prefetches;
    stats->l1i_unused_prefetches += c->l1i_unused_prefetches;
    stats->copy_waits += c->copy_waits;
    stats->copy_wait_cycles += c->copy_wait_cycles;
    stats->sm_warp_cycles += c->warps;
    stats->sm_cache_warp_cycles += c->warps - c->bypassing - c->throttled;
    stats->sm_bypass_warp_cycles += c->bypassing;
    stats->sm_throttled_warp_cycles += c->throttled;
    stats->sm_cache_instructions += c->instructions - c->by_bypassing;
    stats->sm_bypass_instructions += c->by_bypassing;
    stats->scheduler_cycles += t->cycles * t->schedulers;
    stats->scheduler_issued += c->classes[GPCI_CYCLE_ISSUED];
    stats->scheduler_empty += c->classes[GPCI_CYCLE_EMPTY];
    stats->scheduler_memory_stalls += c->classes[GPCI_CYCLE_MEMORY];
    stats->scheduler_line_stalls += c->line;
    stats->scheduler_mshr_stalls += c->mshr;
    stats->scheduler_unit_stalls += c->classes[GPCI_CYCLE_UNIT];
    stats->scheduler_load_stalls += c->classes[GPCI_CYCLE_LOAD];
    stats->scheduler_latency_stalls += c->classes[GPCI_CYCLE_LATENCY];
    stats->scheduler_barrier_stalls += c->classes[GPCI_CYCLE_BARRIER];
    stats->scheduler_throttled += c->classes[GPCI_CYCLE_THROTTLED];
}

void gpci_timed_stats(const gpci_timed_replay *t, gpc_stats *stats) {
    gpci_hierarchy_stats(t->r->hierarchy, stats);
    stats->cycles = t->cycles; /* the hierarchy's count continues between kernels */
    stats->sm_cycles = 0;
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        gpci_timed_add_sm_stats(t, sm, stats);
    gpci_energy_of(t->r->config, stats);
}

static void sample(gpci_timed_replay *t, const gpc_stats *now) {
    gpc_replay *r = t->r;
    gpc_stats interval = *now;
    gpci_stats_subtract(&interval, &t->sampled);
    t->sampled = *now;
    gpci_replay_give(r, &interval, r->sample_layout, r->sample_stats);
    r->on_sample(r->sample_data, t->launched + t->counted, r->sample_stats);
}

void gpci_timed_stats_at(gpci_timed_replay *t, uint64_t now, gpc_stats *stats) {
    count_cycles(t, now - t->launched);
    gpci_replay_count(t->r);
    gpci_timed_stats(t, stats);
}

static void sample_if_due(gpci_timed_replay *t, uint64_t now) {
    if (now < t->next_sample)
        return;
    gpc_stats stats;
    gpci_timed_stats_at(t, now, &stats);
    sample(t, &stats);
    t->next_sample = now + t->r->sample_interval;
}

static void end_period_if_due(gpci_timed_replay *t, uint64_t now) {
    if (now < t->next_vote)
        return;
    count_cycles(t, now - t->launched);
    gpci_timed_end_period(t, now);
}

void gpci_timed_last_sample(gpci_timed_replay *t, const gpc_stats *stats) {
    if (t->r->on_sample)
        sample(t, stats);
}

/* True if an SM waits for a known cycle: no deadlock, however long the wait. */
static bool anything_due(const gpci_timed_replay *t) {
    bool due = false;
    for (uint32_t sm = 0; sm < t->r->sm_count; sm++)
        due |= t->sms[sm].calendar_used || t->sms[sm].first_start;
    return due;
}

static gpc_status check_progress(gpci_timed_replay *t, uint64_t now, gpc_error *error) {
    if (now < t->progress || now - t->progress < t->deadlock_cycles)
        return GPC_OK;
    if (!anything_due(t))
        return gpci_timed_stuck(t, error);
    t->progress = now;
    return GPC_OK;
}

/* Latest cycle to which the clock may advance without events. */
static uint64_t horizon(const gpci_timed_replay *t) {
    uint64_t until = t->progress + t->deadlock_cycles;
    if (t->limit_cycles && t->launched + t->limit_cycles < until)
        until = t->launched + t->limit_cycles;
    until = t->next_vote < until ? t->next_vote : until;
    until = t->r->pause_at < until ? t->r->pause_at : until;
    until = gpci_cluster_messages_next(t) < until ? gpci_cluster_messages_next(t) : until;
    return t->next_sample < until ? t->next_sample : until;
}

/* Run one cycle with events. */
static gpc_status turn(gpci_timed_replay *t, gpc_error *error) {
    gpc_replay *r = t->r;
    gpc_status status = gpci_timed_run_cycle(r->hierarchy, horizon(t));
    /* samples may release throttled warps, and messages warps waiting for blocks of the cluster */
    if (status == GPC_END && (t->wants_samples || gpci_cluster_messages_next(t) != GPCI_NEVER))
        status = gpc_hierarchy_advance(r->hierarchy, horizon(t) - gpci_timed_now(r->hierarchy));
    const bool ended = gpci_timed_take_over(t);
    if (GPCI_UNLIKELY(t->messages.count != 0))
        gpci_cluster_messages_deliver(t, gpci_timed_now(r->hierarchy));
    if (status == GPC_END)
        return gpci_timed_stuck(t, error);
    if (status < 0)
        return gpci_fail(error, status, "%s: %s", r->kernel.file, gpc_status_string(status));
    if (t->status < 0)
        return gpci_fail(error, t->status, "%s", t->error.message);
    if (ended && GPCI_UNLIKELY(r->sampling != NULL))
        gpci_blocks_ended(r, gpci_timed_now(r->hierarchy));
    if (ended || GPCI_UNLIKELY(t->at_once))
        status = gpci_dispatch_fill(r, error);
    return status == GPC_OK ? gpci_replay_progress(r, error) : status;
}

/* End of a kernel: issue has stopped; drain accesses in flight. */
static gpc_status wind_up(gpci_timed_replay *t, gpc_error *error) {
    gpc_replay *r = t->r;
    t->stopped = true;
    gpc_status status = gpc_hierarchy_drain(r->hierarchy, error);
    gpci_timed_take_over(t);
    if (status == GPC_OK && t->in_flight) {
        char report[512] = "";
        gpci_timed_report(r->hierarchy, report, sizeof report);
        status = gpci_fail(error, GPC_ERROR_STATE, "%s: %llu accesses were accepted and never completed. %s",
                           r->kernel.file, (unsigned long long)t->in_flight, report);
    }
    gpci_timed_attach(r->hierarchy, NULL);
    t->messages.first = t->messages.count = 0;
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        gpci_sm_clear(t, sm);
    return status;
}

/* After a pause, adopt the host's new sample interval. */
static void follow_host(gpci_timed_replay *t, uint64_t now) {
    const gpc_replay *r = t->r;
    gpc_stats stats;
    if (t->sample_interval == (r->on_sample ? r->sample_interval : 0))
        return;
    gpci_timed_stats_at(t, now, &stats);
    begin_samples(t, &stats);
}

gpc_status gpci_timed_run(gpci_timed_replay *t, gpc_error *error) {
    gpc_replay *r = t->r;
    gpc_status status = gpci_dispatch_fill(r, error);
    uint64_t now = gpci_timed_now(r->hierarchy);
    follow_host(t, now);
    while (status == GPC_OK && !finished(t)) {
        if (now >= r->pause_at)
            return GPC_BUSY;
        status = turn(t, error);
        now = gpci_timed_now(r->hierarchy);
        if (t->limit_cycles && now - t->launched >= t->limit_cycles)
            t->stopped = true;
        if (status != GPC_OK || t->stopped || finished(t))
            break;
        sample_if_due(t, now);
        end_period_if_due(t, now);
        status = check_progress(t, now, error);
    }
    count_cycles(t, now - t->launched);
    gpc_status last = wind_up(t, status == GPC_OK ? error : NULL);
    return status == GPC_OK ? last : status;
}
