/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_KEYS_KEYS_H
#define TESTS_KEYS_KEYS_H

#include "measured.h"

#include <gpucache/gpucache.h>

/*
 * Every configuration key is moved under every protocol. A value beside the default has an effect on the counters of a
 * small workload, or a refusal names the key.
 */

/* Workloads to move a key under. */
typedef enum work {
    WORK_MEMORY,  /* a replay of loads, stores, atomics, fences and local memory */
    WORK_BURST,   /* a replay of loads without waiting */
    WORK_CLASSES, /* a replay of the other classes of instructions, with shared memory and barriers */
    WORK_CODE,    /* a replay of straight code, launched twice */
    WORK_CLUSTER, /* a replay of clusters that reach each other's shared memory */
    WORK_BLOCKS,  /* a replay of many short thread blocks */
    WORK_MANY,    /* a replay of many launches */
    WORK_HOST,    /* a host's accesses, with values, bulk copies, constants and ports */
    WORK_COUNT
} work;

typedef enum key_kind {
    KEY_ANY,   /* acts with and without a clock */
    KEY_CLOCK, /* acts with a clock alone */
    KEY_BYTES, /* acts with a clock, and in trees also without a clock, on the bytes of messages */
    KEY_COUNT, /* acts on a counter that is absent in trees */
    KEY_STEPS, /* acts without a clock alone */
    KEY_SELF,  /* is moved by the test itself: protocol, mode */
    KEY_FREE   /* changes no counter, for the reason in `why` */
} key_kind;

typedef struct key_row {
    const char *key, *value; /* `a|b`: b is tried under a protocol for which a changes nothing */
    const char *with;        /* prerequisites, as configuration text */
    const char *also;        /* settings that go with the value alone */
    work work;
    key_kind kind;
    const char *why;
} key_row;

extern const key_row key_rows_sm[], key_rows_l1[], key_rows_l2[], key_rows_dram[], key_rows_run[];
extern const size_t key_rows_sm_count, key_rows_l1_count, key_rows_l2_count, key_rows_dram_count, key_rows_run_count;

/* Result of a workload. */
typedef struct outcome {
    gpc_status status; /* status of the creation of a hierarchy or replay */
    gpc_status end;    /* of the run */
    uint64_t digest;   /* digest of statuses, counters, values of policies, completions */
    gpc_error error;
} outcome;

/* A folder of traces. */
typedef struct works {
    gpc_context *context;
    char folder[64];
    const char *source;    /* a trace in place of a workload's */
    bool deep;             /* the digest has the counters of all objects, and the lines */
    const char *recording; /* file of a host's calls; NULL: none */
    uint64_t pause;        /* time at which a replay is saved and loaded; 0: never */
} works;

void works_open(works *w);
void works_close(works *w);
/* Run a workload. An error of the run is part of the outcome's digest. */
outcome works_run(const works *w, const gpc_config *config, work which);

/* Digest of numbers of a hierarchy's objects, of policies' values, and of estimates, added to an outcome's. */
void works_digest(outcome *o, gpc_replay *r);
void works_digest_number(outcome *o, uint64_t number);
void works_digest_stats(outcome *o, const measured_stats *stats);

/* Write a random trace of a seed; `path` receives the name of its list. */
void keys_write_trace(const works *w, uint64_t seed, char *path, size_t size);

/* A machine of a seed: a protocol, and some rows together. */
struct torture_case;
void keys_draw(gpc_context *context, struct torture_case *c, uint64_t seed);

#endif
