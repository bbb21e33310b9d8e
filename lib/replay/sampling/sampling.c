/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sampling/sampling.h"

#include "base/array.h"
#include "hierarchy/objects.h"

#include <string.h>

/* Sampled replays: checks of the configuration, the result of a launch, and the functions for a host. */

static void note_kinds(gpci_sampling *s) {
    size_t rows;
    const gpci_counter_row *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (; rows-- && !info->ratio; info++)
        for (size_t k = 0; info->merge == GPC_MERGE_MAX && k < info->buckets; k++)
            s->kinds[info->offset / sizeof(uint64_t) + k] = GPCI_WORD_MAX;
#define TRACE(field) s->kinds[offsetof(gpc_stats, field) / sizeof(uint64_t)] = GPCI_WORD_TRACE
    TRACE(kernels);
    TRACE(blocks);
    TRACE(warp_instructions);
    TRACE(thread_instructions);
    TRACE(l1_load_requests);
    TRACE(l1_load_lines);
    TRACE(l1_touched_lines);
    TRACE(l1_load_sectors);
    TRACE(l1_load_bytes_used);
    TRACE(l1_load_bytes_moved);
    TRACE(l1_store_requests);
    TRACE(l1_store_sectors);
    TRACE(l1_atomic_requests);
    TRACE(l1_atomic_sectors);
    TRACE(energy_warp_instruction);
    TRACE(energy_thread_instruction);
#undef TRACE
}

/* Reject configurations that need complete launches, or that have no clock. */
static gpc_status check_config(const gpc_replay *replay, const char *mode, gpc_error *error) {
    const char *why = NULL;
    if (gpci_config_number(replay->config, GPCI_KEY_MODE) != 1)
        why = "mode = timed: without a clock nothing is estimated";
    else if (replay->hierarchy->coherent)
        why = "coherence = none or viper: a tree's modules are changed by messages alone";
    else if (replay->hierarchy->with_data)
        why = "coherence.data = false: values are those of all accesses";
    else if (replay->hierarchy->l1_future)
        why = "l1.future = false";
    else if (gpci_config_number(replay->config, GPCI_KEY_LIMIT_CYCLES))
        why = "no limit.cycles";
    else if (gpci_config_number(replay->config, GPCI_KEY_LIMIT_INSTRUCTIONS))
        why = "no limit.instructions";
    else if (gpci_config_number(replay->config, GPCI_KEY_SAMPLE) == GPCI_SAMPLE_INTERVALS &&
             gpci_config_number(replay->config, GPCI_KEY_SAMPLE_WARMING))
        why = "sample.warming = functional: what lies between is read";
    return why ? gpci_fail(error, GPC_ERROR_RANGE, "sample = %s needs %s", mode, why) : GPC_OK;
}

gpc_status gpci_sampling_create(gpc_replay *replay, gpc_error *error) {
    uint64_t mode = gpci_config_number(replay->config, GPCI_KEY_SAMPLE);
    if (mode == GPCI_SAMPLE_NONE)
        return GPC_OK;
    gpc_status status = check_config(replay, gpci_config_text(replay->config, GPCI_KEY_SAMPLE), error);
    if (status < 0)
        return status;
    gpci_sampling *sampling = replay->sampling = gpci_zalloc(replay->context, 1, sizeof *sampling);
    if (!sampling)
        return gpci_out_of_memory(error);
    sampling->mode = (gpci_sample_mode)mode;
    sampling->warming = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_WARMING) == 0;
    sampling->launches = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_LAUNCHES);
    sampling->every = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_EVERY);
    sampling->look = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_LOOK);
    sampling->windows = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_WINDOWS);
    sampling->settle = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_SETTLE);
    sampling->unit = mode == GPCI_SAMPLE_INTERVALS ? gpci_config_number(replay->config, GPCI_KEY_SAMPLE_UNIT) : 1;
    sampling->skip = gpci_config_number(replay->config, GPCI_KEY_SAMPLE_SKIP);
    sampling->distance = (double)gpci_config_number(replay->config, GPCI_KEY_SAMPLE_DISTANCE) / 100;
    sampling->tolerance = (double)gpci_config_number(replay->config, GPCI_KEY_SAMPLE_TOLERANCE) / 100;
    sampling->of_last.mode = sampling->of_all.mode = (uint32_t)mode;
    note_kinds(sampling);
    sampling->blocks.rates = gpci_zalloc(replay->context, sampling->windows, sizeof *sampling->blocks.rates);
    return sampling->blocks.rates ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_sampling_destroy(gpc_context *context, gpci_sampling *sampling) {
    if (!sampling)
        return;
    for (size_t g = 0; g < sampling->group_count; g++)
        gpci_free(context, sampling->groups[g]);
    gpci_free(context, sampling->groups);
    gpci_map_free(context, &sampling->pcs);
    gpci_map_free(context, &sampling->lines);
    gpci_free(context, sampling->blocks.rates);
    gpci_free(context, sampling);
}

void gpci_sampling_archive(gpc_replay *replay, gpci_archive *archive) {
    gpci_sampling *sampling = replay->sampling;
    const size_t first = offsetof(gpci_sampling, blocks.on), rates = offsetof(gpci_sampling, blocks.rates),
                 before = offsetof(gpci_sampling, blocks.before);
    gpci_archive_section(archive, "sampling");
    const size_t groups = (size_t)gpci_archive_count(archive, sampling->group_count, sizeof **sampling->groups);
    if (archive->loading && !GPCI_ARRAY_RESERVE(replay->context, sampling->groups, sampling->group_capacity, 0, groups))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    for (size_t g = 0; g < groups && archive->status == GPC_OK; g++) {
        if (archive->loading)
            sampling->groups[g] = gpci_zalloc(replay->context, 1, sizeof **sampling->groups);
        if (!sampling->groups[g]) {
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
            return;
        }
        sampling->group_count = archive->loading ? g + 1 : groups;
        gpci_archive_bytes(archive, sampling->groups[g], sizeof *sampling->groups[g]);
    }
    GPCI_ARCHIVE_FIELD(archive, sampling->last), GPCI_ARCHIVE_FIELD(archive, sampling->base),
        GPCI_ARCHIVE_FIELD(archive, sampling->of_last), GPCI_ARCHIVE_FIELD(archive, sampling->of_all),
        GPCI_ARCHIVE_FIELD(archive, sampling->any);
    gpci_archive_bytes(archive, (char *)sampling + first, rates - first);
    gpci_archive_bytes(archive, sampling->blocks.rates, sampling->windows * sizeof *sampling->blocks.rates);
    gpci_archive_bytes(archive, (char *)sampling + before, sizeof *sampling - before);
}

gpc_status gpci_sampling_check(const gpc_replay *replay, gpc_error *error) {
    const char *what = replay->objects          ? "values by object"
                       : replay->on_sample      ? "a time series"
                       : replay->hierarchy->log ? "a trace of events"
                                                : NULL;
    return what ? gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s: %s with sample = %s: there is none of what is not timed",
                            replay->kernel.file, what, gpci_config_text(replay->config, GPCI_KEY_SAMPLE))
                : GPC_OK;
}

static void to_words(const gpc_stats *stats, double *words) {
    for (size_t w = 1; w < GPCI_WORDS; w++) {
        uint64_t value;
        memcpy(&value, (const char *)stats + w * sizeof value, sizeof value);
        words[w] = (double)value;
    }
}

static void note_counts(gpci_sampling *sampling) {
    const gpc_sampling *last = &sampling->of_last;
    sampling->of_all.launches++;
    sampling->of_all.timed_launches += last->timed_launches;
    sampling->of_all.group = (uint32_t)sampling->group_count;
    sampling->of_all.windows += sampling->mode == GPCI_SAMPLE_KERNELS ? last->timed_launches : last->windows;
    sampling->of_all.timed_instructions += last->timed_instructions;
    sampling->of_all.warmed_instructions += last->warmed_instructions;
    sampling->of_all.skipped_blocks += last->skipped_blocks;
    sampling->any = true;
}

/* Estimate an untimed launch from the timed launches of the group. `warmed`: counts of a run without the clock. */
static void estimate_launch(gpc_replay *replay, const gpc_stats *warmed) {
    gpci_sampling *sampling = replay->sampling;
    gpci_alike *group = sampling->groups[sampling->of_last.group];
    double trace[GPCI_WORDS];
    gpci_units units;
    to_words(warmed, trace);
    for (size_t w = 1; w < GPCI_WORDS; w++)
        group->trace[w] += trace[w];
    gpci_alike_units(group, &units);
    sampling->of_last.windows = (uint64_t)units.count;
    sampling->of_last.skipped_blocks = replay->kernel.block_count;
    gpci_estimates_predict(&sampling->last, sampling->kinds, &units, 1, sampling->warming ? trace : NULL);
}

static void note_launch(gpc_replay *replay, const gpc_stats *timed, const gpc_stats *warmed) {
    gpci_sampling *sampling = replay->sampling;
    gpci_alike *group = sampling->groups[sampling->of_last.group];
    group->launches++;
    if (replay->skipping) {
        estimate_launch(replay, warmed);
        return;
    }
    gpci_estimates_count(&sampling->base, sampling->kinds, timed);
    if (group->timed++)
        gpci_units_add(&group->units, timed, 1);
    else
        group->first = *timed;
    sampling->of_last.windows = group->timed;
}

/* Estimate the parts of a launch outside the sample (`rest`) from the measured units. */
static void note_blocks(gpc_replay *replay, const gpc_stats *counted, const gpc_stats *rest) {
    gpci_sampling *sampling = replay->sampling;
    double trace[GPCI_WORDS], size = (double)rest->warp_instructions;
    to_words(rest, trace);
    gpci_estimates_count(&sampling->base, sampling->kinds, counted);
    sampling->of_last.windows = (uint64_t)sampling->blocks.units.count;
    sampling->of_last.skipped_blocks = sampling->warming ? sampling->blocks.warmed_blocks : gpci_blocks_left(replay);
    sampling->of_last.warmed_instructions = sampling->blocks.warmed;
    sampling->of_last.timed_instructions += rest->warp_instructions - sampling->blocks.warmed;
    if (!sampling->warming)
        size = (double)sampling->of_last.skipped_blocks;
    if (size <= 0)
        return;
    gpci_estimates_predict(&sampling->last, sampling->kinds, &sampling->blocks.units, size,
                           sampling->warming ? trace : NULL);
    gpci_estimates_predict(&sampling->base, sampling->kinds, &sampling->blocks.units, size,
                           sampling->warming ? trace : NULL);
}

void gpci_sampling_note(gpc_replay *replay, const gpc_stats *counted, const gpc_stats *rest, gpc_stats *stats) {
    gpci_sampling *sampling = replay->sampling;
    uint32_t group = sampling->of_last.group;
    memset(&sampling->last, 0, sizeof sampling->last);
    sampling->of_last = (gpc_sampling){.struct_size = sizeof sampling->of_last,
                                       .mode = sampling->mode,
                                       .group = group,
                                       .launches = 1,
                                       .timed_launches = !replay->skipping,
                                       .timed_instructions = counted->warp_instructions,
                                       .warmed_instructions = rest->warp_instructions};
    gpci_estimates_count(&sampling->last, sampling->kinds, counted);
    if (sampling->mode == GPCI_SAMPLE_KERNELS)
        note_launch(replay, counted, rest);
    else
        note_blocks(replay, counted, rest);
    gpci_estimates_round(&sampling->last, stats);
    note_counts(sampling);
}

static gpc_status scope_check(const char *function, const gpc_replay *replay, gpc_sampling_scope scope, const void *out,
                              gpc_error *error) {
    if (!replay || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", function, replay ? "out" : "replay");
    if ((unsigned)scope > GPC_SAMPLING_ALL)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %u is no gpc_sampling_scope", function, (unsigned)scope);
    if (!replay->sampling)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: sample = none: the replay has no sample", function);
    return replay->sampling->any ? GPC_OK : gpci_fail(error, GPC_ERROR_STATE, "%s: no kernel was run", function);
}

gpc_status gpc_replay_get_sampling(const gpc_replay *replay, gpc_sampling_scope scope, gpc_sampling *out,
                                   gpc_error *error) {
    gpc_status status = scope_check("gpc_replay_get_sampling", replay, scope, out, error);
    if (status < 0)
        return status;
    gpc_sampling found = scope == GPC_SAMPLING_ALL ? replay->sampling->of_all : replay->sampling->of_last;
    return gpci_give(out, &found, sizeof found, "gpc_sampling", error);
}

/* Estimate all launches so far. Untimed launches of a group are estimated from the timed launches of the group. */
static void estimate_all(const gpci_sampling *sampling, gpci_estimates *estimates) {
    *estimates = sampling->base;
    for (size_t g = 0; g < sampling->group_count; g++) {
        const gpci_alike *group = sampling->groups[g];
        if (group->launches == group->timed)
            continue;
        gpci_units units;
        gpci_alike_units(group, &units);
        gpci_estimates_predict(estimates, sampling->kinds, &units, (double)(group->launches - group->timed),
                               sampling->warming ? group->trace : NULL);
    }
}

/* True if the configuration measures the counter. */
static bool is_measured(const gpc_replay *replay, uint32_t id) {
    gpci_object_values none = {.has = {[GPC_TABLE_HIERARCHY] = true}};
    uint64_t value = GPC_ABSENT;
    gpc_status status = gpci_object_read(replay->hierarchy, GPC_OBJECT_WHOLE, true, &none, &id, 1, &value, 1,
                                         "gpc_replay_estimate", NULL);
    return status == GPC_OK && value != GPC_ABSENT;
}

gpc_status gpc_replay_estimate(const gpc_replay *replay, gpc_sampling_scope scope, uint32_t id, gpc_estimate *out,
                               gpc_error *error) {
    gpc_status status = scope_check("gpc_replay_estimate", replay, scope, out, error);
    if (status < 0)
        return status;
    const gpci_counter_row *info = gpci_counter(id);
    if (!info || info->table != GPC_TABLE_HIERARCHY || info->buckets != 1 ||
        !is_measured(replay, info->ratio ? info->numerator : id) ||
        (info->ratio && !is_measured(replay, info->denominator)))
        return gpci_fail(error, GPC_ERROR_NOT_FOUND,
                         "gpc_replay_estimate: no measured counter with one value has the id %u", id);
    gpci_estimates all;
    const gpci_estimates *estimates = &replay->sampling->last;
    if (scope == GPC_SAMPLING_ALL) {
        estimate_all(replay->sampling, &all);
        estimates = &all;
    }
    if (info->ratio && estimates->values[info->divisor / sizeof(uint64_t)] <= 0)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_replay_estimate: the denominator of %s is 0", info->name);
    gpc_estimate found = GPC_ESTIMATE_INIT;
    gpci_estimates_give(estimates, info, &found);
    return gpci_give(out, &found, sizeof found, "gpc_estimate", error);
}
