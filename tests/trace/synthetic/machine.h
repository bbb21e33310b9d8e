/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SYNTHETIC_MACHINE_H
#define TESTS_SYNTHETIC_MACHINE_H

#include "trace/synthetic/rig.h"

/*
 * A machine that runs a trace on numbers: loads read arrays, a kernel's arithmetic (a few lines of C, without knowledge
 * of threads or addresses) computes a value from a lane's loaded values, stores write the value. So a trace is compared
 * with the intended computation of the kernel.
 */
enum { MACHINE_QUEUE = 16384, MACHINE_SHARED = 16384 };

typedef struct machine_lane {
    double queue[MACHINE_QUEUE]; /* loaded since the last store that emptied the queue */
    unsigned count;
    bool shared;       /* the last load was from shared memory */
    unsigned stores;   /* since the last load */
    unsigned barriers; /* passed */
} machine_lane;

/* Value stored by a lane; may set count to 0. */
typedef double (*machine_value)(machine_lane *lane, const char *kernel);

typedef struct machine {
    rig rig;
    uint32_t x, y; /* position of the present block */
    size_t count;
    double *arrays[GPCI_SYNTHETIC_ARRAYS]; /* by word of `bytes`, 4 or 8; narrower elements by element */
    size_t lengths[GPCI_SYNTHETIC_ARRAYS];
    unsigned bytes;
    double shared[MACHINE_SHARED];
    machine_lane *lanes; /* lanes of all threads of a block */
    machine_value value;
} machine;

/* Open a kernel, with arrays of small whole numbers: sums are exact in any order. */
void machine_open(machine *m, const char *name, unsigned bytes, machine_value value);
/* Run the next launch, block by block; false at the end. */
bool machine_launch(machine *m);
void machine_run(machine *m);
void machine_close(machine *m);

/* A copy of an array, to be freed; and assert an element's value. */
double *machine_copy(const machine *m, size_t array);
void machine_expect(const machine *m, size_t array, size_t index, double value);

#endif
