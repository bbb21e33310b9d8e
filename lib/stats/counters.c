/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "stats/stats.h"

#include <string.h>

/* Counter descriptors: rows of all tables, table after table. */

/* Index in `counters` of the row of each id: ROW_id. If two rows have the same id, the file does not compile. */
enum {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) ROW_##id,
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) ROW_##id,
        GPC_HISTOGRAMS(X)
#undef X
#define X(id, name, over, under, since, meaning) ROW_##id,
            GPC_RATIOS(X)
#undef X
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) ROW_##id,
                GPC_CACHE_COUNTERS(X) GPC_NETWORK_COUNTERS(X) GPC_COHERENCE_COUNTERS(X)
#undef X
                    ROWS
};

/* Index in `counters` behind the last row of each table. */
enum {
#define X(...) +1
    END_OF_HIERARCHY = 0 GPC_COUNTERS(X) GPC_HISTOGRAMS(X) GPC_RATIOS(X),
    END_OF_CACHE = END_OF_HIERARCHY GPC_CACHE_COUNTERS(X),
    END_OF_NETWORK = END_OF_CACHE GPC_NETWORK_COUNTERS(X),
    END_OF_COHERENCE = END_OF_NETWORK GPC_COHERENCE_COUNTERS(X)
#undef X
};

/* Id of each field, ID_field: a ratio names its two counters by field. */
enum {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) ID_##field = id,
    GPC_COUNTERS(X)
#undef X
};

/* clang-format off */
#define COUNTER(table_, type, id_, field, name_, unit_, kind_, objects_, needs_, since_, meaning_, equals_)         \
    {.name = name_, .unit = unit_, .meaning = meaning_, .since = since_,   \
     .equals = equals_, .id = id_, .table = GPC_TABLE_##table_, .kind = GPC_COUNTER_##kind_,                        \
     .objects = GPC_OBJECTS_##objects_, .needs = GPCI_NEEDS_##needs_, .buckets = 1, .offset = offsetof(type, field), \
     .merge = GPC_COUNTER_##kind_ == GPC_COUNTER_MAX ? GPC_MERGE_MAX : GPC_MERGE_SUM},
#define HISTOGRAM(id_, field, name_, buckets_, unit_, objects_, needs_, since_, meaning_, equals_)                  \
    {.name = name_, .unit = unit_, .meaning = meaning_, .since = since_,   \
     .equals = equals_, .id = id_, .table = GPC_TABLE_HIERARCHY, .kind = GPC_COUNTER_HISTOGRAM,                     \
     .objects = GPC_OBJECTS_##objects_, .needs = GPCI_NEEDS_##needs_, .buckets = buckets_,                           \
     .offset = offsetof(gpc_stats, field)},
#define RATIO(id_, name_, over, under, since_, meaning_)                                                            \
    {.name = name_, .unit = "ratio", .meaning = meaning_, .since = since_, \
     .equals = "", .id = id_, .table = GPC_TABLE_HIERARCHY, .kind = GPC_COUNTER_RATIO, .numerator = ID_##over,      \
     .denominator = ID_##under, .buckets = 1, .ratio = true, .offset = offsetof(gpc_stats, over),                   \
     .divisor = offsetof(gpc_stats, under)},
/* clang-format on */

static const gpci_counter_row counters[] = {
#define X(...) COUNTER(HIERARCHY, gpc_stats, __VA_ARGS__)
    GPC_COUNTERS(X)
#undef X
        GPC_HISTOGRAMS(HISTOGRAM) GPC_RATIOS(RATIO)
#define X(...) COUNTER(CACHE, gpci_cache_stats, __VA_ARGS__)
            GPC_CACHE_COUNTERS(X)
#undef X
#define X(...) COUNTER(NETWORK, gpci_network_stats, __VA_ARGS__)
                GPC_NETWORK_COUNTERS(X)
#undef X
#define X(...) COUNTER(COHERENCE, gpci_coherence_stats, __VA_ARGS__)
                    GPC_COHERENCE_COUNTERS(X)
#undef X
};

const gpci_counter_row *gpci_counters(gpc_counter_table table, size_t *out_count) {
    static const uint16_t ends[] = {0, END_OF_HIERARCHY, END_OF_CACHE, END_OF_NETWORK, END_OF_COHERENCE};
    bool known = (unsigned)table < GPC_TABLE_COUNT;
    *out_count = known ? (size_t)ends[table + 1] - ends[table] : 0;
    return known ? &counters[ends[table]] : NULL;
}

/* Index in `counters` of the row of an id; ROWS: no row has the id. */
static unsigned row_of(uint32_t id) {
    switch (id) {
#define X(id, ...) \
    case id:       \
        return ROW_##id;
        GPC_COUNTERS(X)
        GPC_HISTOGRAMS(X)
        GPC_RATIOS(X)
        GPC_CACHE_COUNTERS(X)
        GPC_NETWORK_COUNTERS(X)
        GPC_COHERENCE_COUNTERS(X)
#undef X
    default:
        return ROWS;
    }
}

const gpci_counter_row *gpci_counter(uint32_t id) {
    const unsigned row = row_of(id);
    return row == ROWS ? NULL : &counters[row];
}

size_t gpci_counter_values(const gpci_counter_row *row) {
    return row && row->ratio ? 2 : row ? row->buckets : 1;
}

size_t gpc_counter_values(const uint32_t *ids, size_t count) {
    size_t values = 0;
    for (size_t i = 0; ids && i < count; i++)
        values += gpci_counter_values(gpci_counter(ids[i]));
    return values;
}

size_t gpc_counter_table_count(gpc_counter_table table) {
    size_t count;
    gpci_counters(table, &count);
    return count;
}

/* Copy a row for a caller. */
static gpc_status give(const gpci_counter_row *row, gpc_counter_info *info, gpc_error *error) {
    static const char *const needs[] = {
#define X(name, sentence) sentence,
        GPCI_COUNTER_NEEDS(X)
#undef X
    };
    const gpc_counter_info ours = {.struct_size = sizeof ours,
                                   .name = row->name,
                                   .unit = row->unit,
                                   .meaning = row->meaning,
                                   .since = row->since,
                                   .id = row->id,
                                   .table = row->table,
                                   .kind = row->kind,
                                   .objects = row->objects,
                                   .numerator = row->numerator,
                                   .denominator = row->denominator,
                                   .merge = row->merge,
                                   .ratio = row->ratio,
                                   .buckets = row->buckets,
                                   .values = gpci_counter_values(row),
                                   .needs = needs[row->needs],
                                   .equals = row->equals};
    return gpci_give(info, &ours, sizeof ours, "gpc_counter_info", error);
}

gpc_status gpc_counter_table_at(gpc_counter_table table, size_t index, gpc_counter_info *info, gpc_error *error) {
    size_t count;
    const gpci_counter_row *first = gpci_counters(table, &count);
    if (!info)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_counter_table_at: info is NULL");
    if (index >= count)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_counter_table_at: index is %zu, and the table has %zu counters",
                         index, count);
    return give(first + index, info, error);
}

gpc_status gpc_counter_by_name(gpc_counter_table table, const char *name, gpc_counter_info *info, gpc_error *error) {
    size_t count, i = 0;
    const gpci_counter_row *first = gpci_counters(table, &count);
    if (!name || !info)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_counter_by_name: %s is NULL", name ? "info" : "name");
    while (i < count && strcmp(first[i].name, name) != 0)
        i++;
    return i < count ? give(first + i, info, error)
                     : gpci_fail(error, GPC_ERROR_NOT_FOUND, "no counter is named '%s'", gpci_quote(name).text);
}

gpc_status gpc_counter_by_id(uint32_t id, gpc_counter_info *info, gpc_error *error) {
    const gpci_counter_row *row = gpci_counter(id);
    if (!info)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_counter_by_id: info is NULL");
    return row ? give(row, info, error) : gpci_fail(error, GPC_ERROR_NOT_FOUND, "no counter has the id %u", id);
}
