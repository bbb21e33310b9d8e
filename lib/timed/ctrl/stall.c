/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "level/rules/level_count.h"
#include "timed/ctrl/l1_observe.h"
#include "timed/ctrl/prefetch.h"

/*
 * A load that L1 cannot accept at once may be sent below by the predictor (gpc_predictor_ops.on_stall). The load then
 * has neither way nor MSHR entry, and the reply goes only to the warp.
 *
 * The load still waits if L2 might lack the data: the line is in flight, or has needed dirty bytes here. Packets from
 * L1 to L2 stay in order, so no older store is passed: a load passing a full miss queue takes one of the
 * `l1.bypass_queue` extra places for such loads.
 */

static bool may_pass(const gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_tag_access *access,
                     uint32_t mshr_entry) {
    gpc_line line;
    if (!gpci_is_read(&pkt->request) || mshr_entry != GPCI_NO_PACKET)
        return false;
    return !gpci_line_of(ctrl->cache, pkt->request.address, &line) ||
           !(line.dirty_sectors & access->result.needed_sectors);
}

/* True if the predictor sends a load past L1 that is held up for `reason`. Ask the predictor once per reason. */
static bool passes(gpci_ctrl *ctrl, const gpci_packet *pkt, gpci_tag_access *access, gpc_busy reason) {
    gpc_cache *cache = ctrl->cache;
    if (!(access->asked >> reason & 1)) {
        access->asked |= (uint8_t)(1u << reason);
        if (cache->predictor_ops->on_stall(cache->predictor_self, gpci_shown(cache, &pkt->request), reason) ==
            GPC_BYPASS)
            access->passes |= (uint8_t)(1u << reason);
    }
    return access->passes >> reason & 1;
}

static void send(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access, gpc_busy reason) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpc_access_result *result = &access->result;
    if (!ctrl->options->part)
        pkt->segments = ctrl->line->segments_of[result->fetch_sectors | result->needed_sectors];
    if (result->outcome == GPC_MISS)
        gpci_l1_observe_verdict(ctrl, &pkt->request, true);
    if (result->outcome != GPC_BYPASSED) { /* if BYPASSED, the lookup has counted the bypass */
        result->outcome = GPC_BYPASSED;
        gpci_decline(ctrl->cache, &pkt->request, &access->view, result->fetch_sectors, result);
    }
    gpci_count_l1_sent(timed->hierarchy, &pkt->request, pkt->segments);
    gpci_count_l1_bypass(timed->hierarchy, ctrl->index, pkt->segments);
    ctrl->counts.passed[reason]++;
    pkt->request.policy.policy_word = result->policy_word;
    gpci_l1_send_itself(timed, ctrl, packet, GPCI_READ);
}

gpci_verdict gpci_l1_on_stall(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                              uint32_t mshr_entry, gpc_busy reason) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint64_t now = timed->wheel.now;
    if (GPCI_UNLIKELY(gpci_is_prefetch(pkt))) /* a prefetch ends instead of waiting */
        return GPCI_BLOCKED;
    if (!ctrl->cache->predictor_ops->on_stall || reason == GPC_BUSY_MERGE || !may_pass(ctrl, pkt, access, mshr_entry) ||
        !passes(ctrl, pkt, access, reason))
        return gpci_ctrl_block(ctrl, access, now, reason);
    if (gpci_queue_full(&ctrl->out) && (!passes(ctrl, pkt, access, GPC_BUSY_MISS_QUEUE) ||
                                        ctrl->out.count - ctrl->out.capacity >= timed->bypass_capacity))
        return gpci_ctrl_block(ctrl, access, now, GPC_BUSY_MISS_QUEUE);
    send(timed, ctrl, packet, access, reason);
    GPCI_AGAIN(ctrl->counts.passed_again[reason]++);
    return GPCI_WAITING;
}
