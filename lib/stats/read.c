/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

/* Values by id: read an object, write values as text, and fill a struct with a host's values. */

/* Refuse a list of ids or values that is NULL, and values that are too few for the ids. */
static gpc_status check_lists(const uint32_t *ids, size_t count, const uint64_t *values, size_t value_count,
                              const char *function, gpc_error *error) {
    if (count && (!ids || !values))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", function, ids ? "values" : "ids");
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        const gpci_counter_row *row = gpci_counter(ids[i]);
        const size_t needed = gpci_counter_values(row);
        if (needed > value_count - first)
            return gpci_fail(error, GPC_ERROR_RANGE,
                             "%s: value_count is %zu, but %s has values[%zu] to values[%zu] (gpc_counter_values)",
                             function, value_count, row ? row->name : "an unknown id", first, first + needed - 1);
        first += needed;
    }
    return GPC_OK;
}

/* Copy `count` values. If `found` is NULL, or its first value is GPC_ABSENT, all values are GPC_ABSENT. */
static void put(uint64_t *values, const uint64_t *found, size_t count) {
    for (size_t k = 0; k < count; k++)
        values[k] = found && *found != GPC_ABSENT ? found[k] : GPC_ABSENT;
}

gpc_status gpci_read(gpci_find_fn find, const void *data, const uint32_t *ids, size_t count, uint64_t *values,
                     size_t value_count, const char *function, gpc_error *error) {
    const gpc_status status = check_lists(ids, count, values, value_count, function, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        const gpci_counter_row *row = gpci_counter(ids[i]);
        if (row && row->ratio) {
            put(values, find(data, gpci_counter(row->numerator)), 1);
            put(values + 1, find(data, gpci_counter(row->denominator)), 1);
        } else {
            put(values, row ? find(data, row) : NULL, gpci_counter_values(row));
        }
        values += gpci_counter_values(row);
    }
    return GPC_OK;
}

typedef struct table_view {
    gpc_counter_table table;
    const void *stats;
} table_view;

static const uint64_t *find_in_table(const void *data, const gpci_counter_row *row) {
    const table_view *view = data;
    return row->table == view->table ? (const void *)((const char *)view->stats + row->offset) : NULL;
}

gpc_status gpci_read_table(gpc_counter_table table, const void *stats, const uint32_t *ids, size_t count,
                           uint64_t *values, size_t value_count, const char *function, gpc_error *error) {
    const table_view view = {table, stats};
    return gpci_read(find_in_table, &view, ids, count, values, value_count, function, error);
}

gpc_status gpc_stats_read(const gpc_stats *stats, const uint32_t *ids, size_t count, uint64_t *values,
                          size_t value_count, gpc_error *error) {
    if (!stats)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_stats_read: stats is NULL");
    return gpci_read_table(GPC_TABLE_HIERARCHY, stats, ids, count, values, value_count, "gpc_stats_read", error);
}

gpc_status gpci_stats_take(gpc_stats *stats, const uint32_t *ids, size_t count, const uint64_t *values,
                           size_t value_count, const char *function, gpc_error *error) {
    gpci_stats_init(stats);
    const gpc_status status = check_lists(ids, count, values, value_count, function, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        const gpci_counter_row *row = gpci_counter(ids[i]);
        if (!row || row->ratio || row->table != GPC_TABLE_HIERARCHY)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: no counter of a hierarchy has the id %" PRIu32, function,
                             ids[i]);
        if (*values != GPC_ABSENT)
            memcpy((char *)stats + row->offset, values, row->buckets * sizeof *values);
        values += row->buckets;
    }
    return GPC_OK;
}

static gpc_status check(const uint32_t *ids, size_t count, const uint64_t *values, size_t value_count,
                        const char *function, gpc_error *error) {
    const gpc_status status = check_lists(ids, count, values, value_count, function, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++)
        if (!gpci_counter(ids[i]))
            return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s: no counter has the id %" PRIu32, function, ids[i]);
    return GPC_OK;
}

static gpc_status end(gpci_text *text, size_t *out_length, const char *function, gpc_error *error) {
    const gpc_status status = gpci_text_end(text, out_length);
    return status < 0 ? gpci_fail(error, status, "%s: the text has %zu bytes, and size is %zu", function, text->length,
                                  text->size)
                      : status;
}

/* True if the values are measured, and a ratio's denominator is not 0. */
static bool has_text(const gpci_counter_row *row, const uint64_t *values) {
    return *values != GPC_ABSENT && (!row->ratio || (values[1] && values[1] != GPC_ABSENT));
}

gpc_status gpc_counters_json(const uint32_t *ids, size_t count, const uint64_t *values, size_t value_count,
                             char *buffer, size_t size, size_t *out_length, gpc_error *error) {
    const gpc_status status = check(ids, count, values, value_count, "gpc_counters_json", error);
    if (status < 0)
        return status;
    gpci_text text = gpci_text_of(buffer, size);
    const char *separator = "";
    gpci_text_put(&text, "{");
    for (size_t i = 0; i < count; i++) {
        const gpci_counter_row *row = gpci_counter(ids[i]);
        if (has_text(row, values)) {
            gpci_text_put(&text, "%s\"%s\": ", separator, row->name);
            separator = ", ";
            if (row->ratio)
                gpci_text_ratio(&text, values[0], values[1]);
            else if (row->buckets == 1)
                gpci_text_put(&text, "%" PRIu64, *values);
            else
                gpci_text_numbers(&text, values, row->buckets);
        }
        values += gpci_counter_values(row);
    }
    gpci_text_put(&text, "}");
    return end(&text, out_length, "gpc_counters_json", error);
}

static void put_cell(gpci_text *text, const gpci_counter_row *row, const uint64_t *values, size_t k, bool header) {
    if (header && row->buckets == 1)
        gpci_text_put(text, "%s", row->name);
    else if (header)
        gpci_text_put(text, "%s.%zu", row->name, k);
    else if (has_text(row, values) && row->ratio)
        gpci_text_ratio(text, values[0], values[1]);
    else if (has_text(row, values))
        gpci_text_put(text, "%" PRIu64, values[k]);
}

gpc_status gpc_counters_csv(const uint32_t *ids, size_t count, const uint64_t *values, size_t value_count, bool header,
                            char *buffer, size_t size, size_t *out_length, gpc_error *error) {
    const gpc_status status = check(ids, count, values, value_count, "gpc_counters_csv", error);
    if (status < 0)
        return status;
    gpci_text text = gpci_text_of(buffer, size);
    for (int line = header ? 0 : 1; line < 2; line++) {
        const uint64_t *next = values;
        const char *separator = "";
        for (size_t i = 0; i < count; i++) {
            const gpci_counter_row *row = gpci_counter(ids[i]);
            for (size_t k = 0; k < row->buckets; k++, separator = ",") {
                gpci_text_put(&text, "%s", separator);
                put_cell(&text, row, next, k, line == 0);
            }
            next += gpci_counter_values(row);
        }
        gpci_text_put(&text, "\n");
    }
    return end(&text, out_length, "gpc_counters_csv", error);
}
