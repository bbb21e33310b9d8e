/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SAMPLING_H
#define GPC_REPLAY_SAMPLING_H

#include "base/map.h"
#include "replay/replay.h"

/*
 * Sampled replays. Whatever is sampled, launches of a group or windows of a launch, the estimate is the same: units of
 * a known size, of which some were measured, and the size of those that were not. A counter's rate per size is that of
 * the measured units; what units differ from it makes the variance (a ratio estimator; with sizes of 1 a plain mean).
 */

/* Counters in gpc_stats, in words; its first is struct_size. */
#define GPCI_WORDS (sizeof(gpc_stats) / sizeof(uint64_t))
#define GPCI_ONE_MORE(...) +1
#define GPCI_RATIO_COUNT (0 GPC_RATIOS(GPCI_ONE_MORE))

typedef enum gpci_sample_mode {
    GPCI_SAMPLE_NONE,
    GPCI_SAMPLE_KERNELS,
    GPCI_SAMPLE_BLOCKS,
    GPCI_SAMPLE_INTERVALS
} gpci_sample_mode;

/* How a word of gpc_stats goes on. */
typedef enum gpci_word_kind {
    GPCI_WORD_SUM,
    GPCI_WORD_MAX,  /* of the launch's configuration, not of what it does */
    GPCI_WORD_TRACE /* a sum that the trace alone decides: counted where it is read */
} gpci_word_kind;

/* Measured units. */
typedef struct gpci_units {
    double count, size, squares; /* how many, sum and sum of squares of their sizes */
    double sums[GPCI_WORDS], squared[GPCI_WORDS], sized[GPCI_WORDS]; /* of values, their squares, value times size */
    double pairs[GPCI_RATIO_COUNT];                                  /* of numerator times denominator */
} gpci_units;

/* What is counted or estimated of a launch, or of several. */
typedef struct gpci_estimates {
    double values[GPCI_WORDS], variances[GPCI_WORDS];
    double freedom[GPCI_WORDS]; /* sums of variance^2 / degrees of freedom (Satterthwaite) */
    double covariances[GPCI_RATIO_COUNT];
    bool estimated[GPCI_WORDS];
} gpci_estimates;

/* What launches are compared by. */
typedef enum gpci_feature {
    GPCI_FEATURE_CLASS,                                          /* shares of warp instructions, by gpc_op_class */
    GPCI_FEATURE_KIND = GPCI_FEATURE_CLASS + GPC_OP_CLASS_COUNT, /* of accesses, by gpc_kind */
    GPCI_FEATURE_SHARED = GPCI_FEATURE_KIND + GPC_KIND_COUNT,    /* of memory instructions without such an access */
    GPCI_FEATURE_LANES,                                          /* active, of all instructions */
    GPCI_FEATURE_SHARES,                                         /* those above lie between 0 and 1 */
    GPCI_FEATURE_INSTRUCTIONS = GPCI_FEATURE_SHARES,             /* a block */
    GPCI_FEATURE_WARPS,                                          /* of them, a block */
    GPCI_FEATURE_SECTORS,                                        /* an access */
    GPCI_FEATURE_LINES,                                          /* distinct ones, a block */
    GPCI_FEATURE_STATIC,                                         /* distinct PCs */
    GPCI_FEATURE_COUNT
} gpci_feature;

typedef struct gpci_features {
    double values[GPCI_FEATURE_COUNT];
} gpci_features;

/* Launches that are alike. */
typedef struct gpci_alike {
    uint64_t name;          /* hash of name and dimensions */
    gpci_features features; /* of the first */
    uint64_t launches, timed;
    uint64_t place;           /* of the launch that is timed among the next sample.every */
    gpc_stats first;          /* what the first counted, */
    gpci_units units;         /* and the others */
    double trace[GPCI_WORDS]; /* GPCI_WORD_TRACE of those that were not timed, where they were read */
} gpci_alike;

typedef struct gpci_sampling {
    gpci_sample_mode mode;
    bool warming;
    uint64_t launches, every, look, windows, settle, unit, skip; /* unit: 1 of sample = blocks */
    double distance, tolerance;
    gpci_word_kind kinds[GPCI_WORDS];
    gpci_alike **groups;
    size_t group_count, group_room;
    gpci_map pcs, lines; /* of the blocks that are looked at */
    gpci_estimates last; /* of the launch that was replayed last */
    gpci_estimates base; /* of all, but for those that groups tell of */
    gpc_sampling of_last, of_all;
    bool any;                           /* a launch was replayed */
    struct {                            /* the launch at hand, but with sample = kernels */
        bool on, settled;               /* windows are looked at; and measured */
        bool open;                      /* what is counted since `before` is not part of the sample */
        uint64_t wave;                  /* blocks of a window */
        uint64_t begun;                 /* when the window began: blocks that had ended, */
        uint64_t cycle;                 /* core cycle, */
        uint64_t instructions;          /* of the launch */
        uint64_t settling;              /* windows so far that were not measured */
        uint64_t measured;              /* windows since it has settled */
        uint64_t skipped;               /* blocks that go by next */
        uint64_t warmed, warmed_blocks; /* instructions and blocks that ran without the clock */
        double *rates;                  /* [windows] cycles an instruction, a ring */
        /* behind the address */
        gpc_stats before; /* when the unit began */
        gpc_stats rest;   /* what was counted outside of the sample */
        gpci_units units;
    } blocks;
} gpci_sampling;

/* sampling.c */
gpc_status gpci_sampling_create(gpc_replay *r, gpc_error *error);
void gpci_sampling_destroy(gpc_context *context, gpci_sampling *s);
/* What has been measured, and how far the launch at hand has come, in a snapshot. */
void gpci_sampling_archive(gpc_replay *r, gpci_archive *archive);
/* Can the next launch be sampled? Refused where what was asked of the replay needs all of it. */
gpc_status gpci_sampling_check(const gpc_replay *r, gpc_error *error);
/*
 * The launch has been replayed: `stats` becomes what is counted or estimated of all of it.
 *   counted  with the clock, and part of the result as it is
 *   rest     what else was counted: of what the estimate is for
 */
void gpci_sampling_note(gpc_replay *r, const gpc_stats *counted, const gpc_stats *rest, gpc_stats *stats);

/* estimate.c */
void gpci_units_add(gpci_units *units, const gpc_stats *stats, double size);
/* Add what was counted. */
void gpci_estimates_count(gpci_estimates *e, const gpci_word_kind *kinds, const gpc_stats *stats);
/*
 * Add units of `rest` in sum that were not measured. Two or more were.
 *   trace  [GPCI_WORDS] what is known of GPCI_WORD_TRACE; NULL: nothing
 */
void gpci_estimates_predict(gpci_estimates *e, const gpci_word_kind *kinds, const gpci_units *units, double rest,
                            const double *trace);
/* As integers. */
void gpci_estimates_round(const gpci_estimates *e, gpc_stats *stats);
void gpci_estimates_give(const gpci_estimates *e, const gpc_counter_info *info, gpc_estimate *out);

/* sample_launches.c: is the launch at hand timed? Its group is noted. */
gpc_status gpci_launch_choose(gpc_replay *r, bool *out_timed, gpc_error *error);
/* The units of a group that stand for those that were not timed. */
void gpci_alike_units(const gpci_alike *group, gpci_units *units);

/* sample_blocks.c: a launch begins; some of its blocks have ended. Blocks that go by without the clock. */
void gpci_blocks_begin(gpc_replay *r);
void gpci_blocks_ended(gpc_replay *r, uint64_t now);
uint64_t gpci_blocks_left(const gpc_replay *r);
/* These, by the rules of a functional replay, where that is wanted; of intervals what follows, too. */
gpc_status gpci_blocks_rest(gpc_replay *r, gpc_error *error);

#endif
