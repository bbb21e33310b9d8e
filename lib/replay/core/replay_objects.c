/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/core/timed_replay.h"

#include "hierarchy/ledger_check.h"
#include "hierarchy/objects.h"
#include "level/observe/energy.h"

#include <string.h>

/*
 * Counters of single objects (SMs, slices, networks) for the current kernel: present counters minus counters at the
 * start of the kernel. Kept only after gpc_replay_keep_objects, because an object takes a few kilobytes.
 */

struct gpci_kept_objects {
    bool kernel;                        /* a kernel was run: `before` is valid */
    size_t first[GPC_OBJECT_COUNT + 1]; /* [gpc_object] index of the kind's first object in `before` */
    gpci_object_values before[];
};

/* Present values of an object, with the counters that the replay keeps. */
static gpc_status get(const gpc_replay *replay, gpc_object kind, uint32_t index, gpci_object_values *values) {
    gpc_status status = gpci_object_values_get(replay->hierarchy, kind, index, values);
    if (status < 0)
        return status;
    if (kind == GPC_OBJECT_WHOLE) {
        gpci_replay_stats(replay, &values->stats);
    } else if (replay->timed && (kind == GPC_OBJECT_SM || kind == GPC_OBJECT_L1)) {
        values->stats.sm_cycles = 0; /* the hierarchy also counts cycles between kernels; the replay does not */
        gpci_timed_add_sm_stats(replay->timed, index, &values->stats);
        values->stats.warp_instructions += replay->timed->sms[index].counts.own;
        values->stats.thread_instructions += replay->timed->sms[index].counts.threads;
        gpci_energy_of(replay->config, gpci_unfilled_sectors(replay->hierarchy, kind, index), &values->stats);
    }
    return GPC_OK;
}

static gpc_status get_of(const void *replay, gpc_object kind, uint32_t index, gpci_object_values *values) {
    return get(replay, kind, index, values);
}

#ifdef GPCI_CHECK
static void again(const void *replay, gpc_stats *stats) {
    const gpc_replay *r = replay;
    const gpci_timed_replay *timed_replay = r->timed;
    for (uint32_t sm = 0; timed_replay && sm < r->sm_count; sm++) {
        const gpci_timed_sm *core = &timed_replay->sms[sm];
        gpci_stats_add(stats, &core->again);
        stats->sm_warp_cycles += gpci_gauge_sum_again(&core->warps_gauge, core->warps_gauge.since);
        stats->sm_active_cycles += gpci_gauge_sum_again(&core->blocks_gauge, core->blocks_gauge.since);
        stats->sm_bypass_warp_cycles += gpci_gauge_sum_again(&core->bypassing_gauge, core->bypassing_gauge.since);
        stats->sm_throttled_warp_cycles += gpci_gauge_sum_again(&core->throttled_gauge, core->throttled_gauge.since);
        gpci_icaches_count_again(timed_replay, core, stats);
    }
    stats->l1i_late_prefetches = stats->l1i_unused_prefetches = stats->l1i_prefetch_hits = stats->l1i_prefetches;
    /* l1i_accesses has the second count of misses, which the clauses of hits and merges need, too */
    stats->l1i_hits = stats->l1i_merges = stats->l1i_accesses;
}
#endif

void gpci_replay_check_ledger(const gpc_replay *replay) {
    const gpci_ledger_owner owner = {
        .hierarchy = replay->hierarchy,
        .data = replay,
        .get = get_of,
        .replayed = true,
#ifdef GPCI_CHECK
        .again = again,
#endif
    };
    gpci_ledger_ensure(&owner);
}

gpc_status gpc_replay_keep_objects(gpc_replay *replay, bool keep, gpc_error *error) {
    if (!replay)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_keep_objects: replay is NULL");
    if (keep && replay->objects)
        return GPC_OK;
    gpci_kept_objects *kept = NULL;
    if (keep) {
        size_t first[GPC_OBJECT_COUNT + 1] = {0};
        for (unsigned kind = 0; kind < GPC_OBJECT_COUNT; kind++)
            first[kind + 1] = first[kind] + gpc_hierarchy_object_count(replay->hierarchy, (gpc_object)kind);
        kept = gpci_zalloc(replay->context, 1, sizeof *kept + first[GPC_OBJECT_COUNT] * sizeof kept->before[0]);
        if (!kept)
            return gpci_out_of_memory(error);
        memcpy(kept->first, first, sizeof first);
    }
    gpci_free(replay->context, replay->objects);
    replay->objects = kept;
    return GPC_OK;
}

void gpci_replay_note_objects(gpc_replay *replay) {
    gpci_kept_objects *kept = replay->objects;
    kept->kernel = true;
    for (unsigned kind = 0; kind < GPC_OBJECT_COUNT; kind++)
        for (size_t i = 0; i < kept->first[kind + 1] - kept->first[kind]; i++)
            get(replay, (gpc_object)kind, (uint32_t)i, &kept->before[kept->first[kind] + i]);
}

void gpci_replay_archive_objects(gpc_replay *replay, gpci_archive *archive) {
    const bool keep = gpci_archive_number(archive, replay->objects != NULL) != 0;
    if (archive->loading && keep && gpc_replay_keep_objects(replay, true, NULL) < 0)
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    if (archive->status < 0 || !keep)
        return;
    GPCI_ARCHIVE_FIELD(archive, replay->objects->kernel);
    gpci_archive_bytes(archive, replay->objects->before,
                       replay->objects->first[GPC_OBJECT_COUNT] * sizeof replay->objects->before[0]);
}

/* Statistics of the last kernel, or, if a kernel is paused, of this kernel until now. */
static gpc_stats stats_of_kernel(const gpc_replay *replay) {
    gpc_stats stats = replay->last;
    if ((replay->trace || replay->parked) && replay->begun) {
        gpci_replay_stats(replay, &stats);
        gpci_stats_subtract(&stats, &replay->before);
    }
    gpci_hierarchy_forget(replay->hierarchy, true, &stats);
    return stats;
}

static gpc_status read_part(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                            size_t count, uint64_t *values, size_t value_count, const char *function,
                            gpc_error *error) {
    const gpci_kept_objects *kept = replay->objects;
    gpci_object_values object;
    if (!kept || !kept->kernel)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: no kernel was run since gpc_replay_keep_objects", function);
    if (get(replay, kind, index, &object) < 0)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s: no object of kind %d has the index %u", function, (int)kind,
                         index);
    gpci_object_values_subtract(&object, &kept->before[kept->first[kind] + index]);
    return gpci_object_read(replay->hierarchy, kind, true, &object, ids, count, values, value_count, function, error);
}

gpc_status gpci_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids,
                            size_t count, uint64_t *values, size_t value_count, const char *function,
                            gpc_error *error) {
    if (kind != GPC_OBJECT_WHOLE || index)
        return read_part(replay, kind, index, ids, count, values, value_count, function, error);
    if (!replay->has_last && !replay->begun)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: no kernel was run", function);
    const gpc_stats stats = stats_of_kernel(replay);
    return gpci_read_table(GPC_TABLE_HIERARCHY, &stats, ids, count, values, value_count, function, error);
}

gpc_status gpc_replay_read(const gpc_replay *replay, gpc_object kind, uint32_t index, const uint32_t *ids, size_t count,
                           uint64_t *values, size_t value_count, gpc_error *error) {
    return replay ? gpci_replay_read(replay, kind, index, ids, count, values, value_count, "gpc_replay_read", error)
                  : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_read: replay is NULL");
}

gpc_status gpc_replay_read_total(const gpc_replay *replay, const uint32_t *ids, size_t count, uint64_t *values,
                                 size_t value_count, gpc_error *error) {
    if (!replay)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_read_total: replay is NULL");
    gpc_stats stats = replay->total;
    gpci_hierarchy_forget(replay->hierarchy, true, &stats);
    return gpci_read_table(GPC_TABLE_HIERARCHY, &stats, ids, count, values, value_count, "gpc_replay_read_total",
                           error);
}
