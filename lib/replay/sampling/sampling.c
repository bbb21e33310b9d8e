/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/sampling/sampling.h"

#include "base/array.h"
#include "hierarchy/objects.h"

#include <string.h>

/* Sampled replays: checks, the result of a launch, and the queries of a host. */

static void note_kinds(gpci_sampling *s) {
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
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

/* Reject configurations that need a complete launch, or have no clock. */
static gpc_status check_config(const gpc_replay *r, const char *mode, gpc_error *error) {
    const char *why = NULL;
    if (gpci_config_number(r->config, GPCI_KEY_MODE) != 1)
        why = "mode = timed: without a clock nothing is estimated";
    else if (r->hierarchy->coherent)
        why = "coherence = none or viper: a tree's modules are changed by messages alone";
    else if (r->hierarchy->with_data)
        why = "coherence.data = false: values are those of all accesses";
    else if (r->hierarchy->l1_future)
        why = "l1.future = false";
    else if (gpci_config_number(r->config, GPCI_KEY_LIMIT_CYCLES))
        why = "no limit.cycles";
    else if (gpci_config_number(r->config, GPCI_KEY_LIMIT_INSTRUCTIONS))
        why = "no limit.instructions";
    else if (gpci_config_number(r->config, GPCI_KEY_SAMPLE) == GPCI_SAMPLE_INTERVALS &&
             gpci_config_number(r->config, GPCI_KEY_SAMPLE_WARMING))
        why = "sample.warming = functional: what lies between is read";
    return why ? gpci_fail(error, GPC_ERROR_RANGE, "sample = %s needs %s", mode, why) : GPC_OK;
}

gpc_status gpci_sampling_create(gpc_replay *r, gpc_error *error) {
    uint64_t mode = gpci_config_number(r->config, GPCI_KEY_SAMPLE);
    if (mode == GPCI_SAMPLE_NONE)
        return GPC_OK;
    gpc_status status = check_config(r, gpci_config_text(r->config, GPCI_KEY_SAMPLE), error);
    if (status < 0)
        return status;
    gpci_sampling *s = r->sampling = gpci_zalloc(r->context, 1, sizeof *s);
    if (!s)
        return gpci_out_of_memory(error);
    s->mode = (gpci_sample_mode)mode;
    s->warming = gpci_config_number(r->config, GPCI_KEY_SAMPLE_WARMING) == 0;
    s->launches = gpci_config_number(r->config, GPCI_KEY_SAMPLE_LAUNCHES);
    s->every = gpci_config_number(r->config, GPCI_KEY_SAMPLE_EVERY);
    s->look = gpci_config_number(r->config, GPCI_KEY_SAMPLE_LOOK);
    s->windows = gpci_config_number(r->config, GPCI_KEY_SAMPLE_WINDOWS);
    s->settle = gpci_config_number(r->config, GPCI_KEY_SAMPLE_SETTLE);
    s->unit = mode == GPCI_SAMPLE_INTERVALS ? gpci_config_number(r->config, GPCI_KEY_SAMPLE_UNIT) : 1;
    s->skip = gpci_config_number(r->config, GPCI_KEY_SAMPLE_SKIP);
    s->distance = (double)gpci_config_number(r->config, GPCI_KEY_SAMPLE_DISTANCE) / 100;
    s->tolerance = (double)gpci_config_number(r->config, GPCI_KEY_SAMPLE_TOLERANCE) / 100;
    s->of_last.mode = s->of_all.mode = (uint32_t)mode;
    note_kinds(s);
    s->blocks.rates = gpci_zalloc(r->context, s->windows, sizeof *s->blocks.rates);
    return s->blocks.rates ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_sampling_destroy(gpc_context *context, gpci_sampling *s) {
    if (!s)
        return;
    for (size_t g = 0; g < s->group_count; g++)
        gpci_free(context, s->groups[g]);
    gpci_free(context, s->groups);
    gpci_map_free(context, &s->pcs);
    gpci_map_free(context, &s->lines);
    gpci_free(context, s->blocks.rates);
    gpci_free(context, s);
}

void gpci_sampling_archive(gpc_replay *r, gpci_archive *a) {
    gpci_sampling *s = r->sampling;
    const size_t first = offsetof(gpci_sampling, blocks.on), rates = offsetof(gpci_sampling, blocks.rates),
                 before = offsetof(gpci_sampling, blocks.before);
    gpci_archive_section(a, "sampling");
    const size_t groups = (size_t)gpci_archive_count(a, s->group_count, sizeof **s->groups);
    if (a->loading && !GPCI_ARRAY_ROOM(r->context, s->groups, s->group_room, 0, groups))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    for (size_t g = 0; g < groups && a->status == GPC_OK; g++) {
        if (a->loading)
            s->groups[g] = gpci_zalloc(r->context, 1, sizeof **s->groups);
        if (!s->groups[g]) {
            gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
            return;
        }
        s->group_count = a->loading ? g + 1 : groups;
        gpci_archive_bytes(a, s->groups[g], sizeof *s->groups[g]);
    }
    GPCI_ARCHIVE_FIELD(a, s->last), GPCI_ARCHIVE_FIELD(a, s->base), GPCI_ARCHIVE_FIELD(a, s->of_last),
        GPCI_ARCHIVE_FIELD(a, s->of_all), GPCI_ARCHIVE_FIELD(a, s->any);
    gpci_archive_bytes(a, (char *)s + first, rates - first);
    gpci_archive_bytes(a, s->blocks.rates, s->windows * sizeof *s->blocks.rates);
    gpci_archive_bytes(a, (char *)s + before, sizeof *s - before);
}

gpc_status gpci_sampling_check(const gpc_replay *r, gpc_error *error) {
    const char *what = r->objects          ? "values by object"
                       : r->on_sample      ? "a time series"
                       : r->hierarchy->log ? "a trace of events"
                                           : NULL;
    return what ? gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s: %s with sample = %s: there is none of what is not timed",
                            r->kernel.file, what, gpci_config_text(r->config, GPCI_KEY_SAMPLE))
                : GPC_OK;
}

static void to_words(const gpc_stats *stats, double *words) {
    for (size_t w = 1; w < GPCI_WORDS; w++) {
        uint64_t value;
        memcpy(&value, (const char *)stats + w * sizeof value, sizeof value);
        words[w] = (double)value;
    }
}

static void note_counts(gpci_sampling *s) {
    const gpc_sampling *last = &s->of_last;
    s->of_all.launches++;
    s->of_all.timed_launches += last->timed_launches;
    s->of_all.group = (uint32_t)s->group_count;
    s->of_all.windows += s->mode == GPCI_SAMPLE_KERNELS ? last->timed_launches : last->windows;
    s->of_all.timed_instructions += last->timed_instructions;
    s->of_all.warmed_instructions += last->warmed_instructions;
    s->of_all.skipped_blocks += last->skipped_blocks;
    s->any = true;
}

/* Estimate an untimed launch from the group. */
static void estimate_launch(gpc_replay *r, const gpc_stats *warmed) {
    gpci_sampling *s = r->sampling;
    gpci_alike *group = s->groups[s->of_last.group];
    double trace[GPCI_WORDS];
    gpci_units units;
    to_words(warmed, trace);
    for (size_t w = 1; w < GPCI_WORDS; w++)
        group->trace[w] += trace[w];
    gpci_alike_units(group, &units);
    s->of_last.windows = (uint64_t)units.count;
    s->of_last.skipped_blocks = r->kernel.block_count;
    gpci_estimates_predict(&s->last, s->kinds, &units, 1, s->warming ? trace : NULL);
}

static void note_launch(gpc_replay *r, const gpc_stats *timed, const gpc_stats *warmed) {
    gpci_sampling *s = r->sampling;
    gpci_alike *group = s->groups[s->of_last.group];
    group->launches++;
    if (r->skipping) {
        estimate_launch(r, warmed);
        return;
    }
    gpci_estimates_count(&s->base, s->kinds, timed);
    if (group->timed++)
        gpci_units_add(&group->units, timed, 1);
    else
        group->first = *timed;
    s->of_last.windows = group->timed;
}

/* Estimate the rest of a launch from the units of the sample. */
static void note_blocks(gpc_replay *r, const gpc_stats *counted, const gpc_stats *rest) {
    gpci_sampling *s = r->sampling;
    double trace[GPCI_WORDS], size = (double)rest->warp_instructions;
    to_words(rest, trace);
    gpci_estimates_count(&s->base, s->kinds, counted);
    s->of_last.windows = (uint64_t)s->blocks.units.count;
    s->of_last.skipped_blocks = s->warming ? s->blocks.warmed_blocks : gpci_blocks_left(r);
    s->of_last.warmed_instructions = s->blocks.warmed;
    s->of_last.timed_instructions += rest->warp_instructions - s->blocks.warmed;
    if (!s->warming)
        size = (double)s->of_last.skipped_blocks;
    if (size <= 0)
        return;
    gpci_estimates_predict(&s->last, s->kinds, &s->blocks.units, size, s->warming ? trace : NULL);
    gpci_estimates_predict(&s->base, s->kinds, &s->blocks.units, size, s->warming ? trace : NULL);
}

void gpci_sampling_note(gpc_replay *r, const gpc_stats *counted, const gpc_stats *rest, gpc_stats *stats) {
    gpci_sampling *s = r->sampling;
    uint32_t group = s->of_last.group;
    memset(&s->last, 0, sizeof s->last);
    s->of_last = (gpc_sampling){.struct_size = sizeof s->of_last,
                                .mode = s->mode,
                                .group = group,
                                .launches = 1,
                                .timed_launches = !r->skipping,
                                .timed_instructions = counted->warp_instructions,
                                .warmed_instructions = rest->warp_instructions};
    gpci_estimates_count(&s->last, s->kinds, counted);
    if (s->mode == GPCI_SAMPLE_KERNELS)
        note_launch(r, counted, rest);
    else
        note_blocks(r, counted, rest);
    gpci_estimates_round(&s->last, stats);
    note_counts(s);
}

static gpc_status scope_check(const gpc_replay *r, gpc_sampling_scope scope, const void *out) {
    if (!r || !out || (unsigned)scope > GPC_SAMPLING_ALL)
        return GPC_ERROR_ARGUMENT;
    return r->sampling && r->sampling->any ? GPC_OK : GPC_ERROR_STATE;
}

gpc_status gpc_replay_get_sampling(const gpc_replay *r, gpc_sampling_scope scope, gpc_sampling *out) {
    gpc_status status = scope_check(r, scope, out);
    if (status < 0)
        return status;
    gpc_sampling found = scope == GPC_SAMPLING_ALL ? r->sampling->of_all : r->sampling->of_last;
    return gpci_give(out, &found, sizeof found);
}

/* Estimate all launches: untimed launches of a group count like the timed ones. */
static void estimate_all(const gpci_sampling *s, gpci_estimates *e) {
    *e = s->base;
    for (size_t g = 0; g < s->group_count; g++) {
        const gpci_alike *group = s->groups[g];
        if (group->launches == group->timed)
            continue;
        gpci_units units;
        gpci_alike_units(group, &units);
        gpci_estimates_predict(e, s->kinds, &units, (double)(group->launches - group->timed),
                               s->warming ? group->trace : NULL);
    }
}

/* True if the configuration measures the counter. */
static bool is_measured(const gpc_replay *r, uint32_t id) {
    gpci_object_values none = {.has = {[GPC_TABLE_HIERARCHY] = true}};
    uint64_t value = GPC_ABSENT;
    gpc_status status = gpci_object_read(r->hierarchy, GPC_OBJECT_WHOLE, true, &none, &id, 1, &value);
    return status == GPC_OK && value != GPC_ABSENT;
}

gpc_status gpc_replay_estimate(const gpc_replay *r, gpc_sampling_scope scope, uint32_t id, gpc_estimate *out) {
    gpc_status status = scope_check(r, scope, out);
    if (status < 0)
        return status;
    const gpc_counter_info *info = gpci_counter(id);
    if (!info || info->table != GPC_TABLE_HIERARCHY || info->buckets != 1 ||
        !is_measured(r, info->ratio ? info->numerator : id) || (info->ratio && !is_measured(r, info->denominator)))
        return GPC_ERROR_NOT_FOUND;
    gpci_estimates all;
    const gpci_estimates *e = &r->sampling->last;
    if (scope == GPC_SAMPLING_ALL) {
        estimate_all(r->sampling, &all);
        e = &all;
    }
    if (info->ratio && e->values[info->divisor / sizeof(uint64_t)] <= 0)
        return GPC_ERROR_NOT_FOUND;
    gpc_estimate found = GPC_ESTIMATE_INIT;
    gpci_estimates_give(e, info, &found);
    return gpci_give(out, &found, sizeof found);
}
