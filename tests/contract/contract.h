/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CONTRACT_CONTRACT_H
#define TESTS_CONTRACT_CONTRACT_H

#include <gpucache/gpucache.h>

/*
 * What every policy must keep to. A new replacement policy, predictor or scheduler adds
 * a row here, or several for its parameters; a registered one without a row fails.
 */
typedef struct replacement_row {
    const char *spec;
    bool bypasses; /* may refuse to allocate */
    bool seeded;   /* its victims depend on the seed */
    bool needs_future;
    bool couples; /* its sets learn from each other, or share a counter */
} replacement_row;

extern const replacement_row replacement_rows[];
extern const size_t replacement_row_count;

extern const char *const predictor_rows[];
extern const size_t predictor_row_count;

typedef struct scheduler_row {
    const char *spec;
    bool waits; /* may issue nothing while a warp is STALLED, although another is ready */
} scheduler_row;

extern const scheduler_row scheduler_rows[];
extern const size_t scheduler_row_count;

/* Streams of line numbers for a cache of `capacity` lines. */
typedef enum stream_kind {
    STREAM_UNIFORM, /* twice the capacity, each line as likely */
    STREAM_SKEWED,  /* four times the capacity, low lines far likelier */
    STREAM_LOOP,    /* a little more than the capacity, round and round: LRU never hits */
    STREAM_SCANS,   /* a hot half of the capacity between scans of lines never seen again */
    STREAM_PHASES,  /* working sets of changing size and place */
    STREAM_COUNT
} stream_kind;

/* `count` line numbers; freed by the caller. */
uint64_t *stream_make(stream_kind kind, uint64_t seed, uint64_t capacity, size_t count);

gpc_context *open_context(uint64_t seed);
/* 128-byte lines, not sectored, write-back with fetch on write, modulo index. Asserts success. */
gpc_cache *open_cache(gpc_context *context, const char *spec, uint32_t sets, uint32_t ways);

/* Hits of a whole stream of loads through gpc_cache_access_many, the future given. */
size_t count_hits(gpc_context *context, const char *spec, uint32_t sets, uint32_t ways, const uint64_t *lines,
                  size_t count);

#endif
