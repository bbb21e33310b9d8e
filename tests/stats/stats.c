/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"
#include "measured.h"

#include <gpucache/ext/coherence.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Statistics: the table, reads by id, and the two writers, read back by an independent reader. */

static uint64_t *field(measured_stats *stats, size_t offset) {
    return (uint64_t *)(void *)((char *)stats + offset);
}

/* Every counter a different number: the offset times a factor. */
static void fill(measured_stats *stats, uint64_t factor) {
    measured_clear(stats);
    for (size_t offset = 0; offset < sizeof *stats; offset += sizeof(uint64_t))
        *field(stats, offset) = offset * factor;
}

Test(stats, table) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT, other = GPC_COUNTER_INFO_INIT;
    bool ratios = false;
    size_t fields = 0;
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL), GPC_OK);
        cr_expect(*info.name && *info.unit && *info.meaning);
        cr_expect_leq(measured_offset(info.id) + info.buckets * sizeof(uint64_t), sizeof(measured_stats));
        cr_expect_eq(info.values, info.ratio ? 2 : info.buckets, "%s", info.name);
        cr_expect_eq(gpc_counter_values(&info.id, 1), info.values);
        cr_assert_neq(info.needs, NULL, "%s", info.name);
        cr_expect(!ratios || info.ratio, "ratios come last");
        ratios = info.ratio;
        fields += info.ratio ? 0 : info.buckets;
        for (size_t k = 0; k < i; k++) {
            gpc_counter_table_at(GPC_TABLE_HIERARCHY, k, &other, NULL);
            cr_expect_str_neq(info.name, other.name);
        }
    }
    cr_expect_eq(fields * sizeof(uint64_t), sizeof(measured_stats), "each field has its row");
    cr_expect_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, gpc_counter_table_count(GPC_TABLE_HIERARCHY), &info, NULL),
                 GPC_ERROR_RANGE);
    cr_expect_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, 0, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_counter_table_count(GPC_TABLE_CACHE) * sizeof(uint64_t), sizeof(measured_cache));
    cr_expect_eq(gpc_counter_table_at(GPC_TABLE_CACHE, gpc_counter_table_count(GPC_TABLE_CACHE), &info, NULL),
                 GPC_ERROR_RANGE);
}

/* Preconditions are sentences, found by name; constants are the ids. */
Test(stats, needs_and_constants) {
    static const struct {
        const char *name, *needs;
        uint32_t id;
        gpc_counter_table table;
    } rows[] = {
        {"l1.load_sectors", "", GPC_ID_l1_load_sectors, GPC_TABLE_HIERARCHY},
        {"cycles", "mode = timed", GPC_ID_cycles, GPC_TABLE_HIERARCHY},
        {"load.latency", "mode = timed", GPC_ID_load_latency, GPC_TABLE_HIERARCHY},
        {"tlb.l1_accesses", "tlb.page", GPC_ID_tlb_l1_accesses, GPC_TABLE_HIERARCHY},
        {"reads", "", GPC_ID_CACHE_reads, GPC_TABLE_CACHE},
        {"packets", "", GPC_ID_NETWORK_packets, GPC_TABLE_NETWORK},
        {"accesses", "", GPC_ID_MODULE_accesses, GPC_TABLE_COHERENCE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_by_name(rows[i].table, rows[i].name, &info, NULL), GPC_OK, "%s", rows[i].name);
        cr_expect_eq(info.id, rows[i].id, "%s", rows[i].name);
        if (i < 4)
            cr_expect_str_eq(info.needs, rows[i].needs, "%s", rows[i].name);
    }
}

Test(stats, errors_of_texts) {
    gpc_error error = GPC_ERROR_INIT;
    const uint32_t known = GPC_ID_cycles, unknown = 65535;
    const uint64_t value = 1;
    char text[8];
    cr_expect_eq(gpc_counters_json(NULL, 1, &value, 1, text, sizeof text, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "gpc_counters_json: ids is NULL");
    cr_expect_eq(gpc_counters_csv(&known, 1, NULL, 1, true, text, sizeof text, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "gpc_counters_csv: values is NULL");
    cr_expect_eq(gpc_counters_json(&unknown, 1, &value, 1, text, sizeof text, NULL, &error), GPC_ERROR_NOT_FOUND);
    cr_expect(strstr(error.message, "65535"), "%s", error.message);
    cr_expect_eq(gpc_counters_json(&known, 1, &value, 1, text, sizeof text, NULL, &error), GPC_ERROR_RANGE);
    cr_expect_str_eq(text, "{\"cycle");
    cr_expect_eq(gpc_counters_json(NULL, 0, NULL, 0, text, sizeof text, NULL, &error), GPC_OK);
    cr_expect_str_eq(text, "{}");
}

static char *json(const measured_stats *stats) {
    size_t length;
    cr_assert_eq(measured_json(stats, NULL, 0, &length), GPC_OK);
    char *text = malloc(length + 1);
    cr_assert_eq(measured_json(stats, text, length + 1, &length), GPC_OK);
    cr_assert_eq(strlen(text), length);
    return text;
}

/* Text after `"name": ` in the object, or NULL. */
static const char *member(const char *object, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(object, key);
    cr_assert(!at || !strstr(at + 1, key), "%s twice", name);
    return at ? at + strlen(key) : NULL;
}

static void expect_member(const char *object, const char *name, const char *text) {
    const char *at = member(object, name);
    cr_assert(at, "%s is missing", name);
    size_t length = strlen(text);
    cr_expect(!strncmp(at, text, length) && strchr(",}", at[length]), "%s: %.30s", name, at);
}

Test(stats, json_numbers) {
    measured_stats stats;
    fill(&stats, 1);
    char *text = json(&stats);
    cr_expect(text[0] == '{' && text[strlen(text) - 1] == '}');
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL);
        const char *at = member(text, info.name);
        cr_assert(at, "%s", info.name);
        if (info.ratio)
            continue;
        at += info.buckets > 1;
        for (size_t k = 0; k < info.buckets; k++) {
            char *end;
            cr_assert_eq(strtoull(at, &end, 10), measured_offset(info.id) + k * sizeof(uint64_t), "%s", info.name);
            at = end + 2;
        }
    }
    free(text);
}

Test(stats, json_ratios) {
    measured_stats stats;
    measured_clear(&stats);
    char *text = json(&stats);
    cr_expect_eq(member(text, "l1.load_hit_rate"), NULL, "no ratio of nothing");
    free(text);
    stats.l1_load_sectors = 3;
    stats.l1_load_sector_hits = 2;
    stats.l1_load_requests = 2;
    stats.l2_read_sectors = 7;
    stats.l2_read_sector_hits = 7;
    stats.l1_load_bytes_moved = 1000000;
    stats.l1_load_bytes_used = 1;
    text = json(&stats);
    expect_member(text, "l1.load_hit_rate", "0.666666");
    expect_member(text, "l2.read_hit_rate", "1.000000");
    expect_member(text, "l1.load_utilisation", "0.000001");
    expect_member(text, "l1.sectors_per_load", "1.500000");
    expect_member(text, "l1.lines_per_load", "0.000000");
    free(text);
}

/* Counters of nearly 2^64 must not overflow during printing. */
Test(stats, json_ratios_of_large_counters) {
    measured_stats stats;
    measured_clear(&stats);
    stats.l1_load_sectors = ((uint64_t)1 << 63) + 1;
    stats.l1_load_sector_hits = (uint64_t)1 << 63;
    stats.l2_read_sectors = UINT64_MAX - 1;
    stats.l2_read_sector_hits = UINT64_MAX / 3 * 2;
    stats.l1_load_requests = 1;
    char *text = json(&stats);
    expect_member(text, "l1.load_hit_rate", "0.999999");
    expect_member(text, "l2.read_hit_rate", "0.666666");
    expect_member(text, "l1.sectors_per_load", "9223372036854775809.000000");
    free(text);
}

/* Absent is no number: omitted in JSON, an empty cell of CSV, and absent in sums and differences. */
Test(stats, absent) {
    measured_stats stats, other;
    fill(&stats, 1);
    fill(&other, 2);
    stats.cycles = GPC_ABSENT;
    for (size_t k = 0; k < GPC_LATENCY_BUCKETS; k++)
        stats.load_latency[k] = GPC_ABSENT;
    char *text = json(&stats);
    cr_expect(!member(text, "cycles") && !member(text, "load.latency"));
    cr_expect(!member(text, "ipc"), "nor are ratios of it numbers");
    cr_expect(member(text, "l1.load_sectors") && member(text, "l1.load_hit_rate"));
    free(text);
    char line[32768];
    cr_assert_eq(measured_csv(&stats, true, line, sizeof line, NULL), GPC_OK);
    size_t commas = 0, named = 0;
    for (const char *at = line; *at; at++) {
        commas += *at == ',' && !named;
        named += *at == '\n';
    }
    cr_expect_eq(named, 2);
    const char *values = strchr(line, '\n') + 1;
    for (const char *at = values; *at; at++)
        commas -= *at == ',';
    cr_expect_eq(commas, 0, "a cell for each name");
    cr_expect(strstr(values, ",,"), "an empty one");
    cr_expect(!strstr(values, "18446744073709551615"));
    measured_stats difference, sum = other;
    measured_clear(&difference);
    measured_subtract(&other, &stats, &difference);
    measured_add(&sum, &stats);
    cr_expect(difference.cycles == GPC_ABSENT && sum.cycles == GPC_ABSENT);
    cr_expect_eq(sum.load_latency[GPC_LATENCY_BUCKETS - 1], GPC_ABSENT);
    cr_expect_eq(sum.l1_load_sectors, stats.l1_load_sectors + other.l1_load_sectors);
}

/* Every buffer that is too small has the text, cut; the complete length is returned. */
static void check_cuts(const measured_stats *stats, int form) {
    size_t length, told;
    gpc_status status =
        form ? measured_csv(stats, form == 2, NULL, 0, &length) : measured_json(stats, NULL, 0, &length);
    cr_assert_eq(status, GPC_OK);
    char *whole = malloc(length + 1), *part = malloc(length + 8);
    cr_assert_eq(form ? measured_csv(stats, form == 2, whole, length + 1, NULL)
                      : measured_json(stats, whole, length + 1, NULL),
                 GPC_OK);
    for (size_t size = 0; size <= length + 2; size++) {
        if (size > 64 && size + 64 < length && !effort_takes(size))
            continue;
        memset(part, 'x', length + 8);
        status = form ? measured_csv(stats, form == 2, part, size, &told) : measured_json(stats, part, size, &told);
        cr_assert_eq(status, size > length ? GPC_OK : GPC_ERROR_RANGE, "size %zu of %zu", size, length);
        cr_assert_eq(told, length);
        size_t shown = size > length ? length : size ? size - 1 : 0;
        cr_assert_eq(memcmp(part, whole, shown), 0);
        cr_assert_eq(part[shown], size ? '\0' : 'x');
        cr_assert_eq(part[size], 'x', "written beyond the buffer");
    }
    free(whole);
    free(part);
}

Test(stats, cut_texts) {
    measured_stats stats;
    fill(&stats, 1000003);
    for (int form = 0; form < 3; form++)
        check_cuts(&stats, form);
}

static size_t split(char *line, char *cells[], size_t most) {
    size_t n = 0;
    for (char *at = line; at && n < most; n++) {
        cells[n] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return n;
}

Test(stats, csv) {
    enum { MOST = 1024 };
    measured_stats stats;
    fill(&stats, 1);
    stats.l1_load_sectors = 0; /* leaves a ratio undefined */
    size_t length;
    cr_assert_eq(measured_csv(&stats, true, NULL, 0, &length), GPC_OK);
    char *text = malloc(length + 1), *values, *names[MOST], *cells[MOST], name[64];
    cr_assert_eq(measured_csv(&stats, true, text, length + 1, NULL), GPC_OK);
    values = strchr(text, '\n');
    *values++ = '\0';
    cr_assert_eq(values[strlen(values) - 1], '\n');
    values[strlen(values) - 1] = '\0';
    size_t columns = split(text, names, MOST), column = 0;
    cr_assert_eq(split(values, cells, MOST), columns);
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL);
        for (size_t k = 0; k < info.buckets; k++, column++) {
            cr_assert_lt(column, columns);
            snprintf(name, sizeof name, info.buckets > 1 ? "%s.%zu" : "%s", info.name, k);
            cr_expect_str_eq(names[column], name);
            if (!info.ratio)
                cr_expect_eq(strtoull(cells[column], NULL, 10), *field(&stats, measured_offset(info.id) + k * 8), "%s",
                             name);
            else if (!*field(&stats, measured_offset(info.denominator)))
                cr_expect_str_eq(cells[column], "");
            else
                cr_expect_float_eq(strtod(cells[column], NULL),
                                   (double)*field(&stats, measured_offset(info.id)) /
                                       (double)*field(&stats, measured_offset(info.denominator)),
                                   1e-6);
        }
    }
    cr_expect_eq(column, columns);
    free(text);
}

/* Without a header: the line of values alone. */
Test(stats, csv_values) {
    static char both[32768], values[32768];
    measured_stats stats;
    fill(&stats, 1);
    cr_assert_eq(measured_csv(&stats, true, both, sizeof both, NULL), GPC_OK);
    cr_assert_eq(measured_csv(&stats, false, values, sizeof values, NULL), GPC_OK);
    cr_expect_str_eq(values, strchr(both, '\n') + 1);
}
