/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_STATS_H
#define GPUCACHE_STATS_H

#include <gpucache/counters.h>
#include <gpucache/error.h>

GPC_BEGIN_DECLS

/*
 * Statistics. counters.h lists the counters. A counter has a number, its id, which never changes between versions of
 * the library. Find the id by name (gpc_counter_by_name), or write down the constant of counters.h (gpc_counter_id).
 * Every object with counters has a read of values by ids, as gpc_hierarchy_read: gpc_replay_read, gpc_cache_read,
 * gpc_coherence_read, gpc_dram_read, gpc_profile_read_kernel; gpc_stats_read for statistics lent to a callback.
 */

/* Parts of a hierarchy that have counters. */
typedef enum gpc_object {
    GPC_OBJECT_WHOLE = 0,   /* the hierarchy; in a replay: the kernel */
    GPC_OBJECT_SM = 1,      /* warps, schedulers, L1 */
    GPC_OBJECT_L1 = 2,      /* an L1 per SM */
    GPC_OBJECT_CLUSTER = 3, /* cache between SMs and L2 (`cluster.sms`) */
    GPC_OBJECT_NETWORK = 4, /* network of a single direction */
    GPC_OBJECT_SLICE = 5,   /* slice of L2 */
    GPC_OBJECT_CHANNEL = 6, /* channel of DRAM */
    /* accesses of a stream (`streams`). Transfers without a requesting access, as write-backs, belong to no stream */
    GPC_OBJECT_STREAM = 7,
    GPC_OBJECT_COUNT
} gpc_object;

/*
 * Value of a counter that the object does not have, or that is not measured in this mode or configuration; for a
 * histogram the value of every bucket. A sum or difference with an absent value should be absent.
 */
#define GPC_ABSENT UINT64_MAX

/* Objects that have a counter, a bit per gpc_object: the OBJECT column of counters.h. */
#define GPC_OBJECTS_WHOLE (1 << GPC_OBJECT_WHOLE)
#define GPC_OBJECTS_SM (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_SM)
#define GPC_OBJECTS_SM_PART GPC_OBJECTS_SM
#define GPC_OBJECTS_L1 (GPC_OBJECTS_SM | 1 << GPC_OBJECT_L1)
#define GPC_OBJECTS_L1_PART GPC_OBJECTS_L1
#define GPC_OBJECTS_SLICE (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_SLICE)
#define GPC_OBJECTS_SLICE_PART GPC_OBJECTS_SLICE
#define GPC_OBJECTS_WHOLE_STREAM (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_L1_STREAM (GPC_OBJECTS_L1 | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_SLICE_STREAM (GPC_OBJECTS_SLICE | 1 << GPC_OBJECT_STREAM)
#define GPC_OBJECTS_CHANNEL (GPC_OBJECTS_WHOLE | 1 << GPC_OBJECT_CHANNEL)
#define GPC_OBJECTS_CACHE (1 << GPC_OBJECT_L1 | 1 << GPC_OBJECT_SLICE)
#define GPC_OBJECTS_NETWORK (1 << GPC_OBJECT_NETWORK)
#define GPC_OBJECTS_MODULE (1 << GPC_OBJECT_L1 | 1 << GPC_OBJECT_CLUSTER | 1 << GPC_OBJECT_SLICE)

typedef enum gpc_counter_kind {
    GPC_COUNTER_SUM = 0,
    GPC_COUNTER_MAX = 1,
    GPC_COUNTER_GAUGE = 2, /* added up as SUM */
    GPC_COUNTER_HISTOGRAM = 3,
    GPC_COUNTER_RATIO = 4 /* quotient of two counters; has no value of its own to read */
} gpc_counter_kind;

typedef enum gpc_merge { GPC_MERGE_SUM = 0, GPC_MERGE_MAX = 1 } gpc_merge;

/* Tables of counters. A name is unique within its table, an id within all tables. */
typedef enum gpc_counter_table {
    GPC_TABLE_HIERARCHY = 0,
    GPC_TABLE_CACHE = 1,
    GPC_TABLE_NETWORK = 2,
    GPC_TABLE_COHERENCE = 3,
    GPC_TABLE_COUNT
} gpc_counter_table;

/* Description of a counter. The texts are static. */
typedef struct gpc_counter_info {
    size_t struct_size;
    const char *name, *unit, *meaning, *since;
    uint32_t id;
    uint32_t table;                  /* gpc_counter_table */
    uint32_t kind;                   /* gpc_counter_kind */
    uint32_t objects;                /* a bit per gpc_object that has the counter; 0 for a ratio */
    uint32_t numerator, denominator; /* ids, for a ratio; else 0 */
    gpc_merge merge;
    bool ratio;
    size_t buckets; /* 1 for a counter or a ratio, more for a histogram */
    size_t values;  /* values of a read: a counter has 1, a histogram its buckets, a ratio numerator and denominator */
    /* Precondition of the measurement, as "mode = timed", "" if there is none. Otherwise the counter is absent. */
    const char *needs;
    /*
     * Clauses of the ledger: the counter obeys the clauses while nothing is in flight, if nothing was in flight at the
     * last reset of counters. "" for a ratio. Grammar: counters.h. Since: 0.2.
     */
    const char *equals;
} gpc_counter_info;

#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, GPC_MERGE_SUM, false, 0, 0, NULL, NULL }

/*
 * Read the library's table of counters, in the library's order: counters, histograms, then ratios.
 *   index  below gpc_counter_table_count
 *   name   as in JSON, "l1.load_sectors"
 *   info   the caller sets struct_size
 * Returns GPC_OK; GPC_ERROR_RANGE (index); GPC_ERROR_NOT_FOUND (name, id); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Any
 * thread. Since: 0.3.
 */
GPC_API size_t gpc_counter_table_count(gpc_counter_table table);
GPC_API gpc_status gpc_counter_table_at(gpc_counter_table table, size_t index, gpc_counter_info *info,
                                        gpc_error *error);
GPC_API gpc_status gpc_counter_by_name(gpc_counter_table table, const char *name, gpc_counter_info *info,
                                       gpc_error *error);
GPC_API gpc_status gpc_counter_by_id(uint32_t id, gpc_counter_info *info, gpc_error *error);
/* Number of values in a read of the ids: the sum of gpc_counter_info.values; an unknown id has 1. Since: 0.3. */
GPC_API size_t gpc_counter_values(const uint32_t *ids, size_t count);

/*
 * Write values as text: as a JSON object {"name": value, ...} (histograms as arrays, ratios with six decimals), or as
 * CSV: a header line, if `header`, and a line of values. Absent counters, and ratios with denominator 0, are left out
 * of JSON and are empty cells in CSV.
 *   ids, values  [count] and [gpc_counter_values], as given to and received from a read
 *   text, size   buffer of `size` bytes, NUL-terminated on return; NULL and 0 to measure the length
 *   out_length   receives the full length without the NUL, even if the text was cut
 * Returns GPC_OK; GPC_ERROR_RANGE if the text was cut; GPC_ERROR_NOT_FOUND (id); GPC_ERROR_ARGUMENT. Any thread.
 * Since: 0.3.
 */
GPC_API gpc_status gpc_counters_json(const uint32_t *ids, size_t count, const uint64_t *values, char *text, size_t size,
                                     size_t *out_length, gpc_error *error);
GPC_API gpc_status gpc_counters_csv(const uint32_t *ids, size_t count, const uint64_t *values, bool header, char *text,
                                    size_t size, size_t *out_length, gpc_error *error);

/*
 * Statistics that the library lends to a callback: a period of a time series (gpc_sample_fn), a sample of a scheduler
 * or throttle, a kernel of a stream (gpc_kernel_result). Lives for the call.
 */
typedef struct gpc_stats gpc_stats;

/* Read counters of statistics that the library lends to a callback, as gpc_hierarchy_read. Any thread. Since: 0.3. */
GPC_API gpc_status gpc_stats_read(const gpc_stats *stats, const uint32_t *ids, size_t count, uint64_t *values,
                                  gpc_error *error);

GPC_END_DECLS

#endif
