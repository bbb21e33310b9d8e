/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_STATS_H
#define GPUCACHE_STATS_H

#include <gpucache/counters.h>
#include <gpucache/error.h>

#include <string.h>

GPC_BEGIN_DECLS

/*
 * Statistics. counters.h lists the counters. A host can read them in two ways:
 *
 *   by identity  a counter has a number, its id, which never changes between versions of the library. Find the id by
 *                name (gpc_counter_by_name) or write the number down. Read the values of an object (an SM, a slice, the
 *                whole) as an array: gpc_hierarchy_read, gpc_replay_read.
 *   as a struct  gpc_stats and related structs have exactly the fields that the host's header knows. Functions with a
 *                struct argument are inline: they pass the host's layout, a list of ids, to the library function with
 *                the suffix `_as`. The library function moves every value to its field in the host's struct. Therefore
 *                a program reads right numbers from a later library, wherever counters were added.
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
 * histogram the value of every bucket. GPC_ABSENT is used in structs of statistics too: a sum or difference with an
 * absent value is absent.
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

/* Precondition of a counter. If the precondition is not met, the counter is absent. The NEEDS column of counters.h. */
typedef enum gpc_counter_needs {
    GPC_NEEDS_NOTHING = 0,
    GPC_NEEDS_CLOCK = 1,       /* mode = timed */
    GPC_NEEDS_REPLAY = 2,      /* a timed gpc_replay, which has the warps */
    GPC_NEEDS_ISSUE = 3,       /* for an SM: a gpc_replay, not with warps.order = recorded; for the whole: nothing */
    GPC_NEEDS_REUSE = 4,       /* track_reuse of the cache */
    GPC_NEEDS_WARPS = 5,       /* track_warps of the cache */
    GPC_NEEDS_FUTURE = 6,      /* l1.future, track_future */
    GPC_NEEDS_REORDER = 7,     /* l1.reorder, timed */
    GPC_NEEDS_LINKS = 8,       /* networks between L2 partitions, or between slices and channels, timed */
    GPC_NEEDS_CLUSTERS = 9,    /* cluster.sms, timed */
    GPC_NEEDS_CACHES = 10,     /* plain caches: coherence = none or viper */
    GPC_NEEDS_FENCE_TIME = 11, /* plain caches, timed; no counter needs the bit */
    GPC_NEEDS_GPUS = 12,       /* gpu.count of 2 or more */
    GPC_NEEDS_PREFETCHER = 13, /* l1.prefetcher, timed */
    GPC_NEEDS_CREDITS = 14,    /* reply credits set by the host (host.h), timed */
    GPC_NEEDS_MISSES = 15,     /* misses of a host's own L1s (gpc_hierarchy_try_miss); const.size, l15.size; timed */
    /* the key of the counter's name (energy.*), and the counters that the energy is computed from */
    GPC_NEEDS_ENERGY = 16,
    GPC_NEEDS_TLB = 17,           /* tlb.page */
    GPC_NEEDS_TLB_TIME = 18,      /* tlb.page, timed */
    GPC_NEEDS_STAGES = 19,        /* stats.stages, timed */
    GPC_NEEDS_L1I = 20,           /* l1i.size, in a timed gpc_replay */
    GPC_NEEDS_L2_PREFETCHER = 21, /* l2.prefetcher, timed */
    GPC_NEEDS_CONST = 22,         /* const.size */
    GPC_NEEDS_CONST_TIME = 23,    /* const.size, timed */
    GPC_NEEDS_DATA_BANKS = 24,    /* banks of L1's data (l1.data_banks), timed */
    GPC_NEEDS_L15 = 25,           /* l15.size */
    GPC_NEEDS_L15_TIME = 26,      /* l15.size, timed */
    GPC_NEEDS_L1I_PREFETCH = 27   /* l1i.prefetch, in a timed gpc_replay */
} gpc_counter_needs;

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
    uint32_t needs;                  /* gpc_counter_needs */
    uint32_t numerator, denominator; /* ids, for a ratio; else 0 */
    gpc_merge merge;
    size_t buckets; /* 1 for a counter, more for a histogram */
    bool ratio;
    /*
     * Set by gpc_counter_at and gpc_cache_counter_at: offsets in bytes into the caller's gpc_stats or gpc_cache_stats;
     * for a ratio the offsets of numerator and denominator. 0 if the caller's header does not know the counter.
     */
    size_t offset, divisor;
    /*
     * Clauses of the ledger: the counter obeys the clauses while nothing is in flight, if nothing was in flight at the
     * last reset of counters. "" for a ratio. Grammar: counters.h. Since: 0.2.
     */
    const char *equals;
} gpc_counter_info;

#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, GPC_MERGE_SUM, 0, false, 0, 0, NULL }

/*
 * Read the library's table of counters, in the library's order: counters, histograms, then ratios.
 *   index  below gpc_counter_table_count
 *   name   as in JSON, "l1.load_sectors"
 *   info   the caller sets struct_size. `offset` and `divisor` become 0: gpc_counter_at sets them
 * Returns GPC_OK; GPC_ERROR_RANGE (index); GPC_ERROR_NOT_FOUND (name, id); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI. Any
 * thread. Since: 0.2.
 */
GPC_API size_t gpc_counter_table_count(gpc_counter_table table);
GPC_API gpc_status gpc_counter_table_at(gpc_counter_table table, size_t index, gpc_counter_info *info);
GPC_API gpc_status gpc_counter_by_name(gpc_counter_table table, const char *name, gpc_counter_info *info);
GPC_API gpc_status gpc_counter_by_id(uint32_t id, gpc_counter_info *info);

/* Structs of statistics, with the counters that this header knows. */
typedef struct gpc_cache_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} gpc_cache_stats;

typedef struct gpc_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
} gpc_stats;

/* Field of a struct of statistics: the counter's id, and the number of 64-bit words (for a histogram its buckets). */
typedef struct gpc_field {
    uint32_t id;
    uint32_t length;
} gpc_field;

/*
 * Layout of a struct of statistics in the host's memory: a size_t struct_size, then the fields without gaps. If a
 * histogram has grown in the library, the host's last bucket also receives the sum of the further buckets.
 */
typedef struct gpc_layout {
    size_t bytes;            /* sizeof the struct */
    const gpc_field *fields; /* [count] */
    size_t count;
    uint32_t states; /* gpc_coherence_stats: rows of the matrices after the fields; else 0 */
    uint32_t reserved;
} gpc_layout;

/* Layout of this header's gpc_stats and gpc_cache_stats. Static storage of the host. Any thread. Since: 0.2. */
static inline const gpc_layout *gpc_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) {id, 1},
        GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning, equals) {id, buckets},
            GPC_HISTOGRAMS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_stats), fields, sizeof fields / sizeof *fields, 0, 0};
    return &layout;
}

static inline const gpc_layout *gpc_cache_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) {id, 1},
        GPC_CACHE_COUNTERS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_cache_stats), fields, sizeof fields / sizeof *fields, 0, 0};
    return &layout;
}

/*
 * Offset in bytes of a counter in a struct of the layout; 0 if the layout does not have the id. Any thread. Since: 0.2.
 */
static inline size_t gpc_layout_offset(const gpc_layout *layout, uint32_t id) {
    size_t words = 0, at = 0, i;
    for (i = 0; i < layout->count; i++)
        words += layout->fields[i].length;
    at = layout->bytes - words * sizeof(uint64_t);
    for (i = 0; i < layout->count && layout->fields[i].id != id; i++)
        at += layout->fields[i].length * sizeof(uint64_t);
    return i < layout->count ? at : 0;
}

/* Enumerate the counters of gpc_stats, with their offsets. GPC_ERROR_RANGE past the end. Any thread. Since: 0.1. */
static inline size_t gpc_counter_count(void) {
    return gpc_counter_table_count(GPC_TABLE_HIERARCHY);
}

static inline gpc_status gpc_counter_at(size_t index, gpc_counter_info *info) {
    gpc_status status = gpc_counter_table_at(GPC_TABLE_HIERARCHY, index, info);
    if (status != GPC_OK)
        return status;
    info->offset = gpc_layout_offset(gpc_stats_layout(), info->ratio ? info->numerator : info->id);
    info->divisor = info->ratio ? gpc_layout_offset(gpc_stats_layout(), info->denominator) : 0;
    return GPC_OK;
}

/*
 * Enumerate the counters of gpc_cache_stats, with their offsets. GPC_ERROR_RANGE past the end. Any thread. Since: 0.1.
 */
static inline size_t gpc_cache_counter_count(void) {
    return gpc_counter_table_count(GPC_TABLE_CACHE);
}

static inline gpc_status gpc_cache_counter_at(size_t index, gpc_counter_info *info) {
    gpc_status status = gpc_counter_table_at(GPC_TABLE_CACHE, index, info);
    if (status == GPC_OK)
        info->offset = gpc_layout_offset(gpc_cache_stats_layout(), info->id);
    return status;
}

/* Clear and set struct_size. Since: 0.1. */
static inline void gpc_stats_init(gpc_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}

static inline void gpc_cache_stats_init(gpc_cache_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->struct_size = sizeof *stats;
}

/*
 * Add, counter by counter: into = into merged with more. Subtract two snapshots of an object: out = later - earlier; a
 * MAX counter keeps the later value. The structs of a call have a common layout. GPC_ERROR_ABI if the library does not
 * understand a struct_size or an id of the layout; GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_stats_add_as(const gpc_layout *layout, void *into, const void *more);
GPC_API gpc_status gpc_stats_subtract_as(const gpc_layout *layout, const void *later, const void *earlier, void *out);

/* Add or subtract structs gpc_stats of this header. Since: 0.1. */
static inline gpc_status gpc_stats_add(gpc_stats *into, const gpc_stats *more) {
    return gpc_stats_add_as(gpc_stats_layout(), into, more);
}

static inline gpc_status gpc_stats_subtract(const gpc_stats *later, const gpc_stats *earlier, gpc_stats *out) {
    return gpc_stats_subtract_as(gpc_stats_layout(), later, earlier, out);
}

/*
 * Write statistics as text: as a JSON object {"name": value, ...} (histograms as arrays, ratios with six decimals), or
 * as CSV: a header line, if `header`, and a line of values. Counters beyond the layout or the struct_size are left out.
 * Absent counters, and ratios with denominator 0, are left out of JSON and are empty cells in CSV.
 *   text, size  buffer of `size` bytes, NUL-terminated on return; NULL and 0 to measure the length
 *   out_length  receives the full length without the NUL, even if the text was cut
 * Returns GPC_OK; GPC_ERROR_RANGE if the text was cut; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_stats_json_as(const gpc_layout *layout, const void *stats, char *text, size_t size,
                                     size_t *out_length);
GPC_API gpc_status gpc_stats_csv_as(const gpc_layout *layout, const void *stats, bool header, char *text, size_t size,
                                    size_t *out_length);

/* Write a gpc_stats of this header as text. Since: 0.1. */
static inline gpc_status gpc_stats_json(const gpc_stats *stats, char *text, size_t size, size_t *out_length) {
    return gpc_stats_json_as(gpc_stats_layout(), stats, text, size, out_length);
}

static inline gpc_status gpc_stats_csv(const gpc_stats *stats, bool header, char *text, size_t size,
                                       size_t *out_length) {
    return gpc_stats_csv_as(gpc_stats_layout(), stats, header, text, size, out_length);
}

GPC_END_DECLS

#endif
