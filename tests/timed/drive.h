/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_DRIVE_H
#define TESTS_TIMED_DRIVE_H

#include "timed/rig.h"

/* Random streams for random hierarchies. */

/* An SM's stream: accesses depend on the seed and the SM, not on time. */
typedef struct stream {
    uint64_t seed;
    uint32_t sms, accesses; /* per SM */
    uint32_t bytes;         /* of addresses */
    uint32_t loads, stores; /* number in 16; the rest are atomics, reductions and prefetches */
    bool plain;             /* no hints, only global space */
} stream;

/* Access `n` of an SM. */
shot stream_shot(const stream *s, uint32_t sm, uint32_t n);

typedef enum host_kind {
    HOST_POLLS, /* tries and steps every cycle */
    HOST_SKIPS, /* skips to next_event, and tries a refused SM once told ready */
    HOST_CHECKS /* as HOST_SKIPS, and checks that nothing happens before */
} host_kind;

/* Issue all streams, at most an access per SM and cycle, and wait for the end. */
void drive(rig *r, const stream *s, host_kind host);

/* A small hierarchy: `key = value` lines into text. */
#define DRAW_BYTES 4096
typedef struct machine {
    char text[DRAW_BYTES];
    uint32_t sms, slices;
    bool l1_here, l2_here;
} machine;

/* Appends to the text. */
void put(machine *m, const char *format, ...);

/* A word of the list. */
const char *one_of(uint64_t *state, const char *const *words, uint32_t count);

#define ONE_OF(state, ...) \
    one_of(state, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Random resources too, mostly few; or all unlimited. */
void draw_machine(uint64_t *state, bool limited, machine *m);

/* Invariants of the statistics of an idle hierarchy after the streams. */
void check_idle(rig *r, const machine *m, uint64_t loads);

#endif
