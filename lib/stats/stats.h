/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_STATS_STATS_H
#define GPC_STATS_STATS_H

#include "base/base.h"

/* Statistics inside the library: plain structs. The fields are in the order of the tables of counters (counters.h). */

/* Counters and histograms of a hierarchy; opaque for hosts. */
struct gpc_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
};

/* Counters of a cache. */
typedef struct gpci_cache_stats {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} gpci_cache_stats;

/*
 * Counters of a module of a coherent tree, and the matrices of gpc_coherence_get_matrices: counts for each pair of the
 * six states of a block.
 */
typedef struct gpci_coherence_stats {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT];
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];
} gpci_coherence_stats;

/* Counters of a network. */
typedef struct gpci_network_stats {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_NETWORK_COUNTERS(X)
#undef X
} gpci_network_stats;

/* Preconditions of counters, the NEEDS column of counters.h: X(name, "sentence"). */
#define GPCI_COUNTER_NEEDS(X)                                                                     \
    X(NOTHING, "")                                                                                \
    X(CLOCK, "mode = timed")                                                                      \
    X(REPLAY, "a timed gpc_replay, which has the warps")                                          \
    X(ISSUE, "for an SM a gpc_replay, and another warps.order than recorded")                     \
    X(REUSE, "track_reuse of the cache")                                                          \
    X(WARPS, "track_warps of the cache")                                                          \
    X(FUTURE, "l1.future, or track_future of the cache")                                          \
    X(REORDER, "l1.reorder, mode = timed")                                                        \
    X(LINKS, "networks between L2 partitions, or between slices and channels, mode = timed")      \
    X(CLUSTERS, "cluster.sms, mode = timed")                                                      \
    X(CACHES, "plain caches: coherence = none or viper")                                          \
    X(GPUS, "gpu.count of 2 or more")                                                             \
    X(PREFETCHER, "l1.prefetcher, mode = timed")                                                  \
    X(CREDITS, "reply credits set by the host, mode = timed")                                     \
    X(MISSES, "misses of a host's own L1s, const.size or l15.size, mode = timed")                 \
    X(ENERGY, "the key of the counter's name, and the counters that the energy is computed from") \
    X(TLB, "tlb.page")                                                                            \
    X(TLB_TIME, "tlb.page, mode = timed")                                                         \
    X(STAGES, "stats.stages, mode = timed")                                                       \
    X(L1I, "l1i.size, in a timed gpc_replay")                                                     \
    X(L2_PREFETCHER, "l2.prefetcher, mode = timed")                                               \
    X(CONST, "const.size")                                                                        \
    X(CONST_TIME, "const.size, mode = timed")                                                     \
    X(DATA_BANKS, "banks of L1's data (l1.data_banks), mode = timed")                             \
    X(L15, "l15.size")                                                                            \
    X(L15_TIME, "l15.size, mode = timed")                                                         \
    X(GL1, "gl1.size")                                                                            \
    X(GL1_TIME, "gl1.size, mode = timed")                                                         \
    X(L1I_PREFETCH, "l1i.prefetch, in a timed gpc_replay")                                        \
    X(MEMORY_CACHE, "memory_cache.size")                                                          \
    X(MEMORY_CACHE_TIME, "memory_cache.size, mode = timed")

typedef enum gpci_counter_needs {
#define X(name, sentence) GPCI_NEEDS_##name,
    GPCI_COUNTER_NEEDS(X)
#undef X
} gpci_counter_needs;

/* Row of a table of counters: the fields of gpc_counter_info, and the place of the counter in the library's struct. */
typedef struct gpci_counter_row {
    const char *name, *unit, *meaning, *since, *equals;
    uint32_t id, table, kind, objects;
    gpci_counter_needs needs;
    uint32_t numerator, denominator;
    gpc_merge merge;
    size_t buckets;
    bool ratio;
    size_t offset, divisor; /* offset: of the counter, or of a ratio's numerator. divisor: of a ratio's denominator */
} gpci_counter_row;

/* counters.c: rows of a table. */
const gpci_counter_row *gpci_counters(gpc_counter_table table, size_t *out_count);
/* Row of an id; NULL: unknown id. */
const gpci_counter_row *gpci_counter(uint32_t id);
/*
 * Number of values that a read gives for a row: 2 for a ratio, the buckets of a histogram; 1 for NULL, an unknown id.
 */
size_t gpci_counter_values(const gpci_counter_row *row);

/*
 * Function that finds the values of a counter or a histogram in the object `data`. The values are absent if the result
 * is NULL, or if the first value is GPC_ABSENT.
 */
typedef const uint64_t *(*gpci_find_fn)(const void *data, const gpci_counter_row *row);
/* read.c: read an object by ids, the common part of all `_read` functions. `function`: name of the call, for errors. */
gpc_status gpci_read(gpci_find_fn find, const void *data, const uint32_t *ids, size_t count, uint64_t *values,
                     size_t value_count, const char *function, gpc_error *error);
/* Read a struct with the counters of `table` by ids; counters of other tables are absent. `function`: for errors. */
gpc_status gpci_read_table(gpc_counter_table table, const void *stats, const uint32_t *ids, size_t count,
                           uint64_t *values, size_t value_count, const char *function, gpc_error *error);
/* Fill a struct with a host's values. A counter that is not in `ids`, or that has the value GPC_ABSENT, becomes 0. */
gpc_status gpci_stats_take(gpc_stats *stats, const uint32_t *ids, size_t count, const uint64_t *values,
                           size_t value_count, const char *function, gpc_error *error);

/* stats.c: set all counters to 0. */
void gpci_stats_init(gpc_stats *stats);
/* Set a row to GPC_ABSENT; for a histogram every bucket. */
void gpci_stats_forget(gpc_stats *stats, const gpci_counter_row *row);
/* Add or subtract all counters, by their merge rule. No value may be GPC_ABSENT. */
void gpci_stats_add(gpc_stats *into, const gpc_stats *more);
void gpci_stats_subtract(gpc_stats *later, const gpc_stats *earlier);

GPCI_INLINE void gpci_cache_stats_add(gpci_cache_stats *into, const gpci_cache_stats *more) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) into->field += more->field;
    GPC_CACHE_COUNTERS(X)
#undef X
}

#endif
