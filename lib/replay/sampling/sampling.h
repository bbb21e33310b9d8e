/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SAMPLING_H
#define GPC_REPLAY_SAMPLING_H

#include "base/map.h"
#include "replay/core/replay.h"
#include "stats/stats.h"

/*
 * Sampled replays. Launches of a group and windows of a launch use the same estimate. A unit has a known size. Some
 * units are measured; of the rest only the total size is known. A counter's rate per size comes from the measured
 * units, and the variation between units gives the variance (ratio estimator; if sizes are 1, a plain mean).
 */

/* Words of gpc_stats; word 0 is struct_size. */
#define GPCI_WORDS (sizeof(gpc_stats) / sizeof(uint64_t))
#define GPCI_ONE_MORE(...) +1
#define GPCI_RATIO_COUNT (0 GPC_RATIOS(GPCI_ONE_MORE))

typedef enum gpci_sample_mode {
    GPCI_SAMPLE_NONE,
    GPCI_SAMPLE_KERNELS,
    GPCI_SAMPLE_BLOCKS,
    GPCI_SAMPLE_INTERVALS
} gpci_sample_mode;

/* How to extrapolate a word of gpc_stats. */
typedef enum gpci_word_kind {
    GPCI_WORD_SUM,
    GPCI_WORD_MAX,  /* depends on the launch's configuration, not on its execution */
    GPCI_WORD_TRACE /* sum fixed by the trace: counted if the blocks are read */
} gpci_word_kind;

/* Measured units. */
typedef struct gpci_units {
    double count, size, squares; /* number, sum and sum of squares of their sizes */
    /* Sums of values, of squared values, of value times size. */
    double sums[GPCI_WORDS], squared[GPCI_WORDS], sized[GPCI_WORDS];
    double pairs[GPCI_RATIO_COUNT]; /* sums of numerator times denominator */
} gpci_units;

/* Counted or estimated values of a launch, or of several launches. */
typedef struct gpci_estimates {
    double values[GPCI_WORDS], variances[GPCI_WORDS];
    double freedom[GPCI_WORDS]; /* sums of variance^2 / degrees of freedom (Satterthwaite) */
    double covariances[GPCI_RATIO_COUNT];
    bool estimated[GPCI_WORDS];
} gpci_estimates;

/* Features compared between launches. */
typedef enum gpci_feature {
    GPCI_FEATURE_CLASS,                                          /* share of warp instructions, by gpc_op_class */
    GPCI_FEATURE_KIND = GPCI_FEATURE_CLASS + GPC_OP_CLASS_COUNT, /* share of accesses, by gpc_kind */
    GPCI_FEATURE_SHARED = GPCI_FEATURE_KIND + GPC_KIND_COUNT, /* share of memory instructions without such an access */
    GPCI_FEATURE_LANES,                                       /* share of active lanes, over all instructions */
    GPCI_FEATURE_SHARES,                                      /* features above lie between 0 and 1 */
    GPCI_FEATURE_INSTRUCTIONS = GPCI_FEATURE_SHARES,          /* per block */
    GPCI_FEATURE_WARPS,                                       /* per block */
    GPCI_FEATURE_SECTORS,                                     /* per access */
    GPCI_FEATURE_LINES,                                       /* distinct lines, per block */
    GPCI_FEATURE_STATIC,                                      /* distinct PCs */
    GPCI_FEATURE_COUNT
} gpci_feature;

typedef struct gpci_features {
    double values[GPCI_FEATURE_COUNT];
} gpci_features;

/* A group of similar launches. */
typedef struct gpci_alike {
    uint64_t name;          /* hash of name and dimensions */
    gpci_features features; /* features of the first launch */
    uint64_t launches, timed;
    uint64_t place;           /* number of the timed launch among the next sample.every */
    gpc_stats first;          /* counters of the first launch */
    gpci_units units;         /* units of later timed launches */
    double trace[GPCI_WORDS]; /* GPCI_WORD_TRACE words of untimed launches, if their blocks were read */
} gpci_alike;

typedef struct gpci_sampling {
    gpci_sample_mode mode;
    bool warming;
    uint64_t launches, every, look, windows, settle, unit, skip; /* unit: 1 with sample = blocks */
    double distance, tolerance;
    gpci_word_kind kinds[GPCI_WORDS];
    gpci_alike **groups;
    size_t group_count, group_capacity;
    gpci_map pcs, lines; /* PCs and lines of the blocks examined */
    gpci_estimates last; /* estimates after the last replayed launch */
    gpci_estimates base; /* estimates for launches not estimated by group */
    gpc_sampling of_last, of_all;
    bool any;                           /* a launch was replayed */
    struct {                            /* current launch; unused with sample = kernels */
        bool on, settled;               /* on: windows are observed; settled: windows are measured */
        bool open;                      /* counts since `before` are outside the sample */
        uint64_t wave;                  /* blocks of a window */
        uint64_t begun;                 /* ended blocks at the start of the window */
        uint64_t cycle;                 /* core cycle at the start of the window */
        uint64_t instructions;          /* instructions of the launch at the start of the window */
        uint64_t settling;              /* windows not measured yet */
        uint64_t measured;              /* windows since the rate settled */
        uint64_t skipped;               /* blocks to skip next */
        uint64_t warmed, warmed_blocks; /* instructions and blocks run without the clock */
        double *rates;                  /* [windows] cycles per instruction, a ring */
        /* fields below come after the pointer */
        gpc_stats before; /* statistics at the start of the unit */
        gpc_stats rest;   /* statistics outside the sample */
        gpci_units units;
    } blocks;
} gpci_sampling;

/* sampling.c */
gpc_status gpci_sampling_create(gpc_replay *replay, gpc_error *error);
void gpci_sampling_destroy(gpc_context *context, gpci_sampling *sampling);
/* Save or load the measurements, and the progress of the current launch. */
void gpci_sampling_archive(gpc_replay *replay, gpci_archive *archive);
/* Check if the next launch can be sampled. Fails if a setting of the replay needs complete launches. */
gpc_status gpci_sampling_check(const gpc_replay *replay, gpc_error *error);
/*
 * Turn `stats` into the counted or estimated total of a replayed launch.
 *   counted  counted with the clock; enters the result unchanged
 *   rest     counted outside the sample; the estimate covers this part
 */
void gpci_sampling_note(gpc_replay *replay, const gpc_stats *counted, const gpc_stats *rest, gpc_stats *stats);

/* estimate.c */
void gpci_units_add(gpci_units *units, const gpc_stats *stats, double size);
/* Add counted values. */
void gpci_estimates_count(gpci_estimates *estimates, const gpci_word_kind *kinds, const gpc_stats *stats);
/*
 * Add unmeasured units with total size `rest`. Needs two or more measured units.
 *   trace  [GPCI_WORDS] known values of GPCI_WORD_TRACE words; NULL: unknown
 */
void gpci_estimates_predict(gpci_estimates *estimates, const gpci_word_kind *kinds, const gpci_units *units,
                            double rest, const double *trace);
/* Round the estimates to integers. */
void gpci_estimates_round(const gpci_estimates *estimates, gpc_stats *stats);
void gpci_estimates_give(const gpci_estimates *estimates, const gpci_counter_row *info, gpc_estimate *out);

/* sample_launches.c: decide if the current launch is timed, and note its group. */
gpc_status gpci_launch_choose(gpc_replay *replay, bool *out_timed, gpc_error *error);
/* Units of a group that stand for the untimed launches. */
void gpci_alike_units(const gpci_alike *group, gpci_units *units);

/*
 * sample_blocks.c: a launch begins. gpci_blocks_ended: blocks have ended. gpci_blocks_left: blocks to run without the
 * clock.
 */
void gpci_blocks_begin(gpc_replay *replay);
void gpci_blocks_ended(gpc_replay *replay, uint64_t now);
uint64_t gpci_blocks_left(const gpc_replay *replay);
/* Run these blocks as a functional replay if warming is on; with intervals, run the following intervals too. */
gpc_status gpci_blocks_rest(gpc_replay *replay, gpc_error *error);

#endif
