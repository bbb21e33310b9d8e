/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum {
#define X(...) +1
    HIERARCHY_ROWS = 0 GPC_COUNTERS(X) GPC_HISTOGRAMS(X) GPC_RATIOS(X)
#undef X
};

/* Convert a host's struct; `present` [HIERARCHY_ROWS] receives the rows it has. */
static gpc_status read_stats(const gpc_layout *layout, const void *theirs, gpc_stats *ours, bool *present) {
    return gpci_layout_take(layout, GPC_TABLE_HIERARCHY, theirs, ours, present);
}

static uint64_t *bucket(gpc_stats *stats, const gpc_counter_info *info, size_t i) {
    return (uint64_t *)(void *)((char *)stats + info->offset) + i;
}

static uint64_t add_SUM(uint64_t a, uint64_t b) {
    return a + b;
}
static uint64_t add_MAX(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static uint64_t subtract_SUM(uint64_t a, uint64_t b) {
    return a - b;
}
static uint64_t subtract_MAX(uint64_t a, uint64_t b) {
    (void)b;
    return a;
}
#define add_GAUGE add_SUM
#define subtract_GAUGE subtract_SUM

void gpci_stats_add(gpc_stats *into, const gpc_stats *more) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) \
    into->field = add_##kind(into->field, more->field);
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) \
    for (size_t k = 0; k < (buckets); k++)                                        \
        into->field[k] += more->field[k];
    GPC_HISTOGRAMS(X)
#undef X
}

void gpci_stats_subtract(gpc_stats *later, const gpc_stats *earlier) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) \
    later->field = subtract_##kind(later->field, earlier->field);
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) \
    for (size_t k = 0; k < (buckets); k++)                                        \
        later->field[k] -= earlier->field[k];
    GPC_HISTOGRAMS(X)
#undef X
}

/* Mark values absent if absent in `left` or `right`. */
static void keep_absent(gpc_stats *out, const gpc_stats *left, const gpc_stats *right) {
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (size_t i = 0; i < rows; i++) {
        uint64_t first, second;
        memcpy(&first, (const char *)left + info[i].offset, sizeof first);
        memcpy(&second, (const char *)right + info[i].offset, sizeof second);
        if (!info[i].ratio && (first == GPC_ABSENT || second == GPC_ABSENT))
            gpci_stats_forget(out, &info[i]);
    }
}

void gpci_stats_forget(gpc_stats *stats, const gpc_counter_info *row) {
    memset((char *)stats + row->offset, 0xff, row->buckets * sizeof(uint64_t));
}

bool gpci_stats_clear_absent(gpc_stats *stats) {
    bool any = false;
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (size_t i = 0; i < rows; i++)
        if (!info[i].ratio && *bucket(stats, &info[i], 0) == GPC_ABSENT) {
            memset(bucket(stats, &info[i], 0), 0, info[i].buckets * sizeof(uint64_t));
            any = true;
        }
    return any;
}

gpc_status gpc_stats_add_as(const gpc_layout *layout, void *into, const void *more) {
    gpc_stats left, right;
    gpc_status status = read_stats(layout, into, &left, NULL);
    if (status == GPC_OK)
        status = read_stats(layout, more, &right, NULL);
    if (status < 0)
        return status;
    gpc_stats sum = left;
    gpci_stats_add(&sum, &right);
    keep_absent(&sum, &left, &right);
    return gpci_layout_give(layout, GPC_TABLE_HIERARCHY, &sum, into);
}

gpc_status gpc_stats_subtract_as(const gpc_layout *layout, const void *later, const void *earlier, void *out) {
    gpc_stats left, right;
    gpc_status status = read_stats(layout, later, &left, NULL);
    if (status == GPC_OK)
        status = read_stats(layout, earlier, &right, NULL);
    if (status < 0)
        return status;
    gpc_stats difference = left;
    gpci_stats_subtract(&difference, &right);
    keep_absent(&difference, &left, &right);
    return gpci_layout_give(layout, GPC_TABLE_HIERARCHY, &difference, out);
}

/*
 * True if the layout has the row. `under` receives the divisor of the value; 0: not measured, or a ratio with
 * denominator 0.
 */
static bool told(const gpc_counter_info *rows, size_t i, gpc_stats *stats, const bool *present, uint64_t *under) {
    const gpc_counter_info *info = &rows[i];
    *under = info->ratio ? *(uint64_t *)(void *)((char *)stats + info->divisor) : 1;
    if (*bucket(stats, info, 0) == GPC_ABSENT || *under == GPC_ABSENT)
        *under = 0;
    return info->ratio
               ? present[gpci_counter(info->numerator) - rows] && present[gpci_counter(info->denominator) - rows]
               : present[i];
}

gpc_status gpc_stats_json_as(const gpc_layout *layout, const void *stats, char *buffer, size_t size,
                             size_t *out_length) {
    gpc_stats s;
    bool present[HIERARCHY_ROWS];
    gpc_status status = read_stats(layout, stats, &s, present);
    if (status < 0)
        return status;
    gpci_text text = gpci_text_of(buffer, size);
    const char *separator = "{";
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (size_t i = 0; i < rows; i++) {
        uint64_t under;
        if (!told(info, i, &s, present, &under) || !under)
            continue;
        gpci_text_put(&text, "%s\"%s\": ", separator, info[i].name);
        separator = ", ";
        if (info[i].ratio) {
            gpci_text_ratio(&text, *bucket(&s, &info[i], 0), under);
        } else if (info[i].buckets == 1) {
            gpci_text_put(&text, "%" PRIu64, *bucket(&s, &info[i], 0));
        } else {
            gpci_text_numbers(&text, bucket(&s, &info[i], 0), info[i].buckets);
        }
    }
    gpci_text_put(&text, "}");
    return gpci_text_end(&text, out_length);
}

static void put_cell(gpci_text *text, gpc_stats *stats, const gpc_counter_info *info, size_t k, uint64_t under,
                     bool header) {
    if (header && info->buckets == 1)
        gpci_text_put(text, "%s", info->name);
    else if (header)
        gpci_text_put(text, "%s.%zu", info->name, k);
    else if (!info->ratio && under)
        gpci_text_put(text, "%" PRIu64, *bucket(stats, info, k));
    else if (under)
        gpci_text_ratio(text, *bucket(stats, info, 0), under);
}

gpc_status gpc_stats_csv_as(const gpc_layout *layout, const void *stats, bool header, char *buffer, size_t size,
                            size_t *out_length) {
    gpc_stats s;
    bool present[HIERARCHY_ROWS];
    gpc_status status = read_stats(layout, stats, &s, present);
    if (status < 0)
        return status;
    gpci_text text = gpci_text_of(buffer, size);
    size_t rows;
    const gpc_counter_info *info = gpci_counters(GPC_TABLE_HIERARCHY, &rows);
    for (int row = header ? 0 : 1; row < 2; row++) {
        const char *separator = "";
        for (size_t i = 0; i < rows; i++) {
            uint64_t under;
            if (!told(info, i, &s, present, &under))
                continue;
            for (size_t k = 0; k < info[i].buckets; k++, separator = ",") {
                gpci_text_put(&text, "%s", separator);
                put_cell(&text, &s, &info[i], k, under, row == 0);
            }
        }
        gpci_text_put(&text, "\n");
    }
    return gpci_text_end(&text, out_length);
}
