/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_POLICY_NAIVE_H
#define TESTS_POLICY_NAIVE_H

#include "policies/replacement/rig.h"

/*
 * A policy compared with a naive definition, for policies with sets sharing state: random hits, misses, fills,
 * invalidations and candidates, equal for both, and after every miss in a full set an equal choice.
 */
typedef struct naive_line {
    int64_t stamp;
    uint32_t value;
    uint32_t signature;
    bool reused;
} naive_line;

typedef struct naive {
    uint32_t sets, ways;
    naive_line *lines; /* [sets][ways] */
    int64_t newest, oldest;
    uint64_t counter, selector;
    void *extra; /* of the definition */
} naive;

typedef struct naive_ops {
    void (*hit)(naive *n, uint32_t set, uint32_t way, const gpc_request *request);
    void (*miss)(naive *n, uint32_t set, const gpc_request *request);
    /* RIG_NO_WAY = bypass. */
    uint32_t (*victim)(naive *n, uint32_t set, const bool *candidate, const gpc_request *request);
    void (*evict)(naive *n, uint32_t set, uint32_t way);
    void (*fill)(naive *n, uint32_t set, uint32_t way, const gpc_request *request);
} naive_ops;

/* Assert that `spec` acts like `ops` on a cache of this shape. `extra` becomes naive.extra. */
void naive_compare(const char *spec, const naive_ops *ops, uint32_t sets, uint32_t ways, void *extra);
/* For ways of 1 to 1024 and few sets; extra stays unchanged. */
void naive_compare_shapes(const char *spec, const naive_ops *ops, void *extra);

naive_line *naive_at(const naive *n, uint32_t set, uint32_t way);
/* The candidate with the least or the greatest stamp. */
uint32_t naive_oldest(const naive *n, uint32_t set, const bool *candidate);
void naive_touch(naive *n, uint32_t set, uint32_t way);
void naive_demote(naive *n, uint32_t set, uint32_t way);

#endif
