/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PREDICTOR_RIG_H
#define TESTS_PREDICTOR_RIG_H

#include "measured.h"

#include <gpucache/gpucache.h>

/*
 * A cache with a predictor, and if wanted a cache below with an answering predictor: like a host with two levels, by
 * the public steps. Lines of 128 bytes, without sectors.
 */
typedef struct rig {
    gpc_context *context;
    gpc_cache *cache, *below; /* below: or NULL */
} rig;

typedef struct rig_plan {
    const char *predictor, *replacement; /* NULL: the defaults */
    const char *below;                   /* predictor of the cache below; or NULL */
    uint32_t sets, ways;                 /* of the cache */
    uint32_t below_sets, below_ways;
    uint32_t sectors; /* 0 = 1 */
    uint64_t seed;
} rig_plan;

/* Asserts success. */
void rig_open(rig *r, rig_plan plan);
void rig_close(rig *r);

/* One access: h hit, s sector miss, m miss with a fill, b bypass, o bypass overturned by the reply, p passed on. */
char rig_access(rig *r, gpc_request request);
/* Loads of global memory by one PC, by letter of `lines` (A = line 0): results must be `expected`. */
void rig_loads(rig *r, uint64_t pc, const char *lines, const char *expected, int at);
#define LOADS(r, pc, lines, expected) rig_loads((r), (pc), (lines), (expected), __LINE__)

measured_cache rig_stats(const rig *r);

/* A stream of requests: lines below `lines`, PCs and kinds mixed. */
gpc_request rig_random(uint64_t *random, uint64_t lines, uint32_t pcs);

#endif
