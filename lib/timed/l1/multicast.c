/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/multicast.h"

#include "timed/core/event_log.h"
#include "timed/l1/copy_engine.h"

/* The last of the copy's linked in-flight accesses belongs to the request. */
void gpci_multicast_prepare(gpci_timed *t, uint32_t sm, gpci_packet *p, uint32_t inflight, uint32_t targets) {
    uint32_t last = GPCI_NO_PACKET;
    p->line.requester = (uint16_t)(sm + 1);
    p->beside = GPCI_NO_PACKET;
    for (uint32_t n = 1; n < targets; n++, inflight = t->inflights[inflight].next) {
        const uint32_t number = gpci_pool_take(&t->pool);
        gpci_packet *other = gpci_packet_at(&t->pool, number);
        *other = (gpci_packet){.line = {.inflight = inflight,
                                        .requester = GPCI_NOT_ASKED,
                                        .target = (uint16_t)(t->inflights[inflight].sm + 1)},
                               .beside = GPCI_NO_PACKET};
        if (last == GPCI_NO_PACKET)
            p->beside = number;
        else
            gpci_packet_at(&t->pool, last)->beside = number;
        last = number;
    }
    p->line.inflight = inflight;
    p->line.target = (uint16_t)(t->inflights[inflight].sm + 1);
}

bool gpci_multicast_send(gpci_timed *t, gpci_ctrl *slice, gpci_packet *p) {
    while (p->beside != GPCI_NO_PACKET) {
        if (!gpci_network_can_take(slice->networks.replies_out, slice->index, p->path.size))
            return false;
        const uint32_t number = p->beside;
        gpci_packet *other = gpci_packet_at(&t->pool, number);
        const gpci_packet_line own = other->line;
        p->beside = other->beside;
        *other = *p;
        other->line.inflight = own.inflight;
        other->line.requester = own.requester;
        other->line.target = own.target;
        other->request.sm = own.target - 1u;
        other->beside = GPCI_NO_PACKET;
        gpci_log_fork(t, number);
        gpci_network_send(slice->networks.replies_out, slice->index, own.target - 1u, other->path.size, number);
    }
    p->request.sm = p->line.target - 1u;
    return true;
}

void gpci_multicast_reply(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p) {
    const uint16_t number = gpci_requester_of(p);
    if (number == GPCI_NOT_ASKED)
        return;
    gpci_ctrl *requester = number ? &t->l1[number - 1u] : &t->l1[ctrl->index];
    gpci_copy_engine_of(requester)->under_way--;
    if (requester == ctrl)
        return;
    requester->below
        .packets--; /* counted by the network on leaving; the destination SM had counted the packet earlier */
    gpci_wheel_wake(&requester->timed->wheel, requester->component, t->wheel.now + 1); /* may belong to another shard */
}
