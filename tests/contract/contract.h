/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CONTRACT_CONTRACT_H
#define TESTS_CONTRACT_CONTRACT_H

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

/*
 * Requirements of every policy. A policy without a row is tried by name; rows are for parameters, and for exceptions.
 * The lists hold both.
 */
typedef struct replacement_row {
    const char *spec;
    bool bypasses; /* may refuse to allocate */
    bool seeded;   /* victims depend on the seed */
    bool needs_future;
    bool couples; /* sets learn from one another, or share a counter */
} replacement_row;

const replacement_row *replacement_rows(void); /* ended by a row with spec NULL */

const char *const *predictor_rows(void); /* ended by NULL */

typedef struct scheduler_row {
    const char *spec;
    bool waits; /* may issue nothing while a warp is STALLED, although another is ready */
} scheduler_row;

const scheduler_row *scheduler_rows(void); /* ended by a row with spec NULL; throttles are based on others */

/* True if a spec names the policy `name`. */
bool is_named(const char *spec, const char *name);

/* Call `add` with the name of every built-in policy of a kind unknown to `has_row`. */
void each_without_row(gpc_policy_kind kind, bool (*has_row)(const char *name), void (*add)(const char *name));

/* Streams of line numbers for a cache of `capacity` lines. */
typedef enum stream_kind {
    STREAM_UNIFORM, /* twice the capacity, uniform */
    STREAM_SKEWED,  /* four times the capacity, low lines far likelier */
    STREAM_LOOP,    /* a little more than the capacity, in a loop: LRU never hits */
    STREAM_SCANS,   /* a hot half of the capacity between scans of lines never seen again */
    STREAM_PHASES,  /* working sets of changing size and place */
    STREAM_COUNT
} stream_kind;

/* `count` line numbers; freed by the caller. */
uint64_t *stream_make(stream_kind kind, uint64_t seed, uint64_t capacity, size_t count);

gpc_context *open_context(uint64_t seed);
/* 128-byte lines, not sectored, write-back with fetch on write, modulo index. Asserts success. */
gpc_cache *open_cache(gpc_context *context, const char *spec, uint32_t sets, uint32_t ways);

/* Hits of a whole stream of loads through gpc_cache_access_many, with the future. */
size_t count_hits(gpc_context *context, const char *spec, uint32_t sets, uint32_t ways, const uint64_t *lines,
                  size_t count);

#endif
