/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_PROFILE_H
#define GPC_PROFILE_PROFILE_H

#include "base/map.h"
#include "profile/stack.h"

#include <gpucache/ext/observe.h>

/*
 * A profile has two halves: counters of a running trace (gpci_live), and tables computed from the counters on request
 * (gpc_profile). A profile read from a file has only tables.
 */

#define GPCI_NONE UINT32_MAX

/* 64-bit numbers at the start of gpc_profile_counts; values computed from them follow. */
#define GPCI_COUNTS_WORDS (offsetof(gpc_profile_counts, reuse) / sizeof(uint64_t))

/* Line address on one SM. */
typedef struct gpci_line_row {
    uint64_t number; /* address / line size */
    uint64_t accesses, hits, fills, evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances, reuse_distance_sum, stack_distance_sum;
    uint64_t last;        /* the SM's clock at the last access, while the line is in the stack */
    uint64_t first_count; /* accesses by the line's first instruction */
    uint32_t first;       /* first accessing instruction */
    uint32_t place;       /* place in the stack */
    uint64_t awaited;     /* with a clock: hits on the line in flight; added to the residence at the fill */
    uint32_t sender;      /* with a clock: warp slot that requested the line */
} gpci_line_row;

/* Content of a way of the modelled cache. */
typedef struct gpci_residence {
    uint64_t last; /* the SM's touches at the last access */
    uint64_t hits;
    uint32_t line;   /* row of the line; GPCI_NONE = accessed by no load */
    uint32_t filler; /* instruction; GPCI_NONE = filled by no load */
    uint32_t warp;
    uint8_t class_of; /* index of the filler's class */
    bool active;
} gpci_residence;

/* Exact number of loads at each distance; the array grows. */
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
    gpci_map pairs; /* line row << 32 | instruction other than the line's first -> accesses */
    gpci_stack stack;
    uint64_t clock;             /* accesses in the stream */
    uint64_t touches;           /* line transactions of all kinds, for the order of recency */
    gpci_residence *residences; /* [sets x ways] of the modelled L1 */
    uint32_t sets, ways;
    gpc_profile_sm row; /* without the values computed by the tables */
} gpci_live_sm;

typedef struct gpci_live_instruction {
    uint64_t pc;
    uint32_t kernel;
    gpc_profile_counts counts;
} gpci_live_instruction;

typedef struct gpci_live {
    struct gpci_profiler *profiler;               /* runs the trace (lib/profiler) */
    void (*destroy)(struct gpc_profile *profile); /* frees `live` and the profiler */
    bool flushes;                                 /* L1 is empty at each kernel's start */
    uint32_t host_kernel; /* index of the kernel begun last by the host; GPCI_NONE: the replay's kernel */
    uint32_t launch;      /* number of the present launch */
    uint32_t kernel;      /* kernel index of the present launch; GPCI_NONE before the first */
    gpci_live_sm *sms;    /* [sm_count] */
    gpci_live_instruction *instructions;
    size_t instruction_capacity;
    uint32_t instruction_count;
    gpci_slots instruction_slots;
    gpc_profile_class classes[GPC_PROFILE_CLASSES];
    /* present instruction */
    uint32_t instruction;
    uint8_t class_of;
    /* present access */
    uint32_t line;     /* row */
    uint32_t set, way; /* place of the line; way GPCI_NONE = not resident */
    bool fetched;      /* L1 fetched sectors of the line */
    bool filled;       /* the access began a residence */
} gpci_live;

struct gpc_profile {
    gpc_context *context;
    uint32_t line_bytes, line_shift, sm_count;
    char **names; /* distinct kernel names */
    size_t name_count, name_capacity;
    uint32_t *launches; /* index of each launch's name; the first launch is number 1 */
    size_t launch_count, launch_capacity;
    gpci_distances *distances; /* [sm_count] */
    gpci_live *live;           /* NULL: read from a file */
    bool settled;              /* the tables match the counters */
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

/* Eq. (1), U x (1 + R), from counts: bytes used and moved, residences, reuses in residences, hits in all. */
double gpci_profile_score_of(uint64_t used, uint64_t moved, uint64_t fills, uint64_t reuses, uint64_t hits);

/* Score in millionths, for comparison with thresholds: the precision of a decimal text with six digits. */
uint64_t gpci_profile_millionths(double score);

/*
 * Index of the kernel's name for each launch, [*out_count]. Owned by the profile; valid until the profile changes
 * (profile_query.c).
 */
const uint32_t *gpci_profile_launches(const gpc_profile *profile, size_t *out_count);

/* profile_lines.c: the lines of an SM. */
/* Row of a line, added if new. GPCI_NONE: out of memory. */
uint32_t gpci_live_line(gpci_live_sm *sm, uint64_t number);
/* Row of a line; GPCI_NONE if unknown. */
uint32_t gpci_live_find_line(const gpci_live_sm *sm, uint64_t number);
/* Count an instruction's access to a line. GPC_ERROR_MEMORY: counts are unchanged. */
gpc_status gpci_live_pair(gpci_live_sm *sm, uint32_t line, uint32_t instruction);
/* Reserve room in `distances` up to `distance`. */
gpc_status gpci_distances_reserve(gpc_context *context, gpci_distances *distances, size_t distance);
/* Index of an instruction, added if new. GPCI_NONE: out of memory. */
uint32_t gpci_live_instruction_of(gpc_profile *profile, uint32_t kernel, uint64_t pc);
void gpci_live_sm_clear(gpci_live_sm *sm);

/* tables.c: compute the tables. GPC_ERROR_MEMORY: the tables are unchanged. */
gpc_status gpci_profile_settle(gpc_profile *profile);
/* R, U and score of counts. */
void gpci_profile_rate(gpc_profile_counts *counts);
void gpci_profile_rate_line(gpc_profile_line *line);
/* Compute derived values of a profile read from a file; its tables must be complete. */
void gpci_profile_complete(gpc_profile *profile);
void gpci_profile_free_tables(gpc_profile *profile);

GPCI_INLINE gpc_context *gpci_live_context(const gpci_live_sm *sm) {
    return sm->profile->context;
}

#endif
