/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "timed/core/event_log.h"
#include "timed/core/kept_access.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/constant_cache.h"
#include "timed/ctrl/data_banks.h"
#include "timed/l1/multicast.h"
#include "timed/l1/replies.h"

/* Completion of accesses: the last line completes an access, and the host is told. */

/* Bookkeeping for accesses other than loads. */
static void end(gpci_timed *timed, const gpci_inflight *access, gpc_completion *completion) {
    if (access->kind == GPCI_KIND_FENCE) {
        completion->kind = GPC_LOAD;
        completion->fence = 1;
        gpci_count_fence_cycles(timed->hierarchy, access->sm, completion->cycle - completion->issued);
        GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.fence_cycles += completion->cycle);
        GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.fences++);
    } else if (access->kind == GPCI_KIND_COPY) {
        completion->kind = access->fence.phase;
        if (!access->fence.marks)
            gpci_count_bulk_cycles(timed->hierarchy, access->sm, completion->cycle - completion->issued);
        GPCI_AGAIN(timed->hierarchy->of_sm[access->sm].again.bulk_cycles +=
                   access->fence.marks ? 0 : completion->cycle);
    } else if (GPCI_UNLIKELY(timed->l1[access->sm].fences.first != UINT32_MAX || access->performed)) {
        gpci_fence_wrote(timed, access);
    } else {
        timed->l1[access->sm].fences.writes -= access->kind != GPC_PREFETCH;
    }
}

static void tell_host(gpci_timed *timed, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    gpc_completion completion = {.token = access->token,
                                 .issued = access->issued,
                                 .cycle = timed->wheel.now,
                                 .sm = access->sm,
                                 .warp = access->warp,
                                 .kind = access->kind,
                                 .level = access->level};
    bool framed = access->framed;
    if (access->kind == GPC_LOAD)
        gpci_count_load_cycles(timed->hierarchy, completion.sm, completion.cycle - completion.issued);
    else
        end(timed, access, &completion);
    if (GPCI_UNLIKELY(timed->kept != NULL))
        gpci_kept_done(timed, number, &completion);
    if (GPCI_UNLIKELY(timed->stage_times != NULL))
        gpci_stage_times_done(timed, number, &completion);
    gpci_give_inflight(timed, number);
    timed->in_flight--;
    timed->ended++;
    timed->progress = timed->wheel.now;
    if (framed)
        timed->front.complete(timed->front.user_data, &completion);
    else if (timed->callbacks.on_complete)
        timed->callbacks.on_complete(timed->callbacks.user_data, &completion);
}

static GPCI_COLD void tell_host_watched(gpci_timed *timed, uint32_t number) {
    gpci_append_done(timed, &timed->inflights[number]);
    tell_host(timed, number);
}

/* Complete an access, once the host has room for the reply. */
GPCI_INLINE void complete(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    if (GPCI_UNLIKELY(ctrl->replies.credits != GPC_UNLIMITED_CREDITS) && gpci_reply_waits(timed, ctrl, number))
        return;
    if (GPCI_UNLIKELY(timed->log != NULL))
        tell_host_watched(timed, number);
    else
        tell_host(timed, number);
}

void gpci_l1_run_replies(gpci_timed *timed, gpci_ctrl *ctrl) {
    for (uint32_t number; (number = gpci_replies_next(timed, ctrl)) != UINT32_MAX;) {
        gpci_log_done(timed, &timed->inflights[number]);
        tell_host(timed, number);
    }
}

/*
 * All lines of an in-flight access are done; complete the in-flight access when the last hit's data are out of the
 * port.
 */
static void land(gpci_timed *timed, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    if (GPCI_UNLIKELY(access->acquires)) {
        gpci_fence_after(timed, number);
        return;
    }
    const bool filled = GPCI_UNLIKELY(access->turns) && access->kind == GPC_LOAD && gpci_data_read(timed, ctrl, access);
    if (access->due <= timed->wheel.now) {
        complete(timed, ctrl, number);
        return;
    }
    gpci_due_list *due = GPCI_UNLIKELY(access->constant) ? &gpci_constants_of(ctrl)->due
                         : filled                        ? &ctrl->filled
                                                         : &ctrl->due;
    access->next = UINT32_MAX;
    if (due->first == UINT32_MAX) {
        due->first = number;
    } else {
        gpci_inflight *last = &timed->inflights[due->last];
        last->next = number;
        access->due = access->due > last->due ? access->due : last->due;
    }
    due->last = number;
    gpci_wheel_wake(&timed->wheel, ctrl->component, access->due);
}

void gpci_l1_release_line(gpci_timed *timed, uint32_t number, uint8_t level) {
    if (GPCI_UNLIKELY(number == UINT32_MAX)) /* a prefetch without a waiter */
        return;
    gpci_inflight *access = &timed->inflights[number];
    access->level = access->level > level ? access->level : level;
    if (!--access->left)
        land(timed, number);
}

void gpci_l1_answer(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, uint8_t level) {
    if (GPCI_UNLIKELY(pkt->request.copy == GPC_COPY_BULK))
        gpci_multicast_reply(timed, ctrl, pkt);
    gpci_log_event(timed, GPC_WHAT_REPLY, ctrl, pkt, level);
    gpci_l1_release_line(timed, pkt->line.inflight, level);
}

/* Data of a released load follow data of earlier loads. */
static GPCI_COLD void hand_over(gpci_timed *timed, const gpci_packet *pkt) {
    if (pkt->line.inflight == UINT32_MAX || pkt->line.kind != GPC_LOAD)
        return;
    gpci_inflight *access = &timed->inflights[pkt->line.inflight];
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    const uint64_t now = timed->wheel.now, start = ctrl->release_free > now ? ctrl->release_free : now;
    ctrl->release_free = start + (gpci_packet_bytes(pkt) + timed->release_width - 1) / timed->release_width;
    const uint64_t due = ctrl->release_free + timed->release_latency;
    access->due = access->due > due ? access->due : due;
}

GPCI_INLINE void done(gpci_timed *timed, uint32_t packet, uint8_t level, bool watched) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (pkt->line.kind == GPC_LOAD && level == 3 && pkt->line.missed) {
        gpci_count_l1_dram_line(timed->hierarchy, timed->inflights[pkt->line.inflight].sm);
        GPCI_AGAIN(timed->hierarchy->of_sm[timed->inflights[pkt->line.inflight].sm].again.l1_load_dram_lines++);
    }
    pkt->mshr.cached = false;
    if (watched)
        gpci_append_reply(timed, pkt, level);
    pkt->mshr.done = true;
    if (GPCI_UNLIKELY(timed->release_width))
        hand_over(timed, pkt);
    gpci_l1_release_line(timed, pkt->line.inflight, level);
}

void gpci_l1_done(gpci_timed *timed, uint32_t packet, uint8_t level) {
    done(timed, packet, level, timed->log != NULL);
}

static GPCI_COLD void release_watched(gpci_timed *timed, uint32_t packet, uint8_t level) {
    done(timed, packet, level, true);
    gpci_pool_give(&timed->pool, packet);
}

void gpci_l1_release(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    (void)ctrl;
    if (GPCI_UNLIKELY(timed->log != NULL)) {
        release_watched(timed, packet, level);
        return;
    }
    done(timed, packet, level, false);
    gpci_pool_give(&timed->pool, packet);
}

void gpci_l1_run_due(gpci_timed *timed, gpci_ctrl *ctrl, gpci_due_list *due) {
    while (due->first != UINT32_MAX) {
        uint32_t number = due->first;
        gpci_inflight *access = &timed->inflights[number];
        if (access->due > timed->wheel.now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, access->due);
            return;
        }
        due->first = access->next;
        complete(timed, ctrl, number);
    }
}
