/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_PROFILE_H
#define GPUCACHE_PROFILE_H

#include <gpucache/replay.h>

GPC_BEGIN_DECLS

/*
 * Profile: hits, misses and reuse of a trace's loads in L1, from a single pass with or without a clock. Results are by
 * SM, by instruction, by the number of transactions of an instruction, and by line address (seeds/001 sections III to
 * V).
 *
 * The modelled cache is the configuration's L1, with its replacement policy and predictor. To profile all loads, use a
 * predictor that bypasses nothing; otherwise the profile shows the loads that the predictor leaves. With `mode = timed`
 * the scheduler orders the warps, and the order decides whether a line is still in L1 at its next use (seeds/001
 * section III profiles in a timed simulator). A timed profile takes only traces, and runs on a single thread whatever
 * the key `threads`.
 *
 * Words. An access is a line transaction of a load. A residence is the time from a line's fill to its eviction. The
 * residence belongs to the load that brought the line in, and so do the hits in the residence, by whatever load. From
 * the counts:
 *
 *   R = reuses / fills               hits per residence; hits if nothing was filled
 *   U = bytes used / bytes moved     bytes moved by caching accesses: the whole line, or in a sectored L1 the sectors
 *                                    touched
 *   score = U x (1 + R)              Eq. (1): below 1 bypassing moves fewer bytes
 *
 * With a clock, a load is a hit if all its bytes are in L1 or in flight to L1, as in the counters. A hit on in-flight
 * bytes counts for the residence that begins with them, and has no position in its set. If a predictor decides only
 * when the data arrive, or because the data could not be requested, the access is counted by the late decision.
 *
 * Distances are in the SM's stream of cached loads. Reuse distance: accesses between two accesses to a line. Stack
 * distance: distinct lines between them. The stack distance is exact for every size of a fully associative LRU cache: a
 * cache with more lines than the distance hits. Prefetches and allocating stores take their place in the stream and are
 * not counted. Lines dropped by write-evict stores and atomics leave the stream. Stores that do not allocate are
 * skipped. If `kernels.flush` or a new share of a unified memory empties L1, the stream starts again.
 *
 * Memory grows with the distinct lines of every SM (about 300 bytes a line, with the tables) and with the instructions,
 * not with the length of the trace.
 */

/* Bucket 0 = distance 0, bucket n = from 2^(n-1) on, the last bucket = 2^31 and more. */
#define GPC_PROFILE_DISTANCE_BUCKETS 33
/* Bucket n = n times, the last bucket = n times and more (seeds/001 Figure 3). */
#define GPC_PROFILE_REUSE_BUCKETS 16
/*
 * Bucket n = position n in the set's order of recency, 0 = most recent; the last bucket includes all further positions.
 */
#define GPC_PROFILE_RECENCY_BUCKETS 65
/*
 * Largest number of transactions of a load with its own class; the last class also has loads with more (warps of 64
 * lanes).
 */
#define GPC_PROFILE_CLASSES 32
/* Argument of gpc_profile_curve. */
#define GPC_PROFILE_ALL_SMS UINT32_MAX

/* Counts of an SM, an instruction or a class. A plain record. */
typedef struct gpc_profile_counts {
    uint64_t loads;                /* warp instructions */
    uint64_t accesses;             /* line transactions of the loads */
    uint64_t hits;                 /* accesses with all needed sectors in L1 */
    uint64_t sector_misses;        /* the line was resident, a sector was not */
    uint64_t bypasses;             /* accesses that skipped L1, or were kept from allocating */
    uint64_t fills;                /* residences begun by the accesses */
    uint64_t reuses;               /* hits in the residences, by every load */
    uint64_t evictions;            /* residences ended by replacement */
    uint64_t zero_reuse_evictions; /* residences ended by replacement without a hit */
    uint64_t intra_warp_hits;      /* hits by the warp slot that filled the line */
    /* hits by another warp slot, or in a line that no load filled */
    uint64_t inter_warp_hits;
    uint64_t mru_hits; /* hits on the most recent line of the set */
    /* hits on the line that LRU would replace next, in a full set */
    uint64_t lru_hits;
    uint64_t bytes_used;  /* distinct bytes requested by the lanes of an access */
    uint64_t bytes_moved; /* bytes that caching the accesses moves if they miss */
    uint64_t segments;    /* 32-byte segments touched, moved by bypassing */
    /* first accesses to a line in the SM's stream: no distance */
    uint64_t first_accesses;
    uint64_t reuse_distances[GPC_PROFILE_DISTANCE_BUCKETS]; /* accesses */
    uint64_t stack_distances[GPC_PROFILE_DISTANCE_BUCKETS]; /* accesses */
    double reuse;                                           /* R */
    double utilisation;                                     /* U, 0 to 1 */
    double score;                                           /* U x (1 + R), 0 without accesses */
} gpc_profile_counts;

/* Profile of an SM. A plain record. */
typedef struct gpc_profile_sm {
    uint32_t sm;
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;                                          /* distinct line addresses accessed */
    uint64_t bypass_lines;                                   /* lines with a score below 1 */
    uint64_t lines_by_reuse[GPC_PROFILE_REUSE_BUCKETS];      /* lines by their total hits: Figure 3 */
    uint64_t residences_by_reuse[GPC_PROFILE_REUSE_BUCKETS]; /* residences of loads, by their hits until now */
    uint64_t loads_by_transactions[GPC_PROFILE_CLASSES + 1]; /* loads by transactions, 0 unused: Figure 5 */
    uint64_t hits_by_age[GPC_AGE_BUCKETS];                   /* hits by relative warp age, 0 = oldest warp of the SM */
    uint64_t hits_by_recency[GPC_PROFILE_RECENCY_BUCKETS];
} gpc_profile_sm;

/* A load instruction, over all SMs. A plain record. */
typedef struct gpc_profile_instruction {
    const char *kernel; /* name; lives as long as the row */
    uint64_t pc;
    uint32_t kernel_index; /* index of the distinct name, in the order of first launch */
    uint32_t reserved;
    gpc_profile_counts counts;
    uint64_t lines;        /* distinct (SM, line address) accessed by the instruction */
    uint64_t bypass_lines; /* lines with a score below 1 */
    /* accesses to lines with a score below 1: the share of counts.accesses that should bypass, Figure 4 */
    uint64_t bypass_accesses;
} gpc_profile_instruction;

/* Loads with a given number of transactions, over all SMs: a row of Table 1. A plain record. */
typedef struct gpc_profile_class {
    uint32_t transactions; /* 1 to GPC_PROFILE_CLASSES */
    uint32_t reserved;
    gpc_profile_counts counts;
} gpc_profile_class;

/* A line address on an SM. A plain record. */
typedef struct gpc_profile_line {
    uint64_t address; /* bytes, aligned to the line */
    uint32_t sm;
    uint32_t reserved;
    uint64_t accesses, hits, fills; /* as in gpc_profile_counts */
    uint64_t evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances;                              /* accesses with a distance */
    uint64_t reuse_distance_sum, stack_distance_sum; /* sums over the accesses with a distance */
    double reuse, utilisation, score;
} gpc_profile_line;

typedef struct gpc_profile_summary {
    size_t struct_size;
    uint32_t line_bytes; /* bytes of an L1 line */
    uint32_t sms;
    uint64_t launches;            /* kernels begun */
    uint64_t kernels;             /* distinct names */
    uint64_t instructions, lines; /* rows of the tables of instructions and lines */
    uint64_t bypass_lines;        /* lines with a score below 1 */
    gpc_profile_counts counts;    /* sum over all SMs */
} gpc_profile_summary;

/* No counts. */
#define GPC_PROFILE_SUMMARY_INIT                                                 \
    {                                                                            \
        sizeof(gpc_profile_summary), 0, 0, 0, 0, 0, 0, 0, {                      \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, {0}, 0, 0, 0 \
        }                                                                        \
    }

/* A point of a miss-ratio curve: the misses are accesses - hits. A plain record. */
typedef struct gpc_profile_point {
    uint64_t bytes;    /* in: capacity of every SM's cache; a part of a line does not count */
    uint64_t accesses; /* out: cached loads */
    uint64_t hits;     /* out: hits in a fully associative LRU cache of the capacity */
} gpc_profile_point;

/*
 * Create an empty profile from a configuration, which is copied. Returns as gpc_hierarchy_create; GPC_ERROR_ARGUMENT
 * also without an L1 (l1.enabled); GPC_ERROR_UNSUPPORTED for trees of coherent modules and samples. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_create(gpc_context *context, const gpc_config *config, gpc_profile **out,
                                      gpc_error *error);
GPC_API void gpc_profile_destroy(gpc_profile *profile);

/* As gpc_replay_on_progress. Since: 0.1. */
GPC_API void gpc_profile_on_progress(gpc_profile *profile, gpc_progress_fn on_progress, void *user_data);

/*
 * Replay the trace's next kernel into the profile.
 *   kernel  as in gpc_replay_kernel; may be NULL
 * Returns as gpc_replay_kernel; GPC_END when no kernel is left; GPC_ERROR_STATE (the profile was read from a file).
 * After an error the profile keeps the counts until the error. Since: 0.2.
 */
GPC_API gpc_status gpc_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel, gpc_error *error);

/* Read counters of the last kernel by id, as gpc_replay_read of the whole. Since: 0.3. */
GPC_API gpc_status gpc_profile_read_kernel(const gpc_profile *profile, const uint32_t *ids, size_t count,
                                           uint64_t *values, gpc_error *error);

/* Replay all remaining kernels: GPC_OK at the trace's end. Since: 0.1. */
GPC_API gpc_status gpc_profile_run(gpc_profile *profile, gpc_trace *trace, gpc_error *error);

/*
 * Profile without a trace: begin a kernel as gpc_hierarchy_begin_kernel, then pass its warp instructions as
 * gpc_hierarchy_access.
 *   name    of the kernel, for the rows of instructions; NULL = ""
 *   launch  may be NULL: the largest L1
 *   result  may be NULL
 * Returns as gpc_hierarchy_begin_kernel and gpc_hierarchy_access; GPC_ERROR_MEMORY; GPC_ERROR_STATE (a profile read
 * from a file; an access with `mode = timed`). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_begin_kernel(gpc_profile *profile, const char *name, const gpc_launch *launch,
                                            gpc_error *error);
GPC_API gpc_status gpc_profile_access(gpc_profile *profile, const gpc_warp_access *access, gpc_warp_result *result);

/*
 * Forget all counts, for example between kernels to compare. The caches keep their lines. Returns GPC_OK;
 * GPC_ERROR_ARGUMENT (NULL); GPC_ERROR_STATE (the profile was read from a file). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_reset(gpc_profile *profile);

/* Totals. Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_ABI; GPC_ERROR_MEMORY. Since: 0.1. */
GPC_API gpc_status gpc_profile_get_summary(gpc_profile *profile, gpc_profile_summary *summary);

/*
 * Tables of a profile. SMs and classes: a row per SM or class, all of them, in order. Instructions: by kernel_index and
 * pc. Lines: by SM and address. Instructions and lines without an access have no row.
 *   out_rows   receives the array, owned by the profile; lives until the profile is next run, reset or destroyed; NULL
 *              if the table is empty
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
 *   sm      an SM, or GPC_PROFILE_ALL_SMS: every SM has a cache of the capacity, and the counts are summed
 *   points  `count` elements; `bytes` is read, the rest written
 * Returns GPC_OK; GPC_ERROR_ARGUMENT; GPC_ERROR_RANGE (unknown SM). Since: 0.1.
 */
GPC_API gpc_status gpc_profile_curve(const gpc_profile *profile, uint32_t sm, gpc_profile_point *points, size_t count);

/* Score of Eq. (1): U x (1 + R). Bypass if the score is below 1. Any thread. Since: 0.1. */
GPC_API double gpc_profile_score(double utilisation, double reuse);

/*
 * Candidates for the threshold of `hybrid` (seeds/001 section IV.D): the distinct scores of the classes, ascending. If
 * a class was not seen, 0 is included; the threshold 0 caches every seen class. With `use = segments` hybrid has other
 * scores: 32 x segments instead of bytes_used.
 *   values     room for `capacity`; NULL and 0 to count; GPC_PROFILE_CLASSES is always enough
 *   out_count  receives the number of candidates
 * Returns GPC_OK; GPC_ERROR_RANGE if the room was too small; GPC_ERROR_ARGUMENT; GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_thresholds(gpc_profile *profile, double *values, size_t capacity, size_t *out_count);

/*
 * Classes that a threshold keeps in L1: classes with a larger score.
 *   out_classes  receives bit n - 1 for class n
 * Returns GPC_OK; GPC_ERROR_ARGUMENT (a NULL); GPC_ERROR_MEMORY. Since: 0.1.
 */
GPC_API gpc_status gpc_profile_classes_above(gpc_profile *profile, double threshold, uint32_t *out_classes);

/* Form of a saved profile. */
typedef enum gpc_profile_format {
    /* with checksums, for gpc_profile_load and the predictors `profile-address`, `hybrid` and `compiler` */
    GPC_PROFILE_BINARY = 0,
    GPC_PROFILE_JSON = 1 /* a JSON object, for other programs */
} gpc_profile_format;

typedef struct gpc_profile_save_options {
    size_t struct_size;
    uint32_t format; /* gpc_profile_format */
    uint32_t lines;  /* JSON: 1 = also an object per line address, as long as the table of lines; BINARY: 0 */
} gpc_profile_save_options;

#define GPC_PROFILE_SAVE_OPTIONS_INIT \
    { sizeof(gpc_profile_save_options), GPC_PROFILE_BINARY, 0 }

/*
 * Save a whole profile to a stream, or load a profile of the binary form. A loaded profile answers every question, and
 * takes no further access.
 *   options  NULL for the defaults
 * The JSON object has the members "line_bytes", "sms", "launches", "kernels", "summary", "sm" [...], "instructions"
 * [...], "classes" [...], "thresholds" [...], "curve" [{"bytes", "accesses", "hits"}, ...] at every power of two of
 * lines, up to the first capacity whose only misses are first accesses, and "lines" [...]. Members have the names of
 * the fields above.
 * Returns GPC_OK; GPC_ERROR_IO, or the status of the stream's function; GPC_ERROR_NOT_FOUND (the file does not exist);
 * GPC_ERROR_FORMAT naming the offset of the damage; GPC_ERROR_UNSUPPORTED (another version); GPC_ERROR_MEMORY;
 * GPC_ERROR_ABI; GPC_ERROR_ARGUMENT (a NULL, a stream without or with two sources, an unknown format); GPC_ERROR_RANGE
 * (`lines`). Since: 0.3.
 */
GPC_API gpc_status gpc_profile_save(gpc_profile *profile, const gpc_stream *to, const gpc_profile_save_options *options,
                                    gpc_error *error);
GPC_API gpc_status gpc_profile_load(gpc_context *context, const gpc_stream *from, gpc_profile **out, gpc_error *error);

GPC_END_DECLS

#endif
