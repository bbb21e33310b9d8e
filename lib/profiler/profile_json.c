/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "profile/profile.h"
#include "trace/files/output.h"

#include <inttypes.h>

/* Write a profile as JSON, to a file or into a buffer. If the buffer is full, count the bytes the text needs. */

/* Six decimals in every locale. */
static void put_ratio(gpci_text *t, const char *name, double value) {
    gpci_text_put(t, ", \"%s\": ", name);
    gpci_text_millionths(t, gpci_profile_millionths(value));
}

static void put_array(gpci_text *t, const char *name, const uint64_t *values, size_t count) {
    gpci_text_put(t, ", \"%s\": ", name);
    gpci_text_numbers(t, values, count);
}

#define NUMBER(t, row, field) gpci_text_put(t, ", \"" #field "\": %" PRIu64, (row)->field)

static void put_counts(gpci_text *t, const gpc_profile_counts *c) {
    gpci_text_put(t, "\"loads\": %" PRIu64, c->loads);
    NUMBER(t, c, accesses);
    NUMBER(t, c, hits);
    NUMBER(t, c, sector_misses);
    NUMBER(t, c, bypasses);
    NUMBER(t, c, fills);
    NUMBER(t, c, reuses);
    NUMBER(t, c, evictions);
    NUMBER(t, c, zero_reuse_evictions);
    NUMBER(t, c, intra_warp_hits);
    NUMBER(t, c, inter_warp_hits);
    NUMBER(t, c, mru_hits);
    NUMBER(t, c, lru_hits);
    NUMBER(t, c, bytes_used);
    NUMBER(t, c, bytes_moved);
    NUMBER(t, c, segments);
    NUMBER(t, c, first_accesses);
    put_array(t, "reuse_distances", c->reuse_distances, GPC_PROFILE_DISTANCE_BUCKETS);
    put_array(t, "stack_distances", c->stack_distances, GPC_PROFILE_DISTANCE_BUCKETS);
    put_ratio(t, "reuse", c->reuse);
    put_ratio(t, "utilisation", c->utilisation);
    put_ratio(t, "score", c->score);
}

static void put_sms(gpci_text *t, const gpc_profile *p) {
    gpci_text_put(t, ",\n\"sm\": [");
    for (uint32_t i = 0; i < p->sm_count; i++) {
        const gpc_profile_sm *row = &p->sms[i];
        gpci_text_put(t, "%s\n{\"sm\": %" PRIu32 ", ", i ? "," : "", row->sm);
        put_counts(t, &row->counts);
        NUMBER(t, row, lines);
        NUMBER(t, row, bypass_lines);
        put_array(t, "lines_by_reuse", row->lines_by_reuse, GPC_PROFILE_REUSE_BUCKETS);
        put_array(t, "residences_by_reuse", row->residences_by_reuse, GPC_PROFILE_REUSE_BUCKETS);
        put_array(t, "loads_by_transactions", row->loads_by_transactions, GPC_PROFILE_CLASSES + 1);
        put_array(t, "hits_by_age", row->hits_by_age, GPC_AGE_BUCKETS);
        put_array(t, "hits_by_recency", row->hits_by_recency, GPC_PROFILE_RECENCY_BUCKETS);
        gpci_text_put(t, "}");
    }
    gpci_text_put(t, "]");
}

static void put_instructions(gpci_text *t, const gpc_profile *p) {
    gpci_text_put(t, ",\n\"instructions\": [");
    for (size_t i = 0; i < p->instruction_count; i++) {
        const gpc_profile_instruction *row = &p->instructions[i];
        gpci_text_put(t, "%s\n{\"kernel\": ", i ? "," : "");
        gpci_text_json(t, row->kernel);
        gpci_text_put(t, ", \"pc\": %" PRIu64 ", \"kernel_index\": %" PRIu32 ", ", row->pc, row->kernel_index);
        put_counts(t, &row->counts);
        NUMBER(t, row, lines);
        NUMBER(t, row, bypass_lines);
        NUMBER(t, row, bypass_accesses);
        gpci_text_put(t, "}");
    }
    gpci_text_put(t, "]");
}

static void put_classes(gpci_text *t, const gpc_profile *p) {
    gpci_text_put(t, ",\n\"classes\": [");
    for (unsigned i = 0; i < GPC_PROFILE_CLASSES; i++) {
        gpci_text_put(t, "%s\n{\"transactions\": %" PRIu32 ", ", i ? "," : "", p->classes[i].transactions);
        put_counts(t, &p->classes[i].counts);
        gpci_text_put(t, "}");
    }
    gpci_text_put(t, "]");
}

static void put_thresholds(gpci_text *t, gpc_profile *p) {
    double values[GPC_PROFILE_CLASSES];
    size_t count = 0;
    gpc_profile_thresholds(p, values, GPC_PROFILE_CLASSES, &count);
    gpci_text_put(t, ",\n\"thresholds\": [");
    for (size_t i = 0; i < count; i++) {
        gpci_text_put(t, "%s", i ? ", " : "");
        gpci_text_millionths(t, gpci_profile_millionths(values[i]));
    }
    gpci_text_put(t, "]");
}

/* From capacity 1 line to the capacity at which only first accesses miss. */
static void put_curve(gpci_text *t, const gpc_profile *p) {
    size_t most = 1;
    for (uint32_t sm = 0; sm < p->sm_count; sm++)
        most = p->distances[sm].count > most ? p->distances[sm].count : most;
    gpci_text_put(t, ",\n\"curve\": [");
    for (uint64_t lines = 1, last = 0; last < most; lines *= 2) {
        gpc_profile_point point = {.bytes = lines << p->line_shift};
        gpc_profile_curve(p, GPC_PROFILE_ALL_SMS, &point, 1);
        gpci_text_put(t, "%s{\"bytes\": %" PRIu64, last ? ", " : "", point.bytes);
        NUMBER(t, &point, accesses);
        NUMBER(t, &point, hits);
        gpci_text_put(t, "}");
        last = lines;
    }
    gpci_text_put(t, "]");
}

static void put_lines(gpci_text *t, const gpc_profile *p) {
    gpci_text_put(t, ",\n\"lines\": [");
    for (size_t i = 0; i < p->line_count; i++) {
        const gpc_profile_line *row = &p->lines[i];
        gpci_text_put(t, "%s\n{\"address\": %" PRIu64 ", \"sm\": %" PRIu32, i ? "," : "", row->address, row->sm);
        NUMBER(t, row, accesses);
        NUMBER(t, row, hits);
        NUMBER(t, row, fills);
        NUMBER(t, row, evictions);
        NUMBER(t, row, zero_reuse_evictions);
        NUMBER(t, row, bytes_used);
        NUMBER(t, row, bytes_moved);
        NUMBER(t, row, segments);
        NUMBER(t, row, distances);
        NUMBER(t, row, reuse_distance_sum);
        NUMBER(t, row, stack_distance_sum);
        put_ratio(t, "reuse", row->reuse);
        put_ratio(t, "utilisation", row->utilisation);
        put_ratio(t, "score", row->score);
        gpci_text_put(t, "}");
    }
    gpci_text_put(t, "]");
}

static void put_all(gpci_text *t, gpc_profile *p, uint32_t flags) {
    gpc_profile_summary s;
    gpc_profile_summary_init(&s);
    gpc_profile_get_summary(p, &s);
    gpci_text_put(t, "{\"line_bytes\": %" PRIu32 ", \"sms\": %" PRIu32 ", \"launches\": %" PRIu64, s.line_bytes, s.sms,
                  s.launches);
    gpci_text_put(t, ", \"kernels\": [");
    for (size_t i = 0; i < p->name_count; i++) {
        gpci_text_put(t, "%s", i ? ", " : "");
        gpci_text_json(t, p->names[i]);
    }
    gpci_text_put(t, "],\n\"summary\": {");
    put_counts(t, &s.counts);
    gpci_text_put(t, ", \"lines\": %" PRIu64 ", \"bypass_lines\": %" PRIu64 "}", s.lines, s.bypass_lines);
    put_sms(t, p);
    put_instructions(t, p);
    put_classes(t, p);
    put_thresholds(t, p);
    put_curve(t, p);
    if (flags & GPC_PROFILE_JSON_LINES)
        put_lines(t, p);
    gpci_text_put(t, "}\n");
}

gpc_status gpc_profile_json(gpc_profile *p, uint32_t flags, char *buffer, size_t size, size_t *out_length) {
    if (!p || (flags & ~GPC_PROFILE_JSON_LINES))
        return GPC_ERROR_ARGUMENT;
    if (gpci_profile_settle(p) < 0)
        return GPC_ERROR_MEMORY;
    gpci_text t = gpci_text_of(buffer, size);
    put_all(&t, p, flags);
    return gpci_text_end(&t, out_length);
}

typedef struct json_file {
    gpci_output *output;
    gpc_error *error;
} json_file;

static gpc_status write_json(void *data, const char *bytes, size_t length) {
    const json_file *file = data;
    return gpci_output_write(file->output, bytes, length, file->error);
}

gpc_status gpc_profile_write_json(gpc_profile *p, uint32_t flags, const char *path, gpc_error *error) {
    if (!p || !path || (flags & ~GPC_PROFILE_JSON_LINES))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_write_json: %s",
                         !p      ? "profile is NULL"
                         : !path ? "path is NULL"
                                 : "unknown flags");
    if (gpci_profile_settle(p) < 0)
        return gpci_out_of_memory(error);
    json_file file = {.error = error};
    gpc_status status = gpci_output_open(p->context, path, error, &file.output);
    if (status < 0)
        return status;
    gpci_text t = {.write = write_json, .data = &file};
    put_all(&t, p, flags);
    status = gpci_text_end(&t, NULL);
    if (status == GPC_OK)
        return gpci_output_commit(file.output, error);
    gpci_output_discard(file.output);
    return status;
}
