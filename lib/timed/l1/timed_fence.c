/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "level/rules/level_count.h"
#include "timed/core/coherent.h"
#include "timed/core/gl1_ctrl.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"
#include "timed/core/timed.h"
#include "timed/ctrl/changes.h"

/*
 * Fences with a clock. A fence goes through the SM's memory pipeline like an access; at L1's tags all accesses issued
 * earlier have passed. Then it stands in the SM's list and goes through phases, while other accesses continue:
 *
 *  WRITES      waits until earlier writes are done: for writes of L2, until the acknowledgement arrives
 *  WRITE_BACK  dirty lines go to L2, as many per cycle as tag ports; waits for the last acknowledgement
 *  DROP        L1 drops all lines; the tags stand still meanwhile. In a tree without directories: acquires
 *              (coherent_sweep.c)
 *  FETCHES     waits for data then in flight to L1, perhaps older than allowed after the fence: passed to waiting
 *              accesses, but not kept
 *  MARKS       in a tree whose modules send invalidations without acknowledgement: waits for markers
 *
 * Example, viper, l1.invalidate_rate = 32, a fence.acq_rel.gpu behind a store, 64 lines in L1: the store's
 * acknowledgement arrives 500 cycles later; the lines go in 2 cycles; no data were in flight; done after 502.
 */
typedef enum gpci_fence_phase { TAGS, WRITES, WRITE_BACK, DROP, FETCHES, MARKS } gpci_fence_phase;

/* Mover of a fence (holders.h): the clock, the fence's L1, or other objects. */
typedef enum fence_wait { GOES_ON, FOR_ITS_L1, FOR_OTHERS } fence_wait;

/* Append a fence to the SM's list. Writes since the last fence are before this fence. */
static void append(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    gpci_fences *fences = &ctrl->fences;
    gpci_inflight *access = &timed->inflights[number];
    timed->starters += !gpci_part_is_active(ctrl, GPCI_PART_FENCES);
    gpci_part_wakes(ctrl, GPCI_PART_FENCES);
    access->epoch = fences->count++;
    access->fence.writes = fences->writes;
    fences->writes = 0;
    access->next = UINT32_MAX;
    if (fences->first == UINT32_MAX)
        fences->first = number;
    else
        timed->inflights[fences->last].next = number;
    fences->last = number;
}

/* Take a fence from the list. Writes not waited for are now before the next fence, or before none. */
static void take_out(const gpci_timed *timed, gpci_fences *fences, uint32_t number, uint32_t before) {
    const gpci_inflight *access = &timed->inflights[number];
    if (access->next != UINT32_MAX)
        timed->inflights[access->next].fence.writes += access->fence.writes;
    else
        fences->writes += access->fence.writes;
    if (before == UINT32_MAX)
        fences->first = access->next;
    else
        timed->inflights[before].next = access->next;
    fences->last = access->next == UINT32_MAX ? before : fences->last;
}

void gpci_fence_wrote(gpci_timed *timed, const gpci_inflight *inflight) {
    gpci_fences *fences = &timed->l1[inflight->sm].fences;
    if (inflight->kind == GPC_PREFETCH || inflight->performed)
        return;
    /* `epoch` may wrap: compare by distance */
    for (uint32_t number = fences->first; number != UINT32_MAX; number = timed->inflights[number].next)
        if ((int32_t)(timed->inflights[number].epoch - inflight->epoch) >= 0) {
            timed->inflights[number].fence.writes--;
            return;
        }
    fences->writes--;
}

void gpci_fence_passed(gpci_timed *timed, uint32_t packet) {
    timed->inflights[gpci_packet_at(&timed->pool, packet)->line.inflight].fence.phase = WRITES;
    gpci_pool_give(&timed->pool, packet);
}

/* Send a dirty line's bytes below as a write of the fence, acknowledged to the fence. */
static void write_line(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number, const gpc_line *line) {
    gpc_eviction dirty = {.line_address = line->line_address, .dirty_sectors = line->dirty_sectors};
    gpc_request request;
    gpci_dirty_bytes(ctrl->cache, line, dirty.dirty_bytes);
    gpci_l1_line_left(timed->hierarchy, ctrl->index, &dirty, &request);
    gpci_clean_line(ctrl->cache, line);
    uint32_t packet = gpci_pool_take(&timed->pool);
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    *pkt = (gpci_packet){.request = request,
                         .address = dirty.line_address,
                         .born = timed->wheel.now,
                         .line = {.inflight = number},
                         .segments = gpci_segments_of(dirty.dirty_bytes),
                         .type = GPCI_WRITE};
    pkt->bytes[0] = dirty.dirty_bytes[0];
    pkt->bytes[1] = dirty.dirty_bytes[1];
    timed->inflights[number].left++;
    gpci_count_fence_write_back(timed->hierarchy, ctrl->index, gpci_count_sectors(pkt->segments));
    GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.fence_write_back_sectors +=
               gpci_count_sectors(gpci_segments_of(pkt->bytes)));
    gpci_log_new_packet(timed, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    gpci_l1_queue_miss(timed, ctrl, packet, 0);
}

/* Write back dirty lines, for one fence at a time. True once all are acknowledged. */
static bool written_back(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    gpci_fences *fences = &ctrl->fences;
    gpc_line line;
    if (fences->walker != number) {
        if (fences->walker != UINT32_MAX)
            return false;
        fences->walker = number;
        fences->slot = 0;
    }
    while (gpci_next_dirty(ctrl->cache, &fences->slot, &line)) {
        if (gpci_queue_full(&ctrl->out)) /* once a packet has left the queue, end() steps L1 */
            return false;
        if (!gpci_ctrl_port(ctrl, timed->wheel.now, line.line_address)) { /* room exists (gpci_lines_to_begin) */
            gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
            return false;
        }
        write_line(timed, ctrl, number, &line);
    }
    if (timed->inflights[number].left > 1)
        return false;
    fences->walker = UINT32_MAX;
    return true;
}

/* L1 drops all lines, once for all fences at this point in a cycle, and not before the last drop is over. */
static bool drop(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    gpci_fences *fences = &ctrl->fences;
    uint64_t now = timed->wheel.now, rate = gpci_number(timed->hierarchy, GPCI_KEY_L1_INVALIDATE);
    if (ctrl->dropped_at != now) {
        if (fences->fetches[fences->generation ^ 1])
            return false;
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.fence_lines -= ctrl->cache->again.invalidations);
        uint64_t lines = gpci_forget_clean(ctrl->cache), cycles = lines > rate ? (lines + rate - 1) / rate : 1;
        gpci_ctrl_occupy_data(ctrl, now + ctrl->options->latency + cycles);
        fences->generation ^= 1;
        ctrl->dropped_at = now;
        fences->joins_since = now + 1;
        GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.fence_lines += ctrl->cache->again.invalidations);
        gpci_count_fence_lines(timed->hierarchy, ctrl->index, lines);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_LINE);
        if (gpci_gl1_way_of(ctrl))
            gpci_gl1_drop(timed, ctrl);
    }
    timed->inflights[number].due = ctrl->data.free - ctrl->options->latency;
    return true;
}

void gpci_fence_stale(gpci_ctrl *ctrl, uint64_t address, uint8_t sectors) {
    if (ctrl->cache)
        gpci_forget_sectors(ctrl->cache, address, sectors);
}

uint64_t gpci_fence_joins_since(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    const uint64_t changed =
        gpci_reads_anew(&pkt->request) ? gpci_changes_since(timed, pkt->request.sm, pkt->address) : 0;
    return changed > ctrl->fences.joins_since ? changed : ctrl->fences.joins_since;
}

/* Continue a fence as far as possible; true: done. `writes`: earlier writes in flight. */
static bool go_on(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number, uint64_t writes) {
    gpci_inflight *access = &timed->inflights[number];
    switch ((gpci_fence_phase)access->fence.phase) {
    case TAGS:
        return false;
    case WRITES:
        if (access->fence.plan.waits && writes)
            return false;
        access->fence.phase = WRITE_BACK; /* fall through */
    case WRITE_BACK:
        if (access->fence.plan.write_back && ctrl->cache && !written_back(timed, ctrl, number))
            return false;
        access->fence.phase = DROP; /* fall through */
    case DROP:
        if (access->fence.plan.invalidate && (ctrl->cache || timed->coherent)) {
            const bool drops = timed->coherent || ctrl->dropped_at != timed->wheel.now;
            if (timed->coherent ? !gpci_coherent_acquires(timed, ctrl, number) : !drop(timed, ctrl, number))
                return false;
            (void)drops;
            GPCI_AGAIN(timed->hierarchy->of_sm[ctrl->index].again.fence_invalidations += drops);
            access->fence.phase = FETCHES;
        } else {
            if (access->fence.plan.invalidate) /* without an L1, too, later reads must not join older reads */
                ctrl->fences.joins_since = timed->wheel.now + 1;
            access->fence.phase = MARKS;
        } /* fall through */
    case FETCHES:
        if (access->fence.phase == FETCHES && ctrl->fences.fetches[ctrl->fences.generation ^ 1])
            return false;
        access->fence.phase = MARKS; /* fall through */
    default:
        return !access->fence.plan.marks || gpci_coherent_marks(timed, ctrl, number);
    }
}

/* Mover of a fence that writes back dirty lines. */
static fence_wait write_back_waits(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number) {
    const gpci_fences *fences = &ctrl->fences;
    size_t slot = fences->walker == number ? fences->slot : 0;
    gpc_line line;
    if (fences->walker != number && fences->walker != UINT32_MAX)
        return FOR_ITS_L1;
    if (gpci_next_dirty(ctrl->cache, &slot, &line))
        return gpci_queue_full(&ctrl->out) ? FOR_ITS_L1 : GOES_ON;
    return timed->inflights[number].left > 1 ? FOR_OTHERS : GOES_ON;
}

static fence_wait waits(const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number, uint64_t writes) {
    const gpci_inflight *access = &timed->inflights[number];
    bool others = false;
    switch ((gpci_fence_phase)access->fence.phase) {
    case TAGS:
        return FOR_ITS_L1;
    case WRITES:
        others = access->fence.plan.waits && writes;
        break;
    case WRITE_BACK:
        if (access->fence.plan.write_back && ctrl->cache)
            return write_back_waits(timed, ctrl, number);
        break;
    case DROP:
    case FETCHES:
        others = access->fence.sweep % 2 || ctrl->fences.fetches[ctrl->fences.generation ^ 1];
        break;
    default:
        others = access->fence.marks == 1;
    }
    return others ? FOR_OTHERS : GOES_ON;
}

/* A fence enters the SM's memory pipeline; room must exist. Returns the in-flight access. */
static uint32_t enter(gpci_timed *timed, uint32_t sm, uint32_t warp, gpci_fence_plan plan, uint64_t token) {
    gpci_ctrl *ctrl = &timed->l1[sm];
    uint32_t number = gpci_take_inflight(timed, sm, warp, GPCI_KIND_FENCE, token, 1);
    gpci_inflight *inflight = &timed->inflights[number];
    inflight->fence.phase = TAGS;
    inflight->fence.sweep = 0;
    inflight->fence.marks = 0;
    inflight->fence.plan = plan;
    inflight->fence.held_count = 0;
    append(timed, ctrl, number);
    uint32_t packet = gpci_pool_take(&timed->pool);
    *gpci_packet_at(&timed->pool, packet) =
        (gpci_packet){.request = {.kind = GPCI_KIND_FENCE, .sm = sm, .warp = warp, .kernel = timed->hierarchy->kernel},
                      .line = {.inflight = number},
                      .flags = GPCI_PACKET_LAST};
    timed->pool.links[packet].due = timed->wheel.now + timed->issue_latency;
    gpci_queue_push(ctrl->entrance, &timed->pool, timed->wheel.now, packet);
    gpci_ctrl_waits(ctrl, timed->wheel.now);
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now);
    return number;
}

static gpc_status issue(gpci_timed *timed, const gpc_fence *fence, uint64_t token, bool framed) {
    /* from a callback the fence may write lines back in this cycle */
    gpc_status status = gpci_reserve_inflights(timed, 1 + timed->l1_options.ports);
    if (status < 0)
        return status;
    uint32_t number = enter(timed, fence->sm, fence->warp,
                            gpci_fence_plan_of(timed->hierarchy, fence->scope, fence->order, fence->control), token);
    timed->inflights[number].framed = framed;
    gpci_count_fence(timed->hierarchy, fence->sm);
    GPCI_AGAIN(timed->hierarchy->of_sm[fence->sm].again.fence_cycles -= timed->wheel.now);
    return GPC_OK;
}

/* Ordered accesses: as with a fence before or behind. */

uint32_t gpci_fence_before(gpci_timed *timed, const gpc_warp_access *access) {
    if (!gpci_order_releases(access->order))
        return UINT32_MAX;
    const gpci_fence_plan plan =
        gpci_fence_plan_of(timed->hierarchy, access->scope, GPC_ORDER_RELEASE, GPC_CONTROL_NONE);
    uint32_t number = enter(timed, access->sm, access->warp, plan, 0);
    timed->in_flight--; /* a fence before an access is not counted as a further access */
    timed->taken--;
    return number;
}

void gpci_fence_around(gpci_timed *timed, const gpc_warp_access *access, uint32_t inflight, uint32_t count,
                       uint32_t fence) {
    gpci_ctrl *ctrl = &timed->l1[access->sm];
    gpci_queue *queue = ctrl->entrance;
    timed->inflights[inflight].acquires =
        gpci_order_acquires(access->order) &&
        gpci_fence_plan_of(timed->hierarchy, access->scope, GPC_ORDER_ACQUIRE, GPC_CONTROL_NONE).invalidate;
    if (fence == UINT32_MAX)
        return;
    /* the queue begins with earlier packets, among them the fence's; the access's `count` lines are the last */
    uint32_t last = queue->first;
    for (uint32_t i = count + 1; i < queue->count; i++)
        last = timed->pool.links[last].next;
    gpci_inflight *inflight_access = &timed->inflights[fence];
    inflight_access->fence.held = timed->pool.links[last].next;
    inflight_access->fence.held_count = count;
    queue->last = last;
    timed->pool.links[last].next = GPCI_NO_PACKET;
    gpci_gauge_go(&queue->gauge, timed->wheel.now, count);
    gpci_gauge_set(&queue->gauge, timed->wheel.now, queue->count -= count);
    gpci_ctrl_waited(ctrl, timed->wheel.now);
}

/* Let the access behind a fence continue, and end the fence. */
static void release_fence(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t number) {
    gpci_inflight *access = &timed->inflights[number];
    for (uint32_t packet = access->fence.held, next; access->fence.held_count;
         packet = next, access->fence.held_count--) {
        next = timed->pool.links[packet].next;
        timed->pool.links[packet].due = timed->wheel.now + timed->issue_latency;
        gpci_queue_push(ctrl->entrance, &timed->pool, timed->wheel.now, packet);
    }
    gpci_ctrl_waits(ctrl, timed->wheel.now);
    ctrl->reads_anew = true; /* the access behind the fence may be a strong load */
    gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
    gpci_give_inflight(timed, number);
}

void gpci_fence_after(gpci_timed *timed, uint32_t number) {
    gpci_stages_acquires(timed, number);
    gpci_inflight *access = &timed->inflights[number];
    if (access->kind != GPC_LOAD)
        gpci_fence_wrote(timed, access);
    access->acquires = false;
    access->performed = true;
    access->left = 1;
    access->fence.phase = WRITE_BACK;
    access->fence.sweep = 0;
    access->fence.plan = (gpci_fence_plan){.write_back = true, .invalidate = true};
    access->fence.held_count = 0;
    append(timed, &timed->l1[access->sm], number);
}

/* Continue every fence once, in order. True if earlier fences may continue as a result. */
static bool step_all(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_fences *fences = &ctrl->fences;
    uint32_t walker = fences->walker;
    uint64_t writes = 0;
    bool any = false;
    for (uint32_t number = fences->first, before = UINT32_MAX, next; number != UINT32_MAX; number = next) {
        next = timed->inflights[number].next;
        writes += timed->inflights[number].fence.writes;
        if (!go_on(timed, ctrl, number, writes)) {
            before = number;
            continue;
        }
        writes -= timed->inflights[number].fence.writes; /* take_out adds these writes to the next fence */
        take_out(timed, fences, number, before);
        if (timed->inflights[number].fence.held_count)
            release_fence(timed, ctrl, number);
        else
            gpci_l1_release_line(timed, number, 1);
        any = true;
    }
    return any || fences->walker != walker;
}

/* Continue every fence as far as possible. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    while (step_all(timed, ctrl) && ctrl->fences.first != UINT32_MAX)
        ;
    if (ctrl->fences.first == UINT32_MAX && gpci_part_is_active(ctrl, GPCI_PART_FENCES)) {
        timed->starters--;
        gpci_part_rests(ctrl, GPCI_PART_FENCES);
    }
}

/* A fence continues to write back once the miss queue has room. */
static void end(gpci_timed *timed, gpci_ctrl *ctrl) {
    size_t slot = ctrl->fences.slot;
    gpc_line line;
    if (ctrl->fences.walker != UINT32_MAX && !gpci_queue_full(&ctrl->out) && gpci_next_dirty(ctrl->cache, &slot, &line))
        gpci_wheel_wake(&timed->wheel, ctrl->component, timed->wheel.now + 1);
}

/* The part uses ctrl->fences, which every controller of an L1 has, because accesses count there without fences, too. */
static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    (void)timed;
    (void)error;
    gpci_part_add(ctrl, GPCI_PART_FENCES, &gpci_fences_part, &ctrl->fences);
    gpci_part_rests(ctrl, GPCI_PART_FENCES);
    return GPC_OK;
}

/* Mover of a fence, with `writes` earlier writes in flight. */
static gpci_mover by_fence(const gpci_holders *holders, const gpci_timed *timed, const gpci_ctrl *ctrl, uint32_t number,
                           uint64_t writes) {
    switch (waits(timed, ctrl, number, writes)) {
    case FOR_OTHERS:
        return gpci_by_any();
    case FOR_ITS_L1:
        return gpci_by_itself(holders);
    default:
        return gpci_by_clock(ctrl->component);
    }
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    uint64_t writes = 0;
    for (uint32_t n = ctrl->fences.first; n != UINT32_MAX; n = timed->inflights[n].next) {
        writes += timed->inflights[n].fence.writes;
        gpci_held(holders, "fence that waits", 1, by_fence(holders, timed, ctrl, n, writes));
    }
}

const gpci_part_class gpci_fences_part = {
    .levels = GPCI_OF_L1S, .make = make, .step = {[GPCI_AT_AFTER_TAGS] = step, [GPCI_AT_END] = end}, .hold = hold};

gpc_status gpci_timed_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token, gpc_busy *busy) {
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, fence->sm);
    gpci_ctrl *ctrl = &timed->l1[fence->sm];
    if (!gpci_l1_has_place(timed, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), busy);
    *busy = GPC_BUSY_NOT;
    return issue(timed, fence, token, true);
}

gpc_status gpci_timed_try_fence(gpc_hierarchy *hierarchy, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy,
                                gpc_error *error) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_status status = gpci_fence_take(hierarchy, fence, &f, error);
    if (status < 0)
        return status;
    gpci_timed *timed = gpci_timed_of_sm(hierarchy->timed, f.sm);
    gpci_ctrl *ctrl = &timed->l1[f.sm];
    if (!gpci_l1_has_place(timed, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), out_busy);
    status = issue(timed, &f, token, false);
    if (status < 0)
        return gpci_fail_by_status(error, status, "gpc_hierarchy_try_fence");
    if (status == GPC_OK && out_busy)
        *out_busy = GPC_BUSY_NOT;
    return status;
}
