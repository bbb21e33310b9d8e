/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_PORT_H
#define GPC_TIMED_PORT_H

#include "timed/timed.h"

#include <gpucache/port.h>

/*
 * Ports into L2 (gpucache/port.h).
 *
 *   requests -> lines, `width` bytes a cycle -> at the slices, `latency` later -> ... -> replies -> completion
 */

/* A request, until its last line is back. */
typedef struct gpci_port_entry {
    uint64_t token, accepted;
    uint64_t address, left; /* bytes that are not sent yet */
    uint64_t under_way;     /* lines */
    uint8_t kind;
    bool used;
} gpci_port_entry;

typedef struct gpci_port {
    uint64_t free, reply_free; /* core cycles from which its links are */
    uint64_t limited_since;    /* GPCI_NEVER */
    uint32_t used, lines;      /* entries; lines under way */
    uint32_t sending;          /* entries that are not wholly sent: a ring of their numbers */
    uint32_t first;
    gpci_queue replies;
    gpc_port_stats stats;
} gpci_port;

struct gpci_ports {
    uint32_t count, width, latency, queue, lines;
    gpci_port *each;          /* [count] */
    gpci_port_entry *entries; /* [count][queue] */
    uint32_t *order;          /* [count][queue] rings of those to be sent */
    gpci_queue *at_slices;    /* [slices] lines on their way there */
    bool *turn;               /* [slices] a port's line comes first */
};

/* Can there be ports? Refused where not. */
gpc_status gpci_ports_check(const gpc_hierarchy *h, gpc_error *error);
/*
 * Lines of ports for a slice, with room before its tags: one, if it is their turn or the network has nothing. Returns
 * whether any entered. And: do some wait for that?
 */
bool gpci_ports_enter(gpci_timed *t, gpci_stage *slice, bool others);
bool gpci_ports_wait(const gpci_timed *t, const gpci_stage *slice);
/* A slice has a reply for a port. */
void gpci_port_reply(gpci_timed *t, uint32_t packet);

#endif
