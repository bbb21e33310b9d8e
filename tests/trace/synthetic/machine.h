/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SYNTHETIC_MACHINE_H
#define TESTS_SYNTHETIC_MACHINE_H

#include "trace/synthetic/rig.h"

/*
 * A machine that runs a trace on numbers: loads fetch them from arrays, a kernel's
 * arithmetic (a few lines of C, knowing nothing of threads or addresses) makes a
 * value of what a lane has loaded, stores put it back. So a trace can be held
 * against what its kernel is meant to compute.
 */
enum { MACHINE_QUEUE = 16384, MACHINE_SHARED = 16384 };

typedef struct machine_lane {
    double queue[MACHINE_QUEUE]; /* loaded since the last store that emptied it */
    unsigned count;
    bool shared;       /* the last load was from shared memory */
    unsigned stores;   /* since then */
    unsigned barriers; /* passed */
} machine_lane;

/* The value that a lane stores; it may set count to 0. */
typedef double (*machine_value)(machine_lane *lane, const char *kernel);

typedef struct machine {
    rig rig;
    uint32_t x, y; /* of the block at hand */
    size_t count;
    double *arrays[GPCI_SYNTHETIC_ARRAYS]; /* by word of `bytes`, 4 or 8; those of narrower elements by element */
    size_t lengths[GPCI_SYNTHETIC_ARRAYS];
    unsigned bytes;
    double shared[MACHINE_SHARED];
    machine_lane *lanes; /* of all threads of a block */
    machine_value value;
} machine;

/* Open a kernel, its arrays filled with small whole numbers, so that sums are exact in any order. */
void machine_open(machine *m, const char *name, unsigned bytes, machine_value value);
/* Run the next launch, block by block; false at the end. */
bool machine_launch(machine *m);
void machine_run(machine *m);
void machine_close(machine *m);

/* A copy of an array as it is now, to be freed; and assert what an element is. */
double *machine_copy(const machine *m, size_t array);
void machine_expect(const machine *m, size_t array, size_t index, double value);

#endif
