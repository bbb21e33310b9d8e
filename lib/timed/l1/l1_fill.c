/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/level_count.h"
#include "timed/core/event_log.h"
#include "timed/ctrl/l15_ctrl.h"
#include "timed/ctrl/plain_values.h"
#include "timed/l1/combine.h"

/* Replies on the way into an SM's L1 through the fill port: to MSHR entries, or to the asking accesses. */

/* A reply passed on by a coalescer. */
typedef struct merged {
    gpci_timed *timed;
    uint32_t packet;
    uint32_t word;
    uint8_t level;
} merged;

/* A read that waited for another SM's read now has data too, and passes the fill port of the SM. */
static void hand(void *user_data, uint32_t packet) {
    const merged *m = user_data;
    gpci_timed *t = m->timed;
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_ctrl *ctrl = &t->l1[p->request.sm];
    p->type = GPCI_REPLY;
    p->level = m->level;
    p->request.policy_word = m->word;
    p->path.size = t->header + gpci_packet_bytes(p);
    ctrl->below.joined--;
    gpci_count_lrc_merge(t->h, ctrl->index, gpci_count_sectors(p->segments));
    if (GPCI_UNLIKELY(t->values != NULL))
        gpci_plain_shared(t, m->packet, packet);
    gpci_queue_push(&ctrl->fills, &t->pool, t->wheel.now, packet);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
}

/* Fill the line of a returned fetch. */
static void keep(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    uint64_t address = p->address;
    uint8_t sectors = p->line.fetched, generation = p->line.marks >> GPCI_MARK_GENERATION_SHIFT;
    if (gpci_parts_at(ctrl, GPCI_AT_FILL))
        gpci_parts_fill(t, ctrl, packet);
    else
        gpci_ctrl_fill(t, ctrl, packet);
    ctrl->fences.fetches[generation]--;
    if (GPCI_UNLIKELY(generation != ctrl->fences.generation))
        gpci_fence_stale(ctrl, address, sectors);
}

static void take_reply(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    p->request.address = p->address; /* was the slice's address on the way */
    if (GPCI_UNLIKELY(t->h->window.bytes != 0))
        p->request.priority = p->priority;
    bool read = p->type == GPCI_REPLY && (p->request.kind == GPC_LOAD || p->request.kind == GPC_PREFETCH);
    if (p->level == 3 && read)
        gpci_count_round_trip(t->h, ctrl->index, t->wheel.now - p->born);
    if (p->flags & GPCI_PACKET_FETCH) {
        p->request.sector_mask = p->line.fetched;
        p->request.admitted = p->line.marks & GPCI_MARK_ADMITTED ? 1 : 0;
        p->request.token = p->line.marks >> GPCI_MARK_TOKEN_SHIFT & 3; /* in L2 the token was for L2 */
        if (gpci_lrc_of(ctrl))
            gpci_lrc_reply(gpci_lrc_of(ctrl), packet, hand, &(merged){t, packet, p->request.policy_word, p->level});
        if (GPCI_UNLIKELY(gpci_is_of_constants(p)) && gpci_ctrl_l15(ctrl)) {
            gpci_l15_fill(t, ctrl, packet);
            return;
        }
        if (GPCI_UNLIKELY(gpci_is_of_constants(p))) {
            p->request.sector_mask = 1;
            gpci_ctrl_fill(t, gpci_constants_of(ctrl), packet);
            return;
        }
        if (ctrl->cache->predictor_ops->on_reply && gpci_verify(t, ctrl, packet))
            return;
        if (p->line.marks & GPCI_MARK_PASSES && gpci_is_counted(t, p))
            gpci_count_l1_bypass(t->h, ctrl->index, p->segments);
        keep(t, ctrl, packet);
        return;
    }
    if (gpci_lrc_of(ctrl) && (p->request.kind == GPC_ATOMIC || p->request.kind == GPC_REDUCTION))
        gpci_lrc_changed(gpci_lrc_of(ctrl), ctrl->index, p->address, t->wheel.now);
    if (p->line.inflight != UINT32_MAX) {
        if (p->request.kind == GPC_LOAD && p->level == 3 && p->line.missed && p->request.copy != GPC_COPY_BULK)
            gpci_count_l1_dram_line(t->h, ctrl->index);
        gpci_l1_answer(t, ctrl, p, p->level);
    }
    if (GPCI_UNLIKELY(p->flags & GPCI_PACKET_JOINED))
        gpci_combine_done(t, ctrl, p);
    gpci_pool_give(&t->pool, packet);
}

static uint32_t take_handed(gpci_timed *t, gpci_ctrl *ctrl) {
    const uint32_t packet = gpci_queue_pop(&ctrl->fills, &t->pool, t->wheel.now);
    if (GPCI_UNLIKELY(t->values != NULL))
        gpci_plain_back(t, ctrl->index, packet);
    return packet;
}

#ifdef GPCI_CHECK
/* Bytes of the reply to a packet: a header, and sectors for a packet that reads. */
static uint64_t bytes_asked(const gpci_timed *t, const gpci_packet *p) {
    const bool reads = p->request.kind != GPC_STORE && p->request.kind != GPC_REDUCTION;
    return t->header + (reads ? (uint64_t)gpci_popcount(p->segments) * GPCI_SEGMENT : 0);
}
#endif

void gpci_l1_fills(gpci_timed *t, gpci_ctrl *ctrl) {
    uint64_t now = t->wheel.now;
    while (!gpci_replies_wait(ctrl) &&
           (ctrl->fills.count || gpci_network_peek(ctrl->networks.replies_in, ctrl->index) != GPCI_NO_PACKET)) {
        if (ctrl->fill_free > now) {
            gpci_wheel_wake(&t->wheel, ctrl->component, ctrl->fill_free);
            return;
        }
        const bool handed = ctrl->fills.count != 0;
        uint32_t packet = handed ? take_handed(t, ctrl) : gpci_network_receive(ctrl->networks.replies_in, ctrl->index);
        ctrl->below.packets -= !handed;
#ifdef GPCI_CHECK
        ctrl->counts.reply_bytes_again += handed ? 0 : bytes_asked(t, gpci_packet_at(&t->pool, packet));
#endif
        uint32_t size = gpci_packet_at(&t->pool, packet)->path.size - t->header;
        ctrl->fill_free = now + (size + ctrl->options->fill_width - 1) / ctrl->options->fill_width;
        take_reply(t, ctrl, packet);
    }
}
