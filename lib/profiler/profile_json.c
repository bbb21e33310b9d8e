/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "profiler/profiler.h"

#include <inttypes.h>

/* Write a profile as JSON. */

/* Append a ratio with six decimals, independent of the locale. */
static void put_ratio(gpci_text *text, const char *name, double value) {
    gpci_text_put(text, ", \"%s\": ", name);
    gpci_text_millionths(text, gpci_profile_millionths(value));
}

static void put_array(gpci_text *text, const char *name, const uint64_t *values, size_t count) {
    gpci_text_put(text, ", \"%s\": ", name);
    gpci_text_numbers(text, values, count);
}

#define NUMBER(t, row, field) gpci_text_put(t, ", \"" #field "\": %" PRIu64, (row)->field)

static void put_counts(gpci_text *text, const gpc_profile_counts *counts) {
    gpci_text_put(text, "\"loads\": %" PRIu64, counts->loads);
    NUMBER(text, counts, accesses);
    NUMBER(text, counts, hits);
    NUMBER(text, counts, sector_misses);
    NUMBER(text, counts, bypasses);
    NUMBER(text, counts, fills);
    NUMBER(text, counts, reuses);
    NUMBER(text, counts, evictions);
    NUMBER(text, counts, zero_reuse_evictions);
    NUMBER(text, counts, intra_warp_hits);
    NUMBER(text, counts, inter_warp_hits);
    NUMBER(text, counts, mru_hits);
    NUMBER(text, counts, lru_hits);
    NUMBER(text, counts, bytes_used);
    NUMBER(text, counts, bytes_moved);
    NUMBER(text, counts, segments);
    NUMBER(text, counts, first_accesses);
    put_array(text, "reuse_distances", counts->reuse_distances, GPC_PROFILE_DISTANCE_BUCKETS);
    put_array(text, "stack_distances", counts->stack_distances, GPC_PROFILE_DISTANCE_BUCKETS);
    put_ratio(text, "reuse", counts->reuse);
    put_ratio(text, "utilisation", counts->utilisation);
    put_ratio(text, "score", counts->score);
}

static void put_sms(gpci_text *text, const gpc_profile *profile) {
    gpci_text_put(text, ",\n\"sm\": [");
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        const gpc_profile_sm *row = &profile->sms[i];
        gpci_text_put(text, "%s\n{\"sm\": %" PRIu32 ", ", i ? "," : "", row->sm);
        put_counts(text, &row->counts);
        NUMBER(text, row, lines);
        NUMBER(text, row, bypass_lines);
        put_array(text, "lines_by_reuse", row->lines_by_reuse, GPC_PROFILE_REUSE_BUCKETS);
        put_array(text, "residences_by_reuse", row->residences_by_reuse, GPC_PROFILE_REUSE_BUCKETS);
        put_array(text, "loads_by_transactions", row->loads_by_transactions, GPC_PROFILE_CLASSES + 1);
        put_array(text, "hits_by_age", row->hits_by_age, GPC_AGE_BUCKETS);
        put_array(text, "hits_by_recency", row->hits_by_recency, GPC_PROFILE_RECENCY_BUCKETS);
        gpci_text_put(text, "}");
    }
    gpci_text_put(text, "]");
}

static void put_instructions(gpci_text *text, const gpc_profile *profile) {
    gpci_text_put(text, ",\n\"instructions\": [");
    for (size_t i = 0; i < profile->instruction_count; i++) {
        const gpc_profile_instruction *row = &profile->instructions[i];
        gpci_text_put(text, "%s\n{\"kernel\": ", i ? "," : "");
        gpci_text_json(text, row->kernel);
        gpci_text_put(text, ", \"pc\": %" PRIu64 ", \"kernel_index\": %" PRIu32 ", ", row->pc, row->kernel_index);
        put_counts(text, &row->counts);
        NUMBER(text, row, lines);
        NUMBER(text, row, bypass_lines);
        NUMBER(text, row, bypass_accesses);
        gpci_text_put(text, "}");
    }
    gpci_text_put(text, "]");
}

static void put_classes(gpci_text *text, const gpc_profile *profile) {
    gpci_text_put(text, ",\n\"classes\": [");
    for (unsigned i = 0; i < GPC_PROFILE_CLASSES; i++) {
        gpci_text_put(text, "%s\n{\"transactions\": %" PRIu32 ", ", i ? "," : "", profile->classes[i].transactions);
        put_counts(text, &profile->classes[i].counts);
        gpci_text_put(text, "}");
    }
    gpci_text_put(text, "]");
}

static void put_thresholds(gpci_text *text, gpc_profile *profile) {
    double values[GPC_PROFILE_CLASSES];
    size_t count = 0;
    gpc_profile_thresholds(profile, values, GPC_PROFILE_CLASSES, &count, NULL);
    gpci_text_put(text, ",\n\"thresholds\": [");
    for (size_t i = 0; i < count; i++) {
        gpci_text_put(text, "%s", i ? ", " : "");
        gpci_text_millionths(text, gpci_profile_millionths(values[i]));
    }
    gpci_text_put(text, "]");
}

/* Append the hits of caches of 1, 2, 4, ... lines, up to a cache in which only first accesses miss. */
static void put_curve(gpci_text *text, const gpc_profile *profile) {
    size_t most = 1;
    for (uint32_t sm = 0; sm < profile->sm_count; sm++)
        most = profile->distances[sm].count > most ? profile->distances[sm].count : most;
    gpci_text_put(text, ",\n\"curve\": [");
    for (uint64_t lines = 1, last = 0; last < most; lines *= 2) {
        gpc_profile_point point = {.bytes = lines << profile->line_shift};
        gpc_profile_curve(profile, GPC_PROFILE_ALL_SMS, &point, 1, NULL);
        gpci_text_put(text, "%s{\"bytes\": %" PRIu64, last ? ", " : "", point.bytes);
        NUMBER(text, &point, accesses);
        NUMBER(text, &point, hits);
        gpci_text_put(text, "}");
        last = lines;
    }
    gpci_text_put(text, "]");
}

static void put_lines(gpci_text *text, const gpc_profile *profile) {
    gpci_text_put(text, ",\n\"lines\": [");
    for (size_t i = 0; i < profile->line_count; i++) {
        const gpc_profile_line *row = &profile->lines[i];
        gpci_text_put(text, "%s\n{\"address\": %" PRIu64 ", \"sm\": %" PRIu32, i ? "," : "", row->address, row->sm);
        NUMBER(text, row, accesses);
        NUMBER(text, row, hits);
        NUMBER(text, row, fills);
        NUMBER(text, row, evictions);
        NUMBER(text, row, zero_reuse_evictions);
        NUMBER(text, row, bytes_used);
        NUMBER(text, row, bytes_moved);
        NUMBER(text, row, segments);
        NUMBER(text, row, distances);
        NUMBER(text, row, reuse_distance_sum);
        NUMBER(text, row, stack_distance_sum);
        put_ratio(text, "reuse", row->reuse);
        put_ratio(text, "utilisation", row->utilisation);
        put_ratio(text, "score", row->score);
        gpci_text_put(text, "}");
    }
    gpci_text_put(text, "]");
}

static void put_all(gpci_text *text, gpc_profile *profile, bool lines) {
    gpc_profile_summary summary = GPC_PROFILE_SUMMARY_INIT;
    gpc_profile_get_summary(profile, &summary, NULL);
    gpci_text_put(text, "{\"line_bytes\": %" PRIu32 ", \"sms\": %" PRIu32 ", \"launches\": %" PRIu64,
                  summary.line_bytes, summary.sms, summary.launches);
    gpci_text_put(text, ", \"kernels\": [");
    for (size_t i = 0; i < profile->name_count; i++) {
        gpci_text_put(text, "%s", i ? ", " : "");
        gpci_text_json(text, profile->names[i]);
    }
    gpci_text_put(text, "],\n\"summary\": {");
    put_counts(text, &summary.counts);
    gpci_text_put(text, ", \"lines\": %" PRIu64 ", \"bypass_lines\": %" PRIu64 "}", summary.lines,
                  summary.bypass_lines);
    put_sms(text, profile);
    put_instructions(text, profile);
    put_classes(text, profile);
    put_thresholds(text, profile);
    put_curve(text, profile);
    if (lines)
        put_lines(text, profile);
    gpci_text_put(text, "}\n");
}

typedef struct json_output {
    gpci_output *output;
    gpc_error *error;
} json_output;

static gpc_status write_part(void *data, const char *bytes, size_t length) {
    const json_output *json = data;
    return gpci_output_write(json->output, bytes, length, json->error);
}

gpc_status gpci_profile_write_json(gpci_output *output, gpc_profile *profile, bool lines, gpc_error *error) {
    json_output json = {output, error};
    gpci_text text = {.write = write_part, .data = &json};
    put_all(&text, profile, lines);
    return gpci_text_end(&text, NULL);
}
