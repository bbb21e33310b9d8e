/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_STATS_H
#define GPUCACHE_STATS_H

#include <gpucache/counters.h>
#include <gpucache/error.h>

#include <string.h>

GPC_BEGIN_DECLS

/*
 * Statistics. counters.h says which there are. A host has two ways to them:
 *
 *   by identity  each counter has a number, its id, which is its own in all versions of the library. Find it by name
 *                (gpc_counter_by_name) or write it down, and read the values of one object (an SM, a slice, the whole)
 *                as an array: gpc_hierarchy_read, gpc_replay_read.
 *   as a struct  gpc_stats and the like have the fields that the host's header knows, and only these. The functions
 *                that take one are inline: they hand the host's layout, a list of identities, to the function of the
 *                library whose name ends in `_as`, which moves each value to where the host has it. So a program goes
 *                on reading right numbers from a later library that has more counters, wherever these were added.
 */

/* What a hierarchy is made of, and what has counters. */
typedef enum gpc_object {
    GPC_OBJECT_WHOLE = 0,   /* the hierarchy; of a replay: the kernel */
    GPC_OBJECT_SM = 1,      /* warps, schedulers, L1 */
    GPC_OBJECT_L1 = 2,      /* one an SM */
    GPC_OBJECT_CLUSTER = 3, /* cache between SMs and L2 (`cluster.sms`) */
    GPC_OBJECT_NETWORK = 4, /* of one direction */
    GPC_OBJECT_SLICE = 5,   /* of L2 */
    GPC_OBJECT_CHANNEL = 6, /* of DRAM */
    GPC_OBJECT_STREAM = 7,  /* accesses that name it (`streams`); what none asked for, as write-backs, is no stream's */
    GPC_OBJECT_COUNT
} gpc_object;

/*
 * A value that the object does not have, or that is not measured in this mode or configuration; of a histogram, all of
 * its buckets. It is in structs of statistics, too: what they are added to or subtracted from is absent then.
 */
#define GPC_ABSENT UINT64_MAX

/* Objects that have a counter, a bit for each gpc_object: the OBJECT column of counters.h. */
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

/* Without what a counter is absent: the NEEDS column of counters.h. */
typedef enum gpc_counter_needs {
    GPC_NEEDS_NOTHING = 0,
    GPC_NEEDS_CLOCK = 1,          /* mode = timed */
    GPC_NEEDS_REPLAY = 2,         /* a timed gpc_replay, which has the warps */
    GPC_NEEDS_ISSUE = 3,          /* of an SM: a gpc_replay, which issues; of the whole: nothing */
    GPC_NEEDS_REUSE = 4,          /* track_reuse of the cache */
    GPC_NEEDS_WARPS = 5,          /* track_warps of the cache */
    GPC_NEEDS_FUTURE = 6,         /* l1.future, track_future */
    GPC_NEEDS_REORDER = 7,        /* l1.reorder, timed */
    GPC_NEEDS_LINKS = 8,          /* networks between L2 partitions, or slices and channels, timed */
    GPC_NEEDS_CLUSTERS = 9,       /* cluster.sms, timed */
    GPC_NEEDS_CACHES = 10,        /* caches of their own: coherence = none or viper */
    GPC_NEEDS_FENCE_TIME = 11,    /* the same, timed; no counter needs it */
    GPC_NEEDS_GPUS = 12,          /* gpu.count of 2 or more */
    GPC_NEEDS_PREFETCHER = 13,    /* l1.prefetcher, timed */
    GPC_NEEDS_CREDITS = 14,       /* replies that a host has limited (host.h), timed */
    GPC_NEEDS_MISSES = 15,        /* misses of a host's own L1s (gpc_hierarchy_try_miss); const.size, l15.size; timed */
    GPC_NEEDS_ENERGY = 16,        /* the key of its name (energy.*), and the counters that it is computed of */
    GPC_NEEDS_TLB = 17,           /* tlb.page */
    GPC_NEEDS_TLB_TIME = 18,      /* the same, timed */
    GPC_NEEDS_STAGES = 19,        /* stats.stages, timed */
    GPC_NEEDS_L1I = 20,           /* l1i.size, in a timed gpc_replay */
    GPC_NEEDS_L2_PREFETCHER = 21, /* l2.prefetcher, timed */
    GPC_NEEDS_CONST = 22,         /* const.size */
    GPC_NEEDS_CONST_TIME = 23,    /* the same, timed */
    GPC_NEEDS_DATA_BANKS = 24,    /* banks of L1's data (l1.data_banks), timed */
    GPC_NEEDS_L15 = 25,           /* l15.size */
    GPC_NEEDS_L15_TIME = 26,      /* the same, timed */
    GPC_NEEDS_L1I_PREFETCH = 27   /* l1i.prefetch, in a timed gpc_replay */
} gpc_counter_needs;

typedef enum gpc_counter_kind {
    GPC_COUNTER_SUM = 0,
    GPC_COUNTER_MAX = 1,
    GPC_COUNTER_GAUGE = 2, /* adds up as SUM */
    GPC_COUNTER_HISTOGRAM = 3,
    GPC_COUNTER_RATIO = 4 /* computed of two others; has no value of its own to read */
} gpc_counter_kind;

typedef enum gpc_merge { GPC_MERGE_SUM = 0, GPC_MERGE_MAX = 1 } gpc_merge;

/* Tables of counters. A name is one counter's within its table, an id within all. */
typedef enum gpc_counter_table {
    GPC_TABLE_HIERARCHY = 0,
    GPC_TABLE_CACHE = 1,
    GPC_TABLE_NETWORK = 2,
    GPC_TABLE_COHERENCE = 3,
    GPC_TABLE_COUNT
} gpc_counter_table;

/* What a counter is. The texts are static. */
typedef struct gpc_counter_info {
    size_t struct_size;
    const char *name, *unit, *meaning, *since;
    uint32_t id;
    uint32_t table;                  /* gpc_counter_table */
    uint32_t kind;                   /* gpc_counter_kind */
    uint32_t objects;                /* bit for each gpc_object that has it; 0 for a ratio */
    uint32_t needs;                  /* gpc_counter_needs */
    uint32_t numerator, denominator; /* ids, of a ratio; else 0 */
    gpc_merge merge;
    size_t buckets; /* 1 for a counter, more for a histogram */
    bool ratio;
    /*
     * Set by gpc_counter_at and gpc_cache_counter_at: bytes into the caller's gpc_stats or gpc_cache_stats, of a ratio
     * those of numerator and denominator; 0 where the caller's header does not know the counter.
     */
    size_t offset, divisor;
} gpc_counter_info;

#define GPC_COUNTER_INFO_INIT \
    { sizeof(gpc_counter_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, GPC_MERGE_SUM, 0, false, 0, 0 }

/*
 * The library's counters of a table, in its order: counters, histograms, then ratios.
 *   index  below gpc_counter_table_count
 *   name   as in JSON, "l1.load_sectors"
 *   info   struct_size set; `offset` and `divisor` are left 0
 * Returns GPC_OK; GPC_ERROR_RANGE (no such index); GPC_ERROR_NOT_FOUND (name, id); GPC_ERROR_ARGUMENT; GPC_ERROR_ABI.
 * Any thread. Since: 0.2.
 */
GPC_API size_t gpc_counter_table_count(gpc_counter_table table);
GPC_API gpc_status gpc_counter_table_at(gpc_counter_table table, size_t index, gpc_counter_info *info);
GPC_API gpc_status gpc_counter_by_name(gpc_counter_table table, const char *name, gpc_counter_info *info);
GPC_API gpc_status gpc_counter_by_id(uint32_t id, gpc_counter_info *info);

/* Structs of statistics, each with the counters that this header knows. */
typedef struct gpc_cache_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} gpc_cache_stats;

typedef struct gpc_stats {
    size_t struct_size;
#define X(id, field, name, unit, kind, objects, needs, since, meaning) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
} gpc_stats;

/*
 * A field of a struct of statistics: whose value it is, and how many words of 64 bits it has (a histogram's buckets).
 */
typedef struct gpc_field {
    uint32_t id;
    uint32_t length;
} gpc_field;

/*
 * How a struct of statistics lies in the host's memory: a size_t struct_size, then its fields, one after the other.
 * Where a histogram has grown, the library adds what is beyond the host's last bucket to that.
 */
typedef struct gpc_layout {
    size_t bytes;            /* sizeof the struct */
    const gpc_field *fields; /* [count] */
    size_t count;
    uint32_t states; /* gpc_coherence_stats: rows of the matrices after the fields; else 0 */
    uint32_t reserved;
} gpc_layout;

/* The layout of this header's gpc_stats and gpc_cache_stats. Static storage, of the host. Any thread. Since: 0.2. */
static inline const gpc_layout *gpc_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning) {id, 1},
        GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, unit, objects, needs, since, meaning) {id, buckets},
            GPC_HISTOGRAMS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_stats), fields, sizeof fields / sizeof *fields, 0, 0};
    return &layout;
}

static inline const gpc_layout *gpc_cache_stats_layout(void) {
    static const gpc_field fields[] = {
#define X(id, field, name, unit, kind, objects, needs, since, meaning) {id, 1},
        GPC_CACHE_COUNTERS(X)
#undef X
    };
    static const gpc_layout layout = {sizeof(gpc_cache_stats), fields, sizeof fields / sizeof *fields, 0, 0};
    return &layout;
}

/*
 * Bytes into a struct of this layout at which a counter stands; 0 where it has none of this id. Any thread. Since: 0.2.
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

/* The same for gpc_cache_stats. Since: 0.1. */
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
 * into = into merged with more, counter by counter; out = later - earlier, for two snapshots of one object, where a MAX
 * counter keeps the later value. All of one layout. GPC_ERROR_ABI where a struct_size, or an id of the layout, is not
 * understood; GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_stats_add_as(const gpc_layout *layout, void *into, const void *more);
GPC_API gpc_status gpc_stats_subtract_as(const gpc_layout *layout, const void *later, const void *earlier, void *out);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_stats_add(gpc_stats *into, const gpc_stats *more) {
    return gpc_stats_add_as(gpc_stats_layout(), into, more);
}

static inline gpc_status gpc_stats_subtract(const gpc_stats *later, const gpc_stats *earlier, gpc_stats *out) {
    return gpc_stats_subtract_as(gpc_stats_layout(), later, earlier, out);
}

/*
 * Write statistics as one JSON object {"name": value, ...} (histograms as arrays, ratios with six decimals), or as CSV:
 * a header line, if `header`, and a value line. What the layout, or the struct_size, does not have is left out. What is
 * absent, and a ratio whose denominator is 0, is left out of JSON, and an empty cell of CSV.
 *   text, size  buffer of `size` bytes, NUL-terminated on return; NULL and 0 to measure
 *   out_length  receives the full length without the NUL, also where the text was cut
 * Returns GPC_OK; GPC_ERROR_RANGE where it was cut; GPC_ERROR_ABI; GPC_ERROR_ARGUMENT. Since: 0.2.
 */
GPC_API gpc_status gpc_stats_json_as(const gpc_layout *layout, const void *stats, char *text, size_t size,
                                     size_t *out_length);
GPC_API gpc_status gpc_stats_csv_as(const gpc_layout *layout, const void *stats, bool header, char *text, size_t size,
                                    size_t *out_length);

/* The same for gpc_stats. Since: 0.1. */
static inline gpc_status gpc_stats_json(const gpc_stats *stats, char *text, size_t size, size_t *out_length) {
    return gpc_stats_json_as(gpc_stats_layout(), stats, text, size, out_length);
}

static inline gpc_status gpc_stats_csv(const gpc_stats *stats, bool header, char *text, size_t size,
                                       size_t *out_length) {
    return gpc_stats_csv_as(gpc_stats_layout(), stats, header, text, size, out_length);
}

GPC_END_DECLS

#endif
