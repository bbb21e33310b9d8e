/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_LITMUS_VALUES_H
#define TESTS_TIMED_LITMUS_VALUES_H

#include <gpucache/gpucache.h>

/*
 * Values of a few variables, a line each, in a timed hierarchy that has no data: the events of its packets say what is
 * read from where, and what is written when.
 *
 *   a store or atomic is performed when its home slice looks it up: there is the variable's value
 *   a read of a slice takes its value as the slice serves it; in the other partition's slice that is a copy, as old as
 *   the fetch that brought it
 *   a read comes back to L1 with the value that it took; a line that it fills holds that
 *   but for what its SM has written since it set out: L1's MSHR keeps that
 *   a load that hits has the value of L1's line, one that waits what the read brings for which it waits
 */

#define VALUES_SMS 8u
#define VALUES_SLICES 16u
#define VALUES_VARIABLES 4u
#define VALUES_ACCESSES 64u /* of one run */
#define VALUES_PACKETS 4096u

typedef struct values {
    gpc_hierarchy *hierarchy;
    uint32_t slices, partitions;
    uint64_t addresses[VALUES_VARIABLES];             /* of the run at hand */
    unsigned home[VALUES_VARIABLES];                  /* their values, in their home slices */
    unsigned copies[VALUES_SLICES][VALUES_VARIABLES]; /* of the other partition's slices */
    unsigned l1[VALUES_SMS][VALUES_VARIABLES];        /* in the line of an L1, if it is there */
    struct {
        uint64_t order;
        unsigned value;
    } stored[VALUES_SMS][VALUES_VARIABLES]; /* by the SM last, and when */
    uint64_t order;                         /* of what happens */
    unsigned arrived[VALUES_SMS];           /* what the read brings that has just come */
    struct {
        uint64_t packet;
        uint64_t set_out; /* order */
        unsigned value;
    } carried[VALUES_PACKETS]; /* by packet, modulo: what a read has taken */
    /* accesses of the run, in the order in which they are issued: */
    struct {
        uint64_t packet; /* of the trace of events; 0: not yet accepted */
        unsigned writes, reads;
        bool done;
    } accesses[VALUES_ACCESSES];
    unsigned count;
    int issuing; /* access that is being issued; -1: one of no interest */
} values;

/* Look at a hierarchy, which has no other trace, until it is destroyed. */
void values_watch(values *v, gpc_hierarchy *hierarchy, uint32_t slices, uint32_t partitions);
/* A run begins: its variables are 0, and are at these addresses. */
void values_begin(values *v, const uint64_t addresses[VALUES_VARIABLES]);
/* The next access that is accepted is this one: its number. `value`: what it writes. */
unsigned values_expect(values *v, unsigned value);
/* It was refused. */
void values_forget(values *v);

#endif
