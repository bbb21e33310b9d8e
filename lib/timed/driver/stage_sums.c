/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "timed/core/coherent.h"
#include "timed/core/stage_times.h"

#include <string.h>

/* Stages of completed accesses: for hosts, and summed by instruction, kind and level. */

static const uint64_t none[GPC_STAGE_COUNT];

static uint64_t hash_of(const gpci_stage_sum *sum) {
    return gpci_hash(sum->pc ^ gpci_hash((uint64_t)sum->kernel << 16 | (uint64_t)sum->kind << 8 | sum->level));
}

static uint64_t hash_at(const void *sums, uint32_t index) {
    return hash_of((const gpci_stage_sum *)sums + index);
}

static bool is_same(const void *sums, uint32_t index, const void *key) {
    const gpci_stage_sum *left = (const gpci_stage_sum *)sums + index, *right = key;
    return left->pc == right->pc && left->kernel == right->kernel && left->kind == right->kind &&
           left->level == right->level;
}

gpc_status gpci_stage_times_reserve(gpci_timed *timed, uint32_t lines) {
    gpci_stage_times *times = timed->stage_times;
    /* a store's copy is a further line */
    if (!GPCI_ARRAY_RESERVE(timed->context, times->lines, times->line_capacity, times->line_live,
                            2 * (size_t)lines + times->line_live) ||
        !GPCI_ARRAY_RESERVE(timed->context, times->sums, times->sum_capacity, times->sum_count,
                            timed->in_flight + 2) || /* a new access, and the fence before it */
        !gpci_slots_reserve(timed->context, &times->slots, times->sums, times->sum_count, timed->in_flight + 2,
                            hash_at))
        return GPC_ERROR_MEMORY;
    return gpci_stage_times_reserve_inflights(timed);
}

gpc_status gpci_stage_times_reserve_inflights(gpci_timed *timed) {
    gpci_stage_times *times = timed->stage_times;
    const size_t had = times->access_capacity;
    if (!GPCI_ARRAY_RESERVE(timed->context, times->accesses, times->access_capacity, 0, timed->inflight_capacity))
        return GPC_ERROR_MEMORY;
    if (times->access_capacity > had) /* a snapshot contains all elements, also of fences, which set none */
        memset(times->accesses + had, 0, (times->access_capacity - had) * sizeof *times->accesses);
    return GPC_OK;
}

/* The sum for an access; room must exist. */
static gpci_stage_sum *sum_of(gpci_stage_times *times, const gpci_stage_sum *key) {
    const uint64_t hash = hash_of(key);
    uint32_t index = gpci_slots_find(&times->slots, times->sums, hash, key, is_same);
    if (index == GPCI_NO_ENTRY) {
        index = times->sum_count++;
        times->sums[index] = *key;
        gpci_slots_add(&times->slots, hash, index);
    }
    return &times->sums[index];
}

void gpci_stage_times_done(gpci_timed *timed, uint32_t inflight, gpc_completion *completion) {
    gpci_stage_times *times = timed->stage_times;
    gpci_access_stages *stages = &times->accesses[inflight];
    if (completion->fence)
        *stages = (gpci_access_stages){
            .pc = UINT64_MAX, .end = completion->issued, .kernel = timed->hierarchy->kernel, .any = true};
    const gpc_stage rest = completion->fence || stages->acquires ? GPC_STAGE_COHERENCE
                           : stages->any                         ? GPC_STAGE_FILL
                                                                 : GPC_STAGE_QUEUE;
    stages->spent[rest] += completion->cycle - stages->end;
    const gpci_stage_sum key = {.pc = stages->pc,
                                .kernel = stages->kernel,
                                .kind = (uint8_t)(completion->fence ? GPC_KIND_COUNT : completion->kind),
                                .level = completion->level};
    gpci_stage_sum *sum = sum_of(times, &key);
    const uint64_t cycles = completion->cycle - completion->issued;
    sum->accesses++;
    sum->latency += cycles;
    sum->longest = cycles > sum->longest ? cycles : sum->longest;
    for (uint32_t i = 0; i < GPC_STAGE_COUNT; i++) {
        sum->spent[i] += stages->spent[i];
        times->total[i] += stages->spent[i];
    }
    completion->stages = stages->spent;
    completion->stage_count = GPC_STAGE_COUNT;
}

void gpci_stage_times_at_once(const gpci_timed *timed, gpc_completion *completion) {
    if (!timed->stage_times)
        return;
    completion->stages = none;
    completion->stage_count = GPC_STAGE_COUNT;
}

void gpci_stage_times_reset(gpci_timed *timed) {
    gpci_stage_times *times = timed->stage_times;
    if (!times)
        return;
    gpci_slots_clear(&times->slots);
    times->sum_count = 0;
    memset(times->total, 0, sizeof times->total);
}

void gpci_stage_times_add(const uint64_t total[GPC_STAGE_COUNT], gpc_stats *stats) {
    stats->stages_queue += total[GPC_STAGE_QUEUE];
    stats->stages_l1_stall += total[GPC_STAGE_L1_STALL];
    stats->stages_l1 += total[GPC_STAGE_L1];
    stats->stages_merged += total[GPC_STAGE_MERGED];
    stats->stages_request += total[GPC_STAGE_REQUEST];
    stats->stages_l2_queue += total[GPC_STAGE_L2_QUEUE];
    stats->stages_l2 += total[GPC_STAGE_L2];
    stats->stages_l2_merged += total[GPC_STAGE_L2_MERGED];
    stats->stages_partition += total[GPC_STAGE_PARTITION];
    stats->stages_dram_queue += total[GPC_STAGE_DRAM_QUEUE];
    stats->stages_dram += total[GPC_STAGE_DRAM];
    stats->stages_reply += total[GPC_STAGE_REPLY];
    stats->stages_fill += total[GPC_STAGE_FILL];
    stats->stages_coherence += total[GPC_STAGE_COHERENCE];
}

void gpci_stage_times_count(const gpci_timed *timed, gpc_stats *stats) {
    if (timed->stage_times)
        gpci_stage_times_add(timed->stage_times->total, stats);
}

static void archive_sums(gpci_timed *timed, gpci_archive *archive) {
    gpci_stage_times *times = timed->stage_times;
    const uint32_t count = (uint32_t)gpci_archive_count(archive, times->sum_count, sizeof *times->sums);
    if (archive->loading && archive->status == GPC_OK &&
        (!GPCI_ARRAY_RESERVE(timed->context, times->sums, times->sum_capacity, 0, count + timed->in_flight) ||
         !gpci_slots_reserve(timed->context, &times->slots, times->sums, 0, count + timed->in_flight, hash_at)))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    if (archive->status < 0)
        return;
    gpci_archive_bytes(archive, times->sums, count * sizeof *times->sums);
    for (uint32_t i = 0; archive->loading && archive->status == GPC_OK && i < count; i++)
        gpci_slots_add(&times->slots, hash_at(times->sums, i), i);
    times->sum_count = count;
    GPCI_ARCHIVE_FIELD(archive, times->total);
}

void gpci_stage_times_archive(gpci_timed *timed, gpci_archive *archive) {
    gpci_stage_times *times = timed->stage_times;
    if (archive->status == GPC_OK &&
        gpci_stage_times_reserve_inflights(timed) < 0) /* as gpci_coherent_values_archive */
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    const uint32_t lines = (uint32_t)gpci_archive_count(archive, times->line_fresh, sizeof *times->lines);
    if (archive->loading && archive->status == GPC_OK &&
        !GPCI_ARRAY_RESERVE(timed->context, times->lines, times->line_capacity, 0, 2 * (size_t)lines))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    if (archive->status < 0)
        return;
    times->line_fresh = lines;
    GPCI_ARCHIVE_FIELD(archive, times->line_free);
    gpci_archive_bytes(archive, times->lines, lines * sizeof *times->lines);
    times->line_live = 0;
    for (uint32_t i = 0; i < lines && archive->status == GPC_OK; i++)
        times->line_live += times->lines[i].serial & 1;
    gpci_archive_bytes(archive, times->accesses, timed->inflight_fresh * sizeof *times->accesses);
    archive_sums(timed, archive);
    gpci_pool_labels_state(&timed->pool, gpci_archive_bytes, archive);
    if (timed->coherent)
        gpci_coherent_origins_archive(timed, archive);
}
