/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_EVENTS_H
#define TESTS_TIMED_EVENTS_H

#include <gpucache/gpucache.h>

/* A trace of events, kept. */
#define EVENTS_ROOM 65536u

typedef struct events {
    gpc_event *list; /* [EVENTS_ROOM] */
    uint32_t count;
    uint64_t calls;
    uint64_t stop_after; /* calls; 0: never */
    unsigned destroyed;
} events;

/* All that passes `options`, whose callback, user data and destroy are these. */
void events_open(events *e, gpc_hierarchy *hierarchy, gpc_event_options options);
/* Removes the trace. */
void events_close(events *e, gpc_hierarchy *hierarchy);

/* How many of this there are, at a component (GPC_COMPONENT_COUNT: anywhere). */
uint32_t events_count(const events *e, gpc_what what, gpc_component component);
/* Sums of their bytes, and values. */
uint64_t events_bytes(const events *e, gpc_what what, gpc_component component);
uint64_t events_values(const events *e, gpc_what what, gpc_component component);
/* The n-th of them from 0 on; NULL. */
const gpc_event *events_at(const events *e, gpc_what what, gpc_component component, uint32_t n);

/*
 * What holds of every trace from idle to idle: numbers are used once, and for one thing; what is made names a parent
 * that was told of; what is sent is received, at the port that it was sent to; who takes an MSHR entry gives it back;
 * what is held up goes on; what is accepted completes, once.
 */
void events_check(const events *e);
/* Packets and bytes of each network are those of the events at its component. Returns how many networks carried any. */
unsigned events_check_networks(const events *e, const gpc_hierarchy *hierarchy);

#endif
