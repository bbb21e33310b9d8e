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
    const gpci_stage_sum *a = (const gpci_stage_sum *)sums + index, *b = key;
    return a->pc == b->pc && a->kernel == b->kernel && a->kind == b->kind && a->level == b->level;
}

gpc_status gpci_stage_times_reserve(gpci_timed *t, uint32_t lines) {
    gpci_stage_times *s = t->stage_times;
    /* a store's copy is a further line */
    if (!GPCI_ARRAY_ROOM(t->context, s->lines, s->line_room, s->line_live, 2 * (size_t)lines + s->line_live) ||
        !GPCI_ARRAY_ROOM(t->context, s->sums, s->sum_room, s->sum_count, t->in_flight + 2) || /* and of a fence */
        !gpci_slots_reserve(t->context, &s->slots, s->sums, s->sum_count, t->in_flight + 2, hash_at))
        return GPC_ERROR_MEMORY;
    return gpci_stage_times_reserve_inflights(t);
}

gpc_status gpci_stage_times_reserve_inflights(gpci_timed *t) {
    gpci_stage_times *s = t->stage_times;
    const size_t had = s->access_room;
    if (!GPCI_ARRAY_ROOM(t->context, s->accesses, s->access_room, 0, t->inflight_room))
        return GPC_ERROR_MEMORY;
    if (s->access_room > had) /* snapshots contain all, though fences begin none */
        memset(s->accesses + had, 0, (s->access_room - had) * sizeof *s->accesses);
    return GPC_OK;
}

/* The sum for an access; room must exist. */
static gpci_stage_sum *sum_of(gpci_stage_times *s, const gpci_stage_sum *key) {
    const uint64_t hash = hash_of(key);
    uint32_t index = gpci_slots_find(&s->slots, s->sums, hash, key, is_same);
    if (index == GPCI_NO_ENTRY) {
        index = s->sum_count++;
        s->sums[index] = *key;
        gpci_slots_add(&s->slots, hash, index);
    }
    return &s->sums[index];
}

void gpci_stage_times_done(gpci_timed *t, uint32_t inflight, gpc_completion *c) {
    gpci_stage_times *s = t->stage_times;
    gpci_access_stages *a = &s->accesses[inflight];
    if (c->fence)
        *a = (gpci_access_stages){.pc = UINT64_MAX, .end = c->issued, .kernel = t->h->kernel, .any = true};
    const gpc_stage rest = c->fence || a->acquires ? GPC_STAGE_COHERENCE : a->any ? GPC_STAGE_FILL : GPC_STAGE_QUEUE;
    a->spent[rest] += c->cycle - a->end;
    const gpci_stage_sum key = {
        .pc = a->pc, .kernel = a->kernel, .kind = (uint8_t)(c->fence ? GPC_KIND_COUNT : c->kind), .level = c->level};
    gpci_stage_sum *sum = sum_of(s, &key);
    const uint64_t cycles = c->cycle - c->issued;
    sum->accesses++;
    sum->latency += cycles;
    sum->longest = cycles > sum->longest ? cycles : sum->longest;
    for (uint32_t i = 0; i < GPC_STAGE_COUNT; i++) {
        sum->spent[i] += a->spent[i];
        s->total[i] += a->spent[i];
    }
    c->stages = a->spent;
    c->stage_count = GPC_STAGE_COUNT;
}

void gpci_stage_times_at_once(const gpci_timed *t, gpc_completion *c) {
    if (!t->stage_times)
        return;
    c->stages = none;
    c->stage_count = GPC_STAGE_COUNT;
}

void gpci_stage_times_reset(gpci_timed *t) {
    gpci_stage_times *s = t->stage_times;
    if (!s)
        return;
    gpci_slots_clear(&s->slots);
    s->sum_count = 0;
    memset(s->total, 0, sizeof s->total);
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

void gpci_stage_times_count(const gpci_timed *t, gpc_stats *stats) {
    if (t->stage_times)
        gpci_stage_times_add(t->stage_times->total, stats);
}

static void archive_sums(gpci_timed *t, gpci_archive *a) {
    gpci_stage_times *s = t->stage_times;
    const uint32_t count = (uint32_t)gpci_archive_count(a, s->sum_count, sizeof *s->sums);
    if (a->loading && a->status == GPC_OK &&
        (!GPCI_ARRAY_ROOM(t->context, s->sums, s->sum_room, 0, count + t->in_flight) ||
         !gpci_slots_reserve(t->context, &s->slots, s->sums, 0, count + t->in_flight, hash_at)))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    if (a->status < 0)
        return;
    gpci_archive_bytes(a, s->sums, count * sizeof *s->sums);
    for (uint32_t i = 0; a->loading && a->status == GPC_OK && i < count; i++)
        gpci_slots_add(&s->slots, hash_at(s->sums, i), i);
    s->sum_count = count;
    GPCI_ARCHIVE_FIELD(a, s->total);
}

void gpci_stage_times_archive(gpci_timed *t, gpci_archive *a) {
    gpci_stage_times *s = t->stage_times;
    if (a->status == GPC_OK && gpci_stage_times_reserve_inflights(t) < 0) /* as gpci_coherent_values_archive */
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    const uint32_t lines = (uint32_t)gpci_archive_count(a, s->line_fresh, sizeof *s->lines);
    if (a->loading && a->status == GPC_OK && !GPCI_ARRAY_ROOM(t->context, s->lines, s->line_room, 0, 2 * (size_t)lines))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    if (a->status < 0)
        return;
    s->line_fresh = lines;
    GPCI_ARCHIVE_FIELD(a, s->line_free);
    GPCI_ARCHIVE_FIELD(a, s->line_live);
    GPCI_ARCHIVE_FIELD(a, s->serial);
    gpci_archive_bytes(a, s->lines, lines * sizeof *s->lines);
    gpci_archive_bytes(a, s->accesses, t->inflight_fresh * sizeof *s->accesses);
    archive_sums(t, a);
    gpci_pool_labels_state(&t->pool, gpci_archive_bytes, a);
    if (t->coherent)
        gpci_coherent_origins_archive(t, a);
}
