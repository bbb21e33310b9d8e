/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_PROFILE_H
#define GPC_PROFILE_PROFILE_H

#include "base/map.h"
#include "profile/stack.h"

#include <gpucache/ext/observe.h>

/*
 * A profile has two parts: counters, which count while a trace runs (gpci_live), and tables, which are computed from
 * the counters when a caller asks for results (gpc_profile). A profile read from a file has only tables.
 * ext/observe.h explains the words access, residence, reuse, distance, class and score.
 */

#define GPCI_NONE UINT32_MAX

/*
 * Number of 64-bit counts at the start of gpc_profile_counts; the fields from `reuse` on are computed from the counts.
 */
#define GPCI_COUNTS_WORDS (offsetof(gpc_profile_counts, reuse) / sizeof(uint64_t))

/* Counts of a line on an SM. "With a clock": mode = timed. */
typedef struct gpci_line_row {
    uint64_t number; /* address / line size */
    uint64_t accesses, hits, fills, evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances, reuse_distance_sum, stack_distance_sum;
    uint64_t last;        /* gpci_live_sm.clock at the last access, while the line is in the stack */
    uint64_t first_count; /* accesses by the instruction `first` */
    uint32_t first;       /* index of the first load instruction that accessed the line; GPCI_NONE: none */
    uint32_t place;       /* place in the stack, for gpci_stack_touch */
    uint64_t awaited;     /* with a clock: hits while the line is in flight; the fill adds the hits to the residence */
    uint32_t sender;      /* with a clock: warp slot that requested the line */
} gpci_line_row;

/* Residence in a way of L1: the time of a line from fill to eviction. */
typedef struct gpci_residence {
    uint64_t last; /* gpci_live_sm.touches at the last access */
    uint64_t hits;
    uint32_t line;    /* row of the line in gpci_live_sm.lines; GPCI_NONE: no load has filled the line */
    uint32_t filler;  /* index of the load instruction that filled the line; GPCI_NONE: none, or counts were reset */
    uint32_t warp;    /* warp slot of the filling load */
    uint8_t class_of; /* index of the filling load's class */
    bool active;      /* the way has a line */
} gpci_residence;

/* Number of loads at each stack distance; the array grows. */
typedef struct gpci_distances {
    uint64_t *counts;
    size_t count, capacity;
} gpci_distances;

/* State of an SM while a trace runs. */
typedef struct gpci_live_sm {
    struct gpc_profile *profile;
    gpci_line_row *lines;
    size_t line_capacity;
    uint32_t line_count;
    gpci_slots line_slots;
    gpci_map pairs; /* key: row of a line << 32 | instruction, if not the line's `first`; value: number of accesses */
    gpci_stack stack;
    uint64_t clock;             /* number of accesses in the SM's stream (ext/observe.h) */
    uint64_t touches;           /* number of line transactions of all kinds, for the recency in a set */
    gpci_residence *residences; /* [sets x ways] of L1 */
    uint32_t sets, ways;
    gpc_profile_sm row; /* counts; without the values that tables.c computes */
} gpci_live_sm;

typedef struct gpci_live_instruction {
    uint64_t pc;
    uint32_t kernel;
    gpc_profile_counts counts;
} gpci_live_instruction;

typedef struct gpci_live {
    struct gpci_profiler *profiler;               /* runs the trace (lib/profiler) */
    void (*destroy)(struct gpc_profile *profile); /* frees `live` and the profiler */
    bool flushes;                                 /* L1 is emptied at the start of each kernel */
    uint32_t host_kernel; /* name index of the kernel that the host began last; GPCI_NONE: the replay begins kernels */
    uint32_t launch;      /* number of the present launch */
    uint32_t kernel;      /* name index of the present launch's kernel; GPCI_NONE before the first launch */
    gpci_live_sm *sms;    /* [sm_count] */
    gpci_live_instruction *instructions;
    size_t instruction_capacity;
    uint32_t instruction_count;
    gpci_slots instruction_slots;
    gpc_profile_class classes[GPC_PROFILE_CLASSES];
    /* present load instruction: index in `instructions`, and in `classes` */
    uint32_t instruction;
    uint8_t class_of;
    /* present access */
    uint32_t line;     /* row of the line in gpci_live_sm.lines; GPCI_NONE: no row is needed */
    uint32_t set, way; /* place of the line in L1; `way` is GPCI_NONE if the line is not resident */
    bool fetched;      /* without a clock: L1 has fetched sectors of the line */
    bool filled;       /* without a clock: the access has begun a residence */
} gpci_live;

struct gpc_profile {
    gpc_context *context;
    uint32_t line_bytes, line_shift, sm_count;
    char **names; /* distinct kernel names */
    size_t name_count, name_capacity;
    uint32_t *launches; /* [launch_count]: name index of each launch's kernel; element 0 is launch number 1 */
    size_t launch_count, launch_capacity;
    gpci_distances *distances; /* [sm_count] */
    gpci_live *live;           /* NULL: the profile was read from a file */
    bool settled;              /* the tables below are up to date with the counters */
    gpc_profile_sm *sms;       /* [sm_count] */
    gpc_profile_instruction *instructions;
    size_t instruction_count;
    gpc_profile_class *classes; /* [GPC_PROFILE_CLASSES] */
    gpc_profile_line *lines;
    size_t line_count;
};

/* profile.c */
/* Index of a kernel name, added if new. GPC_ERROR_MEMORY. */
gpc_status gpci_profile_name(gpc_profile *profile, const char *name, uint32_t *out_index);
gpc_status gpci_profile_add_launch(gpc_profile *profile, uint32_t kernel);

/*
 * Score by Eq. (1) of seeds/001, U x (1 + R). U = used / moved bytes. R = reuses / fills; without fills, R = hits, the
 * number of all hits.
 */
double gpci_profile_score_of(uint64_t used, uint64_t moved, uint64_t fills, uint64_t reuses, uint64_t hits);

/* Score in millionths, rounded: thresholds are compared with the precision of a text with six decimals. */
uint64_t gpci_profile_millionths(double score);

/*
 * profile_query.c: name index of each launch's kernel, [*out_count]. The profile owns the array; it is valid until the
 * profile changes.
 */
const uint32_t *gpci_profile_launches(const gpc_profile *profile, size_t *out_count);

/* profile_lines.c: the lines of an SM. */
/* Row of a line, added if new. GPCI_NONE: out of memory. */
uint32_t gpci_live_line(gpci_live_sm *sm, uint64_t number);
/* Row of a line; GPCI_NONE if unknown. */
uint32_t gpci_live_find_line(const gpci_live_sm *sm, uint64_t number);
/* Count an access of an instruction to a line, in the line's row or in sm->pairs. GPC_ERROR_MEMORY: nothing changed. */
gpc_status gpci_live_pair(gpci_live_sm *sm, uint32_t line, uint32_t instruction);
/* Make room in `distances` for an element with the index `distance`. */
gpc_status gpci_distances_reserve(gpc_context *context, gpci_distances *distances, size_t distance);
/* Index of an instruction, added if new. GPCI_NONE: out of memory. */
uint32_t gpci_live_instruction_of(gpc_profile *profile, uint32_t kernel, uint64_t pc);
void gpci_live_sm_clear(gpci_live_sm *sm);

/* tables.c: compute the tables. GPC_ERROR_MEMORY: the tables are unchanged. */
gpc_status gpci_profile_settle(gpc_profile *profile);
/* Compute R (reuse), U (utilisation) and score from the counts. */
void gpci_profile_rate(gpc_profile_counts *counts);
void gpci_profile_rate_line(gpc_profile_line *line);
/* Compute R, U and score of all rows of a profile that was read from a file. All counts must have been read. */
void gpci_profile_complete(gpc_profile *profile);
void gpci_profile_free_tables(gpc_profile *profile);

GPCI_INLINE gpc_context *gpci_live_context(const gpci_live_sm *sm) {
    return sm->profile->context;
}

#endif
