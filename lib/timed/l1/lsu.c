/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/l1/lsu.h"

#include "coherence/module/tree.h"
#include "level/rules/level_count.h"
#include "timed/core/watch_coherent.h"
#include "timed/l1/replies.h"

static gpci_stage *stage_of(const gpci_timed *t, const gpci_packet *p) {
    return &t->l1[p->request.sm];
}

static bool is_load(const gpci_packet *p) {
    return p->line.kind == GPC_LOAD || p->line.kind == GPC_PREFETCH;
}

/* Accesses of an L1 in flight that are not part of others. */
static uint32_t apart(const gpci_timed *t, const gpci_stage *stage) {
    const gpci_controller *unit = &gpci_controllers_of(t)->units[stage->index];
    return unit->listed - unit->joined;
}

static void count_apart(gpci_timed *t, gpci_stage *stage) {
    stage->mshr.used[0] = apart(t, stage);
    gpci_gauge_set(&stage->mshr.gauge, t->wheel.now, stage->mshr.used[0]);
}

/* Tell the instruction's unit, once; after the last access the unit may begin another instruction. L1 looks again. */
static void signal(gpci_timed *t, gpci_packet *p) {
    gpci_stage *stage = stage_of(t, p);
    gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now);
    if (p->mshr.done || p->line.flight == UINT32_MAX)
        return;
    p->mshr.done = true;
    if (--t->flights[p->line.flight].unsignalled)
        return;
    stage->lsus->units[p->request.warp % stage->lsus->count].in_flight--;
}

void gpci_lsu_joined(gpci_timed *t, uint32_t flight) {
    gpci_packet *p = gpci_packet_at(&t->pool, (uint32_t)gpci_tree_flight_at(gpci_controllers_of(t), flight)->token);
    p->line.missed = 0;
    gpci_coherent_count_load(t, p, true, true);
    if (GPCI_UNLIKELY(t->h->coherent->tracks) && is_load(p)) {
        const gpci_controllers *e = gpci_controllers_of(t);
        const gpci_tree_flight *master = gpci_tree_flight_at(e, gpci_tree_flight_at(e, flight)->master);
        gpci_coherent_follow_joined(t->h, &p->request, gpci_packet_at(&t->pool, (uint32_t)master->token)->request.warp);
    }
    gpci_see(t, GPC_WHAT_LOOKUP, stage_of(t, p), p, GPC_PENDING_HIT);
    if (!is_load(p))
        signal(t, p);
}

/* Count a lookup, and perhaps a transaction. */
static void count(gpci_timed *t, const gpci_tree_flight *a, gpci_packet *p, uint8_t level) {
    gpci_stage *stage = stage_of(t, p);
    p->line.missed = a->hit ? 0 : p->segments;
    gpci_coherent_count_load(t, p, a->hit, false);
    t->h->coherent->tree->follows = false;
    if (GPCI_UNLIKELY(t->h->coherent->tracks))
        gpci_coherent_follow(t->h, &p->request, a->hit);
    if (GPCI_UNLIKELY(a->overturned))
        gpci_uncount_l1_bypass(t->h, stage->index, gpci_coherent_bypassed(t->h, p->segments));
    gpci_count_l1_store(t->h, stage->index, p->line.kind == GPC_STORE && a->hit ? gpci_count_sectors(p->segments) : 0);
    if (level == 3 && is_load(p))
        gpci_count_round_trip(t->h, stage->index, t->wheel.now - p->born);
}

/* End of an access whose instruction completed at the start. */
static void end_unawaited(gpci_timed *t, uint32_t packet, uint8_t level) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    if (p->line.kind == GPC_LOAD && level == 3 && p->line.missed)
        gpci_count_l1_dram_line(t->h, p->request.sm);
    gpci_see(t, GPC_WHAT_REPLY, stage_of(t, p), p, level);
    gpci_pool_give(&t->pool, packet);
}

void gpci_lsu_ended(gpci_timed *t, uint32_t flight) {
    const gpci_tree_flight *a = gpci_tree_flight_at(gpci_controllers_of(t), flight);
    const uint32_t packet = (uint32_t)a->token;
    const uint8_t level = gpci_coherent_depth(t->h, a->deepest);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_stage *stage = stage_of(t, p);
    if (a->master == GPCI_NO_ITEM)
        count(t, a, p, level);
    signal(t, p);
    count_apart(t, stage);
    if (p->line.flight == UINT32_MAX)
        end_unawaited(t, packet, level);
    else
        gpci_l1_release(t, stage, packet, level);
}

/* Ask the predictor at the start of a lane's access, even if the access then joins another. */
static GPCI_NOINLINE void predict(gpci_timed *t, const gpci_stage *stage, gpci_packet *p,
                                  gpc_coherence_request *request) {
    t->h->coherent->tree->follows = false;
    const uint32_t bits = gpci_coherent_predict(t->h, &p->request, request->flags);
    const uint8_t segments = gpci_coherent_bypass(t->h, p->segments, bits, request);
    if (segments)
        gpci_count_l1_bypass(t->h, stage->index, segments);
}

/* Begin an access. False: out of memory, without change; L1's next step tries again if the simulation continues. */
static bool begin_access(gpci_timed *t, gpci_stage *stage, uint32_t packet) {
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    gpci_controllers *e = gpci_controllers_of(t);
    const gpc_status status = gpci_coherent_reserve(t, p->address);
    if (status < 0) {
        t->failed = status;
        return false;
    }
    gpc_coherence_request request = gpci_coherent_request_of(t, p);
    if (gpci_coherent_asks(t->h->coherent, &p->request))
        predict(t, stage, p, &request);
    p->born = t->wheel.now;
    p->mshr.done = false;
    gpci_controllers_at(e, t->wheel.now);
    const uint32_t flight = gpci_controllers_access(e, &request, &p->request);
    gpci_tree_flight_at(e, flight)->token = packet;
    gpci_see_origin(t, flight, p);
    return true;
}

/* Begin the accesses of the first waiting instruction. If memory runs out, begin a part now and the rest later. */
static void begin(gpci_timed *t, gpci_stage *stage, gpci_lsu *unit) {
    const uint64_t now = t->wheel.now;
    for (bool last = false; !last;) {
        const uint32_t packet = unit->queue.first;
        gpci_packet *p = gpci_packet_at(&t->pool, packet);
        const uint32_t flight = p->line.flight;
        if (!begin_access(t, stage, packet))
            return;
        if (!unit->half && stage->lsus->waits) {
            unit->in_flight++;
            t->flights[flight].unsignalled = t->flights[flight].left;
        }
        if (!stage->lsus->waits)
            p->line.flight = UINT32_MAX;
        last = p->flags & GPCI_PACKET_LAST;
        unit->half = !last;
        (void)gpci_queue_pop(&unit->queue, &t->pool, now);
        for (uint32_t left = last && !stage->lsus->waits ? t->flights[flight].left : 0; left; left--)
            gpci_l1_release_line(t, flight, 1);
    }
    gpci_gauge_set(&stage->waiting_gauge, now, --stage->waiting);
}

void gpci_lsus_step(gpci_timed *t, gpci_stage *stage) {
    const bool room = stage->mshr.used[0] < stage->options->entries;
    bool lacks = false, begun = false;
    if (gpci_replies_wait(stage) ||
        t->coherent->sealed) /* all lines may be on the way out; the end of the flush wakes L1 */
        return;
    for (uint32_t i = 0; i < stage->lsus->count; i++) {
        gpci_lsu *unit = &stage->lsus->units[i];
        if (!unit->queue.count || (unit->in_flight >= stage->lsus->most && !unit->half))
            continue;
        const bool may = room || unit->half;
        lacks |= !may;
        begun |= may;
        if (may)
            begin(t, stage, unit);
    }
    if (lacks)
        (void)gpci_stage_block(stage, &stage->tag_access[0], t->wheel.now, GPC_BUSY_MSHR);
    else
        gpci_stage_unblock(stage, &stage->tag_access[0], t->wheel.now);
    if (!begun)
        return;
    gpci_coherent_run(t);
    count_apart(t, stage);
    gpci_wheel_wake(&t->wheel, stage->component, t->wheel.now + 1);
}

gpc_status gpci_lsus_create(const gpci_timed *t, gpci_stage *stage) {
    if (!t->h->lanes_apart)
        return GPC_OK;
    const uint64_t count = gpci_number(t->h, GPCI_KEY_SM_LSUS), most = gpci_number(t->h, GPCI_KEY_SM_LSU_IN_FLIGHT);
    stage->lsus = gpci_zalloc(t->context, 1, sizeof *stage->lsus + count * sizeof *stage->lsus->units);
    if (!stage->lsus)
        return GPC_ERROR_MEMORY;
    stage->lsus->count = (uint32_t)count;
    stage->lsus->waits = gpci_number(t->h, GPCI_KEY_SM_LSU_WAITS) != 0;
    stage->lsus->most = most >= GPCI_UNLIMITED ? GPCI_UNLIMITED : (uint32_t)most;
    for (uint32_t i = 0; i < count; i++)
        gpci_queue_init(&stage->lsus->units[i].queue, GPCI_UNLIMITED);
    return GPC_OK;
}

void gpci_lsus_destroy(const gpci_timed *t, gpci_stage *stage) {
    gpci_free(t->context, stage->lsus);
}

void gpci_lsus_hold(const gpci_timed *t, const gpci_stage *stage, gpci_holders *to) {
    const gpci_lsus *lsus = stage->lsus;
    const bool room = stage->mshr.used[0] < stage->options->entries;
    for (uint32_t i = 0; i < lsus->count; i++) {
        const gpci_lsu *unit = &lsus->units[i];
        const bool waits = gpci_replies_wait(stage) || t->coherent->sealed ||
                           (!unit->half && (!room || unit->in_flight >= lsus->most));
        gpci_held(to, "packets before a load/store unit", unit->queue.count,
                  waits ? gpci_by_any() : gpci_by_clock(stage->component));
        gpci_held(to, "instructions in a load/store unit", unit->in_flight, gpci_by_any());
    }
}

void gpci_lsus_state(gpci_lsus *lsus, gpci_state_fn visit, void *user_data) {
    visit(user_data, lsus->units, lsus->count * sizeof *lsus->units);
}
