/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_PAIR_H
#define TESTS_ORACLE_PAIR_H

#include "oracle/reference.h"

#include "cache/index/index.h"
#include "measured.h"

/* A cache and a model under one random configuration, with equal questions and a comparison after each. */

typedef struct pair {
    uint64_t random;
    uint64_t seed; /* seed of the configuration: named in messages */
    uint64_t step;
    gpc_cache_options options;
    gpc_context *context;
    gpc_cache *cache;
    model model;
    event_log log;       /* the cache's reports; compared and emptied after every step */
    gpci_index index;    /* for the model, if the index is neither modulo nor a user's */
    uint64_t lines;      /* distinct line numbers of the stream */
    uint64_t first_line; /* they begin here */
    uint64_t stride;
    unsigned far_share; /* per 256: requests to a line beyond the first's 2^31-line region */
    bool with_priorities, with_masks, simple;
} pair;

typedef enum pair_flavour {
    PAIR_ANY, /* every option */
    /* Configurations of short paths: no sectors, write-back, no tracking; sometimes one unsupported feature. */
    PAIR_PLAIN,
    PAIR_TIMED /* every option; the policy never declines if the data have been fetched before it is asked */
} pair_flavour;

void pair_open(pair *p, uint64_t seed, pair_flavour flavour, gpc_simd simd);
void pair_close(pair *p);

uint32_t pair_random(pair *p, uint32_t bound);
/* Requests of the stream; one in sixty-four malformed unless the stream is simple. */
gpc_request pair_request(pair *p);
/* Assert equal answers, reports and counts. */
void pair_same_result(const pair *p, const char *what, const gpc_access_result *expected, const gpc_access_result *got);
void pair_same_events(pair *p, const char *what, bool any_order);
void pair_same_counters(const pair *p, const char *what);
void pair_same_lines(const pair *p, const char *what);

/* Assert for two caches, or two sets of counters. */
void same_counters(const pair *p, const char *what, const measured_cache *expected, const measured_cache *got);
void same_lines(const pair *p, const char *what, const gpc_cache *expected, const gpc_cache *got);

/* The configuration, for messages. Overwritten by the next call. */
const char *pair_text(const pair *p);

#endif
