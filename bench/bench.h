/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BENCH_BENCH_H
#define GPC_BENCH_BENCH_H

#include <gpucache/gpucache.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Print a figure per line, `NAME VALUE UNIT`, for comparison by a script. */
static inline void figure(const char *name, double value, const char *unit) {
    printf("%s %.3f %s\n", name, value, unit);
    fflush(stdout);
}

static inline double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double cpu_seconds(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double wall_seconds(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

static inline void need(gpc_status status, const char *what, const gpc_error *error) {
    if (status >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, error && error->message[0] ? error->message : gpc_status_string(status));
    exit(1);
}

static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
