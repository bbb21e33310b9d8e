/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CONTRACT_CONTRACT_H
#define TESTS_CONTRACT_CONTRACT_H

#include <gpucache/gpucache.h>

/*
 * What every policy must keep to. One without a row is tried by its name alone; rows are for parameters, and for what a
 * policy may do that others may not. The lists hold both.
 */
typedef struct replacement_row {
    const char *spec;
    bool bypasses; /* may refuse to allocate */
    bool seeded;   /* its victims depend on the seed */
    bool needs_future;
    bool couples; /* its sets learn from each other, or share a counter */
} replacement_row;

const replacement_row *replacement_rows(void); /* behind the last, one whose spec is NULL */

const char *const *predictor_rows(void); /* behind the last, NULL */

typedef struct scheduler_row {
    const char *spec;
    bool waits; /* may issue nothing while a warp is STALLED, although another is ready */
} scheduler_row;

const scheduler_row *scheduler_rows(void); /* behind the last, one whose spec is NULL; throttles stand on others */

/* Is `name` what a spec names? */
bool is_named(const char *spec, const char *name);

/* Call `add` with the name of each built-in policy of a kind of which `has_row` knows nothing. */
void each_without_row(gpc_policy_kind kind, bool (*has_row)(const char *name), void (*add)(const char *name));

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
