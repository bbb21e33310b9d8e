/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TIMED_MULTICAST_H
#define GPC_TIMED_MULTICAST_H

#include "timed/timed.h"

/*
 * Multicast bulk copies. L2 is asked for a line once; its slice sends a reply to each SM that it is for, one after the
 * other into the reply network, where each takes the way of a reply of its own. NVIDIA says that such a copy is read
 * once and delivered to the SMs of a cluster, each with its mbarrier ("H100 Tensor Core GPU Architecture", TMA; PTX
 * ISA, "cp.async.bulk.tensor", .multicast::cluster), and does not say where it becomes several: that it is before the
 * network, and not at the GPC, is assumed.
 *
 * The request has with it, linked by `beside`, a packet for each further SM, which becomes that one's reply. All know
 * where they go (`target`), the request alone who asked (`asker`); both count from 1.
 *
 * Example, SM 2 copies a line to SMs 2, 3 and 6: one request crosses to its slice, which looks it up once; replies to 3
 * and 6 enter the network, then the request itself goes back to SM 2, whose engine has one request less under way.
 */
#define GPCI_NOT_ASKED UINT16_MAX

/* A request of a multicast copy, which SM `sm` sends, gets its further packets; there is room. */
GPCI_COLD void gpci_multicast_prepare(gpci_timed *t, uint32_t sm, gpci_packet *p, uint32_t flights, uint32_t targets);
/* Is a slice's reply one? It is sent to all but the last; false: the network has no room. */
GPCI_COLD bool gpci_multicast_send(gpci_timed *t, gpci_stage *slice, gpci_packet *p);
/* It has come to an SM. */
GPCI_COLD void gpci_multicast_reply(gpci_timed *t, const gpci_stage *stage, const gpci_packet *p);

/* Of a packet of a bulk copy; 0: it is none of a multicast copy's. */
GPCI_INLINE uint16_t gpci_asker_of(const gpci_packet *p) {
    return p->line.kind == GPC_LOAD ? p->line.asker : 0;
}

GPCI_INLINE bool gpci_packet_is_multicast(const gpci_packet *p) {
    return GPCI_UNLIKELY(p->request.copy == GPC_COPY_BULK) && gpci_asker_of(p) && gpci_asker_of(p) != GPCI_NOT_ASKED;
}

#endif
