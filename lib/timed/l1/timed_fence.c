/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "level/rules/level_count.h"
#include "timed/core/changes.h"
#include "timed/core/coherent.h"
#include "timed/core/event_log.h"
#include "timed/core/shards.h"
#include "timed/core/stage_times.h"

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

/* Mover of a fence (holders.h). */
typedef enum fence_wait { GOES_ON, FOR_ITS_L1, FOR_OTHERS } fence_wait;

/* Append a fence to the SM's list. Writes since the last fence are before this fence. */
static void append(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    gpci_fences *o = &ctrl->fences;
    gpci_inflight *f = &t->inflights[number];
    gpci_part_wakes(ctrl, GPCI_PART_FENCES);
    f->epoch = o->count++;
    f->fence.writes = o->writes;
    o->writes = 0;
    f->next = UINT32_MAX;
    if (o->first == UINT32_MAX)
        o->first = number;
    else
        t->inflights[o->last].next = number;
    o->last = number;
}

/* Take a fence from the list. Writes not waited for are now before the next fence, or before none. */
static void take_out(const gpci_timed *t, gpci_fences *o, uint32_t number, uint32_t before) {
    const gpci_inflight *f = &t->inflights[number];
    if (f->next != UINT32_MAX)
        t->inflights[f->next].fence.writes += f->fence.writes;
    else
        o->writes += f->fence.writes;
    if (before == UINT32_MAX)
        o->first = f->next;
    else
        t->inflights[before].next = f->next;
    o->last = f->next == UINT32_MAX ? before : o->last;
}

void gpci_fence_wrote(gpci_timed *t, const gpci_inflight *inflight) {
    gpci_fences *o = &t->l1[inflight->sm].fences;
    if (inflight->kind == GPC_PREFETCH || inflight->performed)
        return;
    /* numbers wrap: compare by distance */
    for (uint32_t number = o->first; number != UINT32_MAX; number = t->inflights[number].next)
        if ((int32_t)(t->inflights[number].epoch - inflight->epoch) >= 0) {
            t->inflights[number].fence.writes--;
            return;
        }
    o->writes--;
}

void gpci_fence_passed(gpci_timed *t, uint32_t packet) {
    t->inflights[gpci_packet_at(&t->pool, packet)->line.inflight].fence.phase = WRITES;
    gpci_pool_give(&t->pool, packet);
}

/* Send a dirty line's bytes below as a write of the fence, acknowledged to the fence. */
static void write_line(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number, const gpc_line *line) {
    gpc_eviction dirty = {.line_address = line->line_address, .dirty_sectors = line->dirty_sectors};
    gpc_request request;
    gpci_dirty_bytes(ctrl->cache, line, dirty.dirty_bytes);
    gpci_l1_line_left(t->h, ctrl->index, &dirty, &request);
    gpci_clean_line(ctrl->cache, line);
    uint32_t packet = gpci_pool_take(&t->pool);
    gpci_packet *p = gpci_packet_at(&t->pool, packet);
    *p = (gpci_packet){.request = request,
                       .address = dirty.line_address,
                       .born = t->wheel.now,
                       .line = {.inflight = number},
                       .segments = gpci_segments_of(dirty.dirty_bytes),
                       .type = GPCI_WRITE};
    p->bytes[0] = dirty.dirty_bytes[0];
    p->bytes[1] = dirty.dirty_bytes[1];
    t->inflights[number].left++;
    gpci_count_fence_write_back(t->h, ctrl->index, gpci_count_sectors(p->segments));
    gpci_log_new_packet(t, GPC_WHAT_WRITE_BACK, ctrl, packet, NULL, false);
    gpci_l1_queue_miss(t, ctrl, packet, 0);
}

/* Write back dirty lines, for one fence at a time. True once all are acknowledged. */
static bool written_back(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    gpci_fences *o = &ctrl->fences;
    gpc_line line;
    if (o->walker != number) {
        if (o->walker != UINT32_MAX)
            return false;
        o->walker = number;
        o->slot = 0;
    }
    o->held_up = false;
    while (gpci_next_dirty(ctrl->cache, &o->slot, &line)) {
        if (gpci_queue_full(&ctrl->out)) { /* continues once a packet has left the queue */
            o->held_up = true;
            return false;
        }
        gpc_status status = gpci_make_packets(t, 1);
        if (status < 0 || !gpci_ctrl_port(ctrl, t->wheel.now, line.line_address)) {
            t->failed = status < 0 ? status : t->failed; /* the host may continue with more memory */
            gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now + 1);
            return false;
        }
        write_line(t, ctrl, number, &line);
    }
    if (t->inflights[number].left > 1)
        return false;
    o->walker = UINT32_MAX;
    return true;
}

/* L1 drops all lines, once for all fences at this point in a cycle, and not before the last drop is over. */
static bool drop(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    gpci_fences *o = &ctrl->fences;
    uint64_t now = t->wheel.now, rate = gpci_number(t->h, GPCI_KEY_L1_INVALIDATE);
    if (o->dropped_at != now) {
        if (o->fetches[o->generation ^ 1])
            return false;
        uint64_t lines = gpci_forget_clean(ctrl->cache), cycles = lines > rate ? (lines + rate - 1) / rate : 1;
        uint64_t busy = now + ctrl->options->latency + cycles;
        ctrl->data.free = ctrl->data.free > busy ? ctrl->data.free : busy;
        o->generation ^= 1;
        o->dropped_at = now;
        o->joins_since = now + 1;
        gpci_count_fence_lines(t->h, ctrl->index, lines);
        gpci_ctrl_resource_freed(ctrl, GPC_BUSY_LINE);
    }
    t->inflights[number].due = ctrl->data.free - ctrl->options->latency;
    return true;
}

void gpci_fence_stale(gpci_ctrl *ctrl, uint64_t address, uint8_t sectors) {
    if (ctrl->cache)
        gpci_forget_sectors(ctrl->cache, address, sectors);
}

uint64_t gpci_fence_joins_since(const gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p) {
    const uint64_t changed = gpci_reads_anew(&p->request) ? gpci_changes_since(t, p->address) : 0;
    return changed > ctrl->fences.joins_since ? changed : ctrl->fences.joins_since;
}

/* Continue a fence as far as possible; true: done. `writes`: earlier writes in flight. */
static bool go_on(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number, uint64_t writes) {
    gpci_inflight *f = &t->inflights[number];
    switch ((gpci_fence_phase)f->fence.phase) {
    case TAGS:
        return false;
    case WRITES:
        if (f->fence.plan.waits && writes)
            return false;
        f->fence.phase = WRITE_BACK; /* fall through */
    case WRITE_BACK:
        if (f->fence.plan.write_back && ctrl->cache && !written_back(t, ctrl, number))
            return false;
        f->fence.phase = DROP; /* fall through */
    case DROP:
        if (f->fence.plan.invalidate && (ctrl->cache || t->coherent)) {
            const bool turns = t->coherent || ctrl->fences.dropped_at != t->wheel.now;
            if (t->coherent ? !gpci_coherent_acquires(t, ctrl, number) : !drop(t, ctrl, number))
                return false;
            (void)turns;
            GPCI_AGAIN(t->h->of_sm[ctrl->index].fence_drops_again += turns);
            f->fence.phase = FETCHES;
        } else {
            if (f->fence.plan.invalidate) /* without L1, too, reads behind the fence take nothing older */
                ctrl->fences.joins_since = t->wheel.now + 1;
            f->fence.phase = MARKS;
        } /* fall through */
    case FETCHES:
        if (f->fence.phase == FETCHES && ctrl->fences.fetches[ctrl->fences.generation ^ 1])
            return false;
        f->fence.phase = MARKS; /* fall through */
    default:
        return !f->fence.plan.marks || gpci_coherent_marks(t, ctrl, number);
    }
}

/* Mover of a fence that writes back dirty lines. */
static fence_wait write_back_waits(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t number) {
    const gpci_fences *o = &ctrl->fences;
    size_t slot = o->walker == number ? o->slot : 0;
    gpc_line line;
    if (o->walker != number && o->walker != UINT32_MAX)
        return FOR_ITS_L1;
    if (gpci_next_dirty(ctrl->cache, &slot, &line))
        return gpci_queue_full(&ctrl->out) ? FOR_ITS_L1 : GOES_ON;
    return t->inflights[number].left > 1 ? FOR_OTHERS : GOES_ON;
}

static fence_wait waits(const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t number, uint64_t writes) {
    const gpci_inflight *f = &t->inflights[number];
    bool others = false;
    switch ((gpci_fence_phase)f->fence.phase) {
    case TAGS:
        return FOR_ITS_L1;
    case WRITES:
        others = f->fence.plan.waits && writes;
        break;
    case WRITE_BACK:
        if (f->fence.plan.write_back && ctrl->cache)
            return write_back_waits(t, ctrl, number);
        break;
    case DROP:
    case FETCHES:
        others = f->fence.sweep % 2 || ctrl->fences.fetches[ctrl->fences.generation ^ 1];
        break;
    default:
        others = f->fence.marks == 1;
    }
    return others ? FOR_OTHERS : GOES_ON;
}

/* A fence enters the SM's memory pipeline; room must exist. Returns the in-flight access. */
static uint32_t enter(gpci_timed *t, uint32_t sm, uint32_t warp, gpci_fence_plan plan, uint64_t token) {
    gpci_ctrl *ctrl = &t->l1[sm];
    uint32_t number = gpci_take_inflight(t, sm, warp, GPCI_KIND_FENCE, token, 1);
    gpci_inflight *inflight = &t->inflights[number];
    inflight->fence.phase = TAGS;
    inflight->fence.sweep = 0;
    inflight->fence.marks = 0;
    inflight->fence.plan = plan;
    inflight->fence.held_count = 0;
    append(t, ctrl, number);
    uint32_t packet = gpci_pool_take(&t->pool);
    *gpci_packet_at(&t->pool, packet) =
        (gpci_packet){.request = {.kind = GPCI_KIND_FENCE, .sm = sm, .warp = warp, .kernel = t->h->kernel},
                      .line = {.inflight = number},
                      .flags = GPCI_PACKET_LAST};
    t->pool.links[packet].due = t->wheel.now + t->issue_latency;
    gpci_queue_push(ctrl->entrance, &t->pool, t->wheel.now, packet);
    gpci_ctrl_waits(ctrl, t->wheel.now);
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now);
    return number;
}

static gpc_status issue(gpci_timed *t, const gpc_fence *f, uint64_t token, bool framed) {
    gpc_status status = gpci_make_room(t, 1);
    if (status < 0)
        return status;
    uint32_t number = enter(t, f->sm, f->warp, gpci_fence_plan_of(t->h, f->scope, f->order, f->control), token);
    t->inflights[number].framed = framed;
    gpci_count_fence(t->h, f->sm);
    return GPC_OK;
}

/* Ordered accesses: as with a fence before or behind. */

uint32_t gpci_fence_before(gpci_timed *t, const gpc_warp_access *w) {
    if (!gpci_order_releases(w->order))
        return UINT32_MAX;
    const gpci_fence_plan plan = gpci_fence_plan_of(t->h, w->scope, GPC_ORDER_RELEASE, GPC_CONTROL_NONE);
    uint32_t number = enter(t, w->sm, w->warp, plan, 0);
    t->in_flight--; /* not counted as an access */
    t->taken--;
    return number;
}

void gpci_fence_around(gpci_timed *t, const gpc_warp_access *w, uint32_t inflight, uint32_t count, uint32_t fence) {
    gpci_ctrl *ctrl = &t->l1[w->sm];
    gpci_queue *in = ctrl->entrance;
    t->inflights[inflight].acquires =
        gpci_order_acquires(w->order) &&
        gpci_fence_plan_of(t->h, w->scope, GPC_ORDER_ACQUIRE, GPC_CONTROL_NONE).invalidate;
    if (fence == UINT32_MAX)
        return;
    /* the fence's packet comes earlier: the accesses are not the whole queue */
    uint32_t last = in->first;
    for (uint32_t i = count + 1; i < in->count; i++)
        last = t->pool.links[last].next;
    gpci_inflight *f = &t->inflights[fence];
    f->fence.held = t->pool.links[last].next;
    f->fence.held_count = count;
    in->last = last;
    t->pool.links[last].next = GPCI_NO_PACKET;
    gpci_gauge_go(&in->gauge, t->wheel.now, count);
    gpci_gauge_set(&in->gauge, t->wheel.now, in->count -= count);
    gpci_ctrl_waited(ctrl, t->wheel.now);
}

/* Let the access behind a fence continue, and end the fence. */
static void release_fence(gpci_timed *t, gpci_ctrl *ctrl, uint32_t number) {
    gpci_inflight *f = &t->inflights[number];
    for (uint32_t packet = f->fence.held, next; f->fence.held_count; packet = next, f->fence.held_count--) {
        next = t->pool.links[packet].next;
        t->pool.links[packet].due = t->wheel.now + t->issue_latency;
        gpci_queue_push(ctrl->entrance, &t->pool, t->wheel.now, packet);
    }
    gpci_ctrl_waits(ctrl, t->wheel.now);
    ctrl->sm.anew = true; /* a held load is strong */
    gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now + 1);
    gpci_give_inflight(t, number);
}

void gpci_fence_after(gpci_timed *t, uint32_t number) {
    gpci_stages_acquires(t, number);
    gpci_inflight *f = &t->inflights[number];
    if (f->kind != GPC_LOAD)
        gpci_fence_wrote(t, f);
    f->acquires = false;
    f->performed = true;
    f->left = 1;
    f->fence.phase = WRITE_BACK;
    f->fence.sweep = 0;
    f->fence.plan = (gpci_fence_plan){.write_back = true, .invalidate = true};
    f->fence.held_count = 0;
    append(t, &t->l1[f->sm], number);
}

/* Continue every fence once, in order. True if earlier fences may continue as a result. */
static bool step_all(gpci_timed *t, gpci_ctrl *ctrl) {
    gpci_fences *o = &ctrl->fences;
    uint32_t walker = o->walker;
    uint64_t writes = 0;
    bool any = false;
    for (uint32_t number = o->first, before = UINT32_MAX, next; number != UINT32_MAX; number = next) {
        next = t->inflights[number].next;
        writes += t->inflights[number].fence.writes;
        if (!go_on(t, ctrl, number, writes)) {
            before = number;
            continue;
        }
        writes -= t->inflights[number].fence.writes; /* take_out passes them on */
        take_out(t, o, number, before);
        if (t->inflights[number].fence.held_count)
            release_fence(t, ctrl, number);
        else
            gpci_l1_release_line(t, number, 1);
        any = true;
    }
    return any || o->walker != walker;
}

/* Continue every fence as far as possible. */
static void step(gpci_timed *t, gpci_ctrl *ctrl) {
    while (step_all(t, ctrl) && ctrl->fences.first != UINT32_MAX)
        ;
    if (ctrl->fences.first == UINT32_MAX)
        gpci_part_rests(ctrl, GPCI_PART_FENCES);
}

/* A fence continues to write back once the miss queue has room. */
static void end(gpci_timed *t, gpci_ctrl *ctrl) {
    if (ctrl->fences.held_up && !gpci_queue_full(&ctrl->out))
        gpci_wheel_wake(&t->wheel, ctrl->component, t->wheel.now + 1);
}

/* The list is the controller's own: all accesses count there. */
static gpc_status make(gpci_timed *t, gpci_ctrl *ctrl, gpc_error *error) {
    (void)t;
    (void)error;
    gpci_part_add(ctrl, GPCI_PART_FENCES, &gpci_fences_part, &ctrl->fences);
    gpci_part_rests(ctrl, GPCI_PART_FENCES);
    return GPC_OK;
}

/* Mover of a fence behind so many writes in flight. */
static gpci_mover by_fence(const gpci_holders *to, const gpci_timed *t, const gpci_ctrl *ctrl, uint32_t number,
                           uint64_t writes) {
    switch (waits(t, ctrl, number, writes)) {
    case FOR_OTHERS:
        return gpci_by_any();
    case FOR_ITS_L1:
        return gpci_by_itself(to);
    default:
        return gpci_by_clock(ctrl->component);
    }
}

static void hold(const gpci_timed *t, const gpci_ctrl *ctrl, gpci_holders *to) {
    uint64_t writes = 0;
    for (uint32_t n = ctrl->fences.first; n != UINT32_MAX; n = t->inflights[n].next) {
        writes += t->inflights[n].fence.writes;
        gpci_held(to, "fence that waits", 1, by_fence(to, t, ctrl, n, writes));
    }
}

const gpci_part_class gpci_fences_part = {
    .levels = GPCI_OF_L1S, .make = make, .step = {[GPCI_AT_AFTER_TAGS] = step, [GPCI_AT_END] = end}, .hold = hold};

gpc_status gpci_timed_fence(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *busy) {
    gpci_timed *t = gpci_timed_of_sm(h->timed, fence->sm);
    gpci_ctrl *ctrl = &t->l1[fence->sm];
    if (!gpci_l1_has_place(t, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), busy);
    *busy = GPC_BUSY_NOT;
    return issue(t, fence, token, true);
}

gpc_status gpci_timed_try_fence(gpc_hierarchy *h, const gpc_fence *fence, uint64_t token, gpc_busy *out_busy) {
    gpc_fence f = GPC_FENCE_INIT;
    gpc_status status = gpci_fence_take(h, fence, &f, NULL);
    if (status < 0)
        return status;
    gpci_timed *t = gpci_timed_of_sm(h->timed, f.sm);
    gpci_ctrl *ctrl = &t->l1[f.sm];
    if (!gpci_l1_has_place(t, ctrl))
        return gpci_refuse(ctrl, gpci_l1_busy(ctrl), out_busy);
    status = issue(t, &f, token, false);
    if (status == GPC_OK && out_busy)
        *out_busy = GPC_BUSY_NOT;
    return status;
}
