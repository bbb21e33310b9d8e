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

/* A request, from acceptance until the last line is back. */
typedef struct gpci_port_entry {
    uint64_t token, accepted;
    uint64_t begin;         /* address of the first byte */
    uint64_t address, left; /* bytes not sent yet: first address, number */
    uint64_t under_way;     /* number of lines sent, and not back yet */
    uint64_t label;         /* label of the request, for the event log; 0: no event */
    uint8_t kind;
    uint8_t level; /* deepest level that has served a line */
    bool used;
} gpci_port_entry;

typedef struct gpci_port {
    uint64_t free, reply_free; /* core cycles at which the links to L2, and back, become free */
    uint64_t limited_since;    /* core cycle since which the limit of lines in flight stops the port; or GPCI_NEVER */
    uint32_t used, lines;      /* number of entries in use, and of lines in flight */
    uint32_t sending;          /* number of entries not completely sent, in the port's ring of gpci_ports.order */
    uint32_t first;            /* place of the first such entry in the ring */
    gpci_queue replies;
    gpc_port_stats stats;
} gpci_port;

struct gpci_ports {
    uint32_t count, width, latency, queue, lines;
    gpci_port *each;          /* [count] */
    gpci_port_entry *entries; /* [count][queue] */
    uint32_t *order;          /* [count][queue] rings of entries to send */
    gpci_queue *at_slices;    /* [slices] lines on the way to the slice */
    bool *ports_first;        /* [slices] a port's line has the turn before a packet of the network */
};

/* Refuse configurations in which ports are impossible. */
gpc_status gpci_ports_check(const gpc_hierarchy *hierarchy, gpc_error *error);
/*
 * Move lines of ports into a slice, while the slice has room before the tags; with l2.intake = queue, at most one line.
 * If the network has a packet, too (`others`), at most one line enters, and only if the ports have the turn. True if a
 * line entered. gpci_ports_wait: true if lines wait.
 */
bool gpci_ports_enter(gpci_timed *timed, gpci_ctrl *slice, bool others);
bool gpci_ports_wait(const gpci_timed *timed, const gpci_ctrl *slice);
/* Clear the labels of all requests, because a new event log counts from 1. */
void gpci_ports_forget(const gpci_timed *timed);

#endif
