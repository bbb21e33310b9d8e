/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/lsu.h"

#include "coherence/module/tree.h"
#include "level/rules/level_count.h"
#include "timed/core/event_log_coherent.h"

static gpci_lsus *lsus_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_LSUS];
}

static gpci_ctrl *ctrl_of(const gpci_timed *t, const gpci_packet *p) {
    return &t->l1[p->request.sm];
}

/* Unit of a warp. */
static gpci_lsu *unit_of(const gpci_ctrl *ctrl, uint32_t warp) {
    gpci_lsus *lsus = lsus_of(ctrl);
    return &lsus->units[warp % lsus->count];
}

static bool is_load(const gpci_packet *p) {
    return p->line.kind == GPC_LOAD || p->line.kind == GPC_PREFETCH;
}

/* Accesses of an L1 in flight that are not part of others. */
static uint32_t apart(const gpci_timed *t, const gpci_ctrl *ctrl) {
    const gpci_engine_unit *unit = &gpci_engine_of(t)->units[ctrl->index];
    return unit->listed - unit->joined;
}

static void count_apart(gpci_timed *t, gpci_ctrl *ctrl) {
    ctrl->mshr.used[0] = apart(t, ctrl);
    gpci_gauge_set(&ctrl->mshr.gauge, t->wheel.now, ctrl->mshr.used[0]);
}

/* Tell the instruction's unit, once; after the last access the unit may begin another instruction. L1 looks again. */
static void signal(gpci_timed *t, gpci_packet *p) {
    gpci_ctrl *ctrl = ctrl_of(t, p);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    if (p->mshr.done || p->line.inflight == UINT32_MAX)
        return;
    p->mshr.done = true;
    if (--t->inflights[p->line.inflight].unsignalled)
        return;
    unit_of(ctrl, p->request.warp)->in_flight--;
}

void gpci_lsu_joined(gpci_timed *t, uint32_t inflight) {
    gpci_packet *p = gpci_packet_at(&t->pool, (uint32_t)gpci_tree_inflight_at(gpci_engine_of(t), inflight)->token);
    p->line.missed = 0;
    gpci_coherent_count_load(t, p, true, true);
    if (GPCI_UNLIKELY(t->h->coherent->tracks) && is_load(p)) {
        const gpci_engine *e = gpci_engine_of(t);
        const gpci_tree_inflight *master = gpci_tree_inflight_at(e, gpci_tree_inflight_at(e, inflight)->master);
        gpci_coherent_follow_joined(t->h, &p->request, gpci_packet_at(&t->pool, (uint32_t)master->token)->request.warp);
    }
    gpci_log_event(t, GPC_WHAT_LOOKUP, ctrl_of(t, p), p, GPC_PENDING_HIT);
    if (!is_load(p))
        signal(t, p);
}

/* Count a lookup, and perhaps a transaction. */
static void count(gpci_timed *t, const gpci_tree_inflight *a, gpci_packet *p, uint8_t level) {
    gpci_ctrl *ctrl = ctrl_of(t, p);
    p->line.missed = a->hit ? 0 : p->segments;
    gpci_coherent_count_load(t, p, a->hit, false);
    t->h->coherent->tree->follows = false;
    if (GPCI_UNLIKELY(t->h->coherent->tracks))
        gpci_coherent_follow(t->h, &p->request, a->hit);
    if (GPCI_UNLIKELY(a->overturned))
        gpci_uncount_l1_bypass(t->h, ctrl->index, gpci_coherent_bypassed(t->h, p->segments));
    gpci_count_l1_store(t->h, ctrl->index, p->line.kind == GPC_STORE && a->hit ? gpci_count_sectors(p->segments) : 0);
    if (level == 3 && is_load(p))
        gpci_count_round_trip(t->h, ctrl->index, t->wheel.now - p->born);
}

/* End of an access whose instruction completed at the start. */
static void end_unawaited(gpci_timed *t, uint32_t packet, uint8_t level) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (p->line.kind == GPC_LOAD && level == 3 && p->line.missed)
        gpci_count_l1_dram_line(t->h, p->request.sm);
    gpci_log_event(t, GPC_WHAT_REPLY, ctrl_of(t, p), p, level);
    gpci_pool_give(&t->pool, packet);
}

void gpci_lsu_ended(gpci_timed *t, uint32_t inflight) {
    const gpci_tree_inflight *a = gpci_tree_inflight_at(gpci_engine_of(t), inflight);
    const uint32_t packet = (uint32_t)a->token;
    const uint8_t level = gpci_coherent_depth(t->h, a->deepest);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_ctrl *ctrl = ctrl_of(t, p);
    if (a->master == GPCI_NO_ITEM)
        count(t, a, p, level);
    signal(t, p);
    count_apart(t, ctrl);
    if (p->line.inflight == UINT32_MAX)
        end_unawaited(t, packet, level);
    else
        gpci_l1_release(t, ctrl, packet, level);
}

/* Ask the predictor at the start of a lane's access, even if the access then joins another. */
static GPCI_NOINLINE void predict(gpci_timed *t, const gpci_ctrl *ctrl, gpci_packet *p,
                                  gpc_coherence_request *request) {
    t->h->coherent->tree->follows = false;
    const uint32_t bits = gpci_coherent_predict(t->h, &p->request, request->flags);
    const uint8_t segments = gpci_coherent_bypass(t->h, p->segments, bits, request);
    if (segments)
        gpci_count_l1_bypass(t->h, ctrl->index, segments);
}

/* Begin an access. False: out of memory, without change; L1's next step tries again if the simulation continues. */
static bool begin_access(gpci_timed *t, gpci_ctrl *ctrl, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_engine *e = gpci_engine_of(t);
    const gpc_status status = gpci_coherent_reserve(t, p->address);
    if (status < 0) {
        t->failed = status;
        return false;
    }
    gpc_coherence_request request = gpci_coherent_request_of(t, p);
    if (gpci_coherent_asks(t->h->coherent, &p->request))
        predict(t, ctrl, p, &request);
    p->born = t->wheel.now;
    p->mshr.done = false;
    gpci_engine_at(e, t->wheel.now);
    const uint32_t inflight = gpci_engine_access(e, &request, &p->request);
    gpci_tree_inflight_at(e, inflight)->token = packet;
    gpci_log_origin(t, inflight, p);
    return true;
}

/* Begin the accesses of the first waiting instruction. If memory runs out, begin a part now and the rest later. */
static void begin(gpci_timed *t, gpci_ctrl *ctrl, gpci_lsu *unit) {
    const uint64_t now = t->wheel.now;
    const bool waits = lsus_of(ctrl)->waits;
    for (bool last = false; !last;) {
        const uint32_t packet = unit->queue.first;
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        const uint32_t inflight = p->line.inflight;
        if (!begin_access(t, ctrl, packet))
            return;
        if (!unit->half && waits) {
            unit->in_flight++;
            t->inflights[inflight].unsignalled = t->inflights[inflight].left;
        }
        if (!waits)
            p->line.inflight = UINT32_MAX;
        last = p->flags & GPCI_PACKET_LAST;
        unit->half = !last;
        (void)gpci_queue_pop(&unit->queue, &t->pool, now);
        for (uint32_t left = last && !waits ? t->inflights[inflight].left : 0; left; left--)
            gpci_l1_release_line(t, inflight, 1);
    }
    gpci_ctrl_waited(ctrl, now);
}

/* In place of L1's tags: begin instructions where possible. */
static void run(gpci_timed *t, gpci_ctrl *ctrl) {
    const bool room = ctrl->mshr.used[0] < ctrl->options->entries;
    gpci_lsus *lsus = lsus_of(ctrl);
    bool lacks = false, begun = false;
    if (gpci_replies_wait(ctrl) ||
        t->coherent->sealed) /* all lines may be on the way out; the end of the flush wakes L1 */
        return;
    for (uint32_t i = 0; i < lsus->count; i++) {
        gpci_lsu *unit = &lsus->units[i];
        if (!unit->queue.count || (unit->in_flight >= lsus->most && !unit->half))
            continue;
        const bool may = room || unit->half;
        lacks |= !may;
        begun |= may;
        if (may)
            begin(t, ctrl, unit);
    }
    if (lacks)
        (void)gpci_ctrl_block(ctrl, &ctrl->tag_access[0], t->wheel.now, GPC_BUSY_MSHR);
    else
        gpci_ctrl_unblock(ctrl, &ctrl->tag_access[0], t->wheel.now);
    if (!begun)
        return;
    gpci_coherent_run(t);
    count_apart(t, ctrl);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now + 1);
}

/* Queue of a warp's packets that have not begun. */
static gpci_queue *entrance(gpci_ctrl *ctrl, uint32_t warp) {
    return &unit_of(ctrl, warp)->queue;
}

static const gpci_intake intake = {.entrance = entrance, .run = run};

static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    if (!t->h->lane_packets)
        return GPC_OK;
    const uint64_t count = gpci_number(t->h, GPCI_KEY_SM_LSUS), most = gpci_number(t->h, GPCI_KEY_SM_LSU_IN_FLIGHT);
    gpci_lsus *lsus = gpci_zalloc(t->context, 1, sizeof *lsus + count * sizeof *lsus->units);
    if (!lsus)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_LSUS, &gpci_lsus_part, lsus);
    ctrl->intake = &intake;
    lsus->count = (uint32_t)count;
    lsus->waits = gpci_number(t->h, GPCI_KEY_SM_LSU_WAITS) != 0;
    lsus->most = most >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)most;
    for (uint32_t i = 0; i < count; i++)
        gpci_queue_init(&lsus->units[i].queue, GPCI_UNLIMITED);
    return GPC_OK;
}

static void destroy(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_free(t->context, lsus_of(ctrl));
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    const gpci_lsus *lsus = lsus_of(ctrl);
    const bool room = ctrl->mshr.used[0] < ctrl->options->entries;
    for (uint32_t i = 0; i < lsus->count; i++) {
        const gpci_lsu *unit = &lsus->units[i];
        const bool waits =
            gpci_replies_wait(ctrl) || t->coherent->sealed || (!unit->half && (!room || unit->in_flight >= lsus->most));
        gpci_held(to, "packets before a load/store unit", unit->queue.count,
                  waits ? gpci_by_any() : gpci_by_clock(ctrl->component));
        gpci_held(to, "instructions in a load/store unit", unit->in_flight, gpci_by_any());
    }
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_lsus *lsus = lsus_of(ctrl);
    visit(user_data, lsus->units, lsus->count * sizeof *lsus->units);
}

const gpci_part_class gpci_lsus_part = {
    .levels = GPCI_OF_L1S, .in_step = true, .make = make, .destroy = destroy, .state = state, .hold = hold};
