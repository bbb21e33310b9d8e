/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
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
    gpci_timed *timed = m->timed;
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_ctrl *ctrl = &timed->l1[pkt->request.sm];
    pkt->type = GPCI_REPLY;
    pkt->level = m->level;
    pkt->request.policy_word = m->word;
    pkt->path.size = timed->header + gpci_packet_bytes(pkt);
    ctrl->below.joined--;
    gpci_count_lrc_merge(timed->hierarchy, ctrl->index, gpci_count_sectors(pkt->segments));
    if (GPCI_UNLIKELY(timed->values != NULL))
        gpci_plain_shared(timed, m->packet, packet);
    gpci_queue_push(&ctrl->fills, &timed->pool, timed->wheel.now, packet);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
}

/* Fill the line of a returned fetch. */
static void keep(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    uint64_t address = pkt->address;
    uint8_t sectors = pkt->line.fetched, generation = pkt->line.marks >> GPCI_MARK_GENERATION_SHIFT;
    if (!(pkt->line.marks & GPCI_MARK_PASSES))
        gpci_count_l1_filled(timed->hierarchy, ctrl->index, pkt->segments);
    if (gpci_parts_at(ctrl, GPCI_AT_FILL))
        gpci_parts_fill(timed, ctrl, packet);
    else
        gpci_ctrl_fill(timed, ctrl, packet);
    ctrl->fences.fetches[generation]--;
    if (GPCI_UNLIKELY(generation != ctrl->fences.generation))
        gpci_fence_stale(ctrl, address, sectors);
}

static void take_reply(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    pkt->request.address = pkt->address; /* L2 has changed both on the way */
    pkt->request.priority = pkt->priority;
    bool read = pkt->type == GPCI_REPLY && (pkt->request.kind == GPC_LOAD || pkt->request.kind == GPC_PREFETCH);
    if (pkt->level == 3 && read) {
        gpci_count_round_trip(timed->hierarchy, ctrl->index, timed->wheel.now - pkt->born);
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.round_trip_cycles += timed->wheel.now - pkt->born);
    }
    if (pkt->flags & GPCI_PACKET_FETCH) {
        pkt->request.sector_mask = pkt->line.fetched;
        pkt->request.admitted = pkt->line.marks & GPCI_MARK_ADMITTED ? 1 : 0;
        pkt->request.token = pkt->line.marks >> GPCI_MARK_TOKEN_SHIFT & 3; /* in L2 the token was for L2 */
        if (gpci_lrc_of(ctrl))
            gpci_lrc_reply(gpci_lrc_of(ctrl), packet, hand,
                           &(merged){timed, packet, pkt->request.policy_word, pkt->level});
        if (GPCI_UNLIKELY(gpci_is_of_constants(pkt)) && gpci_ctrl_l15(ctrl)) {
            gpci_l15_fill(timed, ctrl, packet);
            return;
        }
        if (GPCI_UNLIKELY(gpci_is_of_constants(pkt))) {
            pkt->request.sector_mask = 1;
            gpci_ctrl_fill(timed, gpci_constants_of(ctrl), packet);
            return;
        }
        if (ctrl->cache->predictor_ops->on_reply && gpci_verify(timed, ctrl, packet))
            return;
        if (pkt->line.marks & GPCI_MARK_PASSES && gpci_is_counted(timed, pkt))
            gpci_count_l1_bypass(timed->hierarchy, ctrl->index, pkt->segments);
        keep(timed, ctrl, packet);
        return;
    }
    if (gpci_lrc_of(ctrl) && (pkt->request.kind == GPC_ATOMIC || pkt->request.kind == GPC_REDUCTION))
        gpci_lrc_changed(gpci_lrc_of(ctrl), ctrl->index, pkt->address, timed->wheel.now);
    if (pkt->line.inflight != UINT32_MAX) {
        if (pkt->request.kind == GPC_LOAD && pkt->level == 3 && pkt->line.missed &&
            pkt->request.copy != GPC_COPY_BULK) {
            gpci_count_l1_dram_line(timed->hierarchy, ctrl->index);
            GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.l1_load_dram_lines++);
        }
        gpci_l1_answer(timed, ctrl, pkt, pkt->level);
    }
    if (GPCI_UNLIKELY(pkt->flags & GPCI_PACKET_JOINED))
        gpci_combine_done(timed, ctrl, pkt);
    gpci_pool_give(&timed->pool, packet);
}

static uint32_t take_handed(gpci_timed *timed, gpci_ctrl *ctrl) {
    const uint32_t packet = gpci_queue_pop(&ctrl->fills, &timed->pool, timed->wheel.now);
    if (GPCI_UNLIKELY(timed->values != NULL))
        gpci_plain_back(timed, ctrl->index, packet);
    return packet;
}

#ifdef GPCI_CHECK
/* Bytes of the reply to a packet: a header, and sectors for a packet that reads. */
static uint64_t bytes_asked(const gpci_timed *timed, const gpci_packet *pkt) {
    const bool reads = pkt->request.kind != GPC_STORE && pkt->request.kind != GPC_REDUCTION;
    return timed->header + (reads ? (uint64_t)gpci_popcount(pkt->segments) * GPCI_SEGMENT : 0);
}
#endif

void gpci_l1_fills(gpci_timed *timed, gpci_ctrl *ctrl) {
    uint64_t now = timed->wheel.now;
    while (!gpci_replies_wait(ctrl) &&
           (ctrl->fills.count || gpci_network_peek(ctrl->networks.replies_in, ctrl->index) != GPCI_NO_PACKET)) {
        if (ctrl->fill_free > now) {
            gpci_wheel_wake(&timed->wheel, ctrl->component, ctrl->fill_free);
            return;
        }
        const bool handed = ctrl->fills.count != 0;
        uint32_t packet =
            handed ? take_handed(timed, ctrl) : gpci_network_receive(ctrl->networks.replies_in, ctrl->index);
        ctrl->below.packets -= !handed;
#ifdef GPCI_CHECK
        ctrl->counts.reply_bytes_again += handed ? 0 : bytes_asked(timed, gpci_packet_at(&timed->pool, packet));
#endif
        uint32_t size = gpci_packet_at(&timed->pool, packet)->path.size - timed->header;
        ctrl->fill_free = now + (size + ctrl->options->fill_width - 1) / ctrl->options->fill_width;
        take_reply(timed, ctrl, packet);
    }
}
