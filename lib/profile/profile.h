/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_PROFILE_H
#define GPC_PROFILE_PROFILE_H

#include "base/map.h"
#include "profile/stack.h"

#include <gpucache/profile.h>

/*
 * A profile has two halves: what is counted while a trace runs (gpci_live), and the
 * tables that are made of it when somebody asks (gpc_profile). One that was read from
 * a file has only tables.
 */

#define GPCI_NONE UINT32_MAX

/* Numbers of 64 bits at the start of gpc_profile_counts; what follows from them comes behind. */
#define GPCI_COUNTS_WORDS (offsetof(gpc_profile_counts, reuse) / sizeof(uint64_t))

/* One line address on one SM. */
typedef struct gpci_line_row {
    uint64_t number; /* address / line size */
    uint64_t accesses, hits, fills, evictions, zero_reuse_evictions;
    uint64_t bytes_used, bytes_moved, segments;
    uint64_t distances, reuse_distance_sum, stack_distance_sum;
    uint64_t last;        /* the SM's clock at the last access, while it is in the stack */
    uint64_t first_count; /* accesses by the instruction that accessed it first */
    uint32_t first;       /* that instruction */
    uint32_t place;       /* in the stack */
    uint64_t awaited;     /* with a clock: hits in what is on its way, which will be those of a residence */
    uint32_t sender;      /* likewise: the warp slot that sent for it */
} gpci_line_row;

/* What is in a way of the modelled cache. */
typedef struct gpci_residence {
    uint64_t last; /* the SM's touches at the last access */
    uint64_t hits;
    uint32_t line;   /* row, GPCI_NONE where no load has accessed it */
    uint32_t filler; /* instruction, GPCI_NONE where no load filled it */
    uint32_t warp;
    uint8_t class_of; /* index of the filler's class */
    bool active;
} gpci_residence;

/* Loads by distance, exactly: how many there are at each; the array grows. */
typedef struct gpci_distances {
    uint64_t *counts;
    size_t count, capacity;
} gpci_distances;

/* One SM, while a trace runs. */
typedef struct gpci_live_sm {
    struct gpc_profile *profile;
    gpci_line_row *lines;
    size_t line_capacity;
    uint32_t line_count;
    gpci_slots line_slots;
    gpci_map pairs; /* line row << 32 | instruction that was not its first -> accesses */
    gpci_stack stack;
    uint64_t clock;             /* accesses in the stream */
    uint64_t touches;           /* line transactions of all kinds: order of recency */
    gpci_residence *residences; /* [sets x ways] of the modelled L1 */
    uint32_t sets, ways;
    gpc_profile_sm row; /* but for what the tables compute */
} gpci_live_sm;

typedef struct gpci_live_instruction {
    uint64_t pc;
    uint32_t kernel;
    gpc_profile_counts counts;
} gpci_live_instruction;

typedef struct gpci_live {
    struct gpci_profiler *profiler;               /* of lib/profiler, which runs the trace */
    void (*destroy)(struct gpc_profile *profile); /* frees `live` and the profiler */
    bool flushes;                                 /* L1 is empty at each kernel's start */
    uint32_t host_kernel; /* index of the kernel that the host began last, GPCI_NONE: the replay's */
    uint32_t launch;      /* number of the present one */
    uint32_t kernel;      /* its index, GPCI_NONE before the first */
    gpci_live_sm *sms;    /* [sm_count] */
    gpci_live_instruction *instructions;
    size_t instruction_capacity;
    uint32_t instruction_count;
    gpci_slots instruction_slots;
    gpc_profile_class classes[GPC_PROFILE_CLASSES];
    /* the instruction at hand */
    uint32_t instruction;
    uint8_t class_of;
    /* the access at hand */
    uint32_t line;     /* row */
    uint32_t set, way; /* where it is resident, way GPCI_NONE */
    bool fetched;      /* L1 got sectors of it */
    bool filled;       /* it began a residence */
} gpci_live;

struct gpc_profile {
    gpc_context *context;
    uint32_t line_bytes, line_shift, sm_count;
    char **names; /* distinct kernel names */
    size_t name_count, name_capacity;
    uint32_t *launches; /* index of the name of each launch, the first is number 1 */
    size_t launch_count, launch_capacity;
    gpci_distances *distances; /* [sm_count] */
    gpci_live *live;           /* NULL: read from a file */
    bool settled;              /* the tables are of what is counted */
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
/* Row of a line, GPCI_NONE where there is none. */
uint32_t gpci_live_find_line(const gpci_live_sm *sm, uint64_t number);
/* An instruction accesses a line. GPC_ERROR_MEMORY: nothing is counted. */
gpc_status gpci_live_pair(gpci_live_sm *sm, uint32_t line, uint32_t instruction);
/* Room in `distances` for one of at most `distance`. */
gpc_status gpci_distances_room(gpc_context *context, gpci_distances *distances, size_t distance);
/* Index of an instruction, added if new. GPCI_NONE: out of memory. */
uint32_t gpci_live_instruction_of(gpc_profile *profile, uint32_t kernel, uint64_t pc);
void gpci_live_sm_clear(gpci_live_sm *sm);

/* tables.c: make the tables. GPC_ERROR_MEMORY: they are as before. */
gpc_status gpci_profile_settle(gpc_profile *profile);
/* R, U and score of counts. */
void gpci_profile_rate(gpc_profile_counts *counts);
void gpci_profile_rate_line(gpc_profile_line *line);
/* The tables of a file's profile are there: what follows from them. */
void gpci_profile_complete(gpc_profile *profile);
void gpci_profile_free_tables(gpc_profile *profile);

GPCI_INLINE gpc_context *gpci_live_context(const gpci_live_sm *sm) {
    return sm->profile->context;
}

#endif
