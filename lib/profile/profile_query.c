/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include <string.h>

/* Queries of a profile. */

/* First step of every query: bring the tables up to date. */
static gpc_status settle_for(gpc_profile *p, const void *out_rows, const size_t *out_count) {
    return p && out_rows && out_count ? gpci_profile_settle(p) : GPC_ERROR_ARGUMENT;
}

gpc_status gpc_profile_sms(gpc_profile *p, const gpc_profile_sm **out_rows, size_t *out_count) {
    gpc_status status = settle_for(p, out_rows, out_count);
    if (status < 0)
        return status;
    *out_rows = p->sms;
    *out_count = p->sm_count;
    return GPC_OK;
}

gpc_status gpc_profile_instructions(gpc_profile *p, const gpc_profile_instruction **out_rows, size_t *out_count) {
    gpc_status status = settle_for(p, out_rows, out_count);
    if (status < 0)
        return status;
    *out_rows = p->instruction_count ? p->instructions : NULL;
    *out_count = p->instruction_count;
    return GPC_OK;
}

gpc_status gpc_profile_classes(gpc_profile *p, const gpc_profile_class **out_rows, size_t *out_count) {
    gpc_status status = settle_for(p, out_rows, out_count);
    if (status < 0)
        return status;
    *out_rows = p->classes;
    *out_count = GPC_PROFILE_CLASSES;
    return GPC_OK;
}

gpc_status gpc_profile_lines(gpc_profile *p, const gpc_profile_line **out_rows, size_t *out_count) {
    gpc_status status = settle_for(p, out_rows, out_count);
    if (status < 0)
        return status;
    *out_rows = p->line_count ? p->lines : NULL;
    *out_count = p->line_count;
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

void gpc_profile_summary_init(gpc_profile_summary *summary) {
    *summary = (gpc_profile_summary){.struct_size = sizeof *summary};
}

gpc_status gpc_profile_get_summary(gpc_profile *p, gpc_profile_summary *summary) {
    if (!p || !summary)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = gpci_profile_settle(p);
    if (status < 0)
        return status;
    gpc_profile_summary s = {.struct_size = sizeof s,
                             .line_bytes = p->line_bytes,
                             .sms = p->sm_count,
                             .launches = p->launch_count,
                             .kernels = p->name_count,
                             .instructions = p->instruction_count,
                             .lines = p->line_count};
    for (uint32_t i = 0; i < p->sm_count; i++) {
        add_counts(&s.counts, &p->sms[i].counts);
        s.bypass_lines += p->sms[i].bypass_lines;
    }
    gpci_profile_rate(&s.counts);
    return gpci_give(summary, &s, sizeof s);
}

/* Add an SM's part of a point: accesses at a distance below the capacity hit. */
static void add_point(const gpci_distances *d, uint64_t first, uint64_t lines, gpc_profile_point *point) {
    point->accesses += first;
    for (size_t i = 0; i < d->count; i++) {
        point->accesses += d->counts[i];
        point->hits += i < lines ? d->counts[i] : 0;
    }
}

static uint64_t first_accesses(const gpc_profile *p, uint32_t sm) {
    return p->live ? p->live->sms[sm].row.counts.first_accesses : p->sms[sm].counts.first_accesses;
}

gpc_status gpc_profile_curve(const gpc_profile *p, uint32_t sm, gpc_profile_point *points, size_t count) {
    if (!p || (!points && count))
        return GPC_ERROR_ARGUMENT;
    if (sm != GPC_PROFILE_ALL_SMS && sm >= p->sm_count)
        return GPC_ERROR_RANGE;
    uint32_t from = sm == GPC_PROFILE_ALL_SMS ? 0 : sm, to = sm == GPC_PROFILE_ALL_SMS ? p->sm_count : sm + 1;
    for (size_t i = 0; i < count; i++) {
        points[i].accesses = points[i].hits = 0;
        for (uint32_t s = from; s < to; s++)
            add_point(&p->distances[s], first_accesses(p, s), points[i].bytes >> p->line_shift, &points[i]);
    }
    return GPC_OK;
}

/* Distinct scores of the classes in millionths, ascending; returns their number. */
static size_t distinct_scores(const gpc_profile *p, uint64_t *scores) {
    size_t count = 0;
    for (unsigned c = 0; c < GPC_PROFILE_CLASSES; c++) {
        uint64_t score = gpci_profile_millionths(p->classes[c].counts.score);
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

gpc_status gpc_profile_thresholds(gpc_profile *p, double *values, size_t capacity, size_t *out_count) {
    if (!p || (!values && capacity))
        return GPC_ERROR_ARGUMENT;
    gpc_status status = gpci_profile_settle(p);
    if (status < 0)
        return status;
    uint64_t scores[GPC_PROFILE_CLASSES];
    size_t count = distinct_scores(p, scores);
    for (size_t i = 0; i < count && i < capacity; i++)
        values[i] = (double)scores[i] / 1e6;
    if (out_count)
        *out_count = count;
    return values && count > capacity ? GPC_ERROR_RANGE : GPC_OK;
}

gpc_status gpc_profile_classes_above(gpc_profile *p, double threshold, uint32_t *out_classes) {
    if (!p || !out_classes)
        return GPC_ERROR_ARGUMENT;
    gpc_status status = gpci_profile_settle(p);
    if (status < 0)
        return status;
    uint32_t classes = 0;
    for (unsigned c = 0; c < GPC_PROFILE_CLASSES; c++)
        if (gpci_profile_millionths(p->classes[c].counts.score) > gpci_profile_millionths(threshold))
            classes |= 1u << c;
    *out_classes = classes;
    return GPC_OK;
}

const uint32_t *gpci_profile_launches(const gpc_profile *profile, size_t *out_count) {
    *out_count = profile->launch_count;
    return profile->launches;
}
