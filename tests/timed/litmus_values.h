/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_LITMUS_VALUES_H
#define TESTS_TIMED_LITMUS_VALUES_H

#include <gpucache/ext/observe.h>
#include <gpucache/gpucache.h>

/*
 * Values of a few variables, a line each, in a timed hierarchy without data: the events of packets tell places of reads
 * and times of writes.
 *
 *  a store or atomic is performed when looked up in the home slice, which has the variable's value
 *  a read takes a slice's value when served; in the other partition's slice, a copy as old as the fetch
 *  a read returns to L1 with the value taken; a filled line holds the value, except for values written by the SM
 *  meanwhile: kept by L1's MSHR
 *  a load that hits has the value of L1's line; a waiting load, the value brought by the read
 */

#define VALUES_SMS 8u
#define VALUES_SLICES 16u
#define VALUES_VARIABLES 4u
#define VALUES_ACCESSES 64u /* of one run */
#define VALUES_PACKETS 4096u

typedef struct values {
    gpc_hierarchy *hierarchy;
    uint32_t slices, partitions;
    uint64_t addresses[VALUES_VARIABLES];             /* addresses in the present run */
    unsigned home[VALUES_VARIABLES];                  /* in home slices */
    unsigned copies[VALUES_SLICES][VALUES_VARIABLES]; /* copies in the other partition's slices */
    unsigned l1[VALUES_SMS][VALUES_VARIABLES];        /* in the line of an L1, if present */
    struct {
        uint64_t order;
        unsigned value;
    } stored[VALUES_SMS][VALUES_VARIABLES]; /* last by the SM, with the time */
    uint64_t order;                         /* event count */
    unsigned arrived[VALUES_SMS];           /* value of the read just arrived */
    struct {
        uint64_t packet;
        uint64_t set_out; /* order */
        unsigned value;
    } carried[VALUES_PACKETS]; /* by packet, modulo: value taken by a read */
    /* accesses of the run, in order of issue: */
    struct {
        uint64_t packet; /* event id of the packet; 0: not yet accepted */
        unsigned writes, reads;
        bool done;
    } accesses[VALUES_ACCESSES];
    unsigned count;
    int issuing; /* access being issued; -1: irrelevant */
} values;

/* Observe a hierarchy (without another trace) until destroyed. */
void values_watch(values *v, gpc_hierarchy *hierarchy, uint32_t slices, uint32_t partitions);
/* A run begins: variables are 0, at these addresses. */
void values_begin(values *v, const uint64_t addresses[VALUES_VARIABLES]);
/* Number of the next accepted access. `value`: written value. */
unsigned values_expect(values *v, unsigned value);
/* The access was refused. */
void values_forget(values *v);

#endif
