/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_EFFORT_H
#define TESTS_EFFORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Amount of work in a test: GPUCACHE_TESTS is quick, normal (the default), full or thorough. Seeds, rounds and requests
 * of a stream only repeat a test. The quick and the normal mode do an eighth of the repetitions, the full mode half,
 * and under sanitizers a sixteenth: sanitizers look at each access, and the plain build compares the numbers. The
 * thorough mode does every repetition in every build.
 */
typedef enum effort { EFFORT_QUICK, EFFORT_NORMAL, EFFORT_FULL, EFFORT_THOROUGH } effort;

#if defined(__SANITIZE_ADDRESS__)
#define EFFORT_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EFFORT_SANITIZED true
#endif
#endif
#ifndef EFFORT_SANITIZED
#define EFFORT_SANITIZED false
#endif

/* Divisor of the number of repetitions in a small run. */
#define EFFORT_PART (EFFORT_SANITIZED ? 16u : 8u)

static inline effort effort_wanted(void) {
    const char *wish = getenv("GPUCACHE_TESTS");
    if (wish && !strcmp(wish, "quick"))
        return EFFORT_QUICK;
    if (wish && !strcmp(wish, "full"))
        return EFFORT_FULL;
    return wish && !strcmp(wish, "thorough") ? EFFORT_THOROUGH : EFFORT_NORMAL;
}

static inline bool effort_is_small(void) {
    return effort_wanted() < (EFFORT_SANITIZED ? EFFORT_THOROUGH : EFFORT_FULL);
}

/* Repetitions to do, of `all`: at least 1. */
static inline uint32_t effort_of(uint32_t all) {
    const uint32_t part = effort_is_small() ? EFFORT_PART : effort_wanted() == EFFORT_THOROUGH ? 1 : 2;
    return all / part + (all < part);
}

/* Repetitions of damage, for the sanitizers: half under sanitizers, an eighth in the plain build. */
static inline uint32_t effort_of_checks(uint32_t all) {
    if (effort_wanted() == EFFORT_THOROUGH)
        return all;
    return EFFORT_SANITIZED && effort_wanted() == EFFORT_FULL ? all / 2 : all / 8;
}

/* Whether a run does case `n` of many alike: case 0 always, later cases at irregular distances. */
static inline bool effort_takes(uint64_t n) {
    return !effort_is_small() || (uint32_t)(n * 2654435769u) < UINT32_MAX / EFFORT_PART;
}

#endif
