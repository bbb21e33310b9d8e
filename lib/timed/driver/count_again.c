/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/dram.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/core/timed.h"
#include "timed/ctrl/constant_cache.h"
#include "timed/ctrl/l15_ctrl.h"
#include "timed/ctrl/prefetch.h"
#include "timed/pages/l2_tlb.h"

/*
 * Second counts of counters, in the checking build, for the ledger (stats/ledger.h): a sum by packet in place of a sum
 * by cycle, or a count at another place of the same way. Without the checking build every second count is absent.
 */
#ifdef GPCI_CHECK

/* Core cycles of waits at the tags for a resource: cycles of ends minus cycles of begins. */
static uint64_t stalls(const gpci_ctrl *ctrl, gpc_busy reason, uint64_t now) {
    uint64_t cycles = ctrl->counts.stalls_again[reason];
    for (unsigned client = 0; client < 2; client++)
        cycles += ctrl->tag_access[client].reason == reason ? now : 0;
    return cycles;
}

static uint64_t read_only_stalls(const gpci_ctrl *ctrl, uint64_t now) {
    return stalls(ctrl, GPC_BUSY_MSHR, now) + stalls(ctrl, GPC_BUSY_MERGE, now) +
           stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
}

static void count_l1_stalls(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_ctrl_counts *counts = &ctrl->counts;
    stats->l1_line_stalls += stalls(ctrl, GPC_BUSY_LINE, now);
    stats->l1_mshr_stalls += stalls(ctrl, GPC_BUSY_MSHR, now);
    stats->l1_merge_stalls += stalls(ctrl, GPC_BUSY_MERGE, now);
    stats->l1_queue_stalls += stalls(ctrl, GPC_BUSY_MISS_QUEUE, now);
    stats->l1_network_stalls += counts->unsent_again + (ctrl->unsent.since != GPCI_NEVER ? now : 0);
    stats->l1_reply_stalls += counts->replies_again + (ctrl->replies.since != GPCI_NEVER ? now : 0);
    stats->l1_line_bypasses += counts->passed_again[GPC_BUSY_LINE];
    stats->l1_mshr_bypasses += counts->passed_again[GPC_BUSY_MSHR];
    stats->l1_queue_bypasses += counts->passed_again[GPC_BUSY_MISS_QUEUE];
    stats->bulk_stalls += counts->copy_stalls_again;
    stats->l1_data_turns += counts->data_turns_again;
    stats->l1_data_conflicts += counts->data_turns_again - counts->data_accesses_again;
}

static void count_l1(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    stats->l1_queue_cycles += gpci_gauge_sum_again(&ctrl->sm.gauge, now);
    stats->l1_miss_queue_cycles += gpci_gauge_sum_again(&ctrl->out.gauge, now);
    stats->l1_data_waits += ctrl->counts.data_waits_again;
    stats->network_reply_bytes += ctrl->counts.reply_bytes_again;
    stats->network_request_bytes += ctrl->counts.request_bytes_again;
    stats->l1_combined_requests += ctrl->counts.combined_again;
    stats->l2_merged_sectors += ctrl->counts.merged_again;
    stats->l1_write_back_sectors += ctrl->counts.around_again;
    count_l1_stalls(ctrl, now, stats);
    gpci_parts_count_again(ctrl, now, stats);
}

/* Prefetched lines without an outcome: marked, or dropped while marked. */
static uint64_t unused_lines(const gpci_prefetch *prefetch) {
    uint64_t lines = prefetch->counts.lost;
    for (uint32_t slot = 0; slot < prefetch->slots; slot++)
        lines += prefetch->marks[slot] != 0;
    return lines;
}

/* Count by subtraction: lines that a prefetcher has asked for are sent, redundant, dropped, or still queued. */
static void count_prefetches(const gpci_prefetch *prefetch, uint64_t *redundant, uint64_t *dropped) {
    const gpci_prefetch_counts *counts = &prefetch->counts;
    const uint64_t rest = counts->asked - counts->sent - prefetch->count;
    *redundant += rest - counts->outcomes[GPC_PREFETCH_DROPPED];
    *dropped += rest - counts->outcomes[GPC_PREFETCH_REDUNDANT];
}

static void count_slice(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    stats->l2_queue_cycles += gpci_gauge_sum_again(&ctrl->in.gauge, now);
    stats->l2_miss_queue_cycles +=
        gpci_gauge_sum_again(&ctrl->out.gauge, now) + gpci_gauge_sum_again(&ctrl->link.gauge, now);
    stats->l2_reply_queue_cycles += gpci_gauge_sum_again(&ctrl->served.gauge, now);
    stats->network_request_bytes += ctrl->counts.request_bytes_again;
    stats->l2_write_back_sectors += ctrl->counts.around_again;
    stats->l2_atomic_wait_cycles += ctrl->counts.atomic_waits_again;
    stats->l2_line_stalls += stalls(ctrl, GPC_BUSY_LINE, now);
    stats->l2_mshr_stalls += stalls(ctrl, GPC_BUSY_MSHR, now);
    stats->l2_merge_stalls += stalls(ctrl, GPC_BUSY_MERGE, now);
    stats->l2_queue_stalls += stalls(ctrl, GPC_BUSY_MISS_QUEUE, now) + stalls(ctrl, GPC_BUSY_NETWORK, now);
    stats->l2_congested_cycles += ctrl->counts.congested_again + (ctrl->congested.since != GPCI_NEVER ? now : 0);
    gpci_parts_count_again(ctrl, now, stats);
}

/* Pending sectors of L2 are brought by the reading SM itself, or by another SM. */
static void count_merged(const gpci_timed *timed, gpc_stats *stats) {
    for (uint32_t i = 0; i < timed->hierarchy->slices; i++)
        stats->l2_merged_sectors +=
            timed->hierarchy->of_slice[i].l2_pending_sector_hits - timed->l2[i].counts.own_pending_again;
}

/* Stages of instructions, and of all: both sum the same accesses. */
static void count_stages(const gpci_stage_times *times, gpc_stats *stats) {
    uint64_t spent[GPC_STAGE_COUNT] = {0}, latency = 0;
    for (uint32_t i = 0; i < times->sum_count; i++) {
        latency += times->sums[i].latency;
        for (unsigned stage = 0; stage < GPC_STAGE_COUNT; stage++)
            spent[stage] += times->sums[i].spent[stage];
    }
    spent[GPC_STAGE_QUEUE] = latency;
    for (unsigned stage = 0; stage < GPC_STAGE_COUNT; stage++)
        if (stage != GPC_STAGE_QUEUE)
            spent[GPC_STAGE_QUEUE] -= times->total[stage];
    gpci_stage_times_add(spent, stats);
}

void gpci_timed_count_again(gpci_timed *timed, gpc_stats *stats) {
    gpci_timed_fold(timed);
    const uint64_t now = timed->wheel.now;
    for (uint32_t i = 0; i < timed->hierarchy->sms; i++) {
        count_l1(&timed->l1[i], now, stats);
        if (!gpci_prefetch_of(&timed->l1[i]))
            continue;
        count_prefetches(gpci_prefetch_of(&timed->l1[i]), &stats->l1_redundant_prefetches,
                         &stats->l1_dropped_prefetches);
        stats->l1_prefetches += unused_lines(gpci_prefetch_of(&timed->l1[i]));
    }
    stats->l1_useful_prefetches = stats->l1_late_prefetches = stats->l1_unused_prefetches = stats->l1_prefetches;
    for (uint32_t i = 0; timed->l2 && i < timed->hierarchy->slices; i++) {
        count_slice(&timed->l2[i], now, stats);
        if (!gpci_prefetch_of(&timed->l2[i]))
            continue;
        count_prefetches(gpci_prefetch_of(&timed->l2[i]), &stats->l2_redundant_prefetches,
                         &stats->l2_dropped_prefetches);
        stats->l2_prefetches += unused_lines(gpci_prefetch_of(&timed->l2[i]));
    }
    stats->cycles = now - timed->counted_from;
    stats->l2_useful_prefetches = stats->l2_late_prefetches = stats->l2_unused_prefetches = stats->l2_prefetches;
    if (!timed->coherent)
        count_merged(timed, stats);
    if (timed->hierarchy->tlbs)
        gpci_l2_tlb_count_again(timed, stats);
    for (uint32_t i = 0; i < timed->hierarchy->l15_count; i++)
        stats->l15_stalls += read_only_stalls(&timed->l15[i], now);
    for (uint32_t i = 0; i < timed->hierarchy->gl1_count; i++)
        stats->gl1_stalls += read_only_stalls(&timed->gl1[i], now);
    for (uint32_t i = 0; timed->hierarchy->constants && i < timed->hierarchy->sms; i++)
        stats->const_stalls += read_only_stalls(gpci_constants_of(&timed->l1[i]), now);
    for (uint32_t i = 0; timed->memory_caches && i < timed->channels; i++)
        stats->memory_cache_stalls +=
            read_only_stalls(&timed->memory_caches[i], now) + stalls(&timed->memory_caches[i], GPC_BUSY_LINE, now);
    for (uint32_t i = 0; timed->dram && i < timed->channels; i++)
        gpci_dram_count_again(timed->dram, i, gpci_clock_own(timed->dram_clock, now), stats);
    if (timed->stage_times)
        count_stages(timed->stage_times, stats);
}

bool gpci_timed_cache_stats_again(const gpci_timed *timed, gpc_object kind, uint32_t index, uint64_t *out) {
    if (kind != GPC_OBJECT_L1 && kind != GPC_OBJECT_SLICE)
        return false;
    *out = (kind == GPC_OBJECT_L1 ? &timed->l1[index] : &timed->l2[index])->counts.no_victims_again;
    return true;
}

#endif
