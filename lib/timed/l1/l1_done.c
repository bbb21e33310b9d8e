/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/event_log.h"
#include "timed/core/kept_access.h"
#include "timed/core/stage_times.h"
#include "timed/ctrl/constant_cache.h"
#include "timed/ctrl/data_banks.h"
#include "timed/l1/multicast.h"
#include "timed/l1/replies.h"

/* Completion of accesses: the last line completes an access, and the host is told. */

/* Bookkeeping for accesses other than loads. */
static void end(gpci_timed *t, const gpci_inflight *f, gpc_completion *c) {
    if (f->kind == GPCI_KIND_FENCE) {
        c->kind = GPC_LOAD;
        c->fence = 1;
        gpci_count_fence_cycles(t->h, f->sm, c->cycle - c->issued);
    } else if (f->kind == GPCI_KIND_COPY) {
        c->kind = f->fence.phase;
        if (!f->fence.marks)
            gpci_count_bulk_cycles(t->h, f->sm, c->cycle - c->issued);
    } else if (GPCI_UNLIKELY(t->l1[f->sm].fences.first != UINT32_MAX || f->performed)) {
        gpci_fence_wrote(t, f);
    } else {
        t->l1[f->sm].fences.writes -= f->kind != GPC_PREFETCH;
    }
}

static void tell_host(gpci_timed *t, uint32_t number) {
    gpci_inflight *f = &t->inflights[number];
    gpc_completion c = {.token = f->token,
                        .issued = f->issued,
                        .cycle = t->wheel.now,
                        .sm = f->sm,
                        .warp = f->warp,
                        .kind = f->kind,
                        .level = f->level};
    bool framed = f->framed;
    if (f->kind == GPC_LOAD)
        gpci_count_load_cycles(t->h, c.sm, c.cycle - c.issued);
    else
        end(t, f, &c);
    if (GPCI_UNLIKELY(t->kept != NULL))
        gpci_kept_done(t, number, &c);
    if (GPCI_UNLIKELY(t->stage_times != NULL))
        gpci_stage_times_done(t, number, &c);
    gpci_give_inflight(t, number);
    t->in_flight--;
    t->ended++;
    t->progress = t->wheel.now;
    if (framed)
        t->front.complete(t->front.user_data, &c);
    else if (t->callbacks.on_complete)
        t->callbacks.on_complete(t->callbacks.user_data, &c);
}

static GPCI_COLD void tell_host_watched(gpci_timed *t, uint32_t number) {
    gpci_append_done(t, &t->inflights[number]);
    tell_host(t, number);
}

/* Complete an access, once the host has room for the reply. */
GPCI_INLINE void complete(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    if (GPCI_UNLIKELY(ctrl->replies.credits != GPC_UNLIMITED_CREDITS) && gpci_reply_waits(t, ctrl, number))
        return;
    if (GPCI_UNLIKELY(t->log != NULL))
        tell_host_watched(t, number);
    else
        tell_host(t, number);
}

void gpci_l1_run_replies(gpci_timed *t, gpci_ctrl *ctrl) {
    for (uint32_t number; (number = gpci_replies_next(t, ctrl)) != UINT32_MAX;) {
        gpci_log_done(t, &t->inflights[number]);
        tell_host(t, number);
    }
}

/*
 * All lines of an in-flight access are done; complete the in-flight access when the last hit's data are out of the
 * port.
 */
static void land(gpci_timed *t, uint32_t number) {
    gpci_inflight *f = &t->inflights[number];
    gpci_ctrl *ctrl = &t->l1[f->sm];
    if (GPCI_UNLIKELY(f->acquires)) {
        gpci_fence_after(t, number);
        return;
    }
    const bool filled = GPCI_UNLIKELY(f->turns) && f->kind == GPC_LOAD && gpci_data_read(t, ctrl, f);
    if (f->due <= t->wheel.now) {
        complete(t, ctrl, number);
        return;
    }
    gpci_due_list *due = GPCI_UNLIKELY(f->constant) ? &gpci_constants_of(ctrl)->due
                         : filled                   ? &ctrl->filled
                                                    : &ctrl->due;
    f->next = UINT32_MAX;
    if (due->first == UINT32_MAX) {
        due->first = number;
    } else {
        gpci_inflight *last = &t->inflights[due->last];
        last->next = number;
        f->due = f->due > last->due ? f->due : last->due;
    }
    due->last = number;
    gpci_wheel_wake(&t->wheel, ctrl->component, f->due);
}

void gpci_l1_release_line(gpci_timed *t, uint32_t number, uint8_t level) {
    if (GPCI_UNLIKELY(number == UINT32_MAX)) /* a prefetch without a waiter */
        return;
    gpci_inflight *f = &t->inflights[number];
    f->level = f->level > level ? f->level : level;
    if (!--f->left)
        land(t, number);
}

void gpci_l1_answer(gpci_timed *t, gpci_ctrl *ctrl, const gpci_packet *p, uint8_t level) {
    if (GPCI_UNLIKELY(p->request.copy == GPC_COPY_BULK))
        gpci_multicast_reply(t, ctrl, p);
    gpci_log_event(t, GPC_WHAT_REPLY, ctrl, p, level);
    gpci_l1_release_line(t, p->line.inflight, level);
}

/* Data of a released load follow data of earlier loads. */
static GPCI_COLD void hand_over(gpci_timed *t, const gpci_packet *p) {
    if (p->line.inflight == UINT32_MAX || p->line.kind != GPC_LOAD)
        return;
    gpci_inflight *f = &t->inflights[p->line.inflight];
    gpci_ctrl *ctrl = &t->l1[f->sm];
    const uint64_t now = t->wheel.now, start = ctrl->release_free > now ? ctrl->release_free : now;
    ctrl->release_free = start + (gpci_packet_bytes(p) + t->release_width - 1) / t->release_width;
    const uint64_t due = ctrl->release_free + t->release_latency;
    f->due = f->due > due ? f->due : due;
}

GPCI_INLINE void done(gpci_timed *t, uint32_t packet, uint8_t level, bool watched) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (p->line.kind == GPC_LOAD && level == 3 && p->line.missed)
        gpci_count_l1_dram_line(t->h, t->inflights[p->line.inflight].sm);
    p->mshr.cached = false;
    if (watched)
        gpci_append_reply(t, p, level);
    p->mshr.done = true;
    if (GPCI_UNLIKELY(t->release_width))
        hand_over(t, p);
    gpci_l1_release_line(t, p->line.inflight, level);
}

void gpci_l1_done(gpci_timed *t, uint32_t packet, uint8_t level) {
    done(t, packet, level, t->log != NULL);
}

static GPCI_COLD void release_watched(gpci_timed *t, uint32_t packet, uint8_t level) {
    done(t, packet, level, true);
    gpci_pool_give(&t->pool, packet);
}

void gpci_l1_release(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    (void)ctrl;
    if (GPCI_UNLIKELY(t->log != NULL)) {
        release_watched(t, packet, level);
        return;
    }
    done(t, packet, level, false);
    gpci_pool_give(&t->pool, packet);
}

void gpci_l1_run_due(gpci_timed *t, gpci_ctrl *ctrl, gpci_due_list *due) {
    while (due->first != UINT32_MAX) {
        uint32_t number = due->first;
        gpci_inflight *f = &t->inflights[number];
        if (f->due > t->wheel.now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, f->due);
            return;
        }
        due->first = f->next;
        complete(t, ctrl, number);
    }
}
