/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_MULTICAST_H
#define GPC_TIMED_MULTICAST_H

#include "timed/core/timed.h"

/*
 * Multicast bulk copies. L2 receives a single request for a line, and the slice sends a reply per destination SM, in
 * turn, into the reply network; every reply then travels as usual. NVIDIA says that such a copy is read once and
 * delivered to the SMs of a cluster, with an mbarrier per SM ("H100 Tensor Core GPU Architecture", TMA; PTX ISA,
 * "cp.async.bulk.tensor", .multicast::cluster), but not at which point the replies split. Assumed: before the network,
 * not at the GPC.
 *
 * The request carries a packet per further SM, linked by `next_copy`, to become a reply. All packets have a
 * destination (`target`); only the request has the sender (`requester`). Both count from 1.
 *
 * Example, SM 2 copies a line to SMs 2, 3 and 6: one request crosses to the slice, with one lookup; replies to 3 and 6
 * enter the network, then the request returns to SM 2, whose engine has a request less under way.
 */
#define GPCI_NOT_ASKED UINT16_MAX

/* Give further packets to a request of a multicast copy, sent by SM `sm`; room must exist. */
GPCI_COLD void gpci_multicast_prepare(gpci_timed *timed, uint32_t sm, gpci_packet *pkt, uint32_t inflights,
                                      uint32_t targets);
/*
 * Send a slice's reply of a bulk copy to all destinations but the last, if it is a multicast reply; false: the network
 * has no room.
 */
GPCI_COLD bool gpci_multicast_send(gpci_timed *timed, gpci_ctrl *slice, gpci_packet *pkt);
/* A multicast reply has arrived at an SM. */
GPCI_COLD void gpci_multicast_reply(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt);

/* Sender of a packet of a bulk copy: number of the SM, counted from 1, or GPCI_NOT_ASKED; 0: no multicast copy. */
GPCI_INLINE uint16_t gpci_requester_of(const gpci_packet *pkt) {
    return pkt->line.kind == GPC_LOAD ? pkt->line.requester : 0;
}

#endif
