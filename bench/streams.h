/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_BENCH_STREAMS_H
#define GPC_BENCH_STREAMS_H

#include "bench.h"

/* The streams of line addresses of the cache benchmarks. */

#define STREAM_LINE 128u
#define STREAMS 3

static inline void sequential(uint64_t *addresses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = (uint64_t)(i % (64u << 20 >> 7)) * STREAM_LINE;
}

/* Zipf(0.9) over 1 M lines with permuted ranks, by inversion of the cumulative weights. */
static inline void zipf(uint64_t *addresses, uint32_t count) {
    enum { LINES = 1000000 };
    double *sums = malloc(LINES * sizeof *sums);
    uint32_t *lines = malloc(LINES * sizeof *lines);
    uint64_t state = 7;
    double sum = 0;
    if (!sums || !lines)
        exit(1);
    for (uint32_t i = 0; i < LINES; i++) {
        sum += pow(i + 1, -0.9);
        sums[i] = sum;
        lines[i] = i;
    }
    for (uint32_t i = LINES - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(next_random(&state) % (i + 1)), line = lines[i];
        lines[i] = lines[j];
        lines[j] = line;
    }
    for (uint32_t i = 0; i < count; i++) {
        double want = (double)(next_random(&state) >> 11) * 0x1p-53 * sum;
        uint32_t low = 0, high = LINES - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (sums[middle] < want)
                low = middle + 1;
            else
                high = middle;
        }
        addresses[i] = (uint64_t)lines[low] * STREAM_LINE;
    }
    free(sums);
    free(lines);
}

static inline void cyclic(uint64_t *addresses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = (uint64_t)(i % 160) * STREAM_LINE;
}

static const struct {
    const char *name;
    void (*fill)(uint64_t *addresses, uint32_t count);
} streams[STREAMS] = {{"sequential", sequential}, {"zipf", zipf}, {"cyclic", cyclic}};

#endif
