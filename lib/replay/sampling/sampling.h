/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_REPLAY_SAMPLING_H
#define GPC_REPLAY_SAMPLING_H

#include "base/map.h"
#include "replay/core/replay.h"
#include "stats/stats.h"

/*
 * Sampled replays. A unit is a kernel launch of a group of similar launches (sample = kernels), or a part of a launch
 * (sample = blocks, intervals). Both use the same estimate. Some units are measured; of the other units only the total
 * size is known. The measured units give a counter's rate per size, and the variation between these units gives the
 * variance (ratio estimator; if all sizes are 1, a plain mean).
 */

/* Number of 64-bit words of gpc_stats. Word 0 is struct_size; each other word is a counter or a bucket. */
#define GPCI_WORDS (sizeof(gpc_stats) / sizeof(uint64_t))
#define GPCI_ONE_MORE(...) +1
#define GPCI_RATIO_COUNT (0 GPC_RATIOS(GPCI_ONE_MORE))

typedef enum gpci_sample_mode {
    GPCI_SAMPLE_NONE,
    GPCI_SAMPLE_KERNELS,
    GPCI_SAMPLE_BLOCKS,
    GPCI_SAMPLE_INTERVALS
} gpci_sample_mode;

/* How to estimate a word of gpc_stats for unmeasured units. */
typedef enum gpci_word_kind {
    GPCI_WORD_SUM,
    GPCI_WORD_MAX,  /* maximum: depends on the configuration of the launch, not on its execution */
    GPCI_WORD_TRACE /* sum that only depends on the trace: known if untimed blocks are read (warming) */
} gpci_word_kind;

/* Sums over the measured units. */
typedef struct gpci_units {
    double count, size, squares; /* number of units; sum of sizes; sum of squared sizes */
    /* [word] sum of values; sum of squared values; sum of value times size */
    double sums[GPCI_WORDS], squared[GPCI_WORDS], sized[GPCI_WORDS];
    double pairs[GPCI_RATIO_COUNT]; /* [ratio] sum of numerator times denominator */
} gpci_units;

/* Counted or estimated values of a launch, or of several launches. */
typedef struct gpci_estimates {
    double values[GPCI_WORDS], variances[GPCI_WORDS];
    double freedom[GPCI_WORDS]; /* sums of variance^2 / degrees of freedom (Satterthwaite) */
    double covariances[GPCI_RATIO_COUNT];
    bool estimated[GPCI_WORDS]; /* false: the value is counted, without an estimated part */
} gpci_estimates;

/* Features compared between launches. */
typedef enum gpci_feature {
    GPCI_FEATURE_CLASS,                                          /* instructions of each gpc_op_class / instructions */
    GPCI_FEATURE_KIND = GPCI_FEATURE_CLASS + GPC_OP_CLASS_COUNT, /* accesses of each gpc_kind / instructions */
    GPCI_FEATURE_SHARED = GPCI_FEATURE_KIND + GPC_KIND_COUNT,    /* other memory instructions / instructions */
    GPCI_FEATURE_LANES,                                          /* active lanes / lanes of all instructions */
    GPCI_FEATURE_SHARES,                                         /* number of features above, all between 0 and 1 */
    GPCI_FEATURE_INSTRUCTIONS = GPCI_FEATURE_SHARES,             /* instructions per block */
    GPCI_FEATURE_WARPS,                                          /* warps per block */
    GPCI_FEATURE_SECTORS,                                        /* sectors per access */
    GPCI_FEATURE_LINES,                                          /* distinct lines, per block */
    GPCI_FEATURE_STATIC,                                         /* distinct PCs */
    GPCI_FEATURE_COUNT
} gpci_feature;

typedef struct gpci_features {
    double values[GPCI_FEATURE_COUNT];
} gpci_features;

/* A group of similar launches. */
typedef struct gpci_alike {
    uint64_t name;            /* hash of the kernel's name, dimensions and resources */
    gpci_features features;   /* features of the first launch */
    uint64_t launches, timed; /* number of launches; number of timed launches */
    uint64_t place;           /* number of the timed launch among the next sample.every launches, from 0 */
    gpc_stats first;          /* counters of the first launch */
    gpci_units units;         /* timed launches after the first */
    double trace[GPCI_WORDS]; /* sums over untimed launches, if their blocks were read (GPCI_WORD_TRACE) */
} gpci_alike;

typedef struct gpci_sampling {
    gpci_sample_mode mode;
    bool warming; /* sample.warming = functional: untimed blocks run without the clock; false: they are skipped */
    uint64_t launches, every, look, windows, settle, unit, skip; /* keys of sample; with sample = blocks, unit is 1 */
    double distance, tolerance;
    gpci_word_kind kinds[GPCI_WORDS];
    gpci_alike **groups;
    size_t group_count, group_capacity;
    gpci_map pcs, lines; /* PCs and lines of the first blocks of a launch (sample_launches.c) */
    gpci_estimates last; /* estimate for the last replayed launch */
    gpci_estimates base; /* estimate for all launches, without the untimed launches of groups */
    gpc_sampling of_last, of_all;
    bool any;                           /* a launch was replayed */
    struct {                            /* current launch; unused with sample = kernels */
        bool on, settled;               /* on: windows are observed; settled: windows are measured */
        bool open;                      /* counts since `before` belong to `rest` */
        uint64_t wave;                  /* number of blocks of a window: blocks that all SMs hold together */
        uint64_t begun;                 /* number of ended blocks at the start of the window */
        uint64_t cycle;                 /* core cycle at the start of the window */
        uint64_t instructions;          /* number of instructions of the launch at the start of the window */
        uint64_t settling;              /* number of windows before measuring */
        uint64_t measured;              /* number of measured windows */
        uint64_t skipped;               /* number of blocks to skip, or to run without the clock, next */
        uint64_t warmed, warmed_blocks; /* number of instructions and blocks that ran without the clock */
        double *rates;                  /* ring of the last windows' cycles per instruction, [windows] */
        /* a snapshot saves the fields before and after the pointer separately */
        gpc_stats before; /* statistics at the start of the measured unit, or of the part outside the sample */
        gpc_stats rest;   /* statistics of the parts outside the sample */
        gpci_units units;
    } blocks;
} gpci_sampling;

/* sampling.c */
gpc_status gpci_sampling_create(gpc_replay *replay, gpc_error *error);
void gpci_sampling_destroy(gpc_context *context, gpci_sampling *sampling);
/* Save or load the measurements, and the progress of the current launch. */
void gpci_sampling_archive(gpc_replay *replay, gpci_archive *archive);
/* Check if the next launch can be sampled. Fails if the host wants values that an untimed launch cannot give. */
gpc_status gpci_sampling_check(const gpc_replay *replay, gpc_error *error);
/*
 * Turn `stats` into the counted or estimated statistics of a replayed launch.
 *   counted  statistics that were counted with the clock; they enter the result unchanged
 *   rest     statistics of parts outside the sample; the result has an estimate for these parts
 */
void gpci_sampling_note(gpc_replay *replay, const gpc_stats *counted, const gpc_stats *rest, gpc_stats *stats);

/* estimate.c */
void gpci_units_add(gpci_units *units, const gpc_stats *stats, double size);
/* Add counted values to the estimates. */
void gpci_estimates_count(gpci_estimates *estimates, const gpci_word_kind *kinds, const gpc_stats *stats);
/*
 * Add an estimate for unmeasured units with total size `rest`. With a single measured unit the variation is unknown,
 * and the variance is set to the square of the estimate.
 *   trace  [GPCI_WORDS] values of the unmeasured units for GPCI_WORD_TRACE words; NULL: unknown
 */
void gpci_estimates_predict(gpci_estimates *estimates, const gpci_word_kind *kinds, const gpci_units *units,
                            double rest, const double *trace);
/* Round the estimates to integers, for gpc_stats. */
void gpci_estimates_round(const gpci_estimates *estimates, gpc_stats *stats);
void gpci_estimates_give(const gpci_estimates *estimates, const gpci_counter_row *info, gpc_estimate *out);

/* sample_launches.c: decide if the current launch is timed, and find the group of the launch. */
gpc_status gpci_launch_choose(gpc_replay *replay, bool *out_timed, gpc_error *error);
/* Measured units for the untimed launches of a group: later timed launches, and if fewer than 2, the first launch. */
void gpci_alike_units(const gpci_alike *group, gpci_units *units);

/*
 * sample_blocks.c. gpci_blocks_begin: begin a launch. gpci_blocks_ended: call after blocks have ended.
 * gpci_blocks_left: number of blocks to skip, or to run without the clock, now.
 */
void gpci_blocks_begin(gpc_replay *replay);
void gpci_blocks_ended(gpc_replay *replay, uint64_t now);
uint64_t gpci_blocks_left(const gpc_replay *replay);
/* With `warming`, run the blocks of gpci_blocks_left without the clock; with sample = intervals, go on to the end. */
gpc_status gpci_blocks_rest(gpc_replay *replay, gpc_error *error);

#endif
