/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const gpc_counter_info counters[] = {
#define X(field, name, unit, merge, meaning) \
    {sizeof(gpc_counter_info), name, unit, meaning, offsetof(gpc_stats, field), 1, GPC_MERGE_##merge, false, 0},
    GPC_COUNTERS(X)
#undef X
#define X(field, name, buckets, unit, meaning) \
    {sizeof(gpc_counter_info), name, unit, meaning, offsetof(gpc_stats, field), buckets, GPC_MERGE_SUM, false, 0},
        GPC_HISTOGRAMS(X)
#undef X
#define X(name, over, under, meaning)                                                                      \
    {sizeof(gpc_counter_info),  name, "ratio", meaning, offsetof(gpc_stats, over), 1, GPC_MERGE_SUM, true, \
     offsetof(gpc_stats, under)},
            GPC_RATIOS(X)
#undef X
};

static const gpc_counter_info cache_counters[] = {
#define X(field, name, unit, merge, meaning) \
    {sizeof(gpc_counter_info), name, unit, meaning, offsetof(gpc_cache_stats, field), 1, GPC_MERGE_##merge, false, 0},
    GPC_CACHE_COUNTERS(X)
#undef X
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

size_t gpc_counter_count(void) {
    return LENGTH(counters);
}

size_t gpc_cache_counter_count(void) {
    return LENGTH(cache_counters);
}

static gpc_status counter_at(const gpc_counter_info *table, size_t count, size_t index, gpc_counter_info *info) {
    if (!info)
        return GPC_ERROR_ARGUMENT;
    return index < count ? gpci_give(info, &table[index], sizeof *info) : GPC_ERROR_RANGE;
}

gpc_status gpc_counter_at(size_t index, gpc_counter_info *info) {
    return counter_at(counters, LENGTH(counters), index, info);
}

gpc_status gpc_cache_counter_at(size_t index, gpc_counter_info *info) {
    return counter_at(cache_counters, LENGTH(cache_counters), index, info);
}

void gpc_stats_init(gpc_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}

void gpc_cache_stats_init(gpc_cache_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}

/* A caller's struct brought to our size; an older one lacks the newest counters. */
static gpc_status read_stats(const gpc_stats *theirs, gpc_stats *ours) {
    gpc_stats_init(ours);
    return theirs ? gpci_take(ours, sizeof *ours, sizeof(size_t) + sizeof(uint64_t), theirs, "gpc_stats", NULL)
                  : GPC_ERROR_ARGUMENT;
}

static uint64_t *bucket(gpc_stats *stats, const gpc_counter_info *info, size_t i) {
    return (uint64_t *)(void *)((char *)stats + info->offset) + i;
}

gpc_status gpc_stats_add(gpc_stats *into, const gpc_stats *more) {
    gpc_stats a, b;
    gpc_status status = read_stats(into, &a);
    if (status == GPC_OK)
        status = read_stats(more, &b);
    if (status < 0)
        return status;
    for (size_t i = 0; i < LENGTH(counters) && !counters[i].ratio; i++)
        for (size_t k = 0; k < counters[i].buckets; k++) {
            uint64_t *to = bucket(&a, &counters[i], k), from = *bucket(&b, &counters[i], k);
            if (counters[i].merge == GPC_MERGE_SUM)
                *to += from;
            else if (*to < from)
                *to = from;
        }
    return gpci_give(into, &a, sizeof a);
}

gpc_status gpc_stats_subtract(const gpc_stats *later, const gpc_stats *earlier, gpc_stats *out) {
    gpc_stats a, b;
    gpc_status status = read_stats(later, &a);
    if (status == GPC_OK)
        status = read_stats(earlier, &b);
    if (status < 0 || !out)
        return status < 0 ? status : GPC_ERROR_ARGUMENT;
    for (size_t i = 0; i < LENGTH(counters) && !counters[i].ratio; i++)
        for (size_t k = 0; k < counters[i].buckets; k++)
            if (counters[i].merge == GPC_MERGE_SUM)
                *bucket(&a, &counters[i], k) -= *bucket(&b, &counters[i], k);
    return gpci_give(out, &a, sizeof a);
}

/* Text that counts what it would need when the buffer is full. */
typedef struct text {
    char *at;
    size_t size, length;
} text;

static void put(text *t, const char *format, ...) GPCI_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool room = t->length < t->size;
    int n = vsnprintf(room ? t->at + t->length : NULL, room ? t->size - t->length : 0, format, arguments);
    va_end(arguments);
    t->length += n > 0 ? (size_t)n : 0;
}

/* The next decimal of rest / under: rest * 10 by additions that wrap at `under`, as a product could overflow. */
static int next_digit(uint64_t *rest, uint64_t under) {
    uint64_t sum = 0;
    int digit = 0;
    for (int i = 0; i < 10; i++) {
        bool wraps = sum >= under - *rest;
        sum = wraps ? sum - (under - *rest) : sum + *rest;
        digit += wraps;
    }
    *rest = sum;
    return digit;
}

/* Millionths of a ratio, cut off, in integers: no printf rounds them differently. */
static void put_ratio(text *t, uint64_t over, uint64_t under) {
    uint64_t rest = over % under;
    put(t, "%" PRIu64 ".", over / under);
    for (int i = 0; i < 6; i++)
        put(t, "%d", next_digit(&rest, under));
}

static gpc_status finish(const text *t, size_t *out_length) {
    if (out_length)
        *out_length = t->length;
    return t->at && t->length >= t->size ? GPC_ERROR_RANGE : GPC_OK;
}

gpc_status gpc_stats_json(const gpc_stats *stats, char *buffer, size_t size, size_t *out_length) {
    gpc_stats s;
    gpc_status status = read_stats(stats, &s);
    if (status < 0)
        return status;
    text t = {buffer, buffer ? size : 0, 0};
    const char *separator = "{";
    for (size_t i = 0; i < LENGTH(counters); i++) {
        const gpc_counter_info *c = &counters[i];
        uint64_t under = c->ratio ? *(uint64_t *)(void *)((char *)&s + c->divisor) : 1;
        if (!under)
            continue;
        put(&t, "%s\"%s\": ", separator, c->name);
        separator = ", ";
        if (c->ratio) {
            put_ratio(&t, *bucket(&s, c, 0), under);
        } else if (c->buckets == 1) {
            put(&t, "%" PRIu64, *bucket(&s, c, 0));
        } else {
            for (size_t k = 0; k < c->buckets; k++)
                put(&t, "%s%" PRIu64, k ? ", " : "[", *bucket(&s, c, k));
            put(&t, "]");
        }
    }
    put(&t, "}");
    return finish(&t, out_length);
}

gpc_status gpc_stats_csv(const gpc_stats *stats, bool header, char *buffer, size_t size, size_t *out_length) {
    gpc_stats s;
    gpc_status status = read_stats(stats, &s);
    if (status < 0)
        return status;
    text t = {buffer, buffer ? size : 0, 0};
    for (int row = header ? 0 : 1; row < 2; row++) {
        const char *separator = "";
        for (size_t i = 0; i < LENGTH(counters); i++) {
            const gpc_counter_info *c = &counters[i];
            for (size_t k = 0; k < c->buckets; k++, separator = ",") {
                uint64_t under = c->ratio ? *(uint64_t *)(void *)((char *)&s + c->divisor) : 1;
                put(&t, "%s", separator);
                if (row == 0 && c->buckets == 1)
                    put(&t, "%s", c->name);
                else if (row == 0)
                    put(&t, "%s.%zu", c->name, k);
                else if (!c->ratio)
                    put(&t, "%" PRIu64, *bucket(&s, c, k));
                else if (under)
                    put_ratio(&t, *bucket(&s, c, 0), under);
            }
        }
        put(&t, "\n");
    }
    return finish(&t, out_length);
}
