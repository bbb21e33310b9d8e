/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/lsu.h"
#include "base/check.h"

#include "coherence/module/tree.h"
#include "level/rules/level_count.h"
#include "timed/core/coherent.h"

static gpci_lsus *lsus_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_LSUS];
}

static gpci_ctrl *ctrl_of(const gpci_timed *timed, const gpci_packet *pkt) {
    return &timed->l1[pkt->request.sm];
}

/* Unit of a warp. */
static gpci_lsu *unit_of(const gpci_ctrl *ctrl, uint32_t warp) {
    gpci_lsus *lsus = lsus_of(ctrl);
    return &lsus->units[warp % lsus->count];
}

static bool is_load(const gpci_packet *pkt) {
    return pkt->line.kind == GPC_LOAD || pkt->line.kind == GPC_PREFETCH;
}

/* Accesses of an L1 in flight that are not part of others. */
static uint32_t unjoined(const gpci_timed *timed, const gpci_ctrl *ctrl) {
    const gpci_engine_unit *unit = &gpci_engine_of(timed)->units[ctrl->index];
    return unit->listed - unit->joined;
}

static void count_unjoined(gpci_timed *timed, gpci_ctrl *ctrl) {
    ctrl->mshr.used[0] = unjoined(timed, ctrl);
    gpci_gauge_set(&ctrl->mshr.gauge, timed->wheel.now, ctrl->mshr.used[0]);
}

/*
 * An access has signalled: tell the instruction's unit, once per access. After the last access of the instruction, the
 * unit may begin another instruction: step L1.
 */
static void signal(gpci_timed *timed, gpci_packet *pkt) {
    gpci_ctrl *ctrl = ctrl_of(timed, pkt);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    if (pkt->mshr.done || pkt->line.inflight == UINT32_MAX)
        return;
    pkt->mshr.done = true;
    if (--timed->inflights[pkt->line.inflight].unsignalled)
        return;
    unit_of(ctrl, pkt->request.warp)->in_flight--;
}

void gpci_lsu_joined(gpci_timed *timed, uint32_t inflight) {
    gpci_packet *pkt =
        gpci_packet_at(&timed->pool, (uint32_t)gpci_tree_inflight_at(gpci_engine_of(timed), inflight)->token);
    pkt->line.missed = 0;
    gpci_coherent_settle_bypass(timed, pkt->request.sm, pkt, false);
    gpci_coherent_count_load(timed, pkt, true, true);
    GPCI_AGAIN(gpci_coherent_count_load_again(timed, pkt, true, true));
    if (GPCI_UNLIKELY(timed->hierarchy->coherent->tracks) && is_load(pkt)) {
        const gpci_engine *engine = gpci_engine_of(timed);
        const gpci_tree_inflight *master =
            gpci_tree_inflight_at(engine, gpci_tree_inflight_at(engine, inflight)->master);
        uint8_t seen = 0;
        gpci_coherent_follow_joined(timed->hierarchy, &pkt->request,
                                    gpci_packet_at(&timed->pool, (uint32_t)master->token)->request.warp, &seen);
    }
    gpci_log_event(timed, GPC_WHAT_LOOKUP, ctrl_of(timed, pkt), pkt, GPC_PENDING_HIT);
    if (!is_load(pkt))
        signal(timed, pkt);
}

/* Count the lookup of an access that is not part of another, and the round trip of a load served by memory. */
static void count(gpci_timed *timed, const gpci_tree_inflight *access, gpci_packet *pkt, uint8_t level) {
    gpci_ctrl *ctrl = ctrl_of(timed, pkt);
    uint8_t seen = 0;
    pkt->line.missed = access->hit ? 0 : pkt->segments;
    gpci_coherent_count_load(timed, pkt, access->hit, false);
    GPCI_AGAIN(gpci_coherent_count_load_again(timed, pkt, access->hit, false));
    if (GPCI_UNLIKELY(timed->hierarchy->coherent->tracks))
        gpci_coherent_follow(timed->hierarchy, &pkt->request, access->hit, &seen);
    gpci_coherent_settle_bypass(timed, ctrl->index, pkt, access->overturned);
    gpci_count_l1_store(timed->hierarchy, ctrl->index,
                        pkt->line.kind == GPC_STORE && access->hit ? gpci_count_sectors(pkt->segments) : 0);
    if (level == 3 && is_load(pkt)) {
        gpci_count_round_trip(timed->hierarchy, ctrl->index, timed->wheel.now - pkt->born);
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.round_trip_cycles += timed->wheel.now - pkt->born);
    }
}

/* End an access, with sm.lsu_waits = false. The instruction completed when the instruction's last access began. */
static void end_unawaited(gpci_timed *timed, uint32_t packet, uint8_t level) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (pkt->line.kind == GPC_LOAD && level == 3 && pkt->line.missed) {
        gpci_count_l1_dram_line(timed->hierarchy, pkt->request.sm);
        GPCI_AGAIN(timed->hierarchy->of_sm[pkt->request.sm].again.l1_load_dram_lines++);
    }
    gpci_log_event(timed, GPC_WHAT_REPLY, ctrl_of(timed, pkt), pkt, level);
    gpci_pool_give(&timed->pool, packet);
}

void gpci_lsu_ended(gpci_timed *timed, uint32_t inflight) {
    const gpci_tree_inflight *access = gpci_tree_inflight_at(gpci_engine_of(timed), inflight);
    const uint32_t packet = (uint32_t)access->token;
    const uint8_t level = gpci_coherent_depth(timed->hierarchy, access->deepest);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_ctrl *ctrl = ctrl_of(timed, pkt);
    if (access->master == GPCI_NO_ITEM)
        count(timed, access, pkt, level);
    signal(timed, pkt);
    count_unjoined(timed, ctrl);
    if (pkt->line.inflight == UINT32_MAX)
        end_unawaited(timed, packet, level);
    else
        gpci_l1_release(timed, ctrl, packet, level);
}

/* Ask the predictor at the start of a lane's access, even if the access then joins another. */
static GPCI_NOINLINE void predict(gpci_timed *timed, gpci_packet *pkt, gpc_coherence_request *request) {
    const uint32_t bits = gpci_coherent_predict(timed->hierarchy, &pkt->request, request->flags);
    const uint8_t segments = gpci_coherent_bypass(timed->hierarchy, pkt->segments, bits, request);
    gpci_coherent_note_bypass(timed, pkt, segments);
}

/* Begin an access. False: out of memory, without change; L1's next step tries again if the simulation continues. */
static bool begin_access(gpci_timed *timed, uint32_t packet) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    gpci_engine *engine = gpci_engine_of(timed);
    const gpc_status status = gpci_coherent_reserve(timed, pkt->address);
    if (status < 0) {
        timed->failed = status;
        return false;
    }
    gpc_coherence_request request = gpci_coherent_request_of(timed, pkt);
    gpci_tree_begin_line(timed->hierarchy->coherent->tree);
    gpci_coherent_tell(timed->hierarchy->coherent, &pkt->request, 0);
    if (gpci_coherent_asks(timed->hierarchy->coherent, &pkt->request))
        predict(timed, pkt, &request);
    pkt->born = timed->wheel.now;
    pkt->mshr.done = false;
    gpci_engine_at(engine, timed->wheel.now);
    const uint32_t inflight = gpci_engine_access(engine, &request, &pkt->request);
    gpci_tree_inflight_at(engine, inflight)->token = packet;
    gpci_log_origin(timed, inflight, pkt);
    return true;
}

/* Begin the accesses of the first waiting instruction. If memory runs out, begin a part now and the rest later. */
static void begin(gpci_timed *timed, gpci_ctrl *ctrl, gpci_lsu *unit) {
    const uint64_t now = timed->wheel.now;
    const bool waits = lsus_of(ctrl)->waits;
    for (bool last = false; !last;) {
        const uint32_t packet = unit->queue.first;
        gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        const uint32_t inflight = pkt->line.inflight;
        if (!begin_access(timed, packet))
            return;
        if (!unit->half && waits) {
            unit->in_flight++;
            timed->inflights[inflight].unsignalled = timed->inflights[inflight].left;
        }
        if (!waits)
            pkt->line.inflight = UINT32_MAX;
        last = pkt->flags & GPCI_PACKET_LAST;
        unit->half = !last;
        (void)gpci_queue_pop(&unit->queue, &timed->pool, now);
        for (uint32_t left = last && !waits ? timed->inflights[inflight].left : 0; left; left--)
            gpci_l1_release_line(timed, inflight, 1);
    }
    gpci_ctrl_waited(ctrl, now);
}

/* In place of L1's tags: begin instructions where possible. */
static void run(gpci_timed *timed, gpci_ctrl *ctrl) {
    const bool room = ctrl->mshr.used[0] < ctrl->options->entries;
    gpci_lsus *lsus = lsus_of(ctrl);
    bool lacks = false, begun = false;
    if (gpci_replies_wait(ctrl) ||
        timed->coherent->sealed) /* all lines may be on the way out; the end of the flush wakes L1 */
        return;
    for (uint32_t i = 0; i < lsus->count; i++) {
        gpci_lsu *unit = &lsus->units[i];
        if (!unit->queue.count || (unit->in_flight >= lsus->most && !unit->half))
            continue;
        const bool may = room || unit->half;
        lacks |= !may;
        begun |= may;
        if (may)
            begin(timed, ctrl, unit);
    }
    if (lacks)
        (void)gpci_ctrl_block(ctrl, &ctrl->tag_access[0], timed->wheel.now, GPC_BUSY_MSHR);
    else
        gpci_ctrl_unblock(ctrl, &ctrl->tag_access[0], timed->wheel.now);
    if (!begun)
        return;
    gpci_coherent_run(timed);
    count_unjoined(timed, ctrl);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
}

/* Queue of a warp's packets that have not begun. */
static gpci_queue *entrance(gpci_ctrl *ctrl, uint32_t warp) {
    return &unit_of(ctrl, warp)->queue;
}

static const gpci_intake intake = {.entrance = entrance, .run = run};

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    if (!timed->hierarchy->lane_packets)
        return GPC_OK;
    const uint64_t count = gpci_number(timed->hierarchy, GPCI_KEY_SM_LSUS),
                   most = gpci_number(timed->hierarchy, GPCI_KEY_SM_LSU_IN_FLIGHT);
    gpci_lsus *lsus = gpci_zalloc(timed->context, 1, sizeof *lsus + count * sizeof *lsus->units);
    if (!lsus)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_LSUS, &gpci_lsus_part, lsus);
    ctrl->intake = &intake;
    lsus->count = (uint32_t)count;
    lsus->waits = gpci_number(timed->hierarchy, GPCI_KEY_SM_LSU_WAITS) != 0;
    lsus->most = most >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)most;
    for (uint32_t i = 0; i < count; i++)
        gpci_queue_init(&lsus->units[i].queue, GPCI_UNLIMITED);
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, lsus_of(ctrl));
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    const gpci_lsus *lsus = lsus_of(ctrl);
    const bool room = ctrl->mshr.used[0] < ctrl->options->entries;
    for (uint32_t i = 0; i < lsus->count; i++) {
        const gpci_lsu *unit = &lsus->units[i];
        const bool waits = gpci_replies_wait(ctrl) || timed->coherent->sealed ||
                           (!unit->half && (!room || unit->in_flight >= lsus->most));
        gpci_held(holders, "packets before a load/store unit", unit->queue.count,
                  waits ? gpci_by_any() : gpci_by_clock(ctrl->component));
        gpci_held(holders, "instructions in a load/store unit", unit->in_flight, gpci_by_any());
    }
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_lsus *lsus = lsus_of(ctrl);
    visit(user_data, lsus->units, lsus->count * sizeof *lsus->units);
}

const gpci_part_class gpci_lsus_part = {
    .levels = GPCI_OF_L1S, .in_step = true, .make = make, .destroy = destroy, .state = state, .hold = hold};
