/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_COHERENCE_RANDOM_H
#define TESTS_COHERENCE_RANDOM_H

#include "coherence/module/tree.h"
#include "coherence/trees.h"

/*
 * A random tester. A program is a tree, a protocol and a list of steps; made from a seed, run against an oracle that
 * knows every byte's value, and, if it fails, made smaller until nothing more can be left out.
 */

#define RANDOM_BYTES 16u   /* largest access */
#define RANDOM_CYCLE 1000u /* cycles between issues */

typedef enum random_kind {
    RANDOM_LOAD = GPC_COHERENCE_LOAD,
    RANDOM_STORE = GPC_COHERENCE_STORE,
    RANDOM_N_STORE = GPC_COHERENCE_N_STORE,
    RANDOM_FLUSH = 3,  /* of `module` */
    RANDOM_ACQUIRE = 4 /* of `module` */
} random_kind;

typedef struct random_step {
    uint64_t address;
    uint32_t module;
    uint16_t mask; /* bytes written by a store */
    uint8_t kind, size, flags;
    uint8_t bytes[RANDOM_BYTES];
} random_step;

/* Promises of a protocol about data. */
typedef enum random_rules {
    RANDOM_COHERENT, /* every load returns the last store */
    RANDOM_MIXED,    /* coherent stores are seen by all; n-stores once released, by modules that have acquired since */
    RANDOM_THROUGH,  /* all stores are public at once, and seen by modules that have acquired since */
    RANDOM_FLUSHED,  /* all stores are released by a flush, and seen by modules that have acquired since */
    RANDOM_NO_DATA   /* none: Multi2Sim's defects lose bytes */
} random_rules;

typedef struct random_program {
    tree tree;
    char protocol[40];
    random_rules rules;
    uint64_t seed;
    uint32_t check_every;            /* steps between costly checks; 0: only at the end */
    uint32_t faults, protocol_flags; /* gpci_coherence_inject */
    bool timing;
    bool racy; /* unknown bytes are not compared */
    /* NULL, or prepares the context of a run: registers policies for the protocol's name. */
    bool (*prepare)(gpc_context *context, const void *data);
    const void *data;
    random_step *steps;
    size_t count;
} random_program;

typedef struct random_failure {
    size_t step; /* count: at the end */
    gpc_status status;
    bool built; /* the tree was made */
    char text[1024];
} random_failure;

/* Events of a run. */
typedef struct random_totals {
    uint64_t accesses, messages, transitions, bytes_checked, bytes_unknown;
    uint32_t origins; /* of all modules */
} random_totals;

/* random_program.c: the rules of a protocol's name, and whole programs. Free with random_free. */
random_rules random_rules_of(const char *protocol);
random_program *random_make(const char *protocol, uint64_t seed, size_t count, unsigned features);
random_program *random_copy(const random_program *p);
void random_free(random_program *p);
/* Add a step, or free the program and end the test. */
void random_add(random_program *p, const random_step *step);

/* random_episodes.c: fill the steps with race-free episodes; random_racy.c: with random ones. */
void random_episodes(random_program *p, uint64_t *random, size_t count);
void random_racy(random_program *p, uint64_t *random, size_t count);

/* random_oracle.c: every byte's value, as far as the rules tell. */
typedef struct random_oracle random_oracle;
random_oracle *random_oracle_create(const random_program *p);
void random_oracle_destroy(random_oracle *o);
/* Initial bytes of memory. */
const uint8_t *random_oracle_bytes(const random_oracle *o);
/* A step was made, with result `out`. False: a wrong byte, described in `text`. */
bool random_oracle_step(random_oracle *o, const random_step *step, const uint8_t *out, char *text, size_t size);
/* All caches were flushed, and memory holds the given bytes. */
bool random_oracle_end(random_oracle *o, const uint8_t *memory, char *text, size_t size);
uint64_t random_oracle_checked(const random_oracle *o, uint64_t *out_unknown);

/* random_tally.c: conservation: every single result, and all counters at the end. */
typedef struct random_tally random_tally;
random_tally *random_tally_create(const random_program *p, gpc_coherence *c);
void random_tally_destroy(random_tally *t);
bool random_tally_result(random_tally *t, const random_step *step, const gpc_coherence_result *result, char *text,
                         size_t size);
/* Add the totals. */
void random_tally_totals(const random_tally *t, random_totals *totals);
bool random_tally_end(random_tally *t, char *text, size_t size);
/* random_messages.c: the list of one result. */
bool random_messages_check(const random_program *p, const gpc_coherence *c, const random_step *step,
                           const gpc_coherence_result *result, char *text, size_t size);

/* True for stores without returned values. */
static inline bool random_is_blind(const random_step *s) {
    return s->kind == RANDOM_N_STORE && s->address & 1 && s->mask == 0xffff;
}

/* random_run.c: one step. */
gpc_status random_make_step(gpc_coherence *c, const random_step *step, uint8_t *out, gpc_error *error,
                            gpc_coherence_result *result);
/* False: failed. `totals` may be NULL; a run's totals are added. */
bool random_run(const random_program *p, random_failure *failure, random_totals *totals);

/* random_shrink.c: drop steps, then modules, then simplify, as long as it fails. `p` is replaced. */
void random_shrink(random_program *p, random_failure *failure);
/* As C calls. */
void random_print(const random_program *p, const random_failure *failure, FILE *file);

#endif
