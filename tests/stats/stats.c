/* SPDX-License-Identifier: BSD-2-Clause */
#include "effort.h"

#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Statistics: the table, merging, and the two writers, read back by an independent reader. */

static uint64_t *field(gpc_stats *stats, size_t offset) {
    return (uint64_t *)(void *)((char *)stats + offset);
}

/* Every counter a different number: the offset times a factor. */
static void fill(gpc_stats *stats, uint64_t factor) {
    gpc_stats_init(stats);
    for (size_t offset = sizeof(size_t); offset < sizeof *stats; offset += sizeof(uint64_t))
        *field(stats, offset) = offset * factor;
}

Test(stats, table) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT, other = GPC_COUNTER_INFO_INIT;
    bool ratios = false;
    size_t fields = 0;
    for (size_t i = 0; i < gpc_counter_count(); i++) {
        cr_assert_eq(gpc_counter_at(i, &info), GPC_OK);
        cr_expect(*info.name && *info.unit && *info.meaning);
        cr_expect_leq(info.offset + info.buckets * sizeof(uint64_t), sizeof(gpc_stats));
        cr_expect(!ratios || info.ratio, "ratios come last");
        ratios = info.ratio;
        fields += info.ratio ? 0 : info.buckets;
        for (size_t k = 0; k < i; k++) {
            gpc_counter_at(k, &other);
            cr_expect_str_neq(info.name, other.name);
        }
    }
    cr_expect_eq(fields * sizeof(uint64_t) + sizeof(size_t), sizeof(gpc_stats), "each field has its row");
    cr_expect_eq(gpc_counter_at(gpc_counter_count(), &info), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_counter_at(0, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_counter_count() * sizeof(uint64_t) + sizeof(size_t), sizeof(gpc_cache_stats));
    cr_expect_eq(gpc_cache_counter_at(gpc_cache_counter_count(), &info), GPC_ERROR_RANGE);
}

Test(stats, initialisers) {
    gpc_stats stats;
    gpc_cache_stats cache;
    memset(&stats, 0xff, sizeof stats);
    memset(&cache, 0xff, sizeof cache);
    gpc_stats_init(&stats);
    gpc_cache_stats_init(&cache);
    gpc_stats zero = {.struct_size = sizeof zero};
    gpc_cache_stats cache_zero = {.struct_size = sizeof cache_zero};
    cr_expect_eq(memcmp(&stats, &zero, sizeof stats), 0);
    cr_expect_eq(memcmp(&cache, &cache_zero, sizeof cache), 0);
}

Test(stats, add) {
    gpc_stats a, b;
    fill(&a, 3);
    fill(&b, 4);
    a.l1_capacity = 100;
    b.l1_capacity = 70;
    a.resident_blocks = 1;
    b.resident_blocks = 2;
    cr_assert_eq(gpc_stats_add(&a, &b), GPC_OK);
    cr_expect_eq(a.struct_size, sizeof a);
    for (size_t offset = sizeof(size_t); offset < sizeof a; offset += sizeof(uint64_t))
        if (offset != offsetof(gpc_stats, l1_capacity) && offset != offsetof(gpc_stats, resident_blocks))
            cr_assert_eq(*field(&a, offset), offset * 7, "offset %zu", offset);
    cr_expect_eq(a.l1_capacity, 100, "MAX");
    cr_expect_eq(a.resident_blocks, 2, "MAX");
}

Test(stats, subtract) {
    gpc_stats earlier, later, difference;
    fill(&earlier, 3);
    fill(&later, 5);
    earlier.l1_capacity = 100;
    later.l1_capacity = 70;
    later.resident_blocks = 9;
    gpc_stats_init(&difference);
    cr_assert_eq(gpc_stats_subtract(&later, &earlier, &difference), GPC_OK);
    for (size_t offset = sizeof(size_t); offset < sizeof later; offset += sizeof(uint64_t))
        if (offset != offsetof(gpc_stats, l1_capacity) && offset != offsetof(gpc_stats, resident_blocks))
            cr_assert_eq(*field(&difference, offset), offset * 2, "offset %zu", offset);
    cr_expect_eq(difference.l1_capacity, 70, "a MAX counter keeps the later value");
    cr_expect_eq(difference.resident_blocks, 9);
    cr_assert_eq(gpc_stats_subtract(&later, &earlier, &later), GPC_OK, "in place");
    cr_expect_eq(memcmp(&later, &difference, sizeof later), 0);
}

/* Structs of callers older and newer than the library. */
Test(stats, struct_size) {
    struct {
        gpc_stats known;
        uint64_t newer;
    } larger;
    gpc_stats more, sum;
    fill(&larger.known, 1);
    fill(&more, 1);
    larger.known.struct_size = sizeof larger;
    larger.newer = 0;
    cr_expect_eq(gpc_stats_add(&larger.known, &more), GPC_OK);
    cr_expect_eq(larger.known.struct_size, sizeof larger);
    larger.newer = 1;
    cr_expect_eq(gpc_stats_add(&larger.known, &more), GPC_ERROR_ABI);
    cr_expect_eq(gpc_stats_json(&larger.known, NULL, 0, NULL), GPC_ERROR_ABI);
    cr_expect_eq(gpc_stats_csv(&larger.known, true, NULL, 0, NULL), GPC_ERROR_ABI);
    /* an older caller knows only the first two counters */
    fill(&sum, 10);
    more.struct_size = offsetof(gpc_stats, warp_instructions);
    cr_expect_eq(gpc_stats_add(&sum, &more), GPC_OK);
    cr_expect_eq(sum.kernels, 11 * offsetof(gpc_stats, kernels));
    cr_expect_eq(sum.blocks, 11 * offsetof(gpc_stats, blocks));
    cr_expect_eq(sum.warp_instructions, 10 * offsetof(gpc_stats, warp_instructions));
    fill(&sum, 10);
    sum.struct_size = offsetof(gpc_stats, warp_instructions);
    cr_expect_eq(gpc_stats_add(&sum, &more), GPC_OK);
    cr_expect_eq(sum.blocks, 11 * offsetof(gpc_stats, blocks));
    cr_expect_eq(sum.warp_instructions, 10 * offsetof(gpc_stats, warp_instructions), "beyond its size: not written");
    sum.struct_size = sizeof sum.struct_size;
    cr_expect_eq(gpc_stats_add(&sum, &more), GPC_ERROR_ABI);
    cr_expect_eq(gpc_stats_add(NULL, &more), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_stats_add(&more, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_stats_subtract(&more, &more, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_stats_json(NULL, NULL, 0, NULL), GPC_ERROR_ARGUMENT);
}

static char *json(const gpc_stats *stats) {
    size_t length;
    cr_assert_eq(gpc_stats_json(stats, NULL, 0, &length), GPC_OK);
    char *text = malloc(length + 1);
    cr_assert_eq(gpc_stats_json(stats, text, length + 1, &length), GPC_OK);
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
    gpc_stats stats;
    fill(&stats, 1);
    char *text = json(&stats);
    cr_expect(text[0] == '{' && text[strlen(text) - 1] == '}');
    for (size_t i = 0; i < gpc_counter_count(); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_counter_at(i, &info);
        const char *at = member(text, info.name);
        cr_assert(at, "%s", info.name);
        if (info.ratio)
            continue;
        at += info.buckets > 1;
        for (size_t k = 0; k < info.buckets; k++) {
            char *end;
            cr_assert_eq(strtoull(at, &end, 10), info.offset + k * sizeof(uint64_t), "%s", info.name);
            at = end + 2;
        }
    }
    free(text);
}

Test(stats, json_ratios) {
    gpc_stats stats;
    gpc_stats_init(&stats);
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

/* A host with only a part of a ratio gets no ratio. */
Test(stats, json_ratios_of_what_a_host_has) {
    for (int part = 0; part < 3; part++) {
        gpc_counter_info ratio = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, "l1.load_hit_rate", &ratio), GPC_OK);
        const gpc_field fields[] = {{part == 1 ? ratio.denominator : ratio.numerator, 1}, {ratio.denominator, 1}};
        const struct {
            size_t struct_size;
            uint64_t values[2];
        } has = {part < 2 ? sizeof(size_t) + 8 : sizeof(size_t) + 16, {3, 3}};
        const gpc_layout layout = {has.struct_size, fields, part < 2 ? 1 : 2, 0, 0};
        char text[256];
        cr_assert_eq(gpc_stats_json_as(&layout, &has, text, sizeof text, NULL), GPC_OK);
        cr_expect_eq(strstr(text, "l1.load_hit_rate") != NULL, part == 2, "%d: %s", part, text);
    }
}

/* Counters of nearly 2^64 must not overflow during printing. */
Test(stats, json_ratios_of_large_counters) {
    gpc_stats stats;
    gpc_stats_init(&stats);
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
    gpc_stats stats, other;
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
    cr_assert_eq(gpc_stats_csv(&stats, true, line, sizeof line, NULL), GPC_OK);
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
    gpc_stats difference, sum = other;
    gpc_stats_init(&difference);
    cr_expect_eq(gpc_stats_subtract(&other, &stats, &difference), GPC_OK);
    cr_expect_eq(gpc_stats_add(&sum, &stats), GPC_OK);
    cr_expect(difference.cycles == GPC_ABSENT && sum.cycles == GPC_ABSENT);
    cr_expect_eq(sum.load_latency[GPC_LATENCY_BUCKETS - 1], GPC_ABSENT);
    cr_expect_eq(sum.l1_load_sectors, stats.l1_load_sectors + other.l1_load_sectors);
}

/* Every buffer that is too small has the text, cut; the complete length is returned. */
static void check_cuts(const gpc_stats *stats, int form) {
    size_t length, told;
    gpc_status status =
        form ? gpc_stats_csv(stats, form == 2, NULL, 0, &length) : gpc_stats_json(stats, NULL, 0, &length);
    cr_assert_eq(status, GPC_OK);
    char *whole = malloc(length + 1), *part = malloc(length + 8);
    cr_assert_eq(form ? gpc_stats_csv(stats, form == 2, whole, length + 1, NULL)
                      : gpc_stats_json(stats, whole, length + 1, NULL),
                 GPC_OK);
    for (size_t size = 0; size <= length + 2; size++) {
        if (size > 64 && size + 64 < length && !effort_takes(size))
            continue;
        memset(part, 'x', length + 8);
        status = form ? gpc_stats_csv(stats, form == 2, part, size, &told) : gpc_stats_json(stats, part, size, &told);
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
    gpc_stats stats;
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
    gpc_stats stats;
    fill(&stats, 1);
    stats.l1_load_sectors = 0; /* leaves a ratio undefined */
    size_t length;
    cr_assert_eq(gpc_stats_csv(&stats, true, NULL, 0, &length), GPC_OK);
    char *text = malloc(length + 1), *values, *names[MOST], *cells[MOST], name[64];
    cr_assert_eq(gpc_stats_csv(&stats, true, text, length + 1, NULL), GPC_OK);
    values = strchr(text, '\n');
    *values++ = '\0';
    cr_assert_eq(values[strlen(values) - 1], '\n');
    values[strlen(values) - 1] = '\0';
    size_t columns = split(text, names, MOST), column = 0;
    cr_assert_eq(split(values, cells, MOST), columns);
    for (size_t i = 0; i < gpc_counter_count(); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_counter_at(i, &info);
        for (size_t k = 0; k < info.buckets; k++, column++) {
            cr_assert_lt(column, columns);
            snprintf(name, sizeof name, info.buckets > 1 ? "%s.%zu" : "%s", info.name, k);
            cr_expect_str_eq(names[column], name);
            if (!info.ratio)
                cr_expect_eq(strtoull(cells[column], NULL, 10), *field(&stats, info.offset + k * 8), "%s", name);
            else if (!*field(&stats, info.divisor))
                cr_expect_str_eq(cells[column], "");
            else
                cr_expect_float_eq(strtod(cells[column], NULL),
                                   (double)*field(&stats, info.offset) / (double)*field(&stats, info.divisor), 1e-6);
        }
    }
    cr_expect_eq(column, columns);
    free(text);
}

/* Without a header: the line of values alone. */
Test(stats, csv_values) {
    static char both[32768], values[32768];
    gpc_stats stats;
    fill(&stats, 1);
    cr_assert_eq(gpc_stats_csv(&stats, true, both, sizeof both, NULL), GPC_OK);
    cr_assert_eq(gpc_stats_csv(&stats, false, values, sizeof values, NULL), GPC_OK);
    cr_expect_str_eq(values, strchr(both, '\n') + 1);
}
