/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/multicast.h"

#include "timed/core/timed.h"
#include "timed/l1/copy_engine.h"

/* The last of the copy's linked in-flight accesses belongs to the request. */
void gpci_multicast_prepare(gpci_timed *timed, uint32_t sm, gpci_packet *pkt, uint32_t inflight, uint32_t targets) {
    uint32_t last = GPCI_NO_PACKET;
    pkt->line.requester = (uint16_t)(sm + 1);
    pkt->next_copy = GPCI_NO_PACKET;
    for (uint32_t n = 1; n < targets; n++, inflight = timed->inflights[inflight].next) {
        const uint32_t number = gpci_pool_take(&timed->pool);
        gpci_packet *other = gpci_packet_at(&timed->pool, number);
        *other = (gpci_packet){.line = {.inflight = inflight,
                                        .requester = GPCI_NOT_ASKED,
                                        .target = (uint16_t)(timed->inflights[inflight].sm + 1)},
                               .next_copy = GPCI_NO_PACKET};
        if (last == GPCI_NO_PACKET)
            pkt->next_copy = number;
        else
            gpci_packet_at(&timed->pool, last)->next_copy = number;
        last = number;
    }
    pkt->line.inflight = inflight;
    pkt->line.target = (uint16_t)(timed->inflights[inflight].sm + 1);
}

bool gpci_multicast_send(gpci_timed *timed, gpci_ctrl *slice, gpci_packet *pkt) {
    if (!gpci_requester_of(pkt) || gpci_requester_of(pkt) == GPCI_NOT_ASKED)
        return true;
    while (pkt->next_copy != GPCI_NO_PACKET) {
        if (!gpci_network_can_take(slice->networks.replies_out, slice->index, pkt->path.size))
            return false;
        const uint32_t number = pkt->next_copy;
        gpci_packet *other = gpci_packet_at(&timed->pool, number);
        const gpci_packet_line own = other->line;
        pkt->next_copy = other->next_copy;
        *other = *pkt;
        other->line.inflight = own.inflight;
        other->line.requester = own.requester;
        other->line.target = own.target;
        other->request.sm = own.target - 1u;
        other->next_copy = GPCI_NO_PACKET;
        gpci_log_fork(timed, number);
        gpci_network_send(slice->networks.replies_out, slice->index, own.target - 1u, other->path.size, number);
    }
    pkt->request.sm = pkt->line.target - 1u;
    return true;
}

void gpci_multicast_reply(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    const uint16_t number = gpci_requester_of(pkt);
    if (number == GPCI_NOT_ASKED)
        return;
    gpci_ctrl *requester = number ? &timed->l1[number - 1u] : &timed->l1[ctrl->index];
    gpci_copy_engine_of(requester)->under_way--;
    if (requester == ctrl)
        return;
    requester->below
        .packets--; /* the requester counted the request when sending; the destination SM counts the reply itself */
    gpci_wheel_wake(&requester->timed->wheel, requester->component,
                    timed->wheel.now + 1); /* may belong to another shard */
}
