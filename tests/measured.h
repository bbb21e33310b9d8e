/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_MEASURED_H
#define TESTS_MEASURED_H

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <stddef.h>
#include <string.h>

/*
 * Statistics as structs, read by ids: tests compare many counters by name. A struct has the values of one read, in the
 * order of the ids.
 */

typedef struct measured_stats {
#define X(id, field, ...) uint64_t field;
    GPC_COUNTERS(X)
#undef X
#define X(id, field, name, buckets, ...) uint64_t field[buckets];
    GPC_HISTOGRAMS(X)
#undef X
} measured_stats;

typedef struct measured_cache {
#define X(id, field, ...) uint64_t field;
    GPC_CACHE_COUNTERS(X)
#undef X
} measured_cache;

typedef struct measured_module {
#define X(id, field, ...) uint64_t field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    uint64_t transitions[GPC_LINE_COUNT][GPC_LINE_COUNT];
    uint32_t origins[GPC_LINE_COUNT][GPC_LINE_COUNT];
} measured_module;

#define MEASURED_ID(id, ...) id,
static const uint32_t measured_ids[] = {GPC_COUNTERS(MEASURED_ID) GPC_HISTOGRAMS(MEASURED_ID)};
static const uint32_t measured_cache_ids[] = {GPC_CACHE_COUNTERS(MEASURED_ID)};
static const uint32_t measured_module_ids[] = {GPC_COHERENCE_COUNTERS(MEASURED_ID)};
/* Counters, histograms and ratios, as in a text of all. */
static const uint32_t measured_text_ids[] = {GPC_COUNTERS(MEASURED_ID) GPC_HISTOGRAMS(MEASURED_ID)
                                                 GPC_RATIOS(MEASURED_ID)};

#define MEASURED_COUNT(array) (sizeof(array) / sizeof *(array))
#define measured_clear(stats) memset((stats), 0, sizeof *(stats))

/* Reads of whole objects. Statuses of the reads. */
static inline gpc_status measure_hierarchy(const gpc_hierarchy *hierarchy, measured_stats *stats) {
    return gpc_hierarchy_read(hierarchy, GPC_OBJECT_WHOLE, 0, measured_ids, MEASURED_COUNT(measured_ids),
                              (uint64_t *)stats, sizeof *stats / sizeof(uint64_t), NULL);
}

/* The last kernel. */
static inline gpc_status measure_replay(const gpc_replay *replay, measured_stats *stats) {
    return gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, measured_ids, MEASURED_COUNT(measured_ids), (uint64_t *)stats,
                           sizeof *stats / sizeof(uint64_t), NULL);
}

static inline gpc_status measure_total(const gpc_replay *replay, measured_stats *stats) {
    return gpc_replay_read_total(replay, measured_ids, MEASURED_COUNT(measured_ids), (uint64_t *)stats,
                                 sizeof *stats / sizeof(uint64_t), NULL);
}

static inline gpc_status measure_dram(const gpc_dram *dram, measured_stats *stats) {
    return gpc_dram_read(dram, measured_ids, MEASURED_COUNT(measured_ids), (uint64_t *)stats,
                         sizeof *stats / sizeof(uint64_t), NULL);
}

static inline gpc_status measure_sample(const gpc_stats *sample, measured_stats *stats) {
    return gpc_stats_read(sample, measured_ids, MEASURED_COUNT(measured_ids), (uint64_t *)stats,
                          sizeof *stats / sizeof(uint64_t), NULL);
}

static inline gpc_status measure_cache(const gpc_cache *cache, measured_cache *stats) {
    return gpc_cache_read(cache, measured_cache_ids, MEASURED_COUNT(measured_cache_ids), (uint64_t *)stats,
                          sizeof *stats / sizeof(uint64_t), NULL);
}

static inline gpc_status measure_module(const gpc_coherence *coherence, uint32_t module, measured_module *stats) {
    gpc_status status = gpc_coherence_read(coherence, module, measured_module_ids, MEASURED_COUNT(measured_module_ids),
                                           (uint64_t *)stats, sizeof *stats / sizeof(uint64_t), NULL);
    return status < 0 ? status
                      : gpc_coherence_get_matrices(coherence, module, GPC_LINE_COUNT, stats->transitions[0],
                                                   stats->origins[0], NULL);
}

/* Run a kernel, and read its statistics; `stats` may be NULL, and is unchanged unless the kernel ended. */
static inline gpc_status measure_kernel(gpc_replay *replay, gpc_trace *trace, gpc_kernel *kernel, measured_stats *stats,
                                        gpc_error *error) {
    const gpc_status status = gpc_replay_kernel(replay, trace, kernel, error);
    return status == GPC_OK && stats ? measure_replay(replay, stats) : status;
}

static inline gpc_status measure_profile_kernel(gpc_profile *profile, gpc_trace *trace, gpc_kernel *kernel,
                                                measured_stats *stats, gpc_error *error) {
    const gpc_status status = gpc_profile_kernel(profile, trace, kernel, error);
    return status == GPC_OK && stats
               ? gpc_profile_read_kernel(profile, measured_ids, MEASURED_COUNT(measured_ids), (uint64_t *)stats,
                                         sizeof *stats / sizeof(uint64_t), error)
               : status;
}

static inline gpc_status measure_streams(gpc_replay *replay, const gpc_replay_stream *streams, size_t count,
                                         gpc_kernel_result_fn on_kernel, void *user_data, measured_stats *stats,
                                         gpc_error *error) {
    const gpc_status status = gpc_replay_streams(replay, streams, count, on_kernel, user_data, error);
    return status == GPC_OK && stats ? measure_replay(replay, stats) : status;
}

/* Pass a sample to a scheduler's policies, or to a throttle alone. */
static inline gpc_status give_sample(gpc_scheduler *scheduler, const measured_stats *stats, uint64_t cycle) {
    return gpc_scheduler_sample(scheduler, cycle, measured_ids, MEASURED_COUNT(measured_ids), (const uint64_t *)stats,
                                sizeof *stats / sizeof(uint64_t), NULL);
}

static inline gpc_status give_throttle_sample(gpc_throttle *throttle, const measured_stats *stats, uint64_t cycle) {
    return gpc_throttle_sample(throttle, cycle, measured_ids, MEASURED_COUNT(measured_ids), (const uint64_t *)stats,
                               sizeof *stats / sizeof(uint64_t), NULL);
}

/* Offset of a counter in measured_stats, in bytes; of a ratio: of its numerator. */
static inline size_t measured_offset(uint32_t id) {
    size_t at = 0;
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    if (gpc_counter_by_id(id, &info, NULL) == GPC_OK && info.ratio)
        id = info.numerator;
    for (size_t i = 0; i < MEASURED_COUNT(measured_ids) && measured_ids[i] != id; i++)
        at += gpc_counter_values(&measured_ids[i], 1);
    return at * sizeof(uint64_t);
}

/* Add, counter by counter, and subtract an earlier moment of the object. A value absent on one side is absent. */
static inline void measured_add(measured_stats *into, const measured_stats *more) {
    uint64_t *a = (uint64_t *)into;
    const uint64_t *b = (const uint64_t *)more;
#define SUM (*a == GPC_ABSENT || *b == GPC_ABSENT ? GPC_ABSENT : *a + *b)
#define GAUGE SUM
#define MAX (*a > *b ? *a : *b)
#define X(id, field, name, unit, kind, ...) *a = kind, a++, b++;
    GPC_COUNTERS(X)
#undef X
#undef MAX
    for (size_t left = sizeof *into / sizeof *a - (size_t)(a - (uint64_t *)into); left--; a++, b++)
        *a = SUM;
#undef GAUGE
#undef SUM
}

static inline void measured_subtract(const measured_stats *later, const measured_stats *earlier, measured_stats *out) {
    const uint64_t *a = (const uint64_t *)later, *b = (const uint64_t *)earlier;
    uint64_t *to = (uint64_t *)out;
#define SUM (*a == GPC_ABSENT || *b == GPC_ABSENT ? GPC_ABSENT : *a - *b)
#define GAUGE SUM
#define MAX (*b == GPC_ABSENT ? GPC_ABSENT : *a)
#define X(id, field, name, unit, kind, ...) *to = kind, to++, a++, b++;
    GPC_COUNTERS(X)
#undef X
#undef MAX
    for (size_t left = sizeof *out / sizeof *a - (size_t)(to - (uint64_t *)out); left--; to++, a++, b++)
        *to = SUM;
#undef GAUGE
#undef SUM
}

/* Values of measured_text_ids: [MEASURED_VALUES]. */
#define MEASURED_ONE(...) +1
enum { MEASURED_VALUES = sizeof(measured_stats) / sizeof(uint64_t) + 2 * (0 GPC_RATIOS(MEASURED_ONE)) };
static inline void measured_values(const measured_stats *stats, uint64_t *words) {
    memcpy(words, stats, sizeof *stats);
    words += sizeof *stats / sizeof *words;
#define X(id, name, over, under, since, meaning) *words++ = stats->over, *words++ = stats->under;
    GPC_RATIOS(X)
#undef X
}

/* Write all counters, histograms and ratios as JSON. */
static inline gpc_status measured_json(const measured_stats *stats, char *text, size_t size, size_t *out_length) {
    uint64_t words[MEASURED_VALUES];
    measured_values(stats, words);
    return gpc_counters_json(measured_text_ids, MEASURED_COUNT(measured_text_ids), words, sizeof words / sizeof *words,
                             text, size, out_length, NULL);
}

static inline gpc_status measured_csv(const measured_stats *stats, bool header, char *text, size_t size,
                                      size_t *out_length) {
    uint64_t words[MEASURED_VALUES];
    measured_values(stats, words);
    return gpc_counters_csv(measured_text_ids, MEASURED_COUNT(measured_text_ids), words, sizeof words / sizeof *words,
                            header, text, size, out_length, NULL);
}

/*
 * Statistics with 0 for unmeasured values, for tests that compare with a model, or with another mode that measures
 * fewer values. tests/stats and tests/hierarchy test that unmeasured values are absent, never 0.
 */
static inline measured_stats measured(measured_stats stats) {
#define X(id, field, ...) stats.field = stats.field == GPC_ABSENT ? 0 : stats.field;
    GPC_COUNTERS(X)
#undef X
    return stats;
}

#endif
