/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PROFILE_H
#define GPUCACHE_PROFILE_H

#include <gpucache/replay.h>

GPC_BEGIN_DECLS

/*
 * Profile: what a trace's loads do in L1, from one pass with a clock or without, told apart by
 * SM, by instruction, by the transactions that an instruction makes, and by line
 * address (seeds/001 sections III to V).
 *
 * The modelled cache is the configuration's L1, with its replacement policy and
 * predictor: profile with a predictor that keeps nothing out, or see what one
 * leaves. With `mode = timed` warps run as their scheduler has it, which decides what
 * is still in L1 when it is asked for again (seeds/001 section III profiles in a timed
 * simulator); only traces are profiled then, by one thread whatever `threads` says.
 *
 * Words. An access is one line transaction of a load. A residence is the time from
 * a line's fill to its eviction; it belongs to the load that brought the line in,
 * and so do the hits in it, whoever makes them. From these:
 *   R = reuses / fills               hits per residence; hits where nothing was filled
 *   U = bytes used / bytes moved     bytes moved: what caching accesses move, the whole
 *                                    line, or in a sectored L1 the sectors touched
 *   score = U x (1 + R)              Eq. (1): below 1 bypassing moves fewer bytes
 * With a clock a load whose bytes are all in L1 or on their way there is a hit, as the
 * counters have it. One in what is on its way counts for the residence that begins with
 * it, and has no position in its set. What a predictor decides only when the data come, or
 * since they could not be sent for, is counted as it was decided.
 *
 * Distances are those of the SM's stream of cached loads. Reuse distance: accesses
 * between two to one line. Stack distance: distinct lines between them, which is
 * exact for every size of a fully associative LRU cache at once: one of more lines
 * than the distance hits. Prefetches and stores that allocate take their place in
 * the stream and are not counted; what write-evict stores and atomics drop leaves
 * it; stores that do not allocate are passed over. The stream starts anew where
 * `kernels.flush` or a new share of a unified memory empties L1.
 *
 * Memory grows with the distinct lines of each SM (some 300 bytes each, with the tables) and with
 * the instructions, not with the length of the trace.
 */

/* Bucket 0 = distance 0, bucket n = from 2^(n-1) on, the last = 2^31 and more. */
#define GPC_PROFILE_DISTANCE_BUCKETS 33
/* Bucket n = n times, the last = that often and more (seeds/001 Figure 3). */
#define GPC_PROFILE_REUSE_BUCKETS 16
/* Bucket n = position n of the set's recency order, 0 the most recent; the last = that and beyond. */
#define GPC_PROFILE_RECENCY_BUCKETS 65
/* Transaction counts of a load: 1 to this; the last takes what makes more (warps of 64 lanes). */
#define GPC_PROFILE_CLASSES 32
/* For gpc_profile_curve. */
#define GPC_PROFILE_ALL_SMS UINT32_MAX

/* What is counted of an SM, an instruction or a class. A plain record. */
typedef struct gpc_profile_counts {
    uint64_t loads;                /* warp instructions */
    uint64_t accesses;             /* their line transactions */
    uint64_t hits;                 /* of these, all that they needed was in L1 */
    uint64_t sector_misses;        /* the line was there, a sector was not */
    uint64_t bypasses;             /* did not look in L1, or were kept from allocating */
    uint64_t fills;                /* residences that they began */
    uint64_t reuses;               /* hits in these residences, by any load */
    uint64_t evictions;            /* of these residences, ended by replacement */
    uint64_t zero_reuse_evictions; /* of these evictions, without a hit */
    uint64_t intra_warp_hits;      /* of the hits, by the warp slot that filled the line */
    uint64_t inter_warp_hits;      /* by another, or in a line that no load filled */
    uint64_t mru_hits;             /* of the hits, on the most recent line of its set */
    uint64_t lru_hits;             /* on the one that LRU would replace next, the set being full */
    uint64_t bytes_used;           /* distinct bytes that the lanes of each access asked for */
    uint64_t bytes_moved;          /* that caching these accesses moves if they miss */
    uint64_t segments;             /* 32-byte segments touched: what bypassing moves instead */
    uint64_t first_accesses;       /* to lines that the SM's stream has not had: no distance */
    uint64_t reuse_distances[GPC_PROFILE_DISTANCE_BUCKETS]; /* accesses */
    uint64_t stack_distances[GPC_PROFILE_DISTANCE_BUCKETS]; /* likewise */
    double reuse;                                           /* R */
    double utilisation;                                     /* U, 0 to 1 */
    double score;                                           /* U x (1 + R), 0 without accesses */
} gpc_profile_counts;

/* One SM. A plain record. */
typedef struct gpc_profile_sm {
    uint32_t sm;
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;                                          /* distinct line addresses that were accessed */
    uint64_t bypass_lines;                                   /* of these, with a score below 1 */
    uint64_t lines_by_reuse[GPC_PROFILE_REUSE_BUCKETS];      /* lines by their hits in all: Figure 3 */
    uint64_t residences_by_reuse[GPC_PROFILE_REUSE_BUCKETS]; /* residences, of loads, by their hits so far */
    uint64_t loads_by_transactions[GPC_PROFILE_CLASSES + 1]; /* loads by transactions, 0 unused: Figure 5 */
    uint64_t hits_by_age[GPC_AGE_BUCKETS];                   /* hits by relative warp age, 0 = oldest warp of the SM */
    uint64_t hits_by_recency[GPC_PROFILE_RECENCY_BUCKETS];
} gpc_profile_sm;

/* One load instruction, over all SMs. A plain record. */
typedef struct gpc_profile_instruction {
    const char *kernel; /* name; lives as long as the row */
    uint64_t pc;
    uint32_t kernel_index; /* of the distinct names, in the order of their first launch */
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;           /* distinct (SM, line address) that it accessed */
    uint64_t bypass_lines;    /* of these, with a score below 1 */
    uint64_t bypass_accesses; /* its accesses to these; of counts.accesses the share that should bypass: Figure 4 */
} gpc_profile_instruction;

/* Loads that make a given number of transactions, over all SMs: a row of Table 1. A plain record. */
typedef struct gpc_profile_class {
    uint32_t transactions; /* 1 to GPC_PROFILE_CLASSES */
    uint32_t reserved;
    gpc_profile_counts counts;
} gpc_profile_class;

/* One line address on one SM. A plain record. */
typedef struct gpc_profile_line {
    uint64_t address; /* bytes, aligned to the line */
    uint32_t sm;
    uint32_t reserved;
    uint64_t accesses, hits, fills; /* as in gpc_profile_counts */
    uint64_t evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances;                              /* accesses that have one */
    uint64_t reuse_distance_sum, stack_distance_sum; /* over these */
    double reuse, utilisation, score;
} gpc_profile_line;

typedef struct gpc_profile_summary {
    size_t struct_size;
    uint32_t line_bytes; /* of L1 */
    uint32_t sms;
    uint64_t launches;            /* kernels that began */
    uint64_t kernels;             /* distinct names */
    uint64_t instructions, lines; /* rows of these tables */
    uint64_t bypass_lines;        /* lines with a score below 1 */
    gpc_profile_counts counts;    /* all SMs together */
} gpc_profile_summary;

/* A point of a miss-ratio curve: the misses are accesses - hits. A plain record. */
typedef struct gpc_profile_point {
    uint64_t bytes;    /* in: capacity of each SM's cache; a part of a line does not count */
    uint64_t accesses; /* out: cached loads */
    uint64_t hits;     /* out: that a fully associative LRU cache of that capacity serves */
} gpc_profile_point;

/*
 * Create an empty profile from a configuration, which is copied.
 * Returns as gpc_hierarchy_create; GPC_ERROR_ARGUMENT also without an L1
 * (l1.enabled); GPC_ERROR_UNSUPPORTED for trees of coherent modules and samples. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_create(gpc_context *context, const gpc_config *config, gpc_error *error,
                                      gpc_profile **out);
GPC_API void gpc_profile_destroy(gpc_profile *profile);

/* As gpc_replay_on_progress. Since: 0.1. */
GPC_API void gpc_profile_on_progress(gpc_profile *profile, gpc_progress_fn on_progress, void *user_data);

/*
 * Replay the trace's next kernel into the profile.
 *   kernel, layout, stats  as in gpc_replay_kernel_as; may be NULL
 * Returns as gpc_replay_kernel; GPC_END when no kernel is left; GPC_ERROR_STATE (a
 * profile that was read from a file). After an error the profile holds what had run. Since: 0.2.
 */
GPC_API gpc_status gpc_profile_kernel_as(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel,
                                         const gpc_layout *layout, void *stats, gpc_error *error);

/* The same for gpc_stats, which may be NULL. Since: 0.1. */
static inline gpc_status gpc_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel,
                                            gpc_stats *stats, gpc_error *error) {
    return gpc_profile_kernel_as(profile, trace, kernel, gpc_stats_layout(), stats, error);
}

/* The same for all kernels that are left: GPC_OK at the trace's end. Since: 0.1. */
GPC_API gpc_status gpc_profile_run(gpc_profile *profile, gpc_trace *trace, gpc_error *error);

/*
 * For a host without a trace: a kernel begins, as gpc_hierarchy_begin_kernel;
 * then its warp instructions, as gpc_hierarchy_access.
 *   name    of the kernel, for the rows of instructions; NULL = ""
 *   launch  may be NULL: the largest L1
 *   result  may be NULL
 * Returns as those functions; GPC_ERROR_MEMORY; GPC_ERROR_STATE (read from a file; an access
 * with `mode = timed`). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_begin_kernel(gpc_profile *profile, const char *name, const gpc_launch *launch,
                                            gpc_error *error);
GPC_API gpc_status gpc_profile_access(gpc_profile *profile, const gpc_warp_access *access, gpc_warp_result *result);

/* Forget all counts, as between kernels that are to be told apart. The caches keep their lines. Since: 0.1. */
GPC_API gpc_status gpc_profile_reset(gpc_profile *profile);

/* Clear and set struct_size. Any thread. Since: 0.1. */
GPC_API void gpc_profile_summary_init(gpc_profile_summary *summary);

/* Totals. GPC_ERROR_ABI; GPC_ERROR_MEMORY. Since: 0.1. */
GPC_API gpc_status gpc_profile_get_summary(gpc_profile *profile, gpc_profile_summary *summary);

/*
 * The tables. SMs and classes: one row each, all of them, in order. Instructions:
 * by kernel_index and pc. Lines: by SM and address. Only what was accessed has a row.
 *   out_rows   receives the array, the profile's; lives until the profile is next
 *              run, reset or destroyed; NULL where there is no row
 *   out_count  receives the number of rows
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_sms(gpc_profile *profile, const gpc_profile_sm **out_rows, size_t *out_count);
GPC_API gpc_status gpc_profile_instructions(gpc_profile *profile, const gpc_profile_instruction **out_rows,
                                            size_t *out_count);
GPC_API gpc_status gpc_profile_classes(gpc_profile *profile, const gpc_profile_class **out_rows, size_t *out_count);
GPC_API gpc_status gpc_profile_lines(gpc_profile *profile, const gpc_profile_line **out_rows, size_t *out_count);

/*
 * Points of the miss-ratio curve, from stack distances: exact.
 *   sm      one SM, or GPC_PROFILE_ALL_SMS: each SM has a cache of that capacity, the sums over them
 *   points  `count` elements; `bytes` is read, the rest written
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (no such SM). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_curve(const gpc_profile *profile, uint32_t sm, gpc_profile_point *points, size_t count);

/* Eq. (1): U x (1 + R). Bypass where it is below 1. Any thread. Since: 0.1. */
GPC_API double gpc_profile_score(double utilisation, double reuse);

/*
 * Candidates for the threshold of `hybrid` (seeds/001 section IV.D): the scores of
 * the classes, each once, ascending; 0, at which every class that was seen is
 * cached, among them where a class was not seen. With `use = segments` hybrid's scores
 * are other ones: they have 32 x segments in place of bytes_used.
 *   values     room for `capacity`; NULL and 0 to count; GPC_PROFILE_CLASSES is always enough
 *   out_count  receives how many there are
 * Returns GPC_OK; GPC_ERROR_RANGE where there was no room for all; GPC_ERROR_ARGUMENT;
 * GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_thresholds(gpc_profile *profile, double *values, size_t capacity, size_t *out_count);

/*
 * The classes that a threshold keeps in L1: those with a larger score.
 *   out_classes  receives bit n - 1 for class n
 * Since: 0.1.
 */
GPC_API gpc_status gpc_profile_classes_above(gpc_profile *profile, double threshold, uint32_t *out_classes);

/*
 * Write everything to a file, or read it: a versioned binary form with checksums,
 * which the predictors `profile-address`, `hybrid` and `compiler` read. A profile
 * that was read answers every question, and takes no further access. An existing
 * file is replaced only when all is written.
 * Returns GPC_OK; GPC_ERROR_IO; GPC_ERROR_NOT_FOUND (no such file); GPC_ERROR_FORMAT
 * naming the offset of the damage; GPC_ERROR_UNSUPPORTED (another version);
 * GPC_ERROR_MEMORY; GPC_ERROR_ARGUMENT (a NULL). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_write(gpc_profile *profile, const char *path, gpc_error *error);
GPC_API gpc_status gpc_profile_read(gpc_context *context, const char *path, gpc_error *error, gpc_profile **out);

/* Parts of the JSON text that are left out unless asked for. */
#define GPC_PROFILE_JSON_LINES 0x01u /* one object per line address: as long as there are lines */

/*
 * Write a profile as one JSON object: "line_bytes", "sms", "launches", "kernels",
 * "summary", "sm" [...], "instructions" [...], "classes" [...], "thresholds" [...],
 * "curve" [{"bytes", "accesses", "hits"}, ...] at every power of two of lines up to the
 * first that misses only lines never seen, and "lines" [...]; members are named as the fields above.
 *   flags       GPC_PROFILE_JSON_ bits
 *   text, size  buffer of `size` bytes, NUL-terminated on return; NULL and 0 to measure
 *   out_length  receives the full length without the NUL, also where the text was cut
 * Returns GPC_OK; GPC_ERROR_RANGE where it was cut; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_json(gpc_profile *profile, uint32_t flags, char *text, size_t size, size_t *out_length);

/* The same to a file, which is replaced only when all is written. GPC_ERROR_IO. Since: 0.1. */
GPC_API gpc_status gpc_profile_write_json(gpc_profile *profile, uint32_t flags, const char *path, gpc_error *error);

GPC_END_DECLS

#endif
