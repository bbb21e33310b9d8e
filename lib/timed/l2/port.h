/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PORT_H
#define GPC_TIMED_PORT_H

#include "timed/core/timed.h"

#include <gpucache/ext/hierarchy.h>

/*
 * Ports into L2 (gpucache/ext/hierarchy.h).
 *
 *  requests -> lines, `width` bytes a cycle -> at the slices, `latency` later -> ... -> replies -> completion
 */

/* A request, until the last line is back. */
typedef struct gpci_port_entry {
    uint64_t token, accepted;
    uint64_t begin;         /* address of the first byte */
    uint64_t address, left; /* bytes not sent yet */
    uint64_t under_way;     /* lines */
    uint64_t label;         /* label of the request, for the event log; 0: no event */
    uint8_t kind;
    uint8_t level; /* deepest level that has served a line */
    bool used;
} gpci_port_entry;

typedef struct gpci_port {
    uint64_t free, reply_free; /* core cycles at which the links become free */
    uint64_t limited_since;    /* or GPCI_NEVER */
    uint32_t used, lines;      /* entries; lines in flight */
    uint32_t sending;          /* entries not completely sent: a ring of numbers */
    uint32_t first;
    gpci_queue replies;
    gpc_port_stats stats;
} gpci_port;

struct gpci_ports {
    uint32_t count, width, latency, queue, lines;
    gpci_port *each;          /* [count] */
    gpci_port_entry *entries; /* [count][queue] */
    uint32_t *order;          /* [count][queue] rings of entries to send */
    gpci_queue *at_slices;    /* [slices] lines on the way to the slice */
    bool *ports_first;        /* [slices] a port's line goes first */
};

/* Refuse configurations in which ports are impossible. */
gpc_status gpci_ports_check(const gpc_hierarchy *hierarchy, gpc_error *error);
/*
 * Move lines of ports to a slice with room before the tags: a line, if the ports have the turn or the network has none.
 * True if a line entered. The second function: true if lines wait.
 */
bool gpci_ports_enter(gpci_timed *timed, gpci_ctrl *slice, bool others);
bool gpci_ports_wait(const gpci_timed *timed, const gpci_ctrl *slice);
/* A new event log counts from 1: requests lose their numbers. */
void gpci_ports_forget(const gpci_timed *timed);

#endif
