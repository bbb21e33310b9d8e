/* SPDX-License-Identifier: BSD-2-Clause */
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

static bool may_pass(const gpci_ctrl *ctrl, const gpci_packet *p, const gpci_tag_access *access, uint32_t mshr_entry) {
    gpc_line line;
    if (!gpci_is_read(&p->request) || mshr_entry != GPCI_NO_PACKET)
        return false;
    return !gpci_line_of(ctrl->cache, p->request.address, &line) ||
           !(line.dirty_sectors & access->result.needed_sectors);
}

/* The predictor's answer for a reason, asked once. */
static bool passes(gpci_ctrl *ctrl, const gpci_packet *p, gpci_tag_access *access, gpc_busy reason) {
    gpc_cache *cache = ctrl->cache;
    if (!(access->asked >> reason & 1)) {
        access->asked |= (uint8_t)(1u << reason);
        if (cache->predictor_ops->on_stall(cache->predictor_self, gpci_shown(cache, &p->request), reason) == GPC_BYPASS)
            access->passes |= (uint8_t)(1u << reason);
    }
    return access->passes >> reason & 1;
}

static void send(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access, gpc_busy reason) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpc_access_result *r = &access->result;
    if (!ctrl->options->part)
        p->segments = ctrl->line->segments_of[r->fetch_sectors | r->needed_sectors];
    if (r->outcome == GPC_MISS)
        gpci_l1_observe_verdict(ctrl, &p->request, true);
    if (r->outcome != GPC_BYPASSED) { /* else the lookup has counted a bypass */
        r->outcome = GPC_BYPASSED;
        gpci_decline(ctrl->cache, &p->request, &access->view, r->fetch_sectors, r);
    }
    gpci_count_l1_asked(t->h, &p->request, p->segments);
    gpci_count_l1_bypass(t->h, ctrl->index, p->segments);
    ctrl->counts.passed[reason]++;
    p->request.policy_word = r->policy_word;
    gpci_l1_send_itself(t, ctrl, packet, GPCI_READ);
}

gpci_verdict gpci_l1_on_stall(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, gpci_tag_access *access,
                              uint32_t mshr_entry, gpc_busy reason) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint64_t now = t->wheel.now;
    if (GPCI_UNLIKELY(gpci_is_prefetch(p))) /* a prefetch does not wait: not needed yet */
        return GPCI_BLOCKED;
    if (!ctrl->cache->predictor_ops->on_stall || reason == GPC_BUSY_MERGE || !may_pass(ctrl, p, access, mshr_entry) ||
        !passes(ctrl, p, access, reason))
        return gpci_ctrl_block(ctrl, access, now, reason);
    if (gpci_queue_full(&ctrl->out) &&
        (!passes(ctrl, p, access, GPC_BUSY_MISS_QUEUE) || ctrl->out.count - ctrl->out.room >= t->bypass_room))
        return gpci_ctrl_block(ctrl, access, now, GPC_BUSY_MISS_QUEUE);
    send(t, ctrl, packet, access, reason);
    return GPCI_WAITING;
}
