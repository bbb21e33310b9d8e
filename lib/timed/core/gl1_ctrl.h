/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_GL1_CTRL_H
#define GPC_TIMED_GL1_CTRL_H

#include "level/build/gl1.h"
#include "timed/core/timed.h"

/*
 * GL1s with a clock (level/build/gl1.h). Every GL1 is a controller (ctrl.h) and a component, stepped before the L1s of
 * the GL1's SMs, in the SMs' shard. All packets of the L1s' miss queues pass the GL1's tags, a line of each bank a
 * cycle; neighbouring packets of a line pass together. A packet that is no read, or a read that passes the GL1, goes on
 * to L2. A GL1 has no port of its own in the networks: packets leave by the ports of its SMs, all packets of a line by
 * the same port, so that a read never overtakes a write of the line. Replies arrive by the port of the SM that asked.
 *
 *  miss queue of an L1 -> in -> tags -> out -> request network, at a port of one of the SMs
 *                               |  \
 *    L1's fill port  <-  served <- data, MSHR entry  <-  reply network, at the SM's port
 *
 * Example, gl1.latency = 50: L1 3 sends a read in cycle 100. The read is at the tags in 101, hits, and the data enter
 * the fill port of L1 3 in cycle 151.
 */

/* The way of an L1's packets to the SM's GL1. */
typedef struct gpci_gl1_way {
    gpci_ctrl *gl1;
    /* state */
    uint32_t waiting; /* packets of the SM before the GL1's tags */
} gpci_gl1_way;

GPCI_INLINE gpci_gl1_way *gpci_gl1_way_of(const gpci_ctrl *l1) {
    return l1->parts.self[GPCI_PART_GL1];
}

/* True if an SM's GL1 accepts another packet. The GL1 wakes the L1 when there is room again. */
bool gpci_gl1_has_room(const gpci_timed *timed, const gpci_ctrl *l1);
/* Drop all lines of an SM's GL1; later reads wait until reads in flight have returned, and ask again. */
GPCI_COLD void gpci_gl1_drop(gpci_timed *timed, const gpci_ctrl *l1);
/* Port of the networks by which packets of a line leave a GL1: number of an SM. */
uint32_t gpci_gl1_port(const gpci_timed *timed, const gpci_ctrl *gl1, uint64_t address);
/* Bytes of the reply to a packet of an L1 or a GL1. l1_below.c, for second counts. */
uint64_t gpci_reply_bytes_asked(const gpci_timed *timed, const gpci_packet *pkt);

#endif
