/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_DRIVE_H
#define TESTS_TIMED_DRIVE_H

#include "timed/rig.h"

/* Random streams for random hierarchies. */

/* Each SM's own stream: what it issues depends on the seed and the SM, not on when. */
typedef struct stream {
    uint64_t seed;
    uint32_t sms, accesses; /* of each SM */
    uint32_t bytes;         /* of addresses */
    uint32_t loads, stores; /* of 16; the rest are atomics, reductions and prefetches */
    bool plain;             /* no hints, global space alone */
} stream;

/* Access `n` of an SM. */
shot stream_shot(const stream *s, uint32_t sm, uint32_t n);

typedef enum host_kind {
    HOST_POLLS, /* tries and steps each cycle */
    HOST_SKIPS, /* goes where next_event says, and tries a refused SM once it is told that it is ready */
    HOST_CHECKS /* as HOST_SKIPS, and looks whether anything happens before */
} host_kind;

/* Issue all streams, an access an SM and cycle at most, and wait for all of it. */
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

/* Resources drawn as well, most of them few; or all of them unlimited. */
void draw_machine(uint64_t *state, bool limited, machine *m);

/* What holds of the statistics of a hierarchy that is idle after its streams. */
void check_idle(rig *r, const machine *m, uint64_t loads);

#endif
