/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"
#include "timed/core/timed.h"
#include "timed/ctrl/l1_observe.h"

/*
 * Verification through L2 (seeds/000 section 4): a fetch of L1 has returned with a word of L2's predictor, and L1's
 * predictor may overturn the earlier prediction.
 */

/*
 * The predictor has changed the prediction: data to be cached are not kept. Packets waiting for other segments of the
 * line, or writing to these segments, are unaffected.
 */
static void do_not_keep(gpci_timed *timed, gpci_ctrl *ctrl, gpci_packet *fetched, uint32_t mshr_entry) {
    bool wanted = false;
    fetched->line.marks |= GPCI_MARK_PASSES;
    for (uint32_t at = mshr_entry, next; at != GPCI_NO_PACKET; at = next) {
        gpci_packet *pkt = gpci_packet_at(&timed->pool, at);
        next = at == mshr_entry ? pkt->mshr.first : *gpci_next_of(&timed->pool, at);
        if (pkt->mshr.needs & fetched->segments && pkt->line.kind != GPC_STORE)
            pkt->mshr.cached = false;
        wanted |= pkt->mshr.cached;
    }
    gpc_line line;
    if (!wanted && gpci_line_of(ctrl->cache, fetched->address, &line) &&
        line.pending_sectors == fetched->line.fetched && !(line.valid_sectors | line.dirty_sectors)) {
        gpci_log_event(timed, GPC_WHAT_INVALIDATE, ctrl, fetched, 0);
        gpc_cache_invalidate_line(ctrl->cache, fetched->address, NULL);
    }
}

bool gpci_verify(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch) {
    gpci_packet *fetched = gpci_packet_at(&timed->pool, fetch);
    if (fetched->line.marks & GPCI_MARK_VERIFIED) {
        fetched->segments = timed->hierarchy->l1_level.segments_of[fetched->line.fetched];
        return false;
    }
    gpc_decision predicted = fetched->line.marks & GPCI_MARK_PASSES ? GPC_BYPASS : GPC_CACHE;
    if (predicted == GPC_BYPASS)
        gpci_close_l1_bypass(timed->hierarchy, ctrl->index);
    gpc_decision verdict =
        gpci_l1_verify(ctrl->cache, &fetched->request, predicted, fetched->line.marks & GPCI_MARK_DECLINED,
                       fetched->request.policy.policy_word);
    if (verdict == predicted)
        return false;
    gpci_l1_observe_verdict(ctrl, &fetched->request, verdict == GPC_BYPASS);
    uint32_t mshr_entry = gpci_mshr_of_fetch(timed, ctrl, fetched);
    if (verdict == GPC_BYPASS) {
        do_not_keep(timed, ctrl, fetched, mshr_entry);
        return false;
    }
    fetched->line.marks &= (uint8_t)~GPCI_MARK_PASSES;
    fetched->line.marks |= GPCI_MARK_KEPT;
    return gpci_ctrl_complete_fetch(timed, ctrl, fetch, mshr_entry);
}
