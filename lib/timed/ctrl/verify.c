/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"
#include "timed/core/event_log.h"
#include "timed/ctrl/l1_observe.h"

/*
 * Verification through L2 (seeds/000 section 4): a fetch of L1 has returned with a word of L2's predictor, and L1's
 * predictor may overturn the earlier prediction.
 */

/*
 * The predictor has changed the prediction: data to be cached are not kept. Packets waiting for other segments of the
 * line, or writing to these segments, are unaffected.
 */
static void do_not_keep(gpci_timed *t, gpci_ctrl *ctrl, gpci_packet *f, uint32_t mshr_entry) {
    bool wanted = false;
    f->line.marks |= GPCI_MARK_PASSES;
    for (uint32_t at = mshr_entry, next; at != GPCI_NO_PACKET; at = next) {
        gpci_packet *p = gpci_packet_at(&t->pool, at);
        next = at == mshr_entry ? p->mshr.first : *gpci_next_of(&t->pool, at);
        if (p->mshr.needs & f->segments && p->line.kind != GPC_STORE)
            p->mshr.cached = false;
        wanted |= p->mshr.cached;
    }
    gpc_line line;
    if (!wanted && gpci_line_of(ctrl->cache, f->address, &line) && line.pending_sectors == f->line.fetched &&
        !(line.valid_sectors | line.dirty_sectors)) {
        gpci_log_event(t, GPC_WHAT_INVALIDATE, ctrl, f, 0);
        gpc_cache_invalidate_line(ctrl->cache, f->address);
    }
}

bool gpci_verify(gpci_timed *t, gpci_ctrl *ctrl, uint32_t fetch) {
    gpci_packet *f = gpci_packet_at(&t->pool, fetch);
    if (f->line.marks & GPCI_MARK_VERIFIED) {
        f->segments = t->h->l1_level.segments_of[f->line.fetched];
        return false;
    }
    gpc_decision predicted = f->line.marks & GPCI_MARK_PASSES ? GPC_BYPASS : GPC_CACHE;
    if (predicted == GPC_BYPASS)
        gpci_close_l1_bypass(t->h, ctrl->index);
    gpc_decision verdict =
        gpci_l1_verify(ctrl->cache, &f->request, predicted, f->line.marks & GPCI_MARK_DECLINED, f->request.policy_word);
    if (verdict == predicted)
        return false;
    gpci_l1_observe_verdict(ctrl, &f->request, verdict == GPC_BYPASS);
    uint32_t mshr_entry = gpci_mshr_of_fetch(t, ctrl, f);
    if (verdict == GPC_BYPASS) {
        do_not_keep(t, ctrl, f, mshr_entry);
        return false;
    }
    f->line.marks &= (uint8_t)~GPCI_MARK_PASSES;
    f->line.marks |= GPCI_MARK_KEPT;
    return gpci_ctrl_complete_fetch(t, ctrl, fetch, mshr_entry);
}
