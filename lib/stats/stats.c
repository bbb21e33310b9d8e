/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <string.h>

void gpci_stats_init(gpc_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
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

void gpci_stats_forget(gpc_stats *stats, const gpci_counter_row *row) {
    memset((char *)stats + row->offset, 0xff, row->buckets * sizeof(uint64_t));
}
