/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/l1_observe.h"

#include "level/rules/level_rules.h"
#include "level/rules/observer.h"

void gpci_l1_observe_lookup(gpci_timed *timed, const gpci_packet *pkt, const gpci_tag_access *access, uint8_t hits) {
    const gpci_observer *observer = timed->hierarchy->observer;
    const gpci_observed_line line = {&pkt->request, gpci_l1_of(timed->hierarchy, &pkt->request), pkt->segments};
    gpci_observed_lookup found = {.way = GPCI_NO_WAY, .bypassed = true};
    if (access)
        found = (gpci_observed_lookup){.set = access->result.set,
                                       .way = access->result.way,
                                       .hits = hits,
                                       .all_hit = hits == pkt->segments,
                                       .in_flight = access->mshr_entry != GPCI_NO_PACKET,
                                       .bypassed = access->result.outcome == GPC_BYPASSED};
    const gpc_status status = observer->on_lookup(observer->data, &line, &found);
    if (status < 0)
        timed->failed = status;
}

void gpci_l1_observe_issue(gpci_timed *timed, const gpc_request *request) {
    const gpci_observer *observer = timed->hierarchy->observer;
    const gpc_status status = observer->on_instruction(observer->data, request);
    if (status < 0)
        timed->failed = status;
}

void gpci_l1_observe_change(gpci_ctrl *ctrl, const gpc_request *request, bool bypass) {
    const gpci_observer *observer = ctrl->timed->hierarchy->observer;
    observer->on_verdict(observer->data, request, bypass);
}

void gpci_l1_not_kept(gpci_ctrl *ctrl, const gpci_packet *packet, uint8_t sectors) {
    gpci_l1_on_not_allocated(ctrl->timed->hierarchy, ctrl->index, sectors, gpci_is_counted(ctrl->timed, packet));
    gpci_l1_observe_verdict(ctrl, &packet->request, true);
}
