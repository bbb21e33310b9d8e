/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"
#include "trace/output.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A profile as JSON, into a buffer that counts what it would need when it is full, or to a file. */

typedef struct text {
    char *at;
    size_t size, length;
    gpci_output *output; /* NULL: the buffer */
    gpc_error *error;
    gpc_status status;
} text;

static void put_bytes(text *t, const char *bytes, size_t length) {
    if (t->output) {
        if (t->status == GPC_OK)
            t->status = gpci_output_write(t->output, bytes, length, t->error);
    } else if (t->length < t->size) {
        size_t room = t->size - t->length;
        memcpy(t->at + t->length, bytes, length < room ? length : room);
    }
    t->length += length;
}

static void put(text *t, const char *format, ...) GPCI_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
    char part[160];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    put_bytes(t, part, length > 0 ? (size_t)length < sizeof part ? (size_t)length : sizeof part - 1 : 0);
}

static void put_string(text *t, const char *string) {
    put_bytes(t, "\"", 1);
    for (; *string; string++)
        if (*string == '"' || *string == '\\')
            put(t, "\\%c", *string);
        else if ((unsigned char)*string < ' ')
            put(t, "\\u%04x", (unsigned)*string);
        else
            put_bytes(t, string, 1);
    put_bytes(t, "\"", 1);
}

/* Six decimals, whatever the locale. */
static void put_ratio(text *t, const char *name, double value) {
    uint64_t millionths = gpci_profile_millionths(value);
    put(t, ", \"%s\": %" PRIu64 ".%06" PRIu64, name, millionths / 1000000, millionths % 1000000);
}

static void put_array(text *t, const char *name, const uint64_t *values, size_t count) {
    put(t, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        put(t, "%s%" PRIu64, i ? ", " : "", values[i]);
    put(t, "]");
}

#define NUMBER(t, row, field) put(t, ", \"" #field "\": %" PRIu64, (row)->field)

static void put_counts(text *t, const gpc_profile_counts *c) {
    put(t, "\"loads\": %" PRIu64, c->loads);
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

static void put_sms(text *t, const gpc_profile *p) {
    put(t, ",\n\"sm\": [");
    for (uint32_t i = 0; i < p->sm_count; i++) {
        const gpc_profile_sm *row = &p->sms[i];
        put(t, "%s\n{\"sm\": %" PRIu32 ", ", i ? "," : "", row->sm);
        put_counts(t, &row->counts);
        NUMBER(t, row, lines);
        NUMBER(t, row, bypass_lines);
        put_array(t, "lines_by_reuse", row->lines_by_reuse, GPC_PROFILE_REUSE_BUCKETS);
        put_array(t, "residences_by_reuse", row->residences_by_reuse, GPC_PROFILE_REUSE_BUCKETS);
        put_array(t, "loads_by_transactions", row->loads_by_transactions, GPC_PROFILE_CLASSES + 1);
        put_array(t, "hits_by_age", row->hits_by_age, GPC_AGE_BUCKETS);
        put_array(t, "hits_by_recency", row->hits_by_recency, GPC_PROFILE_RECENCY_BUCKETS);
        put(t, "}");
    }
    put(t, "]");
}

static void put_instructions(text *t, const gpc_profile *p) {
    put(t, ",\n\"instructions\": [");
    for (size_t i = 0; i < p->instruction_count; i++) {
        const gpc_profile_instruction *row = &p->instructions[i];
        put(t, "%s\n{\"kernel\": ", i ? "," : "");
        put_string(t, row->kernel);
        put(t, ", \"pc\": %" PRIu64 ", \"kernel_index\": %" PRIu32 ", ", row->pc, row->kernel_index);
        put_counts(t, &row->counts);
        NUMBER(t, row, lines);
        NUMBER(t, row, bypass_lines);
        NUMBER(t, row, bypass_accesses);
        put(t, "}");
    }
    put(t, "]");
}

static void put_classes(text *t, const gpc_profile *p) {
    put(t, ",\n\"classes\": [");
    for (unsigned i = 0; i < GPC_PROFILE_CLASSES; i++) {
        put(t, "%s\n{\"transactions\": %" PRIu32 ", ", i ? "," : "", p->classes[i].transactions);
        put_counts(t, &p->classes[i].counts);
        put(t, "}");
    }
    put(t, "]");
}

static void put_thresholds(text *t, gpc_profile *p) {
    double values[GPC_PROFILE_CLASSES];
    size_t count = 0;
    gpc_profile_thresholds(p, values, GPC_PROFILE_CLASSES, &count);
    put(t, ",\n\"thresholds\": [");
    for (size_t i = 0; i < count; i++) {
        uint64_t millionths = gpci_profile_millionths(values[i]);
        put(t, "%s%" PRIu64 ".%06" PRIu64, i ? ", " : "", millionths / 1000000, millionths % 1000000);
    }
    put(t, "]");
}

/* From one line on, to where only first accesses miss. */
static void put_curve(text *t, const gpc_profile *p) {
    size_t most = 1;
    for (uint32_t sm = 0; sm < p->sm_count; sm++)
        most = p->distances[sm].count > most ? p->distances[sm].count : most;
    put(t, ",\n\"curve\": [");
    for (uint64_t lines = 1, last = 0; last < most; lines *= 2) {
        gpc_profile_point point = {.bytes = lines << p->line_shift};
        gpc_profile_curve(p, GPC_PROFILE_ALL_SMS, &point, 1);
        put(t, "%s{\"bytes\": %" PRIu64, last ? ", " : "", point.bytes);
        NUMBER(t, &point, accesses);
        NUMBER(t, &point, hits);
        put(t, "}");
        last = lines;
    }
    put(t, "]");
}

static void put_lines(text *t, const gpc_profile *p) {
    put(t, ",\n\"lines\": [");
    for (size_t i = 0; i < p->line_count; i++) {
        const gpc_profile_line *row = &p->lines[i];
        put(t, "%s\n{\"address\": %" PRIu64 ", \"sm\": %" PRIu32, i ? "," : "", row->address, row->sm);
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
        put(t, "}");
    }
    put(t, "]");
}

static void put_all(text *t, gpc_profile *p, uint32_t flags) {
    gpc_profile_summary s;
    gpc_profile_summary_init(&s);
    gpc_profile_get_summary(p, &s);
    put(t, "{\"line_bytes\": %" PRIu32 ", \"sms\": %" PRIu32 ", \"launches\": %" PRIu64, s.line_bytes, s.sms,
        s.launches);
    put(t, ", \"kernels\": [");
    for (size_t i = 0; i < p->name_count; i++) {
        put(t, "%s", i ? ", " : "");
        put_string(t, p->names[i]);
    }
    put(t, "],\n\"summary\": {");
    put_counts(t, &s.counts);
    put(t, ", \"lines\": %" PRIu64 ", \"bypass_lines\": %" PRIu64 "}", s.lines, s.bypass_lines);
    put_sms(t, p);
    put_instructions(t, p);
    put_classes(t, p);
    put_thresholds(t, p);
    put_curve(t, p);
    if (flags & GPC_PROFILE_JSON_LINES)
        put_lines(t, p);
    put(t, "}\n");
}

gpc_status gpc_profile_json(gpc_profile *p, uint32_t flags, char *buffer, size_t size, size_t *out_length) {
    if (!p || (flags & ~GPC_PROFILE_JSON_LINES))
        return GPC_ERROR_ARGUMENT;
    if (gpci_profile_settle(p) < 0)
        return GPC_ERROR_MEMORY;
    text t = {.at = buffer, .size = buffer ? size : 0};
    put_all(&t, p, flags);
    if (t.size)
        buffer[t.length < t.size ? t.length : t.size - 1] = '\0';
    if (out_length)
        *out_length = t.length;
    return buffer && t.length >= t.size ? GPC_ERROR_RANGE : GPC_OK;
}

gpc_status gpc_profile_write_json(gpc_profile *p, uint32_t flags, const char *path, gpc_error *error) {
    if (!p || !path || (flags & ~GPC_PROFILE_JSON_LINES))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_profile_write_json: %s",
                         !p      ? "profile is NULL"
                         : !path ? "path is NULL"
                                 : "unknown flags");
    if (gpci_profile_settle(p) < 0)
        return gpci_out_of_memory(error);
    text t = {.error = error};
    gpc_status status = gpci_output_open(p->context, path, error, &t.output);
    if (status < 0)
        return status;
    put_all(&t, p, flags);
    if (t.status == GPC_OK)
        return gpci_output_commit(t.output, error);
    gpci_output_discard(t.output);
    return t.status;
}
