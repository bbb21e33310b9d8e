/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include <string.h>

/* Queries of a profile. */

/*
 * First step of every query: refuse a NULL `out` (parameter `out_name` of `function`), and bring the tables up to date.
 */
static gpc_status settle_for(gpc_profile *profile, const void *out, const char *out_name, const char *function,
                             gpc_error *error) {
    if (!profile || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", function, profile ? out_name : "profile");
    return gpci_profile_settle(profile) < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

/* settle_for for a query with the parameters out_rows and out_count. */
static gpc_status settle_for_rows(gpc_profile *profile, const void *out_rows, const size_t *out_count,
                                  const char *function, gpc_error *error) {
    return settle_for(profile, out_rows ? (const void *)out_count : NULL, out_rows ? "out_count" : "out_rows", function,
                      error);
}

gpc_status gpc_profile_sms(gpc_profile *profile, const gpc_profile_sm **out_rows, size_t *out_count, gpc_error *error) {
    gpc_status status = settle_for_rows(profile, out_rows, out_count, "gpc_profile_sms", error);
    if (status < 0)
        return status;
    *out_rows = profile->sms;
    *out_count = profile->sm_count;
    return GPC_OK;
}

gpc_status gpc_profile_instructions(gpc_profile *profile, const gpc_profile_instruction **out_rows, size_t *out_count,
                                    gpc_error *error) {
    gpc_status status = settle_for_rows(profile, out_rows, out_count, "gpc_profile_instructions", error);
    if (status < 0)
        return status;
    *out_rows = profile->instruction_count ? profile->instructions : NULL;
    *out_count = profile->instruction_count;
    return GPC_OK;
}

gpc_status gpc_profile_classes(gpc_profile *profile, const gpc_profile_class **out_rows, size_t *out_count,
                               gpc_error *error) {
    gpc_status status = settle_for_rows(profile, out_rows, out_count, "gpc_profile_classes", error);
    if (status < 0)
        return status;
    *out_rows = profile->classes;
    *out_count = GPC_PROFILE_CLASSES;
    return GPC_OK;
}

gpc_status gpc_profile_lines(gpc_profile *profile, const gpc_profile_line **out_rows, size_t *out_count,
                             gpc_error *error) {
    gpc_status status = settle_for_rows(profile, out_rows, out_count, "gpc_profile_lines", error);
    if (status < 0)
        return status;
    *out_rows = profile->line_count ? profile->lines : NULL;
    *out_count = profile->line_count;
    return GPC_OK;
}

static void add_counts(gpc_profile_counts *into, const gpc_profile_counts *more) {
    uint64_t to[GPCI_COUNTS_WORDS], from[GPCI_COUNTS_WORDS];
    memcpy(to, into, sizeof to);
    memcpy(from, more, sizeof from);
    for (size_t i = 0; i < GPCI_COUNTS_WORDS; i++)
        to[i] += from[i];
    memcpy(into, to, sizeof to);
}

gpc_status gpc_profile_get_summary(gpc_profile *profile, gpc_profile_summary *summary, gpc_error *error) {
    gpc_status status = settle_for(profile, summary, "summary", "gpc_profile_get_summary", error);
    if (status < 0)
        return status;
    gpc_profile_summary profile_summary = {.struct_size = sizeof profile_summary,
                                           .line_bytes = profile->line_bytes,
                                           .sms = profile->sm_count,
                                           .launches = profile->launch_count,
                                           .kernels = profile->name_count,
                                           .instructions = profile->instruction_count,
                                           .lines = profile->line_count};
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        add_counts(&profile_summary.counts, &profile->sms[i].counts);
        profile_summary.bypass_lines += profile->sms[i].bypass_lines;
    }
    gpci_profile_rate(&profile_summary.counts);
    return gpci_give(summary, &profile_summary, sizeof profile_summary, "gpc_profile_summary", error);
}

/*
 * Add an SM's accesses to a point of the curve, for a cache of `lines` lines. An access hits at a distance below
 * `lines`.
 */
static void add_point(const gpci_distances *distances, uint64_t first, uint64_t lines, gpc_profile_point *point) {
    point->accesses += first;
    for (size_t i = 0; i < distances->count; i++) {
        point->accesses += distances->counts[i];
        point->hits += i < lines ? distances->counts[i] : 0;
    }
}

static uint64_t first_accesses(const gpc_profile *profile, uint32_t sm) {
    return profile->live ? profile->live->sms[sm].row.counts.first_accesses : profile->sms[sm].counts.first_accesses;
}

gpc_status gpc_profile_curve(const gpc_profile *profile, uint32_t sm, gpc_profile_point *points, size_t count,
                             gpc_error *error) {
    if (!profile || (!points && count))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_curve: %s is NULL", profile ? "points" : "profile");
    if (sm != GPC_PROFILE_ALL_SMS && sm >= profile->sm_count)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_profile_curve: SM %u of %u", sm, profile->sm_count);
    uint32_t from = sm == GPC_PROFILE_ALL_SMS ? 0 : sm, to = sm == GPC_PROFILE_ALL_SMS ? profile->sm_count : sm + 1;
    for (size_t i = 0; i < count; i++) {
        points[i].accesses = points[i].hits = 0;
        for (uint32_t s = from; s < to; s++)
            add_point(&profile->distances[s], first_accesses(profile, s), points[i].bytes >> profile->line_shift,
                      &points[i]);
    }
    return GPC_OK;
}

/* Distinct scores of the classes in millionths, ascending; returns their number. */
static size_t distinct_scores(const gpc_profile *profile, uint64_t *scores) {
    size_t count = 0;
    for (unsigned c = 0; c < GPC_PROFILE_CLASSES; c++) {
        uint64_t score = gpci_profile_millionths(profile->classes[c].counts.score);
        size_t at = count;
        while (at && scores[at - 1] > score)
            at--;
        if (at && scores[at - 1] == score)
            continue;
        for (size_t i = count++; i > at; i--)
            scores[i] = scores[i - 1];
        scores[at] = score;
    }
    return count;
}

gpc_status gpc_profile_thresholds(gpc_profile *profile, double *values, size_t capacity, size_t *out_count,
                                  gpc_error *error) {
    gpc_status status =
        settle_for(profile, values || !capacity ? profile : NULL, "values", "gpc_profile_thresholds", error);
    if (status < 0)
        return status;
    uint64_t scores[GPC_PROFILE_CLASSES];
    size_t count = distinct_scores(profile, scores);
    for (size_t i = 0; i < count && i < capacity; i++)
        values[i] = (double)scores[i] / 1e6;
    if (out_count)
        *out_count = count;
    return values && count > capacity
               ? gpci_fail(error, GPC_ERROR_RANGE,
                           "gpc_profile_thresholds: capacity is %zu, and there are %zu thresholds", capacity, count)
               : GPC_OK;
}

gpc_status gpc_profile_classes_above(gpc_profile *profile, double threshold, uint32_t *out_classes, gpc_error *error) {
    gpc_status status = settle_for(profile, out_classes, "out_classes", "gpc_profile_classes_above", error);
    if (status < 0)
        return status;
    uint32_t classes = 0;
    for (unsigned c = 0; c < GPC_PROFILE_CLASSES; c++)
        if (gpci_profile_millionths(profile->classes[c].counts.score) > gpci_profile_millionths(threshold))
            classes |= 1u << c;
    *out_classes = classes;
    return GPC_OK;
}

const uint32_t *gpci_profile_launches(const gpc_profile *profile, size_t *out_count) {
    *out_count = profile->launch_count;
    return profile->launches;
}
