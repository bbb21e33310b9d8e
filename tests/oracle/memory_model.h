/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_ORACLE_MEMORY_MODEL_H
#define TESTS_ORACLE_MEMORY_MODEL_H

#include "measured.h"

#include <gpucache/gpucache.h>

/*
 * A naive model of the functional hierarchy, written from the public headers: bytes one by one, lines in plain arrays,
 * recency by a clock. LRU, sets and slices by modulo. It counts in 32-byte segments like the hierarchy.
 */

#define MODEL_SMS 4u
#define MODEL_SLICES 4u
#define MODEL_WAYS 4u
#define MODEL_SETS 4u

typedef struct model_level {
    unsigned line, sectors, fetch, sets, ways;
    gpc_write_policy policy[2]; /* by space: global, local */
    gpc_write_allocate allocate[2];
} model_level;

typedef struct memory_config {
    unsigned sms, slices, partitions, interleave;
    bool has_l1, has_l2, local_only, inclusive;
    unsigned sm_partition; /* 0 halves, 1 pairs, 2 groups of 16 */
    model_level l1, l2;
} memory_config;

typedef struct memory_line {
    bool resident, written[128]; /* written since the fill */
    bool first;                  /* evict-first: leaves before other lines */
    uint64_t number, used;       /* number: address / line size */
    uint8_t valid, dirty;        /* bit per segment; whole sectors */
} memory_line;

typedef struct memory_cache {
    const model_level *level;
    bool lazy;         /* by space */
    const bool *first; /* true for evict-first accesses */
    memory_line lines[MODEL_SETS][MODEL_WAYS];
} memory_cache;

/* An evicted line. */
typedef struct memory_leaver {
    bool any, dirty[128];
    uint64_t address;
} memory_leaver;

typedef struct memory_model {
    memory_config config;
    memory_cache l1[MODEL_SMS], l2[MODEL_SLICES];
    measured_stats stats;
    gpc_warp_result result; /* result of the present access */
    bool first;             /* the present access, or its write-back, is evict-first */
} memory_model;

void memory_model_init(memory_model *m, const memory_config *config);
gpc_warp_result memory_model_access(memory_model *m, const gpc_warp_access *access);
void memory_model_flush_l1(memory_model *m);
void memory_model_flush_l2(memory_model *m);

/* memory_lines.c: one cache. Masks are of segments of the line; `bytes` of the line too. */

typedef struct memory_answer {
    uint8_t hits;    /* hits among the requested segments */
    uint8_t fetch;   /* to read from below */
    bool below[128]; /* bytes to write below */
    bool bypassed;
    memory_leaver leaver;
} memory_answer;

unsigned memory_count(uint8_t segments);
uint8_t memory_segments(const bool *bytes);
memory_line *memory_find(memory_cache *c, uint64_t address);
void memory_drop(memory_cache *c, memory_line *line, memory_leaver *leaver);
/* A read; `fill` is separate, for events between. */
memory_answer memory_read(memory_cache *c, uint64_t address, uint8_t segments);
void memory_fill(memory_cache *c, uint64_t address, uint8_t fetched, memory_leaver *leaver);
memory_answer memory_store(memory_cache *c, uint64_t address, const bool *bytes, unsigned space, bool may_allocate);
memory_answer memory_atomic(memory_cache *c, uint64_t address, uint8_t segments);

#endif
