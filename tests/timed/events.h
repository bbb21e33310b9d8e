/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_EVENTS_H
#define TESTS_TIMED_EVENTS_H

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/protocol.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

/* A stored trace of events. */
#define EVENTS_ROOM 65536u

typedef struct events {
    gpc_event *list; /* [EVENTS_ROOM] */
    uint32_t count;
    uint64_t calls;
    uint64_t stop_after; /* calls; 0: never */
    unsigned destroyed;
} events;

/* Open with `options`; callback, user data and destroy are set here. */
void events_open(events *e, gpc_hierarchy *hierarchy, gpc_event_options options);
/* Removes the trace. */
void events_close(events *e, gpc_hierarchy *hierarchy);

/* Number of events of a kind, at a component (GPC_COMPONENT_COUNT: any). */
uint32_t events_count(const events *e, gpc_what what, gpc_component component);
/* Sums of bytes, and values. */
uint64_t events_bytes(const events *e, gpc_what what, gpc_component component);
uint64_t events_values(const events *e, gpc_what what, gpc_component component);
/* The n-th event from 0 on; or NULL. */
const gpc_event *events_at(const events *e, gpc_what what, gpc_component component, uint32_t n);

/*
 * Invariants of every trace from idle to idle: numbers are used once, for one thing; new packets name a reported
 * parent; sent packets are received, at the destination port; MSHR entries are given back; held-up packets continue;
 * accepted accesses complete, once.
 */
void events_check(const events *e);
/*
 * Packets and bytes of every network equal the events at the network's component. Returns the number of networks with
 * traffic.
 */
unsigned events_check_networks(const events *e, const gpc_hierarchy *hierarchy);

#endif
